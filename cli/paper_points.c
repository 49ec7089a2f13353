/* SPDX-License-Identifier: MIT
 * Job: 002.modes, 002.clusters and 002.recover. In: nothing. Out: what goals make of a twisted and
 * a bent bar, how bars of clusters bend and what they cost, how long shapes take to come back; with
 * pictures.
 */
#include "cli/paper_points.h"

#include "cli/measure.h"
#include "cli/points_body.h"
#include "math/trig.h"
#include "math/vec3.h"
#include "scenes/models.h"
#include "scenes/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char* const GOAL_NAMES[3] = {"rigid", "linear", "quadratic"};

/* ---- 002.modes --------------------------------------------------------------------------------
 */

enum { POSES = 2, MODE_PANELS = POSES * 4 };
static const char* const POSE_NAMES[POSES] = {"twist of 60 degrees", "bend of 60 degrees"};

/* Turns the bar about its axis by 60 degrees from end to end, or bends it to a sixth of a ring. */
static void put_pose(points_body* b, int32_t pose) {
    for (int32_t i = 0; i < b->nodes; ++i) {
        double* p = b->x + 3 * (size_t)i;
        double angle = TRIG_PI / 3.0 * p[0], s = trig_sin(angle), c = trig_cos(angle);
        if (pose == 0) {
            double y = p[1], z = p[2];
            p[1] = c * y - s * z;
            p[2] = s * y + c * z;
        } else {
            double radius = 3.0 / TRIG_PI, y = radius + p[1];
            p[0] = s * y;
            p[1] = c * y - radius;
        }
    }
}

/* A step with alpha = 1 takes every node onto its goal: how far that is. */
static lim_result step_to_goals(points_body* b, int32_t pose, double* out_off) {
    lim_model_nodes n = lim_model_get_nodes(b->model);
    LIM_TRY(points_body_read(b));
    put_pose(b, pose);
    LIM_TRY(points_body_write(b));
    LIM_TRY(lim_world_step(b->world, 1.0f / 60.0f));
    double* posed = ARENA_ARRAY(&b->mem, double, 3 * (size_t)b->nodes);
    LIM_TRY_MEMORY(posed);
    memcpy(posed, b->x, 3 * (size_t)b->nodes * sizeof *posed);
    LIM_TRY(points_body_read(b));
    double sum = 0.0, mass = 0.0;
    for (int32_t i = 0; i < b->nodes; ++i) {
        for (int k = 0; k < 3; ++k) {
            double off = b->x[3 * i + k] - posed[3 * i + k];
            sum += (double)n.volume[i] * off * off;
        }
        mass += (double)n.volume[i];
    }
    *out_off = sqrt(sum / mass) / b->size;
    return LIM_OK;
}

/* Panel 0 of a pose is the pose itself, the others what goals make of it. */
static lim_result mode_panel(const points_desc* common, int32_t pose, int32_t panel,
                             const lim_host* host, paper_rows* rows, lim_image* image) {
    static const int32_t size[2] = {480, 300};
    lim_camera camera = {
        .eye = {0.9f, 0.75f, 1.65f}, .target = {0, -0.04f, 0}, .up = {0, 1, 0}, .fov = 0.36f};
    points_desc desc = *common;
    points_body b;
    char name[96], caption[96];
    desc.material.alpha = 1.0f;
    desc.material.beta = 1.0f;
    /* What is posed is drawn with slopes that follow it. */
    desc.material.goal = (lim_goal)(panel > 0 ? panel - 1 : LIM_GOAL_QUADRATIC);
    LIM_TRY(points_body_make(&desc, host, &b));
    double off = 0.0;
    lim_result result = LIM_OK;
    if (panel > 0) {
        result = step_to_goals(&b, pose, &off);
        snprintf(name, sizeof name, "%s: %s goals are off by", POSE_NAMES[pose],
                 GOAL_NAMES[panel - 1]);
        paper_rows_add(rows, name, NAN, off, "of the length");
        snprintf(caption, sizeof caption, "%s: off by %.2g %%", GOAL_NAMES[panel - 1], 100.0 * off);
    } else {
        result = points_body_read(&b);
        put_pose(&b, pose);
        result = result == LIM_OK ? points_body_write(&b) : result;
        snprintf(caption, sizeof caption, "%s", POSE_NAMES[pose]);
    }
    if (result == LIM_OK && rows->picture != NULL) {
        result = points_body_draw(&b, &camera, false, caption, size, image);
    }
    points_body_free(&b);
    return result;
}

static lim_result sheet(lim_image* images, int32_t count, int32_t columns, lim_result result,
                        lim_image* out) {
    if (result == LIM_OK && out != NULL) {
        result = lim_image_sheet(images, count, columns, out);
    }
    for (int32_t i = 0; i < count; ++i) {
        lim_image_destroy(&images[i]);
    }
    return result;
}

lim_result paper_points_modes(const lim_host* host, paper_rows* rows) {
    static const int32_t lattice[3] = {30, 6, 6};
    arena mem;
    arena_init(&mem, host);
    lim_mesh* mesh = NULL;
    double* points = NULL;
    lim_image images[MODE_PANELS];
    memset(images, 0, sizeof images);
    lim_result result = points_bar(&mem, lattice, host, &mesh, &points);
    points_desc common = points_desc_default();
    common.mesh = mesh;
    common.points = points;
    common.point_count = lattice[0] * lattice[1] * lattice[2];
    for (int32_t i = 0; i < MODE_PANELS && result == LIM_OK; ++i) {
        result = mode_panel(&common, i / 4, i % 4, host, rows, &images[i]);
    }
    paper_rows_note(rows, "a bar of 1,080 points as one shape; beta = 1; off: root mean square "
                          "distance of the goals from the bar");
    result = sheet(images, MODE_PANELS, 4, result, rows->picture);
    lim_mesh_destroy(mesh);
    arena_release(&mem);
    return result;
}

/* ---- 002.clusters -----------------------------------------------------------------------------
 */

enum { COUNTS = 3, TIMED = 240 };
static const int32_t CLUSTER_COUNTS[COUNTS] = {1, 8, 64};

/* A bar held at one end sags; its tip, over its length. */
static double tip_of(points_body* b) {
    lim_model_nodes n = lim_model_get_nodes(b->model);
    double tip = 0.0;
    int32_t count = 0;
    if (points_body_read(b) != LIM_OK) {
        return NAN;
    }
    for (int32_t i = 0; i < b->nodes; ++i) {
        if (n.x[i] > 0.45f) {
            tip += (double)n.y[i] - b->x[3 * (size_t)i + 1];
            count++;
        }
    }
    return count > 0 ? tip / count : NAN;
}

static lim_result hold_end(points_body* b) {
    lim_pin_desc d = lim_pin_desc_default();
    lim_pin pin;
    d.body = b->body;
    d.shape = LIM_SHAPE_BOX;
    d.size = (lim_vec3){0.05f, 0.2f, 0.2f};
    d.position = p3(-0.5, 0, 0);
    return lim_pin_create(b->world, &d, &pin);
}

/* Medians of steps of one substep each, ns per node, in turns. */
static lim_result time_bars(points_body bars[COUNTS], const lim_host* host, bool quick,
                            double out_ns[COUNTS]) {
    double times[COUNTS][TIMED];
    int32_t rounds = quick ? 8 : TIMED;
    for (int32_t k = 0; k < rounds; ++k) {
        for (int32_t i = 0; i < COUNTS; ++i) {
            LIM_TRY(lim_world_step(bars[i].world, 1.0f / 240.0f));
            lim_step_report report = lim_world_get_report(bars[i].world);
            times[i][k] = (report.sums + report.regions + report.goals + report.integrate) /
                          report.substeps_most;
        }
    }
    for (int32_t i = 0; i < COUNTS; ++i) {
        out_ns[i] = 1e9 * measure_of(times[i], rounds, host).median / bars[i].nodes;
    }
    return LIM_OK;
}

static lim_result measure_clusters(points_desc* desc, const lim_host* host, paper_rows* rows,
                                   lim_image images[COUNTS]) {
    static const int32_t size[2] = {560, 400};
    lim_camera camera = {
        .eye = {0.3f, 0.25f, 2.3f}, .target = {-0.02f, -0.38f, 0}, .up = {0, 1, 0}, .fov = 0.54f};
    points_body bars[COUNTS];
    memset(bars, 0, sizeof bars);
    char name[96];
    double ns[3][COUNTS];
    lim_result result = LIM_OK;
    for (int32_t i = 0; i < COUNTS && result == LIM_OK; ++i) {
        desc->clusters = CLUSTER_COUNTS[i];
        result = points_body_make(desc, host, &bars[i]);
        result = result == LIM_OK ? hold_end(&bars[i]) : result;
        for (int32_t k = 0; k < (rows->quick ? 60 : 1200) && result == LIM_OK; ++k) {
            result = lim_world_step(bars[i].world, 1.0f / 240.0f);
        }
        if (result == LIM_OK) {
            double tip = tip_of(&bars[i]);
            const char* plural = CLUSTER_COUNTS[i] > 1 ? "s" : "";
            int32_t count = CLUSTER_COUNTS[i];
            snprintf(name, sizeof name, "%d cluster%s: tip hangs by", (int)count, plural);
            paper_rows_add(rows, name, NAN, tip, "of the length");
            snprintf(name, sizeof name, "%d cluster%s: points per cluster", (int)count, plural);
            paper_rows_add(rows, name, NAN, lim_model_get_info(bars[i].model).members_per_region,
                           "");
            snprintf(name, sizeof name, "%d cluster%s: hangs by %.0f %%", (int)count, plural,
                     100.0 * tip);
            if (rows->picture != NULL) {
                result = points_body_draw(&bars[i], &camera, false, name, size, &images[i]);
            }
        }
    }
    for (int goal = 0; goal < 3 && result == LIM_OK; ++goal) {
        lim_material material = desc->material;
        material.goal = (lim_goal)goal;
        for (int32_t i = 0; i < COUNTS && result == LIM_OK; ++i) {
            result = lim_body_set_material(bars[i].world, bars[i].body, &material);
        }
        result = result == LIM_OK ? time_bars(bars, host, rows->quick, ns[goal]) : result;
        for (int32_t i = 0; i < COUNTS && result == LIM_OK; ++i) {
            snprintf(name, sizeof name, "%d cluster%s, %s goals: substep, 1 worker",
                     (int)CLUSTER_COUNTS[i], CLUSTER_COUNTS[i] > 1 ? "s" : "", GOAL_NAMES[goal]);
            paper_rows_add(rows, name, NAN, ns[goal][i], "ns per point");
        }
    }
    for (int32_t i = 0; i < COUNTS; ++i) {
        points_body_free(&bars[i]);
    }
    return result;
}

lim_result paper_points_clusters(const lim_host* host, paper_rows* rows) {
    static const int32_t lattice[3] = {60, 12, 12};
    arena mem;
    arena_init(&mem, host);
    lim_mesh* mesh = NULL;
    double* points = NULL;
    lim_image images[COUNTS];
    memset(images, 0, sizeof images);
    lim_result result = points_bar(&mem, lattice, host, &mesh, &points);
    points_desc desc = points_desc_default();
    desc.mesh = mesh;
    desc.points = points;
    desc.point_count = lattice[0] * lattice[1] * lattice[2];
    desc.material = lim_material_default();
    desc.material.young = 1.2e6f;
    desc.material.damping_time = 0.4f;
    desc.gravity = (lim_vec3){0, -9.81f, 0};
    result = result == LIM_OK ? measure_clusters(&desc, host, rows, images) : result;
    /* rho g L^4 A / (8 E I), I = A t^2 / 12 */
    double beam = 1000.0 * 9.81 * 12.0 / (8.0 * 1.2e6 * 0.04);
    paper_rows_add(rows, "a thin beam of this modulus hangs by", NAN, beam, "of the length");
    paper_rows_note(rows, "a bar of 8,640 points, 1 x 0.2 x 0.2 m, 1.2 MPa asked, held at one end, "
                          "after 5 s; substep: sums, regions, goals and moving, in turns");
    result = sheet(images, COUNTS, COUNTS, result, rows->picture);
    lim_mesh_destroy(mesh);
    arena_release(&mem);
    return result;
}

/* ---- 002.recover ------------------------------------------------------------------------------
 */

enum { STATES = 5, MOMENTS = 6, RECOVER_MOST = 1200 };
static const struct {
    const char* name;
    scene_shape_state state;
} RECOVER[STATES] = {{"flattened", SCENE_FLATTENED},
                     {"mirrored", SCENE_MIRRORED},
                     {"line", SCENE_LINE},
                     {"point", SCENE_POINT},
                     {"scrambled", SCENE_SCRAMBLED}};
static const int32_t MOMENT_STEPS[MOMENTS] = {0, 6, 12, 21, 36, 150};

static lim_result make_duck(const lim_mesh* mesh, lim_goal goal, int32_t clusters, int32_t state,
                            const lim_host* host, points_body* out) {
    points_desc desc = points_desc_default();
    desc.mesh = mesh;
    desc.clusters = clusters;
    desc.substeps = 4;
    desc.material = lim_material_default();
    desc.material.density = 300.0f;
    desc.material.young = 1000.0f;
    desc.material.viscosity = 5.0f;
    desc.material.damping_time = 0.7f;
    desc.material.goal = goal;
    LIM_TRY(points_body_make(&desc, host, out));
    lim_result result =
        scene_put_state(out->world, out->body, out->nodes, RECOVER[state].state, host);
    if (result != LIM_OK) {
        points_body_free(out);
    }
    return result;
}

static lim_result recover_seconds(const lim_mesh* mesh, lim_goal goal, int32_t clusters,
                                  int32_t state, const lim_host* host, double* out) {
    points_body b;
    LIM_TRY(make_duck(mesh, goal, clusters, state, host, &b));
    lim_result result = LIM_OK;
    int32_t step = 0, last = 0; /* last: after which it was never farther than 1 % */
    for (; step < RECOVER_MOST && step < last + 60 && result == LIM_OK; ++step) {
        result = lim_world_step(b.world, 1.0f / 60.0f);
        last = points_body_distance(&b) > 0.01 ? step + 1 : last;
    }
    *out = last < RECOVER_MOST ? last / 60.0 : (double)INFINITY;
    points_body_free(&b);
    return result;
}

/* One state over time, in a row. */
static lim_result recover_row(const lim_mesh* mesh, int32_t state, const lim_host* host,
                              lim_image images[MOMENTS]) {
    static const int32_t size[2] = {300, 250};
    lim_camera camera = {
        .eye = {1.1f, 1.0f, 2.4f}, .target = {0, 0.42f, 0}, .up = {0, 1, 0}, .fov = 0.55f};
    points_body b;
    LIM_TRY(make_duck(mesh, LIM_GOAL_RIGID, state < 3 ? 1 : 8, state, host, &b));
    lim_result result = LIM_OK;
    int32_t step = 0;
    for (int32_t k = 0; k < MOMENTS && result == LIM_OK; ++k) {
        for (; step < MOMENT_STEPS[k] && result == LIM_OK; ++step) {
            result = lim_world_step(b.world, 1.0f / 60.0f);
        }
        char caption[64];
        if (k == 0) {
            snprintf(caption, sizeof caption, "%s", RECOVER[state].name);
        } else {
            snprintf(caption, sizeof caption, "%.2f s", step / 60.0);
        }
        result = result == LIM_OK ? points_body_draw(&b, &camera, true, caption, size, &images[k])
                                  : result;
    }
    points_body_free(&b);
    return result;
}

lim_result paper_points_recover(const lim_host* host, paper_rows* rows) {
    lim_mesh* mesh = NULL;
    lim_image images[STATES * MOMENTS];
    memset(images, 0, sizeof images);
    lim_result result = model_mesh("duck", rows->quick ? 800 : 4000, host, &mesh);
    for (int32_t clusters = 1; clusters <= 8 && result == LIM_OK; clusters *= 8) {
        for (int goal = 0; goal < (rows->quick ? 1 : 3); ++goal) {
            for (int32_t state = 0; state < STATES && result == LIM_OK; ++state) {
                char name[96];
                double seconds = 0.0;
                result = recover_seconds(mesh, (lim_goal)goal, clusters, state, host, &seconds);
                snprintf(name, sizeof name, "%s, %s goals, %d cluster%s: back within 1 %% after",
                         RECOVER[state].name, GOAL_NAMES[goal], (int)clusters,
                         clusters > 1 ? "s" : "");
                if (result == LIM_OK) {
                    paper_rows_add(rows, name, NAN, seconds, "s");
                }
            }
        }
    }
    paper_rows_note(rows, "a duck of 1 m, 300 kg/m^3, 1 kPa, fading with 0.7 s: root mean square "
                          "distance of its points from the rest shape, over its size");
    for (int32_t state = 0; state < STATES && result == LIM_OK && rows->picture != NULL; ++state) {
        result = recover_row(mesh, state, host, images + state * MOMENTS);
    }
    result = sheet(images, STATES * MOMENTS, MOMENTS, result, rows->picture);
    lim_mesh_destroy(mesh);
    return result;
}
