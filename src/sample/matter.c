/* SPDX-License-Identifier: MIT
 * Job: the material of a sampling. In: voxels, fragments, their graph. Out: fragments with the
 * second moments of their own sub-voxels, as cubes of edge h: M = V (cov + h^2 / 12 I).
 */
#include "sample/matter.h"

#include <string.h>

static lim_point mean_place(uint64_t bits) {
    lim_point sum = p3(mask_sum(bits, 0), mask_sum(bits, 1), mask_sum(bits, 2));
    return p3_scale(sum, 1.0 / mask_count(bits));
}

lim_point matter_mean(const matter* m, uint64_t key, uint64_t bits) {
    octant o = octant_of(key);
    lim_point mean = mean_place(bits);
    lim_point at = p3(4.0 * o.x + mean.x + 0.5, 4.0 * o.y + mean.y + 0.5, 4.0 * o.z + mean.z + 0.5);
    return p3_mad(m->corner, at, m->sub);
}

void matter_moment(const matter* m, double volume, uint64_t bits, double moment[6]) {
    lim_point mean = mean_place(bits);
    double weight = volume * m->sub * m->sub / mask_count(bits);
    memset(moment, 0, 6 * sizeof(double));
    for (uint64_t left = bits; left != 0; left &= left - 1) {
        int bit = mask_lowest(left);
        lim_point d = p3_sub(p3(bit & 3, bit >> 2 & 3, bit >> 4), mean);
        const double square[6] = {d.x * d.x, d.y * d.y, d.z * d.z, d.x * d.y, d.x * d.z, d.y * d.z};
        for (int k = 0; k < 6; ++k) {
            moment[k] += weight * square[k];
        }
    }
    for (int k = 0; k < 3; ++k) {
        moment[k] += volume * m->sub * m->sub / 12.0;
    }
}

/* Of what is inside or thin, or of all of it where it only covers a triangle. Most cells are full,
 * and full ones of one volume are alike. */
static void find_moments(const voxels* v, const fragments* f, matter* m) {
    int32_t full = -1;
    for (int32_t i = 0; i < f->count; ++i) {
        const voxel_cell* c = &v->cell.data[f->cell[i]];
        uint64_t bits = f->mask[i] & (c->inside | c->thin);
        bits = bits != 0 ? bits : f->mask[i];
        if (bits == MASK_ALL && full >= 0 && m->volume[i] == m->volume[full]) {
            memcpy(m->moment[i], m->moment[full], sizeof *m->moment);
            continue;
        }
        matter_moment(m, m->volume[i], bits, m->moment[i]);
        full = bits == MASK_ALL ? i : full;
    }
}

/* Between what would be several components. */
static lim_result list_glue(arena* a, matter* m) {
    int32_t count = 0;
    m->glue = m->unglued != NULL ? ARENA_ARRAY(a, int32_t, 2 * (size_t)m->glued_edges) : NULL;
    if (m->unglued == NULL) {
        return LIM_OK;
    }
    LIM_TRY_MEMORY(m->glue);
    for (int32_t i = 0; i < m->count; ++i) {
        for (int32_t e = m->edge_offset[i]; e < m->edge_offset[i + 1]; ++e) {
            int32_t k = m->edge_node[e];
            if (i < k && m->unglued[i] != m->unglued[k]) {
                m->glue[count++] = i;
                m->glue[count++] = k;
            }
        }
    }
    return LIM_OK;
}

lim_result matter_make(arena* a, const voxels* v, const fragments* f, const visibility* see,
                       matter* out) {
    matter m = {.level = v->level,
                .side = v->side,
                .sub = v->sub,
                .corner = v->corner,
                .count = f->count,
                .key = ARENA_ROOM(a, uint64_t, f->count),
                .mask = ARENA_ROOM(a, uint64_t, f->count),
                .soft = ARENA_ROOM(a, uint64_t, f->count),
                .volume = ARENA_ROOM(a, double, f->count),
                .centroid = ARENA_ROOM(a, lim_point, f->count),
                .moment = arena_room(a, (size_t)f->count, sizeof *m.moment),
                .edge_offset = see->edge_offset,
                .edge_node = see->edge_node,
                .component = see->component,
                .component_count = see->component_count,
                .unglued = see->unglued,
                .glued_edges = see->glued_edges};
    LIM_TRY_MEMORY(m.key);
    LIM_TRY_MEMORY(m.mask);
    LIM_TRY_MEMORY(m.soft);
    LIM_TRY_MEMORY(m.volume);
    LIM_TRY_MEMORY(m.centroid);
    LIM_TRY_MEMORY(m.moment);
    for (int32_t i = 0; i < f->count; ++i) {
        m.key[i] = v->cell.data[f->cell[i]].key;
        m.mask[i] = f->mask[i];
        m.soft[i] = f->mask[i] & voxels_soft(&v->cell.data[f->cell[i]]);
        m.volume[i] = f->volume[i];
        m.centroid[i] = f->centroid[i];
    }
    find_moments(v, f, &m);
    LIM_TRY(list_glue(a, &m));
    *out = m;
    return LIM_OK;
}
