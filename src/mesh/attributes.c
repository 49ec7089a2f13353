/* SPDX-License-Identifier: MIT
 * Job: judge what a surface says about its material. In: values per vertex. Out: whether each can
 * be used.
 */
#include "mesh/attributes.h"

#include "base/log.h"

lim_result attribute_check(const lim_host* host, const char* call, const char* field, int which,
                           const float* values, int32_t count) {
    for (int32_t i = 0; values != NULL && i < count; ++i) {
        if (!attribute_fits(which, values[i])) {
            return log_fail(host, LIM_ERROR_ARGUMENT, "%s: %s of vertex %d is %g; give %s", call,
                            field, (int)i, (double)values[i],
                            which == ATTRIBUTE_SIZE ? "metres, or 0 for no wish"
                                                    : "a factor from 1e-6 to 1e6");
        }
    }
    return LIM_OK;
}
