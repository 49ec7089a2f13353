/* SPDX-License-Identifier: MIT
 * Job: gaps between a body's surface and colliders. In: contacts of a step, node state. Out: for
 * each place that decides a contact its distance and normal; nothing twice that has not changed.
 */
#include "contact/contact_rows.h"

#include "contact/contact_kernel.h"

#include <string.h>

enum { LANES = 8 }; /* slots of a block, places that are measured together */

const contact_kernels* contact_kernels_for(isa set) {
    switch (set) {
#define CONTACT_CASE(number, suffix)                                                               \
    case number:                                                                                   \
        return &contact_kernels_##suffix;
        ISA_LIST(CONTACT_CASE)
#undef CONTACT_CASE
    default:
        return &ISA_BASE(contact_kernels);
    }
}

/* ---- rows of a step ---------------------------------------------------------------------------
 */

/* The row of a place in the run that is being made. */
static int32_t row_of(contact_list* list, const contact_run* run, int32_t at) {
    int32_t row = list->row_of.data[at]; /* perhaps of another run, or of another step */
    if (row < run->row_begin || row >= run->row_end || list->row_at.data[row] != at) {
        row = list->row_of.data[at] = run->row_end;
        list->row_at.data[row] = at;
    }
    return row;
}

static void add_row(contact_list* list, const bindings* b, contact_run* run, int32_t at) {
    uint8_t* followed = list->followed.data;
    run->row_end++;
    if (run->nodes) {
        followed[at / LANES] = 1;
        return;
    }
    for (int k = 0; k < BINDING_NODES; ++k) { /* those without a weight repeat the first */
        followed[(uint32_t)b->bind[at].node[k] / LANES] = 1;
    }
}

/* Blocks of slots that rows follow, one after the other, of one component. */
static void make_spans(contact_list* list, const node_state* nodes) {
    list->spans.count = 0;
    contact_span* last = NULL;
    for (int32_t i = 0; i < nodes->padded; i += LANES) {
        if (!list->followed.data[i / LANES]) {
            continue;
        }
        if (last == NULL || last->end != i || last->component != nodes->slot_component[i]) {
            last = &list->spans.data[list->spans.count++];
            *last = (contact_span){i, i, nodes->slot_component[i]};
        }
        last->end = i + LANES;
    }
}

void contact_rows_make(contact_list* list, const bindings* b, const node_state* nodes) {
    contact_run* run = NULL;
    memset(list->followed.data, 0, (size_t)(nodes->padded / LANES));
    list->runs.count = 0;
    for (int32_t i = 0; i < list->items.count; ++i) {
        contact* c = &list->items.data[i];
        int32_t which = nodes->slot_component[c->node];
        bool itself = c->point[0] < 0;
        if (run == NULL || run->collider != c->collider || run->component != which ||
            run->nodes != itself) {
            int32_t rows = run == NULL ? 0 : run->row_end;
            run = &list->runs.data[list->runs.count++];
            *run = (contact_run){.collider = c->collider,
                                 .component = which,
                                 .begin = i,
                                 .row_begin = rows,
                                 .row_end = rows,
                                 .nodes = itself};
        }
        run->end = i + 1;
        for (int k = 0; k < CONTACT_NEAR; ++k) {
            int32_t at = itself && k == 0 ? c->node : c->point[k];
            c->row[k] = at < 0 ? -1 : row_of(list, run, at);
            if (c->row[k] == run->row_end) {
                add_row(list, b, run, at);
            }
        }
    }
    make_spans(list, nodes);
}

/* ---- colliders --------------------------------------------------------------------------------
 */

static bool is_zero(lim_vec3 v) {
    return !(v3_dot(v, v) > 0.0f);
}

contact_view contact_see(contact_list* list, const bindings* b, const node_state* nodes,
                         const contact_run* run, double scale, const collider* colliders,
                         double time) {
    contact_view v = {
        .list = list, .bind = b, .nodes = nodes, .run = run, .scale = scale, .reach = list->reach};
    v.now = collider_at(&colliders[run->collider], time);
    v.seen = collider_in_frame(&v.now, &nodes->components[run->component], scale);
    v.convex = collider_is_convex(&v.seen);
    v.sheet = collider_is_sheet(&v.seen);
    v.plane = v.seen.shape == LIM_SHAPE_PLANE;
    v.still = is_zero(v.now.velocity) && is_zero(v.now.angular_velocity);
    lim_point up = dquat_rotate(v.seen.orientation, p3(0, 1, 0));
    v.normal = v3_of(up);
    v.offset = (float)p3_dot(up, v.seen.position);
    v.deep = run->nodes && !v.sheet ? CONTACT_NODE_DEEP * list->reach : 0.0f;
    return v;
}

lim_vec3 contact_motion(const contact_view* v, int32_t i) {
    if (v->still) {
        return v->moving;
    }
    const node_state* n = v->nodes;
    const component* frame = &n->components[v->run->component];
    lim_point at =
        p3((double)n->x0[0][i] + (double)n->d[0][i], (double)n->x0[1][i] + (double)n->d[1][i],
           (double)n->x0[2][i] + (double)n->d[2][i]);
    lim_point moving = p3_of(collider_velocity_at(&v->now, node_to_world(frame, v->scale, at)));
    dquat back = dquat_conjugate(frame->rotation);
    return v3_of(p3_scale(dquat_rotate(back, moving), 1.0 / v->scale));
}

/* ---- measuring --------------------------------------------------------------------------------
 */

/* The gap at a place that belongs to a row, whose normal is kept; of a plane as the kernel has it.
 */
static float gap_at(const contact_view* v, int32_t row, lim_vec3 place) {
    if (v->plane) {
        return v3_dot(v->normal, place) - v->offset + v->deep;
    }
    lim_vec3* normal = &v->list->row_normal.data[row];
    return (float)collider_distance(&v->seen, p3_of(place), normal) + v->deep;
}

static void place_rows(const contact_view* v, float* const place[3]) {
    const node_state* n = v->nodes;
    const int32_t* at = v->list->row_at.data;
    int32_t begin = v->run->row_begin, end = v->run->row_end;
    if (!v->run->nodes) {
        skin_place_some(v->bind, n, v->list->set, at, begin, end, place);
        return;
    }
    for (int32_t row = begin; row < end; ++row) {
        for (int k = 0; k < 3; ++k) {
            place[k][row] = n->x0[k][at[row]] + n->d[k][at[row]];
        }
    }
}

/* Rows of one run. Those behind it are written too, and measured later. */
static void measure_run(const contact_view* v) {
    const contact_list* list = v->list;
    int32_t begin = v->run->row_begin, end = v->run->row_end;
    float* const place[3] = {list->row_place[0].data, list->row_place[1].data,
                             list->row_place[2].data};
    place_rows(v, place);
    if (v->plane) {
        contact_kernels_for(list->set)->gaps(place, v->normal, v->offset, v->deep, begin, end,
                                             list->row_gap.data);
        return;
    }
    for (int32_t row = begin; row < end; ++row) {
        list->row_gap.data[row] = gap_at(v, row, contact_row_place(list, row));
    }
}

void contact_rows_measure(contact_list* list, const bindings* b, node_state* nodes, double scale,
                          const collider* colliders, double time) {
    for (int32_t s = 0; s < list->spans.count; ++s) {
        const contact_span* span = &list->spans.data[s];
        skin_prepare_some(nodes, list->set, span->begin, span->end);
        for (int k = 0; k < 3; ++k) {
            memcpy(list->moved[k].data + span->begin, nodes->d[k] + span->begin,
                   (size_t)(span->end - span->begin) * sizeof(float));
        }
    }
    for (int32_t r = 0; r < list->runs.count; ++r) {
        contact_view v = contact_see(list, b, nodes, &list->runs.data[r], scale, colliders, time);
        measure_run(&v);
    }
}

/* The gap and the normal of a row as it was looked at last, with its place then. */
static contact_place place_of(const contact_view* v, const contact* c, int32_t row, lim_vec3 now) {
    const contact_list* list = v->list;
    contact_place at = {.point = v->run->nodes ? -1 : list->row_at.data[row],
                        .gap = list->row_gap.data[row],
                        .normal = v->plane ? v->normal : list->row_normal.data[row],
                        .place = now};
    if (!v->sheet) {
        return at;
    }
    if (collider_parts(&v->seen, c->from, p3_of(now))) {
        at.normal = v3_scale(at.normal, -1.0f);
        at.gap = -at.gap;
    }
    at.gap -= CONTACT_SHEET_CLEAR * v->reach;
    return at;
}

contact_place contact_where(const contact_view* v, const contact* c) {
    int32_t row = contact_nearest(v->list, c);
    return place_of(v, c, row, contact_row_place(v->list, row));
}

/* ---- what has moved ---------------------------------------------------------------------------
 */

void contact_rows_move(contact_list* list, const node_state* nodes) {
    float* const moved[3] = {list->moved[0].data, list->moved[1].data, list->moved[2].data};
    list->look = ++list->clock;
    for (int32_t c = 0; c < nodes->component_count; ++c) {
        list->ball.data[c].moved = 0.0f;
    }
    for (int32_t s = 0; s < list->spans.count; ++s) {
        const contact_span* span = &list->spans.data[s];
        float square = contact_kernels_for(list->set)->moves(nodes, span->begin, span->end, moved);
        contact_ball* ball = &list->ball.data[span->component];
        ball->moved = fmaxf(ball->moved, sqrtf(square));
    }
}

void contact_rows_rise(const contact_view* v) {
    const contact_list* list = v->list;
    float* const moved[3] = {list->moved[0].data, list->moved[1].data, list->moved[2].data};
    for (int32_t s = 0; s < list->spans.count && v->plane; ++s) {
        const contact_span* span = &list->spans.data[s];
        if (span->component == v->run->component) {
            contact_kernels_for(list->set)->along(moved, v->normal, span->begin, span->end,
                                                  list->rise.data);
        }
    }
}

void contact_push(const contact_view* v, node_state* n, int32_t i, lim_vec3 way) {
    const float add[3] = {way.x, way.y, way.z};
    for (int k = 0; k < 3; ++k) {
        n->d[k][i] += add[k];
        v->list->moved[k].data[i] += add[k];
    }
    if (v->plane) {
        v->list->rise.data[i] += v3_dot(v->normal, way);
    }
    v->list->pushed.data[i] = ++v->list->clock;
}

/* Whether a node that a row follows was pushed after the clock stood at `since`. */
static bool row_changed(const contact_view* v, int32_t row, int32_t since) {
    const int32_t* pushed = v->list->pushed.data;
    int32_t at = v->list->row_at.data[row];
    if (v->run->nodes) {
        return pushed[at] > since;
    }
    const binding* bound = &v->bind->bind[at];
    bool changed = false;
    for (int k = 0; k < BINDING_NODES && bound->weight[k] > 0.0f; ++k) {
        changed = changed || pushed[bound->node[k]] > since;
    }
    return changed;
}

bool contact_changed(const contact_view* v, const contact* c, int32_t since) {
    if (v->list->clock == since) {
        return false;
    }
    bool changed = false;
    for (int k = 0; k < CONTACT_NEAR && c->row[k] >= 0 && !changed; ++k) {
        changed = row_changed(v, c->row[k], since);
    }
    return changed;
}

static lim_vec3 moved_place(const contact_view* v, int32_t row) {
    const float *x = v->list->moved[0].data, *y = v->list->moved[1].data,
                *z = v->list->moved[2].data;
    int32_t at = v->list->row_at.data[row];
    lim_vec3 place = contact_row_place(v->list, row);
    if (v->run->nodes) {
        return v3_add(place, v3(x[at], y[at], z[at]));
    }
    const binding* bound = &v->bind->bind[at];
    lim_vec3 sum = v3(0, 0, 0);
    for (int k = 0; k < BINDING_NODES && bound->weight[k] > 0.0f; ++k) {
        int32_t i = bound->node[k];
        sum = v3_mad(sum, v3(x[i], y[i], z[i]), bound->weight[k]);
    }
    return v3_add(place, sum);
}

/* How far a row has moved along the normal of the plane of its run. */
static float row_rise(const contact_view* v, int32_t row) {
    const float* rise = v->list->rise.data;
    int32_t at = v->list->row_at.data[row];
    if (v->run->nodes) {
        return rise[at];
    }
    const binding* bound = &v->bind->bind[at];
    float sum = 0.0f;
    for (int k = 0; k < BINDING_NODES && bound->weight[k] > 0.0f; ++k) {
        sum += bound->weight[k] * rise[bound->node[k]];
    }
    return sum;
}

static float moved_gap(const contact_view* v, int32_t row) {
    return v->plane ? gap_at(v, row, contact_row_place(v->list, row)) + row_rise(v, row)
                    : gap_at(v, row, moved_place(v, row));
}

void contact_rows_look(const contact_view* v, const contact* c) {
    contact_list* list = v->list;
    for (int k = 0; k < CONTACT_NEAR && c->row[k] >= 0; ++k) {
        int32_t row = c->row[k], since = list->row_clock.data[row];
        if (since < list->look || (since < list->clock && row_changed(v, row, since))) {
            list->row_gap.data[row] = moved_gap(v, row);
            list->row_clock.data[row] = list->clock;
        }
    }
}

contact_place contact_where_moved(const contact_view* v, const contact* c) {
    int32_t row = contact_nearest(v->list, c);
    return place_of(v, c, row, moved_place(v, row));
}
