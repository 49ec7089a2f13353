/* SPDX-License-Identifier: MIT
 * Job: find out where the sides of a body mean nothing. In: its nodes and the graph over them. Out:
 * a mark for each node about which the material is turned inside out.
 *
 * What presses on a body harder than its material bears pushes single nodes of its surface through
 * those behind them. The surface looks inwards there: contact would hold it where it is, then drive
 * it on, and its neighbours after it. So such nodes neither feel nor carry contacts until their
 * regions have brought them back.
 *
 * The material about node i is fitted over its links, e0_j = x0_j - x0_i and e_j = x_j - x_i:
 *     F = (sum_j e_j e0_j^T) (sum_j e0_j e0_j^T)^-1,
 * and det F is what is left of its volume. Regions are wider and hardly see a single node.
 */
#include "contact/pair.h"

/* det F below which a node has been pushed through for good. Not 0: who has only just been is still
 * held, or bodies sink into each other sooner. And below which those linked with such a node count
 * too: they are on their way. */
#define INVERTED (-2.0f)
#define SQUASHED 0.3f
/* The skin of a lattice follows the corners of a cell and nothing else, and is inside out sooner.
 * At 0, and with all that are linked with such a corner, heaps of lattices stay whole too, but fast
 * ones pass through each other. */
#define INVERTED_CORNER (-0.5f)
/* det(sum e0 e0^T) over its trace cubed, 1/27 at most, below which links say nothing of F: those of
 * a sheet, of a thread. */
#define LINKS_LEAST 1e-3f
/* No link has changed by more than this share of its length: not looked at any further. */
#define CHANGED 0.3f

static lim_vec3 rest_link(const node_state* n, int32_t i, int32_t j) {
    return v3(n->x0[0][j] - n->x0[0][i], n->x0[1][j] - n->x0[1][i], n->x0[2][j] - n->x0[2][i]);
}

/* How a link has changed. */
static lim_vec3 link_change(const node_state* n, int32_t i, int32_t j) {
    return v3_sub(pair_vector(n->d, j), pair_vector(n->d, i));
}

static bool has_changed(const pair_side* s, int32_t i) {
    bool changed = false;
    for (int32_t k = s->link_offset[i]; k < s->link_offset[i + 1]; ++k) {
        lim_vec3 rest = rest_link(&s->nodes, i, s->link[k]);
        lim_vec3 change = link_change(&s->nodes, i, s->link[k]);
        changed = changed || v3_dot(change, change) > CHANGED * CHANGED * v3_dot(rest, rest);
    }
    return changed;
}

/* sum a b^T */
static void add_product(float sum[9], lim_vec3 a, lim_vec3 b) {
    const float from[3] = {a.x, a.y, a.z};
    for (int k = 0; k < 3; ++k) {
        sum[3 * k] += from[k] * b.x;
        sum[3 * k + 1] += from[k] * b.y;
        sum[3 * k + 2] += from[k] * b.z;
    }
}

static float determinant(const float m[9]) {
    return m[0] * (m[4] * m[8] - m[5] * m[7]) + m[1] * (m[5] * m[6] - m[3] * m[8]) +
           m[2] * (m[3] * m[7] - m[4] * m[6]);
}

/* det F; 1 where it is not known. */
static float volume_left(const pair_side* s, int32_t i) {
    float now[9] = {0}, rest[9] = {0};
    for (int32_t k = s->link_offset[i]; k < s->link_offset[i + 1]; ++k) {
        lim_vec3 e0 = rest_link(&s->nodes, i, s->link[k]);
        add_product(now, v3_add(e0, link_change(&s->nodes, i, s->link[k])), e0);
        add_product(rest, e0, e0);
    }
    float trace = rest[0] + rest[4] + rest[8], volume = determinant(rest);
    return volume > LINKS_LEAST * (trace * trace * trace) ? determinant(now) / volume : 1.0f;
}

enum { SOUND, THROUGH, BESIDE, MAYBE }; /* marks; MAYBE: if one beside it is through */

static bool is_beside(const pair_side* s, int32_t i, const uint8_t* mark) {
    bool beside = false;
    for (int32_t k = s->link_offset[i]; k < s->link_offset[i + 1]; ++k) {
        beside = beside || mark[s->link[k]] == THROUGH;
    }
    return beside;
}

bool pair_find_inverted(const pair_side* s, uint8_t* out) {
    float least = s->corners ? INVERTED_CORNER : INVERTED;
    bool any = false;
    for (int32_t i = 0; i < s->nodes.padded; ++i) {
        bool changed = s->nodes.mass[i] > 0.0f && has_changed(s, i);
        float left = changed ? volume_left(s, i) : 1.0f;
        out[i] = left < least ? THROUGH : left < SQUASHED ? MAYBE : SOUND;
        any = any || out[i] == THROUGH;
    }
    for (int32_t i = 0; i < s->nodes.padded && any; ++i) {
        if (out[i] == MAYBE) {
            out[i] = is_beside(s, i, out) ? BESIDE : SOUND;
        }
    }
    return any;
}
