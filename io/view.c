/* SPDX-License-Identifier: MIT
 * Job: cameras. In: a camera, or a box to look at. Out: the axes of view space, or a camera that
 * shows the box. The fit turns the box's corners into view space and moves back until all of them
 * lie inside the picture, then centres what they span.
 */
#include "io/view.h"
#include "io/tone.h"

bool view_make(const lim_camera* camera, float aspect, view* out) {
    lim_vec3 to_target = v3_sub(camera->target, camera->eye);
    float distance = v3_length(to_target);
    if (!v3_finite(camera->eye) || !v3_finite(camera->up) || !isfinite(distance) ||
        !(distance > 1e-12f) || !(camera->fov > 0.0f) || !(camera->fov < 3.1f)) {
        return false;
    }
    view v = {.eye = camera->eye, .distance = distance, .near = 0.002f * distance};
    v.forward = v3_scale(to_target, 1.0f / distance);
    /* Looking along `up`: any other axis serves. */
    lim_vec3 right = v3_cross(v.forward, v3_unit(camera->up, v3(0, 1, 0)));
    if (!(v3_dot(right, right) > 1e-8f)) {
        right = v3_cross(v.forward, fabsf(v.forward.z) < 0.9f ? v3(0, 0, -1) : v3(1, 0, 0));
    }
    v.right = v3_unit(right, v3(1, 0, 0));
    v.up = v3_cross(v.right, v.forward);
    v.tan_y = tone_tan(0.5f * camera->fov);
    v.tan_x = v.tan_y * aspect;
    *out = v;
    return true;
}

/* How far back the eye must be for a corner at (x, y, z) of the target's view space to lie within
 * `fill` of the half picture: |x| <= fill tan (distance + z). */
static float distance_for(lim_vec3 corner, const view* v, float fill) {
    float by_x = fabsf(corner.x) / (fill * v->tan_x) - corner.z;
    float by_y = fabsf(corner.y) / (fill * v->tan_y) - corner.z;
    return by_x > by_y ? by_x : by_y;
}

lim_camera lim_camera_fit(lim_vec3 lower, lim_vec3 upper, float aspect) {
    const float fill = 0.96f; /* of the half picture, up to the box's corners */
    const lim_vec3 toward_eye = {0.50f, 0.36f, 0.80f};
    if (!v3_finite(lower) || !v3_finite(upper)) {
        lower = v3(-0.5f, -0.5f, -0.5f);
        upper = v3(0.5f, 0.5f, 0.5f);
    }
    aspect = aspect > 0.05f && aspect < 20.0f ? aspect : 1.0f;
    lim_vec3 target = v3_scale(v3_add(lower, upper), 0.5f);
    float size = v3_length(v3_sub(upper, lower));
    size = size > 1e-9f ? size : 1.0f;
    lim_vec3 back = v3_unit(toward_eye, v3(0, 0, 1));
    lim_camera camera = {.target = target, .up = v3(0, 1, 0), .fov = 0.56f};
    float distance = 2.0f * size;
    for (int32_t pass = 0; pass < 8; ++pass) {
        view v;
        camera.eye = v3_mad(target, back, distance);
        camera.target = target;
        if (!view_make(&camera, aspect, &v)) {
            break;
        }
        float nearest = 0.0f, least_x = 1e30f, most_x = -1e30f, least_y = 1e30f, most_y = -1e30f;
        for (int32_t i = 0; i < 8; ++i) {
            lim_vec3 corner =
                v3(i & 1 ? upper.x : lower.x, i & 2 ? upper.y : lower.y, i & 4 ? upper.z : lower.z);
            lim_vec3 at = view_point(&v, corner);
            float depth = at.z > 0.1f * distance ? at.z : 0.1f * distance;
            float x = at.x / depth, y = at.y / depth;
            least_x = x < least_x ? x : least_x;
            most_x = x > most_x ? x : most_x;
            least_y = y < least_y ? y : least_y;
            most_y = y > most_y ? y : most_y;
            at.z -= distance;
            float needed = distance_for(at, &v, fill);
            nearest = needed > nearest ? needed : nearest;
        }
        /* The target moves to the middle of what is seen, then the distance is found again. */
        target = v3_mad(target, v.right, 0.5f * (least_x + most_x) * distance);
        target = v3_mad(target, v.up, 0.5f * (least_y + most_y) * distance);
        distance = nearest > 0.05f * size ? nearest : 0.05f * size;
    }
    camera.target = target;
    camera.eye = v3_mad(target, back, distance);
    return camera;
}
