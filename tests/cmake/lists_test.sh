#!/usr/bin/env bash
# cmake/sources.cmake must list exactly the parts of //:sstable. No build may turn warnings into
# errors.
set -euo pipefail
export LC_ALL=C
queries=tests/cmake
failed=0

# compare WHAT EXPECTED FOUND: the last two are lists of lines in any order.
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

# listed NAME: prints the lines of this list in cmake/sources.cmake.
listed() { cmake -DLIST="$1" -P "$TEST_TMPDIR/print.cmake" 2>&1 | tr ';' '\n'; }

# These print the contents of QUERY: sources as paths, and parts of Abseil and other libraries by
# CMake's names.
sources() { sed -n 's,^//\(.*\):\(.*\.cc\)$,\1/\2,p' "$1"; }
abseil() { sed -n 's,^@com_google_absl//absl/algorithm:,algorithm_,p; s,^@com_google_absl//absl/.*:,,p' "$1"; }
others() { grep '^@.*//:' "$1" | grep -v '^@com_google_absl' | sed 's/.*://'; }
# names LIST...: converts names of pkg-config and linkers to Bazel's.
names() { for list in "$@"; do listed "$list"; done | sed 's/^lib//; s/^nlohmann_//' | tr '[:upper:]' '[:lower:]'; }

query=$queries/made_of
compare "line of SSTABLE_SOURCES" "$(sources $query)" "$(listed SSTABLE_SOURCES)"
compare "line of SSTABLE_ABSEIL" "$(abseil $query)" "$(listed SSTABLE_ABSEIL)"
compare "line of SSTABLE_PACKAGES (lib left out) or SSTABLE_OTHER_LIBRARIES" \
  "$(others $query)" "$(names SSTABLE_PACKAGES SSTABLE_OTHER_LIBRARIES)"
query=$queries/sst_is_made_of
compare "line of SST_SOURCES" "$(sources $query)" "$(listed SST_SOURCES)"
compare "line of SQLITE_SOURCES" "$(sources $queries/sqlite_is_made_of)" "$(listed SQLITE_SOURCES)"
compare "line of PYTHON_SOURCES" "$(sources $queries/python_is_made_of)" "$(listed PYTHON_SOURCES)"
compare "line of SST_ABSEIL" "$(abseil $query)" "$(listed SST_ABSEIL)"
compare "line of SST_PACKAGES" "$(others $query)" "$(names SST_PACKAGES)"
if [[ -s $queries/with_own_flags ]]; then
  echo "CMakeLists.txt does not have the copts, defines, includes or linkopts of these:" >&2
  cat $queries/with_own_flags >&2
  failed=1
fi
if grep '^build .*-Werror' .bazelrc >&2; then
  echo "that ends the builds of those whose compiler warns of more" >&2
  failed=1
fi
exit $failed
