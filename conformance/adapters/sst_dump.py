#!/usr/bin/env python3
"""Adapter for RocksDB's sst_dump, which reads tables with internal keys."""

import json
import os
import re
import subprocess
import sys


def main():
    operation, path, comparator = sys.argv[1:]
    if operation != "scan-table" or not comparator.startswith("leveldb."):
        return 3
    named = path.rsplit(".", 1)[0] + ".sst"  # sst_dump accepts only this suffix
    if named != path:
        os.rename(path, named)
    done = subprocess.run(["sst_dump", "--file=" + named, "--command=scan", "--output_hex", "--verify_checksum"],
                          capture_output=True, text=True, check=False)
    rows = re.findall(r"^'([0-9A-F]*)' seq:(\d+), type:(\d+) => ([0-9A-F]*)$", done.stdout, re.MULTILINE)
    for key, sequence, kind, value in rows:
        print(json.dumps({"key": key.lower(), "sequence": int(sequence), "type": int(kind), "value": value.lower()}))
    said = done.stdout + done.stderr
    if done.returncode < 0:
        os.kill(os.getpid(), -done.returncode)
    failed = done.returncode or re.search(r"Corruption|not a valid|bad |error|Invalid|IO error|Not implemented", said)
    if failed:
        print(said.strip().splitlines()[-1:], file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
