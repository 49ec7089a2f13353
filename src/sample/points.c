/* SPDX-License-Identifier: MIT
 * Job: points become nodes. In: given points or those of a surface. Out: a sampling without cells:
 * distinct places, what links them, how much of the volume each stands for.
 */
#include "sample/points.h"

#include "base/log.h"
#include "base/sort.h"
#include "mesh/nearest.h"

#include <string.h>

/* Sides and areas below these shares of the mean count as them: no node weighs nothing. */
#define LEAST_AREA 1e-3
#define LEAST_SIDE 1e-2

typedef struct maker {
    arena* a;
    const lim_mesh* mesh;
    int32_t place_count; /* candidates */
    const lim_vec3* place;
    int32_t* place_node;
    bool own; /* the surface's own points */
    sampling* s;
} maker;

/* ---- nodes ------------------------------------------------------------------------------------
 */

static lim_result unit_places(arena* a, const lim_mesh* mesh, const lim_model_desc* desc,
                              const lim_host* host, lim_vec3** out) {
    lim_vec3* unit = ARENA_ARRAY(a, lim_vec3, desc->point_count);
    LIM_TRY_MEMORY(unit);
    for (int32_t i = 0; i < desc->point_count; ++i) {
        const double* p = desc->points + 3 * (size_t)i;
        lim_point at =
            p3((p[0] - mesh->origin.x) / mesh->size, (p[1] - mesh->origin.y) / mesh->size,
               (p[2] - mesh->origin.z) / mesh->size);
        if (!(fabs(at.x) <= 1e3 && fabs(at.y) <= 1e3 && fabs(at.z) <= 1e3)) {
            return log_fail(host, LIM_ERROR_ARGUMENT,
                            "lim_model_create: point %d is (%g, %g, %g); give finite places in the "
                            "mesh's frame, near the mesh",
                            (int)i, p[0], p[1], p[2]);
        }
        unit[i] = v3_of(at);
    }
    *out = unit;
    return LIM_OK;
}

static uint64_t float_bits(float x) {
    union {
        float f;
        uint32_t u;
    } bits = {.f = x + 0.0f}; /* -0 becomes 0 */
    return bits.u;
}

static bool same_place(lim_vec3 a, lim_vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* place_node = the first candidate at the same place. */
static lim_result find_first(maker* m) {
    int32_t n = m->place_count;
    sort_item* item = ARENA_ARRAY(m->a, sort_item, n);
    sort_item* spare = ARENA_ARRAY(m->a, sort_item, n);
    LIM_TRY_MEMORY(item);
    LIM_TRY_MEMORY(spare);
    for (int32_t i = 0; i < n; ++i) {
        item[i] = (sort_item){float_bits(m->place[i].z), i, 0};
    }
    sort_items(item, spare, n);
    for (int32_t i = 0; i < n; ++i) {
        lim_vec3 p = m->place[item[i].value];
        item[i].key = float_bits(p.x) << 32 | float_bits(p.y);
    }
    sort_items(item, spare, n);
    for (int32_t i = 0; i < n; ++i) {
        int32_t here = item[i].value;
        bool same = i > 0 && same_place(m->place[item[i - 1].value], m->place[here]);
        m->place_node[here] = same ? m->place_node[item[i - 1].value] : here;
    }
    return LIM_OK;
}

static lim_result make_nodes(maker* m, const lim_host* host) {
    sampling* s = m->s;
    m->place_node = ARENA_ARRAY(m->a, int32_t, m->place_count);
    LIM_TRY_MEMORY(m->place_node);
    LIM_TRY(find_first(m));
    for (int32_t i = 0; i < m->place_count; ++i) {
        s->node_count += m->place_node[i] == i;
    }
    int32_t n = s->node_count;
    s->key = ARENA_ARRAY(m->a, uint64_t, n);
    s->fragment = ARENA_ARRAY(m->a, uint16_t, n);
    s->centroid = ARENA_ARRAY(m->a, lim_vec3, n);
    s->volume = ARENA_ARRAY(m->a, float, n);
    s->side = ARENA_ARRAY(m->a, float, n);
    s->level = ARENA_ARRAY(m->a, int32_t, n);
    s->piece = ARENA_ARRAY(m->a, int32_t, n);
    s->component = ARENA_ARRAY(m->a, int32_t, n);
    if (s->key == NULL || s->fragment == NULL || s->centroid == NULL || s->volume == NULL ||
        s->side == NULL || s->level == NULL || s->piece == NULL || s->component == NULL) {
        return LIM_ERROR_MEMORY;
    }
    int32_t node = 0;
    for (int32_t i = 0; i < m->place_count; ++i) {
        if (m->place_node[i] == i) {
            s->centroid[node] = m->place[i];
            m->place_node[i] = node++;
        } else {
            m->place_node[i] = m->place_node[m->place_node[i]];
        }
    }
    s->centre = s->centroid;
    if (n < m->place_count) {
        log_say(host, LIM_LOG_INFO, "points: %d of %d lie at the place of another and were merged",
                (int)(m->place_count - n), (int)m->place_count);
    }
    return LIM_OK;
}

/* ---- links ------------------------------------------------------------------------------------
 */

/* Rows from pairs (lower << 32 | higher), which may repeat. */
static lim_result link_pairs(maker* m, sort_item* pair, int32_t count) {
    sampling* s = m->s;
    sort_item* spare = ARENA_ARRAY(m->a, sort_item, count);
    s->edge_offset = ARENA_ARRAY(m->a, int32_t, s->node_count + 1);
    LIM_TRY_MEMORY(spare);
    LIM_TRY_MEMORY(s->edge_offset);
    sort_items(pair, spare, count);
    int32_t kept = 0;
    for (int32_t i = 0; i < count; ++i) {
        if (i == 0 || pair[i].key != pair[i - 1].key) {
            spare[kept++] = pair[i];
        }
    }
    for (int32_t i = 0; i < kept; ++i) {
        s->edge_offset[(spare[i].key >> 32) + 1]++;
        s->edge_offset[(spare[i].key & 0xFFFFFFFFu) + 1]++;
    }
    for (int32_t i = 0; i < s->node_count; ++i) {
        s->edge_offset[i + 1] += s->edge_offset[i];
    }
    s->edge_node = ARENA_ARRAY(m->a, int32_t, 2 * (size_t)kept);
    s->edge_length = ARENA_ARRAY(m->a, uint16_t, 2 * (size_t)kept);
    int32_t* fill = ARENA_ARRAY(m->a, int32_t, s->node_count);
    LIM_TRY_MEMORY(s->edge_node);
    LIM_TRY_MEMORY(s->edge_length);
    LIM_TRY_MEMORY(fill);
    memcpy(fill, s->edge_offset, (size_t)s->node_count * sizeof(int32_t));
    /* Pairs ascend in (lower, higher). The lower neighbours of a node come first, then the higher
     * ones: both in order. */
    for (int32_t i = 0; i < kept; ++i) {
        s->edge_node[fill[spare[i].key & 0xFFFFFFFFu]++] = (int32_t)(spare[i].key >> 32);
    }
    for (int32_t i = 0; i < kept; ++i) {
        s->edge_node[fill[spare[i].key >> 32]++] = (int32_t)(spare[i].key & 0xFFFFFFFFu);
    }
    return LIM_OK;
}

static uint64_t pair_of(int32_t a, int32_t b) {
    return (uint64_t)(a < b ? a : b) << 32 | (uint64_t)(a < b ? b : a);
}

static double distance_of(const sampling* s, int32_t a, int32_t b) {
    return p3_length(p3_sub(p3_of(s->centroid[a]), p3_of(s->centroid[b])));
}

static lim_result link_triangles(maker* m) {
    const lim_mesh* mesh = m->mesh;
    if (mesh->triangle_count > INT32_MAX / 6) {
        return LIM_ERROR_TOO_LARGE;
    }
    sort_item* pair = ARENA_ARRAY(m->a, sort_item, 3 * (size_t)mesh->triangle_count);
    LIM_TRY_MEMORY(pair);
    int32_t count = 0;
    for (int32_t i = 0; i < 3 * mesh->triangle_count; ++i) {
        int32_t a = m->place_node[mesh->triangle_point[i]];
        int32_t b = m->place_node[mesh->triangle_point[i % 3 == 2 ? i - 2 : i + 1]];
        if (a != b) {
            pair[count++] = (sort_item){.key = pair_of(a, b)};
        }
    }
    LIM_TRY(link_pairs(m, pair, count));
    sampling* s = m->s;
    for (int32_t i = 0; i < s->node_count; ++i) {
        int32_t begin = s->edge_offset[i], end = s->edge_offset[i + 1];
        double sum = 0.0;
        for (int32_t e = begin; e < end; ++e) {
            sum += distance_of(s, i, s->edge_node[e]);
        }
        s->side[i] = end > begin ? (float)(sum / (end - begin)) : 0.0f;
    }
    return LIM_OK;
}

static lim_result link_nearest(maker* m) {
    enum { SIDE_OF = 3 };
    sampling* s = m->s;
    nearest_tree tree;
    LIM_TRY(nearest_build(m->a, s->centroid, s->node_count, &tree));
    if (s->node_count > INT32_MAX / (2 * POINTS_NEAR)) {
        return LIM_ERROR_TOO_LARGE;
    }
    sort_item* pair = ARENA_ARRAY(m->a, sort_item, (size_t)POINTS_NEAR * (size_t)s->node_count);
    LIM_TRY_MEMORY(pair);
    int32_t count = 0;
    for (int32_t i = 0; i < s->node_count; ++i) {
        nearest_found near[POINTS_NEAR + 1]; /* no two are at one place: the first is itself */
        double sum = 0.0;
        int32_t found = nearest_find(&tree, s->centroid[i], POINTS_NEAR + 1, near) - 1;
        int32_t used = found < SIDE_OF ? found : SIDE_OF;
        for (int32_t k = 1; k <= found; ++k) {
            pair[count++] = (sort_item){.key = pair_of(i, near[k].point)};
            sum += k <= used ? sqrt(near[k].distance2) : 0.0;
        }
        s->side[i] = used > 0 ? (float)(sum / used) : 0.0f;
    }
    return link_pairs(m, pair, count);
}

/* Sides within reason, their mean as the cell, and the links' lengths in halves of it. */
static void measure_links(sampling* s) {
    double sum = 0.0;
    for (int32_t i = 0; i < s->node_count; ++i) {
        sum += (double)s->side[i];
    }
    double mean = sum > 0.0 ? sum / s->node_count : 1.0;
    s->cell_size = (float)mean;
    for (int32_t i = 0; i < s->node_count; ++i) {
        double side = (double)s->side[i];
        s->side[i] = side > LEAST_SIDE * mean ? s->side[i] : (float)(LEAST_SIDE * mean);
        for (int32_t e = s->edge_offset[i]; e < s->edge_offset[i + 1]; ++e) {
            double halves = 2.0 * distance_of(s, i, s->edge_node[e]) / mean + 0.5;
            s->edge_length[e] = (uint16_t)(halves < 1.0       ? 1.0
                                           : halves < 65535.0 ? halves
                                                              : 65535.0);
        }
    }
}

/* What links join, numbered by the lowest node. */
static lim_result find_parts(maker* m) {
    sampling* s = m->s;
    int32_t* stack = ARENA_ARRAY(m->a, int32_t, s->node_count);
    LIM_TRY_MEMORY(stack);
    memset(s->component, 0xFF, (size_t)s->node_count * sizeof(int32_t));
    for (int32_t i = 0; i < s->node_count; ++i) {
        if (s->component[i] >= 0) {
            continue;
        }
        int32_t count = 1, part = s->component_count++;
        stack[0] = i;
        s->component[i] = part;
        while (count > 0) {
            int32_t at = stack[--count];
            for (int32_t e = s->edge_offset[at]; e < s->edge_offset[at + 1]; ++e) {
                if (s->component[s->edge_node[e]] < 0) {
                    s->component[s->edge_node[e]] = part;
                    stack[count++] = s->edge_node[e];
                }
            }
        }
    }
    return LIM_OK;
}

/* ---- volumes ----------------------------------------------------------------------------------
 */

/* Of the mesh, unit space cubed; 0 when a part of it is open. */
static double closed_volume(const lim_mesh* mesh) {
    double sum = 0.0;
    for (int32_t p = 0; p < mesh->report.parts; ++p) {
        if (!mesh->part_closed[p]) {
            return 0.0;
        }
        sum += mesh->part_volume[p];
    }
    return sum > 0.0 ? sum : 0.0;
}

/* A third of the area of its triangles to each corner. */
static void share_areas(const maker* m, double* share) {
    const lim_mesh* mesh = m->mesh;
    for (int32_t t = 0; t < mesh->triangle_count; ++t) {
        const int32_t* p = mesh->triangle_point + 3 * (size_t)t;
        lim_point a = p3_of(mesh->point[p[0]]);
        lim_point n =
            p3_cross(p3_sub(p3_of(mesh->point[p[1]]), a), p3_sub(p3_of(mesh->point[p[2]]), a));
        for (int k = 0; k < 3; ++k) {
            share[m->place_node[p[k]]] += p3_length(n) / 6.0;
        }
    }
}

static lim_result share_volume(maker* m) {
    sampling* s = m->s;
    double* share = ARENA_ARRAY(m->a, double, s->node_count);
    LIM_TRY_MEMORY(share);
    double volume = closed_volume(m->mesh), sum = 0.0, raised = 0.0;
    if (m->own && volume > 0.0) {
        share_areas(m, share);
        for (int32_t i = 0; i < s->node_count; ++i) {
            sum += share[i];
        }
        for (int32_t i = 0; i < s->node_count; ++i) {
            double least = LEAST_AREA * sum / s->node_count;
            share[i] = share[i] > least ? share[i] : least;
            raised += share[i];
        }
    } else {
        for (int32_t i = 0; i < s->node_count; ++i) {
            double side = (double)s->side[i];
            share[i] = side * side * side;
            raised += share[i];
        }
    }
    double scale = volume > 0.0 ? volume / raised : 1.0;
    for (int32_t i = 0; i < s->node_count; ++i) {
        s->volume[i] = (float)(share[i] * scale);
    }
    return LIM_OK;
}

lim_result points_sample(arena* a, const lim_mesh* mesh, const lim_model_desc* desc,
                         const lim_host* host, sampling* out, int32_t** out_point_node) {
    *out = (sampling){.levels = 0};
    maker m = {.a = a, .mesh = mesh, .own = desc->points == NULL || mesh->triangle_count == 0};
    m.s = out;
    m.place_count = m.own ? mesh->point_count : desc->point_count;
    m.place = mesh->point;
    if (!m.own) {
        lim_vec3* unit = NULL;
        LIM_TRY(unit_places(a, mesh, desc, host, &unit));
        m.place = unit;
    }
    LIM_TRY(make_nodes(&m, host));
    LIM_TRY(m.own && mesh->triangle_count > 0 ? link_triangles(&m) : link_nearest(&m));
    measure_links(out);
    LIM_TRY(find_parts(&m));
    LIM_TRY(share_volume(&m));
    out->cell_count = out->node_count;
    *out_point_node = m.own ? m.place_node : NULL;
    return LIM_OK;
}
