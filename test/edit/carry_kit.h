/* SPDX-License-Identifier: MIT
 * Bars at several levels of detail for tests of carrying: models of one material whose cells are as
 * large as a rule says, a body in a world that goes from one to the other, and what is measured
 * before and after.
 */
#ifndef LIMBER_CARRY_KIT_H
#define LIMBER_CARRY_KIT_H

#include "core/physics_kit.h"
#include "edit/carry.h"
#include "world/model.h"
#include "world/world.h"

/* ---- topologies -------------------------------------------------------------------------------
 */

/* Cells have up to 2^coarsest finest edges. kind 0: all of them; 1: only for x < 0; else the number
 * of a random choice of places. */
typedef struct level_rule {
    int32_t coarsest, kind;
} level_rule;

static inline float rule_size(void* user, lim_point centre, float edge) {
    const level_rule* rule = user;
    if (rule->kind < 2) {
        return rule->kind == 1 && centre.x > 0.0 ? 1e-6f : 0.0f;
    }
    uint64_t x = (uint64_t)((centre.x + 2.0) * 1024.0), y = (uint64_t)((centre.y + 2.0) * 1024.0);
    uint64_t z = (uint64_t)((centre.z + 2.0) * 1024.0);
    random_stream r = random_seed((x * 4096 + y) * 4096 + z + ((uint64_t)rule->kind << 40));
    return random_unit(&r) < 0.3f ? 0.5f * edge : 0.0f;
}

/* width: half of that of regions, own cells. */
static inline topology* wide_topology(const lim_mesh* mesh, double cell, level_rule rule,
                                      float width) {
    lim_model_desc desc = lim_model_desc_default();
    desc.cell_size = (float)cell;
    desc.coarsen = rule.coarsest;
    desc.cells_across = 0.0f;
    desc.size_at = rule_size;
    desc.size_user = &rule;
    desc.region_width = width;
    lim_model* model = NULL;
    if (lim_model_create(mesh, &desc, NULL, &model) != LIM_OK) {
        abort();
    }
    topology* t = model->topology;
    topology_retain(t);
    lim_model_destroy(model);
    return t;
}

static inline topology* level_topology(const lim_mesh* mesh, double cell, level_rule rule) {
    return wide_topology(mesh, cell, rule, lim_model_desc_default().region_width);
}

/* A bar of 1 m with `across` cells in each direction across and 8 times as many along, and its
 * topologies with cells up to 1, 2 and 4 times as large. */
enum { LEVELS = 3 };
typedef struct bar {
    double cell;
    lim_mesh* mesh;
    topology* level[LEVELS];
} bar;

static inline bar bar_make(int32_t across) {
    const int32_t n[3] = {8 * across, across, across};
    bar b = {.cell = 1.0 / (8 * across)};
    b.mesh = box_surface(n, b.cell);
    for (int k = 0; k < LEVELS; ++k) {
        b.level[k] = level_topology(b.mesh, b.cell, (level_rule){k, 0});
    }
    return b;
}

static inline void bar_free(bar* b) {
    for (int k = 0; k < LEVELS; ++k) {
        topology_release(b->level[k]);
    }
    lim_mesh_destroy(b->mesh);
}

/* Each slot is itself. */
static inline int32_t* same_slots(const topology* t) {
    int32_t* slot = malloc((size_t)t->slot_count * sizeof *slot);
    for (int32_t i = 0; i < t->slot_count; ++i) {
        slot[i] = t->slot_node[i] >= 0 ? i : -1;
    }
    return slot;
}

/* Nodes in the same cell with the same number: the same node, but for the rounding of a rest origin
 * that each model has found for itself. */
static inline int32_t* kept_slots(const topology* before, const topology* after) {
    int32_t* slot = malloc((size_t)after->slot_count * sizeof *slot);
    for (int32_t i = 0; i < after->slot_count; ++i) {
        slot[i] = -1;
        for (int32_t k = 0; k < before->slot_count && after->slot_node[i] >= 0; ++k) {
            if (before->slot_node[k] >= 0 && before->key[k] == after->key[i] &&
                before->fragment[k] == after->fragment[i] && before->side[k] == after->side[i]) {
                slot[i] = k;
            }
        }
    }
    return slot;
}

/* ---- a body in a world ------------------------------------------------------------------------
 */

typedef struct stage {
    lim_world* world;
    lim_body id;
} stage;

static inline body* stage_body(const stage* s) {
    return &s->world->bodies[s->id.index]->body;
}

static inline stage stage_make(topology* t, const lim_material* material, lim_vec3 gravity,
                               int32_t threads) {
    stage s = {0};
    lim_world_desc wd = lim_world_desc_default();
    wd.gravity = gravity;
    wd.workers = threads;
    wd.sleep = false;
    wd.substeps = 8; /* of every level: energies can be compared */
    struct lim_model model = {.topology = t};
    lim_body_desc bd = lim_body_desc_default();
    bd.model = &model;
    bd.material = *material;
    if (lim_world_create(&wd, NULL, &s.world) != LIM_OK ||
        lim_body_create(s.world, &bd, &s.id) != LIM_OK) {
        abort();
    }
    return s;
}

static inline void stage_free(stage* s) {
    lim_world_destroy(s->world);
}

static inline void stage_steps(stage* s, int count) {
    for (int k = 0; k < count; ++k) {
        CHECK(lim_world_step(s->world, 1.0f / 60) == LIM_OK);
    }
}

/* Carries the body over, as a commit would. */
static inline lim_result stage_carry(stage* s, topology* after, const carry_map* map) {
    body made;
    lim_result result = body_carry(stage_body(s), after, map, s->world->set, s->world->pool, &made);
    if (result == LIM_OK) {
        body_destroy(stage_body(s));
        *stage_body(s) = made;
    }
    return result;
}

/* A pin over the end at x = -0.5, with two cells of the coarsest in it. */
static inline lim_pin stage_clamp(stage* s, float stiffness) {
    lim_pin_desc p = lim_pin_desc_default();
    p.body = s->id;
    p.shape = LIM_SHAPE_BOX;
    p.size = (lim_vec3){0.125f + 1e-3f, 1, 1};
    p.position = p3(-0.5, 0, 0);
    p.stiffness = stiffness;
    lim_pin pin = {0};
    CHECK(lim_pin_create(s->world, &p, &pin) == LIM_OK);
    return pin;
}

/* Velocities of a bending swing without momentum, `speed` at the ends; and turning about x. */
static inline void stage_swing(stage* s, double speed, double turn) {
    body* b = stage_body(s);
    for (int32_t i = 0; i < b->topology->slot_count; ++i) {
        if (b->topology->slot_node[i] >= 0) {
            lim_point x = body_slot_rest(b->topology, i);
            b->v[1][i] = (float)(speed * 6.0 * (1.0 / 12 - x.x * x.x) - turn * x.z);
            b->v[2][i] = (float)(turn * x.y);
        }
    }
    body_wake(b);
}

/* ---- what is measured -------------------------------------------------------------------------
 */

/* Sums over the nodes, kg, metres, world axes. */
typedef struct sums {
    double mass, kinetic;
    lim_point centre, momentum, turning;  /* turning: about the centre */
    lim_point left_impulse, left_turning; /* that the next substep takes out */
} sums;

static inline lim_point node_world(const body* b, int32_t i) {
    const component* c = &b->components[b->topology->slot_component[i]];
    return node_to_world(c, body_metres(b), body_slot_local(b, i));
}

static inline lim_point node_speed(const body* b, int32_t i) {
    const component* c = &b->components[b->topology->slot_component[i]];
    lim_point v = p3((double)b->v[0][i], (double)b->v[1][i], (double)b->v[2][i]);
    return p3_scale(dquat_rotate(c->rotation, v), body_metres(b));
}

static inline sums sums_of(const body* b) {
    sums s = {0};
    double metres = body_metres(b), unit = metres * metres * metres * (double)b->material.density;
    for (int32_t i = 0; i < b->topology->slot_count; ++i) {
        double m = (double)b->topology->mass[i] * unit;
        lim_point v = node_speed(b, i);
        s.mass += m;
        s.centre = p3_mad(s.centre, node_world(b, i), m);
        s.momentum = p3_mad(s.momentum, v, m);
        s.kinetic += 0.5 * m * p3_dot(v, v);
    }
    s.centre = p3_scale(s.centre, 1.0 / s.mass);
    for (int32_t i = 0; i < b->topology->slot_count; ++i) {
        double m = (double)b->topology->mass[i] * unit;
        lim_point r = p3_sub(node_world(b, i), s.centre);
        s.turning = p3_mad(s.turning, p3_cross(r, node_speed(b, i)), m);
    }
    for (int32_t c = 0; c < b->topology->component_count; ++c) {
        const component* at = b->components + c;
        s.left_impulse =
            p3_mad(s.left_impulse, dquat_rotate(at->rotation, at->left_impulse), unit * metres);
        s.left_turning = p3_mad(s.left_turning, dquat_rotate(at->rotation, at->left_turning),
                                unit * metres * metres);
    }
    return s;
}

/* Joule, of the goals at a substep. */
static inline double elastic_of(body* b, double h) {
    double metres = body_metres(b), unit = metres * metres * metres * (double)b->material.density;
    node_state nodes = body_nodes(b);
    match_body m = body_match(b, &nodes);
    return match_energy(&m, h) * unit * metres * metres;
}

typedef struct skin_copy {
    int32_t count;
    lim_point* at;
} skin_copy;

static inline skin_copy skin_of(body* b) {
    const body_skin* skin = body_skin_now(b, isa_best(), NULL);
    skin_copy c = {b->topology->vertex_count,
                   malloc((size_t)b->topology->vertex_count * sizeof(lim_point))};
    for (int32_t i = 0; i < c.count; ++i) {
        const float* p = skin->positions + 3 * (size_t)i;
        c.at[i] = p3_add(skin->origin, p3((double)p[0], (double)p[1], (double)p[2]));
    }
    return c;
}

/* Largest distance of the skin from what it was. */
static inline double skin_moved(body* b, const skin_copy* was) {
    skin_copy now = skin_of(b);
    double most = 0.0;
    for (int32_t i = 0; i < now.count; ++i) {
        double d = p3_length(p3_sub(now.at[i], was->at[i]));
        most = d > most ? d : most;
    }
    free(now.at);
    return most;
}

/* From the highest to the lowest vertex. */
static inline double skin_height(const skin_copy* s) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int32_t i = 0; i < s->count; ++i) {
        low = s->at[i].y < low ? s->at[i].y : low;
        high = s->at[i].y > high ? s->at[i].y : high;
    }
    return high - low;
}

#endif
