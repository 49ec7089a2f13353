/* SPDX-License-Identifier: MIT
 * Links between bodies: weights that hang on them, momentum, gaps, stretch, breaking, sleep, ids,
 * saves, snapshots, memory, workers.
 */
#include "base/isa.h"
#include "base/random.h"
#include "math/vec3.h"
#include "world/container.h"
#include "world/world.h"
#include "world_kit.h"

#include <stddef.h>

/* Two toys of 24 cm, one below the other, tied where they touch; the upper one held at its top. */
typedef struct pendulum {
    lim_world* world;
    lim_body upper, lower;
    lim_link link;
    lim_pin pin;
} pendulum;

static lim_link_desc joint_of(lim_body lower, lim_body other) {
    lim_link_desc desc = lim_link_desc_default();
    desc.body = lower;
    desc.other = other;
    desc.size.x = 0.07f;
    desc.position = p3(0, -0.13, 0);
    return desc;
}

static lim_link tie(lim_world* world, const lim_link_desc* desc) {
    lim_link link = {0};
    CHECK(lim_link_create(world, desc, &link) == LIM_OK);
    return link;
}

static lim_pin pin_top(lim_world* world, lim_body b) {
    lim_pin_desc desc = lim_pin_desc_default();
    desc.body = b;
    desc.size.x = 0.07f;
    desc.position = p3(0, 0.12, 0);
    lim_pin pin = {0};
    CHECK(lim_pin_create(world, &desc, &pin) == LIM_OK);
    return pin;
}

static pendulum make_pendulum(const lim_model* model, const lim_host* host, int32_t threads,
                              float stiffness, float limit) {
    pendulum p = {.world = kit_world(host, threads)};
    p.upper = kit_toy(p.world, model, 0, 0);
    p.lower = kit_toy(p.world, model, 0, -0.24);
    p.pin = pin_top(p.world, p.upper);
    lim_link_desc desc = joint_of(p.lower, p.upper);
    desc.stiffness = stiffness;
    desc.force_limit = limit;
    p.link = tie(p.world, &desc);
    return p;
}

static lim_load load_of(const lim_world* world, lim_link link) {
    lim_load load = {0};
    CHECK(lim_link_get_load(world, link, &load) == LIM_OK);
    return load;
}

static double gap_of(const lim_world* world, lim_link link) {
    float most = 0.0f;
    CHECK(lim_link_get_gap(world, link, NULL, &most) == LIM_OK);
    return (double)most;
}

static double cell_of(const lim_model* model) {
    return 0.2 * (double)lim_model_get_info(model).cell_size; /* of toys */
}

static double weight_of(const pendulum* p) {
    return 9.81 * motion_of(p->world, p->lower).mass;
}

/* ---- weights ------------------------------------------------------------------------------------
 */

static lim_point random_place(random_stream* r, float flat) {
    float x = random_range(r, -1, 1), y = random_range(r, -1, 1), z = random_range(r, -flat, flat);
    return p3((double)x, (double)y, (double)z);
}

/* Carriers that fill space give the place back, wherever an affine map takes them; those of a plane
 * leave what is across it. */
static void weights_give_back_affine_motion(void) {
    random_stream r = random_seed(3);
    for (int n = 0; n < 200; ++n) {
        lim_point from[LINK_CARRIERS], rows[3], shift = random_place(&r, 1);
        double weight[LINK_CARRIERS], sum = 0.0;
        bool flat = n % 2 == 1;
        for (int k = 0; k < LINK_CARRIERS; ++k) {
            from[k] = p3_add(random_place(&r, flat ? 0.0f : 1.0f), p3(0.3, 0.2, 1.5));
            weight[k] = (double)random_range(&r, 0.5f, 2.0f);
        }
        for (int k = 0; k < 3; ++k) {
            rows[k] = random_place(&r, 1);
        }
        lim_point left = link_weights(from, LINK_CARRIERS, weight), moved = shift;
        for (int k = 0; k < LINK_CARRIERS; ++k) {
            lim_point image =
                p3(p3_dot(rows[0], from[k]), p3_dot(rows[1], from[k]), p3_dot(rows[2], from[k]));
            moved = p3_mad(moved, p3_add(image, shift), -weight[k]);
            sum += weight[k];
        }
        CHECK_NEAR(sum, 1.0, 1e-12);
        CHECK_NEAR(left.x, 0.0, 1e-9);
        CHECK_NEAR(left.y, 0.0, 1e-9);
        CHECK_NEAR(left.z, flat ? -1.5 : 0.0, 1e-9);
        CHECK(flat ||
              p3_length(moved) < 1e-9); /* the place, from itself on, is 0, and so `shift` */
    }
}

/* ---- statics ------------------------------------------------------------------------------------
 */

/* What hangs goes on to bob and swing a little; over some seconds the mean force is the weight. */
static void a_link_carries_what_hangs_on_it(void) {
    lim_model* model = kit_model(120, NULL);
    pendulum p = make_pendulum(model, NULL, 1, 0.0f, 0.0f);
    CHECK(lim_link_node_count(p.world, p.link) > 2);
    kit_steps(p.world, 300);
    double raw = 0.0, smoothed = 0.0, above = 0.0, aside = 0.0, weight = weight_of(&p);
    for (int i = 0; i < 300; ++i) {
        kit_steps(p.world, 1);
        lim_load load = load_of(p.world, p.link), held;
        CHECK(lim_pin_get_load(p.world, p.pin, &held) == LIM_OK);
        raw += (double)load.force.y / (300.0 * weight);
        smoothed += (double)load.smooth_force.y / (300.0 * weight);
        above -= (double)held.force.y / (600.0 * weight);
        aside += ((double)load.force.x + (double)load.force.z) / (300.0 * weight);
    }
    printf("  link %.4f, pin %.4f of the weights below; gap %.2g cells\n", raw, above,
           gap_of(p.world, p.link) / cell_of(model));
    CHECK_NEAR(raw, 1.0, 0.02);
    CHECK_NEAR(smoothed, 1.0, 0.02);
    CHECK_NEAR(above, 1.0, 0.02);
    CHECK_NEAR(aside, 0.0, 0.02);
    CHECK(gap_of(p.world, p.link) < 0.01 * cell_of(model));
    lim_world_destroy(p.world);
    lim_model_destroy(model);
}

static void a_soft_link_stretches_by_weight_over_stiffness(void) {
    lim_model* model = kit_model(120, NULL);
    const float stiffness[2] = {500.0f, 5000.0f};
    for (int k = 0; k < 2; ++k) {
        pendulum p = make_pendulum(model, NULL, 1, stiffness[k], 0.0f);
        kit_steps(p.world, 500);
        lim_vec3 gap = {0, 0, 0};
        CHECK(lim_link_get_gap(p.world, p.link, &gap, NULL) == LIM_OK);
        double right = weight_of(&p) / (double)stiffness[k];
        printf("  stretch %.4f of %.4g m\n", -(double)gap.y / right, right);
        /* After an implicit solve a link moves its nodes alone (docs/limits.md). */
        CHECK_NEAR(-(double)gap.y / right, 1.0, kind_is_implicit(kind_now) ? 0.12 : 0.02);
        CHECK_NEAR((double)load_of(p.world, p.link).force.y / weight_of(&p), 1.0, 0.02);
        lim_world_destroy(p.world);
    }
    lim_model_destroy(model);
}

/* ---- motion -------------------------------------------------------------------------------------
 */

static lim_point momentum_of(const lim_world* world, const lim_body* b, lim_point* turning) {
    lim_point sum = p3(0, 0, 0);
    *turning = p3(0, 0, 0);
    for (int k = 0; k < 2; ++k) {
        lim_body_motion m = motion_of(world, b[k]);
        lim_point p = p3(m.momentum[0], m.momentum[1], m.momentum[2]);
        lim_point own = p3(m.angular_momentum[0], m.angular_momentum[1], m.angular_momentum[2]);
        sum = p3_add(sum, p);
        *turning = p3_add(*turning, p3_add(own, p3_cross(m.centre, p)));
    }
    return sum;
}

static void linked_bodies_in_free_flight_keep_their_momentum(void) {
    lim_model* model = kit_model(120, NULL);
    for (int k = 0; k < 2; ++k) {
        lim_world* world = kit_world(NULL, 1);
        CHECK(lim_world_set_gravity(world, (lim_vec3){0, 0, 0}) == LIM_OK);
        lim_body b[2] = {kit_toy(world, model, 0, 0), kit_toy(world, model, 0, -0.24)};
        lim_link_desc desc = joint_of(b[1], b[0]);
        desc.stiffness = k == 0 ? 0.0f : 2000.0f;
        lim_link link = tie(world, &desc);
        lim_vec3 v = {1, 0.5f, 0}, spin = {0, 1, 3}, none = {0, 0, 0};
        CHECK(lim_body_set_velocity(world, b[0], v, spin) == LIM_OK);
        CHECK(lim_body_set_velocity(world, b[1], none, none) == LIM_OK);
        lim_point turning, turning_now, before = momentum_of(world, b, &turning);
        double off = 0.0, off_turning = 0.0, strongest = 0.0;
        for (int i = 0; i < 120; ++i) {
            kit_steps(world, 1);
            lim_point now = momentum_of(world, b, &turning_now);
            off = fmax(off, p3_length(p3_sub(now, before)));
            off_turning = fmax(off_turning, p3_length(p3_sub(turning_now, turning)));
            strongest = fmax(strongest, (double)v3_length(load_of(world, link).force));
        }
        off /= p3_length(before);
        off_turning /= p3_length(turning);
        printf("  %s: momentum off by %.2g, angular %.2g, up to %.3g N\n", k == 0 ? "hard" : "soft",
               off, off_turning, strongest);
        CHECK(strongest > 10.0); /* it was pulled along */
        CHECK(off < 2e-5);
        /* Contact about the joint has a moment, and so has the damping of a stretched link. */
        CHECK(off_turning < (k == 0 ? 0.08 : 0.25));
        lim_world_destroy(world);
    }
    lim_model_destroy(model);
}

static void a_hard_link_stays_closed_while_it_swings(void) {
    lim_model* model = kit_model(120, NULL);
    pendulum p = make_pendulum(model, NULL, 1, 0.0f, 0.0f);
    lim_vec3 v = {1.5f, 0, 0.5f}, none = {0, 0, 0};
    CHECK(lim_body_set_velocity(p.world, p.lower, v, none) == LIM_OK);
    double most = 0.0, way = 0.0, begun = 0.0;
    for (int i = 0; i < 600; ++i) {
        kit_steps(p.world, 1);
        lim_body_motion m = motion_of(p.world, p.lower);
        double gap = gap_of(p.world, p.link) / cell_of(model);
        begun = i == 0 ? m.kinetic : begun;
        CHECK(m.kinetic < 3.0 * begun); /* nothing blows up */
        most = fmax(most, gap);
        way = fmax(way, m.centre.x);
    }
    printf("  gap up to %.2g cells; swings by %.3f m\n", most, way);
    CHECK(way > 0.03);
    CHECK(most < 0.01);
    lim_world_destroy(p.world);
    lim_model_destroy(model);
}

/* No stiffness and step can make it blow up, and what was put apart comes together again. */
static void any_stiffness_and_step_is_stable(void) {
    lim_model* model = kit_model(60, NULL);
    const float stiffness[3] = {0.0f, 1.0f, 1e12f}, dt[2] = {1.0f / 30.0f, 1.0f / 240.0f};
    for (int k = 0; k < 6; ++k) {
        pendulum p = make_pendulum(model, NULL, 1, stiffness[k % 3], 0.0f);
        lim_quat straight = {0, 0, 0, 1};
        if (k % 3 == 0) {
            CHECK(lim_body_teleport(p.world, p.lower, p3(0.05, -0.4, 0), straight) == LIM_OK);
        }
        for (int i = 0; i < 300; ++i) {
            CHECK(lim_world_step(p.world, dt[k / 3]) == LIM_OK);
            CHECK(motion_of(p.world, p.lower).speed < 50.0);
        }
        CHECK(!motion_of(p.world, p.lower).frozen);
        CHECK(k % 3 == 1 || gap_of(p.world, p.link) < 0.02 * cell_of(model));
        lim_world_destroy(p.world);
    }
    lim_model_destroy(model);
}

/* ---- breaking -----------------------------------------------------------------------------------
 */

static int broken_events(const lim_world* world, lim_event* out) {
    lim_event events[64];
    int32_t count = 0, found = 0;
    CHECK(lim_world_get_events(world, events, 64, &count) == LIM_OK && count <= 64);
    for (int32_t i = 0; i < count; ++i) {
        if (events[i].kind == LIM_EVENT_LINK_BROKEN) {
            *out = events[i];
            found++;
        }
    }
    return found;
}

/* Gravity grows slowly until the weight is what the link bears. */
static void a_link_breaks_at_its_limit(void) {
    lim_model* model = kit_model(120, NULL);
    pendulum p = make_pendulum(model, NULL, 1, 0.0f, 0.0f);
    double mass = motion_of(p.world, p.lower).mass, limit = 3.0 * mass * 9.81, largest = 0.0;
    CHECK(lim_link_destroy(p.world, p.link) == LIM_OK);
    lim_link_desc desc = joint_of(p.lower, p.upper);
    desc.force_limit = (float)limit;
    p.link = tie(p.world, &desc);
    lim_event event = {0};
    bool broken = false;
    double g = 0.0;
    for (int i = 0; i < 3000 && !broken; ++i) {
        g = 9.81 * (1.0 + 0.001 * i);
        CHECK(lim_world_set_gravity(p.world, (lim_vec3){0, -(float)g, 0}) == LIM_OK);
        kit_steps(p.world, 1);
        broken = !lim_link_is_valid(p.world, p.link);
        if (!broken) {
            largest = fmax(largest, (double)v3_length(load_of(p.world, p.link).force));
            CHECK(broken_events(p.world, &event) == 0);
        }
    }
    CHECK(broken && broken_events(p.world, &event) == 1);
    printf("  bore %.4f of its limit, broke at a weight of %.4f\n", largest / limit,
           mass * g / limit);
    CHECK(largest <= 1.000001 * limit && largest > 0.9 * limit);
    CHECK(mass * g > 0.85 * limit && mass * g < 1.02 * limit);
    CHECK(event.link.index == p.link.index && event.link.generation == p.link.generation);
    CHECK(event.body.index == p.lower.index && event.other.index == p.upper.index);
    CHECK(event.normal.y > 0.9f && (double)event.impulse > limit / 60.0 * 0.999);
    lim_load load;
    CHECK(lim_link_get_load(p.world, p.link, &load) == LIM_ERROR_ID);
    double from = motion_of(p.world, p.lower).centre.y;
    kit_steps(p.world, 30);
    CHECK(motion_of(p.world, p.lower).centre.y < from - 0.5); /* it falls */
    CHECK(broken_events(p.world, &event) == 0);
    lim_world_destroy(p.world);
    lim_model_destroy(model);
}

/* ---- contacts, sleep, range ---------------------------------------------------------------------
 */

/* Balls that overlap at the joint are not pushed apart there. */
static void tied_nodes_do_not_meet(void) {
    lim_model* model = kit_model(120, NULL);
    lim_world* world = kit_world(NULL, 1);
    CHECK(lim_world_set_gravity(world, (lim_vec3){0, 0, 0}) == LIM_OK);
    lim_body a = kit_toy(world, model, 0, 0), b = kit_toy(world, model, 0, -0.22);
    lim_link_desc desc = joint_of(b, a);
    desc.size.x = 0.1f;
    lim_link link = tie(world, &desc);
    kit_steps(world, 1);
    int32_t tied = lim_world_get_report(world).body_contacts;
    kit_steps(world, 60);
    CHECK(v3_length(load_of(world, link).force) < 0.5f);
    double apart = motion_of(world, a).centre.y - motion_of(world, b).centre.y;
    CHECK_NEAR(apart, 0.22, 0.004);
    CHECK(lim_link_destroy(world, link) == LIM_OK);
    kit_steps(world, 1);
    CHECK(lim_world_get_report(world).body_contacts > tied);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

static lim_body make_ghost(lim_world* world, const lim_model* model, double y) {
    lim_body_desc desc = lim_body_desc_default();
    desc.model = model;
    desc.position = p3(0, y, 0);
    desc.scale = 0.2f;
    desc.mask = LIM_LAYER_COLLIDER;
    desc.material.damping_time = 0.2f;
    desc.material = kind_material(desc.material);
    lim_body made = {0};
    CHECK(lim_body_create(world, &desc, &made) == LIM_OK);
    return made;
}

/* Of bodies that meet nobody: the link alone connects them. */
static void linked_bodies_sleep_and_wake_together(void) {
    lim_model* model = kit_model(60, NULL);
    lim_world* world = kit_world(NULL, 1);
    CHECK(lim_world_set_gravity(world, (lim_vec3){0, 0, 0}) == LIM_OK);
    lim_body a = make_ghost(world, model, 0), b = make_ghost(world, model, -0.24);
    lim_link_desc desc = joint_of(b, a);
    lim_link link = tie(world, &desc);
    int steps = 0;
    for (; steps < 600 && !motion_of(world, a).asleep; ++steps) {
        kit_steps(world, 1);
    }
    CHECK(steps < 600 && motion_of(world, b).asleep);
    CHECK(lim_body_wake(world, a) == LIM_OK);
    kit_steps(world, 1);
    CHECK(!motion_of(world, a).asleep && !motion_of(world, b).asleep);
    for (steps = 0; steps < 600 && !motion_of(world, b).asleep; ++steps) {
        kit_steps(world, 1);
    }
    /* A push on one moves the other. */
    double from = motion_of(world, b).centre.x;
    CHECK(lim_body_set_velocity(world, a, (lim_vec3){1, 0, 0}, (lim_vec3){0, 0, 0}) == LIM_OK);
    kit_steps(world, 60);
    CHECK(!motion_of(world, b).asleep && motion_of(world, b).centre.x > from + 0.1);
    /* What ends wakes both. */
    for (steps = 0; steps < 2000 && !motion_of(world, b).asleep; ++steps) {
        CHECK(lim_body_set_velocity(world, a, (lim_vec3){0, 0, 0}, (lim_vec3){0, 0, 0}) == LIM_OK);
        CHECK(lim_body_set_velocity(world, b, (lim_vec3){0, 0, 0}, (lim_vec3){0, 0, 0}) == LIM_OK);
        kit_steps(world, 60);
    }
    CHECK(motion_of(world, a).asleep && motion_of(world, b).asleep);
    CHECK(lim_link_destroy(world, link) == LIM_OK);
    CHECK(!motion_of(world, a).asleep && !motion_of(world, b).asleep);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* Out of range or frozen in sleep: something fixed. Not enabled: nothing. */
static void who_does_not_move_holds_and_who_is_off_does_not(void) {
    lim_model* model = kit_model(60, NULL);
    for (int off = 0; off < 2; ++off) {
        lim_world* world = kit_world(NULL, 1);
        lim_body a = kit_toy(world, model, 0, 0), b = kit_toy(world, model, 0, -0.24);
        lim_link_desc desc = joint_of(b, a);
        lim_link link = tie(world, &desc);
        lim_box below = {{-5, -5, -5}, {5, -0.3, 5}};
        CHECK(off == 1 ? lim_body_set_enabled(world, a, false) == LIM_OK
                       : lim_world_set_range(world, &below) == LIM_OK);
        double from = motion_of(world, a).centre.y;
        kit_steps(world, 40);
        CHECK(motion_of(world, a).centre.y == from);
        double fallen = -0.24 - motion_of(world, b).centre.y;
        CHECK(off == 1 ? fallen > 1.0 : fallen < 0.1);
        CHECK(off == 1 ? v3_length(load_of(world, link).force) == 0.0f
                       : v3_length(load_of(world, link).force) > 1.0f);
        lim_world_destroy(world);
    }
    lim_model_destroy(model);
}

/* ---- ids ----------------------------------------------------------------------------------------
 */

static void links_end_with_either_body_in_any_order(void) {
    lim_model* model = kit_model(40, NULL);
    for (int order = 0; order < 4; ++order) {
        failing_host f;
        failing_host_arm(&f, -1);
        pendulum p = make_pendulum(model, &f.host, 1, 0.0f, 0.0f);
        lim_link_desc desc = joint_of(p.upper, p.lower); /* and the other way round */
        desc.stiffness = 100.0f;
        lim_link second = tie(p.world, &desc);
        kit_steps(p.world, 3);
        if (order == 0) {
            CHECK(lim_body_destroy(p.world, p.upper) == LIM_OK);
        } else if (order == 1) {
            CHECK(lim_body_destroy(p.world, p.lower) == LIM_OK);
        } else if (order == 2) {
            CHECK(lim_link_destroy(p.world, p.link) == LIM_OK);
            CHECK(lim_link_is_valid(p.world, second));
            CHECK(lim_body_destroy(p.world, p.upper) == LIM_OK);
            CHECK(lim_body_destroy(p.world, p.lower) == LIM_OK);
        }
        kit_steps(p.world, 3);
        bool left = order == 3;
        CHECK(lim_link_is_valid(p.world, p.link) == left);
        CHECK(lim_link_is_valid(p.world, second) == left);
        CHECK((lim_link_node_count(p.world, p.link) > 0) == left);
        CHECK((lim_link_destroy(p.world, p.link) == LIM_OK) == left);
        CHECK(lim_link_destroy(p.world, p.link) == LIM_ERROR_ID);
        lim_world_destroy(p.world);
        CHECK(f.held == 0);
    }
    lim_model_destroy(model);
}

typedef struct bad_value {
    size_t offset;
    float value;
} bad_value;

static void bad_descriptors_are_refused(void) {
    lim_model* model = kit_model(40, NULL);
    pendulum p = make_pendulum(model, NULL, 1, 0.0f, 0.0f);
    uint64_t before = lim_world_hash(p.world);
    const lim_link_desc good = joint_of(p.lower, p.upper);
    const bad_value bad[] = {{offsetof(lim_link_desc, size), NAN},
                             {offsetof(lim_link_desc, size), -1.0f},
                             {offsetof(lim_link_desc, size), 1e30f},
                             {offsetof(lim_link_desc, orientation), INFINITY},
                             {offsetof(lim_link_desc, stiffness), NAN},
                             {offsetof(lim_link_desc, stiffness), -1.0f},
                             {offsetof(lim_link_desc, stiffness), 1e13f},
                             {offsetof(lim_link_desc, force_limit), NAN},
                             {offsetof(lim_link_desc, force_limit), -1.0f}};
    lim_link link;
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        lim_link_desc desc = good;
        memcpy((char*)&desc + bad[k].offset, &bad[k].value, sizeof(float));
        CHECK(lim_link_create(p.world, &desc, &link) == LIM_ERROR_ARGUMENT);
        CHECK(link.generation == 0);
    }
    lim_link_desc desc = good;
    desc.cookie = 0;
    CHECK(lim_link_create(p.world, &desc, &link) == LIM_ERROR_DESC);
    desc = good;
    desc.shape = LIM_SHAPE_PLANE;
    CHECK(lim_link_create(p.world, &desc, &link) == LIM_ERROR_ARGUMENT);
    desc = good;
    desc.position.x = (double)NAN;
    CHECK(lim_link_create(p.world, &desc, &link) == LIM_ERROR_ARGUMENT);
    desc.position = p3(0, -0.36, 0); /* the far end of the lower one: nothing of the other */
    CHECK(lim_link_create(p.world, &desc, &link) == LIM_ERROR_ARGUMENT);
    desc.position = p3(0, 0.12, 0); /* nothing of the body */
    CHECK(lim_link_create(p.world, &desc, &link) == LIM_ERROR_ARGUMENT);
    desc = joint_of(p.lower, p.lower);
    CHECK(lim_link_create(p.world, &desc, &link) == LIM_ERROR_ARGUMENT);
    desc = joint_of(p.lower, (lim_body){7, 1});
    CHECK(lim_link_create(p.world, &desc, &link) == LIM_ERROR_ID);
    desc = joint_of((lim_body){0, 0}, p.upper);
    CHECK(lim_link_create(p.world, &desc, &link) == LIM_ERROR_ID);
    CHECK(lim_link_create(NULL, &good, &link) == LIM_ERROR_ARGUMENT);
    CHECK(lim_link_create(p.world, NULL, &link) == LIM_ERROR_ARGUMENT);
    CHECK(lim_link_create(p.world, &good, NULL) == LIM_ERROR_ARGUMENT);
    CHECK(lim_link_get_load(p.world, p.link, NULL) == LIM_ERROR_ARGUMENT);
    CHECK(lim_link_get_gap(NULL, p.link, NULL, NULL) == LIM_ERROR_ARGUMENT);
    CHECK(lim_link_get_gap(p.world, (lim_link){0, 0}, NULL, NULL) == LIM_ERROR_ID);
    CHECK(lim_link_destroy(NULL, p.link) == LIM_ERROR_ARGUMENT);
    CHECK(lim_link_node_count(NULL, p.link) == 0 && !lim_link_is_valid(NULL, p.link));
    CHECK(lim_world_hash(p.world) == before);
    lim_world_destroy(p.world);
    lim_model_destroy(model);
}

/* ---- state --------------------------------------------------------------------------------------
 */

/* A chain of three with a soft and a hard link that swings. */
static pendulum make_chain(const lim_model* model, const lim_host* host, int32_t threads) {
    pendulum p = make_pendulum(model, host, threads, 0.0f, 0.0f);
    lim_body last = kit_toy(p.world, model, 0, -0.48);
    lim_link_desc desc = joint_of(last, p.lower);
    desc.position.y = -0.37;
    desc.stiffness = 3000.0f;
    tie(p.world, &desc);
    CHECK(lim_body_set_velocity(p.world, last, (lim_vec3){1, 0, 0.5f}, (lim_vec3){0, 2, 0}) ==
          LIM_OK);
    return p;
}

static void links_are_saved_and_restored(void) {
    lim_model* model = kit_model(60, NULL);
    pendulum p = make_chain(model, NULL, 1);
    kit_steps(p.world, 20);
    size_t size = 0;
    CHECK(lim_world_save(p.world, NULL, 0, &size) == LIM_OK);
    unsigned char* bytes = malloc(size);
    CHECK(lim_world_save(p.world, bytes, size, &size) == LIM_OK);
    lim_snapshot* shot = NULL;
    CHECK(lim_snapshot_create(p.world, &shot) == LIM_OK);
    lim_load then = load_of(p.world, p.link);
    uint64_t hash = lim_world_hash(p.world), after[30];
    for (int i = 0; i < 30; ++i) {
        kit_steps(p.world, 1);
        after[i] = lim_world_hash(p.world);
    }
    lim_world* twin = NULL;
    CHECK(lim_world_load(bytes, size, 1, NULL, &twin) == LIM_OK);
    CHECK(lim_world_hash(twin) == hash);
    lim_load back = load_of(twin, p.link);
    CHECK(memcmp(&then, &back, sizeof then) == 0);
    CHECK(lim_body_destroy(p.world, p.upper) == LIM_OK); /* and its link */
    CHECK(lim_snapshot_restore(p.world, shot) == LIM_OK);
    CHECK(lim_link_is_valid(p.world, p.link) && lim_world_hash(p.world) == hash);
    for (int i = 0; i < 30; ++i) {
        kit_steps(twin, 1);
        kit_steps(p.world, 1);
        CHECK(lim_world_hash(twin) == after[i] && lim_world_hash(p.world) == after[i]);
    }
    /* What a link pulls with and whom it ties is part of the hash. */
    CHECK(lim_link_destroy(twin, p.link) == LIM_OK);
    CHECK(lim_world_hash(twin) != lim_world_hash(p.world));
    lim_snapshot_destroy(shot);
    lim_world_destroy(twin);
    lim_world_destroy(p.world);
    lim_model_destroy(model);
    free(bytes);
}

static uint64_t run_chain(const lim_model* model, int32_t threads, isa set) {
    pendulum p = make_chain(model, NULL, threads);
    p.world->set = set;
    uint64_t hash = 0;
    for (int i = 0; i < (TEST_RACES ? 4 : 20); ++i) {
        kit_steps(p.world, 1);
        hash = hash * 31 + lim_world_hash(p.world);
    }
    lim_world_destroy(p.world);
    return hash;
}

static void any_number_of_workers_gives_the_same_bits(void) {
    lim_model* small = kit_model(60, NULL);
    uint64_t one = run_chain(small, 1, isa_best());
    for (int32_t n = 2; n <= (TEST_RACES ? 2 : 5); ++n) {
        CHECK(run_chain(small, n, isa_best()) == one);
    }
    for (int set = 0; set < ISA_COUNT && !TEST_RACES; ++set) {
        if (isa_available((isa)set)) {
            CHECK(run_chain(small, 2, (isa)set) == one);
        }
    }
    lim_model_destroy(small);
}

/* An island that is split over the workers. */
static void a_large_chain_is_split_without_a_difference(void) {
    lim_model* large = kit_model(1600, NULL);
    uint64_t one = run_chain(large, 1, isa_best());
    CHECK(run_chain(large, 3, isa_best()) == one);
    lim_model_destroy(large);
}

/* With the checksum made good again, what is inside has to be judged: what loads can be stepped,
 * asked and saved. */
static void forged_links_are_judged(void) {
    lim_model* model = kit_model(12, NULL);
    pendulum p = make_chain(model, NULL, 1);
    kit_steps(p.world, 2);
    size_t size = 0, tail = 0;
    CHECK(lim_world_save(p.world, NULL, 0, &size) == LIM_OK);
    unsigned char *bytes = malloc(size), *forged = malloc(size);
    CHECK(lim_world_save(p.world, bytes, size, &size) == LIM_OK);
    tail = (size_t)lim_link_node_count(p.world, p.link) * 92 * 2; /* about what links take */
    tail = tail < size / 2 ? tail : size / 2;
    random_stream r = random_seed(5);
    int loaded = 0, refused = 0;
    for (int n = 0; n < 2000; ++n) {
        memcpy(forged, bytes, size);
        for (int k = random_index(&r, 3); k >= 0; --k) {
            size_t at = size - 1 - (size_t)random_index(&r, (int32_t)tail);
            forged[at] = random_index(&r, 2) != 0 ? (unsigned char)random_u64(&r) : 0xFF;
        }
        container_seal(forged, size, "LIMWORLD");
        failing_host f;
        failing_host_arm(&f, -1);
        lim_world* world = NULL;
        lim_result result = lim_world_load(forged, size, 1, &f.host, &world);
        CHECK(result == (world != NULL ? LIM_OK : LIM_ERROR_FORMAT));
        world != NULL ? ++loaded : ++refused;
        if (world != NULL) {
            size_t again = 0;
            kit_steps(world, 1);
            CHECK(lim_world_save(world, NULL, 0, &again) == LIM_OK);
        }
        lim_world_destroy(world);
        CHECK(f.held == 0);
    }
    printf("  %d loaded, %d refused\n", loaded, refused);
    CHECK(loaded > 100 && refused > 100);
    free(forged);
    free(bytes);
    lim_world_destroy(p.world);
    lim_model_destroy(model);
}

/* ---- memory -------------------------------------------------------------------------------------
 */

static void any_failing_allocation_changes_nothing(void) {
    lim_model* model = kit_model(40, NULL);
    for (int what = 0; what < 4; ++what) {
        failing_host f;
        failing_host_arm(&f, -1);
        pendulum p = make_chain(model, &f.host, 1);
        lim_link_desc desc = joint_of(p.upper, p.lower);
        lim_link link;
        size_t size = 0;
        CHECK(lim_world_save(p.world, NULL, 0, &size) == LIM_OK);
        unsigned char* bytes = malloc(size);
        CHECK(lim_world_save(p.world, bytes, size, &size) == LIM_OK);
        lim_snapshot* shot = NULL;
        CHECK(lim_snapshot_create(p.world, &shot) == LIM_OK);
        lim_result r = LIM_ERROR_MEMORY;
        int64_t n = 0;
        for (; r == LIM_ERROR_MEMORY && n < 1000; ++n) {
            uint64_t before = lim_world_hash(p.world);
            lim_world* twin = NULL;
            f.fail_at = f.allocations + n;
            r = what == 0   ? lim_link_create(p.world, &desc, &link)
                : what == 1 ? lim_world_step(p.world, 1.0f / 60.0f)
                : what == 2 ? lim_world_load(bytes, size, 1, &f.host, &twin)
                            : lim_snapshot_restore(p.world, shot);
            f.fail_at = -1;
            lim_world_destroy(twin);
            CHECK(r == LIM_OK || lim_world_hash(p.world) == before);
        }
        CHECK(r == LIM_OK && n > 1);
        kit_steps(p.world, 2);
        lim_snapshot_destroy(shot);
        lim_world_destroy(p.world);
        CHECK(f.held == 0);
        free(bytes);
    }
    lim_model_destroy(model);
}

static void warm_steps_allocate_nothing(void) {
    lim_model* model = kit_model(60, NULL);
    failing_host f;
    failing_host_arm(&f, -1);
    pendulum p = make_chain(model, &f.host, 1);
    kit_steps(p.world, 120);
    int64_t before = f.allocations;
    kit_steps(p.world, 120);
    CHECK(f.allocations == before);
    lim_world_destroy(p.world);
    CHECK(f.held == 0);
    lim_model_destroy(model);
}

/* A cube of a metre. */
static lim_model* cube_model(int32_t nodes, lim_kind kind) {
    static const double corner[24] = {-0.5, -0.5, -0.5, 0.5,  -0.5, -0.5, -0.5, 0.5,
                                      -0.5, 0.5,  0.5,  -0.5, -0.5, -0.5, 0.5,  0.5,
                                      -0.5, 0.5,  -0.5, 0.5,  0.5,  0.5,  0.5,  0.5};
    static const uint32_t face[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                      2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    lim_mesh_desc surface = lim_mesh_desc_default();
    lim_model_desc how = lim_model_desc_default();
    lim_mesh* mesh = NULL;
    lim_model* model = NULL;
    surface.vertex_count = 8;
    surface.positions = corner;
    surface.triangle_count = 12;
    surface.indices = face;
    how.node_count = nodes;
    how.kind = kind;
    CHECK(lim_mesh_create(&surface, NULL, &mesh) == LIM_OK);
    CHECK(lim_model_create(mesh, &how, NULL, &model) == LIM_OK);
    lim_mesh_destroy(mesh);
    return model;
}

/* Two cubes at rest, a little inside each other, both tied to a third below them. Contact puts them
 * apart, the ties pull them back: however short the steps are, that is no spring. */
static void links_and_contact_make_no_energy(void) {
    static const float dt[3] = {1.0f / 60.0f, 1.0f / 1000.0f, 1.0f / 10000.0f};
    for (int k = 0; k < 6; ++k) {
        lim_model* model = cube_model(125, k < 3 ? LIM_KIND_OCTREE : LIM_KIND_LATTICE);
        lim_world* world = kit_world(NULL, 1);
        CHECK(lim_world_set_gravity(world, (lim_vec3){0, 0, 0}) == LIM_OK);
        double overlap = 0.04 * (double)lim_model_get_info(model).cell_size;
        lim_body cube[3];
        for (int j = 0; j < 3; ++j) {
            lim_body_desc desc = lim_body_desc_default();
            desc.model = model;
            desc.position = j == 0 ? p3(0, -1, 0) : p3((j - 1.5) * (1.0 - overlap), 0, 0);
            CHECK(lim_body_create(world, &desc, &cube[j]) == LIM_OK);
        }
        for (int j = 1; j < 3; ++j) {
            lim_link_desc joint = lim_link_desc_default();
            joint.body = cube[j];
            joint.other = cube[0];
            joint.shape = LIM_SHAPE_BOX;
            joint.size = (lim_vec3){0.5f, 0.3f, 1};
            joint.position = p3((j - 1.5) * 0.5, -0.5, 0);
            tie(world, &joint);
        }
        double most = 0.0;
        for (int i = 0; i < 600; ++i) {
            CHECK(lim_world_step(world, dt[k % 3]) == LIM_OK);
            double energy = 0.0;
            for (int j = 0; j < 3; ++j) {
                lim_body_motion m = motion_of(world, cube[j]);
                energy += m.kinetic;
            }
            most = fmax(most, energy);
        }
        printf("  %s, steps of 1/%.0f s: up to %.2f J\n", k < 3 ? "octrees" : "lattices",
               1.0 / (double)dt[k % 3], most);
        CHECK(most < (k % 3 == 2 ? 150.0 : 20.0));
        lim_world_destroy(world);
        lim_model_destroy(model);
    }
}

/* Two blocks of a metre and 30 kPa, side by side; the one hangs by its top, which the link between
 * them reaches: far more than the material bears, so that gaps stay open. What closes them must not
 * add up to speed. */
static void an_overloaded_link_stays_calm(void) {
    lim_model* model = cube_model(600, LIM_KIND_OCTREE);
    lim_world* world = kit_world(NULL, 1);
    lim_body_desc desc = lim_body_desc_default();
    lim_body a, b;
    desc.model = model;
    CHECK(lim_body_create(world, &desc, &a) == LIM_OK);
    desc.position.x = 0.98;
    CHECK(lim_body_create(world, &desc, &b) == LIM_OK);
    lim_pin_desc hold = lim_pin_desc_default();
    lim_pin pin;
    hold.body = a;
    hold.shape = LIM_SHAPE_BOX;
    hold.size = (lim_vec3){1, 0.15f, 1};
    hold.position = p3(0, 0.45, 0);
    CHECK(lim_pin_create(world, &hold, &pin) == LIM_OK);
    lim_link_desc joint = lim_link_desc_default();
    joint.body = a;
    joint.other = b;
    joint.shape = LIM_SHAPE_BOX;
    joint.size = (lim_vec3){0.2f, 0.6f, 0.6f};
    joint.position = p3(0.49, 0, 0);
    tie(world, &joint);
    double fastest = 0.0;
    for (int i = 0; i < 150; ++i) {
        CHECK(lim_world_step(world, 1.0f / 60.0f) == LIM_OK);
        lim_body_motion m, n;
        CHECK(lim_body_get_motion(world, a, &m) == LIM_OK &&
              lim_body_get_motion(world, b, &n) == LIM_OK);
        fastest = fmax(fastest, fmax(m.speed, n.speed));
    }
    printf("  up to %.1f m/s\n", fastest);
    CHECK(fastest < 15.0);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

TEST_SUITE(world_links) {
    TEST_BEGIN(argc, argv);
    for (int k = 0; TEST_RACES && kind_choose(k); ++k) {
        RUN(any_number_of_workers_gives_the_same_bits);
    }
    if (TEST_RACES) {
        RUN(a_large_chain_is_split_without_a_difference);
        TEST_END();
    }
    for (int k = 0; kind_choose(k); ++k) {
        RUN(a_link_carries_what_hangs_on_it);
        RUN(a_soft_link_stretches_by_weight_over_stiffness);
        RUN(linked_bodies_in_free_flight_keep_their_momentum);
        RUN(a_hard_link_stays_closed_while_it_swings);
        RUN(linked_bodies_sleep_and_wake_together);
        RUN(links_are_saved_and_restored);
        RUN(any_number_of_workers_gives_the_same_bits);
    }
    RUN(any_stiffness_and_step_is_stable);
    RUN(an_overloaded_link_stays_calm);
    RUN(links_and_contact_make_no_energy);
    RUN(a_link_breaks_at_its_limit);
    RUN(tied_nodes_do_not_meet);
    RUN(who_does_not_move_holds_and_who_is_off_does_not);
    RUN(links_end_with_either_body_in_any_order);
    RUN(bad_descriptors_are_refused);
    RUN(a_large_chain_is_split_without_a_difference);
    RUN(weights_give_back_affine_motion);
    RUN(forged_links_are_judged);
    RUN(any_failing_allocation_changes_nothing);
    RUN(warm_steps_allocate_nothing);
    TEST_END();
}
