/* SPDX-License-Identifier: MIT
 * Job: 002.euler and 002.alpha. In: nothing. Out: what a spring and what goals do to one
 * oscillation, step by step: amplification factors and periods beside the exact ones, and plots.
 *
 * The oscillation of goals is a body of points that is swollen by 5 %: it stays similar to itself,
 * and its swelling s follows s_(n+1) + s_(n-1) = (2 - alpha) s_n.
 */
#include "cli/paper_points.h"
#include "cli/plot.h"
#include "cli/points_body.h"
#include "math/trig.h"
#include "math/vec3.h"
#include "scenes/models.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 48, SHORT = 12 };
static const float DT = 1.0f / 60.0f;
static const uint32_t RED = 0xC0392BFFu, AMBER = 0xE09F3EFFu, BLUE = 0x1F7A8CFFu,
                      GREY = 0x8A939BFFu;

/* How much larger than at rest the body is. */
static double swelling(points_body* b, lim_result* result) {
    lim_model_nodes n = lim_model_get_nodes(b->model);
    lim_point centre = lim_model_get_info(b->model).centre;
    double sum = 0.0, rest = 0.0;
    if (*result == LIM_OK) {
        *result = points_body_read(b);
    }
    for (int32_t i = 0; i < b->nodes; ++i) {
        lim_point q = p3((double)n.x[i], (double)n.y[i], (double)n.z[i]);
        lim_point p = p3_sub(
            p3(b->x[3 * (size_t)i], b->x[3 * (size_t)i + 1], b->x[3 * (size_t)i + 2]), centre);
        sum += (double)n.volume[i] * p3_dot(p, q);
        rest += (double)n.volume[i] * p3_dot(q, q);
    }
    return sum / rest - 1.0;
}

/* The swelling over its first value, from step 0 on. */
static lim_result run_goals(float alpha, int32_t steps, const lim_host* host, double* out) {
    lim_mesh* mesh = NULL;
    points_body b = {0};
    const int32_t cells[3] = {4, 3, 3};
    points_desc desc = points_desc_default();
    desc.material.alpha = alpha;
    lim_result result = box_mesh(1.0, 0.75, 0.75, cells, host, &mesh);
    desc.mesh = mesh;
    result = result == LIM_OK ? points_body_make(&desc, host, &b) : result;
    result = result == LIM_OK ? points_body_read(&b) : result;
    lim_point centre = result == LIM_OK ? lim_model_get_info(b.model).centre : p3(0, 0, 0);
    const double middle[3] = {centre.x, centre.y, centre.z};
    for (int32_t i = 0; i < 3 * b.nodes && result == LIM_OK; ++i) {
        b.x[i] += 0.05 * (b.x[i] - middle[i % 3]);
    }
    result = result == LIM_OK ? points_body_write(&b) : result;
    for (int32_t k = 0; k <= steps && result == LIM_OK; ++k) {
        out[k] = swelling(&b, &result) / 0.05;
        result = result == LIM_OK ? lim_world_step(b.world, DT) : result;
    }
    points_body_free(&b);
    lim_mesh_destroy(mesh);
    return result;
}

/* x'' = -x from x = 1: Euler's explicit scheme, or the printed one, which takes the new velocity.
 */
static void run_spring(double h, bool printed, int32_t steps, double* out) {
    double x = 1.0, v = 0.0;
    for (int32_t k = 0; k <= steps; ++k) {
        out[k] = x;
        double next = v - h * x;
        x += h * (printed ? next : v);
        v = next;
    }
}

/* x_(n+1) = p x_n - d x_(n-1) by least squares: the eigenvalues of the step have the sum p and the
 * product d. */
static void fit_step(const double* x, int32_t count, double* p, double* d) {
    double aa = 0.0, ab = 0.0, bb = 0.0, ca = 0.0, cb = 0.0;
    for (int32_t k = 1; k + 1 < count; ++k) {
        aa += x[k] * x[k];
        ab += x[k] * x[k - 1];
        bb += x[k - 1] * x[k - 1];
        ca += x[k + 1] * x[k];
        cb += x[k + 1] * x[k - 1];
    }
    double det = aa * bb - ab * ab;
    *p = (ca * bb - cb * ab) / det;
    *d = (ca * ab - cb * aa) / det;
}

/* The larger of the two eigenvalues. */
static double amplification(const double* x, int32_t count) {
    double p, d;
    fit_step(x, count, &p, &d);
    double root = 0.25 * p * p - d;
    return root > 0.0 ? fabs(0.5 * p) + sqrt(root) : sqrt(d);
}

static void add_curve(plot* p, const char* name, uint32_t rgba, const double* x, int32_t count) {
    plot_series* s = &p->series[p->series_count++];
    s->name = name;
    s->rgba = rgba;
    s->count = count;
    for (int32_t k = 0; k < count; ++k) {
        s->x[k] = k;
        s->y[k] = x[k];
    }
}

lim_result paper_points_euler(const lim_host* host, paper_rows* rows) {
    double explicit_steps[STEPS + 1], printed[STEPS + 1], goal[STEPS + 1], stiff[STEPS + 1];
    run_spring(0.4, false, STEPS, explicit_steps);
    lim_result result = run_goals(0.16f, STEPS, host, goal); /* alpha = h^2 k / m of the first */
    result = result == LIM_OK ? run_goals(1.0f, STEPS, host, stiff) : result;
    if (result != LIM_OK) {
        return result;
    }
    paper_rows_add(rows, "explicit Euler, h^2 k / m = 0.16: amplification per step",
                   sqrt(1.0 + 0.16), amplification(explicit_steps, STEPS), "");
    run_spring(1.0, true, STEPS, printed);
    paper_rows_add(rows, "the printed spring, h^2 k / m = 1: amplification per step", 1.0,
                   amplification(printed, STEPS), "");
    run_spring(sqrt(4.05), true, STEPS, printed);
    paper_rows_add(rows, "the printed spring, h^2 k / m = 4.05: amplification per step", 1.25,
                   amplification(printed, SHORT), "");
    paper_rows_add(rows, "goals, alpha 0.16: amplification per step", 1.0,
                   amplification(goal, STEPS), "");
    paper_rows_add(rows, "goals, alpha 1, whatever the spring: amplification per step", 1.0,
                   amplification(stiff, STEPS), "");
    paper_rows_note(rows,
                    "amplification: the larger eigenvalue of a step, fitted to its first steps; "
                    "paper: the exact one");
    if (rows->picture == NULL) {
        return LIM_OK;
    }
    plot p = {.title = "an oscillation, step by step",
              .x_name = "steps",
              .y_name = "displacement over the first",
              .plain = {true, true},
              .y_low = -4.0,
              .y_high = 6.0};
    add_curve(&p, "explicit Euler, h^2 k/m = 0.16", AMBER, explicit_steps, STEPS + 1);
    add_curve(&p, "printed spring, h^2 k/m = 4.05", RED, printed, SHORT);
    add_curve(&p, "goals, alpha = 0.16", BLUE, goal, STEPS + 1);
    add_curve(&p, "goals, alpha = 1", GREY, stiff, STEPS + 1);
    return plot_draw(&p, 1200, 720, rows->picture);
}

lim_result paper_points_alpha(const lim_host* host, paper_rows* rows) {
    enum { FIT = 240 };
    double x[FIT + 1];
    plot p = {.title = "period of an oscillation against alpha",
              .x_name = "alpha",
              .y_name = "steps per period",
              .plain = {true, true},
              .y_low = 4.0,
              .y_high = 26.0};
    plot_series *exact = &p.series[0], *here = &p.series[1];
    *exact = (plot_series){.name = "2 pi / acos(1 - alpha / 2)", .rgba = GREY, .line = true};
    *here = (plot_series){.name = "measured", .rgba = BLUE, .dots = true};
    p.series_count = 2;
    for (int32_t k = 0; k <= 96; ++k) {
        exact->x[k] = 0.08 + 0.0096 * k;
        exact->y[k] = 2.0 * TRIG_PI / acos(1.0 - 0.5 * exact->x[k]);
        exact->count = k + 1;
    }
    double worst = 0.0;
    for (int32_t k = 1; k <= 10; ++k) {
        double alpha = 0.1 * k, sum, product;
        char name[64];
        lim_result result = run_goals((float)alpha, FIT, host, x);
        if (result != LIM_OK) {
            return result;
        }
        fit_step(x, FIT + 1, &sum, &product);
        double length = sqrt(product), period = 2.0 * TRIG_PI / acos(0.5 * sum / length);
        double off = fabs(length - 1.0);
        worst = off > worst ? off : worst;
        snprintf(name, sizeof name, "alpha %.1f: steps per period", alpha);
        paper_rows_add(rows, name, 2.0 * TRIG_PI / acos(1.0 - 0.5 * alpha), period, "");
        here->x[here->count] = alpha;
        here->y[here->count++] = period;
    }
    paper_rows_add(rows, "|lambda|, farthest from 1 by", 0.0, worst, "");
    paper_rows_note(rows,
                    "eigenvalues of a step fitted to 240 steps of a swollen body; paper: the "
                    "exact ones of its scheme, (1 - alpha / 2) +- i sqrt(4 alpha - alpha^2) / "
                    "2");
    return rows->picture != NULL ? plot_draw(&p, 1000, 640, rows->picture) : LIM_OK;
}
