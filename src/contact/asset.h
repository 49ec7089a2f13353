/* SPDX-License-Identifier: MIT
 * The shape of a collider that is more than a few numbers: a convex hull, a triangle mesh, a height
 * field. Constant once made, shared by reference between a collider, its copies of a step and
 * snapshots. Metres, in the collider's own axes. The caller's arrays are kept as they came: they
 * are what is saved and hashed, and everything else is made from them, the same every time.
 */
#ifndef LIMBER_ASSET_H
#define LIMBER_ASSET_H

#include "base/arena.h"
#include "base/stream.h"
#include "math/vec3.h"

#include <limber/model.h>

struct bvh;

enum {
    ASSET_HULL_POINTS = 1024,
    ASSET_MESH_POINTS = 4000000,
    ASSET_MESH_TRIANGLES = 4000000,
    ASSET_GRID_SIDE = 4096,
    ASSET_LEVELS = 13
};

/* What an asset is made of; arrays are borrowed. */
typedef struct asset_source {
    lim_shape shape;
    int32_t point_count, triangle_count, columns, rows;
    const lim_vec3* points;
    const uint32_t* indices;
    const float* heights;
    float step_x, step_z; /* between samples */
} asset_source;

/* A face of a hull, seen counter-clockwise from outside: n . p = offset on it. */
typedef struct hull_face {
    lim_point corner[3], normal;
    double offset;
} hull_face;

/* Least and greatest height in squares of 2^level cells; columns x rows of them. */
typedef struct height_level {
    int32_t columns, rows;
    float *low, *high;
} height_level;

typedef struct collider_asset {
    int32_t references;
    arena mem;         /* owns every array */
    asset_source from; /* copies */
    uint64_t hash;     /* of the source */
    lim_point lower, upper;
    /* a hull */
    int32_t face_count;
    hull_face* face;
    uint32_t* face_point; /* 3 per face: the source's points */
    /* a mesh, in its own unit space: (p - origin) / size */
    bool solid; /* closed: it has an inside. Else a sheet, which acts from both sides */
    lim_point origin;
    double size;
    struct bvh* tree;
    lim_vec3* normal; /* 7 per triangle in tree order: the face's, the edges' (from corner k to the
                         next), the corners', as pseudonormals (Baerentzen, Aanaes 2005) */
    /* a height field */
    double per_x, per_z; /* 1 / spacing */
    double least_cosine; /* of the steepest triangle's slope */
    int32_t level_count;
    height_level level[ASSET_LEVELS];
} collider_asset;

/* One reference, the caller's. LIM_ERROR_ARGUMENT with a reason and a cure for a source that is no
 * shape: counts, indices, values that are not finite or beyond 1e6, points in one plane, triangles
 * without an area. */
lim_result asset_make(const asset_source* from, const lim_host* host, collider_asset** out,
                      const char** out_what, const char** out_cure);
void asset_retain(collider_asset* a);  /* null is allowed */
void asset_release(collider_asset* a); /* likewise */
/* Counts, writes or hashes the source. */
void asset_write(stream* s, const collider_asset* a);
/* Reads what asset_write wrote; anything else is LIM_ERROR_FORMAT. */
lim_result asset_read(stream* s, const lim_host* host, collider_asset** out);

/* Signed distance and the outward unit normal there; of a sheet never negative, the normal towards
 * the point. */
double asset_distance(const collider_asset* a, lim_point at, lim_point* out_normal);
/* A bound below the distance that costs less than the distance; -HUGE_VAL where there is none. */
double asset_at_least(const collider_asset* a, lim_point at);
/* Whether the way between two points goes through the surface of a mesh an odd number of times. */
bool asset_parts(const collider_asset* a, lim_point from, lim_point to);
/* The first place where the way from one point to another meets the surface of a mesh or a height
 * field from outside (a sheet: from either side): the share of the way and the unit normal against
 * it. False: nowhere. */
bool asset_sweep(const collider_asset* a, lim_point from, lim_point to, double* out_share,
                 lim_point* out_normal);

/* The parts of it, one file each. `build` fills an asset whose source is there and checked. */
lim_result hull_build(collider_asset* a, const char** out_what, const char** out_cure);
double hull_distance(const collider_asset* a, lim_point at, lim_point* out_normal);

lim_result sheet_build(collider_asset* a, const char** out_what, const char** out_cure);
double sheet_distance(const collider_asset* a, lim_point at, lim_point* out_normal);
bool sheet_parts(const collider_asset* a, lim_point from, lim_point to);
bool sheet_sweep(const collider_asset* a, lim_point from, lim_point to, double* out_share,
                 lim_point* out_normal);

lim_result heights_build(collider_asset* a);
double heights_distance(const collider_asset* a, lim_point at, lim_point* out_normal);
double heights_at_least(const collider_asset* a, lim_point at);
bool heights_sweep(const collider_asset* a, lim_point from, lim_point to, double* out_share,
                   lim_point* out_normal);

#endif
