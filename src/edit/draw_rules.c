/* SPDX-License-Identifier: MIT
 * Job: may a point go? In: the points at a place, another place. Out: whether all of them may go
 * there, and to which points.
 */
#include "edit/draw_work.h"

/* In finest cells. */
static const double OFF = 0.05, OFF_SKIN = 0.005; /* a point from what is left there, faces, skin */
static const double THIN = 0.003;                 /* what is no higher looks anywhere */
static const double OFF_END = 0.002;              /* near an end */
static const double STRAIGHT = 0.003;             /* an end from the line that stays */
static const double LITTLE = 0.15; /* ways on which triangles up to LOW high may turn */
static const double LOW = 0.06;

static void weigh(const drawing* d, fan* f) {
    lim_point p = draw_at(d, f->point);
    f->whole = p3(0, 0, 0);
    f->area = 0.0;
    for (int32_t i = 0; i < f->count; ++i) {
        lim_point n = draw_area(p, draw_at(d, d->corner[draw_after(f->half[i])]),
                                draw_at(d, d->corner[draw_before(f->half[i])]));
        f->whole = p3_add(f->whole, n);
        f->area += p3_length(n);
    }
}

/* ---- may a point go? ----------------------------------------------------------------------------
 */

/* The only neighbour of p at a place, or -1. */
static int32_t neighbour_at(const drawing* d, const fan* f, int32_t place) {
    int32_t found = -1;
    for (int32_t i = 0; i < f->count; ++i) {
        int32_t q = d->corner[draw_after(f->half[i])];
        if (d->place[q] == place) {
            if (found >= 0 && found != q) {
                return -1;
            }
            found = q;
        }
    }
    return found;
}

/* Neighbours that p and q have in common are those of the two triangles of their edge, and no
 * triangle would lie on another one. */
static bool stays_closed(const drawing* d, const fan* p, const fan* q) {
    int32_t shared[2], triangles = 0, common = 0;
    for (int32_t i = 0; i < p->count; ++i) {
        triangles += draw_has_corner(d, p->half[i], q->point);
        int32_t x = d->corner[draw_after(p->half[i])];
        if (x != q->point && draw_is_about(d, q, x)) {
            if (common == 2) {
                return false;
            }
            shared[common++] = x;
        }
    }
    if (triangles != 2 || common != 2) {
        return false;
    }
    for (int32_t i = 0; i < p->count; ++i) {
        if (draw_has_corner(d, p->half[i], shared[0]) &&
            draw_has_corner(d, p->half[i], shared[1])) {
            return false;
        }
    }
    return true;
}

static double height_of(lim_point a, lim_point b, lim_point c, lim_point area) {
    lim_point u = p3_sub(b, a), v = p3_sub(c, a), w = p3_sub(c, b);
    double longest = fmax(p3_dot(w, w), fmax(p3_dot(u, u), p3_dot(v, v)));
    return longest > 0.0 ? p3_length(area) / sqrt(longest) : 0.0;
}

static bool keeps_shape(const drawing* d, const fan* f, lim_point to, bool by_end) {
    lim_point p = draw_at(d, f->point);
    bool little = !by_end && p3_length(p3_sub(to, p)) < LITTLE * d->side;
    for (int32_t i = 0; i < f->count; ++i) {
        int32_t h = f->half[i];
        if (draw_has_corner(d, h, f->to)) {
            continue;
        }
        lim_point b = draw_at(d, d->corner[draw_after(h)]),
                  c = draw_at(d, d->corner[draw_before(h)]);
        lim_point was = draw_area(p, b, c), is = draw_area(to, b, c);
        double tall = height_of(p, b, c, was), will = height_of(to, b, c, is);
        double size = p3_length(is);
        bool of_skin = d->vertex != NULL && !draw_of_face(d, d->vertex[h]);
        double off = (by_end ? OFF_END : of_skin ? OFF_SKIN : OFF) * d->side;
        if (little && !(of_skin && fabs(p3_dot(p3_sub(p, to), is)) > off * size)) {
            if (!(will > 1e-4 * d->side) && !(will > tall)) {
                return false;
            }
            if (tall > LOW * d->side && p3_dot(is, was) < 0.5 * p3_length(was) * size) {
                return false;
            }
            continue;
        }
        if (!(size > 0.0) || (will < 0.5 * tall && will < 0.02 * d->side) ||
            will < 1e-4 * d->side || fabs(p3_dot(p3_sub(p, to), is)) > off * size) {
            return false;
        }
        /* which way a sliver looks says little: the fan does, where it looks one way */
        lim_point like = was;
        double of = p3_length(was);
        if (tall < THIN * d->side) {
            like = f->whole;
            of = p3_length(f->whole);
            if (of < 0.5 * f->area) {
                return false;
            }
        }
        if (p3_dot(is, like) < 0.5 * of * size) {
            return false;
        }
    }
    return true;
}

/* ---- vertices -----------------------------------------------------------------------------------
 */

/* The vertex of q that a vertex of p becomes: that on its side of a seam; of a face also one that
 * looks its way. */
bool draw_vertex(const drawing* d, const fan* p, const fan* q, uint32_t v, uint32_t* out) {
    for (int32_t i = 0; i < p->count; ++i) {
        int32_t h = p->half[i];
        if (d->vertex[h] == v && draw_has_corner(d, h, q->point)) {
            *out = d->vertex[d->corner[draw_after(h)] == q->point ? draw_after(h) : draw_before(h)];
            return true;
        }
    }
    if (!draw_of_face(d, v)) {
        return false;
    }
    const float* n = draw_normal(d, v);
    float best = 0.8f;
    bool found = false;
    for (int32_t i = 0; i < q->count; ++i) {
        uint32_t w = d->vertex[q->half[i]];
        const float* m = draw_normal(d, w);
        float like = n[0] * m[0] + n[1] * m[1] + n[2] * m[2];
        if (draw_of_face(d, w) && like > best) {
            best = like;
            *out = w;
            found = true;
        }
    }
    return found;
}

static bool has_vertices(const drawing* d, const fan* p, const fan* q) {
    for (int32_t i = 0; i < p->count && d->vertex != NULL; ++i) {
        uint32_t to;
        if (!draw_has_corner(d, p->half[i], q->point) &&
            !draw_vertex(d, p, q, d->vertex[p->half[i]], &to)) {
            return false;
        }
    }
    return true;
}

/* Is a neighbour at the end of a crack? */
static bool is_by_end(const drawing* d, const sheets* s) {
    for (int32_t i = 0; i < s->count; ++i) {
        for (int32_t k = 0; k < s->of[i].count; ++k) {
            if (draw_has_end(d, d->place[d->corner[draw_after(s->of[i].half[k])]])) {
                return true;
            }
        }
    }
    return false;
}

/* All points at a place; false: one is fixed, or there is too much about. */
bool draw_sheets(const drawing* d, int32_t place, sheets* s) {
    s->count = s->ends = 0;
    for (int32_t p = place; p >= 0; p = d->mate[p]) {
        if (d->head[p] < 0) {
            continue;
        }
        if (d->fixed[p] || s->count == SHEETS || !draw_gather(d, p, &s->of[s->count])) {
            return false;
        }
        weigh(d, &s->of[s->count]);
        s->ends = draw_ends(d, &s->of[s->count], s->end, s->ends);
        s->count++;
    }
    s->by_end = s->ends > 0 || is_by_end(d, s);
    return s->count > 0;
}

/* Along the end of a crack, where that is straight; what is not at an end does not go there. */
static bool keeps_ends(const drawing* d, const sheets* s, lim_point p, int32_t to) {
    if (s->ends == 0) {
        return !draw_has_end(d, to);
    }
    if (s->ends != 2 || (s->end[0] != to && s->end[1] != to)) {
        return false;
    }
    lim_point q = draw_at(d, to), r = draw_at(d, s->end[0] == to ? s->end[1] : s->end[0]);
    lim_point way = p3_sub(r, q), off = p3_sub(p, q);
    double length = p3_length(way);
    return length > 0.0 && p3_dot(way, off) > 0.0 &&
           p3_length(p3_cross(way, off)) < STRAIGHT * d->side * length;
}

/* ---- homes --------------------------------------------------------------------------------------
 */

/* Do two fragments hang together? */
static bool hang_together(const drawing* d, int32_t f, int32_t g) {
    if (f == g || f < 0 || g < 0) {
        return f == g;
    }
    const matter* m = d->material;
    for (int32_t e = m->edge_offset[f]; e < m->edge_offset[f + 1]; ++e) {
        if (m->edge_node[e] == g) {
            return !matter_is_glued(m, f, g);
        }
    }
    return false;
}

/* Does what q lies on hang together with what all about p lie on? */
static bool follows(const drawing* d, const fan* p) {
    int32_t home = d->home[p->to];
    if (home == d->home[p->point]) {
        return true;
    }
    bool fine = hang_together(d, home, d->home[p->point]);
    for (int32_t i = 0; i < p->count && fine; ++i) {
        fine = hang_together(d, home, d->home[d->corner[draw_after(p->half[i])]]);
    }
    return fine;
}

bool draw_may_go(const drawing* d, sheets* s, int32_t to) {
    lim_point place = draw_at(d, to);
    if (!keeps_ends(d, s, draw_at(d, s->of[0].point), to)) {
        return false;
    }
    for (int32_t i = 0; i < s->count; ++i) {
        fan *p = &s->of[i], q;
        p->to = neighbour_at(d, p, to);
        if (p->to < 0 || !follows(d, p)) {
            return false;
        }
        for (int32_t k = 0; k < i; ++k) {
            if (s->of[k].to == p->to) {
                return false;
            }
        }
        if (!draw_gather(d, p->to, &q) || !stays_closed(d, p, &q) ||
            !keeps_shape(d, p, place, s->by_end) || !has_vertices(d, p, &q)) {
            return false;
        }
    }
    return !draw_passes(d, s, to);
}
