/* SPDX-License-Identifier: MIT
 * Job: 001.fig5. In: nothing. Out: one region of a lattice at the hole of a ring, as its nodes, as
 * the bars that these lie in and as the plates that the bars lie in, with a picture of each; how
 * many of each there are, and how many additions a region takes on average when regions share them.
 */
#include "cli/paper_lattice.h"

#include "cli/stage.h"
#include "scenes/models.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 3, PANELS = 3, NODES = 2600, TRIANGLES = 4000 };
static const char* const CAPTIONS[PANELS] = {"a region", "its bars", "its plates"};
/* Colours that stand apart; neighbours get different ones. */
static const uint32_t COLOURS[7] = {0x1F7A8CFFu, 0xD1495BFFu, 0xEDAE49FFu, 0x66A182FFu,
                                    0x2E4057FFu, 0x8D5A97FFu, 0xBF7E04FFu};

typedef struct decomposition {
    arena memory;
    lim_mesh* mesh;
    lim_model* model;
    lim_model_nodes nodes;
    float cell;
    int32_t seed, count;
    int32_t* member;
} decomposition;

static void decomposition_end(decomposition* d) {
    lim_model_destroy(d->model);
    lim_mesh_destroy(d->mesh);
    arena_release(&d->memory);
}

static int32_t steps(const decomposition* d, const float* x, int32_t a, int32_t b) {
    return (int32_t)lroundf((x[b] - x[a]) / d->cell);
}

/* The node next to the hole: nearest to a place on its rim, half way up. */
static int32_t choose_seed(const decomposition* d) {
    int32_t best = 0;
    float least = HUGE_VALF;
    for (int32_t i = 0; i < d->nodes.count; ++i) {
        float r = sqrtf(d->nodes.x[i] * d->nodes.x[i] + d->nodes.z[i] * d->nodes.z[i]);
        float away = r + fabsf(d->nodes.y[i]) + 0.2f * fabsf(d->nodes.z[i]) - 0.01f * d->nodes.x[i];
        if (away < least) {
            least = away;
            best = i;
        }
    }
    return best;
}

static lim_result decomposition_begin(decomposition* d, const lim_host* host) {
    memset(d, 0, sizeof *d);
    arena_init(&d->memory, host);
    lim_result result = model_mesh("torus", TRIANGLES, host, &d->mesh);
    if (result == LIM_OK) {
        lim_model_desc desc = lim_model_desc_default();
        desc.kind = LIM_KIND_LATTICE;
        desc.node_count = NODES;
        desc.region_width = (float)WIDTH;
        result = lim_model_create(d->mesh, &desc, host, &d->model);
    }
    if (result != LIM_OK) {
        return result;
    }
    d->nodes = lim_model_get_nodes(d->model);
    d->cell = lim_model_get_info(d->model).cell_size;
    d->seed = choose_seed(d);
    d->member = ARENA_ARRAY(&d->memory, int32_t, d->nodes.count);
    if (d->member == NULL) {
        return LIM_ERROR_MEMORY;
    }
    d->count = lim_model_get_region(d->model, d->seed, d->member, NULL, d->nodes.count);
    return LIM_OK;
}

/* Which bar (along x) or plate (along x and z) of its region a node lies in: counted from the
 * seed's own. */
static int32_t part_of(const decomposition* d, int32_t node, int32_t panel) {
    int32_t up = steps(d, d->nodes.y, d->seed, node) + WIDTH;
    int32_t along = steps(d, d->nodes.z, d->seed, node) + WIDTH;
    return panel == 0 ? 0 : panel == 2 ? up : up * (2 * WIDTH + 1) + along;
}

static int32_t count_parts(const decomposition* d, int32_t panel) {
    bool there[(2 * WIDTH + 1) * (2 * WIDTH + 1)] = {false};
    int32_t count = 0;
    for (int32_t i = 0; i < d->count; ++i) {
        int32_t part = part_of(d, d->member[i], panel);
        count += !there[part];
        there[part] = true;
    }
    return count;
}

/* Nodes of the body in the cube around the seed. */
static int32_t count_cube(const decomposition* d) {
    int32_t count = 0;
    for (int32_t i = 0; i < d->nodes.count; ++i) {
        int32_t x = steps(d, d->nodes.x, d->seed, i), y = steps(d, d->nodes.y, d->seed, i);
        int32_t z = steps(d, d->nodes.z, d->seed, i);
        count +=
            x <= WIDTH && -x <= WIDTH && y <= WIDTH && -y <= WIDTH && z <= WIDTH && -z <= WIDTH;
    }
    return count;
}

static bool add_node(stage* st, const decomposition* d, int32_t i, float size, uint32_t rgba) {
    const lim_debug_point point = {{d->nodes.x[i], d->nodes.y[i], d->nodes.z[i]}, size, rgba};
    return ARRAY_PUSH(&st->host, &st->points, point);
}

static uint32_t part_colour(const decomposition* d, int32_t node, int32_t panel) {
    int32_t part = part_of(d, node, panel);
    return COLOURS[(panel == 1 ? 3 * (part / (2 * WIDTH + 1)) + part : part) % 7];
}

/* Lines between members next to each other along x, and in plates along z. */
static bool add_lines(stage* st, const decomposition* d, int32_t panel) {
    for (int32_t i = 0; i < d->count * d->count; ++i) {
        int32_t a = d->member[i / d->count], b = d->member[i % d->count];
        int32_t x = steps(d, d->nodes.x, a, b), z = steps(d, d->nodes.z, a, b);
        bool row = x == 1 && z == 0, across = x == 0 && z == 1 && panel == 2;
        if (steps(d, d->nodes.y, a, b) == 0 && (row || across)) {
            const lim_debug_line line = {{d->nodes.x[a], d->nodes.y[a], d->nodes.z[a]},
                                         {d->nodes.x[b], d->nodes.y[b], d->nodes.z[b]},
                                         part_colour(d, a, panel)};
            if (!ARRAY_PUSH(&st->host, &st->lines, line)) {
                return false;
            }
        }
    }
    return true;
}

static lim_result draw_panel(const decomposition* d, int32_t panel, const lim_host* host,
                             lim_image* out) {
    stage st;
    stage_begin(&st, host);
    bool complete = true;
    for (int32_t i = 0; i < d->nodes.count; ++i) {
        complete = complete && add_node(&st, d, i, 0.22f * d->cell, 0xAEB8C2FFu);
    }
    for (int32_t i = 0; i < d->count; ++i) {
        int32_t node = d->member[i];
        float size = (panel == 0 ? 0.7f : 0.45f) * d->cell;
        complete = complete && add_node(&st, d, node, size, part_colour(d, node, panel));
    }
    complete = complete && (panel == 0 || add_lines(&st, d, panel));
    const lim_picture look = {.width = 460,
                              .height = 380,
                              .camera = {.eye = {0.4f, 2.2f, 1.7f},
                                         .target = {0.05f, 0.0f, 0.05f},
                                         .up = {0.0f, 1.0f, 0.0f},
                                         .fov = 0.36f},
                              .caption = CAPTIONS[panel]};
    lim_result result = complete ? stage_draw(&st, &look, out) : LIM_ERROR_MEMORY;
    stage_end(&st);
    return result;
}

lim_result paper_decomposition(const lim_host* host, paper_rows* rows) {
    decomposition d;
    lim_image panels[PANELS];
    memset(panels, 0, sizeof panels);
    lim_result result = decomposition_begin(&d, host);
    if (result == LIM_OK) {
        lim_model_info info = lim_model_get_info(d.model);
        paper_rows_add(rows, "nodes of the body", NAN, info.nodes, "");
        paper_rows_add(rows, "regions of it, equal ones once", NAN, info.regions, "");
        paper_rows_of(rows, "the region drawn", "nodes in its cube", NAN, count_cube(&d), "");
        paper_rows_of(rows, "the region drawn", "nodes that steps lead to", NAN, d.count, "");
        paper_rows_of(rows, "the region drawn", "bars", NAN, count_parts(&d, 1), "");
        paper_rows_of(rows, "the region drawn", "plates", NAN, count_parts(&d, 2), "");
        paper_rows_add(rows, "additions per region, by members", NAN, info.members_per_region, "");
        paper_rows_add(rows, "additions per region, shared bars and plates of a cube", 21.0,
                       3.0 * (2 * WIDTH + 1), "");
        paper_rows_add(rows, "additions per region here, windows or lists", NAN,
                       info.inputs_per_region, "");
    }
    for (int32_t i = 0; i < PANELS && result == LIM_OK && rows->picture != NULL; ++i) {
        result = draw_panel(&d, i, host, &panels[i]);
    }
    if (result == LIM_OK && rows->picture != NULL) {
        result = lim_image_sheet(panels, PANELS, PANELS, rows->picture);
    }
    for (int32_t i = 0; i < PANELS; ++i) {
        lim_image_destroy(&panels[i]);
    }
    decomposition_end(&d);
    paper_rows_note(rows, "A ring of about 2,600 nodes, half-width 3. The paper's sums of 2 w + 1 "
                          "along each of three axes are 3 (2 w + 1) = 21 additions.");
    return result;
}
