/* SPDX-License-Identifier: MIT
 * Job: keep bound points out of colliders (algorithms C.6). In: candidates found once per step,
 * node state. Out: velocities that approach no faster than the gap allows, with Coulomb friction;
 * positions without penetration. Sequential impulses with accumulated clamping: sweeps forward and
 * backward over the contacts, in the order (collider, point). A substep starts from the impulses of
 * the one before, scaled so that they take as much energy as they can: a resting body converges
 * over its substeps, and an impact is not given twice. The shapes are convex and only the plane at
 * the nearest point counts within a substep, so no speed is too high. A normal impulse never pulls.
 */
#include "contact/contact.h"

/* Penetration that positions may keep, unit lengths: a resting body is not moved to and fro. */
#define SLOP 1e-4f
/* No node may change by more than this times what its point needs: light fragments and points that
 * are nearly all pinned would be shot off. Free nodes of equal mass never reach it (at least one of
 * 8 weights is 1/8). */
#define SHARE_LIMIT 8.0f
/* A point with less of its weight on free nodes than this counts as pinned: the few free nodes
 * could not bring it out, only fly off. */
#define FREE_SHARE 0.5f
/* Pairs of sweeps: with impulses to start from, and without (once per step). One pair leaves about
 * a quarter of the error. */
enum { PAIRS_WARM = 1, PAIRS_COLD = 4 };

/* Effective inverse mass of a point, raised where the share of one node would pass the limit; 0 for
 * points that cannot be moved. */
static float contact_inv_mass(const binding* b, const node_state* n) {
    float sum = binding_inv_mass(b, n), most = 0.0f, free_share = 0.0f;
    for (int k = 0; k < BINDING_NODES; ++k) {
        float inv_mass = n->inv_mass[b->node[k]], share = inv_mass * b->weight[k];
        most = share > most ? share : most;
        free_share += inv_mass > 0.0f ? b->weight[k] : 0.0f;
    }
    if (free_share < FREE_SHARE) {
        return 0.0f;
    }
    return sum * SHARE_LIMIT > most ? sum : most / SHARE_LIMIT;
}

static lim_vec3 rest_of(const bindings* b, int32_t point) {
    return v3(b->rest[0][point], b->rest[1][point], b->rest[2][point]);
}

/* ---- finding --------------------------------------------------------------------------------- */

static float find_reach(const bindings* b, const node_state* n) {
    float most = 0.0f;
    for (int32_t i = 0; i < b->count; ++i) {
        for (int k = 0; k < BINDING_NODES; ++k) {
            int32_t slot = b->bind[i].node[k];
            lim_vec3 x0 = v3(n->x0[0][slot], n->x0[1][slot], n->x0[2][slot]);
            lim_vec3 r = v3_sub(rest_of(b, i), x0);
            float square = v3_dot(r, r);
            most = square > most ? square : most;
        }
    }
    return sqrtf(most);
}

/* A ball around the points of one component: the box of its nodes, widened by
 * |L (X - x0)| <= (1 + |B|) reach. In the component's frame. */
typedef struct ball {
    lim_point centre;
    double radius;
} ball;

static ball component_ball(const node_state* n, const component* c, float reach) {
    lim_vec3 low = v3(HUGE_VALF, HUGE_VALF, HUGE_VALF), high = v3_scale(low, -1.0f);
    float most = 0.0f;
    for (int32_t i = c->begin; i < c->end; ++i) {
        if (!(n->volume[i] > 0.0f)) {
            continue;
        }
        lim_vec3 x =
            v3(n->x0[0][i] + n->d[0][i], n->x0[1][i] + n->d[1][i], n->x0[2][i] + n->d[2][i]);
        low = v3_min(x, low);
        high = v3_max(x, high);
        const float* m = n->affine + (size_t)i * 16;
        float square = 0.0f;
        for (int k = 0; k < 9; ++k) {
            square += m[k] * m[k];
        }
        most = square > most ? square : most;
    }
    lim_point a = p3_of(low), b = p3_of(high);
    double stretch = 1.0 + sqrt((double)most);
    return (ball){p3_scale(p3_add(a, b), 0.5),
                  0.5 * p3_length(p3_sub(b, a)) + stretch * (double)reach};
}

/* How near points of a component must be to one collider, metres; negative: none of them can be. */
static double find_margin(const node_state* n, const component* c, float reach, double scale,
                          const collider* other, double dt, double speed) {
    ball around = component_ball(n, c, reach);
    lim_point centre = node_to_world(c, scale, around.centre);
    double radius = scale * around.radius;
    double arm = p3_length(p3_sub(centre, other->position)) + radius;
    double turning = p3_length(p3_of(other->angular_velocity)) * arm;
    double margin = (speed + p3_length(p3_of(other->velocity)) + turning) * dt + 0.02 * radius;
    lim_vec3 normal;
    return collider_distance(other, centre, &normal) < radius + margin ? margin : -1.0;
}

/* Margins of the components met last. Points of one component mostly come in runs; where they do
 * not, components are many and so small. */
enum { MARGIN_CACHE = 64 };
typedef struct margin_cache {
    int32_t component[MARGIN_CACHE];
    double margin[MARGIN_CACHE];
} margin_cache;

lim_result contact_find(contact_list* list, const lim_host* host, const bindings* b,
                        const node_state* nodes, double scale, const collider* colliders,
                        int32_t collider_count, double dt, double speed) {
    list->items.count = 0;
    if (collider_count > 0 && (list->reach_of != b->bind || !(list->reach > 0.0f))) {
        list->reach = find_reach(b, nodes);
        list->reach_of = b->bind;
    }
    for (int32_t j = 0; j < collider_count; ++j) {
        margin_cache cache;
        for (int k = 0; k < MARGIN_CACHE; ++k) {
            cache.component[k] = -1;
        }
        for (int32_t i = 0; i < b->count; ++i) {
            int32_t which = b->component[i];
            const component* c = &nodes->components[which];
            int place = which % MARGIN_CACHE;
            if (cache.component[place] != which) {
                cache.component[place] = which;
                cache.margin[place] =
                    find_margin(nodes, c, list->reach, scale, &colliders[j], dt, speed);
            }
            double margin = cache.margin[place];
            if (margin < 0.0) {
                continue;
            }
            lim_vec3 y = binding_position(&b->bind[i], rest_of(b, i), nodes), normal;
            lim_point at = node_to_world(c, scale, p3_of(y));
            if (!(collider_distance(&colliders[j], at, &normal) < margin)) {
                continue;
            }
            contact made = {.point = i, .collider = j};
            if (!ARRAY_PUSH(host, &list->items, made)) {
                list->items.count = 0;
                return LIM_ERROR_MEMORY;
            }
        }
    }
    return LIM_OK;
}

/* ---- solving --------------------------------------------------------------------------------- */

/* Where a point is now relative to a collider: gap in unit lengths, normal in frame axes. False
 * when anything is not finite. */
static bool contact_gap(const contact* c, const bindings* b, const node_state* n, double scale,
                        const collider* other, lim_point* out_at, lim_vec3* out_normal,
                        float* out_gap) {
    const component* frame = &n->components[b->component[c->point]];
    lim_vec3 y = binding_position(&b->bind[c->point], rest_of(b, c->point), n), normal;
    *out_at = node_to_world(frame, scale, p3_of(y));
    *out_gap = (float)(collider_distance(other, *out_at, &normal) / scale);
    *out_normal = v3_of(dquat_rotate(dquat_conjugate(frame->rotation), p3_of(normal)));
    return isfinite(*out_gap) && v3_finite(*out_normal);
}

/* A collider moved on to `time`, made anew when the index changes. */
typedef struct moving_collider {
    const collider* all;
    double time;
    int32_t index;
    collider now;
} moving_collider;

static const collider* collider_now(moving_collider* m, int32_t index) {
    if (m->index != index) {
        m->index = index;
        m->now = collider_at(&m->all[index], m->time);
    }
    return &m->now;
}

/* What stays the same during the sweeps, since positions do. The impulses of the last substep stay
 * where the point still can be reached, in the new normal's direction. */
static void contact_prepare(contact* c, const bindings* b, const node_state* n, double scale,
                            const collider* other, double h) {
    lim_point at;
    float gap;
    c->inv_mass = contact_inv_mass(&b->bind[c->point], n);
    if (!contact_gap(c, b, n, scale, other, &at, &c->normal, &gap)) {
        c->normal = v3(0, 0, 0);
        c->inv_mass = 0.0f;
    }
    if (!(c->inv_mass > 0.0f)) {
        c->impulse = 0.0f;
        c->friction_impulse = v3(0, 0, 0);
        return;
    }
    const component* frame = &n->components[b->component[c->point]];
    lim_point surface = p3_of(collider_velocity_at(other, at));
    surface = dquat_rotate(dquat_conjugate(frame->rotation), surface);
    c->surface_velocity = v3_of(p3_scale(surface, 1.0 / scale));
    c->least_speed = gap > 0.0f ? -(float)((double)gap / h) : 0.0f;
}

/* Velocity beyond what is asked of the contact: zero for a point at rest on its collider. */
static lim_vec3 contact_excess(const contact* c, const binding* b, const node_state* n) {
    lim_vec3 v = v3_sub(binding_velocity(b, n), c->surface_velocity);
    return v3_mad(v, c->normal, -c->least_speed);
}

static lim_vec3 contact_impulse(const contact* c) {
    return v3_mad(c->friction_impulse, c->normal, c->impulse);
}

/* Pushes with the impulses p of the last substep times the s that leaves the least energy,
 * s = - sum p.u / sum p.(u' - u) with excess velocities u before and u' after pushing with p.
 * False when there are none. */
static bool warm_start(contact* items, int32_t count, const bindings* b, node_state* n) {
    double before = 0.0, after = 0.0, size = 0.0;
    for (int32_t i = 0; i < count; ++i) {
        lim_vec3 p = contact_impulse(&items[i]);
        before += (double)v3_dot(p, contact_excess(&items[i], &b->bind[items[i].point], n));
        size += (double)v3_dot(p, p);
    }
    if (!(size > 0.0)) {
        return false;
    }
    for (int32_t i = 0; i < count; ++i) {
        binding_push(&b->bind[items[i].point], n, contact_impulse(&items[i]));
    }
    for (int32_t i = 0; i < count; ++i) {
        lim_vec3 p = contact_impulse(&items[i]);
        after += (double)v3_dot(p, contact_excess(&items[i], &b->bind[items[i].point], n));
    }
    double s = after > before ? -before / (after - before) : 0.0;
    s = s > 0.0 ? (s < 2.0 ? s : 2.0) : 0.0;
    for (int32_t i = 0; i < count; ++i) {
        contact* c = &items[i];
        binding_push(&b->bind[c->point], n, v3_scale(contact_impulse(c), (float)(s - 1.0)));
        c->impulse *= (float)s;
        c->friction_impulse = v3_scale(c->friction_impulse, (float)s);
    }
    return true;
}

/* One contact's impulses; true when it presses. */
static bool solve_one_velocity(contact* c, const binding* b, node_state* n) {
    if (!(c->inv_mass > 0.0f)) {
        return false; /* pinned, or not finite */
    }
    lim_vec3 excess = contact_excess(c, b, n);
    float total = c->impulse - v3_dot(excess, c->normal) / c->inv_mass;
    if (!isfinite(total)) {
        return false;
    }
    total = total > 0.0f ? total : 0.0f;
    if (!(total > 0.0f) && !(c->impulse > 0.0f)) {
        return false; /* apart, and was: no friction either */
    }
    binding_push(b, n, v3_scale(c->normal, total - c->impulse));
    c->impulse = total;
    /* Friction stops the slip if an impulse within the cone can. */
    excess = contact_excess(c, b, n);
    lim_vec3 slip = v3_mad(excess, c->normal, -v3_dot(excess, c->normal));
    lim_vec3 wanted = v3_mad(c->friction_impulse, slip, -1.0f / c->inv_mass);
    float limit = c->friction * c->impulse, length = v3_length(wanted);
    if (isfinite(length)) {
        wanted = length > limit ? v3_scale(wanted, limit / length) : wanted;
        binding_push(b, n, v3_sub(wanted, c->friction_impulse));
        c->friction_impulse = wanted;
    }
    return true;
}

void contact_solve_velocity(contact_list* list, const bindings* b, node_state* nodes, double scale,
                            const collider* colliders, float body_friction, double time, double h) {
    int32_t count = list->items.count;
    contact* items = list->items.data;
    moving_collider moving = {.all = colliders, .time = time, .index = -1};
    for (int32_t i = 0; i < count; ++i) {
        const collider* other = collider_now(&moving, items[i].collider);
        float product = body_friction * other->friction;
        items[i].friction = product > 0.0f ? sqrtf(product) : 0.0f;
        contact_prepare(&items[i], b, nodes, scale, other, h);
    }
    int pairs = warm_start(items, count, b, nodes) ? PAIRS_WARM : PAIRS_COLD;
    for (int pair = 0; pair < pairs; ++pair) {
        bool pushed = false;
        for (int32_t i = 0; i < count; ++i) {
            pushed |= solve_one_velocity(&items[i], &b->bind[items[i].point], nodes);
        }
        if (!pushed) {
            break; /* nothing touches */
        }
        for (int32_t i = count - 1; i >= 0; --i) {
            solve_one_velocity(&items[i], &b->bind[items[i].point], nodes);
        }
    }
}

/* Moves the nodes of a point that is too deep; true when it did. */
static bool solve_one_position(const contact* c, const bindings* b, node_state* n, double scale,
                               const collider* other) {
    const binding* bind = &b->bind[c->point];
    lim_point at;
    lim_vec3 normal;
    float gap, inv_mass = contact_inv_mass(bind, n);
    if (!(inv_mass > 0.0f) || !contact_gap(c, b, n, scale, other, &at, &normal, &gap) ||
        !(gap < -SLOP)) {
        return false;
    }
    for (int k = 0; k < BINDING_NODES; ++k) {
        int32_t i = bind->node[k];
        float move = n->inv_mass[i] * bind->weight[k] / inv_mass * -gap;
        n->d[0][i] += move * normal.x;
        n->d[1][i] += move * normal.y;
        n->d[2][i] += move * normal.z;
    }
    return true;
}

void contact_solve_position(contact_list* list, const bindings* b, node_state* nodes, double scale,
                            const collider* colliders, double time) {
    int32_t count = list->items.count;
    const contact* items = list->items.data;
    moving_collider moving = {.all = colliders, .time = time, .index = -1};
    bool moved = false;
    for (int32_t i = 0; i < count; ++i) {
        moved |= solve_one_position(&items[i], b, nodes, scale,
                                    collider_now(&moving, items[i].collider));
    }
    for (int32_t i = count - 1; i >= 0 && moved; --i) {
        solve_one_position(&items[i], b, nodes, scale, collider_now(&moving, items[i].collider));
    }
}
