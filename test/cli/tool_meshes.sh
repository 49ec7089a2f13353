#!/bin/sh
# SPDX-License-Identifier: MIT
# Meshes of other people, dropped without an option: each deforms, comes to rest, keeps its shape and
# stays above the ground. Usage: tool_meshes.sh LIMBER FOLDER [OPTION...]; further options go to every
# run. Exit 77 (skipped) without the folder.
set -u
limber=${1:?usage: tool_meshes.sh LIMBER FOLDER}
folder=${2:?usage: tool_meshes.sh LIMBER FOLDER}
shift 2
[ -d "$folder" ] || exit 77
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0

value() { sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" "$scratch/json" | head -n 1; }

for mesh in "$folder"/*.obj "$folder"/*.ply "$folder"/*.stl "$folder"/*.off "$folder"/*.gltf "$folder"/*.glb; do
    [ -f "$mesh" ] || continue
    if ! "$limber" run "$mesh" --json --quiet --workers 2 "$@" >"$scratch/json" 2>"$scratch/err"; then
        failed=$((failed + 1))
        echo "FAIL ${mesh##*/}: $(head -n 1 "$scratch/err")"
        continue
    fi
    # 1 m bodies: 1 % of sqrt(g size) is 0.0313 m/s. A skin may press into the ground by 20 % of a cell
    # at the impact, and by 2 % at the end.
    verdict=$(awk -v strain="$(value peak_strain)" -v speed="$(value final_speed)" \
        -v shape="$(value shape_error)" -v lowest="$(value lowest)" -v last="$(value final_lowest)" \
        -v cell="$(value cell_size)" 'BEGIN {
        if (!(strain >= 0.01)) printf " peak strain %.4f;", strain
        if (!(speed < 0.0313)) printf " final speed %.4f m/s;", speed
        if (!(shape <= 0.05)) printf " shape error %.4f;", shape
        if (!(lowest >= -0.2 * cell)) printf " lowest point %.5f m;", lowest
        if (!(last >= -0.02 * cell)) printf " lowest point at the end %.5f m;", last
    }')
    if [ -z "$verdict" ]; then
        passed=$((passed + 1))
        echo "ok   ${mesh##*/}"
    else
        failed=$((failed + 1))
        echo "FAIL ${mesh##*/}:$verdict"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
