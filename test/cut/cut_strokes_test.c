/* SPDX-License-Identifier: MIT
 * Random strokes: on five solids, several one after the other, and on a coarse grid of integers
 * where nearly everything coincides. What must hold of every cut is in cut_kit.h; here also that
 * what falls apart is what a slow oracle says: points of a grid inside, joined where the way from
 * one to the next meets neither skin nor blade.
 */
#include "cut_kit.h"
#include "math/predicates.h"

enum { GRID = 14 };

static bool crosses(lim_point a, lim_point b, const lim_point* p, const int32_t* t) {
    lim_point q[3] = {p[t[0]], p[t[1]], p[t[2]]};
    if (orient3d(q[0], q[1], q[2], a) * orient3d(q[0], q[1], q[2], b) >= 0) {
        return false;
    }
    int s = orient3d(a, b, q[0], q[1]);
    return s == orient3d(a, b, q[1], q[2]) && s == orient3d(a, b, q[2], q[0]);
}

/* How often the surface is wound around a point, by exact crossings along a slanted line. */
static bool is_in(lim_point at, const solid* s, const int32_t* part, int32_t which) {
    lim_point far = p3_add(at, p3(7.13, 1.37, 2.71));
    int sum = 0;
    for (int32_t t = 0; t < s->triangles; ++t) {
        if ((part == NULL || part[t] == which) && crosses(at, far, s->point, s->triangle + 3 * t)) {
            const int32_t* c = s->triangle + 3 * t;
            sum += orient3d(s->point[c[0]], s->point[c[1]], s->point[c[2]], far);
        }
    }
    return sum > 0;
}

typedef struct model {
    solid s;
    lim_point at[GRID * GRID * GRID];
    bool in[GRID * GRID * GRID];
    bool way[3][GRID * GRID * GRID]; /* free to the next along each axis */
} model;

static bool meets_skin(const solid* s, lim_point a, lim_point b) {
    for (int32_t t = 0; t < s->triangles; ++t) {
        if (crosses(a, b, s->point, s->triangle + 3 * t)) {
            return true;
        }
    }
    return false;
}

static const int STEP[3] = {1, GRID, GRID* GRID};

static void model_of(model* m, shape* s) {
    m->s = solid_of(s);
    for (int i = 0; i < GRID * GRID * GRID; ++i) {
        int x = i % GRID, y = i / GRID % GRID, z = i / GRID / GRID;
        const double side = (double)GRID;
        m->at[i] =
            p3((x + 0.5137) / side - 0.5, (y + 0.4871) / side - 0.5, (z + 0.5061) / side - 0.5);
        m->in[i] = is_in(m->at[i], &m->s, NULL, 0);
    }
    for (int i = 0; i < GRID * GRID * GRID; ++i) {
        const int x[3] = {i % GRID, i / GRID % GRID, i / GRID / GRID};
        for (int k = 0; k < 3; ++k) {
            m->way[k][i] = m->in[i] && x[k] + 1 < GRID && m->in[i + STEP[k]] &&
                           !meets_skin(&m->s, m->at[i], m->at[i + STEP[k]]);
        }
    }
}

/* Closes the ways that a blade crosses. */
static void close_ways(model* m, const blade* b) {
    for (int i = 0; i < GRID * GRID * GRID; ++i) {
        for (int k = 0; k < 3; ++k) {
            for (int32_t t = 0; t < b->triangles && m->way[k][i]; ++t) {
                m->way[k][i] =
                    !crosses(m->at[i], m->at[i + STEP[k]], b->point, b->triangle + 3 * t);
            }
        }
    }
}

/* Floods the grid; label per point, -1 outside, and the number of points of each component. */
static int32_t flood(const model* m, int32_t* label, int32_t* size) {
    static int32_t stack[GRID * GRID * GRID];
    int32_t count = 0;
    for (int i = 0; i < GRID * GRID * GRID; ++i) {
        label[i] = -1;
    }
    for (int i = 0; i < GRID * GRID * GRID; ++i) {
        if (!m->in[i] || label[i] >= 0) {
            continue;
        }
        int top = 0;
        stack[top++] = i;
        label[i] = count;
        size[count] = 0;
        while (top > 0) {
            int p = stack[--top];
            size[count]++;
            for (int k = 0; k < 3; ++k) {
                int up = p + STEP[k], down = p - STEP[k];
                if (m->way[k][p] && label[up] < 0) {
                    label[up] = count;
                    stack[top++] = up;
                }
                if (down >= 0 && m->way[k][down] && label[down] < 0) {
                    label[down] = count;
                    stack[top++] = down;
                }
            }
        }
        count++;
    }
    return count;
}

/* Points that the grid joins lie in the same part of the surface. Returns whether the numbers of
 * large parts differ: the grid does not see necks thinner than its cells. */
static bool check_parts(const model* m, random_stream* r) {
    static int32_t label[GRID * GRID * GRID], home[GRID * GRID * GRID], size[GRID * GRID * GRID];
    int32_t count = flood(m, label, size), parts = 0, solids = 0, blocks = 0;
    arena a;
    arena_init(&a, NULL);
    int32_t* part = malloc(sizeof(int32_t) * (size_t)m->s.triangles);
    CHECK(cut_parts(&a, m->s.points, m->s.triangle, m->s.triangles, part, &parts) == LIM_OK);
    for (int32_t i = 0; i < count; ++i) {
        home[i] = -1;
        blocks += size[i] > 60;
    }
    for (int32_t p = 0; p < parts; ++p) {
        double volume = solid_volume(m->s.point, m->s.triangle, m->s.triangles, part, p);
        solids += volume * (double)(GRID * GRID * GRID) > 60.0;
    }
    for (int tries = 0; tries < 40; ++tries) {
        int i = random_index(r, GRID * GRID * GRID);
        for (int32_t p = 0; p < parts && label[i] >= 0; ++p) {
            if (is_in(m->at[i], &m->s, part, p)) {
                CHECK(home[label[i]] < 0 || home[label[i]] == p);
                home[label[i]] = p;
            }
        }
        CHECK(label[i] < 0 || home[label[i]] >= 0);
    }
    free(part);
    arena_release(&a);
    return solids != blocks;
}

static void model_make(model* m, int which) {
    shape s = {0};
    if (which == 0) {
        shape_sphere(&s, 0, 0, 0, 0.45, 14);
    } else if (which == 1) {
        shape_torus(&s, 0.32, 0.13, 24, 12);
    } else if (which == 2) {
        shape_fingers(&s, 0.25, 0.2);
        shape_place(&s, 0.9, -0.32, -0.45, -0.18);
    } else if (which == 3) {
        shape_box(&s, -0.4, -0.3, -0.45, 0.4, 0.3, 0.45);
    } else { /* a thick body with a hollow */
        shape_sphere(&s, 0, 0, 0, 0.45, 10);
        int32_t outer = s.triangles;
        shape_sphere(&s, 0.05, 0.02, -0.03, 0.2, 6);
        shape_flip(&s, outer, s.triangles);
    }
    model_of(m, &s);
}

static void report(const char* name, int strokes, int cut, int refused, int differ) {
    printf("  %s: %d strokes, %d cut, %d refused, %d not as the grid\n", name, strokes, cut,
           refused, differ);
}

/* Independent strokes: 300 in all, 5,000 in the long run. */
static void strokes(void) {
    int cut = 0, refused = 0, differ = 0, each = test_long ? 1000 : 60, total = 0;
    random_stream r = random_seed(11);
    model *fresh = malloc(sizeof(model)), *m = malloc(sizeof(model));
    for (int which = 0; which < 5; ++which) {
        model_make(fresh, which);
        for (int i = 0; i < each; ++i, ++total) {
            blade b = random_stroke(&r);
            memcpy(m, fresh, sizeof(model));
            m->s = solid_copy(&fresh->s);
            cut_result counts;
            lim_result result = solid_cut(&m->s, &b, (uint64_t)i, NULL, &counts);
            refused += result != LIM_OK;
            cut += counts.removed_count > 0;
            CHECK(result == LIM_OK || result == LIM_ERROR_UNSUPPORTED);
            if (result == LIM_OK && counts.triangle_count > 0) {
                close_ways(m, &b);
                differ += check_parts(m, &r);
            }
            solid_free(&m->s);
        }
        solid_free(&fresh->s);
    }
    report("one", total, cut, refused, differ);
    CHECK(10 * cut >= 6 * total);
    CHECK(50 * refused <= total); /* blades that cross themselves */
    CHECK(20 * differ <= total);  /* necks too thin for the grid */
    free(fresh);
    free(m);
}

/* Skin points on each side of a plane, joined along skin edges that do not cross it: so many parts
 * a solid without hollows falls into. */
static int32_t parts_of_plane(const solid* s, lim_point o, lim_point n) {
    int32_t* root = malloc((size_t)s->points * sizeof(int32_t));
    int32_t count = s->points;
    for (int32_t i = 0; i < s->points; ++i) {
        root[i] = i;
    }
    for (int32_t i = 0; i < 3 * s->triangles; ++i) {
        int32_t a = s->triangle[i], b = s->triangle[i % 3 == 2 ? i - 2 : i + 1];
        double above = p3_dot(n, p3_sub(s->point[a], o)), below = p3_dot(n, p3_sub(s->point[b], o));
        while (root[a] != a) {
            a = root[a];
        }
        while (root[b] != b) {
            b = root[b];
        }
        if ((above > 0.0) == (below > 0.0) && a != b) {
            root[a > b ? a : b] = a > b ? b : a;
            count--;
        }
    }
    free(root);
    return count;
}

/* Whole planes, as a grid of many triangles that is larger than the solid: the number of parts is
 * exactly known. */
static void planes(void) {
    random_stream r = random_seed(14);
    int more = 0;
    for (int i = 0; i < (test_long ? 2000 : 200); ++i) {
        shape shape_of[4] = {{0}};
        shape_sphere(&shape_of[0], 0, 0, 0, 0.45, 14);
        shape_torus(&shape_of[1], 0.32, 0.13, 24, 12);
        shape_fingers(&shape_of[2], 0.25, 0.2);
        shape_place(&shape_of[2], 0.9, -0.32, -0.45, -0.18);
        shape_box(&shape_of[3], -0.4, -0.3, -0.45, 0.4, 0.3, 0.45);
        lim_point centre = random_point(&r, 0.6), u = random_point(&r, 1.0),
                  v = random_point(&r, 1.0);
        u = p3_scale(u, 3.0 / p3_length(u));
        v = p3_sub(v, p3_scale(u, p3_dot(u, v) / 9.0));
        v = p3_scale(v, 3.0 / p3_length(v));
        int32_t n = 2 + random_index(&r, 12);
        blade b = {.points = n * n};
        for (int32_t k = 0; k < n * n; ++k) {
            lim_point p = p3_mad(centre, u, (double)(k / n) / (n - 1) - 0.5);
            b.point[k] = p3_mad(p, v, (double)(k % n) / (n - 1) - 0.5);
        }
        blade_grid(&b, n, n);
        for (int which = 0; which < 4; ++which) {
            solid s = solid_of(&shape_of[which]);
            int32_t expected = parts_of_plane(&s, centre, p3_cross(u, v)), parts = 0;
            CHECK(solid_cut(&s, &b, (uint64_t)i, NULL, NULL) == LIM_OK);
            arena a;
            arena_init(&a, NULL);
            int32_t* part = malloc((size_t)s.triangles * sizeof(int32_t));
            CHECK(cut_parts(&a, s.points, s.triangle, s.triangles, part, &parts) == LIM_OK);
            CHECK(parts == expected);
            more += parts > 2;
            free(part);
            arena_release(&a);
            solid_free(&s);
        }
    }
    CHECK(more > 10);
}

/* Two to five strokes on the same solid. */
static void several(void) {
    int cut = 0, refused = 0, total = 0, solids = test_long ? 300 : 20, differ = 0;
    random_stream r = random_seed(12);
    model *fresh = malloc(sizeof(model)), *m = malloc(sizeof(model));
    for (int which = 0; which < 5; ++which) {
        model_make(fresh, which);
        for (int i = 0; i < solids; ++i) {
            memcpy(m, fresh, sizeof(model));
            m->s = solid_copy(&fresh->s);
            int32_t count = 2 + random_index(&r, 4);
            for (int32_t k = 0; k < count; ++k, ++total) {
                blade b = random_stroke(&r);
                cut_result counts;
                lim_result result = solid_cut(&m->s, &b, (uint64_t)k, NULL, &counts);
                refused += result != LIM_OK;
                cut += counts.removed_count > 0;
                CHECK(result == LIM_OK || result == LIM_ERROR_UNSUPPORTED);
                if (result == LIM_OK) {
                    close_ways(m, &b);
                }
            }
            differ += check_parts(m, &r);
            solid_free(&m->s);
        }
        solid_free(&fresh->s);
    }
    report("several", total, cut, refused, differ);
    CHECK(10 * cut >= 6 * total);
    CHECK(20 * refused <= total);
    free(fresh);
    free(m);
}

/* Does a blade touch itself anywhere but at shared points? */
static bool touches_itself(const blade* b) {
    for (int32_t i = 0; i < 3 * b->triangles; ++i) {
        int32_t p = b->triangle[i], q = b->triangle[i % 3 == 2 ? i - 2 : i + 1];
        for (int32_t t = 0; t < b->triangles; ++t) {
            const int32_t* c = b->triangle + 3 * t;
            if (p == c[0] || p == c[1] || p == c[2] || q == c[0] || q == c[1] || q == c[2]) {
                continue;
            }
            lim_point x[3] = {b->point[c[0]], b->point[c[1]], b->point[c[2]]};
            lim_point a = b->point[p], e = b->point[q];
            int s[3];
            for (int k = 0; k < 3; ++k) {
                s[k] = orient3d(a, e, x[k], x[(k + 1) % 3]);
            }
            bool apart = orient3d(x[0], x[1], x[2], a) * orient3d(x[0], x[1], x[2], e) > 0;
            bool past = s[0] * s[1] < 0 || s[1] * s[2] < 0 || s[2] * s[0] < 0;
            if (!apart && !past) {
                return true;
            }
        }
    }
    return false;
}

/* Corners of boxes and blades on a grid of 7^3 places, a quarter apart. */
static void coarse_grid(void) {
    int refused = 0, without_reason = 0, cut = 0, total = test_long ? 20000 : 1500;
    random_stream r = random_seed(13);
    for (int i = 0; i < total; ++i) {
        shape box = {0};
        shape_box(&box, -0.5, -0.5, -0.5, 0.5, 0.5, 0.5);
        solid s = solid_of(&box);
        for (int k = 0; k < 3; ++k) {
            blade b = {0};
            int32_t rows = 2 + random_index(&r, 2);
            b.points = 2 * rows;
            for (int32_t p = 0; p < b.points; ++p) {
                int32_t c[3];
                for (int j = 0; j < 3; ++j) {
                    c[j] = random_index(&r, 7) - 3;
                }
                b.point[p] = p3(c[0] / 4.0, c[1] / 4.0, c[2] / 4.0);
            }
            blade_grid(&b, rows, 2);
            cut_result counts;
            lim_result result = solid_cut(&s, &b, (uint64_t)i, NULL, &counts);
            refused += result != LIM_OK;
            cut += counts.removed_count > 0;
            CHECK(result == LIM_OK || result == LIM_ERROR_UNSUPPORTED ||
                  result == LIM_ERROR_ARGUMENT);
            without_reason += result == LIM_ERROR_UNSUPPORTED && !touches_itself(&b);
        }
        solid_free(&s);
    }
    report("grid", 3 * total, cut, refused, 0);
    printf("  refused for no fault of the blade's: %d\n", without_reason);
    CHECK(without_reason <= 3 * total / 200);
    CHECK(2 * cut > total);
}

TEST_SUITE(cut_strokes) {
    TEST_BEGIN(argc, argv);
    RUN(strokes);
    RUN(planes);
    RUN(several);
    RUN(coarse_grid);
    TEST_END();
}
