meta:
  id: leveldb_log
  title: LevelDB log or MANIFEST
  file-extension: log
  license: Apache-2.0
  endian: le
doc: |
  Blocks of 32,768 bytes with fragments of records. A record is one full fragment; or a first fragment, any number of
  middle ones, and a last one. The records of a log are write batches (leveldb_write_batch), those of a MANIFEST are
  version edits (leveldb_version_edit). If the file ends within a fragment, a crash interrupted the write.
doc-ref: docs/database.md#log-format
seq:
  - id: blocks
    size: '_io.size - _io.pos < 32768 ? _io.size - _io.pos : 32768'
    type: block
    repeat: eos
types:
  block:
    seq:
      - id: fragments
        type: fragment
        repeat: until
        repeat-until: _io.size - _io.pos < 7
      - id: padding
        doc: Zeros.
        size-eos: true
  fragment:
    seq:
      - id: masked_crc32c
        doc: Checksum of the type byte and the payload.
        type: u4
      - id: payload_size
        type: u2
      - id: type
        type: u1
        enum: fragment_type
      - id: payload
        size: payload_size
enums:
  fragment_type:
    1: full
    2: first
    3: middle
    4: last
