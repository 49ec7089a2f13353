/* SPDX-License-Identifier: MIT
 * Job: a training that was interrupted, as bytes and back. In: the poses that are done, with
 * examples in full precision. Out: bytes that only the same scene and training takes. One function
 * names the fields for both ways.
 */
#include "base/hash.h"
#include "base/stream.h"
#include "train/trainer_inside.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t MAGIC = 0x3154524150424D4Cu; /* "LMBPART1" */
enum { HEAD = 24 };                                /* magic, key, checksum of what follows */

static void pass_doubles(stream* s, train_pose_report* r) {
    stream_f64(s, &r->residual);
    stream_i32(s, &r->iterations);
    stream_f64(s, &r->detail);
}

static float* pass_floats(stream* s, arena* a, const float* there, int64_t count) {
    float* value = (float*)(uintptr_t)there;
    if (s->mode == STREAM_READ) {
        value = stream_has(s, count, sizeof *value) ? ARENA_ARRAY(a, float, count) : NULL;
        s->failed = s->failed || value == NULL;
    }
    if (!s->failed) {
        stream_floats(s, value, count);
    }
    return value;
}

static void pass_field(stream* s, arena* a, detail_field* f, int32_t blocks) {
    bool reads = s->mode == STREAM_READ;
    int32_t* block = (int32_t*)(uintptr_t)f->block;
    stream_i32(s, &f->count);
    s->failed = s->failed || f->count < 0 || f->count > blocks;
    if (reads && !s->failed) {
        block = stream_has(s, f->count, sizeof *block) ? ARENA_ARRAY(a, int32_t, f->count) : NULL;
        s->failed = s->failed || block == NULL;
    }
    if (s->failed) {
        return;
    }
    stream_array(s, block, f->count, sizeof *block);
    for (int32_t i = 0; i < f->count; ++i) {
        s->failed =
            s->failed || block[i] < 0 || block[i] >= blocks || (i > 0 && block[i] <= block[i - 1]);
    }
    f->block = block;
    f->value = pass_floats(s, a, f->value, (int64_t)f->count * DETAIL_BLOCK);
}

static void pass_vec(stream* s, lim_vec3* v) {
    stream_f32(s, &v->x);
    stream_f32(s, &v->y);
    stream_f32(s, &v->z);
}

static void pass_result(stream* s, const trainer* t, train_result* r) {
    uint32_t status = (uint32_t)r->report.status;
    stream_u32(s, &status);
    s->failed = s->failed || status > TRAIN_FAILED;
    if (s->failed || status == TRAIN_WAITING) {
        return;
    }
    r->report.status = (train_status)status;
    pass_doubles(s, &r->report);
    if (status == TRAIN_DONE) {
        detail_example* e = &r->example;
        stream_f32(s, &e->size);
        pass_vec(s, &e->point);
        pass_vec(s, &e->normal);
        e->way = pass_floats(s, &r->mem, e->way, displacement_width(t->nodes));
        pass_field(s, &r->mem, &e->field, detail_blocks(t->points));
        pass_field(s, &r->mem, &e->stamp, detail_blocks(t->grid.side * t->grid.side));
    }
}

lim_result trainer_keep(const trainer* t, unsigned char** out, size_t* out_size) {
    stream count = stream_count();
    for (int32_t i = 0; i < t->count; ++i) {
        pass_result(&count, t, &t->result[i]);
    }
    *out_size = HEAD + count.at;
    *out = malloc(*out_size);
    LIM_TRY_MEMORY(*out);
    stream s = stream_write(*out + HEAD);
    for (int32_t i = 0; i < t->count; ++i) {
        pass_result(&s, t, &t->result[i]);
    }
    uint64_t magic = MAGIC, key = t->key, sum = hash_bytes(key, *out + HEAD, count.at);
    s = stream_write(*out);
    stream_u64(&s, &magic);
    stream_u64(&s, &key);
    stream_u64(&s, &sum);
    return LIM_OK;
}

lim_result trainer_resume(trainer* t, const unsigned char* bytes, size_t size) {
    stream s = stream_read(bytes, size);
    uint64_t magic = 0, key = 0, sum = 0;
    stream_u64(&s, &magic);
    stream_u64(&s, &key);
    stream_u64(&s, &sum);
    if (s.failed || magic != MAGIC || sum != hash_bytes(key, bytes + HEAD, size - HEAD)) {
        return LIM_ERROR_FORMAT;
    }
    if (key != t->key) {
        return LIM_ERROR_ARGUMENT;
    }
    s = stream_read(bytes + HEAD, size - HEAD);
    for (int32_t i = 0; i < t->count && !s.failed; ++i) {
        pass_result(&s, t, &t->result[i]);
    }
    if (s.failed) {
        for (int32_t i = 0; i < t->count; ++i) {
            t->result[i].report.status = TRAIN_WAITING;
        }
        return LIM_ERROR_FORMAT;
    }
    return LIM_OK;
}
