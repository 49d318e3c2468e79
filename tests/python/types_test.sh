#!/usr/bin/env bash
# The package has type hints that agree, and says so to type checkers (py.typed). numpy's are its own.
set -euo pipefail
[[ -e python/sstable/py.typed ]]
mypy --strict --cache-dir=/dev/null --ignore-missing-imports python/sstable/*.py
