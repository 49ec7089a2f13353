/* SPDX-License-Identifier: MIT
 * Job: the net of a surface at rest. In: its points and triangles. Out: the points in patches,
 * those in the order of a Morton curve, and who is beside whom.
 */
#include "contact/felt_surface.h"

#include "base/sort.h"
#include "contact/felt_sides.h"

#include <string.h>

/* Cosine: a point is sharp where a triangle looks farther than this from its normal. Not where two
 * sides of a box meet, but where three do. */
#define SHARP 0.65f

/* 10 bits of each coordinate, in turns. */
static uint64_t curve_key(lim_vec3 at) {
    uint64_t key = 0;
    const float x[3] = {at.x, at.y, at.z};
    for (int k = 0; k < 3; ++k) {
        /* Rest coordinates are within 1 of the centre of mass (the longest side is 1). */
        float share = 0.5f * (x[k] + 1.0f) * 1024.0f;
        uint32_t cell = share > 0.0f ? (share < 1023.0f ? (uint32_t)share : 1023u) : 0u;
        for (int bit = 0; bit < 10; ++bit) {
            key |= (uint64_t)(cell >> bit & 1u) << (3 * bit + k);
        }
    }
    return key;
}

/* ---- points in patches --------------------------------------------------------------------------
 */

lim_vec3* surface_normals(arena* a, const bindings* b, const int32_t* corner,
                          int32_t triangle_count) {
    lim_vec3* normal = ARENA_ARRAY(a, lim_vec3, b->count);
    for (int32_t i = 0; i < triangle_count && normal != NULL; ++i) {
        const int32_t* c = corner + 3 * (size_t)i;
        lim_vec3 x = bindings_rest(b, c[0]);
        lim_vec3 n = v3_cross(v3_sub(bindings_rest(b, c[1]), x), v3_sub(bindings_rest(b, c[2]), x));
        for (int k = 0; k < 3; ++k) {
            normal[c[k]] = v3_add(normal[c[k]], n);
        }
    }
    return normal;
}

/* One of 26 ways to look, to a side, an edge or a corner of a cube; 13: nowhere. */
static int32_t way_of(lim_vec3 normal) {
    lim_vec3 n = v3_unit(normal, v3(0, 0, 0));
    const float a[3] = {n.x, n.y, n.z}, least = 0.38f; /* sin 22.5 degrees */
    int32_t way = 0;
    for (int k = 0; k < 3; ++k) {
        way = 3 * way + (a[k] > least ? 2 : a[k] < -least ? 0 : 1);
    }
    return way;
}

/* Ranks slots that points follow most, those with rank 1, by (place on the curve, slot). */
static lim_result rank_slots(arena* scratch, const surface_source* s, uint32_t* rank) {
    int32_t count = 0;
    sort_item* items = ARENA_ROOM(scratch, sort_item, s->slot_count);
    sort_item* spare = ARENA_ROOM(scratch, sort_item, s->slot_count);
    LIM_TRY_MEMORY(items);
    LIM_TRY_MEMORY(spare);
    for (int32_t i = 0; i < s->slot_count; ++i) {
        if (rank[i] != 0) {
            uint64_t key = curve_key(v3(s->x0[0][i], s->x0[1][i], s->x0[2][i]));
            items[count++] = (sort_item){.key = key, .value = i};
        }
    }
    sort_items(items, spare, count);
    for (int32_t i = 0; i < count; ++i) {
        rank[items[i].value] = (uint32_t)i;
    }
    return LIM_OK;
}

/* Points with triangles, by (way they look, place of their node on the curve, node, point).
 * moved: per point given its place in the order, -1: none; way: where it looks. */
static lim_result order_points(arena* scratch, const surface_source* s, int32_t* moved,
                               uint8_t* way, int32_t** out_order, int32_t* out_count) {
    int32_t most = s->points->count, count = 0;
    sort_item* items = ARENA_ROOM(scratch, sort_item, most);
    sort_item* spare = ARENA_ROOM(scratch, sort_item, most);
    int32_t* order = ARENA_ROOM(scratch, int32_t, most);
    uint32_t* rank = ARENA_ARRAY(scratch, uint32_t, s->slot_count);
    LIM_TRY_MEMORY(rank);
    LIM_TRY_MEMORY(items);
    LIM_TRY_MEMORY(spare);
    LIM_TRY_MEMORY(order);
    for (int32_t i = 0; i < most; ++i) {
        moved[i] = -1;
    }
    for (int32_t i = 0; i < 3 * s->triangle_count; ++i) {
        moved[s->corner[i]] = 0;
    }
    for (int32_t i = 0; i < most; ++i) {
        if (moved[i] == 0) {
            rank[s->points->bind[i].node[0]] = 1;
        }
    }
    LIM_TRY(rank_slots(scratch, s, rank));
    for (int32_t i = 0; i < most; ++i) {
        if (moved[i] == 0) {
            uint64_t node = rank[s->points->bind[i].node[0]];
            way[i] = (uint8_t)way_of(s->normal[i]);
            items[count++] =
                (sort_item){.key = (uint64_t)way[i] * (uint64_t)s->slot_count + node, .value = i};
        }
    }
    sort_items(items, spare, count);
    for (int32_t i = 0; i < count; ++i) {
        order[i] = items[i].value;
        moved[items[i].value] = i;
    }
    *out_order = order;
    *out_count = count;
    return LIM_OK;
}

static lim_result copy_points(arena* a, const bindings* from, const int32_t* order, int32_t count,
                              bindings* to) {
    *to = (bindings){.count = count, .plain = from->cell_count > 0};
    to->bind = ARENA_ROOM(a, binding, count);
    to->component = ARENA_ROOM(a, int32_t, count);
    LIM_TRY_MEMORY(to->bind);
    LIM_TRY_MEMORY(to->component);
    for (int k = 0; k < 3; ++k) {
        to->rest[k] = ARENA_ROOM(a, float, count);
        LIM_TRY_MEMORY(to->rest[k]);
    }
    for (int32_t i = 0; i < count; ++i) {
        to->bind[i] = from->bind[order[i]];
        to->component[i] = from->component[order[i]];
        for (int k = 0; k < 3; ++k) {
            to->rest[k][i] = from->rest[k][order[i]];
        }
    }
    return LIM_OK;
}

/* The patch of the i-th point, from that of the one before. Those of another way to look begin a
 * group: up to it patches are empty. */
static int32_t next_patch(const surface_net* net, const uint8_t* way, const int32_t* order,
                          int32_t i, int32_t last) {
    if (i == 0) {
        return 0;
    }
    if (way[order[i]] != way[order[i - 1]]) {
        return last - last % 8 + 8;
    }
    return last + (net->points.bind[i].node[0] != net->points.bind[i - 1].node[0]);
}

static lim_result make_patches(arena* a, const surface_source* s, const uint8_t* way,
                               const int32_t* order, surface_net* net) {
    int32_t count = net->points.count, last = -1, feels = 0;
    for (int32_t i = 0; i < count; ++i) {
        last = next_patch(net, way, order, i, last);
        feels += s->feels[order[i]] != 0;
    }
    int32_t patches = last + 1;
    net->patch_count = patches;
    net->group_count = patches / 8 + (patches % 8 != 0);
    net->patch_node = ARENA_ARRAY(a, int32_t, patches);
    net->patch_point = ARENA_ARRAY(a, int32_t, (int64_t)patches + 1);
    net->patch_feel = ARENA_ARRAY(a, int32_t, (int64_t)patches + 1);
    net->patch_reach = ARENA_ARRAY(a, float, patches);
    net->patch_cone = ARENA_ARRAY(a, float, patches);
    net->point_patch = ARENA_ROOM(a, int32_t, count);
    net->sharp = ARENA_ROOM(a, uint8_t, count);
    net->feel = ARENA_ROOM(a, int32_t, feels);
    LIM_TRY_MEMORY(net->patch_node);
    LIM_TRY_MEMORY(net->patch_point);
    LIM_TRY_MEMORY(net->patch_feel);
    LIM_TRY_MEMORY(net->patch_reach);
    LIM_TRY_MEMORY(net->patch_cone);
    LIM_TRY_MEMORY(net->point_patch);
    LIM_TRY_MEMORY(net->sharp);
    LIM_TRY_MEMORY(net->feel);
    int32_t patch = -1, feel = 0;
    for (int32_t i = 0; i < count; ++i) {
        for (int32_t to = next_patch(net, way, order, i, patch); patch < to;) {
            net->patch_node[++patch] = net->points.bind[i].node[0];
            net->patch_point[patch] = i;
            net->patch_feel[patch] = feel;
        }
        net->point_patch[i] = patch;
        if (s->feels[order[i]]) {
            net->feel[feel++] = i;
        }
    }
    net->patch_point[patches] = count;
    net->patch_feel[patches] = feel;
    return LIM_OK;
}

/* A triangle at rest: its normal by area, and how much of a point's normal must lie along it. */
typedef struct net_face {
    lim_vec3 normal;
    float least;
} net_face;

/* Faces, and the longest side of all. */
static float measure_faces(const surface_net* net, net_face* face) {
    float longest = 0.0f;
    for (int32_t i = 0; i < net->triangle_count; ++i) {
        lim_vec3 at[3], side[3];
        for (int k = 0; k < 3; ++k) {
            at[k] = bindings_rest(&net->points, net->corner[3 * (size_t)i + (size_t)k]);
        }
        for (int k = 0; k < 3; ++k) {
            side[k] = v3_sub(at[(k + 1) % 3], at[k]);
            float square = v3_dot(side[k], side[k]);
            longest = square > longest ? square : longest;
        }
        face[i].normal = v3_cross(side[0], v3_sub(at[2], at[0]));
        face[i].least = SHARP * v3_length(face[i].normal);
    }
    return sqrtf(longest);
}

/* Whether a triangle at a point looks far from the point's normal. */
static bool is_sharp(const surface_net* net, const net_face* face, int32_t point, lim_vec3 normal) {
    bool sharp = false;
    for (int32_t e = net->fan_offset[point]; e < net->fan_offset[point + 1]; ++e) {
        const net_face* f = &face[net->fan[e]];
        sharp = sharp || v3_dot(f->normal, normal) < f->least;
    }
    return sharp;
}

/* How far each patch reaches, and how far apart its points look. */
static void measure_patches(const surface_source* s, const int32_t* order, const net_face* face,
                            surface_net* net) {
    for (int32_t p = 0; p < net->patch_count; ++p) {
        int32_t node = net->patch_node[p];
        lim_vec3 centre = v3(s->x0[0][node], s->x0[1][node], s->x0[2][node]);
        lim_vec3 first = v3_unit(s->normal[order[net->patch_point[p]]], v3(0, 0, 0));
        net->patch_cone[p] = v3_dot(first, first) > 0.0f ? 0.0f : 2.0f;
        for (int32_t i = net->patch_point[p]; i < net->patch_point[p + 1]; ++i) {
            lim_vec3 normal = v3_unit(s->normal[order[i]], v3(0, 0, 0));
            net->sharp[i] = is_sharp(net, face, i, normal);
            float apart = v3_length(v3_sub(first, normal));
            apart += net->sharp[i] ? SURFACE_FACES - SURFACE_FACES_SHARP : 0.0f;
            net->patch_cone[p] = apart > net->patch_cone[p] ? apart : net->patch_cone[p];
        }
        float most = 0.0f;
        for (int32_t k = net->patch_ring[p]; k < net->patch_ring[p + 1]; ++k) {
            lim_vec3 r = v3_sub(bindings_rest(&net->points, net->ring[k]), centre);
            float square = v3_dot(r, r);
            most = square > most ? square : most;
        }
        net->patch_reach[p] = sqrtf(most);
    }
}

/* ---- triangles ----------------------------------------------------------------------------------
 */

/* The points of the triangles at each patch's points, each once. */
static lim_result make_rings(arena* a, arena* scratch, surface_net* net) {
    int32_t entries = net->fan_offset[net->points.count], total = 0;
    int32_t* last = ARENA_ARRAY(scratch, int32_t, net->points.count); /* patch + 1 that has it */
    int32_t* ring = ARENA_ROOM(scratch, int32_t, 3 * (int64_t)entries + 1);
    net->patch_ring = ARENA_ARRAY(a, int32_t, (int64_t)net->patch_count + 1);
    LIM_TRY_MEMORY(last);
    LIM_TRY_MEMORY(ring);
    LIM_TRY_MEMORY(net->patch_ring);
    for (int32_t p = 0; p < net->patch_count; ++p) {
        net->patch_ring[p] = total;
        int32_t end = net->fan_offset[net->patch_point[p + 1]];
        for (int32_t e = net->fan_offset[net->patch_point[p]]; e < end; ++e) {
            const int32_t* corner = net->corner + 3 * (size_t)net->fan[e];
            for (int k = 0; k < 3; ++k) { /* every other one is new: nothing to branch on */
                ring[total] = corner[k];
                total += last[corner[k]] != p + 1;
                last[corner[k]] = p + 1;
            }
        }
    }
    net->patch_ring[net->patch_count] = total;
    net->ring = ARENA_ROOM(a, int32_t, total);
    LIM_TRY_MEMORY(net->ring);
    memcpy(net->ring, ring, (size_t)total * sizeof(int32_t));
    return LIM_OK;
}

/* fan_corner: beside net->fan, which corner of the triangle the point is, 3 triangle + k. */
static lim_result make_fans(arena* a, arena* scratch, surface_net* net, int32_t* fan_corner) {
    int32_t entries = 3 * net->triangle_count;
    net->fan_offset = ARENA_ARRAY(a, int32_t, net->points.count + 1);
    net->fan = ARENA_ROOM(a, int32_t, entries);
    int32_t* next = ARENA_ROOM(scratch, int32_t, net->points.count + 1);
    LIM_TRY_MEMORY(net->fan_offset);
    LIM_TRY_MEMORY(net->fan);
    LIM_TRY_MEMORY(next);
    for (int32_t i = 0; i < entries; ++i) {
        net->fan_offset[net->corner[i] + 1]++;
    }
    for (int32_t i = 0; i < net->points.count; ++i) {
        net->fan_offset[i + 1] += net->fan_offset[i];
        next[i] = net->fan_offset[i];
    }
    for (int32_t i = 0; i < entries; ++i) {
        int32_t e = next[net->corner[i]]++;
        net->fan[e] = i / 3;
        fan_corner[e] = i;
    }
    return LIM_OK;
}

lim_result surface_net_build(arena* a, arena* scratch, const surface_source* from,
                             surface_net* out) {
    int32_t entries = 3 * from->triangle_count, count, *order;
    int32_t* moved = ARENA_ROOM(scratch, int32_t, from->points->count);
    uint8_t* way = ARENA_ROOM(scratch, uint8_t, from->points->count); /* of those with triangles */
    net_face* face = ARENA_ROOM(scratch, net_face, from->triangle_count);
    surface_net made = {.triangle_count = from->triangle_count};
    int32_t* fan_corner = ARENA_ROOM(scratch, int32_t, entries);
    made.corner = ARENA_ROOM(a, int32_t, entries);
    LIM_TRY_MEMORY(fan_corner);
    LIM_TRY_MEMORY(moved);
    LIM_TRY_MEMORY(way);
    LIM_TRY_MEMORY(face);
    LIM_TRY_MEMORY(made.corner);
    LIM_TRY(order_points(scratch, from, moved, way, &order, &count));
    LIM_TRY(copy_points(a, from->points, order, count, &made.points));
    made.source = ARENA_ROOM(a, int32_t, count);
    LIM_TRY_MEMORY(made.source);
    memcpy(made.source, order, (size_t)count * sizeof(int32_t));
    for (int32_t i = 0; i < entries; ++i) {
        made.corner[i] = moved[from->corner[i]];
    }
    made.longest = measure_faces(&made, face);
    LIM_TRY(make_fans(a, scratch, &made, fan_corner));
    LIM_TRY(surface_sides_make(a, scratch, from, moved, fan_corner, &made));
    LIM_TRY(make_patches(a, from, way, order, &made));
    LIM_TRY(make_rings(a, scratch, &made));
    measure_patches(from, order, face, &made);
    made.carrier = ARENA_ARRAY(a, uint8_t, from->slot_count);
    LIM_TRY_MEMORY(made.carrier);
    for (int32_t i = 0; i < count; ++i) {
        for (int k = 0; k < BINDING_NODES && made.points.bind[i].weight[k] > 0.0f; ++k) {
            made.carrier[made.points.bind[i].node[k]] = 1;
        }
    }
    *out = made;
    return LIM_OK;
}
