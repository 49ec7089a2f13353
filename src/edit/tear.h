/* SPDX-License-Identifier: MIT
 * Tearing: the blades of a fracture (edit/fracture_plan.h), which are at rest already, as one edit
 * of a body: its topology is made anew once for each component that tears.
 */
#ifndef LIMBER_TEAR_H
#define LIMBER_TEAR_H

#include "edit/edit.h"
#include "edit/fracture_plan.h"

/* How far each link of a body is stretched, and by which share of its limit. */
typedef struct tear_limit {
    float strain; /* > 0 */
    const lim_zone* zones;
    int32_t zone_count;
} tear_limit;

/* Whether a link may be over its limit: a quick look, never false where tear_measure finds one. */
bool tear_is_near(const body* b, const tear_limit* limit);
/* Links over slots with their strain and limits, in `a`. Of a link that is longer than at rest,
 * strain is (now - rest) / rest over the least factor of the zones along it; between nodes closer
 * than half of a cell's edge that counts as `rest`, or slivers would break at a breath. What
 * no blade between the two cells would part is not strained: glue, and links around an edge. */
lim_result tear_measure(arena* a, const body* b, const tear_limit* limit, fracture_links* out);

typedef struct tear_plan {
    const fracture_plan* breaks; /* over the slots of the body's topology */
    int32_t inner_submesh;
    uint64_t stroke; /* as that of edit_cut_plan */
    bool draw;       /* likewise */
} tear_plan;

/* out_parted: per blade, whether it has cut; in with->a. A blade that finds no sound cut is left
 * out: its links may break in another edit, by a blade that lies a little aside. LIM_OK with
 * made->report.changed false: none has cut, and there is no body. */
lim_result edit_tear(const edit_means* with, const body* b, const tear_plan* plan, edit_made* made,
                     uint8_t** out_parted);

#endif
