/* SPDX-License-Identifier: MIT
 * One drawing together, stage by stage: what its files hand to each other.
 */
#ifndef LIMBER_DRAW_WORK_H
#define LIMBER_DRAW_WORK_H

#include "edit/draw_together.h"
#include "math/vec3.h"

enum {
    FAN = 48,    /* triangles about a point: one that has more stays */
    SHEETS = 16, /* points at one place, likewise */
};

typedef struct draw_crowd draw_crowd; /* edit/draw_cross.c */

/* The surface that is drawn together: triangles, and about each point those that it has. */
typedef struct drawing {
    arena* mem;
    const topology* before;
    const surface_change* change;
    const matter* material;
    double side;
    int32_t old, skin, points; /* of the skin before, after; with felt ones */
    int32_t count;             /* triangles */
    int32_t* corner;           /* points */
    uint32_t* vertex;          /* null: of points alone */
    const uint8_t* face;       /* per vertex behind those of the mesh: of a crack */
    uint32_t mesh;             /* vertices of the mesh */
    uint8_t* gone;             /* per triangle */
    int32_t *head, *next;      /* triangles about a point: 3 t + k, -1 */
    int32_t* place;            /* per point: the first one at its place */
    int32_t* mate;             /* per point: the next one at its place, -1 */
    uint8_t* fixed;            /* per point: it stays */
    uint8_t* ask;              /* per point: to be looked at */
    const int32_t* home;       /* per point */
    draw_crowd* crowd;         /* room for draw_passes */
} drawing;

/* The triangles about a point p, and the neighbour q that it is to go to. */
typedef struct fan {
    int32_t point, to; /* p, q */
    int32_t count;
    int32_t half[FAN]; /* 3 t + k at p */
    lim_point whole;   /* sum of the area vectors */
    double area;       /* sum of their lengths */
} fan;

/* All points at one place. */
typedef struct sheets {
    int32_t count;
    fan of[SHEETS];
    int32_t ends, end[3];
    bool by_end; /* or next to one */
} sheets;

/* Stages. False: too much is about the point, or nothing. */
bool draw_gather(const drawing* d, int32_t p, fan* out);
/* The end of a crack: an edge whose two triangles lie on each other. Places of the other ends of
 * such edges about a point, up to three: added to `count` ones. */
int32_t draw_ends(const drawing* d, const fan* f, int32_t* end, int32_t count);
bool draw_has_end(const drawing* d, int32_t place);
/* Closes an end about a point that no blade goes on from, if there is one. */
bool draw_close(drawing* d, int32_t p);
/* All points at a place; false: one is fixed, or there is too much about. */
bool draw_sheets(const drawing* d, int32_t place, sheets* s);
/* May they go to another place? Tells where each does. */
bool draw_may_go(const drawing* d, sheets* s, int32_t to);
/* The vertex of q that a vertex of p becomes: that on its side of a seam; of a face also one that
 * looks its way. */
bool draw_vertex(const drawing* d, const fan* p, const fan* q, uint32_t v, uint32_t* out);
lim_result draw_make_crowd(drawing* d);
/* Would a triangle of a place that goes pass through one about it? */
bool draw_passes(const drawing* d, const sheets* s, int32_t to);
/* Without the new vertices and points that nobody has; indices and felt are the caller's own. */
lim_result draw_leave_out(arena* a, const topology* t, surface_change* c);

static inline lim_point draw_at(const drawing* d, int32_t p) {
    if (p < d->old) {
        return d->before->skin_point[p];
    }
    return p < d->skin ? d->change->point[p - d->old] : d->change->felt_point[p - d->skin];
}

static inline int32_t draw_after(int32_t half) {
    return half % 3 == 2 ? half - 2 : half + 1;
}

static inline int32_t draw_before(int32_t half) {
    return half % 3 == 0 ? half + 2 : half - 1;
}

static inline lim_point draw_area(lim_point a, lim_point b, lim_point c) {
    return p3_cross(p3_sub(b, a), p3_sub(c, a));
}

static inline bool draw_is_about(const drawing* d, const fan* f, int32_t other) {
    for (int32_t i = 0; i < f->count; ++i) {
        if (d->corner[draw_after(f->half[i])] == other) {
            return true;
        }
    }
    return false;
}

static inline bool draw_has_corner(const drawing* d, int32_t half, int32_t p) {
    return d->corner[draw_after(half)] == p || d->corner[draw_before(half)] == p;
}

static inline bool draw_of_face(const drawing* d, uint32_t vertex) {
    return vertex >= d->mesh && d->face[vertex - d->mesh] != 0;
}

static inline const float* draw_normal(const drawing* d, uint32_t vertex) {
    uint32_t olds = (uint32_t)d->before->vertex_count;
    return vertex < olds ? d->before->normal + 3 * (size_t)vertex
                         : d->change->normal + 3 * (size_t)(vertex - olds);
}

/* A point has changed: it and its neighbours are looked at again. */
static inline void draw_ask(drawing* d, int32_t p) {
    for (int32_t h = d->head[p]; h >= 0; h = d->next[h]) {
        if (!d->gone[h / 3]) {
            d->ask[d->place[d->corner[draw_after(h)]]] = 1;
        }
    }
    d->ask[d->place[p]] = 1;
}

#endif
