#!/usr/bin/env bash
# The C example must print the expected output, and fail when it should.
set -euo pipefail

output=$("$1" "$TEST_TMPDIR/colors.ldb")
[[ $output == $'apple is red\napple\nbanana' ]]
if "$1" "$TEST_TMPDIR/missing/colors.ldb" 2>"$TEST_TMPDIR/error"; then exit 1; fi
grep -q "^error 5: $TEST_TMPDIR/missing/colors.ldb" "$TEST_TMPDIR/error"
