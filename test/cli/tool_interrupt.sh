#!/bin/sh
# SPDX-License-Identifier: MIT
# Ctrl-C: what there is by then is written whole; a second one ends at once. And a long run says how
# long it takes. Usage: tool_interrupt.sh LIMBER
set -u
limber=${1:?usage: tool_interrupt.sh LIMBER}
# A script's jobs in the background ignore Ctrl-C, and all of a terminal's group gets it.
if ! setsid env --default-signal=INT true 2>/dev/null; then
    echo "interrupt: needs setsid and env --default-signal"
    exit 77
fi
. "$(dirname "$0")/tool_kit.sh"

begin() {
    : >err
    setsid env --default-signal=INT "$limber" run "$@" >out 2>err &
    job=$!
}
# when TEXT: waits until the tool says it
when() {
    tries=0
    until grep -q -e "$1" err || [ "$tries" -ge 600 ]; do
        kill -0 "$job" 2>/dev/null || break
        sleep 0.05
        tries=$((tries + 1))
    done
}
interrupt() { kill -s INT -- "-$job"; }
finish() {
    wait "$job"
    status=$?
}
value() { sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" "$2" | head -n 1; }
little32() { od -An -j "$2" -N 4 -tu4 "$1" | tr -d ' '; }
size() { wc -c <"$1" | tr -d ' '; }

# In the place of ffmpeg: the pixels as they come. It would end at a Ctrl-C that reached it.
mkdir bin
cat >bin/ffmpeg <<'TEXT'
#!/bin/sh
for last; do :; done
cat >"${last#file:}"
TEXT
chmod +x bin/ffmpeg
PATH=$scratch/bin:$PATH
export PATH

# a body that turns for ever
cat >turn.json <<'TEXT'
{ "limber": 1, "duration": 80000, "gravity": [0, 0, 0], "sleep": false,
  "bodies": [{"model": "block", "nodes": 400, "triangles": 200, "angular_velocity": [0, 3, 0]}] }
TEXT

begin turn.json --fps 2 --size 64x48 -o a.png -o a.glb -o a.ply -o a.json -o a.mp4
when "simulating takes"
check "a long run says how long" grep -q 'simulating takes about [0-9.]* \(min\|h\)$' err
interrupt
finish
check "interrupted: 130" [ "$status" -eq 130 ]
check "it says so" grep -q "limber: interrupted after [0-9.]* s of at most 80000.00; what there was by then is written" err
check "the report says so" [ "$(value interrupted a.json)" = true ]
check "whole frames" [ "$(($(value steps a.json) % 30))" -eq 0 ]
frames=$(ls a_*.ply | wc -l)
check "all frames" [ "$frames" -eq "$(($(value steps a.json) / 30 + 1))" ]
check "a whole movie" [ "$(size a.mp4)" -eq $((frames * 64 * 48 * 4)) ]
check "a whole animation" [ "$(little32 a.glb 8)" -eq "$(size a.glb)" ]
check "a whole picture" [ "$(tail -c 12 a.png | od -An -tx1 | tr -d ' \n')" = 0000000049454e44ae426082 ]
check "the table" grep -q "state hash" out

# to the end of a frame of 600 steps it is far
begin turn.json --nodes 20000 --fps 0.1 -o b.png -o b.json
when "simulating 0 %"
interrupt
sleep 0.3
check "it finishes the frame" kill -0 "$job"
interrupt
finish
check "a second time: at once" [ "$status" -eq 130 ]
check "nothing is written then" [ ! -e b.png ]

begin creature --nodes 200000 -o c.png
when "building 0 %"
interrupt
finish
check "interrupted while it builds: 130" [ "$status" -eq 130 ]
check "nothing to write" grep -q "interrupted before the first step; nothing is written" err
check "nothing is written" [ ! -e c.png ]

begin turn.json --seconds 10 --fps 60 --size 640x480 -o d.mp4 -o d.json
when "drawing 0 %"
interrupt
finish
check "interrupted while it draws: 130" [ "$status" -eq 130 ]
check "and says so" grep -q "interrupted after the last step; all is written, but a movie may end early" err
check "the movie ends early" [ "$(size d.mp4)" -lt $((601 * 640 * 480 * 4)) ]
check "with a whole picture" [ $(($(size d.mp4) % (640 * 480 * 4))) -eq 0 ]
check "the report says that too" [ "$(value interrupted d.json)" = true ]

: >err
setsid sh -c 'trap "" INT; exec "$@"' sh "$limber" run turn.json --seconds 60 --json >out 2>err &
job=$!
when "building 0 %"
interrupt
finish
check "a job that ignores Ctrl-C goes on" [ "$status" -eq 0 ]
check "and is whole" [ "$(value interrupted out)" = false ]

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
