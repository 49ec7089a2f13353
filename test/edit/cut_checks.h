/* SPDX-License-Identifier: MIT
 * What must hold of a body after any edit, found anew by the slow way: a closed skin, parts of it
 * that are the components of the graph, triangles that each follow one piece of material, volumes,
 * masses, finite numbers.
 */
#ifndef LIMBER_CUT_CHECKS_H
#define LIMBER_CUT_CHECKS_H

#include "bound_checks.h"
#include "closed_surface.h"
#include "region_checks.h"
#include "test.h"
#include "world/world.h"

#include <string.h>

typedef struct cut_facts {
    bool closed;   /* every edge of the welded skin has one triangle on each side */
    bool agrees;   /* parts of the skin are the components of the graph, one to one */
    bool finite;   /* nodes and skin */
    int32_t parts; /* of the skin */
    int32_t torn;  /* triangles whose corners do not follow one piece of material */
    int32_t first_torn;
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

static inline body* cut_body_of(const lim_world* world, lim_body id) {
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

/* Every point has the weights of its place between the corners of its own cell, and no others. */
static inline bool cut_is_between_corners(const topology* t) {
    const matter* m = &t->matter;
    bool fine = true;
    for (int32_t i = 0; i < t->bind.count; ++i) {
        octant o = octant_of(m->key[t->point_home[i]]);
        lim_point at = p3_add(p3_of(bindings_rest(&t->bind, i)), t->rest_origin);
        double left = 1.0;
        const double place[3] = {(at.x - m->corner.x) / m->side - o.x,
                                 (at.y - m->corner.y) / m->side - o.y,
                                 (at.z - m->corner.z) / m->side - o.z};
        for (int k = 0; k < 8; ++k) {
            double phi = 1.0, has = 0.0;
            int32_t slot = t->bind.corner[8 * t->point_home[i] + k];
            for (int axis = 0; axis < 3; ++axis) {
                double l = fmin(fmax(place[axis], 0.0), 1.0);
                phi *= k >> axis & 1 ? l : 1.0 - l;
            }
            for (int n = 0; n < BINDING_NODES; ++n) {
                has += t->bind.bind[i].node[n] == slot ? (double)t->bind.bind[i].weight[n] : 0.0;
            }
            fine = fine && fabs(has - phi) < 1e-4;
            left -= has;
        }
        fine = fine && fabs(left) < 1e-5;
    }
    return fine;
}

/* Every point is bound, and every region made, as if all were made anew. */
static inline bool cut_is_bound(const topology* t) {
    return derived_as_anew(t) && regions_as_anew(t) &&
           (t->kind->nodes == LIM_NODES_AT_CORNERS ? cut_is_between_corners(t) : bound_as_anew(t));
}

/* Fragments that hang together with the first home of a triangle within the box of its corners and
 * homes and a cell about it. */
typedef struct cut_walk {
    const topology* t;
    int32_t* stamp; /* per fragment: the walk that has reached it */
    int32_t* queue;
    int32_t walks;
} cut_walk;

/* Does the field that moves the skin go on from one fragment of a lattice to another? Cells that
 * touch have the same nodes at every corner that they share; links see to it where material leads
 * over, and where the lattice holds together what lies beside each other nothing has parted it. */
static inline bool cut_goes_on(const topology* t, int32_t f, int32_t g) {
    octant a = octant_of(t->matter.key[f]), b = octant_of(t->matter.key[g]);
    const int32_t away[3] = {a.x - b.x, a.y - b.y, a.z - b.z};
    int32_t shared = 0;
    for (int32_t k = 0; k < 8; ++k) {
        int32_t other = 0, both = 1;
        for (int axis = 0; axis < 3; ++axis) {
            int32_t at = away[axis] + (k >> axis & 1);
            both = both && at >= 0 && at <= 1;
            other |= (at & 1) << axis;
        }
        if (both && t->bind.corner[8 * f + k] != t->bind.corner[8 * g + other]) {
            return false;
        }
        shared += both;
    }
    return shared > 0;
}

static inline bool cut_in_box(const matter* m, int32_t fragment, const int32_t low[3],
                              const int32_t high[3]) {
    octant o = octant_of(m->key[fragment]);
    return o.x >= low[0] && o.x <= high[0] && o.y >= low[1] && o.y <= high[1] && o.z >= low[2] &&
           o.z <= high[2];
}

typedef struct cut_box {
    int32_t low[3], high[3];
} cut_box;

static inline int32_t cut_reach(cut_walk* w, int32_t fragment, const cut_box* box, int32_t tail) {
    if (w->stamp[fragment] != w->walks &&
        cut_in_box(&w->t->matter, fragment, box->low, box->high)) {
        w->stamp[fragment] = w->walks;
        w->queue[tail++] = fragment;
    }
    return tail;
}

/* The first fragment whose key is not below. */
static inline int32_t cut_first_of(const matter* m, uint64_t key) {
    int32_t low = 0, high = m->count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        low = m->key[middle] < key ? middle + 1 : low;
        high = low <= middle ? middle : high;
    }
    return low;
}

/* From a fragment on: along the graph, and in a lattice wherever the field goes on. There links
 * lead to where it does; but glue that holds a layer too thin for its cells leads over a gap of
 * one. */
static inline int32_t cut_spread(cut_walk* w, int32_t from, const cut_box* box, int32_t tail) {
    const matter* m = &w->t->matter;
    for (int32_t e = m->edge_offset[from]; e < m->edge_offset[from + 1]; ++e) {
        tail = cut_reach(w, m->edge_node[e], box, tail);
    }
    if (w->t->kind->nodes != LIM_NODES_AT_CORNERS) {
        return tail;
    }
    octant o = octant_of(m->key[from]);
    for (int k = 0; k < 27; ++k) {
        octant c = {o.level, o.x + k % 3 - 1, o.y + k / 3 % 3 - 1, o.z + k / 9 - 1};
        uint64_t key = c.x >= 0 && c.y >= 0 && c.z >= 0 ? octant_key(c) : UINT64_MAX;
        for (int32_t i = cut_first_of(m, key); i < m->count && m->key[i] == key; ++i) {
            tail = cut_goes_on(w->t, from, i) ? cut_reach(w, i, box, tail) : tail;
        }
    }
    return tail;
}

static inline bool cut_hangs_together(cut_walk* w, const lim_point at[3], const int32_t home[3]) {
    const matter* m = &w->t->matter;
    cut_box box = {{INT32_MAX, INT32_MAX, INT32_MAX}, {0, 0, 0}};
    if (home[0] == home[1] && home[0] == home[2]) {
        return true;
    }
    for (int k = 0; k < 3; ++k) {
        octant o = octant_of(m->key[home[k]]);
        lim_point c = p3_scale(p3_sub(at[k], m->corner), 1.0 / m->side);
        const int32_t cell[2][3] = {{o.x, o.y, o.z}, {(int32_t)c.x, (int32_t)c.y, (int32_t)c.z}};
        for (int i = 0; i < 6; ++i) {
            int32_t x = cell[i / 3][i % 3];
            box.low[i % 3] = x - 1 < box.low[i % 3] ? x - 1 : box.low[i % 3];
            box.high[i % 3] = x + 1 > box.high[i % 3] ? x + 1 : box.high[i % 3];
        }
    }
    w->walks++;
    int32_t tail = cut_reach(w, home[0], &box, 0);
    bool all = false;
    for (int32_t head = 0; head < tail && !all; ++head) {
        tail = cut_spread(w, w->queue[head], &box, tail);
        all = w->stamp[home[1]] == w->walks && w->stamp[home[2]] == w->walks;
    }
    return all;
}

/* Triangles of the skin whose corners do not follow one piece of material: homes that only lead to
 * each other a long way round, about the end of a cut, or not at all. */
static inline int32_t cut_count_torn(const topology* t, int32_t* out_first) {
    int32_t torn = 0;
    cut_walk w = {.t = t};
    w.stamp = calloc((size_t)t->matter.count + 1, sizeof(int32_t));
    w.queue = calloc((size_t)t->matter.count + 1, sizeof(int32_t));
    for (int32_t i = 0; i < t->triangle_count; ++i) {
        lim_point at[3];
        int32_t home[3];
        for (int k = 0; k < 3; ++k) {
            int32_t point = t->vertex_point[t->indices[3 * i + k]];
            at[k] = t->skin_point[point];
            home[k] = t->point_home[point];
        }
        bool whole = cut_hangs_together(&w, at, home);
        *out_first = !whole && torn == 0 ? i : *out_first;
        torn += !whole;
    }
    free(w.stamp);
    free(w.queue);
    return torn;
}

/* Parts of the skin and pieces of the material, one to one. A blade that touches the skin nowhere
 * leaves a slit: a part that holds nothing, within a piece. A chip may hold as little; then its
 * piece has no other part, and of material the share of a cell that every sliver gets. */
static inline void cut_match_parts(const topology* t, int32_t* root, const double* part_volume,
                                   cut_facts* f) {
    double cell = t->matter.side * t->matter.side * t->matter.side;
    int32_t* part_component = malloc((size_t)t->point_count * sizeof(int32_t));
    int32_t* component_part = malloc((size_t)t->component_count * sizeof(int32_t));
    double* material = calloc((size_t)t->component_count, sizeof(double));
    for (int32_t i = 0; i < t->point_count; ++i) {
        part_component[i] = -1;
    }
    for (int32_t c = 0; c < t->component_count; ++c) {
        component_part[c] = -1;
    }
    for (int32_t i = 0; i < t->matter.count; ++i) {
        material[t->slot_component[t->fragment_slot[i]]] += t->matter.volume[i];
    }
    for (int chips = 0; chips < 2; ++chips) {
        for (int32_t i = 0; i < 3 * t->triangle_count; ++i) {
            int32_t point = t->vertex_point[t->indices[i]], part = cut_root(root, point);
            int32_t piece = t->bind.component[point];
            bool empty = fabs(part_volume[part]) < 1e-9 * cell;
            if (component_part[piece] < 0 &&
                (!empty || (chips && material[piece] < 1.01 * FRAGMENT_SHARE * cell))) {
                component_part[piece] = part;
            }
        }
    }
    for (int32_t i = 0; i < 3 * t->triangle_count; ++i) {
        int32_t point = t->vertex_point[t->indices[i]], part = cut_root(root, point);
        int32_t piece = t->bind.component[point];
        bool own = component_part[piece] == part, slit = fabs(part_volume[part]) < 1e-9 * cell;
        f->parts += part_component[part] < 0 && (own || !slit);
        part_component[part] = part_component[part] < 0 ? piece : part_component[part];
        f->agrees = f->agrees && part_component[part] == piece && (own || slit);
    }
    f->agrees = f->agrees && f->parts == t->component_count;
    free(part_component);
    free(component_part);
    free(material);
}

static inline cut_facts cut_look(body* b) {
    const topology* t = b->topology;
    cut_facts f = {.closed = cut_is_closed(t), .agrees = true, .finite = true};
    int32_t* root = malloc((size_t)t->point_count * sizeof(int32_t));
    double* part_volume = calloc((size_t)t->point_count, sizeof(double));
    for (int32_t i = 0; i < t->point_count; ++i) {
        root[i] = i;
    }
    for (int32_t i = 0; i < 3 * t->triangle_count; ++i) {
        int32_t a = cut_root(root, t->vertex_point[t->indices[i]]);
        int32_t c = cut_root(root, t->vertex_point[t->indices[i % 3 == 2 ? i - 2 : i + 1]]);
        root[a > c ? a : c] = a > c ? c : a;
    }
    for (int32_t i = 0; i < t->triangle_count; ++i) {
        lim_point p[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = t->skin_point[t->vertex_point[t->indices[3 * i + k]]];
        }
        double volume = p3_dot(p[0], p3_cross(p[1], p[2])) / 6.0;
        f.volume += volume;
        part_volume[cut_root(root, t->vertex_point[t->indices[3 * (size_t)i]])] += volume;
    }
    cut_match_parts(t, root, part_volume, &f);
    for (int32_t i = 0; i < t->matter.count; ++i) {
        f.matter += t->matter.volume[i];
    }
    for (int32_t i = 0; i < t->slot_count; ++i) {
        f.nodes += (double)t->volume[i];
        for (int k = 0; k < 3; ++k) {
            f.finite = f.finite && isfinite(b->d[k][i]) && isfinite(b->v[k][i]);
        }
    }
    const body_skin* skin = body_skin_now(b, isa_best(), NULL);
    for (int32_t i = 0; i < 3 * t->vertex_count; ++i) {
        f.finite = f.finite && isfinite(skin->positions[i]) && isfinite(skin->normals[i]);
    }
    f.torn = cut_count_torn(t, &f.first_torn);
    free(root);
    free(part_volume);
    return f;
}

#endif
