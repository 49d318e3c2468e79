#!/usr/bin/env bash
# cmake/sources.cmake lists what //:sstable is made of, and nothing else.
set -euo pipefail
export LC_ALL=C
queries=tests/cmake
failed=0

# compare WHAT EXPECTED FOUND: the last two are lines in any order.
compare() {
  if [[ -z $2 ]]; then
    echo "the query for each $1 finds none" >&2
    failed=1
  elif ! diff <(sort -u <<<"$2") <(sort <<<"$3") >"$TEST_TMPDIR/diff"; then
    sed -n "s/^</missing $1:/p; s/^>/not a $1:/p" "$TEST_TMPDIR/diff" >&2
    failed=1
  fi
}

# shellcheck disable=SC2016  # for CMake
printf 'include(cmake/sources.cmake)\nmessage("${${LIST}}")\n' >"$TEST_TMPDIR/print.cmake"

# listed NAME: the lines of that list in cmake/sources.cmake.
listed() { cmake -DLIST="$1" -P "$TEST_TMPDIR/print.cmake" 2>&1 | tr ';' '\n'; }

# A label as a path.
as_paths() { sed 's,^//,,; s,:,/,'; }

compare "line of SSTABLE_SOURCES" \
  "$(grep '^//.*\.cc$' $queries/made_of | as_paths)" "$(listed SSTABLE_SOURCES)"
compare "line of SSTABLE_ABSEIL" \
  "$(sed -n 's,^@com_google_absl//absl/.*:,,p' $queries/made_of)" "$(listed SSTABLE_ABSEIL)"
compare "line of SSTABLE_PACKAGES (lib left out) or SSTABLE_OTHER_LIBRARIES" \
  "$(grep '^@.*//:' $queries/made_of | grep -v '^@com_google_absl' | sed 's/.*://')" \
  "$(listed SSTABLE_PACKAGES | sed 's/^lib//'; listed SSTABLE_OTHER_LIBRARIES)"
if [[ -s $queries/with_own_flags ]]; then
  echo "CMakeLists.txt does not have the copts, defines, includes or linkopts of these:" >&2
  cat $queries/with_own_flags >&2
  failed=1
fi
exit $failed
