#!/usr/bin/env bash
# Installs the Debian or Ubuntu packages that this project needs. Does nothing if all are installed.
# Usage: scripts/setup.sh build | test | all | bench | fuzz | dev
set -euo pipefail

build=(
  g++ pkg-config                           # compiler; finds Abseil's archives
  bazel-bootstrap bazel-platforms          # Bazel 4.2 and the repositories it loads
  bazel-rules-java
  libabsl-dev libhwy-dev libisal-dev       # core
  libxxhash-dev                            # core: the hash of whole-table filters
  libsnappy-dev libzstd-dev zlib1g-dev     # compression
  libbz2-dev liblz4-dev                    # compression of RocksDB's tables
  libcli11-dev nlohmann-json3-dev          # tools
  libre2-dev                               # tools: sst grep
  libcurl4-openssl-dev                     # tools: tables on web servers
  libsqlite3-dev                           # tools: sst export; sqlite/
)
test=(
  "${build[@]}" libgmock-dev libleveldb-dev
  libbenchmark-dev libcdb-dev              # `bazel test //...` compiles benchmarks
  cmake                                    # tests/cmake
  groff-base zsh fish                      # manual page; completion in shells
  sqlite3                                  # tests/sqlite, tests/tools
  python3                                  # tests of the C API and SQLite
  python3-plyvel                           # tests/db/folders: LevelDB from Python
  python3-yaml                             # tests/docs: habits
)
all=(
  "${test[@]}"
  clang ninja-build                        # tests/cmake
  golang-go rocksdb-tools                  # tests/interop
  golang-github-syndtr-goleveldb-dev
  mypy python3-numpy python3-venv          # tests/python
  chromium emscripten dpkg-dev zopfli      # tests/web, web/build.sh
  debootstrap file                         # tests/{packages,aarch64,core}
  g++-aarch64-linux-gnu qemu-user          # tests/aarch64
  g++-{arm-linux-gnueabihf,i686-linux-gnu,s390x-linux-gnu}   # tests/core
  python3-distributed parallel             # tests/examples/bulk_build
  spin                                     # tests/model
)
if ! command -v npm >/dev/null; then all+=(npm); fi  # node from elsewhere includes its own
bench=("${test[@]}" librocksdb-dev liblmdb-dev libmtbl-dev python3-matplotlib)  # rivals; plots
fuzz=("${test[@]}" clang libclang-rt-dev llvm)        # tests/fuzz/run.sh
dev=("${all[@]}" clang-format clang-tidy libclang-rt-dev llvm)  # formatting, --config=clang

case ${1-} in
  build) wanted=("${build[@]}") ;;
  test) wanted=("${test[@]}") ;;
  all) wanted=("${all[@]}") ;;
  bench) wanted=("${bench[@]}") ;;
  fuzz) wanted=("${fuzz[@]}") ;;
  dev) wanted=("${dev[@]}") ;;
  *)
    echo "usage: scripts/setup.sh build | test | all | bench | fuzz | dev" >&2
    exit 2
    ;;
esac

if ! command -v apt-get >/dev/null; then
  echo "This script knows Debian and Ubuntu only. Please install, under your system's names for them:" >&2
  printf '  %s\n' "${wanted[@]}" >&2
  exit 1
fi

# dpkg-query fails if a package is unknown, but still lists the others.
installed=$(dpkg-query --show --showformat='${db:Status-Status} ${Package}\n' "${wanted[@]}" \
  2>/dev/null || true)
missing=()
for package in "${wanted[@]}"; do
  grep -qx "installed $package" <<<"$installed" || missing+=("$package")
done
if [[ ${#missing[@]} -eq 0 ]]; then exit 0; fi

as_root=()
if [[ $(id -u) -ne 0 ]]; then
  if ! command -v sudo >/dev/null; then
    echo "Please run as root: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "Installing ${missing[*]} (a few minutes the first time)"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120 "$@" \
    </dev/null >"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    echo "apt-get $1 failed; the lines above say why." >&2
    exit 1
  }
}
apt update
apt install -y --no-install-recommends "${missing[@]}"
