/* SPDX-License-Identifier: MIT
 * Job: draw figure 2 of the octree paper. In: its cells with intervals and fates. Out: an image
 * with two panels and a line of legend under each.
 */
#include "cli/paper_figure.h"

#include "bench/figure_intervals.h"

#include <stdio.h>
#include <string.h>

enum { CELL = 96, EDGE = 48, BELOW = 120, GAP = 64, COLUMNS = 6, ROWS = 4, COLUMN_FIRST = 2 };
enum {
    PANEL = COLUMNS * CELL,
    WIDTH = 2 * EDGE + 2 * PANEL + GAP,
    HEIGHT = EDGE + ROWS * CELL + BELOW
};
static const uint32_t PAPER = 0xFFFFFFFFu, INK = 0x202428FFu, THIN = 0xA8B0B8FFu;
static const uint32_t TAKEN = 0xE05A50FFu, LEFT_OUT = 0xDDE2E8FFu, OPENED = 0xF6D98AFFu;

typedef struct box {
    int32_t x, y, width, height; /* pixels, y down */
} box;

static void fill(lim_image* image, box b, uint32_t colour) {
    for (int32_t y = b.y < 0 ? 0 : b.y; y < b.y + b.height && y < image->height; ++y) {
        for (int32_t x = b.x < 0 ? 0 : b.x; x < b.x + b.width && x < image->width; ++x) {
            uint8_t* pixel = image->rgba + 4 * ((size_t)y * (size_t)image->width + (size_t)x);
            for (int k = 0; k < 4; ++k) {
                pixel[k] = (uint8_t)(colour >> (24 - 8 * k));
            }
        }
    }
}

/* A line of `thickness` pixels along the border, half inside and half outside. */
static void frame(lim_image* image, box b, int32_t thickness, uint32_t colour) {
    int32_t t = thickness, h = thickness / 2;
    fill(image, (box){b.x - h, b.y - h, b.width + t, t}, colour);
    fill(image, (box){b.x - h, b.y + b.height - h, b.width + t, t}, colour);
    fill(image, (box){b.x - h, b.y - h, t, b.height + t}, colour);
    fill(image, (box){b.x + b.width - h, b.y - h, t, b.height + t}, colour);
}

/* Text in the middle of a box; a letter is 5 of the 6 * scale that it advances, 7 high. */
static void label(lim_image* image, box b, int32_t dy, int32_t scale, const char* text) {
    int32_t width = ((int32_t)strlen(text) * 6 - 1) * scale;
    lim_image_text(image, b.x + (b.width - width) / 2, b.y + (b.height - 7 * scale) / 2 + dy, scale,
                   text, INK);
}

static box box_of(const figure_cell* c, int32_t panel_x) {
    int32_t size = CELL << (FIGURE_LEVELS - c->level);
    int32_t x = c->x * size - COLUMN_FIRST * CELL, top = ROWS * CELL - (c->y + 1) * size;
    return (box){panel_x + x, EDGE + top, size, size};
}

static uint32_t colour_of(figure_fate fate) {
    return fate == FIGURE_TAKEN      ? TAKEN
           : fate == FIGURE_LEFT_OUT ? LEFT_OUT
           : fate == FIGURE_OPENED   ? OPENED
                                     : PAPER;
}

/* The blocks of 2 x 2 cells by what becomes of them, n_i as a dot. */
static void draw_blocks(lim_image* image, const figure_intervals* f, int32_t panel_x) {
    for (int32_t k = 0; k < f->count; ++k) {
        const figure_cell* c = &f->cell[k];
        if (c->level == FIGURE_LEVELS - 1) {
            fill(image, box_of(c, panel_x), colour_of(c->fate));
        }
    }
    for (int32_t k = 0; k < f->count; ++k) {
        const figure_cell* c = &f->cell[k];
        box b = box_of(c, panel_x);
        char interval[32];
        snprintf(interval, sizeof interval, "[%d, %d]", c->least, c->most);
        if (c->level == FIGURE_LEVELS) {
            frame(image, b, 2, THIN);
        }
        if (c->level == FIGURE_LEVELS - 1) {
            frame(image, b, 4, INK);
            label(image, b, -64, 3, c->name);
            label(image, b, -32, 3, interval);
        }
        if (strcmp(c->name, "n_i") == 0) {
            fill(image, (box){b.x + b.width / 2 - 8, b.y + b.height / 2 - 8, 16, 16}, INK);
            lim_image_text(image, b.x + b.width / 2 + 12, b.y + b.height / 2 + 6, 2, c->name, INK);
        }
    }
}

/* Every node with its distance; summation nodes red, blocks as one. */
static void draw_region(lim_image* image, const figure_intervals* f, int32_t panel_x) {
    for (int32_t k = f->count - 1; k >= 0; --k) {
        const figure_cell* c = &f->cell[k];
        if (c->fate == FIGURE_TAKEN) {
            fill(image, box_of(c, panel_x), TAKEN);
        }
    }
    for (int32_t k = 0; k < f->count; ++k) {
        const figure_cell* c = &f->cell[k];
        if (c->level == FIGURE_LEVELS) {
            char distance[16];
            snprintf(distance, sizeof distance, "%d", c->least);
            frame(image, box_of(c, panel_x), 2, THIN);
            label(image, box_of(c, panel_x), 0, 3, distance);
        }
    }
    for (int32_t k = 0; k < f->count; ++k) {
        if (f->cell[k].fate == FIGURE_TAKEN) {
            frame(image, box_of(&f->cell[k], panel_x), 6, INK);
        }
    }
}

lim_result paper_figure_intervals(const lim_host* host, lim_image* out_image) {
    figure_intervals f;
    lim_result result = figure_intervals_make(host, &f);
    if (result == LIM_OK) {
        result = lim_image_create(WIDTH, HEIGHT, out_image);
    }
    if (result != LIM_OK) {
        return result;
    }
    fill(out_image, (box){0, 0, WIDTH, HEIGHT}, PAPER);
    int32_t second = EDGE + PANEL + GAP, text_y = EDGE + ROWS * CELL + 30;
    draw_blocks(out_image, &f, EDGE);
    draw_region(out_image, &f, second);
    char text[256];
    snprintf(text, sizeof text,
             "(a) distances [least, largest] from n_i in cells\n"
             "w = 1, eps = 1/2: red taken (largest < 1.5),\n"
             "grey left out (least > 1), yellow opened");
    lim_image_text(out_image, EDGE, text_y, 2, text, INK);
    snprintf(text, sizeof text,
             "(b) the region of n_i: %d summation nodes\non %d levels, %d members",
             f.summation_nodes, f.levels, f.members);
    lim_image_text(out_image, second, text_y, 2, text, INK);
    return LIM_OK;
}
