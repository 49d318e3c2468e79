"""Parses the output of `sst dump --format jsonl` for a database."""

import json
from collections import namedtuple

# A line of `sst dump --history`. `kind` is 1 for a value, 0 for a deletion (`value` is then empty).
Line = namedtuple("Line", "key sequence kind value is_live file")


def _bytes_of(line, name):
    """Returns the bytes of a field, which is text, or hexadecimal if its name ends in _hex; b"" if
    absent."""
    if name + "_hex" in line:
        return bytes.fromhex(line[name + "_hex"])
    return line.get(name, "").encode()


def entries_of(out):
    """Returns (key, value) of each line."""
    lines = map(json.loads, out.splitlines())
    return [(_bytes_of(line, "key"), _bytes_of(line, "value")) for line in lines]


def history_of(out):
    """Returns a Line for each line."""
    result = []
    for line in map(json.loads, out.splitlines()):
        kind = {"value": 1, "deletion": 0}[line["type"]]
        result.append(Line(_bytes_of(line, "key"), line["sequence"], kind,
                           _bytes_of(line, "value"), line["live"], line["file"]))
    return result
