#!/usr/bin/env bash
# The static and the shared library that CMake installs can be used by a program outside of this
# repository: through find_package() and pkg-config, from C++ with g++ and clang++, and from C. Only
# the API is installed, and its headers don't clash with others. The repository can be a subfolder
# of a larger project. The commands of docs/building.md run verbatim. The shared library exports
# only the API.
set -euo pipefail
example=$PWD/examples/embed

fail() {
  echo "$1" >&2
  exit 1
}

# quietly COMMAND...: runs it, and shows its output only if it fails.
quietly() { "$@" >"$TEST_TMPDIR/log" 2>&1 || { cat "$TEST_TMPDIR/log"; fail "failed: $*"; }; }

# page_commands PROGRAM PREFIX: prints the page's lines that run PROGRAM, with this test's folders.
page_commands() {
  sed -n '/^## From CMake/,/^## Packages/p' docs/building.md |
    sed -n "s,/tmp/sstable-build,$TEST_TMPDIR/build,; s,/where/to,$2,; s/^$1 .*/&/p"
}

# `sst` is built only once, below, since it takes longest to compile.
configure() { quietly cmake -G Ninja -S . -B "$TEST_TMPDIR/build" -DSSTABLE_TOOL=OFF "$@"; }

# By default, optimization is as in .bazelrc.
libdir=lib/$(g++ -print-multiarch)
level=$(sed -nE 's/^build -c opt --per_file_copt=.*table.*@(-O[0-9])$/\1/p' .bazelrc)
configure -DCMAKE_CXX_COMPILER=g++ -DCMAKE_INSTALL_LIBDIR="$libdir" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
commands=$(grep '"command"' "$TEST_TMPDIR/build/compile_commands.json")
[[ -n $level ]] || fail ".bazelrc does not say how the library is optimized"
if grep -v -- " $level -DNDEBUG " <<<"$commands"; then fail "expected $level -DNDEBUG"; fi

# Compile time matters more here than run time. Both libraries have the same objects.
configure -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0
page_commands cmake "$TEST_TMPDIR/static" >"$TEST_TMPDIR/page.sh"
[[ $(wc -l <"$TEST_TMPDIR/page.sh") -eq 3 ]] || fail "docs/building.md does not configure, build and install"
quietly bash -e "$TEST_TMPDIR/page.sh"
# cpack must refuse a static library.
if (cd "$TEST_TMPDIR/build" && cpack -G DEB) >"$TEST_TMPDIR/log" 2>&1; then fail "cpack packs a static library"; fi
grep -q BUILD_SHARED_LIBS=ON "$TEST_TMPDIR/log" || fail "cpack fails: $(cat "$TEST_TMPDIR/log")"
configure -DBUILD_SHARED_LIBS=ON -DSSTABLE_TOOL=ON
quietly cmake --build "$TEST_TMPDIR/build"
if grep 'Building.*/sstable_objects.dir/' "$TEST_TMPDIR/log"; then fail "the shared library has objects of its own"; fi
quietly cmake --install "$TEST_TMPDIR/build" --prefix "$TEST_TMPDIR/elsewhere"
mv "$TEST_TMPDIR/elsewhere" "$TEST_TMPDIR/shared"
quietly "$TEST_TMPDIR/shared/bin/sst" --version
quietly cmake --build "$TEST_TMPDIR/build" --target sstable_sqlite
/usr/bin/python3 - "$TEST_TMPDIR/build/sstable" <<'END' || fail "SQLite can't load the extension"
import sqlite3, sys
db = sqlite3.connect(":memory:")
db.enable_load_extension(True)
db.load_extension(sys.argv[1])
END
# Without SQLite, `sst` must have no export command.
"$TEST_TMPDIR/build/sst" help export >"$TEST_TMPDIR/log" || fail "sst has no export"
configure -DBUILD_SHARED_LIBS=ON -DSSTABLE_TOOL=ON -DSSTABLE_WITH_SQLITE=OFF
quietly cmake --build "$TEST_TMPDIR/build" --target sst
if "$TEST_TMPDIR/build/sst" help export 2>"$TEST_TMPDIR/log"; then fail "sst has an export without SQLite"; fi
nm -DC --defined-only "$TEST_TMPDIR/shared/$libdir/libsstable.so" >"$TEST_TMPDIR/exported"
grep 'sstable::TableReader::Open(' "$TEST_TMPDIR/exported" >/dev/null || fail "the API is not exported"
# Only names that belong to the library count: the standard library's template instances are
# exported for any type.
for name in $(sed -nE 's/^[0-9a-f]+ [A-Za-z] ([a-z ]+ for )?sstable::([A-Za-z]+).*/\2/p' "$TEST_TMPDIR/exported" | sort -u); do
  grep -Rwq "$name" include || fail "the shared library exports sstable::$name"
done

# check_program PROGRAM KIND OUTPUT: checks the output, and which KIND of library is linked.
check_program() {
  local output loads_it=static
  output=$(LD_LIBRARY_PATH=$TEST_TMPDIR/shared/$libdir "$1" "$TEST_TMPDIR/table.ldb")
  [[ $output == "$3" ]] || fail "$1 prints: $output"
  # Not -q, which would exit before readelf has written everything.
  if readelf --dynamic "$1" | grep 'NEEDED.*libsstable.so.0.1\]' >/dev/null; then loads_it=shared; fi
  [[ $loads_it == "$2" ]] || fail "$1 is linked with the $loads_it library"
  echo "$1: $output"
}

# Headers that LevelDB and RocksDB could have under the same names: all that the library includes
# but does not install.
decoys=$TEST_TMPDIR/decoys
find filter keys table util -name '*.h' >"$TEST_TMPDIR/internal"
printf '%s\n' table/format.h table/block.h table/iterator.h keys/comparator.h >>"$TEST_TMPDIR/internal"
while read -r header; do
  mkdir -p "$decoys/${header%/*}"
  echo '#error "a header of somebody else"' >"$decoys/$header"
done <"$TEST_TMPDIR/internal"
[[ -e $decoys/util/coding.h ]] || fail "there are no decoys"

for kind in static shared; do
  prefix=$TEST_TMPDIR/$kind
  export PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig
  asked=(sstable)
  if [[ $kind == static ]]; then asked+=(--static); fi
  read -ra cflags < <(pkg-config --cflags "${asked[@]}")
  read -ra libs < <(pkg-config --libs "${asked[@]}")
  grep "\"$(pkg-config --modversion sstable)\"" include/sstable/version.h >/dev/null || fail "the version is another"

  for compiler in g++ clang++; do
    built=$TEST_TMPDIR/$kind-$compiler
    quietly cmake -G Ninja -S "$example/cmake" -B "$built" -DCMAKE_CXX_COMPILER="$compiler" \
      -DCMAKE_PREFIX_PATH="$prefix"
    quietly cmake --build "$built"
    check_program "$built/main" "$kind" "blue, absent"

    program=$built/main_by_pkg_config
    quietly "$compiler" -std=c++17 -I "$decoys" "${cflags[@]}" "$example/main.cc" "${libs[@]}" -o "$program"
    check_program "$program" "$kind" "blue, absent"
  done

  # A C compiler does not link the C++ library by itself.
  built=$TEST_TMPDIR/$kind-c
  quietly cmake -G Ninja -S "$example/c" -B "$built" -DCMAKE_PREFIX_PATH="$prefix"
  quietly cmake --build "$built"
  check_program "$built/main" "$kind" $'apple is red\napple\nbanana'
  program=$built/main_by_pkg_config
  quietly gcc -std=c99 -pedantic-errors "${cflags[@]}" "$example/c/main.c" "${libs[@]}" -o "$program"
  check_program "$program" "$kind" $'apple is red\napple\nbanana'
done

# Exactly the API's headers are installed, and they don't need others. They compile under strict
# warnings, without exceptions, and with absl::string_view as Abseil's own or the standard's type.
for kind in static shared; do
  diff <(find "$TEST_TMPDIR/$kind/include" -type f -printf '%P\n' | sort) <(cd include && find sstable -type f | sort) ||
    fail "the API is not what is installed"
done
find "$prefix/include" -name '*.h' -printf '#include "%P"\n' >"$TEST_TMPDIR/all.cc"
[[ -s $TEST_TMPDIR/all.cc ]] || fail "no headers are installed"
for is_std in 0 1; do
  options=$TEST_TMPDIR/string_view$is_std
  mkdir -p "$options/absl/base"
  sed -E "s/(define ABSL_OPTION_USE_STD_STRING_VIEW) [0-9]/\1 $is_std/" /usr/include/absl/base/options.h \
    >"$options/absl/base/options.h"
  for compiler in g++ clang++; do
    quietly "$compiler" -std=c++17 -fno-exceptions -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror \
      -I "$options" -I "$decoys" "${cflags[@]}" -fsyntax-only "$TEST_TMPDIR/all.cc" "$example/main.cc"
  done
done

# Uses the shared library, which $PKG_CONFIG_PATH still selects.
mkdir "$TEST_TMPDIR/here"
cp "$example/main.cc" "$TEST_TMPDIR/here"
page_commands g++ "$prefix" >"$TEST_TMPDIR/page.sh"
[[ -s $TEST_TMPDIR/page.sh ]] || fail "docs/building.md does not compile a program by pkg-config"
(cd "$TEST_TMPDIR/here" && quietly bash -e "$TEST_TMPDIR/page.sh")
check_program "$TEST_TMPDIR/here/main" shared "blue, absent"

# A larger project may have its own settings and its own Abseil. The library's target must compile
# under them, and the project must install nothing of it.
mkdir "$TEST_TMPDIR/larger"
cat >"$TEST_TMPDIR/larger/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.18)
project(larger CXX)
include($PWD/cmake/sources.cmake)
foreach(library IN LISTS SSTABLE_ABSEIL)
  add_library(absl::\${library} INTERFACE IMPORTED)
endforeach()
include_directories($decoys)
add_subdirectory($PWD sstable)
add_executable(main $example/main.cc)
target_link_libraries(main PRIVATE sstable::sstable)
END
built=$TEST_TMPDIR/larger/build
quietly cmake -G Ninja -S "$TEST_TMPDIR/larger" -B "$built" -DBUILD_SHARED_LIBS=ON \
  -DCMAKE_CXX_VISIBILITY_PRESET=hidden -DCMAKE_UNITY_BUILD=ON
ninja -C "$built" -t commands sstable >"$TEST_TMPDIR/commands"
grep 'table_reader.cc.o ' "$TEST_TMPDIR/commands" >/dev/null || fail "files are compiled together"
# Its include paths also apply to the library, whose own headers must be found first.
quietly ninja -C "$built" sstable/CMakeFiles/sstable_objects.dir/keys/comparator.cc.o
ninja -C "$built" -t commands main | grep libsstable.so >/dev/null || fail "not linked with the library"
if grep 'file(INSTALL' "$built/sstable/cmake_install.cmake"; then fail "the larger project installs it"; fi
