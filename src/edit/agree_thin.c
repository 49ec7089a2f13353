/* SPDX-License-Identifier: MIT
 * Job: what is too thin to look into. In: the triangles near a blade. Out: those that have another
 * side of their part just behind them: a flap between a blade and the cut that it runs along, or
 * the edge of a wedge. A point of such a triangle alone would look out of the other side, at
 * material of its neighbour. Lips that lie on each other but for rounding are none: there is
 * nothing between them.
 */
#include "edit/agree_work.h"

#include "edit/cut_faces.h"
#include "mesh/bvh.h"
#include "mesh/triangle.h"

#include <string.h>

static const double LIPS = 1e-13; /* unit space: lips of one blade are closer */

static face_shape shape_of(const agree_work* w, int32_t triangle) {
    const int32_t* v = w->near + 3 * (size_t)triangle;
    return face_shape_of(agree_place(w, v[0]), agree_place(w, v[1]), agree_place(w, v[2]));
}

typedef struct search {
    const agree_work* w;
    double thin;   /* unit space */
    int32_t count; /* faces near the blade */
    int32_t* face; /* which of the triangles near */
    bvh* tree;
    face_shape from;
    int32_t part;
    bool found;
} search;

static bool meet(void* user, int32_t which) {
    search* s = user;
    int32_t triangle = s->face[which];
    if (s->w->part[s->w->near[3 * (size_t)triangle]] != s->part) {
        return true;
    }
    face_shape other = shape_of(s->w, triangle);
    if (p3_dot(other.normal, s->from.normal) > -0.9) {
        return true;
    }
    double share[3];
    triangle_closest(other.at[0], other.at[1], other.at[2], s->from.middle, share);
    lim_point on = triangle_point_at(other.at[0], other.at[1], other.at[2], share);
    lim_point way = p3_sub(s->from.middle, on);
    double deep = p3_dot(way, s->from.normal);
    s->found = deep > LIPS && deep <= s->thin && p3_length(way) <= 1.5 * s->thin;
    return !s->found;
}

static lim_result list_faces(agree_work* w, search* s) {
    uint32_t mesh = (uint32_t)(w->t->vertex_count - w->t->source_count);
    uint8_t* face;
    LIM_TRY(cut_faces_mark(&w->mem, w->t, &w->skin->change, &face));
    s->face = ARENA_ROOM(&w->mem, int32_t, w->near_count);
    LIM_TRY_MEMORY(s->face);
    for (int32_t i = 0; i < w->near_count; ++i) {
        uint32_t vertex = w->skin->change.indices[3 * (size_t)w->near_name[i]];
        if (vertex >= mesh && face[vertex - mesh] != 0) {
            s->face[s->count++] = i;
        }
    }
    return LIM_OK;
}

static lim_result make_tree(agree_work* w, search* s) {
    size_t n = 3 * (size_t)s->count;
    lim_vec3* point = ARENA_ROOM(&w->mem, lim_vec3, n);
    int32_t* corner = ARENA_ROOM(&w->mem, int32_t, n);
    LIM_TRY_MEMORY(point);
    LIM_TRY_MEMORY(corner);
    for (int32_t i = 0; i < 3 * s->count; ++i) {
        point[i] = v3_of(agree_place(w, w->near[3 * (size_t)s->face[i / 3] + (size_t)(i % 3)]));
        corner[i] = i;
    }
    return bvh_build(&w->mem, point, corner, s->count, &s->tree);
}

lim_result agree_thin(agree_work* w, double deep, uint8_t* out) {
    search s = {.w = w, .thin = deep};
    LIM_TRY(list_faces(w, &s));
    LIM_TRY(make_tree(w, &s));
    double reach = 2.0 * deep + 1e-6; /* the tree has floats */
    lim_point r = p3(reach, reach, reach);
    memset(out, AGREE_THICK, (size_t)w->near_count);
    for (int32_t i = 0; i < s.count; ++i) {
        int32_t t = s.face[i];
        s.from = shape_of(w, t);
        s.part = w->part[w->near[3 * (size_t)t]];
        s.found = false;
        if (s.from.height > 6.0 * deep) { /* its middle is off its edges by more than it looks */
            bvh_visit(s.tree, v3_of(p3_sub(s.from.middle, r)), v3_of(p3_add(s.from.middle, r)),
                      meet, &s);
        }
        out[t] = s.from.height <= 6.0 * deep ? AGREE_SLENDER : s.found ? AGREE_THIN : AGREE_THICK;
    }
    return LIM_OK;
}
