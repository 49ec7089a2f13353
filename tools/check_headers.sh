#!/bin/sh
# SPDX-License-Identifier: MIT
# Each public header, alone and twice, compiles without a warning as C17 and as C++17 with every
# compiler that is here. The whole API stays under 150 functions, so that it can be learnt.
set -eu
cd "$(dirname "$0")/.."
failed=0
compiles=0
# try LANGUAGE STANDARD COMPILER HEADER
try() {
    command -v "$3" >/dev/null || return 0
    compiles=$((compiles + 1))
    printf '#include <limber/%s>\n#include <limber/%s>\n' "$4" "$4" |
        "$3" -x "$1" "-std=$2" -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only - || {
        echo "headers: $4 does not compile as $2 with $3"
        failed=1
    }
}
for header in include/limber/*.h; do
    name=${header##*/}
    for compiler in gcc clang; do
        try c c17 "$compiler" "$name"
    done
    for compiler in g++ clang++; do
        try c++ c++17 "$compiler" "$name"
    done
done
functions=$(cat include/limber/*.h | grep -c '^LIM_API')
if [ "$functions" -ge 150 ]; then
    echo "headers: $functions functions; fewer than 150 were promised"
    failed=1
fi
if [ "$compiles" -eq 0 ]; then
    echo "headers: no compiler found" >&2
    failed=1
fi
[ "$failed" -eq 0 ] && echo "headers: ok, $functions functions, $compiles compiles"
exit "$failed"
