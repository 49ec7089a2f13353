/* SPDX-License-Identifier: MIT
 * Job: the masses of a lattice. In: the material of its cells, its nodes and links. Out: the volume
 * of each node. A cell gives an eighth of its material to each corner. Corners of cells that the
 * surface hardly reaches would get next to nothing, and contacts would keep them dancing: a node
 * that has less than LATTICE_SHARE of the mean of its neighbours takes the rest from these. So
 * masses even out where they must, and material hardly moves. At last no node has less than
 * FRAGMENT_SHARE of the largest, and the sum is set right.
 */
#include "sample/lattice.h"

enum { CORNERS = 8 };

/* What all nodes together should weigh: the material of the occupied cells, or, where it is known,
 * the volume of the mesh. */
static double wanted_volume(const lattice_masses* m, const double* material) {
    const lim_mesh* mesh = m->v->mesh;
    double sum = 0.0;
    for (int32_t p = 0; p < mesh->report.parts && m->solid && m->v->simple; ++p) {
        sum += mesh->part_volume[p];
    }
    for (int32_t i = 0; i < m->v->cell.count && !(m->solid && m->v->simple); ++i) {
        sum += m->occupied[i] ? material[i] : 0.0;
    }
    return sum;
}

/* Sum over the neighbours of a node. */
static double sum_around(const sampling* s, const double* volume, int32_t node) {
    double sum = 0.0;
    for (int32_t e = s->edge_offset[node]; e < s->edge_offset[node + 1]; ++e) {
        sum += volume[s->edge_node[e]];
    }
    return sum;
}

/* Light nodes take what they lack from their neighbours, in proportion to what these have. Each of
 * n neighbours gives at most LATTICE_SHARE / n of its own. */
static void even_out(const sampling* s, const double* volume, double* out) {
    for (int32_t i = 0; i < s->node_count; ++i) {
        out[i] += volume[i];
    }
    for (int32_t i = 0; i < s->node_count; ++i) {
        double around = sum_around(s, volume, i);
        double lack =
            LATTICE_SHARE * around / (s->edge_offset[i + 1] - s->edge_offset[i]) - volume[i];
        if (!(lack > 0.0)) {
            continue;
        }
        out[i] += lack;
        for (int32_t e = s->edge_offset[i]; e < s->edge_offset[i + 1]; ++e) {
            out[s->edge_node[e]] -= lack * volume[s->edge_node[e]] / around;
        }
    }
}

/* The floor, and the right sum. */
static void finish(const double* volume, double wanted, double largest, sampling* out) {
    double least = FRAGMENT_SHARE * largest, heavy = 0.0, light = 0.0;
    for (int32_t i = 0; i < out->node_count; ++i) {
        heavy += volume[i] > least ? volume[i] : 0.0;
        light += volume[i] > least ? 0.0 : least;
    }
    double factor = heavy > 0.0 ? (wanted - light) / heavy : 1.0;
    factor = factor < 0.5 ? 0.5 : factor > 2.0 ? 2.0 : factor;
    for (int32_t i = 0; i < out->node_count; ++i) {
        double scaled = volume[i] * factor;
        out->volume[i] = (float)(volume[i] > least && scaled > least ? scaled : least);
    }
}

lim_result lattice_weigh(arena* a, arena* scratch, const lattice_masses* m, sampling* out) {
    const voxels* v = m->v;
    double* material = ARENA_ARRAY(scratch, double, v->cell.count);
    double* volume = ARENA_ARRAY(scratch, double, out->node_count);
    double* evened = ARENA_ARRAY(scratch, double, out->node_count);
    out->volume = ARENA_ARRAY(a, float, out->node_count);
    LIM_TRY_MEMORY(material);
    LIM_TRY_MEMORY(volume);
    LIM_TRY_MEMORY(evened);
    LIM_TRY_MEMORY(out->volume);
    for (int32_t i = 0; i < m->f->count; ++i) {
        material[m->f->cell[i]] += m->f->volume[i];
    }
    double largest = 1e-6 * v->side * v->side * v->side;
    for (int32_t i = 0; i < out->node_count; ++i) {
        for (int k = 0; k < CORNERS; ++k) {
            int32_t cell = m->cell[CORNERS * (size_t)i + (size_t)k];
            volume[i] += cell >= 0 ? 0.125 * material[cell] : 0.0;
        }
        largest = volume[i] > largest ? volume[i] : largest;
    }
    even_out(out, volume, evened);
    finish(evened, wanted_volume(m, material), largest, out);
    return LIM_OK;
}
