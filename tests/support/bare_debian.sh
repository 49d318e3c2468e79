# For tests that install a Debian system in a folder. Source this.
set -euo pipefail
export LC_ALL=C.UTF-8 PATH=$PATH:/usr/sbin:/sbin

fail() {
  echo "$1" >&2
  exit 1
}

# quietly COMMAND...: runs it and shows its output only if it fails.
quietly() { "$@" >"$TEST_TMPDIR/log" 2>&1 </dev/null || { tail -n 40 "$TEST_TMPDIR/log"; fail "failed: $*"; }; }

# skip_without COMMAND...: skips the test if a COMMAND or debootstrap is missing, or the user is not
# root.
skip_without() {
  local command missing=()
  [[ $(id -u) -eq 0 ]] || missing+=("to be root")
  for command in debootstrap "$@"; do
    command -v "$command" >/dev/null || missing+=("$command")
  done
  if [[ ${#missing[@]} -eq 0 ]]; then return; fi
  echo "Skipped: needs ${missing[*]}."
  exit 0
}

# cleanly COMMAND...: runs it with the environment of a new Debian, and this machine's proxies.
cleanly() {
  env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    $(env | grep -iE '^(https?|no)_proxy=' || true) "$@"
}

# make_debian FOLDER OPTION...: installs $RELEASE (default: this machine's), using this machine's
# package mirror. The folder is removed when the test ends.
make_debian() {
  local folder=$1 release mirror
  shift
  # shellcheck disable=SC2064  # of this folder
  trap "rm -rf '$folder'" EXIT
  release=${RELEASE:-$(. /etc/os-release && echo "$VERSION_CODENAME")}
  mirror=$(find /etc/apt/sources.list* -name '*.list' -o -name '*.sources' | sort |
    xargs sed -n 's/^deb \(\[[^]]*\] \)\?\([^ ]*\) .*/\2/p; s/^URIs: *//p' | awk 'NR == 1')
  quietly debootstrap --variant=minbase "$@" "$release" "$folder" "$mirror"
}
