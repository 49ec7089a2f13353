/* SPDX-License-Identifier: MIT
 * Job: cut a polygon in space into triangles. In: corners in order, roughly in a plane. Out:
 * count - 2 triangles. The plane is that of Newell's normal; dropping its largest axis gives
 * coordinates in the plane that are exactly those of the input, so that turns can be decided
 * exactly (Shewchuk 1997, "Adaptive precision floating-point arithmetic": a filter, then sums
 * without rounding). A convex polygon is a fan from its first corner; otherwise ears are cut off
 * (Meisters 1975) whose closed triangle holds no hollow corner. Corners on a straight edge count as
 * hollow, so no flat triangle arises and none is left over. Where no ear is left the polygon
 * crosses itself and the rest becomes a fan.
 */
#include "io/polygon.h"

#include <float.h>
#include <math.h>

/* ---- exact turns ------------------------------------------------------------------------------
 */

/* a + b = *sum + *rest without error (Knuth). */
static void two_sum(double a, double b, double* sum, double* rest) {
    double s = a + b;
    double part = s - a;
    *rest = (a - (s - part)) + (b - part);
    *sum = s;
}

static void split(double a, double* high, double* low) {
    double c = 134217729.0 * a; /* 2^27 + 1 */
    *high = c - (c - a);
    *low = a - *high;
}

/* a * b = *product + *rest without error (Dekker), for products that are neither tiny nor huge. */
static void two_product(double a, double b, double* product, double* rest) {
    double ah, al, bh, bl;
    split(a, &ah, &al);
    split(b, &bh, &bl);
    double p = a * b;
    *rest = al * bl - (((p - ah * bh) - al * bh) - ah * bl);
    *product = p;
}

/* Adds b to a sum of parts that do not overlap; the last part has the sign of the whole. */
static int32_t grow_sum(double* parts, int32_t count, double b) {
    double carry = b;
    int32_t kept = 0;
    for (int32_t i = 0; i < count; ++i) {
        double rest;
        two_sum(carry, parts[i], &carry, &rest);
        if (rest != 0.0) {
            parts[kept++] = rest;
        }
    }
    if (carry != 0.0) {
        parts[kept++] = carry;
    }
    return kept;
}

int polygon_turn(double ax, double ay, double bx, double by, double cx, double cy) {
    double left = (ax - cx) * (by - cy);
    double right = (ay - cy) * (bx - cx);
    double turn = left - right;
    double bound = (3.0 + 16.0 * DBL_EPSILON) * (DBL_EPSILON / 2) * (fabs(left) + fabs(right));
    if (turn > bound || -turn > bound) {
        return turn > 0.0 ? 1 : -1;
    }
    /* ax by - ax cy - cx by - ay bx + ay cx + cy bx, each product exact. */
    const double factors[6][2] = {{ax, by}, {-ax, cy}, {-cx, by}, {-ay, bx}, {ay, cx}, {cy, bx}};
    double parts[12];
    int32_t count = 0;
    for (int i = 0; i < 6; ++i) {
        double product, rest;
        two_product(factors[i][0], factors[i][1], &product, &rest);
        count = grow_sum(parts, count, rest);
        count = grow_sum(parts, count, product);
    }
    return count == 0 ? 0 : parts[count - 1] > 0.0 ? 1 : -1;
}

/* ---- the plane --------------------------------------------------------------------------------
 */

/* Fills x, y of all corners so that the polygon turns left. False when it has no area or a corner
 * is not finite. */
static bool project(polygon_work* work, const double* positions, int32_t count) {
    double largest = 0.0;
    for (int32_t i = 0; i < 3 * count; ++i) {
        if (!isfinite(positions[i])) {
            return false;
        }
        largest = fabs(positions[i]) > largest ? fabs(positions[i]) : largest;
    }
    if (largest == 0.0) {
        return false;
    }
    /* A power of two changes no bit of the mantissas and keeps products in range. */
    int exponent = 0;
    (void)frexp(largest, &exponent);
    const double* origin = positions;
    double normal[3] = {0.0, 0.0, 0.0};
    for (int32_t i = 0; i < count; ++i) {
        const double* p = positions + 3 * (size_t)i;
        const double* q = positions + 3 * (size_t)(i + 1 < count ? i + 1 : 0);
        double a[3], b[3];
        for (int k = 0; k < 3; ++k) {
            a[k] = ldexp(p[k], -exponent) - ldexp(origin[k], -exponent);
            b[k] = ldexp(q[k], -exponent) - ldexp(origin[k], -exponent);
        }
        for (int k = 0; k < 3; ++k) {
            int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            normal[k] += a[k1] * b[k2] - a[k2] * b[k1];
        }
    }
    int axis = fabs(normal[1]) > fabs(normal[0]) ? 1 : 0;
    axis = fabs(normal[2]) > fabs(normal[axis]) ? 2 : axis;
    if (normal[axis] == 0.0) {
        return false;
    }
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    if (normal[axis] < 0.0) {
        int swap = u;
        u = v;
        v = swap;
    }
    for (int32_t i = 0; i < count; ++i) {
        polygon_corner* corner = &work->corners.data[i];
        corner->x = ldexp(positions[3 * (size_t)i + (size_t)u], -exponent);
        corner->y = ldexp(positions[3 * (size_t)i + (size_t)v], -exponent);
    }
    return true;
}

/* ---- ears -------------------------------------------------------------------------------------
 */

static int turn_of(const polygon_corner* corners, int32_t a, int32_t b, int32_t c) {
    return polygon_turn(corners[a].x, corners[a].y, corners[b].x, corners[b].y, corners[c].x,
                        corners[c].y);
}

static int turn_at(const polygon_corner* corners, int32_t i) {
    return turn_of(corners, corners[i].before, i, corners[i].after);
}

static bool same_place(const polygon_corner* a, const polygon_corner* b) {
    return a->x == b->x && a->y == b->y;
}

/* Does a hollow corner lie in the triangle of corner i (its border included when `closed`)? Corners
 * at the place of one of the three do not count: holes are often joined by a doubled edge. */
static bool is_blocked(polygon_work* work, int32_t i, bool closed) {
    const polygon_corner* corners = work->corners.data;
    int32_t a = corners[i].before, c = corners[i].after;
    int limit = closed ? 0 : 1;
    for (int32_t h = 0; h < work->hollow.count; ++h) {
        int32_t p = work->hollow.data[h];
        work->budget--;
        if (p == a || p == i || p == c || same_place(&corners[p], &corners[a]) ||
            same_place(&corners[p], &corners[i]) || same_place(&corners[p], &corners[c])) {
            continue;
        }
        if (turn_of(corners, a, i, p) >= limit && turn_of(corners, i, c, p) >= limit &&
            turn_of(corners, c, a, p) >= limit) {
            return true;
        }
    }
    return false;
}

static void forget_hollow(polygon_work* work, int32_t corner) {
    work->budget -= work->hollow.count / 8; /* a step here is much cheaper than a turn */
    for (int32_t h = 0; h < work->hollow.count; ++h) {
        if (work->hollow.data[h] == corner) {
            work->hollow.data[h] = work->hollow.data[--work->hollow.count];
            return;
        }
    }
}

/* A corner whose neighbour was cut off can only become less hollow in a simple polygon; in others
 * it may go either way, and then it is left as it was, which is safe. */
static void look_again(polygon_work* work, int32_t i) {
    if (work->corners.data[i].hollow && turn_at(work->corners.data, i) > 0) {
        work->corners.data[i].hollow = false;
        forget_hollow(work, i);
    }
}

static void add_triangle(polygon_work* work, int32_t a, int32_t b, int32_t c) {
    int32_t* to = work->triangles.data + work->triangles.count;
    to[0] = a;
    to[1] = b;
    to[2] = c;
    work->triangles.count += 3;
}

/* The corners still there, from `first` on, as a fan. */
static void add_fan(polygon_work* work, int32_t first) {
    const polygon_corner* corners = work->corners.data;
    int32_t b = corners[first].after;
    for (int32_t c = corners[b].after; c != first; c = corners[c].after) {
        add_triangle(work, first, b, c);
        b = c;
    }
}

static polygon_outcome cut_ears(polygon_work* work, int32_t count) {
    polygon_corner* corners = work->corners.data;
    int32_t left = count, at = 0, tried = 0;
    bool closed = true;
    while (left > 3) {
        if (work->budget <= 0) {
            add_fan(work, at);
            return POLYGON_TOO_LARGE;
        }
        int32_t a = corners[at].before, c = corners[at].after;
        if (turn_at(corners, at) > 0 && !is_blocked(work, at, closed)) {
            add_triangle(work, a, at, c);
            corners[a].after = c;
            corners[c].before = a;
            if (corners[at].hollow) {
                forget_hollow(work, at);
            }
            look_again(work, a);
            look_again(work, c);
            left--;
            tried = 0;
            closed = true;
            at = corners[c]
                     .after; /* every second corner: rounder triangles than one after another */
        } else if (++tried > left) {
            if (!closed) {
                add_fan(work, at);
                return POLYGON_CROSSING;
            }
            closed = false;
            tried = 0;
        } else {
            work->budget--;
            at = c;
        }
    }
    add_fan(work, at);
    return POLYGON_OK;
}

polygon_outcome polygon_triangulate(polygon_work* work, const lim_host* host,
                                    const double* positions, int32_t count) {
    work->triangles.count = 0;
    if (count < 3) {
        return POLYGON_OK;
    }
    work->corners.count = work->hollow.count = 0;
    if (!ARRAY_RESERVE(host, &work->corners, count) || !ARRAY_RESERVE(host, &work->hollow, count) ||
        !ARRAY_RESERVE(host, &work->triangles, 3 * ((int64_t)count - 2))) {
        return POLYGON_NO_MEMORY;
    }
    polygon_corner* corners = work->corners.data;
    work->corners.count = count;
    for (int32_t i = 0; i < count; ++i) {
        corners[i] = (polygon_corner){.before = i > 0 ? i - 1 : count - 1,
                                      .after = i + 1 < count ? i + 1 : 0};
    }
    if (count == 3) {
        add_fan(work, 0);
        return POLYGON_OK;
    }
    if (!project(work, positions, count)) {
        add_fan(work, 0);
        return POLYGON_CROSSING;
    }
    for (int32_t i = 0; i < count; ++i) {
        corners[i].hollow = turn_at(corners, i) <= 0;
        if (corners[i].hollow) {
            work->hollow.data[work->hollow.count++] = i;
        }
    }
    if (work->hollow.count == 0) {
        add_fan(work, 0);
        return POLYGON_OK;
    }
    return cut_ears(work, count);
}

void polygon_free(polygon_work* work, const lim_host* host) {
    ARRAY_FREE(host, &work->corners);
    ARRAY_FREE(host, &work->hollow);
    ARRAY_FREE(host, &work->triangles);
}
