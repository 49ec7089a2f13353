/* SPDX-License-Identifier: MIT
 * Uniform sampling: what must hold for any mesh, and what is known of simple ones.
 */
#include "sample/sampling.h"

#include "sample/octant.h"
#include "sample/overlap.h"
#include "sample_kit.h"

typedef struct sampled {
    lim_mesh* mesh;
    arena mem;
    sampling s;
    double volume;
} sampled;

static void check_nodes(const sampled* m) {
    const sampling* s = &m->s;
    int32_t cells = 0, shared = 0;
    CHECK(s->node_count > 0);
    for (int32_t i = 0; i < s->node_count; ++i) {
        octant o = octant_of(s->key[i]);
        CHECK(o.level == s->levels);
        if (i > 0) {
            CHECK(s->key[i] > s->key[i - 1] ||
                  (s->key[i] == s->key[i - 1] && s->fragment[i] == s->fragment[i - 1] + 1));
        }
        bool first = i == 0 || s->key[i] != s->key[i - 1];
        bool last = i + 1 == s->node_count || s->key[i] != s->key[i + 1];
        CHECK(!first || s->fragment[i] == 0);
        cells += first;
        shared += !(first && last);
        lim_vec3 centre = v3(s->corner.x + s->cell_size * ((float)o.x + 0.5f),
                             s->corner.y + s->cell_size * ((float)o.y + 0.5f),
                             s->corner.z + s->cell_size * ((float)o.z + 0.5f));
        CHECK_NEAR(v3_length(v3_sub(centre, s->centre[i])), 0.0, 1e-6);
        lim_vec3 d = v3_sub(s->centroid[i], s->centre[i]);
        float half = 0.5f * s->cell_size + 1e-6f;
        CHECK(fabsf(d.x) <= half && fabsf(d.y) <= half && fabsf(d.z) <= half);
        CHECK(s->volume[i] > 0.0f &&
              s->volume[i] <= s->side[i] * s->side[i] * s->side[i] * 1.00001f);
        CHECK(s->side[i] == s->cell_size);
    }
    CHECK(cells == s->cell_count && shared == s->fragment_count);
}

static void check_triangles(const sampled* m) {
    const sampling* s = &m->s;
    double half = 0.5 * (double)s->cell_size + 1e-6;
    for (int32_t t = 0; t < m->mesh->triangle_count; ++t) {
        const int32_t* p = m->mesh->triangle_point + 3 * t;
        overlap_triangle o = overlap_prepare(
            p3_of(m->mesh->point[p[0]]), p3_of(m->mesh->point[p[1]]), p3_of(m->mesh->point[p[2]]));
        bool found = false;
        for (int32_t i = 0; i < s->node_count && !found; ++i) {
            found = overlap_cube(&o, p3_of(s->centre[i]), half);
        }
        CHECK(found);
    }
}

static sampled sample_with(shape* from, lim_model_desc desc) {
    sampled m = {.mesh = shape_mesh(from)};
    arena_init(&m.mem, NULL);
    lim_result result = sampling_build(&m.mem, m.mesh, &desc, NULL, &m.s);
    CHECK(result == LIM_OK);
    check_nodes(&m);
    check_graph(&m.s);
    check_triangles(&m);
    for (int32_t i = 0; i < m.s.node_count; ++i) {
        m.volume += (double)m.s.volume[i];
    }
    m.volume *= pow(m.mesh->size, 3);
    return m;
}

static sampled sample(shape* from, int32_t nodes) {
    return sample_with(from, model_desc(nodes, 0.0));
}

static void done(sampled* m) {
    arena_release(&m->mem);
    lim_mesh_destroy(m->mesh);
}

static void check_count(const sampled* m, int32_t wanted) {
    CHECK_NEAR(m->s.node_count, wanted, wanted / 10 + 1);
}

static void solids_have_their_volume_and_count(void) {
    shape s = {0};
    shape_sphere(&s, 0, 0, 0, 1, 20);
    sampled m = sample(&s, 2000);
    check_count(&m, 2000);
    CHECK_NEAR(m.volume / m.mesh->report.volume, 1.0, 0.01);
    CHECK(m.s.component_count == 1);
    done(&m);
    shape_torus(&s, 1.0, 0.3, 40, 20);
    m = sample(&s, 1000);
    check_count(&m, 1000);
    CHECK_NEAR(m.volume / m.mesh->report.volume, 1.0, 0.01);
    CHECK(m.s.component_count == 1);
    done(&m);
    shape_box(&s, 0, 0, 0, 3, 2, 1.1);
    m = sample(&s, 800);
    CHECK_NEAR(m.volume / 6.6, 1.0, 0.01);
    CHECK(m.s.component_count == 1);
    done(&m);
    const double corner[6][2] = {{0, 0}, {2, 0}, {2, 0.6}, {0.6, 0.6}, {0.6, 2}, {0, 2}};
    static const uint8_t triangle[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};
    shape_prism(&s, corner, 6, triangle, 4, 0.7);
    m = sample(&s, 500); /* along the grid whole layers come and go: 440 is the nearest */
    CHECK_NEAR(m.s.node_count, 500, 75);
    CHECK_NEAR(m.volume / (0.7 * (1.2 + 0.84)), 1.0, 0.01);
    CHECK(m.s.component_count == 1);
    done(&m);
    shape_sphere(&s, 0, 0, 0, 1, 24);
    shape_holes(&s, 100);
    m = sample(&s, 2000);
    check_count(&m, 2000);
    CHECK_NEAR(m.volume / (4.0 / 3.0 * SHAPE_PI), 1.0, 0.03);
    CHECK(m.s.component_count == 1);
    done(&m);
}

static void a_fitting_grid_is_filled_exactly(void) {
    shape s = {0};
    shape_box(&s, 0, 0, 0, 8, 4, 2);
    sampled m = sample_with(&s, model_desc(0, 1.0));
    CHECK(m.s.node_count == 64 && m.s.fragment_count == 0 && m.s.levels == 3);
    CHECK_NEAR(m.volume, 64.0, 1e-4);
    for (int32_t i = 0; i < m.s.node_count; ++i) {
        CHECK_NEAR(v3_length(v3_sub(m.s.centre[i], m.s.centroid[i])), 0.0, 1e-6);
        octant o = octant_of(m.s.key[i]);
        int x = (o.x == 0 || o.x == 7 ? 2 : 3), y = (o.y == 2 || o.y == 5 ? 2 : 3);
        CHECK(m.s.edge_offset[i + 1] - m.s.edge_offset[i] == 2 * x * y - 1);
    }
    done(&m);
}

static void scale_and_place_do_not_matter(void) {
    shape s = {0}, far = {0};
    shape_torus(&s, 1.0, 0.3, 20, 10);
    shape_torus(&far, 1.0, 0.3, 20, 10);
    shape_place(&far, 1e-20, 0, 0, 0);
    sampled a = sample(&s, 300), b = sample(&far, 300);
    CHECK(a.s.node_count == b.s.node_count);
    done(&a);
    done(&b);
    /* Cell size in metres: scale and size both count. */
    shape_box(&s, 0, 0, 0, 40, 40, 40);
    lim_model_desc desc = model_desc(0, 0.1);
    desc.scale = 0.01;
    a = sample_with(&s, desc);
    CHECK(a.s.node_count == 64);
    CHECK_NEAR(a.s.cell_size, 0.25, 1e-6);
    done(&a);
    shape_box(&s, 0, 0, 0, 1, 1, 1);
    a = sample_with(&s, model_desc(0, 1e9)); /* larger than the mesh: one cell */
    CHECK(a.s.node_count == 1);
    CHECK_NEAR(a.volume, 1.0, 0.01);
    done(&a);
}

/* Fewest links on a path between the nodes nearest to two places; -1: none. */
static int32_t path_length(const sampled* m, lim_vec3 from, lim_vec3 to) {
    const sampling* s = &m->s;
    int32_t a = 0, b = 0, count = 0, result = -1;
    for (int32_t i = 0; i < s->node_count; ++i) {
        a = v3_length(v3_sub(s->centroid[i], from)) < v3_length(v3_sub(s->centroid[a], from)) ? i
                                                                                              : a;
        b = v3_length(v3_sub(s->centroid[i], to)) < v3_length(v3_sub(s->centroid[b], to)) ? i : b;
    }
    int32_t* depth = calloc((size_t)s->node_count, sizeof(int32_t));
    int32_t* queue = calloc((size_t)s->node_count, sizeof(int32_t));
    depth[a] = 1;
    queue[count++] = a;
    for (int32_t i = 0; i < count; ++i) {
        for (int32_t k = s->edge_offset[queue[i]]; k < s->edge_offset[queue[i] + 1]; ++k) {
            int32_t next = s->edge_node[k];
            if (depth[next] == 0) {
                depth[next] = depth[queue[i]] + 1;
                queue[count++] = next;
            }
        }
    }
    result = depth[b] - 1;
    free(depth);
    free(queue);
    return result;
}

static void fingers_are_not_joined_across_their_gap(void) {
    /* The cell is 0.16, its sub-voxels 0.04; the gap is less than a cell and more than one of
     * these. The tips are far from each other through the material. */
    const double gaps[] = {0.045, 0.06, 0.09, 0.12};
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; ++g) {
        shape s = {0};
        shape_fingers(&s, 0.37, gaps[g]);
        sampled m = sample_with(&s, model_desc(0, 0.16));
        double middle = 0.37 + 0.5 * gaps[g], size = m.mesh->size;
        lim_vec3 left = v3((float)((0.3 - middle) / size), 0.49f, 0.0f);
        lim_vec3 right = v3((float)(-(0.3 - middle) / size), 0.49f, 0.0f);
        CHECK(m.s.component_count == 1);
        CHECK(path_length(&m, left, right) >= 7);
        /* The narrower gaps lie in the middle of five cells: these have two fragments. */
        CHECK(g > 1 || m.s.fragment_count >= 2);
        done(&m);
    }
}

static void corners_do_not_leak(void) {
    /* Two boxes that meet along one edge of the grid: diagonal cells, joined by nothing. */
    shape s = {0};
    shape_box(&s, 0, 0, 0, 1, 1, 1);
    shape_box(&s, 1, 1, 0, 2, 2, 1);
    lim_model_desc desc = model_desc(0, 0.25);
    desc.glue_parts = false;
    sampled m = sample_with(&s, desc);
    CHECK(m.s.component_count == 2 && m.s.glued_edges == 0);
    done(&m);
    /* Two walls of one cell in an L: around the corner, but not past it. */
    const double corner[6][2] = {{0, 0}, {4, 0}, {4, 1}, {1, 1}, {1, 4}, {0, 4}};
    static const uint8_t triangle[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};
    shape_prism(&s, corner, 6, triangle, 4, 1.0);
    m = sample_with(&s, model_desc(0, 1.0));
    CHECK(m.s.node_count == 7);
    CHECK(path_length(&m, v3(0.375f, -0.375f, 0), v3(-0.375f, 0.375f, 0)) == 5);
    done(&m);
}

static void parts_are_glued_only_when_asked(void) {
    for (int glue = 0; glue < 2; ++glue) {
        shape s = {0};
        shape_box(&s, 0, 0, 0, 1, 1, 1);
        shape_box(&s, 1.1, 0, 0, 2, 1, 1);   /* less than a cell away */
        shape_box(&s, 2.9, 0, 0, 3.5, 1, 1); /* more than a cell away */
        lim_model_desc desc = model_desc(0, 0.3);
        desc.glue_parts = glue == 1;
        sampled m = sample_with(&s, desc);
        CHECK(m.s.component_count == (glue ? 2 : 3));
        CHECK((m.s.glued_edges > 0) == (glue == 1));
        done(&m);
    }
}

static void sheets_and_hair_hold_together(void) {
    const double slope[] = {0.0, 0.3, 1.0, 2.7};
    for (size_t i = 0; i < sizeof slope / sizeof *slope; ++i) {
        shape s = {0};
        shape_sheet(&s, 6, slope[i]);
        sampled m = sample(&s, 400);
        check_count(&m, 400);
        CHECK(m.s.component_count == 1);
        double area = 4.0 * sqrt(1.0 + slope[i] * slope[i]);
        double cell = (double)m.s.cell_size * m.mesh->size;
        /* A slanted sheet has up to 1.7 cell faces in a cell, of which its volume holds one. */
        CHECK(m.volume / (area * cell) < 1.05 && m.volume / (area * cell) > 0.75);
        done(&m);
    }
    shape s = {0}; /* a ribbon much thinner than a sub-voxel, along a screw */
    for (int i = 0; i < 60; ++i) {
        double t = 0.2 * i;
        shape_vertex(&s, cos(t), sin(t), 0.1 * t);
        shape_vertex(&s, cos(t), sin(t), 0.1 * t + 1e-4);
    }
    for (uint32_t i = 0; i < 59; ++i) {
        shape_triangle(&s, 2 * i, 2 * i + 2, 2 * i + 3);
        shape_triangle(&s, 2 * i, 2 * i + 3, 2 * i + 1);
    }
    sampled m = sample(&s, 200);
    CHECK(m.s.component_count == 1);
    check_count(&m, 200);
    done(&m);
    shape_box(&s, 0, 0, 0, 1, 1, 1e-4); /* a closed plate keeps its volume */
    m = sample(&s, 500);
    CHECK(m.s.component_count == 1);
    CHECK_NEAR(m.volume / 1e-4, 1.0, 0.01);
    done(&m);
    shape_box(&s, 0, 0, 0, 1e4, 1, 1); /* a rod */
    m = sample(&s, 500);
    CHECK(m.s.component_count == 1);
    check_count(&m, 500);
    CHECK_NEAR(m.volume / 1e4, 1.0, 0.01);
    done(&m);
}

/* A pyramid with a square base of edge 1 and its tip far away, somewhere askew. */
static void spike(shape* s, random_stream* r) {
    uint32_t base = shape_vertex(s, 0, 0, 0);
    shape_vertex(s, 1, 0, 0);
    shape_vertex(s, 1, 1, 0);
    shape_vertex(s, 0, 1, 0);
    double x = (double)random_range(r, -9, 9), y = (double)random_range(r, -9, 9);
    uint32_t tip = shape_vertex(s, x, y, (double)random_range(r, 3, 9));
    shape_triangle(s, base, base + 2, base + 1);
    shape_triangle(s, base, base + 3, base + 2);
    for (uint32_t k = 0; k < 4; ++k) {
        shape_triangle(s, base + k, base + (k + 1) % 4, tip);
    }
}

static void tips_stay_attached(void) {
    random_stream r = random_seed(31);
    for (int round = 0; round < 60; ++round) {
        shape s = {0};
        spike(&s, &r);
        sampled m = sample(&s, 20 + 10 * round);
        CHECK(m.s.component_count == 1);
        /* Nodes in the tip have 2 % of a full one at least. */
        CHECK_NEAR(m.volume / m.mesh->report.volume, 1.0, 0.1);
        done(&m);
    }
}

static void fine_meshes_have_a_node_at_each_triangle(void) {
    random_stream r = random_seed(32);
    for (int round = 0; round < 12; ++round) {
        shape s = {0};
        shape_sphere(&s, 0, 0, 0, 1, 40);
        /* waves and tips: the surface just reaches into many cells */
        for (int32_t i = 0; i < s.vertices; ++i) {
            double grow =
                1.0 + (round % 2 == 0 ? 0.1 * sin(0.05 * i) : 0.2 * (double)random_unit(&r));
            for (int k = 0; k < 3; ++k) {
                s.position[3 * i + k] *= grow;
            }
        }
        if (round % 3 == 2) {
            shape_holes(&s, 50);
        }
        sampled m = sample(&s, 60 + 40 * round); /* sample checks the triangles */
        CHECK(m.s.component_count == 1);
        done(&m);
    }
}

static void hollows_stay_hollow(void) {
    shape s = {0};
    shape_sphere(&s, 0, 0, 0, 1, 20);
    int32_t one = s.triangles;
    shape_sphere(&s, 0, 0, 0, 0.6, 20);
    shape_flip(&s, one, s.triangles);
    sampled m = sample(&s, 2000);
    CHECK(m.s.component_count == 1);
    CHECK_NEAR(m.volume / m.mesh->report.volume, 1.0, 0.01);
    for (int32_t i = 0; i < m.s.node_count; ++i) {
        CHECK(v3_length(m.s.centroid[i]) > 0.25f);
    }
    done(&m);
    shape_sphere(&s, 0, 0, 0, 1, 12); /* a shell of a solid ball */
    lim_model_desc desc = model_desc(600, 0.0);
    desc.solid = false;
    m = sample_with(&s, desc);
    check_count(&m, 600);
    CHECK(m.s.component_count == 1);
    for (int32_t i = 0; i < m.s.node_count; ++i) {
        CHECK(v3_length(m.s.centroid[i]) > 0.4f);
    }
    done(&m);
}

static void many_spheres_stay_many(void) {
    shape s = {0};
    for (int i = 0; i < 125; ++i) {
        shape_sphere(&s, 3.0 * (i % 5), 3.0 * (i / 5 % 5), 3.0 * (i / 25), 1.0, 6);
    }
    sampled m = sample(&s, 4000);
    check_count(&m, 4000);
    CHECK(m.mesh->report.parts == 125 && m.s.component_count == 125);
    CHECK_NEAR(m.volume / m.mesh->report.volume, 1.0, 0.02);
    done(&m);
}

static void same_input_same_bits(void) {
    sampled m[2];
    for (int i = 0; i < 2; ++i) {
        shape s = {0};
        shape_sphere(&s, 0, 0, 0, 1, 12);
        shape_sphere(&s, 1.2, 0.1, 0.2, 0.5, 8);
        shape_sheet(&s, 3, 0.4);
        m[i] = sample(&s, 700);
    }
    size_t n = (size_t)m[0].s.node_count, edges = (size_t)m[0].s.edge_offset[n];
    CHECK(m[1].s.node_count == m[0].s.node_count && m[1].s.edge_offset[n] == (int32_t)edges);
    CHECK(memcmp(m[0].s.key, m[1].s.key, n * sizeof(uint64_t)) == 0);
    CHECK(memcmp(m[0].s.centroid, m[1].s.centroid, n * sizeof(lim_vec3)) == 0);
    CHECK(memcmp(m[0].s.volume, m[1].s.volume, n * sizeof(float)) == 0);
    CHECK(memcmp(m[0].s.edge_node, m[1].s.edge_node, edges * sizeof(int32_t)) == 0);
    done(&m[0]);
    done(&m[1]);
}

static void bad_wishes_are_refused(void) {
    shape s = {0};
    shape_box(&s, 0, 0, 0, 1, 1, 1);
    lim_mesh* mesh = shape_mesh(&s);
    arena a;
    arena_init(&a, NULL);
    sampling out;
    lim_model_desc desc = model_desc(0, 0.0);
    CHECK(sampling_build(&a, mesh, &desc, NULL, &out) == LIM_ERROR_ARGUMENT);
    desc = model_desc(4000001, 0.0);
    CHECK(sampling_build(&a, mesh, &desc, NULL, &out) == LIM_ERROR_ARGUMENT);
    desc = model_desc(10, 0.0);
    desc.scale = NAN;
    CHECK(sampling_build(&a, mesh, &desc, NULL, &out) == LIM_ERROR_ARGUMENT);
    desc = model_desc(10, -1.0);
    CHECK(sampling_build(&a, mesh, &desc, NULL, &out) == LIM_ERROR_ARGUMENT);
    desc = model_desc(10, 1e-9);
    CHECK(sampling_build(&a, mesh, &desc, NULL, &out) == LIM_ERROR_TOO_LARGE);
    arena_release(&a);
    lim_mesh_destroy(mesh);
    for (int32_t nodes = 1; nodes < 30; nodes += 7) {
        shape_sphere(&s, 0, 0, 0, 1, 6);
        sampled m = sample(&s, nodes);
        CHECK(m.s.node_count <= 2 * nodes + 1);
        done(&m);
    }
}

static void progress_can_cancel(void) {
    check_cancelling(sampling_build, model_desc(300, 0.0));
}

static void every_failed_allocation_is_survived(void) {
    shape s = {0};
    shape_sphere(&s, 0, 0, 0, 1, 8);
    shape_sphere(&s, 2.1, 0, 0, 1, 8);
    survive_failures(sampling_build, shape_mesh(&s), model_desc(0, 0.3)); /* rows */
    shape_sphere(&s, 0, 0, 0, 1, 8);
    shape_holes(&s, 30);
    shape_sheet(&s, 3, 0.2);
    survive_failures(sampling_build, shape_mesh(&s), model_desc(0, 0.3)); /* winding numbers */
    shape_sphere(&s, 0, 0, 0, 1, 6);
    survive_failures(sampling_build, shape_mesh(&s), model_desc(150, 0.0)); /* several tries */
}

static void random_soups_do_no_harm(void) {
    random_stream r = random_seed(21);
    for (int round = 0; round < 60; ++round) {
        shape s = {0};
        lim_model_desc desc = model_desc(1, 0.0);
        if (random_soup(&r, round, &s, &desc)) {
            sampled m = sample_with(&s, desc);
            done(&m);
        }
    }
}

TEST_SUITE(sampling) {
    TEST_BEGIN(argc, argv);
    RUN(solids_have_their_volume_and_count);
    RUN(a_fitting_grid_is_filled_exactly);
    RUN(scale_and_place_do_not_matter);
    RUN(fingers_are_not_joined_across_their_gap);
    RUN(corners_do_not_leak);
    RUN(parts_are_glued_only_when_asked);
    RUN(sheets_and_hair_hold_together);
    RUN(tips_stay_attached);
    RUN(fine_meshes_have_a_node_at_each_triangle);
    RUN(hollows_stay_hollow);
    RUN(many_spheres_stay_many);
    RUN(same_input_same_bits);
    RUN(bad_wishes_are_refused);
    RUN(progress_can_cancel);
    RUN(every_failed_allocation_is_survived);
    RUN(random_soups_do_no_harm);
    TEST_END();
}
