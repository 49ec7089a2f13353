/* SPDX-License-Identifier: MIT
 * Stiffness that is set: zones in models, factors and zones of bodies at run time against models
 * built with them, bit for bit; what a local change touches; state; what is refused; limits.
 */
#include "test.h"

#include "world/world.h"
#include "world_kit.h"

#include <stdlib.h>

enum { STEPS = 30 };

/* The upper part of the ball, with a fade, and a soft ball at the side. */
static void the_zones(lim_zone out[2]) {
    out[0] = out[1] = lim_zone_default();
    out[0].shape = LIM_SHAPE_BOX;
    out[0].position = (lim_point){0.05, 0.4, 0};
    out[0].orientation = (lim_quat){0.1f, 0, 0.2f, 1};
    out[0].size = (lim_vec3){0.6f, 0.2f, 0.6f};
    out[0].fade = 0.15f;
    out[0].stiffness = 4.0f;
    out[1].position = (lim_point){0.3, 0, 0.1};
    out[1].size.x = 0.2f;
    out[1].fade = 0.1f;
    out[1].stiffness = 0.3f;
}

static lim_model* zoned_model(int32_t nodes, const lim_zone* zones, int32_t count) {
    lim_mesh* mesh = NULL;
    lim_model* model = NULL;
    lim_model_desc desc = lim_model_desc_default();
    desc.node_count = nodes;
    desc.zones = zones;
    desc.zone_count = count;
    kind_describe(&desc);
    CHECK(kit_ball(20, 30, NULL, &mesh) == LIM_OK);
    CHECK(lim_model_create(mesh, &desc, NULL, &model) == LIM_OK);
    lim_mesh_destroy(mesh);
    return model;
}

typedef struct ball {
    lim_world* world;
    lim_body body;
} ball;

static ball drop(const lim_model* model, const lim_host* host, float young) {
    ball b = {.world = kit_world(host, 1)};
    lim_body_desc desc = lim_body_desc_default();
    desc.model = model;
    desc.position = (lim_point){0, 0.62, 0};
    desc.material = kind_material(lim_material_default());
    desc.material.young = young;
    desc.angular_velocity = (lim_vec3){1, 2, 3};
    kit_floor(b.world);
    CHECK(lim_body_create(b.world, &desc, &b.body) == LIM_OK);
    return b;
}

static void run(const ball* b, int steps) {
    for (int i = 0; i < steps; ++i) {
        CHECK(lim_world_step(b->world, 1.0f / 60) == LIM_OK);
    }
}

/* The factors that the zones give, as a body keeps them. */
static float* factors_of(const ball* b, int32_t nodes) {
    float* out = malloc((size_t)nodes * sizeof(float));
    const body* inside = &b->world->bodies[b->body.index]->body;
    for (int32_t i = 0; i < nodes; ++i) {
        out[i] = inside->stiffness[inside->topology->node_slot[i]];
    }
    return out;
}

static bool same_nodes(const ball* a, const ball* b, int32_t nodes) {
    size_t n = 3 * (size_t)nodes;
    double* x = malloc(2 * n * sizeof(double));
    float* v = malloc(2 * n * sizeof(float));
    CHECK(lim_body_get_nodes(a->world, a->body, x, v, nodes) == LIM_OK);
    CHECK(lim_body_get_nodes(b->world, b->body, x + n, v + n, nodes) == LIM_OK);
    bool same =
        memcmp(x, x + n, n * sizeof(double)) == 0 && memcmp(v, v + n, n * sizeof(float)) == 0;
    free(x);
    free(v);
    return same;
}

/* Set at run time, by zones and by factors, before the first step and after some, the body moves as
 * one of a model that was built so; back to the model's, as if nothing had been. */
static void a_change_equals_a_rebuild(void) {
    lim_zone zones[2];
    the_zones(zones);
    lim_model *plain = zoned_model(500, NULL, 0), *built = zoned_model(500, zones, 2);
    int32_t nodes = lim_model_get_info(plain).nodes;
    ball want = drop(built, NULL, 3e4f), set = drop(plain, NULL, 3e4f);
    ball by_node = drop(plain, NULL, 3e4f), again = drop(built, NULL, 3e4f);
    ball back = drop(plain, NULL, 3e4f), never = drop(plain, NULL, 3e4f);
    CHECK(lim_body_set_zones(set.world, set.body, zones, 2) == LIM_OK);
    float* factor = factors_of(&set, nodes);
    CHECK(lim_body_set_stiffness(by_node.world, by_node.body, factor, nodes) == LIM_OK);
    CHECK(lim_body_set_stiffness(again.world, again.body, factor, nodes) == LIM_OK);
    CHECK(lim_body_set_zones(back.world, back.body, zones, 1) == LIM_OK);
    CHECK(lim_world_hash(back.world) != lim_world_hash(never.world));
    CHECK(lim_body_set_stiffness(back.world, back.body, NULL, 0) == LIM_OK);
    CHECK(lim_world_hash(back.world) == lim_world_hash(never.world));
    const ball* all[6] = {&want, &set, &by_node, &again, &back, &never};
    for (int k = 0; k < 6; ++k) {
        run(all[k], STEPS);
    }
    CHECK(same_nodes(&want, &set, nodes));
    CHECK(lim_world_hash(set.world) == lim_world_hash(by_node.world));
    CHECK(lim_world_hash(set.world) == lim_world_hash(again.world)); /* which nothing had touched */
    CHECK(lim_world_hash(back.world) == lim_world_hash(never.world));
    CHECK(!same_nodes(&set, &never, nodes));
    for (int k = 0; k < 6; ++k) {
        lim_world_destroy(all[k]->world);
    }
    free(factor);
    lim_model_destroy(plain);
    lim_model_destroy(built);
}

/* In the middle of a run the new gains are those of a world that is loaded, which makes all of them
 * anew; snapshots go back and forth. */
static void it_is_state(void) {
    lim_zone zones[2];
    the_zones(zones);
    lim_model* plain = zoned_model(500, NULL, 0);
    ball b = drop(plain, NULL, 3e4f);
    run(&b, 10);
    lim_snapshot *before = NULL, *after = NULL;
    uint64_t hash[2];
    CHECK(lim_snapshot_create(b.world, &before) == LIM_OK);
    hash[0] = lim_world_hash(b.world);
    CHECK(lim_body_set_zones(b.world, b.body, zones, 2) == LIM_OK);
    CHECK(lim_snapshot_create(b.world, &after) == LIM_OK);
    size_t size = 0;
    CHECK(lim_world_save(b.world, NULL, 0, &size) == LIM_OK);
    unsigned char* bytes = malloc(size);
    CHECK(lim_world_save(b.world, bytes, size, &size) == LIM_OK);
    hash[1] = lim_world_hash(b.world);
    lim_world* copy = NULL;
    CHECK(lim_world_load(bytes, size, 1, NULL, &copy) == LIM_OK);
    CHECK(lim_world_hash(copy) == hash[1]);
    run(&b, STEPS);
    run(&(ball){copy, b.body}, STEPS);
    uint64_t then = lim_world_hash(b.world);
    CHECK(lim_world_hash(copy) == then);
    CHECK(lim_snapshot_restore(b.world, before) == LIM_OK && lim_world_hash(b.world) == hash[0]);
    CHECK(lim_snapshot_restore(b.world, after) == LIM_OK && lim_world_hash(b.world) == hash[1]);
    run(&b, STEPS);
    CHECK(lim_world_hash(b.world) == then);
    free(bytes);
    lim_world_destroy(copy);
    lim_snapshot_destroy(before);
    lim_snapshot_destroy(after);
    lim_world_destroy(b.world);
    lim_model_destroy(plain);
}

/* One node changes. Gains that nothing may look at have been spoiled before: those that are whole
 * afterwards were made anew. */
static void a_local_change_touches_local_regions(void) {
    lim_model* model = zoned_model(3000, NULL, 0);
    int32_t nodes = lim_model_get_info(model).nodes;
    ball b = drop(model, NULL, 3e4f);
    run(&b, 2);
    body* in = &b.world->bodies[b.body.index]->body;
    const topology* t = in->topology;
    float* factor = factors_of(&b, nodes);
    int32_t changed = nodes / 3, made_regions = 0, expected = 0, summed = 0, around = 0;
    factor[changed] = 2.0f;
    const float spoiled = 1234.5f;
    for (int32_t i = 0; i < t->regions.padded; ++i) {
        in->gains.goal[i] = spoiled;
    }
    for (int32_t i = 0; i < t->slot_count; ++i) {
        in->gains.goal_sum[i] = spoiled;
    }
    bool* member = calloc((size_t)t->regions.padded, sizeof(bool));
    CHECK(lim_body_set_stiffness(b.world, b.body, factor, nodes) == LIM_OK);
    for (int32_t i = 0; i < t->regions.count; ++i) {
        member[i] = topology_region_weight(t, t->node_slot[changed], i) > 0.0;
        expected += member[i];
        bool made = in->gains.goal[i] != spoiled;
        made_regions += made;
        CHECK(made == member[i]);
        CHECK(member[i] == (in->region_stiffness[i] != 1.0f));
    }
    for (int32_t i = 0; i < t->slot_count; ++i) {
        bool near = false;
        for (int32_t r = 0; r < t->regions.count && t->slot_node[i] >= 0; ++r) {
            near = near || (member[r] && topology_region_weight(t, i, r) > 0.0);
        }
        around += near;
        summed += t->slot_node[i] >= 0 && in->gains.goal_sum[i] != spoiled;
    }
    printf("     %d of %d regions and %d of %d nodes\n", (int)made_regions, (int)t->regions.count,
           (int)summed, (int)nodes);
    CHECK(made_regions == expected && made_regions > 0);
    if (t->kind->nodes != LIM_NODES_ARE_POINTS) {
        CHECK(20 * made_regions < t->regions.count);
    }
    CHECK(t->regions.box > 0 || summed == around); /* windows of a lattice are summed in one go */
    free(member);
    free(factor);
    lim_world_destroy(b.world);
    lim_model_destroy(model);
}

static void what_is_wrong_is_refused(void) {
    lim_model* model = zoned_model(60, NULL, 0);
    int32_t nodes = lim_model_get_info(model).nodes;
    ball b = drop(model, NULL, 3e4f);
    float* factor = factors_of(&b, nodes);
    uint64_t hash = lim_world_hash(b.world);
    CHECK(lim_body_set_stiffness(b.world, b.body, factor, nodes - 1) == LIM_ERROR_ARGUMENT);
    const float bad[4] = {0.0f, -1.0f, NAN, 2e6f};
    for (int k = 0; k < 4; ++k) {
        factor[nodes - 1] = bad[k];
        CHECK(lim_body_set_stiffness(b.world, b.body, factor, nodes) == LIM_ERROR_ARGUMENT);
    }
    CHECK(lim_body_set_stiffness(NULL, b.body, NULL, 0) == LIM_ERROR_ARGUMENT);
    CHECK(lim_body_set_stiffness(b.world, (lim_body){7, 7}, NULL, 0) == LIM_ERROR_ID);
    CHECK(lim_body_set_zones(b.world, b.body, NULL, 1) == LIM_ERROR_ARGUMENT);
    for (int k = 0; k < 9; ++k) {
        lim_zone zones[2];
        the_zones(zones);
        lim_zone* z = &zones[0];
        z->shape = k == 0 ? LIM_SHAPE_PLANE : k == 1 ? (lim_shape)9 : z->shape;
        z->size.z = k == 2 ? 0.0f : z->size.z;
        z->fade = k == 3 ? -1.0f : z->fade;
        z->stiffness = k == 4 ? 0.0f : k == 5 ? NAN : z->stiffness;
        z->orientation = k == 6 ? (lim_quat){0, 0, 0, 0} : z->orientation;
        z->position.x = k == 7 ? INFINITY : z->position.x;
        z->density = k == 8 ? 2.0f : z->density;
        CHECK(lim_body_set_zones(b.world, b.body, zones, 2) == LIM_ERROR_ARGUMENT);
        lim_mesh* mesh = NULL;
        lim_model* made = NULL;
        lim_model_desc desc = lim_model_desc_default();
        desc.node_count = 60;
        desc.zones = zones;
        desc.zone_count = 2;
        CHECK(kit_ball(8, 12, NULL, &mesh) == LIM_OK);
        CHECK(lim_model_create(mesh, &desc, NULL, &made) == (k == 8 ? LIM_OK : LIM_ERROR_ARGUMENT));
        lim_model_destroy(made);
        lim_mesh_destroy(mesh);
    }
    CHECK(lim_world_hash(b.world) == hash);
    free(factor);
    lim_world_destroy(b.world);
    lim_model_destroy(model);
}

static void failures_change_nothing(void) {
    lim_zone zones[2];
    the_zones(zones);
    lim_model* model = zoned_model(60, NULL, 0);
    for (int64_t k = 0;; ++k) {
        failing_host f;
        failing_host_arm(&f, -1);
        ball b = drop(model, &f.host, 3e4f);
        uint64_t hash = lim_world_hash(b.world);
        int64_t held = f.held;
        f.fail_at = f.allocations + k;
        lim_result result = lim_body_set_zones(b.world, b.body, zones, 2);
        f.fail_at = -1;
        CHECK(f.held == held);
        CHECK(result == LIM_OK || (result == LIM_ERROR_MEMORY && lim_world_hash(b.world) == hash));
        lim_world_destroy(b.world);
        CHECK(f.held == 0);
        if (result == LIM_OK) {
            CHECK(k > 0);
            break;
        }
    }
    lim_model_destroy(model);
}

/* Masses, by hand: a box of 2 x 1 x 1 cells of space whose right half is three times as dense. */
static void zones_have_densities(void) {
    lim_zone zone = lim_zone_default();
    zone.shape = LIM_SHAPE_BOX;
    zone.position = (lim_point){1, 0, 0};
    zone.size = (lim_vec3){1, 2, 2};
    zone.density = 3.0f;
    lim_model *plain = zoned_model(4000, NULL, 0), *model = zoned_model(4000, &zone, 1);
    lim_model_info a = lim_model_get_info(plain), b = lim_model_get_info(model);
    ball heavy = drop(model, NULL, 3e4f), light = drop(plain, NULL, 3e4f);
    lim_body_motion m[2];
    CHECK(lim_body_get_motion(heavy.world, heavy.body, &m[0]) == LIM_OK);
    CHECK(lim_body_get_motion(light.world, light.body, &m[1]) == LIM_OK);
    CHECK_NEAR(m[0].mass / m[1].mass, 2.0, 0.06);
    /* the half ellipsoid's centre lies at 3/8 of its half axis: (3 - 1) / 4 of it */
    CHECK_NEAR(b.centre.x - a.centre.x, 0.5 * 0.375 * 0.5, 0.01);
    CHECK_NEAR(b.volume, a.volume, 1e-6 * a.volume);
    lim_world_destroy(heavy.world);
    lim_world_destroy(light.world);
    lim_model_destroy(plain);
    lim_model_destroy(model);
}

static int warnings;
static void listen(void* user, lim_log_level level, const char* text) {
    (void)user;
    warnings += level == LIM_LOG_WARNING && strstr(text, "modulus") != NULL;
}

/* 10 MPa: stable, what is got is told, and in one line. */
static void ten_megapascal_are_limited(void) {
    lim_host host = {.log = listen};
    lim_model* model = zoned_model(800, NULL, 0);
    ball b = drop(model, &host, 1e7f);
    warnings = 0;
    run(&b, 240);
    CHECK(warnings == 1);
    lim_body_limits l;
    CHECK(lim_body_get_limits(b.world, b.body, &l) == LIM_OK);
    CHECK(l.young_asked == 1e7f && l.young_got > 1e4f && l.young_got < 0.9e7f);
    CHECK(l.substeps_got == 8 && l.substeps_needed > 8);
    lim_body_motion m;
    CHECK(lim_body_get_motion(b.world, b.body, &m) == LIM_OK);
    CHECK(!m.frozen && m.speed < 6.0 && m.strain < 0.1 && m.bounds.lower.y > -0.05);
    printf("     got %.3g Pa, needs %d substeps or regions of %.1f cells\n", (double)l.young_got,
           (int)l.substeps_needed, (double)l.region_width_needed);
    CHECK(l.region_width_needed > 1.5f && l.region_width_needed < 8.0f);
    lim_world_destroy(b.world);
    lim_model_destroy(model);
}

/* The width that is said to be needed gives the modulus that was asked for. */
static void the_width_needed_is_enough(void) {
    for (int kind = 0; kind < 2; ++kind) {
        float width = 1.0f, asked = 0.0f;
        for (int round = 0; round < 2; ++round) {
            lim_mesh* mesh = NULL;
            lim_model* model = NULL;
            lim_model_desc desc = lim_model_desc_default();
            desc.kind = kind == 0 ? LIM_KIND_OCTREE : LIM_KIND_LATTICE;
            desc.node_count = 6000;
            desc.region_width = kind == 0 ? width : ceilf(width);
            CHECK(kit_ball(36, 54, NULL, &mesh) == LIM_OK);
            CHECK(lim_model_create(mesh, &desc, NULL, &model) == LIM_OK);
            float cell = lim_model_get_info(model).cell_size;
            /* three times what regions of 1 give in 8 substeps */
            asked =
                round == 0 ? (kind ? 2.0f : 3.0f) * 1000.0f * cell * cell * 480.0f * 480.0f : asked;
            ball b = drop(model, NULL, asked);
            run(&b, 1);
            lim_body_limits l;
            CHECK(lim_body_get_limits(b.world, b.body, &l) == LIM_OK);
            CHECK((l.young_got < 0.5f * asked) == (round == 0));
            CHECK(round == 0 || l.young_got > 0.9f * asked);
            printf("     width %.2f: %.3f of the modulus, needs %.2f\n", (double)desc.region_width,
                   (double)(l.young_got / asked), (double)l.region_width_needed);
            width = l.region_width_needed;
            lim_world_destroy(b.world);
            lim_model_destroy(model);
            lim_mesh_destroy(mesh);
        }
    }
}

TEST_SUITE(world_stiffness) {
    TEST_BEGIN(argc, argv);
    for (int k = 0; kind_choose(k); ++k) {
        RUN(a_change_equals_a_rebuild);
        RUN(it_is_state);
        if (!kind_is_implicit(k)) { /* it has no gains */
            RUN(a_local_change_touches_local_regions);
        }
        if (k < KIND_POINTS) { /* one shape, or a few, reach that */
            RUN(ten_megapascal_are_limited);
        }
    }
    RUN(what_is_wrong_is_refused);
    RUN(failures_change_nothing);
    RUN(zones_have_densities);
    RUN(the_width_needed_is_enough);
    TEST_END();
}
