/* SPDX-License-Identifier: MIT
 * Job: find out which new nodes are made of which old ones. In: two topologies of one material, and
 * which fragment of the one is, or was part of, which of the other. Out: shared masses, groups, and
 * for others the new slots of every old one.
 */
#include "edit/carry_overlap.h"

#include <string.h>

static int32_t source_of(const carry_map* map, int32_t fragment) {
    return map->source != NULL ? map->source[fragment] : fragment;
}

static double fragment_mass(const topology* t, int32_t fragment) {
    double factor = t->fragment_density != NULL ? (double)t->fragment_density[fragment] : 1.0;
    return t->matter.volume[fragment] * factor;
}

static lim_result fill_with(arena* a, int32_t count, int32_t** out) {
    *out = ARENA_ARRAY(a, int32_t, count);
    LIM_TRY_MEMORY(*out);
    memset(*out, 0xFF, (size_t)count * sizeof(int32_t));
    return LIM_OK;
}

/* The new node nearest at rest to an old one of which nothing is left, of the same component. */
static int32_t stand_in(const carry_overlap* o, const int32_t* any, int32_t gone) {
    const topology *from = o->before, *to = o->after;
    lim_point at = body_slot_rest(from, gone);
    double least = HUGE_VAL;
    int32_t best = -1;
    for (int32_t i = 0; i < to->slot_count; ++i) {
        if (any[i] < 0) {
            continue;
        }
        lim_point r = p3_sub(body_slot_rest(to, i), at);
        bool apart = from->slot_component[any[i]] != from->slot_component[gone];
        double square = p3_dot(r, r) + (apart ? 1e6 : 0.0);
        best = square < least ? i : best;
        least = square < least ? square : least;
    }
    return best;
}

/* How many entries every new slot has, one per fragment, and room for them. */
static lim_result count_entries(arena* a, const carry_map* map, carry_overlap* o) {
    const topology *from = o->before, *to = o->after;
    int32_t *any, *instead;
    uint8_t* left = ARENA_ARRAY(a, uint8_t, from->slot_count);
    LIM_TRY_MEMORY(left);
    LIM_TRY(fill_with(a, to->slot_count, &any));
    LIM_TRY(fill_with(a, from->slot_count, &instead));
    for (int32_t i = 0; i < to->slot_count; ++i) {
        if (o->kept[i] >= 0) {
            any[i] = o->kept[i];
            left[any[i]] = 1;
            o->first[i + 1] = 1;
        }
    }
    int32_t ends = topology_ends(to);
    for (int32_t k = 0; k < ends * to->matter.count; ++k) {
        int32_t f = k / ends, slot = topology_end(to, f, k % ends);
        if (o->kept[slot] < 0) {
            any[slot] = topology_end(from, source_of(map, f), k % ends);
            left[any[slot]] = 1;
            o->first[slot + 1]++;
        }
    }
    for (int32_t i = 0; i < from->slot_count; ++i) {
        instead[i] = from->slot_node[i] >= 0 && !left[i] ? stand_in(o, any, i) : -1;
        if (instead[i] >= 0) {
            o->first[instead[i] + 1]++;
        }
    }
    for (int32_t i = 0; i < to->slot_count; ++i) {
        o->first[i + 1] += o->first[i];
    }
    o->old = ARENA_ARRAY(a, int32_t, o->first[to->slot_count]);
    o->mass = ARENA_ARRAY(a, double, o->first[to->slot_count]);
    int32_t* at = ARENA_ARRAY(a, int32_t, to->slot_count);
    LIM_TRY_MEMORY(o->old);
    LIM_TRY_MEMORY(o->mass);
    LIM_TRY_MEMORY(at);
    memcpy(at, o->first, (size_t)to->slot_count * sizeof(int32_t));
    for (int32_t i = 0; i < to->slot_count; ++i) {
        if (o->kept[i] >= 0) {
            o->mass[at[i]] = (double)to->mass[i];
            o->old[at[i]++] = o->kept[i];
        }
    }
    for (int32_t k = 0; k < ends * to->matter.count; ++k) {
        int32_t f = k / ends, slot = topology_end(to, f, k % ends);
        if (o->kept[slot] < 0) {
            o->mass[at[slot]] = fragment_mass(to, f);
            o->old[at[slot]++] = topology_end(from, source_of(map, f), k % ends);
        }
    }
    for (int32_t i = 0; i < from->slot_count; ++i) {
        if (instead[i] >= 0) {
            o->old[at[instead[i]]++] = i;
        }
    }
    return LIM_OK;
}

/* One entry for each pair. */
static lim_result merge_entries(arena* a, carry_overlap* o) {
    int32_t *seen, count = 0, begin = 0;
    LIM_TRY(fill_with(a, o->before->slot_count, &seen));
    for (int32_t i = 0; i < o->after->slot_count; ++i) {
        int32_t end = o->first[i + 1], own = count;
        for (int32_t e = begin; e < end; ++e) {
            int32_t old = o->old[e];
            double mass = o->mass[e];
            if (seen[old] >= own) {
                o->mass[seen[old]] += mass;
                continue;
            }
            seen[old] = count;
            o->old[count] = old;
            o->mass[count++] = mass;
        }
        begin = end;
        o->first[i] = own;
    }
    o->first[o->after->slot_count] = count;
    for (int32_t i = 0; i < o->after->slot_count; ++i) {
        double most = -1.0;
        for (int32_t e = o->first[i]; e < o->first[i + 1]; ++e) {
            bool more = o->mass[e] > most || (o->mass[e] >= most && o->old[e] < o->source[i]);
            o->source[i] = more ? o->old[e] : o->source[i];
            most = more ? o->mass[e] : most;
        }
    }
    return LIM_OK;
}

static int32_t root_of(int32_t* parent, int32_t i) {
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static lim_result find_groups(arena* a, carry_overlap* o) {
    int32_t olds = o->before->slot_count, news = o->after->slot_count, *number;
    int32_t* parent = ARENA_ARRAY(a, int32_t, olds);
    LIM_TRY_MEMORY(parent);
    LIM_TRY(fill_with(a, olds, &number));
    for (int32_t i = 0; i < olds; ++i) {
        parent[i] = i;
    }
    for (int32_t i = 0; i < news; ++i) {
        for (int32_t e = o->first[i]; e < o->first[i + 1] && o->kept[i] < 0; ++e) {
            int32_t p = root_of(parent, o->old[o->first[i]]), q = root_of(parent, o->old[e]);
            parent[p > q ? p : q] = p > q ? q : p;
        }
    }
    for (int32_t i = 0; i < news; ++i) {
        if (o->kept[i] >= 0 || o->source[i] < 0) {
            continue;
        }
        int32_t root = root_of(parent, o->source[i]);
        number[root] = number[root] < 0 ? o->group_count++ : number[root];
        o->new_group[i] = number[root];
        o->changed++;
    }
    for (int32_t i = 0; i < olds; ++i) {
        o->old_group[i] = o->becoming[i] < 0 ? number[root_of(parent, i)] : -1;
    }
    return LIM_OK;
}

lim_result carry_overlap_make(arena* a, const topology* before, const topology* after,
                              const carry_map* map, carry_overlap* out) {
    carry_overlap o = {.before = before, .after = after};
    LIM_TRY(fill_with(a, after->slot_count, &o.kept));
    LIM_TRY(fill_with(a, after->slot_count, &o.source));
    LIM_TRY(fill_with(a, after->slot_count, &o.new_group));
    LIM_TRY(fill_with(a, before->slot_count, &o.becoming));
    LIM_TRY(fill_with(a, before->slot_count, &o.old_group));
    o.first = ARENA_ARRAY(a, int32_t, after->slot_count + 1);
    LIM_TRY_MEMORY(o.first);
    for (int32_t i = 0; i < after->slot_count && map->slot != NULL; ++i) {
        if (map->slot[i] >= 0 && after->slot_node[i] >= 0) {
            o.kept[i] = map->slot[i];
            o.becoming[map->slot[i]] = i;
        }
    }
    LIM_TRY(count_entries(a, map, &o));
    LIM_TRY(merge_entries(a, &o));
    LIM_TRY(find_groups(a, &o));
    *out = o;
    return LIM_OK;
}

lim_result carry_slots_make(arena* a, const topology* before, const topology* after,
                            const carry_map* map, carry_slots* out) {
    carry_overlap o;
    carry_slots made;
    LIM_TRY(carry_overlap_make(a, before, after, map, &o));
    int32_t entries = o.first[after->slot_count];
    made.first = ARENA_ARRAY(a, int32_t, before->slot_count + 1);
    made.slot = ARENA_ARRAY(a, int32_t, entries);
    made.share = ARENA_ARRAY(a, float, entries);
    int32_t* at = ARENA_ARRAY(a, int32_t, before->slot_count);
    double* sum = ARENA_ARRAY(a, double, before->slot_count);
    LIM_TRY_MEMORY(made.first);
    LIM_TRY_MEMORY(made.slot);
    LIM_TRY_MEMORY(made.share);
    LIM_TRY_MEMORY(at);
    LIM_TRY_MEMORY(sum);
    for (int32_t e = 0; e < entries; ++e) {
        made.first[o.old[e] + 1]++;
        sum[o.old[e]] += o.mass[e];
    }
    for (int32_t i = 0; i < before->slot_count; ++i) {
        made.first[i + 1] += made.first[i];
        at[i] = made.first[i];
    }
    for (int32_t i = 0; i < after->slot_count; ++i) {
        for (int32_t e = o.first[i]; e < o.first[i + 1]; ++e) {
            int32_t old = o.old[e];
            made.slot[at[old]] = i;
            made.share[at[old]++] = sum[old] > 0.0 ? (float)(o.mass[e] / sum[old]) : 1.0f;
        }
    }
    *out = made;
    return LIM_OK;
}
