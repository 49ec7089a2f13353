/* SPDX-License-Identifier: MIT
 * The inside of a shell: what shell_create makes and shell_solve works on.
 */
#ifndef LIMBER_SHELL_PARTS_H
#define LIMBER_SHELL_PARTS_H

#include "shell/block_matrix.h"
#include "shell/membrane.h"
#include "shell/shell.h"

/* Blocks of an element with n corners: row p of the lower triangle begins at p (p + 1) / 2. */
enum { TRIANGLE_BLOCKS = 6, HINGE_BLOCKS = 10 };

typedef struct shell_hinge {
    int32_t corner[4]; /* both ends of the edge, then the far corners (shell/hinge.h) */
    double angle;      /* at rest */
    double stiffness;  /* joule: D |e|^2 / (A1 + A2) */
} shell_hinge;

struct shell {
    arena mem; /* owns every array below, and the shell */
    int32_t vertex_count, triangle_count, hinge_count, sliver_count;
    bool closed;
    double rest_volume, edge_length; /* mean */
    double stiffness;                /* E t, newton per metre */
    membrane_material material;
    int32_t* triangle;
    membrane_rest* sheet; /* per triangle, at rest; thinned by `thinned` of the pose */
    membrane_rest* thinned;
    shell_hinge* hinge;
    int32_t* triangle_block; /* TRIANGLE_BLOCKS per triangle: blocks of the matrix */
    int32_t* hinge_block;    /* HINGE_BLOCKS per hinge */
    block_matrix matrix, factor;
    block_work work;
    lim_point *gradient, *step, *trial, *swell; /* per vertex; swell: the volume's gradient */
    lim_point *from, *goal;                     /* of held vertices */
    uint8_t* held;
};

/* What the energy is made of at some x. */
typedef struct shell_terms {
    double elastic;  /* stretching and bending */
    double total;    /* with pressure and loads: what is least at equilibrium */
    double rounding; /* the size of what was summed up in it */
    double volume, pressure;
} shell_terms;

/* out_gradient: per vertex, also of held ones; null: the energy alone. */
shell_terms shell_energy(const shell* s, const shell_pose* pose, const lim_point* x,
                         lim_point* out_gradient);
/* Adds to each vertex a third of the areas of its triangles along their normals, times scale: the
 * force of a pressure, or the gradient of the volume of a closed surface. */
void shell_add_swell(const shell* s, const lim_point* x, double scale, lim_point* out);
/* Fills s->matrix: stretching projected (or not: `part`), bending by Gauss and Newton, pressure as
 * it is; and s->swell, with which bulk acts as a rank-one part. Held vertices are rows of the
 * identity times E t. */
void shell_assemble(shell* s, const shell_pose* pose, const lim_point* x, membrane_part part,
                    double pressure);
block_rank shell_bulk(const shell* s, const shell_pose* pose);

#endif
