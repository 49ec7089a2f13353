/* SPDX-License-Identifier: MIT
 * Pictures of a film: one frame, a contact sheet, a movie.
 */
#ifndef LIMBER_DRAW_H
#define LIMBER_DRAW_H

#include "cli/film.h"
#include "cli/say.h"

/* The numbers of a contact sheet, for reports and tests. */
typedef struct draw_sheet_report {
    int32_t moments[8];
    float coverage[8]; /* share of each picture that bodies cover */
    int32_t count;
} draw_sheet_report;

/* Draws the moments of a contact sheet, each `size` pixels, all with one camera: `camera` or one
 * with its direction (framing.h), null: chosen. A size of 0 is chosen by the shape of what is seen.
 * images[0..count) are the caller's to destroy, also on failure (zeroed ones may be destroyed). */
lim_result draw_pictures(const film* f, const lim_camera* camera, const int32_t size[2],
                         lim_image images[8], draw_sheet_report* out_report);
/* The same as one PNG: 6 to 8 moments in rows of four, out_report may be null. */
lim_result draw_sheet(const film* f, const lim_camera* camera, const int32_t size[2],
                      const char* path, draw_sheet_report* out_report, lim_io_message* out_message);
/* The frame nearest to a time, as one PNG. */
lim_result draw_moment(const film* f, const lim_camera* camera, double at, const int32_t size[2],
                       const char* path, draw_sheet_report* out_report,
                       lim_io_message* out_message);
/* The first frame with a caption, seen whole; `plain`: the skins alone. The image has its size. */
lim_result draw_still(const film* f, bool plain, const int32_t size[2], const char* caption,
                      lim_image* image);
/* Every frame, or those until Ctrl-C comes while it draws, through ffmpeg. */
lim_result draw_movie(const film* f, const lim_camera* camera, const int32_t size[2],
                      const char* path, say_progress* progress, lim_io_message* out_message);

#endif
