/* SPDX-License-Identifier: MIT
 * Job: bring a skin back to where it was. In: a body before, and the same over other nodes, which
 * lie on the old field or are means of old ones. Out: nodes moved by little.
 *
 * Between its nodes the skin follows their affine parts, which are other means over other regions
 * now. What that moves a bound point, its nodes take back in proportion to their weights, a few
 * times over (simultaneous iterative reconstruction, Gilbert 1972): with weights w_pk and residuals
 * r_p, d_k += sum_p w_pk r_p / sum_p w_pk. Each group's mean by mass is then taken out, so that
 * joining the nodes again gives the node they came from. A node that was joined is alone in its
 * group: all such nodes of a component keep their common centre of mass. They move only for what
 * can be seen, so that what was split and is joined again is where it was.
 */
#include "edit/carry_skin.h"

#include "match/match_some.h"

#include <string.h>

/* What is left after so many is what the affine parts say against each other. */
enum { SKIN_SWEEPS = 4 };
/* In cells: what joined nodes leave as it is; of half as much again they take back all. */
#define UNSEEN 0.005

typedef struct settling {
    const carry_overlap* o;
    /* nodes that move */
    int32_t* number; /* per new slot: which of them; -1: it stays */
    int32_t movers;
    int32_t* slot;    /* ascending */
    int32_t* balance; /* with whom its centre of mass stays: its group, or beyond these its
                         component */
    double* weight;   /* of all points on it */
    lim_point* add;
    int32_t balances;
    lim_point* group_add; /* per balance: sum m add */
    double* group_mass;   /* of what moves */
    /* points of the skin with a node that moves */
    int32_t count;
    int32_t* point;
    lim_point* left; /* of each: what it is away from where it was */
    int32_t* first;  /* and the nodes of it that move: count + 1, into */
    int32_t* mover;
    double* share;
    uint8_t* looked; /* per new slot: a node of such a point */
} settling;

static lim_result settling_make(arena* a, const carry_overlap* o, int32_t points, settling* s) {
    size_t entries = (size_t)points * BINDING_NODES;
    s->o = o;
    s->number = ARENA_ROOM(a, int32_t, o->after->slot_count);
    s->slot = ARENA_ROOM(a, int32_t, o->changed);
    s->balance = ARENA_ROOM(a, int32_t, o->changed);
    s->weight = ARENA_ARRAY(a, double, o->changed);
    s->add = ARENA_ROOM(a, lim_point, o->changed);
    s->balances = o->group_count + o->after->component_count;
    s->group_add = ARENA_ROOM(a, lim_point, s->balances);
    s->group_mass = ARENA_ARRAY(a, double, s->balances);
    s->point = ARENA_ROOM(a, int32_t, points);
    s->left = ARENA_ROOM(a, lim_point, points);
    s->first = ARENA_ROOM(a, int32_t, points + 1);
    s->mover = ARENA_ROOM(a, int32_t, entries);
    s->share = ARENA_ROOM(a, double, entries);
    s->looked = ARENA_ARRAY(a, uint8_t, o->after->slot_count);
    LIM_TRY_MEMORY(s->number);
    LIM_TRY_MEMORY(s->slot);
    LIM_TRY_MEMORY(s->balance);
    LIM_TRY_MEMORY(s->weight);
    LIM_TRY_MEMORY(s->add);
    LIM_TRY_MEMORY(s->group_add);
    LIM_TRY_MEMORY(s->group_mass);
    LIM_TRY_MEMORY(s->point);
    LIM_TRY_MEMORY(s->left);
    LIM_TRY_MEMORY(s->first);
    LIM_TRY_MEMORY(s->mover);
    LIM_TRY_MEMORY(s->share);
    LIM_TRY_MEMORY(s->looked);
    return LIM_OK;
}

/* Changed nodes that are free to move; in a body that flows only those of groups that have several:
 * the means of joined nodes are its new shape. */
static lim_result find_movers(arena* scratch, const body* to, settling* s) {
    const carry_overlap* o = s->o;
    int32_t* members = ARENA_ARRAY(scratch, int32_t, o->group_count);
    LIM_TRY_MEMORY(members);
    memset(s->number, 0xFF, (size_t)o->after->slot_count * sizeof(int32_t));
    for (int32_t n = 0; n < o->changed; ++n) {
        members[o->new_group[o->new_slot[n]]] += to->inv_mass[o->new_slot[n]] > 0.0f;
    }
    for (int32_t n = 0; n < o->changed; ++n) {
        int32_t i = o->new_slot[n], group = o->new_group[i];
        bool alone = members[group] < 2;
        if (!(to->inv_mass[i] > 0.0f) || (alone && to->plastic)) {
            continue;
        }
        int32_t balance = alone ? o->group_count + o->after->slot_component[i] : group;
        s->group_mass[balance] += (double)o->after->mass[i];
        s->balance[s->movers] = balance;
        s->slot[s->movers] = i;
        s->number[i] = s->movers++;
    }
    return LIM_OK;
}

static bool is_carried(const settling* s, const binding* b) {
    for (int k = 0; k < BINDING_NODES && b->weight[k] > 0.0f; ++k) {
        if (s->number[b->node[k]] >= 0) {
            return true;
        }
    }
    return false;
}

/* What a node does to what hangs on it, looked up once for all its points. */
typedef struct carrier {
    double m[9];
    lim_point d, rest;
} carrier;

typedef struct carriers {
    const body* b;
    const bindings* bound;
    carrier* of;    /* per slot, */
    uint8_t* known; /* if it was asked for */
} carriers;

static lim_result carriers_make(arena* a, const body* b, carriers* out) {
    *out = (carriers){.b = b, .bound = &b->topology->bind};
    out->of = ARENA_ROOM(a, carrier, b->topology->slot_count);
    out->known = ARENA_ARRAY(a, uint8_t, b->topology->slot_count);
    LIM_TRY_MEMORY(out->of);
    LIM_TRY_MEMORY(out->known);
    return LIM_OK;
}

static const carrier* carrier_of(carriers* c, int32_t slot) {
    carrier* at = c->of + slot;
    if (!c->known[slot]) {
        const body* b = c->b;
        for (int k = 0; k < 9; ++k) {
            at->m[k] = (double)b->affine[16 * (size_t)slot + (size_t)k];
        }
        at->d = p3((double)b->d[0][slot], (double)b->d[1][slot], (double)b->d[2][slot]);
        at->rest = body_slot_rest(b->topology, slot);
        c->known[slot] = 1;
    }
    return at;
}

/* How far a bound point is from its rest position, in the frame of its component. */
static lim_point moved_by(carriers* c, int32_t point) {
    const binding* at = c->bound->bind + point;
    lim_point rest = p3_of(bindings_rest(c->bound, point)), sum = p3(0, 0, 0);
    for (int k = 0; k < BINDING_NODES && at->weight[k] > 0.0f; ++k) {
        const carrier* n = carrier_of(c, at->node[k]);
        lim_point r = p3_sub(rest, n->rest);
        lim_point d = p3(n->d.x + n->m[0] * r.x + n->m[1] * r.y + n->m[2] * r.z,
                         n->d.y + n->m[3] * r.x + n->m[4] * r.y + n->m[5] * r.z,
                         n->d.z + n->m[6] * r.x + n->m[7] * r.y + n->m[8] * r.z);
        sum = p3_mad(sum, d, (double)at->weight[k]);
    }
    return sum;
}

/* Points that are there before and after, at one place, in one component. */
static bool is_same_point(const carry_overlap* o, int32_t p) {
    const bindings *was = &o->before->bind, *is = &o->after->bind;
    lim_vec3 r = v3_sub(bindings_rest(was, p), bindings_rest(is, p));
    int32_t source = o->source[is->bind[p].node[0]];
    return v3_length(r) < 1e-3f * o->after->cell && source >= 0 &&
           o->before->slot_component[source] == was->component[p];
}

static void find_points(int32_t points, settling* s) {
    const carry_overlap* o = s->o;
    int32_t entries = 0;
    for (int32_t p = 0; p < points; ++p) {
        const binding* b = o->after->bind.bind + p;
        if (!is_carried(s, b) || !is_same_point(o, p)) {
            continue;
        }
        s->first[s->count] = entries;
        s->point[s->count++] = p;
        for (int k = 0; k < BINDING_NODES && b->weight[k] > 0.0f; ++k) {
            int32_t mover = s->number[b->node[k]];
            s->looked[b->node[k]] = 1;
            if (mover >= 0) {
                s->mover[entries] = mover;
                s->share[entries++] = (double)b->weight[k];
                s->weight[mover] += (double)b->weight[k];
            }
        }
    }
    s->first[s->count] = entries;
}

/* The affine parts of their nodes, as they are now. */
static lim_result look_at_nodes(arena* scratch, const settling* s, isa set, workers* pool,
                                body* to) {
    uint8_t* mark = ARENA_ROOM(scratch, uint8_t, to->topology->net.record_count);
    LIM_TRY_MEMORY(mark);
    node_state nodes = body_nodes(to);
    match_body m = body_match(to, &nodes);
    if (match_fits(m.gains) || m.gains->goal_kind != MATCH_RIGID) {
        node_component_sums(&nodes, to->block_sums, set, pool);
    }
    match_affine_some(&m, s->looked, mark, set, pool);
    body_pins_affine(to);
    return LIM_OK;
}

static lim_result measure_points(arena* scratch, const body* from, const body* to, settling* s) {
    const carry_overlap* o = s->o;
    carriers was, is;
    LIM_TRY(carriers_make(scratch, from, &was));
    LIM_TRY(carriers_make(scratch, to, &is));
    for (int32_t i = 0; i < s->count; ++i) {
        int32_t p = s->point[i], node = o->after->bind.bind[p].node[0], mover = s->number[node];
        lim_point left = p3_sub(moved_by(&was, p), moved_by(&is, p));
        if (mover >= 0 && s->balance[mover] >= o->group_count) {
            double unseen = UNSEEN * (double)o->after->side[node];
            left = p3_scale(left, fmin(fmax(2.0 * (p3_length(left) / unseen - 1.0), 0.0), 1.0));
        }
        s->left[i] = left;
    }
    return LIM_OK;
}

static void sweep(const body* to, settling* s) {
    const topology* t = s->o->after;
    for (int32_t n = 0; n < s->movers; ++n) {
        s->add[n] = p3(0, 0, 0);
    }
    for (int32_t g = 0; g < s->balances; ++g) {
        s->group_add[g] = p3(0, 0, 0);
    }
    for (int32_t i = 0; i < s->count; ++i) {
        for (int32_t e = s->first[i]; e < s->first[i + 1]; ++e) {
            lim_point* add = s->add + s->mover[e];
            *add = p3_mad(*add, s->left[i], s->share[e]);
        }
    }
    for (int32_t n = 0; n < s->movers; ++n) {
        s->add[n] = p3_scale(s->add[n], s->weight[n] > 0.0 ? 1.0 / s->weight[n] : 0.0);
        lim_point* sum = s->group_add + s->balance[n];
        *sum = p3_mad(*sum, s->add[n], (double)t->mass[s->slot[n]]);
    }
    for (int32_t n = 0; n < s->movers; ++n) {
        int32_t g = s->balance[n], i = s->slot[n];
        s->add[n] = p3_mad(s->add[n], s->group_add[g], -1.0 / s->group_mass[g]);
        to->d[0][i] += (float)s->add[n].x;
        to->d[1][i] += (float)s->add[n].y;
        to->d[2][i] += (float)s->add[n].z;
    }
    for (int32_t i = 0; i < s->count; ++i) {
        for (int32_t e = s->first[i]; e < s->first[i + 1]; ++e) {
            s->left[i] = p3_mad(s->left[i], s->add[s->mover[e]], -s->share[e]);
        }
    }
}

lim_result carry_skin(arena* scratch, const carry_overlap* o, const body* from, isa set,
                      workers* pool, body* to) {
    int32_t before = o->before->point_count, after = o->after->point_count;
    int32_t points = (before < after ? before : after) - 1; /* the last is the centre of mass */
    settling s = {0};
    LIM_TRY(settling_make(scratch, o, points, &s));
    LIM_TRY(find_movers(scratch, to, &s));
    find_points(points, &s);
    if (s.count == 0) {
        return LIM_OK;
    }
    LIM_TRY(look_at_nodes(scratch, &s, set, pool, to));
    LIM_TRY(measure_points(scratch, from, to, &s));
    for (int k = 0; k < SKIN_SWEEPS; ++k) {
        sweep(to, &s);
    }
    return LIM_OK;
}
