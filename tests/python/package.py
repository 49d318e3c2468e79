"""Imports this tree's package as `sstable`. Ends the process if its library can't be loaded."""

import os
import sys

LIBRARY = "python/sstable/lib/libsstable_c.so"
TABLES = "tests/testdata/"

with open(LIBRARY, "rb") as _file:
  _contents = _file.read()
if any(name in _contents for name in (b"__asan_", b"__tsan_", b"__ubsan_")):
  print("Skipped: a sanitizer's library can't be loaded into Python.")
  sys.exit(0)
sys.path.insert(0, os.path.abspath("python"))
import sstable  # pylint: disable=wrong-import-position,unused-import


def elements():
  """Returns the entries of leveldb-1.23-elements.ldb."""
  with open(TABLES + "elements.tsv", "rb") as file:
    return [tuple(line.rstrip(b"\n").split(b"\t")) for line in file]


def temporary(name):
  return os.path.join(os.environ["TEST_TMPDIR"], name)


def _split(data, offsets):
  data = data.tobytes()
  return [data[start:end] for start, end in zip(offsets[:-1], offsets[1:])]


def of_arrays(parts):
  """Returns the pairs of key and value in the result of scan_arrays()."""
  return [entry for part in parts for entry in zip(_split(part.keys, part.key_offsets),
                                                   _split(part.values, part.value_offsets))]
