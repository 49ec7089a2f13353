/* SPDX-License-Identifier: MIT
 * Job: the energy of a shell, its gradient and its second derivative. In: a pose, positions. Out:
 * sums over triangles, hinges and loads, in their order. The inside of a closed surface has the
 * volume V = sum p0 . (p1 x p2) / 6 and the energy -P V + bulk (V - fill)^2 / (2 fill).
 */
#include "shell/shell_parts.h"

#include "shell/hinge.h"

#include <string.h>

static void corners_of(const lim_point* x, const int32_t* index, int count, lim_point* corner) {
    for (int k = 0; k < count; ++k) {
        corner[k] = x[index[k]];
    }
}

static void add_to(lim_point* out, const int32_t* index, int count, const lim_point* what,
                   double scale) {
    for (int k = 0; k < count; ++k) {
        out[index[k]] = p3_mad(out[index[k]], what[k], scale);
    }
}

static double bending_energy(const shell* s, const lim_point* x, lim_point* gradient) {
    double sum = 0.0;
    for (int32_t i = 0; i < s->hinge_count; ++i) {
        const shell_hinge* h = &s->hinge[i];
        lim_point corner[4], slope[4];
        double angle;
        corners_of(x, h->corner, 4, corner);
        if (!hinge_angle(corner, &angle, slope)) {
            return INFINITY;
        }
        double turn = hinge_turn(angle, h->angle);
        sum += 0.5 * h->stiffness * turn * turn;
        if (gradient != NULL) {
            add_to(gradient, h->corner, 4, slope, h->stiffness * turn);
        }
    }
    return sum;
}

/* Relative to the first vertex, so that it keeps its digits far from the origin. */
static double volume_of(const shell* s, const lim_point* x) {
    double sum = 0.0;
    for (int32_t t = 0; t < s->triangle_count; ++t) {
        lim_point c[3];
        corners_of(x, s->triangle + 3 * (size_t)t, 3, c);
        for (int k = 0; k < 3; ++k) {
            c[k] = p3_sub(c[k], x[0]);
        }
        sum += p3_dot(c[0], p3_cross(c[1], c[2]));
    }
    return sum / 6.0;
}

/* Over a closed surface the same as the derivative of p0 . (p1 x p2) / 6, and it does not ask where
 * the origin is. */
void shell_add_swell(const shell* s, const lim_point* x, double scale, lim_point* out) {
    for (int32_t t = 0; t < s->triangle_count; ++t) {
        lim_point c[3];
        corners_of(x, s->triangle + 3 * (size_t)t, 3, c);
        lim_point n = p3_cross(p3_sub(c[1], c[0]), p3_sub(c[2], c[0]));
        const lim_point each[3] = {n, n, n};
        add_to(out, s->triangle + 3 * (size_t)t, 3, each, scale / 6.0);
    }
}

shell_terms shell_energy(const shell* s, const shell_pose* pose, const lim_point* x,
                         lim_point* gradient) {
    shell_terms out = {.pressure = pose->pressure};
    if (gradient != NULL) {
        memset(gradient, 0, (size_t)s->vertex_count * sizeof *gradient);
    }
    for (int32_t t = 0; t < s->triangle_count; ++t) {
        const int32_t* v = s->triangle + 3 * (size_t)t;
        lim_point corner[3], slope[3];
        corners_of(x, v, 3, corner);
        double energy =
            membrane_energy(&s->thinned[t], &s->material, corner, gradient != NULL ? slope : NULL);
        out.elastic += energy;
        if (gradient != NULL && isfinite(energy)) {
            add_to(gradient, v, 3, slope, 1.0);
        }
    }
    out.elastic += bending_energy(s, x, gradient);
    out.total = out.rounding = out.elastic;
    if (s->closed) {
        out.volume = volume_of(s, x);
        double over = pose->bulk > 0.0 ? out.volume - pose->fill : 0.0;
        double push = pose->bulk > 0.0 ? pose->bulk * over / pose->fill : 0.0;
        out.pressure -= push;
        out.total += 0.5 * push * over - pose->pressure * out.volume;
        out.rounding += fabs(0.5 * push * over) + fabs(pose->pressure * out.volume);
        if (gradient != NULL && out.pressure != 0.0) {
            shell_add_swell(s, x, -out.pressure, gradient);
        }
    }
    for (int32_t i = 0; pose->spring != NULL && i < s->vertex_count; ++i) {
        lim_point off = p3_sub(x[i], pose->anchor[i]);
        double energy = 0.5 * pose->spring[i] * p3_dot(off, off);
        out.total += energy;
        out.rounding += energy;
        if (gradient != NULL) {
            gradient[i] = p3_mad(gradient[i], off, pose->spring[i]);
        }
    }
    for (int32_t i = 0; pose->load != NULL && i < s->vertex_count; ++i) {
        double work = p3_dot(pose->load[i], x[i]);
        out.total -= work;
        out.rounding += fabs(work);
        if (gradient != NULL) {
            gradient[i] = p3_sub(gradient[i], pose->load[i]);
        }
    }
    return out;
}

/* Adds a 3x3 part of an element's matrix (n wide) to the block of two of its corners. */
static void add_block(double* value, int32_t row, int32_t column, const double* part, int n) {
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            value[row >= column ? 3 * i + j : 3 * j + i] += part[n * i + j];
        }
    }
}

/* d^2(p0 . (p1 x p2)) / dp_p dp_q = -[p_r] for (p, q, r) a turn of (0, 1, 2), [p_r] the cross
 * product with the third corner; its transpose the other way round. */
static void add_pressure(lim_point corner[3], lim_point origin, double scale, double hessian[81]) {
    for (int r = 0; r < 3; ++r) {
        int p = (r + 1) % 3, q = (r + 2) % 3;
        lim_point w = p3_scale(p3_sub(corner[r], origin), scale / 6.0);
        const double cross[9] = {0, w.z, -w.y, -w.z, 0, w.x, w.y, -w.x, 0}; /* -[w] */
        for (int i = 0; i < 9; ++i) {
            hessian[9 * (3 * p + i / 3) + 3 * q + i % 3] += cross[i];
            hessian[9 * (3 * q + i % 3) + 3 * p + i / 3] += cross[i];
        }
    }
}

static void add_triangles(shell* s, const lim_point* x, membrane_part part, double pressure) {
    for (int32_t t = 0; t < s->triangle_count; ++t) {
        const int32_t* v = s->triangle + 3 * (size_t)t;
        const int32_t* block = s->triangle_block + (size_t)t * TRIANGLE_BLOCKS;
        lim_point corner[3];
        double hessian[81];
        corners_of(x, v, 3, corner);
        membrane_hessian(&s->thinned[t], &s->material, corner, part, hessian);
        if (pressure != 0.0) {
            add_pressure(corner, x[0], -pressure, hessian);
        }
        for (int p = 0; p < 3; ++p) {
            for (int q = 0; q <= p; ++q) {
                add_block(s->matrix.value + 9 * (size_t)*block++, v[p], v[q],
                          hessian + 27 * p + 3 * q, 9);
            }
        }
    }
}

static void add_hinges(shell* s, const lim_point* x) {
    for (int32_t i = 0; i < s->hinge_count; ++i) {
        const shell_hinge* h = &s->hinge[i];
        const int32_t* block = s->hinge_block + (size_t)i * HINGE_BLOCKS;
        lim_point corner[4], slope[4];
        double angle;
        corners_of(x, h->corner, 4, corner);
        (void)hinge_angle(corner, &angle, slope);
        for (int p = 0; p < 4; ++p) {
            lim_point a = p3_scale(slope[p], h->stiffness);
            for (int q = 0; q <= p; ++q) {
                lim_point b = slope[q];
                const double part[9] = {a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y,
                                        a.y * b.z, a.z * b.x, a.z * b.y, a.z * b.z};
                add_block(s->matrix.value + 9 * (size_t)*block++, h->corner[p], h->corner[q], part,
                          3);
            }
        }
    }
}

/* Rows and columns of held vertices: the identity, of the size of the rest. */
static void hold_rows(shell* s) {
    block_matrix* m = &s->matrix;
    for (int32_t i = 0; i < m->rows; ++i) {
        for (int32_t k = m->start[i]; k < m->start[i + 1]; ++k) {
            double* value = m->value + 9 * (size_t)k;
            if (s->held[i] || s->held[m->column[k]]) {
                memset(value, 0, 9 * sizeof *value);
                value[0] = value[4] = value[8] = m->column[k] == i ? s->stiffness : 0.0;
            }
        }
        s->swell[i] = s->held[i] ? p3(0, 0, 0) : s->swell[i];
    }
}

void shell_assemble(shell* s, const shell_pose* pose, const lim_point* x, membrane_part part,
                    double pressure) {
    size_t blocks = (size_t)s->matrix.start[s->vertex_count];
    memset(s->matrix.value, 0, 9 * blocks * sizeof *s->matrix.value);
    memset(s->swell, 0, (size_t)s->vertex_count * sizeof *s->swell);
    add_triangles(s, x, part, s->closed ? pressure : 0.0);
    add_hinges(s, x);
    for (int32_t i = 0; pose->spring != NULL && i < s->vertex_count; ++i) {
        double* own = s->matrix.value + 9 * ((size_t)s->matrix.start[i + 1] - 1);
        for (int k = 0; k < 9; k += 4) {
            own[k] += pose->spring[i];
        }
    }
    if (pose->bulk > 0.0) {
        shell_add_swell(s, x, 1.0, s->swell);
    }
    hold_rows(s);
}

block_rank shell_bulk(const shell* s, const shell_pose* pose) {
    bool there = pose->bulk > 0.0;
    return (block_rank){there ? s->swell : NULL, there ? pose->bulk / pose->fill : 0.0};
}
