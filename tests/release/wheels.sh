#!/usr/bin/env bash
# tests/release/wheels.sh WHEEL...   Tests wheels of a release without a compiler: `twine check`,
# `auditwheel show`, and reading and writing a table. For glibc: on x86-64 in a bare Debian 12 and
# 13, on aarch64 with qemu and Debian's Python packages. For musl: only the library, with a C
# program and Debian's musl, which auditwheel does not know. For Windows: the library, with a C
# program and wine. Needs root, debootstrap, qemu-user, musl-tools, wine, PyPI, and the compiler of
# scripts/release.sh.
set -euo pipefail
wheels=()
for wheel in "${@:?usage: tests/release/wheels.sh WHEEL...}"; do wheels+=("$(realpath "$wheel")"); done
cd "$(dirname "$0")/../.."
TEST_TMPDIR=$(mktemp -d)
remove_all() { trap 'rm -rf "$TEST_TMPDIR"' EXIT; }
remove_all
. tests/support/bare_debian.sh
skip_without qemu-aarch64 musl-gcc wine
zig=${BUILD:-$PWD/dist/build}/python/bin/python
python3 -m venv "$TEST_TMPDIR/venv"
quietly "$TEST_TMPDIR/venv/bin/pip" install twine auditwheel
quietly "$TEST_TMPDIR/venv/bin/twine" check --strict "${wheels[@]}"

cat > "$TEST_TMPDIR/try.py" <<'END'
import sys
import sstable
with sstable.open(sys.argv[1]) as table:
    entries = list(table)
    assert table[b"gold/symbol"] == b"Au" and len(entries) == 627 and table.check().ok
for compression in ("none", "snappy", "zstd", "zlib"):
    with sstable.Writer("copy.ldb", filter="bloom:10", table_filter="fuse8", replace=True,
                        compression=compression) as writer:
        writer.put_many(entries)
    with sstable.open("copy.ldb") as table:
        assert list(table) == entries and table.filter_error is None
END
table=$PWD/tests/testdata/leveldb-1.23-elements.ldb

# in_debian RELEASE WHEEL
in_debian() (
  root=$TEST_TMPDIR/$1
  if [[ ! -d $root ]]; then RELEASE=$1 make_debian "$root" --include=python3-venv; fi
  trap - EXIT  # done by remove_all()
  cp "$2" "$TEST_TMPDIR/try.py" "$root/root"
  cp "$table" "$root/root/table.ldb"
  quietly chroot "$root" sh -ec 'cd /root; ! command -v cc g++; python3 -m venv --clear venv
    venv/bin/pip install --no-index ./*.whl; venv/bin/python try.py table.ldb'
  rm "$root/root/${2##*/}"
  echo "${2##*/}: in a bare Debian, $1"
)

for wheel in "${wheels[@]}"; do
  name=${wheel##*/}
  if [[ $name == *manylinux* ]]; then
    quietly "$TEST_TMPDIR/venv/bin/auditwheel" show "$wheel"
    tr '\n' ' ' < "$TEST_TMPDIR/log" | grep -q 'platform tag: *"manylinux_2_\(5\|12\|17\)_' || fail "$(cat "$TEST_TMPDIR/log")"
  fi
  rm -rf "$TEST_TMPDIR/unpacked"
  "$TEST_TMPDIR/venv/bin/python" -m zipfile -e "$wheel" "$TEST_TMPDIR/unpacked"
  case $name in
    *manylinux*x86_64.whl)
      in_debian bookworm "$wheel"
      in_debian trixie "$wheel" ;;
    *manylinux*aarch64.whl)
      root=$TEST_TMPDIR/arm64
      make_debian "$root" --foreign --arch=arm64 --include=python3
      remove_all
      for package in "$root"/var/cache/apt/archives/*.deb; do dpkg -x "$package" "$root"; done
      (cd "$TEST_TMPDIR" && PYTHONPATH=unpacked quietly qemu-aarch64 -L "$root" "$root/usr/bin/python3" try.py "$table")
      echo "$name: by qemu" ;;
    *musllinux*x86_64.whl)
      musl-gcc -Iinclude examples/embed/c/main.c "$TEST_TMPDIR/unpacked/sstable/lib/libsstable_c.so" \
        -Wl,-rpath,"$TEST_TMPDIR/unpacked/sstable/lib" -o "$TEST_TMPDIR/in_c"
      [[ $("$TEST_TMPDIR/in_c" "$TEST_TMPDIR/1.ldb") == *"apple is red"* ]] || fail "$name: from C"
      echo "$name: from C" ;;
    *win_amd64.whl)
      cp "$TEST_TMPDIR/unpacked/sstable/lib/libsstable_c.so" "$TEST_TMPDIR"  # beside the program
      "$zig" -m ziglang cc -target x86_64-windows-gnu -Iinclude examples/embed/c/main.c \
        "$TEST_TMPDIR/libsstable_c.so" -o "$TEST_TMPDIR/in_c.exe"
      printed=$(WINEPREFIX=$TEST_TMPDIR/wine WINEDEBUG=-all \
        wine "$TEST_TMPDIR/in_c.exe" "$TEST_TMPDIR/2.ldb" 2> "$TEST_TMPDIR/log")
      [[ $printed == *"apple is red"* ]] || fail "$name: from C"
      echo "$name: from C, by wine" ;;
    *) echo "$name: not run" ;;
  esac
done
