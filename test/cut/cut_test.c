/* SPDX-License-Identifier: MIT
 * Cuts of a cube by hand: what they must leave is known.
 */
#include "cut_kit.h"
#include "failing_host.h"

static solid cube(void) {
    shape s = {0};
    shape_box(&s, 0, 0, 0, 1, 1, 1);
    return solid_of(&s);
}

static void halves(void) {
    solid s = cube();
    blade b = blade_quad(p3(-0.5, -0.25, 0.5), p3(2, 0, 0), p3(0, 1.75, 0));
    int32_t parts = 0;
    cut_result r;
    CHECK(solid_cut(&s, &b, 0, &parts, &r) == LIM_OK);
    CHECK(parts == 2 && r.tries == 0);
    arena a;
    arena_init(&a, NULL);
    int32_t* part = malloc((size_t)s.triangles * sizeof(int32_t));
    CHECK(cut_parts(&a, s.points, s.triangle, s.triangles, part, &parts) == LIM_OK && parts == 2);
    CHECK_NEAR(solid_volume(s.point, s.triangle, s.triangles, part, 0), 0.5, 1e-15);
    CHECK_NEAR(solid_volume(s.point, s.triangle, s.triangles, part, 1), 0.5, 1e-15);
    free(part);
    arena_release(&a);
    solid_free(&s);
}

/* One cut of a fresh cube: what became of it. */
static lim_result cut_cube(const blade* b, int32_t* parts, cut_result* r) {
    solid s = cube();
    lim_result result = solid_cut(&s, b, 1, parts, r);
    solid_free(&s);
    return result;
}

static int32_t front_points(solid* s, const blade* b) {
    arena a;
    arena_init(&a, NULL);
    cut_surface surface = solid_surface(s);
    cut_blade view = blade_view(b);
    cut_options options = {0};
    cut_result r;
    CHECK(cut_surface_along(&a, &surface, &view, &options, &r) == LIM_OK);
    int32_t front = 0;
    for (int32_t i = 0; i < r.point_count; ++i) {
        front += r.origin[i].side == 0;
    }
    arena_release(&a);
    return front;
}

/* A blade that goes half through: one part with a slit. Its border inside is the front: two points
 * where it leaves the cube and those where blade edges end on it. */
static void partial(void) {
    blade b = blade_quad(p3(-0.5, -0.25, 0.45), p3(1.1, 0.05, 0), p3(0, 1.75, 0.1));
    int32_t parts = 0;
    cut_result r;
    CHECK(cut_cube(&b, &parts, &r) == LIM_OK);
    CHECK(parts == 1 && r.tries == 0 && r.removed_count > 0);
    solid s = cube();
    CHECK(front_points(&s, &b) == 2);
    solid_free(&s);
    /* narrow: a stab through one face, whose front has two corners inside */
    b = blade_quad(p3(-0.5, 0.31, 0.45), p3(1.1, 0.05, 0), p3(0, 0.3, 0.1));
    CHECK(cut_cube(&b, &parts, &r) == LIM_OK);
    CHECK(parts == 1 && r.removed_count > 0);
    s = cube();
    CHECK(front_points(&s, &b) == 4);
    solid_free(&s);
}

/* Wholly inside: a hollow of no volume. Wholly outside: nothing. */
static void inside_and_outside(void) {
    blade b = blade_quad(p3(0.3, 0.31, 0.45), p3(0.4, 0.05, 0), p3(0, 0.3, 0.1));
    int32_t parts = 0;
    cut_result r;
    CHECK(cut_cube(&b, &parts, &r) == LIM_OK);
    /* two triangles, a point in the middle of their edge: 4 triangles on each side */
    CHECK(parts == 1 && r.removed_count == 0 && r.triangle_count == 8 && r.point_count == 6);
    b = blade_quad(p3(0.3, 0.31, 1.45), p3(0.4, 0.05, 0), p3(0, 0.3, 0.1));
    CHECK(cut_cube(&b, &parts, &r) == LIM_OK);
    CHECK(parts == 1 && r.removed_count == 0 && r.triangle_count == 0 && r.point_count == 0);
}

/* Exactly through corners and edges, in a face, ending on the surface: all must give something
 * closed (solid_cut checks it). */
static void exactly(void) {
    const struct {
        lim_point o, u, v;
        int32_t low, high; /* parts */
    } row[] = {
        {{-1, -1, 0.5}, {3, 0, 0}, {0, 3, 0}, 2, 2},       /* its diagonal through edges */
        {{-1, -1, -1}, {3, 3, 0}, {0, 0, 3}, 2, 2},        /* the plane x = y: along edges */
        {{0.5, 0, -1}, {-1, 1, 0}, {0, 0, 3}, 2, 2},       /* border along */
        {{1, -1, -1}, {0, 3, 0}, {0, 0, 3}, 1, 2},         /* in the face x = 1 */
        {{0, 0, 0.5}, {1, 0, 0}, {0, 1, 0}, 1, 2},         /* border exactly on the surface */
        {{0, 0, 0}, {1, 1, 0}, {0, 0, 1}, 1, 2},           /* corners on corners */
        {{0.5, 0.5, 0.5}, {1, 0, 0}, {0, 1, 0}, 1, 1},     /* corner in the centre */
        {{0.25, 0.25, 0}, {0.5, 0, 0}, {0, 0.5, 0}, 1, 2}, /* a patch of a face */
        {{1, 1, -1}, {0, 1, 0}, {0, 0, 3}, 1, 1},          /* touches an edge */
        {{-1, 2, 0}, {3, -3, 0}, {0.5, 0.5, 2}, 1, 3},     /* through two edges, slanted */
    };
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); ++i) {
        blade b = blade_quad(row[i].o, row[i].u, row[i].v);
        int32_t parts = 0;
        cut_result r;
        lim_result result = cut_cube(&b, &parts, &r);
        CHECK(result == LIM_OK);
        CHECK(parts >= row[i].low && parts <= row[i].high);
        if (result != LIM_OK || parts < row[i].low || parts > row[i].high) {
            printf("  row %d: %s, %d parts\n", (int)i, lim_result_name(result), parts);
        }
    }
}

/* A small corner off: its volume by hand, three legs of 0.3. */
static void corner(void) {
    solid s = cube();
    /* in the plane x + y + z = 0.3 */
    blade b = blade_quad(p3(2.3, -1.0, -1.0), p3(-3.1, 3.1, 0), p3(-3.2, 0, 3.2));
    int32_t parts = 0;
    CHECK(solid_cut(&s, &b, 0, &parts, NULL) == LIM_OK);
    CHECK(parts == 2);
    arena a;
    arena_init(&a, NULL);
    int32_t* part = malloc((size_t)s.triangles * sizeof(int32_t));
    int32_t count = 0;
    CHECK(cut_parts(&a, s.points, s.triangle, s.triangles, part, &count) == LIM_OK);
    double volume[2] = {solid_volume(s.point, s.triangle, s.triangles, part, 0),
                        solid_volume(s.point, s.triangle, s.triangles, part, 1)};
    double small = volume[0] < volume[1] ? volume[0] : volume[1];
    CHECK_NEAR(small, 0.3 * 0.3 * 0.3 / 6.0, 1e-9);
    free(part);
    arena_release(&a);
    solid_free(&s);
}

/* An arch of 12 sweeps, cut out of the cube's top: two parts, the cut face is bent. */
static void bent(void) {
    blade b = {.points = 26};
    for (int i = 0; i < 13; ++i) {
        double t = -0.3 + (SHAPE_PI + 0.6) * i / 12.0;
        b.point[2 * i] = p3(0.5 + 0.3 * cos(t), -0.2, 1.01 - 0.4 * sin(t));
        b.point[2 * i + 1] = p3(0.5 + 0.3 * cos(t), 1.2, 1.01 - 0.4 * sin(t));
    }
    blade_grid(&b, 13, 2);
    int32_t parts = 0;
    cut_result r;
    CHECK(cut_cube(&b, &parts, &r) == LIM_OK);
    CHECK(parts == 2);
}

/* Three planes through the cube one after the other, then the same again from the side: pieces
 * whose faces lie on each other are cut through. */
static void cuts_of_cuts(void) {
    solid s = cube();
    int32_t parts = 0;
    const double at[2] = {0.31, 0.64};
    for (int axis = 0; axis < 3; ++axis) {
        for (int k = 0; k < 2; ++k) {
            double o[3] = {-0.5, -0.4, -0.3}, u[3] = {0}, v[3] = {0};
            o[axis] = at[k] + 0.01 * axis;
            u[(axis + 1) % 3] = 2.0;
            v[(axis + 2) % 3] = 2.0;
            u[axis] = 0.03;
            blade b = blade_quad(p3(o[0], o[1], o[2]), p3(u[0], u[1], u[2]), p3(v[0], v[1], v[2]));
            CHECK(solid_cut(&s, &b, (uint64_t)(3 * axis + k), &parts, NULL) == LIM_OK);
        }
    }
    CHECK(parts == 27);
    /* The same bits from every compiler and machine. */
    uint64_t hash = hash_bytes(HASH_SEED, s.triangle, 12 * (size_t)s.triangles);
    hash = hash_bytes(hash, s.point, sizeof(lim_point) * (size_t)s.points);
    CHECK(hash == 0x7F8772907C2B776Eu);
    if (hash != 0x7F8772907C2B776Eu) {
        printf("  hash 0x%016llX\n", (unsigned long long)hash);
    }
    solid_free(&s);
}

/* Two slits from opposite sides whose fronts overlap crosswise: still one part. Then a cut across
 * both slits. */
static void across_slits(void) {
    solid s = cube();
    int32_t parts = 0;
    blade b = blade_quad(p3(-0.5, -0.25, 0.45), p3(1.1, 0.05, 0), p3(0, 1.75, 0.1));
    CHECK(solid_cut(&s, &b, 1, &parts, NULL) == LIM_OK && parts == 1);
    b = blade_quad(p3(1.5, -0.25, 0.65), p3(-1.2, 0.05, 0), p3(0, 1.75, 0.1));
    CHECK(solid_cut(&s, &b, 2, &parts, NULL) == LIM_OK && parts == 1);
    b = blade_quad(p3(0.53, -0.25, -0.5), p3(0.01, 2, 0), p3(0, 0.02, 2));
    CHECK(solid_cut(&s, &b, 3, &parts, NULL) == LIM_OK && parts == 4);
    solid_free(&s);
}

/* A stroke that grows, each time cut anew: slits that get longer, at last two parts. */
static void grows(void) {
    int32_t last = 0;
    for (int32_t rows = 2; rows <= 9; ++rows) {
        blade b = {.points = 2 * rows};
        for (int32_t i = 0; i < rows; ++i) {
            double x = -0.13 + 0.155 * i;
            b.point[2 * i] = p3(x, -0.2, 0.5 + 0.2 * x * x);
            b.point[2 * i + 1] = p3(x + 0.02, 1.2, 0.45 + 0.2 * x * x);
        }
        blade_grid(&b, rows, 2);
        int32_t parts = 0;
        cut_result r;
        CHECK(cut_cube(&b, &parts, &r) == LIM_OK);
        CHECK(r.triangle_count > last);
        CHECK(parts == (rows < 9 ? 1 : 2));
        last = r.triangle_count;
    }
}

/* Another stroke that goes on where a slit ends: it must pass through the slit behind its front,
 * and then the parts come apart. */
static void goes_on(void) {
    solid s = cube();
    int32_t parts = 0;
    blade b = blade_quad(p3(-0.5, -0.25, 0.45), p3(1.1, 0, 0), p3(0, 1.75, 0.1));
    CHECK(solid_cut(&s, &b, 1, &parts, NULL) == LIM_OK && parts == 1);
    solid through = solid_copy(&s);
    b = blade_quad(p3(0.4, -0.25, 0.451), p3(1.1, 0, -0.012), p3(0, 1.75, 0.1));
    CHECK(solid_cut(&through, &b, 2, &parts, NULL) == LIM_OK && parts == 2);
    b = blade_quad(p3(0.4, -0.25, 0.47), p3(1.1, 0, -0.012), p3(0, 1.75, 0.1)); /* beside it */
    CHECK(solid_cut(&s, &b, 2, &parts, NULL) == LIM_OK && parts == 1);
    solid_free(&s);
    solid_free(&through);
}

/* The same stroke again, exactly: the solid stays closed, whatever flakes come off. */
static void same_path(void) {
    solid s = cube();
    blade b = blade_quad(p3(-0.5, -0.25, 0.45), p3(1.1, 0.05, 0), p3(0, 1.75, 0.1));
    for (uint64_t i = 0; i < 3; ++i) {
        lim_result result = solid_cut(&s, &b, i, NULL, NULL);
        CHECK(result == LIM_OK || result == LIM_ERROR_UNSUPPORTED);
    }
    solid_free(&s);
}

static void bad_input(void) {
    solid s = cube();
    blade good = blade_quad(p3(-0.5, -0.25, 0.45), p3(2.1, 0.05, 0), p3(0, 1.75, 0.1)), b = good;
    b.point[1].x = NAN;
    CHECK(solid_cut(&s, &b, 0, NULL, NULL) == LIM_ERROR_ARGUMENT);
    b = good;
    b.triangle[0] = 4;
    CHECK(solid_cut(&s, &b, 0, NULL, NULL) == LIM_ERROR_ARGUMENT);
    b = good;
    b.point[3] = b.point[0]; /* no area */
    CHECK(solid_cut(&s, &b, 0, NULL, NULL) == LIM_ERROR_ARGUMENT);
    b = good;
    b.triangle[3] = good.triangle[5]; /* turned against its neighbour */
    b.triangle[5] = good.triangle[3];
    CHECK(solid_cut(&s, &b, 0, NULL, NULL) == LIM_ERROR_ARGUMENT);
    /* two sheets that cross */
    blade second = blade_quad(p3(-0.5, 0.2, -0.4), p3(2, 0, 0), p3(0, 0.1, 2));
    b = good;
    memcpy(b.point + 4, second.point, 4 * sizeof(lim_point));
    for (int i = 0; i < 6; ++i) {
        b.triangle[6 + i] = 4 + second.triangle[i];
    }
    b.points = 8;
    b.triangles = 4;
    CHECK(solid_cut(&s, &b, 0, NULL, NULL) == LIM_ERROR_UNSUPPORTED);
    /* a hole where the blade passes: in a side face */
    for (int32_t t = 12; t < 12 + 3 * 4; t += 3) {
        solid open = solid_copy(&s);
        open.triangles--;
        memmove(open.triangle + t, open.triangle + t + 3,
                sizeof(int32_t) * (size_t)(3 * open.triangles - t));
        lim_result result = solid_cut(&open, &good, 0, NULL, NULL);
        CHECK(result == LIM_ERROR_MESH);
        solid_free(&open);
    }
    s.triangle[0] = 99;
    CHECK(solid_cut(&s, &good, 0, NULL, NULL) == LIM_ERROR_ARGUMENT);
    solid_free(&s);
}

/* Whether the box of a triangle comes near the box of one of the blade. */
static bool is_near(const solid* s, int32_t t, const cut_blade* view) {
    const double margin = 1e-5;
    const int32_t* p = s->triangle + 3 * t;
    lim_point low = p3_min(p3_min(s->point[p[0]], s->point[p[1]]), s->point[p[2]]);
    lim_point high = p3_max(p3_max(s->point[p[0]], s->point[p[1]]), s->point[p[2]]);
    bool near = false;
    for (int32_t i = 0; i < view->triangle_count; ++i) {
        const int32_t* q = view->triangle + 3 * i;
        lim_point a = view->point[q[0]], b = view->point[q[1]], c = view->point[q[2]];
        lim_point least = p3_min(p3_min(a, b), c), most = p3_max(p3_max(a, b), c);
        near = near || (low.x <= most.x + margin && high.x >= least.x - margin &&
                        low.y <= most.y + margin && high.y >= least.y - margin &&
                        low.z <= most.z + margin && high.z >= least.z - margin);
    }
    return near;
}

/* Only the triangles near the blade as candidates: the same bits as all. */
static void candidates(void) {
    shape ball = {0};
    shape_sphere(&ball, 0, 0, 0, 0.5, 12);
    solid s = solid_of(&ball);
    blade b = blade_quad(p3(-0.2, -0.3, 0.05), p3(0.9, 0.05, 0.1), p3(0.1, 0.75, 0.1));
    arena a;
    arena_init(&a, NULL);
    cut_surface surface = solid_surface(&s);
    cut_blade view = blade_view(&b);
    int32_t count = 0, *list = ARENA_ARRAY(&a, int32_t, s.triangles);
    for (int32_t t = 0; t < s.triangles; ++t) {
        if (is_near(&s, t, &view)) {
            list[count++] = t;
        }
    }
    CHECK(count > 20 && 2 * count < s.triangles);
    cut_result r[2];
    cut_options options = {0};
    CHECK(cut_surface_along(&a, &surface, &view, &options, &r[0]) == LIM_OK);
    options.candidate = list;
    options.candidate_count = count;
    CHECK(cut_surface_along(&a, &surface, &view, &options, &r[1]) == LIM_OK);
    CHECK(r[0].triangle_count > 20 && r[0].triangle_count == r[1].triangle_count);
    CHECK(memcmp(r[0].triangle, r[1].triangle, 12 * (size_t)r[0].triangle_count) == 0);
    CHECK(memcmp(r[0].point, r[1].point, sizeof(lim_point) * (size_t)r[0].point_count) == 0);
    arena_release(&a);
    solid_free(&s);
}

static void memory_runs_out(void) {
    solid s = cube();
    blade b = blade_quad(p3(-0.5, -0.25, 0.45), p3(1.1, 0.05, 0), p3(0, 1.75, 0.1));
    cut_surface surface = solid_surface(&s);
    cut_blade view = blade_view(&b);
    cut_options options = {0};
    for (int64_t fail = 0;; ++fail) {
        failing_host f;
        failing_host_arm(&f, fail);
        arena a;
        arena_init(&a, &f.host);
        cut_result r;
        cut_whole w;
        r = (cut_result){0};
        lim_result result = cut_surface_along(&a, &surface, &view, &options, &r);
        CHECK(result == LIM_OK || (result == LIM_ERROR_MEMORY && r.triangle_count == 0));
        if (result == LIM_OK) {
            result = cut_apply(&a, &surface, &r, &w);
        }
        arena_release(&a);
        CHECK(f.held == 0);
        if (result == LIM_OK) {
            CHECK(fail > 10);
            break;
        }
        CHECK(result == LIM_ERROR_MEMORY);
    }
    solid_free(&s);
}

TEST_SUITE(cut) {
    TEST_BEGIN(argc, argv);
    RUN(halves);
    RUN(partial);
    RUN(inside_and_outside);
    RUN(exactly);
    RUN(corner);
    RUN(bent);
    RUN(cuts_of_cuts);
    RUN(across_slits);
    RUN(grows);
    RUN(goes_on);
    RUN(same_path);
    RUN(bad_input);
    RUN(candidates);
    RUN(memory_runs_out);
    TEST_END();
}
