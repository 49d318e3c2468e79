#!/usr/bin/env bash
# get_sources.sh FOLDER   Unpacks the source packages of the libraries that the core needs into
# FOLDER, from Debian; does nothing if they are there. The system's own list of sources stays as it
# is: a list of "deb-src" is made of it for this command alone.
set -euo pipefail
mkdir -p "$1"
cd "$1"
folder=$PWD
if [[ -e complete ]]; then exit 0; fi
packages=(abseil bzip2 highway libzstd lz4 snappy xxhash zlib)
mkdir -p lists/partial
sed 's/^Types: deb$/Types: deb-src/' /etc/apt/sources.list.d/debian.sources > deb-src.sources
apt=(apt-get -qq -o "Dir::Etc::sourcelist=$folder/deb-src.sources" -o Dir::Etc::sourceparts=-
  -o "Dir::State::lists=$folder/lists")
"${apt[@]}" update
"${apt[@]}" source --download-only "${packages[@]}"
for dsc in *.dsc; do dpkg-source --no-check -x "$dsc" > /dev/null; done
rm -rf lists ./*.tar.* ./*.dsc
touch complete
