/* SPDX-License-Identifier: MIT
 * The printed step on the cube that `limber bench step` measures: hung by its topmost layer of
 * nodes, with gravity and damping.
 */
#ifndef LIMBER_PAPER_CUBE_H
#define LIMBER_PAPER_CUBE_H

#include <limber/base.h>

/* Half-width of a region in cells. At 1 a region is a few nodes of many blocks (18 summation nodes
 * for 25 members); at 3/2 it is made of whole blocks and the printed step is at its fastest. */
#define PAPER_CUBE_WIDTH 1.5

typedef struct paper_cube paper_cube;

typedef struct paper_cube_info {
    int32_t nodes;
    double width; /* cells */
    double members, summation_nodes;
} paper_cube_info;

/* Seconds of a step: eq. 6 to 8 with the update, rotations, damping with its own sums. */
typedef struct paper_cube_times {
    double sums, rotations, damping;
} paper_cube_times;

/* `side` cells along each edge, of `cell` metres. */
lim_result paper_cube_create(int32_t side, double cell, double width, const lim_host* host,
                             paper_cube** out_cube);
void paper_cube_destroy(paper_cube* c); /* null is allowed */
paper_cube_times paper_cube_step(paper_cube* c, float h);
paper_cube_info paper_cube_get_info(const paper_cube* c);
/* Of positions and velocities. */
uint64_t paper_cube_hash(const paper_cube* c);

#endif
