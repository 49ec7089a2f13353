/* SPDX-License-Identifier: MIT
 * Job: choose the camera. In: frames of a film. Out: a camera that holds all of them. With the eye
 * at e and a point at p, both in the camera's axes, p is in the picture where |p.x - e.x| <= t
 * (p.z - e.z), t the tangent of half the angle; so e.x lies between max(p.x - t p.z) + t e.z and
 * min(p.x + t p.z) - t e.z, and the nearest eye is where these meet. The same holds upwards.
 */
#include "cli/framing.h"

#include "cli/solids.h"
#include "cli/tool_props.h"
#include "math/vec3.h"

#include <math.h>

/* Of the half picture, up to what must be seen; and what a scene's own camera must fill. */
static const float FILL = 0.94f, FILL_LEAST = 0.80f;
/* A body is gone when it is farther from home than this many times home's size. */
static const float GONE = 4.0f;
/* A collider is near the bodies within this share of their size, and not too large to be shown
 * whole up to this many times their size. */
static const float NEAR = 0.15f, LARGE = 1.4f;

typedef struct bounds {
    lim_vec3 lower, upper;
} bounds;

static bounds nothing(void) {
    return (bounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static void add(bounds* b, lim_vec3 p) {
    b->lower = v3_min(b->lower, p);
    b->upper = v3_max(b->upper, p);
}

static bool is_empty(const bounds* b) {
    return !(b->lower.x <= b->upper.x);
}

static float size_of(const bounds* b) {
    return is_empty(b) ? 0.0f : v3_length(v3_sub(b->upper, b->lower));
}

static lim_vec3 middle_of(const bounds* b) {
    return v3_scale(v3_add(b->lower, b->upper), 0.5f);
}

/* ---- what must be seen -----------------------------------------------------------------------
 */

typedef void (*visit)(void* user, lim_vec3 p);

static int32_t frame_at(const framing* s, int32_t i) {
    return s->frames != NULL ? s->frames[i] : i;
}

static void visit_skin(const lim_io_frame* skin, visit see, void* user) {
    /* a body that lost pieces still has their vertices, which no triangle uses */
    int64_t count =
        skin->triangle_count > 0 ? 3 * (int64_t)skin->triangle_count : (int64_t)skin->vertex_count;
    for (int64_t i = 0; i < count; ++i) {
        int64_t v = skin->triangle_count > 0 ? (int64_t)skin->indices[i] : i;
        const float* p = skin->positions + 3 * v;
        see(user, v3(p[0], p[1], p[2]));
    }
}

/* What is shown of a body's inside: cells and nodes of a lattice lie beyond its skin. */
static void visit_inside(const film* f, int32_t body, int32_t frame, visit see, void* user) {
    const film_frame* all = &f->frames.data[frame];
    const film_part* part = film_part_at(f, body, frame);
    int64_t count = part != NULL ? part->shape->node_count : 0;
    for (int64_t i = 0; all->cells != NULL && i < FILM_CELL_LINES * count; ++i) {
        const lim_debug_line* line = &all->cells[FILM_CELL_LINES * part->first_node + i];
        see(user, line->a);
        see(user, line->b);
    }
    for (int64_t i = 0; all->nodes != NULL && i < count; ++i) {
        see(user, all->nodes[part->first_node + i].at);
    }
}

static void add_to_bounds(void* user, lim_vec3 p) {
    add(user, p);
}

static bounds bounds_of_body(const film* f, int32_t body, int32_t frame) {
    bounds b = nothing();
    lim_io_frame skin = film_view(f, body, frame);
    visit_skin(&skin, add_to_bounds, &b);
    return b;
}

/* The corners of a collider's box, or its points. */
static bounds bounds_of_collider(const film_collider* c) {
    bounds b = nothing();
    lim_vec3 half = c->size;
    int32_t heights = c->heights != NULL ? c->columns * c->rows : 0;
    for (int32_t i = 0; i < heights; ++i) {
        float x = (float)(i % c->columns) - 0.5f * (float)(c->columns - 1);
        float z = (float)(i / c->columns) - 0.5f * (float)(c->rows - 1);
        lim_vec3 own = v3(x * c->size.x, c->heights[i], z * c->size.z);
        add(&b, v3_add(c->position, solid_rotate(c->orientation, own)));
    }
    if (c->shape == LIM_SHAPE_SPHERE || c->shape == LIM_SHAPE_CAPSULE) {
        float more = c->shape == LIM_SHAPE_CAPSULE ? c->size.y : 0.0f;
        half = v3(c->size.x, c->size.x + more, c->size.x);
    }
    for (int32_t i = 0; i < c->point_count; ++i) {
        add(&b, v3_add(c->position, solid_rotate(c->orientation, c->points[i])));
    }
    bool arrays = !is_empty(&b);
    for (int32_t i = 0; i < 8 && !arrays; ++i) {
        lim_vec3 own =
            v3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
        add(&b, v3_add(c->position, solid_rotate(c->orientation, own)));
    }
    return b;
}

static bool is_near(const bounds* a, const bounds* b, float reach) {
    const float low[3] = {a->lower.x, a->lower.y, a->lower.z};
    const float high[3] = {a->upper.x, a->upper.y, a->upper.z};
    const float least[3] = {b->lower.x, b->lower.y, b->lower.z};
    const float most[3] = {b->upper.x, b->upper.y, b->upper.z};
    bool near = true;
    for (int32_t k = 0; k < 3; ++k) {
        near = near && low[k] - reach <= most[k] && high[k] + reach >= least[k];
    }
    return near;
}

static void visit_box(const bounds* b, visit see, void* user) {
    for (int32_t i = 0; i < 8; ++i) {
        see(user, v3(i & 1 ? b->upper.x : b->lower.x, i & 2 ? b->upper.y : b->lower.y,
                     i & 4 ? b->upper.z : b->lower.z));
    }
}

static void visit_tool(const film* f, const film_tool* t, visit see, void* user) {
    arena scratch;
    arena_init(&scratch, &f->host);
    lim_draw_mesh meshes[TOOL_MESHES_MOST];
    int32_t count = 0;
    bool bone = t->kind == SCENE_TOOL_PIN && t->hold < 0; /* within its body */
    if (!bone && tool_props_make(f, t, &scratch, meshes, &count) == LIM_OK) {
        for (int32_t i = 0; i < count; ++i) {
            visit_skin(&meshes[i].frame, see, user);
        }
    }
    arena_release(&scratch);
}

/* Where the bodies are at first, and what else they may reach. */
static bounds home_of(const film* f, int32_t frame) {
    bounds home = {f->frames.data[frame].lower, f->frames.data[frame].upper};
    for (int32_t i = 0; i < f->frames.data[frame].collider_count; ++i) {
        bounds b = bounds_of_collider(&f->frames.data[frame].colliders[i]);
        add(&home, b.lower);
        add(&home, b.upper);
    }
    return home;
}

/* Whether a body has gone. The last one that is there has not. */
static bool is_gone(const framing* s, int32_t body, int32_t frame, const bounds* home) {
    float reach = GONE * size_of(home);
    int32_t there = 0;
    bool gone = false;
    for (int32_t i = 0; i < s->f->frames.data[frame].part_count; ++i) {
        if (film_part_at(s->f, i, frame) == NULL) {
            continue;
        }
        bounds b = bounds_of_body(s->f, i, frame);
        bool away = v3_length(v3_sub(middle_of(&b), middle_of(home))) > reach;
        there += !away;
        gone = i == body ? away : gone;
    }
    return gone && there > 0;
}

static void visit_all(const framing* s, visit see, void* user) {
    const film* f = s->f;
    bounds home = home_of(f, frame_at(s, 0)), bodies = nothing();
    for (int32_t i = 0; i < s->count; ++i) {
        int32_t frame = frame_at(s, i);
        bool far = v3_length(v3_sub(f->frames.data[frame].upper, f->frames.data[frame].lower)) >
                   GONE * size_of(&home); /* else all are near */
        for (int32_t b = 0; b < f->frames.data[frame].part_count; ++b) {
            lim_io_frame skin = film_view(f, b, frame);
            if (!far || !is_gone(s, b, frame, &home)) {
                visit_skin(&skin, see, user);
                visit_skin(&skin, add_to_bounds, &bodies);
                if (!s->plain) {
                    visit_inside(f, b, frame, see, user);
                }
            }
        }
        for (int32_t t = 0; t < f->frames.data[frame].tool_count; ++t) {
            visit_tool(f, &f->frames.data[frame].tools[t], see, user);
        }
    }
    for (int32_t i = 0; i < s->count; ++i) {
        const film_frame* frame = &f->frames.data[frame_at(s, i)];
        for (int32_t c = 0; c < frame->collider_count; ++c) {
            bounds b = bounds_of_collider(&frame->colliders[c]);
            if (size_of(&b) <= LARGE * size_of(&bodies) &&
                is_near(&b, &bodies, NEAR * size_of(&bodies))) {
                visit_box(&b, see, user);
            }
        }
    }
}

/* ---- cameras ---------------------------------------------------------------------------------
 */

typedef struct extremes {
    lim_vec3 right, up, forward;
    float tan_x, tan_y;
    /* of what is seen: along the view, and p.x -+ t p.z, p.y -+ t p.z */
    float least_z, most_z, right_most, left_least, up_most, down_least;
} extremes;

static extremes extremes_of(const lim_camera* camera, float aspect, float fill) {
    extremes e = {.least_z = INFINITY,
                  .most_z = -INFINITY,
                  .right_most = -INFINITY,
                  .left_least = INFINITY,
                  .up_most = -INFINITY,
                  .down_least = INFINITY};
    e.forward = v3_unit(v3_sub(camera->target, camera->eye), v3(0, 0, -1));
    e.right = v3_cross(e.forward, camera->up);
    e.right = v3_unit(e.right, v3(1, 0, 0));
    e.up = v3_cross(e.right, e.forward);
    e.tan_y = fill * tanf(0.5f * camera->fov);
    e.tan_x = aspect * e.tan_y;
    return e;
}

static void widen(void* user, lim_vec3 p) {
    extremes* e = user;
    float x = v3_dot(p, e->right), y = v3_dot(p, e->up), z = v3_dot(p, e->forward);
    e->least_z = fminf(e->least_z, z);
    e->most_z = fmaxf(e->most_z, z);
    e->right_most = fmaxf(e->right_most, x - e->tan_x * z);
    e->left_least = fminf(e->left_least, x + e->tan_x * z);
    e->up_most = fmaxf(e->up_most, y - e->tan_y * z);
    e->down_least = fminf(e->down_least, y + e->tan_y * z);
}

static lim_camera direction_of(const lim_camera* given) {
    const lim_vec3 corner = {0.5f, 0.5f, 0.5f};
    lim_camera pleasant = lim_camera_fit(v3_scale(corner, -1.0f), corner, 1.0f);
    bool usable = given != NULL && v3_length(v3_sub(given->eye, given->target)) > 0.0f;
    return usable ? *given : pleasant;
}

lim_camera framing_fit(const framing* s, const lim_camera* given, float aspect) {
    lim_camera camera = direction_of(given);
    extremes e = extremes_of(&camera, aspect, FILL);
    visit_all(s, widen, &e);
    if (!(e.least_z <= e.most_z)) {
        return camera;
    }
    float z = fminf((e.left_least - e.right_most) / (2.0f * e.tan_x),
                    (e.down_least - e.up_most) / (2.0f * e.tan_y));
    z = fminf(z, e.least_z - 0.02f * (e.most_z - e.least_z) - 1e-6f); /* not in what is seen */
    float x = 0.5f * (e.left_least + e.right_most), y = 0.5f * (e.down_least + e.up_most);
    camera.eye = v3_mad(v3_mad(v3_scale(e.right, x), e.up, y), e.forward, z);
    camera.target = v3_mad(camera.eye, e.forward, 0.5f * (e.least_z + e.most_z) - z);
    return camera;
}

/* Where points lie in a picture, in half pictures from its middle. */
typedef struct spread {
    extremes e;
    lim_vec3 eye;
    float left, right, below, above;
} spread;

static void project(void* user, lim_vec3 p) {
    spread* s = user;
    lim_vec3 d = v3_sub(p, s->eye);
    float z = v3_dot(d, s->e.forward);
    float x = z > 0.0f ? v3_dot(d, s->e.right) / (s->e.tan_x * z) : INFINITY;
    float y = z > 0.0f ? v3_dot(d, s->e.up) / (s->e.tan_y * z) : INFINITY;
    s->left = fminf(s->left, x);
    s->right = fmaxf(s->right, x);
    s->below = fminf(s->below, y);
    s->above = fmaxf(s->above, y);
}

static spread spread_of(const framing* s, const lim_camera* camera, float aspect) {
    spread out = {.e = extremes_of(camera, aspect, 1.0f),
                  .eye = camera->eye,
                  .left = INFINITY,
                  .right = -INFINITY,
                  .below = INFINITY,
                  .above = -INFINITY};
    visit_all(s, project, &out);
    return out;
}

float framing_span(const framing* s, const lim_camera* camera, float aspect) {
    spread p = spread_of(s, camera, aspect);
    float beyond = fmaxf(fmaxf(p.right, -p.left), fmaxf(p.above, -p.below));
    float span = 0.5f * fmaxf(p.right - p.left, p.above - p.below);
    return beyond > 1.0f ? beyond : span;
}

lim_camera framing_choose(const framing* s, const lim_camera* given, float aspect) {
    float span = given != NULL ? framing_span(s, given, aspect) : 0.0f;
    return span >= FILL_LEAST && span <= 1.0f ? *given : framing_fit(s, given, aspect);
}

float framing_aspect(const framing* s, const lim_camera* given) {
    const float least = 0.6f, most = 2.2f;
    lim_camera camera = framing_fit(s, given, 1.0f);
    spread p = spread_of(s, &camera, 1.0f);
    float aspect = (p.right - p.left) / (p.above - p.below);
    return aspect > least ? (aspect < most ? aspect : most) : least;
}
