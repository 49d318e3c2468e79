#!/usr/bin/env bash
# Building the wheel twice must give the same bytes. pip must install it without network, compiler
# or other packages, and it must need no system libraries except the compiler's own.
set -euo pipefail
fail() {
  echo "$1" >&2
  exit 1
}

library=$PWD/c/libsstable_c.so
if grep -qE '__(asan|tsan|ubsan)_' "$library"; then
  echo "Skipped: a sanitizer's library can't be loaded into Python."
  exit 0
fi
export LC_ALL=C.UTF-8
build() { /usr/bin/python3 -B python/build_wheel.py "$1" "$library"; }
wheel=$(build "$TEST_TMPDIR/dist")
cmp "$wheel" "$(build "$TEST_TMPDIR/again")" || fail "built twice, it differs"

# Nothing on this machine may help: the environment, library paths and packages are hidden.
/usr/bin/python3 -m venv "$TEST_TMPDIR/venv"
python=$TEST_TMPDIR/venv/bin/python
env -i PATH=/nowhere "$python" -m pip install --quiet --no-index --no-cache-dir \
  --disable-pip-version-check "$wheel"
# The metadata that pip can get without compiling must be the wheel's.
info=$(cd python && /usr/bin/python3 -B -c 'import build_wheel, sys
print(build_wheel.prepare_metadata_for_build_wheel(sys.argv[1]))' "$TEST_TMPDIR")
for name in METADATA WHEEL; do
  cmp "$TEST_TMPDIR/$info/$name" "$TEST_TMPDIR"/venv/lib/python3*/site-packages/"$info/$name" ||
    fail "$name was another before"
done
cp tests/testdata/leveldb-1.23-elements.ldb "$TEST_TMPDIR/table.ldb"
cd "$TEST_TMPDIR"
env -i "$python" -I - <<'PYTHON'
import sstable
with sstable.open("table.ldb") as table:
    entries = list(table)
    assert len(entries) == 627 and table.check().ok
for compression in ("none", "snappy", "zstd", "zlib"):
    with sstable.Writer("copy.ldb", filter="bloom:10", table_filter="fuse8", replace=True,
                        compression=compression) as writer:
        writer.put_many(entries)
    with sstable.open("copy.ldb") as table:
        assert list(table) == entries and table.get_many(k for k, _ in entries)
        assert table.filter_error is None
assert sstable.__file__.startswith("/") and "venv" in sstable.__file__
PYTHON

# Libraries in the wheel may need only each other and the compiler's.
inside=$(cd venv/lib/python3*/site-packages/sstable/lib && pwd)
others=$(ldd "$inside"/libsstable_c.so | grep '=>' | grep -v " => $inside/" |
  grep -vE '^[[:space:]]*lib(c|m|gcc_s|stdc\+\+)\.so' || true)
[[ -z $others ]] || fail "needs libraries of the system: $others"
notices=$(ls "$inside"/../../sstable-*/licenses)
for name in LICENSE libabsl libsnappy; do
  grep -q "^$name" <<<"$notices" || fail "no licence of $name among $notices"
done
(($(stat -c %s "$wheel") < 6 << 20)) || fail "$(stat -c %s "$wheel") bytes is too large"
"$python" -m pip uninstall --quiet --yes sstable
[[ ! -e $inside ]] || fail "pip leaves something"
