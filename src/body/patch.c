/* SPDX-License-Identifier: MIT
 * Job: find the nodes around a point of the surface and push them as one. In: a body, a point. Out:
 * smooth weights of nodes; velocities. Nodes are found by walking the graph from those that carry
 * the skin at the point, never leaving a ball about it: a finger next to the one that is held is
 * not reached through the air.
 */
#include "body/patch.h"

#include "skin/query.h"

/* Least reach in cells. Shape matching resists a push on less than a region hardly more than one on
 * a region: of a narrower patch the middle comes out far beyond the mean. */
#define REACH_CELLS 2.5
/* A ball without nodes (a point that hangs on a far cell) grows to this multiple of the distance to
 * the nearest. */
#define REACH_FURTHER 1.5
/* Most spin of a patch: its rim may move by this multiple of its mean. A half ball about the point
 * has 1.9. */
#define SPIN_MOST 4.0

/* A place of the surface: in a triangle; of points without triangles one of them. */
typedef struct surface_place {
    int32_t count;    /* of corners; 0: there is no surface */
    int32_t point[3]; /* welded points */
    double weight[3];
    lim_point world;
} surface_place;

static int heaviest_corner(const surface_place* at) {
    int best = 0;
    for (int k = 1; k < at->count; ++k) {
        best = at->weight[k] > at->weight[best] ? k : best;
    }
    return best;
}

static lim_point place(const body* b, int32_t slot) {
    const topology* t = b->topology;
    return p3((double)t->x0[0][slot] + (double)b->d[0][slot],
              (double)t->x0[1][slot] + (double)b->d[1][slot],
              (double)t->x0[2][slot] + (double)b->d[2][slot]);
}

/* The vertex nearest to a point given relative to the skin's origin. */
static int32_t nearest_vertex(const body* b, const body_skin* skin, lim_point to) {
    double least = HUGE_VAL;
    int32_t best = -1;
    for (int32_t v = 0; v < b->topology->vertex_count; ++v) {
        const float* p = skin->positions + 3 * (size_t)v;
        lim_point r = p3_sub(p3((double)p[0], (double)p[1], (double)p[2]), to);
        if (p3_dot(r, r) < least) {
            least = p3_dot(r, r);
            best = v;
        }
    }
    return best;
}

/* Where the surface is nearest, on the published skin. */
static surface_place nearest_surface(const body* b, const body_skin* skin, lim_point point) {
    const topology* t = b->topology;
    lim_point to = p3_sub(point, skin->origin);
    skin_hit hit = skin_closest(skin->positions, t->indices, t->triangle_count, to, INFINITY);
    int32_t alone = t->triangle_count == 0 ? nearest_vertex(b, skin, to) : -1;
    surface_place at = {.count = hit.triangle >= 0 ? 3 : alone >= 0 ? 1 : 0};
    lim_point sum = p3(0, 0, 0);
    for (int k = 0; k < at.count; ++k) {
        uint32_t v =
            alone >= 0 ? (uint32_t)alone : t->indices[3 * (size_t)hit.triangle + (size_t)k];
        const float* p = skin->positions + 3 * (size_t)v;
        at.point[k] = t->vertex_point[v];
        at.weight[k] = alone >= 0 ? 1.0 : (double)hit.weights[k];
        sum = p3_mad(sum, p3((double)p[0], (double)p[1], (double)p[2]), at.weight[k]);
    }
    at.world = p3_add(skin->origin, sum);
    return at;
}

double patch_reach(double radius, double cell, double nearest) {
    double reach = REACH_CELLS * cell;
    reach = radius > reach ? radius : reach;
    return REACH_FURTHER * nearest > reach ? REACH_FURTHER * nearest : reach;
}

double patch_shape(double away2, double reach) {
    double share = away2 / (reach * reach), inside = 1.0 - share * share;
    return share < 1.0 ? inside * inside : 0.0;
}

/* Walks from the `count` first of the body's walk to all neighbours within the reach. */
static void walk(body* b, patch* p, int32_t count) {
    const topology* t = b->topology;
    for (int32_t next = 0; next < count; ++next) {
        int32_t slot = b->walk[next];
        lim_point away = p3_sub(place(b, slot), p->at);
        p->shape[slot] = (float)patch_shape(p3_dot(away, away), p->reach);
        if (!(p->shape[slot] > 0.0f)) {
            continue;
        }
        double mass = (double)t->mass[slot] * (double)p->shape[slot];
        p->count++;
        p->mass += mass;
        p->mean = p3_mad(p->mean, place(b, slot), mass);
        for (int32_t e = t->edge_offset[slot]; e < t->edge_offset[slot + 1]; ++e) {
            int32_t other = t->edge_node[e];
            if (p->shape[other] < 0.0f) {
                p->shape[other] = 0.0f;
                b->walk[count++] = other;
            }
        }
    }
    for (int32_t i = 0; i < t->slot_count; ++i) {
        p->shape[i] = p->shape[i] > 0.0f ? p->shape[i] : 0.0f;
    }
    p->mean = p3_scale(p->mean, 1.0 / p->mass);
}

bool patch_find(body* b, const body_skin* skin, lim_point point, double radius, patch* out) {
    const topology* t = b->topology;
    patch p = {.shape = b->shape};
    surface_place found = nearest_surface(b, skin, point);
    if (found.count == 0) {
        return false;
    }
    p.world = found.world;
    for (int32_t i = 0; i < t->slot_count; ++i) {
        p.shape[i] = -1.0f; /* not met */
    }
    p.component = t->bind.component[found.point[heaviest_corner(&found)]];
    p.at = node_to_local(&b->components[p.component], body_metres(b), p.world);
    double share = 0.0, cell = 0.0, least = HUGE_VAL;
    int32_t count = 0;
    for (int k = 0; k < found.count; ++k) {
        int32_t corner = found.point[k];
        const binding* bound = &t->bind.bind[corner];
        double weight = found.weight[k];
        if (t->bind.component[corner] != p.component) {
            continue; /* a triangle between two pieces: the nearer one is held */
        }
        share += weight;
        p.rest = p3_mad(p.rest,
                        p3((double)t->bind.rest[0][corner], (double)t->bind.rest[1][corner],
                           (double)t->bind.rest[2][corner]),
                        weight);
        for (int i = 0; i < BINDING_NODES && bound->weight[i] > 0.0f; ++i) {
            int32_t slot = bound->node[i];
            cell += weight * (double)bound->weight[i] * (double)t->side[slot];
            double distance = p3_length(p3_sub(place(b, slot), p.at));
            least = distance < least ? distance : least;
            if (p.shape[slot] < 0.0f) {
                p.shape[slot] = 0.0f;
                b->walk[count++] = slot;
            }
        }
    }
    p.rest = p3_scale(p.rest, 1.0 / share);
    p.reach = patch_reach(radius / body_metres(b), cell / share, least);
    walk(b, &p, count);
    *out = p;
    return true;
}

/* Angular velocity that the moment of the impulse about the patch's mean gives to it:
 * I omega = (at - mean) x J with I = sum m s (r^2 1 - r r^T). */
static lim_point patch_spin(const patch* p, const body* b, lim_point impulse) {
    const component* c = &b->components[p->component];
    double s[6] = {0};
    for (int32_t i = c->begin; i < c->end; ++i) {
        if (p->shape[i] > 0.0f) {
            double m = (double)b->topology->mass[i] * (double)p->shape[i];
            lim_point r = p3_sub(place(b, i), p->mean);
            s[0] += m * (r.y * r.y + r.z * r.z);
            s[1] += m * (r.x * r.x + r.z * r.z);
            s[2] += m * (r.x * r.x + r.y * r.y);
            s[3] -= m * r.x * r.y;
            s[4] -= m * r.x * r.z;
            s[5] -= m * r.y * r.z;
        }
    }
    lim_point spin = sym3_solve(s, p3_cross(p3_sub(p->at, p->mean), impulse), NODE_THIN);
    double rim = p3_length(spin) * p->reach;
    double most = SPIN_MOST * p3_length(impulse) / p->mass;
    return rim > most ? p3_scale(spin, most / rim) : spin;
}

bool patch_push(const patch* p, body* b, lim_point impulse, double most) {
    const component* c = &b->components[p->component];
    lim_point mean = p3_scale(impulse, 1.0 / p->mass), spin = patch_spin(p, b, impulse);
    if (!(p3_length(mean) * (1.0 + SPIN_MOST) <= most)) {
        return false;
    }
    for (int32_t i = c->begin; i < c->end; ++i) {
        if (p->shape[i] > 0.0f && b->inv_mass[i] > 0.0f) {
            lim_point turning = p3_cross(spin, p3_sub(place(b, i), p->mean));
            lim_point dv = p3_scale(p3_add(mean, turning), (double)p->shape[i]);
            b->v[0][i] += (float)dv.x;
            b->v[1][i] += (float)dv.y;
            b->v[2][i] += (float)dv.z;
        }
    }
    return true;
}
