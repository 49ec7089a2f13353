/* SPDX-License-Identifier: MIT
 * Job: lay a sampling out in slots. In: a mesh and a descriptor. Out: what region builders need.
 */
#include "bench/sampled.h"

#include "mesh/surface.h"

#include <string.h>

static lim_result allocate(sampled* out, float* x0[3], float** volume, int32_t** level,
                           int32_t** piece, int32_t** offset, uint64_t** key, uint16_t** fragment) {
    size_t slots = (size_t)out->nodes.padded;
    float** floats[] = {&x0[0], &x0[1], &x0[2], volume, &out->side};
    for (size_t k = 0; k < sizeof floats / sizeof floats[0]; ++k) {
        *floats[k] = ARENA_ARRAY(&out->mem, float, slots);
        LIM_TRY_MEMORY(*floats[k]);
    }
    *level = ARENA_ARRAY(&out->mem, int32_t, slots);
    *piece = ARENA_ARRAY(&out->mem, int32_t, slots);
    *offset = ARENA_ARRAY(&out->mem, int32_t, slots + 1);
    *key = ARENA_ARRAY(&out->mem, uint64_t, slots);
    *fragment = ARENA_ARRAY(&out->mem, uint16_t, slots);
    LIM_TRY_MEMORY(*level);
    LIM_TRY_MEMORY(*piece);
    LIM_TRY_MEMORY(*offset);
    LIM_TRY_MEMORY(*key);
    LIM_TRY_MEMORY(*fragment);
    return LIM_OK;
}

static lim_point centre_of_mass(const sampling* s) {
    lim_point sum = p3(0, 0, 0);
    double volume = 0.0;
    for (int32_t i = 0; i < s->node_count; ++i) {
        sum = p3_mad(sum, p3_of(s->centroid[i]), (double)s->volume[i]);
        volume += (double)s->volume[i];
    }
    return p3_scale(sum, 1.0 / volume);
}

lim_result sampled_make(const lim_mesh* mesh, const lim_model_desc* desc, const lim_host* host,
                        sampled* out) {
    memset(out, 0, sizeof *out);
    arena_init(&out->mem, host);
    sampling* s = &out->s;
    LIM_TRY(sampling_build(&out->mem, mesh, desc, host, s));
    out->unit = mesh->size * desc->scale;
    out->mesh_origin = p3_scale(mesh->origin, desc->scale);
    out->centre = centre_of_mass(s);
    int32_t count = s->node_count, slots = (count + 7) / 8 * 8;
    out->nodes = (region_nodes){.count = count, .padded = slots};
    float *x0[3], *volume;
    int32_t *level, *piece, *offset;
    uint64_t* key;
    uint16_t* fragment;
    LIM_TRY(allocate(out, x0, &volume, &level, &piece, &offset, &key, &fragment));
    for (int32_t i = 0; i < slots; ++i) {
        offset[i] = s->edge_offset[i < count ? i : count];
        level[i] = piece[i] = -1;
        if (i < count) {
            lim_vec3 at = v3_of(p3_sub(p3_of(s->centroid[i]), out->centre));
            x0[0][i] = at.x;
            x0[1][i] = at.y;
            x0[2][i] = at.z;
            volume[i] = s->volume[i];
            out->side[i] = s->side[i];
            level[i] = s->level[i];
            piece[i] = s->piece[i];
            key[i] = s->key[i];
            fragment[i] = s->fragment[i];
        }
    }
    offset[slots] = s->edge_offset[count];
    for (int k = 0; k < 3; ++k) {
        out->nodes.x0[k] = x0[k];
    }
    out->nodes.volume = volume;
    out->nodes.key = key;
    out->nodes.fragment = fragment;
    out->g = (graph){slots, offset, s->edge_node, s->edge_length};
    out->tree = (region_tree){&s->pieces, level, piece};
    return LIM_OK;
}

void sampled_release(sampled* s) {
    arena_release(&s->mem);
}

lim_point sampled_metres(const sampled* s, int32_t slot) {
    lim_point x0 = p3((double)s->nodes.x0[0][slot], (double)s->nodes.x0[1][slot],
                      (double)s->nodes.x0[2][slot]);
    return p3_mad(s->mesh_origin, p3_add(x0, s->centre), s->unit);
}

/* Whether a node has this key; keys ascend. */
static bool has_key(const sampling* s, uint64_t key) {
    int32_t low = 0, high = s->node_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (s->key[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < s->node_count && s->key[low] == key;
}

double sampled_edge_at(const sampled* s, lim_point metres) {
    const pieces* tree = &s->s.pieces;
    lim_point at = p3_scale(p3_sub(metres, s->mesh_origin), 1.0 / s->unit);
    lim_point cells = p3_scale(p3_sub(at, tree->corner), 1.0 / tree->side);
    double row = (double)((int64_t)1 << tree->finest);
    if (!(cells.x >= 0.0 && cells.y >= 0.0 && cells.z >= 0.0 && cells.x < row && cells.y < row &&
          cells.z < row)) {
        return 0.0;
    }
    uint64_t key =
        octant_key((octant){tree->finest, (int32_t)cells.x, (int32_t)cells.y, (int32_t)cells.z});
    double edge = tree->side * s->unit;
    for (int32_t level = tree->finest; level >= 0; --level, edge *= 2.0) {
        if (has_key(&s->s, key)) {
            return edge;
        }
        key = level > 0 ? octant_parent(key) : key;
    }
    return 0.0;
}

int32_t sampled_base_cells(const sampled* s, int32_t coarsen) {
    int32_t level = s->s.pieces.finest > coarsen ? s->s.pieces.finest - coarsen : 0;
    return s->s.pieces.level[level].count;
}

lim_result sampled_paper_mode(const sampled* s, const sampled_paper_desc* desc,
                              const lim_host* host, paper_mode** out_mode) {
    arena scratch;
    arena_init(&scratch, host);
    int32_t* width = ARENA_ARRAY(&scratch, int32_t, s->nodes.padded);
    lim_result result = LIM_ERROR_MEMORY;
    if (width != NULL) {
        for (int32_t i = 0; i < s->nodes.count; ++i) {
            double edge = (double)s->side[i] * s->unit, metres = desc->width * edge;
            if (desc->width_at != NULL) {
                metres =
                    (double)desc->width_at(desc->width_user, sampled_metres(s, i), (float)edge);
            }
            width[i] = (int32_t)(2.0 * metres / ((double)s->s.cell_size * s->unit) + 0.5);
        }
        float per_unit = (float)(1.0 / s->unit);
        paper_mode_desc mode = {.nodes = &s->nodes,
                                .g = s->g,
                                .tree = s->tree,
                                .width = width,
                                .eps_num = 1,
                                .eps_den = 2,
                                .literal = desc->literal,
                                .symmetric = desc->symmetric,
                                .alpha = desc->alpha,
                                .damping = desc->damping,
                                .gravity = v3_scale(desc->gravity, per_unit)};
        result = paper_mode_create(&mode, host, out_mode);
    }
    arena_release(&scratch);
    return result;
}
