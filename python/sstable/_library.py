"""Binds the C API (sstable/c.h and c/decode/decoder.h) with ctypes: functions, errors, and handles
that own its objects."""

import ctypes
import os
import threading
from array import array
from ctypes import POINTER, c_char_p, c_double, c_int, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any, Dict, Sequence, Tuple, Type

API_VERSION = 6
MAX_SEQUENCE = (1 << 56) - 1
FOUND = 1
BYTES, PICKLE = 0, 1  # formats of a column
GUESS_KEYS = 2
_STREAM = b"arrow_array_stream"  # a global, since the capsule refers to it
KEY_KINDS = {None: GUESS_KEYS, False: 0, True: 1}  # whether keys are internal keys


class Error(Exception):
  """An error of the library. Codes without a class of their own raise this class. The message names
  file, block and offset."""


class InvalidArgument(Error, ValueError):
  """An argument is wrong, such as a key out of order."""


class NotFound(Error, FileNotFoundError):
  """A file is missing. (For an absent key, get() returns the default, and [] raises KeyError.)"""


class AlreadyExists(Error, FileExistsError):
  """The file exists and may not be replaced."""


class PermissionDenied(Error, PermissionError):
  """The system denied access."""


class ResourceExhausted(Error):
  """Out of memory, no space on the device, or too many open files."""


class FailedPrecondition(Error):
  """The call is not possible in this state, or with this order or kind of keys."""


class Aborted(Error):
  """The folder changed during the call; opening it again may help."""


class Unimplemented(Error):
  """The data is well-formed but not supported, such as an unknown compression."""


class Unavailable(Error):
  """The system failed, perhaps temporarily; trying again may help."""


class DataLoss(Error):
  """The bytes are damaged: a wrong checksum, magic number, length or order of keys."""


class IteratorInvalidError(Error):
  """A raw iterator is not on an entry."""


class ClosedError(ValueError, RuntimeError):
  """The object is closed. It is a ValueError, as for files, and a RuntimeError, as in plyvel."""


ERRORS = {
    3: InvalidArgument,
    5: NotFound,
    6: AlreadyExists,
    7: PermissionDenied,
    8: ResourceExhausted,
    9: FailedPrecondition,
    10: Aborted,
    12: Unimplemented,
    14: Unavailable,
    15: DataLoss,
}


class Column(ctypes.Structure):
  """sstable_column"""
  _fields_ = [("data", c_void_p), ("capacity", c_size_t), ("offsets", c_void_p),
              ("format", c_int), ("size", c_size_t)]


class FilterNumbers(ctypes.Structure):
  """sstable_filter_facts"""
  _fields_ = [(name, c_uint64) for name in (
      "window_count", "bit_count", "bits_set", "keys_tested", "false_negatives", "random_tested",
      "random_passed")] + [("expected_rate", c_double)]


class Handle(c_void_p):
  """Owns an object of the library, and destroys it when the last reference is gone. A call in
  progress holds a reference."""
  destroy: Any = None

  def __del__(self) -> None:
    if self.value:
      self.destroy(self)

  def __reduce_ex__(self, protocol: Any) -> Any:  # a copy would be destroyed twice
    raise TypeError("what the library has open can't be copied or pickled; open its path again")


class Reader(Handle):
  """sstable_reader"""


class Database(Handle):
  """sstable_database"""


class Iterator(Handle):
  """sstable_iterator"""


class Problems(Handle):
  """sstable_problems"""


class Decoder(Handle):
  """sstable_decoder"""


class Builder(Handle):
  """sstable_builder"""

  def __init__(self) -> None:
    super().__init__()
    self.process = os.getpid()

  def __del__(self) -> None:
    if self.process == os.getpid():  # a forked child must not remove the unfinished file
      super().__del__()


class ReaderOptions(Handle):
  """sstable_reader_options"""


class BuilderOptions(Handle):
  """sstable_builder_options"""


# Result and parameters. Functions that return CODE can fail; call() adds their message parameter.
_CODE = object()
_BYTES = [c_char_p, c_size_t]
_ITEMS = [c_char_p, c_void_p]  # bytes and sizes
_COMPARE = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t, c_void_p, c_size_t)
_RELEASE = ctypes.CFUNCTYPE(None, c_void_p)
_FUNCTIONS: Dict[str, Any] = {
    "api_version": (c_int, []),
    "version": (c_char_p, []),
    "free": (None, [c_void_p]),
    "builder_options_create": (BuilderOptions, []),
    "builder_options_destroy": (None, [BuilderOptions]),
    **{f"builder_options_set_{name}": (None, [BuilderOptions, c_int]) for name in (
        "key_kind", "restart_interval", "compression", "bloom_bits_per_key", "compression_level",
        "compression_threads", "sync", "replace")},
    "builder_options_set_block_size": (None, [BuilderOptions, c_size_t]),
    "builder_options_set_bloom_rate": (None, [BuilderOptions, c_double]),
    "builder_options_set_table_filter": (None, [BuilderOptions, c_int, c_int]),
    "builder_create": (_CODE, [BuilderOptions, c_char_p, POINTER(Builder)]),
    "builder_destroy": (None, [Builder]),
    "builder_add": (_CODE, [Builder, *_BYTES, *_BYTES]),
    "builder_add_many": (_CODE, [Builder, c_size_t, *_ITEMS, *_ITEMS]),
    "builder_finish": (_CODE, [Builder]),
    "builder_entry_count": (c_uint64, [Builder]),
    "builder_file_size": (c_uint64, [Builder]),
    "reader_options_create": (ReaderOptions, []),
    "reader_options_destroy": (None, [ReaderOptions]),
    **{f"reader_options_set_{name}": (None, [ReaderOptions, c_int]) for name in (
        "key_kind", "verify", "use_filter", "map_file")},
    "reader_options_set_max_work": (None, [ReaderOptions, c_uint32]),
    "reader_options_set_block_cache": (_CODE, [ReaderOptions, c_size_t]),
    "reader_open": (_CODE, [ReaderOptions, c_char_p, POINTER(Reader)]),
    "reader_destroy": (None, [Reader]),
    "reader_key_kind": (c_int, [Reader]),
    "reader_get": (_CODE, [
        Reader, *_BYTES, POINTER(c_int), POINTER(c_void_p), POINTER(c_size_t)]),
    "reader_get_at": (_CODE, [
        Reader, *_BYTES, c_uint64, POINTER(c_int), POINTER(c_void_p), POINTER(c_size_t)]),
    "reader_get_many": (_CODE, [
        Reader, c_size_t, *_ITEMS, c_uint64, c_void_p, POINTER(Column)]),
    "reader_skip_damage": (_CODE, [Reader]),
    "reader_skipped": (_CODE, [Reader, POINTER(Problems)]),
    "reader_filter_status": (_CODE, [Reader]),
    "reader_filter_policy": (c_char_p, [Reader]),
    "reader_find_problems": (_CODE, [Reader, c_size_t, POINTER(Problems), POINTER(c_uint64)]),
    "reader_measure_filter": (_CODE, [Reader, POINTER(FilterNumbers), c_size_t]),
    "problems_destroy": (None, [Problems]),
    "problems_count": (c_size_t, [Problems, POINTER(c_uint64)]),
    "problems_text": (c_char_p, [Problems, c_size_t, POINTER(c_uint64), POINTER(c_int)]),
    "database_open": (_CODE, [c_char_p, POINTER(Database)]),
    "database_open_in_order": (_CODE, [
        c_char_p, _COMPARE, _RELEASE, c_void_p, POINTER(Database)]),
    "database_destroy": (None, [Database]),
    "database_skip_damage": (_CODE, [Database]),
    "database_problems": (_CODE, [Database, POINTER(Problems)]),
    "database_check": (_CODE, [Database, c_size_t, POINTER(Problems), POINTER(c_uint64)]),
    "database_approximate_size": (_CODE, [Database, *_BYTES, *_BYTES, POINTER(c_uint64)]),
    "salvage": (_CODE, [
        c_char_p, c_char_p, POINTER(Problems), POINTER(c_uint64), POINTER(c_int)]),
    "database_last_sequence": (c_uint64, [Database]),
    "database_get": (_CODE, [
        Database, *_BYTES, c_uint64, POINTER(c_int), POINTER(c_void_p), POINTER(c_size_t)]),
    "database_get_many": (_CODE, [
        Database, c_size_t, *_ITEMS, c_uint64, c_void_p, POINTER(Column)]),
    "decoder_create": (_CODE, [Reader, c_char_p, POINTER(Decoder)]),
    "decoder_create_database": (_CODE, [Database, c_char_p, POINTER(Decoder)]),
    "decoder_destroy": (None, [Decoder]),
    "decoder_format": (c_char_p, [Decoder]),
    "decoder_doubt": (c_char_p, [Decoder]),
    "decoder_decode": (_CODE, [Decoder, *_BYTES, *_BYTES, POINTER(c_void_p), POINTER(c_size_t)]),
    "iterator_create": (Iterator, [Reader]),
    "iterator_create_live": (_CODE, [Reader, c_uint64, POINTER(Iterator)]),
    "iterator_create_database": (_CODE, [Database, c_uint64, POINTER(Iterator)]),
    "iterator_create_history": (_CODE, [Database, POINTER(Iterator)]),
    "iterator_destroy": (None, [Iterator]),
    "iterator_set_lower": (_CODE, [Iterator, *_BYTES, c_int]),
    "iterator_set_upper": (_CODE, [Iterator, *_BYTES, c_int]),
    "iterator_set_prefix": (_CODE, [Iterator, *_BYTES]),
    "iterator_seek_to_first": (None, [Iterator]),
    "iterator_seek_to_last": (None, [Iterator]),
    "iterator_seek": (None, [Iterator, *_BYTES]),
    "iterator_next": (None, [Iterator]),
    "iterator_prev": (None, [Iterator]),
    "iterator_status": (_CODE, [Iterator]),
    "iterator_valid": (c_int, [Iterator]),
    "iterator_key": (c_void_p, [Iterator, POINTER(c_size_t)]),
    "iterator_value": (c_void_p, [Iterator, POINTER(c_size_t)]),
    "iterator_to_arrow": (_CODE, [Iterator, c_size_t, POINTER(c_void_p)]),
    "arrow_capsule_destructor": (c_void_p, [c_void_p]),
    "iterator_read": (_CODE, [
        Iterator, c_int, c_size_t, POINTER(Column), POINTER(Column), POINTER(c_size_t)]),
}


def _exact(function: Any, name: str) -> Any:
  """Wraps `function` so that numbers out of range raise ValueError; ctypes would pass their low
  bits."""

  def call_exactly(*arguments: Any) -> Any:
    for kind, argument in zip(function.argtypes, arguments):
      if kind in (c_int, c_size_t, c_uint32) and kind(argument).value != argument:
        raise ValueError(f"{name} is {argument}, which is out of range")
    return function(*arguments)

  return call_exactly


class _Functions:
  """The library's functions, named without their prefix."""

  def __init__(self, path: str) -> None:
    library = ctypes.CDLL(path)
    for name, (result, parameters) in _FUNCTIONS.items():
      function = getattr(library, f"sstable_{name}")
      can_fail = result is _CODE
      function.restype = c_int if can_fail else result
      function.argtypes = [*parameters, POINTER(c_void_p)] if can_fail else parameters
      _, setter, option = name.partition("_set_")
      setattr(self, name, _exact(function, option) if setter else function)

  def __getattr__(self, name: str) -> Any:  # for type checkers; all are set above
    raise AttributeError(name)


C = _Functions(os.path.join(os.path.dirname(__file__), "lib", "libsstable_c.so"))
if C.api_version() < API_VERSION:
  raise ImportError(f"libsstable_c.so has version {C.api_version()}, expected {API_VERSION}")
_TYPES: Dict[str, Type[Handle]] = {
    "reader": Reader, "database": Database, "iterator": Iterator, "problems": Problems,
    "decoder": Decoder, "builder": Builder, "reader_options": ReaderOptions,
    "builder_options": BuilderOptions,
}
for _name, _type in _TYPES.items():
  _type.destroy = getattr(C, f"{_name}_destroy")


_orders: Dict[int, Any] = {}  # comparators in use by the library
_order_errors: Dict[int, BaseException] = {}  # the first exception of a comparator, by thread


def open_in_order(folder: bytes, compare: Any, database: Database) -> None:
  """Calls database_open_in_order() with `compare`, a Python function like plyvel's comparators."""

  def compare_bytes(_: Any, a: int, a_size: int, b: int, b_size: int) -> int:
    left, right = ctypes.string_at(a, a_size), ctypes.string_at(b, b_size)
    try:
      order = compare(left, right)
      return (order > 0) - (order < 0)  # type: ignore[no-any-return]
    except BaseException as error:  # pylint: disable=broad-except
      _order_errors.setdefault(threading.get_ident(), error)
      return (left > right) - (left < right)

  function = _COMPARE(compare_bytes)
  context = id(function)
  _orders[context] = function
  call(C.database_open_in_order, folder, function, _release_order, context, ctypes.byref(database))


def _forget_order(context: int, orders: Dict[int, Any] = _orders) -> None:
  orders.pop(context, None)


def raise_order_error() -> None:
  """Raises the first exception of a comparator in this thread since the last call, if any."""
  error = _order_errors.pop(threading.get_ident(), None)
  try:
    if error is not None:
      raise error
  finally:
    del error  # breaks a reference cycle


_release_order = _RELEASE(_forget_order)
# Never freed, since the library may call it until the process ends.
ctypes.pythonapi.Py_IncRef(ctypes.py_object(_release_order))


def take(pointer: c_void_p, size: int) -> bytes:
  """Returns a copy of bytes that the library allocated, and frees them."""
  try:
    return ctypes.string_at(pointer, size)
  finally:
    C.free(pointer)


def arrow_capsule(stream: c_void_p) -> Any:
  """Returns a PyCapsule that takes ownership of an Arrow stream."""
  python = ctypes.pythonapi
  new = ctypes.PYFUNCTYPE(ctypes.py_object, c_void_p, c_char_p, c_void_p)(("PyCapsule_New", python))
  get_pointer = ctypes.cast(python.PyCapsule_GetPointer, c_void_p)
  return new(stream, _STREAM, C.arrow_capsule_destructor(get_pointer))


def call(function: Any, *arguments: Any) -> None:
  """Calls a function of the library that can fail. Raises its error, or that of a comparator."""
  message = c_void_p()
  code = function(*arguments, ctypes.byref(message))
  if code == 0 and not _order_errors:
    return
  text = ""
  if message.value:
    text = ctypes.string_at(message.value).decode(errors="backslashreplace")
    C.free(message)
  raise_order_error()
  if code == 0:
    return
  raise ERRORS.get(code, Error)(text)


def move(function: Any, iterator: Iterator, *arguments: Any) -> None:
  """Calls a function that moves an iterator. Raises an error of a comparator; the next read reports
  an error of the library."""
  function(iterator, *arguments)
  if _order_errors:
    raise_order_error()


def as_bytes(value: Any) -> bytes:
  """Returns the bytes of a bytes-like object. Raises TypeError for str, int and None."""
  if type(value) is bytes:
    return value
  try:
    return bytes(memoryview(value))
  except TypeError:
    raise TypeError(f"keys and values are bytes, not {type(value).__name__}") from None


def as_path(path: Any) -> bytes:
  name = os.fsencode(path)
  if b"\0" in name:
    raise ValueError("embedded null byte")
  return name


def join(items: Sequence[bytes]) -> "Tuple[bytes, array[int]]":
  """Returns the concatenated items, and an array with the size of each in bytes."""
  data = b"".join(items)
  sizes = array("Q", list(map(len, items)))
  if sum(sizes) != len(data):  # a memoryview whose items are not bytes
    return join(list(map(as_bytes, items)))
  return data, sizes


def address(numbers: "array[int]") -> int:
  return numbers.buffer_info()[0]
