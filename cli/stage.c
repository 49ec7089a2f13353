/* SPDX-License-Identifier: MIT
 * Job: collect what a picture shows. In: bodies of a world. Out: meshes, lines and points in the
 * world's coordinates, drawn.
 */
#include "cli/stage.h"

#include "cli/props.h"

#include <math.h>

void stage_begin(stage* s, const lim_host* host) {
    *s = (stage){.host = *host};
    arena_init(&s->memory, host);
}

void stage_end(stage* s) {
    ARRAY_FREE(&s->host, &s->meshes);
    ARRAY_FREE(&s->host, &s->lines);
    ARRAY_FREE(&s->host, &s->points);
    arena_release(&s->memory);
}

lim_result stage_add_mesh(stage* s, const lim_draw_mesh* mesh) {
    return ARRAY_PUSH(&s->host, &s->meshes, *mesh) ? LIM_OK : LIM_ERROR_MEMORY;
}

lim_result stage_add_skin(stage* s, const lim_world* world, lim_body body, const lim_model* model,
                          bool veil) {
    const lim_point origin = {0.0, 0.0, 0.0};
    lim_skin_view skin;
    lim_result result = lim_body_get_skin(world, body, &skin);
    if (result != LIM_OK) {
        return result;
    }
    float* at = ARENA_ARRAY(&s->memory, float, 6 * (int64_t)skin.vertex_count);
    if (at == NULL) {
        return LIM_ERROR_MEMORY;
    }
    float* normals = at + 3 * (size_t)skin.vertex_count;
    result = lim_body_write_skin(world, body, origin, at, 3 * sizeof(float), normals,
                                 3 * sizeof(float), skin.vertex_count);
    if (result != LIM_OK) {
        return result;
    }
    const lim_draw_mesh mesh = {.frame = {.vertex_count = skin.vertex_count,
                                          .triangle_count = skin.triangle_count,
                                          .positions = at,
                                          .normals = normals,
                                          .colours = lim_model_get_surface(model).colours,
                                          .indices = skin.indices},
                                .colour = {0.55f, 0.56f, 0.58f},
                                .see_through = veil};
    return stage_add_mesh(s, &mesh);
}

lim_result stage_add_colliders(stage* s, const scene_desc* d) {
    for (int32_t i = 0; i < d->collider_count; ++i) {
        const scene_collider* c = &d->colliders[i];
        if (c->shape == LIM_SHAPE_PLANE) {
            continue;
        }
        const film_collider at = {
            .shape = c->shape,
            .size = c->size,
            .position = {(float)c->position.x, (float)c->position.y, (float)c->position.z},
            .orientation = c->rotation,
            .points = c->points,
            .indices = c->indices,
            .heights = c->heights,
            .point_count = c->point_count,
            .triangle_count = c->triangle_count,
            .columns = c->columns,
            .rows = c->rows,
            .has_colour = c->has_colour,
            .colour = c->colour};
        lim_draw_mesh mesh;
        lim_result result = prop_make(&at, &s->memory, &mesh);
        result = result == LIM_OK ? stage_add_mesh(s, &mesh) : result;
        if (result != LIM_OK) {
            return result;
        }
    }
    return LIM_OK;
}

/* Whether two nodes are one cell apart along one axis and level along the others. */
static bool along_axis(const lim_model_nodes* nodes, int32_t a, int32_t b, float cell) {
    const float* axes[3] = {nodes->x, nodes->y, nodes->z};
    int32_t apart = 0;
    for (int32_t k = 0; k < 3; ++k) {
        apart += fabsf(axes[k][a] - axes[k][b]) > 0.5f * cell;
    }
    return apart == 1;
}

static lim_vec3 place_of(const double* x, int32_t node) {
    const double* p = x + 3 * (size_t)node;
    return (lim_vec3){(float)p[0], (float)p[1], (float)p[2]};
}

lim_result stage_add_lattice(stage* s, const lim_world* world, lim_body body,
                             const lim_model* model, uint32_t line_rgba, uint32_t node_rgba,
                             float size) {
    lim_model_nodes nodes = lim_model_get_nodes(model);
    float cell = lim_model_get_info(model).cell_size;
    double* x = ARENA_ARRAY(&s->memory, double, 3 * (int64_t)nodes.count);
    if (x == NULL) {
        return LIM_ERROR_MEMORY;
    }
    lim_result result = lim_body_get_nodes(world, body, x, NULL, nodes.count);
    if (result != LIM_OK) {
        return result;
    }
    for (int32_t e = 0; e < nodes.edge_count; ++e) {
        int32_t a = nodes.edges[2 * (size_t)e], b = nodes.edges[2 * (size_t)e + 1];
        if (!along_axis(&nodes, a, b, cell)) {
            continue;
        }
        const lim_debug_line line = {place_of(x, a), place_of(x, b), line_rgba};
        if (!ARRAY_PUSH(&s->host, &s->lines, line)) {
            return LIM_ERROR_MEMORY;
        }
    }
    for (int32_t i = 0; i < nodes.count && size > 0.0f; ++i) {
        const lim_debug_point point = {place_of(x, i), size, node_rgba};
        if (!ARRAY_PUSH(&s->host, &s->points, point)) {
            return LIM_ERROR_MEMORY;
        }
    }
    return LIM_OK;
}

lim_result stage_draw(const stage* s, const lim_picture* look, lim_image* out_image) {
    lim_picture picture = *look;
    picture.meshes = s->meshes.data;
    picture.mesh_count = s->meshes.count;
    picture.lines = s->lines.data;
    picture.line_count = s->lines.count;
    picture.points = s->points.data;
    picture.point_count = s->points.count;
    lim_result result = lim_image_create(look->width, look->height, out_image);
    return result == LIM_OK ? lim_image_draw(out_image, &picture) : result;
}
