"""This package must read what plyvel reads, from random folders and random tables that LevelDB
wrote.

Argument: the number of each.
"""

import os
import random
import sys
import unittest

import numpy
import plyvel

sys.path.insert(0, "tests/db/folders")
from folder_maker import FolderMaker  # pylint: disable=wrong-import-position
from package import of_arrays, sstable, temporary

COUNT = int(sys.argv.pop(1))


def random_bound(rnd, keys):
  kind = rnd.randrange(4)
  if kind == 0:
    return None
  if kind == 1 or not keys:
    return rnd.randbytes(rnd.randrange(4))
  key = rnd.choice(keys)
  return key if kind == 2 else key[:rnd.randrange(len(key) + 1)]


def is_within(key, start=None, stop=None, include_start=True, include_stop=False, prefix=b"", **_):
  return (key.startswith(prefix) and
          (start is None or key > start or (key == start and include_start)) and
          (stop is None or key < stop or (key == stop and include_stop)))


class PlyvelTest(unittest.TestCase):

  def assert_same(self, ours, theirs, rnd):
    """Checks that all ways of reading return the same entries."""
    entries = list(theirs)
    keys = [key for key, _ in entries]
    self.assertEqual(list(ours), entries)
    self.assertEqual(list(ours.items(reverse=True)), entries[::-1])
    for batch in (1, 7, 4096):
      self.assertEqual(of_arrays(ours.scan_arrays(batch=batch)), entries)
    for _ in range(20):
      options = {"reverse": rnd.random() < 0.5}
      if rnd.random() < 0.3:
        options["prefix"] = random_bound(rnd, keys) or b""
      else:
        options.update(start=random_bound(rnd, keys), stop=random_bound(rnd, keys),
                       include_start=rnd.random() < 0.5, include_stop=rnd.random() < 0.5)
      expected = [entry for entry in entries if is_within(entry[0], **options)]
      if not options["reverse"]:  # in reverse, plyvel omits a key that is the only one
        self.assertEqual(list(theirs.iterator(**options)), expected, options)
      if options.pop("reverse"):
        self.assertEqual(list(ours.iterator(reverse=True, **options)), expected[::-1], options)
      else:
        self.assertEqual(list(ours.iterator(**options)), expected, options)
      if "prefix" not in options:
        del options["include_start"], options["include_stop"]
      expected = [entry for entry in entries if is_within(entry[0], **options)]
      arrays = ours.scan_arrays(batch=rnd.choice((1, 7, 1 << 14)), **options)
      self.assertEqual(of_arrays(arrays), expected)
    asked = [random_bound(rnd, keys) or b"" for _ in range(200)] + keys[:200]
    expected = [theirs.get(key) for key in asked]
    self.assertEqual(ours.get_many(asked), expected)
    self.assertEqual([ours.get(key) for key in asked], expected)

  def test_folders(self):
    root = temporary("folders")
    os.mkdir(root)
    for seed in range(COUNT):
      with self.subTest(seed=seed):
        folder = FolderMaker(seed, root).make()
        with sstable.open_database(folder) as ours:
          theirs = plyvel.DB(folder)
          self.assert_same(ours, theirs, random.Random(seed))
          theirs.close()

  def test_tables(self):
    """Reads tables that LevelDB compacted, and copies of them that our Writer made, and compares
    both with what LevelDB reads."""
    for seed in range(COUNT):
      with self.subTest(seed=seed):
        rnd = random.Random(seed)
        folder = temporary(f"table-{seed}")
        theirs = plyvel.DB(folder, create_if_missing=True, write_buffer_size=64 << 20,
                           compression=rnd.choice((None, "snappy")),
                           bloom_filter_bits=rnd.choice((0, 10)),
                           block_size=rnd.choice((256, 4096)))
        alphabet = rnd.choice((b"ab", bytes(range(256))))
        for _ in range(rnd.choice((1, 100, 3000))):
          theirs.put(bytes(rnd.choices(alphabet, k=rnd.randrange(12))),
                     rnd.randbytes(rnd.choice((0, 5, 100, 300))))
        theirs.compact_range()
        path, = [entry.path for entry in os.scandir(folder) if entry.name.endswith(".ldb")]
        with sstable.open(path, internal_keys=True) as ours:
          self.assert_same(ours, theirs, rnd)
          self.assertTrue(ours.check().ok)
        copy = os.path.join(folder, "copy")
        with sstable.Writer(copy, sync=False, filter=rnd.choice(("none", "bloom:10", "bloom:2%")),
                            table_filter=rnd.choice(("none", "blocked:10", "fuse8")),
                            block_size=rnd.choice((256, 4096))) as writer:
          writer.put_many(theirs)
        with sstable.open(copy, internal_keys=False) as ours:
          self.assert_same(ours, theirs, rnd)
          self.assertTrue(ours.check().ok)
        theirs.close()


if __name__ == "__main__":
  print(f"numpy {numpy.__version__}, plyvel {plyvel.__version__}")
  unittest.main()
