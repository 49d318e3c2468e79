#!/usr/bin/env bash
# The workspace of examples/embed/bazel must build without downloads, its program must work, and it
# may bring its own copy of a library.
set -euo pipefail

# Copies the sources, since Bazel would follow links to the originals and find other packages there.
mkdir "$TEST_TMPDIR/sstable"
cp -RL BUILD.bazel WORKSPACE c db examples filter include keys table third_party util "$TEST_TMPDIR/sstable"
cd "$TEST_TMPDIR/sstable/examples/embed/bazel"

# Runs Bazel with only the example's settings, not the user's.
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

# The first repository with a name is used.
cat - WORKSPACE >WORKSPACE.own_zlib <<<'local_repository(name = "zlib", path = "own_zlib")'
mv WORKSPACE.own_zlib WORKSPACE
inner_bazel query --noshow_progress --output=build //external:zlib | grep 'path = "own_zlib"'
