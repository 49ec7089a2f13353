/* SPDX-License-Identifier: MIT
 * The wide part of looking for contacts, one copy per instruction set: which patches of a surface
 * may meet somebody who asks, eight at a time, and which of their points is nearest to a place.
 * Lists of patches are groups with a bit for each of their eight: group << 8 | bits.
 */
#ifndef LIMBER_FELT_KERNEL_H
#define LIMBER_FELT_KERNEL_H

#include "contact/felt_surface.h"

/* Who asks: a box of places with the way they go, all in the coordinates of whom it asks, and the
 * ways they look (chords, as those of surface_looks). */
typedef struct felt_asker {
    surface_box box;  /* with how near others must be to count */
    surface_box bare; /* without */
    lim_vec3 look;
    float cone;
    float reach; /* who is farther above a patch, along the way that it looks, does not meet it */
} felt_asker;

/* How boxes of another are seen by who is asked about: moved by `shift`, swept along `way`, and
 * wider by `wide`. */
typedef struct felt_view {
    lim_vec3 shift, way;
    float wide;
} felt_view;

/* Eight who look at a surface: where they are, which way they look (zero: any), and how much
 * against that what they see must look, as a cosine (above 0 with no look: any way). */
typedef struct felt_eyes {
    float at[3][8], look[3][8], against[8];
    float reach;
} felt_eyes;
/* The nearest points that count; -1: none nearer than `best`, the square of the distance, which
 * begins as that of how far to look. */
typedef struct felt_sights {
    float best[8], point[8];
} felt_sights;

/* The nearest places of up to eight triangles: cross is the normal times twice the area, weights
 * are those of corners 1 and 2. */
typedef struct felt_triangles {
    float square[8], weight[2][8], point[3][8], cross[3][8];
} felt_triangles;

typedef struct felt_kernels {
    /* Writes the finest groups that may have patches that meet the asker, ascending; never more
     * than there are. Returns how many. */
    int32_t (*groups)(const surface_tree* tree, const felt_asker* asker, int32_t* out);
    /* For each of `count` groups of a tree: which of eight askers' boxes come near it. Writes those
     * with any, group << 8 | bits; `all`: the bits of all of them. May work in place. */
    int32_t (*askers)(const surface_tree* tree, const surface_group* eight, const felt_view* view,
                      const int32_t* groups, int32_t count, int32_t* out, unsigned* all);
    /* Of the groups of such a list that have the asker's bit: the patches that may meet it. */
    int32_t (*patches)(const surface_tree* tree, const felt_asker* asker, const int32_t* list,
                       int32_t count, int bit, int32_t* out);
    /* The patches of a list of groups whose own boxes are within a distance of one. Returns how
     * many groups have any. */
    int32_t (*near)(const surface_group* tight, surface_box box, float distance,
                    const int32_t* groups, int32_t count, int32_t* out);
    /* Those patches of a list that may meet the asker. */
    int32_t (*among)(const surface_tree* tree, const felt_asker* asker, const int32_t* list,
                     int32_t count, int32_t* out);
    /* The nearest points of the patches of a list. */
    void (*nearest)(const surface_shape* shape, const felt_eyes* eyes, const int32_t* list,
                    int32_t count, felt_sights* io);
    /* The nearest places of triangles, and which of them look against who asks: bits. */
    unsigned (*triangles)(const surface_shape* shape, const surface_query* query,
                          const int32_t* triangle, int32_t count, felt_triangles* out);
    /* Boxes of a patch's points, and of those that feel; inside out where there are none. */
    void (*boxes)(const surface_shape* shape, int32_t patch, surface_box* tight, surface_box* feel);
    /* The box of the points of the triangles at a patch's points. Returns how high they are along a
     * look. */
    float (*ring)(const surface_shape* shape, int32_t patch, lim_vec3 look, surface_box* box);
    /* The slabs around a surface. */
    void (*slabs)(const surface_shape* shape, surface_slabs* out);
    /* Which of eight askers' boxes are not wholly beyond a slab of another, seen as it goes by. */
    unsigned (*within)(const surface_group* eight, const surface_slabs* slabs,
                       const felt_view* view);
} felt_kernels;
const felt_kernels* felt_kernels_for(isa set);

#define FELT_KERNELS(set, suffix) extern const felt_kernels felt_kernels_##suffix;
ISA_LIST(FELT_KERNELS)
#undef FELT_KERNELS

#endif
