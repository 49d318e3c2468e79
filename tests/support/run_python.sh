#!/usr/bin/env bash
# Runs the Python test that is its first argument, with the others. By the system's Python, which
# has the system's modules.
set -euo pipefail
exec /usr/bin/python3 -B "$@"
