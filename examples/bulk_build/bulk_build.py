#!/usr/bin/env python3
"""Builds a LevelDB database of any size with Dask: one task for each table, on any number of workers.

    bulk_build.py FOLDER INPUT... [--parts N] [--workers N | --scheduler ADDRESS] [--sst PATH]

INPUTs are records in tsv or jsonl, in any order. All workers must see FOLDER and the INPUTs. If a
task or its worker is killed, the task runs again and writes the same bytes. How many times it may
run again is set by TRIES, or by distributed.scheduler.allowed-failures of your own scheduler. Each
worker needs `sst` and Debian's python3-distributed.
"""

import argparse
import concurrent.futures
import os
import subprocess
import sys
import tempfile

import dask
from distributed import Client, LocalCluster, progress
from distributed.scheduler import KilledWorker

TRIES = 20  # attempts for a task that is killed


def run(command, stdin=""):
  """Returns the output of `command`. If it fails, raises an exception with its message, which Dask
  passes on."""
  for _ in range(TRIES):
    done = subprocess.run(command, input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode == 0:
      return done.stdout
    if done.returncode > 0:
      break
  raise RuntimeError(done.stderr.strip() or f"{command[0]} {command[1]}: exit code {done.returncode}")


def build(number, key_range, sst, folder, inputs):
  """Builds table `number` in `folder`. Returns the line of JSON that `sst manifest` needs."""
  # Without this, programs started by a killed worker would keep writing while its task is run
  # again.
  return run(["setpriv", "--pdeathsig", "KILL", sst, "build", "--sort", "--number", str(number), "--range", key_range, folder, *inputs])


def main():
  parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
  parser.add_argument("folder")
  parser.add_argument("inputs", nargs="+", metavar="INPUT")
  parser.add_argument("--parts", type=int, default=2, help="how many tables to make (default: %(default)s)")
  parser.add_argument("--workers", type=int, help="processes on this machine (default: one for each core)")
  parser.add_argument("--scheduler", help="address of a cluster's scheduler, instead of this machine")
  parser.add_argument("--sst", default="sst", help="the command, as the workers find it")
  arguments = parser.parse_args()

  folder = os.path.abspath(arguments.folder)
  inputs = [os.path.abspath(path) for path in arguments.inputs]
  os.makedirs(folder, exist_ok=True)
  with tempfile.TemporaryDirectory() as scratch:
    dask.config.set({"distributed.scheduler.allowed-failures": TRIES, "temporary-directory": scratch})
    with concurrent.futures.ThreadPoolExecutor() as beside:  # while workers start, which takes a second
      split = beside.submit(run, [arguments.sst, "split", "--parts", str(arguments.parts), *inputs])
      cluster = arguments.scheduler or LocalCluster(
          n_workers=arguments.workers, threads_per_worker=1, dashboard_address=None)
    with Client(cluster) as client:
      ranges = split.result().splitlines()
      tables = client.map(build, range(1, len(ranges) + 1), ranges, sst=arguments.sst, folder=folder,
                          inputs=inputs)
      progress(tables)
      lines = client.gather(tables)
    if not arguments.scheduler:
      cluster.close()
  run([arguments.sst, "manifest", folder], stdin="".join(lines))


if __name__ == "__main__":
  try:
    main()
  except (RuntimeError, OSError, KilledWorker) as error:
    sys.exit(f"bulk_build.py: {error}")
