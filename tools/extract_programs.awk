# SPDX-License-Identifier: MIT
# Writes the whole files of Markdown pages: every ```c block whose first line is `/* file: NAME */`,
# and every ```cmake block whose first line is `# file: NAME`, becomes OUT/NAME (-v out=OUT). Prints
# the names it wrote. Other blocks are fragments and stay where they are.
/^```/ {
    if (inside && file != "") {
        close(file)
    }
    inside = !inside
    file = ""
    language = inside ? substr($0, 4) : ""
    first = 1
    next
}
inside {
    name = ""
    if (first && language == "c" && /^\/\* file: [A-Za-z0-9_]+\.c \*\/$/) {
        name = substr($0, 10, length($0) - 12)
    }
    if (first && language == "cmake" && /^# file: [A-Za-z0-9_.]+$/) {
        name = substr($0, 9)
    }
    if (name != "") {
        file = out "/" name
        printf "" > file
        print name
    }
    first = 0
    if (file != "") {
        print > file
    }
}
