#!/bin/sh
# SPDX-License-Identifier: MIT
# js.sh: builds the npm package, bindings/js/dist, and prints what its module weighs.
set -eu
cd "$(dirname "$0")/.."
jobs=$(nproc 2>/dev/null || echo 2)
cmake --preset js >/dev/null
cmake --build build/js -j "$jobs" --target limber limber_io limber_scenes
sh tools/npm.sh bindings/js
node bindings/js/tools/build.mjs build/js
