#!/usr/bin/env python3
"""Adapter for this project's command `sst`: $SST, or else the one in this tree, or else the one in PATH."""

import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
BUILT = [os.path.join(HERE, "..", "..", place, "sst") for place in ("tools", "bazel-bin/tools")]
SST = os.environ.get("SST") or next(filter(os.path.isfile, BUILT), "sst")


def main():
    operation, path, comparator = sys.argv[1:]
    what, form = operation.split("-")
    known = [] if form == "log" else ["--keys", "plain" if form == "plain" else "internal"]
    if form != "log" and not comparator.startswith("leveldb."):
        known += ["--comparator", "idb_cmp1" if comparator == "idb_cmp1" else "reverse"]
    if what == "scan":
        done = subprocess.run([SST, "dump", "--format", "jsonl", "--encoding", "hex", *known, path],
                              stdout=subprocess.PIPE, check=False)
        for line in done.stdout.splitlines():
            row = json.loads(line)
            sequence = row.get("sequence")  # a string above 2^53
            print(json.dumps({"key": row["key_hex"], "value": row.get("value_hex", ""),
                              "sequence": sequence if sequence is None else int(sequence),
                              "type": {"value": 1, "deletion": 0}.get(row.get("type"), row.get("type"))}))
        return 1 if done.returncode in (1, 2) else done.returncode
    code = 0
    for key in sys.stdin.read().split("\n")[:-1]:
        done = subprocess.run([SST, "get", "--encoding", "hex", "--format", "text", *known, "--", path, key],
                              capture_output=True, text=True, check=False)
        said = done.stderr.strip().splitlines()
        if done.stdout:  # even if a warning says that something else is damaged
            print(json.dumps({"key": key, "value": done.stdout.strip()}))
        elif done.returncode == 1 and len(said) == 1 and ("is not in" in said[0] or "is deleted" in said[0]):
            print(json.dumps({"key": key, "value": None}))
        elif done.returncode in (1, 2):
            print(json.dumps({"key": key, "error": " ".join(said)}))
            code = 1
        else:
            return done.returncode
    return code


if __name__ == "__main__":
    sys.exit(main())
