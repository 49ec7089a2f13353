/* SPDX-License-Identifier: MIT
 * Who is found to meet whom: the fast tip of a body that turns on the spot, sides of a notch, which
 * belong together at its bottom and meet farther up when it closes; thin plates above each other;
 * and nobody is left out by what is done to look at few.
 */
#include "contact_kit.h"
#include "failing_host.h"
#include "world/world.h"

/* A bar turns on the spot: its mean velocity is zero, its tip goes several cells in a step, and
 * hits a ball that is far from its box at the step's begin. Nobody is passed by: the ball
 * flies the way the tip goes, about as fast, and the bar turns slower. */
static void tips_meet_what_is_in_their_way(void) {
    if (kind_has_points(kind_now)) {
        return; /* hollow bars are thrown apart by this spin */
    }
    lim_model* bar = box_model(0.5, 0.02, 0.03, 400);
    lim_model* ball = ball_model(60);
    const float spin = 30.0f;
    /* contact with bodies comes after the solve there, and meets corners as if they were loose */
    const double share = kind_is_implicit(kind_now) ? 0.5 : 0.6;
    for (int k = 0; k < 3; ++k) {
        lim_world* world = empty_space(1);
        lim_body_desc desc = firm(bar, p3(0, 0, 0));
        desc.angular_velocity = (lim_vec3){0, 0, spin};
        desc.material.young = 4e6f;
        lim_body turns = make(world, &desc);
        desc = firm(ball, p3(0.46, 0.07 + 0.04 * k, 0));
        desc.scale = 0.2f; /* 2 cm */
        lim_body hit = make(world, &desc);
        double before = motion_of(world, turns).angular_momentum[2];
        int32_t contacts = 0;
        for (int step = 0; step < 4; ++step) {
            kit_steps(world, 1);
            contacts += lim_world_get_report(world).body_contacts;
        }
        lim_body_motion m = motion_of(world, hit);
        CHECK(contacts > 0);
        CHECK(m.momentum[1] / m.mass > share * (double)spin * 0.46);
        CHECK(motion_of(world, turns).angular_momentum[2] < 0.999 * before);
        lim_world_destroy(world);
    }
    lim_model_destroy(bar);
    lim_model_destroy(ball);
}

/* How many contacts the step that begins would have of points of the first body with the second,
 * and the other way round. */
static void count_found(lim_world* world, int32_t out[2]) {
    const body_step_input in = {.dt = 1.0 / 60.0, .substeps = 1, .set = world->set};
    CHECK(world_meet_find(world, &in) == LIM_OK);
    out[0] = out[1] = 0;
    for (int32_t i = 0; i < world->meet.pairs.count; ++i) {
        const world_pair* p = &world->meet.pairs.data[i];
        for (int side = 0; side < 2; ++side) {
            out[side] += p->end[side] - p->begin[side];
        }
    }
}

/* Whether patches of the first body are marked where the second one asks. */
static bool is_answered(const lim_world* world) {
    body *asked = &world->bodies[0]->body, *asks = &world->bodies[1]->body;
    int32_t count = asked->topology->surface.patch_count;
    surface_box where;
    bool any = false;
    memset(asked->meeting.shape.wanted.data, 0, (size_t)count);
    if (body_meeting_ask(asks, asked, 1.0 / 60.0, world->set, &where)) {
        pair_answer(&asked->meeting.side, where);
    }
    for (int32_t i = 0; i < count; ++i) {
        any = any || asked->meeting.shape.wanted.data[i] != 0;
    }
    return any;
}

/* The tip and what is in its way find each other, each of them by itself: above one end of the bar
 * and below the other, along every axis, ahead of the bar only. */
static void tips_find_and_are_found(void) {
    if (kind_has_points(kind_now)) {
        return;
    }
    lim_model* bar = box_model(0.5, 0.02, 0.03, 400);
    lim_model* ball = ball_model(60);
    for (int k = 0; k < 6; ++k) {
        double end = k % 2 == 0 ? 1.0 : -1.0;
        float spin = k < 4 ? 30.0f : -30.0f;
        lim_point away = k < 2 || k >= 4 ? p3(0.46 * end, 0.22 * end, 0) : p3(0.46 * end, 0, 0.22);
        lim_world* world = empty_space(1);
        lim_body_desc desc = firm(bar, p3(0, 0, 0));
        desc.angular_velocity =
            k < 2 || k >= 4 ? (lim_vec3){0, 0, spin} : (lim_vec3){0, (float)-end * spin, 0};
        make(world, &desc);
        desc = firm(ball, away);
        desc.scale = 0.2f; /* 2 cm */
        make(world, &desc);
        int32_t found[2];
        count_found(world, found);
        CHECK(k < 4 ? found[0] > 0 && found[1] > 0 : found[0] == 0 && found[1] == 0);
        CHECK(k >= 4 || is_answered(world));
        lim_world_destroy(world);
    }
    lim_model_destroy(bar);
    lim_model_destroy(ball);
}

/* A V whose inner sides look at each other. */
static lim_model* notch_model(int32_t nodes) {
    static const double at[7][2] = {{-0.15, 0.2}, {-0.02, -0.05}, {0.02, -0.05}, {0.15, 0.2},
                                    {0.09, 0.2},  {0, 0.03},      {-0.09, 0.2}};
    static const uint32_t cap[5][3] = {{0, 1, 5}, {0, 5, 6}, {1, 2, 5}, {2, 3, 5}, {3, 4, 5}};
    shape s = {0};
    for (int i = 0; i < 14; ++i) {
        shape_vertex(&s, at[i % 7][0], at[i % 7][1], i < 7 ? 0.05 : -0.05);
    }
    for (uint32_t i = 0; i < 5; ++i) {
        shape_triangle(&s, cap[i][0], cap[i][1], cap[i][2]);
        shape_triangle(&s, cap[i][0] + 7, cap[i][2] + 7, cap[i][1] + 7);
    }
    for (uint32_t i = 0; i < 7; ++i) {
        uint32_t next = (i + 1) % 7;
        shape_triangle(&s, i, i + 7, next);
        shape_triangle(&s, next, i + 7, next + 7);
    }
    return shape_model(&s, nodes);
}

/* The sides come together at `speed` where they are farthest apart; all of it turns. */
static lim_body closing_notch(lim_world* world, const lim_model* model, double speed, double turn) {
    lim_body_desc desc = firm(model, p3(0, 1, 0));
    desc.self_contact = true;
    lim_body made = make(world, &desc);
    int32_t count = lim_model_get_info(model).nodes;
    double* x = malloc(3 * sizeof(double) * (size_t)count);
    float* v = malloc(3 * sizeof(float) * (size_t)count);
    CHECK(lim_body_get_nodes(world, made, x, v, count) == LIM_OK);
    for (int32_t i = 0; i < count; ++i) {
        v[3 * i] = (float)(-speed * x[3 * i] / 0.15 - turn * (x[3 * i + 1] - 1.0));
        v[3 * i + 1] = (float)(turn * x[3 * i]);
    }
    CHECK(lim_body_set_nodes(world, made, x, v, count) == LIM_OK);
    free(x);
    free(v);
    return made;
}

/* At the bottom of a notch its sides are as near as can be, and come nearer. But there they belong
 * together, and farther up they are too far apart: there is nothing to meet. */
static void bottoms_of_notches_do_not_meet(void) {
    lim_model* model = notch_model(400);
    for (int k = 0; k < 3; ++k) {
        lim_world* world = empty_space(1);
        lim_body made = closing_notch(world, model, 0.5 * (k + 1), 0.0);
        const body* b = &world->bodies[made.index]->body;
        for (int step = 0; step < 2; ++step) {
            kit_steps(world, 1);
            CHECK(b->meeting.list.items.count == 0);
        }
        lim_world_destroy(world);
    }
    lim_model_destroy(model);
}

/* What one newton second along its normal opens a contact by, m/s, summed over nodes: of those on
 * both sides the weights are taken from each other. */
static double opens_by(const pair_contact* c, const body* b) {
    double own = 1.0, sum = 0.0, unit = (double)b->meeting.side.unit_mass;
    for (int k = 0; k < PAIR_CARRIERS; ++k) {
        double w = (double)c->weight[k],
               inverse = (double)b->meeting.side.nodes.inv_mass[c->carrier[k]];
        bool both = c->carrier[k] == c->node;
        own -= both ? w : 0.0;
        sum += both ? 0.0 : w * w * inverse / unit;
    }
    return sum + own * own * (double)b->meeting.side.nodes.inv_mass[c->node] / unit;
}

/* A notch that is closed: its sides meet, but no node meets a place that it carries itself. Where
 * it has a little of the weight there, the contact knows what its impulses do. */
static void creases_do_not_meet_themselves(void) {
    if (kind_has_points(kind_now)) {
        return; /* points of a coarse mesh have no cells to be beside each other */
    }
    lim_model* model = notch_model(400);
    lim_world* world = empty_space(1);
    lim_body made = closing_notch(world, model, 6.0, 0.0);
    const body* b = &world->bodies[made.index]->body;
    int32_t contacts = 0;
    for (int step = 0; step < 12; ++step) {
        kit_steps(world, 1);
        for (int32_t i = 0; i < b->meeting.list.items.count; ++i) {
            const pair_contact* c = &b->meeting.list.items.data[i];
            for (int k = 0; k < PAIR_CARRIERS; ++k) {
                CHECK(c->carrier[k] != c->node || c->weight[k] < 0.15f);
            }
            CHECK_NEAR((double)c->give / opens_by(c, b), 1.0, 1e-4);
            contacts++;
        }
    }
    CHECK(contacts > 20);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* Contacts of a body with itself, where nothing that is known from earlier steps is used. */
static void search_afresh(const lim_world* world, int32_t index, double dt, pair_list* list) {
    body* b = &world->bodies[index]->body;
    int32_t patches = b->topology->surface.patch_count;
    body_meeting_place(b, dt, world->set, false);
    body_meeting_bound(b, world->set);
    memset(b->meeting.shape.wanted.data, 1, (size_t)patches);
    body_meeting_finish(b, world->set);
    pair_self self = body_meeting_self(b);
    self.kept = NULL;
    do {
        CHECK(pair_reserve(list, &world->host, b->topology->slot_count, patches) == LIM_OK);
        pair_begin(list);
        pair_search(list, &b->meeting.side, &b->meeting.side, index, dt, &self, world->set);
    } while (list->items_wanted > list->items.count || list->points_wanted > list->points.capacity);
}

/* A notch closes, slowly or fast, turning or not, by itself or with a ball in between: lists that
 * were made some steps ago lead to the contacts of a search among all patches, bit for bit. */
static void lists_are_kept_while_they_hold(void) {
    lim_model* model = notch_model(400);
    lim_model* ball = ball_model(60);
    int32_t held = 0, made = 0, met = 0;
    for (int k = 0; k < 6; ++k) {
        lim_world* world = empty_space(1);
        pair_list fresh = {0};
        double speed = k % 2 == 0 ? 2.0 : 6.0, turn = k / 2 == 1 ? 1.5 : 0.0;
        int32_t index = (int32_t)closing_notch(world, model, speed, turn).index;
        body* b = &world->bodies[index]->body;
        if (k >= 4) {
            lim_body_desc desc = firm(ball, p3(0, 1.21, 0));
            desc.scale = 0.5f;
            make(world, &desc);
        }
        for (int step = 0; step < 60; ++step) {
            const body_step_input in = {.dt = 1.0 / 480.0, .substeps = 1, .set = world->set};
            CHECK(lim_world_step(world, 1.0f / 480.0f) == LIM_OK);
            CHECK(world_meet_find(world, &in) == LIM_OK);
            held += b->meeting.kept.holds;
            made += !b->meeting.kept.holds;
            const pair_contact* have = NULL;
            int32_t count = 0;
            for (int32_t i = 0; i < world->meet.pairs.count; ++i) {
                const world_pair* p = &world->meet.pairs.data[i];
                if (p->a == index && p->b == index) {
                    have = b->meeting.list.items.data + p->begin[0];
                    count = p->end[0] - p->begin[0];
                }
            }
            search_afresh(world, index, in.dt, &fresh);
            CHECK(fresh.items.count == count);
            if (fresh.items.count == count && count > 0) {
                CHECK(memcmp(fresh.items.data, have, (size_t)count * sizeof *have) == 0);
                met += b->meeting.kept.holds ? count : 0;
            }
        }
        pair_list_free(&fresh, &world->host);
        lim_world_destroy(world);
    }
    CHECK(kind_has_points(kind_now) || (held > 40 && made > 10 && met > 100));
    lim_model_destroy(ball);
    lim_model_destroy(model);
}

/* The smallest radius of lists that would hold, metres. */
static float radius_that_holds(const pair_kept* lists, const pair_side* side) {
    float low = 0.0f, high = 100.0f;
    for (int i = 0; i < 40; ++i) {
        pair_kept kept = *lists;
        kept.known = true;
        kept.used = 0;
        kept.radius = 0.5f * (low + high);
        pair_kept_check(&kept, side, 1.0 / 480.0);
        *(kept.holds ? &high : &low) = kept.radius;
    }
    return high;
}

/* However nodes have moved and turned since: no two points have moved against each other by more
 * than what lists must be wider for it. */
static void lists_know_how_far_points_moved(void) {
    lim_model* model = notch_model(400);
    lim_world* world = empty_space(1);
    int32_t index = (int32_t)closing_notch(world, model, 2.0, 0.0).index;
    body* b = &world->bodies[index]->body;
    for (int step = 0; step < 20 && !b->meeting.kept.known; ++step) {
        kit_steps(world, 1);
    }
    const topology* t = b->topology;
    const pair_kept* kept = &b->meeting.kept;
    for (int how = 0; how < 6 && kept->known; ++how) {
        pair_side side = b->meeting.side;
        node_state* n = &side.nodes;
        for (int32_t i = 0; i < n->padded; ++i) { /* as they were */
            const float* was = kept->was.data + 12 * (size_t)i;
            for (int k = 0; k < 3; ++k) {
                n->d[k][i] = was[k];
            }
            memcpy(n->affine + 16 * (size_t)i, was + 3, 9 * sizeof(float));
        }
        skin_prepare(n, world->set, NULL);
        float least = radius_that_holds(kept, &side);
        lim_vec3* at = malloc((size_t)t->bind.count * sizeof *at);
        for (int32_t i = 0; i < t->bind.count; ++i) {
            at[i] = binding_position(&t->bind.bind[i], bindings_rest(&t->bind, i), n);
        }
        for (int32_t i = 0; i < n->padded; ++i) { /* halves apart, or bent, or both */
            float by = n->x0[how / 3][i] > 0.0f ? 0.02f : -0.02f;
            for (int k = 0; k < 3 && n->mass[i] > 0.0f; ++k) {
                n->d[k][i] += how % 3 != 1 && k == how / 3 ? by : 0.0f;
                n->affine[16 * i + 4 * k] += how % 3 != 0 ? 10.0f * by : 0.0f;
            }
        }
        skin_prepare(n, world->set, NULL);
        lim_vec3 low = v3(HUGE_VALF, HUGE_VALF, HUGE_VALF), high = v3_scale(low, -1.0f);
        for (int32_t i = 0; i < t->bind.count; ++i) {
            lim_vec3 now = binding_position(&t->bind.bind[i], bindings_rest(&t->bind, i), n);
            low = v3_min(low, v3_sub(now, at[i]));
            high = v3_max(high, v3_sub(now, at[i]));
        }
        float moved = 0.0f; /* along an axis: no more than two have against each other */
        for (int k = 0; k < 3; ++k) {
            float along = k == 0 ? high.x - low.x : k == 1 ? high.y - low.y : high.z - low.z;
            moved = fmaxf(moved, along * (float)side.scale);
        }
        CHECK(moved > 0.001f && radius_that_holds(kept, &side) - least >= 0.999f * moved);
        free(at);
    }
    CHECK(kind_has_points(kind_now) || kept->known);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* Lists are no state: a body that loses them now and then, as by loading, moves on the same. */
static void lists_can_be_lost(void) {
    lim_model* model = notch_model(400);
    lim_world* worlds[2];
    body* bodies[2];
    for (int w = 0; w < 2; ++w) {
        worlds[w] = empty_space(1);
        lim_body made = closing_notch(worlds[w], model, 4.0, 0.5);
        bodies[w] = &worlds[w]->bodies[made.index]->body;
    }
    for (int step = 0; step < 90; ++step) {
        bodies[1]->meeting.kept.known = bodies[1]->meeting.kept.known && step % 3 != 0;
        for (int w = 0; w < 2; ++w) {
            CHECK(lim_world_step(worlds[w], 1.0f / 480.0f) == LIM_OK);
        }
        CHECK(lim_world_hash(worlds[0]) == lim_world_hash(worlds[1]));
    }
    lim_world_destroy(worlds[0]);
    lim_world_destroy(worlds[1]);
    lim_model_destroy(model);
}

/* Steps of a body that meets itself, each of their allocations failing in turn, change nothing; and
 * then they are what they would have been. */
static void lists_survive_any_failure(void) {
    lim_model* model = notch_model(400);
    failing_host f;
    failing_host_arm(&f, -1);
    lim_world_desc desc = lim_world_desc_default();
    desc.gravity = (lim_vec3){0, 0, 0};
    desc.sleep = false;
    lim_world* worlds[2] = {empty_space(1), NULL};
    CHECK(lim_world_create(&desc, &f.host, &worlds[1]) == LIM_OK);
    for (int w = 0; w < 2; ++w) {
        closing_notch(worlds[w], model, 4.0, 0.5);
    }
    int32_t failures = 0;
    for (int step = 0; step < 40; ++step) {
        uint64_t before = lim_world_hash(worlds[1]);
        lim_result result = LIM_ERROR_MEMORY;
        for (int64_t n = 0; result != LIM_OK && n < 1000; ++n) {
            f.fail_at = f.allocations + n;
            result = lim_world_step(worlds[1], 1.0f / 480.0f);
            failures += result != LIM_OK;
            CHECK(result == LIM_OK ||
                  (result == LIM_ERROR_MEMORY && lim_world_hash(worlds[1]) == before));
        }
        f.fail_at = -1;
        CHECK(lim_world_step(worlds[0], 1.0f / 480.0f) == LIM_OK);
        CHECK(lim_world_hash(worlds[0]) == lim_world_hash(worlds[1]));
    }
    CHECK(failures > (kind_has_points(kind_now) ? 0 : 10));
    lim_world_destroy(worlds[0]);
    lim_world_destroy(worlds[1]);
    lim_model_destroy(model);
    CHECK(f.held == 0);
}

/* Two plates much thinner than a cell, close above each other and at rest: what the upper side of
 * one sees of the lower side of the other is not a depth. */
static void thin_plates_do_not_see_through_each_other(void) {
    if (kind_has_points(kind_now)) {
        return;
    }
    lim_model* model = box_model(0.2, 0.004, 0.2, 60);
    lim_world* world = empty_space(1);
    lim_body_desc low = firm(model, p3(0, 0, 0)), high = firm(model, p3(0, 0.010, 0));
    make(world, &low);
    make(world, &high);
    kit_steps(world, 1);
    int32_t deep = 0;
    for (int32_t i = 0; i < 2; ++i) {
        const pair_list* list = &world->bodies[i]->body.meeting.list;
        for (int32_t k = 0; k < list->items.count; ++k) {
            deep += list->items.data[k].gap < 0.0f;
        }
    }
    CHECK(deep == 0);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* Contacts of one body with another, where everything has been marked as wanted. */
static int32_t search_all(const lim_world* world, const world_pair* p, int side, double dt,
                          pair_list* list, const pair_contact** out) {
    body* a = &world->bodies[side == 0 ? p->a : p->b]->body;
    body* b = &world->bodies[side == 0 ? p->b : p->a]->body;
    const pair_side *from = &a->meeting.side, *to = &b->meeting.side;
    pair_begin(list);
    do {
        CHECK(pair_reserve(list, &world->host, a->topology->slot_count, 4000) == LIM_OK);
        pair_begin(list);
        pair_search(list, from, to, side == 0 ? p->b : p->a, dt, NULL, world->set);
    } while (list->items_wanted > list->items.count || list->points_wanted > list->points.capacity);
    *out = list->items.data;
    return list->items.count;
}

static bool boxes_overlap(lim_box a, lim_box b) {
    return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y &&
           b.lower.y <= a.upper.y && a.lower.z <= b.upper.z && b.lower.z <= a.upper.z;
}

/* Of those whose boxes overlap, and that have been found to have no contact, none has one. How many
 * pairs these are. */
static int32_t count_parted(const lim_world* world, double dt, pair_list* list) {
    int32_t count = 0;
    for (int32_t a = 0; a < world->body_slots.count; ++a) {
        for (int32_t b = a + 1; b < world->body_slots.count; ++b) {
            const world_meet* m = &world->meet;
            const pair_contact* met;
            world_pair pair = {.a = a, .b = b};
            bool parted = boxes_overlap(world->bodies[a]->body.meeting.way,
                                        world->bodies[b]->body.meeting.way);
            for (int32_t i = 0; i < m->pairs.count; ++i) {
                parted = parted && !(m->pairs.data[i].a == a && m->pairs.data[i].b == b);
            }
            for (int side = 0; side < 2 && parted; ++side) {
                CHECK(search_all(world, &pair, side, dt, list, &met) == 0);
            }
            count += parted;
        }
    }
    return count;
}

/* Patches that are left out where nobody asks would not have been met: the same contacts, bit for
 * bit, as when all of a surface is wanted. (Who does not ask, as slabs say, would change them:
 * points far outside crowd out others by what they seem to see. test_felt_surface has the slabs.)
 */
static void nobody_is_left_out(void) {
    lim_model* models[2] = {ball_model(80), box_model(0.22, 0.14, 0.1, 90)};
    lim_world* world = empty_space(1);
    for (int i = 0; i < 8; ++i) {
        lim_body_desc desc =
            firm(models[i % 2], p3(0.19 * (i % 2), 0.17 * (i / 2 % 2), 0.18 * (i / 4)));
        desc.velocity =
            (lim_vec3){2.0f - 4.0f * (float)(i % 2), 3.0f - 6.0f * (float)(i / 2 % 2), 0};
        desc.angular_velocity = (lim_vec3){0, 0, 3.0f * (float)(i % 3)};
        desc.material.young = 20e3f;
        make(world, &desc);
    }
    int32_t met = 0, left = 0, parted = 0;
    pair_list all = {0};
    for (int step = 0; step < 12; ++step) {
        kit_steps(world, 1);
        const body_step_input in = {.dt = 1.0 / 60.0, .substeps = 1, .set = world->set};
        CHECK(world_meet_find(world, &in) == LIM_OK);
        const world_meet* m = &world->meet;
        for (int32_t i = 0; i < world->body_slots.count; ++i) {
            body* b = &world->bodies[i]->body;
            for (int32_t k = 0; k < b->topology->surface.patch_count && m->met.count > 0; ++k) {
                left += !b->meeting.shape.wanted.data[k];
                b->meeting.shape.wanted.data[k] = 1;
            }
            if (m->partner_offset.data[i + 1] > m->partner_offset.data[i]) {
                body_meeting_bound(b, world->set); /* nobody may have been near */
                body_meeting_finish(b, world->set);
            }
        }
        parted += count_parted(world, in.dt, &all);
        for (int32_t i = 0; i < m->pairs.count; ++i) {
            const world_pair* p = &m->pairs.data[i];
            for (int side = 0; side < 2; ++side) {
                const body* a = &world->bodies[side == 0 ? p->a : p->b]->body;
                const pair_contact *want, *have = a->meeting.list.items.data + p->begin[side];
                int32_t count = search_all(world, p, side, in.dt, &all, &want);
                CHECK(count == p->end[side] - p->begin[side]);
                for (int32_t k = 0; k < count && count == p->end[side] - p->begin[side]; ++k) {
                    CHECK(want[k].node == have[k].node && want[k].point == have[k].point &&
                          want[k].triangle == have[k].triangle);
                    CHECK(memcmp(&want[k].gap, &have[k].gap, sizeof(float)) == 0);
                    met++;
                }
            }
        }
    }
    CHECK(met > 50 && left > 100 && parted > 10);
    pair_list_free(&all, &world->host);
    lim_world_destroy(world);
    lim_model_destroy(models[0]);
    lim_model_destroy(models[1]);
}

static int32_t boxes_of(const lim_world* world, int32_t index) {
    const surface_shape* s = &world->bodies[index]->body.meeting.side.shape;
    int32_t count = 0;
    for (int32_t p = 0; p < s->net->patch_count; ++p) {
        surface_box box = surface_get_box(&s->tree.group[p / 8], p % 8);
        count += box.low.x <= box.high.x;
    }
    return count;
}

/* Two balls touch, then one lies across a corner of the other's box, where nobody asks: no box is
 * left of what was asked before. Who is knocked into a body that does not move looks at these, and
 * saves do not hold them. */
static void nothing_is_left_of_what_was_asked_before(void) {
    lim_model* model = ball_model(60);
    lim_world* world = empty_space(1);
    lim_body_desc still = firm(model, p3(0, 0, 0)), near = firm(model, p3(0.19, 0, 0));
    make(world, &still);
    lim_body goes = make(world, &near);
    int32_t found[2];
    count_found(world, found);
    CHECK(found[0] + found[1] > 0 && boxes_of(world, 0) > 0 && boxes_of(world, 1) > 0);
    CHECK(lim_body_teleport(world, goes, p3(0.17, 0.17, 0), (lim_quat){0, 0, 0, 1}) == LIM_OK);
    count_found(world, found);
    CHECK(world->meet.met.count == 2 && found[0] + found[1] == 0);
    CHECK(boxes_of(world, 0) == 0 && boxes_of(world, 1) == 0);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

TEST_SUITE(meet_search) {
    TEST_BEGIN(argc, argv);
    for (int k = 0; kind_choose(k); ++k) {
        RUN(tips_meet_what_is_in_their_way);
        RUN(tips_find_and_are_found);
        RUN(bottoms_of_notches_do_not_meet);
        RUN(thin_plates_do_not_see_through_each_other);
        RUN(creases_do_not_meet_themselves);
        RUN(nobody_is_left_out);
        RUN(nothing_is_left_of_what_was_asked_before);
        RUN(lists_are_kept_while_they_hold);
        RUN(lists_know_how_far_points_moved);
        RUN(lists_can_be_lost);
        RUN(lists_survive_any_failure);
    }
    TEST_END();
}
