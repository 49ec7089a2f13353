/* SPDX-License-Identifier: MIT
 * Job: which patches of two bodies, or of one, may come near each other in this step. In: where
 * their points are. Out: marks on the patches that ask and on those that are asked about.
 */
#include "contact/pair_query.h"

/* Contacts that may come about are kept from this share of a cell on. */
#define NEAR_CELLS 0.05f
/* What may come this many cells nearer in a step is fast. */
#define FAST 0.5f

/* ---- how near ----------------------------------------------------------------------------------
 */

float pair_way_along(const pair_side* a, const pair_side* b, float closing, double dt) {
    float way = 1.25f * fmaxf(closing, 0.0f) + 0.25f * (a->spread + b->spread);
    return way * (float)dt + NEAR_CELLS * a->cell;
}

static float way_of(const pair_side* a, const pair_side* b, double dt) {
    float closing = v3_length(v3_sub(a->velocity, b->velocity)) + a->spread + b->spread;
    return closing * (float)dt;
}

pair_reach pair_reach_of(const pair_side* a, const pair_side* b, double dt) {
    /* Behind the surface half a cell of the larger kind, and in fast steps up to a whole one, but
     * not through a body, nor of a body's own, whose far side is near. */
    float cell = fmaxf(a->cell, b->cell), way = way_of(a, b, dt);
    float deep = a == b || way < 0.5f * cell ? 0.5f * cell : fminf(way, cell);
    deep = fminf(deep, 0.5f * fminf(a->extent, b->extent));
    return (pair_reach){way + NEAR_CELLS * a->cell, deep, pair_way_along(a, b, 0.0f, dt)};
}

bool pair_is_fast(const pair_side* a, const pair_side* b, double dt) {
    return way_of(a, b, dt) > FAST * a->cell;
}

pair_query pair_query_of(pair_list* list, const pair_side* a, const pair_side* b, double dt,
                         const pair_self* self, isa set) {
    return (pair_query){.kernels = felt_kernels_for(set),
                        .list = list,
                        .a = a,
                        .b = b,
                        .self = self,
                        .from_b = v3_of(p3_sub(b->shape.origin, a->shape.origin)),
                        .way = v3_scale(v3_sub(a->velocity, b->velocity), (float)dt),
                        .reach = pair_reach_of(a, b, dt),
                        .dt = dt};
}

felt_asker pair_asker_of(const pair_query* q, surface_box box) {
    float reach = fmaxf(q->reach.near, q->reach.deep);
    lim_vec3 wide = v3(reach, reach, reach);
    box = surface_box_swept(box, q->way);
    surface_box bare = {v3_sub(box.low, q->from_b), v3_sub(box.high, q->from_b)};
    return (felt_asker){.box = {v3_sub(bare.low, wide), v3_add(bare.high, wide)},
                        .bare = bare,
                        .cone = SURFACE_ANY,
                        .reach = q->reach.near};
}

void pair_asker_looks(felt_asker* asker, const surface_looks* of, int lane) {
    asker->look = v3(of->x[lane], of->y[lane], of->z[lane]);
    asker->cone = of->cone[lane];
}

felt_view pair_view_of(const pair_query* q) {
    float wide = (1.0f + SURFACE_ROUNDING) * fmaxf(q->reach.near, q->reach.deep);
    return (felt_view){q->from_b, v3_scale(q->way, -1.0f), wide};
}

/* ---- a body and itself --------------------------------------------------------------------------
 */

/* Whether two nodes are of pieces of one component, which meet as bodies do. */
static bool are_pieces(const pair_query* q, int32_t node, int32_t other) {
    const int32_t *of = q->b->nodes.slot_component, *origin = q->self->origin;
    return origin != NULL && of[node] != of[other] && origin[of[node]] == origin[of[other]];
}

int32_t pair_leave_beside(const pair_query* q, int32_t asks, int32_t* list, int32_t count) {
    const int32_t* node = q->b->shape.net->patch_node;
    int32_t *beside = q->list->beside.data, own = node[asks], kept = 0;
    if (count > 0 && beside[own] != own + 1) {
        for (int32_t k = q->self->offset[own]; k < q->self->offset[own + 1]; ++k) {
            beside[q->self->slot[k]] = own + 1;
        }
    }
    for (int32_t k = 0; k < count; ++k) {
        int32_t entry = list[k];
        for (int i = 0; i < 8; ++i) {
            int32_t other = (entry >> i & 1) != 0 ? node[8 * (entry >> 8) + i] : own;
            if (beside[other] == own + 1 || are_pieces(q, own, other)) {
                entry &= ~(1 << i);
            }
        }
        if ((entry & 0xFF) != 0) {
            list[kept++] = entry;
        }
    }
    return kept;
}

/* ---- who is wanted ------------------------------------------------------------------------------
 */

unsigned pair_askers(const pair_query* q, int32_t group) {
    const surface_shape *s = &q->a->shape, *b = &q->b->shape;
    if (!(s->feel_box[group].low.x <= s->feel_box[group].high.x)) {
        return 0; /* nobody feels there */
    }
    if (q->self != NULL) {
        return 0xFF;
    }
    /* Who is inside is not beyond a slab. */
    felt_view view = pair_view_of(q);
    view.wide = q->reach.near;
    return q->kernels->within(&s->feel[group], &b->slabs, &view);
}

bool pair_are_apart(const pair_query* q) {
    const surface_slabs *a = &q->a->shape.slabs, *b = &q->b->shape.slabs;
    bool apart = false;
    for (int k = 0; k < SURFACE_AXES; ++k) {
        lim_vec3 axis = surface_axis(k);
        float shift = v3_dot(axis, q->from_b), way = v3_dot(axis, q->way);
        apart = apart || a->low[k] + fminf(way, 0.0f) > b->high[k] + shift + q->reach.near ||
                a->high[k] + fmaxf(way, 0.0f) < b->low[k] + shift - q->reach.near;
    }
    return apart;
}

/* Those that lists tell of, or else all. */
static bool ask_itself(const pair_side* a, const pair_kept* kept, surface_box* out) {
    int32_t count = a->shape.net->patch_count;
    bool some = kept != NULL && kept->holds;
    for (int32_t i = 0; i < count; ++i) {
        a->shape.wanted[i] |= some ? kept->wanted.data[i] : 1;
    }
    *out = surface_box_none();
    return !some || kept->asks.count > 0;
}

bool pair_ask_other(const pair_query* q, surface_box* out) {
    const pair_side *a = q->a, *b = q->b;
    surface_box all = surface_box_none();
    for (int32_t i = 0; i < a->shape.net->group_count; ++i) {
        unsigned bits = pair_askers(q, i);
        for (int k = 0; bits >> k != 0; ++k) {
            surface_box box = surface_get_box(&a->shape.feel[i], k);
            if ((bits >> k & 1u) != 0 && box.low.x <= box.high.x) {
                a->shape.wanted[8 * i + k] = 1;
                all.low = v3_min(all.low, box.low);
                all.high = v3_max(all.high, box.high);
            }
        }
    }
    /* triangles reach beyond the points of a patch by a side at most */
    float far = fmaxf(q->reach.near, q->reach.deep) + b->shape.stretch * b->shape.net->longest;
    if (pair_is_fast(a, b, q->dt)) {
        far += a->cell; /* nodes behind the surface ask too */
    }
    all = surface_box_swept(all, q->way);
    lim_vec3 wide = v3(far, far, far);
    out->low = v3_sub(v3_sub(all.low, q->from_b), wide);
    out->high = v3_add(v3_sub(all.high, q->from_b), wide);
    return all.low.x <= all.high.x;
}

bool pair_is_apart(const pair_side* a, const pair_side* b, double dt, isa set) {
    pair_query q = pair_query_of(NULL, a, b, dt, NULL, set);
    return pair_are_apart(&q);
}

bool pair_ask(const pair_side* a, const pair_side* b, double dt, const pair_self* self, isa set,
              surface_box* out) {
    if (self != NULL) {
        return ask_itself(a, self->kept, out);
    }
    pair_query q = pair_query_of(NULL, a, b, dt, NULL, set);
    return pair_ask_other(&q, out);
}

void pair_answer(pair_side* b, surface_box asked) {
    for (int32_t i = 0; i < b->shape.net->group_count; ++i) {
        surface_group goes = b->shape.tight[i];
        for (int axis = 0; axis < 3; ++axis) {
            for (int k = 0; k < 8; ++k) {
                float way = b->shape.way[i].along[axis][k];
                goes.low[axis][k] += way < 0.0f ? way : 0.0f;
                goes.high[axis][k] += way > 0.0f ? way : 0.0f;
            }
        }
        unsigned bits = surface_overlaps(&goes, &asked);
        for (int k = 0; bits >> k != 0; ++k) {
            if ((bits >> k & 1u) != 0) {
                b->shape.wanted[8 * i + k] = 1;
            }
        }
    }
}
