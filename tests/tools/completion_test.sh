#!/usr/bin/env bash
# Tests the scripts of `sst completion` in bash, fish and zsh.
set -euo pipefail

sst=$PWD/tools/sst
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for shell in bash zsh fish; do "$sst" completion "$shell" >"$folder/sst.$shell"; done
cd "$folder"
export HOME=$folder

failed=0
# expect SHELL LINE WORDS: tests which words are offered for the last word of LINE.
expect() {
  local shell=$1 line=$2 expected=$3 offered
  offered=$(offer_"$shell" "$line" | LC_ALL=C sort | paste -sd ' ')
  if [[ $offered != "$expected" ]]; then
    printf '%s: "%s" offers "%s", expected "%s"\n' "$shell" "$line" "$offered" "$expected" >&2
    failed=1
  fi
}

# ---- bash ----------------------------------------------------------------------------------------
# Readline splits a line into words; here, offer_bash() splits it at spaces. A line that ends with a
# space has an empty last word.
offer_bash() {
  (
    compopt() { :; } # works only in readline
    source sst.bash
    read -ra COMP_WORDS <<<"$1"
    if [[ $1 == *' ' ]]; then COMP_WORDS+=(''); fi
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _sst
    if [[ ${#COMPREPLY[@]} -gt 0 ]]; then printf '%s\n' "${COMPREPLY[@]}"; fi
  )
}
expect bash 'sst ' '--help --version build check completion diff du dump export filter get grep help layout ls manifest manual merge report salvage sample split stats'
expect bash 'sst st' 'stats'
expect bash 'sst build --f' '--filter --filter-base-lg --force --format'
expect bash 'sst build --format ' 'csv jsonl tsv'
expect bash 'sst build --format =' 'csv jsonl tsv'
expect bash 'sst build --format = j' 'jsonl'
expect bash 'sst build --compression ' 'deflate none snappy zlib zstd'
expect bash 'sst dump --from ' ''
expect bash 'sst salvage --output ' ''
expect bash 'sst help s' 'salvage sample split stats'
expect bash 'sst help m' 'manifest manual merge'
expect bash 'sst completion ' 'bash fish zsh'
expect bash 'sst filter ' 'add compare strip'
expect bash 'sst filter --p' '--probe --probe-keys --probes'
expect bash 'sst filter add --fi' '--filter --filter-base-lg'
expect bash 'sst filter add --filter-base-lg ' 'auto'
expect bash 'sst filter strip --f' '--force --format'

# ---- fish ----------------------------------------------------------------------------------------
# fish 4 also offers words that contain the last word further on, which grep removes.
offer_fish() {
  fish -c 'source sst.fish; complete -C $argv[1]' "$1" | cut -f 1 | { grep -e "^${1##* }" || true; }
}
touch table.ldb
expect fish 'sst st' 'stats'
expect fish 'sst build --form' '--format'
expect fish 'sst build --format ' 'csv jsonl tsv'
expect fish 'sst salvage --compression z' 'zlib zstd'
expect fish 'sst salvage -o tab' 'table.ldb'
expect fish 'sst check tab' 'table.ldb'
expect fish 'sst dump --limit tab' ''
expect fish 'sst help s' 'salvage sample split stats'
expect fish 'sst help m' 'manifest manual merge'
expect fish 'sst completion ' 'bash fish zsh'
expect fish 'sst filter str' 'strip'
expect fish 'sst filter --p' '--probe --probe-keys --probes'
expect fish 'sst filter strip --f' '--force --format'
expect fish 'sst filter strip --p' ''

# ---- zsh -----------------------------------------------------------------------------------------
# zsh's own functions need a terminal. Replacements show the words that they are given.
offer_zsh() {
  LINE=$1 zsh -f <<'END'
compdef() { }
compadd() { print -rl -- "$@" }
_describe() { print -rl -- ${${(P)2}%%:*} }
_arguments() {
  local spec
  for spec in "$@"; do
    case $words[CURRENT-1]:$words[CURRENT]:$spec in
      (--*::*) [[ $spec == *$words[CURRENT-1]=* ]] && print -rl -- ${=${${spec##*:}//[()]/}} ;;
      (*) [[ $spec == $words[CURRENT]* ]] && print -r -- ${spec%%[=\[]*} ;;
    esac
  done
}
source ./sst.zsh
words=(${(s: :)LINE})
[[ $LINE == *' ' ]] && words+=('')
CURRENT=$#words
_sst || true  # returns false if it offers nothing
END
}
expect zsh 'sst ' 'build check completion diff du dump export filter get grep help layout ls manifest manual merge report salvage sample split stats'
expect zsh 'sst build --f' '--filter --filter-base-lg --force --format'
expect zsh 'sst build --format ' 'csv jsonl tsv'
expect zsh 'sst salvage --output ' '_files'
expect zsh 'sst completion ' 'bash fish zsh'
expect zsh 'sst filter x' 'add compare strip'
expect zsh 'sst filter --p' '--probe --probe-keys --probes'
expect zsh 'sst filter add --filter-b' '--filter-base-lg'

exit "$failed"
