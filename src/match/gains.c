/* SPDX-License-Identifier: MIT
 * Job: what matching needs to know of a material before it steps. In: regions, a material, the
 * length of a substep. Out: gains of regions and their sums over nodes, shares, moduli, room.
 */
#include "match/match.h"
#include "match/match_box.h"
#include "match/quadratic.h"
#include "match/stretch.h"
#include "net/box_window.h"

#include <string.h>

/* What fades in h of a motion with time constant tau; 0 means never. */
static float fading(double h, double tau) {
    return tau > 0.0 ? (float)(1.0 - trig_exp(-h / tau)) : 0.0f;
}

/* Density and modulus of a region's own material. */
static double region_density(const regions* r, const match_material* material, int32_t i) {
    return material->density * (r->density != NULL ? (double)r->density[i] : 1.0);
}

static double region_young(const regions* r, const match_material* material, int32_t i) {
    const float* factor = material->stiffness != NULL ? material->stiffness : r->stiffness;
    return material->young * (factor != NULL ? (double)factor[i] : 1.0);
}

/* The largest variance of a region times its density: alpha = E h^2 over it. */
static double region_inertia(const regions* r, const match_material* material, int32_t i) {
    return region_density(r, material, i) * (double)r->sigma2[i] * material->scale *
           material->scale;
}

static double region_mass(const regions* r, int32_t i) {
    return (double)r->weight[i] / (double)r->inv_mass[i];
}

/* Of goals with a fit too: those keep their volume as far as they follow it. */
static double kept_volume(const match_material* material) {
    bool fit = material->goal == MATCH_LINEAR && material->beta > material->volume;
    return fit ? material->beta : material->volume;
}

double match_most_alpha(const match_material* material) {
    return material->at_surface || kept_volume(material) > 0.0 ? 1.0 : MATCH_MOST_ALPHA;
}

/* How much of the most alpha is left where viscosity acts in one of n substeps. A substep of the
 * stiffest mode d, one that no fit sees, is
 *     v <- (1 - D) v - alpha d / h,   d <- d + h v,
 * a matrix with determinant 1 - D and trace 2 - D - alpha: stable to alpha = 4 - 2 D, which is 2
 * with the most damping, D = 1. Where viscosity takes D in one of n substeps only, it can feed the
 * mode: alpha = 4 sin^2 p is stable to tan(n p) tan(p) = (2 - D) / D, with the most damping to
 * p = pi / (2 (n + 1)). */
static double left_of_most(int32_t every) {
    double s = trig_sin(0.5 * TRIG_PI / (every + 1));
    return every > 1 ? 2.0 * s * s : 1.0;
}

/* alpha and k of a region, and the share of what is asked for. */
typedef struct region_stiffness {
    double share, alpha, bulk;
} region_stiffness;

/* Young's modulus is that of a bar whatever its volume share, where goals are rigid and stiffness
 * is given as a modulus. left: left_of_most. */
static region_stiffness stiffness_of(const regions* r, const match_material* material, int32_t i,
                                     double h, double volume, double left) {
    double inertia = region_inertia(r, material, i), most = left * match_most_alpha(material);
    bool given = material->alpha > 0.0, bar = material->goal == MATCH_RIGID && !given;
    /* alpha = E h^2 / (rho sigma^2); a region without extent holds nothing together. */
    double young = inertia > 0.0 ? region_young(r, material, i) * h * h / inertia : 1.0;
    double asked = given ? material->alpha : young, share = asked > most ? most / asked : 1.0;
    double alpha = share * asked;
    if (material->goal == MATCH_QUADRATIC) {
        return (region_stiffness){share, alpha, quadratic_bulk(alpha)};
    }
    if (!(volume > 0.0)) {
        return (region_stiffness){share, alpha, 0.0};
    }
    double all = left * STRETCH_TOTAL;
    double soft = bar ? alpha * stretch_softer(stretch_bulk(alpha, volume, all)) : alpha;
    double bulk = stretch_bulk(soft, volume, all);
    return (region_stiffness){share, bar ? alpha * stretch_softer(bulk) : alpha, bulk};
}

static double mean_share(const regions* r, const match_material* material, double h,
                         int32_t every) {
    double left = left_of_most(every);
    double sum = 0.0, weight = 0.0, volume = kept_volume(material);
    for (int32_t i = 0; i < r->count; ++i) {
        double mass = region_mass(r, i);
        sum += mass * stiffness_of(r, material, i, h, volume, left).share;
        weight += mass;
    }
    return weight > 0.0 ? sum / weight : 1.0;
}

double match_share(const regions* r, const match_material* material, double h) {
    return material->alpha > 0.0 ? 1.0 : mean_share(r, material, h, 1);
}

static bool most_get(const regions* r, const match_material* material, double h, int32_t every) {
    double volume = kept_volume(material);
    double left = left_of_most(every);
    int32_t used = 0, few = 0;
    for (int32_t i = 0; i < r->count; ++i) {
        bool counts = r->weight[i] > 0.0f;
        used += counts;
        few += counts && stiffness_of(r, material, i, h, volume, left).share < MATCH_MOST_GET;
    }
    return few <= used / MATCH_FEW;
}

bool match_most_get(const regions* r, const match_material* material, double h) {
    return material->alpha > 0.0 || most_get(r, material, h, 1);
}

void match_component_shares(const regions* r, const match_material* material, double h,
                            const int32_t* region_component, int32_t count, double* out) {
    double volume = kept_volume(material);
    double left = left_of_most(1);
    memset(out, 0, 2 * (size_t)count * sizeof(double));
    for (int32_t i = 0; i < r->count; ++i) {
        double mass = region_mass(r, i), *at = out + 2 * (size_t)region_component[i];
        at[0] += mass * stiffness_of(r, material, i, h, volume, left).share;
        at[1] += mass;
    }
    for (int32_t c = 0; c < count; ++c) {
        double* at = out + 2 * (size_t)c;
        at[0] = at[1] > 0.0 ? at[0] / at[1] : 1.0;
    }
}

double match_volume_share(const regions* r, const match_material* material, double h) {
    double sum = 0.0, weight = 0.0, asked = stretch_asked_bulk(material->volume);
    double left = left_of_most(1);
    for (int32_t i = 0; i < r->count && asked > 0.0; ++i) {
        double mass = region_mass(r, i);
        sum += mass * stiffness_of(r, material, i, h, material->volume, left).bulk / asked;
        weight += mass;
    }
    return weight > 0.0 ? sum / weight : 1.0;
}

/* Two fields in and out, 16 kept (match/energy.c), and what summing takes. */
static size_t gains_floats(const box_net* b) {
    return (2 + 2 + 16) * 8 * (size_t)b->octets + box_work_floats(b, 2);
}

size_t match_box_sums(const box_net* b) {
    size_t sums = (size_t)b->plates * NET_FORWARD_STRIPS * 64;
    return sums > gains_floats(b) ? sums : gains_floats(b);
}

size_t match_box_scratch(const box_net* b) {
    size_t row = (size_t)box_row_floats(b->rows.longest);
    size_t planes = row * (8 * (NET_FORWARD_STRIPS + NET_ADJOINT_STRIPS) + 1) +
                    (size_t)b->ends_most * NET_FORWARD_STRIPS * 64;
    size_t columns = (size_t)b->columns.longest * (NET_FORWARD_STRIPS + NET_ADJOINT_STRIPS) * 64;
    size_t most = BOX_SUFFIX + (planes > columns ? planes : columns);
    return (most + 15) / 16 * 16;
}

/* Sums g and k over the windows that hold each node, onto its adjoint record of one strip. */
static void add_box_gains(match_body* m, isa set) {
    const box_net* b = m->box;
    float *in = m->box_sums, *out = in + 16 * (size_t)b->octets;
    for (int32_t i = 0; i < 8 * b->octets; ++i) {
        size_t at = 16 * (size_t)(i / 8) + (size_t)(i % 8);
        in[at] = m->gains->goal[i];
        in[at + 8] = m->gains->damp[i];
    }
    box_kernels_for(set)->apply(b, in, out, 2, out + 16 * (size_t)b->octets);
    for (int32_t i = 0; i < 8 * b->octets; ++i) {
        size_t at = 16 * (size_t)(i / 8) + (size_t)(i % 8);
        m->adjoint[8 * (size_t)i] += out[at];
        m->adjoint[8 * (size_t)i + 1] += out[at + 8];
    }
}

/* The modulus that a given alpha is at this step: the mean over the regions' mass. */
static double modulus_of_alpha(const regions* r, const match_material* material, double h) {
    double sum = 0.0, weight = 0.0;
    for (int32_t i = 0; i < r->count; ++i) {
        double mass = region_mass(r, i);
        sum += mass * material->alpha * region_inertia(r, material, i) / (h * h);
        weight += mass;
    }
    return weight > 0.0 ? sum / weight : 0.0;
}

/* Goals that follow a fit, and regions that are watched, need more of the regions. */
static bool wants_fits(const match_body* m) {
    return m->gains->shape != MATCH_PLAIN || m->watch != NULL;
}

/* A quadratic fit alone holds nothing together: a hundredth of the rigid goal stays. */
#define QUADRATIC_MOST 0.99

static void refresh_fits(match_body* m, const match_material* material) {
    const regions* r = m->regions;
    match_gains* g = m->gains;
    g->goal_kind = material->goal;
    double most = material->goal == MATCH_QUADRATIC ? QUADRATIC_MOST : 1.0;
    double beta = material->beta < most ? material->beta : most;
    g->beta = material->goal != MATCH_RIGID ? (float)beta : 0.0f;
    g->volume = (float)kept_volume(material);
    bool fit = material->goal == MATCH_LINEAR || material->volume > 0.0;
    g->shape = m->flowed ? MATCH_PLASTIC : fit ? MATCH_FIT : MATCH_PLAIN;
    g->yield = (float)material->yield;
    g->flow = (float)(1.0 - trig_exp(-g->h * material->creep));
    g->most_strain = material->max_strain < 1.0 ? (float)material->max_strain : 1.0f;
    g->total_strain = (float)material->max_strain;
    g->hardening = (float)material->hardening;
    for (int32_t i = 0; i < r->padded && wants_fits(m); ++i) {
        double a0[6], inverse[6];
        for (int k = 0; k < 6; ++k) {
            a0[k] = (double)r->a0[k][i];
        }
        stretch_inverse(a0, inverse);
        for (int k = 0; k < 6; ++k) {
            g->inverse[k][i] = (float)inverse[k];
        }
    }
}

/* Viscosity acts as seldom as is wished, but not so seldom that it costs stiffness. */
static int32_t damping_turns(const regions* r, const match_material* material, double h) {
    int32_t n = material->damping_every > 1 ? material->damping_every : 1;
    double all = n > 1 ? mean_share(r, material, h, 1) : 1.0;
    double enough = all < MATCH_ENOUGH ? all : MATCH_ENOUGH;
    bool most = n > 1 && most_get(r, material, h, 1);
    while (n > 1 &&
           (mean_share(r, material, h, n) < enough || (most && !most_get(r, material, h, n)))) {
        n--;
    }
    return n;
}

/* What depends on all regions: the modulus that is got, and the damping of the whole body. */
static void refresh_whole(match_gains* g, const regions* r, const match_material* material) {
    double h = g->h, share;
    g->damping_every = damping_turns(r, material, h);
    share = mean_share(r, material, h, g->damping_every);
    g->young_got =
        (float)(material->alpha > 0.0 ? modulus_of_alpha(r, material, h) : material->young * share);
    /* Damping velocities at the rate 2 / tau makes an oscillation fade as exp(-t / tau). */
    g->body_damp = fading(2.0 * h, material->damping_time);
    g->roll_damp = fading(h, material->rolling_time);
    /* Where less than half the modulus can be had, the step is too long for the oscillation: it is
     * damped as implicit Euler would, by 1 / sqrt(1 + omega^2 h^2). Otherwise steps of changing
     * length, each with its own stiffness, could pump energy into the body. */
    float unresolved = share < 0.5 ? (float)(1.0 - sqrt(2.0 * share)) : 0.0f;
    g->body_damp = unresolved > g->body_damp ? unresolved : g->body_damp;
}

static void refresh_region(match_body* m, const match_material* material, int32_t i) {
    match_gains* g = m->gains;
    double h = g->h, w = (double)m->regions->weight[i];
    double inertia = region_inertia(m->regions, material, i);
    region_stiffness stiff =
        stiffness_of(m->regions, material, i, h, (double)g->volume, left_of_most(g->damping_every));
    double k = -g->damping_every * h * material->viscosity;
    k = inertia > 0.0 ? 1.0 - trig_exp(k / inertia) : 0.0;
    /* The body's damping acts on what the regions' has left: together they never reverse. */
    k *= 1.0 - (double)g->body_damp;
    g->goal[i] = (float)(w * stiff.alpha / h);
    if (wants_fits(m)) {
        g->bulk[i] = (float)stiff.bulk;
    }
    g->damp[i] = (float)(w * k);
}

/* The gains of a region of lists onto its record of one strip. */
static void put_gains(match_body* m, int32_t region) {
    const net* n = m->net;
    float* to = m->adjoint + 8 * (size_t)(n->first[n->layers - 1] + region - m->regions->box);
    memset(to, 0, 8 * sizeof(float));
    to[0] = m->gains->goal[region];
    to[1] = m->gains->damp[region];
}

static void take_sums(match_body* m, int32_t record) {
    m->gains->goal_sum[record] = m->inv_weight[record] * m->adjoint[8 * (size_t)record];
    m->gains->damp_sum[record] = m->inv_weight[record] * m->adjoint[8 * (size_t)record + 1];
}

/* Sums of all gains over the regions of every node. */
static void sum_gains(match_body* m, isa set, workers* pool) {
    const net* n = m->net;
    for (int32_t i = m->regions->box; i < m->regions->padded; ++i) {
        put_gains(m, i);
    }
    net_adjoint_middle(n, m->adjoint, 1, set, pool);
    net_kernels_for(set)->adjoint(n, m->adjoint, 1, 0, n->node_count);
    if (m->box != NULL) {
        add_box_gains(m, set);
    }
    for (int32_t i = 0; i < n->node_count; ++i) {
        take_sums(m, i);
    }
}

void match_refresh(match_body* m, const match_material* material, double h, isa set,
                   workers* pool) {
    m->gains->h = h;
    refresh_fits(m, material);
    refresh_whole(m->gains, m->regions, material);
    for (int32_t i = 0; i < m->regions->padded; ++i) {
        refresh_region(m, material, i);
    }
    sum_gains(m, set, pool);
}

/* Records below a touched region, then all that they are summed from. */
enum { TOUCHED = 1, WANTED = 2 };
static void mark_records(const match_body* m, const uint8_t* touched, uint8_t* mark) {
    const net* n = m->net;
    int32_t last = n->first[n->layers - 1];
    memset(mark, 0, (size_t)n->record_count);
    for (int32_t i = m->regions->box; i < m->regions->count; ++i) {
        mark[last + i - m->regions->box] = touched[i] ? TOUCHED : 0;
    }
    for (int32_t i = n->record_count - 1; i >= n->first[1]; --i) {
        for (int32_t e = n->forward_offset[i]; mark[i] != 0 && e < n->forward_offset[i + 1]; ++e) {
            mark[n->forward[e]] = TOUCHED;
        }
    }
    for (int32_t i = 0; i < last; ++i) {
        for (int32_t e = n->back_offset[i]; mark[i] != 0 && e < n->back_offset[i + 1]; ++e) {
            mark[n->back[e]] |= WANTED;
        }
    }
}

/* Sums of gains at the nodes of touched regions alone. */
static void sum_some_gains(match_body* m, const uint8_t* mark, isa set) {
    const net* n = m->net;
    int32_t last = n->first[n->layers - 1];
    for (int32_t i = n->record_count - 1; i >= 0; --i) {
        if (mark[i] == 0) {
            continue;
        }
        if (i >= last) {
            put_gains(m, i - last + m->regions->box);
        } else {
            net_kernels_for(set)->adjoint(n, m->adjoint, 1, i, i + 1);
        }
        if (i < n->node_count) {
            take_sums(m, i);
        }
    }
}

void match_refresh_some(match_body* m, const match_material* material, const uint8_t* touched,
                        uint8_t* mark, isa set, workers* pool) {
    float damped = m->gains->body_damp;
    int32_t every = m->gains->damping_every;
    refresh_whole(m->gains, m->regions, material);
    if (damped < m->gains->body_damp || damped > m->gains->body_damp ||
        every != m->gains->damping_every) {
        match_refresh(m, material, m->gains->h, set, pool);
        return;
    }
    for (int32_t i = 0; i < m->regions->padded; ++i) {
        if (touched[i]) {
            refresh_region(m, material, i);
        }
    }
    if (m->box != NULL) {
        sum_gains(m, set, pool);
    } else {
        mark_records(m, touched, mark);
        sum_some_gains(m, mark, set);
    }
}
