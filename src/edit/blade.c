/* SPDX-License-Identifier: MIT
 * Job: a blade at rest. In: a strip in the world, a body. Out: rows of places at rest. The strip is
 * laid out as a lattice: rows along the way of the blade, columns from tip to back, no wider than a
 * finest cell. All places near the body go back to rest at once (edit/rest_map.h).
 */
#include "edit/blade.h"

#include "edit/rest_map.h"

enum { STEPS_MOST = 4096 };
/* How far from a station left out the blade may pass, finest cells. */
static const double IN_LINE = 0.02;

typedef struct station {
    lim_point tip, back;
} station;

typedef struct lattice {
    arena mem; /* scratch */
    const body* b;
    double cell;            /* metres, and so all lengths here */
    lim_point lower, upper; /* of what counts of the body, with what is near it; world */
    int32_t count;          /* stations */
    station* at;
    int32_t rows, columns;
    lim_point* world;
    uint8_t* alive; /* per place: in the box */
    const char* why;
} lattice;

static lim_result refuse(lattice* l, const char* why) {
    l->why = why;
    return LIM_ERROR_ARGUMENT;
}

/* ---- stations -----------------------------------------------------------------------------------
 */

/* Where the nodes of a component are, with their cells and what is near them. */
static void add_box(lattice* l, int32_t piece) {
    const topology* t = l->b->topology;
    double metres = body_metres(l->b);
    const component c = l->b->components[piece];
    lim_point lower = l->lower, upper = l->upper;
    for (int32_t i = t->component_begin[piece]; i < t->component_begin[piece + 1]; ++i) {
        if (t->slot_node[i] >= 0) {
            double reach = BLADE_NEAR * (double)t->side[i] * metres;
            lim_point x = node_to_world(&c, metres, body_slot_local(l->b, i));
            lim_point r = p3(reach, reach, reach);
            lower = p3_min(lower, p3_sub(x, r));
            upper = p3_max(upper, p3_add(x, r));
        }
    }
    l->lower = lower;
    l->upper = upper;
}

static bool in_box(const lattice* l, lim_point p) {
    return p.x >= l->lower.x && p.x <= l->upper.x && p.y >= l->lower.y && p.y <= l->upper.y &&
           p.z >= l->lower.z && p.z <= l->upper.z;
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
    return steps < (double)STEPS_MOST ? (int32_t)steps + 1 : STEPS_MOST;
}

static lim_result take_stations(lattice* l, const blade_strip* strip) {
    if (strip->count < 2 || strip->tip == NULL || strip->back == NULL) {
        return refuse(l, "a blade needs two stations or more, each with a tip and a back");
    }
    l->at = ARENA_ARRAY(&l->mem, station, strip->count);
    LIM_TRY_MEMORY(l->at);
    for (int32_t i = 0; i < strip->count; ++i) {
        if (!p3_finite(strip->tip[i]) || !p3_finite(strip->back[i])) {
            return refuse(l, "a place of the blade is not a number");
        }
        l->at[i] = (station){strip->tip[i], strip->back[i]};
    }
    l->count = strip->count;
    return LIM_OK;
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

/* The area that it sweeps between two stations, in two triangles: of a blade that turns about its
 * middle, tip and back go opposite ways and would sum up to nothing. */
static double swept(station a, station b) {
    lim_point across = p3_sub(b.back, a.tip);
    return 0.5 * (p3_length(p3_cross(p3_sub(b.tip, a.tip), across)) +
                  p3_length(p3_cross(across, p3_sub(a.back, a.tip))));
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

int32_t blade_columns(const body* b, const blade_strip* strip) {
    double length = 0.0, cell = (double)b->topology->cell * body_metres(b);
    for (int32_t i = 0; i < strip->count; ++i) {
        length = fmax(length, p3_length(p3_sub(strip->back[i], strip->tip[i])));
    }
    double columns = length / cell + 2.0;
    return columns < (double)BLADE_COLUMNS ? (int32_t)columns : BLADE_COLUMNS + 1;
}

static lim_result fill_lattice(lattice* l) {
    int64_t rows = 1;
    for (int32_t i = 1; i < l->count; ++i) {
        rows += steps_between(l, l->at[i - 1], l->at[i]);
    }
    if (rows > BLADE_ROWS) {
        return refuse(l, "the sweep is too long for so small cells: cut in several sweeps");
    }
    l->rows = (int32_t)rows;
    l->world = ARENA_ROOM(&l->mem, lim_point, rows * l->columns);
    l->alive = ARENA_ROOM(&l->mem, uint8_t, rows * l->columns);
    LIM_TRY_MEMORY(l->world);
    LIM_TRY_MEMORY(l->alive);
    int32_t place = 0;
    for (int32_t i = 0; i < l->count; ++i) {
        bool last = i + 1 == l->count;
        int32_t steps = last ? 1 : steps_between(l, l->at[i], l->at[i + 1]);
        for (int32_t k = 0; k < steps; ++k) {
            station s = last ? l->at[i] : between(l->at[i], l->at[i + 1], (double)k / steps);
            for (int32_t j = 0; j < l->columns; ++j, ++place) {
                double share = (double)j / (l->columns - 1);
                l->world[place] = p3_mad(s.tip, p3_sub(s.back, s.tip), share);
                l->alive[place] = in_box(l, l->world[place]);
            }
        }
    }
    return LIM_OK;
}

static lim_point quad_normal(const lattice* l, int32_t row, int32_t column) {
    int32_t q[4];
    blade_corners(l->columns, row, column, q);
    return p3_cross(p3_sub(l->world[q[2]], l->world[q[0]]), p3_sub(l->world[q[3]], l->world[q[1]]));
}

/* How far a quad looks the same way as the one so many rows and columns before it; below 0: the
 * other way. One that the blade turns in the very middle of looks nowhere: 0. */
static double agreement(const lattice* l, int32_t row, int32_t column, int32_t rows,
                        int32_t columns) {
    return p3_dot(quad_normal(l, row, column), quad_normal(l, row - rows, column - columns));
}

/* Whether those triangles of both that are near the body look opposite ways. The others are no part
 * of the blade. */
static bool near_look_back(const lattice* l, const blade_place* place, int32_t row, int32_t column,
                           int32_t rows, int32_t columns) {
    lim_point normal[4];
    bool back = false;
    for (int32_t k = 0, count = 0; k < 4; ++k) {
        int32_t q[4], half = k % 2;
        blade_corners(l->columns, row - k / 2 * rows, column - k / 2 * columns, q);
        const int32_t corner[3] = {q[0], q[1 + half], q[2 + half]};
        if (blade_is_near(place, corner, BLADE_NEAR)) {
            lim_point at = l->world[corner[0]];
            normal[count] =
                p3_cross(p3_sub(l->world[corner[1]], at), p3_sub(l->world[corner[2]], at));
            for (int32_t other = 0; other < count; ++other) {
                back = back || p3_dot(normal[count], normal[other]) < 0.0;
            }
            count++;
        }
    }
    return back;
}

/* Whether the strip folds near the body between quads so many rows and columns apart. */
static bool folds_near(const lattice* l, const blade_place* place, int32_t rows, int32_t columns) {
    for (int32_t i = rows; i + 1 < l->rows; ++i) {
        for (int32_t j = columns; j + 1 < l->columns; ++j) {
            if (l->alive[i * l->columns + j] && agreement(l, i, j, rows, columns) <= 0.0 &&
                near_look_back(l, place, i, j, rows, columns)) {
                return true;
            }
        }
    }
    return false;
}

/* Whether all of the blade that is about the body goes back. That counts wherever it turns: from
 * there it may come over its own way through the body. */
static bool goes_back(const lattice* l) {
    bool back = false;
    for (int32_t i = 1; i + 1 < l->rows && !back; ++i) {
        int32_t about = 0, turned = 0;
        for (int32_t j = 0; j + 1 < l->columns; ++j) {
            bool alive = l->alive[i * l->columns + j];
            about += alive;
            turned += alive && agreement(l, i, j, 1, 0) < 0.0;
        }
        back = turned > 0 && turned == about;
    }
    return back;
}

/* A strip that folds has two ways to look in one place. Tip and back go opposite ways about a place
 * between them: off the body that is well, what is left there are two blades, or one. */
static lim_result check_folds(lattice* l, const blade_place* place) {
    if (folds_near(l, place, 0, 1)) {
        return refuse(l, "the blade turns about a place between its tip and its back: cut with a "
                         "blade for each side of it");
    }
    return goes_back(l) || folds_near(l, place, 1, 0)
               ? refuse(l, "the blade turns back onto itself: end the stroke there and begin "
                           "another")
               : LIM_OK;
}

/* Where the living places are in one component; who is nearest to a place counts. */
static lim_result go_to_rest(lattice* l, int32_t piece, const int32_t* living, int32_t count,
                             blade_place* out) {
    const component* c = &l->b->components[piece];
    double metres = body_metres(l->b);
    lim_point* local = ARENA_ROOM(&l->mem, lim_point, count);
    rest_place* rest = ARENA_ROOM(&l->mem, rest_place, count);
    LIM_TRY_MEMORY(local);
    LIM_TRY_MEMORY(rest);
    lim_point lower = p3(HUGE_VAL, HUGE_VAL, HUGE_VAL), upper = p3_scale(lower, -1.0);
    for (int32_t i = 0; i < count; ++i) {
        local[i] = node_to_local(c, metres, l->world[living[i]]);
        lower = p3_min(lower, local[i]);
        upper = p3_max(upper, local[i]);
    }
    rest_map map;
    LIM_TRY(rest_map_make(&l->mem, l->b, piece, lower, upper, &map));
    if (map.count == 0) {
        return LIM_OK;
    }
    LIM_TRY(rest_map_places(&map, local, count, rest));
    for (int32_t i = 0; i < count; ++i) {
        blade_place* to = &out[living[i]];
        if (rest[i].away < to->away) {
            *to = (blade_place){p3_add(rest[i].at, l->b->topology->rest_origin), rest[i].away};
        }
    }
    return LIM_OK;
}

static lim_result sweep_lattice(arena* a, lattice* l, const uint8_t* in, const blade_strip* strip,
                                blade_rows* out) {
    const topology* t = l->b->topology;
    l->lower = p3(HUGE_VAL, HUGE_VAL, HUGE_VAL);
    l->upper = p3_scale(l->lower, -1.0);
    LIM_TRY(take_stations(l, strip));
    for (int32_t c = 0; c < t->component_count; ++c) {
        if (in[c]) {
            add_box(l, c);
        }
    }
    LIM_TRY(choose_stations(l));
    LIM_TRY(fill_lattice(l));
    int32_t points = l->rows * l->columns, count = 0;
    int32_t* living = ARENA_ARRAY(&l->mem, int32_t, points);
    blade_place* place = ARENA_ARRAY(a, blade_place, points);
    LIM_TRY_MEMORY(living);
    LIM_TRY_MEMORY(place);
    for (int32_t i = 0; i < points; ++i) {
        place[i].away = HUGE_VALF;
        if (l->alive[i]) {
            living[count++] = i;
        }
    }
    if (count == 0) {
        return LIM_OK;
    }
    for (int32_t c = 0; c < t->component_count; ++c) {
        if (in[c]) {
            LIM_TRY(go_to_rest(l, c, living, count, place));
        }
    }
    LIM_TRY(check_folds(l, place));
    *out = (blade_rows){l->rows, l->columns, place};
    return LIM_OK;
}

lim_result blade_sweep(arena* a, const body* b, const uint8_t* in, const blade_strip* strip,
                       int32_t columns, blade_rows* out, const char** why) {
    lattice l = {.b = b, .cell = (double)b->topology->cell * body_metres(b), .columns = columns};
    *out = (blade_rows){.columns = columns};
    *why = NULL;
    if (columns < 2 || columns > BLADE_COLUMNS) {
        *why = "the blade is too long for so small cells: use a shorter one";
        return LIM_ERROR_ARGUMENT;
    }
    arena_init(&l.mem, &a->host);
    lim_result result = sweep_lattice(a, &l, in, strip, out);
    arena_release(&l.mem);
    *why = l.why;
    return result;
}
