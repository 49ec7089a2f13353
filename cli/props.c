/* SPDX-License-Identifier: MIT
 * Job: place the mesh of a collider. In: shape, size or arrays, and pose. Out: positions and
 * normals in the world, and indices.
 */
#include "cli/props.h"

#include "scenes/models.h"

#include <math.h>
#include <string.h>

static lim_vec3 turn(lim_quat q, lim_vec3 v) {
    float length = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    if (!(length > 0.0f)) {
        return v;
    }
    float x = q.x / length, y = q.y / length, z = q.z / length, w = q.w / length;
    /* v + 2 w (u x v) + 2 u x (u x v) */
    float cx = y * v.z - z * v.y, cy = z * v.x - x * v.z, cz = x * v.y - y * v.x;
    return (lim_vec3){v.x + 2.0f * (w * cx + y * cz - z * cy),
                      v.y + 2.0f * (w * cy + z * cx - x * cz),
                      v.z + 2.0f * (w * cz + x * cy - y * cx)};
}

/* Copies a mesh into the arena, turned and moved. */
static lim_result place(const lim_mesh_view* view, const film_collider* c, arena* memory,
                        lim_draw_mesh* out) {
    float* positions = ARENA_ARRAY(memory, float, 3 * (int64_t)view->vertex_count);
    float* normals = ARENA_ARRAY(memory, float, 3 * (int64_t)view->vertex_count);
    uint32_t* indices = ARENA_ARRAY(memory, uint32_t, 3 * (int64_t)view->triangle_count);
    if (positions == NULL || normals == NULL || indices == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int64_t i = 0; i < view->vertex_count; ++i) {
        const lim_point* p = &view->positions[i];
        const float* n = &view->normals[3 * i];
        lim_vec3 at = turn(c->orientation, (lim_vec3){(float)p->x, (float)p->y, (float)p->z});
        lim_vec3 normal = turn(c->orientation, (lim_vec3){n[0], n[1], n[2]});
        const float moved[3] = {at.x + c->position.x, at.y + c->position.y, at.z + c->position.z};
        const float turned[3] = {normal.x, normal.y, normal.z};
        memcpy(&positions[3 * i], moved, sizeof moved);
        memcpy(&normals[3 * i], turned, sizeof turned);
    }
    memcpy(indices, view->indices, sizeof(uint32_t) * 3u * (size_t)view->triangle_count);
    *out = (lim_draw_mesh){.frame = {.vertex_count = view->vertex_count,
                                     .triangle_count = view->triangle_count,
                                     .positions = positions,
                                     .normals = normals,
                                     .indices = indices},
                           .colour = {0.35f, 0.36f, 0.38f}};
    return LIM_OK;
}

/* Heights as points and triangles in the arena; a hull and a mesh have them. */
static lim_result list_triangles(const film_collider* c, arena* memory, lim_mesh_desc* out) {
    bool grid = c->shape == LIM_SHAPE_HEIGHTS;
    int32_t points = grid ? c->columns * c->rows : c->point_count;
    int32_t triangles = grid ? 2 * (c->columns - 1) * (c->rows - 1) : c->triangle_count;
    double* at = ARENA_ARRAY(memory, double, 3 * (size_t)points);
    uint32_t* index = ARENA_ARRAY(memory, uint32_t, 3 * (size_t)triangles);
    if (at == NULL || index == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < points; ++i) {
        double x = grid ? (i % c->columns - 0.5 * (c->columns - 1)) * (double)c->size.x
                        : (double)c->points[i].x;
        double z = grid ? (i / c->columns - 0.5 * (c->rows - 1)) * (double)c->size.z
                        : (double)c->points[i].z;
        at[3 * i] = x;
        at[3 * i + 1] = (double)(grid ? c->heights[i] : c->points[i].y);
        at[3 * i + 2] = z;
    }
    if (!grid) {
        memcpy(index, c->indices, sizeof(uint32_t) * 3u * (size_t)triangles);
    }
    for (int32_t i = 0; grid && i < triangles; ++i) {
        uint32_t column = (uint32_t)(i / 2 % (c->columns - 1));
        uint32_t first = (uint32_t)(i / 2 / (c->columns - 1) * c->columns) + column;
        uint32_t across = first + (uint32_t)c->columns + 1;
        index[3 * i] = first;
        index[3 * i + 1] = i % 2 == 0 ? across : across - 1;
        index[3 * i + 2] = i % 2 == 0 ? first + 1 : across;
    }
    out->vertex_count = points;
    out->triangle_count = triangles;
    out->positions = at;
    out->indices = index;
    return LIM_OK;
}

static lim_result mesh_of_arrays(const film_collider* c, arena* memory, lim_mesh** out) {
    lim_mesh_desc desc = lim_mesh_desc_default();
    lim_result result = list_triangles(c, memory, &desc);
    return result == LIM_OK ? lim_mesh_create(&desc, &memory->host, out) : result;
}

lim_result prop_make(const film_collider* collider, arena* memory, lim_draw_mesh* out) {
    lim_mesh* mesh = NULL;
    lim_result result = collider->shape >= LIM_SHAPE_HULL
                            ? mesh_of_arrays(collider, memory, &mesh)
                            : collider_mesh(collider->shape, collider->size, &memory->host, &mesh);
    if (result == LIM_OK) {
        lim_mesh_view view = lim_mesh_get_view(mesh);
        result = place(&view, collider, memory, out);
        lim_mesh_destroy(mesh);
    }
    return result;
}
