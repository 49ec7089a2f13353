#!/bin/sh
# SPDX-License-Identifier: MIT
# check_docs.sh BUILD: the whole programs in the Markdown pages (see extract_programs.awk) compile and
# link against the libraries of BUILD, links lead to files and headings that exist, no page says how
# long tests take, and the gallery shows every built-in scene.
set -eu
build=$(cd "${1:?usage: check_docs.sh BUILD}" && pwd)
cd "$(dirname "$0")/.."
pages=$(find . -name '*.md' -not -path './build/*' -not -path './out/*' -not -path '*/node_modules/*' \
    -not -path './.git/*' | sort)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# headings PAGE: the anchors of its headings: small letters, digits, - and _, with - for blanks.
headings() {
    awk '/^```/ { inside = !inside; next } !inside && /^#+ /' "$1" | tr '[:upper:]' '[:lower:]' |
        sed 's/^#* //; s/[^a-z0-9 _-]//g; s/ /-/g'
}

failed=0
programs=0
links=0
libraries=$(find "$build" -name 'liblimber_io.a')" "$(find "$build" -name 'liblimber.a')
for page in $pages; do
    for program in $(awk -v out="$scratch" -f tools/extract_programs.awk "$page" | grep '\.c$'); do
        programs=$((programs + 1))
        # shellcheck disable=SC2086
        if ! ${CC:-cc} -std=c17 -Wall -Wextra -Werror -Iinclude "$scratch/$program" $libraries -lm -lpthread \
            -o "$scratch/program" 2>"$scratch/errors"; then
            echo "docs: $page: $program does not build:"
            head -n 20 "$scratch/errors"
            failed=1
        fi
    done
    folder=${page%/*}
    # [text](target), without schemes and code blocks
    for link in $(awk '/^```/ { inside = !inside; next } !inside' "$page" |
        grep -o '\](<\{0,1\}[^) >]*' | sed 's/^\](<\{0,1\}//' | grep -v -E '^[a-z]+:' || true); do
        links=$((links + 1))
        target=${link%%#*}
        target=${target:+$folder/$target}
        target=${target:-$page}
        anchor=""
        case $link in *#*) anchor=${link#*#} ;; esac
        if [ ! -e "$target" ] || { [ -n "$anchor" ] && ! headings "$target" | grep -q -x -e "$anchor"; }; then
            echo "docs: $page: $link leads nowhere"
            failed=1
        fi
    done
done
# How long a run of the tests takes is said by ./x help alone: pages would say something else soon.
for page in $pages; do
    case $page in ./bench/results/* | ./CHANGELOG.md) continue ;; esac
    if grep -n -E 'x test.*(second|minute|hour|[0-9] s\b)' "$page"; then
        echo "docs: $page: the line above says how long tests take; leave that to ./x help"
        failed=1
    fi
done
# Every built-in scene is in the gallery: a picture that is there and not too large, and its command.
for file in scenes/*.json; do
    [ -e "$file" ] || continue
    scene=${file##*/}
    scene=${scene%.json}
    picture=docs/images/gallery/$scene.png
    if [ ! -s "$picture" ] || ! grep -q -F "](images/gallery/$scene.png)" docs/gallery.md 2>/dev/null; then
        echo "docs: docs/gallery.md: no picture of the scene $scene; see the top of that page"
        failed=1
    elif [ "$(wc -c <"$picture")" -gt 155000 ]; then
        echo "docs: $picture has more than 155,000 bytes; draw it with a smaller --size"
        failed=1
    fi
    if ! grep -q -E "^    limber run $scene( .*)? -o $scene\.png\$" docs/gallery.md 2>/dev/null; then
        echo "docs: docs/gallery.md: no command for the scene $scene"
        failed=1
    fi
done
[ "$failed" -eq 0 ] && echo "docs: ok, $programs programs, $links links"
exit "$failed"
