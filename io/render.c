/* SPDX-License-Identifier: MIT
 * Job: pictures. In: a picture. Out: an image. The picture is made in bands of rows: the nearest
 * triangle of each of the four samples of a pixel is found first, and the nearest veil before it;
 * then each pixel shades every different thing among its samples once (Burns and Hunt 2013, "The
 * visibility buffer") and mixes them by their number. Lines, points and the caption follow on the
 * finished image. No function of the C library but sqrt is used, so that every machine gives the
 * same bytes.
 */
#include "base/fpenv.h"
#include "io/font.h"
#include "io/geometry.h"
#include "io/image.h"
#include "io/overlay.h"
#include "io/shade.h"
#include "io/tone.h"

#include <string.h>

enum {
    BAND = 32,
    GROUND = -1,
    SKY = -2,
    CLEAR = -3
}; /* rows of pixels in a band; ids of what is no
      mesh: CLEAR is no veil */

/* A mesh this share nearer than it is would hide the ground: a sheet that lies on it, exactly or
 * with what rounding leaves, is in front everywhere. */
static const float GROUND_GIVES_WAY = 1.00002f;

/* Squares of a checker: 0.3 and 1.1 of the colour. */
static const float CHECKER_MEAN = 0.7f, CHECKER_SWING = 0.4f;

typedef struct renderer {
    geometry g;
    shade_lights lights;
    shadow_map shadow;
    shade_scenery scenery;
    tone_table tone;
    float size;       /* of the meshes together */
    double ground[3]; /* 1 / distance of the ground at sample (x, y): [0] x + [1] y + [2] */
    bool has_veils;
    raster_grid band, veil;    /* surfaces; the veils before them */
    float *depth, *veil_depth; /* per pixel, for the overlay */
} renderer;

/* The ray through a sample position, not of unit length: its part along the view is 1. */
static lim_vec3 ray_at(const renderer* r, float x, float y) {
    const view* v = &r->g.v;
    float right = (2.0f * x / (float)r->g.width - 1.0f) * v->tan_x;
    float up = (1.0f - 2.0f * y / (float)r->g.height) * v->tan_y;
    return v3_mad(v3_mad(v->forward, v->right, right), v->up, up);
}

/* On the plane y = ground, 1/z = (d.y) / (ground - eye.y) for the ray d above, linear in x and y.
 */
static void place_ground(renderer* r) {
    const lim_picture* picture = r->g.picture;
    double fall = (double)picture->ground_height - (double)r->g.v.eye.y;
    r->scenery.has_ground = picture->ground && fall < 0.0;
    if (r->scenery.has_ground) {
        double forward = (double)r->g.v.forward.y / fall;
        double right = (double)r->g.v.right.y * (double)r->g.v.tan_x / fall;
        double up = (double)r->g.v.up.y * (double)r->g.v.tan_y / fall;
        r->ground[0] = 2.0 * right / (double)r->g.width;
        r->ground[1] = -2.0 * up / (double)r->g.height;
        r->ground[2] = forward - right + up;
    }
}

static float ground_inverse(const renderer* r, float x, float y) {
    return (float)(r->ground[0] * (double)x + r->ground[1] * (double)y + r->ground[2]);
}

/* What is inside a veil is not in its shadow. Veils alone shade themselves. */
static lim_result leave_out_veils(arena* memory, shadow_casters* casters) {
    lim_draw_mesh* solid = ARENA_ARRAY(memory, lim_draw_mesh, casters->mesh_count);
    LIM_TRY_MEMORY(solid);
    int32_t count = 0;
    for (int32_t m = 0; m < casters->mesh_count; ++m) {
        if (!casters->meshes[m].see_through) {
            solid[count++] = casters->meshes[m];
        }
    }
    if (count > 0) {
        casters->meshes = solid;
        casters->mesh_count = count;
    }
    return LIM_OK;
}

static lim_result prepare(arena* memory, const lim_picture* picture, renderer* r) {
    LIM_TRY(geometry_make(memory, picture, &r->g));
    const view* v = &r->g.v;
    r->lights = shade_lights_make(v);
    place_ground(r);
    bool has_meshes = r->g.lower.x <= r->g.upper.x;
    r->size = has_meshes ? v3_length(v3_sub(r->g.upper, r->g.lower)) : v->distance;
    r->scenery.ground = picture->ground_height;
    r->scenery.centre = picture->camera.target;
    r->scenery.fade = 2.6f * v->distance;
    r->scenery.cell = shade_round_length(0.16f * v->distance);
    r->scenery.pixel = 2.0f * v->tan_y / (float)picture->height;
    if (!has_meshes) {
        return LIM_OK;
    }
    /* Shadows finer than the picture: a landscape is many times larger than what stands on it. */
    int32_t side = picture->height < 1200 ? picture->height : 1200;
    shadow_casters casters = {picture->meshes, picture->mesh_count,    r->g.lower,
                              r->g.upper,      picture->ground_height, r->size};
    shadow_casters solid = casters;
    LIM_TRY(leave_out_veils(memory, &solid));
    LIM_TRY(shadow_map_make(memory, &solid, r->lights.key, side < 320 ? 480 : side * 3 / 2,
                            &r->shadow));
    if (r->scenery.has_ground) {
        int32_t fine = side < 320 ? 160 : side / 2;
        ground_rule from_light = {r->lights.key, 0.22f, 0.006f * r->size, 1.0f, 0.0f};
        ground_rule from_above = {v3(0, 1, 0), 0.5f, 0.006f * r->size, 0.95f, 0.14f * r->size};
        LIM_TRY(ground_map_make(memory, &casters, from_light, fine, &r->scenery.shadow));
        LIM_TRY(ground_map_make(memory, &casters, from_above, fine / 2, &r->scenery.contact));
    }
    return LIM_OK;
}

/* Weights of the corners where a ray from the eye meets the triangle's plane: the volumes spanned
 * by the ray and two corners each. In double, because they are small differences. */
static void weights_at(const seen_vertex* const corners[3], double x, double y, float weights[3]) {
    double w[3], sum = 0.0;
    for (int32_t k = 0; k < 3; ++k) {
        lim_point b = p3_of(corners[(k + 1) % 3]->at), c = p3_of(corners[(k + 2) % 3]->at);
        w[k] = p3_dot(p3(x, y, 1.0), p3_cross(b, c));
        sum += w[k];
    }
    for (int32_t k = 0; k < 3; ++k) {
        /* Seen from the edge the volumes vanish together: the middle then. A sample's mean position
         * may lie a little outside: clamped. */
        double share = fabs(sum) > 1e-300 ? w[k] / sum : 1.0 / 3.0;
        weights[k] = (float)(share > 0.0 ? (share < 1.0 ? share : 1.0) : 0.0);
    }
    float total = weights[0] + weights[1] + weights[2];
    for (int32_t k = 0; k < 3; ++k) {
        weights[k] = total > 0.0f ? weights[k] / total : 1.0f / 3.0f;
    }
}

static lim_vec3 blend3(const float* values, int32_t stride, const uint32_t* index,
                       const float weights[3]) {
    lim_vec3 sum = {0};
    for (int32_t k = 0; k < 3; ++k) {
        const float* at = values + (size_t)index[k] * (size_t)stride;
        sum = v3_mad(sum, v3(at[0], at[1], at[2]), weights[k]);
    }
    return sum;
}

/* How far the rest position goes from one pixel to the next, along each axis: its gradient over the
 * triangle as the picture shows it, rows and columns added. */
static lim_vec3 rest_of_pixel(const renderer* r, const seen_vertex* const corners[3],
                              const float* rest, const uint32_t* index) {
    float x[3], y[3];
    lim_vec3 at[3];
    for (int32_t k = 0; k < 3; ++k) {
        float z = corners[k]->at.z > r->g.v.near ? corners[k]->at.z : r->g.v.near;
        x[k] = corners[k]->at.x / z;
        y[k] = corners[k]->at.y / z;
        const float* p = rest + 3 * (size_t)index[k];
        at[k] = v3(p[0], p[1], p[2]);
    }
    float x1 = x[1] - x[0], y1 = y[1] - y[0], x2 = x[2] - x[0], y2 = y[2] - y[0];
    float area = x1 * y2 - x2 * y1;
    lim_vec3 a = v3_sub(at[1], at[0]), b = v3_sub(at[2], at[0]);
    lim_vec3 along = v3_sub(v3_scale(a, y2), v3_scale(b, y1));
    lim_vec3 up = v3_sub(v3_scale(b, x1), v3_scale(a, x2));
    float scale = r->scenery.pixel / (fabsf(area) + 1e-30f);
    return v3((fabsf(along.x) + fabsf(up.x)) * scale, (fabsf(along.y) + fabsf(up.y)) * scale,
              (fabsf(along.z) + fabsf(up.z)) * scale);
}

/* Near the ground less of the sky is seen, most of all by what faces down. */
static float openness_at(const renderer* r, lim_vec3 p, lim_vec3 n) {
    if (!r->scenery.has_ground) {
        return 1.0f;
    }
    float height = (p.y - r->scenery.ground) / (0.30f * r->size + 1e-20f);
    height = height > 0.0f ? (height < 1.0f ? height : 1.0f) : 0.0f;
    float near = (1.0f - height) * (1.0f - height);
    return 1.0f - near * (0.25f + 0.50f * (0.5f - 0.5f * n.y));
}

/* Colour of a mesh at a sample position, and its opacity. */
static lim_vec3 shade_mesh(const renderer* r, int32_t mesh, int32_t id, float x, float y,
                           float* out_opacity) {
    const lim_draw_mesh* drawn = &r->g.picture->meshes[mesh];
    const lim_io_frame* frame = &drawn->frame;
    const uint32_t* index = frame->indices + 3 * (size_t)(id - r->g.first_triangle[mesh]);
    const seen_vertex* vertices = r->g.vertices + r->g.first_vertex[mesh];
    const seen_vertex* corners[3] = {vertices + index[0], vertices + index[1], vertices + index[2]};
    const view* v = &r->g.v;
    float right = (2.0f * x / (float)r->g.width - 1.0f) * v->tan_x;
    float up = (1.0f - 2.0f * y / (float)r->g.height) * v->tan_y;
    float weights[3];
    weights_at(corners, (double)right, (double)up, weights);

    lim_vec3 p = blend3(frame->positions, 3, index, weights);
    lim_vec3 a = v3_sub(corners[1]->at, corners[0]->at), b = v3_sub(corners[2]->at, corners[0]->at);
    lim_vec3 flat = v3_cross(b, a); /* view space is left-handed */
    bool back = v3_dot(flat, corners[0]->at) > 0.0f;
    flat = v3_mad(v3_mad(v3_scale(v->right, flat.x), v->up, flat.y), v->forward, flat.z);
    flat = v3_unit(flat, v3(0, 1, 0));
    lim_vec3 n =
        frame->normals != NULL ? v3_unit(blend3(frame->normals, 3, index, weights), flat) : flat;
    n = v3_finite(n) ? n : flat;
    /* On the side that is seen. The skin of a body that is inside out has normals of either side,
     * so that the triangle decides. */
    lim_vec3 seen = v3_scale(flat, back ? -1.0f : 1.0f);
    n = v3_scale(n, v3_dot(n, seen) < 0.0f ? -1.0f : 1.0f);

    shade_spot spot = {.normal = n, .colour = drawn->colour, .back = back};
    spot.to_eye = v3_unit(v3_sub(v->eye, p), v3_scale(v->forward, -1.0f));
    /* A smooth normal may look away where the triangle does not: in the creases of a coarse mesh.
     * No rim light there. */
    float facing = v3_dot(n, spot.to_eye), flat_facing = v3_dot(seen, spot.to_eye);
    spot.facing = facing > 0.7f * flat_facing ? facing : 0.7f * flat_facing;
    if (frame->colours != NULL) {
        spot.colour = blend3(frame->colours, 4, index, weights);
    }
    if (drawn->checker > 0.0f) {
        lim_vec3 at = blend3(drawn->rest, 3, index, weights);
        lim_vec3 wide = rest_of_pixel(r, corners, drawn->rest, index);
        float sign = shade_checker(at, drawn->checker, wide);
        spot.colour = v3_scale(spot.colour, CHECKER_MEAN + CHECKER_SWING * sign);
    }
    spot.lit = v3_dot(n, r->lights.key) > 0.0f ? shadow_map_light(&r->shadow, p, n) : 0.0f;
    spot.openness = openness_at(r, p, n);
    /* See-through skins are denser where they are seen from the side. */
    float edge = 1.0f - fabsf(v3_dot(n, spot.to_eye));
    *out_opacity = drawn->see_through ? 0.24f + 0.5f * edge * edge : 1.0f;
    return shade_surface(&r->lights, &spot);
}

static lim_vec3 shade_behind(const renderer* r, float x, float y) {
    lim_vec3 ray = v3_unit(ray_at(r, x, y), r->g.v.forward);
    if (r->scenery.has_ground && ground_inverse(r, x, y) > 0.0f && ray.y < 0.0f) {
        return shade_ground(&r->scenery, r->g.v.eye, ray);
    }
    if (r->g.picture->ground) {
        return shade_sky(ray.y);
    }
    return shade_sky(0.35f - 0.7f * y / (float)r->g.height);
}

/* One pixel from its samples: `ids` tells what each one sees, `veils` through what. */
static lim_vec3 shade_pixel(const renderer* r, int32_t px, int32_t py, const int32_t* ids,
                            const int32_t* veils, int32_t* mesh) {
    enum { COUNT = SAMPLES * SAMPLES };
    lim_vec3 sum = {0};
    bool done[COUNT] = {false};
    for (int32_t i = 0; i < COUNT; ++i) {
        if (done[i]) {
            continue;
        }
        float x = 0.0f, y = 0.0f, same = 0.0f;
        for (int32_t k = i; k < COUNT; ++k) {
            if (ids[k] == ids[i] && veils[k] == veils[i]) {
                done[k] = true;
                x += (float)(k % SAMPLES) + 0.5f;
                y += (float)(k / SAMPLES) + 0.5f;
                same += 1.0f;
            }
        }
        x = (float)(px * SAMPLES) + x / same;
        y = (float)(py * SAMPLES) + y / same;
        lim_vec3 colour;
        if (ids[i] < 0) {
            colour = shade_behind(r, x, y);
        } else {
            float opacity;
            *mesh = geometry_mesh_of(&r->g, ids[i], *mesh);
            colour = shade_mesh(r, *mesh, ids[i], x, y, &opacity);
        }
        if (veils[i] >= 0) {
            float opacity;
            *mesh = geometry_mesh_of(&r->g, veils[i], *mesh);
            lim_vec3 veil = shade_mesh(r, *mesh, veils[i], x, y, &opacity);
            colour = v3_mad(colour, v3_sub(veil, colour), opacity);
        }
        sum = v3_mad(sum, colour, same / (float)COUNT);
    }
    return sum;
}

/* What a sample sees, and how near it is. */
static int32_t sample_at(const renderer* r, int32_t x, int32_t y, float* out_inverse) {
    size_t index = (size_t)(y - r->band.first_row) * (size_t)r->g.width + (size_t)x;
    float inverse = r->band.value[index];
    int32_t id = inverse > 0.0f ? r->band.id[index] : SKY;
    if (r->scenery.has_ground) {
        float ground = ground_inverse(r, (float)x + 0.5f, (float)y + 0.5f);
        /* what lies on the ground is seen, not the ground: rounding must not decide */
        if (ground > inverse * GROUND_GIVES_WAY) {
            inverse = ground;
            id = GROUND;
        }
    }
    *out_inverse = inverse;
    return id;
}

/* The veil in front of what a sample sees, and how near it is. */
static int32_t veil_at(const renderer* r, int32_t x, int32_t y, float behind, float* nearest) {
    if (!r->has_veils) {
        return CLEAR;
    }
    size_t index = (size_t)(y - r->veil.first_row) * (size_t)r->g.width + (size_t)x;
    float inverse = r->veil.value[index];
    if (!(inverse * GROUND_GIVES_WAY > behind)) {
        return CLEAR;
    }
    *nearest = inverse > *nearest ? inverse : *nearest;
    return r->veil.id[index];
}

static void draw_grid(renderer* r, raster_grid* grid, int32_t first, int32_t rows, bool veils) {
    grid->first_row = first * SAMPLES;
    grid->height = rows * SAMPLES;
    memset(grid->value, 0, (size_t)grid->width * (size_t)grid->height * sizeof(float));
    geometry_draw(&r->g, grid, veils);
}

static void draw_band(renderer* r, int32_t first, int32_t rows) {
    draw_grid(r, &r->band, first, rows, false);
    if (r->has_veils) {
        draw_grid(r, &r->veil, first, rows, true);
    }
}

static void resolve_band(renderer* r, int32_t first, int32_t rows, lim_image* image) {
    int32_t mesh = 0;
    for (int32_t y = first; y < first + rows; ++y) {
        for (int32_t x = 0; x < image->width; ++x) {
            int32_t ids[SAMPLES * SAMPLES], veils[SAMPLES * SAMPLES];
            float nearest = 0.0f, veil = 0.0f;
            for (int32_t k = 0; k < SAMPLES * SAMPLES; ++k) {
                int32_t sx = x * SAMPLES + k % SAMPLES, sy = y * SAMPLES + k / SAMPLES;
                float here = 0.0f;
                ids[k] = sample_at(r, sx, sy, &here);
                veils[k] = veil_at(r, sx, sy, here, &veil);
                nearest = here > nearest ? here : nearest;
            }
            lim_vec3 colour = shade_pixel(r, x, y, ids, veils, &mesh);
            size_t index = (size_t)y * (size_t)image->width + (size_t)x;
            uint8_t* pixel = image->rgba + 4 * index;
            pixel[0] = tone_byte(&r->tone, colour.x);
            pixel[1] = tone_byte(&r->tone, colour.y);
            pixel[2] = tone_byte(&r->tone, colour.z);
            pixel[3] = 255;
            r->depth[index] = nearest;
            r->veil_depth[index] = veil;
        }
    }
}

/* Dark letters with a light rim, so that they can be read on anything. */
static void draw_caption(lim_image* image, const char* caption) {
    int32_t scale = font_scale(image->height), lines = 1;
    for (const char* at = caption; *at != '\0'; ++at) {
        lines += *at == '\n';
    }
    int32_t x = 5 * scale, y = image->height - scale * ((FONT_ROWS + 2) * lines + 2);
    for (int32_t k = 0; k < 9; ++k) {
        lim_image_text(image, x + (k % 3 - 1) * scale, y + (k / 3 - 1) * scale, scale, caption,
                       0xFFFFFF48u);
    }
    lim_image_text(image, x, y, scale, caption, 0x2A3038FFu);
}

static lim_result take_grid(arena* memory, const renderer* r, raster_grid* grid) {
    size_t samples = (size_t)r->g.width * BAND * SAMPLES;
    grid->width = r->g.width;
    grid->value = ARENA_ARRAY(memory, float, samples);
    grid->id = ARENA_ARRAY(memory, int32_t, samples);
    return grid->value != NULL && grid->id != NULL ? LIM_OK : LIM_ERROR_MEMORY;
}

static lim_result take_band(arena* memory, const lim_picture* picture, renderer* r) {
    for (int32_t m = 0; m < picture->mesh_count; ++m) {
        r->has_veils = r->has_veils || picture->meshes[m].see_through;
    }
    LIM_TRY(take_grid(memory, r, &r->band));
    if (r->has_veils) {
        LIM_TRY(take_grid(memory, r, &r->veil));
    }
    size_t pixels = (size_t)picture->width * (size_t)picture->height;
    r->depth = ARENA_ARRAY(memory, float, pixels);
    r->veil_depth = ARENA_ARRAY(memory, float, pixels);
    return r->depth != NULL && r->veil_depth != NULL ? LIM_OK : LIM_ERROR_MEMORY;
}

static lim_result draw(arena* memory, lim_image* image, const lim_picture* picture) {
    renderer* r = ARENA_ARRAY(memory, renderer, 1);
    LIM_TRY_MEMORY(r);
    LIM_TRY(prepare(memory, picture, r));
    LIM_TRY(take_band(memory, picture, r));
    tone_table_fill(&r->tone);
    for (int32_t first = 0; first < picture->height; first += BAND) {
        int32_t rows = picture->height - first < BAND ? picture->height - first : BAND;
        draw_band(r, first, rows);
        resolve_band(r, first, rows, image);
    }
    LIM_TRY(overlay_draw(memory, image, picture, &r->g.v, r->depth, r->veil_depth));
    if (picture->caption != NULL) {
        draw_caption(image, picture->caption);
    }
    return LIM_OK;
}

lim_result image_draw(const lim_host* host, lim_image* image, const lim_picture* picture) {
    if (image->rgba == NULL || image->width != picture->width || image->height != picture->height) {
        return LIM_ERROR_ARGUMENT;
    }
    fpenv old = fpenv_enter();
    arena memory;
    arena_init(&memory, host);
    lim_result result = draw(&memory, image, picture);
    arena_release(&memory);
    fpenv_leave(old);
    return result;
}

lim_result lim_image_draw(lim_image* image, const lim_picture* picture) {
    if (image == NULL || picture == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    lim_host host = mem_host(NULL);
    return image_draw(&host, image, picture);
}

static lim_result count_covered(arena* memory, const lim_picture* picture, int64_t* out_count) {
    renderer* r = ARENA_ARRAY(memory, renderer, 1);
    LIM_TRY_MEMORY(r);
    LIM_TRY(geometry_make(memory, picture, &r->g));
    place_ground(r);
    LIM_TRY(take_band(memory, picture, r));
    for (int32_t first = 0; first < picture->height; first += BAND) {
        int32_t rows = picture->height - first < BAND ? picture->height - first : BAND;
        draw_band(r, first, rows);
        for (int32_t y = first * SAMPLES; y < (first + rows) * SAMPLES; ++y) {
            for (int32_t x = 0; x < r->g.width; ++x) {
                float inverse = 0.0f, veil = 0.0f;
                bool seen = sample_at(r, x, y, &inverse) >= 0;
                *out_count += seen || veil_at(r, x, y, inverse, &veil) >= 0;
            }
        }
    }
    return LIM_OK;
}

float lim_picture_coverage(const lim_picture* picture) {
    if (picture == NULL) {
        return -1.0f;
    }
    fpenv old = fpenv_enter();
    lim_host host = mem_host(NULL);
    arena memory;
    arena_init(&memory, &host);
    int64_t count = 0;
    lim_result result = count_covered(&memory, picture, &count);
    arena_release(&memory);
    double samples = (double)picture->width * (double)picture->height * (double)(SAMPLES * SAMPLES);
    float share = result == LIM_OK ? (float)((double)count / samples) : -1.0f;
    fpenv_leave(old);
    return share;
}
