/* SPDX-License-Identifier: MIT
 *
 * Paint. In: shapes with a value and a fade, a mesh where it stands at the start. Out: values per
 * vertex. Inside a shape the value holds; over `fade` metres around it the share s = 3 u^2 - 2 u^3
 * falls from 1 to 0, and a factor becomes old + s (value - old). A wished size grows outwards
 * instead, value / s, since no wish is not a size of 0; of several wishes the least counts.
 */
#include "scene_paint.h"

static double box_distance(lim_point p, lim_vec3 half) {
    lim_point d =
        p3(fabs(p.x) - (double)half.x, fabs(p.y) - (double)half.y, fabs(p.z) - (double)half.z);
    lim_point out = p3(d.x > 0.0 ? d.x : 0.0, d.y > 0.0 ? d.y : 0.0, d.z > 0.0 ? d.z : 0.0);
    double inner = d.x > d.y ? d.x : d.y;
    inner = d.z > inner ? d.z : inner;
    return inner > 0.0 ? p3_length(out) : inner;
}

double paint_distance(const scene_paint* p, lim_point at) {
    lim_point local = dquat_rotate(dquat_conjugate(dquat_of(p->rotation)), p3_sub(at, p->position));
    if (p->shape == LIM_SHAPE_BOX) {
        return box_distance(local, p->size);
    }
    double half = p->shape == LIM_SHAPE_CAPSULE ? (double)p->size.y : 0.0;
    double along = local.y > half ? half : local.y < -half ? -half : local.y;
    return p3_length(p3(local.x, local.y - along, local.z)) - (double)p->size.x;
}

static double share_of(const scene_paint* p, lim_point at) {
    double away = paint_distance(p, at), fade = (double)p->fade;
    double u = away <= 0.0 ? 1.0 : away < fade ? 1.0 - away / fade : 0.0;
    return u * u * (3.0 - 2.0 * u);
}

static void paint_vertex(const scene_paint* p, lim_point at, float* value) {
    double s = share_of(p, at), old = (double)*value, new = (double)p->value;
    if (!(s > 0.0)) {
        return;
    }
    if (p->what == SCENE_PAINT_SIZE) {
        double wish = new / s < 1e9 ? new / s : 1e9;
        *value = (float)(old > 0.0 && old < wish ? old : wish);
    } else {
        *value = (float)(old + s * (new - old));
    }
}

/* The array of one kind, made with the mesh's own values or what stands for none. */
static float* values_of(arena* a, const lim_mesh_view* view, scene_paint_what what,
                        painted_values* out) {
    float** at = what == SCENE_PAINT_DENSITY     ? &out->density
                 : what == SCENE_PAINT_STIFFNESS ? &out->stiffness
                                                 : &out->size;
    const float* own = what == SCENE_PAINT_DENSITY     ? view->densities
                       : what == SCENE_PAINT_STIFFNESS ? view->stiffnesses
                                                       : view->sizes;
    if (*at == NULL) {
        *at = ARENA_ARRAY(a, float, view->vertex_count);
        for (int32_t i = 0; *at != NULL && i < view->vertex_count; ++i) {
            (*at)[i] = own != NULL ? own[i] : what == SCENE_PAINT_SIZE ? 0.0f : 1.0f;
        }
    }
    return *at;
}

lim_result paint_mesh(arena* a, const lim_mesh* mesh, const scene_paint* paint, int32_t count,
                      const body_place* place, painted_values* out) {
    *out = (painted_values){NULL, NULL, NULL};
    lim_mesh_view view = lim_mesh_get_view(mesh);
    for (int32_t k = 0; k < count; ++k) {
        float* values = values_of(a, &view, paint[k].what, out);
        if (values == NULL) {
            return LIM_ERROR_MEMORY;
        }
        for (int32_t i = 0; i < view.vertex_count; ++i) {
            lim_point p = p3_sub(p3_scale(view.positions[i], place->scale), place->centre);
            paint_vertex(&paint[k], p3_add(place->middle, dquat_rotate(place->turn, p)),
                         &values[i]);
        }
    }
    return LIM_OK;
}
