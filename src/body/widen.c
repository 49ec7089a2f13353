/* SPDX-License-Identifier: MIT
 * Job: find how wide regions must be. In: a wished modulus, density and step, and what regions of
 * some widths give. Out: a width per component. A search by building: the modulus grows with the
 * variance of the regions, w (w + 1) / 3 cells for a half-width of w, but less where a region ends
 * with the material, so a guess from the variance comes first and halving after it.
 */
#include "body/widen.h"

#include "base/log.h"

enum { LEVEL_STEPS = 4 }; /* of a level of the octree: blending knows sixteenths (region/blend.c) */

/* What a step is, in square cells: of a lattice 2 w + 1 nodes in a row; of the octree (4^n - 1) / 4
 * for n levels, and a mixture between two. */
static double variance_of(const widening* w, int32_t step) {
    if (w->lattice) {
        return (double)step * (step + 1.0) / 3.0;
    }
    double low = 0.75, part = (double)(step % LEVEL_STEPS) / (double)LEVEL_STEPS;
    for (int32_t n = 0; n < step / LEVEL_STEPS; ++n) {
        low = 4.0 * low + 0.75;
    }
    return low + part * (3.0 * low + 0.75);
}

/* The half-width with this variance, in cells. */
static double width_of(const widening* w, int32_t step) {
    return 0.5 * (sqrt(1.0 + 12.0 * variance_of(w, step)) - 1.0);
}

/* The longest side of each component's bounds, in finest cells. */
static void measure_parts(const topology* t, double (*box)[6], double* out) {
    for (int32_t c = 0; c < t->component_count; ++c) {
        for (int k = 0; k < 3; ++k) {
            box[c][k] = INFINITY;
            box[c][3 + k] = -INFINITY;
        }
    }
    for (int32_t i = 0; i < t->slot_count; ++i) {
        double half = t->kind->nodes == LIM_NODES_AT_CORNERS ? 0.0 : 0.5 * (double)t->side[i];
        for (int k = 0; k < 3 && t->slot_node[i] >= 0; ++k) {
            double* at = box[t->slot_component[i]];
            double x = (double)t->centre[k][i];
            at[k] = x - half < at[k] ? x - half : at[k];
            at[3 + k] = x + half > at[3 + k] ? x + half : at[3 + k];
        }
    }
    for (int32_t c = 0; c < t->component_count; ++c) {
        for (int k = 0; k < 3; ++k) {
            double side = (box[c][3 + k] - box[c][k]) / (double)t->cell;
            out[c] = side > out[c] ? side : out[c];
        }
    }
}

/* A level whose tents reach over the whole piece from anywhere in it, at most the root. */
static int32_t most_steps(const topology* t, double cells) {
    int32_t n = 1;
    while (n < t->levels && (double)((int64_t)1 << n) < 2.0 * cells) {
        ++n;
    }
    return LEVEL_STEPS * (n - 1);
}

static void begin_part(const widening* w, const topology* t, double cells, widen_part* out) {
    int32_t first = 0, most;
    if (w->lattice) {
        int32_t whole = (int32_t)(cells + 0.5);
        first = (int32_t)w->given_width;
        most = whole < BOX_WIDTH_MOST ? whole : BOX_WIDTH_MOST;
    } else {
        most = most_steps(t, cells);
        while (first < most && width_of(w, first + 1) <= (double)w->given_width) {
            ++first;
        }
    }
    most = most > first ? most : first;
    *out = (widen_part){.first = first,
                        .most = most,
                        .low = first - 1,
                        .high = most + 1,
                        .at = first,
                        .open = true};
}

/* alpha = E h^2 / (rho sigma^2): where the material is softer or heavier, narrower regions do, by
 * the root of the factors over the largest in the component. */
static lim_result find_narrower(arena* a, const topology* t, widening* w) {
    if (w->lattice || (t->stiffness == NULL && t->mass == t->volume)) {
        return LIM_OK;
    }
    w->narrower = ARENA_ARRAY(a, float, t->slot_count);
    float* largest = ARENA_ARRAY(a, float, t->component_count);
    LIM_TRY_MEMORY(w->narrower);
    LIM_TRY_MEMORY(largest);
    for (int32_t i = 0; i < t->slot_count; ++i) {
        if (t->slot_node[i] >= 0) {
            float factor = t->stiffness != NULL ? t->stiffness[i] : 1.0f;
            float* most = largest + t->slot_component[i];
            w->narrower[i] = t->mass[i] > 0.0f ? factor * t->volume[i] / t->mass[i] : factor;
            *most = w->narrower[i] > *most ? w->narrower[i] : *most;
        }
    }
    for (int32_t i = 0; i < t->slot_count; ++i) {
        if (t->slot_node[i] >= 0) {
            w->narrower[i] = sqrtf(w->narrower[i] / largest[t->slot_component[i]]);
        }
    }
    return LIM_OK;
}

/* Clusters of points have no width, and interval regions are for comparisons with what is printed.
 */
static bool can_widen(const topology* t, const lim_model_desc* desc) {
    return desc->young > 0.0f &&
           (t->kind->regions == REGIONS_HOPS ||
            (t->kind->regions == REGIONS_TREE && desc->regions == LIM_REGIONS_BLENDED));
}

lim_result widen_begin(arena* a, const topology* t, const lim_model_desc* desc, widening* out) {
    *out = (widening){.lattice = t->kind->regions == REGIONS_HOPS,
                      .as_given = -1.0,
                      .given_width = t->region_width};
    if (!can_widen(t, desc)) {
        return LIM_OK;
    }
    out->material = (match_material){.young = (double)desc->young,
                                     .density = (double)desc->density,
                                     .scale = t->unit,
                                     .at_surface = t->kind->nodes != LIM_NODES_IN_CELLS};
    out->h = (double)desc->step / (double)MATCH_SUBSTEPS;
    out->part = ARENA_ARRAY(a, widen_part, t->component_count);
    out->share = ARENA_ARRAY(a, double, 2 * (size_t)t->component_count);
    double* cells = ARENA_ARRAY(a, double, t->component_count);
    double(*box)[6] = arena_alloc(a, (size_t)t->component_count, sizeof *box);
    LIM_TRY_MEMORY(out->part);
    LIM_TRY_MEMORY(out->share);
    LIM_TRY_MEMORY(cells);
    LIM_TRY_MEMORY(box);
    out->count = t->component_count;
    measure_parts(t, box, cells);
    for (int32_t c = 0; c < out->count; ++c) {
        begin_part(out, t, cells[c], &out->part[c]);
    }
    return find_narrower(a, t, out);
}

bool widen_searching(const widening* w) {
    for (int32_t c = 0; c < w->count; ++c) {
        if (w->part[c].open) {
            return true;
        }
    }
    return false;
}

/* The first step whose variance would do, if regions were as large everywhere as in the middle of
 * the material; of the octree a whole level, as narrow regions in a mixture fall short. */
static int32_t guess(const widening* w, const widen_part* p, double share) {
    int32_t by = w->lattice ? 1 : LEVEL_STEPS, step = p->low / by * by + by;
    double wanted = variance_of(w, p->low) * MATCH_ENOUGH / share;
    while (step < p->most && variance_of(w, step) < wanted) {
        step += by;
    }
    return step < p->most ? step : p->most;
}

static void judge_part(const widening* w, widen_part* p, double share) {
    if (share >= MATCH_ENOUGH) {
        p->high = p->at;
    } else {
        p->low = p->at;
    }
    bool any_will_do = p->high <= p->most;
    p->open = p->high > p->low + 1 && p->high > p->first && p->low < p->most;
    if (p->open) {
        p->at = any_will_do ? (p->low + p->high) / 2 : guess(w, p, share);
    } else {
        p->at = any_will_do ? p->high : p->most;
    }
}

void widen_judge(widening* w, const topology* trial) {
    if (w->as_given < 0.0) {
        w->as_given = match_share(&trial->regions, &w->material, w->h);
    }
    match_component_shares(&trial->regions, &w->material, w->h, trial->region_component, w->count,
                           w->share);
    for (int32_t c = 0; c < w->count; ++c) {
        if (w->part[c].open) {
            judge_part(w, &w->part[c], w->share[2 * (size_t)c]);
        }
    }
}

float widen_slot(const widening* w, const topology* t, int32_t slot) {
    const widen_part* p = w->count > 0 ? &w->part[t->slot_component[slot]] : NULL;
    if (p == NULL || p->at == p->first) {
        return 0.0f;
    }
    float width = (float)(width_of(w, p->at) * (double)t->cell);
    return w->narrower != NULL ? w->narrower[slot] * width : width;
}

int32_t widen_hops(const widening* w, int32_t number) {
    return w->count > 0 ? w->part[number].at : (int32_t)w->given_width;
}

float widen_finish(const widening* w, const topology* t, const lim_host* host) {
    double widest = (double)w->given_width;
    bool wider = false;
    for (int32_t c = 0; c < w->count; ++c) {
        const widen_part* p = &w->part[c];
        double width = p->at > p->first ? width_of(w, p->at) : 0.0;
        wider = wider || p->at > p->first;
        widest = width > widest ? width : widest;
    }
    if (wider) {
        double young = w->material.young, share = match_share(&t->regions, &w->material, w->h);
        log_say(host, LIM_LOG_INFO,
                "lim_model_create: regions of %.3g cells in place of %.3g: a modulus of %.3g Pa is "
                "asked for, and %d substeps of %.3g s give %.3g Pa in place of %.3g",
                widest, (double)w->given_width, young, MATCH_SUBSTEPS, w->h, share * young,
                w->as_given * young);
    }
    return (float)widest;
}
