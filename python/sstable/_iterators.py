"""Iterators: plyvel's, LevelDB's, and one over batches of entries as arrays."""

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
  """A batch of entries. Key i is keys[key_offsets[i]:key_offsets[i + 1]]; values are stored the
  same way. The arrays own their memory, so they stay valid."""
  keys: "numpy.ndarray[Any, Any]"  # bytes
  key_offsets: "numpy.ndarray[Any, Any]"  # uint64, one more than there are entries
  values: "numpy.ndarray[Any, Any]"
  value_offsets: "numpy.ndarray[Any, Any]"


class _PickledColumn:
  """A buffer to which the library writes keys or values as a pickled tuple. Unpickling it is faster
  than slicing bytes."""

  def __init__(self, capacity: int) -> None:
    self._data = (c_char * (capacity + 16))()
    self.column = Column(ctypes.addressof(self._data), len(self._data), None, _library.PICKLE)

  def split(self) -> Tuple[bytes, ...]:
    return pickle.loads(memoryview(self._data)[:self.column.size])  # type: ignore[no-any-return]


def _size_of_larger(handle: _library.Iterator) -> int:
  """Returns the size in bytes of the current key or value, whichever is larger."""
  sizes = c_size_t(), c_size_t()
  C.iterator_key(handle, byref(sizes[0]))
  C.iterator_value(handle, byref(sizes[1]))
  return max(size.value for size in sizes)


class Batches:
  """Reads entries in batches that grow from 16 to _MAX_COUNT. `want` says whether to copy keys and
  whether to copy values."""

  def __init__(self, want: Tuple[bool, bool]) -> None:
    self._want = want
    self.restart()

  def restart(self) -> None:
    self._count, self._capacity = 16, 1024
    self._columns: Any = None

  def read(self, handle: _library.Iterator, reverse: bool) -> Tuple[int, Any, Any]:
    """Reads the next batch. Returns the number of entries (0 at the end), their keys and their
    values."""
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
    """Yields all batches as pairs of keys and values, from the first entry on."""
    move(C.iterator_seek_to_first, handle)
    while True:
      count, keys, values = self.read(handle, False)
      if count == 0:
        return
      yield keys, values


class _Closing:
  """Owns an iterator of the library until close(). Threads may share it; a lock serialises their
  calls."""

  def __init__(self, handle: _library.Iterator) -> None:
    self._open: Any = handle
    self._lock = threading.RLock()

  def _handle(self) -> Any:
    handle = self._open
    if handle is None:
      raise ClosedError("the iterator is closed")
    return handle

  def close(self) -> None:
    """Closes the iterator. Closing it again does nothing."""
    with self._lock:
      self._open = None

  def __enter__(self: _Self) -> _Self:
    return self

  def __exit__(self, *_: object) -> None:
    self.close()


class EntryIterator(_Closing):
  """An iterator like plyvel's. Its position is between two entries: next() returns the entry after
  it, prev() the entry before it, and both move past the entry that they return. With `reverse`,
  next() and prev() change roles. A `for` loop uses the same position, so calls inside the loop
  affect it. Threads may share an iterator; each entry is returned once."""

  def __init__(self, handle: _library.Iterator, reverse: bool, prefix: bytes, include_key: bool,
               include_value: bool) -> None:
    super().__init__(handle)
    self._reverse = reverse
    self._prefix = prefix  # all keys begin with it, and are returned without it
    self._want = include_key, include_value
    self._batches = Batches(self._want)
    # Entries that were copied but not yet returned. The library's iterator is already past them.
    self._left: Any = repeat(None, 0)
    self._entries: Any = self._left
    self._backward = reverse  # the direction in which they were copied
    move(C.iterator_seek_to_last if reverse else C.iterator_seek_to_first, handle)

  def _drop(self) -> int:
    """Drops the copied entries, so that a running loop does not return them. Returns their
    number."""
    count = operator.length_hint(self._left)
    collections.deque(self._entries, maxlen=0)
    self._batches.restart()
    return count

  def _copied(self, backward: bool) -> Any:
    """Returns an iterator over copied entries in the given direction. Copies some if none are
    left."""
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
    """Returns the previous entry. Raises StopIteration if there is none."""
    with self._lock:
      return next(self._copied(not self._reverse))

  def __iter__(self) -> Iterator[Any]:
    """Yields the remaining entries. Much faster than next()."""
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
    """Moves to the position before the first entry in key order."""
    self._seek(C.iterator_seek_to_first, False)

  def seek_to_stop(self) -> None:
    """Moves to the position after the last entry in key order."""
    self._seek(C.iterator_seek_to_last, True)

  def seek(self, target: bytes) -> None:
    """Moves to the position before the first key that is not below `target`."""
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
    # One allocation: with several large ones, malloc() would return some to the system each time.
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
  """A scan that can be read once: by iterating, which yields Arrays of numpy arrays, or as an Arrow
  stream (__arrow_c_stream__). Reading it a second time raises ValueError."""

  def __init__(self, handle: _library.Iterator, batch: int) -> None:
    self._handles = [handle]  # empty once reading has begun
    self._batch = batch
    self._parts = _arrays(self._handles, batch)

  def __iter__(self) -> Iterator[Arrays]:
    return self._parts

  def __next__(self) -> Arrays:
    return next(self._parts)

  def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
    """Implements the Arrow PyCapsule interface. The columns `key` and `value` are always
    large_binary."""
    handle, stream = _take(self._handles), c_void_p()
    call(C.iterator_to_arrow, handle, self._batch, byref(stream))
    handle.value = None  # owned by the stream now
    return _library.arrow_capsule(stream)


class RawIterator(_Closing):
  """An iterator like LevelDB's: it is on an entry, or not valid. Moves raise the library's errors;
  next(), prev(), key(), value() and item() raise IteratorInvalidError if it is not valid."""

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
    """Moves to the first entry whose key is not below `target`."""
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
