/* SPDX-License-Identifier: MIT
 * Where readers put what they read: vertices with what is known of them, faces of any number of
 * corners, and the submesh they belong to.
 */
#ifndef LIMBER_IO_BUILD_H
#define LIMBER_IO_BUILD_H

#include "io/key_table.h"
#include "io/polygon.h"
#include "io/reader.h"
#include "mesh/attributes.h"

enum {
    BUILD_NORMAL = 1,
    BUILD_TANGENT = 2,
    BUILD_UV = 4,
    BUILD_COLOUR = 8,
    BUILD_ATTRIBUTE = 16 /* the first of ATTRIBUTES flags */
};

typedef struct build_vertex {
    double position[3];
    float normal[3], tangent[4], uv[2], colour[4]; /* colour: linear RGBA */
    float attribute[ATTRIBUTES];                   /* density, stiffness, size */
    uint32_t has;                                  /* BUILD_ flags of those that are set */
} build_vertex;

typedef struct mesh_build {
    mesh_reader* reader;
    ARRAY(double) positions; /* 3 per vertex */
    ARRAY(float) normals, tangents, uvs, colours, attributes[ATTRIBUTES];
    ARRAY(uint8_t) has; /* flags per vertex; its count is the number of vertices */
    ARRAY(uint32_t) indices;
    ARRAY(int32_t) submeshes; /* 1 per triangle */
    ARRAY(double) face;       /* positions of one polygon */
    key_table corners;        /* (v, vt, vn) or a position -> vertex */
    key_table materials;      /* name -> submesh */
    int32_t submesh, submesh_count;
    polygon_work polygon;
} mesh_build;

void build_init(mesh_build* build, mesh_reader* reader);
void build_free(mesh_build* build);

/* All of these give LIM_OK or fail through the reader. */

/* Appends a vertex; its number is build->has.count before the call. */
lim_result build_vertex_add(mesh_build* build, const build_vertex* vertex);
/* Sets what a vertex has beside its position. */
lim_result build_vertex_set(mesh_build* build, int32_t vertex, const build_vertex* from);
/* The vertex with exactly this position, made when there is none. */
lim_result build_vertex_at(mesh_build* build, const double position[3], uint32_t* out_vertex);
/* The following triangles belong to the submesh of this name. */
lim_result build_material(mesh_build* build, const char* name, size_t length);
/* The submesh of the following triangles, by number; grows submesh_count. */
void build_submesh(mesh_build* build, int32_t submesh);
/* Corners are vertices that exist. Two or fewer corners are a repair. */
lim_result build_face(mesh_build* build, int32_t line, const uint32_t* corners, int32_t count);
/* A strip turns every second triangle; triangles that repeat a corner join strips and are left out
 * without a word. */
lim_result build_strip(mesh_build* build, const uint32_t* corners, int32_t count);

/* Linear light of an sRGB value in 0..1 (IEC 61966-2-1): how colours are stored as bytes. */
float build_linear(float srgb);

/* Makes the mesh, after mending the scale when it is beyond use. */
lim_result build_finish(mesh_build* build, lim_mesh** out_mesh);

#endif
