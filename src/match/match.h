/* SPDX-License-Identifier: MIT
 * Shape matching over a sum network, in displacement form:
 *   nodes -> records {m~d, m~d x0^T, m~v, m~ x cross v, m~ d d^T}            forward 24 floats
 *   sums over regions -> rotation R_r (warm Newton), mean displacement, v_r, omega_r
 *   records {g_r (R_r - 1), k_r omega_r, merged translation}               adjoint 15 floats
 *   sums over the regions of each node -> velocity change.
 * With g_r = w_r alpha_r / h and k_r = w_r (1 - exp(-h eta / (rho sigma^2))):
 *   dv_i = 1/W_i sum_r [ g_r ((R_r-1)(x0_i-c0_r) + dbar_r - d_i) + k_r (v_r + omega_r x (x_i-c_r) -
 * v_i) ] Linear and angular momentum are conserved exactly in exact arithmetic; what rounding
 * leaves is summed in double per component and taken out. At rest every term is exactly zero.
 * x0, d, x and v are those of the chart (region/charts.h): a long component has several.
 */
#ifndef LIMBER_MATCH_H
#define LIMBER_MATCH_H

#include "net/box.h"
#include "net/net.h"
#include "node/node.h"
#include "region/charts.h"

/* What a region wants of its nodes: its rest shape turned (rigid), or mixed with its best linear
 * (match/stretch_wide.h) or quadratic (match/quadratic.h) fit. Quadratic: where there are explicit
 * members. */
typedef enum match_goal { MATCH_RIGID = 0, MATCH_LINEAR, MATCH_QUADRATIC } match_goal;

/* What a region's rest shape takes part in: no fit at all, a fit (linear goals, volume), or a fit
 * and plastic flow. */
typedef enum match_shape { MATCH_PLAIN = 0, MATCH_FIT, MATCH_PLASTIC } match_shape;

/* Constants of one body at one substep: filled by match_refresh. */
typedef struct match_gains {
    double h;              /* the substep they are for */
    float* goal;           /* per region: w_r alpha_r / h */
    float* damp;           /* per region: w_r k_r */
    float* goal_sum;       /* per record of layer 0: 1/W sum g_r */
    float* damp_sum;       /* per record of layer 0: 1/W sum k_r */
    float roll_damp;       /* 1 - exp(-h / rolling_time) */
    float body_damp;       /* 1 - exp(-h / damping_time) */
    float young_got;       /* mean over regions of what a stable alpha leaves of the modulus */
    int32_t damping_every; /* passes of which one damps */
    match_goal goal_kind;
    match_shape shape;
    float beta;   /* share of the fit in goals that are not rigid */
    float volume; /* share of what keeps the volume */
    /* match/plastic_wide.h; flow: 1 - exp(-h creep); most: of one matrix, total: with the past */
    float yield, flow, most_strain, total_strain, hardening;
    float* inverse[6]; /* per region: (A0 + kappa 1)^-1, where fits are wanted */
    float* bulk;       /* per region: how many times stiffer its volume is than its shape */
} match_gains;

/* Goals depend on more of the positions than the rotations do. */
static inline bool match_fits(const match_gains* g) {
    return g->shape != MATCH_PLAIN && (g->beta > 0.0f || g->volume > 0.0f);
}

typedef struct match_material {
    double young, density, viscosity, damping_time, rolling_time,
        scale;             /* SI; scale: metres per unit length */
    int32_t damping_every; /* wished: viscosity acts in every so many passes; 0 as 1 */
    double alpha;          /* above 0: the stiffness per substep itself, whatever young says */
    match_goal goal;
    double beta, volume;
    double yield, creep, max_strain, hardening;
    const float* stiffness; /* per region: factors of young; null: those of the regions */
    bool at_surface;        /* nodes are where contacts are: see match_most_alpha */
} match_material;

/* alpha at most: MATCH_MOST_ALPHA, or 1. A contact that stops a node changes v^2 / 2 + alpha d^2 /
 * 2 - alpha v d / 2, which a substep keeps, by v (alpha d - v) / 2: the larger alpha, the more
 * often a gain. Nodes in cells lie below the surface, and several share a contact; corners and
 * points take it alone, and what lies on them rocks for long with an alpha above 1. Volume adds to
 * alpha. */
double match_most_alpha(const match_material* material);

/* The coordinates of a chart that is not the component's frame: rest origin, and displacement and
 * velocity of its node when the pass begins. */
typedef struct match_chart {
    float x0[3], d[3], v[3];
} match_chart;

/* A rest shape of the matching's own (body/embed.h): the nodes' x0 is then that shape, their d is
 * written before every pass, and affine parts are multiplied with the way to it. */
typedef struct match_rest {
    const float* shift[3]; /* per slot: that shape less the body's x0 */
    const float* d[3];     /* displacements from the body's x0 */
    const float* gradient; /* 9 per slot: of the shape by the body's x0; null: of no use */
} match_rest;

struct match_watch;    /* match/guide.h */
struct quadratic;      /* match/quadratic.h */
struct quadratic_work; /* likewise */

/* Everything a pass needs, as arrays. */
typedef struct match_body {
    const net* net;
    const regions* regions;
    const charts* charts;
    const float* inv_weight; /* per record of layer 0, nodes and ghosts: 1 / W_i */
    const float* fit_mass;   /* the same: m~_i */
    node_state* nodes;
    bool damped;       /* this pass damps too */
    lim_point gravity; /* world axes, times the substep, unit lengths per second */
    float* q[4];       /* per region */
    match_gains* gains;
    float* forward;      /* net->record_count * 24 floats */
    float* adjoint;      /* net->record_count * 16 floats */
    double* block_sums;  /* per block of 64 slots: 6 doubles (residual impulse) */
    match_chart* frames; /* per chart, for the pass; unused when every component has one */
    const box_net* box;  /* the regions that are windows of a lattice; null: none */
    float* box_sums;     /* match_box_sums floats, and for each task match_box_scratch */
    float* box_scratch;
    bool plain; /* nodes have no affine parts (a lattice): B is left as it is */
    /* of clusters; null and unused elsewhere */
    const int32_t* region_component;
    struct match_watch* watch; /* not null: lost regions are guided */
    const struct quadratic* quadratic;
    struct quadratic_work* work;
    float* more[3];         /* per slot: velocity change beside the network's */
    float* plastic[6];      /* per region: U - 1 of the rest shape (match/plastic_wide.h) */
    bool flowed;            /* it may be other than 0 */
    const match_rest* rest; /* null: nodes are as the body has them */
    /* per region: strain that has flowed into `rest`, and how many times wider it is to be so that
     * its volume is that of the body's x0; null: no such rest */
    const float *past, *swell;
} match_body;

/* Times of the passes, in seconds, added to. */
typedef struct match_times {
    double sums, regions, goals;
} match_times;

/* A stiff body takes up to so many substeps; and the share of the asked modulus that is enough. */
enum { MATCH_SUBSTEPS = 8 };
#define MATCH_ENOUGH 0.95
/* alpha at most: three quarters of 2, beyond which a node ends farther from its goal than it was
 * and the most damping makes a substep unstable. With nine tenths soft pins, friction and plastic
 * flow show more of long substeps than their tests allow. */
#define MATCH_MOST_ALPHA 1.5
/* Where cells have several sizes the fine ones have little mass and get least, so the mean alone
 * says nothing of thin parts: all but one in MATCH_FEW regions have to get so much, too. In bodies
 * of one cell size that follows from the mean: less than that have only the regions at tips and
 * edges, one in seven of a flower's, and one in twelve of a creature's. */
enum { MATCH_FEW = 5 };
#define MATCH_MOST_GET 0.8

/* Share of the modulus that can be had with substep h: mean over the regions' mass of min(1, most /
 * alpha) with alpha = E h^2 / (rho sigma^2) and the most that a region bears (match/gains.c); 1
 * when alpha is given. */
double match_share(const regions* r, const match_material* material, double h);
/* Whether all but a few regions get enough, each counted as one. */
bool match_most_get(const regions* r, const match_material* material, double h);
/* The same of each component, {share, mass} in `out`; a component without mass has a share of 1. */
void match_component_shares(const regions* r, const match_material* material, double h,
                            const int32_t* region_component, int32_t count, double* out);
/* Share of the stiffness of volume that can be had with substep h, likewise; 1 when none is asked
 * for. */
double match_volume_share(const regions* r, const match_material* material, double h);
/* Fills the gains for substep h. Needed after a change of h, material, scale or topology. Uses
 * `adjoint` as scratch. */
void match_refresh(match_body* m, const match_material* material, double h, isa set, workers* pool);

/* After a change of material->stiffness alone, of the regions that are touched: their gains, and
 * the sums of the nodes in them (of a lattice with windows: all sums). The bits are those of
 * match_refresh, which it leaves the work to when the body's damping changes. mark: scratch, a byte
 * per record of the net. */
void match_refresh_some(match_body* m, const match_material* material, const uint8_t* touched,
                        uint8_t* mark, isa set, workers* pool);

/* One matching pass: velocities change (gravity included), positions do not. Needs the components'
 * sums of this step. want_affine: also write the affine parts B. `times` may be null. */
void match_step(match_body* m, bool want_affine, isa set, workers* pool, const lim_host* host,
                match_times* times);

/* Recomputes the affine part B of every node: of rigid goals from the region quaternions alone; of
 * others from positions too, with the components' sums, which must be those of the positions. After
 * load and reset; and at the end of a step where goals are not rigid, for a match_step leaves the
 * parts of the positions it began with. */
void match_affine(match_body* m, isa set, workers* pool);

/* Writes the displacements from m->rest, if there is one, as passes do. */
void match_take_rest(match_body* m);

/* Elastic energy of the goals in unit mass * unit length^2 / s^2, at substep h: sum over nodes and
 * regions of 1/2 w alpha m~ |T_r x0 - x|^2 / h^2, in the time of the network's lists. Uses
 * `forward` and `adjoint` as scratch. For reports and tests. */
double match_energy(match_body* m, double h);

#endif
