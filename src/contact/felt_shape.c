/* SPDX-License-Identifier: MIT
 * Job: where a deformed surface is and which way it looks. In: a surface's net, where its points
 * are, which patches are wanted. Out: normals, boxes over boxes of patches, cones of their normals.
 */
#include "contact/felt_kernel.h"

#include <string.h>

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

const felt_kernels* felt_kernels_for(isa set) {
    switch (set) {
#define FELT_CASE(number, suffix)                                                                  \
    case number:                                                                                   \
        return &felt_kernels_##suffix;
        ISA_LIST(FELT_CASE)
#undef FELT_CASE
    default:
        return &ISA_BASE(felt_kernels);
    }
}

static lim_vec3 point_at(const surface_shape* s, int32_t point) {
    const float* spot = s->spot + 4 * (size_t)point; /* all of it in one line of the cache */
    return v3(spot[0], spot[1], spot[2]);
}

/* ---- normals ------------------------------------------------------------------------------------
 */

static inline lim_vec3 cross_of(const surface_shape* s, const int32_t corner[3]) {
    lim_vec3 a = point_at(s, corner[0]);
    return v3_cross(v3_sub(point_at(s, corner[1]), a), v3_sub(point_at(s, corner[2]), a));
}

/* The sum over the triangles at a point, in their order. */
static lim_vec3 sum_at(const surface_shape* s, int32_t point) {
    const surface_net* net = s->net;
    lim_vec3 sum = v3(0, 0, 0);
    for (int32_t e = net->fan_offset[point]; e < net->fan_offset[point + 1]; ++e) {
        sum = v3_add(sum, cross_of(s, net->corner + 3 * (size_t)net->fan[e]));
    }
    return sum;
}

static inline void add_triangle(const surface_shape* s, int32_t triangle) {
    const int32_t* corner = s->net->corner + 3 * (size_t)triangle;
    lim_vec3 cross = cross_of(s, corner);
    for (int k = 0; k < 3; ++k) {
        s->normal[corner[k]] = v3_add(s->normal[corner[k]], cross);
    }
}

/* The same sums at all points, or where triangles are known, triangle by triangle: each is looked
 * at once, not three times. */
static void sum_everywhere(const surface_shape* s) {
    const surface_net* net = s->net;
    memset(s->normal, 0, (size_t)net->points.count * sizeof(lim_vec3));
    for (int32_t i = 0; i < s->triangle_count && s->triangle != NULL; ++i) {
        add_triangle(s, s->triangle[i]);
    }
    for (int32_t i = 0; i < net->triangle_count && s->triangle == NULL; ++i) {
        add_triangle(s, i);
    }
}

static void find_normals(const surface_shape* s) {
    const surface_net* net = s->net;
    int32_t wanted = 0;
    for (int32_t p = 0; p < net->patch_count; ++p) {
        wanted += s->wanted[p] ? net->patch_point[p + 1] - net->patch_point[p] : 0;
    }
    bool most = s->triangle != NULL || wanted > net->points.count / 3;
    if (most) {
        sum_everywhere(s);
    }
    for (int32_t p = 0; p < net->patch_count; ++p) {
        for (int32_t i = net->patch_point[p]; i < net->patch_point[p + 1] && s->wanted[p]; ++i) {
            s->normal[i] = v3_unit(most ? s->normal[i] : sum_at(s, i), v3(0, 0, 0));
        }
    }
}

/* ---- boxes --------------------------------------------------------------------------------------
 */

/* Box, look and height of a patch with its triangles and the way that it goes. */
static void find_patch_box(const surface_shape* s, int32_t patch, const felt_kernels* by) {
    const surface_net* net = s->net;
    surface_box box;
    surface_looks* looks = &s->tree.looks[patch / 8];
    int lane = patch % 8;
    lim_vec3 look = s->normal[net->patch_point[patch]], way = surface_way(s->way, patch);
    float top = by->ring(s, patch, look, &box);
    float rise = v3_dot(look, way);
    looks->top[lane] = rise > 0.0f ? top + rise : top;
    looks->x[lane] = look.x;
    looks->y[lane] = look.y;
    looks->z[lane] = look.z;
    looks->cone[lane] = net->patch_cone[patch] + SURFACE_CONE;
    surface_set_box(&s->tree.group[patch / 8], lane, surface_box_swept(box, way));
}

void surface_shape_place(surface_shape* s, const felt_kernels* by) {
    for (int32_t i = 0; i < s->net->points.count; ++i) {
        s->spot[4 * (size_t)i] = s->at[0][i];
        s->spot[4 * (size_t)i + 1] = s->at[1][i];
        s->spot[4 * (size_t)i + 2] = s->at[2][i];
    }
    for (int32_t p = 0; p < 8 * s->net->group_count; ++p) {
        if (p >= s->net->patch_count) {
            surface_set_box(&s->tight[p / 8], p % 8, surface_box_none());
            surface_set_box(&s->feel[p / 8], p % 8, surface_box_none());
        } else if (s->triangle == NULL || s->wanted[p]) {
            surface_box tight, feel;
            by->boxes(s, p, &tight, &feel);
            surface_set_box(&s->tight[p / 8], p % 8, tight);
            surface_set_box(&s->feel[p / 8], p % 8,
                            surface_box_swept(feel, surface_way(s->way, p)));
        }
        if (p % 8 == 7) {
            s->feel_box[p / 8] = surface_box_around(&s->feel[p / 8]);
        }
    }
}

/* The cone around those of a group that are anywhere, as one of its parent's eight. It has no top:
 * who is above all of a group along one look may yet come to a patch that looks another way. */
static void find_cone(const surface_group* group, const surface_looks* from, surface_looks* to,
                      int lane) {
    lim_vec3 look = v3(0, 0, 0);
    float cone = 0.0f;
    bool any = false;
    for (int i = 0; i < 8; ++i) {
        surface_box box = surface_get_box(group, i);
        if (box.low.x <= box.high.x) {
            lim_vec3 own = v3(from->x[i], from->y[i], from->z[i]);
            look = any ? look : own;
            cone = fmaxf(cone, v3_length(v3_sub(own, look)) + from->cone[i]);
            any = true;
        }
    }
    to->x[lane] = look.x;
    to->y[lane] = look.y;
    to->z[lane] = look.z;
    to->cone[lane] = cone + SURFACE_ROUNDING;
    to->top[lane] = SURFACE_ANY;
}

void surface_tree_update(surface_tree* t, int32_t count) {
    for (int32_t level = 1; level < t->levels; ++level) {
        int32_t from = t->first[level - 1], parents = count / 8 + (count % 8 != 0);
        for (int32_t i = 0; i < 8 * parents; ++i) {
            int32_t to = t->first[level] + i / 8;
            if (i < count) {
                surface_group_around(&t->group[from + i], &t->group[to], i % 8);
                find_cone(&t->group[from + i], &t->looks[from + i], &t->looks[to], i % 8);
            } else {
                surface_set_box(&t->group[to], i % 8, surface_box_none());
            }
        }
        count = parents;
    }
    if (t->levels > 0) {
        t->box = surface_box_around(&t->group[t->first[t->levels - 1]]);
    }
}

void surface_shape_update(surface_shape* s, const felt_kernels* by) {
    find_normals(s);
    for (int32_t p = 0; p < 8 * s->net->group_count; ++p) {
        if (p < s->net->patch_count && s->wanted[p]) {
            find_patch_box(s, p, by);
        } else {
            surface_set_box(&s->tree.group[p / 8], p % 8, surface_box_none());
        }
    }
    surface_tree_update(&s->tree, s->net->group_count);
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
