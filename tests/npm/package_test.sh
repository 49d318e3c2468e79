#!/usr/bin/env bash
# Builds the npm package, installs it in an empty folder, and uses it there from ES modules,
# CommonJS and TypeScript, together with classic-level.
set -euo pipefail
web=$(dirname "$(readlink -f web/build.sh)")
here=$PWD/tests/npm
manifest=external/sstable_corpus/files/manifest.json
tables=()
if [[ -e $manifest ]]; then
  mapfile -t tables < <(/usr/bin/python3 -c 'import json, os, sys
for file in json.load(open(sys.argv[1]))["files"]:
    if file["comparator"] not in ("bytewise", "leveldb.BytewiseComparator"): continue
    if file["magic"] != "db4775248b80fb57": continue  # formats of RocksDB alone
    print(os.path.abspath(os.path.join(os.path.dirname(sys.argv[1]), file["file"])))' $manifest)
fi
folder=$(mktemp -d "${TEST_TMPDIR:-/tmp}/npm-XXXXXX")
export HOME=${HOME:-$folder}
cd "$folder"
echo '{"private": true}' > package.json
if ! npm install --loglevel=error --no-audit --no-fund --ignore-scripts classic-level@3.0.0 > log 2>&1; then
  cat log
  echo "skipped: npm can't be reached for classic-level, with which the package is compared"
  exit 0
fi
if ! command -v em++ > /dev/null; then
  echo "skipped: there is no Emscripten, by which the package is compiled"
  exit 0
fi
if [[ ! -e $web/.build/libsstable.a ]]; then
  echo "skipped: web/build.sh, which compiles the core in some minutes, has not been run here"
  exit 0
fi
"$web/build.sh" npm "$folder"
size=$(stat -c %s sstable-*.tgz)
if ((size > 600000)); then
  echo "the package has $size bytes, at most 600000 are wanted"
  exit 1
fi
npm install --loglevel=error --no-audit --no-fund ./sstable-*.tgz > log 2>&1 || { cat log; exit 1; }
cp "$here"/{package_test.mjs,sample.mts,sample.cts} .
"$web/node_modules/.bin/tsc" --noEmit --strict --module node16 --target es2022 --lib es2022 sample.mts sample.cts
node --test-reporter=spec package_test.mjs "${tables[@]}"
