#!/bin/sh
# SPDX-License-Identifier: MIT
# The order of the folders, and what files may be called. An include may point at the same folder or
# at an earlier one of `order`; the command line tool sees only public headers, scenes/, train/, bench/ and
# io/json.h, the base folder (memory, arrays, clock), and for its rotation bench math/. File names are unique
# (public headers have a name space of their own), a file has at most 1,000 lines, starts with an SPDX
# line, and has no `utils`, `common`, `manager` or `misc` in its name.
set -eu
cd "$(dirname "$0")/.."
order="base math mesh cut sample graph node net region match hex skin contact detail body edit world io shell scenes train bench cli"

code=$(find include src io shell train scenes cli bench test fuzz tools bindings/js/glue.c bindings/js/tools bindings/js/test -type f \
    \( -name '*.[ch]' -o -name '*.sh' -o -name '*.awk' -o -name '*.mjs' -o -name '*.py' \) 2>/dev/null | sort)

# shellcheck disable=SC2086
awk -v order="$order" '
function problem(text) {
    print FILENAME ":" FNR ": " text
    problems++
}
BEGIN {
    count = split(order, names, " ")
    for (i = 1; i <= count; ++i) {
        rank[names[i]] = i
    }
    # Every file by its folder, to resolve includes without a folder.
    for (i = 1; i < ARGC; ++i) {
        there[ARGV[i]] = 1
        base = ARGV[i]
        sub(/^.*\//, "", base)
        if (ARGV[i] !~ /^include\//) {
            if (base in first) {
                print ARGV[i] ": the name is taken by " first[base] "; choose one that says the job"
                problems++
            }
            first[base] = ARGV[i]
        }
        if (base ~ /(utils?|common|manager|misc|helpers?)\./ || base ~ /(^|_)(utils?|common|manager|misc)(_|$)/) {
            print ARGV[i] ": the name says no job"
            problems++
        }
    }
}
FNR == 1 {
    path = FILENAME
    spdx = 0
    folder = path
    sub(/^src\//, "", folder)
    sub(/\/.*$/, "", folder)
    layered = path ~ /^(src|io|shell|train|scenes|bench|cli)\// && folder in rank
}
FNR <= 3 && /SPDX-License-Identifier: MIT/ { spdx = 1 }
FNR == 3 && !spdx { problem("no SPDX-License-Identifier: MIT in the first lines") }
FNR == 1001 { problem("more than 1,000 lines; split it by job") }
/^[ \t]*#[ \t]*if[ \t]+[01][ \t]*$/ { problem("code switched off by #if; remove it") }
/(^|[^A-Za-z])(TODO|FIXME|XXX)([^A-Za-z]|$)/ && path !~ /check_layers/ { problem("a note to self; do it or write an issue") }
layered && /^[ \t]*#[ \t]*include[ \t]*"/ {
    target = $0
    sub(/^[^"]*"/, "", target)
    sub(/".*$/, "", target)
    if (target !~ /\//) {
        own = path
        sub(/[^\/]*$/, target, own)
        if (!(own in there)) {
            problem("\"" target "\" is not in this folder; name the folder")
        }
        next
    }
    to = target
    sub(/\/.*$/, "", to)
    if (!(to in rank)) {
        problem("\"" target "\": no such layer")
    } else if (rank[to] > rank[folder]) {
        problem("\"" target "\": " to " comes after " folder)
    } else if (folder == "cli" && to != "cli" && to != "scenes" && to != "train" && to != "bench" && to != "base" && to != "math" && target != "io/json.h") {
        problem("\"" target "\": the tool uses public headers, scenes/, train/, bench/ and io/json.h only")
    }
}
layered && rank[folder] < rank["io"] && /^[ \t]*#[ \t]*include[ \t]*<limber\/io.h>/ {
    problem("<limber/io.h>: the core opens no file")
}
END {
    if (problems > 0) {
        print "layers: " problems " problems"
        exit 1
    }
    print "layers: ok, " ARGC - 1 " files"
}' $code
