/* SPDX-License-Identifier: MIT
 * Job: a stroke that may go on, as state. In: its rows and the topology that it began with, which
 * is named by its place in a list. Out: fields of a stream, and back. A body without one is a flag,
 * and nothing in a hash.
 */
#include "world/state.h"

static uint32_t place_of(const topology_list* list, const topology* t) {
    uint32_t k = 0;
    while (k + 1 < (uint32_t)list->count && list->data[k] != t) {
        k++;
    }
    return k;
}

void state_write_stroke(stream* s, edit_stroke* stroke, const topology_list* list) {
    bool there = stroke->base != NULL;
    if (s->mode != STREAM_HASH || there) {
        stream_bool(s, &there);
        stream_u64(s, &stroke->number);
    }
    if (!there) {
        return;
    }
    uint32_t base = list != NULL ? place_of(list, stroke->base) : 0;
    int32_t count = stroke->rows.count;
    stream_u32(s, &base);
    state_stream_stroke(s, stroke);
    stream_i32(s, &count);
    for (int32_t i = 0; i < count; ++i) {
        stroke_rows* r = &stroke->rows.data[i];
        int32_t places = r->place.count;
        stream_i32(s, &r->component);
        stream_i32(s, &places);
        for (int32_t k = 0; k < places; ++k) {
            state_stream_place(s, &r->place.data[k]);
        }
    }
}

static lim_result read_rows(stream* s, const lim_host* host, edit_stroke* stroke) {
    stroke_rows empty = {0};
    if (!ARRAY_PUSH(host, &stroke->rows, empty)) {
        return LIM_ERROR_MEMORY;
    }
    stroke_rows* r = &stroke->rows.data[stroke->rows.count - 1];
    int32_t places = 0;
    stream_i32(s, &r->component);
    stream_i32(s, &places);
    if (s->failed || r->component < 0 || r->component >= stroke->base->matter.component_count ||
        places < 0 || places % stroke->columns != 0 || !stream_has(s, places, 28)) {
        return LIM_ERROR_FORMAT;
    }
    for (int32_t k = 0; k < places; ++k) {
        blade_place place = {0};
        state_stream_place(s, &place);
        if (s->failed) {
            return LIM_ERROR_FORMAT;
        }
        if (!ARRAY_PUSH(host, &r->place, place)) {
            return LIM_ERROR_MEMORY;
        }
    }
    return LIM_OK;
}

lim_result state_read_stroke(stream* s, const lim_host* host, const topology_list* list,
                             edit_stroke* stroke) {
    bool there = false;
    stream_bool(s, &there);
    stream_u64(s, &stroke->number);
    if (s->failed || !there) {
        return s->failed ? LIM_ERROR_FORMAT : LIM_OK;
    }
    uint32_t base = 0;
    int32_t count = 0;
    stream_u32(s, &base);
    state_stream_stroke(s, stroke);
    stream_i32(s, &count);
    if (s->failed || base >= (uint32_t)list->count || count < 0 || !list->data[base]->kind->edits) {
        return LIM_ERROR_FORMAT;
    }
    stroke->base = list->data[base];
    topology_retain(stroke->base);
    for (int32_t i = 0; i < count; ++i) {
        LIM_TRY(read_rows(s, host, stroke));
    }
    return LIM_OK;
}
