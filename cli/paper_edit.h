/* SPDX-License-Identifier: MIT
 * Entries of `limber paper` about bodies that change while they run.
 */
#ifndef LIMBER_PAPER_EDIT_H
#define LIMBER_PAPER_EDIT_H

#include "cli/paper_rows.h"
#include "scenes/scene.h"

/* 000.fig3: a liver that is cut. */
lim_result paper_cuts(const lim_host* host, paper_rows* rows);
/* 000.fig6: forty flowers, one of which is refined. */
lim_result paper_flowers(const lim_host* host, paper_rows* rows);

/* What the first body of a run is like now. */
lim_result paper_model_now(const scene_run* run, lim_model_info* info, int32_t* triangles);

/* A picture of a run as it is now: the skin alone, or with an overlay. */
typedef struct paper_still {
    uint32_t overlay;
    int32_t size[2];
} paper_still;
lim_result paper_draw_now(const paper_still* still, const scene_run* run, bool plain,
                          const char* caption, const lim_host* host, lim_image* out);

/* Of 000.fig6: rows about a petal of one flower of a scene that is grabbed and pulled, by what
 * cells it has; pictures in panel[0] and, of its cells, panel[3], unless it is null. */
typedef enum paper_petal_cells {
    PAPER_PETAL_COARSE = 0, /* as they are */
    PAPER_PETAL_TOUCH,      /* as the scene's detail wishes */
    PAPER_PETAL_FINE        /* the finest everywhere, regions as wide */
} paper_petal_cells;
lim_result paper_petal(const scene* of, paper_petal_cells cells, const paper_still* still,
                       const lim_host* host, paper_rows* rows, lim_image* panel);

#endif
