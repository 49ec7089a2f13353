/* SPDX-License-Identifier: MIT
 * Pieces of a body that a cut or a tear has made separate meet each other, although the body has
 * no contact with itself: they lie on each other as bodies do, and nothing happens to them when
 * they become bodies.
 */
#include "edit_kit.h"

#include "base/random.h"
#include "scenes/scene.h"

#include <string.h>

enum { SECOND = 60, MOST_PIECES = 64, MOST_NEAR = 20000 };

/* A block of 20 by 10 by 20 cm on the ground, 80 kPa, of some 250 nodes. */
typedef struct block {
    lim_world* world;
    lim_body id;
    double cell;
} block;

static lim_model* block_model(int32_t nodes) {
    const int32_t cells[3] = {8, 4, 8};
    lim_mesh* mesh = NULL;
    lim_model* model = NULL;
    lim_model_desc desc = lim_model_desc_default();
    desc.kind = edit_kind;
    desc.node_count = nodes;
    CHECK(box_mesh(0.2, 0.1, 0.2, cells, NULL, &mesh) == LIM_OK);
    CHECK(lim_model_create(mesh, &desc, NULL, &model) == LIM_OK);
    lim_mesh_destroy(mesh);
    return model;
}

static block block_make(const lim_model* model, double height, int32_t threads) {
    block b = {.world = edit_world(NULL, threads)};
    lim_collider_desc ground = lim_collider_desc_default();
    lim_body_desc desc = lim_body_desc_default();
    desc.model = model;
    desc.position = p3(0, height, 0);
    desc.material.young = 8e4f;
    desc.material.density = 600.0f;
    CHECK(lim_collider_create(b.world, &ground, &(lim_collider){0}) == LIM_OK);
    CHECK(lim_body_create(b.world, &desc, &b.id) == LIM_OK);
    b.cell = (double)lim_model_get_info(model).cell_size;
    return b;
}

/* A blade through a place, square to a normal, far beyond every body. */
static lim_result cut_plane(lim_world* world, lim_body id, lim_point at, lim_point normal,
                            lim_edit_report* report) {
    lim_point aside = fabs(normal.x) < 0.6 ? p3(1, 0, 0) : p3(0, 0, 1);
    lim_point u = p3_cross(normal, aside);
    u = p3_scale(u, 1.0 / p3_length(u));
    lim_point w = p3_cross(normal, u);
    w = p3_scale(w, 1.0 / p3_length(w));
    const lim_point tips[2] = {p3_mad(p3_mad(at, u, -0.4), w, -0.4),
                               p3_mad(p3_mad(at, u, 0.4), w, -0.4)};
    const lim_point backs[2] = {p3_mad(p3_mad(at, u, -0.4), w, 0.4),
                                p3_mad(p3_mad(at, u, 0.4), w, 0.4)};
    lim_cut_desc desc = lim_cut_desc_default();
    desc.count = 2;
    desc.tips = tips;
    desc.backs = backs;
    return lim_body_cut(world, id, &desc, report);
}

static double energy_of(const lim_world* world) {
    double sum = 0.0;
    for (lim_body b = lim_body_next(world, (lim_body){0}); b.generation != 0;
         b = lim_body_next(world, b)) {
        lim_body_motion m = edit_motion(world, b);
        sum += m.kinetic + m.elastic + m.potential;
    }
    return sum;
}

static int32_t pieces_of(const lim_world* world, lim_body id) {
    return world->bodies[id.index]->body.topology->component_count;
}

/* ---- how deep pieces are in each other ----------------------------------------------------------
 */

/* Of the skin's points that are in another body or less than half a cell away from it: how deep
 * they are, in cells. */
typedef struct depths {
    int32_t count;
    float deep[MOST_NEAR];
} depths;

/* Whether a place is inside a closed skin: triangles are seen from it under angles that add up to
 * 4 pi (van Oosterom, Strackee 1983). At a sharp edge the side of the nearest triangle says
 * nothing. */
static bool is_inside(const lim_skin_view* skin, lim_point at) {
    double sum = 0.0;
    for (int32_t i = 0; i < skin->triangle_count; ++i) {
        lim_point r[3];
        double far[3];
        for (int k = 0; k < 3; ++k) {
            const float* p = skin->positions + 3 * (size_t)skin->indices[3 * i + k];
            r[k] = p3_add(skin->origin, p3((double)p[0], (double)p[1], (double)p[2]));
            r[k] = p3_sub(r[k], at);
            far[k] = p3_length(r[k]);
        }
        double down = far[0] * far[1] * far[2] + p3_dot(r[0], r[1]) * far[2] +
                      p3_dot(r[1], r[2]) * far[0] + p3_dot(r[2], r[0]) * far[1];
        sum += 2.0 * atan2(p3_dot(r[0], p3_cross(r[1], r[2])), down);
    }
    return sum > 2.0 * 3.14159265358979;
}

static void add_depths(const lim_world* world, lim_body a, lim_body b, double cell, depths* out) {
    lim_skin_view skin, other;
    CHECK(lim_body_get_skin(world, a, &skin) == LIM_OK);
    CHECK(lim_body_get_skin(world, b, &other) == LIM_OK);
    for (int32_t i = 0; i < skin.vertex_count && out->count < MOST_NEAR; ++i) {
        const float* p = skin.positions + 3 * (size_t)i;
        lim_point at = p3_add(skin.origin, p3((double)p[0], (double)p[1], (double)p[2]));
        lim_hit hit;
        CHECK(lim_body_closest_point(world, b, at, &hit) == LIM_OK);
        lim_point away = p3_sub(at, hit.point);
        double side = p3_dot(away, p3_of(hit.normal)), far = p3_length(away);
        bool deep = side < -0.9 * far && is_inside(&other, at);
        if (far < 0.5 * cell || deep) {
            out->deep[out->count++] = (float)(deep ? far / cell : 0.0);
        }
    }
}

static int compare_floats(const void* a, const void* b) {
    float x = *(const float*)a, y = *(const float*)b;
    return (x > y) - (x < y);
}

/* Between all pieces, as they would be split off now; the world is left as it was. */
static void measure_depths(lim_world* world, lim_body id, double cell, depths* out) {
    lim_snapshot* now = NULL;
    lim_body part[MOST_PIECES] = {id};
    int32_t made = 0;
    out->count = 0;
    CHECK(lim_snapshot_create(world, &now) == LIM_OK);
    CHECK(lim_body_split(world, id, part + 1, MOST_PIECES - 1, &made) == LIM_OK);
    for (int32_t i = 0; i <= made; ++i) {
        for (int32_t k = 0; k <= made; ++k) {
            if (i != k) {
                add_depths(world, part[i], part[k], cell, out);
            }
        }
    }
    qsort(out->deep, (size_t)out->count, sizeof *out->deep, compare_floats);
    CHECK(lim_snapshot_restore(world, now) == LIM_OK);
    lim_snapshot_destroy(now);
}

static double depth_at(const depths* d, double share) {
    int32_t at = (int32_t)(share * (double)d->count);
    return d->count == 0 ? 0.0 : (double)d->deep[at < d->count ? at : d->count - 1];
}

static depths found;

/* ---- on each other ------------------------------------------------------------------------------
 */

/* Of a block that rests, cut a little askew at half its height. */
static block cut_block(const lim_model* model, int32_t threads) {
    block b = block_make(model, 0.0505, threads);
    lim_edit_report report;
    edit_steps(b.world, SECOND);
    CHECK(cut_plane(b.world, b.id, p3(0, 0.0513, 0), p3(0.01, 1, 0.005), &report) == LIM_OK);
    CHECK(report.pieces == 2);
    return b;
}

static void halves_rest_on_each_other(void) {
    lim_model* model = block_model(250);
    block b = cut_block(model, 1);
    double top = edit_motion(b.world, b.id).bounds.upper.y, most = 0.0;
    int32_t contacts = 0;
    for (int i = 0; i < 4 * SECOND; ++i) {
        edit_steps(b.world, 1);
        contacts += lim_world_get_report(b.world).body_contacts;
        if (i % 20 == 0) {
            measure_depths(b.world, b.id, b.cell, &found);
            most = fmax(most, depth_at(&found, 0.99));
        }
    }
    measure_depths(b.world, b.id, b.cell, &found);
    lim_body_motion m = edit_motion(b.world, b.id);
    printf("  99 %% within %.4f of a cell, at most %.4f; top %.2f %% of a cell lower\n", most,
           depth_at(&found, 1.0), 100.0 * (top - m.bounds.upper.y) / b.cell);
    CHECK(contacts > 0 && found.count > 50);
    CHECK(most < 0.02 && depth_at(&found, 1.0) < 0.1);
    CHECK(fabs(top - m.bounds.upper.y) < 0.05 * b.cell);
    CHECK(m.asleep || edit_kind == LIM_KIND_HEX); /* its contact trembles (docs/limits.md) */
    lim_world_destroy(b.world);
    lim_model_destroy(model);
}

/* Energy after it does not grow, nor does anything rise. */
static void splits_change_nothing(void) {
    const int wait[] = {0, 1, 30, 120};
    lim_model* model = block_model(250);
    for (int k = 0; k < 4; ++k) {
        block b = cut_block(model, 1);
        edit_steps(b.world, wait[k]);
        double before = energy_of(b.world), top = edit_motion(b.world, b.id).bounds.upper.y;
        lim_body piece;
        int32_t made = 0;
        CHECK(lim_body_split(b.world, b.id, &piece, 1, &made) == LIM_OK && made == 1);
        double after = energy_of(b.world), most = after, risen = 0.0, fast = 0.0;
        for (int i = 0; i < SECOND; ++i) {
            edit_steps(b.world, 1);
            most = fmax(most, energy_of(b.world));
            for (int j = 0; j < 2; ++j) {
                lim_body_motion m = edit_motion(b.world, j == 0 ? b.id : piece);
                risen = fmax(risen, m.bounds.upper.y - top);
                fast = fmax(fast, m.speed);
            }
        }
        printf(
            "  split after %3d steps: energy %+.4f %% at once, then %+.4f %%; rises by %.4f of a "
            "cell, at most %.4f m/s\n",
            wait[k], 100 * (after / before - 1), 100 * (most / after - 1), risen / b.cell, fast);
        CHECK(fabs(after / before - 1.0) < 1e-4);
        bool trembles = edit_kind == LIM_KIND_HEX; /* docs/limits.md */
        CHECK(most < (trembles ? 1.08 : 1.005) * after);
        CHECK(risen < 0.03 * b.cell);
        CHECK(fast < (trembles ? 0.15 : 0.05));
        lim_world_destroy(b.world);
    }
    lim_model_destroy(model);
}

/* The piece of scene `finger` slides off its stump, and does not leap off it. */
static void cut_fingers_do_not_leap(void) {
    const scene_entry* entry = scene_find("finger");
    scene* s = NULL;
    scene_run* run = NULL;
    lim_io_message message;
    CHECK(entry != NULL &&
          scene_parse(entry->text, entry->size, "finger", NULL, NULL, &s, &message) == LIM_OK);
    CHECK(scene_start(s, NULL, NULL, &run, &message) == LIM_OK);
    const lim_world* world = scene_run_world(run);
    const world_body* hand = world->bodies[scene_run_body_at(run, 0).body.index];
    double high = -HUGE_VAL, begin = 0.0, cell = 0.0;
    while (scene_run_time(run) < 2.0) {
        CHECK(scene_step(run, NULL) == LIM_OK);
        double at = 0.0;
        if (scene_run_body_count(run) > 1) {
            at = edit_motion(world, scene_run_body_at(run, 1).body).centre.y;
        } else if (hand->body.topology->component_count == 2) {
            const component* c = hand->body.components;
            c += c[1].mass < c[0].mass;
            at = node_to_world(c, body_metres(&hand->body), c->centre).y;
        } else {
            continue;
        }
        cell = (double)hand->body.topology->cell * body_metres(&hand->body);
        begin = high < 0.0 ? at : begin;
        high = fmax(high, at);
    }
    printf("  the finger rises by %.3f of a cell\n", (high - begin) / cell);
    CHECK(scene_run_body_count(run) == 2);
    CHECK(high - begin < 0.2 * cell);
    scene_stop(run);
    scene_destroy(s);
}

/* ---- many pieces --------------------------------------------------------------------------------
 */

/* Random planes near the middle of a body, at once. */
static int32_t cut_at_random(lim_world* world, lim_body id, int count, uint64_t seed) {
    random_stream r = random_seed(seed);
    for (int i = 0; i < count; ++i) {
        lim_point c = edit_motion(world, id).centre;
        lim_point at = p3_add(c, p3((double)random_range(&r, -0.05f, 0.05f),
                                    (double)random_range(&r, -0.02f, 0.02f),
                                    (double)random_range(&r, -0.05f, 0.05f)));
        lim_point n = p3((double)random_range(&r, -1, 1), (double)random_range(&r, -1, 1),
                         (double)random_range(&r, -1, 1));
        lim_result result = cut_plane(world, id, at, p3_scale(n, 1.0 / p3_length(n)), NULL);
        CHECK(result == LIM_OK || result == LIM_ERROR_UNSUPPORTED);
    }
    return pieces_of(world, id);
}

static int32_t least_nodes(const lim_world* world, lim_body id) {
    const topology* t = world->bodies[id.index]->body.topology;
    int32_t least = t->node_count;
    for (int32_t c = 0; c < t->component_count; ++c) {
        int32_t own = 0;
        for (int32_t i = t->component_begin[c]; i < t->component_begin[c + 1]; ++i) {
            own += t->slot_node[i] >= 0;
        }
        least = own < least ? own : least;
    }
    return least;
}

static void many_pieces_gain_no_energy(void) {
    enum { STEPS = 3 * SECOND };
    const int runs = test_long ? 40 : 2;
    lim_model* model = block_model(250);
    for (int k = 0; k < runs; ++k) {
        bool hangs = k % 2 == 1;
        block b = block_make(model, hangs ? 0.3 : 0.0505, 1);
        if (hangs) {
            lim_pin_desc pin = lim_pin_desc_default();
            pin.body = b.id;
            pin.shape = LIM_SHAPE_BOX;
            pin.size = (lim_vec3){0.2f, 0.015f, 0.2f};
            pin.position = p3(0, 0.35, 0);
            CHECK(lim_pin_create(b.world, &pin, &(lim_pin){0}) == LIM_OK);
        }
        edit_steps(b.world, SECOND);
        int32_t count = cut_at_random(b.world, b.id, 3, 77 + (uint64_t)k);
        int32_t least = least_nodes(b.world, b.id);
        static double energy[STEPS + 1];
        double growth = 0.0, scale = 0.0, fast = 0.0;
        for (int i = 0; i <= STEPS; ++i) {
            energy[i] = energy_of(b.world);
            scale = fmax(scale, fabs(energy[i]));
            for (int j = i > SECOND ? i - SECOND : 0; j < i; ++j) {
                growth = fmax(growth, energy[i] - energy[j]);
            }
            edit_steps(b.world, 1);
            fast = fmax(fast, edit_motion(b.world, b.id).speed);
        }
        measure_depths(b.world, b.id, b.cell, &found);
        printf("  %2d %s: %d pieces of %d nodes or more; energy %.3f J grows by %.4f %% at most; "
               "at most %.2f m/s, %.2f "
               "at the end; 99 %% within %.4f of a cell, at most %.3f\n",
               k, hangs ? "hangs" : "lies", count, least, scale, 100 * growth / scale, fast,
               edit_motion(b.world, b.id).speed, depth_at(&found, 0.99), depth_at(&found, 1.0));
        CHECK(count > 2);
        if (least > 12) { /* crumbs may tremble, and take up more */
            CHECK(growth < 0.005 * scale);
            CHECK(depth_at(&found, 0.99) < 0.05);
        }
        CHECK(fast < 6.0);
        lim_world_destroy(b.world);
    }
    lim_model_destroy(model);
}

/* ---- torn ---------------------------------------------------------------------------------------
 */

/* Velocities along x: `spread` times x, and `towards` the middle for pieces on either side of it.
 */
static void push_along(lim_world* world, lim_body id, double spread, double towards) {
    const body* b = &world->bodies[id.index]->body;
    int32_t count = b->topology->node_count;
    double* at = malloc(3 * (size_t)count * sizeof *at);
    float* v = calloc(3 * (size_t)count, sizeof *v);
    CHECK(lim_body_get_nodes(world, id, at, NULL, count) == LIM_OK);
    for (int32_t i = 0; i < count; ++i) {
        const component* c = &b->components[b->topology->slot_component[b->topology->node_slot[i]]];
        double middle = node_to_world(c, body_metres(b), c->centre).x;
        v[3 * i] = (float)(spread * at[3 * i] + (middle < 0.0 ? towards : -towards));
    }
    CHECK(lim_body_set_nodes(world, id, NULL, v, count) == LIM_OK);
    free(at);
    free(v);
}

/* A bar that is pulled apart in free space, and pushed together again. */
static void torn_pieces_meet(void) {
    lim_model* model = edit_bar(400, 0, NULL);
    lim_world* world = edit_world(NULL, 1);
    lim_body id = edit_body(world, model, 0, 0);
    lim_world_set_gravity(world, (lim_vec3){0, 0, 0});
    lim_zone seam = lim_zone_default();
    seam.size = (lim_vec3){0.03f, 0.5f, 0.5f};
    seam.shape = LIM_SHAPE_BOX;
    seam.stiffness = 0.2f;
    lim_fracture fracture = lim_fracture_default();
    fracture.strain = 0.5f;
    fracture.most = 0;
    fracture.zones = &seam;
    fracture.zone_count = 1;
    CHECK(lim_body_set_fracture(world, id, &fracture) == LIM_OK);
    for (int i = 0; i < SECOND && pieces_of(world, id) == 1; ++i) {
        push_along(world, id, 6.0, 0.0);
        edit_steps(world, 1);
    }
    int32_t count = pieces_of(world, id);
    CHECK(count > 1);
    CHECK(lim_body_set_fracture(world, id, NULL) == LIM_OK);
    push_along(world, id, 0.0, 1.0);
    double cell = (double)lim_model_get_info(model).cell_size, most = 0.0;
    for (int i = 0; i < SECOND; ++i) {
        edit_steps(world, 1);
        if (i % 5 == 0) {
            measure_depths(world, id, cell, &found);
            most = fmax(most, depth_at(&found, 0.99));
        }
    }
    lim_box bounds = edit_motion(world, id).bounds;
    printf("  torn into %d; 99 %% within %.3f of a cell; %.2f m long after it\n", count, most,
           bounds.upper.x - bounds.lower.x);
    CHECK(most < 0.1);
    CHECK(bounds.upper.x - bounds.lower.x > 1.1);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* ---- who does not meet --------------------------------------------------------------------------
 */

/* Two boxes side by side, 10 cm apart: one of 20 cm, and one of `size`. */
static lim_model* two_boxes(double size) {
    double corners[48];
    uint32_t faces[72];
    const uint32_t one[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                              2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    for (int i = 0; i < 16; ++i) {
        double edge = i < 8 ? 0.2 : size;
        corners[3 * i] = (i & 1 ? edge : 0.0) + (i < 8 ? -0.25 : 0.05);
        corners[3 * i + 1] = (i & 2 ? edge : 0.0) - 0.1;
        corners[3 * i + 2] = (i & 4 ? edge : 0.0) - 0.1;
    }
    for (uint32_t i = 0; i < 72; ++i) {
        faces[i] = one[i % 36] + (i < 36 ? 0 : 8);
    }
    lim_mesh_desc surface = lim_mesh_desc_default();
    surface.vertex_count = 16;
    surface.positions = corners;
    surface.triangle_count = 24;
    surface.indices = faces;
    lim_model_desc desc = lim_model_desc_default();
    desc.kind = edit_kind;
    desc.node_count = 400;
    lim_mesh* mesh = NULL;
    lim_model* model = NULL;
    CHECK(lim_mesh_create(&surface, NULL, &mesh) == LIM_OK);
    CHECK(lim_model_create(mesh, &desc, NULL, &model) == LIM_OK);
    lim_mesh_destroy(mesh);
    return model;
}

/* Parts that were apart from the first go through each other as they did; the halves of each meet.
 * As they are after saving and loading too. */
static void only_what_was_one_meets(void) {
    lim_model* model = two_boxes(0.2);
    lim_world* world = edit_world(NULL, 1);
    lim_world_set_gravity(world, (lim_vec3){0, 0, 0});
    lim_body id = edit_body(world, model, 0, 0);
    CHECK(pieces_of(world, id) == 2);
    push_along(world, id, 0.0, 0.5); /* towards each other */
    for (int i = 0; i < SECOND; ++i) {
        edit_steps(world, 1);
        CHECK(lim_world_get_report(world).body_contacts == 0);
    }
    CHECK(lim_body_reset(world, id) == LIM_OK);
    CHECK(cut_plane(world, id, p3(0, 0.003, 0), p3(0.01, 1, 0.005), NULL) == LIM_OK);
    CHECK(pieces_of(world, id) == 4);
    size_t size = 0;
    CHECK(lim_world_save(world, NULL, 0, &size) == LIM_OK);
    unsigned char* bytes = malloc(size);
    CHECK(lim_world_save(world, bytes, size, &size) == LIM_OK);
    lim_world_destroy(world);
    CHECK(lim_world_load(bytes, size, 1, NULL, &world) == LIM_OK);
    free(bytes);
    push_along(world, id, 0.0, 0.5);
    int32_t contacts = 0;
    for (int i = 0; i < SECOND; ++i) {
        edit_steps(world, 1);
        contacts += lim_world_get_report(world).body_contacts;
    }
    const body* b = &world->bodies[id.index]->body;
    CHECK(contacts > 0);
    for (int32_t c = 0; c < 4; ++c) { /* each has gone on as it came */
        double speed = dquat_rotate(b->components[c].rotation, b->components[c].velocity).x;
        CHECK_NEAR(fabs(speed) * body_metres(b), 0.5, 1e-3);
    }
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* A body that does not meet its like has pieces that do not either, before a split and after. */
static void masks_count(void) {
    lim_model* model = block_model(250);
    lim_world* world = edit_world(NULL, 1);
    lim_body_desc desc = lim_body_desc_default();
    lim_body id;
    desc.model = model;
    desc.mask = 0;
    desc.position = p3(0, 0.0505, 0);
    CHECK(lim_body_create(world, &desc, &id) == LIM_OK);
    CHECK(cut_plane(world, id, p3(0, 0.0513, 0), p3(0.01, 1, 0.005), NULL) == LIM_OK);
    for (int i = 0; i < 10; ++i) {
        edit_steps(world, 1);
        CHECK(lim_world_get_report(world).body_contacts == 0);
    }
    CHECK(edit_split(world, id) == 1);
    edit_steps(world, 1);
    CHECK(lim_world_get_report(world).body_contacts == 0);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* A piece of one node does not say how it is turned: rounding must not. */
static void lone_nodes_do_not_turn(void) {
    lim_model* model = two_boxes(0.01);
    lim_world* world = edit_world(NULL, 1);
    lim_world_set_gravity(world, (lim_vec3){0, 0, 0});
    lim_body id = edit_body(world, model, 0, 0);
    const body* b = &world->bodies[id.index]->body;
    const topology* t = b->topology;
    CHECK(t->component_count == 2);
    int32_t lone = t->component_begin[1] - t->component_begin[0] > 8 ? 1 : 0, count = 0;
    for (int32_t i = t->component_begin[lone]; i < t->component_begin[lone + 1]; ++i) {
        count += t->slot_node[i] >= 0;
    }
    CHECK(count == topology_ends(t));
    CHECK(lim_body_set_velocity(world, id, (lim_vec3){0.1f, 0.2f, -0.1f}, (lim_vec3){0, 0, 0}) ==
          LIM_OK);
    for (int i = 0; i < SECOND; ++i) {
        edit_steps(world, 1);
        CHECK(fabs(b->components[lone].rotation.w) > 0.9999);
    }
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* ---- state --------------------------------------------------------------------------------------
 */

enum { CHAPTERS = 5 };

/* What happens to a block that was cut: rest, cells that are split, a cut through both halves. */
static void tell(lim_world* world, lim_body id, int chapter) {
    lim_refine_desc ball = edit_ball(0.05, 0.08, 0.03, 0.0);
    lim_result refined = edit_of_levels();
    edit_steps(world, 5);
    if (chapter == 1) {
        CHECK(lim_body_refine(world, id, &ball, NULL) == refined);
    } else if (chapter == 2) {
        CHECK(cut_plane(world, id, p3(0.01, 0.05, 0), p3(1, 0.02, 0.1), NULL) == LIM_OK);
    } else if (chapter == 3) {
        CHECK(lim_body_apply_impulse(world, id, p3(0, 0.1, 0), (lim_vec3){0.5f, 1.0f, 0.2f}) ==
              LIM_OK);
    }
    edit_steps(world, 5);
}

static void pieces_go_on_the_same(void) {
    lim_model* model = block_model(250);
    uint64_t told[CHAPTERS + 1];
    for (int threads = 1; threads <= 3; threads += 2) {
        block b = cut_block(model, threads);
        for (int k = 0; k <= CHAPTERS; ++k) {
            told[k] = threads == 1 ? lim_world_hash(b.world) : told[k];
            CHECK(lim_world_hash(b.world) == told[k]);
            if (k < CHAPTERS) {
                tell(b.world, b.id, k);
            }
        }
        CHECK(pieces_of(b.world, b.id) == 4);
        lim_world_destroy(b.world);
    }
    block b = cut_block(model, 1);
    for (int k = 0; k < CHAPTERS; ++k) {
        lim_snapshot* shot = NULL;
        size_t size = 0;
        lim_world* twin = NULL;
        CHECK(lim_world_save(b.world, NULL, 0, &size) == LIM_OK);
        unsigned char* bytes = malloc(size);
        CHECK(lim_world_save(b.world, bytes, size, &size) == LIM_OK);
        CHECK(lim_world_load(bytes, size, 1, NULL, &twin) == LIM_OK);
        free(bytes);
        CHECK(lim_snapshot_create(b.world, &shot) == LIM_OK);
        for (int i = k; i < CHAPTERS; ++i) {
            tell(twin, b.id, i);
            tell(b.world, b.id, i);
        }
        CHECK(lim_world_hash(twin) == told[CHAPTERS]);
        CHECK(lim_world_hash(b.world) == told[CHAPTERS]);
        CHECK(lim_snapshot_restore(b.world, shot) == LIM_OK);
        lim_snapshot_destroy(shot);
        lim_world_destroy(twin);
        tell(b.world, b.id, k);
        CHECK(lim_world_hash(b.world) == told[k + 1]);
    }
    lim_world_destroy(b.world);
    lim_model_destroy(model);
}

TEST_SUITE(piece_contact) {
    TEST_BEGIN(argc, argv);
    RUN(halves_rest_on_each_other);
    RUN(splits_change_nothing);
    RUN(many_pieces_gain_no_energy);
    RUN(cut_fingers_do_not_leap);
    RUN(torn_pieces_meet);
    RUN(only_what_was_one_meets);
    RUN(masks_count);
    RUN(lone_nodes_do_not_turn);
    RUN(pieces_go_on_the_same);
    RUN_OTHERS(halves_rest_on_each_other);
    RUN_OTHERS(splits_change_nothing);
    RUN_OTHERS(many_pieces_gain_no_energy);
    RUN_OTHERS(torn_pieces_meet);
    RUN_OTHERS(only_what_was_one_meets);
    RUN_OTHERS(pieces_go_on_the_same);
    TEST_END();
}
