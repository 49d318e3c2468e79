"""Damages a copy of a folder in ways seen in practice, and determines which versions stay
intact."""

import os
import random
import re
import shutil

import folder_decoder


def _sort_of(name):
    if re.fullmatch(r"\d+\.(ldb|sst)", name):
        return "table"
    if re.fullmatch(r"\d+\.log", name):
        return "log"
    if name.startswith("MANIFEST-"):
        return "manifest"
    return "current" if name == "CURRENT" else "other"


class Damage:
    """Damages the folder `path` at random, as determined by `seed`. `done` describes the damage for
    messages."""

    def __init__(self, path, seed):
        self.path = path
        self.done = []
        self._random = random.Random("damage %d" % seed)
        for _ in range(self._random.choice((1, 1, 1, 2, 3))):
            getattr(self, self._random.choice(self.KINDS))()

    KINDS = (
        "_remove", "_cut", "_zero", "_zero", "_swap", "_flip", "_flip", "_flip", "_lose_manifest",
        "_lose_current", "_stale_current", "_stale_manifest", "_tear_log",
    )

    def _names(self, *sorts):
        names = sorted(name for name in os.listdir(self.path) if _sort_of(name) in sorts)
        return [name for name in names if os.path.getsize(os.path.join(self.path, name)) > 0]

    def _change(self, name, data, what):
        with open(os.path.join(self.path, name), "wb") as file:
            file.write(data)
        self.done.append("%s %s" % (what, name))

    def _pick(self, *sorts):
        names = self._names(*sorts)
        return self._random.choice(names) if names else None

    def _remove(self):
        name = self._pick("table", "log")
        if name:
            os.remove(os.path.join(self.path, name))
            self.done.append("removed " + name)

    def _cut(self):
        name = self._pick("table", "log", "manifest")
        if name:
            data = folder_decoder.read(self.path, name)
            size = self._random.randrange(len(data))
            self._change(name, data[:size], "cut to %d:" % size)

    def _zero(self):
        name = self._pick("table", "table", "log", "manifest")
        if name:
            data = bytearray(folder_decoder.read(self.path, name))
            start = self._random.randrange(len(data)) // 512 * 512
            size = min(512 * self._random.choice((1, 1, 8, 64)), len(data) - start)
            data[start : start + size] = bytes(size)
            self._change(name, data, "zeroed %d bytes at %d:" % (size, start))

    def _flip(self):
        name = self._pick("table", "table", "table", "log", "log", "manifest", "current")
        if name:
            data = bytearray(folder_decoder.read(self.path, name))
            for _ in range(self._random.choice((1, 1, 3, 10))):
                bit = self._random.randrange(8 * len(data))
                data[bit // 8] ^= 1 << bit % 8
            self._change(name, data, "flipped bits:")

    def _swap(self):
        names = self._names(self._random.choice(("table", "table", "log")))
        if len(names) > 1:
            a, b = self._random.sample(names, 2)
            contents = folder_decoder.read(self.path, a)
            self._change(a, folder_decoder.read(self.path, b), "swapped")
            self._change(b, contents, "with")

    def _lose_manifest(self):
        for name in self._names("manifest"):
            os.remove(os.path.join(self.path, name))
            self.done.append("removed " + name)

    def _lose_current(self):
        if self._random.random() < 0.5 and self._names("current"):
            os.remove(os.path.join(self.path, "CURRENT"))
            self.done.append("removed CURRENT")
        else:
            self._change("CURRENT", b"", "emptied")

    def _stale_current(self):
        self._change("CURRENT", b"MANIFEST-%06d\n" % self._random.randrange(1, 4), "staled")

    def _stale_manifest(self):
        """Cuts the MANIFEST after an earlier edit. It is well-formed, but does not name the newest
        tables."""
        name = self._pick("manifest")
        if name:
            data = folder_decoder.read(self.path, name)
            try:
                records = list(folder_decoder.log_records(data))
            except Exception:  # already damaged
                return
            if len(records) > 2:
                end = records[self._random.randrange(2, len(records)) - 1][1][-1][1]
                self._change(name, data[:end], "staled by cutting to %d:" % end)

    def _tear_log(self):
        name = self._pick("log")
        if name:
            data = folder_decoder.read(self.path, name)
            size = max(0, len(data) - self._random.randrange(1, 200))
            self._change(name, data[:size], "torn to %d:" % size)


def intact_versions(versions, original, damaged):
    """Returns the versions of `original` that can still be read in `damaged`: those of which every
    byte of the block or record is unchanged at its offset, in the same file or, after a swap, in
    another one."""
    contents = {}
    for name in os.listdir(damaged):
        if _sort_of(name) in ("table", "log"):
            contents[name] = folder_decoder.read(damaged, name)
    before = {}
    result = []
    cache = {}
    for version in versions:
        place = (version.file, version.spans)
        if place not in cache:
            if version.file not in before:
                before[version.file] = folder_decoder.read(original, version.file)
            old = before[version.file]
            cache[place] = any(
                _sort_of(name) == _sort_of(version.file)
                and all(data[a:b] == old[a:b] for a, b in version.spans)
                for name, data in contents.items()
            )
        if cache[place]:
            result.append(version)
    return result


def copy_folder(source, target):
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)
