#!/bin/sh
# Builds a database with GNU parallel: bulk_build.sh FOLDER PARTS INPUT...; PARALLEL='--sshlogin a,b' adds machines.
set -eu
folder=$1 parts=$2
shift 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$folder"
sst split --parts "$parts" "$@" >"$scratch/ranges"
parallel --bar --retries 20 sst build --sort --number '{#}' --range '{}' "$folder" "$@" \
  <"$scratch/ranges" >"$scratch/lines"
sst manifest "$folder" <"$scratch/lines"
