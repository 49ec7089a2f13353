/* SPDX-License-Identifier: MIT
 * The inside of bodies in pictures: boxes of cells, the cut, the fading, the node whose region is
 * worth a look, samplings whose levels add up, and pictures that show something.
 */
#include "cli/cutaway.h"
#include "cli/draw.h"
#include "cli/film_inside.h"
#include "cli/samplings.h"
#include "cli/say.h"
#include "failing_host.h"
#include "scenes/models.h"

#include "test.h"

typedef struct stage {
    say_log log;
    scene* plan;
    scene_run* run;
    film f;
    lim_camera camera;
} stage;

static const char* const TWO_BLOCKS =
    "{\"limber\": 1, \"bodies\": [\n"
    "  {\"name\": \"a\", \"model\": \"block\", \"nodes\": 200, \"position\": [0, 0.4, 0]},\n"
    "  {\"name\": \"b\", \"model\": \"block\", \"nodes\": 100, \"position\": [3, 0.4, 0]}]}";

static void stage_open(stage* s, uint32_t overlay, const lim_point* region_at) {
    lim_io_message message = {""};
    memset(s, 0, sizeof *s);
    say_log_init(&s->log, LIM_LOG_ERROR);
    CHECK(scene_parse(TWO_BLOCKS, strlen(TWO_BLOCKS), "two", NULL, &s->log.host, &s->plan,
                      &message) == LIM_OK);
    CHECK(scene_start(s->plan, NULL, &s->log.host, &s->run, &message) == LIM_OK);
    CHECK(film_begin(&s->f, s->run, overlay, region_at, 30.0, &s->log.host) == LIM_OK);
    CHECK(film_take(&s->f, s->run) == LIM_OK);
    s->camera = (lim_camera){{4.0f, 2.0f, 8.0f}, {1.5f, 0.9f, 0.0f}, {0, 1, 0}, 0.6f};
}

static void stage_close(stage* s) {
    film_end(&s->f);
    scene_stop(s->run);
    scene_destroy(s->plan);
}

static double volume_of(const lim_io_frame* f) {
    double volume = 0.0;
    for (int32_t t = 0; t < f->triangle_count; ++t) {
        const float* p[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = f->positions + 3 * (size_t)f->indices[3 * t + k];
        }
        volume += ((double)p[0][0] *
                       ((double)p[1][1] * (double)p[2][2] - (double)p[1][2] * (double)p[2][1]) +
                   (double)p[0][1] *
                       ((double)p[1][2] * (double)p[2][0] - (double)p[1][0] * (double)p[2][2]) +
                   (double)p[0][2] *
                       ((double)p[1][0] * (double)p[2][1] - (double)p[1][1] * (double)p[2][0])) /
                  6.0;
    }
    return volume;
}

/* Boxes face outwards, have the size of their cells but for a gap, and a quarter is missing: the
 * one that the camera sees first. */
static void cells_are_boxes(void) {
    stage s;
    stage_open(&s, LIM_DEBUG_CELLS, NULL);
    arena memory;
    arena_init(&memory, &s.log.host);
    cutaway_view seen;
    CHECK(cutaway_make(&s.f, 0, &s.camera, 2000, &memory, &seen) == LIM_OK);
    int32_t boxes = seen.cells.frame.triangle_count / 12, all = 0;
    double cells = 0.0;
    for (int32_t b = 0; b < 2; ++b) {
        all += s.f.bodies.data[b].now->node_count;
        for (int32_t i = 0; i < s.f.bodies.data[b].now->node_count; ++i) {
            cells += pow((double)s.f.bodies.data[b].now->nodes.side[i], 3.0);
        }
    }
    CHECK(seen.cells.frame.vertex_count == 8 * boxes && seen.line_count == 0);
    CHECK(boxes > 6 * all / 10 && boxes < 9 * all / 10);
    double share = volume_of(&seen.cells.frame) / cells / ((double)boxes / all);
    CHECK(share > 0.75 * 0.75 * 0.75 && share < 0.97);
    /* nothing of the first block is left in front of its middle and on the camera's side */
    for (int32_t i = 0; i < seen.cells.frame.vertex_count; i += 8) {
        double x = 0.0, z = 0.0;
        for (int32_t k = 0; k < 8; ++k) {
            x += (double)seen.cells.frame.positions[3 * (i + k)] / 8.0;
            z += (double)seen.cells.frame.positions[3 * (i + k) + 2] / 8.0;
        }
        CHECK(!(x > 0.01 && x < 1.0 && z > 0.01));
    }
    arena_release(&memory);
    stage_close(&s);
}

static void graph_and_nodes_fade_behind_the_cut(void) {
    stage s;
    stage_open(&s, LIM_DEBUG_GRAPH | LIM_DEBUG_NODES, NULL);
    arena memory;
    arena_init(&memory, &s.log.host);
    cutaway_view seen;
    CHECK(cutaway_make(&s.f, 0, &s.camera, 400, &memory, &seen) == LIM_OK);
    int32_t nodes = s.f.bodies.data[0].now->node_count + s.f.bodies.data[1].now->node_count;
    int32_t edges = s.f.bodies.data[0].now->edge_count + s.f.bodies.data[1].now->edge_count;
    CHECK(seen.cells.frame.triangle_count == 0);
    CHECK(seen.point_count > 4 * nodes / 10 && seen.point_count < 7 * nodes / 10);
    CHECK(seen.line_count > edges / 4 && seen.line_count < 7 * edges / 10);
    for (int32_t i = 0; i < seen.point_count; ++i) {
        CHECK(seen.points[i].at.z < 1e-3f);
        for (int32_t k = 0; k < i; ++k) { /* deeper is fainter; the blocks are alike */
            if (seen.points[i].at.z < seen.points[k].at.z - 0.01f) {
                CHECK((seen.points[i].rgba & 0xFF) <= (seen.points[k].rgba & 0xFF) + 8);
            }
        }
    }
    arena_release(&memory);
    stage_close(&s);
}

static void a_place_chooses_the_region(void) {
    const lim_point at = {3.2, 0.9, 0.1};
    stage s;
    stage_open(&s, LIM_DEBUG_REGION, &at);
    CHECK(s.f.bodies.data[0].now->region_node == -1 && s.f.bodies.data[1].now->region_node >= 0);
    double nearest = INFINITY;
    int32_t node = -1;
    lim_body id = s.f.bodies.data[1].id;
    const film_shape* b = s.f.bodies.data[1].now;
    double* x = malloc(sizeof(double) * 3u * (size_t)b->node_count);
    CHECK(lim_body_get_nodes(scene_run_world(s.run), id, x, NULL, b->node_count) == LIM_OK);
    for (int32_t i = 0; i < b->node_count; ++i) {
        double d =
            pow(x[3 * i] - at.x, 2) + pow(x[3 * i + 1] - at.y, 2) + pow(x[3 * i + 2] - at.z, 2);
        node = d < nearest ? i : node;
        nearest = d < nearest ? d : nearest;
    }
    CHECK(b->region_node == node);
    const lim_model* model = scene_run_body_at(s.run, 1).model;
    CHECK(s.f.frames.data[0].point_count == lim_model_get_region(model, node, NULL, NULL, 0));
    free(x);
    stage_close(&s);
    stage_open(&s, LIM_DEBUG_REGION, NULL);
    CHECK(s.f.bodies.data[0].now->region_node >= 0 && s.f.bodies.data[1].now->region_node >= 0);
    stage_close(&s);
}

/* Six nodes in a row: with one size the middle one, with two sizes the one between. */
static void the_telling_node(void) {
    const float x[6] = {-2, -1, 0.1f, 1, 2, 3}, zero[6] = {0};
    const int32_t even[6] = {4, 4, 4, 4, 4, 4}, mixed[6] = {4, 5, 4, 4, 4, 4};
    const int32_t edges[10] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 5};
    int32_t scratch[6];
    lim_model_nodes nodes = {
        .count = 6, .x = x, .y = zero, .z = zero, .level = even, .edge_count = 5, .edges = edges};
    CHECK(film_telling_node(&nodes, scratch) == 2);
    nodes.level = mixed;
    CHECK(film_telling_node(&nodes, scratch) == 1);
    nodes.count = nodes.edge_count = 0;
    CHECK(film_telling_node(&nodes, scratch) == -1);
}

static int64_t pixels_that_differ(const lim_image* a, const lim_image* b) {
    int64_t count = 0;
    for (int64_t i = 0; i < (int64_t)a->width * a->height; ++i) {
        count += memcmp(a->rgba + 4 * i, b->rgba + 4 * i, 3) != 0;
    }
    return count;
}

/* Every overlay changes the picture, and no two give the same. */
static void overlays_are_seen(void) {
    static const uint32_t overlays[6] = {
        0, LIM_DEBUG_CELLS, LIM_DEBUG_GRAPH, LIM_DEBUG_NODES, LIM_DEBUG_REGION, FILM_CHECKER};
    const int32_t size[2] = {200, 120};
    lim_image images[6];
    for (int32_t k = 0; k < 6; ++k) {
        stage s;
        stage_open(&s, overlays[k], NULL);
        CHECK(lim_image_create(size[0], size[1], &images[k]) == LIM_OK);
        CHECK(draw_still(&s.f, false, size, "blocks", &images[k]) == LIM_OK);
        if (k == 1) { /* plain: as if there were no overlay */
            lim_image plain;
            CHECK(lim_image_create(size[0], size[1], &plain) == LIM_OK);
            CHECK(draw_still(&s.f, true, size, "blocks", &plain) == LIM_OK);
            CHECK(pixels_that_differ(&plain, &images[0]) == 0);
            lim_image_destroy(&plain);
        }
        for (int32_t other = 0; other < k; ++other) {
            CHECK(pixels_that_differ(&images[k], &images[other]) > 200 * 120 / 40);
        }
        stage_close(&s);
    }
    for (int32_t k = 0; k < 6; ++k) {
        lim_image_destroy(&images[k]);
    }
}

static lim_model_desc sampling_desc(int32_t nodes) {
    lim_model_desc desc = lim_model_desc_default();
    desc.node_count = nodes;
    desc.coarsen = 3;
    desc.cells_across = 2.0f;
    return desc;
}

static void levels_add_up(void) {
    say_log log;
    say_log_init(&log, LIM_LOG_ERROR);
    lim_io_message message = {""};
    static const char* const names[3] = {"creature", "hand", "torus"};
    for (int32_t k = 0; k < 3; ++k) {
        lim_mesh* mesh = NULL;
        CHECK(model_mesh(names[k], 4000, &log.host, &mesh) == LIM_OK);
        lim_model_desc desc = sampling_desc(600);
        sampling s;
        CHECK(sampling_begin(&s, mesh, &desc, &log.host, &message) == LIM_OK);
        int32_t cells = 0, nodes = 0, levels = 0;
        double volume = 0.0;
        for (int32_t l = 0; l < SAMPLING_LEVELS; ++l) {
            const sampling_level* level = &s.level[l];
            CHECK(level->nodes == s.info.level_nodes[l]);
            CHECK(level->cells <= level->nodes && (level->cells > 0) == (level->nodes > 0));
            if (level->nodes > 0) {
                double finest = (double)s.info.cell_size;
                CHECK_NEAR(level->edge / (finest * (double)(1 << (s.info.levels - l))), 1.0, 1e-5);
                CHECK(level->volume <= 1.0001 * level->cells * pow(level->edge, 3.0));
                levels++;
            }
            cells += level->cells;
            nodes += level->nodes;
            volume += level->volume;
        }
        CHECK(cells == s.info.cells && nodes == s.info.nodes);
        CHECK_NEAR(volume / s.info.volume, 1.0, 1e-5);
        CHECK(k == 2 || levels > 1);
        lim_image surface, inside;
        const int32_t size[2] = {160, 200};
        CHECK(lim_image_create(160, 200, &surface) == LIM_OK);
        CHECK(lim_image_create(160, 200, &inside) == LIM_OK);
        CHECK(sampling_draw(&s, true, size, &surface) == LIM_OK);
        CHECK(sampling_draw(&s, false, size, &inside) == LIM_OK);
        CHECK(pixels_that_differ(&surface, &inside) > 160 * 200 / 10);
        lim_image_destroy(&surface);
        lim_image_destroy(&inside);
        sampling_end(&s);
        lim_mesh_destroy(mesh);
    }
}

static void without_memory_nothing_leaks(void) {
    lim_mesh* mesh = NULL;
    CHECK(model_mesh("block", 200, NULL, &mesh) == LIM_OK);
    lim_model_desc desc = sampling_desc(20);
    desc.coarsen = 1;
    int32_t failures = 0;
    for (int64_t n = 0;; ++n) {
        failing_host f;
        failing_host_arm(&f, n);
        lim_io_message message = {""};
        sampling s;
        lim_result result = sampling_begin(&s, mesh, &desc, &f.host, &message);
        if (result == LIM_OK) {
            sampling_end(&s);
        }
        CHECK(f.held == 0);
        if (result == LIM_OK) {
            break;
        }
        CHECK(result == LIM_ERROR_MEMORY);
        failures++;
    }
    CHECK(failures > 20);
    lim_mesh_destroy(mesh);
}

TEST_SUITE(cutaway) {
    TEST_BEGIN(argc, argv);
    RUN(cells_are_boxes);
    RUN(graph_and_nodes_fade_behind_the_cut);
    RUN(a_place_chooses_the_region);
    RUN(the_telling_node);
    RUN(overlays_are_seen);
    RUN(levels_add_up);
    RUN(without_memory_nothing_leaks);
    TEST_END();
}
