/* SPDX-License-Identifier: MIT
 * Job: leave out points that cannot be near a collider. In: bindings, node state, fronts of
 * colliders. Out: places of the points of all groups that may be near one.
 */
#include "contact/contact_groups.h"

#include <string.h>

/* Rounding of places is far less than this share of the reach. */
#define SLACK 1.01f

/* `stamp` per node: the last group, and 1, that has it; all are 0 at first. */
static contact_group group_of(const bindings* b, int32_t begin, int32_t end, int32_t* stamp) {
    contact_group g = {.count = 0};
    for (int32_t i = begin; i < end; ++i) {
        const binding* at = &b->bind[i];
        for (int k = 0; k < BINDING_NODES && at->weight[k] > 0.0f; ++k) {
            int32_t node = at->node[k];
            if (stamp[node] == begin + 1) {
                continue;
            }
            stamp[node] = begin + 1;
            if (g.count == CONTACT_GROUP_NODES || b->component[i] != b->component[begin]) {
                return (contact_group){.count = -1};
            }
            g.node[g.count++] = node;
        }
    }
    return g;
}

void contact_groups_make(contact_list* list, const bindings* b, const node_state* nodes) {
    int32_t* stamp = list->pushed.data; /* until the clock begins */
    memset(stamp, 0, (size_t)nodes->padded * sizeof *stamp);
    for (int32_t i = 0; i < b->count; i += GROUP_POINTS) {
        int32_t end = i + GROUP_POINTS < b->count ? i + GROUP_POINTS : b->count;
        list->group.data[i / GROUP_POINTS] = group_of(b, i, end, stamp);
    }
    memset(stamp, 0, (size_t)nodes->padded * sizeof *stamp);
}

void contact_groups_begin(contact_list* list, const bindings* b) {
    memset(list->placed.data, 0, (size_t)contact_group_count(b));
}

void contact_groups_next(contact_list* list, const node_state* nodes) {
    memset(list->close.data, 0, (size_t)nodes->padded);
}

/* Kept per node while it is a collider's turn. */
enum { UNKNOWN, CLOSE, FAR };

static uint8_t look_at_node(const contact_list* list, const node_state* n, int32_t i,
                            const collider_front* front, float beyond) {
    const float* m = n->affine + (size_t)i * 16;
    float square = 0.0f;
    for (int k = 0; k < 9; ++k) {
        square += m[k] * m[k];
    }
    lim_vec3 x = v3(n->x0[0][i] + n->d[0][i], n->x0[1][i] + n->d[1][i], n->x0[2][i] + n->d[2][i]);
    float reach = SLACK * list->reach * (1.0f + sqrtf(square));
    /* What is not finite is close. */
    return collider_front_gap(front, x) - reach > beyond ? FAR : CLOSE;
}

static bool is_close(contact_list* list, const node_state* nodes, const contact_group* g,
                     const collider_front* front, float beyond) {
    for (int32_t k = 0; k < g->count; ++k) {
        uint8_t* known = &list->close.data[g->node[k]];
        *known = *known == UNKNOWN ? look_at_node(list, nodes, g->node[k], front, beyond) : *known;
        if (*known == CLOSE) {
            return true;
        }
    }
    return g->count < 0;
}

void contact_group_look(contact_list* list, const bindings* b, const node_state* nodes,
                        int32_t group, const collider_front* front, float beyond, isa set) {
    bool wanted = is_close(list, nodes, &list->group.data[group], front, beyond);
    list->wanted.data[group] = wanted;
    if (wanted && !list->placed.data[group]) {
        float* const place[3] = {list->place[0].data, list->place[1].data, list->place[2].data};
        int32_t begin = GROUP_POINTS * group, end = begin + GROUP_POINTS;
        skin_place_some(b, nodes, set, begin, end < b->count ? end : b->count, place);
        list->placed.data[group] = 1;
    }
}
