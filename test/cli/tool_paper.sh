#!/bin/sh
# SPDX-License-Identifier: MIT
# Entries of `limber paper` that take long: names of rows, and numbers that do not depend on the clock.
# Usage: tool_paper.sh LIMBER
set -u
limber=${1:?usage: tool_paper.sh LIMBER}
. "$(dirname "$0")/tool_kit.sh"

# here NAME: our number in the row of this name
here() { sed -n "/\"name\": \"$1\"/,/\"unit\"/s/^ *\"here\": \([^,]*\),\$/\1/p" json | head -n 1; }

# near ROW VALUE SHARE: what does not depend on the machine, within a share of what it is today
near() { holds "$(here "$1") > $2 - $3 * $2 && $(here "$1") < $2 + $3 * $2"; }
# quick enough, and a time at all: other programs may be busy, so that only the order of size counts
takes() { holds "$(here "$1") > $2 / 20 && $(here "$1") < $2 * 50"; }

"$limber" paper 000.fig1 --json -o fig1.png >json 2>err
check "000.fig1 runs" [ $? -eq 0 ]
check "000.fig1: a picture" [ -s fig1.png ]
check "about as many uniform nodes as in the paper" holds "$(here 'nodes, uniform') > 33000 && $(here 'nodes, uniform') < 37000"
check "nodes, adaptive" near 'nodes, adaptive' 1638 0.05
check "two cells across a finger" near 'finest cells across a finger' 2.12 0.02
check "summation nodes" near 'summation nodes per region, adaptive' 7.1 0.05
check "the deflection asked for" near 'pulled finger, uniform' 0.325 0.03
check "one finger alone" holds "$(here 'pulled tip over the other tips, adaptive') >= 10"
check "adaptive off uniform" holds "$(here 'pulled finger, adaptive off uniform') <= 0.05"
check "one region per node, adaptive off uniform" holds "$(here 'pulled finger, one region per node, adaptive off uniform') <= 0.06"
for turn in '' 'turned by 10 degrees: ' 'turned by 22.5 degrees: ' 'turned by 45 degrees: '; do
    for finger in 0 1 2 3 4; do
        off=$(here "${turn}finger $finger, adaptive off uniform")
        check "${turn}finger $finger" holds "$off > -0.02 && $off < 0.08"
    done
    check "${turn}mirror images" holds "$(here "${turn}mirror fingers apart") < $(here "${turn}mirror fingers apart, uniform") + 0.03"
done
check "least of the uniform body" near 'all fingers: least, uniform' 0.243 0.03
check "most of the uniform body" near 'all fingers: most, uniform' 0.325 0.03
check "the paper's count" holds "$(here "the paper's count, one region per node: nodes") <= 661"
check "the paper's count does not fold" holds "$(here "the paper's count, one region per node: finger 2 off uniform") < 0.6"
for kind in 'one region per node' 'our regions' 'printed step, scalar'; do
    check "$kind, share" holds "$(here "$kind: the same, fastest steps") > 0.7 && $(here "$kind: the same, fastest steps") < 5"
done

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
check "about 500 nodes" near 'nodes before' 503 0.1
check "more near the blade" near 'nodes after' 830 0.2
check "a skin of 20,000 triangles" near 'triangles of the skin before' 19980 0.05
check "the cut has faces" near 'triangles of the skin after' 21440 0.05
check "sweeps" near 'sweeps that cut an edge and ten triangles' 28 0.2
check "the paper's time" holds "$(here 'update of a sweep, median') > 0.5 && $(here 'update of a sweep, median') < 1000"
check "parts of an update" holds "$(here 'largest share of an update') > 0.25 && $(here 'largest share of an update') < 0.9"
check "no more than the longest" holds "$(here 'update of a sweep, median') <= $(here 'update of a sweep, most')"
check "the same sweeps" holds "$(here 'all runs made the same sweeps') == 1"

entry 000.fig5 -o dents.png
check "000.fig5: a picture" [ -s dents.png ]
check "a load of some times the yield" near 'weight on the pegs over the stress of yield' 6.64 0.1
check "a dent under load" near 'dent, loaded, share of the block' 0.160 0.15
check "a dent stays" near 'dent that stays, share of the block' 0.0834 0.15
check "plastic strain" near 'plastic strain of the skin, mean' 0.0998 0.2
check "of what has flowed" holds "$(here 'dent that stays without plasticity, share of the block') < 0.001"
check "volume" holds "$(here 'volume after over that before') > 0.99 && $(here 'volume after over that before') < 1.01"

entry 000.fig6 -o flowers.png
check "000.fig6: a picture" [ -s flowers.png ]
check "forty flowers" holds "$(here 'flowers') == 40"
check "about 5,680 nodes" near 'nodes before the touch' 5680 0.1
check "about 352 new nodes" holds "$(here 'new nodes at the touch') > 200 && $(here 'new nodes at the touch') < 450"
check "about as many by a grab" near 'spread: new nodes' 321 0.3
check "spread over steps" near 'spread: steps that it takes' 14 0.5
check "a petal bends, not refined" near 'not refined: the petal bends by' 51.2 0.2
check "the opposite one with it" near 'not refined: the opposite petal' 9.4 0.3
check "a petal bends, refined by touch" near 'refined by touch: the petal bends by' 52.3 0.2
check "the opposite one hardly" holds "$(here 'refined by touch: the opposite petal') < 0.5 * $(here 'not refined: the opposite petal')"
check "few nodes do it" near 'refined by touch: nodes' 537 0.25
check "cells come within some steps" holds "$(here 'refined by touch: steps until they are split') >= 3 && $(here 'refined by touch: steps until they are split') <= 8"
check "and go some time after the touch" near 'refined by touch: let go, as few again after' 0.633 0.2

entry 001.polar
check "as many sweeps as there are" holds "$(here 'twisted bar: Jacobi, cold, sweeps') > $(here 'twisted bar: Jacobi, warm, sweeps')"
check "our rotations" holds "$(here 'twisted bar: ours, largest error') <= 1e-5"
check "Jacobi's rotations" holds "$(here 'twisted bar: Jacobi, warm, largest error') <= 1e-4"
check "Jacobi, cold" near 'twisted bar: Jacobi, cold, sweeps' 2.05 0.15
check "our steps" near 'twisted bar: ours, Newton steps' 2 0.01
check "our time" takes 'twisted bar: ours, loads and transposes included' 7.5

entry 001.fig1 -o penguins.png
check "001.fig1: a picture" [ -s penguins.png ]
check "150 penguins" holds "$(here 'penguins') == 150"
check "about 9,900 triangles" holds "$(here 'triangles of each') > 9700 && $(here 'triangles of each') < 10100"
check "about 150 particles" holds "$(here 'particles of each') > 140 && $(here 'particles of each') < 160"
check "the same bits" holds "$(here 'same bits with 2 workers') == 1"

entry 001.fig2 -o smoothing.png
check "001.fig2: a picture" [ -s smoothing.png ]
check "w = 1: left" near 'w = 1: a node displaced: rms left after two steps' 0.165 0.1
check "w = 3: left" near 'w = 3: a node displaced: rms left after two steps' 0.0789 0.1
check "w = 1: steps" near 'w = 1: bent bar: steps until a tenth is left' 246 0.2
check "w = 3: steps" near 'w = 3: bent bar: steps until a tenth is left' 29 0.25
for wide in 2 3; do
    narrow=$((wide - 1))
    check "w = $wide smooths more" holds "$(here "w = $wide: a node displaced: rms left after two steps") < $(here "w = $narrow: a node displaced: rms left after two steps")"
    check "w = $wide returns sooner" holds "$(here "w = $wide: bent bar: steps until a tenth is left") < $(here "w = $narrow: bent bar: steps until a tenth is left")"
done

entry 000.fig4 -o fingers4.png
check "000.fig4: a picture" [ -s fingers4.png ]
while read -r width width_tip modulus_tip; do
    check "regions of $width cells" near "regions of $width cells: tip" "$width_tip" 0.12
    check "the modulus of $width cells" near "regions of $width cells: tip of a finger of that modulus" "$modulus_tip" 0.12
done <<EOF
1 30.8 32.5
1.5 16.1 22.6
2 8.86 15.1
3 4.56 7.49
4 1.88 4.52
EOF
check "stiff fingers by the beam's law" holds "$(here 'regions of 4 cells: tip of a finger of that modulus') < 1.05 * $(here "regions of 4 cells: tip by the beam's law") && $(here 'regions of 4 cells: tip of a finger of that modulus') > 0.95 * $(here "regions of 4 cells: tip by the beam's law")"
check "all of the modulus is got" holds "$(here 'by modulus: got over asked') > 0.97"

entry 001.fig5 -o parts.png
check "001.fig5: a picture" [ -s parts.png ]
check "001.fig5: nodes in the cube" near 'the region drawn: nodes in its cube' 215 0.1
check "001.fig5: steps do not jump the hole" near 'the region drawn: nodes that steps lead to' 193 0.1
check "001.fig5: additions by members" near 'additions per region, by members' 203.5 0.1
check "001.fig5: additions here" near 'additions per region here, windows or lists' 20.55 0.15

entry 001.fig3 -o bars.png
check "001.fig3: a picture" [ -s bars.png ]
check "linear: lengths" near 'linear: lengths off, rms' 0.3215 0.15
check "quadratic: lengths" near 'quadratic: lengths off, rms' 0.2386 0.15
check "lattice: lengths" near 'lattice: lengths off, rms' 0.1052 0.15
check "quadratic bends truer than linear" holds "$(here 'quadratic: lengths off, rms') < $(here 'linear: lengths off, rms')"
check "a lattice truer than both" holds "$(here 'lattice: lengths off, rms') < 0.6 * $(here 'quadratic: lengths off, rms')"

entry 001.fig4 -o sums.png
check "001.fig4: a plot" [ -s sums.png ]
for body in box 'figure, solid'; do
    check "$body, by members" takes "$body: by members, w = 3" 200
    check "$body, bars, plates, cubes" takes "$body: bars, plates, cubes, w = 3" 40
    check "$body, ours" takes "$body: ours, w = 3" 35
    check "$body: additions by members" near "$body: by members, slope of the additions far from borders" 2.49 0.05
    check "$body: additions of bars, plates and cubes" near "$body: bars, plates, cubes, slope of the additions far from borders" 0.83 0.05
done

entry 001.fig6 -o infant.png
check "001.fig6: a picture" [ -s infant.png ]
check "the infant has bones" holds "$(here 'infant with bones: steps per frame') == 3"
check "the infant crawls" near 'infant with bones: contacts with the ground' 94 0.4
for model in 'figure, solid' 'figure, shell'; do
    check "$model falls" holds "$(here "$model, before the impact: contacts with the ground") == 0"
    check "$model has hit the ground" near "$model, after the impact: contacts with the ground" 257 0.4
    check "$model: frames" holds "$(here "$model, after the impact: frames per second, 1 worker") > 2 && $(here "$model, after the impact: frames per second, 1 worker") < 5000"
done

entry 001.fracture -o torn_duck.png
check "001.fracture: a picture" [ -s torn_duck.png ]
check "links break" near 'links that broke' 62 0.3
check "no more in a step than are allowed" holds "$(here 'most links in a step (16 allowed)') >= 4 && $(here 'most links in a step (16 allowed)') <= 16"
check "over several steps" near 'steps that broke links' 18 0.5
check "sums before" near 'inputs per region before' 10.31 0.1
check "sums after" near 'inputs per region after' 10.66 0.1
check "the crack has faces" near 'triangles of the skin after, of the largest piece' 17660 0.15

entry 001.table1
while read -r nodes total sums model; do
    check "$model: particles" near "$model: particles" "$nodes" 0.1
    check "$model" takes "$model: total" "$total"
    check "$model, fast sum" takes "$model: fast sum" "$sums"
done <<EOF
154 0.010 0.0029 penguin
2164 0.19 0.085 figure, solid
1921 0.25 0.086 figure, shell
304 0.020 0.0060 infant
EOF
check "notes" grep -q '"notes"' json

entry 002.euler -o euler.png
check "002.euler: a plot" [ -s euler.png ]
check "explicit Euler grows" near 'explicit Euler, h^2 k . m = 0.16: amplification per step' 1.07703 0.0001
check "goals do not" near 'goals, alpha 1, whatever the spring: amplification per step' 1 0.00001

entry 002.alpha -o alpha.png
check "002.alpha: a plot" [ -s alpha.png ]
check "six steps at alpha 1" holds "$(here 'alpha 1.0: steps per period') > 5.999 && $(here 'alpha 1.0: steps per period') < 6.001"

entry 002.modes -o modes.png
check "002.modes: a picture" [ -s modes.png ]
check "rigid goals do not bend" near 'bend of 60 degrees: rigid goals are off by' 0.0427 0.1
check "quadratic goals follow" holds "$(here 'bend of 60 degrees: quadratic goals are off by') < 0.3 * $(here 'bend of 60 degrees: rigid goals are off by')"

entry 002.clusters -o clusters.png
check "002.clusters: a picture" [ -s clusters.png ]
check "8 clusters" near '8 clusters: points per cluster' 3338 0.1
check "64 clusters" near '64 clusters: points per cluster' 909 0.1
check "a cluster hangs" near '1 cluster: tip hangs by' 0.293 0.1
check "64 clusters hang" near '64 clusters: tip hangs by' 0.229 0.1

entry 002.recover -o recover.png
check "002.recover: a picture" [ -s recover.png ]
for state in flattened mirrored line point scrambled; do
    check "$state" near "$state, rigid goals, 8 clusters: back within 1 % after" 2.2 0.25
done

"$limber" paper 004.fig3 --json >json 2>err
check "004.fig3: regression inverts" holds "$(here 'wrinkles, stretched: linear regression') < -0.999"
check "004.fig3: ours does not" holds "$(here 'wrinkles, stretched: ours') == 0"
"$limber" paper 004.fig4 --json >json 2>err
check "004.fig4: vertices lower it" holds "$(here 'highest place, vertex blending') < 0.6"
check "004.fig4: stamps keep it" holds "$(here 'highest place, stamping') > 0.95"
"$limber" paper 004.fig6 --json -o fig6.png >json 2>err
check "004.fig6 runs" [ $? -eq 0 ]
check "004.fig6: a picture" [ -s fig6.png ]
check "004.fig6: few megabytes" holds "$(here 'data') <= 8"
check "004.fig6: at most half of the error is left" holds "$(here 'held-out poses: ratio') <= 0.5"
"$limber" paper 004.fig7 --json >json 2>err
check "004.fig7: at most half of the error is left" holds "$(here 'held-out poses: ratio') <= 0.5"
entry 004.fig8
entry 004.table1
entry 004.examples

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
