/* SPDX-License-Identifier: MIT
 * Job: what a spot looks like. In: geometry and lights. Out: linear RGB. A warm key light, a cool
 * fill, a rim light from behind and a hemisphere of sky and ground light; a broad highlight after
 * Trowbridge and Reitz (1975); the ground has soft squares, box-filtered in closed form, and fades
 * into the sky.
 */
#include "io/shade.h"

static float clamp01(float x) {
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}
static lim_vec3 mix(lim_vec3 a, lim_vec3 b, float t) {
    return v3_mad(a, v3_sub(b, a), t);
}
static lim_vec3 times(lim_vec3 a, lim_vec3 b) {
    return v3(a.x * b.x, a.y * b.y, a.z * b.z);
}

shade_lights shade_lights_make(const view* v) {
    lim_vec3 right = v3_unit(v3(v->right.x, 0, v->right.z), v3(1, 0, 0));
    lim_vec3 toward = v3_cross(right, v3(0, 1, 0)); /* level, from the scene to the viewer */
    shade_lights lights;
    lights.key =
        v3_unit(v3_mad(v3_mad(v3(0, 0.95f, 0), right, -0.78f), toward, 0.36f), v3(0, 1, 0));
    lights.fill =
        v3_unit(v3_mad(v3_mad(v3(0, 0.25f, 0), right, 0.90f), toward, 0.60f), v3(1, 0, 0));
    lights.rim =
        v3_unit(v3_mad(v3_mad(v3(0, 0.45f, 0), right, 0.55f), toward, -0.90f), v3(0, 0, -1));
    return lights;
}

/* Values up to 0.7 as they are, above that bent so that 1 is only reached at infinity. */
static float shoulder(float x) {
    const float knee = 0.7f, room = 0.3f;
    if (x <= knee) {
        return x;
    }
    float over = (x - knee) / room;
    return knee + room * over / (1.0f + over);
}

lim_vec3 shade_surface(const shade_lights* lights, const shade_spot* spot) {
    const lim_vec3 key_light = {1.13f, 1.04f, 0.90f}, fill_light = {0.26f, 0.26f, 0.27f};
    const lim_vec3 rim_light = {0.60f, 0.66f, 0.75f};
    const lim_vec3 above = {0.26f, 0.30f, 0.37f}, below = {0.21f, 0.18f, 0.15f};
    lim_vec3 n = spot->normal, eye = spot->to_eye;
    float facing = spot->facing > 0.02f ? spot->facing : 0.02f;

    float key = v3_dot(n, lights->key);
    key = (key > 0.0f ? key : 0.0f) * spot->lit;
    float fill = clamp01(0.7f * v3_dot(n, lights->fill) + 0.3f);
    float edge = 1.0f - facing;
    float rim = clamp01(v3_dot(n, lights->rim) + 0.25f) * edge * edge * edge;
    /* The rim light has no shadow map: deep in a cut or a bowl the key light's serves. */
    float shaded = clamp01(4.0f * v3_dot(n, lights->key)) * (1.0f - spot->lit);
    rim *= 1.0f - shaded;

    lim_vec3 light = mix(below, above, 0.5f + 0.5f * n.y);
    light = v3_scale(light, spot->openness);
    light = v3_mad(light, fill_light, fill * (0.4f + 0.6f * spot->openness));
    light = v3_mad(light, key_light, key);
    lim_vec3 colour = times(spot->colour, light);
    colour = v3_mad(colour, rim_light, rim * (0.15f + 0.35f * spot->openness));

    /* D = a^2 / ((n.h)^2 (a^2 - 1) + 1)^2 for a roughness of 0.42; Schlick's Fresnel term. */
    lim_vec3 half = v3_unit(v3_add(lights->key, eye), n);
    float nh = v3_dot(n, half);
    nh = nh > 0.0f ? nh : 0.0f;
    const float a2 = 0.036f;
    float d = nh * nh * (a2 - 1.0f) + 1.0f;
    float away = 1.0f - clamp01(v3_dot(half, eye));
    float fresnel = 0.04f + 0.96f * (away * away) * (away * away) * away;
    float highlight = a2 / (d * d) * fresnel * 0.60f * key;
    colour = v3_mad(colour, key_light, highlight);

    if (spot->back) {
        colour = v3_scale(colour, 0.68f);
    }
    return v3(shoulder(colour.x), shoulder(colour.y), shoulder(colour.z));
}

lim_vec3 shade_sky(float up) {
    const lim_vec3 horizon = {0.86f, 0.875f, 0.89f}, high = {0.56f, 0.63f, 0.71f};
    float t = clamp01(up > 0.0f ? up * 1.25f : -up * 0.4f);
    return mix(horizon, high, t * (2.0f - t) * 0.85f);
}

float shade_round_length(float wish) {
    if (!(wish > 1e-12f) || !(wish < 1e12f)) {
        return 1.0f;
    }
    double power = 1.0;
    while (power > (double)wish) {
        power /= 10.0;
    }
    while (power * 10.0 <= (double)wish) {
        power *= 10.0;
    }
    double ratio = (double)wish / power;
    return (float)(power * (ratio < 1.5 ? 1.0 : ratio < 3.5 ? 2.0 : ratio < 7.5 ? 5.0 : 10.0));
}

/* Mean over [x - w/2, x + w/2] of a square wave of period 2 that is +1 on [0, 1) and -1 on [1, 2):
 * the difference of its integral, a triangle wave, at both ends. */
static float square_mean(float x, float w) {
    float ends[2] = {x - 0.5f * w, x + 0.5f * w}, integral[2];
    for (int32_t i = 0; i < 2; ++i) {
        float turn = 0.5f * ends[i] - (float)(int32_t)(0.5f * ends[i]); /* within -1 and 1 */
        turn = 2.0f * (turn < 0.0f ? turn + 1.0f : turn);
        integral[i] = turn < 1.0f ? turn : 2.0f - turn;
    }
    return (integral[1] - integral[0]) / w;
}

float shade_checker(lim_vec3 p, float edge, lim_vec3 wide) {
    const float at[3] = {p.x / edge + 0.5f, p.y / edge + 0.5f, p.z / edge + 0.5f};
    const float w[3] = {wide.x / edge + 1e-4f, wide.y / edge + 1e-4f, wide.z / edge + 1e-4f};
    float product = 1.0f;
    for (int32_t k = 0; k < 3; ++k) {
        product *= w[k] < 8.0f && fabsf(at[k]) < 1e6f ? square_mean(at[k], w[k]) : 0.0f;
    }
    return product;
}

lim_vec3 shade_ground(const shade_scenery* scenery, lim_vec3 eye, lim_vec3 ray) {
    const lim_vec3 base = {0.70f, 0.695f, 0.685f};
    const lim_vec3 shadow_tint = {0.40f, 0.43f, 0.49f};
    float fall = -ray.y; /* above zero: the caller has seen that the ray goes down */
    float reach = (eye.y - scenery->ground) / fall;
    float x = eye.x + ray.x * reach, z = eye.z + ray.z * reach;

    /* The pixel's footprint: long in the direction of view, wide across it. */
    float across = scenery->pixel * reach, along = across / fall;
    float level = sqrtf(ray.x * ray.x + ray.z * ray.z) + 1e-6f;
    float fx = fabsf(ray.x) / level, fz = fabsf(ray.z) / level;
    float wide = (along * fx + across * fz) / scenery->cell + 1e-4f;
    float deep = (along * fz + across * fx) / scenery->cell + 1e-4f;
    float cell_x = x / scenery->cell, cell_z = z / scenery->cell, checker = 0.0f;
    if (wide < 8.0f && deep < 8.0f && fabsf(cell_x) < 1e6f && fabsf(cell_z) < 1e6f) {
        checker = square_mean(cell_x, wide) * square_mean(cell_z, deep);
    }
    lim_vec3 colour = v3_scale(base, 1.0f + 0.045f * checker);

    float shadow = clamp01(ground_map_dark(&scenery->shadow, x, z));
    float contact = clamp01(ground_map_dark(&scenery->contact, x, z));
    colour = times(colour, mix(v3(1, 1, 1), shadow_tint, shadow));
    colour = v3_scale(colour, 1.0f - contact);

    /* Into the sky with the distance from what is looked at, and at the horizon in any case. */
    float dx = x - scenery->centre.x, dz = z - scenery->centre.z;
    float far = sqrtf(dx * dx + dz * dz) / scenery->fade;
    far = far * far / (1.0f + far * far);
    return mix(colour, shade_sky(0.0f), far);
}
