/* SPDX-License-Identifier: MIT
 * Job: blades in turn. In: a topology, blades that may cross. Out: its skin cut by all of them. A
 * cut asks for a blade that does not cross itself (cut/cut.h), so those of each turn cut the skin
 * that the turn before has left. That is a topology that has a surface only: new vertices and
 * points go behind those that are there, so what a turn has made keeps its numbers, and the tails
 * of the last surface are what all blades together have made.
 */
#include "edit/turns.h"

#include "body/remake_surface.h"

#include <string.h>

typedef struct turning {
    arena* a;
    const topology* first;
    int32_t piece, inner_submesh;
    uint64_t stroke;
    surface_cut* done; /* by the blades of each turn that has cut */
    int32_t count;
} turning;

/* What a cut reads of a topology, after a cut of `from`. What is new belongs to the piece; which
 * part of it may be seen only when all blades have passed. */
static lim_result take_surface(const turning* s, const topology* from, const surface_change* change,
                               topology* out) {
    int32_t* old;
    topology_plan plan = {.from = from, .surface = change};
    out->rest_origin = from->rest_origin;
    LIM_TRY(remake_surface(out, s->a, &plan, &old));
    out->unit = from->unit;
    out->centre_of_mass = from->centre_of_mass;
    out->cell = from->cell;
    out->info.bounds = from->info.bounds;
    out->component_count = from->component_count;
    out->matter = s->first->matter; /* borrowed */
    out->bind.component = ARENA_ROOM(&out->mem, int32_t, out->bind.count);
    out->surface.source = ARENA_ROOM(&out->mem, int32_t, out->bind.count);
    LIM_TRY_MEMORY(out->bind.component);
    LIM_TRY_MEMORY(out->surface.source);
    for (int32_t i = 0; i < out->bind.count; ++i) {
        out->bind.component[i] = old[i] >= 0 ? from->bind.component[old[i]] : s->piece;
        out->surface.source[i] = i;
    }
    out->surface.triangle_count = out->felt_count;
    out->surface.corner = out->felt;
    return LIM_OK;
}

static lim_result turn(turning* s, const surface_change* change, turns* out) {
    topology next = {0};
    arena_init(&next.mem, &s->a->host);
    const topology* from = s->count > 1 ? &out->skin : s->first;
    lim_result result = take_surface(s, from, change, &next);
    arena_release(result == LIM_OK ? &out->skin.mem : &next.mem);
    if (result == LIM_OK) {
        out->skin = next;
    }
    return result;
}

/* ---- all blades as one --------------------------------------------------------------------------
 */

static lim_result join_blades(const turning* s, cut_blade* out) {
    const cut_blade** blade = arena_alloc(s->a, (size_t)s->count, sizeof *blade);
    LIM_TRY_MEMORY(blade);
    for (int32_t k = 0; k < s->count; ++k) {
        blade[k] = &s->done[k].blade;
    }
    return turns_join(s->a, blade, s->count, out);
}

/* Normals and sides by the last blade that came near. Those of a front inside stay 0: two faces
 * look at each other there, and the blades behind take it for skin. */
static lim_result join_points(const turning* s, surface_cut* out) {
    size_t skin = (size_t)(s->first->point_count - 1 + out->change.new_points);
    size_t points = skin + (size_t)out->change.felt_points;
    out->normal = ARENA_ARRAY(s->a, lim_vec3, points);
    out->side = ARENA_ARRAY(s->a, int8_t, points);
    uint8_t* front = ARENA_ARRAY(s->a, uint8_t, points);
    LIM_TRY_MEMORY(out->normal);
    LIM_TRY_MEMORY(out->side);
    LIM_TRY_MEMORY(front);
    size_t olds = (size_t)s->first->point_count - 1;
    for (int32_t k = 0; k < s->count; ++k) {
        const surface_cut* c = &s->done[k];
        size_t own = olds + (size_t)c->change.new_points, all = own + (size_t)c->change.felt_points;
        for (size_t i = 0; i < all; ++i) {
            size_t to = i < own ? i : skin + (i - own);
            lim_vec3 n = c->normal[i];
            bool is = n.x != 0.0f || n.y != 0.0f || n.z != 0.0f;
            out->normal[to] = is && !front[to] ? n : out->normal[to];
            out->side[to] = c->side[i] != 0 ? c->side[i] : out->side[to];
            front[to] |= i >= olds && i < own && !is && c->side[i] == 0;
        }
        olds = own;
    }
    return LIM_OK;
}

/* Of each new vertex the vertices before the first blade that it lies between: those of the one
 * that it is nearest to, where a blade has made it. */
static lim_result trace_sources(const turning* s, int32_t count, const lim_vertex_source* from,
                                const lim_vertex_source** out) {
    lim_vertex_source* traced = ARENA_ROOM(s->a, lim_vertex_source, count);
    LIM_TRY_MEMORY(traced);
    for (int32_t i = 0; i < count; ++i) {
        int best = 0;
        for (int k = 1; k < 3; ++k) {
            best = from[i].weight[k] > from[i].weight[best] ? k : best;
        }
        int32_t made = from[i].vertex[best] - s->first->vertex_count;
        traced[i] = made >= 0 ? traced[made] : from[i];
        for (int k = 0; k < 3; ++k) { /* one that hardly weighs */
            int32_t* vertex = &traced[i].vertex[k];
            *vertex = *vertex < s->first->vertex_count ? *vertex : traced[i].vertex[best];
        }
    }
    *out = traced;
    return LIM_OK;
}

static lim_result join_change(const turning* s, turns* out) {
    const topology *t = s->first, *end = &out->skin;
    size_t n = (size_t)t->vertex_count;
    surface_change* c = &out->cut.change;
    c->new_vertices = end->vertex_count - t->vertex_count;
    c->position = end->position + n;
    c->normal = end->normal + 3 * n;
    c->tangent = end->tangent != NULL ? end->tangent + 4 * n : NULL;
    c->uv = end->uv != NULL ? end->uv + 2 * n : NULL;
    c->colour = end->colour != NULL ? end->colour + 4 * n : NULL;
    for (int k = 0; k < ATTRIBUTES; ++k) {
        c->attribute[k] = end->attribute[k] != NULL ? end->attribute[k] + n : NULL;
    }
    c->vertex_point = end->vertex_point + n;
    c->new_points = end->point_count - t->point_count;
    c->point = end->skin_point + (t->point_count - 1);
    out->cut.source = end->source + t->source_count;
    return trace_sources(s, c->new_vertices, out->cut.source, &c->source);
}

static lim_result join(const turning* s, turns* out) {
    out->cut = s->done[s->count - 1];
    out->cut.cut_triangles = out->cut.inner_triangles = 0;
    for (int32_t k = 0; k < s->count; ++k) {
        out->cut.cut_triangles += s->done[k].cut_triangles;
        out->cut.inner_triangles += s->done[k].inner_triangles;
    }
    LIM_TRY(join_change(s, out));
    LIM_TRY(join_blades(s, &out->cut.blade));
    return join_points(s, &out->cut);
}

/* ---- turns --------------------------------------------------------------------------------------
 */

static bool is_no_cut(lim_result result) {
    return result == LIM_ERROR_UNSUPPORTED || result == LIM_ERROR_MESH;
}

/* Blades [begin, end) as one. */
static lim_result cut_as_one(turning* s, const turns_blades* b, int32_t begin, int32_t end,
                             turns* out) {
    cut_blade one = *b->blade[begin];
    if (end - begin > 1) {
        LIM_TRY(turns_join(s->a, b->blade + begin, end - begin, &one));
    }
    surface_cut* next = &s->done[s->count];
    LIM_TRY(surface_cut_make(s->a, s->count > 0 ? &out->skin : s->first, &one, s->piece, s->stroke,
                             s->inner_submesh, next));
    bool cuts = next->cut_triangles > 0 || next->inner_triangles > 0;
    for (int32_t k = begin; k < end; ++k) {
        b->has_cut[k] = cuts;
    }
    s->count += cuts;
    bool last = s->count == 1 && end == b->count; /* and the only one: nobody reads on */
    return cuts && !last ? turn(s, &next->change, out) : LIM_OK;
}

static lim_result cut_turn(turning* s, const turns_blades* b, int32_t begin, int32_t end,
                           turns* out) {
    lim_result result = cut_as_one(s, b, begin, end, out);
    for (int32_t k = begin; k < end && end - begin > 1 && is_no_cut(result); ++k) {
        lim_result alone = cut_as_one(s, b, k, k + 1, out);
        LIM_TRY(is_no_cut(alone) ? LIM_OK : alone);
    }
    return is_no_cut(result) ? LIM_OK : result;
}

lim_result turns_cut(arena* a, const topology* t, const turns_blades* blades, int32_t piece,
                     uint64_t stroke, int32_t inner_submesh, turns* out) {
    *out = (turns){0};
    arena_init(&out->skin.mem, &a->host);
    turning s = {.a = a,
                 .first = t,
                 .piece = piece,
                 .stroke = stroke,
                 .inner_submesh = inner_submesh,
                 .done = ARENA_ARRAY(a, surface_cut, blades->count)};
    LIM_TRY_MEMORY(s.done);
    memset(blades->has_cut, 0, (size_t)blades->count);
    for (int32_t begin = 0, end; begin < blades->count; begin = end) {
        end = begin + 1;
        while (end < blades->count && blades->turn[end] == blades->turn[begin]) {
            end++;
        }
        LIM_TRY(cut_turn(&s, blades, begin, end, out));
    }
    if (s.count > 1) {
        return join(&s, out);
    }
    out->cut = s.count > 0 ? s.done[0] : out->cut;
    return LIM_OK;
}

lim_result turns_join(arena* a, const cut_blade* const* blade, int32_t count, cut_blade* out) {
    int32_t points = 0, triangles = 0;
    for (int32_t k = 0; k < count; ++k) {
        points += blade[k]->point_count;
        triangles += blade[k]->triangle_count;
    }
    lim_point* point = ARENA_ROOM(a, lim_point, points);
    int32_t* triangle = ARENA_ROOM(a, int32_t, 3 * (size_t)triangles);
    LIM_TRY_MEMORY(point);
    LIM_TRY_MEMORY(triangle);
    points = triangles = 0;
    for (int32_t k = 0; k < count; ++k) {
        const cut_blade* b = blade[k];
        memcpy(point + points, b->point, (size_t)b->point_count * sizeof(lim_point));
        for (int32_t i = 0; i < 3 * b->triangle_count; ++i) {
            triangle[3 * (size_t)triangles + (size_t)i] = b->triangle[i] + points;
        }
        points += b->point_count;
        triangles += b->triangle_count;
    }
    *out = (cut_blade){points, triangles, point, triangle, NULL, false};
    return LIM_OK;
}

void turns_release(turns* t) {
    arena_release(&t->skin.mem);
}
