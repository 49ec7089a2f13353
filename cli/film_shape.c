/* SPDX-License-Identifier: MIT
 * Job: what a film knows of its bodies beside their motion. In: a run at a moment. Out: bodies that
 * have come since the last one, and a new shape for each body whose skin or nodes have changed;
 * faces of cuts in a colour of their own.
 */
#include "cli/film_shape.h"

#include "cli/film_inside.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

/* Pleasant and told apart; linear RGB. */
static const lim_vec3 palette[6] = {{0.80f, 0.32f, 0.20f}, {0.16f, 0.42f, 0.62f},
                                    {0.78f, 0.58f, 0.16f}, {0.22f, 0.50f, 0.28f},
                                    {0.52f, 0.26f, 0.56f}, {0.55f, 0.50f, 0.45f}};

/* The middle of the body; twelve squares along its longest side. */
static void choose_checker(film_body* b, const lim_mesh_view* surface) {
    enum { SQUARES = 12 };
    lim_point lower = {INFINITY, INFINITY, INFINITY}, upper = {-INFINITY, -INFINITY, -INFINITY};
    for (int64_t i = 0; i < surface->vertex_count; ++i) {
        lim_point p = surface->positions[i];
        lower = (lim_point){fmin(lower.x, p.x), fmin(lower.y, p.y), fmin(lower.z, p.z)};
        upper = (lim_point){fmax(upper.x, p.x), fmax(upper.y, p.y), fmax(upper.z, p.z)};
    }
    double longest = fmax(upper.x - lower.x, fmax(upper.y - lower.y, upper.z - lower.z));
    b->checker = (float)(longest / SQUARES);
    b->middle = (lim_point){0.5 * (lower.x + upper.x), 0.5 * (lower.y + upper.y),
                            0.5 * (lower.z + upper.z)};
}

/* The rest position of each vertex in metres, about the middle of the body. */
static lim_result add_checker(film* f, const film_body* b, const lim_mesh_view* surface,
                              film_shape* s) {
    s->rest = ARENA_ARRAY(&f->memory, float, 3 * (int64_t)s->vertex_count);
    if (s->rest == NULL) {
        return LIM_ERROR_MEMORY;
    }
    /* a skin of its own has no rest position here: no squares */
    for (int64_t i = 0; surface->vertex_count == s->vertex_count && i < s->vertex_count; ++i) {
        lim_point p = surface->positions[i];
        s->rest[3 * i] = (float)(p.x - b->middle.x);
        s->rest[3 * i + 1] = (float)(p.y - b->middle.y);
        s->rest[3 * i + 2] = (float)(p.z - b->middle.z);
    }
    return LIM_OK;
}

/* The colours of the mesh or the body, and of the faces of cuts: null where one is enough. */
static lim_result add_colours(film* f, const film_body* b, const lim_mesh_view* surface,
                              film_shape* s) {
    s->colours = b->has_colour ? NULL : surface->colours;
    if (surface->submesh_count <= b->own_submeshes) {
        return LIM_OK;
    }
    float* colours = ARENA_ARRAY(&f->memory, float, 4 * (int64_t)s->vertex_count);
    if (colours == NULL) {
        return LIM_ERROR_MEMORY;
    }
    const float plain[4] = {b->colour.x, b->colour.y, b->colour.z, 1.0f};
    const float inner[4] = {b->inner_colour.x, b->inner_colour.y, b->inner_colour.z, 1.0f};
    for (int64_t v = 0; v < s->vertex_count; ++v) {
        memcpy(colours + 4 * v, s->colours != NULL ? s->colours + 4 * v : plain, sizeof plain);
    }
    for (int64_t i = 0; i < 3 * (int64_t)surface->triangle_count; ++i) {
        if (surface->submeshes[i / 3] >= b->own_submeshes) {
            memcpy(colours + 4 * (int64_t)surface->indices[i], inner, sizeof inner);
        }
    }
    s->colours = colours;
    return LIM_OK;
}

static lim_result add_skin(film* f, const film_body* b, const lim_skin_view* skin,
                           const lim_model* model, film_shape* s) {
    s->revision = skin->index_revision;
    s->vertex_count = skin->vertex_count;
    s->triangle_count = skin->triangle_count;
    s->indices = ARENA_ARRAY(&f->memory, uint32_t, 3 * (int64_t)skin->triangle_count);
    if (s->indices == NULL) {
        return LIM_ERROR_MEMORY;
    }
    if (skin->triangle_count > 0) {
        memcpy(s->indices, skin->indices, sizeof(uint32_t) * 3u * (size_t)skin->triangle_count);
    }
    lim_mesh_view surface = lim_model_get_surface(model);
    lim_result result = LIM_OK;
    if (surface.vertex_count == skin->vertex_count) {
        s->uvs = surface.uvs;
        s->densities = surface.densities;
        s->stiffnesses = surface.stiffnesses;
        s->sizes = surface.sizes;
        result = add_colours(f, b, &surface, s);
    }
    if (result == LIM_OK && (f->overlay & FILM_CHECKER) != 0) {
        result = add_checker(f, b, &surface, s);
    }
    return result;
}

/* Whether a model has the nodes that a shape has. */
static bool same_nodes(const film_shape* s, const lim_model* model) {
    lim_model_nodes n = lim_model_get_nodes(model);
    size_t floats = (size_t)n.count * sizeof(float);
    return n.count == s->node_count && n.edge_count == s->edge_count &&
           memcmp(n.side, s->nodes.side, floats) == 0 && memcmp(n.x, s->nodes.x, floats) == 0 &&
           memcmp(n.y, s->nodes.y, floats) == 0 && memcmp(n.z, s->nodes.z, floats) == 0;
}

/* Makes the shape of a body anew if it differs from the last one. */
static lim_result update_shape(film* f, const lim_world* world, int32_t index) {
    film_body* b = &f->bodies.data[index];
    lim_skin_view skin;
    lim_model* model = NULL;
    lim_result result = lim_body_get_skin(world, b->id, &skin);
    bool inside = (f->overlay & FILM_INSIDE) != 0;
    bool same = result == LIM_OK && b->now != NULL && b->now->revision == skin.index_revision &&
                b->now->vertex_count == skin.vertex_count &&
                b->now->triangle_count == skin.triangle_count;
    if (result != LIM_OK || (same && !inside)) {
        return result;
    }
    result = lim_body_get_model(world, b->id, &model);
    if (result != LIM_OK) {
        return result;
    }
    if (same && same_nodes(b->now, model)) {
        lim_model_destroy(model);
        return LIM_OK;
    }
    if (!ARRAY_PUSH(&f->host, &f->models, model)) {
        lim_model_destroy(model);
        return LIM_ERROR_MEMORY;
    }
    film_shape* s = ARENA_ARRAY(&f->memory, film_shape, 1);
    if (s == NULL) {
        return LIM_ERROR_MEMORY;
    }
    if (same) {
        *s = *b->now;
    } else {
        result = add_skin(f, b, &skin, model, s);
    }
    s->region_node = -1;
    if (result == LIM_OK && inside) {
        result = film_inside_nodes(f, world, b->id, model, b->now, s);
    }
    b->now = s;
    return result;
}

/* Where nothing is known of the inside it is that of the skin, and a little paler. */
static lim_vec3 inside_of(bool own, lim_vec3 colour, const lim_mesh_view* surface) {
    const float paler = 0.22f;
    const lim_vec3 pale = {0.95f, 0.90f, 0.84f};
    if (!own && surface->colours != NULL && surface->vertex_count > 0) {
        lim_vec3 sum = {0};
        for (int64_t v = 0; v < surface->vertex_count; ++v) {
            const float* c = surface->colours + 4 * v;
            sum = v3_add(sum, v3(c[0], c[1], c[2]));
        }
        colour = v3_scale(sum, 1.0f / (float)surface->vertex_count);
    }
    return v3_mad(colour, v3_sub(pale, colour), paler);
}

static lim_result add_body(film* f, const scene_run* run, int32_t index) {
    scene_run_body entry = scene_run_body_at(run, index);
    film_body b = {.id = entry.body,
                   .name = entry.name,
                   .colour = entry.has_colour ? entry.colour : palette[index % 6],
                   .has_colour = entry.has_colour,
                   .own_submeshes = lim_model_get_surface(entry.model).submesh_count};
    lim_mesh_view surface = lim_model_get_surface(entry.model);
    b.inner_colour =
        entry.has_inner_colour ? entry.inner_colour : inside_of(b.has_colour, b.colour, &surface);
    choose_checker(&b, &surface);
    if (entry.from >= 0) { /* a piece looks as what it was a part of */
        b.checker = f->bodies.data[entry.from].checker;
        b.middle = f->bodies.data[entry.from].middle;
        b.colour = f->bodies.data[entry.from].colour;
        b.inner_colour = f->bodies.data[entry.from].inner_colour;
        b.own_submeshes = f->bodies.data[entry.from].own_submeshes;
    }
    return ARRAY_PUSH(&f->host, &f->bodies, b) ? LIM_OK : LIM_ERROR_MEMORY;
}

lim_result film_shapes_update(film* f, const scene_run* run) {
    const lim_world* world = scene_run_world(run);
    lim_result result = LIM_OK;
    bool first = f->frames.count == 0;
    for (int32_t i = f->bodies.count; i < scene_run_body_count(run) && result == LIM_OK; ++i) {
        result = add_body(f, run, i);
    }
    for (int32_t i = 0; i < f->bodies.count && result == LIM_OK; ++i) {
        film_body* b = &f->bodies.data[i];
        if (lim_body_is_valid(world, b->id)) {
            result = update_shape(f, world, i);
        } else {
            b->now = NULL;
        }
    }
    return result == LIM_OK && first && f->region_at != NULL && (f->overlay & FILM_INSIDE) != 0
               ? film_inside_choose(f, world)
               : result;
}
