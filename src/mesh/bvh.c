/* SPDX-License-Identifier: MIT
 * Job: a bounding volume hierarchy and its queries. In: points, triangles. Out: a tree in the
 * caller's arena. Built top down with the surface area heuristic over 16 bins of box centres (Wald
 * 2007); below a depth limit nodes are halved, which bounds the depth for any input. Distances are
 * computed in double, so that needles give the right corner. Triangles without an area are welcome.
 */
#include "mesh/bvh_nodes.h"

#include "mesh/triangle.h"

#include <float.h>
#include <string.h>

enum { BINS = 16, LEAF = 4, DEPTH_OF_BINS = 56 };

typedef struct box {
    lim_vec3 lower, upper;
} box;

static box box_empty(void) {
    return (box){v3(FLT_MAX, FLT_MAX, FLT_MAX), v3(-FLT_MAX, -FLT_MAX, -FLT_MAX)};
}
static box box_join(box a, box b) {
    return (box){v3_min(a.lower, b.lower), v3_max(a.upper, b.upper)};
}
static float box_area(box a) {
    lim_vec3 d = v3_sub(a.upper, a.lower);
    return d.x * d.y + d.y * d.z + d.z * d.x;
}
static float axis_of(lim_vec3 a, int axis) {
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

typedef struct building {
    bvh* tree;
    box* bounds;      /* per triangle */
    lim_vec3* middle; /* of the bounds */
} building;

static int bin_of(float at, float low, float scale) {
    float bin = (at - low) * scale; /* no number where places are beyond what floats hold */
    return bin >= (float)(BINS - 1) ? BINS - 1 : bin > 0.0f ? (int)bin : 0;
}

/* Best split of items [first, first + count) by the heuristic. Returns false when all box centres
 * are in one place. */
static bool choose_split(const building* b, int32_t first, int32_t count, int* out_axis,
                         float* out_low, float* out_scale, int* out_bin) {
    box centres = box_empty();
    for (int32_t i = first; i < first + count; ++i) {
        lim_vec3 m = b->middle[b->tree->triangle[i]];
        centres = box_join(centres, (box){m, m});
    }
    float best = FLT_MAX;
    for (int axis = 0; axis < 3; ++axis) {
        float low = axis_of(centres.lower, axis);
        float width = axis_of(centres.upper, axis) - low;
        if (!(width > 1e-9f)) {
            continue;
        }
        float scale = (float)BINS / width;
        box bin_box[BINS];
        int32_t bin_count[BINS] = {0};
        for (int k = 0; k < BINS; ++k) {
            bin_box[k] = box_empty();
        }
        for (int32_t i = first; i < first + count; ++i) {
            int32_t t = b->tree->triangle[i];
            int bin = bin_of(axis_of(b->middle[t], axis), low, scale);
            bin_count[bin]++;
            bin_box[bin] = box_join(bin_box[bin], b->bounds[t]);
        }
        float right_cost[BINS];
        box right = box_empty();
        int32_t right_count = 0;
        for (int k = BINS - 1; k > 0; --k) {
            right = box_join(right, bin_box[k]);
            right_count += bin_count[k];
            right_cost[k] = right_count > 0 ? box_area(right) * (float)right_count : 0.0f;
        }
        box left = box_empty();
        int32_t left_count = 0;
        for (int k = 0; k + 1 < BINS; ++k) {
            left = box_join(left, bin_box[k]);
            left_count += bin_count[k];
            if (left_count == 0 || left_count == count) {
                continue;
            }
            float cost = box_area(left) * (float)left_count + right_cost[k + 1];
            if (cost < best) {
                best = cost;
                *out_axis = axis;
                *out_low = low;
                *out_scale = scale;
                *out_bin = k;
            }
        }
    }
    return best < FLT_MAX;
}

/* Moves items of the left side to the front; returns how many. */
static int32_t split(building* b, int32_t first, int32_t count, int depth) {
    int axis = 0, bin = 0;
    float low = 0.0f, scale = 0.0f;
    if (depth >= DEPTH_OF_BINS || !choose_split(b, first, count, &axis, &low, &scale, &bin)) {
        return count / 2;
    }
    int32_t* item = b->tree->triangle;
    int32_t i = first, end = first + count;
    while (i < end) {
        if (bin_of(axis_of(b->middle[item[i]], axis), low, scale) <= bin) {
            i++;
        } else {
            int32_t swap = item[i];
            item[i] = item[--end];
            item[end] = swap;
        }
    }
    return i - first;
}

static void set_box(bvh_node* node, box b) {
    node->lower = b.lower;
    node->upper = b.upper;
}

static void grow_tree(building* b) {
    typedef struct task {
        int32_t node, first, count, depth;
    } task;
    bvh* tree = b->tree;
    task stack[BVH_STACK];
    int top = 0;
    stack[top++] = (task){0, 0, tree->triangle_count, 0};
    tree->node_count = 1;
    while (top > 0) {
        task t = stack[--top];
        bvh_node* node = &tree->node[t.node];
        box bounds = box_empty();
        for (int32_t i = t.first; i < t.first + t.count; ++i) {
            bounds = box_join(bounds, b->bounds[tree->triangle[i]]);
        }
        set_box(node, bounds);
        node->first = t.first;
        node->count = t.count;
        if (t.count <= LEAF) {
            continue;
        }
        int32_t left = split(b, t.first, t.count, t.depth);
        int32_t child = tree->node_count;
        node->first = child;
        node->count = 0;
        tree->node_count += 2;
        stack[top++] = (task){child + 1, t.first + left, t.count - left, t.depth + 1};
        stack[top++] = (task){child, t.first, left, t.depth + 1};
    }
}

lim_result bvh_build(arena* a, const lim_vec3* point, const int32_t* triangle_point,
                     int32_t triangle_count, bvh** out) {
    *out = NULL;
    bvh* tree = ARENA_ARRAY(a, bvh, 1);
    LIM_TRY_MEMORY(tree);
    size_t n = (size_t)triangle_count;
    tree->triangle_count = triangle_count;
    tree->node = ARENA_ARRAY(a, bvh_node, n > 0 ? 2 * n : 1);
    tree->triangle = ARENA_ARRAY(a, int32_t, n);
    tree->corner = ARENA_ARRAY(a, int32_t, 3 * n);
    tree->point = ARENA_ARRAY(a, lim_vec3, 3 * n);
    LIM_TRY_MEMORY(tree->node);
    LIM_TRY_MEMORY(tree->triangle);
    LIM_TRY_MEMORY(tree->corner);
    LIM_TRY_MEMORY(tree->point);
    building b = {.tree = tree};
    arena scratch;
    arena_init(&scratch, &a->host);
    b.bounds = ARENA_ARRAY(&scratch, box, n);
    b.middle = ARENA_ARRAY(&scratch, lim_vec3, n);
    if (b.bounds == NULL || b.middle == NULL) {
        arena_release(&scratch);
        return LIM_ERROR_MEMORY;
    }
    for (size_t t = 0; t < n; ++t) {
        lim_vec3 p = point[triangle_point[3 * t]], q = point[triangle_point[3 * t + 1]];
        lim_vec3 r = point[triangle_point[3 * t + 2]];
        b.bounds[t] = (box){v3_min(v3_min(p, q), r), v3_max(v3_max(p, q), r)};
        b.middle[t] = v3_scale(v3_add(b.bounds[t].lower, b.bounds[t].upper), 0.5f);
        tree->triangle[t] = (int32_t)t;
    }
    if (n > 0) {
        grow_tree(&b);
    }
    for (size_t i = 0; i < n; ++i) {
        const int32_t* corner = triangle_point + 3 * (size_t)tree->triangle[i];
        for (size_t k = 0; k < 3; ++k) {
            tree->corner[3 * i + k] = corner[k];
            tree->point[3 * i + k] = point[corner[k]];
        }
    }
    arena_release(&scratch);
    *out = tree;
    return LIM_OK;
}

static double box_distance(const bvh_node* node, lim_vec3 at) {
    lim_vec3 d = v3_max(v3_max(v3_sub(node->lower, at), v3_sub(at, node->upper)), v3(0, 0, 0));
    return p3_dot(p3_of(d), p3_of(d));
}

bvh_hit bvh_closest(const bvh* tree, lim_vec3 at, float max_distance) {
    bvh_hit hit = {.triangle = -1};
    double best = (double)max_distance * (double)max_distance;
    struct {
        int32_t node;
        double distance;
    } stack[BVH_STACK];
    int top = 0;
    if (tree->triangle_count > 0 && v3_finite(at)) {
        stack[top].node = 0;
        stack[top++].distance = box_distance(&tree->node[0], at);
    }
    while (top > 0) {
        top--;
        /* Box distances are rounded in float: a little slack keeps ties with the best in. */
        if (stack[top].distance * (1.0 - 1e-6) > best) {
            continue;
        }
        const bvh_node* node = &tree->node[stack[top].node];
        if (node->count == 0) {
            double d[2] = {box_distance(&tree->node[node->first], at),
                           box_distance(&tree->node[node->first + 1], at)};
            int near = d[1] < d[0] ? 1 : 0;
            for (int k = 0; k < 2; ++k) { /* the nearer on top */
                int child = k == 0 ? 1 - near : near;
                stack[top].node = node->first + child;
                stack[top++].distance = d[child];
            }
            continue;
        }
        for (int32_t i = node->first; i < node->first + node->count; ++i) {
            const lim_vec3* p = tree->point + 3 * (size_t)i;
            double weights[3] = {1.0, 0.0, 0.0};
            double distance =
                triangle_closest(p3_of(p[0]), p3_of(p[1]), p3_of(p[2]), p3_of(at), weights);
            int32_t t = tree->triangle[i];
            bool nearer = distance < best || (distance == best && hit.triangle < 0) ||
                          (distance == best && t < hit.triangle);
            if (nearer) {
                best = distance;
                hit.triangle = t;
                for (int k = 0; k < 3; ++k) {
                    hit.weights[k] = (float)weights[k];
                }
                hit.point =
                    v3_of(triangle_point_at(p3_of(p[0]), p3_of(p[1]), p3_of(p[2]), weights));
                hit.distance = (float)sqrt(best);
            }
        }
    }
    return hit;
}

void bvh_visit(const bvh* tree, lim_vec3 lower, lim_vec3 upper,
               bool (*visit)(void* user, int32_t triangle), void* user) {
    int32_t stack[BVH_STACK];
    int top = 0;
    if (tree->triangle_count > 0) {
        stack[top++] = 0;
    }
    while (top > 0) {
        const bvh_node* node = &tree->node[stack[--top]];
        bool meets = node->lower.x <= upper.x && node->upper.x >= lower.x &&
                     node->lower.y <= upper.y && node->upper.y >= lower.y &&
                     node->lower.z <= upper.z && node->upper.z >= lower.z;
        if (!meets) {
            continue;
        }
        if (node->count == 0) {
            stack[top++] = node->first + 1;
            stack[top++] = node->first;
            continue;
        }
        for (int32_t i = node->first; i < node->first + node->count; ++i) {
            const lim_vec3* p = tree->point + 3 * (size_t)i;
            lim_vec3 low = v3_min(v3_min(p[0], p[1]), p[2]);
            lim_vec3 high = v3_max(v3_max(p[0], p[1]), p[2]);
            if (low.x <= upper.x && high.x >= lower.x && low.y <= upper.y && high.y >= lower.y &&
                low.z <= upper.z && high.z >= lower.z && !visit(user, tree->triangle[i])) {
                return;
            }
        }
    }
}
