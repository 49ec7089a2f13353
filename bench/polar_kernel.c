/* SPDX-License-Identifier: MIT
 * Job: rotations of records as the region kernel finds them (match/match_kernel.c): 8 records are
 * loaded, transposed, and take two warm steps. Compiled once per instruction set.
 */
#include "bench/polar_record.h"

#include "math/rotation_wide.h"

static void solve(const float* records, float* const q[4], int32_t count) {
    for (int32_t i = 0; i < count; i += FW_LANES) {
        fw low[8], high[8], A[9], now[4];
        for (int32_t k = 0; k < 8; ++k) {
            const float* record = records + (size_t)(i + k) * POLAR_RECORD;
            low[k] = fw_load(record);
            high[k] = fw_load(record + 8);
        }
        fw_transpose8(low);
        fw_transpose8(high);
        for (int32_t k = 0; k < 9; ++k) {
            A[k] = k < 8 ? low[k] : high[k - 8];
        }
        for (int32_t k = 0; k < 4; ++k) {
            now[k] = fw_load(q[k] + i);
        }
        rotation_scaled ready = rotation_scale(A, fw_zero());
        rotation_step(&ready, now);
        rotation_step(&ready, now);
        for (int32_t k = 0; k < 4; ++k) {
            fw_store(q[k] + i, now[k]);
        }
    }
}

extern const polar_kernel KERNEL(polar_kernel);
const polar_kernel KERNEL(polar_kernel) = solve;
