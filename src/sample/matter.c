/* SPDX-License-Identifier: MIT
 * Job: the material of a sampling. In: voxels, fragments, their graph. Out: fragments with the
 * second moments of their own sub-voxels, as cubes of edge h: M = V (cov + h^2 / 12 I).
 */
#include "sample/matter.h"

/* Of what is inside or thin, or of all of it where it only covers a triangle. */
static void find_moment(const voxels* v, const fragments* f, int32_t i, double moment[6]) {
    const voxel_cell* c = &v->cell.data[f->cell[i]];
    uint64_t bits = f->mask[i] & (c->inside | c->thin);
    bits = bits != 0 ? bits : f->mask[i];
    lim_point mean = p3(0, 0, 0);
    double weight = f->volume[i] * v->sub * v->sub / mask_count(bits);
    for (uint64_t m = bits; m != 0; m &= m - 1) {
        int bit = mask_lowest(m);
        mean = p3_add(mean, p3(bit & 3, bit >> 2 & 3, bit >> 4));
    }
    mean = p3_scale(mean, 1.0 / mask_count(bits));
    for (uint64_t m = bits; m != 0; m &= m - 1) {
        int bit = mask_lowest(m);
        lim_point d = p3_sub(p3(bit & 3, bit >> 2 & 3, bit >> 4), mean);
        const double square[6] = {d.x * d.x, d.y * d.y, d.z * d.z, d.x * d.y, d.x * d.z, d.y * d.z};
        for (int k = 0; k < 6; ++k) {
            moment[k] += weight * square[k];
        }
    }
    for (int k = 0; k < 3; ++k) {
        moment[k] += f->volume[i] * v->sub * v->sub / 12.0;
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
                .key = ARENA_ARRAY(a, uint64_t, f->count),
                .mask = ARENA_ARRAY(a, uint64_t, f->count),
                .soft = ARENA_ARRAY(a, uint64_t, f->count),
                .volume = ARENA_ARRAY(a, double, f->count),
                .centroid = ARENA_ARRAY(a, lim_point, f->count),
                .moment = arena_alloc(a, (size_t)f->count, sizeof *m.moment),
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
        find_moment(v, f, i, m.moment[i]);
    }
    LIM_TRY(list_glue(a, &m));
    *out = m;
    return LIM_OK;
}
