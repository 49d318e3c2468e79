"""Runs `sst` on a folder to which LevelDB writes as fast as it can.

Each `sst dump` must print the state after some number of whole batches, which include all batches
written before the dump began. `sst check` must find nothing wrong, and `sst get` must print a value
that the key had.

The test bounds work, not time. The writer stops when the reads are done, and writes at most
BATCHES_A_READ batches per read, since the folder could otherwise grow faster than a slow `sst`
reads it.

Arguments: SST [READS].
"""

import multiprocessing
import os
import subprocess
import sys
import tempfile
import time

import plyvel

KEYS = 20011  # prime, so that every key gets its turn
COUNTER = b"counter"
BATCHES_A_READ = 20000


def key_of(i):
    return b"key%06d" % (i * 7919 % KEYS)


def operations(i):
    """Yields the operations of batch i as (key, value). A value of None is a deletion."""
    yield COUNTER, b"%d" % i
    yield key_of(i), b"%d " % i + b"v" * (i % 200)
    yield key_of(i + 5 * KEYS // 7), None if i % 3 else b"%d, too" % i


def write(path, allowed, written, is_begun, is_done):
    parent = os.getppid()
    try:
        db = plyvel.DB(path, create_if_missing=True)
        i = 0
        while not is_done.is_set() and os.getppid() == parent:
            if i == allowed.value:
                time.sleep(0.001)
                continue
            i += 1
            with db.write_batch() as batch:
                for key, value in operations(i):
                    if value is None:
                        batch.delete(key)
                    else:
                        batch.put(key, value)
            written.value = i
            is_begun.set()
        db.close()
    finally:
        is_begun.set()


class Model:
    """The expected state after a number of batches, which can only increase."""

    def __init__(self):
        self.count = 0
        self.state = {}

    def advance(self, count):
        while self.count < count:
            self.count += 1
            for key, value in operations(self.count):
                if value is None:
                    self.state.pop(key, None)
                else:
                    self.state[key] = value


def check_dump(sst, path, model, written):
    before = written.value
    dump = subprocess.run([sst, "dump", "--format", "tsv", "--encoding", "hex", path],
                          capture_output=True)
    after = written.value
    if dump.returncode != 0:
        return "dump: exit code %d: %s" % (dump.returncode, dump.stderr.decode())
    entries = [line.split("\t") for line in dump.stdout.decode().splitlines()]
    state = {bytes.fromhex(key): bytes.fromhex(value) for key, value in entries}
    count = int(state.get(COUNTER, b"0"))
    if not before <= count <= after + 1:
        return "has %d batches; %d were written before, %d after" % (count, before, after)
    model.advance(count)
    if model.count != count:
        return "has %d batches; an earlier read had %d" % (count, model.count)
    if state != model.state:
        wrong = [key for key in state.keys() | model.state.keys()
                 if state.get(key) != model.state.get(key)]
        return "after %d batches %d keys are wrong, such as %r" % (count, len(wrong), wrong[0])
    return None


def check_others(sst, path, written):
    get = subprocess.run([sst, "get", path, COUNTER.decode()], capture_output=True)
    if get.returncode != 0 or not 0 < int(get.stdout) <= written.value + 1:
        return "get: exit code %d: %r, %s" % (get.returncode, get.stdout, get.stderr.decode())
    check = subprocess.run([sst, "check", "-q", path], capture_output=True)
    if check.returncode != 0:
        return "check: exit code %d: %s%s" % (check.returncode, check.stdout.decode(),
                                               check.stderr.decode())
    return None


def main():
    sst = os.path.abspath(sys.argv[1])
    reads = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    failures = []
    with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as root:
        path = os.path.join(root, "db")
        written = multiprocessing.Value("q", 0)
        allowed = multiprocessing.Value("q", BATCHES_A_READ)
        is_begun, is_done = multiprocessing.Event(), multiprocessing.Event()
        writer = multiprocessing.Process(
            target=write, args=(path, allowed, written, is_begun, is_done))
        writer.start()
        is_begun.wait()
        model = Model()
        for read in range(reads):
            allowed.value += BATCHES_A_READ
            for failure in (check_dump(sst, path, model, written), check_others(sst, path, written)):
                if failure is not None:
                    failures.append("read %d: %s" % (read, failure))
        is_done.set()
        writer.join()
        if writer.exitcode != 0:
            failures.append("the writer ended with %d" % writer.exitcode)
    for failure in failures[:20]:
        print(failure)
    print("%d reads beside %d batches: %d wrong" % (reads, written.value, len(failures)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
