/* SPDX-License-Identifier: MIT
 * Job: the loops of `hex`, compiled once per instruction set. In: a level, vectors over its nodes.
 * Out: what its elements do to these, sums over nodes, smoothed corrections. Lanes are 8 elements,
 * or the three axes of two nodes; nothing is summed across lanes but products in double, in a fixed
 * order. Equations in hex/element.h and hex/cycle.h.
 */
#include "hex/hex_kernel.h"

#include "match/plastic_wide.h"

#include <string.h>

/* ---- elements -----------------------------------------------------------------------------------
 */

enum { MATRIX = HEX_ENTRIES * HEX_LANES, TURN = 9 * HEX_LANES, ROWS = 4 * HEX_GROUP };

/* u[axis][corner] of 8 elements. */
KERNEL_INLINE void load_corners(const int32_t* corner, const float* x, fw u[3][8]) {
    for (int c = 0; c < 8; ++c) {
        fw r[4];
        for (int i = 0; i < 4; ++i) {
            r[i] =
                fw_pair4(x + 4 * (size_t)corner[8 * c + i], x + 4 * (size_t)corner[8 * c + i + 4]);
        }
        fw_turn4(r);
        for (int a = 0; a < 3; ++a) {
            u[a][c] = r[a];
        }
    }
}

KERNEL_INLINE void store_corners(fw u[3][8], float* out) {
    for (int c = 0; c < 8; ++c) {
        const fw r[4] = {u[0][c], u[1][c], u[2][c], fw_zero()};
        fw_store4(out + 32 * c, r);
    }
}

/* Values at the corners to modes, and forces on modes to forces on corners. */
KERNEL_INLINE void to_modes(fw u[8]) {
    for (int bit = 1; bit < 8; bit *= 2) {
        for (int c = 0; c < 8; ++c) {
            if ((c & bit) == 0) {
                fw a = u[c], b = u[c | bit];
                u[c] = fw_add(a, b);
                u[c | bit] = fw_sub(b, a);
            }
        }
    }
}

KERNEL_INLINE void to_corners(fw u[8]) {
    for (int bit = 1; bit < 8; bit *= 2) {
        for (int c = 0; c < 8; ++c) {
            if ((c & bit) == 0) {
                fw a = u[c], b = u[c | bit];
                u[c] = fw_sub(a, b);
                u[c | bit] = fw_add(a, b);
            }
        }
    }
}

KERNEL_INLINE void load_turn(const hex_level* l, int32_t group, fw n[9]) {
    for (int k = 0; k < 9; ++k) {
        n[k] = fw_load(l->turn + (size_t)group * TURN + 8 * k);
    }
}

KERNEL_INLINE void add_identity(fw n[9]) {
    for (int k = 0; k < 9; k += 4) {
        n[k] = fw_add(n[k], fw_set1(1.0f));
    }
}

/* w = R^T u and u = R o, of all modes but the translation. */
KERNEL_INLINE void turn_back(const fw r[9], fw u[3][8], fw w[3][8]) {
    for (int f = 1; f < 8; ++f) {
        for (int a = 0; a < 3; ++a) {
            w[a][f] = rotation_dot(r[a], r[3 + a], r[6 + a], u[0][f], u[1][f], u[2][f]);
        }
    }
}

KERNEL_INLINE void turn_forth(const fw r[9], fw o[3][8], fw u[3][8]) {
    for (int a = 0; a < 3; ++a) {
        u[a][0] = fw_zero();
    }
    for (int f = 1; f < 8; ++f) {
        for (int a = 0; a < 3; ++a) {
            u[a][f] = rotation_dot(r[3 * a], r[3 * a + 1], r[3 * a + 2], o[0][f], o[1][f], o[2][f]);
        }
    }
}

/* hex_cube_matrix times the modes w. */
KERNEL_INLINE void cube_times(fw lambda, fw mu, fw plane, fw w[3][8], fw o[3][8]) {
    const fw third = fw_set1(1.0f / 3.0f);
    fw mu2 = fw_add(mu, mu), mu3 = fw_mul(mu, third);
    /* stretches and shears */
    fw t = fw_mul(lambda, fw_add(fw_add(w[0][1], w[1][2]), w[2][4]));
    for (int a = 0; a < 3; ++a) {
        int b = (a + 1) % 3;
        o[a][1 << a] = fw_add(t, fw_mul(mu2, w[a][1 << a]));
        o[a][1 << b] = o[b][1 << a] = fw_mul(mu, fw_add(w[a][1 << b], w[b][1 << a]));
    }
    /* bending, about each axis in two directions */
    fw flat = fw_mul(plane, third), stiff = fw_add(mu3, mu3);
    for (int x = 0; x < 3; ++x) {
        int b = (x + 1) % 3, c = (x + 2) % 3, i = 1 << x | 1 << b, j = 1 << x | 1 << c;
        fw both = fw_mul(flat, fw_add(w[b][i], w[c][j]));
        o[b][i] = fw_add(both, fw_mul(stiff, w[b][i]));
        o[c][j] = fw_add(both, fw_mul(stiff, w[c][j]));
    }
    /* twists, and the mode of all three axes */
    fw twist = fw_add(fw_add(w[0][6], w[1][5]), w[2][3]);
    fw last = fw_mul(fw_add(lambda, fw_add(mu2, mu2)), fw_set1(1.0f / 9.0f));
    for (int a = 0; a < 3; ++a) {
        o[a][7 ^ 1 << a] = fw_mul(mu3, fw_add(twist, w[a][7 ^ 1 << a]));
        o[a][7] = fw_mul(last, w[a][7]);
    }
}

/* A packed symmetric matrix (hex_entry) times the modes w. */
KERNEL_INLINE void matrix_times(const float* k, fw w[3][8], fw o[3][8]) {
    for (int f = 1; f < 8; ++f) {
        fw sum[3] = {fw_zero(), fw_zero(), fw_zero()};
        for (int g = 1; g < f; ++g, k += 9 * HEX_LANES) {
            for (int b = 0; b < 3; ++b) {
                fw back = o[b][g];
                for (int a = 0; a < 3; ++a) {
                    fw entry = fw_load(k + HEX_LANES * (3 * a + b));
                    sum[a] = fw_mad(entry, w[b][g], sum[a]);
                    back = fw_mad(entry, w[a][f], back);
                }
                o[b][g] = back;
            }
        }
        static const int place[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
        for (int a = 0; a < 3; ++a) {
            for (int b = 0; b < 3; ++b) {
                sum[a] = fw_mad(fw_load(k + HEX_LANES * place[3 * a + b]), w[b][f], sum[a]);
            }
            o[a][f] = sum[a];
        }
        k += 6 * HEX_LANES;
    }
}

/* o = scale K w of one group. */
KERNEL_INLINE void group_times(const hex_level* l, int32_t g, bool cube, fw scale, fw w[3][8],
                               fw o[3][8]) {
    if (cube) {
        const float* m = l->lame + (size_t)g * 3 * HEX_LANES;
        cube_times(fw_mul(scale, fw_load(m)), fw_mul(scale, fw_load(m + 8)),
                   fw_mul(scale, fw_load(m + 16)), w, o);
        return;
    }
    for (int f = 1; f < 8; ++f) {
        for (int a = 0; a < 3; ++a) {
            w[a][f] = fw_mul(scale, w[a][f]);
        }
    }
    matrix_times(l->matrix + (size_t)(g - l->cubes) * MATRIX, w, o);
}

KERNEL_PASS void apply_groups(const hex_level* l, const float* x, float scale, bool cube,
                              int32_t begin, int32_t end) {
    for (int32_t g = begin; g < end; ++g) {
        fw u[3][8], w[3][8], o[3][8], r[9];
        load_corners(l->group_corner + (size_t)g * HEX_GROUP, x, u);
        for (int a = 0; a < 3; ++a) {
            to_modes(u[a]);
        }
        load_turn(l, g, r);
        add_identity(r);
        turn_back(r, u, w);
        group_times(l, g, cube, fw_set1(scale), w, o);
        turn_forth(r, o, u);
        for (int a = 0; a < 3; ++a) {
            to_corners(u[a]);
        }
        store_corners(u, l->out + (size_t)g * ROWS);
    }
}

KERNEL_INLINE void load_strain(const hex_level* l, int32_t group, fw p[6]) {
    for (int k = 0; k < 6; ++k) {
        p[k] = fw_load(l->strain + (size_t)group * 6 * HEX_LANES + 8 * k);
    }
}

/* Modes of R^T (X + d) - U X = d + (R - 1)^T (X + d) - (U - 1) X. X has only the modes of its own
 * axes, 4 edges each. */
KERNEL_INLINE void strain_modes(const hex_level* l, int32_t group, const fw n[9], fw u[3][8],
                                fw w[3][8]) {
    fw four = fw_set1(4.0f * l->edge);
    turn_back(n, u, w);
    for (int f = 1; f < 8; ++f) {
        for (int a = 0; a < 3; ++a) {
            w[a][f] = fw_add(w[a][f], u[a][f]);
        }
    }
    for (int k = 0; k < 3; ++k) {
        for (int a = 0; a < 3; ++a) {
            w[a][1 << k] = fw_mad(four, n[3 * k + a], w[a][1 << k]);
        }
    }
    if (l->strained) {
        fw p[6];
        load_strain(l, group, p);
        for (int k = 0; k < 9; ++k) {
            fw* to = &w[k / 3][1 << k % 3];
            *to = fw_sub(*to, fw_mul(four, p[plastic_symmetric[k]]));
        }
    }
}

KERNEL_PASS void force_groups(const hex_level* l, const float* d, bool cube, int32_t begin,
                              int32_t end) {
    for (int32_t g = begin; g < end; ++g) {
        fw u[3][8], w[3][8], o[3][8], r[9];
        load_corners(l->group_corner + (size_t)g * HEX_GROUP, d, u);
        for (int a = 0; a < 3; ++a) {
            to_modes(u[a]);
        }
        load_turn(l, g, r);
        strain_modes(l, g, r, u, w);
        group_times(l, g, cube, fw_set1(1.0f), w, o);
        add_identity(r);
        turn_forth(r, o, u);
        for (int a = 0; a < 3; ++a) {
            to_corners(u[a]);
        }
        store_corners(u, l->out + (size_t)g * ROWS);
    }
}

static int32_t cubes_end(const hex_level* l, int32_t begin, int32_t end) {
    int32_t border = l->cubes < end ? l->cubes : end;
    return border > begin ? border : begin;
}

static void hex_apply(const hex_level* l, const float* x, float scale, int32_t begin, int32_t end) {
    int32_t border = cubes_end(l, begin, end);
    apply_groups(l, x, scale, true, begin, border);
    apply_groups(l, x, scale, false, border, end);
}

static void hex_force(const hex_level* l, const float* d, int32_t begin, int32_t end) {
    int32_t border = cubes_end(l, begin, end);
    force_groups(l, d, true, begin, border);
    force_groups(l, d, false, border, end);
}

/* ---- rotations ----------------------------------------------------------------------------------
 */

/* A warm start takes two steps; a cell that is turned inside out some more. */
enum { STEPS_MOST = 8 };
/* A step that moves q by less, squared, is the last: the next would be of its square. */
#define STEP_LEAST 1e-8f

KERNEL_INLINE void settle_rotation(const fw A[9], float* q_at, float* turn_at) {
    fw q[4], n[9];
    rotation_scaled ready = rotation_scale(A, fw_zero());
    for (int k = 0; k < 4; ++k) {
        q[k] = fw_load(q_at + 8 * k);
    }
    for (int step = 0; step < STEPS_MOST; ++step) {
        fw was[4] = {q[0], q[1], q[2], q[3]}, moved = fw_zero();
        rotation_step(&ready, q);
        for (int k = 0; k < 4; ++k) {
            fw by = fw_sub(q[k], was[k]);
            moved = fw_mad(by, by, moved);
        }
        if (!mw_any(fw_gt(moved, fw_set1(STEP_LEAST)))) {
            break;
        }
    }
    rotation_matrix_minus_identity(q, n);
    for (int k = 0; k < 4; ++k) {
        fw_store(q_at + 8 * k, q[k]);
    }
    for (int k = 0; k < 9; ++k) {
        fw_store(turn_at + 8 * k, n[k]);
    }
}

/* The mean gradient of the displacement of 8 cells. */
KERNEL_INLINE void mean_gradient(const hex_level* l, int32_t group, const float* d, fw out[9]) {
    fw u[3][8], quarter = fw_set1(0.25f / l->edge);
    load_corners(l->group_corner + (size_t)group * HEX_GROUP, d, u);
    for (int a = 0; a < 3; ++a) {
        to_modes(u[a]);
        for (int k = 0; k < 3; ++k) {
            out[3 * a + k] = fw_mul(quarter, u[a][1 << k]);
        }
    }
}

/* (1 + a) U^-1 - 1, in place of a */
KERNEL_INLINE void take_strain(const hex_level* l, int32_t group, fw a[9]) {
    fw p[6], back[6];
    load_strain(l, group, p);
    plastic_inverse_of(p, back);
    plastic_times(a, back);
}

static void hex_rotate(hex_level* l, const float* d, int32_t begin, int32_t end) {
    for (int32_t g = begin; g < end; ++g) {
        fw A[9];
        mean_gradient(l, g, d, A);
        if (l->strained) {
            take_strain(l, g, A);
        }
        for (int k = 0; k < 9; k += 4) {
            A[k] = fw_add(A[k], fw_set1(1.0f));
        }
        settle_rotation(A, l->q + (size_t)g * 4 * HEX_LANES, l->turn + (size_t)g * TURN);
    }
}

/* det (1 + a) */
KERNEL_INLINE fw whole_volume(const fw a[9]) {
    fw one = fw_set1(1.0f), x = fw_add(one, a[0]), y = fw_add(one, a[4]), z = fw_add(one, a[8]);
    fw first = fw_sub(fw_mul(y, z), fw_mul(a[5], a[7]));
    fw second = fw_sub(fw_mul(a[5], a[6]), fw_mul(a[3], z));
    fw third = fw_sub(fw_mul(a[3], a[7]), fw_mul(y, a[6]));
    return rotation_dot(x, a[1], a[2], first, second, third);
}

static void hex_flow(hex_level* l, const match_gains* gains, const float* d, int32_t begin,
                     int32_t end) {
    for (int32_t g = begin; g < end; ++g) {
        fw a[9], c[6], p[6];
        mean_gradient(l, g, d, a);
        fw volume = whole_volume(a);
        take_strain(l, g, a);
        plastic_square(a, c);
        if (!mw_any(plastic_may_yield(c, fw_set1(gains->yield)))) {
            continue;
        }
        load_strain(l, g, p);
        plastic_flow(gains, c, volume, NULL, p);
        for (int k = 0; k < 6; ++k) {
            fw_store(l->strain + (size_t)g * 6 * HEX_LANES + 8 * k, p[k]);
        }
    }
}

/* The sum of the rotations of a piece's elements; `q` is that of the first. */
static void sum_piece(const hex_level* fine, int32_t piece, int lane, float A[9][HEX_LANES],
                      float* q) {
    for (int32_t i = fine->piece_first[piece]; i < fine->piece_first[piece + 1]; ++i) {
        int32_t from = fine->lane[fine->piece_item[i]];
        size_t group = (size_t)(from / HEX_LANES);
        const float* turn = fine->turn + group * TURN + from % HEX_LANES;
        for (int k = 0; k < 9; ++k) {
            A[k][lane] += turn[8 * k] + (k % 4 == 0 ? 1.0f : 0.0f);
        }
        for (int k = 0; k < 4 && i == fine->piece_first[piece]; ++k) {
            q[8 * k + lane] = fine->q[group * 4 * HEX_LANES + (size_t)(8 * k + from % HEX_LANES)];
        }
    }
}

static void hex_rotate_pieces(const hex_level* fine, hex_level* l, int32_t begin, int32_t end) {
    for (int32_t g = begin; g < end; ++g) {
        _Alignas(32) float sums[9][HEX_LANES] = {{0}};
        float* q = l->q + (size_t)g * 4 * HEX_LANES;
        fw A[9];
        for (int lane = 0; lane < HEX_LANES; ++lane) {
            int32_t piece = l->element[g * HEX_LANES + lane];
            if (piece >= 0) {
                sum_piece(fine, piece, lane, sums, q);
            }
        }
        for (int k = 0; k < 9; ++k) {
            A[k] = fw_load(sums[k]);
        }
        settle_rotation(A, q, l->turn + (size_t)g * TURN);
    }
}

/* ---- the diagonal -------------------------------------------------------------------------------
 */

/* R B R^T, of the symmetric block B: its diagonal or the rest. */
KERNEL_INLINE void turn_block(const fw r[9], const float* block, int32_t part, fw out[4]) {
    fw b[6], t[9];
    for (int k = 0; k < 6; ++k) {
        b[k] = fw_load(block + 8 * k);
    }
    for (int i = 0; i < 3; ++i) {
        fw x = r[3 * i], y = r[3 * i + 1], z = r[3 * i + 2];
        t[3 * i] = rotation_dot(x, y, z, b[0], b[3], b[4]);
        t[3 * i + 1] = rotation_dot(x, y, z, b[3], b[1], b[5]);
        t[3 * i + 2] = rotation_dot(x, y, z, b[4], b[5], b[2]);
    }
    for (int k = 0; k < 3; ++k) {
        int i = part == 0 ? k : k / 2, j = part == 0 ? k : (k + 3) / 2;
        out[k] = rotation_dot(t[3 * i], t[3 * i + 1], t[3 * i + 2], r[3 * j], r[3 * j + 1],
                              r[3 * j + 2]);
    }
    out[3] = fw_zero();
}

static void hex_diagonal(const hex_level* l, int32_t part, int32_t begin, int32_t end) {
    for (int32_t g = begin; g < end; ++g) {
        fw r[9], out[4];
        load_turn(l, g, r);
        add_identity(r);
        for (int c = 0; c < 8; ++c) {
            turn_block(r, l->block + (size_t)(8 * g + c) * 6 * HEX_LANES, part, out);
            fw_store4(l->out + (size_t)g * ROWS + 32 * (size_t)c, out);
        }
    }
}

/* ---- nodes, two at a time -----------------------------------------------------------------------
 */

KERNEL_INLINE fw node_sum(const hex_level* l, int32_t pair) {
    fw sum = fw_zero();
    for (int32_t i = l->pair_first[pair]; i < l->pair_first[pair + 1]; ++i) {
        const int32_t* row = l->pair_row + 2 * (size_t)i;
        sum = fw_add(sum, fw_pair4(l->out + 4 * (size_t)row[0], l->out + 4 * (size_t)row[1]));
    }
    return sum;
}

static void hex_sums(const hex_level* l, float* to, int32_t stride, int32_t begin, int32_t end) {
    for (int32_t i = begin; i < end; ++i) {
        float* at = to + 2 * (size_t)i * (size_t)stride;
        fw_unpair4(at, at + stride, node_sum(l, i));
    }
}

/* The inverse of m + scale D of one node, as three columns. Scaled by its trace: products of three
 * neither overflow nor vanish. */
static void invert_node(float mass, float scale, const float* d, float column[3][4]) {
    float a = mass + scale * d[0], b = mass + scale * d[1], c = mass + scale * d[2];
    float unit = 1.0f / (a + b + c + 1e-30f);
    a *= unit;
    b *= unit;
    c *= unit;
    float e = scale * d[4] * unit, f = scale * d[5] * unit, g = scale * d[6] * unit;
    float xx = b * c - g * g, xy = f * g - e * c, xz = e * g - f * b;
    float yy = a * c - f * f, yz = e * f - a * g, zz = a * b - e * e;
    float det = a * xx + e * xy + f * xz;
    float q = det > 1e-12f ? unit / det : 0.0f;
    const float inverse[3][4] = {{xx, xy, xz, 0.0f}, {xy, yy, yz, 0.0f}, {xz, yz, zz, 0.0f}};
    for (int k = 0; k < 12; ++k) {
        column[k / 4][k % 4] = q * inverse[k / 4][k % 4];
    }
}

static void hex_invert(hex_level* l, float scale, int32_t begin, int32_t end) {
    for (int32_t i = begin; i < end; ++i) {
        for (int32_t side = 0; side < 2; ++side) {
            float column[3][4];
            size_t n = 2 * (size_t)i + (size_t)side;
            invert_node(l->mass[4 * n], scale, l->diagonal + 8 * n, column);
            for (int k = 0; k < 3; ++k) {
                memcpy(l->inverse + 24 * (size_t)i + 8 * k + 4 * side, column[k], sizeof column[k]);
            }
        }
    }
}

KERNEL_INLINE fw divided(const hex_level* l, int32_t pair, fw r) {
    const float* column = l->inverse + 24 * (size_t)pair;
    fw z = fw_mul(fw_load(column), fw_spread4(r, 0));
    z = fw_mad(fw_load(column + 8), fw_spread4(r, 1), z);
    return fw_mad(fw_load(column + 16), fw_spread4(r, 2), z);
}

static double hex_product(const hex_level* l, const float* p, float* q, int32_t begin,
                          int32_t end) {
    dw sum = dw_zero();
    for (int32_t i = begin; i < end; ++i) {
        size_t at = 8 * (size_t)i;
        fw x = fw_load(p + at), y = fw_mad(fw_load(l->mass + at), x, node_sum(l, i));
        fw_store(q + at, y);
        sum = dw_add(sum, dw_mul(dw_from(x), dw_from(y)));
    }
    return dw_sum(sum);
}

static void hex_smooth_first(hex_level* l, float c, int32_t begin, int32_t end) {
    for (int32_t i = begin; i < end; ++i) {
        size_t at = 8 * (size_t)i;
        fw r = fw_load(l->b + at), p = fw_mul(fw_set1(c), divided(l, i, r));
        fw_store(l->r + at, r);
        fw_store(l->p + at, p);
        fw_store(l->x + at, p);
    }
}

static void hex_smooth(hex_level* l, float c1, float c2, bool add, int32_t begin, int32_t end) {
    for (int32_t i = begin; i < end; ++i) {
        size_t at = 8 * (size_t)i;
        fw p = fw_load(l->p + at), x = fw_load(l->x + at);
        fw change = fw_mad(fw_load(l->mass + at), p, node_sum(l, i));
        fw r = fw_sub(fw_load(l->r + at), change);
        x = add ? fw_add(x, p) : x;
        p = fw_mad(fw_set1(c2), divided(l, i, r), fw_mul(fw_set1(c1), p));
        fw_store(l->r + at, r);
        fw_store(l->p + at, p);
        fw_store(l->x + at, fw_add(x, p));
    }
}

static void hex_residual(hex_level* l, int32_t begin, int32_t end) {
    for (int32_t i = begin; i < end; ++i) {
        size_t at = 8 * (size_t)i;
        fw change = fw_mad(fw_load(l->mass + at), fw_load(l->p + at), node_sum(l, i));
        fw_store(l->r + at, fw_sub(fw_load(l->r + at), change));
    }
}

static void hex_weigh(const hex_rows* rows, const float* from, float* to, int32_t begin,
                      int32_t end) {
    for (int32_t n = begin; n < end; ++n) {
        float sum[3] = {0.0f, 0.0f, 0.0f};
        for (int32_t i = rows->first[n]; i < rows->first[n + 1]; ++i) {
            const float* row = from + 4 * (size_t)rows->node[i];
            float w = rows->weight[i];
            sum[0] += w * row[0];
            sum[1] += w * row[1];
            sum[2] += w * row[2];
        }
        memcpy(to + 4 * (size_t)n, sum, sizeof sum);
    }
}

/* ---- vectors ------------------------------------------------------------------------------------
 */

static double hex_dot(const float* a, const float* b, int32_t begin, int32_t end) {
    dw sum = dw_zero();
    for (int32_t i = begin; i < end; ++i) {
        size_t at = 8 * (size_t)i;
        sum = dw_add(sum, dw_mul(dw_from(fw_load(a + at)), dw_from(fw_load(b + at))));
    }
    return dw_sum(sum);
}

static void hex_scale_add(const float* x, float c, float* y, int32_t begin, int32_t end) {
    for (int32_t i = begin; i < end; ++i) {
        size_t at = 8 * (size_t)i;
        fw_store(y + at, fw_mad(fw_set1(c), fw_load(y + at), fw_load(x + at)));
    }
}

static void hex_add_scaled(const float* x, float c, float* y, int32_t begin, int32_t end) {
    for (int32_t i = begin; i < end; ++i) {
        size_t at = 8 * (size_t)i;
        fw_store(y + at, fw_mad(fw_set1(c), fw_load(x + at), fw_load(y + at)));
    }
}

/* ---- skyline ------------------------------------------------------------------------------------
 */

/* Product of two rows over columns [from, to), `from` a multiple of 8. What either has behind `to`
 * counts too: one of them is zero there. */
KERNEL_INLINE double row_product(const double* a, const double* b, int32_t from, int32_t to) {
    dw sum = dw_zero();
    for (int32_t k = from; k < to; k += 8) {
        sum = dw_add(sum, dw_mul(dw_load(a + k), dw_load(b + k)));
    }
    return dw_sum(sum);
}

/* A pivot below this share of what it began as is rounding. */
#define PIVOT_LEAST 1e-12

static void hex_factor(skyline* s) {
    for (int32_t i = 0; i < s->size; ++i) {
        double* row = s->a + s->start[i];
        for (int32_t j = s->top[i]; j < i; ++j) {
            const double* other = s->a + s->start[j];
            int32_t from = s->top[j] > s->top[i] ? s->top[j] : s->top[i];
            row[j] = (row[j] - row_product(row, other, from, j)) * s->pivot[j];
        }
        double least = PIVOT_LEAST * s->pivot[i];
        double left = s->pivot[i] - row_product(row, row, s->top[i], i);
        left = left > least ? left : least;
        s->pivot[i] = left > 0.0 ? 1.0 / __builtin_sqrt(left) : 0.0;
    }
}

static void hex_solve(const skyline* s, double* y) {
    for (int32_t i = 0; i < s->size; ++i) {
        const double* row = s->a + s->start[i];
        y[i] = (y[i] - row_product(row, y, s->top[i], i)) * s->pivot[i];
    }
    for (int32_t i = s->size - 1; i >= 0; --i) {
        const double* row = s->a + s->start[i];
        double v = y[i] * s->pivot[i];
        y[i] = v;
        for (int32_t k = s->top[i]; k < i; ++k) {
            y[k] -= row[k] * v;
        }
    }
}

const hex_kernels KERNEL(hex_kernels) = {
    .apply = hex_apply,
    .force = hex_force,
    .flow = hex_flow,
    .rotate = hex_rotate,
    .rotate_pieces = hex_rotate_pieces,
    .diagonal = hex_diagonal,
    .sums = hex_sums,
    .invert = hex_invert,
    .product = hex_product,
    .smooth_first = hex_smooth_first,
    .smooth = hex_smooth,
    .residual = hex_residual,
    .weigh = hex_weigh,
    .dot = hex_dot,
    .scale_add = hex_scale_add,
    .add_scaled = hex_add_scaled,
    .factor = hex_factor,
    .solve = hex_solve,
};
