#!/usr/bin/env bash
# Runs the Python test that is the first argument, passing it the others. Uses the system's Python,
# for its modules.
set -euo pipefail
exec /usr/bin/python3 -B "$@"
