/* SPDX-License-Identifier: MIT
 * Large flow: matching gets a rest shape of its own. What was pulled far stays so; the moment of it
 * moves nothing; bits, bytes, memory, volume.
 */
#include "test.h"

#include "core/physics_kit.h"
#include "world/world.h"

static const lim_vec3 NO_GRAVITY = {0, 0, 0};

static body* inside(const toy* t) {
    return &t->world->bodies[t->body.index]->body;
}

static lim_material dough(float max_strain) {
    lim_material m = lim_material_default();
    m.young = 2e4f;
    m.viscosity = 200.0f;
    m.damping_time = 0.2f;
    m.volume = 0.5f;
    m.yield = 0.04f;
    m.creep = 20.0f;
    m.max_strain = max_strain;
    m.goal = KIND_TABLE[kind_now].goal;
    return m;
}

static double length_of(toy* t, double end) {
    double sum[2] = {0, 0}, mass[2] = {0, 0};
    toy_read(t);
    for (int32_t i = 0; i < t->nodes; ++i) {
        double x = t->rest[3 * i];
        if (fabs(x) > end) {
            sum[x > 0.0] += (double)t->mass[i] * t->x[3 * i];
            mass[x > 0.0] += (double)t->mass[i];
        }
    }
    return sum[1] / mass[1] - sum[0] / mass[0];
}

static double skin_volume(const toy* t) {
    lim_skin_view skin;
    CHECK(lim_body_get_skin(t->world, t->body, &skin) == LIM_OK);
    const uint32_t* indices = inside(t)->topology->indices;
    double sum = 0.0;
    for (int32_t i = 0; i < inside(t)->topology->triangle_count; ++i) {
        lim_point p[3];
        for (int k = 0; k < 3; ++k) {
            const float* at = skin.positions + 3 * (size_t)indices[3 * i + k];
            p[k] = p3((double)at[0], (double)at[1], (double)at[2]);
        }
        sum += p3_dot(p[0], p3_cross(p[1], p[2])) / 6.0;
    }
    return sum;
}

static void step(toy* t, int count) {
    for (int k = 0; k < count; ++k) {
        CHECK(lim_world_step(t->world, 1.0f / 60) == LIM_OK);
    }
}

/* Holds the ends of a bar of length 1. */
static void hold_ends(toy* t, lim_pin pin[2]) {
    for (int k = 0; k < 2; ++k) {
        lim_pin_desc p = lim_pin_desc_default();
        p.body = t->body;
        p.shape = LIM_SHAPE_BOX;
        p.size = (lim_vec3){0.15f, 1, 1};
        p.position = p3(k == 0 ? -0.5 : 0.5, 0, 0);
        CHECK(lim_pin_create(t->world, &p, &pin[k]) == LIM_OK);
    }
}

static void pull_ends(toy* t, const lim_pin pin[2], double from, double to, int steps) {
    for (int k = 1; k <= steps; ++k) {
        double half = 0.5 * (from + (to - from) * k / steps);
        for (int e = 0; e < 2; ++e) {
            CHECK(lim_pin_move(t->world, pin[e], p3(e == 0 ? -half : half, 0, 0),
                               (lim_quat){0, 0, 0, 1}) == LIM_OK);
        }
        step(t, 1);
    }
}

static toy bar(float max_strain, int32_t threads) {
    static const int32_t n[3] = {20, 4, 4};
    lim_material m = dough(max_strain);
    return toy_box(n, 0.05, p3(0, 0, 0), &m, NO_GRAVITY, 2, threads);
}

static double pulled(float max_strain, double* out_volume) {
    toy t = bar(max_strain, 1);
    double before = length_of(&t, 0.3), volume = skin_volume(&t);
    lim_pin pin[2];
    hold_ends(&t, pin);
    pull_ends(&t, pin, 1.0, 2.5, 240);
    step(&t, 120);
    double held = length_of(&t, 0.3);
    CHECK(lim_pin_destroy(t.world, pin[0]) == LIM_OK);
    CHECK(lim_pin_destroy(t.world, pin[1]) == LIM_OK);
    step(&t, 240);
    double after = length_of(&t, 0.3);
    *out_volume = skin_volume(&t) / volume - 1.0;
    printf("  max_strain %.1f: pulled to %.3f, stays %.3f of that, volume %+.4f\n",
           (double)max_strain, held / before, after / held, *out_volume);
    toy_free(&t);
    return after / held;
}

static void what_was_pulled_far_stays(void) {
    double volume;
    double low = pulled(0.5f, &volume);
    double high = pulled(3.0f, &volume);
    CHECK(low < 0.9 && high > 0.95);
}

/* Stretched evenly, a little at a time, with nothing that holds it. */
static void even_flow_keeps_the_volume(void) {
    toy t = bar(3.0f, 1);
    double volume = skin_volume(&t), before = length_of(&t, 0.3);
    for (int k = 0; k < 40; ++k) {
        toy_read(&t);
        for (int32_t i = 0; i < 3 * t.nodes; ++i) {
            t.x[i] *= i % 3 == 0 ? 1.05 : 1.0 / sqrt(1.05);
            t.v[i] = 0.0f;
        }
        toy_write(&t);
        step(&t, 3);
    }
    step(&t, 120);
    double length = length_of(&t, 0.3) / before, off = skin_volume(&t) / volume - 1.0;
    printf("  stretched to %.3f, volume %+.5f, past %.3f\n", length, off,
           inside(&t)->embedding != NULL ? (double)inside(&t)->embedding->past[inside(&t)->topology->regions.seed_region[inside(&t)->topology->node_slot[0]]] : 0.0);
    toy_free(&t);
}

static int embeddings(toy* t, int steps) {
    int count = 0;
    for (int k = 0; k < steps; ++k) {
        const body_embedding* was = inside(t)->embedding;
        step(t, 1);
        count += inside(t)->embedding != was;
    }
    return count;
}

/* One end is turned and pushed to and fro. */
static void kneading_keeps_the_volume(void) {
    lim_material m = dough(getenv("MS") ? (float)atof(getenv("MS")) : 10.0f);
    static const int32_t n[3] = {20, 8, 8};
    m.volume = 1.0f;
    toy t = toy_box(n, 0.05, p3(0, 0, 0), &m, NO_GRAVITY, 2, 1);
    double rest = skin_volume(&t);
    lim_body_motion first, last;
    CHECK(lim_body_get_motion(t.world, t.body, &first) == LIM_OK);
    lim_pin pin[2];
    hold_ends(&t, pin);
    int count = 0;
    for (int k = 0; k < 2000; ++k) {
        double a = 0.5 * trig_sin(0.011 * k), b = 0.4 * trig_sin(0.017 * k);
        lim_quat q = {(float)trig_sin(a), 0, 0, (float)trig_cos(a)};
        CHECK(lim_pin_move(t.world, pin[1], p3(0.5 + b, 0.3 * trig_sin(0.013 * k), 0), q) ==
              LIM_OK);
        int e = embeddings(&t, 1); count += e; if (e) printf("   k %d skin now %.4f\n", k, skin_volume(&t)/rest);
    }
    CHECK(lim_pin_destroy(t.world, pin[1]) == LIM_OK);
    step(&t, 300);
    CHECK(lim_body_get_motion(t.world, t.body, &last) == LIM_OK);
    printf("  %d embeddings, volume of skin %+.5f, of nodes %+.5f\n", count, skin_volume(&t) / rest - 1.0, last.volume / first.volume - 1.0);
    toy_free(&t);
}

int main(int argc, char** argv) {
    TEST_BEGIN(argc, argv);
    for (int k = 0; k < KIND_QUADRATIC && kind_choose(k); ++k) {
        RUN(what_was_pulled_far_stays);
        RUN(even_flow_keeps_the_volume);
        RUN(kneading_keeps_the_volume);
    }
    TEST_END();
}
