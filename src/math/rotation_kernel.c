/* SPDX-License-Identifier: MIT
 * Job: rotations of an array of matrices, 8 at a time. In: matrices, quaternions to start from.
 * Out: better quaternions. Compiled once per instruction set.
 */
#include <stddef.h>

#include "math/rotation_wide.h"

void KERNEL(rotation_solve)(const float* A_soa, float* q_soa, int32_t n, int32_t iterations);

void KERNEL(rotation_solve)(const float* A_soa, float* q_soa, int32_t n, int32_t iterations) {
    for (int32_t first = 0; first < n; first += FW_LANES) {
        fw A[9], q[4];
        int32_t lanes = n - first < FW_LANES ? n - first : FW_LANES;
        if (lanes == FW_LANES) {
            for (int32_t k = 0; k < 9; ++k) {
                A[k] = fw_loadu(A_soa + (size_t)k * (size_t)n + first);
            }
            for (int32_t k = 0; k < 4; ++k) {
                q[k] = fw_loadu(q_soa + (size_t)k * (size_t)n + first);
            }
        } else {
            /* The last few, with zero matrices behind them. */
            _Alignas(32) float part[13][FW_LANES] = {{0}};
            for (int32_t i = 0; i < lanes; ++i) {
                for (int32_t k = 0; k < 9; ++k) {
                    part[k][i] = A_soa[(size_t)k * (size_t)n + (size_t)(first + i)];
                }
                for (int32_t k = 0; k < 4; ++k) {
                    part[9 + k][i] = q_soa[(size_t)k * (size_t)n + (size_t)(first + i)];
                }
            }
            for (int32_t k = 0; k < 9; ++k) {
                A[k] = fw_load(part[k]);
            }
            for (int32_t k = 0; k < 4; ++k) {
                q[k] = fw_load(part[9 + k]);
            }
        }
        rotation_scaled ready = rotation_scale(A, fw_zero());
        for (int32_t i = 0; i < iterations; ++i) {
            rotation_step(&ready, q);
        }
        if (lanes == FW_LANES) {
            for (int32_t k = 0; k < 4; ++k) {
                fw_storeu(q_soa + (size_t)k * (size_t)n + first, q[k]);
            }
        } else {
            for (int32_t k = 0; k < 4; ++k) {
                for (int32_t i = 0; i < lanes; ++i) {
                    q_soa[(size_t)k * (size_t)n + (size_t)(first + i)] = fw_lane(q[k], i);
                }
            }
        }
    }
}
