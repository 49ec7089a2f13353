/* SPDX-License-Identifier: MIT
 * Bindings over cells of several sizes: against the definition of the weights, without a jump of a
 * point, of a normal or of their slopes where sizes change, exact under affine motion, and blind to
 * what the own node does not see.
 */
#include "math/trig.h"
#include "octree_fixture.h"
#include "skin/deform.h"

static octree tree; /* too large for a stack */

static double fall(double t) {
    return t <= 0.0 ? 1.0 : t >= 1.0 ? 0.0 : 1.0 - t * t * (3.0 - 2.0 * t);
}

/* The width of the window by its definition, over all cells. */
static double slow_width(const fixture* f, const double x[3], double coarsest) {
    double width = coarsest;
    for (double edge = coarsest / 2; edge > 0.6 * (double)f->side; edge /= 2) {
        double far = 1.0;
        for (int32_t slot = 0; slot < f->nodes.padded; ++slot) {
            double side = (double)f->sides[slot], near = 1.0;
            for (int axis = 0; axis < 3; ++axis) {
                double out = fabs(x[axis] - (double)f->centre[axis][slot]) - side / 2;
                near *= fall(out / edge - 0.5);
            }
            far *= side > 0.0 && side < 1.1 * edge ? 1.0 - near : 1.0;
        }
        width *= 1.0 - (1.0 - far) / 2;
    }
    return width;
}

/* Integral of the parabola 6 u (1 - u) over [low, high], u along a window from 0 to 1. */
static double covered(double low, double high) {
    low = low < 0.0 ? 0.0 : low > 1.0 ? 1.0 : low;
    high = high < 0.0 ? 0.0 : high > 1.0 ? 1.0 : high;
    return high * high * (3.0 - 2.0 * high) - low * low * (3.0 - 2.0 * low);
}

static float weight_of(const binding* b, int32_t slot) {
    float sum = 0.0f;
    for (int k = 0; k < BINDING_NODES; ++k) {
        sum += b->node[k] == slot ? b->weight[k] : 0.0f;
    }
    return sum;
}

/* Every weight is the share of the window that the cell covers: so they sum to 1 without being made
 * to, and no more than 8 ever were above 0. */
static void weights_are_shares_of_the_window(void) {
    for (int round = 0; round < 6; ++round) {
        random_stream r = random_seed(100 + (uint64_t)round);
        fixture f;
        octree_make(&tree, 3, 2, 2, 3, 0.35f, round < 4, &r);
        octree_fixture(&f, &tree, 0.0625f);
        enum { POINTS = 150 };
        lim_vec3 points[POINTS];
        for (int i = 0; i < POINTS; ++i) {
            points[i] = v3(random_range(&r, 0.25f, 1.25f), random_range(&r, 0.25f, 0.75f),
                           random_range(&r, 0.25f, 0.75f));
        }
        bindings b = fixture_bind(&f, points, NULL, POINTS);
        for (int i = 0; i < POINTS; ++i) {
            const double x[3] = {(double)points[i].x, (double)points[i].y, (double)points[i].z};
            double width = slow_width(&f, x, 0.5), sum = 0.0;
            int used = 0;
            for (int32_t slot = 0; slot < f.nodes.padded; ++slot) {
                double share = f.sides[slot] > 0.0f ? 1.0 : 0.0, half = (double)f.sides[slot] / 2;
                for (int axis = 0; axis < 3; ++axis) {
                    double from = (double)f.centre[axis][slot] - x[axis];
                    share *= covered((from - half) / width + 0.5, (from + half) / width + 0.5);
                }
                sum += share;
                used += share > 1e-9;
                CHECK_NEAR(weight_of(&b.bind[i], slot), share, 3e-6);
            }
            CHECK(used <= BINDING_NODES);
            CHECK_NEAR(sum, 1.0, 1e-7);
        }
        fixture_free(&f);
    }
}

/* On cells of one size the weights are products of smooth steps, to the last bit. */
static void one_size_gives_tensor_weights_exactly(void) {
    fixture f;
    fixture_block(&f, 7, 6, 5, 0.125f);
    random_stream r = random_seed(7);
    for (int round = 0; round < 500; ++round) {
        lim_vec3 at = v3(random_range(&r, -0.37f, 0.37f), random_range(&r, -0.31f, 0.31f),
                         random_range(&r, -0.25f, 0.25f));
        bindings b = fixture_bind(&f, &at, NULL, 1);
        double weight[BINDING_NODES], sum = 0.0;
        for (int k = 0; k < BINDING_NODES; ++k) {
            int32_t slot = b.bind[0].node[k];
            weight[k] = fall(fabs((double)at.x - (double)f.centre[0][slot]) / 0.125) *
                        fall(fabs((double)at.y - (double)f.centre[1][slot]) / 0.125) *
                        fall(fabs((double)at.z - (double)f.centre[2][slot]) / 0.125);
            weight[k] = b.bind[0].weight[k] > 0.0f ? weight[k] : 0.0;
            sum += weight[k];
        }
        CHECK_NEAR(sum, 1.0, 1e-6);
        for (int k = 0; k < BINDING_NODES; ++k) {
            CHECK(b.bind[0].weight[k] == (float)(weight[k] / sum));
        }
    }
    fixture_free(&f);
}

/* A walk along a line: points in equal steps, deformed together with a normal and a tangent. */
enum { WALK_MOST = 8192 };
typedef struct walk {
    int count;
    lim_vec3 point[WALK_MOST], direction[WALK_MOST];
    float position[3 * WALK_MOST], normal[3 * WALK_MOST], rest_normal[3 * WALK_MOST];
    int32_t vertex_point[WALK_MOST];
} walk;
static walk line;

static void walk_between(fixture* f, lim_vec3 from, lim_vec3 to, int count, lim_vec3 normal) {
    line.count = count;
    for (int i = 0; i < count; ++i) {
        line.point[i] = v3_mad(from, v3_sub(to, from), (float)i / (float)(count - 1));
        line.direction[i] = normal;
        line.vertex_point[i] = i;
        memcpy(line.rest_normal + 3 * i, &normal, sizeof normal);
    }
    bindings b = fixture_bind(f, line.point, line.direction, count);
    skin_surface surface = {count, 0, line.vertex_point, line.rest_normal, NULL, NULL};
    skin_output out = {.positions = line.position, .normals = line.normal};
    skin_prepare(&f->nodes, isa_best(), NULL);
    skin_deform(&b, &surface, &f->nodes, 1.0, isa_best(), NULL, &out);
    for (int i = 0; i < count; ++i) { /* displacements from here on */
        for (int k = 0; k < 3; ++k) {
            line.position[3 * i + k] -= (&line.point[i].x)[k];
        }
    }
}

/* Largest change over one step, and largest change of that change, of n floats per point. */
static void largest_changes(const float* v, int count, double* out_first, double* out_second) {
    for (int i = 1; i + 1 < count; ++i) {
        double first = 0.0, second = 0.0;
        for (int k = 0; k < 3; ++k) {
            double a = (double)v[3 * i - 3 + k], b = (double)v[3 * i + k];
            double c = (double)v[3 * i + 3 + k];
            first += (b - a) * (b - a);
            second += (c - 2 * b + a) * (c - 2 * b + a);
        }
        *out_first = sqrt(first) > *out_first ? sqrt(first) : *out_first;
        *out_second = sqrt(second) > *out_second ? sqrt(second) : *out_second;
    }
}

typedef struct changes {
    double point, normal, point_slope, normal_slope;
} changes;

/* Over many lines through trees whose nodes all move at random. */
static changes walk_trees(bool balanced, int count) {
    changes most = {0};
    for (int round = 0; round < 10; ++round) {
        random_stream r = random_seed(200 + (uint64_t)round);
        fixture f;
        octree_make(&tree, 2, 2, 2, 3, 0.45f, balanced, &r);
        octree_fixture(&f, &tree, 0.0625f);
        fixture_random_motion(&f, &r, 0.05f);
        for (int k = 0; k < 10; ++k) {
            lim_vec3 from = random_vec3(&r, 0.02f, 0.98f), to = random_vec3(&r, 0.02f, 0.98f);
            (&from.x)[k % 3] = 0.02f;
            (&to.x)[k % 3] = 0.98f;
            /* half of the lines run along an axis, many of them on the faces of cells */
            if (k % 2 == 0) {
                to = v3(0.0625f * floorf(from.x * 16), 0.0625f * floorf(from.y * 16), from.z);
                from = to;
                (&from.x)[k % 3] = 0.02f;
                (&to.x)[k % 3] = 0.98f;
            }
            walk_between(&f, from, to, count, v3(0, 0, 1));
            largest_changes(line.position, count, &most.point, &most.point_slope);
            largest_changes(line.normal, count, &most.normal, &most.normal_slope);
        }
        fixture_free(&f);
    }
    return most;
}

/* A jump does not shrink with the step, and a kink's change of slope shrinks only as fast as it: a
 * smooth change by 4 times and by 16 times. */
static void nothing_jumps_where_sizes_change(void) {
    for (int balanced = 0; balanced < 2; ++balanced) {
        changes coarse = walk_trees(balanced == 1, 1025), fine = walk_trees(balanced == 1, 4097);
        printf(
            "  largest change per step of 1/1024 and 1/4096: point %.2e %.2e, normal %.2e %.2e\n",
            coarse.point, fine.point, coarse.normal, fine.normal);
        printf("  change of that: point %.2e %.2e, normal %.2e %.2e\n", coarse.point_slope,
               fine.point_slope, coarse.normal_slope, fine.normal_slope);
        CHECK(coarse.point < 0.02 && coarse.normal < 0.1);
        CHECK(fine.point < 0.3 * coarse.point && fine.normal < 0.3 * coarse.normal);
        CHECK(fine.point_slope < 0.12 * coarse.point_slope);
        CHECK(fine.normal_slope < 0.12 * coarse.normal_slope);
    }
}

static void affine_motion_is_reproduced(void) {
    const mat3 map = {{1.2f, 0.3f, -0.2f, 0.1f, 0.8f, 0.25f, -0.15f, 0.2f, 1.1f}};
    const lim_vec3 shift = {0.2f, -0.3f, 0.1f};
    mat3 cofactor = mat3_cofactor(&map);
    random_stream r = random_seed(31);
    fixture f;
    octree_make(&tree, 2, 2, 2, 3, 0.45f, true, &r);
    octree_fixture(&f, &tree, 0.0625f);
    fixture_affine(&f, &map, shift);
    for (int k = 0; k < 10; ++k) {
        lim_vec3 n = v3_unit(random_vec3(&r, -1, 1), v3(0, 0, 1));
        walk_between(&f, random_vec3(&r, 0, 1), random_vec3(&r, 0, 1), 400, n);
        lim_vec3 turned = v3_unit(mat3_mul(&cofactor, n), v3(0, 0, 0));
        for (int i = 0; i < line.count; ++i) {
            lim_vec3 moved = v3_sub(v3_add(mat3_mul(&map, line.point[i]), shift), line.point[i]);
            const float *p = line.position + 3 * i, *m = line.normal + 3 * i;
            CHECK_NEAR(v3_length(v3_sub(v3(p[0], p[1], p[2]), moved)), 0.0, 2e-6);
            CHECK_NEAR(v3_length(v3_sub(v3(m[0], m[1], m[2]), turned)), 0.0, 2e-6);
        }
    }
    fixture_free(&f);
}

/* Two fingers, each a quarter of a coarse cell thick and as far apart, stand on a palm. Up there
 * both lie in the same coarse cells, as fragments; one of them in finer cells in its upper half. */
enum { PALM = 0, LEFT = 1, RIGHT = 2 };
static int32_t fingers_make(fixture* f, int* finger_of, bool fine_right) {
    fixture_cell cells[64];
    int32_t count = 0;
    for (int x = -1; x < 2; ++x) {
        cells[count] = (fixture_cell){4 * x, 0, 0, 3u, 0, {0, 0, 0}, 4};
        finger_of[count++] = PALM;
    }
    for (int y = 4; y < 20; y += 4) {
        cells[count] = (fixture_cell){0, y, 0, 1u, 0, {-0.25f, 0, 0}, 4};
        finger_of[count++] = LEFT;
        if (fine_right && y >= 12) {
            for (int k = 0; k < 4; ++k) {
                cells[count] = (fixture_cell){2, y + 2 * (k & 1), k & 2, 2u, 0, {0.0f, 0, 0}, 2};
                finger_of[count++] = RIGHT;
            }
        } else {
            cells[count] = (fixture_cell){0, y, 0, 2u, 0, {0.25f, 0, 0}, 4};
            finger_of[count++] = RIGHT;
        }
    }
    fixture_make(f, cells, count, 0.05f, v3(0.025f, 0.025f, 0.025f));
    return count;
}

static void one_finger_moves_and_the_other_keeps_still(void) {
    for (int fine = 0; fine < 2; ++fine) {
        fixture f;
        int finger_of[64];
        int32_t count = fingers_make(&f, finger_of, fine == 1);
        random_stream r = random_seed(41);
        for (int32_t i = 0; i < count; ++i) {
            int32_t slot = f.slot_of[i];
            if (finger_of[i] == RIGHT) {
                for (int k = 0; k < 3; ++k) {
                    f.nodes.d[k][slot] = random_range(&r, -1, 1);
                }
                for (int k = 0; k < 9; ++k) {
                    f.nodes.affine[16 * slot + k] = random_range(&r, -1, 1);
                }
            }
        }
        /* Inner and outer side of each finger: at 0.025, 0.075 and 0.125, 0.175; from half a coarse
         * cell above the palm on no window reaches the palm. */
        const float at[4] = {0.025f, 0.075f, 0.125f, 0.175f};
        for (int side = 0; side < 4; ++side) {
            lim_vec3 n = v3(side % 2 == 0 ? -1.0f : 1.0f, 0, 0);
            bool moves = side >= 2;
            walk_between(&f, v3(at[side], 0.3001f, 0.1f), v3(at[side], 0.999f, 0.13f), 300, n);
            double most = 0.0, least = 1e30;
            for (int i = 0; i < line.count; ++i) {
                const float* p = line.position + 3 * i;
                double moved = (double)v3_length(v3(p[0], p[1], p[2]));
                most = moved > most ? moved : most;
                least = moved < least ? moved : least;
            }
            CHECK(moves ? least > 0.0 : most == 0.0);
            /* and down into the palm without a jump */
            double jump[2] = {0, 0}, slope[2] = {0, 0};
            for (int step = 0; step < 2; ++step) {
                walk_between(&f, v3(at[side], 0.05f, 0.1f), v3(at[side], 0.9f, 0.13f),
                             step == 0 ? 1001 : 4001, n);
                largest_changes(line.position, line.count, &jump[step], &slope[step]);
            }
            CHECK(jump[1] < 0.3 * jump[0]);
        }
        fixture_free(&f);
    }
}

/* Fingers so thin that the inner side of the one is nearer to the middle of the other: pieces of
 * the finest size say whose skin it is. */
static void pieces_say_whose_skin_it_is(void) {
    const fixture_cell cells[] = {{0, 0, 0, 1, 0, {-0.45f, 0, 0}, 16},
                                  {0, 0, 0, 2, 1, {-0.25f, 0, 0}, 16}};
    fixture f;
    fixture_make(&f, cells, 2, 0.0625f, v3(0.03125f, 0.03125f, 0.03125f));
    /* columns of pieces at x = 0 .. 1/16 and 3/16 .. 4/16 */
    enum { PIECES = 32 };
    float x[3][PIECES], side[PIECES];
    int32_t slot[PIECES];
    for (int i = 0; i < PIECES; ++i) {
        x[0][i] = 0.03125f + (i < 16 ? 0.0f : 0.1875f);
        x[1][i] = 0.03125f + 0.0625f * (float)(i % 16);
        x[2][i] = 0.53125f;
        side[i] = 0.0625f;
        slot[i] = f.slot_of[i / 16];
    }
    bind_material m = {PIECES, {x[0], x[1], x[2]}, {x[0], x[1], x[2]}, side, slot, NULL};
    const lim_vec3 points[] = {
        {0, 0.5f, 0.53f}, {0.0625f, 0.5f, 0.53f}, {0.1875f, 0.5f, 0.53f}, {0.25f, 0.5f, 0.53f}};
    const lim_vec3 normals[] = {{-1, 0, 0}, {1, 0, 0}, {-1, 0, 0}, {1, 0, 0}};
    bindings without = fixture_bind(&f, points, normals, 4);
    CHECK(without.bind[0].node[0] == f.slot_of[1]); /* what pieces are for */
    f.rest.material = &m;
    bindings b = fixture_bind(&f, points, normals, 4);
    for (int i = 0; i < 4; ++i) {
        CHECK(b.bind[i].node[0] == f.slot_of[i / 2] && b.bind[i].weight[0] == 1.0f);
        CHECK(b.component[i] == i / 2);
    }
    fixture_free(&f);
}

/* A node that sees none of its neighbours has its points alone; one that is seen only around a
 * corner outside of the window does not count. */
static void what_is_not_seen_does_not_count(void) {
    const fixture_cell cells[] = {
        {0, 0, 0, 1u, 0, {0, 0, 0}, 2}, {2, 0, 0, 2u, 0, {0, 0, 0}, 2},
        {2, 2, 0, 2u, 0, {0, 0, 0}, 1}, {0, 2, 0, 4u, 0, {0, 0, 0}, 1},
        {1, 2, 0, 4u, 0, {0, 0, 0}, 1},
    };
    fixture f;
    fixture_make(&f, cells, 5, 0.1f, v3(0.05f, 0.05f, 0.05f));
    random_stream r = random_seed(51);
    for (int i = 0; i < 200; ++i) {
        lim_vec3 at = v3(random_range(&r, 0.001f, 0.199f), random_range(&r, 0.001f, 0.199f),
                         random_range(&r, 0.001f, 0.199f));
        bindings b = fixture_bind(&f, &at, NULL, 1);
        CHECK(b.bind[0].node[0] == f.slot_of[0] && b.bind[0].weight[0] == 1.0f);
    }
    fixture_free(&f);
}

/* Eight cells of two fragments each, all seen: 16 nodes for 8 places, still without a jump. */
static void more_than_eight_stay_continuous(void) {
    fixture_cell cells[64];
    int32_t count = 0;
    for (int i = 0; i < 8; ++i) {
        for (int k = 0; k < 2; ++k) {
            cells[count++] =
                (fixture_cell){i & 1, i >> 1 & 1, i >> 2, 1u, 0, {0.2f * (float)k, 0, 0}, 1};
        }
    }
    fixture f;
    fixture_make(&f, cells, count, 0.5f, v3(0.25f, 0.25f, 0.25f));
    random_stream r = random_seed(61);
    fixture_random_motion(&f, &r, 0.1f);
    for (int k = 0; k < 20; ++k) {
        lim_vec3 from = random_vec3(&r, 0.02f, 0.98f), to = random_vec3(&r, 0.02f, 0.98f);
        double jump[2] = {0, 0}, slope[2] = {0, 0};
        for (int step = 0; step < 2; ++step) {
            walk_between(&f, from, to, step == 0 ? 2001 : 8001, v3(0, 0, 1));
            largest_changes(line.position, line.count, &jump[step], &slope[step]);
        }
        CHECK(jump[1] < 0.3 * jump[0]);
    }
    fixture_free(&f);
}

TEST_SUITE(skin_octree) {
    TEST_BEGIN(argc, argv);
    RUN(weights_are_shares_of_the_window);
    RUN(one_size_gives_tensor_weights_exactly);
    RUN(nothing_jumps_where_sizes_change);
    RUN(affine_motion_is_reproduced);
    RUN(one_finger_moves_and_the_other_keeps_still);
    RUN(pieces_say_whose_skin_it_is);
    RUN(what_is_not_seen_does_not_count);
    RUN(more_than_eight_stay_continuous);
    TEST_END();
}
