#!/usr/bin/env bash
# Builds everything and runs the tests; with --all, also those of the second tier: tests that compile
# the library once more, run a campaign, or need programs that an embedder has no use for.
# Other arguments go to Bazel: ./test.sh --config=asan
set -euo pipefail
cd "$(dirname "$0")"

packages=test
tier=(--test_tag_filters=-second_tier --build_tag_filters=-second_tier)
if [[ ${1-} == --all ]]; then
  shift
  packages=all
  tier=()
fi
scripts/setup.sh "$packages"
if [[ $packages == all ]] && ! web/build.sh install; then
  echo "npm can't be reached: tests/web and tests/kaitai skip what needs its packages" >&2
fi
exec bazel test //... "${tier[@]}" "$@"
