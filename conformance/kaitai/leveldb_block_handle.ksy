meta:
  id: leveldb_block_handle
  title: Where a block of a LevelDB table is
  license: Apache-2.0
  imports: [leveldb_varint]
doc-ref: docs/table_format.md#block-handle
seq:
  - id: offset
    doc: In the file.
    type: leveldb_varint
  - id: size
    doc: As stored, without the trailer of 5 bytes.
    type: leveldb_varint
