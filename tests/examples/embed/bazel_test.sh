#!/usr/bin/env bash
# The workspace of examples/embed/bazel builds, without a download, and its program works. It may
# bring a library of its own.
set -euo pipefail

# The sources themselves, as Bazel would follow a link to where other packages are.
mkdir "$TEST_TMPDIR/sstable"
cp -RL BUILD.bazel WORKSPACE c db examples filter include keys table third_party util "$TEST_TMPDIR/sstable"
cd "$TEST_TMPDIR/sstable/examples/embed/bazel"

# Runs Bazel with the example's settings only, not the user's.
inner_bazel() {
  local command=$1
  shift
  bazel --nohome_rc --output_user_root="$TEST_TMPDIR/bazel" "$command" \
    --experimental_repository_disable_download "$@"
}
trap 'inner_bazel shutdown' EXIT
inner_bazel build --spawn_strategy=local --noshow_progress //:main

output=$(bazel-bin/main "$TEST_TMPDIR/table.ldb")
echo "$output"
[[ $output == "blue, absent" ]]

# Whoever names a library first has it.
cat - WORKSPACE >WORKSPACE.own_zlib <<<'local_repository(name = "zlib", path = "own_zlib")'
mv WORKSPACE.own_zlib WORKSPACE
inner_bazel query --noshow_progress --output=build //external:zlib | grep 'path = "own_zlib"'
