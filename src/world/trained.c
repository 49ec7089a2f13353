/* SPDX-License-Identifier: MIT
 * Job: trained detail at the border. In: bytes for a body; each step's state and presses. Out:
 * weights of examples per step, always; the skin with detail, when somebody asks.
 *
 * Weights are found after every step that a tool presses in, by the calling thread, whether or not
 * somebody asks: so the skin before the last step can still be made, and what is shown does not
 * depend on who asked before. Fields are blended and the skin is moved for who asks.
 */
#include "world/trained.h"

#include "world/world.h"

#include <string.h>

/* ---- making and ending ------------------------------------------------------------------------
 */

static lim_result create_moment(arena* a, const topology* t, int32_t examples, trained_moment* m) {
    size_t vertices = (size_t)t->vertex_count;
    LIM_TRY_MEMORY(m->weight = ARENA_ARRAY(a, float, (int64_t)TRAINED_PRESSES* examples));
    LIM_TRY_MEMORY(m->positions = ARENA_ARRAY(a, float, 3 * vertices));
    LIM_TRY_MEMORY(m->normals = ARENA_ARRAY(a, float, 3 * vertices));
    if (t->tangent != NULL) {
        LIM_TRY_MEMORY(m->tangents = ARENA_ARRAY(a, float, 4 * vertices));
    }
    return LIM_OK;
}

static lim_result create_room(world_trained* w, const topology* t) {
    arena* a = &w->mem;
    int64_t width = displacement_width(t->node_count);
    int64_t points = (int64_t)detail_blocks(t->point_count) * DETAIL_BLOCK;
    int64_t texels = (int64_t)detail_blocks(w->data.grid.side * w->data.grid.side) * DETAIL_BLOCK;
    LIM_TRY(trained_skin_build(a, t, &w->skin));
    LIM_TRY(detail_room_create(a, &w->skin, &w->room));
    LIM_TRY(trained_nodes_create(a, t, &w->nodes));
    LIM_TRY(trained_search_create(a, t, &w->search));
    LIM_TRY_MEMORY(w->u = ARENA_ARRAY(a, float, width));
    LIM_TRY_MEMORY(w->part = ARENA_ARRAY(a, float, width));
    LIM_TRY_MEMORY(w->product = ARENA_ARRAY(a, float, w->data.count));
    LIM_TRY_MEMORY(w->node_window = ARENA_ARRAY(a, float, t->node_count));
    LIM_TRY_MEMORY(w->point_window = ARENA_ARRAY(a, float, t->point_count));
    LIM_TRY_MEMORY(w->vector = ARENA_ARRAY(a, float, points));
    LIM_TRY_MEMORY(w->sum = ARENA_ARRAY(a, float, points));
    LIM_TRY_MEMORY(w->texels = ARENA_ARRAY(a, float, texels));
    for (int k = 0; k < 2; ++k) {
        LIM_TRY(create_moment(a, t, w->data.count, &w->moment[k]));
    }
    return LIM_OK;
}

static lim_result read_data(world_trained* w, const lim_host* host, const topology* t,
                            const void* bytes, size_t size) {
    arena* a = &w->mem;
    LIM_TRY(detail_data_load(a, bytes, size, trained_model(t), t->node_count, t->point_count, host,
                             &w->data));
    LIM_TRY(detail_data_examples(a, &w->data, &w->examples));
    LIM_TRY_MEMORY(w->field = ARENA_ARRAY(a, detail_field, w->data.count));
    LIM_TRY_MEMORY(w->stamp = ARENA_ARRAY(a, detail_field, w->data.count));
    for (int32_t i = 0; i < w->data.count; ++i) {
        w->field[i] = w->data.example[i].field;
        w->stamp[i] = w->data.example[i].stamp;
    }
    return create_room(w, t);
}

lim_result world_trained_create(const lim_world* world, const body* b, const void* bytes,
                                size_t size, world_trained** out) {
    const lim_host* host = &world->host;
    world_trained* made = mem_alloc(host, 1, sizeof *made);
    LIM_TRY_MEMORY(made);
    arena_init(&made->mem, host);
    made->fresh = true;
    made->front = b->skin_front;
    lim_result result = read_data(made, host, b->topology, bytes, size);
    if (result != LIM_OK) {
        world_trained_free(host, made);
        return result;
    }
    *out = made;
    return LIM_OK;
}

void world_trained_free(const lim_host* host, world_trained* t) {
    if (t != NULL) {
        arena_release(&t->mem);
        mem_free(host, t, 1, sizeof *t);
    }
}

void world_trained_drop(const lim_world* world, int32_t index) {
    world_body* w = world->bodies[index];
    if (w->trained != NULL) {
        world_trained_free(&world->host, w->trained);
        w->trained = NULL;
        log_say(&world->host, LIM_LOG_WARNING,
                "body %d has other nodes now: its trained detail was taken off; give it detail "
                "that was trained on its model of now, or none",
                index);
    }
}

void world_trained_forget(world_trained* t) {
    if (t != NULL) {
        memset(t->press, 0, sizeof t->press);
        t->fresh = true;
        t->moment[0].count = t->moment[1].count = 0;
    }
}

static lim_result set_trained(lim_world* world, lim_body id, const void* bytes, size_t size) {
    world_body* w = world_body_of(world, "lim_body_set_trained_detail", id);
    if (w == NULL) {
        return LIM_ERROR_ID;
    }
    world_trained* made = NULL;
    if (bytes != NULL) {
        lim_result result = world_trained_create(world, &w->body, bytes, size, &made);
        if (result == LIM_ERROR_MEMORY) {
            return log_fail(&world->host, result,
                            "lim_body_set_trained_detail: the host gave no memory; nothing has "
                            "changed");
        }
        LIM_TRY(result);
    }
    world_trained_free(&world->host, w->trained);
    w->trained = made;
    for (int k = 0; k < 2; ++k) {
        w->between[k].made = false;
    }
    return LIM_OK;
}

lim_result lim_body_set_trained_detail(lim_world* world, lim_body id, const void* bytes,
                                       size_t size) {
    if (world == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    WORLD_BORDER(set_trained(world, id, bytes, size));
}

/* ---- weights ----------------------------------------------------------------------------------
 */

static void take_presses(const world_trained* t, trained_moment* m) {
    m->count = 0;
    for (int32_t i = 0; i < TRAINED_PRESSES; ++i) {
        const trained_press* p = &t->press[i];
        if (p->strength > 0.0f) {
            m->press[m->count++] = (detail_press){p->spot.point, p->spot.normal, p->strength};
        }
    }
}

/* The examples' weights for each press, of the body as it is. */
static void weigh(const lim_world* world, world_body* w) {
    world_trained* t = w->trained;
    trained_moment* m = &t->moment[t->front];
    m->made = false;
    take_presses(t, m);
    if (m->count == 0) {
        return;
    }
    int32_t nodes = w->body.topology->node_count;
    trained_nodes_update(&w->body, &t->nodes);
    float size = displacement_of(&t->nodes.nodes, t->u), most = 0.0f;
    for (int32_t k = 0; k < m->count; ++k) {
        const float* u = t->u;
        float own = size, *weight = m->weight + (size_t)k * (size_t)t->data.count;
        if (m->count > 1) {
            press_window(m->press, m->count, k, t->data.grid.radius, t->nodes.nodes.x0, nodes,
                         t->node_window);
            own = press_part(t->u, t->node_window, nodes, t->part);
            u = t->part;
        }
        detail_correlate(world->set, &t->examples, u, own, t->product, weight);
        for (int32_t i = 0; i < t->data.count; ++i) {
            most = weight[i] > most ? weight[i] : most;
        }
    }
    m->count = most > 0.0f ? m->count : 0;
}

void world_trained_update(lim_world* world, double dt) {
    for (int32_t i = slots_next(&world->body_slots, 0); i >= 0;
         i = slots_next(&world->body_slots, (int64_t)i + 1)) {
        world_body* w = world->bodies[i];
        if (w->trained != NULL && w->moved) {
            trained_presses_update(world, w, dt);
            w->trained->front = w->body.skin_front;
            weigh(world, w);
        }
    }
}

void world_trained_refresh(const lim_world* world, world_body* w) {
    if (w->trained != NULL) {
        w->trained->front = w->body.skin_front;
        weigh(world, w);
    }
}

/* ---- the skin ---------------------------------------------------------------------------------
 */

static float smooth(float x) {
    return x * x * (3.0f - 2.0f * x);
}

/* The detail of all presses, in the axes of the rest shape. */
static void blend(const lim_world* world, world_trained* t, const trained_moment* m) {
    int32_t points = t->skin.point_count, count = t->data.count;
    int32_t texels = t->data.grid.side * t->data.grid.side;
    const float* const rest[3] = {t->skin.rest[0], t->skin.rest[1], t->skin.rest[2]};
    memset(t->sum, 0, (size_t)detail_blocks(points) * DETAIL_BLOCK * sizeof *t->sum);
    for (int32_t k = 0; k < m->count; ++k) {
        const detail_press* p = &m->press[k];
        const float* weight = m->weight + (size_t)k * (size_t)count;
        bool whole = m->count == 1 && p->strength >= 1.0f;
        press_window(m->press, m->count, k, t->data.grid.radius, rest, points, t->point_window);
        float strength = smooth(p->strength);
        for (int32_t i = 0; i < points; ++i) {
            t->point_window[i] *= strength;
        }
        detail_blend(world->set, t->field, weight, count, detail_blocks(points), t->vector);
        detail_blend(world->set, t->stamp, weight, count, detail_blocks(texels), t->texels);
        detail_layer layer = {.window = whole ? NULL : t->point_window,
                              .vector = t->vector,
                              .grid = &t->data.grid,
                              .texels = t->texels,
                              .place = stamp_at(&t->data.grid, p->point, p->normal)};
        detail_add(&t->skin, &layer, t->sum);
    }
}

world_shown world_trained_show(const lim_world* world, world_body* w, const body_skin* plain,
                               bool now) {
    world_trained* t = w->trained;
    trained_moment* m = t != NULL ? &t->moment[now ? t->front : 1 - t->front] : NULL;
    if (m == NULL || m->count == 0) {
        return (world_shown){plain->positions, plain->normals, plain->tangents, plain->origin};
    }
    if (!m->made) {
        size_t vertices = (size_t)w->body.topology->vertex_count;
        memcpy(m->positions, plain->positions, 3 * vertices * sizeof(float));
        memcpy(m->normals, plain->normals, 3 * vertices * sizeof(float));
        if (m->tangents != NULL) {
            memcpy(m->tangents, plain->tangents, 4 * vertices * sizeof(float));
        }
        blend(world, t, m);
        detail_move(&t->skin, t->sum, (float)body_metres(&w->body), &t->room, m->positions,
                    m->normals, m->tangents);
        m->made = true;
    }
    return (world_shown){m->positions, m->normals, m->tangents, plain->origin};
}
