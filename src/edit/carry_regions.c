/* SPDX-License-Identifier: MIT
 * Job: carry what regions remember. In: which new nodes are made of which old ones, a body, and the
 * new one with its places and gains. Out: rotations, plastic strain, stiffness.
 */
#include "edit/carry_regions.h"

#include "match/match_some.h"
#include "math/trig.h"

#include <string.h>

/* ---- stiffness --------------------------------------------------------------------------------
 */

/* Mean by shared mass, which is by volume where density is even. */
static float mean_factor(const carry_overlap* o, int32_t slot, const float* factor) {
    double sum = 0.0, mass = 0.0;
    for (int32_t e = o->first[slot]; e < o->first[slot + 1]; ++e) {
        sum += o->mass[e] * (double)factor[o->old[e]];
        mass += o->mass[e];
    }
    return mass > 0.0 ? (float)(sum / mass) : 1.0f;
}

lim_result carry_stiffness(arena* scratch, const carry_overlap* o, const body* from, body* to) {
    const topology* t = o->after;
    if (!from->own_stiffness) {
        return LIM_OK; /* the model's, as it was made */
    }
    for (int32_t i = 0; i < t->slot_count; ++i) {
        bool alone = o->kept[i] >= 0 || carry_is_within(o, i);
        to->stiffness[i] = o->source[i] < 0 ? 1.0f
                           : alone          ? from->stiffness[o->source[i]]
                                            : mean_factor(o, i, from->stiffness);
    }
    region_nodes nodes = topology_nodes(t);
    LIM_TRY(regions_mean(scratch, &nodes, &t->charts, &t->net, t->regions.box > 0 ? &t->box : NULL,
                         t->inv_weight, to->stiffness, &t->regions, to->region_stiffness));
    to->own_stiffness = true;
    return LIM_OK;
}

/* ---- which region was which -------------------------------------------------------------------
 */

static int32_t region_record(const topology* t, int32_t region) {
    return t->net.first[t->net.layers - 1] + region - t->regions.box;
}

/* A node that weighs much in a region that is nobody's seed: down the heaviest inputs. */
static int32_t heavy_member(const topology* t, int32_t region) {
    const net* n = &t->net;
    int32_t record = region_record(t, region);
    while (record >= n->node_count) {
        int32_t best = n->forward_offset[record];
        for (int32_t e = best + 1; e < n->forward_offset[record + 1]; ++e) {
            bool more = n->forward_weight != NULL && n->forward_weight[e] > n->forward_weight[best];
            best = more ? e : best;
        }
        record = n->forward[best];
    }
    return charts_node(&t->charts, record);
}

/* The same nodes with the same weights: then their rest centre and size have the same bits. */
static bool same_region(const regions* a, int32_t i, const regions* b, int32_t j) {
    return memcmp(&a->c0[0][i], &b->c0[0][j], sizeof(float)) == 0 &&
           memcmp(&a->c0[1][i], &b->c0[1][j], sizeof(float)) == 0 &&
           memcmp(&a->c0[2][i], &b->c0[2][j], sizeof(float)) == 0 &&
           memcmp(&a->sigma2[i], &b->sigma2[j], sizeof(float)) == 0;
}

/* Of the regions above a record, one that is the same as a region of the other topology; -1. */
static int32_t same_above(const topology* t, int32_t record, const regions* of, int32_t region) {
    const net* n = &t->net;
    int32_t last = n->first[n->layers - 1];
    if (record >= last) {
        int32_t own = record - last + t->regions.box;
        return own < t->regions.count && same_region(&t->regions, own, of, region) ? own : -1;
    }
    for (int32_t e = n->back_offset[record]; e < n->back_offset[record + 1]; ++e) {
        int32_t found = same_above(t, n->back[e], of, region);
        if (found >= 0) {
            return found;
        }
    }
    return -1;
}

/* The old region that a seedless one is, or the one in which its heaviest node weighed most. */
static int32_t origin_of_seedless(const carry_overlap* o, int32_t region) {
    const topology *before = o->before, *after = o->after;
    int32_t slot = heavy_member(after, region), old = o->source[slot];
    if (old < 0) {
        return -1;
    }
    int32_t same = same_above(before, old, &after->regions, region);
    const charts* c = &before->charts;
    for (int32_t e = charts_many(c) ? c->node_offset[old] : 0;
         charts_many(c) && same < 0 && e < c->node_offset[old + 1]; ++e) {
        same = same_above(before, c->node_ghost[e], &after->regions, region);
    }
    return same >= 0 ? same : before->regions.seed_region[old];
}

/* Per new region the old one it comes from; -1: none. */
static lim_result find_origins(arena* scratch, const carry_overlap* o, int32_t** out) {
    const topology *before = o->before, *after = o->after;
    int32_t* seed = ARENA_ROOM(scratch, int32_t, after->regions.padded);
    LIM_TRY_MEMORY(seed);
    memset(seed, 0xFF, (size_t)after->regions.padded * sizeof(int32_t));
    for (int32_t i = 0; i < after->slot_count; ++i) {
        int32_t r = after->regions.seed_region[i];
        if (r >= 0 && o->source[i] >= 0 && (seed[r] < 0 || after->mass[i] > after->mass[seed[r]])) {
            seed[r] = i;
        }
    }
    for (int32_t r = 0; r < after->regions.count; ++r) {
        seed[r] = seed[r] >= 0 ? before->regions.seed_region[o->source[seed[r]]]
                               : origin_of_seedless(o, r);
    }
    *out = seed;
    return LIM_OK;
}

/* ---- rotations --------------------------------------------------------------------------------
 */

static lim_result copy_floats(arena* a, const float* from, int32_t count, float** out) {
    *out = ARENA_ROOM(a, float, count);
    LIM_TRY_MEMORY(*out);
    memcpy(*out, from, (size_t)count * sizeof(float));
    return LIM_OK;
}

/* Of 1 as a share of a region's size: flow mends less by itself. */
#define SAME_VOLUME 1e-2

/* Strain of the old regions that the seeds of a new one were in, by mass, and its volume: a mean
 * of matrices is larger than their volumes say. */
typedef struct strain_sum {
    double mass, volume, strain[6];
} strain_sum;

/* Of 1 + a symmetric matrix. */
static double volume_of(const double s[6]) {
    double x = 1.0 + s[0], y = 1.0 + s[1], z = 1.0 + s[2];
    return x * (y * z - s[5] * s[5]) - s[3] * (s[3] * z - s[5] * s[4]) +
           s[4] * (s[3] * s[5] - y * s[4]);
}

static lim_result sum_strains(arena* scratch, const carry_overlap* o, const body* from,
                              const uint8_t* marked, strain_sum** out) {
    const topology *before = o->before, *after = o->after;
    strain_sum* sum = ARENA_ARRAY(scratch, strain_sum, after->regions.padded);
    LIM_TRY_MEMORY(sum);
    for (int32_t i = 0; i < after->slot_count; ++i) {
        int32_t r = after->regions.seed_region[i];
        for (int32_t e = o->first[i]; r >= 0 && marked[r] && e < o->first[i + 1]; ++e) {
            int32_t old = before->regions.seed_region[o->old[e]];
            double strain[6];
            for (int k = 0; k < 6 && old >= 0; ++k) {
                strain[k] = (double)from->strain[k][old];
                sum[r].strain[k] += o->mass[e] * strain[k];
            }
            sum[r].mass += old >= 0 ? o->mass[e] : 0.0;
            sum[r].volume += old >= 0 ? o->mass[e] * volume_of(strain) : 0.0;
        }
    }
    *out = sum;
    return LIM_OK;
}

static lim_result mix_strains(arena* scratch, const carry_overlap* o, const body* from,
                              const uint8_t* marked, body* to) {
    strain_sum* sum;
    LIM_TRY(sum_strains(scratch, o, from, marked, &sum));
    for (int32_t r = 0; r < o->after->regions.count; ++r) {
        double mass = sum[r].mass, strain[6];
        for (int k = 0; k < 6 && mass > 0.0; ++k) {
            strain[k] = sum[r].strain[k] / mass;
        }
        double scale = mass > 0.0 ? trig_cbrt(sum[r].volume / mass / volume_of(strain)) : 1.0;
        for (int k = 0; k < 6 && marked[r] && mass > 0.0; ++k) {
            double one = k < 3 ? 1.0 : 0.0;
            to->strain[k][r] = (float)((one + strain[k]) * scale - one);
        }
    }
    return LIM_OK;
}

/* With a rest shape of its own (body/embed.h) a region's U has the volume that makes up for what
 * that shape has lost, and another piece has lost something else. Flow mends what is nearly right
 * alone; from far off it ran away. */
static void renew_volumes(const body_embedding* e, body* to) {
    for (int32_t r = 0; r < to->topology->regions.count; ++r) {
        double strain[6], swell = (double)e->swell[r];
        for (int k = 0; k < 6; ++k) {
            strain[k] = (double)to->strain[k][r];
        }
        double volume = volume_of(strain), scale = volume > 0.0 ? swell / trig_cbrt(volume) : 0.0;
        for (int k = 0; k < 6 && fabs(scale - 1.0) > SAME_VOLUME; ++k) {
            double one = k < 3 ? 1.0 : 0.0;
            to->strain[k][r] =
                (float)(scale > 0.0 ? (one + strain[k]) * scale - one : one * (swell - 1.0));
        }
    }
}

static void carry_cells(const topology* t, const int32_t* source, const body* from, body* to) {
    for (int32_t i = 0; i < t->matter.count; ++i) {
        int32_t old = source != NULL ? source[i] : i;
        for (int k = 0; k < 4; ++k) {
            to->q[k][i] = from->q[k][old];
        }
        for (int k = 0; k < 6; ++k) {
            to->strain[k][i] = from->strain[k][old];
        }
    }
}

lim_result carry_regions(arena* a, arena* scratch, const carry_overlap* o, const int32_t* source,
                         const body* from, body* to, carry_fits* out) {
    const topology *before = o->before, *after = o->after;
    int32_t* origin;
    carry_fits fits = {.marked = ARENA_ARRAY(a, uint8_t, after->regions.padded)};
    LIM_TRY_MEMORY(fits.marked);
    if (after->kind->regions == REGIONS_CELLS) {
        carry_cells(after, source, from, to);
        *out = fits;
        return LIM_OK;
    }
    LIM_TRY(find_origins(scratch, o, &origin));
    for (int32_t r = 0; r < after->regions.count; ++r) {
        int32_t old = origin[r];
        fits.marked[r] = old < 0 || !same_region(&after->regions, r, &before->regions, old);
        fits.count += fits.marked[r];
        for (int k = 0; k < 4 && old >= 0; ++k) {
            to->q[k][r] = from->q[k][old];
        }
        for (int k = 0; k < 6 && old >= 0; ++k) {
            to->strain[k][r] = from->strain[k][old];
        }
    }
    if (fits.count > 0 && after->regions.box == 0) {
        node_state nodes = body_nodes(to);
        match_body m = body_match(to, &nodes);
        fits.below = ARENA_ROOM(a, uint8_t, after->net.record_count);
        LIM_TRY_MEMORY(fits.below);
        match_mark_below(&m, fits.marked, fits.below);
    }
    *out = fits;
    if (from->plastic && fits.count > 0) {
        LIM_TRY(mix_strains(scratch, o, from, fits.marked, to));
    }
    if (to->embedding != NULL) {
        renew_volumes(to->embedding, to);
    }
    return LIM_OK;
}

/* The rotations of a body between steps are those of the last substep's begin: so are these. A body
 * that is being made has no last finite state yet: where nodes were takes its room. */
static lim_result begin_of_substep(arena* scratch, body* b, node_state* out) {
    const topology* t = b->topology;
    *out = body_nodes(b);
    out->components = ARENA_ROOM(scratch, component, t->component_count);
    LIM_TRY_MEMORY(out->components);
    memcpy(out->components, b->components, (size_t)t->component_count * sizeof(component));
    b->has_good = false;
    for (int k = 0; k < 3; ++k) {
        out->d[k] = b->good_d[k];
        for (int32_t i = 0; i < t->slot_count; ++i) {
            out->d[k][i] = b->d[k][i] - (float)b->gains_h * b->v[k][i];
        }
    }
    return LIM_OK;
}

/* Of a body with windows: a matching pass over copies. */
static lim_result turn_all(arena* scratch, const carry_fits* fits, match_body* m, isa set,
                           workers* pool, body* b) {
    const topology* t = b->topology;
    for (int k = 0; k < 4; ++k) {
        LIM_TRY(copy_floats(scratch, b->q[k], t->regions.padded, &m->q[k]));
    }
    for (int k = 0; k < 6; ++k) {
        LIM_TRY(copy_floats(scratch, b->strain[k], t->regions.padded, &m->plastic[k]));
    }
    match_step(m, false, set, pool, &b->host, NULL);
    for (int k = 0; k < 4; ++k) {
        for (int32_t r = 0; r < t->regions.count; ++r) {
            b->q[k][r] = fits->marked[r] ? m->q[k][r] : b->q[k][r];
        }
    }
    return LIM_OK;
}

/* Nothing flows in these. */
lim_result carry_rotations(arena* scratch, const carry_fits* fits, isa set, workers* pool,
                           body* b) {
    node_state nodes;
    LIM_TRY(begin_of_substep(scratch, b, &nodes));
    for (int k = 0; k < 3 && fits->below == NULL; ++k) { /* a whole pass changes them */
        LIM_TRY(copy_floats(scratch, b->v[k], b->topology->slot_count, &nodes.v[k]));
    }
    match_gains gains = b->gains;
    gains.flow = 0.0f;
    match_body m = body_match(b, &nodes);
    m.gains = &gains;
    m.damped = false;
    node_component_sums(&nodes, b->block_sums, set, pool);
    if (fits->below == NULL) {
        return turn_all(scratch, fits, &m, set, pool, b);
    }
    match_turn_some(&m, fits->marked, fits->below, set, pool);
    return LIM_OK;
}
