/* SPDX-License-Identifier: MIT
 * Matter: all that is known of a body's inside at the finest level, without the surface it was
 * found from: the fragments of the finest cells and which of them are joined. The pieces of every
 * level (sample/pieces.h) and the nodes of any choice of them (sample/nodes.h) follow from it, so
 * that it is what an edit changes.
 */
#ifndef LIMBER_MATTER_H
#define LIMBER_MATTER_H

#include "sample/visibility.h"

/* Links between sub-voxels that blades have cut, of one cell. Bit v of cut[i]: the link from
 * sub-voxel v along direction i, one of the 13 whose last coordinate that is not 0 is positive
 * (number 13 + d_x + 3 d_y + 9 d_z is 14 + i), to a sub-voxel of this cell or of the next. */
enum { MATTER_WAYS = 13 };
typedef struct matter_wall {
    uint64_t key; /* octant key of the cell */
    uint64_t cut[MATTER_WAYS];
} matter_wall;

typedef struct matter {
    int32_t level;        /* octree level of the finest cells */
    double side, sub;     /* edges of a finest cell and of a sub-voxel, unit space */
    lim_point corner;     /* of the root cell, unit space */
    int32_t count;        /* fragments, in order of (key, lowest sub-voxel) */
    uint64_t* key;        /* octant key of the cell */
    uint64_t* mask;       /* sub-voxels (sample/mask.h) */
    uint64_t* soft;       /* those of them that hold together also over edges and corners */
    double* volume;       /* unit space cubed */
    lim_point* centroid;  /* unit space */
    double (*moment)[6];  /* integral of (x - centroid)(x - centroid)^T: xx yy zz xy xz yz */
    int32_t* edge_offset; /* CSR, symmetric, ascending */
    int32_t* edge_node;
    int32_t* component; /* numbered by lowest fragment */
    int32_t component_count;
    int32_t* unglued; /* components but for glue; null: nothing was glued */
    int32_t glued_edges;
    int32_t* glue; /* its fragments, two for each edge, the lower first, ascending; null likewise */
    int32_t wall_count; /* cells with cut links, ascending keys; 0: nothing was cut yet */
    matter_wall* wall;
} matter;

/* The first fragment whose key is not below this one; `count` where all are. */
static inline int32_t matter_first_of(const matter* m, uint64_t key) {
    int32_t low = 0, high = m->count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        bool before = m->key[middle] < key;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low;
}

/* The cut links of a cell; null: none is. */
static inline const matter_wall* matter_wall_of(const matter* m, uint64_t key) {
    int32_t low = 0, high = m->wall_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        bool before = m->wall[middle].key < key;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low < m->wall_count && m->wall[low].key == key ? &m->wall[low] : NULL;
}

/* Is the edge between two fragments glue? */
static inline bool matter_is_glued(const matter* m, int32_t a, int32_t b) {
    uint64_t want = (uint64_t)(a < b ? a : b) << 32 | (uint64_t)(a < b ? b : a);
    int32_t low = 0, high = m->glued_edges;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        uint64_t here =
            (uint64_t)m->glue[2 * (size_t)middle] << 32 | (uint64_t)m->glue[2 * (size_t)middle + 1];
        if (here == want) {
            return true;
        }
        low = here < want ? middle + 1 : low;
        high = here < want ? high : middle;
    }
    return false;
}

/* Arrays in `a`; those of `see`, which is in `a` too, are borrowed. */
lim_result matter_make(arena* a, const voxels* v, const fragments* f, const visibility* see,
                       matter* out);
/* Mean of the centres of sub-voxels of a cell, unit space; and V (cov + h^2 / 12 I) of them. */
lim_point matter_mean(const matter* m, uint64_t key, uint64_t bits);
void matter_moment(const matter* m, double volume, uint64_t bits, double moment[6]);

#endif
