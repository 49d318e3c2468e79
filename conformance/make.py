#!/usr/bin/env python3
"""Makes the cases that cases/*.txt describe. Needs only Python's standard library.

Usage: make.py [--rewrite] FOLDER [PATTERN]

Each case becomes a folder in FOLDER with its files and verdict.json; see README.md. The hashes of the files are
compared with golden.txt, or written there if --rewrite is given. PATTERN, such as 'logs/*', selects cases.

LevelDB documents the formats in doc/table_format.md, doc/log_format.md, doc/impl.md and db/version_edit.cc.
"""

import fnmatch
import hashlib
import itertools
import json
import pathlib
import re
import shutil
import struct
import sys

HERE = pathlib.Path(__file__).absolute().parent
MAGIC = bytes.fromhex("57fb808b247547db")
BYTEWISE = "leveldb.BytewiseComparator"
COMPARATORS = {"reverse": "conformance.ReverseBytewiseComparator", "idb": "idb_cmp1"}
MAX_TAG = (1 << 64) - 255  # sequence 2^56 - 1, type 1


# Numbers and checksums.


def varint(number, size=0):
    """Encodes a varint in at least `size` bytes, even if fewer would do."""
    out = bytearray()
    while number >= 0x80 or len(out) + 1 < size:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out) + bytes([number])


def fixed(number, size):
    return (number % (1 << 8 * size)).to_bytes(size, "little")


def prefixed(data):
    return varint(len(data)) + data


def crc_table():
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        yield byte


CRC = list(crc_table())


def masked_crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = CRC[(crc ^ byte) & 0xFF] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def leveldb_hash(data, signed=False, seed=0xBC9F1D34):
    m, h = 0xC6A4A793, (seed ^ len(data) * 0xC6A4A793) & 0xFFFFFFFF
    whole = len(data) & ~3
    for at in range(0, whole, 4):
        h = (h + int.from_bytes(data[at:at + 4], "little")) * m & 0xFFFFFFFF
        h ^= h >> 16
    tail = data[whole:]
    for at, byte in enumerate(tail):
        h += (byte - 256 if signed and byte >= 128 else byte) << 8 * at
    if tail:
        h = h * m & 0xFFFFFFFF
        h ^= h >> 24
    return h & 0xFFFFFFFF


def murmur3(data, seed=0xBC9F1D34):
    def scramble(k):
        k = k * 0xCC9E2D51 & 0xFFFFFFFF
        return (k << 15 | k >> 17) * 0x1B873593 & 0xFFFFFFFF

    h, whole = seed, len(data) & ~3
    for at in range(0, whole, 4):
        h ^= scramble(int.from_bytes(data[at:at + 4], "little"))
        h = ((h << 13 | h >> 19) * 5 + 0xE6546B64) & 0xFFFFFFFF
    h ^= scramble(int.from_bytes(data[whole:], "little")) ^ len(data)
    for shift, m in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):
        h = (h ^ h >> shift) * m & 0xFFFFFFFF
    return h


HASHES = {
    "unsigned": leveldb_hash,
    "signed": lambda data: leveldb_hash(data, signed=True),
    "murmur3": murmur3,
}


def bloom(keys, bits_per_key, hash_name):
    k = min(30, max(1, bits_per_key * 69 // 100))
    size = (max(64, len(keys) * bits_per_key) + 7) // 8
    bits = bytearray(size)
    for key in keys:
        h = HASHES[hash_name](key)
        delta = (h >> 17 | h << 15) & 0xFFFFFFFF
        for _ in range(k):
            bit = h % (8 * size)
            bits[bit // 8] |= 1 << bit % 8
            h = h + delta & 0xFFFFFFFF
    return bytes(bits) + bytes([k])


# Compression. The encoders are our own, since the output of libraries differs between releases.


def snappy(data):
    out, at, literal, seen = bytearray(varint(len(data))), 0, 0, {}

    def flush(end):
        for start in range(literal, end, 60):
            part = data[start:min(end, start + 60)]
            out.append(len(part) - 1 << 2)
            out.extend(part)

    while at + 4 <= len(data):
        found = seen.get(data[at:at + 4])
        seen[data[at:at + 4]] = at
        if found is None or at - found > 0xFFFF:
            at += 1
            continue
        flush(at)
        size = 4
        while size < 64 and at + size < len(data) and data[at + size] == data[found + size]:
            size += 1
        if size < 12 and at - found < 2048:
            out += bytes([at - found >> 8 << 5 | size - 4 << 2 | 1, at - found & 0xFF])
        else:
            out += bytes([size - 1 << 2 | 2]) + fixed(at - found, 2)
        at += size
        literal = at
    flush(len(data))
    return bytes(out)


def deflate(data):
    """Encodes a DEFLATE block of literals with fixed Huffman codes."""
    bits = "110"  # last block; type 1; least significant bit first
    for byte in data:
        bits += f"{0x30 + byte:08b}" if byte < 144 else f"{0x190 + byte - 144:09b}"
    bits += "0000000"
    bits += "0" * (-len(bits) % 8)
    return bytes(int(bits[at:at + 8][::-1], 2) for at in range(0, len(bits), 8))


def deflate_stored(data):
    return b"\x01" + fixed(len(data), 2) + fixed(~len(data), 2) + data


def zlib(data):
    a, b = 1, 0
    for byte in data:
        a = (a + byte) % 65521
        b = (b + a) % 65521
    return b"\x78\x9c" + deflate(data) + struct.pack(">I", b << 16 | a)


def zstd(data):
    """Encodes a frame that has its content size and one block: RLE if all bytes are equal, else raw."""
    rle = data and data == data[:1] * len(data)
    header = 1 | (2 if rle else 0) | len(data) << 3
    return bytes.fromhex("28b52ffda0") + fixed(len(data), 4) + fixed(header, 3) + (data[:1] if rle else data)


CODECS = {
    "none": (0, bytes), "snappy": (1, snappy), "zstd": (2, zstd), "zlib": (2, zlib), "deflate": (4, deflate),
    "stored-deflate": (4, deflate_stored),
}


# Keys.


def internal_key(user_key, tag):
    return user_key + fixed(tag, 8)


def separator(a, b, internal, how):
    """Returns what LevelDB's FindShortestSeparator() does, or FindShortSuccessor() if `b` is None. `how` selects
    another legal key: "last" or "zero"."""
    if how == "last":
        return a
    user, limit = (a[:-8], b and b[:-8]) if internal else (a, b)
    short = user
    if how == "zero":  # as in leveldb-rs
        short = user + b"\0" if limit is None or user + b"\0" < limit else user
    elif limit is None:
        for at, byte in enumerate(user):
            if byte != 0xFF:
                short = user[:at] + bytes([byte + 1])
                break
    else:
        at = next((at for at, pair in enumerate(zip(user, limit)) if pair[0] != pair[1]), None)
        if at is not None and user[at] < 0xFF and user[at] + 1 < limit[at]:
            short = user[:at] + bytes([user[at] + 1])
    if not internal:
        return short
    return internal_key(short, MAX_TAG) if short > user and (how == "zero" or len(short) < len(user)) else a


# The language of the cases.


def number(text):
    if not re.fullmatch(r"[0-9a-fx()*+-]+", text):
        raise ValueError(f"not a number: {text}")
    return eval(text)  # pylint: disable=eval-used


def unescape(text):
    return re.sub(r"\\(x[0-9a-f]{2}|n|\\|s)", lambda m: {"\\\\": "\\", "\\n": "\n", "\\s": " "}.get(
        m[0]) or chr(int(m[1][1:], 16)), text).encode("latin-1")


def words(text):
    return re.findall(r'(?:[^\s"]|"[^"]*")+', text)


def expression(text, handles=None):
    """Returns the bytes that words such as these stand for:
    00ff "text" v:300 v5:1 u32:7 u64:2**64-5 lp:"text" i:key@7 1000*61 h:0,10 @block @block+5,-1"""
    out = b""
    for word in words(text):
        if match := re.fullmatch(r"(\d+|\([\d*+-]+\))\*(.+)", word):
            out += number(match[1]) * expression(match[2], handles)
        elif word.startswith('"'):
            out += unescape(word[1:-1])
        elif match := re.fullmatch(r"v(\d*):(.+)", word):
            out += varint(number(match[2]), int(match[1] or 0))
        elif match := re.fullmatch(r"u(8|32|64):(.+)", word):
            out += fixed(number(match[2]), int(match[1]) // 8)
        elif match := re.fullmatch(r"h:([^,]+),(.+)", word):
            out += varint(number(match[1])) + varint(number(match[2]))
        elif match := re.fullmatch(r"@([\w.]+)(?:\+([^,]+),(.+))?", word):
            offset, size = (handles or {}).get(match[1], (0, 0))
            out += varint(max(0, offset + number(match[2] or "0"))) + varint(max(0, size + number(match[3] or "0")))
        elif match := re.fullmatch(r'lp:"(.*)"', word):
            out += prefixed(unescape(match[1]))
        elif match := re.fullmatch(r"i:(.*)@(\d+)", word):
            out += internal_key(unescape(match[1]), int(match[2]) << 8 | 1)
        else:
            out += bytes.fromhex(word)
    return out


def options(text):
    """Splits off the name=value words at the start. Returns them as a dict, and the rest."""
    found = {}
    while match := re.match(r"([a-z_]+)=(\S*)\s*", text):
        found[match[1]] = match[2]
        text = text[match.end():]
    return found, text


class Entry:
    def __init__(self, key, sequence, kind, value, place):
        self.key, self.sequence, self.kind, self.value, self.place = key, sequence, kind, value, place

    @property
    def internal(self):
        return internal_key(self.key, self.sequence << 8 | self.kind)

    def row(self):
        if self.sequence is None:
            return [shown(self.key), None, None, shown(self.value)]
        return [shown(self.key), self.sequence, self.kind, shown(self.value)]


def shown(data):
    """Returns data as hex, or if it is longer than 64 bytes, its size and hash."""
    return data.hex() if len(data) <= 64 else f"#{len(data)}:{hashlib.sha256(data).hexdigest()[:32]}"


class Block:
    def __init__(self, name, given, raw=None):
        self.name, self.given, self.raw, self.entries = name, given, raw, []


def encode_block(pairs, interval, width=0):
    out, restarts, last = bytearray(), [], b""
    for count, (key, value) in enumerate(pairs):
        shared = 0
        if count % interval == 0:
            restarts.append(len(out))
        else:
            while shared < min(len(key), len(last)) and key[shared] == last[shared]:
                shared += 1
        out += varint(shared, width) + varint(len(key) - shared, width) + varint(len(value), width) + key[shared:] + value
        last = key
    return bytes(out) + b"".join(fixed(at, 4) for at in restarts or [0]) + fixed(len(restarts or [0]), 4)


class File:
    """A file of a case, and the changes that are made to its bytes at the end."""

    def __init__(self, name):
        self.name, self.changes, self.handles = name, [], {}

    def line(self, word, rest):
        if word not in ("flip", "set", "cut", "tail", "xor"):
            raise ValueError(f"{self.name}: what is '{word}'?")
        self.changes.append((word, rest))

    def offset(self, text):
        match = re.fullmatch(r"([A-Za-z]\w*)([+-].*)?", text)
        where = self.handles[match[1]][0] + number(match[2] or "0") if match else number(text)
        return where

    def changed(self, data):
        for word, rest in self.changes:
            if word == "cut":
                data = data[:self.offset(rest) if not rest.startswith("-") else len(data) + int(rest)]
            elif word == "xor":
                key = expression(rest)
                data = bytes(byte ^ key[at % len(key)] for at, byte in enumerate(data))
            elif word == "tail":
                data += expression(rest, self.handles)
            else:
                where, rest = rest.split(None, 1)
                at = self.offset(where) if not where.startswith("-") else len(data) + int(where)
                new = expression(rest, self.handles)
                if word == "flip":
                    new = bytes(a ^ b for a, b in zip(data[at:], new))
                data = data[:at] + new + data[at + len(new):]
        return data


class Bytes(File):
    def __init__(self, name, data):
        super().__init__(name)
        self.data = data

    def finish(self):
        return self.changed(self.data)


class Table(File):
    """A table. Its lines: `put`, `del`, `puts` and `rows` add entries; `block` begins a data block; `bytes` is a block
    of the given bytes. `index`, `meta`, `indexbytes`, `metabytes`, `filterbytes`, `footer` and `order` replace what a
    writer would make."""

    def __init__(self, name, number_, orphan, given):
        super().__init__(name)
        self.number, self.orphan, self.blocks, self.parts = number_, orphan, [], {}
        self.internal = given.pop("keys", "internal") == "internal"
        self.level = int(given.pop("level", 0))
        self.order, self.automatic, self.given = None, True, given
        self.reverse = given.get("cmp") == "reverse"

    def add(self, entry):
        if not self.blocks or self.blocks[-1].raw is not None:
            self.blocks.append(Block("A", {}))
        entry.place = (self, self.blocks[-1])
        self.blocks[-1].entries.append(entry)

    def line(self, word, rest):
        if word in ("put", "del"):
            key, value = re.fullmatch(r"(.*?)(?:^| )=(?: (.*))?", rest).groups("") if word == "put" else (rest, "")
            match = re.fullmatch(r"(.*?)(?:@([^@]*))?", key)
            value = expression(value[1:]) if value.startswith(":") else unescape(value)
            key = expression(match[1][1:]) if match[1].startswith(":") else unescape(match[1])
            sequence = number(match[2]) if self.internal else None
            self.add(Entry(key, sequence, int(word == "put") if self.internal else None, value, None))
        elif word == "puts":  # KEY@SEQUENCE=VALUE, or -KEY@SEQUENCE for a deletion
            for part in rest.split():
                key, value = part.split("=", 1) if part[0] != "-" else (part, None)
                self.line("put", f"{key} = {value}") if value is not None else self.line("del", part[1:])
        elif word == "rows":
            count, form = rest.split(None, 1)
            key, value = form.split(" = ")
            rows = range(int(count))
            for i in reversed(rows) if self.reverse else rows:
                self.add(Entry(unescape(key.replace("%d", f"{i:05d}")), i + 1 if self.internal else None,
                               1 if self.internal else None, unescape(value.replace("%d", f"{i * 7919 % 10007:05d}")), None))
        elif word == "block":
            name, *more = rest.split(None, 1)
            self.blocks.append(Block(name, options(more[0])[0] if more else {}))
            self.automatic = False
        elif word == "bytes":
            name, rest = rest.split(None, 1)
            given, rest = options(rest)
            self.blocks.append(Block(name, given, rest))
            self.automatic = False
        elif word in ("index", "meta"):
            key, value = rest.rsplit(" -> ", 1)
            self.parts.setdefault(word, []).append((key, value))
        elif word in ("indexbytes", "metabytes", "filterbytes"):
            self.parts[word] = options(rest)
        elif word == "footer":
            self.parts[word] = rest
        elif word == "order":
            self.order = rest.split()
        else:
            super().line(word, rest)

    def split(self):
        """Splits the entries into blocks where LevelDB would. Used if the description names no blocks."""
        limit, interval = int(self.given.get("block", 4096)), int(self.given.get("restart", 16))
        entries, self.blocks = [entry for block in self.blocks for entry in block.entries], []
        for entry in entries:
            if not self.blocks or size >= limit:
                self.blocks.append(Block(f"B{len(self.blocks)}", {}))
                size, last, count = 8, b"", 0
            key, shared = self.key(entry), 0
            if count % interval:
                while shared < min(len(key), len(last)) and key[shared] == last[shared]:
                    shared += 1
            size += 4 * (count and count % interval == 0) + len(varint(shared)) + len(varint(len(key) - shared)) + \
                len(varint(len(entry.value))) + len(key) - shared + len(entry.value)
            last, count = key, count + 1
            entry.place = (self, self.blocks[-1])
            self.blocks[-1].entries.append(entry)

    def key(self, entry):
        return entry.internal if self.internal else entry.key

    def entries(self):
        return [entry for block in self.blocks for entry in block.entries]

    def stored(self, contents, given, compress=True):
        kind, codec = CODECS[given.get("codec", self.given.get("codec", "none")) if compress else "none"]
        data = codec(contents)
        kind = int(given.get("type", kind))
        crc = masked_crc32c(data + bytes([kind]))
        if given.get("crc") == "bad":
            crc ^= 1
        elif given.get("crc") == "unmasked":
            crc = (crc - 0xA282EAD8) & 0xFFFFFFFF
            crc = (crc >> 17 | crc << 15) & 0xFFFFFFFF
        return data, bytes([kind]) + fixed(crc, 4)

    def filter_block(self, blocks):
        """Makes the filter block that LevelDB's FilterBlockBuilder makes."""
        bits = int(self.given["filter"])
        lg, hash_name = int(self.given.get("lg", 11)), self.given.get("hash", "unsigned")
        filters, pending = [], []

        def start(offset):
            nonlocal pending
            while len(filters) < offset >> lg:
                filters.append(bloom(pending, bits, hash_name) if pending else b"")
                pending = []

        for name, block in blocks:
            offset, size = self.handles.get(name, (0, 0))
            pending += [entry.key for entry in block.entries]
            start(offset + size + 5)
        if pending:
            filters.append(bloom(pending, bits, hash_name))
        filters += [b""] * int(self.given.get("extra_windows", 0))
        ends = [0, *itertools.accumulate(map(len, filters))]
        return b"".join(filters) + b"".join(fixed(at, 4) for at in ends[:-1]) + fixed(ends[-1], 4) + bytes([lg])

    def contents(self, name):
        """Returns the stored bytes of a block, and its trailer."""
        interval, width = int(self.given.get("restart", 16)), int(self.given.get("varint", 0))
        if name == "filter":
            given, text = self.parts.get("filterbytes", ({}, None))
            data = self.filter_block([(b.name, b) for b in self.blocks]) if text is None else expression(text, self.handles)
            return self.stored(data, given, compress=False)
        if name in ("index", "meta"):
            given, text = self.parts.get(name + "bytes", ({}, None))
            if text:
                return self.stored(expression(text, self.handles), given)
            if name in self.parts:
                pairs = [(expression(key) if key != '""' else b"", expression(value, self.handles))
                         for key, value in self.parts[name] if key != "none"]
            elif name == "meta":
                pairs = []
                if "filter" in self.given:
                    policy = self.given.get("policy", "leveldb.BuiltinBloomFilter2")
                    pairs = [(b"filter." + policy.encode(), expression("@filter", self.handles))]
            else:
                pairs = self.index_pairs()
            index_interval = int(self.given.get("index_restart", 1)) if name == "index" else 16
            return self.stored(encode_block(pairs, index_interval, width), given)
        block = next(block for block in self.blocks if block.name == name)
        if block.raw is not None:
            return self.stored(expression(block.raw, self.handles), block.given)
        pairs = [(self.key(entry), entry.value) for entry in block.entries]
        return self.stored(encode_block(pairs, int(block.given.get("restart", interval)), width), block.given)

    def index_pairs(self):
        blocks = [block for block in self.blocks if block.entries]
        how = self.given.get("separators", "last" if "cmp" in self.given else "short")
        pairs = []
        for at, block in enumerate(blocks):
            after = self.key(blocks[at + 1].entries[0]) if at + 1 < len(blocks) else None
            pairs.append((separator(self.key(block.entries[-1]), after, self.internal, how),
                          expression("@" + block.name, self.handles) + expression(self.given.get("handle_tail", ""))))
        return pairs

    def finish(self):
        if self.automatic:
            self.split()
        order = self.order or [b.name for b in self.blocks] + ["filter"] * ("filter" in self.given) + ["meta", "index"]
        while True:  # until no handle changes, since a handle may precede its block
            out, handles = b"", {}
            for name in order:
                if name.startswith("gap"):
                    out += bytes(int(name[3:]))
                    continue
                data, trailer = self.contents(name)
                handles[name] = (len(out), len(data))
                out += data + trailer
            if handles == self.handles:
                break
            self.handles = handles
        footer = expression(self.parts.get("footer", "@meta @index"), handles)
        footer = footer if len(footer) == 48 else footer.ljust(40, b"\0") + MAGIC
        self.handles["footer"] = (len(out), 48)
        return self.changed(out + footer)


class Log(File):
    """A log. Its lines: `batch SEQUENCE a=1 -b` is a record of operations; `record` and `fragment TYPE` have the given
    bytes; `pad` fills the block."""

    def __init__(self, name, number_, orphan):
        super().__init__(name)
        self.number, self.out, self.list, self.orphan = number_, bytearray(), [], orphan

    def fragment(self, kind, payload, bad=False):
        crc = masked_crc32c(bytes([kind]) + payload) ^ bad
        self.out += fixed(crc, 4) + fixed(len(payload), 2) + bytes([kind]) + payload

    def record(self, payload, name=None):
        begin, first = len(self.out), True
        while True:
            left = 32768 - len(self.out) % 32768
            if left < 7:
                self.out += bytes(left)
                continue
            if first:
                self.handles[name or f"r{len(self.handles)}"] = (len(self.out), 0)
            part, payload = payload[:left - 7], payload[left - 7:]
            self.fragment({(1, 1): 1, (1, 0): 2, (0, 0): 3, (0, 1): 4}[(first, not payload)], part)
            first = False
            if not payload:
                return begin

    def line(self, word, rest):
        if word in ("batch", "hidden"):
            given, rest = options(rest)
            sequence, *operations = words(rest)
            sequence, payload, name = number(sequence), b"", f"r{len(self.handles)}"
            for at, operation in enumerate(operations):
                if operation.startswith("-"):
                    key, value, kind = unescape(operation[1:]), b"", 0
                else:
                    key, value = operation.split("=", 1)
                    key, kind = unescape(key), 1
                    value = expression(value[1:].replace("_", " ")) if value.startswith(":") else unescape(value)
                payload += bytes([kind]) + prefixed(key) + (prefixed(value) if kind else b"")
                if word == "batch":
                    self.list.append(Entry(key, sequence + at, kind, value, (self, name)))
            count = number(given.get("count", str(len(operations))))
            self.record(fixed(sequence, 8) + fixed(count, 4) + payload, name)
        elif word == "record":
            self.record(expression(rest))
        elif word == "fragment":
            given, rest = options(rest)
            kind, *rest = rest.split(None, 1)
            self.fragment(int(kind), expression(rest[0] if rest else ""), given.get("crc") == "bad")
        elif word == "raw":
            self.out += expression(rest)
        elif word == "pad":
            self.out += bytes(-len(self.out) % 32768)
        elif word == "truncate":
            del self.out[int(rest):]  # if negative, that many bytes from the end
        else:
            super().line(word, rest)

    def entries(self):
        return self.list

    def finish(self):
        return self.changed(bytes(self.out))


class Manifest(Log):
    """A MANIFEST. Its lines are those of a log, and edits:
    edit cmp= log= prev= next= last= add=LEVEL:NUMBER[:SIZE:SMALLEST:LARGEST] del=LEVEL:NUMBER ptr=LEVEL:KEY raw="""

    def __init__(self, name, number_, case):
        super().__init__(name, number_, False)
        self.case, self.lines = case, []

    def line(self, word, rest):
        self.lines.append((word, rest))

    def edit(self, text):
        out = b""
        for word in words(text):
            name, value = word.split("=", 1)
            if name == "cmp":
                out += b"\x01" + prefixed(COMPARATORS.get(value, value or BYTEWISE).encode())
            elif name in ("log", "next", "last", "prev"):
                out += bytes([{"log": 2, "next": 3, "last": 4, "prev": 9}[name]]) + varint(number(value))
            elif name == "del":
                level, file = value.split(":")
                out += b"\x06" + varint(int(level)) + varint(number(file))
            elif name == "ptr":
                level, key = value.split(":")
                out += b"\x05" + varint(int(level)) + prefixed(internal_key(unescape(key), 0x501))
            elif name == "add":
                level, file, *more = value.split(":")
                table = self.case.tables.get(number(file))
                size, low, high = len(self.case.made[table.name]) if table else 0, b"", b""
                if table:
                    entries = table.entries() or [e for e in self.case.expected if e.kind is not None] or [Entry(b"", 0, 1, b"", None)]
                    low, high = entries[0].internal, entries[-1].internal
                size = number(more[0]) if more and more[0] else size
                low, high = (expression(("i:" if "@" in given else "") + given) if given else key
                             for given, key in zip(more[1:] + ["", ""], (low, high)))
                out += b"\x07" + varint(number(level)) + varint(number(file)) + varint(size) + prefixed(low) + prefixed(high)
            else:
                out += expression(value.replace("_", " "))
        return out

    def finish(self):
        for word, rest in self.lines:
            if word == "edit":
                self.record(self.edit(rest))
            elif word == "edits":  # repeats the same edit N times
                count, rest = rest.split(None, 1)
                for i in range(int(count)):
                    self.record(self.edit(rest.replace("%d", str(i))))
            else:
                super().line(word, rest)
        return super().finish()


class Case:
    def __init__(self, name, what):
        self.name, self.what = name, what
        self.files, self.tables, self.made = [], {}, {}
        self.verdict = {"report": "no", "needs": [], "rule": [], "only_ours": False}
        self.kind, self.lost, self.expected, self.only, self.removed = None, [], [], None, []
        self.asks, self.folder = None, False

    def line(self, line):
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        if word in ("table", "log", "manifest", "file"):
            given, rest = options(rest)
            number_ = int(given.get("number", {"table": 5, "log": 3}.get(word, 4)))
            orphan = "orphan" in rest.split()
            if word == "table":
                file = self.tables[number_] = Table(f"{number_:06d}.{given.get('ext', 'ldb')}", number_, orphan, given)
            elif word == "log":
                file = Log(f"{number_:06d}.log", number_, orphan)
            elif word == "manifest":
                file = Manifest(f"MANIFEST-{number_:06d}", number_, self)
            else:
                name, *rest = rest.split(None, 1)
                file = Bytes(name, expression(rest[0] if rest else ""))
            self.files.append(file)
        elif word == "only_ours":
            self.verdict[word] = True
        elif word in ("needs", "rule"):
            self.verdict[word] += rest.split() if word == "needs" else [rest]
        elif word == "report":
            self.verdict[word] = rest
        elif word == "refuse":
            self.verdict["report"] = "yes"
            self.lost.append("all")
        elif word == "lose":
            self.lost += rest.split()
        elif word == "expect":  # an entry that the file's own lines don't show
            key, value = rest.split(" = ", 1) if " = " in rest else (rest, None)
            match = re.fullmatch(r"(.*?)(?:@([^@]+))?", key)
            value = expression(value[1:]) if value and value.startswith(":") else unescape(value) if value is not None else None
            sequence = number(match[2]) if match[2] else None
            kind = None if sequence is None else int(value is not None)
            self.expected.append(Entry(unescape(match[1]), sequence, kind, value or b"", (None, None)))
        elif word == "shows":  # KEY SEQUENCE TYPE VALUE: an entry that may be shown despite damage
            key, sequence, kind, value = rest.split()
            entry = Entry(expression(key), *(None if number_ == "-" else int(number_) for number_ in (sequence, kind)),
                          expression(value), (None, "shows"))
            self.expected.append(entry)
            self.lost.append("shows")
        elif word == "kind":
            self.kind = rest
        elif word == "ask":
            self.asks = [unescape(key) for key in rest.split()]
        elif word == "remove":
            self.removed += rest.split()
        elif word == "mode":
            self.only = rest.split()
        else:
            self.files[-1].line(word, rest)

    def is_lost(self, entry):
        place, block = entry.place
        name = block.name if isinstance(block, Block) else block
        return name == "shows" or "all" in self.lost or name in self.lost or shown(entry.key) in self.lost or \
            place is not None and place.name in self.lost or entry.key.decode("latin-1") in self.lost

    def finish(self):
        manifests = [file for file in self.files if isinstance(file, Manifest)]
        for file in self.files:
            if not isinstance(file, Manifest):
                self.made[file.name] = file.finish()
        comparator = BYTEWISE
        for table in self.tables.values():
            comparator = COMPARATORS.get(table.given.get("cmp"), comparator)
        readers = [file for file in self.files if isinstance(file, (Table, Log)) and not isinstance(file, Manifest)]
        plain = any(not table.internal for table in self.tables.values())
        if not manifests and not plain and readers and "CURRENT" not in self.made:
            last = max([e.sequence or 0 for table in self.tables.values() for e in table.entries() + self.expected], default=0)
            manifest = Manifest("MANIFEST-000004", 4, self)
            manifest.line("edit", f"cmp={comparator} log=3 prev=0 next=100 last={last} " + " ".join(
                f"add={table.level}:{table.number}" for table in self.tables.values() if not table.orphan))
            self.files.append(manifest)
            manifests = [manifest]
        else:
            self.folder = bool(manifests) or not readers
        for file in manifests:
            self.made[file.name] = file.finish()
        if manifests and "CURRENT" not in self.made and "CURRENT" not in self.removed:
            self.made["CURRENT"] = manifests[-1].name.encode() + b"\n"
        for name in self.removed:
            self.made.pop(name, None)
        self.finish_verdict(readers, manifests, plain, comparator)

    def finish_verdict(self, readers, manifests, plain, comparator):
        kind = self.kind or ("database" if self.folder or len(readers) != 1 else "table" if self.tables else "log")
        entries = [e for f in readers if not f.orphan for e in f.entries()] + self.expected
        verdict = {"name": self.name, "group": self.name.split("/")[0], "what": self.what}
        # What implementations read: the file alone, and the folder as a database.
        paths = {}
        if kind == "table":
            paths["table"] = next(iter(self.tables.values())).name
        elif kind == "log":
            paths["log"] = readers[0].name
        if manifests and not plain and (kind != "log" or self.only is None) or kind == "database":
            paths["database"] = "."
        if self.only:
            paths = {name: path for name, path in paths.items() if name in self.only}
        verdict["paths"] = paths
        verdict["keys"] = "plain" if plain else "internal"
        verdict["comparator"] = comparator
        if comparator != BYTEWISE:
            self.verdict["needs"].append("comparator")
        for table in self.tables.values():
            for given in [table.given] + [block.given for block in table.blocks]:
                codec = given.get("codec", "none").replace("stored-", "")
                if codec != "none" and codec not in self.verdict["needs"]:
                    self.verdict["needs"].append(codec)
        verdict.update(self.verdict)
        verdict["entries"] = [e.row() for e in entries if not self.is_lost(e)]
        verdict["may_lose"] = [e.row() for e in entries if self.is_lost(e)]
        # If no version of a key is lost, its newest version is expected. Otherwise, any of its
        # values may be found.
        versions, lost = {}, set()
        for e in entries:
            versions.setdefault(e.key, []).append(e)
            if self.is_lost(e) and e.place[1] != "shows":
                lost.add(e.key)
        live = {}
        for key, list_ in versions.items():
            if list_[0].place[1] == "shows":
                lost.add(key)
                continue
            newest = max(list_, key=lambda e: (e.sequence or 0, e.kind or 0))
            if newest.kind != 0:
                live[key] = newest.value
        ordered = list(live) if comparator == COMPARATORS["idb"] else sorted(live, reverse=comparator != BYTEWISE)
        verdict["live"] = [[shown(key), shown(live[key])] for key in ordered if key not in lost]
        verdict["live_may_lose"] = [[shown(key), shown(e.value)] for key in sorted(lost) for e in versions[key] if e.kind != 0]
        keys = [key for key in ordered if len(key) <= 64 and key not in lost]
        if verdict["group"] in ("logs", "hostile"):
            keys = []  # a scan alone covers everything
        asked = {key: shown(live[key]) for key in keys[::max(1, len(keys) // 3)] + keys[-1:]}
        for key in keys[:1]:
            if key + b"\0" not in live and not lost:
                asked[key + b"\0"] = None
        if self.asks is not None:
            asked = {key: shown(live[key]) if key in live and key not in lost else None for key in self.asks if key not in lost}
        verdict["ask"] = [[key.hex(), value] for key, value in asked.items()]
        verdict["must_not_say_absent"] = [key.hex() for key in sorted(lost) if len(key) <= 64 and key in live][:2 if keys else 0]
        self.final = verdict


def parse(text, path):
    """Yields the cases that a file describes. {a|name=b} in the name of a case makes one case for each alternative, and
    {0} in its lines stands for the first alternative. " | " joins lines."""
    case_lines = []
    for at, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if not line.startswith(" "):
            case_lines.append((at, line, []))
        else:
            case_lines[-1][2].extend((at, part.strip()) for part in line.split(" | "))
    for at, head, lines in case_lines:
        name, what = head.split(None, 1)
        choices = [part[1:-1].split("|") for part in re.findall(r"\{[^}]*\}", name)]
        for chosen in itertools.product(*choices):
            names = iter(choice.split("=")[0] for choice in chosen)
            chosen = [choice.split("=", 1)[-1].replace("~", " ") for choice in chosen]
            case = Case(re.sub(r"\{[^}]*\}", lambda _: next(names), name), what.strip())
            for number_, line in lines:
                for position, value in enumerate(chosen):
                    line = line.replace("{%d}" % position, value)
                try:
                    case.line(line)
                except Exception as error:
                    raise SystemExit(f"{path}:{number_}: {line}: {error!r}")
            try:
                case.finish()
            except Exception as error:
                print(f"{path}:{at}: {case.name}", file=sys.stderr)
                raise
            yield case


def digest(case):
    found = hashlib.sha256()
    for name, data in sorted({**case.made, "verdict.json": json.dumps(case.final, sort_keys=True).encode()}.items()):
        found.update(f"{name} {len(data)}\n".encode() + data)
    return found.hexdigest()


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--rewrite"]
    if {"-h", "--help"} & set(arguments):
        print(__doc__)
        return 0
    if not 1 <= len(arguments) <= 2 or any(argument.startswith("-") for argument in arguments):
        print(__doc__, file=sys.stderr)
        return 2
    folder, pattern = pathlib.Path(arguments[0]), (arguments[1:] or ["*"])[0]
    golden_path = HERE / "golden.txt"
    golden = dict(line.split() for line in golden_path.read_text().splitlines()) if golden_path.exists() else {}
    hashes, wrong = {}, 0
    for path in sorted((HERE / "cases").glob("*.txt")):
        for case in parse(path.read_text(), path):
            if not fnmatch.fnmatch(case.name, pattern):
                continue
            if case.name in hashes:
                sys.exit(f"two cases are named {case.name}")
            hashes[case.name] = digest(case)
            if "--rewrite" not in sys.argv and golden.get(case.name) != hashes[case.name]:
                wrong += 1
                if wrong <= 10:
                    print(f"{case.name}: not the bytes of golden.txt", file=sys.stderr)
            target = folder / case.name
            shutil.rmtree(target, ignore_errors=True)
            target.mkdir(parents=True)
            for name, data in case.made.items():
                (target / name).write_bytes(data)
            (target / "verdict.json").write_text(json.dumps(case.final, indent=1) + "\n")
    if "--rewrite" in sys.argv:
        kept = {name: value for name, value in golden.items() if not fnmatch.fnmatch(name, pattern)}
        golden_path.write_text("".join(f"{name} {value}\n" for name, value in sorted({**kept, **hashes}.items())))
    elif pattern == "*" and set(golden) - set(hashes):
        wrong += 1
        print(f"not made: {sorted(set(golden) - set(hashes))}", file=sys.stderr)
    print(f"{len(hashes)} cases, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
