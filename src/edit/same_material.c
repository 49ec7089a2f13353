/* SPDX-License-Identifier: MIT
 * Job: find the same material again. In: the material before and after edits, both in order of
 * keys. Out: fragments and nodes of the one by those of the other. One pass over both.
 */
#include "edit/same_material.h"

static double square_between(lim_point a, lim_point b) {
    lim_point r = p3_sub(a, b);
    return p3_dot(r, r);
}

/* Among the fragments [begin, end) of a cell. */
static int32_t best_in_cell(const matter* before, int32_t begin, int32_t end, const matter* after,
                            int32_t i) {
    int32_t best = end - begin == 1 ? begin : -1, most = 0;
    double nearest = HUGE_VAL;
    if (best >= 0) {
        return best; /* whatever it shares */
    }
    for (int32_t k = begin; k < end; ++k) {
        int32_t shared = mask_count(before->mask[k] & after->mask[i]);
        double square = square_between(before->centroid[k], after->centroid[i]);
        if (shared > most || (most == 0 && square < nearest)) {
            best = k;
            most = shared;
            nearest = square;
        }
    }
    return best;
}

/* Spreads what is known along the graph to fragments in cells that were empty. */
static void spread(const matter* after, int32_t* source, int32_t* queue, int32_t count) {
    for (int32_t at = 0; at < count; ++at) {
        int32_t i = queue[at];
        for (int32_t e = after->edge_offset[i]; e < after->edge_offset[i + 1]; ++e) {
            int32_t to = after->edge_node[e];
            if (source[to] < 0) {
                source[to] = source[i];
                queue[count++] = to;
            }
        }
    }
}

/* One that nothing leads to: the nearest of all. */
static int32_t nearest_of_all(const matter* before, lim_point at) {
    int32_t best = 0;
    for (int32_t k = 1; k < before->count; ++k) {
        best = square_between(before->centroid[k], at) < square_between(before->centroid[best], at)
                   ? k
                   : best;
    }
    return best;
}

lim_result same_fragments(arena* scratch, const matter* before, const matter* after,
                          int32_t* source) {
    int32_t begin = 0, missing = 0;
    for (int32_t i = 0; i < after->count; ++i) {
        while (begin < before->count && before->key[begin] < after->key[i]) {
            begin++;
        }
        int32_t end = begin;
        while (end < before->count && before->key[end] == after->key[i]) {
            end++;
        }
        source[i] = best_in_cell(before, begin, end, after, i);
        missing += source[i] < 0;
    }
    if (missing == 0) {
        return LIM_OK;
    }
    int32_t* queue = ARENA_ARRAY(scratch, int32_t, after->count);
    LIM_TRY_MEMORY(queue);
    int32_t count = 0;
    for (int32_t i = 0; i < after->count; ++i) {
        if (source[i] >= 0) {
            queue[count++] = i;
        }
    }
    spread(after, source, queue, count);
    for (int32_t i = 0; i < after->count; ++i) {
        source[i] = source[i] >= 0 ? source[i] : nearest_of_all(before, after->centroid[i]);
    }
    return LIM_OK;
}

static bool same_rest(const topology* a, int32_t i, const topology* b, int32_t k) {
    return a->key[i] == b->key[k] && a->x0[0][i] == b->x0[0][k] && a->x0[1][i] == b->x0[1][k] &&
           a->x0[2][i] == b->x0[2][k] && a->mass[i] == b->mass[k] && a->volume[i] == b->volume[k];
}

void same_nodes(const topology* before, const topology* after, const int32_t* source,
                int32_t* slot) {
    for (int32_t i = 0; i < after->slot_count; ++i) {
        slot[i] = -1;
    }
    int32_t ends = topology_ends(after);
    for (int32_t i = 0; i < after->matter.count; ++i) {
        for (int32_t k = 0; k < ends; ++k) {
            int32_t to = topology_end(after, i, k), from = topology_end(before, source[i], k);
            if (slot[to] == -1) {
                slot[to] = same_rest(after, to, before, from) ? from : -2;
            } else if (slot[to] != from) {
                slot[to] = -2;
            }
        }
    }
    for (int32_t i = 0; i < after->slot_count; ++i) {
        slot[i] = slot[i] == -2 ? -1 : slot[i];
    }
}
