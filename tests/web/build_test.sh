#!/usr/bin/env bash
# The page in docs/viewer must be the one built from web/, with its present core. Types and
# formatting must be right.
set -euo pipefail
web=$(dirname "$(readlink -f web/build.sh)")
if ! "$web/build.sh" install; then
  echo "skipped: npm can't be reached, and web/node_modules is not there"
  exit 0
fi
"$web/build.sh" check
"$web/build.sh" page "$TEST_TMPDIR/index.html"
cmp "$TEST_TMPDIR/index.html" docs/viewer/index.html
echo "the page is what its sources give"
