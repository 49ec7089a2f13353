/* SPDX-License-Identifier: MIT
 * Parts of topologies: all of it is what it was, and what several have is what there was.
 */
#include "remake_kit.h"

#include "body/part.h"

static const double CELLS[4] = {0.12, 0.05, 0.05, 0.13};

typedef struct piece_of {
    topology* t;
    part_map map;
    arena mem;
} piece_of;

static piece_of take(const topology* from, const uint8_t* takes, bool keep_vertices) {
    piece_of p = {0};
    arena_init(&p.mem, NULL);
    CHECK(topology_part(&p.mem, from, takes, keep_vertices, NULL, &p.t, &p.map) == LIM_OK);
    CHECK(p.t != NULL && topology_is_valid(p.t));
    return p;
}

static void let_go(piece_of* p) {
    arena_release(&p->mem);
    topology_release(p->t);
}

/* Bodies of several components: by nature, and by cuts. */
static topology* body_of(int which, random_stream* r) {
    topology* t = remake_body(which, CELLS[which], which % 3);
    for (int k = 0; k < 2; ++k) {
        arena a;
        arena_init(&a, NULL);
        cut_blade blade = plane_blade(&a, k, -0.2 + 0.4 * (double)random_unit(r), 0.1, 0.7, 10);
        topology* cut = cut_body(t, &blade, 5);
        if (cut != NULL) {
            topology_release(t);
            t = cut;
        }
        arena_release(&a);
    }
    return t;
}

static void all_of_it_is_what_it_was(void) {
    random_stream r = random_seed(2);
    for (int which = 0; which < 4; ++which) {
        topology* from = body_of(which, &r);
        uint8_t* takes = malloc((size_t)from->component_count);
        memset(takes, 1, (size_t)from->component_count);
        for (int keep = 0; keep < 2; ++keep) {
            piece_of p = take(from, takes, keep == 1);
            CHECK(p.t->revision == from->revision + 1);
            for (int32_t i = 0; i < p.t->slot_count; ++i) {
                CHECK(p.map.slot[i] == (from->slot_node[i] >= 0 ? i : -1));
            }
            for (int32_t i = 0; i < p.t->vertex_count; ++i) {
                CHECK(p.map.vertex[i] == i);
            }
            p.t->revision = from->revision;
            p.t->info.bounds = from->info.bounds;
            p.t->info.centre = from->info.centre;
            CHECK(same_bytes(from, p.t) && same_derived(from, p.t));
            let_go(&p);
        }
        free(takes);
        topology_release(from);
    }
}

/* Nodes, regions, points and triangles as they were. */
static void check_piece(const topology* from, const piece_of* p, bool keep) {
    const topology* t = p->t;
    int32_t nodes = 0;
    for (int32_t i = 0; i < t->slot_count; ++i) {
        int32_t was = p->map.slot[i];
        nodes += was >= 0;
        CHECK((was >= 0) == (t->slot_node[i] >= 0));
        if (was >= 0) {
            int32_t now = t->regions.seed_region[i], old = from->regions.seed_region[was];
            CHECK(t->x0[0][i] == from->x0[0][was] && t->mass[i] == from->mass[was]);
            CHECK(t->regions.weight[now] == from->regions.weight[old]);
            CHECK(t->regions.c0[1][now] == from->regions.c0[1][old]);
            CHECK(t->regions.a0[0][now] == from->regions.a0[0][old]);
            CHECK(t->edge_offset[i + 1] - t->edge_offset[i] ==
                  from->edge_offset[was + 1] - from->edge_offset[was]);
        }
    }
    CHECK(nodes == t->node_count);
    for (int32_t i = 0; i < t->matter.count; ++i) {
        CHECK(t->matter.key[i] == from->matter.key[p->map.fragment[i]]);
        CHECK(t->matter.mask[i] == from->matter.mask[p->map.fragment[i]]);
    }
    CHECK(!keep || t->vertex_count == from->vertex_count);
    for (int32_t i = 0; i < t->vertex_count; ++i) {
        int32_t was = p->map.vertex[i];
        CHECK(i == 0 || was > p->map.vertex[i - 1]);
        CHECK(memcmp(&t->position[i], &from->position[was], sizeof(lim_point)) == 0);
        CHECK(memcmp(t->normal + 3 * i, from->normal + 3 * was, 3 * sizeof(float)) == 0);
        int32_t point = t->vertex_point[i];
        if (point + 1 < t->point_count) {
            CHECK(memcmp(&t->skin_point[point], &from->skin_point[from->vertex_point[was]],
                         sizeof(lim_point)) == 0);
        }
    }
    CHECK(bound_as_anew(t));
    CHECK(t->info.bounds.lower.x >= from->info.bounds.lower.x - 1e-6 * from->unit);
    CHECK(t->info.bounds.upper.y <= from->info.bounds.upper.y + 1e-6 * from->unit);
    size_t size = topology_bytes(t);
    unsigned char* bytes = malloc(size);
    topology_write(t, bytes);
    topology* loaded = NULL;
    CHECK(topology_read(bytes, size, NULL, &loaded) == LIM_OK);
    CHECK(loaded != NULL && same_bytes(t, loaded) && same_derived(t, loaded));
    topology_release(loaded);
    free(bytes);
}

/* One component, and what is left. */
static void parts_are_what_there_was(void) {
    random_stream r = random_seed(8);
    int parts = 0;
    for (int round = 0; round < (test_long ? 24 : 8); ++round) {
        topology* from = body_of(round % 4, &r);
        uint8_t* takes = calloc((size_t)from->component_count, 1);
        for (int32_t c = 0; c < from->component_count && from->component_count > 1; ++c) {
            topology* pieces_made[2] = {NULL, NULL};
            arena mem;
            for (int rest = 0; rest < 2; ++rest) {
                memset(takes, rest, (size_t)from->component_count);
                takes[c] = (uint8_t)!rest;
                arena_init(&mem, NULL);
                part_map map;
                lim_result result =
                    topology_part(&mem, from, takes, rest == 1, NULL, &pieces_made[rest], &map);
                /* Slivers of material may have no skin where nobody has made them agree. */
                CHECK(result == LIM_OK || result == LIM_ERROR_ARGUMENT);
                if (result == LIM_OK) {
                    CHECK(topology_is_valid(pieces_made[rest]));
                    piece_of p = {pieces_made[rest], map, mem};
                    check_piece(from, &p, rest == 1);
                }
                arena_release(&mem);
            }
            if (pieces_made[0] != NULL && pieces_made[1] != NULL) {
                const topology *one = pieces_made[0], *other = pieces_made[1];
                parts++;
                CHECK(one->node_count + other->node_count == from->node_count);
                CHECK(one->triangle_count + other->triangle_count == from->triangle_count);
                CHECK(one->matter.count + other->matter.count == from->matter.count);
                CHECK(one->component_count + other->component_count == from->component_count);
                CHECK_NEAR(one->volume_sum + other->volume_sum, from->volume_sum, 1e-12);
            }
            topology_release(pieces_made[0]);
            topology_release(pieces_made[1]);
        }
        free(takes);
        topology_release(from);
    }
    printf("     %d parts\n", parts);
    CHECK(parts >= 8);
}

static void nothing_is_no_part(void) {
    topology* from = remake_body(2, 0.05, 1);
    uint8_t* takes = calloc((size_t)from->component_count, 1);
    arena a;
    arena_init(&a, NULL);
    topology* t = NULL;
    part_map map;
    CHECK(topology_part(&a, from, takes, false, NULL, &t, &map) == LIM_ERROR_ARGUMENT);
    CHECK(t == NULL);
    arena_release(&a);
    free(takes);
    topology_release(from);
}

static void memory_may_run_out_anywhere(void) {
    topology* from = remake_body(2, 0.05, 1);
    CHECK(from->component_count == 2);
    const uint8_t takes[2] = {0, 1};
    for (int n = 0;; ++n) {
        failing_host f;
        failing_host_arm(&f, n);
        arena a;
        arena_init(&a, &f.host);
        topology* t = NULL;
        part_map map;
        lim_result result = topology_part(&a, from, takes, false, &f.host, &t, &map);
        arena_release(&a);
        topology_release(t);
        CHECK(f.held == 0);
        CHECK(result == LIM_OK || (result == LIM_ERROR_MEMORY && t == NULL));
        if (result != LIM_ERROR_MEMORY) {
            CHECK(n > 5);
            break;
        }
    }
    topology_release(from);
}

TEST_SUITE(part) {
    TEST_BEGIN(argc, argv);
    RUN(all_of_it_is_what_it_was);
    RUN(parts_are_what_there_was);
    RUN(nothing_is_no_part);
    RUN(memory_may_run_out_anywhere);
    TEST_END();
}
