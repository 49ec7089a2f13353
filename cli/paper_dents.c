/* SPDX-License-Identifier: MIT
 * Job: 000.fig5. In: the built-in scene `pegs`. Out: how deep the dents are that a plastic block
 * keeps, what load made them, what became of its volume, and a picture before, under load and
 * after. Thickness over a peg is measured between the two vertices of the skin that are above each
 * other there at rest, along the block's own axis; a block that cannot flow, in the same scene,
 * says what is left by chance.
 */
#include "cli/paper_octree.h"

#include "cli/stage.h"
#include "math/quat.h"
#include "math/trig.h"
#include "scenes/scene.h"

#include <math.h>
#include <string.h>

enum { PEGS_MOST = 16, QUICK_NODES = 1500, PANELS = 3 };
/* The block is let go of at 2 s: the load is measured shortly before, the dents at the end. */
static const double LOADED = 1.9;
static const char* const captions[PANELS] = {"before", "on the pegs", "after"};

typedef struct dents {
    scene* plan;
    scene_run* run;
    scene_run_body block;
    int32_t vertex_count, peg_count;
    float* skin;  /* 3 per vertex, from the centre of mass, world axes */
    float* value; /* 1 per vertex */
    int32_t under[PEGS_MOST], over[PEGS_MOST]; /* vertices of the skin below and above */
    double thick[PEGS_MOST];                   /* at rest, metres */
    double volume;                             /* at rest */
    arena memory;
} dents;

/* What is read off at one moment. */
typedef struct dents_found {
    double depth;  /* thickness lost over a peg, mean over the pegs, share of the block */
    double volume; /* over that at rest */
    double strain, plastic_most, plastic_mean;
} dents_found;

static lim_result place_skin(dents* d, lim_body_motion* motion) {
    const lim_world* world = scene_run_world(d->run);
    lim_result result = lim_body_get_motion(world, d->block.body, motion);
    return result == LIM_OK ? lim_body_write_skin(world, d->block.body, motion->centre, d->skin,
                                                  3 * sizeof(float), NULL, 0, d->vertex_count)
                            : result;
}

/* The vertex nearest to the line along y through (x, z), in the upper or lower fifth. */
static int32_t find_vertex(const dents* d, double x, double z, double y_limit, bool upper) {
    int32_t best = 0;
    double nearest = INFINITY;
    for (int32_t i = 0; i < d->vertex_count; ++i) {
        const float* p = d->skin + 3 * (size_t)i;
        double dx = (double)p[0] - x, dz = (double)p[2] - z, far = dx * dx + dz * dz;
        if ((upper ? (double)p[1] > y_limit : (double)p[1] < -y_limit) && far < nearest) {
            nearest = far;
            best = i;
        }
    }
    return best;
}

static double thickness(const dents* d, int32_t peg, lim_quat turn) {
    const float* a = d->skin + 3 * (size_t)d->under[peg];
    const float* b = d->skin + 3 * (size_t)d->over[peg];
    lim_point up = dquat_rotate(dquat_unit(dquat_of(turn)), p3(0.0, 1.0, 0.0));
    return ((double)b[0] - (double)a[0]) * up.x + ((double)b[1] - (double)a[1]) * up.y +
           ((double)b[2] - (double)a[2]) * up.z;
}

static lim_result begin(dents* d, bool flows, bool quick, const lim_host* host) {
    const scene_entry* entry = scene_find("pegs");
    lim_io_message message = {{0}};
    memset(d, 0, sizeof *d);
    arena_init(&d->memory, host);
    lim_result result =
        scene_parse(entry->text, entry->size, entry->name, NULL, host, &d->plan, &message);
    const scene_options options = {.workers = 1, .nodes = quick ? QUICK_NODES : 0};
    result = result == LIM_OK ? scene_start(d->plan, &options, host, &d->run, &message) : result;
    if (result != LIM_OK) {
        return result;
    }
    d->block = scene_run_body_at(d->run, 0);
    d->vertex_count = lim_model_get_surface(d->block.model).vertex_count;
    d->skin = ARENA_ARRAY(&d->memory, float, 3 * (int64_t)d->vertex_count);
    d->value = ARENA_ARRAY(&d->memory, float, d->vertex_count);
    if (d->skin == NULL || d->value == NULL) {
        return LIM_ERROR_MEMORY;
    }
    lim_material material;
    result = lim_body_get_material(scene_run_world(d->run), d->block.body, &material);
    material.yield = flows ? material.yield : 0.0f;
    result = result == LIM_OK
                 ? lim_body_set_material(scene_run_world(d->run), d->block.body, &material)
                 : result;
    lim_body_motion motion;
    result = result == LIM_OK ? place_skin(d, &motion) : result;
    if (result == LIM_OK) {
        const scene_desc* desc = scene_get_desc(d->plan);
        double reach = 0.3 * (motion.bounds.upper.y - motion.bounds.lower.y);
        d->volume = motion.volume;
        for (int32_t i = 0; i < desc->collider_count && d->peg_count < PEGS_MOST; ++i) {
            int32_t peg = d->peg_count++;
            double x = desc->colliders[i].position.x - motion.centre.x;
            double z = desc->colliders[i].position.z - motion.centre.z;
            d->under[peg] = find_vertex(d, x, z, reach, false);
            d->over[peg] = find_vertex(d, x, z, reach, true);
            d->thick[peg] = thickness(d, peg, motion.orientation);
        }
    }
    return result;
}

static void end(dents* d) {
    scene_stop(d->run);
    scene_destroy(d->plan);
    arena_release(&d->memory);
}

static lim_result look(dents* d, dents_found* out) {
    const lim_world* world = scene_run_world(d->run);
    lim_body_motion motion;
    memset(out, 0, sizeof *out);
    lim_result result = place_skin(d, &motion);
    if (result == LIM_OK) {
        out->volume = motion.volume / d->volume;
        for (int32_t i = 0; i < d->peg_count; ++i) {
            double lost = d->thick[i] - thickness(d, i, motion.orientation);
            out->depth += lost / d->thick[i] / d->peg_count;
        }
        result = lim_body_get_strain(world, d->block.body, d->value, d->vertex_count);
    }
    for (int32_t i = 0; i < d->vertex_count && result == LIM_OK; ++i) {
        out->strain = fmax(out->strain, (double)d->value[i]);
    }
    result = result == LIM_OK
                 ? lim_body_get_plastic(world, d->block.body, d->value, d->vertex_count)
                 : result;
    for (int32_t i = 0; i < d->vertex_count && result == LIM_OK; ++i) {
        out->plastic_most = fmax(out->plastic_most, (double)d->value[i]);
        out->plastic_mean += (double)d->value[i] / d->vertex_count;
    }
    return result;
}

static lim_result run_until(dents* d, double time) {
    lim_result result = LIM_OK;
    while (scene_run_time(d->run) < time - 1e-6 && result == LIM_OK) {
        result = scene_step(d->run, NULL);
    }
    return result;
}

static lim_result draw(const dents* d, int32_t panel, const lim_host* host, lim_image* out) {
    stage s;
    stage_begin(&s, host);
    const scene_desc* desc = scene_get_desc(d->plan);
    lim_result result = stage_add_colliders(&s, desc);
    if (result == LIM_OK) {
        result = stage_add_skin(&s, scene_run_world(d->run), d->block.body, d->block.model, false);
    }
    if (result == LIM_OK) {
        const lim_picture view = {.width = 480,
                                  .height = 480,
                                  .camera = desc->camera,
                                  .ground = true,
                                  .caption = captions[panel]};
        result = stage_draw(&s, &view, out);
    }
    stage_end(&s);
    return result;
}

/* The weight on the ends of the pegs, over the stress at which the block begins to flow. */
static double load_over_yield(const dents* d) {
    const scene_desc* desc = scene_get_desc(d->plan);
    const lim_material* m = &desc->bodies[0].material;
    double radius = (double)desc->colliders[0].size.x;
    double area = (double)d->peg_count * TRIG_PI * radius * radius;
    double weight = (double)m->density * d->volume * -(double)desc->gravity.y;
    return weight / area / ((double)m->young * (double)m->yield);
}

static lim_result measure(bool flows, paper_rows* rows, const lim_host* host,
                          lim_image panels[PANELS], double* out_depth) {
    dents d;
    dents_found loaded = {0}, left = {0};
    bool drawn = flows && rows->picture != NULL;
    lim_result result = begin(&d, flows, rows->quick, host);
    result = result == LIM_OK && drawn ? draw(&d, 0, host, &panels[0]) : result;
    result = result == LIM_OK ? run_until(&d, LOADED) : result;
    result = result == LIM_OK ? look(&d, &loaded) : result;
    result = result == LIM_OK && drawn ? draw(&d, 1, host, &panels[1]) : result;
    result = result == LIM_OK ? run_until(&d, scene_get_desc(d.plan)->duration) : result;
    result = result == LIM_OK ? look(&d, &left) : result;
    result = result == LIM_OK && drawn ? draw(&d, 2, host, &panels[2]) : result;
    *out_depth = left.depth;
    if (result == LIM_OK && flows) {
        lim_model_info info = lim_model_get_info(d.block.model);
        double yield = (double)scene_get_desc(d.plan)->bodies[0].material.yield;
        paper_rows_add(rows, "nodes", NAN, (double)info.nodes, "");
        paper_rows_add(rows, "pegs", NAN, (double)d.peg_count, "");
        paper_rows_add(rows, "yield strain", NAN, yield, "");
        paper_rows_add(rows, "weight on the pegs over the stress of yield", NAN,
                       load_over_yield(&d), "");
        paper_rows_add(rows, "largest strain of the skin over the yield, loaded", NAN,
                       loaded.strain / yield, "");
        paper_rows_add(rows, "dent, loaded, share of the block", NAN, loaded.depth, "");
        paper_rows_add(rows, "dent that stays, share of the block", NAN, left.depth, "");
        paper_rows_add(rows, "volume, loaded, over that before", NAN, loaded.volume, "");
        paper_rows_add(rows, "volume after over that before", NAN, left.volume, "");
        paper_rows_add(rows, "plastic strain of the skin, largest", NAN, left.plastic_most, "");
        paper_rows_add(rows, "plastic strain of the skin, mean", NAN, left.plastic_mean, "");
    }
    end(&d);
    return result;
}

lim_result paper_dents(const lim_host* host, paper_rows* rows) {
    lim_image panels[PANELS];
    memset(panels, 0, sizeof panels);
    double kept = 0.0, elastic = 0.0;
    lim_result result = measure(true, rows, host, panels, &kept);
    result = result == LIM_OK ? measure(false, rows, host, panels, &elastic) : result;
    if (result == LIM_OK) {
        paper_rows_add(rows, "dent that stays without plasticity, share of the block", NAN, elastic,
                       "");
    }
    if (result == LIM_OK && rows->picture != NULL) {
        result = lim_image_sheet(panels, PANELS, PANELS, rows->picture);
    }
    for (int32_t i = 0; i < PANELS; ++i) {
        lim_image_destroy(&panels[i]);
    }
    paper_rows_note(rows, "The scene `pegs`: a block of clay falls onto pegs, rests there, and is "
                          "taken off. The paper shows its figure without numbers.");
    paper_rows_note(rows, "A dent is what the thickness over a peg has lost, the mean over the "
                          "pegs, over the thickness at rest.");
    return result;
}
