# Functions of web/core/build.sh and scripts/release.sh, which compile libraries from Debian's source
# packages by other compilers than Debian's. Source this with $out set to a folder for what is made.
third_party=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repo=${third_party%/*}
sources=$out/sources
ninja=$out/build.ninja
archives=()

# get_sources PACKAGE...   Unpacks the packages, in the versions of sources.txt, to $sources/PACKAGE;
# does nothing if they are there. The system's own lists of Debian's packages stay as they are: lists of
# "deb-src" are made of them for this command alone.
get_sources() (
  set -e
  wanted=$(grep -E "^($(IFS='|' && echo "$*")) " "$third_party/sources.txt")
  if [[ $wanted == "$(cat "$sources/complete" 2> /dev/null)" ]]; then exit 0; fi
  rm -rf "$sources"
  mkdir -p "$sources/lists/partial" "$sources/from"
  cd "$sources"
  # Images of Debian 12 have one of these, its installer writes the other.
  system=/etc/apt
  if [[ -e $system/sources.list.d/debian.sources ]]; then
    sed 's/^Types:.*/Types: deb-src/' $system/sources.list.d/debian.sources > from/debian.sources
  elif ! sed -n '/cdrom:/!s/^deb\s/deb-src /p' $system/sources.list | grep . > from/debian.list; then
    echo "from_source.sh: neither $system/sources.list.d/debian.sources nor $system/sources.list names packages" >&2
    exit 1
  fi
  apt=(apt-get -qq -o Dir::Etc::sourcelist=- -o "Dir::Etc::sourceparts=$PWD/from"
    -o "Dir::State::lists=$PWD/lists" -o APT::Sandbox::User=root)
  "${apt[@]}" update
  while read -r name version _ sum; do
    "${apt[@]}" source --download-only "$name=$version"
    file=${name}_${version#*:}.dsc
    sha256sum --check --quiet <<< "$sum  $file"
    dpkg-source --no-check -x "$file" "$name" > /dev/null
  done <<< "$wanted"
  rm -rf lists from ./*.tar.* ./*.dsc
  echo "$wanted" > complete
)

# update FILE   Writes what it reads to a file, unless the file has it: Ninja compiles by the time of a file.
update() {
  cat > "$1.new"
  cmp -s "$1.new" "$1" || cp "$1.new" "$1"
}

# start_ninja CXX CC AR FLAGS   Begins $ninja, and makes the headers that are not in a source package. Set
# HAVE_SYS_UIO_H=0 for a system that has none.
start_ninja() {
  mkdir -p "$out/include"
  ln -sfn "$sources/xxhash/xxhash.h" "$out/include/xxhash.h"
  rm -f "$sources/lz4/lib/xxhash.h"  # an older one, which only LZ4's frames use
  # Snappy's own build makes this of a template.
  sed -e "s/\${HAVE_SYS_UIO_H_01}/${HAVE_SYS_UIO_H:-1}/" -e 's/\${PROJECT_VERSION_MAJOR}/1/' \
    -e 's/\${PROJECT_VERSION_MINOR}/1/' -e 's/\${PROJECT_VERSION_PATCH}/9/' \
    "$sources/snappy/snappy-stubs-public.h.in" | update "$out/include/snappy-stubs-public.h"
  local flags="-ffile-prefix-map=$out=. -ffile-prefix-map=$repo=. -DNDEBUG $4 -I$repo/include -I$repo"
  flags+=" -I$out/include"
  local library
  for library in abseil highway snappy libzstd/lib zlib lz4/lib bzip2; do
    flags+=" -isystem $sources/$library"
  done
  cat > "$ninja" <<N
rule cxx
  command = $1 -std=c++17 $flags \$extra -MD -MF \$out.d -c \$in -o \$out
  depfile = \$out.d
  deps = gcc
rule cc
  command = $2 $flags \$extra -MD -MF \$out.d -c \$in -o \$out
  depfile = \$out.d
  deps = gcc
rule ar
  command = rm -f \$out && $3 crs \$out \$in
rule link
  command = $1 $4 \$in \$extra -o \$out
N
}

# compile GROUP RULE FLAGS FILE...   Adds an archive of what these files are compiled to.
compile() {
  local group=$1 rule=$2 extra=$3 objects=() file object
  shift 3
  for file in "$@"; do
    object=$out/obj/$group/$(md5sum <<< "${file#"$out"}" | cut -c1-6)_$(basename "$file").o
    printf 'build %s: %s %s\n  extra = %s\n' "$object" "$rule" "$file" "$extra" >> "$ninja"
    objects+=("$object")
  done
  echo "build $out/lib$group.a: ar ${objects[*]}" >> "$ninja"
  archives+=("$out/lib$group.a")
}

# compile_libraries FAST SMALL   Compiles those of which all is needed: with the flags FAST what runs
# once for each block, with SMALL the others.
compile_libraries() {
  local absl_files
  mapfile -t absl_files < <(cd "$sources/abseil/absl" && find \
    base container debugging hash numeric status strings synchronization time types profiling \
    -name '*.cc' | sort | grep -vE \
    '_test|test_|benchmark|testing|mock|print_hash_of|failure_signal|leak_check')
  # Without this macro, musl has no off64_t.
  compile absl cxx "-w $2 -D_LARGEFILE64_SOURCE" "${absl_files[@]/#/$sources/abseil/absl/}"
  compile hwy cxx "-w $2" "$sources/highway/hwy/targets.cc"
  compile snappy cxx "-w $1 -DHAVE_BUILTIN_EXPECT=1 -DHAVE_BUILTIN_CTZ=1" \
    "$sources"/snappy/snappy{,-sinksource,-stubs-internal}.cc
  compile zlib cc "-w $1 -DHAVE_UNISTD_H" \
    "$sources"/zlib/{adler32,crc32,deflate,inffast,inflate,inftrees,trees,zutil}.c
  compile bzip2 cc "-w $2 -DBZ_NO_STDIO" \
    "$sources"/bzip2/{blocksort,bzlib,compress,crctable,decompress,huffman,randtable}.c
  compile lz4 cc "-w $1" "$sources/lz4/lib/lz4.c"
}

# listed NAME   The sources of a list of cmake/sources.cmake.
listed() { sed -n "/set($1\$/,/)/s,^  ,$repo/,p" "$repo/cmake/sources.cmake"; }
