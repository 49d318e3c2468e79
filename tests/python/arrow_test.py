"""pyarrow, polars and pandas must read what the package exports through the Arrow C stream
interface."""

import gc
import importlib
import unittest

from package import TABLES, elements, sstable, temporary

ELEMENTS = TABLES + "leveldb-1.23-elements.ldb"


def need(name):
  try:
    return importlib.import_module(name)
  except ImportError:
    raise unittest.SkipTest(f"{name} is not there") from None


class ArrowTest(unittest.TestCase):

  def setUp(self):
    self.table = sstable.open(ELEMENTS)

  def test_pyarrow(self):
    pyarrow = need("pyarrow")

    def entries(source):
      table = pyarrow.table(source)
      table.validate(full=True)
      return list(zip(table["key"].to_pylist(), table["value"].to_pylist()))

    self.assertEqual(entries(self.table), elements())
    gold = self.table.scan_arrays(prefix=b"gold/")
    self.assertEqual(entries(gold), list(self.table.items(prefix=b"gold/")))
    with self.assertRaisesRegex(ValueError, "can be read once"):
      pyarrow.table(gold)
    self.assertEqual(entries(self.table.scan_arrays(prefix=b"no such key")), [])
    batches = pyarrow.RecordBatchReader.from_stream(self.table.scan_arrays(batch=100))
    self.assertEqual([batch.num_rows for batch in batches], [100] * 6 + [27])
    with sstable.open_database(TABLES + "database") as database:
      old = pyarrow.table(database.snapshot(3))
      self.assertEqual(entries(database), list(database))
      self.assertEqual(old["key"].to_pylist(), list(database.snapshot(3).keys()))
    with self.assertRaises(sstable.ClosedError):
      pyarrow.table(database)
    with self.assertRaisesRegex(OSError, "data block at offset 2049 .*crc32c stored"):
      pyarrow.table(sstable.open(TABLES + "damaged-data-block.ldb", strict=True))

  def test_pyarrow_keeps_what_it_has(self):
    pyarrow = need("pyarrow")
    path = temporary("large.ldb")
    with sstable.Writer(path, sync=False) as writer:
      writer.put(b"large", b"v" * (5 << 20))
      writer.put_many((b"many%06d" % i, b"%d" % i) for i in range(200000))
    key = pyarrow.table(sstable.open(path))["key"]  # the column of values is released
    gc.collect()
    self.assertEqual((len(key), key[200000].as_py()), (200001, b"many199999"))

  def test_capsules_that_nobody_reads_are_released(self):
    for _ in range(100):
      capsule = self.table.__arrow_c_stream__()
      del capsule
    with open("/proc/self/maps", encoding="ascii") as maps:
      self.assertEqual(sum(ELEMENTS in line for line in maps), 1)
    self.table.close()
    del self.table
    with open("/proc/self/maps", encoding="ascii") as maps:
      self.assertNotIn(ELEMENTS, maps.read())

  def test_polars(self):
    polars = need("polars")
    self.assertEqual(polars.DataFrame(self.table).rows(), elements())

  def test_pandas(self):
    pandas = need("pandas")
    frame = self.table.to_pandas(prefix=b"gold/")
    self.assertEqual(list(frame.columns), ["key", "value"])
    self.assertEqual(list(frame.itertuples(index=False, name=None)),
                     list(self.table.items(prefix=b"gold/")))
    need("pyarrow")
    frame = pandas.DataFrame.from_arrow(self.table)
    self.assertEqual(list(frame.itertuples(index=False, name=None)), elements())


if __name__ == "__main__":
  unittest.main(verbosity=2)
