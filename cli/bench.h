/* SPDX-License-Identifier: MIT
 * Measurements that `limber bench` prints and `limber paper` sets beside the papers' numbers. Each
 * names its configuration and carries a hash of what was computed.
 */
#ifndef LIMBER_BENCH_H
#define LIMBER_BENCH_H

#include "cli/measure.h"
#include "cli/say.h"

#include "base/isa.h"
#include "bench/paper_cube.h"

enum { BENCH_WORKERS = 2, BENCH_WARM_STEPS = 100, BENCH_REST_STEPS = 240, BENCH_STEPS = 300 };

/* A cube of uniform octree nodes of one cell size that hangs from its top face and swings; damping
 * on, no sleep, one substep per step (so a step here is a step of the papers). */
typedef struct bench_step_result {
    lim_model_info info;
    double width; /* of the regions, cells */
    bool same_hash;
    uint64_t hash;
    int32_t substeps;
    int32_t steps, moves; /* measured, and of these the ones after which the hash was another */
    /* [0]: 1 worker, [1]: 2 workers; seconds per step */
    measure_summary total[BENCH_WORKERS];
    measure_summary stages[BENCH_WORKERS][MEASURE_STAGES];
} bench_step_result;
/* Side of the cube with about so many cells. */
int32_t bench_cube_side(int32_t nodes);
lim_result bench_step(int32_t nodes, double width, int32_t steps, const lim_host* host,
                      bench_step_result* out);

#define BENCH_STEP_DT (1.0f / 240.0f) /* a substep of the default world */
lim_result bench_cube(lim_kind kind, int32_t nodes, double width, const lim_host* host,
                      lim_model** out_model);
/* A world with the model hanging from its top. */
lim_result bench_hang(const lim_model* model, const lim_material* material, int32_t workers,
                      const lim_host* host, lim_world** out_world);
/* Asks for the skin of every body, as who draws them does. */
lim_result bench_read_skins(const lim_world* world);
/* What bench bodies are made of: the default with 10 kPa. */
lim_material bench_material(void);
/* Any model, hanging from its top and swinging. */
lim_result bench_model(const lim_model* model, const lim_material* material, int32_t steps,
                       const lim_host* host, bench_step_result* out);

/* What a user pays: the creature of the scene of that name lies on the ground, with contact and
 * skin read after each, in steps of 1/60 s with as many substeps as its material needs; it does not
 * sleep. */
lim_result bench_creature(int32_t steps, const lim_host* host, bench_step_result* out);

/* The same cube, ours with 1 worker and the printed step of 2008 (bench/paper_mode.h) in turns. */
typedef struct bench_paper_result {
    lim_model_info our_info;
    paper_cube_info info;
    uint64_t hash;                   /* of the printed one's state */
    int32_t steps, moves;            /* of the printed one */
    measure_summary ours, total;     /* seconds per step */
    double sums, rotations, damping; /* of the printed one, medians */
} bench_paper_result;
lim_result bench_paper_step(int32_t nodes, double width, int32_t rounds, const lim_host* host,
                            bench_paper_result* out);

/* Regions of `bench step` in cells: 64 members inside a body. */
#define BENCH_WIDTH 1.0
/* Bodies larger than this are not run beside the printed step. */
enum { BENCH_PAPER_MOST = 40000 };

/* The skin of a model with positions, normals and tangents, 1 and 2 workers, of an octree and of a
 * lattice in turns. */
enum { BENCH_SKINS = 2 };
typedef struct bench_skin_result {
    lim_kind kind;
    int32_t vertices, triangles, nodes;
    bool same_hash;
    uint64_t hash;
    measure_summary skin[BENCH_WORKERS]; /* seconds per step */
} bench_skin_result;
lim_result bench_skin(int32_t triangles, int32_t steps, const lim_host* host,
                      bench_skin_result out[BENCH_SKINS]);

/* From a triangle soup to the first step, about 2,000 nodes, 1 worker; seconds. */
typedef struct bench_build_result {
    int32_t triangles, open_edges, nodes;
    double clean, build, first_step;
    double
        uniform; /* build of as many nodes in cells of one size, the better of two; 0: they are */
    uint64_t hash;
} bench_build_result;
/* holes: every hundredth face is removed. coarsen: how often cells may be joined. */
lim_result bench_build(int32_t triangles, bool holes, int32_t coarsen, const lim_host* host,
                       bench_build_result* out);

/* Rotations of 3x3 matrices from a warm start, loads and transposes included, per instruction set.
 */
typedef struct bench_rotation_result {
    isa set;
    double ns;       /* per rotation, median */
    double residual; /* largest angle to the exact rotation, radians */
    uint64_t hash;   /* of all results */
} bench_rotation_result;
enum { BENCH_ROTATION_STEPS = 2, BENCH_ROTATION_COUNT = 4096 };
/* Fills one entry per instruction set that this machine has; out_count says how many. */
lim_result bench_rotation(int32_t iterations, const lim_host* host,
                          bench_rotation_result out[ISA_COUNT], int32_t* out_count);

#endif
