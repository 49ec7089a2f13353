/* SPDX-License-Identifier: MIT
 * Job: equilibrium. In: a shell, what acts on it, a start. Out: positions at which the forces on
 * free vertices cancel, as far as asked. Newton's method: the step solves (H + shift) d = -g with
 * the projected Hessian H by conjugate gradients, is shortened until the energy falls by a share of
 * what the slope promises (Armijo), and the shift shrinks after whole steps and grows after short
 * ones.
 */
#include "shell/shell_parts.h"

#include "base/log.h"

#include <string.h>

/* The shift, relative to E t: where it begins, its bounds, and how it follows success. */
#define SHIFT_FIRST 1e-3
#define SHIFT_LEAST 1e-9
#define SHIFT_MOST  1e3
#define SHIFT_LESS  0.25
#define SHIFT_MORE  4.0
/* Armijo's share; the shortest step; what rounding makes of a sum of energies. */
#define ENOUGH   1e-4
#define SHORTEST 1e-4
#define ROUNDING 1e-14
/* Inner solves end at this share of the right side, or after so many iterations. */
#define INNER      0.03
#define INNER_MOST 1000
/* Forces below this share of E t times an edge are rounding: a pose without load is at rest. */
#define NO_FORCE 1e-12

shell_pose shell_pose_default(void) {
    return (shell_pose){.increments = 1, .tolerance = 1e-3, .most_iterations = 200};
}

static lim_result check_pose(const shell* s, const shell_pose* p, const lim_point* x,
                             const lim_host* host) {
    bool inside = p->pressure != 0.0 || p->bulk != 0.0;
    if (!isfinite(p->pressure) || !(p->bulk >= 0.0 && isfinite(p->bulk)) ||
        !(p->bulk == 0.0 || (p->fill > 0.0 && isfinite(p->fill))) || !(p->tolerance > 0.0) ||
        p->increments < 1 || p->increments > 1000 || p->most_iterations < 1) {
        return log_fail(host, LIM_ERROR_ARGUMENT,
                        "shell_solve: a value of the pose is out of range");
    }
    if (inside && !s->closed) {
        return log_fail(host, LIM_ERROR_ARGUMENT,
                        "shell_solve: the surface is open and holds no pressure; close it");
    }
    bool finite = true;
    for (int32_t i = 0; i < s->vertex_count; ++i) {
        finite = finite && p3_finite(x[i]) && (p->load == NULL || p3_finite(p->load[i])) &&
                 (p->goal == NULL || p->held == NULL || !p->held[i] || p3_finite(p->goal[i])) &&
                 (p->spring == NULL || (p->anchor != NULL && p->spring[i] >= 0.0 &&
                                        isfinite(p->spring[i]) && p3_finite(p->anchor[i])));
    }
    for (int32_t t = 0; p->thinning != NULL && t < s->triangle_count; ++t) {
        finite = finite && p->thinning[t] > 0.0 && isfinite(p->thinning[t]);
    }
    return finite ? LIM_OK
                  : log_fail(host, LIM_ERROR_ARGUMENT,
                             "shell_solve: a position, load, spring or thinning is not finite, or "
                             "below what it may be");
}

/* What a spring bears, squared: it may be the opposite of the load, so it counts by itself. */
static double spring_square(const shell_pose* pose, const lim_point* x, int32_t i) {
    if (pose->spring == NULL) {
        return 0.0;
    }
    lim_point off = p3_sub(x[i], pose->anchor[i]);
    return pose->spring[i] * pose->spring[i] * p3_dot(off, off);
}

/* The residual of the gradient of all vertices (with s->trial as scratch for pressure); then the
 * held ones' gradient is taken out. */
static void measure(shell* s, const shell_pose* pose, const lim_point* x, const shell_terms* now,
                    shell_report* report) {
    double load = 0.0, left = 0.0;
    int32_t free_count = 0;
    lim_point* outer = s->trial;
    for (int32_t i = 0; i < s->vertex_count; ++i) {
        outer[i] = pose->load != NULL ? pose->load[i] : p3(0, 0, 0);
    }
    if (s->closed && now->pressure != 0.0) {
        shell_add_swell(s, x, now->pressure, outer);
    }
    for (int32_t i = 0; i < s->vertex_count; ++i) {
        if (s->held[i]) {
            load += p3_dot(s->gradient[i], s->gradient[i]);
            s->gradient[i] = p3(0, 0, 0);
        } else {
            load += p3_dot(outer[i], outer[i]) + spring_square(pose, x, i);
            left += p3_dot(s->gradient[i], s->gradient[i]);
            free_count++;
        }
    }
    double nothing = NO_FORCE * s->stiffness * s->edge_length;
    report->load = sqrt(load / s->vertex_count);
    report->residual = free_count == 0 ? 0.0
                                       : sqrt(left / free_count) /
                                             (report->load > nothing ? report->load : nothing);
    report->energy = now->elastic;
    report->volume = s->closed ? now->volume : 0.0;
    report->pressure = now->pressure;
}

/* Moves x along s->step as far as the energy falls enough; what share of it, 0: nowhere. */
static double go(shell* s, const shell_pose* pose, const shell_terms* now, double slope,
                 lim_point* x) {
    for (double share = 1.0; share >= SHORTEST; share *= 0.5) {
        for (int32_t i = 0; i < s->vertex_count; ++i) {
            s->trial[i] = p3_mad(x[i], s->step[i], share);
        }
        shell_terms then = shell_energy(s, pose, s->trial, NULL);
        double most = now->total + ENOUGH * share * slope + ROUNDING * now->rounding;
        if (then.total <= most) {
            memcpy(x, s->trial, (size_t)s->vertex_count * sizeof *x);
            return share;
        }
    }
    return 0.0;
}

/* One increment: Newton from where x is. */
static void relax(shell* s, const shell_pose* pose, double tolerance, lim_point* x,
                  shell_report* report) {
    double shift = SHIFT_FIRST;
    for (int32_t i = 0;; ++i) {
        shell_terms now = shell_energy(s, pose, x, s->gradient);
        measure(s, pose, x, &now, report);
        report->converged = report->residual <= tolerance;
        if (report->converged || i == pose->most_iterations || shift > SHIFT_MOST) {
            return;
        }
        shell_assemble(s, pose, x, MEMBRANE_POSITIVE, now.pressure);
        double raise = shift * s->stiffness;
        block_factor(&s->matrix, raise, &s->factor);
        for (int32_t k = 0; k < s->vertex_count; ++k) {
            s->gradient[k] = p3_scale(s->gradient[k], -1.0);
        }
        block_rank bulk = shell_bulk(s, pose);
        block_solved solved = block_solve(&s->matrix, raise, &bulk, &s->factor, s->gradient, INNER,
                                          INNER_MOST, &s->work, s->step);
        double slope = -block_dot(s->gradient, s->step, s->vertex_count);
        double share = go(s, pose, &now, slope, x);
        report->iterations++;
        report->solves += solved.iterations;
        report->retreats += share < 1.0;
        if (solved.bent || share <= 0.2) {
            shift *= SHIFT_MORE;
        } else if (share == 1.0) {
            shift = shift * SHIFT_LESS > SHIFT_LEAST ? shift * SHIFT_LESS : SHIFT_LEAST;
        }
    }
}

lim_result shell_solve(shell* s, const shell_pose* pose, lim_point* x, shell_report* out_report) {
    LIM_TRY(check_pose(s, pose, x, &s->mem.host));
    for (int32_t t = 0; t < s->triangle_count; ++t) {
        s->thinned[t] = pose->thinning == NULL ? s->sheet[t]
                                               : membrane_thinned(&s->sheet[t], pose->thinning[t]);
    }
    for (int32_t i = 0; i < s->vertex_count; ++i) {
        s->held[i] = pose->held != NULL && pose->held[i] != 0;
        s->from[i] = x[i];
        s->goal[i] = s->held[i] && pose->goal != NULL ? pose->goal[i] : x[i];
    }
    if (!isfinite(shell_energy(s, pose, x, NULL).total)) {
        return log_fail(&s->mem.host, LIM_ERROR_ARGUMENT,
                        "shell_solve: a triangle has no area at the start");
    }
    shell_report report = {0};
    for (int32_t k = 1; k <= pose->increments; ++k) {
        for (int32_t i = 0; i < s->vertex_count; ++i) {
            double share = (double)k / pose->increments;
            if (s->held[i]) {
                x[i] = k == pose->increments
                           ? s->goal[i]
                           : p3_mad(s->from[i], p3_sub(s->goal[i], s->from[i]), share);
            }
        }
        relax(s, pose, k == pose->increments ? pose->tolerance : 10.0 * pose->tolerance, x,
              &report);
    }
    *out_report = report;
    return LIM_OK;
}
