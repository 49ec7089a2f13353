#!/bin/sh
# SPDX-License-Identifier: MIT
# check_install.sh [BUILD]: installs the libraries (static, then shared) under a fresh prefix, and
# there builds and runs the README's program through find_package(limber) and through pkg-config, as
# a user would. BUILD is where it keeps its objects; build/package unless given.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build/package}
jobs=$(nproc 2>/dev/null || echo 2)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

program=""
[ -f README.md ] && program=$(awk -v out="$scratch" -f tools/extract_programs.awk README.md | head -n 1)
if [ -z "$program" ]; then
    program=version.c
    cat >"$scratch/version.c" <<'TEXT'
#include <limber/limber.h>
#include <stdio.h>
int main(void) {
    return puts(lim_version()) < 0;
}
TEXT
fi
lines=$(wc -l <"$scratch/$program")
echo "install: the program is $program, $lines lines"
if [ "$lines" -gt 26 ]; then
    echo "install: the README promises at most 25 lines (and the line that names the file)" >&2
    exit 1
fi

mkdir -p "$scratch/user"
cat >"$scratch/user/CMakeLists.txt" <<TEXT
cmake_minimum_required(VERSION 3.22)
project(user C)
find_package(limber 0.1 REQUIRED)
add_executable(program ../$program)
target_link_libraries(program PRIVATE limber::limber)
if(TARGET limber::io)
  target_link_libraries(program PRIVATE limber::io)
endif()
TEXT

# In one place: both libraries are made of the same objects. Without the optimiser: what is packaged does not depend on it, and it builds in a third of the time.
for kind in OFF ON; do
    prefix=$scratch/prefix_$kind
    cmake -G Ninja -S . -B "$build" -DCMAKE_BUILD_TYPE=Debug -DBUILD_SHARED_LIBS=$kind \
        -DLIMBER_TESTS=OFF -DLIMBER_TOOLS=OFF -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib >/dev/null
    cmake --build "$build" -j "$jobs"
    cmake --install "$build" >/dev/null

    cmake -G Ninja -S "$scratch/user" -B "$scratch/user_$kind" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
    cmake --build "$scratch/user_$kind"
    (cd "$scratch" && "user_$kind/program")
    echo "install: find_package works, shared $kind"

    if command -v pkg-config >/dev/null; then
        # shellcheck disable=SC2046
        ${CC:-cc} -std=c17 "$scratch/$program" -o "$scratch/by_pkg_config" \
            $(PKG_CONFIG_PATH="$prefix/lib/pkgconfig" pkg-config --cflags --libs limber)
        (cd "$scratch" && LD_LIBRARY_PATH="$prefix/lib" ./by_pkg_config)
        echo "install: pkg-config works, shared $kind"
    fi
done
echo "install: ok"
