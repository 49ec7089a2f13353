/* SPDX-License-Identifier: MIT
 * Topologies made from others: nothing changed is nothing changed, whatever way levels take, and
 * what is taken over is what would be made.
 */
#include "body/material.h"
#include "kept_checks.h"
#include "mesh/pieces_same.h"
#include "remake_kit.h"
#include "sample/matter_copy.h"

static const double CELLS[REMAKE_SHAPES] = {0.12, 0.05, 0.05, 0.13, 0.06, 0.25};

static void no_change_is_no_change(void) {
    for (int which = 0; which < REMAKE_SHAPES; ++which) {
        for (int32_t coarsen = 0; coarsen < 3; ++coarsen) {
            topology* from = remake_body(which, CELLS[which], coarsen);
            topology_plan plan = {.from = from};
            arena a;
            arena_init(&a, NULL);
            topology* t = NULL;
            int32_t* slot = NULL;
            CHECK(topology_remake(&a, &plan, NULL, &t, &slot) == LIM_OK);
            CHECK(same_bytes(from, t) && same_derived(from, t));
            for (int32_t i = 0; i < t->slot_count; ++i) {
                CHECK(slot[i] == (t->slot_node[i] >= 0 ? i : -1));
            }
            arena_release(&a);
            topology_release(t);
            topology_release(from);
        }
    }
}

static void refined_and_back_is_as_before(void) {
    for (int which = 0; which < REMAKE_SHAPES; ++which) {
        topology* from = remake_body(which, CELLS[which], 2);
        int8_t *level = levels_of(from), *fine = levels_of(from);
        memset(fine, from->levels, (size_t)from->matter.count);
        topology* finest = with_levels(from, fine);
        CHECK(finest->node_count == from->matter.count);
        CHECK(which == 2 || finest->node_count > from->node_count);
        topology* back = with_levels(finest, level);
        /* The material is one for all, and outlives the first. */
        CHECK(finest->matter.key == from->matter.key && back->matter_mem == from->matter_mem);
        CHECK(back->tree.pieces == from->tree.pieces && from->tree.mem->owners == 3);
        CHECK(same_bytes(from, back) && same_derived(from, back));
        /* All one level coarser, and back. */
        topology_release(back);
        topology_release(finest);
        topology_release(from);
        free(level);
        free(fine);
    }
}

/* Levels that the builder chose, over the material of a body of finest cells, with the origin, the
 * points and the widths of what was built: the same body. Nothing can be taken over. */
static void the_builder_makes_the_same(void) {
    for (int which = 0; which < REMAKE_SHAPES; ++which) {
        topology* fine = remake_body(which, CELLS[which], -2);
        topology* built = remake_body(which, CELLS[which], 2);
        CHECK(fine->levels == built->levels && fine->node_count == built->matter.count);
        topology moved = *built;
        moved.matter = fine->matter;
        moved.matter_mem = fine->matter_mem;
        moved.tree = fine->tree;
        moved.slot_count = fine->slot_count;
        moved.slot_node = fine->slot_node;
        moved.key = fine->key;
        moved.side = fine->side;
        memcpy(moved.centre, fine->centre, sizeof moved.centre);
        moved.slot_component = fine->slot_component;
        moved.component_count = fine->component_count;
        moved.fragment_slot = fine->fragment_slot;
        moved.volume = calloc((size_t)fine->slot_count, sizeof(float));
        moved.fragment_width = malloc((size_t)fine->matter.count * sizeof(float));
        for (int32_t i = 0; i < fine->matter.count; ++i) {
            float told = built->fragment_width != NULL ? built->fragment_width[i] : 0.0f;
            float rule = built->side[built->fragment_slot[i]] * built->own_width;
            moved.fragment_width[i] = told > 0.0f ? told : rule;
        }
        int8_t* level = levels_of(built);
        topology* t = with_levels(&moved, level);
        CHECK(same_bytes(built, t) && same_derived(built, t));
        free(moved.volume);
        free(moved.fragment_width);
        free(level);
        topology_release(t);
        topology_release(built);
        topology_release(fine);
    }
}

static void any_way_to_levels_ends_alike(void) {
    random_stream r = random_seed(4);
    for (int round = 0; round < (test_long ? 120 : 18); ++round) {
        int which = round % REMAKE_SHAPES;
        topology* from = remake_body(which, CELLS[which], 2);
        topology* now = from;
        int8_t* level = levels_of(from);
        topology_retain(from);
        for (int step = 0; step < 4; ++step) {
            random_levels(&r, now, level);
            topology *next = with_levels(now, level), *straight = with_levels(from, level);
            CHECK(same_bytes(next, straight) && same_derived(next, straight));
            CHECK(bound_as_anew(next) && derived_as_anew(next));
            CHECK(graph_is_true(next) && kept_is_true(now, next, NULL));
            CHECK_NEAR(next->volume_sum, from->volume_sum, 1e-6 * from->volume_sum);
            topology_release(straight);
            topology_release(now);
            now = next;
        }
        free(level);
        topology_release(now);
        topology_release(from);
    }
}

/* The same cut with material and pieces in memory to share; pieces follow where they are known. */
static void check_shared(const topology* t, topology* from, const surface_cut* skin) {
    arena a;
    arena_init(&a, NULL);
    shared_arena* mem = shared_make(&a.host);
    matter_change change;
    pieces whole;
    topology_plan plan = {.from = from, .after_mem = mem, .surface = &skin->change};
    CHECK(matter_cut(&mem->mem, &from->matter, &skin->blade, -1, &change) == LIM_OK);
    matter made = change.after;
    CHECK(matter_settle(&mem->mem, &from->matter, &made, &change.after) == LIM_OK);
    CHECK(change.after.edge_node != from->matter.edge_node);
    material_tree known = from->tree;
    CHECK(material_tree_of(from, &a.host, &from->tree) == LIM_OK);
    CHECK(material_tree_follow(mem, from, &change, &plan.tree) == LIM_OK);
    CHECK(pieces_build(&a, &change.after, &whole) == LIM_OK);
    CHECK(same_pieces(plan.tree.pieces, &whole));
    shared_leave(from->tree.mem);
    from->tree = known;
    plan.after = &change.after;
    plan.source = change.source;
    plan.touched = change.touched;
    topology* other = remade(&plan);
    shared_leave(mem);
    CHECK(same_bytes(t, other) && same_derived(t, other));
    CHECK(other->tree.pieces != NULL && other->tree.pieces->level[0].count >= 1);
    topology_release(other);
    arena_release(&a);
}

/* Cuts, some to the other side and some not, one after the other; saved and loaded. */
static void cuts_are_remade(void) {
    random_stream r = random_seed(12);
    int cuts = 0, parted = 0;
    for (int round = 0; round < (test_long ? 60 : 12); ++round) {
        int which = round % 4;
        topology* now = remake_body(which, CELLS[which], 2 - round % 3);
        /* Cells of several sizes side by side, across gaps too. */
        int8_t* level = levels_of(now);
        random_levels(&r, now, level);
        topology* mixed = with_levels(now, level);
        topology_release(now);
        now = mixed;
        free(level);
        for (int step = 0; step < 3; ++step) {
            arena a;
            arena_init(&a, NULL);
            double deep = step == 1 ? 0.1 : 0.7;
            cut_blade blade =
                plane_blade(&a, random_index(&r, 2), -0.25 + 0.5 * (double)random_unit(&r),
                            0.4 * (double)random_unit(&r) - 0.2, deep, 12);
            surface_cut skin;
            matter_change change;
            lim_result result = surface_cut_make(&a, now, &blade, -1, (uint64_t)step, 1, &skin);
            if (result != LIM_OK || skin.cut_triangles == 0) {
                arena_release(&a);
                continue;
            }
            CHECK(matter_cut(&a, &now->matter, &skin.blade, -1, &change) == LIM_OK);
            topology_plan plan = {.from = now,
                                  .after = &change.after,
                                  .source = change.source,
                                  .touched = change.touched,
                                  .surface = &skin.change};
            topology* t = NULL;
            int32_t* slot = NULL;
            CHECK(topology_remake(&a, &plan, NULL, &t, &slot) == LIM_OK);
            if (t != NULL) {
                CHECK(topology_is_valid(t));
                CHECK(bound_as_anew(t) && derived_as_anew(t));
                CHECK(graph_is_true(t) && kept_is_true(now, t, change.source));
                check_shared(t, now, &skin);
                CHECK(t->revision == now->revision + 1 && t->felt_coarse);
                CHECK(t->vertex_count == now->vertex_count + skin.change.new_vertices);
                cuts++;
                parted += t->component_count > now->component_count;
                for (int32_t i = 0; i < t->slot_count; ++i) {
                    if (slot[i] >= 0) {
                        CHECK(t->x0[0][i] == now->x0[0][slot[i]] &&
                              t->mass[i] == now->mass[slot[i]]);
                    }
                }
                size_t size = topology_bytes(t);
                unsigned char* bytes = malloc(size);
                topology_write(t, bytes);
                topology* loaded = NULL;
                CHECK(topology_read(bytes, size, NULL, &loaded) == LIM_OK);
                CHECK(loaded != NULL && same_bytes(t, loaded) && same_derived(t, loaded));
                topology_release(loaded);
                free(bytes);
                topology_release(now);
                now = t;
            }
            arena_release(&a);
        }
        topology_release(now);
    }
    printf("     %d cuts, %d of them through\n", cuts, parted);
    CHECK(cuts >= 12 && parted >= 3);
}

/* A fragment that nothing joins to another one. */
static int32_t apart_from(random_stream* r, const matter* m, int32_t one, int32_t other) {
    for (;;) {
        int32_t i = random_index(r, m->count);
        bool apart = i != one && i != other;
        for (int32_t e = m->edge_offset[one]; e < m->edge_offset[one + 1]; ++e) {
            apart = apart && m->edge_node[e] != i;
        }
        if (apart) {
            return i;
        }
    }
}

/* Glue that leads far away, and then elsewhere: as many edges, to other nodes. */
static void glue_is_measured_and_moves(void) {
    random_stream r = random_seed(31);
    for (int round = 0; round < 12; ++round) {
        topology* now = remake_body(0, CELLS[0], round % 2 == 0 ? -2 : 2);
        arena a;
        arena_init(&a, NULL);
        int32_t one = random_index(&r, now->matter.count);
        int32_t pair[2] = {one, apart_from(&r, &now->matter, one, one)};
        for (int step = 0; step < 3; ++step) {
            matter glued;
            CHECK(matter_glue(&a, &now->matter, pair, 1, &glued) == LIM_OK);
            topology_plan plan = {.from = now, .after = &glued};
            topology* t = remade(&plan);
            CHECK(graph_is_true(t) && kept_is_true(now, t, NULL));
            topology_release(now);
            now = t;
            pair[1] = apart_from(&r, &now->matter, one, pair[1]);
        }
        topology_release(now);
        arena_release(&a);
    }
}

/* The body with glue between two fragments, at other levels perhaps. */
static topology* glued_at(const topology* from, int32_t one, int32_t other, const int8_t* level) {
    arena a;
    arena_init(&a, NULL);
    const int32_t pair[2] = {one, other};
    matter after;
    CHECK(matter_glue(&a, &from->matter, pair, 1, &after) == LIM_OK);
    topology_plan plan = {.from = from, .after = &after, .level = level};
    topology* t = remade(&plan);
    arena_release(&a);
    return t;
}

/* Nodes in the middle are joined, so that slots before them move up and those behind them down;
 * and glue moves from one of those behind to the one that is where it would be had all moved alike:
 * by their numbers all links are those before, moved. */
static void glue_moves_as_slots_do(void) {
    random_stream r = random_seed(32);
    topology* whole = remake_body(0, CELLS[0], -2); /* fragments are nodes, in one order */
    const matter* m = &whole->matter;
    pieces all;
    arena a;
    arena_init(&a, NULL);
    CHECK(pieces_build(&a, m, &all) == LIM_OK);
    const piece_level* coarse = &all.level[all.finest - 1];
    int32_t joined = coarse->count / 2, first = coarse->child_first[joined];
    int32_t joins = coarse->child_first[joined + 1] - first;
    int8_t* level = levels_of(whole);
    for (int32_t k = 0; k < joins; ++k) {
        level[coarse->child[first + k]]--;
    }
    for (int round = 0; round < 5; ++round) {
        int32_t one = random_index(&r, m->count / 8);
        while (m->edge_node[m->edge_offset[one + 1] - 1] >= coarse->child[first]) {
            one = random_index(&r, m->count / 8); /* all its own neighbours are before them */
        }
        int32_t other = m->count - 1 - joins - random_index(&r, m->count / 8);
        topology* from = glued_at(whole, one, other, NULL);
        topology* t = glued_at(from, one, other + joins, level);
        int32_t slot = t->fragment_slot[one], was = from->fragment_slot[one];
        int32_t begin = t->edge_offset[slot], old = from->edge_offset[was];
        CHECK(t->fragment_slot[0] == from->fragment_slot[0] + 1);
        for (int32_t e = 0; e < t->edge_offset[slot + 1] - begin; ++e) {
            CHECK(t->edge_node[begin + e] == from->edge_node[old + e] + 1);
        }
        CHECK(graph_is_true(t) && kept_is_true(from, t, NULL));
        topology_release(t);
        topology_release(from);
    }
    free(level);
    arena_release(&a);
    topology_release(whole);
}

/* Two parts that glue makes one: their slots are then in one order, and in two again without it. */
static void glue_mixes_two_parts(void) {
    topology* apart = remake_body(2, CELLS[2], 0);
    const matter* m = &apart->matter;
    CHECK(apart->component_count == 2);
    int32_t other = 0;
    while (m->component[other] == m->component[0]) {
        other++;
    }
    topology* one = glued_at(apart, 0, other, NULL);
    arena a;
    arena_init(&a, NULL);
    matter after;
    CHECK(matter_glue(&a, &one->matter, NULL, 0, &after) == LIM_OK);
    topology_plan plan = {.from = one, .after = &after};
    topology* again = remade(&plan);
    CHECK(one->component_count == 1 && again->component_count == 2);
    CHECK(kept_is_true(apart, one, NULL) && kept_is_true(one, again, NULL));
    CHECK(bound_as_anew(one) && bound_as_anew(again));
    arena_release(&a);
    topology_release(again);
    topology_release(one);
    topology_release(apart);
}

/* Two fingers a fifth of a cell apart, beside each other along x or z, one of coarser cells: where
 * they are one body its points look less far, as finer cells of it are near (skin/cell_kernel.h).
 * When one or both are cut off they are no longer; when glue joins their tips they are again. */
static void fingers_part_and_join(void) {
    for (int round = 0; round < 8; ++round) {
        shape s = {0};
        shape_fingers(&s, 0.37 - 0.01 * (round / 2), 0.02);
        for (int32_t i = 0; i < s.vertices && round % 2 == 1; ++i) {
            double* p = s.position + 3 * i;
            double x = p[0];
            p[0] = p[2];
            p[2] = x;
        }
        if (round % 2 == 1) {
            shape_flip(&s, 0, s.triangles);
        }
        lim_mesh_desc d = shape_desc(&s);
        lim_model_desc desc = remake_desc(0.05, 1);
        desc.size_at = kit_finest;
        lim_mesh* mesh = NULL;
        topology* t = NULL;
        lim_host host = mem_host(NULL);
        arena a;
        arena_init(&a, NULL);
        CHECK(lim_mesh_create(&d, NULL, &mesh) == LIM_OK);
        CHECK(topology_build(mesh, &desc, &host, &t) == LIM_OK);
        int8_t* level = levels_of(t);
        double low = t->matter.corner.y, cell = 2.0 * t->matter.side;
        double root = low + cell * ceil((-0.2 - low) / cell); /* above the palm */
        for (int32_t i = 0; i < t->matter.count; ++i) {
            lim_point at = t->matter.centroid[i];
            double across = round % 2 == 0 ? at.x : at.z;
            level[i] = (int8_t)(level[i] - (at.y > root && (across > 0.0) == (round / 2 % 2 == 0)));
        }
        topology* mixed = with_levels(t, level);
        bool one = round % 4 == 0; /* that of finer cells is cut off alone */
        cut_blade blade = plane_blade(&a, 1, 0.01, 0.02, one ? 0.0 : 0.7, 4);
        topology* apart = cut_body(mixed, &blade, 1);
        CHECK(apart != NULL && t->component_count == 1);
        CHECK(apart->component_count == (one ? 2 : 3) && bound_as_anew(apart));
        const matter* m = &apart->matter;
        int32_t tip[2] = {-1, -1}; /* the highest fragment of each finger */
        for (int32_t i = 0; i < m->count; ++i) {
            double across = round % 2 == 0 ? m->centroid[i].x : m->centroid[i].z;
            int32_t* best = &tip[across > 0.0];
            *best = *best < 0 || m->centroid[i].y > m->centroid[*best].y ? i : *best;
        }
        topology* again = glued_at(apart, tip[0], tip[1], NULL);
        CHECK(again->component_count == (one ? 1 : 2) && bound_as_anew(again));
        free(level);
        topology_release(again);
        topology_release(apart);
        topology_release(mixed);
        topology_release(t);
        arena_release(&a);
        lim_mesh_destroy(mesh);
        shape_free(&s);
    }
}

/* Some points get homes a link or two away, and all are bound to suit: as points whose own material
 * a blade has taken from them. */
static void make_strays(random_stream* r, topology* t) {
    const matter* m = &t->matter;
    arena a;
    arena_init(&a, NULL);
    cell_frame frame;
    bind_nodes nodes = bind_cells_nodes(t, &frame);
    int32_t* which = ARENA_ARRAY(&a, int32_t, t->bind.count);
    int32_t* own = ARENA_ARRAY(&a, int32_t, t->bind.count);
    for (int32_t i = 0; i < t->bind.count; ++i) {
        int32_t* home = &t->point_home[i];
        for (int32_t k = random_index(r, 6); k > 3; --k) {
            int32_t links = m->edge_offset[*home + 1] - m->edge_offset[*home];
            *home =
                links > 0 ? m->edge_node[m->edge_offset[*home] + random_index(r, links)] : *home;
        }
        which[i] = i;
        own[i] = t->fragment_slot[*home];
    }
    CHECK(bindings_renew(&a, &nodes, which, own, t->bind.count, NULL, &t->bind) == LIM_OK);
    CHECK(bound_as_anew(t));
    arena_release(&a);
}

static void strays_are_bound_as_anew(void) {
    random_stream r = random_seed(33);
    for (int round = 0; round < 24; ++round) {
        int which = round % 2 == 0 ? 1 : round / 2 % 4; /* fingers see each other */
        topology* now = remake_body(which, 1.5 * CELLS[which], 2 - round % 3);
        make_strays(&r, now);
        int8_t* level = levels_of(now);
        random_levels(&r, now, level);
        topology* mixed = with_levels(now, level);
        CHECK(bound_as_anew(mixed));
        arena a;
        arena_init(&a, NULL);
        cut_blade blade = plane_blade(&a, random_index(&r, 2),
                                      -0.25 + 0.5 * (double)random_unit(&r), 0.1, 0.7, 4);
        topology* cut = cut_body(mixed, &blade, 1);
        CHECK(cut == NULL || bound_as_anew(cut));
        arena_release(&a);
        free(level);
        topology_release(cut);
        topology_release(mixed);
        topology_release(now);
    }
}

/* A copy of an array, of which one entry is another; in `a`. */
static void* with_other(arena* a, const void* array, int32_t count, size_t size, int32_t at) {
    unsigned char* copy = arena_alloc(a, (size_t)count, size);
    memcpy(copy, array, (size_t)count * size);
    copy[(size_t)at * size] ^= 1;
    return copy;
}

/* A node is the same if every fragment of it is and nothing of its rest state is another, whatever
 * follows from what. */
static void nodes_are_the_same_in_all(void) {
    topology* from = remake_body(4, CELLS[4], 2);
    arena a;
    arena_init(&a, NULL);
    int32_t fragment = from->matter.count / 2, slot = from->fragment_slot[fragment], other = 0;
    int32_t slots = from->slot_count, all = from->matter.count;
    while (from->fragment_slot[other] == slot) {
        other++;
    }
    CHECK(from->stiffness != NULL && other < all);
    for (int what = 0; what < 14; ++what) {
        topology t = *from;
        float** field[10] = {&t.volume, &t.mass,  &t.side,      &t.stiffness, &t.x0[0],
                             &t.x0[1],  &t.x0[2], &t.centre[0], &t.centre[1], &t.centre[2]};
        if (what < 10) {
            *field[what] = with_other(&a, *field[what], slots, sizeof(float), slot);
        } else if (what == 10) {
            t.key = with_other(&a, t.key, slots, sizeof *t.key, slot);
        } else if (what == 11) {
            t.matter.key = with_other(&a, t.matter.key, all, sizeof *t.matter.key, fragment);
        } else if (what == 12) {
            t.matter.mask = with_other(&a, t.matter.mask, all, sizeof *t.matter.mask, fragment);
        } else { /* it has one fragment less, another node one more */
            t.fragment_slot = ARENA_ARRAY(&a, int32_t, all);
            memcpy(t.fragment_slot, from->fragment_slot, (size_t)all * sizeof(int32_t));
            t.fragment_slot[fragment] = from->fragment_slot[other];
        }
        kept_nodes kept;
        CHECK(kept_nodes_find(&a, from, &t, NULL, &kept) == LIM_OK);
        for (int32_t i = 0; i < slots; ++i) {
            bool same = i != slot && (what < 13 || i != from->fragment_slot[other]);
            same = same && t.slot_node[i] >= 0;
            CHECK(kept.before[i] == (same ? i : -1) && kept.after[i] == kept.before[i]);
        }
    }
    arena_release(&a);
    topology_release(from);
}

static void loaded_is_the_same(void) {
    random_stream r = random_seed(9);
    for (int which = 0; which < REMAKE_SHAPES; ++which) {
        topology* from = remake_body(which, CELLS[which], 2);
        int8_t* level = levels_of(from);
        random_levels(&r, from, level);
        topology *t = with_levels(from, level), *loaded = NULL;
        size_t size = topology_bytes(t);
        unsigned char* bytes = malloc(size);
        topology_write(t, bytes);
        CHECK(topology_read(bytes, size, NULL, &loaded) == LIM_OK);
        CHECK(loaded != NULL && same_bytes(t, loaded) && same_derived(t, loaded));
        free(bytes);
        free(level);
        topology_release(loaded);
        topology_release(t);
        topology_release(from);
    }
}

static void wrong_levels_are_refused(void) {
    topology* from = remake_body(0, CELLS[0], 2);
    int8_t* level = levels_of(from);
    for (int round = 0; round < 3; ++round) {
        int32_t i = 0;
        while (i + 1 < from->matter.count && from->fragment_slot[i] != from->fragment_slot[i + 1]) {
            i++;
        }
        int8_t kept = level[i];
        level[i] = round == 0 ? (int8_t)(from->levels + 1) : round == 1 ? -1 : (int8_t)(kept + 1);
        topology_plan plan = {.from = from, .level = level};
        arena a;
        arena_init(&a, NULL);
        topology* t = NULL;
        int32_t* slot = NULL;
        CHECK(topology_remake(&a, &plan, NULL, &t, &slot) == LIM_ERROR_ARGUMENT && t == NULL);
        arena_release(&a);
        level[i] = kept;
    }
    free(level);
    topology_release(from);
}

static void memory_may_run_out_anywhere(void) {
    random_stream r = random_seed(3);
    topology* from = remake_body(1, 0.1, 2);
    int8_t* level = levels_of(from);
    random_levels(&r, from, level);
    arena b;
    arena_init(&b, NULL);
    cut_blade blade = plane_blade(&b, 0, 0.02, 0.1, 0.7, 6);
    surface_cut skin;
    matter_change change;
    CHECK(surface_cut_make(&b, from, &blade, -1, 1, 1, &skin) == LIM_OK && skin.cut_triangles > 0);
    CHECK(matter_cut(&b, &from->matter, &skin.blade, -1, &change) == LIM_OK);
    topology_plan plans[2] = {
        {.from = from, .level = level},
        {.from = from, .after = &change.after, .source = change.source, .surface = &skin.change}};
    for (int k = 0; k < 2; ++k) {
        for (int n = 0;; ++n) {
            failing_host f;
            failing_host_arm(&f, n);
            arena a;
            arena_init(&a, &f.host);
            topology* t = NULL;
            int32_t* slot = NULL;
            lim_result result = topology_remake(&a, &plans[k], &f.host, &t, &slot);
            arena_release(&a);
            topology_release(t);
            CHECK(f.held == 0);
            CHECK(result == LIM_OK || (result == LIM_ERROR_MEMORY && t == NULL));
            if (result != LIM_ERROR_MEMORY) {
                CHECK(n > 5);
                break;
            }
        }
    }
    arena_release(&b);
    free(level);
    topology_release(from);
}

TEST_SUITE(remake) {
    TEST_BEGIN(argc, argv);
    RUN(no_change_is_no_change);
    RUN(refined_and_back_is_as_before);
    RUN(the_builder_makes_the_same);
    RUN(any_way_to_levels_ends_alike);
    RUN(cuts_are_remade);
    RUN(glue_is_measured_and_moves);
    RUN(glue_moves_as_slots_do);
    RUN(glue_mixes_two_parts);
    RUN(fingers_part_and_join);
    RUN(strays_are_bound_as_anew);
    RUN(nodes_are_the_same_in_all);
    RUN(loaded_is_the_same);
    RUN(wrong_levels_are_refused);
    RUN(memory_may_run_out_anywhere);
    TEST_END();
}
