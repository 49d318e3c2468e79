meta:
  id: leveldb_version_edit
  title: Record of a LevelDB MANIFEST
  license: Apache-2.0
  imports: [leveldb_varint]
doc: The state of a database is the sum of all edits. The deletions of an edit are applied before its new files.
doc-ref: docs/database.md#version-edit
seq:
  - id: fields
    type: field
    repeat: eos
types:
  field:
    seq:
      - id: tag_number
        type: leveldb_varint
      - id: content
        type:
          switch-on: tag
          cases:
            tag::comparator: sized
            tag::log_number: leveldb_varint
            tag::next_file_number: leveldb_varint
            tag::last_sequence: leveldb_varint
            tag::compact_pointer: compact_pointer
            tag::deleted_file: deleted_file
            tag::new_file: new_file
            tag::previous_log_number: leveldb_varint
    instances:
      tag:
        value: tag_number.value
        enum: tag
  sized:
    seq:
      - id: size
        type: leveldb_varint
      - id: bytes
        size: size.value
  compact_pointer:
    seq:
      - id: level
        type: leveldb_varint
      - id: internal_key
        type: sized
  deleted_file:
    seq:
      - id: level
        type: leveldb_varint
      - id: number
        type: leveldb_varint
  new_file:
    seq:
      - id: level
        type: leveldb_varint
      - id: number
        type: leveldb_varint
      - id: size
        type: leveldb_varint
      - id: smallest
        type: sized
      - id: largest
        type: sized
enums:
  tag:
    1: comparator
    2: log_number
    3: next_file_number
    4: last_sequence
    5: compact_pointer
    6: deleted_file
    7: new_file
    9: previous_log_number
