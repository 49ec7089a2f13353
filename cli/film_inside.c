/* SPDX-License-Identifier: MIT
 * Job: record what lies within the skins. In: a world and what is asked for. Out: lists of lines
 * and points in the film's arena, those of one body after the other.
 */
#include "cli/film_inside.h"

#include <math.h>
#include <string.h>

int32_t film_telling_node(const lim_model_nodes* nodes, int32_t* count) {
    memset(count, 0, (size_t)nodes->count * sizeof *count);
    for (int32_t e = 0; e < nodes->edge_count; ++e) {
        int32_t a = nodes->edges[2 * e], b = nodes->edges[2 * e + 1];
        int32_t differ = nodes->level[a] != nodes->level[b];
        count[a] += differ;
        count[b] += differ;
    }
    int32_t best = -1;
    double nearest = INFINITY;
    for (int32_t i = 0; i < nodes->count; ++i) {
        double x = (double)nodes->x[i], y = (double)nodes->y[i], z = (double)nodes->z[i];
        double away = x * x + y * y + z * z;
        if (best < 0 || count[i] > count[best] || (count[i] == count[best] && away < nearest)) {
            best = i;
            nearest = away;
        }
    }
    return best;
}

/* All bodies' lines and points of one kind, counted first, then filled. */
typedef struct debug_list {
    lim_debug_line* lines;
    lim_debug_point* points;
    int32_t line_count, point_count;
} debug_list;

static lim_result draw_body(const film* f, const lim_world* world, int32_t body, uint32_t flags,
                            debug_list* list, int32_t lines, int32_t points) {
    const film_body* b = &f->bodies.data[body];
    if (b->now == NULL) {
        return LIM_OK;
    }
    int32_t node = b->now->region_node;
    flags = node < 0 ? flags & ~(uint32_t)LIM_DEBUG_REGION : flags;
    int32_t more_lines = 0, more_points = 0;
    lim_debug_line* to_lines = lines > 0 ? list->lines + list->line_count : NULL;
    lim_debug_point* to_points = points > 0 ? list->points + list->point_count : NULL;
    lim_result result =
        lim_body_debug_draw(world, b->id, flags, node > 0 ? node : 0, f->origin, to_lines,
                            lines > 0 ? lines - list->line_count : 0, &more_lines, to_points,
                            points > 0 ? points - list->point_count : 0, &more_points);
    if (result == LIM_OK && (more_lines > INT32_MAX - list->line_count ||
                             more_points > INT32_MAX - list->point_count)) {
        return LIM_ERROR_TOO_LARGE;
    }
    list->line_count += more_lines;
    list->point_count += more_points;
    return result;
}

static lim_result take_list(film* f, const lim_world* world, uint32_t flags, debug_list* out) {
    memset(out, 0, sizeof *out);
    debug_list sizes = {0};
    for (int32_t i = 0; i < f->bodies.count; ++i) {
        lim_result result = draw_body(f, world, i, flags, &sizes, 0, 0);
        if (result != LIM_OK) {
            return result;
        }
    }
    out->lines = ARENA_ARRAY(&f->memory, lim_debug_line, sizes.line_count);
    out->points = ARENA_ARRAY(&f->memory, lim_debug_point, sizes.point_count);
    if (out->lines == NULL || out->points == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < f->bodies.count; ++i) {
        lim_result result = draw_body(f, world, i, flags, out, sizes.line_count, sizes.point_count);
        if (result != LIM_OK) {
            return result;
        }
    }
    return LIM_OK;
}

lim_result film_inside_choose(film* f, const lim_world* world) {
    debug_list all;
    lim_result result = take_list(f, world, LIM_DEBUG_NODES, &all);
    if (result != LIM_OK) {
        return result;
    }
    double nearest = INFINITY;
    film_shape* chosen = NULL;
    const lim_debug_point* point = all.points;
    for (int32_t b = 0; b < f->bodies.count; ++b) {
        film_shape* shape = f->bodies.data[b].now;
        for (int32_t i = 0; shape != NULL && i < shape->node_count; ++i, ++point) {
            double x = (double)point->at.x + f->origin.x - f->region_at->x,
                   y = (double)point->at.y + f->origin.y - f->region_at->y,
                   z = (double)point->at.z + f->origin.z - f->region_at->z;
            double away = x * x + y * y + z * z;
            if (away < nearest) {
                nearest = away;
                if (chosen != NULL) {
                    chosen->region_node = -1;
                }
                chosen = shape;
                chosen->region_node = i;
            }
        }
    }
    return LIM_OK;
}

/* The node that lies nearest at rest to one of the shape before. */
static int32_t nearest_to(const lim_model_nodes* nodes, const film_shape* before) {
    int32_t old = before->region_node, best = -1;
    double nearest = INFINITY;
    for (int32_t i = 0; old >= 0 && i < nodes->count; ++i) {
        double x = (double)(nodes->x[i] - before->nodes.x[old]),
               y = (double)(nodes->y[i] - before->nodes.y[old]),
               z = (double)(nodes->z[i] - before->nodes.z[old]);
        double away = x * x + y * y + z * z;
        best = away < nearest ? i : best;
        nearest = away < nearest ? away : nearest;
    }
    return best;
}

lim_result film_inside_nodes(film* f, const lim_world* world, lim_body body, const lim_model* model,
                             const film_shape* before, film_shape* s) {
    s->nodes = lim_model_get_nodes(model);
    s->node_count = s->nodes.count;
    s->edge_count = s->nodes.edge_count;
    int32_t lines = 0, points = 0;
    lim_debug_point* point = ARENA_ARRAY(&f->memory, lim_debug_point, s->node_count);
    s->level_rgba = ARENA_ARRAY(&f->memory, uint32_t, s->node_count);
    int32_t* scratch = ARENA_ARRAY(&f->memory, int32_t, s->node_count);
    if (point == NULL || s->level_rgba == NULL || scratch == NULL) {
        return LIM_ERROR_MEMORY;
    }
    lim_result result = lim_body_debug_draw(world, body, LIM_DEBUG_NODES, 0, f->origin, NULL, 0,
                                            &lines, point, s->node_count, &points);
    for (int32_t i = 0; result == LIM_OK && i < s->node_count; ++i) {
        s->level_rgba[i] = point[i].rgba;
    }
    s->region_node = before != NULL         ? nearest_to(&s->nodes, before)
                     : f->region_at == NULL ? film_telling_node(&s->nodes, scratch)
                                            : -1;
    return result;
}

lim_result film_inside_take(film* f, const lim_world* world, film_frame* frame) {
    debug_list list;
    lim_result result = LIM_OK;
    if ((f->overlay & LIM_DEBUG_CELLS) != 0) {
        result = take_list(f, world, LIM_DEBUG_CELLS, &list);
        frame->cells = list.lines;
    }
    if (result == LIM_OK && (f->overlay & LIM_DEBUG_GRAPH) != 0) {
        result = take_list(f, world, LIM_DEBUG_GRAPH, &list);
        frame->graph = list.lines;
    }
    if (result == LIM_OK && (f->overlay & LIM_DEBUG_NODES) != 0) {
        result = take_list(f, world, LIM_DEBUG_NODES, &list);
        frame->nodes = list.points;
    }
    if (result == LIM_OK && (f->overlay & (LIM_DEBUG_REGION | LIM_DEBUG_CONTACTS)) != 0) {
        result = take_list(f, world, f->overlay & (LIM_DEBUG_REGION | LIM_DEBUG_CONTACTS), &list);
        frame->lines = list.lines;
        frame->points = list.points;
        frame->line_count = list.line_count;
        frame->point_count = list.point_count;
    }
    return result;
}
