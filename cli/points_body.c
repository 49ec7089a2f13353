/* SPDX-License-Identifier: MIT
 * Job: one body of points, measured and drawn. In: a mesh, points, a material. Out: a world;
 * positions; a distance from rest; an image.
 */
#include "cli/points_body.h"

#include "math/eigen.h"
#include "scenes/models.h"

#include <string.h>

points_desc points_desc_default(void) {
    points_desc d = {
        .clusters = 1, .substeps = 1, .scale = 1.0, .material = lim_material_default()};
    d.material.viscosity = 0.0f;
    d.material.damping_time = 0.0f;
    d.material.rolling_time = 0.0f;
    return d;
}

static lim_result make(const points_desc* desc, const lim_host* host, points_body* b) {
    lim_model_desc md = lim_model_desc_default();
    md.kind = LIM_KIND_POINTS;
    md.points = desc->points;
    md.point_count = desc->point_count;
    md.clusters = desc->clusters;
    md.scale = desc->scale;
    lim_world_desc wd = lim_world_desc_default();
    wd.gravity = desc->gravity;
    wd.substeps = desc->substeps;
    wd.sleep = false;
    LIM_TRY(lim_model_create(desc->mesh, &md, host, &b->model));
    LIM_TRY(lim_world_create(&wd, host, &b->world));
    lim_model_info info = lim_model_get_info(b->model);
    lim_body_desc bd = lim_body_desc_default();
    bd.model = b->model;
    bd.material = desc->material;
    bd.position = info.centre;
    LIM_TRY(lim_body_create(b->world, &bd, &b->body));
    lim_point side = p3_sub(info.bounds.upper, info.bounds.lower);
    b->size = side.x > side.y ? side.x : side.y;
    b->size = side.z > b->size ? side.z : b->size;
    b->nodes = info.nodes;
    size_t vertices = (size_t)lim_model_get_surface(b->model).vertex_count;
    b->x = ARENA_ARRAY(&b->mem, double, 3 * (size_t)b->nodes);
    b->v = ARENA_ARRAY(&b->mem, float, 3 * (size_t)b->nodes);
    b->normals = ARENA_ARRAY(&b->mem, float, 6 * vertices);
    return b->x != NULL && b->v != NULL && b->normals != NULL ? LIM_OK : LIM_ERROR_MEMORY;
}

lim_result points_body_make(const points_desc* desc, const lim_host* host, points_body* out) {
    memset(out, 0, sizeof *out);
    arena_init(&out->mem, host);
    lim_result result = make(desc, host, out);
    if (result != LIM_OK) {
        points_body_free(out);
    }
    return result;
}

void points_body_free(points_body* b) {
    lim_world_destroy(b->world);
    lim_model_destroy(b->model);
    arena_release(&b->mem);
    memset(b, 0, sizeof *b);
}

lim_result points_body_read(points_body* b) {
    return lim_body_get_nodes(b->world, b->body, b->x, b->v, b->nodes);
}

lim_result points_body_write(points_body* b) {
    return lim_body_set_nodes(b->world, b->body, b->x, b->v, b->nodes);
}

static lim_point place(const double* x, int32_t i) {
    return p3(x[3 * (size_t)i], x[3 * (size_t)i + 1], x[3 * (size_t)i + 2]);
}

double points_body_distance(points_body* b) {
    if (points_body_read(b) != LIM_OK) {
        return NAN;
    }
    lim_model_nodes n = lim_model_get_nodes(b->model);
    lim_point c = p3(0, 0, 0), c0 = p3(0, 0, 0);
    double mass = 0.0, sum = 0.0;
    for (int32_t i = 0; i < b->nodes; ++i) {
        double m = (double)n.volume[i];
        c = p3_mad(c, place(b->x, i), m);
        c0 = p3_mad(c0, p3((double)n.x[i], (double)n.y[i], (double)n.z[i]), m);
        mass += m;
    }
    c = p3_scale(c, 1.0 / mass);
    c0 = p3_scale(c0, 1.0 / mass);
    dmat3 a = {{0}};
    for (int32_t i = 0; i < b->nodes; ++i) {
        lim_point p = p3_sub(place(b->x, i), c);
        lim_point q = p3_sub(p3((double)n.x[i], (double)n.y[i], (double)n.z[i]), c0);
        const double row[3] = {p.x, p.y, p.z}, column[3] = {q.x, q.y, q.z};
        for (int k = 0; k < 9; ++k) {
            a.m[k] += (double)n.volume[i] * row[k / 3] * column[k % 3];
        }
    }
    dmat3 rotation = nearest_rotation(&a);
    for (int32_t i = 0; i < b->nodes; ++i) {
        lim_point q = p3_sub(p3((double)n.x[i], (double)n.y[i], (double)n.z[i]), c0);
        lim_point off = p3_sub(p3_add(dmat3_mul(&rotation, q), c), place(b->x, i));
        sum += (double)n.volume[i] * p3_dot(off, off);
    }
    return sqrt(sum / mass) / b->size;
}

lim_result points_body_draw(points_body* b, const lim_camera* camera, bool ground,
                            const char* caption, const int32_t size[2], lim_image* image) {
    lim_skin_view skin;
    lim_mesh_view surface = lim_model_get_surface(b->model);
    const lim_point origin = {0.0, 0.0, 0.0};
    LIM_TRY(lim_body_get_skin(b->world, b->body, &skin));
    float* at = b->normals + 3 * (size_t)skin.vertex_count;
    LIM_TRY(lim_body_write_skin(b->world, b->body, origin, at, 3 * sizeof(float), b->normals,
                                3 * sizeof(float), skin.vertex_count));
    lim_draw_mesh mesh = {.frame = {.vertex_count = skin.vertex_count,
                                    .triangle_count = skin.triangle_count,
                                    .positions = at,
                                    .normals = b->normals,
                                    .colours = surface.colours,
                                    .indices = skin.indices},
                          .colour = {0.10f, 0.42f, 0.50f}};
    lim_picture picture = {.width = size[0],
                           .height = size[1],
                           .camera = *camera,
                           .meshes = &mesh,
                           .mesh_count = 1,
                           .ground = ground,
                           .caption = caption};
    LIM_TRY(lim_image_create(size[0], size[1], image));
    return lim_image_draw(image, &picture);
}

lim_result points_bar(arena* a, const int32_t n[3], const lim_host* host, lim_mesh** out_mesh,
                      double** out_points) {
    const int32_t cells[3] = {60, 12, 12};
    const double side[3] = {1.0, 0.2, 0.2};
    lim_mesh *corner = NULL, *mesh = NULL;
    LIM_TRY(box_mesh(side[0], side[1], side[2], cells, host, &corner));
    /* The same about the origin. */
    lim_mesh_view view = lim_mesh_get_view(corner);
    double* moved = ARENA_ARRAY(a, double, 3 * (size_t)view.vertex_count);
    double* points = ARENA_ARRAY(a, double, 3 * (size_t)(n[0] * n[1] * n[2]));
    lim_result result = moved != NULL && points != NULL ? LIM_OK : LIM_ERROR_MEMORY;
    for (int32_t i = 0; i < view.vertex_count && result == LIM_OK; ++i) {
        moved[3 * (size_t)i] = view.positions[i].x - 0.5 * side[0];
        moved[3 * (size_t)i + 1] = view.positions[i].y - 0.5 * side[1];
        moved[3 * (size_t)i + 2] = view.positions[i].z - 0.5 * side[2];
    }
    if (result == LIM_OK) {
        lim_mesh_desc desc = lim_mesh_desc_default();
        desc.vertex_count = view.vertex_count;
        desc.triangle_count = view.triangle_count;
        desc.positions = moved;
        desc.indices = view.indices;
        result = lim_mesh_create(&desc, host, &mesh);
    }
    for (int32_t i = 0; i < n[0] * n[1] * n[2] && result == LIM_OK; ++i) {
        const int32_t at[3] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]};
        for (int k = 0; k < 3; ++k) {
            points[3 * (size_t)i + (size_t)k] = side[k] * ((at[k] + 0.5) / n[k] - 0.5);
        }
    }
    lim_mesh_destroy(corner);
    *out_mesh = mesh;
    *out_points = points;
    return result;
}
