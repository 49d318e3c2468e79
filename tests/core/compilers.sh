#!/usr/bin/env bash
# tests/core/compilers.sh COMPILER...   With each compiler, in C++17, 20 and 23, every header of the
# API must compile without warnings when it is included first. In the newest of them that works with
# the compiler and its library, core_test.sh must pass.
set -euo pipefail
cd "$(dirname "$0")/../.."
TEST_TMPDIR=$(mktemp -d)
export TEST_TMPDIR
trap 'rm -rf "$TEST_TMPDIR"' EXIT
for compiler in "${@:?usage: tests/core/compilers.sh COMPILER...}"; do
  newest=
  for standard in c++17 c++20 c++2b; do
    # Clang 17 can't compile this with the library of GCC 14 in C++23.
    echo '#include <map>
      int Find(std::map<long, int> map) { return map[1]; }' |
      "$compiler" "-std=$standard" -x c++ -fsyntax-only - 2> "$TEST_TMPDIR/log" || continue
    newest=$standard
    for header in $(cd include && find . -name '*.h' -printf '%P\n'); do
      printf '#include "%s"\n' "$header" |
        "$compiler" "-std=$standard" -fno-exceptions -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror \
          -I include -x c++ -fsyntax-only - || { echo "failed: $compiler $standard $header" >&2; exit 1; }
    done
  done
  CXX=$compiler CXXFLAGS=-std=$newest tests/core/core_test.sh > "$TEST_TMPDIR/core.log" ||
    { cat "$TEST_TMPDIR/core.log"; echo "failed: $compiler $newest core_test.sh" >&2; exit 1; }
  echo "$compiler: headers up to $newest; $(grep -o '[0-9]* tests.* ran' "$TEST_TMPDIR/core.log")"
  rm -rf "$TEST_TMPDIR"/*
done
