/* SPDX-License-Identifier: MIT
 * A random lattice with holes for tests: cells kept at random, nodes at their corners, slots in
 * octets along a chosen axis, components numbered, regions as windows and lists or as balls.
 */
#ifndef LIMBER_TEST_LATTICE_BODY_H
#define LIMBER_TEST_LATTICE_BODY_H

#include "base/random.h"
#include "base/sort.h"
#include "match/match_box.h"

typedef struct lattice_body {
    arena mem;
    int32_t size[3]; /* nodes along each axis */
    int32_t axis, count, padded, components;
    bool* cell;          /* per place of nodes: the cell of which it is the lowest corner */
    int32_t* node_at;    /* per place: its slot, -1 */
    int32_t (*place)[3]; /* per slot */
    int32_t* component;  /* per slot */
    region_nodes rn;
    graph g;
    charts charts;
    box_net box;
    net n;
    regions r;
    float *inv_weight, *fit_mass;
    node_state nodes;
    match_gains gains;
    match_body match;
} lattice_body;

static inline size_t lattice_index(const lattice_body* b, int32_t x, int32_t y, int32_t z) {
    return (size_t)(x + b->size[0] * (y + b->size[1] * z));
}

static inline bool lattice_inside(const lattice_body* b, const int32_t p[3]) {
    bool inside = true;
    for (int k = 0; k < 3; ++k) {
        inside = inside && p[k] >= 0 && p[k] < b->size[k];
    }
    return inside;
}

/* Two places one step apart at most share a cell that is kept. */
static inline bool lattice_linked(const lattice_body* b, const int32_t p[3], const int32_t q[3]) {
    for (int k = 0; k < 8; ++k) {
        int32_t c[3];
        bool corner = true;
        for (int a = 0; a < 3; ++a) {
            c[a] = p[a] - (k >> a & 1);
            corner = corner && q[a] >= c[a] && q[a] <= c[a] + 1;
        }
        if (corner && lattice_inside(b, c) && b->cell[lattice_index(b, c[0], c[1], c[2])]) {
            return true;
        }
    }
    return false;
}

/* Components of the places by flooding over links; returns how many. */
static inline int32_t lattice_flood(const lattice_body* b, int32_t* piece) {
    int32_t places = b->size[0] * b->size[1] * b->size[2], count = 0;
    int32_t* queue = malloc((size_t)places * sizeof *queue);
    for (int32_t start = 0; start < places; ++start) {
        if (piece[start] != -1) {
            continue;
        }
        int32_t head = 0, tail = 0;
        queue[tail++] = start;
        piece[start] = count;
        while (head < tail) {
            int32_t at = queue[head++];
            int32_t p[3] = {at % b->size[0], at / b->size[0] % b->size[1],
                            at / b->size[0] / b->size[1]};
            for (int k = 0; k < 27; ++k) {
                int32_t q[3] = {p[0] + k % 3 - 1, p[1] + k / 3 % 3 - 1, p[2] + k / 9 - 1};
                if (lattice_inside(b, q) && lattice_linked(b, p, q)) {
                    int32_t to = (int32_t)lattice_index(b, q[0], q[1], q[2]);
                    if (piece[to] == -1) {
                        piece[to] = count;
                        queue[tail++] = to;
                    }
                }
            }
        }
        count++;
    }
    free(queue);
    return count;
}

static inline float* lattice_floats(lattice_body* b, size_t count) {
    return ARENA_ARRAY(&b->mem, float, count);
}

/* Slots in octets, by (component, c, b, a). */
static inline void lattice_slots(lattice_body* b) {
    int32_t places = b->size[0] * b->size[1] * b->size[2];
    int32_t* piece = ARENA_ARRAY(&b->mem, int32_t, places);
    for (int32_t i = 0; i < places; ++i) {
        int32_t p[3] = {i % b->size[0], i / b->size[0] % b->size[1], i / b->size[0] / b->size[1]};
        piece[i] = lattice_linked(b, p, p) ? -1 : -2;
        b->count += piece[i] == -1;
    }
    b->components = lattice_flood(b, piece);
    sort_item* item = ARENA_ARRAY(&b->mem, sort_item, b->count);
    sort_item* spare = ARENA_ARRAY(&b->mem, sort_item, b->count);
    int32_t count = 0;
    for (int32_t i = 0; i < places; ++i) {
        if (piece[i] >= 0) {
            int32_t p[3] = {i % b->size[0], i / b->size[0] % b->size[1],
                            i / b->size[0] / b->size[1]};
            uint64_t key = (uint64_t)piece[i];
            for (int k = 2; k >= 0; --k) {
                key = key << 8 | (uint64_t)p[(b->axis + k) % 3];
            }
            item[count++] = (sort_item){key, i, 0};
        }
    }
    sort_items(item, spare, count);
    b->node_at = ARENA_ARRAY(&b->mem, int32_t, places);
    for (int32_t i = 0; i < places; ++i) {
        b->node_at[i] = -1;
    }
    int32_t octet = -1;
    for (int32_t i = 0; i < count; ++i) {
        octet += i == 0 || item[i].key >> 3 != item[i - 1].key >> 3;
        b->node_at[item[i].value] = 8 * octet + (int32_t)(item[i].key & 7);
    }
    b->padded = 8 * (octet + 1);
    b->place = arena_alloc(&b->mem, (size_t)b->padded, sizeof *b->place);
    b->component = ARENA_ARRAY(&b->mem, int32_t, b->padded);
    for (int32_t i = 0; i < count; ++i) {
        int32_t at = item[i].value, slot = b->node_at[at];
        b->place[slot][0] = at % b->size[0];
        b->place[slot][1] = at / b->size[0] % b->size[1];
        b->place[slot][2] = at / b->size[0] / b->size[1];
        for (int32_t k = slot / 8 * 8; k < slot / 8 * 8 + 8; ++k) {
            b->component[k] = piece[at];
        }
    }
}

static inline void lattice_nodes(lattice_body* b, random_stream* r, float cell) {
    float* x0[3] = {lattice_floats(b, (size_t)b->padded), lattice_floats(b, (size_t)b->padded),
                    lattice_floats(b, (size_t)b->padded)};
    float* volume = lattice_floats(b, (size_t)b->padded);
    uint64_t* key = ARENA_ARRAY(&b->mem, uint64_t, b->padded);
    uint16_t* fragment = ARENA_ARRAY(&b->mem, uint16_t, b->padded);
    int32_t* offset = ARENA_ARRAY(&b->mem, int32_t, b->padded + 1);
    int32_t* to = ARENA_ARRAY(&b->mem, int32_t, 26 * b->count);
    uint16_t* length = ARENA_ARRAY(&b->mem, uint16_t, 26 * b->count);
    int32_t places = b->size[0] * b->size[1] * b->size[2], edges = 0;
    for (int32_t i = 0; i < places; ++i) {
        if (b->node_at[i] >= 0) {
            volume[b->node_at[i]] = 1e-3f * random_range(r, 0.5f, 1.5f);
        }
    }
    for (int32_t i = 0; i < b->padded; ++i) {
        const int32_t* p = b->place[i];
        offset[i] = edges;
        if (volume[i] <= 0.0f) {
            continue;
        }
        key[i] = octant_key((octant){8, p[0], p[1], p[2]});
        for (int k = 0; k < 3; ++k) {
            x0[k][i] = cell * (float)p[k];
        }
        for (int k = 0; k < 27; ++k) {
            int32_t q[3] = {p[0] + k % 3 - 1, p[1] + k / 3 % 3 - 1, p[2] + k / 9 - 1};
            if (k != 13 && lattice_inside(b, q) && lattice_linked(b, p, q)) {
                to[edges] = b->node_at[lattice_index(b, q[0], q[1], q[2])];
                length[edges++] = 2;
            }
        }
    }
    offset[b->padded] = edges;
    b->g = (graph){b->padded, offset, to, length};
    b->rn = (region_nodes){.count = b->count,
                           .padded = b->padded,
                           .x0 = {x0[0], x0[1], x0[2]},
                           .volume = volume,
                           .key = key,
                           .fragment = fragment};
}

/* State, blocks that do not cross planes, one chart per component. */
static inline void lattice_state(lattice_body* b) {
    size_t slots = (size_t)b->padded;
    node_state* n = &b->nodes;
    *n = (node_state){.padded = b->padded,
                      .x0 = {b->rn.x0[0], b->rn.x0[1], b->rn.x0[2]},
                      .mass = b->rn.volume,
                      .inv_mass = lattice_floats(b, slots),
                      .affine = lattice_floats(b, slots * 16),
                      .slot_component = b->component,
                      .component_count = b->components,
                      .components = ARENA_ARRAY(&b->mem, component, b->components)};
    for (int k = 0; k < 3; ++k) {
        n->d[k] = lattice_floats(b, slots);
        n->v[k] = lattice_floats(b, slots);
    }
    node_block* blocks = ARENA_ARRAY(&b->mem, node_block, b->padded / 8);
    int32_t* begin = ARENA_ARRAY(&b->mem, int32_t, b->components + 1);
    int32_t* number = ARENA_ARRAY(&b->mem, int32_t, b->components);
    int32_t* moves = ARENA_ARRAY(&b->mem, int32_t, b->components);
    for (int32_t i = 0; i < b->padded; i += 8) {
        int32_t c = b->component[i], plane = 0;
        for (int32_t k = i; k < i + 8; ++k) {
            n->inv_mass[k] = b->rn.volume[k] > 0.0f ? 1.0f / b->rn.volume[k] : 0.0f;
            plane = b->rn.volume[k] > 0.0f ? b->place[k][(b->axis + 2) % 3] : plane;
        }
        bool first = i == 0 || b->component[i - 1] != c;
        if (first) {
            n->components[c] =
                (component){.begin = i, .rotation = dquat_identity(), .finite = true};
            begin[c] = i;
        }
        n->components[c].end = begin[c + 1] = i + 8;
        static int32_t last_plane;
        if (first || plane != last_plane) {
            blocks[n->block_count++] = (node_block){i, i, c, c};
        }
        blocks[n->block_count - 1].end = i + 8;
        last_plane = plane;
    }
    n->blocks = blocks;
    double* mass = ARENA_ARRAY(&b->mem, double, b->components);
    for (int32_t i = 0; i < b->padded; ++i) {
        component* c = &n->components[b->component[i]];
        double m = (double)b->rn.volume[i];
        c->rest_centre =
            p3_mad(c->rest_centre,
                   p3((double)b->rn.x0[0][i], (double)b->rn.x0[1][i], (double)b->rn.x0[2][i]), m);
        c->own_inertia += m * (0.05 * 0.05 / 6.0 + NODE_OWN);
        mass[b->component[i]] += m;
    }
    for (int32_t c = 0; c < b->components; ++c) {
        n->components[c].rest_centre = p3_scale(n->components[c].rest_centre, 1.0 / mass[c]);
        number[c] = c;
        moves[c] = -1;
    }
    b->charts = (charts){.count = b->components,
                         .components = b->components,
                         .slots = b->padded,
                         .begin = begin,
                         .component = number,
                         .node = moves};
    for (int k = 0; k < 3; ++k) {
        b->charts.origin[k] = lattice_floats(b, (size_t)b->components);
    }
}

/* All that matching needs over the regions that there are. */
static inline void lattice_matching(lattice_body* b) {
    const box_net* windows = b->r.box > 0 ? &b->box : NULL;
    size_t rs = (size_t)b->r.padded, records = (size_t)b->n.record_count;
    b->inv_weight = lattice_floats(b, (size_t)b->padded);
    b->fit_mass = lattice_floats(b, (size_t)b->padded);
    if (regions_constants(&b->mem, &b->rn, &b->charts, &b->n, windows, &b->r, b->inv_weight,
                          b->fit_mass) != LIM_OK) {
        abort();
    }
    b->gains = (match_gains){.goal = lattice_floats(b, rs),
                             .damp = lattice_floats(b, rs),
                             .goal_sum = lattice_floats(b, (size_t)b->padded),
                             .damp_sum = lattice_floats(b, (size_t)b->padded)};
    b->match = (match_body){
        .net = &b->n,
        .regions = &b->r,
        .charts = &b->charts,
        .inv_weight = b->inv_weight,
        .fit_mass = b->fit_mass,
        .nodes = &b->nodes,
        .damped = true,
        .gains = &b->gains,
        .forward = lattice_floats(b, records * 24),
        .adjoint = lattice_floats(b, records * 16),
        .block_sums = ARENA_ARRAY(&b->mem, double, (size_t)b->nodes.block_count* NODE_SUMS),
        .box = windows,
        .box_sums = windows != NULL ? lattice_floats(b, match_box_sums(windows)) : NULL,
        .box_scratch =
            windows != NULL ? lattice_floats(b, BOX_TASKS * match_box_scratch(windows)) : NULL};
    for (int k = 0; k < 4; ++k) {
        b->match.q[k] = lattice_floats(b, rs);
    }
    for (size_t i = 0; i < rs; ++i) {
        b->match.q[3][i] = 1.0f;
    }
}

/* Regions and all that matching needs, over the same nodes and state: windows and lists. widths: of
 * each component, or null. */
static inline void lattice_regions_of(lattice_body* b, int32_t width, const int32_t* widths,
                                      window_use use) {
    lim_host host = mem_host(NULL);
    if (regions_build_lattice(&b->mem, &host, &b->rn, b->g, b->component, b->axis, width, widths,
                              use, &b->box, &b->n, &b->r) != LIM_OK) {
        abort();
    }
    lattice_matching(b);
}

static inline void lattice_regions(lattice_body* b, int32_t width, window_use use) {
    lattice_regions_of(b, width, NULL, use);
}

/* The same as balls, one per seed. */
static inline void lattice_balls(lattice_body* b, int32_t width) {
    lim_host host = mem_host(NULL);
    b->box = (box_net){0};
    if (regions_build_balls(&b->mem, &host, &b->rn, b->g, 2 * width, &b->n, &b->r) != LIM_OK) {
        abort();
    }
    memset(b->r.weight, 0, (size_t)b->r.padded * sizeof(float));
    for (int32_t i = 0; i < b->padded; ++i) {
        if (b->r.seed_region[i] >= 0) {
            b->r.weight[b->r.seed_region[i]] += 1.0f;
        }
    }
    lattice_matching(b);
}

/* Places along the rows' axis and the two others; no cells yet. */
static inline void lattice_begin(lattice_body* b, int32_t axis, const int32_t size[3]) {
    *b = (lattice_body){.axis = axis};
    arena_init(&b->mem, NULL);
    for (int k = 0; k < 3; ++k) {
        b->size[(axis + k) % 3] = size[k];
    }
    b->cell = ARENA_ARRAY(&b->mem, bool, b->size[0] * b->size[1] * b->size[2]);
}

/* When all cells are there; no regions yet. */
static inline void lattice_end(lattice_body* b, random_stream* r) {
    lattice_slots(b);
    lattice_nodes(b, r, 0.05f);
    lattice_state(b);
}

/* Cells kept with the given share, at least one. most[0]: along the rows. */
static inline void lattice_make(lattice_body* b, random_stream* r, const int32_t most[3],
                                float filled) {
    int32_t axis = random_index(r, 3), size[3];
    for (int k = 0; k < 3; ++k) {
        size[k] = 2 + random_index(r, most[k] - 1);
    }
    lattice_begin(b, axis, size);
    for (int32_t z = 0; z + 1 < b->size[2]; ++z) {
        for (int32_t y = 0; y + 1 < b->size[1]; ++y) {
            for (int32_t x = 0; x + 1 < b->size[0]; ++x) {
                bool first = x + y + z == 0;
                b->cell[lattice_index(b, x, y, z)] = first || random_unit(r) < filled;
            }
        }
    }
    lattice_end(b, r);
}

/* A block of so many nodes, or its outermost cells alone, but for a share of its cells. */
static inline void lattice_block(lattice_body* b, random_stream* r, const int32_t size[3],
                                 bool hollow, float lost) {
    lattice_begin(b, 0, size);
    for (int32_t z = 0; z + 1 < size[2]; ++z) {
        for (int32_t y = 0; y + 1 < size[1]; ++y) {
            for (int32_t x = 0; x + 1 < size[0]; ++x) {
                bool rim =
                    x % (size[0] - 2) == 0 || y % (size[1] - 2) == 0 || z % (size[2] - 2) == 0;
                b->cell[lattice_index(b, x, y, z)] = (!hollow || rim) && random_unit(r) >= lost;
            }
        }
    }
    lattice_end(b, r);
}

static inline void lattice_free(lattice_body* b) {
    arena_release(&b->mem);
}

#endif
