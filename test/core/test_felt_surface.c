/* SPDX-License-Identifier: MIT
 * The deformed surface as others feel it, and boxes: nearest places against all triangles, sides
 * against the shape, overlaps against all pairs, finer surfaces without cracks.
 */
#include "test.h"

#include "base/random.h"
#include "body/samples.h"
#include "contact/boxes.h"
#include "mesh/mesh_shapes.h"
#include "mesh/triangle.h"

/* A surface of points that are bound to nothing: only its places count. */
typedef struct felt {
    arena mem;
    bindings b;
    surface_net net;
    surface_shape shape;
} felt;

static void felt_make(felt* f, const shape* s) {
    lim_host host = mem_host(NULL);
    arena scratch;
    arena_init(&f->mem, &host);
    arena_init(&scratch, &host);
    f->b = (bindings){.count = s->vertices};
    for (int k = 0; k < 3; ++k) {
        f->b.rest[k] = ARENA_ARRAY(&f->mem, float, s->vertices);
        f->shape.at[k] = ARENA_ARRAY(&f->mem, float, s->vertices);
        f->shape.look[k] = ARENA_ARRAY(&f->mem, float, s->vertices);
        for (int32_t i = 0; i < s->vertices; ++i) {
            f->b.rest[k][i] = (float)s->position[3 * i + k];
        }
    }
    int32_t* corner = ARENA_ARRAY(&scratch, int32_t, 3 * s->triangles);
    for (int32_t i = 0; i < 3 * s->triangles; ++i) {
        corner[i] = (int32_t)s->index[i];
    }
    CHECK(surface_net_build(&f->mem, &scratch, &f->b, corner, s->triangles, &f->net) == LIM_OK);
    arena_release(&scratch);
    int32_t groups = surface_groups(&f->net, f->shape.first, &f->shape.levels);
    f->shape.group = ARENA_ARRAY(&f->mem, surface_group, groups);
    f->shape.net = &f->net;
    f->shape.stretch = 1.5f;
}

/* Bent and stretched by a smooth map, up to `much`. */
static void felt_bend(felt* f, double much, float known) {
    for (int32_t i = 0; i < f->b.count; ++i) {
        double x = (double)f->b.rest[0][i], y = (double)f->b.rest[1][i],
               z = (double)f->b.rest[2][i];
        f->shape.at[0][i] = (float)(x + much * 0.3 * y * y);
        f->shape.at[1][i] = (float)(y * (1.0 + 0.3 * much) - much * 0.2 * x * z);
        f->shape.at[2][i] = (float)(z + much * 0.25 * x * y);
    }
    f->shape.low = v3(-known, -known, -known);
    f->shape.high = v3(known, known, known);
    surface_shape_update(&f->shape);
}

static lim_point corner_of(const felt* f, int32_t triangle, int k) {
    int32_t c = f->net.corner[3 * triangle + k];
    return p3((double)f->shape.at[0][c], (double)f->shape.at[1][c], (double)f->shape.at[2][c]);
}

static double brute_distance(const felt* f, lim_vec3 at) {
    double best = HUGE_VAL, weights[3];
    for (int32_t i = 0; i < f->net.triangle_count; ++i) {
        double d = triangle_closest(corner_of(f, i, 0), corner_of(f, i, 1), corner_of(f, i, 2),
                                    p3_of(at), weights);
        best = d < best ? d : best;
    }
    return sqrt(best);
}

/* Turns about a place of all triangles, by solid angle: 1 inside, 0 outside. */
static double brute_winding(const felt* f, lim_vec3 at) {
    double sum = 0.0;
    for (int32_t i = 0; i < f->net.triangle_count; ++i) {
        lim_point a = p3_sub(corner_of(f, i, 0), p3_of(at)),
                  b = p3_sub(corner_of(f, i, 1), p3_of(at)),
                  c = p3_sub(corner_of(f, i, 2), p3_of(at));
        double x = p3_length(a), y = p3_length(b), z = p3_length(c);
        double det = p3_dot(a, p3_cross(b, c));
        double base = x * y * z + p3_dot(a, b) * z + p3_dot(b, c) * x + p3_dot(c, a) * y;
        sum += 2.0 * atan2(det, base);
    }
    return sum / (4.0 * 3.14159265358979);
}

static void check_shape(const shape* s, double much, float known) {
    felt f = {0};
    felt_make(&f, s);
    felt_bend(&f, much, known);
    CHECK(f.net.open_share == 0.0f);
    random_stream r = random_seed(5);
    int wrong_side = 0, farther = 0, asked = 0;
    for (int k = 0; k < 2000; ++k) {
        lim_vec3 at = v3(random_range(&r, -0.8f, 0.8f), random_range(&r, -0.8f, 0.8f),
                         random_range(&r, -0.8f, 0.8f));
        surface_query q = {.at = at, .reach = 0.3f};
        surface_hit hit = surface_nearest(&f.shape, &q);
        double truth = brute_distance(&f, at);
        if (hit.triangle < 0) {
            CHECK(truth > 0.299);
            continue;
        }
        asked++;
        lim_vec3 away = v3_sub(at, hit.point);
        double found = (double)v3_length(away);
        CHECK(found > truth - 1e-5 && truth < 0.301);
        farther += found > truth + 1e-3;
        bool inside = brute_winding(&f, at) > 0.5;
        wrong_side += fabs(truth) > 1e-3 && (hit.gap < 0.0f) != inside;
        CHECK(fabs((double)v3_length(hit.normal) - 1.0) < 1e-4);
        CHECK(fabs(hit.weight[0] + hit.weight[1] + hit.weight[2] - 1.0f) < 1e-4f);
    }
    /* The way to the nearest leads over triangles, and may end in another valley: seldom. */
    CHECK(asked > 500);
    if (farther * 100 > asked || wrong_side * 100 > asked) {
        printf("  of %d: %d farther, %d on the wrong side\n", asked, farther, wrong_side);
    }
    CHECK(farther * 100 <= asked && wrong_side * 100 <= asked);
    arena_release(&f.mem);
}

static void nearest_is_nearest(void) {
    for (int bent = 0; bent < 2; ++bent) {
        shape ball = {0}, ring = {0};
        shape_sphere(&ball, 0, 0, 0, 0.5, 24);
        shape_torus(&ring, 0.4, 0.15, 32, 16);
        check_shape(&ball, bent, 0.2f);
        check_shape(&ring, bent, 2.0f);
        shape_free(&ball);
        shape_free(&ring);
    }
}

/* Between two faces of a plate, who looks down is met by the upper one, whichever is nearer. */
static void faces_meet_face_to_face(void) {
    shape s = {0};
    shape_box(&s, -0.5, -0.05, -0.5, 0.5, 0.05, 0.5);
    lim_host host = mem_host(NULL);
    arena a;
    arena_init(&a, &host);
    lim_vec3 point[8];
    int32_t corner[36];
    for (int i = 0; i < 8; ++i) {
        point[i] = v3((float)s.position[3 * i], (float)s.position[3 * i + 1],
                      (float)s.position[3 * i + 2]);
    }
    for (int i = 0; i < 36; ++i) {
        corner[i] = (int32_t)s.index[i];
    }
    surface_samples finer;
    CHECK(surface_samples_make(&a, point, corner, 12, 0.1f, 8, 4000, &finer) == LIM_OK);
    shape fine = {0};
    for (int i = 0; i < 8; ++i) {
        shape_vertex(&fine, (double)point[i].x, (double)point[i].y, (double)point[i].z);
    }
    for (int32_t i = 0; i < finer.count; ++i) {
        shape_vertex(&fine, (double)finer.point[i].x, (double)finer.point[i].y,
                     (double)finer.point[i].z);
    }
    for (int32_t i = 0; i < finer.triangle_count; ++i) {
        shape_triangle(&fine, (uint32_t)finer.corner[3 * i], (uint32_t)finer.corner[3 * i + 1],
                       (uint32_t)finer.corner[3 * i + 2]);
    }
    felt f = {0};
    felt_make(&f, &fine);
    felt_bend(&f, 0.0, 2.0f);
    CHECK(f.net.open_share == 0.0f); /* no cracks */
    random_stream r = random_seed(7);
    for (int k = 0; k < 500; ++k) {
        lim_vec3 at = v3(random_range(&r, -0.45f, 0.45f), random_range(&r, -0.049f, 0.049f),
                         random_range(&r, -0.45f, 0.45f));
        float up = k % 2 == 0 ? 1.0f : -1.0f;
        surface_query q = {.at = at, .look = v3(0, -up, 0), .reach = 0.2f};
        surface_hit hit = surface_nearest(&f.shape, &q);
        CHECK(hit.triangle >= 0 && up * hit.normal.y > 0.999f);
        CHECK_NEAR((double)hit.gap, (double)(up * at.y - 0.05f), 1e-5);
    }
    /* Beyond the rim and below the face there is nothing of it. */
    surface_query beside = {.at = v3(0.55f, 0.0f, 0.0f), .look = v3(0, -1, 0), .reach = 0.2f};
    CHECK(surface_nearest(&f.shape, &beside).triangle < 0);
    arena_release(&f.mem);
    arena_release(&a);
    shape_free(&s);
    shape_free(&fine);
}

static void boxes_against_all_pairs(void) {
    random_stream r = random_seed(11);
    lim_host host = mem_host(NULL);
    boxes tree = {0};
    static lim_box box[700];
    static int32_t found[700];
    for (int round = 0; round < 6; ++round) {
        int32_t count = (const int32_t[6]){0, 1, 8, 9, 200, 700}[round];
        for (int32_t i = 0; i < count; ++i) {
            double size =
                round % 2 == 0 ? 0.1 : 0.02 + 2.0 * (double)(random_unit(&r) * random_unit(&r));
            lim_point at = p3(1e4 + 10.0 * (double)random_unit(&r), 10.0 * (double)random_unit(&r),
                              3.0 * (double)random_unit(&r));
            box[i] = (lim_box){at, p3_add(at, p3(size, size * (double)random_unit(&r), size))};
        }
        if (count > 8) {
            box[3].lower.x = NAN;
            box[4] = (lim_box){p3(1, 0, 0), p3(-1, 0, 0)};
        }
        CHECK(boxes_reserve(&tree, &host, count) == LIM_OK);
        boxes_build(&tree, box, count);
        for (int32_t i = 0; i < count; ++i) {
            int32_t n = boxes_overlapping(&tree, box[i], found, 700);
            uint8_t has[700] = {0};
            for (int32_t k = 0; k < n; ++k) {
                CHECK(!has[found[k]]);
                has[found[k]] = 1;
            }
            for (int32_t j = 0; j < count; ++j) {
                bool meets = box[i].lower.x <= box[j].upper.x && box[i].upper.x >= box[j].lower.x &&
                             box[i].lower.y <= box[j].upper.y && box[i].upper.y >= box[j].lower.y &&
                             box[i].lower.z <= box[j].upper.z && box[i].upper.z >= box[j].lower.z &&
                             (count <= 8 || (i != 3 && i != 4 && j != 3 && j != 4));
                lim_point gap =
                    p3_max(p3_sub(box[j].lower, box[i].upper), p3_sub(box[i].lower, box[j].upper));
                double apart = fmax(gap.x, fmax(gap.y, gap.z));
                CHECK(meets ? has[j] : !has[j] || apart < 1e-3);
            }
        }
    }
    boxes_free(&tree, &host);
}

int main(int argc, char** argv) {
    TEST_BEGIN(argc, argv);
    RUN(nearest_is_nearest);
    RUN(faces_meet_face_to_face);
    RUN(boxes_against_all_pairs);
    TEST_END();
}
