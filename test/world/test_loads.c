/* SPDX-License-Identifier: MIT
 * What tools feel: weights at rest, momentum while things move, contacts between bodies, sleep,
 * smoothing, saves, workers.
 */
#include "contact_kit.h"
#include "world/world.h"

#include <stddef.h>

enum { MOST_TOOLS = 4, MOST_CONTACTS = 4096 };

static lim_body place(lim_world* world, const lim_model* model, lim_point at) {
    lim_body_desc desc = firm(model, at);
    return make(world, &desc);
}

static lim_load load_of(const lim_world* world, lim_collider c) {
    lim_load load;
    CHECK(lim_collider_get_load(world, c, &load) == LIM_OK);
    return load;
}

static lim_point momentum_of(const lim_world* world, const lim_body* b, int count) {
    lim_point sum = p3(0, 0, 0);
    for (int k = 0; k < count; ++k) {
        lim_body_motion m = motion_of(world, b[k]);
        sum = p3_add(sum, p3(m.momentum[0], m.momentum[1], m.momentum[2]));
    }
    return sum;
}

/* About the world's origin. */
static lim_point turning_of(const lim_world* world, lim_body b) {
    lim_body_motion m = motion_of(world, b);
    lim_point p = p3(m.momentum[0], m.momentum[1], m.momentum[2]);
    lim_point own = p3(m.angular_momentum[0], m.angular_momentum[1], m.angular_momentum[2]);
    return p3_add(own, p3_cross(m.centre, p));
}

static void set_shape(lim_collider_desc* c, int which, shape* s, lim_vec3** points) {
    const double r = 0.06;
    c->shape = which == 0 ? LIM_SHAPE_SPHERE : which == 1 ? LIM_SHAPE_BOX : LIM_SHAPE_MESH;
    c->size = which == 0 ? (lim_vec3){(float)r, 0, 0} : (lim_vec3){0.05f, 0.06f, 0.05f};
    if (which == 2) {
        shape_sphere(s, 0, 0, 0, r, 12);
        *points = malloc((size_t)s->vertices * sizeof(lim_vec3));
        for (int32_t i = 0; i < s->vertices; ++i) {
            const double* p = s->position + 3 * (size_t)i;
            (*points)[i] = (lim_vec3){(float)p[0], (float)p[1], (float)p[2]};
        }
        c->points = *points;
        c->point_count = s->vertices;
        c->indices = s->index;
        c->triangle_count = s->triangles;
    }
}

/* A tool goes slowly down into a block. While it moves, what tools and gravity put on the block is
 * its change of momentum; at rest the floor feels the weight and the press. */
static void a_press_on(int which, const lim_model* model) {
    lim_world* world = kit_world(NULL, 1);
    lim_collider tool[2];
    tool[0] = kit_floor(world);
    lim_body b = place(world, model, p3(0, 0.05, 0));
    kit_steps(world, 60);
    lim_collider_desc c = lim_collider_desc_default();
    shape s = {0};
    lim_vec3* points = NULL;
    set_shape(&c, which, &s, &points);
    c.position = p3(0.01, 0.165, 0.005);
    c.velocity = (lim_vec3){0, -0.05f, 0};
    CHECK(lim_collider_create(world, &c, &tool[1]) == LIM_OK);
    double mass = motion_of(world, b).mass, dt = (double)(1.0f / 60.0f), most = 0.0;
    lim_point before = momentum_of(world, &b, 1), pushed = p3(0, 0, 0);
    for (int step = 0; step < 36; ++step) { /* 3 cm, 2.5 of them inside */
        kit_steps(world, 1);
        for (int k = 0; k < 2; ++k) {
            lim_vec3 f = load_of(world, tool[k]).force;
            pushed = p3_mad(pushed, p3_of(f), -dt);
            most = fmax(most, fabs((double)f.y));
        }
        pushed.y -= 9.81 * mass * dt;
    }
    lim_point change = p3_sub(momentum_of(world, &b, 1), before);
    double off = p3_length(p3_sub(change, pushed));
    CHECK(most > 9.81 * mass);
    CHECK(off < 0.02 * most * 36 * dt);
    printf("  momentum off by %.2g of what was pushed\n", off / (most * 36 * dt));
    lim_collider_desc now;
    CHECK(lim_collider_get(world, tool[1], &now) == LIM_OK);
    lim_vec3 none = {0, 0, 0};
    CHECK(lim_collider_move(world, tool[1], now.position, now.orientation, none, none) == LIM_OK);
    int steps = 0;
    for (; steps < 900 && !motion_of(world, b).asleep; ++steps) {
        kit_steps(world, 1);
    }
    double press = (double)load_of(world, tool[1]).force.y;
    double ground = (double)load_of(world, tool[0]).force.y;
    printf("  %d steps: floor %.4f N, press %.4f N, weight %.4f N\n", steps, ground, press,
           9.81 * mass);
    CHECK(press > 0.0 && ground < 0.0);
    CHECK_NEAR((-ground - press) / (9.81 * mass), 1.0, 0.02 * -ground / (9.81 * mass));
    CHECK_NEAR(-ground / (9.81 * mass + press), 1.0, 0.02);
    /* And the smoothed load has come to it. */
    CHECK_NEAR((double)load_of(world, tool[0]).smooth_force.y / ground, 1.0, 0.02);
    lim_world_destroy(world);
    shape_free(&s);
    free(points);
}

static void a_press_weighs_what_it_should(void) {
    if (!KIND_TABLE[kind_now].solid) {
        return; /* a hollow block buckles, clay creeps */
    }
    lim_model* model = block_model(200);
    for (int which = 0; which < 3; ++which) {
        a_press_on(which, model);
    }
    lim_model_destroy(model);
}

/* Thrown, turning, against a floor and a wall that moves: at every step momentum and angular
 * momentum change by what the tools felt, and by gravity. */
static void tools_feel_what_the_body_gets(void) {
    lim_model* model = kit_model(150, NULL);
    lim_world_desc wd = lim_world_desc_default();
    wd.load_time = 0.0f;
    lim_world* world = NULL;
    CHECK(lim_world_create(&wd, NULL, &world) == LIM_OK);
    lim_collider tool[2];
    tool[0] = kit_floor(world);
    lim_collider_desc c = lim_collider_desc_default();
    c.shape = LIM_SHAPE_BOX;
    c.size = (lim_vec3){0.5f, 1.0f, 1.0f};
    c.position = p3(1.2, 0.5, 0.2);
    c.velocity = (lim_vec3){-0.5f, 0, 0};
    c.angular_velocity = (lim_vec3){0, 0.4f, 0};
    CHECK(lim_collider_create(world, &c, &tool[1]) == LIM_OK);
    lim_body_desc desc = lim_body_desc_default();
    desc.model = model;
    desc.position = p3(0, 0.7, 0);
    desc.velocity = (lim_vec3){2, -1, 0.5f};
    desc.angular_velocity = (lim_vec3){1, 2, -3};
    desc.material.rolling_time = 0.0f; /* takes spin away without a tool */
    desc.material = kind_material(desc.material);
    lim_body b;
    CHECK(lim_body_create(world, &desc, &b) == LIM_OK);
    double mass = motion_of(world, b).mass, dt = (double)(1.0f / 60.0f);
    double size = 0.0, worst = 0.0, turn_size = 0.0, turn_worst = 0.0;
    bool felt[2] = {false, false};
    for (int step = 0; step < 60; ++step) {
        lim_point p = momentum_of(world, &b, 1), l = turning_of(world, b);
        lim_point from = motion_of(world, b).centre;
        kit_steps(world, 1);
        lim_point to = motion_of(world, b).centre;
        lim_point weight = p3(0, -9.81 * mass * dt, 0), got = weight;
        lim_point turned = p3_cross(p3_scale(p3_add(from, to), 0.5), weight);
        for (int k = 0; k < 2; ++k) {
            lim_load load = load_of(world, tool[k]);
            lim_collider_desc now;
            CHECK(lim_collider_get(world, tool[k], &now) == LIM_OK);
            lim_point f = p3_scale(p3_of(load.force), -dt);
            got = p3_add(got, f);
            turned = p3_add(turned, p3_cross(now.position, f));
            turned = p3_mad(turned, p3_of(load.torque), -dt);
            felt[k] = felt[k] || p3_length(f) > 0.1 * mass;
            size = fmax(size, p3_length(f));
            CHECK(memcmp(&load.force, &load.smooth_force, sizeof load.force) == 0);
        }
        lim_point change = p3_sub(momentum_of(world, &b, 1), p);
        lim_point turn_change = p3_sub(turning_of(world, b), l);
        worst = fmax(worst, p3_length(p3_sub(change, got)));
        turn_worst = fmax(turn_worst, p3_length(p3_sub(turn_change, turned)));
        turn_size = fmax(turn_size, p3_length(turn_change));
    }
    printf("  off by %.2g and %.2g of the largest\n", worst / size, turn_worst / turn_size);
    CHECK(felt[0] && felt[1]);
    CHECK(worst < 1e-4 * size);
    CHECK(turn_worst < 0.02 * turn_size);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* Hanging: pin and grab feel the weight, downwards. */
static void what_hangs_pulls_down(void) {
    lim_model* model = kit_model(100, NULL);
    for (int k = 0; k < 2; ++k) {
        lim_world* world = kit_world(NULL, 1);
        lim_body b = kit_toy(world, model, 0, 1.0);
        lim_pin pin = {0};
        lim_grab grab = {0};
        if (k == 0) {
            lim_pin_desc desc = lim_pin_desc_default();
            desc.body = b;
            desc.shape = LIM_SHAPE_BOX;
            desc.size = (lim_vec3){1, 0.05f, 1};
            desc.position = p3(0, 1.1, 0);
            CHECK(lim_pin_create(world, &desc, &pin) == LIM_OK);
        } else {
            lim_grab_desc desc = lim_grab_desc_default();
            desc.body = b;
            desc.point = p3(0, 2, 0);
            desc.radius = 0.08f;
            CHECK(lim_grab_create(world, &desc, &grab) == LIM_OK);
        }
        kit_steps(world, 1200);
        double weight = 9.81 * motion_of(world, b).mass;
        lim_load load;
        CHECK((k == 0 ? lim_pin_get_load(world, pin, &load)
                      : lim_grab_get_load(world, grab, &load)) == LIM_OK);
        CHECK_NEAR((double)load.force.y / weight, -1.0, 0.02);
        CHECK_NEAR((double)load.smooth_force.y / weight, -1.0, 0.02);
        CHECK(fabs((double)load.force.x) < 0.02 * weight);
        CHECK(k == 0 || (load.torque.x == 0.0f && load.smooth_torque.z == 0.0f));
        lim_world_destroy(world);
    }
    lim_model_destroy(model);
}

/* Between the blocks of a stack the impulses of a second are the weight of what lies above. */
static void a_stack_carries_its_weight(void) {
    if (kind_now != KIND_UNIFORM && kind_now != KIND_LATTICE) {
        return; /* as in test_meet */
    }
    lim_model* model = block_model(120);
    lim_world_desc wd = lim_world_desc_default();
    wd.sleep = false;
    lim_world* world = NULL;
    CHECK(lim_world_create(&wd, NULL, &world) == LIM_OK);
    lim_collider ground = kit_floor(world);
    lim_body block[3];
    for (int k = 0; k < 3; ++k) {
        block[k] = place(world, model, p3(0.002 * k, 0.052 + 0.104 * k, 0));
    }
    kit_steps(world, 300);
    static lim_contact list[MOST_CONTACTS];
    double sum[3] = {0}, mass = motion_of(world, block[0]).mass, dt = (double)(1.0f / 60.0f);
    double floor_sum = 0.0;
    for (int step = 0; step < 60; ++step) {
        int32_t count = 0;
        kit_steps(world, 1);
        CHECK(lim_world_get_contacts(world, list, MOST_CONTACTS, &count) == LIM_OK);
        CHECK(count > 0 && count < MOST_CONTACTS);
        lim_vec3 on_floor = {0, 0, 0};
        for (int32_t i = 0; i < count && i < MOST_CONTACTS; ++i) {
            const lim_contact* c = &list[i];
            CHECK_NEAR(v3_length(c->normal), 1.0, 1e-3);
            CHECK(v3_dot(c->impulse, c->normal) > -1e-6f && c->depth >= 0.0f);
            CHECK((c->other.generation != 0) == (c->collider.generation == 0));
            if (c->collider.generation != 0) {
                CHECK(c->collider.index == ground.index && c->normal.y > 0.99f);
                CHECK(fabs(c->point.y) < 0.002);
                on_floor = v3_add(on_floor, c->impulse);
                continue;
            }
            uint32_t low = c->body.index < c->other.index ? c->body.index : c->other.index;
            bool upper = c->body.index > c->other.index;
            CHECK(low < 2 && (upper ? c->normal.y : -c->normal.y) > 0.7f);
            CHECK_NEAR(c->point.y, 0.102 * (low + 1), 0.01);
            sum[low] += (double)(upper ? c->impulse.y : -c->impulse.y);
        }
        /* The load of the floor is what its contacts say. */
        float load = load_of(world, ground).force.y;
        CHECK_NEAR(-load * (float)dt, on_floor.y, 1e-4f * on_floor.y);
        floor_sum += (double)on_floor.y;
    }
    double weight = 9.81 * mass;
    printf("  %.4f and %.4f weights between, %.4f on the floor\n", sum[0] / weight, sum[1] / weight,
           floor_sum / weight);
    CHECK_NEAR(sum[0] / weight, 2.0, 0.04);
    CHECK_NEAR(sum[1] / weight, 1.0, 0.02);
    CHECK_NEAR(floor_sum / weight, 3.0, 0.06);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* A scale shows the weight of what sleeps on it until it is taken away. */
static void a_scale_goes_on_weighing_sleepers(void) {
    lim_model* model = kit_model(100, NULL);
    lim_world* world = kit_world(NULL, 1);
    lim_collider scale = kit_floor(world);
    lim_body b[2] = {kit_toy(world, model, -0.5, 0.12), kit_toy(world, model, 0.5, 0.12)};
    int steps = 0;
    for (; steps < 1800 && (steps == 0 || lim_world_get_report(world).bodies_awake > 0); ++steps) {
        kit_steps(world, 1);
    }
    CHECK(lim_world_get_report(world).bodies_awake == 0);
    double weight = 9.81 * (motion_of(world, b[0]).mass + motion_of(world, b[1]).mass);
    kit_steps(world, 60);
    lim_load load = load_of(world, scale);
    printf("  asleep after %d steps, the scale shows %.4f of the weight\n", steps,
           -(double)load.force.y / weight);
    CHECK_NEAR((double)load.force.y / weight, -1.0, 0.02);
    CHECK_NEAR((double)load.smooth_force.y / (double)load.force.y, 1.0, 1e-3);
    int32_t contacts = -1;
    CHECK(lim_world_get_contacts(world, NULL, 0, &contacts) == LIM_OK && contacts == 0);
    CHECK(lim_body_destroy(world, b[1]) == LIM_OK);
    kit_steps(world, 1);
    CHECK_NEAR((double)load_of(world, scale).force.y / weight, -0.5, 0.02);
    /* Smoothing: after load_time the rest has fallen to 1 / e. */
    float from = load_of(world, scale).smooth_force.y, to = load_of(world, scale).force.y;
    kit_steps(world, 3);
    float left = (load_of(world, scale).smooth_force.y - to) / (from - to);
    CHECK_NEAR(left, exp(-1.0), 0.02);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* A body that lies on the held part of another: the pin feels both. */
static void pins_feel_what_lies_on_them(void) {
    lim_model* model = block_model(120);
    lim_world_desc wd = lim_world_desc_default();
    wd.sleep = false;
    lim_world* world = NULL;
    CHECK(lim_world_create(&wd, NULL, &world) == LIM_OK);
    lim_body b[2] = {place(world, model, p3(0, 0, 0)), place(world, model, p3(0, 0.102, 0))};
    lim_pin_desc desc = lim_pin_desc_default();
    desc.body = b[0];
    desc.shape = LIM_SHAPE_BOX;
    desc.size = (lim_vec3){1, 1, 1};
    lim_pin pin;
    CHECK(lim_pin_create(world, &desc, &pin) == LIM_OK);
    kit_steps(world, 300);
    double sum = 0.0, weight = 9.81 * 2.0 * motion_of(world, b[0]).mass;
    for (int step = 0; step < 60; ++step) {
        lim_load load;
        kit_steps(world, 1);
        CHECK(lim_pin_get_load(world, pin, &load) == LIM_OK);
        sum += (double)load.force.y / 60.0;
    }
    printf("  the pin feels %.4f of both weights\n", -sum / weight);
    CHECK_NEAR(sum / weight, -1.0, 0.02);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

typedef struct all_loads {
    lim_load collider[3], pin, grab;
} all_loads;

static all_loads loads_of(const kit_scene* s, const lim_world* world) {
    all_loads all;
    memset(&all, 0, sizeof all);
    for (int k = 0; k < 3; ++k) {
        CHECK(lim_collider_get_load(world, s->collider[k], &all.collider[k]) == LIM_OK);
    }
    CHECK(lim_pin_get_load(world, s->pin, &all.pin) == LIM_OK);
    CHECK(lim_grab_get_load(world, s->grab, &all.grab) == LIM_OK);
    return all;
}

static bool same_loads(all_loads a, all_loads b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

static void loads_are_saved_and_restored(void) {
    lim_model* model = kit_model(60, NULL);
    kit_scene s = kit_everything(model, model, NULL, 1);
    kit_everything_steps(&s, 0, 20);
    all_loads then = loads_of(&s, s.world);
    CHECK(then.collider[0].force.y < 0.0f && then.pin.smooth_force.y != 0.0f);
    size_t size = 0;
    CHECK(lim_world_save(s.world, NULL, 0, &size) == LIM_OK);
    unsigned char* bytes = malloc(size);
    CHECK(lim_world_save(s.world, bytes, size, &size) == LIM_OK);
    lim_snapshot* shot = NULL;
    CHECK(lim_snapshot_create(s.world, &shot) == LIM_OK);
    kit_scene twin = s;
    CHECK(lim_world_load(bytes, size, 2, NULL, &twin.world) == LIM_OK);
    CHECK(same_loads(loads_of(&s, twin.world), then));
    kit_everything_steps(&s, 20, 30);
    kit_everything_steps(&twin, 20, 30);
    all_loads end = loads_of(&s, s.world);
    CHECK(!same_loads(end, then) && same_loads(end, loads_of(&s, twin.world)));
    CHECK(lim_snapshot_restore(s.world, shot) == LIM_OK);
    CHECK(same_loads(loads_of(&s, s.world), then));
    kit_everything_steps(&s, 20, 30);
    CHECK(same_loads(loads_of(&s, s.world), end));
    lim_snapshot_destroy(shot);
    free(bytes);
    lim_world_destroy(twin.world);
    lim_world_destroy(s.world);
    lim_model_destroy(model);
}

static void any_number_of_workers_feels_the_same(void) {
    lim_model* model = kit_model(60, NULL);
    all_loads first;
    static lim_contact list[2][MOST_CONTACTS];
    int32_t count[2];
    for (int32_t threads = 1; threads <= 5; ++threads) {
        int k = threads > 1;
        kit_scene s = kit_everything(model, model, NULL, threads);
        kit_body(s.world, model, 0.1, 1.8); /* falls onto another */
        kit_everything_steps(&s, 0, 30);
        all_loads loads = loads_of(&s, s.world);
        CHECK(lim_world_get_contacts(s.world, list[k], MOST_CONTACTS, &count[k]) == LIM_OK);
        if (threads == 1) {
            first = loads;
            CHECK(count[0] > 0);
        } else {
            CHECK(same_loads(loads, first) && count[0] == count[1]);
            for (int32_t i = 0; i < count[0]; ++i) {
                CHECK(memcmp(&list[0][i], &list[1][i], offsetof(lim_contact, depth) + 4) == 0);
            }
        }
        lim_world_destroy(s.world);
    }
    lim_model_destroy(model);
}

TEST_SUITE(world_loads) {
    TEST_BEGIN(argc, argv);
    for (int k = 0; kind_choose(k); ++k) {
        RUN(tools_feel_what_the_body_gets);
        RUN(a_press_weighs_what_it_should);
        RUN(a_stack_carries_its_weight);
        RUN(loads_are_saved_and_restored);
    }
    RUN(what_hangs_pulls_down);
    RUN(a_scale_goes_on_weighing_sleepers);
    RUN(pins_feel_what_lies_on_them);
    RUN(any_number_of_workers_feels_the_same);
    TEST_END();
}
