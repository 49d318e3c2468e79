"""After many repetitions, nothing must be left over: no memory, no descriptor, no file."""

import ctypes
import gc
import os
import shutil
import unittest

from package import TABLES, elements, sstable, temporary

ELEMENTS = TABLES + "leveldb-1.23-elements.ldb"
DAMAGED = TABLES + "damaged-data-block.ldb"
CYCLES = 100  # per round


class Mallinfo2(ctypes.Structure):
  _fields_ = [(name, ctypes.c_size_t) for name in (
      "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks",
      "fordblks", "keepcost")]


_mallinfo2 = ctypes.CDLL(None).mallinfo2
_mallinfo2.restype = Mallinfo2


def allocated():
  """Returns the number of bytes that malloc() has allocated."""
  gc.collect()
  info = _mallinfo2()
  return info.uordblks + info.hblkhd


def descriptors():
  return len(os.listdir("/proc/self/fd"))


def mapped():
  with open("/proc/self/maps", encoding="ascii") as file:
    return sum(".ldb" in line for line in file)


def raises(kind, function, *arguments, **options):
  try:
    function(*arguments, **options)
  except kind:
    return
  raise AssertionError(f"{function} raised no {kind}")


def use_table():
  with sstable.open(ELEMENTS) as table:
    next(iter(table))  # an iterator that is abandoned halfway
    table.get_many([key for key, _ in elements()[:20]])
    table[elements()[0][0]]


def use_database():
  database = sstable.open_database(TABLES + "database")
  iterator = database.items()
  next(iterator)
  database.snapshot(3).get(b"a")
  database.problems  # pylint: disable=pointless-statement


def use_iterators():
  database = sstable.open_database(TABLES + "database")
  iterator = database.prefixed_db(b"colour/").items(reverse=True)
  for _ in iterator:
    iterator.seek(b"b")
    iterator.prev()
    break
  iterator.close()
  raises(sstable.ClosedError, next, iterator)
  raw = sstable.open(ELEMENTS).raw_iterator()
  raises(sstable.IteratorInvalidError, raw.item)
  raw.seek_to_last()
  raw.item()
  raises(ZeroDivisionError, lambda: [1 / 0 for _ in iter(sstable.open(ELEMENTS))])


def check_and_salvage():
  sstable.check(TABLES + "database")
  raises(sstable.NotFound, sstable.check, "none")
  raises(sstable.Error, sstable.salvage, "none", temporary("rescued"))
  assert sstable.salvage(TABLES + "database", temporary("rescued")).complete
  shutil.rmtree(temporary("rescued"))


def use_an_order_and_arrow():
  with sstable.open_database(TABLES + "database",
                             comparator=lambda a, b: (a > b) - (a < b)) as database:
    list(database)
    raises(ZeroDivisionError, sstable.open_database, TABLES + "database",
           comparator=lambda a, b: 1 // 0)
  scan = sstable.open(ELEMENTS).scan_arrays()
  next(scan)
  raises(ValueError, scan.__arrow_c_stream__)
  sstable.open(ELEMENTS).__arrow_c_stream__()  # a stream that is never read


def use_internal_keys():
  table = sstable.open(TABLES + "leveldb-1.23-database.ldb")
  next(table.versions())
  next(table.items(reverse=True))


def use_decoder():
  path = temporary("sublevels.ldb")
  with sstable.Writer(path, sync=False, replace=True) as writer:
    writer.put(b"!a!b", b'{"c":1}')
  with sstable.open(path, decode="json") as table:
    assert next(table.decoded_items()).value == {"c": 1}
  assert sstable.open(path, decode="bitcoin").decoder is None
  raises(sstable.InvalidArgument, sstable.open, path, decode="nothing")


def fail_to_open():
  raises(sstable.NotFound, sstable.open, "none")
  raises(sstable.DataLoss, sstable.open, TABLES + "elements.tsv")
  raises(sstable.NotFound, sstable.open_database, "none")
  raises(TypeError, sstable.open, None)


def fail_to_read():
  raises(sstable.DataLoss, list, sstable.open(DAMAGED, strict=True))
  table = sstable.open(DAMAGED)
  assert len(list(table)) < len(elements()) and table.problems
  raises(sstable.DataLoss, table.get_many, [key for key, _ in elements()])
  raises(sstable.FailedPrecondition, table.snapshot, 5)
  raises(TypeError, table.get, "str")
  raises(TypeError, table.items, start="str")
  raises(KeyError, table.__getitem__, b"\xff")
  table.check()


def write():
  with sstable.Writer(temporary("written.ldb"), sync=False, replace=True, filter="bloom:10") as writer:
    writer.put_many(elements())


def fail_to_write():
  path = temporary("failed.ldb")
  raises(sstable.InvalidArgument, sstable.Writer, path, filter="bloom:70000")
  raises(sstable.NotFound, sstable.Writer, "no such folder/table.ldb")
  writer = sstable.Writer(path)
  writer.put(b"b", bytes(100))
  raises(sstable.InvalidArgument, writer.put, b"a", b"")
  raises(sstable.InvalidArgument, writer.finish)
  raises(TypeError, sstable.Writer(path).put_many, [(b"a", "str")])
  assert not os.path.exists(path)


def grows_for_ever(function):
  """Returns the growth of each round in bytes if memory never stopped growing, else None. It has
  stopped when three rounds in a row grew by less than the smallest leak, 16 bytes per cycle. The
  caches of Python and malloc() grow for a thousand cycles or more, but not for ever."""
  growths = []
  for _ in range(60):
    start = allocated()
    for _ in range(CYCLES):
      function()
    growths.append(allocated() - start)
    if len(growths) >= 3 and max(growths[-3:]) < 12 * CYCLES:
      return None
  return growths


class LeaksTest(unittest.TestCase):

  def test_nothing_is_left(self):
    for function in (use_table, use_database, use_iterators, check_and_salvage, use_internal_keys,
                     use_decoder, use_an_order_and_arrow, fail_to_open, fail_to_read, write,
                     fail_to_write):
      with self.subTest(function.__name__):
        for _ in range(50):  # so that one-time allocations are done
          function()
        before = descriptors(), mapped(), sorted(os.listdir(temporary("")))
        self.assertIsNone(grows_for_ever(function))
        self.assertEqual((descriptors(), mapped(), sorted(os.listdir(temporary("")))), before)

  def test_the_test_would_see_a_leak(self):
    kept = []
    self.assertIsNotNone(grows_for_ever(lambda: kept.append(bytes(1000))))
    kept = [sstable.open(ELEMENTS) for _ in range(100)]
    self.assertGreaterEqual(mapped() + descriptors(), len(kept))


if __name__ == "__main__":
  unittest.main()
