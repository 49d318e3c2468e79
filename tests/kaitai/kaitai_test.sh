#!/usr/bin/env bash
# kaitai_test.mjs on tests/testdata, the cases of conformance/, and the corpus where there is one.
set -euo pipefail
packages=$TEST_TMPDIR/packages
mkdir "$packages"
cp tests/kaitai/package{,-lock}.json "$packages/"
if ! (cd "$packages" &&
  HOME=${HOME:-$packages} npm ci --cache "$TEST_TMPDIR/npm" --ignore-scripts --no-audit --no-fund) >&2; then
  echo "skipped: npm can't be reached"
  exit 0
fi
/usr/bin/python3 -B conformance/make.py "$TEST_TMPDIR/cases"
paths=(tests/testdata "$TEST_TMPDIR/cases")
if [[ -e external/sstable_corpus/files ]]; then paths+=(external/sstable_corpus/files); fi
exec node tests/kaitai/kaitai_test.mjs conformance/kaitai "$packages" tools/sst "${paths[@]}"
