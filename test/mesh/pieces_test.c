/* SPDX-License-Identifier: MIT
 * The hierarchy of pieces against flood fills over the fragments, level by level.
 */
#include "failing_host.h"
#include "sample_kit.h"

/* Key of the cell of a level over a fragment. */
static uint64_t key_over(const finest_kit* k, int32_t fragment, int32_t level) {
    uint64_t key = k->v.cell.data[k->f.cell[fragment]].key;
    for (int32_t l = k->v.level; l > level; --l) {
        key = octant_parent(key);
    }
    return key;
}

/* Labels fragments that edges join within one cell of a level; labels count up with the lowest
 * fragment. At the finest level each fragment is its own. */
static int32_t flood(const finest_kit* k, int32_t level, int32_t* label) {
    int32_t count = 0, n = k->f.count;
    int32_t* queue = malloc((size_t)n * sizeof(int32_t) + 1);
    for (int32_t f = 0; f < n; ++f) {
        label[f] = -1;
    }
    for (int32_t seed = 0; seed < n; ++seed) {
        if (label[seed] >= 0) {
            continue;
        }
        int32_t found = 1;
        queue[0] = seed;
        label[seed] = count;
        for (int32_t at = 0; at < found && level < k->v.level; ++at) {
            for (int32_t e = k->see.edge_offset[queue[at]]; e < k->see.edge_offset[queue[at] + 1];
                 ++e) {
                int32_t other = k->see.edge_node[e];
                if (label[other] < 0 && key_over(k, other, level) == key_over(k, seed, level)) {
                    label[other] = count;
                    queue[found++] = other;
                }
            }
        }
        count++;
    }
    free(queue);
    return count;
}

static void check_groups(const finest_kit* k, int32_t level, const int32_t* label, int32_t count) {
    const piece_level* l = &k->tree.level[level];
    int32_t* lowest = malloc((size_t)l->count * sizeof(int32_t) + 1);
    int32_t* piece_of = malloc((size_t)count * sizeof(int32_t) + 1);
    CHECK(l->count == count);
    for (int32_t i = 0; i < count; ++i) {
        piece_of[i] = -1;
    }
    for (int32_t i = 0; i < l->count; ++i) {
        lowest[i] = -1;
    }
    for (int32_t f = 0; f < k->f.count && l->count == count; ++f) {
        int32_t piece = piece_over(&k->tree, f, level);
        CHECK(l->key[piece] == key_over(k, f, level));
        CHECK(piece_of[label[f]] == -1 || piece_of[label[f]] == piece);
        piece_of[label[f]] = piece;
        lowest[piece] = lowest[piece] < 0 ? f : lowest[piece];
    }
    for (int32_t i = 1; i < l->count; ++i) {
        CHECK(l->key[i - 1] < l->key[i] ||
              (l->key[i - 1] == l->key[i] && lowest[i - 1] < lowest[i]));
    }
    free(lowest);
    free(piece_of);
}

static void check_children(const finest_kit* k, int32_t level) {
    const piece_level *l = &k->tree.level[level], *fine = &k->tree.level[level + 1];
    int32_t seen = 0;
    for (int32_t i = 0; i < l->count; ++i) {
        CHECK(l->child_first[i] < l->child_first[i + 1]);
        for (int32_t c = l->child_first[i]; c < l->child_first[i + 1]; ++c) {
            CHECK(fine->parent[l->child[c]] == i);
            CHECK(c == l->child_first[i] || l->child[c - 1] < l->child[c]);
            seen++;
        }
    }
    CHECK(seen == fine->count);
}

/* Neighbours from the edges between fragments. */
static void check_neighbours(const finest_kit* k, int32_t level) {
    const piece_level* l = &k->tree.level[level];
    size_t n = (size_t)l->count;
    uint8_t* linked = calloc(n * n + 1, 1);
    for (int32_t f = 0; f < k->f.count; ++f) {
        size_t a = (size_t)piece_over(&k->tree, f, level);
        for (int32_t e = k->see.edge_offset[f]; e < k->see.edge_offset[f + 1]; ++e) {
            size_t b = (size_t)piece_over(&k->tree, k->see.edge_node[e], level);
            linked[a * n + b] = l->key[a] != l->key[b];
        }
    }
    for (size_t a = 0; a < n; ++a) {
        int32_t at = l->edge_offset[a];
        for (size_t b = 0; b < n; ++b) {
            if (linked[a * n + b]) {
                CHECK(at < l->edge_offset[a + 1] && l->edge_piece[at] == (int32_t)b);
                at++;
            }
        }
        CHECK(at == l->edge_offset[a + 1]);
    }
    free(linked);
}

static void add_moment(double m[6], double volume, lim_point d) {
    double x[6] = {d.x * d.x, d.y * d.y, d.z * d.z, d.x * d.y, d.x * d.z, d.y * d.z};
    for (int i = 0; i < 6; ++i) {
        m[i] += volume * x[i];
    }
}

/* Volume, centroid and moments of every piece from the fragments below it. */
static void check_sums(const finest_kit* k, int32_t level) {
    const piece_level *l = &k->tree.level[level], *fine = &k->tree.level[k->tree.finest];
    size_t n = (size_t)l->count;
    double* volume = calloc(n + 1, sizeof(double));
    lim_point* sum = calloc(n + 1, sizeof(lim_point));
    double(*moment)[6] = calloc(n + 1, sizeof *moment);
    for (int32_t f = 0; f < k->f.count; ++f) {
        int32_t p = piece_over(&k->tree, f, level);
        volume[p] += k->f.volume[f];
        sum[p] = p3_mad(sum[p], k->f.centroid[f], k->f.volume[f]);
    }
    for (int32_t f = 0; f < k->f.count; ++f) {
        int32_t p = piece_over(&k->tree, f, level);
        lim_point c = p3_scale(sum[p], 1.0 / volume[p]);
        add_moment(moment[p], k->f.volume[f], p3_sub(k->f.centroid[f], c));
        for (int i = 0; i < 6; ++i) {
            moment[p][i] += fine->moment[f][i];
        }
    }
    for (int32_t p = 0; p < l->count; ++p) {
        double size = moment[p][0] + moment[p][1] + moment[p][2];
        CHECK_NEAR(l->volume[p] / volume[p], 1.0, 1e-13);
        CHECK_NEAR(p3_length(p3_sub(l->centroid[p], p3_scale(sum[p], 1.0 / volume[p]))), 0.0,
                   1e-13);
        for (int i = 0; i < 6; ++i) {
            CHECK_NEAR(l->moment[p][i] / size, moment[p][i] / size, 1e-12);
        }
    }
    free(volume);
    free(sum);
    free(moment);
}

/* A fragment's moment from 4^3 points in each of its sub-voxels, which fall short of cubes by
 * V h^2 / 12 / 16. */
static void check_fragment_moments(const finest_kit* k) {
    const piece_level* fine = &k->tree.level[k->tree.finest];
    for (int32_t f = 0; f < k->f.count; f += 7) {
        const voxel_cell* c = &k->v.cell.data[k->f.cell[f]];
        uint64_t bits = k->f.mask[f] & (c->inside | c->thin);
        bits = bits != 0 ? bits : k->f.mask[f];
        double count = 64.0 * mask_count(bits), m[6] = {0};
        lim_point mean = p3(0, 0, 0);
        for (int pass = 0; pass < 2; ++pass) {
            for (int i = 0; i < 64 * 64; ++i) {
                int bit = i / 64, in = i % 64;
                if ((bits >> bit & 1) == 0) {
                    continue;
                }
                lim_point at =
                    p3(bit % 4 + (in % 4 + 0.5) / 4, bit / 4 % 4 + (in / 4 % 4 + 0.5) / 4,
                       bit / 16 + (in / 16 + 0.5) / 4);
                at = p3_scale(at, k->v.sub);
                if (pass == 0) {
                    mean = p3_mad(mean, at, 1.0 / count);
                } else {
                    add_moment(m, k->f.volume[f] / count, p3_sub(at, mean));
                }
            }
        }
        double size = k->f.volume[f] * k->v.sub * k->v.sub;
        for (int i = 0; i < 6; ++i) {
            double rest = i < 3 ? size / 12.0 / 16.0 : 0.0;
            CHECK_NEAR(fine->moment[f][i] / size, (m[i] + rest) / size, 1e-9);
        }
    }
}

static void check_pieces(shape* from, double cell, bool glue, bool solid) {
    lim_mesh* mesh = shape_mesh(from);
    finest_kit k;
    finest_make(&k, mesh, cell, 0, glue, solid);
    int32_t* label = malloc((size_t)k.f.count * sizeof(int32_t) + 1);
    CHECK(k.tree.finest == k.v.level && k.tree.side == k.v.side);
    for (int32_t level = k.tree.finest; level >= 0; --level) {
        check_groups(&k, level, label, flood(&k, level, label));
        check_neighbours(&k, level);
        check_sums(&k, level);
        if (level < k.tree.finest) {
            check_children(&k, level);
        }
    }
    check_fragment_moments(&k);
    free(label);
    finest_free(&k);
    lim_mesh_destroy(mesh);
}

static void known_shapes_group_like_a_flood(void) {
    shape s = {0};
    shape_sphere(&s, 0, 0, 0, 1, 12);
    check_pieces(&s, 0.09, true, true);
    shape_torus(&s, 1.0, 0.3, 30, 12);
    check_pieces(&s, 0.06, true, true);
    shape_fingers(&s, 0.37, 0.06);
    check_pieces(&s, 0.05, true, true);
    shape_sheet(&s, 5, 0.7);
    check_pieces(&s, 0.04, true, false);
}

/* Boxes anywhere: they overlap, touch, leave slits and stand alone. */
static void random_boxes_group_like_a_flood(void) {
    random_stream r = random_seed(41);
    for (int round = 0; round < 40; ++round) {
        shape s = {0};
        bool lattice = round % 2 == 0;
        for (int32_t i = 3 + random_index(&r, 12); i > 0; --i) {
            double low[3], high[3];
            for (int k = 0; k < 3; ++k) {
                low[k] = lattice ? (double)random_index(&r, 14) : 14.0 * (double)random_unit(&r);
                high[k] = low[k] + (lattice ? 1.0 + random_index(&r, 5)
                                            : 0.3 + 5.0 * (double)random_unit(&r));
            }
            shape_box(&s, low[0], low[1], low[2], high[0], high[1], high[2]);
        }
        check_pieces(&s, lattice ? 1.0 / 16 : 0.07, round % 3 != 0, round % 5 != 4);
    }
}

/* Two fingers whose gap is much thinner than a coarse cell. */
static void a_gap_parts_pieces_of_every_level(void) {
    shape s = {0};
    shape_box(&s, 0, 0, 0, 8, 3.8, 3.8);
    shape_box(&s, 0, 4.2, 0, 8, 8, 3.8);
    lim_mesh* mesh = shape_mesh(&s);
    finest_kit k;
    finest_make(&k, mesh, 1.0 / 8, 0, false, true);
    CHECK(k.tree.level[0].count == 2 && k.see.component_count == 2);
    finest_free(&k);
    finest_make(&k, mesh, 1.0 / 8, 0, true, true);
    CHECK(k.tree.level[0].count == 1 && k.see.component_count == 1); /* glued */
    finest_free(&k);
    lim_mesh_destroy(mesh);
}

/* A box has V (a^2, b^2, c^2) / 12, whatever it is cut into. */
static void a_box_has_its_moments(void) {
    shape s = {0};
    shape_box(&s, 0, 0, 0, 8, 4, 2);
    lim_mesh* mesh = shape_mesh(&s);
    finest_kit k;
    finest_make(&k, mesh, 1.0 / 8, 0, true, true);
    const piece_level* root = &k.tree.level[0];
    double v = 8.0 * 4 * 2 / 512, side[3] = {1.0, 0.5, 0.25};
    CHECK(root->count == 1);
    CHECK_NEAR(root->volume[0], v, 1e-6);
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR(root->moment[0][i], v * side[i] * side[i] / 12.0, 1e-7);
        CHECK_NEAR(root->moment[0][3 + i], 0.0, 1e-9);
    }
    finest_free(&k);
    lim_mesh_destroy(mesh);
}

static void every_failed_allocation_is_survived(void) {
    shape s = {0};
    shape_box(&s, 0, 0, 0, 1, 1, 1);
    shape_box(&s, 1.05, 0, 0, 2, 1, 1);
    lim_mesh* mesh = shape_mesh(&s);
    finest_kit k;
    finest_make(&k, mesh, 0.02, 0, true, true);
    bool finished = false;
    for (int64_t n = 0; !finished && n < 200; ++n) {
        failing_host f;
        failing_host_arm(&f, n);
        arena a;
        arena_init(&a, &f.host);
        pieces out;
        lim_result result = pieces_build(&a, &k.v, &k.f, k.see.edge_offset, k.see.edge_node, &out);
        finished = result == LIM_OK;
        CHECK(finished || result == LIM_ERROR_MEMORY);
        arena_release(&a);
        CHECK(f.held == 0);
    }
    CHECK(finished);
    finest_free(&k);
    lim_mesh_destroy(mesh);
}

int main(int argc, char** argv) {
    TEST_BEGIN(argc, argv);
    RUN(known_shapes_group_like_a_flood);
    RUN(random_boxes_group_like_a_flood);
    RUN(a_gap_parts_pieces_of_every_level);
    RUN(a_box_has_its_moments);
    RUN(every_failed_allocation_is_survived);
    TEST_END();
}
