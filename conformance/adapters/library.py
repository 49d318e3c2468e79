#!/usr/bin/env python3
"""Adapter for this project's library, through the Python package in $SSTABLE_PYTHON or in this tree."""

import json
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.environ.get("SSTABLE_PYTHON", os.path.join(HERE, "..", "..", "python"))
sys.path.insert(0, PACKAGE)
import sstable


def show(key, value, sequence=None, kind=None):
    print(json.dumps({"key": key.hex(), "value": value.hex(), "sequence": sequence, "type": kind}))


def main():
    operation, path, comparator = sys.argv[1:]
    what, form = operation.split("-")
    if form == "log":
        return 3
    code = 0
    try:
        if form != "database" and not comparator.startswith("leveldb."):
            return 3  # the package can't select another comparator
        opened = sstable.open_database(path) if form == "database" else sstable.open(
            path, internal_keys=form == "table")
        if what == "get":
            for key in sys.stdin.read().split("\n")[:-1]:
                try:
                    value = opened.get(bytes.fromhex(key))
                    print(json.dumps({"key": key, "value": None if value is None else value.hex()}))
                except sstable.Error as error:
                    print(json.dumps({"key": key, "error": str(error)}))
                    code = 1
        elif what == "time":
            keys = [bytes.fromhex(line) for line in sys.stdin]
            start, entries, size = time.process_time(), 0, 0
            for key, value in opened.items():
                entries += 1
                size += len(key) + len(value)
            done = time.process_time()
            found = sum(opened.get(key) is not None for key in keys)
            print(json.dumps({"entries": entries, "bytes": size, "read": done - start, "found": found,
                              "gets": time.process_time() - done}))
        elif form == "table":
            for version in opened.versions():
                show(version.key, version.value or b"", version.sequence, 0 if version.is_deletion else 1)
        else:
            for key, value in opened.items():
                show(key, value)
        if any(problem.is_damage for problem in opened.problems):
            code = 1
    except sstable.Error as error:
        print(error, file=sys.stderr)
        code = 1
    return code


if __name__ == "__main__":
    sys.exit(main())
