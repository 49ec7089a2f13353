/* SPDX-License-Identifier: MIT
 * A film: the skins of a run, frame by frame, with what is needed to choose moments and to draw
 * them. It is recorded whole, because a good camera and the telling moments are known only at the
 * end.
 */
#ifndef LIMBER_FILM_H
#define LIMBER_FILM_H

#include "base/arena.h"
#include "base/array.h"
#include "scenes/scene.h"

/* What is drawn over the skins: LIM_DEBUG_ flags and these. FILM_INSIDE is what lies within them.
 */
enum {
    FILM_STRAIN = 1 << 16,
    FILM_CHECKER = 1 << 17,
    FILM_PLASTIC = 1 << 18,
    FILM_INSIDE =
        LIM_DEBUG_NODES | LIM_DEBUG_CELLS | LIM_DEBUG_GRAPH | LIM_DEBUG_REGION | LIM_DEBUG_CONTACTS
};

enum { FILM_CELL_LINES = 12 }; /* of a node's cell in film_frame.cells */

/* A body from one edit to the next: what stays the same from frame to frame. Arrays of uvs and
 * nodes belong to a model that the film holds. */
typedef struct film_shape {
    uint64_t revision; /* of the skin's indices */
    int32_t vertex_count, triangle_count;
    uint32_t* indices;
    const float* uvs;                             /* or null */
    const float* colours;                         /* or null */
    const float *densities, *stiffnesses, *sizes; /* or null */
    float* rest;                                  /* 3 per vertex, null without FILM_CHECKER */
    lim_model_nodes nodes;                        /* empty unless something inside is asked for */
    int32_t node_count, edge_count;               /* likewise */
    uint32_t* level_rgba; /* colour of each node by the size of its cell; or null */
    int32_t region_node;  /* whose region is shown; -1: none */
} film_shape;

typedef struct film_body {
    lim_body id;
    const char* name;
    lim_vec3 colour, inner_colour; /* of the skin, and of faces of cuts */
    bool has_colour;               /* its own, instead of the mesh's */
    int32_t own_submeshes;         /* those from here on are faces of cuts */
    float checker;                 /* edge of the squares of FILM_CHECKER, and the middle of the */
    lim_point middle;              /* body as it was at first: pieces keep both */
    film_shape* now;               /* of the last frame; null: it has ended */
} film_body;

/* A body in a frame, and where its parts of the frame's arrays begin. */
typedef struct film_part {
    const film_shape* shape; /* null: it has ended */
    int64_t first_vertex, first_node, first_edge;
} film_part;

typedef struct film_collider {
    lim_shape shape;
    lim_vec3 size, position;
    lim_quat orientation;
    /* arrays of a hull, a mesh or heights, as lim_collider_desc; `source` tells copies apart */
    const void* source;
    const lim_vec3* points;
    const uint32_t* indices;
    const float* heights;
    int32_t point_count, triangle_count, columns, rows;
    bool has_colour, moves; /* moves: some action moves it, or it has a speed */
    lim_vec3 colour;
} film_collider;

/* What a pin holds of a body, found as the film begins. Everything is in the pin's own frame. */
typedef struct film_hold {
    int32_t pin;           /* its entry in the scene */
    lim_vec3 lower, upper; /* the skin within the pin's box */
    bool goes_on[3][2];    /* per axis, below and above: the body goes on beyond the box */
    lim_vec3 out;          /* unit vector from the pin's centre to the skin, upwards where it can */
    float depth;           /* of the centre under the skin along it */
    float size;            /* diagonal of the body */
} film_hold;

/* A pin, a grab or a blade at a moment, as scene_tool has it. */
typedef struct film_tool {
    scene_tool_kind kind;
    lim_shape shape;
    lim_vec3 size,
        position; /* size: of a pin as lim_pin_desc; else x is the diagonal of the body */
    lim_quat rotation;
    int32_t hold; /* of a pin, in film.holds; -1: it is drawn as it is, like a bone */
    lim_vec3 from, to, forward;
} film_tool;

typedef struct film_frame {
    double time;
    film_part* parts;   /* of the bodies that there are by then */
    int32_t part_count; /* those beyond come later */
    int64_t vertex_count, node_count, edge_count;
    float *positions, *normals;    /* 3 per vertex, all bodies one after the other */
    float* colours;                /* 4 per vertex: strain as colour; null unless asked for */
    float *strains, *plastics;     /* 1 per vertex; null unless asked for */
    lim_debug_line *cells, *graph; /* FILM_CELL_LINES per node, 1 per edge; or null */
    lim_debug_point* nodes;        /* or null */
    lim_debug_line* lines;         /* regions and contacts */
    lim_debug_point* points;       /* likewise */
    film_collider* colliders;      /* planes left out */
    film_tool* tools;
    int32_t line_count, point_count, collider_count, tool_count;
    lim_camera camera; /* the scene's, where it has one that moves */
    bool telling;  /* an action comes to its point: a blade is half through, a pull at its end */
    double motion; /* mean way of the skin since the frame before, over the size of all */
    int32_t contacts;
    double strain, speed; /* the largest over the bodies */
    double height;        /* of the centre of mass of all */
    lim_vec3 lower, upper;
} film_frame;

typedef struct film {
    arena memory;
    lim_host host;
    lim_point origin; /* positions are relative to it */
    uint32_t overlay; /* LIM_DEBUG_ flags and FILM_ ones */
    const lim_point* region_at;
    double fps;
    ARRAY(film_hold) holds;
    ARRAY(film_body) bodies; /* in the order of the run's: pieces that come off are appended */
    ARRAY(film_frame) frames;
    ARRAY(lim_model*) models; /* whose arrays shapes use */
    bool camera_moves;
    bool ground;
    float ground_height; /* relative to the origin */
} film;

/* Ready to record a run that stands at its beginning. `region_at` (may be null): the region that is
 * shown is that of the node nearest to this place of the world; otherwise each body shows one that
 * film_inside.h finds. The run, the host and `region_at` must outlive the film. */
lim_result film_begin(film* f, const scene_run* run, uint32_t overlay, const lim_point* region_at,
                      double fps, const lim_host* host);
/* Adds the present moment of the run. */
lim_result film_take(film* f, const scene_run* run);
void film_end(film* f);

/* A place of the world as the film has it: relative to the film's origin. */
lim_vec3 film_relative(const film* f, lim_vec3 p);

/* A body in a frame; null when it is not there. */
const film_part* film_part_at(const film* f, int32_t body, int32_t frame);
/* Likewise, as the writers take it: without vertices when it is not there. The arrays belong to the
 * film. */
lim_io_frame film_view(const film* f, int32_t body, int32_t frame);

#endif
