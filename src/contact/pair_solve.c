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
/* How far one pass may move two places apart, in finest cells. What is moved stretches the bodies,
 * and comes back as speed: twenty times as much let heaps of soft bodies, squashed into each other
 * in a hard impact, blow up. */
#define PUSH_MOST 0.005f

/* A change of velocity that does not matter any more, in finest cells per substep. */
#define SETTLED 3e-4f

static lim_vec3 carried(const pair_contact* c, float* const from[3]) {
    lim_vec3 sum = v3(0, 0, 0);
    for (int k = 0; k < PAIR_CARRIERS; ++k) {
        sum = v3_mad(sum, pair_vector(from, c->carrier[k]), c->weight[k]);
    }
    return sum;
}

float pair_gap(const pair_contact* c, const pair_side* a, const pair_side* b, double time) {
    float along = v3_dot(c->axis_a[0], pair_vector(a->nodes.d, c->node)) -
                  v3_dot(c->axis_b[0], carried(c, b->nodes.d));
    return along + c->rate * (float)time - c->base;
}

/* An impulse along the axes on A's node and its opposite on B's carriers. */
static void apply(const pair_contact* c, float* const to_a[3], float* const to_b[3],
                  const float impulse[3]) {
    if (c->push_a > 0.0f) {
        lim_vec3 all = v3_scale(c->axis_a[0], impulse[0]);
        all = v3_mad(v3_mad(all, c->axis_a[1], impulse[1]), c->axis_a[2], impulse[2]);
        pair_add(to_a, c->node, all, c->push_a);
    }
    lim_vec3 all = v3_scale(c->axis_b[0], -impulse[0]);
    all = v3_mad(v3_mad(all, c->axis_b[1], -impulse[1]), c->axis_b[2], -impulse[2]);
    for (int k = 0; k < PAIR_CARRIERS; ++k) {
        if (c->push_b[k] > 0.0f) {
            pair_add(to_b, c->carrier[k], all, c->push_b[k]);
        }
    }
}

/* The largest of friction's two impulses that the cone allows. */
static void limit_friction(float wanted[2], float most) {
    float length = sqrtf(wanted[0] * wanted[0] + wanted[1] * wanted[1]);
    if (length > most) {
        wanted[0] *= most / length;
        wanted[1] *= most / length;
    }
}

/* Returns how much the velocity of one against the other has changed, m/s. */
static float solve_one(pair_contact* c, pair_side* a, pair_side* b, float friction, float h) {
    lim_vec3 va = pair_vector(a->nodes.v, c->node), vb = carried(c, b->nodes.v);
    float slip[3];
    for (int k = 0; k < 3; ++k) {
        slip[k] = v3_dot(c->axis_a[k], va) - v3_dot(c->axis_b[k], vb);
    }
    float along = slip[0] + c->rate;
    float least = c->now > 0.0f ? -c->now / h : 0.0f;
    float total = c->impulse[0] + (least - along) / c->give;
    total = total > 0.0f ? total : 0.0f;
    if (!(total > 0.0f) && !(c->impulse[0] > 0.0f)) {
        return 0.0f; /* apart, as before */
    }
    /* Friction stops the slip as far as the cone of the whole normal impulse allows. */
    float brake[2] = {c->impulse[1] - slip[1] / c->give, c->impulse[2] - slip[2] / c->give};
    limit_friction(brake, friction * total);
    const float change[3] = {total - c->impulse[0], brake[0] - c->impulse[1],
                             brake[1] - c->impulse[2]};
    float size = fabsf(change[0]) + fabsf(change[1]) + fabsf(change[2]);
    if (!isfinite(size)) {
        return 0.0f;
    }
    c->impulse[0] = total;
    c->impulse[1] = brake[0];
    c->impulse[2] = brake[1];
    apply(c, a->nodes.v, b->nodes.v, change);
    return size * c->give;
}

bool pair_solve_velocity(pair_contact* begin, pair_contact* end, pair_side* a, pair_side* b,
                         bool first, double time, double h) {
    float friction = sqrtf(a->friction * b->friction);
    float cell = fminf(a->cell, b->cell), most = 0.0f;
    for (pair_contact* c = begin; c < end && first; ++c) {
        c->now = pair_gap(c, a, b, time) - TOUCH * cell;
        /* A substep begins with the impulses of the last: what rests has them right at once. */
        if (c->impulse[0] > 0.0f) {
            apply(c, a->nodes.v, b->nodes.v, c->impulse);
        }
    }
    for (pair_contact* c = begin; c < end; ++c) {
        float changed = solve_one(c, a, b, friction, (float)h);
        most = changed > most ? changed : most;
    }
    return most * (float)h > SETTLED * cell;
}

bool pair_solve_position(pair_contact* begin, pair_contact* end, pair_side* a, pair_side* b,
                         double time) {
    bool moved = false;
    float slop = SLOP * fminf(a->cell, b->cell), most = PUSH_MOST * fminf(a->cell, b->cell);
    for (pair_contact* c = begin; c < end; ++c) {
        float gap = pair_gap(c, a, b, time);
        if (gap < -slop) {
            const float apart[3] = {(-gap < most ? -gap : most) / c->give, 0.0f, 0.0f};
            apply(c, a->nodes.d, b->nodes.d, apart);
            moved = true;
        }
    }
    return moved;
}
