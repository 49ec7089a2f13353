/* SPDX-License-Identifier: MIT
 * Job: tear a body. In: links that break, with blades between their cells. Out: the body cut along
 * them. A blade may part cells of more than one component, when edits before have parted these; it
 * cuts each component that holds one of its links, and no other, or its rim would scratch what only
 * lies beside. The blades of a component cut its skin in turn (edit/turns.h); the rest follows
 * once.
 */
#include "edit/tear.h"

#include "base/sort.h"
#include "base/timer.h"
#include "body/zones.h"
#include "edit/crumbs.h"
#include "edit/turns.h"

#include <string.h>

/* Triangles that the blades of a step may have about the nodes that they part. A node of a lattice
 * has those of eight cells. */
enum { TEAR_SKIN = 3000, TEAR_SKIN_LATTICE = 4 * TEAR_SKIN };

/* ---- strain -------------------------------------------------------------------------------------
 */

/* The least that zones can make of a limit. */
static double least_factor(const tear_limit* limit) {
    double least = 1.0;
    for (int32_t i = 0; i < limit->zone_count; ++i) {
        double f = (double)limit->zones[i].stiffness;
        least *= f < 1.0 ? f : 1.0;
    }
    return least > 1e-6 ? least : 1e-6;
}

static float square(const float a[3], const float b[3]) {
    float x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

static void places(const body* b, int32_t slot, float rest[3], float now[3]) {
    for (int k = 0; k < 3; ++k) {
        rest[k] = b->topology->x0[k][slot];
        now[k] = rest[k] + b->d[k][slot];
    }
}

bool tear_is_near(const body* b, const tear_limit* limit) {
    const topology* t = b->topology;
    double reach = 1.0 + (double)limit->strain * least_factor(limit);
    float least = (float)(reach * reach * (1.0 - 1e-4)); /* floats round */
    for (int32_t i = 0; i < t->slot_count; ++i) {
        float rest[3], now[3], other_rest[3], other[3];
        places(b, i, rest, now);
        for (int32_t e = t->edge_offset[i]; e < t->edge_offset[i + 1]; ++e) {
            int32_t k = t->edge_node[e];
            if (k > i) {
                places(b, k, other_rest, other);
                if (square(now, other) > least * square(rest, other_rest)) {
                    return true;
                }
            }
        }
    }
    return false;
}

/* Least factor of the zones along a link at rest. */
static double factor_along(const topology* t, const tear_limit* limit, int32_t i, int32_t k) {
    lim_point from = topology_place(t, i), way = p3_sub(topology_place(t, k), from);
    double least = HUGE_VAL;
    for (int step = 0; step <= 4; ++step) {
        lim_point at = p3_mad(from, way, 0.25 * step);
        double f = (double)zones_apply(limit->zones, limit->zone_count, ZONE_STIFFNESS, at, 1.0f);
        least = f < least ? f : least;
    }
    return least;
}

static int32_t find_entry(const topology* t, int32_t slot, int32_t other) {
    int32_t low = t->edge_offset[slot], high = t->edge_offset[slot + 1];
    while (low < high && t->edge_node[low] != other) {
        low++;
    }
    return low < high ? low : -1;
}

static bool share_face(uint64_t a, uint64_t b) {
    octant p = octant_of(a), q = octant_of(b);
    int32_t x = p.x - q.x, y = p.y - q.y, z = p.z - q.z;
    return x * x + y * y + z * z == 1;
}

/* Per entry of the graph: material joins the two over a face of finest cells. Glue does not, nor
 * does what only goes around an edge through the cells beside: two cells of different size may have
 * a face in common and be joined so alone. */
static lim_result find_real(arena* a, const topology* t, uint8_t** out) {
    const matter* m = &t->matter;
    uint8_t* real = ARENA_ARRAY(a, uint8_t, t->edge_count);
    LIM_TRY_MEMORY(real);
    for (int32_t f = 0; f < m->count; ++f) {
        int32_t slot = t->fragment_slot[f];
        for (int32_t e = m->edge_offset[f]; e < m->edge_offset[f + 1]; ++e) {
            int32_t g = m->edge_node[e], other = t->fragment_slot[g];
            if (slot < other && !matter_is_glued(m, f, g) && share_face(m->key[f], m->key[g])) {
                int32_t at = find_entry(t, slot, other);
                if (at >= 0) {
                    real[at] = 1;
                }
            }
        }
    }
    *out = real;
    return LIM_OK;
}

/* ---- of a lattice ----
 * A node has the cube about its corner: an eighth of each cell about it. The cubes of two nodes
 * that are linked along an axis meet in the middle of the four cells about that link, in a quarter
 * of the middle plane of each. */

/* The sub-voxels of a cell that are in the cube of its lowest corner, and of the others: shifted by
 * two along each axis. */
static uint64_t cube_of(int32_t corner) {
    return UINT64_C(0x00330033) << (2 * (corner & 1) + 8 * (corner >> 1 & 1) + 32 * (corner >> 2));
}

/* Links up along an axis that blades have cut, of a cell. */
static uint64_t cut_along(const matter* m, uint64_t key, int axis) {
    static const int way[3] = {0, 2, 8}; /* 13 + 3^axis is 14 + way */
    const matter_wall* wall = matter_wall_of(m, key);
    return wall != NULL ? wall->cut[way[axis]] : 0;
}

/* The links up along an axis, of these sub-voxels, that cross the middle plane next to a corner. */
static uint64_t links_at(uint64_t mask, int axis, int32_t corner) {
    uint64_t step = (uint64_t)1 << 2 * axis;
    return mask & mask >> step & cube_of(corner) & cube_of(corner | 1 << axis) >> step;
}

/* Per entry of the graph, as find_real: material of a cell leads over the plane between. */
static lim_result find_real_corners(arena* a, const topology* t, uint8_t** out) {
    const matter* m = &t->matter;
    uint8_t* real = ARENA_ARRAY(a, uint8_t, t->edge_count);
    LIM_TRY_MEMORY(real);
    for (int32_t f = 0; f < m->count; ++f) {
        for (int axis = 0; axis < 3; ++axis) {
            uint64_t whole = ~cut_along(m, m->key[f], axis);
            for (int32_t k = 0; k < 8; ++k) {
                if ((k >> axis & 1) != 0 || (links_at(m->mask[f], axis, k) & whole) == 0) {
                    continue;
                }
                int32_t one = topology_end(t, f, k), other = topology_end(t, f, k | 1 << axis);
                int32_t at = find_entry(t, one < other ? one : other, one < other ? other : one);
                if (at >= 0) {
                    real[at] = 1;
                }
            }
        }
    }
    *out = real;
    return LIM_OK;
}

/* All that a fragment's cell holds. */
static uint64_t cell_mask(const matter* m, int32_t fragment) {
    uint64_t mask = 0;
    int32_t i = fragment;
    while (i > 0 && m->key[i - 1] == m->key[fragment]) {
        i--;
    }
    for (; i < m->count && m->key[i] == m->key[fragment]; ++i) {
        mask |= m->mask[i];
    }
    return mask;
}

/* The four links of a cell along an axis: their entries in the graph, and whether skin may lie
 * there without material, now and before it was cut. Numbered by the two other axes. */
typedef struct cell_links {
    int32_t node[4][2], entry[4];
    bool hollow[4];
} cell_links;

static cell_links links_of(const topology* t, const uint8_t* real, int32_t fragment, int axis) {
    cell_links c;
    uint64_t mask = cell_mask(&t->matter, fragment);
    for (int32_t k = 0; k < 4; ++k) {
        int32_t low = (k & 1) << (axis + 1) % 3 | k >> 1 << (axis + 2) % 3;
        int32_t one = topology_end(t, fragment, low);
        int32_t two = topology_end(t, fragment, low | 1 << axis);
        c.node[k][0] = one < two ? one : two;
        c.node[k][1] = one < two ? two : one;
        c.entry[k] = find_entry(t, c.node[k][0], c.node[k][1]);
        c.hollow[k] = c.entry[k] >= 0 && !real[c.entry[k]] && links_at(mask, axis, low) == 0;
    }
    return c;
}

/* Where the material of a cell parts along its middle plane, so must the skin beside it: with a
 * link that is over its limit go the hollow ones next to it, and the one across where both of these
 * are hollow. */
static int32_t beside_of(const cell_links* c, const float* strain, const uint8_t* real,
                         sort_item* out) {
    int32_t count = 0;
    for (int32_t n = 0; n < 16; ++n) {
        int32_t k = n / 4, other = n % 4, e = c->entry[k];
        bool across = (k ^ other) == 3 && c->hollow[k ^ 1] && c->hollow[k ^ 2];
        bool goes = c->hollow[other] && ((k ^ other) != 3 || across);
        if (e < 0 || !real[e] || !(strain[e] > 0.0f) || !goes) {
            continue;
        }
        if (out != NULL) {
            uint64_t low = (uint64_t)(uint32_t)c->node[k][0];
            out[count] = (sort_item){.key = low << 32 | (uint32_t)c->node[k][1],
                                     .value = c->node[other][0],
                                     .extra = c->node[other][1]};
        }
        count++;
    }
    return count;
}

static lim_result list_beside(arena* a, const topology* t, const uint8_t* real, const float* strain,
                              fracture_links* out) {
    int32_t count = 0, at = 0;
    for (int32_t n = 0; n < 3 * t->matter.count; ++n) {
        cell_links c = links_of(t, real, n / 3, n % 3);
        count += beside_of(&c, strain, real, NULL);
    }
    sort_item* item = ARENA_ARRAY(a, sort_item, count);
    sort_item* spare = ARENA_ARRAY(a, sort_item, count);
    int32_t(*list)[4] = arena_alloc(a, (size_t)count, sizeof *list);
    LIM_TRY_MEMORY(item);
    LIM_TRY_MEMORY(spare);
    LIM_TRY_MEMORY(list);
    for (int32_t n = 0; n < 3 * t->matter.count && count > 0; ++n) {
        cell_links c = links_of(t, real, n / 3, n % 3);
        at += beside_of(&c, strain, real, item + at);
    }
    sort_items(item, spare, count);
    for (int32_t i = 0; i < count; ++i) {
        list[i][0] = (int32_t)(item[i].key >> 32);
        list[i][1] = (int32_t)(uint32_t)item[i].key;
        list[i][2] = item[i].value;
        list[i][3] = item[i].extra;
    }
    out->beside_count = count;
    out->beside = (const int32_t(*)[4])list;
    return LIM_OK;
}

/* Triangles of the skin about each node: those whose first corner hangs on it. */
static lim_result count_skin(arena* a, const topology* t, const int32_t** out) {
    int32_t* skin = ARENA_ARRAY(a, int32_t, t->slot_count);
    LIM_TRY_MEMORY(skin);
    for (int32_t i = 0; i < t->triangle_count; ++i) {
        int32_t f = t->point_home[t->vertex_point[t->indices[3 * (size_t)i]]];
        for (int32_t k = 0; k < topology_ends(t); ++k) {
            skin[topology_end(t, f, k)]++;
        }
    }
    *out = skin;
    return LIM_OK;
}

lim_result tear_measure(arena* a, const body* b, const tear_limit* limit, fracture_links* out) {
    const topology* t = b->topology;
    float* strain = ARENA_ARRAY(a, float, t->edge_count);
    float* own = ARENA_ARRAY(a, float, t->slot_count);
    LIM_TRY_MEMORY(strain);
    LIM_TRY_MEMORY(own);
    uint8_t* real;
    bool lattice = t->kind->nodes == LIM_NODES_AT_CORNERS;
    LIM_TRY(lattice ? find_real_corners(a, t, &real) : find_real(a, t, &real));
    /* the cube of a corner begins half an edge before it */
    double half = lattice ? -0.5 * t->matter.side : 0.0;
    double near = (double)limit->strain * least_factor(limit);
    for (int32_t i = 0; i < t->slot_count; ++i) {
        own[i] = limit->strain;
        for (int32_t e = t->edge_offset[i]; e < t->edge_offset[i + 1]; ++e) {
            int32_t k = t->edge_node[e];
            if (k < i || !real[e]) {
                continue;
            }
            double rest = p3_length(p3_sub(body_slot_rest(t, k), body_slot_rest(t, i)));
            double now = p3_length(p3_sub(body_slot_local(b, k), body_slot_local(b, i)));
            double edge = (double)(t->side[i] < t->side[k] ? t->side[i] : t->side[k]);
            double longer = (now - rest) / fmax(rest, 0.5 * edge);
            if (longer > near) {
                double f = limit->zone_count > 0 ? factor_along(t, limit, i, k) : 1.0;
                strain[e] = (float)fmin(longer / f, 1e30);
            }
        }
    }
    *out = (fracture_links){.corner = p3_add(t->matter.corner, p3(half, half, half)),
                            .side = t->matter.side,
                            .finest = t->matter.level,
                            .node_count = t->slot_count,
                            .key = t->key,
                            .edge_offset = t->edge_offset,
                            .edge_node = t->edge_node,
                            .strain = strain,
                            .limit = own,
                            .enough = lattice ? TEAR_SKIN_LATTICE : TEAR_SKIN};
    LIM_TRY(count_skin(a, t, &out->skin));
    return lattice ? list_beside(a, t, real, strain, out) : LIM_OK;
}

/* ---- blades -------------------------------------------------------------------------------------
 */

typedef struct tearing {
    const edit_means* with;
    const body* b;
    const tear_plan* plan;
    topology* now;       /* null: the body's own */
    turns_blades blades; /* room for all: those that cut a component */
    int32_t* name;       /* which ones they are */
    uint8_t *wanted, *parted;
    edit_made* made;
} tearing;

/* A sub-voxel that names a component. */
typedef struct tear_place {
    uint64_t key, bit;
} tear_place;

static int32_t fragment_of(const matter* m, tear_place at) {
    int32_t low = matter_first_of(m, at.key);
    while (low < m->count && m->key[low] == at.key) {
        if ((m->mask[low] & at.bit) != 0) {
            return low;
        }
        low++;
    }
    return -1;
}

static tear_place place_of(const topology* t, int32_t which) {
    const matter* m = &t->matter;
    int32_t f = 0;
    while (f + 1 < m->count && t->slot_component[t->fragment_slot[f]] != which) {
        f++;
    }
    return (tear_place){m->key[f], m->mask[f] & (~m->mask[f] + 1)};
}

/* The blades that part links of a component: it has both ends of a link, or none. */
static void list_blades(tearing* t, int32_t which) {
    const fracture_plan* breaks = t->plan->breaks;
    const int32_t* of = t->b->topology->slot_component;
    int32_t count = 0;
    memset(t->wanted, 0, (size_t)breaks->blade_count);
    for (int32_t k = 0; k < breaks->broken; ++k) {
        t->wanted[breaks->link_blade[k]] |= of[breaks->link[k][0]] == which;
    }
    for (int32_t k = 0; k < breaks->blade_count; ++k) {
        if (t->wanted[k]) {
            t->name[count] = k;
            t->blades.turn[count] = breaks->blade_axis[k];
            t->blades.blade[count++] = &breaks->blade[k];
        }
    }
    t->blades.count = count;
}

/* Some of the blades listed. */
static lim_result cut_component(tearing* t, tear_place at, int32_t first, int32_t count) {
    const edit_means* with = t->with;
    const topology* from = t->now != NULL ? t->now : t->b->topology;
    int32_t fragment = fragment_of(&from->matter, at), crumbs;
    edit_cut_plan plan = {
        .inner_submesh = t->plan->inner_submesh, .stroke = t->plan->stroke, .draw = t->plan->draw};
    topology* next = NULL;
    turns skin;
    double begin = timer_now(with->host);
    if (fragment < 0) {
        return LIM_OK; /* a speck that a blade before has taken away */
    }
    turns_blades some = {t->blades.blade + first, t->blades.turn + first, t->blades.has_cut + first,
                         count};
    lim_result result =
        turns_cut(with->a, from, &some, from->slot_component[from->fragment_slot[fragment]],
                  plan.stroke, plan.inner_submesh, &skin);
    if (result == LIM_OK && (skin.cut.cut_triangles > 0 || skin.cut.inner_triangles > 0)) {
        skin.cut.tears = true;
        result = crumbs_drop(with->a, from, plan.inner_submesh, &skin.cut, &crumbs);
        t->made->report.skin += timer_now(with->host) - begin;
        result = result != LIM_OK ? result
                                  : edit_cut_inside(with, t->b, from, fragment, &plan, &skin.cut,
                                                    &next, &t->made->report);
    }
    turns_release(&skin);
    if (next != NULL) {
        topology_release(t->now);
        t->now = next;
        for (int32_t k = 0; k < count; ++k) {
            t->parted[t->name[first + k]] |= some.has_cut[k];
        }
    }
    return result;
}

static lim_result cut_all(tearing* t) {
    const topology* base = t->b->topology;
    for (int32_t c = 0; c < base->component_count; ++c) {
        list_blades(t, c);
        tear_place at = place_of(base, c);
        int32_t count = t->blades.count;
        lim_result result = count > 0 ? cut_component(t, at, 0, count) : LIM_OK;
        /* A lattice may have no cell for a sliver: the other blades cut without the one that makes
         * it */
        for (int32_t k = 0; k < count && count > 1 && result == LIM_ERROR_UNSUPPORTED; ++k) {
            lim_result alone = cut_component(t, at, k, 1);
            LIM_TRY(alone == LIM_ERROR_UNSUPPORTED ? LIM_OK : alone);
        }
        LIM_TRY(result == LIM_ERROR_UNSUPPORTED ? LIM_OK : result);
    }
    return LIM_OK;
}

lim_result edit_tear(const edit_means* with, const body* b, const tear_plan* plan, edit_made* made,
                     uint8_t** out_parted) {
    *made = (edit_made){.report.nodes_before = b->topology->node_count};
    double begin = timer_now(with->host);
    int32_t blades = plan->breaks->blade_count;
    tearing t = {.with = with,
                 .b = b,
                 .plan = plan,
                 .blades.blade = arena_alloc(with->a, (size_t)blades, sizeof *t.blades.blade),
                 .blades.turn = ARENA_ARRAY(with->a, int32_t, blades),
                 .blades.has_cut = ARENA_ARRAY(with->a, uint8_t, blades),
                 .name = ARENA_ARRAY(with->a, int32_t, blades),
                 .wanted = ARENA_ARRAY(with->a, uint8_t, blades),
                 .parted = ARENA_ARRAY(with->a, uint8_t, blades),
                 .made = made};
    LIM_TRY_MEMORY(t.blades.blade);
    LIM_TRY_MEMORY(t.blades.turn);
    LIM_TRY_MEMORY(t.blades.has_cut);
    LIM_TRY_MEMORY(t.name);
    LIM_TRY_MEMORY(t.wanted);
    LIM_TRY_MEMORY(t.parted);
    lim_result result = cut_all(&t);
    made->report.nodes = timer_now(with->host) - begin - made->report.skin - made->report.material;
    if (result != LIM_OK || t.now == NULL) {
        topology_release(t.now);
        return result;
    }
    *out_parted = t.parted;
    return edit_finish(with, b, t.now, begin, made);
}
