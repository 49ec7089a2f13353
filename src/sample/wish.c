/* SPDX-License-Identifier: MIT
 * Job: judge cells by the rules for their size. In: pieces, thickness of the material, a
 * descriptor. Out: by how much the edge of a piece's cell exceeds what is wished there.
 */
#include "sample/wish.h"

/* An edge this share above a wish is as wished: both are rounded. */
#define TOLERANCE 1e-5
enum { FRAGMENTS_MOST = 65536 }; /* pieces of one cell that a node's fragment number can tell */

static double edge_of(const wishes* w, int32_t level) {
    return w->tree->side * (double)(1 << (w->tree->finest - level)) * w->unit;
}

/* Least wish of a triangle's corners, or infinite. */
static float triangle_wish(const wishes* w, const lim_mesh* mesh, int32_t triangle) {
    float least = INFINITY;
    for (int k = 0; k < 3; ++k) {
        float wish = w->desc->vertex_size[mesh->triangle_vertex[3 * (size_t)triangle + (size_t)k]];
        least = wish > 0.0f && wish < least ? wish : least;
    }
    return least;
}

/* A triangle's wish goes to the fragments that its sub-voxels touch in each of its cells; to all
 * fragments of the cell where it touches none. */
static void spread_vertices(const wishes* w, const voxels* v, const fragments* f, float* wish) {
    for (int32_t i = 0; i < v->touch.count; ++i) {
        const voxel_touch* touch = &v->touch.data[i];
        float own = triangle_wish(w, v->mesh, touch->triangle);
        if (!isfinite(own)) {
            continue;
        }
        uint64_t near = mask_grow_all(touch->mask), met = 0;
        int32_t begin = f->cell_first[touch->cell], end = f->cell_first[touch->cell + 1];
        for (int32_t k = begin; k < end; ++k) {
            met |= f->mask[k] & near;
        }
        for (int32_t k = begin; k < end; ++k) {
            if ((met == 0 || (f->mask[k] & near) != 0) && own < wish[k]) {
                wish[k] = own;
            }
        }
    }
}

static lim_result vertex_wishes(arena* a, const voxels* v, const fragments* f, int32_t coarsest,
                                wishes* w) {
    for (int32_t l = w->tree->finest; l >= coarsest; --l) {
        const piece_level* level = &w->tree->level[l];
        w->vertex[l] = ARENA_ARRAY(a, float, level->count);
        LIM_TRY_MEMORY(w->vertex[l]);
        for (int32_t i = 0; i < level->count; ++i) {
            w->vertex[l][i] = INFINITY;
            for (int32_t k = l < w->tree->finest ? level->child_first[i] : 0;
                 l < w->tree->finest && k < level->child_first[i + 1]; ++k) {
                float child = w->vertex[l + 1][level->child[k]];
                w->vertex[l][i] = child < w->vertex[l][i] ? child : w->vertex[l][i];
            }
        }
        if (l == w->tree->finest) {
            spread_vertices(w, v, f, w->vertex[l]);
        }
    }
    return LIM_OK;
}

lim_result wishes_build(arena* a, const lim_model_desc* desc, const voxels* v, const fragments* f,
                        const visibility* see, const pieces* tree, int32_t coarsest, wishes* out) {
    *out = (wishes){.desc = desc,
                    .tree = tree,
                    .unit = v->mesh->size * desc->scale,
                    .origin = p3_scale(v->mesh->origin, desc->scale)};
    if (desc->vertex_size != NULL) {
        LIM_TRY(vertex_wishes(a, v, f, coarsest, out));
    }
    return thickness_build(a, tree, f, see, coarsest, (double)desc->cells_across, &out->thick);
}

/* Features: material thinner than cells_across cells, or in more than one piece. The wished edge is
 * the thickness over cells_across, but at most half of what there is. */
static double feature_excess(const wishes* w, int32_t level, int32_t piece) {
    const piece_level* l = &w->tree->level[level];
    bool alone = (piece == 0 || l->key[piece - 1] != l->key[piece]) &&
                 (piece + 1 == l->count || l->key[piece + 1] != l->key[piece]);
    if (w->thick.thick[level] == NULL || (w->thick.thick[level][piece] && alone)) {
        return 0.0;
    }
    double cells = (double)(1 << (w->tree->finest - level));
    double width = (double)w->thick.widest[level][piece] / (double)THICKNESS_UNIT;
    double excess = cells * (double)w->desc->cells_across / (width > 0.1 ? width : 0.1);
    return excess > 2.0 ? excess : 2.0;
}

/* Distance from the surface: of the outer side of the shallowest finest cell. */
static double surface_excess(const wishes* w, int32_t level, int32_t piece) {
    if (!(w->desc->surface_size > 0.0f)) {
        return 0.0;
    }
    double depth = (double)w->thick.shallow[level][piece] / (double)THICKNESS_UNIT - 0.5;
    double distance = depth > 0.0 ? depth * edge_of(w, w->tree->finest) : 0.0;
    return edge_of(w, level) /
           ((double)w->desc->surface_size + (double)w->desc->size_growth * distance);
}

static double outside(double x, double half) {
    double d = fabs(x) - half;
    return d > 0.0 ? d : 0.0;
}

/* Regions that the cell meets. */
static double interest_excess(const wishes* w, double edge, lim_point centre) {
    double excess = 0.0, half = 0.5 * edge;
    for (int32_t i = 0; i < w->desc->interest_count; ++i) {
        const lim_size_region* r = &w->desc->interest[i];
        lim_point d = p3_sub(centre, r->centre);
        bool meets;
        if (r->shape == LIM_SIZE_SPHERE) {
            lim_point out = p3(outside(d.x, half), outside(d.y, half), outside(d.z, half));
            meets = p3_length(out) <= (double)r->half.x;
        } else {
            meets = fabs(d.x) <= half + (double)r->half.x &&
                    fabs(d.y) <= half + (double)r->half.y && fabs(d.z) <= half + (double)r->half.z;
        }
        double own = meets && r->size > 0.0f ? edge / (double)r->size : 0.0;
        excess = own > excess ? own : excess;
    }
    return excess;
}

double wishes_excess(const wishes* w, int32_t level, int32_t piece) {
    const piece_level* l = &w->tree->level[level];
    if (piece >= FRAGMENTS_MOST && l->key[piece - FRAGMENTS_MOST] == l->key[piece]) {
        return INFINITY;
    }
    double edge = edge_of(w, level), side = edge / w->unit;
    octant o = octant_of(l->key[piece]);
    lim_point centre = p3_mad(w->tree->corner, p3(o.x + 0.5, o.y + 0.5, o.z + 0.5), side);
    centre = p3_mad(w->origin, centre, w->unit);
    double rules[5] = {feature_excess(w, level, piece), surface_excess(w, level, piece),
                       interest_excess(w, edge, centre)};
    if (w->vertex[level] != NULL) {
        rules[3] = edge / (double)w->vertex[level][piece];
    }
    if (w->desc->size_at != NULL) {
        double wish = (double)w->desc->size_at(w->desc->size_user, centre, (float)edge);
        rules[4] = wish > 0.0 ? edge / wish : 0.0;
    }
    double most = 0.0;
    for (int k = 0; k < 5; ++k) {
        most = rules[k] > most ? rules[k] : most;
    }
    return most > 1.0 + TOLERANCE ? most : 0.0;
}
