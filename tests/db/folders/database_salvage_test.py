"""Runs `sst salvage DIR` on damaged folders that LevelDB wrote.

LevelDB must open the result with paranoid_checks. For each key, the result must have the newest
version in an intact block or record, and nothing that the folder never had. The report must name
everything that is lost.

Arguments: SST [COUNT [FIRST_SEED]].
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

import plyvel

import folder_damage
import folder_decoder
from folder_maker import FolderMaker


class Failed(Exception):
    pass


def salvage(sst, source, target, *options):
    run = subprocess.run(
        [sst, "salvage", source, "-o", target, "--format", "json", *options], capture_output=True
    )
    if run.returncode not in (0, 1):
        return run.returncode, run.stderr.decode(errors="replace")
    return run.returncode, json.loads(run.stdout)


def read_with_leveldb(path):
    db = plyvel.DB(path, create_if_missing=False, paranoid_checks=True)
    try:
        return dict(db.iterator(verify_checksums=True))
    finally:
        db.close()


def snapshot_of_files(path):
    return {name: folder_decoder.read(path, name) for name in sorted(os.listdir(path))}


def key_of(lost, name):
    if name in lost:
        return lost[name].encode()
    return bytes.fromhex(lost[name + "_hex"]) if name + "_hex" in lost else None


def is_reported(version, lost_list):
    """Returns whether the report names the loss of this version."""
    for lost in lost_list:
        first, last = key_of(lost, "first_key"), key_of(lost, "last_key")
        if first is not None and version.key < first or last is not None and version.key > last:
            continue
        if version.sequence < lost.get("first_sequence", 0):
            continue
        if version.sequence > lost.get("last_sequence", 1 << 56):
            continue
        return True
    return False


def judge(report, exit_code, found, original_versions, intact, unknowable):
    """Raises Failed if the entries that LevelDB found do not match the intact versions. Losses in
    the files `unknowable` need not be reported. Returns whether an intact record of a log was
    reported as lost. That is allowed: between damaged records, one of which has a wrong size, it is
    not certain to be a record."""
    by_key = {}
    for version in original_versions:
        by_key.setdefault(version.key, []).append(version)
    expected = folder_decoder.live(intact)
    original = folder_decoder.live(original_versions)
    known = {}
    for version in intact:
        known.setdefault(version.key, version)
    for key, value in found.items():
        if not any(v.kind == 1 and v.value == value for v in by_key.get(key, ())):
            raise Failed("%r was never there with this value" % key)
    gave_up_record = False
    for key, newest in known.items():
        if found.get(key) == expected.get(key):
            continue
        # A table that no edit refers to may still have the newest version of a damaged file, or an
        # earlier one.
        if found.get(key) == original.get(key) or any(
                found.get(key) == (v.value if v.kind == 1 else None)
                for v in by_key[key] if v.sequence > newest.sequence):
            continue
        if newest.file.endswith(".log") and is_reported(
                newest, [lost for lost in report["lost"] if lost["file"] == newest.file]):
            gave_up_record = True
            continue
        raise Failed("%r has another state than its newest intact version @%d, kind %d of %s"
                     % (key, newest.sequence, newest.kind, newest.file))
    problems = report["lost"]
    damage = any(problem["damage"] for problem in report["problems"])
    intact_ids = {(v.key, v.sequence) for v in intact}
    for key, versions in by_key.items():
        newest = versions[0]
        if (newest.key, newest.sequence) in intact_ids:
            continue
        if newest.kind == 1 and found.get(key) == newest.value or newest.file in unknowable:
            continue
        if not is_reported(newest, problems) and not damage:
            raise Failed("the loss of %r @%d of %s is not reported"
                         % (newest.key, newest.sequence, newest.file))
        if exit_code == 0:
            raise Failed("exit code 0, but %r @%d is lost" % (newest.key, newest.sequence))
    if (exit_code == 0) != report["complete"]:
        raise Failed("exit code %d, complete: %s" % (exit_code, report["complete"]))
    return gave_up_record


def try_seed(sst, root, seed):
    original = FolderMaker(seed, root).make()
    damaged, saved = original + ".damaged", original + ".saved"
    folder_damage.copy_folder(original, damaged)
    folder = folder_decoder.Folder(original)
    versions = folder.versions()
    damage = folder_damage.Damage(damaged, seed)
    try:
        before = snapshot_of_files(damaged)
        code, report = salvage(sst, damaged, saved)
        if snapshot_of_files(damaged) != before:
            raise Failed("the damaged folder was changed")
        intact = folder_damage.intact_versions(versions, original, damaged)
        if code == 2:
            if intact:
                raise Failed("nothing was saved: " + report)
            return False
        # The MANIFEST names only the first log, and an empty log does not show whether it had records.
        gone = [name for i, name in enumerate(folder.log_names)
                if (i > 0 if name not in before else not before[name])]
        # If no entry is left, no folder is made.
        found = {} if report["output"] is None else read_with_leveldb(saved)
        return judge(report, code, found, versions, intact, gone)
    except Exception as failure:
        raise Failed("seed %d: %s: %s" % (seed, ", ".join(damage.done), failure)) from failure
    finally:
        for path in (original, damaged, saved):
            shutil.rmtree(path, ignore_errors=True)


def main():
    sst = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    failures = gave_up_records = 0
    with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as root:
        for seed in range(first, first + count):
            try:
                gave_up_records += try_seed(sst, root, seed)
            except Failed as failure:
                print(failure)
                failures += 1
    print("%d damaged folders, %d wrong; in %d an intact record of a log is reported as lost"
          % (count, failures, gave_up_records))
    return 1 if failures > 0 or gave_up_records > 1 + count // 100 else 0


if __name__ == "__main__":
    sys.exit(main())
