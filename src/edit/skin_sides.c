/* SPDX-License-Identifier: MIT
 * Job: which side of the skin the material is on. In: triangles near a blade. Out: whether it lies
 * behind all of them. A triangle has a say where one of the two sub-voxels before and behind its
 * middle is material and the other is not; of what is thin none is. Triangles that share a point
 * are one patch, which is inside out where most of the area that has a say says so. Only triangles
 * of the mesh are asked: what cuts have made looks as it should.
 */
#include "edit/skin_sides.h"
#include "base/disjoint_set.h"

#include "sample/linking.h"
#include "sample/matter_links.h"

typedef struct patch {
    double right, wrong; /* areas */
} patch;

/* Is the sub-voxel at a place material? */
static bool is_material(const matter* m, lim_point at) {
    lim_point g = grid_place(m, at);
    if (!(g.x > -0.5 && g.y > -0.5 && g.z > -0.5)) {
        return false;
    }
    int32_t x = (int32_t)(g.x + 0.5), y = (int32_t)(g.y + 0.5), z = (int32_t)(g.z + 0.5);
    int32_t extent = (int32_t)4 << m->level;
    if (x >= extent || y >= extent || z >= extent) {
        return false;
    }
    uint64_t key = octant_key((octant){m->level, x >> 2, y >> 2, z >> 2});
    uint64_t bit = (uint64_t)1 << ((x & 3) + 4 * (y & 3) + 16 * (z & 3)), all = 0;
    for (int32_t i = matter_first_of(m, key); i < m->count && m->key[i] == key; ++i) {
        all |= m->mask[i];
    }
    return (all & bit) != 0;
}

static void ask_triangle(const matter* m, const cut_surface* skin, const int32_t* corner,
                         patch* of) {
    lim_point x = skin->point[corner[0]], y = skin->point[corner[1]], z = skin->point[corner[2]];
    lim_point n = p3_cross(p3_sub(y, x), p3_sub(z, x));
    lim_point middle = p3_scale(p3_add(p3_add(x, y), z), 1.0 / 3.0);
    double area = p3_length(n);
    if (!(area > 0.0)) {
        return;
    }
    bool before = is_material(m, p3_mad(middle, n, m->sub / area));
    bool behind = is_material(m, p3_mad(middle, n, -m->sub / area));
    of->right += behind && !before ? area : 0.0;
    of->wrong += before && !behind ? area : 0.0;
}

static bool is_of_mesh(const topology* t, int32_t triangle) {
    uint32_t first = (uint32_t)(t->vertex_count - t->source_count);
    const uint32_t* v = t->indices + 3 * (size_t)triangle;
    return v[0] < first && v[1] < first && v[2] < first;
}

lim_result skin_looks_out(arena* a, const topology* t, const cut_surface* skin, const int32_t* name,
                          const int32_t* candidate, int32_t count, bool* out) {
    const matter* m = &t->matter;
    *out = true;
    int32_t* set = ARENA_ROOM(a, int32_t, skin->point_count); /* only of the triangles' points */
    patch* of = ARENA_ROOM(a, patch, skin->point_count);
    LIM_TRY_MEMORY(set);
    LIM_TRY_MEMORY(of);
    for (int32_t i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            int32_t point = skin->triangle[3 * (size_t)candidate[i] + (size_t)k];
            set[point] = point;
            of[point] = (patch){0.0, 0.0};
        }
    }
    for (int32_t i = 0; i < count; ++i) {
        const int32_t* corner = skin->triangle + 3 * (size_t)candidate[i];
        disjoint_join(set, corner[0], corner[1]);
        disjoint_join(set, corner[0], corner[2]);
    }
    for (int32_t i = 0; i < count; ++i) {
        const int32_t* corner = skin->triangle + 3 * (size_t)candidate[i];
        int32_t root = disjoint_root(set, corner[0]);
        if (is_of_mesh(t, name != NULL ? name[candidate[i]] : candidate[i])) {
            ask_triangle(m, skin, corner, &of[root]);
        }
    }
    for (int32_t i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) {
            const patch* p = &of[skin->triangle[3 * (size_t)candidate[i] + (size_t)k]];
            *out = *out && p->wrong <= p->right;
        }
    }
    return LIM_OK;
}
