/* SPDX-License-Identifier: MIT
 * Job: a body, or a piece of it, as a side of contacts. In: its state. Out: motion, boxes, where
 * the points of its surface are.
 */
#include "body/meeting_side.h"

#include "body/body.h"
#include "contact/felt_kernel.h"

#include <string.h>

/* A surface with more than this share of open sides has no inside to keep others out of. */
#define OPEN_MOST 0.05
/* Square of how many times the root mean square of velocities against the mean one nodes count as
 * fast: single ones that are faster, of a thin part that flaps, do not make the whole body a fast
 * one. */
#define STIR_MOST 9.0

bool meeting_is_felt(const surface_net* felt) {
    return felt->group_count > 0 && felt->open_share <= (float)OPEN_MOST;
}

void meeting_shape_free(meeting_shape* s, const lim_host* host) {
    for (int k = 0; k < 3; ++k) {
        ARRAY_FREE(host, &s->at[k]);
    }
    ARRAY_FREE(host, &s->spot);
    ARRAY_FREE(host, &s->normal);
    ARRAY_FREE(host, &s->group);
    ARRAY_FREE(host, &s->looks);
    ARRAY_FREE(host, &s->patch_way);
    ARRAY_FREE(host, &s->tight);
    ARRAY_FREE(host, &s->feel);
    ARRAY_FREE(host, &s->feel_box);
    ARRAY_FREE(host, &s->wanted);
}

bool meeting_shape_reserve(meeting_shape* s, const lim_host* host, const surface_net* felt) {
    int32_t levels, groups = surface_groups(felt->group_count, NULL, &levels);
    bool room = true;
    for (int k = 0; k < 3; ++k) {
        /* read and written in whole eights */
        room = room && ARRAY_RESERVE(host, &s->at[k], (int64_t)felt->points.count + 16);
    }
    return room && ARRAY_RESERVE(host, &s->spot, 4 * (int64_t)felt->points.count + 4) &&
           ARRAY_RESERVE(host, &s->normal, (int64_t)felt->points.count + 8) &&
           ARRAY_RESERVE(host, &s->group, groups) && ARRAY_RESERVE(host, &s->looks, groups) &&
           ARRAY_RESERVE(host, &s->patch_way, felt->group_count) &&
           ARRAY_RESERVE(host, &s->tight, felt->group_count) &&
           ARRAY_RESERVE(host, &s->feel, felt->group_count) &&
           ARRAY_RESERVE(host, &s->feel_box, felt->group_count) &&
           ARRAY_RESERVE(host, &s->wanted, felt->patch_count);
}

/* ---- motion and box -----------------------------------------------------------------------------
 */

/* Momentum of components per unit density, world axes, unit lengths cubed times m/s. */
static lim_point find_momentum(const body* b, int32_t first, int32_t count, double* mass) {
    const topology* t = b->topology;
    lim_point sum = p3(0, 0, 0);
    *mass = 0.0;
    for (int32_t k = first; k < first + count; ++k) {
        const component* c = &b->components[k];
        lim_point own = p3(0, 0, 0);
        for (int32_t i = c->begin; i < c->end; ++i) {
            lim_point v = p3((double)b->v[0][i], (double)b->v[1][i], (double)b->v[2][i]);
            own = p3_mad(own, v, (double)t->mass[i]);
            *mass += (double)t->mass[i];
        }
        sum = p3_mad(sum, dquat_rotate(c->rotation, own), body_metres(b));
    }
    return sum;
}

typedef struct piece_measure {
    lim_vec3 low, high; /* of the nodes and where they go beside the mean, frame */
    float spread2;      /* largest square of a velocity against the mean one; unit lengths */
    float stretch2;     /* of an affine part */
    double stir;        /* sum of mass times those squares */
} piece_measure;

static piece_measure measure_piece(const body* b, const component* c, lim_vec3 mean, float dt) {
    const topology* t = b->topology;
    piece_measure m = {.low = v3(HUGE_VALF, HUGE_VALF, HUGE_VALF)};
    m.high = v3_scale(m.low, -1.0f);
    for (int32_t i = c->begin; i < c->end; ++i) {
        if (!(t->mass[i] > 0.0f)) {
            continue;
        }
        lim_vec3 x =
            v3(t->x0[0][i] + b->d[0][i], t->x0[1][i] + b->d[1][i], t->x0[2][i] + b->d[2][i]);
        lim_vec3 v = v3_sub(v3(b->v[0][i], b->v[1][i], b->v[2][i]), mean);
        lim_vec3 end = v3_mad(x, v, dt);
        m.low = v3_min(v3_min(x, end), m.low);
        m.high = v3_max(v3_max(x, end), m.high);
        float square = v3_dot(v, v), stretch = 0.0f;
        m.stir += (double)t->mass[i] * (double)square;
        m.spread2 = square > m.spread2 ? square : m.spread2;
        const float* affine = b->affine + (size_t)i * 16;
        for (int k = 0; k < 9; ++k) {
            stretch += affine[k] * affine[k];
        }
        m.stretch2 = stretch > m.stretch2 ? stretch : m.stretch2;
    }
    return m;
}

static void widen(lim_box* box, lim_point middle, lim_point half) {
    lim_point low = p3_sub(middle, half), high = p3_add(middle, half);
    box->lower = p3_min(box->lower, low);
    box->upper = p3_max(box->upper, high);
}

/* The world box of a component: its nodes' box turned, and how far points are from the hull of
 * theirs, |x - sum_k w_k x_k| <= |X - sum_k w_k x0_k| + max_k |B_k| |X - x0_k|, the former at most
 * `off`. */
static void add_piece_box(const body* b, const component* c, const piece_measure* m, float off,
                          lim_box* box) {
    const topology* t = b->topology;
    double scale = body_metres(b), stretch = sqrt((double)m->stretch2);
    double beyond = ((double)off + stretch * (double)t->surface_reach) * scale;
    lim_point half = p3_scale(p3_sub(p3_of(m->high), p3_of(m->low)), 0.5 * scale);
    lim_point middle = p3_scale(p3_add(p3_of(m->low), p3_of(m->high)), 0.5);
    dmat3 r = dquat_matrix(c->rotation);
    lim_point wide =
        p3(fabs(r.m[0]) * half.x + fabs(r.m[1]) * half.y + fabs(r.m[2]) * half.z + beyond,
           fabs(r.m[3]) * half.x + fabs(r.m[4]) * half.y + fabs(r.m[5]) * half.z + beyond,
           fabs(r.m[6]) * half.x + fabs(r.m[7]) * half.y + fabs(r.m[8]) * half.z + beyond);
    widen(box, node_to_world(c, scale, middle), wide);
}

static lim_box no_box(void) {
    return (lim_box){p3(HUGE_VAL, HUGE_VAL, HUGE_VAL), p3(-HUGE_VAL, -HUGE_VAL, -HUGE_VAL)};
}

lim_box meeting_side_box(const body* b) {
    lim_box box = no_box();
    for (int32_t k = 0; k < b->topology->component_count; ++k) {
        const component* c = &b->components[k];
        piece_measure piece = measure_piece(b, c, v3(0, 0, 0), 0.0f);
        add_piece_box(b, c, &piece, b->topology->skin_off, &box);
    }
    return box;
}

meeting_measure meeting_side_measure(const body* b, int32_t first, int32_t count, lim_vec3 gravity,
                                     double dt, pair_side* out) {
    const topology* t = b->topology;
    double scale = body_metres(b), mass;
    lim_point mean = find_momentum(b, first, count, &mass);
    mean = p3_scale(mean, 1.0 / mass);
    lim_box box = no_box();
    float spread2 = 0.0f;
    double stir = 0.0;
    for (int32_t k = first; k < first + count; ++k) {
        const component* c = &b->components[k];
        lim_point own = dquat_rotate(dquat_conjugate(c->rotation), p3_scale(mean, 1.0 / scale));
        piece_measure piece = measure_piece(b, c, v3_of(own), body_moves(b) ? (float)dt : 0.0f);
        add_piece_box(b, c, &piece, t->surface_off, &box);
        spread2 = fmaxf(spread2, piece.spread2);
        stir += piece.stir;
    }
    spread2 = fminf(spread2, (float)(STIR_MOST * stir / mass));
    double fall = p3_length(p3_of(gravity)) * fabs((double)b->gravity_scale) * dt;
    out->begin = b->components[first].begin;
    out->end = b->components[first + count - 1].end;
    out->scale = scale;
    out->inv_square = (float)(1.0 / (scale * scale));
    out->unit_mass = (float)((double)b->material.density * scale * scale * scale);
    out->cell = (float)((double)t->cell * scale);
    out->extent = (float)((double)t->extent * scale);
    out->arm = t->surface_reach;
    out->friction = b->material.friction;
    out->still = !body_moves(b);
    out->corners = t->kind->nodes == LIM_NODES_AT_CORNERS;
    out->velocity = v3_of(mean);
    out->stir = sqrtf(spread2) * (float)scale;
    out->spread = out->stir + (body_moves(b) ? (float)fall : 0.0f);
    /* what contacts are looked for beyond the ways that are known (contact/pair_want.c) */
    double more = ((body_moves(b) ? fall : 0.0) + 0.25 * (double)out->spread) * dt +
                  0.1 * (double)t->cell * scale;
    lim_point wide =
        p3(fabs(mean.x) * dt + more, fabs(mean.y) * dt + more, fabs(mean.z) * dt + more);
    return (meeting_measure){box, {p3_sub(box.lower, wide), p3_add(box.upper, wide)}};
}

/* ---- the deformed surface -----------------------------------------------------------------------
 */

void meeting_frames(body* b) {
    double scale = body_metres(b);
    lim_point origin = b->components[0].origin;
    pair_frame* frame = b->meeting.frame.data;
    for (int32_t k = 0; k < b->topology->component_count; ++k) {
        const component* c = &b->components[k];
        dmat3 r = dquat_matrix(c->rotation);
        for (int j = 0; j < 9; ++j) {
            frame[k].turn[j] = (float)(scale * r.m[j]);
        }
        frame[k].shift = v3_of(p3_sub(c->origin, origin));
        lim_point spin = body_moves(b) ? c->spin : p3(0, 0, 0);
        frame[k].spin = v3_of(dquat_rotate(c->rotation, spin));
    }
}

/* From frames to world axes about the origin, run by run of points of one component. */
static void turn_points(const pair_frame* frame, const bindings* points, float* const at[3]) {
    float *px = at[0], *py = at[1], *pz = at[2];
    for (int32_t begin = 0, end; begin < points->count; begin = end) {
        const pair_frame f = frame[points->component[begin]];
        for (end = begin;
             end < points->count && points->component[end] == points->component[begin];) {
            end++;
        }
        for (int32_t i = begin; i < end; ++i) {
            float x = px[i], y = py[i], z = pz[i];
            px[i] = f.turn[0] * x + f.turn[1] * y + f.turn[2] * z + f.shift.x;
            py[i] = f.turn[3] * x + f.turn[4] * y + f.turn[5] * z + f.shift.y;
            pz[i] = f.turn[6] * x + f.turn[7] * y + f.turn[8] * z + f.shift.z;
        }
    }
}

/* How far the nodes of a group's patches go in the step, beside the side as a whole. */
static void find_ways(const body* b, const pair_side* side, int32_t group, double dt) {
    const surface_net* felt = side->shape.net;
    surface_ways* to = &side->shape.way[group];
    for (int k = 0; k < 8; ++k) {
        int32_t patch = 8 * group + k;
        int32_t i = felt->patch_node[patch < felt->patch_count ? patch : felt->patch_count - 1];
        const pair_frame* f = &side->frame[b->topology->slot_component[i]];
        lim_vec3 v = pair_turned(f->turn, v3(b->v[0][i], b->v[1][i], b->v[2][i]));
        lim_vec3 way = v3_scale(v3_sub(v, side->velocity), (float)dt);
        to->along[0][k] = way.x;
        to->along[1][k] = way.y;
        to->along[2][k] = way.z;
    }
}

static void place_points(const pair_side* side, isa set) {
    const surface_shape* s = &side->shape;
    const bindings* points = &s->net->points;
    skin_place(points, &side->nodes, set, s->at);
    turn_points(side->frame, points, s->at);
    for (int k = 0; k < 3; ++k) {
        for (int32_t i = points->count; i % 8 != 0; ++i) {
            s->at[k][i] = s->at[k][points->count - 1];
        }
    }
}

void meeting_side_begin(body* b, const surface_net* felt, meeting_shape* arrays, pair_side* side) {
    const topology* t = b->topology;
    side->nodes = body_nodes(b);
    side->frame = b->meeting.frame.data;
    side->shape =
        (surface_shape){.net = felt,
                        .origin = b->components[0].origin,
                        .wanted = arrays->wanted.data,
                        .at = {arrays->at[0].data, arrays->at[1].data, arrays->at[2].data},
                        .spot = arrays->spot.data,
                        .normal = arrays->normal.data,
                        .way = arrays->patch_way.data,
                        .stretch = (float)(1.5 * side->scale),
                        .tree = {.group = arrays->group.data, .looks = arrays->looks.data},
                        .tight = arrays->tight.data,
                        .feel = arrays->feel.data,
                        .feel_box = arrays->feel_box.data};
    surface_groups(felt->group_count, side->shape.tree.first, &side->shape.tree.levels);
    side->link_offset = t->edge_offset;
    side->link = t->edge_node;
    side->inverted = NULL;
    if (felt->patch_count > 0) {
        memset(arrays->wanted.data, 0, (size_t)felt->patch_count);
    }
}

void meeting_side_place(body* b, pair_side* side, double dt, isa set, bool alone) {
    place_points(side, set);
    for (int32_t i = 0; i < side->shape.net->group_count; ++i) {
        find_ways(b, side, i, dt);
    }
    if (!alone) {
        felt_kernels_for(set)->slabs(&side->shape, &side->shape.slabs);
    }
}
