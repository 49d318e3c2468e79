#!/usr/bin/env bash
# tests/matrix.sh PART...   Tests the platforms of docs/building.md that ./test.sh --all leaves out.
# Needs root. Each part takes less than an hour on two cores:
#   debian13    ./test.sh in a bare Debian 13
#   compilers   tests/core/compilers.sh with the compilers of Debian 13
#   linux windows macos   `sst` in one file
#   wheels      wheels for Linux and Windows
set -euo pipefail
cd "$(dirname "$0")/.."
TEST_TMPDIR=$(mktemp -d)
trap 'rm -rf "$TEST_TMPDIR"' EXIT
. tests/support/bare_debian.sh
skip_without
version=$(sed -n 's/#define SSTABLE_VERSION "\(.*\)"/\1/p' include/sstable/version.h)

# in_debian_13 COMMANDS: runs them in a clone of this commit.
in_debian_13() (
  root=$TEST_TMPDIR/debian
  RELEASE=trixie make_debian "$root" --include=ca-certificates,git
  cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d"
  cp /etc/resolv.conf /etc/hosts "$root/etc"
  git clone --quiet . "$root/sstable"
  # The mounts exist only in this namespace, so removing the folder can't reach what is mounted.
  cleanly unshare --mount sh -ec '
    for folder in dev proc sys; do mount --rbind "/$folder" "$0/$folder"; done
    exec chroot "$0" bash -ec "cd /sstable; $1"' "$root" "$1"
)

for part in "${@:?usage: tests/matrix.sh PART...}"; do
  case $part in
    debian13) in_debian_13 ./test.sh ;;
    compilers)
      in_debian_13 'scripts/setup.sh test
        apt-get -qq install g++-13 clang-{17,19} ninja-build > /dev/null
        tests/core/compilers.sh g++-14 clang++-17 clang++-19
        # For the runtime of GoogleTest, which Debian 13 compiles with GCC 14.
        LDFLAGS=-L/usr/lib/gcc/x86_64-linux-gnu/14 tests/core/compilers.sh g++-13' ;;
    linux) tests/release/run.sh ;;
    windows) tests/windows/run.sh ;;
    macos)
      scripts/release.sh "$version" macos-{aarch64,x86_64}
      tests/release/macos.sh dist/sst-"$version"-macos-* ;;
    wheels)
      scripts/release.sh "$version" manylinux-{x86_64,aarch64} linux-x86_64 windows-x86_64
      tests/release/wheels.sh dist/*.whl ;;
    *) fail "no such part: $part" ;;
  esac
done
