/* SPDX-License-Identifier: MIT
 * Job: a topology from another one. In: a plan: material, levels, surface. Out: a topology in the
 * same rest coordinates. The stages are those of building one (body/topology.c), from the material
 * on; bindings of points about which nothing has changed are taken over (body/rebind.h).
 */
#include "body/remake.h"

#include "base/timer.h"
#include "body/kept_regions.h"
#include "body/lattice_material.h"
#include "body/layout.h"
#include "body/make_regions.h"
#include "body/material.h"
#include "body/rebind.h"
#include "body/remake_lattice.h"
#include "body/remake_nodes.h"
#include "body/remake_surface.h"
#include "body/rest_nodes.h"
#include "body/same_points.h"
#include "sample/nodes.h"

/* Levels between the coarsest and the finest nodes: lengths of edges are 16 bits. */
enum { COARSEN_MOST = 10 };

static int32_t level_of(const topology_plan* plan, int32_t fragment) {
    if (plan->level != NULL) {
        return plan->level[fragment];
    }
    const topology* from = plan->from;
    int32_t was = plan->source != NULL ? plan->source[fragment] : fragment;
    return (int32_t)(from->key[from->fragment_slot[was]] >> 58);
}

/* Marks, per level, the pieces that fragments ask for. */
static lim_result mark_pieces(arena* scratch, const topology_plan* plan, const pieces* all,
                              uint8_t** mark) {
    for (int32_t l = 0; l <= all->finest; ++l) {
        mark[l] = ARENA_ARRAY(scratch, uint8_t, all->level[l].count);
        LIM_TRY_MEMORY(mark[l]);
    }
    for (int32_t i = 0; i < all->level[all->finest].count; ++i) {
        int32_t level = level_of(plan, i), piece = i;
        if (level > all->finest || level < 0 || level < all->finest - COARSEN_MOST) {
            return LIM_ERROR_ARGUMENT;
        }
        for (int32_t l = all->finest; l > level; --l) {
            piece = all->level[l].parent[piece];
        }
        mark[level][piece] = 1;
    }
    return LIM_OK;
}

/* From marks to the nodes, in order of (level, piece). A mark below another says that fragments of
 * a piece do not agree. */
static lim_result take_pieces(arena* scratch, const pieces* all, uint8_t** mark, adaptation* out) {
    int32_t most = all->level[all->finest].count;
    out->count = 0;
    out->level = ARENA_ROOM(scratch, int32_t, most);
    out->piece = ARENA_ROOM(scratch, int32_t, most);
    LIM_TRY_MEMORY(out->level);
    LIM_TRY_MEMORY(out->piece);
    for (int32_t l = 0; l <= all->finest; ++l) {
        const piece_level* level = &all->level[l];
        for (int32_t i = 0; i < level->count; ++i) {
            bool inside = l > 0 && mark[l - 1][level->parent[i]] != 0;
            if (inside && mark[l][i]) {
                return LIM_ERROR_ARGUMENT;
            }
            if (mark[l][i]) {
                out->level[out->count] = l;
                out->piece[out->count++] = i;
            }
            mark[l][i] |= (uint8_t)inside;
        }
    }
    return LIM_OK;
}

/* The material and its pieces: shared with the topology before where only levels change, and with
 * the plan where it has them to give. */
static lim_result take_material(topology* t, arena* scratch, const topology_plan* plan,
                                sampling* out) {
    const topology* from = plan->from;
    const pieces* all = plan->tree.pieces;
    if (plan->after == NULL && from->matter_mem != NULL) {
        material_tree tree = plan->tree.mem != NULL ? plan->tree : from->tree;
        t->matter = from->matter;
        t->matter_mem = shared_join(from->matter_mem);
        t->tree = (material_tree){tree.pieces, shared_join(tree.mem)};
        all = tree.pieces;
    } else if (plan->after_mem != NULL) {
        t->matter = *plan->after;
        t->matter_mem = shared_join(plan->after_mem);
        t->tree = (material_tree){all, shared_join(plan->tree.mem)};
    } else {
        LIM_TRY(material_keep(t, plan->after != NULL ? plan->after : &from->matter));
    }
    out->matter = t->matter;
    if (all == NULL) {
        return pieces_build(scratch, &out->matter, &out->pieces);
    }
    out->pieces = *all;
    return LIM_OK;
}

/* Material and nodes, in scratch. */
static lim_result sample_again(topology* t, arena* scratch, const topology_plan* plan,
                               sampling* out) {
    uint8_t* mark[OCTANT_LEVELS + 1];
    adaptation chosen;
    *out = (sampling){0};
    LIM_TRY(take_material(t, scratch, plan, out));
    LIM_TRY(mark_pieces(scratch, plan, &out->pieces, mark));
    LIM_TRY(take_pieces(scratch, &out->pieces, mark, &chosen));
    return nodes_fill(scratch, &out->matter, &chosen, out);
}

/* Rest coordinates are those of the topology before. */
static void take_frame(topology* t, const topology* from) {
    t->kind = from->kind;
    t->unit = from->unit;
    t->rest_origin = from->rest_origin;
    t->centre_of_mass = from->centre_of_mass;
    t->extent = from->extent;
    t->region_width = from->region_width;
}

static lim_result take_stiffness(topology* t, arena* scratch, const sampling* s) {
    float* factor;
    LIM_TRY(material_mean(scratch, s, t->fragment_stiffness, &factor));
    if (factor == NULL) {
        return LIM_OK;
    }
    t->stiffness = ARENA_ARRAY(&t->mem, float, t->slot_count);
    LIM_TRY_MEMORY(t->stiffness);
    for (int32_t i = 0; i < t->slot_count; ++i) {
        t->stiffness[i] = t->slot_node[i] >= 0 ? factor[t->slot_node[i]] : 1.0f;
    }
    return LIM_OK;
}

/* Of an octree. */
static lim_result remake_pieces(topology* t, arena* a, arena* scratch, const lim_host* host,
                                const topology_plan* plan, sampling* s, kept_nodes* kept) {
    const topology* like = plan->like != NULL ? plan->like : plan->from;
    const int32_t* source = plan->like != NULL ? plan->like_source : plan->source;
    const uint8_t* touched = plan->like != NULL ? NULL : plan->touched;
    region_past past;
    bool known = false;
    float *density, *width;
    LIM_TRY(sample_again(t, scratch, plan, s));
    LIM_TRY(material_follow(t, plan->from, plan->source));
    LIM_TRY(layout_slots(t, scratch, s));
    LIM_TRY(material_mean(scratch, s, t->fragment_density, &density));
    LIM_TRY(rest_masses(t, s, density));
    rest_centre(t, s); /* for the sum of volumes */
    rest_places(t, s);
    LIM_TRY(take_stiffness(t, scratch, s));
    LIM_TRY(rest_graph(t, scratch, s));
    LIM_TRY(layout_blocks(t));
    LIM_TRY(material_slots(t, s));
    LIM_TRY(material_widths(t, scratch, s, plan->from, plan->source, &width));
    LIM_TRY(kept_nodes_find(a, like, t, source, kept));
    LIM_TRY(kept_regions_find(scratch, like, t, source, touched, kept, &past, &known));
    region_recipe recipe = {.kind = t->region_kind,
                            .s = s,
                            .width = width,
                            .density = density,
                            .past = known ? &past : NULL};
    return make_regions(t, scratch, host, &recipe);
}

/* The lowest origin of the components that the fragments of one come from: glue may have joined
 * several. */
static void follow_origins(topology* t, const topology_plan* plan) {
    const topology* from = plan->from;
    for (int32_t c = 0; c < t->component_count; ++c) {
        t->component_origin[c] = INT32_MAX;
    }
    for (int32_t i = 0; i < t->matter.count; ++i) {
        int32_t source = plan->source != NULL ? plan->source[i] : i;
        int32_t was = from->component_origin[from->slot_component[from->fragment_slot[source]]];
        int32_t* now = &t->component_origin[t->slot_component[t->fragment_slot[i]]];
        *now = was < *now ? was : *now;
    }
}

lim_result remake_nodes(topology* t, arena* a, arena* scratch, const lim_host* host,
                        const topology_plan* plan, sampling* s, kept_nodes* kept) {
    take_frame(t, plan->from);
    LIM_TRY(t->kind->nodes == LIM_NODES_AT_CORNERS
                ? remake_lattice_nodes(t, scratch, host, plan, s)
                : remake_pieces(t, a, scratch, host, plan, s, kept));
    follow_origins(t, plan);
    return LIM_OK;
}

static lim_result remake(topology* t, arena* a, arena* scratch, const lim_host* host,
                         const topology_plan* plan, int32_t** out_slot) {
    sampling s;
    kept_nodes kept;
    int32_t *old, renewed;
    LIM_TRY(remake_nodes(t, a, scratch, host, plan, &s, &kept));
    LIM_TRY(remake_surface(t, scratch, plan, &old));
    LIM_TRY(remake_homes(t, scratch, plan, old));
    if (t->kind->nodes == LIM_NODES_AT_CORNERS) {
        LIM_TRY(kept_nodes_find(a, plan->like != NULL ? plan->like : plan->from, t,
                                plan->like != NULL ? plan->like_source : plan->source, &kept));
        LIM_TRY(lattice_material_rebind(t));
    } else if (plan->like != NULL) {
        LIM_TRY(same_points_find(scratch, plan->from, plan->like, t, &kept, &old));
        LIM_TRY(rebind(t, scratch, plan->like, &kept, old, plan->pool, &renewed));
    } else {
        LIM_TRY(rebind(t, scratch, plan->from, &kept, old, plan->pool, &renewed));
    }
    rest_info(t, &s);
    t->info.bounds = plan->from->info.bounds;
    *out_slot = kept.before;
    return topology_derive(t, scratch, plan->from);
}

lim_result topology_remake(arena* a, const topology_plan* plan, const lim_host* host,
                           topology** out, int32_t** out_slot) {
    lim_host hooks = mem_host(host);
    double begin = timer_now(&hooks);
    if (!plan->from->kind->edits) {
        return LIM_ERROR_UNSUPPORTED;
    }
    topology* t = mem_alloc(&hooks, 1, sizeof(topology));
    LIM_TRY_MEMORY(t);
    arena scratch;
    arena_init(&t->mem, &hooks);
    arena_init(&scratch, &hooks);
    t->references = 1;
    lim_result result = remake(t, a, &scratch, &hooks, plan, out_slot);
    arena_release(&scratch);
    if (result != LIM_OK) {
        topology_destroy(t);
        return result;
    }
    t->info.build_seconds = timer_now(&hooks) - begin;
    LIM_VALIDATE(topology_is_valid(t));
    *out = t;
    return LIM_OK;
}
