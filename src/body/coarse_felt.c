/* SPDX-License-Identifier: MIT
 * Job: a coarser surface where a skin is much finer than its cells. In: points, triangles, sizes of
 * cells. Out: fewer triangles between some of the same points. Rounds over the sides that are short
 * by now, shortest first; a point u goes onto a neighbour v if
 *   - the triangles about u are a closed fan, and u and v have but two neighbours in common (the
 *     link condition, Dey et al. 1999): the surface stays a manifold, rims and pinches stay;
 *   - no triangle turns far from where it looked as it was given, and none becomes a needle;
 *   - every point that is gone is near one of the triangles that come in its place. Each triangle
 *     keeps a list of those that it stands for, so errors do not add up;
 *   - the volume stays near what it was: points of a convex surface that go all shrink it.
 * No node loses the last of the points that follow it most.
 */
#include "body/coarse_felt.h"

#include "base/sort.h"
#include "mesh/triangle.h"

enum { FAN_MOST = 24, ROUNDS_MOST = 12 };
/* Cosine between a triangle and itself as it was given. */
#define TURN 0.9f
/* Between a triangle and the normal of a point that it stands for; a rim of a box has 0.7. */
#define STANDS_FOR 0.5f
/* Least height of a triangle over its longest side, as a share of that side. */
#define NEEDLE 0.15f
/* Cells: a plane that is drawn together moves by less. */
#define ROUNDING 1e-5
/* A surface that would keep more than this share of its triangles stays as it is. */
#define WORTH 0.8f

typedef struct coarse {
    const coarse_source* from;
    lim_vec3* at;       /* per point, in units of the finest cell */
    lim_vec3* looks;    /* per triangle: as it was given, unit */
    int32_t* corner;    /* 3 per triangle; the first -1: gone */
    int32_t* first;     /* per point: the first corner of a triangle that it is, -1: none */
    int32_t* next;      /* per corner: the next corner of the same point */
    int32_t* stands;    /* per triangle: the first point that is gone there, -1: none */
    int32_t* next_gone; /* per point that is gone: the next of the same triangle */
    int32_t* follow;    /* per slot: how many points that are left follow it most */
    int32_t* changed;   /* per point: the last round that changed a triangle at it */
    int32_t* mark;      /* per point: the last fan that it was a neighbour in */
    int32_t fans;
    int32_t left;        /* triangles */
    double grown, spare; /* how much more they enclose by now; how much that may be, or less */
} coarse;

static float cell_of(const coarse_source* s, int32_t point) {
    float side = s->side[s->points->bind[point].node[0]];
    return side > 0.0f ? side / s->cell : 1.0f;
}

static float side_square(const coarse* c, int32_t p, int32_t q) {
    lim_vec3 side = v3_sub(c->at[q], c->at[p]);
    return v3_dot(side, side);
}

static lim_vec3 cross_of(lim_vec3 a, lim_vec3 b, lim_vec3 c) {
    return v3_cross(v3_sub(b, a), v3_sub(c, a));
}

static bool is_short(const coarse* c, int32_t p, int32_t q, float cells) {
    float most = cells * fminf(cell_of(c->from, p), cell_of(c->from, q));
    return side_square(c, p, q) < most * most;
}

/* ---- fans ---------------------------------------------------------------------------------------
 */

/* The triangles around a point and their other corners, in turn: triangle k has corners (point,
 * ring[k], ring[k + 1]). */
typedef struct fan {
    int32_t count;
    int32_t ring[FAN_MOST], triangle[FAN_MOST];
} fan;

/* False: they are no closed fan, or too many. */
static bool fan_of(const coarse* c, int32_t point, int32_t start, fan* out) {
    int32_t from[FAN_MOST], to[FAN_MOST], triangle[FAN_MOST], count = 0;
    for (int32_t e = c->first[point]; e >= 0; e = c->next[e], ++count) {
        if (count == FAN_MOST) {
            return false;
        }
        const int32_t* corner = c->corner + 3 * (size_t)(e / 3);
        from[count] = corner[(e + 1) % 3];
        to[count] = corner[(e + 2) % 3];
        triangle[count] = e / 3;
    }
    int32_t now = start;
    for (out->count = 0; out->count < count; ++out->count) {
        int32_t found = -1;
        for (int32_t k = 0; k < count; ++k) {
            if (from[k] == now) {
                if (found >= 0) {
                    return false;
                }
                found = k;
            }
        }
        if (found < 0 || (now == start && out->count > 0)) {
            return false;
        }
        out->ring[out->count] = now;
        out->triangle[out->count] = triangle[found];
        now = to[found];
    }
    return count >= 3 && now == start;
}

static int32_t triangles_at(const coarse* c, int32_t point) {
    int32_t count = 0;
    for (int32_t e = c->first[point]; e >= 0; e = c->next[e]) {
        count++;
    }
    return count;
}

/* Whether the two ends of a side share but the corners across from it, here ring[1] and the last:
 * and both of those keep at least three triangles. */
static bool links_well(coarse* c, int32_t v, const fan* f) {
    c->fans++;
    for (int32_t k = 0; k < f->count; ++k) {
        c->mark[f->ring[k]] = c->fans;
    }
    int32_t common = 0;
    for (int32_t e = c->first[v]; e >= 0; e = c->next[e]) {
        for (int32_t k = 1; k < 3; ++k) {
            int32_t beside = c->corner[e / 3 * 3 + (e + k) % 3];
            common += c->mark[beside] == c->fans;
            c->mark[beside] = c->mark[beside] == c->fans ? 0 : c->mark[beside];
        }
    }
    return common == 2 && triangles_at(c, f->ring[1]) > 3 &&
           triangles_at(c, f->ring[f->count - 1]) > 3;
}

/* ---- what a collapse would do -------------------------------------------------------------------
 */

/* Whether the triangle (v, a, b) may come in the place of one as it was given. */
static bool is_fit(const coarse* c, int32_t triangle, int32_t v, int32_t a, int32_t b) {
    lim_vec3 cross = cross_of(c->at[v], c->at[a], c->at[b]);
    float area = v3_length(cross);
    float longest = fmaxf(side_square(c, a, b), fmaxf(side_square(c, v, a), side_square(c, v, b)));
    return area > NEEDLE * longest && v3_dot(cross, c->looks[triangle]) > TURN * area;
}

/* Which of the triangles (v, ring[k], ring[k + 1]) is nearest to a point that is gone; -1: none is
 * near enough. */
static int32_t nearest_place(const coarse* c, const fan* f, int32_t v, int32_t gone) {
    double best = (double)COARSE_AWAY * (double)COARSE_AWAY, weight[3];
    int32_t found = -1;
    for (int32_t k = 1; k + 1 < f->count; ++k) {
        lim_vec3 a = c->at[f->ring[k]], b = c->at[f->ring[k + 1]];
        lim_vec3 cross = cross_of(c->at[v], a, b), normal = c->from->normal[gone];
        float along = v3_dot(cross, normal), least = v3_dot(cross, cross) * v3_dot(normal, normal);
        if (!(along > 0.0f && along * along > STANDS_FOR * STANDS_FOR * least)) {
            continue;
        }
        double square =
            triangle_closest(p3_of(c->at[v]), p3_of(a), p3_of(b), p3_of(c->at[gone]), weight);
        if (square < best) {
            best = square;
            found = k;
        }
    }
    return found;
}

/* Whether every point that is gone about u, and u itself, has a triangle near it. */
static bool all_have_places(const coarse* c, const fan* f, int32_t u, int32_t v) {
    bool fits = nearest_place(c, f, v, u) >= 0;
    for (int32_t k = 0; k < f->count && fits; ++k) {
        for (int32_t p = c->stands[f->triangle[k]]; p >= 0 && fits; p = c->next_gone[p]) {
            fits = nearest_place(c, f, v, p) >= 0;
        }
    }
    return fits;
}

/* What is enclosed more when u goes onto v: less what lies between the triangles about u and those
 * in their place, a pyramid over each of these. */
static double growth(const coarse* c, const fan* f, int32_t u, int32_t v) {
    double sum = 0.0;
    lim_vec3 top = v3_sub(c->at[u], c->at[v]);
    for (int32_t k = 1; k + 1 < f->count; ++k) {
        lim_vec3 cross = cross_of(c->at[v], c->at[f->ring[k]], c->at[f->ring[k + 1]]);
        sum -= (double)v3_dot(top, cross) / 6.0;
    }
    return sum;
}

/* Whether the volume stays near what it was, or comes nearer. */
static bool keeps_volume(const coarse* c, double more) {
    return fabs(c->grown + more) <= c->spare || fabs(c->grown + more) < fabs(c->grown);
}

static bool may_go(coarse* c, int32_t u, int32_t v, fan* f) {
    const bindings* points = c->from->points;
    if (points->component[u] != points->component[v] || c->follow[points->bind[u].node[0]] < 2 ||
        !fan_of(c, u, v, f)) {
        return false;
    }
    for (int32_t k = 1; k + 1 < f->count; ++k) {
        if (!is_fit(c, f->triangle[k], v, f->ring[k], f->ring[k + 1]) ||
            (k > 1 && !is_short(c, v, f->ring[k], COARSE_LONG))) {
            return false;
        }
    }
    return keeps_volume(c, growth(c, f, u, v)) && links_well(c, v, f) &&
           all_have_places(c, f, u, v);
}

/* ---- the collapse -------------------------------------------------------------------------------
 */

/* Takes a triangle out of the lists of its corners. */
static void drop_triangle(coarse* c, int32_t triangle) {
    for (int32_t e = 3 * triangle; e < 3 * triangle + 3; ++e) {
        int32_t* link = &c->first[c->corner[e]];
        while (*link != e) {
            link = &c->next[*link];
        }
        *link = c->next[e];
    }
    c->corner[3 * (size_t)triangle] = -1;
    c->left--;
}

static void stand_for(coarse* c, int32_t triangle, int32_t point) {
    c->next_gone[point] = c->stands[triangle];
    c->stands[triangle] = point;
}

static void collapse(coarse* c, int32_t u, int32_t v, const fan* f, int32_t round) {
    int32_t gone = u;
    c->grown += growth(c, f, u, v);
    c->next_gone[u] = -1;
    for (int32_t k = 0; k < f->count; ++k) {
        for (int32_t p = c->stands[f->triangle[k]], then; p >= 0; p = then) {
            then = c->next_gone[p];
            c->next_gone[p] = gone;
            gone = p;
        }
        c->stands[f->triangle[k]] = -1;
        c->changed[f->ring[k]] = round;
    }
    for (int32_t p = gone, then; p >= 0; p = then) {
        then = c->next_gone[p];
        stand_for(c, f->triangle[nearest_place(c, f, v, p)], p);
    }
    drop_triangle(c, f->triangle[0]);
    drop_triangle(c, f->triangle[f->count - 1]);
    while (c->first[u] >= 0) {
        int32_t e = c->first[u];
        c->first[u] = c->next[e];
        c->corner[e] = v;
        c->next[e] = c->first[v];
        c->first[v] = e;
    }
    c->follow[c->from->points->bind[u].node[0]]--;
}

/* ---- all of them --------------------------------------------------------------------------------
 */

/* One round: sides that are short and near which the last one changed something, shortest first, in
 * the order of triangles where they are as long. Each one comes twice, once from each end. */
static bool one_round(coarse* c, sort_item* items, sort_item* spare, int32_t round) {
    int32_t count = 0, before = c->left;
    for (int32_t i = 0; i < 3 * c->from->triangle_count; ++i) {
        int32_t p = c->corner[i], q = c->corner[i % 3 == 2 ? i - 2 : i + 1];
        bool there = c->corner[i / 3 * 3] >= 0;
        if (there && (c->changed[p] == round - 1 || c->changed[q] == round - 1) &&
            is_short(c, p, q, COARSE_SHORT)) {
            uint64_t key = sort_key_double((double)side_square(c, p, q));
            items[count++] = (sort_item){.key = key, .value = p, .extra = q};
        }
    }
    sort_items(items, spare, count);
    for (int32_t i = 0; i < count; ++i) {
        fan f;
        int32_t u = items[i].value, v = items[i].extra;
        if (c->first[u] >= 0 && c->first[v] >= 0 && may_go(c, u, v, &f)) {
            collapse(c, u, v, &f, round);
        }
    }
    return c->left < before;
}

/* The way a triangle looks; where it has hardly an area, its points do. */
static lim_vec3 look_of(const coarse* c, const int32_t* p) {
    lim_vec3 cross = cross_of(c->at[p[0]], c->at[p[1]], c->at[p[2]]);
    float longest = fmaxf(side_square(c, p[0], p[1]),
                          fmaxf(side_square(c, p[1], p[2]), side_square(c, p[2], p[0])));
    if (v3_length(cross) > 0.01f * longest) {
        return v3_unit(cross, v3(0, 0, 0));
    }
    const lim_vec3* normal = c->from->normal;
    return v3_unit(v3_add(v3_add(normal[p[0]], normal[p[1]]), normal[p[2]]), v3(0, 0, 0));
}

static lim_result begin(coarse* c, arena* scratch) {
    const coarse_source* s = c->from;
    int32_t points = s->points->count, corners = 3 * s->triangle_count;
    c->at = ARENA_ARRAY(scratch, lim_vec3, points);
    c->looks = ARENA_ARRAY(scratch, lim_vec3, s->triangle_count);
    c->corner = ARENA_ARRAY(scratch, int32_t, corners);
    c->first = ARENA_ARRAY(scratch, int32_t, points);
    c->next = ARENA_ARRAY(scratch, int32_t, corners);
    c->stands = ARENA_ARRAY(scratch, int32_t, s->triangle_count);
    c->next_gone = ARENA_ARRAY(scratch, int32_t, points);
    c->follow = ARENA_ARRAY(scratch, int32_t, s->slot_count);
    c->changed = ARENA_ARRAY(scratch, int32_t, points);
    c->mark = ARENA_ARRAY(scratch, int32_t, points);
    LIM_TRY_MEMORY(c->at);
    LIM_TRY_MEMORY(c->looks);
    LIM_TRY_MEMORY(c->corner);
    LIM_TRY_MEMORY(c->first);
    LIM_TRY_MEMORY(c->next);
    LIM_TRY_MEMORY(c->stands);
    LIM_TRY_MEMORY(c->next_gone);
    LIM_TRY_MEMORY(c->follow);
    LIM_TRY_MEMORY(c->changed);
    LIM_TRY_MEMORY(c->mark);
    for (int32_t i = 0; i < points; ++i) {
        c->at[i] = v3_scale(bindings_rest(s->points, i), 1.0f / s->cell);
        c->first[i] = -1;
    }
    for (int32_t i = corners - 1; i >= 0; --i) {
        int32_t point = s->corner[i];
        c->follow[s->points->bind[point].node[0]] += c->first[point] < 0;
        c->corner[i] = point;
        c->next[i] = c->first[point];
        c->first[point] = i;
    }
    double volume = 0.0, area = 0.0;
    for (int32_t i = 0; i < s->triangle_count; ++i) {
        const int32_t* p = c->corner + 3 * (size_t)i;
        lim_vec3 cross = cross_of(c->at[p[0]], c->at[p[1]], c->at[p[2]]);
        volume += (double)v3_dot(c->at[p[0]], cross) / 6.0;
        area += 0.5 * (double)v3_length(cross);
        c->looks[i] = look_of(c, p);
        c->stands[i] = -1;
    }
    c->spare = COARSE_VOLUME * fabs(volume) + ROUNDING * area;
    c->left = s->triangle_count;
    return LIM_OK;
}

lim_result coarse_felt_make(arena* scratch, const coarse_source* from, const int32_t** out_corner,
                            int32_t* out_count) {
    coarse c = {.from = from};
    LIM_TRY(begin(&c, scratch));
    sort_item* items = ARENA_ARRAY(scratch, sort_item, 3 * (int64_t)from->triangle_count);
    sort_item* spare = ARENA_ARRAY(scratch, sort_item, 3 * (int64_t)from->triangle_count);
    LIM_TRY_MEMORY(items);
    LIM_TRY_MEMORY(spare);
    for (int32_t round = 1; round <= ROUNDS_MOST && one_round(&c, items, spare, round); ++round) {
    }
    *out_corner = from->corner;
    *out_count = from->triangle_count;
    if ((float)c.left > WORTH * (float)from->triangle_count) {
        return LIM_OK;
    }
    int32_t count = 0;
    for (int32_t i = 0; i < from->triangle_count; ++i) {
        for (int k = 0; k < 3 && c.corner[3 * (size_t)i] >= 0; ++k) {
            c.corner[count++] = c.corner[3 * (size_t)i + (size_t)k];
        }
    }
    *out_corner = c.corner;
    *out_count = count / 3;
    return LIM_OK;
}
