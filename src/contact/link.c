/* SPDX-License-Identifier: MIT
 * Job: hold material of two bodies together. In: ties, the nodes of both sides. Out: velocities
 * with which gaps close, impulses that are equal and opposite.
 */
#include "contact/link.h"

#include "math/eigen.h"

/* By how much a pass closes the gap of a hard tie, in finest cells: bodies that were put apart come
 * together, and are not shot at each other. */
#define CLOSE_MOST 0.02f
/* In substeps shorter than this, seconds, it is closed by a share of it alone: where contacts push
 * what ties pull, every move puts some energy into the material, however short the substep is. */
#define CLOSE_TIME (1.0 / 240.0)
/* A change of velocity that does not matter any more, in finest cells per substep. */
#define SETTLED 1e-4f
/* Of a pass, to and fro over the ties: they share carriers, and few other things act on them. */
enum { SWEEPS = 4 };
/* A tie whose node and place hardly give way, because pins hold them, would move a carrier that is
 * free by many times what it closes: it does not act. Of carriers of one mass that all are free
 * none moves by more than eight times as much, 1 / max |w|. */
#define LEVER_MOST 8.0f
/* A direction in which carriers spread by less than this share of the most (of squares) is one in
 * which they have no thickness. */
#define THIN 0.005

/* ---- weights ------------------------------------------------------------------------------------
 */

/* S^-1 (p - c), without the directions in which S is thin. */
static lim_point solve_moment(const double moment[6], lim_point from_mean) {
    double value[3];
    dmat3 axes;
    eigen_sym3(moment, value, &axes);
    lim_point sum = p3(0, 0, 0);
    for (int k = 0; k < 3; ++k) {
        lim_point axis = p3(axes.m[3 * k], axes.m[3 * k + 1], axes.m[3 * k + 2]);
        if (value[k] > THIN * value[0] && value[k] > 0.0) {
            sum = p3_mad(sum, axis, p3_dot(axis, from_mean) / value[k]);
        }
    }
    return sum;
}

lim_point link_weights(const lim_point* from, int32_t count, double* weight) {
    double total = 0.0, moment[6] = {0};
    lim_point mean = p3(0, 0, 0), left = p3(0, 0, 0);
    for (int32_t k = 0; k < count; ++k) {
        total += weight[k];
    }
    for (int32_t k = 0; k < count; ++k) {
        weight[k] /= total;
        mean = p3_mad(mean, from[k], weight[k]);
    }
    for (int32_t k = 0; k < count; ++k) {
        lim_point r = p3_sub(from[k], mean);
        const double square[6] = {r.x * r.x, r.y * r.y, r.z * r.z, r.x * r.y, r.x * r.z, r.y * r.z};
        for (int j = 0; j < 6; ++j) {
            moment[j] += weight[k] * square[j];
        }
    }
    lim_point slope = solve_moment(moment, p3_scale(mean, -1.0));
    for (int32_t k = 0; k < count; ++k) {
        weight[k] *= 1.0 + p3_dot(p3_sub(from[k], mean), slope);
        left = p3_mad(left, from[k], -weight[k]);
    }
    return left;
}

/* ---- the sides ----------------------------------------------------------------------------------
 */

static const float* turn_of(const pair_side* s, int32_t node) {
    return s->frame[s->nodes.slot_component[node]].turn;
}

static lim_vec3 carried(const link_tie* t, float* const from[3]) {
    lim_vec3 sum = v3(0, 0, 0);
    for (int k = 0; k < LINK_CARRIERS; ++k) {
        sum = v3_mad(sum, pair_vector(from, t->carrier[k]), t->weight[k]);
    }
    return sum;
}

/* T_a y_i - T_b sum_k w_k y_k of displacements, metres. */
static lim_vec3 displaced(const link_tie* t, const pair_side* a, const pair_side* b) {
    return v3_sub(pair_turned(turn_of(a, t->node), pair_vector(a->nodes.d, t->node)),
                  pair_turned(turn_of(b, t->carrier[0]), carried(t, b->nodes.d)));
}

/* Of velocities; who does not move has none in this step. */
static lim_vec3 slip(const link_tie* t, const pair_side* a, const pair_side* b) {
    lim_vec3 u = t->rate;
    if (!a->still) {
        u = v3_add(u, pair_turned(turn_of(a, t->node), pair_vector(a->nodes.v, t->node)));
    }
    if (!b->still) {
        u = v3_sub(u, pair_turned(turn_of(b, t->carrier[0]), carried(t, b->nodes.v)));
    }
    return u;
}

/* An impulse on A's node, its opposite on B's carriers by the weights that measure the gap: to
 * velocities, or, as a move, to displacements. Who does not move is not written to: others may be
 * reading it. */
static void apply(const link_tie* t, const pair_side* a, const pair_side* b, float* const to_a[3],
                  float* const to_b[3], lim_vec3 impulse) {
    if (t->push_a > 0.0f) {
        pair_add(to_a, t->node, pair_turned_back(turn_of(a, t->node), impulse), t->push_a);
    }
    lim_vec3 there = pair_turned_back(turn_of(b, t->carrier[0]), impulse);
    for (int k = 0; k < LINK_CARRIERS; ++k) {
        if (t->push_b[k] > 0.0f || t->push_b[k] < 0.0f) {
            pair_add(to_b, t->carrier[k], there, -t->push_b[k]);
        }
    }
}

void link_begin(link_tie* t, const pair_side* a, const pair_side* b, lim_vec3 gap) {
    t->base = v3_sub(displaced(t, a, b), gap);
    t->give = pair_inverse_mass(a, t->node);
    t->push_a = t->give * a->inv_square;
    float most = 0.0f;
    for (int k = 0; k < LINK_CARRIERS; ++k) {
        float share = t->weight[k] * pair_inverse_mass(b, t->carrier[k]);
        t->push_b[k] = share * b->inv_square;
        t->give += t->weight[k] * share;
        most = fmaxf(most, fabsf(share));
    }
    t->give = most > LEVER_MOST * t->give ? 0.0f : t->give;
    t->sum = v3(0, 0, 0);
    t->force = t->give > 0.0f ? t->force : v3(0, 0, 0);
}

/* ---- passes -------------------------------------------------------------------------------------
 */

/* c + h k of a tie; 0 of a hard one. */
static double grip_of(const link_tie* t, const link_law* law, double h) {
    return (law->damping + h * law->stiffness) * (double)t->share;
}

/* The tie's law for this substep; a hard one only stays as it is, its gap is closed by moves. */
static void set_law(link_tie* t, const link_law* law, lim_vec3 gap, double h) {
    double k = law->stiffness * (double)t->share, grip = grip_of(t, law, h);
    bool hard = !(grip > 0.0);
    t->soft = hard ? 0.0f : (float)(1.0 / (h * grip));
    t->close = hard ? v3(0, 0, 0) : v3_scale(gap, (float)(k / grip));
}

static lim_vec3 gap_at(const link_tie* t, const pair_side* a, const pair_side* b, double time) {
    return v3_mad(v3_sub(displaced(t, a, b), t->base), t->rate, (float)time);
}

static void begin_substep(link_tie* t, pair_side* a, pair_side* b, const link_law* law, double time,
                          double h) {
    set_law(t, law, gap_at(t, a, b, time), h);
    t->impulse = v3_scale(t->force, (float)h);
    apply(t, a, b, a->nodes.v, b->nodes.v, t->impulse);
}

/* Returns how much the velocity of one against the other has changed, m/s. */
static float solve_one(link_tie* t, pair_side* a, pair_side* b) {
    lim_vec3 off = v3_mad(v3_add(slip(t, a, b), t->close), t->impulse, t->soft);
    lim_vec3 change = v3_scale(off, -1.0f / (t->give + t->soft));
    if (!v3_finite(change)) {
        return 0.0f;
    }
    t->impulse = v3_add(t->impulse, change);
    apply(t, a, b, a->nodes.v, b->nodes.v, change);
    return v3_length(change) * t->give;
}

bool link_solve(link_tie* begin, link_tie* end, pair_side* a, pair_side* b, const link_law* law,
                bool first, double time, double h) {
    float cell = fminf(a->cell, b->cell);
    for (link_tie* t = begin; t < end && first; ++t) {
        begin_substep(t, a, b, law, time, h);
    }
    int32_t count = (int32_t)(end - begin);
    bool moving = true;
    for (int sweep = 0; sweep < SWEEPS && moving; ++sweep) {
        float most = 0.0f;
        for (int32_t i = 0; i < count; ++i) {
            link_tie* t = begin + (sweep % 2 == 0 ? i : count - 1 - i);
            if (t->give > 0.0f) {
                float changed = solve_one(t, a, b);
                most = changed > most ? changed : most;
            }
        }
        moving = most * (float)h > SETTLED * cell;
    }
    return moving;
}

bool link_settle(link_tie* begin, link_tie* end, pair_side* a, pair_side* b, const link_law* law,
                 double time, double h) {
    float cell = fminf(a->cell, b->cell), most = CLOSE_MOST * cell;
    float share = h < CLOSE_TIME ? (float)(h / CLOSE_TIME) : 1.0f;
    bool moved = false;
    for (link_tie* t = begin; t < end; ++t) {
        lim_vec3 gap = gap_at(t, a, b, time);
        float far = v3_length(gap);
        if (t->give > 0.0f && far > SETTLED * cell && isfinite(far) &&
            !(grip_of(t, law, h) > 0.0)) {
            float less = far > most ? share * most / far : share;
            apply(t, a, b, a->nodes.d, b->nodes.d, v3_scale(gap, -less / t->give));
            moved = true;
        }
    }
    return moved;
}

void link_sum(link_tie* begin, link_tie* end, double h) {
    for (link_tie* t = begin; t < end; ++t) {
        t->sum = v3_add(t->sum, t->impulse);
        t->force = v3_scale(t->impulse, (float)(1.0 / h));
        /* A body that blew up goes back to its last finite state; so must what it felt. */
        if (!v3_finite(t->sum) || !v3_finite(t->force)) {
            t->sum = t->force = v3(0, 0, 0);
        }
    }
}
