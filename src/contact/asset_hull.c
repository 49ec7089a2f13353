/* SPDX-License-Identifier: MIT
 * Job: the convex hull of points, and distances to it. In: up to 1024 points. Out: its faces as
 * triangles with their planes. One point after the other: faces that it sees go, and their rim is
 * joined to it. Which faces it sees is decided exactly (math/predicates.h), so the hull is closed
 * and convex for any points, also many in a plane.
 */
#include "contact/asset.h"
#include "math/predicates.h"
#include "mesh/triangle.h"

#include <string.h>

/* Thinner than this share of its width a hull has no inside worth the name. */
#define THINNEST 1e-5
/* Nearer than this (metres) a point has no direction from an edge or a corner. */
#define NO_DIRECTION 1e-7

typedef struct hull_work {
    const lim_vec3* point;
    int32_t count, faces;
    int32_t (*face)[3];
    bool* sees;    /* per face */
    uint8_t* edge; /* count x count: directed edges of the faces that are seen */
} hull_work;

static lim_point point_of(const hull_work* w, int32_t i) {
    return p3_of(w->point[i]);
}

static int side_of(const hull_work* w, const int32_t face[3], int32_t p) {
    return orient3d(point_of(w, face[0]), point_of(w, face[1]), point_of(w, face[2]),
                    point_of(w, p));
}

/* The point with the largest value of a measure: from a; from the line a b; from the plane. */
static int32_t farthest(const hull_work* w, const int32_t* base, int known, double* out) {
    int32_t best = -1;
    *out = 0.0;
    for (int32_t i = 0; i < w->count; ++i) {
        lim_point r = p3_sub(point_of(w, i), point_of(w, base[0]));
        double value = p3_dot(r, r);
        if (known >= 2) {
            lim_point u = p3_sub(point_of(w, base[1]), point_of(w, base[0]));
            lim_point n = p3_cross(u, r);
            value = p3_dot(n, n) / p3_dot(u, u);
            if (known == 3) {
                lim_point v = p3_sub(point_of(w, base[2]), point_of(w, base[0]));
                lim_point m = p3_cross(u, v);
                double height = p3_dot(m, r);
                value = height * height / p3_dot(m, m);
            }
        }
        if (value > *out) {
            *out = value;
            best = i;
        }
    }
    return best;
}

/* Four points far apart, as the first four faces. False: all lie in about one plane. */
static bool begin(hull_work* w) {
    int32_t base[4] = {0, 0, 0, 0};
    double width = 0.0, value = 0.0;
    for (int known = 1; known < 4; ++known) {
        base[known] = farthest(w, base, known, &value);
        width = known == 1 ? value : width;
        if (base[known] < 0 || !(value > THINNEST * THINNEST * width)) {
            return false;
        }
    }
    int side = side_of(w, base, base[3]);
    if (side == 0) {
        return false;
    }
    if (side > 0) { /* the fourth point shall lie below the first three */
        int32_t swap = base[0];
        base[0] = base[1];
        base[1] = swap;
    }
    const int32_t faces[4][3] = {{base[0], base[1], base[2]},
                                 {base[1], base[0], base[3]},
                                 {base[2], base[1], base[3]},
                                 {base[0], base[2], base[3]}};
    memcpy(w->face, faces, sizeof faces);
    w->faces = 4;
    return true;
}

static void mark_edges(hull_work* w, int32_t face, uint8_t value) {
    for (int k = 0; k < 3; ++k) {
        int32_t a = w->face[face][k], b = w->face[face][k == 2 ? 0 : k + 1];
        w->edge[(size_t)a * (size_t)w->count + (size_t)b] = value;
    }
}

/* Joins a point to the rim of what it sees. New faces go behind the old ones; then what is seen
 * goes. A hull of n points has at most 2 n - 4 faces, and what is added at most as many more. */
static void add_point(hull_work* w, int32_t p) {
    int32_t old = w->faces, seen = 0;
    for (int32_t f = 0; f < old; ++f) {
        w->sees[f] = side_of(w, w->face[f], p) > 0;
        if (w->sees[f]) {
            seen++;
            mark_edges(w, f, 1);
        }
    }
    if (seen == 0) {
        return;
    }
    for (int32_t f = 0; f < old; ++f) {
        for (int k = 0; k < 3 && w->sees[f]; ++k) {
            int32_t a = w->face[f][k], b = w->face[f][k == 2 ? 0 : k + 1];
            if (!w->edge[(size_t)b * (size_t)w->count + (size_t)a]) {
                w->sees[w->faces] = false;
                w->face[w->faces][0] = a;
                w->face[w->faces][1] = b;
                w->face[w->faces++][2] = p;
            }
        }
    }
    int32_t kept = 0;
    for (int32_t f = 0; f < old; ++f) {
        if (w->sees[f]) {
            mark_edges(w, f, 0);
        }
    }
    for (int32_t f = 0; f < w->faces; ++f) {
        if (!w->sees[f]) {
            memmove(w->face[kept++], w->face[f], sizeof w->face[f]);
        }
    }
    w->faces = kept;
}

static lim_result keep_faces(collider_asset* a, const hull_work* w) {
    a->face = ARENA_ARRAY(&a->mem, hull_face, w->faces);
    a->face_point = ARENA_ARRAY(&a->mem, uint32_t, 3 * (size_t)w->faces);
    LIM_TRY_MEMORY(a->face);
    LIM_TRY_MEMORY(a->face_point);
    a->face_count = w->faces;
    a->lower = a->upper = point_of(w, w->face[0][0]);
    for (int32_t f = 0; f < w->faces; ++f) {
        hull_face* to = &a->face[f];
        for (int k = 0; k < 3; ++k) {
            to->corner[k] = point_of(w, w->face[f][k]);
            a->face_point[3 * f + k] = (uint32_t)w->face[f][k];
            a->lower = p3_min(a->lower, to->corner[k]);
            a->upper = p3_max(a->upper, to->corner[k]);
        }
        lim_point n =
            p3_cross(p3_sub(to->corner[1], to->corner[0]), p3_sub(to->corner[2], to->corner[0]));
        double length = p3_length(n);
        to->normal = length > 0.0 ? p3_scale(n, 1.0 / length) : p3(0, 0, 0);
        to->offset = p3_dot(to->normal, to->corner[0]);
    }
    return LIM_OK;
}

lim_result hull_build(collider_asset* a, const char** out_what, const char** out_cure) {
    arena scratch;
    arena_init(&scratch, &a->mem.host);
    hull_work w = {.point = a->from.points, .count = a->from.point_count};
    size_t n = (size_t)w.count;
    w.face = arena_alloc(&scratch, 4 * n + 8, sizeof *w.face);
    w.sees = ARENA_ARRAY(&scratch, bool, 4 * n + 8);
    w.edge = ARENA_ARRAY(&scratch, uint8_t, n * n);
    lim_result result = LIM_ERROR_MEMORY;
    if (w.face != NULL && w.sees != NULL && w.edge != NULL) {
        result = LIM_ERROR_ARGUMENT;
        *out_what = "points of the hull lie in about one plane";
        *out_cure = "give at least four that do not";
        if (begin(&w)) {
            for (int32_t p = 0; p < w.count; ++p) {
                add_point(&w, p);
            }
            result = keep_faces(a, &w);
        }
    }
    arena_release(&scratch);
    return result;
}

/* Inside, the least plane counts. Outside, the nearest point lies on a face whose plane the point
 * is in front of, and no such plane is farther away than the face. */
double hull_distance(const collider_asset* a, lim_point at, lim_point* out_normal) {
    int32_t first = 0;
    double most = -HUGE_VAL;
    for (int32_t f = 0; f < a->face_count; ++f) {
        double height = p3_dot(a->face[f].normal, at) - a->face[f].offset;
        if (height > most) {
            most = height;
            first = f;
        }
    }
    *out_normal = a->face[first].normal;
    if (!(most > 0.0)) {
        return most;
    }
    double best = HUGE_VAL;
    int32_t nearest = first;
    lim_point foot = at;
    bool over_face = false;
    for (int32_t k = -1; k < a->face_count; ++k) {
        int32_t f = k < 0 ? first : k; /* the most promising face first */
        const hull_face* face = &a->face[f];
        double height = p3_dot(face->normal, at) - face->offset;
        if (!(height > 0.0) || height * height > best || k == first) {
            continue;
        }
        double w[3];
        double d2 = triangle_closest(face->corner[0], face->corner[1], face->corner[2], at, w);
        if (d2 < best) {
            best = d2;
            nearest = f;
            over_face = w[0] > 0.0 && w[1] > 0.0 && w[2] > 0.0;
            foot = triangle_point_at(face->corner[0], face->corner[1], face->corner[2], w);
        }
    }
    double distance = sqrt(best);
    *out_normal = over_face || distance < NO_DIRECTION ? a->face[nearest].normal
                                                       : p3_scale(p3_sub(at, foot), 1.0 / distance);
    return distance;
}
