/* SPDX-License-Identifier: MIT
 * Job: let every component have vertices of its own where solids share an edge or a corner. In: a
 * bound surface with copies of shared points. Out: copies of the vertices, triangles that use them.
 */
#include "body/shared_points.h"

#include <string.h>

typedef struct sharing {
    topology* t;
    const lim_mesh *mesh, *parted;
    const int32_t* copy_of;
    int32_t* same;      /* per copy: the point whose binding it has; itself where it is alone */
    int32_t* next;      /* per vertex, made ones behind: the next one made of the same; -1 */
    int32_t *from, *at; /* per vertex made: what it is made of, and its point */
    int32_t made;
} sharing;

static void bind_alike(topology* t, int32_t to, int32_t from) {
    bindings* b = &t->bind;
    b->bind[to] = b->bind[from];
    t->point_home[to] = t->point_home[from];
    for (int k = 0; k < 3 && b->cell_count > 0; ++k) {
        b->local[k][to] = b->local[k][from];
    }
}

/* True when some copy follows another component than all before it. */
static bool settle_copies(sharing* s) {
    int32_t first = s->mesh->point_count, copies = s->parted->point_count - first;
    const int32_t* piece = s->t->bind.component;
    bool any = false;
    for (int32_t i = 0; i < copies; ++i) {
        int32_t own = first + i, found = own;
        for (int32_t k = i - 1; k >= 0 && s->copy_of[k] == s->copy_of[i]; --k) {
            found = piece[first + k] == piece[own] ? s->same[k] : found;
        }
        found = piece[s->copy_of[i]] == piece[own] ? s->copy_of[i] : found;
        s->same[i] = found;
        any = any || found == own;
        if (found != own) {
            bind_alike(s->t, own, found);
        }
    }
    return any;
}

/* The point that a corner of a triangle has; its triangle over points may be turned. */
static int32_t point_of(const sharing* s, int32_t triangle, int32_t vertex) {
    int32_t first = s->mesh->point_count, found = -1;
    for (int k = 0; k < 3; ++k) {
        int32_t point = s->parted->triangle_point[3 * (size_t)triangle + (size_t)k];
        int32_t base = point >= first ? s->copy_of[point - first] : point;
        bool here = base == s->mesh->vertex_point[vertex];
        found = !here ? found : point >= first ? s->same[point - first] : point;
    }
    return found;
}

/* The vertex at a point: the own one, or one made of it. */
static int32_t vertex_at(sharing* s, int32_t vertex, int32_t point, uint8_t* taken) {
    topology* t = s->t;
    if (!taken[vertex]) {
        taken[vertex] = 1;
        t->vertex_point[vertex] = point;
    }
    if (t->vertex_point[vertex] == point) {
        return vertex;
    }
    int32_t last = vertex, count = t->vertex_count;
    for (int32_t i = s->next[vertex]; i >= 0; i = s->next[i]) {
        if (s->at[i - count] == point) {
            return i;
        }
        last = i;
    }
    int32_t made = count + s->made;
    s->from[s->made] = vertex;
    s->at[s->made++] = point;
    s->next[made] = -1;
    s->next[last] = made;
    return made;
}

/* Rows of `size` bytes, those of the vertices made behind. */
static lim_result extend(const sharing* s, size_t size, void* array) {
    char *before, *rows;
    memcpy(&before, array, sizeof before);
    if (before == NULL) {
        return LIM_OK;
    }
    size_t count = (size_t)s->t->vertex_count;
    rows = arena_alloc(&s->t->mem, count + (size_t)s->made, size);
    LIM_TRY_MEMORY(rows);
    memcpy(rows, before, count * size);
    for (int32_t i = 0; i < s->made; ++i) {
        memcpy(rows + (count + (size_t)i) * size, before + (size_t)s->from[i] * size, size);
    }
    memcpy(array, &rows, sizeof rows);
    return LIM_OK;
}

static lim_result append_vertices(sharing* s) {
    topology* t = s->t;
    LIM_TRY(extend(s, sizeof(lim_point), &t->position));
    LIM_TRY(extend(s, 3 * sizeof(float), &t->normal));
    LIM_TRY(extend(s, 4 * sizeof(float), &t->tangent));
    LIM_TRY(extend(s, 2 * sizeof(float), &t->uv));
    LIM_TRY(extend(s, 4 * sizeof(float), &t->colour));
    for (int k = 0; k < ATTRIBUTES; ++k) {
        LIM_TRY(extend(s, sizeof(float), &t->attribute[k]));
    }
    LIM_TRY(extend(s, sizeof(int32_t), &t->vertex_point));
    t->source = ARENA_ARRAY(&t->mem, lim_vertex_source, s->made);
    LIM_TRY_MEMORY(t->source);
    for (int32_t i = 0; i < s->made; ++i) {
        t->vertex_point[t->vertex_count + i] = s->at[i];
        t->source[i].weight[0] = 1.0f;
        for (int k = 0; k < 3; ++k) {
            t->source[i].vertex[k] = s->from[i];
        }
    }
    t->source_count = s->made;
    t->vertex_count += s->made;
    return LIM_OK;
}

lim_result shared_points_settle(topology* t, arena* scratch, const lim_mesh* mesh,
                                const lim_mesh* parted, const int32_t* copy_of) {
    int32_t copies = parted->point_count - mesh->point_count, corners = 3 * t->triangle_count;
    sharing s = {.t = t, .mesh = mesh, .parted = parted, .copy_of = copy_of};
    s.same = ARENA_ROOM(scratch, int32_t, copies);
    LIM_TRY_MEMORY(s.same);
    if (copies == 0 || !settle_copies(&s)) {
        return LIM_OK;
    }
    uint8_t* taken = ARENA_ARRAY(scratch, uint8_t, t->vertex_count);
    s.next = ARENA_ROOM(scratch, int32_t, (size_t)t->vertex_count + (size_t)corners);
    s.from = ARENA_ROOM(scratch, int32_t, corners);
    s.at = ARENA_ROOM(scratch, int32_t, corners);
    LIM_TRY_MEMORY(taken);
    LIM_TRY_MEMORY(s.next);
    LIM_TRY_MEMORY(s.from);
    LIM_TRY_MEMORY(s.at);
    memset(s.next, 0xFF, (size_t)t->vertex_count * sizeof(int32_t));
    for (int32_t i = 0; i < corners; ++i) {
        int32_t vertex = (int32_t)t->indices[i];
        t->indices[i] = (uint32_t)vertex_at(&s, vertex, point_of(&s, i / 3, vertex), taken);
    }
    return s.made > 0 ? append_vertices(&s) : LIM_OK;
}
