/* SPDX-License-Identifier: MIT
 * Job: the net of a surface at rest. In: its points and triangles. Out: the points in the order of
 * a Morton curve, who is beside whom.
 */
#include "contact/felt_surface.h"

#include "base/sort.h"

#include <string.h>

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

static lim_result make_order(arena* a, arena* scratch, const bindings* b, surface_net* net) {
    int32_t most = net->point_count, count = 0;
    sort_item* items = ARENA_ARRAY(scratch, sort_item, most);
    sort_item* spare = ARENA_ARRAY(scratch, sort_item, most);
    LIM_TRY_MEMORY(items);
    LIM_TRY_MEMORY(spare);
    for (int32_t i = 0; i < most; ++i) {
        if (net->fan_offset[i + 1] > net->fan_offset[i]) {
            items[count++] = (sort_item){.key = curve_key(bindings_rest(b, i)), .value = i};
        }
    }
    sort_items(items, spare, count);
    net->group_count = count / 64 + (count % 64 != 0);
    net->order = ARENA_ARRAY(a, int32_t, (int64_t)net->group_count * 64);
    LIM_TRY_MEMORY(net->order);
    for (int32_t i = 0; i < 64 * net->group_count; ++i) {
        net->order[i] = items[i < count ? i : count - 1].value;
    }
    return LIM_OK;
}

static lim_result make_fans(arena* a, arena* scratch, surface_net* net) {
    int32_t entries = 3 * net->triangle_count;
    net->fan_offset = ARENA_ARRAY(a, int32_t, net->point_count + 1);
    net->fan = ARENA_ARRAY(a, int32_t, entries);
    int32_t* next = ARENA_ARRAY(scratch, int32_t, net->point_count + 1);
    LIM_TRY_MEMORY(net->fan_offset);
    LIM_TRY_MEMORY(net->fan);
    LIM_TRY_MEMORY(next);
    for (int32_t i = 0; i < entries; ++i) {
        net->fan_offset[net->corner[i] + 1]++;
    }
    for (int32_t i = 0; i < net->point_count; ++i) {
        net->fan_offset[i + 1] += net->fan_offset[i];
        next[i] = net->fan_offset[i];
    }
    for (int32_t i = 0; i < entries; ++i) {
        net->fan[next[net->corner[i]]++] = i / 3;
    }
    return LIM_OK;
}

/* Sides that exactly two triangles have, in opposite directions. */
static lim_result make_neighbours(arena* a, arena* scratch, surface_net* net) {
    int32_t sides = 3 * net->triangle_count;
    net->neighbour = ARENA_ARRAY(a, int32_t, sides);
    sort_item* items = ARENA_ARRAY(scratch, sort_item, sides);
    sort_item* spare = ARENA_ARRAY(scratch, sort_item, sides);
    LIM_TRY_MEMORY(net->neighbour);
    LIM_TRY_MEMORY(items);
    LIM_TRY_MEMORY(spare);
    for (int32_t i = 0; i < sides; ++i) {
        int32_t from = net->corner[i], to = net->corner[i % 3 == 2 ? i - 2 : i + 1];
        uint64_t low = (uint64_t)(from < to ? from : to), high = (uint64_t)(from < to ? to : from);
        items[i] = (sort_item){.key = low << 32 | high, .value = i, .extra = from < to};
        net->neighbour[i] = -1;
    }
    sort_items(items, spare, sides);
    int32_t open = 0;
    for (int32_t i = 0; i < sides;) {
        int32_t end = i + 1;
        while (end < sides && items[end].key == items[i].key) {
            end++;
        }
        if (end - i == 2 && items[i].extra != items[i + 1].extra) {
            net->neighbour[items[i].value] = items[i + 1].value / 3;
            net->neighbour[items[i + 1].value] = items[i].value / 3;
        } else {
            open += end - i;
        }
        i = end;
    }
    net->open_share = sides > 0 ? (float)open / (float)sides : 1.0f;
    return LIM_OK;
}

static float longest_side(const bindings* b, const surface_net* net) {
    float longest = 0.0f;
    for (int32_t i = 0; i < 3 * net->triangle_count; ++i) {
        int32_t to = net->corner[i % 3 == 2 ? i - 2 : i + 1];
        lim_vec3 side = v3_sub(bindings_rest(b, to), bindings_rest(b, net->corner[i]));
        longest = fmaxf(longest, v3_length(side));
    }
    return longest;
}

lim_result surface_net_build(arena* a, arena* scratch, const bindings* b, const int32_t* corner,
                             int32_t triangle_count, surface_net* out) {
    surface_net made = {.point_count = b->count, .triangle_count = triangle_count};
    made.corner = ARENA_ARRAY(a, int32_t, 3 * (int64_t)triangle_count);
    LIM_TRY_MEMORY(made.corner);
    memcpy(made.corner, corner, 3 * (size_t)triangle_count * sizeof(int32_t));
    made.longest = longest_side(b, &made);
    LIM_TRY(make_fans(a, scratch, &made));
    LIM_TRY(make_neighbours(a, scratch, &made));
    LIM_TRY(make_order(a, scratch, b, &made));
    *out = made;
    return LIM_OK;
}
