/* SPDX-License-Identifier: MIT
 * Job: the surface after an edit. In: the surface before it and what the edit has changed. Out: all
 * arrays of the new one, and the fragment that each bound point lies on: that of the edit, or the
 * one it lay on before; where that was parted, the part on the inner side.
 */
#include "body/remake_surface.h"

#include "body/bind_cells.h"

#include <string.h>

/* What was there, then what is new; null where the surface has none. */
static lim_result extend(arena* a, const void* from, int32_t count, const void* more,
                         int32_t more_count, size_t size, void* out) {
    unsigned char* to = NULL;
    if (from != NULL) {
        to = arena_room(a, (size_t)count + (size_t)more_count, size);
        LIM_TRY_MEMORY(to);
        memcpy(to, from, (size_t)count * size);
        if (more != NULL && more_count > 0) {
            memcpy(to + (size_t)count * size, more, (size_t)more_count * size);
        } else {
            memset(to + (size_t)count * size, 0, (size_t)more_count * size);
        }
    }
    memcpy(out, &to, sizeof to);
    return LIM_OK;
}

static lim_result take_vertices(topology* t, const topology* from, const surface_change* c) {
    static const surface_change none = {0};
    c = c != NULL ? c : &none;
    arena* a = &t->mem;
    int32_t n = from->vertex_count, more = c->new_vertices;
    t->vertex_count = n + more;
    LIM_TRY(extend(a, from->position, n, c->position, more, sizeof(lim_point), &t->position));
    LIM_TRY(extend(a, from->normal, n, c->normal, more, 3 * sizeof(float), &t->normal));
    LIM_TRY(extend(a, from->tangent, n, c->tangent, more, 4 * sizeof(float), &t->tangent));
    LIM_TRY(extend(a, from->uv, n, c->uv, more, 2 * sizeof(float), &t->uv));
    LIM_TRY(extend(a, from->colour, n, c->colour, more, 4 * sizeof(float), &t->colour));
    for (int k = 0; k < ATTRIBUTES; ++k) {
        LIM_TRY(extend(a, from->attribute[k], n, c->attribute[k], more, sizeof(float),
                       &t->attribute[k]));
    }
    LIM_TRY(
        extend(a, from->vertex_point, n, c->vertex_point, more, sizeof(int32_t), &t->vertex_point));
    t->source_count = from->source_count + more;
    t->source = ARENA_ARRAY(a, lim_vertex_source, t->source_count);
    LIM_TRY_MEMORY(t->source);
    if (from->source_count > 0) {
        memcpy(t->source, from->source, (size_t)from->source_count * sizeof *t->source);
    }
    if (more > 0) {
        memcpy(t->source + from->source_count, c->source, (size_t)more * sizeof *t->source);
    }
    /* Vertices of no triangle are at the centre of mass, which is the last point again. */
    for (int32_t i = 0; i < n && c->new_points > 0; ++i) {
        if (t->vertex_point[i] == from->point_count - 1) {
            t->vertex_point[i] += c->new_points;
        }
    }
    return LIM_OK;
}

static lim_result take_triangles(topology* t, const topology* from, const surface_change* c) {
    arena* a = &t->mem;
    t->triangle_count = c != NULL ? c->triangle_count : from->triangle_count;
    t->submesh_count = c != NULL ? c->submesh_count : from->submesh_count;
    t->own_submeshes = from->own_submeshes;
    LIM_TRY(extend(a, c != NULL ? c->indices : from->indices, t->triangle_count, NULL, 0,
                   3 * sizeof(uint32_t), &t->indices));
    return extend(a, c != NULL ? c->submesh : from->submesh, t->triangle_count, NULL, 0,
                  sizeof(int32_t), &t->submesh);
}

/* Numbers of a change leave out the centre of mass, which lies between the points of the skin and
 * those that are only felt. */
static lim_result take_felt(topology* t, const topology* from, const surface_change* c) {
    arena* a = &t->mem;
    if (c == NULL) {
        t->felt_coarse = from->felt_coarse;
        t->felt_count = from->felt_count;
        t->coarse_count = from->coarse_count;
        LIM_TRY(extend(a, from->felt, t->felt_count, NULL, 0, 3 * sizeof(int32_t), &t->felt));
        return extend(a, from->coarse, t->coarse_count, NULL, 0, 3 * sizeof(int32_t), &t->coarse);
    }
    t->felt_coarse = true;
    t->felt_count = c->felt_count;
    t->felt = ARENA_ROOM(a, int32_t, 3 * (int64_t)c->felt_count);
    LIM_TRY_MEMORY(t->felt);
    for (int32_t i = 0; i < 3 * c->felt_count; ++i) {
        t->felt[i] = c->felt[i] + (c->felt[i] >= t->point_count - 1);
    }
    return LIM_OK;
}

static void put_rest(topology* t, int32_t i, lim_vec3 at) {
    t->bind.rest[0][i] = at.x;
    t->bind.rest[1][i] = at.y;
    t->bind.rest[2][i] = at.z;
}

/* Points of the skin, the centre of mass, points that are only felt. */
static lim_result take_points(topology* t, arena* scratch, const topology* from,
                              const surface_change* c, int32_t** out_old) {
    int32_t more = c != NULL ? c->new_points : 0, skin = from->point_count - 1 + more;
    int32_t felt_before = from->bind.count - from->point_count;
    int32_t felt = c != NULL ? c->felt_points : felt_before;
    t->point_count = skin + 1;
    t->bind.count = t->point_count + felt;
    LIM_TRY(extend(&t->mem, from->skin_point, from->point_count - 1, c != NULL ? c->point : NULL,
                   more, sizeof(lim_point), &t->skin_point));
    int32_t* old = *out_old = ARENA_ROOM(scratch, int32_t, t->bind.count);
    LIM_TRY_MEMORY(old);
    for (int k = 0; k < 3; ++k) {
        t->bind.rest[k] = ARENA_ROOM(&t->mem, float, t->bind.count);
        LIM_TRY_MEMORY(t->bind.rest[k]);
    }
    for (int32_t i = 0; i < t->bind.count; ++i) {
        bool of_skin = i<skin, is_felt = i> skin;
        int32_t k = i - t->point_count;
        old[i] = of_skin   ? (i < from->point_count - 1 ? i : -1)
                 : is_felt ? (k < felt_before ? from->point_count + k : -1)
                           : from->point_count - 1;
        if (old[i] >= 0) {
            put_rest(t, i, bindings_rest(&from->bind, old[i]));
        } else {
            lim_point at = of_skin ? t->skin_point[i] : c->felt_point[k];
            put_rest(t, i, v3_of(p3_sub(at, t->rest_origin)));
        }
    }
    return LIM_OK;
}

lim_result remake_surface(topology* t, arena* scratch, const topology_plan* plan,
                          int32_t** out_old) {
    const topology* from = plan->from;
    t->revision = from->revision + (plan->surface != NULL);
    LIM_TRY(take_vertices(t, from, plan->surface));
    LIM_TRY(take_triangles(t, from, plan->surface));
    LIM_TRY(take_points(t, scratch, from, plan->surface, out_old));
    return take_felt(t, from, plan->surface);
}

/* ---- homes --------------------------------------------------------------------------------------
 */

/* What each fragment before has become: CSR. */
typedef struct parts {
    int32_t *first, *part;
} parts;

static lim_result list_parts(arena* scratch, const topology* t, const topology_plan* plan,
                             parts* out) {
    int32_t before = plan->from->matter.count, count = t->matter.count;
    out->first = ARENA_ARRAY(scratch, int32_t, before + 1);
    out->part = ARENA_ARRAY(scratch, int32_t, count);
    LIM_TRY_MEMORY(out->first);
    LIM_TRY_MEMORY(out->part);
    for (int32_t i = 0; i < count; ++i) {
        out->first[plan->source[i] + 1]++;
    }
    for (int32_t i = 0; i < before; ++i) {
        out->first[i + 1] += out->first[i];
    }
    for (int32_t i = 0; i < count; ++i) {
        out->part[out->first[plan->source[i]]++] = i;
    }
    for (int32_t i = before; i > 0; --i) {
        out->first[i] = out->first[i - 1];
    }
    out->first[0] = 0;
    return LIM_OK;
}

/* What the edit says; the fragment it lay on before where that is still one; else -1. */
static int32_t known_home(const topology* t, const topology_plan* plan, const parts* p, int32_t i,
                          int32_t old) {
    int32_t skin = t->point_count - 1;
    if (plan->surface != NULL && plan->surface->home != NULL && i != skin) {
        int32_t home = plan->surface->home[i < skin ? i : i - 1];
        if (home >= 0) {
            return home;
        }
    }
    if (old < 0) {
        return -1;
    }
    int32_t was = plan->from->point_home[old];
    if (p->first == NULL) {
        return was;
    }
    return p->first[was + 1] - p->first[was] == 1 ? p->part[p->first[was]] : -1;
}

static lim_vec3* point_normals(const topology* t, arena* scratch) {
    int32_t* corner = ARENA_ROOM(scratch, int32_t, 3 * (int64_t)t->triangle_count);
    if (corner == NULL) {
        return NULL;
    }
    for (int32_t i = 0; i < 3 * t->triangle_count; ++i) {
        corner[i] = t->vertex_point[t->indices[i]];
    }
    lim_vec3* normal = surface_normals(scratch, &t->bind, corner, t->triangle_count);
    lim_vec3* felt = surface_normals(scratch, &t->bind, t->felt, t->felt_count);
    for (int32_t i = t->point_count; i < t->bind.count && normal != NULL && felt != NULL; ++i) {
        normal[i] = felt[i];
    }
    return felt != NULL ? normal : NULL;
}

/* Of the parts of a fragment the one whose centroid is nearest to the point moved inwards. */
static int32_t inner_part(const topology* t, const parts* p, int32_t was, lim_vec3 at,
                          lim_vec3 normal) {
    const matter* m = &t->matter;
    lim_point inner = p3_add(
        p3_of(v3_mad(at, v3_unit(normal, v3(0, 0, 0)), (float)(-0.25 * m->side))), t->rest_origin);
    int32_t best = -1;
    double least = HUGE_VAL;
    for (int32_t k = p->first[was]; k < p->first[was + 1]; ++k) {
        lim_point r = p3_sub(m->centroid[p->part[k]], inner);
        if (p3_dot(r, r) < least) {
            least = p3_dot(r, r);
            best = p->part[k];
        }
    }
    return best;
}

/* Finds the homes of `count` points that nobody knows; `unknown` lists them. */
static lim_result find_homes(topology* t, arena* scratch, const topology_plan* plan, const parts* p,
                             const int32_t* old, const int32_t* unknown, int32_t count) {
    lim_vec3* normal = point_normals(t, scratch);
    lim_vec3* look = ARENA_ARRAY(scratch, lim_vec3, count);
    int32_t* lost = ARENA_ARRAY(scratch, int32_t, count);
    LIM_TRY_MEMORY(normal);
    LIM_TRY_MEMORY(look);
    LIM_TRY_MEMORY(lost);
    int32_t left = 0;
    for (int32_t i = 0; i < count; ++i) {
        int32_t point = unknown[i], found = -1;
        lim_vec3 place = bindings_rest(&t->bind, point);
        if (old[point] >= 0) {
            found = inner_part(t, p, plan->from->point_home[old[point]], place, normal[point]);
        }
        t->point_home[point] = found;
        if (found < 0) {
            look[left] = normal[point];
            lost[left++] = point;
        }
    }
    return bind_cells_homes(t, scratch, lost, look, left);
}

lim_result remake_homes(topology* t, arena* scratch, const topology_plan* plan,
                        const int32_t* old) {
    parts p = {NULL, NULL};
    int32_t* unknown = ARENA_ROOM(scratch, int32_t, t->bind.count);
    int32_t count = 0;
    t->point_home = ARENA_ROOM(&t->mem, int32_t, t->bind.count);
    LIM_TRY_MEMORY(unknown);
    LIM_TRY_MEMORY(t->point_home);
    if (plan->source != NULL) {
        LIM_TRY(list_parts(scratch, t, plan, &p));
    }
    for (int32_t i = 0; i < t->bind.count; ++i) {
        t->point_home[i] = known_home(t, plan, &p, i, old[i]);
        if (t->point_home[i] < 0) {
            unknown[count++] = i;
        }
    }
    return count > 0 ? find_homes(t, scratch, plan, &p, old, unknown, count) : LIM_OK;
}
