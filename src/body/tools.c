/* SPDX-License-Identifier: MIT
 * Job: what pulls and pushes a body: grabs, impulses. In: descriptors, then the substeps of a step.
 * Out: velocities. A grab is one spring and damper between its target and a point x that a patch of
 * nodes carries as one piece, implicit in its own velocity: J = h (1 + h (c + h k) A)^-1 (k
 * (x_target - x - h v) - c v) with A the answer of x to an impulse: it cannot overshoot for any
 * stiffness and step.
 *
 * A hard grab holds the nodes of its patch as a hard pin does (body/pins.c), about its target,
 * which does not turn. Where that takes more than its force limit it gives way: then it pulls at
 * the held point with the force that would bring it to the target within a substep, up to the
 * limit; when that is enough, it holds what it has then.
 */
#include "body/patch.h"
#include "body/solver.h"

#include "base/log.h"
#include "math/eigen.h"
#include "math/trig.h"

#include <string.h>

/* A grab whose stiffness is left to us swings once in this many seconds with the whole piece in
 * hand; critically damped, it has followed a target after about half of it. */
#define GRAB_PERIOD 0.2
/* Added to the moments of inertia of a held patch, as a share of their sum: a thin one turns no
 * faster about its long axis than its length lets it. */
#define GRAB_STEADY 0.1
/* Share of the patch's own size with which its rotation is drawn to the frame's: decides where
 * nothing else does. */
#define GRAB_FRAME 0.01
/* Stiffness of a hard grab that gave way, in masses of the piece per square substep: as good as
 * rigid. */
#define PULL_HARD 1e6

/* ---- grabs ------------------------------------------------------------------------------------
 */

static void free_grab(const lim_host* host, body_grab* g) {
    mem_free(host, g->slot, (size_t)g->count, sizeof *g->slot);
    mem_free(host, g->weight, (size_t)g->count, sizeof *g->weight);
    mem_free(host, g->arm, (size_t)g->count, sizeof *g->arm);
    mem_free(host, g->hold.local, (size_t)g->count, sizeof *g->hold.local);
}

static double piece_mass(const body* b, int32_t piece) {
    const topology* t = b->topology;
    double mass = 0.0, metres = body_metres(b);
    for (int32_t i = t->component_begin[piece]; i < t->component_begin[piece + 1]; ++i) {
        mass += (double)t->mass[i];
    }
    return mass * (double)b->material.density * metres * metres * metres;
}

/* Nodes of the patch with their shares of its mass. */
static lim_result grab_take_nodes(body* b, body_grab* g, const patch* p) {
    const topology* t = b->topology;
    size_t n = (size_t)p->count;
    g->count = p->count;
    g->slot = mem_alloc(&b->host, n, sizeof *g->slot);
    g->weight = mem_alloc(&b->host, n, sizeof *g->weight);
    g->arm = mem_alloc(&b->host, n, sizeof *g->arm);
    if (g->slot == NULL || g->weight == NULL || g->arm == NULL) {
        return LIM_ERROR_MEMORY;
    }
    int32_t at = 0;
    lim_point mean = p3(0, 0, 0);
    for (int32_t i = 0; i < t->slot_count; ++i) {
        if (p->shape[i] > 0.0f) {
            double w = (double)t->mass[i] * (double)p->shape[i] / p->mass;
            g->slot[at] = i;
            g->weight[at++] = (float)w;
            mean = p3_mad(mean, body_slot_rest(t, i), w);
        }
    }
    for (int32_t i = 0; i < g->count; ++i) {
        lim_point r = p3_sub(body_slot_rest(t, g->slot[i]), mean);
        g->arm[i] = v3_of(p3_scale(r, (double)g->weight[i]));
    }
    g->rest = v3_of(p3_sub(p->rest, mean));
    return LIM_OK;
}

static lim_point slot_world(const body* b, int32_t slot) {
    const component* c = &b->components[b->topology->slot_component[slot]];
    return node_to_world(c, body_metres(b), body_slot_local(b, slot));
}

/* Where its nodes are now is where they are held, relative to a target. */
static void take_places(const body* b, body_grab* g, lim_point target) {
    for (int32_t i = 0; i < g->count; ++i) {
        g->hold.local[i] = v3_of(p3_sub(slot_world(b, g->slot[i]), target));
    }
}

void body_grabs_forget(body* b) {
    for (int32_t i = 0; i < b->grabs.count; ++i) {
        body_grab* g = &b->grabs.data[i];
        g->force = v3(0, 0, 0);
        if (g->hold.local != NULL) { /* they may be of a place that was not finite */
            take_places(b, g, g->target);
        }
    }
}

lim_result body_grab_hold(const lim_host* host, body_grab* g) {
    if (!g->hard) {
        return LIM_OK;
    }
    g->hold = (body_pin){.count = g->count,
                         .slot = g->slot,
                         .local = mem_alloc(host, (size_t)g->count, sizeof(lim_vec3)),
                         .orientation = dquat_identity(),
                         .target_orientation = dquat_identity(),
                         .limit = g->force_limit,
                         .gave_way = g->hold.gave_way};
    return g->hold.local != NULL ? LIM_OK : LIM_ERROR_MEMORY;
}

lim_result body_grab_create(body* b, const lim_grab_desc* desc, uint32_t id_index, isa set,
                            workers* pool) {
    patch p;
    if (!patch_find(b, body_skin_now(b, set, pool), desc->point, (double)desc->radius, &p)) {
        return LIM_ERROR_ARGUMENT;
    }
    body_grab g = {.id_index = id_index,
                   .component = p.component,
                   .target = p.world,
                   .previous_target = p.world,
                   .radius = finite_of((double)desc->radius / body_metres(b)),
                   .reach = finite_of(p.reach),
                   .force_limit = desc->force_limit};
    lim_result result = grab_take_nodes(b, &g, &p);
    if (result == LIM_OK) {
        double mass = piece_mass(b, g.component), rate = 2.0 * TRIG_PI / GRAB_PERIOD;
        double k = desc->stiffness > 0.0f ? (double)desc->stiffness : mass * rate * rate;
        g.stiffness = finite_of(k);
        g.damping = finite_of(2.0 * sqrt(k * mass)); /* critical */
        g.offset = v3_of(p3_sub(p.world, body_grab_point(b, &g)));
        g.hard = desc->hard;
        result = body_grab_hold(&b->host, &g);
    }
    if (result == LIM_OK) {
        if (g.hard) {
            take_places(b, &g, g.target);
        }
        result = ARRAY_PUSH(&b->host, &b->grabs, g) ? LIM_OK : LIM_ERROR_MEMORY;
    }
    if (result != LIM_OK) {
        free_grab(&b->host, &g);
        return result;
    }
    body_refresh_inv_mass(b);
    return LIM_OK;
}

void body_grab_destroy(body* b, int32_t index) {
    free_grab(&b->host, &b->grabs.data[index]);
    b->grabs.count--;
    memmove(b->grabs.data + index, b->grabs.data + index + 1,
            (size_t)(b->grabs.count - index) * sizeof(body_grab));
    body_refresh_inv_mass(b);
}

static lim_point grab_mean(const body* b, const body_grab* g) {
    lim_point mean = p3(0, 0, 0);
    for (int32_t i = 0; i < g->count; ++i) {
        mean = p3_mad(mean, body_slot_local(b, g->slot[i]), (double)g->weight[i]);
    }
    return mean;
}

/* Where the target of a hard grab is by the nodes that it holds, or held. */
static lim_point hard_point(const body* b, const body_grab* g) {
    lim_point sum = p3(0, 0, 0), first = slot_world(b, g->slot[0]);
    double weight = 0.0;
    for (int32_t i = 0; i < g->count; ++i) {
        lim_point at = p3_sub(p3_sub(slot_world(b, g->slot[i]), first), p3_of(g->hold.local[i]));
        sum = p3_mad(sum, at, (double)g->weight[i]);
        weight += (double)g->weight[i];
    }
    return p3_mad(first, sum, 1.0 / weight);
}

lim_point body_grab_point(const body* b, const body_grab* g) {
    if (g->hold.local != NULL) {
        return hard_point(b, g);
    }
    lim_point mean = grab_mean(b, g);
    dmat3 shape = {{0}};
    double size = 0.0;
    for (int32_t i = 0; i < g->count; ++i) {
        lim_point r = p3_sub(body_slot_local(b, g->slot[i]), mean);
        const double x[3] = {r.x, r.y, r.z};
        const double rest[3] = {(double)g->arm[i].x, (double)g->arm[i].y, (double)g->arm[i].z};
        for (int k = 0; k < 9; ++k) {
            shape.m[k] += x[k / 3] * rest[k % 3];
        }
        size += p3_length(r) * p3_length(p3_of(g->arm[i]));
    }
    /* A thin patch turns about its long axis with the frame. */
    for (int k = 0; k < 9; k += 4) {
        shape.m[k] += GRAB_FRAME * size;
    }
    dmat3 turn = nearest_rotation(&shape);
    const double* m = turn.m;
    lim_point a = p3_of(g->rest);
    lim_point arm = p3(m[0] * a.x + m[1] * a.y + m[2] * a.z, m[3] * a.x + m[4] * a.y + m[5] * a.z,
                       m[6] * a.x + m[7] * a.y + m[8] * a.z);
    lim_point held = node_to_world(&b->components[g->component], body_metres(b), p3_add(mean, arm));
    return p3_add(held, p3_of(g->offset));
}

/* How the patch moves as one, in the frame: a force F at the held point gives node i
 * the share w_i (F + (turn (arm x F)) x r_i), with r_i from the mean and turn the inverse of
 * sum w (r^2 1 - r r^T); the held point's velocity is its adjoint, sum w (v + ...), so that the
 * pull can only take energy out. */
typedef struct grab_motion {
    lim_point mean, arm;
    double inertia[6];
    lim_point velocity; /* of the held point */
    double response[6]; /* its answer to an impulse, symmetric: xx yy zz xy xz yz */
} grab_motion;

static grab_motion grab_measure(const body* b, const body_grab* g, lim_point held) {
    grab_motion m = {.mean = grab_mean(b, g)};
    if (!g->hard) { /* a hard grab pulls at the mean: what it held has no turn of its own */
        m.arm = p3_sub(node_to_local(&b->components[g->component], body_metres(b), held), m.mean);
    }
    double* s = m.inertia;
    for (int32_t i = 0; i < g->count; ++i) {
        lim_point r = p3_sub(body_slot_local(b, g->slot[i]), m.mean);
        double w = (double)g->weight[i];
        s[0] += w * (r.y * r.y + r.z * r.z);
        s[1] += w * (r.x * r.x + r.z * r.z);
        s[2] += w * (r.x * r.x + r.y * r.y);
        s[3] -= w * r.x * r.y;
        s[4] -= w * r.x * r.z;
        s[5] -= w * r.y * r.z;
    }
    double more = GRAB_STEADY * (s[0] + s[1] + s[2]);
    for (int k = 0; k < 3; ++k) {
        s[k] += more;
    }
    double v[3] = {0};
    const lim_point axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    lim_point turn[3]; /* spin by a unit push along each axis */
    for (int k = 0; k < 3; ++k) {
        turn[k] = sym3_solve(m.inertia, p3_cross(m.arm, axis[k]), NODE_THIN);
    }
    for (int32_t i = 0; i < g->count; ++i) {
        int32_t slot = g->slot[i];
        lim_point r = p3_sub(body_slot_local(b, slot), m.mean), a[3];
        lim_point moving = p3((double)b->v[0][slot], (double)b->v[1][slot], (double)b->v[2][slot]);
        double w = (double)g->weight[i], ww = w * w * (double)b->inv_mass[slot];
        for (int k = 0; k < 3; ++k) {
            a[k] = p3_add(axis[k], p3_cross(turn[k], r));
            v[k] += w * p3_dot(a[k], moving);
            m.response[k] += ww * p3_dot(a[k], a[k]);
        }
        m.response[3] += ww * p3_dot(a[0], a[1]);
        m.response[4] += ww * p3_dot(a[0], a[2]);
        m.response[5] += ww * p3_dot(a[1], a[2]);
    }
    m.velocity = p3(v[0], v[1], v[2]);
    return m;
}

/* Adds an impulse in unit masses and lengths, frame axes, at the held point. Pinned nodes get their
 * share too: their pin takes it back and has felt it. */
static void grab_push(body* b, const body_grab* g, const grab_motion* m, lim_point impulse) {
    lim_point turn = sym3_solve(m->inertia, p3_cross(m->arm, impulse), NODE_THIN);
    for (int32_t i = 0; i < g->count; ++i) {
        int32_t slot = g->slot[i];
        lim_point r = p3_sub(body_slot_local(b, slot), m->mean);
        float mass = b->topology->mass[slot], inv_mass = mass > 0.0f ? 1.0f / mass : 0.0f;
        lim_point dv =
            p3_scale(p3_add(impulse, p3_cross(turn, r)), (double)g->weight[i] * (double)inv_mass);
        b->v[0][slot] += (float)dv.x;
        b->v[1][slot] += (float)dv.y;
        b->v[2][slot] += (float)dv.z;
    }
}

static lim_point target_at(const body_grab* g, double share) {
    return p3_mad(g->previous_target, p3_sub(g->target, g->previous_target), share);
}

void body_grabs_begin(body* b, double t0) {
    for (int32_t k = 0; k < b->grabs.count; ++k) {
        body_grab* g = &b->grabs.data[k];
        if (g->hard && t0 <= 0.0) {
            g->force = v3(0, 0, 0);
        }
        g->hold.position = g->previous_target;
        g->hold.target_position = g->target;
        g->hold.begun = g->hold.impulse;
        if (g->hard && g->hold.gave_way && g->can_hold) {
            take_places(b, g, target_at(g, t0));
            g->hold.gave_way = false;
            body_refresh_inv_mass(b);
        }
        g->can_hold = false;
    }
}

/* What a grab does in a substep h: its stiffness and damping, the force that these give alone, and
 * the most that it may have. SI, frame axes. */
typedef struct grab_pull {
    grab_motion motion;
    double stiff, damp;
    lim_point gap, force;
    double limit; /* newton; 0: none */
} grab_pull;

static bool grab_pulls(const body_grab* g) {
    return !g->hard || g->hold.gave_way;
}

/* (1 + h (c + h k) A) F = k (gap - h v) - c v, with A the response: of the patch alone, or, where a
 * solve takes all of the body along, of its mass; then F is the most that it can be. */
static grab_pull grab_pull_of(const body* b, const body_grab* g, double t1, double h) {
    double metres = body_metres(b);
    double kilograms = (double)b->material.density * metres * metres * metres;
    dquat turn = b->components[g->component].rotation;
    lim_point target = target_at(g, t1), held = body_grab_point(b, g);
    double mass = b->components[g->component].mass * kilograms;
    grab_pull p = {.motion = grab_measure(b, g, held),
                   .stiff = g->hard ? PULL_HARD * mass / (h * h) : (double)g->stiffness,
                   .damp = g->hard ? 0.0 : (double)g->damping,
                   .gap = dquat_rotate(dquat_conjugate(turn), p3_sub(target, held)),
                   .limit = (double)g->force_limit};
    lim_point v = p3_scale(p.motion.velocity, metres);
    lim_point pull = p3_mad(p3_scale(p3_mad(p.gap, v, -h), p.stiff), v, -p.damp);
    double system[6];
    for (int i = 0; i < 6; ++i) {
        double response = p.motion.response[i] / kilograms;
        response = solver_of(b)->within ? (i < 3 ? 1.0 / mass : 0.0) : response;
        system[i] = h * (p.damp + h * p.stiff) * response + (i < 3 ? 1.0 : 0.0);
    }
    p.force = sym3_solve(system, pull, 0.0);
    if (g->hard) { /* less what it did in this substep before it gave way */
        double spent = p3_length(p3_sub(g->hold.impulse, g->hold.begun)) / h;
        p.limit = p.limit > spent ? p.limit - spent : 0.0;
    }
    return p;
}

static bool grab_is_over(const body_grab* g, const grab_pull* p) {
    return g->force_limit > 0.0f && p3_length(p->force) > p->limit;
}

/* The step's mean force: substeps add their share of dt. */
static void grab_feel(const body* b, body_grab* g, lim_point force, bool first, double share) {
    dquat turn = b->components[g->component].rotation;
    lim_vec3 mean = v3_of(p3_scale(dquat_rotate(turn, force), share));
    g->force = first && !g->hard ? mean : v3_add(g->force, mean);
}

void body_grabs_apply(body* b, double t0, double t1, double dt, double h) {
    double metres = body_metres(b);
    double unit = (double)b->material.density * metres * metres * metres * metres;
    for (int32_t k = 0; k < b->grabs.count; ++k) {
        body_grab* g = &b->grabs.data[k];
        if (!grab_pulls(g)) {
            continue;
        }
        grab_pull p = grab_pull_of(b, g, t1, h);
        double size = p3_length(p.force);
        g->can_hold = g->hard ? size <= p.limit : g->can_hold;
        lim_point force = grab_is_over(g, &p) ? p3_scale(p.force, p.limit / size) : p.force;
        grab_push(b, g, &p.motion, p3_scale(force, h / unit));
        grab_feel(b, g, force, t0 <= 0.0, h / dt);
    }
}

/* The force that a grab has whatever the solve finds: at its limit, or until it can hold again. */
static lim_point grab_fixed(const body_grab* g, const grab_pull* p) {
    return grab_is_over(g, p) ? p3_scale(p->force, p->limit / p3_length(p->force)) : p->force;
}

/* Below its limit a soft grab is a spring at each of its nodes, by their weights. */
void body_grabs_spring(body* b, double t1, double h, const body_springs* s) {
    for (int32_t k = 0; k < b->grabs.count; ++k) {
        body_grab* g = &b->grabs.data[k];
        if (!grab_pulls(g)) {
            continue;
        }
        grab_pull p = grab_pull_of(b, g, t1, h);
        bool fixed = g->hard || grab_is_over(g, &p);
        g->can_hold = g->hard ? !grab_is_over(g, &p) : g->can_hold;
        lim_point force = fixed ? grab_fixed(g, &p) : p3_scale(p.gap, p.stiff);
        lim_point turn = sym3_solve(p.motion.inertia, p3_cross(p.motion.arm, force), NODE_THIN);
        for (int32_t i = 0; i < g->count; ++i) {
            lim_point r = p3_sub(body_slot_local(b, g->slot[i]), p.motion.mean);
            lim_point f = p3_scale(p3_add(force, p3_cross(turn, r)), (double)g->weight[i]);
            int32_t n = s->node[g->slot[i]];
            s->force[0][n] += (float)f.x;
            s->force[1][n] += (float)f.y;
            s->force[2][n] += (float)f.z;
            s->spring[n] += fixed ? 0.0f : (float)((double)g->weight[i] * p.stiff);
            s->damper[n] += fixed ? 0.0f : (float)((double)g->weight[i] * p.damp);
        }
    }
}

void body_grabs_sprung(body* b, double t0, double t1, double dt, double h, const body_springs* s) {
    for (int32_t k = 0; k < b->grabs.count; ++k) {
        body_grab* g = &b->grabs.data[k];
        if (!grab_pulls(g)) {
            continue;
        }
        grab_pull p = grab_pull_of(b, g, t1, h);
        lim_point force = p3_scale(p.gap, p.stiff);
        for (int32_t i = 0; i < g->count; ++i) {
            int32_t n = s->node[g->slot[i]];
            double w = (double)g->weight[i];
            lim_point way = p3((double)s->way[0][n], (double)s->way[1][n], (double)s->way[2][n]);
            lim_point v = p3((double)s->v[0][n], (double)s->v[1][n], (double)s->v[2][n]);
            force = p3_mad(p3_mad(force, way, -w * p.stiff), v, -w * p.damp);
        }
        force = g->hard || grab_is_over(g, &p) ? grab_fixed(g, &p) : force;
        grab_feel(b, g, force, t0 <= 0.0, h / dt);
    }
}

void body_grabs_finish(body* b, double dt) {
    for (int32_t k = 0; k < b->grabs.count; ++k) {
        body_grab* g = &b->grabs.data[k];
        g->previous_target = g->target;
        if (g->hard) {
            g->force = v3_add(g->force, v3_of(p3_scale(g->hold.impulse, 1.0 / dt)));
        }
        g->force = v3_finite_of(p3_of(g->force));
    }
}

/* ---- impulses ---------------------------------------------------------------------------------
 */

/* A push that could make a node faster than this (m/s) is refused: it could leave what floats hold.
 */
#define PUSH_SPEED 1e6

lim_result body_push(body* b, lim_point point, lim_vec3 impulse, isa set, workers* pool) {
    patch p;
    if (!patch_find(b, body_skin_now(b, set, pool), point, 0.0, &p)) {
        return LIM_OK;
    }
    double metres = body_metres(b);
    double unit = 1.0 / ((double)b->material.density * metres * metres * metres * metres);
    dquat back = dquat_conjugate(b->components[p.component].rotation);
    lim_point local = p3_scale(dquat_rotate(back, p3_of(impulse)), unit);
    b->history_h = 0.0f;
    return patch_push(&p, b, local, PUSH_SPEED / metres) ? LIM_OK : LIM_ERROR_ARGUMENT;
}
