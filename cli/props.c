/* SPDX-License-Identifier: MIT
 * Job: place the mesh of a collider. In: shape, size and pose. Out: positions and normals in the
 * world, and indices.
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

lim_result prop_make(const film_collider* collider, arena* memory, lim_draw_mesh* out) {
    lim_mesh* mesh = NULL;
    lim_result result = collider_mesh(collider->shape, collider->size, &memory->host, &mesh);
    if (result == LIM_OK) {
        lim_mesh_view view = lim_mesh_get_view(mesh);
        result = place(&view, collider, memory, out);
        lim_mesh_destroy(mesh);
    }
    return result;
}
