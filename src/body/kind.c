/* SPDX-License-Identifier: MIT
 * Job: the table of kinds. In: a number. Out: its row.
 */
#include "body/kind.h"

#include "body/solver.h"

static const body_kind KINDS[] = {{.id = LIM_KIND_OCTREE,
                                   .name = "octree",
                                   .nodes = LIM_NODES_IN_CELLS,
                                   .regions = REGIONS_TREE,
                                   .edits = true,
                                   .levels = true,
                                   .widest = 8.0f,
                                   .solver = &matching_solver},
                                  {.id = LIM_KIND_LATTICE,
                                   .name = "lattice",
                                   .nodes = LIM_NODES_AT_CORNERS,
                                   .regions = REGIONS_HOPS,
                                   .edits = true,
                                   .widest = 16.0f,
                                   .solver = &matching_solver},
                                  {.id = LIM_KIND_POINTS,
                                   .name = "points",
                                   .nodes = LIM_NODES_ARE_POINTS,
                                   .regions = REGIONS_CLUSTERS,
                                   .quadratic = true,
                                   .widest = 8.0f,
                                   .solver = &matching_solver},
                                  {.id = LIM_KIND_HEX,
                                   .name = "hex",
                                   .nodes = LIM_NODES_AT_CORNERS,
                                   .regions = REGIONS_CELLS,
                                   .edits = true,
                                   .widest = 16.0f,
                                   .solver = &hex_body_solver}};

const body_kind* kind_of(lim_kind id) {
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; ++i) {
        if (KINDS[i].id == id) {
            return &KINDS[i];
        }
    }
    return NULL;
}
