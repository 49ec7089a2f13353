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
    const film_body* b = &f->bodies[body];
    flags = b->region_node < 0 ? flags & ~(uint32_t)LIM_DEBUG_REGION : flags;
    int32_t more_lines = 0, more_points = 0;
    lim_debug_line* to_lines = lines > 0 ? list->lines + list->line_count : NULL;
    lim_debug_point* to_points = points > 0 ? list->points + list->point_count : NULL;
    lim_result result =
        lim_body_debug_draw(world, b->id, flags, b->region_node > 0 ? b->region_node : 0, f->origin,
                            to_lines, lines > 0 ? lines - list->line_count : 0, &more_lines,
                            to_points, points > 0 ? points - list->point_count : 0, &more_points);
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
    for (int32_t i = 0; i < f->body_count; ++i) {
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
    for (int32_t i = 0; i < f->body_count; ++i) {
        lim_result result = draw_body(f, world, i, flags, out, sizes.line_count, sizes.point_count);
        if (result != LIM_OK) {
            return result;
        }
    }
    return LIM_OK;
}

/* The node nearest to a place, of whichever body. */
static void choose_nearest(film* f, const lim_debug_point* points, lim_point at) {
    double nearest = INFINITY;
    int32_t chosen = -1;
    for (int32_t b = 0; b < f->body_count; ++b) {
        film_body* body = &f->bodies[b];
        body->region_node = -1;
        for (int32_t i = 0; i < body->node_count; ++i) {
            lim_vec3 p = points[body->first_node + i].at;
            double x = (double)p.x + f->origin.x - at.x, y = (double)p.y + f->origin.y - at.y,
                   z = (double)p.z + f->origin.z - at.z;
            double away = x * x + y * y + z * z;
            if (away < nearest) {
                nearest = away;
                if (chosen >= 0) {
                    f->bodies[chosen].region_node = -1;
                }
                chosen = b;
                body->region_node = i;
            }
        }
    }
}

lim_result film_inside_begin(film* f, const scene_run* run, const lim_point* region_at) {
    int64_t nodes = 0, edges = 0;
    for (int32_t i = 0; i < f->body_count; ++i) {
        film_body* b = &f->bodies[i];
        b->nodes = lim_model_get_nodes(scene_run_body_at(run, i).model);
        b->node_count = b->nodes.count;
        b->edge_count = b->nodes.edge_count;
        b->first_node = nodes;
        b->first_edge = edges;
        nodes += b->node_count;
        edges += b->edge_count;
        b->region_node = -1;
    }
    debug_list all;
    lim_result result = take_list(f, scene_run_world(run), LIM_DEBUG_NODES, &all);
    f->level_rgba = ARENA_ARRAY(&f->memory, uint32_t, nodes);
    int32_t* scratch = ARENA_ARRAY(&f->memory, int32_t, nodes);
    if (result != LIM_OK || f->level_rgba == NULL || scratch == NULL) {
        return result != LIM_OK ? result : LIM_ERROR_MEMORY;
    }
    for (int64_t i = 0; i < nodes; ++i) {
        f->level_rgba[i] = all.points[i].rgba;
    }
    if (region_at != NULL) {
        choose_nearest(f, all.points, *region_at);
    }
    for (int32_t i = 0; i < f->body_count && region_at == NULL; ++i) {
        f->bodies[i].region_node = film_telling_node(&f->bodies[i].nodes, scratch);
    }
    return LIM_OK;
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
