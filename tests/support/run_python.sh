#!/usr/bin/env bash
# Runs the Python test that is its argument.
set -euo pipefail
exec python3 -B "$1"
