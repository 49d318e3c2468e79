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
