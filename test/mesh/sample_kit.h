/* SPDX-License-Identifier: MIT
 * What tests of the hierarchy and of adaptive samplings share: the finest fragments of a mesh with
 * their graph, and slow checks of a sampling against them.
 */
#ifndef LIMBER_SAMPLE_KIT_H
#define LIMBER_SAMPLE_KIT_H

#include "mesh_shapes.h"
#include "sample/nodes.h"

typedef struct finest_kit {
    arena mem;
    voxels v;
    fragments f;
    visibility see;
    pieces tree;
} finest_kit;

/* As sampling_build makes them for cells of an edge in unit space. */
static inline void finest_make(finest_kit* k, const lim_mesh* mesh, double side, int32_t coarsen,
                               bool glue, bool solid) {
    arena_init(&k->mem, NULL);
    voxels_init(&k->v, mesh, side, coarsen, 1000000, NULL);
    bvh* tree = NULL;
    winding* number = NULL;
    bool closed = true;
    for (int32_t p = 0; p < mesh->report.parts; ++p) {
        closed = closed && mesh->part_closed[p];
    }
    CHECK(bvh_build(&k->mem, mesh->point, mesh->triangle_point, mesh->triangle_count, &tree) ==
          LIM_OK);
    CHECK(voxels_surface(&k->v) == LIM_OK);
    if (solid && closed) {
        CHECK(voxels_inside_rows(&k->v) == LIM_OK);
    } else if (solid) {
        CHECK(winding_build(&k->mem, mesh, &number) == LIM_OK);
        CHECK(voxels_inside_winding(&k->v, number, 1) == LIM_OK);
    }
    CHECK(voxels_finish(&k->v) == LIM_OK && voxels_thin(&k->v, !solid) == LIM_OK);
    CHECK(fragments_build(&k->mem, &k->v, mesh->report.parts > 1 ? tree : NULL, !solid, &k->f) ==
          LIM_OK);
    CHECK(visibility_build(&k->mem, &k->v, &k->f, glue, &k->see) == LIM_OK);
    CHECK(pieces_build(&k->mem, &k->v, &k->f, k->see.edge_offset, k->see.edge_node, &k->tree) ==
          LIM_OK);
}

static inline void finest_free(finest_kit* k) {
    voxels_release(&k->v);
    arena_release(&k->mem);
}

/* The piece of a level that a fragment is in. */
static inline int32_t piece_over(const pieces* tree, int32_t fragment, int32_t level) {
    int32_t piece = fragment;
    for (int32_t l = tree->finest; l > level; --l) {
        piece = tree->level[l].parent[piece];
    }
    return piece;
}

/* Node of each fragment; checks that every fragment is in exactly one. The caller frees. */
static inline int32_t* owners_of(const sampling* s) {
    const pieces* tree = &s->pieces;
    int32_t n = tree->level[tree->finest].count;
    int32_t* owner = malloc((size_t)n * sizeof(int32_t) + 1);
    int32_t* node[OCTANT_LEVELS + 1] = {0};
    for (int32_t l = 0; l <= tree->finest; ++l) {
        node[l] = malloc((size_t)tree->level[l].count * sizeof(int32_t) + 1);
        for (int32_t i = 0; i < tree->level[l].count; ++i) {
            node[l][i] = -1;
        }
    }
    for (int32_t i = 0; i < s->node_count; ++i) {
        CHECK(node[s->level[i]][s->piece[i]] == -1);
        node[s->level[i]][s->piece[i]] = i;
    }
    for (int32_t f = 0; f < n; ++f) {
        int32_t found = 0;
        for (int32_t l = 0; l <= tree->finest; ++l) {
            int32_t at = node[l][piece_over(tree, f, l)];
            found += at >= 0;
            owner[f] = at >= 0 ? at : owner[f];
        }
        CHECK(found == 1);
    }
    for (int32_t l = 0; l <= tree->finest; ++l) {
        free(node[l]);
    }
    return owner;
}

static inline bool sampling_has_edge(const sampling* s, int32_t a, int32_t b) {
    for (int32_t e = s->edge_offset[a]; e < s->edge_offset[a + 1]; ++e) {
        if (s->edge_node[e] == b) {
            return true;
        }
    }
    return false;
}

/* Balance, and every edge between nodes against the edges between fragments. */
static inline void check_edges(const sampling* s, const visibility* see, const int32_t* owner) {
    int32_t n = s->pieces.level[s->pieces.finest].count;
    uint8_t* met = calloc((size_t)s->edge_offset[s->node_count] + 1, 1);
    for (int32_t f = 0; f < n; ++f) {
        for (int32_t e = see->edge_offset[f]; e < see->edge_offset[f + 1]; ++e) {
            int32_t a = owner[f], b = owner[see->edge_node[e]];
            CHECK(abs(s->level[a] - s->level[b]) <= 1);
            CHECK(s->component[a] == s->component[b]);
            if (a == b) {
                continue;
            }
            CHECK(sampling_has_edge(s, a, b));
            for (int32_t k = s->edge_offset[a]; k < s->edge_offset[a + 1]; ++k) {
                met[k] |= s->edge_node[k] == b;
            }
        }
    }
    for (int32_t a = 0; a < s->node_count; ++a) {
        for (int32_t k = s->edge_offset[a]; k < s->edge_offset[a + 1]; ++k) {
            int32_t b = s->edge_node[k];
            CHECK(met[k] && a != b);
            CHECK(k == s->edge_offset[a] || s->edge_node[k - 1] < b);
            lim_vec3 d = v3_sub(s->centre[a], s->centre[b]);
            double most = fmax(fabs((double)d.x), fmax(fabs((double)d.y), fabs((double)d.z)));
            double halves = most / (0.5 * (double)s->cell_size);
            CHECK_NEAR(s->edge_length[k], s->key[a] == s->key[b] ? 1.0 : halves, 0.02);
        }
    }
    free(met);
}

/* Sums over fragments against the nodes, and anchors against all sub-voxels. */
static inline void check_masses(const sampling* s, const finest_kit* k, const int32_t* owner) {
    double* volume = calloc((size_t)s->node_count + 1, sizeof(double));
    double* nearest = calloc((size_t)s->node_count + 1, sizeof(double));
    lim_point* sum = calloc((size_t)s->node_count + 1, sizeof(lim_point));
    double all = 0.0, nodes = 0.0;
    for (int32_t f = 0; f < k->f.count; ++f) {
        volume[owner[f]] += k->f.volume[f];
        sum[owner[f]] = p3_mad(sum[owner[f]], k->f.centroid[f], k->f.volume[f]);
        all += k->f.volume[f];
    }
    for (int32_t i = 0; i < s->node_count; ++i) {
        CHECK_NEAR((double)s->volume[i] / volume[i], 1.0, 1e-6);
        lim_point c = p3_scale(sum[i], 1.0 / volume[i]);
        CHECK_NEAR(p3_length(p3_sub(c, p3_of(s->centroid[i]))), 0.0, 1e-6);
        nearest[i] = HUGE_VAL;
        nodes += (double)s->volume[i];
    }
    CHECK_NEAR(nodes / all, 1.0, 1e-5);
    for (int pass = 0; pass < 2; ++pass) {
        for (int32_t f = 0; f < k->f.count; ++f) {
            const voxel_cell* cell = &k->v.cell.data[k->f.cell[f]];
            int32_t i = owner[f];
            lim_point at = s->pieces.level[s->level[i]].centroid[s->piece[i]];
            for (int bit = 0; bit < 64; ++bit) {
                int32_t x = 4 * cell->x + bit % 4, y = 4 * cell->y + bit / 4 % 4,
                        z = 4 * cell->z + bit / 16;
                double d = p3_length(p3_sub(voxels_at(&k->v, x, y, z), at));
                bool own = (k->f.mask[f] >> bit & 1) != 0;
                if (pass == 0 && own && d < nearest[i]) {
                    nearest[i] = d;
                }
                if (pass == 1 && own && s->anchor[i][0] == x && s->anchor[i][1] == y &&
                    s->anchor[i][2] == z) {
                    CHECK_NEAR(d, nearest[i], 1e-9);
                    volume[i] = -1.0; /* seen */
                }
            }
        }
    }
    for (int32_t i = 0; i < s->node_count; ++i) {
        CHECK(volume[i] < 0.0);
    }
    free(volume);
    free(nearest);
    free(sum);
}

/* Keys, fragments, sides and counts. */
static inline void check_cells(const sampling* s) {
    int32_t cells = 0, shared = 0, components = 0;
    for (int32_t i = 0; i < s->node_count; ++i) {
        const piece_level* l = &s->pieces.level[s->level[i]];
        octant o = octant_of(s->key[i]);
        CHECK(o.level == s->level[i] && s->key[i] == l->key[s->piece[i]]);
        bool first = i == 0 || s->key[i - 1] != s->key[i];
        bool last = i + 1 == s->node_count || s->key[i + 1] != s->key[i];
        CHECK(i == 0 || s->key[i - 1] < s->key[i] ||
              (s->key[i - 1] == s->key[i] && s->fragment[i - 1] < s->fragment[i]));
        int32_t before = 0;
        for (int32_t p = s->piece[i]; p > 0 && l->key[p - 1] == s->key[i]; --p) {
            before++;
        }
        CHECK(s->fragment[i] == before);
        double side = (double)s->cell_size * (double)(1 << (s->levels - o.level));
        CHECK_NEAR((double)s->side[i] / side, 1.0, 1e-6);
        lim_point centre = p3_mad(p3_of(s->corner), p3(o.x + 0.5, o.y + 0.5, o.z + 0.5), side);
        CHECK_NEAR(p3_length(p3_sub(centre, p3_of(s->centre[i]))), 0.0, 1e-5);
        cells += first;
        shared += !(first && last);
        CHECK(s->component[i] <= components);
        components += s->component[i] == components;
    }
    CHECK(cells == s->cell_count && shared == s->fragment_count &&
          components == s->component_count);
}

/* Everything that must hold for any sampling of a mesh. */
static inline void check_sampling(const lim_mesh* mesh, const lim_model_desc* desc,
                                  const sampling* s) {
    finest_kit k;
    finest_make(&k, mesh, (double)s->cell_size, desc->coarsen, desc->glue_parts, desc->solid);
    CHECK(k.f.count == s->pieces.level[s->pieces.finest].count && k.v.level == s->levels);
    if (k.f.count == s->pieces.level[s->pieces.finest].count) {
        int32_t* owner = owners_of(s);
        check_cells(s);
        check_edges(s, &k.see, owner);
        check_masses(s, &k, owner);
        free(owner);
    }
    finest_free(&k);
}

#endif
