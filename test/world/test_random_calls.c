/* SPDX-License-Identifier: MIT
 * Random calls with valid, stale and made-up ids and values from sane to NaN: nothing crashes, a
 * call that fails leaves the hash as it was, nothing leaks, and the world can be saved and loaded
 * at any moment.
 */
#include "base/random.h"
#include "world_kit.h"

enum { KEEP = 24 };

typedef struct player {
    lim_world* world;
    lim_model* models[2];
    random_stream r;
    lim_body bodies[KEEP];
    lim_collider colliders[KEEP];
    lim_pin pins[KEEP];
    lim_grab grabs[KEEP];
    lim_link links[KEEP];
    lim_snapshot* shot;
    int failed, passed, cut, pieces, levels;
} player;

static float wild(player* p, float size) {
    switch (random_index(&p->r, 40)) {
    case 0:
        return NAN;
    case 1:
        return INFINITY;
    case 2:
        return -1e30f;
    case 3:
        return 0.0f;
    default:
        return random_range(&p->r, -size, size);
    }
}
static float wild_up(player* p, float size) {
    float x = wild(p, size);
    return random_index(&p->r, 12) == 0 ? x : fabsf(x);
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
    x.x = (double)wild(p, 4);
    x.y = (double)wild(p, 2) + 1.0;
    x.z = (double)wild(p, 4);
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

static lim_result make(player* p, int what) {
    int slot = random_index(&p->r, KEEP);
    lim_body_desc body = lim_body_desc_default();
    lim_collider_desc collider = lim_collider_desc_default();
    lim_pin_desc pin = lim_pin_desc_default();
    lim_grab_desc grab = lim_grab_desc_default();
    lim_link_desc link = lim_link_desc_default();
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
        body.model = random_index(&p->r, 20) == 0 ? NULL : p->models[random_index(&p->r, 2)];
        body.position = wild_point(p);
        body.orientation = wild_quat(p);
        body.scale = random_index(&p->r, 3) == 0 ? wild_up(p, 3) : 1.0f;
        body.material.young = wild_up(p, 1e5f);
        body.material.density = wild_up(p, 3000);
        body.velocity = wild_vec(p, 5);
        body.cookie += random_index(&p->r, 30) == 0;
        r = lim_body_create(p->world, &body, &b);
        p->bodies[slot] = r == LIM_OK ? b : p->bodies[slot];
        return r;
    case 1:
        if (p->colliders[slot].generation != 0) {
            (void)lim_collider_destroy(p->world, p->colliders[slot]);
        }
        collider.shape = (lim_shape)random_index(&p->r, 6);
        collider.size.x = wild_up(p, 1);
        collider.size.y = wild_up(p, 1);
        collider.size.z = wild_up(p, 1);
        collider.position = wild_point(p);
        collider.velocity = wild_vec(p, 2);
        collider.angular_velocity = wild_vec(p, 3);
        collider.restitution = random_index(&p->r, 2) == 0 ? 0.0f : wild_up(p, 1);
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

static lim_result change(player* p, int what) {
    lim_body b = any_bodies(p);
    lim_material m = lim_material_default();
    lim_wind wind = {{0, 0, 0}, 0, 0, 0};
    lim_zone zone = lim_zone_default();
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
        m.young = wild_up(p, 1e6f);
        m.viscosity = wild_up(p, 100);
        m.restitution = random_index(&p->r, 2) == 0 ? 0.0f : wild_up(p, 1);
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
        lim_point half = {4, 4, 4};
        lim_box box = {{at.x - half.x, at.y - half.y, at.z - half.z},
                       {at.x + half.x, at.y + half.y, at.z + half.z}};
        return lim_world_set_range(p->world, random_index(&p->r, 2) == 0 ? &box : NULL);
    }
    case 16:
        return lim_world_set_gravity(p->world, wild_vec(p, 10));
    case 18:
        return lim_link_destroy(p->world, any_links(p));
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
        cut.refine = random_index(&p->r, 4) - (random_index(&p->r, 20) == 0);
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
        cells.cell_size = random_index(&p->r, 2) == 0 ? wild_up(p, 0.5f) : 0.0f;
        r = what == 3 ? lim_body_refine(p->world, b, &cells, &report)
                      : lim_body_coarsen(p->world, b, &cells, &report);
        p->levels += report.changed;
        return r;
    case 5:
        detail.angle = wild_up(p, 0.5f);
        detail.strain_fine = wild_up(p, 0.3f);
        detail.nodes = random_index(&p->r, 300);
        detail.rest_coarse = random_index(&p->r, 2) == 0;
        return lim_body_set_detail(p->world, b, random_index(&p->r, 3) == 0 ? NULL : &detail);
    default:
        eye.eye = at;
        eye.nodes = random_index(&p->r, 2) * 500;
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

static lim_result move_time(player* p, int what) {
    switch (what) {
    case 0:
        return lim_world_step(p->world, random_index(&p->r, 8) == 0 ? wild(p, 0.1f) : 1.0f / 60.0f);
    case 1:
        return lim_world_advance(p->world, wild_up(p, 0.04f), NULL);
    case 2:
        lim_snapshot_destroy(p->shot);
        return lim_snapshot_create(p->world, &p->shot);
    default:
        return p->shot != NULL ? lim_snapshot_restore(p->world, p->shot) : LIM_OK;
    }
}

/* Saved and loaded, the world is the same and goes on the same. */
static void detour(player* p, const lim_host* host) {
    size_t size = 0;
    CHECK(lim_world_save(p->world, NULL, 0, &size) == LIM_OK);
    unsigned char* bytes = malloc(size);
    CHECK(lim_world_save(p->world, bytes, size, &size) == LIM_OK);
    lim_world* twin = NULL;
    CHECK(lim_world_load(bytes, size, 1, host, &twin) == LIM_OK);
    if (twin != NULL) {
        CHECK(lim_world_hash(twin) == lim_world_hash(p->world));
        CHECK(lim_world_step(twin, 1.0f / 60.0f) == LIM_OK);
        CHECK(lim_world_step(p->world, 1.0f / 60.0f) == LIM_OK);
        CHECK(lim_world_hash(twin) == lim_world_hash(p->world));
    }
    lim_world_destroy(twin);
    free(bytes);
}

static void play(uint64_t seed, int calls) {
    failing_host f;
    failing_host_arm(&f, -1);
    player p = {.world = kit_world(&f.host, 1),
                .models = {kit_model(24, &f.host), kit_model(40, &f.host)},
                .r = random_seed(seed)};
    for (int i = 0; i < calls; ++i) {
        uint64_t before = lim_world_hash(p.world);
        int kind = random_index(&p.r, 24);
        lim_result r = LIM_OK;
        bool compare = true;
        if (kind < 6) {
            int what = random_index(&p.r, 5);
            r = make(&p, what);
            compare = what != 1; /* which may have made room first */
        } else if (kind < 14) {
            r = change(&p, random_index(&p.r, 20));
        } else if (kind < 18) {
            r = move_time(&p, kind == 17 ? 2 + random_index(&p.r, 2) : random_index(&p.r, 2));
        } else if (kind < 22) {
            r = edit(&p, random_index(&p.r, 7));
        } else {
            ask(&p);
        }
        r == LIM_OK ? p.passed++ : p.failed++;
        if (r != LIM_OK && compare && lim_world_hash(p.world) != before) {
            printf("  call %d of seed %d failed with %s and changed the world\n", i, (int)seed,
                   lim_result_name(r));
            CHECK(false);
        }
        if (i % 97 == 96) {
            detour(&p, &f.host);
        }
    }
    CHECK(p.passed > calls / 4 && p.failed > calls / 10);
    printf("  seed %d: %d cuts, %d pieces, %d changes of levels\n", (int)seed, p.cut, p.pieces,
           p.levels);
    CHECK(p.cut > calls / 200 && p.levels > 0);
    lim_snapshot_destroy(p.shot);
    lim_world_destroy(p.world);
    lim_model_destroy(p.models[0]);
    lim_model_destroy(p.models[1]);
    CHECK(f.held == 0);
}

static void random_calls_never_break_a_world(void) {
    uint64_t seeds =
        getenv("LIMBER_SEEDS") != NULL ? strtoull(getenv("LIMBER_SEEDS"), NULL, 10) : 2;
    for (uint64_t seed = 1; seed <= seeds; ++seed) {
        play(seed, 2000);
    }
}

TEST_SUITE(world_random_calls) {
    TEST_BEGIN(argc, argv);
    RUN(random_calls_never_break_a_world);
    TEST_END();
}
