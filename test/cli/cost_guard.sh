#!/bin/sh
# SPDX-License-Identifier: MIT
# The guard of cost can fail: counts of one short case against tables that are too low, too high,
# of another compiler, and without the case. Usage: cost_guard.sh ROOT LIMBER
set -u
root=${1:?usage: cost_guard.sh ROOT LIMBER}
limber=${2:?usage: cost_guard.sh ROOT LIMBER}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# try STATUS TEXT SCRIPT: the exit code and a line of the output, with the table changed by sed.
try() {
    sed "$3" "$root/bench/cost.tsv" >"$scratch/table"
    COST_TABLE=$scratch/table sh "$root/tools/cost.sh" "$limber" --check rotation >"$scratch/out" 2>&1
    status=$?
    if [ "$status" -ne "$1" ] || ! grep -q -e "$2" "$scratch/out"; then
        failed=1
        echo "FAIL $3: exit $status, wanted $1 with '$2'"
        cat "$scratch/out"
    fi
}

sh "$root/tools/cost.sh" "$limber" --check rotation >"$scratch/out" 2>&1
if [ $? -eq 77 ]; then
    cat "$scratch/out"
    exit 77
fi
total=$(sed -n 's/^rotation\t.*\t//p' "$root/bench/cost.tsv")
try 0 '^rotation .* 1\.0[0-9]* ' ''
try 1 'ABOVE the table by 4\.[0-9] %' "s/^\(rotation.*\)\t$total/\1\t$((total * 100 / 104))/"
try 0 'below by 4\.[0-9] %: the table can be lowered' "s/^\(rotation.*\)\t$total/\1\t$((total * 105 / 100))/"
try 77 'nothing is compared' '1s/^# .*/# gcc 1, avx2/'
try 1 'is not in the table' '/^rotation/d'
[ "$failed" -eq 0 ] && echo "all passed"
exit "$failed"
