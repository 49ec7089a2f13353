/* SPDX-License-Identifier: MIT
 *
 * Models by name. In: a name and a wished number of triangles. Out: a lim_mesh. Also boxes for
 * tests, whose volume and area are known exactly.
 */
#include "models.h"

#include "base/log.h"
#include "polygonise.h"
#include "shapes.h"

int32_t model_list(model_entry* out, int32_t capacity) {
    for (int32_t i = 0; out != NULL && i < capacity && i < shape_count(); ++i) {
        const shape_entry* s = shape_at(i);
        out[i] = (model_entry){s->name, s->about, s->triangles};
    }
    return shape_count();
}

/* Scales to one metre, centres x and z, puts the lowest point on y = 0. */
static void place(polygon_mesh* m) {
    lim_point lower = m->position[0], upper = m->position[0];
    for (int32_t v = 1; v < m->vertex_count; ++v) {
        lower = p3_min(lower, m->position[v]);
        upper = p3_max(upper, m->position[v]);
    }
    lim_point side = p3_sub(upper, lower);
    double longest = side.x > side.y ? side.x : side.y;
    longest = side.z > longest ? side.z : longest;
    lim_point foot = p3(0.5 * (lower.x + upper.x), lower.y, 0.5 * (lower.z + upper.z));
    for (int32_t v = 0; v < m->vertex_count; ++v) {
        m->position[v] = p3_scale(p3_sub(m->position[v], foot), 1.0 / longest);
    }
}

/* Gives arrays of the arena to the mesh module, with uvs projected along z. */
static lim_result mesh_of(const polygon_mesh* p, const lim_host* host, arena* a,
                          lim_mesh** out_mesh) {
    polygon_mesh m = *p;
    float* uv = ARENA_ARRAY(a, float, 2 * (size_t)m.vertex_count);
    double* position = ARENA_ARRAY(a, double, 3 * (size_t)m.vertex_count);
    if (uv == NULL || position == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t v = 0; v < m.vertex_count; ++v) {
        position[3 * v] = m.position[v].x;
        position[3 * v + 1] = m.position[v].y;
        position[3 * v + 2] = m.position[v].z;
        uv[2 * v] = (float)(m.position[v].x + 0.5);
        uv[2 * v + 1] = (float)m.position[v].y;
    }
    lim_mesh_desc desc = lim_mesh_desc_default();
    desc.vertex_count = m.vertex_count;
    desc.triangle_count = m.triangle_count;
    desc.positions = position;
    desc.normals = m.normal;
    desc.uvs = uv;
    desc.colours = m.colour;
    desc.indices = m.indices;
    return lim_mesh_create(&desc, host, out_mesh);
}

static lim_result model_build(const shape_entry* entry, int32_t target, const lim_host* host,
                              arena* a, arena* scratch, lim_mesh** out_mesh) {
    implicit_shape* shape = ARENA_ARRAY(a, implicit_shape, 1);
    LIM_TRY_MEMORY(shape);
    entry->build(shape);
    polygon_mesh m;
    lim_result result = polygonise(shape, target, a, scratch, &m);
    if (result == LIM_ERROR_MESH) {
        return log_fail(host, result,
                        "model \"%s\" has parts too thin for %d triangles; ask for more",
                        entry->name, target);
    }
    LIM_TRY(result);
    place(&m);
    return mesh_of(&m, host, a, out_mesh);
}

lim_result model_mesh(const char* name, int32_t triangle_target, const lim_host* host,
                      lim_mesh** out_mesh) {
    if (out_mesh == NULL) {
        return log_fail(host, LIM_ERROR_ARGUMENT, "model_mesh: out_mesh is null");
    }
    *out_mesh = NULL;
    const shape_entry* entry = shape_find(name);
    if (entry == NULL) {
        return log_fail(host, LIM_ERROR_ARGUMENT, "there is no model \"%s\"; see model_list",
                        name != NULL ? name : "(null)");
    }
    if (triangle_target < 0 ||
        (triangle_target > 0 && triangle_target < POLYGONISE_TRIANGLES_LEAST) ||
        triangle_target > POLYGONISE_TRIANGLES_MOST) {
        return log_fail(host, LIM_ERROR_ARGUMENT,
                        "%d triangles for model \"%s\": give 0 for the default, or 100 to 400000",
                        triangle_target, name);
    }
    arena a, scratch;
    arena_init(&a, host);
    arena_init(&scratch, host);
    lim_result result = model_build(entry, triangle_target > 0 ? triangle_target : entry->triangles,
                                    host, &a, &scratch, out_mesh);
    arena_release(&scratch);
    arena_release(&a);
    return result;
}

/* ---- boxes ------------------------------------------------------------------------------------
 */

typedef struct box_grid {
    int32_t n[3];  /* cells per axis */
    int32_t* name; /* vertex of each lattice point on the surface plus one; 0: not met yet */
    double side[3];
    double* position;
    int32_t vertex_count;
} box_grid;

static uint32_t box_vertex(box_grid* g, const int32_t at[3]) {
    size_t i = ((size_t)at[2] * (size_t)(g->n[1] + 1) + (size_t)at[1]) * (size_t)(g->n[0] + 1) +
               (size_t)at[0];
    if (g->name[i] == 0) {
        double* p = &g->position[3 * g->vertex_count];
        for (int k = 0; k < 3; ++k) {
            p[k] = g->side[k] * at[k] / g->n[k];
        }
        g->name[i] = ++g->vertex_count;
    }
    return (uint32_t)(g->name[i] - 1);
}

static lim_result box_build(box_grid* g, arena* a, const lim_host* host, lim_mesh** out_mesh) {
    const int32_t* n = g->n;
    int32_t squares = 2 * (n[0] * n[1] + n[1] * n[2] + n[2] * n[0]);
    size_t lattice = (size_t)(n[0] + 1) * (size_t)(n[1] + 1) * (size_t)(n[2] + 1);
    g->name = ARENA_ARRAY(a, int32_t, lattice);
    g->position = ARENA_ARRAY(a, double, 3 * ((size_t)squares + 2)); /* Euler: V = F + 2 */
    uint32_t* index = ARENA_ARRAY(a, uint32_t, 6 * (size_t)squares);
    if (g->name == NULL || g->position == NULL || index == NULL) {
        return LIM_ERROR_MEMORY;
    }
    int32_t written = 0;
    for (int face = 0; face < 6; ++face) {
        int axis = face / 2, b = (axis + 1) % 3, c = (axis + 2) % 3;
        bool upper = face & 1;
        for (int32_t j = 0; j < n[c]; ++j) {
            for (int32_t i = 0; i < n[b]; ++i) {
                uint32_t v[4];
                static const int corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
                for (int k = 0; k < 4; ++k) {
                    int32_t at[3];
                    at[axis] = upper ? n[axis] : 0;
                    at[b] = i + corner[k][0];
                    at[c] = j + corner[k][1];
                    v[upper ? k : 3 - k] = box_vertex(g, at);
                }
                /* diagonals take turns, so that the mesh prefers no direction */
                int s = (i + j) & 1;
                uint32_t tri[6] = {v[s], v[s + 1],       v[(s + 2) % 4],
                                   v[s], v[(s + 2) % 4], v[(s + 3) % 4]};
                for (int k = 0; k < 6; ++k) {
                    index[written++] = tri[k];
                }
            }
        }
    }
    lim_mesh_desc desc = lim_mesh_desc_default();
    desc.vertex_count = g->vertex_count;
    desc.triangle_count = 2 * squares;
    desc.positions = g->position;
    desc.indices = index;
    return lim_mesh_create(&desc, host, out_mesh);
}

lim_result box_mesh(double lx, double ly, double lz, const int32_t cells[3], const lim_host* host,
                    lim_mesh** out_mesh) {
    if (out_mesh == NULL || cells == NULL) {
        return log_fail(host, LIM_ERROR_ARGUMENT, "box_mesh: a pointer is null");
    }
    *out_mesh = NULL;
    box_grid g = {.side = {lx, ly, lz}};
    for (int i = 0; i < 3; ++i) {
        g.n[i] = cells[i];
        if (!(g.side[i] > 0.0) || !isfinite(g.side[i]) || cells[i] < 1 || cells[i] > 512) {
            return log_fail(host, LIM_ERROR_ARGUMENT,
                            "box_mesh: sides must be above 0 and cells from 1 to 512");
        }
    }
    arena a;
    arena_init(&a, host);
    lim_result result = box_build(&g, &a, host, out_mesh);
    arena_release(&a);
    return result;
}
