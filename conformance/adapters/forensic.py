#!/usr/bin/env python3
"""Adapter for the forensic readers chromium-reader, dfindexeddb and rleveldb; the first argument names one."""

import json
import pathlib
import sys
import time


def show(key, value, sequence, kind):
    print(json.dumps({"key": key.hex(), "value": (value or b"").hex(), "sequence": sequence, "type": kind}))


def show_internal(key, value):
    tag = int.from_bytes(key[-8:], "little")
    if len(key) < 8:
        print(json.dumps({"internal_key": key.hex(), "value": value.hex()}))
    else:
        show(key[:-8], value, tag >> 8, tag & 255)


def chromium_reader(form, path):
    from chromium_reader import leveldb
    if form == "log":
        for record in leveldb.LogFile(path):
            show(record.key, record.value, record.seq, int(record.state == leveldb.KeyState.LIVE))
    else:
        for record in leveldb.LdbFile(path):
            show_internal(record.key, record.value)


def dfindexeddb(form, path):
    from dfindexeddb.leveldb import ldb, log
    records = log.FileReader(str(path)).GetParsedInternalKeys() if form == "log" else \
        ldb.FileReader(str(path)).GetKeyValueRecords()
    for record in records:
        show(record.key, record.value, record.sequence_number, int(record.record_type))


def rleveldb(form, path):
    import rleveldb as library
    folder = path if path.is_dir() else path.parent
    for record in library.RawLevelDb(str(folder)).iterate_records_raw():  # from all files
        if path in (folder, pathlib.Path(record.origin_file)):
            show(record.user_key, record.value, record.seq, int(record.state == library.KeyState.Live))


def time_tables(read, folder):
    """Returns the time to read all tables of a database, one after the other."""
    counted = {"entries": 0, "bytes": 0}

    def count(key, value, sequence, kind):
        counted["entries"] += 1
        counted["bytes"] += len(key) + len(value or b"")

    globals()["show"] = count
    start = time.process_time()
    for path in [folder] if read is rleveldb else sorted(folder.glob("*.ldb")):
        read("table", path)
    print(json.dumps({**counted, "read": time.process_time() - start}))
    return 0


def main():
    name, operation, path, comparator = sys.argv[1:]
    if operation not in ("scan-table", "scan-log", "time-database") or not comparator.startswith("leveldb."):
        return 3
    if operation == "time-database":
        return time_tables(globals()[name.replace("-", "_")], pathlib.Path(path))
    try:
        globals()[name.replace("-", "_")](operation.split("-")[1], pathlib.Path(path))
    except Exception as error:  # pylint: disable=broad-except
        print(repr(error), file=sys.stderr)
        return 1
    return 0


sys.exit(main())
