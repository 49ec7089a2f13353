/* SPDX-License-Identifier: MIT
 * Adaptive sampling: what must hold for any descriptor, and what each rule does.
 */
#include "failing_host.h"
#include "sample_kit.h"

typedef struct adapted {
    lim_mesh* mesh;
    arena mem;
    sampling s;
} adapted;

/* cell and sizes in units of the mesh. */
static lim_model_desc rules(double cell, int32_t coarsen, double across) {
    return (lim_model_desc){.node_count = 500,
                            .cell_size = (float)cell,
                            .scale = 1.0,
                            .coarsen = coarsen,
                            .cells_across = (float)across,
                            .glue_parts = true,
                            .solid = true};
}

static adapted adapt(lim_mesh* mesh, lim_model_desc desc) {
    adapted m = {.mesh = mesh};
    arena_init(&m.mem, NULL);
    CHECK(sampling_build(&m.mem, mesh, &desc, NULL, &m.s) == LIM_OK);
    check_sampling(mesh, &desc, &m.s);
    return m;
}

static adapted adapt_shape(shape* from, lim_model_desc desc) {
    return adapt(shape_mesh(from), desc);
}

static void done(adapted* m) {
    arena_release(&m->mem);
    lim_mesh_destroy(m->mesh);
}

/* Longest and shortest edge of the cells whose centroids lie in a box, in finest cells. */
typedef struct span {
    double least, most;
    int32_t count;
} span;

static span edges_within(const adapted* m, lim_point lower, lim_point upper) {
    span out = {HUGE_VAL, 0.0, 0};
    for (int32_t i = 0; i < m->s.node_count; ++i) {
        lim_point at = p3_mad(m->mesh->origin, p3_of(m->s.centroid[i]), m->mesh->size);
        if (at.x >= lower.x && at.x <= upper.x && at.y >= lower.y && at.y <= upper.y &&
            at.z >= lower.z && at.z <= upper.z) {
            double edge = (double)(m->s.side[i] / m->s.cell_size);
            out.least = edge < out.least ? edge : out.least;
            out.most = edge > out.most ? edge : out.most;
            out.count++;
        }
    }
    return out;
}

static span edges_of(const adapted* m) {
    return edges_within(m, p3(-1e9, -1e9, -1e9), p3(1e9, 1e9, 1e9));
}

static void no_coarsening_is_uniform_bit_for_bit(void) {
    for (int round = 0; round < 3; ++round) {
        shape s = {0};
        if (round == 0) {
            shape_torus(&s, 1.0, 0.3, 30, 12);
        } else {
            shape_fingers(&s, 0.37, 0.06);
        }
        if (round == 2) {
            shape_box(&s, 0.82, 0, 0, 1.5, 1, 0.4);
        }
        lim_mesh* mesh = shape_mesh(&s);
        lim_model_desc desc = rules(0.05, 0, 2);
        desc.surface_size = 1e-3f; /* no rule has any effect */
        desc.node_budget = 3;
        adapted m = adapt(mesh, desc);
        finest_kit k;
        finest_make(&k, mesh, (double)m.s.cell_size, 0, true, true);
        int32_t n = k.f.count, edges = k.see.edge_offset[n];
        CHECK(m.s.node_count == n && m.s.glued_edges == k.see.glued_edges);
        CHECK((k.see.glued_edges > 0) == (round == 2));
        CHECK(m.s.component_count == k.see.component_count);
        CHECK(memcmp(m.s.component, k.see.component, (size_t)n * 4) == 0);
        CHECK(memcmp(m.s.edge_offset, k.see.edge_offset, ((size_t)n + 1) * 4) == 0);
        CHECK(memcmp(m.s.edge_node, k.see.edge_node, (size_t)edges * 4) == 0);
        for (int32_t i = 0; i < n; ++i) {
            const voxel_cell* c = &k.v.cell.data[k.f.cell[i]];
            lim_vec3 centre =
                v3_of(p3_mad(k.v.corner, p3(c->x + 0.5, c->y + 0.5, c->z + 0.5), k.v.side));
            lim_vec3 centroid = v3_of(k.f.centroid[i]);
            CHECK(m.s.key[i] == c->key && m.s.volume[i] == (float)k.f.volume[i]);
            CHECK(m.s.fragment[i] == i - k.f.cell_first[k.f.cell[i]]);
            CHECK(memcmp(&m.s.centre[i], &centre, sizeof centre) == 0);
            CHECK(memcmp(&m.s.centroid[i], &centroid, sizeof centroid) == 0);
            CHECK(m.s.side[i] == (float)k.v.side);
        }
        finest_free(&k);
        done(&m);
    }
}

static void coarsen_bounds_the_edge(void) {
    for (int32_t c = 0; c <= 6; ++c) {
        shape s = {0};
        shape_box(&s, 0, 0, 0, 16, 16, 16);
        adapted m = adapt_shape(&s, rules(1.0, c, 0));
        double most = c < 4 ? (double)(1 << c) : 16.0; /* not larger than the root */
        span e = edges_of(&m);
        CHECK(e.least == most && e.most == most && m.s.levels == 4);
        double row = 16.0 / most;
        CHECK(m.s.node_count == (int32_t)(row * row * row));
        done(&m);
    }
}

/* The largest cells of a slab whose lower side lies `offset` finest cells above a cell's. */
static double slab_edge(double thick, double offset, double across) {
    shape s = {0};
    /* Crumbs at both ends keep the grid where it is, whatever the slab is like. */
    shape_box(&s, 0, 0, 0, 1, 1, 0.25);
    shape_box(&s, 0, 0, 16 + offset, 32, 32, 16 + offset + thick);
    shape_box(&s, 0, 0, 63.75, 1, 1, 64);
    lim_mesh* mesh = shape_mesh(&s);
    lim_model_desc desc = rules(1.0, 5, across);
    adapted m = {.mesh = mesh};
    arena_init(&m.mem, NULL);
    CHECK(sampling_build(&m.mem, mesh, &desc, NULL, &m.s) == LIM_OK);
    span e = edges_within(&m, p3(8, 8, 12), p3(24, 24, 60));
    done(&m);
    return e.most;
}

/* A slab of N cells takes cells of floor_pow2(N / across); 0.6 of a cell may be too little. */
static void slabs_take_cells_by_their_thickness(void) {
    const double offsets[] = {0.0, 0.3, 0.5, 0.85};
    const double slabs[] = {1.0, 2.0, 3.3, 4.0, 6.0, 7.3, 8.0, 11.0, 15.3, 16.0};
    for (size_t t = 0; t < sizeof slabs / sizeof *slabs; ++t) {
        for (size_t o = 0; o < sizeof offsets / sizeof *offsets; ++o) {
            double wanted = 1.0;
            while (2.0 * wanted * 2.0 <= slabs[t]) {
                wanted *= 2.0;
            }
            CHECK_NEAR(slab_edge(slabs[t], offsets[o], 2.0), wanted, 0.0);
        }
    }
    CHECK_NEAR(slab_edge(8.0, 0.3, 4.0), 2.0, 0.0);
    CHECK_NEAR(slab_edge(8.0, 0.3, 1.0), 8.0, 0.0);
    CHECK_NEAR(slab_edge(8.0, 0.0, 2.7), 2.0, 0.0);  /* 2.96 cells */
    CHECK_NEAR(slab_edge(2.0, 0.0, 0.0), 32.0, 0.0); /* off */
}

static void round_and_square_solids_are_coarse_throughout(void) {
    shape s = {0};
    shape_sphere(&s, 0, 0, 0, 1, 30);
    adapted m = adapt_shape(&s, rules(1.0 / 16, 6, 2)); /* 32 across: cells of 16 or 8 */
    span e = edges_of(&m);
    CHECK(e.least >= 8.0 && e.most >= 8.0);
    done(&m);
    shape_box(&s, 0, 0, 0, 32, 32, 32);
    m = adapt_shape(&s, rules(1.0, 6, 2));
    e = edges_of(&m);
    CHECK(e.least == 16.0 && e.most == 16.0);
    done(&m);
    shape_box(&s, 0.3, 0.6, 0.1, 33, 32.7, 32.4); /* not along the cells */
    m = adapt_shape(&s, rules(1.0, 6, 2));
    e = edges_of(&m);
    CHECK(e.least >= 8.0);
    done(&m);
}

/* A body of 32^3 cells with four fingers of 3 x 3 x 24 on its upper side. */
static void hand(shape* s) {
    shape_box(s, 0, 0, 0, 32, 32, 32);
    for (int i = 0; i < 4; ++i) {
        double x = 2.3 + 8.0 * i;
        shape_box(s, x, 10.1, 31, x + 3, 13.1, 56);
    }
}

static void fingers_are_fine_and_their_body_is_coarse(void) {
    shape s = {0};
    hand(&s);
    adapted m = adapt_shape(&s, rules(1.0, 5, 2));
    /* 3 cells thick: 1 is the largest edge that goes twice into it, down to the foot and a layer
     * below; deeper in the middle between them there are larger ones. */
    span e = edges_within(&m, p3(0, 0, 32.5), p3(32, 32, 60));
    CHECK(e.most == 1.0 && e.count > 4 * 9 * 20);
    for (int i = 0; i < 4; ++i) {
        double x = 2.3 + 8.0 * i;
        e = edges_within(&m, p3(x + 1, 11.1, 31.1), p3(x + 2, 12.1, 60));
        CHECK(e.most == 1.0);
    }
    e = edges_within(&m, p3(0, 0, 20), p3(32, 32, 29));
    CHECK(e.least >= 2.0);
    e = edges_within(&m, p3(0, 20, 0), p3(32, 32, 16));
    CHECK(e.least >= 8.0);
    CHECK(m.s.component_count == 1);
    CHECK(m.s.node_count < 1950 && m.s.pieces.level[m.s.levels].count > 32000);
    done(&m);
    hand(&s);
    m = adapt_shape(&s, rules(1.0, 3, 0)); /* without the rule they are as coarse as the body */
    e = edges_of(&m);
    CHECK(e.least == 8.0);
    done(&m);
}

/* A finger that lies wholly in one coarse cell, together with much more of its body, must not
 * vanish in it: cells of 16 end 11 above the body. */
static void a_finger_within_one_cell_is_found(void) {
    for (int place = 0; place < 3; ++place) {
        shape s = {0};
        double x = 3.0 + place;
        shape_box(&s, 0, 0, 0, 32, 32, 36);
        shape_box(&s, x, 21, 35, x + 2, 23, 45);
        adapted m = adapt_shape(&s, rules(1.0, 4, 2));
        span e = edges_within(&m, p3(0, 0, 40), p3(32, 32, 46));
        CHECK(e.most == 1.0 && e.count >= 4 * 5);
        CHECK(edges_within(&m, p3(0, 0, 0), p3(32, 12, 20)).least >= 8.0);
        done(&m);
    }
}

/* Wedges are thin at their edge at any size: they are no features down to 40 degrees or so. */
static void a_blunt_wedge_is_coarse(void) {
    const double slope[] = {0.5, 0.2}; /* half-angles of 27 and 11 degrees */
    int32_t nodes[2];
    for (int i = 0; i < 2; ++i) {
        shape s = {0};
        const double corner[3][2] = {{0, 0}, {32, -32 * slope[i]}, {32, 32 * slope[i]}};
        static const uint8_t triangle[1][3] = {{0, 1, 2}};
        shape_prism(&s, corner, 3, triangle, 1, 24);
        adapted m = adapt_shape(&s, rules(1.0, 3, 1));
        nodes[i] = m.s.node_count;
        span e = edges_of(&m);
        CHECK(i == 0 ? e.least >= 4.0 : e.least == 1.0);
        done(&m);
    }
    CHECK(nodes[0] < nodes[1]);
}

static void pieces_of_a_cell_stay_apart(void) {
    for (int across = 0; across <= 1; ++across) {
        shape s = {0};
        shape_box(&s, 0, 0, 0, 16, 7.8, 16);
        shape_box(&s, 0, 8.2, 0, 16, 16, 16);
        lim_model_desc desc = rules(1.0, 4, 0.5 * across);
        desc.glue_parts = false;
        adapted m = adapt_shape(&s, desc);
        CHECK(m.s.component_count == 2);
        if (across == 0) {
            CHECK(m.s.node_count == 2 && m.s.cell_count == 1 && m.s.fragment_count == 2);
            CHECK(m.s.fragment[0] == 0 && m.s.fragment[1] == 1);
        } else {
            /* thick enough for one cell, but two pieces share it */
            CHECK(m.s.node_count > 2 && m.s.fragment_count < m.s.node_count);
        }
        done(&m);
    }
}

static void cells_grow_away_from_the_surface(void) {
    shape s = {0};
    shape_box(&s, 0, 0, 0, 32, 32, 32);
    lim_model_desc desc = rules(1.0, 4, 0);
    desc.surface_size = 1.0f;
    desc.size_growth = 0.5f;
    lim_mesh* mesh = shape_mesh(&s);
    adapted m = adapt(mesh, desc);
    int32_t large = 0;
    for (int32_t i = 0; i < m.s.node_count; ++i) {
        double edge = (double)(m.s.side[i] / m.s.cell_size), depth = 32.0;
        octant o = octant_of(m.s.key[i]);
        int32_t at[3] = {o.x, o.y, o.z};
        for (int k = 0; k < 3; ++k) {
            double low = at[k] * edge, high = 32.0 - (at[k] + 1) * edge;
            depth = fmin(depth, fmin(low, high));
        }
        CHECK(edge <= 1.0 + 0.5 * depth + 1e-3);
        large += edge >= 4.0;
    }
    CHECK(large > 0 && edges_of(&m).least == 1.0);
    arena_release(&m.mem);
    desc.size_growth = 0.0f;
    m = adapt(mesh, desc);
    CHECK(edges_of(&m).most == 1.0);
    done(&m);
}

static void regions_of_interest_are_fine(void) {
    shape s = {0};
    shape_box(&s, 0, 0, 0, 32, 32, 32);
    lim_size_region r[2] = {
        {.shape = LIM_SIZE_SPHERE, .centre = {16, 16, 32}, .half = {3, 0, 0}, .size = 1.0f},
        {.shape = LIM_SIZE_BOX, .centre = {2, 2, 2}, .half = {1.5f, 1.5f, 1.5f}, .size = 2.2f}};
    lim_model_desc desc = rules(1.0, 4, 0);
    desc.interest = r;
    lim_mesh* mesh = shape_mesh(&s);
    int32_t nodes[3];
    for (int32_t count = 0; count <= 2; ++count) {
        desc.interest_count = count;
        adapted m = adapt(mesh, desc);
        nodes[count] = m.s.node_count;
        span ball = edges_within(&m, p3(14, 14, 30), p3(18, 18, 32));
        span box = edges_within(&m, p3(0.5, 0.5, 0.5), p3(3.5, 3.5, 3.5));
        CHECK(count == 0 || ball.most == 1.0);
        CHECK(count < 2 || box.most == 2.0);
        CHECK(edges_of(&m).most >= 8.0);
        arena_release(&m.mem);
    }
    CHECK(nodes[0] == 8 && nodes[0] < nodes[1] && nodes[1] < nodes[2]);
    /* In metres: the same regions of a mesh ten times as large. */
    desc.scale = 10.0;
    desc.cell_size = 10.0f;
    for (int i = 0; i < 2; ++i) {
        r[i].centre = p3_scale(r[i].centre, 10.0);
        r[i].half = v3_scale(r[i].half, 10.0f);
        r[i].size *= 10.0f;
    }
    adapted m = adapt(mesh, desc);
    CHECK(m.s.node_count == nodes[2]);
    done(&m);
}

static void painted_vertices_are_fine(void) {
    shape s = {0};
    shape_sphere(&s, 0, 0, 0, 16, 24);
    int32_t vertices = s.vertices;
    float* size = calloc((size_t)vertices, sizeof(float));
    for (int32_t i = 0; i < vertices; ++i) {
        size[i] = s.position[3 * i + 2] > 14.0 ? 2.0f : 0.0f;
    }
    lim_model_desc desc = rules(1.0, 4, 0);
    lim_mesh* mesh = shape_mesh(&s);
    adapted m = adapt(mesh, desc);
    CHECK(edges_of(&m).least == 16.0);
    arena_release(&m.mem);
    desc.vertex_size = size;
    m = adapt(mesh, desc);
    span top = edges_within(&m, p3(-4, -4, 14), p3(4, 4, 17));
    CHECK(top.most <= 2.0 && top.count > 4);
    CHECK(edges_within(&m, p3(-20, -20, -20), p3(20, 20, -4)).least >= 4.0);
    done(&m);
    free(size);
}

typedef struct asked {
    int32_t calls;
    float answer;
} asked;

static float above(void* user, lim_point centre, float edge) {
    asked* a = user;
    a->calls++;
    CHECK(edge > 1.0f && p3_finite(centre));
    return centre.z - 0.5 * (double)edge > 15.9 ? a->answer : 0.0f;
}

static void a_callback_may_ask_for_small_cells(void) {
    shape s = {0};
    shape_box(&s, 0, 0, 0, 32, 32, 32);
    lim_mesh* mesh = shape_mesh(&s);
    const float answers[] = {1.0f, 2.1f, 0.0f, -3.0f, NAN};
    const double upper[] = {1.0, 2.0, 16.0, 16.0, 16.0};
    for (size_t i = 0; i < sizeof answers / sizeof *answers; ++i) {
        asked user = {0, answers[i]};
        lim_model_desc desc = rules(1.0, 4, 0);
        desc.size_at = above;
        desc.size_user = &user;
        adapted m = adapt(mesh, desc);
        CHECK(user.calls >= 8);
        CHECK_NEAR(edges_within(&m, p3(0, 0, 16), p3(32, 32, 32)).most, upper[i], 0.0);
        CHECK(edges_within(&m, p3(0, 0, 0), p3(32, 32, 16)).most >= 8.0);
        arena_release(&m.mem);
    }
    lim_mesh_destroy(mesh);
}

/* Refined on one side of a slit of less than a cell, the other side stays as it is. */
static void balance_stops_at_walls(void) {
    shape s = {0};
    shape_box(&s, 0, 0, 0, 32, 15.8, 32);
    shape_box(&s, 0, 16.2, 0, 32, 32, 32);
    lim_mesh* mesh = shape_mesh(&s);
    lim_size_region r = {
        .shape = LIM_SIZE_BOX, .centre = {16, 11, 16}, .half = {15, 3, 15}, .size = 1.0f};
    for (int glue = 0; glue <= 1; ++glue) {
        lim_model_desc desc = rules(1.0, 4, 0);
        desc.interest = &r;
        desc.interest_count = 1;
        desc.glue_parts = glue == 1;
        adapted m = adapt(mesh, desc);
        span other = edges_within(&m, p3(0, 16.2, 0), p3(32, 32, 32));
        CHECK(edges_within(&m, p3(4, 8, 4), p3(28, 14, 28)).most == 1.0);
        /* glue is material: balance follows it */
        CHECK(glue == 1 ? other.least <= 8.0 : other.least == 16.0);
        arena_release(&m.mem);
    }
    lim_mesh_destroy(mesh);
}

static void the_budget_is_kept(void) {
    shape s = {0};
    hand(&s);
    lim_mesh* mesh = shape_mesh(&s);
    lim_model_desc desc = rules(1.0, 5, 2);
    adapted m = adapt(mesh, desc);
    int32_t free_count = m.s.node_count, before = 0;
    arena_release(&m.mem);
    desc.node_budget = 1;
    m = adapt(mesh, desc);
    int32_t least = m.s.node_count; /* coarsest cells, and splits that cost nothing */
    CHECK(least < 30);
    arena_release(&m.mem);
    for (int32_t budget = least; budget < 3 * free_count; budget += 1 + 2 * budget) {
        desc.node_budget = budget;
        m = adapt(mesh, desc);
        CHECK(m.s.node_count <= budget && m.s.node_count <= free_count);
        /* what is left over is less than a split with its balance may need */
        CHECK(m.s.node_count == free_count || m.s.node_count > budget - 200);
        CHECK(budget < free_count || m.s.node_count == free_count);
        CHECK(m.s.node_count >= before - 200);
        before = m.s.node_count;
        arena_release(&m.mem);
    }
    lim_mesh_destroy(mesh);
}

/* With too few nodes the places that ask for most get them. */
static void the_budget_goes_to_the_worst(void) {
    shape s = {0};
    shape_box(&s, 0, 0, 0, 64, 32, 32);
    lim_size_region r[2] = {
        {.shape = LIM_SIZE_SPHERE, .centre = {16, 16, 16}, .half = {15, 0, 0}, .size = 8.0f},
        {.shape = LIM_SIZE_SPHERE, .centre = {48, 16, 16}, .half = {15, 0, 0}, .size = 4.0f}};
    lim_model_desc desc = rules(1.0, 5, 0);
    desc.interest = r;
    desc.interest_count = 2;
    desc.node_budget = 2 + 7;
    adapted m = adapt_shape(&s, desc);
    CHECK(m.s.node_count == 9);
    CHECK(edges_within(&m, p3(32, 0, 0), p3(64, 32, 32)).most == 16.0);
    CHECK(edges_within(&m, p3(0, 0, 0), p3(32, 32, 32)).least == 32.0);
    done(&m);
}

static void the_number_of_nodes_is_searched_for(void) {
    /* From 132 nodes on the next finer cells make 4 features, each with its root: 200 is between.
     */
    for (int32_t wanted = 200; wanted <= 800; wanted *= 2) {
        shape s = {0};
        hand(&s);
        lim_model_desc desc = rules(0.0, 2, 3);
        desc.node_count = wanted;
        adapted m = adapt_shape(&s, desc);
        CHECK(m.s.node_count < 1.25 * wanted);
        CHECK(m.s.node_count > (wanted == 200 ? 0.6 : 0.75) * wanted);
        CHECK(m.s.pieces.level[m.s.levels].count > m.s.node_count);
        done(&m);
    }
    /* A ball needs few cells however fine they may be: the search ends all the same. */
    shape s = {0};
    shape_sphere(&s, 0, 0, 0, 1, 16);
    lim_model_desc desc = rules(0.0, 10, 2);
    desc.node_count = 2000;
    adapted m = adapt_shape(&s, desc);
    CHECK(m.s.node_count > 0 && m.s.node_count < 2000);
    done(&m);
}

/* The search takes nothing over from one try to the next: what it gives is what the edge that it
 * found gives by itself. */
static void the_search_gives_what_its_edge_gives(void) {
    for (int32_t coarsen = 1; coarsen <= 5; coarsen += 2) {
        shape s = {0};
        hand(&s);
        lim_mesh* mesh = shape_mesh(&s);
        lim_model_desc desc = rules(0.0, coarsen, 2);
        desc.scale = 1.0 / mesh->size;
        desc.node_count = 400;
        adapted found = adapt(mesh, desc);
        desc.cell_size = found.s.cell_size;
        adapted given = adapt(mesh, desc);
        size_t n = (size_t)given.s.node_count, m = (size_t)given.s.matter.count;
        CHECK(found.s.node_count == given.s.node_count && given.s.cell_size == desc.cell_size);
        CHECK(memcmp(found.s.key, given.s.key, 8 * n) == 0);
        CHECK(memcmp(found.s.moment, given.s.moment, 24 * n) == 0);
        CHECK(memcmp(found.s.anchor, given.s.anchor, 12 * n) == 0);
        CHECK(memcmp(found.s.edge_offset, given.s.edge_offset, 4 * (n + 1)) == 0);
        CHECK(memcmp(found.s.edge_length, given.s.edge_length,
                     2 * (size_t)given.s.edge_offset[n]) == 0);
        CHECK(found.s.matter.count == given.s.matter.count);
        CHECK(memcmp(found.s.matter.mask, given.s.matter.mask, 8 * m) == 0);
        arena_release(&found.mem);
        done(&given);
    }
}

static void same_input_same_bits(void) {
    shape s = {0};
    hand(&s);
    lim_mesh* mesh = shape_mesh(&s);
    lim_model_desc desc = rules(1.0, 5, 2);
    desc.node_budget = 700;
    adapted a = adapt(mesh, desc), b = adapt(mesh, desc);
    size_t n = (size_t)a.s.node_count;
    CHECK(a.s.node_count == b.s.node_count);
    CHECK(memcmp(a.s.key, b.s.key, n * 8) == 0 && memcmp(a.s.moment, b.s.moment, n * 24) == 0);
    CHECK(memcmp(a.s.edge_node, b.s.edge_node, (size_t)a.s.edge_offset[n] * 4) == 0);
    arena_release(&a.mem);
    done(&b);
}

static void every_failed_allocation_is_survived(void) {
    float size[16] = {0}; /* of two boxes */
    size[3] = 2.0f;
    lim_model_desc desc = rules(1.0, 4, 2);
    desc.vertex_size = size;
    desc.node_budget = 400;
    for (int round = 0; round < 2; ++round) {
        shape s = {0};
        shape_box(&s, 0, 0, 0, 16, 16, 16);
        shape_box(&s, 16.2, 2, 0, 24, 4, 2);
        lim_mesh* mesh = shape_mesh(&s);
        survive_failures(sampling_build, mesh, desc);
        desc.cell_size = 0.0f;
        desc.node_count = 60;
    }
}

static float any_size(void* user, lim_point centre, float edge) {
    random_stream* r = user;
    (void)centre;
    int32_t kind = random_index(r, 6);
    return kind == 0   ? NAN
           : kind == 1 ? -edge
           : kind == 2 ? INFINITY
           : kind == 3 ? 1e-30f
                       : edge * random_range(r, 0.1f, 3.0f);
}

static void random_shape(shape* s, random_stream* r) {
    int32_t kind = random_index(r, 5);
    if (kind == 0) {
        shape_sphere(s, 0, 0, 0, 1, 8);
    } else if (kind == 1) {
        shape_torus(s, 1.0, 0.25, 16, 8);
    } else if (kind == 2) {
        shape_sheet(s, 4, (double)random_unit(r));
    } else {
        for (int32_t i = 2 + random_index(r, 6); i > 0; --i) {
            double x = (double)random_unit(r), y = (double)random_unit(r),
                   z = (double)random_unit(r);
            shape_box(s, x, y, z, x + 0.05 + 0.6 * (double)random_unit(r),
                      y + 0.05 + 0.6 * (double)random_unit(r),
                      z + 0.05 + 0.6 * (double)random_unit(r));
        }
    }
}

/* Any sensible descriptor: everything that check_sampling knows must hold. */
static void random_rules_hold(void) {
    random_stream r = random_seed(51);
    for (int round = 0; round < (test_long ? 60 : 20); ++round) {
        shape s = {0};
        random_shape(&s, &r);
        int32_t vertices = s.vertices;
        lim_mesh* mesh = shape_mesh(&s);
        float* size = calloc((size_t)vertices, sizeof(float));
        lim_size_region region[3];
        random_stream user = random_seed((uint64_t)round);
        lim_model_desc desc =
            rules(mesh->size * (double)random_range(&r, 0.03f, 0.2f), random_index(&r, 8),
                  random_index(&r, 3) == 0 ? 0.0 : (double)random_range(&r, 0.3f, 6.0f));
        desc.solid = random_index(&r, 5) != 0;
        desc.glue_parts = random_index(&r, 2) != 0;
        desc.surface_size = random_index(&r, 3) == 0 ? random_range(&r, 0.01f, 1.0f) : 0.0f;
        desc.size_growth = random_range(&r, 0.0f, 2.0f);
        desc.interest = region;
        desc.interest_count = random_index(&r, 4);
        for (int32_t i = 0; i < desc.interest_count; ++i) {
            region[i] = (lim_size_region){
                .shape = random_index(&r, 2) == 0 ? LIM_SIZE_BOX : LIM_SIZE_SPHERE,
                .centre = {(double)random_unit(&r), (double)random_unit(&r), 0.5},
                .half = {random_unit(&r), random_unit(&r), 0.1f},
                .size = random_range(&r, 0.001f, 1.0f)};
        }
        for (int32_t i = 0; i < vertices; ++i) {
            size[i] = random_index(&r, 4) == 0 ? random_range(&r, 0.0f, 1.0f) : 0.0f;
        }
        desc.vertex_size = random_index(&r, 3) == 0 ? size : NULL;
        desc.size_at = random_index(&r, 4) == 0 ? any_size : NULL;
        desc.size_user = &user;
        desc.node_budget = random_index(&r, 3) == 0 ? 1 + random_index(&r, 400) : 0;
        if (random_index(&r, 4) == 0) {
            desc.cell_size = 0.0f;
            desc.node_count = 1 + random_index(&r, 300);
        }
        adapted m = adapt(mesh, desc);
        done(&m);
        free(size);
    }
}

/* Bad numbers in a descriptor are refused with a result, good ones make a model that lasts. */
static void random_descriptors_do_no_harm(void) {
    random_stream r = random_seed(52);
    const float odd[] = {0.0f, -1.0f, NAN, INFINITY, 1e-30f, 1e30f, 0.3f, 2.0f, 65.0f, 1e9f};
    const int32_t whole[] = {0, -1, 1, 3, 10, 11, INT32_MAX, INT32_MIN, 200};
    shape s = {0};
    hand(&s);
    int32_t vertices = s.vertices, made = 0, refused = 0;
    lim_mesh* mesh = shape_mesh(&s);
    float* size = calloc((size_t)vertices, sizeof(float));
    for (int round = 0; round < 120; ++round) {
        lim_model_desc desc = lim_model_desc_default();
        lim_size_region region = {LIM_SIZE_SPHERE, {16, 16, 16}, {4, 4, 4}, 3.0f};
        desc.cell_size = 3.0f;
        desc.coarsen = 3;
        for (int change = random_index(&r, 4); change > 0; --change) {
            float number = odd[random_index(&r, (int32_t)(sizeof odd / sizeof *odd))];
            int32_t integer = whole[random_index(&r, (int32_t)(sizeof whole / sizeof *whole))];
            switch (random_index(&r, 10)) {
            case 0:
                desc.coarsen = integer;
                break;
            case 1:
                desc.cells_across = number;
                break;
            case 2:
                desc.surface_size = number;
                break;
            case 3:
                desc.size_growth = number;
                break;
            case 4:
                desc.node_budget = integer;
                break;
            case 5:
                desc.interest_count = integer == INT32_MAX ? 1 : integer;
                break;
            case 6:
                region.size = number;
                desc.interest_count = 1;
                break;
            case 7:
                region.centre.x = (double)number;
                desc.interest_count = 1;
                break;
            case 8:
                region.shape = (lim_size_shape)(random_index(&r, 4));
                break;
            default:
                size[random_index(&r, vertices)] = number;
                desc.vertex_size = size;
                break;
            }
        }
        desc.interest_count = desc.interest_count > 1 ? 1 : desc.interest_count;
        desc.interest = random_index(&r, 8) == 0 ? NULL : &region;
        lim_model* model = NULL;
        lim_result result = lim_model_create(mesh, &desc, NULL, &model);
        CHECK(result == LIM_OK || result == LIM_ERROR_ARGUMENT);
        CHECK((model != NULL) == (result == LIM_OK));
        made += result == LIM_OK;
        refused += result != LIM_OK;
        if (model != NULL) {
            lim_model_info info = lim_model_get_info(model);
            int32_t sum = 0, first = -1;
            for (int32_t l = 0; l < 20; ++l) {
                sum += info.level_nodes[l];
                first = first < 0 && info.level_nodes[l] > 0 ? l : first;
            }
            CHECK(sum == info.nodes && info.levels - first <= desc.coarsen);
            CHECK_NEAR((double)(info.coarsest_size / info.cell_size),
                       (double)(1 << (info.levels - first)), 1e-4);
            size_t bytes = 0;
            CHECK(lim_model_save(model, NULL, 0, &bytes) == LIM_OK);
            void* saved = malloc(bytes);
            lim_model* twin = NULL;
            CHECK(lim_model_save(model, saved, bytes, &bytes) == LIM_OK);
            CHECK(lim_model_load(saved, bytes, NULL, &twin) == LIM_OK);
            CHECK(lim_model_get_info(twin).level_nodes[first] == info.level_nodes[first]);
            lim_model_destroy(twin);
            free(saved);
        }
        memset(size, 0, (size_t)vertices * sizeof(float));
        lim_model_destroy(model);
    }
    CHECK(made > 50 && refused > 50);
    lim_mesh_destroy(mesh);
    free(size);
}

TEST_SUITE(adapt) {
    TEST_BEGIN(argc, argv);
    RUN(no_coarsening_is_uniform_bit_for_bit);
    RUN(coarsen_bounds_the_edge);
    RUN(slabs_take_cells_by_their_thickness);
    RUN(round_and_square_solids_are_coarse_throughout);
    RUN(fingers_are_fine_and_their_body_is_coarse);
    RUN(a_finger_within_one_cell_is_found);
    RUN(a_blunt_wedge_is_coarse);
    RUN(pieces_of_a_cell_stay_apart);
    RUN(cells_grow_away_from_the_surface);
    RUN(regions_of_interest_are_fine);
    RUN(painted_vertices_are_fine);
    RUN(a_callback_may_ask_for_small_cells);
    RUN(balance_stops_at_walls);
    RUN(the_budget_is_kept);
    RUN(the_budget_goes_to_the_worst);
    RUN(the_number_of_nodes_is_searched_for);
    RUN(the_search_gives_what_its_edge_gives);
    RUN(same_input_same_bits);
    RUN(every_failed_allocation_is_survived);
    RUN(random_rules_hold);
    RUN(random_descriptors_do_no_harm);
    TEST_END();
}
