/* SPDX-License-Identifier: MIT
 * Job: keep bodies out of each other. In: contacts found for this step, the nodes of both sides.
 * Out: velocities that approach no faster than the gap allows, with Coulomb friction; positions
 * without penetration. Impulses are sums over the passes of a substep, and the sum never pulls.
 */
#include "contact/pair.h"

/* Penetration that positions may keep, in finest cells: a resting body is not moved to and fro. And
 * the gap at which bodies touch: which points decide changes from step to step, and what would be
 * let fall through a hair's breadth would tremble. */
#define SLOP  0.01f
#define TOUCH 0.01f
/* How far one pass may move two places apart, in finest cells. */
#define PUSH_MOST 0.1f

static lim_vec3 carried(const pair_contact* c, float* const from[3]) {
    lim_vec3 sum = v3(0, 0, 0);
    for (int k = 0; k < PAIR_CARRIERS; ++k) {
        int32_t i = c->carrier[k];
        sum = v3_mad(sum, v3(from[0][i], from[1][i], from[2][i]), c->weight[k]);
    }
    return sum;
}

float pair_gap(const pair_contact* c, const pair_side* a, const pair_side* b, double time) {
    int32_t i = c->node;
    lim_vec3 d = v3(a->nodes.d[0][i], a->nodes.d[1][i], a->nodes.d[2][i]);
    float along = v3_dot(c->normal_a, d) - v3_dot(c->normal_b, carried(c, b->nodes.d));
    return along + c->rate * (float)time - c->base;
}

static lim_vec3 to_world(const float m[9], lim_vec3 v) {
    return v3(m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z,
              m[6] * v.x + m[7] * v.y + m[8] * v.z);
}

/* World to frame, for a rotation times a scale: the transpose over the scale's square. */
static lim_vec3 to_frame(const float m[9], float inv_square, lim_vec3 v) {
    return v3((m[0] * v.x + m[3] * v.y + m[6] * v.z) * inv_square,
              (m[1] * v.x + m[4] * v.y + m[7] * v.z) * inv_square,
              (m[2] * v.x + m[5] * v.y + m[8] * v.z) * inv_square);
}

static void add_to(float* const a[3], int32_t i, lim_vec3 change) {
    a[0][i] += change.x;
    a[1][i] += change.y;
    a[2][i] += change.z;
}

/* An impulse J on A's node and its opposite on B's, world axes: each takes w_k J / m_k. With the
 * weights that measure the gap the passes lower the energy; with others they may raise it. */
static void apply(const pair_contact* c, pair_side* a, pair_side* b, float* const to_a[3],
                  float* const to_b[3], lim_vec3 impulse) {
    const float* ma = a->frame[a->nodes.slot_component[c->node]].turn;
    const float* mb = b->frame[c->component_b].turn;
    if (c->give_a > 0.0f) {
        add_to(to_a, c->node, to_frame(ma, a->inv_square, v3_scale(impulse, c->give_a)));
    }
    if (c->give_b > 0.0f) {
        lim_vec3 back = to_frame(mb, b->inv_square / b->unit_mass, v3_scale(impulse, -1.0f));
        for (int k = 0; k < PAIR_CARRIERS; ++k) {
            float share = c->weight[k] * b->nodes.inv_mass[c->carrier[k]];
            add_to(to_b, c->carrier[k], v3_scale(back, share));
        }
    }
}

/* Velocity of A's node against B's place, world axes, m/s. */
static lim_vec3 slip_of(const pair_contact* c, const pair_side* a, const pair_side* b) {
    int32_t i = c->node;
    lim_vec3 v = v3(a->nodes.v[0][i], a->nodes.v[1][i], a->nodes.v[2][i]);
    lim_vec3 own = to_world(a->frame[a->nodes.slot_component[i]].turn, v);
    return v3_sub(own, to_world(b->frame[c->component_b].turn, carried(c, b->nodes.v)));
}

/* A substep begins with the impulses of the last: what rests has them right at once. */
static void begin_one(pair_contact* c, pair_side* a, pair_side* b) {
    lim_vec3 again = v3_mad(c->friction_impulse, c->normal, c->impulse);
    if (v3_dot(again, again) > 0.0f) {
        apply(c, a, b, a->nodes.v, b->nodes.v, again);
    }
}

static void solve_one(pair_contact* c, pair_side* a, pair_side* b, bool first, float friction,
                      float gap, float h) {
    if (first) {
        c->before += c->impulse;
        begin_one(c, a, b);
    }
    lim_vec3 slip = slip_of(c, a, b);
    float along = v3_dot(slip, c->normal), give = c->give_a + c->give_b;
    float least = gap > 0.0f ? -gap / h : 0.0f;
    float total = c->impulse + (least - c->rate - along) / give;
    total = total > 0.0f ? total : 0.0f;
    float more = total - c->impulse;
    /* Friction stops the slip as far as the cone of the whole normal impulse allows. */
    lim_vec3 across = v3_mad(slip, c->normal, -along);
    lim_vec3 wanted = v3_mad(c->friction_impulse, across, -1.0f / give);
    float most = friction * total, length = v3_length(wanted);
    lim_vec3 brake = length > most ? v3_scale(wanted, most / length) : wanted;
    lim_vec3 change = v3_mad(v3_sub(brake, c->friction_impulse), c->normal, more);
    if (!v3_finite(change)) {
        return;
    }
    c->impulse = total;
    c->friction_impulse = brake;
    apply(c, a, b, a->nodes.v, b->nodes.v, change);
}

void pair_solve_velocity(pair_contact* begin, pair_contact* end, pair_side* a, pair_side* b,
                         bool first, double time, double h) {
    float friction = sqrtf(a->friction * b->friction);
    float touch = TOUCH * fminf(a->cell, b->cell);
    for (pair_contact* c = begin; c < end; ++c) {
        float gap = pair_gap(c, a, b, time) - touch;
        solve_one(c, a, b, first, friction, gap, (float)h);
    }
}

bool pair_solve_position(pair_contact* begin, pair_contact* end, pair_side* a, pair_side* b,
                         double time) {
    bool moved = false;
    float slop = SLOP * fminf(a->cell, b->cell), most = PUSH_MOST * fminf(a->cell, b->cell);
    for (pair_contact* c = begin; c < end; ++c) {
        float gap = pair_gap(c, a, b, time);
        if (gap < -slop) {
            float move = -gap < most ? -gap : most;
            lim_vec3 apart = v3_scale(c->normal, move / (c->give_a + c->give_b));
            apply(c, a, b, a->nodes.d, b->nodes.d, apart);
            moved = true;
        }
    }
    return moved;
}
