/* SPDX-License-Identifier: MIT
 * Job: windows of tools. In: where they press. Out: how much each point is theirs, and what of the
 * displacement.
 */
#include "detail/press.h"

#include "detail/displacement.h"

#include <string.h>

static float pull(const detail_press* p, lim_vec3 x, float reach) {
    lim_vec3 way = v3_sub(x, p->point);
    float square = v3_dot(way, way) / (reach * reach) + 1.0f;
    return p->strength / (square * square);
}

void press_window(const detail_press* presses, int32_t press_count, int32_t which, float reach,
                  const float* const x0[3], int32_t count, float* out) {
    for (int32_t i = 0; i < count; ++i) {
        lim_vec3 x = v3(x0[0][i], x0[1][i], x0[2][i]);
        float own = pull(&presses[which], x, reach), sum = 0.0f;
        for (int32_t k = 0; k < press_count; ++k) {
            sum += pull(&presses[k], x, reach);
        }
        out[i] = sum > 0.0f ? own / sum : 0.0f;
    }
}

float press_part(const float* u, const float* window, int32_t nodes, float* part) {
    int32_t stride = displacement_width(nodes) / 3;
    double square = 0.0;
    memset(part, 0, 3 * (size_t)stride * sizeof *part);
    for (int k = 0; k < 3; ++k) {
        const float* from = u + (size_t)k * (size_t)stride;
        float* to = part + (size_t)k * (size_t)stride;
        for (int32_t i = 0; i < nodes; ++i) {
            to[i] = window[i] * from[i];
            square += (double)to[i] * (double)from[i];
        }
    }
    return (float)sqrt(square);
}
