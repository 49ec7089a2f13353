# SPDX-License-Identifier: MIT
# Writes the whole programs of Markdown pages into files: every ```c block whose first line is
# `/* file: NAME.c */` becomes OUT/NAME.c (-v out=OUT). Prints the names it wrote. Other blocks are
# fragments and stay where they are.
/^```/ {
    if (inside) {
        if (file != "") {
            close(file)
        }
        inside = 0
        file = ""
    } else {
        inside = 1
        first = ($0 == "```c")
    }
    next
}
inside {
    if (first && match($0, /^\/\* file: [A-Za-z0-9_]+\.c \*\/$/)) {
        name = substr($0, 10, length($0) - 12)
        file = out "/" name
        printf "" > file
        print name
    }
    first = 0
    if (file != "") {
        print > file
    }
}
