/* SPDX-License-Identifier: MIT
 * Fast paths of contact against what they stand for: ways past convex shapes, contacts that
 * positions leave out, and what a hard impact leaves inside, which is cleared.
 */
#include "contact/contact_kernel.h"
#include "contact_fixture.h"

/* Whether a way comes near something convex, against looking at a thousand places of it. */
static void ways_past_convex_shapes(void) {
    random_stream r = random_seed(57);
    int met = 0, missed = 0;
    for (int round = 0; round < 4000; ++round) {
        collider c = {.shape = (lim_shape)(1 + round % 4),
                      .size = v3(random_range(&r, 0.1f, 0.5f), random_range(&r, 0.1f, 0.5f),
                                 random_range(&r, 0.1f, 0.5f)),
                      .position = p3_of(random_vec3(&r, -1, 1)),
                      .orientation = turn(random_vec3(&r, -1, 1), 2.0)};
        lim_point from = p3_of(random_vec3(&r, -3, 3)), to = p3_of(random_vec3(&r, -3, 3));
        double margin = 0.02, least = HUGE_VAL;
        lim_vec3 normal;
        if (collider_gap(&c, from) < 0.1) {
            continue;
        }
        for (int k = 0; k <= 1000; ++k) {
            double gap = collider_gap(&c, p3_mad(from, p3_sub(to, from), k / 1000.0));
            least = gap < least ? gap : least;
        }
        float gap;
        bool meets = collider_meets(&c, from, to, margin, &gap, &normal);
        CHECK(meets || least > margin);
        CHECK(!meets || least < 1.2 * margin);
        if (meets) { /* the plane touches: nothing of the collider is in front, some is near it */
            CHECK_NEAR(v3_length(normal), 1.0, 1e-6);
            lim_point foot = p3_mad(from, p3_of(normal), -(double)gap);
            double across = p3_dot(p3_of(normal), p3_sub(to, foot));
            CHECK(gap > 0.0f && (double)gap <= collider_gap(&c, from) + 1e-6);
            CHECK(across < (double)gap);
        }
        met += meets;
        missed += !meets;
    }
    CHECK(met > 300 && missed > 1000);
}

/* What contact_solve_position does, without leaving anything out: four passes over all contacts,
 * the nearest of a node's points decides, and a node moves by a tenth of the reach at most. */
static void slow_position(scene* s, double time) {
    node_state* n = &s->f.nodes;
    float most = 0.1f * s->list.reach;
    bool moved = true;
    for (int pass = 0; pass < 4 && moved; ++pass) {
        moved = false;
        for (int32_t i = 0; i < s->list.items.count; ++i) {
            contact* c = &s->list.items.data[i];
            collider now = collider_at(&s->colliders[c->collider], time);
            collider seen = collider_in_frame(&now, &n->components[0], s->scale);
            int32_t node = c->node;
            lim_vec3 at = v3(n->x0[0][node] + n->d[0][node], n->x0[1][node] + n->d[1][node],
                             n->x0[2][node] + n->d[2][node]);
            lim_vec3 normal, other;
            float gap = (float)collider_distance(&seen, p3_of(at), &normal);
            gap = c->point[0] < 0 ? gap + 0.15f * s->list.reach : HUGE_VALF;
            for (int k = 0; k < CONTACT_NEAR && c->point[k] >= 0; ++k) {
                at = binding_position(&s->bind.bind[c->point[k]],
                                      bindings_rest(&s->bind, c->point[k]), n);
                float one = (float)collider_distance(&seen, p3_of(at), &other);
                normal = one < gap ? other : normal;
                gap = one < gap ? one : gap;
            }
            if (gap < -1e-4f) {
                float move = -gap < most ? -gap : most;
                n->d[0][node] += move * normal.x;
                n->d[1][node] += move * normal.y;
                n->d[2][node] += move * normal.z;
                moved = true;
            }
        }
    }
}

/* Resting, landing, sliding, turned, against shapes that stand or move: the same but for rounding
 * as without leaving out what cannot matter and with points built anew for each look. */
static void nothing_that_matters_is_left_out(void) {
    random_stream r = random_seed(58);
    int32_t differs = 0;
    for (int round = 0; round < 60; ++round) {
        scene s;
        scene_block(&s, 5, 3, 5, 0.2f, 2);
        s.friction = 0.7f;
        scene_plane(&s, -0.3, 0.5f);
        s.colliders[1] = (collider){.shape = (lim_shape)(2 + round % 3),
                                    .size = {0.3f, 0.2f, 0.25f},
                                    .position = {0.1, -0.45, 0.2},
                                    .orientation = turn(random_vec3(&r, -1, 1), 1.0)};
        s.colliders[1].velocity = round % 4 == 0 ? v3(0.1f, 0.3f, 0) : v3(0, 0, 0);
        s.collider_count = 2;
        set_velocity(&s, random_vec3(&r, -1, 1));
        for (int k = 0; k < 12; ++k) {
            step(&s);
            node_state* n = &s.f.nodes;
            CHECK(find_with(&s.list, &s.f.mem.host, &s.bind, n, 1.0, s.colliders, 2, 1.0 / 60.0,
                            2.0) == LIM_OK);
            float noise = round % 3 == 0 ? 0.0f : 0.4f;
            for (int32_t i = 0; i < 3 * n->padded; ++i) {
                n->v[i / n->padded][i % n->padded] += random_range(&r, -noise, noise);
            }
            for (int32_t i = 0; i < 16 * n->padded; ++i) { /* matching has turned the nodes */
                n->affine[i] = i % 16 < 9 ? random_range(&r, -0.2f * noise, 0.2f * noise) : 0.0f;
            }
            limit_velocity(&s, 0.0, 1.0 / 240.0);
            size_t size = (size_t)n->padded * sizeof(float);
            float *kept[3], *fast[3];
            for (int axis = 0; axis < 3; ++axis) {
                for (int32_t i = 0; i < n->padded; ++i) {
                    n->d[axis][i] += n->v[axis][i] / 240.0f;
                }
                kept[axis] = malloc(size);
                fast[axis] = malloc(size);
                memcpy(kept[axis], n->d[axis], size);
            }
            contact_solve_position(&s.list, &s.bind, n, 1.0, s.colliders, 1.0 / 240.0);
            for (int axis = 0; axis < 3; ++axis) {
                memcpy(fast[axis], n->d[axis], size);
                memcpy(n->d[axis], kept[axis], size);
            }
            slow_position(&s, 1.0 / 240.0);
            for (int axis = 0; axis < 3; ++axis) {
                for (int32_t i = 0; i < n->padded; ++i) {
                    CHECK(fabsf(fast[axis][i] - n->d[axis][i]) < 2e-6f);
                }
                differs += memcmp(kept[axis], n->d[axis], size) != 0;
                free(kept[axis]);
                free(fast[axis]);
            }
        }
        scene_free(&s);
    }
    CHECK(differs > 200); /* there was something to do */
}

/* ---- clearing ---------------------------------------------------------------------------------
 */

static double deepest_point(const scene* s) {
    double most = 0.0;
    for (int32_t i = 0; i < s->bind.count; ++i) {
        double depth = -collider_gap(&s->colliders[0], point_world(s, i));
        most = depth > most ? depth : most;
    }
    return most;
}

/* Points that follow many nodes come out at once, also those that no contact knows. */
static void clearing_takes_every_point_out(void) {
    for (int round = 0; round < 3; ++round) {
        scene s;
        scene_block(&s, 6, 2, 6, 0.2f, 3);
        scene_plane(&s, -0.16, 0.5f); /* 0.04 deep */
        if (round > 0) {
            s.colliders[0].shape = LIM_SHAPE_SPHERE;
            s.colliders[0].size = v3(0.5f, 0, 0);
            s.colliders[0].position = p3(0.07, -0.64, 0.03);
        }
        if (round == 2) {
            for (int32_t i = 0; i < s.f.cell_count; i += 2) {
                s.f.nodes.inv_mass[s.f.slot_of[i]] = 0.0f;
            }
        }
        CHECK(find_with(&s.list, &s.f.mem.host, &s.bind, &s.f.nodes, 1.0, s.colliders, 1, 0.01,
                        1.0) == LIM_OK);
        double before = deepest_point(&s);
        CHECK(before > 0.03);
        s.list.items.count = 1; /* enough to say which collider */
        float deepest = HUGE_VALF;
        CHECK(contact_clear(&s.list, &s.bind, &s.f.nodes, 1.0, s.colliders, 0.0, isa_best(),
                            &deepest));
        CHECK((double)deepest < before + 1e-5 && (double)deepest > 0.3 * before);
        CHECK(deepest_point(&s) < (round == 2 ? 0.5 : 0.1) * before);
        for (int32_t i = 0; i < s.f.nodes.padded; ++i) {
            bool pinned = !(s.f.nodes.inv_mass[i] > 0.0f);
            CHECK(!pinned || s.f.nodes.d[1][i] == 0.0f);
        }
        if (round == 2) {
            scene_free(&s);
            continue;
        }
        /* and then nothing is left to do */
        float y = s.f.nodes.d[1][s.f.slot_of[0]];
        CHECK(!contact_clear(&s.list, &s.bind, &s.f.nodes, 1.0, s.colliders, 0.0, isa_best(),
                             &deepest));
        CHECK(s.f.nodes.d[1][s.f.slot_of[0]] == y);
        scene_free(&s);
    }
}

/* Between two jaws there is no way out: it gives up, and nothing is torn. */
static void clearing_gives_up_when_squeezed(void) {
    scene s;
    scene_block(&s, 4, 1, 4, 0.2f, 3);
    scene_plane(&s, 0.5, 0.5f);
    s.colliders[1] = s.colliders[0];
    s.colliders[1].orientation = turn(v3(1, 0, 0), 3.14159265358979);
    s.colliders[1].position.y = -0.5;
    s.collider_count = 2;
    CHECK(find_with(&s.list, &s.f.mem.host, &s.bind, &s.f.nodes, 1.0, s.colliders, 2, 0.01, 1.0) ==
          LIM_OK);
    float deepest = HUGE_VALF;
    int calls = 0;
    while (
        deepest > 0.0f && calls < 20 &&
        contact_clear(&s.list, &s.bind, &s.f.nodes, 1.0, s.colliders, 0.0, isa_best(), &deepest)) {
        calls++;
    }
    CHECK(calls <= 2);
    for (int32_t i = 0; i < s.f.nodes.padded; ++i) {
        CHECK(fabs((double)s.f.nodes.d[1][i]) < 1.0);
    }
    scene_free(&s);
}

/* ---- kernels ----------------------------------------------------------------------------------
 */

/* What a set of kernels finds of a scene, in one place to be compared. */
typedef struct kernel_finds {
    float gap[64], moved[3][64], along[64], bend[64], most, longest;
    contact_extent extent;
    uint8_t low[8], near[8];
    int32_t next;
} kernel_finds;

static kernel_finds find_with_kernels(const contact_kernels* k, const node_state* n,
                                      const float* places, lim_vec3 normal) {
    static const lim_vec3 none = {1e30f, 1e30f, 1e30f};
    float reach[64];
    kernel_finds f;
    memset(&f, 0, sizeof f);
    f.extent = (contact_extent){.low = none, .high = v3_scale(none, -1.0f)};
    float* moved[3] = {f.moved[0], f.moved[1], f.moved[2]};
    for (int i = 0; i < 64; ++i) {
        reach[i] = 0.01f * (float)(i % 7);
        f.moved[i % 3][i] = 0.1f;
    }
    k->gaps(n->d, normal, 0.02f, 0.3f, 0, 64, f.gap);
    f.most = k->moves(n, 0, 64, moved);
    f.longest = k->longest(n->v, 0, 64);
    k->along(n->v, normal, 0, 64, f.along);
    k->bends(n, 0, 64, f.bend, &f.extent);
    k->low(n, normal, -0.1f, NULL, NULL, 0, 64, f.low);
    k->low(n, normal, -0.1f, f.bend, reach, 0, 64, f.near);
    f.next = k->next_low(places, normal, -1.9f, 0, 61);
    return f;
}

/* Every instruction set finds the same bits, and those are what plain loops find. */
static void kernels_agree(void) {
    random_stream r = random_seed(59);
    for (int round = 0; round < 50; ++round) {
        scene s;
        float places[3 * 64];
        scene_block(&s, 4, 4, 4, 0.2f, 1);
        fixture_random_motion(&s.f, &r, 0.3f);
        const node_state* n = &s.f.nodes;
        CHECK(n->padded == 64);
        for (int i = 0; i < 16 * 64; ++i) {
            n->affine[i] = random_range(&r, -0.3f, 0.3f);
            places[i % 192] = random_range(&r, -1.2f, 1.2f);
        }
        n->v[1][5] = round % 5 == 0 ? NAN : n->v[1][5];
        lim_vec3 normal = v3_unit(random_vec3(&r, -1, 1), v3(0, 1, 0));
        kernel_finds plain = find_with_kernels(contact_kernels_for(ISA_SCALAR), n, places, normal);
        for (int set = 0; set < ISA_COUNT; ++set) {
            if (isa_available((isa)set)) {
                kernel_finds f =
                    find_with_kernels(contact_kernels_for((isa)set), n, places, normal);
                CHECK(memcmp(&f, &plain, sizeof f) == 0);
            }
        }
        float longest = 0.0f, low = 1e30f;
        for (int i = 0; i < 64; ++i) {
            lim_vec3 d = v3(n->d[0][i], n->d[1][i], n->d[2][i]);
            lim_vec3 x0 = v3(n->x0[0][i], n->x0[1][i], n->x0[2][i]);
            lim_vec3 v = v3(n->v[0][i], n->v[1][i], n->v[2][i]);
            float bend = 0.0f, height = v3_dot(normal, x0) + v3_dot(normal, d);
            for (int k = 0; k < 9; ++k) {
                bend += n->affine[16 * i + k] * n->affine[16 * i + k];
            }
            CHECK_NEAR(plain.gap[i], v3_dot(normal, d) - 0.02f + 0.3f, 1e-6);
            CHECK_NEAR(plain.moved[0][i], d.x - (i % 3 == 0 ? 0.1f : 0.0f), 1e-6);
            CHECK_NEAR(plain.bend[i], sqrtf(bend), 1e-6);
            bool is_low = (plain.low[i / 8] >> i % 8 & 1) != 0;
            bool is_near = (plain.near[i / 8] >> i % 8 & 1) != 0;
            float away = (1.01f + plain.bend[i]) * 0.01f * (float)(i % 7);
            CHECK(is_low == (height <= -0.1f) || fabsf(height + 0.1f) < 1e-6f);
            CHECK(is_near == (height - away <= -0.1f) || fabsf(height - away + 0.1f) < 1e-6f);
            longest = v3_dot(v, v) > longest ? v3_dot(v, v) : longest;
            low = x0.x + d.x < low ? x0.x + d.x : low;
        }
        CHECK_NEAR(plain.longest, longest, 1e-5 * (double)longest);
        CHECK(plain.extent.low.x == low);
        for (int i = 0; i < 61; ++i) { /* what is passed over is higher */
            lim_vec3 at = v3(places[3 * i], places[3 * i + 1], places[3 * i + 2]);
            CHECK(i >= plain.next || v3_dot(normal, at) > -1.9f);
        }
        scene_free(&s);
    }
}

TEST_SUITE(contact_paths) {
    TEST_BEGIN(argc, argv);
    RUN(ways_past_convex_shapes);
    RUN(nothing_that_matters_is_left_out);
    RUN(clearing_takes_every_point_out);
    RUN(clearing_gives_up_when_squeezed);
    RUN(kernels_agree);
    TEST_END();
}
