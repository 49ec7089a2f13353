/* SPDX-License-Identifier: MIT
 * A sampling laid out for region builders is the sampler's: nodes, graph, pieces; the cell at a
 * place is found; failures leak nothing.
 */
#include "test.h"

#include "bench/paper_cube.h"
#include "bench/sampled.h"
#include "failing_host.h"
#include "scenes/models.h"

static lim_model_desc coarse(int32_t coarsen) {
    lim_model_desc desc = lim_model_desc_default();
    desc.cell_size = 0.05f;
    desc.coarsen = coarsen;
    return desc;
}

static void slots_are_nodes(void) {
    lim_mesh* mesh = NULL;
    CHECK(model_mesh("hand", 4000, NULL, &mesh) == LIM_OK);
    lim_model_desc desc = coarse(3);
    sampled s;
    CHECK(sampled_make(mesh, &desc, NULL, &s) == LIM_OK);
    CHECK(s.nodes.padded % 8 == 0 && s.nodes.padded - s.nodes.count < 8);
    CHECK(s.g.offset[s.nodes.padded] == s.s.edge_offset[s.nodes.count]);
    double moment[3] = {0.0, 0.0, 0.0};
    for (int32_t i = 0; i < s.nodes.padded; ++i) {
        bool pad = i >= s.nodes.count;
        CHECK(pad == (s.tree.level[i] < 0) && pad == !(s.nodes.volume[i] > 0.0f));
        for (int k = 0; k < 3; ++k) {
            moment[k] += (double)s.nodes.volume[i] * (double)s.nodes.x0[k][i];
        }
    }
    for (int k = 0; k < 3; ++k) {
        CHECK_NEAR(moment[k], 0.0, 1e-7);
    }
    sampled_release(&s);
    lim_mesh_destroy(mesh);
}

static void cells_are_found_by_place(void) {
    lim_mesh* mesh = NULL;
    CHECK(model_mesh("polyp", 0, NULL, &mesh) == LIM_OK);
    lim_model_desc fine = coarse(0), adaptive = coarse(3);
    fine.cell_size = adaptive.cell_size = 0.03f;
    sampled a, u;
    CHECK(sampled_make(mesh, &adaptive, NULL, &a) == LIM_OK);
    CHECK(sampled_make(mesh, &fine, NULL, &u) == LIM_OK);
    int32_t sizes = 0;
    for (int32_t i = 0; i < a.nodes.count; ++i) {
        lim_point centre = p3_mad(a.mesh_origin, p3_of(a.s.centre[i]), a.unit);
        double edge = (double)a.s.side[i] * a.unit;
        CHECK_NEAR(sampled_edge_at(&a, centre), edge, 1e-6);
        sizes |= 1 << a.s.level[i];
    }
    CHECK((sizes & (sizes - 1)) != 0); /* several */
    for (int32_t i = 0; i < u.nodes.count; ++i) {
        CHECK(sampled_edge_at(&a, sampled_metres(&u, i)) >= 0.0299);
    }
    CHECK(sampled_edge_at(&a, p3(0, 99, 0)) == 0.0);
    CHECK(sampled_base_cells(&a, 0) == u.nodes.count);
    CHECK(sampled_base_cells(&a, 3) < sampled_base_cells(&a, 2));
    sampled_release(&a);
    sampled_release(&u);
    lim_mesh_destroy(mesh);
}

static void the_cube_hangs_and_moves(void) {
    paper_cube* c = NULL;
    lim_host host = mem_host(NULL);
    CHECK(paper_cube_create(6, 0.03125, PAPER_CUBE_WIDTH, &host, &c) == LIM_OK);
    paper_cube_info info = paper_cube_get_info(c);
    CHECK(info.nodes == 216 && info.members >= 27.0 && info.summation_nodes < info.members);
    uint64_t before = paper_cube_hash(c);
    for (int step = 0; step < 20; ++step) {
        paper_cube_step(c, 1.0f / 240.0f);
        CHECK(paper_cube_hash(c) != before);
        before = paper_cube_hash(c);
    }
    paper_cube_destroy(c);
}

static void failures_leak_nothing(void) {
    for (int32_t allowed = 0;; ++allowed) {
        failing_host f;
        failing_host_arm(&f, allowed);
        paper_cube* c = NULL;
        lim_result result = paper_cube_create(3, 0.03125, PAPER_CUBE_WIDTH, &f.host, &c);
        paper_cube_destroy(c);
        CHECK(f.held == 0);
        if (result == LIM_OK) {
            CHECK(allowed > 10);
            break;
        }
        CHECK(result == LIM_ERROR_MEMORY && c == NULL);
    }
}

TEST_SUITE(sampled) {
    TEST_BEGIN(argc, argv);
    RUN(slots_are_nodes);
    RUN(cells_are_found_by_place);
    RUN(the_cube_hangs_and_moves);
    RUN(failures_leak_nothing);
    TEST_END();
}
