/* SPDX-License-Identifier: MIT
 * The surface that bodies feel of each other where the skin is fine: near the skin everywhere,
 * closed where that is, of the same volume and genus, with a point that feels for each node; the
 * skin itself where that is not fine. Against the skin with all of its points.
 */
#include "body/coarse_felt.h"
#include "failing_host.h"
#include "kind_rows.h"
#include "mesh/mesh_shapes.h"
#include "mesh/triangle.h"
#include "models.h"
#include "test.h"
#include "world/model.h"

enum { MODELS_MOST = 64 };

/* The triangles as they are without coarsening: 3 bindings each. */
static int32_t* skin_corners(const topology* t, int32_t* out_count) {
    *out_count = t->felt_count > 0 ? t->felt_count : t->triangle_count;
    int32_t* corner = malloc(3 * (size_t)*out_count * sizeof(int32_t));
    for (int32_t i = 0; i < 3 * *out_count; ++i) {
        corner[i] = t->felt_count > 0 ? t->felt[i] : t->vertex_point[t->indices[i]];
    }
    return corner;
}

typedef struct felt_facts {
    double volume;       /* enclosed, cells cubed */
    int32_t euler, open; /* twice V - F / 2; sides without another that runs against them */
    double longest;      /* cells */
} felt_facts;

static int compare(const void* a, const void* b) {
    uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return x < y ? -1 : x > y;
}

static lim_point rest_of(const bindings* b, int32_t i, double cell) {
    return p3_scale(p3_of(bindings_rest(b, i)), 1.0 / cell);
}

static felt_facts facts_of(const bindings* b, const int32_t* corner, int32_t count, double cell) {
    felt_facts f = {0};
    uint8_t* used = calloc((size_t)b->count, 1);
    uint64_t* side = malloc(3 * (size_t)count * sizeof(uint64_t));
    for (int32_t i = 0; i < 3 * count; ++i) {
        int32_t from = corner[i], to = corner[i % 3 == 2 ? i - 2 : i + 1];
        f.euler += used[from] ? 0 : 2;
        used[from] = 1;
        f.longest =
            fmax(f.longest, p3_length(p3_sub(rest_of(b, from, cell), rest_of(b, to, cell))));
        side[i] = (uint64_t)(uint32_t)from << 32 | (uint32_t)to;
    }
    f.euler -= count;
    qsort(side, 3 * (size_t)count, sizeof(uint64_t), compare);
    for (int32_t i = 0; i < 3 * count; ++i) {
        uint64_t back = side[i] << 32 | side[i] >> 32;
        f.open += bsearch(&back, side, 3 * (size_t)count, sizeof(uint64_t), compare) == NULL;
    }
    for (int32_t i = 0; i < count; ++i) {
        lim_point a = rest_of(b, corner[3 * i], cell), u = rest_of(b, corner[3 * i + 1], cell);
        f.volume += p3_dot(a, p3_cross(u, rest_of(b, corner[3 * i + 2], cell))) / 6.0;
    }
    free(used);
    free(side);
    return f;
}

/* The farthest of all points with triangles from the net, in finest cells. */
static double farthest(const topology* t, const int32_t* corner, int32_t count) {
    const surface_net* of = &t->surface;
    double cell = (double)t->cell, most = 0.0;
    lim_point(*place)[3] = malloc((size_t)of->triangle_count * sizeof *place);
    lim_point* middle = malloc((size_t)of->triangle_count * sizeof *middle);
    double* radius = malloc((size_t)of->triangle_count * sizeof *radius);
    uint8_t* seen = calloc((size_t)t->bind.count, 1);
    for (int32_t i = 0; i < of->triangle_count; ++i) {
        middle[i] = p3(0, 0, 0);
        for (int k = 0; k < 3; ++k) {
            place[i][k] = rest_of(&of->points, of->corner[3 * i + k], cell);
            middle[i] = p3_mad(middle[i], place[i][k], 1.0 / 3.0);
        }
        radius[i] = 0.0;
        for (int k = 0; k < 3; ++k) {
            radius[i] = fmax(radius[i], p3_length(p3_sub(place[i][k], middle[i])));
        }
    }
    for (int32_t j = 0; j < 3 * count; ++j) {
        double best = 9.0, weight[3]; /* squared: three cells are far enough to fail */
        lim_point at = rest_of(&t->bind, corner[j], cell);
        for (int32_t i = 0; i < of->triangle_count && !seen[corner[j]] && best > 0.0; ++i) {
            lim_point r = p3_sub(at, middle[i]);
            double reach = sqrt(best) + radius[i];
            if (p3_dot(r, r) < reach * reach) {
                double d = triangle_closest(place[i][0], place[i][1], place[i][2], at, weight);
                best = d < best ? d : best;
            }
        }
        most = seen[corner[j]] ? most : fmax(most, best);
        seen[corner[j]] = 1;
    }
    free(place);
    free(middle);
    free(radius);
    free(seen);
    return sqrt(most);
}

/* Every point of the net is one of the bindings, and every node that points of the skin follow most
 * has one that feels. */
static void check_points(const topology* t, const int32_t* corner, int32_t count) {
    const surface_net* of = &t->surface;
    uint8_t* feels = calloc((size_t)t->slot_count, 1);
    for (int32_t i = 0; i < of->patch_feel[of->patch_count]; ++i) {
        feels[of->points.bind[of->feel[i]].node[0]] = 1;
    }
    for (int32_t i = 0; i < 3 * count; ++i) {
        CHECK(feels[t->bind.bind[corner[i]].node[0]]);
    }
    free(feels);
}

/* Returns the share of triangles that is left. */
static double check_model(const topology* t) {
    int32_t count;
    int32_t* corner = skin_corners(t, &count);
    const surface_net* of = &t->surface;
    felt_facts skin = facts_of(&t->bind, corner, count, (double)t->cell);
    felt_facts felt = facts_of(&of->points, of->corner, of->triangle_count, (double)t->cell);
    double away = farthest(t, corner, count), coarsest = 1.0;
    for (int32_t i = 0; i < t->slot_count; ++i) {
        coarsest = fmax(coarsest, (double)t->side[i] / (double)t->cell);
    }
    CHECK(away <= 1.0001 * (double)COARSE_AWAY);
    CHECK(felt.open == skin.open && felt.euler == skin.euler);
    CHECK(fabs(felt.volume / skin.volume - 1.0) < 0.005);
    CHECK(felt.longest <= fmax(skin.longest, (double)COARSE_LONG * coarsest) + 1e-5);
    if (!(away <= 1.0001 * (double)COARSE_AWAY && fabs(felt.volume / skin.volume - 1.0) < 0.005)) {
        printf("  %.4f cells away, volume %.5f of %.5f\n", away, felt.volume, skin.volume);
    }
    check_points(t, corner, count);
    free(corner);
    return (double)of->triangle_count / (double)count;
}

static void models_keep_their_surface(void) {
    model_entry entry[MODELS_MOST];
    int32_t models = model_list(entry, MODELS_MOST), drops = 0, same = 0;
    static const int32_t triangles[3] = {2000, 8000, 20000}, nodes[2] = {150, 700};
    CHECK(models > 5 && models <= MODELS_MOST);
    for (int32_t m = 0; m < models; ++m) {
        for (int k = test_long ? 0 : m % 2; k < 3; k += test_long ? 1 : 3) {
            lim_mesh* mesh = NULL;
            if (model_mesh(entry[m].name, triangles[k], NULL, &mesh) != LIM_OK) {
                continue; /* too thin for so few */
            }
            for (int n = test_long ? 0 : (m + k) % 3; n < 6; n += test_long ? 1 : 3) {
                lim_model_desc desc = lim_model_desc_default();
                desc.kind = n % 3 == 1 ? LIM_KIND_LATTICE : LIM_KIND_OCTREE;
                desc.coarsen = n % 3 == 2 ? 2 : 0;
                desc.node_count = nodes[n / 3];
                lim_model* model = NULL;
                CHECK(lim_model_create(mesh, &desc, NULL, &model) == LIM_OK);
                double left = check_model(model->topology);
                drops += left < 0.6;
                same += left == 1.0;
                /* 8,000 triangles on 150 nodes; a sheet has small cells to be two thick */
                bool sheet = strcmp(entry[m].name, "sheet") == 0;
                CHECK(left < 0.75 || k == 0 || n >= 3 || sheet);
                lim_model_destroy(model);
            }
            lim_mesh_destroy(mesh);
        }
    }
    printf("  of %d models: %d nets with less than 0.6 of the triangles, %d with all\n",
           (int)models, (int)drops, (int)same);
    int32_t many = test_long ? models / 2 : models / 4;
    CHECK(drops > many && same > many);
}

static lim_model* sphere_model(int32_t slices, int32_t nodes, const lim_host* host,
                               lim_result* out) {
    shape s = {0};
    shape_sphere(&s, 0, 0, 0, 1.0, slices);
    lim_mesh* mesh = shape_mesh(&s);
    lim_model_desc desc = lim_model_desc_default();
    desc.node_count = nodes;
    lim_model* model = NULL;
    *out = lim_model_create(mesh, &desc, host, &model);
    lim_mesh_destroy(mesh);
    shape_free(&s);
    return model;
}

/* Sides no shorter than a third of a cell: the same triangles between the same points. */
static void coarse_skins_stay(void) {
    static const int32_t cells[3] = {6, 6, 6};
    lim_mesh* mesh = NULL;
    CHECK(box_mesh(1, 1, 1, cells, NULL, &mesh) == LIM_OK);
    for (int k = 0; (k = kind_edited(k)) >= 0; ++k) {
        lim_model_desc desc = lim_model_desc_default();
        desc.kind = kind_id(k);
        desc.node_count = 200;
        lim_model* model = NULL;
        CHECK(lim_model_create(mesh, &desc, NULL, &model) == LIM_OK);
        const topology* t = model->topology;
        CHECK((double)t->cell / 3.0 < 1.0 / 6.0);
        CHECK(check_model(t) == 1.0 && t->surface.points.count == t->bind.count - 1);
        lim_model_destroy(model);
    }
    lim_mesh_destroy(mesh);
}

/* A skin read from bytes is felt as the one that was written. */
static void bytes_bring_it_back(void) {
    lim_result result;
    lim_model* model = sphere_model(60, 150, NULL, &result);
    CHECK(result == LIM_OK);
    const topology* t = model->topology;
    size_t size = topology_bytes(t);
    unsigned char* bytes = malloc(size);
    topology_write(t, bytes);
    topology* back = NULL;
    CHECK(topology_read(bytes, size, NULL, &back) == LIM_OK);
    CHECK(check_model(t) < 0.5 && back->surface.triangle_count == t->surface.triangle_count);
    CHECK(memcmp(back->surface.corner, t->surface.corner,
                 3 * (size_t)t->surface.triangle_count * sizeof(int32_t)) == 0);
    topology_release(back);
    free(bytes);
    lim_model_destroy(model);
}

static void memory_may_run_out(void) {
    for (int64_t n = 0;; ++n) {
        failing_host f;
        failing_host_arm(&f, n);
        lim_result result;
        lim_model* model = sphere_model(30, 40, &f.host, &result);
        if (result == LIM_OK) {
            CHECK(n > 5 && check_model(model->topology) < 0.75);
            lim_model_destroy(model);
            CHECK(f.held == 0);
            break;
        }
        CHECK(result == LIM_ERROR_MEMORY && f.held == 0);
    }
}

/* ---- by hand ------------------------------------------------------------------------------------
 */

/* A surface of which all points follow one node, in cells of 1. */
typedef struct by_hand {
    arena mem;
    bindings b;
    float* side;
    int32_t *given, given_count, count;
    const int32_t* corner;
} by_hand;

static void coarsen_shape(by_hand* h, const shape* s) {
    lim_host host = mem_host(NULL);
    arena_init(&h->mem, &host);
    h->b = (bindings){.count = s->vertices};
    h->b.bind = ARENA_ARRAY(&h->mem, binding, s->vertices);
    h->b.component = ARENA_ARRAY(&h->mem, int32_t, s->vertices);
    h->side = ARENA_ARRAY(&h->mem, float, 1);
    h->given = ARENA_ARRAY(&h->mem, int32_t, 3 * s->triangles);
    h->given_count = s->triangles;
    h->side[0] = 1.0f;
    for (int k = 0; k < 3; ++k) {
        h->b.rest[k] = ARENA_ARRAY(&h->mem, float, s->vertices);
        for (int32_t i = 0; i < s->vertices; ++i) {
            h->b.rest[k][i] = (float)s->position[3 * i + k];
            h->b.bind[i].weight[0] = 1.0f;
        }
    }
    for (int32_t i = 0; i < 3 * s->triangles; ++i) {
        h->given[i] = (int32_t)s->index[i];
    }
    lim_vec3* normal = surface_normals(&h->mem, &h->b, h->given, s->triangles);
    coarse_source from = {&h->b, h->given, s->triangles, normal, h->side, 1, 1.0f};
    CHECK(coarse_felt_make(&h->mem, &from, &h->corner, &h->count) == LIM_OK);
}

/* A sheet of n by n squares, of side 0.1; up to `bend` high where it is bent like a tent. */
static void make_sheet(shape* s, int32_t n, double bend) {
    for (int32_t j = 0; j <= n; ++j) {
        for (int32_t i = 0; i <= n; ++i) {
            double x = 0.1 * i, from_middle = fabs(x - 0.05 * n);
            shape_vertex(s, x, bend * (0.05 * n - from_middle), 0.1 * j);
        }
    }
    for (int32_t j = 0; j < n; ++j) {
        for (int32_t i = 0; i < n; ++i) {
            uint32_t a = (uint32_t)(j * (n + 1) + i), b = a + (uint32_t)n + 1;
            shape_triangle(s, a, b, a + 1);
            shape_triangle(s, a + 1, b, b + 1);
        }
    }
}

/* The rim of an open sheet keeps all its sides; its ridge is not cut off. */
static void rims_and_ridges_stay(void) {
    for (int bent = 0; bent < 2; ++bent) {
        enum { N = 20 };
        shape s = {0};
        make_sheet(&s, N, bent);
        by_hand h = {0};
        coarsen_shape(&h, &s);
        felt_facts skin = facts_of(&h.b, h.given, h.given_count, 1.0);
        felt_facts felt = facts_of(&h.b, h.corner, h.count, 1.0);
        CHECK(h.count * 2 < h.given_count);
        CHECK(skin.open == 4 * N && felt.open == skin.open && felt.euler == skin.euler);
        /* what lies under it, as the heights of its triangles over their shadows say */
        double under = 0.0, shadow = 0.0;
        for (int32_t i = 0; i < h.count; ++i) {
            lim_point p[3];
            for (int k = 0; k < 3; ++k) {
                p[k] = rest_of(&h.b, h.corner[3 * i + k], 1.0);
            }
            double area = 0.5 * p3_cross(p3_sub(p[1], p[0]), p3_sub(p[2], p[0])).y;
            CHECK(area > 0.0);
            shadow += area;
            under += area * (p[0].y + p[1].y + p[2].y) / 3.0;
        }
        CHECK_NEAR(shadow, 4.0, 1e-5);
        CHECK_NEAR(under, bent ? 2.0 : 0.0, 1e-5);
        arena_release(&h.mem);
        shape_free(&s);
    }
}

/* Two sheets back to back, a hundredth of a cell apart and joined at their rims: both sides stay
 * where they are. */
static void thin_plates_keep_both_sides(void) {
    enum { N = 16 };
    shape s = {0};
    make_sheet(&s, N, 0.0);
    int32_t points = s.vertices, triangles = s.triangles;
    for (int32_t i = 0; i < points; ++i) {
        int32_t x = i % (N + 1), z = i / (N + 1);
        bool rim = x == 0 || z == 0 || x == N || z == N;
        shape_vertex(&s, 0.1 * x, rim ? 0.0 : -0.01, 0.1 * z);
    }
    for (int32_t i = 0; i < triangles; ++i) {
        uint32_t c[3];
        for (int k = 0; k < 3; ++k) {
            int32_t p = (int32_t)s.index[3 * i + k], x = p % (N + 1), z = p / (N + 1);
            bool rim = x == 0 || z == 0 || x == N || z == N;
            c[k] = (uint32_t)(rim ? p : p + points);
        }
        shape_triangle(&s, c[0], c[2], c[1]);
    }
    by_hand h = {0};
    coarsen_shape(&h, &s);
    felt_facts skin = facts_of(&h.b, h.given, h.given_count, 1.0);
    felt_facts felt = facts_of(&h.b, h.corner, h.count, 1.0);
    CHECK(h.count * 2 < h.given_count && skin.open == 0 && felt.open == 0);
    CHECK(felt.euler == skin.euler && felt.volume > 0.7 * skin.volume);
    int32_t ways[2] = {0, 0};
    for (int32_t i = 0; i < h.count; ++i) {
        lim_point a = rest_of(&h.b, h.corner[3 * i], 1.0);
        lim_point n = p3_cross(p3_sub(rest_of(&h.b, h.corner[3 * i + 1], 1.0), a),
                               p3_sub(rest_of(&h.b, h.corner[3 * i + 2], 1.0), a));
        ways[n.y > 0.0]++;
    }
    CHECK(ways[0] > 50 && ways[1] > 50);
    arena_release(&h.mem);
    shape_free(&s);
}

TEST_SUITE(coarse_felt) {
    TEST_BEGIN(argc, argv);
    RUN(models_keep_their_surface);
    RUN(coarse_skins_stay);
    RUN(bytes_bring_it_back);
    RUN(memory_may_run_out);
    RUN(rims_and_ridges_stay);
    RUN(thin_plates_keep_both_sides);
    TEST_END();
}
