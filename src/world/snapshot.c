/* SPDX-License-Identifier: MIT
 * Job: keep a moment of a world in memory and go back to it. In: a world. Out: its state as bytes
 * with references to topologies and assets; user pointers beside. Ids that were given out after the
 * moment belong to a future that is gone: the same calls give the same ids again.
 */
#include "world/state.h"

struct lim_snapshot {
    lim_host host;
    world_identity* identity; /* of the world it came from */
    topology_list topologies; /* one reference each */
    size_t size;
    unsigned char* bytes;
    int32_t body_count, collider_count; /* user pointers, per slot */
    void **body_user, **collider_user;
};

static lim_result allocate(const lim_world* world, lim_snapshot* shot) {
    LIM_TRY(topology_list_of(world, &shot->topologies));
    topology_list_retain(&shot->topologies);
    stream count = stream_count();
    state_write(&count, world, &shot->topologies);
    shot->size = count.at;
    shot->bytes = mem_alloc(&shot->host, shot->size, 1);
    LIM_TRY_MEMORY(shot->bytes);
    shot->body_count = world->body_slots.count;
    shot->collider_count = world->collider_slots.count;
    shot->body_user = mem_alloc(&shot->host, (size_t)shot->body_count, sizeof(void*));
    shot->collider_user = mem_alloc(&shot->host, (size_t)shot->collider_count, sizeof(void*));
    bool there = (shot->body_user != NULL || shot->body_count == 0) &&
                 (shot->collider_user != NULL || shot->collider_count == 0);
    return there ? LIM_OK : LIM_ERROR_MEMORY;
}

static lim_result create(const lim_world* world, lim_snapshot** out) {
    lim_snapshot* shot = mem_alloc(&world->host, 1, sizeof *shot);
    lim_result result = LIM_ERROR_MEMORY;
    if (shot != NULL) {
        shot->host = world->host;
        shot->identity = world->identity;
        shot->identity->references++;
        result = allocate(world, shot);
    }
    if (result != LIM_OK) {
        lim_snapshot_destroy(shot);
        return log_fail(&world->host, result,
                        "lim_snapshot_create: the host gave no memory; nothing was kept");
    }
    stream s = stream_write(shot->bytes);
    state_write(&s, world, &shot->topologies);
    for (int32_t i = slots_next(&world->body_slots, 0); i >= 0;
         i = slots_next(&world->body_slots, (int64_t)i + 1)) {
        shot->body_user[i] = world->bodies[i]->body.user;
    }
    for (int32_t i = slots_next(&world->collider_slots, 0); i >= 0;
         i = slots_next(&world->collider_slots, (int64_t)i + 1)) {
        shot->collider_user[i] = world->colliders[i].user;
    }
    *out = shot;
    return LIM_OK;
}

lim_result lim_snapshot_create(const lim_world* world, lim_snapshot** out_snapshot) {
    if (out_snapshot != NULL) {
        *out_snapshot = NULL;
    }
    if (!world_given(world, "lim_snapshot_create", "out_snapshot", out_snapshot)) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(create(world, out_snapshot));
}

static lim_result restore(lim_world* world, const lim_snapshot* shot) {
    if (shot->identity != world->identity) {
        return log_fail(
            &world->host, LIM_ERROR_ARGUMENT,
            "lim_snapshot_restore: the snapshot is of another world; use lim_world_save "
            "and lim_world_load between worlds");
    }
    state_plan plan;
    stream s = stream_read(shot->bytes, shot->size);
    lim_result result = state_plan_read(&plan, &s, world, &shot->topologies);
    if (result != LIM_OK) {
        return log_fail(&world->host, result, "lim_snapshot_restore: nothing was changed (%s)",
                        lim_result_name(result));
    }
    state_plan_commit(&plan, world, shot->bytes, shot->size);
    for (int32_t i = slots_next(&world->body_slots, 0); i >= 0;
         i = slots_next(&world->body_slots, (int64_t)i + 1)) {
        world->bodies[i]->body.user = shot->body_user[i];
    }
    for (int32_t i = slots_next(&world->collider_slots, 0); i >= 0;
         i = slots_next(&world->collider_slots, (int64_t)i + 1)) {
        world->colliders[i].user = shot->collider_user[i];
    }
    return LIM_OK;
}

lim_result lim_snapshot_restore(lim_world* world, const lim_snapshot* snapshot) {
    if (!world_given(world, "lim_snapshot_restore", "snapshot", snapshot)) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(restore(world, snapshot));
}

size_t lim_snapshot_size(const lim_snapshot* snapshot) {
    if (snapshot == NULL) {
        return 0;
    }
    return sizeof *snapshot + snapshot->size +
           (size_t)snapshot->topologies.capacity * sizeof(topology*) +
           (size_t)snapshot->topologies.asset_capacity * sizeof(collider_asset*) +
           ((size_t)snapshot->body_count + (size_t)snapshot->collider_count) * sizeof(void*);
}

void lim_snapshot_destroy(lim_snapshot* snapshot) {
    if (snapshot == NULL) {
        return;
    }
    lim_host host = snapshot->host;
    topology_list_release(&snapshot->topologies, &host);
    mem_free(&host, snapshot->bytes, snapshot->size, 1);
    mem_free(&host, snapshot->body_user, (size_t)snapshot->body_count, sizeof(void*));
    mem_free(&host, snapshot->collider_user, (size_t)snapshot->collider_count, sizeof(void*));
    world_identity_release(snapshot->identity, &host);
    mem_free(&host, snapshot, 1, sizeof *snapshot);
}
