/* SPDX-License-Identifier: MIT
 * Job: what hides what. In: triangles that hide. Out: whether a place sees another. Exact signs
 * decide (sample/matter_links.h), but few questions come to them: what is near a place is gathered
 * once for all that it looks at, and a triangle a b c hides nothing from p at q where both are on
 * one side of its plane by more than rounding can do,
 *     n . (p - a),  n . (q - a)  with  n = (b - a) x (c - a)
 * of one sign and each larger than 10 u sum_k |(p - a)_k| (|..| + |..|)_k: 8 roundings lie on the
 * way of each product, as in math/predicates.c.
 */
#include "edit/agree_see.h"

#include "base/sort.h"
#include "sample/octant.h"

#include <string.h>

enum { FAN = 4, STACK = FAN * SEE_LEVELS };
static const double BOUND = 10.0 * 0x1p-53;

static hider hider_of(const lim_point c[3]) {
    lim_point u = p3_sub(c[1], c[0]), v = p3_sub(c[2], c[0]);
    lim_point more = p3(u.y * v.z, u.z * v.x, u.x * v.y);
    lim_point less = p3(u.z * v.y, u.x * v.z, u.y * v.x);
    return (hider){.corner = {c[0], c[1], c[2]},
                   .normal = p3_sub(more, less),
                   .size = p3(fabs(more.x) + fabs(less.x), fabs(more.y) + fabs(less.y),
                              fabs(more.z) + fabs(less.z))};
}

static int side_of(const hider* h, lim_point p) {
    lim_point d = p3_sub(p, h->corner[0]);
    double at = p3_dot(h->normal, d);
    double bound = BOUND * (h->size.x * fabs(d.x) + h->size.y * fabs(d.y) + h->size.z * fabs(d.z));
    return (at > bound) - (at < -bound);
}

/* All six at once: which one parts them is anyone's guess. */
static inline bool meets(const see_box* box, lim_vec3 low, lim_vec3 high) {
    return ((box->low.x <= high.x) & (box->low.y <= high.y) & (box->low.z <= high.z) &
            (box->high.x >= low.x) & (box->high.y >= low.y) & (box->high.z >= low.z)) != 0;
}

/* met[i]: whether box i of a list meets one; several at a time. */
static void find_met(const see_list* l, lim_vec3 low, lim_vec3 high, int32_t* met) {
    const float *x = l->bound[0], *y = l->bound[1], *z = l->bound[2];
    const float *u = l->bound[3], *v = l->bound[4], *w = l->bound[5];
    const int32_t count = l->count;
    for (int32_t i = 0; i < count; ++i) {
        met[i] = (x[i] <= high.x) & (y[i] <= high.y) & (z[i] <= high.z) & (u[i] >= low.x) &
                 (v[i] >= low.y) & (w[i] >= low.z);
    }
}

/* Along the curve by the sub-voxel that its lowest place is in; some far away may share a key. */
static uint64_t place_on_curve(lim_point p) {
    const int32_t shift = 1 << 17;
    return octant_key(
        (octant){0, (int32_t)p.x + shift, (int32_t)p.y + shift, (int32_t)p.z + shift});
}

static bool is_same(lim_point a, lim_point b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* The same triangle looking the other way. */
static bool is_back(const lim_point a[3], const lim_point b[3]) {
    bool back = false;
    for (int k = 0; k < 3 && !back; ++k) {
        back =
            is_same(a[0], b[k]) && is_same(a[1], b[(k + 2) % 3]) && is_same(a[2], b[(k + 1) % 3]);
    }
    return back;
}

static void corners_of(const grid_blade* blade, int32_t triangle, lim_point c[3]) {
    for (int k = 0; k < 3; ++k) {
        c[k] = blade->point[blade->triangle[3 * (size_t)triangle + (size_t)k]];
    }
}

/* Ways through either side of a triangle are the same: of two that lie on each other one will do.
 */
static lim_result take_items(arena* a, const grid_blade* blade, see_screen* out) {
    int32_t n = blade->triangle_count, kept = 0;
    sort_item* order = ARENA_ROOM(a, sort_item, n);
    sort_item* spare = ARENA_ROOM(a, sort_item, n);
    out->item = ARENA_ROOM(a, hider, n);
    LIM_TRY_MEMORY(order);
    LIM_TRY_MEMORY(spare);
    LIM_TRY_MEMORY(out->item);
    lim_point c[3];
    for (int32_t i = 0; i < n; ++i) {
        corners_of(blade, i, c);
        order[i] = (sort_item){.key = place_on_curve(p3_min(p3_min(c[0], c[1]), c[2])), .value = i};
    }
    sort_items(order, spare, n);
    for (int32_t i = 0; i < n; ++i) {
        corners_of(blade, order[i].value, c);
        bool there = false;
        for (int32_t k = kept; k > 0 && !there && order[k - 1].key == order[i].key; --k) {
            there = is_back(c, out->item[k - 1].corner);
        }
        if (!there) {
            order[kept].key = order[i].key;
            out->item[kept++] = hider_of(c);
        }
    }
    out->count[0] = kept;
    return LIM_OK;
}

static see_box box_of(const lim_point c[3]) {
    return (see_box){v3_of(p3_min(p3_min(c[0], c[1]), c[2])),
                     v3_of(p3_max(p3_max(c[0], c[1]), c[2]))};
}

lim_result see_screen_make(arena* a, const grid_blade* blade, see_screen* out) {
    *out = (see_screen){0};
    LIM_TRY(take_items(a, blade, out));
    size_t boxes = 0;
    for (int32_t n = out->count[0]; n > 0; n = n > FAN ? (n + FAN - 1) / FAN : 0) {
        out->first[out->levels] = (int32_t)boxes;
        out->count[out->levels++] = n;
        boxes += (size_t)n;
    }
    out->box = ARENA_ROOM(a, see_box, boxes);
    LIM_TRY_MEMORY(out->box);
    for (int32_t i = 0; i < out->count[0]; ++i) {
        out->box[i] = box_of(out->item[i].corner);
    }
    for (int32_t l = 1; l < out->levels; ++l) {
        const see_box* below = out->box + out->first[l - 1];
        for (int32_t i = 0; i < out->count[l]; ++i) {
            see_box all = below[FAN * i];
            for (int32_t k = FAN * i + 1; k < FAN * (i + 1) && k < out->count[l - 1]; ++k) {
                all = (see_box){v3_min(all.low, below[k].low), v3_max(all.high, below[k].high)};
            }
            out->box[out->first[l] + i] = all;
        }
    }
    return LIM_OK;
}

static lim_result list_make(arena* a, int32_t room, see_list* out) {
    *out = (see_list){.of = ARENA_ROOM(a, const hider*, room)};
    float* bound = ARENA_ROOM(a, float, 6 * (size_t)room);
    LIM_TRY_MEMORY(out->of);
    LIM_TRY_MEMORY(bound);
    for (int k = 0; k < 6; ++k) {
        out->bound[k] = bound + (size_t)k * (size_t)room;
    }
    return LIM_OK;
}

lim_result see_make(arena* a, const see_screen* s, see_place* out) {
    *out = (see_place){.side = ARENA_ROOM(a, int8_t, s->count[0]),
                       .met = ARENA_ROOM(a, int32_t, s->count[0])};
    LIM_TRY_MEMORY(out->side);
    LIM_TRY_MEMORY(out->met);
    return list_make(a, s->count[0], &out->list);
}

static void put(see_list* l, const hider* of, const see_box* box) {
    const float bound[6] = {box->low.x,  box->low.y,  box->low.z,
                            box->high.x, box->high.y, box->high.z};
    for (int k = 0; k < 6; ++k) {
        l->bound[k][l->count] = bound[k];
    }
    l->of[l->count++] = of;
}

void see_gather(see_place* v, const see_screen* s, lim_point from, lim_point to) {
    struct {
        int32_t level, first;
    } stack[STACK];
    lim_vec3 low = v3_of(from), high = v3_of(to);
    int top = 0;
    v->list.count = 0;
    v->last = -1;
    stack[top].level = s->levels - 1;
    stack[top++].first = 0;
    while (top > 0 && s->levels > 0) {
        int32_t level = stack[--top].level, begin = stack[top].first;
        const see_box* box = s->box + s->first[level];
        int32_t end = begin + FAN < s->count[level] ? begin + FAN : s->count[level];
        for (int32_t i = begin; i < end; ++i) {
            if (!meets(&box[i], low, high)) {
                continue;
            }
            if (level == 0) {
                put(&v->list, &s->item[i], &box[i]);
            } else {
                stack[top].level = level - 1;
                stack[top++].first = FAN * i;
            }
        }
    }
}

void see_choose(see_place* v, const see_list* list, lim_point low, lim_point high) {
    find_met(list, v3_of(low), v3_of(high), v->met);
    v->list.count = 0;
    v->last = -1;
    for (int32_t i = 0; i < list->count; ++i) {
        if (v->met[i]) {
            for (int k = 0; k < 6; ++k) {
                v->list.bound[k][v->list.count] = list->bound[k][i];
            }
            v->list.of[v->list.count++] = list->of[i];
        }
    }
}

lim_result see_keep(arena* a, const see_place* v, see_list* out) {
    size_t n = (size_t)v->list.count;
    LIM_TRY(list_make(a, v->list.count, out));
    out->count = v->list.count;
    for (int k = 0; k < 6; ++k) {
        memcpy(out->bound[k], v->list.bound[k], n * sizeof(float));
    }
    memcpy(out->of, v->list.of, n * sizeof *out->of);
    return LIM_OK;
}

void see_stand(see_place* v, lim_point from) {
    v->from = from;
    memset(v->side, SEE_UNASKED, (size_t)v->list.count);
}

static bool hides(see_place* v, int32_t i, lim_point to) {
    const hider* of = v->list.of[i];
    v->side[i] = v->side[i] == SEE_UNASKED ? (int8_t)side_of(of, v->from) : v->side[i];
    int side = v->side[i] != 0 ? side_of(of, to) : 0;
    return side != 0 ? side != v->side[i] && grid_line_passes(of->corner, v->from, to)
                     : grid_segment_crosses(of->corner, v->from, to);
}

/* What hid the last thing that was asked for may well hide this one. */
bool see_clear(see_place* v, lim_point to) {
    if (v->last >= 0 && hides(v, v->last, to)) {
        return false;
    }
    find_met(&v->list, v3_of(p3_min(v->from, to)), v3_of(p3_max(v->from, to)), v->met);
    for (int32_t i = 0; i < v->list.count; ++i) {
        if (v->met[i] && hides(v, i, to)) {
            v->last = i;
            return false;
        }
    }
    return true;
}
