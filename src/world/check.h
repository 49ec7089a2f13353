/* SPDX-License-Identifier: MIT
 * Border checks: values that come from the caller, each with a text that names the call, the field,
 * the value and the cure. A check remembers its first failure and says nothing about later ones, so
 * that a caller lists the fields and asks once at the end.
 */
#ifndef LIMBER_CHECK_H
#define LIMBER_CHECK_H

#include "base/log.h"
#include "body/kind.h"
#include "math/quat.h"

#include <limber/edit.h>

/* Descriptors carry a cookie from their _default function: one that was only zeroed is refused. */
enum {
    COOKIE_MODEL = 0x4C4D4F44,
    COOKIE_WORLD = 0x4C574F52,
    COOKIE_BODY = 0x4C424F44,
    COOKIE_COLLIDER = 0x4C434F4C,
    COOKIE_PIN = 0x4C50494E,
    COOKIE_GRAB = 0x4C475242,
    COOKIE_LINK = 0x4C4C4E4B,
    COOKIE_CUT = 0x4C435554,
    COOKIE_REFINE = 0x4C524546,
    COOKIE_DETAIL = 0x4C444554,
    COOKIE_FRACTURE = 0x4C465241
};

/* Largest magnitudes that are taken: far beyond use, far below where float squares overflow. */
#define CHECK_POSITION 1e9f /* metres: an orbit */
#define CHECK_SPEED    1e6f /* m/s and rad/s */
#define CHECK_LENGTH   1e6f /* sizes and scales, metres */
#define CHECK_SMALL    1e-9f
#define CHECK_FORCE    1e12f /* newton, newton second, newton per metre */

typedef struct check {
    const lim_host* host;
    const char* call;
    lim_result result;
} check;

static inline check check_begin(const lim_host* host, const char* call) {
    return (check){host, call, LIM_OK};
}

/* A failure with its own text, in the same form: "call: what; cure". */
void check_fail(check* c, lim_result result, const char* what, const char* cure);
void check_cookie(check* c, uint32_t cookie, uint32_t expected, const char* maker);
void check_pointer(check* c, const char* field, const void* pointer);
/* low <= value <= high; fails for NaN. */
void check_number(check* c, const char* field, double value, double low, double high,
                  const char* cure);
void check_integer(check* c, const char* field, int64_t value, int64_t low, int64_t high,
                   const char* cure);
void check_vector(check* c, const char* field, lim_vec3 value, double limit, const char* cure);
void check_point(check* c, const char* field, lim_point value);
void check_quat(check* c, const char* field, lim_quat value);
void check_shape(check* c, lim_shape shape, lim_vec3 size, bool plane_allowed);
void check_zones(check* c, const lim_zone* zones, int32_t count);
void check_material(check* c, const lim_material* material);
/* Quadratic goals need points. */
void check_of_kind(check* c, const lim_material* material, const body_kind* kind);
void check_range(check* c, const lim_box* box);
void check_detail(check* c, const lim_detail* detail);
/* of a body with so many submeshes */
void check_fracture(check* c, const lim_fracture* fracture, int32_t submeshes);
void check_world_detail(check* c, const lim_world_detail* detail);
void check_wind(check* c, const lim_wind* wind);

#endif
