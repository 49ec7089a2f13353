/* SPDX-License-Identifier: MIT
 * Job: find the nodes whose surface may touch a collider in this step. In: bound points, node
 * state, colliders. Out: for each collider and node the nearest few points that follow the node. A
 * ball around each component tells which colliders matter at all; these are moved into the
 * component's frame, where the points are.
 */
#include "contact/contact_groups.h"
#include "contact/contact_kernel.h"
#include "contact/contact_rows.h"

#include <string.h>

/* Ticks before the clock of looks begins anew; a step takes thousands. */
#define CLOCK_MOST (INT32_MAX / 2)

/* Steps that bring a body farther than this, in the largest distance of a point from its node, are
 * fast ones. */
#define FAST 2.0
/* And than this, hard ones; what falls from rest does not count. */
#define HARD 0.2

static float find_reach(const bindings* b, const node_state* n) {
    float most = 0.0f;
    for (int32_t i = 0; i < b->count; ++i) {
        for (int k = 0; k < BINDING_NODES; ++k) {
            int32_t slot = b->bind[i].node[k];
            lim_vec3 x0 = v3(n->x0[0][slot], n->x0[1][slot], n->x0[2][slot]);
            lim_vec3 r = v3_sub(bindings_rest(b, i), x0);
            float square = v3_dot(r, r);
            most = square > most ? square : most;
        }
    }
    return sqrtf(most);
}

/* A ball around the points of one component: the box of its nodes, widened by
 * |L (X - x0)| <= (1 + |B|) reach. Keeps |B| of each node. */
static contact_ball component_ball(contact_list* list, const node_state* n, const component* c,
                                   isa set) {
    lim_vec3 low = v3(HUGE_VALF, HUGE_VALF, HUGE_VALF);
    contact_extent all = {.low = low, .high = v3_scale(low, -1.0f)};
    contact_kernels_for(set)->bends(n, c->begin, c->end, list->bend.data, &all);
    lim_point a = p3_of(all.low), b = p3_of(all.high);
    double stretch = 1.0 + sqrt((double)all.bend);
    return (contact_ball){.centre = p3_scale(p3_add(a, b), 0.5),
                          .radius = 0.5 * p3_length(p3_sub(b, a)) + stretch * (double)list->reach};
}

/* How near points of a component must be to one collider, metres; negative: none of them can be. */
static double find_margin(const component* c, const contact_ball* around, double scale,
                          const collider* other, double dt, double speed) {
    lim_point centre = node_to_world(c, scale, around->centre);
    double radius = scale * around->radius;
    double arm = p3_length(p3_sub(centre, other->position)) + radius;
    double turning = p3_length(p3_of(other->angular_velocity)) * arm;
    double margin = (speed + p3_length(p3_of(other->velocity)) + turning) * dt + 0.02 * radius;
    return collider_gap(other, centre) < radius + margin ? margin : -1.0;
}

/* Nodes that need no look of their own: corners of a lattice that carry points, for they may lie
 * outside of the material, and nodes where a point is anyway. */
static void mark_carriers(contact_list* list, const bindings* b, const node_state* n) {
    memset(list->carrier.data, 0, (size_t)n->padded);
    for (int32_t i = 0; i < b->count; ++i) {
        int32_t first = b->bind[i].node[0];
        lim_vec3 x0 = v3(n->x0[0][first], n->x0[1][first], n->x0[2][first]);
        bool there = v3_length(v3_sub(bindings_rest(b, i), x0)) < 0.005f * list->reach;
        for (int k = 0; k < BINDING_NODES && b->bind[i].weight[k] > 0.0f; ++k) {
            if (list->corners || (there && k == 0)) {
                list->carrier.data[b->bind[i].node[k]] = 1;
            }
        }
    }
}

/* Keeps a point among the nearest of its node. Ties go to the lower point. */
static void keep_near(contact_near* near, int32_t point, float gap) {
    for (int k = 0; k < CONTACT_NEAR; ++k) {
        if (near->point[k] < 0 || gap < near->gap[k] ||
            (gap <= near->gap[k] && point < near->point[k])) {
            int32_t next_point = near->point[k];
            float next_gap = near->gap[k];
            near->point[k] = point;
            near->gap[k] = gap;
            point = next_point;
            gap = next_gap;
            if (point < 0) {
                return;
            }
        }
    }
}

/* One collider as one component sees it. */
typedef struct seen_collider {
    collider shape;
    collider_front front;
    double margin; /* unit lengths; negative: too far from all points */
    float beyond;  /* points further than this before the front are too far */
    collider_last last;
} seen_collider;

static seen_collider find_seen(const contact_list* list, const node_state* nodes, int32_t which,
                               double scale, const collider* other, double dt, double speed) {
    const component* frame = &nodes->components[which];
    const contact_ball* ball = &list->ball.data[which];
    seen_collider seen = {.shape = collider_in_frame(other, frame, scale)};
    seen.margin = find_margin(frame, ball, scale, other, dt, speed) / scale;
    seen.front = collider_front_at(&seen.shape, ball->centre, p3(0, 0, 0),
                                   p3_length(ball->centre) + ball->radius);
    seen.beyond = (float)seen.margin + seen.front.slack;
    return seen;
}

static lim_vec3 place_of(const contact_list* list, int32_t rank) {
    return v3(list->place[0].data[rank], list->place[1].data[rank], list->place[2].data[rank]);
}

static bool is_near(seen_collider* seen, lim_vec3 place, double* gap) {
    lim_point at = p3_of(place);
    float before = collider_front_gap(&seen->front, place);
    if (seen->shape.shape == LIM_SHAPE_PLANE) { /* it is its own front */
        *gap = (double)before;
        return *gap < seen->margin;
    }
    if (before > seen->beyond || collider_surely_far(&seen->shape, &seen->last, at, seen->margin)) {
        return false;
    }
    *gap = collider_gap(&seen->shape, at);
    seen->last = (collider_last){at, *gap};
    return *gap < seen->margin;
}

/* Whether 8 points from i on are all too far: most are, and 8 cost as much as one. */
static bool eight_are_beyond(const contact_list* list, const seen_collider* seen, int32_t i) {
    const float *x = list->place[0].data + i, *y = list->place[1].data + i,
                *z = list->place[2].data + i;
    lim_vec3 n = seen->front.normal;
    float gap[8];
    for (int k = 0; k < 8; ++k) {
        gap[k] = (n.x * x[k] + n.y * y[k] + n.z * z[k]) - seen->front.offset;
    }
    bool all = true;
    for (int k = 0; k < 8; ++k) {
        all = all && gap[k] > seen->beyond;
    }
    return all;
}

/* Fills list->near for one collider; true when anything is near. */
static bool find_near(contact_list* list, const bindings* b, const node_state* nodes, double scale,
                      const collider* other, double dt, double speed) {
    bool any = false, alone = nodes->component_count == 1;
    int32_t seen_by = -1;
    seen_collider seen;
    for (int32_t i = 0; i < b->count; ++i) {
        if (!contact_is_wanted(list, i)) {
            i |= GROUP_POINTS - 1; /* the rest of the group too */
            continue;
        }
        int32_t point = list->order.data[i];
        if (b->component[point] != seen_by) {
            seen_by = b->component[point];
            seen = find_seen(list, nodes, seen_by, scale, other, dt, speed);
        }
        if (alone && i % GROUP_POINTS == 0 && eight_are_beyond(list, &seen, i)) {
            i |= GROUP_POINTS - 1;
            continue;
        }
        double gap;
        if (seen.margin >= 0.0 && is_near(&seen, place_of(list, i), &gap)) {
            any = true;
            int carriers = contact_carriers(list, &b->bind[point]);
            for (int k = 0; k < carriers; ++k) {
                keep_near(&list->near.data[b->bind[point].node[k]], point, (float)gap);
            }
        }
    }
    return any;
}

static int32_t add_one(contact_list* list, const node_state* nodes, contact made) {
    if (!(nodes->inv_mass[made.node] > 0.0f)) {
        return 0;
    }
    if (list->items.count < list->items.capacity) {
        made.touching = -1;
        list->items.data[list->items.count++] = made;
    }
    return 1;
}

/* A contact for each near point and each node that carries it. Returns how many. */
static int32_t add_points(contact_list* list, const bindings* b, const node_state* nodes,
                          double scale, const collider* colliders, int32_t index, double dt,
                          double speed) {
    int32_t found = 0, seen_by = -1;
    seen_collider seen = {.margin = -1.0};
    for (int32_t i = 0; i < b->count; ++i) {
        if (b->component[i] != seen_by) {
            seen_by = b->component[i];
            seen = find_seen(list, nodes, seen_by, scale, &colliders[index], dt, speed);
        }
        double gap;
        int32_t rank = list->rank.data[i];
        if (seen.margin < 0.0 || !contact_is_wanted(list, rank) ||
            !is_near(&seen, place_of(list, rank), &gap)) {
            continue;
        }
        int carriers = contact_carriers(list, &b->bind[i]);
        for (int k = 0; k < carriers; ++k) {
            contact made = {.node = b->bind[i].node[k], .collider = index, .point = {i, -1, -1}};
            found += add_one(list, nodes, made);
        }
    }
    return found;
}

static lim_vec3 node_place(const node_state* n, int32_t i) {
    return v3(n->x0[0][i] + n->d[0][i], n->x0[1][i] + n->d[1][i], n->x0[2][i] + n->d[2][i]);
}

/* A contact for each near node that is material itself. Returns how many. */
static int32_t add_nodes(contact_list* list, const node_state* nodes, double scale,
                         const collider* colliders, int32_t index, double dt, double speed,
                         isa set) {
    int32_t found = 0;
    for (int32_t c = 0; c < nodes->component_count; ++c) {
        seen_collider seen = find_seen(list, nodes, c, scale, &colliders[index], dt, speed);
        const component* frame = &nodes->components[c];
        uint8_t* bits = list->followed.data;
        if (seen.margin < 0.0) {
            continue;
        }
        contact_kernels_for(set)->low(nodes, seen.front.normal, seen.front.offset + seen.beyond,
                                      NULL, NULL, frame->begin, frame->end, bits);
        for (int32_t i = frame->begin; i < frame->end; ++i) {
            double gap;
            unsigned left = (unsigned)bits[(i - frame->begin) / 8] >> (i - frame->begin) % 8;
            if (left == 0) {
                i |= 7;
            } else if ((left & 1) != 0 && !list->carrier.data[i] && nodes->mass[i] > 0.0f &&
                       is_near(&seen, node_place(nodes, i), &gap)) {
                contact made = {.node = i, .collider = index, .point = {-1, -1, -1}};
                found += add_one(list, nodes, made);
            }
        }
    }
    return found;
}

/* Whether this step may bring points and collider so far that which point meets it is open. Marks
 * hard steps. */
static bool is_fast(contact_list* list, double scale, const collider* other, double dt,
                    double speed) {
    double reach = scale * (double)list->reach;
    double moving =
        (double)v3_length(other->velocity) + (double)v3_length(other->angular_velocity) * reach;
    /* Points of a surface are as far apart as its triangles are large. */
    double far = list->points ? 0.5 * FAST : FAST;
    list->hard = list->hard || (speed - list->fall + moving) * dt > HARD * reach;
    return (speed + moving) * dt > far * reach;
}

static bool meets(const contact_list* list, int32_t which) {
    return list->collider_layers == NULL ||
           contact_layers_meet(list->layers, list->collider_layers[which]);
}

static bool any_near(const contact_list* list, const node_state* nodes, double scale,
                     const collider* other, double dt, double speed) {
    for (int32_t c = 0; c < nodes->component_count; ++c) {
        if (find_margin(&nodes->components[c], &list->ball.data[c], scale, other, dt, speed) >=
            0.0) {
            return true;
        }
    }
    return false;
}

/* Places the points that may be near a collider. */
static void place_near(contact_list* list, const bindings* b, const node_state* nodes, double scale,
                       const collider* other, double dt, double speed, isa set) {
    contact_groups_next(list, b);
    for (int32_t c = 0; c < nodes->component_count; ++c) {
        seen_collider seen = find_seen(list, nodes, c, scale, other, dt, speed);
        if (seen.margin >= 0.0) {
            contact_groups_near(list, nodes, &nodes->components[c], &seen.front, seen.beyond, set);
        }
    }
    contact_groups_place(list, b, nodes, set);
}

/* Contacts of one collider with the nodes that have points near it, which are forgotten. Returns
 * how many. */
static int32_t add_contacts(contact_list* list, const node_state* nodes, int32_t index) {
    int32_t found = 0;
    for (int32_t i = 0; i < nodes->padded; ++i) {
        contact_near* near = &list->near.data[i];
        if (near->point[0] < 0) {
            continue;
        }
        contact made = {.node = i, .collider = index, .touching = -1};
        for (int k = 0; k < CONTACT_NEAR; ++k) {
            made.point[k] = near->point[k];
            near->point[k] = -1;
        }
        found += add_one(list, nodes, made);
    }
    return found;
}

static int32_t find_with(contact_list* list, const bindings* b, const node_state* nodes,
                         double scale, const collider* colliders, int32_t j, double dt,
                         double speed, isa set) {
    bool fast = is_fast(list, scale, &colliders[j], dt, speed);
    int32_t found = 0;
    if (fast || !collider_is_convex(&colliders[j])) {
        found = add_points(list, b, nodes, scale, colliders, j, dt, speed);
    } else if (find_near(list, b, nodes, scale, &colliders[j], dt, speed)) {
        found = add_contacts(list, nodes, j);
    }
    bool look = fast || !list->corners; /* corners of a lattice are seldom in the way */
    return look ? found + add_nodes(list, nodes, scale, colliders, j, dt, speed, set) : found;
}

static bool reserve_boxes(contact_list* list, const lim_host* host, int32_t groups) {
    bool room = true;
    for (int k = 0; k < 3 && room; ++k) {
        room = ARRAY_RESERVE(host, &list->low[k], groups) &&
               ARRAY_RESERVE(host, &list->high[k], groups);
    }
    return room;
}

/* For all contacts that there is room for. */
static bool reserve_rows(contact_list* list, const lim_host* host, const bindings* b,
                         const node_state* nodes) {
    int64_t rows = CONTACT_NEAR * (int64_t)list->items.capacity + 8;
    bool room =
        ARRAY_RESERVE(host, &list->runs, list->items.capacity) &&
        ARRAY_RESERVE(host, &list->spans, nodes->padded / 8) &&
        ARRAY_RESERVE(host, &list->followed, nodes->padded / 8) &&
        ARRAY_RESERVE(host, &list->row_of, b->count > nodes->padded ? b->count : nodes->padded) &&
        ARRAY_RESERVE(host, &list->row_at, rows) && ARRAY_RESERVE(host, &list->row_gap, rows) &&
        ARRAY_RESERVE(host, &list->row_normal, rows) && ARRAY_RESERVE(host, &list->row_clock, rows);
    for (int k = 0; k < 3 && room; ++k) {
        room = ARRAY_RESERVE(host, &list->row_place[k], rows);
    }
    return room;
}

lim_result contact_reserve(contact_list* list, const lim_host* host, const bindings* b,
                           const node_state* nodes, int32_t contacts) {
    bool room =
        ARRAY_RESERVE(host, &list->near, nodes->padded) &&
        ARRAY_RESERVE(host, &list->ball, nodes->component_count) &&
        ARRAY_RESERVE(host, &list->carrier, nodes->padded) &&
        ARRAY_RESERVE(host, &list->place[0], (int64_t)b->count + 8) &&
        ARRAY_RESERVE(host, &list->place[1], (int64_t)b->count + 8) &&
        ARRAY_RESERVE(host, &list->place[2], (int64_t)b->count + 8) &&
        ARRAY_RESERVE(host, &list->placed, contact_group_count(b)) &&
        ARRAY_RESERVE(host, &list->wanted, contact_group_count(b)) &&
        ARRAY_RESERVE(host, &list->order, b->count) && ARRAY_RESERVE(host, &list->rank, b->count) &&
        ARRAY_RESERVE(host, &list->anywhere, contact_group_count(b)) &&
        ARRAY_RESERVE(host, &list->follower, GROUP_NODES * (int64_t)contact_group_count(b)) &&
        ARRAY_RESERVE(host, &list->follower_row, (int64_t)nodes->padded + 1) &&
        ARRAY_RESERVE(host, &list->node_reach, nodes->padded) &&
        ARRAY_RESERVE(host, &list->bend, nodes->padded) &&
        reserve_boxes(list, host, contact_group_count(b)) &&
        ARRAY_RESERVE(host, &list->pushed, nodes->padded) &&
        ARRAY_RESERVE(host, &list->moved[0], nodes->padded) &&
        ARRAY_RESERVE(host, &list->moved[1], nodes->padded) &&
        ARRAY_RESERVE(host, &list->moved[2], nodes->padded) &&
        ARRAY_RESERVE(host, &list->rise, nodes->padded) &&
        ARRAY_RESERVE(host, &list->items, contacts) && reserve_rows(list, host, b, nodes);
    return room ? LIM_OK : LIM_ERROR_MEMORY;
}

static void forget_looks(contact_list* list, const node_state* nodes) {
    list->clock = 0;
    memset(list->pushed.data, 0, (size_t)nodes->padded * sizeof(int32_t));
    memset(list->row_clock.data, 0, (size_t)list->row_clock.capacity * sizeof(int32_t));
}

int32_t contact_search(contact_list* list, const bindings* b, const node_state* nodes, double scale,
                       const collider* colliders, int32_t collider_count, double dt, double speed,
                       isa set) {
    list->items.count = 0;
    list->hard = false;
    if (collider_count == 0) {
        return 0;
    }
    if (list->reach_of != b->bind || !(list->reach > 0.0f)) {
        list->reach = find_reach(b, nodes);
        mark_carriers(list, b, nodes);
        memset(list->near.data, 0xFF, (size_t)nodes->padded * sizeof(contact_near));
        contact_groups_make(list, b, nodes);
        forget_looks(list, nodes);
        list->reach_of = b->bind;
    }
    list->far = 1.0f;
    for (int32_t c = 0; c < nodes->component_count; ++c) {
        contact_ball ball = component_ball(list, nodes, &nodes->components[c], set);
        list->ball.data[c] = ball;
        list->far += (float)(p3_length(ball.centre) + ball.radius);
    }
    list->set = set;
    if (list->clock > CLOCK_MOST) {
        forget_looks(list, nodes);
    }
    contact_groups_begin(list, b);
    int32_t found = 0;
    for (int32_t j = 0; j < collider_count; ++j) {
        const collider* other = &colliders[j];
        if (meets(list, j) && any_near(list, nodes, scale, other, dt, speed)) {
            place_near(list, b, nodes, scale, other, dt, speed, set);
            found += find_with(list, b, nodes, scale, colliders, j, dt, speed, set);
        }
    }
    contact_rows_make(list, b, nodes);
    return found;
}

void contact_list_free(contact_list* list, const lim_host* host) {
    ARRAY_FREE(host, &list->items);
    ARRAY_FREE(host, &list->near);
    ARRAY_FREE(host, &list->ball);
    ARRAY_FREE(host, &list->carrier);
    ARRAY_FREE(host, &list->runs);
    ARRAY_FREE(host, &list->spans);
    ARRAY_FREE(host, &list->followed);
    ARRAY_FREE(host, &list->rise);
    ARRAY_FREE(host, &list->row_of);
    ARRAY_FREE(host, &list->row_at);
    ARRAY_FREE(host, &list->row_gap);
    ARRAY_FREE(host, &list->row_normal);
    ARRAY_FREE(host, &list->row_clock);
    ARRAY_FREE(host, &list->wanted);
    ARRAY_FREE(host, &list->placed);
    ARRAY_FREE(host, &list->order);
    ARRAY_FREE(host, &list->rank);
    ARRAY_FREE(host, &list->anywhere);
    ARRAY_FREE(host, &list->follower);
    ARRAY_FREE(host, &list->follower_row);
    ARRAY_FREE(host, &list->node_reach);
    ARRAY_FREE(host, &list->bend);
    ARRAY_FREE(host, &list->pushed);
    for (int k = 0; k < 3; ++k) {
        ARRAY_FREE(host, &list->low[k]);
        ARRAY_FREE(host, &list->high[k]);
        ARRAY_FREE(host, &list->place[k]);
        ARRAY_FREE(host, &list->moved[k]);
        ARRAY_FREE(host, &list->row_place[k]);
    }
}
