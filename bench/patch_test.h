/* SPDX-License-Identifier: MIT
 * The patch test: a box through the library's own sampler, deformed evenly by 10 %, and how far the
 * goals in its interior are from the nodes. There is no force in an evenly stretched block, so they
 * should not be off at all. Regions of any of the three builders, over cells of one size or across
 * a change of sizes.
 */
#ifndef LIMBER_PATCH_TEST_H
#define LIMBER_PATCH_TEST_H

#include <limber/base.h>

typedef enum patch_regions {
    PATCH_INTERVAL, /* one region per node, eps = 1/2, as printed in 2008 */
    PATCH_BALLS,    /* one region per node, every node within the width */
    PATCH_BLENDED   /* overlapping tents, the default of bodies */
} patch_regions;

/* x += 0.1 x; x += 0.1 y; x -= 0.1 x y / s, y += 0.05 x^2 / s with s half the length. */
typedef enum patch_field { PATCH_STRETCH, PATCH_SHEAR, PATCH_BEND, PATCH_FIELDS } patch_field;

typedef struct patch_plan {
    patch_regions kind;
    int32_t cells[3]; /* the box; where the planes of the tree lie in it follows from its size */
    double width;     /* of the regions, in cells; balls and intervals round to half ones */
    bool even;        /* finest cells, the same width in space; else cells of each node */
    int32_t jump;     /* levels by which cells of the half x > 0 are larger; not with balls */
    double margin;    /* finest cells between the interior and the ends of x and y */
} patch_plan;

typedef struct patch_result {
    int32_t nodes, regions, inside; /* inside: nodes in the interior */
    int32_t sizes;                  /* of cells in the interior */
    double off[PATCH_FIELDS];       /* largest distance in the interior, finest cells */
} patch_result;

lim_result patch_test(const patch_plan* plan, const lim_host* host, patch_result* out);

/* A plate large enough for regions of this width, and its interior. `shift`, 0 to 7, moves the
 * planes of the tree against it. */
patch_plan patch_plate(patch_regions kind, double width, bool even, int32_t jump, int32_t shift);

/* The largest of all fields over `shifts` shifts; NaN when the interior has no node of each size.
 */
lim_result patch_worst(patch_regions kind, double width, bool even, int32_t jump, int32_t shifts,
                       const lim_host* host, double* out_off);

#endif
