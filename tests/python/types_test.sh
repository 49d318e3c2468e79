#!/usr/bin/env bash
# The package must have consistent type hints and declare them to type checkers (py.typed). numpy's
# are ignored.
set -euo pipefail
[[ -e python/sstable/py.typed ]]
mypy --strict --cache-dir=/dev/null --ignore-missing-imports python/sstable/*.py
