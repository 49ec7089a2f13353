/* SPDX-License-Identifier: MIT
 * Bodies carried over to topologies that were made from their own, level after level and cut after
 * cut: rest is rest to the last bit of the skin, kept nodes keep their bits, sums stay, pieces fly
 * on. Rotations and affine parts that are found where they are wanted are those of a pass over all.
 */
#include "remake_kit.h"

#include "edit/carry_kit.h"
#include "edit/carry_overlap.h"
#include "edit/carry_regions.h"
#include "edit/surface_cut.h"
#include "match/match_some.h"
#include "sample/matter_cut.h"

static const double CELLS[REMAKE_SHAPES] = {0.12, 0.05, 0.05, 0.13, 0.06, 0.25};

static lim_material jelly(void) {
    lim_material m = lim_material_default();
    m.young = 1e4f;
    return m;
}

/* A blade across the body, unit space: a strip of two triangles, from below to `deep`. */
static cut_blade blade_at(arena* a, double at, double tilt, double deep) {
    lim_point* point = ARENA_ARRAY(a, lim_point, 4);
    int32_t* triangle = ARENA_ARRAY(a, int32_t, 6);
    static const int32_t corner[6] = {0, 1, 2, 1, 3, 2};
    for (int k = 0; k < 4; ++k) {
        double y = k < 2 ? -0.71 : deep, z = k % 2 == 0 ? -0.83 : 0.87;
        point[k] = p3(at + tilt * y + 0.31 * tilt * z, y, z);
    }
    memcpy(triangle, corner, sizeof corner);
    return (cut_blade){4, 2, point, triangle, NULL, false};
}

/* A topology made from that of a body, and how. */
typedef struct edit {
    arena mem;
    topology* after; /* null: there was nothing to do */
    carry_map map;
} edit;

static edit levels_edit(random_stream* r, const topology* from) {
    edit e = {0};
    int32_t* slot = NULL;
    arena_init(&e.mem, NULL);
    int8_t* level = levels_of(from);
    random_levels(r, from, level);
    topology_plan plan = {.from = from, .level = level};
    CHECK(topology_remake(&e.mem, &plan, NULL, &e.after, &slot) == LIM_OK);
    e.map.slot = slot;
    free(level);
    return e;
}

static edit cut_edit(random_stream* r, const topology* from, double deep) {
    edit e = {0};
    surface_cut skin;
    matter_change change;
    int32_t* slot = NULL;
    arena_init(&e.mem, NULL);
    cut_blade blade = blade_at(&e.mem, -0.2 + 0.4 * (double)random_unit(r),
                               0.4 * (double)random_unit(r) - 0.2, deep);
    lim_result result = surface_cut_make(&e.mem, from, &blade, -1, 1, 1, &skin);
    if (result != LIM_OK || skin.cut_triangles == 0) {
        return e;
    }
    CHECK(matter_cut(&e.mem, &from->matter, &skin.blade, -1, &change) == LIM_OK);
    topology_plan plan = {.from = from,
                          .after = &change.after,
                          .source = change.source,
                          .touched = change.touched,
                          .surface = &skin.change};
    CHECK(topology_remake(&e.mem, &plan, NULL, &e.after, &slot) == LIM_OK);
    e.map = (carry_map){.source = change.source, .slot = slot};
    return e;
}

static void edit_free(edit* e) {
    topology_release(e->after);
    arena_release(&e->mem);
}

/* Long enough for several charts. */
static topology* long_topology(void) {
    const int32_t n[3] = {400, 2, 2};
    lim_mesh* mesh = box_surface(n, 1.0 / 400);
    topology* t = level_topology(mesh, 1.0 / 400, (level_rule){1, 2});
    lim_mesh_destroy(mesh);
    return t;
}

/* The vertices that were there: they keep their numbers. */
static double skin_jump(body* b, const skin_copy* was) {
    skin_copy now = skin_of(b);
    double most = 0.0;
    for (int32_t i = 0; i < was->count; ++i) {
        double d = p3_length(p3_sub(now.at[i], was->at[i]));
        most = d > most ? d : most;
    }
    free(now.at);
    return most;
}

static void rest_stays_rest_to_the_bit(void) {
    random_stream r = random_seed(2);
    int cuts = 0;
    for (int which = 0; which < REMAKE_SHAPES; ++which) {
        topology* t = remake_body(which, CELLS[which], 2);
        lim_material m = jelly();
        stage s = stage_make(t, &m, (lim_vec3){0, 0, 0}, 1);
        body_move(stage_body(&s), p3(0, 0, 0), dquat_unit((dquat){0.1, 0.3, -0.2, 1.0}),
                  p3(3.7, 1.1, 0.3));
        body_refresh_shape(stage_body(&s), s.world->set, NULL);
        skin_copy was = skin_of(stage_body(&s));
        for (int k = 0; k < 5; ++k) {
            const topology* now = stage_body(&s)->topology;
            edit e = k % 2 == 0 ? levels_edit(&r, now) : cut_edit(&r, now, k == 1 ? 0.0 : 0.7);
            if (e.after != NULL) {
                cuts += k % 2;
                CHECK(stage_carry(&s, e.after, &e.map) == LIM_OK);
                CHECK(skin_jump(stage_body(&s), &was) == 0.0);
                for (int32_t i = 0; i < e.after->slot_count; ++i) {
                    for (int c = 0; c < 3; ++c) {
                        CHECK(stage_body(&s)->d[c][i] == 0.0f && stage_body(&s)->v[c][i] == 0.0f);
                    }
                }
            }
            edit_free(&e);
        }
        stage_steps(&s, 1);
        free(was.at);
        stage_free(&s);
        topology_release(t);
    }
    CHECK(cuts > 4);
}

/* Carrying leaves no last finite state behind; a body that never had one goes to rest. */
static void without_a_finite_state_there_is_rest(void) {
    topology* t = remake_body(0, CELLS[0], 2);
    struct lim_model model = {.topology = t};
    lim_host host = mem_host(NULL);
    lim_body_desc desc = lim_body_desc_default();
    body b;
    desc.model = &model;
    CHECK(body_create(&desc, t, &host, &b) == LIM_OK);
    b.d[0][t->node_slot[0]] = NAN;
    body_refresh(&b, ISA_SCALAR, NULL);
    CHECK(b.frozen && b.components[0].end == t->component_begin[1]);
    for (int32_t i = 0; i < t->slot_count; ++i) {
        CHECK(b.d[0][i] == 0.0f && b.v[0][i] == 0.0f);
    }
    body_destroy(&b);
    topology_release(t);
}

static double apart(lim_point a, lim_point b, double size) {
    return p3_length(p3_sub(a, b)) / size;
}

/* exact: but for rounding. Not where density varies, for centres of mass at rest are then others,
 * nor by cuts, where a speck may go to a neighbour. */
static void check_sums(const sums* was, const sums* now, double size, bool exact) {
    double push = p3_length(was->momentum), turn = p3_length(was->turning);
    CHECK_NEAR(now->mass, was->mass, 1e-6 * was->mass);
    CHECK(p3_length(p3_sub(now->centre, was->centre)) < (exact ? 1e-7 : 2e-3) * size);
    CHECK(apart(now->momentum, was->momentum, push) < 1e-5);
    CHECK(apart(p3_sub(now->momentum, now->left_impulse), p3_sub(was->momentum, was->left_impulse),
                push) < 1e-6);
    CHECK(apart(p3_sub(now->turning, now->left_turning), p3_sub(was->turning, was->left_turning),
                turn) < (exact ? 1e-6 : 1e-3));
}

/* Mass of the fragments of a new node that were of an old one. */
static double shared_mass(const edit* e, const topology* before, int32_t slot, int32_t old) {
    const topology* after = e->after;
    double sum = 0.0;
    for (int32_t f = 0; f < after->matter.count; ++f) {
        int32_t was = e->map.source != NULL ? e->map.source[f] : f;
        if (after->fragment_slot[f] == slot && before->fragment_slot[was] == old) {
            double density =
                after->fragment_density != NULL ? (double)after->fragment_density[f] : 1.0;
            sum += after->matter.volume[f] * density;
        }
    }
    return sum;
}

/* One round of spreading the lowest name over what shares material; whether one has changed. */
static bool spread_names(const carry_overlap* o, int32_t* new_name, int32_t* old_name) {
    bool changed = false;
    for (int32_t i = 0; i < o->after->slot_count; ++i) {
        for (int32_t n = o->first[i]; n < o->first[i + 1] && o->kept[i] < 0; ++n) {
            int32_t *a = &new_name[i], *b = &old_name[o->old[n]];
            changed = changed || *a != *b;
            *a = *b = *a < *b ? *a : *b;
        }
    }
    return changed;
}

/* Groups by spreading names, numbered by their lowest new slot; then the lists of who is in one. */
static void check_groups(const carry_overlap* o) {
    int32_t news = o->after->slot_count, olds = o->before->slot_count, groups = 0, changed = 0;
    int32_t replaced = 0;
    int32_t* new_name = malloc((size_t)news * sizeof *new_name);
    int32_t* old_name = malloc((size_t)olds * sizeof *old_name);
    int32_t* number = malloc((size_t)news * sizeof *number);
    for (int32_t i = 0; i < news; ++i) {
        new_name[i] = i;
        number[i] = -1;
    }
    for (int32_t i = 0; i < olds; ++i) {
        old_name[i] = news;
    }
    while (spread_names(o, new_name, old_name)) {
    }
    for (int32_t i = 0; i < news; ++i) {
        bool in = o->kept[i] < 0 && o->first[i + 1] > o->first[i];
        if (in && number[new_name[i]] < 0) {
            number[new_name[i]] = groups++;
        }
        CHECK(o->new_group[i] == (in ? number[new_name[i]] : -1));
        CHECK(!in || (changed < o->changed && o->new_slot[changed] == i));
        changed += in;
    }
    for (int32_t i = 0; i < olds; ++i) {
        bool in = o->becoming[i] < 0 && old_name[i] < news;
        CHECK(o->old_group[i] == (in ? number[old_name[i]] : -1));
        CHECK(!in || (replaced < o->replaced && o->old_slot[replaced] == i));
        replaced += in;
    }
    CHECK(changed == o->changed && replaced == o->replaced && groups == o->group_count);
    free(new_name);
    free(old_name);
    free(number);
}

/* Who shares what with whom, by asking every fragment. Returns old nodes of which nothing is left.
 */
static int check_overlap(const edit* e, const topology* before) {
    const topology* after = e->after;
    carry_overlap o;
    arena a;
    int gone = 0;
    arena_init(&a, NULL);
    uint8_t* found = ARENA_ARRAY(&a, uint8_t, before->slot_count);
    CHECK(carry_overlap_make(&a, before, after, &e->map, &o) == LIM_OK);
    for (int32_t i = 0; i < after->slot_count; ++i) {
        bool kept = after->slot_node[i] >= 0 && e->map.slot[i] >= 0;
        double most = -1.0, all = 0.0, sum = 0.0;
        int32_t source = -1;
        CHECK(o.kept[i] == (kept ? e->map.slot[i] : -1));
        CHECK(!kept || (o.becoming[o.kept[i]] == i && o.old[o.first[i]] == o.kept[i]));
        for (int32_t n = o.first[i]; n < o.first[i + 1]; ++n) {
            int32_t old = o.old[n];
            double mass = kept ? (old == o.kept[i] ? (double)after->mass[i] : 0.0)
                               : shared_mass(e, before, i, old);
            CHECK(memcmp(&o.mass[n], &mass, sizeof mass) == 0);
            source = mass > most || (mass >= most && old < source) ? old : source;
            most = mass > most ? mass : most;
            sum += mass;
            found[old]++;
            for (int32_t k = o.first[i]; k < n; ++k) {
                CHECK(o.old[k] != old);
            }
        }
        CHECK(o.source[i] == source);
        for (int32_t f = 0; f < after->matter.count && !kept; ++f) {
            double density =
                after->fragment_density != NULL ? (double)after->fragment_density[f] : 1.0;
            all += after->fragment_slot[f] == i ? after->matter.volume[f] * density : 0.0;
        }
        CHECK(kept || fabs(sum - all) <= 1e-12 * all);
    }
    for (int32_t i = 0; i < before->slot_count; ++i) {
        CHECK((found[i] > 0) == (before->slot_node[i] >= 0));
        gone += o.old_group[i] < 0 && o.becoming[i] < 0 && before->slot_node[i] >= 0;
    }
    check_groups(&o);
    arena_release(&a);
    return gone;
}

/* The same edit as if nothing were left of a few old nodes, and others had grown instead. */
static void lose_some(random_stream* r, edit* e, const topology* before) {
    int32_t parts = e->after->matter.count, count = e->after->slot_count;
    int32_t* source = ARENA_ARRAY(&e->mem, int32_t, parts);
    int32_t* slot = ARENA_ARRAY(&e->mem, int32_t, count);
    memcpy(slot, e->map.slot, (size_t)count * sizeof *slot);
    for (int32_t f = 0; f < parts; ++f) {
        source[f] = e->map.source != NULL ? e->map.source[f] : f;
    }
    for (int n = 0; n < 3; ++n) {
        int32_t to = random_index(r, before->matter.count);
        int32_t lost = before->fragment_slot[random_index(r, before->matter.count)];
        for (int32_t f = 0; f < parts && lost != before->fragment_slot[to]; ++f) {
            source[f] = before->fragment_slot[source[f]] == lost ? to : source[f];
        }
        for (int32_t i = 0; i < count; ++i) {
            slot[i] = slot[i] == lost ? -1 : slot[i];
        }
    }
    e->map = (carry_map){source, slot};
}

static void overlaps_are_those_of_all_fragments(void) {
    random_stream r = random_seed(23);
    int edits = 0, stood_in = 0;
    for (int round = 0; round < 2 * REMAKE_SHAPES; ++round) {
        topology* t = remake_body(round % REMAKE_SHAPES, CELLS[round % REMAKE_SHAPES], 2);
        for (int k = 0; k < 4; ++k) {
            edit e = k % 2 == 0 ? levels_edit(&r, t) : cut_edit(&r, t, k == 1 ? 0.0 : 0.7);
            if (e.after != NULL) {
                check_overlap(&e, t);
                lose_some(&r, &e, t);
                stood_in += check_overlap(&e, t);
                edits++;
                topology_retain(e.after);
                topology_release(t);
                t = e.after;
            }
            edit_free(&e);
        }
        topology_release(t);
    }
    printf("  %d edits; kept nodes stood in for %d\n", edits, stood_in);
    CHECK(edits > 30 && stood_in > 2);
}

/* Copies of what rotations and strain are. */
typedef struct region_copy {
    float* of[10];
} region_copy;

static void regions_copy(const body* b, region_copy* c) {
    size_t size = (size_t)b->topology->regions.padded * sizeof(float);
    for (int k = 0; k < 10; ++k) {
        c->of[k] = malloc(size);
        memcpy(c->of[k], k < 4 ? b->q[k] : b->strain[k - 4], size);
    }
}

static void regions_put_back(body* b, region_copy* c) {
    size_t size = (size_t)b->topology->regions.padded * sizeof(float);
    for (int k = 0; k < 10; ++k) {
        memcpy(k < 4 ? b->q[k] : b->strain[k - 4], c->of[k], size);
        free(c->of[k]);
    }
}

static void check_some_affine(arena* a, random_stream* r, body* b, isa set, int32_t one_of) {
    int32_t count = b->topology->slot_count;
    uint8_t* wanted = ARENA_ARRAY(a, uint8_t, count);
    uint8_t* mark = ARENA_ARRAY(a, uint8_t, b->topology->net.record_count);
    float* slow = ARENA_ARRAY(a, float, 16 * (size_t)count);
    node_state nodes = body_nodes(b);
    match_body m = body_match(b, &nodes);
    node_component_sums(&nodes, b->block_sums, set, NULL);
    match_affine(&m, set, NULL);
    memcpy(slow, b->affine, 16 * (size_t)count * sizeof(float));
    for (int32_t i = 0; i < count; ++i) {
        wanted[i] = random_index(r, one_of) == 0;
    }
    /* Rubbish where nothing is to be read. */
    memset(b->adjoint, 0xFF, (size_t)b->topology->net.record_count * 16 * sizeof(float));
    memset(b->affine, 0xFF, 16 * (size_t)count * sizeof(float));
    match_affine_some(&m, wanted, mark, set, NULL);
    for (int32_t i = 0; i < count; ++i) {
        CHECK(!wanted[i] || memcmp(slow + 16 * (size_t)i, b->affine + 16 * (size_t)i, 64) == 0);
    }
    memcpy(b->affine, slow, 16 * (size_t)count * sizeof(float));
}

/* Of one region in `one_of`; how many rotations are others than before. */
static int check_some_rotations(random_stream* r, body* b, isa set, int32_t one_of) {
    const regions* all = &b->topology->regions;
    size_t size = (size_t)all->padded * sizeof(float);
    int turned = 0;
    arena a;
    arena_init(&a, NULL);
    carry_fits fits = {.marked = ARENA_ARRAY(&a, uint8_t, all->padded)};
    for (int32_t i = 0; i < all->count; ++i) {
        fits.marked[i] = random_index(r, one_of) == 0;
    }
    region_copy was, slow;
    regions_copy(b, &was);
    CHECK(carry_rotations(&a, &fits, set, NULL, b) == LIM_OK);
    regions_copy(b, &slow);
    regions_put_back(b, &was);
    regions_copy(b, &was);
    /* Rubbish where nothing is to be read. */
    memset(b->forward, 0xFF, (size_t)b->topology->net.record_count * 24 * sizeof(float));
    fits.below = ARENA_ARRAY(&a, uint8_t, b->topology->net.record_count);
    node_state nodes = body_nodes(b);
    match_body m = body_match(b, &nodes);
    match_mark_below(&m, fits.marked, fits.below);
    CHECK(carry_rotations(&a, &fits, set, NULL, b) == LIM_OK);
    for (int k = 0; k < 10; ++k) {
        CHECK(memcmp(slow.of[k], k < 4 ? b->q[k] : b->strain[k - 4], size) == 0);
    }
    for (int32_t i = 0; i < all->count; ++i) {
        turned += memcmp(&slow.of[0][i], &was.of[0][i], sizeof(float)) != 0;
    }
    for (int k = 0; k < 10; ++k) {
        free(slow.of[k]);
    }
    regions_put_back(b, &was);
    check_some_affine(&a, r, b, set, one_of);
    arena_release(&a);
    return turned;
}

static void some_rotations_are_those_of_a_pass_over_all(void) {
    random_stream r = random_seed(11);
    int turned = 0, edits = 0, charted = 0;
    for (int round = 0; round < 14; ++round) {
        int which = round % REMAKE_SHAPES;
        topology* t = round < 12 ? remake_body(which, CELLS[which], 2) : long_topology();
        lim_material m = jelly();
        m.yield = round % 3 == 2 ? 0.01f : 0.0f;
        m.goal = round % 4 == 1 ? LIM_GOAL_LINEAR : m.goal;
        m.beta = 0.5f;
        stage s = stage_make(t, &m, (lim_vec3){0, 0, 0}, 1);
        stage_swing(&s, 3.0, 2.0);
        for (int k = 0; k < 4; ++k) {
            stage_steps(&s, 3);
            const topology* now = stage_body(&s)->topology;
            edit e = k % 2 == 0 ? levels_edit(&r, now) : cut_edit(&r, now, 0.2);
            if (e.after != NULL) {
                CHECK(stage_carry(&s, e.after, &e.map) == LIM_OK);
                turned += check_some_rotations(&r, stage_body(&s), s.world->set, k < 2 ? 40 : k);
                charted += charts_many(&e.after->charts);
                edits++;
            }
            edit_free(&e);
        }
        stage_free(&s);
        topology_release(t);
    }
    printf("  %d edits, %d of bodies with several charts; %d rotations\n", edits, charted, turned);
    CHECK(edits > 30 && charted > 3 && turned > 1000);
}

static void bodies_in_motion_fly_on(void) {
    random_stream r = random_seed(7);
    int cuts = 0, parted = 0, kept = 0;
    double jump[2] = {0, 0};
    for (int round = 0; round < 12; ++round) {
        int which = round % REMAKE_SHAPES;
        topology* t = remake_body(which, CELLS[which], 2);
        lim_material m = jelly();
        m.yield = round % 4 == 3 ? 0.05f : 0.0f;
        stage s = stage_make(t, &m, (lim_vec3){0, 0, 0}, 1);
        body* b = stage_body(&s);
        for (int32_t i = 0; i < t->slot_count; ++i) { /* it flies, turns, and bends */
            if (t->slot_node[i] >= 0) {
                lim_point x = body_slot_rest(t, i);
                b->v[0][i] = (float)(0.5 - 3.0 * x.y);
                b->v[1][i] = (float)(3.0 * x.x + 6.0 * (1.0 / 12 - x.x * x.x));
                b->v[2][i] = (float)(0.3 * x.y);
            }
        }
        body_wake(b);
        for (int k = 0; k < 6; ++k) {
            stage_steps(&s, 4);
            b = stage_body(&s);
            edit e = k % 2 == 0 ? levels_edit(&r, b->topology)
                                : cut_edit(&r, b->topology, k == 1 ? 0.0 : 0.7);
            if (e.after != NULL) {
                body was = *b;
                sums before = sums_of(b);
                skin_copy skin = skin_of(b);
                body made;
                CHECK(body_carry(b, e.after, &e.map, s.world->set, NULL, &made) == LIM_OK);
                sums after = sums_of(&made);
                check_sums(&before, &after, body_metres(b), which != 4 && k % 2 == 0);
                for (int32_t i = 0; i < e.after->slot_count; ++i) {
                    int32_t old = e.map.slot[i];
                    kept += old >= 0;
                    for (int c = 0; c < 3 && old >= 0; ++c) {
                        CHECK(made.d[c][i] == was.d[c][old]);
                        CHECK(made.v[c][i] == was.v[c][old]);
                    }
                }
                double moved = skin_jump(&made, &skin) / body_metres(b) / (double)t->cell;
                jump[k % 2] = moved > jump[k % 2] ? moved : jump[k % 2];
                cuts += k % 2;
                parted += e.after->component_count > b->topology->component_count;
                free(skin.at);
                body_destroy(b);
                *b = made;
            }
            edit_free(&e);
        }
        for (int step = 0; step < 20; ++step) {
            stage_steps(&s, 1);
            CHECK(!stage_body(&s)->frozen);
        }
        stage_free(&s);
        topology_release(t);
    }
    printf(
        "  %d cuts, %d through; skins jumped by up to %.1f %% of a finest cell by levels, %.1f %% "
        "by cuts\n",
        cuts, parted, 100 * jump[0], 100 * jump[1]);
    CHECK(cuts > 10 && parted > 3 && kept > 1000);
}

static bool same_beside(const body* a, const body* b) {
    const body_meeting *m = &a->meeting, *n = &b->meeting;
    return m->beside_offset.count == n->beside_offset.count && m->beside.count == n->beside.count &&
           memcmp(m->beside_offset.data, n->beside_offset.data,
                  (size_t)m->beside_offset.count * sizeof(int32_t)) == 0 &&
           memcmp(m->beside.data, n->beside.data, (size_t)m->beside.count * sizeof(int32_t)) == 0;
}

/* Lists that an edit takes over are those of a search from every node. */
static void who_is_beside_is_as_searched(void) {
    random_stream r = random_seed(8);
    lim_host host = mem_host(NULL);
    int edits = 0;
    for (int round = 0; round < 2 * REMAKE_SHAPES; ++round) {
        int which = round % REMAKE_SHAPES;
        topology* t = remake_body(which, CELLS[which], 2);
        lim_material m = jelly();
        stage s = stage_make(t, &m, (lim_vec3){0, 0, 0}, 1);
        lim_body_desc desc = lim_body_desc_default();
        desc.self_contact = true;
        body now;
        CHECK(body_create(&desc, t, &host, &now) == LIM_OK);
        body_refresh(&now, s.world->set, NULL);
        for (int k = 0; k < 6; ++k) {
            edit e = k % 2 == 0 ? levels_edit(&r, now.topology)
                                : cut_edit(&r, now.topology, k == 1 ? 0.0 : 0.7);
            if (e.after != NULL) {
                body made, fresh;
                CHECK(body_carry(&now, e.after, &e.map, s.world->set, NULL, &made) == LIM_OK);
                CHECK(body_create(&desc, e.after, &host, &fresh) == LIM_OK);
                CHECK(same_beside(&made, &fresh));
                body_destroy(&fresh);
                body_destroy(&now);
                now = made;
                edits++;
            }
            edit_free(&e);
        }
        body_destroy(&now);
        stage_free(&s);
        topology_release(t);
    }
    CHECK(edits > 30);
}

TEST_SUITE(carry_remade) {
    TEST_BEGIN(argc, argv);
    RUN(rest_stays_rest_to_the_bit);
    RUN(without_a_finite_state_there_is_rest);
    RUN(overlaps_are_those_of_all_fragments);
    RUN(some_rotations_are_those_of_a_pass_over_all);
    RUN(bodies_in_motion_fly_on);
    RUN(who_is_beside_is_as_searched);
    TEST_END();
}
