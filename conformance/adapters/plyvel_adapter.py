#!/usr/bin/env python3
"""Adapter for plyvel (LevelDB), amulet-leveldb (Mojang's fork) and rocksdict (RocksDB); the first argument is the
module's name."""

import importlib
import json
import sys
import time


def checked(db):
    """Raises if the iterator ended at an error, since rocksdict's items() ends silently there."""
    it = db.iter()
    it.seek_to_first()
    while it.valid():
        yield it.key(), it.value()
        it.next()
    it.status()


def main():
    module, operation, path, comparator = sys.argv[1:]
    if not operation.endswith("database") or not comparator.startswith("leveldb."):
        return 3
    library = importlib.import_module(module)
    code = 0
    try:
        if module == "plyvel":
            db = library.DB(path, paranoid_checks=True, bloom_filter_bits=10)
            get, rows = lambda key: db.get(key, verify_checksums=True), db.iterator(verify_checksums=True)
        elif module == "rocksdict":
            options = library.Options(raw_mode=True)
            options.create_if_missing(False)
            options.set_paranoid_checks(True)
            db = library.Rdict(path, options=options, access_type=library.AccessType.read_only())
            get, rows = db.get, db.items() if operation[0] == "t" else checked(db)
        else:
            db = library.LevelDB(path)

            def get(key):
                try:
                    return db.get(key)
                except KeyError:
                    return None
            rows = db.items() if operation[0] != "g" else None
        if operation[0] == "t":
            keys = [bytes.fromhex(line) for line in sys.stdin]
            start, entries, size = time.process_time(), 0, 0
            for key, value in rows:
                entries += 1
                size += len(key) + len(value)
            done = time.process_time()
            found = sum(get(key) is not None for key in keys)
            print(json.dumps({"entries": entries, "bytes": size, "read": done - start, "found": found,
                              "gets": time.process_time() - done}))
            return 0
        if operation[0] == "s":
            for key, value in rows:
                print(json.dumps({"key": key.hex(), "value": value.hex()}))
            return 0
        for line in sys.stdin:
            try:
                value = get(bytes.fromhex(line.strip()))
                print(json.dumps({"key": line.strip(), "value": None if value is None else value.hex()}))
            except Exception as error:  # pylint: disable=broad-except
                print(json.dumps({"key": line.strip(), "error": str(error)}))
                code = 1
    except Exception as error:  # pylint: disable=broad-except
        print(repr(error), file=sys.stderr)
        return 1
    return code


sys.exit(main())
