/* SPDX-License-Identifier: MIT
 * One story of all edits on the patient of edit_kit.h, in chapters, for tests that compare how it
 * ends: saved and loaded on the way, with any number of workers, on any machine.
 */
#ifndef LIMBER_EDIT_STORY_H
#define LIMBER_EDIT_STORY_H

#include "edit_kit.h"

/* What is done to a patient, in order. Each is a step of a story. */
enum { STORY_LENGTH = 10 };
static inline void story_tell(edit_patient* p, int chapter) {
    lim_world* w = p->world;
    lim_refine_desc near = edit_ball(0.3, 1, 0.25, 0), all = edit_ball(0, 0.9, 3, 0);
    lim_detail d = lim_detail_default();
    lim_world_detail eye = lim_world_detail_default();
    edit_sweep s = edit_blade_at(-0.15, 1, 0.5, 0.05);
    lim_cut_desc fine = edit_cut_desc(&s, false, 1);
    switch (chapter) {
    case 0:
        CHECK(edit_cut_at(w, p->bar, 0.2, 1, 0.5, 0.02, false, NULL) == LIM_OK);
        break;
    case 1:
        CHECK(edit_cut_at(w, p->bar, 0.2, 1, 0.02, -0.5, true, NULL) == LIM_OK);
        break;
    case 2:
        CHECK(lim_body_refine(w, p->bar, &near, NULL) == edit_of_levels());
        break;
    case 3:
        CHECK(lim_body_cut(w, p->bar, &fine, NULL) == LIM_OK);
        break;
    case 4:
        CHECK(edit_cut_at(w, p->bar, -0.15, 1, 0.05, -0.06, true, NULL) == LIM_OK);
        break;
    case 5:
        CHECK(edit_cut_at(w, p->below, 0.1, 0.7, 0.5, -0.5, false, NULL) == LIM_OK);
        break;
    case 6:
        CHECK(edit_split(w, p->bar) > 0);
        break;
    case 7:
        CHECK(lim_body_coarsen(w, p->bar, &all, NULL) == edit_of_levels());
        break;
    case 8:
        d.angle = 0.06f;
        d.strain_fine = 0.2f;
        d.strain_coarse = 0.02f;
        eye.eye = (lim_point){0.2, 1, 0.8};
        eye.work = 40;
        CHECK(lim_body_set_detail(w, p->bar, &d) == edit_of_levels());
        CHECK(lim_world_set_detail(w, &eye) == LIM_OK);
        break;
    default:
        CHECK(edit_split(w, p->below) > 0);
        break;
    }
    edit_steps(w, TEST_RACES ? 1 : 3);
}

#endif
