"""The C API from Python's ctypes, as any language that calls C would use it."""

import contextlib
import ctypes
import os
import resource
import sys
import unittest

LIBRARY = "c/libsstable_c.so"
TABLES = "tests/testdata/"

OK, INVALID_ARGUMENT, NOT_FOUND, RESOURCE_EXHAUSTED, DATA_LOSS = 0, 3, 5, 8, 15
INTERNAL_KEYS = 1
ABSENT, FOUND, DELETED = 0, 1, 2

_Pointer = ctypes.c_void_p
_Size = ctypes.c_size_t
_Message = ctypes.POINTER(ctypes.c_void_p)
_Out = ctypes.POINTER(ctypes.c_void_p)
_Bytes = [ctypes.c_char_p, _Size]

# Maps each function to its result and parameters. If it has a message, that is the last parameter.
_FUNCTIONS = {
    "sstable_free": (None, [_Pointer]),
    "sstable_builder_options_create": (_Pointer, []),
    "sstable_builder_options_destroy": (None, [_Pointer]),
    "sstable_builder_options_set_bloom_bits_per_key": (None, [_Pointer, ctypes.c_int]),
    "sstable_builder_create": (ctypes.c_int, [_Pointer, ctypes.c_char_p, _Out, _Message]),
    "sstable_builder_add": (ctypes.c_int, [_Pointer, *_Bytes, *_Bytes, _Message]),
    "sstable_builder_finish": (ctypes.c_int, [_Pointer, _Message]),
    "sstable_builder_destroy": (None, [_Pointer]),
    "sstable_reader_options_create": (_Pointer, []),
    "sstable_reader_options_destroy": (None, [_Pointer]),
    "sstable_reader_options_set_key_kind": (None, [_Pointer, ctypes.c_int]),
    "sstable_reader_open": (ctypes.c_int, [_Pointer, ctypes.c_char_p, _Out, _Message]),
    "sstable_reader_destroy": (None, [_Pointer]),
    "sstable_reader_get_at": (
        ctypes.c_int,
        [_Pointer, *_Bytes, ctypes.c_uint64, ctypes.POINTER(ctypes.c_int), _Out,
         ctypes.POINTER(_Size), _Message],
    ),
    "sstable_reader_get": (
        ctypes.c_int,
        [_Pointer, *_Bytes, ctypes.POINTER(ctypes.c_int), _Out, ctypes.POINTER(_Size), _Message],
    ),
    "sstable_reader_filter_status": (ctypes.c_int, [_Pointer, _Message]),
    "sstable_reader_filter_policy": (ctypes.c_char_p, [_Pointer]),
    "sstable_reader_check": (
        ctypes.c_int,
        [_Pointer, ctypes.POINTER(ctypes.c_uint64), ctypes.POINTER(ctypes.c_uint64), _Message],
    ),
    "sstable_iterator_create": (_Pointer, [_Pointer]),
    "sstable_iterator_destroy": (None, [_Pointer]),
    "sstable_iterator_valid": (ctypes.c_int, [_Pointer]),
    "sstable_iterator_seek_to_first": (None, [_Pointer]),
    "sstable_iterator_seek_to_last": (None, [_Pointer]),
    "sstable_iterator_seek": (None, [_Pointer, *_Bytes]),
    "sstable_iterator_next": (None, [_Pointer]),
    "sstable_iterator_prev": (None, [_Pointer]),
    "sstable_iterator_key": (_Pointer, [_Pointer, ctypes.POINTER(_Size)]),
    "sstable_iterator_value": (_Pointer, [_Pointer, ctypes.POINTER(_Size)]),
    "sstable_iterator_status": (ctypes.c_int, [_Pointer, _Message]),
}


def _load():
  library = ctypes.CDLL(os.path.abspath(LIBRARY))
  for name, (result, parameters) in _FUNCTIONS.items():
    function = getattr(library, name)
    function.restype = result
    function.argtypes = parameters
  return library


class SstableError(Exception):

  def __init__(self, code, message):
    super().__init__(message)
    self.code = code


def call(function, *arguments):
  """Calls a function that takes a message. If it fails, raises an exception with the message."""
  message = ctypes.c_void_p()
  code = function(*arguments, ctypes.byref(message))
  if code == OK:
    assert message.value is None
    return
  text = ctypes.string_at(message.value).decode()
  C.sstable_free(message)
  raise SstableError(code, text)


def build(path, entries, bits_per_key):
  options = C.sstable_builder_options_create()
  C.sstable_builder_options_set_bloom_bits_per_key(options, bits_per_key)
  builder = ctypes.c_void_p()
  call(C.sstable_builder_create, options, path.encode(), ctypes.byref(builder))
  C.sstable_builder_options_destroy(options)
  try:
    for key, value in entries:
      call(C.sstable_builder_add, builder, key, len(key), value, len(value))
    call(C.sstable_builder_finish, builder)
  finally:
    C.sstable_builder_destroy(builder)


class Table:

  def __init__(self, path, key_kind=0):
    options = C.sstable_reader_options_create()
    C.sstable_reader_options_set_key_kind(options, key_kind)
    self.reader = ctypes.c_void_p()
    try:
      call(C.sstable_reader_open, options, path.encode(), ctypes.byref(self.reader))
    finally:
      C.sstable_reader_options_destroy(options)

  def __del__(self):
    C.sstable_reader_destroy(self.reader)

  def get(self, key, snapshot=None):
    """Returns the value of a key, or ABSENT or DELETED."""
    presence, value, size = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_size_t()
    results = ctypes.byref(presence), ctypes.byref(value), ctypes.byref(size)
    if snapshot is None:
      call(C.sstable_reader_get, self.reader, key, len(key), *results)
    else:
      call(C.sstable_reader_get_at, self.reader, key, len(key), snapshot, *results)
    if presence.value != FOUND:
      return presence.value
    copy = ctypes.string_at(value.value, size.value)
    C.sstable_free(value)
    return copy

  def check(self):
    problems, entries = ctypes.c_uint64(), ctypes.c_uint64()
    call(C.sstable_reader_check, self.reader, ctypes.byref(problems), ctypes.byref(entries))
    return entries.value

  @contextlib.contextmanager
  def iterator(self):
    iterator = C.sstable_iterator_create(self.reader)
    yield iterator
    C.sstable_iterator_destroy(iterator)

  def entries(self, start=None, reverse=False):
    with self.iterator() as iterator:
      if start is not None:
        C.sstable_iterator_seek(iterator, start, len(start))
      elif reverse:
        C.sstable_iterator_seek_to_last(iterator)
      else:
        C.sstable_iterator_seek_to_first(iterator)
      size = ctypes.c_size_t()
      while C.sstable_iterator_valid(iterator):
        key = C.sstable_iterator_key(iterator, ctypes.byref(size))
        key = ctypes.string_at(key, size.value)
        value = C.sstable_iterator_value(iterator, ctypes.byref(size))
        yield key, ctypes.string_at(value, size.value)
        if reverse:
          C.sstable_iterator_prev(iterator)
        else:
          C.sstable_iterator_next(iterator)
      call(C.sstable_iterator_status, iterator)


def elements():
  with open(TABLES + "elements.tsv", "rb") as file:
    return [tuple(line.rstrip(b"\n").split(b"\t")) for line in file]


class CApiTest(unittest.TestCase):

  def setUp(self):
    self.path = os.path.join(os.environ["TEST_TMPDIR"], self.id() + ".ldb")

  def test_reads_back_every_pair_of_bytes(self):
    keys = [b""] + [bytes([a]) for a in range(256)]
    keys += [bytes([a, b]) for a in range(256) for b in range(0, 256, 5)]
    entries = [(key, key[::-1] * 3) for key in sorted(keys)]
    build(self.path, entries, bits_per_key=10)

    table = Table(self.path)
    self.assertEqual(list(table.entries()), entries)
    self.assertEqual(list(table.entries(reverse=True)), entries[::-1])
    self.assertEqual(list(table.entries(start=b"\x80\x01")),
                     [entry for entry in entries if entry[0] >= b"\x80\x01"])
    for key, value in entries:
      self.assertEqual(table.get(key), value)
    for a in range(256):
      self.assertEqual(table.get(bytes([a, 1])), ABSENT)
    self.assertEqual(table.check(), len(entries))
    call(C.sstable_reader_filter_status, table.reader)

  def test_reads_leveldbs_table(self):
    table = Table(TABLES + "leveldb-1.23-elements.ldb")
    self.assertEqual(list(table.entries()), elements())
    for key, value in elements():
      self.assertEqual(table.get(key), value)
      self.assertEqual(table.get(key + b"\0"), ABSENT)
    self.assertEqual(C.sstable_reader_filter_policy(table.reader),
                     b"leveldb.BuiltinBloomFilter2")

  def test_reads_a_leveldb_databases_table_at_each_snapshot(self):
    table = Table(TABLES + "leveldb-1.23-database.ldb", key_kind=INTERNAL_KEYS)
    versions = {}
    for key, value in table.entries():
      tag = int.from_bytes(key[-8:], "little")
      versions.setdefault(key[:-8], []).append((tag >> 8, DELETED if tag & 255 == 0 else value))
    self.assertEqual(sum(len(found) for found in versions.values()), 335)
    for key, newest_first in versions.items():
      self.assertEqual(table.get(key), newest_first[0][1])
      for sequence, value in newest_first:
        self.assertEqual(table.get(key, sequence), value)
      self.assertEqual(table.get(key, newest_first[-1][0] - 1), ABSENT)

  def test_an_error_names_file_block_and_offset(self):
    table = Table(TABLES + "damaged-data-block.ldb")
    place = "^" + TABLES + r"damaged-data-block\.ldb: data block at offset 2049 \(2109 bytes\): "
    found = []
    with self.assertRaisesRegex(SstableError, place) as raised:
      found.extend(table.entries())
    self.assertEqual(raised.exception.code, DATA_LOSS)
    self.assertEqual(found, elements()[:len(found)])
    lost = elements()[len(found)][0]
    with self.assertRaisesRegex(SstableError, place):
      table.get(lost)
    with self.assertRaisesRegex(SstableError, place):
      table.check()

  def test_other_errors_have_their_codes(self):
    with self.assertRaisesRegex(SstableError, "no-such.ldb") as raised:
      Table("no-such.ldb")
    self.assertEqual(raised.exception.code, NOT_FOUND)
    with self.assertRaisesRegex(SstableError, "key") as raised:
      build(self.path, [(b"b", b"1"), (b"a", b"2")], bits_per_key=0)
    self.assertEqual(raised.exception.code, INVALID_ARGUMENT)
    self.assertEqual(os.path.exists(self.path), False)

  def test_too_little_memory_is_an_error(self):
    value = bytes(1 << 27)
    with open("/proc/self/statm", encoding="ascii") as statm:
      used = int(statm.read().split()[0]) * resource.getpagesize()
    limits = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 26), limits[1]))
    try:
      with self.assertRaisesRegex(SstableError, "out of memory") as raised:
        build(self.path, [(b"a", value)], bits_per_key=0)
    finally:
      resource.setrlimit(resource.RLIMIT_AS, limits)
    self.assertEqual(raised.exception.code, RESOURCE_EXHAUSTED)
    self.assertEqual(os.path.exists(self.path), False)


if __name__ == "__main__":
  with open(LIBRARY, "rb") as file:
    contents = file.read()
  if any(name in contents for name in (b"__asan_", b"__tsan_", b"__ubsan_")):
    print("Skipped: a sanitizer's library can't be loaded into Python.")
    sys.exit(0)
  C = _load()
  unittest.main()
