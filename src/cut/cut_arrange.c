/* SPDX-License-Identifier: MIT
 * Job: names what the hits found. In: hits of skin and blade triangles. Out: touched triangles,
 * their edges, each meeting point once, in order along its edge, and directed segments. A point is
 * known by the edge and the triangle that meet, so that all who share it agree; coordinates are
 * computed from positions alone, in an order that does not depend on numbers, so that faces that
 * lie on each other get the same bits.
 */
#include "cut/cut_work.h"

#include <string.h>

/* 6 x the signed volume of a tetrahedron: the height of d over the plane of a, b, c. */
static double volume(lim_point a, lim_point b, lim_point c, lim_point d) {
    return p3_dot(p3_cross(p3_sub(b, a), p3_sub(c, a)), p3_sub(d, a));
}

/* First the corner opposite to the longest edge, by heights over that edge; what is left runs along
 * it. So the weights give p back however thin the triangle is. */
void cut_weights(lim_point a, lim_point b, lim_point c, lim_point p, double weight[3]) {
    const lim_point q[3] = {a, b, c};
    double longest = -1.0;
    int k = 0; /* the longest edge starts here */
    for (int i = 0; i < 3; ++i) {
        lim_point e = p3_sub(q[(i + 1) % 3], q[i]);
        if (p3_dot(e, e) > longest) {
            longest = p3_dot(e, e);
            k = i;
        }
    }
    lim_point u = p3_sub(q[(k + 1) % 3], q[k]), v = p3_sub(q[(k + 2) % 3], q[k]);
    lim_point w = p3_sub(p, q[k]), n = p3_cross(u, v);
    double nn = p3_dot(n, n), far = nn > 0.0 ? p3_dot(p3_cross(u, w), n) / nn : 0.0;
    double along = longest > 0.0 ? p3_dot(p3_mad(w, v, -far), u) / longest : 0.0;
    weight[(k + 2) % 3] = far;
    weight[(k + 1) % 3] = along;
    weight[k] = 1.0 - far - along;
}

int32_t cut_axis(lim_point a, lim_point b, lim_point c) {
    lim_point n = p3_cross(p3_sub(b, a), p3_sub(c, a));
    double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    return x >= y && x >= z ? 0 : y >= z ? 1 : 2;
}

static double key_part(lim_point p, int pass) {
    return pass == 0 ? p.z : pass == 1 ? p.y : p.x;
}

lim_result cut_sort_by_place(cut_work* w) {
    if (!ARRAY_RESERVE(&w->mem.host, &w->order_2, w->order.count)) {
        return LIM_ERROR_MEMORY;
    }
    for (int pass = 0; pass < 3; ++pass) {
        for (int32_t i = 0; i < w->order.count; ++i) {
            sort_item* item = &w->order.data[i];
            item->key = sort_key_double(key_part(w->vertex.data[item->value].at, pass));
        }
        sort_items(w->order.data, w->order_2.data, w->order.count);
    }
    return LIM_OK;
}

/* Edges of triangles: triangle i is list[i], or i. Edge numbers go to edge_of[3 i + k]. An edge of
 * three triangles, or of two in the same direction, is bad. */
static lim_result name_edges(cut_work* w, const int32_t* triangle, const int32_t* list,
                             int32_t count, int32_t* edge_of, cut_edge** out_edge,
                             int32_t* out_count, lim_result bad) {
    sort_item* item = ARENA_ARRAY(&w->mem, sort_item, 3 * (size_t)count);
    sort_item* scratch = ARENA_ARRAY(&w->mem, sort_item, 3 * (size_t)count);
    cut_edge* edge = ARENA_ARRAY(&w->mem, cut_edge, 3 * (size_t)count);
    if (item == NULL || scratch == NULL || edge == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < 3 * count; ++i) {
        const int32_t* p = triangle + 3 * (size_t)(list != NULL ? list[i / 3] : i / 3);
        uint32_t a = (uint32_t)p[i % 3], b = (uint32_t)p[(i + 1) % 3];
        if (a == b) {
            return bad;
        }
        item[i] = (sort_item){(uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a), i, a < b};
    }
    sort_items(item, scratch, 3 * count);
    int32_t edges = 0;
    for (int32_t i = 0; i < 3 * count; ++i) {
        if (i == 0 || item[i].key != item[i - 1].key) {
            edge[edges++] = (cut_edge){.low = (int32_t)(item[i].key >> 32),
                                       .high = (int32_t)(item[i].key & 0xFFFFFFFFu),
                                       .half = {-1, -1}};
        }
        int32_t* half = &edge[edges - 1].half[item[i].extra != 0 ? 0 : 1];
        if (*half >= 0) {
            return bad;
        }
        *half = item[i].value;
        edge_of[item[i].value] = edges - 1;
    }
    *out_edge = edge;
    *out_count = edges;
    return LIM_OK;
}

lim_result cut_blade_edges(cut_work* w) {
    w->blade_edge_of = ARENA_ARRAY(&w->mem, int32_t, 3 * (size_t)w->blade.triangle_count);
    w->blade_border = ARENA_ARRAY(&w->mem, uint8_t, w->blade.point_count);
    if (w->blade_edge_of == NULL || w->blade_border == NULL) {
        return LIM_ERROR_MEMORY;
    }
    LIM_TRY(name_edges(w, w->blade.triangle, NULL, w->blade.triangle_count, w->blade_edge_of,
                       &w->blade_edge, &w->blade_edge_count, LIM_ERROR_ARGUMENT));
    for (int32_t e = 0; e < w->blade_edge_count; ++e) {
        const cut_edge* edge = &w->blade_edge[e];
        if (edge->half[0] < 0 || edge->half[1] < 0) {
            w->blade_border[edge->low] = w->blade_border[edge->high] = 1;
        }
    }
    return LIM_OK;
}

/* Hits come in order of skin triangle; from here on they name it by its number in touched[]. */
static lim_result list_touched(cut_work* w) {
    int32_t count = w->hit.count;
    w->touched = ARENA_ARRAY(&w->mem, int32_t, count);
    w->touched_edge = ARENA_ARRAY(&w->mem, int32_t, 3 * (size_t)count);
    w->touched_segment = ARENA_ARRAY(&w->mem, int32_t, count + 1);
    if (w->touched == NULL || w->touched_edge == NULL || w->touched_segment == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < count; ++i) {
        int32_t t = w->hit.data[i].skin, last = w->touched_count;
        if (last == 0 || w->touched[last - 1] != t) {
            w->touched_segment[last] = i;
            w->touched[w->touched_count++] = t;
        }
        w->hit.data[i].skin = w->touched_count - 1;
    }
    w->touched_segment[w->touched_count] = count;
    LIM_TRY(name_edges(w, w->surface->triangle, w->touched, w->touched_count, w->touched_edge,
                       &w->skin_edge, &w->skin_edge_count, LIM_ERROR_MESH));
    for (int32_t e = 0; e < w->skin_edge_count; ++e) {
        cut_edge* edge = &w->skin_edge[e];
        if (cut_before(w->surface->point[edge->high], w->surface->point[edge->low])) {
            int32_t low = edge->low, half = edge->half[0];
            edge->low = edge->high;
            edge->high = low;
            edge->half[0] = edge->half[1];
            edge->half[1] = half;
        }
    }
    return LIM_OK;
}

/* Where the edge a b passes through a triangle at heights ha and hb of its ends. */
static void place_vertex(cut_vertex* v, lim_point a, lim_point b, double ha, double hb) {
    double share = ha / (ha - hb);
    v->share = share >= 0.0 ? (share <= 1.0 ? share : 1.0) : share < 0.0 ? 0.0 : 0.5;
    v->at = p3_mad(a, p3_sub(b, a), v->share);
}

/* The same for a triangle so thin that heights over it mean little: its corners weighted by what
 * the edge sees of it, which stays in the triangle. */
static void place_in_thin(cut_vertex* v, lim_point a, lim_point b, const lim_point p[3]) {
    double weight[3], sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        weight[k] = fabs(volume(a, b, p[(k + 1) % 3], p[(k + 2) % 3]));
        sum += weight[k];
    }
    if (!(sum > 0.0)) {
        return;
    }
    v->at = p3_scale(p[0], weight[0] / sum);
    v->at = p3_mad(p3_mad(v->at, p[1], weight[1] / sum), p[2], weight[2] / sum);
    lim_point along = p3_sub(b, a);
    v->share = p3_dot(p3_sub(v->at, a), along) / p3_dot(along, along);
}

static bool is_thin(const lim_point p[3]) {
    lim_point u = p3_sub(p[1], p[0]), v = p3_sub(p[2], p[0]), n = p3_cross(u, v);
    return p3_dot(n, n) < 1e-12 * p3_dot(u, u) * p3_dot(v, v);
}

static cut_vertex vertex_on_skin_edge(const cut_work* w, int32_t e, int32_t b) {
    const cut_edge* edge = &w->skin_edge[e];
    const int32_t* t = w->blade.triangle + 3 * (size_t)b;
    const lim_point* q = w->blade.point;
    lim_point low = w->surface->point[edge->low], high = w->surface->point[edge->high];
    cut_vertex v = {.edge = e, .triangle = b, .kind = CUT_ON_SKIN_EDGE};
    place_vertex(&v, low, high, volume(q[t[0]], q[t[1]], q[t[2]], low),
                 volume(q[t[0]], q[t[1]], q[t[2]], high));
    return v;
}

static cut_vertex vertex_on_blade_edge(const cut_work* w, int32_t e, int32_t touched) {
    const cut_edge* edge = &w->blade_edge[e];
    const int32_t* t = w->surface->triangle + 3 * (size_t)w->touched[touched];
    lim_point p[3];
    for (int k = 0; k < 3; ++k) {
        p[k] = w->surface->point[t[k]];
    }
    for (int i = 0; i < 3; ++i) { /* sorted by place */
        int k = i == 1;
        if (cut_before(p[k + 1], p[k])) {
            lim_point swap = p[k];
            p[k] = p[k + 1];
            p[k + 1] = swap;
        }
    }
    lim_point low = w->blade.point[edge->low], high = w->blade.point[edge->high];
    cut_vertex v = {.edge = e, .triangle = touched, .kind = CUT_ON_BLADE_EDGE};
    place_vertex(&v, low, high, volume(p[0], p[1], p[2], low), volume(p[0], p[1], p[2], high));
    if (is_thin(p)) {
        place_in_thin(&v, low, high, p);
    }
    return v;
}

/* One vertex for each (edge, triangle) of one kind; the ends of segments learn its number. */
static lim_result make_vertices(cut_work* w, cut_kind kind) {
    w->order.count = 0;
    bool on_skin = kind == CUT_ON_SKIN_EDGE;
    for (int32_t i = 0; i < 2 * w->hit.count; ++i) {
        const cut_hit* hit = &w->hit.data[i / 2];
        int32_t end = i % 2 == 0 ? hit->from : hit->to;
        if ((end < 3) == on_skin) {
            int32_t e = on_skin ? w->touched_edge[3 * hit->skin + end]
                                : w->blade_edge_of[3 * hit->blade + end - 3];
            uint64_t key = (uint64_t)e << 32 | (uint32_t)(on_skin ? hit->blade : hit->skin);
            if (!ARRAY_PUSH(&w->mem.host, &w->order, ((sort_item){key, i, 0}))) {
                return LIM_ERROR_MEMORY;
            }
        }
    }
    if (!ARRAY_RESERVE(&w->mem.host, &w->order_2, w->order.count)) {
        return LIM_ERROR_MEMORY;
    }
    sort_items(w->order.data, w->order_2.data, w->order.count);
    int32_t met = 0, wanted = 0;
    for (int32_t i = 0; i < w->order.count; ++i, ++met) {
        const sort_item* item = &w->order.data[i];
        if (i == 0 || item->key != item[-1].key) {
            if (met != wanted) {
                return LIM_ERROR_MESH;
            }
            int32_t e = (int32_t)(item->key >> 32), t = (int32_t)(item->key & 0xFFFFFFFFu);
            const cut_edge* edge = on_skin ? &w->skin_edge[e] : &w->blade_edge[e];
            met = 0;
            wanted = on_skin ? 2 : (edge->half[0] >= 0) + (edge->half[1] >= 0);
            cut_vertex v = on_skin ? vertex_on_skin_edge(w, e, t) : vertex_on_blade_edge(w, e, t);
            if (!ARRAY_PUSH(&w->mem.host, &w->vertex, v)) {
                return LIM_ERROR_MEMORY;
            }
        }
        cut_segment* s = &w->segment[item->value / 2];
        *(item->value % 2 == 0 ? &s->from : &s->to) = w->vertex.count - 1;
    }
    return met == wanted ? LIM_OK : LIM_ERROR_MESH;
}

/* Puts the vertices first .. end - 1, which lie on one edge, in order and numbers their stops.
 * Points of two faces that lie on each other share a stop; on a skin edge that cannot be. */
static lim_result order_stops(cut_work* w, int32_t first, int32_t end, cut_edge* edge,
                              int32_t* stop_count) {
    cut_vertex* v = w->vertex.data;
    int32_t* list = w->stop + *stop_count;
    int32_t count = 0;
    for (int32_t i = first; i < end; ++i) { /* few: insertion */
        int32_t at = count++;
        while (at > 0 && v[list[at - 1]].share > v[i].share) {
            list[at] = list[at - 1];
            at--;
        }
        list[at] = i;
    }
    int32_t kept = 0;
    for (int32_t i = 0; i < count; ++i) {
        bool same = i > 0 && v[list[i]].share == v[list[kept - 1]].share;
        if (same && v[list[i]].kind == CUT_ON_SKIN_EDGE) {
            return LIM_ERROR_UNSUPPORTED;
        }
        if (!same) {
            list[kept++] = list[i];
        }
        v[list[i]].stop = kept - 1;
    }
    edge->first = *stop_count;
    edge->count = kept;
    *stop_count += kept;
    return LIM_OK;
}

/* An inner edge of the blade between two points of its border gets a point in its middle: without
 * it, the faces on both sides would share the edge, which would then have four triangles. */
static lim_result halve_edge(cut_work* w, int32_t e, int32_t* stop_count) {
    cut_edge* edge = &w->blade_edge[e];
    if (edge->count > 0 || edge->half[0] < 0 || edge->half[1] < 0 || !w->blade_border[edge->low] ||
        !w->blade_border[edge->high]) {
        return LIM_OK;
    }
    lim_point low = w->blade.point[edge->low], high = w->blade.point[edge->high];
    cut_vertex v = {.at = p3_mad(low, p3_sub(high, low), 0.5),
                    .share = 0.5,
                    .edge = e,
                    .triangle = edge->half[0] / 3,
                    .kind = CUT_MIDDLE};
    edge->first = *stop_count;
    edge->count = 1;
    w->stop[(*stop_count)++] = w->vertex.count;
    return ARRAY_PUSH(&w->mem.host, &w->vertex, v) ? LIM_OK : LIM_ERROR_MEMORY;
}

static lim_result make_stops(cut_work* w) {
    int32_t stop_count = 0, end = w->vertex.count;
    w->stop = ARENA_ARRAY(&w->mem, int32_t, (size_t)end + (size_t)w->blade_edge_count);
    LIM_TRY_MEMORY(w->stop);
    for (int32_t i = 0; i < end;) {
        int32_t e = w->vertex.data[i].edge, first = i;
        cut_kind kind = w->vertex.data[i].kind;
        while (i < end && w->vertex.data[i].edge == e && w->vertex.data[i].kind == kind) {
            ++i;
        }
        cut_edge* edge = kind == CUT_ON_SKIN_EDGE ? &w->skin_edge[e] : &w->blade_edge[e];
        LIM_TRY(order_stops(w, first, i, edge, &stop_count));
    }
    for (int32_t e = 0; e < w->blade_edge_count; ++e) {
        LIM_TRY(halve_edge(w, e, &stop_count));
    }
    return LIM_OK;
}

/* Does the front begin here: where the border of the blade passes through the skin? */
static bool ends_cut(const cut_work* w, int32_t v) {
    const cut_vertex* vertex = &w->vertex.data[v];
    return vertex->kind == CUT_ON_BLADE_EDGE &&
           (w->blade_edge[vertex->edge].half[0] < 0 || w->blade_edge[vertex->edge].half[1] < 0);
}

/* A segment that is all there is of a cut in the skin gets a point in its middle: without it, its
 * two ends would be one point each, and the edge between them would have four triangles. */
static lim_result halve_segments(cut_work* w) {
    int32_t short_ones = 0;
    for (int32_t i = 0; i < w->segment_count; ++i) {
        short_ones += ends_cut(w, w->segment[i].from) && ends_cut(w, w->segment[i].to);
    }
    cut_segment* segment = ARENA_ARRAY(&w->mem, cut_segment, w->segment_count + short_ones);
    LIM_TRY_MEMORY(segment);
    int32_t count = 0, touched = 0;
    for (int32_t i = 0; i < w->segment_count; ++i) {
        cut_segment s = w->segment[i];
        if (i == w->touched_segment[touched]) {
            w->touched_segment[touched++] = count;
        }
        if (ends_cut(w, s.from) && ends_cut(w, s.to)) {
            lim_point sum = p3_add(w->vertex.data[s.from].at, w->vertex.data[s.to].at);
            cut_vertex v = {
                .at = p3_scale(sum, 0.5), .edge = -1, .triangle = s.skin, .kind = CUT_ON_SEGMENT};
            segment[count++] = (cut_segment){s.skin, s.blade, s.from, w->vertex.count};
            s.from = w->vertex.count;
            if (!ARRAY_PUSH(&w->mem.host, &w->vertex, v)) {
                return LIM_ERROR_MEMORY;
            }
        }
        segment[count++] = s;
    }
    w->touched_segment[w->touched_count] = count;
    w->segment = segment;
    w->segment_count = count;
    return LIM_OK;
}

/* Segments in order of blade triangle: counting sort. */
static lim_result group_by_blade(cut_work* w) {
    int32_t count = w->blade.triangle_count;
    w->blade_segment = ARENA_ARRAY(&w->mem, int32_t, count + 2);
    w->segment_by_blade = ARENA_ARRAY(&w->mem, int32_t, w->segment_count);
    if (w->blade_segment == NULL || w->segment_by_blade == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < w->segment_count; ++i) {
        w->blade_segment[w->segment[i].blade + 2]++;
    }
    for (int32_t b = 0; b < count; ++b) {
        w->blade_segment[b + 2] += w->blade_segment[b + 1];
    }
    for (int32_t i = 0; i < w->segment_count; ++i) {
        w->segment_by_blade[w->blade_segment[w->segment[i].blade + 1]++] = i;
    }
    return LIM_OK;
}

lim_result cut_arrange(cut_work* w) {
    w->segment_count = w->hit.count;
    w->segment = ARENA_ARRAY(&w->mem, cut_segment, w->segment_count);
    LIM_TRY_MEMORY(w->segment);
    LIM_TRY(list_touched(w));
    for (int32_t i = 0; i < w->segment_count; ++i) {
        w->segment[i] = (cut_segment){w->hit.data[i].skin, w->hit.data[i].blade, -1, -1};
    }
    LIM_TRY(make_vertices(w, CUT_ON_SKIN_EDGE));
    LIM_TRY(make_vertices(w, CUT_ON_BLADE_EDGE));
    LIM_TRY(make_stops(w));
    LIM_TRY(halve_segments(w));
    w->blade_vertex = w->vertex.count;
    for (int32_t i = 0; i < w->blade.point_count; ++i) {
        cut_vertex v = {
            .at = w->blade.point[i], .edge = -1, .triangle = -1, .kind = CUT_BLADE_POINT};
        if (!ARRAY_PUSH(&w->mem.host, &w->vertex, v)) {
            return LIM_ERROR_MEMORY;
        }
    }
    for (int32_t i = 3 * w->blade.triangle_count - 1; i >= 0; --i) {
        w->vertex.data[w->blade_vertex + w->blade.triangle[i]].triangle = i / 3;
    }
    return group_by_blade(w);
}
