/* SPDX-License-Identifier: MIT
 * Job: trained detail to bytes and back. In: examples, or bytes of anybody's. Out: bytes, or
 * examples whose every number has been looked at. One function names the fields for both ways.
 *
 * Floats of an array are stored as halves of their largest: each array has a scale of its own.
 */
#include "detail/detail_data.h"

#include "base/hash.h"
#include "base/log.h"
#include "base/stream.h"
#include "detail/displacement.h"
#include "math/half.h"

#include <math.h>
#include <string.h>

static const char LETTERS[8] = {'L', 'I', 'M', 'T', 'R', 'A', 'I', 'N'};

typedef struct pass {
    stream s;
    arena* a; /* reading: where arrays go */
    bool no_memory;
    int32_t nodes, points; /* reading: of the model that it is for */
} pass;

static bool reads(const pass* p) {
    return p->s.mode == STREAM_READ;
}

/* Reading: count of an array that follows, 0 to most, and there are bytes for it. */
static void pass_count(pass* p, int32_t* count, int32_t most, size_t width) {
    stream_i32(&p->s, count);
    if (reads(p) && (*count < 0 || *count > most || !stream_has(&p->s, *count, width))) {
        p->s.failed = true;
        *count = 0;
    }
}

static void* array_for(pass* p, const void* there, int64_t count, size_t width) {
    if (!reads(p)) {
        return (void*)(uintptr_t)there; /* written from, not to */
    }
    void* made = p->s.failed ? NULL : arena_alloc(p->a, (size_t)count, width);
    p->no_memory = p->no_memory || (made == NULL && !p->s.failed);
    p->s.failed = p->s.failed || made == NULL;
    return made;
}

/* Halves of `scale`; both ways through a small window. */
static void pass_halves(pass* p, float scale, float* value, int64_t count) {
    uint16_t half[64];
    for (int64_t at = 0; at < count && !p->s.failed; at += 64) {
        int64_t some = count - at < 64 ? count - at : 64;
        for (int64_t i = 0; i < some && !reads(p); ++i) {
            half[i] = scale > 0.0f ? half_of_float(value[at + i] / scale) : 0;
        }
        stream_array(&p->s, half, some, sizeof *half);
        for (int64_t i = 0; i < some && reads(p); ++i) {
            float x = half_to_float(half[i]);
            p->s.failed = p->s.failed || !(x >= -1.0f && x <= 1.0f);
            value[at + i] = x * scale;
        }
    }
}

static float largest(const float* value, int64_t count) {
    float most = 0.0f;
    for (int64_t i = 0; i < count; ++i) {
        most = fabsf(value[i]) > most ? fabsf(value[i]) : most;
    }
    return most;
}

static void pass_scale(pass* p, float* scale, const float* value, int64_t count) {
    *scale = reads(p) ? 0.0f : largest(value, count);
    stream_f32(&p->s, scale);
    p->s.failed = p->s.failed || !(*scale >= 0.0f && *scale < 1e30f);
}

static void pass_field(pass* p, detail_field* f, int32_t blocks) {
    pass_count(p, &f->count, blocks, sizeof *f->block + 2 * DETAIL_BLOCK);
    int32_t* block = array_for(p, f->block, f->count, sizeof *block);
    float* value = array_for(p, f->value, (int64_t)f->count * DETAIL_BLOCK, sizeof *value);
    if (p->s.failed) {
        return;
    }
    stream_array(&p->s, block, f->count, sizeof *block);
    for (int32_t i = 0; i < f->count; ++i) {
        bool known = block[i] >= 0 && block[i] < blocks && (i == 0 || block[i] > block[i - 1]);
        p->s.failed = p->s.failed || !known;
    }
    float scale;
    pass_scale(p, &scale, value, (int64_t)f->count * DETAIL_BLOCK);
    pass_halves(p, scale, value, (int64_t)f->count * DETAIL_BLOCK);
    f->block = block;
    f->value = value;
}

static void pass_vec(pass* p, lim_vec3* v) {
    stream_f32(&p->s, &v->x);
    stream_f32(&p->s, &v->y);
    stream_f32(&p->s, &v->z);
}

static void need(pass* p, bool good) {
    p->s.failed = p->s.failed || (reads(p) && !good);
}

static bool is_unit(lim_vec3 v) {
    return fabsf(v3_dot(v, v) - 1.0f) < 1e-3f;
}

/* Displacements lie padded in memory and closely in the file; read, they are made unit again. */
static void pass_way(pass* p, detail_example* e, int32_t nodes) {
    int32_t stride = displacement_width(nodes) / 3;
    float scale;
    float* way = array_for(p, e->way, 3 * (int64_t)stride, sizeof *way);
    if (way == NULL) {
        return;
    }
    pass_scale(p, &scale, way, 3 * (int64_t)stride);
    double square = 0.0;
    for (int k = 0; k < 3; ++k) {
        pass_halves(p, scale, way + (size_t)k * (size_t)stride, nodes);
    }
    e->way = way;
    for (int32_t i = 0; i < 3 * stride && reads(p); ++i) {
        square += (double)way[i] * (double)way[i];
    }
    need(p, square > 0.25 && square < 4.0);
    for (int32_t i = 0; i < 3 * stride && reads(p) && !p->s.failed; ++i) {
        way[i] = (float)((double)way[i] / sqrt(square));
    }
}

static void pass_example(pass* p, detail_example* e, const detail_data* d) {
    stream_f32(&p->s, &e->size);
    need(p, e->size > 0.0f && e->size < 1e15f);
    pass_vec(p, &e->point);
    pass_vec(p, &e->normal);
    need(p, is_unit(e->normal));
    need(p, stream_has(&p->s, 3 * (int64_t)d->nodes, 2));
    pass_way(p, e, d->nodes);
    pass_field(p, &e->field, detail_blocks(d->points));
    pass_field(p, &e->stamp, detail_blocks(d->grid.side * d->grid.side));
}

static void pass_grid(pass* p, stamp_grid* g) {
    for (int k = 0; k < 3; ++k) {
        pass_vec(p, &g->axis[k]);
        need(p, is_unit(g->axis[k]));
    }
    lim_vec3 third = v3_cross(g->axis[0], g->axis[1]);
    need(p, v3_length(v3_sub(third, g->axis[2])) < 1e-3f);
    stream_i32(&p->s, &g->side);
    stream_f32(&p->s, &g->radius);
    stream_f32(&p->s, &g->inner);
    stream_f32(&p->s, &g->depth);
    need(p, g->side >= 2 && g->side <= 1024 && g->radius > 0.0f && g->inner >= 0.0f &&
                g->inner < g->radius && g->depth > 0.0f);
    if (p->s.failed) {
        g->side = 2;
    }
}

static void pass_body(pass* p, detail_data* d) {
    stream_u64(&p->s, &d->seed);
    stream_i32(&p->s, &d->nodes);
    stream_i32(&p->s, &d->points);
    if (reads(p) && (d->nodes != p->nodes || d->points != p->points)) {
        p->s.failed = true; /* nothing that follows can be meant for this model */
        return;
    }
    stream_f32(&p->s, &d->sigma);
    stream_f32(&p->s, &d->tau);
    stream_i32(&p->s, &d->most);
    need(p,
         d->sigma >= 0.001f && d->sigma <= 0.5f && d->tau > 0.0f && d->tau <= 1.0f && d->most >= 1);
    pass_grid(p, &d->grid);
    pass_count(p, &d->count, DETAIL_EXAMPLES_MOST, 1);
    d->example = array_for(p, d->example, d->count, sizeof *d->example);
    for (int32_t i = 0; i < d->count && !p->s.failed; ++i) {
        pass_example(p, &d->example[i], d);
    }
}

typedef struct head {
    unsigned char letters[8];
    uint32_t version, spare;
    uint64_t size, sum, model;
} head;

static void pass_head(stream* s, head* h) {
    stream_array(s, h->letters, 8, 1);
    stream_u32(s, &h->version);
    stream_u32(s, &h->spare);
    stream_u64(s, &h->size);
    stream_u64(s, &h->sum);
    stream_u64(s, &h->model);
}

void detail_data_seal(unsigned char* bytes, size_t size, uint64_t model) {
    head h = {.version = DETAIL_DATA_VERSION, .size = size, .model = model};
    memcpy(h.letters, LETTERS, 8);
    h.sum = hash_bytes(HASH_SEED ^ model, bytes + DETAIL_DATA_HEAD, size - DETAIL_DATA_HEAD);
    stream s = stream_write(bytes);
    pass_head(&s, &h);
}

size_t detail_data_save(const detail_data* data, unsigned char* out) {
    detail_data copy = *data;
    pass p = {.s = stream_count()};
    pass_body(&p, &copy);
    size_t size = DETAIL_DATA_HEAD + p.s.at;
    if (out != NULL) {
        p.s = stream_write(out + DETAIL_DATA_HEAD);
        pass_body(&p, &copy);
        detail_data_seal(out, size, data->model);
    }
    return size;
}

static lim_result open_head(const unsigned char* bytes, size_t size, uint64_t model,
                            const lim_host* host) {
    stream s = stream_read(bytes, size);
    head h = {.version = 0};
    pass_head(&s, &h);
    if (memcmp(h.letters, LETTERS, 8) != 0) {
        return log_fail(host, LIM_ERROR_FORMAT,
                        "detail: the bytes do not begin with LIMTRAIN; give a file that `limber "
                        "train` wrote");
    }
    if (!s.failed && h.version != DETAIL_DATA_VERSION) {
        return log_fail(host, LIM_ERROR_VERSION,
                        "detail: the file is of format %u, this library reads %d; train it anew",
                        h.version, DETAIL_DATA_VERSION);
    }
    if (s.failed || h.spare != 0 || h.size != size) {
        return log_fail(host, LIM_ERROR_FORMAT,
                        "detail: %llu bytes were written, %llu are here; give all of them",
                        (unsigned long long)h.size, (unsigned long long)size);
    }
    if (h.sum !=
        hash_bytes(HASH_SEED ^ h.model, bytes + DETAIL_DATA_HEAD, size - DETAIL_DATA_HEAD)) {
        return log_fail(host, LIM_ERROR_FORMAT,
                        "detail: the checksum is wrong; the file was damaged on its way");
    }
    if (h.model != model) {
        return log_fail(host, LIM_ERROR_ARGUMENT,
                        "detail: trained on another model (%016llx, this is %016llx); train it on "
                        "this one",
                        (unsigned long long)h.model, (unsigned long long)model);
    }
    return LIM_OK;
}

lim_result detail_data_load(arena* a, const unsigned char* bytes, size_t size, uint64_t model,
                            int32_t nodes, int32_t points, const lim_host* host, detail_data* out) {
    LIM_TRY(open_head(bytes, size, model, host));
    detail_data d = {.model = model};
    pass p = {.s = stream_read(bytes + DETAIL_DATA_HEAD, size - DETAIL_DATA_HEAD),
              .a = a,
              .nodes = nodes,
              .points = points};
    pass_body(&p, &d);
    if (p.no_memory) {
        return LIM_ERROR_MEMORY;
    }
    if (p.s.at >= 16 && (d.nodes != nodes || d.points != points)) {
        return log_fail(host, LIM_ERROR_ARGUMENT,
                        "detail: trained with %d nodes and %d points of skin, here are %d and %d; "
                        "train it on this model",
                        d.nodes, d.points, nodes, points);
    }
    if (p.s.failed || p.s.at != p.s.size) {
        return log_fail(host, LIM_ERROR_FORMAT,
                        "detail: what it says cannot be, though the checksum is right; train it "
                        "anew");
    }
    *out = d;
    return LIM_OK;
}

lim_result detail_data_examples(arena* a, const detail_data* d, detail_examples* out) {
    int32_t width = displacement_width(d->nodes);
    float* way = ARENA_ARRAY(a, float, (size_t)d->count*(size_t)width);
    float* size = ARENA_ARRAY(a, float, d->count);
    LIM_TRY_MEMORY(way);
    LIM_TRY_MEMORY(size);
    for (int32_t i = 0; i < d->count; ++i) {
        memcpy(way + (size_t)i * (size_t)width, d->example[i].way, (size_t)width * sizeof *way);
        size[i] = d->example[i].size;
    }
    *out = (detail_examples){d->count, width, way, size, d->sigma, d->tau, d->most};
    return LIM_OK;
}
