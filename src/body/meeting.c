/* SPDX-License-Identifier: MIT
 * Job: what others need to know of a body to meet it. In: its state. Out: box, motion, deformed
 * surface, and for a body that may meet itself who is beside whom.
 */
#include "body/meeting.h"

#include "body/body.h"
#include "contact/felt_kernel.h"

#include <string.h>

/* A surface with more than this share of open sides has no inside to keep others out of. */
#define OPEN_MOST 0.05
/* Square of how many times the root mean square of velocities against the mean one nodes count as
 * fast: single ones that are faster, of a thin part that flaps, do not make the whole body a fast
 * one. */
#define STIR_MOST 9.0

void body_meeting_free(body_meeting* m, const lim_host* host) {
    pair_list_free(&m->list, host);
    for (int k = 0; k < 3; ++k) {
        ARRAY_FREE(host, &m->at[k]);
    }
    ARRAY_FREE(host, &m->spot);
    ARRAY_FREE(host, &m->normal);
    ARRAY_FREE(host, &m->group);
    ARRAY_FREE(host, &m->looks);
    ARRAY_FREE(host, &m->patch_way);
    ARRAY_FREE(host, &m->tight);
    ARRAY_FREE(host, &m->feel);
    ARRAY_FREE(host, &m->feel_box);
    ARRAY_FREE(host, &m->wanted);
    ARRAY_FREE(host, &m->inverted);
    ARRAY_FREE(host, &m->frame);
    ARRAY_FREE(host, &m->beside_offset);
    ARRAY_FREE(host, &m->beside);
    pair_kept_free(&m->kept, host);
}

/* ---- motion and box -----------------------------------------------------------------------------
 */

/* Momentum of the body per unit density, world axes, unit lengths cubed times m/s. */
static lim_point find_momentum(const body* b, double* mass) {
    const topology* t = b->topology;
    lim_point sum = p3(0, 0, 0);
    *mass = 0.0;
    for (int32_t k = 0; k < t->component_count; ++k) {
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
 * theirs, |x - sum_k w_k x_k| <= |X - sum_k w_k x0_k| + max_k |B_k| |X - x0_k|. */
static void add_piece_box(body* b, const component* c, const piece_measure* m) {
    const topology* t = b->topology;
    double scale = body_metres(b), stretch = sqrt((double)m->stretch2);
    double beyond = ((double)t->surface_off + stretch * (double)t->surface_reach) * scale;
    lim_point half = p3_scale(p3_sub(p3_of(m->high), p3_of(m->low)), 0.5 * scale);
    lim_point middle = p3_scale(p3_add(p3_of(m->low), p3_of(m->high)), 0.5);
    dmat3 r = dquat_matrix(c->rotation);
    lim_point wide =
        p3(fabs(r.m[0]) * half.x + fabs(r.m[1]) * half.y + fabs(r.m[2]) * half.z + beyond,
           fabs(r.m[3]) * half.x + fabs(r.m[4]) * half.y + fabs(r.m[5]) * half.z + beyond,
           fabs(r.m[6]) * half.x + fabs(r.m[7]) * half.y + fabs(r.m[8]) * half.z + beyond);
    widen(&b->meeting.box, node_to_world(c, scale, middle), wide);
}

void body_meeting_measure(body* b, lim_vec3 gravity, double dt, isa set) {
    const topology* t = b->topology;
    body_meeting* m = &b->meeting;
    node_state nodes = body_nodes(b);
    if (body_moves(b) && !b->sums_valid) {
        node_component_sums(&nodes, b->block_sums, set, NULL);
        b->sums_valid = true;
    }
    double scale = body_metres(b), mass;
    lim_point mean = find_momentum(b, &mass);
    mean = p3_scale(mean, 1.0 / mass);
    m->box = (lim_box){p3(HUGE_VAL, HUGE_VAL, HUGE_VAL), p3(-HUGE_VAL, -HUGE_VAL, -HUGE_VAL)};
    float spread2 = 0.0f;
    double stir = 0.0;
    for (int32_t k = 0; k < t->component_count; ++k) {
        const component* c = &b->components[k];
        lim_point own = dquat_rotate(dquat_conjugate(c->rotation), p3_scale(mean, 1.0 / scale));
        piece_measure piece = measure_piece(b, c, v3_of(own), body_moves(b) ? (float)dt : 0.0f);
        add_piece_box(b, c, &piece);
        spread2 = fmaxf(spread2, piece.spread2);
        stir += piece.stir;
    }
    spread2 = fminf(spread2, (float)(STIR_MOST * stir / mass));
    double fall = p3_length(p3_of(gravity)) * fabs((double)b->gravity_scale) * dt;
    m->side.scale = scale;
    m->side.inv_square = (float)(1.0 / (scale * scale));
    m->side.unit_mass = (float)((double)b->material.density * scale * scale * scale);
    m->side.cell = (float)((double)t->cell * scale);
    m->side.extent = (float)((double)t->extent * scale);
    m->side.arm = t->surface_reach;
    m->side.friction = b->material.friction;
    m->side.still = !body_moves(b);
    m->side.corners = t->kind == LIM_KIND_LATTICE;
    m->side.velocity = v3_of(mean);
    m->side.stir = sqrtf(spread2) * (float)scale;
    m->side.spread = m->side.stir + (body_moves(b) ? (float)fall : 0.0f);
    /* what contacts are looked for beyond the ways that are known (contact/pair_want.c) */
    double more = ((body_moves(b) ? fall : 0.0) + 0.25 * (double)m->side.spread) * dt +
                  0.1 * (double)t->cell * scale;
    lim_point wide =
        p3(fabs(mean.x) * dt + more, fabs(mean.y) * dt + more, fabs(mean.z) * dt + more);
    m->way = (lim_box){p3_sub(m->box.lower, wide), p3_add(m->box.upper, wide)};
}

/* ---- the deformed surface -----------------------------------------------------------------------
 */

bool body_meeting_is_felt(const body* b) {
    return b->topology->surface.group_count > 0 &&
           b->topology->surface.open_share <= (float)OPEN_MOST;
}

lim_result body_meeting_reserve(body* b, int32_t patches) {
    const surface_net* felt = &b->topology->surface;
    body_meeting* m = &b->meeting;
    int32_t levels, groups = surface_groups(felt->group_count, NULL, &levels);
    bool room = true;
    for (int k = 0; k < 3; ++k) {
        /* read and written in whole eights */
        room = room && ARRAY_RESERVE(&b->host, &m->at[k], (int64_t)felt->points.count + 16);
    }
    room = room && ARRAY_RESERVE(&b->host, &m->spot, 4 * (int64_t)felt->points.count + 4) &&
           ARRAY_RESERVE(&b->host, &m->normal, (int64_t)felt->points.count + 8) &&
           ARRAY_RESERVE(&b->host, &m->group, groups) &&
           ARRAY_RESERVE(&b->host, &m->looks, groups) &&
           ARRAY_RESERVE(&b->host, &m->patch_way, felt->group_count) &&
           ARRAY_RESERVE(&b->host, &m->tight, felt->group_count) &&
           ARRAY_RESERVE(&b->host, &m->feel, felt->group_count) &&
           ARRAY_RESERVE(&b->host, &m->feel_box, felt->group_count) &&
           ARRAY_RESERVE(&b->host, &m->wanted, felt->patch_count) &&
           ARRAY_RESERVE(&b->host, &m->inverted, b->topology->slot_count) &&
           ARRAY_RESERVE(&b->host, &m->frame, b->topology->component_count);
    LIM_TRY(room ? LIM_OK : LIM_ERROR_MEMORY);
    if (b->self_contact) {
        LIM_TRY(pair_kept_reserve(&m->kept, &b->host, b->topology->slot_count, felt));
    }
    return pair_reserve(&m->list, &b->host, b->topology->slot_count, patches);
}

static void make_frames(const body* b, pair_frame* frame) {
    double scale = body_metres(b);
    lim_point origin = b->components[0].origin;
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

/* How far the nodes of a group's patches go in the step, beside the body as a whole. */
static void find_ways(const body* b, int32_t group, double dt) {
    const surface_net* felt = &b->topology->surface;
    surface_ways* to = &b->meeting.patch_way.data[group];
    for (int k = 0; k < 8; ++k) {
        int32_t patch = 8 * group + k;
        int32_t i = felt->patch_node[patch < felt->patch_count ? patch : felt->patch_count - 1];
        const pair_frame* f = &b->meeting.frame.data[b->topology->slot_component[i]];
        lim_vec3 v = pair_turned(f->turn, v3(b->v[0][i], b->v[1][i], b->v[2][i]));
        lim_vec3 way = v3_scale(v3_sub(v, b->meeting.side.velocity), (float)dt);
        to->along[0][k] = way.x;
        to->along[1][k] = way.y;
        to->along[2][k] = way.z;
    }
}

static void place_points(body* b, isa set) {
    const surface_net* felt = &b->topology->surface;
    const surface_shape* s = &b->meeting.side.shape;
    int32_t count = felt->points.count;
    skin_place(&felt->points, &b->meeting.side.nodes, set, s->at);
    turn_points(b->meeting.frame.data, &felt->points, s->at);
    for (int k = 0; k < 3; ++k) {
        for (int32_t i = count; i % 8 != 0; ++i) {
            s->at[k][i] = s->at[k][count - 1];
        }
    }
}

/* Frames and arrays, no points yet and nothing that is wanted. */
static void begin_shape(body* b) {
    const topology* t = b->topology;
    body_meeting* m = &b->meeting;
    pair_side* s = &m->side;
    s->nodes = body_nodes(b);
    s->frame = m->frame.data;
    s->shape = (surface_shape){.net = &t->surface,
                               .origin = b->components[0].origin,
                               .wanted = m->wanted.data,
                               .at = {m->at[0].data, m->at[1].data, m->at[2].data},
                               .spot = m->spot.data,
                               .normal = m->normal.data,
                               .way = m->patch_way.data,
                               .stretch = (float)(1.5 * s->scale),
                               .tree = {.group = m->group.data, .looks = m->looks.data},
                               .tight = m->tight.data,
                               .feel = m->feel.data,
                               .feel_box = m->feel_box.data};
    surface_groups(t->surface.group_count, s->shape.tree.first, &s->shape.tree.levels);
    make_frames(b, s->frame);
    s->link_offset = t->edge_offset;
    s->link = t->edge_node;
    s->inverted = NULL;
    if (t->surface.patch_count > 0) {
        memset(m->wanted.data, 0, (size_t)t->surface.patch_count);
    }
}

static void place_shape(body* b, double dt, isa set, bool alone) {
    surface_shape* shape = &b->meeting.side.shape;
    place_points(b, set);
    for (int32_t i = 0; i < b->topology->surface.group_count; ++i) {
        find_ways(b, i, dt);
    }
    if (!alone) {
        felt_kernels_for(set)->slabs(shape, &shape->slabs);
    }
}

void body_meeting_place(body* b, double dt, isa set, bool alone) {
    const surface_net* felt = &b->topology->surface;
    body_meeting* m = &b->meeting;
    begin_shape(b);
    if (felt->patch_count == 0) {
        return;
    }
    if (b->self_contact) {
        pair_kept_check(&m->kept, &m->side, dt);
    }
    if (alone && m->kept.holds) {
        memcpy(m->wanted.data, m->kept.wanted.data, (size_t)felt->patch_count);
        m->side.shape.triangle = m->kept.triangle.data;
        m->side.shape.triangle_count = m->kept.triangle.count;
    }
    place_shape(b, dt, set, alone);
}

void body_meeting_bound(body* b, isa set) {
    pair_side* s = &b->meeting.side;
    uint8_t* mark = b->meeting.inverted.data;
    /* links of a body of points go along its surface: nothing is behind it */
    bool filled = b->topology->kind != LIM_KIND_POINTS;
    s->inverted = filled && pair_find_inverted(s, mark) ? mark : NULL;
    if (b->topology->surface.patch_count > 0) {
        surface_shape_place(&s->shape, felt_kernels_for(set));
    }
}

void body_meeting_place_again(body* b, isa set) {
    begin_shape(b);
    body_pins_affine(b);
    skin_prepare(&b->meeting.side.nodes, set, NULL);
    if (b->topology->surface.patch_count > 0) {
        place_shape(b, 0.0, set, false);
    }
}

bool body_meeting_is_near(body* b, const body* other, double dt, isa set) {
    return other == b || !pair_is_apart(&b->meeting.side, &other->meeting.side, dt, set);
}

bool body_meeting_ask(body* b, const body* other, double dt, isa set, surface_box* out) {
    pair_self self = body_meeting_self(b);
    return pair_ask(&b->meeting.side, &other->meeting.side, dt, other == b ? &self : NULL, set,
                    out);
}

void body_meeting_finish(body* b, isa set) {
    if (b->topology->surface.patch_count > 0) {
        surface_shape_update(&b->meeting.side.shape, felt_kernels_for(set));
    }
}

pair_self body_meeting_self(body* b) {
    body_meeting* m = &b->meeting;
    return (pair_self){m->beside_offset.data, m->beside.data, &m->kept};
}
