/* SPDX-License-Identifier: MIT
 *
 * Limber, edits: bodies that change while they live. Cut by a blade, torn where they are strained
 * too far, refined where it matters and coarsened where it does not (docs/edits.md).
 *
 * An edit is planned first, which may fail, and then takes effect at once: a call that does not
 * return LIM_OK has left the body as it was, and the log says why. A body that is edited no longer
 * shares its model: it has one of its own (lim_body_get_model). Edits are in snapshots, saves and
 * hashes. Bodies of LIM_KIND_OCTREE can be edited; those of LIM_KIND_LATTICE too, but for their
 * cells, which stay of one size; LIM_KIND_POINTS gets LIM_ERROR_UNSUPPORTED.
 *
 * What stays: mass, momentum, plastic strain, pins, grabs and links; vertices of the skin keep
 * their index for ever, and new ones are appended with where they come from (lim_vertex_source).
 * What changes: the number and order of nodes (lim_model_get_nodes of lim_body_get_model), the
 * triangles of the skin (lim_skin_view.index_revision counts).
 *
 * Pieces that an edit has made separate meet each other at once, whatever self_contact of the body
 * says, as they will when lim_body_split has made bodies of them (docs/contact.md).
 */
#ifndef LIMBER_EDIT_H
#define LIMBER_EDIT_H

#include <limber/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The model of a body as it is now, which the caller owns: nodes, surface with submeshes and
 * attributes, skinning, batches, bytes. O(nodes). */
LIM_API lim_result lim_body_get_model(const lim_world* world, lim_body body, lim_model** out_model);
/* Vertices that edits have made, and copies where solids share some: the last `count` of the
 * surface, borrowed from the model. */
LIM_API const lim_vertex_source* lim_model_get_sources(const lim_model* model, int32_t* out_count);

/* ---- cutting --------------------------------------------------------------------------------- */

/* A blade is a segment that moves: at station i it lies from tips[i] to backs[i], and between two
 * stations it sweeps a quad. Whatever the body is deformed to, it is cut where the blade passes
 * through it now. Where the sweep ends inside the body the cut does too: a later sweep that
 * continues the stroke goes on from there. */
typedef struct lim_cut_desc {
    uint32_t cookie;
    int32_t count;                 /* stations, 2 to 4096 */
    const lim_point *tips, *backs; /* world, metres */
    bool continues; /* goes on with the stroke of the sweep before (lim_body_get_stroke): the first
                       station is its last one in the world, to a thousandth of a finest cell or a
                       ten-thousandth of the blade, whichever is more, and to what floats hold. The
                       body may have moved since; the stroke ends when another begins, or the body
                       is split, torn or reset. Default false */
    int32_t refine; /* cells within one cell of the blade are first split this many times, down to
                       the finest (of a lattice nothing is); default 0 */
    int32_t inner_submesh; /* of the faces of the cut; -1, the default: one more than the body was
                              made with, the same for all of its cuts */
} lim_cut_desc;

typedef struct lim_edit_report {
    int32_t nodes_before, nodes_after;
    int32_t new_nodes;       /* that were not there before */
    int32_t cut_edges;       /* links of the graph of finest pieces that were cut */
    int32_t cut_triangles;   /* of the skin, that were split */
    int32_t inner_triangles; /* of the cut's faces */
    int32_t new_vertices;
    int32_t pieces; /* connected pieces of the body after it */
    bool changed;   /* false: the blade has missed, or has only passed where an earlier cut is (to a
                       thousandth of a finest cell), nothing was to do */
    /* seconds by the host's clock: all, and of it the way of the blade to rest, the skin, the
     * material, nodes with regions and bindings, and the state */
    double total, blade, skin, material, nodes, state;
} lim_edit_report;

LIM_API lim_cut_desc lim_cut_desc_default(void);
/* Cuts. LIM_OK with changed false when the blade misses or finds nothing new. LIM_ERROR_ARGUMENT: a
 * sweep that is not finite, has no area, turns back onto itself, or turns in the body about a place
 * between tip and back; or continues a stroke that is not there, or from elsewhere than its last
 * station. LIM_ERROR_MESH: the skin is not closed, or inside out, where the blade meets it.
 * LIM_ERROR_UNSUPPORTED: a body of points; or skin or blade cross themselves so that there is no
 * sound cut. out_report may be null. */
LIM_API lim_result lim_body_cut(lim_world* world, lim_body body, const lim_cut_desc* desc,
                                lim_edit_report* out_report);
/* Whether there is a stroke that a sweep can continue, and the station from which it goes on: the
 * last of the last sweep that was not refused, also where it missed. Either may be null; both are
 * left as they are where there is none. */
LIM_API bool lim_body_get_stroke(const lim_world* world, lim_body body, lim_point* out_tip,
                                 lim_point* out_back);

/* Pieces that have come off become bodies of their own, in order of mass, with the body's material,
 * flags and user pointer; the heaviest keeps the id, its vertices their indices. Writes the ids of
 * the others; out_count returns how many there are (0: the body is one piece, and stays it). All or
 * nothing: more than `capacity` get LIM_ERROR_ARGUMENT, with their number in out_count, and nothing
 * has changed. A null array with capacity 0 asks for that number and changes nothing. Pins, grabs
 * and links go with the material that they hold. Each new body gets a LIM_EVENT_PIECE, which comes
 * with the events of the next step. */
LIM_API lim_result lim_body_split(lim_world* world, lim_body body, lim_body* out_bodies,
                                  int32_t capacity, int32_t* out_count);
/* Of a body that was split off: the one that it came from (its id may be stale by now), and for
 * each of its vertices that body's vertex, borrowed until the body is edited or ends. A null id and
 * no vertices for any other body. */
LIM_API lim_result lim_body_get_origin(const lim_world* world, lim_body body, lim_body* out_from,
                                       const int32_t** out_vertices, int32_t* out_count);

/* ---- tearing --------------------------------------------------------------------------------- */

/* When a body tears: links between neighbouring nodes break where their distance is too much longer
 * than at rest, and the material parts along the faces of their cells, with a skin like that of a
 * cut. Cells that were cut or refined tear like others. What plastic flow has stretched counts. */
typedef struct lim_fracture {
    uint32_t cookie;
    float strain;          /* links break when they are longer than at rest by more than this share;
                              0, the default: never */
    int32_t most;          /* links that break in a step, those that are strained most as a share of
                              their limit; what they held may relax before the next ones do. Fewer
                              do where the skin about them has many triangles, but at least one:
                              the nodes that they part have no more than 3,000 triangles together (a
                              node of a lattice has those of the eight cells about it: 12,000), so
                              that no step takes long. 0: no limit, neither this nor that; default
                              8 */
    const lim_zone* zones; /* zone_count of them, or null: `stiffness` is a factor of the limit, so
                              that a zone below 1 is a seam, which tears first; `density` must be 1.
                              Metres, the frame of lim_model_info.bounds. Of a link the least factor
                              along it counts, looked at in steps of a quarter of it */
    int32_t zone_count;
    int32_t inner_submesh; /* as that of lim_cut_desc; default -1 */
} lim_fracture;

LIM_API lim_fracture lim_fracture_default(void);
/* From now on the body tears when a step begins, by what the step before has stretched; each step
 * that breaks links gives a LIM_EVENT_TORN. Pieces stay parts of the body until lim_body_split, and
 * have its limits then. A step without memory for it tears nothing, and says so. Zones are copied.
 * Null: it does not tear, the default. State: saved, restored, hashed. */
LIM_API lim_result lim_body_set_fracture(lim_world* world, lim_body body,
                                         const lim_fracture* fracture);
/* False, and the default, where none is set. Zones are borrowed from the body until they are set
 * anew, or the world is restored or loaded. */
LIM_API bool lim_body_get_fracture(const lim_world* world, lim_body body, lim_fracture* out);

/* ---- level of detail ------------------------------------------------------------------------- */

/* Where cells should be finer or may be coarser: a ball or a box along the world's axes. */
typedef struct lim_refine_desc {
    uint32_t cookie;
    lim_shape shape; /* sphere (size.x = radius) or box (size = half its sides) */
    lim_vec3 size;
    lim_point position; /* world */
    float cell_size;    /* metres. Refining: cells that meet the shape are split until they are no
                           larger; 0, the default: down to the finest that the model was made with.
                           Coarsening: cells that lie in the shape are joined while they stay no
                           larger; 0: as far as it goes */
} lim_refine_desc;

LIM_API lim_refine_desc lim_refine_desc_default(void);
/* Splits or joins cells, once. Cells that are linked differ by at most a factor of two, so more may
 * be split, and less be joined, than the shape holds. New nodes move as the material did there.
 * LIM_ERROR_UNSUPPORTED: not an octree; likewise lim_body_set_detail. */
LIM_API lim_result lim_body_refine(lim_world* world, lim_body body, const lim_refine_desc* desc,
                                   lim_edit_report* out_report);
LIM_API lim_result lim_body_coarsen(lim_world* world, lim_body body, const lim_refine_desc* desc,
                                    lim_edit_report* out_report);

/* What a body wishes of its cells while it runs; the finest wish counts, and cells that nothing
 * asks for are joined. */
typedef struct lim_detail {
    uint32_t cookie;
    float angle; /* by distance: cells may have edges of angle times the distance to the world's eye
                    (lim_world_set_detail), 0 to 1; 0, the default: distance does not count */
    float strain_fine, strain_coarse; /* by strain: a node with more than the first is split, with
                                         less than the second joined; 0, the default: it does not
                                         count */
    float touch; /* by touch: a node that something touches, and those within so many metres of it
                    at rest, are split. Contacts touch, so do the point that a grab holds and pins
                    that move; 0, the default: touches do not count, for a body that lies on the
                    ground is touched all over its underside */
    float touch_time; /* cells that were split for a touch are kept for so many simulated seconds
                         after it, 0 to 3600; default 1 */
    float finest, coarsest; /* metres: cells are kept between these; 0, the default: the finest of
                               the model; eight times that */
    float hysteresis;       /* 1 to 4: joined cells must be smaller than allowed by this factor, so
                               that an eye that trembles changes nothing; default 1.5 */
    int32_t nodes;          /* most nodes of the body; 0, the default: no limit */
    bool rest_coarse;       /* joined as far as it goes while it sleeps; default true */
} lim_detail;

LIM_API lim_detail lim_detail_default(void);
/* Null: cells stay as they are from now on, the default. State: saved, restored, hashed. */
LIM_API lim_result lim_body_set_detail(lim_world* world, lim_body body, const lim_detail* detail);
/* False, and the default, where none is set. */
LIM_API bool lim_body_get_detail(const lim_world* world, lim_body body, lim_detail* out);

/* Of all bodies with a lim_detail together. Applied when a step begins, bodies in turns; a step
 * that then has no memory to move has changed cells all the same. */
typedef struct lim_world_detail {
    lim_point eye;
    int32_t nodes; /* most nodes of these bodies together; 0, the default: no limit */
    int32_t work;  /* most nodes that are made or joined in a step: so no step takes long, and the
                      result is the same on every machine; 0: no limit; default 256 */
} lim_world_detail;
LIM_API lim_world_detail lim_world_detail_default(void);
LIM_API lim_result lim_world_set_detail(lim_world* world, const lim_world_detail* detail);
/* The default where none was set. */
LIM_API lim_world_detail lim_world_get_detail(const lim_world* world);

#ifdef __cplusplus
}
#endif
#endif
