/* SPDX-License-Identifier: MIT
 * Job: links at the border. In: descriptors. Out: ties from the nodes of one body to the nearest
 * nodes of another, under ids of the world; both bodies wake.
 */
#include "math/eigen.h"
#include "world/world.h"

/* Weights before their correction are m / (r^2 + (SOFT cell)^2): the near, and not the light. */
#define SOFT 0.5
/* An arm below this share of a cell is rounding. */
#define ARM_LEAST 1e-5

lim_link_desc lim_link_desc_default(void) {
    return (lim_link_desc){.cookie = COOKIE_LINK,
                           .shape = LIM_SHAPE_SPHERE,
                           .size = {0.1f, 0.1f, 0.1f},
                           .orientation = {0.0f, 0.0f, 0.0f, 1.0f}};
}

/* ---- making -------------------------------------------------------------------------------------
 */

static lim_point slot_place(const body* b, int32_t slot) {
    const component* c = &b->components[b->topology->slot_component[slot]];
    return node_to_world(c, body_metres(b), body_slot_local(b, slot));
}

static bool is_in(const collider* shape, const body* b, int32_t slot, double more) {
    lim_vec3 normal;
    return collider_distance(shape, slot_place(b, slot), &normal) <= more;
}

static int32_t count_in(const collider* shape, const body* b) {
    int32_t count = 0;
    for (int32_t i = 0; i < b->topology->node_count; ++i) {
        count += is_in(shape, b, b->topology->node_slot[i], 0.0);
    }
    return count;
}

/* Whether a node of the body is within its own cell of the shape. */
static bool is_near(const collider* shape, const body* b) {
    const topology* t = b->topology;
    for (int32_t i = 0; i < t->node_count; ++i) {
        int32_t slot = t->node_slot[i];
        if (is_in(shape, b, slot, fmax((double)t->side[slot], (double)t->cell) * body_metres(b))) {
            return true;
        }
    }
    return false;
}

/* Nodes of one component that are to carry a place. */
typedef struct carriers {
    int32_t count, slot[LINK_CARRIERS];
    lim_point from[LINK_CARRIERS]; /* from the place on */
} carriers;

static bool is_chosen(const carriers* c, int32_t slot) {
    for (int32_t k = 0; k < c->count; ++k) {
        if (c->slot[k] == slot) {
            return true;
        }
    }
    return false;
}

/* The direction in which those that were chosen are thinnest. */
static lim_point thin_axis(const carriers* c, lim_point* mean) {
    double moment[6] = {0}, value[3];
    dmat3 axes;
    *mean = p3(0, 0, 0);
    for (int32_t k = 0; k < c->count; ++k) {
        *mean = p3_mad(*mean, c->from[k], 1.0 / c->count);
    }
    for (int32_t k = 0; k < c->count; ++k) {
        lim_point r = p3_sub(c->from[k], *mean);
        const double square[6] = {r.x * r.x, r.y * r.y, r.z * r.z, r.x * r.y, r.x * r.z, r.y * r.z};
        for (int j = 0; j < 6; ++j) {
            moment[j] += square[j];
        }
    }
    eigen_sym3(moment, value, &axes);
    return p3(axes.m[6], axes.m[7], axes.m[8]);
}

/* The best node of a component (-1: of any) that was not chosen yet, of equals the earlier: at
 * first the nearest ones; then those that are near and give thickness, |n . r| / (d^2 + cell^2), so
 * that the carriers of a place beside a body are not one flat layer of it. -1: there is none. */
static int32_t next_carrier(const body* b, lim_point p, int32_t piece, const carriers* c) {
    const topology* t = b->topology;
    double cell = (double)t->cell * body_metres(b), best = -1.0;
    lim_point mean, axis = thin_axis(c, &mean);
    int32_t found = -1;
    for (int32_t i = 0; i < t->node_count; ++i) {
        int32_t slot = t->node_slot[i];
        if ((piece >= 0 && t->slot_component[slot] != piece) || is_chosen(c, slot)) {
            continue;
        }
        lim_point r = p3_sub(slot_place(b, slot), p);
        double value = 1.0 / (p3_dot(r, r) + cell * cell);
        if (c->count >= LINK_CARRIERS / 2) {
            value *= fabs(p3_dot(axis, p3_sub(r, mean)));
        }
        if (value > best) {
            best = value;
            found = slot;
        }
    }
    return found;
}

static carriers choose_carriers(const body* b, lim_point p) {
    carriers c = {0};
    int32_t piece = -1;
    for (int32_t slot = 0; c.count < LINK_CARRIERS;) {
        slot = next_carrier(b, p, piece, &c);
        if (slot < 0) {
            break;
        }
        piece = b->topology->slot_component[slot];
        c.slot[c.count] = slot;
        c.from[c.count++] = p3_sub(slot_place(b, slot), p);
    }
    return c;
}

link_tie world_tie_make(const body* a, const body* b, int32_t node) {
    link_tie t = {.node = node};
    carriers c = choose_carriers(b, slot_place(a, node));
    double cell = (double)b->topology->cell * body_metres(b), weight[LINK_CARRIERS];
    for (int32_t k = 0; k < c.count; ++k) {
        weight[k] = (double)b->topology->mass[c.slot[k]] /
                    (p3_dot(c.from[k], c.from[k]) + SOFT * SOFT * cell * cell);
    }
    lim_point left = link_weights(c.from, c.count, weight);
    for (int32_t k = 0; k < LINK_CARRIERS; ++k) {
        t.carrier[k] = c.slot[k < c.count ? k : 0];
        t.weight[k] = k < c.count ? finite_of(weight[k]) : 0.0f;
    }
    if (p3_length(left) > ARM_LEAST * cell) {
        lim_vec3 arm = world_tie_arm(b, &t, left);
        t.arm = v3_finite(arm) ? arm : v3(0, 0, 0);
    }
    return t;
}

/* All or nothing. */
static lim_result make(const lim_world* world, const lim_link_desc* desc, const body* a,
                       const body* b, world_link* out) {
    collider shape = {.shape = desc->shape,
                      .size = desc->size,
                      .position = desc->position,
                      .orientation = dquat_of(desc->orientation)};
    int32_t count = count_in(&shape, a), made = 0;
    if (count == 0 || !is_near(&shape, b)) {
        return LIM_ERROR_ARGUMENT;
    }
    *out = (world_link){.body = (int32_t)desc->body.index,
                        .other = (int32_t)desc->other.index,
                        .stiffness = desc->stiffness,
                        .force_limit = desc->force_limit,
                        .count = count,
                        .tie = mem_alloc(&world->host, (size_t)count, sizeof *out->tie)};
    LIM_TRY_MEMORY(out->tie);
    for (int32_t i = 0; i < a->topology->node_count; ++i) {
        int32_t slot = a->topology->node_slot[i];
        if (is_in(&shape, a, slot, 0.0)) {
            out->tie[made++] = world_tie_make(a, b, slot);
        }
    }
    return LIM_OK;
}

static lim_result check_desc(const lim_world* world, const lim_link_desc* desc) {
    check c = check_begin(&world->host, "lim_link_create");
    check_cookie(&c, desc->cookie, COOKIE_LINK, "lim_link_desc_default");
    check_shape(&c, desc->shape, desc->size, false);
    check_vector(&c, "size", desc->size, (double)CHECK_LENGTH, "metres, up to 1e6");
    check_point(&c, "position", desc->position);
    check_quat(&c, "orientation", desc->orientation);
    check_number(&c, "stiffness", (double)desc->stiffness, 0.0, (double)CHECK_FORCE,
                 "newton per metre, or 0 for a hard link");
    check_number(&c, "force_limit", (double)desc->force_limit, 0.0, (double)CHECK_FORCE,
                 "newton, or 0 for none");
    return c.result;
}

static lim_result create(lim_world* world, const lim_link_desc* desc, lim_link* out) {
    LIM_TRY(check_desc(world, desc));
    world_body* a = world_body_of(world, "lim_link_create", desc->body);
    world_body* b = world_body_of(world, "lim_link_create", desc->other);
    if (a == NULL || b == NULL) {
        return LIM_ERROR_ID;
    }
    if (a == b) {
        return log_fail(&world->host, LIM_ERROR_ARGUMENT,
                        "lim_link_create: body and other are the same; give two bodies");
    }
    int32_t index = slots_peek(&world->link_slots);
    world_link made = {0};
    lim_result result = world_reserve_links(world, index + 1) ? LIM_OK : LIM_ERROR_MEMORY;
    result = result == LIM_OK ? make(world, desc, &a->body, &b->body, &made) : result;
    if (result == LIM_ERROR_ARGUMENT) {
        return log_fail(&world->host, result,
                        "lim_link_create: no material of the body lies in the shape, or none of "
                        "the other within a cell of it; move it onto both or make it larger");
    }
    if (result != LIM_OK) {
        return log_fail(&world->host, result,
                        "lim_link_create: the host gave no memory; nothing was made");
    }
    slots_take(&world->link_slots);
    world->links[index] = made;
    body_wake(&a->body);
    body_wake(&b->body);
    *out = (lim_link){(uint32_t)index, world->link_slots.generation[index]};
    return LIM_OK;
}

lim_result lim_link_create(lim_world* world, const lim_link_desc* desc, lim_link* out_link) {
    if (out_link != NULL) {
        *out_link = (lim_link){0};
    }
    if (!world_given(world, "lim_link_create", "desc", desc) ||
        !world_given(world, "lim_link_create", "out_link", out_link)) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(create(world, desc, out_link));
}

/* ---- the rest -----------------------------------------------------------------------------------
 */

bool lim_link_is_valid(const lim_world* world, lim_link link) {
    return world != NULL && slots_holds(&world->link_slots, link.index, link.generation);
}

/* Null when the id is stale. */
static world_link* link_of(const lim_world* world, const char* call, lim_link id) {
    if (lim_link_is_valid(world, id)) {
        return &world->links[id.index];
    }
    log_say(&world->host, LIM_LOG_ERROR,
            "%s: link (%u, %u) is null, gone, broken or of another world; give a living id", call,
            id.index, id.generation);
    return NULL;
}

lim_result lim_link_destroy(lim_world* world, lim_link link) {
    if (world == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    if (link_of(world, "lim_link_destroy", link) == NULL) {
        return LIM_ERROR_ID;
    }
    world_link_end(world, (int32_t)link.index);
    return LIM_OK;
}

int32_t lim_link_node_count(const lim_world* world, lim_link link) {
    const world_link* found = world != NULL ? link_of(world, "lim_link_node_count", link) : NULL;
    return found != NULL ? found->count : 0;
}

lim_result lim_link_get_load(const lim_world* world, lim_link link, lim_load* out) {
    if (!world_given(world, "lim_link_get_load", "out", out)) {
        return LIM_ERROR_ARGUMENT;
    }
    const world_link* found = link_of(world, "lim_link_get_load", link);
    if (found == NULL) {
        return LIM_ERROR_ID;
    }
    *out = found->load;
    return LIM_OK;
}

static lim_result get_gap(const lim_world* world, lim_link id, lim_vec3* mean, float* most) {
    const world_link* link = link_of(world, "lim_link_get_gap", id);
    if (link == NULL) {
        return LIM_ERROR_ID;
    }
    const body* a = &world->bodies[link->body]->body;
    const body* b = &world->bodies[link->other]->body;
    lim_point sum = p3(0, 0, 0);
    double largest = 0.0, mass = 0.0;
    for (int32_t i = 0; i < link->count; ++i) {
        lim_point gap = world_tie_gap(a, b, &link->tie[i]);
        double m = (double)a->topology->mass[link->tie[i].node];
        sum = p3_mad(sum, gap, m);
        mass += m;
        largest = fmax(largest, p3_length(gap));
    }
    if (mean != NULL) {
        *mean = v3_of(p3_scale(sum, 1.0 / mass));
    }
    if (most != NULL) {
        *most = (float)largest;
    }
    return LIM_OK;
}

lim_result lim_link_get_gap(const lim_world* world, lim_link link, lim_vec3* out_mean,
                            float* out_most) {
    if (world == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(get_gap(world, link, out_mean, out_most));
}
