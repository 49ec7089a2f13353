/* SPDX-License-Identifier: MIT
 * Job: tessellate a collider. In: shape, size and pose. Out: positions, normals and indices.
 * Spheres and capsules are a grid of longitude and latitude (a capsule's halves are pulled apart
 * along y); boxes are six faces. Only for pictures, so libm's sin and cos will do.
 */
#include "cli/props.h"

#include <math.h>

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

static void add_vertex(prop* p, const film_collider* c, lim_vec3 at, lim_vec3 normal) {
    lim_vec3 world = turn(c->orientation, at), n = turn(c->orientation, normal);
    float* position = &p->positions[3 * p->vertex_count];
    float* direction = &p->normals[3 * p->vertex_count];
    position[0] = world.x + c->position.x;
    position[1] = world.y + c->position.y;
    position[2] = world.z + c->position.z;
    direction[0] = n.x;
    direction[1] = n.y;
    direction[2] = n.z;
    p->vertex_count++;
}

static void add_triangle(prop* p, int32_t a, int32_t b, int32_t c) {
    uint32_t* corner = &p->indices[3 * p->triangle_count++];
    corner[0] = (uint32_t)a;
    corner[1] = (uint32_t)b;
    corner[2] = (uint32_t)c;
}

/* `half` is half the length of a capsule's axis, 0 for a sphere. */
static void make_round(prop* p, const film_collider* c, float radius, float half) {
    const float pi = 3.14159265f;
    for (int32_t row = 0; row < PROP_ROWS; ++row) {
        float latitude = pi * ((float)row / (float)(PROP_ROWS - 1) - 0.5f);
        for (int32_t column = 0; column < PROP_COLUMNS; ++column) {
            float longitude = 2.0f * pi * (float)column / (float)PROP_COLUMNS;
            lim_vec3 n = {cosf(latitude) * cosf(longitude), sinf(latitude),
                          cosf(latitude) * sinf(longitude)};
            float shift = row < PROP_ROWS / 2 ? -half : half;
            add_vertex(p, c, (lim_vec3){radius * n.x, radius * n.y + shift, radius * n.z}, n);
        }
    }
    for (int32_t row = 0; row + 1 < PROP_ROWS; ++row) {
        for (int32_t column = 0; column < PROP_COLUMNS; ++column) {
            int32_t next = (column + 1) % PROP_COLUMNS;
            int32_t a = row * PROP_COLUMNS + column, b = row * PROP_COLUMNS + next;
            add_triangle(p, a, a + PROP_COLUMNS, b + PROP_COLUMNS);
            add_triangle(p, a, b + PROP_COLUMNS, b);
        }
    }
}

static void make_box(prop* p, const film_collider* c) {
    const float half[3] = {c->size.x, c->size.y, c->size.z};
    for (int32_t face = 0; face < 6; ++face) {
        int32_t axis = face / 2;
        float side = face % 2 == 0 ? -1.0f : 1.0f;
        int32_t first = p->vertex_count;
        for (int32_t corner = 0; corner < 4; ++corner) {
            float at[3], n[3] = {0.0f, 0.0f, 0.0f};
            at[axis] = side * half[axis];
            at[(axis + 1) % 3] = (corner & 1) != 0 ? half[(axis + 1) % 3] : -half[(axis + 1) % 3];
            at[(axis + 2) % 3] = (corner & 2) != 0 ? half[(axis + 2) % 3] : -half[(axis + 2) % 3];
            n[axis] = side;
            add_vertex(p, c, (lim_vec3){at[0], at[1], at[2]}, (lim_vec3){n[0], n[1], n[2]});
        }
        /* counter-clockwise from outside */
        int32_t b = side > 0.0f ? 1 : 2, d = side > 0.0f ? 2 : 1;
        add_triangle(p, first, first + b, first + 3);
        add_triangle(p, first, first + 3, first + d);
    }
}

void prop_make(prop* p, const film_collider* collider) {
    p->vertex_count = 0;
    p->triangle_count = 0;
    if (collider->shape == LIM_SHAPE_SPHERE) {
        make_round(p, collider, collider->size.x, 0.0f);
    } else if (collider->shape == LIM_SHAPE_CAPSULE) {
        make_round(p, collider, collider->size.x, collider->size.y);
    } else if (collider->shape == LIM_SHAPE_BOX) {
        make_box(p, collider);
    }
}

lim_draw_mesh prop_mesh(const prop* p) {
    return (lim_draw_mesh){.frame = {.vertex_count = p->vertex_count,
                                     .triangle_count = p->triangle_count,
                                     .positions = p->positions,
                                     .normals = p->normals,
                                     .indices = p->indices},
                           .colour = {0.35f, 0.36f, 0.38f}};
}
