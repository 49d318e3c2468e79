#!/usr/bin/env bash
# Compiles the library with only Abseil and without pkg-config, and runs the tests that need nothing
# else. Then leaves out only one codec; the installed package must not require it.
set -euo pipefail
fail() {
  echo "$1" >&2
  exit 1
}
quietly() { "$@" >"$TEST_TMPDIR/log" 2>&1 || { cat "$TEST_TMPDIR/log"; fail "failed: $*"; }; }

without=()
for name in SNAPPY ZSTD ZLIB LZ4 BZIP2 ISAL HIGHWAY XXHASH; do without+=("-DSSTABLE_WITH_$name=OFF"); done
debug=(-DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0)
quietly cmake -G Ninja -S . -B "$TEST_TMPDIR/built" -DSSTABLE_TESTS=ON -DSSTABLE_TOOL=OFF \
  "${debug[@]}" "${without[@]}" -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON
quietly cmake --build "$TEST_TMPDIR/built"
(cd "$TEST_TMPDIR/built" && ctest --verbose)
needed=$(ldd "$TEST_TMPDIR/built/tests/core/core_tests" | grep -E 'libz|snappy|lz4|bz2|isal|hwy|xxh' || true)
[[ -z $needed ]] || fail "it is linked with $needed"

quietly cmake -G Ninja -S . -B "$TEST_TMPDIR/one" "${debug[@]}" -DSSTABLE_TOOL=OFF -DSSTABLE_WITH_LZ4=OFF
grep -q '^Requires.private: .*snappy' "$TEST_TMPDIR/one/sstable.pc" || fail "sstable.pc does not name snappy"
if grep lz4 "$TEST_TMPDIR"/one/sstable{.pc,Config.cmake}; then fail "LZ4 is left out, but asked for"; fi
quietly ninja -C "$TEST_TMPDIR/one" CMakeFiles/sstable_objects.dir/table/block/codec_{absent,snappy}.cc.o
