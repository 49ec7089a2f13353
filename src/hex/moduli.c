/* SPDX-License-Identifier: MIT
 * Job: the stiffness of all levels. In: moduli of the cells. Out: constants of full cells, matrices
 * of all other elements, the blocks that smoothers divide by. A coarse element's matrix is the
 * energy of its children when they follow its trilinear displacement at rest (Galerkin); the solver
 * turns it by the mean of their rotations.
 */
#include "hex/hex_levels.h"

#include <string.h>

static hex_lame lame_of(const float* young, const float* poisson, int32_t cell) {
    hex_lame m = {0};
    hex_lame_of((double)young[cell], (double)poisson[cell], &m);
    return m;
}

/* Lane `lane` of `count` values of a group. */
static void put_lanes(const double* from, int32_t count, float* group, int32_t lane) {
    for (int32_t i = 0; i < count; ++i) {
        group[HEX_LANES * i + lane] = (float)from[i];
    }
}

static void put_blocks(hex_level* l, int32_t at, double block[HEX_CORNERS][6], double scale) {
    double scaled[6 * HEX_CORNERS];
    for (int i = 0; i < 6 * HEX_CORNERS; ++i) {
        scaled[i] = scale * block[i / 6][i % 6];
    }
    put_lanes(scaled, 6 * HEX_CORNERS,
              l->block + (size_t)(at / HEX_LANES) * HEX_CORNERS * 6 * HEX_LANES, at % HEX_LANES);
}

static float* matrix_of(const hex_level* l, int32_t lane) {
    return l->matrix + (size_t)(lane / HEX_LANES - l->cubes) * HEX_ENTRIES * HEX_LANES +
           lane % HEX_LANES;
}

static void put_matrix(hex_level* l, int32_t lane, const hex_matrix* m) {
    float* to = matrix_of(l, lane);
    for (int i = 0; i < HEX_MODES; ++i) {
        for (int j = 0; j <= i; ++j) {
            to[HEX_LANES * hex_entry(i, j)] = (float)m->k[i][j];
        }
    }
    double block[HEX_CORNERS][6];
    hex_diagonal_blocks(m, block);
    put_blocks(l, lane, block, 1.0);
}

void hex_element_matrix(const hex_level* l, int32_t lane, hex_matrix* out) {
    if (lane < l->cubes * HEX_LANES) {
        const float* c = l->lame + (size_t)(lane / HEX_LANES) * 3 * HEX_LANES + lane % HEX_LANES;
        hex_lame m = {(double)c[0], (double)c[HEX_LANES], (double)c[2 * HEX_LANES]};
        hex_cube_matrix(&m, 16.0, out);
        return;
    }
    const float* from = matrix_of(l, lane);
    for (int i = 0; i < HEX_MODES; ++i) {
        for (int j = 0; j < HEX_MODES; ++j) {
            out->k[i][j] = (double)from[HEX_LANES * hex_entry(i, j)];
        }
    }
}

/* Blocks of a full cube of unit modulus and edge, kept for the next with the same ratio. */
typedef struct unit_cube {
    float poisson;
    double block[HEX_CORNERS][6];
} unit_cube;

static void put_cube(hex_level* l, int32_t lane, const hex_lame* m, float young, float poisson,
                     unit_cube* unit) {
    double edge = (double)l->edge;
    const double constant[3] = {m->lambda * edge / 16.0, m->mu * edge / 16.0,
                                m->plane * edge / 16.0};
    put_lanes(constant, 3, l->lame + (size_t)(lane / HEX_LANES) * 3 * HEX_LANES, lane % HEX_LANES);
    if (!(unit->poisson == poisson)) {
        hex_lame one;
        hex_matrix k;
        hex_lame_of(1.0, (double)poisson, &one);
        hex_cube_matrix(&one, 1.0, &k);
        hex_diagonal_blocks(&k, unit->block);
        unit->poisson = poisson;
    }
    put_blocks(l, lane, unit->block, (double)young * edge);
}

/* Marks the cells that are not as they were. */
static void find_changed(hex_levels* h, const float* young, const float* poisson) {
    hex_level* l = &h->level[0];
    for (int32_t e = 0; e < l->elements; ++e) {
        bool same = young[e] == h->young[e] && poisson[e] == h->poisson[e];
        l->changed[e] = !same;
        h->young[e] = young[e];
        h->poisson[e] = poisson[e];
    }
}

static void fill_cells(hex_levels* h, const float* young, const float* poisson) {
    hex_level* l = &h->level[0];
    unit_cube unit = {.poisson = -1.0f};
    for (int32_t e = 0; e < l->elements; ++e) {
        if (!l->changed[e]) {
            continue;
        }
        hex_lame m = lame_of(young, poisson, e);
        int32_t lane = l->lane[e];
        if (lane < l->cubes * HEX_LANES) {
            put_cube(l, lane, &m, young[e], poisson[e], &unit);
        } else {
            hex_matrix k;
            hex_part_matrix(&m, (double)l->edge, h->mask[e], &k);
            put_matrix(l, lane, &k);
        }
    }
}

static void fill_pieces(const hex_level* fine, hex_level* l) {
    for (int32_t p = 0; p < l->elements; ++p) {
        hex_matrix sum, child;
        memset(&sum, 0, sizeof sum);
        l->changed[p] = 0;
        for (int32_t i = fine->piece_first[p]; i < fine->piece_first[p + 1]; ++i) {
            l->changed[p] |= fine->changed[fine->piece_item[i]];
        }
        if (!l->changed[p]) {
            continue;
        }
        for (int32_t i = fine->piece_first[p]; i < fine->piece_first[p + 1]; ++i) {
            int32_t e = fine->piece_item[i];
            const int32_t* at = fine->at[e];
            hex_element_matrix(fine, fine->lane[e], &child);
            hex_add_child(&child, (at[0] & 1) | (at[1] & 1) << 1 | (at[2] & 1) << 2, &sum);
        }
        put_matrix(l, l->lane[p], &sum);
    }
}

static void fill_corner_matrices(hex_level* l) {
    for (int32_t e = 0; e < l->elements; ++e) {
        hex_matrix m;
        double full[HEX_DEGREES][HEX_DEGREES];
        if (!l->changed[e]) {
            continue;
        }
        hex_element_matrix(l, l->lane[e], &m);
        hex_corner_matrix(&m, full);
        float* to = l->full + (size_t)e * HEX_DEGREES * HEX_DEGREES;
        for (int i = 0; i < HEX_DEGREES * HEX_DEGREES; ++i) {
            to[i] = (float)full[i / HEX_DEGREES][i % HEX_DEGREES];
        }
    }
}

lim_result hex_levels_stiffen(hex_levels* h, const float* young, const float* poisson) {
    for (int32_t e = 0; e < h->level[0].elements; ++e) {
        hex_lame m;
        if (!hex_lame_of((double)young[e], (double)poisson[e], &m)) {
            return LIM_ERROR_ARGUMENT;
        }
    }
    find_changed(h, young, poisson);
    fill_cells(h, young, poisson);
    for (int32_t i = 1; i < h->count; ++i) {
        fill_pieces(&h->level[i - 1], &h->level[i]);
    }
    fill_corner_matrices(&h->level[h->count - 1]);
    return LIM_OK;
}
