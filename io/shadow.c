/* SPDX-License-Identifier: MIT
 * Job: shadows. In: meshes and a light direction. Out: a depth map (Williams 1978) looked up with a
 * soft filter, and ground maps: the meshes are dropped onto the ground along the light, the height
 * of the lowest caster sorts each spot into layers, and the higher a layer, the wider it is blurred
 * (the penumbra of a wide light grows with the distance of the caster).
 */
#include "io/shadow.h"
#include "io/raster.h"

enum { LAYERS = 6, BLUR_PASSES = 2, TENT = 4 }; /* TENT: half the width of the map's filter */
#define NOTHING (-1e30f)

static lim_vec3 position_of(const lim_io_frame* frame, uint32_t index) {
    const float* p = frame->positions + 3 * (size_t)index;
    return v3(p[0], p[1], p[2]);
}

/* Grid coordinates to fixed point; anything outside the grid's surroundings is refused. */
static bool corner_make(float x, float y, float value, raster_corner* out) {
    const float limit = 30000.0f;
    if (!(x > -limit && x < limit && y > -limit && y < limit && value > -1e25f && value < 1e25f)) {
        return false;
    }
    out->x = (int32_t)(x * (float)RASTER_ONE + 0.5f * (x < 0 ? -1.0f : 1.0f));
    out->y = (int32_t)(y * (float)RASTER_ONE + 0.5f * (y < 0 ? -1.0f : 1.0f));
    out->value = value;
    return true;
}

/* ---- on the meshes -------------------------------------------------------------------------- */

lim_result shadow_map_make(arena* memory, const shadow_casters* casters, lim_vec3 light,
                           int32_t size, shadow_map* out) {
    shadow_map map = {.light = light, .size = size};
    map.axis_x = v3_unit(v3_cross(v3(0, 1, 0), light), v3(1, 0, 0));
    map.axis_y = v3_cross(light, map.axis_x);
    /* The bounding box from the light; a margin keeps the filter inside. */
    float least_x = 1e30f, most_x = -1e30f, least_y = 1e30f, most_y = -1e30f;
    for (int32_t i = 0; i < 8; ++i) {
        lim_vec3 p = v3(i & 1 ? casters->upper.x : casters->lower.x,
                        i & 2 ? casters->upper.y : casters->lower.y,
                        i & 4 ? casters->upper.z : casters->lower.z);
        float x = v3_dot(p, map.axis_x), y = v3_dot(p, map.axis_y);
        least_x = x < least_x ? x : least_x;
        most_x = x > most_x ? x : most_x;
        least_y = y < least_y ? y : least_y;
        most_y = y > most_y ? y : most_y;
    }
    float span = most_x - least_x > most_y - least_y ? most_x - least_x : most_y - least_y;
    map.texel = span > 1e-12f ? span / (float)(size - 4 * TENT) : 1.0f;
    map.per_metre = 1.0f / map.texel;
    map.x = least_x - (float)(2 * TENT) * map.texel;
    map.y = least_y - (float)(2 * TENT) * map.texel;
    size_t texels = (size_t)size * (size_t)size;
    map.height = ARENA_ARRAY(memory, float, texels);
    LIM_TRY_MEMORY(map.height);
    for (size_t i = 0; i < texels; ++i) {
        map.height[i] = NOTHING;
    }
    raster_grid grid = {size, size, 0, map.height, NULL};
    for (int32_t m = 0; m < casters->mesh_count; ++m) {
        const lim_io_frame* frame = &casters->meshes[m].frame;
        for (int64_t t = 0; t < frame->triangle_count; ++t) {
            raster_corner corners[3];
            bool inside = true;
            for (int32_t k = 0; k < 3 && inside; ++k) {
                lim_vec3 p = position_of(frame, frame->indices[3 * t + k]);
                inside = corner_make((v3_dot(p, map.axis_x) - map.x) * map.per_metre,
                                     (v3_dot(p, map.axis_y) - map.y) * map.per_metre,
                                     v3_dot(p, light), &corners[k]);
            }
            if (inside) {
                raster_triangle(&grid, corners[0], corners[1], corners[2], 0);
            }
        }
    }
    *out = map;
    return LIM_OK;
}

float shadow_map_light(const shadow_map* map, lim_vec3 p, lim_vec3 normal) {
    /* The point is lifted off its own surface, more where the light grazes it. */
    float facing = v3_dot(normal, map->light);
    facing = facing > 0.0f ? facing : 0.0f;
    p = v3_mad(p, normal, map->texel * (1.0f + 2.5f * (1.0f - facing)));
    float level = v3_dot(p, map->light) + map->texel * 1.5f;
    /* Eight by eight texels, weighted by a tent that moves with the point: so many, because light
     * that grazes the surface stretches the texels' steps. */
    float x = (v3_dot(p, map->axis_x) - map->x) * map->per_metre - 0.5f;
    float y = (v3_dot(p, map->axis_y) - map->y) * map->per_metre - 0.5f;
    float edge = (float)(map->size - TENT);
    if (!(x >= (float)TENT && y >= (float)TENT && x < edge && y < edge)) {
        return 1.0f;
    }
    int32_t ix = (int32_t)x, iy = (int32_t)y;
    float wx[2 * TENT], wy[2 * TENT];
    for (int32_t i = 0; i < 2 * TENT; ++i) {
        float from = (float)(i - TENT + 1); /* texel i lies this far from the whole coordinate */
        wx[i] = (float)TENT - fabsf(from - (x - (float)ix));
        wy[i] = (float)TENT - fabsf(from - (y - (float)iy));
    }
    float sum = 0.0f, fading = map->per_metre * (1.0f / 3.0f);
    for (int32_t j = 0; j < 2 * TENT; ++j) {
        size_t first = (size_t)(iy - TENT + 1 + j) * (size_t)map->size + (size_t)(ix - TENT + 1);
        const float* row = map->height + first;
        float share[2 * TENT], line = 0.0f;
        for (int32_t i = 0; i < 2 * TENT; ++i) {
            /* Fading over three texels of depth, not at once. */
            float clear = 1.0f - (row[i] - level) * fading;
            clear = clear > 0.0f ? clear : 0.0f;
            share[i] = (clear < 1.0f ? clear : 1.0f) * wx[i];
        }
        for (int32_t i = 0; i < 2 * TENT; ++i) {
            line += share[i];
        }
        sum += line * wy[j];
    }
    return sum * (1.0f / (float)(TENT * TENT * TENT * TENT));
}

/* ---- on the ground -------------------------------------------------------------------------- */

/* Where a point's shadow falls, and its height (0 below the ground). */
static lim_vec3 drop(lim_vec3 p, float ground, lim_vec3 slope) {
    float height = p.y > ground ? p.y - ground : 0.0f;
    return v3(p.x - slope.x * height, height, p.z - slope.z * height);
}

/* Mean over 2 radius + 1 samples of each row, written transposed; outside is empty. */
static void blur_rows(const float* from, int32_t width, int32_t height, int32_t radius, float* to) {
    float share = 1.0f / (float)(2 * radius + 1);
    for (int32_t y = 0; y < height; ++y) {
        const float* row = from + (size_t)y * (size_t)width;
        float sum = 0.0f;
        for (int32_t x = 0; x < radius && x < width; ++x) {
            sum += row[x];
        }
        for (int32_t x = 0; x < width; ++x) {
            sum += x + radius < width ? row[x + radius] : 0.0f;
            to[(size_t)x * (size_t)height + (size_t)y] = sum * share;
            sum -= x - radius >= 0 ? row[x - radius] : 0.0f;
        }
    }
}

static void blur(float* field, float* scratch, int32_t width, int32_t height, int32_t radius) {
    for (int32_t pass = 0; pass < BLUR_PASSES && radius > 0; ++pass) {
        blur_rows(field, width, height, radius, scratch);
        blur_rows(scratch, height, width, radius, field);
    }
}

/* The lowest caster above each spot, as -height. */
static void drop_meshes(const shadow_casters* casters, lim_vec3 slope, const ground_map* map,
                        float* lowest) {
    raster_grid grid = {map->width, map->height, 0, lowest, NULL};
    for (int32_t m = 0; m < casters->mesh_count; ++m) {
        const lim_io_frame* frame = &casters->meshes[m].frame;
        for (int64_t t = 0; t < frame->triangle_count; ++t) {
            raster_corner corners[3];
            bool inside = true;
            for (int32_t k = 0; k < 3 && inside; ++k) {
                lim_vec3 p =
                    drop(position_of(frame, frame->indices[3 * t + k]), casters->ground, slope);
                inside = corner_make((p.x - map->x) * map->per_metre,
                                     (p.z - map->z) * map->per_metre, -p.y, &corners[k]);
            }
            if (inside) {
                raster_triangle(&grid, corners[0], corners[1], corners[2], 0);
            }
        }
    }
}

/* Height of a layer: dense near the ground, where the eye looks. */
static float layer_height(int32_t layer, float highest) {
    float share = (float)layer / (float)(LAYERS - 1);
    return highest * share * share;
}

/* How much of a spot of this height is in a layer, which holds everything up to its own height and
 * fades out until the next one's. Layers hold the lower ones, so that no seam is seen where a high
 * part of a body meets a low one. */
static float layer_share(float height, int32_t layer, float highest) {
    float own = layer_height(layer, highest);
    if (height <= own || layer == LAYERS - 1) {
        return 1.0f;
    }
    float above = layer_height(layer + 1, highest);
    float share = (above - height) / (above - own); /* highest > 0: they differ */
    return share > 0.0f ? share : 0.0f;
}

/* Bounds of the dropped box, made a grid with room for the widest blur. */
static void place_grid(const shadow_casters* casters, lim_vec3 slope, float margin, int32_t size,
                       ground_map* map) {
    lim_vec3 low = v3(1e30f, 0, 1e30f), high = v3(-1e30f, 0, -1e30f);
    for (int32_t i = 0; i < 8; ++i) {
        lim_vec3 p = v3(i & 1 ? casters->upper.x : casters->lower.x,
                        i & 2 ? casters->upper.y : casters->lower.y,
                        i & 4 ? casters->upper.z : casters->lower.z);
        p = drop(p, casters->ground, slope);
        low = v3_min(low, p);
        high = v3_max(high, p);
    }
    float wide = high.x - low.x + 2.0f * margin, deep = high.z - low.z + 2.0f * margin;
    float span = wide > deep ? wide : deep;
    map->per_metre = (float)(size - 4) / span;
    map->width = (int32_t)(wide * map->per_metre) + 4;
    map->height = (int32_t)(deep * map->per_metre) + 4;
    map->x = low.x - margin - 2.0f / map->per_metre;
    map->z = low.z - margin - 2.0f / map->per_metre;
}

lim_result ground_map_make(arena* memory, const shadow_casters* casters, ground_rule rule,
                           int32_t size, ground_map* out) {
    *out = (ground_map){0};
    float highest = casters->upper.y - casters->ground;
    if (!(highest > 0.0f) || !(casters->size > 0.0f)) {
        return LIM_OK;
    }
    /* Beyond a few sizes of the scene everything is one faint blur. */
    float reach = 2.0f * casters->size;
    float top = highest < reach ? highest : reach;
    lim_vec3 slope = v3_scale(rule.direction, 1.0f / rule.direction.y);
    float margin = 2.2f * (rule.softness * top + rule.smallest);
    ground_map map = {0};
    place_grid(casters, slope, margin, size, &map);
    size_t texels = (size_t)map.width * (size_t)map.height;
    float* lowest = ARENA_ARRAY(memory, float, texels);
    float* layer = ARENA_ARRAY(memory, float, texels);
    float* scratch = ARENA_ARRAY(memory, float, texels);
    map.dark = ARENA_ARRAY(memory, float, texels);
    if (lowest == NULL || layer == NULL || scratch == NULL || map.dark == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (size_t i = 0; i < texels; ++i) {
        lowest[i] = NOTHING;
    }
    drop_meshes(casters, slope, &map, lowest);
    for (int32_t k = 0; k < LAYERS; ++k) {
        float height = layer_height(k, top);
        float radius = (rule.softness * height + rule.smallest) * map.per_metre;
        bool used = false;
        for (size_t i = 0; i < texels; ++i) {
            float share = 0.0f;
            if (lowest[i] > NOTHING) {
                float own = -lowest[i];
                float fading = rule.fade > 0.0f ? 1.0f + own / rule.fade : 1.0f;
                share = layer_share(own, k, top) * rule.strength / (fading * fading);
                used = used || share > 0.0f;
            }
            layer[i] = share;
        }
        if (used) {
            /* Two passes of half the radius spread over the whole radius. */
            blur(layer, scratch, map.width, map.height, (int32_t)(0.5f * radius + 0.5f));
            for (size_t i = 0; i < texels; ++i) {
                map.dark[i] = layer[i] > map.dark[i] ? layer[i] : map.dark[i];
            }
        }
    }
    *out = map;
    return LIM_OK;
}

float ground_map_dark(const ground_map* map, float x, float z) {
    float gx = (x - map->x) * map->per_metre - 0.5f, gz = (z - map->z) * map->per_metre - 0.5f;
    if (map->dark == NULL || !(gx >= 0.0f && gz >= 0.0f && gx < (float)(map->width - 1) &&
                               gz < (float)(map->height - 1))) {
        return 0.0f;
    }
    int32_t ix = (int32_t)gx, iz = (int32_t)gz;
    float fx = gx - (float)ix, fz = gz - (float)iz;
    const float* a = map->dark + (size_t)iz * (size_t)map->width + ix;
    const float* b = a + map->width;
    float near = a[0] + (a[1] - a[0]) * fx, far = b[0] + (b[1] - b[0]) * fx;
    return near + (far - near) * fz;
}
