/* SPDX-License-Identifier: MIT
 * Job: the regions of a topology. In: nodes in slots, their graph, widths. Out: a network, regions
 * with masses, centres, moments and means of what their material was told.
 */
#include "body/make_regions.h"

enum { CELL_CORNERS = 8 };

/* Interval regions have whole half cells as widths, 2^20 at most. */
static lim_result build_intervals(topology* t, arena* a, arena* scratch, const lim_host* host,
                                  const region_nodes* nodes, region_tree tree, const float* width) {
    int32_t* half = ARENA_ROOM(scratch, int32_t, t->slot_count);
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
    *out = ARENA_ROOM(&t->mem, float, t->regions.padded);
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
                                     const region_nodes* nodes, const region_recipe* from,
                                     record_map* map) {
    const sampling* s = from->s;
    int32_t* level = ARENA_ROOM(scratch, int32_t, t->slot_count);
    int32_t* piece = ARENA_ROOM(scratch, int32_t, t->slot_count);
    LIM_TRY_MEMORY(level);
    LIM_TRY_MEMORY(piece);
    for (int32_t i = 0; i < t->slot_count; ++i) {
        int32_t node = t->slot_node[i];
        level[i] = node >= 0 ? s->level[node] : -1;
        piece[i] = node >= 0 ? s->piece[node] : -1;
    }
    region_tree tree = {&s->pieces, level, piece};
    if (from->kind == LIM_REGIONS_INTERVAL) {
        return build_intervals(t, a, scratch, host, nodes, tree, from->width);
    }
    return regions_blend_again(a, scratch, host, nodes, tree, from->width, from->past, &t->net,
                               &t->regions, map);
}

/* Regions of a lattice: all nodes within a whole number of hops. Windows are for the component with
 * most slots; those of other widths have lists. */
static lim_result build_lattice_regions(topology* t, arena* a, const lim_host* host,
                                        const region_nodes* nodes, const int32_t* hops) {
    int32_t most = 0, largest = 0;
    for (int32_t c = 0; c < t->component_count; ++c) {
        int32_t slots = t->component_begin[c + 1] - t->component_begin[c];
        largest = slots > most ? c : largest;
        most = slots > most ? slots : most;
    }
    return regions_build_lattice(a, host, nodes, topology_graph(t), t->slot_component, t->row_axis,
                                 hops[largest], hops, WINDOWS_WHERE_CHEAPER, &t->box, &t->net,
                                 &t->regions);
}

static void sort_nodes(int32_t* node, int32_t count) {
    for (int32_t i = 1; i < count; ++i) {
        int32_t own = node[i], at = i;
        for (; at > 0 && node[at - 1] > own; --at) {
            node[at] = node[at - 1];
        }
        node[at] = own;
    }
}

/* A region per cell; a node weighs the same in each of its cells. */
static lim_result build_cell_regions(topology* t, arena* a, arena* scratch,
                                     const region_nodes* nodes, const region_recipe* from) {
    int32_t entries = CELL_CORNERS * from->cells;
    cluster_plan plan = {.count = from->cells,
                         .offset = ARENA_ARRAY(scratch, int32_t, from->cells + 1),
                         .point = ARENA_ARRAY(scratch, int32_t, entries),
                         .weight = ARENA_ARRAY(scratch, float, entries)};
    int32_t* shared = ARENA_ARRAY(scratch, int32_t, t->node_count);
    LIM_TRY_MEMORY(plan.offset);
    LIM_TRY_MEMORY(plan.point);
    LIM_TRY_MEMORY(plan.weight);
    LIM_TRY_MEMORY(shared);
    for (int32_t i = 0; i < entries; ++i) {
        plan.point[i] = from->corner[i];
        shared[from->corner[i]]++;
    }
    for (int32_t i = 0; i < from->cells; ++i) {
        plan.offset[i + 1] = CELL_CORNERS * (i + 1);
        sort_nodes(plan.point + plan.offset[i], CELL_CORNERS);
    }
    for (int32_t i = 0; i < entries; ++i) {
        plan.weight[i] = 1.0f / (float)shared[plan.point[i]];
    }
    return regions_build_clusters(a, scratch, nodes, &plan, t->node_slot, &t->net, &t->regions);
}

/* Regions of the kind, in `a`; map: of those after an edit. */
static lim_result build_kind_regions(topology* t, arena* a, arena* scratch, const lim_host* host,
                                     const region_nodes* nodes, const region_recipe* from,
                                     record_map* map) {
    switch (t->kind->regions) {
    case REGIONS_HOPS:
        return build_lattice_regions(t, a, host, nodes, from->hops);
    case REGIONS_CELLS:
        return build_cell_regions(t, a, scratch, nodes, from);
    case REGIONS_CLUSTERS:
        return regions_build_clusters(a, scratch, nodes, from->clusters, t->node_slot, &t->net,
                                      &t->regions);
    case REGIONS_TREE:
        break;
    }
    return build_tree_regions(t, a, scratch, host, nodes, from, map);
}

lim_result make_regions(topology* t, arena* scratch, const lim_host* host,
                        const region_recipe* recipe) {
    region_nodes nodes = topology_nodes(t);
    record_map map;
    LIM_TRY(charts_place(&t->mem, &t->charts, &nodes));
    /* What charts_split copies need not stay. */
    arena* built = charts_many(&t->charts) ? scratch : &t->mem;
    LIM_TRY(build_kind_regions(t, built, scratch, host, &nodes, recipe, &map));
    LIM_TRY(charts_split(&t->mem, host, &nodes, &t->charts, &t->net, &t->regions));
    t->inv_weight = ARENA_ROOM(&t->mem, float, t->net.node_count);
    t->fit_mass = ARENA_ROOM(&t->mem, float, t->net.node_count);
    LIM_TRY_MEMORY(t->inv_weight);
    LIM_TRY_MEMORY(t->fit_mass);
    if (recipe->past != NULL) {
        LIM_TRY(regions_constants_again(scratch, &nodes, &t->charts, &t->net, recipe->past, &map,
                                        &t->regions, t->inv_weight, t->fit_mass));
    } else {
        LIM_TRY(regions_constants(scratch, &nodes, &t->charts, &t->net,
                                  t->regions.box > 0 ? &t->box : NULL, &t->regions, t->inv_weight,
                                  t->fit_mass));
    }
    LIM_TRY(mean_density(t, scratch, &nodes, recipe->density));
    LIM_TRY(mean_factor(t, scratch, &nodes, t->stiffness, &t->regions.stiffness));
    t->region_component = ARENA_ROOM(&t->mem, int32_t, t->regions.padded);
    LIM_TRY_MEMORY(t->region_component);
    for (int32_t i = 0; i < t->regions.padded; ++i) {
        t->region_component[i] = i < t->regions.count ? component_of_region(t, i) : -1;
    }
    return LIM_OK;
}
