/* SPDX-License-Identifier: MIT
 * Job: a world from bytes that may be anything. In: bytes. Out: a world that steps on as the saved
 * one would have, or an error and nothing held. Head and checksum first, then every topology
 * (body/topology_valid.c) and asset (contact/asset.c), then the state (world/state.c), each count
 * and index checked.
 */
#include "world/container.h"
#include "world/save.h"
#include "world/state.h"

static lim_result read_topologies(stream* s, const lim_host* host, topology_list* out) {
    uint32_t count = 0;
    stream_u32(s, &count);
    if (s->failed || !stream_has(s, count, sizeof(uint64_t)) || count > INT32_MAX / 8) {
        return LIM_ERROR_FORMAT;
    }
    if (count == 0) {
        return LIM_OK;
    }
    out->data = mem_alloc(host, count, sizeof *out->data);
    LIM_TRY_MEMORY(out->data);
    out->capacity = (int32_t)count;
    for (uint32_t i = 0; i < count; ++i) {
        uint64_t length = 0;
        stream_u64(s, &length);
        if (s->failed || length > s->size - s->at) {
            return LIM_ERROR_FORMAT;
        }
        LIM_TRY(topology_read(s->in + s->at, (size_t)length, host, &out->data[i]));
        out->count++;
        s->at += (size_t)length;
    }
    return LIM_OK;
}

static lim_result read_assets(stream* s, const lim_host* host, topology_list* out) {
    uint32_t count = 0;
    stream_u32(s, &count);
    if (s->failed || !stream_has(s, count, 7 * sizeof(uint32_t)) || count > INT32_MAX / 8) {
        return LIM_ERROR_FORMAT;
    }
    if (count == 0) {
        return LIM_OK;
    }
    out->asset = mem_alloc(host, count, sizeof *out->asset);
    LIM_TRY_MEMORY(out->asset);
    out->asset_capacity = (int32_t)count;
    for (uint32_t i = 0; i < count; ++i) {
        LIM_TRY(asset_read(s, host, &out->asset[i]));
        out->asset_count++;
    }
    return LIM_OK;
}

static lim_result read_world(stream* s, lim_world* world) {
    topology_list list = {0};
    lim_result result = read_topologies(s, &world->host, &list);
    result = result == LIM_OK ? read_assets(s, &world->host, &list) : result;
    if (result == LIM_OK) {
        state_plan plan;
        result = state_plan_read(&plan, s, world, &list);
        if (result == LIM_OK) {
            state_plan_commit(&plan, world, s->in, s->size);
        }
    }
    topology_list_release(&list, &world->host);
    return result;
}

static lim_result load(const unsigned char* bytes, size_t size, int32_t worker_count,
                       const lim_host* host, lim_world** out) {
    check c = check_begin(host, "lim_world_load");
    check_integer(&c, "workers", worker_count, 1, 64, "a number from 1 to 64");
    LIM_TRY(c.result);
    LIM_TRY(container_open(bytes, size, SAVE_KIND, "lim_world_load", host));
    lim_world* world = NULL;
    world_settings none = {.substeps = 1};
    LIM_TRY(world_make(&none, worker_count, host, &world));
    stream s = stream_read(bytes, size);
    s.at = CONTAINER_HEAD;
    lim_result result = read_world(&s, world);
    if (result != LIM_OK) {
        lim_world_destroy(world);
        return log_fail(host, result,
                        result == LIM_ERROR_MEMORY
                            ? "lim_world_load: the host gave no memory; nothing was made"
                            : "lim_world_load: counts, indices or values are impossible; the bytes "
                              "were not made by lim_world_save");
    }
    *out = world;
    return LIM_OK;
}

lim_result lim_world_load(const void* bytes, size_t size, int32_t worker_count,
                          const lim_host* host, lim_world** out_world) {
    if (out_world != NULL) {
        *out_world = NULL;
    }
    if (bytes == NULL || out_world == NULL) {
        return log_fail(host, LIM_ERROR_ARGUMENT,
                        "lim_world_load: bytes or out_world is null; give both");
    }
    WORLD_BORDER(load(bytes, size, worker_count, host, out_world));
}
