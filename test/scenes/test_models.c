/* SPDX-License-Identifier: MIT
 * The procedural models: closed, manifold, outward, even, on their surface, the same bits on every
 * machine. Edges are counted here by brute force over sorted pairs, independent of the mesh module.
 */
#include "models.h"

#include "base/hash.h"
#include "base/sort.h"
#include "failing_host.h"
#include "math/vec3.h"
#include "polygonise.h"
#include "shapes.h"
#include "test.h"

/* With every part of the shape. */
static double whole_value(const implicit_shape* shape, lim_point at) {
    implicit_near all;
    implicit_near_find(shape, at, 1e9, &all);
    CHECK(all.count > 0);
    return implicit_near_value(&all, at);
}

/* A shape polygonised directly, as the tests look at it. */
typedef struct made {
    arena a, scratch;
    implicit_shape shape;
    polygon_mesh mesh;
    lim_result result;
} made;

static void make(made* m, const char* name, int32_t triangles) {
    *m = (made){.result = LIM_OK};
    arena_init(&m->a, NULL);
    arena_init(&m->scratch, NULL);
    const shape_entry* entry = shape_find(name);
    entry->build(&m->shape);
    m->result = polygonise(&m->shape, triangles > 0 ? triangles : entry->triangles, &m->a,
                           &m->scratch, &m->mesh);
}

static void unmake(made* m) {
    arena_release(&m->a);
    arena_release(&m->scratch);
}

/* A shape with as many triangles as it has unless told, made once for all who look at it. */
enum { SHAPES_MOST = 32 };
static made whole_made[SHAPES_MOST];
static bool whole_is_made[SHAPES_MOST];

static const made* whole(int32_t shape) {
    if (!whole_is_made[shape]) {
        make(&whole_made[shape], shape_at(shape)->name, 0);
        whole_is_made[shape] = true;
    }
    return &whole_made[shape];
}

static void unmake_wholes(void) {
    for (int32_t i = 0; i < SHAPES_MOST; ++i) {
        if (whole_is_made[i]) {
            unmake(&whole_made[i]);
        }
    }
}

static lim_point corner(const polygon_mesh* m, int32_t triangle, int c) {
    return m->position[m->indices[3 * triangle + c]];
}

/* Every edge has two triangles that run through it in opposite directions, and the triangles around
 * every vertex form one fan. */
static bool is_manifold(const polygon_mesh* m) {
    int32_t n = 3 * m->triangle_count;
    sort_item* item = malloc((size_t)n * sizeof(sort_item));
    sort_item* spare = malloc((size_t)n * sizeof(sort_item));
    for (int32_t i = 0; i < n; ++i) {
        uint64_t from = m->indices[i], to = m->indices[i / 3 * 3 + (i + 1) % 3];
        uint64_t low = from < to ? from : to, high = from < to ? to : from;
        item[i] = (sort_item){.key = low << 32 | high, .value = from < to ? 1 : -1};
    }
    sort_items(item, spare, n);
    bool good = n % 2 == 0;
    for (int32_t i = 0; good && i < n; i += 2) {
        good = item[i].key == item[i + 1].key && item[i].value + item[i + 1].value == 0 &&
               (i + 2 >= n || item[i + 2].key != item[i].key);
    }
    free(item);
    free(spare);
    /* Fans: next[v at corner] walks around a vertex; with every edge paired, one fan per vertex
     * means that the walk from any corner visits all triangles of the vertex. */
    int32_t* count = calloc((size_t)m->vertex_count, sizeof(int32_t));
    int32_t* some = malloc((size_t)m->vertex_count * sizeof(int32_t));
    for (int32_t i = 0; i < n; ++i) {
        count[m->indices[i]]++;
        some[m->indices[i]] = i;
    }
    sort_item* edge = malloc((size_t)n * sizeof(sort_item));
    spare = malloc((size_t)n * sizeof(sort_item));
    for (int32_t i = 0; i < n; ++i) {
        uint64_t from = m->indices[i], to = m->indices[i / 3 * 3 + (i + 1) % 3];
        edge[i] = (sort_item){.key = from << 32 | to, .value = i};
    }
    sort_items(edge, spare, n);
    for (int32_t v = 0; good && v < m->vertex_count; ++v) {
        int32_t at = some[v], walked = 0;
        do {
            /* the triangle on the other side of the edge that ends in v */
            int32_t last = at / 3 * 3 + (at + 2) % 3;
            uint64_t key = (uint64_t)m->indices[at] << 32 | m->indices[last];
            int32_t low = 0, high = n - 1;
            while (low < high) {
                int32_t middle = (low + high) / 2;
                if (edge[middle].key < key) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            at = edge[low].value;
            walked++;
        } while (at != some[v] && walked <= count[v]);
        good = walked == count[v];
    }
    free(edge);
    free(spare);
    free(count);
    free(some);
    return good;
}

static void every_model_is_closed_and_manifold(void) {
    CHECK(shape_count() <= SHAPES_MOST);
    for (int32_t i = 0; i < shape_count(); ++i) {
        const made* m = whole(i);
        CHECK(m->result == LIM_OK);
        CHECK(m->mesh.triangle_count > shape_at(i)->triangles * 8 / 10);
        CHECK(m->mesh.triangle_count < shape_at(i)->triangles * 12 / 10);
        CHECK(is_manifold(&m->mesh));
        /* Euler: 2 for a ball, 0 for a ring */
        int32_t euler = m->mesh.vertex_count - m->mesh.triangle_count / 2;
        CHECK(euler == (strcmp(shape_at(i)->name, "torus") == 0 ? 0 : 2));
    }
}

static void resolutions_keep_models_closed(void) {
    static const int32_t targets[] = {1500, 3000, 7777};
    for (int32_t i = 0; i < shape_count(); ++i) {
        for (int k = 0; k < 3; ++k) {
            made m;
            make(&m, shape_at(i)->name, targets[k]);
            CHECK(m.result == LIM_OK);
            if (m.result == LIM_OK) {
                CHECK(is_manifold(&m.mesh));
            }
            unmake(&m);
        }
    }
}

static void triangles_are_even_and_face_outward(void) {
    for (int32_t i = 0; i < shape_count(); ++i) {
        const made* m = whole(i);
        int32_t sharp = 0, inward = 0;
        double least = 1.0, off = 0.0;
        for (int32_t t = 0; t < m->mesh.triangle_count; ++t) {
            lim_point p[3] = {corner(&m->mesh, t, 0), corner(&m->mesh, t, 1),
                              corner(&m->mesh, t, 2)};
            lim_point n = p3_cross(p3_sub(p[1], p[0]), p3_sub(p[2], p[0]));
            double area2 = p3_length(n);
            CHECK(area2 > 0.0);
            lim_point mean = p3(0, 0, 0);
            for (int c = 0; c < 3; ++c) {
                const float* vn = &m->mesh.normal[3 * m->mesh.indices[3 * t + c]];
                mean = p3_add(mean, p3((double)vn[0], (double)vn[1], (double)vn[2]));
                lim_point a = p3_sub(p[(c + 1) % 3], p[c]), b = p3_sub(p[(c + 2) % 3], p[c]);
                double sine = area2 / (p3_length(a) * p3_length(b));
                least = sine < least ? sine : least;
                sharp += sine < 0.342; /* 20 degrees */
            }
            inward += p3_dot(mean, n) <= 0.0;
        }
        for (int32_t v = 0; v < m->mesh.vertex_count; ++v) {
            const float* n = &m->mesh.normal[3 * v];
            CHECK_NEAR(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1.0, 1e-5);
            double d = fabs(whole_value(&m->shape, m->mesh.position[v]));
            off = d > off ? d : off;
        }
        CHECK(least > 0.17); /* 10 degrees */
        CHECK(sharp <= m->mesh.triangle_count / 200);
        CHECK(inward == 0);
        CHECK(off < 1e-9);
    }
}

static void known_shapes_have_known_volumes(void) {
    struct {
        const char* name;
        double volume, area;
    } known[] = {{"sphere", 3.14159265 / 6.0, 3.14159265},
                 {"torus", 2 * 9.8696044 * 0.36 * 0.14 * 0.14, 4 * 9.8696044 * 0.36 * 0.14}};
    for (int i = 0; i < 2; ++i) {
        lim_mesh* mesh = NULL;
        CHECK(model_mesh(known[i].name, 20000, NULL, &mesh) == LIM_OK);
        lim_mesh_report r = lim_mesh_get_report(mesh);
        CHECK(r.closed);
        CHECK_NEAR(r.volume, known[i].volume, 0.003 * known[i].volume);
        CHECK_NEAR(r.area, known[i].area, 0.003 * known[i].area);
        lim_mesh_destroy(mesh);
    }
}

static void meshes_stand_on_the_ground_and_are_one_metre(void) {
    model_entry entry[32];
    int32_t count = model_list(entry, 32);
    CHECK(count == 20);
    CHECK(model_list(NULL, 0) == count);
    for (int32_t i = 0; i < count; ++i) {
        lim_mesh* mesh = NULL;
        CHECK(model_mesh(entry[i].name, 0, NULL, &mesh) == LIM_OK);
        lim_mesh_report r = lim_mesh_get_report(mesh);
        lim_point side = p3_sub(r.bounds.upper, r.bounds.lower);
        double longest = side.x > side.y ? side.x : side.y;
        longest = side.z > longest ? side.z : longest;
        CHECK_NEAR(longest, 1.0, 1e-12);
        CHECK_NEAR(r.bounds.lower.y, 0.0, 1e-12);
        CHECK_NEAR(r.bounds.lower.x + r.bounds.upper.x, 0.0, 1e-12);
        CHECK(r.closed);
        CHECK(r.parts == 1);
        CHECK(r.parts_flipped == 0);
        CHECK(r.volume > 0.005);
        CHECK(r.dropped_degenerate == 0);
        CHECK(r.non_manifold_edges == 0);
        CHECK(r.triangles_kept == r.triangles);
        lim_mesh_view view = lim_mesh_get_view(mesh);
        CHECK(view.colours != NULL && view.uvs != NULL);
        lim_mesh_destroy(mesh);
    }
}

/* The numbers change only when the models are meant to. Print them when they do. */
static void bits_are_the_same_everywhere(void) {
    static const uint64_t golden[] = {
        0x4b566303bad151ee, /* creature */
        0xa4714cb035fb8b29, /* hand */
        0x9777f5324c674b32, /* liver */
        0x84a0949951405988, /* block */
        0x9274bc81c0abe027, /* bar */
        0x56adf172d7aba6f3, /* strip */
        0x4415886642815dab, /* flower */
        0xd4c39a6da14186c4, /* penguin */
        0xc2d8867b4d31233b, /* duck */
        0x83b24cbdc1860005, /* sphere */
        0xf4f89c0a8137e8cd, /* torus */
        0x7060c99a0a984d60, /* infant */
        0x3fc75edcdba9fc5c, /* figure */
        0x4492a93ae5a2f385, /* polyp */
        0x4e63f28509f9dea4, /* loaf */
        0x76c1604b6f5df5e7, /* biscuit */
        0x9d0d7cdcbb5d58d3, /* sheet */
        0x1d5e793bb090bd5a, /* wedge */
        0x227c0dc65a0e0da0, /* meniscus */
        0x97dada7211815b97, /* pillow */
    };
    for (int32_t i = 0; i < shape_count(); ++i) {
        made m;
        make(&m, shape_at(i)->name, 4000);
        uint64_t hash = HASH_SEED;
        if (m.result == LIM_OK) {
            hash =
                hash_bytes(hash, m.mesh.position, (size_t)m.mesh.vertex_count * sizeof(lim_point));
            hash = hash_bytes(hash, m.mesh.normal, (size_t)m.mesh.vertex_count * 3 * sizeof(float));
            hash = hash_bytes(hash, m.mesh.colour, (size_t)m.mesh.vertex_count * 4 * sizeof(float));
            hash = hash_bytes(hash, m.mesh.indices,
                              (size_t)m.mesh.triangle_count * 3 * sizeof(uint32_t));
        }
        CHECK(hash == golden[i]);
        if (hash != golden[i]) {
            printf("    0x%016llx, /* %s */\n", (unsigned long long)hash, shape_at(i)->name);
        }
        unmake(&m);
    }
}

static void boxes_are_exact(void) {
    const int32_t one[3] = {1, 1, 1}, many[3] = {7, 2, 3};
    lim_mesh* mesh = NULL;
    CHECK(box_mesh(2.0, 3.0, 0.5, one, NULL, &mesh) == LIM_OK);
    lim_mesh_report r = lim_mesh_get_report(mesh);
    CHECK(r.triangles == 12 && r.vertices == 8 && r.closed && r.parts_flipped == 0);
    CHECK_NEAR(r.volume, 3.0, 1e-12);
    CHECK_NEAR(r.area, 2 * (6 + 1.5 + 1), 1e-12);
    lim_mesh_destroy(mesh);
    CHECK(box_mesh(0.7, 0.2, 0.3, many, NULL, &mesh) == LIM_OK);
    r = lim_mesh_get_report(mesh);
    CHECK(r.triangles == 4 * (14 + 6 + 21) && r.closed && r.non_manifold_edges == 0);
    CHECK(r.vertices == r.triangles / 2 + 2);
    CHECK_NEAR(r.volume, 0.042, 1e-12);
    lim_mesh_destroy(mesh);
}

static void wrong_calls_are_refused(void) {
    lim_mesh* mesh = NULL;
    const int32_t cells[3] = {1, 1, 1}, none[3] = {1, 0, 1}, many[3] = {1, 513, 1};
    CHECK(model_mesh("unicorn", 0, NULL, &mesh) == LIM_ERROR_ARGUMENT);
    CHECK(model_mesh(NULL, 0, NULL, &mesh) == LIM_ERROR_ARGUMENT);
    CHECK(model_mesh("duck", 0, NULL, NULL) == LIM_ERROR_ARGUMENT);
    CHECK(model_mesh("duck", -1, NULL, &mesh) == LIM_ERROR_ARGUMENT);
    CHECK(model_mesh("duck", 99, NULL, &mesh) == LIM_ERROR_ARGUMENT);
    CHECK(model_mesh("duck", 400001, NULL, &mesh) == LIM_ERROR_ARGUMENT);
    CHECK(box_mesh(1, 1, 1, none, NULL, &mesh) == LIM_ERROR_ARGUMENT);
    CHECK(box_mesh(1, 1, 1, many, NULL, &mesh) == LIM_ERROR_ARGUMENT);
    CHECK(box_mesh(0, 1, 1, cells, NULL, &mesh) == LIM_ERROR_ARGUMENT);
    CHECK(box_mesh(1, (double)NAN, 1, cells, NULL, &mesh) == LIM_ERROR_ARGUMENT);
    CHECK(box_mesh(1, 1, (double)INFINITY, cells, NULL, &mesh) == LIM_ERROR_ARGUMENT);
    CHECK(box_mesh(1, 1, 1, NULL, NULL, &mesh) == LIM_ERROR_ARGUMENT);
    CHECK(mesh == NULL);
    /* the lowest target works or says why not */
    for (int32_t i = 0; i < shape_count(); ++i) {
        lim_result result = model_mesh(shape_at(i)->name, 100, NULL, &mesh);
        CHECK(result == LIM_OK || result == LIM_ERROR_MESH);
        CHECK((result == LIM_OK) == (mesh != NULL));
        lim_mesh_destroy(mesh);
    }
}

static void failed_allocations_leak_nothing(void) {
    const int32_t cells[3] = {2, 2, 2};
    for (int which = 0; which < 2; ++which) {
        for (int n = 0;; ++n) {
            failing_host f;
            failing_host_arm(&f, n);
            lim_mesh* mesh = NULL;
            lim_result result = which == 0 ? model_mesh("torus", 400, &f.host, &mesh)
                                           : box_mesh(1, 1, 1, cells, &f.host, &mesh);
            if (result == LIM_OK) {
                lim_mesh_destroy(mesh);
                CHECK(f.held == 0);
                CHECK(n > 2);
                break;
            }
            CHECK(result == LIM_ERROR_MEMORY);
            CHECK(mesh == NULL);
            CHECK(f.held == 0);
        }
    }
}

/* The field without skipping distant parts, as an oracle for the one that skips. */
static void skipping_parts_changes_nothing(void) {
    made m;
    make(&m, "creature", 2000);
    implicit_shape whole = m.shape;
    for (int32_t i = 0; i < whole.count; ++i) {
        whole.part[i].reach = 1e6; /* never skipped */
    }
    for (int32_t i = 0; i < 20000; ++i) {
        uint64_t h = hash_mix((uint64_t)i + 7);
        lim_point at =
            p3((double)(h & 0xFFFF) / 32768.0 - 1.0, (double)(h >> 16 & 0xFFFF) / 32768.0 - 0.4,
               (double)(h >> 32 & 0xFFFF) / 32768.0 - 1.0);
        double a = whole_value(&m.shape, at), b = whole_value(&whole, at);
        CHECK(a >= b && a <= b);
    }
    unmake(&m);
}

/* Parts that count in a ball against all of them: all through balls on the surface, and through
 * balls anywhere in the box. */
static void parts_that_are_near_give_the_same_values(void) {
    for (int32_t s = 0; s < shape_count(); ++s) {
        const made* m = whole(s);
        const lim_box box = implicit_bounds(&m->shape);
        int32_t left_out = 0;
        for (int32_t i = 0; i < 400; ++i) {
            uint64_t h = hash_mix((uint64_t)i + 31);
            double u[6];
            for (int k = 0; k < 6; ++k) {
                h = hash_mix(h);
                u[k] = (double)(h >> 40) / 16777216.0;
            }
            lim_point middle = m->mesh.position[h % (uint64_t)m->mesh.vertex_count];
            if (i % 2 != 0) {
                middle = p3(box.lower.x + u[0] * (box.upper.x - box.lower.x),
                            box.lower.y + u[1] * (box.upper.y - box.lower.y),
                            box.lower.z + u[2] * (box.upper.z - box.lower.z));
            }
            implicit_near near;
            implicit_near_find(&m->shape, middle, 0.01 + 0.1 * u[3], &near);
            left_out += m->shape.count - near.count;
            for (int32_t j = 0; j < 20; ++j) {
                lim_point off = p3(u[j % 6] - 0.5, u[(j + 1) % 6] - 0.5, u[(j + 3) % 6] - 0.5);
                double length = p3_length(off) + 1e-9;
                lim_point at = p3_mad(middle, off, near.radius * (0.05 * j + 0.05) / length);
                double a = implicit_near_value(&near, at), b = whole_value(&m->shape, at);
                CHECK(a >= b && a <= b);
            }
        }
        CHECK(m->shape.count < 8 || left_out > 400);
    }
}

TEST_SUITE(models) {
    TEST_BEGIN(argc, argv);
    RUN(every_model_is_closed_and_manifold);
    RUN(resolutions_keep_models_closed);
    RUN(triangles_are_even_and_face_outward);
    RUN(known_shapes_have_known_volumes);
    RUN(meshes_stand_on_the_ground_and_are_one_metre);
    RUN(bits_are_the_same_everywhere);
    RUN(boxes_are_exact);
    RUN(wrong_calls_are_refused);
    RUN(failed_allocations_leak_nothing);
    RUN(skipping_parts_changes_nothing);
    RUN(parts_that_are_near_give_the_same_values);
    unmake_wholes();
    TEST_END();
}
