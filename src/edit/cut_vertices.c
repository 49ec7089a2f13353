/* SPDX-License-Identifier: MIT
 * Job: from points of a cut back to vertices. In: a topology's skin, the cut of its welded points.
 * Out: all triangles over vertices, and for each new vertex what it has of those that it lies
 * between, or of the blade. A new vertex is found again by its point and where it comes from: every
 * point has a short list.
 */
#include "edit/cut_vertices.h"

#include "base/array.h"

#include <string.h>

/* A vertex to be made. */
typedef struct made_vertex {
    int32_t point; /* of the cut: number among the new ones */
    int32_t next;  /* of the same point, or -1 */
    int32_t from[3];
    double weight[3]; /* skin: of vertices `from` */
    int32_t face;     /* side of the faces it belongs to, or 0: of the skin */
    double uv[2];     /* faces: on the blade, metres */
    lim_point normal; /* faces: sums over them */
    lim_point u_way, v_way;
} made_vertex;

typedef struct maker {
    arena* a;
    const topology* t;
    const cut_surface* skin;
    const cut_blade* blade;
    const cut_result* cut;
    ARRAY(made_vertex) made;
    int32_t* head;    /* per new point */
    uint32_t* corner; /* 3 per new triangle */
    lim_point shift;  /* position = shift + size point: */
    double size;
} maker;

/* The shares of a triangle's corners in a new point on the skin: false where it does not lie in it.
 */
static bool shares_in(const maker* m, int32_t triangle, const cut_point* at, double weight[3]) {
    const int32_t* p = m->skin->triangle + 3 * (size_t)triangle;
    weight[0] = weight[1] = weight[2] = 0.0;
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        double w = at->weight[k] > 0.0 ? at->weight[k] : 0.0; /* rounding may leave it below */
        int i = p[0] == at->source[k]   ? 0
                : p[1] == at->source[k] ? 1
                : p[2] == at->source[k] ? 2
                                        : 3;
        if (i == 3 && w > 0.0) {
            return false;
        }
        if (i < 3) {
            weight[i] = w;
            sum += w;
        }
    }
    for (int k = 0; k < 3; ++k) {
        weight[k] /= sum;
    }
    return sum > 0.0;
}

/* Whether a vertex lies between the same vertices: those with weight. */
static bool comes_from(const made_vertex* v, const uint32_t* vertex, const double weight[3]) {
    for (int k = 0; k < 3; ++k) {
        bool found = !(weight[k] > 0.0);
        for (int i = 0; i < 3; ++i) {
            found = found || (v->from[i] == (int32_t)vertex[k] && v->weight[i] > 0.0);
        }
        if (!found) {
            return false;
        }
    }
    return true;
}

/* One more at a point; null: no memory. */
static made_vertex* add(maker* m, int32_t point, int32_t* out) {
    made_vertex v = {.point = point, .next = m->head[point], .from = {-1, -1, -1}};
    *out = m->made.count;
    if (!ARRAY_PUSH(&m->a->host, &m->made, v)) {
        return NULL;
    }
    m->head[point] = *out;
    return &m->made.data[*out];
}

static lim_result skin_vertex(maker* m, int32_t triangle, int32_t point, int32_t* out) {
    const uint32_t* vertex = m->t->indices + 3 * (size_t)triangle;
    double weight[3];
    if (!shares_in(m, triangle, &m->cut->origin[point], weight)) {
        return LIM_ERROR_UNSUPPORTED;
    }
    for (*out = m->head[point]; *out >= 0; *out = m->made.data[*out].next) {
        if (m->made.data[*out].face == 0 && comes_from(&m->made.data[*out], vertex, weight)) {
            return LIM_OK;
        }
    }
    made_vertex* v = add(m, point, out);
    LIM_TRY_MEMORY(v);
    for (int k = 0; k < 3; ++k) {
        v->from[k] = (int32_t)vertex[k];
        v->weight[k] = weight[k];
    }
    return LIM_OK;
}

static lim_point blade_corner(const maker* m, int32_t triangle, int k) {
    return m->blade->point[m->blade->triangle[3 * (size_t)triangle + (size_t)k]];
}

static void blade_uv(const maker* m, int32_t triangle, int k, double out[2]) {
    const float* uv = m->blade->uv;
    int32_t p = m->blade->triangle[3 * (size_t)triangle + (size_t)k];
    out[0] = uv != NULL ? (double)uv[2 * (size_t)p] : 0.0;
    out[1] = uv != NULL ? (double)uv[2 * (size_t)p + 1] : 0.0;
}

static lim_result face_vertex(maker* m, int32_t triangle, int32_t point, int32_t* out) {
    int32_t side = m->cut->triangle_side[triangle], b = m->cut->triangle_blade[triangle];
    for (*out = m->head[point]; *out >= 0; *out = m->made.data[*out].next) {
        if (m->made.data[*out].face == side) {
            return LIM_OK;
        }
    }
    made_vertex* v = add(m, point, out);
    LIM_TRY_MEMORY(v);
    double weight[3];
    v->face = side;
    cut_weights(blade_corner(m, b, 0), blade_corner(m, b, 1), blade_corner(m, b, 2),
                m->cut->point[point], weight);
    for (int k = 0; k < 3; ++k) {
        double uv[2];
        blade_uv(m, b, k, uv);
        v->uv[0] += weight[k] * uv[0];
        v->uv[1] += weight[k] * uv[1];
    }
    return LIM_OK;
}

/* What a face adds to its corners: the blade's normal, and the ways in which its coordinates grow.
 */
static void look(maker* m, int32_t triangle) {
    int32_t b = m->cut->triangle_blade[triangle];
    lim_point o = blade_corner(m, b, 0), p = p3_sub(blade_corner(m, b, 1), o),
              q = p3_sub(blade_corner(m, b, 2), o);
    lim_point normal = p3_cross(p, q);
    double at[3][2], length = p3_length(normal), area = 1e-30;
    for (int k = 0; k < 3; ++k) {
        blade_uv(m, b, k, at[k]);
    }
    double du[2] = {at[1][0] - at[0][0], at[2][0] - at[0][0]};
    double dv[2] = {at[1][1] - at[0][1], at[2][1] - at[0][1]};
    double turn = du[0] * dv[1] - du[1] * dv[0] < 0.0 ? -1.0 : 1.0;
    lim_point u_way = p3_scale(p3_sub(p3_scale(p, dv[1]), p3_scale(q, dv[0])), turn);
    lim_point v_way = p3_scale(p3_sub(p3_scale(q, du[0]), p3_scale(p, du[1])), turn);
    u_way = p3_scale(u_way, 1.0 / (p3_length(u_way) + 1e-300));
    v_way = p3_scale(v_way, 1.0 / (p3_length(v_way) + 1e-300));
    lim_point c[3];
    for (int k = 0; k < 3; ++k) {
        int32_t point = m->cut->triangle[3 * (size_t)triangle + (size_t)k];
        c[k] = m->cut->point[point - m->skin->point_count];
    }
    area += p3_length(p3_cross(p3_sub(c[1], c[0]), p3_sub(c[2], c[0])));
    for (int k = 0; k < 3; ++k) {
        uint32_t vertex = m->corner[3 * (size_t)triangle + (size_t)k];
        made_vertex* v = &m->made.data[vertex - (uint32_t)m->t->vertex_count];
        v->normal = p3_mad(v->normal, normal, -v->face * area / length);
        v->u_way = p3_mad(v->u_way, u_way, area);
        v->v_way = p3_mad(v->v_way, v_way, area);
    }
}

static lim_result name_corners(maker* m) {
    const cut_result* cut = m->cut;
    for (int32_t i = 0; i < 3 * cut->triangle_count; ++i) {
        int32_t t = i / 3, from = cut->triangle_origin[t], point = cut->triangle[i], made = -1;
        if (point < m->skin->point_count) {
            const int32_t* p = m->skin->triangle + 3 * (size_t)from;
            int k = p[0] == point ? 0 : p[1] == point ? 1 : 2;
            m->corner[i] = m->t->indices[3 * (size_t)from + (size_t)k];
            continue;
        }
        point -= m->skin->point_count;
        if (from >= 0) {
            LIM_TRY(skin_vertex(m, from, point, &made));
        } else {
            LIM_TRY(face_vertex(m, t, point, &made));
        }
        m->corner[i] = (uint32_t)(m->t->vertex_count + made);
    }
    for (int32_t t = 0; t < cut->triangle_count; ++t) {
        if (cut->triangle_origin[t] < 0) {
            look(m, t);
        }
    }
    return LIM_OK;
}

/* How unit space lies in the coordinates of `position`: the model's bounds are theirs times its
 * scale. */
static void find_scale(maker* m) {
    const topology* t = m->t;
    lim_point low = p3(HUGE_VAL, HUGE_VAL, HUGE_VAL), high = p3_scale(low, -1.0);
    for (int32_t v = 0; v < t->vertex_count; ++v) {
        if (t->vertex_point[v] < t->point_count - 1) {
            low = p3_min(low, t->position[v]);
            high = p3_max(high, t->position[v]);
        }
    }
    lim_point own = p3_sub(high, low), metres = p3_sub(t->info.bounds.upper, t->info.bounds.lower);
    double scale = fmax(fmax(metres.x, metres.y), metres.z) / fmax(fmax(own.x, own.y), own.z);
    m->size = t->unit / scale;
    m->shift = p3_mad(p3_scale(t->centre_of_mass, 1.0 / scale), t->rest_origin, -m->size);
}

static void blend(const float* from, int per, const made_vertex* v, double* out) {
    for (int c = 0; c < per; ++c) {
        out[c] = 0.0;
        for (int k = 0; k < 3; ++k) {
            out[c] +=
                v->weight[k] > 0.0
                    ? v->weight[k] * (double)from[(size_t)per * (size_t)v->from[k] + (size_t)c]
                    : 0.0;
        }
    }
}

static void put(const double* x, int per, float* to) {
    for (int c = 0; c < per; ++c) {
        to[c] = (float)x[c];
    }
}

/* The one of the three that it is nearest to. */
static int32_t heaviest(const made_vertex* v) {
    int k = v->weight[1] > v->weight[0] ? 1 : 0;
    return v->from[v->weight[2] > v->weight[k] ? 2 : k];
}

/* Of length 1; where nothing is left, as it is at `fallback`. */
static void put_unit(const double x[3], const float* fallback, float to[3]) {
    double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    for (int c = 0; c < 3; ++c) {
        to[c] = length > 1e-12 ? (float)(x[c] / length) : fallback[c];
    }
}

static lim_point blended_place(const maker* m, const made_vertex* v) {
    lim_point sum = p3(0, 0, 0);
    for (int k = 0; k < 3; ++k) {
        sum = v->weight[k] > 0.0 ? p3_mad(sum, m->t->position[v->from[k]], v->weight[k]) : sum;
    }
    return sum;
}

/* Beside the skin, where a vertex of the skin at the same point is. */
static lim_point face_place(const maker* m, const made_vertex* v) {
    for (int32_t i = m->head[v->point]; i >= 0; i = m->made.data[i].next) {
        if (m->made.data[i].face == 0) {
            return blended_place(m, &m->made.data[i]);
        }
    }
    return p3_mad(m->shift, m->cut->point[v->point], m->size);
}

/* Where the arrays of new vertices are. */
typedef struct vertex_room {
    lim_point* position;
    float *normal, *tangent, *uv, *colour, *attribute[ATTRIBUTES];
    int32_t* point;
    lim_vertex_source* source;
} vertex_room;

static void write_skin(const maker* m, const made_vertex* v, int32_t i, const vertex_room* to) {
    const topology* t = m->t;
    size_t n = (size_t)i, nearest = (size_t)heaviest(v);
    double x[4];
    to->position[n] = blended_place(m, v);
    blend(t->normal, 3, v, x);
    put_unit(x, t->normal + 3 * nearest, to->normal + 3 * n);
    if (t->tangent != NULL) {
        blend(t->tangent, 4, v, x);
        put_unit(x, t->tangent + 4 * nearest, to->tangent + 4 * n);
        to->tangent[4 * n + 3] = t->tangent[4 * nearest + 3];
    }
    if (t->uv != NULL) {
        blend(t->uv, 2, v, x);
        put(x, 2, to->uv + 2 * n);
    }
    if (t->colour != NULL) {
        blend(t->colour, 4, v, x);
        put(x, 4, to->colour + 4 * n);
    }
    for (int k = 0; k < ATTRIBUTES; ++k) {
        if (t->attribute[k] != NULL) {
            blend(t->attribute[k], 1, v, x);
            put(x, 1, to->attribute[k] + n);
        }
    }
    for (int k = 0; k < 3; ++k) {
        to->source[n].vertex[k] = v->from[k];
        to->source[n].weight[k] = (float)v->weight[k];
    }
}

static void write_face(const maker* m, const made_vertex* v, int32_t i, const vertex_room* to) {
    const topology* t = m->t;
    size_t n = (size_t)i;
    to->position[n] = face_place(m, v);
    lim_point normal = p3_scale(v->normal, 1.0 / (p3_length(v->normal) + 1e-300));
    const double x[3] = {normal.x, normal.y, normal.z};
    const float up[3] = {0, 0, 1};
    put_unit(x, up, to->normal + 3 * n);
    if (t->tangent != NULL) {
        lim_point along = p3_mad(v->u_way, normal, -p3_dot(v->u_way, normal));
        double least = fmin(fmin(fabs(x[0]), fabs(x[1])), fabs(x[2]));
        if (!(p3_length(along) > 0.0)) { /* a blade without uv: any way across the normal */
            along = p3_cross(normal, fabs(x[0]) <= least   ? p3(1, 0, 0)
                                     : fabs(x[1]) <= least ? p3(0, 1, 0)
                                                           : p3(0, 0, 1));
        }
        const double y[3] = {along.x, along.y, along.z};
        const double size = p3_length(along) + 1e-300,
                     way[3] = {y[0] / size, y[1] / size, y[2] / size};
        put_unit(way, up, to->tangent + 4 * n);
        to->tangent[4 * n + 3] = p3_dot(p3_cross(normal, along), v->v_way) < 0.0 ? -1.0f : 1.0f;
    }
    if (t->uv != NULL) {
        put(v->uv, 2, to->uv + 2 * n);
    }
    for (size_t c = 4 * n; c < 4 * n + 4 && t->colour != NULL; ++c) {
        to->colour[c] = 1.0f;
    }
    for (int k = 0; k < ATTRIBUTES; ++k) {
        if (t->attribute[k] != NULL) {
            to->attribute[k][n] = 1.0f;
        }
    }
    to->source[n] = (lim_vertex_source){.vertex = {-1, -1, -1}};
}

/* Of a new point on the blade: every one has a face. */
static void write_blade(const maker* m, const made_vertex* v, lim_vertex_source* out) {
    out->side = m->cut->origin[v->point].side;
    for (int32_t i = m->head[v->point]; i >= 0; i = m->made.data[i].next) {
        if (m->made.data[i].face != 0) {
            put(m->made.data[i].uv, 2, out->uv);
        }
    }
}

static lim_result take_room(arena* a, const topology* t, int32_t count, vertex_room* out) {
    size_t n = (size_t)count;
    *out = (vertex_room){.position = ARENA_ARRAY(a, lim_point, n),
                         .normal = ARENA_ARRAY(a, float, 3 * n),
                         .point = ARENA_ARRAY(a, int32_t, n),
                         .source = ARENA_ARRAY(a, lim_vertex_source, n)};
    out->tangent = t->tangent != NULL ? ARENA_ARRAY(a, float, 4 * n) : NULL;
    out->uv = t->uv != NULL ? ARENA_ARRAY(a, float, 2 * n) : NULL;
    out->colour = t->colour != NULL ? ARENA_ARRAY(a, float, 4 * n) : NULL;
    bool ok = out->position != NULL && out->normal != NULL && out->point != NULL &&
              out->source != NULL && (out->tangent == NULL) == (t->tangent == NULL) &&
              (out->uv == NULL) == (t->uv == NULL) && (out->colour == NULL) == (t->colour == NULL);
    for (int k = 0; k < ATTRIBUTES; ++k) {
        out->attribute[k] = t->attribute[k] != NULL ? ARENA_ARRAY(a, float, n) : NULL;
        ok = ok && (out->attribute[k] == NULL) == (t->attribute[k] == NULL);
    }
    return ok ? LIM_OK : LIM_ERROR_MEMORY;
}

static lim_result write_vertices(maker* m, surface_change* out) {
    vertex_room to;
    LIM_TRY(take_room(m->a, m->t, m->made.count, &to));
    for (int32_t i = 0; i < m->made.count; ++i) {
        const made_vertex* v = &m->made.data[i];
        if (v->face == 0) {
            write_skin(m, v, i, &to);
        } else {
            write_face(m, v, i, &to);
        }
        write_blade(m, v, &to.source[i]);
        to.point[i] = m->skin->point_count + v->point;
    }
    out->new_vertices = m->made.count;
    out->vertex_count = m->t->vertex_count + m->made.count;
    out->position = to.position;
    out->normal = to.normal;
    out->tangent = to.tangent;
    out->uv = to.uv;
    out->colour = to.colour;
    for (int k = 0; k < ATTRIBUTES; ++k) {
        out->attribute[k] = to.attribute[k];
    }
    out->vertex_point = to.point;
    out->source = to.source;
    return LIM_OK;
}

/* Kept triangles in runs between those that were cut, then the new ones. */
static lim_result write_triangles(const maker* m, surface_change* out) {
    const cut_result* cut = m->cut;
    int32_t kept = m->t->triangle_count - cut->removed_count, to = 0, from = 0;
    out->triangle_count = kept + cut->triangle_count;
    uint32_t* indices = ARENA_ARRAY(m->a, uint32_t, 3 * (size_t)out->triangle_count);
    int32_t* submesh = ARENA_ARRAY(m->a, int32_t, out->triangle_count);
    if (indices == NULL || submesh == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t r = 0; r <= cut->removed_count; ++r) {
        int32_t end = r < cut->removed_count ? cut->removed[r] : m->t->triangle_count;
        size_t count = (size_t)(end - from);
        memcpy(indices + 3 * (size_t)to, m->t->indices + 3 * (size_t)from,
               3 * count * sizeof(uint32_t));
        memcpy(submesh + to, m->t->submesh + from, count * sizeof(int32_t));
        to += end - from;
        from = end + 1;
    }
    memcpy(indices + 3 * (size_t)kept, m->corner,
           3 * (size_t)cut->triangle_count * sizeof(uint32_t));
    memcpy(submesh + kept, cut->submesh, (size_t)cut->triangle_count * sizeof(int32_t));
    out->indices = indices;
    out->submesh = submesh;
    return LIM_OK;
}

lim_result cut_vertices_make(arena* a, const topology* t, const cut_surface* skin,
                             const cut_blade* blade, const cut_result* cut, surface_change* out) {
    maker m = {.a = a, .t = t, .skin = skin, .blade = blade, .cut = cut};
    if (cut->triangle_count > (INT32_MAX - t->vertex_count) / 3 - 1) {
        return LIM_ERROR_TOO_LARGE;
    }
    m.head = ARENA_ARRAY(a, int32_t, cut->point_count);
    m.corner = ARENA_ARRAY(a, uint32_t, 3 * (size_t)cut->triangle_count);
    if (m.head == NULL || m.corner == NULL ||
        !ARRAY_RESERVE(&a->host, &m.made, 2 * (int64_t)cut->point_count)) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < cut->point_count; ++i) {
        m.head[i] = -1;
    }
    find_scale(&m);
    lim_result result = name_corners(&m);
    result = result == LIM_OK ? write_vertices(&m, out) : result;
    ARRAY_FREE(&a->host, &m.made);
    LIM_TRY(result);
    return write_triangles(&m, out);
}
