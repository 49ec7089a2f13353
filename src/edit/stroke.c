/* SPDX-License-Identifier: MIT
 * Job: grow a stroke and make blades of it. In: sweeps in the world, the body as it is. Out: rows
 * of places at rest for each component of the base that the blade came near, and triangles.
 */
#include "edit/stroke.h"

/* Rows closer together than this share of a cell are one: a blade that stands still cuts nothing.
 */
#define ROW_LEAST 0.02
/* A sweep that goes on begins at the last station: to shares of a finest cell, of the blade, and of
 * the distance from the origin, a few roundings of floats. */
#define GAP_CELL  1e-3
#define GAP_BLADE 1e-4
#define GAP_FLOAT 2.5e-7

void stroke_free(edit_stroke* s, const lim_host* host) {
    for (int32_t i = 0; i < s->rows.count; ++i) {
        ARRAY_FREE(host, &s->rows.data[i].place);
    }
    ARRAY_FREE(host, &s->rows);
    topology_release(s->base);
    *s = (edit_stroke){.number = s->number};
}

static stroke_rows* push_rows(edit_stroke* s, const lim_host* host, int32_t piece) {
    stroke_rows empty = {.component = piece};
    return ARRAY_PUSH(host, &s->rows, empty) ? &s->rows.data[s->rows.count - 1] : NULL;
}

static lim_result copy_rows(const edit_stroke* from, const lim_host* host, edit_stroke* out) {
    for (int32_t i = 0; i < from->rows.count; ++i) {
        const stroke_rows* r = &from->rows.data[i];
        stroke_rows* to = push_rows(out, host, r->component);
        LIM_TRY_MEMORY(to);
        for (int32_t k = 0; k < r->place.count; ++k) {
            if (!ARRAY_PUSH(host, &to->place, r->place.data[k])) {
                return LIM_ERROR_MEMORY;
            }
        }
    }
    return LIM_OK;
}

/* Which components of the body are parts of a component of the base: those with sub-voxels of it.
 * Cuts keep cells, and both are in order of keys. */
static void parts_in(const topology* base, const topology* t, int32_t piece, uint8_t* in) {
    int32_t k = 0;
    for (int32_t c = 0; c < t->component_count; ++c) {
        in[c] = 0;
    }
    for (int32_t i = 0; i < t->matter.count; ++i) {
        const uint64_t* key = base->matter.key;
        while (k < base->matter.count && key[k] < t->matter.key[i]) {
            k++;
        }
        for (int32_t j = k; j < base->matter.count && key[j] == t->matter.key[i]; ++j) {
            bool shared = (base->matter.mask[j] & t->matter.mask[i]) != 0;
            if (shared && base->matter.component[j] == piece) {
                in[t->slot_component[t->fragment_slot[i]]] = 1;
            }
        }
    }
}

static stroke_rows* rows_of(edit_stroke* s, int32_t piece) {
    for (int32_t i = 0; i < s->rows.count; ++i) {
        if (s->rows.data[i].component == piece) {
            return &s->rows.data[i];
        }
    }
    return NULL;
}

/* Whether a row lies where the last one does. */
static bool is_still(const stroke_rows* r, const blade_place* row, int32_t columns, double least) {
    if (r->place.count == 0) {
        return false;
    }
    bool still = true;
    const blade_place* last = r->place.data + r->place.count - columns;
    for (int32_t c = 0; c < columns && still; ++c) {
        bool looked = row[c].away < HUGE_VALF, was = last[c].away < HUGE_VALF;
        still = looked == was && (!looked || p3_length(p3_sub(row[c].at, last[c].at)) < least);
    }
    return still;
}

/* The first row of a sweep that goes on is the last one there is. */
static lim_result add_rows(edit_stroke* s, const lim_host* host, int32_t piece,
                           const blade_rows* sweep) {
    stroke_rows* r = rows_of(s, piece);
    bool goes_on = r != NULL;
    r = goes_on ? r : push_rows(s, host, piece);
    LIM_TRY_MEMORY(r);
    double least = ROW_LEAST * (double)s->base->cell;
    for (int32_t i = goes_on; i < sweep->rows; ++i) {
        const blade_place* row = sweep->place + (size_t)i * (size_t)s->columns;
        bool still = is_still(r, row, s->columns, least);
        for (int32_t c = 0; c < s->columns && !still; ++c) {
            if (!ARRAY_PUSH(host, &r->place, row[c])) {
                return LIM_ERROR_MEMORY;
            }
        }
    }
    return LIM_OK;
}

static lim_result add_sweep(arena* scratch, edit_stroke* s, const body* b, const blade_strip* strip,
                            const lim_host* host, const char** why) {
    uint8_t* in = ARENA_ARRAY(scratch, uint8_t, b->topology->component_count);
    LIM_TRY_MEMORY(in);
    for (int32_t c = 0; c < s->base->matter.component_count; ++c) {
        blade_rows sweep;
        parts_in(s->base, b->topology, c, in);
        LIM_TRY(blade_sweep(scratch, b, in, strip, s->columns, &sweep, why));
        if (sweep.rows > 0) {
            LIM_TRY(add_rows(s, host, c, &sweep));
        }
    }
    return LIM_OK;
}

double stroke_gap(const edit_stroke* s, const body* b, const blade_strip* sweep) {
    lim_point tip = sweep->tip[0], back = sweep->back[0];
    double gap = fmax(p3_length(p3_sub(tip, s->tip)), p3_length(p3_sub(back, s->back)));
    double cell = (double)b->topology->cell * body_metres(b);
    double blade = p3_length(p3_sub(back, tip));
    double far = fmax(p3_length(tip), p3_length(back));
    double slack = fmax(fmax(GAP_CELL * cell, GAP_BLADE * blade), GAP_FLOAT * far);
    return gap <= slack ? 0.0 : gap;
}

lim_result stroke_add(arena* scratch, const edit_stroke* before, const body* b,
                      const blade_strip* sweep, const lim_host* host, edit_stroke* out,
                      const char** why) {
    bool goes_on = before->base != NULL;
    *why = NULL;
    *out = (edit_stroke){.base = goes_on ? before->base : b->topology,
                         .columns = goes_on ? before->columns : blade_columns(b, sweep),
                         .number = before->number + !goes_on,
                         .tip = sweep->tip[sweep->count - 1],
                         .back = sweep->back[sweep->count - 1]};
    topology_retain(out->base);
    lim_result result = goes_on ? copy_rows(before, host, out) : LIM_OK;
    result = result == LIM_OK ? add_sweep(scratch, out, b, sweep, host, why) : result;
    if (result != LIM_OK) {
        stroke_free(out, host);
    }
    return result;
}

lim_result stroke_blades(arena* a, const edit_stroke* s, edit_blade** out_blade, int32_t* out_count,
                         const char** why) {
    edit_blade* blade = ARENA_ARRAY(a, edit_blade, s->rows.count);
    LIM_TRY_MEMORY(blade);
    *why = NULL;
    *out_count = 0;
    for (int32_t i = 0; i < s->rows.count; ++i) {
        edit_blade* b = &blade[*out_count];
        const stroke_rows* r = &s->rows.data[i];
        blade_rows rows = {r->place.count / s->columns, s->columns, r->place.data};
        b->component = r->component;
        LIM_TRY(blade_make(a, s->base, &rows, &b->blade, why));
        *out_count += b->blade.triangle_count > 0;
    }
    *out_blade = blade;
    return LIM_OK;
}
