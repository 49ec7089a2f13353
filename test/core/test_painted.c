/* SPDX-License-Identifier: MIT
 * Bodies whose surface says what they are made of: mass, centre of mass, stretch and period by
 * hand, momentum, bits, bytes, and what is refused.
 */
#include "test.h"

#include "core/physics_kit.h"
#include "failing_host.h"

static const lim_vec3 NO_GRAVITY = {0, 0, 0};

/* A factor for the left and one for the right half of a box; 0: no array at all. */
typedef struct halves {
    float density[2], stiffness[2];
} halves;

static float* values_for(lim_mesh_view view, const float side[2]) {
    float* values = side[0] > 0.0f ? malloc((size_t)view.vertex_count * sizeof(float)) : NULL;
    for (int32_t i = 0; values != NULL && i < view.vertex_count; ++i) {
        double x = view.positions[i].x;
        values[i] = x < -1e-9 ? side[0] : x > 1e-9 ? side[1] : 0.5f * (side[0] + side[1]);
    }
    return values;
}

static toy painted_box(const int32_t n[3], double cell, halves h, lim_material m, lim_vec3 gravity,
                       int32_t substeps) {
    toy t = toy_box(n, cell, p3(0, 0, 0), &m, gravity, substeps, 1);
    lim_mesh* mesh = box_surface(n, cell);
    lim_mesh_view view = lim_mesh_get_view(mesh);
    float *density = values_for(view, h.density), *stiffness = values_for(view, h.stiffness);
    lim_model_desc md = lim_model_desc_default();
    md.cell_size = (float)cell;
    md.vertex_density = density;
    md.vertex_stiffness = stiffness;
    lim_body_desc bd = lim_body_desc_default();
    CHECK(lim_body_destroy(t.world, t.body) == LIM_OK);
    lim_model_destroy(t.model);
    CHECK(lim_model_create(mesh, &md, NULL, &t.model) == LIM_OK);
    bd.model = t.model;
    bd.position = lim_model_get_info(t.model).centre; /* the box stays about the origin */
    bd.material = m;
    CHECK(lim_body_create(t.world, &bd, &t.body) == LIM_OK);
    lim_mesh_destroy(mesh);
    free(density);
    free(stiffness);
    return t;
}

static lim_body_motion motion_of(const toy* t) {
    lim_body_motion m = {0};
    CHECK(lim_body_get_motion(t->world, t->body, &m) == LIM_OK);
    return m;
}

static void half_of_a_box_is_twice_as_dense(void) {
    const int32_t n[3] = {32, 4, 4};
    toy t =
        painted_box(n, 0.025, (halves){.density = {1, 2}}, lim_material_default(), NO_GRAVITY, 1);
    double volume = 0.8 * 0.1 * 0.1;
    lim_body_motion m = motion_of(&t);
    lim_model_info info = lim_model_get_info(t.model);
    CHECK_NEAR(info.volume, volume, 1e-6 * volume);
    CHECK_NEAR(m.volume, volume, 1e-4 * volume);
    CHECK_NEAR(m.mass, 1.5 * 1000 * volume, 1e-4 * m.mass);
    /* (2 L/4 - L/4) / 3 = L / 12; the step is smooth over about a cell. */
    CHECK_NEAR(m.centre.x, 0.8 / 12, 0.003 * 0.8);
    CHECK_NEAR(info.centre.x, m.centre.x, 1e-6);
    CHECK_NEAR(m.centre.y, 0.0, 1e-6);
    /* The weight is that of the mass: it hangs from one pin. */
    CHECK(lim_world_set_gravity(t.world, (lim_vec3){0, -10, 0}) == LIM_OK);
    lim_pin_desc pd = lim_pin_desc_default();
    pd.body = t.body;
    pd.shape = LIM_SHAPE_BOX;
    pd.size = (lim_vec3){1, 1, 1};
    lim_pin pin;
    lim_load load;
    CHECK(lim_pin_create(t.world, &pd, &pin) == LIM_OK);
    CHECK(lim_world_step(t.world, 1.0f / 60) == LIM_OK);
    CHECK(lim_pin_get_load(t.world, pin, &load) == LIM_OK);
    CHECK_NEAR(load.force.y, -10 * m.mass, 1e-4 * 10 * m.mass);
    CHECK_NEAR(load.torque.z, -10 * m.mass * m.centre.x, 1e-3 * m.mass);
    toy_free(&t);
}

/* Factors of 1 change no bit; a factor of 2 for all is twice the density. */
static void factors_of_one_change_nothing(void) {
    const int32_t n[3] = {9, 7, 5};
    const halves all[3] = {{{0}, {0}}, {{1, 1}, {1, 1}}, {{2, 2}, {2, 2}}};
    uint64_t hash[3];
    double sag[3];
    for (int k = 0; k < 3; ++k) {
        lim_material m = lim_material_default();
        m.density = k == 2 ? 500.0f : 1000.0f;
        m.young = k == 2 ? 15e3f : 30e3f;
        toy t = painted_box(n, 0.04, all[k], m, (lim_vec3){0, -9.81f, 0}, 4);
        lim_pin_desc pd = lim_pin_desc_default();
        pd.body = t.body;
        pd.shape = LIM_SHAPE_BOX;
        pd.position = p3(-0.18, 0, 0);
        pd.size = (lim_vec3){0.05f, 1, 1};
        lim_pin pin;
        CHECK(lim_pin_create(t.world, &pd, &pin) == LIM_OK);
        for (int step = 0; step < 90; ++step) {
            CHECK(lim_world_step(t.world, 1.0f / 60) == LIM_OK);
        }
        hash[k] = lim_world_hash(t.world);
        sag[k] = motion_of(&t).centre.y;
        toy_free(&t);
    }
    CHECK(hash[0] == hash[1]);
    CHECK(sag[0] < -1e-3);
    CHECK_NEAR(sag[2] / sag[0], 1.0, 1e-3);
}

/* How far each half of a bar, but for two cells at the middle, stretches when the bar is held at
 * its left end and pulled to the right. */
static void stretch_of(halves h, float young, double out[2]) {
    const int32_t n[3] = {24, 4, 4};
    lim_material m = lim_material_default();
    m.young = young;
    m.damping_time = 0.1f;
    m.viscosity = 300.0f;
    toy t = painted_box(n, 0.025, h, m, (lim_vec3){1.5f, 0, 0}, 8);
    lim_pin_desc pd = lim_pin_desc_default();
    pd.body = t.body;
    pd.shape = LIM_SHAPE_BOX;
    pd.position = p3(-0.3, 0, 0);
    pd.size = (lim_vec3){0.03f, 1, 1};
    lim_pin pin;
    CHECK(lim_pin_create(t.world, &pd, &pin) == LIM_OK);
    for (int step = 0; step < 900; ++step) {
        CHECK(lim_world_step(t.world, 1.0f / 60) == LIM_OK);
    }
    /* mean displacement of slices: behind the pin, on both sides of the middle, at the end */
    double at[4] = {-0.2625, -0.0625, 0.0625, 0.2875}, sum[4] = {0, 0, 0, 0};
    lim_model_nodes nodes = lim_model_get_nodes(t.model);
    lim_point c = lim_model_get_info(t.model).centre;
    toy_read(&t);
    for (int32_t i = 0; i < nodes.count; ++i) {
        double x0 = (double)nodes.x[i] + c.x;
        for (int k = 0; k < 4; ++k) {
            sum[k] += fabs(x0 - at[k]) < 0.01 ? (t.x[3 * i] - x0) / 16 : 0.0;
        }
    }
    out[0] = sum[1] - sum[0];
    out[1] = sum[3] - sum[2];
    toy_free(&t);
}

/* A bar with a soft half against two uniform bars of either modulus. */
static void a_soft_half_stretches_as_its_modulus_says(void) {
    double mixed[2], stiff[2], soft[2];
    stretch_of((halves){.stiffness = {1, 0.25f}}, 8000, mixed);
    stretch_of((halves){{0}, {0}}, 8000, stiff);
    stretch_of((halves){{0}, {0}}, 2000, soft);
    CHECK_NEAR(soft[1] / stiff[1], 4.0, 0.1);
    printf("     soft half: %.3f and %.3f of uniform bars\n", mixed[0] / stiff[0],
           mixed[1] / soft[1]);
    CHECK_NEAR(mixed[0] / stiff[0], 1.0, 0.03);
    CHECK_NEAR(mixed[1] / soft[1], 1.0, 0.03);
    /* A heavy half has the same modulus and pulls harder, at itself and at the other. */
    double heavy[2];
    stretch_of((halves){.density = {1, 3}}, 8000, heavy);
    /* at x = -0.1625, the middle of what is measured, hang 0.1625 m and 0.3 m of the bar */
    CHECK_NEAR(heavy[0] / stiff[0], (0.1625 + 3 * 0.3) / (0.1625 + 0.3), 0.05);
    CHECK_NEAR(heavy[1] / stiff[1], 3.0, 0.06);
}

/* Momentum holds whatever the nodes weigh and however stiff they are. */
static void momentum_holds(void) {
    const int32_t n[3] = {12, 6, 4};
    lim_material m = lim_material_default();
    m.damping_time = 0.0f;
    m.viscosity = 1.0f;
    toy t = painted_box(n, 0.05, (halves){{0.5f, 4}, {3, 0.2f}}, m, NO_GRAVITY, 1);
    CHECK(lim_body_set_velocity(t.world, t.body, (lim_vec3){1.0f, 0.5f, -0.3f},
                                (lim_vec3){2, 5, 3}) == LIM_OK);
    random_stream r = random_seed(1);
    toy_read(&t);
    for (int32_t i = 0; i < 3 * t.nodes; ++i) {
        t.v[i] += random_range(&r, -0.5f, 0.5f);
    }
    toy_write(&t);
    lim_body_motion a = motion_of(&t), b;
    for (int k = 0; k < 3000; ++k) {
        CHECK(lim_world_step(t.world, 1.0f / 240) == LIM_OK);
    }
    b = motion_of(&t);
    double speed = sqrt(2.0 * a.kinetic / a.mass), turning = 0.0;
    for (int k = 0; k < 3; ++k) {
        turning += a.angular_momentum[k] * a.angular_momentum[k];
    }
    for (int k = 0; k < 3; ++k) {
        CHECK_NEAR(b.momentum[k], a.momentum[k], 3e-7 * a.mass * speed);
        CHECK_NEAR(b.angular_momentum[k], a.angular_momentum[k], 3e-6 * sqrt(turning));
    }
    toy_free(&t);
}

static void models_come_back_from_bytes(void) {
    const int32_t n[3] = {8, 4, 4};
    toy t = painted_box(n, 0.05, (halves){{0.5f, 4}, {3, 0.2f}}, lim_material_default(),
                        (lim_vec3){0, -9.81f, 0}, 2);
    size_t size;
    CHECK(lim_model_save(t.model, NULL, 0, &size) == LIM_OK);
    unsigned char *bytes = malloc(size), *again = malloc(size);
    CHECK(lim_model_save(t.model, bytes, size, &size) == LIM_OK);
    lim_model* copy = NULL;
    CHECK(lim_model_load(bytes, size, NULL, &copy) == LIM_OK);
    CHECK(lim_model_save(copy, again, size, &size) == LIM_OK && memcmp(bytes, again, size) == 0);
    lim_mesh_view a = lim_model_get_surface(t.model), b = lim_model_get_surface(copy);
    CHECK(a.densities != NULL && a.stiffnesses != NULL && a.sizes == NULL && b.sizes == NULL);
    CHECK(memcmp(a.densities, b.densities, (size_t)a.vertex_count * sizeof(float)) == 0);
    CHECK(memcmp(a.stiffnesses, b.stiffnesses, (size_t)a.vertex_count * sizeof(float)) == 0);
    lim_body_desc bd = lim_body_desc_default();
    uint64_t hash[2];
    for (int k = 0; k < 2; ++k) {
        CHECK(lim_body_destroy(t.world, t.body) == LIM_OK);
        lim_world_desc wd = lim_world_desc_default();
        lim_world_destroy(t.world);
        CHECK(lim_world_create(&wd, NULL, &t.world) == LIM_OK);
        bd.model = k == 0 ? t.model : copy;
        bd.angular_velocity = (lim_vec3){3, 1, 2};
        CHECK(lim_body_create(t.world, &bd, &t.body) == LIM_OK);
        for (int step = 0; step < 20; ++step) {
            CHECK(lim_world_step(t.world, 1.0f / 60) == LIM_OK);
        }
        hash[k] = lim_world_hash(t.world);
    }
    CHECK(hash[0] == hash[1]);
    /* Bytes of anything: refused, or a model. */
    random_stream r = random_seed(5);
    for (int k = 0; k < 400; ++k) {
        memcpy(again, bytes, size);
        for (int i = 0; i < 3; ++i) {
            again[random_index(&r, (int32_t)size)] ^= (unsigned char)(1 << random_index(&r, 8));
        }
        lim_model* broken = NULL;
        (void)lim_model_load(again, size, NULL, &broken);
        lim_model_destroy(broken);
    }
    lim_model_destroy(copy);
    free(bytes);
    free(again);
    toy_free(&t);
}

static char said[256];
static void listen(void* user, lim_log_level level, const char* text) {
    (void)user;
    (void)level;
    snprintf(said, sizeof said, "%s", text);
}

static void bad_values_name_their_vertex(void) {
    const int32_t n[3] = {2, 2, 2};
    lim_mesh* box = box_surface(n, 0.1);
    lim_mesh_view view = lim_mesh_get_view(box);
    float* values = malloc((size_t)view.vertex_count * sizeof(float));
    const float bad[5] = {0.0f, -1.0f, NAN, INFINITY, 2e6f};
    lim_host host = {.log = listen};
    for (int what = 0; what < 3; ++what) {
        for (int k = 0; k < 5; ++k) {
            for (int32_t i = 0; i < view.vertex_count; ++i) {
                values[i] = 1.0f;
            }
            values[7] = what == 2 && k == 0 ? 0.0f : bad[k];
            bool fine = what == 2 && (k == 0 || k == 4); /* a size may be 0 and large */
            lim_mesh_desc d = lim_mesh_desc_default();
            d.vertex_count = view.vertex_count;
            d.triangle_count = view.triangle_count;
            d.positions = &view.positions[0].x;
            d.indices = view.indices;
            d.densities = what == 0 ? values : NULL;
            d.stiffnesses = what == 1 ? values : NULL;
            d.sizes = what == 2 ? values : NULL;
            lim_mesh* mesh = NULL;
            said[0] = '\0';
            CHECK(lim_mesh_create(&d, &host, &mesh) == (fine ? LIM_OK : LIM_ERROR_ARGUMENT));
            CHECK(fine || strstr(said, "of vertex 7 is") != NULL);
            lim_mesh_destroy(mesh);
            lim_model_desc md = lim_model_desc_default();
            md.node_count = 20;
            md.vertex_density = d.densities;
            md.vertex_stiffness = d.stiffnesses;
            md.vertex_size = d.sizes;
            lim_model* model = NULL;
            said[0] = '\0';
            CHECK(lim_model_create(box, &md, &host, &model) ==
                  (fine ? LIM_OK : LIM_ERROR_ARGUMENT));
            CHECK(fine || strstr(said, "of vertex 7 is") != NULL);
            lim_model_destroy(model);
        }
    }
    free(values);
    lim_mesh_destroy(box);
}

/* The mesh's own values count where the descriptor has none. */
static void a_mesh_brings_its_own_values(void) {
    const int32_t n[3] = {16, 16, 16};
    lim_mesh* box = box_surface(n, 0.1);
    lim_mesh_view view = lim_mesh_get_view(box);
    size_t count = (size_t)view.vertex_count;
    float *density = malloc(count * sizeof(float)), *size = malloc(count * sizeof(float));
    for (size_t i = 0; i < count; ++i) {
        density[i] = view.positions[i].y > 0.0 ? 5.0f : 1.0f;
        size[i] = view.positions[i].x > 0.6 ? 0.1f : 0.0f;
    }
    lim_mesh_desc d = lim_mesh_desc_default();
    d.vertex_count = view.vertex_count;
    d.triangle_count = view.triangle_count;
    d.positions = &view.positions[0].x;
    d.indices = view.indices;
    d.densities = density;
    d.sizes = size;
    lim_mesh* mesh = NULL;
    CHECK(lim_mesh_create(&d, NULL, &mesh) == LIM_OK);
    lim_mesh_view own = lim_mesh_get_view(mesh);
    CHECK(memcmp(own.densities, density, count * sizeof(float)) == 0 && own.stiffnesses == NULL);
    lim_model* model[3];
    lim_model_desc md = lim_model_desc_default();
    md.cell_size = 0.1f;
    md.coarsen = 2;
    md.cells_across = 0.0f;
    CHECK(lim_model_create(mesh, &md, NULL, &model[0]) == LIM_OK);
    md.vertex_density = density;
    md.vertex_size = size;
    CHECK(lim_model_create(box, &md, NULL, &model[1]) == LIM_OK);
    for (size_t i = 0; i < count; ++i) {
        density[i] = 1.0f; /* over the mesh's */
    }
    CHECK(lim_model_create(mesh, &md, NULL, &model[2]) == LIM_OK);
    lim_model_info info[3];
    for (int k = 0; k < 3; ++k) {
        info[k] = lim_model_get_info(model[k]);
    }
    CHECK(info[0].nodes == info[1].nodes && info[0].centre.y == info[1].centre.y);
    CHECK(info[0].level_nodes[info[0].levels] > 100 && info[0].centre.y > 0.2);
    CHECK(fabs(info[2].centre.y) < 1e-6);
    for (int k = 0; k < 3; ++k) {
        lim_model_destroy(model[k]);
    }
    lim_mesh_destroy(mesh);
    lim_mesh_destroy(box);
    free(density);
    free(size);
}

static void failures_leak_nothing(void) {
    const int32_t n[3] = {3, 2, 2};
    lim_mesh* box = box_surface(n, 0.1);
    int32_t count = lim_mesh_get_view(box).vertex_count;
    float* values = malloc((size_t)count * sizeof(float));
    for (int32_t i = 0; i < count; ++i) {
        values[i] = 2.0f;
    }
    for (int64_t k = 0;; ++k) {
        failing_host f;
        failing_host_arm(&f, k);
        lim_model_desc md = lim_model_desc_default();
        md.node_count = 20;
        md.vertex_density = md.vertex_stiffness = values;
        lim_model* model = NULL;
        lim_result result = lim_model_create(box, &md, &f.host, &model);
        lim_model_destroy(model);
        CHECK(f.held == 0 && (result == LIM_OK || result == LIM_ERROR_MEMORY));
        if (result == LIM_OK) {
            break;
        }
    }
    free(values);
    lim_mesh_destroy(box);
}

TEST_SUITE(painted) {
    TEST_BEGIN(argc, argv);
    RUN(half_of_a_box_is_twice_as_dense);
    RUN(factors_of_one_change_nothing);
    RUN(a_soft_half_stretches_as_its_modulus_says);
    RUN(momentum_holds);
    RUN(models_come_back_from_bytes);
    RUN(bad_values_name_their_vertex);
    RUN(a_mesh_brings_its_own_values);
    RUN(failures_leak_nothing);
    TEST_END();
}
