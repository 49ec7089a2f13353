/* SPDX-License-Identifier: MIT
 * Job: nodes of a cut lattice. In: a topology, its material after a cut, which fragment comes from
 * which. Out: a sampling, and from it slots, graph and regions.
 *
 * An end is a fragment at one corner of its cell: end 8 f + k. Ends at one corner are one node when
 * links between their fragments lead from one to the other about that corner. A lattice also holds
 * together what no link joins, wherever it shares a corner (sample/lattice.h): ends that were so
 * stay so where the cut has touched neither.
 */
#include "body/remake_lattice.h"
#include "base/disjoint_set.h"

#include "base/sort.h"
#include "body/lattice_material.h"
#include "body/layout.h"
#include "body/make_regions.h"
#include "body/material.h"
#include "body/rest_nodes.h"
#include "sample/lattice.h"
#include "sample/linking.h"
#include "sample/matter_copy.h"

enum { CORNERS = 8, HOP = 2 };

typedef struct lattice_work {
    const topology_plan* plan;
    const topology* from;
    const matter* m;
    arena* scratch;
    int32_t ends;
    int32_t* old;   /* per end: the slot it had */
    int32_t* node;  /* per end: its node */
    int32_t* first; /* CSR over slots of `from`: ends that had it */
    int32_t* item;
    int32_t* heir;         /* per slot of `from`: the one that its mass counts for */
    double *volume, *mass; /* per slot of `from`, with what it inherits */
    double *node_volume, *node_mass, *node_stiffness, *node_density; /* per node */
} lattice_work;

static int32_t source_of(const topology_plan* plan, int32_t fragment) {
    return plan->source != NULL ? plan->source[fragment] : fragment;
}

/* ---- ends ---------------------------------------------------------------------------------------
 */

/* Joins the ends that linked fragments have in common. */
static void join_links(const matter* m, int32_t* set) {
    for (int32_t f = 0; f < m->count; ++f) {
        octant a = octant_of(m->key[f]);
        for (int32_t e = m->edge_offset[f]; e < m->edge_offset[f + 1]; ++e) {
            int32_t g = m->edge_node[e];
            octant b = octant_of(m->key[g]);
            const int32_t away[3] = {a.x - b.x, a.y - b.y, a.z - b.z};
            for (int32_t k = 0; k < CORNERS && f < g; ++k) {
                int32_t other = 0;
                bool both = true;
                for (int axis = 0; axis < 3; ++axis) {
                    int32_t at = away[axis] + (k >> axis & 1);
                    both = both && at >= 0 && at <= 1;
                    other |= (at & 1) << axis;
                }
                if (both) {
                    disjoint_join(set, CORNERS * f + k, CORNERS * g + other);
                }
            }
        }
    }
}

static lim_result name_ends(arena* scratch, const matter* m, int32_t** out) {
    int32_t count = CORNERS * m->count;
    int32_t* set = *out = ARENA_ARRAY(scratch, int32_t, count);
    LIM_TRY_MEMORY(set);
    disjoint_init(set, count);
    join_links(m, set);
    return LIM_OK;
}

static lim_result list_ends(lattice_work* w) {
    const topology* from = w->from;
    w->old = ARENA_ARRAY(w->scratch, int32_t, w->ends);
    w->item = ARENA_ARRAY(w->scratch, int32_t, w->ends);
    w->first = ARENA_ARRAY(w->scratch, int32_t, from->slot_count + 1);
    LIM_TRY_MEMORY(w->old);
    LIM_TRY_MEMORY(w->item);
    LIM_TRY_MEMORY(w->first);
    for (int32_t i = 0; i < w->ends; ++i) {
        int32_t f = i / CORNERS, was = source_of(w->plan, f);
        if (w->m->key[f] != from->matter.key[was]) {
            return LIM_ERROR_UNSUPPORTED; /* edits keep cells */
        }
        w->old[i] = from->bind.corner[CORNERS * (size_t)was + (size_t)(i % CORNERS)];
        w->first[w->old[i] + 1]++;
    }
    for (int32_t i = 0; i < from->slot_count; ++i) {
        w->first[i + 1] += w->first[i];
    }
    for (int32_t i = 0; i < w->ends; ++i) {
        w->item[w->first[w->old[i]]++] = i;
    }
    for (int32_t i = from->slot_count; i > 0; --i) {
        w->first[i] = w->first[i - 1];
    }
    w->first[0] = 0;
    return LIM_OK;
}

static bool is_touched(const lattice_work* w, int32_t end) {
    return w->plan->touched != NULL && w->plan->touched[end / CORNERS] != 0;
}

/* Whether ends of one node before are apart now, though the cut has touched neither. */
static bool is_any_apart(const lattice_work* w, int32_t* set) {
    for (int32_t o = 0; o < w->from->slot_count; ++o) {
        int32_t root = -1;
        for (int32_t i = w->first[o]; i < w->first[o + 1]; ++i) {
            if (is_touched(w, w->item[i])) {
                continue;
            }
            int32_t own = disjoint_root(set, w->item[i]);
            if (root >= 0 && own != root) {
                return true;
            }
            root = own;
        }
    }
    return false;
}

/* Ends of one node before that no links joined, where the cut is elsewhere. */
static void join_stuck(const lattice_work* w, int32_t* was, int32_t* set) {
    const int32_t* piece = w->m->component;
    for (int32_t o = 0; o < w->from->slot_count; ++o) {
        for (int32_t i = w->first[o]; i < w->first[o + 1]; ++i) {
            int32_t a = w->item[i];
            int32_t a_was = CORNERS * source_of(w->plan, a / CORNERS) + a % CORNERS;
            for (int32_t k = w->first[o]; k < i && !is_touched(w, a); ++k) {
                int32_t b = w->item[k];
                int32_t b_was = CORNERS * source_of(w->plan, b / CORNERS) + b % CORNERS;
                if (!is_touched(w, b) && piece[a / CORNERS] == piece[b / CORNERS] &&
                    disjoint_root(was, a_was) != disjoint_root(was, b_was)) {
                    disjoint_join(set, a, b);
                }
            }
        }
    }
}

static uint64_t corner_key(const matter* m, int32_t end) {
    octant o = octant_of(m->key[end / CORNERS]);
    return octant_key(
        (octant){o.level, o.x + (end & 1), o.y + (end >> 1 & 1), o.z + (end >> 2 & 1)});
}

/* ---- nodes --------------------------------------------------------------------------------------
 */

/* Nodes in order of (key, lowest fragment): the order of components is that of the material. */
static lim_result number_nodes(lattice_work* w, int32_t* set, sampling* s) {
    int32_t count = disjoint_name(set, w->ends);
    sort_item* item = ARENA_ARRAY(w->scratch, sort_item, count);
    sort_item* spare = ARENA_ARRAY(w->scratch, sort_item, count);
    int32_t* number = ARENA_ARRAY(w->scratch, int32_t, count);
    s->node_count = count;
    s->key = ARENA_ARRAY(w->scratch, uint64_t, count);
    s->fragment = ARENA_ARRAY(w->scratch, uint16_t, count);
    LIM_TRY_MEMORY(item);
    LIM_TRY_MEMORY(spare);
    LIM_TRY_MEMORY(number);
    LIM_TRY_MEMORY(s->key);
    LIM_TRY_MEMORY(s->fragment);
    int32_t next = 0;
    for (int32_t i = 0; i < w->ends; ++i) {
        if (set[i] == next) {
            item[next] = (sort_item){.key = corner_key(w->m, i), .value = next};
            next++;
        }
    }
    sort_items(item, spare, count);
    for (int32_t i = 0; i < count; ++i) {
        bool same = i > 0 && item[i].key == item[i - 1].key;
        if (same && s->fragment[i - 1] == UINT16_MAX) {
            return LIM_ERROR_TOO_LARGE;
        }
        s->key[i] = item[i].key;
        s->fragment[i] = same ? (uint16_t)(s->fragment[i - 1] + 1) : 0;
        number[item[i].value] = i;
    }
    for (int32_t i = 0; i < w->ends; ++i) {
        set[i] = number[set[i]];
    }
    w->node = set;
    return LIM_OK;
}

static lim_result place_nodes(const lattice_work* w, sampling* s) {
    const matter* m = w->m;
    s->cell_size = (float)m->side;
    s->corner = v3_of(m->corner);
    s->levels = m->level;
    s->centre = ARENA_ARRAY(w->scratch, lim_vec3, s->node_count);
    s->side = ARENA_ARRAY(w->scratch, float, s->node_count);
    s->level = ARENA_ARRAY(w->scratch, int32_t, s->node_count);
    LIM_TRY_MEMORY(s->centre);
    LIM_TRY_MEMORY(s->side);
    LIM_TRY_MEMORY(s->level);
    s->centroid = s->centre;
    for (int32_t i = 0; i < s->node_count; ++i) {
        octant o = octant_of(s->key[i]);
        s->centre[i] = v3_of(p3_mad(m->corner, p3(o.x, o.y, o.z), m->side));
        s->side[i] = s->cell_size;
        s->level[i] = s->levels;
    }
    for (int32_t i = 0; i < m->count; ++i) {
        s->cell_count += i == 0 || m->key[i] != m->key[i - 1];
    }
    return LIM_OK;
}

/* Glue between fragments whose cells have no corner in common (edit/agree.h): a link of its own,
 * between the corners that are nearest. Odd lengths tell them from links within cells. */
typedef struct far_link {
    int32_t node[2];
    uint16_t length;
} far_link;

static int32_t far_between(const matter* m, int32_t f, int32_t g, int32_t* out_k, int32_t* out_n) {
    octant a = octant_of(m->key[f]), b = octant_of(m->key[g]);
    const int32_t away[3] = {b.x - a.x, b.y - a.y, b.z - a.z};
    int32_t most = 0;
    *out_k = *out_n = 0;
    for (int axis = 0; axis < 3; ++axis) {
        int32_t apart = (away[axis] < 0 ? -away[axis] : away[axis]) - 1;
        *out_k |= (away[axis] > 0) << axis;
        *out_n |= (away[axis] < 0) << axis;
        most = apart > most ? apart : most;
    }
    return most;
}

static lim_result list_far(const lattice_work* w, far_link** out, int32_t* out_count) {
    const matter* m = w->m;
    int32_t k, n;
    *out = NULL;
    for (int pass = 0; pass < 2; ++pass) {
        int32_t count = 0;
        for (int32_t f = 0; f < m->count && m->unglued != NULL; ++f) {
            for (int32_t e = m->edge_offset[f]; e < m->edge_offset[f + 1]; ++e) {
                int32_t apart = far_between(m, f, m->edge_node[e], &k, &n);
                if (apart > 0 && pass == 1) {
                    (*out)[count] = (far_link){
                        .node = {w->node[CORNERS * f + k], w->node[CORNERS * m->edge_node[e] + n]},
                        .length = (uint16_t)(HOP * apart + 1)};
                }
                count += apart > 0;
            }
        }
        if (pass == 0 && count > 0) {
            *out = ARENA_ARRAY(w->scratch, far_link, count);
            LIM_TRY_MEMORY(*out);
        }
        *out_count = count;
    }
    return LIM_OK;
}

/* Adds a neighbour in order; how many there are then. */
static int32_t put_link(sampling* s, int32_t node, int32_t end, int32_t other, uint16_t length) {
    int32_t to = end;
    for (; to > s->edge_offset[node] && s->edge_node[to - 1] > other; --to) {
        s->edge_node[to] = s->edge_node[to - 1];
        s->edge_length[to] = s->edge_length[to - 1];
    }
    s->edge_node[to] = other;
    s->edge_length[to] = length;
    return end + 1;
}

/* Nodes that hang on one fragment are linked. */
static lim_result link_nodes(const lattice_work* w, sampling* s) {
    arena* a = w->scratch;
    int32_t n = s->node_count, at = 0;
    int32_t* first = ARENA_ARRAY(a, int32_t, n + 1);
    int32_t* fragment = ARENA_ARRAY(a, int32_t, w->ends);
    int32_t* seen = ARENA_ARRAY(a, int32_t, n); /* + 1 */
    s->edge_offset = ARENA_ARRAY(a, int32_t, n + 1);
    LIM_TRY_MEMORY(first);
    LIM_TRY_MEMORY(fragment);
    LIM_TRY_MEMORY(seen);
    LIM_TRY_MEMORY(s->edge_offset);
    for (int32_t i = 0; i < w->ends; ++i) {
        first[w->node[i] + 1]++;
    }
    for (int32_t i = 0; i < n; ++i) {
        first[i + 1] += first[i];
    }
    for (int32_t i = 0; i < w->ends; ++i) {
        fragment[first[w->node[i]]++] = i / CORNERS;
    }
    far_link* far;
    int32_t far_count;
    LIM_TRY(list_far(w, &far, &far_count));
    for (int pass = 0; pass < 2; ++pass) { /* counts, then writes */
        at = 0;
        for (int32_t i = 0; i < n; ++i) {
            for (int32_t e = CORNERS * (i > 0 ? first[i - 1] : 0); e < CORNERS * first[i]; ++e) {
                int32_t other = w->node[CORNERS * fragment[e / CORNERS] + e % CORNERS];
                if (other != i && seen[other] != 2 * i + pass + 1) {
                    seen[other] = 2 * i + pass + 1;
                    at = pass == 0 ? at + 1 : put_link(s, i, at, other, HOP);
                }
            }
            for (int32_t e = 0; e < far_count; ++e) {
                int32_t other = far[e].node[1];
                if (far[e].node[0] == i && other != i && seen[other] != 2 * i + pass + 1) {
                    seen[other] = 2 * i + pass + 1;
                    at = pass == 0 ? at + 1 : put_link(s, i, at, other, far[e].length);
                }
            }
            s->edge_offset[i + 1] = at;
        }
        if (pass == 0) {
            s->edge_node = ARENA_ARRAY(a, int32_t, at);
            s->edge_length = ARENA_ARRAY(a, uint16_t, at);
            LIM_TRY_MEMORY(s->edge_node);
            LIM_TRY_MEMORY(s->edge_length);
        }
    }
    return LIM_OK;
}

/* ---- masses -------------------------------------------------------------------------------------
 */

static float factor_of(const float* factor, int32_t slot) {
    return factor != NULL ? factor[slot] : 1.0f;
}

/* Nodes of which nothing is left, a speck that was given away, count for the nearest one. */
static void find_heirs(const lattice_work* w) {
    const topology* from = w->from;
    for (int32_t o = 0; o < from->slot_count; ++o) {
        w->heir[o] = o;
        if (from->slot_node[o] < 0 || w->first[o] < w->first[o + 1]) {
            continue;
        }
        double least = HUGE_VAL;
        for (int32_t i = 0; i < from->slot_count; ++i) {
            if (w->first[i] == w->first[i + 1] ||
                from->slot_component[i] != from->slot_component[o]) {
                continue;
            }
            double square = 0.0;
            for (int k = 0; k < 3; ++k) {
                double d = (double)from->x0[k][i] - (double)from->x0[k][o];
                square += d * d;
            }
            w->heir[o] = square < least ? i : w->heir[o];
            least = square < least ? square : least;
        }
    }
}

/* What the node of a slot has become: each of its nodes once, with its share. */
typedef struct node_share {
    int32_t node;
    double share;
} node_share;

static int32_t shares_of(const lattice_work* w, int32_t slot, node_share* out) {
    int32_t count = 0;
    double sum = 0.0, all = 0.0;
    for (int32_t i = w->first[slot]; i < w->first[slot + 1]; ++i) {
        int32_t node = w->node[w->item[i]], k = 0;
        while (k < count && out[k].node != node) {
            k++;
        }
        if (k == count) {
            out[count++] = (node_share){.node = node};
        }
        out[k].share += w->m->volume[w->item[i] / CORNERS];
        sum += w->m->volume[w->item[i] / CORNERS];
    }
    for (int32_t k = 0; k < count; ++k) {
        double least = LATTICE_SHARE * sum / count;
        out[k].share = out[k].share > least ? out[k].share : least;
        all += out[k].share;
    }
    for (int32_t k = 0; k < count; ++k) {
        out[k].share = count > 1 ? out[k].share / all : 1.0;
    }
    return count;
}

static lim_result weigh_nodes(lattice_work* w, sampling* s) {
    const topology* from = w->from;
    size_t slots = (size_t)from->slot_count, n = (size_t)s->node_count;
    int32_t most = 0;
    for (size_t i = 0; i < slots; ++i) {
        most = w->first[i + 1] - w->first[i] > most ? w->first[i + 1] - w->first[i] : most;
    }
    node_share* share = ARENA_ARRAY(w->scratch, node_share, most);
    double* sums = ARENA_ARRAY(w->scratch, double, 2 * slots + 4 * n);
    w->heir = ARENA_ARRAY(w->scratch, int32_t, slots);
    s->volume = ARENA_ARRAY(w->scratch, float, n);
    LIM_TRY_MEMORY(share);
    LIM_TRY_MEMORY(sums);
    LIM_TRY_MEMORY(w->heir);
    LIM_TRY_MEMORY(s->volume);
    w->volume = sums;
    w->mass = sums + slots;
    w->node_volume = sums + 2 * slots;
    w->node_mass = w->node_volume + n;
    w->node_stiffness = w->node_mass + n;
    w->node_density = w->node_stiffness + n;
    if (w->plan->touched != NULL) {
        find_heirs(w);
    }
    for (size_t o = 0; o < slots; ++o) {
        int32_t heir = w->plan->touched != NULL ? w->heir[o] : (int32_t)o;
        w->volume[heir] += (double)from->volume[o];
        w->mass[heir] += (double)from->mass[o];
    }
    for (int32_t o = 0; o < from->slot_count; ++o) {
        int32_t count = shares_of(w, o, share);
        for (int32_t k = 0; k < count; ++k) {
            int32_t node = share[k].node;
            double volume = share[k].share * w->volume[o];
            bool alone = !(w->node_volume[node] > 0.0); /* the rule: nothing is rounded */
            double rest = alone ? 0.0 : w->node_volume[node] / (w->node_volume[node] + volume);
            w->node_stiffness[node] = rest * w->node_stiffness[node] +
                                      (1.0 - rest) * (double)factor_of(from->stiffness, o);
            w->node_density[node] =
                rest * w->node_density[node] + (1.0 - rest) * (double)factor_of(from->density, o);
            w->node_volume[node] += volume;
            w->node_mass[node] += share[k].share * w->mass[o];
        }
    }
    for (size_t i = 0; i < n; ++i) {
        s->volume[i] = (float)w->node_volume[i];
    }
    return LIM_OK;
}

/* ---- a topology ---------------------------------------------------------------------------------
 */

static lim_result sample_again(lattice_work* w, sampling* s) {
    int32_t *was, *set;
    *s = (sampling){.matter = *w->m};
    LIM_TRY(name_ends(w->scratch, w->m, &set));
    LIM_TRY(list_ends(w));
    if (is_any_apart(w, set)) {
        LIM_TRY(name_ends(w->scratch, &w->from->matter, &was));
        join_stuck(w, was, set);
    }
    LIM_TRY(number_nodes(w, set, s));
    LIM_TRY(place_nodes(w, s));
    LIM_TRY(link_nodes(w, s));
    LIM_TRY(lattice_components(w->scratch, w->scratch, s));
    LIM_TRY(weigh_nodes(w, s));
    /* The same material, named by its lowest: the same names. */
    bool same = s->component_count == w->m->component_count;
    for (int32_t i = 0; same && i < w->ends; ++i) {
        same = s->component[w->node[i]] == w->m->component[i / CORNERS];
    }
    return same ? LIM_OK : LIM_ERROR_UNSUPPORTED;
}

/* A number per node over the slots; 1 for pads. Null where the topology before has none. */
static lim_result spread(topology* t, const float* before, const double* by_node, float** out) {
    if (before == NULL) {
        return LIM_OK;
    }
    *out = ARENA_ARRAY(&t->mem, float, t->slot_count);
    LIM_TRY_MEMORY(*out);
    for (int32_t i = 0; i < t->slot_count; ++i) {
        (*out)[i] = t->slot_node[i] >= 0 ? (float)by_node[t->slot_node[i]] : 1.0f;
    }
    return LIM_OK;
}

static lim_result take_masses(topology* t, const lattice_work* w, const sampling* s) {
    LIM_TRY(rest_masses(t, s, NULL));
    if (w->from->mass == w->from->volume) {
        return LIM_OK;
    }
    LIM_TRY(spread(t, w->from->mass, w->node_mass, &t->mass));
    for (int32_t i = 0; i < t->slot_count; ++i) {
        t->mass[i] = t->slot_node[i] >= 0 ? t->mass[i] : 0.0f;
    }
    return LIM_OK;
}

/* Factors of density by node, for the regions. */
static lim_result list_densities(const topology* t, const lattice_work* w, const float** out) {
    *out = NULL;
    if (t->density == NULL) {
        return LIM_OK;
    }
    float* density = ARENA_ARRAY(w->scratch, float, t->node_count);
    LIM_TRY_MEMORY(density);
    for (int32_t i = 0; i < t->node_count; ++i) {
        density[i] = t->density[t->node_slot[i]];
    }
    *out = density;
    return LIM_OK;
}

lim_result remake_lattice_nodes(topology* t, arena* scratch, const lim_host* host,
                                const topology_plan* plan, sampling* s) {
    const topology* from = plan->from;
    LIM_TRY(matter_copy(&t->mem, plan->after != NULL ? plan->after : &from->matter, &t->matter));
    if (t->matter.count > INT32_MAX / CORNERS) {
        return LIM_ERROR_TOO_LARGE;
    }
    lattice_work w = {.plan = plan,
                      .from = from,
                      .m = &t->matter,
                      .scratch = scratch,
                      .ends = CORNERS * t->matter.count};
    int32_t* hops;
    for (int32_t i = 0; i < t->matter.count && plan->level != NULL; ++i) {
        if (plan->level[i] != t->matter.level) {
            return LIM_ERROR_UNSUPPORTED; /* all cells are of one size */
        }
    }
    LIM_TRY(sample_again(&w, s));
    LIM_TRY(material_follow(t, from, plan->source));
    LIM_TRY(layout_slots(t, scratch, s));
    LIM_TRY(take_masses(t, &w, s));
    rest_centre(t, s); /* for the sum of volumes */
    rest_places(t, s);
    LIM_TRY(spread(t, from->stiffness, w.node_stiffness, &t->stiffness));
    LIM_TRY(spread(t, from->density, w.node_density, &t->density));
    LIM_TRY(rest_graph(t, scratch, s));
    LIM_TRY(layout_blocks(t));
    LIM_TRY(lattice_material_corners(t, w.node));
    LIM_TRY(lattice_material_hops(t, scratch, &hops));
    region_recipe recipe = {
        .kind = t->region_kind, .s = s, .hops = hops, .corner = w.node, .cells = t->matter.count};
    LIM_TRY(list_densities(t, &w, &recipe.density));
    return make_regions(t, scratch, host, &recipe);
}
