/* SPDX-License-Identifier: MIT
 * Job: a triangle mesh as a collider. In: triangles, cleaned and welded as those of any mesh
 * (mesh/surface.h). Out: distances, crossings and swept tests over its tree of boxes, in double.
 *
 * A mesh that is closed and has two triangles at each edge is solid: the sign of a distance is that
 * of (p - q) . n with the pseudonormal n of the face, edge or corner that the nearest point q is on
 * (Baerentzen, Aanaes 2005). Every other mesh is a sheet: it has sides, but no inside.
 */
#include "base/sort.h"
#include "contact/asset.h"
#include "math/trig.h"
#include "mesh/bvh_nodes.h"
#include "mesh/triangle.h"

enum { FACE = 0, EDGE = 1, CORNER = 4, NORMALS = 7 };
/* Nearer than this, in unit space, a point has no direction from an edge or a corner. */
#define NO_DIRECTION 1e-7
/* Crossings as near to each other as this, in shares of the way, are one: at a shared edge. */
#define SAME_CROSSING 1e-9
enum { CROSSINGS_MOST = 64 };

/* ---- making -----------------------------------------------------------------------------------
 */

typedef struct triangle3 {
    lim_point p[3];
} triangle3;

static triangle3 triangle_at(const bvh* tree, int32_t i) {
    const lim_vec3* p = tree->point + 3 * (size_t)i;
    return (triangle3){{p3_of(p[0]), p3_of(p[1]), p3_of(p[2])}};
}

static lim_point unit_or(lim_point v, lim_point fallback) {
    double length = p3_length(v);
    return length > 1e-300 ? p3_scale(v, 1.0 / length) : fallback;
}

static lim_point face_normal(const triangle3* t) {
    lim_point n = p3_cross(p3_sub(t->p[1], t->p[0]), p3_sub(t->p[2], t->p[0]));
    return unit_or(n, p3(0, 0, 0));
}

static double corner_angle(const triangle3* t, int k) {
    lim_point zero = p3(0, 0, 0);
    lim_point u = unit_or(p3_sub(t->p[(k + 1) % 3], t->p[k]), zero);
    lim_point v = unit_or(p3_sub(t->p[(k + 2) % 3], t->p[k]), zero);
    return trig_acos(p3_dot(u, v));
}

/* An edge of the sorted list: key of its two points, the triangle (tree order) and which edge. */
static void fill_edges(const bvh* tree, sort_item* edge) {
    for (int32_t i = 0; i < tree->triangle_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            uint64_t a = (uint64_t)tree->corner[3 * i + k];
            uint64_t b = (uint64_t)tree->corner[3 * i + (k + 1) % 3];
            edge[3 * i + k] =
                (sort_item){.key = a < b ? a << 32 | b : b << 32 | a, .value = i, .extra = k};
        }
    }
}

/* Edges get the sum of their faces' normals, corners the sum weighted by angles. */
static void fill_normals(collider_asset* a, const sort_item* edge, lim_point* corner_sum) {
    const bvh* tree = a->tree;
    int32_t count = tree->triangle_count;
    for (int32_t i = 0; i < count; ++i) {
        triangle3 t = triangle_at(tree, i);
        lim_point n = face_normal(&t);
        a->normal[NORMALS * i + FACE] = v3_of(n);
        for (int k = 0; k < 3; ++k) {
            lim_point* sum = &corner_sum[tree->corner[3 * i + k]];
            *sum = p3_mad(*sum, n, corner_angle(&t, k));
        }
    }
    for (int32_t i = 0; i < 3 * count;) {
        int32_t end = i;
        lim_point sum = p3(0, 0, 0);
        for (; end < 3 * count && edge[end].key == edge[i].key; ++end) {
            sum = p3_add(sum, p3_of(a->normal[NORMALS * edge[end].value + FACE]));
        }
        for (; i < end; ++i) {
            lim_vec3* own = a->normal + NORMALS * edge[i].value;
            own[EDGE + edge[i].extra] = v3_of(unit_or(sum, p3_of(own[FACE])));
        }
    }
    for (int32_t i = 0; i < count; ++i) {
        lim_vec3* own = a->normal + NORMALS * (size_t)i;
        for (int k = 0; k < 3; ++k) {
            lim_point sum = corner_sum[tree->corner[3 * i + k]];
            own[CORNER + k] = v3_of(unit_or(sum, p3_of(own[FACE])));
        }
    }
}

static lim_result make_normals(collider_asset* a, int32_t point_count) {
    size_t n = (size_t)a->tree->triangle_count;
    a->normal = ARENA_ARRAY(&a->mem, lim_vec3, NORMALS * n);
    LIM_TRY_MEMORY(a->normal);
    arena scratch;
    arena_init(&scratch, &a->mem.host);
    sort_item* edge = ARENA_ARRAY(&scratch, sort_item, 3 * n);
    sort_item* spare = ARENA_ARRAY(&scratch, sort_item, 3 * n);
    lim_point* corner = ARENA_ARRAY(&scratch, lim_point, point_count);
    bool room = edge != NULL && spare != NULL && corner != NULL;
    if (room) {
        fill_edges(a->tree, edge);
        sort_items(edge, spare, 3 * a->tree->triangle_count);
        fill_normals(a, edge, corner);
    }
    arena_release(&scratch);
    return room ? LIM_OK : LIM_ERROR_MEMORY;
}

static lim_result take_mesh(collider_asset* a, const lim_mesh* mesh) {
    a->origin = mesh->origin;
    a->size = mesh->size;
    a->lower = mesh->report.bounds.lower;
    a->upper = mesh->report.bounds.upper;
    a->solid = mesh->report.closed && mesh->report.non_manifold_edges == 0;
    LIM_TRY(bvh_build(&a->mem, mesh->point, mesh->triangle_point, mesh->triangle_count, &a->tree));
    return make_normals(a, mesh->point_count);
}

lim_result sheet_build(collider_asset* a, const char** out_what, const char** out_cure) {
    lim_host silent = a->mem.host;
    silent.log = NULL;
    arena scratch;
    arena_init(&scratch, &silent);
    double* position = ARENA_ARRAY(&scratch, double, 3 * (size_t)a->from.point_count);
    lim_mesh* mesh = NULL;
    lim_result result = LIM_ERROR_MEMORY;
    if (position != NULL) {
        for (int32_t i = 0; i < a->from.point_count; ++i) {
            position[3 * i] = (double)a->from.points[i].x;
            position[3 * i + 1] = (double)a->from.points[i].y;
            position[3 * i + 2] = (double)a->from.points[i].z;
        }
        lim_mesh_desc desc = lim_mesh_desc_default();
        desc.vertex_count = a->from.point_count;
        desc.triangle_count = a->from.triangle_count;
        desc.positions = position;
        desc.indices = a->from.indices;
        result = lim_mesh_create(&desc, &silent, &mesh);
    }
    if (result == LIM_OK) {
        result = take_mesh(a, mesh);
    } else if (result != LIM_ERROR_MEMORY) {
        result = LIM_ERROR_ARGUMENT;
        *out_what = "no triangle of the mesh has an area";
        *out_cure = "give at least one that has";
    }
    lim_mesh_destroy(mesh);
    arena_release(&scratch);
    return result;
}

/* ---- the nearest point ------------------------------------------------------------------------
 */

typedef struct mesh_near {
    int32_t triangle; /* tree order; -1: none */
    double distance2;
    double weights[3];
    lim_point foot;
} mesh_near;

static double box_distance2(const bvh_node* node, lim_point at) {
    lim_point under = p3_sub(p3_of(node->lower), at), over = p3_sub(at, p3_of(node->upper));
    lim_point d = p3_max(p3_max(under, over), p3(0, 0, 0));
    return p3_dot(d, d);
}

static void look_at_leaf(const bvh* tree, const bvh_node* node, lim_point at, mesh_near* best) {
    for (int32_t i = node->first; i < node->first + node->count; ++i) {
        triangle3 t = triangle_at(tree, i);
        double w[3];
        double d2 = triangle_closest(t.p[0], t.p[1], t.p[2], at, w);
        if (d2 < best->distance2 ||
            (d2 <= best->distance2 && best->triangle >= 0 && i < best->triangle)) {
            *best = (mesh_near){.triangle = i, .distance2 = d2, .weights = {w[0], w[1], w[2]}};
            best->foot = triangle_point_at(t.p[0], t.p[1], t.p[2], w);
        }
    }
}

static mesh_near find_nearest(const bvh* tree, lim_point at) {
    mesh_near best = {.triangle = -1, .distance2 = HUGE_VAL};
    struct {
        int32_t node;
        double distance2;
    } stack[BVH_STACK];
    int top = 0;
    stack[top].node = 0;
    stack[top++].distance2 = 0.0;
    while (top > 0) {
        top--;
        if (stack[top].distance2 > best.distance2) {
            continue;
        }
        const bvh_node* node = &tree->node[stack[top].node];
        if (node->count > 0) {
            look_at_leaf(tree, node, at, &best);
            continue;
        }
        double d[2] = {box_distance2(&tree->node[node->first], at),
                       box_distance2(&tree->node[node->first + 1], at)};
        int near = d[1] < d[0] ? 1 : 0;
        for (int k = 0; k < 2; ++k) { /* the nearer on top */
            int child = k == 0 ? 1 - near : near;
            stack[top].node = node->first + child;
            stack[top++].distance2 = d[child];
        }
    }
    return best;
}

/* Which of the seven normals belongs to where the weights are. */
static int feature_of(const double w[3]) {
    int zero = (w[0] > 0.0 ? 0 : 1) + (w[1] > 0.0 ? 0 : 1) + (w[2] > 0.0 ? 0 : 1);
    if (zero == 0) {
        return FACE;
    }
    for (int k = 0; k < 3; ++k) {
        if (zero >= 2 && w[k] > 0.0) {
            return CORNER + k;
        }
        if (zero == 1 && !(w[(k + 2) % 3] > 0.0)) {
            return EDGE + k; /* between corner k and the next */
        }
    }
    return FACE;
}

double sheet_distance(const collider_asset* a, lim_point at, lim_point* out_normal) {
    lim_point p = p3_scale(p3_sub(at, a->origin), 1.0 / a->size);
    mesh_near near = find_nearest(a->tree, p);
    if (near.triangle < 0) { /* not finite */
        *out_normal = p3(0, 1, 0);
        return HUGE_VAL;
    }
    int feature = feature_of(near.weights);
    lim_point n = p3_of(a->normal[NORMALS * near.triangle + feature]);
    lim_point r = p3_sub(p, near.foot);
    double distance = sqrt(near.distance2), side = p3_dot(r, n) < 0.0 ? -1.0 : 1.0;
    /* r points away from the surface, on either side of it */
    *out_normal = feature == FACE || !(distance > NO_DIRECTION) ? n : p3_scale(r, side / distance);
    if (!a->solid) {
        *out_normal = p3_scale(*out_normal, side);
        return distance * a->size;
    }
    return side * distance * a->size;
}

/* ---- ways through -----------------------------------------------------------------------------
 */

static bool way_meets_box(const bvh_node* node, lim_point from, lim_point along, double most) {
    double enter = 0.0, leave = most;
    const double low[3] = {(double)node->lower.x, (double)node->lower.y, (double)node->lower.z};
    const double high[3] = {(double)node->upper.x, (double)node->upper.y, (double)node->upper.z};
    const double at[3] = {from.x, from.y, from.z}, way[3] = {along.x, along.y, along.z};
    for (int k = 0; k < 3; ++k) {
        if (!(fabs(way[k]) > 1e-30)) {
            if (at[k] < low[k] - 1e-12 || at[k] > high[k] + 1e-12) {
                return false;
            }
            continue;
        }
        double s = (low[k] - at[k]) / way[k], t = (high[k] - at[k]) / way[k];
        double first = s < t ? s : t, last = s < t ? t : s;
        enter = first > enter ? first : enter;
        leave = last < leave ? last : leave;
    }
    return enter <= leave + 1e-9;
}

typedef struct way {
    lim_point from, along;
    double most;       /* shares beyond this do not count */
    int32_t found;     /* crossings in `share`, ascending by the order in the tree */
    double* share;     /* CROSSINGS_MOST of them; or null: only the first crossing is wanted, */
    int32_t triangle;  /* ... which is this, at `most` */
    bool from_outside; /* only against the normals */
} way;

static void meet_leaf(const collider_asset* a, const bvh_node* node, way* w) {
    for (int32_t i = node->first; i < node->first + node->count; ++i) {
        triangle3 t = triangle_at(a->tree, i);
        double weights[3], share;
        if (!triangle_ray(t.p[0], t.p[1], t.p[2], w->from, w->along, weights, &share) ||
            share > w->most) {
            continue;
        }
        if (w->share != NULL) {
            if (w->found < CROSSINGS_MOST) {
                w->share[w->found++] = share;
            }
            continue;
        }
        lim_point n = p3_of(a->normal[NORMALS * i + FACE]);
        bool against = !w->from_outside || p3_dot(n, w->along) < 0.0;
        if (against && (share < w->most || w->triangle < 0 || i < w->triangle)) {
            w->most = share;
            w->triangle = i;
        }
    }
}

static void follow_way(const collider_asset* a, way* w) {
    const bvh* tree = a->tree;
    int32_t stack[BVH_STACK];
    int top = 0;
    stack[top++] = 0;
    while (top > 0) {
        const bvh_node* node = &tree->node[stack[--top]];
        if (!way_meets_box(node, w->from, w->along, w->most)) {
            continue;
        }
        if (node->count > 0) {
            meet_leaf(a, node, w);
            continue;
        }
        stack[top++] = node->first + 1;
        stack[top++] = node->first;
    }
}

static way way_between(const collider_asset* a, lim_point from, lim_point to) {
    double scale = 1.0 / a->size;
    return (way){.from = p3_scale(p3_sub(from, a->origin), scale),
                 .along = p3_scale(p3_sub(to, from), scale),
                 .most = 1.0,
                 .triangle = -1};
}

bool sheet_parts(const collider_asset* a, lim_point from, lim_point to) {
    double share[CROSSINGS_MOST];
    way w = way_between(a, from, to);
    if (!p3_finite(w.from) || !p3_finite(w.along)) {
        return false;
    }
    w.share = share;
    follow_way(a, &w);
    int32_t crossings = 0;
    for (int32_t i = 0; i < w.found; ++i) {
        bool again = false; /* at an edge that two triangles share */
        for (int32_t k = 0; k < i; ++k) {
            again = again || fabs(share[k] - share[i]) < SAME_CROSSING;
        }
        crossings += !again;
    }
    return crossings % 2 == 1;
}

bool sheet_sweep(const collider_asset* a, lim_point from, lim_point to, double* out_share,
                 lim_point* out_normal) {
    way w = way_between(a, from, to);
    if (!p3_finite(w.from) || !p3_finite(w.along)) {
        return false;
    }
    w.from_outside = a->solid;
    follow_way(a, &w);
    if (w.triangle < 0) {
        return false;
    }
    lim_point n = p3_of(a->normal[NORMALS * w.triangle + FACE]);
    *out_share = w.most;
    *out_normal = p3_dot(n, w.along) > 0.0 ? p3_scale(n, -1.0) : n;
    return true;
}
