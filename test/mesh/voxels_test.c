/* SPDX-License-Identifier: MIT
 * Voxels, fragments and links, step by step, against slow versions of each.
 */
#include "sample/voxels.h"

#include "mesh/crossing.h"
#include "mesh_shapes.h"
#include "sample/fragments.h"
#include "sample/linking.h"
#include "sample/overlap.h"
#include "sample/visibility.h"

static bool bit_of(uint64_t m, int x, int y, int z) {
    return (m >> (x + 4 * y + 16 * z) & 1) != 0;
}

static uint64_t random_mask(random_stream* r, int thinning) {
    uint64_t m = random_u64(r);
    for (int i = 0; i < thinning; ++i) {
        m &= random_u64(r);
    }
    return m;
}

static void mask_shifts_equal_coordinates(void) {
    random_stream r = random_seed(1);
    for (int round = 0; round < 50; ++round) {
        uint64_t m = random_u64(&r), beyond = random_u64(&r);
        for (int axis = 0; axis < 3; ++axis) {
            for (int by = -3; by <= 3; ++by) {
                uint64_t got = mask_shift(m, axis, by, beyond);
                for (int i = 0; i < 64; ++i) {
                    int p[3] = {i & 3, i >> 2 & 3, i >> 4};
                    p[axis] += by;
                    bool own = p[axis] >= 0 && p[axis] < 4;
                    p[axis] &= 3;
                    CHECK((got >> i & 1) == (uint64_t)bit_of(own ? m : beyond, p[0], p[1], p[2]));
                }
            }
        }
        CHECK(mask_count(m) == mask_count(m & beyond) + mask_count(m & ~beyond));
        CHECK(m == 0 || (m >> mask_lowest(m) & 1) == 1);
        int sum[3] = {0};
        for (uint64_t left = m; left != 0; left &= left - 1) {
            int bit = mask_lowest(left);
            sum[0] += bit & 3;
            sum[1] += bit >> 2 & 3;
            sum[2] += bit >> 4;
        }
        CHECK(sum[0] == mask_sum(m, 0) && sum[1] == mask_sum(m, 1) && sum[2] == mask_sum(m, 2));
    }
}

static void mask_reach_equals_coordinates(void) {
    random_stream r = random_seed(2);
    for (int round = 0; round < 20; ++round) {
        uint64_t m[27];
        for (int i = 0; i < 27; ++i) {
            m[i] = random_mask(&r, 5);
        }
        uint64_t got = mask_reach(m, -2, 1);
        for (int i = 0; i < 64; ++i) {
            bool any = false;
            for (int o = 0; o < 64; ++o) {
                int x = 4 + (i & 3) + (o & 3) - 2, y = 4 + (i >> 2 & 3) + (o >> 2 & 3) - 2;
                int z = 4 + (i >> 4) + (o >> 4) - 2;
                any = any || bit_of(m[x / 4 + 3 * (y / 4) + 9 * (z / 4)], x & 3, y & 3, z & 3);
            }
            CHECK((got >> i & 1) == (uint64_t)any);
        }
    }
}

static bool adjacent(int x, int y, int z, bool soft) {
    int largest = abs(x) > abs(y) ? abs(x) : abs(y);
    largest = largest > abs(z) ? largest : abs(z);
    return largest <= 1 && (soft || abs(x) + abs(y) + abs(z) <= 1);
}

static void mask_touch_equals_coordinates(void) {
    random_stream r = random_seed(3);
    int yes = 0;
    for (int round = 0; round < 2000; ++round) {
        uint64_t a = random_mask(&r, 3), b = random_mask(&r, 3);
        uint64_t sa = random_mask(&r, 1), sb = random_mask(&r, 1);
        int k = random_index(&r, 27);
        int d[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        if (k == 13) {
            continue;
        }
        bool any = false;
        for (int i = 0; i < 64; ++i) {
            for (int j = 0; j < 64; ++j) {
                bool both = (a >> i & 1) != 0 && (b >> j & 1) != 0;
                bool soft = (sa >> i & 1) != 0 || (sb >> j & 1) != 0;
                any = any || (both && adjacent((j & 3) + 4 * d[0] - (i & 3),
                                               (j >> 2 & 3) + 4 * d[1] - (i >> 2 & 3),
                                               (j >> 4) + 4 * d[2] - (i >> 4), soft));
            }
        }
        CHECK(mask_touch(a, sa, b, sb, d) == any);
        yes += any;
    }
    CHECK(yes > 100 && yes < 1900);
}

/* Overlap by another way: the nearest point of the cube to the triangle, by walking. The triangle
 * is cut by the cube's planes; what is left has a corner when they overlap. */
static void overlap_equals_cutting(void) {
    random_stream r = random_seed(4);
    int yes = 0, no = 0;
    for (int i = 0; i < 20000; ++i) {
        lim_point p[3], centre;
        double size = i % 3 == 0 ? 4.0 : 1.0;
        for (int k = 0; k < 3; ++k) {
            p[k] =
                p3(size * (double)random_range(&r, -1, 1), size * (double)random_range(&r, -1, 1),
                   size * (double)random_range(&r, -1, 1));
        }
        overlap_triangle t = overlap_prepare(p[0], p[1], p[2]);
        double area = overlap_area(p, p3(-0.5, -0.5, -0.5), p3(0.5, 0.5, 0.5), &centre);
        bool got = overlap_cube(&t, p3(0, 0, 0), 0.5);
        CHECK(got == (area > 0.0));
        yes += got;
        no += !got;
        if (got) {
            CHECK(fabs(centre.x) <= 0.5 && fabs(centre.y) <= 0.5 && fabs(centre.z) <= 0.5);
        }
    }
    CHECK(yes > 1000 && no > 1000);
    const lim_point flat[3] = {{-9, -9, 0.25}, {9, -9, 0.25}, {0, 20, 0.25}};
    lim_point centre;
    CHECK_NEAR(overlap_area(flat, p3(-0.5, -0.5, -0.5), p3(0.5, 0.5, 0.5), &centre), 1.0, 1e-12);
    CHECK_NEAR(centre.z, 0.25, 1e-12);
}

static void run(voxels* v, const lim_mesh* mesh, double side) {
    voxels_init(v, mesh, side, 0, 100000, NULL);
    CHECK(voxels_surface(v) == LIM_OK);
}

static void check_surface(lim_mesh* mesh, double side) {
    voxels v;
    run(&v, mesh, side);
    int32_t touches = 0;
    for (int32_t t = 0; t < mesh->triangle_count; ++t) {
        const int32_t* corner = mesh->triangle_point + 3 * t;
        overlap_triangle o = overlap_prepare(voxels_grid(&v, mesh->point[corner[0]]),
                                             voxels_grid(&v, mesh->point[corner[1]]),
                                             voxels_grid(&v, mesh->point[corner[2]]));
        for (int32_t cz = 0; cz < v.extent; ++cz) {
            for (int32_t cy = 0; cy < v.extent; ++cy) {
                for (int32_t cx = 0; cx < v.extent; ++cx) {
                    uint64_t mask = 0;
                    for (int i = 0; i < 64; ++i) {
                        lim_point at = p3(4 * cx + (i & 3) + 0.5, 4 * cy + (i >> 2 & 3) + 0.5,
                                          4 * cz + (i >> 4) + 0.5);
                        mask |= overlap_cube(&o, at, 0.5 + 1e-5) ? (uint64_t)1 << i : 0;
                    }
                    int32_t cell = voxels_find(&v, cx, cy, cz);
                    if (mask == 0) {
                        continue;
                    }
                    bool found = false;
                    for (int32_t k = 0; k < v.touch.count; ++k) {
                        voxel_touch touch = v.touch.data[k];
                        if (touch.triangle == t && touch.cell == cell) {
                            CHECK(!found && touch.mask == mask);
                            found = true;
                        }
                    }
                    CHECK(found && (v.cell.data[cell].surface & mask) == mask);
                    touches++;
                }
            }
        }
    }
    CHECK(touches == v.touch.count);
    voxels_release(&v);
    lim_mesh_destroy(mesh);
}

static void surface_equals_testing_every_sub_voxel(void) {
    shape s = {0};
    shape_torus(&s, 1.0, 0.35, 9, 7);
    uint32_t a = shape_vertex(&s, -1.5, -1.2, -0.3), b = shape_vertex(&s, 1.4, 1.5, 0.3);
    shape_triangle(&s, a, b, shape_vertex(&s, 1.2, -1.4, 0.1)); /* one large triangle */
    check_surface(shape_mesh(&s), 0.13);
    shape_torus(&s, 1.0, 0.35, 24, 12); /* triangles about as large as sub-voxels */
    check_surface(shape_mesh(&s), 0.3);
}

/* Whatever line along x: a closed surface is left as often as it is entered. */
static void crossings_of_closed_surfaces_cancel(void) {
    random_stream r = random_seed(6);
    for (int round = 0; round < 40; ++round) {
        shape s = {0};
        shape_sphere(&s, 0, 0, 0, 4, 6);
        for (int32_t i = 0; i < 3 * s.vertices; ++i) {
            /* Corners on a lattice: lines go through corners and along edges. */
            s.position[i] = round % 2 == 0 ? floor(s.position[i]) : s.position[i];
        }
        for (int line = 0; line < 200; ++line) {
            double y = random_index(&r, 17) * 0.5 - 4.0, z = random_index(&r, 17) * 0.5 - 4.0;
            if (line % 2 == 0) { /* through a corner, exactly */
                int32_t i = random_index(&r, s.vertices);
                y = s.position[3 * i + 1];
                z = s.position[3 * i + 2];
            }
            int32_t sum = 0;
            for (int32_t t = 0; t < s.triangles; ++t) {
                lim_point p[3];
                for (int k = 0; k < 3; ++k) {
                    const double* at = s.position + 3 * s.index[3 * t + k];
                    p[k] = p3(at[0], at[1], at[2]);
                }
                double x = 0.0;
                sum += crossing_triangle(p[0], p[1], p[2], y, z, &x);
                CHECK(fabs(x) <= 4.0);
            }
            CHECK(sum == 0);
        }
        shape_free(&s);
    }
}

static double slow_number(const lim_mesh* mesh, lim_point at) {
    double sum = 0.0;
    for (int32_t t = 0; t < mesh->triangle_count; ++t) {
        lim_point p[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = p3_sub(p3_of(mesh->point[mesh->triangle_point[3 * t + k]]), at);
        }
        double a = p3_length(p[0]), b = p3_length(p[1]), c = p3_length(p[2]);
        double det = p3_dot(p[0], p3_cross(p[1], p[2]));
        sum += 2.0 * atan2(det, a * b * c + p3_dot(p[0], p[1]) * c + p3_dot(p[1], p[2]) * a +
                                    p3_dot(p[2], p[0]) * b);
    }
    return sum / (4.0 * SHAPE_PI);
}

/* Inside masks both ways, and against the slow numbers of all sub-voxels of the root. */
static void check_inside(lim_mesh* mesh, double side, bool closed) {
    arena a;
    arena_init(&a, NULL);
    winding* w = NULL;
    CHECK(winding_build(&a, mesh, &w) == LIM_OK);
    voxels v;
    int32_t wrong[2] = {0}, all = 0, border = 0;
    for (int way = closed ? 0 : 1; way < 2; ++way) {
        run(&v, mesh, side);
        CHECK((way == 0 ? voxels_inside_rows(&v) : voxels_inside_winding(&v, w, 1)) == LIM_OK);
        CHECK(voxels_finish(&v) == LIM_OK);
        for (int32_t i = 1; i < v.cell.count; ++i) {
            CHECK(v.cell.data[i - 1].key < v.cell.data[i].key);
        }
        int32_t n = 4 * v.extent;
        for (int32_t z = 0; z < n; ++z) {
            for (int32_t y = 0; y < n; ++y) {
                for (int32_t x = 0; x < n; ++x) {
                    int32_t cell = voxels_find(&v, x >> 2, y >> 2, z >> 2);
                    bool inside =
                        cell >= 0 && bit_of(v.cell.data[cell].inside, x & 3, y & 3, z & 3);
                    double number = slow_number(mesh, voxels_at(&v, x, y, z));
                    border += fabs(number - 0.5) < 0.06;
                    wrong[way] += inside != (number > 0.5) && fabs(number - 0.5) >= 0.06;
                    all += inside;
                }
            }
        }
        voxels_release(&v);
    }
    CHECK(all > 500);
    /* Near holes a region without surface is of one kind only nearly always. */
    CHECK(wrong[0] == 0 && wrong[1] <= (closed ? 0 : all / 200));
    CHECK(border < all / 10);
    arena_release(&a);
    lim_mesh_destroy(mesh);
}

static void inside_equals_solid_angles(void) {
    shape s = {0};
    shape_sphere(&s, 0, 0, 0, 1, 10);
    check_inside(shape_mesh(&s), 0.21, true);
    shape_torus(&s, 1.0, 0.4, 14, 8);
    check_inside(shape_mesh(&s), 0.17, true);
    /* hollow, with a solid in the hollow, and one that crosses the wall */
    shape_sphere(&s, 0, 0, 0, 1, 10);
    int32_t one = s.triangles;
    shape_sphere(&s, 0, 0, 0, 0.7, 8);
    shape_flip(&s, one, s.triangles);
    shape_sphere(&s, 0, 0, 0, 0.4, 6);
    shape_sphere(&s, 0, 0.1, 0.9, 0.3, 6);
    check_inside(shape_mesh(&s), 0.19, true);
    /* walls that lie exactly on sub-voxel centres and faces */
    shape_box(&s, 0, 0, 0, 1, 0.5, 0.75);
    check_inside(shape_mesh(&s), 0.25, true);
    shape_sphere(&s, 0, 0, 0, 1, 10);
    shape_holes(&s, 60);
    check_inside(shape_mesh(&s), 0.21, false);
}

/* Components of the material, sub-voxel by sub-voxel, over the whole grid. */
static void check_neighbours(const voxels* v) {
    for (int32_t i = 0; i < v->cell.count; ++i) {
        const voxel_cell* c = &v->cell.data[i];
        for (int k = 0; k < 27; ++k) {
            CHECK(v->near[i][k] ==
                  voxels_find(v, c->x + k % 3 - 1, c->y + k / 3 % 3 - 1, c->z + k / 9 - 1));
        }
    }
}

/* Links are the same where no cell is known to be full: with a list of cut links each, none of
 * which is cut. Returns how many cells had to be full all around. */
static int32_t check_links(const voxels* v, const fragments* f, const visibility* see) {
    arena a;
    arena_init(&a, NULL);
    uint64_t none[13] = {0};
    int32_t n = v->cell.count, *first, *item, within = 0;
    int32_t(*place)[3] = arena_alloc(&a, (size_t)n, sizeof *place);
    const uint64_t** cut = arena_alloc(&a, (size_t)n, sizeof *cut);
    uint64_t* soft = ARENA_ARRAY(&a, uint64_t, f->count);
    for (int32_t i = 0; i < n; ++i) {
        const voxel_cell* c = &v->cell.data[i];
        const int32_t at[3] = {c->x, c->y, c->z};
        memcpy(place[i], at, sizeof at);
        cut[i] = none;
        for (int32_t k = f->cell_first[i]; k < f->cell_first[i + 1]; ++k) {
            soft[k] = f->mask[k] & voxels_soft(c);
        }
    }
    linking l = {.host = a.host,
                 .scratch = &a,
                 .cell_count = n,
                 .place = (const int32_t(*)[3])place,
                 .near = &v->near[0][0],
                 .cell_first = f->cell_first,
                 .cell = f->cell,
                 .mask = f->mask,
                 .soft = soft};
    CHECK(linking_find(&l) == LIM_OK);
    for (int32_t i = 0; i < n; ++i) {
        within += l.whole[i] == LINK_WITHIN;
    }
    linking_release(&l);
    l = (linking){.host = a.host,
                  .scratch = &a,
                  .cell_count = n,
                  .place = l.place,
                  .near = l.near,
                  .cell_first = l.cell_first,
                  .cell = l.cell,
                  .mask = l.mask,
                  .soft = soft,
                  .cut = (const uint64_t* const*)cut};
    CHECK(linking_find(&l) == LIM_OK);
    CHECK(linking_list(&a, f->count, l.link.data, l.link.count, &first, &item) == LIM_OK);
    CHECK(memcmp(first, see->edge_offset, ((size_t)f->count + 1) * sizeof *first) == 0);
    CHECK(memcmp(item, see->edge_node, (size_t)first[f->count] * sizeof *item) == 0);
    for (int32_t i = 0; i < f->count; ++i) {
        for (int32_t e = first[i] + 1; e < first[i + 1]; ++e) {
            CHECK(item[e - 1] < item[e]);
        }
    }
    linking_release(&l);
    arena_release(&a);
    return within;
}

static int32_t check_connection(lim_mesh* mesh, double side, int32_t pieces) {
    arena a;
    arena_init(&a, NULL);
    bvh* tree = NULL;
    winding* w = NULL;
    CHECK(bvh_build(&a, mesh->point, mesh->triangle_point, mesh->triangle_count, &tree) == LIM_OK);
    CHECK(winding_build(&a, mesh, &w) == LIM_OK);
    voxels v;
    run(&v, mesh, side);
    CHECK(voxels_inside_winding(&v, w, 1) == LIM_OK);
    CHECK(voxels_finish(&v) == LIM_OK && voxels_thin(&v, false) == LIM_OK);
    fragments f;
    visibility s = {0};
    CHECK(fragments_build(&a, &v, tree, false, &f) == LIM_OK);
    CHECK(visibility_build(&a, &v, &f, false, &s) == LIM_OK);
    check_neighbours(&v);
    int32_t n = 4 * v.extent, within = check_links(&v, &f, &s);
    int32_t* label = calloc((size_t)n * (size_t)n * (size_t)n, sizeof(int32_t));
    int32_t* queue = calloc((size_t)n * (size_t)n * (size_t)n, sizeof(int32_t));
    int32_t labels = 0;
    for (int32_t cell = 0; cell < v.cell.count; ++cell) {
        const voxel_cell* c = &v.cell.data[cell];
        for (int i = 0; i < 64; ++i) {
            int32_t x = 4 * c->x + (i & 3), y = 4 * c->y + (i >> 2 & 3), z = 4 * c->z + (i >> 4);
            int32_t seed = x + n * (y + n * z), count = 0;
            if ((voxels_material(c) >> i & 1) == 0 || label[seed] != 0) {
                continue;
            }
            label[seed] = ++labels;
            queue[count++] = seed;
            for (int32_t q = 0; q < count; ++q) {
                int32_t at[3] = {queue[q] % n, queue[q] / n % n, queue[q] / n / n};
                int32_t own = voxels_find(&v, at[0] >> 2, at[1] >> 2, at[2] >> 2);
                bool soft = bit_of(voxels_soft(&v.cell.data[own]), at[0] & 3, at[1] & 3, at[2] & 3);
                for (int k = 0; k < 27; ++k) {
                    int32_t to[3] = {at[0] + k % 3 - 1, at[1] + k / 3 % 3 - 1, at[2] + k / 9 - 1};
                    if (to[0] < 0 || to[1] < 0 || to[2] < 0 || to[0] >= n || to[1] >= n ||
                        to[2] >= n) {
                        continue;
                    }
                    int32_t next = to[0] + n * (to[1] + n * to[2]);
                    int32_t other = voxels_find(&v, to[0] >> 2, to[1] >> 2, to[2] >> 2);
                    if (label[next] != 0 || other < 0 ||
                        !bit_of(voxels_material(&v.cell.data[other]), to[0] & 3, to[1] & 3,
                                to[2] & 3)) {
                        continue;
                    }
                    bool to_soft =
                        bit_of(voxels_soft(&v.cell.data[other]), to[0] & 3, to[1] & 3, to[2] & 3);
                    if (adjacent(to[0] - at[0], to[1] - at[1], to[2] - at[2], soft || to_soft)) {
                        label[next] = labels;
                        queue[count++] = next;
                    }
                }
            }
        }
    }
    /* One label per component and one component per label. */
    CHECK(labels == s.component_count);
    CHECK(pieces == 0 || pieces == labels);
    int32_t* label_component = calloc((size_t)labels + 1, sizeof(int32_t));
    for (int32_t i = 0; i < f.count; ++i) {
        const voxel_cell* c = &v.cell.data[f.cell[i]];
        int bit = mask_lowest(f.mask[i]);
        int32_t x = 4 * c->x + (bit & 3), y = 4 * c->y + (bit >> 2 & 3), z = 4 * c->z + (bit >> 4);
        int32_t own = label[x + n * (y + n * z)];
        CHECK(label_component[own] == 0 || label_component[own] == s.component[i] + 1);
        label_component[own] = s.component[i] + 1;
    }
    free(label);
    free(queue);
    free(label_component);
    voxels_release(&v);
    arena_release(&a);
    lim_mesh_destroy(mesh);
    return within;
}

static void graph_is_connected_as_the_material_is(void) {
    shape s = {0};
    shape_sphere(&s, 0, 0, 0, 1, 10);
    CHECK(check_connection(shape_mesh(&s), 0.05, 1) > 100);
    shape_sphere(&s, 0, 0, 0, 1, 10);
    check_connection(shape_mesh(&s), 0.15, 1);
    shape_sheet(&s, 5, 0.37);
    check_connection(shape_mesh(&s), 0.06, 1);
    shape_fingers(&s, 0.3, 0.06);
    check_connection(shape_mesh(&s), 0.12, 1);
    shape_sphere(&s, 0, 0, 0, 1, 8);
    shape_sphere(&s, 2.3, 0, 0, 1, 8);
    check_connection(shape_mesh(&s), 0.1, 2);
    random_stream r = random_seed(5);
    for (int round = 0; round < 8; ++round) { /* noise: specks, tips and holes */
        shape_sphere(&s, 0, 0, 0, 1, 14);
        for (int32_t i = 0; i < 3 * s.vertices; ++i) {
            s.position[i] += 0.2 * (double)random_unit(&r);
        }
        check_connection(shape_mesh(&s), 0.07 + 0.01 * round, 0);
    }
    for (int round = 0; round < 12; ++round) {
        for (int t = 0; t < 30; ++t) { /* hair, sheets and slivers that cross */
            uint32_t p[3];
            for (int k = 0; k < 3; ++k) {
                p[k] = shape_vertex(&s, (double)random_unit(&r), (double)random_unit(&r),
                                    (double)random_unit(&r) * 0.5);
            }
            shape_triangle(&s, p[0], p[1], p[2]);
        }
        check_connection(shape_mesh(&s), 0.09, 0);
    }
}

TEST_SUITE(voxels) {
    TEST_BEGIN(argc, argv);
    RUN(mask_shifts_equal_coordinates);
    RUN(mask_reach_equals_coordinates);
    RUN(mask_touch_equals_coordinates);
    RUN(overlap_equals_cutting);
    RUN(surface_equals_testing_every_sub_voxel);
    RUN(crossings_of_closed_surfaces_cancel);
    RUN(inside_equals_solid_angles);
    RUN(graph_is_connected_as_the_material_is);
    TEST_END();
}
