/* SPDX-License-Identifier: MIT
 * Job: show the inside of bodies. In: the cells, graph and nodes of a frame, a camera. Out: boxes,
 * lines and points. All of them at once are a thicket: of the boxes a quarter is left out, the
 * nearest to the viewer, and each is shrunk by a pixel or more so that it stands for itself; of
 * lines and points the nearer half is left out, and the rest fades with its depth behind the cut.
 */
#include "cli/cutaway.h"

#include "math/vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BOX_CORNERS = 8, BOX_TRIANGLES = 12, SIZES_MOST = 12 };

/* Behind the cut by this share of the body's extent, lines and points are half as strong. */
static const float HALF_DEPTH = 0.06f;
/* Least gap between boxes as a share of their edge, and in pixels. */
static const float GAP_SHARE = 0.05f, GAP_PIXELS = 1.3f, GAP_MOST = 0.25f;

/* Where a body is cut: planes through its middle. */
typedef struct cutaway_plane {
    lim_vec3 middle, away[2]; /* away: unit, across the planes, from the viewer */
    float extent;
} cutaway_plane;

/* How far behind a plane. */
static float depth_of(const cutaway_plane* cut, int32_t plane, lim_vec3 p) {
    return v3_dot(v3_sub(p, cut->middle), cut->away[plane]);
}

static lim_vec3 skin_at(const film* f, int32_t frame, int64_t vertex) {
    const float* p = f->frames.data[frame].positions + 3 * vertex;
    return v3(p[0], p[1], p[2]);
}

static cutaway_plane cut_of(const film* f, int32_t body, int32_t frame, const lim_camera* camera) {
    const film_part* part = film_part_at(f, body, frame);
    const film_shape* s = part->shape;
    lim_vec3 lower = v3(INFINITY, INFINITY, INFINITY), upper = v3_scale(lower, -1.0f);
    /* a body that lost pieces still has their vertices, which no triangle uses */
    int64_t count = s->triangle_count > 0 ? 3 * (int64_t)s->triangle_count : s->vertex_count;
    for (int64_t i = 0; i < count; ++i) {
        int64_t vertex = s->triangle_count > 0 ? (int64_t)s->indices[i] : i;
        lim_vec3 p = skin_at(f, frame, part->first_vertex + vertex);
        lower = v3_min(lower, p);
        upper = v3_max(upper, p);
    }
    /* across the axes that are short and that the viewer looks along: a hand is opened flat, a ring
       on the ground from above */
    lim_vec3 look = v3_sub(camera->target, camera->eye), size = v3_sub(upper, lower);
    const float along[3] = {look.x, look.y, look.z}, side[3] = {size.x, size.y, size.z};
    const lim_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int32_t order[3] = {2, 0, 1};
    for (int32_t k = 0; k < 3; ++k) {
        int32_t i = k == 1 ? 1 : 0, first = order[i], next = order[i + 1];
        if (fabsf(along[next]) * side[first] > fabsf(along[first]) * side[next]) {
            order[i] = next;
            order[i + 1] = first;
        }
    }
    cutaway_plane cut = {.middle = v3_scale(v3_add(lower, upper), 0.5f), .extent = v3_length(size)};
    for (int32_t k = 0; k < 2; ++k) {
        cut.away[k] = v3_scale(axes[order[k]], along[order[k]] < 0.0f ? -1.0f : 1.0f);
    }
    return cut;
}

/* The corners of a cell from its lines, in the order that LIM_DEBUG_CELLS has. */
static void cell_corners(const lim_debug_line* lines, lim_vec3 corner[BOX_CORNERS]) {
    corner[0] = lines[0].a;
    corner[1] = lines[0].b;
    corner[2] = lines[1].b;
    corner[4] = lines[2].b;
    corner[3] = lines[3].b;
    corner[5] = lines[4].b;
    corner[6] = lines[6].b;
    corner[7] = lines[7].b;
}

/* sRGB to light: a cubic that is off by less than one part in a hundred. */
static float to_linear(uint32_t byte) {
    float s = (float)(byte & 0xFF) * (1.0f / 255.0f);
    return s * (s * (s * 0.305306011f + 0.682171111f) + 0.012522878f);
}

typedef struct box_list {
    float *positions, *colours;
    uint32_t* indices;
    int32_t count;
} box_list;

static void add_box(box_list* list, const lim_vec3 corner[BOX_CORNERS], lim_vec3 middle, float gap,
                    uint32_t rgba, float light) {
    static const uint8_t faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    uint32_t first = (uint32_t)list->count * BOX_CORNERS;
    for (uint32_t k = 0; k < BOX_CORNERS; ++k) {
        lim_vec3 p = v3_mad(middle, v3_sub(corner[k], middle), 1.0f - gap);
        const float at[3] = {p.x, p.y, p.z};
        const float colour[4] = {light * to_linear(rgba >> 24), light * to_linear(rgba >> 16),
                                 light * to_linear(rgba >> 8), 1.0f};
        memcpy(list->positions + 3 * (size_t)(first + k), at, sizeof at);
        memcpy(list->colours + 4 * (size_t)(first + k), colour, sizeof colour);
    }
    uint32_t* index = list->indices + 3 * BOX_TRIANGLES * (size_t)list->count;
    for (int32_t i = 0; i < 6; ++i) {
        static const uint8_t fan[6] = {0, 1, 2, 0, 2, 3};
        for (int32_t k = 0; k < 6; ++k) {
            *index++ = first + faces[i][fan[k]];
        }
    }
    list->count++;
}

/* Boxes of the body's cells but those of the nearest quarter. `pixel` is the size of a pixel at
 * distance 1. */
static void add_cells(const film* f, int32_t body, int32_t frame, const cutaway_plane* cut,
                      const lim_camera* camera, float pixel, box_list* list) {
    const film_part* part = film_part_at(f, body, frame);
    for (int32_t i = 0; i < part->shape->node_count; ++i) {
        const lim_debug_line* lines =
            f->frames.data[frame].cells + FILM_CELL_LINES * (size_t)(part->first_node + i);
        lim_vec3 corner[BOX_CORNERS], middle = {0};
        cell_corners(lines, corner);
        for (int32_t k = 0; k < BOX_CORNERS; ++k) {
            middle = v3_mad(middle, corner[k], 1.0f / BOX_CORNERS);
        }
        if (depth_of(cut, 0, middle) < 0.0f && depth_of(cut, 1, middle) < 0.0f) {
            continue;
        }
        float side = v3_length(v3_sub(corner[1], corner[0]));
        float gap = GAP_PIXELS * pixel * v3_length(v3_sub(middle, camera->eye));
        gap = side > 0.0f ? gap / side : 0.0f;
        gap = gap > GAP_SHARE ? (gap < GAP_MOST ? gap : GAP_MOST) : GAP_SHARE;
        /* neighbours differ a little, so that each can be seen */
        float light = 0.94f + 0.03f * (float)((uint32_t)i * 2654435761u >> 29);
        add_box(list, corner, middle, gap, lines[0].rgba, light);
    }
}

static uint32_t faded(uint32_t rgba, const cutaway_plane* cut, float depth) {
    float share = depth / (HALF_DEPTH * cut->extent + 1e-30f);
    float alpha = (float)(rgba & 0xFF) / (1.0f + share * share);
    return (rgba & 0xFFFFFF00u) | (uint32_t)(alpha + 0.5f);
}

static void add_lines_and_points(const film* f, int32_t body, int32_t frame,
                                 const cutaway_plane* cut, cutaway_view* out) {
    const film_part* part = film_part_at(f, body, frame);
    const film_frame* from = &f->frames.data[frame];
    for (int32_t i = 0; from->graph != NULL && i < part->shape->edge_count; ++i) {
        lim_debug_line line = from->graph[part->first_edge + i];
        float a = depth_of(cut, 0, line.a), c = depth_of(cut, 0, line.b);
        if (a >= 0.0f && c >= 0.0f) {
            line.rgba = faded(line.rgba, cut, a < c ? a : c);
            out->lines[out->line_count++] = line;
        }
    }
    for (int32_t i = 0; from->nodes != NULL && i < part->shape->node_count; ++i) {
        lim_debug_point point = from->nodes[part->first_node + i];
        float depth = depth_of(cut, 0, point.at);
        if (depth >= 0.0f) {
            point.rgba = faded(point.rgba, cut, depth);
            out->points[out->point_count++] = point;
        }
    }
}

lim_result cutaway_make(const film* f, int32_t frame, const lim_camera* camera, int32_t height,
                        arena* memory, cutaway_view* out) {
    const film_frame* from = &f->frames.data[frame];
    int64_t nodes = from->node_count, edges = from->edge_count;
    int64_t boxes = from->cells != NULL ? nodes : 0;
    int64_t lines = from->line_count + (from->graph != NULL ? edges : 0);
    int64_t points = from->point_count + (from->nodes != NULL ? nodes : 0);
    if (lines > INT32_MAX || points > INT32_MAX || boxes > INT32_MAX / (3 * BOX_TRIANGLES)) {
        return LIM_ERROR_TOO_LARGE;
    }
    box_list list = {.positions = ARENA_ARRAY(memory, float, 3 * BOX_CORNERS * boxes),
                     .colours = ARENA_ARRAY(memory, float, 4 * BOX_CORNERS * boxes),
                     .indices = ARENA_ARRAY(memory, uint32_t, 3 * BOX_TRIANGLES * boxes)};
    *out = (cutaway_view){.lines = ARENA_ARRAY(memory, lim_debug_line, lines),
                          .points = ARENA_ARRAY(memory, lim_debug_point, points)};
    if (list.positions == NULL || list.colours == NULL || list.indices == NULL ||
        out->lines == NULL || out->points == NULL) {
        return LIM_ERROR_MEMORY;
    }
    float pixel = 2.0f * tanf(0.5f * camera->fov) / (float)height;
    for (int32_t i = 0; i < from->part_count; ++i) {
        if (film_part_at(f, i, frame) == NULL) {
            continue;
        }
        cutaway_plane cut = cut_of(f, i, frame, camera);
        if (from->cells != NULL) {
            add_cells(f, i, frame, &cut, camera, pixel, &list);
        }
        add_lines_and_points(f, i, frame, &cut, out);
    }
    for (int32_t i = 0; i < from->line_count; ++i) {
        out->lines[out->line_count++] = from->lines[i];
    }
    for (int32_t i = 0; i < from->point_count; ++i) {
        out->points[out->point_count++] = from->points[i];
    }
    out->cells = (lim_draw_mesh){.frame = {.vertex_count = BOX_CORNERS * list.count,
                                           .triangle_count = BOX_TRIANGLES * list.count,
                                           .positions = list.positions,
                                           .colours = list.colours,
                                           .indices = list.indices}};
    return LIM_OK;
}

/* ---- the legend ------------------------------------------------------------------------------ */

static void fill(lim_image* image, int32_t x0, int32_t y0, int32_t side, uint32_t rgba) {
    for (int32_t y = y0; y < y0 + side && y < image->height; ++y) {
        for (int32_t x = x0; x < x0 + side && x < image->width; ++x) {
            uint8_t* pixel = image->rgba + 4 * ((size_t)y * (size_t)image->width + (size_t)x);
            for (int k = 0; k < 4; ++k) {
                pixel[k] = (uint8_t)(rgba >> (24 - 8 * k));
            }
        }
    }
}

/* Three digits in a unit that suits. */
static void write_length(char* out, size_t room, double metres) {
    const char* unit = metres < 1e-3 ? "um" : metres < 1.0 ? "mm" : "m";
    snprintf(out, room, "%.3g %s",
             metres < 1e-3  ? 1e6 * metres
             : metres < 1.0 ? 1e3 * metres
                            : metres,
             unit);
}

void cutaway_legend(const film* f, int32_t frame, lim_image* image) {
    struct {
        float side;
        uint32_t rgba;
    } sizes[SIZES_MOST];
    int32_t count = 0;
    for (int32_t b = 0; b < f->frames.data[frame].part_count; ++b) {
        const film_shape* shape = f->frames.data[frame].parts[b].shape;
        for (int32_t i = 0; shape != NULL && i < shape->node_count; ++i) {
            float side = shape->nodes.side[i];
            int32_t at = 0;
            while (at < count && sizes[at].side < 0.999f * side) {
                ++at;
            }
            if ((at < count && sizes[at].side < 1.001f * side) || count == SIZES_MOST) {
                continue;
            }
            memmove(sizes + at + 1, sizes + at, (size_t)(count - at) * sizeof sizes[0]);
            sizes[at].side = side;
            sizes[at].rgba = shape->level_rgba[i];
            ++count;
        }
    }
    int32_t scale = (image->height + 60) / 270;
    scale = scale < 1 ? 1 : scale;
    for (int32_t i = 0; i < count; ++i) {
        int32_t y = scale * (6 + 11 * (count - 1 - i));
        char text[32];
        write_length(text, sizeof text, (double)sizes[i].side);
        fill(image, 6 * scale, y, 7 * scale, sizes[i].rgba);
        lim_image_text(image, 17 * scale, y, scale, text, 0x2A3038FFu);
    }
}
