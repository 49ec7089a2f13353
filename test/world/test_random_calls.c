/* SPDX-License-Identifier: MIT
 * Random calls with valid, stale and made-up ids and values from sane to the largest that are
 * taken, and beyond: nothing crashes, a call that fails leaves the hash as it was, nothing leaks,
 * and after every call the world can be saved and loaded, and a snapshot of it restored, with all
 * its bytes.
 */
#include "base/random.h"
#include "world_kit.h"

enum { KEEP = 3, MODELS = 6 };

typedef struct player {
    lim_world* world;
    lim_model* models[MODELS];
    random_stream r;
    lim_body bodies[KEEP];
    lim_collider colliders[KEEP];
    lim_pin pins[KEEP];
    lim_grab grabs[KEEP];
    lim_link links[KEEP];
    lim_snapshot* shot;
    int sane; /* one value of so many of the present call is not; 0: all are */
    int failed, passed, cut, pieces, levels, torn;
} player;

/* The limits that the headers name, and numbers between them. */
static float extreme(player* p) {
    static const float limit[] = {1e-9f, 1e-6f, 1e-3f, 1.0f, 1e3f, 1e6f, 1e9f, 1e12f, 1e15f};
    float x = limit[random_index(&p->r, 9)];
    x *= random_index(&p->r, 2) == 0 ? 1.0f : random_range(&p->r, 0.01f, 1.0f);
    return random_index(&p->r, 2) == 0 ? x : -x;
}
static float wild(player* p, float size) {
    switch (p->sane > 0 ? random_index(&p->r, p->sane) : 6) {
    case 0:
        return NAN;
    case 1:
        return INFINITY;
    case 2:
        return -1e30f;
    case 3:
        return 0.0f;
    case 4:
    case 5:
        return extreme(p); /* may be good */
    default:
        return random_range(&p->r, -size, size);
    }
}
static float wild_up(player* p, float size) {
    float x = wild(p, size);
    return p->sane > 0 && random_index(&p->r, 12) == 0 ? x : fabsf(x);
}
static lim_vec3 wild_vec(player* p, float size) {
    lim_vec3 v;
    v.x = wild(p, size);
    v.y = wild(p, size);
    v.z = wild(p, size);
    return v;
}
static lim_point wild_point(player* p) {
    lim_point x;
    x.x = (double)wild(p, 1);
    x.y = (double)wild(p, 1) + 0.5;
    x.z = (double)wild(p, 1);
    return x;
}
static lim_quat wild_quat(player* p) {
    lim_quat q = {0};
    q.x = wild(p, 1);
    q.y = wild(p, 1);
    q.z = wild(p, 1);
    q.w = wild(p, 1);
    return q;
}
static uint32_t wild_number(player* p) {
    return random_index(&p->r, 2) != 0 ? (uint32_t)random_u64(&p->r)
                                       : (uint32_t)random_index(&p->r, 8);
}

/* One of those ever made (alive or stale), or anything. */
#define PICK_ID(type, list)                                                                        \
    static type any_##list(player* p) {                                                            \
        if (random_index(&p->r, 15) == 0) {                                                        \
            type id = {0, 0};                                                                      \
            id.index = wild_number(p);                                                             \
            id.generation = wild_number(p);                                                        \
            return id;                                                                             \
        }                                                                                          \
        return p->list[random_index(&p->r, KEEP)];                                                 \
    }
PICK_ID(lim_body, bodies)
PICK_ID(lim_collider, colliders)
PICK_ID(lim_pin, pins)
PICK_ID(lim_grab, grabs)
PICK_ID(lim_link, links)

/* Arrays that hulls, meshes and height fields are made of; some are no such thing. */
static void fill_shape(player* p, lim_collider_desc* c, lim_vec3* points, float* heights) {
    static const uint32_t faces[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    float size = random_range(&p->r, 0.2f, 2.0f);
    for (int i = 0; i < 4; ++i) {
        points[i] = (lim_vec3){i == 1 ? size : 0.0f, i == 3 ? size : 0.0f, i == 2 ? size : 0.0f};
    }
    for (int i = 0; i < 9; ++i) {
        heights[i] = random_range(&p->r, -0.3f, 0.3f);
    }
    if (random_index(&p->r, 10) == 0) {
        points[random_index(&p->r, 4)] = wild_vec(p, 1);
        heights[random_index(&p->r, 9)] = wild(p, 1);
    }
    c->points = points;
    c->point_count = 4;
    c->indices = faces;
    c->triangle_count = 4 - random_index(&p->r, 2); /* closed, or a sheet */
    c->heights = heights;
    c->columns = c->rows = 3;
}

static lim_material wild_material(player* p) {
    lim_material m = lim_material_default();
    m.density = wild_up(p, 3000);
    m.young = wild_up(p, 1e5f);
    m.viscosity = wild_up(p, 100);
    m.restitution = random_index(&p->r, 2) == 0 ? 0.0f : wild_up(p, 1);
    m.damping_every = 1 + random_index(&p->r, 4);
    m.goal = (lim_goal)(random_index(&p->r, 3) == 0 ? random_index(&p->r, 3) : 0);
    m.alpha = random_index(&p->r, 6) == 0 ? wild_up(p, 1) : 0.0f;
    m.volume = random_index(&p->r, 4) == 0 ? wild_up(p, 1) : 0.0f;
    m.pressure = random_index(&p->r, 6) == 0 ? wild(p, 1e4f) : 0.0f;
    m.friction = random_index(&p->r, 3) == 0 ? wild_up(p, 1) : m.friction;
    if (random_index(&p->r, 4) == 0 && m.goal != LIM_GOAL_QUADRATIC) {
        m.yield = wild_up(p, 0.1f);
        m.max_strain = wild_up(p, 3);
        m.hardening = wild_up(p, 1);
    }
    return m;
}

static lim_result make(player* p, int what) {
    int slot = random_index(&p->r, KEEP);
    lim_body_desc body = lim_body_desc_default();
    lim_collider_desc collider = lim_collider_desc_default();
    lim_pin_desc pin = lim_pin_desc_default();
    lim_grab_desc grab = lim_grab_desc_default();
    lim_link_desc link = lim_link_desc_default();
    lim_vec3 points[4];
    float heights[9];
    lim_result r = LIM_OK;
    lim_body b;
    lim_collider c;
    lim_pin n;
    lim_grab g;
    lim_link l;
    switch (what) {
    case 0:
        if (lim_body_is_valid(p->world, p->bodies[slot])) {
            return lim_body_destroy(p->world, p->bodies[slot]); /* never more than KEEP bodies */
        }
        body.model = p->models[random_index(&p->r, p->sane > 0 ? MODELS : MODELS - 1)];
        body.model = p->sane > 0 && random_index(&p->r, 8) == 0 ? NULL : body.model;
        body.position = wild_point(p);
        body.orientation = wild_quat(p);
        body.scale = random_index(&p->r, 3) == 0 ? wild_up(p, 3) : 1.0f;
        body.material = wild_material(p);
        body.velocity = wild_vec(p, 5);
        body.angular_velocity = wild_vec(p, 5);
        body.self_contact = random_index(&p->r, 4) == 0;
        body.layer = random_index(&p->r, 10) == 0 ? wild_number(p) : 1;
        body.cookie += random_index(&p->r, 30) == 0;
        r = lim_body_create(p->world, &body, &b);
        p->bodies[slot] = r == LIM_OK ? b : p->bodies[slot];
        return r;
    case 1:
        if (p->colliders[slot].generation != 0) {
            (void)lim_collider_destroy(p->world, p->colliders[slot]);
        }
        collider.shape = (lim_shape)random_index(&p->r, 9);
        collider.size.x = wild_up(p, 1);
        collider.size.y = wild_up(p, 1);
        collider.size.z = wild_up(p, 1);
        collider.position = wild_point(p);
        collider.velocity = wild_vec(p, 2);
        collider.angular_velocity = wild_vec(p, 3);
        collider.restitution = random_index(&p->r, 2) == 0 ? 0.0f : wild_up(p, 1);
        fill_shape(p, &collider, points, heights);
        r = lim_collider_create(p->world, &collider, &c);
        p->colliders[slot] = r == LIM_OK ? c : p->colliders[slot];
        return r;
    case 2:
        pin.body = any_bodies(p);
        pin.shape = (lim_shape)random_index(&p->r, 6);
        pin.size.x = wild_up(p, 2);
        pin.size.y = wild_up(p, 2);
        pin.size.z = wild_up(p, 2);
        pin.position = wild_point(p);
        pin.stiffness = random_index(&p->r, 2) == 0 ? wild_up(p, 1e5f) : 0.0f;
        r = lim_pin_create(p->world, &pin, &n);
        p->pins[slot] = r == LIM_OK ? n : p->pins[slot];
        return r;
    case 3:
        link.body = any_bodies(p);
        link.other = any_bodies(p);
        link.shape = (lim_shape)random_index(&p->r, 6);
        link.size.x = wild_up(p, 3);
        link.size.y = wild_up(p, 3);
        link.size.z = wild_up(p, 3);
        link.position = wild_point(p);
        link.stiffness = random_index(&p->r, 2) == 0 ? wild_up(p, 1e5f) : 0.0f;
        link.force_limit = random_index(&p->r, 2) == 0 ? wild_up(p, 1e4f) : 0.0f;
        r = lim_link_create(p->world, &link, &l);
        p->links[slot] = r == LIM_OK ? l : p->links[slot];
        return r;
    default:
        grab.body = any_bodies(p);
        grab.point = wild_point(p);
        grab.radius = wild_up(p, 0.5f);
        grab.stiffness = wild_up(p, 1e4f);
        grab.force_limit = random_index(&p->r, 3) == 0 ? 0.0f : wild_up(p, 1e3f);
        grab.hard = random_index(&p->r, 2) == 0;
        r = lim_grab_create(p->world, &grab, &g);
        p->grabs[slot] = r == LIM_OK ? g : p->grabs[slot];
        return r;
    }
}

/* Nodes of their own: factors of stiffness, or places and velocities. */
static lim_result set_nodes(player* p, lim_body b) {
    enum { MOST = 512 };
    float factor[MOST], velocity[3 * MOST];
    double place[3 * MOST];
    lim_model* model = NULL;
    (void)lim_body_get_model(p->world, b, &model);
    int32_t count = model != NULL ? lim_model_get_info(model).nodes : 8;
    lim_model_destroy(model);
    count = count < MOST ? count : MOST;
    if (random_index(&p->r, 2) == 0) {
        for (int32_t i = 0; i < count; ++i) {
            factor[i] = wild_up(p, 2);
        }
        return lim_body_set_stiffness(p->world, b, random_index(&p->r, 4) == 0 ? NULL : factor,
                                      count);
    }
    memset(place, 0, sizeof place);
    memset(velocity, 0, sizeof velocity);
    (void)lim_body_get_nodes(p->world, b, place, velocity, count);
    for (int k = 0; k < 3; ++k) {
        place[random_index(&p->r, 3 * count)] += (double)wild(p, 0.2f);
        velocity[random_index(&p->r, 3 * count)] = wild(p, 10);
    }
    return lim_body_set_nodes(p->world, b, random_index(&p->r, 2) == 0 ? NULL : place, velocity,
                              count);
}

static lim_result change(player* p, int what) {
    lim_body b = any_bodies(p);
    lim_wind wind = {{0, 0, 0}, 0, 0, 0};
    lim_zone zone = lim_zone_default();
    lim_material m;
    /* One by one: the order in which arguments are worked out differs between compilers. */
    lim_point at = wild_point(p);
    lim_quat turn = wild_quat(p);
    lim_vec3 push = wild_vec(p, 50), velocity = wild_vec(p, 5), spin = wild_vec(p, 3);
    switch (what) {
    case 0:
        return lim_body_destroy(p->world, b);
    case 1:
        return lim_collider_destroy(p->world, any_colliders(p));
    case 2:
        return lim_pin_destroy(p->world, any_pins(p));
    case 3:
        return lim_grab_destroy(p->world, any_grabs(p));
    case 4:
        return lim_pin_move(p->world, any_pins(p), at, turn);
    case 5:
        return lim_grab_move(p->world, any_grabs(p), at);
    case 6:
        return lim_collider_move(p->world, any_colliders(p), at, turn, velocity, spin);
    case 7:
        return lim_body_teleport(p->world, b, at, turn);
    case 8:
        return lim_body_set_velocity(p->world, b, velocity, spin);
    case 9:
        return lim_body_apply_impulse(p->world, b, at, push);
    case 10:
        m = wild_material(p);
        return lim_body_set_material(p->world, b, &m);
    case 11:
        return lim_body_set_gravity_scale(p->world, b, wild(p, 2));
    case 12:
        return lim_body_set_enabled(p->world, b, random_index(&p->r, 3) != 0);
    case 13:
        return lim_body_reset(p->world, b);
    case 14:
        wind.velocity = wild_vec(p, 10);
        wind.gust = wild_up(p, 4);
        wind.gust_size = wild_up(p, 2);
        wind.density = wild_up(p, 1.5f);
        return lim_world_set_wind(p->world, wind);
    case 15:
        zone.position = wild_point(p);
        zone.orientation = turn;
        zone.size.x = wild_up(p, 1);
        zone.fade = wild_up(p, 0.5f);
        zone.stiffness = wild_up(p, 4);
        return lim_body_set_zones(p->world, b, &zone, random_index(&p->r, 3) != 0);
    case 17: {
        lim_point half = {2, 2, 2};
        lim_box box = {{at.x - half.x, at.y - half.y, at.z - half.z},
                       {at.x + half.x, at.y + half.y, at.z + half.z}};
        return lim_world_set_range(p->world, random_index(&p->r, 4) == 0 ? &box : NULL);
    }
    case 16:
        push = wild_vec(p, 5);
        push.y -= 9.81f;
        return lim_world_set_gravity(p->world, push);
    case 18:
        return lim_link_destroy(p->world, any_links(p));
    case 19:
        return set_nodes(p, b);
    default:
        return lim_body_wake(p->world, b);
    }
}

/* Bodies under the knife, and cells of other sizes. */
static lim_result edit(player* p, int what) {
    lim_body b = any_bodies(p);
    for (int i = 0; i < 12 && !lim_body_is_valid(p->world, b); ++i) {
        b = any_bodies(p);
    }
    lim_cut_desc cut = lim_cut_desc_default();
    lim_refine_desc cells = lim_refine_desc_default();
    lim_detail detail = lim_detail_default();
    lim_fracture fracture = lim_fracture_default();
    lim_zone seam = lim_zone_default();
    lim_world_detail eye = lim_world_detail_default();
    lim_body made[KEEP];
    lim_point tips[3], backs[3];
    lim_body_motion m;
    lim_edit_report report;
    int32_t count = 0;
    /* Mostly where the body is, or little would ever be cut. */
    bool near = random_index(&p->r, 4) != 0 && lim_body_get_motion(p->world, b, &m) == LIM_OK;
    lim_point at = near ? m.centre : wild_point(p);
    for (int i = 0; i < 3; ++i) {
        double down = 1.2 * (1 - i) * (random_index(&p->r, 3) == 0 ? 0.3 : 1.0);
        double lean = (double)random_range(&p->r, -0.1f, 0.1f);
        tips[i] = (lim_point){at.x + lean, at.y + down, at.z - 1.0};
        backs[i] = (lim_point){at.x + 0.05 * i, at.y + down + lean, at.z + 1.0};
    }
    backs[2].x += random_index(&p->r, 10) == 0 ? (double)wild(p, 3) : 0.0;
    lim_result r;
    switch (what) {
    case 0:
    case 1:
        cut.cookie += random_index(&p->r, 30) == 0;
        cut.count = 2 + random_index(&p->r, 2) - (random_index(&p->r, 20) == 0 ? 2 : 0);
        cut.tips = tips;
        cut.backs = random_index(&p->r, 30) == 0 ? NULL : backs;
        cut.continues = random_index(&p->r, 3) == 0;
        if (cut.continues && random_index(&p->r, 8) != 0) {
            (void)lim_body_get_stroke(p->world, b, &tips[0], &backs[0]);
        }
        cut.refine = random_index(&p->r, 20) - 18; /* below 0: refused */
        cut.refine = cut.refine < 0 && random_index(&p->r, 20) != 0 ? 0 : cut.refine;
        cut.inner_submesh = random_index(&p->r, 4) - 1;
        r = lim_body_cut(p->world, b, &cut, &report);
        p->cut += report.changed;
        return r;
    case 2:
        r = lim_body_split(p->world, b, made, KEEP, &count);
        count = r == LIM_OK ? count : 0;
        p->pieces += count;
        for (int32_t i = 0; i < count; ++i) { /* all are kept, or end */
            int slot = random_index(&p->r, KEEP);
            if (lim_body_is_valid(p->world, p->bodies[slot])) {
                (void)lim_body_destroy(p->world, made[i]);
            } else {
                p->bodies[slot] = made[i];
            }
        }
        return r;
    case 3:
    case 4:
        cells.shape =
            random_index(&p->r, 5) == 0 ? (lim_shape)random_index(&p->r, 6) : LIM_SHAPE_SPHERE;
        cells.position = at;
        cells.size = wild_vec(p, 1);
        cells.size.x = fabsf(cells.size.x);
        cells.cell_size = random_index(&p->r, 2) == 0 ? 0.2f + wild_up(p, 0.3f) : 0.0f;
        r = what == 3 ? lim_body_refine(p->world, b, &cells, &report)
                      : lim_body_coarsen(p->world, b, &cells, &report);
        p->levels += report.changed;
        return r;
    case 5:
        detail.angle = wild_up(p, 0.5f);
        detail.strain_fine = wild_up(p, 0.3f);
        detail.touch = detail.strain_fine;
        detail.nodes = 1 + random_index(&p->r, 60);
        detail.rest_coarse = random_index(&p->r, 2) == 0;
        return lim_body_set_detail(p->world, b, random_index(&p->r, 3) == 0 ? NULL : &detail);
    case 6:
        fracture.strain = wild_up(p, 0.3f);
        fracture.most = random_index(&p->r, 10);
        seam.position = at;
        seam.size.x = wild_up(p, 1);
        seam.stiffness = wild_up(p, 1);
        fracture.zones = &seam;
        fracture.zone_count = random_index(&p->r, 2);
        return lim_body_set_fracture(p->world, b, random_index(&p->r, 4) == 0 ? NULL : &fracture);
    default:
        eye.eye = at;
        eye.nodes = 100 + random_index(&p->r, 100);
        eye.work = random_index(&p->r, 100);
        return lim_world_set_detail(p->world, &eye);
    }
}

/* Questions change nothing, whatever they answer. */
static void ask(player* p) {
    uint64_t before = lim_world_hash(p->world);
    lim_body b = any_bodies(p);
    lim_body_motion motion;
    lim_skin_view skin;
    lim_hit hit;
    lim_load load;
    lim_contact contacts[8];
    lim_event events[8];
    lim_point at;
    lim_collider_desc collider;
    int32_t lines, points;
    (void)lim_body_get_motion(p->world, b, &motion);
    lim_point from = wild_point(p);
    lim_vec3 along = wild_vec(p, 1);
    uint32_t flags = (uint32_t)random_index(&p->r, 40);
    int32_t node = random_index(&p->r, 60) - 5;
    (void)lim_world_pick(p->world, from, along, 10.0, &hit);
    (void)lim_body_closest_point(p->world, b, wild_point(p), &hit);
    (void)lim_grab_get_load(p->world, any_grabs(p), &load);
    (void)lim_grab_get_point(p->world, any_grabs(p), &at);
    (void)lim_collider_get_load(p->world, any_colliders(p), &load);
    (void)lim_collider_get(p->world, any_colliders(p), &collider);
    (void)lim_pin_node_count(p->world, any_pins(p));
    (void)lim_pin_get_load(p->world, any_pins(p), &load);
    (void)lim_link_get_load(p->world, any_links(p), &load);
    (void)lim_link_get_gap(p->world, any_links(p), &along, NULL);
    lim_model* now = NULL;
    lim_detail detail;
    (void)lim_body_get_detail(p->world, b, &detail);
    (void)lim_body_get_origin(p->world, b, NULL, NULL, &lines);
    CHECK((lim_body_get_model(p->world, b, &now) == LIM_OK) == (now != NULL));
    lim_model_destroy(now);
    CHECK(lim_world_get_contacts(p->world, contacts, 8, &lines) == LIM_OK);
    CHECK(lim_world_get_events(p->world, events, 8, &points) == LIM_OK);
    (void)lim_body_debug_draw(p->world, b, flags, node, from, NULL, 0, &lines, NULL, 0, &points);
    if (lim_body_get_skin(p->world, b, &skin) == LIM_OK) {
        float* strain = malloc(sizeof(float) * (size_t)skin.vertex_count);
        CHECK(lim_body_get_strain(p->world, b, strain, skin.vertex_count) == LIM_OK);
        CHECK(lim_body_get_plastic(p->world, b, strain, skin.vertex_count) == LIM_OK);
        free(strain);
    }
    CHECK(lim_world_hash(p->world) == before);
}

static void count_step(player* p) {
    lim_event events[64];
    int32_t count = 0;
    CHECK(lim_world_get_events(p->world, events, 64, &count) == LIM_OK);
    for (int32_t i = 0; i < count && i < 64; ++i) {
        p->torn += events[i].kind == LIM_EVENT_TORN;
    }
}

static lim_result move_time(player* p, int what) {
    static const float odd[] = {1e-6f, 1e-3f, 0.1f, 0.5f, 3.0f, 10.0f};
    lim_result r = LIM_OK;
    float dt = 1.0f / 60.0f;
    switch (what) {
    case 0:
        dt = random_index(&p->r, 8) == 0 ? wild_up(p, 0.1f) : dt;
        dt = p->sane > 0 ? odd[random_index(&p->r, 6)] : dt;
        r = lim_world_step(p->world, dt);
        count_step(p);
        return r;
    case 1:
        return lim_world_advance(p->world, random_range(&p->r, 0.0f, 0.04f), NULL);
    case 2:
        lim_snapshot_destroy(p->shot);
        return lim_snapshot_create(p->world, &p->shot);
    default:
        return p->shot != NULL ? lim_snapshot_restore(p->world, p->shot) : LIM_OK;
    }
}

typedef struct bytes {
    size_t size;
    unsigned char* data;
} bytes;

static bytes save_of(const lim_world* world) {
    bytes b = {0, NULL};
    CHECK(lim_world_save(world, NULL, 0, &b.size) == LIM_OK);
    b.data = malloc(b.size);
    CHECK(b.data != NULL && lim_world_save(world, b.data, b.size, &b.size) == LIM_OK);
    return b;
}

static bool same_save(const lim_world* world, const bytes* as) {
    bytes b = save_of(world);
    bool same = b.size == as->size && memcmp(b.data, as->data, b.size) == 0;
    free(b.data);
    return same;
}

static bool restore_fresh(lim_world* world) {
    lim_snapshot* shot = NULL;
    bool good =
        lim_snapshot_create(world, &shot) == LIM_OK && lim_snapshot_restore(world, shot) == LIM_OK;
    lim_snapshot_destroy(shot);
    return good;
}

/* Saved and loaded, or restored, the world is the same to the last byte and goes on the same: null,
 * or what went wrong. The snapshot is the loaded world's: what is not state goes when it is
 * restored, and the world of the next calls keeps that. `again`: restored itself. */
static const char* detour(player* p, const lim_host* host, const bytes* b, lim_world** twin,
                          bool again, bool step) {
    uint64_t hash = lim_world_hash(p->world);
    if (lim_world_load(b->data, b->size, 1, host, twin) != LIM_OK) {
        return "is refused when loaded";
    }
    if (lim_world_hash(*twin) != hash || !same_save(*twin, b)) {
        return "is another when loaded";
    }
    if (!restore_fresh(*twin)) {
        return "is refused as a snapshot";
    }
    if (lim_world_hash(*twin) != hash || !same_save(*twin, b)) {
        return "is another when restored";
    }
    if (again && !(restore_fresh(p->world) && same_save(p->world, b))) {
        return "is another when it was restored itself";
    }
    if (step && !(lim_world_step(*twin, 1.0f / 60.0f) == LIM_OK &&
                  lim_world_step(p->world, 1.0f / 60.0f) == LIM_OK &&
                  lim_world_hash(*twin) == lim_world_hash(p->world))) {
        return "goes on as another when loaded";
    }
    return NULL;
}

static bool survives(player* p, const lim_host* host, int seed, int i) {
    bytes b = save_of(p->world);
    lim_world* twin = NULL;
    const char* wrong = detour(p, host, &b, &twin, seed % 3 == 0, i % 16 == 15);
    if (wrong != NULL) {
        printf("  after call %d of seed %d the world %s\n", i, seed, wrong);
    }
    lim_world_destroy(twin);
    free(b.data);
    return wrong == NULL;
}

static lim_result call(player* p, bool* compare) {
    int kind = random_index(&p->r, 24), what;
    p->sane = random_index(&p->r, 4) == 0 ? 20 + random_index(&p->r, 100) : 0;
    *compare = true;
    if (kind < 6) {
        what = random_index(&p->r, 5);
        *compare = what != 1; /* which may have made room first */
        return make(p, what);
    }
    if (kind < 13) {
        what = random_index(&p->r, 21);
        return change(p, what);
    }
    if (kind < 18) {
        what = kind == 17 ? 2 + random_index(&p->r, 2) : random_index(&p->r, 2);
        return move_time(p, what);
    }
    if (kind < 22) {
        what = random_index(&p->r, 8);
        return edit(p, what);
    }
    ask(p);
    return LIM_OK;
}

/* Models of one kind each, of few nodes under few triangles: a save costs little. */
static void make_models(player* p, const lim_host* host) {
    static const int kinds[MODELS] = {KIND_UNIFORM, KIND_LATTICE,  KIND_POINTS,
                                      KIND_UNIFORM, KIND_CLUSTERS, KIND_UNIFORM};
    static const double scale[MODELS] = {1, 1, 1, 1, 1, 1e-6};
    for (int k = 0; k < MODELS; ++k) {
        lim_mesh* mesh = NULL;
        lim_model_desc desc = lim_model_desc_default();
        desc.node_count = 8;
        desc.scale = scale[k];
        KIND_TABLE[kinds[k]].describe(&desc);
        CHECK(kit_ball(4, 5, NULL, &mesh) == LIM_OK);
        CHECK(lim_model_create(mesh, &desc, host, &p->models[k]) == LIM_OK);
        lim_mesh_destroy(mesh);
    }
}

static player play(uint64_t seed, int calls) {
    failing_host f;
    failing_host_arm(&f, -1);
    player p = {.world = kit_world(&f.host, 1), .r = random_seed(seed)};
    make_models(&p, &f.host);
    bool good = true;
    for (int i = 0; i < calls && good; ++i) {
        uint64_t before = lim_world_hash(p.world);
        bool compare;
        lim_result r = call(&p, &compare);
        r == LIM_OK ? p.passed++ : p.failed++;
        if (r != LIM_OK && compare && lim_world_hash(p.world) != before) {
            printf("  call %d of seed %d failed with %s and changed the world\n", i, (int)seed,
                   lim_result_name(r));
            good = false;
        }
        good = survives(&p, &f.host, (int)seed, i) && good;
    }
    CHECK(good);
    CHECK(p.passed > calls / 4 && p.failed > calls / 20);
    lim_snapshot_destroy(p.shot);
    lim_world_destroy(p.world);
    for (int k = 0; k < MODELS; ++k) {
        lim_model_destroy(p.models[k]);
    }
    CHECK(f.held == 0);
    return p;
}

static void random_calls_never_break_a_world(void) {
    const char* one = getenv("LIMBER_SEED"); /* that one alone */
    uint64_t seed = one != NULL ? strtoull(one, NULL, 10) : 1;
    uint64_t last = one != NULL ? seed : TEST_SANITIZED ? 5 : 20;
    int cuts = 0, pieces = 0, levels = 0, tears = 0;
    for (; seed <= last; ++seed) {
        player p = play(seed, test_long ? 10000 : 1000);
        cuts += p.cut;
        pieces += p.pieces;
        levels += p.levels;
        tears += p.torn;
    }
    printf("  %d cuts, %d pieces, %d changes of levels, %d tears\n", cuts, pieces, levels, tears);
    CHECK(one != NULL || last < 20 || (cuts > 30 && pieces > 2 && levels > 4 && tears > 8));
}

TEST_SUITE(world_random_calls) {
    TEST_BEGIN(argc, argv);
    RUN(random_calls_never_break_a_world);
    TEST_END();
}
