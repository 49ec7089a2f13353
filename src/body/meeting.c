/* SPDX-License-Identifier: MIT
 * Job: what others need to know of a body to meet it. In: its state. Out: box, motion, deformed
 * surface, and for a body that may meet itself who is beside whom.
 */
#include "body/meeting.h"

#include "base/sort.h"
#include "body/body.h"

#include <string.h>

/* A surface with more than this share of open sides has no inside to keep others out of. */
#define OPEN_MOST 0.05
/* How much farther from its node than at rest a patch may reach, beside what the node's own affine
 * part says. */
#define BALL_SLACK 1.5

/* Square of how many times the root mean square of velocities against the mean one nodes count as
 * fast: single ones that are faster, of a thin part that flaps, do not make the whole body a fast
 * one. */
#define STIR_MOST 9.0

void body_meeting_free(body_meeting* m, const lim_host* host) {
    pair_list_free(&m->list, host);
    for (int k = 0; k < 3; ++k) {
        ARRAY_FREE(host, &m->at[k]);
    }
    ARRAY_FREE(host, &m->asked);
    ARRAY_FREE(host, &m->normal);
    ARRAY_FREE(host, &m->look);
    ARRAY_FREE(host, &m->cone);
    ARRAY_FREE(host, &m->top);
    ARRAY_FREE(host, &m->tight);
    ARRAY_FREE(host, &m->feel);
    ARRAY_FREE(host, &m->feel_box);
    ARRAY_FREE(host, &m->patch_way);
    ARRAY_FREE(host, &m->placed);
    ARRAY_FREE(host, &m->group);
    ARRAY_FREE(host, &m->frame);
    ARRAY_FREE(host, &m->beside_offset);
    ARRAY_FREE(host, &m->beside);
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

/* The world box of a component: its nodes' box turned, and how far points are from their nodes. */
static void add_piece_box(body* b, const component* c, const piece_measure* m, double reach) {
    double scale = body_metres(b), beyond = (1.0 + sqrt((double)m->stretch2)) * reach * scale;
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
        add_piece_box(b, c, &piece, (double)t->surface_reach);
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
    m->side.friction = b->material.friction;
    m->side.still = !body_moves(b);
    m->side.corners = t->kind == LIM_KIND_LATTICE;
    m->side.velocity = v3_of(mean);
    m->side.spread = sqrtf(spread2) * (float)scale + (body_moves(b) ? (float)fall : 0.0f);
    double more = (body_moves(b) ? fall : 0.0) * dt + 0.1 * (double)t->cell * scale;
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

lim_result body_meeting_reserve(body* b, int32_t asked, int32_t patches) {
    const surface_net* felt = &b->topology->surface;
    body_meeting* m = &b->meeting;
    int32_t levels;
    int64_t looks = (int64_t)felt->patch_count + felt->group_count;
    bool room = true;
    for (int k = 0; k < 3; ++k) {
        /* placed in whole eights */
        room = room && ARRAY_RESERVE(&b->host, &m->at[k], (int64_t)felt->points.count + 8);
    }
    room = room && ARRAY_RESERVE(&b->host, &m->asked, asked) &&
           ARRAY_RESERVE(&b->host, &m->normal, felt->points.count) &&
           ARRAY_RESERVE(&b->host, &m->look, looks) && ARRAY_RESERVE(&b->host, &m->cone, looks) &&
           ARRAY_RESERVE(&b->host, &m->top, felt->patch_count) &&
           ARRAY_RESERVE(&b->host, &m->tight, felt->group_count) &&
           ARRAY_RESERVE(&b->host, &m->feel, felt->group_count) &&
           ARRAY_RESERVE(&b->host, &m->feel_box, felt->group_count) &&
           ARRAY_RESERVE(&b->host, &m->patch_way, felt->patch_count) &&
           ARRAY_RESERVE(&b->host, &m->placed, felt->patch_count) &&
           ARRAY_RESERVE(&b->host, &m->group, surface_groups(felt->group_count, NULL, &levels)) &&
           ARRAY_RESERVE(&b->host, &m->frame, b->topology->component_count);
    LIM_TRY(room ? LIM_OK : LIM_ERROR_MEMORY);
    return pair_reserve(&m->list, &b->host, b->topology->slot_count, patches);
}

void body_meeting_ask(body* b, const body* other, double dt) {
    const pair_side *own = &b->meeting.side, *their = &other->meeting.side;
    pair_reach ask = pair_reach_of(own, their, dt), answer = pair_reach_of(their, own, dt);
    double reach = (double)fmaxf(fmaxf(ask.near, ask.deep), fmaxf(answer.near, answer.deep)) +
                   1.5 * body_metres(b) * (double)b->topology->surface.longest;
    lim_point wide = p3(reach, reach, reach);
    lim_point way = p3_scale(p3_of(v3_sub(their->velocity, own->velocity)), dt);
    lim_box box = other->meeting.box;
    b->meeting.asked.data[b->meeting.asked.count++] =
        (lim_box){p3_sub(p3_min(box.lower, p3_add(box.lower, way)), wide),
                  p3_add(p3_max(box.upper, p3_add(box.upper, way)), wide)};
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

/* From frames to world axes about the origin. */
static void turn_points(const pair_frame* frame, const int32_t* piece, int32_t begin, int32_t end,
                        float* const at[3]) {
    for (int32_t i = begin; i < end; ++i) {
        const pair_frame* f = &frame[piece[i]];
        float x = at[0][i], y = at[1][i], z = at[2][i];
        at[0][i] = f->turn[0] * x + f->turn[1] * y + f->turn[2] * z + f->shift.x;
        at[1][i] = f->turn[3] * x + f->turn[4] * y + f->turn[5] * z + f->shift.y;
        at[2][i] = f->turn[6] * x + f->turn[7] * y + f->turn[8] * z + f->shift.z;
    }
}

/* Whether the ball around a patch's node that holds its triangles is near a place where others ask.
 * What follows a node is moved by its own affine part, but also by those of its neighbours. */
static bool is_asked(const body* b, int32_t patch, double way) {
    const topology* t = b->topology;
    const body_meeting* m = &b->meeting;
    int32_t i = t->surface.patch_node[patch];
    const float* affine = b->affine + (size_t)i * 16;
    float bent = 0.0f;
    for (int k = 0; k < 9; ++k) {
        bent += affine[k] * affine[k];
    }
    const pair_frame* f = &m->frame.data[t->slot_component[i]];
    float x = t->x0[0][i] + b->d[0][i], y = t->x0[1][i] + b->d[1][i], z = t->x0[2][i] + b->d[2][i];
    lim_point at = p3_add(m->side.shape.origin,
                          p3_of(v3(f->turn[0] * x + f->turn[1] * y + f->turn[2] * z + f->shift.x,
                                   f->turn[3] * x + f->turn[4] * y + f->turn[5] * z + f->shift.y,
                                   f->turn[6] * x + f->turn[7] * y + f->turn[8] * z + f->shift.z)));
    double radius = BALL_SLACK * (1.0 + (double)sqrtf(bent)) *
                        (double)t->surface.patch_reach[patch] * body_metres(b) +
                    way;
    for (int32_t k = 0; k < m->asked.count; ++k) {
        const lim_box* box = &m->asked.data[k];
        if (at.x + radius >= box->lower.x && at.x - radius <= box->upper.x &&
            at.y + radius >= box->lower.y && at.y - radius <= box->upper.y &&
            at.z + radius >= box->lower.z && at.z - radius <= box->upper.z) {
            return true;
        }
    }
    return false;
}

/* How far the node of a patch goes in the step, beside the body as a whole. */
static lim_vec3 patch_way(const body* b, int32_t patch, double dt) {
    int32_t i = b->topology->surface.patch_node[patch];
    const pair_frame* f = &b->meeting.frame.data[b->topology->slot_component[i]];
    float x = b->v[0][i], y = b->v[1][i], z = b->v[2][i];
    lim_vec3 v = v3(f->turn[0] * x + f->turn[1] * y + f->turn[2] * z,
                    f->turn[3] * x + f->turn[4] * y + f->turn[5] * z,
                    f->turn[6] * x + f->turn[7] * y + f->turn[8] * z);
    return v3_scale(v3_sub(v, b->meeting.side.velocity), (float)dt);
}

/* Places the points of the patches that count, run by run. */
static void place_patches(body* b, double dt, isa set) {
    const surface_net* felt = &b->topology->surface;
    body_meeting* m = &b->meeting;
    surface_shape* s = &m->side.shape;
    for (int32_t p = 0; p < felt->patch_count; ++p) {
        s->way[p] = patch_way(b, p, dt);
        s->placed[p] = b->self_contact || is_asked(b, p, (double)v3_length(s->way[p]));
    }
    for (int32_t p = 0; p < felt->patch_count;) {
        int32_t end = p;
        while (end < felt->patch_count && s->placed[end] == s->placed[p]) {
            end++;
        }
        if (s->placed[p]) {
            int32_t first = felt->patch_point[p], last = felt->patch_point[end];
            skin_place_some(&felt->points, &m->side.nodes, set, first, last, s->at);
            turn_points(m->frame.data, felt->points.component, first, last, s->at);
        }
        p = end;
    }
}

void body_meeting_place(body* b, double dt, isa set) {
    const topology* t = b->topology;
    body_meeting* m = &b->meeting;
    pair_side* s = &m->side;
    s->nodes = body_nodes(b);
    s->frame = m->frame.data;
    s->shape = (surface_shape){.net = &t->surface,
                               .origin = b->components[0].origin,
                               .placed = m->placed.data,
                               .normal = m->normal.data,
                               .look = m->look.data,
                               .cone = m->cone.data,
                               .top = m->top.data,
                               .tight = m->tight.data,
                               .feel = m->feel.data,
                               .feel_box = m->feel_box.data,
                               .way = m->patch_way.data,
                               .stretch = (float)(1.5 * s->scale),
                               .group = m->group.data};
    surface_groups(t->surface.group_count, s->shape.first, &s->shape.levels);
    make_frames(b, s->frame);
    for (int k = 0; k < 3; ++k) {
        s->shape.at[k] = m->at[k].data;
    }
    place_patches(b, dt, set);
    surface_shape_update(&s->shape);
}

/* ---- a body and itself --------------------------------------------------------------------------
 */

/* The distance along the graph below which nodes do not meet, half finest cells: two half-widths of
 * a region, at least two own cells. */
static int32_t beside_limit(const topology* t, int32_t slot) {
    double cells = 2.0 * (t->region_width > 1.0f ? (double)t->region_width : 1.0);
    double half = 2.0 * cells * (double)t->side[slot] / (double)t->cell;
    return half < 30000.0 ? (int32_t)(half + 1.5) : 30000;
}

/* Appends the slots nearer than the limit to one slot, ascending. */
static bool add_beside(body* b, distance_search* search, sort_item* items, sort_item* spare,
                       int32_t slot) {
    const topology* t = b->topology;
    body_meeting* m = &b->meeting;
    distance_search_run(search, slot, beside_limit(t, slot));
    for (int32_t k = 0; k < search->count; ++k) {
        int32_t found = search->found[k];
        items[k] = (sort_item){.key = (uint64_t)(uint32_t)found, .value = found};
        lim_vec3 r = v3_of(p3_sub(body_slot_rest(t, found), body_slot_rest(t, slot)));
        m->beside_reach = fmaxf(m->beside_reach, v3_length(r));
    }
    sort_items(items, spare, search->count);
    bool room = ARRAY_RESERVE(&b->host, &m->beside, (int64_t)m->beside.count + search->count);
    for (int32_t k = 0; k < search->count && room; ++k) {
        m->beside.data[m->beside.count++] = items[k].value;
    }
    return room;
}

static lim_result find_beside(body* b, arena* scratch) {
    const topology* t = b->topology;
    body_meeting* m = &b->meeting;
    distance_search search;
    LIM_TRY(distance_search_init(&search, scratch, topology_graph(t)));
    uint8_t* feels = ARENA_ARRAY(scratch, uint8_t, t->slot_count);
    sort_item* items = ARENA_ARRAY(scratch, sort_item, t->slot_count);
    sort_item* spare = ARENA_ARRAY(scratch, sort_item, t->slot_count);
    LIM_TRY_MEMORY(feels);
    LIM_TRY_MEMORY(items);
    LIM_TRY_MEMORY(spare);
    for (int32_t i = 0; i < t->surface.patch_count; ++i) {
        feels[t->surface.patch_node[i]] = 1;
    }
    m->beside.count = m->beside_offset.count = 0;
    m->beside_reach = 0.0f;
    bool room = ARRAY_PUSH(&b->host, &m->beside_offset, 0);
    for (int32_t i = 0; i < t->slot_count && room; ++i) {
        room = !feels[i] || add_beside(b, &search, items, spare, i);
        room = room && ARRAY_PUSH(&b->host, &m->beside_offset, m->beside.count);
    }
    m->beside_reach += 2.0f * t->surface_reach; /* points lie up to so far from their nodes */
    return room ? LIM_OK : LIM_ERROR_MEMORY;
}

lim_result body_meeting_find_beside(body* b) {
    arena scratch;
    arena_init(&scratch, &b->host);
    lim_result result = find_beside(b, &scratch);
    arena_release(&scratch);
    return result;
}

pair_self body_meeting_self(const body* b) {
    const body_meeting* m = &b->meeting;
    return (pair_self){m->beside_offset.data, m->beside.data, m->beside_reach};
}
