/* SPDX-License-Identifier: MIT
 * What a place sees past triangles, against asking each triangle exactly: triangles anywhere, on
 * the grid, without an area, twice with their backs to each other; places on their planes, on their
 * sides, and next to them by less than rounding can tell.
 */
#include "base/random.h"
#include "edit/agree_see.h"
#include "math/predicates.h"
#include "test.h"

enum { TRIANGLES = 120, PLACES = 200, ASKED = 20 };

typedef struct fixture {
    lim_point point[3 * TRIANGLES];
    int32_t triangle[3 * TRIANGLES];
    grid_blade blade;
} fixture;

static lim_point anywhere(random_stream* r, double about, float reach) {
    return p3(about + (double)random_range(r, -reach, reach),
              about + (double)random_range(r, -reach, reach),
              about + (double)random_range(r, -reach, reach));
}

static lim_point on_grid(lim_point p) {
    return p3((double)(int32_t)p.x, (double)(int32_t)p.y, (double)(int32_t)p.z);
}

/* Every third lies on the grid, some have no area, and some are the back of the one before. */
static void make(fixture* f, random_stream* r, double about) {
    for (int32_t t = 0; t < TRIANGLES; ++t) {
        lim_point* p = f->point + 3 * t;
        lim_point middle = anywhere(r, about, 10.0f);
        for (int k = 0; k < 3; ++k) {
            p[k] = grid_round(p3_add(middle, anywhere(r, 0.0, 3.0f)));
            p[k] = t % 3 == 0 ? on_grid(p[k]) : p[k];
        }
        p[2] = t % 17 == 0 ? p[1] : p[2];
        for (int k = 0; k < 3 && t % 5 == 4; ++k) {
            p[k] = (p - 3)[(3 + t - k) % 3];
        }
        for (int k = 0; k < 3; ++k) {
            f->triangle[3 * t + k] = 3 * t + k;
        }
    }
    f->blade = (grid_blade){TRIANGLES, f->point, f->triangle};
}

/* Anywhere; or on a triangle, on a side of it, or next to it by the least there is. */
static lim_point place(const fixture* f, random_stream* r, double about) {
    const lim_point* p = f->point + 3 * random_index(r, TRIANGLES);
    int kind = (int)random_index(r, 4);
    if (kind == 0) {
        return grid_round(anywhere(r, about, 12.0f));
    }
    lim_point at = p3_mad(p[0], p3_sub(p[1], p[0]), 0.25 * (1 + (double)random_index(r, 3)));
    at = kind > 1 ? p3_mad(at, p3_sub(p[2], at), 0.5) : at;
    return grid_round(kind > 2 ? p3_add(at, p3(0x1p-28, -0x1p-28, 0)) : at);
}

/* Sign of the first component of u x v that is not 0. */
static int first_sign(lim_point u, lim_point v) {
    const double zero[2] = {0.0, 0.0};
    const double a[3][2] = {{u.y, u.z}, {u.z, u.x}, {u.x, u.y}};
    const double b[3][2] = {{v.y, v.z}, {v.z, v.x}, {v.x, v.y}};
    int sign = 0;
    for (int k = 0; k < 3 && sign == 0; ++k) {
        sign = orient2d(zero, a[k], b[k]);
    }
    return sign;
}

/* All signs, each exact, with the triangle moved aside by less than anything. */
static bool crosses(const lim_point t[3], lim_point p, lim_point q) {
    int tie = first_sign(p3_sub(t[1], t[0]), p3_sub(t[2], t[0])), sum = 0;
    int s = orient3d(t[0], t[1], t[2], p), e = orient3d(t[0], t[1], t[2], q);
    for (int k = 0; k < 3; ++k) {
        int side = orient3d(p, q, t[k], t[(k + 1) % 3]);
        sum += side != 0 ? side : -first_sign(p3_sub(t[(k + 1) % 3], t[k]), p3_sub(q, p));
    }
    return tie != 0 && (s != 0 ? s : tie) != (e != 0 ? e : tie) && (sum == 3 || sum == -3);
}

/* Whether any triangle is between, one after the other. */
static bool is_cut(const fixture* f, lim_point from, lim_point to) {
    bool cut = false;
    for (int32_t t = 0; t < TRIANGLES; ++t) {
        cut = cut || crosses(f->point + 3 * t, from, to);
    }
    return cut;
}

static int32_t ask(const fixture* f, random_stream* r, see_place* v, lim_point from, double reach) {
    int32_t wrong = 0;
    for (int i = 0; i < ASKED; ++i) {
        lim_point to = i % 2 == 0 ? on_grid(p3_add(from, anywhere(r, 0.0, 3.0f)))
                                  : grid_round(p3_mad(from, anywhere(r, 0.0, 1.0f), 0.05));
        to = p3_max(p3_min(to, p3_add(from, p3(reach, reach, reach))),
                    p3_sub(from, p3(reach, reach, reach)));
        to = grid_round(to);
        bool cut = is_cut(f, from, to);
        wrong += see_clear(v, to) == cut || grid_segment_is_cut(&f->blade, from, to) != cut;
    }
    return wrong;
}

static void sees_what_no_triangle_hides(void) {
    random_stream r = random_seed(7);
    int32_t wrong = 0, hidden = 0, seen = 0;
    for (int round = 0; round < 8; ++round) {
        fixture f;
        see_screen screen;
        see_place v;
        arena a;
        double about = round % 2 == 0 ? 0.0 : 5000.0 * round;
        arena_init(&a, NULL);
        make(&f, &r, about);
        CHECK(see_screen_make(&a, &f.blade, &screen) == LIM_OK);
        CHECK(see_make(&a, &screen, &v) == LIM_OK);
        CHECK(screen.count[0] < TRIANGLES && screen.count[0] > TRIANGLES / 2);
        for (int i = 0; i < PLACES; ++i) {
            lim_point from = place(&f, &r, about);
            const lim_point wide = {8, 8, 8}, near = {4, 4, 4};
            see_gather(&v, &screen, p3_sub(from, near), p3_add(from, near));
            see_stand(&v, from);
            wrong += ask(&f, &r, &v, from, 3.9);
            /* the same of what was kept of a wider one */
            see_list list;
            int32_t count = v.list.count;
            see_gather(&v, &screen, p3_sub(from, wide), p3_add(from, wide));
            CHECK(see_keep(&a, &v, &list) == LIM_OK);
            see_choose(&v, &list, p3_sub(from, near), p3_add(from, near));
            see_stand(&v, from);
            CHECK(v.list.count == count);
            wrong += ask(&f, &r, &v, from, 3.9);
            lim_point to = on_grid(p3_add(from, anywhere(&r, 0.0, 3.0f)));
            hidden += is_cut(&f, from, to);
            seen += !is_cut(&f, from, to);
        }
        arena_release(&a);
    }
    printf("     %d seen, %d hidden, %d answers wrong\n", seen, hidden, wrong);
    CHECK(wrong == 0);
    CHECK(seen > 800 && hidden > 400);
}

static void nothing_hides_where_nothing_is(void) {
    grid_blade none = {0, NULL, NULL};
    see_screen screen;
    see_place v;
    arena a;
    arena_init(&a, NULL);
    CHECK(see_screen_make(&a, &none, &screen) == LIM_OK && see_make(&a, &screen, &v) == LIM_OK);
    see_gather(&v, &screen, p3(-1, -1, -1), p3(1, 1, 1));
    see_stand(&v, p3(0, 0, 0));
    CHECK(see_clear(&v, p3(1, 0, 0)));
    arena_release(&a);
}

TEST_SUITE(agree_see) {
    TEST_BEGIN(argc, argv);
    RUN(sees_what_no_triangle_hides);
    RUN(nothing_hides_where_nothing_is);
    TEST_END();
}
