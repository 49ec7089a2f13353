#!/bin/sh
# SPDX-License-Identifier: MIT
# `limber train`: a file that `limber run --detail` takes; twice the same bytes, also after Ctrl-C;
# wrong words. Usage: tool_train.sh LIMBER
set -u
limber=${1:?usage: tool_train.sh LIMBER}
. "$(dirname "$0")/tool_kit.sh"

cat >press.json <<'TEXT'
{"limber": 1, "ground": false, "duration": 1,
 "bodies": [{"name": "b", "model": "block", "triangles": 1500, "kind": "lattice", "nodes": 150, "size": 0.4,
             "material": {"density": 1000, "young": 30000}}],
 "pins": [{"body": "b", "shape": "box", "size": [1, 0.2, 1], "position": [0, 0, 0]}],
 "colliders": [{"name": "tool", "shape": "sphere", "radius": 0.05, "position": [0, 0.46, 0], "velocity": [0, -0.1, 0]}],
 "training": {"tool": "tool", "poses": 12, "depth": 0.04, "stamp": 0.12, "reach": 0.15, "angle": 20, "held_out": 2,
              "shell": {"thickness": 0.005, "young": 50000, "poisson": 0.4, "bulk": 100000}}}
TEXT

"$limber" train press.json -o a.lim >out 2>err
check "it trains" [ $? -eq 0 ]
check "it tells of its examples" grep -q "^examples  *1[0-2] of 12 poses" out
check "and how good they are" grep -q "^held out  *2 poses that were not learnt" out
"$limber" train press.json -o b.lim --workers 2 --quiet >out 2>err
check "quiet says nothing" [ ! -s out ]
check "the same bytes" cmp -s a.lim b.lim
"$limber" train press.json -o c.lim --budget 0.1 --held-out 0 >out 2>err
check "the budget is kept" [ "$(wc -c <c.lim)" -le 100000 ]
check "and told" grep -q "^budget  *[1-9][0-9]* examples" out

"$limber" run press.json --detail a.lim -o rich.obj --at 0.8 --quiet >out 2>err
check "a run takes it" [ $? -eq 0 ]
"$limber" run press.json -o plain.obj --at 0.8 --quiet >out 2>err
cat rich*.obj >rich
cat plain*.obj >plain
check "and shows it" sh -c '! cmp -s rich plain'
"$limber" run press.json --detail a.lim --nodes 80 --quiet >out 2>err
check "of another model: refused" [ $? -eq 1 ]
check "with a reason" grep -q "trained on another model" err
"$limber" run press.json --detail none.lim --quiet >out 2>err
check "no file: refused" grep -q "none.lim: cannot be read" err

"$limber" train press.json >out 2>err
check "no -o: usage" [ $? -eq 2 ]
"$limber" train creature -o d.lim >out 2>err
check "no training: failed" [ $? -eq 1 ]
check "and where to read" grep -q 'has no "training"' err

# Ctrl-C, and on from there
if setsid env --default-signal=INT true 2>/dev/null; then
    setsid env --default-signal=INT "$limber" train press.json -o e.lim --poses 60 --held-out 0 >out 2>err &
    job=$!
    tries=0
    until grep -q "training 25" err || [ "$tries" -ge 600 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    kill -s INT -- "-$job"
    wait "$job"
    check "interrupted: 130" [ $? -eq 130 ]
    check "what is done is kept" [ -s e.lim.part ]
    check "and written" [ -s e.lim ]
    cp e.lim part.lim
    "$limber" train press.json -o e.lim --poses 60 --held-out 0 >out 2>err
    check "it goes on" grep -q "goes on from e.lim.part" err
    check "to the end" [ ! -e e.lim.part ]
    "$limber" train press.json -o f.lim --poses 60 --held-out 0 --workers 2 >out 2>err
    check "the same bytes as at once" cmp -s e.lim f.lim
    check "more than before" sh -c '! cmp -s e.lim part.lim'
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
