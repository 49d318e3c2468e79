"""Opens SQLite connections with the extension loaded. Ends the process if the extension can't be
loaded."""

import os
import sqlite3
import sys

EXTENSION = os.path.abspath("sqlite/sstable.so")
if any(name in open(EXTENSION, "rb").read() for name in (b"__asan_", b"__tsan_", b"__ubsan_")):
    print("Skipped: a sanitizer's library can't be loaded into Python.")
    sys.exit(0)


def connect(encoding="UTF-8", path=":memory:"):
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA encoding = '%s'" % encoding)
    db.enable_load_extension(True)
    db.load_extension(EXTENSION)
    return db


def rows_and_error(db, sql, arguments=()):
    """Returns the rows, and the message of the error that ended the query, or "". The last row
    before an error is missing, since Python's module fetches the next row before it returns one."""
    rows = []
    try:
        for row in db.execute(sql, arguments):
            rows.append(row)
    except sqlite3.Error as error:
        return rows, str(error)
    return rows, ""
