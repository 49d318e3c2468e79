"""Kills processes at random while they build a database.

The folder must be byte for byte the one that a single process builds without kills. LevelDB must
read all records and find nothing to compact.

Usage: kills_test.py SST ROWS PARTS KILLS, where KILLS is for Dask and again for GNU parallel.
"""

import hashlib
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import plyvel

EXAMPLE = pathlib.Path("examples/bulk_build").absolute()


def write_rows(path, count):
  """Writes records with different keys in random order. Returns a hash of the records in key
  order."""
  numbers = list(range(count))
  random.Random(1).shuffle(numbers)
  with open(path, "w", encoding="ascii") as out:
    out.writelines(f"key{n * 7:012}\tvalue of {n:010} {'x' * (n % 50)}\n" for n in numbers)
  expected = hashlib.sha256()
  for n in range(count):
    expected.update(b"key%012d\tvalue of %010d %s\n" % (n * 7, n, b"x" * (n % 50)))
  return expected.hexdigest()


def build_one_by_one(sst, rows, parts, folder):
  folder.mkdir()
  ranges = subprocess.run([sst, "split", "--parts", str(parts), rows], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout.splitlines()
  lines = b"".join(
      subprocess.run([sst, "build", "--sort", "--number", str(i + 1), "--range", r, folder, rows], check=True,
                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
      for i, r in enumerate(ranges))
  subprocess.run([sst, "manifest", folder], check=True, input=lines, stderr=subprocess.DEVNULL)


def victims_below(pid):
  """Returns the processes that may be killed: descendants of `pid` that build a table, and Dask's
  workers that started them."""
  parents, commands = {}, {}
  for entry in pathlib.Path("/proc").iterdir():
    if entry.name.isdigit():
      try:
        parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        commands[int(entry.name)] = (entry / "cmdline").read_bytes().split(b"\0")
      except OSError:  # the process has already ended
        pass
  found = []
  for process, command in commands.items():
    above = process
    while above in parents and above != pid:
      above = parents[above]
    if above == pid and command[:2] == [b"sst", b"build"]:
      found.append(process)
      if any(b"spawn_main" in word for word in commands.get(parents[process], [])):
        found.append(parents[process])
  return found


def run_and_kill(command, kills, chance):
  """Runs `command`, and kills up to `kills` of its processes meanwhile. Returns the number of
  kills."""
  killed = 0
  with tempfile.TemporaryFile() as messages:
    process = subprocess.Popen(command, stdout=messages, stderr=messages)
    while process.poll() is None:
      time.sleep(0.005)
      victims = victims_below(process.pid) if killed < kills else []
      if victims:
        try:
          os.kill(chance.choice(victims), signal.SIGKILL)
          killed += 1
        except ProcessLookupError:
          pass
    messages.seek(0)
    assert process.returncode == 0, messages.read().decode(errors="replace")[-2000:]
  return killed


def contents(folder):
  """Maps the name of each file to a hash of its contents."""
  return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


def main(sst, rows, parts, kills):
  sst = pathlib.Path(sst).absolute()
  chance = random.Random()
  scratch = pathlib.Path(tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR")))
  tools = scratch / "tools"
  tools.mkdir()
  (tools / "sst").symlink_to(sst)
  os.environ["PATH"] = f"{tools}:{os.environ['PATH']}"
  os.environ["HOME"] = str(scratch)  # GNU parallel stores the consent to its citation notice there
  try:
    os.chdir(scratch)
    expected = write_rows("rows.tsv", int(rows))
    build_one_by_one(sst, "rows.tsv", int(parts), pathlib.Path("alone"))
    want = contents(pathlib.Path("alone"))
    assert len(want) == int(parts) + 3, want
    for name, command in {
        "dask": ["/usr/bin/python3", EXAMPLE / "bulk_build.py", "dask", "rows.tsv", "--parts", parts,
                 "--workers", "2"],
        "parallel": ["sh", EXAMPLE / "bulk_build.sh", "parallel", parts, "rows.tsv"],
    }.items():
      killed = run_and_kill(command, int(kills), chance)
      assert killed == int(kills), f"{name}: {killed} kills"
      assert contents(pathlib.Path(name)) == want, f"{name}: {contents(pathlib.Path(name)).keys()}"
      print(f"{name}: {killed} processes killed, {len(want)} files as without")

    tables = {name for name in want if name.endswith(".ldb")}
    database = plyvel.DB("alone", paranoid_checks=True)
    found = hashlib.sha256()
    for key, value in database:
      found.update(key + b"\t" + value + b"\n")
    database.close()
    assert found.hexdigest() == expected
    left = contents(pathlib.Path("alone"))
    assert {name for name in left if name.endswith(".ldb")} == tables
    assert all(left[name] == want[name] for name in tables)
    log = pathlib.Path("alone/LOG").read_text()
    assert "Compacting" not in log and "Moved" not in log, log
    print(f"LevelDB reads {rows} records, and leaves {len(tables)} tables as they are")
  finally:
    shutil.rmtree(scratch)


if __name__ == "__main__":
  main(*sys.argv[1:])
