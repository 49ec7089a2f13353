/* SPDX-License-Identifier: MIT
 * Job: edits as lists of stages. In: a body, blades at rest or levels. Out: a body with the same
 * motion on a topology of its own. Every stage may fail; what it made is in the arena, or released.
 *
 * A cut: skin along the blade -> material along the blade -> both agree on what hangs together ->
 * levels near the blade -> a topology -> the body carried over.
 */
#include "edit/edit.h"

#include "base/timer.h"
#include "body/material.h"
#include "edit/agree.h"
#include "edit/draw_together.h"
#include "edit/same_material.h"
#include "edit/slivers.h"
#include "sample/matter_copy.h"

void edit_levels_of(const topology* t, int8_t* level) {
    for (int32_t i = 0; i < t->matter.count; ++i) {
        level[i] = (int8_t)octant_of(t->key[t->fragment_slot[i]]).level;
    }
}

/* Levels after a cut: what they are by now, and finer near the blade. */
static lim_result choose_levels(const edit_means* with, const body* b, const matter_change* change,
                                const pieces* all, const int32_t* source, int32_t refine,
                                int8_t* out) {
    const matter* after = &change->after;
    int8_t* now = ARENA_ARRAY(with->a, int8_t, b->topology->matter.count);
    LIM_TRY_MEMORY(now);
    edit_levels_of(b->topology, now);
    for (int32_t i = 0; i < after->count; ++i) {
        out[i] = now[source[i]];
    }
    if (refine <= 0) {
        return LIM_OK;
    }
    int8_t* before = ARENA_ARRAY(with->a, int8_t, after->count);
    level_wish* wish = ARENA_ARRAY(with->a, level_wish, after->count);
    LIM_TRY_MEMORY(before);
    LIM_TRY_MEMORY(wish);
    for (int32_t i = 0; i < after->count; ++i) {
        int32_t finer = out[i] + refine < after->level ? out[i] + refine : after->level;
        before[i] = out[i];
        wish[i].coarsest = change->touched[i] ? (int8_t)finer : 0;
        wish[i].finest = (int8_t)after->level;
        wish[i].weight = 1.0f;
    }
    level_limits limits = {0};
    level_report report;
    return levels_choose(with->a, all, before, wish, &limits, out, &report);
}

/* The body on its new topology. Gives up the reference to it. */
static lim_result carry(const edit_means* with, const body* b, topology* after, edit_made* made) {
    made->source = ARENA_ARRAY(with->a, int32_t, after->matter.count);
    made->slot = ARENA_ARRAY(with->a, int32_t, after->slot_count);
    lim_result result = made->source != NULL && made->slot != NULL ? LIM_OK : LIM_ERROR_MEMORY;
    if (result == LIM_OK) {
        result = same_fragments(with->a, &b->topology->matter, &after->matter, made->source);
    }
    if (result == LIM_OK) {
        same_nodes(b->topology, after, made->source, made->slot);
        carry_map map = {made->source, made->slot};
        result = body_carry(b, after, &map, with->set, with->pool, &made->body);
    }
    topology_release(after); /* the body has one of its own */
    return result;
}

static void count_nodes(const body* b, edit_made* made) {
    const topology* after = made->body.topology;
    lim_edit_report* r = &made->report;
    r->nodes_before = b->topology->node_count;
    r->nodes_after = after->node_count;
    r->pieces = after->component_count;
    for (int32_t i = 0; i < after->node_count; ++i) {
        r->new_nodes += made->slot[after->node_slot[i]] < 0;
    }
}

/* The first fragment of a component of the base, as it is numbered in a topology made from it in
 * which that component is still whole. */
static int32_t find_component(const matter* base, int32_t which, const matter* in) {
    int32_t f = 0;
    while (f + 1 < base->count && base->component[f] != which) {
        f++;
    }
    int32_t low = matter_first_of(in, base->key[f]);
    while (low + 1 < in->count && in->key[low + 1] == base->key[f] &&
           (in->mask[low] & base->mask[f]) == 0) {
        low++;
    }
    return low < in->count ? low : 0;
}

/* kept: memory of the material after it. */
static lim_result cut_inside(const edit_means* with, const body* b, const topology* from,
                             int32_t fragment, const edit_cut_plan* plan, surface_cut* skin,
                             shared_arena* kept, topology** out, lim_edit_report* report) {
    arena* a = with->a;
    double begin = timer_now(with->host);
    matter_change change;
    int32_t *home, *source;
    LIM_TRY(matter_cut(&kept->mem, &from->matter, &skin->blade, from->matter.component[fragment],
                       &change));
    const matter made = change.after;
    LIM_TRY(edit_agree(a, from, skin, from->matter.component[fragment], &change, &home));
    LIM_TRY(matter_settle(&kept->mem, &from->matter, &made, &change.after));
    surface_change surface = skin->change;
    surface.home = home;
    if (plan->draw) {
        LIM_TRY(draw_together(a, from, &change.after,
                              &surface)); /* sources as they are: new ones may be gone */
    } else {
        surface.source = skin->source != NULL ? skin->source : surface.source;
    }
    report->material += timer_now(with->host) - begin;
    int8_t* level = ARENA_ARRAY(a, int8_t, change.after.count);
    source = ARENA_ARRAY(a, int32_t, change.after.count);
    LIM_TRY_MEMORY(level);
    LIM_TRY_MEMORY(source);
    LIM_TRY(same_fragments(a, &b->topology->matter, &change.after, source));
    material_tree tree;
    LIM_TRY(material_tree_follow(kept, from, &change, &tree));
    LIM_TRY(choose_levels(with, b, &change, tree.pieces, source, plan->refine, level));
    topology_plan make = {.from = from,
                          .after = &change.after,
                          .after_mem = kept,
                          .source = change.source,
                          .touched = change.touched,
                          .level = level,
                          .surface = &surface,
                          .tree = tree,
                          .pool = with->pool};
    if (from == plan->base && b->topology != plan->base) {
        make.like = b->topology; /* of the sweep before */
        make.like_source = source;
    }
    int32_t* same;
    LIM_TRY(topology_remake(a, &make, with->host, out, &same));
    report->cut_edges += change.cut_edges;
    report->cut_triangles += skin->cut_triangles;
    report->inner_triangles += skin->inner_triangles;
    report->new_vertices += surface.new_vertices;
    return LIM_OK;
}

lim_result edit_cut_inside(const edit_means* with, const body* b, const topology* from,
                           int32_t fragment, const edit_cut_plan* plan, surface_cut* skin,
                           topology** out, lim_edit_report* report) {
    shared_arena* kept = shared_make(with->host);
    LIM_TRY_MEMORY(kept);
    lim_result result = cut_inside(with, b, from, fragment, plan, skin, kept, out, report);
    shared_leave(kept);
    return result;
}

/* One blade through the component of a topology that has a fragment. *out stays null where the
 * blade misses. */
static lim_result cut_once(const edit_means* with, const body* b, const topology* from,
                           int32_t fragment, const edit_cut_plan* plan, const cut_blade* blade,
                           topology** out, lim_edit_report* report) {
    double begin = timer_now(with->host);
    surface_cut skin;
    LIM_TRY(surface_cut_make(with->a, from, blade,
                             from->slot_component[from->fragment_slot[fragment]], plan->stroke,
                             plan->inner_submesh, &skin));
    bool parts = skin.cut_triangles > 0 || skin.inner_triangles > 0;
    if (parts) {
        /* a stroke that goes on takes back what its last sweep has left, whatever it parts */
        bool goes_on = b->topology != plan->base;
        LIM_TRY(slivers_drop(with->a, from, &skin, goes_on ? NULL : &parts));
    }
    report->skin += timer_now(with->host) - begin;
    if (!parts) {
        return LIM_OK;
    }
    return edit_cut_inside(with, b, from, fragment, plan, &skin, out, report);
}

lim_result edit_finish(const edit_means* with, const body* b, topology* after, double begin,
                       edit_made* made) {
    double remade = timer_now(with->host);
    LIM_TRY(carry(with, b, after, made));
    made->report.changed = true;
    made->report.state = timer_now(with->host) - remade;
    made->report.total = timer_now(with->host) - begin;
    count_nodes(b, made);
    return LIM_OK;
}

lim_result edit_cut(const edit_means* with, const body* b, const edit_cut_plan* plan,
                    edit_made* made) {
    *made = (edit_made){.report.nodes_before = b->topology->node_count};
    double begin = timer_now(with->host);
    topology* now = NULL;
    lim_result result = LIM_OK;
    for (int32_t i = 0; i < plan->blade_count && result == LIM_OK; ++i) {
        topology* next = NULL;
        const topology* from = now != NULL ? now : plan->base;
        int32_t fragment =
            find_component(&plan->base->matter, plan->blade[i].component, &from->matter);
        result =
            cut_once(with, b, from, fragment, plan, &plan->blade[i].blade, &next, &made->report);
        if (next != NULL) {
            topology_release(now);
            now = next;
        }
    }
    made->report.nodes = timer_now(with->host) - begin - made->report.skin - made->report.material;
    if (result != LIM_OK || now == NULL) {
        topology_release(now);
        made->report.nodes_after = b->topology->node_count;
        made->report.pieces = b->topology->component_count;
        return result;
    }
    /* a stroke that goes on is cut anew from its base, which has seen fewer edits than the body */
    if (now->revision <= b->topology->revision) {
        now->revision = b->topology->revision + 1;
    }
    return edit_finish(with, b, now, begin, made);
}

lim_result edit_levels(const edit_means* with, const body* b, material_tree tree,
                       const int8_t* level, edit_made* made) {
    *made = (edit_made){.report.nodes_before = b->topology->node_count};
    double begin = timer_now(with->host);
    topology_plan make = {.from = b->topology, .level = level, .tree = tree, .pool = with->pool};
    topology* after = NULL;
    int32_t* same;
    LIM_TRY(topology_remake(with->a, &make, with->host, &after, &same));
    made->report.nodes = timer_now(with->host) - begin;
    return edit_finish(with, b, after, begin, made);
}
