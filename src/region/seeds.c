/* SPDX-License-Identifier: MIT
 * Job: the seeds of blended regions. In: the network. Out: per node the region in which it weighs
 * most; in how many regions nodes are.
 */
#include "region/past.h"

/* All records above a node, with its weight in them. */
typedef struct upward {
    const net* n;
    float* weight;   /* per record */
    int32_t* found;  /* partial sums with weight, ascending, */
    int32_t* region; /* and regions, as they come */
    int32_t count, regions;
} upward;

static lim_result upward_make(arena* a, const net* n, upward* out) {
    *out = (upward){.n = n,
                    .weight = ARENA_ARRAY(a, float, n->record_count),
                    .found = ARENA_ROOM(a, int32_t, n->record_count),
                    .region = ARENA_ROOM(a, int32_t, n->region_count)};
    LIM_TRY_MEMORY(out->weight);
    LIM_TRY_MEMORY(out->found);
    LIM_TRY_MEMORY(out->region);
    return LIM_OK;
}

static void climb_to(upward* u, int32_t record, float weight) {
    if (u->weight[record] == 0.0f && record >= u->n->first[u->n->layers - 1]) {
        u->region[u->regions++] = record;
    } else if (u->weight[record] == 0.0f) {
        int32_t at = u->count++;
        for (; at > 0 && u->found[at - 1] > record; --at) {
            u->found[at] = u->found[at - 1];
        }
        u->found[at] = record;
    }
    u->weight[record] += weight;
}

/* Lists lead to later records only, so each has its whole weight when it is its turn, and the many
 * ways to a wide region are one walk. Returns the region of most weight, the first of equals; -1:
 * it is in none. */
static int32_t climb(upward* u, int32_t node) {
    u->count = u->regions = 0;
    climb_to(u, node, 1.0f);
    for (int32_t k = 0; k < u->count; ++k) {
        int32_t from = u->found[k];
        for (int32_t e = u->n->back_offset[from]; e < u->n->back_offset[from + 1]; ++e) {
            climb_to(u, u->n->back[e], u->weight[from] * u->n->back_weight[e]);
        }
        u->weight[from] = 0.0f;
    }
    int32_t first = u->n->first[u->n->layers - 1], best = first - 1;
    float most = 0.0f;
    for (int32_t k = 0; k < u->regions; ++k) {
        int32_t record = u->region[k];
        float w = u->weight[record];
        u->weight[record] = 0.0f;
        if (w > most || (w == most && record < best)) {
            most = w;
            best = record;
        }
    }
    return best - first;
}

/* In how many regions the nodes before were that are now asked anew, or gone. */
static lim_result members_before(arena* scratch, const region_past* past, const record_map* map,
                                 double* out) {
    upward u;
    LIM_TRY(upward_make(scratch, past->n, &u));
    for (int32_t i = 0; i < past->n->node_count; ++i) {
        int32_t now = past->after[i];
        if (now < 0 || map->touched[now]) {
            climb(&u, i);
            *out += u.regions;
        }
    }
    return LIM_OK;
}

lim_result regions_seeds(arena* scratch, const net* n, const region_past* past,
                         const record_map* map, regions* r) {
    upward u;
    double members = 0.0, gone = 0.0; /* whole numbers */
    LIM_TRY(upward_make(scratch, n, &u));
    if (past != NULL) {
        members = (double)(int64_t)(past->r->members * (double)past->r->count + 0.5);
        LIM_TRY(members_before(scratch, past, map, &gone));
        members -= gone;
    }
    int32_t first = n->first[n->layers - 1];
    for (int32_t i = 0; i < n->node_count; ++i) {
        int32_t before = past != NULL && !map->touched[i] ? past->before[i] : -1;
        if (before >= 0) {
            int32_t seed = past->r->seed_region[before];
            int32_t was = past->n->first[past->n->layers - 1] + seed;
            r->seed_region[i] = seed >= 0 ? map->now[was] - first : -1;
        } else {
            r->seed_region[i] = climb(&u, i);
            members += u.regions;
        }
    }
    r->members = members / (r->count > 0 ? r->count : 1);
    r->inputs = (double)n->forward_offset[n->record_count] / (r->count > 0 ? r->count : 1);
    return LIM_OK;
}
