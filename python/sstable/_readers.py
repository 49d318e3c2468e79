"""Tables and databases: lookups, iteration, checks, and measurements."""

import ctypes
import html
import itertools
import os
import pickle
from ctypes import byref, c_int, c_size_t, c_uint64, c_void_p
from typing import Any, Iterable, Iterator, List, NamedTuple, Optional, Tuple, TypeVar

from sstable import _library
from sstable._decoder import Decoded, Decoder
from sstable._iterators import ArrayScan, Batches, EntryIterator, RawIterator
from sstable._library import (C, FOUND, MAX_SEQUENCE, ClosedError, Column, FailedPrecondition,
                              address, as_bytes, as_path, call, join)

_Self = TypeVar("_Self", bound="_View")
_ARROW_BATCH = 1 << 16
_SHOWN = 10  # entries in a notebook
# The tag that sorts before all others of a user key.
_FIRST_TAG = (MAX_SEQUENCE << 8 | 1).to_bytes(8, "little")


class Problem(NamedTuple):
  """A problem with a file. If it is not damage, it is only worth knowing."""
  message: str  # names file and offset
  offset: int  # bytes from the start of the file
  is_damage: bool  # False: usual after a crash (in a database), or not checked (in a Check)


class Check(NamedTuple):
  """The result of checking a table, or all files of a database."""
  entries: int  # versions and deletions in readable blocks of tables; logs do not count
  problem_count: int
  problems: List[Problem]  # the first max_problems

  @property
  def ok(self) -> bool:
    return self.problem_count == 0


class Salvage(NamedTuple):
  """The result of a salvage."""
  complete: bool  # whether nothing was lost, as far as the files show
  entries: int  # number of versions and deletions saved
  problems: List[Problem]  # what was wrong, and what is lost


class FilterFacts(NamedTuple):
  """Measurements of a table's filter. `rate` is the measured false-positive rate, from 0 to 1."""
  window_count: int
  bit_count: int  # of all windows together
  bits_set: int
  keys_tested: int  # all keys of the table
  false_negatives: int  # must be 0
  random_tested: int  # number of absent keys tested
  random_passed: int
  expected_rate: float  # false-positive rate computed from the bits set, from 0 to 1

  @property
  def rate(self) -> float:
    return self.random_passed / self.random_tested if self.random_tested else 0.0


class Version(NamedTuple):
  """One version of a key: an entry with an internal key."""
  key: bytes  # user key
  sequence: int
  is_deletion: bool
  value: bytes


class _Entries:
  """The reading methods that need only get() and _new_iterator()."""

  _prefix = b""  # only keys that begin with it are read, and returned without it

  def get(self, key: bytes, default: Any = None, *, verify_checksums: Any = None,
          fill_cache: bool = True) -> Any:
    raise NotImplementedError

  @property
  def problems(self) -> List[Problem]:
    raise NotImplementedError

  def _new_iterator(self) -> _library.Iterator:
    """Returns an iterator over all entries, regardless of `_prefix`."""
    raise NotImplementedError

  def _restricted(self, start: Optional[bytes], stop: Optional[bytes], include_start: bool,
                  include_stop: bool, prefix: Optional[bytes]) -> _library.Iterator:
    iterator, within = self._new_iterator(), self._prefix
    has_bounds = start is not None or stop is not None
    if prefix is not None and has_bounds:
      raise TypeError("prefix can't be used together with start or stop")
    if prefix is not None or within:  # fails unless keys are in bytewise order
      prefix = within + as_bytes(b"" if prefix is None else prefix)
      call(C.iterator_set_prefix, iterator, prefix, len(prefix))
    if within and has_bounds:
      if start is None:
        start, include_start = b"", True
      start = within + as_bytes(start)
      if stop is None:
        stop, include_stop = _past(within), False
      else:
        stop = within + as_bytes(stop)
    _set_bounds(iterator, start, stop, include_start, include_stop)
    return iterator

  def iterator(self, reverse: bool = False, start: Optional[bytes] = None,
               stop: Optional[bytes] = None, include_start: bool = True,
               include_stop: bool = False, prefix: Optional[bytes] = None,
               include_key: bool = True, include_value: bool = True,
               verify_checksums: bool = False, fill_cache: bool = True) -> EntryIterator:
    """Returns an iterator over pairs of key and value in key order. The parameters are plyvel's;
    verify_checksums and fill_cache have no effect. Raises FailedPrecondition for a prefix unless
    keys are in bytewise order."""
    iterator = self._restricted(start, stop, include_start, include_stop, prefix)
    return EntryIterator(iterator, reverse, self._prefix, include_key, include_value)

  def __getitem__(self, key: bytes) -> bytes:
    value = self.get(key)
    if value is None:
      raise KeyError(key)
    return value  # type: ignore[no-any-return]

  def __contains__(self, key: bytes) -> bool:
    return self.get(key) is not None

  def items(self, start: Optional[bytes] = None, stop: Optional[bytes] = None,
            prefix: Optional[bytes] = None, reverse: bool = False) -> EntryIterator:
    """Returns an iterator over pairs of key and value from `start` up to, but not including,
    `stop`."""
    return self.iterator(start=start, stop=stop, prefix=prefix, reverse=reverse)

  def __iter__(self) -> Iterator[Tuple[bytes, bytes]]:
    return iter(self.items())

  def keys(self, **restrictions: Any) -> EntryIterator:
    return self.iterator(include_value=False, **restrictions)

  def values(self, **restrictions: Any) -> EntryIterator:
    return self.iterator(include_key=False, **restrictions)

  def to_pandas(self, **restrictions: Any) -> Any:
    """Returns a pandas.DataFrame with the columns "key" and "value", which contain bytes. Takes the
    parameters of items(), and holds all entries in memory."""
    import pandas
    return pandas.DataFrame(list(self.items(**restrictions)), columns=["key", "value"])

  def _repr_html_(self) -> str:
    """Shows the first entries in a notebook."""
    text = f"<code>{html.escape(repr(self))}</code>"
    try:
      entries = list(itertools.islice(self.items(), _SHOWN))
    except (ClosedError, _library.Error) as error:
      return f"{text}<br>{html.escape(str(error))}"
    rows = "".join(f"<tr><td>{_shown(key)}</td><td>{_shown(value)}</td></tr>"
                   for key, value in entries)
    more = "<tr><td>…</td><td></td></tr>" if len(entries) == _SHOWN else ""
    damage = [problem.message for problem in self.problems if problem.is_damage]
    if damage:
      text += f"<br>{html.escape(damage[0])}{f' and {len(damage) - 1} more' if damage[1:] else ''}"
    return f"{text}<table><tr><th>key</th><th>value</th></tr>{rows}{more}</table>"


class _View(_Entries):
  """The common part of tables and databases. Threads may share one. Iterators, snapshots and
  decoders stay valid after close(); the file stays open until the last of them is gone."""

  def __init__(self, handle: _library.Handle, name: str, snapshot: Optional[int],
               decoder: Optional[Decoder]) -> None:
    self._handle: Optional[Any] = handle
    self._name = name
    self._snapshot = snapshot
    self._decoder = decoder

  def close(self) -> None:
    """Closes this object, but not its iterators and snapshots. Closing it again does nothing."""
    self._handle = None

  @property
  def closed(self) -> bool:
    return self._handle is None

  def __enter__(self: _Self) -> _Self:
    return self

  def __exit__(self, *_: object) -> None:
    self.close()

  def __repr__(self) -> str:
    return f"<{type(self).__name__} {self._name!r}{' closed' if self.closed else ''}>"

  def _open_handle(self) -> Any:
    handle = self._handle
    if handle is None:
      raise ClosedError(f"{self._name} is closed")
    return handle

  @property
  def name(self) -> str:
    """The path."""
    return self._name

  def snapshot(self: _Self, sequence: Optional[int] = None) -> _Self:
    """Returns a view that ignores versions with a sequence above `sequence`; by default, it shows
    what this object shows. Raises FailedPrecondition for a table of plain keys, and ValueError if
    `sequence` is above MAX_SEQUENCE."""
    if sequence is None:
      sequence = self._snapshot
    elif not 0 <= sequence <= MAX_SEQUENCE:
      raise ValueError(f"sequence is {sequence}, expected 0 to {MAX_SEQUENCE}")
    if sequence is None or self._snapshot is None:
      raise FailedPrecondition(f"{self._name}: a snapshot needs internal keys")
    copy = object.__new__(type(self))
    copy.__dict__.update(self.__dict__, _handle=self._open_handle(), _snapshot=sequence)
    return copy

  # Subclasses call the library's functions for tables or databases.
  def _find(self, handle: Any, *arguments: Any) -> None:
    raise NotImplementedError

  def _find_many(self, handle: Any, *arguments: Any) -> None:
    raise NotImplementedError

  def get(self, key: bytes, default: Any = None, *, verify_checksums: Any = None,
          fill_cache: bool = True) -> Any:
    """Returns the value of a key, or `default` if it is absent or deleted. Raises DataLoss if a
    damaged block may have the key. plyvel's verify_checksums and fill_cache have no effect."""
    key = as_bytes(key)
    presence, value, size = c_int(), c_void_p(), c_size_t()
    self._find(self._open_handle(), key, len(key), byref(presence), byref(value), byref(size))
    return _library.take(value, size.value) if presence.value == FOUND else default

  def get_many(self, keys: Iterable[bytes], default: Any = None) -> List[Any]:
    """Returns a list of what get() returns for each key. Much faster than calling get()."""
    handle = self._open_handle()
    data, sizes = join(list(keys))
    values = Column(format=_library.PICKLE)
    self._find_many(handle, len(sizes), data, address(sizes), None, byref(values))
    found = pickle.loads(_library.take(values.data, values.size))
    return list(found) if default is None else [default if v is None else v for v in found]

  def raw_iterator(self, *, verify_checksums: bool = False, fill_cache: bool = True) -> RawIterator:
    """Returns an iterator like LevelDB's. It is not valid until it is moved to an entry."""
    return RawIterator(self._new_iterator())

  def prefixed_db(self, prefix: bytes) -> "PrefixedView":
    """Returns a view of the entries whose keys begin with `prefix`. The view's keys omit the
    prefix."""
    return PrefixedView(self, as_bytes(prefix))

  def scan_arrays(self, start: Optional[bytes] = None, stop: Optional[bytes] = None,
                  prefix: Optional[bytes] = None, batch: int = 4096) -> ArrayScan:
    """Scans the entries from `start` up to, but not including, `stop`, or those with a prefix, as
    numpy arrays or an Arrow stream: at most `batch` entries at a time, and no Python object for
    each entry. Much larger batches can be slower, since the system then maps new memory for
    each."""
    if batch < 1:
      raise ValueError(f"batch is {batch}, expected at least 1")
    return ArrayScan(self._restricted(start, stop, True, False, prefix), batch)

  def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
    """Lets pyarrow, polars, pandas and others read all entries, as in pyarrow.table(table). For a
    range, use pyarrow.table(table.scan_arrays(...))."""
    return self.scan_arrays(batch=_ARROW_BATCH).__arrow_c_stream__(requested_schema)

  @property
  def decoder(self) -> Optional[Decoder]:
    """The decoder of keys and values. None if `decode` was not given, or the entries are not of
    that program. Stays valid after close()."""
    return self._decoder

  def decoded_items(self, start: Optional[bytes] = None, stop: Optional[bytes] = None,
                    prefix: Optional[bytes] = None, reverse: bool = False) -> Iterator[Decoded]:
    """Iterates like items(), but decodes keys and values. Raises FailedPrecondition if there is no
    decoder."""
    if self._decoder is None:
      raise FailedPrecondition(f"{self._name}: has no decoder; it was opened without decode=, or no "
                               "known program wrote it")
    return itertools.starmap(self._decoder.decode, self.items(start, stop, prefix, reverse))


class PrefixedView(_Entries):
  """A view of the entries of `db` whose keys begin with `prefix`. Keys are passed and returned
  without the prefix."""

  def __init__(self, db: _View, prefix: bytes) -> None:
    self.db = db
    self.prefix = self._prefix = prefix

  def __repr__(self) -> str:
    return f"<PrefixedView {self.prefix!r} of {self.db!r}>"

  def get(self, key: bytes, default: Any = None, *, verify_checksums: Any = None,
          fill_cache: bool = True) -> Any:
    """Returns the value of a key, or `default`."""
    return self.db.get(self.prefix + as_bytes(key), default)

  def _new_iterator(self) -> _library.Iterator:
    return self.db._new_iterator()

  @property
  def problems(self) -> List[Problem]:
    return self.db.problems

  def snapshot(self, sequence: Optional[int] = None) -> "PrefixedView":
    return PrefixedView(self.db.snapshot(sequence), self.prefix)

  def prefixed_db(self, prefix: bytes) -> "PrefixedView":
    return PrefixedView(self.db, self.prefix + as_bytes(prefix))


class Table(_View):
  """An open table; see sstable.open()."""

  def __init__(self, handle: _library.Reader, name: str, decoder: Optional[Decoder]) -> None:
    internal = C.reader_key_kind(handle) == _library.KEY_KINDS[True]
    super().__init__(handle, name, MAX_SEQUENCE if internal else None, decoder)

  @property
  def internal_keys(self) -> bool:
    """Whether the table has internal keys, as a database's table does. If so, methods take and
    return user keys, and snapshot() and versions() work."""
    return self._snapshot is not None

  def _find(self, handle: Any, *arguments: Any) -> None:
    if self._snapshot is None:
      call(C.reader_get, handle, *arguments)
    else:
      call(C.reader_get_at, handle, *arguments[:2], self._snapshot, *arguments[2:])

  def _find_many(self, handle: Any, *arguments: Any) -> None:
    snapshot = MAX_SEQUENCE if self._snapshot is None else self._snapshot
    call(C.reader_get_many, handle, *arguments[:3], snapshot, *arguments[3:])

  def _new_iterator(self) -> _library.Iterator:
    handle = self._open_handle()
    if self._snapshot is None:
      return _all_entries(handle)
    iterator = _library.Iterator()
    call(C.iterator_create_live, handle, self._snapshot, byref(iterator))
    return iterator

  def versions(self, start: Optional[bytes] = None, stop: Optional[bytes] = None,
               prefix: Optional[bytes] = None) -> Iterator[Version]:
    """Iterates over all versions of all keys, deletions included, the newest version of a key
    first. Raises FailedPrecondition unless the table has internal keys."""
    handle = self._open_handle()
    if not self.internal_keys:
      raise FailedPrecondition(f"{self._name}: versions need internal keys")
    iterator = _all_entries(handle)
    _set_bounds(iterator, start, stop, tag=_FIRST_TAG)
    if prefix is not None:
      if start is not None or stop is not None:
        raise TypeError("prefix can't be used together with start or stop")
      prefix = as_bytes(prefix)
      call(C.iterator_set_prefix, iterator, prefix, len(prefix))
    return _versions(iterator)

  @property
  def filter_policy(self) -> Optional[str]:
    """The name of the filter's policy, such as "leveldb.BuiltinBloomFilter2"; None if the table has
    no filter."""
    name = C.reader_filter_policy(self._open_handle())
    return None if name is None else name.decode()

  @property
  def filter_error(self) -> Optional[_library.Error]:
    """None if lookups use a filter; otherwise the error that says why not. NotFound means that the
    table has none."""
    try:
      call(C.reader_filter_status, self._open_handle())
    except _library.Error as error:
      return error
    return None

  def measure_filter(self) -> FilterFacts:
    """Tests the filter with every key of the table and with random absent keys. Reads the whole
    table. Raises the error of `filter_error`, or DataLoss at damage."""
    numbers = _library.FilterNumbers()
    call(C.reader_measure_filter, self._open_handle(), byref(numbers), ctypes.sizeof(numbers))
    return FilterFacts(*(getattr(numbers, field[0]) for field in numbers._fields_))

  @property
  def problems(self) -> List[Problem]:
    """The first 1000 problems that iterations have skipped."""
    problems = _library.Problems()
    call(C.reader_skipped, self._open_handle(), byref(problems))
    return _list(problems)[1]

  def check(self, max_problems: int = 1000) -> Check:
    """Reads the whole table and finds its problems, of which the result lists the first
    `max_problems`. Damage does not raise."""
    return _check(C.reader_find_problems, self._open_handle(), max_problems)


class Database(_View):
  """The state of a database when it was opened; see sstable.open_database()."""

  def __init__(self, handle: _library.Database, name: str, decoder: Optional[Decoder]) -> None:
    super().__init__(handle, name, MAX_SEQUENCE, decoder)
    self._path = os.path.abspath(name)  # stays right if the process changes its working directory

  def _find(self, handle: Any, *arguments: Any) -> None:
    call(C.database_get, handle, *arguments[:2], self._snapshot, *arguments[2:])

  def _find_many(self, handle: Any, *arguments: Any) -> None:
    call(C.database_get_many, handle, *arguments[:3], self._snapshot, *arguments[3:])

  def _new_iterator(self) -> _library.Iterator:
    iterator = _library.Iterator()
    call(C.iterator_create_database, self._open_handle(), self._snapshot, byref(iterator))
    return iterator

  def history(self, start: Optional[bytes] = None,
              stop: Optional[bytes] = None) -> Iterator[Version]:
    """Iterates over all versions of all keys, deletions included, the newest version of a key
    first. A snapshot leaves out later versions."""
    iterator = _library.Iterator()
    call(C.iterator_create_history, self._open_handle(), byref(iterator))
    _set_bounds(iterator, start, stop, tag=_FIRST_TAG)
    return (v for v in _versions(iterator) if v.sequence <= (self._snapshot or 0))

  def approximate_size(self, start: bytes, stop: bytes) -> int:
    """Returns about how many bytes the keys from `start` up to `stop` take in the files of the
    tables. Entries in logs do not count."""
    start, stop, size = as_bytes(start), as_bytes(stop), c_uint64()
    call(C.database_approximate_size, self._open_handle(), start, len(start), stop, len(stop),
         byref(size))
    return size.value

  def approximate_sizes(self, *ranges: Tuple[bytes, bytes]) -> List[int]:
    """Returns approximate_size() of each pair of start and stop."""
    return [self.approximate_size(start, stop) for start, stop in ranges]

  def check(self, max_problems: int = 1000) -> Check:
    """Reads all files and finds their problems, of which the result lists the first `max_problems`.
    Damage does not raise."""
    return _check(C.database_check, self._open_handle(), max_problems)

  def salvage(self, out: Any) -> Salvage:
    """Calls sstable.salvage() with the folder, which may have changed since it was opened. A
    snapshot also salvages the whole folder."""
    self._open_handle()
    return salvage(self._path, out)

  @property
  def last_sequence(self) -> int:
    """The highest sequence in the MANIFEST and the logs. Without a usable MANIFEST, each access to
    this property reads all tables."""
    return C.database_last_sequence(self._open_handle())  # type: ignore[no-any-return]

  @property
  def problems(self) -> List[Problem]:
    """The problems found when the folder was opened, and the first 1000 that iterations have
    skipped. A sound folder may have some, too, but none with `is_damage`."""
    problems = _library.Problems()
    call(C.database_problems, self._open_handle(), byref(problems))
    return _list(problems)[1]


def _check(function: Any, handle: Any, max_problems: int) -> Check:
  problems, entries = _library.Problems(), c_uint64()
  if not 0 <= max_problems < 1 << 64:
    raise ValueError(f"max_problems is {max_problems}, which is out of range")
  call(function, handle, max_problems, byref(problems), byref(entries))
  total, found = _list(problems)
  return Check(entries.value, total, found)


def salvage(path: Any, out: Any) -> Salvage:
  """Writes a new database to the folder `out`, with everything that can be read in `path`: a
  database's folder, or one of its tables or logs, none of which is changed. `out` must be an empty
  folder or not exist; otherwise AlreadyExists is raised. If nothing can be read, no database is
  made."""
  problems, entries, complete = _library.Problems(), c_uint64(), c_int()
  call(C.salvage, as_path(path), as_path(out), byref(problems), byref(entries), byref(complete))
  return Salvage(bool(complete.value), entries.value, _list(problems)[1])


def _shown(data: bytes) -> str:
  return html.escape(repr(data[:60]) + ("…" if len(data) > 60 else ""))


def _past(prefix: bytes) -> Optional[bytes]:
  """Returns the first key after all keys that begin with `prefix`; None if there is none."""
  start = prefix.rstrip(b"\xff")
  return start[:-1] + bytes([start[-1] + 1]) if start else None


def _all_entries(handle: Any) -> _library.Iterator:
  iterator: _library.Iterator = C.iterator_create(handle)
  if not iterator:
    raise MemoryError
  return iterator


def _set_bounds(iterator: _library.Iterator, start: Optional[bytes], stop: Optional[bytes],
                include_start: bool = True, include_stop: bool = False, tag: bytes = b"") -> None:
  """Restricts an iterator to keys from `start` up to `stop`. `tag` is appended to both."""
  for function, bound, inclusive in ((C.iterator_set_lower, start, include_start),
                                     (C.iterator_set_upper, stop, include_stop)):
    if bound is not None:
      bound = as_bytes(bound) + tag
      call(function, iterator, bound, len(bound), inclusive)


def _versions(iterator: _library.Iterator) -> Iterator[Version]:
  batches = Batches((True, True)).each(iterator)
  return (_version(key, value) for keys, values in batches for key, value in zip(keys, values))


def _version(key: bytes, value: bytes) -> Version:
  if len(key) < 8 or key[-8] > 1:
    raise _library.DataLoss(f"key {key!r} does not end in a sequence and a type of LevelDB's")
  tag = int.from_bytes(key[-8:], "little")
  return Version(key[:-8], tag >> 8, tag & 0xff == 0, value)


def _list(problems: _library.Problems) -> Tuple[int, List[Problem]]:
  total, offset, is_damage = c_uint64(), c_uint64(), c_int()
  found = []
  for i in range(C.problems_count(problems, byref(total))):
    text = C.problems_text(problems, i, byref(offset), byref(is_damage))
    found.append(Problem(text.decode(errors="backslashreplace"), offset.value,
                         bool(is_damage.value)))
  return total.value, found
