/* SPDX-License-Identifier: MIT
 * The camera as the renderer uses it. View space: x to the right, y up, z away from the eye.
 */
#ifndef LIMBER_VIEW_H
#define LIMBER_VIEW_H

#include "math/vec3.h"
#include <limber/io.h>

typedef struct view {
    lim_vec3 eye, right, up, forward; /* orthonormal */
    float tan_x, tan_y;               /* half the picture's width and height at distance 1 */
    float distance;                   /* from the eye to the target */
    float near;                       /* nothing closer is drawn */
} view;

/* False when the camera has no direction or is not finite. */
bool view_make(const lim_camera* camera, float aspect, view* out);

static inline lim_vec3 view_point(const view* v, lim_vec3 p) {
    lim_vec3 d = v3_sub(p, v->eye);
    return v3(v3_dot(d, v->right), v3_dot(d, v->up), v3_dot(d, v->forward));
}

#endif
