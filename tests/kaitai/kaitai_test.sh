#!/usr/bin/env bash
# Runs kaitai_test.mjs on tests/testdata, the cases of conformance/, and the corpus if there is one.
set -euo pipefail
web=$(dirname "$(readlink -f web/build.sh)")
if ! "$web/build.sh" install; then
  echo "skipped: npm can't be reached, and web/node_modules is not there"
  exit 0
fi
compiled=$TEST_TMPDIR/compiled
mkdir "$compiled"
ln -s "$web/node_modules" "$compiled/"
/usr/bin/python3 -B conformance/make.py "$TEST_TMPDIR/cases"
paths=(tests/testdata "$TEST_TMPDIR/cases")
if [[ -e external/sstable_corpus/files ]]; then paths+=(external/sstable_corpus/files); fi
exec node tests/kaitai/kaitai_test.mjs conformance/kaitai "$compiled" tools/sst "${paths[@]}"
