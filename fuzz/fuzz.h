/* SPDX-License-Identifier: MIT
 * What every fuzzer has: the entry that libFuzzer (or replay.c) calls with some bytes.
 */
#ifndef LIMBER_FUZZ_H
#define LIMBER_FUZZ_H

#include <limber/io.h>

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);

/* Reads bytes as a mesh of this format and holds the reader to its promises. */
static inline int fuzz_mesh(const uint8_t* bytes, size_t size, lim_io_format format) {
    lim_mesh* mesh = NULL;
    lim_io_report report;
    lim_io_message message;
    lim_result result =
        lim_io_parse_mesh(bytes, size, format, NULL, NULL, &mesh, &report, &message);
    bool kept = (result == LIM_OK) == (mesh != NULL) &&
                (result == LIM_OK) == (message.text[0] == '\0') && report.repairs >= 0 &&
                (report.repairs == 0) == (report.first_repair.text[0] == '\0');
    if (mesh != NULL) {
        lim_mesh_view view = lim_mesh_get_view(mesh);
        for (int32_t i = 0; i < 3 * view.triangle_count; ++i) {
            kept = kept && view.indices[i] < (uint32_t)view.vertex_count;
        }
    }
    lim_mesh_destroy(mesh);
    if (!kept) {
        __builtin_trap();
    }
    return 0;
}

#endif
