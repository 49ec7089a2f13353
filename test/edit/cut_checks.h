/* SPDX-License-Identifier: MIT
 * What must hold of a body after any edit, found anew by the slow way: a closed skin, parts of it
 * that are the components of the graph, volumes, masses, finite numbers.
 */
#ifndef LIMBER_CUT_CHECKS_H
#define LIMBER_CUT_CHECKS_H

#include "bound_checks.h"
#include "closed_surface.h"
#include "test.h"
#include "world/world.h"

#include <string.h>

typedef struct cut_facts {
    bool closed;   /* every edge of the welded skin has one triangle on each side */
    bool agrees;   /* parts of the skin are the components of the graph, one to one */
    bool finite;   /* nodes and skin */
    int32_t parts; /* of the skin */
    double volume; /* inside the skin at rest, unit space cubed */
    double matter; /* sum over fragments */
    double nodes;  /* sum over nodes */
} cut_facts;

static inline int32_t cut_root(int32_t* root, int32_t i) {
    while (root[i] != i) {
        i = root[i] = root[root[i]];
    }
    return i;
}

static inline const body* cut_body_of(const lim_world* world, lim_body id) {
    return &world->bodies[id.index]->body;
}

/* Over the points of the vertices. */
static inline bool cut_is_closed(const topology* t) {
    int32_t* corner = malloc(3 * (size_t)t->triangle_count * sizeof *corner + 1);
    for (int32_t i = 0; i < 3 * t->triangle_count; ++i) {
        corner[i] = t->vertex_point[t->indices[i]];
    }
    bool closed = kit_closed(corner, t->triangle_count);
    free(corner);
    return closed;
}

static inline cut_facts cut_look(const body* b) {
    const topology* t = b->topology;
    cut_facts f = {.closed = cut_is_closed(t), .agrees = true, .finite = true};
    int32_t* root = malloc((size_t)t->point_count * sizeof(int32_t));
    int32_t* part_component = malloc((size_t)t->point_count * sizeof(int32_t));
    int32_t* component_part = malloc((size_t)t->component_count * sizeof(int32_t));
    for (int32_t i = 0; i < t->point_count; ++i) {
        root[i] = i;
        part_component[i] = -1;
    }
    for (int32_t i = 0; i < 3 * t->triangle_count; ++i) {
        int32_t a = cut_root(root, t->vertex_point[t->indices[i]]);
        int32_t c = cut_root(root, t->vertex_point[t->indices[i % 3 == 2 ? i - 2 : i + 1]]);
        root[a > c ? a : c] = a > c ? c : a;
    }
    for (int32_t c = 0; c < t->component_count; ++c) {
        component_part[c] = -1;
    }
    for (int32_t i = 0; i < 3 * t->triangle_count; ++i) {
        int32_t point = t->vertex_point[t->indices[i]], part = cut_root(root, point);
        int32_t piece = t->bind.component[point];
        f.parts += part_component[part] < 0;
        part_component[part] = part_component[part] < 0 ? piece : part_component[part];
        component_part[piece] = component_part[piece] < 0 ? part : component_part[piece];
        f.agrees = f.agrees && part_component[part] == piece && component_part[piece] == part;
    }
    f.agrees = f.agrees && f.parts == t->component_count;
    for (int32_t i = 0; i < t->triangle_count; ++i) {
        lim_point p[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = t->skin_point[t->vertex_point[t->indices[3 * i + k]]];
        }
        f.volume += p3_dot(p[0], p3_cross(p[1], p[2])) / 6.0;
    }
    for (int32_t i = 0; i < t->matter.count; ++i) {
        f.matter += t->matter.volume[i];
    }
    for (int32_t i = 0; i < t->slot_count; ++i) {
        f.nodes += (double)t->volume[i];
        for (int k = 0; k < 3; ++k) {
            f.finite = f.finite && isfinite(b->d[k][i]) && isfinite(b->v[k][i]);
        }
    }
    const body_skin* skin = &b->skin[b->skin_front];
    for (int32_t i = 0; i < 3 * t->vertex_count; ++i) {
        f.finite = f.finite && isfinite(skin->positions[i]) && isfinite(skin->normals[i]);
    }
    free(root);
    free(part_component);
    free(component_part);
    return f;
}

#endif
