"""Reads and writes LevelDB tables, and reads LevelDB databases.

  with sstable.open("000005.ldb") as table:
    table[b"key"]
    for key, value in table.items(prefix=b"user:"):
      ...

  with sstable.Writer("new.ldb", filter="bloom:10") as writer:
    writer.put(b"key", b"value")

See python/README.md for the rest.
"""

import os
from ctypes import byref
from typing import Any, Callable, Optional

from sstable import _library
from sstable._decoder import Decoded, Decoder, choose as _choose_decoder
from sstable._iterators import Arrays, ArrayScan, EntryIterator, RawIterator
from sstable._library import (MAX_SEQUENCE, Aborted, AlreadyExists, ClosedError, DataLoss, Error,
                              FailedPrecondition, InvalidArgument, IteratorInvalidError, NotFound,
                              PermissionDenied, ResourceExhausted, Unavailable, Unimplemented)
from sstable._readers import (Check, Database, FilterFacts, PrefixedView, Problem, Salvage, Table,
                              Version, salvage)
from sstable._writer import Writer

__version__ = _library.C.version().decode()

# Tracebacks then show the names that programs use in `except`.
for _error in (ClosedError, Error, *Error.__subclasses__()):
  _error.__module__ = "sstable"

__all__ = [
    "Aborted", "AlreadyExists", "ArrayScan", "Arrays", "Check", "ClosedError", "DataLoss",
    "Database", "Decoded", "Decoder", "EntryIterator", "Error", "FailedPrecondition", "FilterFacts",
    "InvalidArgument", "IteratorInvalidError", "MAX_SEQUENCE", "NotFound", "PermissionDenied",
    "PrefixedView", "Problem", "RawIterator", "ResourceExhausted", "Salvage", "Table",
    "Unavailable", "Unimplemented", "Version", "Writer", "check", "open", "open_database",
    "salvage",
]


def open(path: Any, *, internal_keys: Optional[bool] = None, use_filter: bool = True,
         verify: str = "first_touch", block_cache: int = 0, map_file: bool = True,
         max_work: int = 0, strict: bool = False, decode: Optional[str] = None) -> Table:
  """Opens a table. Raises NotFound if there is no such file, and DataLoss if it is not a table.

  Damage in a data block raises nothing here. Iterations skip the block, and Table.problems lists
  what was skipped. Getting a key that may be in the block raises DataLoss.

  internal_keys whether it is a database's table; None: detected from the keys of a few blocks
  use_filter whether lookups consult the table's filter verify when to verify checksums of data
  blocks: "first_touch", "always" or "never" block_cache size of the cache of uncompressed blocks,
  in bytes; 0: no cache map_file whether to map the file into memory. That is fastest, but the
  process gets SIGBUS if
                 the file is truncated
  max_work       limit on the total size of keys and uncompressed blocks read, in multiples of the
                 file's size (at least 10 MiB); 0: no limit, except 100 for each check
  strict         whether an iteration raises DataLoss at damage instead of skipping it
  decode         the program whose entries it has, as in `sst dump --decode`; "auto": detected. See
                 Table.decoder
  """
  modes = ("first_touch", "always", "never")
  if verify not in modes:
    raise ValueError(f"verify is {verify!r}, expected one of {modes}")
  options = _library.C.reader_options_create()
  if not options:
    raise MemoryError
  _library.C.reader_options_set_key_kind(options, _library.KEY_KINDS[internal_keys])
  _library.C.reader_options_set_use_filter(options, use_filter)
  _library.C.reader_options_set_verify(options, modes.index(verify))
  _library.C.reader_options_set_map_file(options, map_file)
  _library.C.reader_options_set_max_work(options, max_work)
  if block_cache:
    _library.call(_library.C.reader_options_set_block_cache, options, block_cache)
  reader = _library.Reader()
  _library.call(_library.C.reader_open, options, _library.as_path(path), byref(reader))
  if not strict:
    _library.call(_library.C.reader_skip_damage, reader)
  decoder = _choose_decoder(_library.C.decoder_create, reader, decode)
  return Table(reader, os.fsdecode(path), decoder)


def open_database(folder: Any, *, strict: bool = False,
                  comparator: Optional[Callable[[bytes, bytes], int]] = None,
                  decode: Optional[str] = None) -> Database:
  """Opens the current state of a LevelDB database. Takes no lock and writes nothing, so another
  program may have it open. Raises NotFound if the folder does not exist or is not a database, and
  Aborted if it keeps changing.

  Damage raises nothing here. Iterations skip it, so keys may be missing or have older values;
  Database.problems lists what was skipped. Getting a key that may be in a damaged part of a table
  raises DataLoss. Damage in a log only appears in Database.problems.

  strict      whether all damage raises DataLoss, with the file and, if known, the offset. Damage in
              logs or the MANIFEST and missing files raise it here; a damaged block of a table
              raises it when an iteration reaches the block
  comparator  the order of keys, if the library does not know it: a function of two keys that returns
              a number below 0, 0 or above 0. Its exceptions propagate to the caller
  decode      the program whose entries it has, as in `sst dump --decode`; "auto": detected. See
              Database.decoder
  """
  if comparator is not None and not callable(comparator):
    raise TypeError(f"comparator is {comparator!r}, expected a function (bytes, bytes) -> int")
  database = _library.Database()
  if comparator is None:
    _library.call(_library.C.database_open, _library.as_path(folder), byref(database))
  else:
    _library.open_in_order(_library.as_path(folder), comparator, database)
  if not strict:
    _library.call(_library.C.database_skip_damage, database)
  decoder = _choose_decoder(_library.C.decoder_create_database, database, decode)
  opened = Database(database, os.fsdecode(folder), decoder)
  if strict:
    for problem in opened.problems:
      if problem.is_damage:
        raise DataLoss(problem.message)
  return opened


def check(path: Any) -> Check:
  """Reads a whole table, or all files of a database, and finds its problems, of which the result
  lists the first 1000. Damage does not raise."""
  if os.path.isdir(path):
    return open_database(path).check()
  return open(path).check()
