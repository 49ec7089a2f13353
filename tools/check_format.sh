#!/bin/sh
# SPDX-License-Identifier: MIT
# Every C file is as clang-format leaves it. With --fix the files are changed.
set -eu
cd "$(dirname "$0")/.."
command -v clang-format >/dev/null || {
    echo "format: clang-format is missing; ./x setup installs it" >&2
    exit 77
}
files=$(find include src io shell train scenes cli bench test fuzz bindings/js/glue.c -name '*.[ch]' 2>/dev/null | sort)
if [ "${1:-}" = --fix ]; then
    # shellcheck disable=SC2086
    clang-format -i $files
    exit 0
fi
# shellcheck disable=SC2086
clang-format --dry-run -Werror $files 2>&1 | sed -n 's/ *\[-Wclang-format-violations\]$//p' >/tmp/limber_format.$$ || true
count=$(wc -l </tmp/limber_format.$$)
head -n 20 /tmp/limber_format.$$
rm -f /tmp/limber_format.$$
if [ "$count" -gt 0 ]; then
    echo "format: $count places differ; ./x fmt mends them" >&2
    exit 1
fi
echo "format: ok"
