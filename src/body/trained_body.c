/* SPDX-License-Identifier: MIT
 * Job: a body as trained detail sees it. In: topology, state, a collider. Out: displaced nodes, the
 * skin at rest, the contact point at rest, a hash.
 */
#include "body/trained_body.h"

#include "base/hash.h"

/* Weights of a contact reach so far, as a share of the search's reach. */
#define NEAR 0.25f

lim_result trained_nodes_create(arena* a, const topology* t, trained_nodes* out) {
    float* mass = ARENA_ARRAY(a, float, t->node_count);
    float* share = ARENA_ARRAY(a, float, t->node_count);
    LIM_TRY_MEMORY(mass);
    LIM_TRY_MEMORY(share);
    for (int k = 0; k < 3; ++k) {
        LIM_TRY_MEMORY(out->x0[k] = ARENA_ARRAY(a, float, t->node_count));
        LIM_TRY_MEMORY(out->d[k] = ARENA_ARRAY(a, float, t->node_count));
        for (int32_t i = 0; i < t->node_count; ++i) {
            out->x0[k][i] = t->x0[k][t->node_slot[i]];
        }
    }
    for (int32_t i = 0; i < t->node_count; ++i) {
        mass[i] = t->mass[t->node_slot[i]];
    }
    displacement_shares(mass, t->node_count, share);
    out->nodes = (displaced_nodes){t->node_count,
                                   {out->x0[0], out->x0[1], out->x0[2]},
                                   {out->d[0], out->d[1], out->d[2]},
                                   share};
    return LIM_OK;
}

void trained_nodes_update(const body* b, trained_nodes* n) {
    const topology* t = b->topology;
    double metres = body_metres(b);
    for (int32_t i = 0; i < t->node_count; ++i) {
        int32_t slot = t->node_slot[i], piece = t->slot_component[slot];
        lim_point d = p3((double)b->d[0][slot], (double)b->d[1][slot], (double)b->d[2][slot]);
        if (piece > 0) {
            lim_point world =
                node_to_world(&b->components[piece], metres, body_slot_local(b, slot));
            d = p3_sub(node_to_local(&b->components[0], metres, world), body_slot_rest(t, slot));
        }
        n->d[0][i] = (float)d.x;
        n->d[1][i] = (float)d.y;
        n->d[2][i] = (float)d.z;
    }
}

lim_result trained_skin_build(arena* a, const topology* t, detail_skin* out) {
    float* place = ARENA_ARRAY(a, float, 3 * (int64_t)t->point_count);
    int32_t* triangle = ARENA_ARRAY(a, int32_t, 3 * (int64_t)t->triangle_count);
    LIM_TRY_MEMORY(place);
    LIM_TRY_MEMORY(triangle);
    for (int32_t i = 0; i < t->point_count; ++i) {
        for (size_t k = 0; k < 3; ++k) {
            place[3 * (size_t)i + k] = t->bind.rest[k][i];
        }
    }
    for (int64_t i = 0; i < 3 * (int64_t)t->triangle_count; ++i) {
        triangle[i] = t->vertex_point[t->indices[i]];
    }
    return detail_skin_build(a, place, t->point_count, t->vertex_point, t->normal, t->vertex_count,
                             triangle, t->triangle_count, out);
}

uint64_t trained_model(const topology* t) {
    uint64_t h = hash_u64(HASH_SEED, (uint64_t)t->node_count);
    for (int32_t i = 0; i < t->node_count; ++i) {
        int32_t slot = t->node_slot[i];
        const float node[4] = {t->x0[0][slot], t->x0[1][slot], t->x0[2][slot], t->mass[slot]};
        h = hash_bytes(h, node, sizeof node);
    }
    for (int k = 0; k < 3; ++k) {
        h = hash_bytes(h, t->bind.rest[k], (size_t)t->point_count * sizeof(float));
    }
    h = hash_bytes(h, t->vertex_point, (size_t)t->vertex_count * sizeof(int32_t));
    return hash_bytes(h, t->indices, 3 * (size_t)t->triangle_count * sizeof(uint32_t));
}

lim_result trained_search_create(arena* a, const topology* t, trained_search* out) {
    int64_t room = ((int64_t)t->point_count + 7) / 8 * 8 + 8;
    LIM_TRY_MEMORY(out->order = ARENA_ARRAY(a, int32_t, room));
    for (int k = 0; k < 3; ++k) {
        LIM_TRY_MEMORY(out->place[k] = ARENA_ARRAY(a, float, room));
    }
    return LIM_OK;
}

/* Points of the skin that have triangles, within `reach` of `about`; and the nearest of them all.
 */
static int32_t find_near(const detail_skin* s, lim_vec3 about, float reach, int32_t* order,
                         int32_t* nearest) {
    int32_t count = 0;
    float least = INFINITY;
    *nearest = -1;
    for (int32_t i = 0; i < s->point_count; ++i) {
        lim_vec3 way = v3_sub(v3(s->rest[0][i], s->rest[1][i], s->rest[2][i]), about);
        float square = v3_dot(way, way);
        if (s->fan_start[i + 1] == s->fan_start[i]) {
            continue;
        }
        if (square < least) {
            least = square;
            *nearest = i;
        }
        if (square < reach * reach) {
            order[count++] = i;
        }
    }
    return count;
}

bool trained_contact(const body* b, const detail_skin* skin, const collider* c, lim_vec3 about,
                     float reach, isa set, const trained_search* room, trained_spot* out) {
    const topology* t = b->topology;
    node_state nodes = body_nodes(b);
    double metres = body_metres(b), margin = (double)(NEAR * reach) * metres;
    int32_t nearest, count = find_near(skin, about, reach, room->order, &nearest);
    skin_place_some(&t->bind, &nodes, set, room->order, 0, count, room->place);
    lim_point point = p3(0, 0, 0), normal = point;
    double sum = 0.0;
    for (int32_t k = 0; k < count; ++k) {
        int32_t i = room->order[k];
        const component* frame = &b->components[t->bind.component[i]];
        lim_point local =
            p3((double)room->place[0][k], (double)room->place[1][k], (double)room->place[2][k]);
        double gap = collider_gap(c, node_to_world(frame, metres, local));
        double away = gap > 0.0 ? gap / margin : 0.0;
        if (away < 1.0) {
            double w = (1.0 - away) * (1.0 - away);
            sum += w;
            point = p3_mad(point, p3_of(bindings_rest(&t->bind, i)), w);
            normal = p3_mad(normal, p3_of(skin->normal[i]), w);
        }
    }
    lim_vec3 facing = nearest >= 0 ? skin->normal[nearest] : v3(0, 1, 0);
    *out = (trained_spot){about, facing};
    if (sum > 0.0) {
        out->point = v3_of(p3_scale(point, 1.0 / sum));
        out->normal = v3_unit(v3_of(p3_scale(normal, 1.0 / sum)), facing);
    }
    return sum > 0.0;
}

bool trained_is_tool(const body* b, const collider* c) {
    double size = (double)v3_length(c->size);
    switch (c->shape) {
    case LIM_SHAPE_PLANE:
    case LIM_SHAPE_HEIGHTS:
        return false;
    case LIM_SHAPE_SPHERE:
        size = (double)c->size.x;
        break;
    case LIM_SHAPE_CAPSULE:
        size = (double)c->size.x + (double)c->size.y;
        break;
    case LIM_SHAPE_BOX:
        break;
    case LIM_SHAPE_HULL:
    case LIM_SHAPE_MESH:
        size = 0.5 * p3_length(p3_sub(c->asset->upper, c->asset->lower));
        break;
    }
    return size < (double)b->topology->extent * body_metres(b);
}
