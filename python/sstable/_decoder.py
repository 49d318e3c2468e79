"""Decodes the keys and values of known programs."""

import json
from ctypes import byref, c_size_t, c_void_p
from typing import Any, NamedTuple, Optional, Union

from sstable import _library
from sstable._library import C, as_bytes, call


class Decoded(NamedTuple):
  """A decoded entry. Key and value are what json.loads() returns for the JSON of `sst dump
  --decode`; either stays bytes if it could not be decoded."""
  key: Any
  value: Any


class Decoder:
  """Decodes the entries of a table or database. Threads may share a decoder."""

  def __init__(self, handle: _library.Decoder) -> None:
    self._handle = handle

  def __repr__(self) -> str:
    return f"<Decoder of {self.format}>"

  @property
  def format(self) -> str:
    """The format's name, such as "Chromium's IndexedDB"."""
    return C.decoder_format(self._handle).decode()  # type: ignore[no-any-return]

  @property
  def doubt(self) -> str:
    """Why some values of this format can't be decoded; empty if all can."""
    return C.decoder_doubt(self._handle).decode()  # type: ignore[no-any-return]

  def decode(self, key: bytes, value: bytes = b"") -> Decoded:
    """Decodes an entry. A key or value also stays bytes if json.loads() can't read it, because it
    has more than about 1000 levels or a number of more than 4300 digits."""
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
  """Returns the decoder for the entries of an open table or database; None if `program` is None, or
  if the entries are not that program's."""
  if program is None:
    return None
  decoder = _library.Decoder()
  call(create, handle, program.encode(), byref(decoder))
  return Decoder(decoder) if decoder else None
