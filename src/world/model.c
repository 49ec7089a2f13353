/* SPDX-License-Identifier: MIT
 * Job: models at the border: build, look at, save, load. In: meshes, descriptors, bytes. Out: a
 * lim_model over a shared topology, or an error and nothing.
 */
#include "world/model.h"

#include "base/fpenv.h"
#include "mesh/point_surface.h"
#include "world/check.h"
#include "world/container.h"

#include <string.h>

#define MODEL_KIND "LIMMODEL"

lim_model_desc lim_model_desc_default(void) {
    return (lim_model_desc){.cookie = COOKIE_MODEL,
                            .node_count = 2000,
                            .cell_size = 0.0f,
                            .scale = 1.0,
                            .coarsen = 0,
                            .cells_across = 2.0f,
                            .region_width = 1.0f,
                            .density = 1000.0f,
                            .step = 1.0f / 60.0f,
                            .clusters = 1,
                            .glue_parts = true,
                            .solid = true};
}

lim_zone lim_zone_default(void) {
    return (lim_zone){.shape = LIM_SHAPE_SPHERE,
                      .orientation = {0.0f, 0.0f, 0.0f, 1.0f},
                      .stiffness = 1.0f,
                      .density = 1.0f};
}

/* The nodes in metres, in order of node; each edge once, from its lower node. */
static lim_result fill_nodes(lim_model* model) {
    const topology* t = model->topology;
    arena* a = &model->mem;
    int32_t n = t->node_count;
    float* x[3];
    for (int k = 0; k < 3; ++k) {
        x[k] = ARENA_ARRAY(a, float, n);
        LIM_TRY_MEMORY(x[k]);
    }
    float* volume = ARENA_ARRAY(a, float, n);
    float* side = ARENA_ARRAY(a, float, n);
    int32_t* level = ARENA_ARRAY(a, int32_t, n);
    int32_t* piece = ARENA_ARRAY(a, int32_t, n);
    int32_t* edges = ARENA_ARRAY(a, int32_t, (int64_t)t->edge_count + 1);
    LIM_TRY_MEMORY(volume);
    LIM_TRY_MEMORY(side);
    LIM_TRY_MEMORY(level);
    LIM_TRY_MEMORY(piece);
    LIM_TRY_MEMORY(edges);
    double unit = t->unit;
    int32_t edge_count = 0;
    for (int32_t i = 0; i < n; ++i) {
        int32_t slot = t->node_slot[i];
        for (int k = 0; k < 3; ++k) {
            x[k][i] = (float)((double)t->x0[k][slot] * unit);
        }
        volume[i] = (float)((double)t->volume[slot] * unit * unit * unit);
        side[i] = (float)((double)t->side[slot] * unit);
        level[i] = octant_of(t->key[slot]).level;
        piece[i] = t->slot_component[slot];
        for (int32_t e = t->edge_offset[slot]; e < t->edge_offset[slot + 1]; ++e) {
            int32_t other = t->slot_node[t->edge_node[e]];
            if (other > i && 2 * (edge_count + 1) <= t->edge_count + 1) {
                edges[2 * edge_count] = i;
                edges[2 * edge_count + 1] = other;
                ++edge_count;
            }
        }
    }
    model->nodes = (lim_model_nodes){.count = n,
                                     .x = x[0],
                                     .y = x[1],
                                     .z = x[2],
                                     .volume = volume,
                                     .side = side,
                                     .level = level,
                                     .component = piece,
                                     .edge_count = edge_count,
                                     .edges = edges};
    return LIM_OK;
}

lim_result model_wrap(topology* t, const lim_host* host, lim_model** out) {
    lim_model* model = mem_alloc(host, 1, sizeof *model);
    if (model == NULL) {
        topology_release(t);
        return LIM_ERROR_MEMORY;
    }
    model->topology = t;
    arena_init(&model->mem, host);
    lim_result result = fill_nodes(model);
    if (result != LIM_OK) {
        lim_model_destroy(model);
        return result;
    }
    *out = model;
    return LIM_OK;
}

/* The rules for the size of cells. */
static void check_sizes(check* c, const lim_model_desc* desc) {
    check_integer(c, "coarsen", desc->coarsen, 0, 10, "a number from 0 to 10");
    check_number(c, "cells_across", (double)desc->cells_across, 0.0, 64.0,
                 "a number from 0 (off) to 64");
    check_number(c, "surface_size", (double)desc->surface_size, 0.0, 1e9,
                 "metres, or 0 for no rule");
    check_number(c, "size_growth", (double)desc->size_growth, 0.0, 1e9,
                 "metres of edge per metre of depth, not below 0");
    check_integer(c, "node_budget", desc->node_budget, 0, INT32_MAX, "0 for no limit, or a number");
    check_integer(c, "interest_count", desc->interest_count, 0, INT32_MAX, "0 or a number");
    if (desc->interest_count > 0) {
        check_pointer(c, "interest", desc->interest);
    }
    for (int32_t i = 0; c->result == LIM_OK && i < desc->interest_count; ++i) {
        const lim_size_region* r = &desc->interest[i];
        check_integer(c, "interest.shape", r->shape, LIM_SIZE_BOX, LIM_SIZE_SPHERE,
                      "LIM_SIZE_BOX or LIM_SIZE_SPHERE");
        check_point(c, "interest.centre", r->centre);
        check_number(c, "interest.half.x", (double)r->half.x, 0.0, 1e9, "metres, not below 0");
        if (r->shape == LIM_SIZE_BOX) {
            check_number(c, "interest.half.y", (double)r->half.y, 0.0, 1e9, "metres, not below 0");
            check_number(c, "interest.half.z", (double)r->half.z, 0.0, 1e9, "metres, not below 0");
        }
        check_number(c, "interest.size", (double)r->size, 1e-12, 1e9, "metres above 0");
    }
}

static lim_result check_painted(const lim_mesh* mesh, const lim_model_desc* desc,
                                const lim_host* host) {
    const char* const field[ATTRIBUTES] = {"vertex_density", "vertex_stiffness", "vertex_size"};
    const float* const values[ATTRIBUTES] = {desc->vertex_density, desc->vertex_stiffness,
                                             desc->vertex_size};
    for (int k = 0; k < ATTRIBUTES; ++k) {
        LIM_TRY(
            attribute_check(host, "lim_model_create", field[k], k, values[k], mesh->vertex_count));
    }
    return LIM_OK;
}

static void check_points(check* c, const lim_model_desc* desc) {
    check_integer(c, "clusters", desc->clusters, 1, 4096, "a number from 1 to 4096");
    if (desc->points == NULL) {
        return;
    }
    const body_kind* kind = kind_of(desc->kind);
    if (kind == NULL || kind->nodes != LIM_NODES_ARE_POINTS) {
        check_fail(c, LIM_ERROR_ARGUMENT, "points are given and kind is not LIM_KIND_POINTS",
                   "set kind, or leave points null");
    }
    check_integer(c, "point_count", desc->point_count, 1, 4000000, "a number from 1 to 4000000");
    for (int64_t i = 0; c->result == LIM_OK && i < 3 * (int64_t)desc->point_count; ++i) {
        check_number(c, "a coordinate of points", desc->points[i], -1e25, 1e25,
                     "finite coordinates up to 1e25");
    }
}

static lim_result create(const lim_mesh* mesh, const lim_model_desc* desc, const lim_host* host,
                         lim_model** out) {
    check c = check_begin(host, "lim_model_create");
    check_cookie(&c, desc->cookie, COOKIE_MODEL, "lim_model_desc_default");
    const body_kind* kind = kind_of(desc->kind);
    if (kind == NULL) {
        check_fail(&c, LIM_ERROR_ARGUMENT, "kind is none", "use one of the LIM_KIND_ constants");
    }
    check_number(&c, "cell_size", (double)desc->cell_size, 0.0, 1e9,
                 "metres above 0, or 0 for a size that gives node_count nodes");
    if (desc->cell_size == 0.0f) {
        check_integer(&c, "node_count", desc->node_count, 1, 4000000, "a number from 1 to 4000000");
    }
    check_number(&c, "scale", desc->scale, 1e-30, 1e30, "metres per unit of the mesh, above 0");
    check_sizes(&c, desc);
    check_zones(&c, desc->zones, desc->zone_count);
    check_points(&c, desc);
    check_number(&c, "region_width", (double)desc->region_width, 1.0,
                 kind != NULL ? (double)kind->widest : 1.0,
                 "cells, from 1 to 8 (a lattice: to 16)");
    check_number(&c, "young", (double)desc->young, 0.0, 1e15,
                 "a modulus in pascal, or 0 for regions as wide as region_width says");
    check_number(&c, "density", (double)desc->density, 1e-3, 1e6, "a density in kg/m^3 above 0");
    check_number(&c, "step", (double)desc->step, 1e-9, 1e3, "seconds above 0");
    check_integer(&c, "regions", (int32_t)desc->regions, LIM_REGIONS_BLENDED, LIM_REGIONS_INTERVAL,
                  "a LIM_REGIONS_ constant");
    double size = c.result == LIM_OK ? mesh->size * desc->scale : 1.0;
    check_number(&c, "scale times the size of the mesh", size, 1e-9, 1e9,
                 "a scale that makes the body 1e-9 to 1e9 metres long");
    if (c.result == LIM_OK && desc->cell_size > 0.0f) {
        check_number(&c, "size of the mesh over cell_size", size / (double)desc->cell_size, 1e-6,
                     1 << OCTANT_LEVELS, "a cell_size above a 500000th of the size");
    }
    LIM_TRY(c.result);
    LIM_TRY(check_painted(mesh, desc, host));
    lim_host hooks = mem_host(host);
    topology* t = NULL;
    LIM_TRY(topology_build(mesh, desc, &hooks, &t));
    return model_wrap(t, &hooks, out);
}

/* Border calls: the floating-point environment, and one line for what has said nothing yet. */
static lim_result finish(lim_result result, const char* call, const lim_host* host) {
    if (result == LIM_ERROR_MEMORY) {
        return log_fail(host, result, "%s: the host gave no memory; nothing was made", call);
    }
    return result;
}

/* Points without a mesh are their own skin. */
static lim_result create_of_points(const lim_model_desc* desc, const lim_host* host,
                                   lim_model** out) {
    check c = check_begin(host, "lim_model_create");
    check_cookie(&c, desc->cookie, COOKIE_MODEL, "lim_model_desc_default");
    check_points(&c, desc);
    LIM_TRY(c.result);
    lim_host hooks = mem_host(host);
    lim_mesh* skin = NULL;
    LIM_TRY(point_surface_make(desc->points, desc->point_count, &hooks, &skin));
    lim_model_desc own = *desc;
    own.vertex_size = NULL;
    lim_result result = create(skin, &own, host, out);
    lim_mesh_destroy(skin);
    return result;
}

lim_result lim_model_create(const lim_mesh* mesh, const lim_model_desc* desc, const lim_host* host,
                            lim_model** out_model) {
    if (out_model != NULL) {
        *out_model = NULL;
    }
    if (desc == NULL || out_model == NULL || (mesh == NULL && desc->points == NULL)) {
        return log_fail(
            host, LIM_ERROR_ARGUMENT,
            "lim_model_create: mesh, desc or out_model is null; give all three (without "
            "a mesh: desc.points)");
    }
    fpenv env = fpenv_enter();
    lim_result result = mesh != NULL ? create(mesh, desc, host, out_model)
                                     : create_of_points(desc, host, out_model);
    result = finish(result, "lim_model_create", host);
    fpenv_leave(env);
    return result;
}

void lim_model_destroy(lim_model* model) {
    if (model == NULL) {
        return;
    }
    lim_host host = model->mem.host;
    topology_release(model->topology);
    arena_release(&model->mem);
    mem_free(&host, model, 1, sizeof *model);
}

lim_kind_info lim_kind_get_info(lim_kind kind) {
    const body_kind* row = kind_of(kind);
    return row != NULL ? (lim_kind_info){.name = row->name,
                                         .nodes = row->nodes,
                                         .edits = row->edits,
                                         .levels = row->levels,
                                         .widest = row->widest}
                       : (lim_kind_info){0};
}

lim_model_info lim_model_get_info(const lim_model* model) {
    return model != NULL ? model->topology->info : (lim_model_info){0};
}

lim_model_nodes lim_model_get_nodes(const lim_model* model) {
    return model != NULL ? model->nodes : (lim_model_nodes){0};
}

lim_mesh_view lim_model_get_surface(const lim_model* model) {
    if (model == NULL) {
        return (lim_mesh_view){0};
    }
    const topology* t = model->topology;
    return (lim_mesh_view){.vertex_count = t->vertex_count,
                           .triangle_count = t->triangle_count,
                           .submesh_count = t->submesh_count,
                           .positions = t->position,
                           .normals = t->normal,
                           .tangents = t->tangent,
                           .uvs = t->uv,
                           .colours = t->colour,
                           .densities = t->attribute[ATTRIBUTE_DENSITY],
                           .stiffnesses = t->attribute[ATTRIBUTE_STIFFNESS],
                           .sizes = t->attribute[ATTRIBUTE_SIZE],
                           .indices = t->indices,
                           .submeshes = t->submesh};
}

int32_t lim_model_get_region(const lim_model* model, int32_t node, int32_t* out_nodes,
                             float* out_weights, int32_t capacity) {
    if (model == NULL || node < 0 || node >= model->topology->node_count) {
        return 0;
    }
    const topology* t = model->topology;
    int32_t region = t->regions.seed_region[t->node_slot[node]], count = 0;
    for (int32_t slot = 0; slot < t->slot_count; ++slot) {
        double weight = topology_region_weight(t, slot, region);
        if (!(weight > 0.0)) {
            continue;
        }
        if (count < capacity && out_nodes != NULL) {
            out_nodes[count] = t->slot_node[slot];
        }
        if (count < capacity && out_weights != NULL) {
            out_weights[count] = (float)weight;
        }
        count++;
    }
    return count;
}

lim_result lim_model_save(const lim_model* model, void* out, size_t capacity, size_t* out_size) {
    if (model == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    if (out == NULL && out_size == NULL) {
        return log_fail(&model->mem.host, LIM_ERROR_ARGUMENT,
                        "lim_model_save: out and out_size are null; give one of them");
    }
    size_t size = CONTAINER_HEAD + topology_bytes(model->topology);
    if (out_size != NULL) {
        *out_size = size;
    }
    if (out == NULL) {
        return LIM_OK;
    }
    if (capacity < size) {
        return log_fail(&model->mem.host, LIM_ERROR_ARGUMENT,
                        "lim_model_save: capacity is %zu; give %zu bytes", capacity, size);
    }
    topology_write(model->topology, (unsigned char*)out + CONTAINER_HEAD);
    container_seal(out, size, MODEL_KIND);
    return LIM_OK;
}

static lim_result load(const unsigned char* bytes, size_t size, const lim_host* host,
                       lim_model** out) {
    LIM_TRY(container_open(bytes, size, MODEL_KIND, "lim_model_load", host));
    lim_host hooks = mem_host(host);
    topology* t = NULL;
    lim_result result = topology_read(bytes + CONTAINER_HEAD, size - CONTAINER_HEAD, &hooks, &t);
    if (result == LIM_ERROR_FORMAT) {
        return log_fail(host, result,
                        "lim_model_load: counts or indices are impossible; the bytes were not made "
                        "by lim_model_save");
    }
    LIM_TRY(result);
    return model_wrap(t, &hooks, out);
}

lim_result lim_model_load(const void* bytes, size_t size, const lim_host* host,
                          lim_model** out_model) {
    if (out_model != NULL) {
        *out_model = NULL;
    }
    if (bytes == NULL || out_model == NULL) {
        return log_fail(host, LIM_ERROR_ARGUMENT,
                        "lim_model_load: bytes or out_model is null; give both");
    }
    fpenv env = fpenv_enter();
    lim_result result = finish(load(bytes, size, host, out_model), "lim_model_load", host);
    fpenv_leave(env);
    return result;
}
