/* SPDX-License-Identifier: MIT
 * Job: elastic energy. In: stiffness, rotations, displacements. Out: the sum over cells of u^T K u
 * / 2, u the modes of R^T (X + d) - U X; all in double.
 */
#include "hex/cell_energy.h"

enum { AXES = 3 };

static void strain_of(const hex_level* l, int32_t e, const float* d, double u[HEX_MODES]) {
    int32_t lane = l->lane[e] % HEX_LANES;
    size_t group = (size_t)(l->lane[e] / HEX_LANES);
    const float* turn = l->turn + group * 9 * HEX_LANES + lane;
    const float* flowed = l->strain + group * 6 * HEX_LANES + lane;
    static const int place[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    double edge = (double)l->edge;
    for (int f = 1; f < HEX_CORNERS; ++f) {
        double sum[AXES] = {0};
        for (int c = 0; c < HEX_CORNERS; ++c) {
            for (int k = 0; k < AXES; ++k) {
                sum[k] += hex_sign(f, c) * (double)d[4 * (size_t)l->corner[e][c] + (size_t)k];
            }
        }
        bool linear = f == 1 || f == 2 || f == 4;
        int axis = f / 2;
        for (int a = 0; a < AXES; ++a) {
            double* to = &u[3 * (f - 1) + a];
            *to = sum[a];
            for (int k = 0; k < AXES; ++k) {
                double whole = linear && k == axis ? 4.0 * edge : 0.0;
                *to += (double)turn[HEX_LANES * (3 * k + a)] * (sum[k] + whole);
            }
            if (linear && l->strained) {
                *to -= 4.0 * edge * (double)flowed[HEX_LANES * place[3 * a + axis]];
            }
        }
    }
}

double hex_cell_energy(const hex_levels* h, const float* d) {
    const hex_level* l = &h->level[0];
    double sum = 0.0;
    for (int32_t e = 0; e < l->elements; ++e) {
        hex_matrix m;
        double u[HEX_MODES];
        hex_element_matrix(l, l->lane[e], &m);
        strain_of(l, e, d, u);
        for (int i = 0; i < HEX_MODES; ++i) {
            for (int j = 0; j < HEX_MODES; ++j) {
                sum += 0.5 * u[i] * m.k[i][j] * u[j];
            }
        }
    }
    return sum;
}
