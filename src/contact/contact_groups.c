/* SPDX-License-Identifier: MIT
 * Job: leave out points that cannot be near a collider. In: bindings, node state, fronts of
 * colliders. Out: places of the points of all groups that may be near one. Nodes are asked, each
 * once, and those that are near want the groups that follow them.
 */
#include "contact/contact_groups.h"

#include "contact/contact_kernel.h"

#include <string.h>

static int32_t group_end(const bindings* b, int32_t group) {
    int32_t end = GROUP_POINTS * (group + 1);
    return end < b->count ? end : b->count;
}

/* Counts a group among the followers of each of its nodes, at count[node]; of none where they are
 * too many or of two components. `stamp` per node: the last group, and 1, that has it. */
static bool count_group(const contact_list* list, const bindings* b, int32_t group, int32_t* stamp,
                        int32_t* count) {
    const int32_t* order = list->order.data;
    int32_t begin = GROUP_POINTS * group, known = 0, node[GROUP_NODES];
    for (int32_t i = begin; i < group_end(b, group); ++i) {
        const binding* at = &b->bind[order[i]];
        for (int k = 0; k < BINDING_NODES && at->weight[k] > 0.0f; ++k) {
            if (stamp[at->node[k]] == group + 1) {
                continue;
            }
            stamp[at->node[k]] = group + 1;
            if (known == GROUP_NODES || b->component[order[i]] != b->component[order[begin]]) {
                return false;
            }
            node[known++] = at->node[k];
        }
    }
    for (int32_t k = 0; k < known; ++k) {
        count[node[k]]++;
    }
    return true;
}

/* Lists a group at the end of the row of each of its nodes, with the square of its reach. `stamp`
 * as above. */
static void list_group(contact_list* list, const bindings* b, const node_state* n, int32_t group,
                       int32_t* stamp, int32_t* row_end) {
    for (int32_t i = GROUP_POINTS * group; i < group_end(b, group); ++i) {
        int32_t point = list->order.data[i];
        const binding* at = &b->bind[point];
        lim_vec3 at_rest = bindings_rest(b, point);
        for (int k = 0; k < BINDING_NODES && at->weight[k] > 0.0f; ++k) {
            int32_t node = at->node[k];
            if (stamp[node] != group + 1) {
                stamp[node] = group + 1;
                list->follower.data[row_end[node]++] = (contact_follower){group, 0.0f};
            }
            lim_vec3 x0 = v3(n->x0[0][node], n->x0[1][node], n->x0[2][node]);
            lim_vec3 r = v3_sub(at_rest, x0);
            float square = v3_dot(r, r);
            contact_follower* last = &list->follower.data[row_end[node] - 1];
            last->reach = square > last->reach ? square : last->reach;
        }
    }
}

static void make_box(contact_list* list, const bindings* b, int32_t group) {
    lim_vec3 low = bindings_rest(b, list->order.data[GROUP_POINTS * group]), high = low;
    for (int32_t i = GROUP_POINTS * group + 1; i < group_end(b, group); ++i) {
        lim_vec3 at = bindings_rest(b, list->order.data[i]);
        low = v3_min(at, low);
        high = v3_max(at, high);
    }
    const float l[3] = {low.x, low.y, low.z}, h[3] = {high.x, high.y, high.z};
    for (int k = 0; k < 3; ++k) {
        list->low[k].data[group] = l[k];
        list->high[k].data[group] = h[k];
    }
}

/* Points by the node that they follow most, then by number. `count`: room for all nodes and 1. */
static void sort_points(contact_list* list, const bindings* b, int32_t node_count, int32_t* count) {
    memset(count, 0, ((size_t)node_count + 1) * sizeof *count);
    for (int32_t i = 0; i < b->count; ++i) {
        count[b->bind[i].node[0] + 1]++;
    }
    for (int32_t i = 0; i < node_count; ++i) {
        count[i + 1] += count[i];
    }
    for (int32_t i = 0; i < b->count; ++i) {
        int32_t rank = count[b->bind[i].node[0]]++;
        list->rank.data[i] = rank;
        list->order.data[rank] = i;
    }
}

void contact_groups_make(contact_list* list, const bindings* b, const node_state* nodes) {
    int32_t *stamp = list->pushed.data, *row = list->follower_row.data; /* until the clock begins */
    size_t size = (size_t)nodes->padded * sizeof *stamp;
    sort_points(list, b, nodes->padded, row);
    memset(row, 0, size + sizeof *row);
    memset(stamp, 0, size);
    for (int32_t i = 0; i < contact_group_count(b); ++i) {
        make_box(list, b, i);
        list->anywhere.data[i] = !count_group(list, b, i, stamp, row + 1);
    }
    for (int32_t i = 0; i < nodes->padded; ++i) {
        row[i + 1] += row[i];
    }
    memset(stamp, 0, size);
    for (int32_t i = 0; i < contact_group_count(b); ++i) {
        if (!list->anywhere.data[i]) {
            list_group(list, b, nodes, i, stamp, row);
        }
    }
    /* each row has moved to its end, which is where the next begins */
    memmove(row + 1, row, size);
    row[0] = 0;
    memset(stamp, 0, size);
    for (int32_t i = 0; i < nodes->padded; ++i) {
        float most = 0.0f;
        for (int32_t k = row[i]; k < row[i + 1]; ++k) {
            float reach = sqrtf(list->follower.data[k].reach);
            list->follower.data[k].reach = reach;
            most = reach > most ? reach : most;
        }
        list->node_reach.data[i] = most;
    }
}

void contact_groups_begin(contact_list* list, const bindings* b) {
    memset(list->placed.data, 0, (size_t)contact_group_count(b));
}

void contact_groups_next(contact_list* list, const bindings* b) {
    memcpy(list->wanted.data, list->anywhere.data, (size_t)contact_group_count(b));
}

/* Which of the followers of a node that moves by n d may be lower than `height`: by the corner of
 * their box that lies lowest. What is not finite is. */
static void want_followers(contact_list* list, int32_t node, lim_vec3 n, float moves,
                           float height) {
    const float* x = n.x > 0.0f ? list->low[0].data : list->high[0].data;
    const float* y = n.y > 0.0f ? list->low[1].data : list->high[1].data;
    const float* z = n.z > 0.0f ? list->low[2].data : list->high[2].data;
    const int32_t* row = list->follower_row.data + node;
    float bend = list->bend.data[node] + CONTACT_SLACK;
    for (int32_t k = row[0]; k < row[1]; ++k) {
        int32_t g = list->follower.data[k].group;
        if (list->wanted.data[g]) {
            continue;
        }
        float lowest = n.x * x[g] + n.y * y[g] + n.z * z[g];
        if (!(lowest + moves - bend * list->follower.data[k].reach > height)) {
            list->wanted.data[g] = 1;
        }
    }
}

void contact_groups_near(contact_list* list, const node_state* nodes, const component* c,
                         const collider_front* front, float beyond, isa set) {
    lim_vec3 n = front->normal;
    float height = front->offset + beyond + front->slack;
    uint8_t* bits = list->followed.data;
    contact_kernels_for(set)->low(nodes, n, height, list->bend.data, list->node_reach.data,
                                  c->begin, c->end, bits);
    for (int32_t i = c->begin; i < c->end; ++i) {
        unsigned left = (unsigned)bits[(i - c->begin) / 8] >> (i - c->begin) % 8;
        if (left == 0) {
            i |= 7;
        } else if ((left & 1) != 0) {
            lim_vec3 d = v3(nodes->d[0][i], nodes->d[1][i], nodes->d[2][i]);
            want_followers(list, i, n, v3_dot(n, d), height);
        }
    }
}

/* Whether a node that carries a point of the group can be pushed. */
static bool can_push(const contact_list* list, const bindings* b, const node_state* nodes,
                     int32_t group) {
    for (int32_t i = GROUP_POINTS * group; i < group_end(b, group); ++i) {
        const binding* at = &b->bind[list->order.data[i]];
        int carriers = contact_carriers(list, at);
        for (int k = 0; k < carriers; ++k) {
            if (nodes->inv_mass[at->node[k]] > 0.0f) {
                return true;
            }
        }
    }
    return false;
}

void contact_groups_place(contact_list* list, const bindings* b, const node_state* nodes, isa set) {
    float* const place[3] = {list->place[0].data, list->place[1].data, list->place[2].data};
    for (int32_t i = 0; i < contact_group_count(b); ++i) {
        if (!list->wanted.data[i]) {
            continue;
        }
        if (!can_push(list, b, nodes, i)) {
            list->wanted.data[i] = 0;
        } else if (!list->placed.data[i]) {
            skin_place_some(b, nodes, set, list->order.data, GROUP_POINTS * i, group_end(b, i),
                            place);
            list->placed.data[i] = 1;
        }
    }
}
