/* SPDX-License-Identifier: MIT
 * Edits at the public border with whatever a caller may get wrong: each is answered with the right
 * result and a text that names the cure, and leaves the world as it was, hash and memory.
 */
#include "edit_kit.h"

typedef struct listener {
    failing_host memory;
    char text[1024]; /* the last one of level error */
    int errors;
} listener;

static void listen(void* user, lim_log_level level, const char* text) {
    listener* l = (listener*)((char*)user - offsetof(listener, memory));
    if (level == LIM_LOG_ERROR) {
        snprintf(l->text, sizeof l->text, "%s", text);
        l->errors++;
    }
}

static void listener_arm(listener* l) {
    *l = (listener){0};
    failing_host_arm(&l->memory, -1);
    l->memory.host.log = listen;
}

typedef struct scene {
    listener l;
    lim_model* model;
    lim_world* world;
    lim_body bar;
    uint64_t hash;
    int64_t held;
} scene;

static void scene_note(scene* s) {
    s->hash = lim_world_hash(s->world);
    s->held = s->l.memory.held;
    s->l.errors = 0;
    s->l.text[0] = 0;
}

static void scene_make(scene* s) {
    listener_arm(&s->l);
    s->model = edit_bar(200, 1, NULL);
    s->world = edit_world(&s->l.memory.host, 1);
    s->bar = edit_body(s->world, s->model, 0, 1);
    edit_pin(s->world, s->bar, -0.6, 1, 0.1, 0.0f);
    edit_steps(s->world, 5);
    scene_note(s);
}

static void scene_free(scene* s) {
    lim_world_destroy(s->world);
    lim_model_destroy(s->model);
    CHECK(s->l.memory.held == 0);
}

/* The result, a text with `says` in it, and nothing changed. */
static void refused_line(scene* s, int line, lim_result got, lim_result wanted, const char* says) {
    bool same = lim_world_hash(s->world) == s->hash && s->l.memory.held == s->held;
    bool said = says == NULL || (s->l.errors == 1 && strstr(s->l.text, says) != NULL);
    if (got != wanted || !same || !said) {
        printf("  line %d: %s, wanted %s; %s; said \"%s\"\n", line, lim_result_name(got),
               lim_result_name(wanted), same ? "unchanged" : "CHANGED", s->l.text);
        CHECK(false);
    }
    scene_note(s);
}
#define REFUSED(s, call, wanted, says) refused_line(s, __LINE__, call, wanted, says)

static void cuts_with_wrong_descriptors(void) {
    scene s;
    scene_make(&s);
    edit_sweep good = edit_blade_at(0.2, 1, 0.5, -0.5);
    lim_cut_desc d = edit_cut_desc(&good, false, 0);
    lim_edit_report r;
    REFUSED(&s, lim_body_cut(NULL, s.bar, &d, &r), LIM_ERROR_ARGUMENT, NULL);
    REFUSED(&s, lim_body_cut(s.world, s.bar, NULL, &r), LIM_ERROR_ARGUMENT, "desc is null");
    REFUSED(&s, lim_body_cut(s.world, (lim_body){0}, &d, &r), LIM_ERROR_ID, "");
    REFUSED(&s, lim_body_cut(s.world, (lim_body){7, 1}, &d, &r), LIM_ERROR_ID, "");
    d.cookie++;
    REFUSED(&s, lim_body_cut(s.world, s.bar, &d, &r), LIM_ERROR_DESC, "lim_cut_desc_default");
    d.cookie--;
    const int32_t counts[] = {1, 0, -1, 4097, INT32_MAX, INT32_MIN};
    for (int i = 0; i < 6; ++i) {
        d.count = counts[i];
        REFUSED(&s, lim_body_cut(s.world, s.bar, &d, &r), LIM_ERROR_ARGUMENT, "2 to 4096");
    }
    d.count = EDIT_STATIONS;
    d.tips = NULL;
    REFUSED(&s, lim_body_cut(s.world, s.bar, &d, &r), LIM_ERROR_ARGUMENT, "tips");
    d.tips = good.tip;
    d.backs = NULL;
    REFUSED(&s, lim_body_cut(s.world, s.bar, &d, &r), LIM_ERROR_ARGUMENT, "backs");
    d.backs = good.back;
    const int32_t levels[] = {-1, 21, INT32_MAX, INT32_MIN};
    for (int i = 0; i < 4; ++i) {
        d.refine = levels[i];
        REFUSED(&s, lim_body_cut(s.world, s.bar, &d, &r), LIM_ERROR_ARGUMENT, "refine");
    }
    d.refine = 0;
    const int32_t submeshes[] = {-2, 2, INT32_MAX, INT32_MIN};
    for (int i = 0; i < 4; ++i) {
        d.inner_submesh = submeshes[i];
        REFUSED(&s, lim_body_cut(s.world, s.bar, &d, &r), LIM_ERROR_ARGUMENT, "inner_submesh");
    }
    d.inner_submesh = -1;
    const double wild[] = {NAN, INFINITY, -INFINITY, 1e300};
    for (int i = 0; i < 24; ++i) {
        edit_sweep bad = good;
        lim_point* at = i % 2 == 0 ? &bad.tip[i % 4] : &bad.back[i % 3];
        *(i % 3 == 0 ? &at->x : i % 3 == 1 ? &at->y : &at->z) = wild[i / 6];
        d.tips = bad.tip;
        d.backs = bad.back;
        REFUSED(&s, lim_body_cut(s.world, s.bar, &d, &r), LIM_ERROR_ARGUMENT,
                i % 2 == 0 ? "tips" : "backs");
    }
    CHECK(r.nodes_before == 0 && !r.changed);
    scene_free(&s);
}

/* Blades that are numbers, and no blades. */
static void cuts_with_blades_that_are_none(void) {
    scene s;
    scene_make(&s);
    for (int what = 0; what < 6; ++what) {
        edit_sweep b = edit_blade_at(0.2, 1, 0.5, -0.5);
        for (int i = 0; i < EDIT_STATIONS; ++i) {
            lim_point middle = {0.2, 1.0 - 0.1 * i, 0};
            switch (what) {
            case 0: /* no length */
                b.back[i] = b.tip[i];
                break;
            case 1: /* does not move */
                b.tip[i] = b.tip[0];
                b.back[i] = b.back[0];
                break;
            case 2: /* a point */
                b.tip[i] = b.back[i] = middle;
                break;
            case 3: /* along itself */
                b.tip[i] = (lim_point){0.2, 1, -0.3 + 0.1 * i};
                b.back[i] = (lim_point){0.2, 1, 0.1 * i};
                break;
            case 4: /* there and back on the same way */
                b = i == 0 ? edit_blade_at(0.2, 1, 0.5, -0.5) : b;
                b.tip[i].y = b.back[i].y = 1.0 + (i % 2 == 0 ? 0.3 : -0.3);
                b.tip[i].x = b.back[i].x = 0.2;
                break;
            default: /* no length that counts */
                b.back[i] = b.tip[i];
                b.back[i].z += 1e-12;
                break;
            }
        }
        lim_cut_desc d = edit_cut_desc(&b, false, 0);
        lim_edit_report r;
        lim_result got = lim_body_cut(s.world, s.bar, &d, &r);
        if (got == LIM_OK) { /* a blade with nothing to cut may be one that missed */
            CHECK(!r.changed);
            printf("  blade %d: taken as one that misses\n", what);
            scene_note(&s);
        } else {
            REFUSED(&s, got, LIM_ERROR_ARGUMENT, "lim_body_cut: ");
        }
    }
    scene_free(&s);
}

/* What misses is no error, and changes no body. */
static void blades_that_miss(void) {
    scene s;
    scene_make(&s);
    lim_edit_report r;
    int32_t nodes = edit_nodes(s.world, s.bar);
    const topology* t = s.world->bodies[s.bar.index]->body.topology;
    const double at[][2] = {{5, 1}, {0.2, 9}, {1e5, 1}, {-1e6, -1e6}, {0.62, 1}};
    for (int i = 0; i < 5; ++i) {
        CHECK(edit_cut_at(s.world, s.bar, at[i][0], at[i][1], 0.5, -0.5, false, &r) == LIM_OK);
        CHECK(!r.changed && edit_nodes(s.world, s.bar) == nodes);
        CHECK(s.world->bodies[s.bar.index]->body.topology == t);
        CHECK(edit_cut_at(s.world, s.bar, at[i][0], at[i][1] - 1, 0.5, -0.5, true, &r) == LIM_OK);
        CHECK(!r.changed);
    }
    CHECK(s.l.errors == 0);
    /* Then it cuts as if nothing had been. */
    CHECK(edit_cut_at(s.world, s.bar, 0.2, 1, 0.5, -0.5, false, &r) == LIM_OK && r.changed);
    CHECK(r.pieces == 2 && r.nodes_before == nodes && r.nodes_after == edit_nodes(s.world, s.bar));
    CHECK(r.cut_triangles > 0 && r.inner_triangles > 0 && r.new_nodes > 0);
    scene_free(&s);
}

/* Blades far larger than the body, with very many stations, with tiny ones. */
static void blades_of_any_size(void) {
    scene s;
    scene_make(&s);
    lim_edit_report r;
    const double size[] = {1e3, 1e6, 1e2};
    for (int i = 0; i < 3; ++i) {
        double h = size[i];
        lim_point tip[2] = {{0.1 * i + 0.013, -h, -h}, {0.1 * i + 0.017, h, -h}};
        lim_point back[2] = {{0.1 * i + 0.011, -h, h}, {0.1 * i + 0.016, h, h}};
        lim_cut_desc d = lim_cut_desc_default();
        d.count = 2;
        d.tips = tip;
        d.backs = back;
        lim_result got = lim_body_cut(s.world, s.bar, &d, &r);
        CHECK(got == LIM_OK || got == LIM_ERROR_TOO_LARGE || got == LIM_ERROR_ARGUMENT);
        if (got != LIM_OK) {
            printf("  blade of %g m: %s, \"%s\"\n", h, lim_result_name(got), s.l.text);
            CHECK(lim_world_hash(s.world) == s.hash && s.l.memory.held == s.held);
        }
        scene_note(&s);
    }
    enum { MANY = 4096 };
    static lim_point tip[MANY], back[MANY];
    for (int i = 0; i < MANY; ++i) {
        double u = (double)i / (MANY - 1);
        tip[i] = (lim_point){-0.2 + 0.03 * u, 1.4 - 0.8 * u, -0.3};
        back[i] = (lim_point){-0.21 + 0.03 * u, 1.4 - 0.8 * u, 0.3};
    }
    lim_cut_desc d = lim_cut_desc_default();
    d.count = MANY;
    d.tips = tip;
    d.backs = back;
    int32_t before = s.world->bodies[s.bar.index]->body.topology->component_count;
    CHECK(lim_body_cut(s.world, s.bar, &d, &r) == LIM_OK && r.changed && r.pieces == before + 1);
    edit_steps(s.world, 3);
    scene_free(&s);
}

static lim_model* kind_model(lim_kind kind, lim_region_kind sums) {
    const int32_t cells[3] = {12, 3, 3};
    lim_mesh* mesh = NULL;
    lim_model* model = NULL;
    lim_model_desc m = lim_model_desc_default();
    m.node_count = 100;
    m.kind = kind;
    m.regions = sums;
    CHECK(box_mesh(1.2, 0.3, 0.3, cells, NULL, &mesh) == LIM_OK);
    CHECK(lim_model_create(mesh, &m, NULL, &model) == LIM_OK);
    lim_mesh_destroy(mesh);
    return model;
}

static void other_kinds_are_refused(void) {
    for (int k = 0; k < 2; ++k) {
        scene s;
        scene_make(&s);
        lim_model* model =
            kind_model(k == 0 ? LIM_KIND_LATTICE : LIM_KIND_POINTS, LIM_REGIONS_BLENDED);
        lim_body other = edit_body(s.world, model, 3, 1);
        edit_steps(s.world, 2);
        scene_note(&s);
        edit_sweep b = edit_blade_at(3.1, 1, 0.5, -0.5);
        lim_cut_desc d = edit_cut_desc(&b, false, 0);
        lim_refine_desc f = edit_ball(3, 1, 0.2, 0);
        lim_detail e = lim_detail_default();
        lim_edit_report r;
        lim_body made[2];
        int32_t count = 9;
        lim_result no = LIM_ERROR_UNSUPPORTED;
        const char* why = k == 0 ? "LIM_KIND_OCTREE" : "bodies of points";
        REFUSED(&s, lim_body_refine(s.world, other, &f, &r), no, why);
        REFUSED(&s, lim_body_coarsen(s.world, other, &f, &r), no, why);
        REFUSED(&s, lim_body_set_detail(s.world, other, &e), no, why);
        if (k == 1) {
            REFUSED(&s, lim_body_cut(s.world, other, &d, &r), no, why);
            REFUSED(&s, lim_body_split(s.world, other, made, 2, &count), no, why);
            CHECK(count == 0);
        }
        lim_model* now = NULL;
        CHECK(lim_body_get_model(s.world, other, &now) == LIM_OK && now != NULL);
        CHECK(lim_model_get_info(now).nodes == lim_model_get_info(model).nodes);
        lim_model_destroy(now);
        scene_free(&s);
        lim_model_destroy(model);
    }
}

/* Octrees with the regions of the paper are edited as others are. */
static void interval_regions_are_edited(void) {
    scene s;
    scene_make(&s);
    lim_model* model = kind_model(LIM_KIND_OCTREE, LIM_REGIONS_INTERVAL);
    lim_body other = edit_body(s.world, model, 3, 1);
    edit_steps(s.world, 2);
    lim_refine_desc f = edit_ball(3, 1, 0.2, 0);
    CHECK(edit_cut_at(s.world, other, 3.1, 1, 0.5, 0.0, false, NULL) == LIM_OK);
    CHECK(lim_body_coarsen(s.world, other, &f, NULL) == LIM_OK);
    CHECK(edit_cut_at(s.world, other, 3.1, 1, 0.0, -0.5, true, NULL) == LIM_OK);
    CHECK(edit_split(s.world, other) == 1);
    CHECK(s.world->bodies[other.index]->body.topology->region_kind == LIM_REGIONS_INTERVAL);
    edit_steps(s.world, 30);
    CHECK(edit_motion(s.world, other).strain < 0.5 && !edit_motion(s.world, other).frozen);
    scene_free(&s);
    lim_model_destroy(model);
}

static void refining_with_wrong_descriptors(void) {
    scene s;
    scene_make(&s);
    lim_edit_report r;
    for (int finer = 0; finer < 2; ++finer) {
        lim_result (*call)(lim_world*, lim_body, const lim_refine_desc*, lim_edit_report*) =
            finer != 0 ? lim_body_refine : lim_body_coarsen;
        lim_refine_desc d = edit_ball(0.2, 1, 0.2, 0);
        REFUSED(&s, call(NULL, s.bar, &d, &r), LIM_ERROR_ARGUMENT, NULL);
        REFUSED(&s, call(s.world, s.bar, NULL, &r), LIM_ERROR_ARGUMENT, "desc is null");
        REFUSED(&s, call(s.world, (lim_body){0}, &d, &r), LIM_ERROR_ID, "");
        d.cookie++;
        REFUSED(&s, call(s.world, s.bar, &d, &r), LIM_ERROR_DESC, "lim_refine_desc_default");
        const lim_shape shapes[] = {LIM_SHAPE_PLANE, LIM_SHAPE_CAPSULE, (lim_shape)77,
                                    (lim_shape)-1};
        for (int i = 0; i < 4; ++i) {
            d = edit_ball(0.2, 1, 0.2, 0);
            d.shape = shapes[i];
            REFUSED(&s, call(s.world, s.bar, &d, &r), LIM_ERROR_ARGUMENT,
                    "neither LIM_SHAPE_SPHERE nor LIM_SHAPE_BOX");
        }
        d = edit_ball(0.2, 1, 1e38, 0);
        REFUSED(&s, call(s.world, s.bar, &d, &r), LIM_ERROR_ARGUMENT, "1e-9 to 1e6");
        const double wild[] = {NAN, INFINITY, -1, -INFINITY};
        for (int i = 0; i < 4; ++i) {
            d = edit_ball(0.2, 1, wild[i], 0);
            REFUSED(&s, call(s.world, s.bar, &d, &r), LIM_ERROR_ARGUMENT, "size");
            d = edit_ball(0.2, 1, 0.2, wild[i]);
            REFUSED(&s, call(s.world, s.bar, &d, &r), LIM_ERROR_ARGUMENT, "cell_size");
            if (i != 2) {
                d = edit_ball(wild[i], 1, 0.2, 0);
                REFUSED(&s, call(s.world, s.bar, &d, &r), LIM_ERROR_ARGUMENT, "position");
            }
        }
        /* Shapes with nothing in them, and cells that are as wished: nothing to do. */
        d = edit_ball(50, 1, 0.2, 0);
        REFUSED(&s, call(s.world, s.bar, &d, &r), LIM_OK, NULL);
        CHECK(!r.changed && r.nodes_before == r.nodes_after && r.pieces == 1);
        CHECK(call(s.world, s.bar, &d, NULL) == LIM_OK);
    }
    scene_free(&s);
}

static void details_with_wrong_descriptors(void) {
    scene s;
    scene_make(&s);
    lim_detail d = lim_detail_default(), got;
    REFUSED(&s, lim_body_set_detail(NULL, s.bar, &d), LIM_ERROR_ARGUMENT, NULL);
    REFUSED(&s, lim_body_set_detail(s.world, (lim_body){0}, &d), LIM_ERROR_ID, "");
    d.cookie++;
    REFUSED(&s, lim_body_set_detail(s.world, s.bar, &d), LIM_ERROR_DESC, "lim_detail_default");
    const float wild[] = {NAN, INFINITY, -1.0f};
    for (int k = 0; k < 8; ++k) {
        static const char* const NAMES[] = {"angle",  "strain_fine", "strain_coarse",
                                            "finest", "coarsest",    "hysteresis",
                                            "touch",  "touch_time"};
        for (int i = 0; i < 3; ++i) {
            d = lim_detail_default();
            float* field[] = {&d.angle,    &d.strain_fine, &d.strain_coarse, &d.finest,
                              &d.coarsest, &d.hysteresis,  &d.touch,         &d.touch_time};
            *field[k] = wild[i];
            REFUSED(&s, lim_body_set_detail(s.world, s.bar, &d), LIM_ERROR_ARGUMENT, NAMES[k]);
        }
    }
    d = lim_detail_default();
    d.nodes = -1;
    REFUSED(&s, lim_body_set_detail(s.world, s.bar, &d), LIM_ERROR_ARGUMENT, "nodes");
    d = lim_detail_default();
    d.strain_fine = 0.1f;
    d.strain_coarse = 0.2f;
    REFUSED(&s, lim_body_set_detail(s.world, s.bar, &d), LIM_ERROR_ARGUMENT, "strain_coarse");
    d = lim_detail_default();
    d.finest = 0.4f;
    d.coarsest = 0.1f;
    REFUSED(&s, lim_body_set_detail(s.world, s.bar, &d), LIM_ERROR_ARGUMENT, "coarsest");
    CHECK(!lim_body_get_detail(s.world, s.bar, &got) && got.hysteresis == 1.5f);
    CHECK(!lim_body_get_detail(NULL, s.bar, &got) && !lim_body_get_detail(s.world, s.bar, NULL));
    lim_world_detail w = lim_world_detail_default();
    REFUSED(&s, lim_world_set_detail(NULL, &w), LIM_ERROR_ARGUMENT, NULL);
    REFUSED(&s, lim_world_set_detail(s.world, NULL), LIM_ERROR_ARGUMENT, "detail is null");
    w.eye.y = NAN;
    REFUSED(&s, lim_world_set_detail(s.world, &w), LIM_ERROR_ARGUMENT, "eye");
    w = lim_world_detail_default();
    w.nodes = -1;
    REFUSED(&s, lim_world_set_detail(s.world, &w), LIM_ERROR_ARGUMENT, "nodes");
    w = lim_world_detail_default();
    w.work = -5;
    REFUSED(&s, lim_world_set_detail(s.world, &w), LIM_ERROR_ARGUMENT, "work");
    scene_free(&s);
}

/* A zone says where a body tears, not what it weighs. */
static void fractures_with_wrong_zones(void) {
    scene s;
    scene_make(&s);
    lim_zone zone = lim_zone_default();
    zone.size.x = 0.2f;
    zone.density = 2.0f;
    lim_fracture f = lim_fracture_default();
    f.strain = 0.1f;
    f.zones = &zone;
    f.zone_count = 1;
    REFUSED(&s, lim_body_set_fracture(s.world, s.bar, &f), LIM_ERROR_ARGUMENT, "zones.density");
    scene_free(&s);
}

/* Of a pointer that is not there the text has the call and the name. */
static void null_pointers_are_named(void) {
    scene s;
    scene_make(&s);
    lim_point p = {0};
    lim_vec3 down = {0, -1, 0};
    lim_world* w = s.world;
    lim_result no = LIM_ERROR_ARGUMENT;
    REFUSED(&s, lim_body_create(w, NULL, NULL), no, "lim_body_create: desc is null");
    REFUSED(&s, lim_body_get_motion(w, s.bar, NULL), no, "lim_body_get_motion: out is null");
    REFUSED(&s, lim_body_get_skin(w, s.bar, NULL), no, "lim_body_get_skin: out is null");
    REFUSED(&s, lim_body_set_material(w, s.bar, NULL), no, "material is null");
    REFUSED(&s, lim_collider_create(w, NULL, NULL), no, "lim_collider_create: desc is null");
    REFUSED(&s, lim_pin_create(w, NULL, NULL), no, "lim_pin_create: desc is null");
    REFUSED(&s, lim_grab_create(w, NULL, NULL), no, "lim_grab_create: desc is null");
    REFUSED(&s, lim_link_create(w, NULL, NULL), no, "lim_link_create: desc is null");
    REFUSED(&s, lim_world_pick(w, p, down, 9, NULL), no, "lim_world_pick: out_hit is null");
    REFUSED(&s, lim_snapshot_create(w, NULL), no, "out_snapshot is null");
    REFUSED(&s, lim_snapshot_restore(w, NULL), no, "snapshot is null");
    REFUSED(&s, lim_world_save(w, NULL, 0, NULL), no, "out_size is null");
    scene_free(&s);
}

static void splits_with_wrong_arguments(void) {
    scene s;
    scene_make(&s);
    lim_body made[4] = {{0}};
    int32_t count = 77;
    REFUSED(&s, lim_body_split(NULL, s.bar, made, 4, &count), LIM_ERROR_ARGUMENT, NULL);
    CHECK(count == 0);
    REFUSED(&s, lim_body_split(s.world, s.bar, NULL, 4, &count), LIM_ERROR_ARGUMENT, "capacity");
    REFUSED(&s, lim_body_split(s.world, s.bar, made, -1, &count), LIM_ERROR_ARGUMENT, "capacity");
    REFUSED(&s, lim_body_split(s.world, s.bar, NULL, 0, NULL), LIM_ERROR_ARGUMENT, "out_count");
    REFUSED(&s, lim_body_split(s.world, (lim_body){3, 3}, made, 4, &count), LIM_ERROR_ID, "");
    count = 77;
    REFUSED(&s, lim_body_split(s.world, s.bar, made, 4, &count), LIM_OK, NULL); /* one piece */
    CHECK(count == 0);
    count = 77;
    REFUSED(&s, lim_body_split(s.world, s.bar, NULL, 0, &count), LIM_OK, NULL);
    CHECK(count == 0);
    CHECK(edit_cut_at(s.world, s.bar, 0.2, 1, 0.5, -0.5, false, NULL) == LIM_OK);
    CHECK(edit_cut_at(s.world, s.bar, 0.0, 1, 0.5, -0.5, false, NULL) == LIM_OK);
    scene_note(&s);
    /* How many there would be is told, and no id is lost: without room for all nothing is made. */
    REFUSED(&s, lim_body_split(s.world, s.bar, NULL, 0, &count), LIM_OK, NULL);
    CHECK(count == 2);
    count = 77;
    REFUSED(&s, lim_body_split(s.world, s.bar, made, 1, &count), LIM_ERROR_ARGUMENT, "2 pieces");
    CHECK(count == 2 && made[0].generation == 0);
    REFUSED(&s, lim_body_split(s.world, s.bar, made, 0, &count), LIM_ERROR_ARGUMENT, "2 pieces");
    CHECK(lim_body_split(s.world, s.bar, made, 2, &count) == LIM_OK && count == 2);
    CHECK(lim_body_is_valid(s.world, made[0]) && lim_body_is_valid(s.world, made[1]) &&
          made[2].generation == 0);
    CHECK(edit_cut_at(s.world, s.bar, -0.2, 1, 0.5, -0.5, false, NULL) == LIM_OK);
    CHECK(lim_body_split(s.world, s.bar, made, 4, NULL) == LIM_OK);
    int bodies = 0;
    for (lim_body b = lim_body_next(s.world, (lim_body){0}); b.generation != 0;
         b = lim_body_next(s.world, b)) {
        lim_body from;
        const int32_t* vertex;
        CHECK(lim_body_get_origin(s.world, b, &from, &vertex, &count) == LIM_OK);
        CHECK((from.generation != 0) == (b.index != s.bar.index) &&
              (vertex != NULL) == (count > 0));
        bodies++;
    }
    CHECK(bodies == 4);
    CHECK(lim_body_get_origin(NULL, s.bar, NULL, NULL, &count) == LIM_ERROR_ARGUMENT);
    CHECK(lim_body_get_origin(s.world, (lim_body){99, 9}, NULL, NULL, NULL) == LIM_ERROR_ID);
    edit_steps(s.world, 5);
    scene_free(&s);
}

static void models_of_bodies(void) {
    scene s;
    scene_make(&s);
    lim_model* now = (lim_model*)&s;
    int32_t count = 9;
    REFUSED(&s, lim_body_get_model(NULL, s.bar, &now), LIM_ERROR_ARGUMENT, NULL);
    CHECK(now == NULL);
    REFUSED(&s, lim_body_get_model(s.world, s.bar, NULL), LIM_ERROR_ARGUMENT, "out_model is null");
    REFUSED(&s, lim_body_get_model(s.world, (lim_body){0}, &now), LIM_ERROR_ID, "");
    CHECK(lim_model_get_sources(NULL, &count) == NULL && count == 0);
    CHECK(lim_model_get_sources(s.model, &count) == NULL && count == 0);
    CHECK(edit_cut_at(s.world, s.bar, 0.2, 1, 0.5, 0.0, false, NULL) == LIM_OK);
    CHECK(lim_body_get_model(s.world, s.bar, &now) == LIM_OK && now != NULL);
    const lim_vertex_source* source = lim_model_get_sources(now, &count);
    lim_skin_view skin;
    CHECK(lim_body_get_skin(s.world, s.bar, &skin) == LIM_OK && source != NULL && count > 0);
    CHECK(count + 26 * 49 > 0 && skin.vertex_count == lim_model_get_surface(now).vertex_count);
    /* It lives on without the body, and makes others that are cut from the start. */
    CHECK(lim_body_destroy(s.world, s.bar) == LIM_OK);
    lim_body twin = edit_body(s.world, now, 0, 1);
    CHECK(edit_cut_at(s.world, twin, 0.2, 1, 0.5, -0.5, false, NULL) == LIM_OK);
    lim_body made[4];
    edit_sweep through = edit_blade_at(-0.1, 1, 0.5, -0.5);
    lim_cut_desc d = edit_cut_desc(&through, false, 1);
    CHECK(lim_body_cut(s.world, twin, &d, NULL) == LIM_OK);
    CHECK(lim_body_split(s.world, twin, made, 4, &count) == LIM_OK && count >= 1);
    edit_steps(s.world, 3);
    lim_model_destroy(now);
    scene_free(&s);
}

/* Which submesh the faces of cuts are in: one more than the mesh has, or as asked, also while a
 * stroke goes on. */
static void submeshes_of_cuts(void) {
    scene s;
    scene_make(&s);
    edit_sweep a = edit_blade_at(0.2, 1, 0.5, 0.1), b = edit_blade_at(0.2, 1, 0.1, -0.1);
    lim_cut_desc first = edit_cut_desc(&a, false, 0), more = edit_cut_desc(&b, true, 0);
    CHECK(lim_body_cut(s.world, s.bar, &first, NULL) == LIM_OK);
    const topology* t = s.world->bodies[s.bar.index]->body.topology;
    CHECK(t->submesh_count == 2);
    scene_note(&s);
    edit_move_stroke(s.world, s.bar, &b);
    more.inner_submesh = 2; /* where this stroke began there is none before it */
    REFUSED(&s, lim_body_cut(s.world, s.bar, &more, NULL), LIM_ERROR_ARGUMENT, "inner_submesh");
    more.inner_submesh = 0;
    CHECK(lim_body_cut(s.world, s.bar, &more, NULL) == LIM_OK);
    t = s.world->bodies[s.bar.index]->body.topology;
    for (int32_t i = 0; i < t->triangle_count; ++i) {
        CHECK(t->submesh[i] >= 0 && t->submesh[i] < t->submesh_count);
    }
    edit_sweep c = edit_blade_at(-0.2, 1, 0.5, -0.5);
    lim_cut_desc other = edit_cut_desc(&c, false, 0);
    other.inner_submesh = 0;
    CHECK(lim_body_cut(s.world, s.bar, &other, NULL) == LIM_OK);
    lim_model* now = NULL;
    CHECK(lim_body_get_model(s.world, s.bar, &now) == LIM_OK);
    CHECK(lim_model_get_surface(now).vertex_count > 0);
    lim_model_destroy(now);
    edit_steps(s.world, 3);
    scene_free(&s);
}

/* A blade of 60 cm along z that goes down at x, and may be moved aside. */
static lim_cut_desc blade_down(double x, double from, double to, lim_point aside, lim_point at[4]) {
    at[0] = (lim_point){x + aside.x, from + aside.y, -0.3 + aside.z};
    at[2] = (lim_point){x + aside.x, from + aside.y, 0.3 + aside.z};
    at[1] = (lim_point){x, to, -0.3};
    at[3] = (lim_point){x, to, 0.3};
    lim_cut_desc d = lim_cut_desc_default();
    d.count = 2;
    d.tips = at;
    d.backs = at + 2;
    d.continues = true;
    return d;
}

static uint64_t index_revision(const lim_world* world, lim_body id) {
    lim_skin_view skin;
    CHECK(lim_body_get_skin(world, id, &skin) == LIM_OK);
    return skin.index_revision;
}

/* What says that it goes on must: from the last station of a stroke that is there. */
static void strokes_go_on_from_where_they_ended(void) {
    scene s;
    scene_make(&s);
    const lim_point none = {0, 0, 0};
    lim_point at[4], tip = {7, 7, 7}, back = tip;
    lim_cut_desc d = blade_down(0.2, 1.5, 1.1, none, at);
    CHECK(!lim_body_get_stroke(s.world, s.bar, &tip, &back) && tip.x > 6 && back.x > 6);
    REFUSED(&s, lim_body_cut(s.world, s.bar, &d, NULL), LIM_ERROR_ARGUMENT, "no stroke");
    d.continues = false;
    CHECK(lim_body_cut(s.world, s.bar, &d, NULL) == LIM_OK);
    CHECK(lim_body_get_stroke(s.world, s.bar, &tip, &back) && tip.y < 1.11 && back.z > 0.29);
    CHECK(lim_body_get_stroke(s.world, s.bar, NULL, NULL));
    edit_steps(s.world, 1); /* the body may move */
    scene_note(&s);
    const lim_point aside[] = {{0.3, 0, 0}, {0, 0.01, 0}, {0, 0, -0.3}, {-1e-3, 0, 0}};
    for (int i = 0; i < 4; ++i) {
        d = blade_down(0.2, 1.1, 1.0, aside[i], at);
        REFUSED(&s, lim_body_cut(s.world, s.bar, &d, NULL), LIM_ERROR_ARGUMENT, "has ended");
    }
    d = blade_down(0.2, 1.1, 1.0, none, at);
    at[2].x += 0.05; /* only the back */
    REFUSED(&s, lim_body_cut(s.world, s.bar, &d, NULL), LIM_ERROR_ARGUMENT, "0.05 m");
    /* Roundings do not matter. */
    for (int i = 0; i < 4; ++i) {
        d = blade_down(0.2, 1.1 - 0.02 * i, 1.08 - 0.02 * i, (lim_point){2e-5, -1e-5, 1e-5}, at);
        at[0].x = (double)(float)at[0].x;
        at[2].y = (double)(float)at[2].y;
        uint64_t before = index_revision(s.world, s.bar);
        lim_edit_report report;
        CHECK(lim_body_cut(s.world, s.bar, &d, &report) == LIM_OK && report.changed);
        CHECK(index_revision(s.world, s.bar) > before); /* though cut anew from where it began */
    }
    /* Another stroke ends it, and so does a split. */
    lim_cut_desc other = blade_down(-0.2, 1.5, 0.5, none, at);
    other.continues = false;
    CHECK(lim_body_cut(s.world, s.bar, &other, NULL) == LIM_OK);
    scene_note(&s);
    d = blade_down(0.2, 1.02, 0.9, none, at);
    REFUSED(&s, lim_body_cut(s.world, s.bar, &d, NULL), LIM_ERROR_ARGUMENT, "has ended");
    CHECK(edit_split(s.world, s.bar) == 1 && !lim_body_get_stroke(s.world, s.bar, NULL, NULL));
    scene_note(&s);
    d = blade_down(-0.2, 0.5, 0.4, none, at);
    REFUSED(&s, lim_body_cut(s.world, s.bar, &d, NULL), LIM_ERROR_ARGUMENT, "no stroke");
    CHECK(!lim_body_get_stroke(NULL, s.bar, &tip, &back));
    CHECK(!lim_body_get_stroke(s.world, (lim_body){0}, &tip, &back));
    scene_free(&s);
}

/* A reset ends a stroke. */
static void a_reset_ends_a_stroke(void) {
    scene s;
    scene_make(&s);
    lim_point at[4];
    lim_cut_desc d = blade_down(0.2, 1.5, 1.05, (lim_point){0, 0, 0}, at);
    d.continues = false;
    CHECK(lim_body_cut(s.world, s.bar, &d, NULL) == LIM_OK);
    edit_steps(s.world, 2);
    CHECK(lim_body_reset(s.world, s.bar) == LIM_OK);
    scene_note(&s);
    d = blade_down(0.2, 1.05, 0.9, (lim_point){0, 0, 0}, at);
    REFUSED(&s, lim_body_cut(s.world, s.bar, &d, NULL), LIM_ERROR_ARGUMENT, "no stroke");
    scene_free(&s);
}

TEST_SUITE(edit_border) {
    TEST_BEGIN(argc, argv);
    RUN(cuts_with_wrong_descriptors);
    RUN(cuts_with_blades_that_are_none);
    RUN(blades_that_miss);
    RUN(blades_of_any_size);
    RUN(other_kinds_are_refused);
    RUN(interval_regions_are_edited);
    RUN(refining_with_wrong_descriptors);
    RUN(details_with_wrong_descriptors);
    RUN(fractures_with_wrong_zones);
    RUN(null_pointers_are_named);
    RUN(splits_with_wrong_arguments);
    RUN(models_of_bodies);
    RUN(submeshes_of_cuts);
    RUN(strokes_go_on_from_where_they_ended);
    RUN(a_reset_ends_a_stroke);
    TEST_END();
}
