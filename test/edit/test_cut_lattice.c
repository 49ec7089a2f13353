/* SPDX-License-Identifier: MIT
 * Lattices under the knife, against brute force: which nodes the corners of cut cells have, what is
 * linked, which nodes a region holds, what a corner weighs. Two halves of a box fall alike, and
 * bricks come to rest.
 */
#include "base/random.h"
#include "edit_kit.h"

#include <string.h>

static lim_model* lattice_model(const char* name, int32_t triangles, int32_t nodes, float width,
                                const lim_zone* zone) {
    lim_mesh* mesh = NULL;
    lim_model* model = NULL;
    lim_model_desc desc = lim_model_desc_default();
    desc.kind = LIM_KIND_LATTICE;
    desc.node_count = nodes;
    desc.region_width = width;
    desc.zones = zone;
    desc.zone_count = zone != NULL;
    CHECK(model_mesh(name, triangles, NULL, &mesh) == LIM_OK);
    CHECK(lim_model_create(mesh, &desc, NULL, &model) == LIM_OK);
    lim_mesh_destroy(mesh);
    return model;
}

static const topology* topology_in(const lim_world* world, lim_body id) {
    return world->bodies[id.index]->body.topology;
}

/* A blade of some length through a place in the box, straight, in any direction. */
static lim_result random_cut(lim_world* world, lim_body id, random_stream* r, double share) {
    lim_box box = edit_motion(world, id).bounds;
    lim_point size = p3_sub(box.upper, box.lower);
    double reach = share * p3_length(size);
    lim_point at = p3_mad(box.lower, size, (double)random_range(r, 0.3f, 0.7f));
    lim_point along = p3((double)random_range(r, -1, 1), 1.0, (double)random_range(r, -1, 1));
    lim_point across = p3_cross(along, p3((double)random_range(r, -1, 1), 0.1, 1.0));
    along = p3_scale(along, reach / p3_length(along));
    across = p3_scale(across, reach / p3_length(across));
    const lim_point tips[2] = {p3_sub(p3_sub(at, across), along),
                               p3_sub(p3_add(at, across), along)};
    const lim_point backs[2] = {p3_add(p3_sub(at, across), along),
                                p3_add(p3_add(at, across), along)};
    lim_cut_desc desc = lim_cut_desc_default();
    desc.count = 2;
    desc.tips = tips;
    desc.backs = backs;
    return lim_body_cut(world, id, &desc, NULL);
}

/* ---- nodes and links ----------------------------------------------------------------------------
 */

static uint64_t place_of(const topology* t, int32_t end) {
    octant o = octant_of(t->matter.key[end / 8]);
    return octant_key(
        (octant){o.level, o.x + (end & 1), o.y + (end >> 1 & 1), o.z + (end >> 2 & 1)});
}

static bool is_edge(const int32_t* offset, const int32_t* node, int32_t a, int32_t b) {
    for (int32_t e = offset[a]; e < offset[a + 1]; ++e) {
        if (node[e] == b) {
            return true;
        }
    }
    return false;
}

/* Ends at one corner are one node exactly when links of the material lead from one to the other
 * between ends at that corner: the closure is found by going over all pairs until nothing changes.
 * Returns pairs that share a node though nothing leads there. */
static int32_t check_corners(const topology* t) {
    int32_t ends = 8 * t->matter.count, stuck = 0;
    sort_item* item = malloc((size_t)ends * sizeof *item);
    sort_item* spare = malloc((size_t)ends * sizeof *item);
    for (int32_t i = 0; i < ends; ++i) {
        item[i] = (sort_item){.key = place_of(t, i), .value = i};
        CHECK(t->key[t->bind.corner[i]] == item[i].key);
    }
    sort_items(item, spare, ends);
    for (int32_t begin = 0, end; begin < ends; begin = end) {
        for (end = begin; end < ends && item[end].key == item[begin].key; ++end) {
            item[end].extra = end; /* its class */
        }
        for (bool going = true; going;) {
            going = false;
            for (int32_t i = begin; i < end; ++i) {
                for (int32_t k = begin; k < end; ++k) {
                    if (item[k].extra > item[i].extra &&
                        is_edge(t->matter.edge_offset, t->matter.edge_node, item[i].value / 8,
                                item[k].value / 8)) {
                        item[k].extra = item[i].extra;
                        going = true;
                    }
                }
            }
        }
        for (int32_t i = begin; i < end; ++i) {
            for (int32_t k = begin; k < i; ++k) {
                bool one = t->bind.corner[item[i].value] == t->bind.corner[item[k].value];
                CHECK(one || item[i].extra != item[k].extra);
                stuck += one && item[i].extra != item[k].extra;
            }
        }
    }
    free(item);
    free(spare);
    return stuck;
}

/* Nodes are linked exactly when they hang on one fragment; or where glue holds, over more than a
 * hop. */
static void check_links(const topology* t) {
    int32_t pairs = 0, *seen = calloc((size_t)t->slot_count, sizeof *seen);
    for (int32_t i = 0; i < t->slot_count; ++i) {
        for (int32_t n = 0; n < 64 * t->matter.count; ++n) {
            const int32_t* corner = t->bind.corner + 8 * (n / 64);
            if (corner[n / 8 % 8] == i && corner[n % 8] != i && seen[corner[n % 8]] != i + 1) {
                seen[corner[n % 8]] = i + 1;
                pairs++;
                CHECK(is_edge(t->edge_offset, t->edge_node, i, corner[n % 8]));
            }
        }
    }
    for (int32_t e = 0; e < t->edge_count; ++e) {
        pairs += t->edge_length[e] != 2;
    }
    CHECK(pairs == t->edge_count);
    free(seen);
}

/* ---- regions ------------------------------------------------------------------------------------
 */

/* Every `stride`th node: its region holds what `hops` links lead to, and nothing else. */
static void check_regions(const topology* t, int32_t hops, int32_t stride) {
    int32_t* away = malloc((size_t)t->slot_count * sizeof *away);
    int32_t* queue = malloc((size_t)t->slot_count * sizeof *queue);
    int32_t wrong = 0;
    for (int32_t n = 0; n < t->node_count; n += stride) {
        int32_t slot = t->node_slot[n], count = 1;
        memset(away, 0xFF, (size_t)t->slot_count * sizeof *away);
        away[slot] = 0;
        queue[0] = slot;
        for (int32_t at = 0; at < count; ++at) {
            int32_t i = queue[at];
            for (int32_t e = t->edge_offset[i]; e < t->edge_offset[i + 1] && away[i] < hops; ++e) {
                int32_t other = t->edge_node[e];
                if (away[other] < 0) {
                    away[other] = away[i] + 1;
                    queue[count++] = other;
                }
            }
        }
        for (int32_t i = 0; i < t->slot_count; ++i) {
            double weight = topology_region_weight(t, i, t->regions.seed_region[slot]);
            wrong += weight != (away[i] >= 0 ? 1.0 : 0.0);
        }
    }
    CHECK(wrong == 0);
    free(away);
    free(queue);
}

/* ---- masses -------------------------------------------------------------------------------------
 */

typedef struct weights {
    double volume, mass, moment;
} weights;

/* What corners weigh: their sum, and where it is, along an axis askew. */
static weights weigh(const topology* t) {
    weights w = {0};
    for (int32_t i = 0; i < t->slot_count; ++i) {
        double x = 0.3 * (double)t->x0[0][i] + 0.7 * (double)t->x0[1][i] - (double)t->x0[2][i];
        w.volume += (double)t->volume[i];
        w.mass += (double)t->mass[i];
        w.moment += (double)t->mass[i] * x * x;
    }
    return w;
}

/* Nodes that no cut has come near are what they were, to the last bit. */
static int32_t count_same(const topology* a, const topology* b) {
    int32_t same = 0;
    for (int32_t i = 0; i < a->node_count; ++i) {
        int32_t slot = a->node_slot[i];
        for (int32_t k = 0; k < b->node_count; ++k) {
            int32_t other = b->node_slot[k];
            if (a->key[slot] == b->key[other] && a->volume[slot] == b->volume[other] &&
                a->mass[slot] == b->mass[other] && a->x0[0][slot] == b->x0[0][other] &&
                a->x0[1][slot] == b->x0[1][other] && a->x0[2][slot] == b->x0[2][other]) {
                same++;
                break;
            }
        }
    }
    return same;
}

/* Those of the body, and the same with windows, or without where it has them. */
static void check_both_ways(const topology* t, int32_t hops, int32_t stride) {
    topology other = *t;
    region_nodes nodes = topology_nodes(t);
    window_use use = t->regions.box > 0 ? WINDOWS_NEVER : WINDOWS_ALWAYS;
    arena a;
    arena_init(&a, NULL);
    CHECK(regions_build_lattice(&a, &a.host, &nodes, topology_graph(t), t->slot_component,
                                t->row_axis, hops, NULL, use, &other.box, &other.net,
                                &other.regions) == LIM_OK);
    CHECK((other.regions.box > 0) == (use == WINDOWS_ALWAYS));
    check_regions(t, hops, stride);
    check_regions(&other, hops, stride);
    arena_release(&a);
}

static void cut_again_and_again(const lim_model* model, int32_t hops, int32_t strokes,
                                uint64_t seed, bool large) {
    random_stream r = random_seed(seed);
    lim_world* world = edit_world(NULL, 1);
    lim_body id = edit_body(world, model, 0, 1);
    lim_model_info info = lim_model_get_info(model);
    weights whole = weigh(topology_in(world, id));
    int32_t stuck = check_corners(topology_in(world, id));
    CHECK(topology_is_valid(topology_in(world, id)));
    check_both_ways(topology_in(world, id), hops, large ? 97 : 13);
    for (int i = 0; i < strokes; ++i) {
        edit_steps(world, 2);
        int32_t before = topology_in(world, id)->node_count;
        CHECK(random_cut(world, id, &r, i % 2 == 0 ? 0.2 : 0.7) == LIM_OK);
        const topology* t = topology_in(world, id);
        weights now = weigh(t);
        CHECK(topology_is_valid(t));
        CHECK(t->node_count >= before);
        CHECK_NEAR(now.volume / whole.volume, 1.0, 1e-6);
        CHECK_NEAR(now.mass / whole.mass, 1.0, 1e-6);
        CHECK_NEAR(now.moment / whole.moment, 1.0, 1e-5);
        CHECK(check_corners(t) <= stuck);
        if (!large) {
            check_links(t);
        }
        check_both_ways(t, hops, large ? 67 : 5);
    }
    const topology* t = topology_in(world, id);
    printf("  %d nodes, %d after %d strokes, %d pieces\n", info.nodes, t->node_count, strokes,
           t->component_count);
    CHECK(t->node_count > info.nodes);
    edit_steps(world, 10);
    lim_world_destroy(world);
}

static void cut_lattices_are_what_they_should_be(void) {
    static const struct {
        const char* name;
        int32_t triangles, nodes, hops;
        bool large;
    } sort[] = {{"bar", 1000, 200, 1, false},  {"sphere", 2000, 300, 2, false},
                {"hand", 4000, 600, 2, false}, {"torus", 2000, 300, 1, false},
                {"bar", 1000, 5000, 2, true},  {"bar", 1000, 5000, 3, true}};
    for (int k = 0; k < 5 + test_long; ++k) {
        for (int round = 0; round < (test_long && !sort[k].large ? 20 : 1); ++round) {
            lim_model* model = lattice_model(sort[k].name, sort[k].triangles, sort[k].nodes,
                                             (float)sort[k].hops, NULL);
            cut_again_and_again(model, sort[k].hops, 4, (uint64_t)(100 * k + round + 1),
                                sort[k].large);
            lim_model_destroy(model);
        }
    }
}

/* A zone that is denser and stiffer: what was told stays. */
static void factors_stay(void) {
    lim_zone zone = lim_zone_default();
    zone.size.x = 0.2f;
    zone.density = 3.0f;
    zone.stiffness = 2.0f;
    lim_model* model = lattice_model("bar", 1000, 300, 2.0f, &zone);
    cut_again_and_again(model, 2, 3, 7, false);
    lim_world* world = edit_world(NULL, 1);
    lim_body id = edit_body(world, model, 0, 1);
    lim_model* before = NULL;
    CHECK(lim_body_get_model(world, id, &before) == LIM_OK);
    const topology* was = topology_in(world, id);
    CHECK(edit_cut_at(world, id, 0.02, 1, 1, -1, false, NULL) == LIM_OK);
    const topology* t = topology_in(world, id);
    int32_t same = count_same(t, was);
    printf("  %d of %d nodes as they were\n", same, t->node_count);
    CHECK(same > 0.6 * t->node_count && same < was->node_count);
    for (int32_t i = 0; i < t->slot_count; ++i) { /* both factors are those of the corner */
        for (int32_t k = 0; k < was->slot_count && t->slot_node[i] >= 0; ++k) {
            if (was->slot_node[k] >= 0 && was->key[k] == t->key[i]) {
                CHECK(t->stiffness[i] == was->stiffness[k] && t->density[i] == was->density[k]);
                CHECK_NEAR((double)(t->mass[i] / t->volume[i]),
                           (double)(was->mass[k] / was->volume[k]), 1e-5);
            }
        }
    }
    lim_model_destroy(before);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* ---- motion -------------------------------------------------------------------------------------
 */

/* A box that flies and turns is cut in two: what it had stays, and both halves have the same share
 * of it. Then they fall, and fall alike. */
static void two_halves_fall_alike(void) {
    const int32_t cells[3] = {8, 8, 8};
    lim_mesh* mesh = NULL;
    lim_model* model = NULL;
    lim_model_desc desc = lim_model_desc_default();
    desc.kind = LIM_KIND_LATTICE;
    desc.cell_size = 0.1f;
    CHECK(box_mesh(0.8, 0.4, 0.4, cells, NULL, &mesh) == LIM_OK);
    CHECK(lim_model_create(mesh, &desc, NULL, &model) == LIM_OK);
    lim_mesh_destroy(mesh);
    lim_world* world = edit_world(NULL, 1);
    lim_body_desc made = lim_body_desc_default();
    lim_body id, piece[2];
    made.model = model;
    made.position = (lim_point){0, 10, 0};
    made.velocity = (lim_vec3){1, 0, 0.5f};
    made.material.young = 200e3f;
    CHECK(lim_body_create(world, &made, &id) == LIM_OK);
    edit_steps(world, 5);
    lim_body_motion before = edit_motion(world, id);
    lim_point at = p3_scale(p3_add(before.bounds.lower, before.bounds.upper), 0.5);
    const lim_point tips[2] = {p3_add(at, p3(1e-4, 1, -1)), p3_add(at, p3(1e-4, -1, -1))};
    const lim_point backs[2] = {p3_add(at, p3(1e-4, 1, 1)), p3_add(at, p3(1e-4, -1, 1))};
    lim_cut_desc cut = lim_cut_desc_default();
    lim_edit_report report;
    cut.count = 2;
    cut.tips = tips;
    cut.backs = backs;
    CHECK(lim_body_cut(world, id, &cut, &report) == LIM_OK && report.pieces == 2);
    lim_body_motion after = edit_motion(world, id);
    CHECK_NEAR(after.mass / before.mass, 1.0, 1e-6);
    for (int k = 0; k < 3; ++k) {
        CHECK_NEAR((double)after.momentum[k], (double)before.momentum[k],
                   1e-5 * (double)before.mass);
        CHECK_NEAR((double)after.angular_momentum[k], (double)before.angular_momentum[k],
                   1e-4 * (double)before.mass);
    }
    int32_t count = 0;
    CHECK(lim_body_split(world, id, piece, 2, &count) == LIM_OK && count == 1);
    lim_body_motion a = edit_motion(world, id), b = edit_motion(world, piece[0]);
    CHECK_NEAR((a.mass + b.mass) / before.mass, 1.0, 1e-6);
    CHECK_NEAR(a.mass / b.mass, 1.0, 0.01);
    double far = 0.0;
    for (int i = 0; i < 60; ++i) {
        edit_steps(world, 1);
        lim_body_motion p = edit_motion(world, id), q = edit_motion(world, piece[0]);
        far = fmax(far, fabs(p.bounds.lower.y - q.bounds.lower.y));
    }
    lim_body_motion end = edit_motion(world, id);
    CHECK(far < 1e-3);
    CHECK(end.bounds.lower.y < a.bounds.lower.y - 4.0);
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* A slit does not part a body: its lips move apart when it is bent open. */
static void slits_open(void) {
    edit_kind = LIM_KIND_LATTICE;
    lim_model* model = edit_bar(600, 0, NULL);
    lim_world* world = edit_world(NULL, 1);
    lim_body bar = edit_body(world, model, 0, 1);
    edit_pin(world, bar, -0.6, 1, 0.3, 0.0f);
    lim_edit_report report;
    /* from above, half way down */
    CHECK(edit_cut_at(world, bar, -0.2, 1, 0.5, 0.0, false, &report) == LIM_OK);
    CHECK(report.pieces == 1 && report.nodes_after > report.nodes_before);
    const topology* t = topology_in(world, bar);
    int32_t doubled = 0;
    double before = 0.0, after = 0.0;
    CHECK(topology_is_valid(t));
    for (int step = 0; step < 2; ++step) {
        const body* b = &world->bodies[bar.index]->body;
        for (int32_t i = 0; i < t->slot_count; ++i) {
            for (int32_t k = 0; k < i; ++k) {
                if (t->slot_node[i] >= 0 && t->slot_node[k] >= 0 && t->key[i] == t->key[k]) {
                    double gap = p3_length(p3_sub(body_slot_local(b, i), body_slot_local(b, k)));
                    *(step == 0 ? &before : &after) += gap * t->unit;
                    doubled += step;
                }
            }
        }
        edit_steps(world, step == 0 ? 60 : 0);
    }
    printf("  %d corners doubled, %.4f m apart then, %.4f later\n", doubled, before / doubled,
           after / doubled);
    CHECK(doubled > 0 && before < 1e-6 * doubled && after > 0.01 * doubled);
    lim_world_destroy(world);
    lim_model_destroy(model);
    edit_kind = LIM_KIND_OCTREE;
}

/* Cuts a body by three planes, each so far beside its middle. */
static void cut_in_eight(lim_world* world, lim_body id, double beside) {
    lim_point middle = edit_motion(world, id).centre;
    for (int axis = 0; axis < 3; ++axis) {
        lim_point unit[3] = {p3(1, 0, 0), p3(0, 1, 0), p3(0, 0, 1)};
        lim_point u = unit[(axis + 1) % 3], v = unit[(axis + 2) % 3];
        lim_point at = p3_mad(middle, unit[axis], beside);
        const lim_point tips[2] = {p3_sub(p3_sub(at, u), v), p3_sub(p3_add(at, u), v)};
        const lim_point backs[2] = {p3_add(p3_sub(at, u), v), p3_add(p3_add(at, u), v)};
        lim_cut_desc desc = lim_cut_desc_default();
        desc.count = 2;
        desc.tips = tips;
        desc.backs = backs;
        CHECK(lim_body_cut(world, id, &desc, NULL) == LIM_OK);
    }
}

/* Bricks whose sides lie in the middle of cells, so that their points follow eight corners, none of
 * them by much. They do not meet each other: all they touch is the ground. */
static void bricks_come_to_rest(void) {
    enum { BRICKS = 8, SETTLED = 240, STEPS = 540, SECOND = 60 };
    const int32_t cells[3] = {6, 6, 6};
    const float young[2] = {30e3f, 150e3f};
    lim_mesh* mesh = NULL;
    lim_model* model = NULL;
    lim_model_desc how = lim_model_desc_default();
    how.kind = LIM_KIND_LATTICE;
    how.node_count = 500;
    CHECK(box_mesh(1, 1, 1, cells, NULL, &mesh) == LIM_OK);
    CHECK(lim_model_create(mesh, &how, NULL, &model) == LIM_OK);
    lim_mesh_destroy(mesh);
    for (int k = 0; k < 2; ++k) {
        lim_world* world = edit_world(NULL, 1);
        lim_collider_desc ground = lim_collider_desc_default();
        lim_body_desc desc = lim_body_desc_default();
        lim_body brick[BRICKS];
        int32_t parted = 0;
        desc.model = model;
        desc.position = p3(0, 0.6, 0);
        desc.mask = LIM_LAYER_COLLIDER;
        desc.material.young = young[k];
        CHECK(lim_collider_create(world, &ground, &(lim_collider){0}) == LIM_OK);
        CHECK(lim_body_create(world, &desc, &brick[0]) == LIM_OK);
        cut_in_eight(world, brick[0], 0.013);
        CHECK(lim_body_split(world, brick[0], brick + 1, BRICKS - 1, &parted) == LIM_OK);
        CHECK(parted == BRICKS - 1);
        double energy[BRICKS][STEPS + 1], growth = 0.0, speed = 0.0;
        for (int i = 0; i <= STEPS; ++i) {
            for (int b = 0; b < BRICKS; ++b) {
                lim_body_motion m = edit_motion(world, brick[b]);
                energy[b][i] = m.kinetic + m.elastic + m.potential;
                speed = i >= 360 ? fmax(speed, m.speed) : 0.0;
                growth = i >= SETTLED + SECOND
                             ? fmax(growth, energy[b][i] / energy[b][i - SECOND] - 1.0)
                             : 0.0;
            }
            edit_steps(world, 1);
        }
        printf("  %.0f kPa: at most %.3f m/s, energy grows by %.4f in a second\n",
               (double)young[k] / 1e3, speed, growth);
        CHECK(speed < 0.5);
        CHECK(growth < 0.01);
        lim_world_destroy(world);
    }
    lim_model_destroy(model);
}

TEST_SUITE(cut_lattice) {
    TEST_BEGIN(argc, argv);
    RUN(cut_lattices_are_what_they_should_be);
    RUN(factors_stay);
    RUN(two_halves_fall_alike);
    RUN(slits_open);
    RUN(bricks_come_to_rest);
    TEST_END();
}
