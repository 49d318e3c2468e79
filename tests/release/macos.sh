#!/usr/bin/env bash
# tests/release/macos.sh SST...   Inspects a release's `sst` for macOS, whose name ends with the processor, as it can't be
# run here: the processor; macOS 11 or newer; a signature, without which arm64 does not start it; no library but the
# system's, which has each symbol that is missing. Needs llvm-objdump, llvm-nm, and scripts/release.sh's compiler.
set -euo pipefail
zig=${BUILD:-$(dirname "$0")/../../dist/build}/python/bin/python
symbols=$("$zig" -c 'import os, ziglang; print(os.path.dirname(ziglang.__file__))')/lib/libc/darwin/libSystem.tbd
fail() { echo "failed: $*" >&2; exit 1; }

# exported TARGET   The symbols of the system's library.
exported() {
  python3 - "$symbols" "$1" << 'PYTHON'
import re
import sys
ours = False
for name, values in re.findall(r"([a-z-]+): *\[([^]]*)\]", open(sys.argv[1]).read()):
  names = re.findall(r"[^\s,']+", values)
  if name == "targets":
    ours = sys.argv[2] in names
  elif ours and name.endswith("symbols"):
    print(*names, sep="\n")
PYTHON
}

for sst in "${@:?usage: tests/release/macos.sh SST...}"; do
  case $sst in
    *-x86_64) processor=X86_64 target=x86_64-macos ;;
    *-aarch64) processor=ARM64 target=arm64e-macos ;;
    *) fail "$sst: of which processor?" ;;
  esac
  headers=$(llvm-objdump --macho --private-headers "$sst")
  grep -qE "^MH_MAGIC_64 +$processor .* EXECUTE" <<< "$headers" || fail "$sst: is not a program for $processor"
  grep -qE '^ +minos 11\.0$' <<< "$headers" || fail "$sst: is for another release than macOS 11"
  [[ $processor != ARM64 || $headers == *LC_CODE_SIGNATURE* ]] || fail "$sst: is not signed"
  libraries=$(sed -nE '/LC_LOAD.*DYLIB/,/name/s/^ +name (.*) \(offset.*/\1/p' <<< "$headers")
  [[ $libraries == /usr/lib/libSystem.B.dylib ]] || fail "$sst: needs" $libraries
  missing=$(llvm-nm --undefined-only --format=just-symbols "$sst" | grep -v '^dyld_stub_binder$' | sort)
  unknown=$(comm -23 <(echo "$missing") <(exported "$target" | sort))
  [[ -z $unknown ]] || fail "$sst: the system has no" $unknown
  echo "${sst##*/}: for macOS 11, $processor; the system has the $(wc -l <<< "$missing") symbols that it needs"
done
