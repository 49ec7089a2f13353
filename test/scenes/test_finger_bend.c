/* SPDX-License-Identifier: MIT
 * Fingers of a body with cells of several sizes bend as those of a body with cells of one size:
 * all five of the polyp, pulled across themselves at once, also in turned copies. Nothing but the
 * rule for thickness chooses the cells.
 */
#include "test.h"

#include "scenes/models.h"

#include <limber/limber.h>
#include <math.h>
#include <stdlib.h>

enum { FINGERS = 5 };
static const float CELL = 0.0165f, YOUNG = 10e3f, FORCE = 0.04f;
static const double STEP = 1.0 / 60.0, SECONDS = 3.0, DEGREE = 3.14159265358979 / 180.0;

typedef struct finger {
    int32_t tip; /* vertex */
    lim_point rest;
    lim_vec3 pull;
} finger;

static lim_point turned(lim_point p, double angle) {
    double c = cos(angle), s = sin(angle);
    return (lim_point){c * p.x - s * p.y, s * p.x + c * p.y, p.z};
}

static lim_mesh* turned_polyp(double angle) {
    lim_mesh *mesh = NULL, *out = NULL;
    CHECK(model_mesh("polyp", 0, NULL, &mesh) == LIM_OK);
    lim_mesh_view view = lim_mesh_get_view(mesh);
    double* at = malloc(3 * (size_t)view.vertex_count * sizeof(double));
    for (int32_t i = 0; i < view.vertex_count; ++i) {
        lim_point p = turned(view.positions[i], angle);
        at[3 * (size_t)i] = p.x;
        at[3 * (size_t)i + 1] = p.y;
        at[3 * (size_t)i + 2] = p.z;
    }
    lim_mesh_desc desc = lim_mesh_desc_default();
    desc.vertex_count = view.vertex_count;
    desc.triangle_count = view.triangle_count;
    desc.positions = at;
    desc.indices = view.indices;
    CHECK(lim_mesh_create(&desc, NULL, &out) == LIM_OK);
    free(at);
    lim_mesh_destroy(mesh);
    return out;
}

/* Fingers stand around the ball every 45 degrees, from right over up to left; those on the left
 * are pulled as mirror images of those on the right. Returns the ball's radius. */
static double find_fingers(const lim_mesh* mesh, double angle, finger out[FINGERS]) {
    lim_mesh_view view = lim_mesh_get_view(mesh);
    double radius = 0.0;
    for (int32_t i = 0; i < view.vertex_count; ++i) {
        radius = fmax(radius, view.positions[i].z);
    }
    lim_point centre = turned((lim_point){0.0, radius, 0.0}, angle);
    for (int f = 0; f < FINGERS; ++f) {
        double to = angle + 45.0 * DEGREE * f, most = 0.0, way = f <= FINGERS / 2 ? 1.0 : -1.0;
        for (int32_t i = 0; i < view.vertex_count; ++i) {
            lim_point p = view.positions[i];
            double far = (p.x - centre.x) * cos(to) + (p.y - centre.y) * sin(to);
            if (far > most) {
                most = far;
                out[f].tip = i;
                out[f].rest = p;
            }
        }
        out[f].pull = (lim_vec3){(float)(way * sin(to)), (float)(-way * cos(to)), 0.0f};
    }
    return radius;
}

/* How far each tip is, in metres, after some seconds of a pull, strongly damped. */
static int32_t bend(const lim_mesh* mesh, double angle, int32_t coarsen, double out[FINGERS]) {
    finger f[FINGERS];
    double radius = find_fingers(mesh, angle, f);
    lim_model_desc desc = lim_model_desc_default();
    desc.cell_size = CELL;
    desc.coarsen = coarsen;
    lim_model* model = NULL;
    CHECK(lim_model_create(mesh, &desc, NULL, &model) == LIM_OK);
    lim_world_desc world_desc = lim_world_desc_default();
    world_desc.gravity = (lim_vec3){0.0f, 0.0f, 0.0f};
    world_desc.substeps = 4;
    world_desc.sleep = false;
    lim_world* world = NULL;
    CHECK(lim_world_create(&world_desc, NULL, &world) == LIM_OK);
    lim_body body;
    lim_body_desc body_desc = lim_body_desc_default();
    body_desc.model = model;
    body_desc.position = lim_model_get_info(model).centre;
    body_desc.material.young = YOUNG;
    body_desc.material.viscosity = 300.0f;
    body_desc.material.damping_time = 0.25f;
    CHECK(lim_body_create(world, &body_desc, &body) == LIM_OK);
    lim_pin_desc pin = lim_pin_desc_default();
    pin.body = body;
    pin.shape = LIM_SHAPE_SPHERE;
    pin.size = (lim_vec3){(float)(0.5 * radius), 0.0f, 0.0f};
    pin.position = turned((lim_point){0.0, radius, 0.0}, angle);
    CHECK(lim_pin_create(world, &pin, &(lim_pin){0}) == LIM_OK);
    lim_point tip[FINGERS];
    for (int k = 0; k < FINGERS; ++k) {
        tip[k] = f[k].rest;
    }
    for (double time = 0.0; time < SECONDS; time += STEP) {
        for (int k = 0; k < FINGERS; ++k) {
            float i = (float)((double)FORCE * STEP);
            lim_vec3 impulse = {i * f[k].pull.x, i * f[k].pull.y, 0.0f};
            CHECK(lim_body_apply_impulse(world, body, tip[k], impulse) == LIM_OK);
        }
        CHECK(lim_world_step(world, (float)STEP) == LIM_OK);
        lim_skin_view skin;
        CHECK(lim_body_get_skin(world, body, &skin) == LIM_OK);
        for (int k = 0; k < FINGERS; ++k) {
            const float* at = skin.positions + 3 * (size_t)f[k].tip;
            tip[k] = (lim_point){skin.origin.x + (double)at[0], skin.origin.y + (double)at[1],
                                 skin.origin.z + (double)at[2]};
        }
    }
    for (int k = 0; k < FINGERS; ++k) {
        double x = tip[k].x - f[k].rest.x, y = tip[k].y - f[k].rest.y;
        out[k] = sqrt(x * x + y * y);
    }
    int32_t nodes = lim_model_get_info(model).nodes;
    lim_world_destroy(world);
    lim_model_destroy(model);
    return nodes;
}

static double apart(const double way[FINGERS]) {
    return fmax(fabs(way[0] / way[4] - 1.0), fabs(way[1] / way[3] - 1.0));
}

static void check_position(double degrees) {
    double uniform[FINGERS], adaptive[FINGERS];
    lim_mesh* mesh = turned_polyp(degrees * DEGREE);
    int32_t many = bend(mesh, degrees * DEGREE, 0, uniform);
    int32_t few = bend(mesh, degrees * DEGREE, 4, adaptive);
    printf("  %4.1f degrees, %d of %d nodes:", degrees, few, many);
    for (int k = 0; k < FINGERS; ++k) {
        printf(" %+.3f", adaptive[k] / uniform[k] - 1.0);
        CHECK(fabs(adaptive[k] / uniform[k] - 1.0) < 0.08);
    }
    printf("; mirror images %.3f apart, uniform %.3f\n", apart(adaptive), apart(uniform));
    CHECK(apart(adaptive) < apart(uniform) + 0.03);
    CHECK(few < 1800);
    lim_mesh_destroy(mesh);
}

static void fingers_bend_as_in_a_uniform_body(void) {
    static const double degrees[4] = {0.0, 10.0, 22.5, 45.0};
    for (int k = 0; k < (test_long ? 4 : 1); ++k) {
        check_position(degrees[k]);
    }
}

TEST_SUITE(finger_bend) {
    TEST_BEGIN(argc, argv);
    RUN(fingers_bend_as_in_a_uniform_body);
    TEST_END();
}
