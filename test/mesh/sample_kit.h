/* SPDX-License-Identifier: MIT
 * What tests of the hierarchy and of adaptive samplings share: the finest fragments of a mesh with
 * their graph, and slow checks of a sampling against them.
 */
#ifndef LIMBER_SAMPLE_KIT_H
#define LIMBER_SAMPLE_KIT_H

#include "failing_host.h"
#include "mesh_shapes.h"
#include "sample/nodes.h"

/* Solid and glued, of about `nodes` nodes, or of cells of an edge when it is above 0. */
static inline lim_model_desc model_desc(int32_t nodes, double cell) {
    return (lim_model_desc){.node_count = nodes,
                            .cell_size = (float)cell,
                            .scale = 1.0,
                            .glue_parts = true,
                            .solid = true};
}

/* sampling_build or lattice_build. */
typedef lim_result build_sampling(arena* a, const lim_mesh* mesh, const lim_model_desc* desc,
                                  const lim_host* host, sampling* out);

static inline bool stop_later(void* user, float share, const char* stage) {
    int* left = user;
    CHECK(share >= 0.0f && share <= 0.5f && stage != NULL);
    return --*left > 0;
}

/* Cancelled at each of its reports in turn, a builder leaves nothing behind. */
static inline void check_cancelling(build_sampling* build, lim_model_desc desc) {
    shape s = {0};
    shape_sphere(&s, 0, 0, 0, 1, 10);
    lim_mesh* mesh = shape_mesh(&s);
    int n = 1;
    for (bool finished = false; !finished && n < 50; ++n) {
        int left = n;
        failing_host f;
        failing_host_arm(&f, -1);
        arena a;
        arena_init(&a, &f.host);
        sampling out;
        desc.progress = stop_later;
        desc.progress_user = &left;
        lim_result result = build(&a, mesh, &desc, &f.host, &out);
        finished = result == LIM_OK;
        CHECK(finished || (result == LIM_ERROR_CANCELLED && out.node_count == 0));
        arena_release(&a);
        CHECK(f.held == 0);
    }
    CHECK(n > 3 && n < 50);
    lim_mesh_destroy(mesh);
}

/* Each allocation of a builder fails in turn. Destroys the mesh. */
static inline void survive_failures(build_sampling* build, lim_mesh* mesh, lim_model_desc desc) {
    bool finished = false;
    for (int64_t n = 0; !finished && n < 1000; ++n) {
        failing_host f;
        failing_host_arm(&f, n);
        arena a;
        arena_init(&a, &f.host);
        sampling out;
        lim_result result = build(&a, mesh, &desc, &f.host, &out);
        finished = result == LIM_OK;
        CHECK(finished || (result == LIM_ERROR_MEMORY && out.node_count == 0));
        arena_release(&a);
        CHECK(f.held == 0);
    }
    CHECK(finished);
    lim_mesh_destroy(mesh);
}

/* Triangles at random, in every second round with corners on a lattice, so that everything lies on
 * borders; and something to ask of them. False when they make no mesh. */
static inline bool random_soup(random_stream* r, int round, shape* out, lim_model_desc* desc) {
    int32_t vertices = 4 + random_index(r, 30);
    bool lattice = round % 2 == 0;
    for (int32_t i = 0; i < vertices; ++i) {
        double p[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = lattice ? (double)random_index(r, 5) : (double)random_unit(r);
        }
        shape_vertex(out, p[0], p[1], round % 7 == 0 ? 0.0 : p[2]);
    }
    shape_triangle(out, 0, 1, 2);
    for (int32_t t = random_index(r, 40); t > 0; --t) {
        shape_triangle(out, (uint32_t)random_index(r, vertices),
                       (uint32_t)random_index(r, vertices), (uint32_t)random_index(r, vertices));
    }
    lim_mesh_desc mesh_desc = shape_desc(out);
    lim_mesh* mesh = NULL;
    if (lim_mesh_create(&mesh_desc, NULL, &mesh) != LIM_OK) {
        shape_free(out);
        return false;
    }
    lim_mesh_destroy(mesh);
    desc->node_count = 1 + random_index(r, 300);
    desc->solid = random_index(r, 4) != 0;
    desc->glue_parts = random_index(r, 2) != 0;
    if (round % 5 == 0) {
        desc->cell_size = lattice ? 1.0f : 0.125f;
    }
    return true;
}

typedef struct finest_kit {
    arena mem;
    voxels v;
    fragments f;
    visibility see;
    matter m;
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
    CHECK(matter_make(&k->mem, &k->v, &k->f, &k->see, &k->m) == LIM_OK);
    CHECK(pieces_build(&k->mem, &k->m, &k->tree) == LIM_OK);
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

/* The graph of cells of one size: symmetric, between cells that touch; components are what hangs
 * together. */
static inline void check_graph(const sampling* s) {
    int32_t n = s->node_count > 0 ? s->node_count : 0, count = 0;
    CHECK(s->edge_offset[0] == 0);
    for (int32_t i = 0; i < n; ++i) {
        octant a = octant_of(s->key[i]);
        for (int32_t k = s->edge_offset[i]; k < s->edge_offset[i + 1]; ++k) {
            int32_t j = s->edge_node[k];
            octant b = octant_of(s->key[j]);
            CHECK(j != i && (k == s->edge_offset[i] || s->edge_node[k - 1] < j));
            CHECK(sampling_has_edge(s, j, i));
            CHECK(abs(a.x - b.x) <= 1 && abs(a.y - b.y) <= 1 && abs(a.z - b.z) <= 1);
            CHECK(s->edge_length[k] == (s->key[i] == s->key[j] ? 1 : 2));
            CHECK(s->component[i] == s->component[j]);
        }
        /* Components come up in order of their lowest node. */
        CHECK(s->component[i] <= count);
        count += s->component[i] == count;
    }
    CHECK(count == s->component_count);
    /* Each component is one: a search from its first node finds as many as carry its number. */
    uint8_t* seen = calloc((size_t)n, 1);
    int32_t* queue = calloc((size_t)n, sizeof(int32_t));
    int32_t found = 0, starts = 0;
    for (int32_t seed = 0; seed < n; ++seed) {
        if (seen[seed]) {
            continue;
        }
        int32_t head = found;
        seen[seed] = 1;
        queue[found++] = seed;
        starts++;
        for (; head < found; ++head) {
            int32_t i = queue[head];
            for (int32_t k = s->edge_offset[i]; k < s->edge_offset[i + 1]; ++k) {
                if (!seen[s->edge_node[k]]) {
                    seen[s->edge_node[k]] = 1;
                    queue[found++] = s->edge_node[k];
                }
            }
        }
    }
    CHECK(starts == s->component_count);
    free(seen);
    free(queue);
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
