/* SPDX-License-Identifier: MIT
 * What holds a body goes on holding it when it is edited: pins, grabs and links of bodies that are
 * cut, refined, coarsened and split, their loads, and what falls when it was cut off.
 */
#include "edit_kit.h"

static double cell_of(const lim_world* world, lim_body id) {
    const body* b = &world->bodies[id.index]->body;
    return (double)b->topology->cell * body_metres(b);
}

static lim_point middle_of(lim_box b) {
    return (lim_point){0.5 * (b.lower.x + b.upper.x), 0.5 * (b.lower.y + b.upper.y),
                       0.5 * (b.lower.z + b.upper.z)};
}

static double distance(lim_point a, lim_point b) {
    return p3_length(p3_sub(a, b));
}

/* Where the skin is that lies nearest to a place now, and how to ask for it again: a vertex. */
static int32_t vertex_near(const lim_world* world, lim_body id, lim_point at) {
    lim_skin_view v;
    CHECK(lim_body_get_skin(world, id, &v) == LIM_OK);
    int32_t best = 0;
    double least = 1e30;
    for (int32_t i = 0; i < v.vertex_count; ++i) {
        const float* p = &v.positions[3 * i];
        lim_point place = p3_add(v.origin, p3((double)p[0], (double)p[1], (double)p[2]));
        if (distance(place, at) < least) {
            least = distance(place, at);
            best = i;
        }
    }
    return best;
}

static lim_point vertex_at(const lim_world* world, lim_body id, int32_t i) {
    lim_skin_view v;
    CHECK(lim_body_get_skin(world, id, &v) == LIM_OK && i < v.vertex_count);
    const float* p = &v.positions[3 * i];
    return p3_add(v.origin, p3((double)p[0], (double)p[1], (double)p[2]));
}

enum { EDIT_CUT, EDIT_SPLIT, EDIT_REFINE, EDIT_COARSEN, EDIT_ALL, EDIT_KINDS };
static const char* const EDIT_NAMES[] = {"cut", "cut and split", "refined", "coarsened", "all"};

static int edit_kinds(void) {
    return edit_has_levels() ? EDIT_KINDS : EDIT_REFINE;
}

static void do_edit(lim_world* world, lim_body bar, int kind, double x, double y) {
    lim_refine_desc near = edit_ball(x, y, 0.5, 0), all = edit_ball(x, y, 3, 0.1);
    if (kind == EDIT_REFINE || kind == EDIT_ALL) {
        lim_edit_report r;
        CHECK(lim_body_refine(world, bar, &near, &r) == LIM_OK && r.changed);
    }
    if (kind == EDIT_CUT || kind == EDIT_SPLIT || kind == EDIT_ALL) {
        lim_edit_report r;
        CHECK(edit_cut_at(world, bar, x + 0.11, y, 0.5, -1.2, false, &r) == LIM_OK);
        CHECK(r.changed && r.pieces == 2);
    }
    if (kind == EDIT_COARSEN || kind == EDIT_ALL) {
        CHECK(lim_body_coarsen(world, bar, &all, NULL) == LIM_OK);
    }
    if (kind == EDIT_SPLIT || kind == EDIT_ALL) {
        CHECK(edit_split(world, bar) > 0);
    }
}

/* A bar that hangs on a hard pin at its left end: what is held there stays to a hundredth of a
 * cell, and the pin carries what is left of the weight. */
static void pins_hold_edited_bodies(void) {
    lim_model* model = edit_bar(200, 1, NULL);
    for (int kind = 0; kind < edit_kinds(); ++kind) {
        lim_world* world = edit_world(NULL, 1);
        lim_body bar = edit_body(world, model, 0, 1);
        lim_pin pin = edit_pin(world, bar, -0.5, 1, 0.4, 0.0f);
        edit_steps(world, 30);
        int32_t v = vertex_near(world, bar, (lim_point){-0.6, 1.15, 0.15});
        lim_point at = vertex_at(world, bar, v);
        int32_t held = lim_pin_node_count(world, pin);
        do_edit(world, bar, kind, 0, 1);
        CHECK(distance(vertex_at(world, bar, v), at) < 0.01 * cell_of(world, bar));
        CHECK(held > 0 && lim_pin_node_count(world, pin) > 0);
        double most = 0;
        lim_point mean = {0};
        for (int i = 0; i < 240; ++i) {
            edit_steps(world, 1);
            double off = distance(vertex_at(world, bar, v), at);
            most = i < 60 && off > most ? off : most;
            lim_load load;
            CHECK(lim_pin_get_load(world, pin, &load) == LIM_OK);
            lim_point f = {(double)load.force.x, (double)load.force.y, (double)load.force.z};
            CHECK(isfinite(f.x) && isfinite(f.y) && isfinite(f.z));
            mean = i >= 180 ? p3_mad(mean, f, 1.0 / 60) : mean;
        }
        /* What was cut off falls, with or without a split, and the pin has the rest. */
        edit_split(world, bar);
        double weight = 9.81 * edit_motion(world, bar).mass;
        printf("  %s: moves by %.4f cells, carries %.1f N of %.1f\n", EDIT_NAMES[kind],
               most / cell_of(world, bar), fabs(mean.y), weight);
        CHECK(most < 0.01 * cell_of(world, bar));
        CHECK_NEAR(fabs(mean.y), weight, 0.05 * weight);
        lim_world_destroy(world);
    }
    lim_model_destroy(model);
}

/* Grabs keep the point that they hold. */
static void grabs_hold_edited_bodies(void) {
    lim_model* model = edit_bar(200, 1, NULL);
    for (int hard = 0; hard < 2; ++hard) {
        for (int kind = 0; kind < edit_kinds(); ++kind) {
            lim_world* world = edit_world(NULL, 1);
            CHECK(lim_world_set_gravity(world, (lim_vec3){0, 0, 0}) == LIM_OK);
            lim_body bar = edit_body(world, model, 0, 1);
            lim_grab grab = edit_grab(world, bar, -0.6, 1, hard != 0);
            edit_steps(world, 10);
            lim_point before, after;
            CHECK(lim_grab_get_point(world, grab, &before) == LIM_OK);
            do_edit(world, bar, kind, 0, 1);
            CHECK(lim_grab_get_point(world, grab, &after) == LIM_OK);
            double jump = distance(before, after), most = 0;
            for (int i = 0; i < 60; ++i) {
                edit_steps(world, 1);
                CHECK(lim_grab_get_point(world, grab, &after) == LIM_OK);
                most = fmax(most, distance(before, after));
            }
            if (jump > 0.01 * cell_of(world, bar) || most > 0.01 * cell_of(world, bar)) {
                printf("  %s grab, %s: jumps %.4f cells, moves %.4f\n", hard ? "hard" : "soft",
                       EDIT_NAMES[kind], jump / cell_of(world, bar), most / cell_of(world, bar));
                CHECK(false);
            }
            lim_load load;
            CHECK(lim_grab_get_load(world, grab, &load) == LIM_OK && isfinite(load.force.x));
            lim_world_destroy(world);
        }
    }
    lim_model_destroy(model);
}

/* A bar tied to a pinned one above it: each of the two is edited in turn. */
static void links_hold_edited_bodies(void) {
    lim_model* model = edit_bar(200, 1, NULL);
    for (int which = 0; which < 2; ++which) {
        for (int kind = 0; kind < edit_kinds(); ++kind) {
            lim_world* world = edit_world(NULL, 1);
            lim_body top = edit_body(world, model, 0, 1.3), low = edit_body(world, model, 0, 1.0);
            edit_pin(world, top, 0, 1.3, 0.7, 0.0f);
            lim_link link = edit_link(world, low, top, -0.3, 1.1);
            edit_steps(world, 120);
            float gap = 0, most = 0;
            CHECK(lim_link_get_gap(world, link, NULL, &gap) == LIM_OK);
            double cell = cell_of(world, low);
            do_edit(world, which == 0 ? low : top, kind, 0, which == 0 ? 1.0 : 1.3);
            CHECK(lim_link_is_valid(world, link) && lim_link_node_count(world, link) > 0);
            for (int i = 0; i < 60; ++i) {
                edit_steps(world, 1);
                float now = 0;
                CHECK(lim_link_get_gap(world, link, NULL, &now) == LIM_OK && isfinite(now));
                most = now > most ? now : most;
            }
            if ((double)most > (double)gap + 0.01 * cell) {
                printf("  %s %s: gap %.4f cells before, then up to %.4f\n",
                       which == 0 ? "body" : "other", EDIT_NAMES[kind], (double)gap / cell,
                       (double)most / cell);
                CHECK(false);
            }
            lim_load load;
            CHECK(lim_link_get_load(world, link, &load) == LIM_OK && isfinite(load.force.y));
            lim_world_destroy(world);
        }
    }
    lim_model_destroy(model);
}

static bool same_body(lim_body a, lim_body b) {
    return a.index == b.index && a.generation == b.generation;
}

static bool is_piece(const lim_event* e, lim_body piece, lim_body from) {
    return e->kind == LIM_EVENT_PIECE && same_body(e->body, piece) && same_body(e->other, from);
}

static int32_t count_pieces(const lim_world* world) {
    lim_event e[64];
    int32_t events = 0, count = 0;
    CHECK(lim_world_get_events(world, e, 64, &events) == LIM_OK && events <= 64);
    for (int32_t i = 0; i < events; ++i) {
        count += e[i].kind == LIM_EVENT_PIECE;
    }
    return count;
}

static lim_body split_off(lim_world* world, lim_body bar, double x) {
    lim_body made[2] = {{0}};
    int32_t count = 0;
    CHECK(edit_cut_at(world, bar, x, edit_motion(world, bar).centre.y, 0.6, -0.9, false, NULL) ==
          LIM_OK);
    CHECK(lim_body_split(world, bar, made, 2, &count) == LIM_OK && count == 1);
    return made[0];
}

/* The loop of a game: edit, move on, ask what has happened. Each piece is told once, before all
 * that the step itself has brought. */
static void pieces_are_told_with_the_next_step(void) {
    lim_model* model = edit_bar(200, 1, NULL);
    lim_world* world = edit_world(NULL, 1);
    lim_body bar = edit_body(world, model, 0, 3);
    lim_event e[64];
    int32_t events = 0;
    edit_steps(world, 2);
    lim_body first = split_off(world, bar, 0.3), second = split_off(world, bar, -0.3);
    CHECK(count_pieces(world) == 0); /* the list is still that of the last step */
    edit_steps(world, 1);
    CHECK(lim_world_get_events(world, e, 64, &events) == LIM_OK && events >= 2 && events <= 64);
    CHECK(is_piece(&e[0], first, bar) && is_piece(&e[1], second, bar) && count_pieces(world) == 2);
    edit_steps(world, 1);
    CHECK(count_pieces(world) == 0);

    lim_body third = split_off(world, bar, 0.0);
    int32_t steps = 1;
    CHECK(lim_world_advance(world, 1e-3f, &steps) == LIM_OK && steps == 0);
    CHECK(count_pieces(world) == 0);
    CHECK(lim_world_advance(world, 0.04f, &steps) == LIM_OK && steps == 2);
    CHECK(lim_world_get_events(world, e, 64, &events) == LIM_OK && events >= 1);
    CHECK(is_piece(&e[0], third, bar) && count_pieces(world) == 1);
    CHECK(lim_world_advance(world, 1.0f / 60.0f, &steps) == LIM_OK && count_pieces(world) == 0);

    lim_snapshot* kept = NULL;
    CHECK(lim_snapshot_create(world, &kept) == LIM_OK);
    split_off(world, first, edit_motion(world, first).centre.x);
    CHECK(lim_snapshot_restore(world, kept) == LIM_OK); /* before it came off */
    edit_steps(world, 1);
    CHECK(count_pieces(world) == 0);
    lim_snapshot_destroy(kept);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* A hanging bar is cut in two: the held piece stays, the free one falls as a stone does, and the
 * event says where it came from. */
static void the_free_piece_falls(void) {
    lim_model* model = edit_bar(200, 1, NULL);
    lim_world* world = edit_world(NULL, 1);
    lim_body bar = edit_body(world, model, 0, 1);
    edit_pin(world, bar, -0.45, 1, 0.25, 0.0f);
    edit_steps(world, 240);
    lim_body_motion whole = edit_motion(world, bar);
    CHECK(edit_cut_at(world, bar, 0.1, 1, 0.6, -0.9, false, NULL) == LIM_OK);
    lim_body made[2];
    int32_t count = 0, events = 0;
    CHECK(lim_body_split(world, bar, made, 2, &count) == LIM_OK && count == 1);
    lim_event e[8];
    lim_body_motion held = edit_motion(world, bar), free_one = edit_motion(world, made[0]);
    CHECK(held.bounds.lower.x >= whole.bounds.lower.x - 1e-3);
    lim_point from = free_one.centre, stays = middle_of(held.bounds);
    edit_steps(world, 1);
    CHECK(lim_world_get_events(world, e, 8, &events) == LIM_OK && events >= 1);
    CHECK(is_piece(&e[0], made[0], bar));
    edit_steps(world, 29);
    CHECK(lim_world_get_events(world, e, 8, &events) == LIM_OK && events == 0);
    lim_point fell = edit_motion(world, made[0]).centre;
    lim_point stayed = middle_of(edit_motion(world, bar).bounds);
    printf("  fell %.3f m, the other moved %.3f\n", from.y - fell.y, distance(stays, stayed));
    /* Where it bends as softly as its modulus says it still swings when it is cut, and what is held
     * flicks it up. */
    bool soft = edit_kind == LIM_KIND_HEX;
    double rises = soft ? free_one.momentum[1] / free_one.mass : 0.0;
    CHECK_NEAR(from.y - fell.y, 0.5 * 9.81 * 0.25 - 0.5 * rises, soft ? 0.2 : 0.12);
    CHECK(distance(stays, stayed) < 0.25);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* Pieces of a bar that has not moved are as they are at rest, and say so: a piece's own pose
 * counts, not that of the body it came from. */
static void pieces_at_rest_have_no_strain(void) {
    lim_model* model = edit_bar(200, 1, NULL);
    lim_world* world = edit_world(NULL, 1);
    lim_body bar = edit_body(world, model, 0, 1);
    lim_body piece = split_off(world, bar, 0.1);
    CHECK_NEAR(edit_motion(world, bar).strain, 0.0, 1e-5);
    CHECK_NEAR(edit_motion(world, piece).strain, 0.0, 1e-5);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* One pin over a place that is cut through: both pieces are held, each by a pin. */
static void a_pin_on_both_sides_of_a_cut(void) {
    lim_model* model = edit_bar(200, 1, NULL);
    lim_world* world = edit_world(NULL, 1);
    lim_body bar = edit_body(world, model, 0, 1);
    lim_pin pin = edit_pin(world, bar, 0.05, 1, 0.2, 0.0f);
    edit_steps(world, 60);
    CHECK(edit_cut_at(world, bar, 0.05, 1, 0.5, -0.5, false, NULL) == LIM_OK);
    lim_body made[2];
    int32_t count = 0;
    CHECK(lim_body_split(world, bar, made, 2, &count) == LIM_OK && count == 1);
    CHECK(lim_pin_node_count(world, pin) > 0);
    lim_point a = middle_of(edit_motion(world, bar).bounds),
              b = middle_of(edit_motion(world, made[0]).bounds);
    edit_steps(world, 60);
    CHECK(distance(a, middle_of(edit_motion(world, bar).bounds)) < 0.1);
    CHECK(distance(b, middle_of(edit_motion(world, made[0]).bounds)) < 0.1);
    CHECK(lim_pin_destroy(world, pin) == LIM_OK);
    edit_steps(world, 30);
    CHECK(lim_body_destroy(world, made[0]) == LIM_OK && lim_body_destroy(world, bar) == LIM_OK);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* A soft block hangs by its top and is cut from top to bottom: pins hold both sides of the lips,
 * but for nodes that carry a millionth of a place there. Whoever would move that place by such a
 * node throws it out of the body. */
static void lips_beside_a_pin_stay_calm(void) {
    const int32_t cells[3] = {6, 6, 6};
    const double where[3] = {-0.35, -0.15, 0.35};
    lim_mesh* mesh = NULL;
    lim_model* model = NULL;
    lim_model_desc how = lim_model_desc_default();
    how.kind = edit_kind;
    how.node_count = 300;
    CHECK(box_mesh(1.0, 1.0, 1.0, cells, NULL, &mesh) == LIM_OK);
    CHECK(lim_model_create(mesh, &how, NULL, &model) == LIM_OK);
    for (int k = 0; k < 6; ++k) {
        bool split = k < 3;
        lim_world* world = edit_world(NULL, 1);
        lim_body_desc desc = lim_body_desc_default();
        lim_body block, made[4];
        int32_t count = 0;
        desc.model = model;
        desc.position.y = 2.0;
        desc.material.young = 10e3f;
        desc.material.viscosity = 100.0f;
        desc.self_contact = !split;
        CHECK(lim_body_create(world, &desc, &block) == LIM_OK);
        lim_pin_desc hold = lim_pin_desc_default();
        lim_pin pin;
        hold.body = block;
        hold.shape = LIM_SHAPE_BOX;
        hold.size = (lim_vec3){1, 0.15f, 1};
        hold.position = (lim_point){0, 2.45, 0};
        CHECK(lim_pin_create(world, &hold, &pin) == LIM_OK);
        edit_steps(world, 60);
        lim_edit_report r;
        const double x = where[k % 3];
        const lim_point tips[2] = {{x, 5, -3}, {x, -1, -3}}, backs[2] = {{x, 5, 3}, {x, -1, 3}};
        lim_cut_desc cut = lim_cut_desc_default();
        cut.count = 2;
        cut.tips = tips;
        cut.backs = backs;
        CHECK(lim_body_cut(world, block, &cut, &r) == LIM_OK);
        CHECK(r.pieces == 2);
        if (split) {
            CHECK(lim_body_split(world, block, made, 4, &count) == LIM_OK && count == 1);
        }
        double fastest = 0;
        for (int i = 0; i < 60; ++i) {
            edit_steps(world, 1);
            fastest = fmax(fastest, edit_motion(world, block).speed);
            fastest = split ? fmax(fastest, edit_motion(world, made[0]).speed) : fastest;
        }
        printf("  cut at %.2f: up to %.2f m/s\n", x, fastest);
        CHECK(fastest < 5.0);
        lim_world_destroy(world);
    }
    lim_model_destroy(model);
    lim_mesh_destroy(mesh);
}

TEST_SUITE(edit_holds) {
    TEST_BEGIN(argc, argv);
    RUN(pins_hold_edited_bodies);
    RUN(grabs_hold_edited_bodies);
    RUN(links_hold_edited_bodies);
    RUN(pieces_are_told_with_the_next_step);
    RUN(the_free_piece_falls);
    RUN(pieces_at_rest_have_no_strain);
    RUN_OTHERS(pieces_at_rest_have_no_strain);
    RUN(a_pin_on_both_sides_of_a_cut);
    RUN(lips_beside_a_pin_stay_calm);
    RUN_OTHERS(pins_hold_edited_bodies);
    RUN_OTHERS(grabs_hold_edited_bodies);
    RUN_OTHERS(links_hold_edited_bodies);
    RUN_OTHERS(the_free_piece_falls);
    RUN_OTHERS(a_pin_on_both_sides_of_a_cut);
    RUN_OTHERS(lips_beside_a_pin_stay_calm);
    TEST_END();
}
