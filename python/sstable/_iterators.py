"""Iterators: over batches of entries, in both directions like plyvel's, and one entry at a time."""

import collections
import ctypes
import operator
import pickle
import threading
from ctypes import byref, c_char, c_size_t, c_void_p
from itertools import repeat
from typing import TYPE_CHECKING, Any, Iterator, List, NamedTuple, Tuple, TypeVar

from sstable import _library
from sstable._library import C, ClosedError, Column, IteratorInvalidError, as_bytes, call, move

if TYPE_CHECKING:
  import numpy

_Self = TypeVar("_Self", bound="_Closing")
_MAX_COUNT = 1024  # entries of a batch
_MAX_CAPACITY = 1 << 18  # bytes of keys, and of values, unless one entry is larger


class Arrays(NamedTuple):
  """Entries: key i is keys[key_offsets[i]:key_offsets[i + 1]]. Values are stored the same way."""
  keys: "numpy.ndarray[Any, Any]"  # bytes
  key_offsets: "numpy.ndarray[Any, Any]"  # uint64, one more than there are entries
  values: "numpy.ndarray[Any, Any]"
  value_offsets: "numpy.ndarray[Any, Any]"


class _PickledColumn:
  """A column that the library writes to. Unpickling is faster than slicing the bytes."""

  def __init__(self, capacity: int) -> None:
    self._data = (c_char * (capacity + 16))()
    self.column = Column(ctypes.addressof(self._data), len(self._data), None, _library.PICKLE)

  def split(self) -> Tuple[bytes, ...]:
    return pickle.loads(memoryview(self._data)[:self.column.size])  # type: ignore[no-any-return]


def _size_of_larger(handle: _library.Iterator) -> int:
  """Returns the size of the current key or value, whichever is larger."""
  sizes = c_size_t(), c_size_t()
  C.iterator_key(handle, byref(sizes[0]))
  C.iterator_value(handle, byref(sizes[1]))
  return max(size.value for size in sizes)


class Batches:
  """Copies keys and values from an iterator's position on: small batches first, then larger ones."""

  def __init__(self, want: Tuple[bool, bool]) -> None:
    self._want = want
    self.restart()

  def restart(self) -> None:
    self._count, self._capacity = 16, 1024
    self._columns: Any = None

  def read(self, handle: _library.Iterator, reverse: bool) -> Tuple[int, Any, Any]:
    """Returns the number of entries (0 at the end), keys and values."""
    read = c_size_t()
    while True:
      if self._columns is None:
        self._columns = [_PickledColumn(self._capacity) if wanted else None for wanted in self._want]
      columns = self._columns
      call(C.iterator_read, handle, reverse, self._count,
           *(column and byref(column.column) for column in columns), byref(read))
      if read.value > 0:
        break
      if not C.iterator_valid(handle):
        return 0, None, None
      self._capacity = max(self._capacity, _size_of_larger(handle))
      self._columns = None
    keys, values = (column and column.split() for column in columns)
    if self._count < _MAX_COUNT:
      self._columns = None
      self._count = min(self._count * 4, _MAX_COUNT)
      self._capacity = max(self._capacity, min(self._capacity * 4, _MAX_CAPACITY))
    return read.value, keys, values

  def each(self, handle: _library.Iterator) -> Iterator[Tuple[Any, Any]]:
    """All batches from the first entry on."""
    move(C.iterator_seek_to_first, handle)
    while True:
      count, keys, values = self.read(handle, False)
      if count == 0:
        return
      yield keys, values


class _Closing:
  """Owns an iterator of the library until close(). Threads may share it: they take turns."""

  def __init__(self, handle: _library.Iterator) -> None:
    self._open: Any = handle
    self._lock = threading.RLock()

  def _handle(self) -> Any:
    handle = self._open
    if handle is None:
      raise ClosedError("the iterator is closed")
    return handle

  def close(self) -> None:
    """Closes it. Closing it again does nothing."""
    with self._lock:
      self._open = None

  def __enter__(self: _Self) -> _Self:
    return self

  def __exit__(self, *_: object) -> None:
    self.close()


class EntryIterator(_Closing):
  """A position between two entries: next() returns the entry after it, prev() the entry before it,
  and both move past what they return; with `reverse`, the other way round. Calls inside a `for`
  loop affect the loop."""

  def __init__(self, handle: _library.Iterator, reverse: bool, prefix: bytes, include_key: bool,
               include_value: bool) -> None:
    super().__init__(handle)
    self._reverse = reverse
    self._prefix = prefix  # all keys begin with it, and are returned without it
    self._want = include_key, include_value
    self._batches = Batches(self._want)
    # Entries that were copied but not yet returned; the library's iterator is past them.
    self._left: Any = repeat(None, 0)
    self._entries: Any = self._left
    self._backward = reverse  # the direction in which they were copied
    move(C.iterator_seek_to_last if reverse else C.iterator_seek_to_first, handle)

  def _drop(self) -> int:
    """Drops the copied entries, also from a running loop. Returns how many there were."""
    count = operator.length_hint(self._left)
    collections.deque(self._entries, maxlen=0)
    self._batches.restart()
    return count

  def _copied(self, backward: bool) -> Any:
    """Returns the entries in this direction, after copying some if none are left."""
    handle = self._handle()
    if backward != self._backward:
      count = self._drop()
      if C.iterator_valid(handle):
        count += 1
      else:
        call(C.iterator_status, handle)
        move(C.iterator_seek_to_last if backward else C.iterator_seek_to_first, handle)
      self._backward = backward
      if count:
        call(C.iterator_read, handle, backward, count, None, None, byref(c_size_t()))
    if not operator.length_hint(self._left):
      count, keys, values = self._batches.read(handle, backward)
      if keys is not None and self._prefix:
        size = len(self._prefix)
        keys = tuple([key[size:] for key in keys])
      if all(self._want) and count:
        self._left = iter(keys)
        self._entries = zip(self._left, values)
      else:
        self._left = self._entries = iter(keys or values or repeat(None, count))
    return self._entries

  def __next__(self) -> Any:
    with self._lock:
      return next(self._copied(self._reverse))

  def prev(self) -> Any:
    """Returns the entry before; raises StopIteration if there is none."""
    with self._lock:
      return next(self._copied(not self._reverse))

  def __iter__(self) -> Iterator[Any]:
    """Iterates; much faster than next()."""
    while True:
      with self._lock:
        entries = self._copied(self._reverse)
        if not operator.length_hint(self._left):
          return
      yield from entries

  def _seek(self, function: Any, backward: bool, *arguments: Any) -> None:
    with self._lock:
      handle = self._handle()
      self._drop()
      self._backward = backward
      move(function, handle, *arguments)

  def seek_to_start(self) -> None:
    """Moves before the first entry in key order."""
    self._seek(C.iterator_seek_to_first, False)

  def seek_to_stop(self) -> None:
    """Moves after the last entry in key order."""
    self._seek(C.iterator_seek_to_last, True)

  def seek(self, target: bytes) -> None:
    """Moves before the first key that is not below `target`."""
    target = self._prefix + as_bytes(target)
    self._seek(C.iterator_seek, False, target, len(target))

  def close(self) -> None:
    with self._lock:
      super().close()
      self._drop()


def _address(array: Any) -> int:
  return ctypes.addressof(c_char.from_buffer(array))  # array.ctypes.data takes three times as long


def _take(handles: List[_library.Iterator]) -> _library.Iterator:
  try:
    return handles.pop()
  except IndexError:
    raise ValueError("the scan has begun: it can be read once") from None


def _arrays(handles: List[_library.Iterator], count: int) -> Iterator[Arrays]:
  import numpy
  handle, capacity = _take(handles), 64 * count
  keys, values = columns = Column(format=_library.BYTES), Column(format=_library.BYTES)
  read = c_size_t()
  move(C.iterator_seek_to_first, handle)
  space = 8 * (count + 1)  # for offsets
  while True:
    # A single allocation: malloc() would return some of several large ones to the system each time.
    memory = numpy.empty(2 * (space + capacity), numpy.uint8)
    address, start = _address(memory), 2 * space  # where the keys start
    for i, column in enumerate(columns):
      column.capacity = capacity
      column.offsets, column.data = address + i * space, address + start + i * capacity
    call(C.iterator_read, handle, False, count, byref(keys), byref(values), byref(read))
    end = read.value + 1
    if end > 1:
      yield Arrays(memory[start:start + keys.size], numpy.ndarray(end, numpy.uint64, memory),
                   memory[start + capacity:start + capacity + values.size],
                   numpy.ndarray(end, numpy.uint64, memory, space))
    elif C.iterator_valid(handle):
      capacity = max(capacity, _size_of_larger(handle))
    else:
      return


class ArrayScan:
  """Batches of entries: an iterator over numpy arrays or, before that has begun, an Arrow stream of
  all of them."""

  def __init__(self, handle: _library.Iterator, batch: int) -> None:
    self._handles = [handle]  # empty once it is being read
    self._batch = batch
    self._parts = _arrays(self._handles, batch)

  def __iter__(self) -> Iterator[Arrays]:
    return self._parts

  def __next__(self) -> Arrays:
    return next(self._parts)

  def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
    """The Arrow PyCapsule interface: columns `key` and `value`, always of type large_binary."""
    handle, stream = _take(self._handles), c_void_p()
    call(C.iterator_to_arrow, handle, self._batch, byref(stream))
    handle.value = None  # owned by the stream now
    return _library.arrow_capsule(stream)


class RawIterator(_Closing):
  """An iterator like LevelDB's: on an entry, or not valid."""

  def _move(self, function: Any, *arguments: Any) -> None:
    function(self._handle(), *arguments)
    call(C.iterator_status, self._handle())

  def _valid_handle(self) -> Any:
    if not C.iterator_valid(self._handle()):
      raise IteratorInvalidError("the iterator is on no entry")
    return self._handle()

  def valid(self) -> bool:
    with self._lock:
      return bool(C.iterator_valid(self._handle()))

  def seek_to_first(self) -> None:
    with self._lock:
      self._move(C.iterator_seek_to_first)

  def seek_to_last(self) -> None:
    with self._lock:
      self._move(C.iterator_seek_to_last)

  def seek(self, target: bytes) -> None:
    """Moves to the first key that is not below `target`."""
    target = as_bytes(target)
    with self._lock:
      self._move(C.iterator_seek, target, len(target))

  def next(self) -> None:
    with self._lock:
      self._valid_handle()
      self._move(C.iterator_next)

  def prev(self) -> None:
    with self._lock:
      self._valid_handle()
      self._move(C.iterator_prev)

  def key(self) -> bytes:
    return self.item()[0]

  def value(self) -> bytes:
    return self.item()[1]

  def item(self) -> Tuple[bytes, bytes]:
    with self._lock:
      handle, size = self._valid_handle(), c_size_t()
      key, value = (ctypes.string_at(part(handle, byref(size)), size.value)
                    for part in (C.iterator_key, C.iterator_value))
      return key, value
