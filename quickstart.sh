#!/usr/bin/env bash
# From a fresh clone to a working tool: installs what is missing, builds `sst` and shows it at work.
set -euo pipefail
cd "$(dirname "$0")"

scripts/setup.sh build
bazel build --ui_event_filters=-info --noshow_progress //tools:sst

# ---- demo ----------------------------------------------------------------------------------------
sst_program=$PWD/bazel-bin/tools/sst
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp tests/testdata/{elements.tsv,leveldb-1.23-{elements,raw}.ldb,damaged-data-block.ldb} "$folder"
cd "$folder"

sst() { "$sst_program" "$@"; }

# step WHY EXIT_CODE COMMAND...: says why, shows the command and runs it. Anything but that exit code
# ends the tour with an error.
step() {
  local why=$1 expected=$2 code=0
  shift 2
  printf '\n# %s\n$ %s\n' "$why" "$*"
  "$@" || code=$?
  if [[ $code -ne $expected ]]; then
    printf '\nThe last command exited with %d, expected was %d.\n' "$code" "$expected" >&2
    exit 1
  fi
}

step 'A table of the lines in a text file: key, tab, value. It gets a Bloom filter.' 0 \
  sst build --compression none elements.ldb elements.tsv
step 'LevelDB has written the same entries; there is no difference to tell.' 0 \
  cmp elements.ldb leveldb-1.23-raw.ldb
step 'What is in it' 0 \
  sst dump --limit 3 elements.ldb
step 'One key, and how it was found' 0 \
  sst get --explain --format utf8 elements.ldb gold/symbol
step 'A key that is not there: the filter says so, and no data block is read. Exit code 1.' 1 \
  sst get --explain elements.ldb unobtainium/symbol
step "How good the filter in LevelDB's compressed file is" 0 \
  sst filter leveldb-1.23-elements.ldb
step 'What each byte of that file is' 0 \
  sst layout leveldb-1.23-elements.ldb
step 'The same file with a flipped bit: what is wrong, and where. Exit code 1.' 1 \
  sst check damaged-data-block.ldb
step 'What can still be read of it: everything outside of that block. Exit code 1.' 1 \
  sst dump --from manganese/symbol --limit 2 damaged-data-block.ldb

printf '\nThe program is %s; `sst --help` explains more.\n' "${sst_program#"$OLDPWD"/}"
