/* SPDX-License-Identifier: MIT
 * Job: the new surface. In: pieces of skin triangles and cells of the blade. Out: triangles whose
 * every edge has exactly two of them. First, which cells lie inside: the solid is to the left of
 * every segment, and cells that no wall parts agree; only what touches no skin at all asks for a
 * winding number. Each inside cell becomes two faces. Then every half edge gets the one it is glued
 * to: pieces with pieces as before, faces of a side with each other, at segments with the piece on
 * their side, at the border of the blade with the face behind. Points follow from that: corners
 * that glued edges join are one point. So the surface is closed by construction, and a point of the
 * front, which has one ring of triangles, is one point without being told.
 */
#include "base/disjoint_set.h"
#include "cut/cut_work.h"

#include "mesh/crossing.h"

typedef struct gluing {
    cut_work* w;
    int8_t* inside;      /* per cell: 1, 0, -1 unknown */
    int32_t* face;       /* per cell: its first face, or -1; the second follows */
    int32_t piece_count; /* pieces, then faces */
    int32_t count;       /* triangles */
    int32_t* mate;       /* per half edge */
    int32_t* root;       /* per corner: union-find, smallest first */
    int32_t* name;       /* per corner: point of the result */
    int32_t point_count;
} gluing;

/* Is a point inside the surface? Crossings of a line along x, without cracks; or the caller's
 * winding numbers. */
static bool is_inside(const cut_work* w, lim_point at) {
    if (w->options->inside != NULL) {
        return winding_number(w->options->inside, v3_of(at)) > 0.5f;
    }
    const cut_surface* s = w->surface;
    int sum = 0;
    for (int32_t t = 0; t < s->triangle_count; ++t) {
        const int32_t* p = s->triangle + 3 * (size_t)t;
        double x = 0.0;
        int sign =
            crossing_triangle(s->point[p[0]], s->point[p[1]], s->point[p[2]], at.y, at.z, &x);
        sum += sign != 0 && x > at.x ? sign : 0;
    }
    return sum > 0;
}

/* Spreads what is known of a cell over all that no wall parts from it. stack: room for all cells.
 */
static lim_result spread(gluing* g, int32_t cell, int32_t* stack) {
    const cut_work* w = g->w;
    int32_t top = 0;
    stack[top++] = cell;
    while (top > 0) {
        int32_t c = stack[--top];
        for (int32_t h = 3 * c; h < 3 * c + 3; ++h) {
            int32_t mate = w->cell_mate.data[h];
            if (mate < 0 || w->cell_wall.data[h] != 0) {
                continue;
            }
            int8_t* there = &g->inside[mate / 3];
            if (*there < 0) {
                *there = g->inside[c];
                stack[top++] = mate / 3;
            } else if (*there != g->inside[c]) {
                return LIM_ERROR_UNSUPPORTED;
            }
        }
    }
    return LIM_OK;
}

static lim_result find_inside(gluing* g) {
    const cut_work* w = g->w;
    int32_t cells = w->cell_blade.count;
    g->inside = ARENA_ARRAY(&g->w->mem, int8_t, cells);
    int32_t* stack = ARENA_ARRAY(&g->w->mem, int32_t, cells);
    if (g->inside == NULL || stack == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t c = 0; c < cells; ++c) {
        g->inside[c] = -1;
    }
    for (int32_t h = 0; h < 3 * cells; ++h) {
        if (w->cell_wall.data[h] != 0) {
            int8_t said = w->cell_wall.data[h] > 0, *known = &g->inside[h / 3];
            if (*known >= 0 && *known != said) {
                return LIM_ERROR_UNSUPPORTED;
            }
            *known = said;
        }
    }
    for (int32_t c = 0; c < cells; ++c) { /* from the known cells; those without walls wait */
        bool seed = false;
        for (int k = 0; k < 3; ++k) {
            seed |= w->cell_wall.data[3 * c + k] != 0;
        }
        if (seed) {
            LIM_TRY(spread(g, c, stack));
        }
    }
    for (int32_t c = 0; c < cells; ++c) {
        if (g->inside[c] < 0) {
            const int32_t* v = w->cell_corner.data + 3 * (size_t)c;
            lim_point sum = p3_add(p3_add(w->vertex.data[v[0]].at, w->vertex.data[v[1]].at),
                                   w->vertex.data[v[2]].at);
            g->inside[c] = is_inside(w, p3_scale(sum, 1.0 / 3.0));
            LIM_TRY(spread(g, c, stack));
        }
    }
    return LIM_OK;
}

static lim_result make_faces(gluing* g) {
    const cut_work* w = g->w;
    int32_t cells = w->cell_blade.count;
    g->face = ARENA_ARRAY(&g->w->mem, int32_t, cells);
    LIM_TRY_MEMORY(g->face);
    g->count = g->piece_count = w->piece_origin.count;
    for (int32_t c = 0; c < cells; ++c) {
        g->face[c] = g->inside[c] == 1 ? g->count : -1;
        g->count += g->inside[c] == 1 ? 2 : 0;
        if (g->count > INT32_MAX / 3 - 2) {
            return LIM_ERROR_TOO_LARGE;
        }
    }
    return LIM_OK;
}

/* The half edge of the face on the negative side, which is turned as the blade is (its material
 * lies below the blade), and of the one on the positive side, which is turned back. */
static int32_t face_below(const gluing* g, int32_t h) {
    return 3 * g->face[h / 3] + h % 3;
}
static int32_t face_above(const gluing* g, int32_t h) {
    return 3 * (g->face[h / 3] + 1) + 2 - h % 3;
}

/* Glues two half edges; false when one is taken. */
static bool join(gluing* g, int32_t a, int32_t b) {
    if ((g->mate[a] >= 0 && g->mate[a] != b) || (g->mate[b] >= 0 && g->mate[b] != a)) {
        return false;
    }
    g->mate[a] = b;
    g->mate[b] = a;
    return true;
}

static lim_result join_all(gluing* g) {
    const cut_work* w = g->w;
    g->mate = ARENA_ARRAY(&g->w->mem, int32_t, 3 * (size_t)g->count);
    LIM_TRY_MEMORY(g->mate);
    for (int32_t h = 0; h < 3 * g->count; ++h) {
        g->mate[h] = h < 3 * g->piece_count ? w->piece_mate.data[h] : -1;
    }
    int32_t walls = 0;
    for (int32_t h = 0; h < w->cell_mate.count; ++h) {
        if (g->face[h / 3] < 0) {
            continue;
        }
        int32_t mate = w->cell_mate.data[h], s = w->cell_wall.data[h] - 1;
        bool ok;
        if (s >= 0) {
            ok = join(g, face_below(g, h), w->right[s]) && join(g, face_above(g, h), w->left[s]);
            walls++;
        } else if (mate >= 0) {
            ok = g->face[mate / 3] >= 0 && s == -1 &&
                 join(g, face_below(g, h), face_below(g, mate)) &&
                 join(g, face_above(g, h), face_above(g, mate));
        } else {
            ok = join(g, face_below(g, h), face_above(g, h));
        }
        if (!ok) {
            return LIM_ERROR_UNSUPPORTED;
        }
    }
    return walls == w->segment_count ? LIM_OK : LIM_ERROR_UNSUPPORTED;
}

/* The vertex (or -1 - point) at a corner of a piece or face. */
static int32_t ref_of(const gluing* g, const int32_t* cell_of_face, int32_t h) {
    if (h < 3 * g->piece_count) {
        return g->w->piece_corner.data[h];
    }
    int32_t f = h / 3 - g->piece_count, k = h % 3;
    int32_t c = cell_of_face[f / 2];
    return g->w->cell_corner.data[3 * c + (f % 2 == 0 ? k : (3 - k) % 3)];
}

static lim_result name_points(gluing* g, const int32_t* cell_of_face) {
    const cut_work* w = g->w;
    int32_t corners = 3 * g->count;
    g->root = ARENA_ARRAY(&g->w->mem, int32_t, corners);
    g->name = ARENA_ARRAY(&g->w->mem, int32_t, corners);
    if (g->root == NULL || g->name == NULL) {
        return LIM_ERROR_MEMORY;
    }
    disjoint_init(g->root, corners);
    for (int32_t h = 0; h < corners; ++h) {
        int32_t mate = g->mate[h];
        if (mate > h) {
            disjoint_join(g->root, h, plane_next(mate));
            disjoint_join(g->root, plane_next(h), mate);
        } else if (mate < 0 && (ref_of(g, cell_of_face, h) >= 0 || h >= 3 * g->piece_count ||
                                ref_of(g, cell_of_face, plane_next(h)) >= 0)) {
            return LIM_ERROR_UNSUPPORTED; /* only old edges may have a neighbour elsewhere */
        }
    }
    for (int32_t h = 0; h < corners; ++h) {
        int32_t ref = ref_of(g, cell_of_face, h), root = disjoint_root(g->root, h);
        int32_t first = ref_of(g, cell_of_face, root);
        bool same = ref < 0 ? first == ref
                            : first >= 0 &&
                                  cut_same_place(w->vertex.data[ref].at, w->vertex.data[first].at);
        if (!same) {
            return LIM_ERROR_UNSUPPORTED;
        }
        if (ref < 0) {
            g->name[h] = -1 - ref;
        } else {
            g->name[h] = root == h ? w->surface->point_count + g->point_count++ : g->name[root];
        }
    }
    return g->point_count <= INT32_MAX - w->surface->point_count ? LIM_OK : LIM_ERROR_TOO_LARGE;
}

/* Last of all: no directed edge twice, and glued ones are each other's reverse. */
static lim_result check_edges(gluing* g) {
    int32_t count = 3 * g->count;
    sort_item* item = ARENA_ARRAY(&g->w->mem, sort_item, count);
    sort_item* scratch = ARENA_ARRAY(&g->w->mem, sort_item, count);
    if (item == NULL || scratch == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t h = 0; h < count; ++h) {
        int32_t a = g->name[h], b = g->name[plane_next(h)], mate = g->mate[h];
        bool back = mate < 0 || (g->name[mate] == b && g->name[plane_next(mate)] == a);
        if (a == b || !back) {
            return LIM_ERROR_UNSUPPORTED;
        }
        item[h] = (sort_item){(uint64_t)(uint32_t)a << 32 | (uint32_t)b, h, 0};
    }
    sort_items(item, scratch, count);
    for (int32_t i = 1; i < count; ++i) {
        if (item[i].key == item[i - 1].key) {
            return LIM_ERROR_UNSUPPORTED;
        }
    }
    return LIM_OK;
}

/* Where a vertex comes from: a skin triangle, or the blade. */
static cut_point origin_of(const cut_work* w, const cut_vertex* v) {
    cut_point o = {.source = {-1, -1, -1}, .blade = -1};
    const cut_surface* s = w->surface;
    if (v->kind == CUT_ON_SKIN_EDGE || v->kind == CUT_ON_BLADE_EDGE || v->kind == CUT_ON_SEGMENT) {
        const cut_edge* e = v->kind == CUT_ON_SKIN_EDGE ? &w->skin_edge[v->edge] : NULL;
        int32_t t = w->touched[e == NULL ? v->triangle : e->half[0] / 3];
        for (int k = 0; k < 3; ++k) {
            int32_t p = o.source[k] = s->triangle[3 * (size_t)t + (size_t)k];
            o.weight[k] = e == NULL      ? 0.0
                          : p == e->low  ? 1.0 - v->share
                          : p == e->high ? v->share
                                         : 0.0;
        }
        if (e == NULL) {
            cut_weights(s->point[o.source[0]], s->point[o.source[1]], s->point[o.source[2]], v->at,
                        o.weight);
        }
        return o;
    }
    const int32_t* p = w->blade.triangle + 3 * (size_t)v->triangle;
    o.blade = v->triangle;
    cut_weights(w->blade.point[p[0]], w->blade.point[p[1]], w->blade.point[p[2]], v->at, o.weight);
    return o;
}

static lim_result take_room(arena* a, const gluing* g, cut_result* out) {
    out->point = ARENA_ARRAY(a, lim_point, g->point_count);
    out->origin = ARENA_ARRAY(a, cut_point, g->point_count);
    out->triangle = ARENA_ARRAY(a, int32_t, 3 * (size_t)g->count);
    out->submesh = ARENA_ARRAY(a, int32_t, g->count);
    out->triangle_origin = ARENA_ARRAY(a, int32_t, g->count);
    out->triangle_blade = ARENA_ARRAY(a, int32_t, g->count);
    out->triangle_side = ARENA_ARRAY(a, int8_t, g->count);
    out->removed = ARENA_ARRAY(a, int32_t, g->w->touched_count);
    bool ok = out->point != NULL && out->origin != NULL && out->triangle != NULL &&
              out->submesh != NULL && out->triangle_origin != NULL && out->triangle_blade != NULL &&
              out->triangle_side != NULL && out->removed != NULL;
    return ok ? LIM_OK : LIM_ERROR_MEMORY;
}

static void write_triangles(const gluing* g, const int32_t* cell_of_face, cut_result* out) {
    const cut_work* w = g->w;
    for (int32_t i = 0; i < g->count; ++i) {
        bool skin = i < g->piece_count;
        int32_t f = i - g->piece_count;
        int32_t t = skin ? w->touched[w->piece_origin.data[i]] : -1;
        out->triangle_origin[i] = t;
        out->triangle_blade[i] = skin ? -1 : w->cell_blade.data[cell_of_face[f / 2]];
        out->triangle_side[i] = (int8_t)(skin ? 0 : f % 2 == 0 ? -1 : 1);
        out->submesh[i] = !skin                         ? w->options->inner_submesh
                          : w->surface->submesh != NULL ? w->surface->submesh[t]
                                                        : 0;
        for (int32_t h = 3 * i; h < 3 * i + 3; ++h) {
            out->triangle[h] = g->name[h];
        }
    }
}

/* A point's side is that of the faces around it; both: it lies on the front. */
static lim_result write_points(gluing* g, const int32_t* cell_of_face, cut_result* out) {
    const cut_work* w = g->w;
    uint8_t* seen = ARENA_ARRAY(&g->w->mem, uint8_t, g->point_count);
    LIM_TRY_MEMORY(seen);
    for (int32_t h = 0; h < 3 * g->count; ++h) {
        int32_t p = g->name[h] - w->surface->point_count;
        if (p < 0) {
            continue;
        }
        if (h == disjoint_root(g->root, h)) {
            const cut_vertex* v = &w->vertex.data[ref_of(g, cell_of_face, h)];
            out->point[p] = v->at;
            out->origin[p] = origin_of(w, v);
        }
        if (h >= 3 * g->piece_count) {
            seen[p] |= out->triangle_side[h / 3] > 0 ? 1 : 2;
            out->origin[p].side = seen[p] == 1 ? 1 : seen[p] == 2 ? -1 : 0;
        }
    }
    return LIM_OK;
}

lim_result cut_glue(cut_work* w, arena* a, cut_result* out) {
    gluing g = {.w = w};
    LIM_TRY(find_inside(&g));
    LIM_TRY(make_faces(&g));
    int32_t faces = (g.count - g.piece_count) / 2;
    int32_t* cell_of_face = ARENA_ARRAY(&w->mem, int32_t, faces);
    LIM_TRY_MEMORY(cell_of_face);
    for (int32_t c = 0, f = 0; c < w->cell_blade.count; ++c) {
        if (g.face[c] >= 0) {
            cell_of_face[f++] = c;
        }
    }
    LIM_TRY(join_all(&g));
    LIM_TRY(name_points(&g, cell_of_face));
    LIM_TRY(check_edges(&g));
    LIM_TRY(take_room(a, &g, out));
    out->point_count = g.point_count;
    out->triangle_count = g.count;
    out->removed_count = w->touched_count;
    for (int32_t i = 0; i < w->touched_count; ++i) {
        out->removed[i] = w->touched[i];
    }
    write_triangles(&g, cell_of_face, out);
    return write_points(&g, cell_of_face, out);
}
