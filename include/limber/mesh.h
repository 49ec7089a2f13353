/* SPDX-License-Identifier: MIT
 *
 * Limber, meshes: a triangle surface, taken as it is. Open, self-intersecting, doubled, flipped,
 * unwelded and non-manifold surfaces are all welcome; what had to be dropped is reported.
 *
 * A mesh is a pointer that the caller owns. It is constant once made and may be shared by threads.
 */
#ifndef LIMBER_MESH_H
#define LIMBER_MESH_H

#include <limber/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lim_mesh lim_mesh;

/* Arrays are borrowed during the call and copied. Positions and indices are required.
 *
 * Three values per vertex say what a body made of the mesh is like there; the nodes nearest to a
 * vertex take them. Density and stiffness are factors of the material's density and modulus, 1e-6
 * to 1e6; 1: the material's own. Size is the longest edge of the cells there in metres, as
 * lim_model_desc.vertex_size; 0: no wish. */
typedef struct lim_mesh_desc {
    uint32_t cookie;
    int32_t vertex_count;
    int32_t triangle_count;
    const double* positions;  /* 3 per vertex */
    const float* normals;     /* 3 per vertex, or null: computed */
    const float* tangents;    /* 4 per vertex (w = handedness), or null */
    const float* uvs;         /* 2 per vertex, or null */
    const float* colours;     /* 4 per vertex (linear RGBA), or null */
    const float* densities;   /* 1 per vertex, or null: see below */
    const float* stiffnesses; /* likewise */
    const float* sizes;       /* likewise */
    const uint32_t* indices;  /* 3 per triangle, each below vertex_count */
    const int32_t* submeshes; /* 1 per triangle, 0 <= s < submesh_count, or null: all 0 */
    int32_t submesh_count;    /* at least 1 */
    float weld_distance; /* corners closer than this share of the diagonal are one point inside */
} lim_mesh_desc;

/* What was found and what was done. Counts are of the input unless said otherwise. */
typedef struct lim_mesh_report {
    int32_t vertices, triangles; /* as given */
    int32_t points;              /* welded points in use */
    int32_t triangles_kept;      /* triangles of the mesh that was made */
    int32_t dropped_degenerate;  /* repeated corners or zero area */
    int32_t dropped_duplicate;   /* the same three points again */
    int32_t dropped_non_finite;  /* a corner that is NaN, infinite or beyond 1e25 */
    int32_t vertices_unused;
    int32_t open_edges;         /* welded edges with one triangle */
    int32_t non_manifold_edges; /* welded edges with more than two */
    int32_t parts;              /* connected parts (over shared points) */
    int32_t parts_flipped;      /* parts that were inside out, turned for the inside test */
    bool closed;                /* no open edge and consistently oriented */
    double area, volume;        /* volume by the divergence theorem; meaningful when closed */
    lim_box bounds;             /* of the vertices in use */
} lim_mesh_report;

/* Borrowed arrays of a mesh, in the caller's original vertex order; they live as long as the mesh.
 */
typedef struct lim_mesh_view {
    int32_t vertex_count, triangle_count, submesh_count;
    const lim_point* positions; /* non-finite unused vertices read as the centre of the bounds */
    const float* normals;       /* 3 per vertex, always there */
    const float* tangents;      /* 4 per vertex, or null */
    const float* uvs;           /* 2 per vertex, or null */
    const float* colours;       /* 4 per vertex, or null */
    const float* densities;     /* 1 per vertex, or null */
    const float* stiffnesses;   /* 1 per vertex, or null */
    const float* sizes;         /* 1 per vertex, or null */
    const uint32_t* indices;    /* 3 per kept triangle */
    const int32_t* submeshes;   /* 1 per kept triangle */
} lim_mesh_view;

LIM_API lim_mesh_desc lim_mesh_desc_default(void);

/* Copies, welds, cleans and measures a surface. O(n log n). LIM_ERROR_MESH if nothing is left that
 * has an area, LIM_ERROR_ARGUMENT if an index, a density, a stiffness or a size is out of range. */
LIM_API lim_result lim_mesh_create(const lim_mesh_desc* desc, const lim_host* host,
                                   lim_mesh** out_mesh);
LIM_API void lim_mesh_destroy(lim_mesh* mesh); /* null is allowed */
LIM_API lim_mesh_report lim_mesh_get_report(const lim_mesh* mesh);
LIM_API lim_mesh_view lim_mesh_get_view(const lim_mesh* mesh);

#ifdef __cplusplus
}
#endif
#endif
