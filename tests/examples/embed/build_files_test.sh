#!/usr/bin/env bash
# The build files in docs/building.md must equal those of examples/embed, which other tests build.
set -euo pipefail

# expect_block LANGUAGE TEXT: the first block in this language in docs/building.md must be TEXT.
expect_block() {
  diff <(echo "$2") <(awk -v fence="\`\`\`$1" \
    '/^```/ && copying {exit} copying {print} $0 == fence {copying = 1}' docs/building.md)
}

# with_name FILE: prints FILE's name as a comment, then its lines.
with_name() {
  echo "# $1"
  cat "examples/embed/bazel/$1"
}

expect_block cmake "$(cat examples/embed/cmake/CMakeLists.txt)"
expect_block python "$(with_name WORKSPACE; echo; with_name BUILD.bazel; echo; with_name .bazelrc)"
