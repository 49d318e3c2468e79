#!/usr/bin/env python3
"""Readers of files for forensics: chromium-reader, dfindexeddb. The name is the first argument."""

import json
import pathlib
import sys


def show(key, value, sequence, kind):
    print(json.dumps({"key": key.hex(), "value": (value or b"").hex(), "sequence": sequence, "type": kind}))


def chromium_reader(form, path):
    from chromium_reader import leveldb
    if form == "log":
        for record in leveldb.LogFile(path):
            show(record.key, record.value, record.seq, int(record.state == leveldb.KeyState.LIVE))
    else:
        for record in leveldb.LdbFile(path):
            print(json.dumps({"internal_key": record.key.hex(), "value": record.value.hex()}))


def dfindexeddb(form, path):
    from dfindexeddb.leveldb import ldb, log
    records = log.FileReader(str(path)).GetParsedInternalKeys() if form == "log" else \
        ldb.FileReader(str(path)).GetKeyValueRecords()
    for record in records:
        show(record.key, record.value, record.sequence_number, int(record.record_type))


def main():
    name, operation, path, comparator = sys.argv[1:]
    if operation not in ("scan-table", "scan-log") or not comparator.startswith("leveldb."):
        return 3
    try:
        globals()[name.replace("-", "_")](operation.split("-")[1], pathlib.Path(path))
    except Exception as error:  # pylint: disable=broad-except
        print(repr(error), file=sys.stderr)
        return 1
    return 0


sys.exit(main())
