/* SPDX-License-Identifier: MIT
 * Job: a blade at rest. In: a strip in the world, a body. Out: triangles in unit space. The strip
 * is taken to the frame of the component, clipped to where the body is, and laid out as a lattice:
 * rows along the way of the blade, columns from tip to back, no wider than a finest cell. Stations
 * that say nothing new (closer than a cell and in line) are left out, or a slow stroke would have
 * slivers for faces. All points of the lattice go back to rest at once (edit/rest_map.h).
 */
#include "edit/blade.h"

#include "edit/rest_map.h"

enum { ROWS_MOST = 8192, COLUMNS_MOST = 1024, POINTS_MOST = 1 << 18, STEPS_MOST = 4096 };
/* How far from a station left out the blade may pass, finest cells. */
static const double IN_LINE = 0.02;
/* Places farther from every node than this are not near the body: edges of the node's cell. */
static const double NEAR = 2.0;

typedef struct station {
    lim_point tip, back;
} station;

typedef struct lattice {
    arena mem; /* scratch */
    const body* b;
    int32_t component;
    double cell;
    lim_point lower, upper; /* of the body about its nodes, frame coordinates */
    int32_t count;          /* stations */
    station* at;            /* clipped, frame coordinates */
    double from, to;        /* the part of the blade that is near the body, 0 at the tip, 1 */
    int32_t rows, columns;
    uint8_t* alive; /* per row: some of it is near */
    lim_point* local;
    rest_place* rest;
    int32_t* name; /* per point of the lattice: point of the result; several may be one */
    const char* why;
} lattice;

static lim_result refuse(lattice* l, const char* why) {
    l->why = why;
    return LIM_ERROR_ARGUMENT;
}

/* ---- stations -----------------------------------------------------------------------------------
 */

/* Where the nodes are, with their cells and what is near them. */
static bool find_box(lattice* l) {
    const topology* t = l->b->topology;
    l->lower = p3(HUGE_VAL, HUGE_VAL, HUGE_VAL);
    l->upper = p3_scale(l->lower, -1.0);
    for (int32_t i = t->component_begin[l->component]; i < t->component_begin[l->component + 1];
         ++i) {
        if (t->slot_node[i] >= 0) {
            double reach = NEAR * (double)t->side[i];
            lim_point x = body_slot_local(l->b, i), r = p3(reach, reach, reach);
            l->lower = p3_min(l->lower, p3_sub(x, r));
            l->upper = p3_max(l->upper, p3_add(x, r));
        }
    }
    return p3_finite(l->lower) && p3_finite(l->upper);
}

/* The part of a segment inside of the box; false: none. */
static bool clip(const lattice* l, station s, double* from, double* to) {
    lim_point way = p3_sub(s.back, s.tip);
    const double o[3] = {s.tip.x, s.tip.y, s.tip.z}, d[3] = {way.x, way.y, way.z};
    const double low[3] = {l->lower.x, l->lower.y, l->lower.z};
    const double high[3] = {l->upper.x, l->upper.y, l->upper.z};
    *from = 0.0;
    *to = 1.0;
    for (int k = 0; k < 3; ++k) {
        double a = (low[k] - o[k]) / d[k], b = (high[k] - o[k]) / d[k];
        if (d[k] == 0.0) {
            if (o[k] < low[k] || o[k] > high[k]) {
                return false;
            }
            continue;
        }
        *from = fmax(*from, fmin(a, b));
        *to = fmin(*to, fmax(a, b));
    }
    return *from <= *to;
}

static station between(station a, station b, double share) {
    return (station){p3_mad(a.tip, p3_sub(b.tip, a.tip), share),
                     p3_mad(a.back, p3_sub(b.back, a.back), share)};
}

static double travel(station a, station b) {
    return fmax(p3_length(p3_sub(b.tip, a.tip)), p3_length(p3_sub(b.back, a.back)));
}

/* In how many steps, no longer than a cell, a blade goes from one to the next. */
static int32_t steps_between(const lattice* l, station a, station b) {
    double steps = travel(a, b) / l->cell;
    return steps < STEPS_MOST ? (int32_t)steps + 1 : STEPS_MOST;
}

static lim_result take_stations(lattice* l, const blade_strip* strip) {
    if (strip->count < 2 || strip->tip == NULL || strip->back == NULL) {
        return refuse(l, "a blade needs two stations or more, each with a tip and a back");
    }
    const component* c = &l->b->components[l->component];
    double metres = body_metres(l->b);
    l->at = ARENA_ARRAY(&l->mem, station, strip->count);
    LIM_TRY_MEMORY(l->at);
    for (int32_t i = 0; i < strip->count; ++i) {
        if (!p3_finite(strip->tip[i]) || !p3_finite(strip->back[i])) {
            return refuse(l, "a place of the blade is not a number");
        }
        l->at[i] = (station){node_to_local(c, metres, strip->tip[i]),
                             node_to_local(c, metres, strip->back[i])};
    }
    l->count = strip->count;
    return LIM_OK;
}

/* Cuts off what lies beyond the body towards tip and back, for all stations alike. False: the whole
 * strip does. */
static bool clip_stations(lattice* l) {
    l->from = 1.0;
    l->to = 0.0;
    for (int32_t i = 0; i + 1 < l->count; ++i) {
        int32_t steps = steps_between(l, l->at[i], l->at[i + 1]);
        for (int32_t k = 0; k <= steps; ++k) {
            double from, to;
            if (clip(l, between(l->at[i], l->at[i + 1], (double)k / steps), &from, &to)) {
                l->from = fmin(l->from, from);
                l->to = fmax(l->to, to);
            }
        }
    }
    for (int32_t i = 0; i < l->count && l->from < l->to; ++i) {
        station s = l->at[i];
        lim_point way = p3_sub(s.back, s.tip);
        l->at[i] = (station){p3_mad(s.tip, way, l->from), p3_mad(s.tip, way, l->to)};
    }
    return l->from < l->to;
}

static double off_line(lim_point p, lim_point a, lim_point b) {
    lim_point way = p3_sub(b, a), r = p3_sub(p, a);
    double square = p3_dot(way, way), share = square > 0.0 ? p3_dot(r, way) / square : 0.0;
    share = share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
    return p3_length(p3_sub(r, p3_scale(way, share)));
}

/* Whether stations between these two say nothing new. */
static bool in_line(const lattice* l, int32_t first, int32_t last) {
    station a = l->at[first], b = l->at[last];
    bool ok = travel(a, b) <= l->cell;
    for (int32_t i = first + 1; i < last && ok; ++i) {
        ok = off_line(l->at[i].tip, a.tip, b.tip) < IN_LINE * l->cell &&
             off_line(l->at[i].back, a.back, b.back) < IN_LINE * l->cell;
    }
    return ok;
}

/* The area that it sweeps between two stations. */
static double swept(station a, station b) {
    lim_point n = p3_cross(p3_sub(b.back, a.tip), p3_sub(a.back, b.tip));
    return 0.5 * p3_length(n);
}

static bool sweeps(const lattice* l, station a, station b) {
    double length = fmax(p3_length(p3_sub(a.back, a.tip)), p3_length(p3_sub(b.back, b.tip)));
    return swept(a, b) > 1e-6 * length * fmax(travel(a, b), 1e-6 * l->cell);
}

/* Keeps the stations that matter: a blade that only slides along itself cuts nothing. */
static lim_result choose_stations(lattice* l) {
    int32_t kept = 1, at = 0;
    while (at + 1 < l->count) {
        int32_t next = at + 1;
        while (next + 1 < l->count && in_line(l, at, next + 1)) {
            next++;
        }
        station s = l->at[next];
        if (sweeps(l, l->at[kept - 1], s)) {
            l->at[kept++] = s;
        } else if (kept == 1) {
            l->at[0] = s;
        }
        at = next;
    }
    l->count = kept;
    return kept >= 2 ? LIM_OK : refuse(l, "the blade sweeps no area: move it sideways");
}

/* ---- the lattice --------------------------------------------------------------------------------
 */

static lim_point lattice_place(const lattice* l, station s, int32_t column) {
    return p3_mad(s.tip, p3_sub(s.back, s.tip), (double)column / (l->columns - 1));
}

static lim_result size_lattice(lattice* l) {
    double length = 0.0;
    int64_t rows = 1;
    for (int32_t i = 0; i < l->count; ++i) {
        length = fmax(length, p3_length(p3_sub(l->at[i].back, l->at[i].tip)));
        rows += i > 0 ? steps_between(l, l->at[i - 1], l->at[i]) : 0;
    }
    double columns = length / l->cell + 2.0;
    if (rows > ROWS_MOST || !(columns < COLUMNS_MOST) || (double)rows * columns > POINTS_MOST) {
        return refuse(l, "the blade is too large for so small cells: cut in several strokes");
    }
    l->rows = (int32_t)rows;
    l->columns = (int32_t)columns;
    size_t points = (size_t)l->rows * (size_t)l->columns;
    l->alive = ARENA_ARRAY(&l->mem, uint8_t, l->rows);
    l->local = ARENA_ARRAY(&l->mem, lim_point, points);
    l->rest = ARENA_ARRAY(&l->mem, rest_place, points);
    l->name = ARENA_ARRAY(&l->mem, int32_t, points);
    bool ok = l->alive != NULL && l->local != NULL && l->rest != NULL && l->name != NULL;
    return ok ? LIM_OK : LIM_ERROR_MEMORY;
}

static void fill_lattice(lattice* l) {
    int32_t row = 0;
    for (int32_t i = 0; i < l->count; ++i) {
        int32_t steps = i + 1 < l->count ? steps_between(l, l->at[i], l->at[i + 1]) : 1;
        for (int32_t k = 0; k < steps; ++k, ++row) {
            station s =
                i + 1 < l->count ? between(l->at[i], l->at[i + 1], (double)k / steps) : l->at[i];
            double from, to;
            l->alive[row] = clip(l, s, &from, &to);
            for (int32_t j = 0; j < l->columns; ++j) {
                l->local[(size_t)row * (size_t)l->columns + (size_t)j] = lattice_place(l, s, j);
            }
        }
    }
}

/* The corners of a quad, counter-clockwise: this row, the next, the next column of both. */
static void quad_of(const lattice* l, int32_t row, int32_t column, int32_t out[4]) {
    out[0] = row * l->columns + column;
    out[1] = out[0] + l->columns;
    out[2] = out[1] + 1;
    out[3] = out[0] + 1;
}

static lim_point quad_normal(const lattice* l, int32_t row, int32_t column) {
    int32_t q[4];
    quad_of(l, row, column, q);
    return p3_cross(p3_sub(l->local[q[2]], l->local[q[0]]), p3_sub(l->local[q[3]], l->local[q[1]]));
}

/* A strip that turns back onto itself has two ways to look in one place. */
static bool folds(const lattice* l) {
    for (int32_t i = 0; i + 1 < l->rows; ++i) {
        for (int32_t j = 0; j + 1 < l->columns && (l->alive[i] || l->alive[i + 1]); ++j) {
            lim_point n = quad_normal(l, i, j);
            bool back = i > 0 && p3_dot(n, quad_normal(l, i - 1, j)) < 0.0;
            if (back || (j > 0 && p3_dot(n, quad_normal(l, i, j - 1)) < 0.0)) {
                return true;
            }
        }
    }
    return false;
}

/* Which points of the lattice are corners of quads near the body, as a list. */
static lim_result choose_points(lattice* l, const rest_map* map, int32_t** out,
                                int32_t* out_count) {
    int32_t points = l->rows * l->columns, count = 0;
    uint8_t* used = ARENA_ARRAY(&l->mem, uint8_t, points);
    int32_t* list = ARENA_ARRAY(&l->mem, int32_t, points);
    if (used == NULL || list == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < points; ++i) {
        bool alive = l->alive[i / l->columns] && map->count > 0;
        l->rest[i].away = alive ? rest_map_away(map, l->local[i], (int32_t)NEAR) : HUGE_VALF;
    }
    for (int32_t i = 0; i + 1 < l->rows; ++i) {
        for (int32_t j = 0; j + 1 < l->columns; ++j) {
            int32_t q[4];
            bool near = false;
            quad_of(l, i, j, q);
            for (int k = 0; k < 4; ++k) {
                near = near || (double)l->rest[q[k]].away < NEAR;
            }
            for (int k = 0; k < 4 && near; ++k) {
                used[q[k]] = 1;
            }
        }
    }
    for (int32_t i = 0; i < points; ++i) {
        if (used[i]) {
            list[count++] = i;
        }
    }
    *out = list;
    *out_count = count;
    return LIM_OK;
}

/* Rest places of the points that matter. */
static lim_result go_to_rest(lattice* l) {
    rest_map map;
    lim_point lower = l->upper, upper = l->lower;
    for (int32_t i = 0; i < l->rows * l->columns; ++i) {
        lower = p3_min(lower, l->local[i]);
        upper = p3_max(upper, l->local[i]);
    }
    lower = p3_max(lower, l->lower);
    upper = p3_min(upper, l->upper);
    LIM_TRY(rest_map_make(&l->mem, l->b, l->component, lower, upper, &map));
    int32_t *list, count;
    LIM_TRY(choose_points(l, &map, &list, &count));
    lim_point* local = ARENA_ARRAY(&l->mem, lim_point, count);
    rest_place* rest = ARENA_ARRAY(&l->mem, rest_place, count);
    if (local == NULL || rest == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < count; ++i) {
        local[i] = l->local[list[i]];
    }
    LIM_TRY(rest_map_places(&map, local, count, rest));
    for (int32_t i = 0; i < count; ++i) {
        l->rest[list[i]] = rest[i];
    }
    return LIM_OK;
}

/* ---- triangles ----------------------------------------------------------------------------------
 */

/* Near the body, and not between parts of it that are together only now: there the blade goes
 * through no material. */
static bool is_kept(const lattice* l, const int32_t corner[3]) {
    bool near = false;
    for (int k = 0; k < 3; ++k) {
        int32_t a = corner[k], b = corner[(k + 1) % 3];
        double now = p3_length(p3_sub(l->local[a], l->local[b]));
        double then = p3_length(p3_sub(l->rest[a].at, l->rest[b].at));
        near = near || (double)l->rest[a].away < NEAR;
        if (then > 4.0 * now + l->cell) {
            return false;
        }
    }
    return near;
}

/* Points of the lattice that are one place (a blade that turns about its tip) are one point. Places
 * are named where triangles use them. */
static void share_places(lattice* l) {
    for (int32_t i = 0; i < l->rows * l->columns; ++i) {
        l->name[i] = i;
        for (int side = 0; side < 2; ++side) {
            int32_t other = side == 0 ? i - l->columns : i % l->columns > 0 ? i - 1 : -1;
            if (other >= 0 && p3_length(p3_sub(l->local[i], l->local[other])) < 1e-6 * l->cell) {
                l->name[i] = l->name[other];
            }
        }
    }
}

/* Two triangles per quad whose corners are places of their own. */
static lim_result lay_triangles(arena* a, lattice* l, int32_t** out, int32_t* out_count) {
    size_t most = 2 * (size_t)(l->rows - 1) * (size_t)(l->columns - 1);
    int32_t *triangle = ARENA_ARRAY(a, int32_t, 3 * most), count = 0;
    LIM_TRY_MEMORY(triangle);
    for (int32_t i = 0; i + 1 < l->rows; ++i) {
        for (int32_t j = 0; j + 1 < l->columns && (l->alive[i] || l->alive[i + 1]); ++j) {
            int32_t q[4];
            quad_of(l, i, j, q);
            for (int half = 0; half < 2; ++half) {
                const int32_t p[3] = {l->name[q[0]], l->name[q[1 + half]], l->name[q[2 + half]]};
                bool area = p[0] != p[1] && p[1] != p[2] && p[2] != p[0];
                if (area && is_kept(l, p)) {
                    triangle[3 * count] = p[0];
                    triangle[3 * count + 1] = p[1];
                    triangle[3 * count++ + 2] = p[2];
                }
            }
        }
    }
    *out = triangle;
    *out_count = count;
    return LIM_OK;
}

/* How far along its way, and from its tip, each place of the lattice is at rest: unit lengths. */
static lim_result measure(lattice* l, double** out_along, double** out_across) {
    double* along = ARENA_ARRAY(&l->mem, double, l->rows);
    double* across = ARENA_ARRAY(&l->mem, double, (size_t)l->rows*(size_t)l->columns);
    if (along == NULL || across == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < l->rows; ++i) {
        double sum = 0.0;
        for (int32_t j = 0; j < l->columns; ++j) {
            int32_t p = i * l->columns + j;
            sum += i > 0 ? p3_length(p3_sub(l->rest[p].at, l->rest[p - l->columns].at)) : 0.0;
            across[p] =
                j > 0 ? across[p - 1] + p3_length(p3_sub(l->rest[p].at, l->rest[p - 1].at)) : 0.0;
        }
        along[i] = (i > 0 ? along[i - 1] : 0.0) + sum / l->columns;
    }
    *out_along = along;
    *out_across = across;
    return LIM_OK;
}

/* Numbers the places that triangles use, in order, and writes them. */
static lim_result write_blade(arena* a, lattice* l, int32_t* triangle, int32_t count,
                              cut_blade* out) {
    int32_t points = 0, *number = ARENA_ARRAY(&l->mem, int32_t, l->rows * l->columns);
    double *along, *across, metres = body_metres(l->b);
    LIM_TRY_MEMORY(number);
    LIM_TRY(measure(l, &along, &across));
    for (int32_t i = 0; i < 3 * count; ++i) {
        number[triangle[i]] = 1;
    }
    for (int32_t i = 0; i < l->rows * l->columns; ++i) {
        number[i] = number[i] != 0 ? points++ : -1;
    }
    lim_point* point = ARENA_ARRAY(a, lim_point, points);
    float* uv = ARENA_ARRAY(a, float, 2 * (size_t)points);
    if (point == NULL || uv == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < l->rows * l->columns; ++i) {
        if (number[i] >= 0) {
            point[number[i]] = p3_add(l->rest[i].at, l->b->topology->rest_origin);
            uv[2 * number[i]] = (float)(metres * along[i / l->columns]);
            uv[2 * number[i] + 1] = (float)(metres * across[i]);
        }
    }
    for (int32_t i = 0; i < 3 * count; ++i) {
        triangle[i] = number[triangle[i]];
    }
    *out = (cut_blade){points, count, point, triangle, uv, false};
    return LIM_OK;
}

static lim_result make_blade(arena* a, lattice* l, const blade_strip* strip, cut_blade* out) {
    LIM_TRY(take_stations(l, strip));
    if (!find_box(l) || !clip_stations(l)) {
        return LIM_OK;
    }
    LIM_TRY(choose_stations(l));
    LIM_TRY(size_lattice(l));
    fill_lattice(l);
    if (folds(l)) {
        return refuse(l,
                      "the blade turns back onto itself: end the stroke there and begin another");
    }
    LIM_TRY(go_to_rest(l));
    share_places(l);
    int32_t *triangle, count;
    LIM_TRY(lay_triangles(a, l, &triangle, &count));
    if (count == 0) {
        return LIM_OK;
    }
    bool crosses = false;
    cut_blade made;
    LIM_TRY(write_blade(a, l, triangle, count, &made));
    LIM_TRY(cut_blade_crosses(&made, &l->mem.host, &crosses));
    if (crosses) {
        return refuse(l, "the blade crosses its own way: end the stroke before it does");
    }
    made.sound = true;
    *out = made;
    return LIM_OK;
}

lim_result blade_to_rest(arena* a, const body* b, const blade_strip* strip, int32_t piece,
                         cut_blade* out, const char** why) {
    lattice l = {.b = b, .component = piece, .cell = (double)b->topology->cell};
    *out = (cut_blade){0};
    if (piece < 0 || piece >= b->topology->component_count) {
        l.why = "there is no such component";
    }
    arena_init(&l.mem, &a->host);
    lim_result result = l.why != NULL ? LIM_ERROR_ARGUMENT : make_blade(a, &l, strip, out);
    arena_release(&l.mem);
    *why = l.why;
    return result;
}

bool blade_point_to_rest(const body* b, lim_point world, int32_t piece, double reach,
                         lim_point* out) {
    if (piece < 0 || piece >= b->topology->component_count || !p3_finite(world)) {
        return false;
    }
    lim_point at = node_to_local(&b->components[piece], body_metres(b), world);
    rest_map map;
    rest_place place;
    arena scratch;
    arena_init(&scratch, &b->host);
    bool ok = rest_map_make(&scratch, b, piece, p3_sub(at, p3(reach, reach, reach)),
                            p3_add(at, p3(reach, reach, reach)), &map) == LIM_OK &&
              map.count > 0 && rest_map_places(&map, &at, 1, &place) == LIM_OK;
    if (ok) {
        *out = place.at;
        ok = (double)place.outside <= reach;
    }
    arena_release(&scratch);
    return ok;
}
