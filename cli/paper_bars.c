/* SPDX-License-Identifier: MIT
 * Job: 001.fig3. In: nothing. Out: one bar, twisted by a half turn and bent by a quarter, as a few
 * linear shapes, as a few quadratic ones (Mueller et al. 2005) and as a lattice: how far the
 * lengths between neighbours are off, how much the surface kinks, and a picture. All have the same
 * particles: the corners of the lattice.
 */
#include "cli/paper_lattice.h"

#include "cli/stage.h"
#include "math/quat.h"
#include "math/trig.h"
#include "scenes/models.h"

#include <math.h>
#include <string.h>

typedef enum bar_kind { BAR_LINEAR, BAR_QUADRATIC, BAR_LATTICE, BAR_KINDS } bar_kind;
static const char* const kind_names[BAR_KINDS] = {"linear", "quadratic", "lattice"};

enum { CLUSTERS = 3 };
static const float CELL = 0.25f / 6.0f; /* six across the bar */
static const double MOVE = 2.0, HOLD = 2.0;
static const float DT = 1.0f / 60.0f;

typedef struct bar {
    lim_model* model;
    lim_world* world;
    lim_body body;
    lim_pin turning;
} bar;

static lim_result make_model(const lim_mesh* mesh, const lim_model* lattice, bar_kind kind,
                             const lim_host* host, lim_model** out) {
    lim_model_desc desc = lim_model_desc_default();
    if (kind == BAR_LATTICE) {
        desc.kind = LIM_KIND_LATTICE;
        desc.cell_size = CELL;
        return lim_model_create(mesh, &desc, host, out);
    }
    lim_model_nodes nodes = lim_model_get_nodes(lattice);
    lim_point centre = lim_model_get_info(lattice).centre;
    arena scratch;
    arena_init(&scratch, host);
    double* points = ARENA_ARRAY(&scratch, double, 3 * (int64_t)nodes.count);
    lim_result result = points == NULL ? LIM_ERROR_MEMORY : LIM_OK;
    if (points != NULL) {
        for (int32_t i = 0; i < nodes.count; ++i) {
            points[3 * (size_t)i] = (double)nodes.x[i] + centre.x;
            points[3 * (size_t)i + 1] = (double)nodes.y[i] + centre.y;
            points[3 * (size_t)i + 2] = (double)nodes.z[i] + centre.z;
        }
        desc.kind = LIM_KIND_POINTS;
        desc.points = points;
        desc.point_count = nodes.count;
        desc.clusters = CLUSTERS;
        result = lim_model_create(mesh, &desc, host, out);
    }
    arena_release(&scratch);
    return result;
}

static lim_result make_world(bar* b, bar_kind kind, const lim_host* host) {
    lim_world_desc desc = lim_world_desc_default();
    desc.gravity = (lim_vec3){0.0f, 0.0f, 0.0f};
    desc.sleep = false;
    lim_result result = lim_world_create(&desc, host, &b->world);
    if (result == LIM_OK) {
        lim_body_desc body = lim_body_desc_default();
        body.model = b->model;
        body.position = lim_model_get_info(b->model).centre;
        body.material.damping_time = 0.3f;
        body.material.goal = kind == BAR_LINEAR      ? LIM_GOAL_LINEAR
                             : kind == BAR_QUADRATIC ? LIM_GOAL_QUADRATIC
                                                     : LIM_GOAL_RIGID;
        body.material.beta = kind == BAR_LATTICE ? body.material.beta : 0.9f;
        result = lim_body_create(b->world, &body, &b->body);
    }
    for (int32_t side = 0; side < 2 && result == LIM_OK; ++side) {
        lim_pin_desc pin = lim_pin_desc_default();
        pin.body = b->body;
        pin.shape = LIM_SHAPE_BOX;
        pin.size = (lim_vec3){0.06f, 0.3f, 0.3f};
        pin.position = (lim_point){side == 0 ? -0.5 : 0.5, 0.125, 0.0};
        result = lim_pin_create(b->world, &pin, &b->turning);
    }
    return result;
}

/* The free end goes up along a quarter of a circle and turns about the bar's own axis by half a
 * turn. */
static lim_result move_end(bar* b, double share) {
    double bend = share * 0.5 * TRIG_PI, twist = share * TRIG_PI, radius = 1.0 / (0.5 * TRIG_PI);
    dquat about_z = {0.0, 0.0, trig_sin(0.5 * bend), trig_cos(0.5 * bend)};
    dquat about_x = {trig_sin(0.5 * twist), 0.0, 0.0, trig_cos(0.5 * twist)};
    double reach = share > 0.0 ? radius / share : 0.0;
    lim_point at = {-0.5 + (share > 0.0 ? reach * trig_sin(bend) : 1.0),
                    0.125 + (share > 0.0 ? reach * (1.0 - trig_cos(bend)) : 0.0), 0.0};
    return lim_pin_move(b->world, b->turning, at, quat_of(dquat_mul(about_z, about_x)));
}

static lim_result deform(bar* b, bool quick) {
    int32_t moving = (int32_t)((quick ? 0.5 : 1.0) * MOVE / (double)DT);
    int32_t steps = moving + (int32_t)((quick ? 0.25 : 1.0) * HOLD / (double)DT);
    for (int32_t i = 0; i < steps; ++i) {
        lim_result result = i < moving ? move_end(b, (i + 1.0) / moving) : LIM_OK;
        result = result == LIM_OK ? lim_world_step(b->world, DT) : result;
        if (result != LIM_OK) {
            return result;
        }
    }
    return LIM_OK;
}

/* Relative errors of the lengths of the lattice's edges, root mean square and largest. */
static lim_result edge_errors(const bar* b, const lim_model* lattice, const lim_host* host,
                              double out[2]) {
    lim_model_nodes nodes = lim_model_get_nodes(lattice);
    arena scratch;
    arena_init(&scratch, host);
    double* x = ARENA_ARRAY(&scratch, double, 3 * (int64_t)nodes.count);
    lim_result result =
        x == NULL ? LIM_ERROR_MEMORY : lim_body_get_nodes(b->world, b->body, x, NULL, nodes.count);
    const float* rest[3] = {nodes.x, nodes.y, nodes.z};
    out[0] = out[1] = 0.0;
    for (int32_t e = 0; e < nodes.edge_count && result == LIM_OK; ++e) {
        int32_t i = nodes.edges[2 * (size_t)e], j = nodes.edges[2 * (size_t)e + 1];
        double length = 0.0, was = 0.0;
        for (int32_t k = 0; k < 3; ++k) {
            double now = x[3 * (size_t)i + (size_t)k] - x[3 * (size_t)j + (size_t)k];
            double before = (double)rest[k][i] - (double)rest[k][j];
            length += now * now;
            was += before * before;
        }
        double off = fabs(sqrt(length / was) - 1.0);
        out[0] += off * off / nodes.edge_count;
        out[1] = fmax(out[1], off);
    }
    out[0] = sqrt(out[0]);
    arena_release(&scratch);
    return result;
}

static lim_result draw(const bar* b, bar_kind kind, const lim_host* host, lim_image* out) {
    stage s;
    stage_begin(&s, host);
    lim_result result = stage_add_skin(&s, b->world, b->body, b->model, false);
    if (result == LIM_OK) {
        const lim_picture look = {.width = 480,
                                  .height = 480,
                                  .camera = {.eye = {0.05f, 0.75f, 2.4f},
                                             .target = {-0.1f, 0.40f, 0.0f},
                                             .up = {0.0f, 1.0f, 0.0f},
                                             .fov = 0.50f},
                                  .caption = kind_names[kind]};
        result = stage_draw(&s, &look, out);
    }
    stage_end(&s);
    return result;
}

static lim_result measure_bar(const lim_mesh* mesh, const lim_model* lattice, bar_kind kind,
                              const lim_host* host, paper_rows* rows, lim_image* panel) {
    bar b;
    memset(&b, 0, sizeof b);
    lim_result result = make_model(mesh, lattice, kind, host, &b.model);
    result = result == LIM_OK ? make_world(&b, kind, host) : result;
    result = result == LIM_OK ? deform(&b, rows->quick) : result;
    double off[2] = {0, 0};
    result = result == LIM_OK ? edge_errors(&b, lattice, host, off) : result;
    if (result == LIM_OK) {
        lim_model_info info = lim_model_get_info(b.model);
        paper_rows_of(rows, kind_names[kind], "particles", NAN, (double)info.nodes, "");
        paper_rows_of(rows, kind_names[kind], "regions", NAN, (double)info.regions, "");
        paper_rows_of(rows, kind_names[kind], "lengths off, rms", NAN, off[0], "");
        paper_rows_of(rows, kind_names[kind], "lengths off, most", NAN, off[1], "");
    }
    if (result == LIM_OK && rows->picture != NULL) {
        result = draw(&b, kind, host, panel);
    }
    lim_world_destroy(b.world);
    lim_model_destroy(b.model);
    return result;
}

lim_result paper_bars(const lim_host* host, paper_rows* rows) {
    lim_image panels[BAR_KINDS];
    memset(panels, 0, sizeof panels);
    lim_mesh* mesh = NULL;
    lim_model* lattice = NULL;
    lim_result result = model_mesh("bar", 0, host, &mesh);
    result = result == LIM_OK ? make_model(mesh, NULL, BAR_LATTICE, host, &lattice) : result;
    for (int32_t kind = 0; kind < BAR_KINDS && result == LIM_OK; ++kind) {
        result = measure_bar(mesh, lattice, (bar_kind)kind, host, rows, &panels[kind]);
    }
    if (result == LIM_OK && rows->picture != NULL) {
        result = lim_image_sheet(panels, BAR_KINDS, BAR_KINDS, rows->picture);
    }
    for (int32_t kind = 0; kind < BAR_KINDS; ++kind) {
        lim_image_destroy(&panels[kind]);
    }
    lim_model_destroy(lattice);
    lim_mesh_destroy(mesh);
    paper_rows_note(rows,
                    "A bar of 4 : 1 : 1, both ends held, one end turned by 180 degrees and led "
                    "through a bend of 90. Lengths are those between nodes of a cell.");
    return result;
}
