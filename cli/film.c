/* SPDX-License-Identifier: MIT
 * Job: record a run. In: a run that is stepped by the caller. Out: skins, overlays, colliders and
 * measures per frame, in one arena.
 */
#include "cli/film.h"

#include "cli/film_inside.h"
#include "cli/film_shape.h"
#include "cli/film_tools.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

/* World coordinates stay as they are unless floats would be too coarse for them there. */
static const double FAR_AWAY = 1000.0;

static lim_point choose_origin(const lim_body_motion* motion) {
    lim_point c = motion->centre;
    if (fabs(c.x) < FAR_AWAY && fabs(c.y) < FAR_AWAY && fabs(c.z) < FAR_AWAY) {
        return (lim_point){0.0, 0.0, 0.0};
    }
    return (lim_point){floor(c.x), floor(c.y), floor(c.z)};
}

static lim_vec3 relative(const film* f, lim_point p) {
    return (lim_vec3){(float)(p.x - f->origin.x), (float)(p.y - f->origin.y),
                      (float)(p.z - f->origin.z)};
}

lim_vec3 film_relative(const film* f, lim_vec3 p) {
    return relative(f, (lim_point){(double)p.x, (double)p.y, (double)p.z});
}

lim_result film_begin(film* f, const scene_run* run, uint32_t overlay, const lim_point* region_at,
                      double fps, const lim_host* host) {
    memset(f, 0, sizeof *f);
    f->host = *host;
    f->overlay = overlay;
    f->fps = fps;
    arena_init(&f->memory, host);
    f->region_at = region_at;
    if (scene_run_body_count(run) > 0) {
        lim_body_motion motion;
        lim_result result =
            lim_body_get_motion(scene_run_world(run), scene_run_body_at(run, 0).body, &motion);
        if (result != LIM_OK) {
            return result;
        }
        f->origin = choose_origin(&motion);
    }
    const scene_desc* desc = scene_run_desc(run);
    f->camera_moves = desc->has_camera && desc->camera_motion.key_count > 0;
    f->ground = desc->ground;
    f->ground_height = (float)((double)desc->ground_height - f->origin.y);
    return LIM_OK;
}

/* Bodies that are new, shapes that have changed, and where each has its part of the arrays. */
static lim_result take_parts(film* f, const scene_run* run, film_frame* frame) {
    lim_result result = film_shapes_update(f, run);
    frame->part_count = f->bodies.count;
    frame->parts = ARENA_ARRAY(&f->memory, film_part, frame->part_count);
    if (result != LIM_OK || frame->parts == NULL) {
        return result != LIM_OK ? result : LIM_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < frame->part_count; ++i) {
        const film_shape* shape = f->bodies.data[i].now;
        frame->parts[i] =
            (film_part){shape, frame->vertex_count, frame->node_count, frame->edge_count};
        frame->vertex_count += shape != NULL ? shape->vertex_count : 0;
        frame->node_count += shape != NULL ? shape->node_count : 0;
        frame->edge_count += shape != NULL ? shape->edge_count : 0;
    }
    return LIM_OK;
}

/* Three colours, linear RGB, for no strain, for `middle` and for twice that and more. */
typedef struct film_scale {
    float middle;
    float colour[3][3];
} film_scale;

/* Strain: blue, white, red. */
static const film_scale strain_scale = {
    0.10f, {{0.10f, 0.25f, 0.70f}, {0.85f, 0.85f, 0.80f}, {0.75f, 0.08f, 0.05f}}};
/* Plastic strain: the grey of clay, orange, dark red. */
static const film_scale plastic_scale = {
    0.15f, {{0.62f, 0.62f, 0.60f}, {0.85f, 0.38f, 0.06f}, {0.36f, 0.02f, 0.05f}}};

static void scale_colour(const film_scale* scale, float strain, float* rgba) {
    float t = strain / scale->middle;
    const float* from = scale->colour[t < 1.0f ? 0 : 1];
    const float* to = scale->colour[t < 1.0f ? 1 : 2];
    float share = t < 1.0f ? t : t - 1.0f;
    share = share > 1.0f ? 1.0f : share;
    for (int32_t i = 0; i < 3; ++i) {
        rgba[i] = from[i] + (to[i] - from[i]) * share;
    }
    rgba[3] = 1.0f;
}

typedef lim_result (*film_measure)(const lim_world* world, lim_body body, float* out,
                                   int32_t vertex_count);

/* A measure of strain over all skins, and as colours: of two the later counts. */
static lim_result take_strain(film* f, const lim_world* world, film_measure measure,
                              const film_scale* scale, film_frame* frame, float** out) {
    float* strain = ARENA_ARRAY(&f->memory, float, frame->vertex_count);
    if (frame->colours == NULL) {
        frame->colours = ARENA_ARRAY(&f->memory, float, 4 * frame->vertex_count);
    }
    if (frame->colours == NULL || strain == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < frame->part_count; ++i) {
        const film_part* p = &frame->parts[i];
        lim_result result = p->shape != NULL
                                ? measure(world, f->bodies.data[i].id, strain + p->first_vertex,
                                          p->shape->vertex_count)
                                : LIM_OK;
        if (result != LIM_OK) {
            return result;
        }
    }
    for (int64_t v = 0; v < frame->vertex_count; ++v) {
        scale_colour(scale, strain[v], frame->colours + 4 * v);
    }
    *out = strain;
    return LIM_OK;
}

static void* copy_of(arena* memory, const void* from, size_t count, size_t size) {
    void* to = arena_alloc(memory, count, size);
    if (to != NULL && count > 0) {
        memcpy(to, from, count * size);
    }
    return to;
}

/* The arrays of a collider: those of the frame before when it had the same, else a copy. */
static lim_result take_arrays(film* f, const lim_collider_desc* d, film_collider* to) {
    to->source = d->heights != NULL ? (const void*)d->heights : (const void*)d->points;
    if (to->source == NULL) {
        return LIM_OK;
    }
    const film_frame* last = f->frames.count > 0 ? &f->frames.data[f->frames.count - 1] : NULL;
    for (int32_t i = 0; last != NULL && i < last->collider_count; ++i) {
        const film_collider* old = &last->colliders[i];
        if (old->source == to->source) {
            to->points = old->points;
            to->indices = old->indices;
            to->heights = old->heights;
        }
    }
    to->point_count = d->point_count;
    to->triangle_count = d->triangle_count;
    to->columns = d->columns;
    to->rows = d->rows;
    if (to->points != NULL) {
        return LIM_OK;
    }
    to->points = copy_of(&f->memory, d->points, (size_t)d->point_count, sizeof *d->points);
    to->indices =
        copy_of(&f->memory, d->indices, 3 * (size_t)d->triangle_count, sizeof *d->indices);
    to->heights =
        copy_of(&f->memory, d->heights, (size_t)d->columns * (size_t)d->rows, sizeof *d->heights);
    bool there = to->points != NULL && to->indices != NULL && to->heights != NULL;
    return there ? LIM_OK : LIM_ERROR_MEMORY;
}

/* Whether the scene moves the collider. */
static bool collider_moves(const scene_desc* d, int32_t entry) {
    lim_vec3 v = d->colliders[entry].velocity, w = d->colliders[entry].angular_velocity;
    bool moves = v3_dot(v, v) + v3_dot(w, w) > 0.0f;
    for (int32_t i = 0; i < d->action_count; ++i) {
        moves =
            moves || (d->actions[i].type == SCENE_MOVE_COLLIDER && d->actions[i].target == entry);
    }
    return moves;
}

static lim_result take_colliders(film* f, const scene_run* run, film_frame* frame) {
    const scene_desc* d = scene_run_desc(run);
    frame->colliders = ARENA_ARRAY(&f->memory, film_collider, d->collider_count);
    if (frame->colliders == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < d->collider_count; ++i) {
        lim_collider_desc now;
        lim_result result =
            lim_collider_get(scene_run_world(run), scene_run_collider_at(run, i), &now);
        if (result != LIM_OK) {
            return result;
        }
        if (now.shape == LIM_SHAPE_PLANE) {
            continue;
        }
        film_collider* to = &frame->colliders[frame->collider_count++];
        *to = (film_collider){.shape = now.shape,
                              .size = now.size,
                              .position = relative(f, now.position),
                              .orientation = now.orientation,
                              .has_colour = d->colliders[i].has_colour,
                              .moves = collider_moves(d, i),
                              .colour = d->colliders[i].colour};
        result = take_arrays(f, &now, to);
        if (result != LIM_OK) {
            return result;
        }
    }
    return LIM_OK;
}

/* Skins, and what the choice of moments and the camera go by. */
static lim_result take_bodies(film* f, const lim_world* world, film_frame* frame) {
    double mass = 0.0, moment = 0.0;
    frame->lower = (lim_vec3){INFINITY, INFINITY, INFINITY};
    frame->upper = (lim_vec3){-INFINITY, -INFINITY, -INFINITY};
    for (int32_t i = 0; i < frame->part_count; ++i) {
        const film_body* b = &f->bodies.data[i];
        const film_part* p = &frame->parts[i];
        if (p->shape == NULL) {
            continue;
        }
        lim_result result = lim_body_write_skin(
            world, b->id, f->origin, frame->positions + 3 * p->first_vertex, 3 * sizeof(float),
            frame->normals + 3 * p->first_vertex, 3 * sizeof(float), p->shape->vertex_count);
        lim_body_motion motion;
        if (result == LIM_OK) {
            result = lim_body_get_motion(world, b->id, &motion);
        }
        if (result != LIM_OK) {
            return result;
        }
        frame->strain = motion.strain > frame->strain ? motion.strain : frame->strain;
        frame->speed = motion.speed > frame->speed ? motion.speed : frame->speed;
        mass += motion.mass;
        moment += motion.mass * motion.centre.y;
        lim_vec3 lower = relative(f, motion.bounds.lower), upper = relative(f, motion.bounds.upper);
        frame->lower = (lim_vec3){fminf(frame->lower.x, lower.x), fminf(frame->lower.y, lower.y),
                                  fminf(frame->lower.z, lower.z)};
        frame->upper = (lim_vec3){fmaxf(frame->upper.x, upper.x), fmaxf(frame->upper.y, upper.y),
                                  fmaxf(frame->upper.z, upper.z)};
    }
    frame->height = mass > 0.0 ? moment / mass - f->origin.y : 0.0;
    return LIM_OK;
}

/* How far the skin has gone since the frame before. What has been cut since then does not count. */
static void measure_motion(const film* f, film_frame* frame) {
    const film_frame* last = f->frames.count > 0 ? &f->frames.data[f->frames.count - 1] : NULL;
    double sum = 0.0;
    int64_t count = 0;
    for (int32_t i = 0; last != NULL && i < last->part_count; ++i) {
        const film_part *old = &last->parts[i], *now = &frame->parts[i];
        if (now->shape == NULL || now->shape != old->shape) {
            continue;
        }
        for (int64_t v = 0; v < now->shape->vertex_count; ++v) {
            const float* a = last->positions + 3 * (old->first_vertex + v);
            const float* b = frame->positions + 3 * (now->first_vertex + v);
            sum += (double)v3_length(v3(b[0] - a[0], b[1] - a[1], b[2] - a[2]));
        }
        count += now->shape->vertex_count;
    }
    double size = (double)v3_length(v3_sub(frame->upper, frame->lower));
    frame->motion = count > 0 && size > 0.0 ? sum / ((double)count * size) : 0.0;
}

lim_result film_take(film* f, const scene_run* run) {
    const lim_world* world = scene_run_world(run);
    film_frame frame = {.time = scene_run_time(run)};
    lim_result result = take_parts(f, run, &frame);
    if (result != LIM_OK) {
        return result;
    }
    frame.positions = ARENA_ARRAY(&f->memory, float, 3 * frame.vertex_count);
    frame.normals = ARENA_ARRAY(&f->memory, float, 3 * frame.vertex_count);
    if (frame.positions == NULL || frame.normals == NULL) {
        return LIM_ERROR_MEMORY;
    }
    frame.camera = scene_camera_at(scene_run_desc(run), frame.time);
    frame.camera.eye = film_relative(f, frame.camera.eye);
    frame.camera.target = film_relative(f, frame.camera.target);
    frame.contacts = lim_world_get_report(world).contacts;
    result = take_bodies(f, world, &frame);
    if (result == LIM_OK) {
        result = take_colliders(f, run, &frame);
    }
    if (result == LIM_OK) {
        measure_motion(f, &frame);
        result = film_tools_take(f, run, &frame);
    }
    if (result == LIM_OK && (f->overlay & FILM_STRAIN) != 0) {
        result = take_strain(f, world, lim_body_get_strain, &strain_scale, &frame, &frame.strains);
    }
    if (result == LIM_OK && (f->overlay & FILM_PLASTIC) != 0) {
        result =
            take_strain(f, world, lim_body_get_plastic, &plastic_scale, &frame, &frame.plastics);
    }
    if (result == LIM_OK) {
        result = film_inside_take(f, world, &frame);
    }
    if (result != LIM_OK) {
        return result;
    }
    return ARRAY_PUSH(&f->host, &f->frames, frame) ? LIM_OK : LIM_ERROR_MEMORY;
}

void film_end(film* f) {
    for (int32_t i = 0; i < f->models.count; ++i) {
        lim_model_destroy(f->models.data[i]);
    }
    ARRAY_FREE(&f->host, &f->models);
    ARRAY_FREE(&f->host, &f->holds);
    ARRAY_FREE(&f->host, &f->bodies);
    ARRAY_FREE(&f->host, &f->frames);
    arena_release(&f->memory);
}

const film_part* film_part_at(const film* f, int32_t body, int32_t frame) {
    const film_frame* at = &f->frames.data[frame];
    const film_part* part = body < at->part_count ? &at->parts[body] : NULL;
    return part != NULL && part->shape != NULL ? part : NULL;
}

lim_io_frame film_view(const film* f, int32_t body, int32_t frame) {
    const film_part* p = film_part_at(f, body, frame);
    if (p == NULL) {
        return (lim_io_frame){0};
    }
    const film_frame* at = &f->frames.data[frame];
    const film_shape* s = p->shape;
    return (lim_io_frame){
        .vertex_count = s->vertex_count,
        .triangle_count = s->triangle_count,
        .positions = at->positions + 3 * p->first_vertex,
        .normals = at->normals + 3 * p->first_vertex,
        .uvs = s->uvs,
        .colours = at->colours != NULL ? at->colours + 4 * p->first_vertex : s->colours,
        .densities = s->densities,
        .stiffnesses = s->stiffnesses,
        .sizes = s->sizes,
        .strains = at->strains != NULL ? at->strains + p->first_vertex : NULL,
        .plastic_strains = at->plastics != NULL ? at->plastics + p->first_vertex : NULL,
        .indices = s->indices};
}
