/* SPDX-License-Identifier: MIT
 * Material cut by blades: exact separation, everything against the slow way, cuts of cuts, glue,
 * failures.
 */
#include "matter_oracle.h"
#include "pieces_same.h"
#include "sample/matter_copy.h"

enum { POINTS_MOST = 1200 };
typedef struct sheet {
    lim_point point[POINTS_MOST];
    int32_t triangle[6 * POINTS_MOST];
    int32_t points, triangles;
} sheet;

static cut_blade view(const sheet* s) {
    return (cut_blade){s->points, s->triangles, s->point, s->triangle, NULL, false};
}

/* rows x columns points: o + u i / (rows - 1) + v j / (columns - 1), bent and jittered along n. */
static void make_sheet(sheet* s, int32_t rows, int32_t columns, lim_point o, lim_point u,
                       lim_point v, double bend, double jitter, random_stream* r) {
    lim_point n = p3_cross(u, v);
    n = p3_scale(n, 1.0 / p3_length(n));
    *s = (sheet){0};
    for (int32_t i = 0; i < rows; ++i) {
        for (int32_t j = 0; j < columns; ++j) {
            double a = (double)i / (rows - 1), b = (double)j / (columns - 1);
            double up = bend * (4.0 * (a - 0.5) * (a - 0.5) - 2.0 * b * (1.0 - b));
            up += jitter * ((double)random_unit(r) - 0.5);
            s->point[s->points++] = p3_mad(p3_mad(p3_mad(o, u, a), v, b), n, up);
        }
    }
    for (int32_t i = 0; i + 1 < rows; ++i) {
        for (int32_t j = 0; j + 1 < columns; ++j) {
            int32_t p = i * columns + j, q = p + columns;
            const int32_t t[2][6] = {{p, q, q + 1, p, q + 1, p + 1},
                                     {p, q, p + 1, q, q + 1, p + 1}};
            memcpy(s->triangle + 3 * s->triangles, t[random_index(r, 2)], sizeof(t[0]));
            s->triangles += 2;
        }
    }
}

static lim_point random_place(random_stream* r, double size) {
    double x = (double)random_unit(r) - 0.5, y = (double)random_unit(r) - 0.5;
    return p3(size * x, size * y, size * ((double)random_unit(r) - 0.5));
}

/* A stroke through or into the middle of the unit cube. */
static void random_sheet(sheet* s, random_stream* r, double size) {
    lim_point u = random_place(r, 1.0), v = random_place(r, 1.0);
    u = p3_scale(u, size / (p3_length(u) + 0.01));
    v = p3_sub(v, p3_scale(u, p3_dot(u, v) / p3_dot(u, u)));
    v = p3_scale(v, size / (p3_length(v) + 0.01));
    lim_point o = p3_sub(random_place(r, 0.6), p3_scale(p3_add(u, v), 0.5));
    /* One after the other: the same sheets from every compiler. */
    double jitter = 0.02 * (double)random_index(r, 2), bend = (double)random_range(r, -0.2f, 0.2f);
    int32_t columns = 2 + random_index(r, 12), rows = 2 + random_index(r, 12);
    make_sheet(s, rows, columns, o, u, v, bend, jitter, r);
}

/* The centre of the box of the material, unit space. */
static lim_point middle_of(const matter* m) {
    lim_point low = p3(1e9, 1e9, 1e9), high = p3(-1e9, -1e9, -1e9);
    for (int32_t i = 0; i < m->count; ++i) {
        low = p3_min(low, m->centroid[i]);
        high = p3_max(high, m->centroid[i]);
    }
    return p3_scale(p3_add(low, high), 0.5);
}

static void move_sheet(sheet* s, lim_point by) {
    for (int32_t i = 0; i < s->points; ++i) {
        s->point[i] = p3_add(s->point[i], by);
    }
}

static void make_kit(finest_kit* k, lim_mesh** mesh, shape* s, double side, bool glue, bool solid) {
    *mesh = shape_mesh(s);
    finest_make(k, *mesh, side, 0, glue, solid);
}

static void free_kit(finest_kit* k, lim_mesh* mesh) {
    finest_free(k);
    lim_mesh_destroy(mesh);
}

/* A block of whole sub-voxels, and what a plane through it leaves: two components with as many
 * sub-voxels as lie on its two sides, ties in the plane all on one side. */
static void check_plane(const matter* m, lim_point o, lim_point u, lim_point v, int32_t rows,
                        random_stream* r) {
    static sheet s;
    arena a;
    arena_init(&a, NULL);
    make_sheet(&s, rows, rows, o, u, v, 0.0, 0.0, r);
    cut_blade blade = view(&s);
    matter_change c;
    CHECK(matter_cut(&a, m, &blade, -1, &c) == LIM_OK);
    CHECK(matter_is_valid(&c.after));
    CHECK(c.after.component_count == 2);
    lim_point n = p3_cross(u, v);
    n = p3_scale(n, 1.0 / p3_length(n));
    int32_t count[2] = {0, 0}, low = 0, tie = 0, high = 0;
    for (int32_t i = 0; i < c.after.count; ++i) {
        octant cell = octant_of(c.after.key[i]);
        for (int bit = 0; bit < 64; ++bit) {
            lim_point p = p3(4 * cell.x + bit % 4 + 0.5, 4 * cell.y + bit / 4 % 4 + 0.5,
                             4 * cell.z + bit / 16 + 0.5);
            double height = p3_dot(p3_sub(p3_mad(m->corner, p, m->sub), o), n);
            if (c.after.mask[i] >> bit & 1) {
                count[c.after.component[i] & 1]++;
                low += height < -1e-9;
                high += height > 1e-9;
                tie += fabs(height) <= 1e-9;
            }
        }
    }
    /* Ties of a tilted plane may go either way, those of one along the grid all go one way. */
    bool flat = (n.x != 0.0) + (n.y != 0.0) + (n.z != 0.0) == 1;
    int32_t one = count[0] < count[1] ? count[0] : count[1];
    int32_t least = low < high ? low : high;
    CHECK(flat ? one == low || one == high || one == low + tie || one == high + tie
               : one >= least && one <= least + tie);
    CHECK(one > 0 && low > 0 && high > 0);
    arena_release(&a);
}

static void planes_part_a_block_exactly(void) {
    shape s = {0};
    shape_box(&s, 0, 0, 0, 8, 8, 8);
    finest_kit k;
    lim_mesh* mesh;
    make_kit(&k, &mesh, &s, 1.0 / 8, true, true);
    random_stream r = random_seed(7);
    lim_point c = middle_of(&k.m);
    for (int axis = 0; axis < 3; ++axis) {
        for (int32_t at = -6; at <= 6; ++at) {
            /* Through centres (odd) and along their borders (even), the blade's own points on
             * sub-voxels too. */
            lim_point u = axis == 0 ? p3(0, 2, 0) : p3(2, 0, 0);
            lim_point v = axis == 2 ? p3(0, 2, 0) : p3(0, 0, 2);
            double h = 0.5 * k.m.sub * at;
            lim_point o = p3_sub(c, p3_scale(p3_add(u, v), 0.5));
            o = p3_add(o, axis == 0 ? p3(h, 0, 0) : axis == 1 ? p3(0, h, 0) : p3(0, 0, h));
            check_plane(&k.m, o, u, v, 2 + random_index(&r, 30), &r);
        }
    }
    for (int round = 0; round < 60; ++round) {
        bool nice = round % 3 == 0; /* through many centres exactly */
        lim_point u = nice ? p3(2, 2.0 * random_index(&r, 2), -2) : random_place(&r, 1.0);
        lim_point v = nice ? p3(0, 2, 2) : random_place(&r, 1.0);
        u = nice ? u : p3_scale(u, 4.0 / (p3_length(u) + 0.01));
        v = nice ? v : p3_sub(v, p3_scale(u, p3_dot(u, v) / p3_dot(u, u)));
        v = nice ? v : p3_scale(v, 4.0 / (p3_length(v) + 0.01));
        lim_point o = p3_sub(c, p3_scale(p3_add(u, v), 0.5));
        o = nice ? p3_add(o, p3_scale(p3(0.5, 0.5, 0.5), k.m.sub))
                 : p3_add(o, random_place(&r, 0.3));
        check_plane(&k.m, o, u, v, 2 + random_index(&r, 30), &r);
    }
    free_kit(&k, mesh);
}

/* Bent strips right through: no way leads from what is above to what is below. */
static void bent_strips_part_a_block(void) {
    shape s = {0};
    shape_box(&s, 0, 0, 0, 8, 8, 8);
    finest_kit k;
    lim_mesh* mesh;
    make_kit(&k, &mesh, &s, 1.0 / 6, true, true);
    random_stream r = random_seed(8);
    static sheet b;
    for (int round = 0; round < 60; ++round) {
        int32_t rows = 2 + random_index(&r, 30), columns = 2 + random_index(&r, 30);
        make_sheet(&b, rows, columns, p3(-1, -1, 0), p3(2, 0, 0), p3(0, 2, 0),
                   (double)random_range(&r, -0.3f, 0.3f), 0.05 * random_index(&r, 3), &r);
        move_sheet(&b, middle_of(&k.m));
        arena a;
        arena_init(&a, NULL);
        cut_blade blade = view(&b);
        matter_change c;
        CHECK(matter_cut(&a, &k.m, &blade, -1, &c) == LIM_OK);
        CHECK(matter_is_valid(&c.after));
        int32_t top = -1, bottom = -1;
        for (int32_t i = 0; i < c.after.count; ++i) {
            double z = c.after.centroid[i].z - middle_of(&k.m).z;
            top = z > 0.4 ? c.after.component[i] : top;
            bottom = z < -0.4 ? c.after.component[i] : bottom;
        }
        CHECK(top >= 0 && bottom >= 0 && top != bottom);
        arena_release(&a);
    }
    free_kit(&k, mesh);
}

/* Points onto sub-voxels, or half way between them: links meet its edges and points exactly. */
static void snap_sheet(sheet* s, const matter* m) {
    for (int32_t i = 0; i < s->points; ++i) {
        lim_point p = p3_scale(p3_sub(s->point[i], m->corner), 1.0 / m->sub);
        p = p3(nearbyint(2.0 * p.x) / 2.0, nearbyint(2.0 * p.y) / 2.0, nearbyint(2.0 * p.z) / 2.0);
        s->point[i] = p3_mad(m->corner, p, m->sub);
    }
}

static int32_t specks_seen, splits_seen, glue_seen;

/* The hierarchy after a cut from the one before it, and whole. Then with other glue. */
static void check_pieces_follow(arena* a, const matter* m, const matter_change* c) {
    pieces tree, whole, followed;
    CHECK(pieces_build(a, m, &tree) == LIM_OK);
    pieces_before before = {m, &tree, c->source, c->touched};
    CHECK(pieces_build(a, &c->after, &whole) == LIM_OK);
    CHECK(pieces_follow(a, &c->after, &before, &followed) == LIM_OK);
    CHECK(same_pieces(&whole, &followed));
    random_stream r = random_seed((uint64_t)c->after.count);
    int32_t pair[2] = {random_index(&r, c->after.count), random_index(&r, c->after.count)};
    bool apart = pair[0] != pair[1] && c->after.glued_edges == 0;
    for (int32_t e = c->after.edge_offset[pair[0]]; e < c->after.edge_offset[pair[0] + 1]; ++e) {
        apart = apart && c->after.edge_node[e] != pair[1];
    }
    matter glued;
    CHECK(matter_glue(a, &c->after, pair, apart, &glued) == LIM_OK);
    CHECK(pieces_build(a, &glued, &whole) == LIM_OK);
    CHECK(pieces_follow(a, &glued, &before, &followed) == LIM_OK);
    CHECK(same_pieces(&whole, &followed));
}

/* Several strokes, each from what the last one left. */
static void check_strokes(shape* s, double side, bool glue, bool solid, int strokes,
                          uint64_t seed) {
    finest_kit k;
    lim_mesh* mesh;
    make_kit(&k, &mesh, s, side, glue, solid);
    random_stream r = random_seed(seed);
    arena a;
    arena_init(&a, NULL);
    CHECK(matter_is_valid(&k.m));
    matter m = k.m;
    for (int i = 0; i < strokes; ++i) {
        static sheet b;
        random_sheet(&b, &r, i % 2 == 0 ? 1.2 : 0.5);
        move_sheet(&b, middle_of(&m));
        if (i % 3 == 1) {
            snap_sheet(&b, &m);
        }
        cut_blade blade = view(&b);
        matter_change c;
        CHECK(matter_cut(&a, &m, &blade, -1, &c) == LIM_OK);
        specks_seen += oracle_check(&m, &blade, &c);
        splits_seen += c.new_fragments;
        glue_seen += m.glued_edges - c.after.glued_edges;
        check_pieces_follow(&a, &m, &c);
        m = c.after;
        /* The same blade again cuts nothing. */
        matter_change again;
        CHECK(matter_cut(&a, &m, &blade, -1, &again) == LIM_OK);
        CHECK(again.cut_edges == 0 && again.new_fragments == 0);
    }
    arena_release(&a);
    free_kit(&k, mesh);
}

static void strokes_equal_the_slow_way(void) {
    shape s = {0};
    for (uint64_t seed = 0; seed < (test_long ? 20 : 4); ++seed) {
        shape_sphere(&s, 0, 0, 0, 1, 12);
        check_strokes(&s, 0.19, true, true, 3, 10 + seed);
        shape_torus(&s, 1.0, 0.3, 30, 12);
        check_strokes(&s, 0.11, true, true, 3, 20 + seed);
        shape_box(&s, 0, 0, 0, 8, 3, 5);
        check_strokes(&s, 0.15, true, true, 3, 30 + seed);
        shape_sheet(&s, 5, 0.7);
        check_strokes(&s, 0.12, true, false, 2, 40 + seed);
        shape_fingers(&s, 0.37, 0.06);
        check_strokes(&s, 0.14, true, true, 3, 50 + seed);
    }
    /* Few: what lies beside a cut holds on over edges and corners. */
    CHECK(splits_seen > 100 && specks_seen >= 5);
}

/* Parts that only glue holds together. */
static void glue_is_cut_where_the_blade_passes(void) {
    shape s = {0};
    for (uint64_t seed = 0; seed < (test_long ? 20 : 4); ++seed) {
        random_stream r = random_seed(60 + seed);
        for (int32_t i = 0; i < 6; ++i) {
            double x = 3.0 * (double)random_unit(&r), y = 3.0 * (double)random_unit(&r);
            double z = 1.4 * i;
            shape_box(&s, x, y, z, x + 3, y + 3, z + 1);
        }
        check_strokes(&s, 0.12, true, true, 4, 70 + seed);
    }
    CHECK(glue_seen > 0);
    shape_box(&s, 0, 0, 0, 8, 3.8, 4);
    shape_box(&s, 0, 4.2, 0, 8, 8, 4);
    finest_kit k;
    lim_mesh* mesh;
    make_kit(&k, &mesh, &s, 1.0 / 8, true, true);
    CHECK(k.m.component_count == 1 && k.m.glued_edges > 0);
    static sheet b;
    random_stream r = random_seed(1);
    lim_point c = middle_of(&k.m);
    make_sheet(&b, 3, 4, p3_add(c, p3(-1, 0, -1)), p3(2, 0, 0), p3(0, 0, 2), 0.0, 0.0, &r);
    arena a;
    arena_init(&a, NULL);
    cut_blade blade = view(&b);
    matter_change change;
    CHECK(matter_cut(&a, &k.m, &blade, -1, &change) == LIM_OK);
    CHECK(change.after.component_count == 2 && change.after.unglued == NULL);
    arena_release(&a);
    free_kit(&k, mesh);
}

/* A stroke that ends inside leaves one component, and a second one from there on parts it. */
static void a_later_blade_goes_on(void) {
    shape s = {0};
    shape_box(&s, 0, 0, 0, 8, 8, 2);
    finest_kit k;
    lim_mesh* mesh;
    make_kit(&k, &mesh, &s, 1.0 / 8, true, true);
    random_stream r = random_seed(3);
    lim_point c = middle_of(&k.m);
    arena a;
    arena_init(&a, NULL);
    static sheet b;
    matter_change first, second;
    make_sheet(&b, 5, 9, p3_add(c, p3(-1, 0.013, -1)), p3(1.02, 0, 0), p3(0, 0, 2), 0.0, 0.0, &r);
    cut_blade blade = view(&b);
    CHECK(matter_cut(&a, &k.m, &blade, -1, &first) == LIM_OK);
    CHECK(first.cut_edges > 0 && first.after.component_count == 1 && first.after.wall_count > 0);
    make_sheet(&b, 7, 3, p3_add(c, p3(0.02, 0.013, -1)), p3(1, 0, 0), p3(0, 0, 2), 0.0, 0.0, &r);
    CHECK(matter_cut(&a, &first.after, &blade, -1, &second) == LIM_OK);
    CHECK(second.after.component_count == 2);
    arena_release(&a);
    free_kit(&k, mesh);
}

/* A blade that goes through two pieces at rest cuts the one that it is meant for. */
static void one_component_is_cut_alone(void) {
    shape s = {0};
    shape_box(&s, 0, 0, 0, 8, 8, 2);
    finest_kit k;
    lim_mesh* mesh;
    make_kit(&k, &mesh, &s, 1.0 / 8, true, true);
    random_stream r = random_seed(4);
    lim_point c = middle_of(&k.m);
    arena a;
    arena_init(&a, NULL);
    static sheet b;
    matter_change first, second;
    make_sheet(&b, 5, 5, p3_add(c, p3(-1, 0.013, -1)), p3(2, 0, 0), p3(0, 0, 2), 0.0, 0.0, &r);
    cut_blade blade = view(&b);
    CHECK(matter_cut(&a, &k.m, &blade, -1, &first) == LIM_OK);
    CHECK(first.after.component_count == 2);
    make_sheet(&b, 5, 5, p3_add(c, p3(0.011, -1, -1)), p3(0, 2, 0), p3(0, 0, 2), 0.0, 0.0, &r);
    blade = view(&b);
    for (int32_t only = -1; only < 2; ++only) {
        CHECK(matter_cut(&a, &first.after, &blade, only, &second) == LIM_OK);
        CHECK(matter_is_valid(&second.after));
        CHECK(second.after.component_count == (only < 0 ? 4 : 3));
        for (int32_t i = 0; i < second.after.count; ++i) {
            int32_t from = second.source[i];
            bool spared = only >= 0 && first.after.component[from] != only;
            CHECK(!spared || second.after.mask[i] == first.after.mask[from]);
        }
    }
    arena_release(&a);
    free_kit(&k, mesh);
}

static void bad_blades_are_refused(void) {
    shape s = {0};
    shape_box(&s, 0, 0, 0, 8, 8, 8);
    finest_kit k;
    lim_mesh* mesh;
    make_kit(&k, &mesh, &s, 1.0 / 4, true, true);
    arena a;
    arena_init(&a, NULL);
    lim_point p[3] = {{-1, -1, 0}, {2, -1, 0}, {-1, 2, 0}};
    int32_t t[3] = {0, 1, 2};
    cut_blade blade = {3, 1, p, t, NULL, false};
    matter_change c;
    const double bad[4] = {(double)NAN, (double)INFINITY, -1e12, 1e300};
    for (int i = 0; i < 4; ++i) {
        p[1].y = bad[i];
        CHECK(matter_cut(&a, &k.m, &blade, -1, &c) == LIM_ERROR_ARGUMENT);
    }
    p[1].y = -1;
    for (int i = 0; i < 2; ++i) {
        t[2] = i == 0 ? 3 : -1;
        CHECK(matter_cut(&a, &k.m, &blade, -1, &c) == LIM_ERROR_ARGUMENT);
    }
    t[2] = 1; /* no area, and far away: nothing is cut */
    CHECK(matter_cut(&a, &k.m, &blade, -1, &c) == LIM_OK && c.cut_edges == 0);
    t[2] = 2;
    p[0].z = p[1].z = p[2].z = 50;
    CHECK(matter_cut(&a, &k.m, &blade, -1, &c) == LIM_OK && c.cut_edges == 0 &&
          c.after.mask == k.m.mask && c.after.edge_node == k.m.edge_node);
    arena_release(&a);
    free_kit(&k, mesh);
}

/* ---- memory of its own -------------------------------------------------------------------------
 */

enum { ARRAYS = 12 };
typedef struct array_view {
    void* data;
    size_t bytes;
} array_view;

static void view_arrays(const matter* m, array_view out[ARRAYS]) {
    size_t n = (size_t)m->count, edges = (size_t)m->edge_offset[n];
    size_t glue = m->unglued != NULL ? 2 * (size_t)m->glued_edges : 0;
    const array_view all[ARRAYS] = {
        {m->key, n * sizeof *m->key},
        {m->mask, n * sizeof *m->mask},
        {m->soft, m->soft != NULL ? n * sizeof *m->soft : 0},
        {m->volume, n * sizeof *m->volume},
        {m->centroid, n * sizeof *m->centroid},
        {m->moment, n * sizeof *m->moment},
        {m->edge_offset, (n + 1) * sizeof *m->edge_offset},
        {m->edge_node, edges * sizeof *m->edge_node},
        {m->component, n * sizeof *m->component},
        {m->unglued, m->unglued != NULL ? n * sizeof *m->unglued : 0},
        {m->glue, glue * sizeof *m->glue},
        {m->wall, (size_t)m->wall_count * sizeof *m->wall},
    };
    memcpy(out, all, sizeof all);
}

/* Settles `after`, some arrays of which are those of `before` or in `scratch`, the others those of
 * `made`: it has what it had when both are gone, and what was made is where it was. */
static void check_settled(arena* keep, const matter* before, const matter* made, matter* after) {
    array_view was[ARRAYS], then[ARRAYS], now[ARRAYS], all[ARRAYS];
    view_arrays(before, was);
    view_arrays(made, then);
    view_arrays(after, all);
    for (int i = 0; i < ARRAYS; ++i) {
        void* copy = malloc(all[i].bytes + 1);
        memcpy(copy, all[i].bytes > 0 ? all[i].data : "", all[i].bytes);
        now[i] = (array_view){copy, all[i].bytes};
    }
    CHECK(matter_settle(keep, before, made, after) == LIM_OK);
    array_view settled[ARRAYS];
    view_arrays(after, settled);
    for (int i = 0; i < ARRAYS; ++i) {
        bool stays = all[i].data == then[i].data && all[i].data != was[i].data;
        CHECK((settled[i].data == all[i].data) == stays || all[i].bytes == 0);
        if (!stays && all[i].bytes > 0) {
            memset(all[i].data, 0xA5, all[i].bytes);
        }
    }
    view_arrays(after, settled);
    for (int i = 0; i < ARRAYS; ++i) {
        CHECK(settled[i].bytes == now[i].bytes &&
              (now[i].bytes == 0 || memcmp(settled[i].data, now[i].data, now[i].bytes) == 0));
        free(now[i].data);
    }
}

/* Material that a blade has missed, that it has cut, and that was glued and weighed anew elsewhere
 * since: with soft sub-voxels and walls from a cut before. */
static void settled_material_stands_alone(void) {
    for (int round = 0; round < 4; ++round) {
        shape s = {0};
        shape_box(&s, 0, 0, 0, 8, 8, 8);
        finest_kit k;
        lim_mesh* mesh;
        make_kit(&k, &mesh, &s, 1.0 / 4, true, true);
        arena keep, scratch;
        arena_init(&keep, NULL);
        arena_init(&scratch, NULL);
        static sheet b;
        random_stream r = random_seed(4);
        lim_point at = middle_of(&k.m);
        make_sheet(&b, 5, 9, p3_add(at, p3(-1, 0.013, -1)), p3(2, 0, 0), p3(0, 0, 1.2), 0.0, 0.0,
                   &r);
        cut_blade blade = view(&b);
        matter_change first, c;
        CHECK(matter_cut(&scratch, &k.m, &blade, -1, &first) == LIM_OK);
        CHECK(first.after.wall_count > 1 && first.after.component_count == 1);
        const int32_t pair[4] = {0, first.after.count - 1, 1, first.after.count - 2};
        matter before = round == 0 ? k.m : first.after;
        if (round >= 2) {
            CHECK(matter_glue(&scratch, &first.after, pair, 2, &before) == LIM_OK);
        }
        move_sheet(&b, p3(round % 2 == 0 ? 50 : 0, 0.3, 0)); /* beside it, or through it */
        CHECK(matter_cut(&keep, &before, &blade, -1, &c) == LIM_OK);
        CHECK((c.new_fragments > 0) == (round % 2 == 1));
        matter made = c.after;
        if (round == 3) {
            const int32_t again[2] = {0, made.count - 1};
            CHECK(matter_glue(&scratch, &made, again, 1, &c.after) == LIM_OK);
            c.after.volume = ARENA_ARRAY(&scratch, double, made.count);
            for (int32_t i = 0; i < made.count; ++i) {
                c.after.volume[i] = 0.5 * made.volume[i];
            }
        }
        check_settled(&keep, &before, &made, &c.after);
        arena_release(&scratch);
        arena_release(&keep);
        free_kit(&k, mesh);
    }
}

static void what_is_broken_is_not_valid(void) {
    shape s = {0};
    shape_box(&s, 0, 0, 0, 8, 8, 8);
    finest_kit k;
    lim_mesh* mesh;
    make_kit(&k, &mesh, &s, 1.0 / 4, true, true);
    arena a;
    arena_init(&a, NULL);
    static sheet b;
    random_stream r = random_seed(3);
    make_sheet(&b, 5, 9, p3_add(middle_of(&k.m), p3(-1, 0.013, -1)), p3(2, 0, 0), p3(0, 0, 2), 0.0,
               0.0, &r);
    cut_blade blade = view(&b);
    matter_change c;
    CHECK(matter_cut(&a, &k.m, &blade, -1, &c) == LIM_OK);
    matter* m = &c.after;
    CHECK(matter_is_valid(m) && m->wall_count > 1);
    uint64_t mask = m->mask[1], key = m->key[2];
    m->mask[1] = 0x8000000000000001u; /* two sub-voxels that do not touch */
    CHECK(!matter_is_valid(m));
    m->mask[1] = mask;
    m->key[2] = m->key[0];
    CHECK(!matter_is_valid(m));
    m->key[2] = key;
    m->edge_node[0]++;
    CHECK(!matter_is_valid(m));
    m->edge_node[0]--;
    m->component[3] = 5;
    CHECK(!matter_is_valid(m));
    m->component[3] = 0;
    m->volume[2] = -m->volume[2];
    CHECK(!matter_is_valid(m));
    m->volume[2] = -m->volume[2];
    m->wall[1].key = m->wall[0].key;
    CHECK(!matter_is_valid(m));
    m->wall[1].key = c.after.wall[0].key + 1000000;
    CHECK(!matter_is_valid(m));
    arena_release(&a);
    free_kit(&k, mesh);
}

static void every_failed_allocation_is_survived(void) {
    shape s = {0};
    shape_box(&s, 0, 0, 0, 1, 1, 1);
    shape_box(&s, 1.05, 0, 0, 2, 1, 1);
    finest_kit k;
    lim_mesh* mesh;
    make_kit(&k, &mesh, &s, 0.1, true, true);
    static sheet b;
    random_stream r = random_seed(3);
    make_sheet(&b, 5, 9, p3_add(middle_of(&k.m), p3(-1, 0.013, -1)), p3(2, 0.1, 0), p3(0, 0, 2),
               0.0, 0.0, &r);
    cut_blade blade = view(&b);
    bool finished = false;
    for (int64_t n = 0; !finished && n < 1000; ++n) {
        failing_host f;
        failing_host_arm(&f, n);
        arena a;
        arena_init(&a, &f.host);
        matter_change c;
        lim_result result = matter_cut(&a, &k.m, &blade, -1, &c);
        finished = result == LIM_OK;
        CHECK(finished ? c.cut_edges > 0 : result == LIM_ERROR_MEMORY && c.after.count == 0);
        arena_release(&a);
        CHECK(f.held == 0);
    }
    CHECK(finished && matter_is_valid(&k.m));
    free_kit(&k, mesh);
}

TEST_SUITE(matter_cut) {
    TEST_BEGIN(argc, argv);
    RUN(planes_part_a_block_exactly);
    RUN(bent_strips_part_a_block);
    RUN(strokes_equal_the_slow_way);
    RUN(glue_is_cut_where_the_blade_passes);
    RUN(a_later_blade_goes_on);
    RUN(one_component_is_cut_alone);
    RUN(bad_blades_are_refused);
    RUN(settled_material_stands_alone);
    RUN(what_is_broken_is_not_valid);
    RUN(every_failed_allocation_is_survived);
    TEST_END();
}
