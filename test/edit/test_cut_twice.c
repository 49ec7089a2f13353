/* SPDX-License-Identifier: MIT
 * Cuts where a cut has passed: the same plane again and again, a hair beside it, at a hair's angle
 * to it, half of the way and then all of it. A blade that finds nothing but an earlier cut cuts
 * nothing, and what it leaves weighs what its skin holds.
 */
#include "cut_checks.h"
#include "failing_host.h"
#include "kind_rows.h"
#include "scenes/models.h"

static lim_model* box_model(lim_kind kind, int32_t nodes) {
    const int32_t cells[3] = {4, 4, 4};
    lim_mesh* mesh = NULL;
    lim_model* model = NULL;
    lim_model_desc desc = lim_model_desc_default();
    desc.kind = kind;
    desc.node_count = nodes;
    CHECK(box_mesh(1.0, 1.0, 1.0, cells, NULL, &mesh) == LIM_OK);
    CHECK(lim_model_create(mesh, &desc, NULL, &model) == LIM_OK);
    lim_mesh_destroy(mesh);
    return model;
}

static const double MIDDLE = 0.55; /* of the box, above the ground */

typedef struct patient {
    lim_model* model;
    lim_world* world;
    lim_body id;
    double volume; /* of skin and material, unit space */
} patient;

static patient box_of(lim_kind kind, const lim_host* host) {
    patient p = {.model = box_model(kind, 300)};
    lim_world_desc desc = lim_world_desc_default();
    lim_collider_desc ground = lim_collider_desc_default();
    lim_body_desc box = lim_body_desc_default();
    lim_collider id;
    desc.workers = 1;
    CHECK(lim_world_create(&desc, host, &p.world) == LIM_OK);
    CHECK(lim_collider_create(p.world, &ground, &id) == LIM_OK);
    box.model = p.model;
    box.position.y = MIDDLE;
    CHECK(lim_body_create(p.world, &box, &p.id) == LIM_OK);
    p.volume = cut_look(cut_body_of(p.world, p.id)).volume;
    return p;
}

static void end(patient* p) {
    lim_world_destroy(p->world);
    lim_model_destroy(p->model);
}

/* A blade along z that comes down at x, leaning by so much per metre of height; from its height
 * above the middle of the box to another. */
typedef struct blade {
    double x, lean, from, to;
} blade;

/* On from station to station. */
typedef struct station {
    double x, y;
} station;
static lim_result sweep(const patient* p, const station* at, int32_t count, bool goes_on,
                        lim_edit_report* report) {
    lim_point tip[4], back[4];
    for (int32_t i = 0; i < count; ++i) {
        tip[i] = (lim_point){at[i].x, MIDDLE + at[i].y, -3};
        back[i] = (lim_point){at[i].x, MIDDLE + at[i].y, 3};
    }
    lim_cut_desc desc = lim_cut_desc_default();
    desc.count = count;
    desc.tips = tip;
    desc.backs = back;
    desc.continues = goes_on;
    return lim_body_cut(p->world, p->id, &desc, report);
}

static lim_edit_report cut_on(const patient* p, blade b, bool goes_on) {
    const station at[2] = {{b.x + b.lean * b.from, b.from}, {b.x + b.lean * b.to, b.to}};
    lim_edit_report report = {0};
    CHECK(sweep(p, at, 2, goes_on, &report) == LIM_OK);
    return report;
}

static lim_edit_report cut(const patient* p, blade b) {
    return cut_on(p, b, false);
}

/* Volumes of each piece: of its material, and of the skin that follows it. */
typedef struct piece {
    double matter, skin;
} piece;

enum { PIECES = 64 };
static int32_t weigh(const patient* p, piece out[PIECES]) {
    const topology* t = cut_body_of(p->world, p->id)->topology;
    int32_t n = t->component_count < PIECES ? t->component_count : PIECES;
    for (int32_t i = 0; i < n; ++i) {
        out[i] = (piece){0, 0};
    }
    for (int32_t i = 0; i < t->matter.count; ++i) {
        out[t->slot_component[t->fragment_slot[i]] % PIECES].matter += t->matter.volume[i];
    }
    for (int32_t i = 0; i < t->triangle_count; ++i) {
        lim_point q[3];
        for (int k = 0; k < 3; ++k) {
            q[k] = t->skin_point[t->vertex_point[t->indices[3 * i + k]]];
        }
        int32_t of = t->bind.component[t->vertex_point[t->indices[3 * (size_t)i]]];
        out[of % PIECES].skin += p3_dot(q[0], p3_cross(q[1], q[2])) / 6.0;
    }
    return n;
}

/* A piece weighs what its skin holds, to a layer of sub-voxels over a side of the box, or, where it
 * is thinner, to one sub-voxel. */
static bool is_fair(const patient* p, const piece* of) {
    const matter* m = &cut_body_of(p->world, p->id)->topology->matter;
    double layer = 1.5 * m->sub * cbrt(p->volume) * cbrt(p->volume);
    double speck = m->sub * m->sub * m->sub;
    bool sliver = of->skin < 0.1 * layer;
    return sliver ? of->matter <= 2.0 * of->skin + speck : fabs(of->matter - of->skin) < layer;
}

/* All that must hold of it, with so many pieces (-1: whatever there are). */
static bool holds(const patient* p, int32_t wanted) {
    piece of[PIECES];
    cut_facts f = cut_look(cut_body_of(p->world, p->id));
    int32_t n = weigh(p, of);
    bool fair = true;
    for (int32_t i = 0; i < n; ++i) {
        fair = fair && is_fair(p, &of[i]);
    }
    bool kept = fabs(f.volume - p->volume) < 1e-3 * p->volume;
    bool ok = f.closed && f.agrees && f.finite && f.torn == 0 && fair && kept &&
              (wanted < 0 || n == wanted);
    if (!ok) {
        printf("    closed %d, agrees %d, finite %d, torn %d, volume off by %.2g; %d pieces:",
               f.closed, f.agrees, f.finite, f.torn, f.volume / p->volume - 1.0, n);
        for (int32_t i = 0; i < n; ++i) {
            printf(" %.3g of %.3g", of[i].matter, of[i].skin);
        }
        printf("\n");
    }
    return ok;
}

/* Pieces as bodies, for a second: nothing flies off. */
static bool rests(patient* p) {
    lim_body out[PIECES];
    int32_t count = 0;
    double fastest = 0.0;
    bool finite = true;
    CHECK(lim_body_split(p->world, p->id, out, PIECES - 1, &count) == LIM_OK);
    out[count++] = p->id;
    for (int i = 0; i < 60; ++i) {
        CHECK(lim_world_step(p->world, 1.0f / 60.0f) == LIM_OK);
        finite = finite && lim_world_get_report(p->world).bodies_restored == 0;
        for (int32_t k = 0; k < count; ++k) {
            lim_body_motion motion;
            CHECK(lim_body_get_motion(p->world, out[k], &motion) == LIM_OK);
            fastest = fmax(fastest, (double)motion.speed);
            finite = finite && isfinite(motion.speed);
        }
    }
    if (!finite || fastest > 20.0) {
        printf("    finite %d, as fast as %.3g m/s\n", finite, fastest);
    }
    return finite && fastest <= 20.0;
}

static const double shifts[] = {0, 1e-12, 1e-9, 1e-7, 1e-6, 1e-5, 1e-4};
enum { SHIFTS = sizeof shifts / sizeof shifts[0] };
static const double UP = 3, DOWN = -3;

/* Cuts, looks at it, and lets it go. */
typedef void story(const patient* p, double shift);
static void tell(story* of, int32_t wanted) {
    for (int k = 0; (k = kind_edited(k)) >= 0; ++k) {
        for (int i = 0; i < SHIFTS; ++i) {
            patient p = box_of(kind_id(k), NULL);
            of(&p, shifts[i]);
            bool ok = holds(&p, wanted) && rests(&p);
            if (!ok) {
                printf("  kind %d, %g m aside\n", k, shifts[i]);
            }
            CHECK(ok);
            end(&p);
        }
    }
}

/* A blade that finds a cut where it passes has missed. */
static void misses(const patient* p, blade b) {
    const topology* before = cut_body_of(p->world, p->id)->topology;
    lim_edit_report report = cut(p, b);
    CHECK(!report.changed && report.new_vertices == 0 && report.pieces == before->component_count);
    CHECK(cut_body_of(p->world, p->id)->topology == before);
}

static void twice(const patient* p, double shift) {
    CHECK(cut(p, (blade){0.03, 0, UP, DOWN}).changed);
    misses(p, (blade){0.03 + shift, 0, UP, DOWN});
}
static void the_same_plane_twice(void) {
    tell(twice, 2);
}

static void six_times(const patient* p, double shift) {
    for (int i = 0; i < 6; ++i) {
        lim_edit_report report = cut(p, (blade){shift * i / 5.0, 0, UP, DOWN});
        CHECK(report.changed == (i == 0));
    }
}
static void the_same_plane_six_times(void) {
    tell(six_times, 2);
}

/* At rest the angle, and at the sides what it comes to, are those of the shifts. */
static void at_an_angle(const patient* p, double shift) {
    CHECK(cut(p, (blade){0.03, 0, UP, DOWN}).changed);
    misses(p, (blade){0.03, shift, UP, DOWN});
    misses(p, (blade){0.03, -0.5 * shift, DOWN, UP});
}
static void planes_at_a_tiny_angle(void) {
    tell(at_an_angle, 2);
}

/* A stroke in several sweeps along a cut that is there; the last of them takes back what those
 * before may have left. */
static void over_a_cut(const patient* p, double shift) {
    double x = 0.03 + shift;
    CHECK(cut(p, (blade){0.03, 0, UP, DOWN}).changed);
    CHECK(!cut_on(p, (blade){x, 0, UP, 0.2}, false).changed);
    CHECK(!cut_on(p, (blade){x, 0, 0.2, -0.2}, true).changed);
    CHECK(!cut_on(p, (blade){x, 0, -0.2, DOWN}, true).changed);
}
static void a_stroke_over_a_cut(void) {
    tell(over_a_cut, 2);
}

/* Up again along its own way: a strip that folds is refused, and nothing has changed. */
static void a_stroke_over_itself(void) {
    const station up[2] = {{0.03, DOWN}, {0.03, UP}};
    for (int k = 0; (k = kind_edited(k)) >= 0; ++k) {
        patient p = box_of(kind_id(k), NULL);
        CHECK(cut_on(&p, (blade){0.03, 0, UP, DOWN}, false).changed);
        uint64_t hash = lim_world_hash(p.world);
        CHECK(sweep(&p, up, 2, true, NULL) == LIM_ERROR_ARGUMENT);
        CHECK(lim_world_hash(p.world) == hash);
        CHECK(holds(&p, 2) && rests(&p));
        end(&p);
    }
}

/* Along a cut, and then away from it into one of the halves: only that is new. */
static void turn_off(const patient* p, double shift) {
    const station at[3] = {{0.03 + shift, UP}, {0.03 + shift, 0.1}, {1.5, DOWN}};
    CHECK(cut(p, (blade){0.03, 0, UP, DOWN}).changed);
    CHECK(sweep(p, at, 3, false, NULL) == LIM_OK);
}
static void a_blade_that_turns_off(void) {
    tell(turn_off, 3);
}

/* Down along a cut, and up through one of the halves: a sliver beside something new. */
static lim_result come_back(const patient* p, double shift) {
    const station at[4] = {{0.03 - shift, UP}, {0.03 - shift, -1}, {-0.3, -1}, {-0.3, UP}};
    return sweep(p, at, 4, false, NULL);
}
static void there_and_back(const patient* p, double shift) {
    CHECK(cut(p, (blade){0.03, 0, UP, DOWN}).changed);
    CHECK(come_back(p, shift) == LIM_OK);
}
static void a_blade_that_comes_back(void) {
    tell(there_and_back, 3);
}

/* Each allocation of a cut that makes a sliver fails once. */
static void every_allocation_may_fail(void) {
    for (int k = 0; (k = kind_edited(k)) >= 0; ++k) {
        failing_host f;
        failing_host_arm(&f, -1);
        patient p = box_of(kind_id(k), &f.host);
        CHECK(cut(&p, (blade){0.03, 0, UP, DOWN}).changed);
        uint64_t hash = lim_world_hash(p.world);
        lim_result result = LIM_ERROR_MEMORY;
        for (int64_t n = 0; result == LIM_ERROR_MEMORY; n += 1 + n / 16) {
            f.fail_at = f.allocations + n;
            result = come_back(&p, 1e-6);
            CHECK(result == LIM_OK || lim_world_hash(p.world) == hash);
        }
        f.fail_at = -1;
        CHECK(result == LIM_OK);
        CHECK(holds(&p, 3));
        end(&p);
        CHECK(f.held == 0);
    }
}

/* A slit, the same slit, and a part of it. */
static void slit_twice(const patient* p, double shift) {
    CHECK(cut(p, (blade){0.03, 0, UP, 0}).changed);
    misses(p, (blade){0.03 + shift, 0, UP, 0});
    misses(p, (blade){0.03 - shift, 0, UP, 0.2});
}
static void a_slit_twice(void) {
    tell(slit_twice, 1);
}

/* Flaps between a slit and the blade that runs along it weigh nothing. */
static void deeper(const patient* p, double shift) {
    CHECK(cut(p, (blade){0.03, 0, UP, 0}).changed);
    CHECK(cut(p, (blade){0.03 + shift, 0, UP, DOWN}).changed);
}
static void a_slit_and_all_of_the_way(void) {
    tell(deeper, 2);
}

static void ever_deeper(const patient* p, double shift) {
    CHECK(cut(p, (blade){0.03, 0, UP, 0.2}).changed);
    CHECK(cut(p, (blade){0.03 + shift, 0, UP, 0}).changed);
    CHECK(cut(p, (blade){0.03, shift, UP, -0.2}).changed);
    CHECK(cut(p, (blade){0.03 + shift, -shift, UP, DOWN}).changed);
    CHECK(holds(p, 2));
    misses(p, (blade){0.03, 0, UP, DOWN});
}
static void a_slit_ever_deeper(void) {
    tell(ever_deeper, 2);
}

/* What is no sliver stays: a slice of some thousandths of a cell, with its own weight. */
static void thin_slices_stay(void) {
    for (int k = 0; (k = kind_edited(k)) >= 0; ++k) {
        patient p = box_of(kind_id(k), NULL);
        CHECK(cut(&p, (blade){0.03, 0, UP, DOWN}).changed);
        CHECK(cut(&p, (blade){0.031, 0, UP, DOWN}).pieces == 3);
        CHECK(holds(&p, 3) && rests(&p));
        end(&p);
    }
}

/* Nor is what is cut from a body that is thin itself. */
static void thin_bodies_are_cut(void) {
    const int32_t cells[3] = {8, 8, 1};
    lim_mesh* mesh = NULL;
    patient p = {0};
    lim_model_desc desc = lim_model_desc_default();
    lim_world_desc where = lim_world_desc_default();
    lim_body_desc sheet = lim_body_desc_default();
    desc.node_count = 100;
    where.workers = 1;
    CHECK(box_mesh(1.0, 1.0, 2e-5, cells, NULL, &mesh) == LIM_OK);
    CHECK(lim_model_create(mesh, &desc, NULL, &p.model) == LIM_OK);
    CHECK(lim_world_create(&where, NULL, &p.world) == LIM_OK);
    sheet.model = p.model;
    sheet.position.y = MIDDLE;
    CHECK(lim_body_create(p.world, &sheet, &p.id) == LIM_OK);
    CHECK(cut(&p, (blade){0.03, 0, UP, DOWN}).pieces == 2);
    CHECK(!cut(&p, (blade){0.03, 0, UP, DOWN}).changed);
    CHECK(cut_look(cut_body_of(p.world, p.id)).closed);
    lim_mesh_destroy(mesh);
    end(&p);
}

TEST_SUITE(cut_twice) {
    TEST_BEGIN(argc, argv);
    RUN(the_same_plane_twice);
    RUN(the_same_plane_six_times);
    RUN(planes_at_a_tiny_angle);
    RUN(a_stroke_over_a_cut);
    RUN(a_stroke_over_itself);
    RUN(a_blade_that_turns_off);
    RUN(a_blade_that_comes_back);
    RUN(a_slit_twice);
    RUN(a_slit_and_all_of_the_way);
    RUN(a_slit_ever_deeper);
    RUN(thin_slices_stay);
    RUN(thin_bodies_are_cut);
    RUN(every_allocation_may_fail);
    TEST_END();
}
