meta:
  id: leveldb_block_handle
  title: Where a block of a LevelDB table is
  license: Apache-2.0
  imports: [leveldb_varint]
doc-ref: docs/table_format.md#block-handle
seq:
  - id: offset
    doc: Bytes from the start of the file.
    type: leveldb_varint
  - id: size
    doc: Stored size of the block in bytes, without its 5-byte trailer.
    type: leveldb_varint
