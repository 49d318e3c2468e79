meta:
  id: leveldb_varint
  title: Varint of LevelDB
  license: Apache-2.0
doc: |
  An unsigned integer with 7 bits per byte, the least significant first. Every byte but the last has its high bit set.
  Encodings may be longer than necessary. `value` has the lowest 63 bits; in JavaScript, it is exact up to 2^53.
seq:
  - id: bytes
    type: u1
    repeat: until
    repeat-until: _ < 0x80
instances:
  value:
    value: >-
      (bytes[0] & 0x7f)
      + (bytes.size > 1 ? (bytes[1] & 0x7f) * 0x80 : 0)
      + (bytes.size > 2 ? (bytes[2] & 0x7f) * 0x4000 : 0)
      + (bytes.size > 3 ? (bytes[3] & 0x7f) * 0x200000 : 0)
      + (bytes.size > 4 ? (bytes[4] & 0x7f) * 0x10000000 : 0)
      + (bytes.size > 5 ? (bytes[5] & 0x7f) * 0x800000000 : 0)
      + (bytes.size > 6 ? (bytes[6] & 0x7f) * 0x40000000000 : 0)
      + (bytes.size > 7 ? (bytes[7] & 0x7f) * 0x2000000000000 : 0)
      + (bytes.size > 8 ? (bytes[8] & 0x7f) * 0x100000000000000 : 0)
