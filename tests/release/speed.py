#!/usr/bin/env python3
"""Compares the speed of two programs: tests/release/speed.py SST REFERENCE [ROUNDS]. Prints, for each command, the
median of the user CPU time that SST takes divided by that of REFERENCE, run in turn, so that a busy machine
disturbs both. A ratio below 1 means that SST is faster. "get" is 50 processes, which look up one key each.
"""

import os
import random
import statistics
import subprocess
import sys
import tempfile

ENTRIES = 400_000


def user_seconds(command, count=1):
  before = os.times().children_user
  for _ in range(count):
    with open("in.tsv", "rb") as records:
      subprocess.run(command, check=True, stdin=records, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
  return os.times().children_user - before


def main(sst, reference, rounds="15"):
  programs = [os.path.abspath(sst), os.path.abspath(reference)]
  commands = {
      "check": (["check", "t.ldb"], 5),
      "dump": (["dump", "--format", "tsv", "t.ldb"], 5),
      "get": (["get", "t.ldb", "key001400000"], 50),
      "build": (["build", "--force", "--filter", "bloom:10", "new.ldb"], 3),
  }
  with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    choose = random.Random(1)
    words = ["".join(choose.choices("abcdefghijklmnopqrstuvwxyz", k=choose.randint(4, 12))) for _ in range(150)]
    with open("in.tsv", "w", encoding="ascii") as records:
      for i in range(ENTRIES):
        records.write(f"key{7 * i:09}\t{' '.join(choose.choices(words, k=12))}\n")
    with open("in.tsv", "rb") as records:
      subprocess.run([programs[1], "build", "--filter", "bloom:10", "t.ldb"], check=True, stdin=records)
    for name, (arguments, count) in commands.items():
      times = [[user_seconds([program, *arguments], count) for program in programs] for _ in range(int(rounds))]
      ours, theirs = (statistics.median(column) for column in zip(*times))
      print(f"{name}: {ours:.2f} s, {theirs:.2f} s, ratio {ours / theirs:.2f}", flush=True)


if __name__ == "__main__":
  main(*sys.argv[1:])
