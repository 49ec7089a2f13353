#!/bin/sh
# SPDX-License-Identifier: MIT
# The repository checks must be able to fail: small trees, each with one fault, and what the check
# has to say about it. Usage: broken_trees.sh SOURCE
set -u
source=${1:?usage: broken_trees.sh SOURCE}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0

# fresh: a small tree without a fault
fresh() {
    rm -rf "$scratch/tree"
    mkdir -p "$scratch/tree/src/base" "$scratch/tree/src/mesh" "$scratch/tree/src/world" "$scratch/tree/cli" \
        "$scratch/tree/include/limber" "$scratch/tree/build" "$scratch/tree/docs"
    cp -r "$source/tools" "$scratch/tree/tools"
    cp "$source/.clang-format" "$scratch/tree/"
    cd "$scratch/tree" || exit 1
    printf '/* SPDX-License-Identifier: MIT */\n#include "base/a.h"\nint lim_one(void);\n' >src/mesh/b.c
    printf '/* SPDX-License-Identifier: MIT */\n\nint a(void);\n' >src/base/a.h
    printf '/* SPDX-License-Identifier: MIT */\n\n#define LIM_API\nLIM_API int lim_one(void);\n' >include/limber/one.h
    printf '# Page\n[a](docs/../README.md)\n' >README.md
}

# expect NAME STATUS TEXT COMMAND...
expect() {
    name=$1
    status=$2
    text=$3
    shift 3
    output=$("$@" 2>&1)
    result=$?
    case $output in
    *"$text"*) said=1 ;;
    *) said=0 ;;
    esac
    if [ "$result" -eq "$status" ] && [ "$said" -eq 1 ]; then
        passed=$((passed + 1))
        echo "ok   $name"
    else
        failed=$((failed + 1))
        echo "FAIL $name: exit $result, wanted $status with '$text'; it said:"
        echo "$output"
    fi
}

fresh
expect "a sound tree" 0 "layers: ok" sh tools/check_layers.sh
printf '#include "world/w.h"\n' >>src/mesh/b.c
expect "an include forwards" 1 "world comes after mesh" sh tools/check_layers.sh
fresh
printf '#include "nowhere.h"\n' >>src/mesh/b.c
expect "an include of nothing" 1 "not in this folder" sh tools/check_layers.sh
fresh
printf '#include <limber/io.h>\n' >>src/mesh/b.c
expect "files in the core" 1 "the core opens no file" sh tools/check_layers.sh
fresh
cp src/mesh/b.c src/world/b.c
expect "one name twice" 1 "the name is taken" sh tools/check_layers.sh
fresh
cp src/mesh/b.c src/mesh/mesh_utils.c
expect "a name without a job" 1 "says no job" sh tools/check_layers.sh
fresh
awk 'BEGIN { print "/* SPDX-License-Identifier: MIT */"; for (i = 0; i < 1000; ++i) print "" }' >src/base/long.c
expect "a long file" 1 "more than 1,000 lines" sh tools/check_layers.sh
fresh
printf 'int x;\nint y;\nint z;\n' >src/base/bare.c
expect "no licence" 1 "no SPDX" sh tools/check_layers.sh
fresh
printf '/* SPDX-License-Identifier: MIT */\n#include "body/body.h"\n\n' >cli/tool.c
expect "the tool inside the core" 1 "the tool uses public headers" sh tools/check_layers.sh

fresh
expect "sound headers" 0 "headers: ok, 1 functions" sh tools/check_headers.sh
printf 'size_t lim_size(void);\n' >>include/limber/one.h
expect "a header that leans on others" 1 "does not compile" sh tools/check_headers.sh

fresh
one='int lim_one(void);\nint lim_one(void) { return 1; }\n'
printf "static const int table[2] = {1, 2};\nint lim_one(void);\nint lim_one(void) { return table[1]; }\n" >one.c
cc -O0 -c one.c -o one.o && ar rc build/liblimber.a one.o
expect "a constant table" 0 "symbols: ok" sh tools/check_symbols.sh build
printf 'static int count;\nint lim_one(void);\nint lim_one(void) { return ++count; }\n' >one.c
cc -O0 -c one.c -o one.o && ar rc build/liblimber.a one.o
expect "a counter" 1 "count in .bss" sh tools/check_symbols.sh build
printf "$one"'int lim_two(void);\nint lim_two(void) { return 1; }\n' >one.c
cc -O0 -c one.c -o one.o && ar rc build/liblimber.a one.o
expect "a name that no header has" 1 "lim_two" sh tools/check_symbols.sh build
printf 'int lim_three(void);\nint lim_three(void) { return 1; }\n' >one.c
cc -O0 -c one.c -o one.o && ar rc build/liblimber.a one.o
expect "a function that is not there" 1 "lacks functions" sh tools/check_symbols.sh build
rm build/liblimber.a
expect "no library" 1 "no liblimber" sh tools/check_symbols.sh build
printf "$one" >one.c
printf '#define LIM_VERSION_MAJOR 3\n#define LIM_VERSION_MINOR 4\n' >include/limber/base.h
cc -O0 -shared -fPIC -Wl,-soname,liblimber.so.3.4 one.c -o build/liblimber.so
expect "a shared library" 0 "symbols: ok" sh tools/check_symbols.sh build
cc -O0 -shared -fPIC -Wl,-soname,liblimber.so.3 one.c -o build/liblimber.so
expect "another soname" 1 "another soname" sh tools/check_symbols.sh build
printf "$one"'int helper;\n' >one.c
cc -O0 -shared -fPIC -Wl,-soname,liblimber.so.3.4 one.c -o build/liblimber.so
expect "a shared library that shows too much" 1 "helper" sh tools/check_symbols.sh build

fresh
expect "sound pages" 0 "docs: ok, 0 programs, 1 links" sh tools/check_docs.sh build
printf '[b](docs/gone.md)\n' >>README.md
expect "a dead link" 1 "leads nowhere" sh tools/check_docs.sh build
fresh
printf '```c\n/* file: one.c */\nint main(void) { return 0; }\n```\n' >>README.md
expect "a program that builds" 0 "docs: ok, 1 programs" sh tools/check_docs.sh build
printf '```c\n/* file: two.c */\nint main(void) { return missing(); }\n```\n' >>README.md
expect "a program that does not" 1 "two.c does not build" sh tools/check_docs.sh build

fresh
printf '    ./x test quick   # under a minute\n' >>README.md
expect "a page that says how long tests take" 1 "leave that to ./x help" sh tools/check_docs.sh build

fresh
mkdir -p scenes docs/images/gallery
echo '{}' >scenes/fall.json
expect "a scene that is not in the gallery" 1 "no picture of the scene fall" sh tools/check_docs.sh build
printf 'png' >docs/images/gallery/fall.png
printf '![It falls](images/gallery/fall.png)\n' >docs/gallery.md
expect "a picture without its command" 1 "no command for the scene fall" sh tools/check_docs.sh build
printf '\n    limber run fall --size 64x48 -o fall.png\n' >>docs/gallery.md
expect "a scene in the gallery" 0 "docs: ok" sh tools/check_docs.sh build
awk 'BEGIN { for (i = 0; i < 20000; ++i) print "12345678" }' >docs/images/gallery/fall.png
expect "a large picture" 1 "draw it with a smaller --size" sh tools/check_docs.sh build

if command -v clang-format >/dev/null; then
    fresh
    expect "a formatted tree" 0 "format: ok" sh tools/check_format.sh
    printf 'int   f( void ) ;\n' >>src/mesh/b.c
    expect "an unformatted file" 1 "places differ" sh tools/check_format.sh
fi

expect "a command that is not there" 2 "x: no command 'rnu'" sh "$source/x" rnu
expect "a preset that is not there" 2 "x: no preset 'fast'; there are release" sh "$source/x" build fast
expect "a length that is not there" 2 "usage: ./x test [quick|full" sh "$source/x" test short

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
