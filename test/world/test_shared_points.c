/* SPDX-License-Identifier: MIT
 * Two boxes in one mesh that share an edge, a corner or a part of a face. Where they are separate
 * components, each has a closed skin of its own that follows its own nodes; where they are one,
 * nothing is parted.
 */
#include "kind_rows.h"
#include "test.h"

#include <limber/limber.h>

#define SCALE 0.5 /* metres per unit of the mesh */

typedef struct boxes {
    double position[48];
    uint32_t corner[72];
    int32_t vertex_count;
} boxes;

/* welded: the boxes use the same vertices where they touch. */
static lim_mesh* two_boxes(const double at[3], double side, bool welded, boxes* b) {
    static const uint32_t face[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                      2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    b->vertex_count = 0;
    for (uint32_t box = 0; box < 2; ++box) {
        uint32_t index[8];
        for (uint32_t i = 0; i < 8; ++i) {
            double p[3];
            for (uint32_t k = 0; k < 3; ++k) {
                p[k] = (box ? at[k] : 0.0) + (double)(i >> k & 1) * (box ? side : 1.0);
            }
            uint32_t v = 0;
            while (v < (uint32_t)b->vertex_count &&
                   (!welded || memcmp(p, b->position + 3 * v, sizeof p) != 0)) {
                v++;
            }
            b->vertex_count += v == (uint32_t)b->vertex_count;
            memcpy(b->position + 3 * v, p, sizeof p);
            index[i] = v;
        }
        for (uint32_t i = 0; i < 36; ++i) {
            b->corner[36 * box + i] = index[face[i]];
        }
    }
    lim_mesh_desc desc = lim_mesh_desc_default();
    desc.vertex_count = b->vertex_count;
    desc.positions = b->position;
    desc.triangle_count = 24;
    desc.indices = b->corner;
    lim_mesh* mesh = NULL;
    CHECK(lim_mesh_create(&desc, NULL, &mesh) == LIM_OK);
    return mesh;
}

static double distance(const double a[3], const double b[3]) {
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

/* The largest ratio of an edge of the skin to itself at rest. */
static double stretch_of(const lim_mesh_view* rest, const lim_skin_view* skin) {
    double most = 1.0;
    for (int32_t i = 0; i < 3 * skin->triangle_count; ++i) {
        uint32_t v[2] = {skin->indices[i], skin->indices[i % 3 == 2 ? i - 2 : i + 1]};
        double now[2][3], was[2][3];
        for (int k = 0; k < 2; ++k) {
            const lim_point* p = &rest->positions[v[k]];
            const double at[3] = {p->x, p->y, p->z};
            memcpy(was[k], at, sizeof at);
            for (int j = 0; j < 3; ++j) {
                now[k][j] = (double)skin->positions[3 * v[k] + (uint32_t)j];
            }
        }
        double ratio = distance(now[0], now[1]) / (SCALE * distance(was[0], was[1]));
        most = ratio > most ? ratio : most;
    }
    return most;
}

/* Each edge of the 12 triangles of a box is there once in each direction. */
static bool is_closed(const uint32_t* corner) {
    for (int i = 0; i < 36; ++i) {
        uint32_t a = corner[i], b = corner[i % 3 == 2 ? i - 2 : i + 1];
        int back = 0;
        for (int k = 0; k < 36; ++k) {
            back += corner[k] == b && corner[k % 3 == 2 ? k - 2 : k + 1] == a;
        }
        if (back != 1) {
            return false;
        }
    }
    return true;
}

/* Velocities that part the boxes. */
static void pull_apart(lim_world* world, lim_body body, int32_t nodes, const double middle[3]) {
    double* x = malloc(3 * (size_t)nodes * sizeof(double));
    float* v = calloc(3 * (size_t)nodes, sizeof(float));
    CHECK(lim_body_get_nodes(world, body, x, NULL, nodes) == LIM_OK);
    for (int32_t i = 0; i < nodes; ++i) {
        double side = 0.0;
        for (int k = 0; k < 3; ++k) {
            side += (x[3 * i + k] - middle[k]) * (middle[k] > 0.4 ? 1.0 : 0.0);
        }
        for (int k = 0; k < 3; ++k) {
            v[3 * i + k] = side > 0.0 ? 0.5f : -0.5f;
        }
    }
    CHECK(lim_body_set_nodes(world, body, NULL, v, nodes) == LIM_OK);
    free(x);
    free(v);
}

enum { DROPPED, PULLED, WAYS };

static void run_boxes(const double at[3], double side, bool welded, int way, int32_t copies) {
    boxes b;
    lim_mesh* mesh = two_boxes(at, side, welded, &b);
    lim_model_desc how = lim_model_desc_default();
    how.node_count = 500;
    how.scale = SCALE;
    kind_describe(&how);
    lim_model* model = NULL;
    CHECK(lim_model_create(mesh, &how, NULL, &model) == LIM_OK);
    lim_mesh_view rest = lim_model_get_surface(model);
    lim_model_info info = lim_model_get_info(model);
    int32_t made = 0;
    const lim_vertex_source* source = lim_model_get_sources(model, &made);
    CHECK(made == copies && rest.vertex_count == b.vertex_count + made);
    for (int32_t i = 0; i < made; ++i) {
        int32_t from = source[i].vertex[0];
        CHECK(from >= 0 && from < b.vertex_count && source[i].weight[0] == 1.0f);
        CHECK(memcmp(&rest.positions[b.vertex_count + i], &rest.positions[from],
                     sizeof(lim_point)) == 0);
    }
    lim_world_desc wd = lim_world_desc_default();
    lim_collider_desc ground = lim_collider_desc_default();
    lim_collider id;
    lim_body_desc desc = lim_body_desc_default();
    lim_world* world = NULL;
    lim_body body;
    desc.model = model;
    desc.position = info.centre; /* the mesh's frame */
    desc.material.young = 2e5f;
    ground.position.y = -0.3;
    wd.gravity.y = way == DROPPED ? wd.gravity.y : 0.0f;
    CHECK(lim_world_create(&wd, NULL, &world) == LIM_OK);
    CHECK(way != DROPPED || lim_collider_create(world, &ground, &id) == LIM_OK);
    CHECK(lim_body_create(world, &desc, &body) == LIM_OK);
    if (way == PULLED) {
        const double middle[3] = {SCALE * at[0], SCALE * at[1], SCALE * at[2]};
        pull_apart(world, body, info.nodes, middle);
    }
    lim_skin_view skin;
    double most = 1.0;
    for (int step = 0; step < 120; ++step) {
        CHECK(lim_world_step(world, 1.0f / 60.0f) == LIM_OK);
        CHECK(lim_body_get_skin(world, body, &skin) == LIM_OK);
        double now = stretch_of(&rest, &skin);
        most = now > most ? now : most;
    }
    bool parted = info.components == 2;
    CHECK(!parted || !welded || copies > 0);
    CHECK(skin.triangle_count == 24);
    if (parted) {
        CHECK(is_closed(skin.indices) && is_closed(skin.indices + 36));
    }
    printf("     %d components, %d vertices appended, %s: edges stretched by at most %.2f\n",
           info.components, made, way == PULLED ? "pulled apart" : "dropped", most);
    CHECK(most < 1.3);
    lim_world_destroy(world);
    lim_model_destroy(model);
    lim_mesh_destroy(mesh);
}

static void boxes_are_drawn_whole(void) {
    static const double edge[3] = {1, 1, 0}, tip[3] = {1, 1, 1}, face[3] = {1, 0, 0};
    bool octree = kind_now == KIND_UNIFORM || kind_now == KIND_MIXED;
    for (int way = 0; way < WAYS; ++way) {
        for (int welded = 0; welded < 2; ++welded) {
            run_boxes(edge, 1.0, welded, way, octree && welded ? 2 : 0);
            run_boxes(tip, 1.0, welded, way, octree && welded ? 1 : 0);
            run_boxes(face, 0.5, welded, DROPPED, 0);
        }
    }
}

TEST_SUITE(shared_points) {
    TEST_BEGIN(argc, argv);
    static const int kinds[] = {KIND_UNIFORM, KIND_MIXED, KIND_LATTICE};
    for (int k = 0; k < 3; ++k) {
        kind_choose(kinds[k]);
        RUN(boxes_are_drawn_whole);
    }
    TEST_END();
}
