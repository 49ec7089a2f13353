#!/bin/sh
# SPDX-License-Identifier: MIT
# check_symbols.sh BUILD: every name that the libraries show to a linker begins with lim_, and nothing
# in them can be written to: no .data, .bss, .tdata, .tbss or common symbols. Allowed: .rodata, and
# .data.rel.ro (constant tables that hold addresses, which the loader fills in and then locks).
set -eu
build=${1:?usage: check_symbols.sh BUILD}
found=0
failed=0
for library in $(find "$build" -name liblimber.a -o -name liblimber_io.a | sort); do
    found=$((found + 1))
    names=$(nm -g --defined-only "$library" 2>/dev/null | awk 'NF == 3 && $3 !~ /^lim_/ { print "  " $3 }')
    if [ -n "$names" ]; then
        echo "symbols: $library shows names without lim_; make them static or hidden:"
        echo "$names" | head -n 20
        failed=1
    fi
    writable=$(objdump -t "$library" 2>/dev/null | awk '
        {
            for (i = 3; i <= NF; ++i) {
                if ($i ~ /^(\.data|\.bss|\.tdata|\.tbss|\*COM\*)/ && $i !~ /^\.data\.rel\.ro/ && $NF !~ /^\./) {
                    print "  " $NF " in " $i
                }
            }
        }')
    sections=$(objdump -h "$library" 2>/dev/null | awk '
        $2 ~ /^(\.data|\.bss|\.tdata|\.tbss)/ && $2 !~ /^\.data\.rel\.ro/ && $3 !~ /^0+$/ {
            print "  section " $2 " has 0x" $3 " bytes"
        }')
    if [ -n "$writable$sections" ]; then
        echo "symbols: $library has memory that can be written to; make it const or pass it in:"
        printf '%s\n%s\n' "$writable" "$sections" | grep . | head -n 20
        failed=1
    fi
done
if [ "$found" -eq 0 ]; then
    echo "symbols: no liblimber*.a in $build" >&2
    exit 1
fi
[ "$failed" -eq 0 ] && echo "symbols: ok, $found libraries"
exit "$failed"
