#!/bin/sh
# SPDX-License-Identifier: MIT
# npm.sh FOLDER: installs what its package-lock.json names, unless that is there already.
set -eu
cd "$(dirname "$0")/../${1:?usage: npm.sh FOLDER}"
if [ ! -f node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
    npm ci --no-audit --no-fund
fi
