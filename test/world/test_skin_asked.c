/* SPDX-License-Identifier: MIT
 * Skins are made when somebody asks: what moves does not depend on who asks and when, and a skin is
 * that of its step however late somebody asks for it.
 */
#include "base/random.h"
#include "base/workers.h"
#include "world/world.h"
#include "world_kit.h"

enum { EVERY_STEP, NEVER, AT_RANDOM, WORLDS };

/* ---- a scene ------------------------------------------------------------------------------------
 */

typedef struct scene {
    kit_scene kit;
    lim_body toy, torn;
    lim_pin hanging;
    lim_grab pulling;
    lim_collider hull;
    lim_snapshot* shot;
} scene;

static lim_collider add_hull(lim_world* world, lim_point at, lim_vec3 velocity) {
    lim_vec3 point[8];
    for (int i = 0; i < 8; ++i) {
        point[i] = (lim_vec3){i & 1 ? 0.4f : -0.4f, i & 2 ? 0.4f : -0.4f, i & 4 ? 0.4f : -0.4f};
    }
    lim_collider_desc desc = lim_collider_desc_default();
    desc.shape = LIM_SHAPE_HULL;
    desc.points = point;
    desc.point_count = 8;
    desc.position = at;
    desc.velocity = velocity;
    lim_collider made = {0};
    CHECK(lim_collider_create(world, &desc, &made) == LIM_OK);
    return made;
}

/* One of everything; a toy that comes to rest, two on each other; a ball that hangs, and is pulled
 * until it tears. */
static scene make_scene(const lim_model* a, const lim_model* b, int32_t threads) {
    scene s = {.kit = kit_everything(a, b, NULL, threads)};
    lim_world* world = s.kit.world;
    s.toy = kit_toy(world, a, 6.0, 0.122);
    lim_material calm;
    CHECK(lim_body_get_material(world, s.toy, &calm) == LIM_OK);
    calm.damping_time = calm.rolling_time = 0.02f;
    CHECK(lim_body_set_material(world, s.toy, &calm) == LIM_OK);
    for (int i = 0; i < 2; ++i) {
        kit_toy(world, a, 12.0 + 0.02 * i, 0.12 + 0.23 * i);
    }
    s.torn = kit_body(world, a, 9.0, 2.0);
    lim_pin_desc pin = lim_pin_desc_default();
    pin.body = s.torn;
    pin.shape = LIM_SHAPE_BOX;
    pin.size = (lim_vec3){1.0f, 0.25f, 1.0f};
    pin.position = (lim_point){9.0, 2.6, 0.0};
    CHECK(lim_pin_create(world, &pin, &s.hanging) == LIM_OK);
    lim_grab_desc grab = lim_grab_desc_default();
    grab.body = s.torn;
    grab.point = (lim_point){9.0, 1.4, 0.0};
    grab.radius = 0.4f;
    grab.hard = true;
    CHECK(lim_grab_create(world, &grab, &s.pulling) == LIM_OK);
    lim_fracture fracture = lim_fracture_default();
    fracture.strain = 0.3f;
    CHECK(kind_has_points(kind_now) || lim_body_set_fracture(world, s.torn, &fracture) == LIM_OK);
    s.hull = add_hull(world, (lim_point){-4.0, 2.0, 0.0}, (lim_vec3){3.0f, 0, 0});
    return s;
}

static void end_scene(scene* s) {
    lim_snapshot_destroy(s->shot);
    lim_world_destroy(s->kit.world);
}

static void slice(lim_world* world, lim_body id) {
    const lim_point tip[2] = {{-0.1, 0.6, -2.0}, {0.1, 0.6, -2.0}};
    const lim_point back[2] = {{-0.1, 0.6, 2.0}, {0.1, 0.6, 2.0}};
    lim_cut_desc cut = lim_cut_desc_default();
    cut.count = 2;
    cut.tips = tip;
    cut.backs = back;
    lim_result result = lim_body_cut(world, id, &cut, NULL);
    CHECK(result == LIM_OK || kind_has_points(kind_now));
}

/* What happens at a step, the same in all worlds. */
static void play(scene* s, int i) {
    lim_world* world = s->kit.world;
    double pull = i < 50 ? 0.02 * i : 1.0;
    CHECK(lim_grab_move(world, s->pulling, (lim_point){9.0, 1.4 - pull, 0.0}) == LIM_OK);
    if (i == 8) {
        slice(world, s->kit.body[0]);
    }
    if (i == 12) {
        CHECK(lim_body_set_velocity(world, s->kit.body[1], (lim_vec3){0, 1, 0},
                                    (lim_vec3){0, 2, 0}) == LIM_OK);
    }
    if (i == 16) {
        CHECK(lim_body_teleport(world, s->kit.body[0], (lim_point){0, 1.5, 0},
                                (lim_quat){0, 0, 0, 1}) == LIM_OK);
    }
    if (i == 3) {
        CHECK(lim_world_set_wind(world, (lim_wind){0}) == LIM_OK);
    }
    if (i == 40) {
        CHECK(lim_collider_destroy(world, s->hull) == LIM_OK);
        CHECK(lim_body_apply_impulse(world, s->kit.body[0], (lim_point){0.5, 0.5, 0.0},
                                     (lim_vec3){-20, 0, 0}) == LIM_OK);
    }
    if (i == 60) {
        CHECK(lim_snapshot_create(world, &s->shot) == LIM_OK);
        CHECK(lim_pin_destroy(world, s->hanging) == LIM_OK);
    }
    if (i == 125) { /* comes to the toy that sleeps */
        s->hull = add_hull(world, (lim_point){5.0, 0.45, 0.0}, (lim_vec3){2.0f, 0, 0});
    }
    kit_everything_steps(&s->kit, i, i + 1);
}

/* ---- readers ------------------------------------------------------------------------------------
 */

static void same_skin(const lim_world* world, const lim_world* other, lim_body id) {
    lim_skin_view a, b;
    CHECK(lim_body_get_skin(world, id, &a) == LIM_OK);
    CHECK(lim_body_get_skin(other, id, &b) == LIM_OK);
    size_t bytes = 12u * (size_t)a.vertex_count;
    CHECK(a.vertex_count == b.vertex_count && a.positions != b.positions);
    CHECK(memcmp(&a.origin, &b.origin, sizeof a.origin) == 0);
    CHECK(memcmp(a.positions, b.positions, bytes) == 0);
    CHECK(memcmp(a.normals, b.normals, bytes) == 0);
}

static lim_box box_of(const lim_world* world, lim_body id) {
    return body_box(&world->bodies[id.index]->body);
}

/* No vertex is outside of what others take for the body's place. */
static void stays_in_its_box(const lim_world* world, lim_body id) {
    lim_box skin = motion_of(world, id).bounds;
    lim_box box = box_of(world, id);
    double slack = 1e-5 * (1.0 + p3_length(p3_sub(box.upper, box.lower)));
    lim_point apart = p3_max(p3_sub(box.lower, skin.lower), p3_sub(skin.upper, box.upper));
    CHECK(apart.x < slack && apart.y < slack && apart.z < slack);
}

static void read_all(const lim_world* world) {
    for (lim_body b = lim_body_next(world, (lim_body){0}); b.generation != 0;
         b = lim_body_next(world, b)) {
        lim_skin_view v;
        CHECK(lim_body_get_skin(world, b, &v) == LIM_OK);
    }
}

static void read_some(const lim_world* world, const lim_world* other, random_stream* r) {
    for (lim_body b = lim_body_next(world, (lim_body){0}); b.generation != 0;
         b = lim_body_next(world, b)) {
        lim_hit hit;
        switch (random_index(r, 12)) {
        case 0:
        case 1:
            same_skin(world, other, b);
            break;
        case 2:
            stays_in_its_box(world, b);
            break;
        case 3:
            CHECK(lim_body_closest_point(world, b, (lim_point){1, 0, 0}, &hit) == LIM_OK);
            break;
        case 4:
            CHECK(lim_world_pick(world, (lim_point){-20, 0.5, 0}, (lim_vec3){1, 0, 0}, 100.0,
                                 &hit) == LIM_OK);
            break;
        default:
            break;
        }
    }
}

static int32_t count_made(const lim_world* world) {
    int32_t made = 0;
    for (lim_body b = lim_body_next(world, (lim_body){0}); b.generation != 0;
         b = lim_body_next(world, b)) {
        const body* inside = &world->bodies[b.index]->body;
        made += inside->skin[inside->skin_front].made;
    }
    return made;
}

static bool sleeps(const lim_world* world, lim_body id) {
    return world->bodies[id.index]->body.asleep;
}

/* ---- who reads changes nothing ------------------------------------------------------------------
 */

static void check_saves(const scene s[WORLDS]) {
    size_t size[2];
    unsigned char* bytes[2];
    lim_world* loaded[2];
    for (int w = 0; w < 2; ++w) {
        CHECK(lim_world_save(s[w].kit.world, NULL, 0, &size[w]) == LIM_OK);
        bytes[w] = malloc(size[w]);
        CHECK(lim_world_save(s[w].kit.world, bytes[w], size[w], &size[w]) == LIM_OK);
        CHECK(lim_world_load(bytes[w], size[w], 1, NULL, &loaded[w]) == LIM_OK);
    }
    CHECK(size[0] == size[1] && memcmp(bytes[0], bytes[1], size[0]) == 0);
    read_all(loaded[0]);
    for (int i = 0; i < 3; ++i) {
        for (int w = 0; w < 2; ++w) {
            kit_steps(loaded[w], 1);
        }
        CHECK(lim_world_hash(loaded[0]) == lim_world_hash(loaded[1]));
        for (lim_body b = lim_body_next(loaded[0], (lim_body){0}); b.generation != 0;
             b = lim_body_next(loaded[0], b)) {
            same_skin(loaded[0], loaded[1], b);
        }
    }
    for (int w = 0; w < 2; ++w) {
        lim_world_destroy(loaded[w]);
        free(bytes[w]);
    }
}

static void nothing_that_moves_depends_on_readers(void) {
    lim_model *a = kit_model(60, NULL), *b = kit_model(90, NULL);
    scene s[WORLDS];
    random_stream r = random_seed(11);
    for (int w = 0; w < WORLDS; ++w) {
        s[w] = make_scene(a, b, w == NEVER ? 2 : 1);
    }
    const lim_world *every = s[EVERY_STEP].kit.world, *never = s[NEVER].kit.world;
    bool slept = false, woken = false, met = false, split = false, lifted = false;
    int32_t begin = 0;
    int steps = kind_now == KIND_UNIFORM ? 150 : 80; /* a toy sleeps, and is woken */
    for (int i = 0; i < steps; ++i) {
        for (int w = 0; w < WORLDS; ++w) {
            play(&s[w], i);
        }
        if (i == 44) { /* all that tools and edits needed is over */
            begin = count_made(never);
        }
        read_all(every);
        read_some(s[AT_RANDOM].kit.world, every, &r);
        CHECK(lim_world_hash(every) == lim_world_hash(never));
        CHECK(lim_world_hash(every) == lim_world_hash(s[AT_RANDOM].kit.world));
        bool now = sleeps(every, s[EVERY_STEP].toy);
        woken = woken || (slept && !now);
        slept = slept || now;
        met = met || lim_world_get_report(every).body_contacts > 0;
        split = split || every->bodies[s[0].torn.index]->body.topology->component_count > 1;
        for (int k = 0; k < 3; ++k) {
            const body* inside = &every->bodies[s[0].kit.body[k].index]->body;
            lifted = lifted || inside->skin[inside->skin_front].lifters.count > 0;
        }
    }
    bool points = kind_has_points(kind_now);
    CHECK(begin == 0 && count_made(never) == 0);
    CHECK(met && lifted && (split || points));
    CHECK(kind_now != KIND_UNIFORM || (slept && woken));
    check_saves(s);
    for (lim_body k = lim_body_next(every, (lim_body){0}); k.generation != 0;
         k = lim_body_next(every, k)) {
        same_skin(every, never, k);
    }
    for (int w = 0; w < WORLDS; ++w) {
        CHECK(lim_snapshot_restore(s[w].kit.world, s[w].shot) == LIM_OK);
    }
    read_all(every);
    for (int i = 0; i < 2; ++i) {
        for (int w = 0; w < WORLDS; ++w) {
            kit_steps(s[w].kit.world, 1);
        }
        CHECK(lim_world_hash(every) == lim_world_hash(never));
        same_skin(every, never, s[0].kit.body[2]);
        same_skin(every, s[AT_RANDOM].kit.world, s[0].torn);
    }
    for (int w = 0; w < WORLDS; ++w) {
        end_scene(&s[w]);
    }
    lim_model_destroy(a);
    lim_model_destroy(b);
}

/* ---- a skin is that of its step -----------------------------------------------------------------
 */

enum { CHANGES = 10 };

/* What may come between a step and who asks for its skin; none of it publishes a new one of the
 * ball. */
static void change(scene* s, int which, failing_host* host) {
    lim_world* world = s->kit.world;
    lim_body ball = s->kit.body[2];
    switch (which) {
    case 0: {
        lim_pin_desc pin = lim_pin_desc_default();
        pin.body = ball;
        pin.shape = LIM_SHAPE_BOX;
        pin.size = (lim_vec3){1.0f, 1.0f, 1.0f};
        pin.position = (lim_point){-2.0, 1.5, 0.0};
        lim_pin made;
        CHECK(lim_pin_create(world, &pin, &made) == LIM_OK);
        break;
    }
    case 1:
        CHECK(lim_pin_destroy(world, s->kit.pin) == LIM_OK);
        break;
    case 2: {
        lim_grab_desc grab = lim_grab_desc_default();
        grab.body = ball;
        grab.point = (lim_point){-2.5, 2.0, 0.0};
        grab.radius = 0.5f;
        grab.hard = true;
        lim_grab made;
        CHECK(lim_grab_create(world, &grab, &made) == LIM_OK);
        break;
    }
    case 3:
        CHECK(lim_collider_move(world, s->hull, (lim_point){-2.0, 2.0, 0.0}, (lim_quat){0, 0, 0, 1},
                                (lim_vec3){0, 0, 0}, (lim_vec3){0, 0, 0}) == LIM_OK);
        break;
    case 4:
        CHECK(lim_collider_destroy(world, s->hull) == LIM_OK);
        break;
    case 5: /* a step without memory for its wind, after tools have moved and a pin has gone */
        CHECK(lim_collider_destroy(world, s->kit.collider[0]) == LIM_OK);
        CHECK(lim_pin_destroy(world, s->kit.pin) == LIM_OK);
        CHECK(lim_world_set_wind(world, (lim_wind){{1, 0, 0}, 0, 1, 1}) == LIM_OK);
        host->fail_at = host->allocations;
        CHECK(lim_world_step(world, 1.0f / 60.0f) == LIM_ERROR_MEMORY);
        host->fail_at = -1;
        break;
    case 6: /* goes on without it */
        CHECK(lim_body_set_enabled(world, ball, false) == LIM_OK);
        kit_steps(world, 3);
        break;
    case 7:
        CHECK(lim_collider_destroy(world, s->hull) == LIM_OK);
        CHECK(lim_body_set_enabled(world, ball, false) == LIM_OK);
        add_hull(world, (lim_point){-2.4, 2.0, 0.0}, (lim_vec3){0, 0, 0});
        kit_steps(world, 2);
        break;
    case 8: {
        const lim_point tip[2] = {{5, 1, 5}, {5, 2, 5}}, back[2] = {{5, 1, 6}, {5, 2, 6}};
        lim_cut_desc miss = lim_cut_desc_default();
        miss.count = 2;
        miss.tips = tip;
        miss.backs = back;
        CHECK(lim_body_cut(world, ball, &miss, NULL) == LIM_OK);
        break;
    }
    default:
        CHECK(lim_body_set_velocity(world, ball, (lim_vec3){5, 0, 0}, (lim_vec3){0, 9, 0}) ==
              LIM_OK);
        CHECK(lim_world_set_gravity(world, (lim_vec3){0, 1, 0}) == LIM_OK);
        break;
    }
}

/* A pinned ball that a fast hull has just hit. */
static scene hit_ball(const lim_model* a, failing_host* host) {
    failing_host_arm(host, -1);
    scene s = {.kit = {.world = kit_world(&host->host, 1)}};
    lim_world* world = s.kit.world;
    s.kit.body[2] = kit_body(world, a, -2.0, 2.0);
    s.kit.collider[0] = kit_floor(world);
    lim_pin_desc pin = lim_pin_desc_default();
    pin.body = s.kit.body[2];
    pin.shape = LIM_SHAPE_BOX;
    pin.size = (lim_vec3){1.0f, 0.3f, 1.0f};
    pin.position = (lim_point){-2.0, 2.6, 0.0};
    CHECK(lim_pin_create(world, &pin, &s.kit.pin) == LIM_OK);
    s.hull = add_hull(world, (lim_point){-3.2, 2.0, 0.0}, (lim_vec3){8.0f, 0, 0});
    kit_steps(world, 6);
    return s;
}

static void a_late_skin_is_that_of_its_step(void) {
    lim_model* a = kit_model(90, NULL);
    bool mattered = false;
    for (int which = 0; which < CHANGES; ++which) {
        if (which == 8 && kind_has_points(kind_now)) {
            continue; /* cannot be cut */
        }
        failing_host host[2];
        scene soon = hit_ball(a, &host[0]), late = hit_ball(a, &host[1]);
        lim_body ball = soon.kit.body[2];
        lim_skin_view v;
        CHECK(lim_body_get_skin(soon.kit.world, ball, &v) == LIM_OK);
        box_of(soon.kit.world, ball);
        const body* inside = &late.kit.world->bodies[ball.index]->body;
        const body_skin* front = &inside->skin[inside->skin_front];
        mattered = mattered || (front->lifters.count > 0 && !front->made);
        change(&soon, which, &host[0]);
        change(&late, which, &host[1]);
        same_skin(soon.kit.world, late.kit.world, ball);
        lim_box box[2] = {box_of(soon.kit.world, ball), box_of(late.kit.world, ball)};
        CHECK(memcmp(&box[0], &box[1], sizeof box[0]) == 0);
        end_scene(&soon);
        end_scene(&late);
    }
    CHECK(mattered);
    lim_model_destroy(a);
}

/* ---- between steps ------------------------------------------------------------------------------
 */

static void blended_skins_do_not_depend_on_readers(void) {
    lim_model *a = kit_model(60, NULL), *b = kit_model(90, NULL);
    const float frames[] = {0.001f, 0.02f, 0.05f, 0.0f, 1.0f / 60.0f, 0.031f, 0.0007f, 0.04f};
    scene s[WORLDS];
    random_stream r = random_seed(5);
    for (int w = 0; w < WORLDS; ++w) {
        s[w] = make_scene(a, b, 1);
    }
    const lim_world* every = s[EVERY_STEP].kit.world;
    for (int i = 0; i < 72; ++i) {
        for (int w = 0; w < WORLDS; ++w) {
            lim_world* world = s[w].kit.world;
            double pull = 0.03 * i;
            CHECK(lim_grab_move(world, s[w].pulling, (lim_point){9.0, 1.4 - pull, 0.0}) == LIM_OK);
            if (i == 20) {
                slice(world, s[w].kit.body[0]);
            }
            if (i == 35) {
                CHECK(lim_collider_destroy(world, s[w].hull) == LIM_OK);
            }
            CHECK(lim_world_advance(world, frames[i % 8], NULL) == LIM_OK);
            if (i == 36) { /* before anybody asks */
                CHECK(lim_collider_destroy(world, s[w].kit.collider[2]) == LIM_OK);
            }
        }
        read_all(every);
        read_some(s[AT_RANDOM].kit.world, every, &r);
        if (i % 9 == 8) {
            for (lim_body k = lim_body_next(every, (lim_body){0}); k.generation != 0;
                 k = lim_body_next(every, k)) {
                same_skin(every, s[NEVER].kit.world, k);
            }
        }
        CHECK(lim_world_hash(every) == lim_world_hash(s[NEVER].kit.world));
    }
    for (int w = 0; w < WORLDS; ++w) {
        end_scene(&s[w]);
    }
    lim_model_destroy(a);
    lim_model_destroy(b);
}

/* ---- another thread -----------------------------------------------------------------------------
 */

typedef struct reading {
    lim_world* world;
    const lim_skin_view* view;
    int32_t views;
    double sum[2]; /* before, and while the next step runs */
} reading;

static double sum_of(const lim_skin_view* view, int32_t count) {
    double sum = 0.0;
    for (int32_t k = 0; k < count; ++k) {
        for (int32_t i = 0; i < 3 * view[k].vertex_count; ++i) {
            sum += (double)view[k].positions[i] + (double)view[k].normals[i];
        }
    }
    return sum;
}

static void step_or_read(void* context, int32_t index) {
    reading* r = context;
    if (index == 0) {
        kit_steps(r->world, 1);
    } else {
        r->sum[1] = sum_of(r->view, r->views);
    }
}

static void another_thread_reads_during_the_next_step(void) {
    lim_model* a = kit_model(150, NULL);
    workers* pool = NULL;
    CHECK(workers_create(NULL, 2, &pool) == LIM_OK);
    lim_world* world = kit_world(NULL, 1);
    lim_body ball[2] = {kit_body(world, a, 0.0, 0.58), kit_body(world, a, 0.9, 1.2)};
    kit_floor(world);
    for (int i = 0; i < 14; ++i) {
        lim_skin_view view[2];
        reading r = {.world = world, .view = view};
        /* the first every time, so that its skin is made within steps; the second now and then */
        for (int k = 0; k < 1 + (i % 3 == 0); ++k) {
            CHECK(lim_body_get_skin(world, ball[k], &view[r.views++]) == LIM_OK);
        }
        r.sum[0] = sum_of(view, r.views);
        workers_run(pool, 2, step_or_read, &r);
        CHECK(r.sum[0] == r.sum[1] && sum_of(view, r.views) == r.sum[0]);
        /* and nor does who asks for the new ones disturb it */
        read_all(world);
        CHECK(sum_of(view, r.views) == r.sum[0]);
    }
    workers_destroy(pool);
    lim_world_destroy(world);
    lim_model_destroy(a);
}

static const int kinds[] = {KIND_UNIFORM, KIND_LATTICE, KIND_CLUSTERS};

TEST_SUITE(skin_asked) {
    TEST_BEGIN(argc, argv);
    for (int k = 0; k < (TEST_RACES ? 1 : 3); ++k) {
        kind_choose(kinds[k]);
        if (!TEST_RACES) {
            RUN(nothing_that_moves_depends_on_readers);
            RUN(a_late_skin_is_that_of_its_step);
            RUN(blended_skins_do_not_depend_on_readers);
        }
        RUN(another_thread_reads_during_the_next_step);
    }
    TEST_END();
}
