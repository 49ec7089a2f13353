/* SPDX-License-Identifier: MIT
 * Bodies under the knife, through the public border: random strokes on moving models, cuts of cuts,
 * strokes that go on, and what is refused with which reason.
 */
#include "base/random.h"
#include "cut_checks.h"
#include "failing_host.h"
#include "scenes/models.h"

typedef struct patient {
    const char* name;
    lim_kind kind;
    int32_t triangles, nodes, coarsen;
    lim_model* model;
} patient;

static patient patients[] = {{"sphere", LIM_KIND_OCTREE, 3000, 400, 0, NULL},
                             {"liver", LIM_KIND_OCTREE, 4000, 500, 1, NULL},
                             {"hand", LIM_KIND_OCTREE, 5000, 850, 1, NULL},
                             {"torus", LIM_KIND_OCTREE, 3000, 400, 2, NULL},
                             {"bar", LIM_KIND_OCTREE, 2000, 300, 0, NULL},
                             {"sphere", LIM_KIND_LATTICE, 3000, 400, 0, NULL},
                             {"hand", LIM_KIND_LATTICE, 5000, 700, 0, NULL}};
enum { PATIENTS = sizeof patients / sizeof patients[0], OCTREES = 5 };

static const lim_model* model_of(patient* p) {
    if (p->model == NULL) {
        lim_mesh* mesh = NULL;
        lim_model_desc desc = lim_model_desc_default();
        desc.node_count = p->nodes;
        desc.coarsen = p->coarsen;
        desc.kind = p->kind;
        CHECK(model_mesh(p->name, p->triangles, NULL, &mesh) == LIM_OK);
        CHECK(lim_model_create(mesh, &desc, NULL, &p->model) == LIM_OK);
        lim_mesh_destroy(mesh);
    }
    return p->model;
}

typedef struct reason {
    char text[200];
} reason;

static void keep_reason(void* user, lim_log_level level, const char* text) {
    if (level == LIM_LOG_ERROR) {
        snprintf(((reason*)user)->text, sizeof(reason), "%s", text);
    }
}

static lim_world* floor_world(reason* why) {
    lim_world_desc desc = lim_world_desc_default();
    lim_collider_desc ground = lim_collider_desc_default();
    lim_host host = {.log = keep_reason, .user = why};
    lim_world* world = NULL;
    lim_collider id;
    desc.workers = 1;
    CHECK(lim_world_create(&desc, &host, &world) == LIM_OK);
    CHECK(lim_collider_create(world, &ground, &id) == LIM_OK);
    return world;
}

static lim_body add_patient(lim_world* world, patient* p, random_stream* r) {
    lim_body_desc desc = lim_body_desc_default();
    lim_body id = {0};
    desc.model = model_of(p);
    desc.position.y = 0.6;
    desc.material.young = 60e3f;
    desc.angular_velocity = (lim_vec3){random_range(r, -3, 3), random_range(r, -3, 3), 1.0f};
    CHECK(lim_body_create(world, &desc, &id) == LIM_OK);
    return id;
}

static lim_point random_point(random_stream* r, lim_box box) {
    return p3(box.lower.x + (box.upper.x - box.lower.x) * (double)random_unit(r),
              box.lower.y + (box.upper.y - box.lower.y) * (double)random_unit(r),
              box.lower.z + (box.upper.z - box.lower.z) * (double)random_unit(r));
}

static lim_point random_way(random_stream* r) {
    lim_point d;
    do {
        d = p3((double)random_range(r, -1, 1), (double)random_range(r, -1, 1),
               (double)random_range(r, -1, 1));
    } while (p3_dot(d, d) > 1.0 || p3_dot(d, d) < 0.01);
    return p3_scale(d, 1.0 / p3_length(d));
}

/* A blade that goes through a place near the body: of some length, straight or in an arc, through
 * the whole body or only a part of it. */
enum { STATIONS = 6 };
typedef struct sweep {
    lim_point tip[STATIONS], back[STATIONS];
} sweep;

static sweep random_sweep(random_stream* r, lim_box box) {
    sweep s;
    double size = p3_length(p3_sub(box.upper, box.lower));
    lim_point middle = random_point(r, box), along = random_way(r), across = random_way(r);
    across = p3_mad(across, along, -p3_dot(along, across));
    across = p3_scale(across, 1.0 / (p3_length(across) + 1e-9));
    double length = size * (double)random_range(r, 0.3f, 1.2f),
           way = size * (double)random_range(r, 0.2f, 1.2f);
    double turn = (double)random_range(r, -0.4f, 0.4f);
    for (int i = 0; i < STATIONS; ++i) {
        double u = (double)i / (STATIONS - 1) - 0.5;
        lim_point at = p3_mad(middle, across, way * u);
        lim_point bent = p3_mad(along, across, turn * u);
        s.tip[i] = p3_mad(at, bent, -0.5 * length);
        s.back[i] = p3_mad(at, bent, 0.5 * length);
    }
    return s;
}

static lim_result cut_by(lim_world* world, lim_body id, const sweep* s, int first, int count,
                         bool goes_on, int32_t refine, lim_edit_report* report) {
    lim_cut_desc desc = lim_cut_desc_default();
    desc.count = count;
    desc.tips = s->tip + first;
    desc.backs = s->back + first;
    desc.continues = goes_on;
    desc.refine = refine;
    return lim_body_cut(world, id, &desc, report);
}

static lim_box bounds_of(const lim_world* world, lim_body id) {
    lim_body_motion motion;
    CHECK(lim_body_get_motion(world, id, &motion) == LIM_OK);
    return motion.bounds;
}

typedef struct tally {
    int strokes, cut, refused, open, disagree, torn, wild, lost, unbound;
} tally;

/* What a stroke has left of the body. */
static void examine(const lim_world* world, lim_body id, double volume, double material,
                    double nodes, const char* name, tally* sum) {
    cut_facts f = cut_look(cut_body_of(world, id));
    bool lost = fabs(f.volume - volume) > 1e-3 * volume ||
                fabs(f.matter - material) > 1e-9 * material || fabs(f.nodes - nodes) > 1e-4 * nodes;
    sum->open += !f.closed;
    sum->disagree += !f.agrees;
    sum->torn += f.torn > 0;
    sum->wild += !f.finite;
    sum->lost += lost;
    if (!f.closed || !f.agrees || !f.finite || f.torn > 0 || lost) {
        printf("  %s: closed %d, agrees %d (%d parts, %d pieces), finite %d, volume off by %.2g, "
               "%d triangles torn (first %d)\n",
               name, f.closed, f.agrees, f.parts, cut_body_of(world, id)->topology->component_count,
               f.finite, f.volume / volume - 1.0, f.torn, f.first_torn);
    }
}

/* One body, `count` strokes, each in one sweep or in two that go on. */
static void operate(patient* p, uint64_t seed, int count, tally* sum) {
    random_stream r = random_seed(seed);
    reason why = {{0}};
    lim_world* world = floor_world(&why);
    lim_body id = add_patient(world, p, &r);
    double volume = cut_look(cut_body_of(world, id)).volume;
    double material = cut_look(cut_body_of(world, id)).matter;
    double nodes = cut_look(cut_body_of(world, id)).nodes;
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            CHECK(lim_world_step(world, 1.0f / 60.0f) == LIM_OK);
        }
        sweep s = random_sweep(&r, bounds_of(world, id));
        lim_edit_report report = {0}, more = {0};
        int32_t refine = random_index(&r, 3);
        bool parts = random_index(&r, 3) == 0;
        char name[60];
        snprintf(name, sizeof name, "%s seed %d stroke %d", p->name, (int)seed, i);
        lim_result result = cut_by(world, id, &s, 0, parts ? 4 : STATIONS, false, refine, &report);
        if (result == LIM_OK && parts) {
            CHECK(lim_world_step(world, 1.0f / 60.0f) == LIM_OK);
            result = cut_by(world, id, &s, 3, STATIONS - 3, true, refine, &more);
        }
        if (result != LIM_OK) {
            printf("  %s: refused (%d): %s\n", name, (int)result, why.text);
        }
        sum->strokes++;
        sum->cut += report.changed || more.changed;
        sum->refused += result != LIM_OK;
        sum->unbound += more.changed && !cut_is_bound(cut_body_of(world, id)->topology);
        examine(world, id, volume, material, nodes, name, sum);
    }
    for (int k = 0; k < 20; ++k) {
        CHECK(lim_world_step(world, 1.0f / 60.0f) == LIM_OK);
    }
    CHECK(cut_look(cut_body_of(world, id)).finite);
    lim_world_destroy(world);
}

enum { STROKES = 4 };

static void check_tally(const char* name, const tally* sum) {
    printf("  %s: %d strokes, %d cut, %d refused, %d open, %d disagree, %d torn, %d wild, %d with "
           "other volumes\n",
           name, sum->strokes, sum->cut, sum->refused, sum->open, sum->disagree, sum->torn,
           sum->wild, sum->lost);
    CHECK(sum->refused == 0);
    CHECK(sum->open == 0 && sum->disagree == 0 && sum->torn == 0 && sum->wild == 0);
    CHECK(sum->lost == 0 && sum->unbound == 0);
}

static void random_strokes(int k) {
    tally sum = {0};
    int bodies = (test_long ? 10000 : k < OCTREES ? 300 : 150) / (STROKES * OCTREES);
    for (int i = 0; i < bodies; ++i) {
        operate(&patients[k], (uint64_t)(1000 * k + i), STROKES, &sum);
    }
    check_tally(patients[k].name, &sum);
    CHECK(sum.cut >= 0.6 * sum.strokes);
}

static void strokes_on_a_sphere(void) {
    random_strokes(0);
}
static void strokes_on_a_liver(void) {
    random_strokes(1);
}
static void strokes_on_a_hand(void) {
    random_strokes(2);
}
static void strokes_on_a_torus(void) {
    random_strokes(3);
}
static void strokes_on_a_bar(void) {
    random_strokes(4);
}
static void strokes_on_a_lattice(void) {
    random_strokes(5);
}
static void strokes_on_a_hand_of_a_lattice(void) {
    random_strokes(6);
}

/* Of the long run: what has failed once. Two pieces that became one by the material of a sliver; a
 * blade that came between the points of another piece and their material; the way back to rest that
 * folds; of a lattice, layers with no material in a cell between two of theirs, and a blade that
 * turned about a place off the body; chips that hold next to nothing and are pieces. */
static void strokes_that_have_failed(void) {
    static const int seed[] = {35,   331,  2203, 2344, 3006, 1029, 2006,
                               3458, 5226, 5303, 6037, 6126, 6200};
    tally sum = {0};
    for (size_t i = 0; i < sizeof seed / sizeof seed[0]; ++i) {
        operate(&patients[seed[i] / 1000], (uint64_t)seed[i], STROKES, &sum);
    }
    check_tally("again", &sum);
}

/* A ring under a sweep about its middle: it is in so many parts then. None: it is refused with a
 * reason that has `says` in it, and nothing has changed. */
static void cut_ring(lim_kind kind, sweep s, int32_t parts, const char* says) {
    patient ring = {"torus", kind, 3000, 3000, 0, NULL};
    reason why = {{0}};
    lim_world* world = floor_world(&why);
    random_stream r = random_seed(1);
    lim_body id = add_patient(world, &ring, &r);
    lim_edit_report report = {0};
    double volume = cut_look(cut_body_of(world, id)).volume;
    lim_box box = bounds_of(world, id);
    lim_point middle = p3_scale(p3_add(box.lower, box.upper), 0.5);
    for (int i = 0; i < STATIONS; ++i) {
        s.tip[i] = p3_add(s.tip[i], middle);
        s.back[i] = p3_add(s.back[i], middle);
    }
    uint64_t hash = lim_world_hash(world);
    lim_result result = cut_by(world, id, &s, 0, STATIONS, false, 0, &report);
    cut_facts f = cut_look(cut_body_of(world, id));
    if (parts == 0) {
        CHECK(result == LIM_ERROR_ARGUMENT && strstr(why.text, says) != NULL);
        CHECK(lim_world_hash(world) == hash);
    } else {
        CHECK(result == LIM_OK && report.changed && f.parts == parts);
    }
    CHECK(f.closed && f.agrees && f.finite && f.torn == 0);
    CHECK_NEAR(f.volume, volume, 1e-3 * volume);
    lim_world_destroy(world);
    lim_model_destroy(ring.model);
}

/* A blade that turns about a place between its tip and its back: `along` from it to the back, a
 * share of that to the tip, up and down by more than the ring is high. One that wavers goes on with
 * its back, while its tip goes now this way and now that. */
static sweep turning_sweep(lim_point about, lim_point along, double share, bool wavers) {
    sweep s;
    for (int i = 0; i < STATIONS; ++i) {
        double u = 2.0 * i / (STATIONS - 1) - 1.0, up = 0.6 * u * p3_length(along);
        double other = wavers && i % 2 == 1 ? -up : up;
        s.tip[i] = p3_mad(about, p3_add(along, p3(0, other, 0)), -share);
        s.back[i] = p3_add(about, p3_add(along, p3(0, up, 0)));
    }
    return s;
}

/* Into the hole and out again, upright. */
static sweep returning_sweep(void) {
    static const double x[STATIONS] = {0.6, 0.4, 0.2, 0.0, 0.15, 0.3};
    sweep s;
    for (int i = 0; i < STATIONS; ++i) {
        s.tip[i] = p3(x[i], -0.3, 0.01 * i);
        s.back[i] = p3(x[i], 0.3, 0.01 * i);
    }
    return s;
}

/* Off the body a blade may turn as it likes, also where the body is on both sides of that place: a
 * ring is cut in two about its middle, and once about a place beside it. In the ring it is refused,
 * and so is a blade that turns back as a whole, wherever it does. */
static void blades_turn_off_the_body(void) {
    const lim_point beside = p3(0.53, 0, 0.53), inwards = p3(-0.5, 0, -0.5);
    for (int k = 0; k < 2; ++k) {
        lim_kind kind = k == 0 ? LIM_KIND_OCTREE : LIM_KIND_LATTICE;
        cut_ring(kind, turning_sweep(p3(0, 0, 0), p3(0.6, 0, 0), 1.0, false), 2, NULL);
        cut_ring(kind, turning_sweep(beside, inwards, 0.1, false), 1, NULL);
        cut_ring(kind, turning_sweep(beside, inwards, 0.03, true), 1, NULL);
        cut_ring(kind, turning_sweep(p3(0.36, 0, 0), p3(-0.3, 0, 0), 0.9, false), 0,
                 "a blade for each side");
        cut_ring(kind, returning_sweep(), 0, "begin another");
    }
}

TEST_SUITE(cut_body) {
    TEST_BEGIN(argc, argv);
    RUN(strokes_on_a_sphere);
    RUN(strokes_on_a_liver);
    RUN(strokes_on_a_hand);
    RUN(strokes_on_a_torus);
    RUN(strokes_on_a_bar);
    RUN(strokes_on_a_lattice);
    RUN(strokes_on_a_hand_of_a_lattice);
    RUN(strokes_that_have_failed);
    RUN(blades_turn_off_the_body);
    for (int k = 0; k < PATIENTS; ++k) {
        lim_model_destroy(patients[k].model);
    }
    TEST_END();
}
