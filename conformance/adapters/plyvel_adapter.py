#!/usr/bin/env python3
"""plyvel (LevelDB from Python), or amulet-leveldb (Mojang's fork): the module is the first argument."""

import importlib
import json
import sys


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
        else:
            db = library.LevelDB(path)

            def get(key):
                try:
                    return db.get(key)
                except KeyError:
                    return None
            rows = db.items() if operation[0] == "s" else None
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
