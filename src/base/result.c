/* SPDX-License-Identifier: MIT
 * Job: names of results, and the version. In: a number. Out: a constant string.
 */
#include "base/result.h"

#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)

const char* lim_version(void) {
    return TEXT(LIM_VERSION_MAJOR) "." TEXT(LIM_VERSION_MINOR) "." TEXT(LIM_VERSION_PATCH);
}

const char* lim_result_name(lim_result result) {
    switch (result) {
    case LIM_OK:
        return "LIM_OK";
    case LIM_ERROR_ARGUMENT:
        return "LIM_ERROR_ARGUMENT";
    case LIM_ERROR_DESC:
        return "LIM_ERROR_DESC";
    case LIM_ERROR_ID:
        return "LIM_ERROR_ID";
    case LIM_ERROR_MEMORY:
        return "LIM_ERROR_MEMORY";
    case LIM_ERROR_MESH:
        return "LIM_ERROR_MESH";
    case LIM_ERROR_TOO_LARGE:
        return "LIM_ERROR_TOO_LARGE";
    case LIM_ERROR_FORMAT:
        return "LIM_ERROR_FORMAT";
    case LIM_ERROR_VERSION:
        return "LIM_ERROR_VERSION";
    case LIM_ERROR_CANCELLED:
        return "LIM_ERROR_CANCELLED";
    case LIM_ERROR_FILE:
        return "LIM_ERROR_FILE";
    case LIM_ERROR_UNSUPPORTED:
        return "LIM_ERROR_UNSUPPORTED";
    }
    return "LIM_RESULT_UNKNOWN";
}
