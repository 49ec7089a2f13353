/* SPDX-License-Identifier: MIT
 * One agreement of skin and material, stage by stage: what its files hand to each other.
 */
#ifndef LIMBER_AGREE_WORK_H
#define LIMBER_AGREE_WORK_H

#include "base/array.h"
#include "base/sort.h"
#include "edit/agree.h"
#include "sample/linking.h"

typedef struct agree_work {
    arena* a; /* of the result */
    arena mem;
    const topology* t;
    const surface_cut* skin;
    int32_t component; /* of the material before: what was cut, -1: all */
    matter_change* change;
    int32_t old_skin, skin_points, points; /* welded points before; after; with felt ones */
    int32_t* home;  /* per point: a fragment of change->after, -1: none is seen */
    uint8_t* renew; /* per point: its home is told */
    int32_t part_count;
    const int32_t*
        part; /* per point of the skin, of all once agree_felt_parts was called; -1: none */
    /* triangles of the skin, over points: those with a corner that is near the blade, or whose home
     * is told (agree_list_near) */
    int32_t near_count, near_told;
    int32_t* near;
    int32_t* near_name; /* which of the skin's */
} agree_work;

typedef ARRAY(int32_t) agree_pairs;

/* Stages, in this order. */
lim_result agree_homes(agree_work* w); /* home of every point, as far as it sees material */
lim_result agree_part(agree_work* w);  /* what joins two parts of the skin is cut */
lim_result agree_fill(agree_work* w);  /* a part without material gets some */
lim_result agree_join(agree_work* w);  /* material of one part is held together */

/* Flaps between blades that go on from each other take the home of the skin about them. */
lim_result agree_flaps(agree_work* w);

/* Points without a home take that of a point next to them on the skin, of their own part. */
lim_result agree_spread(agree_work* w);

/* Parts of felt points too: that to which their triangles lead. */
lim_result agree_felt_parts(agree_work* w);

/* Lists the triangles near the blade, where more points have a home that is told than there were.
 */
lim_result agree_list_near(agree_work* w);

/* Per triangle near the blade (agree_list_near): whether a face of a cut has another one of its
 * part less deep behind its middle than `deep`, in unit space. What is not of a face is thick.
 * O(vertices + faces log faces). */
typedef enum agree_thickness { AGREE_THICK, AGREE_THIN, AGREE_SLENDER } agree_thickness;
lim_result agree_thin(agree_work* w, double deep, uint8_t* out);

/* Adds the glue there is: two fragments for each edge. */
lim_result agree_list_glue(const agree_work* w, agree_pairs* pair);

/* Components but for glue. */
static inline const int32_t* agree_names(const matter* m) {
    return m->unglued != NULL ? m->unglued : m->component;
}

/* In unit space. */
static inline lim_point agree_place(const agree_work* w, int32_t point) {
    if (point < w->old_skin) {
        return w->t->skin_point[point];
    }
    return point < w->skin_points ? w->skin->change.point[point - w->old_skin]
                                  : w->skin->change.felt_point[point - w->skin_points];
}
static inline int32_t agree_vertex_point(const agree_work* w, uint32_t vertex) {
    uint32_t olds = (uint32_t)w->t->vertex_count;
    return vertex < olds ? w->t->vertex_point[vertex] : w->skin->change.vertex_point[vertex - olds];
}
/* Cuts links by name; homes and sources follow. *out_new, where it is not null: per fragment after
 * it, which one it is a part of. */
lim_result agree_cut(agree_work* w, const matter_wall* wall, int32_t count, int32_t** out_new);

#endif
