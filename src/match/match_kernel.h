/* SPDX-License-Identifier: MIT
 * The kernels of matching, compiled per instruction set (match/match_kernel.c). Ranges are slots or
 * regions, multiples of 8.
 */
#ifndef LIMBER_MATCH_KERNEL_H
#define LIMBER_MATCH_KERNEL_H

#include "match/match.h"

/* What a component does as a whole. Its rigid motion is something matching does not see: displaced
 * by `shift` and moving with v = a + w cross x in coordinates less the shift. Both are taken out
 * before anything is summed: then rounding is relative to the deformation. `push` = a + w cross x
 * is added: the opposite of the impulse that rounding has left; gravity too. */
typedef struct match_rigid {
    float anchor[3]; /* rest positions are less this one's */
    float shift[3], a[3], w[3];
    float push_a[3], push_w[3];
    float own_a[3], own_w[3]; /* what is rigid in own velocities, a + w cross x */
    float gravity[3];         /* times the substep */
} match_rigid;

enum { MATCH_SUMS = 15 };

typedef struct match_kernels {
    /* node state -> forward records of the nodes; the own motion: m v (3), m x cross v (3),
     * m d (3) and m x x^T (6: xx yy zz xy xz yz) */
    void (*leaves)(const match_body* m, int32_t begin, int32_t end, const match_rigid* rigid,
                   double out_own[MATCH_SUMS]);
    /* the same with records in a chart; the own motion is still in the component's frame */
    void (*chart_leaves)(const match_body* m, int32_t begin, int32_t end, const match_rigid* rigid,
                         const match_chart* chart, double out_own[MATCH_SUMS]);
    /* node state -> forward records of ghosts, records [begin, end) */
    void (*ghost_leaves)(const match_body* m, int32_t begin, int32_t end, const match_rigid* rigid,
                         const match_chart* chart);
    /* sums over the region lists -> rotations -> adjoint records of the regions; the first index:
     * match_shape, the second: watched (match/guide.h) */
    void (*regions[3][2])(const match_body* m, int32_t begin, int32_t end);
    /* adjoint records of the regions from the quaternions alone, nothing but g (R - 1) */
    void (*rotations)(const match_body* m, int32_t begin, int32_t end);
    /* the same of linear goals: from the quaternions and the sums, which the leaves have made */
    void (*shapes)(const match_body* m, int32_t begin, int32_t end);
    /* sums over each ghost's lists -> its adjoint record holds what it gives its node: the matrix
     * sum g (R - 1) (0 to 8), the velocity change (9 to 11) and sum g (15) */
    void (*ghost_goals)(const match_body* m, int32_t begin, int32_t end, const match_rigid* rigid,
                        const match_chart* chart);
    /* sums over each node's lists -> velocities; what was really added but for gravity: impulse m
     * dv (3) and m x cross dv (3) */
    void (*goals)(const match_body* m, int32_t begin, int32_t end, const match_rigid* rigid,
                  bool want_affine, double out_added[6]);
    /* the same with match_body.more, which is added to what the regions pull */
    void (*goals_more)(const match_body* m, int32_t begin, int32_t end, const match_rigid* rigid,
                       bool want_affine, double out_added[6]);
    /* as goals, in a chart, with what its ghosts give each node */
    void (*chart_goals)(const match_body* m, int32_t begin, int32_t end, const match_rigid* rigid,
                        const match_chart* chart, bool want_affine, double out_added[6]);
    /* sums over each node's lists, and its ghosts -> affine part alone */
    void (*affine)(const match_body* m, int32_t begin, int32_t end);
} match_kernels;

const match_kernels* match_kernels_for(isa set);

#endif
