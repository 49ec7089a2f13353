/* SPDX-License-Identifier: MIT
 * Regions over every procedural model, uniform and adaptive: the invariants of interval regions
 * (bounds against shortest paths, membership, sums, components) and of blended ones (weights add up
 * to 1, no region leaves its component, sums as good as brute force).
 */
#include "test.h"

#include "core/interval_checks.h"
#include "region/charts.h"
#include "sample/sampling.h"
#include "scenes/models.h"

enum { MODELS_MOST = 64 };

/* What region builders take, of a sampling; a slot is a node. */
typedef struct sampled {
    arena mem;
    sampling s;
    region_nodes nodes;
    graph g;
    region_tree tree;
    float* width;
    int32_t* half;
} sampled;

static void sampled_make(sampled* k, const char* name, double cell, int32_t coarsen) {
    *k = (sampled){0};
    arena_init(&k->mem, NULL);
    lim_mesh* mesh = NULL;
    CHECK(model_mesh(name, 0, NULL, &mesh) == LIM_OK);
    lim_model_desc desc = {.cell_size = (float)cell,
                           .scale = 1.0,
                           .coarsen = coarsen,
                           .cells_across = 2.0f,
                           .glue_parts = true,
                           .solid = true};
    sampling* s = &k->s;
    CHECK(sampling_build(&k->mem, mesh, &desc, NULL, s) == LIM_OK);
    lim_mesh_destroy(mesh);
    int32_t n = s->node_count, padded = (n + 7) / 8 * 8;
    float* x0[3];
    for (int c = 0; c < 3; ++c) {
        x0[c] = ARENA_ARRAY(&k->mem, float, padded);
    }
    float* volume = ARENA_ARRAY(&k->mem, float, padded);
    uint64_t* key = ARENA_ARRAY(&k->mem, uint64_t, padded);
    uint16_t* fragment = ARENA_ARRAY(&k->mem, uint16_t, padded);
    int32_t* level = ARENA_ARRAY(&k->mem, int32_t, padded);
    int32_t* piece = ARENA_ARRAY(&k->mem, int32_t, padded);
    int32_t* offset = ARENA_ARRAY(&k->mem, int32_t, padded + 1);
    k->width = ARENA_ARRAY(&k->mem, float, padded);
    k->half = ARENA_ARRAY(&k->mem, int32_t, padded);
    memset(level, 0xFF, (size_t)padded * sizeof(int32_t));
    for (int32_t i = 0; i < n; ++i) {
        x0[0][i] = s->centroid[i].x - 0.5f;
        x0[1][i] = s->centroid[i].y - 0.5f;
        x0[2][i] = s->centroid[i].z - 0.5f;
        volume[i] = s->volume[i];
        key[i] = s->key[i];
        fragment[i] = s->fragment[i];
        level[i] = s->level[i];
        piece[i] = s->piece[i];
        /* A width that varies from place to place, 1 to 3 cells of the node. */
        k->half[i] = (2 + i % 5) << (s->levels - s->level[i]);
        k->width[i] = s->side[i] * (1.0f + 0.5f * (float)(i % 5));
    }
    for (int32_t i = 0; i <= padded; ++i) {
        offset[i] = s->edge_offset[i < n ? i : n];
    }
    k->nodes = (region_nodes){.count = n,
                              .padded = padded,
                              .x0 = {x0[0], x0[1], x0[2]},
                              .volume = volume,
                              .key = key,
                              .fragment = fragment};
    k->g = (graph){padded, offset, s->edge_node, s->edge_length};
    k->tree = (region_tree){&s->pieces, level, piece};
}

/* Sums of weights forward and back over the whole network, in double. */
static void check_blended(const sampled* k) {
    arena mem;
    arena_init(&mem, NULL);
    net n;
    regions r;
    CHECK(regions_build_blended(&mem, &mem.host, &k->nodes, k->tree, k->width, &n, &r) == LIM_OK);
    CHECK(net_is_valid(&n) && r.count < k->nodes.count);
    double* sum = ARENA_ARRAY(&mem, double, n.record_count);
    int32_t* held = ARENA_ARRAY(&mem, int32_t, n.record_count);
    int32_t* members = ARENA_ARRAY(&mem, int32_t, n.record_count);
    for (int32_t i = n.record_count - 1; i >= 0; --i) {
        sum[i] = i >= n.first[n.layers - 1] ? 1.0 : 0.0;
        for (int32_t e = n.back_offset[i]; e < n.back_offset[i + 1]; ++e) {
            sum[i] += (double)n.back_weight[e] * sum[n.back[e]];
        }
        if (i < k->nodes.count) {
            CHECK_NEAR(sum[i], 1.0, 1e-6);
        }
    }
    for (int32_t i = 0; i < n.record_count; ++i) {
        held[i] = i < k->nodes.count ? k->s.component[i] : -1;
        members[i] = i < k->nodes.count;
        for (int32_t e = n.forward_offset[i]; e < n.forward_offset[i + 1]; ++e) {
            int32_t input = n.forward[e];
            CHECK(held[i] < 0 || held[i] == held[input]);
            held[i] = held[input];
            members[i] += members[input];
        }
        /* No region is one node alone, unless that is all there is. */
        if (i >= n.first[n.layers - 1] && i < n.first[n.layers - 1] + r.count) {
            CHECK(members[i] > 1 || k->nodes.count == 1);
        }
    }
    arena_release(&mem);
}

static void every_model_has_sound_regions(void) {
    model_entry entry[MODELS_MOST];
    int32_t count = model_list(entry, MODELS_MOST);
    for (int32_t i = 0; i < count; i += test_long ? 1 : 3) {
        for (int32_t coarsen = 0; coarsen <= 3; coarsen += 3) {
            sampled k;
            sampled_make(&k, entry[i].name, coarsen == 0 ? 0.07 : 0.045, coarsen);
            interval_case c = {.nodes = &k.nodes,
                               .g = k.g,
                               .where = k.tree,
                               .width = k.half,
                               .eps_num = 1,
                               .eps_den = 2,
                               .stride = 1 + k.nodes.count / 30};
            check_intervals(&c, (uint64_t)i);
            check_blended(&k);
            arena_release(&k.mem);
        }
    }
}

TEST_SUITE(region_models) {
    TEST_BEGIN(argc, argv);
    RUN(every_model_has_sound_regions);
    TEST_END();
}
