/* SPDX-License-Identifier: MIT
 * The lattice: occupied cells against the definition, corners, links and components against brute
 * force, volumes against what is known, for solids, shells, open and nasty meshes.
 */
#include "sample/lattice.h"

#include "sample/overlap.h"
#include "sample_kit.h"

typedef struct laid {
    lim_mesh* mesh;
    arena mem;
    sampling s;
    double volume; /* of all nodes, mesh units */
} laid;

static int compare_keys(const void* a, const void* b) {
    uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return x < y ? -1 : x > y;
}

/* Where a key is in an ascending list, or -1. */
static int32_t find_key(const uint64_t* list, int32_t count, int32_t levels, int32_t x, int32_t y,
                        int32_t z) {
    if (x < 0 || y < 0 || z < 0 || x >= 1 << levels || y >= 1 << levels || z >= 1 << levels) {
        return -1;
    }
    uint64_t key = octant_key((octant){levels, x, y, z});
    const uint64_t* at = bsearch(&key, list, (size_t)count, sizeof key, compare_keys);
    return at != NULL ? (int32_t)(at - list) : -1;
}

static bool has_cell(const sampling* s, int32_t x, int32_t y, int32_t z) {
    return find_key(s->lattice_cells, s->cell_count, s->levels, x, y, z) >= 0;
}

/* The nodes are the corners of the cells, each once. */
static void check_corners(const sampling* s) {
    CHECK(s->cell_count > 0 && s->node_count > 0);
    int32_t low[3] = {INT32_MAX, INT32_MAX, INT32_MAX};
    for (int32_t i = 0; i < s->cell_count; ++i) {
        CHECK(i == 0 || s->lattice_cells[i - 1] < s->lattice_cells[i]);
        octant o = octant_of(s->lattice_cells[i]);
        CHECK(o.level == s->levels);
        for (int k = 0; k < 8; ++k) {
            CHECK(find_key(s->key, s->node_count, s->levels, o.x + (k & 1), o.y + (k >> 1 & 1),
                           o.z + (k >> 2)) >= 0);
        }
    }
    for (int32_t i = 0; i < s->node_count; ++i) {
        CHECK(i == 0 || s->key[i - 1] < s->key[i]);
        octant o = octant_of(s->key[i]);
        CHECK(o.level == s->levels && s->level[i] == s->levels && s->fragment[i] == 0);
        const int32_t at[3] = {o.x, o.y, o.z};
        int around = 0;
        for (int k = 0; k < 8; ++k) {
            around += has_cell(s, o.x - (k & 1), o.y - (k >> 1 & 1), o.z - (k >> 2));
        }
        CHECK(around > 0);
        for (int k = 0; k < 3; ++k) {
            low[k] = at[k] < low[k] ? at[k] : low[k];
        }
        lim_point place = p3_mad(p3_of(s->corner), p3(o.x, o.y, o.z), (double)s->cell_size);
        CHECK_NEAR(p3_length(p3_sub(place, p3_of(s->centre[i]))), 0.0, 1e-6);
        CHECK(memcmp(&s->centre[i], &s->centroid[i], sizeof(lim_vec3)) == 0);
        CHECK(s->side[i] == s->cell_size && s->volume[i] > 0.0f);
        CHECK(s->volume[i] <= 2.0f * s->side[i] * s->side[i] * s->side[i]);
    }
    CHECK(low[0] == 0 && low[1] == 0 && low[2] == 0);
    CHECK(s->fragment_count == 0 && s->glued_edges == 0 && s->pieces.level[0].count == 0);
}

/* Nodes are linked exactly when a cell has both as corners. */
static void check_links(const sampling* s) {
    check_graph(s);
    for (int32_t i = 0; i < s->node_count; ++i) {
        octant a = octant_of(s->key[i]);
        int32_t links = 0;
        for (int k = 0; k < 27; ++k) {
            octant b = {s->levels, a.x + k % 3 - 1, a.y + k / 3 % 3 - 1, a.z + k / 9 - 1};
            bool both = false;
            for (int c = 0; c < 8; ++c) {
                int32_t x = a.x - (c & 1), y = a.y - (c >> 1 & 1), z = a.z - (c >> 2);
                bool holds = b.x >= x && b.x <= x + 1 && b.y >= y && b.y <= y + 1 && b.z >= z &&
                             b.z <= z + 1;
                both = both || (holds && has_cell(s, x, y, z));
            }
            int32_t j = k != 13 ? find_key(s->key, s->node_count, s->levels, b.x, b.y, b.z) : -1;
            CHECK(!both || k == 13 || j >= 0);
            links += both && k != 13;
            CHECK(j < 0 || sampling_has_edge(s, i, j) == both);
        }
        CHECK(links == s->edge_offset[i + 1] - s->edge_offset[i]);
    }
}

static lim_point unit_point(const sampling* s, octant o, double x, double y, double z) {
    return p3_mad(p3_of(s->corner), p3(o.x + x, o.y + y, o.z + z), (double)s->cell_size);
}

/* Which cells must be there and which may: those that a triangle reaches into, those with a
 * sub-voxel inside, and what is left must be touched by a triangle that lies between cells. */
static void check_cells_of(const lim_mesh* mesh, const lim_model_desc* desc, const sampling* s) {
    arena a;
    arena_init(&a, NULL);
    winding* number = NULL;
    CHECK(winding_build(&a, mesh, &number) == LIM_OK);
    double side = (double)s->cell_size;
    lim_box bounds = mesh->report.bounds;
    lim_point half = p3_scale(p3_sub(bounds.upper, bounds.lower), 0.5 / mesh->size);
    int32_t high[3] = {0, 0, 0};
    for (int32_t i = 0; i < s->node_count; ++i) {
        octant o = octant_of(s->key[i]);
        high[0] = o.x > high[0] ? o.x : high[0];
        high[1] = o.y > high[1] ? o.y : high[1];
        high[2] = o.z > high[2] ? o.z : high[2];
    }
    for (int32_t z = -1; z <= high[2]; ++z) {
        for (int32_t y = -1; y <= high[1]; ++y) {
            for (int32_t x = -1; x <= high[0]; ++x) {
                octant o = {s->levels, x, y, z};
                lim_point middle = unit_point(s, o, 0.5, 0.5, 0.5);
                bool reached = false, clearly = false, touched = false;
                for (int32_t t = 0; t < mesh->triangle_count; ++t) {
                    const int32_t* p = mesh->triangle_point + 3 * t;
                    overlap_triangle tri =
                        overlap_prepare(p3_of(mesh->point[p[0]]), p3_of(mesh->point[p[1]]),
                                        p3_of(mesh->point[p[2]]));
                    double inner = side * (0.5 - LATTICE_REACH);
                    reached = reached || overlap_cube(&tri, middle, inner + 1e-6);
                    clearly = clearly || overlap_cube(&tri, middle, inner - 1e-6);
                    touched = touched || overlap_cube(&tri, middle, side * (0.5 + LATTICE_REACH));
                }
                int inside = 0, doubtful = 0;
                for (int k = 0; k < 64 && desc->solid; ++k) {
                    lim_point at = unit_point(s, o, (k % 4 + 0.5) / 4, (k / 4 % 4 + 0.5) / 4,
                                              (k / 16 + 0.5) / 4);
                    /* A soup may wind about places beyond its bounds: cells need not be there. */
                    bool beyond = fabs(at.x) > half.x || fabs(at.y) > half.y || fabs(at.z) > half.z;
                    double w = (double)winding_number(number, v3_of(at));
                    inside += w > 0.95 && !beyond;
                    doubtful += w > 0.05 && (w <= 0.95 || beyond);
                }
                bool there = has_cell(s, x, y, z);
                CHECK(there || (!clearly && inside == 0));
                CHECK(!there || reached || inside + doubtful > 0 || touched);
            }
        }
    }
    arena_release(&a);
}

/* Points of the surface are in cells, but for LATTICE_REACH. */
static void check_covered(const lim_mesh* mesh, const sampling* s) {
    random_stream r = random_seed(5);
    double side = (double)s->cell_size;
    for (int n = 0; n < 3000; ++n) {
        int32_t t = random_index(&r, mesh->triangle_count);
        const int32_t* p = mesh->triangle_point + 3 * t;
        double u = (double)random_unit(&r), v = (double)random_unit(&r);
        u = n % 5 == 0 ? 0.0 : u; /* edges too */
        if (u + v > 1.0) {
            u = 1.0 - u;
            v = 1.0 - v;
        }
        lim_point at = p3_scale(p3_of(mesh->point[p[0]]), 1.0 - u - v);
        at = p3_mad(at, p3_of(mesh->point[p[1]]), u);
        at = p3_mad(at, p3_of(mesh->point[p[2]]), v);
        at = p3_scale(p3_sub(at, p3_of(s->corner)), 1.0 / side);
        bool found = false;
        double slack = 1.001 * LATTICE_REACH + 1e-6 / side;
        for (int k = 0; k < 27 && !found; ++k) {
            double x = at.x + slack * (k % 3 - 1), y = at.y + slack * (k / 3 % 3 - 1),
                   z = at.z + slack * (k / 9 - 1);
            found = has_cell(s, (int32_t)floor(x), (int32_t)floor(y), (int32_t)floor(z));
        }
        CHECK(found);
    }
}

static laid lay(shape* from, lim_model_desc desc) {
    laid m = {.mesh = shape_mesh(from)};
    arena_init(&m.mem, NULL);
    lim_result result = lattice_build(&m.mem, m.mesh, &desc, NULL, &m.s);
    CHECK(result == LIM_OK);
    if (result != LIM_OK) {
        exit(1);
    }
    check_corners(&m.s);
    check_links(&m.s);
    check_covered(m.mesh, &m.s);
    if ((int64_t)m.s.cell_count * m.mesh->triangle_count < 400000) {
        check_cells_of(m.mesh, &desc, &m.s);
    }
    for (int32_t i = 0; i < m.s.node_count; ++i) {
        m.volume += (double)m.s.volume[i];
    }
    m.volume *= pow(m.mesh->size, 3);
    return m;
}

static void done(laid* m) {
    arena_release(&m->mem);
    lim_mesh_destroy(m->mesh);
}

static void a_fitting_box_has_its_cells_and_masses(void) {
    shape s = {0};
    shape_box(&s, 0, 0, 0, 12, 5, 3);
    laid m = lay(&s, model_desc(0, 1.0));
    CHECK(m.s.cell_count == 180 && m.s.node_count == 13 * 6 * 4 && m.s.component_count == 1);
    CHECK(m.s.levels == 4);
    CHECK_NEAR(m.volume, 180.0, 1e-3);
    for (int32_t i = 0; i < m.s.node_count; ++i) {
        octant o = octant_of(m.s.key[i]);
        double share =
            (o.x % 12 == 0 ? 0.5 : 1.0) * (o.y % 5 == 0 ? 0.5 : 1.0) * (o.z % 3 == 0 ? 0.5 : 1.0);
        CHECK_NEAR((double)m.s.volume[i] * pow(m.mesh->size, 3), share, 1e-4);
    }
    done(&m);
    /* In a large place: the same lattice. */
    shape_box(&s, 0, 0, 0, 12, 5, 3);
    shape_place(&s, 1000.0, 3e6, -2e6, 7e6);
    m = lay(&s, model_desc(0, 1000.0));
    CHECK(m.s.cell_count == 180 && m.s.node_count == 13 * 6 * 4);
    done(&m);
}

static void solids_have_their_volume(void) {
    shape s = {0};
    for (int32_t nodes = 100; nodes <= 6400; nodes *= 4) {
        shape_sphere(&s, 0.3, 0.2, 0.1, 1, 24);
        laid m = lay(&s, model_desc(nodes, 0.0));
        CHECK_NEAR(m.s.node_count, nodes, nodes / 5);
        CHECK_NEAR(m.volume / m.mesh->report.volume, 1.0, 0.002);
        CHECK(m.s.component_count == 1);
        done(&m);
    }
    shape_box(&s, 0, 0, 0, 3, 2, 1.1);
    laid m = lay(&s, model_desc(800, 0.0));
    CHECK_NEAR(m.volume / 6.6, 1.0, 0.01);
    done(&m);
    shape_torus(&s, 1.0, 0.3, 40, 20);
    m = lay(&s, model_desc(1500, 0.0));
    CHECK_NEAR(m.volume / m.mesh->report.volume, 1.0, 0.002);
    done(&m);
    /* Open, but nearly closed. */
    shape_sphere(&s, 0, 0, 0, 1, 24);
    shape_holes(&s, 100);
    m = lay(&s, model_desc(2000, 0.0));
    CHECK_NEAR(m.volume / (4.0 / 3.0 * SHAPE_PI), 1.0, 0.03);
    done(&m);
}

/* Nodes at the outer corners of cells that the surface hardly enters: none is much lighter than its
 * neighbours, nor next to nothing beside the heaviest. */
static void no_node_is_much_lighter_than_its_neighbours(void) {
    shape s = {0};
    shape_sphere(&s, 0, 0, 0, 1, 24);
    laid m = lay(&s, model_desc(1500, 0.0));
    float most = 0.0f;
    int32_t raised = 0;
    for (int32_t i = 0; i < m.s.node_count; ++i) {
        double mean = 0.0;
        for (int32_t e = m.s.edge_offset[i]; e < m.s.edge_offset[i + 1]; ++e) {
            mean += (double)m.s.volume[m.s.edge_node[e]];
        }
        mean /= m.s.edge_offset[i + 1] - m.s.edge_offset[i];
        double share = (double)m.s.volume[i] / mean;
        CHECK(share > 0.9 * LATTICE_SHARE); /* the neighbours gave, and may have got */
        raised += share < 1.3 * LATTICE_SHARE;
        most = m.s.volume[i] > most ? m.s.volume[i] : most;
    }
    CHECK(raised > 10); /* there was something to do */
    for (int32_t i = 0; i < m.s.node_count; ++i) {
        CHECK((double)m.s.volume[i] > 0.9 * FRAGMENT_SHARE * (double)most);
    }
    done(&m);
}

static void a_shell_is_hollow(void) {
    shape s = {0};
    shape_sphere(&s, 0, 0, 0, 1, 24);
    lim_model_desc desc = model_desc(0, 0.1);
    laid full = lay(&s, desc);
    shape_sphere(&s, 0, 0, 0, 1, 24);
    desc.solid = false;
    laid m = lay(&s, desc);
    CHECK(m.s.component_count == 1 && m.s.node_count < full.s.node_count * 3 / 4);
    int32_t middle = 0;
    for (int32_t i = 0; i < m.s.node_count; ++i) {
        middle += (double)v3_length(m.s.centre[i]) * m.mesh->size < 0.75;
    }
    CHECK(middle == 0);
    CHECK_NEAR(m.volume / (4.0 * SHAPE_PI * 0.1), 1.0, 0.1); /* area times an edge */
    done(&m);
    done(&full);
    /* Along the lattice: the cells behind the faces, so a box with its middle taken out. */
    shape_box(&s, 0, 0, 0, 6, 6, 6);
    desc.cell_size = 1.0f;
    m = lay(&s, desc);
    CHECK(m.s.cell_count == 216 - 64 && m.s.node_count == 343 - 27);
    done(&m);
}

static void sheets_and_points_between_cells_find_a_cell(void) {
    shape s = {0};
    /* A step of two sheets, of which one lies on a plane of the lattice, wherever that is. */
    for (int facing = 0; facing < 2; ++facing) {
        const double at[6][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {4, 4, 0}, {4, 0, 4}, {4, 4, 4}};
        for (int k = 0; k < 6; ++k) {
            shape_vertex(&s, at[k][0], at[k][1], at[k][2]);
        }
        shape_triangle(&s, 0, 1, 2);
        shape_triangle(&s, 1, 3, 2);
        shape_triangle(&s, 1, 4, 3);
        shape_triangle(&s, 4, 5, 3);
        if (facing == 1) {
            shape_flip(&s, 0, s.triangles);
        }
        laid m = lay(&s, model_desc(0, 1.0));
        CHECK(m.s.component_count == 1 && m.s.cell_count >= 28 && m.s.cell_count <= 36);
        done(&m);
    }
    shape_sheet(&s, 8, 0.0);
    laid m = lay(&s, model_desc(0, 0.25));
    CHECK(m.s.cell_count == 64 && m.s.node_count == 162); /* one layer, two of nodes */
    done(&m);
    /* A speck on an edge of the lattice, between the sheets that say where it lies. */
    for (int k = 0; k < 2; ++k) {
        uint32_t first = shape_vertex(&s, 0, 0, 4 * k);
        shape_vertex(&s, 4, 0, 4 * k);
        shape_vertex(&s, 0, 4, 4 * k);
        shape_vertex(&s, 4, 4, 4 * k);
        shape_triangle(&s, first, first + 1, first + 2);
        shape_triangle(&s, first + 1, first + 3, first + 2);
    }
    uint32_t speck = shape_vertex(&s, 2, 2, 1.6);
    shape_vertex(&s, 2.002, 2, 1.61);
    shape_vertex(&s, 2, 2.002, 1.62);
    shape_triangle(&s, speck, speck + 1, speck + 2);
    m = lay(&s, model_desc(0, 1.0));
    CHECK(m.s.cell_count == 16 + 16 + 1);
    done(&m);
}

static void near_parts_share_nodes_and_far_ones_do_not(void) {
    shape s = {0};
    shape_sphere(&s, 0, 0, 0, 1, 12);
    shape_sphere(&s, 2.05, 0, 0, 1, 12);
    lim_model_desc desc = model_desc(0, 0.2);
    desc.glue_parts = false;
    laid m = lay(&s, desc);
    CHECK(m.s.component_count == 1);
    done(&m);
    shape_sphere(&s, 0, 0, 0, 1, 12);
    shape_sphere(&s, 2.9, 0, 0, 1, 12);
    m = lay(&s, model_desc(0, 0.2));
    CHECK(m.s.component_count == 2);
    done(&m);
}

static void same_input_same_bits(void) {
    sampling two[2];
    arena a[2];
    shape s = {0};
    shape_torus(&s, 1.0, 0.3, 40, 20);
    lim_mesh* mesh = shape_mesh(&s);
    lim_model_desc desc = model_desc(700, 0.0);
    for (int k = 0; k < 2; ++k) {
        arena_init(&a[k], NULL);
        CHECK(lattice_build(&a[k], mesh, &desc, NULL, &two[k]) == LIM_OK);
    }
    size_t n = (size_t)two[0].node_count;
    CHECK(two[1].node_count == two[0].node_count && two[0].cell_count == two[1].cell_count);
    CHECK(memcmp(two[0].key, two[1].key, n * 8) == 0);
    CHECK(memcmp(two[0].volume, two[1].volume, n * 4) == 0);
    CHECK(memcmp(two[0].centre, two[1].centre, n * 12) == 0);
    arena_release(&a[0]);
    arena_release(&a[1]);
    lim_mesh_destroy(mesh);
}

static void bad_wishes_are_refused(void) {
    shape s = {0};
    shape_box(&s, 0, 0, 0, 1, 1, 1);
    lim_mesh* mesh = shape_mesh(&s);
    arena a;
    arena_init(&a, NULL);
    sampling out;
    const double cells[3] = {-1.0, 1e-9, 1.0 / (1 << 19)};
    const lim_result results[3] = {LIM_ERROR_ARGUMENT, LIM_ERROR_TOO_LARGE, LIM_ERROR_TOO_LARGE};
    for (int k = 0; k < 3; ++k) {
        lim_model_desc desc = model_desc(10, cells[k]);
        CHECK(lattice_build(&a, mesh, &desc, NULL, &out) == results[k]);
        CHECK(out.node_count == 0);
    }
    lim_model_desc desc = model_desc(0, 0.0);
    CHECK(lattice_build(&a, mesh, &desc, NULL, &out) == LIM_ERROR_ARGUMENT);
    arena_release(&a);
    lim_mesh_destroy(mesh);
    /* One cell is the least; a thin rod of half a million cells has too many corners in a row. */
    for (int32_t nodes = 1; nodes < 30; nodes += 7) {
        shape_sphere(&s, 0, 0, 0, 1, 6);
        laid m = lay(&s, model_desc(nodes, 0.0));
        CHECK(m.s.node_count >= 8 && m.s.node_count <= 2 * nodes + 8);
        done(&m);
    }
}

static void progress_can_cancel(void) {
    check_cancelling(lattice_build, model_desc(300, 0.0));
}

static void every_failed_allocation_is_survived(void) {
    shape s = {0};
    shape_sphere(&s, 0, 0, 0, 1, 8);
    survive_failures(lattice_build, shape_mesh(&s), model_desc(0, 0.3));
    shape_sphere(&s, 0, 0, 0, 1, 6);
    shape_holes(&s, 30);
    survive_failures(lattice_build, shape_mesh(&s), model_desc(150, 0.0));
}

static void random_soups_do_no_harm(void) {
    random_stream r = random_seed(22);
    for (int round = 0; round < 60; ++round) {
        shape s = {0};
        lim_model_desc desc = model_desc(1, 0.0);
        if (random_soup(&r, round, &s, &desc)) {
            laid m = lay(&s, desc);
            done(&m);
        }
    }
}

TEST_SUITE(lattice) {
    TEST_BEGIN(argc, argv);
    RUN(a_fitting_box_has_its_cells_and_masses);
    RUN(solids_have_their_volume);
    RUN(no_node_is_much_lighter_than_its_neighbours);
    RUN(a_shell_is_hollow);
    RUN(sheets_and_points_between_cells_find_a_cell);
    RUN(near_parts_share_nodes_and_far_ones_do_not);
    RUN(same_input_same_bits);
    RUN(bad_wishes_are_refused);
    RUN(progress_can_cancel);
    RUN(every_failed_allocation_is_survived);
    RUN(random_soups_do_no_harm);
    TEST_END();
}
