/* SPDX-License-Identifier: MIT
 *
 * The scene of a mesh that came without one. In: a mesh. Out: a scene in which it falls from half
 * its height, tilted by 10 degrees, onto the ground, with a material that suits its size.
 *
 * Up is y unless the mesh stands much better on its lower z side: stands means that the points in
 * the lowest 3 % span a large share of the outline seen from above (feet, a base). z must win
 * clearly, by twice the share of y and a tenth on top, since most files are y up and lying things
 * (fish, aeroplanes) say nothing.
 */
#include "math/quat.h"
#include "math/trig.h"
#include "scene.h"
#include "scene_inside.h"

typedef struct extent {
    double lower[3], upper[3];
} extent;

static extent extent_empty(void) {
    return (extent){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static void extent_add(extent* e, lim_point p) {
    double at[3] = {p.x, p.y, p.z};
    for (int k = 0; k < 3; ++k) {
        e->lower[k] = at[k] < e->lower[k] ? at[k] : e->lower[k];
        e->upper[k] = at[k] > e->upper[k] ? at[k] : e->upper[k];
    }
}

/* Share of the outline that the lowest 3 % along y (1) or z (2) span; 0 for a flat mesh. */
static double stance(const lim_mesh_view* view, const extent* all, int up) {
    int a = (up + 1) % 3, b = (up + 2) % 3;
    double outline = (all->upper[a] - all->lower[a]) * (all->upper[b] - all->lower[b]);
    double low = all->lower[up] + 0.03 * (all->upper[up] - all->lower[up]);
    extent foot = extent_empty();
    for (int32_t i = 0; i < 3 * view->triangle_count; ++i) {
        lim_point at = view->positions[view->indices[i]];
        if ((up == 1 ? at.y : at.z) <= low) {
            extent_add(&foot, at);
        }
    }
    double area = (foot.upper[a] - foot.lower[a]) * (foot.upper[b] - foot.lower[b]);
    return outline > 0.0 && isfinite(area) ? area / outline : 0.0;
}

static extent mesh_extent(const lim_mesh_view* view) {
    extent all = extent_empty();
    for (int32_t i = 0; i < 3 * view->triangle_count; ++i) {
        extent_add(&all, view->positions[view->indices[i]]);
    }
    return all;
}

scene_up scene_find_up(const lim_mesh* mesh) {
    lim_mesh_view view = lim_mesh_get_view(mesh);
    extent all = mesh_extent(&view);
    return stance(&view, &all, 2) > 2.0 * stance(&view, &all, 1) + 0.1 ? SCENE_UP_Z : SCENE_UP_Y;
}

scene_drop_options scene_drop_options_default(void) {
    return (scene_drop_options){.up = SCENE_UP_AUTO, .name = "mesh"};
}

/* A thin shape sags and buckles by its length over its thickness, squared: where that is more than
 * for a plump one (a thickness of a third of the length), it gets up to five times the modulus, and
 * wider regions so that the step can give it. Thickness: four times volume over area, which is
 * exact for a long rod; an open surface counts as thin. */
static void stiffen_slender(const lim_mesh* mesh, double longest, double scale, scene_body* body) {
    lim_mesh_report report = lim_mesh_get_report(mesh);
    double thickness = report.closed ? 4.0 * fabs(report.volume) / report.area : 0.0;
    double slender = thickness > 0.0 ? longest / (3.0 * thickness) : 2.2;
    double factor = slender > 2.2 ? 5.0 : (slender > 1.0 ? slender * slender : 1.0);
    if (factor > 1.0) {
        lim_material plump = scene_auto_material(body->material, longest * scale, 9.81);
        body->material.young = (float)(factor * (double)plump.young);
    }
    body->region_width = factor > 2.0 ? 3.0f : 1.0f;
}

lim_result scene_drop_of_mesh(const lim_mesh* mesh, const scene_drop_options* options,
                              const lim_host* host, scene** out_scene,
                              lim_io_message* out_message) {
    if (mesh == NULL || out_scene == NULL) {
        return scene_fail(out_message, LIM_ERROR_ARGUMENT, "scene_drop_of_mesh: a pointer is null");
    }
    *out_scene = NULL;
    scene_drop_options o = options != NULL ? *options : scene_drop_options_default();
    lim_mesh_view view = lim_mesh_get_view(mesh);
    extent all = mesh_extent(&view);
    double longest = 0.0, centre[3];
    for (int k = 0; k < 3; ++k) {
        double side = all.upper[k] - all.lower[k];
        longest = side > longest ? side : longest;
        centre[k] = 0.5 * (all.lower[k] + all.upper[k]);
    }
    if (!(longest > 0.0) || !isfinite(longest)) {
        return scene_fail(out_message, LIM_ERROR_MESH, "the mesh has no size");
    }
    if (longest < 1e-30 || longest > 1e30) {
        return scene_fail(out_message, LIM_ERROR_MESH,
                          "the mesh is %g units long; from 1e-30 to 1e30 is allowed: export it at "
                          "another scale",
                          longest);
    }
    double scale = o.keep_units ? 1.0 : 1.0 / longest;
    if (longest * scale < 1e-4 || longest * scale > 1e4) {
        return scene_fail(
            out_message, LIM_ERROR_ARGUMENT,
            "the mesh is %g m long in its own units; from 0.1 mm to 10 km is allowed: "
            "let it be scaled to one metre instead",
            longest);
    }
    scene_body body = scene_body_default();
    body.name = o.name != NULL ? o.name : "mesh";
    body.mesh = mesh;
    body.nodes = o.nodes > 0 ? o.nodes : body.nodes;
    body.size = 0.0;
    body.scale = scale;
    body.up = o.up == SCENE_UP_AUTO ? scene_find_up(mesh) : o.up;
    body.anchor = SCENE_ANCHOR_CENTRE;
    stiffen_slender(mesh, longest, scale, &body);
    double half = TRIG_PI * 10.0 / 180.0 / 2.0;
    dquat tilt = {0.6 * trig_sin(half), 0.0, 0.8 * trig_sin(half), trig_cos(half)};
    body.rotation = quat_of(tilt);

    /* The lowest point of the tilted mesh hangs half the upright mesh's height above the ground. */
    double lowest = INFINITY;
    for (int32_t i = 0; i < 3 * view.triangle_count; ++i) {
        lim_point p = p3_scale(
            p3_sub(view.positions[view.indices[i]], p3(centre[0], centre[1], centre[2])), scale);
        p = body.up == SCENE_UP_Z ? p3(p.x, p.z, -p.y) : p;
        double y = dquat_rotate(tilt, p).y;
        lowest = y < lowest ? y : lowest;
    }
    int up = body.up == SCENE_UP_Z ? 2 : 1;
    double height = (all.upper[up] - all.lower[up]) * scale;
    body.position = p3(0.0, 0.5 * height - lowest, 0.0);

    scene_desc desc = scene_desc_default();
    desc.name = body.name;
    desc.about = "falls from half its height onto the ground";
    /* Four seconds show it all, but round shapes go on rolling: until they rest, at most twelve. */
    desc.duration = 12.0;
    desc.rest_after = 4.0;
    desc.bodies = &body;
    desc.body_count = 1;
    return scene_create(&desc, host, out_scene, out_message);
}
