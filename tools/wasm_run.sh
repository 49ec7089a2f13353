#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs a WebAssembly test in node. A module cannot crash its host; node itself does now and then, once
# in some hundred runs (exit 139): then the test is run once more.
folder=$(dirname "$0")
node --no-warnings --no-liftoff "$folder/wasm_run.mjs" "$@"
code=$?
[ "$code" -eq 139 ] || exit "$code"
echo "node crashed; once more" >&2
exec node --no-warnings --no-liftoff "$folder/wasm_run.mjs" "$@"
