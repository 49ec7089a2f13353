/* SPDX-License-Identifier: MIT
 * Job: splits triangles along segments. In: touched skin triangles and the blade's triangles with
 * their stops and segments. Out: pieces of the skin, cells of the blade, and for each segment and
 * each piece of an edge the half edges that lie there. Skin triangles are split in an order of
 * corners that depends on their positions alone: two that lie on each other are split alike.
 */
#include "cut/cut_work.h"

/* One triangle to be split: side s of the border runs along edge[s], from its high end to its low
 * one when backward[s]. */
typedef struct frame {
    int32_t corner[3]; /* vertex or -1 - point */
    lim_point at[3];
    const cut_edge* edge[3];
    bool backward[3];
    int32_t first[3]; /* rank of each corner */
    int32_t axis;
    bool turned; /* the triangle itself is walked the other way round */
} frame;

static lim_point place_of(const cut_work* w, int32_t ref) {
    return ref >= 0 ? w->vertex.data[ref].at : w->surface->point[-1 - ref];
}

static bool push_ref(cut_work* w, int32_t ref) {
    return ARRAY_PUSH(&w->mem.host, &w->ref, ref);
}

/* The border of a frame goes to the plane mesh; local[v] is the plane point of vertex v. */
static lim_result begin_frame(cut_work* w, frame* f, int32_t* local) {
    w->ref.count = 0;
    for (int s = 0; s < 3; ++s) {
        f->first[s] = w->ref.count;
        bool ok = push_ref(w, f->corner[s]);
        const cut_edge* e = f->edge[s];
        for (int32_t i = 0; i < e->count && ok; ++i) {
            int32_t v = w->stop[e->first + (f->backward[s] ? e->count - 1 - i : i)];
            local[v] = w->ref.count;
            ok = push_ref(w, v);
        }
        if (!ok) {
            return LIM_ERROR_MEMORY;
        }
    }
    if (w->ref.count > w->border_room) {
        w->border_room = 2 * w->ref.count;
        w->border = arena_alloc(&w->mem, (size_t)w->border_room, sizeof(*w->border));
        LIM_TRY_MEMORY(w->border);
    }
    for (int32_t i = 0; i < w->ref.count; ++i) {
        cut_project(place_of(w, w->ref.data[i]), f->axis, w->border[i]);
    }
    return plane_mesh_begin(&w->plane, (const double(*)[2])w->border, w->ref.count, f->first)
               ? LIM_OK
               : LIM_ERROR_MEMORY;
}

/* The vertices in order[] go into the plane mesh; those at one place become one point when they may
 * be `merged`. */
static lim_result insert_inner(cut_work* w, const frame* f, int32_t* local, bool merged) {
    LIM_TRY(cut_sort_by_place(w));
    for (int32_t i = 0; i < w->order.count; ++i) {
        int32_t v = w->order.data[i].value, before = i > 0 ? w->order.data[i - 1].value : -1;
        if (before == v) {
            continue;
        }
        lim_point at = w->vertex.data[v].at;
        if (before >= 0 && cut_same_place(at, w->vertex.data[before].at)) {
            if (!merged) {
                return LIM_ERROR_UNSUPPORTED;
            }
            local[v] = local[before];
            continue;
        }
        double flat[2];
        cut_project(at, f->axis, flat);
        local[v] = plane_mesh_insert(&w->plane, flat);
        if (local[v] < 0) {
            return w->plane.memory_failed ? LIM_ERROR_MEMORY : LIM_ERROR_UNSUPPORTED;
        }
        if (!push_ref(w, v)) {
            return LIM_ERROR_MEMORY;
        }
    }
    return LIM_OK;
}

/* Adds an end of a segment to order[] when it lies inside the triangle and not on its border. */
static bool list_end(cut_work* w, int32_t v, cut_kind inner) {
    cut_kind kind = w->vertex.data[v].kind;
    return (kind != inner && kind != CUT_ON_SEGMENT) ||
           ARRAY_PUSH(&w->mem.host, &w->order, ((sort_item){0, v, 0}));
}

static lim_result make_wall(cut_work* w, const int32_t* local, int32_t s) {
    const cut_segment* segment = &w->segment[s];
    if (plane_mesh_wall(&w->plane, local[segment->from], local[segment->to], s)) {
        return LIM_OK;
    }
    return w->plane.memory_failed ? LIM_ERROR_MEMORY : LIM_ERROR_UNSUPPORTED;
}

/* The half edge of a piece or cell, numbered from `base`, of a half edge of the plane mesh. */
static int32_t outer_half(const frame* f, int32_t base, int32_t h) {
    return base + h - h % 3 + (f->turned ? 2 - h % 3 : h % 3);
}

/* Where on the frame's edges a border half edge lies: the slot of its piece and direction. */
static int32_t slot_of(const cut_work* w, const frame* f, int32_t h) {
    int32_t rank = w->plane.point.data[w->plane.corner.data[h]].rank;
    int s = rank < f->first[1] ? 0 : rank < f->first[2] ? 1 : 2;
    const cut_edge* e = f->edge[s];
    int32_t i = rank - f->first[s];
    return 2 * (e->piece + (f->backward[s] ? e->count - i : i)) + (f->backward[s] != f->turned);
}

/* Numbers the pieces of edges; the slots hold two half edges each, -1 as yet. */
static lim_result make_slots(cut_work* w, cut_edge* edge, int32_t count, int32_t** out) {
    int32_t pieces = 0;
    for (int32_t e = 0; e < count; ++e) {
        edge[e].piece = pieces;
        pieces += edge[e].count + 1;
    }
    *out = ARENA_ARRAY(&w->mem, int32_t, 2 * (size_t)pieces);
    LIM_TRY_MEMORY(*out);
    for (int32_t i = 0; i < 2 * pieces; ++i) {
        (*out)[i] = -1;
    }
    return LIM_OK;
}

/* The corners of skin triangle t by place; side s runs from corner s to s + 1. */
static frame skin_frame(const cut_work* w, int32_t touched) {
    const int32_t* p = w->surface->triangle + 3 * (size_t)w->touched[touched];
    const lim_point* at = w->surface->point;
    int32_t order[3] = {0, 1, 2};
    frame f = {.turned = false};
    for (int i = 0; i < 3; ++i) {
        int k = i == 1;
        if (cut_before(at[p[order[k + 1]]], at[p[order[k]]])) {
            int32_t swap = order[k];
            order[k] = order[k + 1];
            order[k + 1] = swap;
            f.turned = !f.turned;
        }
    }
    for (int s = 0; s < 3; ++s) {
        int32_t k = f.turned ? order[(s + 1) % 3] : order[s]; /* the triangle's own edge */
        f.corner[s] = -1 - p[order[s]];
        f.at[s] = at[p[order[s]]];
        f.edge[s] = &w->skin_edge[w->touched_edge[3 * touched + k]];
        f.backward[s] = p[order[s]] != f.edge[s]->low;
    }
    f.axis = cut_axis(f.at[0], f.at[1], f.at[2]);
    return f;
}

static lim_result keep_pieces(cut_work* w, const frame* f, int32_t touched) {
    const plane_mesh* m = &w->plane;
    int32_t base = w->piece_corner.count, count = m->corner.count;
    const lim_host* host = &w->mem.host;
    if (!ARRAY_RESERVE(host, &w->piece_corner, (int64_t)base + count) ||
        !ARRAY_RESERVE(host, &w->piece_mate, (int64_t)base + count)) {
        return LIM_ERROR_MEMORY;
    }
    w->piece_corner.count = w->piece_mate.count = base + count;
    for (int32_t h = 0; h < count; ++h) {
        int32_t out = outer_half(f, base, h), mate = m->mate.data[h];
        /* Turned, a half edge starts where it ended. */
        int32_t start = m->corner.data[f->turned ? plane_next(h) : h];
        w->piece_corner.data[out] = w->ref.data[start];
        w->piece_mate.data[out] = -1;
        if (mate < 0) {
            int32_t* slot = &w->skin_slot[slot_of(w, f, h)];
            if (*slot >= 0) {
                return LIM_ERROR_MESH;
            }
            *slot = out;
        } else if (m->wall.data[h] == 0) {
            w->piece_mate.data[out] = outer_half(f, base, mate);
        } else if (m->wall.data[h] > 0) {
            int32_t s = m->wall.data[h] - 1, other = outer_half(f, base, mate);
            w->left[s] = f->turned ? other : out;
            w->right[s] = f->turned ? out : other;
        }
        if (h % 3 == 0 && !ARRAY_PUSH(host, &w->piece_origin, touched)) {
            return LIM_ERROR_MEMORY;
        }
    }
    return LIM_OK;
}

static lim_result split_skin_triangle(cut_work* w, int32_t touched, int32_t* local) {
    frame f = skin_frame(w, touched);
    LIM_TRY(begin_frame(w, &f, local));
    w->order.count = 0;
    int32_t first = w->touched_segment[touched], end = w->touched_segment[touched + 1];
    for (int32_t s = first; s < end; ++s) {
        if (!list_end(w, w->segment[s].from, CUT_ON_BLADE_EDGE) ||
            !list_end(w, w->segment[s].to, CUT_ON_BLADE_EDGE)) {
            return LIM_ERROR_MEMORY;
        }
    }
    LIM_TRY(insert_inner(w, &f, local, false));
    for (int32_t s = first; s < end; ++s) {
        LIM_TRY(make_wall(w, local, s));
    }
    plane_mesh_smooth(&w->plane);
    return w->plane.memory_failed ? LIM_ERROR_MEMORY : keep_pieces(w, &f, touched);
}

lim_result cut_split_skin(cut_work* w) {
    int32_t* local = ARENA_ARRAY(&w->mem, int32_t, w->vertex.count);
    w->left = ARENA_ARRAY(&w->mem, int32_t, w->segment_count);
    w->right = ARENA_ARRAY(&w->mem, int32_t, w->segment_count);
    if (local == NULL || w->left == NULL || w->right == NULL) {
        return LIM_ERROR_MEMORY;
    }
    LIM_TRY(make_slots(w, w->skin_edge, w->skin_edge_count, &w->skin_slot));
    for (int32_t i = 0; i < w->touched_count; ++i) {
        LIM_TRY(split_skin_triangle(w, i, local));
    }
    /* Pieces of one edge meet; an edge of the rim of what is touched has one side only. */
    for (int32_t e = 0; e < w->skin_edge_count; ++e) {
        const cut_edge* edge = &w->skin_edge[e];
        for (int32_t i = edge->piece; i <= edge->piece + edge->count; ++i) {
            int32_t g = w->skin_slot[2 * i], h = w->skin_slot[2 * i + 1];
            if (g >= 0 && h >= 0) {
                w->piece_mate.data[g] = h;
                w->piece_mate.data[h] = g;
            } else if (edge->count > 0) {
                return LIM_ERROR_MESH;
            }
        }
    }
    return LIM_OK;
}

static frame blade_frame(const cut_work* w, int32_t b) {
    const int32_t* p = w->blade.triangle + 3 * (size_t)b;
    frame f = {.turned = false};
    for (int s = 0; s < 3; ++s) {
        f.corner[s] = w->blade_vertex + p[s];
        f.at[s] = w->blade.point[p[s]];
        f.edge[s] = &w->blade_edge[w->blade_edge_of[3 * b + s]];
        f.backward[s] = p[s] != f.edge[s]->low;
    }
    f.axis = cut_axis(f.at[0], f.at[1], f.at[2]);
    return f;
}

/* Is a point of the plane mesh one on both sides of the cut: on the border of the blade? */
static bool is_single(const cut_work* w, int32_t p) {
    const cut_vertex* v = &w->vertex.data[w->ref.data[p]];
    if (v->kind == CUT_BLADE_POINT) {
        return w->blade_border[w->ref.data[p] - w->blade_vertex] != 0;
    }
    return v->kind == CUT_ON_BLADE_EDGE &&
           (w->blade_edge[v->edge].half[0] < 0 || w->blade_edge[v->edge].half[1] < 0);
}

/* Inner edges between two points of the front get a point in the middle: see halve_edge. */
static lim_result halve_front_edges(cut_work* w, int32_t b) {
    plane_mesh* m = &w->plane;
    for (int32_t h = 0; h < m->corner.count; ++h) {
        int32_t p = m->corner.data[h], q = m->corner.data[plane_next(h)];
        if (m->mate.data[h] < 0 || m->wall.data[h] != 0 || !is_single(w, p) || !is_single(w, q)) {
            continue;
        }
        lim_point low = place_of(w, w->ref.data[p]), high = place_of(w, w->ref.data[q]);
        cut_vertex v = {.at = p3_mad(low, p3_sub(high, low), 0.5),
                        .edge = -1,
                        .triangle = b,
                        .kind = CUT_MIDDLE};
        if (plane_mesh_halve(m, h) < 0 || !push_ref(w, w->vertex.count) ||
            !ARRAY_PUSH(&w->mem.host, &w->vertex, v)) {
            return LIM_ERROR_MEMORY;
        }
    }
    return LIM_OK;
}

static lim_result keep_cells(cut_work* w, const frame* f, int32_t b) {
    const plane_mesh* m = &w->plane;
    int32_t base = w->cell_corner.count, count = m->corner.count;
    const lim_host* host = &w->mem.host;
    if (!ARRAY_RESERVE(host, &w->cell_corner, (int64_t)base + count) ||
        !ARRAY_RESERVE(host, &w->cell_mate, (int64_t)base + count) ||
        !ARRAY_RESERVE(host, &w->cell_wall, (int64_t)base + count)) {
        return LIM_ERROR_MEMORY;
    }
    w->cell_corner.count = w->cell_mate.count = w->cell_wall.count = base + count;
    for (int32_t h = 0; h < count; ++h) {
        int32_t mate = m->mate.data[h];
        w->cell_corner.data[base + h] = w->ref.data[m->corner.data[h]];
        w->cell_mate.data[base + h] = mate < 0 ? -1 : base + mate;
        w->cell_wall.data[base + h] = m->wall.data[h];
        if (mate < 0) {
            w->blade_slot[slot_of(w, f, h)] = base + h;
        }
        if (h % 3 == 0 && !ARRAY_PUSH(host, &w->cell_blade, b)) {
            return LIM_ERROR_MEMORY;
        }
    }
    return LIM_OK;
}

static lim_result split_blade_triangle(cut_work* w, int32_t b, int32_t* local) {
    frame f = blade_frame(w, b);
    LIM_TRY(begin_frame(w, &f, local));
    w->order.count = 0;
    int32_t first = w->blade_segment[b], end = w->blade_segment[b + 1];
    for (int32_t i = first; i < end; ++i) {
        const cut_segment* s = &w->segment[w->segment_by_blade[i]];
        if (!list_end(w, s->from, CUT_ON_SKIN_EDGE) || !list_end(w, s->to, CUT_ON_SKIN_EDGE)) {
            return LIM_ERROR_MEMORY;
        }
        const int32_t ends[2] = {s->from, s->to};
        for (int k = 0; k < 2; ++k) { /* those that share a stop share its point */
            const cut_vertex* v = &w->vertex.data[ends[k]];
            if (v->kind == CUT_ON_BLADE_EDGE) {
                local[ends[k]] = local[w->stop[w->blade_edge[v->edge].first + v->stop]];
            }
        }
    }
    LIM_TRY(insert_inner(w, &f, local, true));
    for (int32_t i = first; i < end; ++i) {
        LIM_TRY(make_wall(w, local, w->segment_by_blade[i]));
    }
    plane_mesh_smooth(&w->plane);
    if (w->plane.memory_failed) {
        return LIM_ERROR_MEMORY;
    }
    LIM_TRY(halve_front_edges(w, b));
    return keep_cells(w, &f, b);
}

lim_result cut_split_blade(cut_work* w) {
    int32_t* local = ARENA_ARRAY(&w->mem, int32_t, w->vertex.count);
    LIM_TRY_MEMORY(local);
    LIM_TRY(make_slots(w, w->blade_edge, w->blade_edge_count, &w->blade_slot));
    for (int32_t b = 0; b < w->blade.triangle_count; ++b) {
        LIM_TRY(split_blade_triangle(w, b, local));
    }
    for (int32_t e = 0; e < w->blade_edge_count; ++e) {
        const cut_edge* edge = &w->blade_edge[e];
        for (int32_t i = edge->piece; i <= edge->piece + edge->count; ++i) {
            int32_t g = w->blade_slot[2 * i], h = w->blade_slot[2 * i + 1];
            if (g >= 0 && h >= 0) {
                w->cell_mate.data[g] = h;
                w->cell_mate.data[h] = g;
            }
        }
    }
    return LIM_OK;
}
