#!/usr/bin/env bash
# Builds the page docs/viewer/index.html, and the npm package of web/npm.
#   web/build.sh             everything; compiling with emscripten takes some minutes once
#   web/build.sh page [OUT]  only the page, with the core that is in the present page
#   web/build.sh npm [TO]    the npm package, as dist/sstable-VERSION.tgz or in the folder TO
#   web/build.sh install     only installs npm's packages
#   web/build.sh check       checks the types and formatting of the sources
# Intermediate files are in web/.build.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
repo=$(cd "$here/.." && pwd)
page=$repo/docs/viewer/index.html
out=$here/.build

# npm's packages are in a separate folder, so that their documents are not mistaken for this
# project's.
install() {
  local npm=$out/npm
  cmp -s "$here/package-lock.json" "$npm/installed" && return
  mkdir -p "$npm" || return
  cp "$here"/package{,-lock}.json "$npm/" || return
  (cd "$npm" && HOME=${HOME:-$npm} npm ci --ignore-scripts --no-audit --no-fund > /dev/null) || return
  ln -sfn .build/npm/node_modules "$here/node_modules" || return
  cp "$here/package-lock.json" "$npm/installed"
}

case ${1-all} in
  all)
    install
    "$here/core/build.sh" "$out" "$out/core.js"
    (cd "$here" && node bundle.mjs "$out" "$page")
    ;;
  page)
    install
    to=$(realpath -m "${2-$page}")
    (cd "$here" && node bundle.mjs "$page" "$to")
    ;;
  npm)
    install
    "$here/core/build.sh" "$out" "$out/package.js"
    (cd "$here/npm" && node build.mjs "$out" "$out/package")
    to=${2-$repo/dist}
    mkdir -p "$to"
    to=$(realpath "$to")
    (cd "$out/package" && npm pack --loglevel=error --pack-destination "$to" > /dev/null)
    ls -l "$to"/sstable-*.tgz
    ;;
  install) install ;;
  check)
    install
    cd "$here"
    node_modules/.bin/tsc --noEmit
    node_modules/.bin/tsc --noEmit --emitDeclarationOnly false -p npm
    node_modules/.bin/prettier --config .prettierrc.json --check src npm/src ../tests/{npm,web} \
      '*.mjs' 'npm/*.mjs'
    ;;
  *)
    echo "usage: web/build.sh [page [OUT] | npm [TO] | install | check]" >&2
    exit 2
    ;;
esac
