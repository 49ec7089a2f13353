/* SPDX-License-Identifier: MIT
 * Job: crumbs. In: a body of cubes in which glue reaches over a gap (body/remake_lattice.c). Out:
 * nodes that share no corner, over any number of cells, with most of their component go with the
 * node at the other end of the glue: no cube holds them. What is glued so is smaller than a
 * sub-voxel's surroundings; its inertia is not missed.
 */
#include "base/disjoint_set.h"
#include "body/hex_solver.h"

enum { CORNERS = 8 };

/* Groups of slots that cells hold together; the largest of each component by its nodes. */
typedef struct crumb_groups {
    int32_t *set, *size, *largest; /* per slot its group, nodes of each; per component */
} crumb_groups;

static lim_result find_groups(const body* b, arena* a, crumb_groups* out) {
    const topology* t = b->topology;
    out->set = ARENA_ARRAY(a, int32_t, t->slot_count);
    out->size = ARENA_ARRAY(a, int32_t, t->slot_count);
    out->largest = ARENA_ARRAY(a, int32_t, t->component_count);
    LIM_TRY_MEMORY(out->set);
    LIM_TRY_MEMORY(out->size);
    LIM_TRY_MEMORY(out->largest);
    disjoint_init(out->set, t->slot_count);
    for (int32_t i = 0; i < CORNERS * t->matter.count; ++i) {
        disjoint_join(out->set, t->bind.corner[i / CORNERS * CORNERS], t->bind.corner[i]);
    }
    for (int32_t c = 0; c < t->component_count; ++c) {
        out->largest[c] = -1;
    }
    for (int32_t i = 0; i < t->slot_count; ++i) {
        int32_t root = disjoint_root(out->set, i), *best = &out->largest[t->slot_component[i]];
        out->size[root] += t->slot_node[i] >= 0;
        if (t->slot_node[i] >= 0 && (*best < 0 || out->size[root] > out->size[*best])) {
            *best = root;
        }
    }
    return LIM_OK;
}

static int32_t cell_of(const topology* t, int32_t slot) {
    int32_t i = 0;
    while (t->bind.corner[i] != slot) {
        ++i;
    }
    return i / CORNERS;
}

/* Hangs the group of a slot on a slot that is held, and says so. */
static void hang_group(const body* b, const crumb_groups* g, int32_t slot, int32_t to,
                       uint8_t* held) {
    const topology* t = b->topology;
    int32_t root = disjoint_root(g->set, slot), cell = cell_of(t, to);
    for (int32_t i = 0; i < t->slot_count; ++i) {
        if (t->slot_node[i] >= 0 && disjoint_root(g->set, i) == root) {
            b->hex->crumb[b->hex->crumb_count++] = (hex_crumb){i, to, cell};
            held[i] = 1;
        }
    }
}

static lim_result hang_all(body* b, arena* a) {
    const topology* t = b->topology;
    crumb_groups g;
    int32_t loose = 0;
    uint8_t* held = ARENA_ARRAY(a, uint8_t, t->slot_count);
    LIM_TRY_MEMORY(held);
    LIM_TRY(find_groups(b, a, &g));
    for (int32_t i = 0; i < t->slot_count; ++i) {
        held[i] = disjoint_root(g.set, i) == g.largest[t->slot_component[i]];
        loose += t->slot_node[i] >= 0 && !held[i];
    }
    b->hex->crumb = ARENA_ARRAY(&b->mem, hex_crumb, loose);
    LIM_TRY_MEMORY(b->hex->crumb);
    for (bool any = loose > 0; any;) {
        any = false;
        for (int32_t i = 0; i < t->slot_count; ++i) {
            for (int32_t e = t->edge_offset[i]; e < t->edge_offset[i + 1] && !held[i]; ++e) {
                if (t->slot_node[i] >= 0 && held[t->edge_node[e]]) {
                    hang_group(b, &g, i, t->edge_node[e], held);
                    any = true;
                }
            }
        }
    }
    return LIM_OK;
}

lim_result hex_crumbs_find(body* b) {
    arena scratch;
    arena_init(&scratch, &b->host);
    lim_result result = hang_all(b, &scratch);
    arena_release(&scratch);
    return result;
}

void hex_crumbs_move(body* b) {
    const topology* t = b->topology;
    for (int32_t i = 0; i < b->hex->crumb_count; ++i) {
        const hex_crumb* c = &b->hex->crumb[i];
        dquat q = dquat_unit((dquat){(double)b->q[0][c->cell], (double)b->q[1][c->cell],
                                     (double)b->q[2][c->cell], (double)b->q[3][c->cell]});
        lim_point x0 = body_slot_rest(t, c->slot), arm = p3_sub(x0, body_slot_rest(t, c->to));
        lim_point x = p3_add(body_slot_local(b, c->to), dquat_rotate(q, arm));
        const double to[3] = {x.x - x0.x, x.y - x0.y, x.z - x0.z};
        for (int k = 0; k < 3 && b->inv_mass[c->slot] > 0.0f; ++k) {
            b->d[k][c->slot] = (float)to[k];
            b->v[k][c->slot] = b->v[k][c->to];
        }
    }
}
