/* SPDX-License-Identifier: MIT
 *
 * Starting a scene. In: a description and a way to read meshes. Out: a world with everything in it,
 * and what is needed to step it. Equal meshes are read once, equal models built once; all memory of
 * the run itself is one arena, so that a failure anywhere is cleaned up by scene_stop.
 */
#include "math/trig.h"
#include "models.h"
#include "scene.h"
#include "scene_paint.h"
#include "scene_run_inside.h"
#include "shapes.h"

#include <stdio.h>
#include <string.h>

static bool same_text(const char* a, const char* b) {
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static lim_result out_of_memory(lim_io_message* message) {
    return scene_fail(message, LIM_ERROR_MEMORY, "out of memory while starting the scene");
}

/* ---- meshes and models -----------------------------------------------------------------------
 */

static lim_result read_file(scene_run* run, const scene_body* b, const scene_options* o,
                            lim_mesh** out_mesh, lim_io_message* message) {
    if (o->read_mesh == NULL) {
        return scene_fail(message, LIM_ERROR_FILE,
                          "body \"%s\" needs mesh file \"%s\", but files cannot be read here; use "
                          "a model instead",
                          b->name, b->mesh_file);
    }
    const char* folder = b->mesh_file[0] == '/' ? "" : run->source->folder;
    size_t size = strlen(folder) + strlen(b->mesh_file) + 1;
    char* path = arena_alloc(&run->mem, size, 1);
    if (path == NULL) {
        return out_of_memory(message);
    }
    snprintf(path, size, "%s%s", folder, b->mesh_file);
    lim_io_message why = {{0}};
    lim_result result = o->read_mesh(o->read_user, path, &run->host, out_mesh, &why);
    if (result != LIM_OK) {
        return scene_fail(message, result, "body \"%s\": %.400s", b->name,
                          why.text[0] != '\0' ? why.text : lim_result_name(result));
    }
    return LIM_OK;
}

static lim_result get_mesh(scene_run* run, const scene_body* b, const scene_options* o,
                           const lim_mesh** out_mesh, lim_io_message* message) {
    if (b->mesh != NULL) {
        *out_mesh = b->mesh;
        return LIM_OK;
    }
    for (int32_t i = 0; i < run->mesh_count; ++i) {
        const run_mesh* m = &run->mesh[i];
        if (same_text(m->model, b->model) && same_text(m->file, b->mesh_file) &&
            m->triangles == b->triangles) {
            *out_mesh = m->mesh;
            return LIM_OK;
        }
    }
    lim_mesh* mesh = NULL;
    if (b->model != NULL) {
        lim_result result = model_mesh(b->model, b->triangles, &run->host, &mesh);
        if (result != LIM_OK) {
            return scene_fail(message, result, "body \"%s\": model \"%s\" failed: %s%s", b->name,
                              b->model, lim_result_name(result),
                              result == LIM_ERROR_MESH ? "; ask for more triangles" : "");
        }
    } else {
        LIM_TRY(read_file(run, b, o, &mesh, message));
    }
    run->mesh[run->mesh_count++] = (run_mesh){b->model, b->mesh_file, b->triangles, mesh};
    *out_mesh = mesh;
    return LIM_OK;
}

static double longest_side(lim_box box) {
    lim_point side = p3_sub(box.upper, box.lower);
    double longest = side.x > side.y ? side.x : side.y;
    return side.z > longest ? side.z : longest;
}

static double scale_of(const scene_body* b, const lim_mesh* mesh) {
    double longest = longest_side(lim_mesh_get_report(mesh).bounds);
    return b->size > 0.0 && longest > 0.0 ? b->size / longest : b->scale;
}

/* Where the mesh goes, for an anchor at b->position and a turn about the centre of the bounds c:
 * the middle is position + U (c - anchor), the turn R U, where U stands z-up meshes up. */
static body_place place_of(const scene_body* b, const lim_mesh* mesh, double scale) {
    lim_box bounds = lim_mesh_get_report(mesh).bounds;
    lim_point lower = p3_scale(bounds.lower, scale), upper = p3_scale(bounds.upper, scale);
    lim_point c = p3_scale(p3_add(lower, upper), 0.5);
    bool z_up =
        b->up == SCENE_UP_Z || (b->up == SCENE_UP_AUTO && scene_find_up(mesh) == SCENE_UP_Z);
    double root = 0.70710678118654757;
    dquat stand = z_up ? (dquat){-root, 0, 0, root} : dquat_identity();
    lim_point anchor = c;
    if (b->anchor == SCENE_ANCHOR_BASE) {
        anchor = z_up ? p3(c.x, c.y, lower.z) : p3(c.x, lower.y, c.z);
    } else if (b->anchor == SCENE_ANCHOR_ORIGIN) {
        anchor = p3(0, 0, 0);
    }
    return (body_place){.scale = scale,
                        .centre = c,
                        .middle = p3_add(b->position, dquat_rotate(stand, p3_sub(c, anchor))),
                        .turn = dquat_mul(dquat_of(b->rotation), stand)};
}

/* Zones are placed in the world, and a model has them in its own frame. */
static lim_zone* own_zones(scene_run* run, const lim_zone* from, int32_t count,
                           const body_place* place) {
    lim_zone* zones = ARENA_ARRAY(&run->mem, lim_zone, count);
    dquat back = dquat_conjugate(place->turn);
    for (int32_t i = 0; zones != NULL && i < count; ++i) {
        zones[i] = from[i];
        lim_point from_middle = p3_sub(from[i].position, place->middle);
        zones[i].position = p3_add(place->centre, dquat_rotate(back, from_middle));
        zones[i].orientation = quat_of(dquat_mul(back, dquat_of(from[i].orientation)));
    }
    return zones;
}

/* What a body is made of: its own, or what the options say for all. */
static lim_material material_of(const scene_run* run, const scene_body* b, const scene_options* o,
                                double longest) {
    double gravity = (double)v3_length(run->source->desc.gravity);
    lim_material m =
        o->material != NULL ? *o->material : scene_auto_material(b->material, longest, gravity);
    m.young = o->young > 0.0f ? o->young : m.young;
    return m;
}

/* What the model must bear: the body's material in the substeps that it takes. */
static void wish_stiffness(const scene_run* run, const scene_body* b, const scene_options* o,
                           const lim_mesh* mesh, run_model* want) {
    double longest = longest_side(lim_mesh_get_report(mesh).bounds) * want->scale;
    lim_material m = material_of(run, b, o, longest);
    int32_t substeps = o->substeps > 0 ? o->substeps : run->source->desc.substeps;
    bool widen = (o->has_widen ? o->widen : b->widen) && !(m.alpha > 0.0f);
    want->young = widen ? m.young : 0.0f;
    want->density = m.density;
    want->step = (float)(run->source->desc.dt * 8.0 / (substeps > 8 ? substeps : 8));
}

static bool same_stiffness(const run_model* a, const run_model* b) {
    bool same_young = a->young >= b->young && a->young <= b->young;
    return same_young &&
           (!(a->young > 0.0f) || (a->density >= b->density && a->density <= b->density));
}

static lim_result get_model(scene_run* run, const scene_body* b, const scene_options* o,
                            const lim_mesh* mesh, const lim_model** out_model,
                            lim_io_message* message) {
    double scale = scale_of(b, mesh);
    run_model want = {.mesh = mesh,
                      .kind = o->has_kind ? o->kind : b->kind,
                      .nodes = o->nodes > 0 ? o->nodes : b->nodes,
                      .cell = o->nodes > 0 ? 0.0f : b->cell,
                      .coarsen = o->has_coarsen ? o->coarsen : b->coarsen,
                      .cells_across = o->has_cells_across ? o->cells_across : b->cells_across,
                      .region_width = b->region_width,
                      .regions = b->regions,
                      .clusters = b->clusters,
                      .glue = b->glue,
                      .solid = b->solid,
                      .painted = b->paint_count + b->zone_count > 0 ? b : NULL,
                      .scale = scale};
    wish_stiffness(run, b, o, mesh, &want);
    for (int32_t i = 0; i < run->model_count; ++i) {
        const run_model* m = &run->model[i];
        bool same_nodes = want.cell > 0.0f ? m->cell >= want.cell && m->cell <= want.cell
                                           : !(m->cell > 0.0f) && m->nodes == want.nodes;
        bool same_regions = m->region_width >= want.region_width &&
                            m->region_width <= want.region_width && m->regions == want.regions &&
                            m->clusters == want.clusters;
        bool same_sizes = m->coarsen == want.coarsen && m->cells_across >= want.cells_across &&
                          m->cells_across <= want.cells_across;
        if (m->mesh == mesh && m->kind == want.kind && m->painted == want.painted && same_nodes &&
            same_sizes && same_regions && same_stiffness(m, &want) && m->glue == want.glue &&
            m->solid == want.solid && m->scale >= scale && m->scale <= scale) {
            *out_model = m->model;
            return LIM_OK;
        }
    }
    lim_model_desc desc = lim_model_desc_default();
    desc.kind = want.kind;
    desc.node_count = want.nodes;
    desc.cell_size = want.cell;
    desc.scale = scale;
    desc.coarsen = want.coarsen;
    desc.cells_across = want.cells_across;
    desc.region_width = want.region_width;
    desc.young = want.young;
    desc.density = want.density;
    desc.step = want.step;
    desc.regions = want.regions;
    desc.clusters = want.clusters;
    desc.glue_parts = want.glue;
    desc.solid = want.solid;
    desc.progress = o->progress;
    desc.progress_user = o->progress_user;
    painted_values painted;
    body_place place = place_of(b, mesh, scale);
    if (paint_mesh(&run->mem, mesh, b->paint, b->paint_count, &place, &painted) != LIM_OK) {
        return out_of_memory(message);
    }
    desc.vertex_density = painted.density;
    desc.vertex_stiffness = painted.stiffness;
    desc.vertex_size = painted.size;
    desc.zones = b->zone_count > 0 ? own_zones(run, b->zones, b->zone_count, &place) : NULL;
    desc.zone_count = b->zone_count;
    if (desc.zones == NULL && b->zone_count > 0) {
        return out_of_memory(message);
    }
    lim_result result = lim_model_create(mesh, &desc, &run->host, &want.model);
    if (result != LIM_OK) {
        return scene_fail(message, result, "body \"%s\": its model could not be built: %s", b->name,
                          run_why(run, result));
    }
    run->model[run->model_count++] = want;
    *out_model = want.model;
    return LIM_OK;
}

/* ---- bodies ----------------------------------------------------------------------------------
 */

/* The body at its centre of mass, x = middle + turn (com - c). */
static lim_body_desc body_pose(const scene_run* run, const scene_body* b, const scene_options* o,
                               const lim_mesh* mesh, const lim_model* model, double scale) {
    lim_model_info info = lim_model_get_info(model);
    body_place place = place_of(b, mesh, scale);
    lim_body_desc desc = lim_body_desc_default();
    desc.model = model;
    desc.position =
        p3_add(place.middle, dquat_rotate(place.turn, p3_sub(info.centre, place.centre)));
    desc.orientation = quat_of(place.turn);
    desc.velocity = b->velocity;
    desc.angular_velocity = b->angular_velocity;
    desc.gravity_scale = b->gravity_scale;
    desc.layer = b->layer;
    desc.mask = b->contact ? b->mask : LIM_LAYER_COLLIDER;
    desc.self_contact = b->self_contact;
    desc.material = material_of(run, b, o, longest_side(info.bounds));
    return desc;
}

static int32_t copies_of(const scene_body* b) {
    return b->copies[0] * b->copies[1] * b->copies[2];
}

/* The i-th copy of an entry: moved on the grid, turned about y. */
static scene_body copy_of(const scene_body* b, int32_t i) {
    scene_body copy = *b;
    int32_t x = i % b->copies[0], y = i / b->copies[0] % b->copies[1],
            z = i / b->copies[0] / b->copies[1];
    copy.position = p3_add(b->position, p3(b->spacing.x * x, b->spacing.y * y, b->spacing.z * z));
    double half = b->turn * i * (TRIG_PI / 360.0);
    dquat about_y = {0, trig_sin(half), 0, trig_cos(half)};
    copy.rotation = quat_of(dquat_mul(about_y, dquat_of(b->rotation)));
    return copy;
}

/* The colour of the faces of cuts: the scene's, or what the model has inside, unless the scene has
 * painted it another colour. */
static void choose_inside(const scene_body* b, scene_run_body* out) {
    const shape_entry* shape = b->model != NULL && !b->has_colour ? shape_find(b->model) : NULL;
    out->has_inner_colour = b->has_inner_colour || (shape != NULL && shape->has_inside);
    out->inner_colour = b->has_inner_colour ? b->inner_colour
                        : out->has_inner_colour
                            ? (lim_vec3){shape->inside[0], shape->inside[1], shape->inside[2]}
                            : (lim_vec3){0};
}

static lim_result add_entry(scene_run* run, int32_t entry, const scene_options* o,
                            lim_io_message* message) {
    const scene_body* b = &run->source->desc.bodies[entry];
    const lim_mesh* mesh = NULL;
    const lim_model* model = NULL;
    LIM_TRY(get_mesh(run, b, o, &mesh, message));
    LIM_TRY(get_model(run, b, o, mesh, &model, message));
    int32_t copies = copies_of(b);
    for (int32_t i = 0; i < copies; ++i) {
        scene_body copy = copy_of(b, i);
        lim_body_desc desc = body_pose(run, &copy, o, mesh, model, scale_of(b, mesh));
        scene_run_body* out = &run->body[run->body_count];
        const char* name = b->name;
        if (copies > 1) {
            size_t size = strlen(b->name) + 13;
            char* text = arena_alloc(&run->mem, size, 1);
            if (text == NULL) {
                return out_of_memory(message);
            }
            snprintf(text, size, "%s.%d", b->name, i + 1);
            name = text;
        }
        *out = (scene_run_body){.name = name,
                                .model = model,
                                .has_colour = b->has_colour,
                                .colour = b->colour,
                                .from = -1};
        choose_inside(b, out);
        lim_result result = lim_body_create(run->world, &desc, &out->body);
        if (result != LIM_OK) {
            return scene_fail(message, result, "body \"%s\" could not be made: %s", name,
                              run_why(run, result));
        }
        run->body_count++;
        if (b->has_detail) {
            run->has_detail = true;
            result = lim_body_set_detail(run->world, out->body, &b->detail);
            if (result != LIM_OK) {
                return scene_fail(message, result, "the detail of body \"%s\" was refused: %s",
                                  name, run_why(run, result));
            }
        }
        if (b->has_fracture) {
            body_place place = place_of(b, mesh, scale_of(b, mesh));
            lim_fracture fracture = b->fracture;
            fracture.zones = own_zones(run, fracture.zones, fracture.zone_count, &place);
            if (fracture.zones == NULL) {
                return out_of_memory(message);
            }
            result = lim_body_set_fracture(run->world, out->body, &fracture);
            if (result != LIM_OK) {
                return scene_fail(message, result, "the fracture of body \"%s\" was refused: %s",
                                  name, run_why(run, result));
            }
        }
        int32_t nodes = lim_model_get_info(model).nodes;
        if (b->start != SCENE_AT_REST) {
            result = scene_put_state(run->world, out->body, nodes, b->start, &run->host);
        }
        if (result != LIM_OK) {
            return scene_fail(message, result, "body \"%s\" could not be put into its start: %s",
                              name, run_why(run, result));
        }
    }
    return LIM_OK;
}

/* ---- colliders, pins and links
 * ----------------------------------------------------------------------
 */

static lim_result add_collider(scene_run* run, const scene_collider* c, lim_collider* out,
                               lim_io_message* message) {
    lim_collider_desc desc = lim_collider_desc_default();
    desc.shape = c->shape;
    desc.size = c->size;
    desc.position = c->position;
    desc.orientation = c->rotation;
    desc.velocity = c->velocity;
    desc.angular_velocity = c->angular_velocity;
    desc.friction = c->friction;
    desc.restitution = c->restitution;
    desc.layer = c->layer;
    desc.mask = c->mask;
    desc.points = c->points;
    desc.indices = c->indices;
    desc.heights = c->heights;
    desc.point_count = c->point_count;
    desc.triangle_count = c->triangle_count;
    desc.columns = c->columns;
    desc.rows = c->rows;
    lim_result result = lim_collider_create(run->world, &desc, out);
    return result == LIM_OK ? LIM_OK
                            : scene_fail(message, result, "collider \"%s\" could not be made: %s",
                                         c->name, run_why(run, result));
}

static lim_result add_pin(scene_run* run, const scene_pin* p, run_pin* out,
                          lim_io_message* message) {
    *out = (run_pin){.first = run->pin_id_count, .position = p->position, .rotation = p->rotation};
    int32_t begin = run->first_body[p->body], end = run->first_body[p->body + 1];
    if (p->copy >= 0) {
        begin += p->copy;
        end = begin + 1;
    }
    for (int32_t i = begin; i < end; ++i) {
        lim_pin_desc desc = lim_pin_desc_default();
        desc.body = run->body[i].body;
        desc.shape = p->shape;
        desc.size = p->size;
        desc.position = p->position;
        desc.orientation = p->rotation;
        desc.stiffness = p->stiffness;
        lim_pin id;
        lim_result result = lim_pin_create(run->world, &desc, &id);
        if (result == LIM_ERROR_ARGUMENT) {
            continue; /* nothing of this body lies in the shape */
        }
        if (result != LIM_OK) {
            return scene_fail(message, result, "pin \"%s\" could not be made: %s", p->name,
                              run_why(run, result));
        }
        run->pin_id[run->pin_id_count++] = id;
        out->count++;
    }
    if (out->count == 0) {
        return scene_fail(message, LIM_ERROR_ARGUMENT,
                          "pin \"%s\" holds nothing: no material of body \"%s\" lies in its shape; "
                          "move or enlarge it",
                          p->name, run->source->desc.bodies[p->body].name);
    }
    return LIM_OK;
}

/* The copies that an entry names: [*begin, *end) of the run's bodies. */
static void copies_named(const scene_run* run, int32_t entry, int32_t copy, int32_t* begin,
                         int32_t* end) {
    *begin = run->first_body[entry] + (copy >= 0 ? copy : 0);
    *end = copy >= 0 ? *begin + 1 : run->first_body[entry + 1];
}

static lim_result add_link(scene_run* run, const scene_link* l, lim_io_message* message) {
    int32_t begin, end, other_begin, other_end, made = 0;
    copies_named(run, l->body, l->copy, &begin, &end);
    copies_named(run, l->other, l->other_copy, &other_begin, &other_end);
    if (begin == other_begin && end == other_end && end == begin + 1) {
        return scene_fail(message, LIM_ERROR_ARGUMENT,
                          "link \"%s\" ties body \"%s\" to itself: \"body\" and \"other\" must "
                          "differ; name two bodies, or two copies of one",
                          l->name, run->body[begin].name);
    }
    for (int32_t i = begin; i < end; ++i) {
        /* Of copies of one entry each two are tied once. */
        int32_t first = begin == other_begin && end == other_end ? i + 1 : other_begin;
        for (int32_t j = first; j < other_end; ++j) {
            lim_link_desc desc = lim_link_desc_default();
            desc.body = run->body[i].body;
            desc.other = run->body[j].body;
            desc.shape = l->shape;
            desc.size = l->size;
            desc.position = l->position;
            desc.orientation = l->rotation;
            desc.stiffness = l->stiffness;
            desc.force_limit = l->force_limit;
            lim_link id;
            lim_result result = lim_link_create(run->world, &desc, &id);
            made += result == LIM_OK;
            if (result != LIM_OK && result != LIM_ERROR_ARGUMENT) { /* else: not in the shape */
                return scene_fail(message, result, "link \"%s\" could not be made: %s", l->name,
                                  run_why(run, result));
            }
        }
    }
    const scene_body* bodies = run->source->desc.bodies;
    return made > 0 ? LIM_OK
                    : scene_fail(message, LIM_ERROR_ARGUMENT,
                                 "link \"%s\" ties nothing: no two bodies \"%s\" and \"%s\" reach "
                                 "into its shape; move or enlarge it",
                                 l->name, bodies[l->body].name, bodies[l->other].name);
}

/* ---- the whole -------------------------------------------------------------------------------
 */

/* How many ids a pin or a grab may need. */
static int32_t targets_of(const scene_desc* d, int32_t body, int32_t copy) {
    return copy >= 0 ? 1 : copies_of(&d->bodies[body]);
}

static lim_result make_room(scene_run* run, lim_io_message* message) {
    const scene_desc* d = &run->source->desc;
    int32_t bodies = 0, grabs = 0;
    int64_t pins = 0, grabs_total = 0;
    run->first_body = ARENA_ARRAY(&run->mem, int32_t, (size_t)d->body_count + 1);
    run->action = ARENA_ARRAY(&run->mem, run_action, d->action_count);
    if (run->first_body == NULL || run->action == NULL) {
        return out_of_memory(message);
    }
    for (int32_t i = 0; i < d->body_count; ++i) {
        run->first_body[i] = bodies;
        bodies += copies_of(&d->bodies[i]); /* scene_check limits the sum */
    }
    run->first_body[d->body_count] = bodies;
    for (int32_t i = 0; i < d->pin_count; ++i) {
        pins += targets_of(d, d->pins[i].body, d->pins[i].copy);
    }
    for (int32_t i = 0; i < d->action_count; ++i) {
        if (d->actions[i].type == SCENE_GRAB) {
            run->action[i].first_grab = grabs;
            grabs_total += targets_of(d, d->actions[i].target, d->actions[i].copy);
            grabs = (int32_t)grabs_total;
        }
    }
    run->body = ARENA_ARRAY(&run->mem, scene_run_body, bodies);
    run->mesh = ARENA_ARRAY(&run->mem, run_mesh, d->body_count);
    run->model = ARENA_ARRAY(&run->mem, run_model, d->body_count);
    run->collider = ARENA_ARRAY(&run->mem, lim_collider, d->collider_count);
    run->pin = ARENA_ARRAY(&run->mem, run_pin, d->pin_count);
    run->pin_id = ARENA_ARRAY(&run->mem, lim_pin, pins);
    run->grab = ARENA_ARRAY(&run->mem, lim_grab, grabs_total);
    run->grab_count = grabs;
    if (run->body == NULL || run->mesh == NULL || run->model == NULL || run->collider == NULL ||
        run->pin == NULL || run->pin_id == NULL || run->grab == NULL) {
        return out_of_memory(message);
    }
    return LIM_OK;
}

static lim_result make_world(scene_run* run, const scene_options* o, lim_io_message* message) {
    const scene_desc* d = &run->source->desc;
    lim_world_desc desc = lim_world_desc_default();
    desc.gravity = d->gravity;
    desc.substeps = o->substeps > 0 ? o->substeps : d->substeps;
    desc.workers = o->workers > 0 ? o->workers : 1;
    desc.fixed_dt = (float)d->dt;
    desc.sleep = d->sleep;
    lim_result result = lim_world_create(&desc, &run->host, &run->world);
    run->wind = d->wind;
    if (result == LIM_OK) {
        result = lim_world_set_wind(run->world, d->wind);
    }
    return result == LIM_OK ? LIM_OK
                            : scene_fail(message, result, "the world could not be made: %s",
                                         run_why(run, result));
}

static lim_result fill(scene_run* run, const scene_options* o, lim_io_message* message) {
    const scene_desc* d = &run->source->desc;
    LIM_TRY(make_room(run, message));
    LIM_TRY(make_world(run, o, message));
    for (int32_t i = 0; i < d->body_count; ++i) {
        run_forget(run);
        LIM_TRY(run_placed(run, d->bodies[i].line, d->bodies[i].column,
                           add_entry(run, i, o, message), message));
    }
    if (d->ground) {
        scene_collider ground = {.name = "ground",
                                 .shape = LIM_SHAPE_PLANE,
                                 .size = {1, 1, 1},
                                 .position = {0, (double)d->ground_height, 0},
                                 .rotation = {0, 0, 0, 1},
                                 .friction = d->ground_friction,
                                 .layer = 1 | LIM_LAYER_COLLIDER,
                                 .mask = UINT32_MAX};
        lim_collider id;
        LIM_TRY(add_collider(run, &ground, &id, message));
    }
    for (int32_t i = 0; i < d->collider_count; ++i) {
        run_forget(run);
        LIM_TRY(run_placed(run, d->colliders[i].line, d->colliders[i].column,
                           add_collider(run, &d->colliders[i], &run->collider[i], message),
                           message));
    }
    for (int32_t i = 0; i < d->pin_count; ++i) {
        run_forget(run);
        LIM_TRY(run_placed(run, d->pins[i].line, d->pins[i].column,
                           add_pin(run, &d->pins[i], &run->pin[i], message), message));
    }
    for (int32_t i = 0; i < d->link_count; ++i) {
        run_forget(run);
        LIM_TRY(run_placed(run, d->links[i].line, d->links[i].column,
                           add_link(run, &d->links[i], message), message));
    }
    return LIM_OK;
}

lim_result scene_start(const scene* s, const scene_options* options, const lim_host* host,
                       scene_run** out_run, lim_io_message* out_message) {
    if (s == NULL || out_run == NULL) {
        return scene_fail(out_message, LIM_ERROR_ARGUMENT, "scene_start: a pointer is null");
    }
    *out_run = NULL;
    lim_host hooks = mem_host(host);
    scene_run* run = mem_alloc(&hooks, 1, sizeof(scene_run));
    if (run == NULL) {
        return out_of_memory(out_message);
    }
    run->source = s;
    run->host = run_hooks_make(&run->hooks, &hooks);
    arena_init(&run->mem, &run->host);
    double steps = s->desc.duration / s->desc.dt;
    run->steps_total = (int64_t)(steps + 0.5) > 0 ? (int64_t)(steps + 0.5) : 1;
    scene_options none = {0};
    lim_result result = fill(run, options != NULL ? options : &none, out_message);
    if (result != LIM_OK) {
        scene_stop(run);
        return result;
    }
    *out_run = run;
    return LIM_OK;
}

void scene_stop(scene_run* run) {
    if (run == NULL) {
        return;
    }
    lim_world_destroy(run->world);
    run_edits_free(run);
    for (int32_t i = 0; i < run->model_count; ++i) {
        lim_model_destroy(run->model[i].model);
    }
    for (int32_t i = 0; i < run->mesh_count; ++i) {
        lim_mesh_destroy(run->mesh[i].mesh);
    }
    arena_release(&run->mem);
    lim_host own = run->hooks.own;
    mem_free(&own, run, 1, sizeof(scene_run));
}

/* ---- questions -------------------------------------------------------------------------------
 */

lim_world* scene_run_world(const scene_run* run) {
    return run->world;
}

const scene_desc* scene_run_desc(const scene_run* run) {
    return &run->source->desc;
}

int32_t scene_run_body_count(const scene_run* run) {
    return run->body_count;
}

scene_run_body scene_run_body_at(const scene_run* run, int32_t index) {
    return index >= 0 && index < run->body_count ? run->body[index] : (scene_run_body){0};
}

const scene_edit* scene_run_edits(const scene_run* run, int32_t* out_count) {
    *out_count = run->edits.count;
    return run->edits.data;
}

double scene_run_time(const scene_run* run) {
    return (double)run->steps * run->source->desc.dt;
}

int64_t scene_run_steps(const scene_run* run) {
    return run->steps;
}

int64_t scene_run_steps_total(const scene_run* run) {
    return run->steps_total;
}

/* Every body sleeps. */
static bool at_rest(const scene_run* run) {
    if (lim_world_get_report(run->world).bodies_awake > 0) {
        return false; /* before anything asks for a skin */
    }
    for (int32_t i = 0; i < scene_run_body_count(run); ++i) {
        lim_body_motion motion;
        if (lim_body_get_motion(run->world, scene_run_body_at(run, i).body, &motion) != LIM_OK ||
            !motion.asleep) {
            return false;
        }
    }
    return true;
}

bool scene_run_done(const scene_run* run) {
    const scene_desc* d = scene_run_desc(run);
    return run->steps >= run->steps_total ||
           (d->rest_after > 0.0 && (double)run->steps * d->dt >= d->rest_after && at_rest(run));
}
