/* SPDX-License-Identifier: MIT
 * The deformed surface of a body as others feel it: how far a place is from it, on which side, and
 * which triangle is nearest. Its points are kept in patches, those together that
 * follow one node most and look the same way, and patches in the order of a Morton curve at rest,
 * one for each of 26 ways to look, eight to a group and eight groups to a larger one. A step first
 * places all points, then finds from boxes and slabs of points alone which patches somebody may be
 * near: what is far from everybody has no normals and no boxes of triangles. It is exact in the
 * deformed state, and the same for every kind of body. A field of depths at rest (Teschner et al.
 * 2003 with flooding) would need the way back to rest through each kind's own interpolation, and is
 * off by the bending of the cells.
 */
#ifndef LIMBER_FELT_SURFACE_H
#define LIMBER_FELT_SURFACE_H

#include "skin/deform.h"

/* The constant part. Triangles should not be much larger than cells: the way to the nearest leads
 * through the nearest point. */
typedef struct surface_net {
    bindings points; /* patch by patch; copies of those of the bindings that have triangles */
    int32_t* source; /* per point: which of the bindings it is a copy of */
    int32_t patch_count;
    int32_t group_count;  /* eights of patches */
    int32_t* patch_node;  /* the slot that its points follow most */
    int32_t* patch_point; /* + 1: where its points begin */
    float* patch_reach;   /* how far its points and their triangles reach from the node at rest */
    float* patch_cone;    /* largest |n - n_first| of its points' normals at rest; 2: any */
    int32_t* point_patch;
    uint8_t* sharp;      /* per point: 1 where triangles look far apart, as at a corner of a box */
    int32_t* patch_ring; /* + 1: where the points of the triangles at its points begin */
    int32_t* ring;       /* points, each once in a patch */
    int32_t* patch_feel; /* + 1: where those of its points begin that feel contacts */
    int32_t* feel;       /* points */
    int32_t triangle_count;
    int32_t* corner;     /* 3 per triangle: points */
    int32_t* neighbour;  /* 3 per triangle: across the side from corner k to the next; -1: none */
    int32_t* fan_offset; /* per point, + 1: the triangles at it */
    int32_t* fan;
    uint8_t* carrier; /* per slot: 1 where points of the surface follow it */
    float longest;    /* side of a triangle, unit lengths */
    float open_share; /* of the sides: those without one triangle on each side, turned alike */
} surface_net;

/* Normals of bound points at rest, weighted by area; zero where no triangle (3 corners each) is.
 * Null: no memory. */
lim_vec3* surface_normals(arena* a, const bindings* b, const int32_t* corner,
                          int32_t triangle_count);
/* The axis and sign along which a normal looks most: -x +x -y +y -z +z; SURFACE_LOOKS: nowhere. */
enum { SURFACE_LOOKS = 6 };
static inline int32_t surface_look(lim_vec3 normal) {
    float x = fabsf(normal.x), y = fabsf(normal.y), z = fabsf(normal.z);
    float most = y > x ? y : x, at = y > x ? normal.y : normal.x;
    int32_t axis = y > x;
    axis = z > most ? 2 : axis;
    at = z > most ? normal.z : at;
    return !(fabsf(at) > 0.0f) ? SURFACE_LOOKS : 2 * axis + (at > 0.0f);
}

/* What a net is made from. */
typedef struct surface_source {
    const bindings* points;
    float* const* x0; /* where the slots' nodes are */
    int32_t slot_count;
    const int32_t* corner; /* 3 points per triangle */
    int32_t triangle_count;
    const lim_vec3* normal; /* of the points */
    const uint8_t* feels;   /* 1 for those that feel contacts */
    /* A net that most triangles were in, in the same order, null: none. Points from own_before on
     * had numbers lower by own_more. */
    const surface_net* before;
    int32_t own_before, own_more;
} surface_source;
lim_result surface_net_build(arena* a, arena* scratch, const surface_source* from,
                             surface_net* out);

/* Eight boxes side by side. */
typedef struct surface_group {
    float low[3][8], high[3][8];
} surface_group;

typedef struct surface_box {
    lim_vec3 low, high;
} surface_box;
static inline void surface_set_box(surface_group* g, int place, surface_box box) {
    g->low[0][place] = box.low.x;
    g->low[1][place] = box.low.y;
    g->low[2][place] = box.low.z;
    g->high[0][place] = box.high.x;
    g->high[1][place] = box.high.y;
    g->high[2][place] = box.high.z;
}

/* A box around a whole group, as one of the eight of its parent. */
static inline void surface_group_around(const surface_group* from, surface_group* to, int place) {
    for (int k = 0; k < 3; ++k) {
        float low = from->low[k][0], high = from->high[k][0];
        for (int i = 1; i < 8; ++i) {
            low = from->low[k][i] < low ? from->low[k][i] : low;
            high = from->high[k][i] > high ? from->high[k][i] : high;
        }
        to->low[k][place] = low;
        to->high[k][place] = high;
    }
}

static inline surface_box surface_get_box(const surface_group* g, int k) {
    return (surface_box){v3(g->low[0][k], g->low[1][k], g->low[2][k]),
                         v3(g->high[0][k], g->high[1][k], g->high[2][k])};
}
/* Turned inside out: it meets nobody. */
static inline surface_box surface_box_none(void) {
    lim_vec3 far = v3(HUGE_VALF, HUGE_VALF, HUGE_VALF);
    return (surface_box){far, v3_scale(far, -1.0f)};
}
static inline surface_box surface_box_around(const surface_group* of) {
    surface_group all;
    surface_group_around(of, &all, 0);
    return surface_get_box(&all, 0);
}

/* The ways the points of each of eight patches look: no normal is farther than `cone` from the
 * look, as chords of the unit sphere (which add up). And how high: no place of its triangles is
 * higher along the look in the step than `top`. */
typedef struct surface_looks {
    float x[8], y[8], z[8], cone[8], top[8];
} surface_looks;
#define SURFACE_ANY 1e30f /* as a cone: any way; as a top: any height */

/* Whole groups are left out only by what leaves out each of their patches too, whatever rounding
 * does: their cones, and how far others see them, are larger by this share. */
#define SURFACE_ROUNDING 1e-5f

/* How far each of eight patches goes in the step, beside the body as a whole. */
typedef struct surface_ways {
    float along[3][8];
} surface_ways;
static inline lim_vec3 surface_way(const surface_ways* w, int32_t patch) {
    const surface_ways* at = &w[patch / 8];
    return v3(at->along[0][patch % 8], at->along[1][patch % 8], at->along[2][patch % 8]);
}

enum { SURFACE_LEVELS = 10 };

/* How many groups all levels over so many finest ones have together, and where each level begins
 * (may be null). */
int32_t surface_groups(int32_t finest, int32_t first[SURFACE_LEVELS], int32_t* out_levels);

/* Boxes and looks of patches in groups, groups in larger groups and so on. */
typedef struct surface_tree {
    int32_t levels;
    int32_t first[SURFACE_LEVELS]; /* groups of each level, finest first */
    surface_group* group;          /* inside out where nothing is */
    surface_looks* looks;
    surface_box box; /* around all of them */
} surface_tree;
/* Levels above the finest groups, from those. */
void surface_tree_update(surface_tree* tree, int32_t groups);

/* Between which planes a body lies, along the 13 axes through the sides, edges and corners of a
 * cube: who is beyond one of them is outside. */
enum { SURFACE_AXES = 13 };
typedef struct surface_slabs {
    float low[SURFACE_AXES], high[SURFACE_AXES];
} surface_slabs;
static inline lim_vec3 surface_axis(int k) {
    static const float edge = 0.70710678f, corner = 0.57735027f;
    static const signed char axes[SURFACE_AXES][3] = {
        {1, 0, 0}, {0, 1, 0},  {0, 0, 1}, {1, 1, 0},  {1, -1, 0}, {1, 0, 1},  {1, 0, -1},
        {0, 1, 1}, {0, 1, -1}, {1, 1, 1}, {1, 1, -1}, {1, -1, 1}, {1, -1, -1}};
    float by = k < 3 ? 1.0f : (k < 9 ? edge : corner);
    return v3(by * (float)axes[k][0], by * (float)axes[k][1], by * (float)axes[k][2]);
}

/* The deformed part, of one step: positions are world axes, metres, relative to `origin`. */
typedef struct surface_shape {
    const surface_net* net;
    lim_point origin;
    uint8_t* wanted;         /* per patch: 1 where somebody may be near; others meet nobody */
    const int32_t* triangle; /* those at points of wanted patches, ascending; null: not known yet */
    int32_t triangle_count;
    float* at[3];     /* per point, and 8 more */
    float* spot;      /* the same, x y z and one spare per point */
    lim_vec3* normal; /* per point of a wanted patch: unit, or 0; and 8 more */
    surface_ways* way;
    float stretch; /* metres per unit length: how long sides may be by now */
    /* Boxes of wanted patches with the triangles at their points and the way they go. */
    surface_tree tree;
    surface_slabs slabs;  /* around all points, with the ways they go */
    surface_group* tight; /* around the points of each patch alone, where they are; eights */
    /* Around those of its patches' points that feel contacts, with their ways; inside out where
     * there are none. Eights of patches, and around each eight. */
    surface_group* feel;
    surface_box* feel_box;
} surface_shape;

/* Spots, and boxes of the points of all patches, alone and those that feel; from where points are.
 * Where the triangles at wanted patches are known, boxes of those patches only. */
struct felt_kernels;
void surface_shape_place(surface_shape* shape, const struct felt_kernels* by);
/* Normals, boxes and looks of the wanted patches. */
void surface_shape_update(surface_shape* shape, const struct felt_kernels* by);
/* How much farther from a patch's look than at rest its points may look. */
#define SURFACE_CONE 0.15f

/* The box of a whole group; everything where there is but one. */
static inline surface_box surface_group_box(const surface_tree* t, int32_t group) {
    lim_vec3 far = v3(HUGE_VALF, HUGE_VALF, HUGE_VALF);
    return t->levels > 1 ? surface_get_box(&t->group[t->first[1] + group / 8], group % 8)
                         : (surface_box){v3_scale(far, -1.0f), far};
}
static inline bool surface_boxes_meet(surface_box a, surface_box b) {
    return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y &&
           b.low.y <= a.high.y && a.low.z <= b.high.z && b.low.z <= a.high.z;
}
/* With the way that it goes. */
static inline surface_box surface_box_swept(surface_box box, lim_vec3 way) {
    return (surface_box){v3_min(v3_add(box.low, way), box.low),
                         v3_max(v3_add(box.high, way), box.high)};
}
/* Surfaces meet face to face: normals that are less than this apart, as a chord, do not (some 96
 * degrees). */
#define SURFACE_FACES 1.483f
/* A sharp corner meets what its own normal hardly looks against: some 75 degrees. */
#define SURFACE_FACES_SHARP 1.225f
/* The same as cosines, of a point or a triangle. */
#define SURFACE_AGAINST       (-0.1f)
#define SURFACE_AGAINST_SHARP 0.25f
static inline float surface_looks_against(bool sharp) {
    return sharp ? SURFACE_AGAINST_SHARP : SURFACE_AGAINST;
}
/* Which of the eight boxes of a group overlap one: bits. */
unsigned surface_overlaps(const surface_group* group, const surface_box* box);

typedef struct surface_hit {
    int32_t triangle; /* -1: nothing within reach */
    float weight[3];  /* of its corners */
    float gap;        /* metres, negative behind the surface */
    lim_vec3 point;   /* the nearest, relative to the origin */
    lim_vec3 normal;  /* unit, from the surface outwards */
} surface_hit;

/* Who asks: where it is (relative to the origin), the way it looks itself (its own surface's
 * normal, or zero: any), how far from the surface it may be outside, and behind it. */
typedef struct surface_query {
    lim_vec3 at, look;
    bool sharp; /* it is a sharp corner */
    float reach, deep;
    const int32_t* patch; /* those that count */
    int32_t patch_count;
} surface_query;

/* How far triangles at a point of a flat patch rise over the plane there, in longest sides: 0.6 of
 * one times the tangent of some 34 degrees. */
#define SURFACE_RISE 0.4f

/* The nearest of the surface's points and about how far the surface is there, measured against the
 * plane at the point: a first look, several times as cheap as the nearest place. */
typedef struct surface_sight {
    int32_t point; /* -1: nothing within reach */
    float gap;
    lim_vec3 normal;
} surface_sight;
surface_sight surface_see(const surface_shape* shape, const surface_query* query);
/* How far to look for that point, and what is seen by who has found it at the square of a distance.
 */
float surface_far(const surface_shape* shape, const surface_query* query);
surface_sight surface_sight_at(const surface_shape* shape, const surface_query* query,
                               int32_t point, float square);

/* The nearest place of the surface within reach, from a point that is near. Surfaces meet face to
 * face: only triangles count that look against `look`, so that who rests on a box near its rim is
 * not pushed over the edge, and who has come through a sheet goes back the way it came. */
surface_hit surface_nearest(const surface_shape* shape, const surface_query* query, int32_t point,
                            const struct felt_kernels* by);

#endif
