#!/usr/bin/env bash
# Installs and uses the packages made by cpack, and the wheel, in a bare Debian (a folder filled by
# debootstrap, and chroot), first without a compiler. After removal, nothing must be left.
. tests/support/bare_debian.sh
skip_without cmake ninja zsh fish

bare=$TEST_TMPDIR/bare
make_debian "$bare" --include=ca-certificates
rm -rf "$bare/etc/apt"
cp -r /etc/apt "$bare/etc/apt"
cp /etc/resolv.conf /etc/hosts "$bare/etc/"
in_bare() { cleanly chroot "$bare" "$@"; }
quietly in_bare apt-get -qq update
install() { quietly in_bare apt-get -qq install -y --no-install-recommends "$@"; }
install_ours() { (cd "$bare" && install ./packages/"$1"*.deb); }
# Lists files and folders, except those of apt and dpkg.
files() { (cd "$bare" && find etc usr opt home root var/lib ! -path 'var/lib/apt*' ! -path 'var/lib/dpkg*' | sort); }

# Copies the files, since Bazel's links would be installed as links.
source=$TEST_TMPDIR/source
cp -rL . "$source"
# Compile time matters more here than run time. The other commands are the page's.
built=$TEST_TMPDIR/built
quietly cmake -G Ninja -S "$source" -B "$built" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0
sed -n '/^## Packages/,$ { /^```sh/,/^```/ { /^```/d; p } }' docs/building.md | sed "s,/tmp/sstable-build,$built,g" >"$TEST_TMPDIR/commands.sh"
(cd "$source" && quietly bash -e "$TEST_TMPDIR/commands.sh")
mkdir "$bare/packages" "$bare/work"
cp "$built"/*.deb "$bare/packages"
cp tests/testdata/leveldb-1.23-elements.ldb "$bare/work/table.ldb"
version=$(sed -n 's/.*SSTABLE_VERSION "\(.*\)".*/\1/p' include/sstable/version.h)
[[ $(ls "$bare/packages") == *"_${version}_"*"_${version}_"*"_${version}_"* ]] ||
  fail "expected three packages of version $version: $(ls "$bare/packages")"

# Programs must accept later versions of the library with the same name.
dpkg-deb --ctrl-tarfile "$bare"/packages/libsstable0*.deb | tar -xO ./shlibs >"$TEST_TMPDIR/shlibs"
grep -q "(>= $version)" "$TEST_TMPDIR/shlibs" || fail "needed by programs: $(cat "$TEST_TMPDIR/shlibs")"

# Tests the tool.
files >"$TEST_TMPDIR/before"
install_ours libsstable0
install_ours sstable-tools
[[ $(in_bare sst --version) == *"$version"* ]] || fail "sst is not of version $version"
[[ $(in_bare sst get /work/table.ldb gold/symbol) == Au ]] || fail "sst get finds another value"
[[ $(in_bare sst check /work/table.ldb) == *": ok"* ]] || fail "sst check finds something"
in_bare sst report /work/table.ldb -o /work/report.html 2>/dev/null || fail "sst report fails"
grep -q '<html' "$bare/work/report.html" || fail "sst report writes no page"
zgrep -q '^\.TH' "$bare/usr/share/man/man1/sst.1.gz" || fail "the manual page is none"
bash -n "$bare/usr/share/bash-completion/completions/sst"
zsh -n "$bare/usr/share/zsh/vendor-completions/_sst"
fish -n "$bare/usr/share/fish/vendor_completions.d/sst.fish"
if in_bare sh -c 'command -v g++ cc python3'; then fail "this Debian is not bare"; fi

# Tests the wheel with Python and pip but no compiler.
install python3-venv
mkdir "$bare/wheel"
cp "$(/usr/bin/python3 -B python/build_wheel.py "$TEST_TMPDIR/wheel" "$PWD/c/libsstable_c.so")" "$bare/wheel"
quietly in_bare python3 -m venv /work/venv
quietly in_bare sh -c '/work/venv/bin/pip install --no-index /wheel/*.whl'
value=$(in_bare /work/venv/bin/python -c \
  'import sstable; print(sstable.open("/work/table.ldb")[b"gold/symbol"].decode())')
[[ $value == Au ]] || fail "from Python, gold/symbol is $value"

# Tests the library as developers use it.
install g++ cmake make pkg-config
install_ours libsstable-dev
cp -rL examples/embed "$bare/work/embed"
in_bare sh -e >"$TEST_TMPDIR/log" 2>&1 <<'END' || { cat "$TEST_TMPDIR/log"; fail "no program can be built"; }
cd /work/embed
g++ -std=c++17 main.cc $(pkg-config --cflags --libs sstable) -o by_pkg_config
cmake -S cmake -B by_cmake
cmake --build by_cmake
gcc -std=c99 c/main.c $(pkg-config --cflags --libs sstable) -o in_c
./by_pkg_config 1.ldb
by_cmake/main 2.ldb
./in_c 3.ldb
END
[[ $(grep -c '^blue, absent$' "$TEST_TMPDIR/log") == 2 ]] || fail "$(cat "$TEST_TMPDIR/log")"
grep -q '^apple is red$' "$TEST_TMPDIR/log" || fail "$(cat "$TEST_TMPDIR/log")"

# No file of the packages may be left.
quietly in_bare apt-get -qq purge -y 'sstable-tools' 'libsstable*'
left=$(files | grep -E 'sstable|/_?sst(\.[a-z0-9.]+)?$' | grep -vxFf "$TEST_TMPDIR/before" || true)
[[ -z $left ]] || fail "purged, they leave $left"
