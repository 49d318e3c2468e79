#!/usr/bin/env bash
# scripts/release.sh VERSION [PART...]   Makes dist/ from the checked-out commit, on Debian 12 on
# x86-64, or only some parts of it. Adds their SHA-256, their components (SPDX), and the licences:
#   linux-x86_64 linux-aarch64    `sst` in one file, and a wheel for Linux with musl
#   manylinux-x86_64 manylinux-aarch64   a wheel for Linux with glibc 2.17 or newer
#   windows-x86_64 macos-aarch64 macos-x86_64   `sst` in one file, and a wheel
#   source npm page               the source tarball, the npm package, the page
#   debian                        packages for this release of Debian
# The compiler is PyPI's ziglang, which includes musl, mingw-w64 and the files that other systems
# need. The libraries are built from Debian's source packages. For `npm` and `debian`, see
# web/README.md and docs/building.md. Two runs should give the same bytes. Intermediate files are in
# $BUILD, by default dist/build; the next run compiles only what has changed. Exit code 77: the
# compiler or a source package is not available.
set -euo pipefail
cd "$(dirname "$0")/.."
version=${1:?usage: scripts/release.sh VERSION [PART...]}
parts=("${@:2}")
if [[ ${#parts[@]} -eq 0 ]]; then
  parts=({linux,manylinux}-{x86_64,aarch64} windows-x86_64 macos-{aarch64,x86_64}
    source npm page debian)
fi
die() { echo "release.sh: $*" >&2; exit "${code:-1}"; }
grep -qx "#define SSTABLE_VERSION \"$version\"" include/sstable/version.h ||
  die "include/sstable/version.h has another version than $version"
[[ -z $(git status --porcelain) ]] || die "the tree has changes that are not committed: see git status"
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
dist=$PWD/dist
mkdir -p "$dist" "${BUILD:=$dist/build}"
rm -f "$dist"/{*sst*,SHA256SUMS}  # from an earlier run
out=$(cd "$BUILD" && pwd)
. third_party/from_source.sh

for command in cmake dpkg-source ninja; do
  command -v "$command" > /dev/null || die "needs $command: apt-get install cmake dpkg-dev ninja-build"
done
python=$out/python/bin/python
[[ -x $python ]] || python3 -m venv "$out/python" || die "needs venv: apt-get install python3-venv"
"$python" -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: \
  --requirement scripts/release_compiler.txt || code=77 die "can't have PyPI's ziglang"
zig=$("$python" -c 'import os, ziglang; print(os.path.dirname(ziglang.__file__))')
export ZIG_GLOBAL_CACHE_DIR=$out/zig_cache ZIG_LOCAL_CACHE_DIR=$out/zig_cache
mapfile -t packages < <(sed -E '/^#/d; s/ .*//' third_party/sources.txt)
get_sources "${packages[@]}" || code=77 die "can't have Debian's source packages"

# RE2's tables are not in the source package. Their Unicode version is that of Debian's
# unicode-data.
[[ -e /usr/share/unicode/UnicodeData.txt ]] || die "needs unicode-data: apt-get install unicode-data"
re2_tables=("$out"/re2/{perl_groups,unicode_casefold,unicode_groups}.cc)
mkdir -p "$out/re2"
perl "$sources/re2/re2/make_perl_groups.pl" | update "${re2_tables[0]}"
for name in casefold groups; do
  PYTHONDONTWRITEBYTECODE=1 python3 "$sources/re2/re2/make_unicode_$name.py" |
    update "$out/re2/unicode_$name.cc"
done

# Leaves out what uses Apple's frameworks: the compiler has no headers for them.
leave_out() { if grep -q "defined($1)" "$2"; then sed -i "s/defined($1)/0/" "$2"; fi; }
leave_out CURL_OSX_CALL_COPYPROXIES "$sources/curl/lib/hostip.c"
leave_out __APPLE__ "$sources/abseil/absl/time/internal/cctz/src/time_zone_lookup.cc"

# SQLite's single-file source, which its own build generates with Tcl.
sqlite=$out/sqlite3
if [[ ! -e $sqlite/sqlite3.c ]]; then
  command -v tclsh > /dev/null || die "needs tclsh: apt-get install tcl"
  mkdir -p "$sqlite"
  (cd "$sqlite" && "$sources/sqlite3/configure" --quiet && make sqlite3.c) > "$out/sqlite3.log" 2>&1 ||
    { tail -n 20 "$out/sqlite3.log" >&2; die "can't make sqlite3.c"; }
fi

# build PLATFORM FILE...   Compiles files for a platform to $out/PLATFORM: `sst`, and
# libsstable_c.so, which the wheel contains.
build() (
  set -e
  system=${1%-*}
  processor=${1#*-}
  for_curl=
  flags=
  exports="-Wl,--version-script=$repo/c/c_api.lds"
  libraries=(-s -Wl,--gc-sections)
  out=$out/$1
  ninja=$out/build.ninja
  mkdir -p "$out"
  curl=$sources/curl
  curl_mbedtls=(-DCURL_USE_MBEDTLS=ON -DMBEDTLS_INCLUDE_DIRS="$sources/mbedtls/include" -DMBEDTLS_LIBRARY=m
    -DMBEDX509_LIBRARY=m -DMBEDCRYPTO_LIBRARY=m)
  case $system in
    linux)
      target=$processor-linux-musl
      flags="-fPIC -fvisibility=hidden"  # for libsstable_c.so
      curl_system=(-DCMAKE_SYSTEM_NAME=Linux "${curl_mbedtls[@]}"
        -DCURL_CA_BUNDLE=/etc/ssl/certs/ca-certificates.crt -DCURL_CA_PATH=/etc/ssl/certs) ;;
    manylinux)
      target=$processor-linux-gnu.2.17
      flags="-fPIC -fvisibility=hidden" ;;
    windows)
      target=$processor-windows-gnu
      libraries+=(-ladvapi32 -lbcrypt -lcrypt32 -ldbghelp -lsecur32 -lws2_32)
      # Uses the system's own TLS and certificates. CMake requires a resource compiler but does not
      # use it.
      curl_system=(-DCMAKE_SYSTEM_NAME=Windows -DCURL_USE_SCHANNEL=ON -DCMAKE_RC_COMPILER=false)
      for_curl=-DHAVE_IOCTLSOCKET_FIONBIO  # CMake's test for it fails
      HAVE_SYS_UIO_H=0
      exports=$out/c_api.def
      { echo EXPORTS; grep -ohE '\bsstable_[a-z0-9_]+\(' include/sstable/c.h c/decode/decoder.h; } |
        tr -d '(' | sort -u | update "$exports" ;;
    macos)
      target=$processor-macos.11.0
      flags="-fvisibility=hidden -Dfdopen=fdopen"  # which zlib would define as NULL
      exports=
      libraries=(-s -Wl,-dead_strip)
      # CMake requires Apple's frameworks but does not use them.
      curl_system=(-DCMAKE_SYSTEM_NAME=Darwin "${curl_mbedtls[@]}" -DCURL_CA_BUNDLE=/etc/ssl/cert.pem
        -DCURL_CA_PATH=none -DSYSTEMCONFIGURATION_FRAMEWORK=none -DCOREFOUNDATION_FRAMEWORK=none) ;;
    *) die "no such platform: $1" ;;
  esac
  # CMake needs programs with these names.
  for driver in cc c++; do
    printf '#!/bin/sh\nexec %s/zig %s -target %s "$@"\n' "$zig" "$driver" "$target" > "$out/$driver"
    chmod +x "$out/$driver"
  done
  start_ninja "$out/c++" "$out/cc" "$zig/zig ar" "-O2${flags:+ $flags} -ffunction-sections -fdata-sections \
    -ffile-prefix-map=$sources=sources -ffile-prefix-map=$zig=zig"
  ln -sfn "$sources/nlohmann-json3/single_include/nlohmann" "$out/include/nlohmann"
  ln -sfn "$sources/cli11/include/CLI" "$out/include/CLI"

  mkdir -p "$out/include/tools/page"
  awk -f tools/page/viewer_page_text.awk docs/viewer/index.html |
    update "$out/include/tools/page/viewer_page_text.h"

  if [[ $system != manylinux && ! -e $out/curl/build.ninja ]]; then
    cmake -G Ninja -S "$curl" -B "$out/curl" -DCMAKE_SYSTEM_PROCESSOR="$processor" \
      -DCMAKE_C_COMPILER="$out/cc" -DCMAKE_TRY_COMPILE_TARGET_TYPE=EXECUTABLE "${curl_system[@]}" \
      -DHTTP_ONLY=ON -DCURL_ZLIB=OFF -DUSE_LIBIDN2=OFF \
      -DCURL_USE_LIBPSL=OFF -DCURL_USE_LIBSSH2=OFF -DBUILD_CURL_EXE=OFF -DBUILD_SHARED_LIBS=OFF \
      > "$out/curl.log" 2>&1 || { tail -n 20 "$out/curl.log" >&2; die "can't configure curl"; }
  fi

  # Optimization is as in .bazelrc.
  mapfile -t ours < <(listed SSTABLE_SOURCES | grep -v "^$repo/c/")
  mapfile -t c_api < <(listed SSTABLE_SOURCES | grep "^$repo/c/" && echo "$repo/c/decode/decoder.cc")
  mapfile -t decode < <(listed SST_SOURCES | grep "^$repo/decode/")
  if [[ $system == windows ]]; then ours=("${ours[@]/system_posix/system_windows}"); fi
  mapfile -t tool < <(listed SST_SOURCES | grep -v "^$repo/decode/")
  for_ours="-Wall -DSSTABLE_WITHOUT_ISAL -DCURL_STATICLIB -isystem $curl/include -isystem $sources/re2 \
    -isystem $out/include"
  compile sstable cxx "-O3 $for_ours" "${ours[@]}" "$repo/web/core/bzip2_error.cc"
  compile decode cxx "-O2 $for_ours" "${decode[@]}"
  compile_libraries -O2 -O2
  zstd_files=("$sources"/libzstd/lib/{common,compress,decompress}/*.c)
  if [[ $processor == x86_64 ]]; then zstd_files+=("$sources"/libzstd/lib/decompress/*.S); fi
  compile zstd cc "-w -DXXH_NAMESPACE=ZSTD_" "${zstd_files[@]}"

  if [[ $system == linux ]]; then compile memchr cc -O2 "$repo/scripts/release_memchr.c"; fi
  others=("${archives[@]}")
  compile c_api cxx "-O3 $for_ours" "${c_api[@]}"
  printf 'build %s: link %s | %s\n  extra = -shared %s %s\n' "$out/libsstable_c.so" "${others[*]}" \
    "$out/libc_api.a" "$exports -Wl,--whole-archive $out/libc_api.a -Wl,--no-whole-archive" \
    "${libraries[*]}" >> "$ninja"
  archives=("${others[@]}")
  if [[ $system != manylinux ]]; then
    compile tool cxx "-O2 $for_ours -isystem $sqlite" "${tool[@]}"
    compile sqlite3 cc "-w -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION" "$sqlite/sqlite3.c"
    compile re2 cxx "-w -I$sources/re2" "${re2_tables[@]}" "$sources"/re2/{re2/*,util/rune,util/strutil}.cc
    compile curl cc "-w $for_curl -DBUILDING_LIBCURL -DCURL_STATICLIB -DHAVE_CONFIG_H -I$out/curl/lib \
      -I$curl/include -I$curl/lib -I$sources/mbedtls/include" "$curl"/lib/{,vauth/,vquic/,vssh/,vtls/}*.c
    if [[ $system == linux ]]; then libraries+=(-static); fi
    if [[ $system != windows ]]; then
      compile mbedtls cc "-w -I$sources/mbedtls/include -I$sources/mbedtls/library" "$sources"/mbedtls/library/*.c
    fi
    printf 'build %s: link %s\n  extra = %s\n' "$out/sst" "${archives[*]}" "${libraries[*]}" >> "$ninja"
  fi
  files=("${@:2}")
  nice -n "${NICE:-0}" ninja -C "$out" -j "${JOBS:-2}" "${files[@]/#/$out/}"
)

licences() {
  for file in LICENSE web/licenses.txt "$sources"/*/debian/copyright \
    "$zig"/lib/{libc/musl/COPYRIGHT,libc/mingw/COPYING,libcxx/LICENSE.TXT}; do
    printf '======== %s\n\n' "${file#"$out/"}"
    cat "$file"
    echo
  done
}
licences=$dist/sst-$version.licences.txt
licences > "$licences"

# wheel PLATFORM TAG   Makes the wheel from the compiled library.
wheel() { /usr/bin/python3 -B python/build_wheel.py "$dist" "$out/$1/libsstable_c.so" "$2" "$licences"; }

for part in "${parts[@]}"; do
  case $part in
    linux-*)
      build "$part" sst libsstable_c.so
      cp "$out/$part/sst" "$dist/sst-$version-$part"
      wheel "$part" "musllinux_1_1_${part#*-}" ;;
    manylinux-*)
      build "$part" libsstable_c.so
      wheel "$part" "manylinux_2_17_${part#*-}.manylinux2014_${part#*-}" ;;
    windows-*)
      build "$part" sst libsstable_c.so
      cp "$out/$part/sst" "$dist/sst-$version-$part.exe"
      wheel "$part" win_amd64 ;;
    macos-*)
      build "$part" sst libsstable_c.so
      cp "$out/$part/sst" "$dist/sst-$version-$part"
      processor=${part#*-}
      wheel "$part" "macosx_11_0_${processor/aarch64/arm64}" ;;
    source)
      git archive --prefix="sstable-$version/" HEAD | gzip -n > "$dist/sstable-$version.tar.gz" ;;
    npm) web/build.sh npm "$dist" ;;
    page) cp docs/viewer/index.html "$dist/sstable-$version-viewer.html" ;;
    debian)
      cmake -G Ninja -S . -B "$out/debian" -DBUILD_SHARED_LIBS=ON -DCMAKE_INSTALL_PREFIX=/usr > "$out/debian.log"
      ninja -C "$out/debian" -j "${JOBS:-2}"
      (cd "$out/debian" && cpack -G DEB > /dev/null && cp ./*.deb "$dist") ;;
    *) die "no such part: $part" ;;
  esac
done

# component NAME VERSION LICENCE
component() {
  printf '\nPackageName: %s\nSPDXID: SPDXRef-%s\nPackageVersion: %s\n' "$1" "$1" "$2"
  printf 'PackageDownloadLocation: NOASSERTION\nFilesAnalyzed: false\nPackageLicenseConcluded: NOASSERTION\n'
  printf 'PackageLicenseDeclared: %s\nPackageCopyrightText: NOASSERTION\n' "$3"
  if [[ $1 == sst ]]; then echo "Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-sst"
  else echo "Relationship: SPDXRef-sst CONTAINS SPDXRef-$1"; fi
}
{
  printf 'SPDXVersion: SPDX-2.3\nDataLicense: CC0-1.0\nSPDXID: SPDXRef-DOCUMENT\nDocumentName: sst-%s\n' "$version"
  printf 'DocumentNamespace: urn:sstable:sst-%s-%s\n' "$version" "$(git rev-parse HEAD)"
  printf 'Creator: Tool: scripts/release.sh\nCreated: %s\n' "$(date -u -d "@$SOURCE_DATE_EPOCH" +%FT%TZ)"
  component sst "$version" Apache-2.0
  while read -r name package_version licence _; do
    component "$name" "$package_version" "$licence"
  done < <(grep -v '^#' third_party/sources.txt)
  zig_version=$("$zig/zig" version)
  component musl "of-zig-$zig_version" MIT             # for Linux
  component mingw-w64 "of-zig-$zig_version" ZPL-2.1    # for Windows
  component libcxx "of-zig-$zig_version" "Apache-2.0 WITH LLVM-exception"
  component uplot "$(sed -n 's/.*"uplot": "\(.*\)".*/\1/p' web/package.json)" MIT  # in the page of `sst report`
} > "$dist/sst-$version.spdx"

cd "$dist"
sha256sum -- *sst* > SHA256SUMS
cat SHA256SUMS
