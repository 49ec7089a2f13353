/* SPDX-License-Identifier: MIT
 * Job: draw curves over logarithmic or plain axes. In: series of points. Out: an image with a
 * frame, lines at 1, 2 and 5 of every decade (or at round numbers), the curves with their points,
 * and a legend.
 */
#include "cli/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEFT = 96, RIGHT = 24, TOP = 56, BOTTOM = 72, LETTER = 6 };
static const uint32_t PAPER = 0xFFFFFFFFu, INK = 0x202428FFu, FAINT = 0xE2E6EAFFu;

typedef struct plot_area {
    lim_image* image;
    bool plain[2];
    double low[2], high[2]; /* logarithms, where they are not plain */
} plot_area;

static double along(const plot_area* area, int32_t axis, double value) {
    return area->plain[axis] ? value : log10(value);
}

static void set_pixel(lim_image* image, int32_t x, int32_t y, uint32_t colour) {
    if (x >= 0 && y >= 0 && x < image->width && y < image->height) {
        uint8_t* pixel = image->rgba + 4 * ((size_t)y * (size_t)image->width + (size_t)x);
        for (int32_t k = 0; k < 4; ++k) {
            pixel[k] = (uint8_t)(colour >> (24 - 8 * k));
        }
    }
}

static void disc(lim_image* image, double x, double y, double radius, uint32_t colour) {
    int32_t reach = (int32_t)radius + 1, cx = (int32_t)floor(x), cy = (int32_t)floor(y);
    for (int32_t j = -reach; j <= reach; ++j) {
        for (int32_t i = -reach; i <= reach; ++i) {
            double dx = cx + i + 0.5 - x, dy = cy + j + 0.5 - y;
            if (dx * dx + dy * dy <= radius * radius) {
                set_pixel(image, cx + i, cy + j, colour);
            }
        }
    }
}

static void line(lim_image* image, const double a[2], const double b[2], double radius,
                 uint32_t colour) {
    double length = hypot(b[0] - a[0], b[1] - a[1]);
    int32_t steps = (int32_t)(2.0 * length) + 1;
    for (int32_t i = 0; i <= steps; ++i) {
        double t = (double)i / steps;
        disc(image, a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), radius, colour);
    }
}

static void to_pixels(const plot_area* area, double x, double y, double out[2]) {
    double across = (double)(area->image->width - LEFT - RIGHT);
    double up = (double)(area->image->height - TOP - BOTTOM);
    out[0] =
        (double)LEFT + across * (along(area, 0, x) - area->low[0]) / (area->high[0] - area->low[0]);
    out[1] = (double)TOP +
             up * (1.0 - (along(area, 1, y) - area->low[1]) / (area->high[1] - area->low[1]));
}

static bool find_bounds(const plot* p, plot_area* area) {
    bool any = false;
    for (int32_t s = 0; s < p->series_count; ++s) {
        for (int32_t i = 0; i < p->series[s].count; ++i) {
            const double at[2] = {along(area, 0, p->series[s].x[i]),
                                  along(area, 1, p->series[s].y[i])};
            for (int32_t k = 0; k < 2; ++k) {
                area->low[k] = any ? fmin(area->low[k], at[k]) : at[k];
                area->high[k] = any ? fmax(area->high[k], at[k]) : at[k];
            }
            any = true;
        }
    }
    for (int32_t k = 0; k < 2; ++k) {
        double margin = 0.04 * (area->high[k] - area->low[k]) + (area->plain[k] ? 1e-9 : 0.02);
        area->low[k] -= margin;
        area->high[k] += margin;
    }
    if (p->y_low < p->y_high) {
        area->low[1] = p->y_low;
        area->high[1] = p->y_high;
    }
    return any && isfinite(area->low[0] + area->high[0] + area->low[1] + area->high[1]);
}

/* A line at a value of one axis, with the value beside it. */
static void tick(const plot_area* area, int32_t axis, double value) {
    if (along(area, axis, value) < area->low[axis] || along(area, axis, value) > area->high[axis]) {
        return;
    }
    double low[2], high[2], a[2], b[2];
    for (int32_t k = 0; k < 2; ++k) {
        low[k] = area->plain[k] ? area->low[k] : pow(10.0, area->low[k]);
        high[k] = area->plain[k] ? area->high[k] : pow(10.0, area->high[k]);
    }
    low[axis] = high[axis] = value;
    to_pixels(area, low[0], low[1], a);
    to_pixels(area, high[0], high[1], b);
    line(area->image, a, b, 0.7, FAINT);
    char text[32];
    snprintf(text, sizeof text, "%g", value);
    int32_t width = (int32_t)strlen(text) * LETTER * 2;
    int32_t x = axis == 0 ? (int32_t)a[0] - width / 2 : LEFT - 10 - width;
    int32_t y = axis == 0 ? area->image->height - BOTTOM + 10 : (int32_t)a[1] - 7;
    lim_image_text(area->image, x, y, 2, text, INK);
}

/* Some ten lines at multiples of 1, 2 or 5. */
static void plain_ticks(const plot_area* area, int32_t axis) {
    double range = area->high[axis] - area->low[axis], step = pow(10.0, floor(log10(range / 8.0)));
    step *= range / step > 40.0 ? 5.0 : range / step > 16.0 ? 2.0 : 1.0;
    for (double k = ceil(area->low[axis] / step); k * step <= area->high[axis]; k += 1.0) {
        tick(area, axis, k * step + 0.0);
    }
}

static void draw_axes(const plot_area* area, const plot* p) {
    static const double parts[3] = {1.0, 2.0, 5.0};
    lim_image* image = area->image;
    for (int32_t axis = 0; axis < 2; ++axis) {
        if (area->plain[axis]) {
            plain_ticks(area, axis);
            continue;
        }
        /* a short axis has every whole number, a long one 1, 2, 5 */
        bool dense = area->high[axis] - area->low[axis] < 1.2;
        for (int32_t decade = -9; decade <= 9; ++decade) {
            for (int32_t k = 0; k < (dense ? 9 : 3); ++k) {
                tick(area, axis, (dense ? k + 1.0 : parts[k]) * pow(10.0, decade));
            }
        }
    }
    const double corners[5][2] = {{LEFT, TOP},
                                  {image->width - RIGHT, TOP},
                                  {image->width - RIGHT, image->height - BOTTOM},
                                  {LEFT, image->height - BOTTOM},
                                  {LEFT, TOP}};
    for (int32_t k = 0; k < 4; ++k) {
        line(image, corners[k], corners[k + 1], 1.0, INK);
    }
    int32_t middle = LEFT + (image->width - LEFT - RIGHT) / 2;
    lim_image_text(image, middle - (int32_t)strlen(p->x_name) * LETTER, image->height - 28, 2,
                   p->x_name, INK);
    lim_image_text(image, 12, 12, 2, p->title, INK);
    lim_image_text(image, 12, 34, 2, p->y_name, INK);
}

/* The part of a line between the borders of y; false when there is none. */
static bool clip(const plot_area* area, double a[2], double b[2]) {
    const double top = TOP, bottom = area->image->height - BOTTOM;
    for (int32_t side = 0; side < 2; ++side) {
        double border = side == 0 ? top : bottom, sign = side == 0 ? 1.0 : -1.0;
        double da = sign * (a[1] - border), db = sign * (b[1] - border);
        if (da < 0.0 && db < 0.0) {
            return false;
        }
        if (da < 0.0 || db < 0.0) {
            double t = da / (da - db), *out = da < 0.0 ? a : b;
            out[0] = a[0] + t * (b[0] - a[0]);
            out[1] = border;
        }
    }
    return true;
}

static void draw_series(const plot_area* area, const plot_series* s) {
    bool dots = s->dots || !s->line, lines = s->line || !s->dots;
    double last[2] = {0, 0};
    for (int32_t i = 0; i < s->count; ++i) {
        double at[2], from[2], to[2];
        to_pixels(area, s->x[i], s->y[i], at);
        memcpy(from, last, sizeof from);
        memcpy(to, at, sizeof to);
        if (dots && at[1] >= TOP && at[1] <= area->image->height - BOTTOM) {
            disc(area->image, at[0], at[1], 5.0, s->rgba);
        }
        if (i > 0 && lines && clip(area, from, to)) {
            line(area->image, from, to, 1.6, s->rgba);
        }
        memcpy(last, at, sizeof at);
    }
}

static void draw_name(const plot_area* area, const plot_series* s, int32_t index) {
    bool dots = s->dots || !s->line, lines = s->line || !s->dots;
    int32_t y = TOP + 14 + 22 * index;
    const double a[2] = {LEFT + 16, y + 7}, b[2] = {LEFT + 48, y + 7};
    if (lines) {
        line(area->image, a, b, 1.6, s->rgba);
    }
    if (dots) {
        disc(area->image, LEFT + 32, y + 7, 5.0, s->rgba);
    }
    lim_image_text(area->image, LEFT + 60, y, 2, s->name, INK);
}

/* On paper of its own, over the curves. */
static void draw_legend(const plot_area* area, const plot* p) {
    size_t longest = 0;
    for (int32_t i = 0; i < p->series_count; ++i) {
        size_t length = strlen(p->series[i].name);
        longest = length > longest ? length : longest;
    }
    int32_t right = LEFT + 72 + (int32_t)longest * LETTER * 2;
    for (int32_t y = TOP + 6; y < TOP + 18 + 22 * p->series_count; ++y) {
        for (int32_t x = LEFT + 6; x < right; ++x) {
            set_pixel(area->image, x, y, PAPER);
        }
    }
    for (int32_t i = 0; i < p->series_count; ++i) {
        draw_name(area, &p->series[i], i);
    }
}

lim_result plot_draw(const plot* p, int32_t width, int32_t height, lim_image* out_image) {
    plot_area area = {.image = out_image, .plain = {p->plain[0], p->plain[1]}};
    if (!find_bounds(p, &area) || width < LEFT + RIGHT + 100 || height < TOP + BOTTOM + 100) {
        return LIM_ERROR_ARGUMENT;
    }
    lim_result result = lim_image_create(width, height, out_image);
    if (result != LIM_OK) {
        return result;
    }
    for (int32_t i = 0; i < width * height; ++i) {
        set_pixel(out_image, i % width, i / width, PAPER);
    }
    draw_axes(&area, p);
    for (int32_t s = 0; s < p->series_count; ++s) {
        draw_series(&area, &p->series[s]);
    }
    draw_legend(&area, p);
    return LIM_OK;
}

double plot_slope(const plot_series* s, double from, double to) {
    double n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
    for (int32_t i = 0; i < s->count; ++i) {
        if (s->x[i] >= from && s->x[i] <= to) {
            double x = log(s->x[i]), y = log(s->y[i]);
            n += 1.0;
            sx += x;
            sy += y;
            sxx += x * x;
            sxy += x * y;
        }
    }
    double spread = n * sxx - sx * sx;
    return n >= 2.0 && spread > 0.0 ? (n * sxy - sx * sy) / spread : (double)NAN;
}
