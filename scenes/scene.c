/* SPDX-License-Identifier: MIT
 *
 * Scene descriptions: defaults, copies, checks. In: a description made in C. Out: a scene that owns
 * its texts and arrays and whose every value is in range.
 */
#include "scene.h"

#include "math/trig.h"
#include "math/vec3.h"
#include "scene_inside.h"
#include "scene_motion.h"
#include "shapes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

lim_result scene_fail(lim_io_message* out, lim_result result, const char* format, ...) {
    if (out != NULL) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(out->text, sizeof(out->text), format, arguments);
        va_end(arguments);
    }
    return result;
}

scene_desc scene_desc_default(void) {
    return (scene_desc){.name = "scene",
                        .about = "",
                        .duration = 4.0,
                        .fps = 30.0,
                        .dt = 1.0 / 60.0,
                        .substeps = 4,
                        .sleep = true,
                        .gravity = {0, -9.81f, 0},
                        .ground = true,
                        .ground_height = 0.0f,
                        .ground_friction = 0.5f,
                        .wind = {.gust_size = 1.0f},
                        .detail = lim_world_detail_default(),
                        .camera = {.up = {0, 1, 0}, .fov = 0.6f}};
}

scene_body scene_body_default(void) {
    lim_material material = {.density = 1000.0f,
                             .young = NAN,
                             .viscosity = NAN,
                             .damping_every = 1,
                             .damping_time = NAN,
                             .rolling_time = 0.2f,
                             .friction = 0.5f,
                             .air_drag = 1.0f,
                             .beta = 0.5f,
                             .creep = 20.0f,
                             .max_strain = 0.5f};
    return (scene_body){.nodes = 2000,
                        .contact = true,
                        .layer = 1,
                        .mask = UINT32_MAX,
                        .cells_across = 2.0f,
                        .region_width = 1.0f,
                        .clusters = 1,
                        .detail = lim_detail_default(),
                        .fracture = lim_fracture_default(),
                        .glue = true,
                        .solid = true,
                        .size = 1.0,
                        .scale = 1.0,
                        .rotation = {0, 0, 0, 1},
                        .gravity_scale = 1.0f,
                        .material = material,
                        .copies = {1, 1, 1},
                        .spacing = {1.2, 1.2, 1.2}};
}

/* Shares of critical damping of a body's slowest mode: by its own fading, and by inner friction. */
#define BODY_RATIO  0.06
#define INNER_RATIO 0.06

lim_material scene_auto_material(lim_material asked, double longest_side, double gravity) {
    /* Without gravity nothing sags: take the earth's, so that the body is no softer there. */
    double g = gravity > 1e-3 ? gravity : 9.81;
    double density = (double)asked.density;
    lim_material m = asked;
    if (isnan(m.young)) {
        m.young = (float)(density * g * longest_side / 0.04);
    }
    /* Free longitudinal mode of a bar: omega = pi / L sqrt(E / rho). A mode that fades as
     * exp(-t / tau) has the ratio 1 / (tau omega), one with viscosity eta has eta omega / (2 E). */
    double young = (double)m.young;
    double omega = TRIG_PI / longest_side * sqrt(young / density);
    if (isnan(m.damping_time)) {
        m.damping_time = (float)(1.0 / (BODY_RATIO * omega));
    }
    if (isnan(m.viscosity)) {
        m.viscosity = (float)(INNER_RATIO * 2.0 * young / omega);
    }
    return m;
}

scene* scene_empty(const lim_host* host) {
    lim_host hooks = mem_host(host);
    scene* s = mem_alloc(&hooks, 1, sizeof(scene));
    if (s != NULL) {
        arena_init(&s->mem, host);
        s->desc = scene_desc_default();
    }
    return s;
}

void scene_destroy(scene* s) {
    if (s != NULL) {
        lim_host host = s->mem.host;
        arena_release(&s->mem);
        mem_free(&host, s, 1, sizeof(scene));
    }
}

const scene_desc* scene_get_desc(const scene* s) {
    return s != NULL ? &s->desc : NULL;
}

char* scene_text(scene* s, const char* text, bool* ok) {
    if (text == NULL) {
        return NULL;
    }
    size_t size = strlen(text) + 1;
    char* copy = arena_alloc(&s->mem, size, 1);
    if (copy == NULL) {
        *ok = false;
        return NULL;
    }
    memcpy(copy, text, size);
    return copy;
}

/* A copy of an array in the scene's arena. */
static void* copied(scene* s, const void* data, int32_t count, size_t size, bool* ok) {
    void* copy = arena_alloc(&s->mem, (size_t)count, size);
    if (copy == NULL) {
        *ok = false;
    } else if (count > 0) {
        memcpy(copy, data, (size_t)count * size);
    }
    return copy;
}

static bool copy_desc(scene* s, const scene_desc* from) {
    bool ok = true;
    scene_desc* d = &s->desc;
    *d = *from;
    d->name = scene_text(s, from->name, &ok);
    d->about = scene_text(s, from->about, &ok);
    scene_body* body = copied(s, from->bodies, from->body_count, sizeof(scene_body), &ok);
    scene_collider* collider =
        copied(s, from->colliders, from->collider_count, sizeof(scene_collider), &ok);
    scene_pin* pin = copied(s, from->pins, from->pin_count, sizeof(scene_pin), &ok);
    scene_link* link = copied(s, from->links, from->link_count, sizeof(scene_link), &ok);
    scene_action* action = copied(s, from->actions, from->action_count, sizeof(scene_action), &ok);
    scene_motion* fly = &d->camera_motion;
    fly->keys = copied(s, fly->keys, fly->key_count, sizeof(scene_key), &ok);
    s->folder = scene_text(s, "", &ok);
    for (int32_t i = 0; ok && i < d->body_count; ++i) {
        body[i].name = scene_text(s, body[i].name, &ok);
        body[i].model = scene_text(s, body[i].model, &ok);
        body[i].mesh_file = scene_text(s, body[i].mesh_file, &ok);
        body[i].paint = copied(s, body[i].paint, body[i].paint_count, sizeof(scene_paint), &ok);
        body[i].zones = copied(s, body[i].zones, body[i].zone_count, sizeof(lim_zone), &ok);
    }
    for (int32_t i = 0; ok && i < d->collider_count; ++i) {
        scene_collider* c = &collider[i];
        c->name = scene_text(s, c->name, &ok);
        c->points = copied(s, c->points, c->point_count, sizeof *c->points, &ok);
        c->indices = copied(s, c->indices, 3 * c->triangle_count, sizeof *c->indices, &ok);
        c->heights = copied(s, c->heights, c->columns * c->rows, sizeof *c->heights, &ok);
    }
    for (int32_t i = 0; ok && i < d->pin_count; ++i) {
        scene_motion* m = &pin[i].motion;
        pin[i].name = scene_text(s, pin[i].name, &ok);
        m->keys = copied(s, m->keys, m->key_count, sizeof(scene_key), &ok);
    }
    for (int32_t i = 0; ok && i < d->link_count; ++i) {
        link[i].name = scene_text(s, link[i].name, &ok);
    }
    for (int32_t i = 0; ok && i < d->action_count; ++i) {
        scene_action* a = &action[i];
        a->blade = copied(s, a->blade, a->blade_count, sizeof(scene_station), &ok);
    }
    d->actions = action;
    d->bodies = body;
    d->colliders = collider;
    d->pins = pin;
    d->links = link;
    return ok;
}

lim_result scene_create(const scene_desc* desc, const lim_host* host, scene** out_scene,
                        lim_io_message* out_message) {
    if (desc == NULL || out_scene == NULL) {
        return scene_fail(out_message, LIM_ERROR_ARGUMENT, "scene_create: a pointer is null");
    }
    *out_scene = NULL;
    LIM_TRY(scene_check(desc, out_message));
    scene* s = scene_empty(host);
    if (s == NULL || !copy_desc(s, desc)) {
        scene_destroy(s);
        return scene_fail(out_message, LIM_ERROR_MEMORY, "out of memory");
    }
    *out_scene = s;
    return LIM_OK;
}

/* ---- checks ----------------------------------------------------------------------------------
 */

static bool in_range(double value, double low, double high) {
    return value >= low && value <= high; /* false for NaN */
}

const char* scene_paint_fault(const scene_paint* p) {
    bool size = p->what == SCENE_PAINT_SIZE;
    if (p->what < SCENE_PAINT_DENSITY || p->what > SCENE_PAINT_SIZE ||
        p->shape < LIM_SHAPE_SPHERE || p->shape > LIM_SHAPE_BOX) {
        return "has an unknown kind or shape";
    }
    if (!v3_finite(p->size) || !p3_finite(p->position) || !in_range((double)p->fade, 0, 1e6)) {
        return "has a shape or fade that is not finite or negative";
    }
    return in_range((double)p->value, 1e-6, size ? 1e9 : 1e6) ? NULL
           : size ? "has a size that is not above 0 metres"
                  : "has a factor that is not from 1e-6 to 1e6";
}

static lim_result check_paint(const scene_body* b, lim_io_message* out) {
    if (b->paint_count < 0 || (b->paint == NULL && b->paint_count > 0)) {
        return scene_fail(out, LIM_ERROR_ARGUMENT, "body \"%s\" has no list of paint", b->name);
    }
    for (int32_t i = 0; i < b->paint_count; ++i) {
        const char* fault = scene_paint_fault(&b->paint[i]);
        if (fault != NULL) {
            return scene_fail(out, LIM_ERROR_ARGUMENT, "paint %d of body \"%s\" %s", i + 1, b->name,
                              fault);
        }
    }
    return LIM_OK;
}

static lim_result check_zones(const scene_body* b, lim_io_message* out) {
    if (b->zone_count < 0 || (b->zones == NULL && b->zone_count > 0)) {
        return scene_fail(out, LIM_ERROR_ARGUMENT, "body \"%s\" has no list of zones", b->name);
    }
    for (int32_t i = 0; i < b->zone_count; ++i) {
        const lim_zone* z = &b->zones[i];
        bool good =
            z->shape >= LIM_SHAPE_SPHERE && z->shape <= LIM_SHAPE_BOX && v3_finite(z->size) &&
            p3_finite(z->position) && in_range((double)z->fade, 0, 1e6) &&
            in_range((double)z->stiffness, 1e-6, 1e6) && in_range((double)z->density, 1e-6, 1e6);
        if (!good) {
            return scene_fail(
                out, LIM_ERROR_ARGUMENT,
                "zone %d of body \"%s\" has a shape that is unknown or not finite, or "
                "a fade or factor out of range",
                i + 1, b->name);
        }
    }
    return LIM_OK;
}

static lim_result check_detail(const scene_body* b, lim_io_message* out) {
    const lim_detail* d = &b->detail;
    bool good =
        !b->has_detail ||
        (lim_kind_get_info(b->kind).levels && in_range((double)d->angle, 0, 1) &&
         in_range((double)d->strain_fine, 0, 1e6) && in_range((double)d->strain_coarse, 0, 1e6) &&
         in_range((double)d->touch, 0, 1e4) && in_range((double)d->touch_time, 0, 3600) &&
         in_range((double)d->finest, 0, 1e4) && in_range((double)d->coarsest, 0, 1e4) &&
         in_range((double)d->hysteresis, 1, 4) && in_range((double)d->nodes, 0, SCENE_NODE_LIMIT));
    return good ? LIM_OK
                : scene_fail(
                      out, LIM_ERROR_ARGUMENT,
                      "the detail of body \"%s\" is out of range, or its cells are all of one size",
                      b->name);
}

static lim_result check_body(const scene_body* b, lim_io_message* out) {
    const char* name = b->name != NULL && b->name[0] != '\0' ? b->name : "(unnamed)";
    int sources = (b->model != NULL) + (b->mesh_file != NULL) + (b->mesh != NULL);
    if (b->name == NULL || b->name[0] == '\0' || sources != 1) {
        return scene_fail(out, LIM_ERROR_ARGUMENT,
                          "body \"%s\" needs a name and one of model, mesh_file, mesh", name);
    }
    if (b->model != NULL && shape_find(b->model) == NULL) {
        return scene_fail(out, LIM_ERROR_ARGUMENT, "body \"%s\": there is no model \"%s\"", name,
                          b->model);
    }
    lim_kind_info kind = lim_kind_get_info(b->kind);
    bool counts = in_range((double)b->nodes, 1, SCENE_NODE_LIMIT) &&
                  in_range((double)b->cell, 0, 1e6) && kind.name != NULL &&
                  in_range((double)b->region_width, 1, (double)kind.widest) &&
                  in_range((double)b->regions, LIM_REGIONS_BLENDED, LIM_REGIONS_INTERVAL) &&
                  in_range((double)b->clusters, 1, 4096) && in_range((double)b->coarsen, 0, 10) &&
                  in_range((double)b->cells_across, 0, 64) && b->triangles >= 0;
    bool sizes = in_range(b->size, 0, 1e6) && in_range(b->scale, 1e-30, 1e30);
    bool pose = in_range((double)b->start, SCENE_AT_REST, SCENE_SCRAMBLED) &&
                p3_finite(b->position) && v3_finite(b->velocity) && v3_finite(b->angular_velocity);
    const lim_material* m = &b->material;
    bool material = in_range((double)m->density, 1e-3, 1e6) &&
                    (isnan(m->young) || in_range((double)m->young, 1e-3, 1e12)) &&
                    (isnan(m->viscosity) || in_range((double)m->viscosity, 0, 1e12)) &&
                    (isnan(m->damping_time) || in_range((double)m->damping_time, 0, 1e6)) &&
                    in_range((double)m->damping_every, 1, 16) &&
                    in_range((double)m->rolling_time, 0, 1e9) &&
                    in_range((double)m->friction, 0, 100) && in_range((double)m->air_drag, 0, 1) &&
                    in_range((double)m->restitution, 0, 1) &&
                    in_range((double)m->goal, LIM_GOAL_RIGID, LIM_GOAL_QUADRATIC) &&
                    in_range((double)m->beta, 0, 1) && in_range((double)m->alpha, 0, 1) &&
                    in_range((double)m->volume, 0, 1) && in_range((double)m->pressure, -1e9, 1e9) &&
                    in_range((double)m->yield, 0, 10) && in_range((double)m->creep, 0, 1e6) &&
                    in_range((double)m->max_strain, 0, 10) &&
                    in_range((double)m->hardening, 0, 100) && in_range((double)m->nu, 0, 0.495);
    bool copies = p3_finite(b->spacing) && isfinite(b->turn);
    int64_t total = 1;
    for (int i = 0; i < 3; ++i) {
        copies = copies && b->copies[i] >= 1 && b->copies[i] <= SCENE_BODY_LIMIT;
        total *= copies ? b->copies[i] : 1;
    }
    if (!counts || !sizes || !pose || !material || !copies || total > SCENE_BODY_LIMIT) {
        return scene_fail(
            out, LIM_ERROR_ARGUMENT, "body \"%s\": %s out of range", name,
            !counts
                ? "kind, nodes, cell, coarsen, cells_across, region_width, regions, clusters or "
                  "triangles"
            : !sizes    ? "size or scale"
            : !pose     ? "start, position or velocity"
            : !material ? "material"
                        : "copies, spacing or turn");
    }
    return LIM_OK;
}

const char* scene_blade_fault(const scene_station* blade, int32_t count) {
    if (blade == NULL || count < 2 || count > SCENE_STATION_LIMIT) {
        return "needs a blade of 2 to 4096 stations";
    }
    for (int32_t i = 0; i < count; ++i) {
        const scene_station* b = &blade[i];
        if (!p3_finite(b->from) || !p3_finite(b->to)) {
            return "has a blade that is not finite; give numbers";
        }
        if (!(p3_length(p3_sub(b->to, b->from)) > 0.0)) {
            return "has a blade of no length; give it two ends, \"from\" and \"to\", that differ";
        }
        if (i > 0 && memcmp(b, b - 1, sizeof *b) == 0) {
            return "has a blade that does not move from one station to the next; move it across "
                   "its "
                   "length, or leave the station out";
        }
    }
    return NULL;
}

bool scene_pin_is_driven(const scene_pin* p) {
    return p->parent > 0 || p->motion.key_count > 0;
}

lim_result scene_check(const scene_desc* d, lim_io_message* out) {
    if (d->body_count < 1 || d->bodies == NULL) {
        return scene_fail(out, LIM_ERROR_ARGUMENT, "the scene has no bodies; give at least one");
    }
    if (d->name == NULL || d->collider_count < 0 || d->pin_count < 0 || d->action_count < 0 ||
        (d->colliders == NULL && d->collider_count > 0) || (d->pins == NULL && d->pin_count > 0) ||
        (d->actions == NULL && d->action_count > 0) || d->link_count < 0 ||
        (d->links == NULL && d->link_count > 0) || d->link_count > SCENE_THING_LIMIT ||
        d->body_count > SCENE_BODY_LIMIT || d->collider_count > SCENE_THING_LIMIT ||
        d->pin_count > SCENE_THING_LIMIT || d->action_count > SCENE_THING_LIMIT) {
        return scene_fail(out, LIM_ERROR_ARGUMENT,
                          "the scene has a null name or array, or a count "
                          "that is negative or above 10000");
    }
    if (!in_range(d->duration, 1e-3, 86400) || !in_range(d->fps, 0.1, 1000) ||
        !in_range(d->dt, 1e-6, 1) || !in_range(d->substeps, 1, 64) || !v3_finite(d->gravity)) {
        return scene_fail(out, LIM_ERROR_ARGUMENT,
                          "duration, fps, dt, substeps or gravity is out of range");
    }
    if (!p3_finite(d->detail.eye) || !in_range((double)d->detail.nodes, 0, 1e9) ||
        !in_range((double)d->detail.work, 0, 1e9)) {
        return scene_fail(out, LIM_ERROR_ARGUMENT, "the scene's detail is out of range");
    }
    const char* camera = motion_fault(&d->camera_motion);
    if (camera != NULL) {
        return scene_fail(out, LIM_ERROR_ARGUMENT, "the camera %s", camera);
    }
    int64_t total = 0;
    for (int32_t i = 0; i < d->body_count; ++i) {
        const scene_body* b = &d->bodies[i];
        LIM_TRY(check_body(b, out));
        LIM_TRY(check_paint(b, out));
        LIM_TRY(check_zones(b, out));
        LIM_TRY(check_detail(b, out));
        total += (int64_t)b->copies[0] * b->copies[1] * b->copies[2];
    }
    if (total > SCENE_BODY_LIMIT) {
        return scene_fail(out, LIM_ERROR_TOO_LARGE, "%lld bodies; at most %d are allowed",
                          (long long)total, SCENE_BODY_LIMIT);
    }
    for (int32_t i = 0; i < d->pin_count; ++i) {
        const scene_pin* p = &d->pins[i];
        if (p->name == NULL || p->body < 0 || p->body >= d->body_count) {
            return scene_fail(out, LIM_ERROR_ARGUMENT, "pin %d has no name or no body", i + 1);
        }
        const char* fault = motion_fault(&p->motion);
        if (p->parent < 0 || p->parent > i || !in_range((double)p->stiffness, 0, 1e12) ||
            fault != NULL) {
            return scene_fail(out, LIM_ERROR_ARGUMENT, "pin \"%s\" %s", p->name,
                              fault != NULL ? fault
                                            : "has a stiffness out of range, or a parent that does "
                                              "not come before it");
        }
    }
    for (int32_t i = 0; i < d->link_count; ++i) {
        const scene_link* l = &d->links[i];
        if (l->name == NULL || l->body < 0 || l->body >= d->body_count || l->other < 0 ||
            l->other >= d->body_count || !in_range((double)l->stiffness, 0, 1e12) ||
            !in_range((double)l->force_limit, 0, 1e12)) {
            return scene_fail(out, LIM_ERROR_ARGUMENT,
                              "link %d has no name, no two bodies, or a stiffness or force_limit "
                              "out of range",
                              i + 1);
        }
    }
    for (int32_t i = 0; i < d->collider_count; ++i) {
        const scene_collider* c = &d->colliders[i];
        bool counts = c->point_count >= 0 && c->point_count <= SCENE_ARRAY_LIMIT &&
                      c->triangle_count >= 0 && c->triangle_count <= SCENE_ARRAY_LIMIT &&
                      c->columns >= 0 && c->columns <= 4096 && c->rows >= 0 && c->rows <= 4096 &&
                      (c->points != NULL || c->point_count == 0) &&
                      (c->indices != NULL || c->triangle_count == 0) &&
                      (c->heights != NULL || c->columns == 0 || c->rows == 0);
        if (!counts) {
            return scene_fail(out, LIM_ERROR_ARGUMENT, "collider %d has impossible arrays", i + 1);
        }
        if (c->name == NULL) {
            return scene_fail(out, LIM_ERROR_ARGUMENT, "collider %d has no name", i + 1);
        }
    }
    const scene_training* t = &d->training;
    if (d->has_training && (t->body < 0 || t->body >= d->body_count || t->tool < 0 ||
                            t->tool >= d->collider_count || !in_range(t->poses, 1, 10000) ||
                            !in_range(t->texels, 2, 1024) || !in_range(t->drags, 0, t->poses))) {
        return scene_fail(out, LIM_ERROR_ARGUMENT,
                          "the training has no body or no tool, or a count out of range");
    }
    for (int32_t i = 0; i < d->action_count; ++i) {
        const scene_action* a = &d->actions[i];
        int32_t targets = a->type == SCENE_GRAVITY || a->type == SCENE_WIND ? 0
                          : a->type == SCENE_MOVE_COLLIDER                  ? d->collider_count
                          : a->type == SCENE_MOVE_PIN || a->type == SCENE_RELEASE_PIN
                              ? d->pin_count
                              : d->body_count;
        if (a->type < SCENE_GRAB || a->type > SCENE_COARSEN || !in_range(a->at, 0, 86400) ||
            !(a->until < 0.0 || a->until >= a->at) ||
            (targets > 0 && (a->target < 0 || a->target >= targets)) ||
            (targets == 0 && a->type != SCENE_GRAVITY && a->type != SCENE_WIND) ||
            (a->type == SCENE_MOVE_PIN && scene_pin_is_driven(&d->pins[a->target]))) {
            return scene_fail(out, LIM_ERROR_ARGUMENT,
                              "action %d has an unknown type or target, ends before it begins, or "
                              "moves a pin that has a motion or a parent",
                              i + 1);
        }
        const char* fault =
            a->type == SCENE_CUT ? scene_blade_fault(a->blade, a->blade_count) : NULL;
        if (a->blade_count < 0 || (a->blade == NULL && a->blade_count > 0) ||
            !in_range((double)a->refine, 0, 20)) {
            fault = "has no list of stations, or a refine that is not from 0 to 20";
        }
        bool refines = a->type == SCENE_REFINE || a->type == SCENE_COARSEN;
        if (refines &&
            ((a->shape != LIM_SHAPE_SPHERE && a->shape != LIM_SHAPE_BOX) || !v3_finite(a->size) ||
             !p3_finite(a->point) || !in_range((double)a->cell, 0, 1e4))) {
            fault = "has a shape that is no sphere or box, or not finite, or a cell out of range";
        }
        if (fault != NULL) {
            return scene_fail(out, LIM_ERROR_ARGUMENT, "action %d %s", i + 1, fault);
        }
    }
    return LIM_OK;
}
