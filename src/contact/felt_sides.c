/* SPDX-License-Identifier: MIT
 * Job: which triangle lies across each side. In: triangles over points, those at each point, and
 * perhaps a net before an edit. Out: net->neighbour. Two triangles are neighbours where they alone
 * have a side, in opposite directions. After an edit most triangles are those of before, in their
 * order: what lay across their sides is taken over with new numbers, and looked for again only at
 * sides of triangles that came or went. Who is who is told by the corners alone, so whatever has
 * become of the triangles the outcome is the same.
 */
#include "contact/felt_sides.h"

#include "base/sort.h"

/* A side of a triangle, in the list of the lower of its points. */
typedef struct net_side {
    int32_t high; /* the other point */
    int32_t side; /* 3 triangle + k */
} net_side;

/* By the other point, sides of one pair of points in their order. */
static void sort_sides(net_side* sides, int32_t count, sort_item* items, sort_item* spare) {
    enum { FEW = 32 };
    if (count > FEW) {
        for (int32_t i = 0; i < count; ++i) {
            items[i] = (sort_item){.key = (uint64_t)sides[i].high, .value = sides[i].side};
        }
        sort_items(items, spare, count);
        for (int32_t i = 0; i < count; ++i) {
            sides[i] = (net_side){(int32_t)items[i].key, items[i].value};
        }
        return;
    }
    for (int32_t i = 1; i < count; ++i) {
        net_side side = sides[i];
        int32_t to = i;
        for (; to > 0 && sides[to - 1].high > side.high; --to) {
            sides[to] = sides[to - 1];
        }
        sides[to] = side;
    }
}

/* Sides of which a point is the lower one: of each triangle at it, the one that leaves it and the
 * one that comes in. Returns how many. */
static int32_t sides_of(const surface_net* net, const int32_t* fan_corner, int32_t point,
                        net_side* out) {
    int32_t count = 0;
    for (int32_t e = net->fan_offset[point]; e < net->fan_offset[point + 1]; ++e) {
        int32_t at = fan_corner[e], first = 3 * net->fan[e];
        int32_t after = at - first < 2 ? at + 1 : first, before = at > first ? at - 1 : first + 2;
        out[count] = (net_side){net->corner[after], at};
        count += net->corner[after] > point;
        out[count] = (net_side){net->corner[before], before};
        count += net->corner[before] > point;
    }
    return count;
}

/* All of them. */
static lim_result find_all(arena* scratch, const int32_t* fan_corner, surface_net* net) {
    int32_t count = 3 * net->triangle_count, most = 0;
    for (int32_t i = 0; i < net->points.count; ++i) {
        int32_t fan = net->fan_offset[i + 1] - net->fan_offset[i];
        most = fan > most ? fan : most;
    }
    net_side* sides = ARENA_ROOM(scratch, net_side, 2 * (int64_t)most + 1);
    sort_item* items = ARENA_ROOM(scratch, sort_item, 2 * (int64_t)most);
    sort_item* spare = ARENA_ROOM(scratch, sort_item, 2 * (int64_t)most);
    LIM_TRY_MEMORY(sides);
    LIM_TRY_MEMORY(items);
    LIM_TRY_MEMORY(spare);
    for (int32_t i = 0; i < count; ++i) {
        net->neighbour[i] = -1;
    }
    for (int32_t point = 0; point < net->points.count; ++point) {
        int32_t here = sides_of(net, fan_corner, point, sides);
        sort_sides(sides, here, items, spare);
        for (int32_t i = 0, end; i < here; i = end) {
            for (end = i + 1; end < here && sides[end].high == sides[i].high;) {
                end++;
            }
            int32_t one = sides[i].side, other = sides[end - 1].side;
            if (end - i == 2 && (net->corner[one] == point) != (net->corner[other] == point)) {
                net->neighbour[one] = other / 3;
                net->neighbour[other] = one / 3;
            }
        }
    }
    return LIM_OK;
}

/* ---- from a net before an edit ------------------------------------------------------------------
 */

/* Now and before. now: per triangle before its number now, -1: it went; was: the other way round.
 */
typedef struct kept_triangles {
    int32_t *now, *was;
    int32_t kept;
} kept_triangles;

/* The point that a corner before has now. */
static int32_t point_now(const surface_source* from, int32_t corner) {
    int32_t point = from->before->source[from->before->corner[corner]];
    return point + (point >= from->own_before ? from->own_more : 0);
}

static bool same_corners(const surface_source* from, int32_t triangle, int32_t before) {
    const int32_t* c = from->corner + 3 * (size_t)triangle;
    return c[0] == point_now(from, 3 * before) && c[1] == point_now(from, 3 * before + 1) &&
           c[2] == point_now(from, 3 * before + 2);
}

static void match_triangles(const surface_source* from, kept_triangles* k) {
    int32_t next = 0, count = from->before->triangle_count;
    for (int32_t i = 0; i < from->triangle_count; ++i) {
        for (; next < count && !same_corners(from, i, next); ++next) {
            k->now[next] = -1;
        }
        k->was[i] = next < count ? next : -1;
        if (next < count) {
            k->now[next++] = i;
            k->kept++;
        }
    }
    for (; next < count; ++next) {
        k->now[next] = -1;
    }
}

/* Sides between two points, from all that are there. A side from a point to itself is met twice,
 * from either end, and looks the same way both times: it has no neighbour. */
static void find_again(surface_net* net, const int32_t* fan_corner, int32_t point, int32_t other) {
    int32_t found[2] = {0, 0}, count = 0;
    for (int32_t e = net->fan_offset[point]; e < net->fan_offset[point + 1]; ++e) {
        int32_t at = fan_corner[e], first = 3 * net->fan[e];
        const int32_t after = at - first < 2 ? at + 1 : first;
        const int32_t before = at > first ? at - 1 : first + 2;
        for (int k = 0; k < 2; ++k) {
            if (net->corner[k == 0 ? after : before] == other) {
                int32_t side = k == 0 ? at : before;
                net->neighbour[side] = -1;
                found[count % 2] = side;
                count++;
            }
        }
    }
    if (count == 2 && (net->corner[found[0]] == point) != (net->corner[found[1]] == point)) {
        net->neighbour[found[0]] = found[1] / 3;
        net->neighbour[found[1]] = found[0] / 3;
    }
}

static void take_kept(const surface_net* before, const kept_triangles* k, surface_net* net) {
    for (int32_t i = 0; i < net->triangle_count; ++i) {
        for (int s = 0; s < 3; ++s) {
            int32_t across = k->was[i] >= 0 ? before->neighbour[3 * k->was[i] + s] : -1;
            net->neighbour[3 * i + s] = across >= 0 ? k->now[across] : -1;
        }
    }
}

/* At sides of triangles that came, and of those that went where their points are still there. */
static void mend_changed(const surface_source* from, const kept_triangles* k, const int32_t* moved,
                         const int32_t* fan_corner, surface_net* net) {
    for (int32_t i = 0; i < 3 * net->triangle_count; ++i) {
        int32_t to = i % 3 == 2 ? i - 2 : i + 1;
        if (k->was[i / 3] < 0) {
            find_again(net, fan_corner, net->corner[i], net->corner[to]);
        }
    }
    for (int32_t i = 0; i < 3 * from->before->triangle_count; ++i) {
        if (k->now[i / 3] < 0) {
            int32_t a = point_now(from, i), b = point_now(from, i % 3 == 2 ? i - 2 : i + 1);
            bool there = a < from->points->count && b < from->points->count;
            if (there && moved[a] >= 0 && moved[b] >= 0) {
                find_again(net, fan_corner, moved[a], moved[b]);
            }
        }
    }
}

lim_result surface_sides_make(arena* a, arena* scratch, const surface_source* from,
                              const int32_t* moved, const int32_t* fan_corner, surface_net* net) {
    int32_t count = 3 * net->triangle_count, open = 0;
    kept_triangles k = {NULL, NULL, 0};
    net->neighbour = ARENA_ROOM(a, int32_t, count);
    LIM_TRY_MEMORY(net->neighbour);
    if (from->before != NULL) {
        k.now = ARENA_ROOM(scratch, int32_t, from->before->triangle_count);
        k.was = ARENA_ROOM(scratch, int32_t, net->triangle_count);
        LIM_TRY_MEMORY(k.now);
        LIM_TRY_MEMORY(k.was);
        match_triangles(from, &k);
    }
    if (k.kept > net->triangle_count / 2) {
        take_kept(from->before, &k, net);
        mend_changed(from, &k, moved, fan_corner, net);
    } else {
        LIM_TRY(find_all(scratch, fan_corner, net));
    }
    for (int32_t i = 0; i < count; ++i) {
        open += net->neighbour[i] < 0;
    }
    net->open_share = count > 0 ? (float)open / (float)count : 1.0f;
    return LIM_OK;
}
