/* SPDX-License-Identifier: MIT
 * Edits are state: a world that is saved and loaded, or taken back to a snapshot, goes on bit for
 * bit as it would have, before, between and after edits, in the middle of strokes too. Forged saves
 * of cut bodies are refused or work. One golden hash for every machine.
 */
#include "edit_story.h"

#include "base/random.h"
#include "world/container.h"
#include "world/model.h"

static unsigned char* save(const lim_world* world, size_t* size) {
    CHECK(lim_world_save(world, NULL, 0, size) == LIM_OK);
    unsigned char* bytes = malloc(*size);
    CHECK(lim_world_save(world, bytes, *size, size) == LIM_OK);
    return bytes;
}

static lim_world* load(const lim_world* world) {
    size_t size = 0;
    unsigned char* bytes = save(world, &size);
    lim_world* twin = NULL;
    CHECK(lim_world_load(bytes, size, 1, NULL, &twin) == LIM_OK);
    free(bytes);
    return twin;
}

/* After every chapter a twin is loaded; both go on to the end. */
static void saved_and_loaded_worlds_go_on_the_same(void) {
    lim_model* model = edit_bar(150, 1, NULL);
    for (int at = 0; at < STORY_LENGTH; ++at) {
        edit_patient p = edit_patient_make(model, NULL, 1, isa_best());
        edit_steps(p.world, 4);
        for (int k = 0; k < at; ++k) {
            story_tell(&p, k);
        }
        edit_patient twin = p;
        twin.world = load(p.world);
        CHECK(lim_world_hash(twin.world) == lim_world_hash(p.world));
        for (int k = at; k < STORY_LENGTH; ++k) {
            story_tell(&p, k);
            story_tell(&twin, k);
            if (lim_world_hash(twin.world) != lim_world_hash(p.world)) {
                printf("  loaded after chapter %d: differs after chapter %d\n", at, k);
                CHECK(false);
                break;
            }
        }
        for (int k = 0; k < (at % 3 == 0 ? 60 : 10); ++k) {
            edit_steps(p.world, 1);
            edit_steps(twin.world, 1);
            CHECK(lim_world_hash(twin.world) == lim_world_hash(p.world));
        }
        lim_world_destroy(twin.world);
        lim_world_destroy(p.world);
    }
    lim_model_destroy(model);
}

/* A snapshot before each chapter; all that comes after is forgotten. */
static void restored_worlds_go_on_the_same(void) {
    lim_model* model = edit_bar(150, 1, NULL);
    uint64_t told[STORY_LENGTH + 1];
    edit_patient p = edit_patient_make(model, NULL, 1, isa_best());
    edit_steps(p.world, 4);
    lim_snapshot* shot[STORY_LENGTH];
    for (int k = 0; k < STORY_LENGTH; ++k) {
        told[k] = lim_world_hash(p.world);
        CHECK(lim_snapshot_create(p.world, &shot[k]) == LIM_OK);
        story_tell(&p, k);
        CHECK(k == STORY_LENGTH || lim_world_hash(p.world) != told[k]);
    }
    told[STORY_LENGTH] = lim_world_hash(p.world);
    const int order[] = {9, 0, 5, 2, 1, 7, 3, 8, 4, 6}; /* back and forth */
    for (int i = 0; i < STORY_LENGTH; ++i) {
        int at = order[i];
        CHECK(lim_snapshot_restore(p.world, shot[at]) == LIM_OK);
        CHECK(lim_world_hash(p.world) == told[at]);
        for (int k = at; k < STORY_LENGTH; ++k) {
            story_tell(&p, k);
            if (lim_world_hash(p.world) != told[k + 1]) {
                printf("  restored before chapter %d: differs after chapter %d\n", at, k);
                CHECK(false);
                break;
            }
        }
    }
    /* As if it had never been. */
    CHECK(lim_snapshot_restore(p.world, shot[0]) == LIM_OK);
    edit_steps(p.world, 60);
    edit_patient fresh = edit_patient_make(model, NULL, 1, isa_best());
    edit_steps(fresh.world, 64);
    CHECK(lim_world_hash(p.world) == lim_world_hash(fresh.world));
    lim_world_destroy(fresh.world);
    for (int k = 0; k < STORY_LENGTH; ++k) {
        lim_snapshot_destroy(shot[k]);
    }
    lim_world_destroy(p.world);
    lim_model_destroy(model);
}

/* A world that has a body cut by a hair more has another hash; the same blade gives the same. */
static void hashes_know_of_cuts(void) {
    lim_model* model = edit_bar(150, 1, NULL);
    uint64_t hash[4];
    for (int k = 0; k < 4; ++k) {
        lim_world* world = edit_world(NULL, 1);
        lim_body bar = edit_body(world, model, 0, 1);
        const double depth[] = {0.05, 0.05, 0.049, 9};
        if (k < 3) {
            CHECK(edit_cut_at(world, bar, 0.2, 1, 0.5, depth[k], false, NULL) == LIM_OK);
        }
        hash[k] = lim_world_hash(world);
        lim_world_destroy(world);
    }
    CHECK(hash[0] == hash[1] && hash[0] != hash[2] && hash[0] != hash[3]);
    lim_model_destroy(model);
}

/* A stroke that was saved, or rolled back to, goes on from where it ended, and only from there. */
static void strokes_are_kept_with_their_end(void) {
    lim_model* model = edit_bar(150, 1, NULL);
    lim_world* world = edit_world(NULL, 1);
    lim_body bar = edit_body(world, model, 0, 1);
    lim_snapshot* shot = NULL;
    size_t size = 0;
    CHECK(edit_cut_at(world, bar, 0.2, 1, 0.5, 0.05, false, NULL) == LIM_OK);
    CHECK(lim_snapshot_create(world, &shot) == LIM_OK);
    CHECK(lim_world_save(world, NULL, 0, &size) == LIM_OK);
    unsigned char* bytes = malloc(size);
    CHECK(lim_world_save(world, bytes, size, &size) == LIM_OK);
    uint64_t hash[3];
    for (int k = 0; k < 3; ++k) { /* as it is, rolled back, loaded */
        lim_world* w = world;
        if (k == 1) {
            CHECK(edit_cut_at(world, bar, -0.2, 1, 0.5, 0.05, false, NULL) == LIM_OK);
            CHECK(lim_snapshot_restore(world, shot) == LIM_OK);
        }
        CHECK(k < 2 || lim_world_load(bytes, size, 1, NULL, &w) == LIM_OK);
        edit_sweep s = edit_blade_at(0.2, 1, 0.05, -0.5);
        lim_cut_desc desc = edit_cut_desc(&s, true, 0);
        CHECK(lim_body_cut(w, bar, &desc, NULL) == LIM_ERROR_ARGUMENT); /* a little aside */
        CHECK(lim_body_get_stroke(w, bar, &s.tip[0], &s.back[0]));
        CHECK(lim_body_cut(w, bar, &desc, NULL) == LIM_OK);
        edit_steps(w, 2);
        hash[k] = lim_world_hash(w);
        if (k == 2) {
            lim_world_destroy(w);
        }
    }
    CHECK(hash[0] == hash[1] && hash[0] == hash[2]);
    free(bytes);
    lim_snapshot_destroy(shot);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* A saved model of a cut body makes the body that the model of the world made. */
static void models_of_cut_bodies_are_saved(void) {
    lim_model* model = edit_bar(150, 1, NULL);
    edit_patient p = edit_patient_make(model, NULL, 1, isa_best());
    for (int k = 0; k < 5; ++k) {
        story_tell(&p, k);
    }
    lim_model *now = NULL, *again = NULL;
    CHECK(lim_body_get_model(p.world, p.bar, &now) == LIM_OK);
    size_t size = 0;
    CHECK(lim_model_save(now, NULL, 0, &size) == LIM_OK);
    unsigned char* bytes = malloc(size);
    CHECK(lim_model_save(now, bytes, size, &size) == LIM_OK);
    CHECK(lim_model_load(bytes, size, NULL, &again) == LIM_OK);
    free(bytes);
    uint64_t hash[2];
    for (int k = 0; k < 2; ++k) {
        lim_world* world = edit_world(NULL, 1);
        lim_body bar = edit_body(world, k == 0 ? now : again, 0, 1);
        edit_steps(world, 3);
        CHECK(edit_cut_at(world, bar, -0.35, 1, 0.5, -0.5, false, NULL) == LIM_OK);
        CHECK(edit_split(world, bar) > 0);
        edit_steps(world, 10);
        hash[k] = lim_world_hash(world);
        lim_world_destroy(world);
    }
    CHECK(hash[0] == hash[1]);
    lim_model_destroy(again);
    lim_model_destroy(now);
    lim_world_destroy(p.world);
    lim_model_destroy(model);
}

/* What loads of a forged save can be stepped, cut, refined, split, and saved. */
static void use(lim_world* world) {
    (void)lim_world_step(world, 1.0f / 60.0f);
    for (lim_body b = lim_body_next(world, (lim_body){0}); b.generation != 0;
         b = lim_body_next(world, b)) {
        lim_refine_desc near = edit_ball(0.3, 1, 0.25, 0);
        (void)edit_cut_at(world, b, 0.2, 1, 0.0, -0.2, true, NULL);
        (void)lim_body_refine(world, b, &near, NULL);
        (void)edit_cut_at(world, b, 0, 1, 0.5, -0.5, false, NULL);
        edit_split(world, b);
    }
    size_t size = 0;
    CHECK(lim_world_step(world, 1.0f / 60.0f) == LIM_OK);
    CHECK(lim_world_save(world, NULL, 0, &size) == LIM_OK && size > 0);
}

static void forged_saves_are_refused_or_work(void) {
    lim_model* model = edit_bar(60, 1, NULL);
    edit_patient p = edit_patient_make(model, NULL, 1, isa_best());
    for (int k = 0; k < 4; ++k) {
        story_tell(&p, k);
    }
    size_t size = 0;
    unsigned char* bytes = save(p.world, &size);
    random_stream r = random_seed(5);
    int loaded = 0, tries = test_long ? 3000 : 60;
    for (int i = 0; i < tries; ++i) {
        int flips = 1 + random_index(&r, 3);
        size_t at[3];
        unsigned char was[3];
        for (int k = 0; k < flips; ++k) {
            at[k] = CONTAINER_HEAD + (size_t)random_index(&r, (int32_t)(size - CONTAINER_HEAD));
            was[k] = bytes[at[k]];
            bytes[at[k]] = random_index(&r, 2) == 0 ? (unsigned char)random_u64(&r)
                                                    : (unsigned char)(was[k] ^ 1 << i % 8);
        }
        container_seal(bytes, size, "LIMWORLD");
        lim_world* world = NULL;
        if (lim_world_load(bytes, size, 1, NULL, &world) == LIM_OK) {
            loaded++;
            use(world);
        }
        lim_world_destroy(world);
        for (int k = flips - 1; k >= 0; --k) {
            bytes[at[k]] = was[k];
        }
    }
    printf("  %d of %d forged saves of %d bytes load\n", loaded, tries, (int)size);
    free(bytes);
    lim_world_destroy(p.world);
    lim_model_destroy(model);
}

/* Trees over the skin of a body that was read have floats: a point must lie about where skins do.
 */
static void skins_beyond_their_box_are_refused(void) {
    lim_model* model = edit_bar(60, 1, NULL);
    topology* t = model->topology;
    static const double wild[5] = {1e200, -1e39, 3.0, INFINITY, NAN};
    CHECK(topology_is_valid(t));
    for (int k = 0; k < 15; ++k) {
        lim_point* at = &t->skin_point[(k * 7) % (t->point_count - 1)];
        lim_point was = *at;
        *(k % 3 == 0 ? &at->x : k % 3 == 1 ? &at->y : &at->z) = wild[k / 3];
        CHECK(!topology_is_valid(t));
        *at = was;
    }
    CHECK(topology_is_valid(t));
    lim_model_destroy(model);
}

/* A fragment of 1e-300 became a node without volume in the next cut. */
static void material_beyond_floats_is_refused(void) {
    lim_model* model = edit_bar(60, 1, NULL);
    topology* t = model->topology;
    matter* m = &t->matter;
    static const double wild[6] = {1e-300, 1e300, 0.0, -1.0, INFINITY, NAN};
    int32_t at = m->count / 2;
    for (int k = 0; k < 6; ++k) {
        double* number[3] = {&m->volume[at], &m->centroid[at].y, &m->moment[at][2]};
        for (int n = 0; n < 3; ++n) {
            double was = *number[n];
            bool fits = n == 1 ? fabs(wild[k]) <= 1.0 : n == 2 && wild[k] >= 0.0 && wild[k] <= 1.0;
            *number[n] = wild[k];
            CHECK(topology_is_valid(t) == fits);
            *number[n] = was;
        }
    }
    float* density = malloc((size_t)m->count * sizeof *density);
    static const float factor[3] = {1.0f, 2e-30f, 3e37f};
    t->fragment_density = density;
    for (int k = 0; k < 3; ++k) {
        for (int32_t i = 0; i < m->count; ++i) {
            density[i] = i == at ? factor[k] : 1.0f;
        }
        CHECK(topology_is_valid(t) == (k == 0));
    }
    t->fragment_density = NULL;
    free(density);
    CHECK(topology_is_valid(t));
    lim_model_destroy(model);
}

/* The whole story has one hash on every machine. A change of simulated numbers changes it. */
static void the_story_has_one_hash(void) {
    lim_model* model = edit_bar(150, 1, NULL);
    edit_patient p = edit_patient_make(model, NULL, 1, isa_best());
    edit_steps(p.world, 4);
    uint64_t hash = 0;
    for (int k = 0; k < STORY_LENGTH; ++k) {
        story_tell(&p, k);
        hash = hash * 31 + lim_world_hash(p.world);
    }
    edit_steps(p.world, 30);
    hash = hash * 31 + lim_world_hash(p.world);
    static const uint64_t goldens[] = {[LIM_KIND_OCTREE] = 0xf59cc395904afcd,
                                       [LIM_KIND_LATTICE] = 0x38c4f51308d8874e,
                                       [LIM_KIND_HEX] = 0xc7f157edc0935fc7};
    const uint64_t golden = goldens[edit_kind];
    if (hash != golden) {
        printf("  hash 0x%llx, golden 0x%llx\n", (unsigned long long)hash,
               (unsigned long long)golden);
        CHECK(false);
    }
    lim_world_destroy(p.world);
    lim_model_destroy(model);
}

/* How far the rest shape of a piece's matching is off the piece's centre, at most. */
static double most_off_centre(const body* b) {
    const topology* t = b->topology;
    double most = 0.0;
    for (int32_t c = 0; c < t->component_count; ++c) {
        for (int k = 0; k < 3 && b->embedding != NULL; ++k) {
            double sum = 0.0, mass = 0.0;
            for (int32_t i = t->component_begin[c]; i < t->component_begin[c + 1]; ++i) {
                sum += (double)t->mass[i] * (double)(b->embedding->y0[k][i] - t->x0[k][i]);
                mass += (double)t->mass[i];
            }
            most = fmax(most, fabs(sum) / mass);
        }
    }
    return most;
}

/* Thrown to the ground so hard that matching has a rest shape of its own; then in empty space, cut
 * into three. Each piece's share of that shape is about the piece's own centre, where matching
 * takes it to be: small pieces off their centres had no inertia, and flew away. */
static void pieces_of_what_has_flowed_go_on(void) {
    if (edit_kind == LIM_KIND_HEX) {
        return; /* no rest shape of its own */
    }
    lim_model* model = edit_bar(150, 0, NULL);
    lim_world* world = edit_world(NULL, 1);
    lim_collider_desc floor = lim_collider_desc_default();
    lim_collider ground;
    CHECK(lim_collider_create(world, &floor, &ground) == LIM_OK);
    lim_body_desc desc = lim_body_desc_default();
    lim_body id = {0};
    desc.model = model;
    desc.position.y = 0.7;
    desc.orientation = (lim_quat){0, 0, 0.3f, 0.95f};
    desc.velocity.y = -8.0f;
    desc.material.young = 20e3f;
    desc.material.yield = 0.05f;
    desc.material.max_strain = 3.0f;
    desc.mask = LIM_LAYER_COLLIDER; /* contact between them keeps angular momentum less well than
                                       they do alone */
    CHECK(lim_body_create(world, &desc, &id) == LIM_OK);
    edit_steps(world, 60);
    CHECK(world->bodies[id.index]->body.embedding != NULL);
    CHECK(lim_collider_destroy(world, ground) == LIM_OK);
    CHECK(lim_world_set_gravity(world, (lim_vec3){0, 0, 0}) == LIM_OK);
    lim_body_motion before = edit_motion(world, id);
    lim_edit_report report = {0};
    for (int k = 0; k < 2; ++k) {
        double x = before.centre.x + (k == 0 ? 0.17 : -0.23);
        CHECK(edit_cut_at(world, id, x, before.centre.y, 1, -1, false, &report) == LIM_OK);
    }
    CHECK(report.pieces == 3 && world->bodies[id.index]->body.embedding != NULL);
    CHECK(most_off_centre(&world->bodies[id.index]->body) < 1e-5);
    lim_world* twin = load(world);
    double size = before.mass * (before.speed + 0.1), most = 0.0;
    for (int k = 0; k < 30; ++k) {
        edit_steps(world, 1);
        edit_steps(twin, 1);
        CHECK(lim_world_hash(twin) == lim_world_hash(world));
        lim_body_motion now = edit_motion(world, id);
        for (int c = 0; c < 3; ++c) {
            CHECK_NEAR(now.momentum[c], before.momentum[c], 1e-4 * size);
            CHECK_NEAR(now.angular_momentum[c], before.angular_momentum[c], 1e-3 * size);
        }
        most = now.speed > most ? now.speed : most;
    }
    printf("  %d pieces, speed %.2f, at most %.2f\n", report.pieces, before.speed, most);
    CHECK(most < 3.0 * before.speed + 0.1);
    lim_world_destroy(twin);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* A plane through a place near the body's centre, from one side of it to the other. */
static lim_result cut_anywhere(lim_world* world, lim_body id, random_stream* r) {
    lim_body_motion m = edit_motion(world, id);
    lim_vec3 c[3];
    for (int k = 0; k < 3; ++k) {
        c[k] = (lim_vec3){random_range(r, -1, 1), random_range(r, -1, 1), random_range(r, -1, 1)};
    }
    edit_sweep s;
    for (int i = 0; i < EDIT_STATIONS; ++i) {
        double h = 3.0 - 6.0 * i / (EDIT_STATIONS - 1);
        lim_point at = {m.centre.x + 0.3 * (double)c[2].x + h * (double)c[1].x,
                        m.centre.y + 0.1 * (double)c[2].y + h * (double)c[1].y,
                        m.centre.z + 0.3 * (double)c[2].z + h * (double)c[1].z};
        s.tip[i] = p3_mad(at, p3_of(c[0]), -3.0);
        s.back[i] = p3_mad(at, p3_of(c[0]), 3.0);
    }
    lim_cut_desc desc = edit_cut_desc(&s, false, 0);
    return lim_body_cut(world, id, &desc, NULL);
}

/* Bars of what flows and keeps its volume are cut again and again while they fall: no crumb of a
 * few nodes nearly in a plane is thrown by its own skin, or flows away. In the 57th a crumb of two
 * nodes has skin that hung on the farther one. */
static void crumbs_stay_calm(void) {
    lim_model* model = edit_bar(80, 0, NULL);
    double most = 0.0;
    for (int i = 0; i < (test_long ? 80 : 17); ++i) {
        int round = i == 16 && !test_long ? 57 : i;
        random_stream r = random_seed((uint64_t)round + 1);
        lim_world* world = edit_world(NULL, 1);
        lim_collider_desc floor = lim_collider_desc_default();
        lim_collider ground;
        lim_body_desc desc = lim_body_desc_default();
        lim_body id = {0};
        CHECK(lim_collider_create(world, &floor, &ground) == LIM_OK);
        desc.model = model;
        desc.scale = 1.3f;
        desc.position.y = 0.9;
        desc.velocity.y = -5.0f;
        desc.orientation = (lim_quat){random_range(&r, -1, 1), random_range(&r, -1, 1),
                                      random_range(&r, -1, 1), 0.3f};
        desc.material = lim_material_preset(round % 2 ? LIM_PRESET_CLAY : LIM_PRESET_DOUGH);
        CHECK(lim_body_create(world, &desc, &id) == LIM_OK);
        for (int step = 0; step < 90; ++step) {
            if (step % 15 == 10 && step < 60) {
                cut_anywhere(world, id, &r); /* whether it can be cut is another question */
            }
            edit_steps(world, 1);
            most = fmax(most, edit_motion(world, id).speed);
        }
        lim_world_destroy(world);
    }
    printf("  at most %.1f m/s\n", most);
    CHECK(most < 60.0);
    lim_model_destroy(model);
}

/* Cells of a bar that turns, in pieces, are joined: nobody becomes twice as fast as the fastest
 * was. */
static void joining_throws_nobody(void) {
    lim_model* model = edit_bar(150, 1, NULL);
    double most = 0.0;
    for (int round = 0; round < 12; ++round) {
        random_stream r = random_seed((uint64_t)round + 100);
        lim_world* world = edit_world(NULL, 1);
        CHECK(lim_world_set_gravity(world, (lim_vec3){0, 0, 0}) == LIM_OK);
        lim_body id = edit_body(world, model, 0, 1);
        CHECK(lim_body_set_velocity(world, id, (lim_vec3){0}, (lim_vec3){1, 2, 2}) == LIM_OK);
        edit_steps(world, 3);
        for (int k = 0; k < 5; ++k) {
            cut_anywhere(world, id, &r);
        }
        double before = edit_motion(world, id).speed;
        lim_refine_desc all = edit_ball(0, 1, 3, 0.5);
        CHECK(lim_body_coarsen(world, id, &all, NULL) == LIM_OK);
        most = fmax(most, edit_motion(world, id).speed / before);
        lim_world_destroy(world);
    }
    printf("  at most %.2f times as fast\n", most);
    CHECK(most < 2.0);
    lim_model_destroy(model);
}

TEST_SUITE(edit_state) {
    TEST_BEGIN(argc, argv);
    RUN(saved_and_loaded_worlds_go_on_the_same);
    RUN(restored_worlds_go_on_the_same);
    RUN(hashes_know_of_cuts);
    RUN(strokes_are_kept_with_their_end);
    RUN(models_of_cut_bodies_are_saved);
    RUN(forged_saves_are_refused_or_work);
    RUN(skins_beyond_their_box_are_refused);
    RUN(material_beyond_floats_is_refused);
    RUN(pieces_of_what_has_flowed_go_on);
    RUN(crumbs_stay_calm);
    RUN(joining_throws_nobody);
    RUN(the_story_has_one_hash);
    RUN_OTHERS(saved_and_loaded_worlds_go_on_the_same);
    RUN_OTHERS(restored_worlds_go_on_the_same);
    RUN_OTHERS(hashes_know_of_cuts);
    RUN_OTHERS(models_of_cut_bodies_are_saved);
    RUN_OTHERS(forged_saves_are_refused_or_work);
    RUN_OTHERS(pieces_of_what_has_flowed_go_on);
    RUN_OTHERS(the_story_has_one_hash);
    TEST_END();
}
