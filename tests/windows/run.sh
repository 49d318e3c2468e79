#!/usr/bin/env bash
# tests/windows/run.sh [SST.EXE]   Makes a release's sst.exe, or takes an existing one, and compares
# it under wine with this system's `sst`: on the corpus, paths, streams, files that another program
# has open, and the scripts of tests/tools/scripts, which must print the output shown, except for
# the commands in left_out.txt. Needs Bazel, Debian's wine, and everything that scripts/release.sh
# needs.
set -euo pipefail
cd "$(dirname "$0")/../.."
repo=$PWD
fail() { echo "failed: $*" >&2; exit 1; }
skip() { echo "tests/windows was skipped: $*"; exit 0; }
command -v wine > /dev/null || skip "there is no wine (apt-get install wine)"
work=$(mktemp -d)
export WINEPREFIX=$work/prefix WINEDEBUG=-all
trap 'wineserver -k || true; chmod -R u+w "$work"; rm -rf "$work"' EXIT
mkdir "$WINEPREFIX"

sst=$(realpath -m "${1-}")
if [[ $# -eq 0 ]]; then
  version=$(sed -n 's/#define SSTABLE_VERSION "\(.*\)"/\1/p' include/sstable/version.h)
  code=0
  scripts/release.sh "$version" windows-x86_64 || code=$?
  [[ $code != 77 ]] || skip "see above"
  [[ $code == 0 ]] || fail "scripts/release.sh"
  sst=$repo/dist/sst-$version-windows-x86_64.exe
fi
[[ -e $sst ]] || fail "$sst is not there"
bazel build --noshow_progress //tests/tools:script_test //tests/tools:table_tool //tools:sst
wineserver -p  # stays running, so that programs start in a tenth of the time
wineboot -i > "$work/log" 2>&1 || { cat "$work/log"; fail "wine does not start"; }
mkdir -p "$work/files" "$work/scripts/tools" "$work/scripts/tests/tools/scripts"
# With random addresses, wine 8.0 sometimes can't map memory that it needs, and ends without a word.
printf '#!/bin/sh\nLC_ALL=C.UTF-8 exec setarch -R wine %s "$@"\n' "$sst" > "$work/scripts/tools/sst"
chmod +x "$work/scripts/tools/sst"
windows() { "$work/scripts/tools/sst" "$@"; }
here() { "$repo/bazel-bin/tools/sst" "$@"; }

# same ARGUMENT...: both programs must print the same on both streams and have the same exit code.
same() {
  local code=0 windows_code=0
  rm -rf saved
  here "$@" > "$work/out" 2> "$work/err" || code=$?
  rm -rf here_saved
  [[ ! -e saved ]] || mv saved here_saved
  windows "$@" > "$work/windows_out" 2> "$work/windows_err" || windows_code=$?
  cmp "$work/out" "$work/windows_out" || fail "$*: other output"
  diff "$work/err" "$work/windows_err" || fail "$*: other messages"
  [[ $code == "$windows_code" ]] || fail "$*: exit code $windows_code instead of $code"
  [[ ! -e here_saved ]] || diff -r here_saved saved || fail "$*: writes other bytes"
}

cd "$work/files"
folders=("$repo/tests/testdata/database")
if [[ -d $repo/../shared/corpus ]]; then folders+=("$repo"/../shared/corpus/*/)
else echo "skipped: there is no corpus"; fi
for folder in "${folders[@]}"; do
  name=$(basename "$folder")
  cp -rL "$folder" "$name"
  for table in "$name"/*.{ldb,sst}; do
    [[ -e $table ]] || continue
    for command in check layout dump; do same $command "$table"; done
    head -c $(($(stat -c %s "$table") * 2 / 3)) "$table" > damaged.ldb
    same salvage damaged.ldb -o saved
  done
  for command in check dump "salvage -o saved"; do same $command "$name"; done
done
echo "the same as here: check, layout, dump and salvage of tables and folders"

# Paths in both notations.
deep=$(printf 'a folder/%.0s' {1..40})
for folder in 'with spaces' 'Ünïcödé-雪-🍎' "$deep"; do
  mkdir -p "$folder"
  cp "$repo/tests/testdata/database"/* "$folder"
  for command in check dump; do same $command "$folder"; done
  same salvage "$folder/000005.ldb" -o saved
  # In wine 8.0, GetFinalPathNameByHandle(), which std::filesystem::canonical() calls, fails for
  # paths of more than 262 characters, whatever the buffer's size.
  [[ $folder == "$deep" ]] || same salvage "$folder" -o saved
  printf 'k\tv\n' | windows build "$folder/new.ldb" 2> "$work/err" || fail "build in $folder: $(cat "$work/err")"
  printf 'k\tw\n' | windows build --force "${folder//\//\\}\\new.ldb" 2> "$work/err" || fail "$(cat "$work/err")"
  [[ $(windows get "$folder/new.ldb" k) == w ]] || fail "$folder: the file was not replaced"
done
echo "paths: spaces, other scripts, ${#deep} characters, both separators; a file is replaced"

# Streams must pass every byte unchanged.
data=$repo/tests/testdata
{ printf 'a\t\x1a\n'; cat "$data/elements.tsv"; } > records.tsv
here build - < records.tsv > here.ldb 2> "$work/err" || fail "build: $(cat "$work/err")"
for input in '< records.tsv' '< <(cat records.tsv)'; do
  eval "windows build - $input" 2> "$work/err" | cmp - here.ldb || fail "build - $input: $(cat "$work/err")"
done
windows dump --format tsv - < here.ldb | cmp - <(here dump --format tsv here.ldb) || fail "dump of standard input"
echo "standard input and output: files and pipes, every byte as it is"

# Another program has the files open and writes to them.
zig=${BUILD:-$repo/dist/build}/python/bin/python
# owned SHARING FILE... -- COMMAND...: runs the command while the files are open.
owned() {
  local files=()
  while [[ $1 != -- ]]; do files+=("$1"); shift; done
  rm -f started stop
  mkfifo started
  wine "$work/owner.exe" "${files[@]}" > started &
  local owner=$!
  read -r _ < started || fail "the owner of the files does not start"
  "${@:2}"
  kill -0 "$owner" || fail "the owner of the files has ended"
  touch stop
  wait "$owner" || fail "reading disturbed the owner of the files"
}
read_shared() { for command in check dump "salvage -o saved"; do same $command open; done; }
read_alone() {
  local code=0
  windows dump open > "$work/out" 2> "$work/err" || code=$?
  [[ $code == 2 ]] || fail "the log can't be opened, but the exit code is $code"
  grep -q '^sst: open/000010.log: .*: another program has it open, and shares it with nobody$' "$work/err" ||
    fail "the log can't be opened: $(cat "$work/err")"
}
if [[ -x $zig ]]; then
  "$zig" -m ziglang cc -target x86_64-windows-gnu "$repo/tests/windows/owner.c" -o "$work/owner.exe"
  cp -r "$repo/tests/testdata/database" open
  owned shared open/* -- read_shared
  owned alone open/000010.log -- read_alone
  echo "a folder was read while its owner wrote it; a file that is not shared is reported"
else
  echo "skipped: the owner of open files needs the compiler of scripts/release.sh"
fi

# Runs the scripts. Commands in the list "not_run" are skipped.
sed '/^#/d; /^$/d; s/, not run: /: /' "$repo/tests/windows/left_out.txt" > "$work/left_out"
sed -n 's/, not run: /: /p' "$repo/tests/windows/left_out.txt" > "$work/not_run"
# part LIST SCRIPT START FILE: prints the commands of a script that begin with START, and their
# output. If START is empty, prints all commands that are not in LIST.
part() {
  START=$3 awk -v script="$2" '
    NR == FNR {
      if (sub("^" script ": ", "")) starts[$0]
      next
    }
    !continued && /^[$#] / {
      start = ""
      for (one in starts) if (index($0, "$ " one) == 1) start = one
    }
    { continued = (continued || /^\$ /) && /\\$/ }
    start == ENVIRON["START"]' "$work/$1" "$4"
}
cp "$repo"/bazel-bin/tests/tools/{script_test,table_tool} "$work/scripts/tests/tools"
ln -s "$repo/tests/testdata" "$work/scripts/tests/testdata"
cd "$work/scripts"
scripts=$repo/tests/tools/scripts printed=tests/tools/scripts
cp "$scripts/setup.sh" $printed
for shown in "$scripts"/*.txt; do
  part not_run "$(basename "$shown" .txt)" '' "$shown" > "$printed/${shown##*/}"
done
export GTEST_TOTAL_SHARDS=2
for shard in 0 1; do
  GTEST_SHARD_INDEX=$shard timeout 1200 tests/tools/script_test --rewrite > "$work/shard$shard" 2>&1 &
  shards[shard]=$!
done
for shard in 0 1; do
  wait "${shards[shard]}" || { cat "$work/shard$shard"; fail "the scripts do not end within 20 minutes"; }
done
differs=
for shown in "$scripts"/*.txt; do
  script=$(basename "$shown" .txt)
  diff -u --label "$script" --label "$script, by wine" <(part left_out "$script" '' "$shown") \
    <(part left_out "$script" '' "$printed/$script.txt") || differs=1
done
while IFS= read -r line; do
  script=${line%%: *}
  part left_out "$script" "${line#*: }" "$scripts/$script.txt" > "$work/shown"
  part left_out "$script" "${line#*: }" "$printed/$script.txt" | cmp -s - "$work/shown" || continue
  echo "left_out.txt: $line: there is no such command, or it prints what it shows"
  differs=1
done < "$work/left_out"
[[ -z $differs ]] || fail "scripts"
echo "scripts: $(wc -l < "$work/left_out") commands are left out; all others print what they show"
