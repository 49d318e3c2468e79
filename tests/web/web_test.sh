#!/usr/bin/env bash
# web_test.sh TEST   Runs a test of this folder on the page of docs/viewer and the corpus, or on the
# tables of tests/testdata if there is no corpus.
set -euo pipefail
here=tests/web
manifest=external/sstable_corpus/files/manifest.json
files=()
if [[ -e $manifest ]]; then
  mapfile -t files < <(/usr/bin/python3 -c 'import json, os, sys
for file in json.load(open(sys.argv[1]))["files"]:
    print(os.path.abspath(os.path.join(os.path.dirname(sys.argv[1]), file["file"])))' $manifest)
fi
if [[ ${#files[@]} -eq 0 ]]; then mapfile -t files < <(ls "$PWD"/tests/testdata/*.ldb); fi
more=()
if [[ $1 == *page_test ]]; then
  # axe is installed by web/build.sh.
  web=$(dirname "$(readlink -f docs/viewer/index.html)")/../../web
  axe=$web/node_modules/axe-core/axe.min.js
  if [[ ! -e $axe ]] && ! "$web/build.sh" install; then
    echo "skipped: npm can't be reached, and web/node_modules has no axe-core"
    exit 0
  fi
  more=("$axe")
fi
exec node "$here/$1.mjs" tools/sst docs/viewer/index.html "${more[@]}" "${files[@]}"
