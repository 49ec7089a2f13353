/* SPDX-License-Identifier: MIT
 * Bodies that tear: where their seams are, or where they are strained most; never at rest, in free
 * flight or as a whole turning; at most so many links in a step; what comes off is whole, and the
 * same for any workers and after a save in between.
 */
#include "cut_checks.h"
#include "failing_host.h"
#include "scenes/models.h"

static const float STEP = 1.0f / 60.0f;

static lim_model* make_model(const char* name, int32_t triangles, int32_t nodes, int32_t coarsen) {
    lim_mesh* mesh = NULL;
    lim_model* model = NULL;
    lim_model_desc desc = lim_model_desc_default();
    desc.node_count = nodes;
    desc.coarsen = coarsen;
    CHECK(model_mesh(name, triangles, NULL, &mesh) == LIM_OK);
    CHECK(lim_model_create(mesh, &desc, NULL, &model) == LIM_OK);
    lim_mesh_destroy(mesh);
    return model;
}

/* A bar along x, held at both ends; pull() moves these apart. */
typedef struct rack {
    lim_world* world;
    lim_body bar;
    lim_pin pin[2];
    double x[2], speed;
    int32_t steps;
} rack;

static lim_world* empty_world(int32_t threads, const lim_host* host) {
    lim_world_desc desc = lim_world_desc_default();
    lim_world* world = NULL;
    desc.workers = threads;
    desc.gravity = (lim_vec3){0, 0, 0};
    CHECK(lim_world_create(&desc, host, &world) == LIM_OK);
    return world;
}

static rack make_rack(const lim_model* model, int32_t threads, const lim_host* host) {
    rack r = {.world = empty_world(threads, host), .speed = 0.5};
    lim_body_desc desc = lim_body_desc_default();
    desc.model = model;
    desc.material.young = 50e3f;
    CHECK(lim_body_create(r.world, &desc, &r.bar) == LIM_OK);
    lim_body_motion motion;
    CHECK(lim_body_get_motion(r.world, r.bar, &motion) == LIM_OK);
    double length = motion.bounds.upper.x - motion.bounds.lower.x;
    for (int k = 0; k < 2; ++k) {
        lim_pin_desc pin = lim_pin_desc_default();
        pin.body = r.bar;
        pin.shape = LIM_SHAPE_BOX;
        pin.size = (lim_vec3){0.12f * (float)length, 1.0f, 1.0f};
        r.x[k] = k == 0 ? motion.bounds.lower.x : motion.bounds.upper.x;
        pin.position = (lim_point){r.x[k], 0, 0};
        CHECK(lim_pin_create(r.world, &pin, &r.pin[k]) == LIM_OK);
    }
    return r;
}

static lim_result pull(rack* r) {
    for (int k = 0; k < 2; ++k) {
        r->x[k] += (k == 0 ? -0.5 : 0.5) * r->speed * (double)STEP;
        CHECK(lim_pin_move(r->world, r->pin[k], (lim_point){r->x[k], 0, 0},
                           (lim_quat){0, 0, 0, 1}) == LIM_OK);
    }
    r->steps++;
    return lim_world_step(r->world, STEP);
}

static const topology* topology_of(const rack* r) {
    return cut_body_of(r->world, r->bar)->topology;
}

/* A seam across the bar at a share of its length. */
static lim_zone seam_at(const lim_model* model, double share, float factor) {
    lim_model_info info = lim_model_get_info(model);
    lim_zone z = lim_zone_default();
    double length = info.bounds.upper.x - info.bounds.lower.x;
    z.shape = LIM_SHAPE_BOX;
    z.position = (lim_point){info.bounds.lower.x + share * length, 0, 0};
    z.size = (lim_vec3){0.01f * (float)length, 10.0f, 10.0f};
    z.stiffness = factor;
    return z;
}

static int32_t torn_now(const lim_world* world, lim_point* where) {
    lim_event event[64];
    int32_t count = 0, torn = 0;
    CHECK(lim_world_get_events(world, event, 64, &count) == LIM_OK);
    for (int32_t i = 0; i < count && i < 64; ++i) {
        if (event[i].kind == LIM_EVENT_TORN) {
            torn += event[i].count;
            *where = event[i].point;
        }
    }
    return torn;
}

/* Parts of the skin that enclose something are the components, one to one; the others are slits in
 * one of them. */
static bool skin_agrees(const topology* t) {
    int32_t* root = malloc((size_t)t->point_count * sizeof(int32_t));
    double* volume = calloc((size_t)t->point_count, sizeof(double));
    int32_t* owner = malloc((size_t)t->point_count * sizeof(int32_t));
    int32_t* parts = calloc((size_t)t->component_count, sizeof(int32_t));
    bool agrees = true;
    for (int32_t i = 0; i < t->point_count; ++i) {
        root[i] = i;
        owner[i] = -1;
    }
    for (int32_t i = 0; i < 3 * t->triangle_count; ++i) {
        int32_t a = cut_root(root, t->vertex_point[t->indices[i]]);
        int32_t c = cut_root(root, t->vertex_point[t->indices[i % 3 == 2 ? i - 2 : i + 1]]);
        root[a > c ? a : c] = a > c ? c : a;
    }
    for (int32_t i = 0; i < t->triangle_count; ++i) {
        lim_point p[3];
        int32_t part = cut_root(root, t->vertex_point[t->indices[3 * i]]);
        for (int k = 0; k < 3; ++k) {
            int32_t point = t->vertex_point[t->indices[3 * i + k]];
            int32_t piece = t->bind.component[point];
            p[k] = p3_sub(t->skin_point[point], t->skin_point[part]);
            owner[part] = owner[part] < 0 ? piece : owner[part];
            agrees = agrees && owner[part] == piece;
        }
        volume[part] += p3_dot(p[0], p3_cross(p[1], p[2])) / 6.0;
    }
    double cell = pow((double)t->cell, 3.0);
    for (int32_t i = 0; i < t->point_count; ++i) {
        if (owner[i] >= 0 && root[i] == i && volume[i] > 1e-9 * cell) {
            parts[owner[i]]++;
        }
    }
    for (int32_t c = 0; c < t->component_count; ++c) {
        agrees = agrees && parts[c] == 1;
    }
    free(root);
    free(volume);
    free(owner);
    free(parts);
    return agrees;
}

typedef struct bodily {
    double mass, volume;
    lim_point momentum;
} bodily;

static bodily bodily_of(const lim_world* world, lim_body id) {
    lim_body_motion m;
    CHECK(lim_body_get_motion(world, id, &m) == LIM_OK);
    return (bodily){(double)m.mass, cut_look(cut_body_of(world, id)).volume,
                    p3(m.momentum[0], m.momentum[1], m.momentum[2])};
}

static void check_whole(const lim_world* world, lim_body id, const bodily* before) {
    const topology* t = cut_body_of(world, id)->topology;
    cut_facts f = cut_look(cut_body_of(world, id));
    bodily now = bodily_of(world, id);
    CHECK(f.closed && f.finite && skin_agrees(t));
    CHECK_NEAR(now.mass / before->mass, 1.0, 1e-5);
    CHECK_NEAR(now.volume / before->volume, 1.0, 1e-3);
    CHECK_NEAR(f.nodes / f.matter, 1.0, 1e-4);
}

static void a_bar_tears_at_its_seam(void) {
    for (int round = 0; round < 4; ++round) {
        lim_model* model = make_model("bar", 1500, 300, round % 2);
        double share = round < 2 ? 0.35 : 0.6;
        lim_zone seam = seam_at(model, share, 0.4f);
        lim_fracture fracture = lim_fracture_default();
        rack r = make_rack(model, 1, NULL);
        fracture.strain = 0.5f;
        fracture.zones = &seam;
        fracture.zone_count = 1;
        CHECK(lim_body_set_fracture(r.world, r.bar, &fracture) == LIM_OK);
        bodily before = bodily_of(r.world, r.bar);
        int32_t torn = 0, steps = 0;
        while (topology_of(&r)->component_count == 1 && r.steps < 120) {
            lim_point at;
            CHECK(pull(&r) == LIM_OK);
            int32_t now = torn_now(r.world, &at);
            CHECK(now <= fracture.most);
            torn += now;
            steps += now > 0;
            if (now > 0) {
                check_whole(r.world, r.bar, &before);
            }
        }
        const topology* t = topology_of(&r);
        printf("  seam at %.2f: torn after %d steps, %d links in %d steps, %d pieces, nodes %d\n",
               share, r.steps, torn, steps, t->component_count, t->node_count);
        CHECK(t->component_count == 2 && torn > 0);
        /* where: the two pieces meet at the seam */
        lim_model_info info = lim_model_get_info(model);
        double length = info.bounds.upper.x - info.bounds.lower.x, end = -1e9, begin = 1e9;
        int32_t first = 0;
        for (int32_t i = 0; i < t->node_count; ++i) {
            lim_point p = topology_place(t, t->node_slot[i]);
            first = p.x < topology_place(t, t->node_slot[first]).x ? i : first;
        }
        for (int32_t i = 0; i < t->node_count; ++i) {
            int32_t slot = t->node_slot[i];
            double x = topology_place(t, slot).x;
            bool left = t->slot_component[slot] == t->slot_component[t->node_slot[first]];
            end = left ? fmax(end, x) : end;
            begin = left ? begin : fmin(begin, x);
        }
        double at = (0.5 * (begin + end) - info.bounds.lower.x) / length;
        printf("  pieces meet at %.3f\n", at);
        CHECK(fabs(at - share) < 0.08);
        for (int k = 0; k < 30; ++k) {
            CHECK(pull(&r) == LIM_OK);
        }
        check_whole(r.world, r.bar, &before);
        lim_world_destroy(r.world);
        lim_model_destroy(model);
    }
}

int main(int argc, char** argv) {
    TEST_BEGIN(argc, argv);
    RUN(a_bar_tears_at_its_seam);
    TEST_END();
}
