/* SPDX-License-Identifier: MIT
 * One attempt at a cut, stage by stage: what the files of src/cut hand to each other. A stage that
 * meets a contradiction (a point exactly on an edge, rounded points in the wrong order) returns
 * LIM_ERROR_UNSUPPORTED, and the attempt is made again with the blade moved aside.
 */
#ifndef LIMBER_CUT_WORK_H
#define LIMBER_CUT_WORK_H

#include "base/array.h"
#include "base/sort.h"
#include "cut/cut.h"
#include "cut/plane_mesh.h"

/* Where skin and blade meet, and what else the faces of the cut need. */
typedef enum cut_kind {
    CUT_ON_SKIN_EDGE,  /* a skin edge through a blade triangle */
    CUT_ON_BLADE_EDGE, /* a blade edge through a skin triangle */
    CUT_ON_SEGMENT,    /* the middle of a segment between two ends of the front */
    CUT_BLADE_POINT,   /* a point of the blade */
    CUT_MIDDLE         /* of an edge between two points of the front */
} cut_kind;

typedef struct cut_vertex {
    lim_point at;
    double share;     /* along its edge, from `low` to `high` */
    int32_t edge;     /* skin or blade edge, -1 */
    int32_t triangle; /* the triangle through which: blade triangle, or number in touched[] */
    int32_t stop;     /* its place among those of its edge */
    cut_kind kind;
} cut_vertex;

typedef struct cut_edge {
    int32_t low, high;    /* points: skin edges by position, blade edges by number */
    int32_t half[2];      /* 3 t + k of the triangle along low -> high, and of the other, or -1 */
    int32_t first, count; /* its stops in stop[], from low to high */
    int32_t piece;        /* its first piece; there are count + 1 */
} cut_edge;

/* A segment in which a skin triangle meets a blade triangle. It runs so that in the skin triangle
 * the blade's positive side is to the left, and in the blade triangle the solid is. */
typedef struct cut_segment {
    int32_t skin, blade; /* number in touched[], blade triangle */
    int32_t from, to;    /* vertices */
} cut_segment;

/* The same while it is found: an end is k (edge of the skin triangle) or 3 + k (of the blade's). */
typedef struct cut_hit {
    int32_t skin, blade, from, to;
} cut_hit;

typedef struct cut_work {
    arena mem; /* scratch of this attempt */
    const cut_surface* surface;
    const cut_options* options;
    cut_blade blade; /* with points moved aside */
    ARRAY(cut_hit) hit;
    int32_t touched_count, skin_edge_count, blade_edge_count, segment_count;
    int32_t* touched;          /* skin triangles that meet the blade */
    int32_t* touched_edge;     /* 3 per touched triangle */
    int32_t* touched_segment;  /* first segment of each (segments are in order of triangle), + 1 */
    int32_t* blade_edge_of;    /* 3 per blade triangle */
    int32_t* blade_segment;    /* first of each in segment_by_blade, + 1 */
    int32_t* segment_by_blade; /* segments in order of blade triangle */
    uint8_t* blade_border;     /* per blade point: on the border of the blade */
    cut_edge* skin_edge;
    cut_edge* blade_edge;
    cut_segment* segment;
    ARRAY(cut_vertex) vertex;
    int32_t blade_vertex; /* vertex of blade point 0 */
    int32_t* stop;        /* vertices along edges */
    /* pieces of skin triangles: 3 half edges each; corners are vertices, or -1 - point */
    ARRAY(int32_t) piece_corner;
    ARRAY(int32_t) piece_mate;
    ARRAY(int32_t) piece_origin; /* per piece: number in touched[] */
    int32_t *left, *right;       /* per segment: the half edges of the pieces on its two sides */
    int32_t* skin_slot;          /* 2 per piece of a skin edge: half edge low -> high, and back */
    /* cells: pieces of blade triangles, inside and outside */
    ARRAY(int32_t) cell_corner;
    ARRAY(int32_t) cell_mate;
    ARRAY(int32_t) cell_wall; /* per half edge: 1 + the segment it runs along, -1, 0 */
    ARRAY(int32_t) cell_blade;
    int32_t* blade_slot;
    plane_mesh plane;
    ARRAY(int32_t) ref;       /* vertex, or -1 - point, of each point of `plane` */
    ARRAY(sort_item) order;   /* scratch of sorts */
    ARRAY(sort_item) order_2; /* the same */
    double (*border)[2];
    int32_t border_room;
} cut_work;

/* Stages, in this order. */
lim_result cut_blade_edges(cut_work* w); /* edges of the blade; does it cross itself? */
lim_result cut_find(cut_work* w);        /* hits */
lim_result cut_arrange(cut_work* w);     /* touched triangles, edges, vertices, segments */
lim_result cut_split_skin(cut_work* w);  /* pieces */
lim_result cut_split_blade(cut_work* w); /* cells */
lim_result cut_glue(cut_work* w, arena* a, cut_result* out);

/* The axis along which a triangle is best looked at. */
int32_t cut_axis(lim_point a, lim_point b, lim_point c);
static inline void cut_project(lim_point p, int32_t axis, double out[2]) {
    out[0] = axis == 0 ? p.y : p.x;
    out[1] = axis == 2 ? p.y : p.z;
}
/* Sorts the vertices in order.data[].value by position. */
lim_result cut_sort_by_place(cut_work* w);
static inline bool cut_same_place(lim_point a, lim_point b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}
static inline bool cut_before(lim_point a, lim_point b) {
    return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
}

#endif
