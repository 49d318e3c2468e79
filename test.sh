#!/usr/bin/env bash
# Builds everything and runs every test. Arguments go to Bazel: ./test.sh --config=asan
set -euo pipefail
cd "$(dirname "$0")"

scripts/setup.sh test
exec bazel test //... "$@"
