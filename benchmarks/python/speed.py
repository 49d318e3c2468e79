#!/usr/bin/env python3
"""Compares the speed of the Python package with plyvel's, on one table that LevelDB compacted.

Prints nanoseconds of CPU time per entry or key, the best of several interleaved rounds, and the ratio to
plyvel.

Usage: PYTHONPATH=FOLDER benchmarks/python/speed.py [ENTRIES [ROUNDS]], where FOLDER has the package and
its library, such as an unpacked wheel.
"""

import os
import random
import sys
import tempfile
import time

import plyvel
import sstable


def consume(iterator):
  for _, _ in iterator:
    pass


def scan(table):
  for part in table.scan_arrays():
    part.keys  # pylint: disable=pointless-statement


def timed(function):
  start = time.process_time()
  function()
  return time.process_time() - start


def measure(title, count, rounds, rows):
  """Times each row, a name and a function that processes `count` items. The first row is plyvel's."""
  times = {name: [] for name, _ in rows}
  for _ in range(rounds):
    for name, function in rows:
      times[name].append(timed(function))
  nanoseconds = {name: min(found) / count * 1e9 for name, found in times.items()}
  first = nanoseconds[rows[0][0]]
  for name, found in nanoseconds.items():
    print(f"{title:28}  {name:24}  {found:8.1f} ns  {first / found:6.2f}x", flush=True)


def compare(folder, entries, rounds, compression, value_size):
  rnd = random.Random(1)
  options = {"compression": compression, "bloom_filter_bits": 10, "lru_cache_size": 1 << 30,
             "max_file_size": 1 << 30, "write_buffer_size": 1 << 30}
  theirs = plyvel.DB(folder, create_if_missing=True, **options)
  text = rnd.randbytes(1 << 16).hex().encode()
  for i in range(entries):
    start = rnd.randrange(len(text) - value_size)
    theirs.put(b"key%013d" % i, text[start:start + value_size])
  theirs.close()
  theirs = plyvel.DB(folder, **options)  # opening it has converted the log to a table
  theirs.compact_range()
  table_path, = [entry.path for entry in os.scandir(folder) if entry.name.endswith(".ldb")]
  title = f"{compression or 'none'}, values of {value_size}"
  with sstable.open(table_path, internal_keys=False) as raw, \
      sstable.open(table_path, internal_keys=True, block_cache=1 << 30) as ours, \
      sstable.open_database(folder) as database:
    measure(title, entries, rounds, [
        ("plyvel: for k, v in db", lambda: consume(theirs)),
        ("table", lambda: consume(ours)),
        ("table, all entries", lambda: consume(raw)),
        ("database", lambda: consume(database)),
        ("scan_arrays", lambda: scan(ours)),
        ("scan_arrays, all entries", lambda: scan(raw)),
    ])
    keys = [b"key%013d" % rnd.randrange(entries) for _ in range(1000)]
    measure(title, 1000, rounds * 5, [
        ("plyvel: get", lambda: [theirs.get(key) for key in keys]),
        ("get", lambda: [ours.get(key) for key in keys]),
        ("get_many", lambda: ours.get_many(keys)),
        ("database.get_many", lambda: database.get_many(keys)),
    ])
  theirs.close()


def main(entries=200000, rounds=7):
  for compression in (None, "snappy"):
    for value_size in (16, 100):
      with tempfile.TemporaryDirectory() as folder:
        compare(folder, int(entries), int(rounds), compression, value_size)


if __name__ == "__main__":
  main(*sys.argv[1:])
