/* SPDX-License-Identifier: MIT
 * Job: tell the format of a mesh file. In: a path. Out: a format, by the extension alone.
 */
#include <limber/io.h>

#include <string.h>

static bool same_word(const char* a, const char* b) {
    for (; *a != '\0' && *b != '\0'; ++a, ++b) {
        char lower = *a >= 'A' && *a <= 'Z' ? (char)(*a - 'A' + 'a') : *a;
        if (lower != *b) {
            return false;
        }
    }
    return *a == *b;
}

lim_io_format lim_io_format_of(const char* path) {
    const char* dot = path != NULL ? strrchr(path, '.') : NULL;
    if (dot == NULL) {
        return LIM_IO_UNKNOWN;
    }
    static const struct {
        const char* extension;
        lim_io_format format;
    } known[] = {{"obj", LIM_IO_OBJ}, {"ply", LIM_IO_PLY},   {"stl", LIM_IO_STL},
                 {"off", LIM_IO_OFF}, {"gltf", LIM_IO_GLTF}, {"glb", LIM_IO_GLB}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
        if (same_word(dot + 1, known[i].extension)) {
            return known[i].format;
        }
    }
    return LIM_IO_UNKNOWN;
}
