"""Decodes filters for whole tables from their description in docs/filter_block.md, without the
library's code.

Tests the page's vectors, and tables that `sst` builds, one of them with several shards. Every key
must match, absent keys must match about as often as expected, and every byte of the filter must be
accounted for.
"""

import os
import re
import struct
import subprocess
import sys

M64 = (1 << 64) - 1


def xxh3_9_to_16(key):
    """Returns the XXH3 64-bit hash of 9 to 16 bytes, with seed 0."""
    assert 9 <= len(key) <= 16
    secret = bytes.fromhex("7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221b8084674f743248e")
    s = struct.unpack("<4Q", secret)
    low = int.from_bytes(key[:8], "little") ^ s[0] ^ s[1]
    high = int.from_bytes(key[-8:], "little") ^ s[2] ^ s[3]
    product = low * high
    total = len(key) + int.from_bytes(low.to_bytes(8, "little"), "big") + high
    h = (total + ((product & M64) ^ (product >> 64))) & M64
    h ^= h >> 37
    h = h * 0x165667919E3779F9 & M64
    return h ^ (h >> 32)


def blocked_bloom(contents, h):
    probes, lines = contents[-1], len(contents) // 64
    line = contents[64 * (h * lines >> 64) :][:64]
    x = h & 0xFFFFFFFF
    for _ in range(probes):
        x = x * 0x9E3779B9 & 0xFFFFFFFF
        bit = x >> 23
        if not line[bit // 8] >> bit % 8 & 1:
            return False
    return True


def binary_fuse(contents, h, width):
    shards, segments, lg = struct.unpack("<IIB", contents[-9:])
    if shards == 0:
        return True
    shard = h * shards >> 64
    seed = contents[len(contents) - 9 - shards + shard]
    m = (h + (seed + 1) * 0x9E3779B97F4A7C15) * 0xFF51AFD7ED558CCD & M64
    m ^= m >> 33
    size, mask = 1 << lg, (1 << lg) - 1
    first = m * (segments * size) >> 64
    places = [
        first,
        (first + size) ^ (m >> 36 & mask),
        (first + 2 * size) ^ (m >> 18 & mask),
        (first + 3 * size) ^ (m & mask),
    ]
    value = (m ^ m >> 32) % 256**width
    start = shard * (segments + 3) * size
    for place in places:
        value ^= int.from_bytes(contents[width * (start + place) :][:width], "little")
    return value == 0


DECODERS = {
    "BlockedBloom1": blocked_bloom,
    "BinaryFuse8": lambda contents, h: binary_fuse(contents, h, 1),
    "BinaryFuse16": lambda contents, h: binary_fuse(contents, h, 2),
}


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def filter_of(path):
    """Returns the policy name and contents of the first meta block. The metaindex block must be
    stored raw."""
    with open(path, "rb") as file:
        data = file.read()
    at, _ = varint(data, len(data) - 48)
    _, at = varint(data, at)  # shared
    name_size, at = varint(data, at)
    _, at = varint(data, at)  # the value size
    name = data[at : at + name_size].decode()
    offset, at = varint(data, at + name_size)
    size, _ = varint(data, at)
    assert name.startswith("filter.sstable."), name
    return name[len("filter.sstable.") :], data[offset : offset + size]


def check(condition, text):
    if not condition:
        sys.exit(text)


def check_vectors():
    with open("docs/filter_block.md") as file:
        page = file.read()
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| `([0-9a-f]+)` \|$", page, re.MULTILINE)
    check(len(rows) == 3, f"expected three vectors, found {rows}")
    for name, _, text in rows:
        contents = bytes.fromhex(text)
        for i in (0, 2, 4):
            may_match = DECODERS[name](contents, xxh3_9_to_16(b"%016d" % i))
            check(may_match, f"{name} does not know {i}")


def check_table(sst, option, name, count, max_rate):
    folder = os.environ["TEST_TMPDIR"]
    table = f"{folder}/{name}-{count}.ldb"
    keys = [b"%012d" % (2 * i) for i in range(count)]
    lines = b"".join(key + b"\t\n" for key in keys)
    command = [sst, "build", "--from", "tsv", "--filter", "none", "--compression", "none"]
    subprocess.run(command + ["--table-filter", option, table], input=lines, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    found, contents = filter_of(table)
    check(found == name, f"{table} has {found}")
    for key in keys:
        check(DECODERS[name](contents, xxh3_9_to_16(key)), f"{table} loses {key}")
    probes = 40000
    passed = sum(DECODERS[name](contents, xxh3_9_to_16(b"%012d" % (2 * i + 1))) for i in range(probes))
    check(passed <= max_rate * probes, f"{table} lets {passed} of {probes} absent keys pass")


def main():
    check_vectors()
    for count in (1, 500, 140000):  # the last has two shards
        check_table("tools/sst", "blocked:10", "BlockedBloom1", count, 0.013)
        check_table("tools/sst", "fuse8", "BinaryFuse8", count, 0.006)
        check_table("tools/sst", "fuse16", "BinaryFuse16", count, 0.0003)


main()
