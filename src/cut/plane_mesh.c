/* SPDX-License-Identifier: MIT
 * Job: triangulates one triangle with points and walls. In: border points by name and order, inner
 * points and walls by rounded coordinates. Out: triangles with their neighbours. Points go in one
 * by one and edges are flipped until they are Delaunay (Lawson 1977); a wall is made by flipping
 * the edges that cross it (Sloan 1993). Whether to flip for shape is decided in plain doubles; that
 * a flip is allowed, exactly, so that shape can go wrong but never the triangulation. Where exact
 * signs of the rounded points contradict each other the call fails, and the cut tries again with
 * the blade moved a little.
 */
#include "cut/plane_mesh.h"

#include "math/predicates.h"

#include <math.h>

void plane_mesh_free(plane_mesh* m) {
    ARRAY_FREE(m->host, &m->point);
    ARRAY_FREE(m->host, &m->corner);
    ARRAY_FREE(m->host, &m->mate);
    ARRAY_FREE(m->host, &m->wall);
    ARRAY_FREE(m->host, &m->at);
    ARRAY_FREE(m->host, &m->stack);
}

static int turn_of(const plane_mesh* m, int32_t a, int32_t b, int32_t c) {
    const plane_point *p = &m->point.data[a], *q = &m->point.data[b], *r = &m->point.data[c];
    if (p->sides != 0 && q->sides != 0 && r->sides != 0) {
        if ((p->sides & q->sides & r->sides) != 0) {
            return 0;
        }
        bool forward = (p->rank < q->rank) + (q->rank < r->rank) + (r->rank < p->rank) == 2;
        return forward ? 1 : -1;
    }
    return m->turn * orient2d(p->at, q->at, r->at);
}

static bool add_point(plane_mesh* m, const double at[2], int32_t rank, int32_t sides) {
    plane_point p = {{at[0], at[1]}, rank, sides};
    if (!ARRAY_RESERVE(m->host, &m->point, m->point.count + 1) ||
        !ARRAY_PUSH(m->host, &m->at, -1)) {
        m->memory_failed = true;
        return false;
    }
    m->point.data[m->point.count++] = p;
    return true;
}

/* Room for `count` more triangles and all their edges on the stack. */
static bool make_room(plane_mesh* m, int32_t count) {
    int64_t halves = m->corner.count + 3 * (int64_t)count;
    bool ok = ARRAY_RESERVE(m->host, &m->corner, halves) &&
              ARRAY_RESERVE(m->host, &m->mate, halves) && ARRAY_RESERVE(m->host, &m->wall, halves);
    m->memory_failed |= !ok;
    return ok;
}

/* A new triangle without neighbours, in room that was made; its first half edge. */
static int32_t add_triangle(plane_mesh* m) {
    int32_t h = m->corner.count;
    m->corner.count = m->mate.count = m->wall.count = h + 3;
    for (int32_t k = h; k < h + 3; ++k) {
        m->mate.data[k] = -1;
        m->wall.data[k] = 0;
    }
    return h;
}

static void set_corner(plane_mesh* m, int32_t h, int32_t p) {
    m->corner.data[h] = p;
    m->at.data[p] = h;
}

static void set_mates(plane_mesh* m, int32_t g, int32_t h) {
    m->mate.data[g] = h;
    if (h >= 0) {
        m->mate.data[h] = g;
    }
}

/* The edge (neighbour and wall) of `from` goes to `to`. */
static void move_edge(plane_mesh* m, int32_t from, int32_t to) {
    m->wall.data[to] = m->wall.data[from];
    set_mates(m, to, m->mate.data[from]);
}

/* Edge a b with the opposite corners c (its own side) and d becomes c d. */
static void flip(plane_mesh* m, int32_t h) {
    int32_t g = m->mate.data[h];
    int32_t hn = plane_next(h), hb = plane_before(h), gn = plane_next(g), gb = plane_before(g);
    int32_t a = m->corner.data[h], b = m->corner.data[g];
    int32_t c = m->corner.data[hb], d = m->corner.data[gb];
    int32_t mate[4] = {m->mate.data[hb], m->mate.data[gn], m->mate.data[gb], m->mate.data[hn]};
    int32_t wall[4] = {m->wall.data[hb], m->wall.data[gn], m->wall.data[gb], m->wall.data[hn]};
    /* h's triangle becomes c a d, g's d b c. */
    int32_t slot[4] = {h, hn, g, gn};
    set_corner(m, h, c);
    set_corner(m, hn, a);
    set_corner(m, hb, d);
    set_corner(m, g, d);
    set_corner(m, gn, b);
    set_corner(m, gb, c);
    for (int k = 0; k < 4; ++k) {
        m->wall.data[slot[k]] = wall[k];
        set_mates(m, slot[k], mate[k]);
    }
    m->wall.data[hb] = m->wall.data[gb] = 0;
    set_mates(m, hb, gb);
}

static bool may_flip(const plane_mesh* m, int32_t h) {
    int32_t g = m->mate.data[h];
    if (g < 0 || m->wall.data[h] != 0) {
        return false;
    }
    int32_t a = m->corner.data[h], b = m->corner.data[g];
    int32_t c = m->corner.data[plane_before(h)], d = m->corner.data[plane_before(g)];
    return turn_of(m, c, a, d) > 0 && turn_of(m, d, b, c) > 0;
}

/* Does the far corner lie clearly in the circle of this triangle? */
static bool wants_flip(const plane_mesh* m, int32_t h) {
    int32_t g = m->mate.data[h];
    const double* d = m->point.data[m->corner.data[plane_before(g)]].at;
    double x[3], y[3], z[3];
    for (int k = 0; k < 3; ++k) {
        const double* p = m->point.data[m->corner.data[h - h % 3 + k]].at;
        x[k] = p[0] - d[0];
        y[k] = p[1] - d[1];
        z[k] = x[k] * x[k] + y[k] * y[k];
    }
    double det = 0.0, size = 0.0;
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        det += z[k] * (x[i] * y[j] - x[j] * y[i]);
        size += z[k] * (fabs(x[i] * y[j]) + fabs(x[j] * y[i]));
    }
    return (double)m->turn * det > 1e-10 * size;
}

static bool push(plane_mesh* m, int32_t h) {
    bool ok = ARRAY_PUSH(m->host, &m->stack, h);
    m->memory_failed |= !ok;
    return ok;
}

/* Flips from the stack until nothing wants to; the cap ends what rounding could keep going. */
static void settle(plane_mesh* m) {
    int64_t left = 64 + 16 * (int64_t)m->corner.count;
    while (m->stack.count > 0) {
        int32_t h = m->stack.data[--m->stack.count];
        if (left <= 0 || m->mate.data[h] < 0 || m->wall.data[h] != 0 || !wants_flip(m, h) ||
            !may_flip(m, h)) {
            continue;
        }
        left--;
        int32_t g = m->mate.data[h];
        flip(m, h);
        const int32_t around[4] = {h, plane_next(h), g, plane_next(g)};
        for (int k = 0; k < 4; ++k) {
            if (!push(m, around[k])) {
                m->stack.count = 0;
                return;
            }
        }
    }
}

void plane_mesh_smooth(plane_mesh* m) {
    m->stack.count = 0;
    for (int32_t h = m->corner.count - 1; h >= 0; --h) {
        if (h < m->mate.data[h] && !push(m, h)) {
            return;
        }
    }
    settle(m);
}

bool plane_mesh_begin(plane_mesh* m, const double (*border)[2], int32_t count,
                      const int32_t first[3]) {
    m->point.count = m->corner.count = m->mate.count = m->wall.count = 0;
    m->at.count = m->stack.count = m->last = 0;
    m->memory_failed = false;
    for (int32_t i = 0; i < count; ++i) {
        int32_t side = i < first[1] ? 0 : i < first[2] ? 1 : 2;
        bool corner = i == first[side];
        int32_t sides = (1 << side) | (corner ? 1 << (side + 2) % 3 : 0);
        if (!add_point(m, border[i], i, sides)) {
            return false;
        }
    }
    m->turn = orient2d(border[0], border[first[1]], border[first[2]]);
    if (!make_room(m, count - 2)) {
        return false;
    }
    int32_t h = add_triangle(m), side_half[3] = {h, h + 1, h + 2};
    for (int k = 0; k < 3; ++k) {
        set_corner(m, h + k, first[k]);
    }
    for (int k = 0; k < 3; ++k) { /* points of a side split what is left of it */
        int32_t end = k == 2 ? count : first[k + 1], rest = side_half[k];
        for (int32_t i = first[k] + 1; i < end; ++i) {
            /* rest runs from the point before to the end of the side; the part behind i is new */
            int32_t t = add_triangle(m), across = plane_next(rest);
            int32_t last = m->corner.data[across];
            set_corner(m, t, i);
            set_corner(m, t + 1, last);
            set_corner(m, t + 2, m->corner.data[plane_before(rest)]);
            move_edge(m, across, t + 1);
            set_corner(m, across, i);
            m->wall.data[across] = 0;
            set_mates(m, across, t + 2);
            for (int j = k + 1; j < 3; ++j) {
                side_half[j] = side_half[j] == across ? t + 1 : side_half[j];
            }
            rest = t;
        }
    }
    plane_mesh_smooth(m);
    return !m->memory_failed;
}

/* The triangle around a point: its first half edge, -1 when signs contradict. *on is a half edge on
 * which the point lies exactly, or -1. */
static int32_t find_triangle(const plane_mesh* m, int32_t p, int32_t* on) {
    int32_t t = m->last, steps = m->corner.count + 8;
    while (steps-- > 0) {
        int32_t out = -1;
        *on = -1;
        for (int32_t h = t; h < t + 3 && out < 0; ++h) {
            int turn = turn_of(m, m->corner.data[h], m->corner.data[plane_next(h)], p);
            if (turn < 0) {
                out = h;
            } else if (turn == 0) {
                *on = *on < 0 ? h : -2;
            }
        }
        if (out < 0) {
            return *on == -2 ? -1 : t; /* on two edges: on a corner */
        }
        if (m->mate.data[out] < 0) {
            return -1;
        }
        t = m->mate.data[out] - m->mate.data[out] % 3;
    }
    return -1;
}

/* Puts point p on an inner edge: four triangles of two. */
static void split_edge(plane_mesh* m, int32_t h, int32_t p) {
    int32_t g = m->mate.data[h];
    int32_t b = m->corner.data[g], a = m->corner.data[h], wall_h = m->wall.data[h],
            wall_g = m->wall.data[g];
    int32_t hn = plane_next(h), gn = plane_next(g);
    int32_t s = add_triangle(m), t = add_triangle(m);
    /* h: a p c, s: p b c; g: b p d, t: p a d. */
    set_corner(m, s, p);
    set_corner(m, s + 1, b);
    set_corner(m, s + 2, m->corner.data[plane_before(h)]);
    set_corner(m, t, p);
    set_corner(m, t + 1, a);
    set_corner(m, t + 2, m->corner.data[plane_before(g)]);
    move_edge(m, hn, s + 1);
    move_edge(m, gn, t + 1);
    set_corner(m, hn, p);
    set_corner(m, gn, p);
    m->wall.data[hn] = m->wall.data[gn] = 0;
    set_mates(m, hn, s + 2);
    set_mates(m, gn, t + 2);
    set_mates(m, h, t);
    set_mates(m, g, s);
    m->wall.data[s] = wall_h;
    m->wall.data[t] = wall_g;
}

/* Puts point p into a triangle: three of one. */
static void split_triangle(plane_mesh* m, int32_t h, int32_t p) {
    int32_t a = m->corner.data[h], b = m->corner.data[h + 1], c = m->corner.data[h + 2];
    int32_t s = add_triangle(m), t = add_triangle(m);
    set_corner(m, s, b);
    set_corner(m, s + 1, c);
    set_corner(m, s + 2, p);
    set_corner(m, t, c);
    set_corner(m, t + 1, a);
    set_corner(m, t + 2, p);
    move_edge(m, h + 1, s);
    move_edge(m, h + 2, t);
    set_corner(m, h + 2, p);
    m->wall.data[h + 1] = m->wall.data[h + 2] = 0;
    set_mates(m, h + 1, s + 2);
    set_mates(m, s + 1, t + 2);
    set_mates(m, t + 1, h + 2);
}

int32_t plane_mesh_insert(plane_mesh* m, const double at[2]) {
    int32_t p = m->point.count, on = -1;
    if (!make_room(m, 2) || !add_point(m, at, -1, 0)) {
        return -1;
    }
    int32_t h = find_triangle(m, p, &on);
    if (h < 0 || (on >= 0 && m->mate.data[on] < 0)) {
        return -1;
    }
    if (on >= 0) {
        split_edge(m, on, p);
    } else {
        split_triangle(m, h, p);
    }
    m->stack.count = 0;
    int32_t g = m->at.data[p], begin = g;
    do { /* p lies inside, so its ring closes */
        if (!push(m, plane_next(g))) {
            return -1;
        }
        g = m->mate.data[plane_before(g)];
    } while (g != begin);
    settle(m);
    m->last = m->at.data[p] - m->at.data[p] % 3;
    return m->memory_failed ? -1 : p;
}

/* The half edge a -> b when there is one. Otherwise -1 and *cross is the edge of a triangle at a
 * that a -> b leaves through, or -1 when a point lies in the way. */
static int32_t find_edge(const plane_mesh* m, int32_t a, int32_t b, int32_t* cross) {
    int32_t begin = m->at.data[a], h = begin;
    *cross = -1;
    /* To the first edge on the border, so that one turn sees all. */
    while (m->mate.data[h] >= 0) {
        h = plane_next(m->mate.data[h]);
        if (h == begin) {
            break;
        }
    }
    begin = h;
    do {
        int32_t n = plane_next(h), c = m->corner.data[n], d = m->corner.data[plane_next(n)];
        if (c == b) {
            return h;
        }
        if (d == b) {
            return m->mate.data[plane_before(h)] >= 0 ? m->mate.data[plane_before(h)] : -1;
        }
        if (turn_of(m, a, b, c) < 0 && turn_of(m, a, b, d) > 0 && turn_of(m, c, d, b) < 0) {
            *cross = n;
        }
        h = m->mate.data[plane_before(h)];
    } while (h >= 0 && h != begin);
    return -1;
}

/* Puts all edges that a b crosses on the stack, in order. False: a point or a wall is in the way.
 */
static bool find_crossed(plane_mesh* m, int32_t a, int32_t b, int32_t h) {
    m->stack.count = 0;
    for (int32_t steps = m->corner.count; steps > 0; --steps) {
        if (m->wall.data[h] != 0 || m->mate.data[h] < 0 || !push(m, h)) {
            return false;
        }
        int32_t g = m->mate.data[h], far = m->corner.data[plane_before(g)];
        if (far == b) {
            return true;
        }
        int turn = turn_of(m, a, b, far);
        if (turn == 0) {
            return false;
        }
        h = turn > 0 ? plane_next(g) : plane_before(g);
    }
    return false;
}

/* Flips the crossed edges away, beginning at another one each time so that it does not go in
 * circles. */
static bool clear_way(plane_mesh* m, int32_t a, int32_t b) {
    for (int64_t tries = 16 + 64 * (int64_t)m->stack.count; tries > 0; --tries) {
        int32_t cross = -1;
        if (find_edge(m, a, b, &cross) >= 0) {
            return true;
        }
        if (cross < 0 || !find_crossed(m, a, b, cross)) {
            return false;
        }
        /* The first that may be flipped so that one crossing less is left; else any that may. */
        int32_t best = -1, any = -1;
        for (int32_t i = 0; i < m->stack.count && best < 0; ++i) {
            int32_t h = m->stack.data[(i + tries) % m->stack.count];
            if (may_flip(m, h)) {
                int32_t c = m->corner.data[plane_before(h)];
                int32_t d = m->corner.data[plane_before(m->mate.data[h])];
                bool ends = c == a || c == b || d == a || d == b;
                any = any < 0 ? h : any;
                if (ends || turn_of(m, a, b, c) == turn_of(m, a, b, d)) {
                    best = h;
                }
            }
        }
        best = best < 0 ? any : best;
        if (best < 0) {
            return false;
        }
        flip(m, best);
    }
    return false;
}

bool plane_mesh_wall(plane_mesh* m, int32_t a, int32_t b, int32_t wall) {
    int32_t cross = -1, low = a < b ? a : b, high = a < b ? b : a;
    if (a == b) {
        return false;
    }
    if (find_edge(m, low, high, &cross) < 0) { /* always from the lower, so that both ways agree */
        if (cross < 0 || !find_crossed(m, low, high, cross) || !clear_way(m, low, high)) {
            return false;
        }
    }
    int32_t h = find_edge(m, a, b, &cross);
    int32_t g = h < 0 ? -1 : m->mate.data[h];
    if (g < 0 || m->wall.data[h] > 0) {
        return false;
    }
    m->wall.data[h] = 1 + wall;
    m->wall.data[g] = m->wall.data[g] == 0 ? -1 : m->wall.data[g];
    return true;
}

int32_t plane_mesh_halve(plane_mesh* m, int32_t h) {
    const double* a = m->point.data[m->corner.data[h]].at;
    const double* b = m->point.data[m->corner.data[m->mate.data[h]]].at;
    double at[2] = {0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])};
    if (!make_room(m, 2) || !add_point(m, at, -1, 0)) {
        return -1;
    }
    split_edge(m, h, m->point.count - 1);
    return m->point.count - 1;
}
