/* SPDX-License-Identifier: MIT
 * The skin of lattice bodies through the public API: affine poses, strain, contact, pins, files.
 */
#include "base/random.h"
#include "mat3_kit.h"
#include "world/container.h"
#include "world_kit.h"

static lim_model* lattice_model(int32_t nodes) {
    lim_mesh* mesh = NULL;
    lim_model* model = NULL;
    lim_model_desc desc = lim_model_desc_default();
    desc.kind = LIM_KIND_LATTICE;
    desc.node_count = nodes;
    CHECK(kit_ball(20, 30, NULL, &mesh) == LIM_OK);
    CHECK(lim_model_create(mesh, &desc, NULL, &model) == LIM_OK);
    lim_mesh_destroy(mesh);
    return model;
}

/* Puts every node where an affine map takes it from rest. */
static void set_affine(lim_world* world, lim_body body, const lim_model* model, const dmat3* map) {
    lim_model_nodes nodes = lim_model_get_nodes(model);
    double* x = malloc((size_t)nodes.count * 3 * sizeof(double));
    for (int32_t i = 0; i < nodes.count; ++i) {
        lim_point at =
            dmat3_mul(map, p3((double)nodes.x[i], (double)nodes.y[i], (double)nodes.z[i]));
        memcpy(x + 3 * i, &at, sizeof at);
    }
    CHECK(lim_body_set_nodes(world, body, x, NULL, nodes.count) == LIM_OK);
    free(x);
}

/* Positions, normals and strain of a stretched and sheared body; at rest all is as given. */
static void affine_poses_are_exact(void) {
    lim_model* model = lattice_model(400);
    lim_world* world = kit_world(NULL, 1);
    lim_body body = kit_body(world, model, 0.0, 0.0);
    lim_mesh_view rest = lim_model_get_surface(model);
    lim_point centre = lim_model_get_info(model).centre;
    const dmat3 map = {{1.2, 0.3, 0.0, 0.0, 0.9, 0.1, -0.2, 0.0, 1.1}};
    const dmat3 stretch = {{1.3, 0, 0, 0, 1, 0, 0, 0, 0.6}};
    float* strain = malloc((size_t)rest.vertex_count * sizeof(float));
    lim_skin_view skin;
    CHECK(lim_body_get_skin(world, body, &skin) == LIM_OK);
    CHECK(lim_body_get_strain(world, body, strain, rest.vertex_count) == LIM_OK);
    for (int32_t v = 0; v < rest.vertex_count; ++v) {
        CHECK(strain[v] < 1e-6f);
        CHECK_NEAR(skin.positions[3 * v] + skin.origin.x, rest.positions[v].x - centre.x, 1e-6);
    }
    set_affine(world, body, model, &map);
    CHECK(lim_body_get_skin(world, body, &skin) == LIM_OK);
    mat3 single;
    for (int k = 0; k < 9; ++k) {
        single.m[k] = (float)map.m[k];
    }
    mat3 cofactor = mat3_cofactor(&single);
    for (int32_t v = 0; v < rest.vertex_count; ++v) {
        lim_point x = dmat3_mul(&map, p3_sub(rest.positions[v], centre));
        const float *p = skin.positions + 3 * v, *n = skin.normals + 3 * v;
        lim_point got = p3_add(skin.origin, p3((double)p[0], (double)p[1], (double)p[2]));
        CHECK_NEAR(p3_length(p3_sub(got, x)), 0.0, 2e-6);
        const float* m = rest.normals + 3 * v;
        lim_vec3 wanted = v3_unit(mat3_mul(&cofactor, v3(m[0], m[1], m[2])), v3(0, 0, 0));
        CHECK_NEAR(v3_length(v3_sub(v3(n[0], n[1], n[2]), wanted)), 0.0, 2e-5);
    }
    set_affine(world, body, model, &stretch);
    CHECK(lim_body_get_strain(world, body, strain, rest.vertex_count) == LIM_OK);
    for (int32_t v = 0; v < rest.vertex_count; ++v) {
        CHECK_NEAR(strain[v], 0.5, 1e-4); /* sqrt(0.3^2 + 0.4^2) */
    }
    free(strain);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

static double lowest(const lim_world* world, lim_body body) {
    lim_skin_view skin;
    CHECK(lim_body_get_skin(world, body, &skin) == LIM_OK);
    double least = 1e9;
    for (int32_t v = 0; v < skin.vertex_count; ++v) {
        least = fmin(least, (double)skin.positions[3 * v + 1] + skin.origin.y);
    }
    return least;
}

/* Contacts act at bound points, and these are where the skin is: it comes to rest on the floor. A
 * ball rolls for a while before it falls asleep. */
static void a_lattice_ball_rests_on_the_floor(void) {
    lim_model* model = lattice_model(300);
    lim_world* world = kit_world(NULL, 1);
    kit_floor(world);
    lim_body body = kit_toy(world, model, 0.0, 0.2);
    double least = 1.0, cell = 0.2 * (double)lim_model_get_info(model).cell_size;
    lim_body_motion motion = {0};
    for (int i = 0; i < 720 && !motion.asleep; ++i) {
        kit_steps(world, 1);
        least = fmin(least, lowest(world, body));
        CHECK(lim_body_get_motion(world, body, &motion) == LIM_OK);
    }
    CHECK(least > -0.2 * cell);
    CHECK_NEAR(lowest(world, body), 0.0, 0.02 * cell);
    CHECK(motion.asleep);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* What is pinned stays where it is, to rounding. */
static void pinned_skin_stays(void) {
    lim_model* model = lattice_model(400);
    lim_world* world = kit_world(NULL, 1);
    lim_body body = kit_body(world, model, 0.0, 0.0);
    lim_pin_desc desc = lim_pin_desc_default();
    desc.body = body;
    desc.shape = LIM_SHAPE_BOX;
    desc.size = (lim_vec3){2.0f, 0.3f, 2.0f};
    desc.position = (lim_point){0.0, 0.6, 0.0};
    lim_pin pin;
    CHECK(lim_pin_create(world, &desc, &pin) == LIM_OK);
    lim_skin_view skin;
    CHECK(lim_body_get_skin(world, body, &skin) == LIM_OK);
    float* before = malloc((size_t)skin.vertex_count * 3 * sizeof(float));
    memcpy(before, skin.positions, (size_t)skin.vertex_count * 3 * sizeof(float));
    lim_point origin = skin.origin;
    kit_steps(world, 30);
    CHECK(lim_body_get_skin(world, body, &skin) == LIM_OK);
    double held = 0.0, hanging = 0.0;
    for (int32_t v = 0; v < skin.vertex_count; ++v) {
        double y = (double)before[3 * v + 1] + origin.y;
        double moved = fabs((double)skin.positions[3 * v + 1] + skin.origin.y - y);
        held = y > 0.55 ? fmax(held, moved) : held;
        hanging = y < -0.3 ? fmax(hanging, moved) : hanging;
    }
    CHECK(held < 1e-5 && hanging > 1e-3);
    free(before);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

static unsigned char* save_bytes(const lim_world* world, size_t* out_size) {
    CHECK(lim_world_save(world, NULL, 0, out_size) == LIM_OK);
    unsigned char* bytes = malloc(*out_size);
    CHECK(lim_world_save(world, bytes, *out_size, NULL) == LIM_OK);
    return bytes;
}

static lim_world* falling(const lim_model* model) {
    lim_world* world = kit_world(NULL, 1);
    kit_floor(world);
    lim_body_desc desc = lim_body_desc_default();
    desc.model = model;
    desc.position = (lim_point){0.0, 0.65, 0.0};
    desc.angular_velocity = (lim_vec3){1.0f, 2.0f, 3.0f};
    lim_body body;
    CHECK(lim_body_create(world, &desc, &body) == LIM_OK);
    kit_steps(world, 8);
    return world;
}

static void files_keep_the_skin(void) {
    lim_model* model = lattice_model(100);
    lim_world *world = falling(model), *other = NULL;
    size_t size = 0;
    unsigned char* bytes = save_bytes(world, &size);
    CHECK(lim_world_load(bytes, size, 1, NULL, &other) == LIM_OK);
    for (int i = 0; i < 5; ++i) {
        lim_skin_view a, b;
        CHECK(lim_body_get_skin(world, lim_body_next(world, (lim_body){0}), &a) == LIM_OK);
        CHECK(lim_body_get_skin(other, lim_body_next(other, (lim_body){0}), &b) == LIM_OK);
        size_t n = (size_t)a.vertex_count * 3 * sizeof(float);
        CHECK(memcmp(a.normals, b.normals, n) == 0);
        /* what lay on the floor was lifted by the step, but not by the loading */
        CHECK(i == 0 || memcmp(a.positions, b.positions, n) == 0);
        CHECK(lim_world_hash(world) == lim_world_hash(other));
        kit_steps(world, 1);
        kit_steps(other, 1);
    }
    free(bytes);
    lim_world_destroy(world);
    lim_world_destroy(other);
    lim_model_destroy(model);
}

/* Any bytes under a right checksum: what loads can be stepped, and skinned outside. */
static void forged_lattices_are_judged(void) {
    lim_model* model = lattice_model(30);
    size_t size = 0;
    CHECK(lim_model_save(model, NULL, 0, &size) == LIM_OK);
    unsigned char *bytes = malloc(size), *forged = malloc(size);
    CHECK(lim_model_save(model, bytes, size, NULL) == LIM_OK);
    random_stream r = random_seed(12);
    int loaded = 0, refused = 0;
    for (int n = 0; n < 3000; ++n) {
        memcpy(forged, bytes, size);
        size_t tail = size / 2; /* bindings come last */
        size_t at = size - 1 - (size_t)random_index(&r, (int32_t)(n % 2 == 0 ? size - 64 : tail));
        forged[at] = n % 3 == 0 ? 0x7F : (unsigned char)random_u64(&r);
        container_seal(forged, size, "LIMMODEL");
        lim_model* made = NULL;
        lim_result result = lim_model_load(forged, size, NULL, &made);
        CHECK(result == LIM_OK || result == LIM_ERROR_FORMAT);
        loaded += result == LIM_OK;
        refused += result != LIM_OK;
        if (result == LIM_OK) {
            lim_world* world = kit_world(NULL, 1);
            lim_body body = kit_body(world, made, 0.0, 1.0);
            lim_batches* batches = NULL;
            CHECK(body.generation != 0);
            kit_steps(world, 1);
            CHECK(lim_model_make_batches(made, 24, NULL, &batches) == LIM_OK);
            lim_batches_destroy(batches);
            lim_world_destroy(world);
        }
        lim_model_destroy(made);
    }
    CHECK(loaded > 100 && refused > 100);
    free(bytes);
    free(forged);
    lim_model_destroy(model);
}

TEST_SUITE(lattice_skin) {
    TEST_BEGIN(argc, argv);
    RUN(affine_poses_are_exact);
    RUN(a_lattice_ball_rests_on_the_floor);
    RUN(pinned_skin_stays);
    RUN(files_keep_the_skin);
    RUN(forged_lattices_are_judged);
    TEST_END();
}
