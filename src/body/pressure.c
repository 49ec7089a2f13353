/* SPDX-License-Identifier: MIT
 * Job: pressure on the inside of a body's closed surface. In: the surface as the nodes carry it.
 * Out: velocities. A third of p A n of each triangle acts at each of its corners: together the
 * slope of p V over the corners. A corner's share goes to its nodes in proportion to mass, as with
 * wind (body/sail.c).
 *
 * On a closed surface these forces have no sum and no moment. Shared among nodes they keep the
 * first, and of the second only what bindings keep; so the rigid motion that they would give a
 * component is taken out, in double, and what rounding then leaves goes to the next matching pass
 * with its own (component.left_impulse).
 *
 * p falls as V0 / V beyond the rest volume V0, as the pressure of a fixed amount of gas does: a
 * body whose modulus could not hold p at all sizes finds one where it can. When a node would go
 * further than a cell in the substep, all of the component's pushes are shortened alike.
 */
#include "body/body.h"

#include <string.h>

/* Sums of a component, in its frame, unit lengths and masses. */
enum {
    NOW,         /* volume, times 6 */
    REST,        /* the same at rest */
    MASS,        /* of its nodes */
    CENTRE,      /* 3: sum m x */
    SQUARE = 6,  /* 6: sum m x x^T */
    IMPULSE = 12 /* 3, and 3 about the origin */
};
_Static_assert(IMPULSE + 6 <= NODE_SUMS, "sums of a component have room in those of a block");

static double* sums_of(const body* b, int32_t piece) {
    return b->block_sums + (size_t)piece * NODE_SUMS; /* a component has at least one block */
}

/* Pushes of the nodes, 3 floats per slot, in memory that the next matching pass fills anew. */
static float* push_of(const body* b, int32_t slot) {
    return b->forward + 3 * (size_t)slot;
}

static double volume6(const lim_vec3 p[3]) {
    return p3_dot(p3_of(p[0]), p3_cross(p3_of(p[1]), p3_of(p[2])));
}

/* Adds to `push` what a pressure of 1 does in a unit of time. */
static void push_corner(const body* b, const node_state* nodes, const binding* at, lim_vec3 force) {
    float mass = binding_mass(at, nodes);
    for (int k = 0; k < BINDING_NODES && at->weight[k] > 0.0f && mass > 0.0f; ++k) {
        float share = at->weight[k] / mass, *push = push_of(b, at->node[k]);
        push[0] += share * force.x;
        push[1] += share * force.y;
        push[2] += share * force.z;
    }
}

static void push_triangles(const body* b, const node_state* nodes) {
    const topology* t = b->topology;
    for (int32_t i = 0; i < t->triangle_count; ++i) {
        const uint32_t* v = t->indices + 3 * (size_t)i;
        lim_vec3 p[3], rest[3];
        const binding* bound[3];
        for (int k = 0; k < 3; ++k) {
            int32_t point = t->vertex_point[v[k]];
            rest[k] = bindings_rest(&t->bind, point);
            bound[k] = t->bind.bind + point;
            p[k] = binding_position(bound[k], rest[k], nodes);
        }
        double* sums = sums_of(b, t->bind.component[t->vertex_point[v[0]]]);
        sums[NOW] += volume6(p);
        sums[REST] += volume6(rest);
        lim_vec3 cross = v3_cross(v3_sub(p[1], p[0]), v3_sub(p[2], p[0]));
        for (int k = 0; k < 3; ++k) {
            push_corner(b, nodes, bound[k], v3_scale(cross, 1.0f / 6.0f));
        }
    }
}

/* The largest push, and the sums over the nodes of a component. */
static double sum_nodes(const body* b, const node_state* nodes, int32_t begin, int32_t end,
                        double* sums) {
    static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    double most = 0.0;
    for (int32_t i = begin; i < end; ++i) {
        const float* push = push_of(b, i);
        lim_point at = body_slot_local(b, i);
        const double m = (double)nodes->mass[i], x[3] = {at.x, at.y, at.z};
        lim_point dv = p3((double)push[0], (double)push[1], (double)push[2]);
        lim_point p = p3_scale(dv, m), l = p3_cross(at, p);
        const double add[6] = {p.x, p.y, p.z, l.x, l.y, l.z};
        sums[MASS] += m;
        for (int k = 0; k < 6; ++k) {
            sums[IMPULSE + k] += add[k];
            sums[SQUARE + k] += m * x[pair[k][0]] * x[pair[k][1]];
        }
        for (int k = 0; k < 3; ++k) {
            sums[CENTRE + k] += m * x[k];
        }
        most = m > 0.0 && p3_dot(dv, dv) > most ? p3_dot(dv, dv) : most;
    }
    return sqrt(most);
}

/* The rigid motion of the pushes: velocity of the centre, and spin. */
typedef struct rigid_push {
    lim_point centre, velocity, spin;
} rigid_push;

static rigid_push rigid_of(const double* s, double own) {
    double m = s[MASS];
    rigid_push r = {.centre = p3(s[CENTRE] / m, s[CENTRE + 1] / m, s[CENTRE + 2] / m)};
    lim_point p = p3(s[IMPULSE], s[IMPULSE + 1], s[IMPULSE + 2]), c = r.centre;
    lim_point l = p3(s[IMPULSE + 3], s[IMPULSE + 4], s[IMPULSE + 5]);
    double xx = s[SQUARE] - m * c.x * c.x, yy = s[SQUARE + 1] - m * c.y * c.y;
    double zz = s[SQUARE + 2] - m * c.z * c.z;
    const double inertia[6] = {yy + zz + own,
                               xx + zz + own,
                               xx + yy + own,
                               m * c.x * c.y - s[SQUARE + 3],
                               m * c.x * c.z - s[SQUARE + 4],
                               m * c.y * c.z - s[SQUARE + 5]};
    r.velocity = p3_scale(p, 1.0 / m);
    r.spin = sym3_solve(inertia, p3_sub(l, p3_cross(c, p)), NODE_THIN);
    return r;
}

/* Adds `scale` times what is not rigid in the pushes; what really changed stays as an error. */
static void add_pushes(body* b, node_state* nodes, component* c, const rigid_push* r,
                       double scale) {
    for (int32_t i = c->begin; i < c->end; ++i) {
        const float* push = push_of(b, i);
        double m = (double)nodes->mass[i];
        if (!(m > 0.0)) {
            continue;
        }
        lim_point arm = p3_sub(body_slot_local(b, i), r->centre);
        lim_point rigid = p3_add(r->velocity, p3_cross(r->spin, arm));
        lim_point dv = p3_sub(p3((double)push[0], (double)push[1], (double)push[2]), rigid);
        const double add[3] = {scale * dv.x, scale * dv.y, scale * dv.z};
        double changed[3];
        for (int k = 0; k < 3; ++k) {
            float before = nodes->v[k][i], after = before + (float)add[k];
            nodes->v[k][i] = after;
            changed[k] = m * ((double)after - (double)before);
        }
        lim_point p = p3(changed[0], changed[1], changed[2]);
        c->left_impulse = p3_add(c->left_impulse, p);
        c->left_turning = p3_add(c->left_turning, p3_cross(arm, p));
    }
}

void body_pressure_apply(body* b, double h) {
    const topology* t = b->topology;
    double scale = body_metres(b), pressure = (double)b->material.pressure;
    if (pressure == 0.0 || !b->sealed) {
        return;
    }
    node_state nodes = body_nodes(b);
    memset(b->forward, 0, 3 * (size_t)t->slot_count * sizeof(float));
    memset(b->block_sums, 0, (size_t)t->component_count * NODE_SUMS * sizeof(double));
    push_triangles(b, &nodes);
    for (int32_t i = 0; i < t->component_count; ++i) {
        component* c = b->components + i;
        double* sums = sums_of(b, i);
        double most = sum_nodes(b, &nodes, c->begin, c->end, sums);
        rigid_push rigid = rigid_of(sums, c->own_inertia);
        double swollen = sums[NOW] / sums[REST];
        /* Mass 1 is density * scale^3, an area 1 scale^2, a velocity 1 scale. */
        double size = pressure * h / ((double)b->material.density * scale * scale);
        size = sums[REST] < 0.0 ? -size : size; /* a surface inside out */
        size = swollen > 1.0 ? size / swollen : size;
        double way = fabs(size) * most * h, cell = (double)t->cell;
        size = way > cell ? size * (cell / way) : size;
        bool finite = p3_finite(rigid.velocity) && p3_finite(rigid.spin) && size - size == 0.0;
        if (finite) {
            add_pushes(b, &nodes, c, &rigid, size);
        }
    }
}
