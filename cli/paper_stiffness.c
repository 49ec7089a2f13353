/* SPDX-License-Identifier: MIT
 * Job: 000.fig4. In: nothing. Out: five fingers of one shape on one base, each with a stiffness of
 * its own, bent by their weight: once by the width of their regions with one alpha, which is the
 * paper's way, once by the modulus that each width means, from zones; how far each tip comes down,
 * beside the beam's law; and a picture.
 */
#include "cli/paper_octree.h"

#include "base/array.h"
#include "cli/stage.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* In cells: a finger is LONG x THICK x THICK, GAP from the next, on a base of BASE. */
enum { FINGER_COUNT = 5, LONG = 24, THICK = 4, GAP = 4, BASE = 6, PITCH = THICK + GAP };
static const float CELL = 0.0125f, DT = 1.0f / 60.0f;
static const double DENSITY = 1000.0, BEND = 0.15; /* of the softest, per length */
static const float ALPHA = 0.5f;
/* Half-widths of the regions of each finger, in cells; the steps that alpha is for. */
static const double WIDTHS[FINGER_COUNT] = {1.0, 1.5, 2.0, 3.0, 4.0};
enum { ALPHA_SUBSTEPS = 8 };

/* ---- the shape -------------------------------------------------------------------------------
 */

/* Squares of THICK cells: the base is a row, fingers stand on every other place of it. */
static bool filled(int32_t x, int32_t z) {
    bool across = z >= 0 && z < 2 * FINGER_COUNT - 1;
    return across && x >= -1 && x < LONG && (x < 0 || z % 2 == 0);
}

typedef struct quads {
    ARRAY(double) positions;
    ARRAY(float) normals;
    ARRAY(float) colours;
    ARRAY(uint32_t) indices;
} quads;

/* Fingers from light to dark as they are from soft to stiff; the base is grey. */
static const float BASE_COLOUR[4] = {0.45f, 0.47f, 0.50f, 1.0f};
static const float FINGER_COLOUR[FINGER_COUNT][4] = {{0.95f, 0.75f, 0.45f, 1.0f},
                                                     {0.90f, 0.50f, 0.25f, 1.0f},
                                                     {0.75f, 0.25f, 0.15f, 1.0f},
                                                     {0.45f, 0.10f, 0.12f, 1.0f},
                                                     {0.18f, 0.04f, 0.08f, 1.0f}};

static bool add_quad(quads* q, const lim_host* host, const float* colour,
                     const double corner[4][3]) {
    static const uint32_t order[6] = {0, 1, 2, 0, 2, 3};
    uint32_t first = (uint32_t)(q->positions.count / 3);
    bool ok = true;
    double u[3], v[3];
    for (int a = 0; a < 3; ++a) {
        u[a] = corner[1][a] - corner[0][a];
        v[a] = corner[3][a] - corner[0][a];
    }
    const double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                         u[0] * v[1] - u[1] * v[0]};
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int k = 0; k < 4; ++k) {
        for (int a = 0; a < 3; ++a) {
            ok = ok && ARRAY_PUSH(host, &q->positions, corner[k][a]) &&
                 ARRAY_PUSH(host, &q->normals, (float)(n[a] / length));
        }
        for (int a = 0; a < 4; ++a) {
            ok = ok && ARRAY_PUSH(host, &q->colours, colour[a]);
        }
    }
    for (int k = 0; k < 6; ++k) {
        ok = ok && ARRAY_PUSH(host, &q->indices, first + order[k]);
    }
    return ok;
}

/* The sides of one square prism that face no other: x from a to b, z from c to d. */
static bool add_prism(quads* q, const lim_host* host, int32_t x, int32_t z) {
    double cell = (double)CELL, h = 0.5 * THICK * cell;
    double a = x < 0 ? -BASE * cell : x * cell, b = (x + 1) * cell;
    double c = z * THICK * cell, d = c + THICK * cell;
    const double top[4][3] = {{a, h, c}, {a, h, d}, {b, h, d}, {b, h, c}};
    const double bottom[4][3] = {{a, -h, c}, {b, -h, c}, {b, -h, d}, {a, -h, d}};
    const double left[4][3] = {{a, -h, c}, {a, -h, d}, {a, h, d}, {a, h, c}};
    const double right[4][3] = {{b, -h, c}, {b, h, c}, {b, h, d}, {b, -h, d}};
    const double back[4][3] = {{a, -h, c}, {a, h, c}, {b, h, c}, {b, -h, c}};
    const double front[4][3] = {{a, -h, d}, {b, -h, d}, {b, h, d}, {a, h, d}};
    const float* colour = x < 0 ? BASE_COLOUR : FINGER_COLOUR[z / 2];
    return add_quad(q, host, colour, top) && add_quad(q, host, colour, bottom) &&
           (filled(x - 1, z) || add_quad(q, host, colour, left)) &&
           (filled(x + 1, z) || add_quad(q, host, colour, right)) &&
           (filled(x, z - 1) || add_quad(q, host, colour, back)) &&
           (filled(x, z + 1) || add_quad(q, host, colour, front));
}

static lim_result make_mesh(const lim_host* host, lim_mesh** out) {
    quads q = {{0}, {0}, {0}, {0}};
    lim_host hooks = mem_host(host);
    bool ok = true;
    for (int32_t z = 0; z < 2 * FINGER_COUNT - 1; ++z) {
        for (int32_t x = -1; x < LONG; ++x) {
            ok = ok && (!filled(x, z) || add_prism(&q, &hooks, x, z));
        }
    }
    lim_result result = LIM_ERROR_MEMORY;
    if (ok) {
        lim_mesh_desc desc = lim_mesh_desc_default();
        desc.vertex_count = q.positions.count / 3;
        desc.triangle_count = q.indices.count / 3;
        desc.positions = q.positions.data;
        desc.normals = q.normals.data;
        desc.colours = q.colours.data;
        desc.indices = q.indices.data;
        result = lim_mesh_create(&desc, host, out);
    }
    ARRAY_FREE(&hooks, &q.positions);
    ARRAY_FREE(&hooks, &q.normals);
    ARRAY_FREE(&hooks, &q.colours);
    ARRAY_FREE(&hooks, &q.indices);
    return result;
}

/* The middle of a finger across the row. */
static double middle_of(int32_t finger) {
    return (double)CELL * (PITCH * finger + 0.5 * THICK);
}

/* The finger that a place belongs to, half a gap to either side. */
static int32_t finger_at(double z) {
    int32_t i = (int32_t)floor((z + 0.5 * (double)CELL * GAP) / ((double)CELL * PITCH));
    return i < 0 ? 0 : i >= FINGER_COUNT ? FINGER_COUNT - 1 : i;
}

/* What a finger's regions are as wide as, for lim_model_desc. */
static float width_at(void* user, lim_point place, float edge) {
    (void)user;
    (void)edge; /* all are finest */
    return (float)WIDTHS[finger_at(place.z)] * CELL;
}

/* The modulus that alpha is for the regions of a finger: alpha rho sigma^2 / h^2 with
 * sigma^2 = w (w + 1) / 3 cells^2. */
static double modulus_of(int32_t finger) {
    double cell = (double)CELL, h = (double)DT / ALPHA_SUBSTEPS, w = WIDTHS[finger];
    return (double)ALPHA * DENSITY * w * (w + 1.0) / 3.0 * cell * cell / (h * h);
}

/* Each zone reaches half a gap to either side, and through the base. */
static void make_zones(lim_zone zones[FINGER_COUNT]) {
    for (int32_t i = 0; i < FINGER_COUNT; ++i) {
        zones[i] = lim_zone_default();
        zones[i].shape = LIM_SHAPE_BOX;
        zones[i].position = (lim_point){0.5 * (LONG - BASE) * (double)CELL, 0.0, middle_of(i)};
        zones[i].size = (lim_vec3){0.51f * (LONG + BASE) * CELL, THICK * CELL, 0.5f * PITCH * CELL};
        zones[i].stiffness = (float)(modulus_of(i) / modulus_of(0));
    }
}

/* ---- the run ---------------------------------------------------------------------------------
 */

typedef struct fingers_run {
    lim_model* model;
    lim_world* world;
    lim_body body;
} fingers_run;

/* The sag of a beam under its weight: 3/2 rho g L^4 / (E t^2). */
static double law(double young, double gravity) {
    double length = LONG * (double)CELL, thick = THICK * (double)CELL;
    return 1.5 * DENSITY * gravity * pow(length, 4.0) / (young * thick * thick);
}

static lim_result make_world(fingers_run* f, bool by_alpha, int32_t substeps, double gravity,
                             const lim_host* host) {
    lim_world_desc desc = lim_world_desc_default();
    desc.gravity = (lim_vec3){0.0f, (float)-gravity, 0.0f};
    desc.substeps = substeps;
    desc.sleep = false;
    lim_result result = lim_world_create(&desc, host, &f->world);
    if (result == LIM_OK) {
        lim_body_desc body = lim_body_desc_default();
        body.model = f->model;
        body.position = lim_model_get_info(f->model).centre;
        body.material.density = (float)DENSITY;
        body.material.young = (float)modulus_of(0);
        body.material.alpha = by_alpha ? ALPHA : 0.0f;
        body.material.damping_time = 0.35f;
        result = lim_body_create(f->world, &body, &f->body);
    }
    if (result == LIM_OK) {
        lim_pin_desc pin = lim_pin_desc_default();
        pin.body = f->body;
        pin.shape = LIM_SHAPE_BOX;
        pin.size = (lim_vec3){BASE * CELL, 1.0f, 10.0f};
        pin.position = (lim_point){-BASE * (double)CELL, 0.0, 0.0};
        lim_pin id;
        result = lim_pin_create(f->world, &pin, &id);
    }
    return result;
}

/* How far the last layer of nodes of each finger has come down. */
static lim_result tips_of(const fingers_run* f, const lim_host* host, double out[FINGER_COUNT]) {
    lim_model_nodes nodes = lim_model_get_nodes(f->model);
    lim_point centre = lim_model_get_info(f->model).centre;
    arena scratch;
    arena_init(&scratch, host);
    double* x = ARENA_ARRAY(&scratch, double, 3 * (int64_t)nodes.count);
    lim_result result =
        x == NULL ? LIM_ERROR_MEMORY : lim_body_get_nodes(f->world, f->body, x, NULL, nodes.count);
    for (int32_t k = 0; k < FINGER_COUNT && result == LIM_OK; ++k) {
        double sum = 0.0;
        int32_t count = 0;
        for (int32_t i = 0; i < nodes.count; ++i) {
            bool last = (double)nodes.x[i] + centre.x > (LONG - 1) * (double)CELL;
            double off = fabs((double)nodes.z[i] + centre.z - middle_of(k));
            if (last && off < 0.5 * THICK * (double)CELL) {
                sum += (double)nodes.y[i] + centre.y - x[3 * (size_t)i + 1];
                count++;
            }
        }
        out[k] = count > 0 ? sum / count : 0.0;
    }
    arena_release(&scratch);
    return result;
}

static lim_result draw(const fingers_run* f, const char* caption, const lim_host* host,
                       lim_image* out) {
    stage s;
    stage_begin(&s, host);
    lim_result result = stage_add_skin(&s, f->world, f->body, f->model, false);
    if (result == LIM_OK) {
        const lim_picture look = {.width = 720,
                                  .height = 480,
                                  .camera = {.eye = {0.42f, 0.12f, -0.62f},
                                             .target = {0.115f, -0.012f, 0.2f},
                                             .up = {0.0f, 1.0f, 0.0f},
                                             .fov = 0.50f},
                                  .caption = caption};
        result = stage_draw(&s, &look, out);
    }
    stage_end(&s);
    return result;
}

/* By the width of regions, or by zones. */
static lim_result bend(const lim_mesh* mesh, bool by_width, double gravity, const lim_host* host,
                       paper_rows* rows, lim_image* panel, double out[FINGER_COUNT]) {
    fingers_run f = {NULL, NULL, {0, 0}};
    lim_zone zones[FINGER_COUNT];
    make_zones(zones);
    lim_model_desc desc = lim_model_desc_default();
    desc.cell_size = CELL;
    desc.coarsen = 0;
    desc.width_at = by_width ? width_at : NULL;
    desc.zones = by_width ? NULL : zones;
    desc.zone_count = by_width ? 0 : FINGER_COUNT;
    lim_result result = lim_model_create(mesh, &desc, host, &f.model);
    int32_t substeps = by_width ? ALPHA_SUBSTEPS : 32, steps = rows->quick ? 120 : 420;
    result = result == LIM_OK ? make_world(&f, by_width, substeps, gravity, host) : result;
    for (int32_t i = 0; i < steps && result == LIM_OK; ++i) {
        result = lim_world_step(f.world, DT);
    }
    result = result == LIM_OK ? tips_of(&f, host, out) : result;
    if (result == LIM_OK && !by_width) {
        lim_body_limits limits;
        result = lim_body_get_limits(f.world, f.body, &limits);
        paper_rows_add(rows, "by modulus: got over asked", NAN,
                       (double)(limits.young_got / limits.young_asked), "");
    }
    if (result == LIM_OK && panel != NULL) {
        result = draw(&f, by_width ? "regions of 1, 1.5, 2, 3, 4 cells" : "the same by modulus",
                      host, panel);
    }
    lim_world_destroy(f.world);
    lim_model_destroy(f.model);
    return result;
}

static void add_rows(double tips[2][FINGER_COUNT], double gravity, paper_rows* rows) {
    for (int32_t i = 0; i < FINGER_COUNT; ++i) {
        char about[40];
        snprintf(about, sizeof about, "regions of %g cells", WIDTHS[i]);
        paper_rows_of(rows, about, "modulus, alpha rho sigma^2 / h^2", NAN, 1e-3 * modulus_of(i),
                      "kPa");
        paper_rows_of(rows, about, "tip by the beam's law", NAN, 1e3 * law(modulus_of(i), gravity),
                      "mm");
        paper_rows_of(rows, about, "tip", NAN, 1e3 * tips[1][i], "mm");
        paper_rows_of(rows, about, "tip of a finger of that modulus", NAN, 1e3 * tips[0][i], "mm");
        paper_rows_of(rows, about, "tip over that of the softest, by the law", NAN,
                      modulus_of(0) / modulus_of(i), "");
        paper_rows_of(rows, about, "tip over that of the softest", NAN, tips[1][i] / tips[1][0],
                      "");
        paper_rows_of(rows, about, "the same by modulus", NAN, tips[0][i] / tips[0][0], "");
    }
}

lim_result paper_stiffness(const lim_host* host, paper_rows* rows) {
    lim_image panels[2];
    memset(panels, 0, sizeof panels);
    bool drawn = rows->picture != NULL;
    lim_mesh* mesh = NULL;
    double gravity = BEND * LONG * (double)CELL / law(modulus_of(0), 1.0);
    double tips[2][FINGER_COUNT]; /* by modulus, by width */
    lim_result result = make_mesh(host, &mesh);
    for (int k = 0; k < 2 && result == LIM_OK; ++k) {
        result = bend(mesh, k == 1, gravity, host, rows, drawn ? &panels[1 - k] : NULL, tips[k]);
    }
    if (result == LIM_OK) {
        add_rows(tips, gravity, rows);
    }
    if (result == LIM_OK && drawn) {
        result = lim_image_sheet(panels, 2, 2, rows->picture);
    }
    lim_image_destroy(&panels[0]);
    lim_image_destroy(&panels[1]);
    lim_mesh_destroy(mesh);
    paper_rows_note(
        rows, "Bars of 24 x 4 x 4 cells on one base, bent by their weight; the paper's figure "
              "has no numbers. Tips are means over the last layer of nodes, half a cell from "
              "the end. Widths per finger in one body by width_at and one alpha; moduli by zones "
              "on regions of 1 cell.");
    return result;
}
