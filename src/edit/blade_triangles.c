/* SPDX-License-Identifier: MIT
 * Job: the triangles of a blade. In: rows of places at rest. Out: two triangles for each quad near
 * the material, with uv. Where the body is bent over, the way back to rest may fold: places a row
 * or two apart change their order, and the blade would cross itself there. Such places are drawn
 * between those about them until it no longer does; off the material, where the way back is a
 * guess, the blade may end sooner.
 */
#include "edit/blade.h"

/* Where the blade would cross itself, places farther from every node than this do not count: edges
 * of the node's cell. */
static const double NEAR_LEAST = 1.5;
/* Neighbours that are a cell apart now and farther than this at rest lie in parts of the body that
 * are together only now: between them the blade goes through no material. Finest cells. */
static const double TORN = 5.0;
enum { ROUNDS = 24 };

/* Near the body, and through material that was together before. */
static bool is_kept(const blade_rows* r, const int32_t corner[3], double cell, double reach) {
    bool together = blade_is_near(r->place, corner, reach);
    for (int k = 0; k < 3 && together; ++k) {
        lim_point a = r->place[corner[k]].at, b = r->place[corner[(k + 1) % 3]].at;
        together = p3_length(p3_sub(a, b)) <= TORN * cell;
    }
    return together;
}

/* Places that are one (a blade that turns about its tip) are one point. */
static void share_places(const blade_rows* r, double cell, int32_t* name) {
    for (int32_t i = 0; i < r->rows * r->columns; ++i) {
        name[i] = i;
        for (int side = 0; side < 2; ++side) {
            int32_t other = side == 0 ? i - r->columns : i % r->columns > 0 ? i - 1 : -1;
            bool same = other >= 0 && r->place[i].away < HUGE_VALF &&
                        r->place[other].away < HUGE_VALF &&
                        p3_length(p3_sub(r->place[i].at, r->place[other].at)) < 1e-6 * cell;
            name[i] = same ? name[other] : name[i];
        }
    }
}

/* Two triangles per quad whose corners are places of their own. */
static lim_result lay_triangles(arena* a, const blade_rows* r, double cell, double reach,
                                const int32_t* name, int32_t** out, int32_t* out_count) {
    size_t most = 2 * (size_t)(r->rows > 0 ? r->rows : 1) * (size_t)r->columns;
    int32_t *triangle = ARENA_ARRAY(a, int32_t, 3 * most), count = 0;
    LIM_TRY_MEMORY(triangle);
    for (int32_t i = 0; i + 1 < r->rows; ++i) {
        for (int32_t j = 0; j + 1 < r->columns; ++j) {
            int32_t q[4];
            blade_corners(r->columns, i, j, q);
            for (int half = 0; half < 2; ++half) {
                const int32_t p[3] = {name[q[0]], name[q[1 + half]], name[q[2 + half]]};
                bool area = p[0] != p[1] && p[1] != p[2] && p[2] != p[0];
                if (area && is_kept(r, p, cell, reach)) {
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

/* How far apart two places are, where somebody looked at both. */
static double step_of(const blade_rows* r, int32_t a, int32_t b) {
    bool known = r->place[a].away < HUGE_VALF && r->place[b].away < HUGE_VALF;
    return known ? p3_length(p3_sub(r->place[a].at, r->place[b].at)) : 0.0;
}

/* How far along its way, and from its tip, each place is at rest: unit lengths. */
static lim_result measure(arena* a, const blade_rows* r, double** out_along, double** out_across) {
    double* along = ARENA_ARRAY(a, double, r->rows);
    double* across = ARENA_ARRAY(a, double, (size_t)r->rows*(size_t)r->columns);
    LIM_TRY_MEMORY(along);
    LIM_TRY_MEMORY(across);
    for (int32_t i = 0; i < r->rows; ++i) {
        double sum = 0.0;
        int32_t known = 0;
        for (int32_t j = 0; j < r->columns; ++j) {
            int32_t p = i * r->columns + j;
            double step = i > 0 ? step_of(r, p, p - r->columns) : 0.0;
            sum += step;
            known += step > 0.0;
            across[p] = j > 0 ? across[p - 1] + step_of(r, p, p - 1) : 0.0;
        }
        along[i] = (i > 0 ? along[i - 1] : 0.0) + sum / (known > 0 ? known : 1);
    }
    *out_along = along;
    *out_across = across;
    return LIM_OK;
}

/* Numbers the places that triangles use, in order, and writes them. */
static lim_result write_blade(arena* a, const topology* t, const blade_rows* r,
                              const int32_t* triangle, int32_t count, cut_blade* out) {
    int32_t points = 0, places = r->rows * r->columns;
    int32_t* number = ARENA_ARRAY(a, int32_t, places);
    double *along, *across;
    LIM_TRY_MEMORY(number);
    LIM_TRY(measure(a, r, &along, &across));
    for (int32_t i = 0; i < 3 * count; ++i) {
        number[triangle[i]] = 1;
    }
    for (int32_t i = 0; i < places; ++i) {
        number[i] = number[i] != 0 ? points++ : -1;
    }
    lim_point* point = ARENA_ARRAY(a, lim_point, points);
    float* uv = ARENA_ARRAY(a, float, 2 * (size_t)points);
    int32_t* corner = ARENA_ARRAY(a, int32_t, 3 * (size_t)count);
    LIM_TRY_MEMORY(corner);
    LIM_TRY_MEMORY(point);
    LIM_TRY_MEMORY(uv);
    for (int32_t i = 0; i < places; ++i) {
        if (number[i] >= 0) {
            point[number[i]] = r->place[i].at;
            uv[2 * number[i]] = (float)(t->unit * along[i / r->columns]);
            uv[2 * number[i] + 1] = (float)(t->unit * across[i]);
        }
    }
    for (int32_t i = 0; i < 3 * count; ++i) {
        corner[i] = number[triangle[i]];
    }
    *out = (cut_blade){points, count, point, corner, uv, false};
    return LIM_OK;
}

static void mark(const blade_rows* r, int32_t row, int32_t column, uint8_t* folded) {
    if (row >= 0 && row < r->rows && column >= 0 && column < r->columns) {
        folded[row * r->columns + column] = 1;
    }
}

/* The corners of triangles that cross others, and the places next to them. */
static void mark_folds(const blade_rows* r, const int32_t* triangle, int32_t count,
                       const uint8_t* crossing, uint8_t* folded) {
    for (int32_t i = 0; i < 3 * count; ++i) {
        if (crossing[i / 3]) {
            int32_t row = triangle[i] / r->columns, column = triangle[i] % r->columns;
            mark(r, row, column, folded);
            mark(r, row - 1, column, folded);
            mark(r, row + 1, column, folded);
            mark(r, row, column - 1, folded);
            mark(r, row, column + 1, folded);
        }
    }
}

/* Half way from where it is to the mean of those about it that it hangs together with. */
static lim_point smoothed(const blade_rows* r, int32_t place, double cell) {
    int32_t row = place / r->columns, column = place % r->columns, known = 0;
    const int32_t about[4][2] = {
        {row - 1, column}, {row + 1, column}, {row, column - 1}, {row, column + 1}};
    lim_point at = r->place[place].at, sum = p3(0, 0, 0);
    for (int k = 0; k < 4; ++k) {
        if (about[k][0] < 0 || about[k][0] >= r->rows || about[k][1] < 0 ||
            about[k][1] >= r->columns) {
            continue;
        }
        const blade_place* other = &r->place[about[k][0] * r->columns + about[k][1]];
        if (other->away < HUGE_VALF && p3_length(p3_sub(other->at, at)) <= TORN * cell) {
            sum = p3_add(sum, other->at);
            known++;
        }
    }
    return known > 0 ? p3_scale(p3_add(at, p3_scale(sum, 1.0 / known)), 0.5) : at;
}

/* One round: in all marked places at once. */
static lim_result smooth(arena* a, blade_rows* r, const uint8_t* folded, double cell) {
    int32_t places = r->rows * r->columns;
    blade_place* to = ARENA_ARRAY(a, blade_place, places);
    LIM_TRY_MEMORY(to);
    for (int32_t i = 0; i < places; ++i) {
        to[i] = r->place[i];
        if (folded[i] && to[i].away < HUGE_VALF) {
            to[i].at = smoothed(r, i, cell);
        }
    }
    r->place = to;
    return LIM_OK;
}

/* The blade of a choice of rows, and whether it crosses itself; then rows are made smoother. */
static lim_result try_rows(arena* a, const topology* t, blade_rows* rows, double reach,
                           cut_blade* out, bool* crosses) {
    double cell = (double)t->cell;
    int32_t *triangle, count;
    int32_t* name = ARENA_ARRAY(a, int32_t, (size_t)rows->rows * (size_t)rows->columns);
    LIM_TRY_MEMORY(name);
    share_places(rows, cell, name);
    LIM_TRY(lay_triangles(a, rows, cell, reach, name, &triangle, &count));
    *crosses = false;
    *out = (cut_blade){0};
    if (count == 0) {
        return LIM_OK;
    }
    uint8_t* crossing = ARENA_ARRAY(a, uint8_t, count);
    uint8_t* folded = ARENA_ARRAY(a, uint8_t, (size_t)rows->rows * (size_t)rows->columns);
    LIM_TRY_MEMORY(crossing);
    LIM_TRY_MEMORY(folded);
    LIM_TRY(write_blade(a, t, rows, triangle, count, out));
    LIM_TRY(cut_blade_crosses(out, &a->host, crossing, crosses));
    if (*crosses) {
        mark_folds(rows, triangle, count, crossing, folded);
        return smooth(a, rows, folded, cell);
    }
    return LIM_OK;
}

lim_result blade_make(arena* a, const topology* t, const blade_rows* rows, cut_blade* out,
                      const char** why) {
    blade_rows smoother = *rows;
    bool crosses = true;
    *why = NULL;
    for (int32_t i = 0; i < ROUNDS && crosses; ++i) {
        LIM_TRY(try_rows(a, t, &smoother, i == 0 ? BLADE_NEAR : NEAR_LEAST, out, &crosses));
        smoother = i == 0 ? *rows : smoother;
    }
    if (crosses) {
        *out = (cut_blade){0};
        *why = "the blade crosses its own way: end the stroke before it does";
        return LIM_ERROR_ARGUMENT;
    }
    out->sound = true;
    return LIM_OK;
}
