#!/usr/bin/env bash
# Runs the fuzz targets with libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer for a total
# of MINUTES. Fails if a fault was found. Corpus, logs and findings stay in $SST_FUZZ_FOLDER, by
# default ~/.cache/sstable-fuzz; the next run continues from there.
# Usage: tests/fuzz/run.sh MINUTES [TARGET...]
set -euo pipefail
cd "$(dirname "$0")/../.."

if [[ ! ${1-} =~ ^[1-9][0-9]*$ ]]; then
  echo "usage: tests/fuzz/run.sh MINUTES [TARGET...]" >&2
  exit 2
fi
minutes=$1
targets=("${@:2}")

scripts/setup.sh fuzz
if [[ ${#targets[@]} -eq 0 ]]; then
  targets=(tests/fuzz/*_fuzz.cc)
  targets=("${targets[@]#tests/fuzz/}")
  targets=("${targets[@]%.cc}")
fi
bazel build --config=fuzz "${targets[@]/#///tests/fuzz:}"
programs=$(bazel info --config=fuzz bazel-bin 2>/dev/null)/tests/fuzz
folder=${SST_FUZZ_FOLDER:-$HOME/.cache/sstable-fuzz}
seconds=$((60 * minutes / ${#targets[@]}))
export ASAN_OPTIONS=quarantine_size_mb=32

failed=0
printf '%-20s %12s %10s  %s\n' target executions coverage result
for target in "${targets[@]}"; do
  mkdir -p "$folder"/{corpus,seeds,found}/"$target"
  SST_FUZZ_SEEDS=$folder/seeds/$target "$programs/$target" >/dev/null
  inputs=("$folder/corpus/$target" "$folder/seeds/$target")
  if [[ -d tests/fuzz/found/$target ]]; then inputs+=("tests/fuzz/found/$target"); fi
  if [[ $target == @(table|leveldb|salvage)_fuzz ]]; then inputs+=(tests/testdata); fi
  log=$folder/$target.log
  result=ok
  "$programs/$target" -max_total_time="$((seconds > 0 ? seconds : 1))" -timeout=2 -rss_limit_mb=512 \
    -max_len=8192 -print_final_stats=1 -artifact_prefix="$folder/found/$target/" "${inputs[@]}" \
    >"$log" 2>&1 || result="FAILED; see $log and $folder/found/$target"
  [[ $result == ok ]] || failed=1
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -n 1)
  coverage=$(grep -o 'cov: [0-9]*' "$log" | tail -n 1 | cut -d ' ' -f 2 || true)
  printf '%-20s %12s %10s  %s\n' "$target" "${executions:-?}" "${coverage:-?}" "$result"
done
exit "$failed"
