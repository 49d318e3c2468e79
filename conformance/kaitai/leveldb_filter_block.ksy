meta:
  id: leveldb_filter_block
  title: Filter block of a LevelDB table
  license: Apache-2.0
  endian: le
doc: |
  The file is divided into windows of 2^base_lg bytes. Each window has one filter, for the keys of the data blocks that
  begin in it.
doc-ref: docs/filter_block.md
instances:
  base_lg:
    pos: _io.size - 1
    type: u1
  array_offset:
    doc: Offset, in the block, of the array of offsets, which is also the end of the last filter.
    pos: _io.size - 5
    type: u4
  filter_count:
    value: (_io.size - 5 - array_offset) / 4
  offsets:
    doc: Offset of each filter in this block. A filter ends where the next one begins, the last filter at array_offset.
    pos: array_offset
    type: u4
    repeat: expr
    repeat-expr: filter_count
  filters:
    pos: 0
    type: 'filter((_index + 1 < filter_count ? offsets[_index + 1] : array_offset) - offsets[_index])'
    repeat: expr
    repeat-expr: filter_count
types:
  filter:
    params:
      - id: size
        type: u4
    seq:
      - id: bits
        size: 'size == 0 ? 0 : size - 1'
      - id: probe_count
        doc: k of LevelDB's Bloom filter. Values above 30 are reserved, and such a filter matches any key.
        type: u1
        if: size > 0
