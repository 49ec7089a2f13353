/* SPDX-License-Identifier: MIT
 * What tests of edits at the public border begin with: a bar of cells of two sizes, a world whose
 * log is kept, straight blades through the bar, a patient that is held in every way there is.
 */
#ifndef LIMBER_EDIT_KIT_H
#define LIMBER_EDIT_KIT_H

#include <limber/limber.h>

#include "base/isa.h"
#include "failing_host.h"
#include "kind_rows.h"
#include "scenes/models.h"
#include "test.h"
#include "world/world.h"

/* What bars are made of: the default, or another kind that can be edited. Cells of one size are so
 * whatever is asked. */
static lim_kind edit_kind = LIM_KIND_OCTREE;
static inline bool edit_has_levels(void) {
    return lim_kind_get_info(edit_kind).levels;
}
static inline lim_result edit_of_levels(void) {
    return edit_has_levels() ? LIM_OK : LIM_ERROR_UNSUPPORTED;
}

/* Runs a test of edits over a bar of each other kind. */
#define RUN_OTHERS(test)                                                                           \
    do {                                                                                           \
        for (int k = 1; (k = kind_edited(k)) >= 0; ++k) {                                          \
            edit_kind = kind_id(k);                                                                \
            printf("of a %s:\n", kind_info(k).name);                                               \
            RUN(test);                                                                             \
        }                                                                                          \
        edit_kind = LIM_KIND_OCTREE;                                                               \
    } while (0)

/* A bar of 1.2 by 0.3 by 0.3 metres along x. */
static inline lim_model* edit_bar(int32_t nodes, int32_t coarsen, const lim_host* host) {
    const int32_t cells[3] = {24, 6, 6};
    lim_mesh* mesh = NULL;
    lim_model* model = NULL;
    lim_model_desc desc = lim_model_desc_default();
    desc.kind = edit_kind;
    desc.node_count = nodes;
    desc.coarsen = coarsen;
    CHECK(box_mesh(1.2, 0.3, 0.3, cells, NULL, &mesh) == LIM_OK);
    CHECK(lim_model_create(mesh, &desc, host, &model) == LIM_OK);
    lim_mesh_destroy(mesh);
    return model;
}

static inline lim_world* edit_world(const lim_host* host, int32_t threads) {
    lim_world_desc desc = lim_world_desc_default();
    lim_world* world = NULL;
    desc.workers = threads;
    CHECK(lim_world_create(&desc, host, &world) == LIM_OK);
    return world;
}

/* Its middle at (x, y, 0). */
static inline lim_body edit_body(lim_world* world, const lim_model* model, double x, double y) {
    lim_body_desc desc = lim_body_desc_default();
    lim_body id = {0};
    desc.model = model;
    desc.position = (lim_point){x, y, 0};
    desc.material.young = 100e3f;
    CHECK(lim_body_create(world, &desc, &id) == LIM_OK);
    return id;
}

static inline void edit_steps(lim_world* world, int count) {
    for (int i = 0; i < count; ++i) {
        CHECK(lim_world_step(world, 1.0f / 60.0f) == LIM_OK);
    }
}

/* A blade that stands across a bar (along z) and goes down from `from` to `to` metres above its
 * middle, at x; a little askew, as no hand is straight. */
enum { EDIT_STATIONS = 4 };
typedef struct edit_sweep {
    lim_point tip[EDIT_STATIONS], back[EDIT_STATIONS];
} edit_sweep;

static inline edit_sweep edit_blade_at(double x, double y, double from, double to) {
    edit_sweep s;
    for (int i = 0; i < EDIT_STATIONS; ++i) {
        double u = (double)i / (EDIT_STATIONS - 1), h = y + from + (to - from) * u;
        s.tip[i] = (lim_point){x + 0.011 * u, h, -0.31};
        s.back[i] = (lim_point){x + 0.017 - 0.007 * u, h + 0.003, 0.29};
    }
    return s;
}

static inline lim_cut_desc edit_cut_desc(const edit_sweep* s, bool goes_on, int32_t refine) {
    lim_cut_desc desc = lim_cut_desc_default();
    desc.count = EDIT_STATIONS;
    desc.tips = s->tip;
    desc.backs = s->back;
    desc.continues = goes_on;
    desc.refine = refine;
    return desc;
}

/* Sweeps of edit_blade_at begin a little beside where the one before ended, which the border
 * refuses. The stroke is told that it ended there: what is kept of it at rest stays, and so do the
 * hashes of what is cut. */
static inline void edit_move_stroke(lim_world* world, lim_body id, const edit_sweep* s) {
    if (lim_body_get_stroke(world, id, NULL, NULL)) {
        world->bodies[id.index]->stroke.tip = s->tip[0];
        world->bodies[id.index]->stroke.back = s->back[0];
    }
}

static inline lim_result edit_cut_at(lim_world* world, lim_body id, double x, double y, double from,
                                     double to, bool goes_on, lim_edit_report* report) {
    edit_sweep s = edit_blade_at(x, y, from, to);
    lim_cut_desc desc = edit_cut_desc(&s, goes_on, 0);
    if (goes_on) {
        edit_move_stroke(world, id, &s);
    }
    return lim_body_cut(world, id, &desc, report);
}

/* All pieces that have come off; how many. */
static inline int32_t edit_split(lim_world* world, lim_body id) {
    lim_body made[64];
    int32_t count = 0;
    CHECK(lim_body_split(world, id, made, 64, &count) == LIM_OK);
    return count;
}

static inline lim_refine_desc edit_ball(double x, double y, double radius, double cell) {
    lim_refine_desc desc = lim_refine_desc_default();
    desc.size.x = (float)radius;
    desc.position = (lim_point){x, y, 0};
    desc.cell_size = (float)cell;
    return desc;
}

static inline lim_body_motion edit_motion(const lim_world* world, lim_body id) {
    lim_body_motion m = {0};
    CHECK(lim_body_get_motion(world, id, &m) == LIM_OK);
    return m;
}

static inline int32_t edit_nodes(const lim_world* world, lim_body id) {
    return world->bodies[id.index]->body.topology->node_count;
}

static inline lim_pin edit_pin(lim_world* world, lim_body id, double x, double y, double half,
                               float stiffness) {
    lim_pin_desc desc = lim_pin_desc_default();
    lim_pin pin = {0};
    desc.body = id;
    desc.shape = LIM_SHAPE_BOX;
    desc.size = (lim_vec3){(float)half, 0.4f, 0.4f};
    desc.position = (lim_point){x, y, 0};
    desc.stiffness = stiffness;
    CHECK(lim_pin_create(world, &desc, &pin) == LIM_OK);
    return pin;
}

static inline lim_grab edit_grab(lim_world* world, lim_body id, double x, double y, bool hard) {
    lim_grab_desc desc = lim_grab_desc_default();
    lim_grab grab = {0};
    desc.body = id;
    desc.point = (lim_point){x, y, 0};
    desc.hard = hard;
    CHECK(lim_grab_create(world, &desc, &grab) == LIM_OK);
    return grab;
}

/* The material of `id` within 12 cm of (x, y) on that of `other`. */
static inline lim_link edit_link(lim_world* world, lim_body id, lim_body other, double x,
                                 double y) {
    lim_link_desc desc = lim_link_desc_default();
    lim_link link = {0};
    desc.body = id;
    desc.other = other;
    desc.size.x = 0.12f;
    desc.position = (lim_point){x, y, 0};
    CHECK(lim_link_create(world, &desc, &link) == LIM_OK);
    return link;
}

/* Everything that a body can carry: a bar of clay with stiffness of its own at (0, 1), pinned at
 * its left end, grabbed at its right one, linked to a bar below it, which is linked to it. */
typedef struct edit_patient {
    lim_world* world;
    lim_body bar, below;
    lim_pin pin, soft;
    lim_grab grab;
    lim_link down, up;
} edit_patient;

static inline edit_patient edit_patient_make(const lim_model* model, const lim_host* host,
                                             int32_t threads, isa set) {
    edit_patient p = {.world = edit_world(host, threads)};
    p.world->set = set;
    p.bar = edit_body(p.world, model, 0, 1);
    p.below = edit_body(p.world, model, 0.1, 0.69);
    lim_material m;
    CHECK(lim_body_get_material(p.world, p.bar, &m) == LIM_OK);
    m.yield = 0.02f;
    m.volume = 0.3f;
    CHECK(lim_body_set_material(p.world, p.bar, &m) == LIM_OK);
    lim_zone zone = lim_zone_default();
    zone.size.x = 0.2f;
    zone.stiffness = 3.0f;
    CHECK(lim_body_set_zones(p.world, p.bar, &zone, 1) == LIM_OK);
    p.pin = edit_pin(p.world, p.bar, -0.6, 1, 0.1, 0.0f);
    p.soft = edit_pin(p.world, p.bar, 0.05, 1, 0.06, 2e4f);
    p.grab = edit_grab(p.world, p.bar, 0.6, 1, false);
    p.down = edit_link(p.world, p.bar, p.below, 0.3, 0.85);
    p.up = edit_link(p.world, p.below, p.bar, -0.3, 0.83);
    return p;
}

#endif
