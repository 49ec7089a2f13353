/* SPDX-License-Identifier: MIT
 * Job: what nodes may not do, for the solve of a body of cubes. In: its hard pins, hard grabs and
 * contacts with colliders, as they were measured. Out: limits of the solve (hex/limits.h), then
 * what these have done, told to those that they came from.
 */
#include "body/hex_solver.h"

#include <string.h>

enum { AXES = 3 };

/* A node closer to a collider that is no plane than this share of a cell, or that goes less than a
 * cell in the substep, has its contact in the solve. */
#define NEAR_CELLS 0.2
/* Normals of one node nearer to each other than this are the same limit. */
#define SAME_NORMAL 0.99f
/* Where the limits that touch lie nearly in a line, they take no turn about it. */
#define LACK_THIN 1e-4

static const contact_run* run_of(const contact_list* list, int32_t item, int32_t* run) {
    while (list->runs.data[*run].end <= item) {
        ++*run;
    }
    return &list->runs.data[*run];
}

static lim_vec3 normal_of(const contact* c, const contact_run* run) {
    return run->plane ? run->normal : c->normal;
}

/* Whether the plane that a contact has now is what its node meets in this substep; else it is held
 * to it when the solve is over. */
static bool is_in_solve(const body* b, const contact* c, const contact_run* run, double h) {
    double cell = (double)b->topology->cell;
    if (!(c->least > -HUGE_VALF) || !(b->inv_mass[c->node] > 0.0f) || !isfinite(c->least) ||
        !v3_finite(normal_of(c, run)) || !v3_finite(c->moving)) {
        return false;
    }
    lim_vec3 v = v3_sub(v3(b->v[0][c->node], b->v[1][c->node], b->v[2][c->node]), c->moving);
    return run->plane || (double)c->gap < NEAR_CELLS * cell || (double)v3_length(v) * h < cell;
}

static hex_limit contact_limit(const body* b, const contact* c, const contact_run* run, double h) {
    float metres = (float)body_metres(b);
    lim_vec3 n = normal_of(c, run), u = run->moves ? v3_scale(c->moving, metres) : v3(0, 0, 0);
    int32_t i = c->node;
    lim_vec3 force = v3(b->pressed[0][i], b->pressed[1][i], b->pressed[2][i]);
    float press = v3_dot(force, n);
    lim_vec3 drag = v3_mad(force, n, -press);
    bool touches = press > 0.0f;
    return (hex_limit){
        .node = b->hex->node[i],
        .normal = {n.x, n.y, n.z},
        .gap = (float)(-(double)c->least * h * (double)metres),
        .velocity = {u.x, u.y, u.z},
        .friction = run->friction,
        .touches = touches,
        .press = touches ? press : 0.0f,
        .drag = {touches ? drag.x : 0.0f, touches ? drag.y : 0.0f, touches ? drag.z : 0.0f}};
}

/* How many limits each node may have, as where its own begin; returns how many in all. */
static int32_t count_limits(const body* b, double h) {
    hex_body* x = b->hex;
    int32_t run = 0, sum = 0;
    for (int32_t n = 0; n < x->nodes; ++n) {
        x->first[n] = !(b->inv_mass[x->slot[n]] > 0.0f);
        x->used[n] = 0;
    }
    for (int32_t i = 0; i < b->contacts.items.count; ++i) {
        const contact* c = &b->contacts.items.data[i];
        x->first[x->node[c->node]] += is_in_solve(b, c, run_of(&b->contacts, i, &run), h);
    }
    for (int32_t n = 0; n < x->nodes; ++n) {
        int32_t own = x->first[n];
        x->first[n] = sum;
        sum += own;
    }
    return sum;
}

/* Of those that point the same way the nearest counts: several points of one node meet a plane. */
static void put_limit(hex_body* x, const hex_limit* l, int32_t item) {
    int32_t first = x->first[l->node], *used = &x->used[l->node], at = first;
    for (; at < first + *used; ++at) {
        const float *a = x->limits.data[at].normal, *n = l->normal;
        if (a[0] * n[0] + a[1] * n[1] + a[2] * n[2] > SAME_NORMAL) {
            break;
        }
    }
    bool fresh = at == first + *used;
    if (fresh || l->gap < x->limits.data[at].gap) {
        x->limits.data[at] = *l;
        x->contact.data[at] = item;
    }
    *used += fresh;
}

static void put_held(const body* b, hex_body* x, int32_t node) {
    float metres = (float)body_metres(b);
    int32_t slot = x->slot[node];
    hex_limit l = {.node = node, .held = true};
    for (int k = 0; k < AXES; ++k) {
        l.velocity[k] = metres * b->v[k][slot];
    }
    put_limit(x, &l, -1);
}

/* There is room: nothing was found or held since it was reserved. */
void hex_limits_take(body* b, double h) {
    hex_body* x = b->hex;
    int32_t run = 0, kept = 0;
    if (count_limits(b, h) > 0) {
        for (int32_t n = 0; n < x->nodes; ++n) {
            if (!(b->inv_mass[x->slot[n]] > 0.0f)) {
                put_held(b, x, n);
            }
        }
        for (int32_t i = 0; i < b->contacts.items.count; ++i) {
            const contact* c = &b->contacts.items.data[i];
            const contact_run* own = run_of(&b->contacts, i, &run);
            if (is_in_solve(b, c, own, h)) {
                hex_limit l = contact_limit(b, c, own, h);
                put_limit(x, &l, i);
            }
        }
        for (int32_t n = 0; n < x->nodes; ++n) {
            for (int32_t i = x->first[n]; i < x->first[n] + x->used[n]; ++i, ++kept) {
                x->limits.data[kept] = x->limits.data[i];
                x->contact.data[kept] = x->contact.data[i];
            }
        }
    }
    x->forces.limit = x->limits.data;
    x->forces.work = x->works.data;
    x->forces.limits = kept;
}

static lim_vec3 force_of(const hex_limit* l) {
    return v3(l->drag[0] + l->press * l->normal[0], l->drag[1] + l->press * l->normal[1],
              l->drag[2] + l->press * l->normal[2]);
}

/* A held node is left with what its pin puts on it still to be done. */
static void leave_held(body* b, const hex_limit* l, const lim_vec3 impulse) {
    int32_t slot = b->hex->slot[l->node];
    float metres = (float)body_metres(b), mass = b->topology->mass[slot];
    b->v[0][slot] = l->velocity[0] / metres - impulse.x / mass;
    b->v[1][slot] = l->velocity[1] / metres - impulse.y / mass;
    b->v[2][slot] = l->velocity[2] / metres - impulse.z / mass;
}

/* A contact feels its impulse, and asks for no more than what the solve has left. */
static void tell_contact(body* b, contact* c, const contact_run* run, const hex_limit* l,
                         lim_vec3 impulse) {
    node_state nodes = body_nodes(b);
    lim_vec3 n = normal_of(c, run), v = v3(b->v[0][c->node], b->v[1][c->node], b->v[2][c->node]);
    float along = v3_dot(run->moves ? v3_sub(v, c->moving) : v, n), push = v3_dot(impulse, n);
    c->least = l->touches || along < c->least ? along : c->least;
    if (l->touches) {
        c->normal = n;
        c->touching = c->point[0];
        c->impulse = push > 0.0f ? push : 0.0f;
        c->friction_impulse = v3_mad(impulse, n, -push);
        contact_feel(c, &nodes, c->node, impulse);
    }
}

/* The solve ends at a tolerance, so that the impulses of its limits are not quite what a component
 * got: what is lacking, as push + turn x r on each limit that touches by its share of the pressing.
 */
typedef struct lack {
    double press, inertia[6];
    lim_point centre, push, turn;
} lack;

static lim_point place_of(const body* b, const hex_limit* l) {
    return body_slot_local(b, b->hex->slot[l->node]);
}

/* Sums over the limits [begin, end) of a component, which moves by what they do and gravity. */
static lack find_lack(const body* b, const component* c, const hex_free* part, int32_t begin,
                      int32_t end, double impulse) {
    const hex_body* x = b->hex;
    hex_momentum m = hex_component_momentum(b, c);
    lack out = {.centre = p3(0, 0, 0)};
    lim_point push =
        p3_scale(p3_sub(p3_sub(hex_point(m.velocity), part->velocity), part->fall), m.mass);
    lim_point turn = p3_sub(hex_point(m.angular), part->turning);
    for (int32_t i = begin; i < end; ++i) {
        const hex_limit* l = &x->limits.data[i];
        lim_point told = p3_scale(p3_of(force_of(l)), impulse), at = place_of(b, l);
        out.press += (double)l->press;
        out.centre = p3_mad(out.centre, at, (double)l->press);
        push = p3_sub(push, told);
        turn = p3_sub(turn, p3_cross(p3_sub(at, hex_point(m.centre)), told));
    }
    if (!(out.press > 0.0)) {
        return out;
    }
    out.centre = p3_scale(out.centre, 1.0 / out.press);
    for (int32_t i = begin; i < end; ++i) {
        const hex_limit* l = &x->limits.data[i];
        lim_point r = p3_sub(place_of(b, l), out.centre);
        double w = (double)l->press / out.press;
        out.inertia[0] += w * (r.y * r.y + r.z * r.z);
        out.inertia[1] += w * (r.x * r.x + r.z * r.z);
        out.inertia[2] += w * (r.x * r.x + r.y * r.y);
        out.inertia[3] -= w * r.x * r.y;
        out.inertia[4] -= w * r.x * r.z;
        out.inertia[5] -= w * r.y * r.z;
    }
    turn = p3_sub(turn, p3_cross(p3_sub(out.centre, hex_point(m.centre)), push));
    out.push = push;
    out.turn = sym3_solve(out.inertia, turn, LACK_THIN);
    return out;
}

/* Tells one component's limits. */
static void tell_part(body* b, int32_t part, int32_t begin, int32_t end, double h) {
    hex_body* x = b->hex;
    double metres = body_metres(b);
    double unit = (double)b->material.density * metres * metres * metres * metres;
    lack off = {0};
    bool touching = false;
    for (int32_t i = begin; i < end; ++i) {
        touching = touching || x->limits.data[i].touches || x->limits.data[i].held;
    }
    if (touching && x->part[part].free && x->forces.spring == NULL) {
        off = find_lack(b, &b->components[part], &x->part[part], begin, end, h / unit);
    }
    x->part[part].free = x->part[part].free && !touching && x->forces.spring == NULL;
    for (int32_t i = begin; i < end; ++i) {
        const hex_limit* l = &x->limits.data[i];
        lim_vec3 force = force_of(l), impulse = v3_scale(force, (float)(h / unit));
        int32_t slot = x->slot[l->node];
        if (l->held) {
            leave_held(b, l, impulse);
            continue;
        }
        if (off.press > 0.0 && l->press > 0.0f) {
            lim_point more =
                p3_add(off.push, p3_cross(off.turn, p3_sub(place_of(b, l), off.centre)));
            impulse = v3_add(impulse, v3_of(p3_scale(more, (double)l->press / off.press)));
        }
        b->pressed[0][slot] += force.x;
        b->pressed[1][slot] += force.y;
        b->pressed[2][slot] += force.z;
        int32_t run = 0;
        tell_contact(b, &b->contacts.items.data[x->contact.data[i]],
                     run_of(&b->contacts, x->contact.data[i], &run), l, impulse);
    }
}

void hex_limits_tell(body* b, double h) {
    hex_body* x = b->hex;
    for (int k = 0; k < AXES; ++k) {
        memset(b->pressed[k], 0, (size_t)b->topology->slot_count * sizeof(float));
    }
    for (int32_t part = 0, begin = 0, end; part < x->forces.parts; ++part, begin = end) {
        for (end = begin;
             end < x->forces.limits && x->limits.data[end].node < x->forces.part_first[part + 1];) {
            ++end;
        }
        tell_part(b, part, begin, end, h);
    }
}
