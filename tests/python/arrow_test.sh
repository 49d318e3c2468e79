#!/usr/bin/env bash
# Runs arrow_test.py with those libraries that pip can install. Prints the names of skipped ones.
set -euo pipefail
export HOME=${HOME:-$TEST_TMPDIR}
/usr/bin/python3 -m venv "$TEST_TMPDIR/venv"
for library in pyarrow==26.0.1 polars==2.1.0 pandas==3.1.1; do
  "$TEST_TMPDIR/venv/bin/pip" install --quiet --only-binary :all: --disable-pip-version-check "$library" ||
    echo "skipped: $library can't be had"
done
exec "$TEST_TMPDIR/venv/bin/python" -B tests/python/arrow_test.py
