#!/usr/bin/env bash
# tests/release/run.sh [SST]   Makes a release, or takes a static `sst` of this processor that is there,
# and tests it: in an empty root folder, and by the scripts of tests/tools/scripts. That of aarch64 is
# run by qemu. With a release, makes it once more in another folder: the same bytes. Takes an hour on
# two cores, most of it compilers'. Needs Bazel, qemu-user and to be root.
set -euo pipefail
cd "$(dirname "$0")/../.."
repo=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "failed: $1" >&2; exit 1; }

sst=$(realpath -m "${1-}")
if [[ $# -eq 0 ]]; then
  version=$(sed -n 's/#define SSTABLE_VERSION "\(.*\)"/\1/p' include/sstable/version.h)
  scripts/release.sh "$version"
  cp dist/SHA256SUMS "$work/first"
  BUILD=$work/again scripts/release.sh "$version"
  cmp "$work/first" dist/SHA256SUMS || fail "a second run has other bytes"
  sst=$repo/dist/sst-$version-linux-x86_64
fi

# check SST [EMULATOR]   Runs the program where there is nothing else.
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
check "$sst"
if [[ $# -eq 0 ]]; then check "${sst/x86_64/aarch64}" qemu-aarch64; fi

bazel build //tests/tools:script_test //tests/tools:table_tool
mkdir -p "$work/scripts/tools" "$work/scripts/tests/tools"
cd "$work/scripts"
ln -s "$sst" tools/sst
ln -s "$repo/tests/testdata" tests/testdata
ln -s "$repo/tests/tools/scripts" tests/tools/scripts
ln -s "$repo/bazel-bin/tests/tools/table_tool" tests/tools/table_tool
"$repo/bazel-bin/tests/tools/script_test"
