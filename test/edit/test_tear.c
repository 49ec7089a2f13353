/* SPDX-License-Identifier: MIT
 * Bodies that tear: where their seams are, or where they are strained most; never at rest, in free
 * flight or as a whole turning; at most so many links in a step; what comes off is whole, and the
 * same for any workers and after a save in between.
 */
#include "base/hash.h"
#include "cut_checks.h"
#include "edit/tear.h"
#include "edit/turns.h"
#include "failing_host.h"
#include "kind_rows.h"
#include "scenes/models.h"

static const float STEP = 1.0f / 60.0f;

static lim_model* make_model(const char* name, int32_t triangles, int32_t nodes, int32_t coarsen) {
    lim_mesh* mesh = NULL;
    lim_model* model = NULL;
    lim_model_desc desc = lim_model_desc_default();
    desc.kind = kind_id(kind_now);
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

static const topology* topology_of(const rack* r) {
    return cut_body_of(r->world, r->bar)->topology;
}

/* However many blades part its links in a step, the topology of a body is made anew once for each
 * piece that tears. */
static lim_result pull(rack* r) {
    for (int k = 0; k < 2; ++k) {
        r->x[k] += (k == 0 ? -0.5 : 0.5) * r->speed * (double)STEP;
        CHECK(lim_pin_move(r->world, r->pin[k], (lim_point){r->x[k], 0, 0},
                           (lim_quat){0, 0, 0, 1}) == LIM_OK);
    }
    r->steps++;
    uint64_t revision = topology_of(r)->revision;
    uint64_t most = (uint64_t)topology_of(r)->component_count;
    lim_result result = lim_world_step(r->world, STEP);
    CHECK(topology_of(r)->revision <= revision + most);
    return result;
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
        if (owner[i] >= 0 && root[i] == i && volume[i] > 1e-11 * cell) {
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
    double mass, volume, nodes;
    lim_point momentum;
} bodily;

static bodily bodily_of(const lim_world* world, lim_body id) {
    lim_body_motion m;
    CHECK(lim_body_get_motion(world, id, &m) == LIM_OK);
    cut_facts f = cut_look(cut_body_of(world, id));
    return (bodily){(double)m.mass, f.volume, f.nodes,
                    p3(m.momentum[0], m.momentum[1], m.momentum[2])};
}

static void check_whole(const lim_world* world, lim_body id, const bodily* before) {
    const topology* t = cut_body_of(world, id)->topology;
    cut_facts f = cut_look(cut_body_of(world, id));
    bodily now = bodily_of(world, id);
    CHECK(f.closed && f.finite && skin_agrees(t));
    CHECK_NEAR(now.mass / before->mass, 1.0, 1e-5);
    CHECK_NEAR(now.volume / before->volume, 1.0, 1e-3);
    CHECK_NEAR(f.nodes / before->nodes, 1.0, 1e-4);
    CHECK(kind_has_corners(kind_now) || fabs(f.nodes / f.matter - 1.0) < 1e-4);
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

static void a_bar_without_a_seam_tears_somewhere(void) {
    lim_model* model = make_model("bar", 1500, 300, 0);
    lim_fracture fracture = lim_fracture_default();
    rack r = make_rack(model, 1, NULL);
    fracture.strain = 0.25f;
    fracture.most = 3;
    CHECK(lim_body_set_fracture(r.world, r.bar, &fracture) == LIM_OK);
    bodily before = bodily_of(r.world, r.bar);
    while (topology_of(&r)->component_count == 1 && r.steps < 240) {
        lim_point at;
        CHECK(pull(&r) == LIM_OK);
        CHECK(torn_now(r.world, &at) <= 3);
        check_whole(r.world, r.bar, &before);
    }
    CHECK(topology_of(&r)->component_count >= 2);
    /* Pieces become bodies that tear as it did. */
    lim_body piece[16];
    lim_fracture has;
    int32_t count = 0;
    CHECK(lim_body_split(r.world, r.bar, piece, 16, &count) == LIM_OK && count > 0);
    CHECK(lim_body_get_fracture(r.world, piece[0], &has) && has.most == 3);
    CHECK(lim_world_step(r.world, STEP) == LIM_OK);
    lim_world_destroy(r.world);
    lim_model_destroy(model);
}

/* Whatever is pulled about as a whole keeps its links. */
static void nothing_tears_that_is_not_strained(void) {
    lim_model* model = make_model("liver", 2000, 400, 1);
    lim_fracture fracture = lim_fracture_default();
    fracture.strain = 0.01f;
    for (int round = 0; round < 3; ++round) {
        lim_world* world = empty_world(1, NULL);
        lim_body_desc desc = lim_body_desc_default();
        lim_body id;
        desc.model = model;
        desc.material.young = 200e3f;
        desc.position = (lim_point){1000.0, 5.0, -300.0};
        desc.angular_velocity = round == 1 ? (lim_vec3){0.6f, 0.8f, -0.3f} : (lim_vec3){0, 0, 0};
        CHECK(lim_body_create(world, &desc, &id) == LIM_OK);
        CHECK(lim_body_set_fracture(world, id, &fracture) == LIM_OK);
        lim_vec3 gravity = {0, round == 2 ? -9.81f : 0.0f, 0};
        CHECK(lim_world_set_gravity(world, gravity) == LIM_OK);
        const topology* t = cut_body_of(world, id)->topology;
        for (int k = 0; k < 180; ++k) {
            lim_point at;
            CHECK(lim_world_step(world, STEP) == LIM_OK && torn_now(world, &at) == 0);
        }
        CHECK(cut_body_of(world, id)->topology == t);
        lim_world_destroy(world);
    }
    lim_model_destroy(model);
}

static bool has_bit(uint64_t mask, const int at[3]) {
    return (mask >> (at[0] + 4 * at[1] + 16 * at[2]) & 1) != 0;
}

/* Of two corners of a lattice: a cell has material on both sides of the middle between them, in the
 * quarter that is next to their link. All others have it. */
static bool is_material(const topology* t, int32_t i, int32_t k, int axis) {
    bool found = t->kind->nodes != LIM_NODES_AT_CORNERS;
    for (int32_t n = 0; n < 64 * t->matter.count && !found; ++n) {
        int32_t f = n / 64, a = n / 8 % 8, b = n % 8;
        if (t->bind.corner[8 * f + a] != i || t->bind.corner[8 * f + b] != k) {
            continue;
        }
        for (int quarter = 0; quarter < 4; ++quarter) {
            int low[3], high[3], u = (axis + 1) % 3, v = (axis + 2) % 3;
            low[axis] = 1;
            high[axis] = 2;
            low[u] = high[u] = 2 * (a >> u & 1) + (quarter & 1);
            low[v] = high[v] = 2 * (a >> v & 1) + (quarter >> 1);
            found = found || (has_bit(t->matter.mask[f], low) && has_bit(t->matter.mask[f], high));
        }
    }
    return found;
}

/* Against a measure of its own: what is over its limit, and no more than `most`, breaks. */
static void only_links_over_the_limit_break(void) {
    lim_model* model = make_model("bar", 1500, 300, 0);
    lim_fracture fracture = lim_fracture_default();
    rack r = make_rack(model, 1, NULL);
    fracture.strain = 0.3f;
    fracture.most = 0;
    bool tore = false;
    CHECK(lim_body_set_fracture(r.world, r.bar, &fracture) == LIM_OK);
    while (!tore && r.steps < 240) {
        const body* b = cut_body_of(r.world, r.bar);
        const topology* t = b->topology;
        int32_t over = 0;
        for (int32_t i = 0; i < t->slot_count; ++i) {
            for (int32_t e = t->edge_offset[i]; e < t->edge_offset[i + 1]; ++e) {
                int32_t k = t->edge_node[e], beside = 0;
                octant p = octant_of(t->key[i]), q = octant_of(t->key[k]);
                beside += p.x != q.x;
                beside += p.y != q.y;
                beside += p.z != q.z;
                double now = p3_length(p3_sub(body_slot_local(b, i), body_slot_local(b, k)));
                double rest = p3_length(p3_sub(body_slot_rest(t, i), body_slot_rest(t, k)));
                int axis = p.x != q.x ? 0 : p.y != q.y ? 1 : 2;
                over += i < k && beside == 1 && now > 1.3 * rest && is_material(t, i, k, axis);
            }
        }
        lim_point at;
        CHECK(pull(&r) == LIM_OK);
        int32_t torn = torn_now(r.world, &at);
        CHECK(torn == over);
        tore = torn > 0;
        /* about where the bar is */
        CHECK(!tore || (fabs(at.x) < fabs(r.x[0]) && fabs(at.y) < 0.3 && fabs(at.z) < 0.3));
    }
    CHECK(tore);
    /* Not any more without limits. */
    CHECK(lim_body_set_fracture(r.world, r.bar, NULL) == LIM_OK);
    CHECK(!lim_body_get_fracture(r.world, r.bar, &fracture) && fracture.most == 8);
    int32_t parts = topology_of(&r)->component_count;
    for (int k = 0; k < 10; ++k) {
        lim_point at;
        CHECK(pull(&r) == LIM_OK && torn_now(r.world, &at) == 0);
    }
    CHECK(topology_of(&r)->component_count == parts);
    lim_world_destroy(r.world);
    lim_model_destroy(model);
}

static void same_surface(const topology* a, const topology* b) {
    CHECK(a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count);
    CHECK(a->point_count == b->point_count && a->source_count == b->source_count);
    CHECK(a->bind.count == b->bind.count && a->felt_count == b->felt_count);
    CHECK(a->submesh_count == b->submesh_count);
    if (test_failures_here > 0) {
        return;
    }
    size_t n = (size_t)a->vertex_count, m = (size_t)a->triangle_count;
    CHECK(memcmp(a->position, b->position, n * sizeof *a->position) == 0);
    CHECK(memcmp(a->normal, b->normal, 3 * n * sizeof *a->normal) == 0);
    CHECK(a->uv == NULL || memcmp(a->uv, b->uv, 2 * n * sizeof *a->uv) == 0);
    CHECK(memcmp(a->vertex_point, b->vertex_point, n * sizeof *a->vertex_point) == 0);
    CHECK(memcmp(a->source, b->source, (size_t)a->source_count * sizeof *a->source) == 0);
    CHECK(memcmp(a->indices, b->indices, 3 * m * sizeof *a->indices) == 0);
    CHECK(memcmp(a->submesh, b->submesh, m * sizeof *a->submesh) == 0);
    CHECK(memcmp(a->felt, b->felt, 3 * (size_t)a->felt_count * sizeof *a->felt) == 0);
    for (int k = 0; k < 3; ++k) {
        size_t bytes = (size_t)a->bind.count * sizeof(float);
        CHECK(memcmp(a->bind.rest[k], b->bind.rest[k], bytes) == 0);
    }
}

/* Whichever allocation of an edit by several blades fails, there is no body, and no memory is kept.
 */
static void refuse_memory(const rack* r, const fracture_plan* breaks, int32_t inner) {
    const body* b = cut_body_of(r->world, r->bar);
    lim_result result = LIM_ERROR_MEMORY;
    int32_t refused = 0;
    for (int64_t fail = 0; result != LIM_OK && fail < 100000; fail += 1 + fail / 12) {
        failing_host f;
        failing_host_arm(&f, -1);
        f.fail_at = f.allocations + fail;
        arena a;
        arena_init(&a, &f.host);
        edit_means with = {&f.host, r->world->set, r->world->pool, &a};
        edit_made made;
        uint8_t* parted;
        result = edit_tear(&with, b, &(tear_plan){breaks, inner, 7, true}, &made, &parted);
        CHECK(result == LIM_OK || result == LIM_ERROR_MEMORY);
        refused += result != LIM_OK;
        if (result == LIM_OK) {
            body_destroy(&made.body);
        }
        arena_release(&a);
        CHECK(f.held == 0);
    }
    CHECK(result == LIM_OK && refused > 20);
}

/* An edit of a body by blades at rest, each a whole one after the other. */
static topology* cut_in_turn(const edit_means* with, const body* b, const cut_blade* blade,
                             int32_t count) {
    edit_made made;
    edit_blade* all = ARENA_ARRAY(with->a, edit_blade, count);
    for (int32_t k = 0; k < count; ++k) {
        all[k] = (edit_blade){0, blade[k]};
    }
    edit_cut_plan plan = {.base = b->topology,
                          .blade = all,
                          .blade_count = count,
                          .inner_submesh = b->topology->own_submeshes,
                          .stroke = 7};
    CHECK(edit_cut(with, b, &plan, &made) == LIM_OK);
    topology* t = made.body.topology;
    topology_retain(t);
    body_destroy(&made.body);
    /* fewer where one misses */
    CHECK(t->revision > b->topology->revision + 1 &&
          t->revision <= b->topology->revision + (uint64_t)count);
    return t;
}

static void same_material(const matter* a, const matter* b) {
    CHECK(a->count == b->count && a->wall_count == b->wall_count);
    CHECK(memcmp(a->key, b->key, (size_t)a->count * sizeof *a->key) == 0);
    CHECK(memcmp(a->mask, b->mask, (size_t)a->count * sizeof *a->mask) == 0);
    CHECK(memcmp(a->wall, b->wall, (size_t)a->wall_count * sizeof *a->wall) == 0);
}

/* Some links of all ways about the middle of a body, at random. */
static const float* strain_about(arena* a, const topology* t, int round) {
    float* strain = ARENA_ARRAY(a, float, t->edge_count);
    uint64_t state = (uint64_t)round;
    for (int32_t i = 0; i < t->slot_count; ++i) {
        for (int32_t e = t->edge_offset[i]; e < t->edge_offset[i + 1]; ++e) {
            lim_point middle =
                p3_scale(p3_add(body_slot_rest(t, i), body_slot_rest(t, t->edge_node[e])), 0.5);
            state = hash_mix(state + 0x9E3779B97F4A7C15u);
            bool near = p3_length(middle) < 3.0 * (double)t->cell;
            strain[e] = near && state % 3 == 0 ? 2.0f + (float)(state >> 40) * 0x1p-24f : 0.0f;
        }
    }
    return strain;
}

/* The blades of one edit against as many cuts of the whole: with the blades of each axis as one the
 * same surface and the same material; with each blade by itself the same but for its order. Only
 * where points of the skin lie on it may differ, as one question is asked after all blades. */
static void blades_together_are_cuts_in_turn(void) {
    static const char* const sort[] = {"sphere", "bar"};
    int32_t crossing = 0;
    for (int round = 0; round < (test_long ? 12 : 3); ++round) {
        lim_model* model = make_model(sort[round % 2], 1500, 300, round / 2 % 2);
        rack r = make_rack(model, 1, NULL);
        const body* b = cut_body_of(r.world, r.bar);
        arena a;
        arena_init(&a, &r.world->host);
        fracture_links links;
        fracture_plan breaks = {0};
        CHECK(tear_measure(&a, b, &(tear_limit){.strain = 1.0f}, &links) == LIM_OK);
        links.strain = strain_about(&a, b->topology, round);
        CHECK(fracture_plan_make(&a, &links, 8 + 2 * round, 7, &breaks) == LIM_OK);
        edit_means with = {&r.world->host, r.world->set, r.world->pool, &a};
        int32_t inner = b->topology->own_submeshes, axes = 0;
        edit_made together;
        uint8_t* parted = NULL;
        CHECK(edit_tear(&with, b, &(tear_plan){&breaks, inner, 7, false}, &together, &parted) ==
              LIM_OK);
        cut_blade joined[3];
        for (int32_t axis = 0; axis < 3; ++axis) {
            const cut_blade** of = arena_alloc(&a, (size_t)breaks.blade_count, sizeof *of);
            int32_t count = 0;
            for (int32_t k = 0; k < breaks.blade_count; ++k) {
                if (breaks.blade_axis[k] == axis) {
                    CHECK(parted[k]);
                    of[count++] = &breaks.blade[k];
                }
            }
            CHECK(turns_join(&a, of, count, &joined[axes]) == LIM_OK);
            axes += count > 0;
        }
        const topology* one = together.body.topology;
        topology* by_axis = cut_in_turn(&with, b, joined, axes);
        topology* by_plane = cut_in_turn(&with, b, breaks.blade, breaks.blade_count);
        printf("  %d links, %d blades in %d turns, %d triangles more\n", breaks.broken,
               breaks.blade_count, axes, one->triangle_count - b->topology->triangle_count);
        CHECK(axes > 1 && axes < breaks.blade_count && one->component_count == 1);
        CHECK(one->revision == b->topology->revision + 1);
        same_surface(one, by_axis);
        same_material(&one->matter, &by_axis->matter);
        CHECK(one->triangle_count == by_plane->triangle_count);
        CHECK(one->point_count == by_plane->point_count);
        same_material(&one->matter, &by_plane->matter);
        if (round == 0) {
            refuse_memory(&r, &breaks, inner);
        }
        body_destroy(&together.body);
        /* Taken for blades that do not meet, those that do find no sound cut, and go one by one. */
        memset(breaks.blade_axis, 0, (size_t)breaks.blade_count * sizeof *breaks.blade_axis);
        const cut_blade** of = arena_alloc(&a, (size_t)breaks.blade_count, sizeof *of);
        for (int32_t k = 0; k < breaks.blade_count; ++k) {
            of[k] = &breaks.blade[k];
        }
        cut_blade all;
        surface_cut skin;
        CHECK(turns_join(&a, of, breaks.blade_count, &all) == LIM_OK);
        if (surface_cut_make(&a, b->topology, &all, -1, 7, inner, &skin) == LIM_ERROR_UNSUPPORTED) {
            tear_plan plan = {&breaks, inner, 7, false};
            CHECK(edit_tear(&with, b, &plan, &together, &parted) == LIM_OK);
            same_surface(together.body.topology, by_plane);
            same_material(&together.body.topology->matter, &by_plane->matter);
            CHECK(together.body.topology->revision == b->topology->revision + 1);
            body_destroy(&together.body);
            crossing++;
        }
        topology_release(by_axis);
        topology_release(by_plane);
        arena_release(&a);
        lim_world_destroy(r.world);
        lim_model_destroy(model);
    }
    CHECK(crossing > 0);
}

/* Tearing in flight: a body that flies apart, of itself, keeps its momentum. */
static void momentum_is_kept(void) {
    lim_model* model = make_model("torus", 2000, 400, 1);
    lim_world* world = empty_world(1, NULL);
    lim_body_desc desc = lim_body_desc_default();
    lim_fracture fracture = lim_fracture_default();
    lim_body id;
    desc.model = model;
    desc.material.young = 5e3f;
    desc.velocity = (lim_vec3){1.0f, 2.0f, -0.5f};
    desc.angular_velocity = (lim_vec3){0.0f, 15.0f, 9.0f};
    CHECK(lim_body_create(world, &desc, &id) == LIM_OK);
    fracture.strain = 0.15f;
    CHECK(lim_body_set_fracture(world, id, &fracture) == LIM_OK);
    bodily before = bodily_of(world, id);
    int32_t torn = 0;
    for (int k = 0; k < 8; ++k) {
        lim_point at;
        CHECK(lim_world_step(world, STEP) == LIM_OK);
        torn += torn_now(world, &at);
        bodily now = bodily_of(world, id);
        double scale = p3_length(before.momentum);
        CHECK(p3_length(p3_sub(now.momentum, before.momentum)) < 1e-3 * scale);
    }
    check_whole(world, id, &before);
    printf("  %d links, %d pieces\n", torn, cut_body_of(world, id)->topology->component_count);
    CHECK(torn > 0);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* Shapes of all sorts, held at one end, the other end drawn away and turned. */
static void all_sorts_of_bodies_tear(void) {
    static const struct {
        const char* name;
        int32_t nodes, coarsen;
    } sort[] = {{"sphere", 400, 0}, {"liver", 500, 1}, {"hand", 600, 1}, {"torus", 400, 2}};
    int32_t torn = 0, more = 0;
    for (int i = 0; i < (test_long ? 80 : 6); ++i) {
        int k = test_long || i < 5 ? i : 26; /* a small piece of a hand lost all of its skin */
        lim_model* model =
            make_model(sort[k % 4].name, 3000, sort[k % 4].nodes, sort[k % 4].coarsen);
        lim_fracture fracture = lim_fracture_default();
        rack r = make_rack(model, 1, NULL);
        fracture.strain = 0.1f + 0.05f * (float)(k / 4 % 7);
        fracture.most = 1 + k % 10;
        r.speed = 1.0 + 0.3 * (k / 4 % 5);
        CHECK(lim_body_set_fracture(r.world, r.bar, &fracture) == LIM_OK);
        bodily before = bodily_of(r.world, r.bar);
        int32_t own = 0;
        for (int step = 0; step < 60 && own < 40; ++step) {
            lim_point at;
            CHECK(pull(&r) == LIM_OK);
            int32_t now = torn_now(r.world, &at);
            own += now;
            if (now > 0) {
                check_whole(r.world, r.bar, &before);
            }
        }
        torn += own;
        more += topology_of(&r)->component_count - 1;
        printf("  %s: %d pieces\n", sort[k % 4].name, topology_of(&r)->component_count);
        lim_world_destroy(r.world);
        lim_model_destroy(model);
    }
    printf("  %d links, %d pieces more\n", torn, more);
    CHECK(torn > 100);
}

/* Triangles of the skin between material that is not joined: threads over a crack. */
static int32_t count_threads(const topology* t) {
    const matter* m = &t->matter;
    int32_t threads = 0;
    for (int32_t i = 0; i < t->triangle_count; ++i) {
        bool joined = true;
        for (int k = 0; k < 3; ++k) {
            int32_t a = t->point_home[t->vertex_point[t->indices[3 * i + k]]];
            int32_t b = t->point_home[t->vertex_point[t->indices[3 * i + (k + 1) % 3]]];
            bool found = a == b;
            for (int32_t e = m->edge_offset[a]; e < m->edge_offset[a + 1] && !found; ++e) {
                found = m->edge_node[e] == b;
            }
            joined = joined && found;
        }
        threads += !joined;
    }
    return threads;
}

/* A sheet with a seam is drawn apart at its upper corners: it tears from the top, a row of cells
 * after the other, and where one blade goes on from the last no skin spans the crack. */
static void cracks_have_no_threads(void) {
    lim_model* model = make_model("sheet", 3000, 900, 0);
    lim_model_info info = lim_model_get_info(model);
    lim_zone seam = seam_at(model, 0.5, 0.15f);
    lim_world* world = empty_world(1, NULL);
    lim_body_desc desc = lim_body_desc_default();
    lim_fracture fracture = lim_fracture_default();
    lim_body id;
    lim_pin pin[2];
    desc.model = model;
    desc.material.young = 60e3f;
    desc.material.damping_time = 0.2f;
    CHECK(lim_body_create(world, &desc, &id) == LIM_OK);
    fracture.strain = 1.5f;
    fracture.zones = &seam;
    fracture.zone_count = 1;
    CHECK(lim_body_set_fracture(world, id, &fracture) == LIM_OK);
    lim_body_motion motion;
    CHECK(lim_body_get_motion(world, id, &motion) == LIM_OK);
    lim_box box = motion.bounds;
    double length = info.bounds.upper.x - info.bounds.lower.x, torn = 0;
    for (int k = 0; k < 2; ++k) {
        lim_pin_desc hold = lim_pin_desc_default();
        hold.body = id;
        hold.shape = LIM_SHAPE_BOX;
        hold.size = (lim_vec3){0.16f * (float)length, 0.16f * (float)length, 1.0f};
        hold.position = (lim_point){k == 0 ? box.lower.x : box.upper.x, box.upper.y, 0};
        CHECK(lim_pin_create(world, &hold, &pin[k]) == LIM_OK);
    }
    int32_t threads = 0, steps = 0;
    for (int step = 0; step < 90; ++step) {
        lim_point at;
        for (int k = 0; k < 2; ++k) {
            double x = (k == 0 ? box.lower.x : box.upper.x) +
                       (k == 0 ? -0.4 : 0.4) * length * fmin(step / 80.0, 1.0);
            CHECK(lim_pin_move(world, pin[k], (lim_point){x, box.upper.y, 0},
                               (lim_quat){0, 0, 0, 1}) == LIM_OK);
        }
        CHECK(lim_world_step(world, STEP) == LIM_OK);
        int32_t now = torn_now(world, &at);
        torn += now;
        steps += now > 0;
        int32_t has = count_threads(cut_body_of(world, id)->topology);
        threads = has > threads ? has : threads;
    }
    int32_t triangles = cut_body_of(world, id)->topology->triangle_count;
    printf("  %.0f links in %d steps, at most %d threads of %d triangles\n", torn, steps, threads,
           triangles);
    CHECK(torn > 10 && steps > 4);
    CHECK(threads <= triangles / 500);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

static rack seamed_rack(const lim_model* model, const lim_zone* seam, int32_t threads,
                        const lim_host* host) {
    rack r = make_rack(model, threads, host);
    lim_fracture fracture = lim_fracture_default();
    fracture.strain = 0.5f;
    fracture.most = 3;
    fracture.zones = seam;
    fracture.zone_count = 1;
    CHECK(lim_body_set_fracture(r.world, r.bar, &fracture) == LIM_OK);
    return r;
}

/* A bar of little more than one cell, 1.2 of them: beyond the middle of its outer cells there is
 * skin, but no sub-voxel. Material and skin part together, or the skin would hold it. */
static void a_thin_bar_comes_apart(void) {
    const int32_t cells[3] = {24, 3, 3};
    lim_mesh* mesh = NULL;
    lim_model* model = NULL;
    lim_model_desc desc = lim_model_desc_default();
    desc.kind = kind_id(kind_now);
    desc.cell_size = 0.1f;
    CHECK(box_mesh(1.2, 0.12, 0.12, cells, NULL, &mesh) == LIM_OK);
    CHECK(lim_model_create(mesh, &desc, NULL, &model) == LIM_OK);
    lim_mesh_destroy(mesh);
    lim_zone seam = seam_at(model, 0.5, 0.3f);
    rack r = seamed_rack(model, &seam, 1, NULL);
    bodily before = bodily_of(r.world, r.bar);
    while (topology_of(&r)->component_count == 1 && r.steps < 90) {
        CHECK(pull(&r) == LIM_OK);
    }
    check_whole(r.world, r.bar, &before);
    printf("  %d pieces after %d steps, %d glued\n", topology_of(&r)->component_count, r.steps,
           topology_of(&r)->matter.glued_edges);
    CHECK(topology_of(&r)->component_count >= 2);
    lim_world_destroy(r.world);
    lim_model_destroy(model);
}

static void same_bits_for_any_workers_and_after_a_save(void) {
    lim_model* model = make_model("bar", 1500, 300, 1);
    lim_zone seam = seam_at(model, 0.4, 0.3f);
    rack one = seamed_rack(model, &seam, 1, NULL);
    rack two = seamed_rack(model, &seam, 2, NULL), three = seamed_rack(model, &seam, 3, NULL);
    rack loaded = {0}, back = {0};
    int32_t torn = 0;
    lim_snapshot* kept = NULL;
    for (int step = 0; step < 45; ++step) {
        lim_point at;
        CHECK(pull(&one) == LIM_OK && pull(&two) == LIM_OK && pull(&three) == LIM_OK);
        uint64_t hash = lim_world_hash(one.world);
        CHECK(hash == lim_world_hash(two.world) && hash == lim_world_hash(three.world));
        torn += torn_now(one.world, &at);
        if (loaded.world != NULL) {
            CHECK(pull(&loaded) == LIM_OK && lim_world_hash(loaded.world) == hash);
        } else if (torn > 0) { /* in the middle of it */
            CHECK(topology_of(&one)->component_count == 1);
            lim_world_desc desc = lim_world_desc_default();
            size_t size = 0;
            CHECK(lim_world_save(one.world, NULL, 0, &size) == LIM_OK);
            void* bytes = malloc(size);
            CHECK(lim_world_save(one.world, bytes, size, &size) == LIM_OK);
            loaded = one;
            CHECK(lim_world_load(bytes, size, desc.workers, NULL, &loaded.world) == LIM_OK);
            free(bytes);
            lim_fracture has;
            CHECK(lim_body_get_fracture(loaded.world, loaded.bar, &has));
            CHECK(has.zone_count == 1 && has.most == 3 && has.zones != NULL);
            CHECK_NEAR((double)has.zones[0].stiffness, (double)0.3f, 0.0);
            CHECK(lim_world_hash(loaded.world) == hash);
            CHECK(lim_snapshot_create(one.world, &kept) == LIM_OK);
            back = one;
        }
    }
    CHECK(topology_of(&one)->component_count == 2 && torn > 3);
    uint64_t end = lim_world_hash(one.world);
    /* Back to the middle, and on. */
    CHECK(lim_snapshot_restore(one.world, kept) == LIM_OK);
    CHECK(topology_of(&one)->component_count == 1);
    while (back.steps < 45) {
        CHECK(pull(&back) == LIM_OK);
    }
    CHECK(lim_world_hash(one.world) == end);
    /* Limits are state. */
    CHECK(lim_body_set_fracture(one.world, one.bar, NULL) == LIM_OK);
    CHECK(lim_world_hash(one.world) != end);
    lim_snapshot_destroy(kept);
    lim_world_destroy(one.world);
    lim_world_destroy(two.world);
    lim_world_destroy(three.world);
    lim_world_destroy(loaded.world);
    lim_model_destroy(model);
}

/* Whichever allocation fails, the body is whole or torn, and all memory comes back. */
static void no_memory_tears_nothing(void) {
    lim_model* model = make_model("bar", 600, 64, 0);
    lim_zone seam = seam_at(model, 0.5, 0.3f);
    int32_t refused = 0, tore = 0, last = 0; /* steps before it tears */
    rack whole = seamed_rack(model, &seam, 1, NULL);
    for (const topology* t = topology_of(&whole); topology_of(&whole) == t && last < 60; ++last) {
        CHECK(pull(&whole) == LIM_OK);
    }
    last--;
    lim_world_destroy(whole.world);
    for (int64_t fail = 0; fail < 100000 && tore < 2; fail += 1 + fail / 24) {
        failing_host f;
        failing_host_arm(&f, -1);
        rack r = seamed_rack(model, &seam, 1, &f.host);
        lim_point at;
        while (r.steps < last) {
            CHECK(pull(&r) == LIM_OK);
        }
        const topology* before = topology_of(&r);
        uint64_t number = r.world->bodies[r.bar.index]->stroke.number;
        f.fail_at = f.allocations + fail;
        lim_result result = pull(&r);
        f.fail_at = -1;
        CHECK(result == LIM_OK || result == LIM_ERROR_MEMORY);
        bool torn = topology_of(&r) != before;
        CHECK(torn || r.world->bodies[r.bar.index]->stroke.number == number);
        refused += !torn;
        tore += torn && result == LIM_OK;
        cut_facts facts = cut_look(cut_body_of(r.world, r.bar));
        CHECK(facts.closed && facts.finite && skin_agrees(topology_of(&r)));
        /* and goes on */
        for (int k = 0; k < 3; ++k) {
            CHECK(pull(&r) == LIM_OK);
        }
        torn_now(r.world, &at);
        lim_world_destroy(r.world);
        CHECK(f.held == 0);
    }
    printf("  %d refused, %d torn\n", refused, tore);
    CHECK(refused > 20 && tore > 0);
    lim_model_destroy(model);
}

static void bad_limits_are_refused(void) {
    lim_model* model = make_model("bar", 600, 64, 0);
    lim_zone seam = seam_at(model, 0.5, 0.3f);
    rack r = seamed_rack(model, &seam, 1, NULL);
    uint64_t hash = lim_world_hash(r.world);
    for (int k = 0; k < 8; ++k) {
        lim_fracture f = lim_fracture_default();
        lim_zone zone = seam;
        f.zones = &zone;
        f.zone_count = k == 3 ? -1 : 1;
        f.cookie = k == 0 ? 0 : f.cookie;
        f.strain = k == 1 ? -0.1f : k == 2 ? NAN : 0.3f;
        f.zones = k == 4 ? NULL : f.zones;
        f.most = k == 5 ? -1 : 8;
        f.inner_submesh = k == 6 ? 100 : -1;
        zone.density = k == 7 ? 2.0f : 1.0f;
        lim_result result = lim_body_set_fracture(r.world, r.bar, &f);
        CHECK(result != LIM_OK && lim_world_hash(r.world) == hash);
    }
    lim_body none = {77, 1};
    CHECK(lim_body_set_fracture(r.world, none, NULL) == LIM_ERROR_ID);
    CHECK(lim_body_set_fracture(NULL, none, NULL) == LIM_ERROR_ARGUMENT);
    lim_world_destroy(r.world);
    lim_model_destroy(model);
    /* Points have no material. */
    lim_mesh* mesh = NULL;
    lim_model_desc desc = lim_model_desc_default();
    desc.kind = LIM_KIND_POINTS;
    desc.node_count = 200;
    CHECK(model_mesh("bar", 600, NULL, &mesh) == LIM_OK);
    CHECK(lim_model_create(mesh, &desc, NULL, &model) == LIM_OK);
    lim_mesh_destroy(mesh);
    lim_world* world = empty_world(1, NULL);
    lim_body_desc made = lim_body_desc_default();
    lim_body id;
    lim_fracture f = lim_fracture_default();
    made.model = model;
    CHECK(lim_body_create(world, &made, &id) == LIM_OK);
    CHECK(lim_body_set_fracture(world, id, &f) == LIM_ERROR_UNSUPPORTED);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

TEST_SUITE(tear) {
    TEST_BEGIN(argc, argv);
    if (TEST_RACES) {
        RUN(same_bits_for_any_workers_and_after_a_save);
        TEST_END();
    }
    for (int k = 0; (k = kind_edited(k)) >= 0; ++k) {
        kind_choose(k);
        RUN(a_bar_tears_at_its_seam);
        RUN(a_bar_without_a_seam_tears_somewhere);
        RUN(nothing_tears_that_is_not_strained);
        RUN(only_links_over_the_limit_break);
        RUN(blades_together_are_cuts_in_turn);
        RUN(momentum_is_kept);
        RUN(all_sorts_of_bodies_tear);
        RUN(cracks_have_no_threads);
        RUN(a_thin_bar_comes_apart);
        RUN(same_bits_for_any_workers_and_after_a_save);
        RUN(no_memory_tears_nothing);
    }
    kind_choose(KIND_ROWS);
    RUN(bad_limits_are_refused);
    TEST_END();
}
