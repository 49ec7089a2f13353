/* SPDX-License-Identifier: MIT
 * Job: grow a stroke and make blades of it. In: sweeps in the world, the body as it is. Out: rows
 * of points at rest, and triangles between them.
 */
#include "edit/stroke.h"

#include <string.h>

/* Rows closer together than this share of a cell are one: a blade that stands still cuts nothing.
 */
#define ROW_LEAST 0.02
/* Most rows in a sweep. */
enum { ROWS_MOST = 4096 };

static void rows_free(stroke_rows* r, const lim_host* host) {
    ARRAY_FREE(host, &r->point);
    ARRAY_FREE(host, &r->near);
}

void stroke_free(edit_stroke* s, const lim_host* host) {
    for (int32_t i = 0; i < s->rows.count; ++i) {
        rows_free(&s->rows.data[i], host);
    }
    ARRAY_FREE(host, &s->rows);
    topology_release(s->base);
    *s = (edit_stroke){.number = s->number};
}

static bool push_point(stroke_rows* r, const lim_host* host, lim_point p, uint8_t near) {
    return ARRAY_PUSH(host, &r->point, p) && ARRAY_PUSH(host, &r->near, near);
}

static stroke_rows* push_rows(edit_stroke* s, const lim_host* host, int32_t component) {
    stroke_rows empty = {.component = component};
    return ARRAY_PUSH(host, &s->rows, empty) ? &s->rows.data[s->rows.count - 1] : NULL;
}

static lim_result copy_all(const edit_stroke* from, const lim_host* host, edit_stroke* out) {
    for (int32_t i = 0; i < from->rows.count; ++i) {
        const stroke_rows* r = &from->rows.data[i];
        stroke_rows* to = push_rows(out, host, r->component);
        LIM_TRY_MEMORY(to);
        for (int32_t k = 0; k < r->point.count; ++k) {
            if (!push_point(to, host, r->point.data[k], r->near.data[k])) {
                return LIM_ERROR_MEMORY;
            }
        }
    }
    return LIM_OK;
}

lim_result stroke_copy(const edit_stroke* from, const lim_host* host, edit_stroke* out) {
    *out = (edit_stroke){
        .columns = from->columns, .number = from->number, .tip = from->tip, .back = from->back};
    lim_result result = copy_all(from, host, out);
    if (result != LIM_OK) {
        stroke_free(out, host);
        return result;
    }
    out->base = from->base;
    if (out->base != NULL) {
        topology_retain(out->base);
    }
    return LIM_OK;
}

/* ---- a sweep ------------------------------------------------------------------------------------
 */

typedef struct sweep_grid {
    int32_t rows, columns;
    lim_point* world;
} sweep_grid;

static int32_t parts_of(double length, double cell, int32_t most) {
    double parts = length / cell;
    return parts < 1.0 ? 1 : parts < (double)most ? (int32_t)parts + 1 : most;
}

static lim_point between(lim_point a, lim_point b, double share) {
    return p3_mad(a, p3_sub(b, a), share);
}

static double station_step(const blade_strip* s, int32_t i) {
    double tip = p3_length(p3_sub(s->tip[i + 1], s->tip[i]));
    double back = p3_length(p3_sub(s->back[i + 1], s->back[i]));
    return tip > back ? tip : back;
}

/* Points no farther apart than a cell, row after row. */
static lim_result lay_grid(arena* scratch, const blade_strip* s, int32_t columns, double cell,
                           sweep_grid* out, const char** why) {
    int64_t rows = 1;
    for (int32_t i = 0; i + 1 < s->count; ++i) {
        rows += parts_of(station_step(s, i), cell, ROWS_MOST);
    }
    if (rows > ROWS_MOST) {
        *why = "the sweep is longer than 4,096 cells; give it in parts";
        return LIM_ERROR_ARGUMENT;
    }
    *out = (sweep_grid){.rows = (int32_t)rows, .columns = columns};
    out->world = ARENA_ARRAY(scratch, lim_point, rows * columns);
    LIM_TRY_MEMORY(out->world);
    lim_point* to = out->world;
    for (int32_t i = 0; i < s->count; ++i) {
        int32_t parts = i + 1 < s->count ? parts_of(station_step(s, i), cell, ROWS_MOST) : 1;
        for (int32_t k = 0; k < parts; ++k) {
            int32_t next = i + 1 < s->count ? i + 1 : i;
            double share = (double)k / parts;
            lim_point tip = between(s->tip[i], s->tip[next], share);
            lim_point back = between(s->back[i], s->back[next], share);
            for (int32_t c = 0; c < columns; ++c) {
                *to++ = between(tip, back, (double)c / (columns - 1));
            }
        }
    }
    return LIM_OK;
}

/* Which components of the body are parts of a component of the base: those whose material is. */
static lim_result parts_in(arena* scratch, const topology* base, const body* b, int32_t component,
                           uint8_t** out) {
    const topology* t = b->topology;
    uint8_t* in = ARENA_ARRAY(scratch, uint8_t, t->component_count);
    LIM_TRY_MEMORY(in);
    int32_t k = 0;
    for (int32_t i = 0; i < t->matter.count; ++i) {
        /* cuts keep cells: any fragment of the base in this cell that shares sub-voxels */
        while (k < base->matter.count && base->matter.key[k] < t->matter.key[i]) {
            k++;
        }
        for (int32_t j = k; j < base->matter.count && base->matter.key[j] == t->matter.key[i];
             ++j) {
            bool shared = (base->matter.mask[j] & t->matter.mask[i]) != 0;
            if (shared && base->matter.component[j] == component) {
                in[t->slot_component[t->fragment_slot[i]]] = 1;
            }
        }
    }
    *out = in;
    return LIM_OK;
}

static stroke_rows* rows_of(edit_stroke* s, int32_t component) {
    for (int32_t i = 0; i < s->rows.count; ++i) {
        if (s->rows.data[i].component == component) {
            return &s->rows.data[i];
        }
    }
    return NULL;
}

/* Whether a row lies where the last one does. */
static bool is_still(const stroke_rows* r, const lim_point* row, int32_t columns, double least) {
    double most = 0.0;
    const lim_point* last = r->point.data + r->point.count - columns;
    for (int32_t c = 0; c < columns && r->point.count > 0; ++c) {
        most = fmax(most, p3_length(p3_sub(row[c], last[c])));
    }
    return r->point.count > 0 && most < least;
}

static lim_result add_rows(edit_stroke* s, const lim_host* host, int32_t component,
                           const sweep_grid* grid, const lim_point* rest, const uint8_t* near) {
    stroke_rows* r = rows_of(s, component);
    bool goes_on = r != NULL;
    r = goes_on ? r : push_rows(s, host, component);
    LIM_TRY_MEMORY(r);
    double least = ROW_LEAST * (double)s->base->cell;
    for (int32_t i = goes_on; i < grid->rows; ++i) {
        const lim_point* row = rest + (size_t)i * (size_t)grid->columns;
        if (is_still(r, row, grid->columns, least)) {
            continue;
        }
        for (int32_t c = 0; c < grid->columns; ++c) {
            if (!push_point(r, host, row[c], near[(size_t)i * (size_t)grid->columns + (size_t)c])) {
                return LIM_ERROR_MEMORY;
            }
        }
    }
    return LIM_OK;
}

static lim_result add_sweep(arena* scratch, edit_stroke* s, const body* b, const blade_strip* sweep,
                            const lim_host* host, const char** why) {
    sweep_grid grid;
    double cell = (double)b->topology->cell * body_metres(b);
    LIM_TRY(lay_grid(scratch, sweep, s->columns, cell, &grid, why));
    int32_t count = grid.rows * grid.columns;
    lim_point* rest = ARENA_ARRAY(scratch, lim_point, count);
    uint8_t* near = ARENA_ARRAY(scratch, uint8_t, count);
    LIM_TRY_MEMORY(rest);
    LIM_TRY_MEMORY(near);
    for (int32_t c = 0; c < s->base->component_count; ++c) {
        uint8_t* in;
        LIM_TRY(parts_in(scratch, s->base, b, c, &in));
        LIM_TRY(blade_points_to_rest(scratch, b, in, grid.world, count, rest, near));
        bool any = rows_of(s, c) != NULL;
        for (int32_t i = 0; i < count; ++i) {
            any = any || near[i] != 0;
        }
        if (any) {
            LIM_TRY(add_rows(s, host, c, &grid, rest, near));
        }
    }
    s->tip = sweep->tip[sweep->count - 1];
    s->back = sweep->back[sweep->count - 1];
    return LIM_OK;
}

static lim_result begin(const edit_stroke* before, const body* b, const blade_strip* sweep,
                        const lim_host* host, edit_stroke* out) {
    if (before != NULL && before->base != NULL) {
        return stroke_copy(before, host, out);
    }
    double longest = 0.0, cell = (double)b->topology->cell * body_metres(b);
    for (int32_t i = 0; i < sweep->count; ++i) {
        longest = fmax(longest, p3_length(p3_sub(sweep->back[i], sweep->tip[i])));
    }
    *out = (edit_stroke){.base = b->topology,
                         .columns = parts_of(longest, cell, STROKE_COLUMNS - 1) + 1,
                         .number = before != NULL ? before->number + 1 : 1};
    topology_retain(out->base);
    return LIM_OK;
}

lim_result stroke_add(arena* scratch, const edit_stroke* before, const body* b,
                      const blade_strip* sweep, const lim_host* host, edit_stroke* out,
                      const char** why) {
    LIM_TRY(begin(before, b, sweep, host, out));
    lim_result result = add_sweep(scratch, out, b, sweep, host, why);
    if (result != LIM_OK) {
        stroke_free(out, host);
    }
    return result;
}

/* ---- blades -------------------------------------------------------------------------------------
 */

static bool has_area(lim_point a, lim_point b, lim_point c, double cell) {
    lim_point n = p3_cross(p3_sub(b, a), p3_sub(c, a));
    return p3_length(n) > 1e-6 * cell * cell;
}

/* Two triangles for each quad of which a corner is near, without those that have no area. */
static lim_result make_blade(arena* a, const stroke_rows* r, int32_t columns, double cell,
                             cut_blade* out) {
    int32_t rows = r->point.count / columns, count = 0;
    int32_t* triangle = ARENA_ARRAY(a, int32_t, 6 * (int64_t)(rows > 0 ? rows : 1) * columns);
    int32_t* name = ARENA_ARRAY(a, int32_t, r->point.count + 1);
    lim_point* point = ARENA_ARRAY(a, lim_point, r->point.count + 1);
    LIM_TRY_MEMORY(triangle);
    LIM_TRY_MEMORY(name);
    LIM_TRY_MEMORY(point);
    const lim_point* at = r->point.data;
    for (int32_t i = 0; i + 1 < rows; ++i) {
        for (int32_t c = 0; c + 1 < columns; ++c) {
            int32_t p = i * columns + c, q = p + columns;
            const int32_t corner[2][3] = {{p, q, q + 1}, {p, q + 1, p + 1}};
            bool near = (r->near.data[p] | r->near.data[p + 1] | r->near.data[q] |
                         r->near.data[q + 1]) != 0;
            for (int k = 0; k < 2 && near; ++k) {
                const int32_t* t = corner[k];
                if (has_area(at[t[0]], at[t[1]], at[t[2]], cell)) {
                    memcpy(triangle + 3 * (size_t)count++, t, sizeof corner[k]);
                }
            }
        }
    }
    /* Only the points that are used. */
    int32_t points = 0;
    for (int32_t i = 0; i < 3 * count; ++i) {
        int32_t p = triangle[i];
        if (name[p] == 0) {
            point[points] = at[p];
            name[p] = ++points;
        }
        triangle[i] = name[p] - 1;
    }
    *out = (cut_blade){points, count, point, triangle};
    return LIM_OK;
}

lim_result stroke_blades(arena* a, const edit_stroke* s, edit_blade** out_blade,
                         int32_t* out_count) {
    edit_blade* blade = ARENA_ARRAY(a, edit_blade, s->rows.count);
    LIM_TRY_MEMORY(blade);
    *out_count = 0;
    for (int32_t i = 0; i < s->rows.count; ++i) {
        edit_blade* b = &blade[*out_count];
        b->component = s->rows.data[i].component;
        LIM_TRY(make_blade(a, &s->rows.data[i], s->columns, (double)s->base->cell, &b->blade));
        *out_count += b->blade.triangle_count > 0;
    }
    *out_blade = blade;
    return LIM_OK;
}
