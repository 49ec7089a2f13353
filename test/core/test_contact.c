/* SPDX-License-Identifier: MIT
 * Contacts: nothing is missed, nothing passes through, friction is Coulomb's, rest stays rest.
 */
#include "contact/contact.h"
#include "failing_host.h"
#include "math/trig.h"
#include "node_fixture.h"

/* A body in a scene: everything a step needs. */
typedef struct scene {
    fixture f;
    bindings bind;
    double scale;
    lim_vec3 gravity; /* world, m/s^2 */
    float friction;
    collider colliders[2];
    int32_t collider_count;
    contact_list list;
    bool stiff; /* all nodes share their mean motion: a crude rigid body without rotation */
} scene;

static const dquat upright = {0, 0, 0, 1};

static dquat turn(lim_vec3 axis, double angle) {
    lim_point u = p3_scale(p3_of(v3_unit(axis, v3(1, 0, 0))), trig_sin(0.5 * angle));
    return (dquat){u.x, u.y, u.z, trig_cos(0.5 * angle)};
}

/* A block of cells with `per_cell`^2 points on the bottom face of every column. */
static void scene_block(scene* s, int nx, int ny, int nz, float side, int per_cell) {
    *s = (scene){.scale = 1.0, .gravity = v3(0, -10, 0), .friction = 0.5f};
    fixture_block(&s->f, nx, ny, nz, side);
    int32_t count = nx * nz * per_cell * per_cell, made = 0;
    lim_vec3* points = calloc((size_t)count, sizeof(lim_vec3));
    for (int i = 0; i < nx * per_cell; ++i) {
        for (int j = 0; j < nz * per_cell; ++j) {
            float step = side / (float)per_cell;
            points[made++] =
                v3(((float)i + 0.5f) * step - 0.5f * side * (float)nx, -0.5f * side * (float)ny,
                   ((float)j + 0.5f) * step - 0.5f * side * (float)nz);
        }
    }
    s->bind = fixture_bind(&s->f, points, NULL, count);
    free(points);
}

static void scene_free(scene* s) {
    contact_list_free(&s->list, &s->f.mem.host);
    fixture_free(&s->f);
}

static void scene_plane(scene* s, double height, float friction) {
    s->colliders[0] = (collider){.shape = LIM_SHAPE_PLANE,
                                 .position = {0, height, 0},
                                 .orientation = upright,
                                 .friction = friction};
    s->collider_count = 1;
}

static void set_velocity(scene* s, lim_vec3 world) {
    const component* c = &s->f.nodes.components[0];
    lim_point v = dquat_rotate(dquat_conjugate(c->rotation), p3_of(world));
    for (int32_t i = 0; i < s->f.nodes.padded; ++i) {
        s->f.nodes.v[0][i] = (float)(v.x / s->scale);
        s->f.nodes.v[1][i] = (float)(v.y / s->scale);
        s->f.nodes.v[2][i] = (float)(v.z / s->scale);
    }
}

/* World velocity of one node. */
static lim_vec3 velocity(const scene* s, int32_t slot) {
    const node_state* n = &s->f.nodes;
    lim_vec3 v = v3(n->v[0][slot], n->v[1][slot], n->v[2][slot]);
    return v3_of(p3_scale(dquat_rotate(n->components[0].rotation, p3_of(v)), s->scale));
}

static lim_point point_world(const scene* s, int32_t point) {
    lim_vec3 rest = v3(s->bind.rest[0][point], s->bind.rest[1][point], s->bind.rest[2][point]);
    lim_vec3 y = binding_position(&s->bind.bind[point], rest, &s->f.nodes);
    return node_to_world(&s->f.nodes.components[s->bind.component[point]], s->scale, p3_of(y));
}

static double kinetic(const scene* s) {
    double sum = 0.0;
    for (int32_t i = 0; i < s->f.nodes.padded; ++i) {
        lim_vec3 v = velocity(s, i);
        sum += 0.5 * (double)s->f.volume[i] * (double)v3_dot(v, v);
    }
    return sum;
}

static void share_mean(scene* s, float* const array[3]) {
    for (int axis = 0; axis < 3; ++axis) {
        double sum = 0.0;
        for (int32_t i = 0; i < s->f.cell_count; ++i) {
            sum += (double)array[axis][s->f.slot_of[i]];
        }
        for (int32_t i = 0; i < s->f.cell_count; ++i) {
            array[axis][s->f.slot_of[i]] = (float)(sum / s->f.cell_count);
        }
    }
}

/* Affines are complete when contacts are searched for. */
static lim_result find_with(contact_list* list, const lim_host* host, const bindings* b,
                            node_state* nodes, double scale, const collider* colliders,
                            int32_t count, double dt, double speed) {
    skin_prepare(nodes, ISA_SCALAR, NULL);
    return contact_find(list, host, b, nodes, scale, colliders, count, dt, speed, isa_best());
}

static void substep(scene* s, double time, double h) {
    node_state* n = &s->f.nodes;
    lim_point g = dquat_rotate(dquat_conjugate(n->components[0].rotation), p3_of(s->gravity));
    lim_vec3 push = v3_of(p3_scale(g, h / s->scale));
    for (int32_t i = 0; i < n->padded; ++i) {
        if (n->inv_mass[i] > 0.0f) {
            n->v[0][i] += push.x;
            n->v[1][i] += push.y;
            n->v[2][i] += push.z;
        }
    }
    contact_solve_velocity(&s->list, &s->bind, n, s->scale, s->colliders, s->friction, time, h);
    if (s->stiff) {
        share_mean(s, n->v);
    }
    for (int32_t i = 0; i < n->padded; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            n->d[axis][i] += (float)h * n->v[axis][i];
        }
    }
    contact_solve_position(&s->list, &s->bind, n, s->scale, s->colliders, time + h);
    if (s->stiff) {
        share_mean(s, n->d);
    }
}

enum { SUBSTEPS = 4 };
static void step(scene* s) {
    const double dt = 1.0 / 60.0;
    double speed = 0.0;
    for (int32_t i = 0; i < s->f.nodes.padded; ++i) {
        double v = (double)v3_length(velocity(s, i));
        speed = v > speed ? v : speed;
    }
    speed += (double)v3_length(s->gravity) * dt;
    CHECK(find_with(&s->list, &s->f.mem.host, &s->bind, &s->f.nodes, s->scale, s->colliders,
                    s->collider_count, dt, speed) == LIM_OK);
    for (int k = 0; k < SUBSTEPS; ++k) {
        substep(s, dt * k / (double)SUBSTEPS, dt / (double)SUBSTEPS);
    }
    for (int32_t j = 0; j < s->collider_count; ++j) {
        s->colliders[j] = collider_at(&s->colliders[j], dt);
    }
}

/* ---- finding --------------------------------------------------------------------------------- */

static const contact* contact_of(const contact_list* list, int32_t other, int32_t node) {
    for (int32_t i = 0; i < list->items.count; ++i) {
        const contact* c = &list->items.data[i];
        if (c->collider == other && c->node == node && c->point[0] >= 0) {
            return c;
        }
    }
    return NULL;
}

static void find_misses_nothing(void) {
    random_stream r = random_seed(51);
    int found = 0;
    for (int round = 0; round < 40; ++round) {
        scene s;
        scene_block(&s, 4, 3, 4, 0.25f, 2);
        s.scale = 0.5 + (double)random_unit(&r);
        fixture_random_motion(&s.f, &r, 0.1f);
        s.f.nodes.components[0].rotation = turn(random_vec3(&r, -1, 1), 2.0);
        s.f.nodes.components[0].origin = p3(1000, 2000, -500);
        for (int j = 0; j < 2; ++j) {
            s.colliders[j] = (collider){.shape = (lim_shape)(1 + (round + j) % 4),
                                        .size = v3(0.3f, 0.5f, 0.4f),
                                        .orientation = turn(random_vec3(&r, -1, 1), 1.0),
                                        .velocity = random_vec3(&r, -3, 3)};
            s.colliders[j].position =
                p3_add(p3(1000, 2000, -500), p3_of(random_vec3(&r, -1.5f, 1.5f)));
        }
        const double dt = 1.0 / 60.0, speed = 5.0;
        CHECK(find_with(&s.list, &s.f.mem.host, &s.bind, &s.f.nodes, s.scale, s.colliders, 2, dt,
                        speed) == LIM_OK);
        /* A point that may touch has its node listed, with a point at least as near or itself. */
        for (int32_t j = 0; j < 2; ++j) {
            for (int32_t i = 0; i < s.bind.count; ++i) {
                lim_vec3 normal;
                double d = collider_distance(&s.colliders[j], point_world(&s, i), &normal);
                double needed = (speed + (double)v3_length(s.colliders[j].velocity)) * dt;
                const contact* c = contact_of(&s.list, j, s.bind.bind[i].node[0]);
                CHECK(c != NULL || d >= needed);
                double nearest =
                    c == NULL
                        ? d
                        : collider_distance(&s.colliders[j], point_world(&s, c->point[0]), &normal);
                CHECK(nearest <= d + 1e-6);
                CHECK(nearest < needed + 0.2 || c == NULL);
                found += c != NULL;
            }
        }
        for (int32_t k = 1; k < s.list.items.count; ++k) {
            const contact *a = &s.list.items.data[k - 1], *b = a + 1;
            bool alike = (a->point[0] < 0) == (b->point[0] < 0); /* nodes themselves come last */
            CHECK(a->collider < b->collider ||
                  (a->collider == b->collider && (a->node < b->node || !alike)));
        }
        scene_free(&s);
    }
    CHECK(found > 100);
}

static void far_bodies_have_no_contacts(void) {
    scene s;
    scene_block(&s, 3, 3, 3, 0.2f, 1);
    scene_plane(&s, -50.0, 0.5f);
    CHECK(find_with(&s.list, &s.f.mem.host, &s.bind, &s.f.nodes, 1.0, s.colliders, 1, 0.01, 1.0) ==
          LIM_OK);
    CHECK(s.list.items.count == 0);
    scene_plane(&s, 50.0, 0.5f); /* deep inside */
    CHECK(find_with(&s.list, &s.f.mem.host, &s.bind, &s.f.nodes, 1.0, s.colliders, 1, 0.01, 1.0) ==
          LIM_OK);
    int32_t points = 0; /* the rest are nodes themselves */
    for (int32_t i = 0; i < s.list.items.count; ++i) {
        points += s.list.items.data[i].point[0] >= 0;
    }
    CHECK(points == s.bind.count);
    scene_free(&s);
}

/* One node, its point half a cell below it: the ball around the nodes alone has no size. */
static void points_away_from_their_nodes_are_found(void) {
    scene s;
    scene_block(&s, 1, 1, 1, 1.0f, 1);
    scene_plane(&s, -0.5001, 0.5f);
    CHECK(find_with(&s.list, &s.f.mem.host, &s.bind, &s.f.nodes, 1.0, s.colliders, 1, 0.01, 0.1) ==
          LIM_OK);
    CHECK(s.list.items.count == 1);
    scene_free(&s);
}

static void finding_survives_every_failure(void) {
    scene s;
    scene_block(&s, 4, 1, 4, 0.25f, 6);
    scene_plane(&s, 0.0, 0.5f);
    int failures = 0;
    for (int n = 0;; ++n) {
        failing_host host;
        failing_host_arm(&host, n);
        contact_list list = {0};
        lim_result result =
            find_with(&list, &host.host, &s.bind, &s.f.nodes, 1.0, s.colliders, 1, 0.01, 1.0);
        CHECK(result == LIM_OK || (result == LIM_ERROR_MEMORY && list.items.count == 0));
        int32_t count = list.items.count;
        contact_list_free(&list, &host.host);
        CHECK(host.held == 0);
        if (result == LIM_OK) {
            CHECK(count > 0 && count <= 2 * s.f.nodes.padded);
            break;
        }
        failures++;
    }
    CHECK(failures >= 2);
    scene_free(&s);
}

/* ---- solving --------------------------------------------------------------------------------- */

/* A single node with its point, thrown at 50 m/s at each shape from many sides. */
static void nothing_passes_through(void) {
    random_stream r = random_seed(52);
    int stopped = 0;
    for (int round = 0; round < 400; ++round) {
        scene s;
        scene_block(&s, 1, 1, 1, 0.1f, 1);
        s.gravity = v3(0, 0, 0);
        s.scale = round % 2 == 0 ? 1.0 : 0.3;
        s.collider_count = 1;
        s.colliders[0] = (collider){.shape = (lim_shape)(1 + round % 4),
                                    .size = v3(0.05f, 0.1f, 0.08f),
                                    .position = {100, 200, 300},
                                    .orientation = turn(random_vec3(&r, -1, 1), 1.5)};
        component* c = &s.f.nodes.components[0];
        c->rotation = turn(random_vec3(&r, -1, 1), 1.0);
        lim_vec3 normal;
        do {
            lim_vec3 u = v3_unit(random_vec3(&r, -1, 1), v3(0, 1, 0));
            c->origin = p3_mad(s.colliders[0].position, p3_of(u), 1.5);
        } while (collider_distance(&s.colliders[0], c->origin, &normal) < 0.3);
        lim_point aim = p3_add(s.colliders[0].position, p3_of(random_vec3(&r, -0.04f, 0.04f)));
        lim_point way = p3_sub(aim, point_world(&s, 0));
        set_velocity(&s, v3_of(p3_scale(way, 50.0 / p3_length(way))));
        lim_point before = point_world(&s, 0);
        double least = 1e9;
        for (int k = 0; k < 20; ++k) {
            const double dt = 1.0 / 60.0;
            CHECK(find_with(&s.list, &s.f.mem.host, &s.bind, &s.f.nodes, s.scale, s.colliders, 1,
                            dt, 50.0) == LIM_OK);
            for (int sub = 0; sub < SUBSTEPS; ++sub) {
                substep(&s, dt * sub / (double)SUBSTEPS, dt / (double)SUBSTEPS);
                lim_point after = point_world(&s, 0);
                for (int part = 0; part <= 64; ++part) {
                    lim_point p = p3_mad(before, p3_sub(after, before), part / 64.0);
                    double d = collider_distance(&s.colliders[0], p, &normal);
                    least = d < least ? d : least;
                }
                before = after;
            }
        }
        CHECK(least > -2e-4 * s.scale);
        stopped += least < 1e-3;
        scene_free(&s);
    }
    /* came to touch; of the others most have gone past, or the node was stopped before its point */
    CHECK(stopped > 150);
}

/* Energy of all nodes falling at one speed. */
static double kinetic_of_fall(const scene* s, double speed) {
    double mass = 0.0;
    for (int32_t i = 0; i < s->f.nodes.padded; ++i) {
        mass += (double)s->f.volume[i];
    }
    return 0.5 * mass * speed * speed;
}

static void rest_on_a_plane_stays_rest(void) {
    scene s;
    scene_block(&s, 4, 1, 4, 0.25f, 2);
    scene_plane(&s, -0.1251, 0.5f);
    for (int k = 0; k < 120; ++k) {
        step(&s);
    }
    double energy = kinetic(&s);
    CHECK(energy < 1e-10);
    lim_point before = point_world(&s, 0);
    for (int k = 0; k < 120; ++k) {
        step(&s);
        CHECK(kinetic(&s) < 1e-10);
    }
    CHECK_NEAR(p3_length(p3_sub(before, point_world(&s, 0))), 0.0, 1e-6);
    CHECK_NEAR(point_world(&s, 0).y, -0.1251, 2e-4);
    /* half and double the load are followed at once */
    double weight = kinetic_of_fall(&s, 10.0 / 240.0);
    s.gravity = v3(0, -5, 0);
    substep(&s, 0.0, 1.0 / 240.0);
    CHECK(kinetic(&s) < 1e-6 * weight);
    s.gravity = v3(0, -10, 0);
    substep(&s, 0.0, 1.0 / 240.0);
    CHECK(kinetic(&s) < 1e-6 * weight);
    scene_free(&s);
}

static void landing_takes_energy_and_does_not_stick(void) {
    scene s;
    scene_block(&s, 4, 2, 4, 0.25f, 2);
    scene_plane(&s, -1.0, 0.5f);
    set_velocity(&s, v3(2, -3, 1));
    s.stiff = true;
    double highest = kinetic(&s) + 0.5 * 10.0 * 0.75; /* and all the height it can lose */
    for (int k = 0; k < 60; ++k) {
        step(&s);
        CHECK(kinetic(&s) < highest);
    }
    /* thrown upwards from contact it leaves as fast as it was thrown */
    for (int32_t i = 0; i < s.f.nodes.padded; ++i) {
        s.f.nodes.d[1][i] = -0.75f;
    }
    set_velocity(&s, v3(0, 4, 0));
    s.gravity = v3(0, 0, 0);
    step(&s);
    for (int32_t i = 0; i < s.f.cell_count; ++i) {
        CHECK_NEAR(velocity(&s, s.f.slot_of[i]).y, 4.0, 1e-6);
    }
    scene_free(&s);
}

/* Without gravity every substep of an impact takes energy, whatever the masses. */
static void impacts_never_add_energy(void) {
    scene s;
    scene_block(&s, 4, 1, 4, 0.25f, 3);
    scene_plane(&s, -0.125 - 5.0 / 240.0, 0.5f); /* all of the impact is in the second substep */
    s.gravity = v3(0, 0, 0);
    random_stream r = random_seed(54);
    for (int32_t i = 0; i < s.f.cell_count; ++i) {
        int32_t slot = s.f.slot_of[i];
        s.f.volume[slot] *= random_range(&r, 0.1f, 1.0f);
        s.f.nodes.inv_mass[slot] = 1.0f / s.f.volume[slot];
    }
    set_velocity(&s, v3(1, -5, 0));
    double energy = kinetic(&s), start = energy;
    for (int k = 0; k < 10; ++k) {
        CHECK(find_with(&s.list, &s.f.mem.host, &s.bind, &s.f.nodes, 1.0, s.colliders, 1,
                        1.0 / 60.0, 10.0) == LIM_OK);
        for (int sub = 0; sub < SUBSTEPS; ++sub) {
            substep(&s, 0.0, 1.0 / 240.0);
            CHECK(kinetic(&s) <= energy * 1.000001);
            energy = kinetic(&s);
        }
    }
    CHECK(energy < 0.05 * start);
    /* after an impact into the plane the next solve has far less to do: it still only takes */
    for (int32_t i = 0; i < s.f.nodes.padded; ++i) {
        s.f.nodes.d[1][i] = -5.0f / 240.0f;
    }
    set_velocity(&s, v3(0, -5, 0));
    CHECK(find_with(&s.list, &s.f.mem.host, &s.bind, &s.f.nodes, 1.0, s.colliders, 1, 1.0 / 60.0,
                    10.0) == LIM_OK);
    contact_solve_velocity(&s.list, &s.bind, &s.f.nodes, 1.0, s.colliders, 0.5f, 0.0, 0.004);
    for (int32_t i = 0; i < s.f.cell_count; ++i) {
        s.f.nodes.v[1][s.f.slot_of[i]] = random_range(&r, -0.1f, 0.05f);
    }
    energy = kinetic(&s);
    contact_solve_velocity(&s.list, &s.bind, &s.f.nodes, 1.0, s.colliders, 0.5f, 0.004, 0.004);
    CHECK(kinetic(&s) < energy);
    scene_free(&s);
}

/* A block slides in a turned frame of another scale: it slows by mu g, then stops for good. */
static void sliding_decelerates_by_mu_g(void) {
    for (int stiff = 0; stiff < 2; ++stiff) {
        scene s;
        scene_block(&s, 4, stiff ? 3 : 1, 4, 0.2f, 2);
        s.stiff = stiff;
        s.scale = 0.5;
        s.friction = 0.9f;
        s.f.nodes.components[0].rotation = turn(v3(0, 1, 0), 0.6);
        s.f.nodes.components[0].origin = p3(500, 0, -900);
        scene_plane(&s, -0.1 * s.scale * (stiff ? 3 : 1), 0.4f); /* mu = 0.6 */
        set_velocity(&s, v3(3, 0, 0));
        step(&s);
        float start = velocity(&s, 0).x;
        for (int k = 0; k < 15; ++k) {
            step(&s);
        }
        double slowed = (double)(start - velocity(&s, 0).x) / 0.25;
        CHECK_NEAR(slowed, 0.6 * 10.0, 0.05 * 6.0);
        CHECK_NEAR(velocity(&s, 0).z, 0.0, 0.02);
        for (int k = 0; k < 60; ++k) {
            step(&s);
        }
        CHECK_NEAR(velocity(&s, 0).x, 0.0, 1e-6);
        CHECK(stiff || v3_length(velocity(&s, 0)) < 1e-6f); /* the mean leaves some fall */
        scene_free(&s);
    }
}

/* On a slope a block stays below the angle of friction and slides above it. */
static void slopes_hold_up_to_the_angle_of_friction(void) {
    for (int steep = 0; steep < 2; ++steep) {
        scene s;
        scene_block(&s, 3, 1, 3, 0.2f, 2);
        scene_plane(&s, -0.1, 0.5f);
        double angle = steep ? 0.7 : 0.4; /* atan 0.5 = 0.4636 */
        s.gravity = v3((float)(10.0 * trig_sin(angle)), (float)(-10.0 * trig_cos(angle)), 0);
        for (int k = 0; k < 60; ++k) {
            step(&s);
        }
        double slide = 10.0 * (trig_sin(angle) - 0.5 * trig_cos(angle));
        CHECK_NEAR(velocity(&s, 0).x, steep ? slide : 0.0, steep ? 0.05 * slide : 1e-4);
        scene_free(&s);
    }
}

static void moving_colliders_carry(void) {
    scene s;
    scene_block(&s, 3, 1, 3, 0.2f, 2);
    scene_plane(&s, -0.1001, 1.0f);
    s.friction = 1.0f;
    s.scale = 0.5;
    s.f.nodes.components[0].rotation = turn(v3(0, 1, 0), 0.8);
    s.f.nodes.components[0].origin = p3(0, -0.05, 0);
    s.colliders[0].velocity = v3(0.3f, 1.0f, 0);
    for (int k = 0; k < 60; ++k) {
        step(&s);
    }
    for (int32_t i = 0; i < s.f.cell_count; ++i) {
        lim_vec3 v = velocity(&s, s.f.slot_of[i]);
        CHECK_NEAR(v.y, 1.0, 1e-3);
        CHECK_NEAR(v.x, 0.3, 1e-3);
    }
    CHECK_NEAR(point_world(&s, 0).y, 0.9, 2e-3);
    scene_free(&s);
    /* a turning platform takes the block round */
    scene_block(&s, 3, 1, 3, 0.2f, 2);
    s.friction = 1.0f;
    s.collider_count = 1;
    s.colliders[0] = (collider){.shape = LIM_SHAPE_BOX,
                                .size = {2, 0.5f, 2},
                                .position = {0, -0.6, 0},
                                .orientation = upright,
                                .angular_velocity = {0, 2, 0},
                                .friction = 1.0f};
    for (int k = 0; k < 30; ++k) {
        step(&s);
    }
    double spin = 0.0, inertia = 0.0;
    for (int32_t i = 0; i < s.f.cell_count; ++i) {
        int32_t slot = s.f.slot_of[i];
        double x = (double)(s.f.x0[0][slot] + s.f.nodes.d[0][slot]);
        double z = (double)(s.f.x0[2][slot] + s.f.nodes.d[2][slot]);
        lim_vec3 v = velocity(&s, slot);
        spin += z * (double)v.x - x * (double)v.z;
        inertia += x * x + z * z;
    }
    CHECK_NEAR(spin / inertia, 2.0, 0.2); /* smooth weights reproduce a rotation not exactly */
    scene_free(&s);
}

/* What the body gains is what the contacts gave. */
static void momentum_comes_from_the_contacts(void) {
    scene s;
    scene_block(&s, 4, 2, 4, 0.25f, 3);
    scene_plane(&s, -0.24, 0.5f);
    random_stream r = random_seed(53);
    for (int32_t i = 0; i < s.f.cell_count; ++i) {
        int32_t slot = s.f.slot_of[i];
        s.f.volume[slot] *= random_range(&r, 0.2f, 1.0f);
        s.f.nodes.inv_mass[slot] = 1.0f / s.f.volume[slot];
        for (int axis = 0; axis < 3; ++axis) {
            s.f.nodes.v[axis][slot] = random_range(&r, -2, 1);
        }
    }
    lim_point before = {0, 0, 0}, after = {0, 0, 0}, given = {0, 0, 0};
    for (int32_t i = 0; i < s.f.nodes.padded; ++i) {
        before = p3_mad(before, p3_of(velocity(&s, i)), (double)s.f.volume[i]);
    }
    double energy = kinetic(&s);
    CHECK(find_with(&s.list, &s.f.mem.host, &s.bind, &s.f.nodes, 1.0, s.colliders, 1, 0.01, 4.0) ==
          LIM_OK);
    CHECK(s.list.items.count > 10);
    contact_solve_velocity(&s.list, &s.bind, &s.f.nodes, 1.0, s.colliders, 0.5f, 0.0, 0.004);
    int pressing = 0;
    for (int32_t i = 0; i < s.list.items.count; ++i) {
        const contact* c = &s.list.items.data[i];
        CHECK(c->impulse >= 0.0f);
        CHECK(v3_length(c->friction_impulse) <= 0.5f * c->impulse * 1.00001f + 1e-9f);
        given = p3_mad(given, p3_of(c->normal), (double)c->impulse);
        given = p3_add(given, p3_of(c->friction_impulse));
        pressing += c->impulse > 0.0f;
    }
    for (int32_t i = 0; i < s.f.nodes.padded; ++i) {
        after = p3_mad(after, p3_of(velocity(&s, i)), (double)s.f.volume[i]);
    }
    CHECK(pressing > 10);
    CHECK_NEAR(p3_length(p3_sub(p3_sub(after, before), given)), 0.0, 1e-5 * p3_length(given));
    CHECK(kinetic(&s) < energy);
    scene_free(&s);
}

static void pinned_nodes_do_not_move(void) {
    scene s;
    scene_block(&s, 2, 1, 2, 0.5f, 2);
    scene_plane(&s, -0.1, 0.5f); /* 0.15 deep */
    for (int32_t i = 0; i < s.f.cell_count; ++i) {
        if (i != 3) {
            s.f.nodes.inv_mass[s.f.slot_of[i]] = 0.0f;
        }
    }
    for (int k = 0; k < 20; ++k) {
        step(&s);
    }
    for (int32_t i = 0; i < s.f.cell_count; ++i) {
        int32_t slot = s.f.slot_of[i];
        lim_vec3 d = v3(s.f.nodes.d[0][slot], s.f.nodes.d[1][slot], s.f.nodes.d[2][slot]);
        CHECK(i == 3 || (v3_length(d) == 0.0f && v3_length(velocity(&s, slot)) == 0.0f));
        CHECK(v3_finite(d) && v3_length(d) < 2.0f);
    }
    CHECK(s.f.nodes.d[1][s.f.slot_of[3]] > 0.1f);
    scene_free(&s);
}

/* A node of a millionth of the mass is not shot away by the points it helps to carry. */
static void light_nodes_stay_calm(void) {
    scene s;
    scene_block(&s, 2, 1, 1, 0.5f, 1);
    s.gravity = v3(0, 0, 0);
    scene_plane(&s, -0.25, 0.5f);
    binding* b = &s.bind.bind[0];
    b->node[1] = s.f.slot_of[1 - (b->node[0] == s.f.slot_of[1])];
    b->weight[0] = 0.99f;
    b->weight[1] = 0.01f;
    s.f.nodes.inv_mass[b->node[1]] *= 1e6f;
    set_velocity(&s, v3(0, -5, 0));
    s.bind.count = 1;
    CHECK(find_with(&s.list, &s.f.mem.host, &s.bind, &s.f.nodes, 1.0, s.colliders, 1, 0.01, 5.0) ==
          LIM_OK);
    substep(&s, 0.0, 0.004);
    /* its share alone would be 500 m/s */
    CHECK(v3_length(velocity(&s, b->node[1])) < 6.0f);
    /* the node that carries the point has stopped; the sliver goes on with its hundredth of it */
    CHECK_NEAR(velocity(&s, b->node[0]).y, 0.0, 1e-6);
    CHECK_NEAR(binding_velocity(b, &s.f.nodes).y, -0.05, 1e-4);
    scene_free(&s);
}

static void bad_places_give_finite_states(void) {
    scene s;
    scene_block(&s, 1, 1, 1, 0.2f, 1);
    /* the bound point exactly at the centre of a sphere, then of the others */
    for (int shape = 1; shape <= 4; ++shape) {
        for (int axis = 0; axis < 3; ++axis) {
            s.f.nodes.d[axis][0] = s.f.nodes.v[axis][0] = 0.0f;
        }
        s.colliders[0] = (collider){.shape = (lim_shape)shape,
                                    .size = {0.5f, 0.5f, 0.5f},
                                    .position = point_world(&s, 0),
                                    .orientation = upright};
        s.collider_count = 1;
        /* It comes out over several steps, not in one. */
        step(&s);
        lim_vec3 d = v3(s.f.nodes.d[0][0], s.f.nodes.d[1][0], s.f.nodes.d[2][0]);
        CHECK(v3_finite(d) && v3_finite(velocity(&s, 0)) && v3_length(d) < 0.4f);
        for (int k = 0; k < 20; ++k) {
            step(&s);
        }
        d = v3(s.f.nodes.d[0][0], s.f.nodes.d[1][0], s.f.nodes.d[2][0]);
        CHECK(v3_finite(d) && v3_finite(velocity(&s, 0)));
        CHECK(shape == 1 || v3_length(d) > 0.4f);
    }
    /* a node that is not finite spoils no other */
    scene t;
    scene_block(&t, 4, 1, 1, 0.2f, 1);
    scene_plane(&t, 0.0, 0.5f);
    CHECK(find_with(&t.list, &t.f.mem.host, &t.bind, &t.f.nodes, 1.0, t.colliders, 1, 0.01, 1.0) ==
          LIM_OK);
    t.f.nodes.d[1][t.f.slot_of[0]] = NAN;
    t.f.nodes.v[0][t.f.slot_of[0]] = HUGE_VALF;
    substep(&t, 0.0, 0.004);
    CHECK(v3_finite(velocity(&t, t.f.slot_of[2])) && v3_finite(velocity(&t, t.f.slot_of[3])));
    CHECK(isfinite(t.f.nodes.d[1][t.f.slot_of[3]]));
    scene_free(&s);
    scene_free(&t);
}

/* ---- fast paths and what they stand for ---------------------------------------------------------
 */

/* Whether a way comes near something convex, against looking at a thousand places of it. */
static void ways_past_convex_shapes(void) {
    random_stream r = random_seed(57);
    int met = 0, missed = 0;
    for (int round = 0; round < 4000; ++round) {
        collider c = {.shape = (lim_shape)(1 + round % 4),
                      .size = v3(random_range(&r, 0.1f, 0.5f), random_range(&r, 0.1f, 0.5f),
                                 random_range(&r, 0.1f, 0.5f)),
                      .position = p3_of(random_vec3(&r, -1, 1)),
                      .orientation = turn(random_vec3(&r, -1, 1), 2.0)};
        lim_point from = p3_of(random_vec3(&r, -3, 3)), to = p3_of(random_vec3(&r, -3, 3));
        double margin = 0.02, least = HUGE_VAL;
        lim_vec3 normal;
        if (collider_gap(&c, from) < 0.1) {
            continue;
        }
        for (int k = 0; k <= 1000; ++k) {
            double gap = collider_gap(&c, p3_mad(from, p3_sub(to, from), k / 1000.0));
            least = gap < least ? gap : least;
        }
        float gap;
        bool meets = collider_meets(&c, from, to, margin, &gap, &normal);
        CHECK(meets || least > margin);
        CHECK(!meets || least < 1.2 * margin);
        if (meets) { /* the plane touches: nothing of the collider is in front, some is near it */
            CHECK_NEAR(v3_length(normal), 1.0, 1e-6);
            lim_point foot = p3_mad(from, p3_of(normal), -(double)gap);
            double across = p3_dot(p3_of(normal), p3_sub(to, foot));
            CHECK(gap > 0.0f && (double)gap <= collider_gap(&c, from) + 1e-6);
            CHECK(across < (double)gap);
        }
        met += meets;
        missed += !meets;
    }
    CHECK(met > 300 && missed > 1000);
}

/* What contact_solve_position does, without leaving anything out: four passes over all contacts,
 * the nearest of a node's points decides, and a node moves by a tenth of the reach at most. */
static void slow_position(scene* s, double time) {
    node_state* n = &s->f.nodes;
    float most = 0.1f * s->list.reach;
    bool moved = true;
    for (int pass = 0; pass < 4 && moved; ++pass) {
        moved = false;
        for (int32_t i = 0; i < s->list.items.count; ++i) {
            contact* c = &s->list.items.data[i];
            collider now = collider_at(&s->colliders[c->collider], time);
            collider seen = collider_in_frame(&now, &n->components[0], s->scale);
            int32_t node = c->node;
            lim_vec3 at = v3(n->x0[0][node] + n->d[0][node], n->x0[1][node] + n->d[1][node],
                             n->x0[2][node] + n->d[2][node]);
            lim_vec3 normal, other;
            float gap = (float)collider_distance(&seen, p3_of(at), &normal);
            gap = c->point[0] < 0 ? gap + 0.15f * s->list.reach : HUGE_VALF;
            for (int k = 0; k < CONTACT_NEAR && c->point[k] >= 0; ++k) {
                at = binding_position(&s->bind.bind[c->point[k]],
                                      bindings_rest(&s->bind, c->point[k]), n);
                float one = (float)collider_distance(&seen, p3_of(at), &other);
                normal = one < gap ? other : normal;
                gap = one < gap ? one : gap;
            }
            if (gap < -1e-4f) {
                float move = -gap < most ? -gap : most;
                n->d[0][node] += move * normal.x;
                n->d[1][node] += move * normal.y;
                n->d[2][node] += move * normal.z;
                moved = true;
            }
        }
    }
}

/* Resting, landing, sliding, against shapes that stand or move: the same bits as without leaving
 * out what cannot matter. */
static void nothing_that_matters_is_left_out(void) {
    random_stream r = random_seed(58);
    int32_t differs = 0;
    for (int round = 0; round < 60; ++round) {
        scene s;
        scene_block(&s, 5, 3, 5, 0.2f, 2);
        s.friction = 0.7f;
        scene_plane(&s, -0.3, 0.5f);
        s.colliders[1] = (collider){.shape = (lim_shape)(2 + round % 3),
                                    .size = {0.3f, 0.2f, 0.25f},
                                    .position = {0.1, -0.45, 0.2},
                                    .orientation = turn(random_vec3(&r, -1, 1), 1.0)};
        s.colliders[1].velocity = round % 4 == 0 ? v3(0.1f, 0.3f, 0) : v3(0, 0, 0);
        s.collider_count = 2;
        set_velocity(&s, random_vec3(&r, -1, 1));
        for (int k = 0; k < 12; ++k) {
            step(&s);
            node_state* n = &s.f.nodes;
            CHECK(find_with(&s.list, &s.f.mem.host, &s.bind, n, 1.0, s.colliders, 2, 1.0 / 60.0,
                            2.0) == LIM_OK);
            float noise = round % 3 == 0 ? 0.0f : 0.4f;
            for (int32_t i = 0; i < 3 * n->padded; ++i) {
                n->v[i / n->padded][i % n->padded] += random_range(&r, -noise, noise);
            }
            contact_solve_velocity(&s.list, &s.bind, n, 1.0, s.colliders, 0.5f, 0.0, 1.0 / 240.0);
            size_t size = (size_t)n->padded * sizeof(float);
            float *kept[3], *fast[3];
            for (int axis = 0; axis < 3; ++axis) {
                for (int32_t i = 0; i < n->padded; ++i) {
                    n->d[axis][i] += n->v[axis][i] / 240.0f;
                }
                kept[axis] = malloc(size);
                fast[axis] = malloc(size);
                memcpy(kept[axis], n->d[axis], size);
            }
            contact_solve_position(&s.list, &s.bind, n, 1.0, s.colliders, 1.0 / 240.0);
            for (int axis = 0; axis < 3; ++axis) {
                memcpy(fast[axis], n->d[axis], size);
                memcpy(n->d[axis], kept[axis], size);
            }
            slow_position(&s, 1.0 / 240.0);
            for (int axis = 0; axis < 3; ++axis) {
                CHECK(memcmp(fast[axis], n->d[axis], size) == 0);
                differs += memcmp(kept[axis], n->d[axis], size) != 0;
                free(kept[axis]);
                free(fast[axis]);
            }
        }
        scene_free(&s);
    }
    CHECK(differs > 200); /* there was something to do */
}

/* ---- clearing ---------------------------------------------------------------------------------
 */

static double deepest_point(const scene* s) {
    double most = 0.0;
    for (int32_t i = 0; i < s->bind.count; ++i) {
        double depth = -collider_gap(&s->colliders[0], point_world(s, i));
        most = depth > most ? depth : most;
    }
    return most;
}

/* Points that follow many nodes come out at once, also those that no contact knows. */
static void clearing_takes_every_point_out(void) {
    for (int round = 0; round < 3; ++round) {
        scene s;
        scene_block(&s, 6, 2, 6, 0.2f, 3);
        scene_plane(&s, -0.16, 0.5f); /* 0.04 deep */
        if (round > 0) {
            s.colliders[0].shape = LIM_SHAPE_SPHERE;
            s.colliders[0].size = v3(0.5f, 0, 0);
            s.colliders[0].position = p3(0.07, -0.64, 0.03);
        }
        if (round == 2) {
            for (int32_t i = 0; i < s.f.cell_count; i += 2) {
                s.f.nodes.inv_mass[s.f.slot_of[i]] = 0.0f;
            }
        }
        CHECK(find_with(&s.list, &s.f.mem.host, &s.bind, &s.f.nodes, 1.0, s.colliders, 1, 0.01,
                        1.0) == LIM_OK);
        double before = deepest_point(&s);
        CHECK(before > 0.03);
        s.list.items.count = 1; /* enough to say which collider */
        float deepest = HUGE_VALF;
        CHECK(contact_clear(&s.list, &s.bind, &s.f.nodes, 1.0, s.colliders, 0.0, isa_best(),
                            &deepest));
        CHECK((double)deepest < before + 1e-5 && (double)deepest > 0.3 * before);
        CHECK(deepest_point(&s) < (round == 2 ? 0.5 : 0.1) * before);
        for (int32_t i = 0; i < s.f.nodes.padded; ++i) {
            bool pinned = !(s.f.nodes.inv_mass[i] > 0.0f);
            CHECK(!pinned || s.f.nodes.d[1][i] == 0.0f);
        }
        if (round == 2) {
            scene_free(&s);
            continue;
        }
        /* and then nothing is left to do */
        float y = s.f.nodes.d[1][s.f.slot_of[0]];
        CHECK(!contact_clear(&s.list, &s.bind, &s.f.nodes, 1.0, s.colliders, 0.0, isa_best(),
                             &deepest));
        CHECK(s.f.nodes.d[1][s.f.slot_of[0]] == y);
        scene_free(&s);
    }
}

/* Between two jaws there is no way out: it gives up, and nothing is torn. */
static void clearing_gives_up_when_squeezed(void) {
    scene s;
    scene_block(&s, 4, 1, 4, 0.2f, 3);
    scene_plane(&s, 0.5, 0.5f);
    s.colliders[1] = s.colliders[0];
    s.colliders[1].orientation = turn(v3(1, 0, 0), 3.14159265358979);
    s.colliders[1].position.y = -0.5;
    s.collider_count = 2;
    CHECK(find_with(&s.list, &s.f.mem.host, &s.bind, &s.f.nodes, 1.0, s.colliders, 2, 0.01, 1.0) ==
          LIM_OK);
    float deepest = HUGE_VALF;
    int calls = 0;
    while (
        deepest > 0.0f && calls < 20 &&
        contact_clear(&s.list, &s.bind, &s.f.nodes, 1.0, s.colliders, 0.0, isa_best(), &deepest)) {
        calls++;
    }
    CHECK(calls <= 2);
    for (int32_t i = 0; i < s.f.nodes.padded; ++i) {
        CHECK(fabs((double)s.f.nodes.d[1][i]) < 1.0);
    }
    scene_free(&s);
}

int main(int argc, char** argv) {
    TEST_BEGIN(argc, argv);
    RUN(find_misses_nothing);
    RUN(far_bodies_have_no_contacts);
    RUN(points_away_from_their_nodes_are_found);
    RUN(finding_survives_every_failure);
    RUN(nothing_passes_through);
    RUN(rest_on_a_plane_stays_rest);
    RUN(landing_takes_energy_and_does_not_stick);
    RUN(impacts_never_add_energy);
    RUN(sliding_decelerates_by_mu_g);
    RUN(slopes_hold_up_to_the_angle_of_friction);
    RUN(moving_colliders_carry);
    RUN(momentum_comes_from_the_contacts);
    RUN(pinned_nodes_do_not_move);
    RUN(light_nodes_stay_calm);
    RUN(bad_places_give_finite_states);
    RUN(ways_past_convex_shapes);
    RUN(nothing_that_matters_is_left_out);
    RUN(clearing_takes_every_point_out);
    RUN(clearing_gives_up_when_squeezed);
    TEST_END();
}
