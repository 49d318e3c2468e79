#!/usr/bin/env bash
# chromium_test.sh SST   Runs chromium_test.mjs if Node and Chromium are installed.
set -euo pipefail
for program in node chromium; do
  if ! command -v "$program" > /dev/null; then
    echo "skipped: there is no $program"
    exit 0
  fi
done
exec node tests/decode/chromium_test.mjs "$1"
