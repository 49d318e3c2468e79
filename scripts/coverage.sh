#!/usr/bin/env bash
# Which lines of the library and of `sst` the tests run, by folder, as gcov counts them.
# Usage: scripts/coverage.sh [TEST...]   By default those of ./test.sh; other arguments of Bazel may be among them.
set -euo pipefail
cd "$(dirname "$0")/.."

quietly=(--ui_event_filters=-info --noshow_progress)
if [[ $# -eq 0 ]]; then set -- //... --test_tag_filters=-second_tier --build_tag_filters=-second_tier; fi
objects=$(bazel info --config=coverage "${quietly[@]}" bazel-bin)
if [[ -d $objects ]]; then find "$objects" -name '*.gcda' -delete; fi
# Objects think that they are compiled in /proc/self/cwd; their counts go where they really are.
bazel test --config=coverage "${quietly[@]}" --test_env=GCOV_PREFIX="${objects%/bazel-out/*}" \
  --test_env=GCOV_PREFIX_STRIP=3 "$@"
exec python3 -B scripts/coverage_by_folder.py "$objects"
