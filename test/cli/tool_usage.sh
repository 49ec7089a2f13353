#!/bin/sh
# SPDX-License-Identifier: MIT
# What the tool says and how it exits: help, wrong usage, bad files. Usage: tool_usage.sh LIMBER
set -u
limber=${1:?usage: tool_usage.sh LIMBER}
. "$(dirname "$0")/tool_kit.sh"

# expect STATUS STREAM TEXT ARGUMENTS...: the exit code, and a text on `out` or `err`. The other
# stream must be empty when the tool fails.
expect() {
    status=$1
    stream=$2
    text=$3
    shift 3
    "$limber" "$@" >out 2>err
    result=$?
    other=$([ "$stream" = out ] && echo err || echo out)
    if [ "$result" -eq "$status" ] && grep -q -F -e "$text" "$stream" && { [ "$status" -eq 0 ] || [ ! -s "$other" ]; }; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL limber $*: exit $result, wanted $status with '$text' on $stream"
        sed 's/^/  out: /' out | head -n 5
        sed 's/^/  err: /' err | head -n 5
    fi
}

# help and version
expect 0 out "usage: limber COMMAND" --help
expect 0 out "usage: limber COMMAND" help
expect 0 out "limber 0.1.0" --version
for command in run list info bench paper; do
    expect 0 out "usage: limber $command" "$command" --help
    expect 0 out "--json" "$command" -h
done
expect 2 err "usage: limber COMMAND"
expect 0 out "limber run mine.obj -o mine.png" --help
expect 0 out "usage: limber run" help run
expect 2 err "no command 'rnu'" help rnu
expect 2 err "'--json' stands where a command belongs" --json
expect 2 err "-o needs a value: -o FILE" run creature -o --json
expect 2 err "-o needs a value: -o FILE" run creature -o ""

# wrong usage
expect 2 err "no command 'rnu'; did you mean run?" rnu
expect 2 err "no command 'xyzzy'; limber --help lists them" xyzzy
expect 2 err "no option '--frame'; did you mean --frames?" run creature --frame 3
expect 2 err "no option '--zzzzzzzz'; --help lists them" run creature --zzzzzzzz
expect 2 err "the scene or mesh is missing" run
expect 2 err "one word too many" run creature creature
expect 2 err "one word too many" bench step creature
expect 2 err "no such case of bench cost" bench cost nosuch
expect 0 out "1024" bench cost rotation
expect 2 err "--frames needs a value" run creature --frames
expect 2 err "out of range; it takes 1 to" run creature --frames 0
expect 2 err "takes a number, not 'many'" run creature --frames many
expect 2 err "takes WIDTHxHEIGHT" run creature --size 640
expect 2 err "give one of them" run creature --frames 3 --seconds 1
expect 2 err "give one of them" run creature --seconds 3 --at 1
expect 2 err "out of range" run creature --at -1
expect 2 err "--material 'cheese' is not known" run creature --material cheese
expect 2 err "--widen 'maybe' is not known" run creature --widen maybe
expect 0 out "clay" list
expect 2 err "--overlay 'bones' is not known" run creature --overlay nodes,bones
expect 2 err "--region is for --overlay region" run creature --region 0,0,0
expect 2 err "--region is for --overlay region" run creature --overlay cells --region 0,0,0
expect 2 err "--region takes X,Y,Z in metres, not '1,2'" run creature --overlay region --region 1,2
expect 2 err "--region takes X,Y,Z in metres" run creature --overlay region --region 1,2,3,4
expect 2 err "--region takes X,Y,Z in metres" run creature --overlay region --region 1,nan,3
expect 2 err "no such kind of file" run creature -o creature.xyz
expect 2 err "the folder ./nowhere does not exist" run creature -o ./nowhere/creature.png
expect 2 err "did you mean creature?" run cretaure
expect 2 err "\`limber list\` names them" run something_else_entirely
expect 2 err "no model or mesh file" info something_else_entirely
expect 2 err "the mesh or model is missing" info
expect 2 err "a picture of a sampling is a .png" info block -o block.glb
expect 2 err "the folder ./nowhere does not exist" info block -o ./nowhere/block.png
expect 2 err "out of range; it takes 0 to 10" info block --coarsen 11
expect 2 err "out of range; it takes 24 to 65536" info block --batches 23
expect 2 err "--kind 'lettuce' is not known; it takes octree, lattice, points or hex" run creature --kind lettuce
expect 2 err "--kind 'lettuce' is not known" info creature --kind lettuce
expect 2 err "--kind needs a value" run creature --kind
expect 2 err "no bench 'speed'" bench speed
expect 2 err "what to measure" bench
expect 2 err "no paper entry '000.stop'; did you mean 000.step?" paper 000.stop
expect 2 err "-o is for an entry with a picture" paper 000.step -o step.png
expect 2 err "-o is for an entry with a picture" paper -o list.png
expect 2 err "a picture of a paper is a .png" paper 000.fig2 -o fig2.glb
expect 2 err "the folder ./nowhere does not exist" paper 000.fig2 -o ./nowhere/fig2.png
expect 0 out "n_c is opened" paper 000.fig2 -o fig2.png
expect 0 out '"n_b, largest distance"' paper 000.fig2 --json
if [ ! -s fig2.png ]; then
    failed=$((failed + 1))
    echo "FAIL limber paper 000.fig2 -o fig2.png: no file"
fi

# files
expect 1 err "limber: missing.obj" run missing.obj
expect 1 err "limber: missing.obj: could not be opened" run missing.obj
expect 1 err "limber: missing.json" run missing.json
mkdir folder folder.obj folder.json folder.png
echo text >notes.txt
expect 1 err "folder.obj: could not be read: Is a directory; name a file that can be read, not a folder" run folder.obj
expect 1 err "name a file that can be read, not a folder" run folder.json
expect 2 err "limber: folder: is a folder, name a file in it; mesh files end in .obj" run folder
expect 2 err "limber: notes.txt: this kind of file is not read, export it as another; mesh files end in .obj" run notes.txt
expect 2 err "limber: notes.txt: this kind of file is not read" info notes.txt
expect 2 err "'missing.json' is a scene; this takes a mesh file" info missing.json
expect 2 err "'pile' is a scene" info pile
for kind in obj ply stl off gltf glb; do
    : >empty.$kind
    expect 1 err "limber: empty.$kind: the file is empty; export it again" run empty.$kind
done
expect 2 err "folder.png: is a folder" run creature -o folder.png
expect 2 err "notes.txt/x.png: the folder notes.txt is a file; choose another folder" run creature -o notes.txt/x.png
expect 2 err "-o twice.png is given twice" run block -o twice.png -o twice.png
printf '{ "limber": 1, "duration": 0.05, "bodies": [{"model": "block", "nodes": 60}] }' >own.json
expect 2 err "own.json: is the file that is read" run own.json -o own.json
expect 0 out "final_speed" run own.json --json --quiet --size 32x32 -o LOUD.PNG
# what cannot be written does not keep the rest from being written
mkdir part_0001.obj
expect 1 err "limber: part_0001.obj: cannot be opened for writing" run own.json --quiet -o part.obj -o part.glb
if [ ! -s LOUD.PNG ] || [ ! -s part.glb ]; then
    failed=$((failed + 1))
    echo "FAIL files that should be written"
fi
# without ffmpeg, and without the right to write: told before the run
(
    PATH=$scratch/folder
    "$limber" run block --quiet -o film.mp4 2>err
    [ $? -eq 2 ] || exit 1
) && grep -q "film.mp4: movies need the program ffmpeg, which is not there; install it" err || {
    failed=$((failed + 1))
    echo "FAIL no ffmpeg"
}
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
    chmod 755 "$scratch"
    echo kept >kept.png
    chmod 444 kept.png
    nobody "$limber" run block -o kept.png 2>err
    if [ $? -ne 2 ] || ! grep -q "the folder . cannot be written to; choose another" err; then
        failed=$((failed + 1))
        echo "FAIL a folder without the right to write"
    fi
    mkdir shared && chmod 777 shared && mv kept.png shared
    nobody "$limber" run block -o shared/kept.png 2>err
    if [ $? -ne 2 ] || ! grep -q "shared/kept.png: is there already and cannot be written to" err; then
        failed=$((failed + 1))
        echo "FAIL a file without the right to write"
    fi
fi
printf 'v 0 0 0\nv 1e18 0 0\nv 0 1e18 1e18\nf 1 2 3\n' >wide.obj
expect 0 out "final_speed" run wide.obj --json --quiet --seconds 0.1
expect 1 err "limber: missing.ply" info missing.ply
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n' >bad.obj
expect 1 err "limber: bad.obj:4:" run bad.obj
expect 1 err "limber: bad.obj:4:" info bad.obj
printf 'v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n' >line.obj
expect 1 err "limber: line.obj" run line.obj
: >empty.json
expect 1 err "limber: empty.json: the file is empty" run empty.json
printf '{\n  "limber": 1, "bodies": [\n    {"model": "creature", "colr": 3}\n  ]\n}\n' >slip.json
expect 1 err "limber: slip.json:3:" run slip.json
printf '{ "bodies": [' >cut.json
expect 1 err "limber: cut.json:1:" run cut.json
printf '{ "limber": 1, "bodies": [ {"mesh": "gone.obj"} ] }' >gone.json
expect 1 err "gone.obj" run gone.json
block='{ "limber": 1, "duration": 0.05, "bodies": [{"name": "a", "model": "block", "nodes": 60}],'
printf '%s\n"colliders": [{"shape": "hull", "points": [[0,0,0], [1,0,0], [0,1,0], [1,1,0]]}]}' "$block" >flat.json
expect 1 err 'limber: flat.json:2:15: collider "collider 1" could not be made: points of the hull lie in about one plane; give at least four that do not' run flat.json --quiet
printf '%s\n"actions": [{"type": "split", "body": "a", "at": 5}]}' "$block" >late.json
expect 0 err "warning: late.json:2:13: action 1 begins at 5 s, and the scene ends at 0.05 s: it never acts" run late.json
expect 0 err "warning: late.json:2:13: action 1 begins at 5 s" run late.json --json --quiet
if [ "$(wc -l <err)" -ne 1 ]; then
    failed=$((failed + 1))
    echo "FAIL limber run late.json --quiet: says more than the warning"
fi
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 1 2\nf 1 2\nf 2 3\n' >mended.obj
expect 0 err "warning: mended.obj:6:" run mended.obj --nodes 50 --frames 1 --quiet
expect 0 err "warning: mended.obj: mended in 3 places in all" run mended.obj --nodes 50 --frames 1 --quiet
blade='"blade": [{"from": [0,2,-2], "to": [0,2,2]}, {"from": [0,-2,-2], "to": [0,-2,2]}]'
printf '%s\n"actions": [{"type": "cut", "body": "a", "move_time": 5, %s}]}' "$block" "$blade" >slow.json
expect 0 err "warning: slow.json:2:13: action 1 cuts until 5 s, and the scene ends at 0.05 s: the blade stops on its way" run slow.json
printf '%s\n"actions": [{"type": "cut", "body": "a", "at": 0.02, "move_time": 0.02, %s},\n{"type": "cut", "body": "a", "move_time": 0.03, %s}]}' "$block" "$blade" "$blade" >both.json
expect 0 err "warning: both.json:3:1: action 2 cuts from 0 to 0.03 s, action 1 the same body from 0.02 to 0.04 s" run both.json
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n' >open.obj
printf '{ "limber": 1, "duration": 0.05, "bodies": [{"name": "a", "mesh": "open.obj", "anchor": "origin", "nodes": 60}],\n"actions": [{"type": "cut", "body": "a", "blade": [{"from": [0.3, 2, -1], "to": [0.3, 2, 2]}, {"from": [0.3, -1, -1], "to": [0.3, -1, 2]}]}]}' >open.json
expect 1 err "limber: open.json:2:13: action 1 at 0 s failed: the skin is not closed" run open.json --quiet

# lists
expect 0 out "creature" list
expect 0 out '"models": [' list --json
expect 0 out "000.step" paper
expect 0 out "000.fig1" paper
expect 0 out "000.patch" paper
expect 2 err "-o is for an entry with a picture" paper 000.patch -o patch.png
expect 0 out '"001.polar"' paper --json
expect 0 out "001.table1" paper
expect 0 out "w = 3: bent bar" paper 001.fig2 --quick

# a disk that is full: nothing is done that was not written
if [ -w /dev/full ]; then
    for words in list --help --version "list --json" "paper"; do
        # shellcheck disable=SC2086
        if "$limber" $words >/dev/full 2>err || ! grep -q "could not be written" err; then
            failed=$((failed + 1))
            echo "FAIL limber $words >/dev/full: taken for done"
        else
            passed=$((passed + 1))
        fi
    done
    ln -s /dev/full full.json
    expect 1 err "limber: full.json: cannot be written" run bar --nodes 50 --frames 1 --quiet -o full.json
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
