#!/usr/bin/env bash
# Writes tables with each option that LevelDB does not have. goleveldb and RocksDB's sst_dump must
# read all entries that `sst` was given, and goleveldb must find each of them through the filters
# that it knows.
# Usage: other_readers_test.sh goleveldb | sst_dump
set -euo pipefail

sst=$PWD/tools/sst
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
go_source=$PWD/tests/interop/goleveldb

if [[ $1 == goleveldb ]]; then
  (
    cd "$go_source"
    # Uses the sources in this folder from Debian's packages; nothing is downloaded.
    env HOME="$folder" GOPATH=/usr/share/gocode GO111MODULE=off GOFLAGS= GOCACHE="$folder/cache" \
      go build -o "$folder/goleveldb" main.go
  )
fi

# 20,000 entries with even numbers and some random keys, as records for `sst build` in hex.
awk 'BEGIN {
  srand(7)
  for (i = 0; i < 20000; ++i) {
    key = sprintf("%016d", 2 * i)
    if (i % 3 == 0) key = key sprintf("%c%c", 97 + int(rand() * 26), 97 + int(rand() * 26))
    value = sprintf("value %d ", i)
    while (length(value) < 20 + i % 60) value = value value
    printf "%s\t%s\n", key, value
  }
}' | LC_ALL=C sort >"$folder/plain.tsv"
awk -F '\t' '{ printf "%s\t%d\tvalue\t%s\n", $1, 100000 - NR, $2 }' "$folder/plain.tsv" \
  >"$folder/internal.tsv"

failed=0
complain() {
  echo "$1" >&2
  failed=1
}

# expect NAME TABLE [PASSED]: the entries must be those that were written. At most PASSED absent
# keys may pass goleveldb's filter.
expect_goleveldb() {
  "$folder/goleveldb" "$2" >"$folder/read" 2>"$folder/message" || {
    complain "$1: $(cat "$folder/message")"
    return
  }
  "$sst" dump --keys plain --format tsv --encoding hex "$2" >"$folder/expected"
  cmp "$folder/read" "$folder/expected" || complain "$1: other entries"
  [[ $(wc -l <"$folder/read") -eq 20000 ]] || complain "$1: not all entries"
  local passed
  passed=$(cut -d ' ' -f 1 "$folder/message")
  [[ $passed -le $3 ]] || complain "$1: $passed absent keys pass the filter, expected at most $3"
}
expect_sst_dump() {
  local command
  for command in check verify scan; do
    sst_dump --file="$2" --command=$command --output_hex --verify_checksum \
      >"$folder/$command" 2>&1 || complain "$1: $command: $(tail -n 3 "$folder/$command")"
  done
  ! grep -qiE 'corrupt|error|mismatch' "$folder/verify" "$folder/check" ||
    complain "$1: $(cat "$folder/verify")"
  # sst_dump prints 'KEY' seq:N, type:1 => VALUE
  sed -nE "s/^'([0-9A-F]*)' seq:([0-9]+), type:1 => ([0-9A-F]*)\$/\\1\t\\2\t\\3/p" "$folder/scan" |
    tr 'A-F' 'a-f' >"$folder/read"
  "$sst" dump --keys internal --format tsv --encoding hex "$2" | cut -f 1,2,4 >"$folder/expected"
  cmp "$folder/read" "$folder/expected" || complain "$1: other entries"
  [[ $(wc -l <"$folder/read") -eq 20000 ]] || complain "$1: not all entries"
}

# sst_dump accepts only names of the form *.sst. try NAME PASSED OPTIONS...
try() {
  local name=$1 passed=$2
  shift 2
  local kind=plain
  [[ $reader == goleveldb ]] || kind=internal
  "$sst" build --force --keys $kind "$@" "$folder/table.sst" "$folder/$kind.tsv" 2>"$folder/said" || {
    complain "$name: $(cat "$folder/said")"
    return
  }
  "expect_$reader" "$name" "$folder/table.sst" "$passed"
}

reader=$1
none=20000 # all pass if there is no filter that the program knows
try 'no filter' $none --filter none
try 'LevelDB' 700 --filter bloom:10
try 'goleveldb' 700 --filter bloom-old:10
try 'rate' 700 --filter bloom-old:1%
try 'base lg auto' 700 --filter bloom-old:10 --filter-base-lg auto
try 'base lg 16' 700 --filter bloom:10 --filter-base-lg 16
try 'base lg 0' 1400 --filter bloom:10 --filter-base-lg 0
try 'one window' 900 --filter bloom:10 --filter-base-lg 63
for table_filter in blocked:10 fuse8 fuse16; do
  try "$table_filter" $none --filter none --table-filter $table_filter
  try "$table_filter beside LevelDB's" 700 --filter bloom:10 --table-filter $table_filter
  try "$table_filter with prefixes" $none --filter none --table-filter $table_filter \
    --table-filter-prefixes first:14
done
try 'prefixes through a byte' 700 --filter bloom:1% --table-filter blocked:10 \
  --table-filter-prefixes through:30:15

# Tests the same tables after their filters were rewritten.
try 'no filter' $none --filter none
for table_filter in fuse8 'blocked:10 --table-filter-prefixes first:14'; do
  # shellcheck disable=SC2086
  "$sst" filter add "$folder/table.sst" -o "$folder/added.sst" --force --filter bloom-old:1% \
    --filter-base-lg auto --table-filter $table_filter 2>"$folder/said" ||
    complain "$(cat "$folder/said")"
  "expect_$reader" "filter add, $table_filter" "$folder/added.sst" 700
done
"$sst" filter strip "$folder/added.sst" -o "$folder/bare.sst" 2>"$folder/said" ||
  complain "$(cat "$folder/said")"
"expect_$reader" 'filter strip' "$folder/bare.sst" $none
cmp "$folder/bare.sst" "$folder/table.sst" || complain 'filter strip: not the table that there was'

exit "$failed"
