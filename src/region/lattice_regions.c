/* SPDX-License-Identifier: MIT
 * Job: the regions of a lattice. In: nodes in octets, their links, a width in hops. Out: which
 * regions are windows, and a network for the others. Hops are counted by bits: a row of nodes
 * around an octet is a word, and so is a row of cells, and a hop is every cell that a node touches,
 * then every corner of those. A region can be a window when the hops have reached all nodes in its
 * cube.
 *
 * Windows take the same time at every place of the body, whether its region is one or not, and have
 * an edge of nothing around it. Lists are for regions of any shape, share bars and plates, and grow
 * with the width. So all regions are lists, or those that can are windows: whichever is less work
 * (net/box.h). Nothing but the sums' rounding depends on it.
 *
 * Octets come in sheets: within one every place has at most one node. A component that was cut may
 * have several, and links lead from one to the other; glue may link what is farther apart. Where a
 * region may reach such a link, hops are counted along the links themselves.
 */
#include "base/sort.h"
#include "region/region.h"
#include "region/set_net.h"

#include <string.h>

enum {
    ROWS = 2 * BOX_WIDTH_MOST + 1, /* of nodes around an octet, along y and along z */
    EDGE = BOX_WIDTH_MOST / 8,     /* octets on both sides of it in a word */
    SPAN = 2 * EDGE + 1,
    HOP = 2 /* half cells: the length of a link within a cell */
};

/* Words of nodes and cells around an octet: bit 8 EDGE is its lane 0. A cell is where its lowest
 * corner is. */
typedef struct neighbourhood {
    uint64_t node[ROWS][ROWS], cell[ROWS][ROWS]; /* [z][y], from -w on */
    int32_t octet[ROWS][ROWS][SPAN];
    uint64_t reached[ROWS][ROWS], touched[ROWS][ROWS];
} neighbourhood;

typedef struct builder {
    arena scratch;
    const region_nodes* nodes;
    graph g;
    int32_t width, octets, axis; /* width: hops of the component that is looked at */
    int32_t window_width;
    const int32_t* component_width; /* or null */
    const int32_t* component;
    const int32_t (*place)[4];
    uint8_t *node, *cell; /* per octet its lanes */
    int32_t* table;       /* hash of a place -> octet + 1 */
    uint32_t table_mask;
    neighbourhood* near;
    set_net sets;
    int32_t *row, *layer, *slot; /* per slot, which is also its rank */
    int32_t* members;
    window_use use;
    uint8_t* window;                /* per slot: its region can be a window */
    int32_t* set;                   /* per slot: its region as a set; of windows an optional one */
    int32_t *bar_name, *plate_name; /* per slot: of the window's bar and plate about it, + 1 */
    int32_t windows;
    double window_members, set_members, all_members; /* of windows, of other sets, of all sets */
    /* where there are several sheets in a component; else null */
    uint8_t* odd; /* per slot: a link to another sheet is within the width of its region */
    int32_t *seen, *queue;
    sort_item *item, *spare;
    int32_t stamp;
} builder;

/* Coordinates of a slot along the row's axis and the two others. */
static void coordinates(const region_nodes* nodes, int32_t axis, int32_t slot, int32_t out[3]) {
    octant o = octant_of(nodes->key[slot]);
    const int32_t at[3] = {o.x, o.y, o.z};
    for (int k = 0; k < 3; ++k) {
        out[k] = at[(axis + k) % 3];
    }
}

static uint32_t hash_place(int32_t x, int32_t y, int32_t z, int32_t component) {
    uint32_t h = (uint32_t)x * 0x9E3779B1u ^ (uint32_t)y * 0x85EBCA77u ^ (uint32_t)z * 0xC2B2AE3Du ^
                 (uint32_t)component * 0x27D4EB2Fu;
    h ^= h >> 15;
    h *= 0x2C1B3C6Du;
    return h ^ h >> 13;
}

static int32_t find_octet(const builder* b, int32_t x, int32_t y, int32_t z, int32_t component) {
    for (uint32_t h = hash_place(x, y, z, component);; ++h) {
        int32_t o = b->table[h & b->table_mask] - 1;
        if (o < 0) {
            return -1;
        }
        const int32_t* p = b->place[o];
        if (p[0] == x && p[1] == y && p[2] == z && p[3] == component) {
            return o;
        }
    }
}

static int32_t sheet_of(const builder* b, int32_t slot) {
    return b->place[slot / 8][3];
}

static bool is_linked(graph g, int32_t slot, int32_t other) {
    for (int32_t e = g.offset[slot]; e < g.offset[slot + 1]; ++e) {
        if (g.node[e] == other && g.length[e] == HOP) {
            return true;
        }
    }
    return false;
}

/* All corners of a cell are of one sheet, and each is linked to each. */
static bool is_whole(const builder* b, int32_t slot, const int32_t at[3]) {
    int32_t corner[8];
    for (int32_t k = 0; k < 8; ++k) {
        int32_t x = at[0] + (k & 1);
        int32_t o = find_octet(b, x / 8, at[1] + (k >> 1 & 1), at[2] + (k >> 2), sheet_of(b, slot));
        corner[k] = 8 * o + x % 8;
        for (int32_t i = 0; i < k; ++i) {
            if (o < 0 || !is_linked(b->g, corner[k], corner[i])) {
                return false;
            }
        }
    }
    return true;
}

/* Linked across a cell: the cell has material. */
static bool has_cell(const builder* b, int32_t slot, const int32_t at[3]) {
    for (int32_t e = b->g.offset[slot]; e < b->g.offset[slot + 1]; ++e) {
        int32_t other[3];
        coordinates(b->nodes, b->axis, b->g.node[e], other);
        if (other[0] == at[0] + 1 && other[1] == at[1] + 1 && other[2] == at[2] + 1 &&
            b->g.length[e] == HOP) {
            return b->odd == NULL || is_whole(b, slot, at);
        }
    }
    return false;
}

static int32_t width_of(const builder* b, int32_t octet) {
    return b->component_width != NULL ? b->component_width[b->component[8 * octet]]
                                      : b->window_width;
}

/* Nodes from which a link to another sheet is within reach: from the ends of all such links, as
 * many hops back as regions are wide. */
static lim_result find_odd(builder* b) {
    int32_t slots = b->nodes->padded;
    bool plain = b->place[b->octets - 1][3] == b->component[slots - 1];
    for (int32_t e = 0; e < b->g.offset[slots] && plain; ++e) {
        plain = b->g.length[e] == HOP;
    }
    if (plain) {
        return LIM_OK; /* one sheet for each component, and links only within cells */
    }
    b->odd = ARENA_ARRAY(&b->scratch, uint8_t, slots);
    b->seen = ARENA_ARRAY(&b->scratch, int32_t, slots);
    b->queue = ARENA_ARRAY(&b->scratch, int32_t, slots);
    b->item = ARENA_ARRAY(&b->scratch, sort_item, slots);
    b->spare = ARENA_ARRAY(&b->scratch, sort_item, slots);
    LIM_TRY_MEMORY(b->odd);
    LIM_TRY_MEMORY(b->seen);
    LIM_TRY_MEMORY(b->queue);
    LIM_TRY_MEMORY(b->item);
    LIM_TRY_MEMORY(b->spare);
    int32_t count = 0, at = 0;
    for (int32_t i = 0; i < slots; ++i) {
        for (int32_t e = b->g.offset[i]; e < b->g.offset[i + 1] && !b->odd[i]; ++e) {
            if (b->g.length[e] != HOP || sheet_of(b, b->g.node[e]) != sheet_of(b, i)) {
                b->odd[i] = 1;
                b->queue[count++] = i;
            }
        }
    }
    for (int32_t end = count, hops = 0; at < end; end = count, ++hops) {
        for (; at < end; ++at) {
            int32_t i = b->queue[at];
            for (int32_t e = b->g.offset[i]; hops < width_of(b, i / 8) && e < b->g.offset[i + 1];
                 ++e) {
                int32_t other = b->g.node[e];
                if (!b->odd[other]) {
                    b->odd[other] = 1;
                    b->queue[count++] = other;
                }
            }
        }
    }
    return LIM_OK;
}

/* The lanes of each octet that have a node, and a cell; where each octet is found. */
static lim_result gather_octets(builder* b, const box_net* windows) {
    b->octets = windows->octets;
    b->place = (const int32_t(*)[4])windows->place;
    b->node = ARENA_ARRAY(&b->scratch, uint8_t, b->octets);
    b->cell = ARENA_ARRAY(&b->scratch, uint8_t, b->octets);
    uint32_t size = 16;
    while (size < 2 * (uint32_t)b->octets) {
        size *= 2;
    }
    b->table = ARENA_ARRAY(&b->scratch, int32_t, size);
    b->table_mask = size - 1;
    LIM_TRY_MEMORY(b->node);
    LIM_TRY_MEMORY(b->cell);
    LIM_TRY_MEMORY(b->table);
    for (int32_t o = 0; o < b->octets; ++o) {
        const int32_t* p = b->place[o];
        uint32_t h = hash_place(p[0], p[1], p[2], p[3]);
        while (b->table[h & b->table_mask] != 0) {
            h++;
        }
        b->table[h & b->table_mask] = o + 1;
    }
    LIM_TRY(find_odd(b));
    for (int32_t o = 0; o < b->octets; ++o) {
        const int32_t* p = b->place[o];
        for (int32_t lane = 0; lane < 8; ++lane) {
            if (b->nodes->volume[8 * o + lane] > 0.0f) {
                const int32_t at[3] = {8 * p[0] + lane, p[1], p[2]};
                b->node[o] = (uint8_t)(b->node[o] | 1u << lane);
                b->cell[o] =
                    (uint8_t)(b->cell[o] | (unsigned)has_cell(b, 8 * o + lane, at) << lane);
            }
        }
    }
    return LIM_OK;
}

/* Rows and plates along the slots, for the sets. */
static lim_result number_rows(builder* b) {
    int32_t slots = b->nodes->padded, row = 0, layer = 0;
    b->row = ARENA_ARRAY(&b->scratch, int32_t, slots);
    b->layer = ARENA_ARRAY(&b->scratch, int32_t, slots);
    b->slot = ARENA_ARRAY(&b->scratch, int32_t, slots);
    LIM_TRY_MEMORY(b->row);
    LIM_TRY_MEMORY(b->layer);
    LIM_TRY_MEMORY(b->slot);
    for (int32_t o = 0; o < b->octets; ++o) {
        const int32_t *at = b->place[o], *last = b->place[o > 0 ? o - 1 : 0];
        bool same_layer = at[2] == last[2] && at[3] == last[3];
        layer += !same_layer;
        row += !same_layer || at[1] != last[1];
        for (int32_t slot = 8 * o; slot < 8 * o + 8; ++slot) {
            b->row[slot] = row;
            b->layer[slot] = layer;
            b->slot[slot] = slot;
        }
    }
    return LIM_OK;
}

static void look_around(builder* b, int32_t octet) {
    const int32_t* at = b->place[octet];
    int32_t w = b->width, edge = (w + 7) / 8;
    neighbourhood* n = b->near;
    for (int32_t z = 0; z <= 2 * w; ++z) {
        for (int32_t y = 0; y <= 2 * w; ++y) {
            uint64_t node = 0, cell = 0;
            for (int32_t x = -edge; x <= edge; ++x) {
                int32_t o = find_octet(b, at[0] + x, at[1] + y - w, at[2] + z - w, at[3]);
                n->octet[z][y][x + EDGE] = o;
                if (o >= 0) {
                    node |= (uint64_t)b->node[o] << 8 * (x + EDGE);
                    cell |= (uint64_t)b->cell[o] << 8 * (x + EDGE);
                }
            }
            n->node[z][y] = node;
            n->cell[z][y] = cell;
        }
    }
}

/* One hop more, from the nodes within `radius` hops: rows around the middle row w. */
static void hop(neighbourhood* n, int32_t w, int32_t radius) {
    int32_t low = w - radius - 1, high = w + radius;
    for (int32_t z = low; z <= high; ++z) {
        for (int32_t y = low; y <= high; ++y) {
            uint64_t corners = 0;
            for (int32_t k = 0; k < 4; ++k) {
                int32_t nz = z + k / 2, ny = y + k % 2;
                if (nz > low && nz <= high && ny > low && ny <= high) {
                    corners |= n->reached[nz][ny];
                }
            }
            n->touched[z][y] = n->cell[z][y] & (corners | corners >> 1);
        }
    }
    for (int32_t z = low; z <= high + 1; ++z) {
        for (int32_t y = low; y <= high + 1; ++y) {
            uint64_t cells = 0;
            for (int32_t k = 0; k < 4; ++k) {
                int32_t cz = z - k / 2, cy = y - k % 2;
                if (cz >= low && cz <= high && cy >= low && cy <= high) {
                    cells |= n->touched[cz][cy];
                }
            }
            n->reached[z][y] = n->node[z][y] & (cells | cells << 1);
        }
    }
}

/* Hops from a lane; true when all nodes of its cube are reached. */
static bool reach(builder* b, int32_t lane) {
    neighbourhood* n = b->near;
    int32_t w = b->width, middle = 8 * EDGE + lane;
    n->reached[w][w] = UINT64_C(1) << middle;
    for (int32_t radius = 0; radius < w; ++radius) {
        hop(n, w, radius);
    }
    /* A lone node has no cell to stay in. */
    n->reached[w][w] |= UINT64_C(1) << middle;
    uint64_t window = ((UINT64_C(1) << (2 * w + 1)) - 1) << (middle - w);
    bool all = true;
    for (int32_t z = 0; z <= 2 * w; ++z) {
        for (int32_t y = 0; y <= 2 * w; ++y) {
            all = all && n->reached[z][y] == (n->node[z][y] & window);
        }
    }
    return all;
}

static int32_t collect(const builder* b) {
    const neighbourhood* n = b->near;
    int32_t count = 0;
    for (int32_t z = 0; z <= 2 * b->width; ++z) {
        for (int32_t y = 0; y <= 2 * b->width; ++y) {
            for (int32_t x = 0; x < 8 * SPAN && n->reached[z][y] >> x != 0; ++x) {
                if (n->reached[z][y] >> x & 1) {
                    b->members[count++] = 8 * n->octet[z][y][x / 8] + x % 8;
                }
            }
        }
    }
    return count;
}

/* All nodes within the width along links, ascending; how many. They are in `item`. */
static int32_t walk(builder* b, int32_t slot) {
    int32_t count = 0, at = 0;
    b->stamp++;
    b->seen[slot] = b->stamp;
    b->queue[count++] = slot;
    for (int32_t hops = 0, end = count; hops < b->width; ++hops, end = count) {
        for (; at < end; ++at) {
            int32_t i = b->queue[at];
            for (int32_t e = b->g.offset[i]; e < b->g.offset[i + 1]; ++e) {
                int32_t other = b->g.node[e];
                if (b->seen[other] != b->stamp) {
                    b->seen[other] = b->stamp;
                    b->queue[count++] = other;
                }
            }
        }
    }
    for (int32_t i = 0; i < count; ++i) {
        b->item[i] = (sort_item){.key = (uint64_t)b->queue[i]};
    }
    sort_items(b->item, b->spare, count);
    return count;
}

/* The members of a slot's region, in place of those that hops by bits have found; whether they are
 * the same. */
static bool is_as_walked(builder* b, int32_t slot, int32_t* count) {
    int32_t all = walk(b, slot);
    bool same = all == *count;
    for (int32_t i = 0; i < all; ++i) {
        same = same && b->members[i] == (int32_t)b->item[i].key;
        b->members[i] = (int32_t)b->item[i].key;
    }
    *count = all;
    return same;
}

static int32_t count_bits(uint64_t bits) {
    int32_t count = 0;
    for (; bits != 0; bits &= bits - 1) {
        count++;
    }
    return count;
}

static int32_t window_count(const neighbourhood* n, int32_t w) {
    int32_t count = 0;
    for (int32_t z = 0; z <= 2 * w; ++z) {
        for (int32_t y = 0; y <= 2 * w; ++y) {
            count += count_bits(n->reached[z][y]);
        }
    }
    return count;
}

/* ---- windows as sets --------------------------------------------------------------------------
 * A window's bar about a place is the nodes within the width along its row, whoever's window it is,
 * and its plate is made of the bars of the rows around. Those about slots are named once.
 */

/* Of the row (y, z) around an octet; nothing: 0 in `out_any`. */
static bool window_bar(builder* b, int32_t lane, int32_t y, int32_t z, bool* out_any,
                       int32_t* out_name) {
    const neighbourhood* n = b->near;
    int32_t w = b->width, middle = 8 * EDGE + lane, centre = n->octet[z][y][EDGE], count = 0;
    uint64_t bits = n->node[z][y] & ((UINT64_C(1) << (2 * w + 1)) - 1) << (middle - w);
    *out_any = bits != 0;
    if (bits == 0) {
        return true;
    }
    int32_t* kept = centre >= 0 ? &b->bar_name[8 * centre + lane] : NULL;
    if (kept != NULL && *kept != 0) {
        *out_name = *kept - 1;
        return true;
    }
    int32_t slots[2 * BOX_WIDTH_MOST + 1];
    for (int32_t x = middle - w; x <= middle + w; ++x) {
        if (bits >> x & 1) {
            slots[count++] = 8 * n->octet[z][y][x / 8] + x % 8;
        }
    }
    bool named = set_net_bar(&b->sets, slots, count, out_name);
    if (kept != NULL) {
        *kept = *out_name + 1;
    }
    return named;
}

static bool window_plate(builder* b, int32_t lane, int32_t z, bool* out_any, int32_t* out_name) {
    int32_t centre = b->near->octet[z][b->width][EDGE], bars[2 * BOX_WIDTH_MOST + 1], count = 0;
    int32_t* kept = centre >= 0 ? &b->plate_name[8 * centre + lane] : NULL;
    *out_any = true;
    if (kept != NULL && *kept != 0) {
        *out_name = *kept - 1;
        return true;
    }
    for (int32_t y = 0; y <= 2 * b->width; ++y) {
        bool any;
        if (!window_bar(b, lane, y, z, &any, &bars[count])) {
            return false;
        }
        count += any;
    }
    *out_any = count > 0;
    bool named = count == 0 || set_net_plate(&b->sets, bars, count, out_name);
    if (kept != NULL && count > 0) {
        *kept = *out_name + 1;
    }
    return named;
}

/* The window about a lane of the octet that is looked at, as an optional set; -1 when memory is
 * out. */
static int32_t window_set(builder* b, int32_t lane) {
    int32_t plates[2 * BOX_WIDTH_MOST + 1], count = 0;
    for (int32_t z = 0; z <= 2 * b->width; ++z) {
        bool any;
        if (!window_plate(b, lane, z, &any, &plates[count])) {
            return -1;
        }
        count += any;
    }
    return set_net_cube(&b->sets, plates, count);
}

/* ---- which regions are what -------------------------------------------------------------------
 */

/* The region of a node that hops by bits have been counted from. */
static lim_result sort_region(builder* b, int32_t slot, bool window) {
    int32_t w = b->width, lane = slot % 8;
    bool odd = b->odd != NULL && b->odd[slot];
    window = window && b->use != WINDOWS_NEVER && w == b->window_width;
    int32_t members = window && !odd ? 0 : collect(b);
    window = (!odd || is_as_walked(b, slot, &members)) && window;
    int32_t before = set_net_count(&b->sets, true), needed = set_net_count(&b->sets, false);
    if (window) {
        members = window_count(b->near, w);
        b->windows++;
        b->window_members += members;
        if (b->use != WINDOWS_ALWAYS) {
            b->set[slot] = window_set(b, lane);
        }
    } else {
        b->set[slot] = set_net_add(&b->sets, b->members, members);
    }
    b->window[slot] = window;
    b->all_members += set_net_count(&b->sets, true) > before ? members : 0;
    b->set_members += set_net_count(&b->sets, false) > needed ? members : 0;
    return b->set[slot] >= 0 ? LIM_OK : LIM_ERROR_MEMORY;
}

static lim_result sort_regions(builder* b) {
    int32_t widest = b->width, slots = b->nodes->padded;
    for (int32_t o = 0; o < b->octets; ++o) {
        widest = width_of(b, o) > widest ? width_of(b, o) : widest;
    }
    int32_t side = 2 * widest + 1, cube = side * side * side;
    b->near = arena_alloc(&b->scratch, 1, sizeof *b->near);
    b->members = ARENA_ARRAY(&b->scratch, int32_t, b->odd != NULL && slots > cube ? slots : cube);
    b->window = ARENA_ARRAY(&b->scratch, uint8_t, slots);
    b->set = ARENA_ARRAY(&b->scratch, int32_t, slots);
    b->bar_name = ARENA_ARRAY(&b->scratch, int32_t, slots);
    b->plate_name = ARENA_ARRAY(&b->scratch, int32_t, slots);
    LIM_TRY_MEMORY(b->near);
    LIM_TRY_MEMORY(b->members);
    LIM_TRY_MEMORY(b->window);
    LIM_TRY_MEMORY(b->set);
    LIM_TRY_MEMORY(b->bar_name);
    LIM_TRY_MEMORY(b->plate_name);
    for (int32_t o = 0; o < b->octets; ++o) {
        b->width = width_of(b, o);
        look_around(b, o);
        for (int32_t lane = 0; lane < 8; ++lane) {
            if (b->node[o] >> lane & 1) {
                LIM_TRY(sort_region(b, 8 * o + lane, reach(b, lane)));
            }
        }
    }
    return LIM_OK;
}

lim_result lattice_windows(arena* a, arena* scratch, const region_nodes* nodes,
                           const int32_t* slot_component, int32_t axis, int32_t width,
                           box_net* out) {
    int32_t octets = nodes->padded / 8;
    int32_t(*place)[4] = arena_alloc(scratch, (size_t)octets, sizeof *place);
    uint8_t* mask = ARENA_ARRAY(scratch, uint8_t, octets);
    LIM_TRY_MEMORY(place);
    LIM_TRY_MEMORY(mask);
    for (int32_t slot = 0; slot < nodes->padded; ++slot) {
        if (nodes->volume[slot] > 0.0f) {
            int32_t at[3];
            coordinates(nodes, axis, slot, at);
            const int32_t own[4] = {at[0] / 8, at[1], at[2], 0};
            memcpy(place[slot / 8], own, sizeof own);
            mask[slot / 8] = (uint8_t)(mask[slot / 8] | 1u << slot % 8);
        }
    }
    /* A sheet ends where the order of places does, or the component. */
    for (int32_t o = 1; o < octets; ++o) {
        const int32_t *at = place[o], *last = place[o - 1];
        bool on = at[2] != last[2]   ? at[2] > last[2]
                  : at[1] != last[1] ? at[1] > last[1]
                                     : at[0] > last[0];
        on = on && slot_component[8 * o] == slot_component[8 * o - 8];
        place[o][3] = last[3] + !on;
    }
    return box_build(a, scratch, (const int32_t(*)[4])place, mask, octets, width, out);
}

static bool windows_pay(const builder* b, const box_net* box) {
    bool cheaper = box_work(box) + set_net_work(&b->sets, false) < set_net_work(&b->sets, true);
    return b->use == WINDOWS_ALWAYS || (b->use == WINDOWS_WHERE_CHEAPER && cheaper);
}

static lim_result build(builder* b, arena* a, box_net* out_box, net* out_net, regions* r) {
    int32_t slots = b->nodes->padded;
    box_net box;
    LIM_TRY(
        lattice_windows(&b->scratch, &b->scratch, b->nodes, b->component, b->axis, b->width, &box));
    LIM_TRY(gather_octets(b, &box));
    LIM_TRY(number_rows(b));
    LIM_TRY(set_net_init(&b->sets, b->sets.host, b->row, b->layer, b->slot, b->nodes->count / 4));
    LIM_TRY(sort_regions(b));
    bool pay = windows_pay(b, &box);
    *out_box = (box_net){0};
    if (pay) {
        LIM_TRY(lattice_windows(a, &b->scratch, b->nodes, b->component, b->axis, b->window_width,
                                out_box));
    }
    LIM_TRY(set_net_emit(&b->sets, a, slots, !pay, out_net));
    *r = (regions){.box = pay ? slots : 0};
    r->seed_region = ARENA_ARRAY(a, int32_t, slots);
    LIM_TRY_MEMORY(r->seed_region);
    int32_t sets = set_net_count(&b->sets, !pay), distinct = sets + (pay ? b->windows : 0);
    r->count = r->box + sets;
    r->padded = r->box + out_net->region_count;
    r->members = (pay ? b->window_members + b->set_members : b->all_members) / distinct;
    /* Windows take three additions along each axis. */
    r->inputs =
        ((double)out_net->forward_offset[out_net->record_count] + 9.0 * (pay ? b->windows : 0)) /
        distinct;
    LIM_TRY(regions_allocate(a, r));
    for (int32_t i = 0; i < slots; ++i) {
        bool node = b->node[i / 8] >> i % 8 & 1;
        r->seed_region[i] = !node ? -1
                            : pay && b->window[i]
                                ? i
                                : r->box + set_net_number(&b->sets, b->set[i], !pay);
        if (node) {
            r->weight[r->seed_region[i]] += 1.0f;
        }
    }
    return LIM_OK;
}

lim_result regions_build_lattice(arena* a, const lim_host* host, const region_nodes* nodes, graph g,
                                 const int32_t* slot_component, int32_t axis, int32_t width,
                                 const int32_t* component_width, window_use use, box_net* out_box,
                                 net* out_net, regions* out_regions) {
    builder b = {.nodes = nodes,
                 .g = g,
                 .use = use,
                 .width = width,
                 .window_width = width,
                 .component_width = component_width,
                 .axis = axis,
                 .component = slot_component,
                 .sets = {.host = host}};
    arena_init(&b.scratch, host);
    lim_result result = build(&b, a, out_box, out_net, out_regions);
    set_net_free(&b.sets);
    arena_release(&b.scratch);
    return result;
}
