/* SPDX-License-Identifier: MIT
 * Job: from a surface to a topology. In: a mesh and a descriptor. Out: nodes in padded slots, their
 * graph, regions over a network with constants, bindings of the surface. A pure function of its
 * input.
 */
#include "body/topology.h"

#include "base/log.h"
#include "base/timer.h"
#include "body/coarse_felt.h"
#include "body/layout.h"
#include "body/material.h"
#include "body/painted.h"
#include "body/point_parts.h"
#include "body/samples.h"
#include "body/touch.h"
#include "body/widen.h"
#include "body/zones.h"
#include "sample/lattice.h"
#include "skin/trilinear.h"

#include <stdatomic.h>
#include <string.h>

/* Nodes have other masses than volumes where the surface says so. */
static lim_result take_masses(topology* t, const sampling* s, const node_factors* factors) {
    t->mass = t->volume;
    if (factors->density != NULL) {
        t->mass = ARENA_ARRAY(&t->mem, float, t->slot_count);
        LIM_TRY_MEMORY(t->mass);
    }
    for (int32_t i = 0; i < s->node_count && factors->density != NULL; ++i) {
        t->mass[t->node_slot[i]] = s->volume[i] * factors->density[i];
    }
    return LIM_OK;
}

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

/* Rest geometry about the centre of mass, all in unit space. */
static void place_nodes(topology* t, const sampling* s, const lim_mesh* mesh, double scale) {
    lim_point sum = p3(0, 0, 0);
    double volume = 0.0, mass = 0.0;
    for (int32_t i = 0; i < s->node_count; ++i) {
        t->volume[t->node_slot[i]] = s->volume[i];
        double m = (double)t->mass[t->node_slot[i]];
        sum = p3_mad(sum, p3_of(s->centroid[i]), m);
        volume += (double)s->volume[i];
        mass += m;
    }
    lim_point com = p3_scale(sum, 1.0 / mass);
    t->unit = mesh->size * scale;
    t->rest_origin = com;
    t->centre_of_mass = p3_mad(p3_scale(mesh->origin, scale), com, t->unit);
    t->volume_sum = volume;
    t->cell = s->cell_size;
    t->levels = s->levels;
    for (int32_t i = 0; i < s->node_count; ++i) {
        int32_t slot = t->node_slot[i];
        lim_vec3 x0 = v3_of(p3_sub(p3_of(s->centroid[i]), com));
        lim_vec3 centre = v3_of(p3_sub(p3_of(s->centre[i]), com));
        const float at[3] = {x0.x, x0.y, x0.z}, middle[3] = {centre.x, centre.y, centre.z};
        for (int k = 0; k < 3; ++k) {
            t->x0[k][slot] = at[k];
            t->centre[k][slot] = middle[k];
        }
        t->side[slot] = s->side[i];
        t->key[slot] = s->key[i];
        t->fragment[slot] = s->fragment[i];
    }
}

/* The sampling's graph, renumbered to slots; pads have no edges. Neighbours in ascending order:
 * slots keep the order of nodes within a chart, or nearly so, and rows are short. */
static lim_result build_graph(topology* t, const sampling* s) {
    t->edge_count = s->edge_offset[s->node_count];
    t->edge_offset = ARENA_ARRAY(&t->mem, int32_t, t->slot_count + 1);
    t->edge_node = ARENA_ARRAY(&t->mem, int32_t, t->edge_count);
    t->edge_length = ARENA_ARRAY(&t->mem, uint16_t, t->edge_count);
    LIM_TRY_MEMORY(t->edge_offset);
    LIM_TRY_MEMORY(t->edge_node);
    LIM_TRY_MEMORY(t->edge_length);
    int32_t at = 0;
    for (int32_t i = 0; i < t->slot_count; ++i) {
        int32_t node = t->slot_node[i];
        t->edge_offset[i] = at;
        for (int32_t e = node >= 0 ? s->edge_offset[node] : 0;
             node >= 0 && e < s->edge_offset[node + 1]; ++e) {
            int32_t to = t->node_slot[s->edge_node[e]], k = at++;
            for (; k > t->edge_offset[i] && t->edge_node[k - 1] > to; --k) {
                t->edge_node[k] = t->edge_node[k - 1];
                t->edge_length[k] = t->edge_length[k - 1];
            }
            t->edge_node[k] = to;
            t->edge_length[k] = s->edge_length[e];
        }
    }
    t->edge_offset[t->slot_count] = at;
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

/* Interval regions have whole half cells as widths, 2^20 at most. */
static lim_result build_intervals(topology* t, arena* a, arena* scratch, const lim_host* host,
                                  const region_nodes* nodes, region_tree tree, const float* width) {
    int32_t* half = ARENA_ARRAY(scratch, int32_t, t->slot_count);
    LIM_TRY_MEMORY(half);
    for (int32_t i = 0; i < t->slot_count; ++i) {
        double cells = 2.0 * (double)width[i] / (double)t->cell;
        half[i] = cells < 1048576.0 ? (int32_t)(cells + 0.5) : 1048576;
    }
    return regions_build_intervals(a, host, nodes, topology_graph(t), tree, half, 1, 2, true,
                                   &t->net, &t->regions);
}

/* A region lies in the component of any of its nodes. */
static int32_t component_of_region(const topology* t, int32_t region) {
    if (region < t->regions.box) {
        return t->slot_component[region];
    }
    int32_t record = t->net.first[t->net.layers - 1] + region - t->regions.box;
    while (record >= t->net.node_count) {
        record = t->net.forward[t->net.forward_offset[record]];
    }
    return t->slot_component[charts_node(&t->charts, record)];
}

/* What the regions' material is like, from factors per slot; null stays null. */
static lim_result mean_factor(topology* t, arena* scratch, const region_nodes* nodes,
                              const float* by_slot, float** out) {
    if (by_slot == NULL) {
        return LIM_OK;
    }
    *out = ARENA_ARRAY(&t->mem, float, t->regions.padded);
    LIM_TRY_MEMORY(*out);
    return regions_mean(scratch, nodes, &t->charts, &t->net, t->regions.box > 0 ? &t->box : NULL,
                        t->inv_weight, by_slot, &t->regions, *out);
}

static lim_result mean_density(topology* t, arena* scratch, const region_nodes* nodes,
                               const float* factor) {
    float* by_slot = NULL;
    if (factor != NULL) {
        by_slot = ARENA_ARRAY(scratch, float, t->slot_count);
        LIM_TRY_MEMORY(by_slot);
    }
    for (int32_t i = 0; i < t->node_count && factor != NULL; ++i) {
        by_slot[t->node_slot[i]] = factor[i];
    }
    return mean_factor(t, scratch, nodes, by_slot, &t->regions.density);
}

/* Regions over the octree, in `a`. */
static lim_result build_tree_regions(topology* t, arena* a, arena* scratch, const lim_host* host,
                                     const region_nodes* nodes, const sampling* s,
                                     lim_region_kind kind, const float* width) {
    int32_t* level = ARENA_ARRAY(scratch, int32_t, t->slot_count);
    int32_t* piece = ARENA_ARRAY(scratch, int32_t, t->slot_count);
    LIM_TRY_MEMORY(level);
    LIM_TRY_MEMORY(piece);
    for (int32_t i = 0; i < t->slot_count; ++i) {
        int32_t node = t->slot_node[i];
        level[i] = node >= 0 ? s->level[node] : -1;
        piece[i] = node >= 0 ? s->piece[node] : -1;
    }
    region_tree tree = {&s->pieces, level, piece};
    return kind == LIM_REGIONS_INTERVAL
               ? build_intervals(t, a, scratch, host, nodes, tree, width)
               : regions_build_blended(a, host, nodes, tree, width, &t->net, &t->regions);
}

/* Regions of a lattice: all nodes within a whole number of hops. Windows are for the component with
 * most slots; those of other widths have lists. */
static lim_result build_lattice_regions(topology* t, arena* a, arena* scratch, const lim_host* host,
                                        const region_nodes* nodes, const widening* wide) {
    int32_t* hops = ARENA_ARRAY(scratch, int32_t, t->component_count);
    LIM_TRY_MEMORY(hops);
    int32_t most = 0, largest = 0;
    for (int32_t c = 0; c < t->component_count; ++c) {
        int32_t slots = t->component_begin[c + 1] - t->component_begin[c];
        hops[c] = widen_hops(wide, c);
        largest = slots > most ? c : largest;
        most = slots > most ? slots : most;
    }
    return regions_build_lattice(a, host, nodes, topology_graph(t), t->slot_component, t->row_axis,
                                 hops[largest], hops, &t->box, &t->net, &t->regions);
}

region_nodes topology_nodes(const topology* t) {
    return (region_nodes){.count = t->node_count,
                          .padded = t->slot_count,
                          .x0 = {t->x0[0], t->x0[1], t->x0[2]},
                          .volume = t->volume,
                          .mass = t->mass,
                          .key = t->key,
                          .fragment = t->fragment};
}

/* Regions of the kind, in `a`. */
static lim_result build_kind_regions(topology* t, arena* a, arena* scratch, const lim_host* host,
                                     const region_nodes* nodes, const sampling* s,
                                     const point_parts* points, const lim_model_desc* desc,
                                     const widening* wide) {
    switch (t->kind) {
    case LIM_KIND_LATTICE:
        return build_lattice_regions(t, a, scratch, host, nodes, wide);
    case LIM_KIND_POINTS:
        return regions_build_clusters(a, scratch, nodes, &points->plan, t->node_slot, &t->net,
                                      &t->regions);
    case LIM_KIND_OCTREE:
        break;
    }
    float* width;
    LIM_TRY(wish_widths(t, scratch, desc, wide, &width));
    return build_tree_regions(t, a, scratch, host, nodes, s, desc->regions, width);
}

static lim_result build_regions(topology* t, arena* scratch, const lim_host* host,
                                const sampling* s, const point_parts* points,
                                const lim_model_desc* desc, const node_factors* factors,
                                const widening* wide) {
    region_nodes nodes = topology_nodes(t);
    LIM_TRY(charts_place(&t->mem, &t->charts, &nodes));
    /* What charts_split copies need not stay. */
    arena* built = charts_many(&t->charts) ? scratch : &t->mem;
    LIM_TRY(build_kind_regions(t, built, scratch, host, &nodes, s, points, desc, wide));
    LIM_TRY(charts_split(&t->mem, host, &nodes, &t->charts, &t->net, &t->regions));
    t->inv_weight = ARENA_ARRAY(&t->mem, float, t->net.node_count);
    t->fit_mass = ARENA_ARRAY(&t->mem, float, t->net.node_count);
    LIM_TRY_MEMORY(t->inv_weight);
    LIM_TRY_MEMORY(t->fit_mass);
    LIM_TRY(regions_constants(scratch, &nodes, &t->charts, &t->net,
                              t->regions.box > 0 ? &t->box : NULL, &t->regions, t->inv_weight,
                              t->fit_mass));
    LIM_TRY(mean_density(t, scratch, &nodes, factors->density));
    LIM_TRY(mean_factor(t, scratch, &nodes, t->stiffness, &t->regions.stiffness));
    t->region_component = ARENA_ARRAY(&t->mem, int32_t, t->regions.padded);
    LIM_TRY_MEMORY(t->region_component);
    for (int32_t i = 0; i < t->regions.padded; ++i) {
        t->region_component[i] = i < t->regions.count ? component_of_region(t, i) : -1;
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

/* The fragments of the finest cells, each with the node that it is part of: they tell which node a
 * point of the surface belongs to where several share a coarse cell. */
static lim_result gather_material(const topology* t, arena* scratch, bind_material* out) {
    const matter* m = &t->matter;
    float* floats = ARENA_ARRAY(scratch, float, 7 * (size_t)m->count);
    LIM_TRY_MEMORY(floats);
    float* column[7];
    for (int k = 0; k < 7; ++k) {
        column[k] = floats + (size_t)k * (size_t)m->count;
    }
    for (int32_t p = 0; p < m->count; ++p) {
        octant o = octant_of(m->key[p]);
        lim_point cell = p3(o.x + 0.5, o.y + 0.5, o.z + 0.5);
        lim_vec3 centre = v3_of(p3_sub(p3_mad(m->corner, cell, m->side), t->rest_origin));
        lim_vec3 x0 = v3_of(p3_sub(m->centroid[p], t->rest_origin));
        const float values[7] = {x0.x, x0.y, x0.z, centre.x, centre.y, centre.z, (float)m->side};
        for (int k = 0; k < 7; ++k) {
            column[k][p] = values[k];
        }
    }
    *out = (bind_material){.count = m->count,
                           .x0 = {column[0], column[1], column[2]},
                           .centre = {column[3], column[4], column[5]},
                           .side = column[6],
                           .slot = t->fragment_slot};
    return LIM_OK;
}

/* To the nodes whose cells a point sees. */
static lim_result bind_to_cells(topology* t, arena* scratch, const lim_vec3* points,
                                const lim_vec3* normals, int32_t count) {
    bind_nodes nodes = {.padded = t->slot_count,
                        .x0 = {t->x0[0], t->x0[1], t->x0[2]},
                        .centre = {t->centre[0], t->centre[1], t->centre[2]},
                        .side = t->side,
                        .slot_component = t->slot_component,
                        .g = topology_graph(t)};
    bind_material material;
    if (t->node_count < t->matter.count) {
        LIM_TRY(gather_material(t, scratch, &material));
        nodes.material = &material;
    }
    t->point_home = ARENA_ARRAY(&t->mem, int32_t, count);
    LIM_TRY_MEMORY(t->point_home);
    LIM_TRY(
        bindings_build(&t->mem, scratch, &nodes, points, normals, count, t->point_home, &t->bind));
    /* Nodes that are fragments are in their order. */
    for (int32_t i = 0; i < count && nodes.material == NULL; ++i) {
        t->point_home[i] = t->slot_node[t->point_home[i]];
    }
    return LIM_OK;
}

/* To the corners of the cell that a point is in. */
static lim_result bind_to_lattice(topology* t, arena* scratch, const sampling* s,
                                  const lim_vec3* points, const lim_vec3* normals, int32_t count) {
    lattice_bind lattice = {.slot_count = t->slot_count,
                            .key = t->key,
                            .slot_node = t->slot_node,
                            .slot_component = t->slot_component,
                            .edge = (double)s->cell_size,
                            .lower = p3_sub(p3_of(s->corner), t->rest_origin),
                            .cell_count = s->cell_count,
                            .cell = s->lattice_cells};
    return bindings_build_trilinear(&t->mem, scratch, &lattice, points, normals, count, &t->bind);
}

/* The caller's surface, and a binding for each welded point. */
static lim_result bind_surface(topology* t, arena* scratch, const lim_mesh* mesh, const sampling* s,
                               const lim_model_desc* desc, const point_parts* parts) {
    arena* a = &t->mem;
    size_t vertices = (size_t)mesh->vertex_count, triangles = (size_t)mesh->triangle_count;
    t->vertex_count = mesh->vertex_count;
    t->triangle_count = mesh->triangle_count;
    t->submesh_count = mesh->submesh_count;
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
    if (t->kind == LIM_KIND_OCTREE) {
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
    if (t->kind == LIM_KIND_POINTS) {
        return point_parts_bind(t, scratch, mesh, parts, all, (int32_t)total);
    }
    return t->kind == LIM_KIND_LATTICE
               ? bind_to_lattice(t, scratch, s, all, all_normals, (int32_t)total)
               : bind_to_cells(t, scratch, all, all_normals, (int32_t)total);
}

static void fill_info(topology* t, const sampling* s, const lim_mesh* mesh, double scale) {
    lim_point lower = p3_scale(mesh->report.bounds.lower, scale);
    lim_point upper = p3_scale(mesh->report.bounds.upper, scale);
    t->info = (lim_model_info){.kind = t->kind,
                               .nodes = t->node_count,
                               .regions = regions_used(&t->regions),
                               .edges = t->edge_count / 2,
                               .components = t->component_count,
                               .levels = t->levels,
                               .cells = s->cell_count,
                               .fragments = s->fragment_count,
                               .glued_edges = s->glued_edges,
                               .cell_size = (float)((double)t->cell * t->unit),
                               .region_width = t->region_width,
                               .volume = t->volume_sum * t->unit * t->unit * t->unit,
                               .centre = t->centre_of_mass,
                               .bounds = {lower, upper},
                               .members_per_region = t->regions.members,
                               .inputs_per_region = t->regions.inputs};
    for (int32_t i = 0; i < s->node_count; ++i) {
        t->info.level_nodes[s->level[i]]++;
    }
    /* Nodes are in order of level: the first is one of the coarsest. Points are in no order. */
    float coarsest = s->side[0];
    for (int32_t i = 1; i < s->node_count && t->kind == LIM_KIND_POINTS; ++i) {
        coarsest = s->side[i] > coarsest ? s->side[i] : coarsest;
    }
    t->info.coarsest_size = (float)((double)coarsest * t->unit);
}

static bool progress(const lim_model_desc* desc, float done, const char* stage) {
    return desc->progress == NULL || desc->progress(desc->progress_user, done, stage);
}

/* Nodes of the kind. `points`: of points alone. */
static lim_result sample(topology* t, arena* scratch, const lim_mesh* mesh,
                         const lim_model_desc* desc, const lim_host* host, sampling* out,
                         point_parts* points) {
    switch (t->kind) {
    case LIM_KIND_LATTICE:
        return lattice_build(scratch, mesh, desc, host, out);
    case LIM_KIND_POINTS:
        return point_parts_sample(scratch, mesh, desc, host, out, points);
    case LIM_KIND_OCTREE:
        break;
    }
    return sampling_build(scratch, mesh, desc, host, out);
}

/* How wide regions must be, found by building them beside the topology. */
static lim_result choose_widths(const topology* t, arena* scratch, const lim_host* host,
                                const sampling* s, const point_parts* points,
                                const lim_model_desc* desc, const node_factors* factors,
                                widening* out) {
    LIM_TRY(widen_begin(scratch, t, desc, out));
    for (float done = 0.7f; widen_searching(out); done += 0.25f * (0.9f - done)) {
        if (!progress(desc, done, "regions")) {
            return LIM_ERROR_CANCELLED;
        }
        topology trial = *t;
        arena own;
        arena_init(&trial.mem, host);
        arena_init(&own, host);
        lim_result result = build_regions(&trial, &own, host, s, points, desc, factors, out);
        if (result == LIM_OK) {
            widen_judge(out, &trial);
        }
        arena_release(&own);
        arena_release(&trial.mem);
        LIM_TRY(result);
    }
    return LIM_OK;
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
    LIM_TRY(take_masses(t, &s, &factors));
    place_nodes(t, &s, mesh, desc->scale);
    LIM_TRY(take_stiffness(t, desc, &factors));
    LIM_TRY(build_graph(t, &s));
    LIM_TRY(layout_blocks(t));
    if (!progress(desc, 0.7f, "regions")) {
        return LIM_ERROR_CANCELLED;
    }
    widening wide;
    LIM_TRY(choose_widths(t, scratch, host, &s, &points, desc, &factors, &wide));
    LIM_TRY(build_regions(t, scratch, host, &s, &points, desc, &factors, &wide));
    t->region_width = widen_finish(&wide, t, host);
    if (t->kind == LIM_KIND_OCTREE) {
        float* width;
        LIM_TRY(wish_widths(t, scratch, desc, &wide, &width));
        LIM_TRY(material_take(t, &s, &factors, width, desc));
    }
    if (!progress(desc, 0.9f, "skin")) {
        return LIM_ERROR_CANCELLED;
    }
    LIM_TRY(bind_surface(t, scratch, mesh, &s, desc, &points));
    fill_info(t, &s, mesh, desc->scale);
    LIM_TRY(topology_derive(t, scratch));
    return progress(desc, 1.0f, "done") ? LIM_OK : LIM_ERROR_CANCELLED;
}

static float find_reach(const topology* t) {
    float most = 0.0f;
    for (int32_t i = 0; i < t->bind.count; ++i) {
        const binding* b = &t->bind.bind[i];
        for (int k = 0; k < BINDING_NODES; ++k) {
            lim_vec3 x0 = v3(t->x0[0][b->node[k]], t->x0[1][b->node[k]], t->x0[2][b->node[k]]);
            lim_vec3 r = v3_sub(bindings_rest(&t->bind, i), x0);
            most = fmaxf(most, v3_dot(r, r));
        }
    }
    return sqrtf(most);
}

/* The triangles that feel contacts: 3 bindings each. */
static const int32_t* felt_corners(const topology* t, arena* scratch, int32_t* out_count) {
    if (t->felt_count > 0) {
        *out_count = t->felt_count;
        return t->felt;
    }
    *out_count = t->triangle_count;
    int32_t* corner = ARENA_ARRAY(scratch, int32_t, 3 * (int64_t)t->triangle_count);
    for (int32_t i = 0; i < 3 * t->triangle_count && corner != NULL; ++i) {
        corner[i] = t->vertex_point[t->indices[i]];
    }
    return corner;
}

/* Bodies feel each other on a surface no finer than they need; colliders on all that stays. */
static lim_result coarsen(const topology* t, arena* scratch, const int32_t** corner, int32_t* count,
                          lim_vec3** normal, uint8_t** feels) {
    int32_t given = *count;
    coarse_source from = {&t->bind, *corner, *count, *normal, t->side, t->slot_count, t->cell};
    LIM_TRY(coarse_felt_make(scratch, &from, corner, count));
    if (*count == given) {
        return LIM_OK;
    }
    *normal = surface_normals(scratch, &t->bind, *corner, *count);
    LIM_TRY_MEMORY(*normal);
    return touch_choose(t, scratch, *normal, feels);
}

lim_result topology_derive(topology* t, arena* scratch) {
    int32_t count;
    uint8_t* feels;
    const int32_t* corner = felt_corners(t, scratch, &count);
    LIM_TRY_MEMORY(corner);
    lim_vec3* normal = surface_normals(scratch, &t->bind, corner, count);
    LIM_TRY_MEMORY(normal);
    t->surface_reach = find_reach(t);
    LIM_TRY(touch_build(t, scratch, normal, &feels));
    LIM_TRY(coarsen(t, scratch, &corner, &count, &normal, &feels));
    surface_source from = {&t->bind, t->x0, t->slot_count, corner, count, normal, feels};
    LIM_TRY(surface_net_build(&t->mem, scratch, &from, &t->surface));
    return t->kind == LIM_KIND_POINTS ? point_parts_derive(t, scratch) : LIM_OK;
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
    t->kind = desc->kind;
    t->region_width = desc->kind == LIM_KIND_POINTS    ? 0.0f
                      : desc->kind == LIM_KIND_LATTICE ? (float)(int32_t)(desc->region_width + 0.5f)
                                                       : desc->region_width;
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
