/* SPDX-License-Identifier: MIT
 * Job: ends of cracks inside. In: a surface, the material. Out: where ends are that a later blade
 * may go on from, and a surface without the others.
 */
#include "edit/draw_work.h"

bool draw_gather(const drawing* d, int32_t p, fan* out) {
    out->point = p;
    out->count = 0;
    for (int32_t h = d->head[p]; h >= 0; h = d->next[h]) {
        if (d->gone[h / 3]) {
            continue;
        }
        if (out->count == FAN) {
            return false;
        }
        out->half[out->count++] = h;
    }
    return out->count > 2;
}

/* Does a crack lead through the material on both sides of an end? Along the axis that the triangle
 * beside it looks most. */
static bool draw_is_behind(const drawing* d, int32_t half) {
    const matter* m = d->material;
    lim_point a = draw_at(d, d->corner[half]), b = draw_at(d, d->corner[draw_after(half)]);
    lim_point n = draw_area(a, b, draw_at(d, d->corner[draw_before(half)]));
    lim_point middle = p3_sub(p3_scale(p3_add(a, b), 0.5), m->corner);
    double way[3] = {fabs(n.x), fabs(n.y), fabs(n.z)}, at[3] = {middle.x, middle.y, middle.z};
    int axis = way[1] > way[0] ? 1 : 0;
    axis = way[2] > way[axis] ? 2 : axis;
    at[axis] -= 0.5 * m->sub;
    int32_t cell[3], sub[3];
    for (int k = 0; k < 3; ++k) {
        if (!(at[k] >= 0.0 && at[k] < (double)(1 << m->level) * m->side)) {
            return false;
        }
        cell[k] = (int32_t)(at[k] / m->side);
        sub[k] = (int32_t)((at[k] - cell[k] * m->side) / m->sub);
        sub[k] = sub[k] < 0 ? 0 : sub[k] > 3 ? 3 : sub[k];
    }
    octant o = {.x = cell[0], .y = cell[1], .z = cell[2], .level = m->level};
    const matter_wall* wall = matter_wall_of(m, octant_key(o));
    static const int up[3] = {0, 2, 8};
    return wall != NULL && (wall->cut[up[axis]] >> (sub[0] + 4 * sub[1] + 16 * sub[2]) & 1) != 0;
}

static int32_t draw_points_at(const drawing* d, int32_t place) {
    int32_t count = 0;
    for (int32_t p = place; p >= 0; p = d->mate[p]) {
        count += d->head[p] >= 0;
    }
    return count;
}

/* The end of a crack: an edge whose two triangles lie on each other. Places of the other ends of
 * such edges about a point, up to three. */
int32_t draw_ends(const drawing* d, const fan* f, int32_t* end, int32_t count) {
    for (int32_t i = 0; i < f->count; ++i) {
        int32_t to = d->corner[draw_after(f->half[i])];
        int32_t apex = d->place[d->corner[draw_before(f->half[i])]];
        for (int32_t k = 0; k < f->count; ++k) {
            if (d->corner[draw_before(f->half[k])] == to &&
                d->place[d->corner[draw_after(f->half[k])]] == apex &&
                !draw_is_behind(d, f->half[i]) && draw_points_at(d, apex) < 3) {
                int32_t n = 0;
                while (n < count && end[n] != d->place[to]) {
                    n++;
                }
                if (n == count && count < 3) {
                    end[count++] = d->place[to];
                }
            }
        }
    }
    return count;
}

bool draw_has_end(const drawing* d, int32_t place) {
    int32_t end[3], count = 0;
    fan f;
    for (int32_t p = place; p >= 0; p = d->mate[p]) {
        if (d->head[p] >= 0 &&
            (!draw_gather(d, p, &f) || (count = draw_ends(d, &f, end, count)) > 0)) {
            return true;
        }
    }
    return false;
}

static bool same_uv(const drawing* d, uint32_t v, uint32_t w) {
    uint32_t olds = (uint32_t)d->before->vertex_count;
    if (d->before->uv == NULL) {
        return true;
    }
    const float* a =
        v < olds ? d->before->uv + 2 * (size_t)v : d->change->uv + 2 * (size_t)(v - olds);
    const float* b =
        w < olds ? d->before->uv + 2 * (size_t)w : d->change->uv + 2 * (size_t)(w - olds);
    return fabsf(a[0] - b[0]) < 1e-4f && fabsf(a[1] - b[1]) < 1e-4f;
}

/* ---- ends that no blade goes on from ------------------------------------------------------------
 * Where two cracks have met, the end of each still lies a rim behind the other: a slit that leads
 * nowhere. It is closed from its end on: of an edge at the end the two triangles, which lie on each
 * other, go, and the points opposite to it become one. */

/* Triangles at the end with apexes x and y: they go. Or -1: more would meet at an edge after it. */
static int32_t list_pairs(const drawing* d, const fan* x, const fan* y, int32_t* half) {
    int32_t pairs = 0, common = 0;
    for (int32_t i = 0; i < x->count; ++i) {
        int32_t one = d->corner[draw_after(x->half[i])], two = d->corner[draw_before(x->half[i])];
        common += draw_is_about(d, y, one);
        for (int32_t k = 0; k < y->count; ++k) {
            if (d->corner[draw_after(y->half[k])] == two &&
                d->corner[draw_before(y->half[k])] == one) {
                half[2 * pairs] = x->half[i];
                half[2 * pairs++ + 1] = y->half[k];
                break;
            }
        }
    }
    return common == pairs + 1 ? pairs : -1;
}

static bool is_like(const drawing* d, uint32_t v, uint32_t w) {
    const float *n = draw_normal(d, v), *m = draw_normal(d, w);
    bool of_face = draw_of_face(d, v);
    float like = n[0] * m[0] + n[1] * m[1] + n[2] * m[2];
    return of_face == draw_of_face(d, w) && like > (of_face ? 0.8f : 0.9999f) &&
           (of_face || same_uv(d, v, w));
}

/* The vertex about x that is like one about y. */
static bool like_vertex(const drawing* d, const fan* x, uint32_t v, uint32_t* out) {
    for (int32_t i = 0; i < x->count; ++i) {
        if (is_like(d, v, d->vertex[x->half[i]])) {
            *out = d->vertex[x->half[i]];
            return true;
        }
    }
    return false;
}

/* Closes the end at an edge, which `half` runs along. */
static bool close_end(drawing* d, int32_t half, int32_t back) {
    fan x, y;
    int32_t pair[2 * FAN], pairs;
    uint32_t become[FAN];
    int32_t one = d->corner[draw_before(half)], two = d->corner[draw_before(back)];
    if (d->fixed[one] || d->fixed[two] || d->home[one] != d->home[two] ||
        !draw_is_behind(d, half) || !draw_gather(d, one, &x) || !draw_gather(d, two, &y) ||
        x.count + y.count > FAN) {
        return false;
    }
    pairs = list_pairs(d, &x, &y, pair);
    for (int32_t i = 0; i < y.count && pairs > 0 && d->vertex != NULL; ++i) {
        if (!like_vertex(d, &x, d->vertex[y.half[i]], &become[i])) {
            return false;
        }
    }
    if (pairs <= 0 || x.count + y.count < 2 * pairs + 3) {
        return false;
    }
    for (int32_t i = 0; i < 2 * pairs; ++i) {
        d->gone[pair[i] / 3] = 1;
        draw_ask(d, d->corner[draw_after(pair[i])]);
        draw_ask(d, d->corner[draw_before(pair[i])]);
    }
    for (int32_t i = 0; i < y.count; ++i) {
        int32_t h = y.half[i];
        if (!d->gone[h / 3]) {
            d->corner[h] = one;
            if (d->vertex != NULL) {
                d->vertex[h] = become[i];
            }
            d->next[h] = d->head[one];
            d->head[one] = h;
        }
    }
    d->head[two] = -1;
    draw_ask(d, one);
    return true;
}

/* At the edges of a point that are ends. */
bool draw_close(drawing* d, int32_t p) {
    fan f;
    if (d->head[p] < 0 || !draw_gather(d, p, &f)) {
        return false;
    }
    for (int32_t i = 0; i < f.count; ++i) {
        int32_t to = d->corner[draw_after(f.half[i])], apex = d->corner[draw_before(f.half[i])];
        for (int32_t k = 0; k < f.count; ++k) {
            int32_t other = d->corner[draw_after(f.half[k])];
            if (d->corner[draw_before(f.half[k])] == to && other != apex &&
                d->place[other] == d->place[apex] &&
                close_end(d, f.half[i], draw_before(f.half[k]))) {
                return true;
            }
        }
    }
    return false;
}
