#!/usr/bin/env bash
# Compiles the library and `sst` for 64-bit ARM and runs them with qemu. The core's tests must pass,
# using vectors, and tables must equal those made by this processor, byte for byte.
# Usage: aarch64_test.sh SST, where SST is this processor's.
. tests/support/bare_debian.sh
sst=$PWD/$1
skip_without aarch64-linux-gnu-g++ qemu-aarch64

# The libraries are only linked with: debootstrap resolves and downloads them, dpkg unpacks them.
export SYSROOT=$TEST_TMPDIR/sysroot
packages=libc6-dev,libstdc++-12-dev,libabsl-dev,libhwy-dev,libisal-dev,libxxhash-dev,libsnappy-dev
packages+=,libzstd-dev,zlib1g-dev,libbz2-dev,liblz4-dev,libcli11-dev,nlohmann-json3-dev,libre2-dev
packages+=,libcurl4-openssl-dev,libsqlite3-dev,libgmock-dev,libleveldb-dev
make_debian "$SYSROOT" --foreign --arch=arm64 --include="$packages"
for package in "$SYSROOT"/var/cache/apt/archives/*.deb; do dpkg -x "$package" "$SYSROOT"; done

built=$TEST_TMPDIR/built
quietly cmake -G Ninja -S tests/aarch64 -B "$built" -DCMAKE_BUILD_TYPE=Debug \
  -DCMAKE_CXX_FLAGS_DEBUG=-O1 -DCMAKE_TOOLCHAIN_FILE="$PWD/tests/aarch64/toolchain.cmake"
quietly cmake --build "$built"
run() { qemu-aarch64 -L "$SYSROOT" "$@"; }

# Death tests are skipped, since a program under qemu can't start itself again.
for program in "$built"/*_tests; do
  quietly run "$program" --gtest_filter='-*DeathTest.*'
  tail -n 1 "$TEST_TMPDIR/log" | sed "s,^,${program##*/}: ,"
done

cd "$TEST_TMPDIR"
seq 100000 100 900000 | awk '{ printf "key%d/%x\tvalue %d %s\n", $1, $1 * 7919, $1 % 1000, substr("abcdefghijklmnop", $1 % 13) }' >rows.tsv
while read -ra options; do
  "$sst" build here.ldb rows.tsv --force "${options[@]}" 2>/dev/null
  run "$built/sstable/sst" build there.ldb rows.tsv --force "${options[@]}" 2>/dev/null
  cmp here.ldb there.ldb || fail "another table with ${options[*]}"
  [[ $(run "$built/sstable/sst" check here.ldb) == "here.ldb: ok, 8001 entries"* ]] || fail "check finds something"
done <<'END'
--compression none
--compression snappy --filter bloom:10
--compression zstd --filter bloom:1% --block-size 1000
--compression zlib --filter none --table-filter blocked:10
--restart-interval 4 --table-filter blocked:10 --table-filter-prefixes first:3
--table-filter fuse8
--table-filter fuse16 --filter bloom:24
END
