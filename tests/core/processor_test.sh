#!/usr/bin/env bash
# The library with Abseil alone is compiled for another processor and run by qemu, and passes the tests of
# core_test.sh: tables are LevelDB's bytes.
# Usage: processor_test.sh ARCHITECTURE, as Debian calls it: s390x is big-endian, i386 has 32 bits.
. tests/support/bare_debian.sh
case $1 in
  i386) compiler=i686-linux-gnu-g++ library=i386-linux-gnu ;;
  s390x) compiler=s390x-linux-gnu-g++ library=s390x-linux-gnu ;;
  *) fail "$1 is not known" ;;
esac
skip_without "$compiler" "qemu-$1"

# The libraries, of which nothing is run: debootstrap finds and fetches them, dpkg unpacks them.
sysroot=$TEST_TMPDIR/sysroot
make_debian "$sysroot" --foreign "--arch=$1" --include=libc6-dev,libstdc++-12-dev,libabsl-dev,libgmock-dev
for package in "$sysroot"/var/cache/apt/archives/*.deb; do dpkg -x "$package" "$sysroot"; done

without=()
for name in SNAPPY ZSTD ZLIB LZ4 BZIP2 ISAL HIGHWAY XXHASH; do without+=("-DSSTABLE_WITH_$name=OFF"); done
built=$TEST_TMPDIR/built
quietly cmake -G Ninja -S tests/core -B "$built" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 \
  -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$1" -DCMAKE_LIBRARY_ARCHITECTURE="$library" \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_SYSROOT="$sysroot" -DCMAKE_FIND_ROOT_PATH_MODE_PROGRAM=NEVER \
  -DCMAKE_FIND_ROOT_PATH_MODE_{LIBRARY,INCLUDE,PACKAGE}=ONLY "${without[@]}"
quietly cmake --build "$built"
# A death test starts its program anew, which qemu can't; 4 GiB take it too long.
"qemu-$1" -L "$sysroot" "$built/core_tests" --gtest_filter='-*DeathTest.*:*CoversMoreThanFourGigabytes'
