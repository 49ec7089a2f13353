/* SPDX-License-Identifier: MIT
 * Bars and balls at several levels of detail for tests of carrying: models of one material whose
 * cells are as large as a rule says, a body in a world that changes from one to the other, and what
 * is measured before and after.
 */
#ifndef LIMBER_CARRY_KIT_H
#define LIMBER_CARRY_KIT_H

#include "core/physics_kit.h"
#include "edit/carry.h"
#include "failing_host.h"
#include "world/model.h"
#include "world/world.h"

/* How large cells may be, in levels above the finest, at a place. */
typedef struct level_rule {
    int32_t coarsest;
    int32_t kind; /* 0: all coarsest; 1: finer along x; else a number for random places */
} level_rule;

static inline uint64_t rule_mix(uint64_t x) {
    x ^= x >> 31;
    x *= 0x9E3779B97F4A7C15u;
    x ^= x >> 29;
    return x;
}

static inline float rule_size(void* user, lim_point centre, float edge) {
    const level_rule* rule = (const level_rule*)user;
    if (rule->kind == 0) {
        return 0.0f;
    }
    if (rule->kind == 1) {
        return centre.x > 0.0 ? 1e-6f : 0.0f;
    }
    int64_t x = (int64_t)(centre.x * 1024.0), y = (int64_t)(centre.y * 1024.0);
    uint64_t mixed = rule_mix((uint64_t)(rule->kind * 7919 + x * 131 + y * 65537 + 1));
    mixed = rule_mix(mixed + (uint64_t)(int64_t)(centre.z * 1024.0));
    return mixed % 3 == 0 ? 0.5f * edge : 0.0f;
}

static inline topology* level_topology(const lim_mesh* mesh, double cell, level_rule rule) {
    lim_model_desc desc = lim_model_desc_default();
    desc.cell_size = (float)cell;
    desc.coarsen = rule.coarsest;
    desc.cells_across = 0.0f;
    desc.size_at = rule_size;
    desc.size_user = &rule;
    lim_model* model = NULL;
    if (lim_model_create(mesh, &desc, NULL, &model) != LIM_OK) {
        abort();
    }
    topology* t = model->topology;
    topology_retain(t);
    lim_model_destroy(model);
    return t;
}

/* A world with one body over a topology. */
typedef struct stage {
    lim_world* world;
    lim_body id;
} stage;

static inline body* stage_body(const stage* s) {
    return &s->world->bodies[s->id.index]->body;
}

static inline stage stage_make(topology* t, const lim_material* material, lim_vec3 gravity,
                               int32_t count) {
    stage s = {0};
    lim_world_desc wd = lim_world_desc_default();
    wd.gravity = gravity;
    wd.workers = count;
    wd.sleep = false;
    lim_body_desc bd = lim_body_desc_default();
    struct lim_model shell = {.topology = t};
    bd.model = &shell;
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
    lim_result result =
        body_carry(stage_body(s), after, map, s->world->set, s->world->pool, &made);
    if (result == LIM_OK) {
        body_destroy(stage_body(s));
        *stage_body(s) = made;
    }
    return result;
}

/* World sums over the nodes, in kg and metres. */
typedef struct sums {
    double mass, kinetic;
    lim_point centre, momentum, turning; /* turning: about the centre */
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
    return s;
}

/* What the next substep takes out of the angular momentum. */
static inline lim_point left_turning(const body* b) {
    double metres = body_metres(b), unit = metres * metres * metres * (double)b->material.density;
    lim_point sum = p3(0, 0, 0);
    for (int32_t c = 0; c < b->topology->component_count; ++c) {
        lim_point l = dquat_rotate(b->components[c].rotation, b->components[c].left_turning);
        sum = p3_mad(sum, l, unit * metres * metres);
    }
    return sum;
}

/* Joule. */
static inline double elastic_of(body* b) {
    double metres = body_metres(b), unit = metres * metres * metres * (double)b->material.density;
    node_state nodes = body_nodes(b);
    match_body m = body_match(b, &nodes);
    return match_energy(&m, b->gains_h) * unit * metres * metres;
}

typedef struct shape_copy {
    int32_t count;
    lim_point* at;
} shape_copy;

static inline shape_copy skin_of(const body* b) {
    const body_skin* skin = &b->skin[b->skin_front];
    shape_copy c = {b->topology->vertex_count,
                    malloc((size_t)b->topology->vertex_count * sizeof(lim_point))};
    for (int32_t i = 0; i < c.count; ++i) {
        const float* p = skin->positions + 3 * (size_t)i;
        c.at[i] = p3_add(skin->origin, p3((double)p[0], (double)p[1], (double)p[2]));
    }
    return c;
}

/* Largest distance of the skin now from what it was; frees the copy. */
static inline double skin_moved(const body* b, shape_copy was) {
    shape_copy now = skin_of(b);
    double most = 0.0; int worst=0;
    for (int32_t i = 0; i < now.count; ++i) {
        double d = p3_length(p3_sub(now.at[i], was.at[i]));
        if (d > most) worst = i;
        most = d > most ? d : most;
    }
    lim_point w = p3_sub(now.at[worst], was.at[worst]), r = b->topology->position[worst];
    printf("   worst at %.3f %.3f %.3f moved %.2e %.2e %.2e\n", r.x, r.y, r.z, w.x, w.y, w.z);
    double rms=0; for (int32_t i = 0; i < now.count; ++i) {lim_point q=p3_sub(now.at[i], was.at[i]); rms+=p3_dot(q,q);} printf("   rms %.2e\n", sqrt(rms/now.count));
    free(now.at);
    free(was.at);
    return most;
}

#endif
