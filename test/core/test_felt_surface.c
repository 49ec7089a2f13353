/* SPDX-License-Identifier: MIT
 * The deformed surface as others feel it, and boxes: nearest places against all triangles, sides
 * against the shape, overlaps against all pairs, finer surfaces without cracks.
 */
#include "test.h"

#include "base/random.h"
#include "body/samples.h"
#include "contact/boxes.h"
#include "contact/felt_kernel.h"
#include "mesh/mesh_shapes.h"
#include "mesh/triangle.h"

/* A surface of points that each follow a node of their own, or of which several follow one: only
 * their places count. */
typedef struct felt {
    arena mem;
    bindings b;
    float* x0[3];
    int32_t* all; /* patches */
    surface_net net;
    surface_shape shape;
} felt;

/* before: a net over the same points, or null. */
static void felt_make_from(felt* f, const shape* s, int32_t points_per_node,
                           const surface_net* before) {
    lim_host host = mem_host(NULL);
    arena scratch;
    arena_init(&f->mem, &host);
    arena_init(&scratch, &host);
    f->b = (bindings){.count = s->vertices};
    f->b.bind = ARENA_ARRAY(&f->mem, binding, s->vertices);
    f->b.component = ARENA_ARRAY(&f->mem, int32_t, s->vertices);
    uint8_t* feels = ARENA_ARRAY(&scratch, uint8_t, s->vertices);
    for (int32_t i = 0; i < s->vertices; ++i) {
        f->b.bind[i] = (binding){.node = {i / points_per_node}, .weight = {1.0f}};
        feels[i] = i % 3 == 0;
    }
    for (int k = 0; k < 3; ++k) {
        f->b.rest[k] = ARENA_ARRAY(&f->mem, float, s->vertices);
        f->x0[k] = ARENA_ARRAY(&f->mem, float, s->vertices);
        f->shape.at[k] = ARENA_ARRAY(&f->mem, float, s->vertices + 16);
        for (int32_t i = 0; i < s->vertices; ++i) {
            f->b.rest[k][i] = (float)s->position[3 * i + k];
        }
        for (int32_t i = 0; i < s->vertices; ++i) {
            f->x0[k][i / points_per_node] = f->b.rest[k][i];
        }
    }
    int32_t* corner = ARENA_ARRAY(&scratch, int32_t, 3 * s->triangles);
    for (int32_t i = 0; i < 3 * s->triangles; ++i) {
        corner[i] = (int32_t)s->index[i];
    }
    lim_vec3* normal = surface_normals(&scratch, &f->b, corner, s->triangles);
    surface_source from = {.points = &f->b,
                           .x0 = f->x0,
                           .slot_count = s->vertices,
                           .corner = corner,
                           .triangle_count = s->triangles,
                           .normal = normal,
                           .feels = feels,
                           .before = before,
                           .own_before = s->vertices};
    CHECK(surface_net_build(&f->mem, &scratch, &from, &f->net) == LIM_OK);
    arena_release(&scratch);
    surface_tree* tree = &f->shape.tree;
    int32_t groups = surface_groups(f->net.group_count, tree->first, &tree->levels);
    tree->group = ARENA_ARRAY(&f->mem, surface_group, groups);
    tree->looks = ARENA_ARRAY(&f->mem, surface_looks, groups);
    f->shape.wanted = ARENA_ARRAY(&f->mem, uint8_t, f->net.patch_count);
    f->shape.spot = ARENA_ARRAY(&f->mem, float, 4 * f->net.points.count + 4);
    f->shape.normal = ARENA_ARRAY(&f->mem, lim_vec3, f->net.points.count + 8);
    f->shape.tight = ARENA_ARRAY(&f->mem, surface_group, f->net.group_count);
    f->shape.feel = ARENA_ARRAY(&f->mem, surface_group, f->net.group_count);
    f->shape.feel_box = ARENA_ARRAY(&f->mem, surface_box, f->net.group_count);
    f->shape.way = ARENA_ARRAY(&f->mem, surface_ways, f->net.group_count);
    f->all = ARENA_ARRAY(&f->mem, int32_t, f->net.patch_count);
    f->shape.net = &f->net;
    f->shape.stretch = 1.5f;
}

static void felt_make(felt* f, const shape* s, int32_t points_per_node) {
    felt_make_from(f, s, points_per_node, NULL);
}

static const felt_kernels* best_kernels(void) {
    return felt_kernels_for(isa_best());
}

/* Bent and stretched by a smooth map, up to `much`. Only patches with a point within `known` of the
 * origin are wanted. */
static void felt_bend(felt* f, double much, float known) {
    const bindings* p = &f->net.points;
    for (int32_t i = 0; i < f->net.patch_count; ++i) {
        f->all[i] = i;
        f->shape.wanted[i] = 0;
    }
    for (int32_t i = 0; i < p->count; ++i) {
        double x = (double)p->rest[0][i], y = (double)p->rest[1][i], z = (double)p->rest[2][i];
        lim_vec3 at = v3((float)(x + much * 0.3 * y * y),
                         (float)(y * (1.0 + 0.3 * much) - much * 0.2 * x * z),
                         (float)(z + much * 0.25 * x * y));
        f->shape.at[0][i] = at.x;
        f->shape.at[1][i] = at.y;
        f->shape.at[2][i] = at.z;
        f->shape.wanted[f->net.point_patch[i]] |= v3_length(at) < known;
    }
    for (int32_t i = p->count; i % 8 != 0; ++i) {
        for (int k = 0; k < 3; ++k) {
            f->shape.at[k][i] = f->shape.at[k][p->count - 1];
        }
    }
    surface_shape_place(&f->shape, best_kernels());
    surface_shape_update(&f->shape, best_kernels());
}

/* All patches that a box may meet, as groups << 8 with bits. */
static int32_t list_patches(const felt* f, const felt_kernels* by, felt_asker asker, int32_t* out) {
    int32_t count = by->groups(&f->shape.tree, &asker, out);
    for (int32_t k = 0; k < count; ++k) {
        out[k] = out[k] << 8 | 1;
    }
    return by->patches(&f->shape.tree, &asker, out, count, 0, out);
}

static felt_asker anybody(surface_box box) {
    return (felt_asker){.box = box, .bare = box, .cone = SURFACE_ANY, .reach = SURFACE_ANY};
}

/* The nearest place, among all patches or those near a place. */
static surface_hit felt_nearest(felt* f, surface_query q, bool by_boxes) {
    lim_vec3 wide = v3(q.reach + 0.3f, q.reach + 0.3f, q.reach + 0.3f);
    surface_box box = {v3_sub(q.at, wide), v3_add(q.at, wide)};
    int32_t list[512], count = 0, listed = list_patches(f, best_kernels(), anybody(box), list);
    for (int32_t k = 0; k < 8 * listed && by_boxes; ++k) {
        if ((list[k / 8] >> k % 8 & 1) != 0) {
            f->all[count++] = 8 * (list[k / 8] >> 8) + k % 8;
        }
    }
    for (int32_t i = 0; i < f->net.patch_count && !by_boxes; ++i) {
        if (f->shape.wanted[i]) {
            f->all[count++] = i;
        }
    }
    q.patch = f->all;
    q.patch_count = count;
    surface_sight sight = surface_see(&f->shape, &q);
    return sight.point < 0 ? (surface_hit){.triangle = -1}
                           : surface_nearest(&f->shape, &q, sight.point, best_kernels());
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

static void check_shape(const shape* s, double much, int32_t points_per_node) {
    felt f = {0};
    felt_make(&f, s, points_per_node);
    felt_bend(&f, much, 10.0f);
    CHECK(f.net.open_share == 0.0f);
    random_stream r = random_seed(5);
    int wrong_side = 0, farther = 0, asked = 0;
    for (int k = 0; k < 2000; ++k) {
        lim_vec3 at = v3(random_range(&r, -0.8f, 0.8f), random_range(&r, -0.8f, 0.8f),
                         random_range(&r, -0.8f, 0.8f));
        surface_query q = {.at = at, .reach = 0.3f, .deep = 0.3f};
        surface_hit hit = felt_nearest(&f, q, k % 2 == 0);
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
        check_shape(&ball, bent, 1);
        check_shape(&ring, bent, 5);
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
    felt_make(&f, &fine, 3);
    felt_bend(&f, 0.0, 10.0f);
    CHECK(f.net.open_share == 0.0f); /* no cracks */
    random_stream r = random_seed(7);
    for (int k = 0; k < 500; ++k) {
        lim_vec3 at = v3(random_range(&r, -0.45f, 0.45f), random_range(&r, -0.049f, 0.049f),
                         random_range(&r, -0.45f, 0.45f));
        float up = k % 2 == 0 ? 1.0f : -1.0f;
        surface_query q = {.at = at, .look = v3(0, -up, 0), .reach = 0.2f, .deep = 0.2f};
        surface_hit hit = felt_nearest(&f, q, true);
        CHECK(hit.triangle >= 0 && up * hit.normal.y > 0.999f);
        CHECK_NEAR((double)hit.gap, (double)(up * at.y - 0.05f), 1e-5);
    }
    /* Beyond the rim and below the face there is nothing of it. */
    surface_query beside = {
        .at = v3(0.55f, 0.0f, 0.0f), .look = v3(0, -1, 0), .reach = 0.2f, .deep = 0.2f};
    CHECK(felt_nearest(&f, beside, false).triangle < 0);
    arena_release(&f.mem);
    arena_release(&a);
    shape_free(&s);
    shape_free(&fine);
}

/* A part of the surface alone, wanted: what lies well within it is found as in the whole. */
static void parts_are_as_the_whole(void) {
    shape ring = {0};
    shape_torus(&ring, 0.4, 0.15, 64, 32);
    felt whole = {0}, part = {0};
    felt_make(&whole, &ring, 4);
    felt_make(&part, &ring, 4);
    felt_bend(&whole, 0.5, 10.0f);
    felt_bend(&part, 0.5, 0.5f);
    int32_t left = 0, asked = 0;
    for (int32_t i = 0; i < part.net.patch_count; ++i) {
        left += !part.shape.wanted[i];
    }
    CHECK(left > part.net.patch_count / 8 && left < part.net.patch_count);
    random_stream r = random_seed(9);
    for (int k = 0; k < 1000; ++k) {
        lim_vec3 at = v3(random_range(&r, -0.35f, 0.35f), random_range(&r, -0.2f, 0.2f),
                         random_range(&r, -0.35f, 0.35f));
        surface_query q = {.at = at, .reach = 0.05f, .deep = 0.05f};
        if (v3_length(at) > 0.4f) {
            continue;
        }
        surface_hit a = felt_nearest(&whole, q, true), b = felt_nearest(&part, q, true);
        CHECK(a.triangle == b.triangle);
        asked += a.triangle >= 0;
        CHECK(a.triangle < 0 || a.gap == b.gap);
    }
    CHECK(asked > 50);
    arena_release(&whole.mem);
    arena_release(&part.mem);
    shape_free(&ring);
}

/* Normals of wanted points are the sums over their triangles, by triangles and by points. */
static void normals_are_sums(void) {
    shape ring = {0};
    shape_torus(&ring, 0.4, 0.15, 48, 24);
    for (int k = 0; k < 2; ++k) {
        felt f = {0};
        felt_make(&f, &ring, 4);
        felt_bend(&f, 0.5, k == 0 ? 10.0f : 0.35f);
        int32_t placed = 0;
        for (int32_t i = 0; i < f.net.points.count; ++i) {
            lim_vec3 sum = v3(0, 0, 0);
            for (int32_t t = 0; t < f.net.triangle_count; ++t) {
                const int32_t* c = f.net.corner + 3 * t;
                bool all = c[0] == i || c[1] == i || c[2] == i;
                lim_vec3 at[3];
                for (int j = 0; j < 3; ++j) {
                    at[j] = v3(f.shape.at[0][c[j]], f.shape.at[1][c[j]], f.shape.at[2][c[j]]);
                }
                lim_vec3 cross = v3_cross(v3_sub(at[1], at[0]), v3_sub(at[2], at[0]));
                sum = all ? v3_add(sum, cross) : sum;
            }
            if (f.shape.wanted[f.net.point_patch[i]]) {
                lim_vec3 n = v3_unit(sum, v3(0, 0, 0));
                CHECK(memcmp(&n, &f.shape.normal[i], sizeof n) == 0);
                placed++;
            }
        }
        CHECK(k == 0 ? placed == f.net.points.count
                     : placed > 20 && placed < f.net.points.count / 3);
        arena_release(&f.mem);
    }
    shape_free(&ring);
}

/* The point that a first look finds is the nearest of those that count, whatever boxes say. */
static void sights_are_nearest(void) {
    shape ring = {0};
    shape_torus(&ring, 0.4, 0.15, 48, 24);
    felt f = {0};
    felt_make(&f, &ring, 3);
    felt_bend(&f, 0.5, 10.0f);
    random_stream r = random_seed(13);
    int found = 0;
    for (int k = 0; k < 1000; ++k) {
        lim_vec3 at = v3(random_range(&r, -0.6f, 0.6f), random_range(&r, -0.3f, 0.3f),
                         random_range(&r, -0.6f, 0.6f));
        /* So deep and far that only the distance decides. */
        surface_query q = {.at = at,
                           .reach = 2.0f,
                           .deep = 2.0f,
                           .patch = f.all,
                           .patch_count = f.net.patch_count};
        surface_sight sight = surface_see(&f.shape, &q);
        float least = HUGE_VALF;
        for (int32_t i = 0; i < f.net.points.count; ++i) {
            lim_vec3 away = v3_sub(v3(f.shape.at[0][i], f.shape.at[1][i], f.shape.at[2][i]), at);
            least = fminf(least, v3_dot(away, away));
        }
        CHECK(sight.point >= 0);
        int32_t i = sight.point < 0 ? 0 : sight.point;
        lim_vec3 away = v3_sub(v3(f.shape.at[0][i], f.shape.at[1][i], f.shape.at[2][i]), at);
        CHECK(v3_dot(away, away) == least);
        found += sight.point >= 0;
    }
    CHECK(found == 1000);
    arena_release(&f.mem);
    shape_free(&ring);
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

/* Eight at a time, on every instruction set: what they see is what the slow way sees. */
static void wide_looks_are_slow_ones(void) {
    shape ring = {0};
    shape_torus(&ring, 0.4, 0.15, 48, 24);
    felt f = {0};
    felt_make(&f, &ring, 3);
    felt_bend(&f, 0.5, 10.0f);
    random_stream r = random_seed(17);
    int32_t list[512], found = 0, none = 0;
    for (int round = 0; round < 200; ++round) {
        felt_eyes eyes;
        surface_query q[8];
        lim_vec3 middle = v3(random_range(&r, -0.6f, 0.6f), random_range(&r, -0.3f, 0.3f),
                             random_range(&r, -0.6f, 0.6f));
        float wide = 0.2f;
        surface_box box = {v3_sub(middle, v3(wide, wide, wide)),
                           v3_add(middle, v3(wide, wide, wide))};
        int32_t count = list_patches(&f, felt_kernels_for(ISA_SCALAR), anybody(box), list), all = 0;
        for (int32_t k = 0; k < 8 * count; ++k) {
            if ((list[k / 8] >> k % 8 & 1) != 0) {
                f.all[all++] = 8 * (list[k / 8] >> 8) + k % 8;
            }
        }
        eyes.reach = 0.1f;
        for (int k = 0; k < 8; ++k) {
            q[k] = (surface_query){.reach = 0.1f, .deep = 0.1f, .patch = f.all, .patch_count = all};
            q[k].at =
                v3_add(middle, v3(random_range(&r, -0.05f, 0.05f), random_range(&r, -0.05f, 0.05f),
                                  random_range(&r, -0.05f, 0.05f)));
            q[k].sharp = k % 3 == 0;
            if (k != 5) {
                q[k].look = v3_unit(
                    v3(random_range(&r, -1, 1), random_range(&r, -1, 1), random_range(&r, -1, 1)),
                    v3(1, 0, 0));
            }
            eyes.at[0][k] = q[k].at.x;
            eyes.at[1][k] = q[k].at.y;
            eyes.at[2][k] = q[k].at.z;
            eyes.look[0][k] = q[k].look.x;
            eyes.look[1][k] = q[k].look.y;
            eyes.look[2][k] = q[k].look.z;
            eyes.against[k] = k == 5 ? 1.0f : surface_looks_against(q[k].sharp);
        }
        for (int set = 0; set < ISA_COUNT; ++set) {
            if (!isa_available((isa)set)) {
                continue;
            }
            felt_sights sights;
            float far = surface_far(&f.shape, &q[0]);
            for (int k = 0; k < 8; ++k) {
                sights.best[k] = far * far;
            }
            felt_kernels_for((isa)set)->nearest(&f.shape, &eyes, list, count, &sights);
            for (int k = 0; k < 8; ++k) {
                surface_sight slow = surface_see(&f.shape, &q[k]);
                surface_sight fast =
                    surface_sight_at(&f.shape, &q[k], (int32_t)sights.point[k], sights.best[k]);
                CHECK(slow.point == fast.point && (slow.point < 0 || slow.gap == fast.gap));
                found += slow.point >= 0;
                none += slow.point < 0;
            }
        }
    }
    CHECK(found > 500 && none > 100);
    arena_release(&f.mem);
    shape_free(&ring);
}

/* Whether a patch may meet an asker, one at a time; or a group of level 1. */
static bool may_meet(const felt* f, int32_t first, int32_t index, const felt_asker* a) {
    const surface_looks* l = &f->shape.tree.looks[first + index / 8];
    int lane = index % 8;
    lim_vec3 look = v3(l->x[lane], l->y[lane], l->z[lane]), apart = v3_sub(a->look, look);
    float left = SURFACE_FACES - a->cone - l->cone[lane];
    float low = look.x * (look.x > 0.0f ? a->bare.low.x : a->bare.high.x) +
                look.y * (look.y > 0.0f ? a->bare.low.y : a->bare.high.y) +
                look.z * (look.z > 0.0f ? a->bare.low.z : a->bare.high.z);
    surface_box box = surface_get_box(&f->shape.tree.group[first + index / 8], lane);
    return surface_boxes_meet(box, a->box) &&
           !(left > 0.0f && v3_dot(apart, apart) < left * left) && !(low > l->top[lane] + a->reach);
}

/* Groups over groups lead to no other patches than a look at all of them. */
static void wide_boxes_are_slow_ones(void) {
    shape ring = {0};
    shape_torus(&ring, 0.4, 0.15, 64, 32);
    felt f = {0};
    felt_make(&f, &ring, 2);
    felt_bend(&f, 0.5, 0.5f);
    random_stream r = random_seed(19);
    int32_t list[512], near = 0;
    for (int round = 0; round < 300; ++round) {
        lim_vec3 at = v3(random_range(&r, -0.6f, 0.6f), random_range(&r, -0.3f, 0.3f),
                         random_range(&r, -0.6f, 0.6f));
        lim_vec3 wide = v3(0.03f, 0.02f, 0.04f), more = v3(0.05f, 0.05f, 0.05f);
        felt_asker asker = {
            .bare = {v3_sub(at, wide), v3_add(at, wide)}, .cone = 0.4f, .reach = 0.02f};
        asker.box = (surface_box){v3_sub(asker.bare.low, more), v3_add(asker.bare.high, more)};
        asker.look =
            v3_unit(v3(random_range(&r, -1, 1), random_range(&r, -1, 1), random_range(&r, -1, 1)),
                    v3(1, 0, 0));
        for (int set = 0; set < ISA_COUNT; ++set) {
            if (!isa_available((isa)set)) {
                continue;
            }
            int32_t count = list_patches(&f, felt_kernels_for((isa)set), asker, list), k = 0;
            for (int32_t patch = 0; patch < f.net.patch_count; ++patch) {
                k += k < count && list[k] >> 8 < patch / 8;
                bool listed =
                    k < count && list[k] >> 8 == patch / 8 && (list[k] >> patch % 8 & 1) != 0;
                bool want = f.shape.wanted[patch] && may_meet(&f, 0, patch, &asker) &&
                            may_meet(&f, f.shape.tree.first[1], patch / 8, &asker);
                CHECK(listed == want);
                near += want;
            }
        }
    }
    CHECK(near > 1000);
    arena_release(&f.mem);
    shape_free(&ring);
}

/* Whoever is so fast that its box has no bounds finds all that is wanted, and nobody who is not. */
static void boundless_boxes_find_all(void) {
    shape ring = {0};
    shape_torus(&ring, 0.4, 0.15, 64, 32);
    felt f = {0};
    felt_make(&f, &ring, 2);
    felt_bend(&f, 0.5, 0.5f);
    surface_box none = surface_box_none();
    int32_t list[512], wanted = 0;
    for (int32_t patch = 0; patch < f.net.patch_count; ++patch) {
        wanted += f.shape.wanted[patch];
    }
    CHECK(wanted > 0 && wanted < f.net.patch_count && f.net.patch_count % 8 != 0);
    for (int set = 0; set < ISA_COUNT; ++set) {
        if (isa_available((isa)set)) {
            const felt_kernels* by = felt_kernels_for((isa)set);
            int32_t count = list_patches(&f, by, anybody((surface_box){none.high, none.low}), list);
            int32_t found = 0;
            for (int32_t k = 0; k < count; ++k) {
                CHECK(list[k] >> 8 < f.net.group_count);
                for (int i = 0; i < 8; ++i) {
                    found += list[k] >> i & 1;
                }
            }
            CHECK(found == wanted);
        }
    }
    arena_release(&f.mem);
    shape_free(&ring);
}

/* Between two boxes. */
static float distance_between(surface_box a, surface_box b) {
    lim_vec3 away = v3_max(v3_max(v3_sub(a.low, b.high), v3_sub(b.low, a.high)), v3(0, 0, 0));
    return v3_length(away);
}

/* Boxes of points, and of those of triangles, one by one; of those who are within a distance of
 * one, and of any of these who may meet an asker, each patch by itself. */
static void lists_are_slow_ones(void) {
    shape ring = {0};
    shape_torus(&ring, 0.4, 0.15, 64, 32);
    felt f = {0};
    felt_make(&f, &ring, 2);
    felt_bend(&f, 0.5, 0.5f);
    random_stream r = random_seed(29);
    int32_t groups[512], list[512], among[512], near = 0, met = 0, sets = 0;
    for (int32_t i = 0; i < f.net.group_count; ++i) {
        groups[i] = i;
    }
    for (int set = 0; set < ISA_COUNT; ++set) {
        const felt_kernels* by = felt_kernels_for((isa)set);
        sets += isa_available((isa)set);
        for (int32_t p = 0; p < f.net.patch_count && isa_available((isa)set); ++p) {
            surface_box tight, feel, slow = surface_box_none();
            by->boxes(&f.shape, p, &tight, &feel);
            for (int32_t i = f.net.patch_point[p]; i < f.net.patch_point[p + 1]; ++i) {
                lim_vec3 at = v3(f.shape.at[0][i], f.shape.at[1][i], f.shape.at[2][i]);
                slow = (surface_box){v3_min(at, slow.low), v3_max(at, slow.high)};
            }
            CHECK(memcmp(&tight, &slow, sizeof slow) == 0);
            slow = surface_box_none();
            for (int32_t k = f.net.patch_feel[p]; k < f.net.patch_feel[p + 1]; ++k) {
                int32_t i = f.net.feel[k];
                lim_vec3 at = v3(f.shape.at[0][i], f.shape.at[1][i], f.shape.at[2][i]);
                slow = (surface_box){v3_min(at, slow.low), v3_max(at, slow.high)};
            }
            CHECK(memcmp(&feel, &slow, sizeof slow) == 0);
            surface_box around;
            lim_vec3 look = f.shape.normal[f.net.patch_point[p]];
            float top = by->ring(&f.shape, p, look, &around), highest = -HUGE_VALF;
            slow = surface_box_none();
            for (int32_t k = f.net.patch_ring[p]; k < f.net.patch_ring[p + 1]; ++k) {
                int32_t i = f.net.ring[k];
                lim_vec3 at = v3(f.shape.at[0][i], f.shape.at[1][i], f.shape.at[2][i]);
                slow = (surface_box){v3_min(at, slow.low), v3_max(at, slow.high)};
                highest = v3_dot(look, at) > highest ? v3_dot(look, at) : highest;
            }
            CHECK(memcmp(&around, &slow, sizeof slow) == 0);
            CHECK(memcmp(&top, &highest, sizeof top) == 0);
        }
        for (int round = 0; round < 100 && isa_available((isa)set); ++round) {
            lim_vec3 at = v3(random_range(&r, -0.6f, 0.6f), random_range(&r, -0.3f, 0.3f),
                             random_range(&r, -0.6f, 0.6f));
            surface_box box = {v3_sub(at, v3(0.03f, 0.02f, 0.04f)), at};
            felt_asker asker = {.box = box, .bare = box, .cone = 0.4f, .reach = 0.1f};
            asker.look = v3_unit(at, v3(1, 0, 0));
            int32_t count = by->near(f.shape.tight, box, 0.1f, groups, f.net.group_count, list);
            int32_t left = by->among(&f.shape.tree, &asker, list, count, among), k = 0, j = 0;
            for (int32_t p = 0; p < f.net.patch_count; ++p) {
                k += k < count && list[k] >> 8 < p / 8;
                j += j < left && among[j] >> 8 < p / 8;
                bool listed = k < count && list[k] >> 8 == p / 8 && (list[k] >> p % 8 & 1) != 0;
                bool kept = j < left && among[j] >> 8 == p / 8 && (among[j] >> p % 8 & 1) != 0;
                float away = distance_between(surface_get_box(&f.shape.tight[p / 8], p % 8), box);
                CHECK(fabsf(away - 0.1f) < 1e-6f || listed == (away < 0.1f));
                CHECK(kept == (listed && f.shape.wanted[p] && may_meet(&f, 0, p, &asker)));
                near += listed;
                met += kept;
            }
        }
    }
    CHECK(near > 500 * sets && met > 20 * sets && met < near);
    arena_release(&f.mem);
    shape_free(&ring);
}

/* The slow way: the only triangle that has a side, if it has it the other way round. */
static int32_t across(const surface_net* net, int32_t side) {
    int32_t from = net->corner[side], to = net->corner[side % 3 == 2 ? side - 2 : side + 1];
    int32_t found = -1, count = 0;
    for (int32_t i = 0; i < 3 * net->triangle_count; ++i) {
        int32_t a = net->corner[i], b = net->corner[i % 3 == 2 ? i - 2 : i + 1];
        if (i != side && ((a == from && b == to) || (a == to && b == from))) {
            found = a == to && a != b ? i / 3 : -1;
            count++;
        }
    }
    return count == 1 ? found : -1;
}

static int32_t corners_at(const surface_net* net, int32_t triangle, int32_t point) {
    const int32_t* c = net->corner + 3 * (size_t)triangle;
    return (c[0] == point) + (c[1] == point) + (c[2] == point);
}

static void check_net(const surface_net* net) {
    int32_t open = 0, points = net->points.count;
    for (int32_t i = 0; i < 3 * net->triangle_count; ++i) {
        CHECK(net->neighbour[i] == across(net, i));
        open += net->neighbour[i] < 0;
    }
    CHECK(net->open_share == (float)open / (float)(3 * net->triangle_count));
    for (int32_t p = 0; p < points; ++p) {
        int32_t e = net->fan_offset[p];
        for (int32_t t = 0; t < net->triangle_count; ++t) {
            for (int32_t k = corners_at(net, t, p); k > 0; --k) {
                CHECK(e < net->fan_offset[p + 1] && net->fan[e++] == t);
            }
        }
        CHECK(e == net->fan_offset[p + 1]);
    }
    uint8_t* has = malloc((size_t)points);
    for (int32_t p = 0; p < net->patch_count; ++p) {
        int32_t next = net->patch_ring[p];
        memset(has, 0, (size_t)points);
        for (int32_t i = net->patch_point[p]; i < net->patch_point[p + 1]; ++i) {
            for (int32_t e = net->fan_offset[i]; e < net->fan_offset[i + 1]; ++e) {
                for (int k = 0; k < 3; ++k) {
                    int32_t point = net->corner[3 * net->fan[e] + k];
                    CHECK(has[point] || net->ring[next] == point);
                    next += !has[point];
                    has[point] = 1;
                }
            }
        }
        CHECK(next == net->patch_ring[p + 1]);
    }
    free(has);
}

/* Spheres, some of whose triangles are turned, doubled, torn off or no triangles at all; poles of
 * many triangles; and what an edit makes of them. */
static void nets_are_slow_ones(void) {
    random_stream r = random_seed(31);
    for (int round = 0; round < 12; ++round) {
        shape s = {0};
        shape_sphere(&s, 0, 0, 0, 0.5, round < 2 ? 40 : 8 + round);
        for (int32_t i = 0; i < 5 * round; ++i) {
            uint32_t* at = s.index + 3 * random_index(&r, s.triangles);
            const uint32_t* from = s.index + 3 * random_index(&r, s.triangles);
            int32_t how = random_index(&r, 4);
            uint32_t first = at[0];
            if (how == 0) {
                at[0] = at[1];
                at[1] = first;
            } else if (how == 1) {
                memcpy(at, from, 3 * sizeof *at);
            } else {
                at[0] = how == 2 ? at[1] : from[1];
            }
        }
        felt f = {0}, g = {0};
        felt_make(&f, &s, 1 + round % 4);
        check_net(&f.net);
        /* some triangles go, those behind them move up, others come: from what was known before */
        int32_t kept = 0, there = s.triangles;
        for (int32_t i = 0; i < there; ++i) {
            bool goes = random_index(&r, 12) == 0;
            memmove(s.index + 3 * kept, s.index + 3 * i, 3 * sizeof *s.index);
            kept += !goes;
        }
        s.triangles = kept + random_index(&r, there - kept + 1);
        for (int32_t i = 3 * kept; i < 3 * s.triangles; ++i) {
            s.index[i] = s.index[random_index(&r, 3 * kept)];
        }
        felt_make_from(&g, &s, 1 + round % 4, &f.net);
        check_net(&g.net);
        arena_release(&f.mem);
        arena_release(&g.mem);
        shape_free(&s);
    }
}

/* The nearest places of eight triangles against those of each in double; the same bits everywhere.
 */
static void wide_triangles_are_exact(void) {
    shape ring = {0};
    shape_torus(&ring, 0.4, 0.15, 48, 24);
    felt f = {0};
    felt_make(&f, &ring, 3);
    felt_bend(&f, 0.5, 10.0f);
    random_stream r = random_seed(23);
    for (int round = 0; round < 500; ++round) {
        int32_t triangle[8], count = 1 + random_index(&r, 8);
        for (int k = 0; k < 8; ++k) {
            triangle[k] = random_index(&r, f.net.triangle_count);
        }
        surface_query q = {.at = v3(random_range(&r, -0.6f, 0.6f), random_range(&r, -0.3f, 0.3f),
                                    random_range(&r, -0.6f, 0.6f))};
        q.look = round % 2 == 0 ? v3(0, 0, 0) : v3(0.6f, 0.0f, -0.8f);
        q.sharp = round % 3 == 0;
        felt_triangles first, other;
        unsigned bits =
            felt_kernels_for(ISA_SCALAR)->triangles(&f.shape, &q, triangle, count, &first);
        for (int32_t k = 0; k < count; ++k) {
            double w[3];
            double d =
                triangle_closest(corner_of(&f, triangle[k], 0), corner_of(&f, triangle[k], 1),
                                 corner_of(&f, triangle[k], 2), p3_of(q.at), w);
            CHECK_NEAR(sqrt((double)first.square[k]), sqrt(d), 1e-6);
            CHECK_NEAR((double)first.weight[0][k], w[1], 2e-3);
            lim_vec3 cross = v3(first.cross[0][k], first.cross[1][k], first.cross[2][k]);
            float limit = surface_looks_against(q.sharp);
            bool against = round % 2 == 0 || v3_dot(cross, q.look) < limit * v3_length(cross);
            CHECK(against == ((bits >> k & 1u) != 0));
        }
        for (int set = 1; set < ISA_COUNT; ++set) {
            if (isa_available((isa)set)) {
                unsigned same =
                    felt_kernels_for((isa)set)->triangles(&f.shape, &q, triangle, count, &other);
                CHECK(same == bits && memcmp(&first, &other, sizeof first) == 0);
            }
        }
    }
    arena_release(&f.mem);
    shape_free(&ring);
}

/* All points lie between the planes of the slabs, some on each; who is left out is farther from
 * all of them than was asked; the same bits everywhere. */
static void slabs_hold(void) {
    shape ring = {0};
    shape_torus(&ring, 0.4, 0.15, 24, 12);
    felt f = {0};
    felt_make(&f, &ring, 2);
    felt_bend(&f, 0.5, 10.0f);
    surface_slabs slabs, other;
    felt_kernels_for(ISA_SCALAR)->slabs(&f.shape, &slabs);
    for (int k = 0; k < SURFACE_AXES; ++k) {
        float low = HUGE_VALF, high = -HUGE_VALF;
        for (int32_t i = 0; i < f.net.points.count; ++i) {
            float at =
                v3_dot(surface_axis(k), v3(f.shape.at[0][i], f.shape.at[1][i], f.shape.at[2][i]));
            low = fminf(low, at);
            high = fmaxf(high, at);
        }
        CHECK(slabs.low[k] == low && slabs.high[k] == high);
        CHECK_NEAR((double)v3_length(surface_axis(k)), 1.0, 1e-6);
    }
    random_stream r = random_seed(29);
    int32_t out = 0, within = 0;
    for (int round = 0; round < 400; ++round) {
        surface_group eight;
        lim_vec3 at[8], half = v3(0.02f, 0.03f, 0.01f);
        felt_view view = {.shift = v3(0.1f, -0.2f, 0.3f), .wide = 0.05f};
        for (int k = 0; k < 8; ++k) {
            at[k] = v3(random_range(&r, -0.9f, 0.9f), random_range(&r, -0.6f, 0.6f),
                       random_range(&r, -0.9f, 0.9f));
            lim_vec3 seen = v3_add(at[k], view.shift);
            surface_set_box(&eight, k, (surface_box){v3_sub(seen, half), v3_add(seen, half)});
        }
        unsigned bits = felt_kernels_for(ISA_SCALAR)->within(&eight, &slabs, &view);
        for (int k = 0; k < 8; ++k) {
            for (int32_t i = 0; i < f.net.points.count && (bits >> k & 1u) == 0; ++i) {
                lim_vec3 away =
                    v3_sub(v3(f.shape.at[0][i], f.shape.at[1][i], f.shape.at[2][i]), at[k]);
                away = v3(fmaxf(fabsf(away.x) - half.x, 0.0f), fmaxf(fabsf(away.y) - half.y, 0.0f),
                          fmaxf(fabsf(away.z) - half.z, 0.0f));
                CHECK(v3_length(away) > 0.0499f);
            }
            out += (bits >> k & 1u) == 0;
            within += (bits >> k & 1u) != 0;
        }
        for (int set = 1; set < ISA_COUNT; ++set) {
            if (isa_available((isa)set)) {
                felt_kernels_for((isa)set)->slabs(&f.shape, &other);
                CHECK(memcmp(&slabs, &other, sizeof slabs) == 0);
                CHECK(felt_kernels_for((isa)set)->within(&eight, &slabs, &view) == bits);
            }
        }
    }
    CHECK(out > 200 && within > 200);
    arena_release(&f.mem);
    shape_free(&ring);
}

TEST_SUITE(felt_surface) {
    TEST_BEGIN(argc, argv);
    RUN(nearest_is_nearest);
    RUN(faces_meet_face_to_face);
    RUN(parts_are_as_the_whole);
    RUN(normals_are_sums);
    RUN(sights_are_nearest);
    RUN(wide_looks_are_slow_ones);
    RUN(wide_boxes_are_slow_ones);
    RUN(boundless_boxes_find_all);
    RUN(lists_are_slow_ones);
    RUN(nets_are_slow_ones);
    RUN(wide_triangles_are_exact);
    RUN(slabs_hold);
    RUN(boxes_against_all_pairs);
    TEST_END();
}
