/* SPDX-License-Identifier: MIT
 * The kernels of `hex`, compiled per instruction set (hex/hex_kernel.c). Ranges are groups of
 * elements, pairs of nodes, or pairs of a vector's rows.
 */
#ifndef LIMBER_HEX_KERNEL_H
#define LIMBER_HEX_KERNEL_H

#include "base/isa.h"
#include "hex/hex_level.h"
#include "match/match.h"

typedef struct hex_kernels {
    /* out = scale sum_e R K R^T x, each element for itself */
    void (*apply)(const hex_level* l, const float* x, float scale, int32_t begin, int32_t end);
    /* out = R K (R^T (X + d) - U X), X the corners at rest, U = 1 + the plastic strain */
    void (*force)(const hex_level* l, const float* d, int32_t begin, int32_t end);
    /* Lets the material of the body's cells flow, as match/plastic_wide.h says, at displacements d
     */
    void (*flow)(hex_level* l, const match_gains* g, const float* d, int32_t begin, int32_t end);
    /* Rotations of the body's cells from the displacements d, from q on. */
    void (*rotate)(hex_level* l, const float* d, int32_t begin, int32_t end);
    /* Those of the pieces of a finer level, which are their elements' mean. */
    void (*rotate_pieces)(const hex_level* fine, hex_level* l, int32_t begin, int32_t end);
    /* The blocks of the diagonal, turned: xx yy zz (part 0) or xy xz yz (part 1) */
    void (*diagonal)(const hex_level* l, int32_t part, int32_t begin, int32_t end);
    /* to[row * stride + offset ...] = what elements have left for each node, 4 floats */
    void (*sums)(const hex_level* l, float* to, int32_t stride, int32_t begin, int32_t end);
    /* inverse = (mass + scale diagonal)^-1 */
    void (*invert)(hex_level* l, float scale, int32_t begin, int32_t end);
    /* q = m p + sums; returns p.q */
    double (*product)(const hex_level* l, const float* p, float* q, int32_t begin, int32_t end);
    /* r = b, p = c D^-1 r, x = p */
    void (*smooth_first)(hex_level* l, float c, int32_t begin, int32_t end);
    /* x += p where asked; r -= m p + sums; p = c1 p + c2 D^-1 r, x += p */
    void (*smooth)(hex_level* l, float c1, float c2, bool add, int32_t begin, int32_t end);
    /* r -= m p + sums */
    void (*residual)(hex_level* l, int32_t begin, int32_t end);
    /* to = rows of `from`, weighted; nodes */
    void (*weigh)(const hex_rows* rows, const float* from, float* to, int32_t begin, int32_t end);
    double (*dot)(const float* a, const float* b, int32_t begin, int32_t end);
    /* y = x + c y, and y += c x */
    void (*scale_add)(const float* x, float c, float* y, int32_t begin, int32_t end);
    void (*add_scaled)(const float* x, float c, float* y, int32_t begin, int32_t end);
    void (*factor)(skyline* s);
    void (*solve)(const skyline* s, double* y);
} hex_kernels;

const hex_kernels* hex_kernels_for(isa set);

#endif
