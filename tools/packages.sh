# SPDX-License-Identifier: MIT
# Sourced by ./x: finds out which tools are missing, and installs their Debian or Ubuntu packages.
#
#   need GROUP...          installs what the groups miss; afterwards $missing lists what is not there
#   report_missing         says what is not there and what that costs; fails if anything is
#   require_missing_none   the same, but stops the script
#
# Groups: build (compiler, cmake, ninja), sanitizers (clang with its run-time library), wasm
# (clang-19 for wasm32, node), js (wasm, npm), browser (chromium), headers (C++ and pkg-config), format (clang-format), movie (ffmpeg),
# count (valgrind), test (sanitizers, js, browser, headers, format, movie, count).

missing=""

# want PACKAGE PROBE...: the package is wanted unless the probe succeeds.
want() {
    want_package=$1
    shift
    if ! "$@" >/dev/null 2>&1; then
        case " $wanted " in
        *" $want_package "*) ;;
        *) wanted="$wanted $want_package" ;;
        esac
    fi
}

has() { command -v "$1"; }

has_libc() { printf '#include <math.h>\nint main(void) { return 0; }\n' | ${CC:-cc} -x c - -o /dev/null; }

has_sanitizers() {
    printf '#include <stdint.h>\n#include <stddef.h>\nint LLVMFuzzerTestOneInput(const uint8_t* d, size_t n);\nint LLVMFuzzerTestOneInput(const uint8_t* d, size_t n) { (void)d; (void)n; return 0; }\n' |
        clang -x c - -fsanitize=address,undefined,fuzzer -o /dev/null
}

# The package that carries the run-time library of the installed (or the default) clang.
sanitizer_package() {
    sanitizer_major=$(clang -dumpversion 2>/dev/null | cut -d. -f1)
    if [ -z "$sanitizer_major" ]; then
        sanitizer_major=$(apt-cache depends clang 2>/dev/null | sed -n 's/.*Depends: clang-\([0-9]*\)$/\1/p' | head -n 1)
    fi
    echo "libclang-rt-${sanitizer_major:-14}-dev"
}

has_wasm_libc() { [ -f /usr/lib/wasm32-wasi/libc.a ]; }
has_wasm_builtins() { ls /usr/lib/llvm-19/lib/clang/19/lib/wasi/*builtins*; }

has_chromium() { command -v chromium || command -v chromium-browser || command -v google-chrome; }

probe_group() {
    case $1 in
    build)
        want gcc has "${CC:-cc}"
        want libc6-dev has_libc
        want binutils has objcopy
        want cmake has cmake
        want ninja-build has ninja
        ;;
    sanitizers)
        want clang has clang
        want "$(sanitizer_package)" has_sanitizers
        ;;
    wasm)
        want clang-19 has clang-19
        want lld-19 has wasm-ld-19
        want llvm-19 has llvm-ar-19
        want wasi-libc has_wasm_libc
        want libclang-rt-19-dev-wasm32 has_wasm_builtins
        want nodejs has node
        ;;
    js)
        probe_group wasm
        want npm has npm
        ;;
    browser) want chromium has_chromium ;;
    headers)
        want g++ has g++
        want pkg-config has pkg-config
        ;;
    format) want clang-format has clang-format ;;
    movie) want ffmpeg has ffmpeg ;;
    count) want valgrind has valgrind ;;
    test)
        for probe_part in sanitizers js browser headers format movie count; do
            probe_group "$probe_part"
        done
        ;;
    esac
}

probe() {
    wanted=""
    for probe_group_name in "$@"; do
        probe_group "$probe_group_name"
    done
}

install_wanted() {
    if ! command -v apt-get >/dev/null 2>&1; then
        echo "x: missing:$wanted; apt-get is not here, so install these by hand" >&2
        return
    fi
    as_root=""
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null 2>&1; then
            echo "x: missing:$wanted; not root and no sudo. As root: apt-get install$wanted" >&2
            return
        fi
        as_root="sudo"
    fi
    echo "Installing$wanted"
    mkdir -p build/logs
    install_log=build/logs/install.log
    $as_root apt-get update >"$install_log" 2>&1 || true
    # shellcheck disable=SC2086
    if ! $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends $wanted >>"$install_log" 2>&1; then
        # One bad name fails the whole list: take what can be had.
        for install_package in $wanted; do
            $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y \
                --no-install-recommends "$install_package" >>"$install_log" 2>&1 ||
                echo "x: apt-get could not install $install_package; see $install_log" >&2
        done
    fi
}

need() {
    probe "$@"
    if [ -n "$wanted" ]; then
        install_wanted
        probe "$@"
    fi
    missing=$wanted
}

report_missing() {
    if [ -z "$missing" ]; then
        echo "Everything is installed."
        return 0
    fi
    for missing_package in $missing; do
        case $missing_package in
        gcc | libc6-dev | binutils | cmake | ninja-build) missing_cost="nothing can be built" ;;
        clang | libclang-rt-*-dev) missing_cost="no address sanitizer tests and no fuzzing" ;;
        clang-19 | lld-19 | llvm-19 | wasi-libc | *wasm32 | nodejs) missing_cost="no WebAssembly tests" ;;
        npm) missing_cost="the npm package and the studio are not built" ;;
        chromium) missing_cost="the studio is not tested" ;;
        g++) missing_cost="headers are not checked as C++" ;;
        pkg-config) missing_cost="the installed package is not tried through pkg-config" ;;
        clang-format) missing_cost="the format is not checked" ;;
        ffmpeg) missing_cost="no MP4 output" ;;
        valgrind) missing_cost="instructions are not counted" ;;
        *) missing_cost="" ;;
        esac
        echo "x: not installed: $missing_package ($missing_cost)" >&2
    done
    return 1
}

require_missing_none() {
    [ -z "$missing" ] || {
        report_missing
        exit 1
    }
}
