#!/bin/sh
# SPDX-License-Identifier: MIT
# Entries of `limber paper` that take long: names of rows, and numbers that do not depend on the clock.
# Usage: tool_paper.sh LIMBER
set -u
limber=${1:?usage: tool_paper.sh LIMBER}
. "$(dirname "$0")/tool_kit.sh"

# here NAME: our number in the row of this name
here() { sed -n "/\"name\": \"$1\"/,/\"unit\"/s/^ *\"here\": \([^,]*\),\$/\1/p" json | head -n 1; }

"$limber" paper 000.fig1 --json -o fig1.png >json 2>err
check "000.fig1 runs" [ $? -eq 0 ]
check "000.fig1: a picture" [ -s fig1.png ]
check "about as many uniform nodes as in the paper" holds "$(here 'nodes, uniform') > 33000 && $(here 'nodes, uniform') < 37000"
check "at most the paper's nodes" holds "$(here 'nodes, adaptive') <= 661"
check "node ratio" holds "$(here 'node ratio') >= 45"
check "two cells across a finger" holds "$(here 'finest cells across a finger') >= 2"
check "summation nodes" holds "$(here 'summation nodes per region, adaptive') <= 7"
check "the deflection asked for" holds "$(here 'pulled finger, uniform') > 0.2 && $(here 'pulled finger, uniform') < 0.4"
check "one finger alone" holds "$(here 'pulled tip over the other tips, adaptive') >= 10"
check "adaptive off uniform" holds "$(here 'pulled finger, adaptive off uniform') <= 0.05"
for kind in 'one region per node' 'our regions' 'printed step, scalar'; do
    check "$kind" holds "$(here "$kind: time ratio") > 0"
    check "$kind, share" holds "$(here "$kind: time ratio over node ratio") > 0"
done
check "shares" holds "$(here 'printed step, uniform: share of rotations') < 1"

"$limber" paper 000.patch --json >json 2>err
check "000.patch runs" [ $? -eq 0 ]
for width in 1 1.5 2 4; do
    check "blended regions, width $width" holds "$(here "blended regions, width $width") <= 0.01"
    check "exact balls, width $width" holds "$(here "exact balls, width $width") <= 0.01"
done
check "blocks show" holds "$(here 'interval regions, width 1.5') > 0.04"
check "a jump, 1 own cell" holds "$(here 'level jump, blended regions, width 1 own cell') <= 0.02"
for width in 2 4; do
    check "a jump, $width finest cells" holds "$(here "level jump, blended regions, width $width finest cells") <= 0.02"
    check "a jump, own cells, $width" holds "$(here "level jump, blended regions, width $width own cells") < $(here "level jump, interval regions, width $width own cells")"
done

# Quick forms: rows and what does not depend on the clock.
entry() {
    id=$1
    shift
    "$limber" paper "$id" --quick --json "$@" >json 2>err
    check "$id runs" [ $? -eq 0 ]
}

entry 000.fig3 -o cuts.png
check "000.fig3: a picture" [ -s cuts.png ]
check "about 500 nodes" holds "$(here 'nodes before') > 400 && $(here 'nodes before') < 600"
check "more near the blade" holds "$(here 'nodes after') > $(here 'nodes before')"
check "a skin of 20,000 triangles" holds "$(here 'triangles of the skin before') > 18000"
check "sweeps" holds "$(here 'sweeps that cut an edge and ten triangles') >= 10"
check "an update takes time" holds "$(here 'update of a sweep, p99') > 0"
check "the same sweeps" holds "$(here 'all runs made the same sweeps') == 1"

entry 000.fig5 -o dents.png
check "000.fig5: a picture" [ -s dents.png ]
check "a load of twice the yield" holds "$(here 'weight on the pegs over the stress of yield') >= 2"
check "a dent stays" holds "$(here 'dent that stays, share of the block') >= 0.05"
check "of what has flowed" holds "$(here 'dent that stays without plasticity, share of the block') < 0.001"
check "volume" holds "$(here 'volume after over that before') > 0.99 && $(here 'volume after over that before') < 1.01"

entry 000.fig6 -o flowers.png
check "000.fig6: a picture" [ -s flowers.png ]
check "forty flowers" holds "$(here 'flowers') == 40"
check "about 5,680 nodes" holds "$(here 'nodes before the touch') > 5000 && $(here 'nodes before the touch') < 6400"
check "about 352 new nodes" holds "$(here 'new nodes at the touch') > 150 && $(here 'new nodes at the touch') < 700"
check "spread over steps" holds "$(here 'spread: steps that it takes') > 1"

entry 001.polar
check "as many sweeps as there are" holds "$(here 'twisted bar: Jacobi, cold, sweeps') > $(here 'twisted bar: Jacobi, warm, sweeps')"
check "our rotations" holds "$(here 'twisted bar: ours, largest error') <= 1e-5"
check "Jacobi's rotations" holds "$(here 'twisted bar: Jacobi, warm, largest error') <= 1e-4"
check "our time" holds "$(here 'twisted bar: ours, loads and transposes included') > 0"

entry 001.fig1 -o penguins.png
check "001.fig1: a picture" [ -s penguins.png ]
check "150 penguins" holds "$(here 'penguins') == 150"
check "about 9,900 triangles" holds "$(here 'triangles of each') > 9700 && $(here 'triangles of each') < 10100"
check "about 150 particles" holds "$(here 'particles of each') > 140 && $(here 'particles of each') < 160"
check "the same bits" holds "$(here 'same bits with 2 workers') == 1"

entry 001.fig2 -o smoothing.png
check "001.fig2: a picture" [ -s smoothing.png ]
for wide in 2 3; do
    narrow=$((wide - 1))
    check "w = $wide smooths more" holds "$(here "w = $wide: a node displaced: rms left after two steps") < $(here "w = $narrow: a node displaced: rms left after two steps")"
    check "w = $wide returns sooner" holds "$(here "w = $wide: bent bar: steps until a tenth is left") < $(here "w = $narrow: bent bar: steps until a tenth is left")"
done

entry 000.fig4 -o fingers4.png
check "000.fig4: a picture" [ -s fingers4.png ]
check "a finger twice as stiff bends half as far" holds "$(here 'modulus 40 kPa: tip over that of the softest') < 0.6"
check "the stiffest least" holds "$(here 'modulus 320 kPa: tip') < 0.1 * $(here 'modulus 20 kPa: tip')"
check "wider regions are stiffer" holds "$(here 'regions of 2 cells: tip') < 0.7 * $(here 'regions of 1 cells: tip')"

entry 001.fig5 -o parts.png
check "001.fig5: a picture" [ -s parts.png ]
check "001.fig5: steps do not jump the hole" holds "$(here "the region drawn: nodes that steps lead to") < $(here "the region drawn: nodes in its cube")"

entry 001.fig3 -o bars.png
check "001.fig3: a picture" [ -s bars.png ]
check "quadratic bends truer than linear" holds "$(here 'quadratic: lengths off, rms') < $(here 'linear: lengths off, rms')"
check "a lattice truer than both" holds "$(here 'lattice: lengths off, rms') < 0.6 * $(here 'quadratic: lengths off, rms')"

entry 001.fig4 -o sums.png
check "001.fig4: a plot" [ -s sums.png ]
for body in box 'figure, solid'; do
    for way in 'by members' 'bars, plates, cubes' ours; do
        check "$body, $way" holds "$(here "$body: $way, w = 3") > 0"
    done
done

entry 001.fig6 -o infant.png
check "001.fig6: a picture" [ -s infant.png ]
check "the infant has bones" holds "$(here 'infant with bones: steps per frame') == 3"

entry 001.fracture -o torn_duck.png
check "001.fracture: a picture" [ -s torn_duck.png ]
check "links break" holds "$(here 'links that broke') > 40"
check "no more in a step than are allowed" holds "$(here 'most links in a step (16 allowed)') <= 16"
check "over several steps" holds "$(here 'steps that broke links') > 4"

entry 001.table1
for model in penguin 'figure, solid' 'figure, shell' infant; do
    check "$model" holds "$(here "$model: total") > 0"
    check "$model, fast sum" holds "$(here "$model: fast sum") > 0"
done
check "notes" grep -q '"notes"' json

entry 002.euler -o euler.png
check "002.euler: a plot" [ -s euler.png ]
check "explicit Euler grows" holds "$(here 'explicit Euler, h^2 k . m = 0.16: amplification per step') > 1.07"
check "goals do not" holds "$(here 'goals, alpha 1, whatever the spring: amplification per step') < 1.00001"

entry 002.alpha -o alpha.png
check "002.alpha: a plot" [ -s alpha.png ]
check "six steps at alpha 1" holds "$(here 'alpha 1.0: steps per period') > 5.999 && $(here 'alpha 1.0: steps per period') < 6.001"

entry 002.modes -o modes.png
check "002.modes: a picture" [ -s modes.png ]
check "quadratic goals follow" holds "$(here 'bend of 60 degrees: quadratic goals are off by') < 0.3 * $(here 'bend of 60 degrees: rigid goals are off by')"

entry 002.clusters -o clusters.png
check "002.clusters: a picture" [ -s clusters.png ]
check "64 clusters" holds "$(here '64 clusters: points per cluster') < $(here '8 clusters: points per cluster')"

entry 002.recover -o recover.png
check "002.recover: a picture" [ -s recover.png ]
for state in flattened mirrored line point scrambled; do
    check "$state" holds "$(here "$state, rigid goals, 8 clusters: back within 1 % after") < 20"
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
