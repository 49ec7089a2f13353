/* SPDX-License-Identifier: MIT
 * Job: generalised winding numbers. In: a mesh. Out: a tree in the caller's arena, and the number
 * at a point: the sum over triangles of the signed solid angle over 4 pi (Jacobson et al. 2013).
 * Far away a branch counts as one dipole N . (c - q) / (4 pi |c - q|^3) at its centre of area c
 * with its area vector N (Barill et al. 2018), when |c - q| > 2 r, r the reach of its box
 * from c; near, each triangle gives its solid angle 2 atan2(det, denominator) (van Oosterom,
 * Strackee 1983). The arc tangent is our own: inside or outside must be the same on every machine.
 */
#include "mesh/winding.h"

#include "mesh/bvh_nodes.h"

#define PI   3.14159265358979323846
#define BETA 2.0

typedef struct dipole {
    lim_point centre; /* of area */
    lim_point normal; /* sum of area vectors */
    double reach;     /* BETA times the radius about the centre, squared */
    double area;
} dipole;

struct winding {
    const bvh* tree;
    dipole* dipole; /* per node of the tree */
};

/* Polynomial of atan(x) / x in x^2 on |x| <= tan(pi / 12): 3e-10 at most from the truth. */
static double arc_tangent_small(double x) {
    double y = x * x;
    return x * (1.0 + y * (-1.0 / 3 +
                           y * (1.0 / 5 + y * (-1.0 / 7 +
                                               y * (1.0 / 9 + y * (-1.0 / 11 + y * (1.0 / 13)))))));
}

/* atan2 from + - * / alone. atan(x) = pi/6 + atan((x - k) / (1 + k x)), k = tan(pi / 6). */
static double arc_tangent(double y, double x) {
    double ay = fabs(y), ax = fabs(x);
    if (!(ay > 0.0 || ax > 0.0)) {
        return 0.0;
    }
    double ratio = ay < ax ? ay / ax : ax / ay;
    double angle;
    if (ratio > 0.26794919243112270647) {
        const double k = 0.57735026918962576451;
        angle = PI / 6 + arc_tangent_small((ratio - k) / (1.0 + k * ratio));
    } else {
        angle = arc_tangent_small(ratio);
    }
    angle = ay < ax ? angle : PI / 2 - angle;
    angle = x < 0.0 ? PI - angle : angle;
    return y < 0.0 ? -angle : angle;
}

static double half_solid_angle(const lim_vec3* p, lim_point q) {
    lim_point a = p3_sub(p3_of(p[0]), q), b = p3_sub(p3_of(p[1]), q), c = p3_sub(p3_of(p[2]), q);
    double la = p3_length(a), lb = p3_length(b), lc = p3_length(c);
    double det = p3_dot(a, p3_cross(b, c));
    double denominator = la * lb * lc + p3_dot(a, b) * lc + p3_dot(b, c) * la + p3_dot(c, a) * lb;
    return arc_tangent(det, denominator);
}

static void sum_leaf(const bvh* tree, const bvh_node* node, dipole* d) {
    for (int32_t i = node->first; i < node->first + node->count; ++i) {
        lim_point p[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = p3_of(tree->point[3 * (size_t)i + (size_t)k]);
        }
        lim_point n = p3_scale(p3_cross(p3_sub(p[1], p[0]), p3_sub(p[2], p[0])), 0.5);
        double area = p3_length(n);
        d->normal = p3_add(d->normal, n);
        d->area += area;
        d->centre = p3_mad(d->centre, p3_add(p3_add(p[0], p[1]), p[2]), area / 3.0);
    }
}

lim_result winding_build(arena* a, const lim_mesh* mesh, winding** out) {
    *out = NULL;
    bvh* tree = NULL;
    LIM_TRY(bvh_build(a, mesh->point, mesh->triangle_point, mesh->triangle_count, &tree));
    winding* w = ARENA_ARRAY(a, winding, 1);
    LIM_TRY_MEMORY(w);
    w->tree = tree;
    w->dipole = ARENA_ARRAY(a, dipole, tree->node_count);
    LIM_TRY_MEMORY(w->dipole);
    /* Children stand behind their parents: from the back, sums of areas times centres first. */
    for (int32_t i = tree->node_count - 1; i >= 0; --i) {
        const bvh_node* node = &tree->node[i];
        dipole* d = &w->dipole[i];
        if (node->count > 0) {
            sum_leaf(tree, node, d);
        } else {
            for (int k = 0; k < 2; ++k) {
                const dipole* child = &w->dipole[node->first + k];
                d->normal = p3_add(d->normal, child->normal);
                d->area += child->area;
                d->centre = p3_add(d->centre, child->centre);
            }
        }
    }
    for (int32_t i = 0; i < tree->node_count; ++i) {
        const bvh_node* node = &tree->node[i];
        dipole* d = &w->dipole[i];
        lim_point lower = p3_of(node->lower), upper = p3_of(node->upper);
        d->centre = d->area > 0.0 ? p3_scale(d->centre, 1.0 / d->area)
                                  : p3_scale(p3_add(lower, upper), 0.5);
        lim_point far = p3_max(p3_sub(upper, d->centre), p3_sub(d->centre, lower));
        d->reach = BETA * BETA * p3_dot(far, far);
    }
    *out = w;
    return LIM_OK;
}

static double walk(const winding* w, lim_vec3 at, int32_t* out_triangles) {
    lim_point q = p3_of(at);
    double sum = 0.0;
    int32_t stack[BVH_STACK];
    int top = 0;
    if (w->tree->triangle_count > 0) {
        stack[top++] = 0;
    }
    while (top > 0) {
        int32_t i = stack[--top];
        const dipole* d = &w->dipole[i];
        lim_point r = p3_sub(d->centre, q);
        double rr = p3_dot(r, r);
        if (rr > d->reach) {
            sum += p3_dot(d->normal, r) / (rr * sqrt(rr)) / (4.0 * PI);
            continue;
        }
        const bvh_node* node = &w->tree->node[i];
        if (node->count == 0) {
            stack[top++] = node->first + 1;
            stack[top++] = node->first;
            continue;
        }
        for (int32_t k = node->first; k < node->first + node->count; ++k) {
            (*out_triangles)++;
            sum += half_solid_angle(w->tree->point + 3 * (size_t)k, q) / (2.0 * PI);
        }
    }
    return sum;
}

float winding_number(const winding* w, lim_vec3 at) {
    int32_t triangles = 0;
    return (float)walk(w, at, &triangles);
}

int32_t winding_cost(const winding* w, lim_vec3 at) {
    int32_t triangles = 0;
    walk(w, at, &triangles);
    return triangles;
}
