/* SPDX-License-Identifier: MIT
 * Job: the modulus that a body has in bending. In: regions at rest, gains. Out: pascal.
 *
 * A component is bent about its thinnest axis y, a curvature along its longest one: the strain is
 * y. With rigid goals a region at y_r resists what its fit sees, y_r, with its modulus E_r, and the
 * rest, the variance V_r of its nodes along y and R_r that it has by its own length, only with its
 * goals: those a share of volume has made softer, by f_r (match/stretch.h). So
 *     E_bend I = mean of E_r ((y_r - y)^2 + f_r (V_r + R_r)),  I = variance of the material.
 * R = (m4 - s^4) / (4 s^2) of a region's weights along the bar, in squared cells: (8 s^2 - 1) / 20
 * of tents, (4 s^2 - 1) / 20 of windows of equal weights.
 */
#include "body/matching.h"
#include "match/stretch.h"
#include "math/eigen.h"

/* Axes and moments of a component at rest. */
typedef struct beam {
    lim_point thin, along, centre;
    double variance; /* along thin, of the cells too */
} beam;

static beam beam_of(const topology* t, const component* c) {
    double s[6] = {0}, own = 0.0, mass = 0.0, values[3];
    dmat3 axes;
    for (int32_t i = c->begin; i < c->end; ++i) {
        double m = (double)t->mass[i], side = (double)t->side[i];
        lim_point x = p3_sub(p3((double)t->x0[0][i], (double)t->x0[1][i], (double)t->x0[2][i]),
                             c->rest_centre);
        const double square[6] = {x.x * x.x, x.y * x.y, x.z * x.z, x.x * x.y, x.x * x.z, x.y * x.z};
        for (int k = 0; k < 6; ++k) {
            s[k] += m * square[k];
        }
        /* cells reach beyond their middles; what corners have in eighths lies within them */
        own += m * side * side * (t->kind->nodes == LIM_NODES_AT_CORNERS ? -1.0 / 6.0 : 1.0 / 12.0);
        mass += m;
    }
    eigen_sym3(s, values, &axes);
    return (beam){.thin = p3(axes.m[6], axes.m[7], axes.m[8]),
                  .along = p3(axes.m[0], axes.m[1], axes.m[2]),
                  .centre = c->rest_centre,
                  .variance = (values[2] + own) / mass};
}

/* n A0 n / M */
static double variance_along(const regions* r, int32_t i, lim_point n) {
    double a0[6];
    for (int k = 0; k < 6; ++k) {
        a0[k] = (double)r->a0[k][i];
    }
    return p3_dot(n, sym3_mul(a0, n)) * (double)r->inv_mass[i];
}

/* The chart of a region is that of any record below it; of a window that of its slot. */
static int32_t chart_of_region(const topology* t, int32_t i) {
    const net* n = &t->net;
    if (i < t->regions.box) {
        return charts_of_slot(&t->charts, i);
    }
    int32_t record = n->first[n->layers - 1] + i - t->regions.box;
    while (record >= n->node_count) {
        record = n->forward[n->forward_offset[record]];
    }
    const charts* c = &t->charts;
    int32_t chart = record < c->slots ? charts_of_slot(c, record) : 0;
    while (record >= c->slots && record >= c->ghost_begin[chart + 1]) {
        chart++;
    }
    return chart;
}

/* A region's E_r times what it resists, by its share of the mass. */
static double resistance(const body* b, const beam* bar, int32_t i, int32_t chart) {
    const topology* t = b->topology;
    const regions* r = &t->regions;
    const charts* c = &t->charts;
    double metres = body_metres(b), h = b->gains.h, cell2 = (double)t->cell * (double)t->cell;
    double density = (double)b->material.density * (r->density != NULL ? (double)r->density[i] : 1);
    double alpha = (double)b->gains.goal[i] * h / (double)r->weight[i];
    double soft = b->gains.volume > 0.0f ? stretch_softer((double)b->gains.bulk[i]) : 1.0;
    double shape = alpha * density * (double)r->sigma2[i] * metres * metres / (h * h);
    lim_point at = p3((double)r->c0[0][i] + (double)c->origin[0][chart],
                      (double)r->c0[1][i] + (double)c->origin[1][chart],
                      (double)r->c0[2][i] + (double)c->origin[2][chart]);
    double y = p3_dot(bar->thin, p3_sub(at, bar->centre));
    double by = t->kind->regions == REGIONS_HOPS ? 4.0 : 8.0;
    double length = (by * variance_along(r, i, bar->along) - cell2) / 20.0;
    double within = variance_along(r, i, bar->thin) + (length > 0.0 ? length : 0.0);
    return shape * (y * y / soft + within);
}

float matching_bending(const body* b) {
    const topology* t = b->topology;
    const regions* r = &t->regions;
    double sum = 0.0, mass = 0.0;
    if (t->kind->regions == REGIONS_CLUSTERS || b->gains.goal_kind != MATCH_RIGID ||
        !(b->gains.h > 0.0)) {
        return 0.0f;
    }
    beam bar = {0};
    int32_t made = -1;
    for (int32_t i = 0; i < r->count; ++i) {
        if (!(r->weight[i] > 0.0f)) {
            continue;
        }
        int32_t own = t->region_component[i];
        if (own != made) {
            bar = beam_of(t, &b->components[own]);
            made = own;
        }
        double m = (double)r->weight[i] / (double)r->inv_mass[i];
        sum += m * resistance(b, &bar, i, chart_of_region(t, i)) / bar.variance;
        mass += m;
    }
    return mass > 0.0 ? (float)(sum / mass) : 0.0f;
}
