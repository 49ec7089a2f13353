#!/bin/sh
# SPDX-License-Identifier: MIT
# check_symbols.sh FOLDER: what the libraries in FOLDER show to a linker is exactly what the public
# headers declare, and nothing in them can be written to: no .data, .bss, .tdata, .tbss or common
# symbols. Allowed: .rodata, and .data.rel.ro (constant tables that hold addresses, which the loader
# fills in and then locks). Of shared libraries only the first is asked, and a soname: the compiler
# adds writable bytes of its own to every one of them.
set -eu
folder=$(cd "${1:?usage: check_symbols.sh FOLDER}" && pwd)
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
found=0
failed=0

# declared HEADER...: the functions that they declare
declared() { cat "$@" | tr '\n' ' ' | grep -o 'LIM_API [^(;]*(' | grep -o 'lim_[a-z0-9_]*($' | tr -d '(' | LC_ALL=C sort; }

for library in $(find "$folder" -name 'liblimber.a' -o -name 'liblimber_io.a' -o -name 'liblimber.so' -o -name 'liblimber_io.so' | sort); do
    found=$((found + 1))
    case $library in
    *liblimber_io.*) declared include/limber/io.h >"$scratch/declared" ;;
    *) declared $(find include/limber -name '*.h' ! -name io.h) >"$scratch/declared" ;;
    esac
    case $library in *.so) dynamic=-D ;; *) dynamic= ;; esac
    # shellcheck disable=SC2086
    nm -g $dynamic --defined-only "$library" 2>/dev/null | awk 'NF == 3 { print $3 }' | LC_ALL=C sort >"$scratch/shown"
    hidden=$(LC_ALL=C comm -13 "$scratch/declared" "$scratch/shown")
    if [ -n "$hidden" ]; then
        echo "symbols: $library shows names that no public header declares; make them static or hidden:"
        echo "$hidden" | sed 's/^/  /' | head -n 20
        failed=1
    fi
    absent=$(LC_ALL=C comm -23 "$scratch/declared" "$scratch/shown")
    if [ -n "$absent" ]; then
        echo "symbols: $library lacks functions that a public header declares; define them, with LIM_API:"
        echo "$absent" | sed 's/^/  /' | head -n 20
        failed=1
    fi
    if [ -n "$dynamic" ]; then
        version=$(sed -n 's/^#define LIM_VERSION_\(MAJOR\|MINOR\) //p' include/limber/base.h | paste -s -d .)
        if ! readelf -d "$library" | grep -q -F "[${library##*/}.$version]"; then
            echo "symbols: $library has another soname than ${library##*/}.$version"
            failed=1
        fi
        continue
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
    echo "symbols: no liblimber*.a or .so in $folder" >&2
    exit 1
fi
[ "$failed" -eq 0 ] && echo "symbols: ok, $found libraries"
exit "$failed"
