/* SPDX-License-Identifier: MIT
 * Points, their clusters and bindings: the nearest against brute force, weights that add up, every
 * point in two clusters, the network against the plan, merged points, volumes, continuous bindings.
 */
#include "test.h"

#include "core/points_kit.h"
#include "failing_host.h"
#include "region/clusters.h"
#include "skin/point_binding.h"
#include "world/model.h"

static lim_vec3* cloud(uint64_t seed, int32_t count, bool lattice) {
    random_stream r = random_seed(seed);
    lim_vec3* p = malloc((size_t)count * sizeof *p);
    for (int32_t i = 0; i < count; ++i) {
        float x = random_range(&r, -0.5f, 0.5f), y = random_range(&r, -0.3f, 0.3f);
        float z = random_range(&r, -0.2f, 0.2f);
        p[i] = lattice
                   ? v3(0.1f * (float)(i % 10), 0.1f * (float)(i / 10 % 6), 0.1f * (float)(i / 60))
                   : v3(x, y, z);
    }
    return p;
}

static cluster_plan plan_of(arena* a, const lim_vec3* p, int32_t count, int32_t wished,
                            const int32_t* part, int32_t parts) {
    int32_t* whole = ARENA_ARRAY(a, int32_t, count);
    cluster_source s = {.count = count,
                        .at = p,
                        .part = part != NULL ? part : whole,
                        .parts = parts,
                        .wished = wished};
    cluster_plan plan;
    CHECK(clusters_plan(a, &s, &plan) == LIM_OK);
    return plan;
}

/* Ten members that are not in a plane. */
static bool spans_space(const cluster_plan* plan, const lim_vec3* p, int32_t k) {
    double m[9] = {0}, n = plan->offset[k + 1] - plan->offset[k], values[3];
    for (int32_t e = plan->offset[k]; e < plan->offset[k + 1]; ++e) {
        lim_point r = p3_of(p[plan->point[e]]);
        const double add[9] = {r.x,       r.y,       r.z,       r.x * r.x, r.y * r.y,
                               r.z * r.z, r.x * r.y, r.x * r.z, r.y * r.z};
        for (int j = 0; j < 9; ++j) {
            m[j] += add[j];
        }
    }
    const double moment[6] = {m[3] - m[0] * m[0] / n, m[4] - m[1] * m[1] / n,
                              m[5] - m[2] * m[2] / n, m[6] - m[0] * m[1] / n,
                              m[7] - m[0] * m[2] / n, m[8] - m[1] * m[2] / n};
    dmat3 vectors;
    eigen_sym3(moment, values, &vectors);
    return n >= 10 && values[2] > 1e-4 * values[0];
}

static void check_plan(const lim_vec3* p, int32_t count, int32_t wished) {
    arena a;
    arena_init(&a, NULL);
    cluster_plan plan = plan_of(&a, p, count, wished, NULL, 1);
    double* sum = calloc((size_t)count, sizeof *sum);
    int32_t* in = calloc((size_t)count, sizeof *in);
    CHECK(plan.count == wished);
    for (int32_t k = 0; k < plan.count; ++k) {
        CHECK(spans_space(&plan, p, k));
        for (int32_t e = plan.offset[k]; e < plan.offset[k + 1]; ++e) {
            CHECK(plan.weight[e] > 0.0f && plan.weight[e] <= 1.0f);
            CHECK(e == plan.offset[k] || plan.point[e] > plan.point[e - 1]);
            sum[plan.point[e]] += (double)plan.weight[e];
            in[plan.point[e]]++;
        }
    }
    for (int32_t i = 0; i < count; ++i) {
        CHECK_NEAR(sum[i], 1.0, 1e-6);
        CHECK(in[i] >= (wished > 1 ? 2 : 1));
        CHECK(plan.component[i] == 0);
    }
    CHECK(plan.components == 1);
    free(sum);
    free(in);
    arena_release(&a);
}

static void every_point_is_in_two_clusters_with_weights_of_sum_one(void) {
    for (int lattice = 0; lattice < 2; ++lattice) {
        lim_vec3* p = cloud(3, 600, lattice > 0);
        for (int32_t wished = 1; wished <= 32; wished *= 2) {
            check_plan(p, 600, wished);
        }
        free(p);
    }
}

static void more_clusters_than_points_are_as_many_as_points(void) {
    arena a;
    arena_init(&a, NULL);
    const lim_vec3 p[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    cluster_plan plan = plan_of(&a, p, 4, 64, NULL, 1);
    CHECK(plan.count == 4 && plan.components == 1);
    plan = plan_of(&a, p, 1, 64, NULL, 1);
    CHECK(plan.count == 1 && plan.offset[1] == 1 && plan.weight[0] == 1.0f);
    arena_release(&a);
}

static void no_cluster_reaches_into_two_parts(void) {
    enum { COUNT = 400 };
    arena a;
    arena_init(&a, NULL);
    lim_vec3* p = cloud(4, COUNT, false);
    int32_t part[COUNT];
    for (int32_t i = 0; i < COUNT; ++i) {
        part[i] = i % 2; /* two clouds in one place */
    }
    cluster_plan plan = plan_of(&a, p, COUNT, 12, part, 2);
    CHECK(plan.count == 12 && plan.components == 2);
    for (int32_t k = 0; k < plan.count; ++k) {
        for (int32_t e = plan.offset[k]; e < plan.offset[k + 1]; ++e) {
            CHECK(part[plan.point[e]] == part[plan.point[plan.offset[k]]]);
        }
    }
    for (int32_t i = 0; i < COUNT; ++i) {
        CHECK(plan.component[i] == part[i]);
    }
    /* Two clouds far apart share no cluster though no one has parted them. */
    for (int32_t i = 0; i < COUNT; ++i) {
        p[i].x += i % 2 == 0 ? 0.0f : 20.0f;
    }
    plan = plan_of(&a, p, COUNT, 12, NULL, 1);
    CHECK(plan.components == 2 && plan.component[0] == 0 && plan.component[1] == 1);
    arena_release(&a);
    free(p);
}

/* Lists are short, and what the network sums is what the plan says. */
static void check_network(int32_t count, int32_t wished, int32_t layers) {
    lim_vec3* p = cloud(5, count, false);
    arena a;
    arena_init(&a, NULL);
    cluster_plan plan = plan_of(&a, p, count, wished, NULL, 1);
    int32_t padded = (count + 7) / 8 * 8;
    float* volume = calloc((size_t)padded, sizeof *volume);
    int32_t* slot = malloc((size_t)count * sizeof *slot);
    for (int32_t i = 0; i < count; ++i) {
        volume[i] = 1.0f;
        slot[i] = i;
    }
    region_nodes nodes = {.count = count, .padded = padded, .volume = volume};
    net n;
    regions r;
    CHECK(regions_build_clusters(&a, &a, &nodes, &plan, slot, &n, &r) == LIM_OK);
    CHECK(n.layers == layers && r.count == plan.count);
    CHECK(count > 2000 || net_is_valid(&n));
    for (int32_t i = n.first[1]; i < n.record_count; ++i) {
        CHECK(n.forward_offset[i + 1] - n.forward_offset[i] <= CLUSTER_LIST);
    }
    for (int32_t k = 0; k < plan.count; ++k) {
        int32_t e = plan.offset[k];
        for (int32_t i = 0; i < count; i += 1 + count / 300) {
            while (e < plan.offset[k + 1] && plan.point[e] < i) {
                e++;
            }
            bool member = e < plan.offset[k + 1] && plan.point[e] == i;
            CHECK_NEAR(net_weight(&n, i, k), member ? (double)plan.weight[e] : 0.0, 1e-12);
        }
    }
    for (int32_t i = 0; i < count; ++i) {
        int32_t best = r.seed_region[i];
        CHECK(best >= 0 && best < plan.count);
    }
    free(volume);
    free(slot);
    free(p);
    arena_release(&a);
}

static void the_network_sums_what_the_plan_says(void) {
    check_network(100, 1, 2);
    check_network(600, 1, 3);
    check_network(600, 8, 3);
    check_network(1000, 40, 2 + 1);
    check_network(20000, 1, 4);
}

static void points_at_one_place_are_one_node(void) {
    lim_model_desc desc = lim_model_desc_default();
    const double places[5 * 3] = {0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0};
    lim_model* model = NULL;
    desc.kind = LIM_KIND_POINTS;
    desc.points = places;
    desc.point_count = 5;
    CHECK(lim_model_create(NULL, &desc, NULL, &model) == LIM_OK);
    CHECK(lim_model_get_info(model).nodes == 3);
    lim_model_nodes n = lim_model_get_nodes(model);
    /* In order of the first of each. */
    CHECK_NEAR(n.x[1] - n.x[0], 1.0, 1e-6);
    CHECK_NEAR(n.y[2] - n.y[0], 1.0, 1e-6);
    /* Every vertex of the skin is there, and goes with the node at its place. */
    CHECK(lim_model_get_surface(model).vertex_count == 5);
    const topology* t = model->topology;
    const int32_t node[5] = {0, 1, 0, 2, 1};
    for (int v = 0; v < 5; ++v) {
        const binding* b = &t->bind.bind[t->vertex_point[v]];
        CHECK(b->weight[0] == 1.0f && b->weight[1] == 0.0f && b->node[0] == t->node_slot[node[v]]);
    }
    lim_model_destroy(model);
}

static void volumes_are_those_of_the_mesh_or_of_the_spacing(void) {
    const int32_t n[3] = {6, 4, 2};
    lim_mesh* mesh = box_surface(n, 0.1);
    lim_model_desc desc = lim_model_desc_default();
    lim_model* model = NULL;
    desc.kind = LIM_KIND_POINTS;
    CHECK(lim_model_create(mesh, &desc, NULL, &model) == LIM_OK);
    lim_model_info info = lim_model_get_info(model);
    CHECK(info.kind == LIM_KIND_POINTS && info.regions == 1 && info.components == 1);
    CHECK(info.nodes == 7 * 5 * 3 - 5 * 3 * 1);
    CHECK_NEAR(info.volume, 0.6 * 0.4 * 0.2, 1e-6);
    CHECK_NEAR(info.centre.x, 0.0, 1e-6);
    lim_model_destroy(model);

    /* The same volume over points within. */
    const int32_t inside[3] = {5, 3, 2};
    double* points = lattice_points(inside, 0.1, &desc.point_count);
    desc.points = points;
    CHECK(lim_model_create(mesh, &desc, NULL, &model) == LIM_OK);
    info = lim_model_get_info(model);
    CHECK(info.nodes == 30);
    CHECK_NEAR(info.volume, 0.6 * 0.4 * 0.2, 1e-6);
    CHECK_NEAR(info.cell_size, 0.1, 0.02);
    lim_model_destroy(model);
    lim_mesh_destroy(mesh);

    /* Without a mesh the cube of the spacing each. */
    desc.clusters = 3;
    CHECK(lim_model_create(NULL, &desc, NULL, &model) == LIM_OK);
    info = lim_model_get_info(model);
    CHECK(info.nodes == 30 && info.regions == 3);
    CHECK_NEAR(info.volume, 30 * 0.001, 0.3 * 30 * 0.001);
    CHECK(lim_model_get_surface(model).triangle_count == 0);
    lim_model_destroy(model);
    free(points);
}

/* A place that wanders past the points: weights sum to 1 and never jump. */
static void bindings_are_continuous(void) {
    enum { COUNT = 60, STEPS = 4000 };
    arena a;
    arena_init(&a, NULL);
    lim_vec3* p = cloud(6, COUNT, false);
    float* x[3];
    int32_t slot[COUNT], piece[COUNT];
    for (int k = 0; k < 3; ++k) {
        x[k] = ARENA_ARRAY(&a, float, COUNT);
    }
    for (int32_t i = 0; i < COUNT; ++i) {
        x[0][i] = p[i].x;
        x[1][i] = p[i].y;
        x[2][i] = p[i].z;
        slot[i] = i;
        piece[i] = 0;
    }
    point_bind nodes = {
        .node_count = COUNT, .node_slot = slot, .x0 = {x[0], x[1], x[2]}, .slot_component = piece};
    lim_vec3* way = ARENA_ARRAY(&a, lim_vec3, STEPS);
    for (int32_t i = 0; i < STEPS; ++i) {
        float t = (float)i / (float)STEPS;
        way[i] = v3(-0.5f + t, 0.2f * t, 0.1f - 0.2f * t);
    }
    bindings b;
    CHECK(bindings_build_points(&a, &a, &nodes, way, STEPS, &b) == LIM_OK);
    double before[COUNT] = {0}, most = 0.0;
    for (int32_t i = 0; i < STEPS; ++i) {
        double now[COUNT] = {0}, sum = 0.0;
        for (int k = 0; k < BINDING_NODES; ++k) {
            now[b.bind[i].node[k]] += (double)b.bind[i].weight[k];
            sum += (double)b.bind[i].weight[k];
            CHECK(k == 0 || b.bind[i].weight[k] <= b.bind[i].weight[k - 1]);
        }
        CHECK_NEAR(sum, 1.0, 1e-6);
        for (int32_t k = 0; k < COUNT && i > 0; ++k) {
            most = fabs(now[k] - before[k]) > most ? fabs(now[k] - before[k]) : most;
        }
        memcpy(before, now, sizeof now);
    }
    /* A step is 1/4000 of the way; points are 0.1 apart, so weights change by 10 per length. */
    CHECK(most < 0.02);
    arena_release(&a);
    free(p);
}

static void building_fails_cleanly(void) {
    const int32_t n[3] = {6, 5, 4};
    for (int64_t at = 0;; ++at) {
        failing_host f;
        failing_host_arm(&f, at);
        lim_model* model = lattice_model(n, 0.1, 6, &f.host);
        if (model != NULL) {
            lim_model_destroy(model);
            CHECK(f.held == 0 && at > 5);
            break;
        }
        CHECK(f.held == 0);
    }
}

TEST_SUITE(clusters) {
    TEST_BEGIN(argc, argv);
    RUN(every_point_is_in_two_clusters_with_weights_of_sum_one);
    RUN(more_clusters_than_points_are_as_many_as_points);
    RUN(no_cluster_reaches_into_two_parts);
    RUN(the_network_sums_what_the_plan_says);
    RUN(points_at_one_place_are_one_node);
    RUN(volumes_are_those_of_the_mesh_or_of_the_spacing);
    RUN(bindings_are_continuous);
    RUN(building_fails_cleanly);
    TEST_END();
}
