meta:
  id: leveldb_table
  title: LevelDB table
  file-extension: [ldb, sst]
  license: Apache-2.0
  endian: le
  imports: [leveldb_block, leveldb_block_handle]
doc: |
  The file is read from its end. Blocks may be compressed, so a program has to provide the class LeveldbCodec:
  `new LeveldbCodec(compression).decode(bytes)` returns the uncompressed bytes. The kind of keys, their order, and the
  meaning of types above 1 depend on the writer; see docs/compatibility.md.
doc-ref: docs/table_format.md
instances:
  footer:
    pos: _io.size - 48
    size: 48
    type: footer
  index:
    doc: One entry for each data block, whose key is not below the block's last key, and whose value is its handle.
    type: block_at(footer.index, true)
  metaindex:
    doc: Names and handles of meta blocks, such as "filter.leveldb.BuiltinBloomFilter2".
    type: block_at(footer.metaindex, true)
  data_blocks:
    type: block_at(index.contents.entries.items[_index].handle, false)
    repeat: expr
    repeat-expr: index.contents.entries.items.size
  meta_blocks:
    type: raw_block_at(metaindex.contents.entries.items[_index].handle)
    repeat: expr
    repeat-expr: metaindex.contents.entries.items.size
types:
  footer:
    seq:
      - id: metaindex
        type: leveldb_block_handle
      - id: index
        type: leveldb_block_handle
    instances:
      magic:
        pos: 40
        contents: [0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb]
  block_at:
    params:
      - id: handle
        type: leveldb_block_handle
      - id: has_handles
        type: bool
    instances:
      contents:
        pos: handle.offset.value
        size: handle.size.value
        process: leveldb_codec(trailer.compression)
        type: leveldb_block(has_handles)
      trailer:
        pos: handle.offset.value + handle.size.value
        type: trailer
  raw_block_at:
    doc: Meta blocks are stored uncompressed. A filter block can be read as leveldb_filter_block.
    params:
      - id: handle
        type: leveldb_block_handle
    instances:
      contents:
        pos: handle.offset.value
        size: handle.size.value
      trailer:
        pos: handle.offset.value + handle.size.value
        type: trailer
  trailer:
    seq:
      - id: compression
        doc: 0 means none, 1 means Snappy.
        type: u1
      - id: masked_crc32c
        doc: Checksum of the stored bytes and the compression byte.
        type: u4
