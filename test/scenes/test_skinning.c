/* SPDX-License-Identifier: MIT
 * Skinning outside of the library: what a vertex shader would make of the arrays, the transforms
 * and the batches is the skin that the library publishes. All models, batches of several sizes,
 * each drawn with nothing but its own lists.
 */
#include "failing_host.h"
#include "kind_rows.h"
#include "mat3_kit.h"
#include "models.h"
#include "test.h"

static lim_vec3 vec(const float* p) {
    return v3(p[0], p[1], p[2]);
}

/* ---- the shader -------------------------------------------------------------------------------
 */

typedef struct shaded {
    lim_vec3 position, normal, tangent;
} shaded;

/* The formula of limber/model.h for one vertex; place[k] says where in `transforms` node k is. */
static shaded shade(const lim_skinning_view* s, int32_t vertex, const float* transforms,
                    const uint16_t* place) {
    lim_vec3 rest = vec(s->positions + 3 * vertex), n = vec(s->normals + 3 * vertex);
    lim_vec3 t = vec(s->tangents + 4 * vertex), b = v3_cross(n, t);
    lim_vec3 x = v3(0, 0, 0), u = x, v = x;
    for (int k = 0; k < 8; ++k) {
        const float* m = transforms + 12 * place[k];
        float w = s->weights[8 * vertex + k];
        const mat3 a = {{m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]}};
        lim_vec3 shift = v3(m[3], m[7], m[11]);
        x = v3_mad(x, v3_add(mat3_mul(&a, rest), shift), w);
        u = v3_mad(u, mat3_mul(&a, t), w);
        v = v3_mad(v, mat3_mul(&a, b), w);
        if (s->tangent_weights != NULL) {
            u = v3_mad(u, shift, s->tangent_weights[16 * vertex + k]);
            v = v3_mad(v, shift, s->tangent_weights[16 * vertex + 8 + k]);
        }
    }
    return (shaded){x, v3_unit(v3_cross(u, v), n), v3_unit(u, t)};
}

/* ---- bodies that move -------------------------------------------------------------------------
 */

typedef struct moving {
    lim_mesh* mesh;
    lim_model* model;
    lim_world* world;
    lim_body body;
    lim_skin_view skin;
    float* transforms;
    lim_skinning* skinning;
    lim_skinning_view view;
} moving;

/* Bends, twists and stretches every node about the body's middle. */
static void deform(moving* m) {
    int32_t n = lim_model_get_nodes(m->model).count;
    double* x = malloc((size_t)n * 3 * sizeof(double));
    CHECK(lim_body_get_nodes(m->world, m->body, x, NULL, n) == LIM_OK);
    for (int32_t i = 0; i < n; ++i) {
        double px = x[3 * i] - 3.0, py = x[3 * i + 1] - 2.0, pz = x[3 * i + 2] - 1.0;
        double a = 1.2 * py + 0.3, c = cos(a), s = sin(a);
        x[3 * i] = 3.0 + c * px - s * pz + 0.2 * py * py;
        x[3 * i + 1] = 2.0 + 1.2 * py + 0.1 * sin(6.0 * px);
        x[3 * i + 2] = 1.0 + s * px + c * pz;
    }
    CHECK(lim_body_set_nodes(m->world, m->body, x, NULL, n) == LIM_OK);
    free(x);
}

/* Bent, spinning and some steps on, far from where it was made. Takes over the mesh. */
static void moving_begin(moving* m, lim_mesh* mesh, const lim_model_desc* desc) {
    *m = (moving){.mesh = mesh};
    CHECK(lim_model_create(mesh, desc, NULL, &m->model) == LIM_OK);
    lim_world_desc where = lim_world_desc_default();
    CHECK(lim_world_create(&where, NULL, &m->world) == LIM_OK);
    lim_body_desc how = lim_body_desc_default();
    how.model = m->model;
    how.position = (lim_point){3.0, 2.0, 1.0};
    how.orientation = (lim_quat){0.3f, -0.5f, 0.2f, 0.7f};
    how.scale = 1.3f;
    how.angular_velocity = (lim_vec3){1.0f, 2.0f, -1.5f};
    CHECK(lim_body_create(m->world, &how, &m->body) == LIM_OK);
    deform(m);
    for (int i = 0; i < 3; ++i) {
        CHECK(lim_world_step(m->world, 1.0f / 60.0f) == LIM_OK);
    }
    int32_t n = lim_model_get_nodes(m->model).count;
    m->transforms = malloc((size_t)n * 12 * sizeof(float));
    CHECK(lim_body_get_skin(m->world, m->body, &m->skin) == LIM_OK);
    CHECK(lim_body_write_node_transforms(m->world, m->body, m->skin.origin, m->transforms, n) ==
          LIM_OK);
    CHECK(lim_model_make_skinning(m->model, NULL, &m->skinning) == LIM_OK);
    m->view = lim_skinning_get_view(m->skinning);
    CHECK(m->view.vertex_count == m->skin.vertex_count && m->view.node_count == n);
}

static void moving_end(moving* m) {
    lim_skinning_destroy(m->skinning);
    lim_world_destroy(m->world);
    lim_model_destroy(m->model);
    lim_mesh_destroy(m->mesh);
    free(m->transforms);
}

/* Draws a batch from its own lists; true when it is the published skin. */
static bool batch_is_the_skin(const moving* m, const lim_batches_view* v, const lim_batch* b,
                              double size) {
    float* matrices = malloc((size_t)b->node_count * 12 * sizeof(float));
    for (int32_t i = 0; i < b->node_count; ++i) {
        memcpy(matrices + 12 * i, m->transforms + 12 * v->nodes[b->first_node + i],
               12 * sizeof(float));
    }
    double off = 0.0, turned = 0.0, bent = 0.0;
    for (int32_t i = b->first_vertex; i < b->first_vertex + b->vertex_count; ++i) {
        int32_t vertex = v->vertices[i];
        bool inside = true;
        for (int k = 0; k < 8; ++k) {
            inside = inside && v->local_nodes[8 * i + k] < b->node_count;
        }
        CHECK(inside);
        shaded got = shade(&m->view, vertex, matrices, v->local_nodes + 8 * i);
        lim_vec3 x = vec(m->skin.positions + 3 * vertex), n = vec(m->skin.normals + 3 * vertex);
        off = fmax(off, (double)v3_length(v3_sub(got.position, x)));
        turned = fmax(turned, (double)v3_length(v3_sub(got.normal, n)));
        if (m->skin.tangents != NULL) {
            lim_vec3 t = vec(m->skin.tangents + 4 * vertex);
            bent = fmax(bent, (double)v3_length(v3_sub(got.tangent, t)));
        }
    }
    free(matrices);
    CHECK_NEAR(off / size, 0.0, 1e-6);
    CHECK_NEAR(turned, 0.0, 1e-5);
    CHECK_NEAR(bent, 0.0, 1e-5);
    return off / size <= 1e-6 && turned <= 1e-5 && bent <= 1e-5;
}

/* ---- batches ----------------------------------------------------------------------------------
 */

/* Every triangle once, with its own corners, in a batch of its submesh that is not too large. */
static void batches_are_whole(const moving* m, const lim_batches_view* v, int32_t most) {
    lim_mesh_view surface = lim_model_get_surface(m->model);
    CHECK(v->triangle_count == surface.triangle_count);
    char* seen = calloc((size_t)surface.triangle_count, 1);
    int32_t triangles = 0, vertices = 0, nodes = 0, wrong = 0;
    for (int32_t i = 0; i < v->batch_count; ++i) {
        const lim_batch* b = &v->batches[i];
        CHECK(b->first_triangle == triangles && b->first_vertex == vertices);
        CHECK(b->first_node == nodes && b->node_count <= most && b->triangle_count > 0);
        triangles += b->triangle_count;
        vertices += b->vertex_count;
        nodes += b->node_count;
        for (int32_t t = b->first_triangle; t < triangles; ++t) {
            int32_t from = v->triangles[t];
            wrong += seen[from]++ != 0 || surface.submeshes[from] != b->submesh;
            for (int k = 0; k < 3; ++k) {
                uint32_t at = v->indices[3 * t + k];
                wrong += at < (uint32_t)b->first_vertex || at >= (uint32_t)vertices ||
                         v->vertices[at] != (int32_t)surface.indices[3 * from + k];
            }
        }
    }
    CHECK(wrong == 0);
    CHECK(triangles == v->triangle_count && vertices == v->vertex_count && nodes == v->node_count);
    free(seen);
}

/* What is had by taking triangles as they come. */
static int32_t sequential_batches(const moving* m, int32_t most) {
    lim_mesh_view surface = lim_model_get_surface(m->model);
    int32_t* mark = calloc((size_t)m->view.node_count, sizeof(int32_t));
    int32_t count = 1, have = 0;
    for (int32_t t = 0; t < surface.triangle_count; ++t) {
        for (int pass = 0; pass < 2; ++pass) {
            int32_t fresh = 0;
            for (int k = 0; k < 24; ++k) {
                uint32_t vertex = surface.indices[3 * t + k / 8];
                int32_t node = m->view.nodes[8 * vertex + (uint32_t)(k % 8)];
                fresh += mark[node] != count;
                mark[node] = count;
            }
            have += fresh;
            if (have <= most) {
                break;
            }
            count++; /* and once more, into the next one */
            have = 0;
        }
    }
    free(mark);
    return count;
}

static void batches_draw_the_skin(lim_kind kind) {
    static const int32_t most[3] = {24, 64, 256};
    int32_t grown[3] = {0}, plain[3] = {0};
    model_entry entries[64];
    int32_t count = model_list(entries, 64);
    for (int32_t i = 0; i < count; i += test_long ? 1 : 3) {
        lim_mesh* mesh = NULL;
        CHECK(model_mesh(entries[i].name, 4000, NULL, &mesh) == LIM_OK);
        lim_model_desc desc = lim_model_desc_default();
        desc.kind = kind;
        desc.node_count = 900;
        desc.coarsen = lim_kind_get_info(kind).levels && i % 2 == 0 ? 2 : 0;
        moving m;
        moving_begin(&m, mesh, &desc);
        for (int k = 0; k < 3; ++k) {
            lim_batches* batches = NULL;
            CHECK(lim_model_make_batches(m.model, most[k], NULL, &batches) == LIM_OK);
            lim_batches_view v = lim_batches_get_view(batches);
            batches_are_whole(&m, &v, most[k]);
            bool same = true;
            for (int32_t b = 0; b < v.batch_count && same; ++b) {
                same = batch_is_the_skin(&m, &v, &v.batches[b], 1.3);
            }
            grown[k] += v.batch_count;
            plain[k] += sequential_batches(&m, most[k]);
            lim_batches_destroy(batches);
        }
        moving_end(&m);
    }
    for (int k = 0; k < 3; ++k) {
        printf("  %d nodes: %d batches grown, %d in order\n", most[k], grown[k], plain[k]);
    }
    CHECK(2 * grown[0] < plain[0] && 2 * grown[1] < plain[1] && grown[2] < plain[2]);
}

static void batches_of_solids_draw_the_skin(void) {
    for (int k = 0; (k = kind_edited(k)) >= 0; ++k) {
        batches_draw_the_skin(kind_id(k));
    }
}

/* ---- other surfaces ---------------------------------------------------------------------------
 */

/* The model's mesh again with tangents, submeshes, every triangle its own corners, and a vertex
 * that none uses. */
static lim_mesh* dressed(const char* name) {
    lim_mesh *plain = NULL, *out = NULL;
    CHECK(model_mesh(name, 1500, NULL, &plain) == LIM_OK);
    lim_mesh_view v = lim_mesh_get_view(plain);
    int32_t corners = 3 * v.triangle_count;
    double* x = calloc((size_t)corners * 3 + 3, sizeof(double));
    float* n = calloc((size_t)corners * 3 + 3, sizeof(float));
    float* t = calloc((size_t)corners * 4 + 4, sizeof(float));
    uint32_t* index = malloc((size_t)corners * sizeof(uint32_t));
    int32_t* submesh = malloc((size_t)v.triangle_count * sizeof(int32_t));
    for (int32_t i = 0; i < corners; ++i) {
        memcpy(x + 3 * i, &v.positions[v.indices[i]], 3 * sizeof(double));
        lim_vec3 normal = vec(v.normals + 3 * v.indices[i]);
        lim_vec3 tangent =
            v3_unit(v3_cross(normal, v3(0.2f, 0.9f, -0.4f)), v3_cross(normal, v3(1, 0, 0)));
        memcpy(n + 3 * i, &normal, sizeof normal);
        memcpy(t + 4 * i, &tangent, sizeof tangent);
        t[4 * i + 3] = -1.0f;
        index[i] = (uint32_t)i;
        submesh[i / 3] = x[3 * i] > 0.0 ? 2 : 1;
    }
    lim_mesh_desc desc = lim_mesh_desc_default();
    desc.vertex_count = corners + 1;
    desc.triangle_count = v.triangle_count;
    desc.positions = x;
    desc.normals = n;
    desc.tangents = t;
    desc.indices = index;
    desc.submeshes = submesh;
    desc.submesh_count = 4;
    CHECK(lim_mesh_create(&desc, NULL, &out) == LIM_OK);
    lim_mesh_destroy(plain);
    free(x);
    free(n);
    free(t);
    free(index);
    free(submesh);
    return out;
}

static void seams_tangents_and_submeshes_are_kept(void) {
    lim_model_desc desc = lim_model_desc_default();
    desc.node_count = 300;
    moving m;
    moving_begin(&m, dressed("torus"), &desc);
    CHECK(m.skin.tangents != NULL && m.view.tangents[3] == -1.0f);
    lim_batches* batches = NULL;
    CHECK(lim_model_make_batches(m.model, 0, NULL, &batches) == LIM_OK);
    lim_batches_view v = lim_batches_get_view(batches);
    batches_are_whole(&m, &v, 64);
    for (int32_t b = 0; b < v.batch_count; ++b) {
        CHECK(batch_is_the_skin(&m, &v, &v.batches[b], 1.3));
    }
    lim_batches_destroy(batches);
    moving_end(&m);
}

/* Many small parts: a patch without neighbours is followed by the next in the same batch. */
static void small_parts_share_batches(void) {
    enum { PARTS = 40 };
    static const uint32_t faces[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    double x[PARTS * 12];
    uint32_t index[PARTS * 12];
    for (int i = 0; i < PARTS; ++i) {
        const double at[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.3, 0.3, 1};
        for (int k = 0; k < 12; ++k) {
            x[12 * i + k] = at[k] + (k % 3 == 0 ? 3.0 * (i % 8) : k % 3 == 1 ? 3.0 * (i / 8) : 0.0);
            index[12 * i + k] = faces[k] + 4 * (uint32_t)i;
        }
    }
    lim_mesh_desc desc = lim_mesh_desc_default();
    desc.vertex_count = 4 * PARTS;
    desc.triangle_count = 4 * PARTS;
    desc.positions = x;
    desc.indices = index;
    lim_mesh* mesh = NULL;
    CHECK(lim_mesh_create(&desc, NULL, &mesh) == LIM_OK);
    lim_model_desc how = lim_model_desc_default();
    how.node_count = 4 * PARTS;
    how.glue_parts = false;
    moving m;
    moving_begin(&m, mesh, &how);
    CHECK(lim_model_get_info(m.model).components == PARTS);
    lim_batches* batches = NULL;
    CHECK(lim_model_make_batches(m.model, 64, NULL, &batches) == LIM_OK);
    lim_batches_view v = lim_batches_get_view(batches);
    batches_are_whole(&m, &v, 64);
    CHECK(v.batch_count <= m.view.node_count / 50 + 1);
    lim_batches_destroy(batches);
    moving_end(&m);
}

/* ---- the border -------------------------------------------------------------------------------
 */

static lim_model* small_model(void) {
    lim_mesh* mesh = NULL;
    lim_model* model = NULL;
    CHECK(model_mesh("torus", 600, NULL, &mesh) == LIM_OK);
    lim_model_desc desc = lim_model_desc_default();
    desc.node_count = 100;
    CHECK(lim_model_create(mesh, &desc, NULL, &model) == LIM_OK);
    lim_mesh_destroy(mesh);
    return model;
}

static void nothing_is_left_when_memory_is_out(void) {
    lim_model* model = small_model();
    bool done = false;
    for (int64_t n = 0; !done; ++n) {
        failing_host f;
        failing_host_arm(&f, n);
        lim_skinning* skinning = NULL;
        lim_batches* batches = NULL;
        lim_result first = lim_model_make_skinning(model, &f.host, &skinning);
        lim_result second = lim_model_make_batches(model, 32, &f.host, &batches);
        CHECK(first == LIM_OK || (first == LIM_ERROR_MEMORY && skinning == NULL));
        CHECK(second == LIM_OK || (second == LIM_ERROR_MEMORY && batches == NULL));
        done = first == LIM_OK && second == LIM_OK;
        lim_skinning_destroy(skinning);
        lim_batches_destroy(batches);
        CHECK(f.held == 0);
    }
    lim_model_destroy(model);
}

static void wrong_calls_are_refused(void) {
    lim_model* model = small_model();
    lim_batches* batches = NULL;
    lim_skinning* skinning = NULL;
    CHECK(lim_model_make_batches(model, 23, NULL, &batches) == LIM_ERROR_ARGUMENT);
    CHECK(lim_model_make_batches(model, 65537, NULL, &batches) == LIM_ERROR_ARGUMENT);
    CHECK(lim_model_make_batches(NULL, 64, NULL, &batches) == LIM_ERROR_ARGUMENT);
    CHECK(lim_model_make_batches(model, 64, NULL, NULL) == LIM_ERROR_ARGUMENT);
    CHECK(lim_model_make_skinning(NULL, NULL, &skinning) == LIM_ERROR_ARGUMENT);
    CHECK(lim_model_make_skinning(model, NULL, NULL) == LIM_ERROR_ARGUMENT);
    CHECK(batches == NULL && skinning == NULL);
    CHECK(lim_batches_get_view(NULL).batch_count == 0);
    CHECK(lim_skinning_get_view(NULL).vertex_count == 0);
    lim_batches_destroy(NULL);
    lim_skinning_destroy(NULL);
    CHECK(lim_model_make_batches(model, 65536, NULL, &batches) == LIM_OK);
    CHECK(lim_batches_get_view(batches).batch_count == 1);
    lim_batches_destroy(batches);

    lim_world_desc where = lim_world_desc_default();
    lim_world* world = NULL;
    CHECK(lim_world_create(&where, NULL, &world) == LIM_OK);
    lim_body_desc how = lim_body_desc_default();
    how.model = model;
    lim_body body;
    CHECK(lim_body_create(world, &how, &body) == LIM_OK);
    int32_t n = lim_model_get_info(model).nodes;
    float* out = malloc((size_t)n * 12 * sizeof(float));
    lim_point zero = {0, 0, 0}, bad = {0, NAN, 0};
    CHECK(lim_body_write_node_transforms(world, body, zero, out, n) == LIM_OK);
    CHECK(lim_body_write_node_transforms(world, body, zero, out, n + 1) == LIM_ERROR_ARGUMENT);
    CHECK(lim_body_write_node_transforms(world, body, bad, out, n) == LIM_ERROR_ARGUMENT);
    CHECK(lim_body_write_node_transforms(world, body, zero, NULL, n) == LIM_ERROR_ARGUMENT);
    CHECK(lim_body_write_node_transforms(NULL, body, zero, out, n) == LIM_ERROR_ARGUMENT);
    CHECK(lim_body_write_node_transforms(world, (lim_body){0}, zero, out, n) == LIM_ERROR_ID);
    free(out);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

TEST_SUITE(skinning) {
    TEST_BEGIN(argc, argv);
    RUN(batches_of_solids_draw_the_skin);
    RUN(seams_tangents_and_submeshes_are_kept);
    RUN(small_parts_share_batches);
    RUN(nothing_is_left_when_memory_is_out);
    RUN(wrong_calls_are_refused);
    TEST_END();
}
