/* SPDX-License-Identifier: MIT
 * Which points of a surface feel contacts: none that stands out is lost, no node is left without
 * one, coarse skins keep all, and a model read from bytes has the same.
 */
#include "test.h"

#include "base/random.h"
#include "body/topology.h"
#include "body/touch.h"
#include "mesh/mesh_shapes.h"
#include "world/model.h"

static lim_model* model_of(shape* s, lim_kind kind, int32_t nodes, int32_t coarsen) {
    lim_mesh* mesh = shape_mesh(s);
    lim_model_desc desc = lim_model_desc_default();
    desc.kind = kind;
    desc.node_count = nodes;
    desc.coarsen = coarsen;
    lim_model* model = NULL;
    CHECK(lim_model_create(mesh, &desc, NULL, &model) == LIM_OK);
    lim_mesh_destroy(mesh);
    shape_free(s);
    return model;
}

static bool same_point(const bindings* a, int32_t i, const bindings* b, int32_t j) {
    lim_vec3 x = bindings_rest(a, i), y = bindings_rest(b, j);
    return memcmp(&x, &y, sizeof x) == 0 && a->bind[i].node[0] == b->bind[j].node[0];
}

/* How far a dropped point of a sphere about `middle` stands out beyond the nearest that stayed. */
static double stands_out(const topology* t, lim_vec3 middle, int32_t i) {
    lim_vec3 x = v3_sub(bindings_rest(&t->bind, i), middle);
    double least = HUGE_VAL, out = 0.0;
    for (int32_t j = 0; j < t->touch.count; ++j) {
        lim_vec3 y = v3_sub(bindings_rest(&t->touch, j), middle);
        double away = (double)v3_length(v3_sub(x, y));
        if (away < least) {
            least = away;
            out = (double)v3_length(x) - (double)v3_dot(x, y) / (double)v3_length(x);
        }
    }
    CHECK(least < 1.2 * (double)t->cell); /* some point is within a cell */
    return out;
}

static void fine_skins_are_thinned(void) {
    static const lim_kind kinds[2] = {LIM_KIND_OCTREE, LIM_KIND_LATTICE};
    for (int k = 0; k < 4; ++k) {
        shape s = {0};
        shape_sphere(&s, 0, 0, 0, 1.0, 90);
        lim_model* model = model_of(&s, kinds[k % 2], 300, k == 2 ? 2 : 0);
        const topology* t = model->topology;
        CHECK(t->touch.count > 100 && t->touch.count * 4 < t->bind.count);
        uint8_t* has = calloc((size_t)t->slot_count, 1);
        lim_vec3 middle = v3(0, 0, 0);
        double dropped = 0.0;
        for (int32_t j = 0; j < t->touch.count; ++j) {
            has[t->touch.bind[j].node[0]] = 1;
        }
        for (int32_t i = 0, j = 0; i < t->point_count - 1; ++i) {
            CHECK(has[t->bind.bind[i].node[0]]);
            bool stays = j < t->touch.count && same_point(&t->bind, i, &t->touch, j);
            j += stays;
            if (!stays && k < 2) {
                double out = stands_out(t, middle, i);
                dropped = out > dropped ? out : dropped;
            }
        }
        /* What a sphere of radius 1/2 bends within a box of half a cell: a^2 / 2 R. */
        double across = 0.5 * sqrt(3.0) * (double)t->cell;
        CHECK(dropped < across * across);
        free(has);
        lim_model_destroy(model);
    }
}

/* A vertex that is drawn out of a fine sphere along an axis is the one that stays. (Askew, a
 * neighbour may be further along the axis that both look along most.) */
static void spikes_stay(void) {
    int spikes = 0;
    for (int k = 0; k < 200; ++k) {
        shape s = {0};
        shape_sphere(&s, 0, 0, 0, 1.0, 60);
        int32_t spike = 97 + 173 * k; /* somewhere on it */
        double* x = s.position + 3 * (size_t)(spike % s.vertices);
        double longest = fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2])));
        for (int axis = 0; axis < 3; ++axis) {
            x[axis] *= longest > 0.97 ? 1.06 : 1.0;
        }
        spikes += longest > 0.97;
        if (longest <= 0.97) {
            shape_free(&s);
            continue;
        }
        lim_model* model = model_of(&s, LIM_KIND_OCTREE, 300, 0);
        const topology* t = model->topology;
        float most = 0.0f, kept = 0.0f;
        for (int32_t i = 0; i < t->point_count - 1; ++i) {
            float out = v3_length(bindings_rest(&t->bind, i));
            most = out > most ? out : most;
        }
        for (int32_t j = 0; j < t->touch.count; ++j) {
            float out = v3_length(bindings_rest(&t->touch, j));
            kept = out > kept ? out : kept;
        }
        CHECK(kept >= most);
        lim_model_destroy(model);
    }
    CHECK(spikes >= 5);
}

/* A coarse skin is made finer, and what is left out of that is within half a cell's box of what
 * stays. */
static void coarse_skins_keep_all(void) {
    shape s = {0};
    shape_sphere(&s, 0, 0, 0, 1.0, 8);
    lim_model* model = model_of(&s, LIM_KIND_OCTREE, 2000, 0);
    const topology* t = model->topology;
    CHECK(t->felt_count > t->triangle_count && t->touch.count > t->point_count);
    for (int32_t i = 0; i < t->bind.count; ++i) {
        if (i == t->point_count - 1) {
            continue; /* the centre of mass */
        }
        float least = HUGE_VALF;
        for (int32_t j = 0; j < t->touch.count; ++j) {
            lim_vec3 r = v3_sub(bindings_rest(&t->bind, i), bindings_rest(&t->touch, j));
            least = fminf(least, v3_length(r));
        }
        CHECK(least < 0.5f * sqrtf(3.0f) * t->cell);
    }
    for (int32_t k = 0; k < 3 * t->felt_count; k += 3) { /* no side is longer than a cell */
        for (int c = 0; c < 3; ++c) {
            lim_vec3 a = bindings_rest(&t->bind, t->felt[k + c]);
            lim_vec3 b = bindings_rest(&t->bind, t->felt[k + (c + 1) % 3]);
            CHECK(v3_length(v3_sub(b, a)) <= 1.0001f * t->cell);
        }
    }
    lim_model_destroy(model);
}

static void a_thin_sheet_keeps_both_sides(void) {
    shape s = {0};
    shape_box(&s, -1, -0.004, -1, 1, 0.004, 1);
    lim_model* model = model_of(&s, LIM_KIND_OCTREE, 200, 0);
    const topology* t = model->topology;
    int32_t up = 0, down = 0;
    for (int32_t j = 0; j < t->touch.count; ++j) {
        up += t->touch.rest[1][j] > 0.0f;
        down += t->touch.rest[1][j] < 0.0f;
    }
    CHECK(up > 50 && down > 50);
    lim_model_destroy(model);
}

/* Whether two points are of one class: they follow one node, lie in one box and look alike. */
static bool same_class(const topology* t, const lim_vec3* normal, int32_t i, int32_t j) {
    int32_t slot = t->bind.bind[i].node[0];
    bool same =
        slot == t->bind.bind[j].node[0] && surface_look(normal[i]) == surface_look(normal[j]);
    double half = 0.5 * (double)(t->side[slot] > 0.0f ? t->side[slot] : t->cell);
    for (int k = 0; k < 3 && same; ++k) {
        double x = (double)t->bind.rest[k][i] / half, y = (double)t->bind.rest[k][j] / half;
        same = floor(x + 1048576.0) == floor(y + 1048576.0);
    }
    return same;
}

/* The slow way: a point stays where no other of its class stands out more, or as much before it. */
static bool should_stay(const topology* t, const lim_vec3* normal, int32_t i) {
    int32_t look = surface_look(normal[i]);
    if (i == t->point_count - 1 || look == SURFACE_LOOKS) {
        return i != t->point_count - 1 && !t->felt_coarse;
    }
    float sign = look % 2 == 1 ? 1.0f : -1.0f, out = sign * t->bind.rest[look / 2][i];
    for (int32_t j = 0; j < t->bind.count; ++j) {
        float other = sign * t->bind.rest[look / 2][j];
        if (j != i && same_class(t, normal, i, j) && (other > out || (other >= out && j < i))) {
            return false;
        }
    }
    return true;
}

/* Any normals on two surfaces at once, or on one; some look nowhere. */
static void classes_are_found(void) {
    random_stream r = random_seed(7);
    for (int k = 0; k < 8; ++k) {
        shape s = {0};
        shape_sphere(&s, 0, 0, 0, 1.0, 20 + 4 * k);
        lim_model* model =
            model_of(&s, k % 2 ? LIM_KIND_OCTREE : LIM_KIND_LATTICE, 60 + 40 * k, k == 3 ? 1 : 0);
        const topology* t = model->topology;
        arena a;
        arena_init(&a, NULL);
        lim_vec3* normal[TOUCH_SURFACES] = {NULL, NULL};
        for (int n = 0; n < 1 + (k > 1); ++n) {
            normal[n] = ARENA_ARRAY(&a, lim_vec3, t->bind.count);
            for (int32_t i = 0; i < t->bind.count; ++i) {
                float* x[3] = {&normal[n][i].x, &normal[n][i].y, &normal[n][i].z};
                for (int axis = 0; axis < 3 && random_index(&r, 9) > 0; ++axis) {
                    *x[axis] = random_range(&r, -1.0f, 1.0f);
                }
            }
        }
        uint8_t* stays[TOUCH_SURFACES];
        const lim_vec3* given[TOUCH_SURFACES] = {normal[0], normal[1]};
        CHECK(touch_choose(t, &a, given, stays) == LIM_OK);
        CHECK((stays[1] != NULL) == (normal[1] != NULL));
        int32_t left = 0;
        for (int n = 0; n < 1 + (k > 1); ++n) {
            for (int32_t i = 0; i < t->bind.count; ++i) {
                CHECK((stays[n][i] != 0) == should_stay(t, normal[n], i));
                left += stays[n][i] == 0;
            }
        }
        CHECK(left > 20);
        arena_release(&a);
        lim_model_destroy(model);
    }
}

static void bytes_bring_them_back(void) {
    shape s = {0};
    shape_torus(&s, 1.0, 0.4, 80, 50);
    lim_model* model = model_of(&s, LIM_KIND_OCTREE, 400, 0);
    const topology* t = model->topology;
    size_t size = topology_bytes(t);
    unsigned char* bytes = malloc(size);
    topology_write(t, bytes);
    topology* back = NULL;
    CHECK(topology_read(bytes, size, NULL, &back) == LIM_OK);
    CHECK(back->touch.count == t->touch.count && t->touch.count < t->bind.count);
    for (int32_t j = 0; j < t->touch.count && back->touch.count == t->touch.count; ++j) {
        CHECK(same_point(&t->touch, j, &back->touch, j));
    }
    topology_release(back);
    free(bytes);
    lim_model_destroy(model);
}

TEST_SUITE(touch) {
    TEST_BEGIN(argc, argv);
    RUN(fine_skins_are_thinned);
    RUN(spikes_stay);
    RUN(coarse_skins_keep_all);
    RUN(a_thin_sheet_keeps_both_sides);
    RUN(classes_are_found);
    RUN(bytes_bring_them_back);
    TEST_END();
}
