/* SPDX-License-Identifier: MIT
 * Job: find overlapping boxes. In: boxes in double. Out: a tree of boxes in float, rounded
 * outwards, and for a box all that it overlaps. May name a few that miss it by a rounding.
 */
#include "contact/boxes.h"

void boxes_free(boxes* b, const lim_host* host) {
    ARRAY_FREE(host, &b->order);
    ARRAY_FREE(host, &b->spare);
    ARRAY_FREE(host, &b->group);
}

/* Groups of all levels for so many boxes. */
static int32_t layout(int32_t count, int32_t first[SURFACE_LEVELS], int32_t* levels) {
    int32_t total = 0;
    *levels = 0;
    for (int32_t n = count / 8 + (count % 8 != 0); n > 0 && *levels < SURFACE_LEVELS;
         n = n == 1 ? 0 : n / 8 + (n % 8 != 0)) {
        first[(*levels)++] = total;
        total += n;
    }
    return total;
}

lim_result boxes_reserve(boxes* b, const lim_host* host, int32_t count) {
    int32_t first[SURFACE_LEVELS], levels;
    bool room = ARRAY_RESERVE(host, &b->order, count) && ARRAY_RESERVE(host, &b->spare, count) &&
                ARRAY_RESERVE(host, &b->group, layout(count, first, &levels));
    return room ? LIM_OK : LIM_ERROR_MEMORY;
}

static bool is_box(const lim_box* box) {
    return p3_finite(box->lower) && p3_finite(box->upper) && box->lower.x <= box->upper.x &&
           box->lower.y <= box->upper.y && box->lower.z <= box->upper.z;
}

static lim_point middle_of(const lim_box* box) {
    return p3_scale(p3_add(box->lower, box->upper), 0.5);
}

/* 20 bits of each coordinate, in turns. */
static uint64_t curve_key(lim_point at, double size) {
    const double x[3] = {at.x, at.y, at.z};
    uint64_t key = 0;
    for (int k = 0; k < 3; ++k) {
        double share = (x[k] / size + 0.5) * 1048576.0;
        uint32_t cell = share > 0.0 ? (share < 1048575.0 ? (uint32_t)share : 1048575u) : 0u;
        for (int bit = 0; bit < 20; ++bit) {
            key |= (uint64_t)(cell >> bit & 1u) << (3 * bit + k);
        }
    }
    return key;
}

/* Outwards by more than the rounding to float. */
static float below(double x) {
    return (float)(x - 1e-6 * fabs(x) - 1e-30);
}
static float above(double x) {
    return (float)(x + 1e-6 * fabs(x) + 1e-30);
}

static void set_box(surface_group* g, int place, const lim_box* box, lim_point origin) {
    lim_point low = p3_sub(box->lower, origin), high = p3_sub(box->upper, origin);
    const double from[3] = {low.x, low.y, low.z}, to[3] = {high.x, high.y, high.z};
    for (int k = 0; k < 3; ++k) {
        g->low[k][place] = below(from[k]);
        g->high[k][place] = above(to[k]);
    }
}

static void set_nothing(surface_group* g, int place) {
    for (int k = 0; k < 3; ++k) {
        g->low[k][place] = HUGE_VALF;
        g->high[k][place] = -HUGE_VALF;
    }
}

static void sort_boxes(boxes* b, const lim_box* box, int32_t count) {
    lim_point low = p3(HUGE_VAL, HUGE_VAL, HUGE_VAL), high = p3_scale(low, -1.0);
    for (int32_t i = 0; i < count; ++i) {
        if (is_box(&box[i])) {
            lim_point at = middle_of(&box[i]);
            low = p3_min(low, at);
            high = p3_max(high, at);
        }
    }
    b->count = 0;
    b->origin = p3(0, 0, 0);
    if (low.x <= high.x) {
        b->origin = p3_scale(p3_add(low, high), 0.5);
        lim_point side = p3_sub(high, low);
        double size = fmax(fmax(side.x, side.y), fmax(side.z, 1e-9));
        for (int32_t i = 0; i < count; ++i) {
            if (is_box(&box[i])) {
                uint64_t key = curve_key(p3_sub(middle_of(&box[i]), b->origin), size);
                b->order.data[b->count++] = (sort_item){.key = key, .value = i};
            }
        }
    }
    sort_items(b->order.data, b->spare.data, b->count);
}

void boxes_build(boxes* b, const lim_box* box, int32_t count) {
    sort_boxes(b, box, count);
    layout(b->count, b->first, &b->levels);
    int32_t groups = b->count / 8 + (b->count % 8 != 0);
    for (int32_t i = 0; i < 8 * groups; ++i) {
        surface_group* g = &b->group.data[i / 8];
        if (i < b->count) {
            set_box(g, i % 8, &box[b->order.data[i].value], b->origin);
        } else {
            set_nothing(g, i % 8);
        }
    }
    for (int32_t level = 1; level < b->levels; ++level) {
        int32_t parents = groups / 8 + (groups % 8 != 0);
        for (int32_t i = 0; i < 8 * parents; ++i) {
            surface_group* to = &b->group.data[b->first[level] + i / 8];
            if (i < groups) {
                surface_group_around(&b->group.data[b->first[level - 1] + i], to, i % 8);
            } else {
                set_nothing(to, i % 8);
            }
        }
        groups = parents;
    }
}

typedef struct overlap_query {
    const boxes* b;
    float low[3], high[3];
    int32_t *out, capacity, found;
} overlap_query;

static bool overlaps(const overlap_query* q, const surface_group* g, int place) {
    bool meets = true;
    for (int k = 0; k < 3; ++k) {
        meets = meets && g->low[k][place] <= q->high[k] && g->high[k][place] >= q->low[k];
    }
    return meets;
}

static void visit(overlap_query* q, int32_t level, int32_t index) {
    const surface_group* g = &q->b->group.data[q->b->first[level] + index];
    for (int place = 0; place < 8; ++place) {
        if (!overlaps(q, g, place)) {
            continue;
        }
        if (level > 0) {
            visit(q, level - 1, 8 * index + place);
            continue;
        }
        if (q->found < q->capacity) {
            q->out[q->found] = q->b->order.data[8 * index + place].value;
        }
        q->found++;
    }
}

int32_t boxes_overlapping(const boxes* b, lim_box box, int32_t* out, int32_t capacity) {
    if (b->levels == 0 || !is_box(&box)) {
        return 0;
    }
    overlap_query q = {.b = b, .out = out, .capacity = capacity};
    surface_group own;
    set_box(&own, 0, &box, b->origin);
    for (int k = 0; k < 3; ++k) {
        q.low[k] = own.low[k][0];
        q.high[k] = own.high[k][0];
    }
    visit(&q, b->levels - 1, 0);
    return q.found;
}
