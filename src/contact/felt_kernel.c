/* SPDX-License-Identifier: MIT
 * Job: look for contacts, eight patches or eight points at a time. In: boxes, looks and places of a
 * surface, who asks. Out: patches that may meet it, the nearest point, where patches may be. Lanes
 * are independent and what is chosen among them is chosen in order: the same on every instruction
 * set.
 */
#include "contact/felt_kernel.h"

#include "base/simd.h"

#include <float.h>

extern const felt_kernels KERNEL(felt_kernels);

typedef struct wide3 {
    fw x, y, z;
} wide3;

static inline wide3 wide_of(lim_vec3 v) {
    return (wide3){fw_set1(v.x), fw_set1(v.y), fw_set1(v.z)};
}
static inline fw wide_dot(wide3 a, wide3 b) {
    return fw_add(fw_add(fw_mul(a.x, b.x), fw_mul(a.y, b.y)), fw_mul(a.z, b.z));
}

static inline float least_of(fw v) {
    float lane[FW_LANES], least;
    fw_storeu(lane, v);
    least = lane[0];
    for (int k = 1; k < FW_LANES; ++k) {
        least = lane[k] < least ? lane[k] : least;
    }
    return least;
}

/* ---- boxes and looks ----------------------------------------------------------------------------
 */

typedef struct wide_box {
    wide3 low, high;
} wide_box;

/* Of what is so fast that it has no bounds, a bounded one: lanes of nobody begin beyond all that is
 * finite (surface_box_none), and overlap nothing. */
static inline wide_box wide_box_of(surface_box b) {
    fw most = fw_set1(FLT_MAX), least = fw_set1(-FLT_MAX);
    wide3 low = wide_of(b.low), high = wide_of(b.high);
    return (wide_box){{fw_max(least, low.x), fw_max(least, low.y), fw_max(least, low.z)},
                      {fw_min(most, high.x), fw_min(most, high.y), fw_min(most, high.z)}};
}

static inline mw overlap(const surface_group* g, const wide_box* b) {
    mw x = mw_and(fw_le(fw_loadu(g->low[0]), b->high.x), fw_ge(fw_loadu(g->high[0]), b->low.x));
    mw y = mw_and(fw_le(fw_loadu(g->low[1]), b->high.y), fw_ge(fw_loadu(g->high[1]), b->low.y));
    mw z = mw_and(fw_le(fw_loadu(g->low[2]), b->high.z), fw_ge(fw_loadu(g->high[2]), b->low.z));
    return mw_and(x, mw_and(y, z));
}

/* An asker in all lanes. */
typedef struct wide_asker {
    wide_box box, bare;
    wide3 look;
    fw faces, reach;
} wide_asker;

static inline wide_asker wide_asker_of(const felt_asker* a) {
    return (wide_asker){.box = wide_box_of(a->box),
                        .bare = wide_box_of(a->bare),
                        .look = wide_of(a->look),
                        .faces = fw_set1(SURFACE_FACES - a->cone),
                        .reach = fw_set1(a->reach)};
}

/* Who overlaps the asker's box, does not look the same way, and is not wholly below it. */
static inline unsigned may_meet(const surface_group* g, const surface_looks* l,
                                const wide_asker* a) {
    unsigned bits = mw_bits(overlap(g, &a->box));
    if (bits == 0) {
        return 0;
    }
    wide3 look = {fw_loadu(l->x), fw_loadu(l->y), fw_loadu(l->z)};
    fw left = fw_sub(a->faces, fw_loadu(l->cone));
    wide3 apart = {fw_sub(a->look.x, look.x), fw_sub(a->look.y, look.y), fw_sub(a->look.z, look.z)};
    mw alike = mw_and(fw_gt(left, fw_zero()), fw_lt(wide_dot(apart, apart), fw_mul(left, left)));
    wide3 lowest = {fw_select(fw_gt(look.x, fw_zero()), a->bare.low.x, a->bare.high.x),
                    fw_select(fw_gt(look.y, fw_zero()), a->bare.low.y, a->bare.high.y),
                    fw_select(fw_gt(look.z, fw_zero()), a->bare.low.z, a->bare.high.z)};
    mw above = fw_gt(wide_dot(look, lowest), fw_add(fw_loadu(l->top), a->reach));
    return bits & ~mw_bits(mw_or(alike, above));
}

static int32_t collect(const surface_tree* t, int32_t level, int32_t index, const wide_asker* a,
                       int32_t* out, int32_t count) {
    int32_t at = t->first[level] + index;
    unsigned bits = may_meet(&t->group[at], &t->looks[at], a);
    for (int i = 0; bits >> i != 0; ++i) {
        if ((bits >> i & 1u) == 0) {
            continue;
        }
        if (level == 1) {
            out[count++] = 8 * index + i;
        } else {
            count = collect(t, level - 1, 8 * index + i, a, out, count);
        }
    }
    return count;
}

static int32_t find_groups(const surface_tree* t, const felt_asker* asker, int32_t* out) {
    if (t->levels <= 1) {
        out[0] = 0;
        return t->levels;
    }
    wide_asker a = wide_asker_of(asker);
    return collect(t, t->levels - 1, 0, &a, out, 0);
}

static int32_t find_askers(const surface_tree* t, const surface_group* eight, const felt_view* view,
                           const int32_t* groups, int32_t count, int32_t* out, unsigned* all) {
    int32_t kept = 0;
    lim_vec3 wide = v3(view->wide, view->wide, view->wide);
    *all = 0;
    for (int32_t k = 0; k < count; ++k) {
        surface_box box = surface_box_swept(surface_group_box(t, groups[k]), view->way);
        box.low = v3_sub(v3_add(box.low, view->shift), wide);
        box.high = v3_add(v3_add(box.high, view->shift), wide);
        wide_box b = wide_box_of(box);
        unsigned bits = mw_bits(overlap(eight, &b));
        if (bits != 0) {
            out[kept++] = (int32_t)((uint32_t)groups[k] << 8 | bits);
            *all |= bits;
        }
    }
    return kept;
}

static int32_t find_patches(const surface_tree* t, const felt_asker* asker, const int32_t* list,
                            int32_t count, int bit, int32_t* out) {
    wide_asker a = wide_asker_of(asker);
    int32_t kept = 0;
    for (int32_t k = 0; k < count; ++k) {
        int32_t group = list[k] >> 8;
        if ((list[k] >> bit & 1) == 0) {
            continue;
        }
        unsigned bits = may_meet(&t->group[group], &t->looks[group], &a);
        if (bits != 0) {
            out[kept++] = (int32_t)((uint32_t)group << 8 | bits);
        }
    }
    return kept;
}

static int32_t find_among(const surface_tree* t, const felt_asker* asker, const int32_t* list,
                          int32_t count, int32_t* out) {
    wide_asker a = wide_asker_of(asker);
    int32_t kept = 0;
    for (int32_t k = 0; k < count; ++k) {
        int32_t group = list[k] >> 8;
        unsigned bits =
            may_meet(&t->group[group], &t->looks[group], &a) & (unsigned)list[k] & 0xFFu;
        if (bits != 0) {
            out[kept++] = (int32_t)((uint32_t)group << 8 | bits);
        }
    }
    return kept;
}

/* ---- the nearest points -------------------------------------------------------------------------
 */

/* Eight who look, and what each has found. */
typedef struct wide_eyes {
    wide3 at, look;
    fw against, reach;
    fw best, point; /* points as numbers: there are fewer than 2^24 */
} wide_eyes;

/* Those who are not too far above a patch, and may have a point of it nearer than their nearest:
 * how near; others: -1. */
static inline fw eyes_limit(const wide_eyes* e, const surface_shape* s, int32_t patch) {
    const surface_looks* l = &s->tree.looks[patch / 8];
    int lane = patch % 8;
    wide3 look = {fw_set1(l->x[lane]), fw_set1(l->y[lane]), fw_set1(l->z[lane])};
    mw above = fw_gt(wide_dot(look, e->at), fw_add(fw_set1(l->top[lane]), e->reach));
    wide_box box = wide_box_of(surface_get_box(&s->tight[patch / 8], lane));
    wide3 away = {fw_max(fw_sub(box.low.x, e->at.x), fw_sub(e->at.x, box.high.x)),
                  fw_max(fw_sub(box.low.y, e->at.y), fw_sub(e->at.y, box.high.y)),
                  fw_max(fw_sub(box.low.z, e->at.z), fw_sub(e->at.z, box.high.z))};
    away = (wide3){fw_max(away.x, fw_zero()), fw_max(away.y, fw_zero()), fw_max(away.z, fw_zero())};
    mw near = fw_le(wide_dot(away, away), e->best);
    return fw_select(mw_and(near, mw_not(above)), e->best, fw_set1(-1.0f));
}

/* Whether somebody has found a nearer point. Of two as near the first counts, in whatever order
 * patches come. */
static inline bool see_points(wide_eyes* e, const surface_shape* s, int32_t patch) {
    fw limit = eyes_limit(e, s, patch), before = e->best;
    if (!mw_any(fw_ge(limit, fw_zero()))) {
        return false;
    }
    for (int32_t i = s->net->patch_point[patch]; i < s->net->patch_point[patch + 1]; ++i) {
        wide3 r = {fw_sub(fw_set1(s->at[0][i]), e->at.x), fw_sub(fw_set1(s->at[1][i]), e->at.y),
                   fw_sub(fw_set1(s->at[2][i]), e->at.z)};
        fw square = wide_dot(r, r);
        fw point = fw_set1((float)i);
        mw nearer =
            mw_or(fw_lt(square, limit), mw_and(fw_le(square, limit), fw_lt(point, e->point)));
        nearer = mw_and(nearer, fw_lt(wide_dot(wide_of(s->normal[i]), e->look), e->against));
        limit = fw_select(nearer, square, limit);
        e->best = fw_select(nearer, square, e->best);
        e->point = fw_select(nearer, point, e->point);
    }
    return mw_any(fw_lt(e->best, before));
}

/* Squares of the distances between a box and the eight boxes of points in a group. */
static inline fw box_distances(const surface_group* g, const wide_box* b) {
    fw x = fw_max(fw_sub(fw_loadu(g->low[0]), b->high.x), fw_sub(b->low.x, fw_loadu(g->high[0])));
    fw y = fw_max(fw_sub(fw_loadu(g->low[1]), b->high.y), fw_sub(b->low.y, fw_loadu(g->high[1])));
    fw z = fw_max(fw_sub(fw_loadu(g->low[2]), b->high.z), fw_sub(b->low.z, fw_loadu(g->high[2])));
    wide3 away = {fw_max(x, fw_zero()), fw_max(y, fw_zero()), fw_max(z, fw_zero())};
    return wide_dot(away, away);
}

static int32_t find_near(const surface_group* tight, surface_box box, float distance,
                         const int32_t* groups, int32_t count, int32_t* out) {
    wide_box b = wide_box_of(box);
    fw most = fw_set1(distance * distance);
    int32_t kept = 0;
    for (int32_t k = 0; k < count; ++k) {
        unsigned bits = mw_bits(fw_le(box_distances(&tight[groups[k]], &b), most));
        if (bits != 0) {
            out[kept++] = (int32_t)((uint32_t)groups[k] << 8 | bits);
        }
    }
    return kept;
}

static inline surface_box box_of_eyes(const felt_eyes* eyes) {
    surface_box box = surface_box_none();
    for (int k = 0; k < 8; ++k) {
        lim_vec3 at = v3(eyes->at[0][k], eyes->at[1][k], eyes->at[2][k]);
        box = (surface_box){v3_min(at, box.low), v3_max(at, box.high)};
    }
    return box;
}

/* The patch whose points are nearest to the middle of a box; -1: none. */
static inline int32_t nearest_patch(const surface_shape* s, surface_box box, const int32_t* list,
                                    int32_t count) {
    lim_vec3 middle = v3_scale(v3_add(box.low, box.high), 0.5f);
    wide_box b = wide_box_of((surface_box){middle, middle});
    float least = HUGE_VALF;
    int32_t first = -1;
    for (int32_t k = 0; k < count; ++k) {
        fw squares = box_distances(&s->tight[list[k] >> 8], &b);
        unsigned bits = mw_bits(fw_lt(squares, fw_set1(least))) & (unsigned)list[k] & 0xFFu;
        if (bits == 0) {
            continue;
        }
        float lanes[FW_LANES];
        fw_storeu(lanes, squares);
        for (int i = 0; bits >> i != 0; ++i) {
            if ((bits >> i & 1u) != 0 && lanes[i] < least) {
                least = lanes[i];
                first = 8 * (list[k] >> 8) + i;
            }
        }
    }
    return first;
}

/* The nearest patch first: most of the others are too far by then. */
static void find_nearest(const surface_shape* s, const felt_eyes* eyes, const int32_t* list,
                         int32_t count, felt_sights* io) {
    wide_eyes e = {
        .at = {fw_loadu(eyes->at[0]), fw_loadu(eyes->at[1]), fw_loadu(eyes->at[2])},
        .look = {fw_loadu(eyes->look[0]), fw_loadu(eyes->look[1]), fw_loadu(eyes->look[2])},
        .against = fw_loadu(eyes->against),
        .reach = fw_set1(eyes->reach),
        .best = fw_loadu(io->best),
        .point = fw_set1(-1.0f)};
    surface_box all = box_of_eyes(eyes);
    wide_box box = wide_box_of(all);
    int32_t first = nearest_patch(s, all, list, count);
    if (first >= 0) {
        see_points(&e, s, first);
    }
    fw most = fw_set1(-least_of(fw_neg(e.best)));
    for (int32_t k = 0; k < count; ++k) {
        fw squares = box_distances(&s->tight[list[k] >> 8], &box);
        unsigned bits = mw_bits(fw_le(squares, most)) & (unsigned)list[k] & 0xFFu;
        bool nearer = false;
        for (int i = 0; bits >> i != 0; ++i) {
            int32_t patch = 8 * (list[k] >> 8) + i;
            if ((bits >> i & 1u) != 0 && patch != first) {
                nearer = see_points(&e, s, patch) || nearer;
            }
        }
        most = nearer ? fw_set1(-least_of(fw_neg(e.best))) : most;
    }
    fw_storeu(io->best, e.best);
    fw_storeu(io->point, e.point);
}

/* ---- the nearest triangles ----------------------------------------------------------------------
 */

static inline wide3 wide_sub(wide3 a, wide3 b) {
    return (wide3){fw_sub(a.x, b.x), fw_sub(a.y, b.y), fw_sub(a.z, b.z)};
}
static inline wide3 wide_cross(wide3 a, wide3 b) {
    return (wide3){fw_sub(fw_mul(a.y, b.z), fw_mul(a.z, b.y)),
                   fw_sub(fw_mul(a.z, b.x), fw_mul(a.x, b.z)),
                   fw_sub(fw_mul(a.x, b.y), fw_mul(a.y, b.x))};
}
static inline fw with(mw m, fw if_true, fw if_false) {
    return fw_select(m, if_true, if_false);
}

/* Weights of the nearest place by the region it lies in: of a corner, of a side, or within (Ericson
 * 2005, 5.1.5). u, v: sides from corner 0; what is seen of `at` along them from the corners. */
static inline void weigh_nearest(const wide3 c[3], wide3 u, wide3 v, wide3 at, fw* w1, fw* w2) {
    fw zero = fw_zero(), one = fw_set1(1.0f);
    wide3 r0 = wide_sub(at, c[0]), r1 = wide_sub(at, c[1]), r2 = wide_sub(at, c[2]);
    fw u0 = wide_dot(u, r0), v0 = wide_dot(v, r0), u1 = wide_dot(u, r1), v1 = wide_dot(v, r1);
    fw u2 = wide_dot(u, r2), v2 = wide_dot(v, r2);
    fw a = fw_sub(fw_mul(u1, v2), fw_mul(u2, v1)), b = fw_sub(fw_mul(u2, v0), fw_mul(u0, v2));
    fw d = fw_sub(fw_mul(u0, v1), fw_mul(u1, v0));
    fw all = fw_div(one, fw_add(fw_add(a, b), d));
    fw s1 = fw_mul(b, all), s2 = fw_mul(d, all);
    /* from the last of the cases to the first */
    fw from1 = fw_sub(v1, u1), side = fw_div(from1, fw_add(from1, fw_sub(u2, v2)));
    mw m = mw_and(fw_le(a, zero), mw_and(fw_ge(v1, u1), fw_ge(u2, v2)));
    s1 = with(m, fw_sub(one, side), s1);
    s2 = with(m, side, s2);
    m = mw_and(fw_le(b, zero), mw_and(fw_ge(v0, zero), fw_le(v2, zero)));
    s1 = with(m, zero, s1);
    s2 = with(m, fw_div(v0, fw_sub(v0, v2)), s2);
    m = mw_and(fw_le(d, zero), mw_and(fw_ge(u0, zero), fw_le(u1, zero)));
    s1 = with(m, fw_div(u0, fw_sub(u0, u1)), s1);
    s2 = with(m, zero, s2);
    m = mw_and(fw_ge(v2, zero), fw_le(u2, v2));
    s1 = with(m, zero, s1);
    s2 = with(m, one, s2);
    m = mw_and(fw_ge(u1, zero), fw_le(v1, u1));
    s1 = with(m, one, s1);
    s2 = with(m, zero, s2);
    m = mw_and(fw_le(u0, zero), fw_le(v0, zero));
    *w1 = with(m, zero, s1);
    *w2 = with(m, zero, s2);
}

/* Whether cos(cross, look) is below its limit. */
static inline mw looks_against(wide3 cross, lim_vec3 look, bool sharp) {
    float limit = surface_looks_against(sharp);
    fw along = wide_dot(cross, wide_of(look)), square = fw_mul(along, along);
    fw part = fw_mul(fw_set1(limit * limit), wide_dot(cross, cross));
    mw away = fw_lt(along, fw_zero());
    return sharp ? mw_or(away, fw_lt(square, part)) : mw_and(away, fw_gt(square, part));
}

static unsigned find_triangles(const surface_shape* s, const surface_query* query,
                               const int32_t* triangle, int32_t count, felt_triangles* out) {
    wide3 c[3], at = wide_of(query->at);
    for (int k = 0; k < 3; ++k) {
        fw rows[FW_LANES], columns[4];
        for (int32_t i = 0; i < FW_LANES; ++i) {
            size_t of = (size_t)triangle[i < count ? i : 0];
            rows[i] = fw_loadu(s->spot + 4 * (size_t)s->net->corner[3 * of + (size_t)k]);
        }
        fw_columns4(rows, columns);
        c[k] = (wide3){columns[0], columns[1], columns[2]};
    }
    wide3 u = wide_sub(c[1], c[0]), v = wide_sub(c[2], c[0]), cross = wide_cross(u, v);
    unsigned bits = (1u << count) - 1u;
    if (v3_dot(query->look, query->look) > 0.0f) {
        bits &= mw_bits(looks_against(cross, query->look, query->sharp));
    }
    fw w1, w2;
    weigh_nearest(c, u, v, at, &w1, &w2);
    wide3 place = {fw_mad(v.x, w2, fw_mad(u.x, w1, c[0].x)),
                   fw_mad(v.y, w2, fw_mad(u.y, w1, c[0].y)),
                   fw_mad(v.z, w2, fw_mad(u.z, w1, c[0].z))};
    wide3 r = wide_sub(at, place);
    fw_storeu(out->square, wide_dot(r, r));
    fw_storeu(out->weight[0], w1);
    fw_storeu(out->weight[1], w2);
    fw_storeu(out->point[0], place.x);
    fw_storeu(out->point[1], place.y);
    fw_storeu(out->point[2], place.z);
    fw_storeu(out->cross[0], cross.x);
    fw_storeu(out->cross[1], cross.y);
    fw_storeu(out->cross[2], cross.z);
    return bits;
}

/* ---- boxes of points ----------------------------------------------------------------------------
 */

/* Boxes that grow by one spot at a time: of eight lanes the first three count. */
typedef struct wide_spots {
    fw low, high;
} wide_spots;

static inline void add_spot(wide_spots* box, const surface_shape* s, int32_t point) {
    fw at = fw_loadu(s->spot + 4 * (size_t)point);
    box->low = fw_min(at, box->low);
    box->high = fw_max(at, box->high);
}

static inline surface_box box_of_spots(const wide_spots* box) {
    float low[FW_LANES], high[FW_LANES];
    fw_storeu(low, box->low);
    fw_storeu(high, box->high);
    return (surface_box){v3(low[0], low[1], low[2]), v3(high[0], high[1], high[2])};
}

static void find_boxes(const surface_shape* s, int32_t patch, surface_box* tight,
                       surface_box* feel) {
    const surface_net* net = s->net;
    int32_t begin = net->patch_point[patch], end = net->patch_point[patch + 1];
    const wide_spots none = {fw_set1(HUGE_VALF), fw_set1(-HUGE_VALF)};
    wide_spots all = none, some = none;
    for (int32_t i = begin; i < end; ++i) {
        add_spot(&all, s, i);
    }
    int32_t first = net->patch_feel[patch], last = net->patch_feel[patch + 1];
    for (int32_t i = first; i < last && last - first < end - begin; ++i) {
        add_spot(&some, s, net->feel[i]);
    }
    *tight = box_of_spots(&all);
    *feel = last - first < end - begin ? box_of_spots(&some) : *tight;
}

static float find_ring(const surface_shape* s, int32_t patch, lim_vec3 look, surface_box* box) {
    const surface_net* net = s->net;
    wide_spots all = {fw_set1(HUGE_VALF), fw_set1(-HUGE_VALF)};
    float top = -HUGE_VALF;
    for (int32_t e = net->patch_ring[patch]; e < net->patch_ring[patch + 1]; ++e) {
        const float* at = s->spot + 4 * (size_t)net->ring[e];
        float height = v3_dot(look, v3(at[0], at[1], at[2]));
        add_spot(&all, s, net->ring[e]);
        top = height > top ? height : top;
    }
    *box = box_of_spots(&all);
    return top;
}

/* ---- slabs -------------------------------------------------------------------------------------
 */

/* The extent of points, and of the ways that patches go, along one axis after the other. The last
 * eight points are whole. */
static void find_slabs(const surface_shape* s, surface_slabs* out) {
    int32_t count = s->net->points.count;
    for (int k = 0; k < SURFACE_AXES; ++k) {
        wide3 axis = wide_of(surface_axis(k));
        fw low = fw_set1(HUGE_VALF), high = fw_set1(-HUGE_VALF);
        for (int32_t i = 0; i < count; i += FW_LANES) {
            wide3 x = {fw_loadu(s->at[0] + i), fw_loadu(s->at[1] + i), fw_loadu(s->at[2] + i)};
            fw along = wide_dot(axis, x);
            low = fw_min(low, along);
            high = fw_max(high, along);
        }
        fw back = fw_zero(), on = fw_zero();
        for (int32_t i = 0; i < s->net->group_count; ++i) {
            const surface_ways* w = &s->way[i];
            wide3 x = {fw_loadu(w->along[0]), fw_loadu(w->along[1]), fw_loadu(w->along[2])};
            fw along = wide_dot(axis, x);
            back = fw_min(back, along);
            on = fw_max(on, along);
        }
        out->low[k] = least_of(low) + least_of(back);
        out->high[k] = -least_of(fw_neg(high)) - least_of(fw_neg(on));
    }
}

/* Which of eight boxes are not wholly beyond one of the slabs, seen as askers see them. */
static unsigned find_within(const surface_group* eight, const surface_slabs* slabs,
                            const felt_view* view) {
    unsigned bits = 0xFF;
    fw low[3], high[3];
    for (int k = 0; k < 3; ++k) {
        low[k] = fw_loadu(eight->low[k]);
        high[k] = fw_loadu(eight->high[k]);
    }
    for (int k = 0; k < SURFACE_AXES && bits != 0; ++k) {
        lim_vec3 axis = surface_axis(k);
        const float along[3] = {axis.x, axis.y, axis.z};
        float shift = v3_dot(axis, view->shift), way = v3_dot(axis, view->way);
        fw least = fw_zero(), most = fw_zero();
        for (int j = 0; j < 3; ++j) {
            fw by = fw_set1(along[j]);
            bool up = along[j] > 0.0f;
            least = fw_mad(by, up ? low[j] : high[j], least);
            most = fw_mad(by, up ? high[j] : low[j], most);
        }
        float top = slabs->high[k] + shift + view->wide + (way > 0.0f ? way : 0.0f);
        float bottom = slabs->low[k] + shift - view->wide + (way < 0.0f ? way : 0.0f);
        bits &= mw_bits(mw_and(fw_le(least, fw_set1(top)), fw_ge(most, fw_set1(bottom))));
    }
    return bits;
}

const felt_kernels KERNEL(felt_kernels) = {find_groups, find_askers,  find_patches,   find_near,
                                           find_among,  find_nearest, find_triangles, find_boxes,
                                           find_ring,   find_slabs,   find_within};
