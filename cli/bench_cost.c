/* SPDX-License-Identifier: MIT
 * Job: `limber bench cost`. In: names of cases. Out: each is prepared, then its work is done once
 * inside cost_measured, whose instructions tools/cost.sh counts; and a line of name, unit, how many
 * units of work it was and a hash of what came out, behind a line that names compiler and
 * instruction set. Cases are small: where instructions are counted all is fifty times slower. One
 * worker, and no case looks at the clock.
 */
#include "cli/bench_cost.h"

#include "cli/bench.h"
#include "cli/subject.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/random.h"
#include "bench/leaves.h"
#include "math/rotation.h"
#include "scenes/models.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum cost_unit {
    PER_NODE_SUBSTEP,
    PER_NODE_STEP,
    PER_VERTEX,
    PER_FLOOR_CONTACT,
    PER_BODY_CONTACT,
    PER_ROTATION,
    PER_NODE,
    PER_TRIANGLE
} cost_unit;

static const char* const unit_names[] = {"node and substep",
                                         "node and step",
                                         "vertex and step",
                                         "floor contact and step",
                                         "body contact and step",
                                         "rotation",
                                         "node",
                                         "triangle"};

/* What lim_body_desc.material has of its own. */
typedef enum cost_matter { PLAIN, UNDAMPED, VOLUME, CLAY } cost_matter;

typedef struct cost_case {
    const char* name;
    cost_unit unit;
    lim_result (*prepare)(cost_stage* s);
    lim_result (*work)(cost_stage* s);
    const char* mesh; /* of models.h; "cube", "slab" or "leaves" */
    int32_t triangles;
    lim_kind kind;
    int32_t nodes, coarsen;
    cost_matter matter;
    int32_t warm, steps; /* steps that are not counted, and that are */
} cost_case;

enum { ROTATIONS = 1024, BALLS = 8 };
#define FRAME (1.0f / 60.0f)

struct cost_stage {
    const cost_case* of;
    const lim_host* host;
    arena memory;
    lim_mesh* mesh;
    lim_model* model;
    lim_world* world;
    lim_body body;
    float dt;
    float *matrices, *turns;
    double units;
    uint64_t hash;
};

/* ---- what cases are about ---------------------------------------------------------------------
 */

static lim_result make_mesh(cost_stage* s) {
    const cost_case* c = s->of;
    int32_t fine = (int32_t)sqrt((double)c->triangles / 12.0);
    const int32_t cube[3] = {fine, fine, fine}, slab[3] = {16, 1, 16};
    if (strcmp(c->mesh, "cube") == 0) {
        return box_mesh(0.3, 0.3, 0.3, cube, s->host, &s->mesh);
    }
    if (strcmp(c->mesh, "slab") == 0) {
        return box_mesh(0.48, 0.03, 0.48, slab, s->host, &s->mesh);
    }
    if (strcmp(c->mesh, "leaves") == 0) {
        return leaves_mesh(c->triangles, s->host, &s->mesh);
    }
    return model_mesh(c->mesh, c->triangles, s->host, &s->mesh);
}

static lim_result make_model(cost_stage* s) {
    lim_model_desc desc = lim_model_desc_default();
    desc.kind = s->of->kind;
    desc.node_count = s->of->nodes;
    desc.coarsen = s->of->coarsen;
    return lim_model_create(s->mesh, &desc, s->host, &s->model);
}

static lim_material material_of(const cost_case* c) {
    lim_material m = lim_material_default();
    m.viscosity = c->matter == UNDAMPED ? 0.0f : m.viscosity;
    m.volume = c->matter == VOLUME ? 0.5f : 0.0f;
    m.yield = c->matter == CLAY ? 0.002f : 0.0f;
    return m;
}

static lim_result make_both(cost_stage* s) {
    lim_result result = make_mesh(s);
    return result == LIM_OK ? make_model(s) : result;
}

static lim_result add_floor(cost_stage* s) {
    lim_collider_desc floor = lim_collider_desc_default();
    lim_collider made;
    floor.shape = LIM_SHAPE_PLANE;
    return lim_collider_create(s->world, &floor, &made);
}

static lim_result make_world(cost_stage* s) {
    lim_world_desc desc = lim_world_desc_default();
    desc.workers = 1;
    desc.sleep = false;
    s->dt = FRAME;
    return lim_world_create(&desc, s->host, &s->world);
}

/* The model's lowest point at this height. */
static lim_result add_body(cost_stage* s, double bottom, bool self_contact) {
    lim_body_desc desc = lim_body_desc_default();
    lim_model_info info = lim_model_get_info(s->model);
    desc.model = s->model;
    desc.material = material_of(s->of);
    desc.position.y = bottom + info.centre.y - info.bounds.lower.y;
    desc.self_contact = self_contact;
    return lim_body_create(s->world, &desc, &s->body);
}

/* ---- ways to begin ----------------------------------------------------------------------------
 */

static lim_result prepare_hanging(cost_stage* s) {
    lim_result result = make_both(s);
    lim_material material = material_of(s->of);
    s->dt = BENCH_STEP_DT;
    return result == LIM_OK ? bench_hang(s->model, &material, 1, s->host, &s->world) : result;
}

static lim_result prepare_turning(cost_stage* s) {
    lim_result result = make_both(s);
    result = result == LIM_OK ? make_world(s) : result;
    result = result == LIM_OK ? add_body(s, 0.0, false) : result;
    const lim_vec3 still = {0, 0, 0}, turning = {1.0f, 2.0f, 0.5f};
    return result == LIM_OK ? lim_body_set_velocity(s->world, s->body, still, turning) : result;
}

static lim_result prepare_on_floor(cost_stage* s) {
    lim_result result = make_both(s);
    result = result == LIM_OK ? make_world(s) : result;
    result = result == LIM_OK ? add_floor(s) : result;
    return result == LIM_OK ? add_body(s, 0.002, false) : result;
}

static lim_result prepare_on_itself(cost_stage* s) {
    lim_result result = make_both(s);
    result = result == LIM_OK ? make_world(s) : result;
    result = result == LIM_OK ? add_floor(s) : result;
    return result == LIM_OK ? add_body(s, 0.002, true) : result;
}

/* Two layers of four, a little into each other. */
static lim_result prepare_heap(cost_stage* s) {
    lim_result result = make_both(s);
    result = result == LIM_OK ? make_world(s) : result;
    result = result == LIM_OK ? add_floor(s) : result;
    for (int32_t i = 0; i < BALLS && result == LIM_OK; ++i) {
        lim_body_desc desc = lim_body_desc_default();
        lim_body made;
        desc.model = s->model;
        desc.scale = 0.2f;
        desc.position = (lim_point){0.19 * (double)(i % 2), 0.1 + 0.17 * (double)(i / 4),
                                    0.19 * (double)(i / 2 % 2)};
        result = lim_body_create(s->world, &desc, &made);
    }
    return result;
}

static lim_result prepare_rotations(cost_stage* s) {
    random_stream r = random_seed(7);
    s->matrices = ARENA_ARRAY(&s->memory, float, 9 * ROTATIONS);
    s->turns = ARENA_ARRAY(&s->memory, float, 4 * ROTATIONS);
    if (s->matrices == NULL || s->turns == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < ROTATIONS; ++i) {
        for (int32_t k = 0; k < 9; ++k) {
            float stretch = k % 4 == 0 ? 1.0f : 0.0f;
            s->matrices[k * ROTATIONS + i] = stretch + random_range(&r, -0.2f, 0.2f);
        }
        s->turns[3 * ROTATIONS + i] = 1.0f;
    }
    return LIM_OK;
}

/* ---- work -------------------------------------------------------------------------------------
 */

static double units_of_step(const cost_stage* s) {
    lim_step_report r = lim_world_get_report(s->world);
    switch (s->of->unit) {
    case PER_NODE_SUBSTEP:
        return (double)r.nodes * (double)r.substeps_most;
    case PER_NODE_STEP:
        return (double)r.nodes;
    case PER_VERTEX:
        return (double)lim_model_get_surface(s->model).vertex_count;
    case PER_FLOOR_CONTACT:
        return (double)(r.contacts - r.body_contacts);
    default:
        return (double)r.body_contacts;
    }
}

static lim_result take_steps(cost_stage* s, int32_t count) {
    lim_result result = LIM_OK;
    for (int32_t i = 0; i < count && result == LIM_OK; ++i) {
        result = lim_world_step(s->world, s->dt);
        s->units += units_of_step(s);
    }
    return result;
}

static lim_result work_steps(cost_stage* s) {
    return take_steps(s, s->of->steps);
}

/* As who draws each step. */
static lim_result work_shown_steps(cost_stage* s) {
    lim_result result = LIM_OK;
    for (int32_t i = 0; i < s->of->steps && result == LIM_OK; ++i) {
        result = take_steps(s, 1);
        result = result == LIM_OK ? bench_read_skins(s->world) : result;
    }
    return result;
}

static lim_result work_rotations(cost_stage* s) {
    rotation_solve(isa_best(), s->matrices, s->turns, ROTATIONS, BENCH_ROTATION_STEPS);
    s->units = (double)ROTATIONS;
    s->hash = hash_bytes(HASH_SEED, s->turns, 4 * ROTATIONS * sizeof(float));
    return LIM_OK;
}

/* A slit from above through half of the body. */
static lim_result work_cut(cost_stage* s) {
    lim_cut_desc cut = lim_cut_desc_default();
    lim_edit_report r;
    const lim_point tip[2] = {{0.013, 0.4, -0.4}, {0.017, 0.14, -0.4}};
    const lim_point back[2] = {{0.013, 0.4, 0.4}, {0.017, 0.14, 0.4}};
    cut.count = 2;
    cut.tips = tip;
    cut.backs = back;
    lim_result result = lim_body_cut(s->world, s->body, &cut, &r);
    s->units = (double)r.nodes_after;
    return result;
}

static lim_result work_refine(cost_stage* s) {
    lim_refine_desc fine = lim_refine_desc_default();
    lim_edit_report r;
    fine.size.x = 0.1f;
    fine.position = (lim_point){0.0, 0.3, 0.0};
    lim_result result = lim_body_refine(s->world, s->body, &fine, &r);
    s->units = (double)r.new_nodes;
    return result;
}

static lim_result work_build(cost_stage* s) {
    lim_result result = make_model(s);
    s->units = (double)lim_mesh_get_view(s->mesh).triangle_count;
    s->hash = (uint64_t)lim_model_get_info(s->model).nodes;
    return result;
}

/* ---- the cases --------------------------------------------------------------------------------
 */

#define HANGS prepare_hanging, work_steps
static const cost_case cases[] = {
    {"substep_octree", PER_NODE_SUBSTEP, HANGS, "cube", 12, LIM_KIND_OCTREE, 1000, 0, PLAIN, 4, 20},
    {"substep_undamped", PER_NODE_SUBSTEP, HANGS, "cube", 12, LIM_KIND_OCTREE, 1000, 0, UNDAMPED, 4,
     20},
    {"substep_volume", PER_NODE_SUBSTEP, HANGS, "cube", 12, LIM_KIND_OCTREE, 1000, 0, VOLUME, 4,
     20},
    {"substep_plastic", PER_NODE_SUBSTEP, HANGS, "cube", 12, LIM_KIND_OCTREE, 1000, 0, CLAY, 4, 20},
    {"substep_adaptive", PER_NODE_SUBSTEP, HANGS, "creature", 1500, LIM_KIND_OCTREE, 600, 2, PLAIN,
     4, 20},
    {"substep_lattice", PER_NODE_SUBSTEP, HANGS, "cube", 12, LIM_KIND_LATTICE, 4096, 0, PLAIN, 2,
     6},
    {"substep_lattice_sets", PER_NODE_SUBSTEP, HANGS, "creature", 1500, LIM_KIND_LATTICE, 600, 0,
     PLAIN, 4, 20},
    {"substep_points", PER_NODE_SUBSTEP, HANGS, "cube", 3000, LIM_KIND_POINTS, 500, 0, PLAIN, 4,
     20},
    {"rotation", PER_ROTATION, prepare_rotations, work_rotations, NULL, 0, LIM_KIND_OCTREE, 0, 0,
     PLAIN, 0, 0},
    {"skin_octree", PER_VERTEX, prepare_turning, work_shown_steps, "cube", 9000, LIM_KIND_OCTREE,
     64, 0, PLAIN, 2, 6},
    {"skin_lattice", PER_VERTEX, prepare_turning, work_shown_steps, "cube", 9000, LIM_KIND_LATTICE,
     64, 0, PLAIN, 2, 6},
    {"creature_at_rest", PER_NODE_STEP, prepare_on_floor, work_steps, "creature", 1500,
     LIM_KIND_OCTREE, 600, 0, PLAIN, 60, 6},
    {"creature_shown", PER_NODE_STEP, prepare_on_floor, work_shown_steps, "creature", 1500,
     LIM_KIND_OCTREE, 600, 0, PLAIN, 60, 6},
    {"floor_contact", PER_FLOOR_CONTACT, prepare_on_floor, work_steps, "slab", 0, LIM_KIND_OCTREE,
     256, 0, PLAIN, 20, 6},
    {"heap", PER_BODY_CONTACT, prepare_heap, work_steps, "sphere", 800, LIM_KIND_OCTREE, 60, 0,
     PLAIN, 20, 6},
    {"self_contact", PER_BODY_CONTACT, prepare_on_itself, work_steps, "leaves", 4000,
     LIM_KIND_OCTREE, 300, 0, PLAIN, 20, 6},
    {"cut", PER_NODE, prepare_turning, work_cut, "cube", 1200, LIM_KIND_OCTREE, 512, 0, PLAIN, 1,
     0},
    {"cut_lattice", PER_NODE, prepare_turning, work_cut, "cube", 1200, LIM_KIND_LATTICE, 512, 0,
     PLAIN, 1, 0},
    {"refine", PER_NODE, prepare_turning, work_refine, "cube", 1200, LIM_KIND_OCTREE, 300, 2, PLAIN,
     1, 0},
    {"build_octree", PER_TRIANGLE, make_mesh, work_build, "creature", 1500, LIM_KIND_OCTREE, 500, 0,
     PLAIN, 0, 0},
    {"build_adaptive", PER_TRIANGLE, make_mesh, work_build, "creature", 1500, LIM_KIND_OCTREE, 300,
     3, PLAIN, 0, 0},
    {"build_lattice", PER_TRIANGLE, make_mesh, work_build, "creature", 1500, LIM_KIND_LATTICE, 500,
     0, PLAIN, 0, 0},
};
enum { CASE_COUNT = (int)(sizeof cases / sizeof cases[0]) };

static int run_case(const cost_case* c, say_log* log) {
    cost_stage s = {.of = c, .host = &log->host};
    arena_init(&s.memory, &log->host);
    lim_result result = c->prepare(&s);
    result = result == LIM_OK ? take_steps(&s, c->warm) : result;
    s.units = 0.0;
    result = result == LIM_OK ? cost_measured(c->work, &s) : result;
    if (result == LIM_OK) {
        s.hash = s.world != NULL ? lim_world_hash(s.world) : s.hash;
        printf("%s\t%s\t%.0f\t%016llx\n", c->name, unit_names[c->unit], s.units,
               (unsigned long long)s.hash);
    }
    lim_world_destroy(s.world);
    lim_model_destroy(s.model);
    lim_mesh_destroy(s.mesh);
    arena_release(&s.memory);
    return result == LIM_OK ? EXIT_DONE : subject_failed(c->name, result, NULL, log);
}

/* Where whole structures are checked after each stage, models and edits cost more. */
#if defined(LIM_VALIDATION)
enum { VALIDATES = true };
#else
enum { VALIDATES = false };
#endif

static bool is_wanted(const option_texts* names, const cost_case* c) {
    bool checked = VALIDATES && (c->unit == PER_NODE || c->unit == PER_TRIANGLE);
    bool wanted = names->count == 0 && !checked;
    for (int32_t i = 0; i < names->count; ++i) {
        wanted = wanted || strcmp(names->items[i], c->name) == 0;
    }
    return wanted;
}

#define TEXT_OF(x)  TEXT_OF_(x)
#define TEXT_OF_(x) #x
#if defined(__clang__)
#define COMPILER "clang " TEXT_OF(__clang_major__)
#elif defined(__GNUC__)
#define COMPILER "gcc " TEXT_OF(__GNUC__)
#else
#define COMPILER "unknown compiler"
#endif

int bench_cost_command(const option_texts* names, say_log* log) {
    int code = EXIT_DONE, found = 0;
    for (int32_t i = 0; i < CASE_COUNT; ++i) {
        found += is_wanted(names, &cases[i]);
    }
    if (found < names->count) {
        say_error("no such case of bench cost; without a name it runs all and says their names");
        return EXIT_USAGE;
    }
    printf("# %s, %s%s\n", COMPILER, isa_name(isa_best()), VALIDATES ? ", validation" : "");
    for (int32_t i = 0; i < CASE_COUNT && code == EXIT_DONE; ++i) {
        code = is_wanted(names, &cases[i]) ? run_case(&cases[i], log) : EXIT_DONE;
    }
    return code;
}
