/* SPDX-License-Identifier: MIT
 * Job: find out which new nodes are made of which old ones. In: two topologies of one material, and
 * which fragment of the one is, or was part of, which of the other. Out: shared masses, groups, and
 * for others the new slots of every old one.
 */
#include "edit/carry_overlap.h"
#include "base/disjoint_set.h"

#include <string.h>

static int32_t source_of(const carry_map* map, int32_t fragment) {
    return map->source != NULL ? map->source[fragment] : fragment;
}

static double fragment_mass(const topology* t, int32_t fragment) {
    double factor = t->fragment_density != NULL ? (double)t->fragment_density[fragment] : 1.0;
    return t->matter.volume[fragment] * factor;
}

static lim_result fill_with(arena* a, int32_t count, int32_t** out) {
    *out = ARENA_ROOM(a, int32_t, count);
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

/* An end of a fragment in a new node that is not kept. */
typedef struct piece_end {
    int32_t slot, old;
    double mass;
} piece_end;

typedef struct overlap_ends {
    piece_end* end;
    int32_t count;
} overlap_ends;

/* All of them, in the order of fragments. Most nodes are kept. */
static lim_result find_ends(arena* a, const carry_map* map, const carry_overlap* o,
                            overlap_ends* out) {
    const topology *from = o->before, *to = o->after;
    int32_t ends = topology_ends(to), count = 0;
    for (int32_t f = 0; f < to->matter.count; ++f) {
        for (int32_t k = 0; k < ends; ++k) {
            count += o->kept[topology_end(to, f, k)] < 0;
        }
    }
    out->end = ARENA_ROOM(a, piece_end, count);
    out->count = 0;
    LIM_TRY_MEMORY(out->end);
    for (int32_t f = 0; f < to->matter.count && out->count < count; ++f) {
        for (int32_t k = 0; k < ends; ++k) {
            int32_t slot = topology_end(to, f, k);
            if (o->kept[slot] < 0) {
                int32_t old = topology_end(from, source_of(map, f), k);
                out->end[out->count++] = (piece_end){slot, old, fragment_mass(to, f)};
            }
        }
    }
    return LIM_OK;
}

/* Old nodes of which nothing is left, and for each the new one that stands in for it. */
typedef struct overlap_gone {
    int32_t *old, *instead;
    int32_t count;
} overlap_gone;

static lim_result find_gone(arena* a, const carry_overlap* o, const overlap_ends* found,
                            overlap_gone* out) {
    const topology *from = o->before, *to = o->after;
    uint8_t* left = ARENA_ROOM(a, uint8_t, from->slot_count); /* of those that are not kept */
    int32_t *any, count = 0;
    out->old = ARENA_ROOM(a, int32_t, from->slot_count);
    out->instead = ARENA_ROOM(a, int32_t, from->slot_count);
    LIM_TRY_MEMORY(left);
    LIM_TRY_MEMORY(out->old);
    LIM_TRY_MEMORY(out->instead);
    for (int32_t i = 0; i < from->slot_count; ++i) {
        if (o->becoming[i] < 0 && from->slot_node[i] >= 0) {
            left[i] = 0;
            out->old[count++] = i;
        }
    }
    for (int32_t k = 0; k < found->count; ++k) {
        left[found->end[k].old] = 1;
    }
    out->count = 0;
    for (int32_t k = 0; k < count; ++k) {
        if (!left[out->old[k]]) {
            out->old[out->count++] = out->old[k];
        }
    }
    if (out->count == 0) {
        return LIM_OK;
    }
    any = ARENA_ROOM(a, int32_t, to->slot_count);
    LIM_TRY_MEMORY(any);
    memcpy(any, o->kept, (size_t)to->slot_count * sizeof(int32_t));
    for (int32_t k = 0; k < found->count; ++k) {
        any[found->end[k].slot] = found->end[k].old;
    }
    for (int32_t k = 0; k < out->count; ++k) {
        out->instead[k] = stand_in(o, any, out->old[k]);
    }
    return LIM_OK;
}

/* Entries of every new slot: itself if it is kept, one per fragment if not, and whom it stands in
 * for. */
static lim_result list_entries(arena* a, const carry_map* map, carry_overlap* o) {
    const topology* to = o->after;
    overlap_ends found;
    overlap_gone gone;
    LIM_TRY(find_ends(a, map, o, &found));
    LIM_TRY(find_gone(a, o, &found, &gone));
    int32_t* at = ARENA_ROOM(a, int32_t, to->slot_count); /* of those that are not only kept */
    LIM_TRY_MEMORY(at);
    int32_t total = found.count;
    for (int32_t i = 0; i < to->slot_count; ++i) {
        o->first[i + 1] = o->kept[i] >= 0;
        total += o->kept[i] >= 0;
    }
    for (int32_t k = 0; k < found.count; ++k) {
        o->first[found.end[k].slot + 1]++;
    }
    for (int32_t k = 0; k < gone.count; ++k) {
        if (gone.instead[k] >= 0) {
            o->first[gone.instead[k] + 1]++;
            total++;
        }
    }
    o->old = ARENA_ROOM(a, int32_t, total);
    o->mass = ARENA_ROOM(a, double, total);
    LIM_TRY_MEMORY(o->old);
    LIM_TRY_MEMORY(o->mass);
    for (int32_t i = 0; i < to->slot_count; ++i) {
        o->source[i] = o->kept[i];
        if (o->kept[i] >= 0) {
            o->mass[o->first[i]] = (double)to->mass[i];
            o->old[o->first[i]] = o->kept[i];
        }
        o->first[i + 1] += o->first[i];
    }
    for (int32_t k = 0; k < found.count; ++k) {
        at[found.end[k].slot] = o->first[found.end[k].slot];
    }
    for (int32_t k = 0; k < gone.count; ++k) {
        int32_t slot = gone.instead[k];
        if (slot >= 0 && o->kept[slot] >= 0) {
            at[slot] = o->first[slot] + 1;
        }
    }
    for (int32_t k = 0; k < found.count; ++k) {
        const piece_end* piece = found.end + k;
        o->mass[at[piece->slot]] = piece->mass;
        o->old[at[piece->slot]++] = piece->old;
    }
    for (int32_t k = 0; k < gone.count; ++k) {
        if (gone.instead[k] >= 0) {
            o->mass[at[gone.instead[k]]] = 0.0;
            o->old[at[gone.instead[k]]++] = gone.old[k];
        }
    }
    return LIM_OK;
}

/* The old slot that shares most with a new one. */
static int32_t main_source(const carry_overlap* o, int32_t slot) {
    double most = -1.0;
    int32_t source = -1;
    for (int32_t e = o->first[slot]; e < o->first[slot + 1]; ++e) {
        bool more = o->mass[e] > most || (o->mass[e] >= most && o->old[e] < source);
        source = more ? o->old[e] : source;
        most = more ? o->mass[e] : most;
    }
    return source;
}

/* Makes the entries [begin, end) of a new slot one for each old one, from `to` on: where they end.
 */
static int32_t merge_slot(carry_overlap* o, int32_t* seen, int32_t begin, int32_t end, int32_t to) {
    for (int32_t e = begin; e < end; ++e) {
        seen[o->old[e]] = -1;
    }
    for (int32_t e = begin; e < end; ++e) {
        int32_t old = o->old[e];
        double mass = o->mass[e];
        if (seen[old] >= 0) {
            o->mass[seen[old]] += mass;
            continue;
        }
        seen[old] = to;
        o->old[to] = old;
        o->mass[to++] = mass;
    }
    return to;
}

/* One entry for each pair. Slots with one entry stay where they are until somebody before them has
 * given up some. */
static lim_result merge_entries(arena* a, carry_overlap* o) {
    int32_t count = 0, begin = 0;
    int32_t* seen = ARENA_ROOM(a, int32_t, o->before->slot_count); /* set where it is looked at */
    LIM_TRY_MEMORY(seen);
    for (int32_t i = 0; i < o->after->slot_count; ++i) {
        int32_t end = o->first[i + 1], own = count;
        o->first[i] = own;
        if (end - begin == 1 && count == begin) {
            count = end;
        } else {
            count = merge_slot(o, seen, begin, end, count);
        }
        begin = end;
        o->first[i + 1] = count;
        if (o->kept[i] < 0 || count - own > 1) {
            o->source[i] = main_source(o, i);
        }
    }
    return LIM_OK;
}

/* Only old slots that share with a changed new one are looked at. */
static lim_result find_groups(arena* a, carry_overlap* o) {
    int32_t olds = o->before->slot_count, news = o->after->slot_count;
    int32_t* parent = ARENA_ROOM(a, int32_t, olds);
    int32_t* number = ARENA_ROOM(a, int32_t, olds);
    LIM_TRY_MEMORY(parent);
    LIM_TRY_MEMORY(number);
    for (int32_t i = 0; i < olds; ++i) {
        o->old_group[i] = -1;
        if (o->becoming[i] < 0) {
            parent[i] = i;
            number[i] = -1;
            o->old_slot[o->replaced++] = i;
        }
    }
    for (int32_t i = 0; i < news; ++i) {
        if (o->kept[i] < 0 && o->source[i] >= 0) {
            o->new_slot[o->changed++] = i;
            for (int32_t e = o->first[i]; e < o->first[i + 1]; ++e) {
                parent[o->old[e]] = o->old[e];
                number[o->old[e]] = -1;
            }
        }
    }
    for (int32_t k = 0; k < o->changed; ++k) {
        int32_t i = o->new_slot[k];
        for (int32_t e = o->first[i]; e < o->first[i + 1]; ++e) {
            disjoint_join(parent, o->old[o->first[i]], o->old[e]);
        }
    }
    for (int32_t k = 0; k < o->changed; ++k) {
        int32_t i = o->new_slot[k], root = disjoint_root(parent, o->source[i]);
        number[root] = number[root] < 0 ? o->group_count++ : number[root];
        o->new_group[i] = number[root];
    }
    int32_t lost = o->replaced; /* pads, and those that a kept one stands in for, have no group */
    o->replaced = 0;
    for (int32_t k = 0; k < lost; ++k) {
        int32_t i = o->old_slot[k], group = number[disjoint_root(parent, i)];
        o->old_group[i] = group;
        if (group >= 0) {
            o->old_slot[o->replaced++] = i;
        }
    }
    return LIM_OK;
}

lim_result carry_overlap_make(arena* a, const topology* before, const topology* after,
                              const carry_map* map, carry_overlap* out) {
    carry_overlap o = {.before = before, .after = after};
    LIM_TRY(fill_with(a, after->slot_count, &o.new_group));
    LIM_TRY(fill_with(a, before->slot_count, &o.becoming));
    o.kept = ARENA_ROOM(a, int32_t, after->slot_count);
    o.source = ARENA_ROOM(a, int32_t, after->slot_count);
    o.old_group = ARENA_ROOM(a, int32_t, before->slot_count);
    o.first = ARENA_ROOM(a, int32_t, after->slot_count + 1);
    o.new_slot = ARENA_ROOM(a, int32_t, after->slot_count);
    o.old_slot = ARENA_ROOM(a, int32_t, before->slot_count);
    LIM_TRY_MEMORY(o.kept);
    LIM_TRY_MEMORY(o.source);
    LIM_TRY_MEMORY(o.old_group);
    LIM_TRY_MEMORY(o.first);
    LIM_TRY_MEMORY(o.new_slot);
    LIM_TRY_MEMORY(o.old_slot);
    o.first[0] = 0;
    for (int32_t i = 0; i < after->slot_count; ++i) {
        o.kept[i] = map->slot != NULL && after->slot_node[i] >= 0 ? map->slot[i] : -1;
        if (o.kept[i] >= 0) {
            o.becoming[o.kept[i]] = i;
        }
    }
    LIM_TRY(list_entries(a, map, &o));
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
    made.slot = ARENA_ROOM(a, int32_t, entries);
    made.share = ARENA_ROOM(a, float, entries);
    int32_t* at = ARENA_ROOM(a, int32_t, before->slot_count);
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
