#!/usr/bin/env bash
# tests/release/run.sh [SST [EMULATOR]]   Makes the static `sst`s of a release and tests them. Or
# tests an existing SST for another processor, run by EMULATOR (qemu-aarch64). Runs it in an
# otherwise empty root folder, and with the scripts of tests/tools/scripts. Takes half an hour on two
# cores, mostly for compiling. Needs Bazel, qemu-user and root.
set -euo pipefail
cd "$(dirname "$0")/../.."
repo=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "failed: $1" >&2; exit 1; }

if [[ $# -eq 0 ]]; then
  version=$(sed -n 's/#define SSTABLE_VERSION "\(.*\)"/\1/p' include/sstable/version.h)
  scripts/release.sh "$version" linux-{x86_64,aarch64}
fi

# check SST [EMULATOR]: runs the program where there is nothing else.
check() {
  local root=$work/root run=(/sst)
  rm -rf "$root"
  mkdir "$root"
  cp "$1" "$root/sst"
  if [[ -n ${2-} ]]; then
    cp "$(command -v "$2")" "$root/emulator"
    ldd "$root/emulator" 2> /dev/null | grep -o '/[^ ]*' | xargs -r cp --parents -t "$root"
    run=(/emulator /sst)
  fi
  cp tests/testdata/{leveldb-1.23-elements,rocksdb-7.8-zstd,rocksdb-7.8-lz4,rocksdb-7.8-bzip2,zlib}.ldb "$root"
  cp -r tests/testdata/database "$root"
  within() { chroot "$root" "${run[@]}" "$@"; }
  for table in "$root"/*.ldb; do
    within check -q "/${table##*/}" || fail "$1: check ${table##*/}"
  done
  [[ $(within get /leveldb-1.23-elements.ldb actinium/number) == 89 ]] || fail "$1: get"
  within dump --format tsv /leveldb-1.23-elements.ldb | cmp - tests/testdata/elements.tsv || fail "$1: dump"
  within dump --format tsv /database > "$work/database.tsv" || fail "$1: dump of a folder"
  within dump --format tsv /leveldb-1.23-elements.ldb |
    chroot "$root" "${run[@]}" build --compression none --filter bloom:10 /built.ldb || fail "$1: build"
  cmp "$root/built.ldb" tests/testdata/leveldb-1.23-raw.ldb || fail "$1: build gives other bytes than LevelDB"
  within salvage /leveldb-1.23-elements.ldb -o /saved.ldb > /dev/null 2>&1 || fail "$1: salvage"
  echo "$1: check, get, dump, build and salvage, with nothing else there"
}

# run_scripts SST [EMULATOR]
run_scripts() (
  set -e
  rm -rf "$work/scripts"
  mkdir -p "$work/scripts/tools" "$work/scripts/tests/tools"
  cd "$work/scripts"
  if [[ -n ${2-} ]]; then
    printf '#!/bin/sh\nexec %s %s "$@"\n' "$2" "$1" > tools/sst
    chmod +x tools/sst
  else
    ln -s "$1" tools/sst
  fi
  ln -s "$repo/tests/testdata" tests/testdata
  ln -s "$repo/tests/tools/scripts" tests/tools/scripts
  ln -s "$repo/bazel-bin/tests/tools/table_tool" tests/tools/table_tool
  "$repo/bazel-bin/tests/tools/script_test"
)

bazel build //tests/tools:script_test //tests/tools:table_tool
if [[ $# -gt 0 ]]; then set -- "$(realpath "$1")" "${@:2}"; check "$@"; run_scripts "$@"; exit; fi
for processor in x86_64 aarch64; do
  tested=("$repo/dist/sst-$version-linux-$processor")
  [[ $processor == x86_64 ]] || tested+=(qemu-aarch64)
  check "${tested[@]}"
  run_scripts "${tested[@]}"
done
