/* SPDX-License-Identifier: MIT
 * Window sums over a lattice: what a sum network is where every region is a cube of half-width w
 * (Rivers and James 2007, section 4.1). The sum over a cube is one along x, then along y, then
 * along z; each is a running window that only adds, at a cost that does not grow with w
 * (net/box_window.h). Where no node is, zero is added: a region is all nodes in its cube, so this
 * is for regions that are just that; the others are lists.
 *
 * Slots come in octets: 8 places in a row along x, aligned to multiples of 8, absent ones pads. An
 * octet's record holds 8 lanes per field, so that lanes are neighbours along x and nothing has to
 * be transposed. Sums along x are wanted at some octets that hold no node (a neighbour's window
 * reaches in), and so along y: there are three sets of octets, nodes -- rows, x --> rows' ends (T)
 * -- lines, y --> plates (S) -- columns, z --> regions, each as large as need be and no larger; the
 * last is the nodes' own octets again. The sum of region quantities over the regions of each node
 * goes the same way back: a node is in a region's cube exactly if the region's node is in its own.
 */
#ifndef LIMBER_BOX_H
#define LIMBER_BOX_H

#include "base/arena.h"
#include "base/isa.h"

enum { BOX_WIDTH_MOST = 16, BOX_TASKS = 16 };

/* Sums along one axis: lines of places one step apart; at each place the record that is read and
 * the one that is written, -1 where there is none. On the way back the two change roles. */
typedef struct box_axis {
    int32_t count;
    int32_t* begin;     /* count + 1: the first place of each line */
    int32_t *from, *to; /* per place */
    int32_t longest;    /* places */
} box_axis;

/* Octets of equal z in one component: the work of one cache. */
typedef struct box_plane {
    int32_t octet_begin, octet_end;
    int32_t row_begin, row_end, line_begin, line_end;
} box_plane;

/* What one task does: a range of planes or of columns. Tasks do not depend on the workers. */
typedef struct box_range {
    int32_t begin, end;
} box_range;

typedef struct box_net {
    int32_t width;                 /* half-width w in steps of the lattice, 1 to BOX_WIDTH_MOST */
    int32_t octets;                /* of nodes, in order of (component, z, y, x) */
    int32_t ends_most;             /* most octets of T in one plane */
    int32_t plates;                /* octets of S */
    int32_t (*place)[4];           /* per octet of nodes: x / 8, y, z, and the component, or the
                                      sheet of it (body/layout.h), counted through */
    box_axis rows, lines, columns; /* octets to T, T to S, S to octets; T counts from 0 in
                                      each plane */
    int32_t plane_count, slab_count, pile_count;
    box_plane* plane;
    box_range slab[BOX_TASKS]; /* of planes */
    box_range pile[BOX_TASKS]; /* of columns */
} box_net;

/* Lanes that hold a node: bit k of mask[o] for lane k of octet o. Places must be sorted and unique
 * as said above. */
lim_result box_build(arena* a, arena* scratch, const int32_t (*place)[4], const uint8_t* mask,
                     int32_t octets, int32_t width, box_net* out);

/* About how many instructions the sums over all windows take in a substep with damping, forward and
 * back, in AVX2 code: places cost the same with a node and without. */
int64_t box_work(const box_net* b);

/* Whether a slot lies in the window of another. */
bool box_holds(const box_net* b, int32_t region, int32_t slot);

/* out[slot] = sum of in over the window of the slot, in double, any w; in is 0 where no node is.
 * Slow: for constants and as an oracle of the layout. `scratch` frees what it took by the caller.
 */
lim_result box_sums(const box_net* b, arena* scratch, const double* in, double* out);

/* Kernels. Records are 8 lanes per field, aligned to 32 bytes. */
typedef struct box_kernels {
    /* out = window sums of in, octets * fields * 8 floats each; fields: 2, 12, 15 or 24. work:
     * box_work_floats of them. */
    void (*apply)(const box_net* b, const float* in, float* out, int32_t fields, float* work);
} box_kernels;
const box_kernels* box_kernels_for(isa set);
size_t box_work_floats(const box_net* b, int32_t fields);

#endif
