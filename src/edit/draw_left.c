/* SPDX-License-Identifier: MIT
 * Job: leave out what nobody has any more. In: a surface after points were drawn together. Out: the
 * same without the new vertices and points that have no triangle.
 */
#include "edit/draw_work.h"

#include <string.h>

/* Elements [0, count) that are kept, one after the other. */
static lim_result keep(arena* a, const void* from, const int32_t* name, int32_t count, size_t size,
                       const void* out) {
    const unsigned char* was = from;
    if (was == NULL) {
        return LIM_OK;
    }
    unsigned char* to = arena_room(a, (size_t)count, size);
    LIM_TRY_MEMORY(to);
    for (int32_t i = 0; i < count; ++i) {
        if (name[i] >= 0) {
            memcpy(to + (size_t)name[i] * size, was + (size_t)i * size, size);
        }
    }
    memcpy((void*)(uintptr_t)out, &to, sizeof to);
    return LIM_OK;
}

/* New numbers of those that are used, -1 for others; how many there are. */
static int32_t number(int32_t* used, int32_t count) {
    int32_t kept = 0;
    for (int32_t i = 0; i < count; ++i) {
        used[i] = used[i] ? kept++ : -1;
    }
    return kept;
}

static lim_result leave_out_vertices(arena* a, const topology* t, surface_change* c) {
    uint32_t olds = (uint32_t)t->vertex_count;
    int32_t n = c->new_vertices;
    int32_t* name = ARENA_ARRAY(a, int32_t, n);
    LIM_TRY_MEMORY(name);
    uint32_t* indices = (uint32_t*)(uintptr_t)c->indices; /* our own */
    for (int32_t i = 0; i < 3 * c->triangle_count; ++i) {
        if (indices[i] >= olds) {
            name[indices[i] - olds] = 1;
        }
    }
    c->new_vertices = number(name, n);
    c->vertex_count = t->vertex_count + c->new_vertices;
    for (int32_t i = 0; i < 3 * c->triangle_count; ++i) {
        indices[i] = indices[i] >= olds ? olds + (uint32_t)name[indices[i] - olds] : indices[i];
    }
    LIM_TRY(keep(a, c->position, name, n, sizeof *c->position, &c->position));
    LIM_TRY(keep(a, c->normal, name, n, 3 * sizeof(float), &c->normal));
    LIM_TRY(keep(a, c->tangent, name, n, 4 * sizeof(float), &c->tangent));
    LIM_TRY(keep(a, c->uv, name, n, 2 * sizeof(float), &c->uv));
    LIM_TRY(keep(a, c->colour, name, n, 4 * sizeof(float), &c->colour));
    for (int k = 0; k < ATTRIBUTES; ++k) {
        LIM_TRY(keep(a, c->attribute[k], name, n, sizeof(float), &c->attribute[k]));
    }
    LIM_TRY(keep(a, c->vertex_point, name, n, sizeof *c->vertex_point, &c->vertex_point));
    return keep(a, c->source, name, n, sizeof *c->source, &c->source);
}

static lim_result leave_out_points(arena* a, const topology* t, surface_change* c) {
    int32_t old = t->point_count - 1, skin = old + c->new_points, all = skin + c->felt_points;
    int32_t felt_before = t->bind.count - t->point_count;
    int32_t* name = ARENA_ARRAY(a, int32_t, all);
    int32_t* vertex_point = ARENA_ROOM(a, int32_t, c->new_vertices);
    LIM_TRY_MEMORY(name);
    LIM_TRY_MEMORY(vertex_point);
    for (int32_t i = 0; i < all; ++i) {
        name[i] = i < old || (i >= skin && i < skin + felt_before);
    }
    for (int32_t i = 0; i < c->new_vertices; ++i) {
        name[c->vertex_point[i]] = 1;
    }
    for (int32_t i = 0; i < 3 * c->felt_count; ++i) {
        name[c->felt[i]] = 1;
    }
    int32_t points = 0;
    for (int32_t i = 0; i < skin; ++i) {
        points += name[i];
    }
    int32_t kept = number(name, all);
    int32_t* felt = (int32_t*)(uintptr_t)c->felt; /* our own */
    for (int32_t i = 0; i < 3 * c->felt_count; ++i) {
        felt[i] = name[felt[i]];
    }
    for (int32_t i = 0; i < c->new_vertices; ++i) {
        vertex_point[i] = name[c->vertex_point[i]];
    }
    LIM_TRY(keep(a, c->home, name, all, sizeof *c->home, &c->home));
    for (int32_t i = old; i < all; ++i) { /* in each array from 0 on */
        name[i] -= name[i] < 0 ? 0 : i < skin ? old : points;
    }
    LIM_TRY(keep(a, c->point, name + old, skin - old, sizeof *c->point, &c->point));
    LIM_TRY(keep(a, c->felt_point, name + skin, all - skin, sizeof *c->felt_point, &c->felt_point));
    c->vertex_point = vertex_point;
    c->new_points = points - old;
    c->felt_points = kept - points;
    return LIM_OK;
}

lim_result draw_leave_out(arena* a, const topology* t, surface_change* c) {
    LIM_TRY(leave_out_vertices(a, t, c));
    return leave_out_points(a, t, c);
}
