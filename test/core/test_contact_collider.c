/* SPDX-License-Identifier: MIT
 * Colliders: distances against samples of the surface, normals by differences, motion.
 */
#include "base/random.h"
#include "contact/contact.h"
#include "test.h"

static lim_point random_point(random_stream* r, double size) {
    double x = (double)random_range(r, -1, 1), y = (double)random_range(r, -1, 1);
    return p3_scale(p3(x, y, (double)random_range(r, -1, 1)), size);
}

static collider make(lim_shape shape, random_stream* r) {
    lim_point q = random_point(r, 1.0);
    return (collider){.shape = shape,
                      .size = v3(0.4f, 0.7f, 0.25f),
                      .position = p3_add(p3(3, -2, 5), random_point(r, 1.0)),
                      .orientation = dquat_unit((dquat){q.x, q.y, q.z, 0.5})};
}

/* A point of the collider's surface, in local axes. */
static lim_point surface_point(const collider* c, random_stream* r) {
    lim_point u = random_point(r, 1.0);
    u = p3_scale(u, 1.0 / (p3_length(u) + 1e-9));
    lim_point h = p3_of(c->size);
    switch (c->shape) {
    case LIM_SHAPE_SPHERE:
        return p3_scale(u, h.x);
    case LIM_SHAPE_CAPSULE: {
        double along = (double)random_range(r, -1, 1) * h.y;
        if (random_index(r, 2) == 0) { /* caps */
            along = u.y < 0.0 ? -h.y : h.y;
            return p3(u.x * h.x, along + u.y * h.x, u.z * h.x);
        }
        double side = sqrt(u.x * u.x + u.z * u.z) + 1e-12;
        return p3(u.x / side * h.x, along, u.z / side * h.x);
    }
    case LIM_SHAPE_BOX: {
        lim_point p = random_point(r, 1.0);
        int face = random_index(r, 6);
        double sign = face % 2 == 0 ? 1.0 : -1.0;
        return p3(face / 2 == 0 ? sign * h.x : p.x * h.x, face / 2 == 1 ? sign * h.y : p.y * h.y,
                  face / 2 == 2 ? sign * h.z : p.z * h.z);
    }
    default:
        return p3(u.x * 3.0, 0.0, u.z * 3.0);
    }
}

static void distances_are_exact(void) {
    random_stream r = random_seed(41);
    const lim_shape shapes[] = {LIM_SHAPE_PLANE, LIM_SHAPE_SPHERE, LIM_SHAPE_CAPSULE,
                                LIM_SHAPE_BOX};
    enum { SAMPLES = 3000 };
    static lim_point surface[SAMPLES];
    for (int s = 0; s < 4; ++s) {
        collider c = make(shapes[s], &r);
        for (int k = 0; k < SAMPLES; ++k) {
            lim_point local = surface_point(&c, &r);
            surface[k] = p3_add(c.position, dquat_rotate(c.orientation, local));
            lim_vec3 n;
            CHECK_NEAR(collider_distance(&c, surface[k], &n), 0.0, 1e-6);
        }
        for (int i = 0; i < 400; ++i) {
            lim_point at = p3_add(c.position, random_point(&r, 1.2));
            lim_vec3 normal, other;
            double d = collider_distance(&c, at, &normal);
            CHECK_NEAR(v3_length(normal), 1.0, 1e-6);
            /* going back by d along the normal ends on the surface */
            lim_point foot = p3_mad(at, p3_of(normal), -d);
            CHECK_NEAR(collider_distance(&c, foot, &other), 0.0, 1e-6);
            /* no sample of the surface is nearer */
            double least = 1e9;
            for (int k = 0; k < SAMPLES; ++k) {
                double distance = p3_length(p3_sub(at, surface[k]));
                least = distance < least ? distance : least;
            }
            CHECK(fabs(d) <= least + 1e-6);
            /* the sign, by the local inequalities */
            lim_point p = dquat_rotate(dquat_conjugate(c.orientation), p3_sub(at, c.position));
            bool inside = shapes[s] == LIM_SHAPE_PLANE    ? p.y < 0.0
                          : shapes[s] == LIM_SHAPE_SPHERE ? p3_length(p) < 0.4
                          : shapes[s] == LIM_SHAPE_BOX
                              ? fabs(p.x) < 0.4 && fabs(p.y) < 0.7 && fabs(p.z) < 0.25
                              : d < 0.0;
            CHECK(fabs(d) < 1e-6 || inside == (d < 0.0));
        }
    }
}

static void degenerate_places_have_normals(void) {
    random_stream r = random_seed(42);
    const lim_shape shapes[] = {LIM_SHAPE_PLANE, LIM_SHAPE_SPHERE, LIM_SHAPE_CAPSULE,
                                LIM_SHAPE_BOX};
    for (int s = 0; s < 4; ++s) {
        collider c = make(shapes[s], &r);
        lim_vec3 n;
        double d = collider_distance(&c, c.position, &n);
        CHECK_NEAR(v3_length(n), 1.0, 1e-6);
        CHECK_NEAR(d, s == 0 ? 0.0 : s == 3 ? -0.25 : -0.4, 1e-6);
        c.size = v3(0, 0, 0);
        d = collider_distance(&c, c.position, &n);
        CHECK_NEAR(d, 0.0, 1e-12);
        CHECK_NEAR(v3_length(n), 1.0, 1e-6);
    }
    /* the end of a capsule's axis, a corner of a box from outside */
    collider capsule = {
        .shape = LIM_SHAPE_CAPSULE, .size = v3(1, 2, 0), .orientation = {0, 0, 0, 1}};
    lim_vec3 n;
    CHECK_NEAR(collider_distance(&capsule, p3(0, 2, 0), &n), -1.0, 1e-12);
    CHECK_NEAR(v3_length(n), 1.0, 1e-6);
    collider box = {.shape = LIM_SHAPE_BOX, .size = v3(1, 1, 1), .orientation = {0, 0, 0, 1}};
    CHECK_NEAR(collider_distance(&box, p3(2, 2, 2), &n), sqrt(3.0), 1e-12);
    CHECK_NEAR(n.x, 1 / sqrt(3.0), 1e-6);
    CHECK_NEAR(collider_distance(&box, p3(-0.5, 0, 0), &n), -0.5, 1e-12);
    CHECK(n.x == -1.0f);
}

/* Material points of a turning collider move with collider_velocity_at. */
static void motion_matches_velocity(void) {
    random_stream r = random_seed(43);
    collider c = make(LIM_SHAPE_BOX, &r);
    c.velocity = v3(1, 2, -3);
    c.angular_velocity = v3(-4, 5, 2);
    for (int i = 0; i < 50; ++i) {
        lim_point local = random_point(&r, 1.0);
        double t = 0.01 * i, e = 1e-5;
        collider before = collider_at(&c, t - e), now = collider_at(&c, t),
                 after = collider_at(&c, t + e);
        lim_point a = p3_add(before.position, dquat_rotate(before.orientation, local));
        lim_point m = p3_add(now.position, dquat_rotate(now.orientation, local));
        lim_point b = p3_add(after.position, dquat_rotate(after.orientation, local));
        lim_point v = p3_scale(p3_sub(b, a), 0.5 / e);
        CHECK_NEAR(p3_length(p3_sub(v, p3_of(collider_velocity_at(&now, m)))), 0.0, 1e-5);
    }
}

TEST_SUITE(contact_collider) {
    TEST_BEGIN(argc, argv);
    RUN(distances_are_exact);
    RUN(degenerate_places_have_normals);
    RUN(motion_matches_velocity);
    TEST_END();
}
