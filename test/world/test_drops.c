/* SPDX-License-Identifier: MIT
 * Random bodies of every kind thrown at every shape of collider, at up to 50 m/s, with steps of
 * 1/30 to 1/120 s, the collider still or moving and turning. After each step nothing may be on the
 * wrong side, and everything must be finite.
 *
 * The wrong side of something solid (plane, sphere, capsule, box, hull, closed mesh, height field):
 * a point of the surface that feels contacts, or a node, lies deeper inside than WRONG_DEPTH of the
 * body's largest cells (nodes of a lattice are corners of cells, up to a cell outside of the
 * material: they do not count).
 * What is left inside of that, point by point, is bounded too.
 * The wrong side of a sheet, over which the body cannot get around in the time: any such point or
 * node, however near, that is not on the side where the body began.
 *
 * `test_drops` makes 200 drops, `test_drops long` 10,000, or as many as the next argument says,
 * beginning with the one that the argument after that names.
 */
#include "../core/shape_kit.h"
#include "world/world.h"
#include "world_kit.h"

#define WRONG_DEPTH 0.5
/* What may be left after a step, in the finest cells: of all points near the surface, and of 99 %
 * of them, in thousandths. */
#define LEFT_MOST 0.2
enum { LEFT_MOST_99 = 20 };

enum { PLANE, SPHERE, CAPSULE, BOX, HULL, CLOSED, SHEET, HEIGHTS, SHAPES };
static const char* const NAMES[SHAPES] = {"plane", "sphere",      "capsule", "box",
                                          "hull",  "closed mesh", "sheet",   "height field"};
enum { BINS = 4000 }; /* of a thousandth of a cell */

typedef struct tally {
    int drops, touched, wrong, bad_values;
    int64_t points, bin[BINS];
    double most;
} tally;
static tally tallies[SHAPES];
static lim_model* models[KIND_ROWS];
static int drops_wanted = 200, first_drop;

typedef struct drop {
    random_stream r;
    int shape, kind;
    lim_world* world;
    lim_body body;
    lim_collider collider;
    double cell, coarsest, side;
    float dt;
} drop;

static double between(random_stream* r, double low, double high) {
    return low + (high - low) * (double)random_unit(r);
}

/* In this order: that of arguments is the compiler's, and so would the drops be. */
static lim_point place_within(random_stream* r, double size) {
    double z = between(r, -size, size), y = between(r, -size, size);
    return p3(between(r, -size, size), y, z);
}

static lim_point direction(random_stream* r) {
    lim_point p;
    do {
        p = place_within(r, 1);
    } while (p3_length(p) > 1.0 || p3_length(p) < 0.1);
    return p3_scale(p, 1.0 / p3_length(p));
}

static lim_point way_of(random_stream* r, double most) {
    double length = between(r, 0, most);
    return p3_scale(direction(r), length);
}

static lim_quat any_turn(random_stream* r) {
    lim_point q = direction(r);
    double a = between(r, 0, 3.0);
    return (lim_quat){(float)(q.x * sin(a)), (float)(q.y * sin(a)), (float)(q.z * sin(a)),
                      (float)cos(a)};
}

/* The radius of a ball around it, or of what is to be hit. */
static double describe(drop* d, lim_collider_desc* c) {
    random_stream* r = &d->r;
    float a = (float)between(r, 0.25, 0.9), b = (float)between(r, 0.25, 0.9);
    float e = (float)between(r, 0.25, 0.9);
    switch (d->shape) {
    case SPHERE:
        c->shape = LIM_SHAPE_SPHERE;
        c->size = (lim_vec3){a, 0, 0};
        return (double)a;
    case CAPSULE:
        c->shape = LIM_SHAPE_CAPSULE;
        c->size = (lim_vec3){a, b, 0};
        return (double)(a + b);
    case BOX:
        c->shape = LIM_SHAPE_BOX;
        c->size = (lim_vec3){a, b, e};
        return (double)(a + b + e);
    case HULL:
        shape_hull(c, r, 12 + random_index(r, 60), (lim_vec3){a, b, e});
        return (double)(a + b + e);
    case CLOSED:
        shape_torus(c, 0.4 + (double)a, 0.3, 20, 12);
        return 0.7 + (double)a;
    case SHEET:
        shape_sheet(c, 16.0, between(r, 0.0, 0.6), 28);
        return 0.7;
    case HEIGHTS:
        shape_land(c, 16.0, between(r, 0.0, 0.6), 33, 29);
        return 0.7;
    default:
        return 0.05;
    }
}

static void begin(drop* d, uint64_t seed) {
    d->r = random_seed(seed);
    random_stream* r = &d->r;
    d->shape = (int)(seed % SHAPES);
    d->kind = (int)(seed / SHAPES % KIND_ROWS);
    d->world = kit_world(NULL, 1);
    kind_now = d->kind;
    lim_collider_desc c = lim_collider_desc_default();
    double size = describe(d, &c);
    bool flat = d->shape == PLANE || d->shape == SHEET || d->shape == HEIGHTS;
    bool moving = random_index(r, 2) == 0;
    if (moving) {
        lim_point v = way_of(r, flat ? 3.0 : 10.0);
        lim_point w = way_of(r, flat ? 0.5 : 6.0);
        c.velocity = v3_of(v);
        c.angular_velocity = v3_of(w);
    }
    c.position = place_within(r, 5);
    c.orientation = any_turn(r);
    c.friction = (float)between(r, 0, 1);
    CHECK(lim_collider_create(d->world, &c, &d->collider) == LIM_OK);
    lim_body_desc b = lim_body_desc_default();
    b.model = models[d->kind];
    b.scale = (float)between(r, 0.4, 1.2);
    b.orientation = any_turn(r);
    b.material = kind_material(b.material);
    b.material.young = (float)between(r, 10e3, 200e3);
    b.material.friction = (float)between(r, 0, 1);
    d->cell = (double)b.scale * (double)lim_model_get_info(b.model).cell_size;
    d->coarsest = (double)b.scale * (double)lim_model_get_info(b.model).coarsest_size;
    /* From outside, towards the middle. A sheet is met from above or below. */
    dquat turn = dquat_of(c.orientation);
    lim_point from = direction(r);
    d->side = d->shape == SHEET && random_index(r, 2) == 0 ? -1.0 : 1.0;
    if (flat) {
        from = dquat_rotate(turn, p3(0, d->side, 0));
    }
    double away = size + 0.7 * (double)b.scale + between(r, 0, 1.5);
    double speed = between(r, 0, 1) < 0.3 ? 50.0 : between(r, 1, 50);
    b.position = p3_mad(c.position, from, away);
    lim_point aim = p3_add(p3_scale(from, -speed), way_of(r, 8.0));
    b.velocity = v3_of(p3_add(aim, p3_of(c.velocity)));
    b.angular_velocity = v3_of(way_of(r, 15.0));
    CHECK(lim_body_create(d->world, &b, &d->body) == LIM_OK);
    d->dt = (float)(1.0 / between(r, 30, 120));
}

static lim_point centre_of(drop* d) {
    lim_body_motion m;
    CHECK(lim_body_get_motion(d->world, d->body, &m) == LIM_OK);
    return m.centre;
}

/* Above the sheet at 1, below at -1, 0 beside it: it is a surface over a square of its own plane.
 */
static double sheet_side(const collider* c, lim_point at) {
    lim_point p = collider_own(c, at);
    if (fabs(p.x) > 7.9 || fabs(p.z) > 7.9) {
        return 0.0;
    }
    return asset_parts(c->asset, p3(p.x, 50.0, p.z), p) ? -1.0 : 1.0;
}

static void count(tally* t, double depth) {
    int bin = depth > 0.0 ? (int)(depth * 1000.0) : 0;
    t->bin[bin < BINS ? bin : BINS - 1]++;
    t->points++;
    t->most = depth > t->most ? depth : t->most;
}

/* One touch point or node in the world. */
static bool is_wrong(const drop* d, const collider* c, lim_point at, double most, tally* t) {
    if (d->shape == SHEET) {
        double side = sheet_side(c, at) * d->side;
        lim_vec3 n;
        double depth = side < 0.0 ? collider_distance(c, at, &n) / d->cell : 0.0;
        if (t != NULL) {
            count(t, depth);
        }
        return side < 0.0;
    }
    double depth = -collider_gap(c, at) / d->cell;
    if (t != NULL && depth > -0.5) {
        count(t, depth);
    }
    return depth * d->cell > most * d->coarsest;
}

/* True when nothing is on the wrong side. */
static bool look(drop* d) {
    tally* t = &tallies[d->shape];
    const collider* c = &d->world->colliders[d->collider.index].shape;
    body* b = &d->world->bodies[d->body.index]->body;
    node_state n = body_nodes(b);
    const bindings* touch = &b->topology->touch;
    bool good = true;
    for (int32_t i = 0; i < touch->count; ++i) {
        lim_vec3 y = binding_position(&touch->bind[i], bindings_rest(touch, i), &n);
        lim_point at = node_to_world(&n.components[touch->component[i]], body_metres(b), p3_of(y));
        if (!p3_finite(at)) {
            t->bad_values++;
            return false;
        }
        good = !is_wrong(d, c, at, WRONG_DEPTH, t) && good;
    }
    bool corners = kind_has_corners(d->kind);
    for (int32_t i = 0; i < n.padded && !corners; ++i) {
        if (n.mass[i] > 0.0f) {
            lim_point x = p3((double)(n.x0[0][i] + n.d[0][i]), (double)(n.x0[1][i] + n.d[1][i]),
                             (double)(n.x0[2][i] + n.d[2][i]));
            lim_point at = node_to_world(&n.components[n.slot_component[i]], body_metres(b), x);
            good = !is_wrong(d, c, at, WRONG_DEPTH, NULL) && good;
        }
    }
    return good;
}

static lim_point own_centre(drop* d) {
    collider c = d->world->colliders[d->collider.index].shape;
    c.scale = 1.0;
    return collider_own(&c, centre_of(d));
}

static void run_drop(uint64_t seed) {
    drop d;
    begin(&d, seed);
    tally* t = &tallies[d.shape];
    bool good = true, touched = false;
    double time = 0.0;
    while (time < 0.35 && good) {
        CHECK(lim_world_step(d.world, d.dt) == LIM_OK);
        time += (double)d.dt;
        lim_step_report report = lim_world_get_report(d.world);
        touched = touched || report.contacts > 0;
        t->bad_values += report.bodies_restored;
        lim_point after = own_centre(&d);
        if (d.shape >= SHEET && (fabs(after.x) > 6.5 || fabs(after.z) > 6.5)) {
            break; /* about to leave it by its rim */
        }
        good = look(&d);
    }
    if (!good) {
        printf("  drop %llu: %s, %s, after %.3f s, dt %.4f\n", (unsigned long long)seed,
               NAMES[d.shape], KIND_TABLE[d.kind].name, time, (double)d.dt);
        fflush(stdout);
    }
    t->drops++;
    t->touched += touched;
    t->wrong += !good;
    lim_world_destroy(d.world);
}

/* A ball of some 60 nodes, or of as many points as it has. */
static lim_model* small_model(void) {
    lim_mesh* mesh = NULL;
    lim_model* model = NULL;
    lim_model_desc desc = lim_model_desc_default();
    desc.node_count = 60;
    kind_describe(&desc);
    CHECK(kit_ball(11, 16, NULL, &mesh) == LIM_OK);
    CHECK(lim_model_create(mesh, &desc, NULL, &model) == LIM_OK);
    lim_mesh_destroy(mesh);
    return model;
}

static void nothing_ends_on_the_wrong_side(void) {
    for (kind_now = 0; kind_now < KIND_ROWS; ++kind_now) {
        models[kind_now] = small_model();
    }
    kind_now = 0;
    for (int i = 0; i < drops_wanted; ++i) {
        run_drop((uint64_t)first_drop + (uint64_t)i);
    }
    printf("  %-13s %6s %8s %6s %10s %10s\n", "shape", "drops", "touched", "wrong", "p99 cells",
           "max cells");
    for (int s = 0; s < SHAPES; ++s) {
        tally* t = &tallies[s];
        int64_t sum = 0;
        int at = 0;
        while (at < BINS && (double)(sum += t->bin[at]) < 0.99 * (double)t->points) {
            at++;
        }
        printf("  %-13s %6d %8d %6d %10.3f %10.3f\n", NAMES[s], t->drops, t->touched, t->wrong,
               0.001 * at, t->most);
        CHECK(t->wrong == 0);
        CHECK(at <= LEFT_MOST_99);
        CHECK(t->most <= LEFT_MOST);
        CHECK(t->bad_values == 0);
        CHECK(t->touched > t->drops / 2);
    }
    for (int k = 0; k < KIND_ROWS; ++k) {
        lim_model_destroy(models[k]);
    }
}

TEST_SUITE(drops) {
    test_long = argc > 1 && strcmp(argv[1], "long") == 0;
    if (test_long) {
        drops_wanted = argc > 2 ? atoi(argv[2]) : 10000;
        first_drop = argc > 3 ? atoi(argv[3]) : 0;
    }
    RUN(nothing_ends_on_the_wrong_side);
    TEST_END();
}
