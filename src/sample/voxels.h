/* SPDX-License-Identifier: MIT
 * Voxels: which parts of space are material, at a quarter of a cell. Cells exist only where there
 * is surface or material; each has 4^3 sub-voxels as bit masks (sample/mask.h).
 */
#ifndef LIMBER_VOXELS_H
#define LIMBER_VOXELS_H

#include "base/array.h"
#include "mesh/winding.h"
#include "sample/mask.h"
#include "sample/octant.h"

typedef struct voxel_cell {
    uint64_t key; /* octant key */
    int32_t x, y, z;
    int32_t spare;    /* padding, always 0 */
    uint64_t surface; /* overlapped by a triangle */
    uint64_t inside;  /* centre is inside */
    uint64_t thin;    /* overlapped by a triangle of material thinner than sub-voxels resolve */
    uint64_t cover;   /* made material only so that a triangle finds a node */
    uint64_t weak;    /* inside, but in no 2^3 block that is */
} voxel_cell;

/* A triangle in a cell. */
typedef struct voxel_touch {
    int32_t cell, triangle;
    uint64_t mask;
} voxel_touch;

typedef struct voxels {
    lim_host host;
    const lim_mesh* mesh;
    arena mem;             /* of the arrays without a count of their own */
    double side, sub;      /* edges of a cell and of a sub-voxel, unit space */
    lim_point corner;      /* of the root cell */
    int32_t level, extent; /* 2^level = extent cells per axis */
    int32_t cell_limit;
    bool simple; /* closed and never inside itself or inside out: its volume is that of the mesh */
    ARRAY(voxel_cell) cell; /* by key once voxels_finish has run */
    int32_t* table;         /* open addressing: index + 1 */
    size_t table_size;
    ARRAY(voxel_touch) touch;          /* by triangle */
    int32_t *touch_first, *touch_item; /* CSR: cell -> touches, after voxels_finish */
    int32_t (*near)[27]; /* per cell those around it, itself in the middle, -1: none; likewise */
} voxels;

/* Smallest cell edge in unit space that the octree has room for. */
#define VOXELS_SIDE_LEAST (1.0 / (double)(1 << OCTANT_LEVELS))

/* Sets up a grid of cells of an edge around a mesh; nothing is in it. The mesh lies in the middle
 * of blocks of 2^coarsen cells. */
void voxels_init(voxels* v, const lim_mesh* mesh, double side, int32_t coarsen, int32_t cell_limit,
                 const lim_host* host);
void voxels_release(voxels* v);
/* Index of a cell, or -1. Any coordinates may be asked for. */
int32_t voxels_find(const voxels* v, int32_t x, int32_t y, int32_t z);
/* The same, made when it is not there; LIM_ERROR_TOO_LARGE when there are too many. */
lim_result voxels_add(voxels* v, int32_t x, int32_t y, int32_t z, int32_t* out_cell);

/* The steps, in this order. */
lim_result voxels_surface(voxels* v); /* surface masks and touches */
/* Inside masks of a mesh whose parts are all closed, by crossings along x. */
lim_result voxels_inside_rows(voxels* v);
/* Inside masks of any mesh. Sub-voxels are asked for in blocks of an edge: 1, or 2 or 4 where a
 * number costs too much. */
lim_result voxels_inside_winding(voxels* v, const winding* w, int block);
/* Sorts cells, drops empty ones, lists touches by cell and the cells around each. */
lim_result voxels_finish(voxels* v);
lim_result voxels_neighbours(voxels* v); /* the last part of it: fills v->near */
/* Thin masks, then cover masks, so that each triangle touches a cell with material. With shell set
 * all of the surface is thin. */
lim_result voxels_thin(voxels* v, bool shell);

static inline uint64_t voxels_material(const voxel_cell* c) {
    return c->inside | c->thin | c->cover;
}
/* Bits that hold together also over edges and corners. */
static inline uint64_t voxels_soft(const voxel_cell* c) {
    return c->thin | c->cover | c->weak;
}
/* A point of unit space in sub-voxels from the root's corner. */
static inline lim_point voxels_grid(const voxels* v, lim_vec3 p) {
    return p3(((double)p.x - v->corner.x) / v->sub, ((double)p.y - v->corner.y) / v->sub,
              ((double)p.z - v->corner.z) / v->sub);
}
/* Centre of a sub-voxel in unit space. */
static inline lim_point voxels_at(const voxels* v, int32_t x, int32_t y, int32_t z) {
    return p3(v->corner.x + v->sub * (x + 0.5), v->corner.y + v->sub * (y + 0.5),
              v->corner.z + v->sub * (z + 0.5));
}

#endif
