/* SPDX-License-Identifier: MIT
 * The default scene of a mesh, and scenes described in C.
 */
#include "failing_host.h"
#include "math/quat.h"
#include "models.h"
#include "scenes/parse_kit.h"

/* ---- the default scene -----------------------------------------------------------------------
 */

/* A copy of a mesh with (x, y, z) -> (x, -z, y): from y up to z up; times a factor, moved. */
static lim_mesh* laid_down(const lim_mesh* mesh, double factor, double shift) {
    lim_mesh_view view = lim_mesh_get_view(mesh);
    double* p = malloc((size_t)view.vertex_count * 3 * sizeof(double));
    for (int32_t i = 0; i < view.vertex_count; ++i) {
        p[3 * i] = view.positions[i].x * factor + shift;
        p[3 * i + 1] = -view.positions[i].z * factor - shift;
        p[3 * i + 2] = view.positions[i].y * factor + 2 * shift;
    }
    lim_mesh_desc desc = lim_mesh_desc_default();
    desc.vertex_count = view.vertex_count;
    desc.triangle_count = view.triangle_count;
    desc.positions = p;
    desc.indices = view.indices;
    lim_mesh* out = NULL;
    CHECK(lim_mesh_create(&desc, NULL, &out) == LIM_OK);
    free(p);
    return out;
}

static void up_is_found(void) {
    static const char* standing[] = {"penguin", "duck", "flower", "hand"};
    for (int i = 0; i < 4; ++i) {
        lim_mesh* mesh = NULL;
        CHECK(model_mesh(standing[i], 3000, NULL, &mesh) == LIM_OK);
        CHECK(scene_find_up(mesh) == SCENE_UP_Y);
        lim_mesh* lying = laid_down(mesh, 3.0, 50.0);
        CHECK(scene_find_up(lying) == SCENE_UP_Z);
        lim_mesh_destroy(lying);
        lim_mesh_destroy(mesh);
    }
    /* without a hint, y */
    const int32_t cells[3] = {2, 2, 2};
    lim_mesh* cube = NULL;
    CHECK(box_mesh(1, 1, 1, cells, NULL, &cube) == LIM_OK);
    CHECK(scene_find_up(cube) == SCENE_UP_Y);
    lim_mesh_destroy(cube);
}

static void a_mesh_is_dropped_from_half_its_height(void) {
    for (int z_up = 0; z_up < 2; ++z_up) {
        lim_mesh *standing = NULL, *mesh = NULL;
        CHECK(model_mesh("penguin", 3000, NULL, &standing) == LIM_OK);
        if (z_up) {
            mesh = laid_down(standing, 30.0, 500.0);
            lim_mesh_destroy(standing);
        } else {
            mesh = standing;
        }
        scene* s = NULL;
        lim_io_message message;
        CHECK(scene_drop_of_mesh(mesh, NULL, NULL, &s, &message) == LIM_OK);
        const scene_desc* d = scene_get_desc(s);
        CHECK(d->body_count == 1 && d->ground);
        CHECK_NEAR(d->rest_after, 4, 0);
        CHECK_NEAR(d->duration, 12, 0);
        const scene_body* b = &d->bodies[0];
        CHECK(b->nodes == 2000 && b->mesh == mesh);
        CHECK(b->up == (z_up ? SCENE_UP_Z : SCENE_UP_Y));
        CHECK_NEAR(2.0 * acos((double)b->rotation.w) * 180.0 / 3.14159265358979, 10.0, 1e-3);
        /* place every vertex as the run will, and look for the lowest */
        lim_mesh_view view = lim_mesh_get_view(mesh);
        lim_box box = lim_mesh_get_report(mesh).bounds;
        lim_point c = p3_scale(p3_add(box.lower, box.upper), 0.5);
        double lowest = 1e9;
        for (int32_t i = 0; i < view.vertex_count; ++i) {
            lim_point p = p3_scale(p3_sub(view.positions[i], c), b->scale);
            p = z_up ? p3(p.x, p.z, -p.y) : p;
            double y = dquat_rotate(dquat_of(b->rotation), p).y + b->position.y;
            lowest = y < lowest ? y : lowest;
        }
        double height = (z_up ? box.upper.z - box.lower.z : box.upper.y - box.lower.y) * b->scale;
        CHECK_NEAR(height, 1.0, 1e-9); /* the penguin's longest side */
        CHECK_NEAR(lowest, 0.5 * height, 1e-6);
        scene_destroy(s);
        lim_mesh_destroy(mesh);
    }
}

static void drop_options_are_kept(void) {
    const int32_t cells[3] = {1, 1, 1};
    lim_mesh* mesh = NULL;
    CHECK(box_mesh(4, 2, 3, cells, NULL, &mesh) == LIM_OK);
    scene_drop_options o = scene_drop_options_default();
    o.keep_units = true;
    o.nodes = 123;
    o.up = SCENE_UP_Z;
    o.name = "crate";
    scene* s = NULL;
    lim_io_message message;
    CHECK(scene_drop_of_mesh(mesh, &o, NULL, &s, &message) == LIM_OK);
    const scene_body* b = &scene_get_desc(s)->bodies[0];
    CHECK_NEAR(b->scale, 1, 0);
    CHECK(b->nodes == 123 && b->up == SCENE_UP_Z && strcmp(b->name, "crate") == 0);
    CHECK(b->name != o.name);
    scene_destroy(s);
    CHECK(scene_drop_of_mesh(NULL, &o, NULL, &s, &message) == LIM_ERROR_ARGUMENT);
    lim_mesh_destroy(mesh);
    CHECK(box_mesh(1e6, 1e6, 1e6, cells, NULL, &mesh) == LIM_OK);
    CHECK(scene_drop_of_mesh(mesh, &o, NULL, &s, &message) == LIM_ERROR_ARGUMENT);
    CHECK(strstr(message.text, "scaled to one metre") != NULL);
    lim_mesh_destroy(mesh);
    for (int n = 0;; ++n) {
        failing_host f;
        failing_host_arm(&f, n);
        CHECK(model_mesh("sphere", 400, NULL, &mesh) == LIM_OK);
        lim_result result = scene_drop_of_mesh(mesh, NULL, &f.host, &s, &message);
        CHECK((result == LIM_OK) == (s != NULL));
        scene_destroy(s);
        lim_mesh_destroy(mesh);
        CHECK(f.held == 0);
        if (result == LIM_OK) {
            break;
        }
        CHECK(result == LIM_ERROR_MEMORY);
    }
}

static void automatic_material_has_the_stated_damping(void) {
    scene_body b = scene_body_default();
    for (int i = 0; i < 4; ++i) {
        double side = 0.03 * (double)(1 << (2 * i)), gravity = i == 3 ? 0.0 : 9.81;
        lim_material m = scene_auto_material(b.material, side, gravity);
        CHECK_NEAR((double)m.young / (1000 * 9.81 * side / 0.04), 1.0, 1e-6);
        double omega = 3.14159265358979 / side * sqrt((double)m.young / 1000.0);
        double ratio = 1.0 / ((double)m.damping_time * omega) +
                       (double)m.viscosity * omega / (2.0 * (double)m.young);
        CHECK_NEAR(ratio, 0.12, 1e-6);
    }
    lim_material asked = {1000, 5e3f, 7,    1,     3,    0.1f, 0.7f, 0.2f, 0.3f, LIM_GOAL_LINEAR,
                          0.4f, 0.6f, 0.5f, 10.0f, 0.1f, 2.0f, 0.3f, 1.0f, 0.0f};
    lim_material m = scene_auto_material(asked, 1, 9.81);
    CHECK(memcmp(&m, &asked, sizeof(m)) == 0);
}

static void descriptions_in_c_are_checked(void) {
    scene_desc d = scene_desc_default();
    scene_body b = scene_body_default();
    scene* s = NULL;
    lim_io_message message;
    CHECK(scene_create(&d, NULL, &s, &message) == LIM_ERROR_ARGUMENT);
    CHECK(strstr(message.text, "no bodies") != NULL);
    d.bodies = &b;
    d.body_count = 1;
    CHECK(scene_create(&d, NULL, &s, &message) == LIM_ERROR_ARGUMENT);
    b.name = "b";
    b.model = "unicorn";
    CHECK(scene_create(&d, NULL, &s, &message) == LIM_ERROR_ARGUMENT);
    b.model = "duck";
    CHECK(scene_create(&d, NULL, &s, &message) == LIM_OK);
    scene_destroy(s);
    scene_body good = b;
#define BAD(member, value)                                                                         \
    do {                                                                                           \
        b = good;                                                                                  \
        b.member = value;                                                                          \
        CHECK(scene_create(&d, NULL, &s, &message) == LIM_ERROR_ARGUMENT);                         \
    } while (0)
    BAD(nodes, 0);
    BAD(nodes, 4000001);
    BAD(cell, -1.0f);
    BAD(size, (double)NAN);
    BAD(scale, 0.0);
    BAD(position.x, (double)INFINITY);
    BAD(material.density, 0.0f);
    BAD(material.young, -1.0f);
    BAD(material.rolling_time, -2.0f);
    BAD(material.volume, 1.5f);
    BAD(material.yield, -0.1f);
    BAD(material.max_strain, 11.0f);
    BAD(copies[1], 0);
    BAD(copies[1], 10001);
    BAD(turn, (double)NAN);
    b = good;
    d.dt = 0;
    CHECK(scene_create(&d, NULL, &s, &message) == LIM_ERROR_ARGUMENT);
    d.dt = 0.01;
    scene_action a = {.type = SCENE_RESET, .until = -1, .target = 1};
    d.actions = &a;
    d.action_count = 1;
    CHECK(scene_create(&d, NULL, &s, &message) == LIM_ERROR_ARGUMENT);
    a.target = 0;
    CHECK(scene_create(&d, NULL, &s, &message) == LIM_OK);
    scene_destroy(s);
    scene_destroy(NULL);
    CHECK(scene_get_desc(NULL) == NULL);
}

TEST_SUITE(scene_drop) {
    TEST_BEGIN(argc, argv);
    RUN(up_is_found);
    RUN(a_mesh_is_dropped_from_half_its_height);
    RUN(drop_options_are_kept);
    RUN(automatic_material_has_the_stated_damping);
    RUN(descriptions_in_c_are_checked);
    TEST_END();
}
