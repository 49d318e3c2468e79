"""Makes random folders with LevelDB itself, through plyvel.

A folder depends only on its seed, and on the moments at which LevelDB's thread compacts. It has
some of these features: overwritten and deleted keys, snapshots held during compactions, batches,
several levels, a non-empty log, values longer than a block of a log (32 KiB), one table or many.
About half of the folders are copied while they are open.
"""

import os
import random
import shutil

import plyvel

from folder_decoder import Folder, NotWhole


class FolderMaker:
    """Call make() once. Afterwards, `path` is a folder that no process has open."""

    def __init__(self, seed, root):
        self.seed = seed
        self.path = os.path.join(root, "folder-%d" % seed)
        self._random = random.Random(seed)
        self._open_path = os.path.join(root, "open-%d" % seed)
        self._snapshots = []

    def make(self):
        # A copy made during a compaction may miss a table or a log, so try again later. On a busy
        # machine LevelDB may always be compacting; then the folder is copied after it is closed.
        for _ in range(20):
            try:
                return self._make(may_copy_open=True)
            except (NotWhole, plyvel.CorruptionError, plyvel.IOError, shutil.Error, FileNotFoundError):
                pass
        return self._make(may_copy_open=False)

    def _make(self, may_copy_open):
        self._snapshots = []  # snapshots keep the database open
        for path in (self.path, self._open_path):
            shutil.rmtree(path, ignore_errors=True)
        self._random.seed(self.seed)
        self._fill(may_copy_open)
        Folder(self.path).expect_whole()
        self.read_copy()
        return self.path

    def _fill(self, may_copy_open):
        rnd = self._random
        options = {
            "write_buffer_size": 64 << 10,  # LevelDB's minimum
            "max_file_size": 1 << 20,
            "block_size": rnd.choice((256, 1024, 4096)),
            "block_restart_interval": rnd.choice((1, 4, 16)),
            "compression": rnd.choice((None, "snappy")),
            "bloom_filter_bits": rnd.choice((0, 10)),
        }
        copy_open = rnd.random() < 0.5 and may_copy_open
        key_space = rnd.choice((20, 300, 3000))
        db = plyvel.DB(self._open_path, create_if_missing=True, **options)
        for _ in range(rnd.randrange(1, 5)):
            self._write_some(db, key_space)
            step = rnd.random()
            if step < 0.3:
                db.compact_range()
            elif step < 0.5:
                db.compact_range(start=self._key(key_space), stop=self._key(key_space) + b"\xff")
            elif step < 0.7:
                self._snapshots = []
                db.close()
                db = plyvel.DB(self._open_path, **options)
        for _ in range(rnd.randrange(0, 30)):  # records for the log
            self._put(db, key_space)
        if copy_open:
            self._copy_open()
        self._snapshots = []
        db.close()
        if not copy_open:
            os.rename(self._open_path, self.path)
        shutil.rmtree(self._open_path, ignore_errors=True)

    def _copy_open(self):
        """Copies the open folder, the MANIFEST before the tables: LevelDB deletes a table only
        after the edit that drops it."""
        os.mkdir(self.path)
        names = os.listdir(self._open_path)
        for name in sorted(names, key=lambda name: (name.endswith((".ldb", ".log")), name)):
            shutil.copyfile(os.path.join(self._open_path, name), os.path.join(self.path, name))

    def read_copy(self):
        """Returns (key, value) of each live entry, in order, as LevelDB reads them from a copy of
        the folder, since opening changes a folder. Raises if LevelDB can't read everything."""
        copy = self.path + ".copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.path, copy)
        try:
            db = plyvel.DB(copy, create_if_missing=False, paranoid_checks=True)
            try:
                return list(db.iterator(verify_checksums=True))
            finally:
                db.close()
        finally:
            shutil.rmtree(copy, ignore_errors=True)

    def _key(self, key_space):
        n = self._random.randrange(key_space)
        return (b"key%06d" % n) if n % 7 else b"k\x00\xff" + n.to_bytes(3, "big")

    def _value(self):
        rnd = self._random
        size = rnd.choice((0, 1, 10, 100, 100, 400))
        if rnd.random() < 0.004:
            size = rnd.randrange(30000, 100000)
        return rnd.randbytes(size // 2) + b"v" * (size - size // 2)

    def _put(self, db, key_space):
        db.put(self._key(key_space), self._value())

    def _write_some(self, db, key_space):
        rnd = self._random
        for _ in range(rnd.randrange(10, 700)):
            step = rnd.random()
            if step < 0.6:
                self._put(db, key_space)
            elif step < 0.8:
                db.delete(self._key(key_space))
            elif step < 0.9:
                with db.write_batch() as batch:
                    for _ in range(rnd.randrange(0, 12)):
                        if rnd.random() < 0.7:
                            batch.put(self._key(key_space), self._value())
                        else:
                            batch.delete(self._key(key_space))
            elif step < 0.905:
                self._snapshots.append(db.snapshot())
