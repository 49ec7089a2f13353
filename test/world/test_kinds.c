/* SPDX-License-Identifier: MIT
 * What holds for every kind of body, one row of kind_rows.h after the other, and what is a kind's
 * own. Save, load, snapshots, memory and workers have tests of their own, over the same rows;
 * physics and golden hashes are in core/test_physics.c.
 */
#include "base/random.h"
#include "body/layout.h"
#include "core/physics_kit.h"
#include "world/model.h"
#include "world/world.h"
#include "world_kit.h"

#include <string.h>

static const lim_vec3 NO_GRAVITY = {0, 0, 0};

static void models_are_pure_functions(void) {
    unsigned char* bytes[2];
    size_t size[2];
    for (int k = 0; k < 2; ++k) {
        lim_model* model = kit_model(300, NULL);
        CHECK(topology_is_valid(model->topology));
        CHECK(lim_model_save(model, NULL, 0, &size[k]) == LIM_OK);
        bytes[k] = malloc(size[k]);
        CHECK(lim_model_save(model, bytes[k], size[k], &size[k]) == LIM_OK);
        lim_model_destroy(model);
    }
    CHECK(size[0] == size[1] && memcmp(bytes[0], bytes[1], size[0]) == 0);
    free(bytes[0]);
    free(bytes[1]);
}

static void rest_is_exactly_a_fixed_point(void) {
    lim_material m = lim_material_default();
    toy t = toy_box((const int32_t[3]){9, 5, 4}, 0.05, p3(3, -20, 70), &m, NO_GRAVITY, 4, 1);
    lim_quat turned = {0.3f, -0.5f, 0.1f, 0.8f};
    CHECK(lim_body_teleport(t.world, t.body, p3(12345.6, 7, -8), turned) == LIM_OK);
    toy_read(&t);
    double* before = malloc((size_t)t.nodes * 3 * sizeof(double));
    memcpy(before, t.x, (size_t)t.nodes * 3 * sizeof(double));
    for (int k = 0; k < 100; ++k) {
        CHECK(lim_world_step(t.world, 1.0f / 60) == LIM_OK);
    }
    toy_read(&t);
    CHECK(memcmp(before, t.x, (size_t)t.nodes * 3 * sizeof(double)) == 0);
    for (int32_t i = 0; i < 3 * t.nodes; ++i) {
        CHECK(t.v[i] == 0.0f);
    }
    free(before);
    toy_free(&t);
}

/* Where the nodes of a stirred box are after two seconds, relative to where it began. */
static toy stirred(lim_point at) {
    lim_material m = lim_material_default();
    toy t = toy_box((const int32_t[3]){9, 5, 4}, 0.05, at, &m, NO_GRAVITY, 4, 1);
    CHECK(lim_body_set_velocity(t.world, t.body, (lim_vec3){0.25f, 0, 0}, (lim_vec3){1, 2, 3}) ==
          LIM_OK);
    CHECK(lim_body_apply_impulse(t.world, t.body, p3(at.x + 1, at.y + 1, at.z),
                                 (lim_vec3){2, -1, 0.5f}) == LIM_OK);
    for (int k = 0; k < 120; ++k) {
        CHECK(lim_world_step(t.world, 1.0f / 60) == LIM_OK);
    }
    toy_read(&t);
    for (int32_t i = 0; i < t.nodes; ++i) {
        t.x[3 * i] -= at.x;
        t.x[3 * i + 1] -= at.y;
        t.x[3 * i + 2] -= at.z;
    }
    return t;
}

static void ten_kilometres_away_is_as_at_the_origin(void) {
    toy a = stirred(p3(0, 0, 0)), b = stirred(p3(10000, -3000, 7000));
    double most = 0.0;
    for (int32_t i = 0; i < 3 * a.nodes; ++i) {
        double off = fabs(a.x[i] - b.x[i]);
        most = off > most ? off : most;
    }
    CHECK(most < 1e-5); /* of 0.45 m */
    toy_free(&a);
    toy_free(&b);
}

static void bad_wishes_are_refused(void) {
    lim_mesh* mesh = NULL;
    CHECK(kit_mesh(NULL, &mesh) == LIM_OK);
    lim_model_desc good = lim_model_desc_default();
    good.node_count = 60;
    kind_describe(&good);
    lim_kind_info kind = lim_kind_get_info(good.kind);
    float widest = kind.widest;
    const struct {
        int32_t nodes;
        float cell, width;
        double scale;
        lim_result wanted;
    } row[] = {{60, 0.0f, 1.0f, 1.0, LIM_OK},
               {0, 0.0f, 1.0f, 1.0, LIM_ERROR_ARGUMENT},
               {60, -1.0f, 1.0f, 1.0, LIM_ERROR_ARGUMENT},
               {60, NAN, 1.0f, 1.0, LIM_ERROR_ARGUMENT},
               {60, 1e-5f, 1.0f, 1.0, kind_has_points(kind_now) ? LIM_OK : LIM_ERROR_TOO_LARGE},
               {60, 1e-7f, 1.0f, 1.0, LIM_ERROR_ARGUMENT},
               {60, 0.0f, 0.5f, 1.0, LIM_ERROR_ARGUMENT},
               {60, 0.0f, NAN, 1.0, LIM_ERROR_ARGUMENT},
               {60, 0.0f, 0.99f * widest, 1.0, LIM_OK},
               {60, 0.0f, widest, 1.0, LIM_OK},
               {60, 0.0f, 1.01f * widest, 1.0, LIM_ERROR_ARGUMENT},
               {60, 0.0f, 1.0f, 0.0, LIM_ERROR_ARGUMENT}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; ++i) {
        lim_model_desc desc = good;
        desc.node_count = row[i].nodes;
        desc.cell_size = row[i].cell;
        desc.region_width = row[i].width;
        desc.scale = row[i].scale;
        failing_host f;
        failing_host_arm(&f, -1);
        lim_model* model = NULL;
        lim_result got = lim_model_create(mesh, &desc, &f.host, &model);
        if (got != row[i].wanted) {
            printf("  wish %d gave %s\n", (int)i, lim_result_name(got));
        }
        CHECK(got == row[i].wanted && (got == LIM_OK) == (model != NULL));
        lim_model_destroy(model);
        CHECK(f.held == 0);
    }
    lim_model_desc desc = good;
    desc.kind = (lim_kind)77;
    lim_model* model = NULL;
    CHECK(lim_model_create(mesh, &desc, NULL, &model) == LIM_ERROR_ARGUMENT && model == NULL);
    lim_mesh_destroy(mesh);
}

/* Numbers without a gap, names of their own, and a row of these tests for each. */
static void kinds_are_listed(void) {
    int rows = 0, kinds = 0;
    for (int k = 0; (k = kind_first(k)) >= 0; ++k) {
        rows++;
    }
    for (; lim_kind_get_info((lim_kind)kinds).name != NULL; ++kinds) {
        for (int k = 0; k < kinds; ++k) {
            CHECK(strcmp(lim_kind_get_info((lim_kind)k).name,
                         lim_kind_get_info((lim_kind)kinds).name) != 0);
        }
    }
    CHECK(kinds == rows && kinds > LIM_KIND_POINTS);
    CHECK(lim_kind_get_info((lim_kind)-1).name == NULL);
}

/* Triangles that hardly make a body, and ones that should not. */
static void nasty_meshes_become_bodies(void) {
    random_stream r = random_seed(9);
    for (int round = 0; round < 12; ++round) {
        double p[3 * 12];
        uint32_t index[3 * 20];
        int32_t triangles = round == 0 ? 1 : 2 + random_index(&r, 18);
        for (int i = 0; i < 36; ++i) {
            p[i] = round % 3 == 0 ? random_index(&r, 4) : (double)random_unit(&r);
            p[i] = round % 4 == 1 && i % 3 == 2 ? 0.0 : p[i];
        }
        for (int i = 0; i < 3 * triangles; ++i) {
            index[i] = i < 3 ? (uint32_t)i : (uint32_t)random_index(&r, 12);
        }
        lim_mesh_desc md = lim_mesh_desc_default();
        md.vertex_count = 12;
        md.triangle_count = triangles;
        md.positions = p;
        md.indices = index;
        lim_mesh* mesh = NULL;
        if (lim_mesh_create(&md, NULL, &mesh) != LIM_OK) {
            continue;
        }
        lim_model_desc desc = lim_model_desc_default();
        desc.node_count = 1 + random_index(&r, 150);
        desc.region_width = 1.0f + (float)random_index(&r, 4);
        kind_describe(&desc);
        lim_model* model = NULL;
        CHECK(lim_model_create(mesh, &desc, NULL, &model) == LIM_OK);
        lim_mesh_destroy(mesh);
        CHECK(topology_is_valid(model->topology));
        lim_world* world = kit_world(NULL, 1);
        kit_floor(world);
        lim_body b = kit_body(world, model, 0, 2);
        kit_steps(world, 90);
        lim_body_motion motion;
        CHECK(lim_body_get_motion(world, b, &motion) == LIM_OK);
        CHECK(!motion.frozen && isfinite(motion.kinetic) && isfinite(motion.centre.y));
        lim_world_destroy(world);
        lim_model_destroy(model);
    }
}

/* Counts of every drawing, and that none goes beyond its room. */
static void drawings_show_every_node(void) {
    lim_model* model = kit_model(90, NULL);
    lim_world* world = kit_world(NULL, 1);
    lim_body b = kit_body(world, model, 0, 1);
    lim_model_info info = lim_model_get_info(model);
    const uint32_t flags[4] = {LIM_DEBUG_NODES, LIM_DEBUG_CELLS, LIM_DEBUG_GRAPH, LIM_DEBUG_REGION};
    int32_t node = info.nodes / 2;
    int32_t members = lim_model_get_region(model, node, NULL, NULL, 0);
    const int32_t lines_wanted[4] = {0, 12 * info.nodes, info.edges, -1};
    const int32_t points_wanted[4] = {info.nodes, 0, 0, members};
    for (int k = 0; k < 4; ++k) {
        int32_t lines = 0, points = 0;
        CHECK(lim_body_debug_draw(world, b, flags[k], node, p3(0, 0, 0), NULL, 0, &lines, NULL, 0,
                                  &points) == LIM_OK);
        CHECK(lines_wanted[k] < 0 ? lines % 12 == 0 : lines == lines_wanted[k]);
        CHECK(points == points_wanted[k]);
        lim_debug_line* to_lines = malloc(((size_t)lines + 1) * sizeof *to_lines);
        lim_debug_point* to_points = malloc(((size_t)points + 1) * sizeof *to_points);
        CHECK(lim_body_debug_draw(world, b, flags[k], node, p3(0, 0, 0), to_lines, lines, &lines,
                                  to_points, points, &points) == LIM_OK);
        for (int32_t i = 0; i < lines; ++i) {
            CHECK(fabsf(to_lines[i].a.x) < 2.0f && fabsf(to_lines[i].a.y - 1.0f) < 2.0f &&
                  fabsf(to_lines[i].b.z) < 2.0f);
        }
        free(to_lines);
        free(to_points);
    }
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* A region has its node, and every member a weight. */
static void regions_have_their_node(void) {
    lim_model* model = kit_model(150, NULL);
    int32_t n = lim_model_get_info(model).nodes;
    int32_t* member = malloc((size_t)n * sizeof *member);
    float* weight = malloc((size_t)n * sizeof *weight);
    for (int32_t i = 0; i < n; ++i) {
        int32_t count = lim_model_get_region(model, i, member, weight, n);
        bool own = false;
        CHECK(count >= 1 && count <= n);
        for (int32_t k = 0; k < count; ++k) {
            own = own || member[k] == i;
            CHECK(member[k] >= 0 && member[k] < n && weight[k] > 0.0f && weight[k] <= 1.0f);
        }
        CHECK(own);
    }
    free(member);
    free(weight);
    lim_model_destroy(model);
}

/* ---- the lattice's own ------------------------------------------------------------------------
 */

/* Marks all nodes within some hops of a node; returns how many. */
static int32_t within_hops(const lim_model_nodes* g, int32_t from, int32_t hops, uint8_t* near) {
    memset(near, 0, (size_t)g->count);
    near[from] = 1;
    int32_t count = 1;
    for (int32_t h = 0; h < hops; ++h) {
        for (int32_t e = 0; e < g->edge_count; ++e) {
            int32_t a = g->edges[2 * e], b = g->edges[2 * e + 1];
            near[a] |= near[b] == h + 1 && near[a] == 0 ? (uint8_t)(h + 2) : 0;
            near[b] |= near[a] == h + 1 && near[b] == 0 ? (uint8_t)(h + 2) : 0;
        }
    }
    for (int32_t i = 0; i < g->count; ++i) {
        count += near[i] != 0 && i != from;
    }
    return count;
}

static void a_lattice_region_is_all_within_its_width(void) {
    lim_mesh* mesh = NULL;
    CHECK(kit_ball(20, 30, NULL, &mesh) == LIM_OK);
    for (int wide = 1; wide <= 3; ++wide) {
        lim_model_desc desc = lim_model_desc_default();
        desc.kind = LIM_KIND_LATTICE;
        desc.node_count = 400;
        desc.solid = wide != 2;
        desc.region_width = (float)wide + (wide == 3 ? 0.4f : 0.0f); /* rounded */
        lim_model* model = NULL;
        CHECK(lim_model_create(mesh, &desc, NULL, &model) == LIM_OK);
        lim_model_nodes g = lim_model_get_nodes(model);
        uint8_t* near = malloc((size_t)g.count);
        int32_t* member = malloc((size_t)g.count * sizeof *member);
        for (int32_t i = 0; i < g.count; i += 7) {
            int32_t wanted = within_hops(&g, i, wide, near);
            int32_t count = lim_model_get_region(model, i, member, NULL, g.count);
            CHECK(count == wanted);
            for (int32_t k = 0; k < count && k < g.count; ++k) {
                CHECK(near[member[k]] != 0);
            }
        }
        free(near);
        free(member);
        lim_model_destroy(model);
    }
    lim_mesh_destroy(mesh);
}

/* The row axis is the one that needs the fewest octets; rows are full places, with pads between. */
static void a_lattice_lies_in_octets(void) {
    for (int axis = 0; axis < 3; ++axis) {
        int32_t n[3] = {3, 2, 2};
        n[axis] = 22;
        lim_mesh* mesh = box_surface(n, 0.05);
        lim_model_desc desc = lim_model_desc_default();
        desc.kind = LIM_KIND_LATTICE;
        desc.cell_size = 0.05f;
        lim_model* model = NULL;
        CHECK(lim_model_create(mesh, &desc, NULL, &model) == LIM_OK);
        const topology* t = model->topology;
        /* 23 nodes in a row are three octets. */
        int32_t rows = (n[(axis + 1) % 3] + 1) * (n[(axis + 2) % 3] + 1);
        CHECK(t->row_axis == axis && t->slot_count == rows * 24 && t->node_count == rows * 23);
        CHECK(topology_is_valid(t));
        for (int32_t i = 0; i < t->slot_count; ++i) {
            CHECK((t->slot_node[i] < 0) == (i % 24 == 23));
        }
        for (int32_t i = 0; i < t->block_count; ++i) {
            CHECK(t->blocks[i].end - t->blocks[i].begin == (n[(axis + 1) % 3] + 1) * 24);
        }
        lim_model_destroy(model);
        lim_mesh_destroy(mesh);
    }
}

/* A full block is summed by windows, its shell by lists, and so they are when they have been saved
 * and loaded. */
static void blocks_have_windows_and_shells_have_lists(void) {
    const int32_t cells[3] = {39, 15, 15};
    lim_mesh* mesh = box_surface(cells, 0.02);
    for (int solid = 0; solid < 2; ++solid) {
        lim_model_desc desc = lim_model_desc_default();
        desc.kind = LIM_KIND_LATTICE;
        desc.cell_size = 0.02f;
        desc.solid = solid == 1;
        lim_model* model = NULL;
        CHECK(lim_model_create(mesh, &desc, NULL, &model) == LIM_OK);
        CHECK((model->topology->regions.box > 0) == (solid == 1));
        lim_world *world = kit_world(NULL, 1), *loaded = NULL;
        lim_body id = kit_body(world, model, 0, 1);
        CHECK(lim_body_set_velocity(world, id, (lim_vec3){1, 0, 0}, (lim_vec3){0, 3, 2}) == LIM_OK);
        kit_steps(world, 2);
        size_t size = 0;
        CHECK(lim_world_save(world, NULL, 0, &size) == LIM_OK);
        void* bytes = malloc(size);
        CHECK(lim_world_save(world, bytes, size, &size) == LIM_OK);
        CHECK(lim_world_load(bytes, size, 1, NULL, &loaded) == LIM_OK);
        const topology* t = loaded->bodies[id.index]->body.topology;
        CHECK((t->regions.box > 0) == (solid == 1) && (t->box.octets > 0) == (solid == 1));
        kit_steps(world, 3);
        kit_steps(loaded, 3);
        CHECK(lim_world_hash(world) == lim_world_hash(loaded));
        free(bytes);
        lim_world_destroy(loaded);
        lim_world_destroy(world);
        lim_model_destroy(model);
    }
    lim_mesh_destroy(mesh);
}

/* A round body has pads before, between and behind its nodes; damage to the layout is seen. */
static void damaged_octets_are_not_valid(void) {
    lim_mesh* mesh = NULL;
    CHECK(kit_ball(20, 30, NULL, &mesh) == LIM_OK);
    lim_model_desc desc = lim_model_desc_default();
    desc.kind = LIM_KIND_LATTICE;
    desc.node_count = 3000;
    lim_model* model = NULL;
    CHECK(lim_model_create(mesh, &desc, NULL, &model) == LIM_OK);
    lim_mesh_destroy(mesh);
    topology* t = model->topology;
    CHECK(topology_is_valid(t) && t->slot_node[0] < 0 && t->block_count > 10);
    int32_t axis = t->row_axis;
    t->row_axis = (axis + 1) % 3;
    CHECK(!topology_is_valid(t));
    t->row_axis = axis;
    t->blocks[3].end -= OCTET;
    CHECK(!topology_is_valid(t));
    t->blocks[3].end += OCTET;
    int32_t at = t->node_slot[100];
    uint64_t key = t->key[at];
    octant o = octant_of(key);
    o.x ^= 1;
    t->key[at] = octant_key(o);
    CHECK(!topology_is_valid(t));
    t->key[at] = key;
    CHECK(topology_is_valid(t));
    lim_model_destroy(model);
}

TEST_SUITE(kinds) {
    TEST_BEGIN(argc, argv);
    RUN(kinds_are_listed);
    for (int k = 0; kind_choose(k); ++k) {
        RUN(models_are_pure_functions);
        RUN(rest_is_exactly_a_fixed_point);
        RUN(ten_kilometres_away_is_as_at_the_origin);
        RUN(bad_wishes_are_refused);
        RUN(nasty_meshes_become_bodies);
        RUN(drawings_show_every_node);
        RUN(regions_have_their_node);
    }
    RUN(a_lattice_region_is_all_within_its_width);
    RUN(a_lattice_lies_in_octets);
    RUN(blocks_have_windows_and_shells_have_lists);
    RUN(damaged_octets_are_not_valid);
    TEST_END();
}
