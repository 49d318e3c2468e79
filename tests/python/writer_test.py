"""Tests writing tables in Python, and that nothing is left after an error."""

import copy
import os
import pickle
import resource
import threading
import unittest

from package import TABLES, elements, sstable, temporary


class WriterTest(unittest.TestCase):

  def setUp(self):
    self.folder = temporary(self.id())
    os.mkdir(self.folder)
    self.path = os.path.join(self.folder, "table.ldb")

  def assert_nothing_is_there(self):
    self.assertEqual(os.listdir(self.folder), [])

  def test_writes_leveldbs_bytes(self):
    with sstable.Writer(self.path, filter="bloom:10", compression="none") as writer:
      for key, value in elements():
        writer.put(key, value)
      self.assertEqual(writer.entry_count, 627)
    self.assertEqual(os.listdir(self.folder), ["table.ldb"])
    with open(self.path, "rb") as ours, open(TABLES + "leveldb-1.23-raw.ldb", "rb") as theirs:
      self.assertEqual(ours.read(), theirs.read())
    with sstable.Writer(self.path + "2", filter="bloom:10", compression="none") as writer:
      writer.put_many(elements())
    with open(self.path, "rb") as one, open(self.path + "2", "rb") as other:
      self.assertEqual(one.read(), other.read())

  def test_options(self):
    for options in ({"filter": "none"}, {"filter": "bloom:1%"}, {"table_filter": "blocked:10"},
                    {"table_filter": "fuse8"},
                    {"compression": "none"}, {"compression": "zstd:-3"}, {"compression": "zlib:9"},
                    {"compression": "deflate"}, {"block_size": 256}, {"restart_interval": 1},
                    {"threads": 3}, {"sync": False}):
      with sstable.Writer(self.path, replace=True, **options) as writer:
        writer.put_many(elements())
      with sstable.open(self.path) as table:
        self.assertEqual(list(table), elements())
        self.assertTrue(table.check().ok)
        for key, value in elements():
          self.assertEqual(table[key], value)

  def test_wrong_options_are_refused(self):
    for options in ({"filter": "bloom"}, {"filter": "bloom:"}, {"filter": "bloom:x"},
                    {"filter": "bloom:70000"}, {"filter": "bloom:90%"}, {"filter": "fuse8"},
                    {"table_filter": "bloom:10"}, {"table_filter": "blocked:0"},
                    {"compression": "lz4"}, {"compression": "zstd:99"}, {"block_size": 0},
                    {"restart_interval": 0}, {"threads": 0},
                    # Numbers that would be valid if truncated to 32 or 64 bits.
                    {"filter": "bloom:4294967306"}, {"table_filter": "blocked:4294967306"},
                    {"compression": "zstd:4294967297"}, {"block_size": (1 << 64) + 4096},
                    {"block_size": -1}, {"restart_interval": (1 << 32) + 16},
                    {"threads": (1 << 32) + 1}):
      with self.subTest(options), self.assertRaises(ValueError):
        sstable.Writer(self.path, **options)
    with self.assertRaises(ValueError):
      sstable.Writer("a\0b")
    with self.assertRaises(sstable.NotFound):
      sstable.Writer("no such folder/table.ldb")
    self.assert_nothing_is_there()

  def test_an_old_file_is_replaced_only_if_that_is_asked_for(self):
    with sstable.Writer(self.path) as writer:
      writer.put(b"a", b"old")
    with self.assertRaisesRegex(sstable.AlreadyExists, "table.ldb: exists"):
      sstable.Writer(self.path)
    with self.assertRaises(FileExistsError):
      sstable.Writer(self.path)
    with sstable.open(self.path) as table:
      self.assertEqual(list(table), [(b"a", b"old")])
    with sstable.Writer(self.path, replace=True) as writer:
      writer.put(b"a", b"new")
    with sstable.open(self.path) as table:
      self.assertEqual(list(table), [(b"a", b"new")])
    with open(self.path, "wb"):  # an empty file, as made by mktemp
      pass
    sstable.Writer(self.path).finish()

  def test_can_not_be_copied_or_pickled(self):
    with sstable.Writer(self.path) as writer:
      for function in (copy.deepcopy, pickle.dumps, lambda writer: copy.copy(writer._builder)):
        with self.assertRaises(TypeError):
          function(writer)
      writer.put(b"a", b"1")
    with sstable.open(self.path) as table:
      self.assertEqual(list(table), [(b"a", b"1")])

  def test_nothing_is_left_if_the_block_raises(self):
    with self.assertRaisesRegex(RuntimeError, "mine"):
      with sstable.Writer(self.path) as writer:
        writer.put_many((b"%08d" % i, bytes(1000)) for i in range(1000))
        raise RuntimeError("mine")
    self.assert_nothing_is_there()
    with self.assertRaisesRegex(ValueError, "closed"):
      writer.put(b"z", b"")
    with self.assertRaisesRegex(ValueError, "closed"):
      writer.finish()
    writer.abandon()

  def test_nothing_is_left_of_a_writer_that_is_forgotten(self):
    writer = sstable.Writer(self.path)
    writer.put(b"a", b"")
    del writer
    self.assert_nothing_is_there()

  def test_an_error_stays(self):
    with self.assertRaisesRegex(sstable.InvalidArgument, "table.ldb"):
      with sstable.Writer(self.path) as writer:
        writer.put(b"b", b"")
        with self.assertRaises(sstable.InvalidArgument):
          writer.put(b"a", b"")
        with self.assertRaises(sstable.InvalidArgument):
          writer.put(b"c", b"")
    self.assert_nothing_is_there()
    with self.assertRaises(sstable.InvalidArgument):
      with sstable.Writer(self.path) as writer:
        writer.put_many([(b"a", b""), (b"b", b""), (b"a", b"")])
    self.assert_nothing_is_there()

  def test_what_is_no_bytes_is_refused_and_does_no_harm(self):
    with sstable.Writer(self.path) as writer:
      for wrong in ("str", None, 5):
        with self.assertRaises(TypeError):
          writer.put(wrong, b"")
        with self.assertRaises(TypeError):
          writer.put(b"a", wrong)
        with self.assertRaises(TypeError):
          writer.put_many([(wrong, b"")])
      with self.assertRaises((TypeError, ValueError)):
        writer.put_many([(b"a", b"b", b"c")])
      with self.assertRaises(TypeError):
        writer.put(b"a", b"", sequence=5)
      with self.assertRaises(TypeError):
        writer.delete(b"a", 5)
      writer.put(bytearray(b"a"), memoryview(b"b"))
    with sstable.open(self.path) as table:
      self.assertEqual(list(table), [(b"a", b"b")])

  def test_large_entries_are_read_back(self):
    entries = [(b"a", bytes(1 << 20)), (b"b" * (1 << 20), b"x"), (b"c", b""), (b"d", bytes(5 << 20))]
    with sstable.Writer(self.path) as writer:
      writer.put_many(entries)
    with sstable.open(self.path) as table:
      self.assertEqual(list(table), entries)
      self.assertEqual(list(table.items(reverse=True)), entries[::-1])
      self.assertEqual(table.get_many(key for key, _ in entries), [value for _, value in entries])

  def test_too_little_memory_is_an_error(self):
    value = bytes(1 << 27)
    with open("/proc/self/statm", encoding="ascii") as statm:
      used = int(statm.read().split()[0]) * resource.getpagesize()
    limits = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 26), limits[1]))
    try:
      with self.assertRaisesRegex(sstable.ResourceExhausted, "out of memory"):
        with sstable.Writer(self.path) as writer:
          writer.put(b"a", value)
    finally:
      resource.setrlimit(resource.RLIMIT_AS, limits)
    self.assert_nothing_is_there()

  def test_internal_keys(self):
    with sstable.Writer(self.path, internal_keys=True, filter="bloom:10") as writer:
      writer.put(b"a", b"new", sequence=9)
      writer.put(b"a", b"old", sequence=3)
      writer.delete(b"b", 8)
      writer.put(b"b", b"was", sequence=2)
      with self.assertRaises(ValueError):
        writer.put(b"c", b"")
      with self.assertRaises(ValueError):
        writer.put(b"c", b"", sequence=1 << 56)
    with sstable.open(self.path, internal_keys=True) as table:
      self.assertEqual(list(table), [(b"a", b"new")])
      self.assertEqual(list(table.snapshot(5)), [(b"a", b"old"), (b"b", b"was")])
      self.assertEqual([tuple(version) for version in table.versions(start=b"b")],
                       [(b"b", 8, True, b""), (b"b", 2, False, b"was")])

  def test_threads_may_share_a_writer(self):
    numbers = iter(range(4000))
    lock = threading.Lock()
    with sstable.Writer(self.path, sync=False) as writer:

      def write():
        while True:
          with lock:
            number = next(numbers, None)
            if number is None:
              return
            writer.put(b"%08d" % number, b"")

      threads = [threading.Thread(target=write) for _ in range(4)]
      for thread in threads:
        thread.start()
      for thread in threads:
        thread.join()
    with sstable.open(self.path) as table:
      self.assertEqual(len(list(table)), 4000)

  def test_a_forked_child_does_no_harm(self):
    with sstable.Writer(self.path) as writer:
      writer.put(b"a", b"1")
      child = os.fork()
      if child == 0:
        code = 1
        try:
          writer.put(b"b", b"child")
        except ValueError:
          code = 0
        try:
          writer.abandon()
          del writer
        finally:
          os._exit(code)
      self.assertEqual(os.waitpid(child, 0)[1], 0)
      writer.put(b"c", b"3")
    with sstable.open(self.path) as table:
      self.assertEqual(list(table), [(b"a", b"1"), (b"c", b"3")])


if __name__ == "__main__":
  unittest.main()
