/* SPDX-License-Identifier: MIT
 * The accurate model behind trained detail: a thin shell over the triangles of a surface, at rest
 * in equilibrium with its loads. Triangles resist stretching (shell/membrane.h), edges bending
 * (shell/hinge.h), the space inside a closed surface being pressed; vertices may be held. Offline:
 * in double, one thread, as exact as asked for. The same calls give the same bits on every machine.
 *
 * Units: metre, newton, pascal. A surface is as its triangles say: vertices at the same place are
 * not the same vertex.
 */
#ifndef LIMBER_SHELL_H
#define LIMBER_SHELL_H

#include <limber/base.h>

typedef struct shell shell;

typedef struct shell_desc {
    int32_t vertex_count, triangle_count;
    const lim_point* rest;    /* per vertex */
    const int32_t* triangles; /* 3 per triangle, outward by the right-hand rule */
    double thickness;         /* metres, > 0 */
    double youngs_modulus;    /* pascal, > 0 */
    double poisson_ratio;     /* of the sheet, -0.99..0.99 */
    double seam_angle;        /* edges that turn by more than this at rest, radians, do not resist
                                 bending: two sheets sewn together have a turn of pi there */
} shell_desc;
/* 1 mm of 1 MPa, Poisson's ratio 0.3, seams beyond 2.8 rad; the surface is the caller's. */
shell_desc shell_desc_default(void);

/* The arrays of desc are copied. LIM_ERROR_ARGUMENT: a value out of range, an index beyond the
 * vertices, a triangle that names a vertex twice, more than two triangles at an edge or two that do
 * not turn alike; the log says where. O(n log n). */
lim_result shell_create(const shell_desc* desc, const lim_host* host, shell** out);
void shell_destroy(shell* s);

typedef struct shell_info {
    bool closed;     /* no edge has one triangle only: there is an inside */
    double volume;   /* m^3 at rest, of a closed surface */
    int32_t hinges;  /* edges that resist bending */
    int32_t slivers; /* triangles without area, which resist nothing */
} shell_info;
shell_info shell_get_info(const shell* s);

/* What acts on the shell. Arrays are borrowed. */
typedef struct shell_pose {
    double pressure; /* pascal above the outside; of a closed surface only */
    double bulk;     /* pascal: and bulk (1 - volume / fill) more; 0: none. Of a closed surface */
    double fill;     /* m^3 at which the inside has no pressure of its own */
    const lim_point* load; /* newton per vertex, or null */
    /* A foundation: springs that draw each vertex to an anchor, newton per metre, 0 or more; null:
     * none. What lies below a skin and does not let it go. */
    const double* spring;
    const lim_point* anchor;
    const double* thinning;  /* per triangle: the material behind it is pressed to this share of its
                                thickness, > 0, and grows sideways to keep its volume; null: 1 */
    const uint8_t* held;     /* per vertex: not 0 stays where it is put; or null */
    const lim_point* goal;   /* per vertex, read for those: where it is put; null: where it is */
    int32_t increments;      /* held vertices move to their goals in so many equal steps, 1..1000 */
    double tolerance;        /* of the residual, see shell_report; > 0 */
    int32_t most_iterations; /* Newton steps for each increment, > 0 */
} shell_pose;
/* Nothing acts; 1 increment, residual 1e-3, 200 iterations. */
shell_pose shell_pose_default(void);

typedef struct shell_report {
    bool converged;     /* the last increment met the tolerance */
    double residual;    /* rms force left on free vertices / rms load on all: pressure, loads,
                           springs, and what holds the held ones */
    double load;        /* that rms load, newton */
    double energy;      /* joule, of stretching and bending */
    double volume;      /* m^3, of a closed surface */
    double pressure;    /* pascal, pressure and bulk together */
    int32_t iterations; /* Newton steps, all increments together */
    int32_t solves;     /* steps of conjugate gradients in them */
    int32_t retreats;   /* steps that had to be shortened */
} shell_report;

/* Moves x (per vertex: where the search begins, and what it has found) towards equilibrium. What
 * several equilibria are near to each other depends on the start: give a slight disturbance where
 * symmetry must break. LIM_OK also when the tolerance was not met: the report says so.
 * LIM_ERROR_ARGUMENT: a value out of range, pressure in an open surface, a triangle without area at
 * the start. No memory is taken. */
lim_result shell_solve(shell* s, const shell_pose* pose, lim_point* x, shell_report* out_report);

#endif
