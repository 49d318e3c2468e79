#!/usr/bin/env bash
# `sst manual` prints a page that man(1) accepts without warnings. It has everything in the
# commands' help: the options, and the examples verbatim.
set -euo pipefail

sst=$PWD/tools/sst
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$sst" manual >"$folder/sst.1"
complaints=$(groff -man -ww -z "$folder/sst.1" 2>&1)
if [[ -n $complaints ]]; then
  printf 'groff: %s\n' "$complaints" >&2
  exit 1
fi
# Formats the page as plain ASCII, without bold or underlined letters.
GROFF_NO_SGR=1 groff -man -Tascii "$folder/sst.1" | sed 's/.\x08//g' >"$folder/page"

failed=0
expect() {
  if ! grep -qF -- "$1" "$folder/page"; then
    printf 'not in the manual page: %s\n' "$1" >&2
    failed=1
  fi
}
commands=$("$sst" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z ]*[a-z]\)  .*/\1/p')
[[ $(wc -l <<<"$commands") -ge 10 ]]
while read -r command; do
  expect "sst $command [OPTIONS]"
  # shellcheck disable=SC2086 # some are of two words
  "$sst" $command --help >"$folder/help"
  while read -r line; do expect "$line"; done < <(
    sed -n '/^Options:/,/^$/s/^  -/-/p' "$folder/help" | sed 's/   *[^ ].*//'
    sed -n '/^Examples:/,$s/^  //p' "$folder/help"
  )
done <<<"$commands"
exit "$failed"
