/* SPDX-License-Identifier: MIT
 * Job: give the matching of a body that has flowed far a new rest shape. In: a body between steps.
 * Out: y0, the constants of regions over it, and what is left of the plastic strain.
 */
#include "body/embed.h"

#include "body/body.h"
#include "match/stretch.h"
#include "math/eigen.h"

#include <string.h>

/* n(P) of a region at which the body is embedded: well below the 1 that one matrix may hold, so
 * that flow goes on meanwhile, and far enough that it is rare. */
#define EMBED_STRAIN 0.6f
/* Passes that let go of elastic strain; each goes on with so much of the last one's motion, which
 * carries far in few passes (Polyak 1964). */
enum { EMBED_SWEEPS = 96 };
#define EMBED_CARRY 0.9f
/* Regions may become so many times smaller or larger, by volume, in one embedding. */
#define EMBED_SWELL 10.0
/* Unit lengths: no node of ours is ever so far out. */
#define EMBED_FAR 100.0f
/* Likewise: what rounding leaves of the way between two centres is less. */
#define EMBED_CENTRED 1e-6

struct embed_plan {
    arena mem;
    body_embedding* made; /* null: refused */
    float *strain[6], *q[4];
};

/* ---- linear fits ------------------------------------------------------------------------------
 */

/* R + (A - R A0)(A0 + kappa 1)^-1 with R the rotation of A, which leaves open directions alone. */
static dmat3 fit_of(const regions* r, int32_t i, const dmat3* moments) {
    static const int symmetric[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    double a0[6], inverse[6];
    dmat3 whole, back, rotation = nearest_rotation(moments);
    for (int k = 0; k < 6; ++k) {
        a0[k] = (double)r->a0[k][i];
    }
    if (!(r->weight[i] > 0.0f && a0[0] + a0[1] + a0[2] > 0.0)) {
        return dmat3_identity();
    }
    stretch_inverse(a0, inverse);
    for (int k = 0; k < 9; ++k) {
        whole.m[k] = a0[symmetric[k]];
        back.m[k] = inverse[symmetric[k]];
    }
    dmat3 turned = dmat3_product(&rotation, &whole);
    for (int k = 0; k < 9; ++k) {
        turned.m[k] = moments->m[k] - turned.m[k];
    }
    dmat3 beside = dmat3_product(&turned, &back);
    for (int k = 0; k < 9; ++k) {
        rotation.m[k] += beside.m[k];
    }
    return rotation;
}

static bool is_sound(double det) {
    return det > 1.0 / EMBED_SWELL && det < EMBED_SWELL;
}

static bool all_finite(const dmat3* a) {
    double sum = 0.0;
    for (int k = 0; k < 9; ++k) {
        sum += fabs(a->m[k]);
    }
    return sum < 1e6;
}

/* n of a stretch with these singular values. */
static double strain_of(const double s[3]) {
    double mean = (s[0] + s[1] + s[2]) / 3.0, sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        sum += (s[k] - mean) * (s[k] - mean);
    }
    return sqrt(1.5 * sum);
}

/* ---- the embedding ----------------------------------------------------------------------------
 */

static lim_result take_arrays(const topology* t, body_embedding* e) {
    int32_t slots = t->slot_count, padded = t->regions.padded;
    for (int k = 0; k < 3; ++k) {
        e->y0[k] = ARENA_ARRAY(&e->mem, float, slots);
        e->shift[k] = ARENA_ARRAY(&e->mem, float, slots);
        e->d[k] = ARENA_ARRAY(&e->mem, float, slots);
        e->charts.origin[k] = ARENA_ARRAY(&e->mem, float, t->charts.count);
        e->regions.c0[k] = ARENA_ARRAY(&e->mem, float, padded);
        LIM_TRY_MEMORY(e->y0[k]);
        LIM_TRY_MEMORY(e->shift[k]);
        LIM_TRY_MEMORY(e->d[k]);
        LIM_TRY_MEMORY(e->charts.origin[k]);
        LIM_TRY_MEMORY(e->regions.c0[k]);
    }
    for (int k = 0; k < 6; ++k) {
        e->regions.a0[k] = ARENA_ARRAY(&e->mem, float, padded);
        LIM_TRY_MEMORY(e->regions.a0[k]);
    }
    e->past = ARENA_ARRAY(&e->mem, float, padded);
    e->swell = ARENA_ARRAY(&e->mem, float, padded);
    LIM_TRY_MEMORY(e->past);
    LIM_TRY_MEMORY(e->swell);
    if (t->bind.cell_count == 0) {
        e->gradient = ARENA_ARRAY(&e->mem, float, 9 * (size_t)slots);
        LIM_TRY_MEMORY(e->gradient);
    }
    return LIM_OK;
}

/* Matching takes a component's centre at rest to be that of x0. What a cut has parted has the shape
 * of the whole, so each piece is put about its own centre again; nothing moves, not by a bit, where
 * the centre is the right one. */
static void centre(const topology* t, int k, float* y0) {
    for (int32_t c = 0; c < t->component_count; ++c) {
        double sum = 0.0, mass = 0.0;
        for (int32_t i = t->component_begin[c]; i < t->component_begin[c + 1]; ++i) {
            sum += (double)t->mass[i] * ((double)y0[i] - (double)t->x0[k][i]);
            mass += (double)t->mass[i];
        }
        float off = mass > 0.0 && fabs(sum) > EMBED_CENTRED * mass ? (float)(sum / mass) : 0.0f;
        for (int32_t i = t->component_begin[c]; i < t->component_begin[c + 1] && off != 0.0f; ++i) {
            y0[i] -= t->slot_node[i] >= 0 ? off : 0.0f;
        }
    }
}

static lim_result place(const topology* t, const float* const y0[3], body_embedding* e) {
    for (int k = 0; k < 3; ++k) {
        for (int32_t i = 0; i < t->slot_count; ++i) {
            if (!(fabsf(y0[k][i]) < EMBED_FAR)) {
                return LIM_ERROR_FORMAT;
            }
            e->y0[k][i] = y0[k][i];
        }
        centre(t, k, e->y0[k]);
        for (int32_t i = 0; i < t->slot_count; ++i) {
            e->shift[k][i] = e->y0[k][i] - t->x0[k][i];
        }
        for (int32_t i = 0; i < t->charts.count; ++i) {
            int32_t node = t->charts.node[i];
            e->charts.origin[k][i] = node >= 0 ? e->y0[k][node] : t->charts.origin[k][i];
        }
    }
    return LIM_OK;
}

/* Constants of the regions over y0; those that do not depend on it, and sigma2, stay the
 * topology's. */
static lim_result find_constants(const topology* t, arena* scratch, body_embedding* e) {
    regions r = e->regions;
    r.inv_mass = ARENA_ARRAY(scratch, float, r.padded);
    r.sigma2 = ARENA_ARRAY(scratch, float, r.padded);
    float* inv_weight = ARENA_ARRAY(scratch, float, t->net.node_count);
    float* fit_mass = ARENA_ARRAY(scratch, float, t->net.node_count);
    LIM_TRY_MEMORY(r.inv_mass);
    LIM_TRY_MEMORY(r.sigma2);
    LIM_TRY_MEMORY(inv_weight);
    LIM_TRY_MEMORY(fit_mass);
    region_nodes nodes = topology_nodes(t);
    for (int k = 0; k < 3; ++k) {
        nodes.x0[k] = e->y0[k];
    }
    return regions_constants(scratch, &nodes, &e->charts, &t->net, r.box > 0 ? &t->box : NULL, &r,
                             inv_weight, fit_mass);
}

/* The skin as y0 carries it. */
static lim_result skin_nodes(const topology* t, arena* scratch, const body_embedding* e,
                             node_state* out) {
    *out = (node_state){.padded = t->slot_count,
                        .x0 = {t->x0[0], t->x0[1], t->x0[2]},
                        .d = {e->shift[0], e->shift[1], e->shift[2]}};
    out->affine = ARENA_ARRAY(scratch, float, 16 * (size_t)t->slot_count);
    LIM_TRY_MEMORY(out->affine);
    for (int32_t i = 0; i < t->slot_count; ++i) {
        float* to = out->affine + 16 * (size_t)i;
        for (int k = 0; k < 9 && e->gradient != NULL; ++k) {
            to[k] = e->gradient[9 * (size_t)i + (size_t)k] - (k % 4 == 0 ? 1.0f : 0.0f);
        }
    }
    return LIM_OK;
}

/* Fits know their region's volume but for a share: where directions change within a region, their
 * mean is shorter than they are. The volume inside the skin does not have that error, so all
 * regions of a component are corrected by what it says of their sum. ratio: per component, of the
 * volume that fits see to that of the skin; 1 where there is no skin around the material. */
static lim_result compare_volumes(const topology* t, arena* scratch, const body_embedding* e,
                                  bool filled, const dmat3* way, double* ratio) {
    const regions* r = &t->regions;
    double(*sum)[4] = arena_alloc(scratch, (size_t)t->component_count, sizeof *sum);
    node_state nodes;
    LIM_TRY_MEMORY(sum);
    LIM_TRY(skin_nodes(t, scratch, e, &nodes));
    for (int32_t i = 0; i < t->triangle_count && filled; ++i) {
        lim_point p[3], rest[3];
        double* at = sum[t->bind.component[t->vertex_point[t->indices[3 * (size_t)i]]]];
        for (int k = 0; k < 3; ++k) {
            int32_t point = t->vertex_point[t->indices[3 * (size_t)i + (size_t)k]];
            lim_vec3 x0 = bindings_rest(&t->bind, point);
            rest[k] = p3_of(x0);
            p[k] = p3_of(binding_position(t->bind.bind + point, x0, &nodes));
        }
        at[0] += p3_dot(p[0], p3_cross(p[1], p[2]));
        at[1] += p3_dot(rest[0], p3_cross(rest[1], rest[2]));
    }
    for (int32_t i = 0; i < r->count; ++i) {
        double* at = sum[t->region_component[i]];
        double mass = (double)r->weight[i] / (double)r->inv_mass[i];
        at[2] += mass * dmat3_determinant(&way[i]);
        at[3] += mass;
    }
    for (int32_t c = 0; c < t->component_count; ++c) {
        double skin = sum[c][1] != 0.0 ? sum[c][0] / sum[c][1] : 0.0;
        double fits = sum[c][3] > 0.0 ? sum[c][2] / sum[c][3] : 0.0;
        ratio[c] = is_sound(skin) && is_sound(fits) ? fits / skin : 1.0;
    }
    return LIM_OK;
}

/* The way of every region from x0 to y0, and of every node. */
static lim_result find_way(const topology* t, arena* scratch, bool filled, body_embedding* e) {
    const regions* r = &t->regions;
    region_nodes nodes = topology_nodes(t);
    dmat3* way = ARENA_ARRAY(scratch, dmat3, r->count);
    double* ratio = ARENA_ARRAY(scratch, double, t->component_count);
    LIM_TRY_MEMORY(way);
    LIM_TRY_MEMORY(ratio);
    const float* to[3] = {e->y0[0], e->y0[1], e->y0[2]};
    LIM_TRY(regions_moments(scratch, &nodes, &t->charts, &t->net, r->box > 0 ? &t->box : NULL, r,
                            t->fit_mass, to, way));
    for (int32_t i = 0; i < r->count; ++i) {
        way[i] = fit_of(r, i, &way[i]);
        if (!all_finite(&way[i]) || !is_sound(dmat3_determinant(&way[i]))) {
            return LIM_ERROR_FORMAT;
        }
    }
    if (e->gradient != NULL) {
        LIM_TRY(regions_blend(scratch, &t->charts, &t->net, r, t->inv_weight, way, e->gradient));
    }
    LIM_TRY(compare_volumes(t, scratch, e, filled, way, ratio));
    for (int32_t i = 0; i < r->padded; ++i) {
        dmat3 left, right;
        double s[3] = {1, 1, 1}, det = 1.0;
        if (i < r->count) {
            svd3(&way[i], &left, s, &right);
            det = dmat3_determinant(&way[i]) / ratio[t->region_component[i]];
        }
        e->past[i] = (float)strain_of(s);
        e->swell[i] = (float)(1.0 / trig_cbrt(det));
    }
    return LIM_OK;
}

static lim_result build(const topology* t, const float* const y0[3], bool filled, arena* scratch,
                        body_embedding* e) {
    LIM_TRY(take_arrays(t, e));
    LIM_TRY(place(t, y0, e));
    LIM_TRY(find_constants(t, scratch, e));
    LIM_TRY(find_way(t, scratch, filled, e));
    if (!t->kind->quadratic) {
        return LIM_OK;
    }
    quadratic_source source = {.net = &t->net,
                               .charts = &e->charts,
                               .regions = &e->regions,
                               .slots = t->slot_count,
                               .x0 = {e->y0[0], e->y0[1], e->y0[2]},
                               .inv_weight = t->inv_weight,
                               .fit_mass = t->fit_mass};
    return quadratic_build(&e->mem, scratch, &source, &e->quadratic);
}

lim_result embedding_make(const topology* t, const float* const y0[3], bool filled,
                          const lim_host* host, body_embedding** out) {
    body_embedding* e = mem_alloc(host, 1, sizeof *e);
    LIM_TRY_MEMORY(e);
    e->host = *host;
    e->charts = t->charts;
    e->regions = t->regions;
    arena scratch;
    arena_init(&e->mem, host);
    arena_init(&scratch, host);
    lim_result result = build(t, y0, filled, &scratch, e);
    arena_release(&scratch);
    if (result != LIM_OK) {
        embedding_free(e);
        return result;
    }
    e->rest =
        (match_rest){.shift = {e->shift[0], e->shift[1], e->shift[2]}, .gradient = e->gradient};
    *out = e;
    return LIM_OK;
}

void embedding_free(body_embedding* e) {
    if (e != NULL) {
        lim_host host = e->host;
        arena_release(&e->mem);
        mem_free(&host, e, 1, sizeof *e);
    }
}

/* ---- letting go of elastic strain -------------------------------------------------------------
 */

/* A copy of what moves, and gains with which every goal is reached at once. */
typedef struct relaxing {
    node_state nodes;
    match_body match;
    match_gains gains;
} relaxing;

static lim_result copy_floats(arena* a, const float* from, int32_t count, float** out) {
    *out = ARENA_ARRAY(a, float, count);
    LIM_TRY_MEMORY(*out);
    memcpy(*out, from, (size_t)count * sizeof(float));
    return LIM_OK;
}

static lim_result take_gains(arena* a, const topology* t, match_gains* g) {
    int32_t padded = t->regions.padded, records = t->net.node_count;
    g->goal = ARENA_ARRAY(a, float, padded);
    g->damp = ARENA_ARRAY(a, float, padded);
    g->bulk = ARENA_ARRAY(a, float, padded);
    g->goal_sum = ARENA_ARRAY(a, float, records);
    g->damp_sum = ARENA_ARRAY(a, float, records);
    LIM_TRY_MEMORY(g->goal);
    LIM_TRY_MEMORY(g->damp);
    LIM_TRY_MEMORY(g->bulk);
    LIM_TRY_MEMORY(g->goal_sum);
    LIM_TRY_MEMORY(g->damp_sum);
    for (int k = 0; k < 6; ++k) {
        g->inverse[k] = ARENA_ARRAY(a, float, padded);
        LIM_TRY_MEMORY(g->inverse[k]);
    }
    return LIM_OK;
}

static lim_result begin_relaxing(body* b, arena* a, relaxing* r) {
    const topology* t = b->topology;
    node_state nodes = body_nodes(b);
    r->match = body_match(b, &nodes);
    match_take_rest(&r->match);
    r->nodes = *r->match.nodes;
    for (int k = 0; k < 3; ++k) {
        LIM_TRY(copy_floats(a, r->nodes.d[k], t->slot_count, &r->nodes.d[k]));
        r->nodes.v[k] = ARENA_ARRAY(a, float, t->slot_count);
        LIM_TRY_MEMORY(r->nodes.v[k]);
    }
    r->nodes.components = ARENA_ARRAY(a, component, t->component_count);
    LIM_TRY_MEMORY(r->nodes.components);
    for (int32_t c = 0; c < t->component_count; ++c) {
        component* to = r->nodes.components + c;
        *to = b->components[c];
        to->left_impulse = to->left_turning = p3(0, 0, 0);
        to->held = 0.0;
        to->touched = false;
    }
    for (int k = 0; k < 4; ++k) {
        LIM_TRY(copy_floats(a, b->q[k], t->regions.padded, &r->match.q[k]));
    }
    for (int k = 0; k < 6; ++k) {
        LIM_TRY(copy_floats(a, b->strain[k], t->regions.padded, &r->match.plastic[k]));
    }
    LIM_TRY(take_gains(a, t, &r->gains));
    r->match.nodes = &r->nodes;
    r->match.gains = &r->gains;
    r->match.rest = NULL;
    r->match.damped = false;
    return LIM_OK;
}

/* What no outer force and no pin holds comes to where its regions want it. */
static void relax(body* b, relaxing* r, isa set, workers* pool) {
    const topology* t = b->topology;
    const match_material whole = {.young = 1.0, .density = 1.0, .scale = 1.0, .alpha = 1.0};
    match_refresh(&r->match, &whole, 1.0, set, pool);
    node_component_sums(&r->nodes, b->block_sums, set, pool);
    for (int sweep = 0; sweep < EMBED_SWEEPS; ++sweep) {
        match_step(&r->match, false, set, pool, &b->host, NULL);
        for (int k = 0; k < 3; ++k) {
            for (int32_t i = 0; i < t->slot_count; ++i) {
                r->nodes.d[k][i] += r->nodes.v[k][i];
                r->nodes.v[k][i] *= EMBED_CARRY;
            }
        }
    }
}

/* Where the nodes have come to, about the centre of mass that x0 has. */
static lim_result take_shape(const body* b, const relaxing* r, arena* a, float* y0[3]) {
    const topology* t = b->topology;
    for (int k = 0; k < 3; ++k) {
        LIM_TRY(copy_floats(a, t->x0[k], t->slot_count, &y0[k]));
    }
    for (int32_t c = 0; c < t->component_count; ++c) {
        const component* at = b->components + c;
        const double rest[3] = {at->rest_centre.x, at->rest_centre.y, at->rest_centre.z};
        for (int k = 0; k < 3; ++k) {
            double sum = 0.0, mass = 0.0;
            for (int32_t i = at->begin; i < at->end; ++i) {
                double m = (double)t->mass[i];
                sum += m * ((double)r->nodes.x0[k][i] + (double)r->nodes.d[k][i]);
                mass += m;
            }
            double less = sum / mass - rest[k];
            for (int32_t i = at->begin; i < at->end; ++i) {
                double y = (double)r->nodes.x0[k][i] + (double)r->nodes.d[k][i] - less;
                y0[k][i] = t->slot_node[i] >= 0 ? (float)y : y0[k][i];
            }
        }
    }
    return LIM_OK;
}

/* ---- what is left of the flow -----------------------------------------------------------------
 */

/* U G^-1 = R U', and q' = q R. False: no fit to go by. */
static bool carry_over(const body* b, int32_t i, const dmat3* way, struct embed_plan* plan) {
    static const int symmetric[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    double det = dmat3_determinant(way);
    if (!all_finite(way) || !is_sound(det)) {
        return false;
    }
    dmat3 u, back = dmat3_inverse(way, det), left, right, rotation = {{0}};
    for (int k = 0; k < 9; ++k) {
        u.m[k] = (double)b->strain[symmetric[k]][i] + (k % 4 == 0 ? 1.0 : 0.0);
    }
    dmat3 whole = dmat3_product(&u, &back);
    double s[3];
    svd3(&whole, &left, s, &right);
    double scale = (double)plan->made->swell[i] / trig_cbrt(s[0] * s[1] * s[2]);
    for (int k = 0; k < 27; ++k) { /* left right^T */
        rotation.m[k / 3] += left.m[k / 9 * 3 + k % 3] * right.m[k / 3 % 3 * 3 + k % 3];
    }
    for (int k = 0; k < 6; ++k) {
        double sum = k < 3 ? -1.0 : 0.0;
        for (int j = 0; j < 3; ++j) {
            sum += scale * s[j] * right.m[3 * row[k] + j] * right.m[3 * column[k] + j];
        }
        plan->strain[k][i] = (float)sum;
    }
    dquat had = {(double)b->q[0][i], (double)b->q[1][i], (double)b->q[2][i], (double)b->q[3][i]};
    dquat q = dquat_unit(dquat_mul(had, dquat_of_matrix(&rotation)));
    plan->q[0][i] = (float)q.x;
    plan->q[1][i] = (float)q.y;
    plan->q[2][i] = (float)q.z;
    plan->q[3][i] = (float)q.w;
    for (int k = 0; k < 3; ++k) {
        s[k] *= scale;
    }
    return strain_of(s) < 1.0;
}

/* Of every region, from the present rest shape to y0. LIM_ERROR_FORMAT: refused. */
static lim_result carry_all(body* b, const float* const y0[3], arena* scratch,
                            struct embed_plan* plan) {
    const topology* t = b->topology;
    node_state seen = body_nodes(b);
    match_body m = body_match(b, &seen);
    region_nodes nodes = topology_nodes(t);
    for (int k = 0; k < 3; ++k) {
        nodes.x0[k] = m.nodes->x0[k];
    }
    dmat3* way = ARENA_ARRAY(scratch, dmat3, t->regions.count);
    LIM_TRY_MEMORY(way);
    LIM_TRY(
        regions_moments(scratch, &nodes, m.charts, m.net, m.box, m.regions, m.fit_mass, y0, way));
    for (int k = 0; k < 4; ++k) {
        LIM_TRY(copy_floats(&plan->mem, b->q[k], t->regions.padded, &plan->q[k]));
    }
    for (int k = 0; k < 6; ++k) {
        LIM_TRY(copy_floats(&plan->mem, b->strain[k], t->regions.padded, &plan->strain[k]));
    }
    for (int32_t i = 0; i < t->regions.count; ++i) {
        way[i] = fit_of(m.regions, i, &way[i]);
        if (t->regions.weight[i] > 0.0f && !carry_over(b, i, &way[i], plan)) {
            return LIM_ERROR_FORMAT;
        }
    }
    return LIM_OK;
}

/* ---- plan and commit --------------------------------------------------------------------------
 */

static bool has_flowed_far(const body* b) {
    for (int32_t i = 0; i < b->topology->regions.count; ++i) {
        float s[6], mean, sum = 0.0f;
        for (int k = 0; k < 6; ++k) {
            s[k] = b->strain[k][i];
        }
        mean = (s[0] + s[1] + s[2]) / 3.0f;
        for (int k = 0; k < 6; ++k) {
            float d = k < 3 ? s[k] - mean : s[k];
            sum += (k < 3 ? 1.0f : 2.0f) * d * d;
        }
        if (b->topology->regions.weight[i] > 0.0f && 1.5f * sum > EMBED_STRAIN * EMBED_STRAIN) {
            return true;
        }
    }
    return false;
}

static lim_result fill_plan(body* b, isa set, workers* pool, arena* scratch,
                            struct embed_plan* plan) {
    relaxing r = {0};
    float* y0[3];
    LIM_TRY(begin_relaxing(b, scratch, &r));
    relax(b, &r, set, pool);
    LIM_TRY(take_shape(b, &r, scratch, y0));
    const float* const to[3] = {y0[0], y0[1], y0[2]};
    LIM_TRY(embedding_make(b->topology, to, b->filled, &b->host, &plan->made));
    return carry_all(b, to, scratch, plan);
}

lim_result embedding_plan(body* b, isa set, workers* pool) {
    const lim_material* m = &b->material;
    if (!(m->yield > 0.0f && m->max_strain > EMBED_STRAIN) || b->embed_wait > 0 ||
        b->topology->kind->regions == REGIONS_CELLS || !has_flowed_far(b)) {
        return LIM_OK;
    }
    struct embed_plan* plan = mem_alloc(&b->host, 1, sizeof *plan);
    LIM_TRY_MEMORY(plan);
    arena scratch;
    arena_init(&plan->mem, &b->host);
    arena_init(&scratch, &b->host);
    b->plan = plan;
    lim_result result = fill_plan(b, set, pool, &scratch, plan);
    arena_release(&scratch);
    if (result == LIM_ERROR_MEMORY) {
        embedding_drop(b);
        return result;
    }
    if (result != LIM_OK) {
        embedding_free(plan->made);
        plan->made = NULL;
    }
    return LIM_OK;
}

bool embedding_commit(body* b) {
    struct embed_plan* plan = b->plan;
    if (plan == NULL) {
        return false;
    }
    bool made = plan->made != NULL;
    b->embed_wait = EMBED_WAIT;
    if (made) {
        size_t bytes = (size_t)b->topology->regions.padded * sizeof(float);
        embedding_free(b->embedding);
        b->embedding = plan->made;
        plan->made = NULL;
        for (int k = 0; k < 6; ++k) {
            memcpy(b->strain[k], plan->strain[k], bytes);
            memcpy(b->good_strain[k], plan->strain[k], bytes);
        }
        for (int k = 0; k < 4; ++k) {
            memcpy(b->q[k], plan->q[k], bytes);
            memcpy(b->good_q[k], plan->q[k], bytes);
        }
        b->gains_stale = true; /* fits are from y0 */
    }
    embedding_drop(b);
    return made;
}

void embedding_drop(body* b) {
    struct embed_plan* plan = b->plan;
    if (plan != NULL) {
        embedding_free(plan->made);
        arena_release(&plan->mem);
        mem_free(&b->host, plan, 1, sizeof *plan);
        b->plan = NULL;
    }
}
