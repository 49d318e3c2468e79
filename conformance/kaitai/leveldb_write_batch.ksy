meta:
  id: leveldb_write_batch
  title: Record of a LevelDB log
  license: Apache-2.0
  endian: le
  imports: [leveldb_varint]
doc-ref: docs/database.md#write-batch
seq:
  - id: sequence
    doc: Sequence of the first change. Each following change has the next sequence.
    type: u8
  - id: count
    type: u4
  - id: changes
    type: change
    repeat: expr
    repeat-expr: count
types:
  change:
    seq:
      - id: type
        type: u1
        enum: value_type
      - id: key
        type: sized
      - id: value
        type: sized
        if: type == value_type::value
  sized:
    seq:
      - id: size
        type: leveldb_varint
      - id: bytes
        size: size.value
enums:
  value_type:
    0: deletion
    1: value
