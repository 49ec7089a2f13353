/* SPDX-License-Identifier: MIT
 * Job: links of sub-voxels against a blade. In: a material, blade triangles. Out: for each cell
 * near them the links that they cut. Per triangle: the cells its plane passes through; of their
 * sub-voxels those whose link leads through the plane; of these the ones that pass all three edges
 * on the same side.
 *
 * All signs are exact, and none is 0: sub-voxels are thought of as moved by (e, e^2, e^3), e
 * smaller than anything (Edelsbrunner and Muecke 1990, "Simulation of simplicity", here one move
 * for all points, so that it is a move of the blade as a whole). With n the normal and k = (b - a)
 * x d of an edge a b and a link along d,
 *     side of p:  n . (p - a),            then the first of n_x, n_y, n_z that is not 0
 *     side of the edge:  k . (a - p),     then the first of -k_x, -k_y, -k_z that is not 0.
 * k is 0 for links along the edge alone; their ends are on one side of the plane.
 */
#include "sample/matter_links.h"

#include "math/predicates.h"

#include <string.h>

static const double FARTHEST = 8388608.0; /* 2^23 */
static const double ROUND = 0x1p-53;

lim_point grid_place(const matter* m, lim_point unit) {
    return p3((unit.x - m->corner.x) / m->sub - 0.5, (unit.y - m->corner.y) / m->sub - 0.5,
              (unit.z - m->corner.z) / m->sub - 0.5);
}

/* To a multiple of 2^-28: the sum has no finer bits. */
static double rounded(double x) {
    const double shift = 0x1.8p24;
    return (x + shift) - shift;
}

lim_point grid_round(lim_point grid) {
    return p3(rounded(grid.x), rounded(grid.y), rounded(grid.z));
}

lim_result grid_blade_make(arena* a, const matter* m, const cut_blade* blade, grid_blade* out) {
    if (blade->point_count < 0 || blade->triangle_count < 0) {
        return LIM_ERROR_ARGUMENT;
    }
    *out = (grid_blade){blade->triangle_count, ARENA_ARRAY(a, lim_point, blade->point_count),
                        blade->triangle};
    LIM_TRY_MEMORY(out->point);
    for (int32_t i = 0; i < blade->point_count; ++i) {
        lim_point p = grid_place(m, blade->point[i]);
        if (!(fabs(p.x) < FARTHEST && fabs(p.y) < FARTHEST && fabs(p.z) < FARTHEST)) {
            return LIM_ERROR_ARGUMENT;
        }
        out->point[i] = grid_round(p);
    }
    for (int64_t i = 0; i < 3 * (int64_t)blade->triangle_count; ++i) {
        if (blade->triangle[i] < 0 || blade->triangle[i] >= blade->point_count) {
            return LIM_ERROR_ARGUMENT;
        }
    }
    return LIM_OK;
}

/* Sign of n_x, or of the first component that is not 0; 0: no area. */
static int normal_tie(const lim_point t[3]) {
    double q[3][3];
    for (int k = 0; k < 3; ++k) {
        q[k][0] = t[k].x;
        q[k][1] = t[k].y;
        q[k][2] = t[k].z;
    }
    int sign = 0;
    for (int axis = 0; axis < 3 && sign == 0; ++axis) {
        int u = (axis + 1) % 3, v = (axis + 2) % 3;
        const double a[2] = {q[0][u], q[0][v]}, b[2] = {q[1][u], q[1][v]},
                     c[2] = {q[2][u], q[2][v]};
        sign = orient2d(a, b, c);
    }
    return sign;
}

static int first_sign(lim_point k) {
    double x = k.x != 0.0 ? k.x : k.y != 0.0 ? k.y : k.z;
    return (x > 0.0) - (x < 0.0);
}

/* An edge as links of one way see it. */
typedef struct edge_way {
    lim_point a, b, k; /* k is exact */
    int tie;
} edge_way;

static edge_way edge_of(lim_point a, lim_point b, lim_point d) {
    edge_way e = {.a = a, .b = b, .k = p3_cross(p3_sub(b, a), d)};
    e.tie = -first_sign(e.k);
    return e;
}

static inline int side_of_edge(const edge_way* e, lim_point p, lim_point d) {
    double x = e->k.x * (e->a.x - p.x), y = e->k.y * (e->a.y - p.y), z = e->k.z * (e->a.z - p.z);
    double sum = x + y + z, bound = 4.0 * ROUND * (fabs(x) + fabs(y) + fabs(z));
    if (sum > bound) {
        return 1;
    }
    if (sum < -bound) {
        return -1;
    }
    int sign = orient3d(p, p3_add(p, d), e->a, e->b);
    return sign != 0 ? sign : e->tie;
}

static inline bool passes(const edge_way e[3], lim_point p, lim_point d) {
    int sign = side_of_edge(&e[0], p, d);
    return sign == side_of_edge(&e[1], p, d) && sign == side_of_edge(&e[2], p, d);
}

/* Sign of the first component of u x v that is not 0. */
static int cross_tie(lim_point u, lim_point v) {
    const double zero[2] = {0.0, 0.0};
    const double a[3][2] = {{u.y, u.z}, {u.z, u.x}, {u.x, u.y}};
    const double b[3][2] = {{v.y, v.z}, {v.z, v.x}, {v.x, v.y}};
    int sign = 0;
    for (int k = 0; k < 3 && sign == 0; ++k) {
        sign = orient2d(zero, a[k], b[k]);
    }
    return sign;
}

bool grid_line_passes(const lim_point t[3], lim_point p, lim_point q) {
    int first = 0;
    for (int k = 0; k < 3; ++k) {
        lim_point a = t[k], b = t[(k + 1) % 3];
        int side = orient3d(p, q, a, b);
        side = side != 0 ? side : -cross_tie(p3_sub(b, a), p3_sub(q, p));
        first = k == 0 ? side : first;
        if (side == 0 || side != first) {
            return false;
        }
    }
    return true;
}

bool grid_segment_crosses(const lim_point t[3], lim_point p, lim_point q) {
    int s = orient3d(t[0], t[1], t[2], p), e = orient3d(t[0], t[1], t[2], q);
    int tie = s == 0 || e == 0 ? normal_tie(t) : 0; /* 0: no area, or nothing to decide */
    return (s != 0 ? s : tie) != (e != 0 ? e : tie) && grid_line_passes(t, p, q);
}

bool grid_segment_is_cut(const grid_blade* blade, lim_point from, lim_point to) {
    from = grid_round(from);
    to = grid_round(to);
    lim_point low = p3_min(from, to), high = p3_max(from, to);
    for (int32_t t = 0; t < blade->triangle_count; ++t) {
        lim_point c[3];
        for (int k = 0; k < 3; ++k) {
            c[k] = blade->point[blade->triangle[3 * (size_t)t + (size_t)k]];
        }
        lim_point lower = p3_min(p3_min(c[0], c[1]), c[2]);
        lim_point upper = p3_max(p3_max(c[0], c[1]), c[2]);
        bool apart = lower.x > high.x || lower.y > high.y || lower.z > high.z || upper.x < low.x ||
                     upper.y < low.y || upper.z < low.z;
        if (!apart && grid_segment_crosses(c, from, to)) {
            return true;
        }
    }
    return false;
}

/* Which of the 6 x 6 x 5 sub-voxels of a cell and around it (from -1, -1, 0) are above a plane. */
typedef struct above_set {
    uint64_t slice[5]; /* bit (x + 1) + 6 (y + 1) */
} above_set;

typedef struct sweep {
    matter_links* l;
    lim_point corner[3], normal;
    double bound; /* on the error of a distance, for points of the box */
    int tie;
    int32_t low[3], high[3]; /* sub-voxels from which a link may meet the triangle */
    edge_way edge[LINK_WAYS][3];
    uint32_t known; /* bit i: edges as way i sees them */
} sweep;

static int32_t floor_of(double x) {
    int32_t i = (int32_t)x;
    return (double)i > x ? i - 1 : i;
}

static const edge_way* edges_along(sweep* s, int way, lim_point d) {
    for (int k = 0; k < 3 && (s->known >> way & 1u) == 0; ++k) {
        s->edge[way][k] = edge_of(s->corner[k], s->corner[(k + 1) % 3], d);
    }
    s->known |= 1u << way;
    return s->edge[way];
}

static int exact_side(const sweep* s, lim_point p) {
    int sign = orient3d(s->corner[0], s->corner[1], s->corner[2], p);
    return sign != 0 ? sign : s->tie;
}

/* Only within the box and around it. */
static above_set find_above(const sweep* s, const int32_t place[3]) {
    above_set out = {{0}};
    int from[3], to[3];
    for (int k = 0; k < 3; ++k) {
        int32_t low = s->low[k] - 1 - 4 * place[k], high = s->high[k] + 1 - 4 * place[k];
        int least = k == 2 ? 0 : -1;
        from[k] = low > least ? (int)low : least;
        to[k] = high < 4 ? (int)high : 4;
    }
    lim_point base = p3_sub(p3(4.0 * place[0], 4.0 * place[1], 4.0 * place[2]), s->corner[0]);
    for (int z = from[2]; z <= to[2]; ++z) {
        for (int y = from[1]; y <= to[1]; ++y) {
            double height = p3_dot(p3(base.x + from[0], base.y + y, base.z + z), s->normal);
            uint64_t row = 0;
            for (int x = from[0]; x <= to[0]; ++x, height += s->normal.x) {
                bool above = height > 0.0;
                if (fabs(height) <= s->bound) {
                    above = exact_side(s, p3(4.0 * place[0] + x, 4.0 * place[1] + y,
                                             4.0 * place[2] + z)) > 0;
                }
                row |= (uint64_t)above << (x + 1);
            }
            out.slice[z] |= row << (6 * (y + 1));
        }
    }
    return out;
}

/* Bit v of the result: whether sub-voxel v + d is above. */
static uint64_t above_along(const above_set* set, const int d[3]) {
    uint64_t out = 0;
    for (int z = 0; z < 4; ++z) {
        uint64_t rows = set->slice[z + d[2]] >> (7 + d[0] + 6 * d[1]);
        rows = (rows & 0xF) | (rows >> 2 & 0xF0) | (rows >> 4 & 0xF00) | (rows >> 6 & 0xF000);
        out |= rows << (16 * z);
    }
    return out;
}

/* Sub-voxels of a cell within the box of the triangle. */
static uint64_t box_mask(const sweep* s, const int32_t place[3]) {
    uint64_t m = MASK_ALL;
    for (int axis = 0; axis < 3; ++axis) {
        int32_t from = s->low[axis] - 4 * place[axis], to = s->high[axis] + 1 - 4 * place[axis];
        from = from < 0 ? 0 : from > 4 ? 4 : from;
        to = to < 0 ? 0 : to > 4 ? 4 : to;
        m &= mask_below(axis, to) & ~mask_below(axis, from);
    }
    return m;
}

static lim_result cut_cell(sweep* s, int32_t cell, const int32_t place[3]) {
    uint64_t box = box_mask(s, place);
    if (box == 0) {
        return LIM_OK;
    }
    near_cell* c = matter_links_near(s->l, cell);
    LIM_TRY_MEMORY(c);
    above_set set = find_above(s, place);
    const int none[3] = {0, 0, 0};
    uint64_t above = above_along(&set, none);
    for (int i = 0; i < LINK_WAYS; ++i) {
        int way[3];
        link_way(i, way);
        uint64_t left = c->has[i] & box & ~c->wall.cut[i];
        left &= left != 0 ? above ^ above_along(&set, way) : 0;
        if (left == 0) {
            continue;
        }
        lim_point d = p3(way[0], way[1], way[2]);
        const edge_way* edge = edges_along(s, i, d);
        for (; left != 0; left &= left - 1) {
            int bit = mask_lowest(left);
            lim_point p = p3(4.0 * place[0] + (bit & 3), 4.0 * place[1] + (bit >> 2 & 3),
                             4.0 * place[2] + (bit >> 4));
            if (passes(edge, p, d)) {
                c->wall.cut[i] |= left & (~left + 1);
                s->l->changed += !c->changed;
                c->changed = true;
            }
        }
    }
    return LIM_OK;
}

/* Is the plane farther from all sub-voxels of a cell and those next to it than rounding may err? */
static bool clears(const sweep* s, const int32_t place[3]) {
    lim_point middle = p3(4.0 * place[0] + 1.5, 4.0 * place[1] + 1.5, 4.0 * place[2] + 2.0);
    double reach = 2.5 * (fabs(s->normal.x) + fabs(s->normal.y)) + 2.0 * fabs(s->normal.z);
    return fabs(p3_dot(p3_sub(middle, s->corner[0]), s->normal)) > reach + s->bound;
}

static void set_box(sweep* s, const lim_point c[3]) {
    lim_point low = p3_min(p3_min(c[0], c[1]), c[2]), high = p3_max(p3_max(c[0], c[1]), c[2]);
    const double lower[3] = {low.x, low.y, low.z}, upper[3] = {high.x, high.y, high.z};
    for (int k = 0; k < 3; ++k) {
        s->low[k] = -floor_of(-lower[k]) - 1;
        s->high[k] = floor_of(upper[k]) + (k < 2); /* no way goes down along z */
    }
}

static lim_result cut_by_triangle(sweep* s) {
    const lim_point* c = s->corner;
    lim_point u = p3_sub(c[1], c[0]), v = p3_sub(c[2], c[0]);
    s->tie = normal_tie(c);
    s->known = 0;
    if (s->tie == 0) {
        return LIM_OK;
    }
    set_box(s, c);
    s->normal = p3_cross(u, v);
    double size = 24.0; /* how far, in sum, the corners of cells may lie outside of the box */
    for (int k = 0; k < 3; ++k) {
        size += (double)s->high[k] - s->low[k];
    }
    s->bound = 64.0 * ROUND * size * (fabs(u.x) + fabs(u.y) + fabs(u.z)) *
               (fabs(v.x) + fabs(v.y) + fabs(v.z));
    int32_t from[3], to[3], extent = (int32_t)1 << s->l->m->level;
    for (int k = 0; k < 3; ++k) {
        from[k] = s->low[k] < 0 ? 0 : s->low[k] / 4;
        to[k] = s->high[k] < 0 ? -1 : s->high[k] / 4;
        to[k] = to[k] < extent ? to[k] : extent - 1;
    }
    int32_t p[3];
    for (p[2] = from[2]; p[2] <= to[2]; ++p[2]) {
        for (p[1] = from[1]; p[1] <= to[1]; ++p[1]) {
            for (p[0] = from[0]; p[0] <= to[0]; ++p[0]) {
                int32_t cell = clears(s, p) ? -1 : matter_cells_at(s->l->cells, p[0], p[1], p[2]);
                LIM_TRY(cell >= 0 ? cut_cell(s, cell, p) : LIM_OK);
            }
        }
    }
    return LIM_OK;
}

/* Bit v: bit v + d of the 27 cells around. */
static uint64_t material_along(const uint64_t m[27], const int d[3]) {
    uint64_t row[9] = {0}, plane[3] = {0};
    for (int z = d[2] < 0 ? 0 : 1; z <= (d[2] > 0 ? 2 : 1); ++z) {
        for (int y = d[1] < 0 ? 0 : 1; y <= (d[1] > 0 ? 2 : 1); ++y) {
            const uint64_t* at = m + 9 * z + 3 * y;
            row[3 * z + y] = mask_shift(at[1], 0, d[0], at[1 + d[0]]);
        }
        plane[z] = mask_shift(row[3 * z + 1], 1, d[1], row[3 * z + 1 + d[1]]);
    }
    return mask_shift(plane[1], 2, d[2], plane[1 + d[2]]);
}

static uint64_t material_of(const matter_links* l, int32_t cell) {
    uint64_t all = 0;
    for (int32_t i = l->cells->first[cell]; i < l->cells->first[cell + 1]; ++i) {
        all |= l->m->mask[i];
    }
    return all;
}

near_cell* matter_links_near(matter_links* l, int32_t cell) {
    if (l->slot[cell] > 0) {
        return &l->near.data[l->slot[cell] - 1];
    }
    octant o = octant_of(l->cells->key[cell]);
    const matter_wall* wall = matter_wall_of(l->m, l->cells->key[cell]);
    near_cell c = {.cell = cell, .place = {o.x, o.y, o.z}, .wall = {.key = l->cells->key[cell]}};
    c.wall = wall != NULL ? *wall : c.wall;
    uint64_t material[27] = {0};
    for (int k = 0; k < 27; ++k) {
        c.near[k] = k == 13 ? cell
                            : matter_cells_at(l->cells, o.x + k % 3 - 1, o.y + k / 3 % 3 - 1,
                                              o.z + k / 9 - 1);
        material[k] = c.near[k] >= 0 ? material_of(l, c.near[k]) : 0;
    }
    for (int i = 0; i < LINK_WAYS; ++i) {
        int d[3];
        link_way(i, d);
        c.has[i] = material[13] & material_along(material, d);
    }
    if (!ARRAY_PUSH(&l->host, &l->near, c)) {
        return NULL;
    }
    l->slot[cell] = l->near.count;
    return &l->near.data[l->near.count - 1];
}

const uint64_t* matter_links_of(const matter_links* l, int32_t cell) {
    int32_t slot = l->slot[cell];
    const matter_wall* wall =
        slot > 0 ? &l->near.data[slot - 1].wall : matter_wall_of(l->m, l->cells->key[cell]);
    uint64_t any = 0;
    for (int i = 0; i < MATTER_WAYS && wall != NULL; ++i) {
        any |= wall->cut[i];
    }
    return any != 0 ? wall->cut : NULL;
}

static lim_result begin(arena* a, const matter* m, const matter_cells* cells, matter_links* out) {
    *out = (matter_links){.host = a->host, .m = m, .cells = cells};
    out->slot = ARENA_ARRAY(a, int32_t, cells->count);
    LIM_TRY_MEMORY(out->slot);
    return LIM_OK;
}

static lim_result cut_all(matter_links* l, const grid_blade* blade) {
    sweep s = {.l = l};
    for (int32_t t = 0; t < blade->triangle_count; ++t) {
        for (int k = 0; k < 3; ++k) {
            s.corner[k] = blade->point[blade->triangle[3 * (size_t)t + (size_t)k]];
        }
        LIM_TRY(cut_by_triangle(&s));
    }
    return LIM_OK;
}

lim_result matter_links_cut(arena* a, const matter* m, const matter_cells* cells,
                            const grid_blade* blade, matter_links* out) {
    LIM_TRY(begin(a, m, cells, out));
    return cut_all(out, blade);
}

lim_result matter_links_take(arena* a, const matter* m, const matter_cells* cells,
                             const matter_wall* wall, int32_t count, matter_links* out) {
    LIM_TRY(begin(a, m, cells, out));
    for (int32_t i = 0; i < count; ++i) {
        int32_t cell = matter_cells_find(cells, wall[i].key);
        near_cell* c = cell >= 0 ? matter_links_near(out, cell) : NULL;
        if (cell >= 0 && c == NULL) {
            return LIM_ERROR_MEMORY;
        }
        for (int k = 0; k < LINK_WAYS && c != NULL; ++k) {
            uint64_t more = wall[i].cut[k] & c->has[k] & ~c->wall.cut[k];
            c->wall.cut[k] |= more;
            out->changed += more != 0 && !c->changed;
            c->changed = c->changed || more != 0;
        }
    }
    return LIM_OK;
}

void matter_links_release(matter_links* l) {
    ARRAY_FREE(&l->host, &l->near);
}
