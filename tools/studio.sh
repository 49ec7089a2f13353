#!/bin/sh
# SPDX-License-Identifier: MIT
# studio.sh: builds the page in studio/ on the npm package as it is built in bindings/js/dist.
set -eu
cd "$(dirname "$0")/.."
sh tools/npm.sh studio
cd studio
npm run build
