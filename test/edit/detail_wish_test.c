/* SPDX-License-Identifier: MIT
 * Wishes for levels: what each rule says, that bands hold, and that with edit/levels.h they come to
 * rest.
 */
#include "edit/detail_wish.h"
#include "mesh/sample_kit.h"

enum { NODES = 400 };

typedef struct cloud {
    detail_nodes nodes;
    lim_point position[NODES];
    float side[NODES];
    float strain[NODES];
    level_wish wish[NODES];
} cloud;

static const double CLOUD_CELL = 0.01;

static void cloud_make(cloud* c, uint64_t seed) {
    random_stream r = random_seed(seed);
    c->nodes = (detail_nodes){.coarsest = 2,
                              .finest = 7,
                              .cell = CLOUD_CELL,
                              .count = NODES,
                              .position = c->position,
                              .side = c->side};
    for (int32_t i = 0; i < NODES; ++i) {
        c->position[i] =
            p3((double)random_unit(&r), (double)random_unit(&r), (double)random_unit(&r));
        c->side[i] = (float)(ldexp(CLOUD_CELL, random_index(&r, 6)) * (1.0 + 1e-7 * (i % 3)));
        c->side[i] = i % 16 == 7 ? 0.0f : c->side[i];
        c->strain[i] = random_unit(&r);
    }
    detail_none(&c->nodes, c->wish);
}

static int32_t level_at(const cloud* c, int32_t i) {
    int32_t best = c->nodes.finest;
    for (int32_t l = c->nodes.coarsest; l <= c->nodes.finest; ++l) {
        double edge = ldexp(CLOUD_CELL, c->nodes.finest - l);
        best = fabs(edge - (double)c->side[i]) < 0.01 * edge ? l : best;
    }
    return best;
}

static bool same_wish(level_wish a, level_wish b) {
    return a.coarsest == b.coarsest && a.finest == b.finest && !(a.weight < b.weight) &&
           !(a.weight > b.weight);
}

/* The largest weight of a node that is coarser than its wish; 0: none is. */
static float urgency(const cloud* c, const level_wish* wish) {
    float most = 0.0f;
    for (int32_t i = 0; i < NODES; ++i) {
        bool coarser = c->side[i] > 0.0f && wish[i].coarsest > level_at(c, i);
        most = coarser && wish[i].weight > most ? wish[i].weight : most;
    }
    return most;
}

/* The coarsest level whose cells are not too large. */
static int32_t coarsest_for(const cloud* c, double allowed) {
    for (int32_t l = c->nodes.coarsest; l < c->nodes.finest; ++l) {
        if (ldexp(c->nodes.cell, c->nodes.finest - l) <= allowed) {
            return l;
        }
    }
    return c->nodes.finest;
}

static void nothing_wished_is_as_coarse_as_can_be(void) {
    cloud c;
    cloud_make(&c, 1);
    for (int32_t i = 0; i < NODES; ++i) {
        CHECK(same_wish(c.wish[i], (level_wish){2, 2, 0.0f}));
    }
    CHECK(urgency(&c, c.wish) <= 0.0f);
    detail_keep(&c.nodes, c.wish);
    for (int32_t i = 0; i < NODES; ++i) {
        int32_t now = c.side[i] > 0.0f ? level_at(&c, i) : 2;
        CHECK(same_wish(c.wish[i], (level_wish){(int8_t)now, 7, 0.0f}));
    }
}

static void the_camera_rule_is_as_it_says(void) {
    cloud c;
    cloud_make(&c, 2);
    random_stream r = random_seed(3);
    int32_t seen[8] = {0}, bands = 0;
    for (int round = 0; round < 50; ++round) {
        detail_camera camera = {
            .eye = p3((double)random_range(&r, -3, 3), (double)random_range(&r, -3, 3), 0.5),
            .angle = (double)random_range(&r, 0.01f, 0.2f),
            .least = round % 3 == 0 ? 0.03 : 0.0,
            .range = round % 4 == 0 ? 2.0 : 0.0,
            .hysteresis = (double)random_range(&r, 1.0f, 2.0f)};
        detail_none(&c.nodes, c.wish);
        CHECK(detail_by_camera(&c.nodes, &camera, c.wish) == LIM_OK);
        for (int32_t i = 0; i < NODES; ++i) {
            lim_point d = p3_sub(c.position[i], camera.eye);
            double away = sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
            double allowed = fmax(camera.least, camera.angle * away);
            int32_t coarsest = coarsest_for(&c, allowed);
            int32_t finest = coarsest_for(&c, allowed / camera.hysteresis);
            bool near = camera.range <= 0.0 || away <= camera.range;
            if (c.side[i] <= 0.0f || (!near && away > camera.range * camera.hysteresis)) {
                CHECK(same_wish(c.wish[i], (level_wish){2, 2, 0.0f}));
                continue;
            }
            CHECK(c.wish[i].coarsest == (near ? coarsest : 2) && c.wish[i].finest == finest);
            CHECK_NEAR((double)c.wish[i].weight / (near ? 32.0 * CLOUD_CELL / allowed : 1.0),
                       near ? 1.0 : 0.0, 1e-6);
            seen[finest]++;
            bands += finest > c.wish[i].coarsest;
        }
    }
    for (int32_t l = 2; l <= 7; ++l) {
        CHECK(seen[l] > 0);
    }
    CHECK(bands > 100);
    /* Exactly as large as allowed is not too large; the eye in a node asks for the finest. */
    c.position[0] = p3(0, 0, 0);
    c.side[0] = (float)CLOUD_CELL;
    detail_camera edge = {.eye = p3(4, 0, 0), .angle = CLOUD_CELL, .hysteresis = 1.0};
    detail_none(&c.nodes, c.wish);
    CHECK(detail_by_camera(&c.nodes, &edge, c.wish) == LIM_OK);
    CHECK(c.wish[0].coarsest == 5 && c.wish[0].finest == 5);
    edge.angle *= 1.0 - 1e-12;
    detail_none(&c.nodes, c.wish);
    CHECK(detail_by_camera(&c.nodes, &edge, c.wish) == LIM_OK);
    CHECK(c.wish[0].coarsest == 6);
    edge.eye = p3(0, 0, 0);
    CHECK(detail_by_camera(&c.nodes, &edge, c.wish) == LIM_OK);
    CHECK(same_wish(c.wish[0], (level_wish){7, 7, DETAIL_MOST_WEIGHT}));
}

/* Splits and joins of one node by its wish, as edit/levels.h would. */
static int32_t follow(level_wish w, int32_t level) {
    return level < w.coarsest ? w.coarsest : level > w.finest ? w.finest : level;
}

static void an_eye_in_the_band_changes_nothing(void) {
    cloud c;
    cloud_make(&c, 4);
    random_stream r = random_seed(5);
    int32_t level[NODES], outside = 0;
    for (int round = 0; round < 40; ++round) {
        double hysteresis = (double)random_range(&r, 1.1f, 2.5f);
        double start = (double)random_range(&r, 0.01f, 0.3f);
        detail_camera camera = {.eye = p3(-1, -1, -1), .hysteresis = hysteresis};
        for (int32_t i = 0; i < NODES; ++i) {
            level[i] = 2;
        }
        /* Distances that change by less than the band are angles that do. */
        for (int move = 0; move < 30; ++move) {
            bool leave = move == 29;
            double by = leave ? hysteresis * 2.01
                              : 1.0 + (hysteresis - 1.0) * 0.999 * (double)random_unit(&r);
            camera.angle = move == 0 ? start : start * by;
            detail_none(&c.nodes, c.wish);
            CHECK(detail_by_camera(&c.nodes, &camera, c.wish) == LIM_OK);
            for (int32_t i = 0; i < NODES; ++i) {
                int32_t next = follow(c.wish[i], level[i]);
                CHECK(move == 0 || leave || next == level[i]);
                outside += leave && next != level[i];
                level[i] = next;
            }
        }
    }
    CHECK(outside > 1000);
}

static void requests_reach_what_they_name(void) {
    cloud c;
    cloud_make(&c, 6);
    random_stream r = random_seed(7);
    int32_t asked = 0, near = 0, far = 0;
    for (int round = 0; round < 100; ++round) {
        lim_point at = p3((double)random_unit(&r), (double)random_unit(&r), 0.5);
        bool sphere = round % 2 == 0;
        double radius = (double)random_range(&r, 0.001f, 0.3f);
        int32_t level = random_index(&r, 12);
        detail_request request = {
            .box = {p3_sub(at, p3(radius, radius, radius)), p3_add(at, p3(radius, radius, radius))},
            .centre = at,
            .radius = sphere ? radius : 0.0,
            .level = level};
        if (round % 3 == 0) {
            request.size = ldexp(CLOUD_CELL, 7 - level) * (round % 2 ? 1.0 : 1.7);
        }
        int32_t to = level < 2 ? 2 : level > 7 ? 7 : level;
        detail_none(&c.nodes, c.wish);
        CHECK(detail_by_request(&c.nodes, &request, c.wish) == LIM_OK);
        for (int32_t i = 0; i < NODES; ++i) {
            lim_point d = p3_sub(c.position[i], at);
            double x = fmax(fabs(d.x) - radius, 0.0), y = fmax(fabs(d.y) - radius, 0.0),
                   z = fmax(fabs(d.z) - radius, 0.0);
            double away = sphere ? sqrt(d.x * d.x + d.y * d.y + d.z * d.z) - radius
                                 : sqrt(x * x + y * y + z * z);
            double side = (double)c.side[i];
            if (fabs(away - 0.5 * side) < 1e-9 || fabs(away - 2.0 * side) < 1e-9) {
                continue;
            }
            level_wish expected = {2, 2, 0.0f};
            if (side > 0.0 && away < 2.0 * side) {
                bool meets = away < 0.5 * side;
                expected = (level_wish){(int8_t)(meets ? to : 2), (int8_t)to,
                                        meets ? DETAIL_REQUEST_WEIGHT : 0.0f};
                asked += meets;
                near += !meets;
            } else {
                far++;
            }
            CHECK(same_wish(c.wish[i], expected));
        }
    }
    CHECK(asked > 100 && near > 100 && far > 100);
}

static void strain_goes_one_level_at_a_time(void) {
    cloud c;
    cloud_make(&c, 8);
    detail_strain limits = {.fine = 0.6f, .coarse = 0.3f, .finest = 5};
    CHECK(detail_by_strain(&c.nodes, c.strain, &limits, c.wish) == LIM_OK);
    int32_t up = 0, down = 0, stay = 0;
    for (int32_t i = 0; i < NODES; ++i) {
        if (c.side[i] <= 0.0f) {
            CHECK(same_wish(c.wish[i], (level_wish){2, 2, 0.0f}));
            continue;
        }
        int32_t now = level_at(&c, i), next = follow(c.wish[i], now);
        if (c.strain[i] > 0.6f) {
            CHECK(next == (now < 5 ? now + 1 : now) && c.wish[i].weight > 1.0f);
            up++;
        } else if (c.strain[i] < 0.3f) {
            CHECK(next == (now > 2 ? now - 1 : 2));
            down++;
        } else {
            CHECK(next == now && c.wish[i].weight <= 1.0f);
            /* and it lets nobody join it, unless it is finer than strain may ask for */
            CHECK(c.wish[i].coarsest == (now < 5 ? now : 5));
            stay++;
        }
    }
    CHECK(up > 50 && down > 50 && stay > 50);
    c.side[0] = (float)(2.0 * CLOUD_CELL);
    for (int32_t i = 0; i < NODES; ++i) {
        c.strain[i] = 0.45f + 0.149f * (float)(i % 2 ? 1 : -1);
    }
    detail_none(&c.nodes, c.wish);
    CHECK(detail_by_strain(&c.nodes, c.strain, &limits, c.wish) == LIM_OK);
    for (int32_t i = 0; i < NODES; ++i) {
        CHECK(c.side[i] <= 0.0f || follow(c.wish[i], level_at(&c, i)) == level_at(&c, i));
    }
}

/* The same whatever comes first, and no rule makes another's wish coarser. */
static void the_finest_wish_wins(void) {
    cloud c;
    cloud_make(&c, 9);
    static level_wish each[3][NODES], all[NODES];
    detail_camera camera = {.eye = p3(0, 0, 2), .angle = 0.05, .hysteresis = 1.5};
    detail_strain strain = {.fine = 0.6f, .coarse = 0.3f, .finest = 7};
    detail_request request = {.centre = p3(0.5, 0.5, 0.5), .radius = 0.3, .level = 6};
    static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                    {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int k = 0; k < 9; ++k) {
        level_wish* to = k < 3 ? each[k] : all;
        detail_none(&c.nodes, to);
        for (int j = 0; j < 3; ++j) {
            int rule = k < 3 ? k : order[k - 3][j];
            lim_result result = rule == 0   ? detail_by_camera(&c.nodes, &camera, to)
                                : rule == 1 ? detail_by_strain(&c.nodes, c.strain, &strain, to)
                                            : detail_by_request(&c.nodes, &request, to);
            CHECK(result == LIM_OK);
        }
        for (int32_t i = 0; k >= 3 && i < NODES; ++i) {
            level_wish most = each[0][i];
            for (int j = 1; j < 3; ++j) {
                level_wish w = each[j][i];
                most.coarsest = w.coarsest > most.coarsest ? w.coarsest : most.coarsest;
                most.finest = w.finest > most.finest ? w.finest : most.finest;
                most.weight = w.weight > most.weight ? w.weight : most.weight;
            }
            CHECK(same_wish(all[i], most) && most.coarsest <= most.finest);
        }
    }
    CHECK(urgency(&c, all) >= DETAIL_REQUEST_WEIGHT);
    CHECK(urgency(&c, each[1]) > 1.0f && urgency(&c, each[1]) < 2.0f);
}

/* Twice as large in twice the distance, or seen in a mirror: the same bits. */
static void scaled_and_mirrored_alike(void) {
    cloud c, d;
    cloud_make(&c, 10);
    cloud_make(&d, 10);
    for (int mirror = 0; mirror < 2; ++mirror) {
        double s = mirror ? 1.0 : 4.0, m = mirror ? -1.0 : 4.0;
        d.nodes.cell = s * CLOUD_CELL;
        for (int32_t i = 0; i < NODES; ++i) {
            d.position[i] = p3(m * c.position[i].x, s * c.position[i].y, s * c.position[i].z);
            d.side[i] = (float)s * c.side[i];
        }
        detail_camera camera = {
            .eye = p3(0.5, 0, 2), .angle = 0.05, .least = 0.02, .range = 2.2, .hysteresis = 1.5};
        detail_request request = {.box = {p3(0.5, 0.25, 0.5), p3(0.75, 0.5, 0.75)}, .size = 0.03};
        detail_none(&c.nodes, c.wish);
        CHECK(detail_by_camera(&c.nodes, &camera, c.wish) == LIM_OK);
        CHECK(detail_by_request(&c.nodes, &request, c.wish) == LIM_OK);
        camera.eye = p3(m * 0.5, 0, s * 2);
        camera.least *= s;
        camera.range *= s;
        request.box.lower = p3(mirror ? -0.75 : m * 0.5, s * 0.25, s * 0.5);
        request.box.upper = p3(mirror ? -0.5 : m * 0.75, s * 0.5, s * 0.75);
        request.size *= s;
        detail_none(&d.nodes, d.wish);
        CHECK(detail_by_camera(&d.nodes, &camera, d.wish) == LIM_OK);
        CHECK(detail_by_request(&d.nodes, &request, d.wish) == LIM_OK);
        for (int32_t i = 0; i < NODES; ++i) {
            CHECK(same_wish(c.wish[i], d.wish[i]));
        }
    }
}

/* A body at rest whose nodes are the pieces that levels say. */
typedef struct rest_body {
    finest_kit k;
    int32_t coarsest, nodes;
    int8_t* level;
    int32_t* slot;
    lim_point* position;
    float* side;
    level_wish *wish, *spread;
} rest_body;

static void rest_begin(rest_body* b) {
    shape s = {0};
    shape_sphere(&s, 0, 0, 0, 1, 14);
    lim_mesh* mesh = shape_mesh(&s);
    finest_make(&b->k, mesh, 0.06, 3, true, true);
    lim_mesh_destroy(mesh);
    size_t n = (size_t)b->k.m.count;
    b->coarsest = b->k.tree.finest - 3;
    b->level = calloc(n, 1);
    b->slot = calloc(n, sizeof *b->slot);
    b->position = calloc(n, sizeof *b->position);
    b->side = calloc(n, sizeof *b->side);
    b->wish = calloc(n, sizeof *b->wish);
    b->spread = calloc(n, sizeof *b->spread);
    memset(b->level, b->coarsest, n);
}

static void rest_end(rest_body* b) {
    finest_free(&b->k);
    free(b->level);
    free(b->slot);
    free(b->position);
    free(b->side);
    free(b->wish);
    free(b->spread);
}

static detail_nodes rest_nodes(rest_body* b) {
    const pieces* tree = &b->k.tree;
    int32_t n = b->k.m.count;
    int32_t* slot[OCTANT_LEVELS + 1];
    b->nodes = 0;
    for (int32_t l = 0; l <= tree->finest; ++l) {
        slot[l] = calloc((size_t)tree->level[l].count, sizeof(int32_t));
    }
    for (int32_t f = 0; f < n; ++f) {
        int32_t l = b->level[f], p = piece_over(tree, f, l);
        if (slot[l][p] == 0) {
            b->position[b->nodes] = tree->level[l].centroid[p];
            b->side[b->nodes] = (float)ldexp(tree->side, tree->finest - l);
            slot[l][p] = ++b->nodes;
        }
        b->slot[f] = slot[l][p] - 1;
    }
    for (int32_t l = 0; l <= tree->finest; ++l) {
        free(slot[l]);
    }
    return (detail_nodes){.coarsest = b->coarsest,
                          .finest = tree->finest,
                          .cell = tree->side,
                          .count = b->nodes,
                          .position = b->position,
                          .side = b->side};
}

static level_report rest_choose(rest_body* b, int32_t nodes, int32_t work) {
    level_limits limits = {.coarsest = b->coarsest, .nodes = nodes, .work = work};
    level_report report;
    arena scratch;
    arena_init(&scratch, NULL);
    detail_spread(b->wish, b->k.m.count, b->slot, NULL, b->spread);
    CHECK(levels_choose(&scratch, &b->k.tree, b->level, b->spread, &limits, b->level, &report) ==
          LIM_OK);
    arena_release(&scratch);
    return report;
}

/* An eye anywhere, that then shakes by less than the band: the body comes to rest and stays. */
static void a_body_before_an_eye_comes_to_rest(void) {
    rest_body b;
    rest_begin(&b);
    random_stream r = random_seed(11);
    int32_t most = 0, least = INT32_MAX;
    for (int round = 0; round < 24; ++round) {
        lim_point eye = p3((double)random_range(&r, -1, 2), (double)random_range(&r, -1, 2),
                           (double)random_range(&r, -1, 2));
        detail_camera camera = {
            .eye = eye, .angle = (double)random_range(&r, 0.02f, 0.3f), .hysteresis = 1.4};
        int32_t budget = round % 3 == 0 ? 500 : 0, quiet = 0, calls = 0;
        level_report report = {0};
        for (; quiet < 3 && calls < 300; ++calls) {
            detail_nodes nodes = rest_nodes(&b);
            detail_none(&nodes, b.wish);
            CHECK(detail_by_camera(&nodes, &camera, b.wish) == LIM_OK);
            report = rest_choose(&b, budget, round % 2 ? 60 : 0);
            quiet = report.refined + report.joined == 0 ? quiet + 1 : 0;
        }
        CHECK(calls < 300);
        most = report.nodes > most ? report.nodes : most;
        least = report.nodes < least ? report.nodes : least;
    }
    CHECK(most > 5 * least);
    /* Far away, so that all distances change by one factor. */
    detail_camera far = {.eye = p3(6, 0.5, 0.5), .angle = 0.012, .hysteresis = 1.4};
    for (int move = 0; move < 60; ++move) {
        far.eye.x = 0.5 + 5.5 * (1.0 + 0.15 * (double)(move % 2) * (double)random_unit(&r));
        detail_nodes nodes = rest_nodes(&b);
        detail_none(&nodes, b.wish);
        CHECK(detail_by_camera(&nodes, &far, b.wish) == LIM_OK);
        level_report report = rest_choose(&b, 0, 0);
        CHECK(move < 10 || report.refined + report.joined == 0);
    }
    rest_end(&b);
}

/* A touch much smaller than a coarse cell makes fine nodes there, once and for good, and only
 * there; letting go of them all makes it what it was. */
static void a_touch_refines_and_is_undone(void) {
    rest_body b;
    rest_begin(&b);
    random_stream r = random_seed(12);
    int32_t finest = b.k.tree.finest, begin = 0, n = b.k.m.count;
    for (int round = 0; round < 20; ++round) {
        int32_t target = random_index(&r, n);
        detail_request touch = {
            .centre = b.k.m.centroid[target], .radius = 0.2 * b.k.tree.side, .level = finest};
        level_report report = {0};
        int32_t calls = 0, quiet = 0;
        rest_nodes(&b);
        begin = b.nodes;
        for (; quiet < 2 && calls < 50; ++calls) {
            detail_nodes nodes = rest_nodes(&b);
            detail_none(&nodes, b.wish);
            CHECK(detail_by_request(&nodes, &touch, b.wish) == LIM_OK);
            report = rest_choose(&b, 0, 0);
            quiet = report.refined + report.joined == 0 ? quiet + 1 : 0;
        }
        CHECK(calls < 50 && b.level[target] == finest);
        CHECK(report.nodes > begin && report.nodes < n / 2);
        /* What was done once stays when it is kept. */
        detail_nodes nodes = rest_nodes(&b);
        detail_keep(&nodes, b.wish);
        CHECK(rest_choose(&b, 0, 0).nodes == report.nodes);
        detail_request whole = {.box = {p3(-9, -9, -9), p3(9, 9, 9)}, .level = b.coarsest};
        CHECK(detail_release(&nodes, &whole, b.wish) == LIM_OK);
        CHECK(rest_choose(&b, 0, 0).nodes == begin);
    }
    /* Letting go of one half leaves the other as it is. */
    memset(b.level, finest, (size_t)n);
    detail_nodes nodes = rest_nodes(&b);
    detail_request half = {.box = {p3(-9, -9, -9), p3(0.5, 9, 9)}, .level = b.coarsest};
    detail_keep(&nodes, b.wish);
    CHECK(detail_release(&nodes, &half, b.wish) == LIM_OK);
    CHECK(rest_choose(&b, 0, 0).joined > 0);
    for (int32_t f = 0; f < n; ++f) {
        CHECK(b.k.m.centroid[f].x <= 0.5 || b.level[f] == finest);
    }
    /* The levels of the build are the least. */
    for (int32_t f = 0; f < n; ++f) {
        b.level[f] = (int8_t)(f % 2 ? finest : 0);
        b.slot[f] = 0;
    }
    b.wish[0] = (level_wish){2, 3, 5.0f};
    detail_spread(b.wish, n, b.slot, b.level, b.spread);
    CHECK(same_wish(b.spread[0], b.wish[0]));
    CHECK(same_wish(b.spread[1], (level_wish){(int8_t)finest, (int8_t)finest, 5.0f}));
    rest_end(&b);
}

static void bad_input_adds_nothing(void) {
    cloud c;
    cloud_make(&c, 13);
    const detail_camera camera = {.eye = p3(0, 0, 2), .angle = 0.05, .hysteresis = 1.5};
    const detail_request request = {.centre = p3(0, 0, 0), .radius = 1, .level = 7};
    const detail_strain strain = {.fine = 0.2f, .coarse = 0.1f, .finest = 7};
    for (int k = 0; k < 17; ++k) {
        detail_camera a = camera;
        detail_request b = request;
        detail_strain s = strain;
        detail_nodes nodes = c.nodes;
        float* number = &c.strain[8];
        float kept = *number;
        a.angle = k == 0 ? 0.0 : k == 1 ? (double)NAN : a.angle;
        a.hysteresis = k == 2 ? 0.9 : k == 3 ? (double)NAN : a.hysteresis;
        a.eye.y = k == 4 ? (double)INFINITY : 0.0;
        a.least = k == 5 ? -1.0 : 0.0;
        b.centre.x = k == 6 ? (double)NAN : 0.0;
        b.radius = k == 7 ? -1.0 : k == 8 ? (double)INFINITY : b.radius;
        b.size = k == 9 ? -1.0 : 0.0;
        if (k == 10) {
            b.radius = 0.0;
            b.box = (lim_box){p3(1, 0, 0), p3(0, 1, 1)};
        }
        s.coarse = k == 11 ? 0.2f : k == 12 ? -0.1f : s.coarse;
        s.fine = k == 13 ? NAN : s.fine;
        *number = k == 14 ? NAN : kept;
        nodes.cell = k == 15 ? 0.0 : nodes.cell;
        nodes.coarsest = k == 16 ? 8 : nodes.coarsest;
        if (k < 6 || k > 14) {
            CHECK(detail_by_camera(&nodes, &a, c.wish) == LIM_ERROR_ARGUMENT);
        }
        if ((k >= 6 && k < 11) || k > 14) {
            CHECK(detail_by_request(&nodes, &b, c.wish) == LIM_ERROR_ARGUMENT);
            CHECK(detail_release(&nodes, &b, c.wish) == LIM_ERROR_ARGUMENT);
        }
        if (k >= 11) {
            CHECK(detail_by_strain(&nodes, c.strain, &s, c.wish) == LIM_ERROR_ARGUMENT);
        }
        *number = kept;
        for (int32_t i = 0; i < NODES; ++i) {
            CHECK(same_wish(c.wish[i], (level_wish){2, 2, 0.0f}));
        }
    }
    c.position[3].x = (double)NAN;
    CHECK(detail_by_camera(&c.nodes, &camera, c.wish) == LIM_OK);
    CHECK(detail_by_request(&c.nodes, &request, c.wish) == LIM_OK);
    CHECK(same_wish(c.wish[3], (level_wish){2, 2, 0.0f}));
}

/* Two fingers of five cells along x, 1 apart, linked at their far ends; a cell's edge is 1. The
 * first cell of the one is touched, that of the other was a while ago. */
static void touches_reach_along_what_hangs_together(void) {
    enum { LONG = 5, ALL = 2 * LONG };
    static const int32_t OFFSET[ALL + 1] = {0, 1, 3, 5, 7, 9, 10, 12, 14, 16, 18};
    static const int32_t NODE[18] = {1, 0, 2, 1, 3, 2, 4, 3, 9, 6, 5, 7, 6, 8, 7, 9, 4, 8};
    static const uint16_t LENGTH[18] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    lim_point at[ALL];
    float side[ALL], since[ALL];
    level_wish wish[ALL];
    arena scratch;
    arena_init(&scratch, NULL);
    for (int32_t i = 0; i < ALL; ++i) {
        at[i] = p3((double)(i % LONG), (double)(i / LONG), 0);
        side[i] = 1.0f;
        since[i] = 9.0f;
    }
    since[0] = 0.0f;
    since[5] = 0.5f;
    /* cells of edge 1 are of level 5 */
    const detail_nodes nodes = {2, 7, 0.25, ALL, at, side};
    detail_touch touch = {.since = since,
                          .keep = 0.7,
                          .reach = 0.6,
                          .links = {ALL, OFFSET, NODE, LENGTH},
                          .finest = 7};
    for (int still = 0; still < 2; ++still) {
        touch.still = still != 0;
        detail_none(&nodes, wish);
        CHECK(detail_by_touch(&scratch, &nodes, &touch, wish) == LIM_OK);
        for (int32_t i = 0; i < ALL; ++i) {
            /* asked as far as 0.6 + 1/2, in the band as far as 0.6 + 2 */
            int32_t x = i % LONG, split = i < LONG && still == 0;
            level_wish due = {(int8_t)(x <= 1 ? 5 + split : 2), (int8_t)(x <= 2 ? 5 + split : 2),
                              x <= 1 ? DETAIL_TOUCH_WEIGHT : 0.0f};
            CHECK(same_wish(wish[i], due));
        }
    }
    touch.still = false;
    touch.keep = 0.4; /* that of the other finger is over */
    touch.finest = 5;
    detail_none(&nodes, wish);
    CHECK(detail_by_touch(&scratch, &nodes, &touch, wish) == LIM_OK);
    CHECK(same_wish(wish[0], (level_wish){5, 5, DETAIL_TOUCH_WEIGHT}));
    for (int32_t i = LONG; i < ALL; ++i) {
        CHECK(same_wish(wish[i], (level_wish){2, 2, 0.0f}));
    }
    touch.reach = (double)NAN;
    CHECK(detail_by_touch(&scratch, &nodes, &touch, wish) == LIM_ERROR_ARGUMENT);
    touch.reach = -1.0;
    CHECK(detail_by_touch(&scratch, &nodes, &touch, wish) == LIM_ERROR_ARGUMENT);
    arena_release(&scratch);
}

TEST_SUITE(detail_wish) {
    TEST_BEGIN(argc, argv);
    RUN(nothing_wished_is_as_coarse_as_can_be);
    RUN(the_camera_rule_is_as_it_says);
    RUN(an_eye_in_the_band_changes_nothing);
    RUN(requests_reach_what_they_name);
    RUN(strain_goes_one_level_at_a_time);
    RUN(the_finest_wish_wins);
    RUN(scaled_and_mirrored_alike);
    RUN(a_body_before_an_eye_comes_to_rest);
    RUN(a_touch_refines_and_is_undone);
    RUN(touches_reach_along_what_hangs_together);
    RUN(bad_input_adds_nothing);
    TEST_END();
}
