/* SPDX-License-Identifier: MIT
 * The skin over a lattice against Rivers and James 2007, eq. 15-17, in double: places, gradients,
 * normals, borders of cells, points outside, rest, and the same bits in every instruction set.
 */
#include "failing_host.h"
#include "lattice_fixture.h"
#include "math/trig.h"

static const lim_vec3 radii = {0.5f, 0.3f, 0.4f};
static const float EDGE = 0.1f;

static void make(lattice_fixture* l, skin_fixture* s) {
    lattice_make(l, 11, 7, 9, EDGE, NULL);
    lattice_skin(s, l, 23, 30, radii);
}

static void unmake(lattice_fixture* l, skin_fixture* s) {
    skin_fixture_free(s);
    fixture_free(&l->nodes);
}

static double apart(lim_point a, lim_point b) {
    return p3_length(p3_sub(a, b));
}

static lim_point point_of(const float* p) {
    return p3((double)p[0], (double)p[1], (double)p[2]);
}

static dquat turn(lim_vec3 axis, double angle) {
    lim_vec3 u = v3_scale(v3_unit(axis, v3(1, 0, 0)), (float)trig_sin(0.5 * angle));
    return dquat_unit((dquat){(double)u.x, (double)u.y, (double)u.z, trig_cos(0.5 * angle)});
}

/* unit(cof(f) n) = unit((f U) x (f V)) with U x V = n. */
static lim_point carried_normal(const dmat3* f, lim_point n) {
    lim_point u = p3_cross(n, fabs(n.x) < 0.6 ? p3(1, 0, 0) : p3(0, 1, 0));
    u = p3_scale(u, 1.0 / p3_length(u));
    lim_point v = p3_cross(n, u);
    lim_point m = p3_cross(dmat3_mul(f, u), dmat3_mul(f, v));
    return p3_scale(m, 1.0 / p3_length(m));
}

static void rest_is_exact(void) {
    lattice_fixture l;
    skin_fixture s;
    make(&l, &s);
    l.nodes.nodes.components[0].origin = s.out.origin = p3(12345.6789, -777.7, 3e6);
    skin_fixture_run(&s, &l.nodes, 1.0, isa_best(), NULL);
    for (int32_t i = 0; i < s.surface.vertex_count; ++i) {
        lim_vec3 p = skin_fixture_position(&s, i), x = s.rest[i];
        CHECK(p.x == x.x && p.y == x.y && p.z == x.z);
        for (int k = 0; k < 3; ++k) {
            CHECK_NEAR(s.out.normals[3 * i + k], s.normal[3 * i + k], 3e-7);
            CHECK_NEAR(s.out.tangents[4 * i + k], s.tangent[4 * i + k], 1e-6);
        }
        CHECK(s.out.tangents[4 * i + 3] == s.tangent[4 * i + 3]);
    }
    unmake(&l, &s);
}

static void affine_maps_are_reproduced(void) {
    lattice_fixture l;
    skin_fixture s;
    make(&l, &s);
    const mat3 map = {{1.3f, 0.2f, -0.1f, 0.05f, 0.7f, 0.3f, -0.2f, 0.1f, 1.1f}};
    lattice_affine(&l, &map, v3(0.3f, 0.1f, -0.4f));
    skin_fixture_run(&s, &l.nodes, 1.0, isa_best(), NULL);
    dmat3 f;
    for (int k = 0; k < 9; ++k) {
        f.m[k] = (double)map.m[k];
    }
    for (int32_t i = 0; i < s.surface.vertex_count; ++i) {
        lim_point x = p3_add(dmat3_mul(&f, p3_of(s.rest[i])), p3(0.3, 0.1, -0.4));
        CHECK_NEAR(apart(point_of(s.out.positions + 3 * i), x), 0.0, 4e-7);
        lim_point n = carried_normal(&f, point_of(s.normal + 3 * i));
        CHECK_NEAR(apart(point_of(s.out.normals + 3 * i), n), 0.0, 5e-6);
    }
    unmake(&l, &s);
}

/* Every vertex of a wildly deformed, turned, scaled body; the binding and the gradient too. */
static void the_skin_is_that_of_the_equations(void) {
    lattice_fixture l;
    skin_fixture s;
    make(&l, &s);
    random_stream r = random_seed(31);
    component* c = &l.nodes.nodes.components[0];
    for (int round = 0; round < 3; ++round) {
        lattice_random_motion(&l, &r, 0.01f * (float)(1 + round));
        c->rotation = turn(v3(3, -1, 2), 1.1 * round);
        c->origin = p3(1, 2, 3);
        s.out.origin = p3(1.1, 1.8, 3);
        skin_fixture_run(&s, &l.nodes, 0.5, isa_best(), NULL);
        for (int32_t i = 0; i < s.surface.vertex_count; ++i) {
            int32_t point = s.vertex_point[i];
            lim_point x;
            dmat3 f;
            lattice_oracle(&l, p3_of(s.rest[i]), l.cell[s.bind.cell[point]], &x, &f);
            lim_point world = p3_sub(node_to_world(c, 0.5, x), s.out.origin);
            CHECK_NEAR(apart(point_of(s.out.positions + 3 * i), world), 0.0, 2e-7);
            lim_vec3 bound = binding_position(&s.bind.bind[point], s.rest[i], &l.nodes.nodes);
            CHECK_NEAR(apart(p3_of(bound), x), 0.0, 4e-7);
            lim_point n = carried_normal(&f, point_of(s.normal + 3 * i));
            CHECK_NEAR(apart(point_of(s.out.normals + 3 * i), dquat_rotate(c->rotation, n)), 0.0,
                       1e-5);
            lim_point t = dmat3_mul(&f, point_of(s.tangent + 4 * i));
            t = p3_mad(t, n, -p3_dot(t, n));
            t = dquat_rotate(c->rotation, p3_scale(t, 1.0 / p3_length(t)));
            CHECK_NEAR(apart(point_of(s.out.tangents + 4 * i), t), 0.0, 1e-5);
            dmat3 g = trilinear_gradient(&s.bind, point, &l.nodes.nodes);
            for (int k = 0; k < 9; ++k) {
                CHECK_NEAR(g.m[k], f.m[k], 2e-6);
            }
        }
    }
    unmake(&l, &s);
}

/* Normals and tangents are those of the map itself: differences of bound points near a vertex. */
static void normals_are_those_of_the_map(void) {
    lattice_fixture l;
    lattice_make(&l, 11, 7, 9, EDGE, NULL);
    random_stream r = random_seed(32);
    lattice_random_motion(&l, &r, 0.02f);
    enum { COUNT = 200 };
    lim_vec3 points[3 * COUNT];
    float normals[3 * 3 * COUNT], tangents[3 * 4 * COUNT];
    int32_t vertex_point[3 * COUNT];
    const float step = 0.01f;
    for (int i = 0; i < COUNT; ++i) {
        /* well inside of a cell, so that the differences stay in it */
        lim_vec3 cell = v3((float)(i % 11), (float)(i % 7), (float)(i % 9));
        lim_vec3 at = v3_add(cell, random_vec3(&r, 0.2f, 0.8f));
        at = v3_mad(v3_of(l.bind.lower), at, EDGE);
        lim_vec3 n = v3_unit(random_vec3(&r, -1, 1), v3(1, 0, 0));
        lim_vec3 u = v3_unit(v3_cross(n, v3(0.3f, -0.7f, 0.65f)), v3(0, 1, 0));
        lim_vec3 v = v3_cross(n, u);
        points[3 * i] = at;
        points[3 * i + 1] = v3_mad(at, u, step * EDGE);
        points[3 * i + 2] = v3_mad(at, v, step * EDGE);
        for (int k = 0; k < 3; ++k) {
            int j = 3 * i + k;
            memcpy(normals + 3 * j, &n, sizeof n);
            memcpy(tangents + 4 * j, &u, sizeof u);
            tangents[4 * j + 3] = 1.0f;
            vertex_point[j] = j;
        }
    }
    bindings b = lattice_points(&l, points, NULL, 3 * COUNT);
    skin_surface surface = {3 * COUNT, 0, vertex_point, normals, tangents, NULL};
    float positions[9 * COUNT], out_normals[9 * COUNT], out_tangents[12 * COUNT];
    skin_output out = {.positions = positions, .normals = out_normals, .tangents = out_tangents};
    skin_prepare(&l.nodes.nodes, isa_best(), NULL);
    skin_deform(&b, &surface, &l.nodes.nodes, 1.0, isa_best(), NULL, &out);
    for (int i = 0; i < COUNT; ++i) {
        lim_point x = point_of(positions + 9 * i);
        lim_point u = p3_sub(point_of(positions + 9 * i + 3), x);
        lim_point v = p3_sub(point_of(positions + 9 * i + 6), x);
        lim_point n = p3_cross(u, v);
        n = p3_scale(n, 1.0 / p3_length(n));
        CHECK_NEAR(apart(point_of(out_normals + 9 * i), n), 0.0, 0.02);
        u = p3_scale(u, 1.0 / p3_length(u));
        CHECK_NEAR(apart(point_of(out_tangents + 12 * i), u), 0.0, 0.02);
    }
    fixture_free(&l.nodes);
}

/* From either side of a border the skin comes to the same place. */
static void the_surface_is_continuous_across_cells(void) {
    lattice_fixture l;
    lattice_make(&l, 4, 3, 3, 0.25f, NULL);
    random_stream r = random_seed(33);
    lattice_random_motion(&l, &r, 0.1f);
    for (int round = 0; round < 300; ++round) {
        int axis = round % 3;
        lim_vec3 place = random_vec3(&r, 0.05f, 2.95f);
        float* along[3] = {&place.x, &place.y, &place.z};
        *along[axis] = (float)(1 + round % 2);
        lim_vec3 at = v3_mad(v3_of(l.bind.lower), place, 0.25f);
        lim_vec3 way = v3(axis == 0, axis == 1, axis == 2);
        lim_vec3 points[3] = {v3_mad(at, way, -1e-6f), at, v3_mad(at, way, 1e-6f)};
        bindings b = lattice_points(&l, points, NULL, 3);
        CHECK(b.cell[0] != b.cell[2]);
        lim_vec3 x[3];
        for (int k = 0; k < 3; ++k) {
            x[k] = binding_position(&b.bind[k], points[k], &l.nodes.nodes);
        }
        CHECK_NEAR(v3_length(v3_sub(x[0], x[1])), 0.0, 5e-6);
        CHECK_NEAR(v3_length(v3_sub(x[2], x[1])), 0.0, 5e-6);
    }
    fixture_free(&l.nodes);
}

static bool left_only(int x, int y, int z) {
    (void)y;
    (void)z;
    return x > 0;
}

/* On a border the inner cell is taken; outside of all the nearest, with weights that still sum to
 * one and are not negative, in order. */
static void borders_and_outsides_go_to_the_nearest_cell(void) {
    lattice_fixture l;
    lattice_make(&l, 2, 2, 2, 0.5f, left_only);
    CHECK(l.bind.cell_count == 4);
    const lim_vec3 points[7] = {{0, 0.2f, 0.2f},        {5e-8f, -0.2f, 0.2f}, {0.3f, 0.2f, -0.2f},
                                {-0.25f, 0.0f, -0.25f}, {-0.25f, 0, -0.25f},  {-3, 4, 0.1f},
                                {-0.25f, 1e-3f, -0.25f}}; /* the last: inside, near a border */
    const lim_vec3 normals[7] = {{1, 0, 0},  {1, 0, 0}, {0, 0, 1}, {0, 1, 0},
                                 {0, -1, 0}, {0, 0, 0}, {0, 1, 0}};
    bindings b = lattice_points(&l, points, normals, 7);
    const uint64_t cells[7] = {lattice_key(0, 1, 1), lattice_key(0, 0, 1), lattice_key(0, 1, 0),
                               lattice_key(0, 0, 0), lattice_key(0, 1, 0), lattice_key(0, 1, 1),
                               lattice_key(0, 1, 0)};
    for (int i = 0; i < 7; ++i) {
        CHECK(l.cell[b.cell[i]] == cells[i]);
        float sum = 0.0f;
        for (int k = 0; k < BINDING_NODES; ++k) {
            float w = b.bind[i].weight[k];
            CHECK(w >= 0.0f && (k == 0 || w <= b.bind[i].weight[k - 1]));
            CHECK(w > 0.0f || b.bind[i].node[k] == b.bind[i].node[0]);
            sum += w;
        }
        CHECK_NEAR(sum, 1.0, 2e-7);
        for (int axis = 0; axis < 3; ++axis) {
            CHECK(b.local[axis][i] >= 0.0f && b.local[axis][i] <= 1.0f);
        }
        CHECK(b.component[i] == 0);
    }
    /* the place in the cell: outside it is the nearest one */
    CHECK(b.local[0][0] == 1.0f && b.local[0][1] == 1.0f && b.local[0][2] == 1.0f);
    CHECK_NEAR(b.local[1][2], 0.4, 1e-6);
    CHECK(b.local[0][5] == 0.0f && b.local[1][5] == 1.0f);
    CHECK(b.bind[5].weight[0] > 0.79f); /* an edge of the cell: two corners */
    CHECK(b.bind[5].weight[1] > 0.19f && b.bind[5].weight[2] == 0.0f);
    fixture_free(&l.nodes);
}

static void every_instruction_set_gives_the_same_bits(void) {
    lattice_fixture l;
    skin_fixture s;
    make(&l, &s);
    random_stream r = random_seed(34);
    for (int round = 0; round < 4; ++round) {
        lattice_random_motion(&l, &r, round == 3 ? 2.0f : 0.05f); /* also turned inside out */
        l.nodes.nodes.components[0].rotation = turn(v3(1, -1, 2), 0.3 * round);
        l.nodes.nodes.components[0].origin = p3(0.1 * round, 3, 1);
        uint64_t expected = 0;
        for (int set = 0; set < ISA_COUNT; ++set) {
            if (isa_available((isa)set)) {
                skin_fixture_run(&s, &l.nodes, 1.7, (isa)set, NULL);
                uint64_t hash = skin_fixture_hash(&s);
                expected = set == ISA_SCALAR ? hash : expected;
                CHECK(hash == expected);
            }
        }
    }
    unmake(&l, &s);
}

static void nothing_is_left_when_memory_is_out(void) {
    lattice_fixture l;
    lattice_make(&l, 3, 3, 3, 0.3f, NULL);
    const lim_vec3 points[2] = {{0, 0, 0}, {0.1f, 0.2f, 0.3f}};
    bool done = false;
    for (int64_t n = 0; !done; ++n) {
        failing_host f;
        failing_host_arm(&f, n);
        arena a, scratch;
        arena_init(&a, &f.host);
        arena_init(&scratch, &f.host);
        bindings b = {.count = 77};
        lim_result result = bindings_build_trilinear(&a, &scratch, &l.bind, points, NULL, 2, &b);
        done = result == LIM_OK;
        CHECK(done ? b.count == 2 : result == LIM_ERROR_MEMORY && b.count == 77);
        arena_release(&a);
        arena_release(&scratch);
        CHECK(f.held == 0);
    }
    fixture_free(&l.nodes);
}

static void impossible_lattices_are_refused(void) {
    lattice_fixture l;
    lattice_make(&l, 2, 2, 2, 0.3f, NULL);
    arena a, scratch;
    arena_init(&a, NULL);
    arena_init(&scratch, NULL);
    bindings b;
    lim_vec3 point = v3(0, 0, 0);
    l.slot_node[l.nodes.slot_of[5]] = -1; /* a corner is missing */
    CHECK(bindings_build_trilinear(&a, &scratch, &l.bind, &point, NULL, 1, &b) ==
          LIM_ERROR_ARGUMENT);
    l.slot_node[l.nodes.slot_of[5]] = 5;
    point.y = NAN;
    CHECK(bindings_build_trilinear(&a, &scratch, &l.bind, &point, NULL, 1, &b) ==
          LIM_ERROR_ARGUMENT);
    l.bind.cell_count = 0;
    CHECK(bindings_build_trilinear(&a, &scratch, &l.bind, &point, NULL, 0, &b) ==
          LIM_ERROR_ARGUMENT);
    arena_release(&a);
    arena_release(&scratch);
    fixture_free(&l.nodes);
}

TEST_SUITE(trilinear) {
    TEST_BEGIN(argc, argv);
    RUN(rest_is_exact);
    RUN(affine_maps_are_reproduced);
    RUN(the_skin_is_that_of_the_equations);
    RUN(normals_are_those_of_the_map);
    RUN(the_surface_is_continuous_across_cells);
    RUN(borders_and_outsides_go_to_the_nearest_cell);
    RUN(every_instruction_set_gives_the_same_bits);
    RUN(nothing_is_left_when_memory_is_out);
    RUN(impossible_lattices_are_refused);
    TEST_END();
}
