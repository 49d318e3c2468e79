"""`sst` reads random folders that LevelDB or goleveldb wrote. Half of them were copied while open.

- `sst dump` must print what LevelDB or goleveldb reads from a copy of the folder, in the same
order. - `sst get` must be right for present, deleted and absent keys, now and at earlier sequences.
- `sst dump --history` must print every version that an independent decoder finds in the files, with
  sequence, type, file and offset.
- `sst check` must find nothing wrong.

Arguments: SST [COUNT [FIRST_SEED [GOLEVELDB_SOURCE]]]. If GOLEVELDB_SOURCE is given, goleveldb
writes the folders.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

import folder_decoder
from folder_maker import FolderMaker
from goleveldb_folder_maker import GoleveldbFolderMaker, build_program


class Failed(Exception):
    pass


def run(sst, *arguments):
    return subprocess.run([sst, *arguments], capture_output=True)


def expect(condition, message):
    if not condition:
        raise Failed(message)


def first_difference(found, expected):
    for i, (a, b) in enumerate(zip(found, expected)):
        if a != b:
            return "entry %d: found %.200r, expected %.200r" % (i, a, b)
    return "found %d, expected %d entries" % (len(found), len(expected))


def check_dump(sst, path, entries):
    dump = run(sst, "dump", "--format", "tsv", "--encoding", "hex", path)
    expect(dump.returncode == 0 and not dump.stderr, "dump: %d, %r" % (dump.returncode, dump.stderr))
    found = [tuple(map(bytes.fromhex, line.split("\t"))) for line in dump.stdout.decode().splitlines()]
    expect(found == entries, "dump: " + first_difference(found, entries))


def check_history(sst, path, versions):
    dump = run(sst, "dump", "--history", "--format", "jsonl", "--encoding", "hex", path)
    expect(dump.returncode == 0, "history: %d, %r" % (dump.returncode, dump.stderr))
    found = []
    for line in dump.stdout.decode().splitlines():
        entry = json.loads(line)
        found.append((entry["key_hex"], entry["sequence"], entry["type"], entry.get("value_hex", ""),
                      entry["live"], entry["file"], entry["offset"]))
    expected = []
    last_key = None
    for v in versions:
        is_live = v.kind == 1 and v.key != last_key
        last_key = v.key
        expected.append((v.key.hex(), v.sequence, "value" if v.kind == 1 else "deletion",
                         v.value.hex(), is_live, os.path.join(path, v.file), v.spans[0][0]))
    expect(found == expected, "history: " + first_difference(found, expected))


def check_get(sst, path, key, version, snapshot=None):
    """Checks one lookup. `version` is the newest version that the snapshot sees, or None."""
    options = [] if snapshot is None else ["--snapshot", str(snapshot)]
    get = run(sst, "get", "--encoding", "hex", "--format", "hex", *options, path, key.hex())
    where = "get %s %s: %d, %r" % (options, key.hex(), get.returncode, get.stderr)
    if version is not None and version.kind == 1:
        expect(get.returncode == 0 and get.stdout.decode() == version.value.hex() + "\n", where)
    else:
        expect(get.returncode == 1 and not get.stdout, where)
        says_deleted = b"is deleted, at sequence" in get.stderr
        expect(says_deleted == (version is not None), where)


def check_gets(sst, path, versions, rnd):
    by_key = {}
    for version in versions:
        by_key.setdefault(version.key, []).append(version)
    present = [key for key, of_key in by_key.items() if of_key[0].kind == 1]
    deleted = [key for key, of_key in by_key.items() if of_key[0].kind == 0]
    absent = [key + b"\x00" for key in by_key] + [b"", b"zzz"]
    absent = [key for key in absent if key not in by_key]
    last_sequence = max((version.sequence for version in versions), default=1)
    for keys, count in ((present, 3), (deleted, 3), (absent, 2)):
        for key in rnd.sample(sorted(keys), min(count, len(keys))):
            check_get(sst, path, key, by_key.get(key, [None])[0])
            snapshot = rnd.randrange(last_sequence + 1)
            seen = [v for v in by_key.get(key, ()) if v.sequence <= snapshot]
            check_get(sst, path, key, seen[0] if seen else None, snapshot)


def try_folder(sst, maker, rnd):
    path = maker.make()
    entries = maker.read_copy()
    versions = folder_decoder.Folder(path).versions()
    before = {name: folder_decoder.read(path, name) for name in os.listdir(path)}
    check_dump(sst, path, entries)
    check_history(sst, path, versions)
    check_gets(sst, path, versions, rnd)
    check = run(sst, "check", "-q", path)
    expect(check.returncode == 0, "check: %r" % check.stdout)
    after = {name: folder_decoder.read(path, name) for name in os.listdir(path)}
    expect(before == after, "the folder was changed")
    return len(entries), len(versions)


def main():
    sst = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    program = build_program(sys.argv[4]) if len(sys.argv) > 4 else None
    failures = entries = versions = 0
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as root:
            maker = GoleveldbFolderMaker(program, seed, root) if program else FolderMaker(seed, root)
            try:
                counts = try_folder(sst, maker, random.Random("get %d" % seed))
                entries += counts[0]
                versions += counts[1]
            except Failed as failure:
                print("seed %d: %s" % (seed, failure))
                failures += 1
    print("%d folders with %d live entries and %d versions: %d wrong"
          % (count, entries, versions, failures))
    return 1 if failures or versions == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
