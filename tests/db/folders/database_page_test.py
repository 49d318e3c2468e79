"""The commands in docs/my_database_does_not_open.md must work exactly as written, on five kinds of
broken folders, and LevelDB must open what they save.

Arguments: SST DOCUMENT.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

import plyvel

from folder_maker import FolderMaker


def files(folder, pattern):
    return sorted(os.path.join(folder, name) for name in os.listdir(folder) if re.search(pattern, name))


def overwrite(path, offset, data):
    with open(path, "r+b") as file:
        file.seek(offset)
        file.write(data)


def lose_current(folder):
    os.remove(os.path.join(folder, "CURRENT"))


def lose_manifest(folder):
    for path in files(folder, "^MANIFEST"):
        os.remove(path)


def zero_table(folder):
    path = max(files(folder, "ldb$"), key=os.path.getsize)
    overwrite(path, os.path.getsize(path) // 2, bytes(512))


def lose_table(folder):
    os.remove(files(folder, "ldb$")[0])


def tear_log(folder):
    path = max(files(folder, "log$"), key=os.path.getsize)
    os.truncate(path, os.path.getsize(path) - 3)


KINDS = (lose_current, lose_manifest, zero_table, lose_table, tear_log)


def make(root):
    """Makes a folder with several tables and a log."""
    for seed in range(1000):
        path = FolderMaker(seed, root).make()
        if len(files(path, "ldb$")) > 2 and sum(map(os.path.getsize, files(path, "log$"))) > 100:
            return path
        shutil.rmtree(path)
    raise RuntimeError("no seed makes such a folder")


def recover(folder, target):
    """Copies the tables and logs under meaningless names. The largest log becomes f0012, which the
    page uses."""
    os.mkdir(target)
    logs = sorted(files(folder, "log$"), key=os.path.getsize, reverse=True)
    for number, path in enumerate(logs + files(folder, "ldb$"), 12):
        shutil.copyfile(path, os.path.join(target, "f%04d" % number))


def main():
    sst, document = map(os.path.abspath, sys.argv[1:])
    with open(document, encoding="utf-8") as file:
        commands = "".join(re.findall(r"^```sh\n(.*?)^```", file.read(), re.M | re.S)).splitlines()
    wrong = 0 if len(commands) >= 5 else 1
    environment = dict(os.environ, PATH=os.path.dirname(sst) + ":" + os.environ["PATH"])
    with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as root:
        sound = make(root)
        for break_folder in KINDS:
            place = os.path.join(root, break_folder.__name__)
            broken = os.path.join(place, "broken_db")
            shutil.copytree(sound, broken)
            break_folder(broken)
            recover(broken, os.path.join(place, "recovered"))
            for command in commands:
                run = subprocess.run(command, shell=True, cwd=place, env=environment,
                                     capture_output=True)
                if run.returncode not in (0, 1):
                    print("%s: %s: exit code %d\n%s"
                          % (break_folder.__name__, command, run.returncode, run.stderr.decode()))
                    wrong += 1
            made = subprocess.run([sst, "check", os.path.join(place, "changes.ldb")],
                                  capture_output=True)
            if made.returncode != 0:
                print("%s: changes.ldb: %s" % (break_folder.__name__, made.stderr.decode()))
                wrong += 1
            for saved in files(place, "^saved"):
                db = plyvel.DB(saved, create_if_missing=False, paranoid_checks=True)
                count = sum(1 for _ in db.iterator(verify_checksums=True))
                db.close()
                if count == 0:
                    print("%s: %s has no entry" % (break_folder.__name__, saved))
                    wrong += 1
    print("%d commands in %d folders, %d wrong" % (len(commands), len(KINDS), wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
