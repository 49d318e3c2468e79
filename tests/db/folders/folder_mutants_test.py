"""Runs commands of `sst` on damaged folders that LevelDB wrote. The rules are those of
tests/mutants.

No command may crash, hang, take more than 256 MiB or change the folder. Every entry that is printed
must have been in the original. A key that is called absent or deleted must be so, and exit code 0
must mean that nothing is missing; both hold only for losses that the folder can show. If there is
damage, a message must name a damaged file, and `sst check` must report damage that another command
reports.

Arguments: SST [COUNT [FIRST_SEED]].
"""

import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections import Counter

import folder_damage
import folder_decoder
from folder_maker import FolderMaker
from sst_output import entries_of, history_of

MAX_MEMORY = 256 << 20  # bytes
MAX_SECONDS = 300  # of processor time; above this, the command hangs


class Run:
    """A command, its exit code and what it printed."""

    def __init__(self, sst, *arguments):
        self.command = "sst " + " ".join(arguments)
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = subprocess.Popen(
                [sst, *arguments], stdout=out, stderr=err,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS,) * 2))
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = self.code = os.waitstatus_to_exitcode(status)
            self.memory = usage.ru_maxrss << 10
            out.seek(0)
            err.seek(0)
            self.out = out.read()
            self.err = err.read().decode(errors="replace")


class Mutant:
    """A damaged folder, and what is known about the original. `violations` collects the faults of
    `sst`."""

    def __init__(self, sst, original, damaged, seed):
        self.sst = sst
        self.path = damaged
        self.violations = []
        self._random = random.Random("mutant %d" % seed)
        self.files = {name: folder_decoder.read(damaged, name) for name in os.listdir(damaged)}
        self._before = {name: folder_decoder.read(original, name) for name in os.listdir(original)}
        self.touched = {name for name in {*self.files, *self._before}
                        if self.files.get(name) != self._before.get(name)}
        folder = folder_decoder.Folder(original)
        versions = folder.versions()
        self.newest = {}
        for version in versions:
            self.newest.setdefault(version.key, version)
        self.live = folder_decoder.live(versions)
        self.known = {(v.key, v.sequence, v.kind, v.value)
                      for v in [*versions, *self._versions_left_over(folder)]}
        self.values = {(key, value) for key, _, kind, value in self.known if kind == 1}
        self._log_names = folder.log_names
        self.unshown = {key for key, version in self.newest.items() if self._is_unshown(version)}

    def _versions_left_over(self, folder):
        """Yields the versions in files that are no longer part of the database, if a file is
        complete."""
        for name, data in self._before.items():
            is_table, is_log = name.endswith((".ldb", ".sst")), name.endswith(".log")
            if name in folder.log_names or name in folder.table_names.values():
                continue
            try:
                if is_table:
                    yield from list(folder_decoder.table_versions(name, data))
                elif is_log:
                    yield from list(folder_decoder.log_versions(name, data))
            except Exception:  # it was copied before LevelDB had written all of it
                pass

    def _is_unshown(self, version):
        """Returns whether the loss of a version is invisible. That is so if its log was cut before
        it, or zeroed from there on, as a crash would leave it; if its log is missing, since it
        could have been empty; or if another log now has its log's name (docs/sst.md)."""
        if version.file not in self._log_names:
            return False
        before, now = self._before[version.file], self.files.get(version.file)
        if now is None:
            return True
        if any(now == log for name, log in self._before.items()
               if name.endswith(".log") and name != version.file and log):
            return True
        is_intact = all(before[start:end] == now[start:end] for start, end in version.spans)
        return not is_intact and before.startswith(now.rstrip(b"\0"))

    def violate(self, rule, detail):
        self.violations.append("%s: %s" % (rule, detail))

    def run(self, *arguments):
        run = Run(self.sst, *arguments)
        if run.code not in (0, 1, 2):
            self.violate("crash, or an exit code that sst does not have",
                         "%s: %d, %s" % (run.command, run.code, run.err.strip()[-300:]))
        elif run.code != 0 and not run.out and not run.err:
            self.violate("fails, and not a word", run.command)
        if run.memory > MAX_MEMORY:
            self.violate("too much memory", "%s: %d MiB" % (run.command, run.memory >> 20))
        return run

    def judge(self):
        self.check = self.run("check", self.path)
        self.dump = self.run("dump", "--format", "jsonl", self.path)
        self.history = self.run("dump", "--history", "--format", "jsonl", self.path)
        self.ls = self.run("ls", self.path)
        self._judge_check()
        self._judge_dump()
        self._judge_history()
        self._judge_ls()
        self._judge_gets()
        self._judge_salvage()
        now = {name: folder_decoder.read(self.path, name) for name in os.listdir(self.path)}
        if now != self.files:
            self.violate("the folder was changed", sorted(now))

    def _judge_check(self):
        if not self.touched:
            if self.check.code != 0:
                self.violate("check: damage in a sound folder", self.check.out.strip()[-500:])
            return
        for run in (self.dump, self.history, self.ls):
            if run.code != 0 and self.check.code == 0:
                self.violate("check: exit code 0, but another command fails",
                             "%s: %d, %s" % (run.command, run.code, run.err.strip()[-300:]))
        for run in (self.check, self.dump, self.history, self.ls):
            if run.code != 0 and not self._names_damage(run):
                self.violate("no damaged file is named", "%s: %s" % (run.command, run.err.strip()[-300:]))

    def _names_damage(self, run):
        """Returns whether a message names a damaged or missing file. If a log is missing, the
        message may instead name the unfinished table made of that log, which is now the only one
        with its entries."""
        text = run.err + run.out.decode(errors="replace")
        named = set(re.findall(re.escape(self.path) + r"/([\w.-]+)", text))
        is_log_gone = any(name in self._log_names for name in self.touched - set(self.files))
        return bool(named & self.touched or named - set(self.files) or
                    is_log_gone and "is older than the folder: no edit names" in text)

    def _judge_dump(self):
        entries = entries_of(self.dump.out)
        self.dumped = dict(entries)
        for entry in entries:
            if entry not in self.values:
                return self.violate("dump: an entry that never was", "%r" % (entry,))
        if len(entries) != len(self.dumped):
            self.violate("dump: a key twice", len(entries) - len(self.dumped))
        if self.dump.code == 0:
            self._judge_state("dump", self.dumped)

    def _judge_state(self, command, state):
        """Reports a violation if `state` is not that of the original, except for invisible
        losses."""
        for key in {*state, *self.live} - self.unshown:
            if state.get(key) != self.live.get(key):
                return self.violate("%s: exit code 0, but not the state of the original" % command,
                                    "%r: newest is %r" % (key, self._describe(key)))

    def _describe(self, key):
        version = self.newest.get(key)
        return version and "@%d, kind %d, in %s at %r" % (version.sequence, version.kind,
                                                          version.file, version.spans)

    def _judge_history(self):
        versions = history_of(self.history.out)
        for version in versions:
            if version[:4] not in self.known:
                return self.violate("dump --history: a version that never was", "%r" % (version,))
            name = os.path.basename(version.file)
            if name not in self.files:
                return self.violate("dump --history: no such file", name)
        live = {v.key: v.value for v in versions if v.is_live}
        if self.history.code == 0:
            self._judge_state("dump --history", live)
        if self.dump.code == self.history.code and live != self.dumped:
            self.violate("dump and dump --history differ", "%r" % sorted(
                key for key in {*live, *self.dumped} if live.get(key) != self.dumped.get(key))[:3])

    def _judge_ls(self):
        for name in self.files:
            if re.fullmatch(r"\d+\.(ldb|sst|log)", name) and name not in self.ls.out.decode():
                self.violate("ls: a file is not listed", name)

    def _keys(self):
        """Returns keys to look up: some from damaged files, some others, and one that never
        existed."""
        keys = sorted(self.newest)
        lost = [key for key in keys if self.newest[key].file in self.touched]
        deleted = [key for key in keys if key not in self.live]
        chosen = [self._random.choice(some) for some in (lost, lost, deleted, keys) if some]
        return [*chosen, b"absent %d" % self._random.randrange(1 << 32)]

    def _judge_gets(self):
        for key in self._keys():
            run = self.run("get", "--encoding", "hex", self.path, key.hex())
            detail = "%r: exit code %d, %s" % (key, run.code, run.err.strip()[-300:])
            if run.code == 0 or run.out:
                if (key, run.out) not in self.values:
                    self.violate("get: a value that the key never had", detail)
                if run.code == 0 and key not in self.unshown and run.out != self.live.get(key):
                    self.violate("get: exit code 0, and not the newest value", detail)
                if self.dump.code == run.code and run.out != self.dumped.get(key):
                    self.violate("get: not the value that dump prints", detail)
                continue
            is_alone = len(run.err.splitlines()) == 1  # the only message, so none about damage
            found = re.search(r" is deleted, at sequence (\d+) in ", run.err)
            if found and (key, int(found[1]), 0, b"") not in self.known:
                self.violate("get: a deletion that never was", detail)
            says_absent = " is not in " in run.err and "what could be read" not in run.err
            if ((found and is_alone) or says_absent) and key in self.live \
                    and key not in self.unshown:
                self.violate("get: a key is absent or deleted, and not a word of damage", detail)
            if self.dump.code == run.code and key in self.dumped and (found or says_absent):
                self.violate("get: a key that dump prints is absent or deleted", detail)

    def _judge_salvage(self):
        target = self.path + ".saved"
        shutil.rmtree(target, ignore_errors=True)
        salvage = self.run("salvage", self.path, "-o", target)
        if os.path.exists(os.path.join(target, "CURRENT")):
            check = self.run("check", target)
            if check.code != 0:
                self.violate("salvage: check of its folder fails", check.out.strip()[-300:])
            dump = self.run("dump", "--format", "jsonl", target)
            entries = entries_of(dump.out)
            if not self.values.issuperset(entries):
                self.violate("salvage: an entry that never was",
                             next(entry for entry in entries if entry not in self.values))
            if salvage.code == 0:
                self._judge_state("salvage", dict(entries))
        elif salvage.code == 0:
            self.violate("salvage: exit code 0, but no folder", salvage.err.strip()[-300:])
        shutil.rmtree(target, ignore_errors=True)


def main():
    sst = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    rules = Counter()
    wrong = 0
    with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as root:
        for seed in range(first, first + count):
            original = FolderMaker(seed, root).make()
            damaged = original + ".damaged"
            folder_damage.copy_folder(original, damaged)
            is_sound = seed % 10 == 9
            done = [] if is_sound else folder_damage.Damage(damaged, seed).done
            mutant = Mutant(sst, original, damaged, seed)
            mutant.judge()
            for violation in mutant.violations:
                print("VIOLATION seed %d (%s): %s" % (seed, ", ".join(done), violation))
                rules[violation.split(":")[0]] += 1
            wrong += bool(mutant.violations)
            for path in (original, damaged):
                shutil.rmtree(path, ignore_errors=True)
    print("%d folders, %d with violations: %s" % (count, wrong, dict(rules)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
