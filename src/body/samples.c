/* SPDX-License-Identifier: MIT
 * Job: a finer surface where triangles are large. In: points, triangles and a spacing. Out: the
 * middles of long sides with normals, and the triangles between them all.
 */
#include "body/samples.h"

#include "base/sort.h"

#include <string.h>

enum { ROUNDS_MOST = 24 };

typedef struct finer {
    arena* a;
    const lim_vec3* given;
    int32_t first, most;
    surface_samples s;
} finer;

static lim_vec3 place_of(const finer* f, int32_t point) {
    return point < f->first ? f->given[point] : f->s.point[point - f->first];
}

static bool is_long(const finer* f, int32_t from, int32_t to, float spacing) {
    lim_vec3 side = v3_sub(place_of(f, to), place_of(f, from));
    return v3_dot(side, side) > spacing * spacing;
}

static lim_vec3 normal_of(const finer* f, const int32_t* corner) {
    lim_vec3 a = place_of(f, corner[0]);
    lim_vec3 cross = v3_cross(v3_sub(place_of(f, corner[1]), a), v3_sub(place_of(f, corner[2]), a));
    return v3_unit(cross, v3(0, 0, 0));
}

static int32_t next_of(int32_t side) {
    return side % 3 == 2 ? side - 2 : side + 1;
}

/* Middles of the long sides, one for all triangles at a side: per side of a triangle its middle, or
 * -1. False: there would be too many. */
static lim_result halve_sides(finer* f, float spacing, int32_t* middle, bool* fits) {
    int32_t sides = 3 * f->s.triangle_count;
    sort_item* items = ARENA_ARRAY(f->a, sort_item, sides);
    sort_item* spare = ARENA_ARRAY(f->a, sort_item, sides);
    LIM_TRY_MEMORY(items);
    LIM_TRY_MEMORY(spare);
    for (int32_t i = 0; i < sides; ++i) {
        int32_t from = f->s.corner[i], to = f->s.corner[next_of(i)];
        uint64_t low = (uint64_t)(from < to ? from : to), high = (uint64_t)(from < to ? to : from);
        items[i] = (sort_item){.key = low << 32 | high, .value = i};
        middle[i] = -1;
    }
    sort_items(items, spare, sides);
    for (int32_t i = 0; i < sides;) {
        int32_t from = (int32_t)(items[i].key >> 32), to = (int32_t)(items[i].key & 0xFFFFFFFFu);
        int32_t made = -1;
        if (is_long(f, from, to, spacing)) {
            if (f->s.count == f->most) {
                *fits = false;
                return LIM_OK;
            }
            made = f->s.count++;
            f->s.point[made] = v3_scale(v3_add(place_of(f, from), place_of(f, to)), 0.5f);
        }
        for (uint64_t key = items[i].key; i < sides && items[i].key == key; ++i) {
            if (made >= 0) {
                const int32_t* corner = f->s.corner + 3 * (items[i].value / 3);
                f->s.normal[made] = v3_add(f->s.normal[made], normal_of(f, corner));
                middle[items[i].value] = f->first + made;
            }
        }
    }
    return LIM_OK;
}

/* The triangles that a triangle becomes, by the middles of its sides; corner k, side k from it. */
static int32_t split(const int32_t c[3], const int32_t m[3], int32_t* out) {
    int32_t count = 0;
#define TRIANGLE(x, y, z)                                                                          \
    (out[3 * count] = (x), out[3 * count + 1] = (y), out[3 * count + 2] = (z), count++)
    int halved = (m[0] >= 0) + (m[1] >= 0) + (m[2] >= 0);
    if (halved == 0) {
        TRIANGLE(c[0], c[1], c[2]);
    } else if (halved == 3) {
        TRIANGLE(c[0], m[0], m[2]);
        TRIANGLE(m[0], c[1], m[1]);
        TRIANGLE(m[2], m[1], c[2]);
        TRIANGLE(m[0], m[1], m[2]);
    } else {
        /* turned so that the halved side, or the one that is not, is side 0 */
        int k = 0;
        while ((m[k] >= 0) != (halved == 1)) {
            k++;
        }
        int32_t a = c[k], b = c[(k + 1) % 3], d = c[(k + 2) % 3];
        if (halved == 1) {
            TRIANGLE(a, m[k], d);
            TRIANGLE(m[k], b, d);
        } else {
            int32_t bd = m[(k + 1) % 3], da = m[(k + 2) % 3];
            TRIANGLE(a, b, bd);
            TRIANGLE(a, bd, da);
            TRIANGLE(da, bd, d);
        }
    }
#undef TRIANGLE
    return count;
}

static lim_result one_round(finer* f, float spacing, bool* fits, bool* changed) {
    int32_t before = f->s.count, triangles = f->s.triangle_count, count = 0;
    int32_t* middle = ARENA_ARRAY(f->a, int32_t, 3 * (int64_t)triangles);
    LIM_TRY_MEMORY(middle);
    LIM_TRY(halve_sides(f, spacing, middle, fits));
    *changed = *fits && f->s.count > before;
    if (!*changed) {
        return LIM_OK;
    }
    int32_t* corner = ARENA_ARRAY(f->a, int32_t, 12 * (int64_t)triangles);
    LIM_TRY_MEMORY(corner);
    for (int32_t i = 0; i < triangles; ++i) {
        count +=
            split(f->s.corner + 3 * (size_t)i, middle + 3 * (size_t)i, corner + 3 * (size_t)count);
    }
    f->s.corner = corner;
    f->s.triangle_count = count;
    return LIM_OK;
}

lim_result surface_samples_make(arena* a, const lim_vec3* points, const int32_t* triangles,
                                int32_t triangle_count, float spacing, int32_t first, int32_t most,
                                surface_samples* out) {
    finer f = {.a = a, .given = points, .first = first, .most = most};
    int32_t* given = ARENA_ARRAY(a, int32_t, 3 * (int64_t)triangle_count);
    f.s.point = ARENA_ARRAY(a, lim_vec3, most);
    f.s.normal = ARENA_ARRAY(a, lim_vec3, most);
    LIM_TRY_MEMORY(given);
    LIM_TRY_MEMORY(f.s.point);
    LIM_TRY_MEMORY(f.s.normal);
    memcpy(given, triangles, 3 * (size_t)triangle_count * sizeof(int32_t));
    bool fits = false;
    for (int attempt = 0; attempt < 40 && !fits; ++attempt, spacing *= 1.5f) {
        f.s.count = 0;
        f.s.corner = given;
        f.s.triangle_count = triangle_count;
        memset(f.s.normal, 0, (size_t)most * sizeof(lim_vec3));
        fits = true;
        bool changed = true;
        for (int round = 0; round < ROUNDS_MOST && fits && changed; ++round) {
            LIM_TRY(one_round(&f, spacing, &fits, &changed));
        }
    }
    *out = f.s;
    if (!fits || f.s.count == 0) {
        out->count = out->triangle_count = 0;
    }
    for (int32_t i = 0; i < out->count; ++i) {
        out->normal[i] = v3_unit(out->normal[i], v3(0, 0, 0));
    }
    return LIM_OK;
}
