/* SPDX-License-Identifier: MIT
 * Job: make a lim_mesh. In: the caller's arrays as they are. Out: a constant mesh with the caller's
 * vertices in their order, the kept triangles, and a report. The idea: check everything that could
 * be wrong with the call first, then run the cleaning steps of mesh/clean.h, then copy what is kept
 * into the mesh's own arena.
 */
#include "mesh/surface.h"

#include "base/cookie.h"
#include "base/fpenv.h"
#include "base/log.h"
#include "mesh/clean.h"

#include <string.h>

/* Half-edges are numbered by 32-bit integers. */
#define TRIANGLES_MOST (INT32_MAX / 4)

lim_mesh_desc lim_mesh_desc_default(void) {
    return (lim_mesh_desc){.cookie = LIM_COOKIE_MESH, .submesh_count = 1, .weld_distance = 1e-6f};
}

typedef struct attribute_list {
    const char* name[ATTRIBUTES];
    const float* values[ATTRIBUTES];
} attribute_list;

static attribute_list attributes_of(const lim_mesh_desc* desc) {
    return (attribute_list){{"densities", "stiffnesses", "sizes"},
                            {desc->densities, desc->stiffnesses, desc->sizes}};
}

static lim_result check(const lim_mesh_desc* desc, const lim_host* host) {
    if (desc->cookie != LIM_COOKIE_MESH) {
        return log_fail(host, LIM_ERROR_DESC,
                        "lim_mesh_create: start from lim_mesh_desc_default()");
    }
    if (desc->vertex_count < 0 || desc->triangle_count < 0 || desc->submesh_count < 1) {
        return log_fail(host, LIM_ERROR_ARGUMENT,
                        "lim_mesh_create: counts must not be negative, submesh_count at least 1");
    }
    if (desc->triangle_count > TRIANGLES_MOST) {
        return log_fail(host, LIM_ERROR_TOO_LARGE,
                        "lim_mesh_create: %d triangles; at most %d, simplify the mesh",
                        (int)desc->triangle_count, (int)TRIANGLES_MOST);
    }
    if (desc->vertex_count == 0 || desc->triangle_count == 0) {
        return log_fail(host, LIM_ERROR_MESH, "lim_mesh_create: the mesh has no triangles");
    }
    if (desc->positions == NULL || desc->indices == NULL) {
        return log_fail(host, LIM_ERROR_ARGUMENT,
                        "lim_mesh_create: positions and indices are required");
    }
    if (!(desc->weld_distance >= 0.0f && desc->weld_distance <= 0.1f)) {
        return log_fail(host, LIM_ERROR_ARGUMENT,
                        "lim_mesh_create: weld_distance must be from 0 to 0.1 of the diagonal");
    }
    const attribute_list given = attributes_of(desc);
    for (int k = 0; k < ATTRIBUTES; ++k) {
        LIM_TRY(attribute_check(host, "lim_mesh_create", given.name[k], k, given.values[k],
                                desc->vertex_count));
    }
    for (int32_t i = 0; i < desc->triangle_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            if (desc->indices[3 * (size_t)i + (size_t)k] >= (uint32_t)desc->vertex_count) {
                return log_fail(host, LIM_ERROR_ARGUMENT,
                                "lim_mesh_create: triangle %d uses vertex %u of %d", (int)i,
                                (unsigned)desc->indices[3 * (size_t)i + (size_t)k],
                                (int)desc->vertex_count);
            }
        }
        if (desc->submeshes != NULL &&
            (desc->submeshes[i] < 0 || desc->submeshes[i] >= desc->submesh_count)) {
            return log_fail(host, LIM_ERROR_ARGUMENT,
                            "lim_mesh_create: triangle %d is of submesh %d of %d", (int)i,
                            (int)desc->submeshes[i], (int)desc->submesh_count);
        }
    }
    return LIM_OK;
}

/* Copies floats, non-finite ones as 0: they are only passed through to pictures. */
static lim_result copy_floats(arena* a, const float* from, int32_t vertices, int32_t per_vertex,
                              float** out) {
    if (from == NULL) {
        *out = NULL;
        return LIM_OK;
    }
    size_t count = (size_t)vertices * (size_t)per_vertex;
    *out = ARENA_ARRAY(a, float, count);
    LIM_TRY_MEMORY(*out);
    for (size_t i = 0; i < count; ++i) {
        (*out)[i] = isfinite(from[i]) ? from[i] : 0.0f;
    }
    return LIM_OK;
}

/* What is kept goes into the mesh's own memory. */
static lim_result copy_kept(cleaning* c) {
    lim_mesh* mesh = c->mesh;
    const lim_mesh_desc* desc = c->desc;
    int32_t n = c->triangle_count;
    mesh->submesh_count = desc->submesh_count;
    mesh->triangle_count = n;
    mesh->triangle_vertex = ARENA_ARRAY(&mesh->mem, uint32_t, 3 * (size_t)n);
    mesh->triangle_point = ARENA_ARRAY(&mesh->mem, int32_t, 3 * (size_t)n);
    mesh->triangle_submesh = ARENA_ARRAY(&mesh->mem, int32_t, n);
    LIM_TRY_MEMORY(mesh->triangle_vertex);
    LIM_TRY_MEMORY(mesh->triangle_point);
    LIM_TRY_MEMORY(mesh->triangle_submesh);
    memcpy(mesh->triangle_point, c->corner, 3 * (size_t)n * sizeof(int32_t));
    for (int32_t t = 0; t < n; ++t) {
        size_t from = (size_t)c->triangle[t];
        memcpy(mesh->triangle_vertex + 3 * (size_t)t, desc->indices + 3 * from,
               3 * sizeof(uint32_t));
        mesh->triangle_submesh[t] = desc->submeshes != NULL ? desc->submeshes[from] : 0;
    }
    int32_t vertices = desc->vertex_count;
    LIM_TRY(copy_floats(&mesh->mem, desc->tangents, vertices, 4, &mesh->tangent));
    LIM_TRY(copy_floats(&mesh->mem, desc->uvs, vertices, 2, &mesh->uv));
    const attribute_list given = attributes_of(desc);
    for (int k = 0; k < ATTRIBUTES; ++k) {
        LIM_TRY(copy_floats(&mesh->mem, given.values[k], vertices, 1, &mesh->attribute[k]));
    }
    return copy_floats(&mesh->mem, desc->colours, vertices, 4, &mesh->colour);
}

static void say_what_was_done(const lim_host* host, const lim_mesh* mesh) {
    const lim_mesh_report* r = &mesh->report;
    if (r->dropped_degenerate + r->dropped_duplicate + r->dropped_non_finite > 0) {
        log_say(host, LIM_LOG_WARNING,
                "mesh: %d of %d triangles dropped (%d without area, %d duplicates, %d not finite)",
                (int)(r->triangles - r->triangles_kept), (int)r->triangles,
                (int)r->dropped_degenerate, (int)r->dropped_duplicate, (int)r->dropped_non_finite);
    }
    if (mesh->size >= 1e30 || mesh->size < 1e-29) {
        log_say(host, LIM_LOG_WARNING,
                "mesh: its size of %g is beyond what floats hold; give a scale to the model",
                mesh->size);
    }
}

static lim_result build(cleaning* c) {
    lim_mesh* mesh = c->mesh;
    mesh->report.vertices = c->desc->vertex_count;
    mesh->report.triangles = c->desc->triangle_count;
    mesh->vertex_count = c->desc->vertex_count;
    LIM_TRY(clean_filter(c));
    LIM_TRY(clean_weld(c));
    LIM_TRY(clean_orient(c));
    LIM_TRY(copy_kept(c));
    mesh->report.triangles_kept = mesh->triangle_count;
    return clean_normals(c);
}

lim_result lim_mesh_create(const lim_mesh_desc* desc, const lim_host* host, lim_mesh** out_mesh) {
    if (out_mesh == NULL) {
        return log_fail(host, LIM_ERROR_ARGUMENT, "lim_mesh_create: out_mesh is null");
    }
    *out_mesh = NULL;
    if (desc == NULL) {
        return log_fail(host, LIM_ERROR_ARGUMENT, "lim_mesh_create: desc is null");
    }
    LIM_TRY(check(desc, host));
    lim_host hooks = mem_host(host);
    lim_mesh* mesh = mem_alloc(&hooks, 1, sizeof *mesh);
    if (mesh == NULL) {
        return log_fail(host, LIM_ERROR_MEMORY, "lim_mesh_create: out of memory");
    }
    fpenv caller = fpenv_enter();
    arena_init(&mesh->mem, &hooks);
    cleaning c = {.desc = desc, .mesh = mesh};
    arena_init(&c.scratch, &hooks);
    lim_result result = build(&c);
    arena_release(&c.scratch);
    fpenv_leave(caller);
    if (result == LIM_OK) {
        say_what_was_done(host, mesh);
        *out_mesh = mesh;
        return LIM_OK;
    }
    lim_mesh_destroy(mesh);
    if (result == LIM_ERROR_MESH) {
        return log_fail(host, result,
                        "lim_mesh_create: none of %d triangles has an area; check the export",
                        (int)desc->triangle_count);
    }
    return log_fail(host, result, "lim_mesh_create: out of memory");
}

void lim_mesh_destroy(lim_mesh* mesh) {
    if (mesh != NULL) {
        lim_host hooks = mesh->mem.host;
        arena_release(&mesh->mem);
        mem_free(&hooks, mesh, 1, sizeof *mesh);
    }
}

lim_mesh_report lim_mesh_get_report(const lim_mesh* mesh) {
    return mesh != NULL ? mesh->report : (lim_mesh_report){0};
}

lim_mesh_view lim_mesh_get_view(const lim_mesh* mesh) {
    if (mesh == NULL) {
        return (lim_mesh_view){0};
    }
    return (lim_mesh_view){
        .vertex_count = mesh->vertex_count,
        .triangle_count = mesh->triangle_count,
        .submesh_count = mesh->submesh_count,
        .positions = mesh->position,
        .normals = mesh->normal,
        .tangents = mesh->tangent,
        .uvs = mesh->uv,
        .colours = mesh->colour,
        .densities = mesh->attribute[ATTRIBUTE_DENSITY],
        .stiffnesses = mesh->attribute[ATTRIBUTE_STIFFNESS],
        .sizes = mesh->attribute[ATTRIBUTE_SIZE],
        .indices = mesh->triangle_vertex,
        .submeshes = mesh->triangle_submesh,
    };
}
