/* SPDX-License-Identifier: MIT
 * Two square sheets sewn along their borders and blown up: the border is drawn in, and what is too
 * long there wrinkles.
 */
#include "shell/shell.h"

#include "shell_kit.h"
#include "test.h"

enum { CELLS = 36 };

/* How often the upper sheet beside the seam, along it, turns from bending up to bending down, by
 * more than a fiftieth of a cell. */
static int turns_along_seam(const lim_point* x, int32_t beside) {
    int turns = 0;
    double before = 0.0;
    for (int32_t i = 3; i + 3 <= CELLS; ++i) {
        double bend = x[kit_sewn_vertex(CELLS, 0, i - 1, beside)].y -
                      2.0 * x[kit_sewn_vertex(CELLS, 0, i, beside)].y +
                      x[kit_sewn_vertex(CELLS, 0, i + 1, beside)].y;
        if (fabs(bend) > 0.02 * 0.4 / (double)CELLS) {
            turns += bend * before < 0.0;
            before = bend;
        }
    }
    return turns;
}

/* A sheet of E t = 3e4 N/m. */
static lim_point* blow_up(double thickness, shell_report* r) {
    kit_surface k = kit_sewn(CELLS, 0.4);
    shell_desc d = kit_desc(&k);
    d.thickness = thickness;
    d.youngs_modulus = 3e4 / thickness;
    shell* s = NULL;
    CHECK(shell_create(&d, NULL, &s) == LIM_OK);
    CHECK(shell_get_info(s).closed && shell_get_info(s).volume == 0.0);
    /* all inner edges but not the seam */
    CHECK(shell_get_info(s).hinges == 3 * k.triangles / 2 - 4 * CELLS);
    kit_puff(&k, CELLS, 0.04, 1e-5);
    shell_pose pose = shell_pose_default();
    pose.pressure = 300.0;
    pose.most_iterations = 1000;
    CHECK(shell_solve(s, &pose, k.x, r) == LIM_OK);
    shell_destroy(s);
    free(k.index);
    return k.x;
}

/* Cloth that hardly stretches: the border shrinks, wrinkles stand along it. */
static void a_pillow_of_cloth_wrinkles_at_its_seam(void) {
    shell_report r;
    lim_point* x = blow_up(3e-4, &r);
    CHECK(r.converged && r.residual <= 1e-3);
    int turns = turns_along_seam(x, 3);
    double side = x[kit_sewn_vertex(CELLS, 0, CELLS / 2, CELLS)].z -
                  x[kit_sewn_vertex(CELLS, 0, CELLS / 2, 0)].z;
    double volume = r.volume / (0.4 * 0.4 * 0.4);
    printf("  %d Newton steps, %d turns along the seam, middle %.3f wide, volume %.4f\n",
           r.iterations, turns, side / 0.4, volume);
    CHECK(turns >= 6);
    CHECK(side < 0.9 * 0.4);
    CHECK_NEAR(volume, 0.1905, 0.01); /* of a square paper bag, by its side cubed (Robin 2004) */
    free(x);
}

/* Twenty times as thick and as stiff to stretch: bending costs 400 times as much. */
static void a_thick_sheet_does_not(void) {
    shell_report r;
    lim_point* x = blow_up(6e-3, &r);
    int turns = turns_along_seam(x, 3);
    printf("  %d Newton steps, %d turns along the seam\n", r.iterations, turns);
    CHECK(r.converged && turns <= 2);
    free(x);
}

TEST_SUITE(shell_pillow) {
    TEST_BEGIN(argc, argv);
    RUN(a_pillow_of_cloth_wrinkles_at_its_seam);
    RUN(a_thick_sheet_does_not);
    TEST_END();
}
