#!/bin/sh
# SPDX-License-Identifier: MIT
# check_install.sh: does what README.md says, in its order, from `./x run` in a fresh copy of the tree to
# its program, built against the installed folder after that was moved. Commands (indented by four
# blanks) and files come from the page itself: commands above the program are run in the copy, those
# below it beside the program. Then the same with shared libraries, and what both kinds show to a
# linker is compared with the headers. The copy and what is built in it stay in build/package.
set -eu
cd "$(dirname "$0")/.."
source=$PWD
mkdir -p build/package
tree=$source/build/package/tree
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
    echo "install: $*" >&2
    exit 1
}

# The copy has no build of its own configuration, but keeps the objects of the last time: a file
# that is the same has the same time.
mkdir -p "$tree"
find "$tree" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
rm -rf "$tree/build/release/CMakeCache.txt" "$tree/build/release/build.ninja"
tar -cf - --exclude=./build --exclude=./out --exclude=./.git --exclude=node_modules . | tar -xf - -C "$tree"

# What the page says. `./x test` would begin this anew.
awk '/^```/ { inside = !inside } inside && /^\/\* file: / { below = 1 }
    !inside && /^    / { print substr($0, 5) >(out (below ? "/below.sh" : "/above.sh")) }' out="$scratch" README.md
grep -q '^\./x run' "$scratch/above.sh" || fail "README.md does not begin with ./x run"
grep -v '^\./x test' "$scratch/above.sh" >"$scratch/in_the_tree.sh"
ways=2
if ! command -v pkg-config >/dev/null; then
    ways=1
    grep -v -i 'pkg.config' "$scratch/below.sh" >"$scratch/below" && mv "$scratch/below" "$scratch/below.sh"
    echo "install: pkg-config is not here, so it is left out"
fi
mkdir -p "$scratch/user"
program=$(awk -v out="$scratch/user" -f tools/extract_programs.awk README.md | grep '\.c$')
lines=$(wc -l <"$scratch/user/$program")
echo "install: the program is $program, $lines lines"
[ "$lines" -le 26 ] || fail "the README promises at most 25 lines (and the line that names the file)"

# commands NAME FOLDER: runs $scratch/NAME.sh there, with $home as the user's own folder
commands() {
    echo "install: in $2"
    sed 's/^/    /' "$scratch/$1.sh"
    (cd "$2" && HOME=$home sh -eu "$scratch/$1.sh") >"$scratch/said" 2>&1 || {
        cat "$scratch/said"
        fail "README.md: the commands above do not work"
    }
}

# use KIND: moves the folder that was installed and builds the program against it, as the page says
use() {
    if grep -r -I -l -F "$home" "$home/limber"; then
        fail "these files of the $1 libraries name the folder they were installed in"
    fi
    mkdir "$scratch/moved_$1"
    mv "$home/limber" "$scratch/moved_$1/limber"
    home=$scratch/moved_$1
    "$home/limber/bin/limber" --version
    mkdir "$scratch/user_$1"
    cp "$scratch/user/"* "$scratch/user_$1"
    # CMake tells its programs where the libraries are; the linker is told so for the other
    LD_RUN_PATH="$home/limber/lib" commands below "$scratch/user_$1"
    [ "$(grep -c 'the cube rests at' "$scratch/said")" -eq "$ways" ] || fail "the program did not run $ways times"
    sh tools/check_symbols.sh "$home/limber"
    echo "install: $1 libraries work from a folder that was moved"
}

home=$scratch/home
mkdir "$home"
commands in_the_tree "$tree"
use static

# A mistake shows as a text with its cure, not only as a number.
sed 's/200e3f/-200e3f/' "$scratch/user/$program" >"$scratch/user_static/$program"
grep -q -e '-200e3f' "$scratch/user_static/$program" || fail "$program has no 200e3f to put a mistake into"
if (cd "$scratch/user_static" && cmake --build build && build/fall) >"$scratch/said" 2>&1; then
    fail "a negative modulus was taken"
fi
grep -q '^limber: error: lim_body_create: .*young' "$scratch/said" || {
    cat "$scratch/said"
    fail "the program does not print what went wrong"
}

home=$scratch/home
cmake --preset release -S "$tree" -B "$tree/build/release" -DBUILD_SHARED_LIBS=ON >/dev/null
cmake --build "$tree/build/release" -j "$(nproc 2>/dev/null || echo 2)" --target limber_tool limber limber_io
cmake --install "$tree/build/release" --prefix "$home/limber" >/dev/null
use shared

# In a project that adds the tree as a folder of its own, what is installed lies elsewhere. It is
# configured, not built: the files that configuring makes have to be where installing looks.
mkdir "$scratch/adds"
printf 'cmake_minimum_required(VERSION 3.22)\nproject(adds C)\nadd_subdirectory("%s" limber)\n' "$tree" >"$scratch/adds/CMakeLists.txt"
cmake -G Ninja -S "$scratch/adds" -B "$scratch/adds/build" >/dev/null
for file in $(grep -o '"[^"]*/limber\(-config.*\.cmake\|\.pc\)"' "$scratch/adds/build/limber/cmake_install.cmake" | tr -d '"' | grep -v '^\$'); do
    [ -f "$file" ] || fail "a project that adds this tree cannot install: there is no $file"
done
echo "install: ok"
