/* SPDX-License-Identifier: MIT
 * Level of detail against the plainest way, over random material, wishes and limits.
 */
#include "levels_oracle.h"

enum { SHAPES = 7 };

/* Some hundred fragments: solid, thin, with gaps, with glue inside of cells, with several parts. */
static void matter_of(int which, finest_kit* k) {
    shape s = {0};
    random_stream r = random_seed(77);
    lim_model_desc soup = {0};
    double side = 0.1;
    bool solid = true;
    switch (which % SHAPES) {
    case 0:
        shape_sphere(&s, 0, 0, 0, 1, 12);
        break;
    case 1:
        shape_torus(&s, 1.0, 0.3, 24, 10);
        side = 0.06;
        break;
    case 2:
        shape_fingers(&s, 0.37, 0.06);
        side = 0.07;
        break;
    case 3:
        shape_sheet(&s, 12, 0.4);
        solid = false;
        side = 0.05;
        break;
    case 4:
        while (!random_soup(&r, 8, &s, &soup)) {
        }
        side = 0.09;
        break;
    case 5:
        shape_box(&s, 0, 0, 0, 1, 0.3, 0.2);
        shape_box(&s, 0, 0.31, 0, 1, 0.5, 0.2);
        side = 0.05;
        break;
    default:
        shape_box(&s, 0, 0, 0, 1, 1, 1);
        side = 1.0; /* one cell */
        break;
    }
    lim_mesh* mesh = shape_mesh(&s);
    finest_make(k, mesh, side, 3, which % 2 == 0, solid);
    lim_mesh_destroy(mesh);
}

/* Wishes in patches about some fragments, or of each by itself. */
static void random_wishes(random_stream* r, const finest_kit* k, level_wish* wish) {
    int32_t n = k->m.count, finest = k->tree.finest, mode = random_index(r, 3);
    int32_t base = random_index(r, finest + 1), weights = 1 + random_index(r, 6);
    for (int32_t f = 0; f < n; ++f) {
        wish[f] = (level_wish){(int8_t)base, (int8_t)(base + random_index(r, 2)), 0.5f};
    }
    for (int32_t patch = mode == 0 ? 0 : 1 + random_index(r, 3); patch > 0; --patch) {
        lim_point at = k->m.centroid[random_index(r, n)];
        double radius = (double)random_range(r, 0.02f, 0.4f);
        int32_t low = random_index(r, finest + 2), high = low + random_index(r, 3);
        float weight = (float)random_index(r, weights);
        for (int32_t f = 0; f < n; ++f) {
            if (p3_length(p3_sub(k->m.centroid[f], at)) < radius) {
                wish[f] = (level_wish){(int8_t)low, (int8_t)high, weight};
            }
        }
    }
    for (int32_t f = 0; mode == 0 && f < n; ++f) {
        int32_t low = random_index(r, finest + 2);
        wish[f] = (level_wish){(int8_t)low, (int8_t)(low + random_index(r, 3)),
                               (float)random_index(r, weights)};
        wish[f].coarsest = random_index(r, 6) != 0 ? 0 : wish[f].coarsest;
    }
}

typedef struct play {
    finest_kit k;
    oracle o;
    int32_t n;
    level_wish* wish;
    int8_t *now, *out, *expected, *other;
} play;

static void play_begin(play* p, int which) {
    matter_of(which, &p->k);
    p->o = oracle_make(&p->k);
    p->n = p->k.m.count;
    p->wish = calloc((size_t)p->n, sizeof *p->wish);
    p->o.wish = p->wish;
    p->now = calloc((size_t)p->n, 1);
    p->out = calloc((size_t)p->n, 1);
    p->expected = calloc((size_t)p->n, 1);
    p->other = calloc((size_t)p->n, 1);
    memset(p->now, p->k.tree.finest, (size_t)p->n);
}

static void play_end(play* p) {
    oracle_free(&p->o);
    finest_free(&p->k);
    free(p->wish);
    free(p->now);
    free(p->out);
    free(p->expected);
    free(p->other);
}

static level_report choose(play* p, const int8_t* from, level_limits limits, int8_t* out) {
    arena scratch;
    arena_init(&scratch, NULL);
    level_report report;
    CHECK(levels_choose(&scratch, &p->k.tree, from, p->wish, &limits, out, &report) == LIM_OK);
    arena_release(&scratch);
    return report;
}

/* What must hold after any call; returns the work done. */
static int32_t check_call(play* p, const int8_t* from, const int8_t* out, level_report report) {
    int32_t refined, joined;
    int32_t work = oracle_work(&p->o, from, out, &refined, &joined);
    CHECK(oracle_valid(&p->o, out) && levels_are_valid(&p->k.tree, out));
    CHECK(report.nodes == oracle_nodes(&p->o, out));
    CHECK(report.refined == refined && report.joined == joined);
    for (int32_t f = 0; f < p->n; ++f) {
        CHECK(out[f] >= p->o.base);
    }
    return work;
}

static bool same(const play* p, const int8_t* a, const int8_t* b) {
    return memcmp(a, b, (size_t)p->n) == 0;
}

/* Calls with a limit of work until nothing changes. */
static void converge(play* p, level_limits limits, const int8_t* end, int8_t* at) {
    int32_t calls = 0, before = oracle_nodes(&p->o, at), refined, joined, largest = 0;
    for (int32_t l = 0; l < p->k.tree.finest; ++l) {
        const int32_t* first = p->k.tree.level[l].child_first;
        for (int32_t i = 0; i < p->k.tree.level[l].count; ++i) {
            largest = first[i + 1] - first[i] > largest ? first[i + 1] - first[i] : largest;
        }
    }
    for (bool again = true; again && calls < 5000; ++calls) {
        memcpy(p->other, at, (size_t)p->n);
        level_report report = choose(p, p->other, limits, at);
        int32_t work = check_call(p, p->other, at, report);
        oracle_work(&p->o, p->other, at, &refined, &joined);
        CHECK(work <= limits.work || refined + joined == 1);
        /* Nor does it stop early: joins make room for splits, and take what those leave. */
        CHECK(same(p, at, end) || work + 2 * largest >= limits.work - limits.work / 4);
        if (limits.nodes > 0) {
            /* Over the limit it does not grow, but for what must be there. */
            int32_t floor = p->k.tree.level[limits.coarsest].count;
            int32_t bound = limits.nodes > floor ? limits.nodes : floor;
            CHECK(report.nodes <= (before > bound ? before : bound));
            before = report.nodes;
        }
        again = !same(p, at, p->other);
        CHECK(again || report.refined + report.joined == 0);
        CHECK(same(p, at, end) || report.waiting > 0);
    }
    CHECK(calls < 5000 && same(p, at, end));
}

static void without_limits_as_the_plainest_way(void) {
    int32_t changed = 0, kept = 0;
    for (int which = 0; which < SHAPES; ++which) {
        play p;
        play_begin(&p, which);
        random_stream r = random_seed((uint64_t)which);
        for (int round = 0; round < 40; ++round) {
            random_wishes(&r, &p.k, p.wish);
            level_limits limits = {.coarsest = random_index(&r, 3) ? 0 : p.k.tree.finest / 2};
            p.o.base = limits.coarsest;
            memcpy(p.expected, p.now, (size_t)p.n);
            oracle_choose(&p.o, p.expected);
            level_report report = choose(&p, p.now, limits, p.out);
            check_call(&p, p.now, p.out, report);
            CHECK(same(&p, p.out, p.expected) && report.waiting == 0);
            changed += !same(&p, p.out, p.now);
            report = choose(&p, p.out, limits, p.other);
            CHECK(same(&p, p.out, p.other) && report.refined + report.joined == 0);
            for (int32_t f = 0; f < p.n; ++f) {
                int32_t need = oracle_wish(&p.o, p.wish[f].coarsest);
                CHECK(p.out[f] >= need);
                kept += p.out[f] == p.now[f];
            }
            memcpy(p.now, p.out, (size_t)p.n);
        }
        play_end(&p);
    }
    CHECK(changed > 150 && kept > 0);
}

static void limited_work_comes_to_the_same_end(void) {
    for (int which = 0; which < SHAPES; ++which) {
        play p;
        play_begin(&p, which);
        random_stream r = random_seed(100 + (uint64_t)which);
        for (int round = 0; round < 15; ++round) {
            random_wishes(&r, &p.k, p.wish);
            level_limits limits = {0};
            choose(&p, p.now, limits, p.expected);
            limits.work = 1 + random_index(&r, round % 2 ? 20 : 300);
            memcpy(p.out, p.now, (size_t)p.n);
            converge(&p, limits, p.expected, p.out);
            memcpy(p.now, p.out, (size_t)p.n);
        }
        play_end(&p);
    }
}

static void the_limit_of_nodes_holds(void) {
    int32_t tight = 0;
    for (int which = 0; which < SHAPES; ++which) {
        play p;
        play_begin(&p, which);
        random_stream r = random_seed(200 + (uint64_t)which);
        for (int round = 0; round < (test_long ? 60 : 12); ++round) {
            random_wishes(&r, &p.k, p.wish);
            level_limits limits = {.nodes = 1 + random_index(&r, p.n),
                                   .coarsest = random_index(&r, 3) ? 0 : p.k.tree.finest / 2};
            p.o.base = limits.coarsest;
            /* The end, by the plainest way: of what fits all, or the first in order. */
            memcpy(p.expected, p.now, (size_t)p.n);
            oracle_choose(&p.o, p.expected);
            bool fits = oracle_nodes(&p.o, p.expected) <= limits.nodes;
            if (!fits) {
                memcpy(p.expected, p.now, (size_t)p.n);
                oracle_fit(&p.o, limits.nodes, p.expected);
            }
            tight += !fits;
            level_report report = choose(&p, p.now, limits, p.out);
            check_call(&p, p.now, p.out, report);
            CHECK(same(&p, p.out, p.expected));
            int32_t floor = p.k.tree.level[limits.coarsest].count;
            CHECK(report.nodes <= (limits.nodes > floor ? limits.nodes : floor));
            CHECK(!fits || report.waiting == 0);
            report = choose(&p, p.out, limits, p.other);
            CHECK(same(&p, p.out, p.other) && report.refined + report.joined == 0);
            memcpy(p.out, p.now, (size_t)p.n);
            limits.work = 1 + random_index(&r, 60);
            int8_t* end = calloc((size_t)p.n, 1);
            memcpy(end, p.expected, (size_t)p.n);
            converge(&p, limits, end, p.out);
            free(end);
            memcpy(p.now, p.out, (size_t)p.n);
        }
        play_end(&p);
    }
    CHECK(tight > 20);
}

/* A lower budget takes from the least weight first. */
static void the_largest_weight_is_served_first(void) {
    play p;
    play_begin(&p, 5);
    int32_t finest = p.k.tree.finest, all = 0;
    double middle = 0.0;
    for (int32_t f = 0; f < p.n; ++f) {
        middle += p.k.m.centroid[f].x / p.n;
    }
    for (int32_t f = 0; f < p.n; ++f) {
        bool left = p.k.m.centroid[f].x < middle;
        p.wish[f] = (level_wish){(int8_t)finest, (int8_t)finest, left ? 2.0f : 1.0f};
    }
    all = p.n;
    for (int32_t part = 1; part <= 10; ++part) {
        level_limits limits = {.nodes = all * part / 10};
        level_report report = choose(&p, p.now, limits, p.out);
        CHECK(report.nodes <= limits.nodes && (part == 10) == (report.waiting == 0));
        int32_t fine[2] = {0, 0}, count[2] = {0, 0};
        for (int32_t f = 0; f < p.n; ++f) {
            bool left = p.k.m.centroid[f].x < middle;
            count[left]++;
            fine[left] += p.out[f] == finest;
        }
        double left = (double)fine[1] / count[1], right = (double)fine[0] / count[0];
        CHECK(left >= right);
        CHECK(part < 8 || fine[1] == count[1]);
    }
    play_end(&p);
}

/* Detail that moves to another place: every call joins and splits, also where each split needs the
 * room of a join. */
static void splits_and_joins_share_the_work(void) {
    play p;
    play_begin(&p, 1);
    int8_t finest = (int8_t)p.k.tree.finest, coarse = (int8_t)(finest - 3);
    for (int limited = 0; limited < 2; ++limited) {
        level_report report = {0};
        memset(p.now, finest, (size_t)p.n);
        for (int side = 0; side < 2; ++side) {
            lim_point at = p.k.m.centroid[side == 0 ? 0 : p.n - 1];
            for (int32_t f = 0; f < p.n; ++f) {
                bool near = p3_length(p3_sub(p.k.m.centroid[f], at)) < 0.35;
                p.wish[f] = (level_wish){near ? finest : coarse, near ? finest : coarse, 1.0f};
            }
            if (side == 0) {
                report = choose(&p, p.now, (level_limits){0}, p.out);
                memcpy(p.now, p.out, (size_t)p.n);
            }
        }
        int32_t nodes = report.nodes;
        for (int call = 0; call < 3; ++call) {
            level_limits limits = {.nodes = limited ? nodes : 0, .work = 100};
            report = choose(&p, p.now, limits, p.out);
            check_call(&p, p.now, p.out, report);
            CHECK(report.waiting > 0 && report.refined > 0 && report.joined > 0);
            memcpy(p.now, p.out, (size_t)p.n);
        }
    }
    play_end(&p);
}

/* Finer wishes make nothing coarser; and where all are content nothing changes. */
static void finer_wishes_are_finer(void) {
    for (int which = 0; which < SHAPES; ++which) {
        play p;
        play_begin(&p, which);
        random_stream r = random_seed(300 + (uint64_t)which);
        for (int round = 0; round < 20; ++round) {
            random_wishes(&r, &p.k, p.wish);
            choose(&p, p.now, (level_limits){0}, p.out);
            for (int32_t f = 0; f < p.n; ++f) {
                int32_t more = random_index(&r, 3);
                p.wish[f].coarsest = (int8_t)(p.wish[f].coarsest + more);
                p.wish[f].finest = (int8_t)(p.wish[f].finest + more + random_index(&r, 2));
            }
            choose(&p, p.now, (level_limits){0}, p.other);
            for (int32_t f = 0; f < p.n; ++f) {
                CHECK(p.other[f] >= p.out[f]);
                p.wish[f].coarsest = (int8_t)(p.out[f] - random_index(&r, 2));
                p.wish[f].finest = (int8_t)(p.out[f] + random_index(&r, 2));
            }
            level_report report = choose(&p, p.out, (level_limits){.work = 5}, p.other);
            CHECK(same(&p, p.out, p.other) && report.refined + report.joined == 0);
            memcpy(p.now, p.out, (size_t)p.n);
        }
        play_end(&p);
    }
}

static void validity_as_the_plainest_way(void) {
    int32_t good = 0, bad = 0;
    for (int which = 0; which < SHAPES; ++which) {
        play p;
        play_begin(&p, which);
        random_stream r = random_seed(400 + (uint64_t)which);
        for (int round = 0; round < 60; ++round) {
            random_wishes(&r, &p.k, p.wish);
            choose(&p, p.now, (level_limits){0}, p.out);
            for (int32_t k = random_index(&r, 3); k > 0; --k) {
                int32_t f = random_index(&r, p.n), l = random_index(&r, p.k.tree.finest + 1);
                int32_t wrong = random_index(&r, p.k.tree.finest + 3) - 1;
                if (k == 1) {
                    p.out[f] = (int8_t)wrong;
                } else { /* a whole piece, so that balance alone may fail */
                    int32_t piece = p.o.over[l][f];
                    for (int32_t i = p.o.first[l][piece]; i < p.o.first[l][piece + 1]; ++i) {
                        p.out[p.o.member[l][i]] = (int8_t)l;
                    }
                }
            }
            bool valid = oracle_valid(&p.o, p.out);
            CHECK(levels_are_valid(&p.k.tree, p.out) == valid);
            good += valid;
            bad += !valid;
        }
        play_end(&p);
    }
    CHECK(good > 50 && bad > 50);
}

/* Levels that are not valid are made so by splits: nothing comes out coarser. */
static void what_is_not_valid_is_mended(void) {
    for (int which = 0; which < SHAPES; ++which) {
        play p;
        play_begin(&p, which);
        random_stream r = random_seed(500 + (uint64_t)which);
        for (int round = 0; round < 20; ++round) {
            for (int32_t f = 0; f < p.n; ++f) {
                p.now[f] =
                    (int8_t)(random_index(&r, 20) ? 0 : random_index(&r, p.k.tree.finest + 1));
                p.wish[f] = (level_wish){0, INT8_MAX, 0.0f};
            }
            level_report report = choose(&p, p.now, (level_limits){.work = 1}, p.out);
            CHECK(oracle_valid(&p.o, p.out) && report.joined == 0);
            CHECK(report.nodes == oracle_nodes(&p.o, p.out));
            for (int32_t f = 0; f < p.n; ++f) {
                CHECK(p.out[f] >= p.now[f]);
            }
        }
        play_end(&p);
    }
}

static void bad_input_is_refused(void) {
    play p;
    play_begin(&p, 0);
    level_report report;
    arena scratch;
    arena_init(&scratch, NULL);
    const level_wish bad[] = {{2, 1, 0.0f}, {0, 1, -1.0f}, {0, 1, NAN}, {0, 1, INFINITY}};
    for (int i = 0; i < 9; ++i) {
        level_limits limits = {0};
        memset(p.out, 77, (size_t)p.n);
        memset(p.now, 0, (size_t)p.n);
        memset(p.wish, 0, (size_t)p.n * sizeof *p.wish);
        p.wish[p.n - 1] = i < 4 ? bad[i] : p.wish[0];
        p.now[p.n - 1] = (int8_t)(i == 4 ? -1 : i == 5 ? p.k.tree.finest + 1 : 0);
        limits.coarsest = i == 6 ? p.k.tree.finest + 1 : 0;
        limits.nodes = i == 7 ? -1 : 0;
        limits.work = i == 8 ? -1 : 0;
        CHECK(levels_choose(&scratch, &p.k.tree, p.now, p.wish, &limits, p.out, &report) ==
              LIM_ERROR_ARGUMENT);
        CHECK(p.out[0] == 77 && p.out[p.n - 1] == 77 && report.nodes == 0);
    }
    arena_release(&scratch);
    play_end(&p);
}

static void every_allocation_may_fail(void) {
    play p;
    play_begin(&p, 2);
    for (int32_t f = 0; f < p.n; ++f) {
        p.wish[f] = (level_wish){f % 2 ? 2 : 0, 2, (float)f};
    }
    for (int limited = 0; limited < 2; ++limited) {
        level_limits limits = {.nodes = limited ? p.n / 4 : 0, .work = limited ? 40 : 0};
        bool finished = false;
        for (int64_t n = 0; !finished && n < 200; ++n) {
            failing_host f;
            failing_host_arm(&f, n);
            arena a;
            arena_init(&a, &f.host);
            level_report report;
            memset(p.out, 77, (size_t)p.n);
            lim_result result =
                levels_choose(&a, &p.k.tree, p.now, p.wish, &limits, p.out, &report);
            finished = result == LIM_OK;
            CHECK(finished || (result == LIM_ERROR_MEMORY && p.out[0] == 77));
            arena_release(&a);
            CHECK(f.held == 0);
        }
        CHECK(finished);
    }
    play_end(&p);
}

TEST_SUITE(levels) {
    TEST_BEGIN(argc, argv);
    RUN(without_limits_as_the_plainest_way);
    RUN(limited_work_comes_to_the_same_end);
    RUN(the_limit_of_nodes_holds);
    RUN(the_largest_weight_is_served_first);
    RUN(splits_and_joins_share_the_work);
    RUN(finer_wishes_are_finer);
    RUN(validity_as_the_plainest_way);
    RUN(what_is_not_valid_is_mended);
    RUN(bad_input_is_refused);
    RUN(every_allocation_may_fail);
    TEST_END();
}
