/* SPDX-License-Identifier: MIT
 * Job: the mesh of a collider. In: shape, size or arrays, and pose. Out: positions and normals in
 * the world, and indices.
 */
#include "cli/props.h"

#include "cli/solids.h"
#include "math/vec3.h"

/* Iron for what stands, lighter steel for what is moved. */
static const lim_vec3 IRON = {0.36f, 0.37f, 0.39f}, STEEL = {0.42f, 0.48f, 0.55f};

/* The radius of the edges of a box over its shortest side. */
static const float BEVEL = 0.05f;

/* Points where they are in the world, and the triangles between them: of heights they are made
 * here, a hull and a mesh have them. */
static lim_result make_faces(const film_collider* c, lim_vec3 colour, arena* memory,
                             lim_draw_mesh* out) {
    bool grid = c->shape == LIM_SHAPE_HEIGHTS;
    int32_t point_count = grid ? c->columns * c->rows : c->point_count;
    int32_t triangles = grid ? 2 * (c->columns - 1) * (c->rows - 1) : c->triangle_count;
    lim_vec3* points = ARENA_ARRAY(memory, lim_vec3, point_count);
    uint32_t* made = ARENA_ARRAY(memory, uint32_t, 3 * (int64_t)(grid ? triangles : 0));
    if (points == NULL || made == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < point_count; ++i) {
        lim_vec3 own =
            grid ? v3(((float)(i % c->columns) - 0.5f * (float)(c->columns - 1)) * c->size.x,
                      c->heights[i],
                      ((float)(i / c->columns) - 0.5f * (float)(c->rows - 1)) * c->size.z)
                 : c->points[i];
        points[i] = v3_add(c->position, solid_rotate(c->orientation, own));
    }
    for (int32_t i = 0; grid && i < triangles; ++i) {
        uint32_t column = (uint32_t)(i / 2 % (c->columns - 1));
        uint32_t first = (uint32_t)(i / 2 / (c->columns - 1) * c->columns) + column;
        uint32_t across = first + (uint32_t)c->columns + 1;
        made[3 * i] = first;
        made[3 * i + 1] = i % 2 == 0 ? across : across - 1;
        made[3 * i + 2] = i % 2 == 0 ? first + 1 : across;
    }
    return solid_faces(points, point_count, grid ? made : c->indices, triangles, colour, memory,
                       out);
}

/* A capsule along its own y; a sphere has no length. */
static lim_result make_capsule(const film_collider* c, lim_vec3 colour, arena* memory,
                               lim_draw_mesh* out) {
    float half = c->shape == LIM_SHAPE_CAPSULE ? c->size.y : 0.0f, radius = c->size.x;
    solid_ring rings[SOLID_RINGS_MOST];
    int32_t count = solid_ball(-half, radius, -INFINITY, colour, rings) / 2 + 1;
    count += solid_ball(half, radius, half, colour, rings + count);
    return solid_turned(c->position, solid_rotate(c->orientation, v3(0, 1, 0)), rings, count,
                        memory, out);
}

lim_result prop_make(const film_collider* c, arena* memory, lim_draw_mesh* out) {
    lim_vec3 colour = c->has_colour ? c->colour : c->moves ? STEEL : IRON;
    switch (c->shape) {
    case LIM_SHAPE_BOX: {
        float least = fminf(c->size.x, fminf(c->size.y, c->size.z));
        return solid_block(c->position, c->orientation, c->size, BEVEL * least, colour, memory,
                           out);
    }
    case LIM_SHAPE_SPHERE:
    case LIM_SHAPE_CAPSULE:
        return make_capsule(c, colour, memory, out);
    case LIM_SHAPE_HULL:
    case LIM_SHAPE_MESH:
    case LIM_SHAPE_HEIGHTS:
        return make_faces(c, colour, memory, out);
    default:
        return LIM_ERROR_ARGUMENT; /* a plane has no end */
    }
}
