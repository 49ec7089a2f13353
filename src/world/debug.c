/* SPDX-License-Identifier: MIT
 * Job: lines and points that show the inside of a body. In: flags. Out: at most as many as fit, and
 * how many there are.
 */
#include "world/drawing.h"

int32_t drawing_finest(const topology* t) {
    int32_t level = t->levels;
    while (level > 0 && t->info.level_nodes[level] == 0) {
        --level;
    }
    return level;
}

/* Colours of cells by their size, the finest that the model can have first (so that a cell keeps
 * its colour whatever edits make of others), as 0xRRGGBBAA; the seventh is the first again. */
static uint32_t level_colour(const topology* t, int32_t slot) {
    static const uint32_t colours[6] = {0xD9482BFF, 0xE8A42AFF, 0x4FA66BFF,
                                        0x2E86ABFF, 0x5B4B9AFF, 0x9A3F7CFF};
    int32_t above = t->levels - octant_of(t->key[slot]).level;
    return colours[(above > 0 ? above : 0) % 6];
}

static lim_vec3 place(const drawing* d, int32_t piece, lim_point local) {
    const component* c = &d->body->components[piece];
    return v3_of(p3_sub(node_to_world(c, body_metres(d->body), local), d->origin));
}

static lim_point slot_local(const body* b, int32_t slot) {
    const topology* t = b->topology;
    return p3((double)t->x0[0][slot] + (double)b->d[0][slot],
              (double)t->x0[1][slot] + (double)b->d[1][slot],
              (double)t->x0[2][slot] + (double)b->d[2][slot]);
}

void drawing_line(drawing* d, lim_vec3 a, lim_vec3 b, uint32_t rgba) {
    if (d->line_count < d->line_capacity) {
        d->lines[d->line_count] = (lim_debug_line){a, b, rgba};
    }
    d->line_count++;
}

void drawing_slot(drawing* d, int32_t slot, float share, uint32_t rgba) {
    const topology* t = d->body->topology;
    if (d->point_count < d->point_capacity) {
        lim_vec3 at = place(d, t->slot_component[slot], slot_local(d->body, slot));
        float size = (float)((double)(share * t->side[slot]) * body_metres(d->body));
        d->points[d->point_count] = (lim_debug_point){at, size, rgba};
    }
    d->point_count++;
}

lim_vec3 drawing_carried(const drawing* d, int32_t slot, const double rest[3]) {
    const topology* t = d->body->topology;
    dmat3 f = body_gradient(d->body, slot);
    double r[3], x[3];
    for (int a = 0; a < 3; ++a) {
        r[a] = rest[a] - (double)t->x0[a][slot];
        x[a] = rest[a] + (double)d->body->d[a][slot];
        f.m[4 * a] -= 1.0; /* what comes to the rest place: nothing at rest, to the last bit */
    }
    for (int a = 0; a < 3; ++a) {
        x[a] += f.m[3 * a] * r[0] + f.m[3 * a + 1] * r[1] + f.m[3 * a + 2] * r[2];
    }
    return place(d, t->slot_component[slot], p3(x[0], x[1], x[2]));
}

void drawing_box(drawing* d, const lim_vec3 corner[8], uint32_t rgba) {
    for (int k = 0; k < 8; ++k) {
        for (int a = 0; a < 3; ++a) {
            if ((k >> a & 1) == 0) {
                drawing_line(d, corner[k], corner[k | 1 << a], rgba);
            }
        }
    }
}

static void draw_nodes(drawing* d) {
    const topology* t = d->body->topology;
    for (int32_t i = 0; i < t->node_count; ++i) {
        drawing_slot(d, t->node_slot[i], 1.0f, level_colour(t, t->node_slot[i]));
    }
}

/* The cell of each node as the node carries it. */
static void draw_cell(drawing* d, int32_t slot) {
    const topology* t = d->body->topology;
    lim_vec3 corner[8];
    for (int k = 0; k < 8; ++k) {
        double half = 0.5 * (double)t->side[slot], rest[3];
        for (int a = 0; a < 3; ++a) {
            rest[a] = (double)t->centre[a][slot] + ((k >> a & 1) != 0 ? half : -half);
        }
        corner[k] = drawing_carried(d, slot, rest);
    }
    drawing_box(d, corner, level_colour(t, slot));
}

/* A colour by the finer end; what runs across a cell instead of along it is faint. */
static uint32_t edge_colour(const topology* t, int32_t i, int32_t j) {
    double far = 0.0, most = 0.0;
    for (int k = 0; k < 3; ++k) {
        double x = fabs((double)t->centre[k][i] - (double)t->centre[k][j]);
        far += x;
        most = x > most ? x : most;
    }
    uint32_t rgba = level_colour(t, t->side[i] < t->side[j] ? i : j);
    uint32_t dark = rgba - (rgba >> 2 & 0x3F3F3F00u); /* three quarters of red, green and blue */
    return far > 1.25 * most ? (dark & 0xFFFFFF00u) | 0x38u : dark;
}

static void draw_graph(drawing* d) {
    const topology* t = d->body->topology;
    for (int32_t i = 0; i < t->slot_count; ++i) {
        for (int32_t e = t->edge_offset[i]; e < t->edge_offset[i + 1]; ++e) {
            int32_t j = t->edge_node[e];
            if (j > i) {
                drawing_line(d, place(d, t->slot_component[i], slot_local(d->body, i)),
                             place(d, t->slot_component[j], slot_local(d->body, j)),
                             edge_colour(t, i, j));
            }
        }
    }
}

static void draw_contacts(drawing* d) {
    const body* b = d->body;
    const topology* t = b->topology;
    node_state nodes = body_nodes(b);
    for (int32_t i = 0; i < b->contacts.items.count; ++i) {
        const contact* c = &b->contacts.items.data[i];
        if (!(c->impulse > 0.0f)) {
            continue; /* near, but not touching */
        }
        int32_t point = c->touching;
        if (point < 0) {
            continue; /* a node inside */
        }
        int32_t piece = t->touch.component[point];
        lim_vec3 rest = bindings_rest(&t->touch, point);
        lim_vec3 at = binding_position(&t->touch.bind[point], rest, &nodes);
        lim_vec3 from = place(d, piece, p3_of(at));
        lim_vec3 tip = v3_mad(from, c->normal, t->cell * (float)body_metres(b));
        drawing_line(d, from, tip, 0x00FF00FF);
    }
}

static lim_result draw(const lim_world* world, lim_body id, uint32_t flags, int32_t region_node,
                       drawing* d) {
    const world_body* b = world_body_of(world, "lim_body_debug_draw", id);
    if (b == NULL) {
        return LIM_ERROR_ID;
    }
    const topology* t = b->body.topology;
    check c = check_begin(&world->host, "lim_body_debug_draw");
    check_point(&c, "origin", d->origin);
    check_integer(&c, "flags", flags, 0, 31, "a sum of LIM_DEBUG_ numbers");
    check_integer(&c, "line_capacity", d->line_capacity, 0, d->lines != NULL ? INT32_MAX : 0,
                  "the size of lines, 0 when it is null");
    check_integer(&c, "point_capacity", d->point_capacity, 0, d->points != NULL ? INT32_MAX : 0,
                  "the size of points, 0 when it is null");
    if ((flags & LIM_DEBUG_REGION) != 0) {
        check_integer(&c, "region_node", region_node, 0, t->node_count - 1,
                      "the number of a node of the model");
    }
    LIM_TRY(c.result);
    d->body = &b->body;
    if ((flags & LIM_DEBUG_REGION) != 0) {
        LIM_TRY(drawing_region(d, region_node, &world->host));
    }
    if ((flags & LIM_DEBUG_NODES) != 0) {
        draw_nodes(d);
    }
    for (int32_t i = 0; i < t->node_count && (flags & LIM_DEBUG_CELLS) != 0; ++i) {
        draw_cell(d, t->node_slot[i]);
    }
    if ((flags & LIM_DEBUG_GRAPH) != 0) {
        draw_graph(d);
    }
    if ((flags & LIM_DEBUG_CONTACTS) != 0) {
        draw_contacts(d);
    }
    return LIM_OK;
}

lim_result lim_body_debug_draw(const lim_world* world, lim_body id, uint32_t flags,
                               int32_t region_node, lim_point origin, lim_debug_line* lines,
                               int32_t line_capacity, int32_t* out_lines, lim_debug_point* points,
                               int32_t point_capacity, int32_t* out_points) {
    if (world == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    drawing d = {.origin = origin,
                 .lines = lines,
                 .points = points,
                 .line_capacity = line_capacity,
                 .point_capacity = point_capacity};
    fpenv env = fpenv_enter();
    lim_result result = draw(world, id, flags, region_node, &d);
    fpenv_leave(env);
    if (result == LIM_OK && out_lines != NULL) {
        *out_lines = d.line_count;
    }
    if (result == LIM_OK && out_points != NULL) {
        *out_points = d.point_count;
    }
    return result;
}
