"""Decodes a LevelDB folder: every version of every key, and its place in the files.

Written from the description of the format in docs/, not from the library's code, so that the two
can be compared. Expects a sound folder and verifies no checksums.
"""

import os
import re
import struct
from collections import namedtuple

# One version of a key. `kind` is 1 for a value, 0 for a deletion (`value` is then empty). `spans`
# are the [offset, end) ranges of the file that must be intact for the version to be readable: its
# block in a table, or the fragments of its record in a log.
Version = namedtuple("Version", "key sequence kind value file spans")

# A table as the MANIFEST describes it.
Table = namedtuple("Table", "level number size smallest largest")


def varint(data, at):
    result = shift = 0
    while True:
        byte = data[at]
        at += 1
        result |= (byte & 0x7F) << shift
        if byte < 0x80:
            return result, at
        shift += 7


def prefixed(data, at):
    size, at = varint(data, at)
    return data[at : at + size], at + size


def read(folder, name):
    with open(os.path.join(folder, name), "rb") as file:
        return file.read()


def log_records(data):
    """Yields (payload, spans), up to a torn end."""
    at = 0
    payload, spans = b"", []
    while at + 7 <= len(data):
        left = 32768 - at % 32768
        if left < 7:
            at += left
            continue
        size, kind = struct.unpack_from("<HB", data, at + 4)
        end = at + 7 + size
        if kind == 0 or end > len(data):
            return
        if kind in (1, 2):
            payload, spans = b"", []
        payload += data[at + 7 : end]
        spans.append((at, end))
        if kind in (1, 4):
            yield payload, spans
        at = end


def batch_operations(payload):
    """Yields (sequence, kind, key, value)."""
    sequence, count = struct.unpack_from("<QI", payload)
    at = 12
    for i in range(count):
        kind = payload[at]
        key, at = prefixed(payload, at + 1)
        value = b""
        if kind == 1:
            value, at = prefixed(payload, at)
        yield sequence + i, kind, key, value


def log_versions(name, data):
    for payload, spans in log_records(data):
        for sequence, kind, key, value in batch_operations(payload):
            yield Version(key, sequence, kind, value, name, tuple(spans))


def unsnap(data):
    size, at = varint(data, 0)
    out = bytearray()
    while at < len(data):
        tag = data[at]
        at += 1
        if tag & 3 == 0:
            length = tag >> 2
            if length >= 60:
                count = length - 59
                length = int.from_bytes(data[at : at + count], "little")
                at += count
            length += 1
            out += data[at : at + length]
            at += length
            continue
        if tag & 3 == 1:
            length = 4 + (tag >> 2 & 7)
            distance = tag >> 5 << 8 | data[at]
            at += 1
        else:
            count = 2 if tag & 3 == 2 else 4
            length = 1 + (tag >> 2)
            distance = int.from_bytes(data[at : at + count], "little")
            at += count
        start = len(out) - distance
        if distance >= length:
            out += out[start : start + length]
        else:
            for i in range(length):
                out.append(out[start + i])
    assert len(out) == size
    return bytes(out)


def block_entries(data, offset, size):
    contents = data[offset : offset + size]
    if data[offset + size] == 1:
        contents = unsnap(contents)
    restarts = struct.unpack_from("<I", contents, len(contents) - 4)[0]
    limit = len(contents) - 4 - 4 * restarts
    at = 0
    key = b""
    while at < limit:
        shared, at = varint(contents, at)
        unshared, at = varint(contents, at)
        value_size, at = varint(contents, at)
        key = key[:shared] + contents[at : at + unshared]
        at += unshared
        yield key, contents[at : at + value_size]
        at += value_size


def table_blocks(data):
    """Returns the (offset, size) of the index block, followed by those of the data blocks."""
    footer = data[-48:]
    assert footer[-8:] == b"\x57\xfb\x80\x8b\x24\x75\x47\xdb"
    at = 0
    handle = []
    for _ in range(4):
        number, at = varint(footer, at)
        handle.append(number)
    blocks = [(handle[2], handle[3])]
    for _, value in block_entries(data, handle[2], handle[3]):
        offset, at = varint(value, 0)
        blocks.append((offset, varint(value, at)[0]))
    return blocks


def table_versions(name, data):
    for offset, size in table_blocks(data)[1:]:
        for key, value in block_entries(data, offset, size):
            tag = struct.unpack("<Q", key[-8:])[0]
            yield Version(key[:-8], tag >> 8, tag & 0xFF, value, name, ((offset, offset + size + 5),))


class NotWhole(Exception):
    """A file that the MANIFEST names is missing."""


class Folder:
    """The state that the current MANIFEST describes (tables by number, and the log number), and all
    versions."""

    def __init__(self, path):
        self.path = path
        self.manifest = read(path, "CURRENT").decode().strip()
        self.tables = {}
        self.log_number = self.last_sequence = 0
        self.comparator = None
        for payload, _ in log_records(read(path, self.manifest)):
            self._apply(payload)
        names = os.listdir(path)
        self.table_names = {}
        for name in names:
            match = re.fullmatch(r"(\d+)\.(ldb|sst)", name)
            if match and int(match[1]) in self.tables:
                self.table_names[int(match[1])] = name
        self.log_names = sorted(
            name
            for name in names
            if re.fullmatch(r"\d+\.log", name) and int(name[:-4]) >= self.log_number
        )

    def _apply(self, payload):
        at = 0
        while at < len(payload):
            tag, at = varint(payload, at)
            if tag == 1:
                self.comparator, at = prefixed(payload, at)
            elif tag in (2, 3, 4, 9):
                number, at = varint(payload, at)
                if tag == 2:
                    self.log_number = number
                elif tag == 4:
                    self.last_sequence = number
            elif tag == 5:
                _, at = varint(payload, at)
                _, at = prefixed(payload, at)
            elif tag == 6:
                level, at = varint(payload, at)
                number, at = varint(payload, at)
                if number in self.tables and self.tables[number].level == level:
                    del self.tables[number]
            elif tag == 7:
                level, at = varint(payload, at)
                number, at = varint(payload, at)
                size, at = varint(payload, at)
                smallest, at = prefixed(payload, at)
                largest, at = prefixed(payload, at)
                self.tables[number] = Table(level, number, size, smallest, largest)
            else:
                raise ValueError("%s: unknown tag %d" % (self.path, tag))

    def expect_whole(self):
        """Raises NotWhole if a table or the log is missing. LevelDB and goleveldb don't report a
        missing log."""
        missing = ["table %d" % number for number in self.tables if number not in self.table_names]
        if self.log_number and "%06d.log" % self.log_number not in self.log_names:
            missing.append("log %d" % self.log_number)
        if missing:
            raise NotWhole("%s: without %s" % (self.path, ", ".join(missing)))

    def versions(self):
        """Returns all versions, ordered by key, the newest version of a key first."""
        result = []
        for name in self.table_names.values():
            result += table_versions(name, read(self.path, name))
        for name in self.log_names:
            result += log_versions(name, read(self.path, name))
        return sorted(result, key=lambda version: (version.key, -version.sequence))


def live(versions):
    """Maps each live key to its value. `versions` must be sorted as Folder.versions() sorts
    them."""
    result = {}
    seen = set()
    for version in versions:
        if version.key not in seen:
            seen.add(version.key)
            if version.kind == 1:
                result[version.key] = version.value
    return result
