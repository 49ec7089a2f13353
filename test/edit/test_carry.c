/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "edit/carry_kit.h"

static const lim_vec3 NO_GRAVITY = {0, 0, 0};
static const carry_map ALL_NEW = {0};

static lim_material rubber(void) {
    lim_material m = lim_material_default();
    m.young = (float)atof(getenv("YOUNG"));
    m.viscosity = 0.0f;
    m.damping_time = 1000.0f;
    if (getenv("GOAL")) m.goal = LIM_GOAL_LINEAR, m.beta = 0.01f;
    if (getenv("VOL")) m.volume = 0.05f;
    return m;
}

static const double CELL = 1.0 / 64;

static void explore(void) {
    const int32_t n[3] = {64, 8, 8};
    lim_mesh* mesh = box_surface(n, CELL);
    topology* level[3];
    for (int k = 0; k < 3; ++k) {
        level[k] = level_topology(mesh, CELL, (level_rule){k, 0});
        printf("level %d: %d nodes %d regions\n", k, level[k]->node_count, level[k]->regions.count);
        int32_t seedless = 0;
        for (int32_t r = 0; r < level[k]->regions.count; ++r) {
            bool has = false;
            for (int32_t i = 0; i < level[k]->slot_count; ++i) {
                has = has || level[k]->regions.seed_region[i] == r;
            }
            seedless += !has;
        }
        printf("   seedless %d\n", seedless);
    }
    for (int from = 0; from < 3; ++from) {
        for (int to = 0; to < 3; ++to) {
            lim_material m = rubber();
            stage s = stage_make(level[from], &m, (lim_vec3){0, -(float)atof(getenv("G")), 0}, 1);
            {
                body* b = stage_body(&s);
                double amp = atof(getenv("AMP"));
                for (int32_t i = 0; i < b->topology->slot_count; ++i) {
                    double x = (double)b->topology->x0[0][i];
                    b->v[1][i] = b->topology->slot_node[i] >= 0 ? (float)(amp * (1.0 / 12 - x * x)) : 0.0f;
                }
                body_wake(b);
            }
            stage_steps(&s, atoi(getenv("STEPS")));
            sums was = sums_of(stage_body(&s));
            double e = elastic_of(stage_body(&s));
            shape_copy skin = skin_of(stage_body(&s));
            double low = 0, high = -9, end = 0;
            for (int32_t i = 0; i < skin.count; ++i) {
                low = skin.at[i].y < low ? skin.at[i].y : low;
                high = skin.at[i].y > high ? skin.at[i].y : high;
                end = skin.at[i].x > end ? skin.at[i].x : end;
            }
            CHECK(stage_carry(&s, level[to], &ALL_NEW) == LIM_OK);
            sums now = sums_of(stage_body(&s));
            double e2 = elastic_of(stage_body(&s));
            double pop = skin_moved(stage_body(&s), skin);
            stage_steps(&s, 1);
            sums then = sums_of(stage_body(&s));
            double e3 = elastic_of(stage_body(&s));
            printf("height %g end %g ", high - low, end);printf("share %g sub %d ", stage_body(&s)->share, stage_body(&s)->substeps);
            printf("%d -> %d: low %.3f pop %.3f %% of fine cell; P %.2e L %.3g -> %.3g; K %.4g -> %.4g; E "
                   "%.4g -> %.4g; then K %.4g E %.4g\n",
                   from, to, low, 100 * pop / CELL,
                   p3_length(p3_sub(now.momentum, was.momentum)) / p3_length(was.momentum),
                   was.turning.z, now.turning.z, was.kinetic, now.kinetic, e, e2, then.kinetic, e3);
            stage_free(&s);
        }
    }
    for (int k = 0; k < 3; ++k) {
        topology_release(level[k]);
    }
    lim_mesh_destroy(mesh);
}

int main(int argc, char** argv) {
    TEST_BEGIN(argc, argv);
    (void)NO_GRAVITY;
    RUN(explore);
    TEST_END();
}
