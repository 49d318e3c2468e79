"""What the keys and values of known programs mean."""

import json
from ctypes import byref, c_size_t, c_void_p
from typing import Any, NamedTuple, Optional, Union

from sstable import _library
from sstable._library import C, as_bytes, call


class Decoded(NamedTuple):
  """A key and a value, each as Python's json module reads what `sst dump --decode` shows; bytes if
  that is not known."""
  key: Any
  value: Any


class Decoder:
  """Decodes the entries of a table or database. Any number of threads may use one."""

  def __init__(self, handle: _library.Decoder) -> None:
    self._handle = handle

  def __repr__(self) -> str:
    return f"<Decoder of {self.format}>"

  @property
  def format(self) -> str:
    """Such as "Chromium's IndexedDB"."""
    return C.decoder_format(self._handle).decode()  # type: ignore[no-any-return]

  @property
  def doubt(self) -> str:
    """Why some values are not decoded that could be; empty if there are none."""
    return C.decoder_doubt(self._handle).decode()  # type: ignore[no-any-return]

  def decode(self, key: bytes, value: bytes = b"") -> Decoded:
    """Decodes an entry. What Python's json module can't read stays bytes, too: more than about 1000
    levels, or 4300 digits."""
    key, value = as_bytes(key), as_bytes(value)
    text, size = c_void_p(), c_size_t()
    call(C.decoder_decode, self._handle, key, len(key), value, len(value), byref(text), byref(size))
    try:
      known = json.loads(_library.take(text, size.value))
    except (RecursionError, ValueError):
      return Decoded(self.decode(key).key, value) if value else Decoded(key, value)
    return Decoded(known.get("key", key), known.get("value", value))


def choose(create: Any, handle: Union[_library.Reader, _library.Database],
           program: Optional[str]) -> Optional[Decoder]:
  """The decoder for the entries of an open table or database, or None."""
  if program is None:
    return None
  decoder = _library.Decoder()
  call(create, handle, program.encode(), byref(decoder))
  return Decoder(decoder) if decoder else None
