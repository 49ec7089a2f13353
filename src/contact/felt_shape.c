/* SPDX-License-Identifier: MIT
 * Job: how far places are from a deformed surface. In: a surface's net and where its points are.
 * Out: boxes over boxes of patches; the nearest triangle, side and distance. The search goes to the
 * nearest point through the boxes, then over the triangles at it and on from triangle to triangle
 * while that leads nearer.
 */
#include "contact/felt_surface.h"

#include <string.h>

enum { WALK_MOST = 16 };  /* triangles from the nearest point on */
enum { TRIED_MOST = 8 };  /* points that are remembered on the way */
enum { NEAR_MOST = 256 }; /* distances that are kept from the first pass over patches */
/* Cosine: points and triangles that look less against each other than this are not met. */
#define LOOKS_AGAINST (-0.1f)
/* For a sharp corner. */
#define LOOKS_AGAINST_SHARP 0.25f
/* How much farther apart than at rest the points of a patch may look. */
#define CONE_SLACK 0.15f
/* A patch whose points look less far apart than this, as a chord, is about flat. */
#define FLAT 0.6f
/* How far beyond the rim of a face, in longest sides, the face still counts, for who is not deep
 * below it. */
#define RIM 0.1f
/* Squares of distances that differ by less than this share are equal. */
#define TIE 1e-5f
/* No place of a triangle is farther than 0.58 of its longest side from a corner. */
#define CORNER_MOST 0.6f

int32_t surface_groups(int32_t finest, int32_t first[SURFACE_LEVELS], int32_t* out_levels) {
    int32_t count = finest, total = 0, levels = 0;
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

static lim_vec3 point_at(const surface_shape* s, int32_t point) {
    return v3(s->at[0][point], s->at[1][point], s->at[2][point]);
}

/* How long the side of a triangle may be by now. */
static float side_of(const surface_shape* s) {
    return s->stretch * s->net->longest;
}

static bool is_placed(const surface_shape* s, const int32_t corner[3]) {
    const int32_t* patch = s->net->point_patch;
    return s->placed[patch[corner[0]]] && s->placed[patch[corner[1]]] &&
           s->placed[patch[corner[2]]];
}

/* ---- normals ------------------------------------------------------------------------------------
 */

static lim_vec3 cross_of(const surface_shape* s, const int32_t corner[3]) {
    lim_vec3 a = point_at(s, corner[0]);
    return v3_cross(v3_sub(point_at(s, corner[1]), a), v3_sub(point_at(s, corner[2]), a));
}

/* The sum over the triangles at a point, in their order. */
static lim_vec3 sum_at(const surface_shape* s, int32_t point) {
    const surface_net* net = s->net;
    lim_vec3 sum = v3(0, 0, 0);
    for (int32_t e = net->fan_offset[point]; e < net->fan_offset[point + 1]; ++e) {
        const int32_t* corner = net->corner + 3 * (size_t)net->fan[e];
        sum = is_placed(s, corner) ? v3_add(sum, cross_of(s, corner)) : sum;
    }
    return sum;
}

/* The same sums at all points, triangle by triangle: each is looked at once, not three times. */
static void sum_everywhere(const surface_shape* s) {
    const surface_net* net = s->net;
    memset(s->normal, 0, (size_t)net->points.count * sizeof(lim_vec3));
    for (int32_t i = 0; i < net->triangle_count; ++i) {
        const int32_t* corner = net->corner + 3 * (size_t)i;
        if (is_placed(s, corner)) {
            lim_vec3 cross = cross_of(s, corner);
            for (int k = 0; k < 3; ++k) {
                s->normal[corner[k]] = v3_add(s->normal[corner[k]], cross);
            }
        }
    }
}

static void find_normals(const surface_shape* s) {
    const surface_net* net = s->net;
    int32_t placed = 0;
    for (int32_t p = 0; p < net->patch_count; ++p) {
        placed += s->placed[p] ? net->patch_point[p + 1] - net->patch_point[p] : 0;
    }
    bool most = placed > net->points.count / 3;
    if (most) {
        sum_everywhere(s);
    }
    for (int32_t p = 0; p < net->patch_count; ++p) {
        for (int32_t i = net->patch_point[p]; i < net->patch_point[p + 1] && s->placed[p]; ++i) {
            s->normal[i] = v3_unit(most ? s->normal[i] : sum_at(s, i), v3(0, 0, 0));
        }
    }
}

/* ---- boxes --------------------------------------------------------------------------------------
 */

surface_box surface_group_box(const surface_shape* s, int32_t group) {
    lim_vec3 far = v3(HUGE_VALF, HUGE_VALF, HUGE_VALF);
    return s->levels > 1 ? surface_get_box(&s->group[s->first[1] + group / 8], group % 8)
                         : (surface_box){v3_scale(far, -1.0f), far};
}

/* Box, look and height of a patch with its triangles and the way that it goes. */
static void find_patch_box(const surface_shape* s, int32_t patch) {
    const surface_net* net = s->net;
    surface_box box = {v3(HUGE_VALF, HUGE_VALF, HUGE_VALF), v3(-HUGE_VALF, -HUGE_VALF, -HUGE_VALF)};
    if (patch < net->patch_count && s->placed[patch]) {
        lim_vec3 look = s->normal[net->patch_point[patch]];
        float top = -HUGE_VALF;
        for (int32_t e = net->patch_ring[patch]; e < net->patch_ring[patch + 1]; ++e) {
            int32_t point = net->ring[e];
            if (!s->placed[net->point_patch[point]]) {
                continue;
            }
            lim_vec3 at = point_at(s, point);
            float height = v3_dot(look, at);
            box = (surface_box){v3_min(at, box.low), v3_max(at, box.high)};
            top = height > top ? height : top;
        }
        float rise = v3_dot(look, s->way[patch]);
        s->top[patch] = rise > 0.0f ? top + rise : top;
        s->look[patch] = look;
        s->cone[patch] = net->patch_cone[patch] + CONE_SLACK;
        box = surface_box_swept(box, s->way[patch]);
    }
    surface_set_box(&s->group[patch / 8], patch % 8, box);
}

/* Around the points of a patch alone, where they are. */
static void find_tight_box(const surface_shape* s, int32_t patch) {
    surface_box box = {v3(HUGE_VALF, HUGE_VALF, HUGE_VALF), v3(-HUGE_VALF, -HUGE_VALF, -HUGE_VALF)};
    if (patch < s->net->patch_count && s->placed[patch]) {
        for (int32_t i = s->net->patch_point[patch]; i < s->net->patch_point[patch + 1]; ++i) {
            lim_vec3 at = point_at(s, i);
            box = (surface_box){v3_min(at, box.low), v3_max(at, box.high)};
        }
    }
    surface_set_box(&s->tight[patch / 8], patch % 8, box);
}

static void find_feel_box(const surface_shape* s, int32_t patch) {
    surface_box box = {v3(HUGE_VALF, HUGE_VALF, HUGE_VALF), v3(-HUGE_VALF, -HUGE_VALF, -HUGE_VALF)};
    if (patch < s->net->patch_count && s->placed[patch]) {
        for (int32_t i = s->net->patch_feel[patch]; i < s->net->patch_feel[patch + 1]; ++i) {
            lim_vec3 at = point_at(s, s->net->feel[i]);
            box = (surface_box){v3_min(at, box.low), v3_max(at, box.high)};
        }
        box = surface_box_swept(box, s->way[patch]);
    }
    surface_set_box(&s->feel[patch / 8], patch % 8, box);
}

static surface_box box_around(const surface_group* of) {
    surface_group all;
    surface_group_around(of, &all, 0);
    return surface_get_box(&all, 0);
}

/* The cone around those of a group's placed patches. */
static void find_group_look(const surface_shape* s, int32_t group) {
    int32_t to = surface_group_look(s->net, group), begin = 8 * group, end = begin + 8;
    end = end < s->net->patch_count ? end : s->net->patch_count;
    s->look[to] = v3(0, 0, 0);
    s->cone[to] = 0.0f;
    bool any = false;
    for (int32_t i = begin; i < end; ++i) {
        if (s->placed[i]) {
            s->look[to] = any ? s->look[to] : s->look[i];
            s->cone[to] =
                fmaxf(s->cone[to], v3_length(v3_sub(s->look[i], s->look[to])) + s->cone[i]);
            any = true;
        }
    }
}

void surface_shape_update(surface_shape* s) {
    int32_t count = s->net->group_count;
    find_normals(s);
    for (int32_t i = 0; i < 8 * count; ++i) {
        find_patch_box(s, i);
        find_tight_box(s, i);
        find_feel_box(s, i);
    }
    for (int32_t i = 0; i < count; ++i) {
        find_group_look(s, i);
        s->feel_box[i] = box_around(&s->feel[i]);
    }
    lim_vec3 far = v3(HUGE_VALF, HUGE_VALF, HUGE_VALF);
    for (int32_t level = 1; level < s->levels; ++level) {
        const surface_group* from = s->group + s->first[level - 1];
        int32_t parents = count / 8 + (count % 8 != 0);
        for (int32_t i = 0; i < 8 * parents; ++i) {
            surface_group* to = s->group + s->first[level] + i / 8;
            if (i < count) {
                surface_group_around(from + i, to, i % 8);
            } else {
                surface_set_box(to, i % 8, (surface_box){far, v3_scale(far, -1.0f)});
            }
        }
        count = parents;
    }
    if (s->levels > 0) {
        s->box = box_around(&s->group[s->first[s->levels - 1]]);
    }
}

unsigned surface_overlaps(const surface_group* g, const surface_box* box) {
    float least[8]; /* how far the boxes overlap along the axis where they do least */
    for (int i = 0; i < 8; ++i) {
        float x = box->high.x - g->low[0][i], far_x = g->high[0][i] - box->low.x;
        float y = box->high.y - g->low[1][i], far_y = g->high[1][i] - box->low.y;
        float z = box->high.z - g->low[2][i], far_z = g->high[2][i] - box->low.z;
        x = x < far_x ? x : far_x;
        y = y < far_y ? y : far_y;
        z = z < far_z ? z : far_z;
        x = x < y ? x : y;
        least[i] = x < z ? x : z;
    }
    unsigned bits = 0;
    for (int i = 0; i < 8; ++i) {
        bits |= (unsigned)(least[i] >= 0.0f) << i;
    }
    return bits;
}

static int32_t collect(const surface_shape* s, int32_t level, int32_t index, const surface_box* box,
                       int32_t* out, int32_t count) {
    unsigned bits = surface_overlaps(&s->group[s->first[level] + index], box);
    for (int i = 0; bits >> i != 0; ++i) {
        if ((bits >> i & 1u) == 0) {
            continue;
        }
        if (level == 1) {
            out[count++] = 8 * index + i;
        } else {
            count = collect(s, level - 1, 8 * index + i, box, out, count);
        }
    }
    return count;
}

int32_t surface_groups_in(const surface_shape* s, surface_box box, int32_t* out) {
    if (s->levels > 1) {
        return collect(s, s->levels - 1, 0, &box, out, 0);
    }
    out[0] = 0;
    return s->levels;
}

/* ---- the nearest point --------------------------------------------------------------------------
 */

typedef struct nearest_search {
    const surface_shape* shape;
    const surface_query* query;
    float best; /* squared distance */
    int32_t point;
} nearest_search;

/* A point that does not look against who asks is of another side. */
static bool counts(const nearest_search* q, int32_t point) {
    return v3_dot(q->shape->normal[point], q->query->look) <
           (q->query->sharp ? LOOKS_AGAINST_SHARP : LOOKS_AGAINST);
}

static void search_patch(nearest_search* q, int32_t patch) {
    const surface_net* net = q->shape->net;
    lim_vec3 look = q->query->look;
    bool all = v3_dot(look, look) == 0.0f;
    if (!all) {
        float apart = v3_length(v3_sub(look, q->shape->look[patch]));
        float faces = q->query->sharp ? SURFACE_FACES_SHARP : SURFACE_FACES;
        if (apart + q->shape->cone[patch] < faces) {
            return;
        }
        all = apart - q->shape->cone[patch] > faces;
    }
    for (int32_t i = net->patch_point[patch]; i < net->patch_point[patch + 1]; ++i) {
        lim_vec3 r = v3_sub(point_at(q->shape, i), q->query->at);
        float square = v3_dot(r, r);
        if (square < q->best && (all || counts(q, i))) {
            q->best = square;
            q->point = i;
        }
    }
}

/* Squares of the distances of a place from the eight boxes of a group. */
static void box_distances(const surface_group* g, lim_vec3 at, float out[8]) {
    const float x[3] = {at.x, at.y, at.z};
    float away[3][8];
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 8; ++i) {
            float below = g->low[k][i] - x[k], above = x[k] - g->high[k][i];
            float most = below > above ? below : above;
            away[k][i] = most > 0.0f ? most : 0.0f;
        }
    }
    for (int i = 0; i < 8; ++i) {
        out[i] = away[0][i] * away[0][i] + away[1][i] * away[1][i] + away[2][i] * away[2][i];
    }
}

static bool is_above(const nearest_search* q, int32_t patch) {
    return v3_dot(q->shape->look[patch], q->query->at) > q->shape->top[patch] + q->query->reach;
}

/* The distances of the boxes of a list that ascends, those of one group after another. */
typedef struct box_walk {
    int32_t group; /* of which `square` is */
    float square[8];
} box_walk;

static float walk_to(box_walk* w, const nearest_search* q, int32_t patch) {
    if (patch / 8 != w->group) {
        w->group = patch / 8;
        box_distances(&q->shape->tight[w->group], q->query->at, w->square);
    }
    return w->square[patch % 8];
}

/* The nearest box first: most of the others are too far by then. */
static void search_patches(nearest_search* q) {
    const surface_query* query = q->query;
    float least = HUGE_VALF, near[NEAR_MOST];
    int32_t first = -1;
    box_walk walk = {.group = -1};
    for (int32_t k = 0; k < query->patch_count; ++k) {
        int32_t patch = query->patch[k];
        float square = walk_to(&walk, q, patch);
        if (k < NEAR_MOST) {
            near[k] = square;
        }
        if (square < least && !is_above(q, patch)) {
            least = square;
            first = k;
        }
    }
    if (first < 0 || !(least < q->best)) {
        return;
    }
    search_patch(q, query->patch[first]);
    for (int32_t k = 0; k < query->patch_count; ++k) {
        int32_t patch = query->patch[k];
        float square = k < NEAR_MOST ? near[k] : walk_to(&walk, q, patch);
        if (k != first && square < q->best && !is_above(q, patch)) {
            search_patch(q, patch);
        }
    }
}

/* ---- the nearest triangle -----------------------------------------------------------------------
 */

/* The nearest place of one triangle, in float: differences of near points lose nothing. */
typedef struct triangle_place {
    float square;
    float weight[3];
    lim_vec3 point, cross; /* cross: normal times twice the area */
} triangle_place;

/* Weights of the nearest place by the region it lies in: of a corner, of a side, or within (Ericson
 * 2005, 5.1.5). u, v: sides from corner 0; what is seen of `at` along them from the corners. */
static void weigh_nearest(triangle_place* p, const lim_vec3 c[3], lim_vec3 u, lim_vec3 v,
                          lim_vec3 at) {
    lim_vec3 r0 = v3_sub(at, c[0]), r1 = v3_sub(at, c[1]), r2 = v3_sub(at, c[2]);
    float u0 = v3_dot(u, r0), v0 = v3_dot(v, r0), u1 = v3_dot(u, r1), v1 = v3_dot(v, r1);
    float u2 = v3_dot(u, r2), v2 = v3_dot(v, r2);
    float a = u1 * v2 - u2 * v1, b = u2 * v0 - u0 * v2, c2 = u0 * v1 - u1 * v0;
    float w1, w2;
    if (u0 <= 0.0f && v0 <= 0.0f) {
        w1 = w2 = 0.0f;
    } else if (u1 >= 0.0f && v1 <= u1) {
        w1 = 1.0f;
        w2 = 0.0f;
    } else if (v2 >= 0.0f && u2 <= v2) {
        w1 = 0.0f;
        w2 = 1.0f;
    } else if (c2 <= 0.0f && u0 >= 0.0f && u1 <= 0.0f) {
        w1 = u0 / (u0 - u1);
        w2 = 0.0f;
    } else if (b <= 0.0f && v0 >= 0.0f && v2 <= 0.0f) {
        w1 = 0.0f;
        w2 = v0 / (v0 - v2);
    } else if (a <= 0.0f && v1 >= u1 && u2 >= v2) {
        w2 = (v1 - u1) / (v1 - u1 + (u2 - v2));
        w1 = 1.0f - w2;
    } else {
        float all = 1.0f / (a + b + c2);
        w1 = b * all;
        w2 = c2 * all;
    }
    p->weight[0] = 1.0f - w1 - w2;
    p->weight[1] = w1;
    p->weight[2] = w2;
    p->point = v3_mad(v3_mad(c[0], u, w1), v, w2);
    lim_vec3 r = v3_sub(at, p->point);
    p->square = v3_dot(r, r);
}

typedef struct triangle_search {
    const surface_shape* shape;
    lim_vec3 at, look;
    bool sharp;
    triangle_place place;
    int32_t triangle;
    int32_t tried_count, tried[TRIED_MOST]; /* points all of whose triangles were looked at */
} triangle_search;

/* Whether cos(cross, look) is below its limit. */
static bool looks_against(lim_vec3 cross, lim_vec3 look, bool sharp) {
    float along = v3_dot(cross, look), square = along * along, all = v3_dot(cross, cross);
    if (sharp) {
        return along < 0.0f || square < LOOKS_AGAINST_SHARP * LOOKS_AGAINST_SHARP * all;
    }
    return along < 0.0f && square > LOOKS_AGAINST * LOOKS_AGAINST * all;
}

/* The nearest place of a triangle; false: it does not count, as it is not all placed or does not
 * look against who asks. */
static bool nearest_on(const triangle_search* q, int32_t triangle, triangle_place* p) {
    const surface_shape* s = q->shape;
    const int32_t* corner = s->net->corner + 3 * (size_t)triangle;
    if (!is_placed(s, corner)) {
        return false;
    }
    const lim_vec3 c[3] = {point_at(s, corner[0]), point_at(s, corner[1]), point_at(s, corner[2])};
    lim_vec3 u = v3_sub(c[1], c[0]), v = v3_sub(c[2], c[0]);
    p->cross = v3_cross(u, v);
    if (v3_dot(q->look, q->look) > 0.0f && !looks_against(p->cross, q->look, q->sharp)) {
        return false;
    }
    weigh_nearest(p, c, u, v, q->at);
    return true;
}

static bool was_tried(const triangle_search* q, int32_t point) {
    bool tried = false;
    for (int32_t k = 0; k < q->tried_count; ++k) {
        tried = tried || q->tried[k] == point;
    }
    return tried;
}

/* Who did not lead nearer before cannot do so now. */
static void try_triangle(triangle_search* best, int32_t triangle) {
    const int32_t* corner = best->shape->net->corner + 3 * (size_t)triangle;
    triangle_place p;
    if (was_tried(best, corner[0]) || was_tried(best, corner[1]) || was_tried(best, corner[2])) {
        return;
    }
    if (nearest_on(best, triangle, &p) &&
        (best->triangle < 0 || p.square < (1.0f - TIE) * best->place.square)) {
        best->place = p;
        best->triangle = triangle;
    }
}

static void try_fan(triangle_search* best, int32_t point) {
    const surface_net* net = best->shape->net;
    if (was_tried(best, point)) {
        return;
    }
    for (int32_t e = net->fan_offset[point]; e < net->fan_offset[point + 1]; ++e) {
        try_triangle(best, net->fan[e]);
    }
    if (best->tried_count < TRIED_MOST) {
        best->tried[best->tried_count++] = point;
    }
}

/* Whether a place lies within its triangle: right above it nothing beside it is nearer, but in a
 * crease, and there the other side has points of its own. */
static bool is_inner(const triangle_place* p) {
    return p->weight[0] > 0.001f && p->weight[1] > 0.001f && p->weight[2] > 0.001f;
}

/* From the triangles at a point on to their neighbours, while that leads nearer. */
static void walk_triangles(triangle_search* best, int32_t point) {
    const surface_net* net = best->shape->net;
    try_fan(best, point);
    for (int step = 0; step < WALK_MOST && best->triangle >= 0 && !is_inner(&best->place); ++step) {
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
 * are as near: one of them alone may look away from a place that is outside. out_rim: one of them
 * is missing or does not count, so that what counts of the surface ends here. */
static lim_vec3 outward_of(const triangle_search* found, bool* out_rim) {
    const surface_net* net = found->shape->net;
    const int32_t* corner = net->corner + 3 * (size_t)found->triangle;
    const int32_t* neighbour = net->neighbour + 3 * (size_t)found->triangle;
    const int32_t* around = &found->triangle;
    int32_t count = 1, side[3] = {found->triangle};
    for (int k = 0; k < 3; ++k) {
        if (found->place.weight[k] > 0.999f) {
            *out_rim = false;
            around = net->fan + net->fan_offset[corner[k]];
            count = net->fan_offset[corner[k] + 1] - net->fan_offset[corner[k]];
            break;
        }
        int32_t beside = neighbour[(k + 1) % 3];
        if (found->place.weight[k] < 0.001f) {
            *out_rim = beside < 0;
            side[1] = beside;
            around = side;
            count = beside < 0 ? 1 : 2;
        }
    }
    lim_vec3 sum = v3(0, 0, 0);
    for (int32_t k = 0; k < count; ++k) {
        triangle_place p;
        bool counts = nearest_on(found, around[k], &p);
        *out_rim = *out_rim || !counts;
        if (counts && p.square <= (1.0f + TIE) * found->place.square) {
            sum = v3_add(sum, v3_unit(p.cross, v3(0, 0, 0)));
        }
    }
    return v3_unit(sum, v3(0, 1, 0));
}

/* ---- both ---------------------------------------------------------------------------------------
 */

static bool is_any(const surface_query* query) {
    return v3_dot(query->look, query->look) == 0.0f;
}

surface_sight surface_see(const surface_shape* s, const surface_query* query) {
    surface_sight sight = {.point = -1};
    if (query->patch_count == 0 || !v3_finite(query->at)) {
        return sight;
    }
    float side = side_of(s), far = fmaxf(query->reach, query->deep) + CORNER_MOST * side;
    nearest_search q = {.shape = s, .query = query, .best = far * far, .point = -1};
    search_patches(&q);
    if (q.point < 0) {
        return sight;
    }
    int32_t patch = s->net->point_patch[q.point];
    bool flat = s->cone[patch] < FLAT;
    sight.normal = flat ? s->look[patch] : s->normal[q.point];
    sight.gap = v3_dot(v3_sub(query->at, point_at(s, q.point)), sight.normal);
    /* Surely too far outside: a flat patch does not rise by more than this over its plane within
     * the triangles at the point; of any other, no place of them is nearer than this. */
    float most = query->reach + CORNER_MOST * side;
    bool beyond = flat ? sight.gap > query->reach + SURFACE_RISE * side
                       : sight.gap > 0.0f && q.best > most * most;
    /* Far beside the nearest point that looks against who asks, and below its plane: beyond the rim
     * of what looks so, as the nearest place would find. */
    float wide = side - sight.gap;
    bool beside = sight.gap < 0.0f && q.best - sight.gap * sight.gap > wide * wide;
    bool deeper = sight.gap < -(query->deep + SURFACE_RISE * side);
    sight.point = beyond || deeper || (beside && !is_any(query)) ? -1 : q.point;
    return sight;
}

surface_hit surface_nearest(const surface_shape* s, const surface_query* query, int32_t point) {
    surface_hit hit = {.triangle = -1};
    triangle_search found = {
        .shape = s, .at = query->at, .look = query->look, .sharp = query->sharp, .triangle = -1};
    walk_triangles(&found, point);
    if (found.triangle < 0) {
        return hit;
    }
    lim_vec3 away = v3_sub(query->at, found.place.point);
    bool ends = false;
    lim_vec3 outward = is_inner(&found.place) ? v3_unit(found.place.cross, v3(0, 1, 0))
                                              : outward_of(&found, &ends);
    float distance = sqrtf(found.place.square), above = v3_dot(away, outward), side = side_of(s);
    float beside = sqrtf(fmaxf(found.place.square - above * above, 0.0f));
    bool rim = beside < 1e-2f * side || (beside < RIM * side && above > -RIM * side);
    if (!rim && ends && above < 0.0f && !is_any(query)) {
        return hit; /* below the face's plane, but beyond its rim: outside */
    }
    hit.gap = rim ? above : (above < 0.0f ? -distance : distance);
    if (!(distance < (hit.gap > 0.0f ? query->reach : query->deep))) {
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
