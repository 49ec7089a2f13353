/* SPDX-License-Identifier: MIT
 * The border: every field of every descriptor at NaN, infinity, huge, zero and negative; missing
 * cookies; null pointers everywhere. A refused call changes nothing and says why in one line.
 */
#include "world_kit.h"

typedef struct log_book {
    int lines;
    char last[512];
} log_book;

static void keep_line(void* user, lim_log_level level, const char* text) {
    log_book* book = user;
    if (level == LIM_LOG_ERROR) {
        book->lines++;
        snprintf(book->last, sizeof book->last, "%s", text);
    }
}

/* A field as bytes within its struct, and which values are wrong for it. */
typedef enum field_kind { FIELD_FLOAT, FIELD_DOUBLE, FIELD_INT } field_kind;
enum { ZERO_BAD = 1, NEGATIVE_BAD = 2, HUGE_BAD = 4 };
typedef struct field {
    const char* name;
    size_t offset;
    field_kind kind;
    int bad;
} field;

static bool set_field(void* desc, const field* f, int what) {
    const double values[5] = {NAN, INFINITY, 1e30, 0.0, -1.0};
    if ((what == 2 && !(f->bad & HUGE_BAD)) || (what == 3 && !(f->bad & ZERO_BAD)) ||
        (what == 4 && !(f->bad & NEGATIVE_BAD)) || (what < 2 && f->kind == FIELD_INT)) {
        return false;
    }
    char* at = (char*)desc + f->offset;
    float single = (float)values[what];
    int32_t whole = what == 2 ? INT32_MAX : what == 4 ? INT32_MIN : 0;
    switch (f->kind) {
    case FIELD_FLOAT:
        memcpy(at, &single, sizeof single);
        return true;
    case FIELD_DOUBLE:
        memcpy(at, &values[what], sizeof(double));
        return true;
    case FIELD_INT:
        memcpy(at, &whole, sizeof whole);
        return true;
    }
    return false;
}

typedef lim_result try_call(void* context, const void* desc);

/* Every bad value of every field is refused with one line that names the call. */
static void try_fields(const char* call, const void* good, size_t size, const field* fields,
                       size_t count, try_call* try_it, void* context, log_book* book) {
    char desc[256];
    CHECK(size <= sizeof desc);
    for (size_t i = 0; i < count; ++i) {
        for (int what = 0; what < 5; ++what) {
            memcpy(desc, good, size);
            if (!set_field(desc, &fields[i], what)) {
                continue;
            }
            int lines = book->lines;
            lim_result result = try_it(context, desc);
            if (result != LIM_ERROR_ARGUMENT || book->lines != lines + 1 ||
                strncmp(book->last, call, strlen(call)) != 0) {
                printf("  %s: %s, value %d gave %s: %s\n", call, fields[i].name, what,
                       lim_result_name(result), book->last);
                CHECK(false);
            }
        }
    }
    /* Without the cookie. */
    memcpy(desc, good, size);
    memset(desc, 0, sizeof(uint32_t));
    CHECK(try_it(context, desc) == LIM_ERROR_DESC);
    memset(desc, 0, size);
    CHECK(try_it(context, desc) == LIM_ERROR_DESC);
    memcpy(desc, good, size);
    CHECK(try_it(context, desc) == LIM_OK);
}

#define F(type, name, bad)                                                                         \
    { #name, offsetof(type, name), FIELD_FLOAT, bad }
#define D(type, name, bad)                                                                         \
    { #name, offsetof(type, name), FIELD_DOUBLE, bad }
#define I(type, name, bad)                                                                         \
    { #name, offsetof(type, name), FIELD_INT, bad }
#define V(type, name)                                                                              \
    F(type, name.x, HUGE_BAD), F(type, name.y, HUGE_BAD), F(type, name.z, HUGE_BAD)
#define P(type, name)                                                                              \
    D(type, name.x, HUGE_BAD), D(type, name.y, HUGE_BAD), D(type, name.z, HUGE_BAD)
#define Q(type, name)                                                                              \
    F(type, name.x, HUGE_BAD), F(type, name.y, HUGE_BAD), F(type, name.z, HUGE_BAD),               \
        F(type, name.w, HUGE_BAD | ZERO_BAD)
enum { ALL_BAD = ZERO_BAD | NEGATIVE_BAD | HUGE_BAD };

typedef struct border_context {
    lim_host host;
    lim_world* world;
    lim_mesh* mesh;
    lim_body body;
} border_context;

static lim_result try_world(void* context, const void* desc) {
    lim_world* world = NULL;
    lim_result result = lim_world_create(desc, &((border_context*)context)->host, &world);
    CHECK((result == LIM_OK) == (world != NULL));
    lim_world_destroy(world);
    return result;
}

static lim_result try_model(void* context, const void* desc) {
    border_context* c = context;
    lim_model* model = NULL;
    lim_result result = lim_model_create(c->mesh, desc, &c->host, &model);
    CHECK((result == LIM_OK) == (model != NULL));
    lim_model_destroy(model);
    return result;
}

static lim_result try_body(void* context, const void* desc) {
    border_context* c = context;
    uint64_t before = lim_world_hash(c->world);
    lim_body body;
    lim_result result = lim_body_create(c->world, desc, &body);
    if (result == LIM_OK) {
        CHECK(lim_body_destroy(c->world, body) == LIM_OK);
    } else {
        CHECK(body.generation == 0 && lim_world_hash(c->world) == before);
    }
    return result;
}

static lim_result try_collider(void* context, const void* desc) {
    border_context* c = context;
    uint64_t before = lim_world_hash(c->world);
    lim_collider collider;
    lim_result result = lim_collider_create(c->world, desc, &collider);
    if (result == LIM_OK) {
        CHECK(lim_collider_destroy(c->world, collider) == LIM_OK);
    } else {
        CHECK(collider.generation == 0 && lim_world_hash(c->world) == before);
    }
    return result;
}

static lim_result try_pin(void* context, const void* desc) {
    border_context* c = context;
    uint64_t before = lim_world_hash(c->world);
    lim_pin pin;
    lim_result result = lim_pin_create(c->world, desc, &pin);
    if (result == LIM_OK) {
        CHECK(lim_pin_destroy(c->world, pin) == LIM_OK);
    } else {
        CHECK(pin.generation == 0 && lim_world_hash(c->world) == before);
    }
    return result;
}

static lim_result try_grab(void* context, const void* desc) {
    border_context* c = context;
    uint64_t before = lim_world_hash(c->world);
    lim_grab grab;
    lim_result result = lim_grab_create(c->world, desc, &grab);
    if (result == LIM_OK) {
        CHECK(lim_grab_destroy(c->world, grab) == LIM_OK);
    } else {
        CHECK(grab.generation == 0 && lim_world_hash(c->world) == before);
    }
    return result;
}

static void every_field_of_every_descriptor_is_judged(void) {
    log_book book = {0};
    border_context c = {.host = {.log = keep_line, .user = &book}};
    CHECK(kit_mesh(NULL, &c.mesh) == LIM_OK);
    lim_model* model = kit_model(30, NULL);
    c.world = kit_world(&c.host, 1);
    c.body = kit_body(c.world, model, 0, 1);

    static const field world_fields[] = {V(lim_world_desc, gravity),
                                         I(lim_world_desc, substeps, ALL_BAD),
                                         I(lim_world_desc, workers, ALL_BAD),
                                         F(lim_world_desc, fixed_dt, ALL_BAD),
                                         I(lim_world_desc, advance_limit, ALL_BAD),
                                         F(lim_world_desc, load_time, NEGATIVE_BAD | HUGE_BAD),
                                         F(lim_world_desc, impact, NEGATIVE_BAD | HUGE_BAD)};
    lim_world_desc world = lim_world_desc_default();
    try_fields("lim_world_create", &world, sizeof world, world_fields,
               sizeof world_fields / sizeof *world_fields, try_world, &c, &book);

    static const field model_fields[] = {I(lim_model_desc, node_count, ALL_BAD),
                                         F(lim_model_desc, cell_size, NEGATIVE_BAD | HUGE_BAD),
                                         D(lim_model_desc, scale, ALL_BAD),
                                         F(lim_model_desc, region_width, ALL_BAD),
                                         F(lim_model_desc, young, NEGATIVE_BAD | HUGE_BAD),
                                         F(lim_model_desc, density, ALL_BAD),
                                         F(lim_model_desc, step, ALL_BAD)};
    lim_model_desc model_desc = lim_model_desc_default();
    model_desc.node_count = 20;
    try_fields("lim_model_create", &model_desc, sizeof model_desc, model_fields,
               sizeof model_fields / sizeof *model_fields, try_model, &c, &book);

    static const field body_fields[] = {
        P(lim_body_desc, position),
        Q(lim_body_desc, orientation),
        F(lim_body_desc, scale, ALL_BAD),
        F(lim_body_desc, material.density, ALL_BAD),
        F(lim_body_desc, material.young, ALL_BAD),
        F(lim_body_desc, material.viscosity, NEGATIVE_BAD | HUGE_BAD),
        F(lim_body_desc, material.damping_time, NEGATIVE_BAD | HUGE_BAD),
        F(lim_body_desc, material.rolling_time, NEGATIVE_BAD),
        F(lim_body_desc, material.friction, NEGATIVE_BAD | HUGE_BAD),
        F(lim_body_desc, material.air_drag, NEGATIVE_BAD | HUGE_BAD),
        F(lim_body_desc, material.restitution, NEGATIVE_BAD | HUGE_BAD),
        V(lim_body_desc, velocity),
        V(lim_body_desc, angular_velocity),
        F(lim_body_desc, gravity_scale, HUGE_BAD)};
    lim_body_desc body = lim_body_desc_default();
    body.model = model;
    body.position = (lim_point){3, 1, 0};
    try_fields("lim_body_create", &body, sizeof body, body_fields,
               sizeof body_fields / sizeof *body_fields, try_body, &c, &book);

    static const field collider_fields[] = {
        F(lim_collider_desc, size.x, ALL_BAD),
        F(lim_collider_desc, size.y, ALL_BAD),
        F(lim_collider_desc, size.z, ALL_BAD),
        P(lim_collider_desc, position),
        Q(lim_collider_desc, orientation),
        V(lim_collider_desc, velocity),
        V(lim_collider_desc, angular_velocity),
        F(lim_collider_desc, friction, NEGATIVE_BAD | HUGE_BAD),
        F(lim_collider_desc, restitution, NEGATIVE_BAD | HUGE_BAD),
        I(lim_collider_desc, shape, ALL_BAD)};
    lim_collider_desc collider = lim_collider_desc_default();
    collider.shape = LIM_SHAPE_BOX;
    try_fields("lim_collider_create", &collider, sizeof collider, collider_fields,
               sizeof collider_fields / sizeof *collider_fields, try_collider, &c, &book);

    static const field pin_fields[] = {
        F(lim_pin_desc, size.x, ALL_BAD), F(lim_pin_desc, size.y, ALL_BAD),
        F(lim_pin_desc, size.z, ALL_BAD), P(lim_pin_desc, position),
        Q(lim_pin_desc, orientation),     I(lim_pin_desc, shape, ALL_BAD)};
    lim_pin_desc pin = lim_pin_desc_default();
    pin.body = c.body;
    pin.shape = LIM_SHAPE_BOX;
    pin.size = (lim_vec3){1, 1, 1};
    pin.position = (lim_point){0, 1, 0};
    try_fields("lim_pin_create", &pin, sizeof pin, pin_fields,
               sizeof pin_fields / sizeof *pin_fields, try_pin, &c, &book);
    pin.shape = LIM_SHAPE_PLANE;
    CHECK(try_pin(&c, &pin) == LIM_ERROR_ARGUMENT);
    pin.shape = LIM_SHAPE_SPHERE;
    pin.position = (lim_point){0, 50, 0}; /* no material there */
    CHECK(try_pin(&c, &pin) == LIM_ERROR_ARGUMENT);

    static const field grab_fields[] = {P(lim_grab_desc, point),
                                        F(lim_grab_desc, radius, NEGATIVE_BAD | HUGE_BAD),
                                        F(lim_grab_desc, stiffness, NEGATIVE_BAD | HUGE_BAD),
                                        F(lim_grab_desc, force_limit, NEGATIVE_BAD | HUGE_BAD)};
    lim_grab_desc grab = lim_grab_desc_default();
    grab.body = c.body;
    try_fields("lim_grab_create", &grab, sizeof grab, grab_fields,
               sizeof grab_fields / sizeof *grab_fields, try_grab, &c, &book);

    /* The text names field, value and cure. */
    body.material.young = -3.0f;
    CHECK(try_body(&c, &body) == LIM_ERROR_ARGUMENT);
    CHECK(strcmp(book.last,
                 "lim_body_create: material.young is -3; give a modulus in pascal above 0") == 0);
    body.material.young = 1e4f;
    body.model = NULL;
    CHECK(try_body(&c, &body) == LIM_ERROR_ARGUMENT);
    lim_world_destroy(c.world);
    lim_model_destroy(model);
    lim_mesh_destroy(c.mesh);
}

static void values_of_other_calls_are_judged(void) {
    lim_model* model = kit_model(30, NULL);
    kit_scene s = kit_everything(model, model, NULL, 1);
    lim_world* w = s.world;
    lim_body b = s.body[0];
    kit_everything_steps(&s, 0, 3);
    uint64_t before = lim_world_hash(w);
    lim_quat one = {0, 0, 0, 1}, none = {0};
    lim_point here = {0, 1, 0}, far = {0, 2e9, 0}, nowhere = {0, NAN, 0};
    lim_vec3 still = {0}, wrong = {0, NAN, 0};
    int32_t nodes = lim_model_get_info(model).nodes;
    double* x = calloc((size_t)nodes * 3, sizeof *x);
    float* v = calloc((size_t)nodes * 3, sizeof *v);
    CHECK(lim_world_step(w, 0.0f) == LIM_ERROR_ARGUMENT);
    CHECK(lim_world_step(w, -1.0f) == LIM_ERROR_ARGUMENT);
    CHECK(lim_world_step(w, NAN) == LIM_ERROR_ARGUMENT);
    CHECK(lim_world_step(w, 11.0f) == LIM_ERROR_ARGUMENT);
    CHECK(lim_world_advance(w, NAN, NULL) == LIM_ERROR_ARGUMENT);
    CHECK(lim_world_advance(w, -1.0f, NULL) == LIM_ERROR_ARGUMENT);
    CHECK(lim_world_set_gravity(w, wrong) == LIM_ERROR_ARGUMENT);
    CHECK(lim_world_set_wind(w, (lim_wind){wrong, 0, 1, 1}) == LIM_ERROR_ARGUMENT);
    CHECK(lim_world_set_wind(w, (lim_wind){still, 5, 1, 1}) == LIM_ERROR_ARGUMENT);
    CHECK(lim_world_set_wind(w, (lim_wind){still, 0, 0, 1}) == LIM_ERROR_ARGUMENT);
    CHECK(lim_world_set_wind(w, (lim_wind){still, 0, 1, -1}) == LIM_ERROR_ARGUMENT);
    CHECK(lim_body_teleport(w, b, far, one) == LIM_ERROR_ARGUMENT);
    CHECK(lim_body_teleport(w, b, nowhere, one) == LIM_ERROR_ARGUMENT);
    CHECK(lim_body_teleport(w, b, here, none) == LIM_ERROR_ARGUMENT);
    CHECK(lim_body_set_velocity(w, b, wrong, still) == LIM_ERROR_ARGUMENT);
    CHECK(lim_body_set_velocity(w, b, still, wrong) == LIM_ERROR_ARGUMENT);
    CHECK(lim_body_apply_impulse(w, b, here, wrong) == LIM_ERROR_ARGUMENT);
    CHECK(lim_body_apply_impulse(w, b, nowhere, still) == LIM_ERROR_ARGUMENT);
    CHECK(lim_body_apply_impulse(w, b, here, (lim_vec3){1e12f, 0, 0}) == LIM_ERROR_ARGUMENT);
    CHECK(lim_body_set_gravity_scale(w, b, NAN) == LIM_ERROR_ARGUMENT);
    CHECK(lim_body_get_nodes(w, b, x, v, nodes + 1) == LIM_ERROR_ARGUMENT);
    CHECK(lim_body_set_nodes(w, b, x, v, nodes - 1) == LIM_ERROR_ARGUMENT);
    x[3 * (nodes - 1)] = NAN;
    CHECK(lim_body_set_nodes(w, b, x, NULL, nodes) == LIM_ERROR_ARGUMENT);
    v[5] = INFINITY;
    CHECK(lim_body_set_nodes(w, b, NULL, v, nodes) == LIM_ERROR_ARGUMENT);
    CHECK(lim_collider_move(w, s.collider[1], nowhere, one, still, still) == LIM_ERROR_ARGUMENT);
    CHECK(lim_collider_move(w, s.collider[1], here, none, still, still) == LIM_ERROR_ARGUMENT);
    CHECK(lim_collider_move(w, s.collider[1], here, one, wrong, still) == LIM_ERROR_ARGUMENT);
    CHECK(lim_pin_move(w, s.pin, nowhere, one) == LIM_ERROR_ARGUMENT);
    CHECK(lim_pin_move(w, s.pin, here, none) == LIM_ERROR_ARGUMENT);
    CHECK(lim_grab_move(w, s.grab, nowhere) == LIM_ERROR_ARGUMENT);
    lim_hit hit;
    CHECK(lim_world_pick(w, here, still, 10, &hit) == LIM_ERROR_ARGUMENT);
    CHECK(lim_world_pick(w, here, wrong, 10, &hit) == LIM_ERROR_ARGUMENT);
    CHECK(lim_world_pick(w, nowhere, (lim_vec3){1, 0, 0}, 10, &hit) == LIM_ERROR_ARGUMENT);
    CHECK(lim_world_pick(w, here, (lim_vec3){1, 0, 0}, NAN, &hit) == LIM_ERROR_ARGUMENT);
    CHECK(lim_body_closest_point(w, b, nowhere, &hit) == LIM_ERROR_ARGUMENT);
    float skin[3];
    CHECK(lim_body_write_skin(w, b, here, skin, 12, NULL, 0, 1) == LIM_ERROR_ARGUMENT);
    CHECK(lim_body_get_strain(w, b, skin, 1) == LIM_ERROR_ARGUMENT);
    int32_t lines;
    CHECK(lim_body_debug_draw(w, b, 0xFFFF, 0, here, NULL, 0, &lines, NULL, 0, NULL) ==
          LIM_ERROR_ARGUMENT);
    CHECK(lim_body_debug_draw(w, b, LIM_DEBUG_REGION, nodes, here, NULL, 0, &lines, NULL, 0,
                              NULL) == LIM_ERROR_ARGUMENT);
    CHECK(lim_body_debug_draw(w, b, LIM_DEBUG_NODES, 0, here, NULL, 5, &lines, NULL, 0, NULL) ==
          LIM_ERROR_ARGUMENT);
    CHECK(lim_world_hash(w) == before);
    /* A zeroed wind is calm. */
    CHECK(lim_world_set_wind(w, (lim_wind){{0, 0, 0}, 0, 0, 0}) == LIM_OK);
    free(x);
    free(v);
    lim_world_destroy(w);
    lim_model_destroy(model);
}

static void null_pointers_are_refused_everywhere(void) {
    lim_model* model = kit_model(20, NULL);
    kit_scene s = kit_everything(model, model, NULL, 1);
    lim_world* w = s.world;
    lim_body b = s.body[0];
    lim_point p = {0};
    lim_quat q = {0, 0, 0, 1};
    lim_vec3 v = {0};
    lim_world_desc world_desc = lim_world_desc_default();
    lim_body_desc body_desc = lim_body_desc_default();
    lim_collider_desc collider_desc = lim_collider_desc_default();
    lim_pin_desc pin_desc = lim_pin_desc_default();
    lim_grab_desc grab_desc = lim_grab_desc_default();
    lim_model_desc model_desc = lim_model_desc_default();
    lim_mesh* mesh = NULL;
    CHECK(kit_mesh(NULL, &mesh) == LIM_OK);
    lim_world* new_world = NULL;
    lim_model* new_model = NULL;
    lim_body new_body;
    lim_collider new_collider;
    lim_pin new_pin;
    lim_grab new_grab;
    lim_snapshot* shot = NULL;
    lim_hit hit;
    lim_skin_view skin;
    lim_body_motion motion;
    lim_material material;
    lim_body_limits limits;
    size_t size = 0;
    uint64_t before = lim_world_hash(w);
#define REFUSED(call) CHECK((call) == LIM_ERROR_ARGUMENT)
    REFUSED(lim_world_create(NULL, NULL, &new_world));
    REFUSED(lim_world_create(&world_desc, NULL, NULL));
    REFUSED(lim_world_step(NULL, 0.01f));
    REFUSED(lim_world_advance(NULL, 0.01f, NULL));
    REFUSED(lim_world_set_gravity(NULL, v));
    REFUSED(lim_world_set_wind(NULL, (lim_wind){0}));
    REFUSED(lim_snapshot_create(NULL, &shot));
    REFUSED(lim_snapshot_create(w, NULL));
    REFUSED(lim_snapshot_restore(NULL, shot));
    REFUSED(lim_snapshot_restore(w, NULL));
    REFUSED(lim_world_save(NULL, NULL, 0, &size));
    REFUSED(lim_world_save(w, NULL, 0, NULL));
    REFUSED(lim_world_load(NULL, 10, 1, NULL, &new_world));
    REFUSED(lim_world_load("x", 1, 1, NULL, NULL));
    REFUSED(lim_world_load("x", 1, 0, NULL, &new_world));
    REFUSED(lim_model_create(NULL, &model_desc, NULL, &new_model));
    REFUSED(lim_model_create(mesh, NULL, NULL, &new_model));
    REFUSED(lim_model_create(mesh, &model_desc, NULL, NULL));
    REFUSED(lim_model_save(NULL, NULL, 0, &size));
    REFUSED(lim_model_save(model, NULL, 0, NULL));
    REFUSED(lim_model_load(NULL, 1, NULL, &new_model));
    REFUSED(lim_model_load("x", 1, NULL, NULL));
    REFUSED(lim_body_create(NULL, &body_desc, &new_body));
    REFUSED(lim_body_create(w, NULL, &new_body));
    REFUSED(lim_body_create(w, &body_desc, NULL));
    REFUSED(lim_body_destroy(NULL, b));
    REFUSED(lim_body_set_material(NULL, b, &material));
    REFUSED(lim_body_set_material(w, b, NULL));
    REFUSED(lim_body_get_material(NULL, b, &material));
    REFUSED(lim_body_get_material(w, b, NULL));
    REFUSED(lim_body_set_gravity_scale(NULL, b, 1));
    REFUSED(lim_body_set_enabled(NULL, b, true));
    REFUSED(lim_body_set_layer(NULL, b, 1, 1));
    REFUSED(lim_body_get(NULL, b, &body_desc));
    REFUSED(lim_body_get(w, b, NULL));
    REFUSED(lim_body_get_stiffness(NULL, b, NULL, 0));
    REFUSED(lim_body_get_stiffness(w, b, NULL, 0));
    REFUSED(lim_collider_set_layer(NULL, s.collider[0], 1, 1));
    REFUSED(lim_body_set_user(NULL, b, NULL));
    REFUSED(lim_body_set_trained_detail(NULL, b, NULL, 0));
    REFUSED(lim_body_get_limits(NULL, b, &limits));
    REFUSED(lim_body_get_limits(w, b, NULL));
    REFUSED(lim_body_reset(NULL, b));
    REFUSED(lim_body_teleport(NULL, b, p, q));
    REFUSED(lim_body_set_velocity(NULL, b, v, v));
    REFUSED(lim_body_apply_impulse(NULL, b, p, v));
    REFUSED(lim_body_wake(NULL, b));
    REFUSED(lim_body_get_motion(NULL, b, &motion));
    REFUSED(lim_body_get_motion(w, b, NULL));
    REFUSED(lim_body_get_nodes(NULL, b, NULL, NULL, 0));
    REFUSED(lim_body_set_nodes(NULL, b, NULL, NULL, 0));
    REFUSED(lim_body_get_skin(NULL, b, &skin));
    REFUSED(lim_body_get_skin(w, b, NULL));
    REFUSED(lim_body_write_skin(NULL, b, p, NULL, 0, NULL, 0, 0));
    REFUSED(lim_world_pick(NULL, p, v, 1, &hit));
    REFUSED(lim_world_pick(w, p, (lim_vec3){1, 0, 0}, 1, NULL));
    REFUSED(lim_body_closest_point(NULL, b, p, &hit));
    REFUSED(lim_body_closest_point(w, b, p, NULL));
    REFUSED(lim_collider_create(NULL, &collider_desc, &new_collider));
    REFUSED(lim_collider_create(w, NULL, &new_collider));
    REFUSED(lim_collider_create(w, &collider_desc, NULL));
    REFUSED(lim_collider_destroy(NULL, s.collider[0]));
    REFUSED(lim_collider_move(NULL, s.collider[0], p, q, v, v));
    REFUSED(lim_collider_get(NULL, s.collider[0], &collider_desc));
    REFUSED(lim_collider_get(w, s.collider[0], NULL));
    REFUSED(lim_pin_create(NULL, &pin_desc, &new_pin));
    REFUSED(lim_pin_create(w, NULL, &new_pin));
    REFUSED(lim_pin_create(w, &pin_desc, NULL));
    REFUSED(lim_pin_destroy(NULL, s.pin));
    REFUSED(lim_pin_move(NULL, s.pin, p, q));
    REFUSED(lim_grab_create(NULL, &grab_desc, &new_grab));
    REFUSED(lim_grab_create(w, NULL, &new_grab));
    REFUSED(lim_grab_create(w, &grab_desc, NULL));
    REFUSED(lim_grab_destroy(NULL, s.grab));
    REFUSED(lim_grab_move(NULL, s.grab, p));
    lim_load load;
    int32_t count;
    REFUSED(lim_grab_get_load(NULL, s.grab, &load));
    REFUSED(lim_grab_get_load(w, s.grab, NULL));
    REFUSED(lim_grab_get_point(NULL, s.grab, &p));
    REFUSED(lim_grab_get_point(w, s.grab, NULL));
    REFUSED(lim_pin_get_load(NULL, s.pin, &load));
    REFUSED(lim_pin_get_load(w, s.pin, NULL));
    REFUSED(lim_collider_get_load(NULL, s.collider[0], &load));
    REFUSED(lim_collider_get_load(w, s.collider[0], NULL));
    REFUSED(lim_world_get_contacts(NULL, NULL, 0, &count));
    REFUSED(lim_world_get_contacts(w, NULL, 1, &count));
    REFUSED(lim_world_get_events(NULL, NULL, 0, &count));
    REFUSED(lim_world_get_events(w, NULL, 1, &count));
    REFUSED(lim_body_debug_draw(NULL, b, 1, 0, p, NULL, 0, NULL, NULL, 0, NULL));
    REFUSED(lim_body_get_strain(NULL, b, NULL, 0));
    REFUSED(lim_body_get_strain(w, b, NULL, 0));
    REFUSED(lim_body_get_node_strain(NULL, b, NULL, NULL, NULL, 0));
    REFUSED(lim_body_get_node_strain(w, b, NULL, NULL, NULL, -1));
#undef REFUSED
    lim_world_destroy(NULL);
    lim_snapshot_destroy(NULL);
    lim_model_destroy(NULL);
    CHECK(lim_world_hash(NULL) == 0 && lim_snapshot_size(NULL) == 0);
    CHECK(lim_world_get_report(NULL).bodies == 0 && lim_world_get_gravity(NULL).y == 0.0f);
    CHECK(!lim_body_is_valid(NULL, b) && lim_body_next(NULL, b).generation == 0);
    CHECK(lim_collider_next(NULL, s.collider[0]).generation == 0);
    CHECK(!lim_collider_is_valid(NULL, s.collider[0]));
    CHECK(!lim_pin_is_valid(NULL, s.pin) && !lim_grab_is_valid(NULL, s.grab));
    CHECK(lim_pin_node_count(NULL, s.pin) == 0);
    CHECK(lim_model_get_info(NULL).nodes == 0 && lim_model_get_nodes(NULL).count == 0);
    CHECK(lim_model_get_surface(NULL).vertex_count == 0);
    CHECK(lim_model_get_region(NULL, 0, NULL, NULL, 0) == 0);
    CHECK(lim_world_hash(w) == before);
    lim_host half = {.alloc = failing_alloc};
    CHECK(lim_world_create(&world_desc, &half, &new_world) == LIM_ERROR_ARGUMENT);
    lim_mesh_destroy(mesh);
    lim_world_destroy(w);
    lim_model_destroy(model);
}

TEST_SUITE(world_border) {
    TEST_BEGIN(argc, argv);
    RUN(every_field_of_every_descriptor_is_judged);
    RUN(values_of_other_calls_are_judged);
    RUN(null_pointers_are_refused_everywhere);
    TEST_END();
}
