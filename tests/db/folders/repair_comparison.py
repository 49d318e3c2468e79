"""What LevelDB's RepairDB and `sst salvage` make of the same damaged folders: the figures of
docs/my_database_does_not_open.md. Not a test.

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


def count_result(counts, path, expected, known):
    try:
        found = read_with_leveldb(path)
    except plyvel.Error:
        counts["folders that do not open"] += 1
        found = {}
    for key, value in expected.items():
        if key not in found:
            counts["intact entries missing"] += 1
        elif found[key] != value:
            counts["values older than an intact one"] += 1
    counts["deleted keys that are back"] += sum(
        1 for key in found if key in known and key not in expected
    )
    return found


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
            expected = folder_decoder.live(intact)
            known = {version.key for version in intact}
            totals["live"] += len(expected)
            for name, counts in columns.items():
                result = original + ".result"
                shutil.rmtree(result, ignore_errors=True)
                if name == "RepairDB":
                    folder_damage.copy_folder(damaged, result)
                    # In a process of its own, which an assertion of LevelDB's may end.
                    repair = "import plyvel, sys; plyvel.repair_db(sys.argv[1])"
                    run = subprocess.run([sys.executable, "-c", repair, result],
                                         stderr=subprocess.DEVNULL)
                    if run.returncode != 0:
                        counts["folders that RepairDB fails on"] += 1
                else:
                    salvage(sst, damaged, result)
                # Before LevelDB opens it, which may compact.
                try:
                    tables = folder_decoder.Folder(result).tables.values()
                    counts["tables"] += len(tables)
                    counts["tables on level 0"] += sum(1 for table in tables if table.level == 0)
                except (OSError, ValueError):
                    pass
                count_result(counts, result, expected, known)
            for name in os.listdir(root):
                shutil.rmtree(os.path.join(root, name), ignore_errors=True)
    print("%d folders, %d live keys whose newest intact version is a value" % (count, totals["live"]))
    rows = sorted(set().union(*columns.values()))
    print("| |", " | ".join(columns), "|")
    print("|---|" + "--:|" * len(columns))
    for row in rows:
        print("|", row, "|", " | ".join(str(counts[row]) for counts in columns.values()), "|")


if __name__ == "__main__":
    main()
