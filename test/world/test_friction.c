/* SPDX-License-Identifier: MIT
 * A block on a slope, a plane or a soft block that is held: two degrees below the angle whose
 * tangent is the friction it stays, two degrees above it slides as a rigid block would.
 */
#include "contact_kit.h"

static const double PI = 3.14159265358979;

/* The slope goes down along x: turned about z by -angle. */
static lim_quat slope_turn(double angle) {
    return (lim_quat){0.0f, 0.0f, (float)-sin(0.5 * angle), (float)cos(0.5 * angle)};
}

/* A place so far along the slope and above it. */
static lim_point slope_point(double angle, double along, double above) {
    return (lim_point){along * cos(angle) + above * sin(angle),
                       -along * sin(angle) + above * cos(angle), 0.0};
}

static void add_plane(lim_world* world, double angle, float friction) {
    lim_collider_desc desc = lim_collider_desc_default();
    desc.orientation = slope_turn(angle);
    desc.friction = friction;
    lim_collider made;
    CHECK(lim_collider_create(world, &desc, &made) == LIM_OK);
}

/* Its top is the slope; every node is held. */
static void add_soft(lim_world* world, const lim_model* model, double angle, float friction) {
    lim_body_desc desc = lim_body_desc_default();
    desc.model = model;
    desc.position = slope_point(angle, 0.0, -0.05);
    desc.orientation = slope_turn(angle);
    desc.material.friction = friction;
    lim_body held = make(world, &desc);
    lim_pin_desc pin = lim_pin_desc_default();
    pin.body = held;
    pin.shape = LIM_SHAPE_SPHERE;
    pin.size = (lim_vec3){2.0f, 0.0f, 0.0f};
    lim_pin made;
    CHECK(lim_pin_create(world, &pin, &made) == LIM_OK);
}

/* How far the block has come in its second second, along the slope. */
static double slid(const lim_model* block, const lim_model* ground, double angle, float friction) {
    lim_world* world = kit_world(NULL, 1);
    if (ground != NULL) {
        add_soft(world, ground, angle, friction);
    } else {
        add_plane(world, angle, friction);
    }
    lim_body_desc desc = firm(block, slope_point(angle, -0.3, 0.0505));
    desc.orientation = slope_turn(angle);
    desc.material.viscosity =
        300.0f; /* on another body one that rings slips sooner: docs/limits.md */
    desc.material.friction = friction;
    lim_body made = make(world, &desc);
    double along[2];
    for (int k = 0; k < 2; ++k) {
        kit_steps(world, 60);
        lim_body_motion m = motion_of(world, made);
        along[k] = m.centre.x * cos(angle) - m.centre.y * sin(angle);
    }
    lim_world_destroy(world);
    return along[1] - along[0];
}

static void slopes_hold_and_let_go(void) {
    if (kind_now != KIND_UNIFORM && kind_now != KIND_LATTICE) {
        return; /* hollow and flowing blocks creep */
    }
    lim_model* block = box_model(0.1, 0.05, 0.1, 200);
    lim_model* ground = box_model(0.7, 0.05, 0.3, 700);
    static const float frictions[2] = {0.3f, 0.6f};
    for (int k = 0; k < 4; ++k) {
        float friction = frictions[k % 2];
        double angle = atan((double)friction), two = 2.0 * PI / 180.0;
        const lim_model* below = k < 2 ? NULL : ground;
        double stays = slid(block, below, angle - two, friction);
        double slides = slid(block, below, angle + two, friction);
        /* g (sin - mu cos) over the second second of a slide from rest: 3/2 of it */
        double rigid = 1.5 * 9.81 * (sin(angle + two) - (double)friction * cos(angle + two));
        printf("  friction %.1f on %s: %.4f m below its angle, %.3f m above (rigid %.3f)\n",
               (double)friction, k < 2 ? "a plane" : "a soft block", stays, slides, rigid);
        CHECK(fabs(stays) < 0.002);
        CHECK(slides > 0.5 * rigid && slides < 1.3 * rigid);
    }
    lim_model_destroy(block);
    lim_model_destroy(ground);
}

/* A block of some half edge and modulus that is set down on a plane with friction 0.5; how far it
 * has come after one second and after two, and rho g h^2 / E, the size of its static deformation.
 */
typedef struct set_down {
    double one, two, sag;
} set_down;

static set_down set_on_slope(double angle, double half, int32_t nodes, float young) {
    const double gap = 0.0005;
    lim_model* model = box_model(half, 0.5 * half, half, nodes);
    lim_world* world = kit_world(NULL, 1);
    add_plane(world, angle, 0.5f);
    lim_body_desc desc = lim_body_desc_default();
    desc.model = model;
    desc.position = slope_point(angle, 0.0, 0.5 * half + gap);
    desc.orientation = slope_turn(angle);
    desc.material.young = young;
    desc.material.friction = 0.5f;
    desc.material = kind_material(desc.material);
    lim_body made = make(world, &desc);
    double along[2];
    for (int k = 0; k < 2; ++k) {
        kit_steps(world, 60);
        lim_body_motion m = motion_of(world, made);
        along[k] = m.centre.x * cos(angle) - m.centre.y * sin(angle);
    }
    lim_body_limits limits = {0};
    CHECK(lim_body_get_limits(world, made, &limits) == LIM_OK);
    double sag = (double)desc.material.density * 9.81 * half * half / (double)limits.young_got;
    lim_world_destroy(world);
    lim_model_destroy(model);
    return (set_down){along[0], along[1], sag + gap};
}

/* 24.5 degrees are 91 % of what friction 0.5 holds. A block that is set down gets its weight at
 * once, so it sags twice as far as it does at rest, and its pressure swings between nothing and
 * twice its weight. 28.6 degrees are 109 %: a rigid block slides at g (sin - mu cos). */
static void what_is_set_down_settles_and_holds(void) {
    static const struct {
        double half;
        int32_t nodes;
        float young;
    } blocks[6] = {{0.1, 200, 30e3f}, {0.1, 200, 100e3f}, {0.1, 200, 300e3f},
                   {0.1, 60, 100e3f}, {0.04, 100, 30e3f}, {0.1, 500, 100e3f}};
    double steep = 28.6 * PI / 180.0, rigid = 1.5 * 9.81 * (sin(steep) - 0.5 * cos(steep));
    const double far = 0.02; /* a stiff hollow block rings longer: docs/limits.md */
    for (int k = 0; k < 6; ++k) {
        set_down s =
            set_on_slope(24.5 * PI / 180.0, blocks[k].half, blocks[k].nodes, blocks[k].young);
        printf("  %.0f kPa, half edge %.2f m, %d nodes: %.4f m in a second, %.4f in the next; "
               "deformation %.4f\n",
               (double)blocks[k].young * 1e-3, blocks[k].half, blocks[k].nodes, s.one,
               s.two - s.one, s.sag);
        CHECK(s.one > 0.0);
        CHECK(s.one < (kind_now == KIND_SHELL && k == 2 ? far : 5.0 * s.sag));
        CHECK(fabs(s.two - s.one) < 0.5 * s.sag);
        if (k < 3) {
            s = set_on_slope(steep, blocks[k].half, blocks[k].nodes, blocks[k].young);
            printf("    above the angle: %.3f m in the second second, rigid %.3f\n", s.two - s.one,
                   rigid);
            CHECK(fabs(s.two - s.one - rigid) < 0.2 * rigid);
        }
    }
}

/* What friction keeps for moments of little pressure is nothing where pressure is steady: a block
 * at rest that is pushed goes v^2 / (2 mu g). */
static void rest_does_not_stick(void) {
    lim_model* model = box_model(0.1, 0.05, 0.1, 200);
    lim_world* world = kit_world(NULL, 1);
    add_plane(world, 0.0, 0.5f);
    lim_body_desc desc = lim_body_desc_default();
    desc.model = model;
    desc.position.y = 0.0505;
    desc.material.young = 300e3f;
    desc.material.friction = 0.5f;
    desc.material = kind_material(desc.material);
    lim_body made = make(world, &desc);
    kit_steps(world, 120);
    double from = motion_of(world, made).centre.x;
    CHECK(lim_body_set_velocity(world, made, (lim_vec3){1.0f, 0.0f, 0.0f}, (lim_vec3){0, 0, 0}) ==
          LIM_OK);
    kit_steps(world, 60);
    double way = motion_of(world, made).centre.x - from, rigid = 1.0 / (2.0 * 0.5 * 9.81);
    printf("  pushed at 1 m/s: %.4f m, rigid %.4f\n", way, rigid);
    CHECK(fabs(way - rigid) < 0.2 * rigid);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

TEST_SUITE(friction) {
    TEST_BEGIN(argc, argv);
    for (int k = 0; kind_choose(k); ++k) {
        RUN(slopes_hold_and_let_go);
        RUN(what_is_set_down_settles_and_holds);
        RUN(rest_does_not_stick);
    }
    TEST_END();
}
