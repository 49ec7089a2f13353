/* SPDX-License-Identifier: MIT
 * Job: which closed part lies in which. In: the signs of their volumes. Out: the signs they should
 * have. A part lies in another when lines along x from its corners cross that other an odd number
 * of times on the way out. A part in an even number of others is a solid. A part in an odd number
 * is what it is relative to its parent, the smallest of them: turned against it, a cavity; turned
 * like it, a solid in a solid. So a hollow ball stays hollow, also when all of it is inside out.
 */
#include "mesh/bvh.h"
#include "mesh/clean.h"
#include "mesh/crossing.h"

enum { PROBES = 3 };

typedef struct nesting {
    const cleaning* c;
    const int32_t* sign;
    int32_t own; /* part that the line starts from */
    lim_point from;
    int32_t *crossings, *votes; /* per part */
    int32_t* touched;           /* parts with crossings or votes */
    uint8_t* is_touched;
    int32_t touched_count;
} nesting;

static bool count_crossing(void* user, int32_t triangle) {
    nesting* n = user;
    int32_t part = n->c->mesh->triangle_part[triangle];
    if (part == n->own || n->sign[part] == 0 || n->c->twin[triangle] >= 0) {
        return true;
    }
    const int32_t* corner = n->c->corner + 3 * (size_t)triangle;
    const lim_vec3* point = n->c->mesh->point;
    double x = 0.0;
    int sign = crossing_triangle(p3_of(point[corner[0]]), p3_of(point[corner[1]]),
                                 p3_of(point[corner[2]]), n->from.y, n->from.z, &x);
    if (sign != 0 && x > n->from.x) {
        n->crossings[part] += sign;
        if (!n->is_touched[part]) {
            n->is_touched[part] = 1;
            n->touched[n->touched_count++] = part;
        }
    }
    return true;
}

static lim_result allocate(nesting* n, arena* scratch, int32_t parts) {
    n->crossings = ARENA_ARRAY(scratch, int32_t, parts);
    n->votes = ARENA_ARRAY(scratch, int32_t, parts);
    n->touched = ARENA_ARRAY(scratch, int32_t, parts);
    n->is_touched = ARENA_ARRAY(scratch, uint8_t, parts);
    LIM_TRY_MEMORY(n->crossings);
    LIM_TRY_MEMORY(n->votes);
    LIM_TRY_MEMORY(n->touched);
    LIM_TRY_MEMORY(n->is_touched);
    return LIM_OK;
}

/* Number of parts that the own part lies in, and the smallest of them. */
static int32_t depth_of(nesting* n, const bvh* tree, const lim_vec3* probe, int32_t* out_parent) {
    n->touched_count = 0;
    for (int i = 0; i < PROBES; ++i) {
        n->from = p3_of(probe[i]);
        bvh_visit(tree, probe[i], v3(1.0f, probe[i].y, probe[i].z), count_crossing, n);
        for (int32_t k = 0; k < n->touched_count; ++k) {
            int32_t part = n->touched[k];
            n->votes[part] += n->crossings[part] != 0;
            n->crossings[part] = 0;
        }
    }
    int32_t depth = 0;
    const double* volume = n->c->mesh->part_volume;
    *out_parent = -1;
    for (int32_t k = 0; k < n->touched_count; ++k) {
        int32_t part = n->touched[k];
        if (2 * n->votes[part] > PROBES) {
            depth++;
            bool smaller = *out_parent < 0 || fabs(volume[part]) < fabs(volume[*out_parent]) ||
                           (fabs(volume[part]) == fabs(volume[*out_parent]) && part < *out_parent);
            *out_parent = smaller ? part : *out_parent;
        }
        n->votes[part] = 0;
        n->is_touched[part] = 0;
    }
    return depth;
}

lim_result clean_nesting(cleaning* c, int32_t* sign) {
    const lim_mesh* mesh = c->mesh;
    int32_t parts = mesh->report.parts, closed = 0;
    for (int32_t part = 0; part < parts; ++part) {
        closed += sign[part] != 0;
    }
    int32_t* wanted = ARENA_ARRAY(&c->scratch, int32_t, parts);
    lim_vec3* probe = ARENA_ARRAY(&c->scratch, lim_vec3, PROBES * (size_t)parts);
    LIM_TRY_MEMORY(wanted);
    LIM_TRY_MEMORY(probe);
    bvh* tree = NULL;
    nesting n = {.c = c, .sign = sign};
    if (closed > 1) {
        LIM_TRY(bvh_build(&c->scratch, mesh->point, c->corner, c->triangle_count, &tree));
        LIM_TRY(allocate(&n, &c->scratch, parts));
        /* Two corners of the first triangle of a part and one of the last: far apart, mostly. */
        for (int32_t i = 0; i < c->triangle_count; ++i) {
            int32_t t = c->triangle_count - 1 - i;
            lim_vec3* p = probe + PROBES * (size_t)mesh->triangle_part[t];
            p[0] = mesh->point[c->corner[3 * t]];
            p[1] = mesh->point[c->corner[3 * t + 1]];
            probe[PROBES * (size_t)mesh->triangle_part[i] + 2] = mesh->point[c->corner[3 * i + 2]];
        }
    }
    for (int32_t part = 0; part < parts; ++part) {
        wanted[part] = sign[part] != 0 ? 1 : 0;
        if (sign[part] != 0 && tree != NULL) {
            int32_t parent = -1;
            n.own = part;
            int32_t depth = depth_of(&n, tree, probe + PROBES * (size_t)part, &parent);
            wanted[part] = depth % 2 == 1 ? sign[part] * sign[parent] : 1;
        }
    }
    for (int32_t part = 0; part < parts; ++part) {
        sign[part] = wanted[part];
    }
    return LIM_OK;
}
