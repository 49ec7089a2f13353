/* SPDX-License-Identifier: MIT
 * Job: how far places are from a deformed surface. In: a surface's net and where its points are.
 * Out: boxes over boxes of points; the nearest triangle, side and distance. The search goes to the
 * nearest point through the boxes, then over the triangles at it and on from triangle to triangle
 * while that leads nearer.
 */
#include "contact/felt_surface.h"

enum { WALK_MOST = 16 }; /* triangles from the nearest point on */
/* Cosine: points and triangles that look less against each other than this are not met. */
#define LOOKS_AGAINST (-0.1f)
/* How far beyond the rim of a face, in longest sides, the face still counts, for who is not deep
 * below it. */
#define RIM 0.1f

int32_t surface_groups(const surface_net* net, int32_t first[SURFACE_LEVELS], int32_t* out_levels) {
    int32_t count = net->group_count, total = 0, levels = 0;
    while (count > 0 && levels < SURFACE_LEVELS) {
        if (first != NULL) {
            first[levels] = total;
        }
        total += count;
        levels++;
        count = count == 1 ? 0 : count / 8 + (count % 8 != 0);
    }
    *out_levels = levels;
    return total;
}

/* The eight boxes of a finest group: each of eight points. */
static void boxes_of_points(const surface_shape* s, int32_t index) {
    surface_group* g = &s->group[index];
    for (int box = 0; box < 8; ++box) {
        const int32_t* point = s->net->order + 64 * (size_t)index + 8 * (size_t)box;
        for (int k = 0; k < 3; ++k) {
            const float* at = s->at[k];
            float low = at[point[0]], high = low;
            for (int i = 1; i < 8; ++i) {
                float x = at[point[i]];
                low = x < low ? x : low;
                high = x > high ? x : high;
            }
            g->low[k][box] = low;
            g->high[k][box] = high;
        }
    }
}

static lim_vec3 point_at(const surface_shape* s, int32_t point) {
    return v3(s->at[0][point], s->at[1][point], s->at[2][point]);
}

static lim_vec3 triangle_cross(const surface_shape* s, int32_t triangle) {
    const int32_t* corner = s->net->corner + 3 * (size_t)triangle;
    lim_vec3 a = point_at(s, corner[0]);
    return v3_cross(v3_sub(point_at(s, corner[1]), a), v3_sub(point_at(s, corner[2]), a));
}

static lim_vec3 fan_normal(const surface_shape* s, int32_t point) {
    lim_vec3 sum = v3(0, 0, 0);
    for (int32_t e = s->net->fan_offset[point]; e < s->net->fan_offset[point + 1]; ++e) {
        sum = v3_add(sum, triangle_cross(s, s->net->fan[e]));
    }
    return v3_unit(sum, v3(0, 0, 0));
}

static bool is_known(const surface_shape* s, lim_vec3 at) {
    return at.x >= s->low.x && at.y >= s->low.y && at.z >= s->low.z && at.x <= s->high.x &&
           at.y <= s->high.y && at.z <= s->high.z;
}

lim_vec3 surface_normal(const surface_shape* s, int32_t point) {
    return is_known(s, point_at(s, point))
               ? v3(s->look[0][point], s->look[1][point], s->look[2][point])
               : fan_normal(s, point);
}

/* Normals of the points in the known part. */
static void find_normals(surface_shape* s) {
    for (int32_t i = 0; i < s->net->group_count; ++i) {
        const surface_group* g = &s->group[i];
        for (int box = 0; box < 8; ++box) {
            if (g->high[0][box] < s->low.x || g->high[1][box] < s->low.y ||
                g->high[2][box] < s->low.z || g->low[0][box] > s->high.x ||
                g->low[1][box] > s->high.y || g->low[2][box] > s->high.z) {
                continue;
            }
            for (int k = 0; k < 8; ++k) {
                int32_t point = s->net->order[64 * (size_t)i + 8 * (size_t)box + (size_t)k];
                if (is_known(s, point_at(s, point))) {
                    lim_vec3 n = fan_normal(s, point);
                    s->look[0][point] = n.x;
                    s->look[1][point] = n.y;
                    s->look[2][point] = n.z;
                }
            }
        }
    }
}

void surface_shape_update(surface_shape* s) {
    int32_t count = s->net->group_count;
    for (int32_t i = 0; i < count; ++i) {
        boxes_of_points(s, i);
    }
    for (int32_t level = 1; level < s->levels; ++level) {
        const surface_group* from = s->group + s->first[level - 1];
        int32_t parents = count / 8 + (count % 8 != 0);
        for (int32_t i = 0; i < 8 * parents; ++i) {
            /* the last group again where there is none: found twice, kept once */
            surface_group_around(from + (i < count ? i : count - 1),
                                 s->group + s->first[level] + i / 8, i % 8);
        }
        count = parents;
    }
    find_normals(s);
}

typedef struct nearest_search {
    const surface_shape* shape;
    const surface_query* query;
    float best; /* squared distance */
    int32_t point;
} nearest_search;

/* A point that does not look against who asks is of another side. */
static bool counts(const nearest_search* q, int32_t point) {
    if (q->query->skips != NULL && q->query->skips(q->query->context, point)) {
        return false;
    }
    lim_vec3 look = q->query->look;
    return v3_dot(look, look) == 0.0f ||
           v3_dot(surface_normal(q->shape, point), look) < LOOKS_AGAINST;
}

static void search_points(nearest_search* q, int32_t eight) {
    const int32_t* point = q->shape->net->order + 8 * (size_t)eight;
    for (int i = 0; i < 8; ++i) {
        lim_vec3 r = v3_sub(point_at(q->shape, point[i]), q->query->at);
        float square = v3_dot(r, r);
        if (square < q->best && counts(q, point[i])) {
            q->best = square;
            q->point = point[i];
        }
    }
}

/* Squared distances to the eight boxes of a group. */
static void box_distances(const surface_group* g, lim_vec3 at, float square[8]) {
    for (int i = 0; i < 8; ++i) {
        float x = g->low[0][i] - at.x, y = g->low[1][i] - at.y, z = g->low[2][i] - at.z;
        float far_x = at.x - g->high[0][i], far_y = at.y - g->high[1][i],
              far_z = at.z - g->high[2][i];
        x = x > far_x ? x : far_x;
        y = y > far_y ? y : far_y;
        z = z > far_z ? z : far_z;
        x = x > 0.0f ? x : 0.0f;
        y = y > 0.0f ? y : 0.0f;
        z = z > 0.0f ? z : 0.0f;
        square[i] = x * x + y * y + z * z;
    }
}

bool surface_may_reach(const surface_shape* s, lim_vec3 at, float reach) {
    if (s->levels == 0) {
        return false;
    }
    float square[8], least = HUGE_VALF, far = reach + 0.6f * s->stretch * s->net->longest;
    box_distances(&s->group[s->first[s->levels - 1]], at, square);
    for (int i = 0; i < 8; ++i) {
        least = square[i] < least ? square[i] : least;
    }
    return least < far * far;
}

/* The nearest boxes first: most of the others are too far by then. */
static void search_group(nearest_search* q, int32_t level, int32_t index) {
    const surface_shape* s = q->shape;
    float square[8];
    box_distances(&s->group[s->first[level] + index], q->query->at, square);
    int32_t count = level > 0 ? s->first[level] - s->first[level - 1] : 0;
    for (int done = 0; done < 8; ++done) {
        int next = 0;
        for (int i = 1; i < 8; ++i) {
            next = square[i] < square[next] ? i : next;
        }
        if (!(square[next] < q->best)) {
            return;
        }
        int32_t child = 8 * index + next;
        if (level == 0) {
            search_points(q, child);
        } else if (child < count) { /* the last was repeated to fill the group */
            search_group(q, level - 1, child);
        }
        square[next] = HUGE_VALF;
    }
}

/* The nearest place of one triangle, in float: differences of near points lose nothing. */
typedef struct triangle_place {
    float square;
    float weight[3];
    lim_vec3 point, cross; /* cross: normal times twice the area */
} triangle_place;

static float share_of(lim_vec3 from, lim_vec3 side) {
    float length = v3_dot(side, side);
    float share = length > 0.0f ? v3_dot(from, side) / length : 0.0f;
    return share < 0.0f ? 0.0f : share > 1.0f ? 1.0f : share;
}

static void try_side(triangle_place* p, const lim_vec3 c[3], int k, lim_vec3 at) {
    int next = k == 2 ? 0 : k + 1;
    lim_vec3 side = v3_sub(c[next], c[k]);
    float share = share_of(v3_sub(at, c[k]), side);
    lim_vec3 point = v3_mad(c[k], side, share), r = v3_sub(at, point);
    float square = v3_dot(r, r);
    if (square < p->square) {
        p->square = square;
        p->point = point;
        p->weight[k] = 1.0f - share;
        p->weight[next] = share;
        p->weight[k == 0 ? 2 : k - 1] = 0.0f;
    }
}

static triangle_place nearest_on(const surface_shape* s, int32_t triangle, lim_vec3 at) {
    const int32_t* corner = s->net->corner + 3 * (size_t)triangle;
    const lim_vec3 c[3] = {point_at(s, corner[0]), point_at(s, corner[1]), point_at(s, corner[2])};
    lim_vec3 u = v3_sub(c[1], c[0]), v = v3_sub(c[2], c[0]), w = v3_sub(at, c[0]);
    triangle_place p = {.square = HUGE_VALF, .weight = {1, 0, 0}, .cross = v3_cross(u, v)};
    float nn = v3_dot(p.cross, p.cross);
    if (nn > 0.0f) {
        float wb = v3_dot(v3_cross(w, v), p.cross) / nn, wc = v3_dot(v3_cross(u, w), p.cross) / nn;
        if (wb >= 0.0f && wc >= 0.0f && wb + wc <= 1.0f) {
            float height = v3_dot(w, p.cross) / nn;
            p.point = v3_mad(at, p.cross, -height);
            p.square = height * height * nn;
            p.weight[0] = 1.0f - wb - wc;
            p.weight[1] = wb;
            p.weight[2] = wc;
            return p;
        }
    }
    for (int k = 0; k < 3; ++k) {
        try_side(&p, c, k, at);
    }
    return p;
}

typedef struct triangle_search {
    const surface_shape* shape;
    lim_vec3 at, look;
    triangle_place place;
    int32_t triangle;
    lim_vec3 outward; /* sum of the unit normals of all triangles that are equally near */
} triangle_search;

/* True when it is the nearest so far. A corner or a side that several triangles share is as near
 * through each of them. */
static bool try_triangle(triangle_search* best, int32_t triangle) {
    triangle_place p = nearest_on(best->shape, triangle, best->at);
    lim_vec3 normal = v3_unit(p.cross, v3(0, 0, 0)), look = best->look;
    if (v3_dot(look, look) > 0.0f && !(v3_dot(normal, look) < LOOKS_AGAINST)) {
        return false;
    }
    float tie = 1e-5f * best->place.square;
    if (best->triangle < 0 || p.square < best->place.square - tie) {
        best->place = p;
        best->triangle = triangle;
        best->outward = normal;
        return true;
    }
    if (p.square <= best->place.square + tie && triangle != best->triangle) {
        best->outward = v3_add(best->outward, normal);
    }
    return false;
}

static void try_fan(triangle_search* best, int32_t point) {
    const surface_net* net = best->shape->net;
    for (int32_t e = net->fan_offset[point]; e < net->fan_offset[point + 1]; ++e) {
        try_triangle(best, net->fan[e]);
    }
}

/* From the triangles at a point on to their neighbours, while that leads nearer. */
static void walk_triangles(triangle_search* best, int32_t point) {
    const surface_net* net = best->shape->net;
    try_fan(best, point);
    for (int step = 0; step < WALK_MOST && best->triangle >= 0; ++step) {
        int32_t from = best->triangle;
        for (int k = 0; k < 3; ++k) {
            int32_t next = net->neighbour[3 * (size_t)from + (size_t)k];
            if (next >= 0) {
                try_triangle(best, next);
            }
        }
        /* On a rim the next one may be around a corner. */
        for (int k = 0; k < 3 && best->triangle == from; ++k) {
            if (best->place.weight[k] < 0.001f) {
                try_fan(best, net->corner[3 * (size_t)from + (size_t)((k + 1) % 3)]);
                try_fan(best, net->corner[3 * (size_t)from + (size_t)((k + 2) % 3)]);
            }
        }
        if (best->triangle == from) {
            break;
        }
    }
}

/* The way out at the nearest place. On a side two triangles may say it, at a corner all those that
 * are as near: one of them alone may look away from a place that is outside. */
static lim_vec3 outward_of(const triangle_search* found) {
    const surface_net* net = found->shape->net;
    const int32_t* corner = net->corner + 3 * (size_t)found->triangle;
    const int32_t* neighbour = net->neighbour + 3 * (size_t)found->triangle;
    triangle_search around = {
        .shape = found->shape, .at = found->at, .look = found->look, .triangle = -1};
    for (int k = 0; k < 3; ++k) {
        if (found->place.weight[k] > 0.999f) {
            try_fan(&around, corner[k]);
            return v3_unit(around.outward, v3(0, 1, 0));
        }
    }
    try_triangle(&around, found->triangle);
    for (int k = 0; k < 3; ++k) {
        if (found->place.weight[k] < 0.001f && neighbour[(k + 1) % 3] >= 0) {
            try_triangle(&around, neighbour[(k + 1) % 3]);
        }
    }
    return v3_unit(around.outward, v3(0, 1, 0));
}

surface_hit surface_nearest(const surface_shape* s, const surface_query* query) {
    surface_hit hit = {.triangle = -1};
    if (s->levels == 0 || !v3_finite(query->at)) {
        return hit;
    }
    /* no place of a triangle is farther than 0.58 of its longest side from a corner */
    float side = s->stretch * s->net->longest, far = query->reach + 0.6f * side;
    nearest_search q = {.shape = s, .query = query, .best = far * far, .point = -1};
    search_group(&q, s->levels - 1, 0);
    triangle_search found = {.shape = s, .at = query->at, .look = query->look, .triangle = -1};
    if (q.point >= 0) {
        walk_triangles(&found, q.point);
    }
    if (found.triangle < 0) {
        return hit;
    }
    lim_vec3 away = v3_sub(query->at, found.place.point), outward = outward_of(&found);
    float distance = sqrtf(found.place.square), above = v3_dot(away, outward);
    float beside = sqrtf(fmaxf(found.place.square - above * above, 0.0f));
    bool any = v3_dot(query->look, query->look) == 0.0f;
    bool rim = beside < 1e-2f * side || (beside < RIM * side && above > -RIM * side);
    if (!rim && above < 0.0f && !any) {
        return hit; /* below the face's plane, but beyond its rim: outside */
    }
    hit.gap = rim ? above : (above < 0.0f ? -distance : distance);
    if (!(distance < query->reach)) {
        return hit;
    }
    hit.normal = rim ? outward : v3_scale(away, 1.0f / hit.gap);
    hit.triangle = found.triangle;
    hit.point = found.place.point;
    for (int k = 0; k < 3; ++k) {
        hit.weight[k] = found.place.weight[k];
    }
    return hit;
}
