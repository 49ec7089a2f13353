/* SPDX-License-Identifier: MIT
 * Job: run the case of bench/penalty_case.h. In: stiffness of the springs, steps. Out: depths,
 * energy, time. Between two steps the state of the nodes is copied out, pushed and put back; only
 * the pushing counts as time.
 */
#include "bench/penalty_case.h"

#include "base/arena.h"
#include "base/result.h"
#include "base/sort.h"
#include "base/timer.h"
#include "bench/penalty.h"
#include "math/vec3.h"
#include "scenes/models.h"

#include <limber/world.h>

#include <math.h>
#include <string.h>

enum { BLOCKS = 2, BINS = 4000 };
#define CELL    0.025  /* metres */
#define BIN     0.0005 /* cells */
#define HEIGHT  0.1
#define DROP    0.05
#define DENSITY 600.0f
static const double WIDTH[BLOCKS] = {0.2, 0.125}; /* the lower, the upper */

typedef struct penalty_case {
    arena mem;
    lim_world* world;
    lim_model* model[BLOCKS];
    lim_body body[BLOCKS];
    penalty_block block[BLOCKS];
    double* position; /* 3 per node, of either */
    float* velocity;
    int64_t bin[BINS + 1], near;
} penalty_case;

static lim_result make_block(penalty_case* c, int which, bool meets, const lim_host* host) {
    int32_t across = (int32_t)(2.0 * WIDTH[which] / CELL + 0.5);
    const int32_t cells[3] = {across, (int32_t)(2.0 * HEIGHT / CELL + 0.5), across};
    lim_mesh* mesh = NULL;
    LIM_TRY(box_mesh(WIDTH[which], HEIGHT, WIDTH[which], cells, host, &mesh));
    lim_model_desc how = lim_model_desc_default();
    how.cell_size = (float)CELL;
    lim_result result = lim_model_create(mesh, &how, host, &c->model[which]);
    lim_mesh_destroy(mesh);
    LIM_TRY(result);
    lim_body_desc desc = lim_body_desc_default();
    desc.model = c->model[which];
    desc.position.y = 0.5 * HEIGHT + (double)which * (HEIGHT + DROP);
    desc.material.young = 20e3f;
    desc.material.density = DENSITY;
    desc.material.viscosity = 40.0f;
    desc.mask = meets ? desc.mask : LIM_LAYER_COLLIDER;
    return lim_body_create(c->world, &desc, &c->body[which]);
}

static lim_result make_world(penalty_case* c, const lim_host* host) {
    lim_world_desc desc = lim_world_desc_default();
    desc.substeps = 1;
    desc.sleep = false;
    LIM_TRY(lim_world_create(&desc, host, &c->world));
    lim_collider_desc ground = lim_collider_desc_default();
    lim_collider made;
    ground.shape = LIM_SHAPE_PLANE;
    return lim_collider_create(c->world, &ground, &made);
}

/* Which node a point follows: the nearest at rest. */
static int32_t node_of(const penalty_block* b, lim_point rest) {
    int32_t nearest = 0;
    for (int32_t i = 1; i < b->node_count; ++i) {
        if (p3_length(p3_sub(rest, p3_of(b->rest[i]))) <
            p3_length(p3_sub(rest, p3_of(b->rest[nearest])))) {
            nearest = i;
        }
    }
    return nearest;
}

static lim_result make_arrays(penalty_case* c, int which) {
    penalty_block* b = &c->block[which];
    lim_model_nodes nodes = lim_model_get_nodes(c->model[which]);
    lim_model_info info = lim_model_get_info(c->model[which]);
    lim_mesh_view surface = lim_model_get_surface(c->model[which]);
    b->node_count = nodes.count;
    b->point_count = surface.vertex_count;
    b->half = v3((float)(0.5 * WIDTH[which]), (float)(0.5 * HEIGHT), (float)(0.5 * WIDTH[which]));
    b->rest = ARENA_ARRAY(&c->mem, lim_vec3, b->node_count);
    b->at = ARENA_ARRAY(&c->mem, lim_point, b->node_count);
    b->velocity = ARENA_ARRAY(&c->mem, lim_vec3, b->node_count);
    b->mass = ARENA_ARRAY(&c->mem, double, b->node_count);
    b->point = ARENA_ARRAY(&c->mem, lim_point, b->point_count);
    b->point_node = ARENA_ARRAY(&c->mem, int32_t, b->point_count);
    b->point_share = ARENA_ARRAY(&c->mem, double, b->point_count);
    int32_t* followers = ARENA_ARRAY(&c->mem, int32_t, b->node_count);
    LIM_TRY_MEMORY(b->rest);
    LIM_TRY_MEMORY(b->at);
    LIM_TRY_MEMORY(b->velocity);
    LIM_TRY_MEMORY(b->mass);
    LIM_TRY_MEMORY(b->point);
    LIM_TRY_MEMORY(b->point_node);
    LIM_TRY_MEMORY(b->point_share);
    LIM_TRY_MEMORY(followers);
    for (int32_t i = 0; i < b->node_count; ++i) {
        b->rest[i] = v3(nodes.x[i], nodes.y[i], nodes.z[i]);
        b->mass[i] = (double)DENSITY * (double)nodes.volume[i];
    }
    for (int32_t i = 0; i < b->point_count; ++i) {
        b->point_node[i] = node_of(b, p3_sub(surface.positions[i], info.centre));
        followers[b->point_node[i]] += 1;
    }
    for (int32_t i = 0; i < b->point_count; ++i) {
        b->point_share[i] = 1.0 / (double)followers[b->point_node[i]];
    }
    return LIM_OK;
}

static lim_result read_block(penalty_case* c, int which) {
    penalty_block* b = &c->block[which];
    lim_body_motion motion;
    lim_skin_view skin;
    LIM_TRY(lim_body_get_nodes(c->world, c->body[which], c->position, c->velocity, b->node_count));
    LIM_TRY(lim_body_get_motion(c->world, c->body[which], &motion));
    LIM_TRY(lim_body_get_skin(c->world, c->body[which], &skin));
    b->turn = dquat_of(motion.orientation);
    for (int32_t i = 0; i < b->node_count; ++i) {
        const double* p = c->position + 3 * (size_t)i;
        const float* v = c->velocity + 3 * (size_t)i;
        b->at[i] = p3(p[0], p[1], p[2]);
        b->velocity[i] = v3(v[0], v[1], v[2]);
    }
    for (int32_t i = 0; i < b->point_count; ++i) {
        const float* p = skin.positions + 3 * (size_t)i;
        b->point[i] = p3_add(skin.origin, p3((double)p[0], (double)p[1], (double)p[2]));
    }
    return LIM_OK;
}

static lim_result write_block(penalty_case* c, int which) {
    const penalty_block* b = &c->block[which];
    for (int32_t i = 0; i < b->node_count; ++i) {
        c->velocity[3 * (size_t)i] = b->velocity[i].x;
        c->velocity[3 * (size_t)i + 1] = b->velocity[i].y;
        c->velocity[3 * (size_t)i + 2] = b->velocity[i].z;
    }
    return lim_body_set_nodes(c->world, c->body[which], NULL, c->velocity, b->node_count);
}

/* Notes how deep the points of each block are in the other; how many are inside. *springs is the
 * energy of springs of k newton per metre and node at these depths. */
static int32_t note_depths(penalty_case* c, double k, double* most, double* springs) {
    int32_t inside = 0;
    *springs = 0.0;
    for (int which = 0; which < BLOCKS; ++which) {
        const penalty_block* a = &c->block[which];
        for (int32_t i = 0; i < a->point_count; ++i) {
            double deep = penalty_depth_of(&c->block[1 - which], a->point[i]).deep / CELL;
            if (deep > -0.5) {
                deep = deep > 0.0 ? deep : 0.0;
                c->bin[deep < (double)BINS * BIN ? (int)(deep / BIN) : BINS] += 1;
                c->near += 1;
                inside += deep > 0.0;
                *springs += 0.5 * k * a->point_share[i] * deep * deep * CELL * CELL;
                *most = deep > *most ? deep : *most;
            }
        }
    }
    return inside;
}

static double p99_of(const penalty_case* c) {
    int64_t below = 0;
    int k = 0;
    for (; k < BINS && (below + c->bin[k]) * 100 < c->near * 99; ++k) {
        below += c->bin[k];
    }
    return k == 0 ? 0.0 : (double)(k + 1) * BIN;
}

static lim_result energy_of(const penalty_case* c, double* out_energy, double* out_middle) {
    *out_energy = 0.0;
    for (int which = 0; which < BLOCKS; ++which) {
        lim_body_motion m;
        LIM_TRY(lim_body_get_motion(c->world, c->body[which], &m));
        *out_energy += m.kinetic + m.potential + m.elastic;
        *out_middle = m.centre.y;
    }
    return LIM_OK;
}

/* One step, with the springs first where there are any; the state after it is in the blocks. */
static lim_result take_step(penalty_case* c, double k, const lim_host* host, double* out_seconds) {
    double begin = timer_now(host), pushed = 0.0;
    if (k > 0.0) {
        penalty_push(&c->block[0], &c->block[1], k, (double)PENALTY_STEP);
        penalty_push(&c->block[1], &c->block[0], k, (double)PENALTY_STEP);
        pushed = timer_now(host) - begin;
        LIM_TRY(write_block(c, 0));
        LIM_TRY(write_block(c, 1));
    }
    begin = timer_now(host);
    LIM_TRY(lim_world_step(c->world, PENALTY_STEP));
    *out_seconds = timer_now(host) - begin + pushed;
    LIM_TRY(read_block(c, 0));
    return read_block(c, 1);
}

static lim_result run(penalty_case* c, double k, int32_t steps, const lim_host* host,
                      penalty_result* out) {
    sort_item* times = ARENA_ARRAY(&c->mem, sort_item, steps);
    sort_item* spare = ARENA_ARRAY(&c->mem, sort_item, steps);
    double* seconds = ARENA_ARRAY(&c->mem, double, steps);
    LIM_TRY_MEMORY(times);
    LIM_TRY_MEMORY(spare);
    LIM_TRY_MEMORY(seconds);
    double energy, springs, least = INFINITY, inside = 0.0;
    double fall = (double)DENSITY * WIDTH[1] * WIDTH[1] * HEIGHT * 9.81 * DROP;
    LIM_TRY(read_block(c, 0));
    LIM_TRY(read_block(c, 1));
    for (int32_t i = 0; i < steps; ++i) {
        LIM_TRY(take_step(c, k, host, &seconds[i]));
        times[i] = (sort_item){.key = sort_key_double(seconds[i]), .value = i};
        inside += (double)note_depths(c, k, &out->most, &springs);
        LIM_TRY(energy_of(c, &energy, &out->height));
        energy += springs;
        least = energy < least ? energy : least;
        out->gained = fmax(out->gained, (energy - least) / fall);
    }
    sort_items(times, spare, steps);
    out->seconds = seconds[times[steps / 2].value];
    out->inside = (int32_t)(inside / (double)steps + 0.5);
    out->p99 = p99_of(c);
    out->height = (out->height - 1.5 * HEIGHT) / CELL;
    out->nodes = c->block[0].node_count + c->block[1].node_count;
    out->hash = lim_world_hash(c->world);
    return LIM_OK;
}

static lim_result prepare(penalty_case* c, bool meets, const lim_host* host) {
    LIM_TRY(make_world(c, host));
    for (int which = 0; which < BLOCKS; ++which) {
        LIM_TRY(make_block(c, which, meets, host));
        LIM_TRY(make_arrays(c, which));
    }
    c->position = ARENA_ARRAY(&c->mem, double, 3 * c->block[0].node_count);
    c->velocity = ARENA_ARRAY(&c->mem, float, 3 * c->block[0].node_count);
    LIM_TRY_MEMORY(c->position);
    LIM_TRY_MEMORY(c->velocity);
    return LIM_OK;
}

lim_result penalty_case_run(double k, int32_t steps, const lim_host* host, penalty_result* out) {
    if (!(k >= 0.0) || steps < 1) {
        return LIM_ERROR_ARGUMENT;
    }
    memset(out, 0, sizeof *out);
    arena mem;
    arena_init(&mem, host);
    penalty_case* c = ARENA_ARRAY(&mem, penalty_case, 1);
    lim_result result = c != NULL ? LIM_OK : LIM_ERROR_MEMORY;
    if (result == LIM_OK) {
        arena_init(&c->mem, host);
        result = prepare(c, k == 0.0, host);
        result = result == LIM_OK ? run(c, k, steps, host, out) : result;
        lim_world_destroy(c->world);
        lim_model_destroy(c->model[0]);
        lim_model_destroy(c->model[1]);
        arena_release(&c->mem);
    }
    arena_release(&mem);
    return result;
}
