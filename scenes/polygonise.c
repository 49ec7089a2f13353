/* SPDX-License-Identifier: MIT
 *
 * Dual surfaces of a field. In: a shape and a wished number of triangles. Out: a closed manifold
 * mesh whose vertices lie on the surface and whose triangles are even.
 *
 * The field is sampled on a grid. Each cell gets one vertex for each loop in which the surface
 * crosses it (dual marching cubes, Nielson 2004; surface nets, Gibson 1998), each grid edge that
 * changes sign gives a quad between its four cells. On a face with four crossings inside corners
 * are kept apart; the rule sees only the face, so both of its cells agree and the surface closes.
 * Vertices are then evened out along the surface and brought back onto it by Newton steps, and each
 * quad is split along the diagonal that leaves the larger smallest angle. The one way in which dual
 * surfaces can fail to be manifold (two loops that meet twice across one face) is looked for; a
 * slightly finer grid is taken when it happens.
 */
#include "polygonise.h"

#include "base/sort.h"

typedef struct grid {
    lim_point origin;
    double cell;
    int32_t n[3]; /* points per axis */
    float* value;
} grid;

/* Loops of each of the 256 sign patterns of a cell: which loop each of the 12 edges lies on. Corner
 * c has the offsets (c & 1, c >> 1 & 1, c >> 2); edge 4a + b + 2c runs along axis a at the offsets
 * b, c on the next two axes. */
typedef struct loop_table {
    uint8_t count[256];
    uint8_t loop[256][12]; /* 255: the edge does not change sign */
} loop_table;

enum { RELAX_ROUNDS = 10, GRID_POINTS_MOST = 100000000, ATTEMPTS = 12, BLOCK = 4 };

static int edge_start(int edge) {
    int axis = edge / 4, b = (axis + 1) % 3, c = (axis + 2) % 3;
    return ((edge & 1) << b) | ((edge >> 1 & 1) << c);
}

static int edge_between(int p, int q) {
    int low = p < q ? p : q, difference = p ^ q;
    int axis = difference == 1 ? 0 : difference == 2 ? 1 : 2;
    int b = (axis + 1) % 3, c = (axis + 2) % 3;
    return 4 * axis + (low >> b & 1) + 2 * (low >> c & 1);
}

static void join(uint8_t* group, int a, int b) {
    uint8_t from = group[a], to = group[b];
    for (int e = 0; e < 12; ++e) {
        group[e] = group[e] == from ? to : group[e];
    }
}

static void loop_table_fill(loop_table* table) {
    for (int signs = 0; signs < 256; ++signs) {
        uint8_t group[12];
        for (int e = 0; e < 12; ++e) {
            group[e] = (uint8_t)e;
        }
        for (int face = 0; face < 6; ++face) {
            int axis = face / 2, b = (axis + 1) % 3, c = (axis + 2) % 3;
            int base = (face & 1) << axis;
            int corner[4] = {base, base | 1 << b, base | 1 << b | 1 << c, base | 1 << c};
            int crossing[4], crossings = 0;
            for (int i = 0; i < 4; ++i) {
                int p = corner[i], q = corner[(i + 1) % 4];
                if ((signs >> p & 1) != (signs >> q & 1)) {
                    crossing[crossings++] = edge_between(p, q);
                }
            }
            if (crossings == 2) {
                join(group, crossing[0], crossing[1]);
            } else if (crossings == 4) {
                for (int i = 0; i < 4; ++i) {
                    if (signs >> corner[i] & 1) {
                        join(group, edge_between(corner[(i + 3) % 4], corner[i]),
                             edge_between(corner[i], corner[(i + 1) % 4]));
                    }
                }
            }
        }
        uint8_t name[12], count = 0;
        for (int e = 0; e < 12; ++e) {
            name[e] = 255;
        }
        for (int e = 0; e < 12; ++e) {
            int p = edge_start(e), q = p | 1 << e / 4;
            table->loop[signs][e] = 255;
            if ((signs >> p & 1) != (signs >> q & 1)) {
                if (name[group[e]] == 255) {
                    name[group[e]] = count++;
                }
                table->loop[signs][e] = name[group[e]];
            }
        }
        table->count[signs] = count;
    }
}

static size_t grid_index(const grid* g, int32_t x, int32_t y, int32_t z) {
    return ((size_t)z * (size_t)g->n[1] + (size_t)y) * (size_t)g->n[0] + (size_t)x;
}

static int32_t block_end(const grid* g, int axis, int32_t begin) {
    return begin + BLOCK < g->n[axis] ? begin + BLOCK : g->n[axis];
}

/* Values at the points of a block, from the parts that are near it. Where the surface is farther
 * than the next points beyond the block, only the sign counts. */
static void sample_block(const implicit_shape* shape, grid* g, int32_t x0, int32_t y0, int32_t z0) {
    double cell = g->cell, half = 0.5 * (BLOCK - 1) * cell, radius = 1.8 * half;
    lim_point at = p3(x0 * cell + half, y0 * cell + half, z0 * cell + half);
    implicit_near near;
    implicit_near_find(shape, p3_add(g->origin, at), radius, &near);
    double middle = implicit_near_value(&near, near.middle);
    bool far = fabs(middle) > IMPLICIT_STEEPEST * (radius + cell);
    for (int32_t z = z0; z < block_end(g, 2, z0); ++z) {
        for (int32_t y = y0; y < block_end(g, 1, y0); ++y) {
            for (int32_t x = x0; x < block_end(g, 0, x0); ++x) {
                at = p3_add(g->origin, p3(x * cell, y * cell, z * cell));
                bool border = x == 0 || y == 0 || z == 0 || x == g->n[0] - 1 || y == g->n[1] - 1 ||
                              z == g->n[2] - 1;
                double value = border ? 1.0 : far ? middle : implicit_near_value(&near, at);
                g->value[grid_index(g, x, y, z)] = (float)value;
            }
        }
    }
}

static lim_result grid_sample(const implicit_shape* shape, double cell, arena* scratch, grid* g) {
    lim_box box = implicit_bounds(shape);
    double side[3] = {box.upper.x - box.lower.x, box.upper.y - box.lower.y,
                      box.upper.z - box.lower.z};
    g->cell = cell;
    int64_t total = 1;
    for (int i = 0; i < 3; ++i) {
        double points = side[i] / cell;
        if (!(points < 4000.0)) {
            return LIM_ERROR_TOO_LARGE;
        }
        g->n[i] = (int32_t)points + 4;
        total *= g->n[i];
    }
    if (total > GRID_POINTS_MOST) {
        return LIM_ERROR_TOO_LARGE;
    }
    /* An odd shift keeps flat faces off the grid planes. */
    g->origin = p3_sub(box.lower, p3(1.37 * cell, 1.41 * cell, 1.43 * cell));
    g->value = ARENA_ARRAY(scratch, float, total);
    LIM_TRY_MEMORY(g->value);
    for (int32_t z = 0; z < g->n[2]; z += BLOCK) {
        for (int32_t y = 0; y < g->n[1]; y += BLOCK) {
            for (int32_t x = 0; x < g->n[0]; x += BLOCK) {
                sample_block(shape, g, x, y, z);
            }
        }
    }
    return LIM_OK;
}

static int32_t grid_crossings(const grid* g) {
    size_t stride[3] = {1, (size_t)g->n[0], (size_t)g->n[0] * (size_t)g->n[1]};
    int32_t count = 0;
    for (int32_t z = 0; z < g->n[2]; ++z) {
        for (int32_t y = 0; y < g->n[1]; ++y) {
            for (int32_t x = 0; x < g->n[0]; ++x) {
                int32_t at[3] = {x, y, z};
                const float* v = &g->value[grid_index(g, x, y, z)];
                for (int axis = 0; axis < 3; ++axis) {
                    count += at[axis] + 1 < g->n[axis] && (*v < 0.0f) != (v[stride[axis]] < 0.0f);
                }
            }
        }
    }
    return count;
}

static int cell_signs(const grid* g, int32_t x, int32_t y, int32_t z) {
    int signs = 0;
    for (int c = 0; c < 8; ++c) {
        signs |= (g->value[grid_index(g, x + (c & 1), y + (c >> 1 & 1), z + (c >> 2))] < 0.0f) << c;
    }
    return signs;
}

/* Quads and one vertex per loop, at the mean of the loop's crossings. */
typedef struct quad_mesh {
    int32_t vertex_count, quad_count;
    lim_point* position;
    lim_point* normal;
    int32_t* quad; /* 4 vertices each */
} quad_mesh;

static void cell_vertices(const grid* g, const loop_table* table, const int32_t at[3], int signs,
                          lim_point* out) {
    lim_point sum[4] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    int count[4] = {0, 0, 0, 0};
    for (int e = 0; e < 12; ++e) {
        int loop = table->loop[signs][e];
        if (loop == 255) {
            continue;
        }
        int axis = e / 4, p = edge_start(e), q = p | 1 << axis;
        double a =
            (double)
                g->value[grid_index(g, at[0] + (p & 1), at[1] + (p >> 1 & 1), at[2] + (p >> 2))];
        double b =
            (double)
                g->value[grid_index(g, at[0] + (q & 1), at[1] + (q >> 1 & 1), at[2] + (q >> 2))];
        double t = a / (a - b); /* signs differ: a - b is not 0 */
        double o[3] = {(double)(at[0] + (p & 1)), (double)(at[1] + (p >> 1 & 1)),
                       (double)(at[2] + (p >> 2))};
        o[axis] += t;
        sum[loop] = p3_add(sum[loop], p3(o[0], o[1], o[2]));
        count[loop]++;
    }
    for (int i = 0; i < table->count[signs]; ++i) {
        out[i] = p3_mad(g->origin, sum[i], g->cell / count[i]);
    }
}

static lim_result quads_make(const grid* g, const loop_table* table, arena* scratch,
                             quad_mesh* out) {
    size_t cells = (size_t)g->n[0] * (size_t)g->n[1] * (size_t)g->n[2];
    int32_t* first = ARENA_ARRAY(scratch, int32_t, cells);
    LIM_TRY_MEMORY(first);
    out->vertex_count = 0;
    for (int32_t z = 0; z + 1 < g->n[2]; ++z) {
        for (int32_t y = 0; y + 1 < g->n[1]; ++y) {
            for (int32_t x = 0; x + 1 < g->n[0]; ++x) {
                first[grid_index(g, x, y, z)] = out->vertex_count;
                out->vertex_count += table->count[cell_signs(g, x, y, z)];
            }
        }
    }
    out->quad_count = 0;
    out->position = ARENA_ARRAY(scratch, lim_point, out->vertex_count);
    out->normal = ARENA_ARRAY(scratch, lim_point, out->vertex_count);
    out->quad = ARENA_ARRAY(scratch, int32_t, 4 * (size_t)grid_crossings(g));
    if (out->position == NULL || out->normal == NULL || out->quad == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t z = 0; z + 1 < g->n[2]; ++z) {
        for (int32_t y = 0; y + 1 < g->n[1]; ++y) {
            for (int32_t x = 0; x + 1 < g->n[0]; ++x) {
                int32_t at[3] = {x, y, z};
                int signs = cell_signs(g, x, y, z);
                if (table->count[signs] > 0) {
                    cell_vertices(g, table, at, signs,
                                  &out->position[first[grid_index(g, x, y, z)]]);
                }
                /* The three grid edges that start at this point. The border of the grid is outside,
                 * so an edge with a change of sign has all four cells. */
                for (int axis = 0; axis < 3; ++axis) {
                    if ((signs & 1) == (signs >> (1 << axis) & 1)) {
                        continue;
                    }
                    int b = (axis + 1) % 3, c = (axis + 2) % 3;
                    static const int step[4][2] = {{1, 1}, {0, 1}, {0, 0}, {1, 0}};
                    int32_t* quad = &out->quad[4 * out->quad_count++];
                    for (int i = 0; i < 4; ++i) {
                        int32_t cell[3] = {x, y, z};
                        cell[b] -= step[i][0];
                        cell[c] -= step[i][1];
                        int edge = 4 * axis + step[i][0] + 2 * step[i][1];
                        int near_signs = cell_signs(g, cell[0], cell[1], cell[2]);
                        int32_t vertex = first[grid_index(g, cell[0], cell[1], cell[2])] +
                                         table->loop[near_signs][edge];
                        quad[signs & 1 ? i : 3 - i] = vertex;
                    }
                }
            }
        }
    }
    return LIM_OK;
}

/* True when every directed edge of the polygons occurs once and so does its opposite. */
static lim_result edges_pair(const int32_t* corner, int32_t polygons, int sides, arena* scratch,
                             bool* out_pair) {
    int32_t count = polygons * sides;
    sort_item* item = ARENA_ARRAY(scratch, sort_item, count);
    sort_item* spare = ARENA_ARRAY(scratch, sort_item, count);
    if (item == NULL || spare == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < count; ++i) {
        int32_t from = corner[i], to = corner[i / sides * sides + (i + 1) % sides];
        uint64_t low = (uint64_t)(from < to ? from : to), high = (uint64_t)(from < to ? to : from);
        item[i] = (sort_item){.key = low << 33 | high << 1 | (uint64_t)(from > to)};
    }
    sort_items(item, spare, count);
    *out_pair = count % 2 == 0;
    for (int32_t i = 0; i + 1 < count && *out_pair; i += 2) {
        bool pair = (item[i].key | 1) == item[i + 1].key && item[i].key != item[i + 1].key;
        bool again = i + 2 < count && item[i + 2].key >> 1 == item[i].key >> 1;
        *out_pair = pair && !again;
    }
    return LIM_OK;
}

/* Newton along the gradient, at most half a cell per step; leaves the unit normal. `near` follows
 * the vertex. */
static void onto_surface(double cell, int steps, implicit_near* near, lim_point* at,
                         lim_point* normal) {
    double h = 1e-3 * cell;
    for (int i = 0; i < steps; ++i) {
        lim_point off = p3_sub(*at, near->middle);
        if (p3_length(off) + h > near->radius) {
            implicit_near_find(near->shape, *at, 0.6 * cell, near);
        }
        lim_point g = implicit_near_gradient(near, *at, h);
        double g2 = p3_dot(g, g);
        if (!(g2 > 1e-12)) {
            return; /* a ridge of the field: stay */
        }
        double value = implicit_near_value(near, *at), length = sqrt(g2);
        double move = -value / length, most = 0.5 * cell;
        move = move > most ? most : move < -most ? -most : move;
        *normal = p3_scale(g, 1.0 / length);
        *at = p3_mad(*at, *normal, move);
    }
}

/* Moves vertices towards the mean of their neighbours, along the surface. */
static lim_result relax(const implicit_shape* shape, double cell, arena* scratch, quad_mesh* mesh) {
    lim_point* sum = ARENA_ARRAY(scratch, lim_point, mesh->vertex_count);
    int32_t* degree = ARENA_ARRAY(scratch, int32_t, mesh->vertex_count);
    implicit_near* near = ARENA_ARRAY(scratch, implicit_near, mesh->vertex_count);
    if (sum == NULL || degree == NULL || near == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t v = 0; v < mesh->vertex_count; ++v) {
        near[v].shape = shape; /* found when the vertex is looked at first: its radius is 0 */
        onto_surface(cell, 3, &near[v], &mesh->position[v], &mesh->normal[v]);
    }
    for (int round = 0; round < RELAX_ROUNDS; ++round) {
        for (int32_t v = 0; v < mesh->vertex_count; ++v) {
            sum[v] = p3(0, 0, 0);
            degree[v] = 0;
        }
        for (int32_t i = 0; i < 4 * mesh->quad_count; ++i) {
            int32_t from = mesh->quad[i], to = mesh->quad[i / 4 * 4 + (i + 1) % 4];
            sum[from] = p3_add(sum[from], mesh->position[to]);
            degree[from]++;
        }
        for (int32_t v = 0; v < mesh->vertex_count; ++v) {
            lim_point mean = p3_scale(sum[v], 1.0 / degree[v]); /* a loop has at least 3 edges */
            lim_point d = p3_sub(mean, mesh->position[v]);
            d = p3_mad(d, mesh->normal[v], -p3_dot(d, mesh->normal[v]));
            mesh->position[v] = p3_mad(mesh->position[v], d, 0.5);
            onto_surface(cell, round + 1 == RELAX_ROUNDS ? 5 : 1, &near[v], &mesh->position[v],
                         &mesh->normal[v]);
        }
    }
    return LIM_OK;
}

/* Smallest squared sine of the angles of a triangle. */
static double least_angle(lim_point a, lim_point b, lim_point c) {
    lim_point e[3] = {p3_sub(b, a), p3_sub(c, b), p3_sub(a, c)};
    lim_point n = p3_cross(e[0], e[1]);
    double area2 = p3_dot(n, n), least = 1.0;
    for (int i = 0; i < 3; ++i) {
        double product = p3_dot(e[i], e[i]) * p3_dot(e[(i + 1) % 3], e[(i + 1) % 3]);
        double sine2 = product > 0.0 ? area2 / product : 0.0;
        least = sine2 < least ? sine2 : least;
    }
    return least;
}

static lim_result split_quads(const quad_mesh* mesh, arena* scratch, int32_t** out_triangle) {
    int32_t* triangle = ARENA_ARRAY(scratch, int32_t, 6 * (size_t)mesh->quad_count);
    LIM_TRY_MEMORY(triangle);
    for (int32_t i = 0; i < mesh->quad_count; ++i) {
        const int32_t* q = &mesh->quad[4 * i];
        lim_point p[4];
        for (int c = 0; c < 4; ++c) {
            p[c] = mesh->position[q[c]];
        }
        double a1 = least_angle(p[0], p[1], p[2]), a2 = least_angle(p[0], p[2], p[3]);
        double b1 = least_angle(p[1], p[2], p[3]), b2 = least_angle(p[1], p[3], p[0]);
        bool first = (a1 < a2 ? a1 : a2) >= (b1 < b2 ? b1 : b2);
        int s = first ? 0 : 1;
        int32_t* t = &triangle[6 * i];
        t[0] = q[s], t[1] = q[s + 1], t[2] = q[(s + 2) % 4];
        t[3] = q[s], t[4] = q[(s + 2) % 4], t[5] = q[(s + 3) % 4];
    }
    *out_triangle = triangle;
    return LIM_OK;
}

static lim_result mesh_write(const implicit_shape* shape, const quad_mesh* quads,
                             const int32_t* triangle, arena* a, polygon_mesh* out) {
    polygon_mesh m = {.vertex_count = quads->vertex_count, .triangle_count = 2 * quads->quad_count};
    m.position = ARENA_ARRAY(a, lim_point, m.vertex_count);
    m.normal = ARENA_ARRAY(a, float, 3 * (size_t)m.vertex_count);
    m.colour = ARENA_ARRAY(a, float, 4 * (size_t)m.vertex_count);
    m.indices = ARENA_ARRAY(a, uint32_t, 3 * (size_t)m.triangle_count);
    if (m.position == NULL || m.normal == NULL || m.colour == NULL || m.indices == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t v = 0; v < m.vertex_count; ++v) {
        m.position[v] = quads->position[v];
        m.normal[3 * v] = (float)quads->normal[v].x;
        m.normal[3 * v + 1] = (float)quads->normal[v].y;
        m.normal[3 * v + 2] = (float)quads->normal[v].z;
        implicit_colour(shape, quads->position[v], &m.colour[4 * v]);
        m.colour[4 * v + 3] = 1.0f;
    }
    for (int32_t i = 0; i < 3 * m.triangle_count; ++i) {
        m.indices[i] = (uint32_t)triangle[i];
    }
    *out = m;
    return LIM_OK;
}

/* One attempt at one cell size; *out_good tells whether the surface is manifold. */
static lim_result attempt(const implicit_shape* shape, double cell, arena* a, arena* scratch,
                          polygon_mesh* out, bool* out_good) {
    loop_table* table = ARENA_ARRAY(scratch, loop_table, 1);
    LIM_TRY_MEMORY(table);
    loop_table_fill(table);
    grid g;
    quad_mesh quads;
    int32_t* triangle;
    LIM_TRY(grid_sample(shape, cell, scratch, &g));
    LIM_TRY(quads_make(&g, table, scratch, &quads));
    *out_good = quads.quad_count > 0;
    if (*out_good) {
        LIM_TRY(edges_pair(quads.quad, quads.quad_count, 4, scratch, out_good));
    }
    if (!*out_good) {
        return LIM_OK;
    }
    LIM_TRY(relax(shape, cell, scratch, &quads));
    LIM_TRY(split_quads(&quads, scratch, &triangle));
    LIM_TRY(edges_pair(triangle, 2 * quads.quad_count, 3, scratch, out_good));
    return *out_good ? mesh_write(shape, &quads, triangle, a, out) : LIM_OK;
}

lim_result polygonise(const implicit_shape* shape, int32_t triangle_target, arena* a,
                      arena* scratch, polygon_mesh* out) {
    int32_t target = triangle_target < POLYGONISE_TRIANGLES_LEAST  ? POLYGONISE_TRIANGLES_LEAST
                     : triangle_target > POLYGONISE_TRIANGLES_MOST ? POLYGONISE_TRIANGLES_MOST
                                                                   : triangle_target;
    lim_box box = implicit_bounds(shape);
    lim_point side = p3_sub(box.upper, box.lower);
    double longest = side.x > side.y ? side.x : side.y;
    longest = side.z > longest ? side.z : longest;
    if (shape->count == 0 || !(longest > 0.0)) {
        return LIM_ERROR_MESH;
    }
    /* A coarse pass measures the area in cells: triangles go as 2 / cell^2. */
    double cell = longest / 48.0;
    grid g;
    LIM_TRY(grid_sample(shape, cell, scratch, &g));
    double triangles = 2.0 * (double)grid_crossings(&g);
    arena_release(scratch);
    cell *= sqrt((triangles > 2.0 ? triangles : 2.0) / (double)target);
    for (int i = 0; i < ATTEMPTS; ++i) {
        bool good = false;
        lim_result result = attempt(shape, cell, a, scratch, out, &good);
        arena_release(scratch);
        if (result != LIM_OK || good) {
            return result;
        }
        cell *= 0.96;
    }
    return LIM_ERROR_MESH;
}
