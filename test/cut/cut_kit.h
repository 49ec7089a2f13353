/* SPDX-License-Identifier: MIT
 * For tests of cuts: solids that are cut again and again, blades, and everything that must hold of
 * a cut whatever was cut.
 */
#ifndef LIMBER_CUT_KIT_H
#define LIMBER_CUT_KIT_H

#include "closed_surface.h"
#include "cut/cut.h"
#include "mesh/mesh_shapes.h"

/* The whole surface after a cut: kept triangles in their order, then the new ones. `origin` of a
 * triangle is its old number, or for new ones triangle_count + its number in `cut`. O(all). */
typedef struct cut_whole {
    int32_t point_count, triangle_count, part_count;
    lim_point* point;
    int32_t* triangle;
    int32_t* submesh;
    int32_t* origin;
    int32_t* part; /* connected part of each triangle */
} cut_whole;
static inline lim_result cut_apply(arena* a, const cut_surface* surface, const cut_result* cut,
                                   cut_whole* out) {
    int32_t kept = surface->triangle_count - cut->removed_count;
    *out = (cut_whole){.point_count = surface->point_count + cut->point_count,
                       .triangle_count = kept + cut->triangle_count};
    out->point = ARENA_ARRAY(a, lim_point, out->point_count);
    out->triangle = ARENA_ARRAY(a, int32_t, 3 * (size_t)out->triangle_count);
    out->submesh = ARENA_ARRAY(a, int32_t, out->triangle_count);
    out->origin = ARENA_ARRAY(a, int32_t, out->triangle_count);
    out->part = ARENA_ARRAY(a, int32_t, out->triangle_count);
    if (out->point == NULL || out->triangle == NULL || out->submesh == NULL ||
        out->origin == NULL || out->part == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < out->point_count; ++i) {
        out->point[i] =
            i < surface->point_count ? surface->point[i] : cut->point[i - surface->point_count];
    }
    int32_t removed = 0, to = 0;
    for (int32_t t = 0; t < surface->triangle_count; ++t) {
        if (removed < cut->removed_count && cut->removed[removed] == t) {
            removed++;
            continue;
        }
        memcpy(out->triangle + 3 * (size_t)to, surface->triangle + 3 * (size_t)t,
               3 * sizeof(int32_t));
        out->submesh[to] = surface->submesh != NULL ? surface->submesh[t] : 0;
        out->origin[to++] = t;
    }
    for (int32_t t = 0; t < cut->triangle_count; ++t) {
        memcpy(out->triangle + 3 * (size_t)to, cut->triangle + 3 * (size_t)t, 3 * sizeof(int32_t));
        out->submesh[to] = cut->submesh[t];
        out->origin[to++] = surface->triangle_count + t;
    }
    return cut_parts(a, out->point_count, out->triangle, out->triangle_count, out->part,
                     &out->part_count);
}

typedef struct solid {
    lim_point* point;
    int32_t* triangle;
    int32_t* submesh;
    int32_t points, triangles;
} solid;

static inline void solid_free(solid* s) {
    free(s->point);
    free(s->triangle);
    free(s->submesh);
    *s = (solid){0};
}

static inline void* kit_copy(const void* from, size_t count, size_t size) {
    void* to = malloc(count * size + 1);
    if (count > 0) {
        memcpy(to, from, count * size);
    }
    return to;
}

static inline solid solid_copy(const solid* s) {
    return (solid){kit_copy(s->point, (size_t)s->points, sizeof(lim_point)),
                   kit_copy(s->triangle, 3 * (size_t)s->triangles, sizeof(int32_t)),
                   kit_copy(s->submesh, (size_t)s->triangles, sizeof(int32_t)), s->points,
                   s->triangles};
}

/* Frees the shape. */
static inline solid solid_of(shape* s) {
    solid out = {.points = s->vertices, .triangles = s->triangles};
    out.point = malloc((size_t)s->vertices * sizeof(lim_point) + 1);
    out.triangle = malloc(3 * (size_t)s->triangles * sizeof(int32_t) + 1);
    out.submesh = calloc((size_t)s->triangles + 1, sizeof(int32_t));
    for (int32_t i = 0; i < s->vertices; ++i) {
        out.point[i] = p3(s->position[3 * i], s->position[3 * i + 1], s->position[3 * i + 2]);
    }
    for (int32_t i = 0; i < 3 * s->triangles; ++i) {
        out.triangle[i] = (int32_t)s->index[i];
    }
    shape_free(s);
    return out;
}

static inline cut_surface solid_surface(const solid* s) {
    return (cut_surface){s->points, s->triangles, s->point, s->triangle, s->submesh};
}

enum { BLADE_ROOM = 400 };
typedef struct blade {
    lim_point point[BLADE_ROOM];
    int32_t triangle[6 * BLADE_ROOM];
    int32_t points, triangles;
} blade;

/* A grid of rows x columns points, made into triangles. */
static inline void blade_grid(blade* b, int32_t rows, int32_t columns) {
    b->triangles = 0;
    for (int32_t i = 0; i + 1 < rows; ++i) {
        for (int32_t j = 0; j + 1 < columns; ++j) {
            int32_t p = i * columns + j, q = p + columns;
            const int32_t t[6] = {p, q, q + 1, p, q + 1, p + 1};
            memcpy(b->triangle + 3 * b->triangles, t, sizeof(t));
            b->triangles += 2;
        }
    }
}

/* Two triangles with the corners o, o + u, o + u + v, o + v; normal u x v. */
static inline blade blade_quad(lim_point o, lim_point u, lim_point v) {
    blade b = {.points = 4};
    b.point[0] = o;
    b.point[1] = p3_add(o, v);
    b.point[2] = p3_add(o, u);
    b.point[3] = p3_add(p3_add(o, u), v);
    blade_grid(&b, 2, 2);
    return b;
}

static inline cut_blade blade_view(const blade* b) {
    return (cut_blade){b->points, b->triangles, b->point, b->triangle, NULL, false};
}

static inline lim_point random_point(random_stream* r, double size) {
    double x = (double)random_unit(r) - 0.5, y = (double)random_unit(r) - 0.5;
    return p3(size * x, size * y, size * ((double)random_unit(r) - 0.5));
}

/* A segment that moves: from a to b through a place near the middle, bending a little. */
static inline blade random_stroke(random_stream* r) {
    blade b = {0};
    int32_t rows = 2 + random_index(r, 9), columns = 2 + random_index(r, 3);
    lim_point centre = random_point(r, 0.7), along = random_point(r, 1.0),
              edge = random_point(r, 1.0);
    along = p3_scale(along, (0.3 + (double)random_unit(r)) / (p3_length(along) + 0.01));
    edge = p3_sub(edge, p3_scale(along, p3_dot(edge, along) / p3_dot(along, along)));
    edge = p3_scale(edge, (0.4 + (double)random_unit(r)) / (p3_length(edge) + 0.01));
    lim_point bend = p3_scale(p3_cross(along, edge), random_range(r, -0.5f, 0.5f));
    for (int32_t i = 0; i < rows; ++i) {
        for (int32_t j = 0; j < columns; ++j) {
            double s = (double)i / (rows - 1) - 0.5, t = (double)j / (columns - 1) - 0.5;
            lim_point p = p3_mad(p3_mad(centre, along, s), edge, t);
            p = p3_mad(p, bend, 4.0 * s * s);
            b.point[b.points++] = p3_add(p, random_point(r, 0.02));
        }
    }
    blade_grid(&b, rows, columns);
    return b;
}

static inline double solid_volume(const lim_point* p, const int32_t* t, int32_t triangles,
                                  const int32_t* part, int32_t which) {
    double sum = 0.0;
    for (int32_t i = 0; i < triangles; ++i) {
        if (part == NULL || part[i] == which) {
            sum += p3_dot(p[t[3 * i]], p3_cross(p[t[3 * i + 1]], p[t[3 * i + 2]])) / 6.0;
        }
    }
    return sum;
}

static inline double kit_area(const lim_point* p, const int32_t* t) {
    return 0.5 * p3_length(p3_cross(p3_sub(p[t[1]], p[t[0]]), p3_sub(p[t[2]], p[t[0]])));
}

/* V - E + F = 2 - 2 holes of each part: even and at most 2. */
static inline bool kit_euler(const cut_whole* w) {
    int32_t* euler = calloc((size_t)w->part_count + 1, sizeof(int32_t));
    uint8_t* used = calloc((size_t)w->point_count + 1, 1);
    for (int32_t t = 0; t < w->triangle_count; ++t) {
        euler[w->part[t]] -= 1; /* 2 F - 3 F, halved below: E = 3 F / 2 */
        for (int k = 0; k < 3; ++k) {
            int32_t p = w->triangle[3 * t + k];
            euler[w->part[t]] += used[p] ? 0 : 2;
            used[p] = 1;
        }
    }
    bool ok = true;
    for (int32_t i = 0; i < w->part_count; ++i) {
        ok = ok && euler[i] % 4 == 0 && euler[i] <= 4;
    }
    free(euler);
    free(used);
    return ok;
}

static inline void check_points(const solid* s, const blade* b, const cut_result* r) {
    for (int32_t i = 0; i < r->point_count; ++i) {
        const cut_point* o = &r->origin[i];
        lim_point sum = p3(0, 0, 0);
        for (int k = 0; k < 3; ++k) {
            lim_point from =
                o->blade >= 0 ? b->point[b->triangle[3 * o->blade + k]] : s->point[o->source[k]];
            sum = p3_mad(sum, from, o->weight[k]);
        }
        /* Inner points are of the blade as it was moved aside. */
        CHECK_NEAR(p3_length(p3_sub(sum, r->point[i])), 0.0,
                   o->blade >= 0 ? (r->tries > 0 ? 1e-5 : 1e-12) : 1e-9);
        CHECK(o->side >= -1 && o->side <= 1);
    }
}

/* Parts of each removed triangle cover it; faces come in pairs. */
static inline void check_triangles(const solid* s, const cut_whole* w, const cut_result* r) {
    double* area = calloc((size_t)s->triangles + 1, sizeof(double));
    int32_t faces[2] = {0, 0};
    for (int32_t i = 0; i < r->triangle_count; ++i) {
        if (r->triangle_origin[i] >= 0) {
            area[r->triangle_origin[i]] += kit_area(w->point, r->triangle + 3 * i);
            CHECK(r->submesh[i] == s->submesh[r->triangle_origin[i]] && r->triangle_blade[i] < 0);
        } else {
            faces[r->triangle_side[i] > 0]++;
            CHECK(r->triangle_blade[i] >= 0 && r->submesh[i] == 7);
        }
    }
    CHECK(faces[0] == faces[1]);
    for (int32_t i = 0; i < r->removed_count; ++i) {
        int32_t t = r->removed[i];
        CHECK(i == 0 || t > r->removed[i - 1]);
        CHECK_NEAR(area[t], kit_area(s->point, s->triangle + 3 * t), 1e-9);
    }
    free(area);
}

/* Cuts and checks all that must hold; the solid becomes the whole surface. *out_parts is the number
 * of parts with a volume beyond 1e-7. */
static inline lim_result solid_cut(solid* s, const blade* b, uint64_t stroke, int32_t* out_parts,
                                   cut_result* out_counts) {
    arena a;
    arena_init(&a, NULL);
    cut_surface surface = solid_surface(s);
    cut_blade view = blade_view(b);
    cut_options options = {.stroke = stroke, .inner_submesh = 7};
    cut_result r;
    lim_result result = cut_surface_along(&a, &surface, &view, &options, &r);
    if (out_counts != NULL) {
        *out_counts = r;
    }
    if (result == LIM_OK) {
        cut_whole w;
        CHECK(cut_apply(&a, &surface, &r, &w) == LIM_OK);
        CHECK(kit_closed(w.triangle, w.triangle_count));
        CHECK(kit_euler(&w));
        double before = solid_volume(s->point, s->triangle, s->triangles, NULL, 0), sum = 0.0;
        int32_t parts = 0;
        for (int32_t i = 0; i < w.part_count; ++i) {
            double volume = solid_volume(w.point, w.triangle, w.triangle_count, w.part, i);
            sum += volume;
            parts += volume > 1e-7;
        }
        CHECK_NEAR(sum, before, 1e-9);
        CHECK(memcmp(w.point, s->point, (size_t)s->points * sizeof(lim_point)) == 0);
        check_points(s, b, &r);
        check_triangles(s, &w, &r);
        if (out_parts != NULL) {
            *out_parts = parts;
        }
        solid next = {kit_copy(w.point, (size_t)w.point_count, sizeof(lim_point)),
                      kit_copy(w.triangle, 3 * (size_t)w.triangle_count, sizeof(int32_t)),
                      kit_copy(w.submesh, (size_t)w.triangle_count, sizeof(int32_t)), w.point_count,
                      w.triangle_count};
        solid_free(s);
        *s = next;
    }
    arena_release(&a);
    return result;
}

#endif
