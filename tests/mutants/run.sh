#!/usr/bin/env bash
# Runs the commands of `sst` on COUNT mutants, under AddressSanitizer and
# UndefinedBehaviorSanitizer. Half are made from the tables of tests/testdata and the corpus, half
# from generated tables (--made PERCENT changes that). Fails if a command crashes, hangs, takes more
# than 256 MiB at once, or prints a false statement. Failing mutants are kept in
# $SST_MUTANTS_FOLDER, by default ~/.cache/sstable-mutants; `--only N` with the same seed and tables
# recreates one.
# With --optimized there are no sanitizers, and time and memory are what users see.
# Usage: tests/mutants/run.sh [--optimized] COUNT [--seed N] [--jobs N] [--only N] [--made PERCENT]
set -euo pipefail
cd "$(dirname "$0")/../.."

config=(--config=mutants)
if [[ ${1-} == --optimized ]]; then
  config=()
  shift
fi
if [[ ! ${1-} =~ ^[1-9][0-9]*$ ]]; then
  echo "usage: tests/mutants/run.sh [--optimized] COUNT [--seed N] [--jobs N] [--only N] [--made PERCENT]" >&2
  exit 2
fi

scripts/setup.sh fuzz
bazel build "${config[@]}" //tests/mutants
program=$(bazel info "${config[@]}" bazel-bin 2>/dev/null)/tests/mutants/mutants
folder=${SST_MUTANTS_FOLDER:-$HOME/.cache/sstable-mutants}
mkdir -p "$folder"
# The quarantine is small, since thousands of commands run in one process.
export ASAN_OPTIONS=quarantine_size_mb=16:detect_stack_use_after_return=1:max_allocation_size_mb=256
export UBSAN_OPTIONS=print_stacktrace=1
exec "$program" --count "$1" --save "$folder" "${@:2}" tests/testdata ../shared/corpus
