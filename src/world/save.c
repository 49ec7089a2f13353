/* SPDX-License-Identifier: MIT
 * Job: a world as bytes. In: a world. Out: a sealed head, every topology once with its length,
 * every asset of a collider once, then the state (world/state.h).
 */
#include "world/save.h"

#include "world/container.h"
#include "world/state.h"

static void put(stream* s, const lim_world* world, const topology_list* list) {
    uint32_t count = (uint32_t)list->count;
    stream_u32(s, &count);
    for (int32_t i = 0; i < list->count; ++i) {
        uint64_t length = topology_bytes(list->data[i]);
        stream_u64(s, &length);
        if (s->mode == STREAM_WRITE) {
            topology_write(list->data[i], s->out + s->at);
        }
        s->at += length;
    }
    uint32_t assets = (uint32_t)list->asset_count;
    stream_u32(s, &assets);
    for (int32_t i = 0; i < list->asset_count; ++i) {
        asset_write(s, list->asset[i]);
    }
    state_write(s, world, list);
}

static lim_result save(const lim_world* world, unsigned char* out, size_t capacity,
                       size_t* out_size) {
    topology_list list;
    if (topology_list_of(world, &list) != LIM_OK) {
        return log_fail(&world->host, LIM_ERROR_MEMORY,
                        "lim_world_save: the host gave no memory; nothing was written");
    }
    stream count = stream_count();
    count.at = CONTAINER_HEAD;
    put(&count, world, &list);
    lim_result result = LIM_OK;
    if (out != NULL && capacity < count.at) {
        result = log_fail(&world->host, LIM_ERROR_ARGUMENT,
                          "lim_world_save: capacity is %zu; give %zu bytes", capacity, count.at);
    } else if (out != NULL) {
        stream s = stream_write(out);
        s.at = CONTAINER_HEAD;
        put(&s, world, &list);
        container_seal(out, s.at, SAVE_KIND);
    }
    if (out_size != NULL) {
        *out_size = count.at;
    }
    topology_list_free(&list, &world->host);
    return result;
}

lim_result lim_world_save(const lim_world* world, void* out, size_t capacity, size_t* out_size) {
    if (world == NULL ||
        (out == NULL && !world_given(world, "lim_world_save", "out_size", out_size))) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(save(world, out, capacity, out_size));
}
