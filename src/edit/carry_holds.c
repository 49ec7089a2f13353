/* SPDX-License-Identifier: MIT
 * Job: carry pins and grabs over to other nodes. In: which new nodes are made of which old ones, a
 * body with its holds, the new one with its places. Out: the same holds over new slots.
 *
 * A new node is held when at least half of its mass was; the place it is held at is where it is
 * now, less what its material was away from where it belonged: a soft pin pulls as it did, a hard
 * one moves nothing. The weights of a grab's patch go to the new nodes by shares of mass. A patch
 * is no wider than its cells ask for: where they have become smaller it is made anew about its
 * point, of what of it is left.
 */
#include "edit/carry_holds.h"

#include "body/patch.h"

#include <string.h>

/* Per old slot its place in a list of held slots, -1 for others; and shares of new nodes. */
typedef struct holding {
    int32_t* place;  /* per old slot */
    double* whole;   /* per old slot: mass of all that it has become */
    uint8_t* held;   /* per new slot */
    lim_point* away; /* per held old node: from where it is to where it belongs, world axes */
    double* weight;  /* per new slot: in a patch */
    int32_t* walk;   /* new slots, scratch */
} holding;

static lim_result holding_make(arena* a, const carry_overlap* o, holding* out) {
    out->place = ARENA_ROOM(a, int32_t, o->before->slot_count);
    out->whole = ARENA_ARRAY(a, double, o->before->slot_count);
    out->held = ARENA_ROOM(a, uint8_t, o->after->slot_count);
    out->away = ARENA_ROOM(a, lim_point, o->before->slot_count);
    out->weight = ARENA_ROOM(a, double, o->after->slot_count);
    out->walk = ARENA_ROOM(a, int32_t, o->after->slot_count);
    LIM_TRY_MEMORY(out->weight);
    LIM_TRY_MEMORY(out->walk);
    LIM_TRY_MEMORY(out->place);
    LIM_TRY_MEMORY(out->whole);
    LIM_TRY_MEMORY(out->held);
    LIM_TRY_MEMORY(out->away);
    memset(out->place, 0xFF, (size_t)o->before->slot_count * sizeof(int32_t));
    for (int32_t e = 0; e < o->first[o->after->slot_count]; ++e) {
        out->whole[o->old[e]] += o->mass[e];
    }
    return LIM_OK;
}

static void set_places(holding* h, const int32_t* slot, int32_t count, bool there) {
    for (int32_t i = 0; i < count; ++i) {
        h->place[slot[i]] = there ? i : -1;
    }
}

/* The share of a new node's mass that was held. */
static double held_share(const carry_overlap* o, const holding* h, int32_t slot) {
    double held = 0.0, mass = 0.0;
    for (int32_t e = o->first[slot]; e < o->first[slot + 1]; ++e) {
        held += h->place[o->old[e]] >= 0 ? o->mass[e] : 0.0;
        mass += o->mass[e];
    }
    return mass > 0.0 ? held / mass : 0.0;
}

/* Marks the new nodes that are held, those with at least `least` of their mass or, if there is
 * none, the one with most; how many. */
static int32_t mark_held(const carry_overlap* o, holding* h, double least) {
    int32_t count = 0, best = -1;
    double most = -1.0;
    for (int32_t i = 0; i < o->after->slot_count; ++i) {
        double share = o->source[i] >= 0 ? held_share(o, h, i) : -1.0;
        h->held[i] = share > 0.0 && share >= least;
        count += h->held[i];
        best = share > most ? i : best;
        most = share > most ? share : most;
    }
    if (count == 0 && best >= 0) {
        h->held[best] = 1;
        count = 1;
    }
    return count;
}

/* ---- pins -------------------------------------------------------------------------------------
 */

static lim_point world_of(const body* b, int32_t slot) {
    const component* c = &b->components[b->topology->slot_component[slot]];
    return node_to_world(c, body_metres(b), body_slot_local(b, slot));
}

static void measure_away(const body* from, const body_pin* p, lim_point place, dquat turn,
                         holding* h) {
    for (int32_t i = 0; i < p->count; ++i) {
        lim_point belongs = p3_add(place, dquat_rotate(turn, p3_of(p->local[i])));
        h->away[i] = p3_sub(belongs, world_of(from, p->slot[i]));
    }
}

/* Where a new node belongs, in the frame that holds it. */
static lim_vec3 local_of(const carry_overlap* o, const holding* h, const body_pin* had,
                         const body* to, int32_t slot, lim_point place, dquat turn) {
    if (o->kept[slot] >= 0 && h->place[o->kept[slot]] >= 0) {
        return had->local[h->place[o->kept[slot]]];
    }
    lim_point away = p3(0, 0, 0);
    double mass = 0.0;
    for (int32_t e = o->first[slot]; e < o->first[slot + 1]; ++e) {
        int32_t i = h->place[o->old[e]];
        if (i >= 0) {
            away = p3_mad(away, h->away[i], o->mass[e]);
            mass += o->mass[e];
        }
    }
    away = mass > 0.0 ? p3_scale(away, 1.0 / mass) : away;
    lim_point at = p3_add(world_of(to, slot), away);
    return v3_of(dquat_rotate(dquat_conjugate(turn), p3_sub(at, place)));
}

static lim_result carry_pin(const carry_overlap* o, holding* h, const body_pin* had, body* to) {
    set_places(h, had->slot, had->count, true);
    body_pin pin = *had;
    pin.count = mark_held(o, h, 0.5);
    pin.slot = mem_alloc(&to->host, (size_t)pin.count, sizeof *pin.slot);
    pin.local = mem_alloc(&to->host, (size_t)pin.count, sizeof *pin.local);
    if (pin.slot == NULL || pin.local == NULL || !ARRAY_PUSH(&to->host, &to->pins, pin)) {
        mem_free(&to->host, pin.slot, (size_t)pin.count, sizeof *pin.slot);
        mem_free(&to->host, pin.local, (size_t)pin.count, sizeof *pin.local);
        return LIM_ERROR_MEMORY;
    }
    int32_t at = 0;
    for (int32_t i = 0; i < o->after->slot_count; ++i) {
        if (h->held[i]) {
            pin.slot[at++] = i;
        }
    }
    set_places(h, had->slot, had->count, false);
    return LIM_OK;
}

/* ---- grabs ------------------------------------------------------------------------------------
 */

/* The weight of a new node in a patch: of each old one the share of what it has become. */
static double patch_weight(const carry_overlap* o, const holding* h, const body_grab* had,
                           int32_t slot) {
    double sum = 0.0;
    for (int32_t e = o->first[slot]; e < o->first[slot + 1]; ++e) {
        int32_t old = o->old[e], i = h->place[old];
        double whole = h->whole[old];
        sum += i < 0 ? 0.0 : (double)had->weight[i] * (whole > 0.0 ? o->mass[e] / whole : 1.0);
    }
    return sum;
}

/* The weights of new nodes, and the component in which most of a patch is: only that is held. */
static int32_t patch_component(const carry_overlap* o, holding* h, const body_grab* had) {
    const topology* t = o->after;
    int32_t best = 0;
    double most = -1.0;
    for (int32_t c = 0; c < t->component_count; ++c) {
        double sum = 0.0;
        for (int32_t i = t->component_begin[c]; i < t->component_begin[c + 1]; ++i) {
            h->weight[i] = h->held[i] ? patch_weight(o, h, had, i) : 0.0;
            sum += h->weight[i];
        }
        best = sum > most ? c : best;
        most = sum > most ? sum : most;
    }
    return best;
}

static lim_result grab_room(const lim_host* host, body_grab* g) {
    g->slot = mem_alloc(host, (size_t)g->count, sizeof *g->slot);
    g->weight = mem_alloc(host, (size_t)g->count, sizeof *g->weight);
    g->arm = mem_alloc(host, (size_t)g->count, sizeof *g->arm);
    g->hold.local = NULL;
    return g->slot != NULL && g->weight != NULL && g->arm != NULL ? LIM_OK : LIM_ERROR_MEMORY;
}

static void grab_give_back(const lim_host* host, body_grab* g) {
    mem_free(host, g->slot, (size_t)g->count, sizeof *g->slot);
    mem_free(host, g->weight, (size_t)g->count, sizeof *g->weight);
    mem_free(host, g->arm, (size_t)g->count, sizeof *g->arm);
    mem_free(host, g->hold.local, (size_t)g->count, sizeof *g->hold.local);
}

/* Where the held point is at rest. */
static lim_point held_rest(const topology* t, const body_grab* g) {
    lim_point mean = p3(0, 0, 0);
    for (int32_t i = 0; i < g->count; ++i) {
        mean = p3_mad(mean, body_slot_rest(t, g->slot[i]), (double)g->weight[i]);
    }
    return p3_add(mean, p3_of(g->rest));
}

/* The marked node of the patch's component that is nearest at rest to the held point. */
static int32_t nearest_marked(const topology* t, const holding* h, int32_t piece, lim_point held) {
    int32_t nearest = -1;
    double least = HUGE_VAL;
    for (int32_t i = t->component_begin[piece]; i < t->component_begin[piece + 1]; ++i) {
        double away = h->held[i] ? p3_length(p3_sub(body_slot_rest(t, i), held)) : HUGE_VAL;
        nearest = away < least ? i : nearest;
        least = away < least ? away : least;
    }
    return nearest;
}

/* Marks anew, with weights, what of the marked nodes hangs together within the reach. */
static void mark_within(const topology* t, holding* h, int32_t first, lim_point held,
                        double reach) {
    enum { WAITS = 2 };
    int32_t count = 1;
    h->walk[0] = first;
    h->held[first] = WAITS;
    for (int32_t next = 0; next < count; ++next) {
        int32_t slot = h->walk[next];
        lim_point away = p3_sub(body_slot_rest(t, slot), held);
        double shape = patch_shape(p3_dot(away, away), reach);
        h->weight[slot] = (double)t->mass[slot] * shape;
        for (int32_t e = t->edge_offset[slot]; e < t->edge_offset[slot + 1] && shape > 0.0; ++e) {
            int32_t other = t->edge_node[e];
            if (h->held[other] == 1) {
                h->held[other] = WAITS;
                h->walk[count++] = other;
            }
        }
    }
    for (int32_t i = 0; i < t->slot_count; ++i) {
        h->held[i] = h->held[i] == WAITS && h->weight[i] > 0.0;
    }
}

/* A patch whose reach came from larger cells gets that of its cells now. */
static void narrow(const carry_overlap* o, holding* h, const body_grab* had, body_grab* g) {
    const topology* t = o->after;
    lim_point held = held_rest(o->before, had);
    int32_t first = nearest_marked(t, h, g->component, held);
    if (first < 0) {
        return;
    }
    double away = p3_length(p3_sub(body_slot_rest(t, first), held));
    double reach = patch_reach((double)had->radius, (double)t->side[first], away);
    if (reach < 0.99 * (double)had->reach) {
        g->reach = (float)reach;
        mark_within(t, h, first, held, reach);
    }
}

/* Slots, weights and arms of what is marked. */
static void fill_patch(const carry_overlap* o, const holding* h, const body_grab* had,
                       body_grab* g) {
    const topology* t = o->after;
    double sum = 0.0;
    int32_t at = 0;
    lim_point mean = p3(0, 0, 0);
    for (int32_t i = t->component_begin[g->component]; i < t->component_begin[g->component + 1];
         ++i) {
        if (h->held[i]) {
            g->slot[at] = i;
            sum += h->weight[i];
            at++;
        }
    }
    for (int32_t i = 0; i < g->count; ++i) {
        double w = sum > 0.0 ? h->weight[g->slot[i]] / sum : 1.0 / g->count;
        g->weight[i] = (float)w;
        mean = p3_mad(mean, body_slot_rest(t, g->slot[i]), w);
    }
    for (int32_t i = 0; i < g->count; ++i) {
        lim_point r = p3_sub(body_slot_rest(t, g->slot[i]), mean);
        g->arm[i] = v3_of(p3_scale(r, (double)g->weight[i]));
    }
    g->rest = v3_of(p3_sub(held_rest(o->before, had), mean));
}

/* Whether every held node is kept, and in the same order: then all of the patch is as it was. */
static bool is_as_it_was(const carry_overlap* o, const body_grab* g) {
    int32_t last = -1;
    for (int32_t i = 0; i < g->count; ++i) {
        int32_t now = o->becoming[g->slot[i]];
        if (now <= last ||
            o->after->slot_component[now] != o->after->slot_component[o->becoming[g->slot[0]]]) {
            return false;
        }
        last = now;
    }
    return true;
}

static void copy_patch(const carry_overlap* o, const body_grab* had, body_grab* g) {
    for (int32_t i = 0; i < g->count; ++i) {
        g->slot[i] = o->becoming[had->slot[i]];
        g->weight[i] = had->weight[i];
        g->arm[i] = had->arm[i];
    }
}

static int32_t count_marked(const carry_overlap* o, const holding* h, int32_t piece) {
    int32_t count = 0;
    for (int32_t i = o->after->component_begin[piece]; i < o->after->component_begin[piece + 1];
         ++i) {
        count += h->held[i];
    }
    return count;
}

static lim_result carry_grab(const carry_overlap* o, holding* h, const body_grab* had, body* to) {
    set_places(h, had->slot, had->count, true);
    mark_held(o, h, had->hard ? 0.5 : 0.0);
    body_grab g = *had;
    bool same = is_as_it_was(o, had);
    g.component =
        same ? o->after->slot_component[o->becoming[had->slot[0]]] : patch_component(o, h, had);
    if (!same) {
        narrow(o, h, had, &g);
    }
    g.count = same ? had->count : count_marked(o, h, g.component);
    lim_result result = grab_room(&to->host, &g);
    if (result == LIM_OK) {
        if (same) {
            copy_patch(o, had, &g);
        } else {
            fill_patch(o, h, had, &g);
        }
        result = body_grab_hold(&to->host, &g);
    }
    if (result == LIM_OK) {
        result = ARRAY_PUSH(&to->host, &to->grabs, g) ? LIM_OK : LIM_ERROR_MEMORY;
    }
    if (result != LIM_OK) {
        grab_give_back(&to->host, &g);
    }
    set_places(h, had->slot, had->count, false);
    return result;
}

static lim_result hold_again(arena* scratch, const carry_overlap* o, const body* from, body* to) {
    holding h;
    LIM_TRY(holding_make(scratch, o, &h));
    for (int32_t k = 0; k < from->pins.count; ++k) {
        LIM_TRY(carry_pin(o, &h, &from->pins.data[k], to));
    }
    for (int32_t k = 0; k < from->grabs.count; ++k) {
        LIM_TRY(carry_grab(o, &h, &from->grabs.data[k], to));
    }
    body_refresh_inv_mass(to);
    return LIM_OK;
}

static bool is_held(const body* b) {
    return b->pins.count > 0 || b->grabs.count > 0;
}

lim_result carry_holds(arena* scratch, const carry_overlap* o, const body* from, body* to) {
    return is_held(from) ? hold_again(scratch, o, from, to) : LIM_OK;
}

/* ---- places -----------------------------------------------------------------------------------
 */

static void place_hold(const carry_overlap* o, holding* h, const body* from, const body_pin* had,
                       lim_point place, dquat turn, const body* to, body_pin* pin) {
    set_places(h, had->slot, had->count, true);
    measure_away(from, had, place, turn, h);
    for (int32_t i = 0; i < pin->count; ++i) {
        pin->local[i] = local_of(o, h, had, to, pin->slot[i], place, turn);
    }
    set_places(h, had->slot, had->count, false);
}

static void place_grab(const carry_overlap* o, holding* h, const body* from, const body_grab* had,
                       const body* to, body_grab* g) {
    bool same = is_as_it_was(o, had);
    if (had->hard) {
        place_hold(o, h, from, &had->hold, had->previous_target, dquat_identity(), to, &g->hold);
    } else if (!same) {
        g->offset = v3(0, 0, 0);
    }
    if (same || (had->hard && !had->hold.gave_way)) {
        return;
    }
    lim_vec3 less = v3_of(p3_sub(body_grab_point(from, had), body_grab_point(to, g)));
    g->offset = had->hard ? g->offset : less;
    for (int32_t i = 0; i < g->count && had->hard; ++i) {
        g->hold.local[i] = v3_sub(g->hold.local[i], less);
    }
}

lim_result carry_held_places(arena* scratch, const carry_overlap* o, const body* from, body* to) {
    holding h;
    if (!is_held(from)) {
        return LIM_OK;
    }
    LIM_TRY(holding_make(scratch, o, &h));
    for (int32_t k = 0; k < from->pins.count; ++k) {
        const body_pin* had = &from->pins.data[k];
        place_hold(o, &h, from, had, had->position, had->orientation, to, &to->pins.data[k]);
    }
    for (int32_t k = 0; k < from->grabs.count; ++k) {
        place_grab(o, &h, from, &from->grabs.data[k], to, &to->grabs.data[k]);
    }
    return LIM_OK;
}
