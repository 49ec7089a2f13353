/* SPDX-License-Identifier: MIT
 * Job: a height field as a collider. In: heights over a grid in the plane y = 0, centred, row after
 * row (z), column after column (x). Out: distances and swept tests.
 *
 * Each square of the grid is two triangles, parted from its first corner to the opposite one. What
 * lies below them is solid without an end, and its sides go straight down: a block with a landscape
 * on top. Queries go down a tree of squares of 1, 2, 4, ... cells with their least and greatest
 * heights.
 */
#include "contact/asset.h"
#include "mesh/triangle.h"

#include <string.h>

/* Nearer than this (metres) a point has no direction from an edge or a corner. */
#define NO_DIRECTION 1e-7

/* ---- making -----------------------------------------------------------------------------------
 */

static void lowest_level(collider_asset* a) {
    const asset_source* f = &a->from;
    height_level* to = &a->level[0];
    for (int32_t r = 0; r < to->rows; ++r) {
        for (int32_t c = 0; c < to->columns; ++c) {
            const float* h = f->heights + (size_t)r * (size_t)f->columns + c;
            const float four[4] = {h[0], h[1], h[f->columns], h[f->columns + 1]};
            float low = four[0], high = four[0];
            for (int k = 1; k < 4; ++k) {
                low = four[k] < low ? four[k] : low;
                high = four[k] > high ? four[k] : high;
            }
            to->low[(size_t)r * (size_t)to->columns + (size_t)c] = low;
            to->high[(size_t)r * (size_t)to->columns + (size_t)c] = high;
        }
    }
}

static void next_level(const height_level* from, height_level* to) {
    size_t count = (size_t)to->columns * (size_t)to->rows;
    for (size_t i = 0; i < count; ++i) {
        to->low[i] = HUGE_VALF;
        to->high[i] = -HUGE_VALF;
    }
    for (int32_t r = 0; r < from->rows; ++r) {
        for (int32_t c = 0; c < from->columns; ++c) {
            size_t i = (size_t)r * (size_t)from->columns + (size_t)c;
            size_t up = (size_t)(r / 2) * (size_t)to->columns + (size_t)(c / 2);
            to->low[up] = from->low[i] < to->low[up] ? from->low[i] : to->low[up];
            to->high[up] = from->high[i] > to->high[up] ? from->high[i] : to->high[up];
        }
    }
}

/* The square of the steepest slope. */
static double steepest_square(const collider_asset* a) {
    const asset_source* f = &a->from;
    double most = 0.0;
    for (int32_t r = 0; r + 1 < f->rows; ++r) {
        const float* h = f->heights + (size_t)r * (size_t)f->columns;
        for (int32_t c = 0; c + 1 < f->columns; ++c) {
            double near[2] = {(double)h[c], (double)h[c + 1]};
            double far[2] = {(double)h[f->columns + c], (double)h[f->columns + c + 1]};
            double x[2] = {(near[1] - near[0]) * a->per_x, (far[1] - far[0]) * a->per_x};
            double z[2] = {(far[1] - near[1]) * a->per_z, (far[0] - near[0]) * a->per_z};
            for (int k = 0; k < 2; ++k) {
                double square = x[k] * x[k] + z[k] * z[k];
                most = square > most ? square : most;
            }
        }
    }
    return most;
}

lim_result heights_build(collider_asset* a) {
    const asset_source* f = &a->from;
    int32_t columns = f->columns - 1, rows = f->rows - 1;
    for (int k = 0; k < ASSET_LEVELS; ++k) {
        height_level* l = &a->level[k];
        *l = (height_level){.columns = columns, .rows = rows};
        l->low = ARENA_ARRAY(&a->mem, float, (size_t)columns*(size_t)rows);
        l->high = ARENA_ARRAY(&a->mem, float, (size_t)columns*(size_t)rows);
        LIM_TRY_MEMORY(l->low);
        LIM_TRY_MEMORY(l->high);
        if (k == 0) {
            lowest_level(a);
        } else {
            next_level(l - 1, l);
        }
        a->level_count = k + 1;
        if (columns == 1 && rows == 1) {
            break;
        }
        columns = (columns + 1) / 2;
        rows = (rows + 1) / 2;
    }
    double x = 0.5 * (double)f->step_x * (f->columns - 1);
    double z = 0.5 * (double)f->step_z * (f->rows - 1);
    a->per_x = 1.0 / (double)f->step_x;
    a->per_z = 1.0 / (double)f->step_z;
    const height_level* whole = &a->level[a->level_count - 1];
    a->lower = p3(-x, (double)whole->low[0], -z);
    a->upper = p3(x, (double)whole->high[0], z);
    a->least_cosine = 1.0 / sqrt(1.0 + steepest_square(a));
    return LIM_OK;
}

/* ---- the surface ------------------------------------------------------------------------------
 */

static lim_point sample(const collider_asset* a, int32_t c, int32_t r) {
    const asset_source* f = &a->from;
    return p3(a->lower.x + (double)f->step_x * c,
              (double)f->heights[(size_t)r * (size_t)f->columns + (size_t)c],
              a->lower.z + (double)f->step_z * r);
}

/* The triangle of a square that holds (1, 0) or (0, 1); counter-clockwise from above. */
static void triangle_of(const collider_asset* a, int32_t c, int32_t r, int which,
                        lim_point out[3]) {
    out[0] = sample(a, c, r);
    out[1] = sample(a, which == 0 ? c + 1 : c, which == 0 ? r : r + 1);
    out[2] = sample(a, c + 1, r + 1);
    if (which == 0) { /* x then z turns downwards: the other way round */
        lim_point swap = out[1];
        out[1] = out[2];
        out[2] = swap;
    }
}

static lim_point normal_of(const lim_point t[3]) {
    lim_point n = p3_cross(p3_sub(t[1], t[0]), p3_sub(t[2], t[0]));
    return p3_scale(n, 1.0 / p3_length(n));
}

/* Height over a place that is clamped to the grid. */
static double height_at(const collider_asset* a, double x, double z) {
    const asset_source* f = &a->from;
    double u = (x - a->lower.x) / (double)f->step_x, v = (z - a->lower.z) / (double)f->step_z;
    u = u > 0.0 ? (u < f->columns - 1 ? u : f->columns - 1) : 0.0;
    v = v > 0.0 ? (v < f->rows - 1 ? v : f->rows - 1) : 0.0;
    int32_t c = u < f->columns - 2 ? (int32_t)u : f->columns - 2;
    int32_t r = v < f->rows - 2 ? (int32_t)v : f->rows - 2;
    u -= c;
    v -= r;
    double h00 = sample(a, c, r).y, h11 = sample(a, c + 1, r + 1).y;
    return u > v ? h00 + (sample(a, c + 1, r).y - h00) * u + (h11 - sample(a, c + 1, r).y) * v
                 : h00 + (h11 - sample(a, c, r + 1).y) * u + (sample(a, c, r + 1).y - h00) * v;
}

/* ---- going down the squares -------------------------------------------------------------------
 */

typedef struct square {
    int32_t level, column, row;
} square;
enum { SQUARES = 4 * ASSET_LEVELS, GUESSES = 3 };

static void square_box(const collider_asset* a, square s, lim_point* low, lim_point* high) {
    const asset_source* f = &a->from;
    const height_level* l = &a->level[s.level];
    size_t i = (size_t)s.row * (size_t)l->columns + (size_t)s.column;
    int32_t c = (s.column + 1) << s.level, r = (s.row + 1) << s.level;
    c = c < f->columns - 1 ? c : f->columns - 1;
    r = r < f->rows - 1 ? r : f->rows - 1;
    *low = p3(a->lower.x + (double)f->step_x * (s.column << s.level), (double)l->low[i],
              a->lower.z + (double)f->step_z * (s.row << s.level));
    *high = p3(a->lower.x + (double)f->step_x * c, (double)l->high[i],
               a->lower.z + (double)f->step_z * r);
}

/* The up to four squares below one. */
static int parts_of(const collider_asset* a, square s, square out[4]) {
    const height_level* below = &a->level[s.level - 1];
    int count = 0;
    for (int k = 0; k < 4; ++k) {
        square part = {s.level - 1, 2 * s.column + k % 2, 2 * s.row + k / 2};
        if (part.column < below->columns && part.row < below->rows) {
            out[count++] = part;
        }
    }
    return count;
}

typedef struct height_near {
    double distance2;
    lim_point foot, triangle[3];
    bool over_face, found; /* found: something nearer than was asked for */
} height_near;

/* Whether the plane of a triangle is nearer than that; a hair's breadth more counts too. With the
 * slopes u and v of the plane along x and z the distance is that along y by sqrt(1 + u^2 + v^2). */
static bool plane_is_near(const collider_asset* a, const float* h, int which, lim_point corner,
                          lim_point at, double distance2) {
    const asset_source* f = &a->from;
    float far = h[f->columns + 1], mid = which == 0 ? h[1] : h[f->columns];
    double first_rise = (double)mid - (double)h[0], last_rise = (double)far - (double)mid;
    double u = (which == 0 ? first_rise : last_rise) * a->per_x;
    double v = (which == 0 ? last_rise : first_rise) * a->per_z;
    double above = at.y - (corner.y + u * (at.x - corner.x) + v * (at.z - corner.z));
    return !(above * above * (1.0 - 1e-5) > distance2 * (1.0 + u * u + v * v));
}

static void near_square(const collider_asset* a, square s, lim_point at, height_near* best) {
    const float* h = a->from.heights + (size_t)s.row * (size_t)a->from.columns + s.column;
    lim_point corner = sample(a, s.column, s.row);
    for (int which = 0; which < 2; ++which) {
        if (!plane_is_near(a, h, which, corner, at, best->distance2)) {
            continue;
        }
        lim_point t[3];
        double w[3];
        triangle_of(a, s.column, s.row, which, t);
        double d2 = triangle_closest(t[0], t[1], t[2], at, w);
        if (d2 < best->distance2) {
            *best = (height_near){d2,
                                  triangle_point_at(t[0], t[1], t[2], w),
                                  {t[0], t[1], t[2]},
                                  w[0] > 0.0 && w[1] > 0.0 && w[2] > 0.0,
                                  true};
        }
    }
}

/* The column or row of a coordinate, clamped to 0..last. */
static int32_t line_of(double x, double first, float step, int32_t last) {
    double at = (x - first) / (double)step;
    return at > 0.0 ? (at < (double)last ? (int32_t)at : last) : 0;
}

typedef struct square_stack {
    int count;
    square s[SQUARES];
    double d2[SQUARES];
} square_stack;

/* Squared distance of x from the lines of columns (or rows) that a square of a level spans. */
static double span_distance2(double x, double first, float step, int32_t line, int32_t level,
                             int32_t last) {
    int32_t end = (line + 1) << level;
    double low = first + (double)step * (line << level);
    double high = first + (double)step * (end < last ? end : last);
    double d = x < low ? low - x : x > high ? x - high : 0.0;
    return d * d;
}

/* Pushes the squares of a level in up to two columns and rows, the farthest first: the nearest is
 * looked at next. */
static void push_squares(square_stack* stack, const collider_asset* a, lim_point at, square low,
                         square high, double beyond) {
    const asset_source* f = &a->from;
    const height_level* l = &a->level[low.level];
    int bottom = stack->count;
    for (int32_t r = low.row; r <= high.row; ++r) {
        double z2 = span_distance2(at.z, a->lower.z, f->step_z, r, low.level, f->rows - 1);
        for (int32_t c = low.column; c <= high.column; ++c) {
            double x2 = span_distance2(at.x, a->lower.x, f->step_x, c, low.level, f->columns - 1);
            size_t i = (size_t)r * (size_t)l->columns + (size_t)c;
            double under = (double)l->low[i] - at.y, over = at.y - (double)l->high[i];
            double y = under > over ? under : over;
            double d2 = x2 + z2 + (y > 0.0 ? y * y : 0.0);
            if (!(d2 < beyond)) {
                continue;
            }
            int to = stack->count++;
            while (to > bottom && stack->d2[to - 1] < d2) {
                stack->s[to] = stack->s[to - 1];
                stack->d2[to] = stack->d2[to - 1];
                to--;
            }
            stack->s[to] = (square){low.level, c, r};
            stack->d2[to] = d2;
        }
    }
}

/* All within a distance in plan lies in up to two columns and rows of squares: the first and the
 * last of them, as small as they can be. */
static void squares_about(const collider_asset* a, lim_point at, double distance, square* low,
                          square* high) {
    const asset_source* f = &a->from;
    int32_t c0 = line_of(at.x - distance, a->lower.x, f->step_x, f->columns - 2);
    int32_t c1 = line_of(at.x + distance, a->lower.x, f->step_x, f->columns - 2);
    int32_t r0 = line_of(at.z - distance, a->lower.z, f->step_z, f->rows - 2);
    int32_t r1 = line_of(at.z + distance, a->lower.z, f->step_z, f->rows - 2);
    int32_t level = 0;
    while ((c1 >> level) - (c0 >> level) > 1 || (r1 >> level) - (r0 >> level) > 1) {
        level++;
    }
    *low = (square){level, c0 >> level, r0 >> level};
    *high = (square){level, c1 >> level, r1 >> level};
}

static square square_below(const collider_asset* a, lim_point at) {
    const asset_source* f = &a->from;
    return (square){0, line_of(at.x, a->lower.x, f->step_x, f->columns - 2),
                    line_of(at.z, a->lower.z, f->step_z, f->rows - 2)};
}

/* A first guess: the square below the point; then, a few times, the one below the foot of the point
 * on the plane of the nearest triangle, which is better over a slope. */
static height_near guess_nearest(const collider_asset* a, lim_point at, double within2) {
    height_near best = {.distance2 = within2, .foot = at};
    square looked = square_below(a, at);
    near_square(a, looked, at, &best);
    for (int k = 0; k < GUESSES && best.found; ++k) {
        lim_point n = normal_of(best.triangle);
        lim_point foot = p3_mad(at, n, p3_dot(n, p3_sub(best.triangle[0], at)));
        square next = square_below(a, foot);
        if (next.column == looked.column && next.row == looked.row) {
            break;
        }
        looked = next;
        near_square(a, looked, at, &best);
    }
    return best;
}

/* Nearest point of the landscape within a distance, sides left out. A guess bounds how far others
 * may lie: of most points few squares are left to look at. */
static height_near find_nearest(const collider_asset* a, lim_point at, double within2) {
    height_near best = guess_nearest(a, at, within2);
    square low, high;
    square_stack stack;
    stack.count = 0;
    squares_about(a, at, sqrt(best.distance2), &low, &high);
    push_squares(&stack, a, at, low, high, best.distance2);
    while (stack.count > 0) {
        square s = stack.s[--stack.count];
        if (!(stack.d2[stack.count] < best.distance2)) {
            continue;
        }
        if (s.level > 0) {
            const height_level* l = &a->level[s.level - 1];
            low = (square){s.level - 1, 2 * s.column, 2 * s.row};
            high = (square){s.level - 1, low.column + (low.column + 1 < l->columns),
                            low.row + (low.row + 1 < l->rows)};
            push_squares(&stack, a, at, low, high, best.distance2);
        } else {
            near_square(a, s, at, &best);
        }
    }
    return best;
}

/* How far a place lies outside of the rectangle (beyond its sides), and which way; or, when it is
 * inside, how far it is to the nearest side, negative. */
static double side_distance(const collider_asset* a, lim_point at, lim_point* normal) {
    double x = fabs(at.x) - a->upper.x, z = fabs(at.z) - a->upper.z;
    double sx = at.x < 0.0 ? -1.0 : 1.0, sz = at.z < 0.0 ? -1.0 : 1.0;
    if (x > 0.0 && z > 0.0) {
        double d = sqrt(x * x + z * z);
        *normal = p3(sx * x / d, 0, sz * z / d);
        return d;
    }
    *normal = x > z ? p3(sx, 0, 0) : p3(0, 0, sz);
    return x > z ? x : z;
}

double heights_distance(const collider_asset* a, lim_point at, lim_point* out_normal) {
    *out_normal = p3(0, 1, 0);
    if (!p3_finite(at)) {
        return HUGE_VAL;
    }
    double side = side_distance(a, at, out_normal);
    bool below = at.y < height_at(a, at.x, at.z);
    /* below the landscape a side may be nearer, from within and from beside */
    height_near near = find_nearest(a, at, below ? side * side : HUGE_VAL);
    if (!near.found) {
        return side;
    }
    double distance = sqrt(near.distance2);
    lim_point up = normal_of(near.triangle);
    lim_point away = distance > NO_DIRECTION ? p3_scale(p3_sub(at, near.foot), 1.0 / distance) : up;
    if (below && side <= 0.0) {
        *out_normal = near.over_face || !(distance > NO_DIRECTION) ? up : p3_scale(away, -1.0);
        return -distance;
    }
    *out_normal = near.over_face ? up : away;
    return distance;
}

/* Where a point is h above the landscape and nothing is steeper than s, the landscape at a distance
 * r beside it is at least h - s r below it; so its distance is at least h / sqrt(1 + s^2). Beside
 * the field the height is that of the nearest sample, which is no farther from any part of it. */
double heights_at_least(const collider_asset* a, lim_point at) {
    double above = at.y - height_at(a, at.x, at.z);
    return above > 0.0 ? above * a->least_cosine : -HUGE_VAL;
}

/* ---- ways through -----------------------------------------------------------------------------
 */

static bool way_meets(const collider_asset* a, square s, lim_point from, lim_point along,
                      double most) {
    lim_point low, high;
    square_box(a, s, &low, &high);
    const double l[3] = {low.x, low.y, low.z}, h[3] = {high.x, high.y, high.z};
    const double at[3] = {from.x, from.y, from.z}, way[3] = {along.x, along.y, along.z};
    double enter = 0.0, leave = most;
    for (int k = 0; k < 3; ++k) {
        if (!(fabs(way[k]) > 1e-30)) {
            if (at[k] < l[k] - 1e-9 || at[k] > h[k] + 1e-9) {
                return false;
            }
            continue;
        }
        double s0 = (l[k] - at[k]) / way[k], s1 = (h[k] - at[k]) / way[k];
        double first = s0 < s1 ? s0 : s1, last = s0 < s1 ? s1 : s0;
        enter = first > enter ? first : enter;
        leave = last < leave ? last : leave;
    }
    return enter <= leave + 1e-9;
}

bool heights_sweep(const collider_asset* a, lim_point from, lim_point to, double* out_share,
                   lim_point* out_normal) {
    lim_point along = p3_sub(to, from);
    if (!p3_finite(from) || !p3_finite(along)) {
        return false;
    }
    double most = 1.0;
    bool met = false;
    square stack[SQUARES];
    int top = 0;
    stack[top++] = (square){a->level_count - 1, 0, 0};
    while (top > 0) {
        square s = stack[--top];
        if (!way_meets(a, s, from, along, most)) {
            continue;
        }
        if (s.level > 0) {
            top += parts_of(a, s, stack + top);
            continue;
        }
        for (int which = 0; which < 2; ++which) {
            lim_point t[3];
            double w[3], share;
            triangle_of(a, s.column, s.row, which, t);
            lim_point n = normal_of(t);
            if (triangle_ray(t[0], t[1], t[2], from, along, w, &share) && share <= most &&
                p3_dot(n, along) < 0.0 && (!met || share < most)) {
                most = share;
                met = true;
                *out_normal = n;
            }
        }
    }
    *out_share = most;
    return met;
}
