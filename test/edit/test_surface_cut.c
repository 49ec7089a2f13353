/* SPDX-License-Identifier: MIT
 * The skin of a body after cuts: closed, its volume kept, vertices with what the skin has where
 * they lie (looked up again by place, in the triangles before), and everything else as it was.
 */
#include "edit/skin_kit.h"
#include "failing_host.h"
#include "scenes/models.h"

/* uv of blades: a linear function of the place, so that it can be told again anywhere. */
static void place_uv(lim_point p, double out[2]) {
    out[0] = 2.0 + 3.0 * p.x - p.y + 0.5 * p.z;
    out[1] = 1.0 - p.x + 0.25 * p.y + 2.0 * p.z;
}

typedef struct uv_blade {
    blade b;
    float uv[2 * BLADE_ROOM];
} uv_blade;

static cut_blade view_of(uv_blade* u) {
    for (int32_t i = 0; i < u->b.points; ++i) {
        double uv[2];
        place_uv(u->b.point[i], uv);
        u->uv[2 * i] = (float)uv[0];
        u->uv[2 * i + 1] = (float)uv[1];
    }
    cut_blade view = blade_view(&u->b);
    view.uv = u->uv;
    return view;
}

/* ---- oracles ------------------------------------------------------------------------------------
 */

/* Shares of a triangle's corners in a place by areas; false: it is not in it. */
static bool shares(const lim_point c[3], lim_point p, double w[3]) {
    lim_point n = p3_cross(p3_sub(c[1], c[0]), p3_sub(c[2], c[0]));
    double square = p3_dot(n, n), size = sqrt(sqrt(square));
    if (fabs(p3_dot(p3_sub(p, c[0]), n)) > 1e-9 * sqrt(square)) {
        return false;
    }
    for (int k = 0; k < 3; ++k) {
        lim_point a = c[(k + 1) % 3], b = c[(k + 2) % 3];
        w[k] = p3_dot(p3_cross(p3_sub(a, p), p3_sub(b, p)), n) / square;
        if (w[k] < -1e-9 / size) {
            return false;
        }
    }
    return true;
}

static bool alike(const float* old, const float* now, int per, const uint32_t* v, const double w[3],
                  bool unit) {
    double x[4] = {0, 0, 0, 0}, length = 0.0;
    for (int c = 0; c < per; ++c) {
        for (int k = 0; k < 3 && old != NULL; ++k) {
            x[c] += w[k] * (double)old[(size_t)per * v[k] + (size_t)c];
        }
        length += x[c] * x[c];
    }
    length = unit ? sqrt(length) : 1.0;
    bool ok = (old == NULL) == (now == NULL);
    for (int c = 0; c < per && ok && old != NULL; ++c) {
        ok = fabs(x[c] / length - (double)now[c]) < 2e-5 / (length < 1.0 ? length : 1.0);
    }
    return ok;
}

/* Whether a corner of a piece has what the triangle has there. */
static bool corner_fits(const topology* before, const topology* after, uint32_t vertex,
                        const uint32_t* v, const double w[3]) {
    size_t n = vertex;
    for (int k = 0; k < 3 && vertex < (uint32_t)before->vertex_count; ++k) {
        if (v[k] == vertex) {
            return true; /* an old vertex, which stays as it is */
        }
    }
    if (vertex < (uint32_t)before->vertex_count) {
        return false;
    }
    lim_point place = p3(0, 0, 0);
    for (int k = 0; k < 3; ++k) {
        place = p3_mad(place, before->position[v[k]], w[k]);
    }
    float way[9];
    bool ok = p3_length(p3_sub(place, after->position[n])) < 1e-7;
    ok = ok && alike(before->normal, after->normal + 3 * n, 3, v, w, true);
    for (int k = 0; k < 9 && before->tangent != NULL; ++k) {
        way[k] = before->tangent[4 * (size_t)v[k / 3] + (size_t)(k % 3)];
    }
    const uint32_t own[3] = {0, 1, 2};
    ok = ok && (before->tangent == NULL || alike(way, after->tangent + 4 * n, 3, own, w, true));
    if (before->tangent != NULL) {
        bool found = false;
        for (int k = 0; k < 3; ++k) {
            found = found || (w[k] > 0.3 &&
                              before->tangent[4 * (size_t)v[k] + 3] == after->tangent[4 * n + 3]);
        }
        ok = ok && found;
    }
    ok = ok && (before->uv == NULL || alike(before->uv, after->uv + 2 * n, 2, v, w, false));
    ok = ok &&
         (before->colour == NULL || alike(before->colour, after->colour + 4 * n, 4, v, w, false));
    for (int k = 0; k < ATTRIBUTES; ++k) {
        ok = ok && (before->attribute[k] == NULL ||
                    alike(before->attribute[k], after->attribute[k] + n, 1, v, w, false));
    }
    return ok;
}

/* Whether a new triangle of the skin is a piece of an old one, with what that has. */
static bool is_piece(const topology* before, const topology* after, int32_t piece, int32_t old) {
    const uint32_t *v = before->indices + 3 * (size_t)old, *n = after->indices + 3 * (size_t)piece;
    lim_point c[3];
    for (int k = 0; k < 3; ++k) {
        c[k] = before->skin_point[before->vertex_point[v[k]]];
    }
    for (int k = 0; k < 3; ++k) {
        double w[3];
        if (!shares(c, after->skin_point[after->vertex_point[n[k]]], w) ||
            !corner_fits(before, after, n[k], v, w)) {
            return false;
        }
    }
    return before->submesh[old] == after->submesh[piece];
}

static void check_pieces(const topology* before, const topology* after, const surface_cut* s) {
    int32_t* removed = malloc((size_t)before->triangle_count * sizeof(int32_t) + 1);
    int32_t kept = 0, gone = 0, wrong = 0, flat = 0;
    for (int32_t i = 0; i < before->triangle_count; ++i) {
        bool same =
            memcmp(before->indices + 3 * (size_t)i, after->indices + 3 * (size_t)kept, 12) == 0 &&
            before->submesh[i] == after->submesh[kept];
        if (same && kept < before->triangle_count - s->cut_triangles) {
            kept++;
        } else {
            removed[gone++] = i;
        }
    }
    CHECK(gone == s->cut_triangles);
    int32_t skin_end = after->triangle_count - s->inner_triangles;
    for (int32_t i = kept; i < skin_end; ++i) {
        bool found = false;
        for (int32_t g = 0; g < gone && !found; ++g) {
            found = is_piece(before, after, i, removed[g]);
        }
        wrong += !found;
        flat += 1;
    }
    CHECK(wrong == 0);
    if (wrong > 0) {
        printf("     %d of %d pieces are no part of a triangle before\n", wrong, flat);
    }
    free(removed);
}

static double welded_volume(const topology* t, const int32_t* triangle, const int32_t* part,
                            int32_t which) {
    double sum = 0.0;
    for (int32_t i = 0; i < t->triangle_count; ++i) {
        const int32_t* p = triangle + 3 * (size_t)i;
        if (part == NULL || part[p[0]] == which) {
            sum += p3_dot(t->skin_point[p[0]], p3_cross(t->skin_point[p[1]], t->skin_point[p[2]]));
        }
    }
    return sum / 6.0;
}

static void check_parts(const topology* before, const topology* after, const surface_cut* s) {
    int32_t *old = kit_welded(before), *now = kit_welded(after), parts = 0;
    int32_t* part = malloc((size_t)after->triangle_count * sizeof(int32_t));
    arena a;
    lim_host host = mem_host(NULL);
    arena_init(&a, &host);
    CHECK(kit_closed(now, after->triangle_count));
    double sum = 0.0;
    for (int32_t k = 0; k < s->part_count; ++k) {
        sum += welded_volume(after, now, s->point_part, k);
    }
    CHECK_NEAR(sum, welded_volume(before, old, NULL, 0), 1e-9);
    CHECK(cut_parts(&a, after->point_count, now, after->triangle_count, part, &parts) == LIM_OK);
    CHECK(parts == s->part_count);
    int32_t* name = calloc((size_t)parts + 1, sizeof(int32_t));
    for (int32_t i = 0; i < 3 * after->triangle_count; ++i) {
        int32_t mine = s->point_part[now[i]] + 1, *seen = &name[part[i / 3]];
        *seen = *seen == 0 ? mine : *seen;
        CHECK(*seen == mine && mine > 0 && mine <= parts);
    }
    arena_release(&a);
    free(name);
    free(part);
    free(old);
    free(now);
}

/* Normals again from the triangles alone; uv by place. */
static void check_faces(const topology* after, const surface_cut* s) {
    const surface_change* c = &s->change;
    int32_t first = after->vertex_count - c->new_vertices;
    lim_point* normal = calloc((size_t)c->new_vertices + 1, sizeof(lim_point));
    double* area = calloc((size_t)c->new_vertices + 1, sizeof(double));
    for (int32_t i = after->triangle_count - s->inner_triangles; i < after->triangle_count; ++i) {
        const uint32_t* v = after->indices + 3 * (size_t)i;
        lim_point p[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = after->skin_point[after->vertex_point[v[k]]];
        }
        lim_point n = p3_cross(p3_sub(p[1], p[0]), p3_sub(p[2], p[0]));
        for (int k = 0; k < 3; ++k) {
            int32_t fresh = (int32_t)v[k] - first;
            CHECK(fresh >= 0 && c->source[fresh].vertex[0] == -1);
            normal[fresh] = p3_add(normal[fresh], n);
            area[fresh] += p3_length(n);
            double uv[2];
            place_uv(p[k], uv);
            CHECK_NEAR(c->source[fresh].uv[0], uv[0], 1e-4);
            CHECK_NEAR(c->source[fresh].uv[1], uv[1], 1e-4);
            CHECK(c->uv == NULL || memcmp(c->uv + 2 * fresh, c->source[fresh].uv, 8) == 0);
        }
    }
    for (int32_t i = 0; i < c->new_vertices; ++i) {
        double length = p3_length(normal[i]);
        if (area[i] > 1e-8 && length > 0.1 * area[i]) {
            CHECK_NEAR(c->normal[3 * i], normal[i].x / length, 1e-3);
            CHECK_NEAR(c->normal[3 * i + 1], normal[i].y / length, 1e-3);
            CHECK_NEAR(c->normal[3 * i + 2], normal[i].z / length, 1e-3);
        }
    }
    free(normal);
    free(area);
}

static void check_vertices(const topology* before, const topology* after, const surface_cut* s) {
    const surface_change* c = &s->change;
    int32_t points = before->point_count - 1 + c->new_points;
    for (int32_t i = 0; i < c->new_vertices; ++i) {
        const lim_vertex_source* o = &c->source[i];
        int32_t p = c->vertex_point[i];
        CHECK(p >= before->point_count - 1 && p < points);
        CHECK(o->side == s->side[p]);
        double sum = 0.0, uv[2];
        for (int k = 0; k < 3; ++k) {
            CHECK(o->vertex[k] >= -1 && o->vertex[k] < before->vertex_count);
            sum += (double)o->weight[k];
        }
        CHECK_NEAR(sum, o->vertex[0] >= 0 ? 1.0 : 0.0, 1e-6);
        place_uv(after->skin_point[p], uv);
        CHECK_NEAR(o->uv[0], uv[0], 1e-4);
        CHECK_NEAR(o->uv[1], uv[1], 1e-4);
        const float* n = c->normal + 3 * (size_t)i;
        CHECK_NEAR(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1.0, 1e-5);
        /* position and point are one place */
        lim_point at = p3_sub(after->skin_point[p], before->rest_origin);
        at = p3_mad(before->centre_of_mass, at, before->unit);
        CHECK_NEAR(p3_length(p3_sub(at, c->position[i])) / before->unit, 0.0, 2e-7);
        if (c->tangent != NULL) {
            const float* w = c->tangent + 4 * (size_t)i;
            CHECK_NEAR(w[0] * w[0] + w[1] * w[1] + w[2] * w[2], 1.0, 1e-5);
            CHECK(fabsf(w[3]) == 1.0f);
        }
    }
    for (int32_t i = 0; i < 3 * c->triangle_count; ++i) {
        CHECK(c->indices[i] < (uint32_t)c->vertex_count);
        CHECK(c->submesh[i / 3] >= 0 && c->submesh[i / 3] < c->submesh_count);
    }
    for (int32_t i = 0; i < before->point_count - 1; ++i) {
        CHECK(s->side[i] == 0);
    }
}

static void check_felt(const topology* before, const surface_cut* s) {
    const surface_change* c = &s->change;
    int32_t points = before->point_count - 1 + c->new_points + c->felt_points;
    for (int32_t i = 0; i < 3 * c->felt_count; ++i) {
        CHECK(c->felt[i] >= 0 && c->felt[i] < points);
    }
    CHECK(kit_closed(c->felt, c->felt_count));
    for (int32_t i = 0; i < points; ++i) {
        float length = v3_length(s->normal[i]);
        CHECK(length == 0.0f || fabsf(length - 1.0f) < 1e-5f);
    }
}

static double felt_volume(const topology* t) {
    double sum = 0.0;
    for (int32_t i = 0; i < t->surface.triangle_count; ++i) {
        lim_point p[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = p3_of(bindings_rest(&t->bind, t->surface.source[t->surface.corner[3 * i + k]]));
        }
        sum += p3_dot(p[0], p3_cross(p[1], p[2])) / 6.0;
    }
    return sum;
}

/* ---- strokes ------------------------------------------------------------------------------------
 */

typedef struct tally {
    int strokes, cut, refused, felt_refused, parts;
} tally;

/* Cuts of cuts, some with the inner submesh of the last. */
static void cut_again_and_again(const topology* t, uint64_t seed, int strokes, tally* sum) {
    random_stream r = random_seed(seed);
    lim_host host = mem_host(NULL);
    arena keep;
    arena_init(&keep, &host);
    topology now = *t;
    for (int k = 0; k < strokes; ++k) {
        uv_blade u = {.b = random_stroke(&r)};
        cut_blade view = view_of(&u);
        surface_cut s;
        int32_t inner = now.submesh_count > t->submesh_count && k % 2 == 0 ? t->submesh_count
                                                                           : now.submesh_count;
        lim_result result = surface_cut_make(&keep, &now, &view, -1, seed + (uint64_t)k, inner, &s);
        CHECK(result == LIM_OK || result == LIM_ERROR_UNSUPPORTED);
        sum->strokes++;
        sum->refused += result != LIM_OK;
        if (result != LIM_OK || s.cut_triangles + s.inner_triangles == 0) {
            continue;
        }
        sum->cut++;
        sum->felt_refused += s.felt_from_skin;
        topology after = kit_after(&keep, &now, &s.change);
        check_parts(&now, &after, &s);
        check_pieces(&now, &after, &s);
        check_faces(&after, &s);
        check_vertices(&now, &after, &s);
        check_felt(&now, &s);
        if (!s.felt_from_skin) {
            CHECK_NEAR(felt_volume(&now), felt_volume(&after), 1e-6);
        }
        sum->parts = s.part_count > sum->parts ? s.part_count : sum->parts;
        now = after;
    }
    arena_release(&keep);
}

static void models_are_cut(void) {
    model_entry entry[64];
    int32_t count = model_list(entry, 64);
    for (int32_t i = 0; i < count; ++i) {
        lim_mesh* mesh = NULL;
        CHECK(model_mesh(entry[i].name, 4000, NULL, &mesh) == LIM_OK);
        topology* t = mesh != NULL ? kit_topology(mesh, 300) : NULL;
        tally sum = {0};
        for (int k = 0; k < (test_long ? 20 : 2) && t != NULL; ++k) {
            cut_again_and_again(t, (uint64_t)(100 * i + k), 5, &sum);
        }
        printf("     %-10s %d strokes, %d cut, %d refused, felt %d, at most %d parts\n",
               entry[i].name, sum.strokes, sum.cut, sum.refused, sum.felt_refused, sum.parts);
        CHECK(sum.cut > 0 && 10 * sum.refused <= sum.strokes);
        topology_destroy(t);
        lim_mesh_destroy(mesh);
    }
}

static void seams_are_cut(void) {
    for (int box = 0; box < 2; ++box) {
        lim_mesh* mesh = seam_mesh(24, box == 1);
        topology* t = kit_topology(mesh, 300);
        tally sum = {0};
        for (int k = 0; k < (test_long ? 40 : 6); ++k) {
            cut_again_and_again(t, 1000 + (uint64_t)k, 4, &sum);
        }
        printf("     %d strokes, %d cut, %d refused, felt %d, at most %d parts\n", sum.strokes,
               sum.cut, sum.refused, sum.felt_refused, sum.parts);
        CHECK(2 * sum.cut > sum.strokes && 10 * sum.refused <= sum.strokes);
        topology_destroy(t);
        lim_mesh_destroy(mesh);
    }
}

/* A grid in the plane z = height that is larger than any body. */
static uv_blade plane_blade(double height) {
    uv_blade u = {.b.points = 0};
    for (int32_t i = 0; i < 20; ++i) {
        for (int32_t j = 0; j < 20; ++j) {
            u.b.point[u.b.points++] = p3(0.07 * i - 0.665, 0.0701 * j - 0.666, height);
        }
    }
    blade_grid(&u.b, 20, 20);
    return u;
}

static void a_plane_halves_a_body(void) {
    lim_mesh* mesh = seam_mesh(24, false);
    topology* t = kit_topology(mesh, 300);
    lim_host host = mem_host(NULL);
    arena a;
    arena_init(&a, &host);
    uv_blade u = plane_blade(0.0123);
    cut_blade view = view_of(&u);
    surface_cut s;
    CHECK(surface_cut_make(&a, t, &view, -1, 1, t->submesh_count, &s) == LIM_OK);
    CHECK(s.part_count == 2 && !s.felt_from_skin);
    topology after = kit_after(&a, t, &s.change);
    lim_point n = p3_cross(p3_sub(view.point[view.triangle[1]], view.point[view.triangle[0]]),
                           p3_sub(view.point[view.triangle[2]], view.point[view.triangle[0]]));
    double up = n.z > 0.0 ? 1.0 : -1.0;
    for (int32_t i = 0; i < 3 * s.change.triangle_count; ++i) {
        int32_t p = after.vertex_point[after.indices[i]];
        lim_point c = p3(0, 0, 0);
        for (int k = 0; k < 3; ++k) {
            c = p3_add(c, after.skin_point[after.vertex_point[after.indices[i - i % 3 + k]]]);
        }
        double height = (c.z / 3.0 - 0.0123) * up;
        CHECK(s.side[p] == 0 || s.side[p] * height > -1e-5);
        /* faces look away from their material */
        if (i / 3 >= s.change.triangle_count - s.inner_triangles) {
            CHECK_NEAR(after.normal[3 * after.indices[i] + 2], -(double)s.side[p] * up, 1e-4);
        }
    }
    /* The lips feel each other: triangles between new points are no larger than those of the
     * blade. */
    int32_t first = t->point_count - 1 + s.change.new_points + t->bind.count - t->point_count;
    int32_t faces = 0;
    for (int32_t i = 0; i < s.change.felt_count; ++i) {
        const int32_t* p = s.change.felt + 3 * (size_t)i;
        faces += p[0] >= first && p[1] >= first && p[2] >= first;
        for (int k = 0; k < 3 && p[k] >= first; ++k) {
            CHECK(s.side[p[k]] == 1 || s.side[p[k]] == -1);
            CHECK_NEAR(s.change.felt_point[p[k] - (t->point_count - 1 + s.change.new_points)].z,
                       0.0123, 1e-5);
        }
    }
    CHECK(faces > 100);
    arena_release(&a);
    topology_destroy(t);
    lim_mesh_destroy(mesh);
}

static void a_blade_that_misses_changes_nothing(void) {
    lim_mesh* mesh = seam_mesh(8, true);
    topology* t = kit_topology(mesh, 60);
    lim_host host = mem_host(NULL);
    arena a;
    arena_init(&a, &host);
    uv_blade u = plane_blade(0.9);
    cut_blade view = view_of(&u);
    surface_cut s;
    CHECK(surface_cut_make(&a, t, &view, -1, 1, t->submesh_count, &s) == LIM_OK);
    CHECK(s.cut_triangles == 0 && s.inner_triangles == 0 && s.change.triangle_count == 0);
    CHECK(surface_cut_make(&a, t, &view, -1, 1, t->submesh_count + 1, &s) == LIM_ERROR_ARGUMENT);
    CHECK(surface_cut_make(&a, t, &view, -1, 1, -1, &s) == LIM_ERROR_ARGUMENT);
    u.b.triangle[5] = u.b.points;
    CHECK(surface_cut_make(&a, t, &view, -1, 1, 0, &s) == LIM_ERROR_ARGUMENT);
    arena_release(&a);
    topology_destroy(t);
    lim_mesh_destroy(mesh);
}

/* Two boxes, one of which has its triangles turned: only that one is refused. What is hollow has
 * walls that look inwards, and is not. */
static void parts_inside_out_are_refused(void) {
    for (int k = 0; k < 3; ++k) {
        shape from = {0};
        if (k < 2) {
            shape_box(&from, 0, 0, 0, 4, 4, 4);
        } else {
            shape_box(&from, 0, 0, 0, 8, 8, 8);
        }
        int32_t first = from.triangles;
        if (k < 2) {
            shape_box(&from, 6, 0, 0, 10, 4, 4);
        } else {
            shape_box(&from, 2.5, 2.5, 2.5, 5.5, 5.5, 5.5);
        }
        shape_flip(&from, first, from.triangles);
        lim_mesh* mesh = shape_mesh(&from);
        topology* t = kit_topology(mesh, 300);
        arena a;
        arena_init(&a, NULL);
        /* Across x, unit space: through the middle of either box, or of the hollow one. */
        double x = k == 0 ? -0.3123 : k == 1 ? 0.3123 : 0.0123;
        blade b = blade_quad(p3(x, -0.8, -0.8), p3(0, 1.6, 0), p3(0, 0, 1.6));
        cut_blade view = blade_view(&b);
        surface_cut s;
        lim_result result = surface_cut_make(&a, t, &view, -1, 1, 0, &s);
        CHECK(result == (k == 1 ? LIM_ERROR_MESH : LIM_OK));
        CHECK(k == 1 || s.cut_triangles > 0);
        arena_release(&a);
        topology_destroy(t);
        lim_mesh_destroy(mesh);
    }
}

static void every_allocation_may_fail(void) {
    lim_mesh* mesh = seam_mesh(6, true);
    topology* t = kit_topology(mesh, 60);
    uv_blade u = plane_blade(0.0123);
    cut_blade view = view_of(&u);
    lim_result result = LIM_ERROR_MEMORY;
    int64_t n = 0;
    for (; result != LIM_OK && n < 10000; ++n) {
        failing_host f;
        failing_host_arm(&f, n);
        arena a;
        arena_init(&a, &f.host);
        surface_cut s;
        result = surface_cut_make(&a, t, &view, -1, 1, t->submesh_count, &s);
        CHECK(result == LIM_OK || result == LIM_ERROR_MEMORY);
        CHECK(result != LIM_OK || s.cut_triangles > 0);
        arena_release(&a);
        CHECK(f.held == 0);
    }
    CHECK(result == LIM_OK && n > 20);
    topology_destroy(t);
    lim_mesh_destroy(mesh);
}

TEST_SUITE(surface_cut) {
    TEST_BEGIN(argc, argv);
    RUN(a_plane_halves_a_body);
    RUN(a_blade_that_misses_changes_nothing);
    RUN(seams_are_cut);
    RUN(models_are_cut);
    RUN(parts_inside_out_are_refused);
    RUN(every_allocation_may_fail);
    TEST_END();
}
