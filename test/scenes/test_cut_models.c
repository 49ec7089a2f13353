/* SPDX-License-Identifier: MIT
 * Random strokes on the procedural models, two to five on each other. What must hold of every cut
 * is in cut/cut_kit.h.
 */
#include "cut/cut_kit.h"
#include "mesh/surface.h"
#include "scenes/models.h"

enum { MODELS_MOST = 64 };

static solid solid_of_model(const char* name, int32_t triangles) {
    lim_mesh* mesh = NULL;
    CHECK(model_mesh(name, triangles, NULL, &mesh) == LIM_OK);
    solid s = {.points = mesh->point_count, .triangles = mesh->triangle_count};
    s.point = malloc((size_t)s.points * sizeof(lim_point));
    s.triangle = kit_copy(mesh->triangle_point, 3 * (size_t)s.triangles, sizeof(int32_t));
    s.submesh = calloc((size_t)s.triangles, sizeof(int32_t));
    for (int32_t i = 0; i < s.points; ++i) {
        s.point[i] = p3_of(mesh->point[i]);
    }
    lim_mesh_destroy(mesh);
    return s;
}

static void every_model_is_cut(void) {
    model_entry entry[MODELS_MOST];
    int32_t count = model_list(entry, MODELS_MOST);
    for (int32_t i = 0; i < count; ++i) {
        solid fresh = solid_of_model(entry[i].name, 0);
        random_stream r = random_seed((uint64_t)i);
        int total = 0, cut = 0, refused = 0, most = 0;
        for (int k = 0; k < (test_long ? 100 : 5); ++k) {
            solid s = solid_copy(&fresh);
            int32_t strokes = 2 + random_index(&r, 4), parts = 0;
            for (int32_t j = 0; j < strokes; ++j, ++total) {
                blade b = random_stroke(&r);
                cut_result counts;
                lim_result result = solid_cut(&s, &b, (uint64_t)j, &parts, &counts);
                CHECK(result == LIM_OK || result == LIM_ERROR_UNSUPPORTED);
                refused += result != LIM_OK;
                cut += counts.removed_count > 0;
                most = parts > most ? parts : most;
            }
            solid_free(&s);
        }
        printf("     %-10s %6d triangles, %4d strokes, %4d cut, %d refused, at most %d parts\n",
               entry[i].name, fresh.triangles, total, cut, refused, most);
        CHECK(20 * refused <= total);
        CHECK(2 * cut > total);
        solid_free(&fresh);
    }
}

TEST_SUITE(cut_models) {
    TEST_BEGIN(argc, argv);
    RUN(every_model_is_cut);
    TEST_END();
}
