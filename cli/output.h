/* SPDX-License-Identifier: MIT
 * Results of a run as files, by the extension of their name.
 */
#ifndef LIMBER_OUTPUT_H
#define LIMBER_OUTPUT_H

#include "cli/draw.h"

typedef enum output_kind {
    OUTPUT_UNKNOWN,
    OUTPUT_PNG, /* a contact sheet */
    OUTPUT_GLB, /* an animation */
    OUTPUT_OBJ, /* a series: name_0001.obj ... */
    OUTPUT_PLY,
    OUTPUT_MP4,
    OUTPUT_JSON /* the report */
} output_kind;

typedef struct output_look {
    int32_t size[2];          /* pixels of a picture; 0: chosen */
    const lim_camera* camera; /* null: chosen */
    bool quiet;
    bool one_moment; /* a PNG is the frame nearest to `at`, not a contact sheet */
    double at;       /* seconds */
} output_look;

output_kind output_kind_of(const char* path);
/* Whether a file of this name can be written; the message names the cure. */
bool output_is_possible(const char* path, lim_io_message* out_message);
/* Whether what is written to `path` would go over the file `other`. */
bool output_is_file(const char* path, const char* other);
/* Writes a film; every kind but OUTPUT_JSON. out_sheet is filled by OUTPUT_PNG. */
lim_result output_write(const film* f, const char* path, const output_look* look,
                        draw_sheet_report* out_sheet, lim_io_message* out_message);

#endif
