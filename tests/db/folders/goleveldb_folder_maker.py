"""Makes random folders with goleveldb, like those that folder_maker makes with LevelDB."""

import os
import shutil
import subprocess
import tempfile

from folder_decoder import Folder, NotWhole


def build_program(source):
    """Builds goleveldb_folder/main.go and returns the path of the program. Downloads nothing, since
    Debian's packages install Go sources in /usr/share/gocode."""
    folder = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
    program = os.path.join(folder, "goleveldb_folder")
    environment = dict(os.environ, HOME=folder, GOPATH="/usr/share/gocode", GO111MODULE="off",
                       GOFLAGS="", GOCACHE=os.path.join(folder, "cache"))
    subprocess.run(["go", "build", "-o", program, os.path.basename(source)], check=True,
                   cwd=os.path.dirname(os.path.abspath(source)), env=environment)
    return program


class GoleveldbFolderMaker:
    """Call make() once. Afterwards, `path` is a folder that no process has open."""

    def __init__(self, program, seed, root):
        self.path = os.path.join(root, "folder-%d" % seed)
        self._program = program
        self._seed = seed

    def make(self):
        # A copy made during a compaction may miss a table or a log, so try again later.
        options = [] if self._seed % 2 else ["closed"]
        for _ in range(20):
            try:
                return self._make(options)
            except (NotWhole, FileNotFoundError, subprocess.CalledProcessError):
                pass
        return self._make(["closed"])

    def _make(self, options):
        for path in (self.path, self.path + ".open"):
            shutil.rmtree(path, ignore_errors=True)
        self._run("make", str(self._seed), self.path, *options)
        Folder(self.path).expect_whole()
        self.read_copy()
        return self.path

    def _run(self, *arguments):
        return subprocess.run([self._program, *arguments], check=True, capture_output=True).stdout

    def read_copy(self):
        """Returns (key, value) of each live entry, in order, as goleveldb reads them from a
        copy."""
        copy = self.path + ".copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.path, copy)
        lines = self._run("read", copy).decode().splitlines()
        shutil.rmtree(copy)
        return [tuple(map(bytes.fromhex, line.split("\t"))) for line in lines]
