/* SPDX-License-Identifier: MIT
 * Detail on the deformed skin: it turns along, leaves alone what has none, and gives right normals;
 * several tools keep to themselves; the whole way from displacement to skin.
 */
#include "detail/correlate.h"
#include "detail/detail_skin.h"
#include "detail/displacement.h"
#include "detail/press.h"

#include "base/random.h"
#include "detail_kit.h"
#include "failing_host.h"
#include "math/quat.h"
#include "test.h"

static void bend(kit_skin* k, float* positions, float* normals, float curve) {
    for (int32_t v = 0; v < k->vertices; ++v) {
        lim_vec3 x = kit_load(k->rest, k->vertex_point[v]), n = kit_load(k->normals, v);
        double a = (double)(curve * x.x), r = 1.0 / (double)curve + (double)x.y;
        double s = trig_sin(a), c = trig_cos(a);
        kit_store(positions, v, v3_of(p3(r * s, r * c, (double)x.z)));
        kit_store(normals, v,
                  v3_of(p3((double)n.x * c + (double)n.y * s, (double)n.y * c - (double)n.x * s,
                           (double)n.z)));
    }
}

static void no_detail_changes_no_bit(void) {
    kit_skin k = kit_slab(10);
    CHECK(kit_build(&k));
    detail_room room;
    CHECK(detail_room_create(&k.mem, &k.s, &room) == LIM_OK);
    size_t bytes = 3 * (size_t)k.vertices * sizeof(float);
    float *p = malloc(bytes), *n = malloc(bytes), *q = malloc(bytes), *m = malloc(bytes);
    bend(&k, p, n, 0.7f);
    memcpy(q, p, bytes);
    memcpy(m, n, bytes);
    float* sum = kit_dense(&k, k.points);
    detail_move(&k.s, sum, 2.0f, &room, q, m, NULL);
    CHECK(memcmp(p, q, bytes) == 0 && memcmp(n, m, bytes) == 0);
    /* one point: it and the normals about it, nothing else */
    int32_t point = 5 * 11 + 5;
    detail_set(sum, point, v3(0, 0.05f, 0));
    detail_move(&k.s, sum, 2.0f, &room, q, m, NULL);
    for (int32_t v = 0; v < k.vertices; ++v) {
        lim_vec3 a = kit_load(k.rest, k.vertex_point[v]), b = kit_load(k.rest, point);
        float away = v3_length(v3_sub(a, b));
        CHECK((memcmp(p + 3 * v, q + 3 * v, 12) == 0) == (away > 0.0f));
        CHECK(away < 0.15f || memcmp(n + 3 * v, m + 3 * v, 12) == 0);
    }
    lim_vec3 moved = v3_sub(kit_load(q, point), kit_load(p, point));
    CHECK_NEAR(v3_length(v3_sub(moved, v3_scale(kit_load(n, point), 0.1f))), 0.0, 1e-6);
    free(p);
    free(q);
    free(n);
    free(m);
    arena_release(&k.mem);
}

static void random_field(const kit_skin* k, uint64_t seed, float* dense) {
    random_stream r = random_seed(seed);
    for (int32_t i = 0; i < k->points; ++i) {
        detail_set(dense, i,
                   v3(random_range(&r, -0.02f, 0.02f), random_range(&r, -0.02f, 0.02f),
                      random_range(&r, -0.02f, 0.02f)));
    }
}

/* What moves the skin of a bent body, turned back, is the field that moved it. */
static void a_move_turns_back_into_its_field(void) {
    kit_skin k = kit_slab(10);
    CHECK(kit_build(&k));
    detail_room room;
    CHECK(detail_room_create(&k.mem, &k.s, &room) == LIM_OK);
    size_t bytes = 3 * (size_t)k.vertices * sizeof(float);
    float *p = malloc(bytes), *n = malloc(bytes), *q = malloc(bytes), *m = malloc(bytes);
    bend(&k, p, n, 0.7f);
    memcpy(q, p, bytes);
    memcpy(m, n, bytes);
    float* sum = kit_dense(&k, k.points);
    random_field(&k, 4, sum);
    detail_move(&k.s, sum, 1.0f, &room, q, m, NULL);
    for (int32_t i = 0; i < k.points; ++i) {
        lim_vec3 moved = v3_sub(kit_load(q, k.s.point_vertex[i]), kit_load(p, k.s.point_vertex[i]));
        lim_vec3 back = detail_to_rest(&k.s, i, moved, p, n);
        CHECK_NEAR(v3_length(v3_sub(back, detail_get(sum, i))), 0.0, 2e-6);
        CHECK(v3_length(v3_sub(moved, detail_get(sum, i))) > 1e-5f || k.rest[3 * i] < 0.05f);
    }
    free(p);
    free(q);
    free(n);
    free(m);
    arena_release(&k.mem);
}

/* The skin turned, then detail: the same as detail, then turned. Vertices of one point move as one.
 */
static void a_rigid_motion_turns_detail_along(void) {
    kit_skin k = kit_slab(8);
    CHECK(kit_build(&k));
    detail_room room;
    CHECK(detail_room_create(&k.mem, &k.s, &room) == LIM_OK);
    size_t bytes = 3 * (size_t)k.vertices * sizeof(float);
    float *p = malloc(bytes), *n = malloc(bytes), *q = malloc(bytes), *m = malloc(bytes);
    float* sum = kit_dense(&k, k.points);
    random_field(&k, 1, sum);
    dquat turn = dquat_unit((dquat){0.3, -0.6, 0.4, 0.5});
    bend(&k, p, n, 0.7f);
    for (int32_t v = 0; v < k.vertices; ++v) {
        lim_point x = dquat_rotate(turn, p3_of(kit_load(p, v)));
        kit_store(q, v, v3_of(p3_add(x, p3(1, 2, 3))));
        kit_store(m, v, v3_of(dquat_rotate(turn, p3_of(kit_load(n, v)))));
    }
    detail_move(&k.s, sum, 1.0f, &room, p, n, NULL);
    detail_move(&k.s, sum, 1.0f, &room, q, m, NULL);
    for (int32_t v = 0; v < k.vertices; ++v) {
        lim_point x = p3_add(dquat_rotate(turn, p3_of(kit_load(p, v))), p3(1, 2, 3));
        CHECK_NEAR(p3_length(p3_sub(p3_of(kit_load(q, v)), x)), 0.0, 3e-6);
        x = dquat_rotate(turn, p3_of(kit_load(n, v)));
        CHECK_NEAR(p3_length(p3_sub(p3_of(kit_load(m, v)), x)), 0.0, 2e-4);
        int32_t first = k.s.point_vertex[k.vertex_point[v]];
        CHECK(memcmp(p + 3 * v, p + 3 * first, 12) == 0);
    }
    free(p);
    free(q);
    free(n);
    free(m);
    arena_release(&k.mem);
}

/* Bent about a cylinder: outwards stays outwards, along the axis along it, and around around. */
static void a_bend_carries_detail_along(void) {
    kit_skin k = kit_slab(12);
    CHECK(kit_build(&k));
    detail_room room;
    CHECK(detail_room_create(&k.mem, &k.s, &room) == LIM_OK);
    size_t bytes = 3 * (size_t)k.vertices * sizeof(float);
    float *p = malloc(bytes), *n = malloc(bytes), *q = malloc(bytes), *m = malloc(bytes);
    const lim_vec3 ways[3] = {{0.01f, 0, 0}, {0, 0.01f, 0}, {0, 0, 0.01f}};
    for (int way = 0; way < 3; ++way) {
        float* sum = kit_dense(&k, k.points);
        for (int32_t i = 0; i < k.points; ++i) {
            detail_set(sum, i, ways[way]);
        }
        bend(&k, p, n, 1.2f);
        memcpy(q, p, bytes);
        memcpy(m, n, bytes);
        detail_move(&k.s, sum, 1.0f, &room, q, m, NULL);
        for (int32_t v = 0; v < 13 * 13; ++v) {
            lim_vec3 normal = kit_load(n, v), axis = {0, 0, 1};
            lim_vec3 want = way == 1 ? normal : way == 2 ? axis : v3_cross(normal, axis);
            lim_vec3 got = v3_scale(v3_sub(kit_load(q, v), kit_load(p, v)), 100.0f);
            CHECK_NEAR(v3_length(v3_sub(got, want)), 0.0, 0.07); /* the neighbour lies around it */
        }
    }
    free(p);
    free(q);
    free(n);
    free(m);
    arena_release(&k.mem);
}

/* A ball that swells keeps its normals; one with a smooth bump gets those of the bump. */
static void normals_are_those_of_the_new_surface(void) {
    kit_skin k = kit_ball(120, 60);
    CHECK(kit_build(&k));
    detail_room room;
    CHECK(detail_room_create(&k.mem, &k.s, &room) == LIM_OK);
    size_t bytes = 3 * (size_t)k.vertices * sizeof(float);
    float *p = malloc(bytes), *n = malloc(bytes), *t = calloc(4 * (size_t)k.vertices, sizeof *t);
    float* sum = kit_dense(&k, k.points);
    for (int pass = 0; pass < 2; ++pass) {
        memcpy(p, k.positions, bytes);
        memcpy(n, k.normals, bytes);
        for (int32_t i = 0; i < k.points; ++i) {
            /* radius 1 + h(y): the normal tilts by h'(y) */
            float y = k.s.normal[i].y, h = pass == 0 ? 0.1f : 0.1f * y;
            detail_set(sum, i, v3_scale(k.s.normal[i], h));
            lim_vec3 east = v3_unit(v3(-k.s.normal[i].z, 0, k.s.normal[i].x), v3(1, 0, 0));
            kit_store(t + i, i, east); /* 4 per vertex */
        }
        detail_move(&k.s, sum, 1.0f, &room, p, n, t);
        for (int32_t i = 0; i < k.points; ++i) {
            lim_vec3 e = k.s.normal[i], got = kit_load(n, i);
            /* of r = 1 + h(e.y): e r - (grad of h across e), grad = h' (y - e e.y) */
            float r = pass == 0 ? 1.1f : 1.0f + 0.1f * e.y, slope = pass == 0 ? 0.0f : 0.1f;
            lim_vec3 up = v3_mad(v3(0, 1, 0), e, -e.y);
            lim_vec3 want = v3_unit(v3_mad(v3_scale(e, r), up, -slope), e);
            CHECK_NEAR(v3_length(v3_sub(got, want)), 0.0, 4e-3);
            CHECK_NEAR(v3_length(got), 1.0, 1e-6);
            CHECK_NEAR(v3_dot(kit_load(t + i, i), got), 0.0, 4e-3);
        }
    }
    free(p);
    free(n);
    free(t);
    arena_release(&k.mem);
}

/* ---- from displacement to skin, with two tools --------------------------------------------------
 * The nodes are the points of a slab; a tool pushes a dent of its own shape; detail is a ring about
 * it. Two examples, left and right. */

enum { CELLS = 24, NODE_MOST = 2 * (CELLS + 1) * (CELLS + 1), ROOM = 3 * (NODE_MOST + 8) };

typedef struct trained {
    kit_skin k;
    float mass[NODE_MOST], share[NODE_MOST], d[3][NODE_MOST];
    float way[2 * ROOM], size[2];
    displaced_nodes nodes;
    detail_examples e;
    detail_field field[2];
    lim_vec3 at[2];
} trained;

static void dent(trained* t, lim_vec3 c, float deep) {
    for (int32_t i = 0; i < t->k.points; ++i) {
        lim_vec3 way = v3_sub(kit_load(t->k.rest, i), c);
        float fall = (float)trig_exp(-(double)v3_dot(way, way) / 0.02);
        t->d[1][i] -= deep * fall;
        t->d[0][i] += 0.3f * deep * way.x * fall * 8.0f;
    }
}

static void rest(trained* t) {
    memset(t->d, 0, sizeof t->d);
}

static void train(trained* t) {
    t->k = kit_slab(CELLS);
    CHECK(kit_build(&t->k));
    t->at[0] = v3(0.2f, 0, 0.5f);
    t->at[1] = v3(0.8f, 0, 0.5f);
    for (int32_t i = 0; i < t->k.points; ++i) {
        t->mass[i] = 1.0f;
    }
    displacement_shares(t->mass, t->k.points, t->share);
    t->nodes = (displaced_nodes){t->k.points,
                                 {t->k.s.rest[0], t->k.s.rest[1], t->k.s.rest[2]},
                                 {t->d[0], t->d[1], t->d[2]},
                                 t->share};
    int32_t width = displacement_width(t->k.points);
    for (int k = 0; k < 2; ++k) {
        rest(t);
        dent(t, t->at[k], 0.1f);
        float* u = t->way + k * width;
        t->size[k] = displacement_of(&t->nodes, u);
        for (int32_t i = 0; i < width; ++i) {
            u[i] /= t->size[k];
        }
        float* dense = kit_dense(&t->k, t->k.points);
        for (int32_t i = 0; i < t->k.points / 2; ++i) {
            double away = (double)v3_length(v3_sub(kit_load(t->k.rest, i), t->at[k]));
            detail_set(dense, i,
                       v3(0, (float)trig_exp(-(away - 0.15) * (away - 0.15) / 0.002) / 50, 0));
        }
        CHECK(detail_field_of(&t->k.mem, dense, detail_blocks(t->k.points), 1e-5f, &t->field[k]) ==
              LIM_OK);
    }
    t->e = (detail_examples){2, width, t->way, t->size, 0.3f, DETAIL_TAU, 2};
    rest(t);
}

/* All of the run time, for some tools. */
static void enrich(trained* t, const detail_press* presses, int32_t count, float* sum) {
    static float u[ROOM], part[ROOM], window[NODE_MOST], vector[ROOM];
    memset(sum, 0, (size_t)detail_blocks(t->k.points) * DETAIL_BLOCK * sizeof *sum);
    (void)displacement_of(&t->nodes, u);
    for (int32_t p = 0; p < count; ++p) {
        float room[2], w[2];
        press_window(presses, count, p, 0.05f, t->nodes.x0, t->k.points, window);
        float size = press_part(u, window, t->k.points, part);
        detail_correlate(isa_best(), &t->e, part, size, room, w);
        detail_blend(isa_best(), t->field, w, 2, detail_blocks(t->k.points), vector);
        const detail_layer layer = {.window = window, .vector = vector};
        detail_add(&t->k.s, &layer, sum);
    }
}

static void two_tools_do_not_disturb_each_other(void) {
    static trained t;
    train(&t);
    const detail_press press[2] = {{t.at[0], {0, 1, 0}, 1.0f}, {t.at[1], {0, 1, 0}, 1.0f}};
    float *left = kit_dense(&t.k, t.k.points), *right = kit_dense(&t.k, t.k.points);
    float *both = kit_dense(&t.k, t.k.points), *single = kit_dense(&t.k, t.k.points);
    dent(&t, t.at[0], 0.1f);
    enrich(&t, &press[0], 1, left);
    rest(&t);
    dent(&t, t.at[1], 0.07f);
    enrich(&t, &press[1], 1, right);
    dent(&t, t.at[0], 0.1f);
    enrich(&t, press, 2, both);
    enrich(&t, &press[0], 1, single);
    double height = 0.02, with = 0.0, without = 0.0;
    for (int32_t i = 0; i < t.k.points; ++i) {
        lim_vec3 alone = v3_add(detail_get(left, i), detail_get(right, i));
        with = fmax(with, (double)v3_length(v3_sub(detail_get(both, i), alone)));
        without = fmax(without, (double)v3_length(v3_sub(detail_get(single, i), alone)));
    }
    printf("  of a height of %.3f: off by %.4f, by %.4f without windows\n", height, with, without);
    CHECK(with < 0.05 * height && without > 0.3 * height);
    arena_release(&t.k.mem);
}

/* d = s d1 for u = s u1 up to 1.5; nothing for -u1; the same whatever went before. */
static void detail_follows_the_displacement(void) {
    static trained t;
    train(&t);
    const detail_press press = {t.at[0], {0, 1, 0}, 1.0f};
    float *one = kit_dense(&t.k, t.k.points), *sum = kit_dense(&t.k, t.k.points);
    float* again = kit_dense(&t.k, t.k.points);
    dent(&t, t.at[0], 0.1f);
    enrich(&t, &press, 1, one);
    double top = 0.0, before = 0.0;
    for (int32_t i = 0; i < t.k.points; ++i) {
        top = fmax(top, (double)detail_get(one, i).y);
    }
    CHECK_NEAR(top, 0.02, 1e-3);
    for (float s = 0.0f; s < 2.5f; s += 0.05f) {
        rest(&t);
        dent(&t, t.at[0], 0.1f * s);
        enrich(&t, &press, 1, sum);
        double high = 0.0;
        for (int32_t i = 0; i < t.k.points; ++i) {
            high = fmax(high, (double)detail_get(sum, i).y);
        }
        CHECK_NEAR(high, top * fmin((double)s, 1.5), 0.02 * top);
        CHECK(fabs(high - before) < 0.06 * top);
        before = high;
        rest(&t);
        dent(&t, t.at[0], -0.1f * s);
        enrich(&t, &press, 1, sum);
        for (int32_t i = 0; i < t.k.points; ++i) {
            CHECK(v3_length(detail_get(sum, i)) == 0.0f);
        }
    }
    rest(&t);
    dent(&t, t.at[0], 0.1f);
    enrich(&t, &press, 1, again);
    CHECK(memcmp(one, again, (size_t)detail_blocks(t.k.points) * DETAIL_BLOCK * sizeof *one) == 0);
    arena_release(&t.k.mem);
}

static void memory_may_run_out(void) {
    kit_skin k = kit_slab(3);
    for (int n = 0;; ++n) {
        failing_host f;
        failing_host_arm(&f, n);
        arena a;
        arena_init(&a, &f.host);
        detail_skin s;
        detail_room room;
        lim_result result = detail_skin_build(&a, k.rest, k.points, k.vertex_point, k.normals,
                                              k.vertices, k.index, k.triangles, &s);
        result = result == LIM_OK ? detail_room_create(&a, &s, &room) : result;
        arena_release(&a);
        CHECK(f.held == 0);
        if (result == LIM_OK) {
            break;
        }
        CHECK(result == LIM_ERROR_MEMORY);
    }
    arena_release(&k.mem);
}

TEST_SUITE(detail_skin) {
    TEST_BEGIN(argc, argv);
    RUN(no_detail_changes_no_bit);
    RUN(a_move_turns_back_into_its_field);
    RUN(a_rigid_motion_turns_detail_along);
    RUN(a_bend_carries_detail_along);
    RUN(normals_are_those_of_the_new_surface);
    RUN(two_tools_do_not_disturb_each_other);
    RUN(detail_follows_the_displacement);
    RUN(memory_may_run_out);
    TEST_END();
}
