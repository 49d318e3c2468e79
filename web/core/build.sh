#!/usr/bin/env bash
# core/build.sh OUT [TARGET...]   Compiles the library and web/core with Debian's emscripten and
# source packages, to OUT/core.wasm and its loader OUT/core.js for the page, and to OUT/package.wasm
# and OUT/package.js for web/npm. Compiles only what has changed. web/README.md explains the flags.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
. "$here/../../third_party/from_source.sh"
get_sources abseil bzip2 highway libzstd lz4 snappy xxhash zlib
export NODE_PATH=${NODE_PATH:-/usr/share/nodejs}  # only Debian's node looks there by itself

start_ninja em++ emcc emar "-fwasm-exceptions -msimd128 -DSSTABLE_WITHOUT_ISAL"
ln -sfn /usr/include/nlohmann "$out/include/nlohmann"

mapfile -t decode < <(ls "$repo"/decode/*.cc | grep -v /entry_query.cc)  # no_queries.cc
compile core cxx "-Wall -Os" "$here"/{bzip2_error,call,no_queries}.cc "$repo"/web/npm/*.cc "${decode[@]}"
# What only the page has: it replaces a core that ran out of memory, so this need not clean up then.
compile page cxx "-Wall -Os -fno-exceptions" "$here"/{core,folder}.cc "$repo"/report/{,text/}*.cc
mapfile -t ours < <(listed SSTABLE_SOURCES)
mapfile -t often < <(printf '%s\n' "${ours[@]}" | grep -E "^$repo/(filter|table/block|util)/")
mapfile -t seldom < <(printf '%s\n' "${ours[@]}" | grep -vE "^$repo/(filter|table/block|util)/")
compile block cxx "-Wall -O2" "${often[@]}"
compile sstable cxx "-Wall -Os" "${seldom[@]}"  # optimized for size, not speed

compile_libraries "-O2 -DNO_GZIP" -Os
# Builds only one variant of each decoder, as zstd's lib/README.md describes.
zstd=$sources/libzstd
zstd_small="-DHUF_FORCE_DECOMPRESS_X1 -DZSTD_FORCE_DECOMPRESS_SEQUENCES_SHORT -DZSTD_NO_INLINE"
zstd_small+=" -DZSTD_STRIP_ERROR_STRINGS"
compile zstd_decompress cc "-w -O2 -DXXH_NAMESPACE=ZSTD_ $zstd_small" "$zstd"/lib/{common,decompress}/*.c
mapfile -t zstd_files < <(ls "$zstd"/lib/compress/*.c | grep -vE 'zstd_(lazy|opt|fast|double_fast|ldm)[.]c')
compile zstd_compress cc "-w -Os -DXXH_NAMESPACE=ZSTD_" "${zstd_files[@]}" "$here/zstd_levels.c"

# link NAME EXTRA   Links everything that the functions listed on standard input need.
link() {
  cat >> "$ninja" <<N
build $out/$1.js: link ${archives[*]} | $here/js_calls.js
  extra = -Oz -s ALLOW_MEMORY_GROWTH=1 -s MAXIMUM_MEMORY=4GB -s MODULARIZE=1 -s TOTAL_STACK=1MB -s EXPORT_NAME=SstCore -lworkerfs.js -s ENVIRONMENT=worker $2 -s EXPORTED_FUNCTIONS=_malloc,_free,$(paste -sd,) --js-library $here/js_calls.js --no-entry
N
}
sed -n 's/^SST_EXPORT.*\b\(sst_[a-z_]*\)(.*/_\1/p' "$here"/*.cc | link core ""
sed -n 's/^ *| "\(_sst[a-z_]*\)".*/\1/p' "$repo/web/npm/src/modules.d.ts" |
  link package "-s EXPORTED_RUNTIME_METHODS=FS"
nice -n "${NICE:-0}" ninja -C "$out" -j "${JOBS:-2}" "${@:2}"
