/* SPDX-License-Identifier: MIT
 * Job: points as a surface without triangles. In: places. Out: a lim_mesh in which every vertex is
 * a point of its own.
 */
#include "mesh/point_surface.h"

static lim_point place_of(const double* places, int32_t i) {
    return p3(places[3 * (size_t)i], places[3 * (size_t)i + 1], places[3 * (size_t)i + 2]);
}

static lim_result allocate(lim_mesh* m, int32_t count) {
    arena* a = &m->mem;
    m->position = ARENA_ARRAY(a, lim_point, count);
    m->normal = ARENA_ARRAY(a, float, 3 * (size_t)count);
    m->vertex_point = ARENA_ARRAY(a, int32_t, count);
    m->point = ARENA_ARRAY(a, lim_vec3, count);
    m->triangle_vertex = ARENA_ARRAY(a, uint32_t, 0);
    m->triangle_point = ARENA_ARRAY(a, int32_t, 0);
    m->triangle_submesh = ARENA_ARRAY(a, int32_t, 0);
    m->triangle_part = ARENA_ARRAY(a, int32_t, 0);
    bool complete = m->position != NULL && m->normal != NULL && m->vertex_point != NULL &&
                    m->point != NULL && m->triangle_vertex != NULL && m->triangle_point != NULL &&
                    m->triangle_submesh != NULL && m->triangle_part != NULL;
    return complete ? LIM_OK : LIM_ERROR_MEMORY;
}

static void fill(lim_mesh* m, const double* places, int32_t count) {
    lim_point lower = place_of(places, 0), upper = lower;
    for (int32_t i = 1; i < count; ++i) {
        lower = p3_min(lower, place_of(places, i));
        upper = p3_max(upper, place_of(places, i));
    }
    lim_point side = p3_sub(upper, lower);
    double longest = side.x > side.y ? side.x : side.y;
    longest = longest > side.z ? longest : side.z;
    m->vertex_count = m->point_count = count;
    m->submesh_count = 1;
    m->origin = p3_mad(lower, side, 0.5);
    m->size = longest > 0.0 ? longest : 1.0;
    m->report = (lim_mesh_report){.vertices = count, .points = count, .bounds = {lower, upper}};
    for (int32_t i = 0; i < count; ++i) {
        lim_point at = place_of(places, i), way = p3_sub(at, m->origin);
        m->position[i] = at;
        m->vertex_point[i] = i;
        m->point[i] = v3_of(p3(way.x / m->size, way.y / m->size, way.z / m->size));
        lim_vec3 normal = v3_unit(m->point[i], v3(0, 1, 0));
        m->normal[3 * (size_t)i] = normal.x;
        m->normal[3 * (size_t)i + 1] = normal.y;
        m->normal[3 * (size_t)i + 2] = normal.z;
    }
}

lim_result point_surface_make(const double* places, int32_t count, const lim_host* host,
                              lim_mesh** out) {
    lim_mesh* m = mem_alloc(host, 1, sizeof *m);
    LIM_TRY_MEMORY(m);
    arena_init(&m->mem, host);
    lim_result result = allocate(m, count);
    if (result != LIM_OK) {
        lim_mesh_destroy(m);
        return result;
    }
    fill(m, places, count);
    *out = m;
    return LIM_OK;
}
