/* SPDX-License-Identifier: MIT
 * Adaptive sampling of the procedural models: what must hold for each, and how many nodes cells of
 * several sizes save. Prints the ratio of uniform to adaptive nodes.
 */
#include "mesh/pieces_check.h"
#include "scenes/models.h"

enum { MODELS_MOST = 64 };

static lim_mesh* model(const char* name) {
    lim_mesh* mesh = NULL;
    CHECK(model_mesh(name, 0, NULL, &mesh) == LIM_OK);
    return mesh;
}

static lim_model_desc rules(double cell, int32_t coarsen) {
    return (lim_model_desc){.cell_size = (float)cell,
                            .scale = 1.0,
                            .coarsen = coarsen,
                            .cells_across = 2.0f,
                            .glue_parts = true,
                            .solid = true};
}

static void every_model_has_a_sound_hierarchy(void) {
    model_entry entry[MODELS_MOST];
    int32_t count = model_list(entry, MODELS_MOST);
    for (int32_t i = 0; i < count; i += test_long ? 1 : 3) {
        lim_mesh* mesh = model(entry[i].name);
        finest_kit k;
        finest_make(&k, mesh, 0.045, 0, true, true);
        check_pieces(&k);
        finest_free(&k);
        lim_mesh_destroy(mesh);
    }
}

static void every_model_is_sampled_adaptively(void) {
    model_entry entry[MODELS_MOST];
    int32_t count = model_list(entry, MODELS_MOST);
    for (int32_t i = 0; i < count; i += test_long ? 1 : 3) {
        lim_mesh* mesh = model(entry[i].name);
        lim_model_desc desc = rules(0.025, 5);
        arena a;
        arena_init(&a, NULL);
        sampling s;
        CHECK(sampling_build(&a, mesh, &desc, NULL, &s) == LIM_OK);
        check_sampling(mesh, &desc, &s);
        int32_t uniform = s.pieces.level[s.levels].count;
        printf("     %-10s %6d uniform, %5d adaptive: ratio %.1f\n", entry[i].name, uniform,
               s.node_count, (double)uniform / s.node_count);
        /* these are nowhere thicker than the cells that must be across them */
        bool thin = strcmp(entry[i].name, "strip") == 0 || strcmp(entry[i].name, "sheet") == 0;
        CHECK(s.component_count == 1 && (thin ? s.node_count == uniform : s.node_count < uniform));
        arena_release(&a);
        lim_mesh_destroy(mesh);
    }
}

/* Figure 1 of Steinemann et al. 2008: about 35,000 cells of the finest size, 661 nodes there. Here
 * the fingers take 400 and each root, without which they would not bend truly, some 150 to 200.
 * Fingers of 35.4 mm on a body of 643 mm, cells of 16.5 mm: 2.1 across a finger. */
static void thin_fingers_on_a_large_body(void) {
    lim_mesh* mesh = model("polyp");
    lim_model_desc desc = rules(0.0165, 5);
    arena a;
    arena_init(&a, NULL);
    sampling s;
    CHECK(sampling_build(&a, mesh, &desc, NULL, &s) == LIM_OK);
    check_sampling(mesh, &desc, &s);
    int32_t uniform = s.pieces.level[s.levels].count, fine = 0;
    double ratio = (double)uniform / s.node_count;
    printf("     polyp, cells of 16.5 mm: %d uniform, %d adaptive: ratio %.1f\n", uniform,
           s.node_count, ratio);
    CHECK(uniform > 33000 && uniform < 37000);
    CHECK(s.node_count <= 1800 && ratio >= 19.0);
    /* All nodes outside of the body are finest ones, to the foot of each finger. */
    lim_point body = p3(0.0, 0.643 / 2.0, 0.0);
    for (int32_t i = 0; i < s.node_count; ++i) {
        lim_point at = p3_mad(mesh->origin, p3_of(s.centroid[i]), mesh->size);
        if (p3_length(p3_sub(at, body)) > 0.643 / 2.0 + 0.0165) {
            CHECK(s.level[i] == s.levels);
            fine++;
        }
    }
    CHECK(fine >= 5 * 9 * 4); /* 5 fingers of 178 mm: what is left is 9 cells long, 2 x 2 wide */
    arena_release(&a);
    lim_mesh_destroy(mesh);
}

TEST_SUITE(adapt_models) {
    TEST_BEGIN(argc, argv);
    RUN(every_model_has_a_sound_hierarchy);
    RUN(every_model_is_sampled_adaptively);
    RUN(thin_fingers_on_a_large_body);
    TEST_END();
}
