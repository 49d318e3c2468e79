"""Compares LevelDB's RepairDB with `sst salvage` on the same damaged folders. Not a test.

The figures in docs/my_database_does_not_open.md come from this program.

Arguments: SST [COUNT [FIRST_SEED]].
"""

import collections
import os
import shutil
import subprocess
import sys
import tempfile

import plyvel

import folder_damage
import folder_decoder
from database_salvage_test import read_with_leveldb, salvage
from folder_maker import FolderMaker


def count_result(counts, path, versions, intact):
    """Compares what LevelDB reads with the newest intact version of each key. Also accepts a later
    version of the original, which can come from a file that no edit names."""
    try:
        found = read_with_leveldb(path)
    except plyvel.Error:
        counts["results that LevelDB does not open"] += 1
        found = {}
    later = {}  # for each key, the values from its newest intact version on; None for a deletion
    newest = {}
    for version in intact:
        newest.setdefault(version.key, version)
    for version in versions:
        if version.key in newest and version.sequence >= newest[version.key].sequence:
            later.setdefault(version.key, []).append(version.value if version.kind == 1 else None)
    for key, version in newest.items():
        state = found.get(key)
        if state in later[key]:
            continue
        if version.kind == 0:
            counts["deleted keys that are back"] += 1
        elif state is None:
            counts["live keys missing"] += 1
        else:
            counts["values older than an intact one"] += 1


def main():
    sst = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 500
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    totals = collections.Counter()
    with tempfile.TemporaryDirectory() as root:
        columns = {"sst salvage": collections.Counter(), "RepairDB": collections.Counter()}
        for seed in range(first, first + count):
            original = FolderMaker(seed, root).make()
            damaged = original + ".damaged"
            folder_damage.copy_folder(original, damaged)
            versions = folder_decoder.Folder(original).versions()
            folder_damage.Damage(damaged, seed)
            intact = folder_damage.intact_versions(versions, original, damaged)
            totals["live"] += len(folder_decoder.live(intact))
            totals["empty"] += not intact
            for name, counts in columns.items():
                result = original + ".result"
                shutil.rmtree(result, ignore_errors=True)
                if name == "RepairDB":
                    folder_damage.copy_folder(damaged, result)
                    # Runs in a separate process, since an assertion in LevelDB may end it.
                    repair = "import plyvel, sys; plyvel.repair_db(sys.argv[1])"
                    run = subprocess.run([sys.executable, "-c", repair, result],
                                         stderr=subprocess.DEVNULL)
                    if run.returncode != 0:
                        counts["folders that RepairDB fails on"] += 1
                else:
                    salvage(sst, damaged, result)
                # Must be read before LevelDB opens it and perhaps compacts it.
                try:
                    tables = folder_decoder.Folder(result).tables.values()
                    counts["tables"] += len(tables)
                    counts["tables on level 0"] += sum(1 for table in tables if table.level == 0)
                except (OSError, ValueError):
                    pass
                if intact:
                    count_result(counts, result, versions, intact)
            for name in os.listdir(root):
                shutil.rmtree(os.path.join(root, name), ignore_errors=True)
    print("%d folders, %d of them with nothing intact; %d keys whose newest intact version is a value"
          % (count, totals["empty"], totals["live"]))
    rows = sorted(set().union(*columns.values()))
    print("| |", " | ".join(columns), "|")
    print("|---|" + "--:|" * len(columns))
    for row in rows:
        print("|", row, "|", " | ".join(str(counts[row]) for counts in columns.values()), "|")


if __name__ == "__main__":
    main()
