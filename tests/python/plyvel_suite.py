"""Runs plyvel's own tests with plyvel as the writer and this package as the reader.

Usage: PYTHONPATH=FOLDER plyvel_suite.py TEST_PLYVEL.PY [ARGUMENT OF PYTEST]..., where FOLDER has
the package with its library, and TEST_PLYVEL.PY is plyvel's test/test_plyvel.py. Needs plyvel and
pytest.
"""

import sys

import plyvel
import pytest
import sstable

WRITES = "put", "delete", "write_batch", "get_property", "compact_range", "closed", "close"


class Both:
  """Passes calls that write to plyvel, and all others to this package, which opens the folder each
  time."""

  def __init__(self, writer, open_reader, db=None):
    self.writer, self.open_reader, self.db = writer, open_reader, db

  def __getattr__(self, name):
    return getattr(self.writer if name in WRITES else self.open_reader(), name)

  @property
  def name(self):
    return self.open_reader().name

  def __iter__(self):
    return iter(self.open_reader())

  def __enter__(self):
    return self

  def __exit__(self, *_):
    self.close()

  def prefixed_db(self, prefix):
    return Both(self.writer.prefixed_db(prefix),
                lambda: self.open_reader().prefixed_db(prefix), self)


def open_both(name, **options):
  comparator = options.get("comparator")
  return Both(plyvel.DB(name, **options),
              lambda: sstable.open_database(name, comparator=comparator))


class Module:
  """Stands for the module that the tests import as plyvel."""
  DB = staticmethod(open_both)
  IteratorInvalidError = sstable.IteratorInvalidError

  def __getattr__(self, name):
    return getattr(plyvel, name)


if __name__ == "__main__":
  sys.modules["plyvel"] = Module()
  sys.dont_write_bytecode = True
  sys.exit(pytest.main(["-p", "no:cacheprovider", *sys.argv[1:]]))
