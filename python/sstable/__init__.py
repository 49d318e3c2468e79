"""Reads and writes LevelDB's tables, and reads its databases' folders.

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
  """Opens a table. Damage in a data block is not an error: iterations skip the block, and
  Table.problems lists what was skipped. Getting a key that may be in the block raises DataLoss.

  internal_keys  whether it is a database's table; None: detected from the keys of a few blocks
  use_filter     whether lookups consult its filter
  verify         checksums of data blocks: "first_touch", "always" or "never"
  block_cache    bytes of a cache of uncompressed blocks
  map_file       maps the file into memory: fastest, but truncating it raises SIGBUS in the process
  max_work       limit on the total size of keys and uncompressed blocks read, in multiples of the
                 file's size (at least 10 MiB); 0: no limit, except 100 for each check
  strict         an iteration raises DataLoss at damage
  decode         the program that wrote it, as in `sst dump --decode`; "auto": detected. See
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
  """Opens the current state of a LevelDB folder. Takes no lock and writes nothing, so a
  program may have it open. Damage is not an error: iterations skip it, so that keys may be missing
  or have older values, and Database.problems lists what was skipped. Getting a key that may be in a
  damaged part of a table still raises DataLoss; damage in a log is only in Database.problems.

  strict      any damage raises DataLoss, which names the file and, if known, the offset: damage in
              logs and the MANIFEST and missing files now, a damaged block of a table when an
              iteration reaches it
  comparator  the order of keys, if the library does not know it: a function of two keys that returns
              a number below 0, 0 or above 0. Its exceptions reach the caller.
  decode      the program that wrote it, as in `sst dump --decode`; "auto": detected. See
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
  """Reads all of a table or of a database's folder, and finds its problems, continuing after
  damage."""
  if os.path.isdir(path):
    return open_database(path).check()
  return open(path).check()
