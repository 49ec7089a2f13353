/* SPDX-License-Identifier: MIT
 * Job: part of a topology. In: a topology, which of its components. Out: a topology of these. The
 * material and its nodes are remade (body/remake_nodes.h), bindings are taken over
 * (body/rebind.h); the surface is what lies on them.
 */
#include "body/part.h"

#include "body/bind_cells.h"
#include "body/lattice_material.h"
#include "body/rebind.h"
#include "body/remake_nodes.h"
#include "body/rest_nodes.h"
#include "sample/matter_part.h"

#include <string.h>

typedef struct parting {
    const topology* from;
    const uint8_t* takes; /* per component of `from` */
    bool keep_vertices;
    int32_t* source; /* per fragment taken */
    uint8_t* used;   /* per bound point of `from`: it comes along */
    int32_t* point;  /* per bound point of `from`: its number, or -1 */
    int32_t* old;    /* per bound point: that of `from`, or -1: bound anew */
    int32_t* vertex; /* per vertex: that of `from` */
    int32_t* number; /* per vertex of `from`: its number, or -1 */
} parting;

static bool is_taken(const parting* p, int32_t point) {
    return p->takes[p->from->bind.component[point]] != 0;
}

/* ---- what comes along ---------------------------------------------------------------------------
 */

/* Keeps the triangles over points whose first corner is taken; their corners come along. */
static lim_result take_triangles(parting* p, arena* a, const int32_t* from, int32_t count,
                                 int32_t** out, int32_t* out_count) {
    int32_t* to = ARENA_ARRAY(a, int32_t, 3 * (int64_t)count);
    LIM_TRY_MEMORY(to);
    int32_t kept = 0;
    for (int32_t i = 0; i < count; ++i) {
        const int32_t* corner = from + 3 * (size_t)i;
        if (is_taken(p, corner[0])) {
            for (int k = 0; k < 3; ++k) {
                to[3 * (size_t)kept + (size_t)k] = corner[k];
                p->used[corner[k]] = 1;
            }
            kept++;
        }
    }
    *out = to;
    *out_count = kept;
    return LIM_OK;
}

/* The skin's triangles; their vertices are marked in `number`. */
static lim_result take_skin(topology* t, parting* p) {
    const topology* from = p->from;
    t->indices = ARENA_ARRAY(&t->mem, uint32_t, 3 * (int64_t)from->triangle_count);
    t->submesh = ARENA_ARRAY(&t->mem, int32_t, from->triangle_count);
    LIM_TRY_MEMORY(t->indices);
    LIM_TRY_MEMORY(t->submesh);
    for (int32_t i = 0; i < from->triangle_count; ++i) {
        const uint32_t* corner = from->indices + 3 * (size_t)i;
        if (!is_taken(p, from->vertex_point[corner[0]])) {
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            t->indices[3 * (size_t)t->triangle_count + (size_t)k] = corner[k];
            p->used[from->vertex_point[corner[k]]] = 1;
            p->number[corner[k]] = 1;
        }
        t->submesh[t->triangle_count++] = from->submesh[i];
    }
    return t->triangle_count > 0 ? LIM_OK : LIM_ERROR_ARGUMENT;
}

/* Rows of `size` bytes of the vertices that are there; null stays null. */
static lim_result take_rows(topology* t, const parting* p, const void* from, size_t size,
                            void* out) {
    unsigned char* to = NULL;
    if (from != NULL) {
        to = arena_alloc(&t->mem, (size_t)t->vertex_count, size);
        LIM_TRY_MEMORY(to);
        for (int32_t i = 0; i < t->vertex_count; ++i) {
            memcpy(to + (size_t)i * size, (const unsigned char*)from + (size_t)p->vertex[i] * size,
                   size);
        }
    }
    memcpy(out, &to, sizeof to);
    return LIM_OK;
}

static lim_result take_sources(topology* t, const parting* p) {
    const topology* from = p->from;
    int32_t first = from->vertex_count - from->source_count, at = 0;
    while (at < t->vertex_count && p->vertex[at] < first) {
        at++;
    }
    t->source_count = t->vertex_count - at;
    t->source = ARENA_ARRAY(&t->mem, lim_vertex_source, t->source_count);
    LIM_TRY_MEMORY(t->source);
    for (int32_t i = 0; i < t->source_count; ++i) {
        t->source[i] = from->source[p->vertex[at + i] - first];
        for (int k = 0; k < 3; ++k) {
            int32_t* vertex = &t->source[i].vertex[k];
            *vertex = *vertex >= 0 ? p->number[*vertex] : -1;
        }
    }
    return LIM_OK;
}

/* Numbers of vertices and points are known. Vertices that no triangle has go to the last point. */
static lim_result take_vertices(topology* t, parting* p) {
    const topology* from = p->from;
    LIM_TRY(take_rows(t, p, from->position, sizeof(lim_point), &t->position));
    LIM_TRY(take_rows(t, p, from->normal, 3 * sizeof(float), &t->normal));
    LIM_TRY(take_rows(t, p, from->tangent, 4 * sizeof(float), &t->tangent));
    LIM_TRY(take_rows(t, p, from->uv, 2 * sizeof(float), &t->uv));
    LIM_TRY(take_rows(t, p, from->colour, 4 * sizeof(float), &t->colour));
    for (int k = 0; k < ATTRIBUTES; ++k) {
        LIM_TRY(take_rows(t, p, from->attribute[k], sizeof(float), &t->attribute[k]));
    }
    LIM_TRY(take_rows(t, p, from->vertex_point, sizeof(int32_t), &t->vertex_point));
    for (int32_t i = 0; i < t->vertex_count; ++i) {
        int32_t point = p->point[t->vertex_point[i]];
        t->vertex_point[i] = point >= 0 ? point : t->point_count - 1;
    }
    for (int32_t i = 0; i < 3 * t->triangle_count; ++i) {
        t->indices[i] = (uint32_t)p->number[t->indices[i]];
    }
    return take_sources(t, p);
}

static void number_vertices(topology* t, parting* p) {
    for (int32_t i = 0; i < p->from->vertex_count; ++i) {
        bool comes = p->keep_vertices || p->number[i] != 0;
        p->number[i] = comes ? t->vertex_count : -1;
        if (comes) {
            p->vertex[t->vertex_count++] = i;
        }
    }
}

/* Points of the skin, the centre of mass, points that are only felt. */
static lim_result take_points(topology* t, parting* p) {
    const topology* from = p->from;
    int32_t last = from->point_count - 1, count = 0;
    for (int32_t i = 0; i < from->bind.count; ++i) {
        bool comes = i == last || p->used[i];
        p->point[i] = comes ? count : -1;
        if (comes) {
            p->old[count++] = i;
        }
        t->point_count = i == last ? count : t->point_count;
    }
    t->bind.count = count;
    t->skin_point = ARENA_ARRAY(&t->mem, lim_point, t->point_count - 1);
    LIM_TRY_MEMORY(t->skin_point);
    for (int k = 0; k < 3; ++k) {
        t->bind.rest[k] = ARENA_ARRAY(&t->mem, float, count);
        LIM_TRY_MEMORY(t->bind.rest[k]);
        for (int32_t i = 0; i < count; ++i) {
            t->bind.rest[k][i] = from->bind.rest[k][p->old[i]];
        }
    }
    for (int32_t i = 0; i + 1 < t->point_count; ++i) {
        t->skin_point[i] = from->skin_point[p->old[i]];
    }
    return LIM_OK;
}

static lim_result part_surface(topology* t, parting* p) {
    const topology* from = p->from;
    t->submesh_count = from->submesh_count;
    t->own_submeshes = from->own_submeshes;
    t->revision = from->revision + 1;
    t->felt_coarse = from->felt_coarse;
    for (int32_t i = 0; i < from->bind.count; ++i) {
        p->used[i] = i != from->point_count - 1 && is_taken(p, i);
    }
    LIM_TRY(take_skin(t, p));
    LIM_TRY(take_triangles(p, &t->mem, from->felt, from->felt_count, &t->felt, &t->felt_count));
    LIM_TRY(
        take_triangles(p, &t->mem, from->coarse, from->coarse_count, &t->coarse, &t->coarse_count));
    number_vertices(t, p);
    LIM_TRY(take_points(t, p));
    for (int32_t i = 0; i < 3 * t->felt_count; ++i) {
        t->felt[i] = p->point[t->felt[i]];
    }
    for (int32_t i = 0; i < 3 * t->coarse_count; ++i) {
        t->coarse[i] = p->point[t->coarse[i]];
    }
    return take_vertices(t, p);
}

/* ---- where it lies ------------------------------------------------------------------------------
 */

/* Points lie on the fragments they lay on; those of triangles between components, and the last one
 * where its material is not there, on the nearest. */
static lim_result part_homes(topology* t, parting* p, arena* scratch, lim_point centre) {
    int32_t* number = ARENA_ARRAY(scratch, int32_t, p->from->matter.count); /* + 1 */
    lim_vec3* look = ARENA_ARRAY(scratch, lim_vec3, t->bind.count);         /* nowhere */
    int32_t* lost = ARENA_ARRAY(scratch, int32_t, t->bind.count);
    int32_t count = 0;
    t->point_home = ARENA_ARRAY(&t->mem, int32_t, t->bind.count);
    LIM_TRY_MEMORY(number);
    LIM_TRY_MEMORY(look);
    LIM_TRY_MEMORY(lost);
    LIM_TRY_MEMORY(t->point_home);
    for (int32_t i = 0; i < t->matter.count; ++i) {
        number[p->source[i]] = i + 1;
    }
    for (int32_t i = 0; i < t->bind.count; ++i) {
        t->point_home[i] = number[p->from->point_home[p->old[i]]] - 1;
        if (t->point_home[i] >= 0) {
            continue;
        }
        if (i == t->point_count - 1) {
            lim_vec3 own = v3_of(p3_sub(centre, t->rest_origin));
            t->bind.rest[0][i] = own.x;
            t->bind.rest[1][i] = own.y;
            t->bind.rest[2][i] = own.z;
        }
        p->old[i] = -1;
        lost[count++] = i;
    }
    return bind_cells_homes(t, scratch, lost, look, count);
}

static void part_bounds(topology* t, lim_point centre) {
    lim_point low = p3(HUGE_VAL, HUGE_VAL, HUGE_VAL), high = p3_scale(low, -1.0);
    for (int32_t i = 0; i + 1 < t->point_count; ++i) {
        lim_point at = p3_mad(t->centre_of_mass, p3_sub(t->skin_point[i], t->rest_origin), t->unit);
        low = p3(at.x < low.x ? at.x : low.x, at.y < low.y ? at.y : low.y,
                 at.z < low.z ? at.z : low.z);
        high = p3(at.x > high.x ? at.x : high.x, at.y > high.y ? at.y : high.y,
                  at.z > high.z ? at.z : high.z);
    }
    t->info.bounds = (lim_box){low, high};
    t->info.centre = p3_mad(t->centre_of_mass, p3_sub(centre, t->rest_origin), t->unit);
}

static lim_result part(topology* t, arena* a, arena* scratch, const lim_host* host, parting* p,
                       part_map* map) {
    const topology* from = p->from;
    uint8_t* takes = ARENA_ARRAY(scratch, uint8_t, from->matter.count);
    p->used = ARENA_ARRAY(scratch, uint8_t, from->bind.count);
    p->point = ARENA_ARRAY(scratch, int32_t, from->bind.count);
    p->old = ARENA_ARRAY(scratch, int32_t, from->bind.count);
    p->number = ARENA_ARRAY(scratch, int32_t, from->vertex_count);
    p->vertex = ARENA_ARRAY(a, int32_t, from->vertex_count);
    LIM_TRY_MEMORY(takes);
    LIM_TRY_MEMORY(p->used);
    LIM_TRY_MEMORY(p->point);
    LIM_TRY_MEMORY(p->old);
    LIM_TRY_MEMORY(p->number);
    LIM_TRY_MEMORY(p->vertex);
    bool any = false;
    for (int32_t i = 0; i < from->matter.count; ++i) {
        takes[i] = p->takes[from->slot_component[from->fragment_slot[i]]] != 0;
        any = any || takes[i];
    }
    if (!any) {
        return LIM_ERROR_ARGUMENT;
    }
    matter some;
    sampling s;
    kept_nodes kept;
    int32_t renewed;
    LIM_TRY(matter_part(a, &from->matter, takes, &some, &p->source));
    topology_plan plan = {.from = from, .after = &some, .source = p->source};
    LIM_TRY(remake_nodes(t, a, scratch, host, &plan, &s, &kept));
    lim_point centre = rest_centre(t, &s);
    LIM_TRY(part_surface(t, p));
    LIM_TRY(part_homes(t, p, scratch, centre));
    if (t->kind->nodes == LIM_NODES_AT_CORNERS) {
        LIM_TRY(kept_nodes_find(a, from, t, p->source, &kept));
        LIM_TRY(lattice_material_rebind(t));
    } else {
        LIM_TRY(rebind(t, scratch, from, &kept, p->old, NULL, &renewed));
    }
    rest_info(t, &s);
    part_bounds(t, centre);
    *map = (part_map){.slot = kept.before, .fragment = p->source, .vertex = p->vertex};
    return topology_derive(t, scratch, NULL);
}

lim_result topology_part(arena* a, const topology* from, const uint8_t* takes, bool keep_vertices,
                         const lim_host* host, topology** out, part_map* map) {
    lim_host hooks = mem_host(host);
    if (!from->kind->edits) {
        return LIM_ERROR_UNSUPPORTED;
    }
    topology* t = mem_alloc(&hooks, 1, sizeof(topology));
    LIM_TRY_MEMORY(t);
    arena scratch;
    arena_init(&t->mem, &hooks);
    arena_init(&scratch, &hooks);
    t->references = 1;
    parting p = {.from = from, .takes = takes, .keep_vertices = keep_vertices};
    lim_result result = part(t, a, &scratch, &hooks, &p, map);
    arena_release(&scratch);
    if (result != LIM_OK) {
        topology_destroy(t);
        return result;
    }
    LIM_VALIDATE(topology_is_valid(t));
    *out = t;
    return LIM_OK;
}
