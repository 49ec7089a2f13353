/* SPDX-License-Identifier: MIT
 * Pictures of the inside: the weights of a region, its members as points, and the sums that it is
 * made of as boxes, for blended and for interval regions, over one size of cells and over several.
 */
#include "test.h"
#include "world_kit.h"

enum { ROOM = 4000 };

typedef struct region_case {
    lim_model* model;
    lim_world* world;
    lim_body body;
    lim_model_info info;
    lim_model_nodes nodes;
    int32_t members, lines, points;
    int32_t node[ROOM];
    float weight[ROOM];
    lim_debug_line line[12 * ROOM];
    lim_debug_point point[ROOM];
} region_case;

static region_case* case_make(int32_t nodes, int32_t coarsen, lim_region_kind regions) {
    region_case* c = calloc(1, sizeof *c);
    lim_mesh* mesh = NULL;
    lim_model_desc desc = lim_model_desc_default();
    desc.node_count = nodes;
    desc.coarsen = coarsen;
    if (coarsen > 0) { /* fine at the surface, coarse inside */
        desc.cell_size = 0.06f;
        desc.surface_size = 0.06f;
        desc.size_growth = 0.5f;
    }
    desc.regions = regions;
    CHECK(kit_ball(20, 30, NULL, &mesh) == LIM_OK);
    CHECK(lim_model_create(mesh, &desc, NULL, &c->model) == LIM_OK);
    lim_mesh_destroy(mesh);
    c->world = kit_world(NULL, 1);
    c->body = kit_body(c->world, c->model, 0.0, 3.0);
    c->info = lim_model_get_info(c->model);
    c->nodes = lim_model_get_nodes(c->model);
    return c;
}

static void case_free(region_case* c) {
    lim_world_destroy(c->world);
    lim_model_destroy(c->model);
    free(c);
}

static void case_region(region_case* c, int32_t node) {
    lim_point centre = {0.0, 3.0, 0.0};
    c->members = lim_model_get_region(c->model, node, c->node, c->weight, ROOM);
    CHECK(lim_body_debug_draw(c->world, c->body, LIM_DEBUG_REGION, node, centre, c->line, 12 * ROOM,
                              &c->lines, c->point, ROOM, &c->points) == LIM_OK);
    CHECK(c->members > 0 && c->members <= ROOM && c->points == c->members);
    CHECK(c->lines > 0 && c->lines % 12 == 0 && c->lines <= 12 * ROOM);
}

/* The points are the members in the same order, larger the more they weigh. */
static void check_points(const region_case* c) {
    float most = 0.0f;
    for (int32_t i = 0; i < c->members; ++i) {
        most = c->weight[i] > most ? c->weight[i] : most;
    }
    CHECK(most <= 1.0f);
    for (int32_t i = 0; i < c->members; ++i) {
        int32_t n = c->node[i];
        CHECK(c->weight[i] > 0.0f);
        CHECK_NEAR(c->point[i].at.x, c->nodes.x[n], 1e-5);
        CHECK_NEAR(c->point[i].at.y, c->nodes.y[n], 1e-5);
        CHECK_NEAR(c->point[i].at.z, c->nodes.z[n], 1e-5);
        double share = 0.4 + 0.6 * sqrt((double)(c->weight[i] / most));
        CHECK_NEAR(c->point[i].size / c->nodes.side[n], share, 1e-4);
    }
}

/* Boxes are cubes at rest, of the size of a cell or a whole number of doublings, and no two are the
 * same. The least corner and the edge of each go to `low` and `edge`. */
static void check_boxes(const region_case* c, lim_vec3* low, double* edge) {
    int32_t boxes = c->lines / 12;
    for (int32_t b = 0; b < boxes; ++b) {
        const lim_debug_line* l = c->line + 12 * (size_t)b;
        low[b] = l[0].a;
        edge[b] = (double)(l[0].b.x - l[0].a.x);
        for (int k = 0; k < 12; ++k) {
            double x = (double)(l[k].b.x - l[k].a.x), y = (double)(l[k].b.y - l[k].a.y),
                   z = (double)(l[k].b.z - l[k].a.z);
            CHECK_NEAR(sqrt(x * x + y * y + z * z), edge[b], 1e-5);
            CHECK(x > -1e-6 && y > -1e-6 && z > -1e-6);
        }
        double cells = edge[b] / (0.92 * (double)c->info.cell_size);
        while (cells > 1.5) {
            cells *= 0.5;
        }
        CHECK_NEAR(cells, 1.0, 1e-3);
        for (int32_t other = 0; other < b; ++other) {
            CHECK(fabsf(low[b].x - low[other].x) + fabsf(low[b].y - low[other].y) +
                      fabsf(low[b].z - low[other].z) >
                  1e-4f);
        }
    }
}

static int32_t boxes_around(const region_case* c, const lim_vec3* low, const double* edge,
                            int32_t i) {
    int32_t count = 0;
    lim_vec3 at = c->point[i].at;
    for (int32_t b = 0; b < c->lines / 12; ++b) {
        double gap = edge[b] * (0.04 / 0.92 + 1e-4), far = edge[b] + gap;
        double x = (double)(at.x - low[b].x), y = (double)(at.y - low[b].y),
               z = (double)(at.z - low[b].z);
        count += x > -gap && x < far && y > -gap && y < far && z > -gap && z < far;
    }
    return count;
}

static void regions_are_shown(void) {
    static const struct {
        int32_t nodes, coarsen;
        lim_region_kind kind;
    } cases[] = {{300, 0, LIM_REGIONS_BLENDED},
                 {0, 2, LIM_REGIONS_BLENDED},
                 {300, 0, LIM_REGIONS_INTERVAL},
                 {0, 2, LIM_REGIONS_INTERVAL}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        region_case* c = case_make(cases[k].nodes, cases[k].coarsen, cases[k].kind);
        CHECK((cases[k].coarsen > 0) == (c->info.coarsest_size > 1.5f * c->info.cell_size));
        lim_vec3* low = calloc(ROOM, sizeof *low);
        double* edge = calloc(ROOM, sizeof *edge);
        for (int32_t node = 0; node < c->info.nodes; node += 7) {
            case_region(c, node);
            check_points(c);
            check_boxes(c, low, edge);
            bool own = false;
            double inside = 0.0, all = 0.0;
            for (int32_t i = 0; i < c->members; ++i) {
                own = own || c->node[i] == node;
                int32_t around = boxes_around(c, low, edge, i);
                inside += (double)c->weight[i] * (around > 0);
                all += (double)c->weight[i];
                if (cases[k].kind == LIM_REGIONS_INTERVAL) {
                    CHECK(c->weight[i] == 1.0f);
                    CHECK(around == 1); /* the sums part the members among them */
                }
            }
            CHECK(own);
            /* tents are highest in their cells: most of the weight is in some box */
            CHECK(inside > 0.6 * all);
        }
        free(low);
        free(edge);
        case_free(c);
    }
}

/* A node's weights over all regions are 1 together: the regions of all nodes, each once. */
static void weights_add_up(void) {
    region_case* c = case_make(250, 0, LIM_REGIONS_BLENDED);
    double* sum = calloc((size_t)c->info.nodes, sizeof *sum);
    double* seen = calloc((size_t)c->info.nodes, sizeof *seen); /* marks of the regions met */
    int32_t regions = 0;
    for (int32_t node = 0; node < c->info.nodes; ++node) {
        c->members = lim_model_get_region(c->model, node, c->node, c->weight, ROOM);
        double mark = 0.0;
        for (int32_t i = 0; i < c->members; ++i) {
            mark += (double)c->weight[i] * (double)(c->node[i] + 1);
        }
        bool known = false;
        for (int32_t r = 0; r < regions; ++r) {
            known = known || seen[r] == mark;
        }
        for (int32_t i = 0; i < c->members && !known; ++i) {
            sum[c->node[i]] += (double)c->weight[i];
        }
        seen[regions] = mark;
        regions += !known;
    }
    /* every region is the heaviest of some node only as a rule: no sum may be above 1 */
    double most = 0.0;
    for (int32_t i = 0; i < c->info.nodes; ++i) {
        CHECK(sum[i] < 1.0 + 1e-5);
        most = sum[i] > most ? sum[i] : most;
    }
    CHECK(regions <= c->info.regions);
    CHECK(most > 0.9);
    free(sum);
    free(seen);
    case_free(c);
}

/* Either list may be missing, and a short one is not written beyond its end. */
static void lists_may_be_short(void) {
    region_case* c = case_make(100, 0, LIM_REGIONS_BLENDED);
    c->members = lim_model_get_region(c->model, 5, c->node, c->weight, ROOM);
    int32_t node[3] = {-1, -1, -1};
    float weight[3] = {-1, -1, -1};
    CHECK(lim_model_get_region(c->model, 5, node, NULL, 2) == c->members);
    CHECK(lim_model_get_region(c->model, 5, NULL, weight, 2) == c->members);
    CHECK(node[0] == c->node[0] && node[1] == c->node[1] && node[2] == -1);
    CHECK(weight[0] == c->weight[0] && weight[1] == c->weight[1] && weight[2] == -1.0f);
    CHECK(lim_model_get_region(c->model, c->info.nodes, node, weight, 2) == 0);
    CHECK(lim_model_get_region(c->model, -1, node, weight, 2) == 0);
    case_free(c);
}

/* Colours tell sizes: one colour per size, the same in cells and nodes. */
static void colours_tell_sizes(void) {
    region_case* c = case_make(0, 2, LIM_REGIONS_BLENDED);
    lim_point o = {0, 0, 0};
    CHECK(lim_body_debug_draw(c->world, c->body, LIM_DEBUG_NODES | LIM_DEBUG_CELLS, 0, o, c->line,
                              12 * ROOM, &c->lines, c->point, ROOM, &c->points) == LIM_OK);
    CHECK(c->points == c->info.nodes && c->lines == 12 * c->info.nodes && c->points <= ROOM);
    for (int32_t i = 0; i < c->points; ++i) {
        CHECK(c->point[i].rgba == c->line[12 * i].rgba);
        bool same_size = c->nodes.level[i] == c->nodes.level[0];
        CHECK(same_size == (c->point[i].rgba == c->point[0].rgba));
        lim_debug_line* l = c->line + 12 * (size_t)i;
        CHECK_NEAR(l[0].b.x - l[0].a.x, c->nodes.side[i], 1e-5);
        CHECK_NEAR(l[11].b.z - l[0].a.z, c->nodes.side[i], 1e-5); /* corner 7 from corner 0 */
        CHECK_NEAR(l[11].b.y - l[0].a.y, c->nodes.side[i], 1e-5);
    }
    case_free(c);
}

TEST_SUITE(world_debug_region) {
    TEST_BEGIN(argc, argv);
    RUN(regions_are_shown);
    RUN(weights_add_up);
    RUN(lists_may_be_short);
    RUN(colours_tell_sizes);
    TEST_END();
}
