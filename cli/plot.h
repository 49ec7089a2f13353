/* SPDX-License-Identifier: MIT
 * A plot with logarithmic or plain axes, for figures of papers.
 */
#ifndef LIMBER_PLOT_H
#define LIMBER_PLOT_H

#include <limber/io.h>

enum { PLOT_SERIES_MOST = 8, PLOT_POINTS_MOST = 128 };

typedef struct plot_series {
    const char* name;
    uint32_t rgba;
    int32_t count;
    bool dots, line;                                 /* neither: both */
    double x[PLOT_POINTS_MOST], y[PLOT_POINTS_MOST]; /* above 0 on an axis of logarithms */
} plot_series;

typedef struct plot {
    const char *title, *x_name, *y_name;
    bool plain[2]; /* x, y: not logarithms */
    double y_low,
        y_high; /* with y_low < y_high: the range of a plain y; what is beyond is cut off */
    plot_series series[PLOT_SERIES_MOST];
    int32_t series_count;
} plot;

/* The image is the caller's to destroy. LIM_ERROR_ARGUMENT when there is no point. */
lim_result plot_draw(const plot* p, int32_t width, int32_t height, lim_image* out_image);

/* Slope of log y against log x by least squares, over the points with x from `from` to `to`; NaN
 * with fewer than two. */
double plot_slope(const plot_series* s, double from, double to);

#endif
