#!/usr/bin/env bash
# Compiles the library with only Abseil for another processor, and runs the tests of core_test.sh
# with qemu: tables must be LevelDB's, byte for byte.
# Usage: processor_test.sh ARCHITECTURE, in Debian's terms: s390x is big-endian, armhf and i386 have
# 32 bits.
. tests/support/bare_debian.sh
case $1 in
  armhf) qemu=qemu-arm library=arm-linux-gnueabihf compiler=$library-g++ ;;
  i386) qemu=qemu-i386 library=i386-linux-gnu compiler=i686-linux-gnu-g++ ;;
  s390x) qemu=qemu-s390x library=s390x-linux-gnu compiler=$library-g++ ;;
  *) fail "$1 is not known" ;;
esac
skip_without "$compiler" "$qemu"

# The libraries are only linked with: debootstrap resolves and downloads them, dpkg unpacks them.
sysroot=$TEST_TMPDIR/sysroot
make_debian "$sysroot" --foreign "--arch=$1" --include=libc6-dev,libstdc++-12-dev,libabsl-dev,libgmock-dev
for package in "$sysroot"/var/cache/apt/archives/*.deb; do dpkg -x "$package" "$sysroot"; done

without=()
for name in SNAPPY ZSTD ZLIB LZ4 BZIP2 ISAL HIGHWAY XXHASH; do without+=("-DSSTABLE_WITH_$name=OFF"); done
built=$TEST_TMPDIR/built
quietly cmake -G Ninja -S . -B "$built" -DSSTABLE_TESTS=ON -DSSTABLE_TOOL=OFF -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 \
  -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$1" -DCMAKE_LIBRARY_ARCHITECTURE="$library" \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_SYSROOT="$sysroot" -DCMAKE_FIND_ROOT_PATH_MODE_PROGRAM=NEVER \
  -DCMAKE_FIND_ROOT_PATH_MODE_{LIBRARY,INCLUDE,PACKAGE}=ONLY "${without[@]}"
quietly cmake --build "$built"
# Death tests are skipped, since a program under qemu can't start itself again; 4 GiB would take too
# long.
"$qemu" -L "$sysroot" "$built/tests/core/core_tests" --gtest_filter='-*DeathTest.*:*CoversMoreThanFourGigabytes'
