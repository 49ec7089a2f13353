#!/bin/sh
# SPDX-License-Identifier: MIT
# Counts the instructions of the cases of `limber bench cost` and sets them beside bench/cost.tsv.
#
#   cost.sh LIMBER [CASE...]           the table and fresh counts
#   cost.sh LIMBER --check [CASE...]   fails where a count is more than 3 % above the table
#   cost.sh LIMBER --update            writes the table
#
# Counted is what runs inside cost_measured (cli/cost_measured.c) of the program itself: what the C
# library is asked for differs from machine to machine. Valgrind shows programs the same processor
# on every machine with AVX2, so the counts are the same there. They are of one major version of one
# compiler, which the table names: with another one --check says so and ends with 77, as it does
# without valgrind or AVX2.
set -eu
limber=${1:?usage: cost.sh LIMBER [--check|--update] [CASE...]}
shift
root=$(cd "$(dirname "$0")/.." && pwd)
table=${COST_TABLE:-$root/bench/cost.tsv}
what=show
case ${1:-} in
--check | --update)
    what=${1#--}
    shift
    ;;
esac
if [ "$what" = update ] && [ $# -gt 0 ]; then
    echo "cost.sh: --update writes the whole table, so it takes no case" >&2
    exit 2
fi
if ! command -v valgrind >/dev/null 2>&1; then
    echo "cost.sh: no valgrind, so nothing is counted" >&2
    exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# One profile per case: callgrind writes one whenever the function has been left.
if ! valgrind -q --tool=callgrind --callgrind-out-file="$scratch/out" --toggle-collect=cost_measured \
    --dump-after=cost_measured --compress-pos=no --compress-strings=no \
    "$limber" bench cost "$@" >"$scratch/cases" 2>"$scratch/err"; then
    cat "$scratch/err" >&2
    exit 1
fi
made=$(sed -n 's/^# //p' "$scratch/cases")
some=$#
case $made in
*", validation") # models and edits are left out
    made=${made%, validation}
    some=1
    if [ "$what" = update ]; then
        echo "cost.sh: the table is of a build without validation" >&2
        exit 2
    fi
    ;;
esac
case $made in
*avx2) ;;
*)
    echo "cost.sh: counts are of AVX2 code, and this is $made" >&2
    exit 77
    ;;
esac

# What functions of the program cost by themselves; a line behind `calls=` is what was called, with all
# that this calls. Of a whole step also its parts, by those: the C library's share is in them.
parts='
    search body_find_contacts
    matching match_step match_affine
    contact contact_measure contact_limit_velocity contact_hold_velocity contact_solve_position contact_left
    contact contact_clear contact_grip_begin contact_grip_settle contact_grip_end contact_finish
    skin skin_prepare skin_deform contact_clear_skin'
n=0
tab=$(printf '\t')
grep -v '^#' "$scratch/cases" | while IFS=$tab read -r name unit units _; do
    n=$((n + 1))
    case $name in
    creature_at_rest) of_step=$parts ;;
    *) of_step= ;;
    esac
    awk -v program="/${limber##*/}" -v name="$name" -v unit="$unit" -v units="$units" \
        -v parts="$(echo "$of_step" | tr '\n' ';')" '
        function row(name, sum) { printf "%s\t%s\t%.1f\t%.0f\n", name, unit, sum / units, sum }
        BEGIN {
            for (i = split(parts, line, ";"); i > 0; i--) {
                for (k = split(line[i], word, " "); k > 1; k--) part[word[k]] = word[1]
            }
        }
        /^ob=/ { own = substr($0, length($0) - length(program) + 1) == program; next }
        /^cfn=/ { callee = substr($0, 5); next }
        /^calls=/ { called = 1; next }
        /^[0-9]/ {
            if (!called && own) sum += $2
            if (called && callee in part) of[part[callee]] += $2
            called = 0
        }
        END {
            row(name, sum)
            count = split("search matching contact skin", some, " ")
            for (i = 1; i <= count; i++) {
                if (some[i] in of) row(name "." some[i], of[some[i]])
            }
        }' "$scratch/out.$n"
done >"$scratch/counts"

if [ "$what" = update ]; then
    {
        echo "# $made"
        echo "# Instructions of the cases of limber bench cost, by tools/cost.sh --update."
        printf '# case\tunit\tper unit\ttotal\n'
        cat "$scratch/counts"
    } >"$table"
    echo "Written: $table"
    exit 0
fi

of=$(sed -n '1s/^# //p' "$table")
if [ "$what" = check ] && [ "$made" != "$of" ]; then
    echo "cost.sh: the table is of $of, and this is $made: nothing is compared" >&2
    exit 77
fi
[ "$made" = "$of" ] || echo "The table is of $of, this is $made."
awk -F '\t' -v check="$what" -v some="$some" '
    /^#/ { next }
    FNR == NR { before[$1] = $4; next }
    FNR == 1 { printf "%-22s %12s %12s %7s %9s   per\n", "case", "table", "now", "ratio", "now" }
    !($1 in before) {
        printf "%-22s is not in the table: ./x bench cost --update\n", $1
        failed++
        next
    }
    {
        ratio = $4 / before[$1]
        word = ratio > 1.03 ? sprintf("  ABOVE the table by %.1f %%", 100 * (ratio - 1)) : \
            ratio < 0.97 ? sprintf("  below by %.1f %%: the table can be lowered", 100 * (1 - ratio)) : ""
        printf "%-22s %12.0f %12.0f %7.3f %9.1f   %s%s\n", $1, before[$1], $4, ratio, $3, $2, word
        failed += ratio > 1.03
        delete before[$1]
    }
    END {
        for (name in before) {
            if (some == 0) {
                printf "%-22s is in the table and was not counted: ./x bench cost --update\n", name
                failed++
            }
        }
        exit check == "check" && failed > 0
    }' "$table" "$scratch/counts"
