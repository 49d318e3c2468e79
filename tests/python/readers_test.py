"""Tests reading tables and databases in Python, and calls with hostile arguments."""

import copy
import gc
import html
import itertools
import multiprocessing
import os
import pickle
import random
import re
import shutil
import struct
import subprocess
import sys
import threading
import types
import unittest
import unittest.mock
import weakref

from package import TABLES, elements, of_arrays, sstable, temporary

ELEMENTS = TABLES + "leveldb-1.23-elements.ldb"
DATABASE_TABLE = TABLES + "leveldb-1.23-database.ldb"
DAMAGED = TABLES + "damaged-data-block.ldb"


def copy_database(name):
  """Makes a writable copy of LevelDB's folder, and returns its path."""
  folder = temporary(name)
  shutil.copytree(TABLES + "database", folder)
  for path in (folder, *(entry.path for entry in os.scandir(folder))):
    os.chmod(path, 0o755)
  return folder


def log_record(contents):
  """Returns an unfragmented record of a log or MANIFEST."""
  crc = 0xffffffff  # CRC-32C
  for byte in b"\1" + contents:
    crc ^= byte
    for _ in range(8):
      crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
  crc ^= 0xffffffff
  masked = ((crc >> 15 | crc << 17) + 0xa282ead8) & 0xffffffff
  return struct.pack("<IHB", masked, len(contents), 1) + contents


def write_log(folder, sequence, key, value):
  """Writes a log that is newer than all files of the folder."""
  batch = struct.pack("<QIBB", sequence, 1, 1, len(key)) + key + bytes([len(value)]) + value
  with open(os.path.join(folder, "000012.log"), "wb") as log:
    log.write(log_record(batch))


def set_comparator(folder, name):
  """Changes the comparator's name in the first edit of MANIFEST-000008."""
  with open(os.path.join(folder, "MANIFEST-000008"), "r+b") as manifest:
    edits = manifest.read()
    first = edits[7:0x52].replace(b"\x1aleveldb.BytewiseComparator", bytes([len(name)]) + name)
    manifest.seek(0)
    manifest.write(log_record(first) + edits[0x52:])
    manifest.truncate()


class TableTest(unittest.TestCase):

  def setUp(self):
    self.table = sstable.open(ELEMENTS)
    self.entries = elements()

  def test_finds_what_is_there(self):
    for key, value in self.entries:
      self.assertEqual(self.table[key], value)
      self.assertIn(key, self.table)
      self.assertNotIn(key + b"\0", self.table)
    self.assertIsNone(self.table.get(b"none"))
    self.assertEqual(self.table.get(b"none", b"default"), b"default")
    with self.assertRaises(KeyError) as raised:
      self.table[b"none"]
    self.assertEqual(raised.exception.args, (b"none",))
    self.assertEqual(self.table.get(bytearray(self.entries[0][0])), self.entries[0][1])

  def test_finds_many(self):
    keys = [key + end for key, _ in self.entries for end in (b"", b"\0")]
    found = self.table.get_many(keys)
    self.assertEqual(found[::2], [value for _, value in self.entries])
    self.assertEqual(found[1::2], [None] * len(self.entries))
    self.assertEqual(self.table.get_many([]), [])
    self.assertEqual(self.table.get_many(iter(keys[:1])), found[:1])
    self.assertEqual(self.table.get_many([b"x"], default=b""), [b""])

  def test_iterates_within_bounds_in_both_directions(self):
    entries = self.entries
    keys = [key for key, _ in entries]
    self.assertEqual(list(self.table), entries)
    for start in (None, b"", keys[0], keys[40], keys[40] + b"\0", b"\xff"):
      for stop in (None, b"", keys[0], keys[80], keys[80] + b"\0", b"\xff"):
        expected = [entry for entry in entries if (start is None or entry[0] >= start)
                    and (stop is None or entry[0] < stop)]
        self.assertEqual(list(self.table.items(start=start, stop=stop)), expected)
        self.assertEqual(list(self.table.items(start, stop, reverse=True)), expected[::-1])
    self.assertEqual(list(self.table.keys(start=keys[3], include_start=False)), keys[4:])
    self.assertEqual(list(self.table.keys(stop=keys[3], include_stop=True)), keys[:4])
    self.assertEqual(list(self.table.keys(start=keys[3], include_start=False, reverse=True)),
                     keys[:3:-1])
    self.assertEqual(list(self.table.values()), [value for _, value in entries])
    self.assertEqual(list(self.table.iterator(include_value=False)), keys)
    for prefix in (b"", b"0", b"00", keys[5], keys[5] + b"x", b"\xff\xff"):
      expected = [entry for entry in entries if entry[0].startswith(prefix)]
      self.assertEqual(list(self.table.items(prefix=prefix)), expected)
      self.assertEqual(list(self.table.items(prefix=prefix, reverse=True)), expected[::-1])

  def test_arguments_that_make_no_sense_are_refused(self):
    for arguments in ({"prefix": b"a", "start": b"a"}, {"prefix": b"a", "stop": b"b"}):
      with self.assertRaises(TypeError):
        self.table.iterator(**arguments)
    for key in ("str", None, 5, [b"list"]):
      for function in (self.table.get, self.table.__getitem__, self.table.__contains__,
                       lambda k: self.table.get_many([b"a", k]),
                       lambda k: self.table.items(start=k if k is not None else 5),
                       lambda k: self.table.items(prefix=k if k is not None else 5)):
        with self.assertRaises(TypeError):
          function(key)
    with self.assertRaisesRegex(TypeError, "keys and values are bytes, not str"):
      self.table.get("str")
    with self.assertRaises(TypeError):
      self.table.get_many(None)
    self.assertIsNone(self.table.get(bytes(1 << 24)))  # longer than any key in the table
    self.assertEqual(self.table.get_many([bytes(1 << 24), b""]), [None, None])
    import array
    self.assertEqual(self.table.get_many([memoryview(array.array("I", [1])), b"x"]), [None, None])

  def test_a_closed_table_says_so_and_its_iterators_go_on(self):
    entries = self.table.items()
    first = next(entries)
    with self.table as table:
      self.assertFalse(table.closed)
    self.assertTrue(self.table.closed)
    self.table.close()  # closing again does nothing
    for function in (lambda: self.table.get(b"a"), lambda: self.table[b"a"], self.table.items,
                     lambda: self.table.get_many([]), self.table.check, self.table.measure_filter,
                     lambda: self.table.filter_policy, self.table.scan_arrays,
                     lambda: self.table.filter_error):
      with self.assertRaisesRegex(ValueError, "elements.ldb is closed"):
        function()
    self.assertIn("closed", repr(self.table))
    del self.table
    self.assertEqual([first, *entries], self.entries)

  def test_is_shown_in_a_notebook(self):
    text = self.table._repr_html_()
    self.assertEqual(text.count("<tr>"), 12)
    self.assertIn(f"<td>{html.escape(repr(self.entries[9][0]))}</td>", text)
    path = temporary("hostile.ldb")
    with sstable.Writer(path) as writer:
      writer.put(b"<script>", b"v" * (1 << 20))
    with sstable.open(path) as table:
      self.assertNotIn("<script>", table._repr_html_())
      self.assertLess(len(table._repr_html_()), 1000)
    self.assertIn("closed", table._repr_html_())
    with open(path, "r+b") as file:
      file.write(b"damage")
    self.assertIn("crc32c", sstable.open(path)._repr_html_())

  def test_to_pandas(self):
    calls = []
    fake = types.ModuleType("pandas")
    fake.DataFrame = lambda rows, columns: calls.append((rows, columns))
    with unittest.mock.patch.dict(sys.modules, pandas=fake):
      self.table.to_pandas(prefix=b"gold/")
    self.assertEqual(calls, [([entry for entry in self.entries if entry[0].startswith(b"gold/")],
                              ["key", "value"])])

  def test_filter_and_check(self):
    self.assertEqual(self.table.filter_policy, "leveldb.BuiltinBloomFilter2")
    self.assertIsNone(self.table.filter_error)
    facts = self.table.measure_filter()
    self.assertEqual((facts.keys_tested, facts.false_negatives), (627, 0))
    self.assertLess(facts.rate, 0.1)
    self.assertEqual(self.table.check(), (627, 0, []))
    self.assertTrue(self.table.check().ok)
    with sstable.open(TABLES + "zstd.ldb") as table:
      if table.filter_policy is None:
        self.assertIsInstance(table.filter_error, sstable.NotFound)
    self.assertIsInstance(sstable.open(ELEMENTS, use_filter=False).filter_error,
                          sstable.FailedPrecondition)

  def test_options(self):
    for options in ({"verify": "always"}, {"verify": "never"}, {"block_cache": 1 << 20},
                    {"map_file": False}, {"internal_keys": False}):
      with sstable.open(ELEMENTS, **options) as table:
        self.assertEqual(list(table), self.entries)
    with self.assertRaises(ValueError):
      sstable.open(ELEMENTS, verify="sometimes")
    with self.assertRaises(ValueError):
      sstable.open(ELEMENTS, block_cache=(1 << 64) + 1)
    with self.assertRaises(ValueError):
      sstable.open(ELEMENTS, max_work=(1 << 32) + 1)
    for count in (-1, 1 << 64):
      with self.assertRaises(ValueError):
        self.table.check(max_problems=count)

  def test_work_is_bounded_by_max_work(self):
    path = temporary("long-keys.ldb")
    with sstable.Writer(path) as writer:
      for i in range(3000):
        writer.put(b"p" * 5000 + b"%04d" % i, b"")
    with sstable.open(path, max_work=1) as table:
      with self.assertRaisesRegex(sstable.ResourceExhausted, "a limit, not damage.*max_work"):
        list(table)
    for max_work in (0, 100):
      with sstable.open(path, max_work=max_work) as table:
        self.assertEqual(len(list(table)), 3000)

  def test_a_filter_of_another_hash_hides_no_key(self):
    folder = temporary("foreign")
    os.mkdir(folder)
    made = subprocess.run(["tests/support/foreign_tables", folder], check=True, capture_output=True)
    paths = made.stdout.decode().split()
    self.assertEqual(len(paths), 5 * 4 * 12)
    for path in paths:
      with self.subTest(path), sstable.open(path) as table:
        entries = list(table)
        self.assertEqual(len(entries), int(path[path.rindex("-") + 1:-len(".ldb")]))
        self.assertEqual(table.get_many([key for key, _ in entries]), [value for _, value in entries])
        for key, value in entries[:20]:  # a reader's first lookups take another path
          with sstable.open(path) as fresh:
            self.assertEqual(fresh[key], value)

  def test_arrays_have_no_more_entries_than_asked_for(self):
    for batch in (1, 3, 100, 5000):
      counts = [len(part.key_offsets) - 1 for part in self.table.scan_arrays(batch=batch)]
      self.assertEqual(sum(counts), len(self.entries))
      self.assertLessEqual(max(counts), batch)

  def test_plain_keys_have_no_snapshots(self):
    self.assertFalse(self.table.internal_keys)
    for function in (lambda: self.table.snapshot(5), self.table.versions):
      with self.assertRaisesRegex(sstable.FailedPrecondition, "internal keys"):
        function()


class Gap:
  """A model of an iterator, which is between two entries of a list: before entry `place`."""

  def __init__(self, entries, reverse):
    self.entries, self.reverse = entries, reverse
    self.place = len(entries) if reverse else 0

  def step(self, backward):
    if not 0 <= (place := self.place - backward) < len(self.entries):
      return "end"
    self.place += -1 if backward else 1
    return self.entries[place]

  def seek(self, target):
    self.place = sum(key < target for key, _ in self.entries)


class IteratorTest(unittest.TestCase):

  def test_moves_as_plyvels(self):
    """Random moves have the same results as in a list."""
    rnd = random.Random(1)
    with sstable.open(ELEMENTS) as table, sstable.open(DATABASE_TABLE) as internal, \
        sstable.open_database(TABLES + "database") as database:
      views = [(table, {}), (internal, {}), (database, {}), (table.prefixed_db(b"gold/"), {})]
      views += [(view, {"start": b"b", "stop": b"gold/z", "include_start": False})
                for view in (table, internal, database)]
      views += [(view, {"prefix": b"g"}) for view in (table, internal, database)]
      for view, options in views:
        entries = list(view.iterator(**options))
        for reverse in (False, True):
          with self.subTest(view, reverse=reverse, **options):
            ours, expected = view.iterator(reverse=reverse, **options), Gap(entries, reverse)
            for _ in range(300):
              kind = rnd.randrange(12)
              if kind < 5:
                self.assertEqual(next(ours, "end"), expected.step(reverse))
              elif kind < 8:
                try:
                  entry = ours.prev()
                except StopIteration:
                  entry = "end"
                self.assertEqual(entry, expected.step(not reverse))
              elif kind == 8:
                for entry in itertools.islice(ours, rnd.choice((1, 20, 100))):
                  self.assertEqual(entry, expected.step(reverse))
              elif kind == 9:
                target = rnd.choice(entries)[0] if entries else b"x"
                target += rnd.choice((b"", b"\0", b"~"))
                ours.seek(target)
                expected.seek(target)
              elif kind == 10:
                ours.seek_to_start()
                expected.place = 0
              else:
                ours.seek_to_stop()
                expected.place = len(entries)

  def test_a_loop_sees_a_seek(self):
    with sstable.open(ELEMENTS) as table:
      iterator, found = table.keys(), []
      for key in iterator:
        found.append(key)
        iterator.seek(key.split(b"/")[0] + b"0")  # the first key after all with this prefix
      self.assertEqual(found, sorted({key.split(b"/")[0]: key for key, _ in elements()[::-1]}.values()))

  def test_returns_what_is_included(self):
    with sstable.open(ELEMENTS) as table:
      entries = elements()[:2]
      for options, expected in (({}, entries), ({"include_value": False}, [e[0] for e in entries]),
                                ({"include_key": False}, [e[1] for e in entries]),
                                ({"include_key": False, "include_value": False}, [None] * 2)):
        iterator = table.iterator(**options)
        self.assertEqual([next(iterator), iterator.prev(), next(iterator), next(iterator)],
                         [expected[0], expected[0], *expected])
        self.assertEqual(len(list(iterator)), 625)

  def test_of_a_prefixed_view(self):
    with sstable.open_database(TABLES + "database") as database:
      view = database.prefixed_db(b"colour/")
      whole = list(database.items(prefix=b"colour/"))
      self.assertEqual([(b"colour/" + key, value) for key, value in view], whole)
      self.assertEqual(list(view.prefixed_db(b"b").keys()), [b"anana"])
      self.assertEqual(list(view.keys(start=b"b", reverse=True)), [key[7:] for key, _ in whole[:0:-1]])
      self.assertEqual(view[whole[0][0][7:]], whole[0][1])
      self.assertEqual(list(view.snapshot(0)), [])
      self.assertEqual(list(database.prefixed_db(b"\xff").keys(start=b"")), [])
      self.assertIs(view.db, database)
      with self.assertRaises(TypeError):
        database.prefixed_db("str")

  def test_keys_with_a_prefix_need_bytewise_order(self):
    folder = copy_database("idb order")
    set_comparator(folder, b"idb_cmp1")
    view = sstable.open_database(folder).prefixed_db(b"colour/")
    for restrictions in ({}, {"prefix": b"b"}, {"start": b"b"}, {"stop": b"b"},
                         {"start": b"", "stop": b"b", "reverse": True}):
      with self.assertRaises(sstable.FailedPrecondition):
        view.items(**restrictions)

  def test_raw(self):
    with sstable.open(ELEMENTS) as table:
      iterator = table.raw_iterator()
      self.assertFalse(iterator.valid())
      for function in (iterator.key, iterator.value, iterator.item, iterator.next, iterator.prev):
        with self.assertRaises(sstable.IteratorInvalidError):
          function()
      iterator.seek_to_first()
      self.assertEqual(iterator.item(), elements()[0])
      iterator.next()
      iterator.seek(iterator.key() + b"\0")
      self.assertEqual((iterator.key(), iterator.value()), elements()[2])
      iterator.prev()
      self.assertEqual(iterator.item(), elements()[1])
      iterator.seek_to_last()
      self.assertEqual(iterator.item(), elements()[-1])
      with iterator:
        iterator.next()
        self.assertFalse(iterator.valid())
      with self.assertRaises(sstable.ClosedError):
        iterator.valid()
    with sstable.open(DAMAGED, strict=True) as table, self.assertRaises(sstable.DataLoss):
      iterator = table.raw_iterator()
      iterator.seek_to_first()
      while iterator.valid():
        iterator.next()

  def test_after_damage_another_seek_goes_on(self):
    with sstable.open(DAMAGED, strict=True) as table:
      iterator, found = table.items(), []
      for _ in range(2):
        with self.assertRaises(sstable.DataLoss):
          found.extend(iterator)
        with self.assertRaises(sstable.DataLoss):
          next(iterator)
        with self.assertRaises(sstable.DataLoss):
          iterator.prev()
        iterator.seek_to_start()
      iterator.seek_to_stop()
      self.assertEqual(iterator.prev(), elements()[-1])

  def test_is_closed(self):
    with sstable.open(ELEMENTS) as table:
      iterator = table.items()
      loop = iter(iterator)
      next(loop)
      with iterator:
        pass
      for function in (iterator.prev, iterator.seek_to_start, iterator.seek_to_stop,
                       lambda: next(iterator), lambda: next(loop), lambda: iterator.seek(b"a")):
        with self.assertRaises(RuntimeError):
          function()


class ErrorsTest(unittest.TestCase):

  def test_damage_is_named_after_the_entries_before_it(self):
    table = sstable.open(DAMAGED, strict=True)
    place = TABLES + r"damaged-data-block\.ldb: data block at offset 2049 \(2109 bytes\): "
    found = []
    with self.assertRaisesRegex(sstable.DataLoss, place):
      for entry in table:
        found.append(entry)
    self.assertGreater(len(found), 0)
    self.assertEqual(found, elements()[:len(found)])
    lost = elements()[len(found)][0]
    for function in (table.get, lambda key: table.get_many([b"", key])):
      with self.assertRaisesRegex(sstable.DataLoss, place):
        function(lost)
    check = table.check()
    self.assertFalse(check.ok)
    self.assertEqual(check.problem_count, 1)
    self.assertEqual(check.problems[0].offset, 2049)
    self.assertTrue(check.problems[0].is_damage)

  def test_iterations_skip_damage(self):
    """Damages each data block, each pair of them, or all, and reads in both directions and in every
    way."""
    path = temporary("some damage.ldb")
    for internal_keys in (False, True):
      with sstable.Writer(path, compression="none", block_size=1000, restart_interval=1,
                          replace=True, sync=False, internal_keys=internal_keys) as writer:
        for i in range(60):
          writer.put(b"%04d" % i, b"v" * 90, i if internal_keys else None)
      with open(path, "rb") as file:
        sound = file.read()
      with sstable.open(path) as table:
        whole = list(table)
      blocks = [sound.index(b"%04d" % i) for i in range(0, 60, 10)]  # ten entries per block
      for count in (1, 2, len(blocks)):
        for damaged in itertools.combinations(range(len(blocks)), count):
          data = bytearray(sound)
          for block in damaged:
            data[blocks[block]] ^= 1
          with open(path, "wb") as file:
            file.write(data)
          left = [whole[i] for i in range(60) if i // 10 not in damaged]
          with sstable.open(path, internal_keys=internal_keys) as table:
            self.assertEqual(list(table.items(reverse=True)), left[::-1])
            problems = table.problems
            self.assertEqual(len(problems), count)
            self.assertTrue(all("crc32c" in p.message and p.is_damage for p in problems))
            self.assertEqual(list(table), left)
            self.assertEqual(of_arrays(table.scan_arrays()), left)
            part = [entry for entry in left if b"0012" <= entry[0] < b"0050"]
            self.assertEqual(of_arrays(table.scan_arrays(start=b"0012", stop=b"0050")), part)
            part = [entry for entry in left if entry[0].startswith(b"002")]
            self.assertEqual(list(table.items(prefix=b"002")), part)
            self.assertEqual(list(table.items(prefix=b"002", reverse=True)), part[::-1])
            if internal_keys:
              self.assertEqual([version[::3] for version in table.versions()], left)
              self.assertEqual([version[::3] for version in table.versions(prefix=b"002")], part)
            self.assertEqual(table.problems, problems)
            with self.assertRaises(sstable.DataLoss):
              table.get(whole[10 * damaged[0]][0])
            self.assertIn("crc32c", table._repr_html_())
    with sstable.open(TABLES + "damaged-index-block.ldb") as table:  # without the index, no block can be found
      with self.assertRaisesRegex(sstable.DataLoss, "index block"):
        list(table)

  def test_codes_are_exceptions(self):
    with self.assertRaisesRegex(sstable.NotFound, "no-such.ldb"):
      sstable.open("no-such.ldb")
    with self.assertRaises(FileNotFoundError):
      sstable.open("no-such.ldb")
    with self.assertRaises(sstable.DataLoss):
      sstable.open(TABLES + "elements.tsv")
    with self.assertRaises(sstable.Error):
      sstable.open(TABLES)
    with self.assertRaises(ValueError):
      sstable.open("a\0b")
    with self.assertRaises(TypeError):
      sstable.open(None)
    with self.assertRaises(sstable.NotFound):
      sstable.open_database("no such folder")
    with self.assertRaises(sstable.InvalidArgument):
      sstable.open_database(ELEMENTS)


class InternalKeysTest(unittest.TestCase):

  def test_keys_without_a_tag_are_no_versions(self):
    for name in (b"short", b"key\x02" + bytes(7)):  # too short; RocksDB's type 2
      path = temporary("untagged.ldb")
      with sstable.Writer(path, replace=True) as writer:
        writer.put(name, b"")
      with self.assertRaises(sstable.DataLoss):
        list(sstable.open(path, internal_keys=True, strict=True).versions())
      with sstable.open(path, internal_keys=True) as table:
        self.assertEqual((list(table.versions()), list(table)), ([], []))
        self.assertRegex(table.problems[0].message,
                         r"untagged\.ldb: data block at offset 0 .*: key .* is not an internal key")

  def test_versions_and_snapshots(self):
    table = sstable.open(DATABASE_TABLE)
    self.assertTrue(table.internal_keys)
    versions = list(table.versions())
    self.assertEqual(len(versions), 335)
    for sequence in [*range(0, 400, 13), sstable.MAX_SEQUENCE]:
      live = {}
      for version in reversed(versions):  # so that a key's oldest version comes first
        if version.sequence <= sequence:
          live[version.key] = None if version.is_deletion else version.value
      live = {key: value for key, value in sorted(live.items()) if value is not None}
      with table.snapshot(sequence) as then:
        self.assertEqual(dict(then), live)
        self.assertEqual(dict(then.items(reverse=True)), live)
        keys = sorted({version.key for version in versions})
        self.assertEqual(then.get_many(keys), [live.get(key) for key in keys])
        self.assertEqual([then.get(key) for key in keys], [live.get(key) for key in keys])
    middle = versions[150].key
    self.assertEqual(list(table.versions(start=middle)) +
                     list(table.versions(stop=middle)),
                     [v for v in versions if v.key >= middle] +
                     [v for v in versions if v.key < middle])
    self.assertEqual(list(table.versions(prefix=middle)),
                     [v for v in versions if v.key.startswith(middle)])
    with self.assertRaises(ValueError):
      table.snapshot(1 << 56)
    with self.assertRaises(ValueError):
      table.snapshot(-1)
    table.close()
    self.assertFalse(then.closed and False)

  def test_arrays_are_what_items_are(self):
    """Covers versions, deletions and snapshots, keys that are prefixes of others, and large
    values."""
    for seed in range(40):
      rnd = random.Random(seed)
      keys = {bytes(rnd.choices(b"ab", k=rnd.randrange(10))) * rnd.choice((1, 1, 9)) for _ in range(200)}
      path = temporary(f"versions-{seed}.ldb")
      with sstable.Writer(path, internal_keys=True, sync=False, block_size=rnd.choice((64, 4096)),
                          restart_interval=rnd.choice((1, 3, 16)),
                          compression=rnd.choice(("none", "snappy"))) as writer:
        for key in sorted(keys):
          for sequence in sorted(rnd.sample(range(50), rnd.choice((1, 1, 1, 3))), reverse=True):
            if rnd.random() < 0.1:
              writer.delete(key, sequence)
            else:
              writer.put(key, rnd.randbytes(rnd.choice((0, 3, 100, 100, 1000, 20000))), sequence)
      with sstable.open(path, internal_keys=True) as live, \
          sstable.open(path, internal_keys=False) as raw:
        for view in (raw, live, live.snapshot(10), live.snapshot(30)):
          for batch in (1, 5, 4096):
            self.assertEqual(of_arrays(view.scan_arrays(batch=batch)), list(view), seed)

  def test_a_snapshot_outlives_its_table(self):
    table = sstable.open(DATABASE_TABLE)
    then = table.snapshot(100)
    table.close()
    self.assertGreater(len(list(then)), 0)


class DatabaseTest(unittest.TestCase):

  def test_is_read(self):
    database = sstable.open_database(TABLES + "database")
    entries = dict(database)
    self.assertGreater(len(entries), 2)
    self.assertEqual(database.get_many(entries), list(entries.values()))
    self.assertEqual(database.problems, [])
    self.assertGreater(database.last_sequence, 5)
    for key, value in entries.items():
      self.assertEqual(database[key], value)
    self.assertEqual(dict(database.snapshot(0)), {})
    with database:
      iterator = database.items(reverse=True)
    self.assertEqual(list(iterator), list(entries.items())[::-1])
    with self.assertRaisesRegex(ValueError, "closed"):
      database.get(b"a")

  def test_damage_is_in_problems(self):
    folder = copy_database("damaged database")
    os.remove(os.path.join(folder, "000005.ldb"))
    with sstable.open_database(folder) as database:
      self.assertTrue(any(problem.is_damage and "000005" in problem.message
                          for problem in database.problems))
      self.assertEqual([key for key, _ in database], [b"colour/banana", b"price/banana", b"price/pear"])
      self.assertEqual(len(database.problems), len(set(database.problems)))
    with self.assertRaisesRegex(sstable.DataLoss, r"000005\.ldb: "):
      sstable.open_database(folder, strict=True)

  def test_notes_are_no_damage_even_if_strict(self):
    folder = copy_database("left over")
    shutil.copy(os.path.join(folder, "000005.ldb"), os.path.join(folder, "000002.ldb"))
    with sstable.open_database(folder, strict=True) as database:
      self.assertEqual([problem.is_damage for problem in database.problems], [False])
      self.assertEqual(list(database), list(sstable.open_database(TABLES + "database")))

  def test_last_sequence_is_the_highest_without_a_manifest(self):
    folder = copy_database("tables only")
    for name in os.listdir(folder):
      if not name.endswith(".ldb"):
        os.remove(os.path.join(folder, name))
    with sstable.open_database(folder) as database:
      highest = max(version.sequence for version in database.history())
      self.assertGreater(highest, 1)
      self.assertEqual(database.last_sequence, highest)
      self.assertEqual(list(database.snapshot(database.last_sequence)), list(database))

  def test_history_has_every_version(self):
    with sstable.open_database(TABLES + "database") as database:
      history = list(database.history())
      self.assertEqual(len(history), 9)
      self.assertEqual(history[1:5], [
          (b"colour/banana", 6, False, b"yellow"), (b"colour/banana", 2, False, b"green"),
          (b"colour/cherry", 7, True, b""), (b"colour/cherry", 3, False, b"black")])
      self.assertEqual(list(database.history(b"colour/banana", b"price/apple")), history[1:5])
      self.assertEqual(list(database.history(start=b"price/b")), history[6:])
      self.assertEqual(list(database.history(b"x")), [])
      self.assertEqual(list(database.snapshot(3).history(b"colour/b", b"p")),
                       [history[2], history[4]])
      iterator = database.history()
    self.assertEqual(next(iterator).key, b"colour/apple")

  def test_iterations_skip_damage(self):
    folder = copy_database("damaged block")
    with open(os.path.join(folder, "000005.ldb"), "r+b") as table:
      table.seek(20)
      table.write(b"damage")
    left = [b"colour/banana", b"price/banana", b"price/pear"]
    with sstable.open_database(folder) as database:
      before = database.problems
      for entries in (database, database.items(reverse=True), database.snapshot(100)):
        self.assertEqual(sorted(key for key, _ in entries), left)
      self.assertEqual({version.key for version in database.history()}, {*left, b"colour/cherry"})
      added = database.problems[len(before):]
      self.assertEqual(len(added), 1)
      self.assertRegex(added[0].message, r"000005\.ldb: data block at offset 0 \(107 bytes\): crc32c")
      self.assertTrue(added[0].is_damage)
      with self.assertRaises(sstable.DataLoss):
        database.get(b"colour/apple")
      self.assertEqual(database.get(b"price/pear"), b"1.50")
    with sstable.open_database(folder, strict=True) as database:
      with self.assertRaises(sstable.DataLoss):
        list(database)

  def test_check_and_salvage(self):
    folder, out = copy_database("to check"), temporary("rescued")
    sound = sstable.check(folder)
    self.assertEqual((sound.ok, sound.entries, sound.problems), (True, 7, []))
    self.assertEqual(sstable.salvage(folder, out)[:2], (True, 9))
    with sstable.open_database(folder) as old, sstable.open_database(out) as new:
      self.assertEqual(dict(new), dict(old))
    with open(os.path.join(folder, "000005.ldb"), "r+b") as table:
      table.seek(20)
      table.write(b"damage")
    check = sstable.check(os.fspath(folder))
    self.assertEqual(check.problem_count, len(check.problems))
    self.assertRegex(check.problems[0].message, r"000005\.ldb: data block at offset 0 \(107 bytes\): ")
    with sstable.open_database(folder) as database:
      self.assertEqual(database.check(max_problems=0), (check.entries, check.problem_count, []))
    with sstable.open_database(os.path.relpath(folder)) as database:
      here = os.getcwd()
      os.chdir("/")
      result = database.salvage(out + " again")
      os.chdir(here)
    self.assertFalse(result.complete)
    self.assertTrue(any("000005.ldb" in problem.message for problem in result.problems))
    with self.assertRaises(sstable.AlreadyExists):  # since it is not empty
      sstable.salvage(folder, out)
    self.assertRegex(result.problems[0].message, r"^000005\.ldb: offset \d+ \(\d+ bytes\): lost: ")
    with sstable.open_database(out + " again") as new:
      self.assertEqual(list(new.keys()), [b"colour/banana", b"price/banana", b"price/pear"])
    for function in (sstable.check, lambda path: sstable.salvage(path, temporary("none"))):
      with self.assertRaises(sstable.NotFound):
        function("no such folder")
    self.assertTrue(sstable.check(ELEMENTS).ok)
    for function, path in ((sstable.open, ELEMENTS), (sstable.open_database, out)):
      self.assertEqual(function(os.fsencode(path)).name, path)

  def test_damage_in_a_log_is_in_problems_or_strict(self):
    folder = copy_database("damaged log")
    with open(os.path.join(folder, "000010.log"), "r+b") as log:
      log.seek(60)
      log.write(b"damage")
    with sstable.open_database(folder) as database:
      self.assertEqual([p.is_damage for p in database.problems], [True])
      self.assertIsNone(database.get(b"price/pear"))
      self.assertNotIn(b"price/pear", dict(database))
    with self.assertRaisesRegex(sstable.DataLoss, r"000010\.log: .*offset \d"):
      sstable.open_database(folder, strict=True)
    # Reads entries after damage in a log block, as `sst dump` does.
    write_log(folder, 100, b"b", b"after")
    with open(os.path.join(folder, "000012.log"), "r+b") as log:
      after = log.read()
      log.seek(0)
      log.write(log_record(b"a damaged record")[:-1] + b"?" + after)
    with sstable.open_database(folder) as database:
      self.assertEqual(dict(database).get(b"b"), b"after")

  def test_an_unknown_order_is_a_function(self):
    folder = copy_database("lengths")
    set_comparator(folder, b"no such order")
    with sstable.open_database(TABLES + "database") as database:
      entries = list(database)

    class Stopped(Exception):
      pass

    calls, allowed = [], [1 << 30]

    def compare(a, b):
      calls.append((a, b))
      if len(calls) > allowed[0]:
        raise Stopped
      return ((a > b) - (a < b)) << 40

    with self.assertRaisesRegex(sstable.Unimplemented, 'the comparator "no such order" is not known'):
      list(sstable.open_database(folder))
    database = sstable.open_database(folder, comparator=compare)
    self.assertEqual(list(database), entries)
    self.assertEqual(list(database.items(reverse=True, start=b"d")),
                     [entry for entry in entries if entry[0] > b"d"][::-1])
    self.assertEqual(of_arrays(database.scan_arrays()), entries)
    self.assertEqual(database.get_many([entries[0][0], b"none"]), [entries[0][1], None])
    self.assertTrue(calls)
    self.assertTrue(all(type(key) is bytes for pair in calls for key in pair))
    with self.assertRaisesRegex(sstable.FailedPrecondition, "bytewise order, .* start= and stop="):
      database.items(prefix=b"c")
    with self.assertRaisesRegex(TypeError, r"'idb_cmp1', expected a function \(bytes, bytes\) -> int"):
      sstable.open_database(folder, comparator="idb_cmp1")
    for function in (lambda: list(database), lambda: database.get(b"x"),
                     lambda: list(database.history()), lambda: list(database.items(start=b"d")),
                     lambda: list(database.scan_arrays())):
      allowed[0] = len(calls)
      with self.assertRaises(Stopped):
        function()
      allowed[0] = 1 << 30
      self.assertEqual(list(database), entries)
    with self.assertRaises(sstable.NotFound):
      sstable.open_database("none", comparator=compare)
    iterator, function = iter(database), weakref.ref(compare)
    del database, compare
    self.assertEqual(list(iterator), entries)
    del iterator
    gc.collect()
    self.assertIsNone(function())

  def test_a_check_has_the_problems_of_sst_check(self):
    def check(name, change):
      folder = copy_database(name)
      change(lambda file: os.path.join(folder, file))
      found = sstable.check(folder)
      self.assertEqual(found.problem_count, len(found.problems))
      return found

    found = check("unnamed table", lambda path: shutil.copy(path("000009.ldb"), path("000007.ldb")))
    self.assertEqual((found.ok, found.entries), (True, 7))
    found = check("missing", lambda path: os.remove(path("000009.ldb")))
    self.assertEqual((found.entries, [p.is_damage for p in found.problems]), (5, [True]))
    for name, change, message in (
        ("another table", lambda path: os.replace(path("000009.ldb"), path("000005.ldb")),
         r"000005\.ldb: first key is .*, the MANIFEST says "),
        ("older", lambda path: write_log(path(""), 1, b"colour/banana", b"old"),
         "000012.log: LevelDB finds an older version of a key before a newer one: "),
        ("damage", lambda path: os.truncate(path("000010.log"), 20) or
         write_log(path(""), 10, b"x", b"y"), r"000010\.log: "),
    ):
      found = check(name, change)
      self.assertTrue(any(p.is_damage and re.search(message, p.message) for p in found.problems),
                      found)
    found = check("unknown order", lambda path: set_comparator(path(""), b"no such order"))
    self.assertEqual((found.entries, [p.is_damage for p in found.problems]), (7, [False]))
    self.assertRegex(found.problems[0].message, 'the comparator "no such order" is not known')

  def test_check_and_sizes_read_what_the_view_reads(self):
    with sstable.open_database(TABLES + "database") as database:
      sound = database.check(), database.approximate_size(b"", b"colour/b")
    folder = copy_database("compacted")
    with sstable.open_database(folder) as database:
      for name in ("000005.ldb", "000009.ldb"):
        os.remove(os.path.join(folder, name))
      self.assertEqual((database.check(), database.approximate_size(b"", b"colour/b")), sound)
    folder = copy_database("of NetEase's edition")
    for name in ("000005.ldb", "000009.ldb", "MANIFEST-000008", "CURRENT"):
      with open(os.path.join(folder, name), "r+b") as file:
        data = file.read()
        file.seek(0)
        file.write(b"\x80\x1d\x30\x01" + bytes(a ^ b for a, b in zip(data, itertools.cycle(b"88329851"))))
    with sstable.open_database(folder) as database:
      self.assertEqual((database.check(), database.approximate_size(b"", b"colour/b")), sound)

  def test_approximate_sizes(self):
    with sstable.open_database(TABLES + "database") as database:
      whole = database.approximate_size(b"", b"\xff")
      self.assertEqual(whole, sum(entry.stat().st_size for entry in os.scandir(TABLES + "database")
                                  if entry.name.endswith(".ldb")))
      middle = b"colour/b"
      self.assertEqual(database.approximate_sizes((b"", middle), (middle, b"\xff"), (b"\xff", b"")),
                       [database.approximate_size(b"", middle),
                        whole - database.approximate_size(b"", middle), 0])
      with self.assertRaises(TypeError):
        database.approximate_size(1, 2)

  def test_that_the_manifest_is_older_comes_first(self):
    folder = copy_database("older manifest")
    with sstable.Writer(os.path.join(folder, "000011.ldb"), internal_keys=True) as writer:
      writer.put(b"colour/plum", b"purple", sequence=1000)
    with sstable.open_database(folder) as database:
      self.assertTrue(database.problems[0].is_damage)
      self.assertRegex(database.problems[0].message,
                       "MANIFEST-000008: is older than the folder: no edit names 000011.ldb, and .*"
                       "; `sst salvage` reads them$")


class PackageTest(unittest.TestCase):

  def test_has_a_version_and_its_own_exceptions(self):
    self.assertRegex(sstable.__version__, r"^\d+\.\d+\.\d+$")
    for name in sstable.__all__:
      exception = getattr(sstable, name)
      if isinstance(exception, type) and issubclass(exception, Exception):
        self.assertEqual(f"{exception.__module__}.{exception.__name__}", f"sstable.{name}")


class ProcessesAndThreadsTest(unittest.TestCase):

  def test_threads_share_a_table_while_it_is_closed(self):
    for _ in range(20):
      table = sstable.open(ELEMENTS)
      wrong = []

      def read(table=table, wrong=wrong):
        try:
          while True:
            for key, value in elements()[:10]:
              if table[key] != value:
                wrong.append(key)
            if len(list(table)) != 627:
              wrong.append("iteration")
        except ValueError as error:
          if "closed" not in str(error):
            wrong.append(error)
        except BaseException as error:  # pylint: disable=broad-except
          wrong.append(error)

      threads = [threading.Thread(target=read) for _ in range(4)]
      for thread in threads:
        thread.start()
      table.close()
      for thread in threads:
        thread.join()
      self.assertEqual(wrong, [])

  def test_an_iterator_of_two_threads_is_refused_or_right(self):
    path = temporary("large.ldb")
    with sstable.Writer(path, sync=False) as writer:
      writer.put_many((b"%08d" % i, b"") for i in range(100000))
    entries = sstable.open(path).keys()
    found = [[], []]

    def read(mine):
      try:
        mine.extend(entries)
      except ValueError:  # "generator already executing"
        pass

    threads = [threading.Thread(target=read, args=(mine,)) for mine in found]
    for thread in threads:
      thread.start()
    for thread in threads:
      thread.join()
    every = sorted(found[0] + found[1])
    self.assertEqual(len(every), len(set(every)))

  def test_threads_share_an_iterator_while_it_is_closed(self):
    """Each entry must be returned at most once; after that, calls raise ClosedError."""
    for make in (sstable.open(ELEMENTS).keys, sstable.open(ELEMENTS).raw_iterator):
      for _ in range(20):
        iterator, found, wrong = make(), [[] for _ in range(4)], []

        def read(mine, iterator=iterator, wrong=wrong):
          try:
            if isinstance(iterator, sstable.RawIterator):
              while True:
                iterator.seek(b"g")
                if iterator.valid():
                  iterator.key()
            mine.extend(itertools.islice(iterator, 50))
            while True:
              mine.append(next(iterator))
          except (sstable.ClosedError, sstable.IteratorInvalidError, StopIteration):
            pass
          except BaseException as error:  # pylint: disable=broad-except
            wrong.append(error)

        threads = [threading.Thread(target=read, args=(mine,)) for mine in found]
        for thread in threads:
          thread.start()
        iterator.close()
        for thread in threads:
          thread.join()
        every = [key for mine in found for key in mine]
        self.assertEqual((wrong, len(every)), ([], len(set(every))))

  def test_a_spawned_process_opens_the_path(self):
    code = "import sstable, sys; print(len(list(sstable.open(sys.argv[1]))))"
    with sstable.open(ELEMENTS) as table:
      next(table.items())
      made = subprocess.run([sys.executable, "-c", code, ELEMENTS], check=True, capture_output=True,
                            env={**os.environ, "PYTHONPATH": os.path.abspath("python")})
    self.assertEqual(int(made.stdout), len(elements()))

  def test_a_forked_child_reads_on(self):
    for options in ({}, {"map_file": False, "block_cache": 1 << 20}):
      table, database = sstable.open(ELEMENTS, **options), sstable.open_database(TABLES + "database")
      iterator, entries = table.items(), dict(database)
      first = next(iterator)
      child = os.fork()
      if child == 0:
        try:
          os._exit(0 if [first, *iterator] == elements() == list(table) and
                   table[first[0]] == first[1] and dict(database) == entries else 1)
        finally:
          os._exit(2)
      self.assertEqual(os.waitpid(child, 0)[1], 0)
      self.assertEqual([first, *iterator], elements())
      self.assertEqual(dict(database), entries)

  def test_what_is_open_can_not_be_pickled_or_copied_deeply(self):
    table, database = sstable.open(ELEMENTS), sstable.open_database(TABLES + "database")
    for opened in (table, table._handle, database, database.snapshot(5), table.items(),
                   table.scan_arrays(), database.keys(), table.raw_iterator(), iter(table)):
      for function in (pickle.dumps, copy.deepcopy):
        with self.subTest(opened), self.assertRaises(TypeError):
          function(opened)
    with self.assertRaises(TypeError):
      copy.copy(table._handle)
    with self.assertRaisesRegex(TypeError, "open its path again"):
      pickle.dumps(table)
    copies = [copy.copy(table) for _ in range(3)]  # copies share the table, as snapshots do
    table.close()
    self.assertEqual([list(each) for each in copies], [elements()] * 3)
    self.assertTrue(pickle.loads(pickle.dumps(copies[0].check())).ok)

  def test_a_pool_gets_a_type_error_or_opens_the_path(self):
    with multiprocessing.get_context("fork").Pool(1) as pool, sstable.open(ELEMENTS) as table:
      with self.assertRaises(TypeError):
        pool.map(list, [table])
      self.assertEqual(len(pool.map(_entries, [ELEMENTS])[0]), len(elements()))


def _entries(path):
  with sstable.open(path) as table:
    return list(table)


class DecoderTest(unittest.TestCase):

  def write(self, name, entries, **options):
    path = temporary(name)
    with sstable.Writer(path, **options) as writer:
      for sequence, (key, value) in enumerate(sorted(entries.items())):
        writer.put(key, value, **({"sequence": sequence} if options else {}))
    return path

  def test_entries_are_decoded_and_stay_bytes_where_nothing_is_known(self):
    path = self.write("sublevels.ldb", {
        b"!actors!a": b'{"name":"Ann","id":12345678901234567890,"notes":[null,1.5]}',
        b"!actors!b": b"",
        b"!items!c": b"no json",
        b"\xff": b"1",
    })
    with sstable.open(path, decode="json") as table:
      self.assertEqual(list(table.decoded_items()), [
          ({"kind": "entry", "key": "a", "sublevels": ["actors"]},
           {"name": "Ann", "id": 12345678901234567890, "notes": [None, 1.5]}),
          ({"kind": "entry", "key": "b", "sublevels": ["actors"]}, b""),
          ({"kind": "entry", "key": "c", "sublevels": ["items"]}, b"no json"),
          (b"\xff", b"1"),
      ])
      last = next(table.decoded_items(prefix=b"!", reverse=True))
      self.assertEqual((last.key["key"], last.value), ("c", b"no json"))
      decoder = table.decoder
    self.assertEqual(decoder.decode(bytearray(b"!a!b"), memoryview(b"[]")).value, [])
    self.assertEqual(decoder.decode(b"!a!b").value, b"")
    self.assertEqual(decoder.doubt, "")
    self.assertIn(decoder.format, repr(decoder))
    with self.assertRaises(TypeError):
      decoder.decode("text")

  def test_a_database_has_names_of_indexed_db(self):
    path = self.write("indexed_db.ldb", {
        bytes.fromhex("00000000c9 01 0061 02 00620063"): bytes.fromhex("01" + 7 * "00"),
        bytes.fromhex("00010000 32 02 00"): bytes.fromhex("0061"),
        bytes.fromhex("00010201 03 000000000000f03f"):
            bytes.fromhex("05ff15fe" + 12 * "00" + "ff10 6f 22026964 4902 22016e 4e000000000000f87f 7b02"),
    }, internal_keys=True)
    folder = temporary("indexed_db")
    sstable.salvage(path, folder)
    for decode in ("auto", "chromium"):
      with sstable.open_database(folder, decode=decode) as database:
        self.assertEqual(database.decoder.format, "Chromium's IndexedDB")
        last = next(database.decoded_items(reverse=True))
        self.assertEqual(last.key, {"kind": "record", "database": "bc", "store": "a", "key": 1})
        self.assertEqual(last.value, {"id": 1, "n": {"$number": "NaN"}})
        version = list(database.history())[-1]
        self.assertEqual(database.decoder.decode(version.key, version.value), last)
        self.assertIsNotNone(database.snapshot(0).decoder)

  def test_what_python_does_not_read_stays_bytes(self):
    values = {b"!a!deep": 9000 * b"[" + 9000 * b"]", b"!a!long": 9000 * b"9"}
    with sstable.open(self.write("deep.ldb", values), decode="json") as table:
      for key, value in table.decoded_items():
        if isinstance(value, int):  # Python before 3.11 had no limit
          value = str(value).encode()
        self.assertEqual(value, values[b"!a!" + key["key"].encode()])

  def test_without_a_decoder(self):
    with sstable.open(ELEMENTS) as table, sstable.open(ELEMENTS, decode="bitcoin") as other:
      for each in (table, other):
        self.assertIsNone(each.decoder)
        with self.assertRaisesRegex(sstable.FailedPrecondition, "elements.ldb: has no decoder"):
          each.decoded_items()
    path = self.write("text.ldb", {b"key": b"value", b"other": b'{"a":1}'})
    for decode, is_decoded in (("json", True), ("auto", False)):  # a program's name is taken as given
      with sstable.open(path, decode=decode) as table:
        self.assertEqual(table.decoder is not None, is_decoded)
    with self.assertRaisesRegex(ValueError, "program is nothing, expected auto, chromium, "):
      sstable.open(ELEMENTS, decode="nothing")


if __name__ == "__main__":
  unittest.main()
