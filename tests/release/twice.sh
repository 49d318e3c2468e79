#!/usr/bin/env bash
# tests/release/twice.sh PART...   Makes these parts of a release (see scripts/release.sh) from two clones in
# folders with different names: they must be the same bytes. Takes twice as long as the release.
set -euo pipefail
cd "$(dirname "$0")/../.."
[[ $# -gt 0 ]] || { echo "usage: tests/release/twice.sh PART..." >&2; exit 2; }
version=$(sed -n 's/#define SSTABLE_VERSION "\(.*\)"/\1/p' include/sstable/version.h)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for clone in "$work"/{one,the/other}; do
  git clone --quiet . "$clone"
  BUILD=$clone.build "$clone/scripts/release.sh" "$version" "$@" > "$work/log" ||
    { cat "$work/log"; exit 1; }
done
diff "$work"/{one,the/other}/dist/SHA256SUMS || { echo "failed: other bytes" >&2; exit 1; }
cat "$work/one/dist/SHA256SUMS"
