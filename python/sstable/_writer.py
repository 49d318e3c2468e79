"""Writes tables."""

import itertools
import os
import threading
from ctypes import byref
from typing import Any, Iterable, Optional, Tuple

from sstable._library import (C, KEY_KINDS, MAX_SEQUENCE, Builder, BuilderOptions, ClosedError,
                              address, as_bytes, as_path, call, join)

_BATCH = 1024  # entries that put_many() adds at a time
_COMPRESSIONS = {"none": 0, "snappy": 1, "zstd": 2, "zlib": 3, "deflate": 4}
_TABLE_FILTERS = {"none": 0, "blocked": 1, "fuse8": 2, "fuse16": 3}


class Writer:
  """Writes a table. The file appears at its path only when it is complete: when finish() returns,
  or at the end of a `with` block that raises nothing. After an error, the path is unchanged.

  Keys must be added in ascending order. Options are those of `sst build`:
    filter         none, bloom:BITS (per key) or bloom:RATE% (of absent keys that pass)
    table_filter   none, blocked:BITS (per key), fuse8 or fuse16; LevelDB ignores this filter
    compression    none, snappy, zstd[:LEVEL], zlib[:LEVEL] or deflate[:LEVEL]
    block_size     bytes, before compression
    threads        number of threads that compress
    internal_keys  writes a database's table: put() and delete() need a sequence
    sync           syncs the file to disk before it appears
    replace        replaces an existing file; otherwise one that is not empty raises AlreadyExists

  Threads may share a writer. A forked child can't use its parent's writer, nor affect it.
  """

  def __init__(self, path: Any, *, filter: Optional[str] = None,
               table_filter: Optional[str] = None, compression: str = "snappy",
               block_size: int = 4096, restart_interval: int = 16, threads: int = 1,
               internal_keys: bool = False, sync: bool = True, replace: bool = False) -> None:
    options: BuilderOptions = C.builder_options_create()
    if not options:
      raise MemoryError
    if filter is not None:
      _set_filter(options, filter)
    if table_filter is not None:
      kind, number = _parse(table_filter, _TABLE_FILTERS)
      C.builder_options_set_table_filter(options, kind, 0 if number is None else number)
    kind, number = _parse(compression, _COMPRESSIONS)
    C.builder_options_set_compression(options, kind)
    if number is not None:
      C.builder_options_set_compression_level(options, number)
    C.builder_options_set_block_size(options, block_size)
    C.builder_options_set_restart_interval(options, restart_interval)
    C.builder_options_set_compression_threads(options, threads)
    C.builder_options_set_key_kind(options, KEY_KINDS[internal_keys])
    C.builder_options_set_sync(options, sync)
    C.builder_options_set_replace(options, replace)
    self.path = path
    self._internal_keys = internal_keys
    self._lock = threading.Lock()  # the builder is for one thread at a time
    self._builder: Optional[Builder] = None
    builder = Builder()
    call(C.builder_create, options, as_path(path), byref(builder))
    self._builder = builder

  def _open_builder(self) -> Builder:
    builder = self._builder
    if builder is None:
      raise ClosedError(f"{self.path!r}: the writer is closed")
    if builder.process != os.getpid():
      raise ValueError(f"{self.path!r}: the writer is another process's")
    return builder

  def _key(self, key: bytes, sequence: Optional[int], kind: int) -> bytes:
    key = as_bytes(key)
    if not self._internal_keys:
      if sequence is not None:
        raise TypeError("a sequence needs internal_keys=True")
      return key
    if sequence is None or not 0 <= sequence <= MAX_SEQUENCE:
      raise ValueError(f"sequence is {sequence}, expected 0 to {MAX_SEQUENCE}")
    return key + (sequence << 8 | kind).to_bytes(8, "little")

  def put(self, key: bytes, value: bytes, sequence: Optional[int] = None) -> None:
    """Adds an entry. Raises InvalidArgument if its key is not above the last one. After an error of
    the library, the table can't be finished."""
    self._add(self._key(key, sequence, 1), as_bytes(value))

  def delete(self, key: bytes, sequence: int) -> None:
    """Adds a deletion. Raises TypeError unless the writer has internal keys."""
    if not self._internal_keys:
      raise TypeError("a deletion needs internal_keys=True")
    self._add(self._key(key, sequence, 0), b"")

  def _add(self, key: bytes, value: bytes) -> None:
    with self._lock:
      call(C.builder_add, self._open_builder(), key, len(key), value, len(value))

  def put_many(self, items: Iterable[Tuple[bytes, bytes]]) -> None:
    """Adds pairs of key and value. Much faster than put(). A writer with internal_keys expects
    internal keys here."""
    entries = iter(items)
    while True:
      batch = list(itertools.islice(entries, _BATCH))
      if not batch:
        return
      keys, key_sizes = join([key for key, _ in batch])
      values, value_sizes = join([value for _, value in batch])
      with self._lock:
        call(C.builder_add_many, self._open_builder(), len(batch), keys, address(key_sizes),
             values, address(value_sizes))

  def finish(self) -> None:
    """Completes the table, which then is at its path. The writer is closed, even after an error."""
    with self._lock:
      builder, self._builder = self._open_builder(), None
      call(C.builder_finish, builder)

  def abandon(self) -> None:
    """Discards the table. Does nothing after finish()."""
    with self._lock:
      self._builder = None

  @property
  def entry_count(self) -> int:
    """The number of entries added so far."""
    return C.builder_entry_count(self._open_builder())  # type: ignore[no-any-return]

  def __enter__(self) -> "Writer":
    return self

  def __exit__(self, kind: object, *_: object) -> None:
    if kind is not None:
      self.abandon()
    elif self._builder is not None:
      self.finish()


def _parse(text: str, kinds: Any) -> Tuple[int, Optional[int]]:
  """Parses "kind" or "kind:N". Returns the number of the kind, and N or None."""
  kind, colon, number = text.partition(":")
  if kind not in kinds:
    raise ValueError(f"{text!r} is none of {', '.join(kinds)}")
  return kinds[kind], int(number) if colon else None


def _set_filter(options: BuilderOptions, text: str) -> None:
  kind, _, number = text.partition(":")
  if text == "none":
    return
  if kind != "bloom" or not number:
    raise ValueError(f"filter is {text!r}, expected none, bloom:BITS or bloom:RATE%")
  if number.endswith("%"):
    C.builder_options_set_bloom_rate(options, float(number[:-1]) / 100)
  else:
    C.builder_options_set_bloom_bits_per_key(options, int(number))
