/* SPDX-License-Identifier: MIT
 * The rigid box of examples/ on a soft block: it comes to rest, weighs what it should, and what it
 * loses the block and the ground get.
 */
#include "../../examples/rigid_box.h"
#include "mesh/mesh_shapes.h"
#include "world_kit.h"

enum { STEPS = 8 };

typedef struct couple {
    lim_world* world;
    lim_body block;
    lim_collider ground, collider;
    rigid_box box;
} couple;

static couple couple_make(double mass, double x, double turn) {
    couple c = {0};
    lim_world_desc wd = lim_world_desc_default();
    wd.substeps = 1;
    CHECK(lim_world_create(&wd, NULL, &c.world) == LIM_OK);
    c.ground = kit_floor(c.world);
    shape s = {0};
    shape_box(&s, -0.1, -0.05, -0.1, 0.1, 0.05, 0.1);
    lim_mesh* mesh = shape_mesh(&s);
    shape_free(&s);
    lim_model_desc md = lim_model_desc_default();
    md.node_count = 200;
    lim_model* model = NULL;
    CHECK(lim_model_create(mesh, &md, NULL, &model) == LIM_OK);
    lim_mesh_destroy(mesh);
    lim_body_desc bd = lim_body_desc_default();
    bd.model = model;
    bd.position.y = 0.05;
    bd.material.young = 8e4f;
    bd.material.density = 600.0f;
    bd.material.viscosity = 500.0f;
    CHECK(lim_body_create(c.world, &bd, &c.block) == LIM_OK);
    lim_model_destroy(model);
    c.box = (rigid_box){.mass = mass,
                        .half = {0.05, 0.03, 0.05},
                        .position = {x, 0.16, 0},
                        .turn = {0, sin(0.5 * turn), 0, cos(0.5 * turn)}};
    lim_collider_desc cd = lim_collider_desc_default();
    cd.shape = LIM_SHAPE_BOX;
    cd.size = rigid_vec(c.box.half);
    cd.position.y = 5; /* moved to the box before the first step */
    CHECK(lim_collider_create(c.world, &cd, &c.collider) == LIM_OK);
    return c;
}

static void couple_steps(couple* c, int count) {
    for (int i = 0; i < count; ++i) {
        CHECK(rigid_step(&c->box, c->world, c->collider, 1.0f / (60.0f * (float)STEPS)) == LIM_OK);
    }
}

static double length3(const double v[3]) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void a_box_comes_to_rest(void) {
    const double mass[3] = {0.3, 0.5, 0.9}, x[3] = {0.0, 0.01, -0.02}, turn[3] = {0, 0.3, 0.8};
    for (int k = 0; k < 3; ++k) {
        couple c = couple_make(mass[k], x[k], turn[k]);
        couple_steps(&c, 240 * STEPS);
        double fastest = 0.0, load_sum = 0.0, ground_sum = 0.0;
        for (int i = 0; i < 60 * STEPS; ++i) {
            lim_load load, ground;
            couple_steps(&c, 1);
            CHECK(lim_collider_get_load(c.world, c.collider, &load) == LIM_OK);
            CHECK(lim_collider_get_load(c.world, c.ground, &ground) == LIM_OK);
            load_sum += (double)load.force.y / (60 * STEPS);
            ground_sum -= (double)ground.force.y / (60 * STEPS);
            fastest = fmax(fastest, length3(c.box.velocity) + 0.05 * length3(c.box.spin));
        }
        lim_body_motion m;
        CHECK(lim_body_get_motion(c.world, c.block, &m) == LIM_OK);
        double weight = 9.81 * mass[k], both = weight + 9.81 * m.mass;
        printf("  %.1f kg: %.2g m/s, load %.4f, ground %.4f of the weight, at %.4f %.4f %.4f\n",
               mass[k], fastest, load_sum / weight, ground_sum / both, c.box.position[0],
               c.box.position[1], c.box.position[2]);
        CHECK(fastest < 0.02);
        CHECK_NEAR(load_sum / weight, 1.0, 0.02);
        CHECK_NEAR(ground_sum / both, 1.0, 0.02);
        CHECK(c.box.position[1] > 0.115 && c.box.position[1] < 0.131);
        CHECK(fabs(c.box.position[0] - x[k]) < 0.03 && fabs(c.box.position[2]) < 0.03);
        lim_world_destroy(c.world);
    }
}

/* Over the impact: the momentum of box and block changes by gravity and the ground. */
static void what_the_box_loses_others_get(void) {
    couple c = couple_make(0.5, 0.01, 0.3);
    double dt = (double)(1.0f / (60.0f * (float)STEPS)), lost = 0.0, worst = 0.0, largest = 0.0;
    lim_body_motion m;
    for (int step = 0; step < 60 * STEPS; ++step) {
        CHECK(lim_body_get_motion(c.world, c.block, &m) == LIM_OK);
        double before[3];
        for (int k = 0; k < 3; ++k) {
            before[k] = m.momentum[k] + c.box.mass * c.box.velocity[k];
        }
        double fell = c.box.velocity[1];
        CHECK(rigid_step(&c.box, c.world, c.collider, 1.0f / (60.0f * (float)STEPS)) == LIM_OK);
        CHECK(lim_body_get_motion(c.world, c.block, &m) == LIM_OK);
        lim_load ground;
        CHECK(lim_collider_get_load(c.world, c.ground, &ground) == LIM_OK);
        const double from[3] = {-(double)ground.force.x,
                                -(double)ground.force.y - 9.81 * (m.mass + c.box.mass),
                                -(double)ground.force.z};
        for (int k = 0; k < 3; ++k) {
            double now = m.momentum[k] + c.box.mass * c.box.velocity[k];
            worst = fmax(worst, fabs(now - before[k] - dt * from[k]));
        }
        double got = c.box.mass * (c.box.velocity[1] - fell + 9.81 * dt);
        largest = fmax(largest, got);
        lost += got;
    }
    printf("  the box gave %.4f Ns, at most %.4f in a step; off by %.2g in any\n", lost, largest,
           worst);
    CHECK(lost > 0.2 && largest > 0.01);
    CHECK(worst < 0.02 * largest);
    lim_world_destroy(c.world);
}

TEST_SUITE(coupling) {
    TEST_BEGIN(argc, argv);
    RUN(a_box_comes_to_rest);
    RUN(what_the_box_loses_others_get);
    TEST_END();
}
