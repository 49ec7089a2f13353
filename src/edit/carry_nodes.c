/* SPDX-License-Identifier: MIT
 * Job: carry places, velocities and frames over to other nodes. In: what they share with the old
 * ones, a body. Out: d, v, components. All sums in double, in the order of slots.
 */
#include "edit/carry_nodes.h"

#include "body/bind_cells.h"

#include <string.h>

/* Share of a component's mass above which what has changed is most of it. */
#define MOST_OF_IT 0.5

/* ---- the field --------------------------------------------------------------------------------
 */

lim_result carry_field_make(arena* a, arena* scratch, const carry_overlap* o, carry_field* out) {
    const topology* to = o->after;
    carry_field f = {0};
    f.slot = ARENA_ARRAY(a, int32_t, o->changed);
    f.bind.bind = ARENA_ARRAY(a, binding, o->changed);
    f.bind.component = ARENA_ARRAY(a, int32_t, o->changed);
    int32_t* which = ARENA_ARRAY(scratch, int32_t, o->changed);
    int32_t* own = ARENA_ARRAY(scratch, int32_t, o->changed);
    LIM_TRY_MEMORY(f.slot);
    LIM_TRY_MEMORY(f.bind.bind);
    LIM_TRY_MEMORY(f.bind.component);
    LIM_TRY_MEMORY(which);
    LIM_TRY_MEMORY(own);
    for (int k = 0; k < 3; ++k) {
        f.bind.rest[k] = ARENA_ARRAY(a, float, o->changed);
        LIM_TRY_MEMORY(f.bind.rest[k]);
    }
    for (int32_t n = 0; n < o->changed; ++n) {
        int32_t i = o->new_slot[n];
        if (carry_is_within(o, i)) {
            which[f.count] = f.count;
            own[f.count] = o->source[i];
            for (int k = 0; k < 3; ++k) {
                f.bind.rest[k][f.count] = to->x0[k][i];
            }
            f.slot[f.count++] = i;
        }
    }
    f.bind.count = f.count;
    if (to->kind->nodes == LIM_NODES_AT_CORNERS) { /* a corner stays where it is */
        for (int32_t i = 0; i < f.count; ++i) {
            f.bind.bind[i] = (binding){.weight = {1.0f}};
            for (int k = 0; k < BINDING_NODES; ++k) {
                f.bind.bind[i].node[k] = own[i];
            }
        }
        *out = f;
        return LIM_OK;
    }
    cell_frame frame;
    bind_nodes nodes = bind_cells_nodes(o->before, &frame);
    LIM_TRY(bindings_renew(scratch, &nodes, which, own, f.count, NULL, &f.bind));
    *out = f;
    return LIM_OK;
}

static lim_point value_at(const carry_values* f, int32_t slot) {
    return p3((double)f->value[0][slot], (double)f->value[1][slot], (double)f->value[2][slot]);
}

static lim_point slope_times(const carry_values* f, int32_t slot, lim_point r) {
    if (f->slope == NULL) {
        return p3(0, 0, 0);
    }
    const float* s = f->slope + (size_t)slot * (size_t)f->stride;
    lim_point sum = p3((double)s[0] * r.x + (double)s[1] * r.y + (double)s[2] * r.z,
                       (double)s[3] * r.x + (double)s[4] * r.y + (double)s[5] * r.z,
                       (double)s[6] * r.x + (double)s[7] * r.y + (double)s[8] * r.z);
    return f->gradient ? p3_sub(sum, r) : sum;
}

/* What the skin would do at a rest position. */
static lim_point field_at(const carry_values* f, const topology* t, const binding* b,
                          lim_point rest) {
    lim_point sum = p3(0, 0, 0);
    for (int k = 0; k < BINDING_NODES && b->weight[k] > 0.0f; ++k) {
        int32_t i = b->node[k];
        lim_point way = slope_times(f, i, p3_sub(rest, body_slot_rest(t, i)));
        sum = p3_mad(sum, p3_add(value_at(f, i), way), (double)b->weight[k]);
    }
    return sum;
}

/* ---- groups -----------------------------------------------------------------------------------
 */

/* Sums over the nodes of a group, old and new. */
typedef struct group_sum {
    double old_mass, new_mass;
    lim_point old_rest, new_rest; /* sum m x0 */
    lim_point value, slopes;      /* sum m value over the old; mean slope times the way of rest */
    lim_point got;                /* sum m value over the new */
} group_sum;

/* Means by mass of values over what a new node shares with old ones. */
static lim_point mean_over(const carry_overlap* o, int32_t slot, const float* const value[3]) {
    lim_point sum = p3(0, 0, 0);
    double mass = 0.0;
    for (int32_t e = o->first[slot]; e < o->first[slot + 1]; ++e) {
        int32_t old = o->old[e];
        lim_point at = p3((double)value[0][old], (double)value[1][old], (double)value[2][old]);
        sum = p3_mad(sum, at, o->mass[e]);
        mass += o->mass[e];
    }
    return mass > 0.0 ? p3_scale(sum, 1.0 / mass) : sum;
}

/* The field where there is one, else means: into `out`, in double. */
static void first_guess(const carry_overlap* o, const carry_field* f, const carry_values* from,
                        lim_point* out) {
    const topology *before = o->before, *after = o->after;
    for (int32_t n = 0; n < o->changed; ++n) {
        int32_t i = o->new_slot[n];
        if (!carry_is_within(o, i)) {
            out[i] = mean_over(o, i, from->value);
        }
    }
    for (int32_t k = 0; k < f->count; ++k) {
        int32_t i = f->slot[k];
        int32_t own = o->source[i];
        lim_point rest = body_slot_rest(after, i);
        if (from->held != NULL && !(from->held[own] > 0.0f)) {
            lim_point way = p3_sub(rest, body_slot_rest(before, own));
            out[i] = p3_add(value_at(from, own), slope_times(from, own, way));
        } else {
            out[i] = field_at(from, before, f->bind.bind + k, rest);
        }
    }
}

static lim_result group_sums(arena* scratch, const carry_overlap* o, group_sum** out) {
    const topology *before = o->before, *after = o->after;
    group_sum* g = ARENA_ARRAY(scratch, group_sum, o->group_count);
    LIM_TRY_MEMORY(g);
    for (int32_t n = 0; n < o->replaced; ++n) {
        int32_t i = o->old_slot[n];
        group_sum* at = g + o->old_group[i];
        at->old_mass += (double)before->mass[i];
        at->old_rest = p3_mad(at->old_rest, body_slot_rest(before, i), (double)before->mass[i]);
    }
    for (int32_t n = 0; n < o->changed; ++n) {
        int32_t i = o->new_slot[n];
        group_sum* at = g + o->new_group[i];
        at->new_mass += (double)after->mass[i];
        at->new_rest = p3_mad(at->new_rest, body_slot_rest(after, i), (double)after->mass[i]);
    }
    *out = g;
    return LIM_OK;
}

/* The values of kept nodes; 0 elsewhere. */
static void copy_kept(const carry_overlap* o, const float* const from[3], float* const out[3]) {
    for (int k = 0; k < 3; ++k) {
        for (int32_t i = 0; i < o->after->slot_count; ++i) {
            out[k][i] = o->kept[i] >= 0 ? from[k][o->kept[i]] : 0.0f;
        }
    }
}

static void put(float* const out[3], int32_t slot, lim_point value) {
    out[0][slot] = (float)value.x;
    out[1][slot] = (float)value.y;
    out[2][slot] = (float)value.z;
}

/* Sums of the first guess over the new nodes of each group. */
static void sum_guesses(const carry_overlap* o, const lim_point* at, group_sum* g) {
    for (int32_t n = 0; n < o->changed; ++n) {
        int32_t i = o->new_slot[n];
        group_sum* s = g + o->new_group[i];
        s->got = p3_mad(s->got, at[i], (double)o->after->mass[i]);
    }
}

lim_result carry_displacements(arena* scratch, const carry_overlap* o, const carry_field* f,
                               const carry_values* from, float* const out[3]) {
    const topology *before = o->before, *after = o->after;
    group_sum* g;
    lim_point* at = ARENA_ROOM(scratch, lim_point, after->slot_count);
    LIM_TRY_MEMORY(at);
    LIM_TRY(group_sums(scratch, o, &g));
    first_guess(o, f, from, at);
    for (int32_t n = 0; n < o->replaced; ++n) {
        int32_t i = o->old_slot[n];
        group_sum* s = g + o->old_group[i];
        double m = (double)before->mass[i];
        /* Where density varies, the centres of mass at rest are not quite the same. */
        lim_point way = p3_sub(p3_scale(s->new_rest, 1.0 / s->new_mass),
                               p3_scale(s->old_rest, 1.0 / s->old_mass));
        s->value = p3_mad(s->value, value_at(from, i), m);
        s->slopes = p3_mad(s->slopes, slope_times(from, i, way), m);
    }
    sum_guesses(o, at, g);
    copy_kept(o, from->value, out);
    for (int32_t n = 0; n < o->changed; ++n) {
        int32_t i = o->new_slot[n];
        const group_sum* s = g + o->new_group[i];
        lim_point d = at[i];
        if (s->old_mass > 0.0) {
            lim_point wanted = p3_scale(p3_add(s->value, s->slopes), 1.0 / s->old_mass);
            d = p3_add(d, p3_sub(wanted, p3_scale(s->got, 1.0 / s->new_mass)));
        }
        put(out, i, d);
    }
    return LIM_OK;
}

/* ---- velocities -------------------------------------------------------------------------------
 */

static lim_point velocity_of(const body* b, int32_t slot) {
    return p3((double)b->v[0][slot], (double)b->v[1][slot], (double)b->v[2][slot]);
}

static lim_point rigid_at(const component* c, lim_point x) {
    return p3_add(c->velocity, p3_cross(c->spin, p3_sub(x, c->centre)));
}

/* The rigid motions of the old components as they are now. */
static lim_result rigid_motions(arena* scratch, const body* from, isa set, workers* pool,
                                component** out) {
    const topology* t = from->topology;
    node_state nodes = body_nodes(from);
    double* sums = ARENA_ROOM(scratch, double, (size_t)t->block_count* NODE_SUMS);
    nodes.components = ARENA_ROOM(scratch, component, t->component_count);
    LIM_TRY_MEMORY(sums);
    LIM_TRY_MEMORY(nodes.components);
    memcpy(nodes.components, from->components, (size_t)t->component_count * sizeof(component));
    if (!from->sums_valid) {
        node_component_sums(&nodes, sums, set, pool);
    }
    *out = nodes.components;
    return LIM_OK;
}

/* Of new nodes that are not kept, before their groups are shifted. */
static void guess_velocities(const carry_overlap* o, const carry_field* f, const body* from,
                             const component* rigid, const body* to, lim_point* out) {
    const float* const v[3] = {from->v[0], from->v[1], from->v[2]};
    for (int32_t n = 0; n < o->changed; ++n) {
        int32_t i = o->new_slot[n];
        if (!carry_is_within(o, i)) {
            out[i] = mean_over(o, i, v);
        }
    }
    for (int32_t k = 0; k < f->count; ++k) {
        int32_t i = f->slot[k];
        const binding* b = f->bind.bind + k;
        const component* c = rigid + o->before->slot_component[b->node[0]];
        lim_point sum = rigid_at(c, body_slot_local(to, i));
        for (int j = 0; j < BINDING_NODES && b->weight[j] > 0.0f; ++j) {
            int32_t old = b->node[j];
            lim_point own = p3_sub(velocity_of(from, old), rigid_at(c, body_slot_local(from, old)));
            sum = p3_mad(sum, own, (double)b->weight[j]);
        }
        out[i] = sum;
    }
}

static lim_result carry_velocities(arena* scratch, const carry_overlap* o, const carry_field* f,
                                   const body* from, const component* rigid, body* to) {
    const topology *before = o->before, *after = o->after;
    const float* const v[3] = {from->v[0], from->v[1], from->v[2]};
    group_sum* g;
    lim_point* at = ARENA_ROOM(scratch, lim_point, after->slot_count);
    LIM_TRY_MEMORY(at);
    LIM_TRY(group_sums(scratch, o, &g));
    guess_velocities(o, f, from, rigid, to, at);
    for (int32_t n = 0; n < o->replaced; ++n) {
        int32_t i = o->old_slot[n];
        group_sum* s = g + o->old_group[i];
        s->value = p3_mad(s->value, velocity_of(from, i), (double)before->mass[i]);
    }
    sum_guesses(o, at, g);
    copy_kept(o, v, to->v);
    for (int32_t n = 0; n < o->changed; ++n) {
        int32_t i = o->new_slot[n];
        const group_sum* s = g + o->new_group[i];
        lim_point now = at[i];
        if (s->old_mass > 0.0) {
            now = p3_add(now, p3_scale(p3_sub(s->value, s->got), 1.0 / s->new_mass));
        }
        put(to->v, i, now);
    }
    return LIM_OK;
}

/* ---- frames -----------------------------------------------------------------------------------
 */

/* Momentum of nodes, and angular momentum about the frame's origin. */
typedef struct motion_sum {
    double mass;
    lim_point place, push, turn; /* sum m x, m v, m x cross v */
} motion_sum;

static void add_motion(motion_sum* s, const body* b, int32_t slot) {
    double m = (double)b->topology->mass[slot];
    lim_point x = body_slot_local(b, slot), v = velocity_of(b, slot);
    s->mass += m;
    s->place = p3_mad(s->place, x, m);
    s->push = p3_mad(s->push, v, m);
    s->turn = p3_mad(s->turn, p3_cross(x, v), m);
}

/* Angular momentum about the own centre. */
static lim_point own_turning(const motion_sum* s) {
    return s->mass > 0.0 ? p3_sub(s->turn, p3_scale(p3_cross(s->place, s->push), 1.0 / s->mass))
                         : p3(0, 0, 0);
}

/* The new nodes of a group that are in one component: a cut may have parted it. */
typedef struct group_part {
    motion_sum sum;
    int32_t group, component;
} group_part;

/* Impulse, and angular impulse about the centre, that a component has got and should not have. */
typedef struct motion_gain {
    lim_point push, turn;
} motion_gain;

typedef struct parts {
    group_part* part;
    int32_t count;
    motion_sum *old_sum, *new_sum; /* per group */
    motion_sum* whole;             /* per new component, mass and place alone; and so: */
    motion_gain* gain;
} parts;

static lim_result find_parts(arena* scratch, const carry_overlap* o, const body* from,
                             const body* to, parts* out) {
    const topology* after = o->after;
    int32_t* last = ARENA_ARRAY(scratch, int32_t, o->group_count);
    out->part = ARENA_ROOM(scratch, group_part, o->changed);
    out->old_sum = ARENA_ARRAY(scratch, motion_sum, o->group_count);
    out->new_sum = ARENA_ARRAY(scratch, motion_sum, o->group_count);
    out->whole = ARENA_ARRAY(scratch, motion_sum, after->component_count);
    out->gain = ARENA_ARRAY(scratch, motion_gain, after->component_count);
    LIM_TRY_MEMORY(last);
    LIM_TRY_MEMORY(out->part);
    LIM_TRY_MEMORY(out->old_sum);
    LIM_TRY_MEMORY(out->new_sum);
    LIM_TRY_MEMORY(out->whole);
    LIM_TRY_MEMORY(out->gain);
    out->count = 0;
    for (int32_t n = 0; n < o->replaced; ++n) {
        add_motion(&out->old_sum[o->old_group[o->old_slot[n]]], from, o->old_slot[n]);
    }
    for (int32_t i = 0; i < after->slot_count; ++i) {
        if (after->slot_node[i] >= 0) {
            motion_sum* whole = &out->whole[after->slot_component[i]];
            whole->mass += (double)after->mass[i];
            whole->place = p3_mad(whole->place, body_slot_local(to, i), (double)after->mass[i]);
        }
    }
    for (int32_t n = 0; n < o->changed; ++n) {
        int32_t i = o->new_slot[n], group = o->new_group[i], piece = after->slot_component[i];
        add_motion(&out->new_sum[group], to, i);
        /* Slots are in order of components: so are the parts of a group. */
        if (last[group] == 0 || out->part[last[group] - 1].component != piece) {
            out->part[out->count] = (group_part){.group = group, .component = piece};
            last[group] = ++out->count;
        }
        add_motion(&out->part[last[group] - 1].sum, to, i);
    }
    return LIM_OK;
}

/* What each component has gained in its groups. Of a group that a cut has parted, each side has its
 * share by mass. */
static void find_gains(const parts* p) {
    for (int32_t k = 0; k < p->count; ++k) {
        const group_part* part = p->part + k;
        const motion_sum *old = p->old_sum + part->group, *now = p->new_sum + part->group;
        if (!(old->mass > 0.0)) {
            continue;
        }
        const motion_sum* whole = p->whole + part->component;
        motion_gain* gain = p->gain + part->component;
        double share = part->sum.mass / now->mass;
        lim_point push = p3_scale(p3_sub(now->push, old->push), share);
        lim_point turn = p3_scale(p3_sub(own_turning(now), own_turning(old)), share);
        lim_point arm = p3_sub(p3_scale(part->sum.place, 1.0 / part->sum.mass),
                               p3_scale(whole->place, 1.0 / whole->mass));
        gain->push = p3_add(gain->push, push);
        /* The skin may have moved the group (edit/carry_skin.h). */
        lim_point way =
            p3_sub(p3_scale(now->place, 1.0 / now->mass), p3_scale(old->place, 1.0 / old->mass));
        turn = p3_add(turn, p3_scale(p3_cross(way, old->push), share));
        gain->turn = p3_add(gain->turn, p3_add(turn, p3_cross(arm, push)));
    }
}

/* Mass of the changed nodes of a component; 0 where one of its nodes is held. */
static double free_mass(const carry_overlap* o, const body* to, const component* c,
                        motion_sum* out) {
    for (int32_t i = c->begin; i < c->end; ++i) {
        if (o->after->mass[i] > 0.0f && !(to->inv_mass[i] > 0.0f)) {
            return 0.0;
        }
        if (o->new_group[i] >= 0) {
            add_motion(out, to, i);
        }
    }
    return out->mass;
}

static void add_inertia(double inertia[6], double m, lim_point r) {
    inertia[0] += m * (r.y * r.y + r.z * r.z);
    inertia[1] += m * (r.x * r.x + r.z * r.z);
    inertia[2] += m * (r.x * r.x + r.y * r.y);
    inertia[3] -= m * r.x * r.y;
    inertia[4] -= m * r.x * r.z;
    inertia[5] -= m * r.y * r.z;
}

/* A few heavy nodes in a line have all of the mass and no inertia about it: slivers beside them
 * would get all of the turning. No node turns faster than the fastest moves beside their centre;
 * the rest is left. */
static lim_point bounded_spin(const carry_overlap* o, const motion_sum* sum, const component* c,
                              const body* to, lim_point spin) {
    lim_point centre = p3_scale(sum->place, 1.0 / sum->mass);
    lim_point mean = p3_scale(sum->push, 1.0 / sum->mass);
    double fast = 0.0, turns = 0.0;
    for (int32_t i = c->begin; i < c->end; ++i) {
        if (o->new_group[i] >= 0) {
            lim_point arm = p3_sub(body_slot_local(to, i), centre);
            fast = fmax(fast, p3_length(p3_sub(velocity_of(to, i), mean)));
            turns = fmax(turns, p3_length(p3_cross(spin, arm)));
        }
    }
    return turns > fast ? p3_scale(spin, fast / turns) : spin;
}

/* Turns the changed nodes of a component as one, so that as good as nothing of its gain is left. */
static void turn_back(const carry_overlap* o, const motion_sum* whole, const component* c, body* to,
                      motion_gain* gain) {
    motion_sum sum = {0};
    double inertia[6] = {0};
    if (!(free_mass(o, to, c, &sum) > MOST_OF_IT * whole->mass)) {
        return;
    }
    lim_point centre = p3_scale(sum.place, 1.0 / sum.mass);
    lim_point middle = p3_scale(whole->place, 1.0 / whole->mass);
    for (int32_t i = c->begin; i < c->end; ++i) {
        if (o->new_group[i] >= 0) {
            add_inertia(inertia, (double)o->after->mass[i], p3_sub(body_slot_local(to, i), centre));
        }
    }
    lim_point spin = sym3_solve(inertia, gain->turn, NODE_THIN);
    spin = bounded_spin(o, &sum, c, to, spin);
    for (int32_t i = c->begin; i < c->end && p3_finite(spin); ++i) {
        if (o->new_group[i] >= 0) {
            lim_point x = body_slot_local(to, i), was = velocity_of(to, i);
            lim_point v = p3_sub(was, p3_cross(spin, p3_sub(x, centre)));
            to->v[0][i] = (float)v.x;
            to->v[1][i] = (float)v.y;
            to->v[2][i] = (float)v.z;
            lim_point push = p3_scale(p3_sub(velocity_of(to, i), was), (double)o->after->mass[i]);
            gain->push = p3_add(gain->push, push);
            gain->turn = p3_add(gain->turn, p3_cross(p3_sub(x, middle), push));
        }
    }
}

/* The old component that a new one lies in. */
static int32_t old_component(const carry_overlap* o, int32_t piece) {
    for (int32_t i = o->after->component_begin[piece]; i < o->after->component_begin[piece + 1];
         ++i) {
        if (o->source[i] >= 0) {
            return o->before->slot_component[o->source[i]];
        }
    }
    return 0;
}

static void carry_frames(const carry_overlap* o, const body* from, body* to) {
    for (int32_t c = 0; c < o->after->component_count; ++c) {
        const component* had = from->components + old_component(o, c);
        to->components[c].origin = had->origin;
        to->components[c].rotation = had->rotation;
    }
}

/* For the next substep to take out: what was left before the edit, of the component that it was
 * part of, and what was gained. */
static lim_result leave(arena* scratch, const carry_overlap* o, const parts* p, const body* from,
                        body* to) {
    const topology *before = o->before, *after = o->after;
    int32_t* split = ARENA_ARRAY(scratch, int32_t, before->component_count);
    double* mass = ARENA_ARRAY(scratch, double, before->component_count);
    LIM_TRY_MEMORY(split);
    LIM_TRY_MEMORY(mass);
    for (int32_t c = 0; c < after->component_count; ++c) {
        int32_t old = old_component(o, c);
        split[old]++;
        mass[old] += p->whole[c].mass;
    }
    for (int32_t c = 0; c < after->component_count; ++c) {
        int32_t old = old_component(o, c);
        const component* had = from->components + old;
        component* at = to->components + c;
        double share = split[old] > 1 ? p->whole[c].mass / mass[old] : 1.0;
        at->left_impulse = p3_scale(had->left_impulse, share);
        at->left_turning = p3_scale(had->left_turning, share);
    }
    for (int32_t k = 0; k < p->count; ++k) { /* others keep the sign of a zero */
        component* at = to->components + p->part[k].component;
        motion_gain* gain = p->gain + p->part[k].component;
        at->left_impulse = p3_add(at->left_impulse, gain->push);
        at->left_turning = p3_add(at->left_turning, gain->turn);
        *gain = (motion_gain){0};
    }
    return LIM_OK;
}

lim_result carry_turning(arena* scratch, const carry_overlap* o, const body* from, body* to) {
    parts p;
    LIM_TRY(find_parts(scratch, o, from, to, &p));
    find_gains(&p);
    for (int32_t c = 0; c < o->after->component_count; ++c) {
        turn_back(o, p.whole + c, to->components + c, to, p.gain + c);
    }
    return leave(scratch, o, &p, from, to);
}

lim_result carry_motion(arena* scratch, const carry_overlap* o, const carry_field* f,
                        const body* from, isa set, workers* pool, body* to) {
    component* rigid;
    carry_values places = {.value = {from->d[0], from->d[1], from->d[2]},
                           .slope = from->affine,
                           .stride = 16,
                           .held = from->inv_mass};
    LIM_TRY(rigid_motions(scratch, from, set, pool, &rigid));
    LIM_TRY(carry_displacements(scratch, o, f, &places, to->d));
    LIM_TRY(carry_velocities(scratch, o, f, from, rigid, to));
    carry_frames(o, from, to);
    return LIM_OK;
}
