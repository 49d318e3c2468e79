meta:
  id: leveldb_block
  title: Block of entries of a LevelDB table, uncompressed
  license: Apache-2.0
  endian: le
  imports: [leveldb_varint, leveldb_block_handle]
doc: |
  A data block, whose values are any bytes, or an index or metaindex block, whose values are block handles. A whole key
  is the first `shared` bytes of the previous whole key, followed by `key_suffix`.
doc-ref: docs/table_format.md#blocks-of-entries
params:
  - id: has_handles
    doc: Whether this is an index or metaindex block.
    type: bool
seq:
  - id: entries
    size: _io.size - 4 - 4 * restart_count
    type: entry_list(has_handles)
  - id: restarts
    doc: Offsets, in the block, of the entries that store whole keys.
    type: u4
    repeat: expr
    repeat-expr: restart_count
instances:
  restart_count:
    doc: In RocksDB's tables, a set top bit means that a hash index precedes this field. Such blocks are not supported.
    pos: _io.size - 4
    type: u4
types:
  entry_list:
    params:
      - id: has_handles
        type: bool
    seq:
      - id: items
        type: entry(has_handles)
        repeat: eos
  entry:
    params:
      - id: has_handles
        type: bool
    seq:
      - id: begin
        size: 0
        if: offset >= 0
      - id: shared
        type: leveldb_varint
      - id: unshared
        type: leveldb_varint
      - id: value_size
        type: leveldb_varint
      - id: key_suffix
        size: unshared.value
      - id: value
        size: value_size.value
        if: not has_handles
      - id: handle
        doc: The value may have more bytes after the handle, which readers ignore.
        size: value_size.value
        type: leveldb_block_handle
        if: has_handles
    instances:
      offset:
        doc: Bytes from the start of the block.
        value: _io.pos
