/* SPDX-License-Identifier: MIT
 * Job: lists of patches of a body that are near others of it, kept over steps. In: where its nodes
 * are. Out: whether the lists still hold, or new ones.
 *
 * A point is x(X) = X + sum_k w_k (d_k + B_k (X - x0_k)), so since the lists were made it has moved
 * by at most max_k |delta d_k| + |delta B_k| |X - x0_k|, and by no more against other points than
 * twice that, whatever common way is taken off all d_k first. The middle of where delta d lie is
 * such a way.
 */
#include "contact/pair_kept.h"

#include "contact/pair_query.h"

#include <string.h>

/* How much farther than points look patches are listed, in finest cells: more after lists that did
 * not hold for FEW steps, less when they do for MANY. */
#define MARGIN_LEAST 0.25f
#define MARGIN_MOST  0.5f
enum { FEW = 4, MANY = 32 };
/* Of both sides of a comparison: what rounding may do to places. */
#define ROUNDING 1e-4f
/* How long to do without lists after some of the largest margin that did not hold for FEW. */
enum { PAUSE = 8 };
/* Floats per slot of what was then. */
enum { WAS = 12 };

void pair_kept_free(pair_kept* kept, const lim_host* host) {
    ARRAY_FREE(host, &kept->was);
    ARRAY_FREE(host, &kept->asks);
    ARRAY_FREE(host, &kept->begin);
    ARRAY_FREE(host, &kept->list);
    ARRAY_FREE(host, &kept->wanted);
    ARRAY_FREE(host, &kept->triangle);
}

lim_result pair_kept_reserve(pair_kept* kept, const lim_host* host, int32_t slots,
                             const surface_net* net) {
    int32_t patches = net->patch_count;
    int64_t list = kept->list_wanted > patches ? kept->list_wanted : patches;
    list = list > kept->list.capacity ? list + list / 2 : list;
    bool room = ARRAY_RESERVE(host, &kept->was, WAS * (int64_t)slots) &&
                ARRAY_RESERVE(host, &kept->asks, patches) &&
                ARRAY_RESERVE(host, &kept->begin, (int64_t)patches + 1) &&
                ARRAY_RESERVE(host, &kept->wanted, patches) &&
                ARRAY_RESERVE(host, &kept->triangle, net->triangle_count) &&
                ARRAY_RESERVE(host, &kept->list, list);
    return room ? LIM_OK : LIM_ERROR_MEMORY;
}

/* ---- whether they hold --------------------------------------------------------------------------
 */

/* How far any point may have moved since, beside a common way; metres. Not a number where a place
 * is none. */
static float moved_since(const pair_kept* kept, const pair_side* s) {
    const node_state* n = &s->nodes;
    lim_vec3 low = v3(HUGE_VALF, HUGE_VALF, HUGE_VALF), high = v3_scale(low, -1.0f);
    float turned = 0.0f, sum = 0.0f;
    for (int32_t i = 0; i < n->padded; ++i) {
        const float *was = kept->was.data + WAS * (size_t)i, *affine = n->affine + 16 * (size_t)i;
        lim_vec3 by = v3(n->d[0][i] - was[0], n->d[1][i] - was[1], n->d[2][i] - was[2]);
        float square = 0.0f;
        for (int k = 0; k < 9; ++k) {
            float change = affine[k] - was[3 + k];
            square += change * change;
        }
        sum += by.x + by.y + by.z;
        if (n->mass[i] > 0.0f) {
            low = v3_min(by, low);
            high = v3_max(by, high);
        }
        turned = square > turned ? square : turned;
        sum += square;
    }
    float way = 0.5f * v3_length(v3_sub(high, low)) + sqrtf(turned) * s->arm;
    return isfinite(sum) ? way * (float)s->scale : HUGE_VALF;
}

static float far_of(const pair_side* s, double dt) {
    pair_reach reach = pair_reach_of(s, s, dt);
    surface_query query = {.reach = reach.out, .deep = reach.deep};
    return surface_far(&s->shape, &query);
}

/* What the next lists should be like, after some that have been good for so many steps. */
static void learn(pair_kept* kept) {
    if (kept->used >= FEW) {
        return;
    }
    kept->pause = kept->margin < MARGIN_MOST ? 0 : PAUSE;
    kept->margin = fminf(2.0f * kept->margin, MARGIN_MOST);
}

void pair_kept_check(pair_kept* kept, const pair_side* side, double dt) {
    bool known = kept->known;
    if (known && kept->used >= MANY && kept->margin > MARGIN_LEAST) {
        kept->margin = fmaxf(0.5f * kept->margin, MARGIN_LEAST); /* shorter ones will do */
        known = false;
    }
    float way = known ? far_of(side, dt) + 2.0f * moved_since(kept, side) : HUGE_VALF;
    kept->holds = (1.0f + ROUNDING) * way <= kept->radius;
    kept->used += kept->holds;
    kept->pause -= kept->pause > 0;
    if (known && !kept->holds) {
        learn(kept);
    }
    kept->known = kept->holds;
}

/* ---- new ones -----------------------------------------------------------------------------------
 */

static void note_places(pair_kept* kept, const pair_side* s) {
    const node_state* n = &s->nodes;
    for (int32_t i = 0; i < n->padded; ++i) {
        float* was = kept->was.data + WAS * (size_t)i;
        for (int k = 0; k < 3; ++k) {
            was[k] = n->d[k][i];
        }
        memcpy(was + 3, n->affine + 16 * (size_t)i, 9 * sizeof(float));
    }
}

/* The patches near one that asks: their number of entries, which may be more than there is room
 * for. groups: those near its group; `near`: scratch. */
static void add_near(pair_kept* kept, const pair_query* q, int32_t patch, const int32_t* groups,
                     int32_t group_count, int32_t* near) {
    const surface_shape* s = &q->a->shape;
    surface_box box = surface_get_box(&s->feel[patch / 8], patch % 8);
    int32_t count = q->kernels->near(s->tight, box, kept->radius, groups, group_count, near);
    count = pair_leave_beside(q, patch, near, count);
    kept->list_wanted += count;
    if (count == 0 || kept->list_wanted > kept->list.capacity) {
        return;
    }
    kept->asks.data[kept->asks.count] = patch;
    kept->begin.data[kept->asks.count++] = kept->list.count;
    memcpy(kept->list.data + kept->list.count, near, (size_t)count * sizeof(int32_t));
    kept->list.count += count;
    kept->wanted.data[patch] = 1;
    for (int32_t k = 0; k < count; ++k) {
        for (int i = 0; i < 8; ++i) {
            if ((near[k] >> i & 1) != 0) {
                kept->wanted.data[8 * (near[k] >> 8) + i] = 1;
            }
        }
    }
}

static void list_triangles(pair_kept* kept, const surface_net* net) {
    kept->triangle.count = 0;
    for (int32_t i = 0; i < net->triangle_count; ++i) {
        const int32_t *corner = net->corner + 3 * (size_t)i, *patch = net->point_patch;
        const uint8_t* wanted = kept->wanted.data;
        if (wanted[patch[corner[0]]] || wanted[patch[corner[1]]] || wanted[patch[corner[2]]]) {
            kept->triangle.data[kept->triangle.count++] = i;
        }
    }
}

void pair_kept_make(pair_kept* kept, const pair_query* q) {
    const surface_shape* s = &q->a->shape;
    if (kept->pause > 0 || q->a->nodes.component_count != 1) {
        return;
    }
    kept->margin = fmaxf(kept->margin, MARGIN_LEAST);
    kept->radius = (far_of(q->a, q->dt) + kept->margin * q->a->cell) * (1.0f + ROUNDING);
    kept->asks.count = kept->list.count = kept->list_wanted = kept->used = 0;
    memset(kept->wanted.data, 0, (size_t)s->net->patch_count);
    lim_vec3 wide = v3(kept->radius, kept->radius, kept->radius);
    int32_t* groups = q->list->patch.data;
    for (int32_t i = 0; i < s->net->group_count; ++i) {
        surface_box box = s->feel_box[i];
        if (!(box.low.x <= box.high.x)) {
            continue; /* nobody feels there */
        }
        box = (surface_box){v3_sub(box.low, wide), v3_add(box.high, wide)};
        felt_asker asker = {.box = box, .bare = box, .cone = SURFACE_ANY, .reach = SURFACE_ANY};
        int32_t count = q->kernels->groups(&s->tree, &asker, groups);
        for (int32_t p = 8 * i; p < 8 * i + 8 && p < s->net->patch_count; ++p) {
            if (s->net->patch_feel[p] < s->net->patch_feel[p + 1]) {
                add_near(kept, q, p, groups, count, groups + count);
            }
        }
    }
    kept->begin.data[kept->asks.count] = kept->list.count;
    kept->known = kept->list_wanted <= kept->list.capacity;
    list_triangles(kept, s->net);
    note_places(kept, q->a);
}
