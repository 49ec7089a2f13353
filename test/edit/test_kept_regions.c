/* SPDX-License-Identifier: MIT
 * Regions after an edit: what is taken from the regions before is, to the last bit, what making
 * everything gives.
 */
#include "body/kept_regions.h"
#include "body/part.h"
#include "edit/same_material.h"
#include "past_nets.h"
#include "region_checks.h"
#include "remake_kit.h"

static const double CELLS[REMAKE_SHAPES] = {0.1, 0.03, 0.035, 0.1, 0.05, 0.25};
static int64_t records_kept, records_made; /* so far */

/* Makes the regions of `t` whole, and from those of `from`: both are what `t` has. Returns whether
 * there was anything to begin with. */
static bool kept_is_made(const topology* from, const topology* t, const int32_t* source,
                         const uint8_t* touched) {
    arena a;
    arena_init(&a, NULL);
    kept_nodes kept;
    region_past past;
    bool known;
    CHECK(kept_nodes_find(&a, from, t, source, &kept) == LIM_OK);
    CHECK(kept_regions_find(&a, from, t, source, touched, &kept, &past, &known) == LIM_OK);
    if (known) {
        region_source s;
        region_nodes nodes = topology_nodes(t);
        whole_regions whole;
        net again;
        regions r_again;
        record_map map;
        float* weight_again = ARENA_ARRAY(&a, float, 2 * (size_t)t->slot_count);
        float* mass_again = weight_again + t->slot_count;
        find_source(&a, t, &s);
        make_whole(&a, t, &s, &whole);
        CHECK(regions_blend_again(&a, &a, &a.host, &nodes, s.tree, s.width, &past, &again, &r_again,
                                  &map) == LIM_OK);
        CHECK(regions_constants_again(&a, &nodes, &t->charts, &again, &past, &map, &r_again,
                                      weight_again, mass_again) == LIM_OK);
        CHECK(has_whole(t, &whole));
        CHECK(same_net(&whole.n, &again) && same_regions(&whole.r, &r_again, &whole.n));
        CHECK(same_array(whole.inv_weight, weight_again, t->slot_count, sizeof(float)));
        CHECK(same_array(whole.fit_mass, mass_again, t->slot_count, sizeof(float)));
        for (int32_t i = again.node_count; i < again.record_count; ++i) {
            records_kept += map.before[i] >= 0;
            records_made += map.before[i] < 0 && whole.r.record_fragment[i - again.node_count] >= 0;
        }
    }
    arena_release(&a);
    return known;
}

/* Other levels in a ball; elsewhere as they were, but for what has to follow. */
static void patch_levels(random_stream* r, const topology* t, int8_t* level) {
    arena a;
    pieces all;
    arena_init(&a, NULL);
    matter m = t->matter;
    CHECK(pieces_build(&a, &m, &all) == LIM_OK);
    level_wish* wish = ARENA_ARRAY(&a, level_wish, m.count);
    lim_point at = m.centroid[random_index(r, m.count)];
    double reach = 0.03 + 0.12 * (double)random_unit(r);
    int32_t coarsest = all.finest > 2 ? all.finest - 2 : 0;
    int8_t to = (int8_t)(all.finest - random_index(r, all.finest - coarsest + 1));
    for (int32_t i = 0; i < m.count; ++i) {
        int8_t own = p3_length(p3_sub(m.centroid[i], at)) < reach ? to : level[i];
        wish[i] = (level_wish){own, own, 0.0f};
    }
    level_limits limits = {.coarsest = coarsest};
    level_report report;
    CHECK(levels_choose(&a, &all, level, wish, &limits, level, &report) == LIM_OK);
    arena_release(&a);
}

static void other_levels(void) {
    random_stream r = random_seed(21);
    records_kept = records_made = 0;
    for (int round = 0; round < (test_long ? 100 : 15); ++round) {
        int which = round % REMAKE_SHAPES;
        topology* now = remake_body(which, CELLS[which], round % 3);
        int8_t* level = levels_of(now);
        for (int step = 0; step < 5; ++step) {
            if (step == 2) {
                random_levels(&r, now, level);
            } else {
                patch_levels(&r, now, level);
            }
            topology* next = with_levels(now, level);
            CHECK(kept_is_made(now, next, NULL, NULL) == (which != REMAKE_SHAPES - 1));
            topology_release(now);
            now = next;
        }
        free(level);
        topology_release(now);
    }
    printf("     %lld records kept, %lld made\n", (long long)records_kept, (long long)records_made);
    CHECK(records_kept > 5000 && records_made > 5000);
}

/* A blade across cells, or between them, so that it parts nodes and changes none. */
static cut_blade some_blade(random_stream* r, arena* a, const matter* m, double deep) {
    bool between = random_index(r, 2) == 0;
    int axis = random_index(r, 2);
    double at = 0.6 * (double)random_unit(r) - 0.3, tilt = 0.4 * (double)random_unit(r);
    if (between) {
        double low = axis == 0 ? m->corner.x : m->corner.y;
        double cells = (double)(int32_t)((0.5 * at - low) / m->side);
        return plane_blade(a, axis, low + (cells + 0.01) * m->side, 0.0, deep, 8);
    }
    return plane_blade(a, axis, at, tilt - 0.2, deep, 8);
}

/* The plan's material and its skin; false where no sound cut is made. */
static bool make_cut(arena* a, const topology* t, const cut_blade* blade, surface_cut* skin,
                     matter_change* change) {
    return surface_cut_make(a, t, blade, -1, 1, 1, skin) == LIM_OK && skin->cut_triangles > 0 &&
           matter_cut(a, &t->matter, &skin->blade, -1, change) == LIM_OK;
}

static topology* cut_of(const topology* from, const surface_cut* skin, const matter_change* change,
                        const int8_t* level) {
    topology_plan plan = {.from = from,
                          .after = &change->after,
                          .source = change->source,
                          .touched = change->touched,
                          .level = level,
                          .surface = &skin->change};
    return remade(&plan);
}

/* Each component that a cut has left, from the whole. */
static void parts_are_made(const topology* t) {
    for (int32_t c = 0; c < t->component_count && t->component_count > 1; ++c) {
        arena a;
        arena_init(&a, NULL);
        uint8_t* takes = ARENA_ARRAY(&a, uint8_t, t->component_count);
        topology* part = NULL;
        part_map map;
        takes[c] = 1;
        lim_result result = topology_part(&a, t, takes, true, NULL, &part, &map);
        CHECK(result == LIM_OK || result == LIM_ERROR_ARGUMENT);
        if (result == LIM_OK) {
            CHECK(kept_is_made(t, part, map.fragment, NULL));
        }
        topology_release(part);
        arena_release(&a);
    }
}

static void cuts(void) {
    random_stream r = random_seed(22);
    int made = 0, parted = 0;
    records_kept = records_made = 0;
    for (int round = 0; round < (test_long ? 60 : 10); ++round) {
        int which = round % (REMAKE_SHAPES - 1);
        topology* now = remake_body(which, CELLS[which], round % 3);
        for (int step = 0; step < 4; ++step) {
            arena a;
            arena_init(&a, NULL);
            surface_cut skin;
            matter_change change;
            cut_blade blade = some_blade(&r, &a, &now->matter, step == 3 ? 0.7 : -0.2);
            if (make_cut(&a, now, &blade, &skin, &change)) {
                topology* next = cut_of(now, &skin, &change, NULL);
                made++;
                parted += next->component_count > now->component_count;
                CHECK(kept_is_made(now, next, change.source, NULL));
                CHECK(kept_is_made(now, next, change.source, change.touched));
                parts_are_made(next);
                /* Other levels, and what was before two changes at once. */
                int8_t* level = levels_of(next);
                patch_levels(&r, next, level);
                topology* both = cut_of(now, &skin, &change, level);
                CHECK(kept_is_made(now, both, change.source, change.touched));
                CHECK(kept_is_made(next, both, NULL, NULL) || next->matter_mem != both->matter_mem);
                free(level);
                topology_release(now);
                topology_release(both);
                now = next;
            }
            arena_release(&a);
        }
        topology_release(now);
    }
    printf("     %d cuts, %d of them through; %lld records kept, %lld made\n", made, parted,
           (long long)records_kept, (long long)records_made);
    CHECK(made > 10 && parted > 2 && records_kept > 5000 && records_made > 5000);
}

/* A stroke that goes on is cut from the body as it was, and is like the cut so far. */
static void strokes_that_go_on(void) {
    random_stream r = random_seed(23);
    int made = 0;
    records_kept = records_made = 0;
    for (int round = 0; round < (test_long ? 30 : 5); ++round) {
        int which = round % (REMAKE_SHAPES - 1);
        topology *base = remake_body(which, CELLS[which], round % 3), *like = NULL;
        double at = -0.3 + 0.6 * (double)random_unit(&r);
        for (int step = 0; step < 5; ++step) {
            arena a;
            arena_init(&a, NULL);
            surface_cut skin;
            matter_change change;
            cut_blade blade = plane_blade(&a, 0, at, 0.1, -0.35 + 0.08 * (double)step, 8);
            if (make_cut(&a, base, &blade, &skin, &change)) {
                topology* next = cut_of(base, &skin, &change, NULL);
                if (like != NULL) {
                    int32_t* source = ARENA_ARRAY(&a, int32_t, next->matter.count);
                    CHECK(same_fragments(&a, &like->matter, &next->matter, source) == LIM_OK);
                    CHECK(kept_is_made(like, next, source, NULL));
                    made++;
                }
                topology_release(like);
                like = next;
            }
            arena_release(&a);
        }
        topology_release(like);
        topology_release(base);
    }
    printf("     %d strokes, %lld records kept, %lld made\n", made, (long long)records_kept,
           (long long)records_made);
    CHECK(made > 5 && records_kept > 1000 && records_made > 100);
}

/* Two fingers beside each other in one row of cells, and a palm that has finer nodes. across: they
 * are beside each other along z, else along x. */
static topology* two_fingers(bool across) {
    lim_model_desc desc = remake_desc(0.04, 1);
    shape s = {0};
    shape_fingers(&s, 0.37, 0.02);
    shape_box(&s, 0.7, 0, 0, 1, 0.28, 0.4); /* so that the gap is in the middle of cells */
    for (int32_t i = 0; i < s.vertices && across; ++i) {
        double* p = s.position + 3 * i;
        double x = p[0];
        p[0] = p[2];
        p[2] = x;
    }
    if (across) {
        shape_flip(&s, 0, s.triangles);
    }
    lim_mesh_desc d = shape_desc(&s);
    lim_mesh* mesh = NULL;
    topology* t = NULL;
    lim_host host = mem_host(NULL);
    CHECK(lim_mesh_create(&d, NULL, &mesh) == LIM_OK);
    CHECK(topology_build(mesh, &desc, &host, &t) == LIM_OK);
    int8_t* level = levels_of(t);
    double low = t->matter.corner.y, cell = 2.0 * t->matter.side;
    double root = low + cell * (double)(int32_t)((-0.14 - low) / cell);
    for (int32_t i = 0; i < t->matter.count; ++i) {
        level[i] = (int8_t)(t->matter.level - (t->matter.centroid[i].y > root));
    }
    topology* mixed = with_levels(t, level);
    topology_release(t);
    free(level);
    lim_mesh_destroy(mesh);
    shape_free(&s);
    return mixed;
}

/* A blade goes through one of two fingers: of the other nothing changes but what the palm gives to
 * both of them. Pieces of a cell are in the order of their sub-voxels, along x first and z last, so
 * that the other's come behind both that the blade leaves, before them, or between. */
static void a_cut_beside(void) {
    for (int way = 0; way < 4; ++way) {
        bool across = way % 2 == 1;
        topology* t = two_fingers(across);
        for (int k = 0; k < 4; ++k) {
            arena a;
            arena_init(&a, NULL);
            surface_cut skin;
            matter_change change;
            double at = -0.19 + 0.012 * (double)(3 * k + way % 3);
            cut_blade blade = plane_blade(&a, 1, at, 0.0, way < 2 ? -0.12 : 0.12, 8);
            lim_point* point = ARENA_ARRAY(&a, lim_point, blade.point_count);
            for (int32_t i = 0; i < blade.point_count; ++i) {
                lim_point p = blade.point[i];
                p.x = way < 2 ? p.x : -p.x; /* from the one side or from the other */
                point[i] = across ? p3(p.z, p.y, p.x) : p;
            }
            blade.point = point;
            CHECK(make_cut(&a, t, &blade, &skin, &change));
            topology* next = cut_of(t, &skin, &change, NULL);
            CHECK(next->component_count == t->component_count + 1);
            CHECK(kept_is_made(t, next, change.source, change.touched));
            topology_release(next);
            arena_release(&a);
        }
        topology_release(t);
    }
}

/* The body with glue between two fragments. */
static topology* glued_body(const topology* t, int32_t one, int32_t other) {
    arena a;
    arena_init(&a, NULL);
    const int32_t pair[2] = {one, other};
    matter after;
    CHECK(matter_glue(&a, &t->matter, pair, 1, &after) == LIM_OK);
    topology_plan plan = {.from = t, .after = &after};
    topology* out = remade(&plan);
    arena_release(&a);
    return out;
}

/* Cells of three sizes along a bar, with glue from the finest to a coarse one, which is split and
 * joined: nodes that glue holds may differ by more than a level. Pieces of fine nodes come to lie
 * beside a node of their own size, and those beside them two steps from it, where no fragment and
 * no node near them is another. */
static void a_coarse_node_that_glue_holds(void) {
    lim_model_desc desc = remake_desc(0.03125, 2);
    shape s = {0};
    shape_box(&s, 0, 0, 0, 1, 0.25, 0.25);
    desc.size_at = kit_finest;
    desc.region_width = 1.0f; /* none but those beside coarse ones passes on what it holds */
    lim_mesh_desc d = shape_desc(&s);
    lim_mesh* mesh = NULL;
    topology* t = NULL;
    lim_host host = mem_host(NULL);
    random_stream r = random_seed(26);
    CHECK(lim_mesh_create(&d, NULL, &mesh) == LIM_OK);
    CHECK(topology_build(mesh, &desc, &host, &t) == LIM_OK);
    int8_t* level = levels_of(t);
    const matter* m = &t->matter;
    for (int32_t i = 0; i < m->count; ++i) {
        double cells = (m->centroid[i].x - m->corner.x) / (4.0 * m->side);
        level[i] = (int8_t)(m->level - (cells < 2.0 ? 2 : cells < 3.0 ? 1 : 0));
    }
    topology* graded = with_levels(t, level);
    for (int round = 0; round < 8; ++round) {
        int32_t coarse = random_index(&r, m->count), fine = random_index(&r, m->count);
        while (level[coarse] != m->level - 2) {
            coarse = random_index(&r, m->count);
        }
        while (m->centroid[fine].x < m->corner.x + 18.0 * m->side) {
            fine = random_index(&r, m->count);
        }
        topology* from = glued_body(graded, coarse, fine);
        int8_t* split = levels_of(from);
        for (int32_t i = 0; i < m->count; ++i) {
            split[i] = (int8_t)(split[i] + (from->fragment_slot[i] == from->fragment_slot[coarse]));
        }
        topology* next = with_levels(from, split);
        topology* back = with_levels(next, level);
        CHECK(next->node_count > from->node_count && back->node_count == from->node_count);
        CHECK(kept_is_made(from, next, NULL, NULL));
        CHECK(kept_is_made(next, back, NULL, NULL));
        topology_release(back);
        topology_release(next);
        topology_release(from);
        free(split);
    }
    free(level);
    topology_release(graded);
    topology_release(t);
    lim_mesh_destroy(mesh);
    shape_free(&s);
}

/* Transposed lists, seeds and constants of networks whose nodes weigh anything: also one that stays
 * has another mass in the sums then, and all above it is other. */
static void any_network(void) {
    random_stream r = random_seed(25);
    int32_t kept = 0, other = 0;
    for (int round = 0; round < 300; ++round) {
        arena a;
        loose_net from, to;
        record_map map;
        regions again;
        arena_init(&a, NULL);
        loose_make(&r, &a, &from);
        loose_change(&r, &a, &from, 3 + round % 40, &to, &map);
        region_past past = {.n = &from.n,
                            .c = &from.c,
                            .r = &from.r,
                            .inv_weight = from.inv_weight,
                            .fit_mass = from.fit_mass,
                            .before = map.before,
                            .after = map.now};
        net n = to.n;
        n.back_offset = n.back = NULL;
        n.back_weight = NULL;
        CHECK(past_transpose(&a, &a, &past, &map, &n) == LIM_OK);
        CHECK(same_net(&to.n, &n));
        loose_regions(&a, &to, &again);
        CHECK(regions_seeds(&a, &n, &past, &map, &again) == LIM_OK);
        float* weight = ARENA_ARRAY(&a, float, 2 * (size_t)n.node_count);
        float* mass = weight + n.node_count;
        CHECK(regions_constants_again(&a, &to.nodes, &to.c, &n, &past, &map, &again, weight,
                                      mass) == LIM_OK);
        CHECK(same_constants(&to.r, &again, n.node_count));
        CHECK(same_array(to.inv_weight, weight, n.node_count, sizeof(float)));
        CHECK(same_array(to.fit_mass, mass, n.node_count, sizeof(float)));
        for (int32_t i = 0; i < n.node_count; ++i) {
            bool stays = map.before[i] >= 0;
            kept += stays && !map.touched[i];
            other += stays && mass[i] != from.fit_mass[map.before[i]];
        }
        arena_release(&a);
    }
    printf("     of nodes that stay %d are not touched, %d have another mass\n", kept, other);
    CHECK(kept > 1000 && other > 1000);
}

/* A bar of several charts is made whole. */
static void charts_are_made(void) {
    lim_model_desc desc = remake_desc(0.01, 1);
    shape s = {0};
    shape_box(&s, 0, 0, 0, 1, 0.02, 0.02);
    lim_mesh_desc d = shape_desc(&s);
    lim_mesh* mesh = NULL;
    topology* t = NULL;
    lim_host host = mem_host(NULL);
    CHECK(lim_mesh_create(&d, NULL, &mesh) == LIM_OK);
    CHECK(topology_build(mesh, &desc, &host, &t) == LIM_OK);
    CHECK(charts_many(&t->charts) && !kept_is_made(t, t, NULL, NULL));
    lim_mesh_destroy(mesh);
    shape_free(&s);
    topology_release(t);
}

static void memory_may_run_out(void) {
    random_stream r = random_seed(24);
    topology* from = remake_body(0, 0.2, 1);
    int8_t* level = levels_of(from);
    patch_levels(&r, from, level);
    topology* t = with_levels(from, level);
    arena b;
    arena_init(&b, NULL);
    kept_nodes kept;
    region_past past;
    region_source s;
    bool known;
    CHECK(kept_nodes_find(&b, from, t, NULL, &kept) == LIM_OK);
    CHECK(kept_regions_find(&b, from, t, NULL, NULL, &kept, &past, &known) == LIM_OK && known);
    find_source(&b, t, &s);
    region_nodes nodes = topology_nodes(t);
    float* weight = ARENA_ARRAY(&b, float, 2 * (size_t)t->slot_count);
    for (int k = 0;; ++k) {
        failing_host f;
        arena a;
        net n;
        regions made;
        record_map map;
        failing_host_arm(&f, k);
        arena_init(&a, &f.host);
        lim_result result =
            regions_blend_again(&a, &a, &f.host, &nodes, s.tree, s.width, &past, &n, &made, &map);
        if (result == LIM_OK) {
            result = regions_constants_again(&a, &nodes, &t->charts, &n, &past, &map, &made, weight,
                                             weight + t->slot_count);
        }
        CHECK(result == LIM_ERROR_MEMORY || (result == LIM_OK && same_net(&n, &t->net)));
        arena_release(&a);
        CHECK(f.held == 0);
        if (result == LIM_OK) {
            CHECK(k > 5);
            break;
        }
    }
    arena_release(&b);
    free(level);
    topology_release(t);
    topology_release(from);
}

TEST_SUITE(kept_regions) {
    TEST_BEGIN(argc, argv);
    RUN(other_levels);
    RUN(cuts);
    RUN(strokes_that_go_on);
    RUN(a_cut_beside);
    RUN(a_coarse_node_that_glue_holds);
    RUN(any_network);
    RUN(charts_are_made);
    RUN(memory_may_run_out);
    TEST_END();
}
