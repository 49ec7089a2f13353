# SPDX-License-Identifier: MIT
# Sourced by the tests of the tool: a scratch folder to work in, and checks that are counted.
set -u
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
: >err
passed=0
failed=0

# check NAME COMMAND...: counts whether the command succeeds; shows the end of `err` if not
check() {
    name=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $name"
        tail -n 8 err
    fi
}

# holds EXPRESSION: true when awk finds it so
holds() { awk "BEGIN { exit !($1) }"; }
