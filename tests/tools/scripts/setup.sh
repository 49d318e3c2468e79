# Commands of the scripts, beside `sst`. Every command of a script is run in a shell that has read this.
set -o pipefail
export LC_ALL=C
export SST_NO_PROGRESS=1  # it depends on the clock

fruit='apple\tred\nbanana\tyellow\nkiwi\tgreen\n'
versions='apple\t9\tdeletion\t\napple\t3\tvalue\tred\nbanana\t7\tvalue\tbrown\nbanana\t4\tvalue\tyellow\n'

# quiet COMMAND...: the command's messages are shown only if it fails.
quiet() {
  local messages
  messages=$("$@" 2>&1) || { local code=$?; printf '%s\n' "$messages"; return $code; }
}

# brief ARGUMENT...: runs `sst`, and prints its exit code and the first line of all that it writes.
brief() {
  local output
  output=$(sst "$@" 2>&1)
  printf '%d %s\n' $? "${output%%$'\n'*}"
}

# table FILE RECORDS [OPTION...]: builds a table of records in tsv, in which \t and \n are written so.
table() {
  printf '%b' "$2" | quiet sst build --force --compression none "$1" "${@:3}"
}

# records COUNT: prints records with keys key0000, key0001, ..., for a table of several blocks.
records() {
  seq -f %04.0f 0 $(($1 - 1)) | sed 's/.*/key&\tvalue & xxxxxxxxxxxxxxxxxxxx/'
}

# database FOLDER: a copy of tests/testdata/database. LevelDB wrote it in three runs: five entries; a new value for
# colour/banana and a deletion of colour/cherry; a new price/banana and price/pear.
database() {
  mkdir -p "$1" && cp ../testdata/database/* "$1" && chmod u+w "$1"/*
}

# db_table FOLDER NUMBER LEVEL KEY@SEQUENCE=VALUE...: builds a table with a block for each entry, for db_manifest. db_log
# FILE KEY@SEQUENCE=VALUE...: writes a log with a batch for each. db_manifest FOLDER NUMBER [STATEMENT...]: writes a MANIFEST
# of the tables so far, with statements of table_tool, and CURRENT.
db_table() {
  local file last=${*: -1}
  file=$1/$(printf %06d.ldb "$2")
  mkdir -p "$1"
  printf '%s\n' "${@:4}" | sed -E 's/(.*)@([0-9]+)=(.*)/\1\t\2\tvalue\t\3/' |
    quiet sst build --force --keys internal --compression none --filter none --block-size 1 "$file"
  echo "new $3 $2 $(size "$file") ${4%%=*} ${last%%=*}" >> "$1.tables"
}
db_log() {
  local change
  mkdir -p "${1%/*}"
  : > "$1"
  for change in "${@:2}"; do
    sed -E 's/(.*)@([0-9]+)=(.*)/put \1 \3/' <<< "$change" | write_log one $(sed -E 's/.*@([0-9]+)=.*/\1/' <<< "$change")
    cat one >> "$1"
  done
}
db_manifest() {
  local name
  name=MANIFEST-$(printf %06d "$2")
  { printf '%s\n' 'comparator leveldb.BytewiseComparator' 'log 0' 'next 100' 'last 50' "${@:3}"; cat "$1.tables"; } | table_tool manifest "$1/$name"
  echo "$name" > "$1/CURRENT"
}

# db_saved FOLDER [OPTION...]: salvages a folder, or files, and shows the outcome and the entries of each new table.
db_saved() {
  local table
  rm -rf new
  sst salvage "$@" -o new
  echo "exit $?"
  for table in new/*.ldb new/lost/*.ldb; do
    [[ ! -e $table ]] || echo "$table:" $(sst dump --keys internal --format tsv "$table" | awk -F '\t' '{print $1 "@" $2 "=" ($3 == "value" ? $4 : $3)}')
  done
}

# flip FILE OFFSET: changes a bit of the byte there.
flip() {
  local byte
  byte=$(od -An -tu1 -j"$2" -N1 "$1") || return
  put "$1" "$2" "\\x$(printf %x $((byte ^ 0x40)))"
}

# put FILE OFFSET BYTES: overwrites bytes, which are written as printf takes them.
put() {
  printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# bytes FILE OFFSET SIZE: prints some bytes of a file.
bytes() {
  tail -c +$(($2 + 1)) "$1" | head -c "$3"
}

# insert FILE OFFSET: inserts what it reads. erase FILE OFFSET SIZE: removes bytes.
insert() {
  { bytes "$1" 0 "$2"; cat; tail -c +$(($2 + 1)) "$1"; } > "$1.new" && mv "$1.new" "$1"
}
erase() {
  { bytes "$1" 0 "$2"; tail -c +$(($2 + $3 + 1)) "$1"; } > "$1.new" && mv "$1.new" "$1"
}

# size FILE: prints its size. find_in FILE PART: prints where it has the contents of another.
size() { stat -c %s "$1"; }
find_in() { table_tool find "$@"; }

# sample FILE BLOCK...: assembles a table of raw blocks, each given by its entries KEY=VALUE, or by another statement of
# `assemble`. Also writes its parts: FILE.0, FILE.1, ..., the data blocks, and FILE.meta, FILE.metaindex, FILE.index,
# FILE.footer; FILE.tail has the last three.
sample() {
  local block file=$1 last number=0 offset=0 part
  rm -f "$file".*
  for block in "${@:2}"; do
    last=${block##* }
    case $block in 'block '* | 'meta '*) echo "$block";; *) echo "block ${last%%=*} $block";; esac
  done | assemble "$file"
  last=
  while read -r offset part; do
    case $part in data) part=$((number++));; filter) part=meta;; esac
    tail -c +$((offset + 1)) "$file" > "$file.$part"
    if [[ $part = metaindex ]]; then cp "$file.metaindex" "$file.tail"; fi
    [[ -z $last ]] || truncate -s $((offset - ${last% *})) "$file.${last#* }"
    last="$offset $part"
  done < <(sst layout "$file" 2>/dev/null | awk 'NR > 2 {print $1, $3}')
}

# over FILE OFFSET PART: overwrites bytes by the contents of another file.
over() {
  dd if="$3" of="$1" bs=64K seek="$2" oflag=seek_bytes conv=notrunc status=none
}

# flipped FILE OFFSET, changed FILE OFFSET BYTES: like flip and put, in a copy named FILE!.
flipped() {
  cp "$1" "$1!" && flip "$1!" "$2"
}
changed() {
  cp "$1" "$1!" && put "$1!" "$2" "$3"
}

# zeros FILE...: prints as many zeros as the files have bytes.
zeros() {
  cat "$@" | tr '\000-\377' '\000'
}

# handle FILE PART: prints offset and size of a block of a sample. varints N...: prints numbers as they are in a handle, for
# `assemble`. footer METAINDEX INDEX: prints a footer with these handles.
handle() {
  echo "$(find_in "$1" "$2") $(($(size "$2") - 5))"
}
varints() {
  local n
  for n in "$@"; do
    for (( ; n > 127; n /= 128)); do printf '\\x%02x' $((n % 128 + 128)); done
    printf '\\x%02x' "$n"
  done
}
footer() {
  { printf "$(varints "$@")"; head -c 40 /dev/zero; } | head -c 40
  printf '\x57\xfb\x80\x8b\x24\x75\x47\xdb'
}

# tag SEQUENCE: prints what follows the user key in the internal key of a value, for `assemble`.
tag() {
  printf '\\x01\\x%02x\\x%02x\\x00\\x00\\x00\\x00\\x00' $(($1 % 256)) $(($1 / 256))
}

# v COUNT: prints the letter v as often.
v() {
  printf 'v%.0s' $(seq "$1")
}

# saved FILE...: the outcome of a salvage of these bytes on one line: the exit code, the number of blocks or ranges that are
# lost, and what is not as usual: where the index was found, whether saved entries may be another table's, and how many were
# left out; then the entries, and those that --doubtful saves. A value of many v is shown as v*COUNT.
saved() {
  local show='{value = $NF; if (value ~ /^vvvvv+$/) value = "v*" length(value); printf " %s=%s", $1, value}'
  rm -f saved apart; cat "$@" > damaged
  sst salvage --format json $options damaged -o saved --doubtful apart > report 2>/dev/null
  echo -n "$?, lost: $(grep -o '"kind":' report | wc -l)$(grep -oE '"(index|belonging_known|left_out_count|duplicates|order_known)":("found|null|false|[1-9][0-9]*)' report |
    sed 's/"index":"found/, index found/; s/"index":null/, no index/; s/"belonging_known":false/, in doubt/; s/"order_known":false/, order unknown/
      s/"left_out_count":/, entries left out: /; s/"duplicates":/, duplicates: /' |
    tr -d '\n');"
  if [[ -e saved ]]; then
    sst check -q saved
    sst dump --format tsv saved 2>/dev/null | awk -F '\t' "$show"
  fi
  if [[ -e apart ]]; then
    sed -E 's/.*"key(_hex)?":"([^"]*)".*"value(_hex)?":"([^"]*)".*/\2\t\4/' apart | awk -F '\t' 'BEGIN {printf "; apart:"}'"$show"
  fi
  echo
}

# blocks: statements for `assemble`, of 40 blocks with the keys k100 to k499.
blocks() {
  local first
  for ((first = 100; first < 500; first += 10)); do
    echo block k$((first + 9)) $(seq -f k%g=v $first $((first + 9)))
  done
}

# assemble FILE, write_log FILE SEQUENCE and seal FILE OFFSET SIZE: see ../table_tool.cc.
assemble() { table_tool assemble "$@"; }
write_log() { table_tool log "$@"; }
seal() { table_tool seal "$@"; }

# A script's own functions.
if [[ -e functions.sh ]]; then source ./functions.sh; fi
