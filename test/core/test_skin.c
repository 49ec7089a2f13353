/* SPDX-License-Identifier: MIT
 * The skin against what it must be: rest, rigid and affine motion, the bound points, the normals of
 * the deformed geometry, far away, and bit for bit the same in every instruction set.
 */
#include "math/trig.h"
#include "skin_fixture.h"

static const lim_vec3 radii = {0.5f, 0.3f, 0.4f};

static void make(fixture* f, skin_fixture* s) {
    fixture_block(f, 10, 7, 8, 0.1f);
    skin_fixture_make(s, f, 23, 30, radii);
}

static dquat turn(lim_vec3 axis, double angle) {
    lim_vec3 u = v3_scale(v3_unit(axis, v3(1, 0, 0)), (float)trig_sin(0.5 * angle));
    return dquat_unit((dquat){(double)u.x, (double)u.y, (double)u.z, trig_cos(0.5 * angle)});
}

static mat3 matrix_of(dquat q) {
    dmat3 m = dquat_matrix(q);
    mat3 r;
    for (int k = 0; k < 9; ++k) {
        r.m[k] = (float)m.m[k];
    }
    return r;
}

static double apart(lim_vec3 a, lim_vec3 b) {
    return (double)v3_length(v3_sub(a, b));
}

static void rest_is_exact(void) {
    fixture f;
    skin_fixture s;
    make(&f, &s);
    f.nodes.components[0].origin = s.out.origin = p3(12345.6789, -777.7, 3e6);
    skin_fixture_run(&s, &f, 1.0, isa_best(), NULL);
    for (int32_t i = 0; i < s.surface.vertex_count; ++i) {
        lim_vec3 p = skin_fixture_position(&s, i), x = s.rest[i];
        CHECK(p.x == x.x && p.y == x.y && p.z == x.z);
        const float* n = s.normal + 3 * i;
        CHECK_NEAR(apart(skin_fixture_normal(&s, i), v3(n[0], n[1], n[2])), 0.0, 3e-7);
        for (int k = 0; k < 4; ++k) {
            CHECK_NEAR(s.out.tangents[4 * i + k], s.tangent[4 * i + k], 1e-6);
        }
    }
    skin_fixture_free(&s);
    fixture_free(&f);
}

/* A rigid motion, half of it in the nodes and half in the frame. */
static void rigid_motion_moves_the_surface_rigidly(void) {
    fixture f;
    skin_fixture s;
    make(&f, &s);
    dquat inner = turn(v3(1, 2, 3), 0.4), outer = turn(v3(-2, 1, 0.5f), 2.0);
    mat3 r = matrix_of(inner);
    lim_vec3 shift = v3(0.1f, -0.2f, 0.05f);
    fixture_affine(&f, &r, shift);
    f.nodes.components[0].rotation = outer;
    f.nodes.components[0].origin = p3(5, 6, 7);
    s.out.origin = p3(4, 6.5, 7);
    skin_fixture_run(&s, &f, 2.5, isa_best(), NULL);
    for (int32_t i = 0; i < s.surface.vertex_count; ++i) {
        lim_point x = p3_add(dquat_rotate(inner, p3_of(s.rest[i])), p3_of(shift));
        x = p3_add(p3_scale(dquat_rotate(outer, x), 2.5), p3(1, -0.5, 0));
        CHECK_NEAR(apart(skin_fixture_position(&s, i), v3_of(x)), 0.0, 1e-5);
        const float* n = s.normal + 3 * i;
        lim_point m = dquat_rotate(outer, dquat_rotate(inner, p3_of(v3(n[0], n[1], n[2]))));
        CHECK_NEAR(apart(skin_fixture_normal(&s, i), v3_of(m)), 0.0, 1e-5);
        const float* t = s.tangent + 4 * i;
        m = dquat_rotate(outer, dquat_rotate(inner, p3_of(v3(t[0], t[1], t[2]))));
        const float* got = s.out.tangents + 4 * i;
        CHECK_NEAR(apart(v3(got[0], got[1], got[2]), v3_of(m)), 0.0, 1e-5);
        CHECK(got[3] == t[3]);
    }
    skin_fixture_free(&s);
    fixture_free(&f);
}

static void affine_motion_is_reproduced(void) {
    fixture f;
    skin_fixture s;
    make(&f, &s);
    const mat3 map = {{1.3f, 0.2f, -0.1f, 0.05f, 0.7f, 0.3f, -0.2f, 0.1f, 1.1f}};
    lim_vec3 shift = v3(0.3f, 0.1f, -0.4f);
    fixture_affine(&f, &map, shift);
    skin_fixture_run(&s, &f, 1.0, isa_best(), NULL);
    mat3 cofactor = mat3_cofactor(&map);
    lim_vec3 low = v3(9, 9, 9), high = v3(-9, -9, -9);
    for (int32_t i = 0; i < s.surface.vertex_count; ++i) {
        lim_vec3 expected = v3_add(mat3_mul(&map, s.rest[i]), shift);
        CHECK_NEAR(apart(skin_fixture_position(&s, i), expected), 0.0, 1e-5);
        const float* n = s.normal + 3 * i;
        lim_vec3 m = v3_unit(mat3_mul(&cofactor, v3(n[0], n[1], n[2])), v3(0, 0, 0));
        CHECK_NEAR(apart(skin_fixture_normal(&s, i), m), 0.0, 1e-5);
        low = v3_min(low, skin_fixture_position(&s, i));
        high = v3_max(high, skin_fixture_position(&s, i));
    }
    CHECK(apart(low, s.out.lower) == 0.0 && apart(high, s.out.upper) == 0.0);
    skin_fixture_free(&s);
    fixture_free(&f);
}

/* Normals of the deformed triangles under a smooth bend agree with the transported ones. */
static void normals_are_those_of_the_deformed_surface(void) {
    fixture f;
    skin_fixture s;
    fixture_block(&f, 24, 16, 18, 0.05f);
    skin_fixture_make(&s, &f, 120, 160, radii);
    for (int32_t i = 0; i < f.nodes.padded; ++i) {
        /* x -> x + 0.3 (y^2, 0, x^2), whose gradient is linear */
        float x = f.x0[0][i], y = f.x0[1][i];
        f.nodes.d[0][i] = 0.3f * y * y;
        f.nodes.d[2][i] = 0.3f * x * x;
        f.nodes.affine[16 * i + 1] = 0.6f * y;
        f.nodes.affine[16 * i + 6] = 0.6f * x;
    }
    skin_fixture_run(&s, &f, 1.0, isa_best(), NULL);
    for (int32_t i = 0; i < s.surface.triangle_count; ++i) {
        const uint32_t* t = s.indices + 3 * i;
        lim_vec3 p[3], mean = v3(0, 0, 0);
        for (int k = 0; k < 3; ++k) {
            p[k] = skin_fixture_position(&s, (int32_t)t[k]);
            mean = v3_add(mean, skin_fixture_normal(&s, (int32_t)t[k]));
        }
        lim_vec3 n = v3_unit(v3_cross(v3_sub(p[1], p[0]), v3_sub(p[2], p[0])), v3(0, 0, 0));
        mean = v3_unit(mean, v3(0, 0, 0));
        CHECK(v3_dot(n, mean) > 0.999f); /* 2.5 degrees: weights of nodes 0.05 apart */
    }
    skin_fixture_free(&s);
    fixture_free(&f);
}

static void vertices_are_their_bound_points(void) {
    fixture f;
    skin_fixture s;
    make(&f, &s);
    random_stream r = random_seed(11);
    fixture_random_motion(&f, &r, 0.05f);
    for (int32_t i = 0; i < s.surface.vertex_count; ++i) {
        for (int k = 0; k < 3; ++k) { /* tangents that are not quite across their normals */
            s.tangent[4 * i + k] += 0.3f * s.normal[3 * i + k];
        }
    }
    component* c = &f.nodes.components[0];
    c->rotation = turn(v3(3, -1, 2), 1.1);
    c->origin = p3(1, 2, 3);
    skin_fixture_run(&s, &f, 0.5, isa_best(), NULL);
    for (int32_t i = 0; i < s.surface.vertex_count; ++i) {
        lim_vec3 y = binding_position(&s.bind.bind[s.vertex_point[i]], s.rest[i], &f.nodes);
        lim_point world = node_to_world(c, 0.5, p3_of(y));
        CHECK_NEAR(apart(skin_fixture_position(&s, i), v3_of(world)), 0.0, 1e-6);
        lim_vec3 n = skin_fixture_normal(&s, i);
        const float* t = s.out.tangents + 4 * i;
        CHECK_NEAR(v3_length(n), 1.0, 1e-6);
        CHECK_NEAR(v3_dot(n, v3(t[0], t[1], t[2])), 0.0, 2e-6);
        CHECK_NEAR(v3_length(v3(t[0], t[1], t[2])), 1.0, 1e-6);
    }
    skin_fixture_free(&s);
    fixture_free(&f);
}

static void far_away_is_as_exact_as_the_origin(void) {
    fixture f;
    skin_fixture s;
    make(&f, &s);
    random_stream r = random_seed(12);
    fixture_random_motion(&f, &r, 0.05f);
    f.nodes.components[0].rotation = turn(v3(1, 1, 0), 0.7);
    f.nodes.components[0].origin = p3(0.123456789, 0.5, 0.1);
    skin_fixture_run(&s, &f, 1.0, isa_best(), NULL);
    float* near = malloc((size_t)s.surface.vertex_count * 3 * sizeof(float));
    memcpy(near, s.out.positions, (size_t)s.surface.vertex_count * 3 * sizeof(float));
    f.nodes.components[0].origin = p3(10000.723456789, 0.5 - 20000.3, 0.1);
    s.out.origin = p3(10000.6, -20000.3, 0);
    skin_fixture_run(&s, &f, 1.0, isa_best(), NULL);
    for (int32_t i = 0; i < 3 * s.surface.vertex_count; ++i) {
        CHECK_NEAR(s.out.positions[i], near[i], 1e-6);
    }
    free(near);
    skin_fixture_free(&s);
    fixture_free(&f);
}

/* Two components whose points alternate: each takes its own frame. */
static void components_may_mix_within_a_group(void) {
    fixture_cell cells[16];
    for (int i = 0; i < 16; ++i) {
        int k = i % 8;
        cells[i] = (fixture_cell){k & 1, k >> 1 & 1, k >> 2, 1, i / 8, {0, 0, 0}, 1};
        cells[i].x += i / 8 * 3;
    }
    fixture f;
    fixture_make(&f, cells, 16, 0.5f, v3(0, 0, 0));
    f.nodes.components[1].rotation = turn(v3(0, 1, 0), 1.0);
    f.nodes.components[1].origin = p3(0, 10, 0);
    lim_vec3 points[37];
    float normals[37 * 3], positions[37 * 3], out_normals[37 * 3];
    int32_t vertex_point[37];
    for (int i = 0; i < 37; ++i) {
        points[i] = v3((float)(i % 3 == 0) * 1.5f + 0.01f * (float)i, 0.25f, 0.125f);
        normals[3 * i] = normals[3 * i + 1] = 0.0f;
        normals[3 * i + 2] = 1.0f;
        vertex_point[i] = 36 - i;
    }
    bindings b = fixture_bind(&f, points, NULL, 37);
    skin_surface surface = {37, 0, vertex_point, normals, NULL, NULL};
    skin_output out = {.positions = positions, .normals = out_normals};
    skin_prepare(&f.nodes, isa_best(), NULL);
    skin_deform(&b, &surface, &f.nodes, 2.0, isa_best(), NULL, &out);
    for (int i = 0; i < 37; ++i) {
        int32_t point = 36 - i, which = point % 3 == 0 ? 1 : 0;
        CHECK(b.component[point] == which);
        const component* c = &f.nodes.components[which];
        lim_point world = node_to_world(c, 2.0, p3_of(points[point]));
        lim_vec3 got = v3(positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]);
        CHECK_NEAR(apart(got, v3_of(world)), 0.0, 2e-6);
        lim_vec3 n = v3_of(dquat_rotate(c->rotation, p3(0, 0, 1)));
        got = v3(out_normals[3 * i], out_normals[3 * i + 1], out_normals[3 * i + 2]);
        CHECK_NEAR(apart(got, n), 0.0, 1e-6);
    }
    fixture_free(&f);
}

/* Squashed flat or to a point: unit normals and tangents all the same. */
static void squashed_bodies_keep_unit_normals(void) {
    fixture f;
    skin_fixture s;
    make(&f, &s);
    f.nodes.components[0].rotation = turn(v3(0, 0, 1), 0.5);
    mat3 maps[3] = {{{0}}, {{0, 0, 0, 0, 1, 0, 0, 0, 0}}, {{1, 0, 0, 0, 0, 0, 0, 0, 1}}};
    for (int which = 0; which < 3; ++which) {
        fixture_affine(&f, &maps[which], v3(0, 0, 0));
        skin_fixture_run(&s, &f, 1e-3, isa_best(), NULL);
        for (int32_t i = 0; i < s.surface.vertex_count; ++i) {
            lim_vec3 n = skin_fixture_normal(&s, i);
            const float* t = s.out.tangents + 4 * i;
            CHECK_NEAR(v3_length(n), 1.0, 1e-6);
            CHECK_NEAR(v3_length(v3(t[0], t[1], t[2])), 1.0, 1e-5);
            CHECK_NEAR(v3_dot(n, v3(t[0], t[1], t[2])), 0.0, 1e-3);
        }
        const float* n = s.normal;
        lim_point turned =
            dquat_rotate(f.nodes.components[0].rotation, p3_of(v3(n[0], n[1], n[2])));
        CHECK(which != 0 || apart(skin_fixture_normal(&s, 0), v3_of(turned)) < 1e-6);
    }
    skin_fixture_free(&s);
    fixture_free(&f);
}

static void every_instruction_set_gives_the_same_bits(void) {
    fixture f;
    skin_fixture s;
    make(&f, &s);
    random_stream r = random_seed(13);
    for (int round = 0; round < 4; ++round) {
        fixture_random_motion(&f, &r, 0.2f);
        if (round == 3) { /* some squashed */
            for (int32_t i = 0; i < f.nodes.padded * 16; ++i) {
                f.nodes.affine[i] = i % 16 % 4 == 0 && i / 16 % 3 == 0 ? -1.0f : 0.0f;
            }
        }
        f.nodes.components[0].rotation = turn(v3(1, -1, 2), 0.3 * round);
        f.nodes.components[0].origin = p3(0.1 * round, 3, 1);
        uint64_t expected = 0;
        for (int set = 0; set < ISA_COUNT; ++set) {
            if (isa_available((isa)set)) {
                skin_fixture_run(&s, &f, 1.7, (isa)set, NULL);
                uint64_t hash = skin_fixture_hash(&s);
                expected = set == ISA_SCALAR ? hash : expected;
                CHECK(hash == expected);
            }
        }
    }
    skin_fixture_free(&s);
    fixture_free(&f);
}

/* Fewer vertices than a group, none, and exactly one group. */
static void any_count_works(void) {
    fixture f;
    fixture_block(&f, 2, 2, 2, 0.5f);
    lim_vec3 points[12];
    float normals[36], tangents[48];
    int32_t vertex_point[12];
    for (int i = 0; i < 12; ++i) {
        points[i] = v3(0.05f * (float)i, 0.1f, -0.2f);
        vertex_point[i] = i;
        memcpy(normals + 3 * i, (float[3]){0, 1, 0}, 12);
        memcpy(tangents + 4 * i, (float[4]){1, 0, 0, -1}, 16);
    }
    for (int32_t count = 0; count <= 12; ++count) {
        bindings b = fixture_bind(&f, points, NULL, count);
        skin_surface surface = {count, 0, vertex_point, normals, tangents, NULL};
        float positions[36], out_normals[36], out_tangents[48];
        memset(positions, 77, sizeof(positions));
        skin_output out = {
            .positions = positions, .normals = out_normals, .tangents = out_tangents};
        skin_prepare(&f.nodes, isa_best(), NULL);
        skin_deform(&b, &surface, &f.nodes, 1.0, isa_best(), NULL, &out);
        for (int i = 0; i < count; ++i) {
            CHECK(positions[3 * i] == points[i].x && positions[3 * i + 1] == 0.1f);
            CHECK(out_normals[3 * i + 1] == 1.0f && out_tangents[4 * i + 3] == -1.0f);
        }
        float untouched;
        memset(&untouched, 77, sizeof(untouched));
        CHECK(count == 12 || positions[3 * count] == untouched);
        CHECK(out.lower.x == 0.0f && (count == 0 || out.upper.x == points[count - 1].x));
    }
    fixture_free(&f);
}

TEST_SUITE(skin) {
    TEST_BEGIN(argc, argv);
    RUN(rest_is_exact);
    RUN(rigid_motion_moves_the_surface_rigidly);
    RUN(affine_motion_is_reproduced);
    RUN(normals_are_those_of_the_deformed_surface);
    RUN(vertices_are_their_bound_points);
    RUN(far_away_is_as_exact_as_the_origin);
    RUN(components_may_mix_within_a_group);
    RUN(squashed_bodies_keep_unit_normals);
    RUN(every_instruction_set_gives_the_same_bits);
    RUN(any_count_works);
    TEST_END();
}
