#!/bin/sh
echo "bazel coverage is not available: this project does not download Bazel's coverage tools." >&2
exit 1
