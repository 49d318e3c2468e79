#!/usr/bin/env bash
# The model of DatabaseView::Open() must hold, and must fail without any single step of the
# protocol.
# To see the interleaving that Spin finds: tests/model/model_test.sh STEP BATCHES REOPENS
set -euo pipefail

model=$PWD/tests/model/database_view.pml
if ! command -v spin >/dev/null; then
  echo "skipped: needs Debian's package spin"
  exit 0
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# search STEP BATCHES REOPENS: tries all interleavings without this step.
search() {
  options=("-DWITHOUT=$1" "-DBATCHES=$2" "-DREOPENS=$3")
  rm -f ./*.trail
  spin -a "${options[@]}" "$model" >said
  cc -O2 -w -DSAFETY -DCOLLAPSE -o pan pan.c
  ./pan -m100000 >said 2>&1
  if ! grep -q 'errors: ' said || grep -qE 'error: |out of memory' said; then
    cat said >&2
    exit 1
  fi
  echo "without $1, $2 batches, $3 reopens: $(grep -oE 'errors: [0-9]+' said)," \
    "$(grep -oE '[0-9]+ states, stored' said)"
}

if [[ $# -eq 3 ]]; then
  search "$@"
  if [[ -e database_view.pml.trail ]]; then spin -t -p "${options[@]}" "$model" | grep ' proc '; fi
  exit
fi

failed=0
for size in '3 1' '2 2'; do
  # shellcheck disable=SC2086
  search 0 $size
  grep -q 'errors: 0' said || failed=1
done
steps=$(grep -cE '^#define [A-Z_]+ [1-9] +/' "$model")
for ((step = 1; step <= steps; ++step)); do
  search "$step" 1 2
  if grep -q 'errors: 0' said; then search "$step" 3 1; fi
  grep -q 'errors: 1' said || failed=1
done
exit "$failed"
