/* SPDX-License-Identifier: MIT
 * Save, load, snapshot, hash: whatever detour a world takes, it steps on with the same bits;
 * damaged bytes are refused and leak nothing.
 */
#include "base/hash.h"
#include "base/random.h"
#include "world/container.h"
#include "world_kit.h"

static unsigned char* save_bytes(const lim_world* world, size_t* size) {
    CHECK(lim_world_save(world, NULL, 0, size) == LIM_OK);
    unsigned char* bytes = malloc(*size);
    CHECK(lim_world_save(world, bytes, *size, size) == LIM_OK);
    return bytes;
}

static void save_and_load_step_on_with_the_same_bits(void) {
    lim_model *a = kit_model(200, NULL), *b = kit_model(60, NULL);
    static const int moments[] = {30, 0, 1, 7, 90};
    for (int m = 0; m < (test_long ? 5 : 2); ++m) {
        kit_scene s = kit_everything(a, b, NULL, 1);
        kit_everything_steps(&s, 0, moments[m]);
        size_t size = 0;
        unsigned char* bytes = save_bytes(s.world, &size);
        kit_scene t = s;
        t.world = NULL;
        CHECK(lim_world_load(bytes, size, 1, NULL, &t.world) == LIM_OK);
        CHECK(lim_world_hash(t.world) == lim_world_hash(s.world));
        for (int i = moments[m]; i < moments[m] + 40 && t.world != NULL; ++i) {
            kit_everything_steps(&s, i, i + 1);
            kit_everything_steps(&t, i, i + 1);
            CHECK(lim_world_hash(t.world) == lim_world_hash(s.world));
        }
        lim_skin_view x, y;
        for (int k = 0; k < 3; ++k) {
            CHECK(lim_body_get_skin(s.world, s.body[k], &x) == LIM_OK);
            CHECK(lim_body_get_skin(t.world, t.body[k], &y) == LIM_OK);
            CHECK(memcmp(x.positions, y.positions, 12u * (size_t)x.vertex_count) == 0);
            CHECK(memcmp(&x.origin, &y.origin, sizeof x.origin) == 0);
        }
        free(bytes);
        lim_world_destroy(s.world);
        lim_world_destroy(t.world);
    }
    lim_model_destroy(a);
    lim_model_destroy(b);
}

/* A material that changed just before the save, a sleeping body, a body that is off. */
static void save_keeps_what_was_changed_between_steps(void) {
    lim_model* model = kit_model(80, NULL);
    lim_world* world = kit_world(NULL, 1);
    kit_floor(world);
    lim_body bodies[3] = {kit_body(world, model, 0, 0.7), kit_body(world, model, 2, 0.7),
                          kit_body(world, model, 4, 1.5)};
    /* One that lies still in the air and is about to sleep, and time that was not stepped yet. */
    lim_body still = kit_body(world, model, 6, 5);
    CHECK(lim_body_set_gravity_scale(world, still, 0.0f) == LIM_OK);
    kit_steps(world, 20);
    CHECK(lim_world_advance(world, 0.03f, NULL) == LIM_OK);
    lim_material soft = lim_material_default();
    soft.young = 5e3f;
    CHECK(lim_body_set_material(world, bodies[0], &soft) == LIM_OK);
    CHECK(lim_body_set_enabled(world, bodies[1], false) == LIM_OK);
    CHECK(lim_body_teleport(world, bodies[2], (lim_point){4, 3, 0}, (lim_quat){0, 0.3f, 0, 1}) ==
          LIM_OK);
    CHECK(lim_body_apply_impulse(world, bodies[2], (lim_point){4, 4, 0}, (lim_vec3){30, 0, 10}) ==
          LIM_OK);
    size_t size = 0;
    unsigned char* bytes = save_bytes(world, &size);
    lim_world* twin = NULL;
    CHECK(lim_world_load(bytes, size, 1, NULL, &twin) == LIM_OK);
    CHECK(lim_world_hash(world) == lim_world_hash(twin));
    for (int i = 0; i < 200; ++i) {
        int32_t a = 0, b = 0;
        CHECK(lim_world_advance(world, 0.0121f, &a) == LIM_OK);
        CHECK(lim_world_advance(twin, 0.0121f, &b) == LIM_OK);
        CHECK(a == b && lim_world_hash(world) == lim_world_hash(twin));
    }
    lim_body_motion m;
    CHECK(lim_body_get_motion(twin, still, &m) == LIM_OK && m.asleep);
    free(bytes);
    lim_world_destroy(world);
    lim_world_destroy(twin);
    lim_model_destroy(model);
}

static void ids_keep_their_meaning_through_a_file(void) {
    lim_model* model = kit_model(30, NULL);
    lim_world* world = kit_world(NULL, 1);
    lim_body first = kit_body(world, model, 0, 1), second = kit_body(world, model, 2, 1);
    CHECK(lim_body_destroy(world, first) == LIM_OK);
    size_t size = 0;
    unsigned char* bytes = save_bytes(world, &size);
    lim_world* twin = NULL;
    CHECK(lim_world_load(bytes, size, 1, NULL, &twin) == LIM_OK);
    CHECK(lim_body_is_valid(twin, second) && !lim_body_is_valid(twin, first));
    lim_body third = kit_body(world, model, 3, 1), again = kit_body(twin, model, 3, 1);
    CHECK(third.index == again.index && third.generation == again.generation);
    CHECK(third.index == first.index && third.generation != first.generation);
    CHECK(lim_world_hash(world) == lim_world_hash(twin));
    free(bytes);
    lim_world_destroy(world);
    lim_world_destroy(twin);
    lim_model_destroy(model);
}

static void snapshots_bring_a_moment_back(void) {
    lim_model *a = kit_model(120, NULL), *b = kit_model(60, NULL);
    kit_scene s = kit_everything(a, b, NULL, 1);
    int mark[3] = {1, 2, 3};
    CHECK(lim_body_set_user(s.world, s.body[1], &mark[0]) == LIM_OK);
    kit_everything_steps(&s, 0, 25);
    lim_snapshot* shot = NULL;
    CHECK(lim_snapshot_create(s.world, &shot) == LIM_OK);
    uint64_t then = lim_world_hash(s.world);
    uint64_t later[30];
    for (int i = 0; i < 30; ++i) {
        kit_everything_steps(&s, 25 + i, 26 + i);
        later[i] = lim_world_hash(s.world);
    }
    for (int round = 0; round < 3; ++round) {
        /* Between: end some, make some, change users. */
        lim_body extra = {0};
        if (round > 0) {
            CHECK(lim_body_destroy(s.world, s.body[1]) == LIM_OK);
            CHECK(lim_collider_destroy(s.world, s.collider[1]) == LIM_OK);
            CHECK(lim_pin_destroy(s.world, s.pin) == LIM_OK);
            extra = kit_body(s.world, b, 9, 9);
            CHECK(lim_body_is_valid(s.world, extra));
        } else {
            CHECK(lim_body_set_user(s.world, s.body[1], &mark[1]) == LIM_OK);
            extra = kit_body(s.world, b, 9, 9);
        }
        CHECK(lim_snapshot_restore(s.world, shot) == LIM_OK);
        CHECK(lim_world_hash(s.world) == then);
        CHECK(!lim_body_is_valid(s.world, extra) || extra.index == s.body[1].index);
        CHECK(lim_body_is_valid(s.world, s.body[1]));
        lim_body_desc kept;
        CHECK(lim_body_get(s.world, s.body[1], &kept) == LIM_OK && kept.user == &mark[0]);
        for (int i = 0; i < 30; ++i) {
            kit_everything_steps(&s, 25 + i, 26 + i);
            CHECK(lim_world_hash(s.world) == later[i]);
        }
    }
    /* Into another world: refused, nothing changed, also when it stands where the old one stood. */
    lim_world* other = kit_world(NULL, 1);
    uint64_t untouched = lim_world_hash(other);
    CHECK(lim_snapshot_restore(other, shot) == LIM_ERROR_ARGUMENT);
    CHECK(lim_world_hash(other) == untouched);
    lim_world_destroy(s.world);
    lim_world* next = kit_world(NULL, 1);
    CHECK(lim_snapshot_restore(next, shot) == LIM_ERROR_ARGUMENT);
    lim_world_destroy(next);
    lim_world_destroy(other);
    lim_model_destroy(a);
    lim_model_destroy(b);
    lim_snapshot_destroy(shot); /* after its world and models */
}

static double snapshot_bytes_per_node(lim_model* model, bool flows) {
    lim_world* world = kit_world(NULL, 1);
    lim_body_desc desc = lim_body_desc_default();
    lim_body id = {0};
    desc.model = model;
    desc.material = flows ? lim_material_preset(LIM_PRESET_CLAY) : kind_material(desc.material);
    CHECK(lim_body_create(world, &desc, &id) == LIM_OK);
    lim_snapshot* shot = NULL;
    CHECK(lim_snapshot_create(world, &shot) == LIM_OK);
    double bytes = (double)lim_snapshot_size(shot) / lim_model_get_info(model).nodes;
    lim_snapshot_destroy(shot);
    lim_world_destroy(world);
    return bytes;
}

static void a_snapshot_takes_at_most_64_bytes_per_node(void) {
    lim_model* model = kit_model(2000, NULL);
    double bytes = snapshot_bytes_per_node(model, false);
    CHECK(bytes >= 24.0 && bytes <= 64.0); /* displacement and velocity at least */
    bytes = snapshot_bytes_per_node(model, true);
    CHECK(bytes >= 24.0 && bytes <= 96.0);
    lim_model_destroy(model);
}

static void the_hash_sees_every_change(void) {
    lim_model* model = kit_model(60, NULL);
    lim_world *world = kit_world(NULL, 1), *twin = kit_world(NULL, 1);
    lim_body b = kit_body(world, model, 0, 1);
    lim_body c = kit_body(twin, model, 0, 1);
    CHECK(lim_world_hash(world) == lim_world_hash(twin));
    uint64_t before = lim_world_hash(world);
    CHECK(lim_body_set_gravity_scale(world, b, 0.5f) == LIM_OK);
    CHECK(lim_world_hash(world) != before);
    CHECK(lim_body_set_gravity_scale(twin, c, 0.5f) == LIM_OK);
    CHECK(lim_world_hash(world) == lim_world_hash(twin));
    before = lim_world_hash(world);
    CHECK(lim_world_set_gravity(world, (lim_vec3){0, -9.82f, 0}) == LIM_OK);
    CHECK(lim_world_hash(world) != before);
    CHECK(lim_world_set_gravity(world, (lim_vec3){0, -9.81f, 0}) == LIM_OK);
    CHECK(lim_world_hash(world) == before);
    kit_floor(world);
    CHECK(lim_world_hash(world) != before);
    kit_floor(twin);
    CHECK(lim_world_hash(world) == lim_world_hash(twin));
    int32_t nodes = lim_model_get_info(model).nodes;
    double* x = malloc(24u * (size_t)nodes);
    CHECK(lim_body_get_nodes(world, b, x, NULL, nodes) == LIM_OK);
    x[3 * (nodes - 1)] += 1e-6;
    before = lim_world_hash(world);
    CHECK(lim_body_set_nodes(world, b, x, NULL, nodes) == LIM_OK);
    CHECK(lim_world_hash(world) != before);
    free(x);
    lim_world_destroy(world);
    lim_world_destroy(twin);
    lim_model_destroy(model);
}

/* ---- damaged bytes ----------------------------------------------------------------------------
 */

static kit_scene small_scene(lim_model** model) {
    *model = kit_model(20, NULL);
    kit_scene s = kit_everything(*model, *model, NULL, 1);
    kit_everything_steps(&s, 0, 3);
    return s;
}

static void expect_refused(const unsigned char* bytes, size_t size) {
    failing_host f;
    failing_host_arm(&f, -1);
    lim_world* world = NULL;
    lim_result result = lim_world_load(bytes, size, 1, &f.host, &world);
    CHECK(result == LIM_ERROR_FORMAT || result == LIM_ERROR_VERSION);
    CHECK(world == NULL);
    CHECK(f.held == 0);
    lim_world_destroy(world);
}

static void every_truncated_length_is_refused(void) {
    lim_model* model = NULL;
    kit_scene s = small_scene(&model);
    size_t size = 0;
    unsigned char* bytes = save_bytes(s.world, &size);
    for (size_t n = 0; n < size; ++n) {
        unsigned char* cut = malloc(n + 1); /* so that a read past the end is seen */
        memcpy(cut, bytes, n);
        expect_refused(cut, n);
        free(cut);
    }
    free(bytes);
    lim_world_destroy(s.world);
    lim_model_destroy(model);
}

static void flipped_bits_are_refused(void) {
    lim_model* model = NULL;
    kit_scene s = small_scene(&model);
    size_t size = 0;
    unsigned char* bytes = save_bytes(s.world, &size);
    random_stream r = random_seed(7);
    for (int n = 0; n < 2000; ++n) {
        size_t at = (size_t)random_index(&r, (int32_t)size);
        unsigned char flip = (unsigned char)(1 << random_index(&r, 8));
        bytes[at] ^= flip;
        expect_refused(bytes, size);
        bytes[at] ^= flip;
    }
    lim_world* whole = NULL;
    CHECK(lim_world_load(bytes, size, 1, NULL, &whole) == LIM_OK);
    lim_world_destroy(whole);
    free(bytes);
    lim_world_destroy(s.world);
    lim_model_destroy(model);
}

/* With the checksum made good again, what is inside has to be judged: no crash, no leak, and what
 * loads can be stepped and saved. */
static void forged_bytes_are_judged(void) {
    lim_model* model = NULL;
    kit_scene s = small_scene(&model);
    size_t size = 0;
    unsigned char* bytes = save_bytes(s.world, &size);
    unsigned char* forged = malloc(size);
    random_stream r = random_seed(11);
    int loaded = 0, refused = 0, rounds = test_long ? 3000 : 500;
    for (int n = 0; n < rounds; ++n) {
        memcpy(forged, bytes, size);
        int changes = 1 + random_index(&r, 3);
        for (int k = 0; k < changes; ++k) {
            size_t at = CONTAINER_HEAD + (size_t)random_index(&r, (int32_t)(size - CONTAINER_HEAD));
            switch (random_index(&r, 3)) {
            case 0:
                forged[at] ^= (unsigned char)(1 << random_index(&r, 8));
                break;
            case 1:
                forged[at] = (unsigned char)random_u64(&r);
                break;
            default:
                forged[at] = random_index(&r, 2) != 0 ? 0xFF : 0x7F;
                break;
            }
        }
        container_seal(forged, size, "LIMWORLD");
        failing_host f;
        failing_host_arm(&f, -1);
        lim_world* world = NULL;
        lim_result result = lim_world_load(forged, size, 1, &f.host, &world);
        CHECK((result == LIM_OK) == (world != NULL));
        CHECK(result == LIM_OK || result == LIM_ERROR_FORMAT);
        if (world != NULL) {
            ++loaded;
            CHECK(lim_world_step(world, 1.0f / 60.0f) == LIM_OK);
            CHECK(lim_world_save(world, NULL, 0, &size) == LIM_OK);
            lim_world_destroy(world);
        } else {
            ++refused;
        }
        CHECK(f.held == 0);
        CHECK(lim_world_save(s.world, NULL, 0, &size) == LIM_OK);
    }
    CHECK(loaded > rounds / 30 && refused > rounds / 30);
    free(forged);
    free(bytes);
    lim_world_destroy(s.world);
    lim_model_destroy(model);
}

static void other_versions_and_kinds_are_named(void) {
    lim_model* model = kit_model(12, NULL);
    size_t size = 0;
    CHECK(lim_model_save(model, NULL, 0, &size) == LIM_OK);
    unsigned char* bytes = malloc(size);
    CHECK(lim_model_save(model, bytes, size - 1, &size) == LIM_ERROR_ARGUMENT);
    CHECK(lim_model_save(model, bytes, size, &size) == LIM_OK);
    lim_world* world = NULL;
    CHECK(lim_world_load(bytes, size, 1, NULL, &world) == LIM_ERROR_FORMAT);
    lim_model* twin = NULL;
    CHECK(lim_model_load(bytes, size, NULL, &twin) == LIM_OK);
    lim_model_info a = lim_model_get_info(model), b = lim_model_get_info(twin);
    CHECK(a.nodes == b.nodes && a.regions == b.regions && a.volume == b.volume);
    size_t again = 0;
    unsigned char* copy = malloc(size);
    CHECK(lim_model_save(twin, copy, size, &again) == LIM_OK && again == size);
    CHECK(memcmp(bytes, copy, size) == 0);
    bytes[8]++;
    lim_model* none = NULL;
    CHECK(lim_model_load(bytes, size, NULL, &none) == LIM_ERROR_VERSION);
    CHECK(none == NULL);
    free(copy);
    free(bytes);
    lim_model_destroy(twin);
    lim_model_destroy(model);
}

static void every_truncated_model_is_refused(void) {
    lim_model* model = kit_model(12, NULL);
    size_t size = 0;
    CHECK(lim_model_save(model, NULL, 0, &size) == LIM_OK);
    unsigned char* bytes = malloc(size);
    CHECK(lim_model_save(model, bytes, size, &size) == LIM_OK);
    for (size_t n = 0; n < size; ++n) {
        failing_host f;
        failing_host_arm(&f, -1);
        lim_model* twin = NULL;
        CHECK(lim_model_load(bytes, n, &f.host, &twin) == LIM_ERROR_FORMAT);
        CHECK(twin == NULL && f.held == 0);
        /* The same with a good head, so that the arrays have to find out. */
        if (n > CONTAINER_HEAD && n % 7 == 0) {
            unsigned char* cut = malloc(n);
            memcpy(cut, bytes, n);
            container_seal(cut, n, "LIMMODEL");
            CHECK(lim_model_load(cut, n, &f.host, &twin) == LIM_ERROR_FORMAT);
            CHECK(twin == NULL && f.held == 0);
            free(cut);
        }
    }
    free(bytes);
    lim_model_destroy(model);
}

TEST_SUITE(world_save) {
    TEST_BEGIN(argc, argv);
    for (int k = 0; kind_choose(k); ++k) {
        RUN(save_and_load_step_on_with_the_same_bits);
        RUN(save_keeps_what_was_changed_between_steps);
        RUN(snapshots_bring_a_moment_back);
        RUN(the_hash_sees_every_change);
        RUN(forged_bytes_are_judged);
        RUN(other_versions_and_kinds_are_named);
    }
    RUN(ids_keep_their_meaning_through_a_file);
    RUN(a_snapshot_takes_at_most_64_bytes_per_node);
    RUN(every_truncated_length_is_refused);
    RUN(flipped_bits_are_refused);
    RUN(every_truncated_model_is_refused);
    TEST_END();
}
