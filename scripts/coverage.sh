#!/usr/bin/env bash
# Shows which lines of the library and of `sst` the tests run, by folder, as counted by gcov.
# Usage: scripts/coverage.sh [TEST...]   By default, the tests of ./test.sh. Other arguments
# for Bazel may be given, too.
set -euo pipefail
cd "$(dirname "$0")/.."

quietly=(--ui_event_filters=-info --noshow_progress)
if [[ $# -eq 0 ]]; then set -- //... --test_tag_filters=-second_tier --build_tag_filters=-second_tier; fi
objects=$(bazel info --config=coverage "${quietly[@]}" bazel-bin)
if [[ -d $objects ]]; then find "$objects" -name '*.gcda' -delete; fi
# Object files have the path /proc/self/cwd, so counters are redirected to the real folder.
bazel test --config=coverage "${quietly[@]}" --test_env=GCOV_PREFIX="${objects%/bazel-out/*}" \
  --test_env=GCOV_PREFIX_STRIP=3 "$@"
exec python3 -B scripts/coverage_by_folder.py "$objects"
