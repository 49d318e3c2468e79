#!/usr/bin/env bash
# Runs the first command of python/README.md in a copy of the sources. CMake must compile the
# library, and the package must work.
set -euo pipefail
mkdir "$TEST_TMPDIR/checkout"
cp -RL CMakeLists.txt LICENSE pyproject.toml cmake c db decode filter include keys python table util "$TEST_TMPDIR/checkout"
rm -rf "$TEST_TMPDIR/checkout/python/sstable/lib"
cp tests/testdata/leveldb-1.23-elements.ldb "$TEST_TMPDIR/table.ldb"
/usr/bin/python3 -m venv "$TEST_TMPDIR/venv"
cd "$TEST_TMPDIR/checkout"
read -ra install < <(sed -n '/^pip install/s/#.*//p' python/README.md)
PATH=$TEST_TMPDIR/venv/bin:$PATH CMAKE_BUILD_TYPE=Debug CMAKE_GENERATOR=Ninja PIP_NO_INDEX=1 PIP_NO_CACHE_DIR=1 \
  PIP_DISABLE_PIP_VERSION_CHECK=1 "${install[@]}" --quiet
cd "$TEST_TMPDIR"
env -i venv/bin/python -I -c '
import sstable
with sstable.open("table.ldb") as table:
  assert len(list(table)) == 627 and "venv" in sstable.__file__'
