#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs of the tool: reports, files, the same hash for any number of workers. Usage: tool_run.sh LIMBER
set -u
limber=${1:?usage: tool_run.sh LIMBER}
. "$(dirname "$0")/tool_kit.sh"

# value KEY FILE: the number or text of the first line that holds the key
value() { sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" "$2" | head -n 1; }
begins() { [ "$(head -c "$2" "$1" | od -An -tx1 | tr -d ' \n')" = "$3" ]; }
big32() { od -An -j "$2" -N 4 -tu1 "$1" | awk '{ print (($1 * 256 + $2) * 256 + $3) * 256 + $4 }'; }
# size FILE WIDTH HEIGHT: of a PNG
size() { [ "$(big32 "$1" 16)" -eq "$2" ] && [ "$(big32 "$1" 20)" -eq "$3" ]; }
little32() { od -An -j "$2" -N 4 -tu4 "$1" | tr -d ' '; }

# a tiny scene with everything a file can ask of the tool
cat >tiny.json <<'TEXT'
{
  "limber": 1,
  "about": "a block falls",
  "duration": 0.5,
  "bodies": [{"model": "block", "nodes": 100, "position": [0, 0.3, 0]}]
}
TEXT
"$limber" run tiny.json --fps 20 --size 64x48 --json -o sheet.png -o film.glb -o skin.obj -o skin.ply -o report.json \
    >json 2>err
check "a tiny scene runs" [ $? -eq 0 ]
check "the report is a file too" [ "$(value hash json)" = "$(value hash report.json)" ]
check "the scene's name" [ "$(value scene json)" = "tiny.json" ]
check "seconds" holds "$(value seconds json) > 0.49 && $(value seconds json) < 0.51"
check "nodes" holds "$(value nodes json) > 20 && $(value nodes json) < 500"
check "a step takes time" holds "$(value ms_per_step json) > 0"
check "it deforms" holds "$(value peak_strain json) > 0"
check "a hash of 16 digits" [ "$(value hash json | tr -d '0-9a-f' | wc -c)" -eq 1 ]
check "a PNG" begins sheet.png 8 89504e470d0a1a0a
check "a GLB" begins film.glb 4 676c5446
check "a GLB of its own length" [ "$(little32 film.glb 8)" -eq "$(wc -c <film.glb | tr -d ' ')" ]
check "a series of 11 OBJ files" [ "$(ls skin_*.obj | wc -l)" -eq 11 ]
check "a series of 11 PLY files" [ "$(ls skin_*.ply | wc -l)" -eq 11 ]
check "the series moves" [ "$(cksum <skin_0001.obj)" != "$(cksum <skin_0011.obj)" ]
first=$(value hash json)

"$limber" run tiny.json --workers 2 --json --quiet >json 2>err
check "two workers, the same hash" [ "$(value hash json)" = "$first" ]
check "quiet is quiet" [ ! -s err ]
"$limber" run tiny.json --young 3000 --json --quiet >json 2>err
check "a softer block, another hash" [ "$(value hash json)" != "$first" ]
"$limber" run block --young 1e7 --seconds 0.1 --json --quiet >json 2>err
check "a stiff block, wide regions" holds "$(value region_width json) > 2"
"$limber" run block --young 1e7 --widen no --seconds 0.1 --json --quiet >json 2>err
check "left as they are" holds "$(value region_width json) == 1"
"$limber" run block --material stiff --seconds 0.1 >table 2>err
check "one line about it" [ "$(grep -c 'lim_model_create: regions of' err)" -eq 1 ]
"$limber" run tiny.json --frames 3 --fps 20 --json --quiet >json 2>err
check "three frames are 0.15 s" holds "$(value seconds json) > 0.14 && $(value seconds json) < 0.16"
"$limber" run tiny.json --seconds 0.1 >table 2>err
check "the table" grep -q "state hash" table
check "progress without a terminal" grep -q "simulating 50 %" err
"$limber" run tiny.json --seconds 0.1 --quiet >table 2>err
check "quiet: no table" [ ! -s table ]
"$limber" run tiny.json --seconds 0.1 --size 64x48 --quiet --overlay nodes,cells,graph,region,contacts,strain,plastic,checker -o over.png 2>err
check "overlays" begins over.png 8 89504e470d0a1a0a
printf '{ "limber": 1, "duration": 0.4, "bodies": [ {"model": "block", "nodes": 60, "position": [0, 0.05, 0], "material": {"young": 20000, "yield": 0.01}} ] }' >clay.json
"$limber" run clay.json --fps 10 --overlay strain,plastic --quiet -o clay.ply -o clay.glb 2>err
check "strains in a PLY series" grep -aq 'property float strain' clay_0001.ply
check "plastic strains in a PLY series" grep -aq 'property float plastic_strain' clay_0001.ply
check "colours of an animation change" grep -aq '"targets":.{"POSITION":[0-9]*,"NORMAL":[0-9]*,"COLOR_0"' clay.glb
"$limber" run clay.json --fps 10 --quiet -o bare.ply 2>err
check "not unless asked for" [ "$(grep -ac 'property float strain' bare_0001.ply)" -eq 0 ]
for overlay in plastic strain; do
    "$limber" run clay.json --at 0.4 --size 64x48 --quiet --overlay "$overlay" -o "of_$overlay.png" 2>err
done
check "plastic strain is not strain" [ "$(cksum <of_plastic.png)" != "$(cksum <of_strain.png)" ]
for overlay in nodes cells graph region checker; do
    "$limber" run tiny.json --at 0.1 --size 64x48 --quiet --overlay "$overlay" -o "at_$overlay.png" 2>err
    check "one moment with $overlay" size "at_$overlay.png" 64 48
done
"$limber" run tiny.json --at 0.1 --size 64x48 --quiet -o at_plain.png 2>err
check "no two overlays alike" [ "$(cksum at_*.png | cut -d' ' -f1 | sort -u | wc -l)" -eq 6 ]
"$limber" run tiny.json --at 0.1 --size 64x48 --quiet --overlay region --region 0.5,0.8,0.5 -o corner.png 2>err
check "a region elsewhere" [ "$(cksum <corner.png)" != "$(cksum <at_region.png)" ]
"$limber" run tiny.json --at 0.1 --json --quiet >json 2>err
check "at sets the length" holds "$(value seconds json) > 0.09 && $(value seconds json) < 0.11"
"$limber" run tiny.json --at 0 --size 64x48 --quiet -o start.png 2>err
check "the start" size start.png 64 48

# a mesh file without an option
cat >cube.obj <<'TEXT'
v 0 0 0
v 2 0 0
v 2 2 0
v 0 2 0
v 0 0 2
v 2 0 2
v 2 2 2
v 0 2 2
f 1 4 3 2
f 5 6 7 8
f 1 2 6 5
f 3 4 8 7
f 2 3 7 6
f 4 1 5 8
TEXT
"$limber" run cube.obj --nodes 200 --seconds 0.3 --json --quiet >json 2>err
check "a mesh file runs" [ $? -eq 0 ]
check "its triangles" [ "$(value triangles json)" = 12 ]
check "it is closed" [ "$(value closed json)" = true ]
"$limber" run cube.obj --units --nodes 200 --seconds 0.02 --json --quiet >units 2>err
check "units: 8 times the volume" holds "$(value mass units) / $(value mass json) > 7.9 && $(value mass units) / $(value mass json) < 8.1"
"$limber" info cube.obj --nodes 100 >table 2>err
check "info" grep -q "closed         yes" table
"$limber" info cube.obj --nodes 100,300 --json >json 2>err
check "info as JSON" [ "$(grep -c '"cell_size"' json)" -eq 2 ]
"$limber" info creature --nodes 400,800 --coarsen 3 --size 64x80 -o info.png >table 2>err
check "info with a picture" [ $? -eq 0 ]
check "a surface and two samplings" size info.png 192 80
# rows of the second table, by the sampling in the first column, against the rows of the first one
check "levels add up" awk '/nodes +cells +regions/ { part = 1 } /of nodes/ { part = 2 } !/^ +[0-9]/ { next }
    part == 1 { nodes[$1] = $1; cells[$1] = $2; samplings++ }
    part == 2 { n[$1] += $5; c[$1] += $4; v[$1] += $6; rows++ }
    END { for (s in nodes) if (n[s] != nodes[s] || c[s] != cells[s] || v[s] < 99.9 || v[s] > 100.1) exit 1
          exit !(samplings == 2 && rows > 3) }' table

"$limber" info creature --nodes 400,800 --batches 64 --size 64x80 -o batches.png >table 2>err
check "info with batches" grep -q "batches of at most 64 nodes" table
check "a surface and batches of two samplings" size batches.png 192 80
check "cells and batches look different" [ "$(cksum <info.png)" != "$(cksum <batches.png)" ]
"$limber" info creature --nodes 400 --batches 24 --kind lattice --json >json 2>err
check "batches as JSON" holds "$(value count json) > 10"
"$limber" info cube.obj --nodes 60 --coarsen 2 --json >json 2>err
check "info with cells of several sizes" holds "$(value coarsest_size json) / $(value cell_size json) > 1.9"
"$limber" run cube.obj --coarsen 2 --cells-across 1 --nodes 60 --seconds 0.1 --json --quiet >json 2>err
check "a run with cells of several sizes" holds "$(value coarsest_size json) / $(value cell_size json) > 1.9"

# a lattice: the corners of 3 x 3 x 3 cells, and cells that add up level by level
"$limber" info cube.obj --kind lattice --nodes 64 --json >json 2>err
check "info of a lattice" [ "$(value nodes json) $(value cells json | head -n 1)" = "64 27" ]
check "its kind" grep -q '"kind": "lattice"' json
"$limber" run cube.obj --kind lattice --nodes 64 --seconds 0.1 --overlay nodes,cells,graph,region --size 64x48 -o lattice.png --json --quiet >json 2>err
check "a run of a lattice" [ "$(value nodes json)" = 64 ]
check "its kind in the report" grep -q '"kind": "lattice"' json
printf '{ "limber": 1, "duration": 0.1, "bodies": [ {"model": "block", "kind": "lattice", "nodes": 60, "region_width": 12} ] }' >lattice.json
"$limber" run lattice.json --json --quiet >json 2>err
check "a scene with a lattice" grep -q '"kind": "lattice"' json
"$limber" run lattice.json --kind octree --quiet >json 2>err
check "regions too wide for an octree" grep -q "its model could not be built" err

# several bodies in one series
cat >two.json <<'TEXT'
{
  "limber": 1,
  "duration": 0.1,
  "bodies": [
    {"model": "block", "nodes": 50, "position": [0, 0.1, 0]},
    {"model": "duck", "nodes": 50, "position": [2, 0.1, 0]}
  ]
}
TEXT
"$limber" run two.json --quiet --json --size 64x48 -o two.ply -o two.glb -o two.png >json 2>err
check "two bodies" [ $? -eq 0 ]
check "two entries" [ "$(grep -c '"members_per_region"' json)" -eq 2 ]

# a body that is cut in the run and comes apart: every kind of file follows it
cat >cut.json <<'TEXT'
{
  "limber": 1,
  "duration": 0.3,
  "bodies": [{"name": "b", "model": "bar", "nodes": 150, "triangles": 1500, "position": [0, 0.1, 0]}],
  "actions": [
    {"type": "cut", "body": "b", "at": 0.05, "move_time": 0.1,
     "blade": [{"from": [0.1, 0.6, -0.4], "to": [0.1, 0.6, 0.4]}, {"from": [0.1, -0.2, -0.4], "to": [0.1, -0.2, 0.4]}]},
    {"type": "split", "body": "b", "at": 0.2}
  ]
}
TEXT
"$limber" run cut.json --fps 30 --size 64x48 --json --quiet --overlay nodes,cells,graph,region,strain,checker \
    -o cut.png -o cut.glb -o cut.obj -o cut.ply >json 2>err
check "a body is cut" [ $? -eq 0 ]
check "two bodies at the end" [ "$(grep -c '"members_per_region"' json)" -eq 2 ]
check "the piece has a name" grep -q '"name": "b/1"' json
check "its edits are told" holds "$(value cut_triangles json) > 10"
check "more vertices at the end" holds "$(grep -c '^v ' cut_0010.obj) > $(grep -c '^v ' cut_0001.obj)"
check "bodies keep their names" grep -aq '"name":"b/1 from frame [0-9]*","mesh":' cut.glb
check "nodes that come and go" grep -aq '"interpolation":"STEP"' cut.glb
first=$(value hash json)
"$limber" run cut.json --workers 2 --json --quiet >json 2>err
check "two workers cut alike" [ "$(value hash json)" = "$first" ]

if command -v ffmpeg >/dev/null; then
    "$limber" run tiny.json --quiet --size 64x48 -o film.mp4 2>err
    check "a movie" [ -s film.mp4 ]
fi

# benches, as small as they go
"$limber" bench machine --json >json 2>err
check "bench machine" holds "$(value sum_ns json) > 0"
"$limber" bench step --nodes 200,4096,6000 --steps 5 --json >json 2>err
check "bench step" [ "$(value same_hash json)" = true ]
"$limber" bench material --nodes 216 --steps 3 --json >json2 2>err
check "bench material" [ "$(grep -c '"ns_per_node"' json2)" -eq 8 ]
check "bench step: cubes" [ "$(value nodes json)" = 216 ]
check "bench step: 27 members" holds "$(value members_per_region json) >= 27"
check "bench step: one substep" [ "$(value substeps json)" = 1 ]
check "bench step: it moves" [ "$(value steps_that_moved json)" = 5 ]
check "bench step: the printed step" [ "$(grep -c '"summation_nodes"' json)" -eq 1 ]
check "bench step: its ratio" holds "$(value ratio json) > 0"
check "bench step: growth" [ "$(value over json)" = 4096 ]
"$limber" bench step --nodes 200 --steps 5 --width 2 >table 2>err
check "bench step: a table" grep -q "it changed in 5 of 5 steps" table
check "bench step: a width" grep -q "width 2" table
"$limber" bench skin --triangles 8000 --steps 5 --json >json 2>err
check "bench skin" [ "$(value same_hash json)" = true ]
check "bench skin: two kinds" [ "$(grep -c '"same_hash": true' json)" -eq 2 ]
"$limber" bench rotation --json >json 2>err
check "bench rotation" [ "$(value same_hash json)" = true ]
check "rotations are exact enough" holds "$(value residual json) < 1e-5"
"$limber" bench step -o bench.png >/dev/null 2>err
check "bench: -o is for contact" [ $? -eq 2 ]
check "bench: it says so" grep -q "bench contact" err
"$limber" bench contact -o bench.txt >/dev/null 2>err
check "bench contact: a picture is a png" [ $? -eq 2 ]

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
