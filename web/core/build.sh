#!/usr/bin/env bash
# core/build.sh OUT   Compiles the library and web/core to OUT/core.wasm and its loader OUT/core.js,
# with Debian's emscripten and source packages. What has not changed is not compiled again.
# web/README.md says why these flags.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
repo=$(cd "$here/../.." && pwd)
mkdir -p "$1/obj" "$1/include"
out=$(cd "$1" && pwd)
"$here/get_sources.sh" "$out/sources"
source_of() { local found=("$out/sources/$1"-*/); echo "${found[0]%/}"; }
absl=$(source_of abseil) bzip2=$(source_of bzip2) hwy=$(source_of highway) lz4=$(source_of lz4)
snappy=$(source_of snappy) xxhash=$(source_of xxhash) zlib=$(source_of zlib)
zstd=$(source_of libzstd)
export NODE_PATH=${NODE_PATH:-/usr/share/nodejs}  # a node that isn't Debian's does not look there

# A header that snappy's own build makes, and headers that are not in a source package.
sed -e 's/\${HAVE_SYS_UIO_H_01}/1/' -e 's/\${PROJECT_VERSION_MAJOR}/1/' \
  -e 's/\${PROJECT_VERSION_MINOR}/1/' -e 's/\${PROJECT_VERSION_PATCH}/9/' \
  "$snappy/snappy-stubs-public.h.in" > "$out/include/snappy-stubs-public.h.new"
cmp -s "$out/include/snappy-stubs-public.h.new" "$out/include/snappy-stubs-public.h" ||
  cp "$out/include/snappy-stubs-public.h.new" "$out/include/snappy-stubs-public.h"
ln -sfn /usr/include/nlohmann "$out/include/nlohmann"
ln -sfn "$xxhash/xxhash.h" "$out/include/xxhash.h"  # lz4 has an older one

flags="-ffile-prefix-map=$out=. -ffile-prefix-map=$repo=. -DNDEBUG -fwasm-exceptions -msimd128"
includes="-I$repo/include -I$repo -I$out/include -I$absl -I$hwy -I$snappy -I$zstd/lib -I$zlib"
includes+=" -I$lz4/lib -I$bzip2"
ninja=$out/build.ninja
cat > "$ninja" <<N
rule cxx
  command = em++ -std=c++17 $flags $includes \$extra -MMD -MF \$out.d -c \$in -o \$out
  depfile = \$out.d
  deps = gcc
rule cc
  command = emcc $flags $includes \$extra -MMD -MF \$out.d -c \$in -o \$out
  depfile = \$out.d
  deps = gcc
rule ar
  command = rm -f \$out && emar crs \$out \$in
rule link
  command = em++ $flags \$in \$extra -o \$out
N
archives=()
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

mapfile -t report < <(ls "$repo"/{decode,report,report/text}/*.cc)
compile core cxx "-Wall -Os" "$here"/*.cc
compile report cxx "-Wall -Os" "${report[@]}"
mapfile -t ours < <(sed -n '/set(SSTABLE_SOURCES/,/)/s/^  //p' "$repo/cmake/sources.cmake" |
  grep -vE '^(db/salvage|table/c)/|^util/crc32c.cc$')
mapfile -t often < <(printf '%s\n' "${ours[@]}" | grep -E '^(filter|table/block|util)/')
mapfile -t seldom < <(printf '%s\n' "${ours[@]}" | grep -vE '^(filter|table/block|util)/')
compile block cxx "-Wall -O2" "${often[@]/#/$repo/}"
compile sstable cxx "-Wall -Os" "${seldom[@]/#/$repo/}"  # small rather than fast

mapfile -t absl_files < <(find "$absl"/absl/{base,container,debugging,hash,numeric,status,strings} \
  "$absl"/absl/{synchronization,time,types,profiling} -name '*.cc' | sort | grep -vE \
  '_test|test_|benchmark|testing|mock|print_hash_of|failure_signal|leak_check')
compile absl cxx "-w -Os" "${absl_files[@]}"
compile hwy cxx "-w -Os" "$hwy/hwy/targets.cc"
compile snappy cxx "-w -O2 -DHAVE_BUILTIN_EXPECT=1 -DHAVE_BUILTIN_CTZ=1" \
  "$snappy"/snappy{,-sinksource,-stubs-internal}.cc
# One decoder of each kind, as lib/README.md of zstd says.
zstd_small="-DHUF_FORCE_DECOMPRESS_X1 -DZSTD_FORCE_DECOMPRESS_SEQUENCES_SHORT -DZSTD_NO_INLINE"
zstd_small+=" -DZSTD_STRIP_ERROR_STRINGS"
compile zstd_decompress cc "-w -O2 -DXXH_NAMESPACE=ZSTD_ $zstd_small" "$zstd"/lib/{common,decompress}/*.c
mapfile -t zstd_files < <(ls "$zstd"/lib/compress/*.c | grep -vE 'zstd_(lazy|opt|double_fast)[.]c')
compile zstd_compress cc "-w -Os -DXXH_NAMESPACE=ZSTD_" "${zstd_files[@]}" "$here/zstd_levels.c"
compile zlib cc "-w -O2 -DHAVE_UNISTD_H" \
  "$zlib"/{adler32,crc32,deflate,inffast,inflate,inftrees,trees,zutil}.c
compile bzip2 cc "-w -Os -DBZ_NO_STDIO" \
  "$bzip2"/{blocksort,bzlib,compress,crctable,decompress,huffman,randtable}.c
compile lz4 cc "-w -O2" "$lz4/lib/lz4.c"

exports=$(sed -n 's/^SST_EXPORT.*\b\(sst_[a-z_]*\)(.*/_\1/p' "$here"/*.cc | paste -sd,)
cat >> "$ninja" <<N
build $out/core.js: link ${archives[*]} | $here/js_calls.js
  extra = -Oz -s ALLOW_MEMORY_GROWTH=1 -s MAXIMUM_MEMORY=4GB -s MODULARIZE=1 -s TOTAL_STACK=1MB -s EXPORT_NAME=SstCore -lworkerfs.js -s ENVIRONMENT=worker -s EXPORTED_FUNCTIONS=_malloc,_free,$exports --js-library $here/js_calls.js --no-entry
N
nice -n "${NICE:-0}" ninja -C "$out" -j "${JOBS:-2}" "${@:2}"
