/* SPDX-License-Identifier: MIT
 * Job: from a surface to a topology. In: a mesh and a descriptor. Out: nodes in padded slots, their
 * graph, regions over a network with constants, bindings of the surface. A pure function of its
 * input.
 */
#include "body/topology.h"

#include "base/log.h"
#include "base/timer.h"
#include "body/bind_cells.h"
#include "body/lattice_material.h"
#include "body/layout.h"
#include "body/make_regions.h"
#include "body/material.h"
#include "body/point_parts.h"
#include "body/rest_nodes.h"
#include "body/samples.h"
#include "body/shared_points.h"
#include "body/widen.h"
#include "body/zones.h"
#include "mesh/patches.h"
#include "sample/lattice.h"

#include <stdatomic.h>
#include <string.h>

/* What zones say about the density, on top of what vertices say. */
static lim_result zone_densities(arena* scratch, const sampling* s, const lim_mesh* mesh,
                                 const lim_model_desc* desc, node_factors* factors) {
    if (!zones_say(desc->zones, desc->zone_count, ZONE_DENSITY)) {
        return LIM_OK;
    }
    float* out = ARENA_ARRAY(scratch, float, s->node_count);
    LIM_TRY_MEMORY(out);
    for (int32_t i = 0; i < s->node_count; ++i) {
        lim_point at = p3_mad(p3_scale(mesh->origin, desc->scale), p3_of(s->centroid[i]),
                              mesh->size * desc->scale);
        float base = factors->density != NULL ? factors->density[i] : 1.0f;
        out[i] = zones_apply(desc->zones, desc->zone_count, ZONE_DENSITY, at, base);
    }
    factors->density = out;
    return LIM_OK;
}

/* Factors of Young's modulus over slots, of vertices and zones. Zones look at the rest positions as
 * they are kept, so that the same zones say the same to a body later. */
static lim_result take_stiffness(topology* t, const lim_model_desc* desc,
                                 const node_factors* factors) {
    bool zoned = zones_say(desc->zones, desc->zone_count, ZONE_STIFFNESS);
    if (factors->stiffness == NULL && !zoned) {
        return LIM_OK;
    }
    t->stiffness = ARENA_ARRAY(&t->mem, float, t->slot_count);
    LIM_TRY_MEMORY(t->stiffness);
    for (int32_t i = 0; i < t->slot_count; ++i) {
        int32_t node = t->slot_node[i];
        t->stiffness[i] = node >= 0 && factors->stiffness != NULL ? factors->stiffness[node] : 1.0f;
        if (node >= 0 && zoned) {
            t->stiffness[i] = zones_apply(desc->zones, desc->zone_count, ZONE_STIFFNESS,
                                          topology_place(t, i), t->stiffness[i]);
        }
    }
    return LIM_OK;
}

/* Wished half-width of the regions of each slot, unit space. */
static lim_result wish_widths(const topology* t, arena* scratch, const lim_model_desc* desc,
                              const widening* wide, float** out) {
    float* width = *out = ARENA_ARRAY(scratch, float, t->slot_count);
    LIM_TRY_MEMORY(width);
    for (int32_t i = 0; i < t->slot_count; ++i) {
        width[i] = t->side[i] * desc->region_width;
        if (t->slot_node[i] < 0) {
            continue;
        }
        if (desc->width_at != NULL) {
            float side = (float)((double)t->side[i] * t->unit);
            float metres = desc->width_at(desc->width_user, topology_place(t, i), side);
            bool wished = metres > 0.0f && isfinite(metres);
            width[i] = wished ? (float)((double)metres / t->unit) : width[i];
        }
        float least = widen_slot(wide, t, i);
        width[i] = width[i] < least ? least : width[i];
    }
    return LIM_OK;
}

static lim_result copy_array(arena* a, const void* from, size_t count, size_t size, void* out) {
    void* copy = NULL;
    if (from != NULL) {
        copy = arena_alloc(a, count, size);
        LIM_TRY_MEMORY(copy);
        memcpy(copy, from, count * size);
    }
    memcpy(out, &copy, sizeof copy);
    return LIM_OK;
}

/* The caller's surface, and a binding for each welded point. */
static lim_result bind_surface(topology* t, arena* scratch, const lim_mesh* mesh,
                               const lim_model_desc* desc, const point_parts* parts) {
    arena* a = &t->mem;
    size_t vertices = (size_t)mesh->vertex_count, triangles = (size_t)mesh->triangle_count;
    t->vertex_count = mesh->vertex_count;
    t->triangle_count = mesh->triangle_count;
    t->submesh_count = t->own_submeshes = mesh->submesh_count;
    LIM_TRY(copy_array(a, mesh->position, vertices, sizeof(lim_point), &t->position));
    LIM_TRY(copy_array(a, mesh->normal, vertices, 3 * sizeof(float), &t->normal));
    LIM_TRY(copy_array(a, mesh->tangent, vertices, 4 * sizeof(float), &t->tangent));
    LIM_TRY(copy_array(a, mesh->uv, vertices, 2 * sizeof(float), &t->uv));
    LIM_TRY(copy_array(a, mesh->colour, vertices, 4 * sizeof(float), &t->colour));
    const float* painted[ATTRIBUTES] = {desc->vertex_density, desc->vertex_stiffness,
                                        desc->vertex_size};
    for (int k = 0; k < ATTRIBUTES; ++k) {
        LIM_TRY(copy_array(a, painted[k], vertices, sizeof(float), &t->attribute[k]));
    }
    LIM_TRY(copy_array(a, mesh->triangle_vertex, triangles, 3 * sizeof(uint32_t), &t->indices));
    LIM_TRY(copy_array(a, mesh->triangle_submesh, triangles, sizeof(int32_t), &t->submesh));
    LIM_TRY(copy_array(a, mesh->vertex_point, vertices, sizeof(int32_t), &t->vertex_point));

    /* One point more, at the centre of mass: where vertices that no triangle uses go. */
    t->point_count = mesh->point_count + 1;
    lim_vec3* points = ARENA_ARRAY(scratch, lim_vec3, t->point_count);
    lim_vec3* normals = ARENA_ARRAY(scratch, lim_vec3, t->point_count);
    LIM_TRY_MEMORY(points);
    LIM_TRY_MEMORY(normals);
    if (t->kind->edits) {
        t->skin_point = ARENA_ARRAY(a, lim_point, mesh->point_count);
        LIM_TRY_MEMORY(t->skin_point);
    }
    for (int32_t i = 0; i < mesh->point_count; ++i) {
        if (t->skin_point != NULL) {
            t->skin_point[i] = p3_of(mesh->point[i]);
        }
        points[i] = v3_of(p3_sub(p3_of(mesh->point[i]), t->rest_origin));
        float away = v3_length(points[i]);
        t->extent = away > t->extent ? away : t->extent;
    }
    for (int32_t v = 0; v < mesh->vertex_count; ++v) {
        if (t->vertex_point[v] < 0) {
            t->vertex_point[v] = mesh->point_count;
        }
    }
    for (int32_t i = 0; i < mesh->triangle_count; ++i) {
        const int32_t* p = mesh->triangle_point + 3 * (size_t)i;
        lim_vec3 n =
            v3_cross(v3_sub(points[p[1]], points[p[0]]), v3_sub(points[p[2]], points[p[0]]));
        for (int k = 0; k < 3; ++k) {
            normals[p[k]] = v3_add(normals[p[k]], n);
        }
    }
    for (int32_t i = 0; i < t->point_count; ++i) {
        normals[i] = v3_unit(normals[i], v3(0, 0, 0));
    }
    /* Large triangles get more points to feel contacts with, behind those of the skin. */
    surface_samples extra;
    LIM_TRY(surface_samples_make(scratch, points, mesh->triangle_point, mesh->triangle_count,
                                 t->cell, t->point_count, 4 * t->node_count + 64, &extra));
    t->felt_count = extra.triangle_count;
    LIM_TRY(
        copy_array(a, extra.corner, (size_t)extra.triangle_count, 3 * sizeof(int32_t), &t->felt));
    int64_t total = (int64_t)t->point_count + extra.count;
    lim_vec3* all = ARENA_ARRAY(scratch, lim_vec3, total);
    lim_vec3* all_normals = ARENA_ARRAY(scratch, lim_vec3, total);
    LIM_TRY_MEMORY(all);
    LIM_TRY_MEMORY(all_normals);
    memcpy(all, points, (size_t)t->point_count * sizeof(lim_vec3));
    memcpy(all_normals, normals, (size_t)t->point_count * sizeof(lim_vec3));
    if (extra.count > 0) {
        memcpy(all + t->point_count, extra.point, (size_t)extra.count * sizeof(lim_vec3));
        memcpy(all_normals + t->point_count, extra.normal, (size_t)extra.count * sizeof(lim_vec3));
    }
    switch (t->kind->nodes) {
    case LIM_NODES_AT_CORNERS:
        return lattice_material_bind(t, scratch, all, all_normals, (int32_t)total);
    case LIM_NODES_ARE_POINTS:
        return point_parts_bind(t, scratch, mesh, parts, all, (int32_t)total);
    case LIM_NODES_IN_CELLS:
        break;
    }
    return bind_cells(t, scratch, all, all_normals, (int32_t)total);
}

/* Where solids share points, each has its own to be bound. Points as nodes are shared by nature. */
static lim_result bind_parted(topology* t, arena* scratch, const lim_mesh* mesh,
                              const lim_model_desc* desc, const point_parts* parts) {
    lim_mesh parted;
    int32_t* copy_of;
    if (t->kind->nodes == LIM_NODES_ARE_POINTS) {
        return bind_surface(t, scratch, mesh, desc, parts);
    }
    LIM_TRY(patches_part(scratch, scratch, mesh, &parted, &copy_of));
    LIM_TRY(bind_surface(t, scratch, &parted, desc, parts));
    return shared_points_settle(t, scratch, mesh, &parted, copy_of);
}

static bool progress(const lim_model_desc* desc, float done, const char* stage) {
    return desc->progress == NULL || desc->progress(desc->progress_user, done, stage);
}

/* Nodes of the kind. `points`: of points alone. */
static lim_result sample(topology* t, arena* scratch, const lim_mesh* mesh,
                         const lim_model_desc* desc, const lim_host* host, sampling* out,
                         point_parts* points) {
    switch (t->kind->nodes) {
    case LIM_NODES_AT_CORNERS:
        return lattice_build(scratch, mesh, desc, host, out);
    case LIM_NODES_ARE_POINTS:
        return point_parts_sample(scratch, mesh, desc, host, out, points);
    case LIM_NODES_IN_CELLS:
        break;
    }
    return sampling_build(scratch, mesh, desc, host, out);
}

/* What the regions of this width are made from, in scratch. */
static lim_result take_widths(const topology* t, arena* scratch, const lim_model_desc* desc,
                              const widening* wide, region_recipe* out) {
    if (t->kind->regions == REGIONS_TREE) {
        float* width;
        LIM_TRY(wish_widths(t, scratch, desc, wide, &width));
        out->width = width;
    }
    if (t->kind->regions == REGIONS_HOPS) {
        int32_t* hops = ARENA_ARRAY(scratch, int32_t, t->component_count);
        LIM_TRY_MEMORY(hops);
        for (int32_t c = 0; c < t->component_count; ++c) {
            hops[c] = widen_hops(wide, c);
        }
        out->hops = hops;
    }
    return LIM_OK;
}

static lim_result try_regions(topology* trial, arena* own, const lim_host* host,
                              const lim_model_desc* desc, region_recipe recipe, widening* wide) {
    LIM_TRY(take_widths(trial, own, desc, wide, &recipe));
    LIM_TRY(make_regions(trial, own, host, &recipe));
    widen_judge(wide, trial);
    return LIM_OK;
}

/* How wide regions must be, found by building them beside the topology. */
static lim_result choose_widths(const topology* t, arena* scratch, const lim_host* host,
                                const lim_model_desc* desc, region_recipe* recipe, widening* out) {
    LIM_TRY(widen_begin(scratch, t, desc, out));
    for (float done = 0.7f; widen_searching(out); done += 0.25f * (0.9f - done)) {
        if (!progress(desc, done, "regions")) {
            return LIM_ERROR_CANCELLED;
        }
        topology trial = *t;
        arena own;
        arena_init(&trial.mem, host);
        arena_init(&own, host);
        lim_result result = try_regions(&trial, &own, host, desc, *recipe, out);
        arena_release(&own);
        arena_release(&trial.mem);
        LIM_TRY(result);
    }
    return take_widths(t, scratch, desc, out, recipe);
}

static lim_result build(topology* t, arena* scratch, const lim_mesh* mesh,
                        const lim_model_desc* desc, const lim_host* host) {
    sampling s;
    point_parts points = {0};
    LIM_TRY(sample(t, scratch, mesh, desc, host, &s, &points));
    if (s.node_count <= 0) {
        return log_fail(host, LIM_ERROR_MESH,
                        "lim_model_create: the mesh gave no node; give a "
                        "smaller cell_size or a larger node_count");
    }
    LIM_TRY(layout_slots(t, scratch, &s));
    node_factors factors;
    LIM_TRY(painted_take(scratch, mesh, desc, s.centroid, s.node_count, &factors));
    LIM_TRY(zone_densities(scratch, &s, mesh, desc, &factors));
    LIM_TRY(rest_masses(t, &s, factors.density));
    t->unit = mesh->size * desc->scale;
    t->rest_origin = rest_centre(t, &s);
    t->centre_of_mass = p3_mad(p3_scale(mesh->origin, desc->scale), t->rest_origin, t->unit);
    rest_places(t, &s);
    LIM_TRY(take_stiffness(t, desc, &factors));
    LIM_TRY(rest_graph(t, scratch, &s));
    LIM_TRY(layout_blocks(t));
    if (!progress(desc, 0.7f, "regions")) {
        return LIM_ERROR_CANCELLED;
    }
    widening wide;
    region_recipe recipe = {
        .kind = desc->regions, .s = &s, .clusters = &points.plan, .density = factors.density};
    if (t->kind->regions == REGIONS_CELLS) {
        LIM_TRY(lattice_material_nodes(scratch, &s, &recipe.corner));
        recipe.cells = s.matter.count;
    }
    LIM_TRY(choose_widths(t, scratch, host, desc, &recipe, &wide));
    LIM_TRY(make_regions(t, scratch, host, &recipe));
    t->region_width = widen_finish(&wide, t, host);
    if (t->kind->nodes == LIM_NODES_IN_CELLS) {
        LIM_TRY(material_take(t, &s, &factors, recipe.width, desc));
    }
    if (t->kind->nodes == LIM_NODES_AT_CORNERS) {
        LIM_TRY(lattice_material_take(t, &s, &factors, recipe.hops));
    }
    if (!progress(desc, 0.9f, "skin")) {
        return LIM_ERROR_CANCELLED;
    }
    LIM_TRY(bind_parted(t, scratch, mesh, desc, &points));
    rest_info(t, &s);
    t->info.bounds = (lim_box){p3_scale(mesh->report.bounds.lower, desc->scale),
                               p3_scale(mesh->report.bounds.upper, desc->scale)};
    LIM_TRY(topology_coarsen(t, scratch));
    LIM_TRY(topology_derive(t, scratch, NULL));
    return progress(desc, 1.0f, "done") ? LIM_OK : LIM_ERROR_CANCELLED;
}

static float given_width(const body_kind* kind, const lim_model_desc* desc) {
    switch (kind->regions) {
    case REGIONS_HOPS:
        return (float)(int32_t)(desc->region_width + 0.5f);
    case REGIONS_CLUSTERS:
    case REGIONS_CELLS:
        return 0.0f;
    case REGIONS_TREE:
        break;
    }
    return desc->region_width;
}

lim_result topology_build(const lim_mesh* mesh, const lim_model_desc* desc, const lim_host* host,
                          topology** out) {
    double begin = timer_now(host);
    topology* t = mem_alloc(host, 1, sizeof(topology));
    LIM_TRY_MEMORY(t);
    arena scratch;
    arena_init(&t->mem, host);
    arena_init(&scratch, host);
    t->references = 1;
    t->kind = kind_of(desc->kind);
    t->region_width = given_width(t->kind, desc);
    lim_model_desc painted = painted_desc(mesh, desc);
    lim_result result = build(t, &scratch, mesh, &painted, host);
    arena_release(&scratch);
    if (result != LIM_OK) {
        topology_destroy(t);
        return result;
    }
    t->info.build_seconds = timer_now(host) - begin;
    LIM_VALIDATE(topology_is_valid(t));
    *out = t;
    return LIM_OK;
}

void topology_destroy(topology* t) {
    if (t != NULL) {
        lim_host host = t->mem.host;
        shared_leave(t->tree.mem);
        shared_leave(t->matter_mem);
        arena_release(&t->mem);
        mem_free(&host, t, 1, sizeof(topology));
    }
}

void topology_retain(topology* t) {
    atomic_fetch_add(&t->references, 1);
}

void topology_release(topology* t) {
    if (t != NULL && atomic_fetch_sub(&t->references, 1) == 1) {
        topology_destroy(t);
    }
}

region_nodes topology_nodes(const topology* t) {
    return (region_nodes){.count = t->node_count,
                          .padded = t->slot_count,
                          .x0 = {t->x0[0], t->x0[1], t->x0[2]},
                          .volume = t->volume,
                          .mass = t->mass,
                          .side = t->side,
                          .key = t->key,
                          .fragment = t->fragment};
}

graph topology_graph(const topology* t) {
    return (graph){t->slot_count, t->edge_offset, t->edge_node, t->edge_length};
}

lim_point topology_place(const topology* t, int32_t slot) {
    lim_point x0 = p3((double)t->x0[0][slot], (double)t->x0[1][slot], (double)t->x0[2][slot]);
    return p3_mad(t->centre_of_mass, x0, t->unit);
}

double topology_region_weight(const topology* t, int32_t slot, int32_t region) {
    const regions* r = &t->regions;
    if (region >= r->box) {
        return charts_weight(&t->charts, &t->net, slot, region - r->box);
    }
    return t->slot_node[slot] >= 0 && box_holds(&t->box, region, slot) ? 1.0 : 0.0;
}
