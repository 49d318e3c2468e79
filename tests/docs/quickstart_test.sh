#!/usr/bin/env bash
# Runs the tour of quickstart.sh, without its build. Each step must exit as the tour says.
set -euo pipefail

mkdir -p "$TEST_TMPDIR/clone/bazel-bin/tools"
cp -L tools/sst "$TEST_TMPDIR/clone/bazel-bin/tools"
cp -LR tests "$TEST_TMPDIR/clone"
tour=$(sed -n '/^# ---- demo/,$p' quickstart.sh)
cd "$TEST_TMPDIR/clone"

output=$(TMPDIR=$TEST_TMPDIR bash -euo pipefail -c "$tour" 2>&1) || {
  echo "$output"
  exit 1
}
echo "$output"
[[ $(grep -c '^\$ ' <<<"$output") -ge 8 ]]
[[ -z $(find "$TEST_TMPDIR" -maxdepth 1 -name 'tmp.*') ]]  # it removes its files
