/* SPDX-License-Identifier: MIT
 * Ids: stale, foreign and null ones are refused, indices come back lowest first, enumeration is in
 * order of index. Also the stream and slot tables underneath.
 */
#include "base/stream.h"
#include "world/slots.h"
#include "world_kit.h"

static void slots_reuse_the_lowest_index_with_a_new_generation(void) {
    lim_host host = mem_host(NULL);
    slots s = {0};
    for (int i = 0; i < 100; ++i) {
        CHECK(slots_reserve(&s, &host, slots_peek(&s) + 1));
        CHECK(slots_take(&s) == i);
        CHECK(slots_holds(&s, (uint32_t)i, 1));
    }
    slots_release(&s, 70);
    slots_release(&s, 30);
    slots_release(&s, 50);
    CHECK(!slots_holds(&s, 30, 1) && !slots_holds(&s, 30, 2) && !slots_holds(&s, 30, 0));
    CHECK(slots_used(&s) == 97);
    CHECK(slots_take(&s) == 30 && slots_take(&s) == 50 && slots_take(&s) == 70);
    CHECK(slots_holds(&s, 30, 2) && !slots_holds(&s, 30, 1));
    CHECK(slots_peek(&s) == 100);
    /* Generations pass over zero. */
    s.generation[5] = UINT32_MAX;
    slots_release(&s, 5);
    CHECK(s.generation[5] == 1);
    CHECK(!slots_holds(&s, 100, 1) && !slots_holds(&s, UINT32_MAX, 1));
    slots_free(&s, &host);
}

static void streams_give_back_what_they_took(void) {
    unsigned char bytes[256];
    uint32_t b = 0xDEADBEEF, b2 = 0;
    uint64_t c = 0x0123456789ABCDEF, c2 = 0;
    int32_t d = -7, d2 = 0;
    bool e = true, e2 = false;
    float f = 1.5f, f2 = 0, list[5] = {1, 2, 3, 4, 5}, list2[5] = {0};
    double g = -2.25, g2 = 0;
    uint16_t half[3] = {1, 65535, 300}, half2[3] = {0};
    stream modes[3] = {stream_count(), stream_write(bytes), stream_hash()};
    for (int k = 0; k < 3; ++k) {
        stream* s = &modes[k];
        stream_u32(s, &b);
        stream_u64(s, &c);
        stream_i32(s, &d);
        stream_bool(s, &e);
        stream_f32(s, &f);
        stream_f64(s, &g);
        stream_floats(s, list, 5);
        stream_array(s, half, 3, 2);
        CHECK(!s->failed);
    }
    CHECK(modes[0].at == modes[1].at && modes[0].at == modes[2].at);
    CHECK(bytes[0] == 0xEF && bytes[3] == 0xDE); /* little endian */
    stream s = stream_read(bytes, modes[0].at);
    stream_u32(&s, &b2);
    stream_u64(&s, &c2);
    stream_i32(&s, &d2);
    stream_bool(&s, &e2);
    stream_f32(&s, &f2);
    stream_f64(&s, &g2);
    stream_floats(&s, list2, 5);
    stream_array(&s, half2, 3, 2);
    CHECK(!s.failed && s.at == s.size);
    CHECK(b == b2 && c == c2 && d == d2 && e == e2 && f == f2 && g == g2);
    CHECK(memcmp(list, list2, sizeof list) == 0 && memcmp(half, half2, sizeof half) == 0);
    stream_bool(&s, &e2); /* one past the end */
    CHECK(s.failed && !e2);
    /* What cannot be: a bool of 2, a float that is no number, a count below zero. */
    unsigned char two = 2, nan_bytes[4] = {0, 0, 0xC0, 0x7F};
    s = stream_read(&two, 1);
    stream_bool(&s, &e2);
    CHECK(s.failed);
    s = stream_read(nan_bytes, 4);
    stream_f32(&s, &f2);
    CHECK(s.failed && f2 == 0.0f);
    s = stream_read(nan_bytes, 4);
    stream_floats(&s, list2, 1);
    CHECK(s.failed);
    s = stream_read(bytes, 16);
    CHECK(!stream_has(&s, -1, 4) && s.failed);
    s = stream_read(bytes, 16);
    CHECK(stream_has(&s, 4, 4) && !stream_has(&s, 5, 4));
    s = stream_read(bytes, 16);
    CHECK(!stream_has(&s, INT64_MAX, 8));
}

static void stale_null_and_foreign_ids_are_refused(void) {
    lim_model* model = kit_model(40, NULL);
    kit_scene s = kit_everything(model, model, NULL, 1);
    lim_body_motion motion;
    lim_collider_desc collider;
    lim_body null_body = {0}, far = {1000000, 1}, wild = {UINT32_MAX, UINT32_MAX};
    uint64_t before = lim_world_hash(s.world);
    CHECK(lim_body_get_motion(s.world, null_body, &motion) == LIM_ERROR_ID);
    CHECK(lim_body_get_motion(s.world, far, &motion) == LIM_ERROR_ID);
    CHECK(lim_body_get_motion(s.world, wild, &motion) == LIM_ERROR_ID);
    CHECK(lim_body_destroy(s.world, null_body) == LIM_ERROR_ID);
    CHECK(lim_pin_destroy(s.world, (lim_pin){0}) == LIM_ERROR_ID);
    CHECK(lim_grab_destroy(s.world, (lim_grab){5, 1}) == LIM_ERROR_ID);
    CHECK(lim_collider_get(s.world, (lim_collider){9, 9}, &collider) == LIM_ERROR_ID);
    CHECK(lim_pin_node_count(s.world, (lim_pin){0}) == 0);
    CHECK(lim_pin_node_count(s.world, s.pin) > 0);
    lim_body_desc body;
    float factor;
    CHECK(lim_body_get(s.world, far, &body) == LIM_ERROR_ID);
    CHECK(lim_body_set_layer(s.world, wild, 1, 1) == LIM_ERROR_ID);
    CHECK(lim_body_get_stiffness(s.world, null_body, &factor, 1) == LIM_ERROR_ID);
    CHECK(lim_collider_set_layer(s.world, (lim_collider){0}, 1, 1) == LIM_ERROR_ID);
    CHECK(!lim_pin_is_valid(s.world, (lim_pin){0}) && lim_pin_is_valid(s.world, s.pin));
    CHECK(!lim_grab_is_valid(s.world, (lim_grab){5, 1}) && lim_grab_is_valid(s.world, s.grab));
    CHECK(!lim_collider_is_valid(s.world, (lim_collider){UINT32_MAX, 1}));
    CHECK(lim_collider_is_valid(s.world, s.collider[0]));
    CHECK(lim_world_hash(s.world) == before);

    /* Ending a body ends its pins and grabs; ending twice is refused. */
    CHECK(lim_body_destroy(s.world, s.body[2]) == LIM_OK);
    CHECK(lim_body_destroy(s.world, s.body[2]) == LIM_ERROR_ID);
    CHECK(!lim_body_is_valid(s.world, s.body[2]));
    CHECK(lim_pin_move(s.world, s.pin, (lim_point){0}, (lim_quat){0, 0, 0, 1}) == LIM_ERROR_ID);
    CHECK(lim_pin_node_count(s.world, s.pin) == 0);
    CHECK(!lim_pin_is_valid(s.world, s.pin) && lim_grab_is_valid(s.world, s.grab));
    CHECK(lim_grab_destroy(s.world, s.grab) == LIM_OK);
    CHECK(!lim_grab_is_valid(s.world, s.grab));
    CHECK(lim_grab_destroy(s.world, s.grab) == LIM_ERROR_ID);
    lim_load load;
    lim_point at;
    CHECK(lim_grab_get_load(s.world, s.grab, &load) == LIM_ERROR_ID);
    CHECK(lim_grab_get_point(s.world, s.grab, &at) == LIM_ERROR_ID);
    CHECK(lim_pin_get_load(s.world, s.pin, &load) == LIM_ERROR_ID);
    CHECK(lim_collider_destroy(s.world, s.collider[0]) == LIM_OK);
    CHECK(lim_collider_destroy(s.world, s.collider[0]) == LIM_ERROR_ID);
    CHECK(!lim_collider_is_valid(s.world, s.collider[0]));
    CHECK(lim_collider_get_load(s.world, s.collider[0], &load) == LIM_ERROR_ID);

    /* The index comes back with another generation; the old id stays dead. */
    lim_body again = kit_body(s.world, model, -2, 2);
    CHECK(again.index == s.body[2].index && again.generation != s.body[2].generation);
    CHECK(!lim_body_is_valid(s.world, s.body[2]) && lim_body_is_valid(s.world, again));
    lim_pin_desc p = lim_pin_desc_default();
    p.body = s.body[2];
    p.position = (lim_point){-2, 2, 0};
    lim_pin pin;
    CHECK(lim_pin_create(s.world, &p, &pin) == LIM_ERROR_ID);
    CHECK(pin.index == 0 && pin.generation == 0);
    lim_world_destroy(s.world);
    lim_model_destroy(model);
}

static void enumeration_is_in_order_of_index(void) {
    lim_model* model = kit_model(20, NULL);
    lim_world* world = kit_world(NULL, 1);
    CHECK(lim_body_next(world, (lim_body){0}).generation == 0);
    CHECK(lim_collider_next(world, (lim_collider){0}).generation == 0);
    lim_body bodies[6];
    lim_collider floors[4];
    for (int i = 0; i < 6; ++i) {
        bodies[i] = kit_body(world, model, 2.0 * i, 1);
    }
    for (int i = 0; i < 4; ++i) {
        floors[i] = kit_floor(world);
    }
    CHECK(lim_body_destroy(world, bodies[0]) == LIM_OK);
    CHECK(lim_body_destroy(world, bodies[3]) == LIM_OK);
    CHECK(lim_collider_destroy(world, floors[3]) == LIM_OK);
    const uint32_t expected[4] = {1, 2, 4, 5};
    int count = 0;
    for (lim_body b = lim_body_next(world, (lim_body){0}); b.generation != 0;
         b = lim_body_next(world, b)) {
        CHECK(count < 4 && b.index == expected[count < 4 ? count : 0]);
        CHECK(lim_body_is_valid(world, b));
        ++count;
    }
    CHECK(count == 4);
    count = 0;
    for (lim_collider c = lim_collider_next(world, (lim_collider){0}); c.generation != 0;
         c = lim_collider_next(world, c)) {
        CHECK(c.index == (uint32_t)count++);
    }
    CHECK(count == 3);
    /* Destroying while walking goes on with the next. */
    count = 0;
    for (lim_body b = lim_body_next(world, (lim_body){0}); b.generation != 0;
         b = lim_body_next(world, b)) {
        CHECK(lim_body_destroy(world, b) == LIM_OK);
        ++count;
    }
    CHECK(count == 4 && lim_body_next(world, (lim_body){0}).generation == 0);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

static void bodies_outlive_their_model(void) {
    failing_host f;
    failing_host_arm(&f, -1);
    lim_model* model = kit_model(30, &f.host);
    lim_world* world = kit_world(&f.host, 1);
    lim_body b = kit_body(world, model, 0, 1);
    lim_model_destroy(model);
    kit_steps(world, 5);
    CHECK(lim_body_is_valid(world, b));
    lim_world_destroy(world);
    CHECK(f.held == 0);
}

TEST_SUITE(world_ids) {
    TEST_BEGIN(argc, argv);
    RUN(slots_reuse_the_lowest_index_with_a_new_generation);
    RUN(streams_give_back_what_they_took);
    RUN(stale_null_and_foreign_ids_are_refused);
    RUN(enumeration_is_in_order_of_index);
    RUN(bodies_outlive_their_model);
    TEST_END();
}
