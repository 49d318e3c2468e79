#!/usr/bin/env bash
# The commands in examples/toy_lsm/README.md must work as written, with fewer entries.
set -euo pipefail

readme=$PWD/examples/toy_lsm/README.md
toydb=$PWD/$1 bench=$PWD/$2
cd "$TEST_TMPDIR"
mkdir -p bazel-bin/examples/toy_lsm/bench
# Copies instead of links, since toydb looks for its benchmark next to its own file.
cp -L "$toydb" bazel-bin/examples/toy_lsm
cp -L "$bench" bazel-bin/examples/toy_lsm/bench

commands=$(awk '/^```/ {copying = 0} copying {print} $0 == "```sh" {copying = 1}' "$readme" |
  sed "s/100000/2000/g; s,/tmp/,$TEST_TMPDIR/,")
[[ $(wc -l <<<"$commands") -ge 8 ]]
bash -euo pipefail -c "bazel() { echo \"bazel \$*\"; }; $commands" >output 2>&1 || {
  cat output >&2
  exit 1
}

failed=0
for line in 'bazel build //examples/toy_lsm/...' red $'apple\tred'; do
  if ! grep -qxF -- "$line" output; then
    printf 'the commands do not print "%s" but:\n' "$line" >&2
    cat output >&2
    failed=1
  fi
done
exit "$failed"
