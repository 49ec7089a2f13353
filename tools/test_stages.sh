#!/bin/sh
# SPDX-License-Identifier: MIT
# The stages of `./x test`, which calls this with quick, ci or full. Prints one line per stage, keeps
# every log in build/logs, shows the failing part of a log, and ends with `N passed, N failed` alone
# on a line. A stage whose tools are missing is skipped and named; with CI set in the environment it
# fails instead. Names of stages behind `full` run these alone: their rows of the table of results
# are written anew, each row says of which commit it is.
set -u
cd "$(dirname "$0")/.." || exit 1
. tools/packages.sh

length=${1:-ci}
case $length in
quick | ci | full) ;;
*)
    echo "usage: ./x test [quick|full [STAGE...]]" >&2
    exit 2
    ;;
esac
[ $# -eq 0 ] || shift
all_stages="check install asan fuzz ubsan msan tsan wasm js studio long coverage paper"
chosen=$*
for name in $chosen; do
    case "$length $all_stages " in
    full*" $name "*) ;;
    *)
        echo "x: no stage '$name'; ./x test full has $all_stages" >&2
        exit 2
        ;;
    esac
done

jobs=$(nproc 2>/dev/null || echo 2)
logs=build/logs
table=$logs/stages.txt
mkdir -p "$logs"
[ -n "$chosen" ] || : >"$table"
commit=$(git rev-parse --short HEAD 2>/dev/null || echo unknown)
started=$(date +%s)
passed=0
failed=0
fuzz_seconds=10
[ "$length" = full ] && fuzz_seconds=120

# wants NAME: whether a stage is one of this run's.
wants() {
    case " ${chosen:-$all_stages} " in *" $1 "*) return 0 ;; esac
    return 1
}

# put ROW: the row of the stage in the table, in place of an earlier one.
put() {
    grep -v "^| $stage |" "$table" >"$table.new" 2>/dev/null
    printf '%s\n' "$1" >>"$table.new"
    mv "$table.new" "$table"
}

# begin NAME; done_with PASSED FAILED [NOTE]
begin() {
    stage=$1
    stage_log=$logs/$stage.log
    stage_start=$(date +%s)
    : >"$stage_log"
    printf '%-12s ... ' "$stage"
}

done_with() {
    stage_seconds=$(($(date +%s) - stage_start))
    passed=$((passed + $1))
    failed=$((failed + $2))
    printf '%s passed, %s failed, %s s%s\n' "$1" "$2" "$stage_seconds" "${3:+ ($3)}"
    put "| $stage | $1 | $2 | $stage_seconds | $commit |"
    if [ "$2" -gt 0 ]; then
        show_failure "$stage_log"
    fi
}

# The part of a log that matters: compiler errors and what failed tests said, without what passed.
show_failure() {
    echo "---- from $1"
    grep -E '(error:|undefined reference|^FAILED:|\*\*\*(Failed|Timeout|Exception|Not Run))' "$1" | cut -c 1-200 | head -n 15
    echo "--"
    grep -v -E '(^\[[0-9]+/[0-9]+\] )|( Passed +[0-9.]+ sec)|(^ +Start +[0-9]+:)' "$1" | cut -c 1-300 | tail -n 80
    echo "----"
}

skip() {
    if [ -n "${CI:-}" ]; then
        echo "missing:$1" >>"$stage_log"
        done_with 0 1 "cannot run without:$1"
    else
        printf 'skipped: cannot run without:%s\n' "$1"
        put "| $stage | skipped | | missing:$1 | $commit |"
    fi
}

# What CI leaves out of a build, and `full` does not: tests that it does not run.
ci_leaves_out() {
    case $length:$1 in
    ci:asan) echo "-DLIMBER_LEAVE_OUT=weighty;asan_full;bare" ;;
    ci:wasm) echo "-DLIMBER_LEAVE_OUT=wasm_full" ;;
    full:*) echo "-DLIMBER_LEAVE_OUT=" ;;
    esac
}

# build_preset PRESET [TARGET...]
build_preset() {
    build_name=$1
    shift
    # shellcheck disable=SC2046
    cmake --preset "$build_name" $(ci_leaves_out "$build_name") >>"$stage_log" 2>&1 || return 1
    if [ $# -eq 0 ]; then
        cmake --build "build/$build_name" -j "$jobs" >>"$stage_log" 2>&1
    else
        cmake --build "build/$build_name" -j "$jobs" --target "$@" >>"$stage_log" 2>&1
    fi
}

# run_ctest PRESET ARGUMENTS...: sets tests_passed and tests_failed from ctest's summary.
run_ctest() {
    ctest_name=$1
    shift
    ctest --test-dir "build/$ctest_name" -j "$jobs" --output-on-failure --no-tests=error "$@" \
        >>"$stage_log" 2>&1
    ctest_result=$?
    tests_failed=$(sed -n 's/.*tests passed, \([0-9]*\) tests\{0,1\} failed out of [0-9]*$/\1/p' "$stage_log" | tail -n 1)
    tests_all=$(sed -n 's/.*failed out of \([0-9]*\)$/\1/p' "$stage_log" | tail -n 1)
    tests_failed=${tests_failed:-0}
    tests_passed=$((${tests_all:-0} - tests_failed))
    # ctest that fails without a failed test (none found, a broken file) is a failure all the same.
    [ "$ctest_result" -eq 0 ] || [ "$tests_failed" -gt 0 ] || tests_failed=1
}

# build_and_test STAGE PRESET CTEST_ARGUMENTS...
build_and_test() {
    begin "$1"
    build_and_test_preset=$2
    shift 2
    if build_preset "$build_and_test_preset"; then
        run_ctest "$build_and_test_preset" "$@"
        done_with "$tests_passed" "$tests_failed"
    else
        done_with 0 1 "the build failed"
    fi
}

# Every fuzzer first replays its corpus (in the tree), then looks for new inputs for a while. New
# inputs go to build/, so that the tree stays as it is. As many run at a time as there are cores.
run_fuzzer() {
    fuzz_name=${1##*/fuzz_}
    mkdir -p "build/fuzz/$fuzz_name"
    fuzz_corpus=""
    [ -d "fuzz/corpus/$fuzz_name" ] && fuzz_corpus="fuzz/corpus/$fuzz_name"
    # shellcheck disable=SC2086
    "$1" -max_total_time="$fuzz_seconds" -timeout=20 -rss_limit_mb=3000 -print_final_stats=1 \
        -artifact_prefix="$logs/fuzz_${fuzz_name}_" "build/fuzz/$fuzz_name" $fuzz_corpus \
        >"$logs/fuzz_$fuzz_name.log" 2>&1
    echo $? >"$logs/fuzz_$fuzz_name.status"
}

fuzz() {
    begin fuzz
    fuzz_passed=0
    fuzz_failed=0
    fuzz_targets=$(sed -n 's/^ *limber_fuzzer(\([a-z]*\).*/fuzz_\1/p' fuzz/CMakeLists.txt)
    # shellcheck disable=SC2086
    if ! build_preset asan $fuzz_targets; then
        done_with 0 1 "the build failed"
        return
    fi
    fuzzers=$(find build/asan -type f -name 'fuzz_*' ! -name 'fuzz_corpus_*' ! -name '*.*' -perm -u+x | sort)
    running=0
    for fuzzer in $fuzzers; do
        run_fuzzer "$fuzzer" &
        running=$((running + 1))
        if [ "$running" -ge "$jobs" ]; then
            wait
            running=0
        fi
    done
    wait
    for fuzzer in $fuzzers; do
        fuzz_name=${fuzzer##*/fuzz_}
        if [ "$(cat "$logs/fuzz_$fuzz_name.status")" = 0 ]; then
            fuzz_passed=$((fuzz_passed + 1))
        else
            fuzz_failed=$((fuzz_failed + 1))
            {
                echo "fuzz_$fuzz_name failed; run it again with the file named below"
                tail -n 40 "$logs/fuzz_$fuzz_name.log"
            } >>"$stage_log"
        fi
    done
    if [ $((fuzz_passed + fuzz_failed)) -eq 0 ]; then
        echo "no fuzzer was built in build/asan" >>"$stage_log"
        fuzz_failed=1
    fi
    done_with "$fuzz_passed" "$fuzz_failed" "$fuzz_seconds s each"
}

# Only what is labelled `threads` is built with the thread sanitizer.
threads() {
    begin tsan
    if build_preset tsan tests; then
        run_ctest tsan -L '^threads$' -LE '^long$'
        done_with "$tests_passed" "$tests_failed"
    else
        done_with 0 1 "the build failed"
    fi
}

# check_stage STAGE COMMAND...: one command that passes or fails.
check_stage() {
    begin "$1"
    shift
    if "$@" >>"$stage_log" 2>&1; then
        done_with 1 0
    else
        done_with 0 1
    fi
}

# The npm package, in node: beside the native tool that the check stage has built.
js() {
    begin js
    if sh tools/js.sh >>"$stage_log" 2>&1; then
        LIMBER_TOOL=build/check/bin/limber node --test bindings/js/test/*.test.mjs >>"$stage_log" 2>&1
        js_result=$?
        js_passed=$(sed -n 's/^# pass //p' "$stage_log" | tail -n 1)
        js_failed=$(sed -n 's/^# fail //p' "$stage_log" | tail -n 1)
        [ "$js_result" -eq 0 ] || [ "${js_failed:-0}" -gt 0 ] || js_failed=1
        done_with "${js_passed:-0}" "${js_failed:-0}"
    else
        done_with 0 1 "the build failed"
    fi
}

# The page in Chromium: hands, files and links; every scene is in `./x test studio`, and in the full run.
studio() {
    begin studio
    if [ ! -f bindings/js/dist/limber.wasm ] && ! sh tools/js.sh >>"$stage_log" 2>&1; then
        done_with 0 1 "the package was not built"
    elif sh tools/studio.sh >>"$stage_log" 2>&1; then
        studio_tests=studio/test/hands.test.mjs
        [ "$length" = full ] && studio_tests="$studio_tests studio/test/scenes.test.mjs"
        # shellcheck disable=SC2086
        node --test $studio_tests >>"$stage_log" 2>&1
        studio_result=$?
        studio_passed=$(sed -n 's/^# pass //p' "$stage_log" | tail -n 1)
        studio_failed=$(sed -n 's/^# fail //p' "$stage_log" | tail -n 1)
        [ "$studio_result" -eq 0 ] || [ "${studio_failed:-0}" -gt 0 ] || studio_failed=1
        done_with "${studio_passed:-0}" "${studio_failed:-0}"
    else
        done_with 0 1 "the build failed"
    fi
}

coverage() {
    begin coverage
    if ! command -v gcovr >/dev/null 2>&1; then
        need_coverage
    fi
    if ! command -v gcovr >/dev/null 2>&1; then
        skip " gcovr"
        return
    fi
    if build_preset coverage; then
        run_ctest coverage -LE '^long$|^repo$|^bare$'
        gcovr --root . --gcov-ignore-parse-errors --filter 'src/' --filter 'io/' --filter 'scenes/' --filter 'cli/' \
            --txt "$logs/coverage.txt" --print-summary build/coverage >>"$stage_log" 2>&1
        coverage_lines=$(sed -n 's/^lines: \([0-9.]*%\).*/\1/p' "$stage_log" | tail -n 1)
        done_with "$tests_passed" "$tests_failed" "${coverage_lines:-unknown} of the lines, $logs/coverage.txt"
    else
        done_with 0 1 "the build failed"
    fi
}

need_coverage() {
    wanted=" gcovr"
    install_wanted >>"$stage_log" 2>&1
}

paper() {
    begin paper
    if build_preset release limber_tool && build/release/bin/limber paper all >"$logs/paper.txt" 2>>"$stage_log"; then
        done_with 1 0
    else
        done_with 0 1
    fi
}

write_results() {
    mkdir -p bench/results
    {
        echo "# Results of \`./x test full\`"
        echo
        echo "$(uname -m), $jobs cores, $(cc --version | head -n 1)."
        echo
        echo "| stage | passed | failed | seconds | commit |"
        echo "|---|---|---|---|---|"
        for name in $all_stages; do
            grep "^| $name |" "$table"
        done
        if [ -f "$logs/coverage.txt" ]; then
            echo
            echo "Coverage: $(sed -n 's/^lines: /lines /p' "$logs/coverage.log" | tail -n 1)," \
                "$(sed -n 's/^branches: /branches /p' "$logs/coverage.log" | tail -n 1)."
        fi
        echo
        echo "Paper and here (\`limber paper all\`):"
        echo
        echo '```'
        cat "$logs/paper.txt" 2>/dev/null
        echo '```'
    } >bench/results/test_full.md
    echo "Written: bench/results/test_full.md"
}

finish() {
    [ "$length" = full ] && write_results
    printf '%-12s ... %s s\n' "all stages" "$(($(date +%s) - started))"
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ] && exit 0
    exit 1
}

probe build
if [ -n "$wanted" ]; then
    begin tools
    echo "missing:$wanted" >>"$stage_log"
    done_with 0 1 "nothing can be built without:$wanted"
    finish
fi

if [ "$length" = quick ]; then
    # Without what takes five seconds or more; `./x test` has it.
    build_and_test release release -LE '^long$|^slow$|^cost$'
    finish
fi

# Optimised with validation: every test, and the repository checks (label repo).
wants check && build_and_test check check -LE '^long$'

wants install && check_stage install sh tools/check_install.sh

probe sanitizers
if [ -n "$wanted" ]; then
    if wants asan; then
        begin asan
        skip "$wanted"
    fi
else
    # What takes minutes under the sanitizer is left to the long set (ci_leaves_out); check runs it too.
    # Physics that takes ten minutes there and runs no code of its own stays out (label bare).
    wants asan && build_and_test asan asan -LE '^long$|^repo$|^bare$'
    wants fuzz && fuzz
    # The checks of undefined behaviour that asan leaves out: with them it takes five times as long.
    [ "$length" = full ] && wants ubsan && build_and_test ubsan ubsan -LE '^long$|^repo$|^bare$|^weighty$'
    # What is read before it is written: arrays that are not cleared because all of them is filled.
    [ "$length" = full ] && wants msan && build_and_test msan msan -LE '^long$|^repo$|^bare$|^weighty$'
fi

wants tsan && threads

probe wasm
if [ -n "$wanted" ]; then
    if wants wasm; then
        begin wasm
        skip "$wanted"
    fi
else
    wants wasm && build_and_test wasm wasm -LE '^long$|^repo$'
fi

probe js
if [ -n "$wanted" ]; then
    if wants js; then
        begin js
        skip "$wanted"
    fi
else
    wants js && js
fi

probe js browser
if [ -n "$wanted" ]; then
    if wants studio; then
        begin studio
        skip "$wanted"
    fi
else
    wants studio && studio
fi

if [ "$length" = full ]; then
    # Of what work costs, the check stage leaves out models and edits, which its validation makes dearer.
    wants long && build_and_test long release -L '^long$|^cost$'
    wants coverage && coverage
    wants paper && paper
fi
finish
