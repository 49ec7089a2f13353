/* SPDX-License-Identifier: MIT
 * Job: flaps of the skin on the right side. In: homes. Out: homes that follow the skin. Where one
 * blade goes on from another, their rims cross, and between them lie flaps thinner than a
 * sub-voxel: they see material of either side. The skin knows better. It is parted along the blades
 * already, so points that an edge joins belong to material that is joined. What edges between such
 * points hold together is a patch; one of few points that others border on is a flap, and takes the
 * home of its largest neighbour.
 */
#include "base/disjoint_set.h"
#include "edit/agree_work.h"

/* Points that a flap may have. A flap may lie behind another: nearly always two passes are enough,
 * and one more finds nothing. */
enum { FLAP_MOST = 48, PASSES = 4 };

typedef struct flaps {
    agree_work* w;
    int32_t* set;  /* sets of points: patches */
    int32_t* size; /* per root */
    int32_t* heir; /* per root: 1 + the point beyond its border that it takes its home from */
} flaps;

static bool is_joined(const matter* m, int32_t a, int32_t b) {
    bool joined = a == b;
    for (int32_t e = m->edge_offset[a]; e < m->edge_offset[a + 1] && !joined; ++e) {
        joined = m->edge_node[e] == b;
    }
    return joined;
}

/* Calls for each edge of the skin, from both of its triangles. */
static void visit_edges(flaps* f, void (*visit)(flaps* f, int32_t a, int32_t b)) {
    const surface_change* s = &f->w->skin->change;
    for (int32_t i = 0; i < 3 * s->triangle_count; ++i) {
        int32_t a = agree_vertex_point(f->w, s->indices[i]);
        int32_t b = agree_vertex_point(f->w, s->indices[i % 3 == 2 ? i - 2 : i + 1]);
        if (f->w->home[a] >= 0 && f->w->home[b] >= 0) {
            visit(f, a, b);
        }
    }
}

static void join_patches(flaps* f, int32_t a, int32_t b) {
    if (disjoint_root(f->set, a) != disjoint_root(f->set, b) &&
        is_joined(&f->w->change->after, f->w->home[a], f->w->home[b])) {
        disjoint_join(f->set, a, b);
    }
}

/* Of two patches that border on each other the smaller one may be a flap of the other. */
static void find_heirs(flaps* f, int32_t a, int32_t b) {
    int32_t one = disjoint_root(f->set, a), two = disjoint_root(f->set, b);
    if (one == two || f->size[one] > FLAP_MOST || f->size[one] > f->size[two]) {
        return;
    }
    int32_t *heir = &f->heir[one], had = *heir > 0 ? disjoint_root(f->set, *heir - 1) : -1;
    bool better =
        had < 0 || f->size[two] > f->size[had] || (f->size[two] == f->size[had] && b < *heir - 1);
    *heir = better ? b + 1 : *heir;
}

/* Equal patches that would take from each other: the one with the lower points stays. */
static bool is_flap(flaps* f, int32_t root) {
    int32_t heir = f->heir[root] > 0 ? disjoint_root(f->set, f->heir[root] - 1) : -1;
    return heir >= 0 && (f->size[heir] > f->size[root] || heir < root);
}

/* Returns how many points take another home. */
static int32_t pass(agree_work* w, flaps* f, int32_t* home) {
    int32_t count = 0;
    for (int32_t i = 0; i < w->points; ++i) {
        f->set[i] = i;
        f->size[i] = f->heir[i] = 0;
        home[i] = w->home[i];
    }
    visit_edges(f, join_patches);
    for (int32_t i = 0; i < w->skin_points; ++i) {
        f->size[disjoint_root(f->set, i)]++;
    }
    visit_edges(f, find_heirs);
    for (int32_t i = 0; i < w->skin_points; ++i) {
        int32_t root = disjoint_root(f->set, i);
        if (home[i] >= 0 && is_flap(f, root)) {
            w->home[i] = home[f->heir[root] - 1];
            w->renew[i] = 1;
            count++;
        }
    }
    return count;
}

lim_result agree_flaps(agree_work* w) {
    flaps f = {.w = w,
               .set = ARENA_ROOM(&w->mem, int32_t, w->points),
               .size = ARENA_ROOM(&w->mem, int32_t, w->points),
               .heir = ARENA_ROOM(&w->mem, int32_t, w->points)};
    int32_t* home = ARENA_ROOM(&w->mem, int32_t, w->points); /* as they were */
    LIM_TRY_MEMORY(f.set);
    LIM_TRY_MEMORY(f.size);
    LIM_TRY_MEMORY(f.heir);
    LIM_TRY_MEMORY(home);
    for (int32_t k = 0; k < PASSES && pass(w, &f, home) > 0; ++k) {
    }
    return LIM_OK;
}
