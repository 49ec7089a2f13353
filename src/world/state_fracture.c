/* SPDX-License-Identifier: MIT
 * Job: what tears a body, as state. In: a lim_fracture with its zones. Out: fields of a stream, and
 * back. A body that does not tear is a flag, and nothing in a hash. The number of strokes, which
 * says how blades lie, is in the hash of one that tears.
 */
#include "world/state.h"

static void stream_limits(stream* s, lim_fracture* f) {
    stream_f32(s, &f->strain);
    stream_i32(s, &f->most);
    stream_i32(s, &f->inner_submesh);
    stream_i32(s, &f->zone_count);
}

static void stream_zone(stream* s, lim_zone* z) {
    int32_t shape = (int32_t)z->shape;
    stream_i32(s, &shape);
    s->failed = s->failed || shape < LIM_SHAPE_PLANE || shape > LIM_SHAPE_HEIGHTS;
    z->shape = s->failed ? LIM_SHAPE_SPHERE : (lim_shape)shape;
    stream_f64(s, &z->position.x);
    stream_f64(s, &z->position.y);
    stream_f64(s, &z->position.z);
    stream_floats(s, &z->orientation.x, 4);
    stream_floats(s, &z->size.x, 3);
    stream_f32(s, &z->fade);
    stream_f32(s, &z->stiffness);
}

void state_write_fracture(stream* s, world_body* b) {
    lim_fracture* f = &b->fracture;
    if (s->mode == STREAM_HASH && !b->fragile) {
        return;
    }
    stream_bool(s, &b->fragile);
    if (!b->fragile) {
        return;
    }
    if (s->mode == STREAM_HASH) {
        stream_u64(s, &b->stroke.number);
    }
    stream_limits(s, f);
    for (int32_t i = 0; i < f->zone_count; ++i) {
        lim_zone z = f->zones[i];
        stream_zone(s, &z);
    }
}

lim_result state_read_fracture(stream* s, const lim_host* host, world_body* b) {
    enum { ZONE_BYTES = 64 };
    stream_bool(s, &b->fragile);
    if (s->failed || !b->fragile) {
        return s->failed ? LIM_ERROR_FORMAT : LIM_OK;
    }
    lim_fracture f = lim_fracture_default();
    stream_limits(s, &f);
    if (s->failed || f.zone_count < 0 || !stream_has(s, f.zone_count, ZONE_BYTES)) {
        return LIM_ERROR_FORMAT;
    }
    lim_zone* zones = NULL;
    if (f.zone_count > 0) {
        zones = mem_alloc(host, (size_t)f.zone_count, sizeof *zones);
        LIM_TRY_MEMORY(zones);
    }
    for (int32_t i = 0; i < f.zone_count; ++i) {
        zones[i].density = 1.0f;
        stream_zone(s, &zones[i]);
    }
    f.zones = zones;
    b->fracture = f;
    check c = check_begin(NULL, "");
    check_fracture(&c, &f, INT32_MAX);
    return s->failed || c.result != LIM_OK ? LIM_ERROR_FORMAT : LIM_OK;
}
