/* SPDX-License-Identifier: MIT
 * Fracture: which links break, that blades are sound and cover just the faces between broken
 * cells, and that a solid cut along them falls into the parts that it should.
 */
#include "base/random.h"
#include "cut/cut_kit.h"
#include "edit/fracture_plan.h"
#include "failing_host.h"
#include "sample/octant.h"

enum { CELLS = 600, INNER = 9 };

/* Cells of an octree, linked where they touch. */
typedef struct crowd {
    fracture_links links;
    uint64_t key[CELLS];
    int32_t low[CELLS][3], size[CELLS];
    float limit[CELLS];
    int32_t offset[CELLS + 1];
    int32_t* node;
    float* strain;
} crowd;

static void crowd_add(crowd* c, random_stream* r, octant o, int32_t least, int32_t finest) {
    bool split = o.level < least || (o.level < finest && random_index(r, 4) == 0);
    for (int32_t k = 0; split && k < 8; ++k) {
        octant child = {o.level + 1, 2 * o.x + (k & 1), 2 * o.y + (k >> 1 & 1), 2 * o.z + (k >> 2)};
        crowd_add(c, r, child, least, finest);
    }
    if (!split && c->links.node_count < CELLS) {
        c->key[c->links.node_count++] = octant_key(o);
    }
}

/* Leaves of `least` to `finest`; all limits 1, all strains 0. */
static void crowd_make(crowd* c, uint64_t seed, int32_t least, int32_t finest) {
    random_stream r = random_seed(seed);
    *c = (crowd){.links = {.corner = p3(0.1, -0.2, 0.3), .side = ldexp(1.0, -finest)}};
    crowd_add(c, &r, (octant){0}, least, finest);
    int32_t n = c->links.node_count, count = 0;
    c->node = malloc(sizeof(int32_t) * (size_t)(n * n) + 1);
    for (int32_t i = 0; i < n; ++i) {
        octant o = octant_of(c->key[i]);
        int32_t shift = finest - o.level;
        c->size[i] = 1 << shift;
        c->low[i][0] = o.x << shift;
        c->low[i][1] = o.y << shift;
        c->low[i][2] = o.z << shift;
        c->limit[i] = 1.0f;
    }
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t j = 0; j < n; ++j) {
            bool touch = i != j;
            for (int32_t k = 0; k < 3; ++k) {
                touch = touch && c->low[i][k] <= c->low[j][k] + c->size[j] &&
                        c->low[j][k] <= c->low[i][k] + c->size[i];
            }
            if (touch) {
                c->node[count++] = j;
            }
        }
        c->offset[i + 1] = count;
    }
    c->strain = calloc((size_t)count + 1, sizeof(float));
    c->links.finest = finest;
    c->links.key = c->key;
    c->links.edge_offset = c->offset;
    c->links.edge_node = c->node;
    c->links.strain = c->strain;
    c->links.limit = c->limit;
}

static void crowd_free(crowd* c) {
    free(c->node);
    free(c->strain);
}

/* Axis of the face that two cells share, or -1; low and high corner of it. */
static int32_t shared_face(const crowd* c, int32_t i, int32_t j, int32_t low[3], int32_t high[3]) {
    int32_t axis = -1, flat = 0;
    for (int32_t k = 0; k < 3; ++k) {
        int32_t end = c->low[i][k] + c->size[i], other = c->low[j][k] + c->size[j];
        low[k] = c->low[i][k] > c->low[j][k] ? c->low[i][k] : c->low[j][k];
        high[k] = end < other ? end : other;
        axis = low[k] == high[k] ? k : axis;
        flat += low[k] >= high[k];
    }
    return flat == 1 ? axis : -1;
}

static double coordinate(lim_point p, int32_t k) {
    return k == 0 ? p.x : k == 1 ? p.y : p.z;
}

/* In finest cells from the corner of the root. */
static lim_point in_cells(const crowd* c, lim_point p) {
    return p3_scale(p3_sub(p, c->links.corner), 1.0 / c->links.side);
}

/* Twice the area of a triangle as seen along an axis. */
static double seen_area(lim_point a, lim_point b, lim_point d, int32_t axis) {
    int32_t u = (axis + 1) % 3, v = (axis + 2) % 3;
    double bu = coordinate(b, u) - coordinate(a, u), bv = coordinate(b, v) - coordinate(a, v);
    double du = coordinate(d, u) - coordinate(a, u), dv = coordinate(d, v) - coordinate(a, v);
    return bu * dv - bv * du;
}

/* Triangles of a blade over a place, as seen along an axis and not far from a plane. */
static int32_t covers(const crowd* c, const cut_blade* b, int32_t axis, double plane,
                      lim_point at) {
    int32_t found = 0;
    for (int32_t t = 0; t < b->triangle_count; ++t) {
        lim_point p[3];
        bool in = true;
        for (int k = 0; k < 3; ++k) {
            p[k] = in_cells(c, b->point[b->triangle[3 * t + k]]);
            in = in && fabs(coordinate(p[k], axis) - plane) < 0.3;
        }
        for (int k = 0; k < 3; ++k) {
            in = in && seen_area(p[k], p[(k + 1) % 3], at, axis) > 0.0;
        }
        found += in;
    }
    return found;
}

/* The axis that a blade is across of: along it its triangles show their area. */
static int32_t blade_axis(const cut_blade* b) {
    double most = 0.0;
    int32_t best = 0;
    for (int32_t axis = 0; axis < 3; ++axis) {
        double sum = 0.0;
        for (int32_t t = 0; t < b->triangle_count; ++t) {
            const int32_t* v = b->triangle + 3 * (size_t)t;
            sum += seen_area(b->point[v[0]], b->point[v[1]], b->point[v[2]], axis);
        }
        best = sum > most ? axis : best;
        most = sum > most ? sum : most;
    }
    return best;
}

/* Manifold, oriented, flat but for the bend, bent down along its border alone. */
static void check_blade(const crowd* c, const cut_blade* b) {
    int32_t n = 3 * b->triangle_count, axis = blade_axis(b);
    int32_t* borders = calloc((size_t)b->point_count, sizeof(int32_t));
    for (int32_t i = 0; i < n; ++i) {
        int32_t from = b->triangle[i], to = b->triangle[i - i % 3 + (i + 1) % 3];
        int32_t along = 0, back = 0;
        CHECK(from >= 0 && from < b->point_count);
        for (int32_t j = 0; j < n; ++j) {
            int32_t f = b->triangle[j], t = b->triangle[j - j % 3 + (j + 1) % 3];
            along += f == from && t == to;
            back += f == to && t == from;
        }
        CHECK(along == 1 && back <= 1);
        borders[from] += back == 0;
        borders[to] += back == 0;
    }
    double plane = floor(coordinate(in_cells(c, b->point[0]), axis) + 0.5);
    for (int32_t i = 0; i < b->point_count; ++i) {
        double off = coordinate(in_cells(c, b->point[i]), axis) - plane;
        CHECK(borders[i] == 0 || borders[i] == 2);
        CHECK(fabs(off) < 0.035 && (off < 0.0) == (borders[i] > 0) && fabs(off) > 0.005);
    }
    for (int32_t t = 0; t < b->triangle_count; ++t) {
        const int32_t* v = b->triangle + 3 * (size_t)t;
        CHECK(seen_area(b->point[v[0]], b->point[v[1]], b->point[v[2]], axis) > 0.0);
    }
    free(borders);
}

static bool was_broken(const fracture_plan* plan, int32_t i, int32_t j) {
    for (int32_t k = 0; k < plan->broken; ++k) {
        if (plan->link[k][0] == i && plan->link[k][1] == j) {
            return true;
        }
    }
    return false;
}

/* Faces of broken links are covered once, others not at all. */
static void check_cover(const crowd* c, const fracture_plan* plan, random_stream* r) {
    for (int32_t i = 0; i < c->links.node_count; ++i) {
        for (int32_t e = c->offset[i]; e < c->offset[i + 1]; ++e) {
            int32_t j = c->node[e], low[3], high[3], found = 0;
            int32_t axis = shared_face(c, i, j, low, high);
            if (j < i || axis < 0) {
                continue;
            }
            bool broken = was_broken(plan, i, j);
            double share[3];
            for (int k = 0; k < 3; ++k) {
                share[k] = broken ? (double)random_range(r, 0.01f, 0.99f) : 0.5;
                share[k] = low[k] + share[k] * (high[k] - low[k]) + 1e-7 * k;
            }
            lim_point at = p3(share[0], share[1], share[2]);
            for (int32_t k = 0; k < plan->blade_count; ++k) {
                if (blade_axis(&plan->blade[k]) == axis) {
                    found += covers(c, &plan->blade[k], axis, low[axis], at);
                }
            }
            CHECK(found == broken);
        }
    }
}

/* The blades of one axis can cut as one: no point of one lies on another. */
static void check_apart(const crowd* c, const fracture_plan* plan, int32_t which) {
    int32_t axis = plan->blade_axis[which];
    const cut_blade* b = &plan->blade[which];
    CHECK(axis == blade_axis(b));
    for (int32_t k = 0; k < plan->blade_count; ++k) {
        for (int32_t i = 0; i < b->point_count && k != which; ++i) {
            lim_point at = in_cells(c, b->point[i]);
            CHECK(plan->blade_axis[k] != axis ||
                  covers(c, &plan->blade[k], axis, coordinate(at, axis), at) == 0);
        }
    }
}

static lim_result plan_of(arena* a, const crowd* c, int32_t most, fracture_plan* plan) {
    return fracture_plan_make(a, &c->links, most, 7, plan);
}

static void blades_are_sound_and_cover_the_faces(void) {
    int32_t blades = 0, joined = 0;
    for (uint64_t round = 0; round < 12; ++round) {
        crowd c;
        crowd_make(&c, round, 1 + (int32_t)(round % 2), 3);
        random_stream r = random_seed(50 + round);
        for (int32_t i = 0; i < c.links.node_count; ++i) {
            c.limit[i] = random_range(&r, 0.5f, 1.5f);
            c.limit[i] = random_index(&r, 30) == 0 ? INFINITY : c.limit[i];
            for (int32_t e = c.offset[i]; e < c.offset[i + 1]; ++e) {
                c.strain[e] = random_unit(&r) * (round % 3 == 0 ? 2.0f : 0.8f);
            }
        }
        arena a;
        arena_init(&a, NULL);
        fracture_plan plan;
        CHECK(plan_of(&a, &c, round % 4 == 0 ? 40 : 0, &plan) == LIM_OK);
        CHECK(plan.broken > 0 && plan.blade_count > 0);
        for (int32_t k = 0; k < plan.blade_count; ++k) {
            check_blade(&c, &plan.blade[k]);
            check_apart(&c, &plan, k);
            joined += plan.blade[k].triangle_count > 18;
        }
        check_cover(&c, &plan, &r);
        blades += plan.blade_count;
        arena_release(&a);
        crowd_free(&c);
    }
    CHECK(blades > 100 && joined > 30);
}

/* Against all pairs: who is over the limit, and the worst of them. */
static void the_worst_links_break_first(void) {
    crowd c;
    crowd_make(&c, 3, 2, 3);
    random_stream r = random_seed(4);
    for (int32_t i = 0; i < c.links.node_count; ++i) {
        c.limit[i] = i % 5 == 0 ? 0.5f : 1.0f;
        for (int32_t e = c.offset[i]; e < c.offset[i + 1]; ++e) {
            c.strain[e] = 0.25f * (float)random_index(&r, 8);
        }
    }
    arena a;
    arena_init(&a, NULL);
    fracture_plan all, few;
    CHECK(plan_of(&a, &c, 0, &all) == LIM_OK && all.waiting == 0);
    int32_t expected = 0;
    for (int32_t i = 0; i < c.links.node_count; ++i) {
        for (int32_t e = c.offset[i]; e < c.offset[i + 1]; ++e) {
            int32_t j = c.node[e], low[3], high[3];
            bool over = j > i && c.strain[e] > fminf(c.limit[i], c.limit[j]) &&
                        shared_face(&c, i, j, low, high) >= 0;
            expected += over;
            CHECK(was_broken(&all, i, j) == over);
        }
    }
    CHECK(all.broken == expected && expected > 100);
    for (int32_t most = 1; most < all.broken; most += 37) {
        CHECK(plan_of(&a, &c, most, &few) == LIM_OK);
        CHECK(few.broken == most && few.waiting == all.broken - most);
        CHECK(memcmp(few.link, all.link, (size_t)most * sizeof *few.link) == 0);
    }
    double before = HUGE_VAL;
    for (int32_t k = 0; k < all.broken; ++k) {
        int32_t i = all.link[k][0], j = all.link[k][1], e = c.offset[i];
        while (c.node[e] != j) {
            e++;
        }
        double over = (double)(c.strain[e] / fminf(c.limit[i], c.limit[j]));
        CHECK(over <= before && over > 1.0);
        before = over;
    }
    /* Nothing over its limit: nothing breaks. */
    memset(c.strain, 0, (size_t)c.offset[c.links.node_count] * sizeof(float));
    CHECK(plan_of(&a, &c, 0, &all) == LIM_OK && all.broken == 0 && all.blade_count == 0);
    arena_release(&a);
    crowd_free(&c);
}

/* ---- a box that is cut along the blades ---- */

static lim_result cut_once(solid* s, const cut_blade* b, uint64_t stroke, int32_t* parts) {
    arena a;
    arena_init(&a, NULL);
    cut_surface surface = solid_surface(s);
    cut_options options = {.stroke = stroke, .inner_submesh = INNER};
    cut_result r;
    cut_whole whole;
    lim_result result = cut_surface_along(&a, &surface, b, &options, &r);
    result = result == LIM_OK ? cut_apply(&a, &surface, &r, &whole) : result;
    if (result == LIM_OK) {
        solid after = {kit_copy(whole.point, (size_t)whole.point_count, sizeof(lim_point)),
                       kit_copy(whole.triangle, 3 * (size_t)whole.triangle_count, sizeof(int32_t)),
                       kit_copy(whole.submesh, (size_t)whole.triangle_count, sizeof(int32_t)),
                       whole.point_count, whole.triangle_count};
        CHECK(kit_closed(after.triangle, after.triangles));
        solid_free(s);
        *s = after;
        *parts = whole.part_count;
    }
    arena_release(&a);
    return result;
}

/* Breaks all links between cells of different `side` in steps of at most `most`; returns into how
 * many parts a box about the cells falls. */
static int32_t break_box(crowd* c, const int32_t* side, int32_t most, double inset,
                         int32_t* refused, double* volume) {
    shape box = {0};
    lim_point o = c->links.corner;
    shape_box(&box, o.x + inset, o.y + inset, o.z + inset, o.x + 1.0 - inset, o.y + 1.0 - inset,
              o.z + 1.0 - inset);
    solid s = solid_of(&box);
    shape_free(&box);
    random_stream r = random_seed(9);
    int32_t parts = 1, n = c->links.node_count;
    uint64_t step = 1;
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t e = c->offset[i]; e < c->offset[i + 1]; ++e) {
            bool between = side[i] != side[c->node[e]];
            c->strain[e] = between ? 1.1f + random_unit(&r) : 0.0f;
        }
    }
    for (bool again = true; again; ++step) {
        arena a;
        arena_init(&a, NULL);
        fracture_plan plan;
        CHECK(fracture_plan_make(&a, &c->links, most, step, &plan) == LIM_OK);
        for (int32_t k = 0; k < plan.blade_count; ++k) {
            *refused += cut_once(&s, &plan.blade[k], step * 1000 + (uint64_t)k, &parts) != LIM_OK;
        }
        for (int32_t k = 0; k < plan.broken; ++k) {
            int32_t i = plan.link[k][0];
            for (int32_t e = c->offset[i]; e < c->offset[i + 1]; ++e) {
                c->strain[e] = c->node[e] == plan.link[k][1] ? 0.0f : c->strain[e];
            }
        }
        again = plan.waiting > 0;
        arena_release(&a);
    }
    arena a;
    arena_init(&a, NULL);
    int32_t* part = malloc((size_t)s.triangles * sizeof(int32_t) + 1);
    CHECK(cut_parts(&a, s.points, s.triangle, s.triangles, part, &parts) == LIM_OK);
    /* Crumbs are small; one edit alone makes none. */
    cut_surface surface = solid_surface(&s);
    uint8_t* crumb = NULL;
    int32_t crumbs = 0, marked = 0, solids = 0;
    double cell = pow(c->links.side, 3.0);
    CHECK(fracture_find_crumbs(&a, &surface, part, parts, INNER, c->links.side, &crumb, &crumbs) ==
          LIM_OK);
    for (int32_t k = 0; k < parts; ++k) {
        double v = solid_volume(s.point, s.triangle, s.triangles, part, k);
        marked += crumb[k];
        CHECK(!crumb[k] || fabs(v) < 1e-3 * cell);
        if (!crumb[k] && v > 1e-12 * cell && solids < 64) { /* else it is a hollow */
            volume[solids++] = v;
        }
    }
    CHECK(marked == crumbs && (crumbs == 0 || most > 0));
    free(part);
    arena_release(&a);
    solid_free(&s);
    return solids;
}

static void halves_and_corners_come_off(void) {
    for (int which = 0; which < 6; ++which) {
        crowd c;
        int32_t side[CELLS], refused = 0;
        double volume[64];
        crowd_make(&c, 0, 2, 2);
        for (int32_t i = 0; i < c.links.node_count; ++i) {
            const int32_t* at = c.low[i];
            side[i] = which % 2 == 0 ? at[0] < 2 : at[0] < 2 && at[1] < 2 && at[2] < 2;
        }
        /* all at once; in steps that go on from what was there before; by a box whose faces lie
         * outside, on and inside of those of the cells */
        int32_t most = which < 2 ? 0 : 3;
        double inset = which == 5 || which == 4 ? 0.0 : 0.04;
        int32_t parts = break_box(&c, side, most, inset, &refused, volume);
        CHECK(refused == 0 && parts == 2);
        double least = fmin(volume[0], volume[1]), all = pow(1.0 - 2.0 * inset, 3.0);
        double expected = which % 2 == 0 ? 0.5 * all : pow(0.5 - inset, 3.0);
        CHECK_NEAR(least / expected, 1.0, 0.05);
        CHECK_NEAR(volume[0] + volume[1], all, 1e-4);
        crowd_free(&c);
    }
}

/* Cells grown from a seed on one side: as many parts as the cells hang together over faces. */
static void random_lumps_come_off(void) {
    int32_t refused = 0, wrong = 0, rounds = test_long ? 3000 : 100;
    for (int32_t round = 0; round < rounds; ++round) {
        crowd c;
        int32_t side[CELLS] = {0}, set[CELLS], expected = 0;
        double volume[64];
        crowd_make(&c, (uint64_t)round, 1 + round / 2 % 2, 2 + round / 4 % 2);
        random_stream r = random_seed(500 + (uint64_t)round);
        int32_t n = c.links.node_count;
        side[random_index(&r, n)] = 1;
        for (int32_t grown = random_index(&r, n / 2); grown > 0; --grown) {
            int32_t i = random_index(&r, n), low[3], high[3];
            for (int32_t e = c.offset[i]; side[i] && e < c.offset[i + 1]; ++e) {
                if (random_index(&r, 4) == 0 && shared_face(&c, i, c.node[e], low, high) >= 0) {
                    side[c.node[e]] = 1;
                }
            }
        }
        for (int32_t i = 0; i < n; ++i) {
            set[i] = i;
        }
        for (bool again = true; again;) {
            again = false;
            for (int32_t i = 0; i < n; ++i) {
                for (int32_t e = c.offset[i]; e < c.offset[i + 1]; ++e) {
                    int32_t j = c.node[e], low[3], high[3];
                    if (side[i] == side[j] && set[j] < set[i] &&
                        shared_face(&c, i, j, low, high) >= 0) {
                        set[i] = set[j];
                        again = true;
                    }
                }
            }
        }
        for (int32_t i = 0; i < n; ++i) {
            expected += set[i] == i;
        }
        int32_t most = round % 2 == 0 ? 0 : 5;
        int32_t parts = break_box(&c, side, most, 0.03, &refused, volume);
        wrong += parts != expected;
        if (parts != expected) {
            printf("  round %d: %d parts, %d expected, refused %d\n", round, parts, expected,
                   refused);
        }
        crowd_free(&c);
    }
    CHECK(refused == 0 && wrong == 0);
}

/* A slit inside is no crumb, nor is a small part of its own that nobody has cut. */
static void only_crumbs_are_crumbs(void) {
    shape two = {0};
    shape_box(&two, 0, 0, 0, 1, 1, 1);
    shape_box(&two, 2, 0, 0, 2.01, 0.01, 0.01);
    solid s = solid_of(&two);
    shape_free(&two);
    crowd c;
    crowd_make(&c, 0, 2, 2);
    c.links.corner = p3(0, 0, 0);
    for (int32_t i = 0; i < c.links.node_count; ++i) {
        for (int32_t e = c.offset[i]; e < c.offset[i + 1]; ++e) {
            const int32_t *p = c.low[i], *q = c.low[c.node[e]];
            bool inside = p[1] == 1 && q[1] == 1 && p[2] == 1 && q[2] == 1;
            c.strain[e] = inside && p[0] + q[0] == 3 ? 2.0f : 0.0f;
        }
    }
    arena a;
    arena_init(&a, NULL);
    fracture_plan plan;
    int32_t parts = 0, crumbs = 0, part[4000];
    uint8_t* crumb = NULL;
    CHECK(plan_of(&a, &c, 0, &plan) == LIM_OK && plan.blade_count == 1);
    CHECK(cut_once(&s, &plan.blade[0], 1, &parts) == LIM_OK && parts == 3 && s.triangles < 4000);
    CHECK(cut_parts(&a, s.points, s.triangle, s.triangles, part, &parts) == LIM_OK);
    cut_surface surface = solid_surface(&s);
    CHECK(fracture_find_crumbs(&a, &surface, part, parts, INNER, 0.25, &crumb, &crumbs) == LIM_OK);
    CHECK(parts == 3 && crumbs == 0);
    /* The same small box as what cuts have left. */
    for (int32_t t = 0; t < s.triangles; ++t) {
        s.submesh[t] = s.point[s.triangle[3 * t]].x > 1.5 ? INNER : s.submesh[t];
    }
    CHECK(fracture_find_crumbs(&a, &surface, part, parts, INNER, 0.25, &crumb, &crumbs) == LIM_OK);
    CHECK(crumbs == 1);
    arena_release(&a);
    solid_free(&s);
    crowd_free(&c);
}

static void bad_input_and_memory(void) {
    crowd c;
    crowd_make(&c, 3, 2, 2);
    for (int32_t i = 0; i < c.links.node_count; ++i) {
        for (int32_t e = c.offset[i]; e < c.offset[i + 1]; ++e) {
            c.strain[e] = (c.low[i][1] < 2) != (c.low[c.node[e]][1] < 2) ? 3.0f : 0.0f;
        }
    }
    fracture_plan plan;
    for (int k = 0; k < 7; ++k) {
        arena a;
        arena_init(&a, NULL);
        fracture_links links = c.links;
        c.limit[5] = k == 0 ? 0.0f : k == 1 ? NAN : 1.0f;
        float kept = c.strain[0];
        c.strain[0] = k == 2 ? NAN : k == 3 ? -1.0f : kept;
        links.side = k == 4 ? 0.0 : links.side;
        links.finest = k == 5 ? 1 : links.finest;
        int32_t most = k == 6 ? -1 : 0;
        CHECK(fracture_plan_make(&a, &links, most, 1, &plan) == LIM_ERROR_ARGUMENT);
        CHECK(plan.broken == 0 && plan.blade_count == 0);
        c.strain[0] = kept;
        c.limit[5] = 1.0f;
        arena_release(&a);
    }
    bool finished = false;
    for (int64_t n = 0; !finished && n < 200; ++n) {
        failing_host f;
        failing_host_arm(&f, n);
        arena a;
        arena_init(&a, &f.host);
        lim_result result = fracture_plan_make(&a, &c.links, 0, 1, &plan);
        finished = result == LIM_OK;
        CHECK(finished ? plan.blade_count == 1
                       : result == LIM_ERROR_MEMORY && plan.blade_count == 0 && plan.broken == 0);
        arena_release(&a);
        CHECK(f.held == 0);
    }
    CHECK(finished);
    crowd_free(&c);
}

TEST_SUITE(fracture_plan) {
    TEST_BEGIN(argc, argv);
    RUN(blades_are_sound_and_cover_the_faces);
    RUN(the_worst_links_break_first);
    RUN(halves_and_corners_come_off);
    RUN(random_lumps_come_off);
    RUN(only_crumbs_are_crumbs);
    RUN(bad_input_and_memory);
    TEST_END();
}
