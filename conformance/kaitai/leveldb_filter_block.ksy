meta:
  id: leveldb_filter_block
  title: Filter block of a LevelDB table
  license: Apache-2.0
  endian: le
doc: |
  One filter for each window of 2^base_lg bytes of the file: for the keys of the data blocks that begin in it.
doc-ref: docs/filter_block.md
instances:
  base_lg:
    pos: _io.size - 1
    type: u1
  array_offset:
    doc: Where the filters end and their offsets begin.
    pos: _io.size - 5
    type: u4
  filter_count:
    value: (_io.size - 5 - array_offset) / 4
  offsets:
    doc: Where each filter begins in this block. It ends where the next begins, the last one at array_offset.
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
        doc: Of LevelDB's Bloom filter; more than 30 is reserved, and matches any key.
        type: u1
        if: size > 0
