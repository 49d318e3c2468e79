#!/usr/bin/env bash
# From a fresh clone to a working tool: installs what is missing, builds `sst` and shows it at work.
set -euo pipefail
cd "$(dirname "$0")"

scripts/setup.sh build
bazel build --ui_event_filters=-info --noshow_progress //tools:sst

# ---- demo ----------------------------------------------------------------------------------------
bazel-bin/tools/sst --help
