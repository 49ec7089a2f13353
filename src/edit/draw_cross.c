/* SPDX-License-Identifier: MIT
 * Job: does a triangle pass through another one? In: points that are to go. Out: whether one of
 * their triangles would pass through one about them. Faces of cracks lie on each other or cross in
 * edges that they have in common; where one passed through another no blade would find a sound cut.
 */
#include "edit/draw_work.h"
#include "math/predicates.h"

enum { CROWD = 512 }; /* triangles about a place that goes: with more it stays */

typedef struct flat {
    int32_t place[3];
    lim_point at[3], low, high;
} flat;

/* What is about the place that goes, as it will be. */
struct draw_crowd {
    int32_t moved, count;
    lim_point low, high; /* of those that move */
    flat of[CROWD];
};

lim_result draw_make_crowd(drawing* d) {
    d->crowd = ARENA_ROOM(d->mem, draw_crowd, 1); /* too large for a stack */
    LIM_TRY_MEMORY(d->crowd);
    return LIM_OK;
}

static bool same_flat(const flat* a, const flat* b) {
    for (int k = 0; k < 3; ++k) {
        int32_t p = a->place[k];
        if (p != b->place[0] && p != b->place[1] && p != b->place[2]) {
            return false;
        }
    }
    return true;
}

static bool boxes_meet(lim_point low, lim_point high, lim_point other_low, lim_point other_high) {
    return low.x <= other_high.x && other_low.x <= high.x && low.y <= other_high.y &&
           other_low.y <= high.y && low.z <= other_high.z && other_low.z <= high.z;
}

/* False: no room. The other face of a crack is there already. */
static bool add_flat(const drawing* d, draw_crowd* c, int32_t half, int32_t from, int32_t to) {
    flat f;
    if (c->count == CROWD) {
        return false;
    }
    const int32_t corner[3] = {d->corner[half], d->corner[draw_after(half)],
                               d->corner[draw_before(half)]};
    for (int k = 0; k < 3; ++k) {
        int32_t place = d->place[corner[k]];
        f.place[k] = place == from ? to : place;
        f.at[k] = draw_at(d, f.place[k]);
    }
    f.low = p3_min(f.at[0], p3_min(f.at[1], f.at[2]));
    f.high = p3_max(f.at[0], p3_max(f.at[1], f.at[2]));
    if (c->moved > 0 && !boxes_meet(c->low, c->high, f.low, f.high)) {
        return true;
    }
    for (int32_t i = 0; i < c->count; ++i) {
        if (same_flat(&c->of[i], &f)) {
            return true;
        }
    }
    c->of[c->count++] = f;
    return true;
}

/* Does the edge k of one pass through the inside of the other? */
static bool edge_through(const flat* a, int k, const flat* b) {
    lim_point p = a->at[k], q = a->at[(k + 1) % 3];
    int one = orient3d(b->at[0], b->at[1], b->at[2], p);
    if (one == 0 || one * orient3d(b->at[0], b->at[1], b->at[2], q) >= 0) {
        return false;
    }
    int side = orient3d(p, q, b->at[0], b->at[1]);
    return side != 0 && side == orient3d(p, q, b->at[1], b->at[2]) &&
           side == orient3d(p, q, b->at[2], b->at[0]);
}

static bool cross(const flat* a, const flat* b) {
    if (!boxes_meet(a->low, a->high, b->low, b->high)) {
        return false;
    }
    bool of_b[3], of_a[3]; /* corners that the other has too */
    int32_t shared = 0;
    for (int k = 0; k < 3; ++k) {
        of_b[k] =
            a->place[k] == b->place[0] || a->place[k] == b->place[1] || a->place[k] == b->place[2];
        of_a[k] =
            b->place[k] == a->place[0] || b->place[k] == a->place[1] || b->place[k] == a->place[2];
        shared += of_b[k];
    }
    for (int k = 0; k < 3 && shared < 2; ++k) {
        if ((!of_b[k] && !of_b[(k + 1) % 3] && edge_through(a, k, b)) ||
            (!of_a[k] && !of_a[(k + 1) % 3] && edge_through(b, k, a))) {
            return true;
        }
    }
    return false;
}

bool draw_passes(const drawing* d, const sheets* s, int32_t to) {
    draw_crowd* c = d->crowd;
    int32_t from = d->place[s->of[0].point];
    c->count = c->moved = 0;
    for (int32_t i = 0; i < s->count; ++i) {
        for (int32_t k = 0; k < s->of[i].count; ++k) {
            int32_t h = s->of[i].half[k];
            if (!draw_has_corner(d, h, s->of[i].to) && !add_flat(d, c, h, from, to)) {
                return true;
            }
        }
    }
    c->moved = c->count;
    for (int32_t i = 0; i < c->moved; ++i) {
        c->low = i == 0 ? c->of[i].low : p3_min(c->low, c->of[i].low);
        c->high = i == 0 ? c->of[i].high : p3_max(c->high, c->of[i].high);
    }
    for (int32_t i = 0; i < s->count; ++i) {
        for (int32_t k = 0; k < s->of[i].count; ++k) {
            int32_t place = d->place[d->corner[draw_after(s->of[i].half[k])]];
            for (int32_t q = place; q >= 0; q = d->mate[q]) {
                for (int32_t h = d->head[q]; h >= 0; h = d->next[h]) {
                    bool own = d->place[d->corner[draw_after(h)]] == from ||
                               d->place[d->corner[draw_before(h)]] == from;
                    if (!d->gone[h / 3] && !own && !add_flat(d, c, h, from, to)) {
                        return true;
                    }
                }
            }
        }
    }
    for (int32_t i = 0; i < c->moved; ++i) {
        for (int32_t k = i + 1; k < c->count; ++k) {
            if (cross(&c->of[i], &c->of[k])) {
                return true;
            }
        }
    }
    return false;
}
