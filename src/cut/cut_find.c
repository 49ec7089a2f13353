/* SPDX-License-Identifier: MIT
 * Job: which skin triangles meet which blade triangles. In: a surface, a blade. Out: hits: for each
 * pair that meets, the two ends of the segment in which it does, each where an edge of one triangle
 * passes through the other. All by exact signs of orientation: an edge that two triangles share
 * gets the same answer from both, so that nothing slips through between two blade triangles. A sign
 * of 0 that matters ends the attempt.
 */
#include "cut/cut_work.h"

#include "math/predicates.h"
#include "mesh/bvh.h"

typedef struct box {
    lim_point lower, upper;
} box;

static box box_of(const lim_point p[3]) {
    return (box){p3_min(p3_min(p[0], p[1]), p[2]), p3_max(p3_max(p[0], p[1]), p[2])};
}

static bool boxes_meet(box a, box b) {
    return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y &&
           b.lower.y <= a.upper.y && a.lower.z <= b.upper.z && b.lower.z <= a.upper.z;
}

static void corners_of(const lim_point* point, const int32_t* triangle, int32_t t, lim_point p[3]) {
    for (int k = 0; k < 3; ++k) {
        p[k] = point[triangle[3 * (size_t)t + (size_t)k]];
    }
}

/* No area at all, exactly. */
static bool is_flat(const lim_point p[3]) {
    for (int32_t axis = 0; axis < 3; ++axis) {
        double q[3][2];
        for (int k = 0; k < 3; ++k) {
            cut_project(p[k], axis, q[k]);
        }
        if (orient2d(q[0], q[1], q[2]) != 0) {
            return false;
        }
    }
    return true;
}

/* Does the segment a b, whose ends lie on both sides of the triangle's plane, pass through it? 1,
 * 0, or -1: exactly through its border. */
static int passes(lim_point a, lim_point b, const lim_point t[3]) {
    int low = 1, high = -1;
    for (int k = 0; k < 3; ++k) {
        int s = orient3d(a, b, t[k], t[(k + 1) % 3]);
        low = s < low ? s : low;
        high = s > high ? s : high;
    }
    return low * high > 0 ? 1 : low * high < 0 ? 0 : -1;
}

/* Edges of triangle p, with signs relative to triangle t, that pass through t. Each goes to ends[]
 * as base + k: at ends[0] when it rises as `rising` says, else at ends[1]. False: undecided. */
static bool add_ends(const lim_point p[3], const int sign[3], const lim_point t[3], int32_t base,
                     int32_t rising_end, int32_t ends[2]) {
    for (int k = 0; k < 3; ++k) {
        int n = (k + 1) % 3;
        if (sign[k] * sign[n] >= 0) {
            continue;
        }
        int through = passes(p[k], p[n], t);
        if (through == 0) {
            continue;
        }
        int32_t end = sign[n] > 0 ? rising_end : 1 - rising_end;
        if (through < 0 || ends[end] >= 0) {
            return false;
        }
        ends[end] = base + k;
    }
    return true;
}

/* 1: they meet, 0: not, -1: undecided. In the skin triangle, walked counter-clockwise, the edge
 * that rises to the blade's positive side holds the segment's end; in the blade triangle the one
 * that rises out of the solid holds its start. */
static int meet(const lim_point skin[3], const lim_point blade[3], int32_t ends[2]) {
    if (!boxes_meet(box_of(skin), box_of(blade))) {
        return 0;
    }
    int above[3], outside[3], sum = 0;
    for (int k = 0; k < 3; ++k) {
        above[k] = orient3d(blade[0], blade[1], blade[2], skin[k]);
        sum += above[k];
    }
    if (sum == 3 || sum == -3) {
        return 0;
    }
    sum = 0;
    bool zero = false;
    for (int k = 0; k < 3; ++k) {
        outside[k] = orient3d(skin[0], skin[1], skin[2], blade[k]);
        sum += outside[k];
        zero |= outside[k] == 0;
    }
    if (sum == 3 || sum == -3) {
        return 0;
    }
    if (above[0] == 0 || above[1] == 0 || above[2] == 0 || (zero && !is_flat(skin))) {
        return -1;
    }
    ends[0] = ends[1] = -1;
    if (!add_ends(skin, above, blade, 0, 1, ends) || !add_ends(blade, outside, skin, 3, 0, ends)) {
        return -1;
    }
    return ends[0] >= 0 && ends[1] >= 0 ? 1 : ends[0] < 0 && ends[1] < 0 ? 0 : -1;
}

typedef struct finder {
    cut_work* w;
    lim_point corner[3];
    int32_t triangle;
    bool flat;      /* blades that lie on themselves cross themselves too */
    uint8_t* where; /* of cut_blade_crosses */
    lim_result result;
} finder;

static bool visit_blade(void* user, int32_t b) {
    finder* f = user;
    cut_work* w = f->w;
    lim_point blade[3];
    cut_hit hit = {.skin = f->triangle, .blade = b};
    int32_t ends[2];
    corners_of(w->blade.point, w->blade.triangle, b, blade);
    int met = meet(f->corner, blade, ends);
    if (met > 0) {
        hit.from = ends[0];
        hit.to = ends[1];
        if (!ARRAY_PUSH(&w->mem.host, &w->hit, hit)) {
            f->result = LIM_ERROR_MEMORY;
        }
    } else if (met < 0) {
        f->result = LIM_ERROR_UNSUPPORTED;
    }
    return f->result == LIM_OK;
}

/* The tree holds floats: a box is asked for with what rounding to them can move. */
static void ask_tree(const bvh* tree, box b, bool (*visit)(void*, int32_t), void* user) {
    lim_point far = p3_max(p3_scale(b.lower, -1.0), b.upper);
    double margin = 1e-6 * (fabs(far.x) + fabs(far.y) + fabs(far.z)) + 1e-30;
    lim_point m = p3(margin, margin, margin);
    bvh_visit(tree, v3_of(p3_sub(b.lower, m)), v3_of(p3_add(b.upper, m)), visit, user);
}

static lim_result make_tree(cut_work* w, bvh** out) {
    lim_vec3* point = ARENA_ARRAY(&w->mem, lim_vec3, w->blade.point_count);
    LIM_TRY_MEMORY(point);
    for (int32_t i = 0; i < w->blade.point_count; ++i) {
        point[i] = v3_of(w->blade.point[i]);
    }
    return bvh_build(&w->mem, point, w->blade.triangle, w->blade.triangle_count, out);
}

/* Whether two triangles of one plane overlap: no side of either has all of the other beyond it. */
static bool overlap_flat(const lim_point a[3], const lim_point b[3]) {
    double p[2][3][2];
    int32_t axis = cut_axis(a[0], a[1], a[2]);
    for (int k = 0; k < 3; ++k) {
        cut_project(a[k], axis, p[0][k]);
        cut_project(b[k], axis, p[1][k]);
    }
    for (int i = 0; i < 2; ++i) {
        int turn = orient2d(p[i][0], p[i][1], p[i][2]);
        for (int k = 0; k < 3; ++k) {
            int inner = 0;
            for (int c = 0; c < 3; ++c) {
                inner += turn * orient2d(p[i][k], p[i][(k + 1) % 3], p[1 - i][c]) > 0;
            }
            if (inner == 0) {
                return false;
            }
        }
    }
    return true;
}

/* Whether a plane through a side of triangle t, across it, has all of triangle p beyond it but
 * corners that are the side's own: then they meet there at most. Well beyond, so that rounding does
 * not matter; most neighbours in a blade are told apart by it, which exact signs in a flat blade
 * cannot do fast. */
static bool parted(const lim_point t[3], const int32_t* t_name, const lim_point p[3],
                   const int32_t* p_name) {
    lim_point n = p3_cross(p3_sub(t[1], t[0]), p3_sub(t[2], t[0]));
    for (int k = 0; k < 3; ++k) {
        int next = (k + 1) % 3, beyond = 0;
        lim_point out = p3_cross(p3_sub(t[next], t[k]), n);
        double size = p3_dot(out, out);
        for (int c = 0; c < 3; ++c) {
            lim_point r = p3_sub(p[c], t[k]);
            double far = p3_dot(r, out);
            bool own = p_name[c] == t_name[k] || p_name[c] == t_name[next];
            beyond += own || (far > 0.0 && far * far > 1e-20 * size * p3_dot(r, r));
        }
        if (beyond == 3) {
            return true;
        }
    }
    return false;
}

/* Whether an edge of triangle p passes through triangle t. Where they share points, the edges that
 * hold these are left out. */
static bool edge_passes(const lim_point p[3], const int32_t* p_name, const lim_point t[3],
                        const int32_t* t_name) {
    for (int k = 0; k < 3; ++k) {
        int n = (k + 1) % 3;
        bool shared = false;
        for (int i = 0; i < 3; ++i) {
            shared |= p_name[k] == t_name[i] || p_name[n] == t_name[i];
        }
        if (shared) {
            continue;
        }
        int s = orient3d(t[0], t[1], t[2], p[k]), e = orient3d(t[0], t[1], t[2], p[n]);
        if (s * e < 0 && passes(p[k], p[n], t) != 0) {
            return true;
        }
    }
    return false;
}

/* Blade against blade, each pair once. Two that share a side have no edge without a shared point.
 */
static bool visit_own(void* user, int32_t b) {
    finder* f = user;
    const int32_t* mine = f->w->blade.triangle + 3 * (size_t)f->triangle;
    const int32_t* other = f->w->blade.triangle + 3 * (size_t)b;
    int shared = 0;
    for (int k = 0; k < 9; ++k) {
        shared += mine[k / 3] == other[k % 3];
    }
    if (b <= f->triangle || shared >= 2) {
        return true;
    }
    lim_point t[3];
    corners_of(f->w->blade.point, f->w->blade.triangle, b, t);
    if (parted(t, other, f->corner, mine) || parted(f->corner, mine, t, other)) {
        return true;
    }
    int level = 0;
    for (int k = 0; k < 3 && f->flat; ++k) {
        level += orient3d(t[0], t[1], t[2], f->corner[k]) == 0;
    }
    if ((level == 3 && overlap_flat(f->corner, t)) || edge_passes(f->corner, mine, t, other) ||
        edge_passes(t, other, f->corner, mine)) {
        f->result = LIM_ERROR_UNSUPPORTED;
        if (f->where != NULL) {
            f->where[f->triangle] = f->where[b] = 1;
        }
    }
    return f->result == LIM_OK || f->where != NULL;
}

static lim_result check_crossing(cut_work* w, const bvh* tree, bool flat, uint8_t* where) {
    finder f = {.w = w, .flat = flat, .where = where, .result = LIM_OK};
    bool all = where != NULL;
    for (int32_t b = 0; b < w->blade.triangle_count && (all || f.result == LIM_OK); ++b) {
        f.triangle = b;
        corners_of(w->blade.point, w->blade.triangle, b, f.corner);
        ask_tree(tree, box_of(f.corner), visit_own, &f);
    }
    return f.result;
}

lim_result cut_blade_crosses(const cut_blade* blade, const lim_host* host, uint8_t* where,
                             bool* out) {
    cut_work w = {.blade = *blade};
    bvh* tree = NULL;
    arena_init(&w.mem, host);
    lim_result result = make_tree(&w, &tree);
    if (result == LIM_OK) {
        *out = check_crossing(&w, tree, true, where) != LIM_OK;
    }
    arena_release(&w.mem);
    return result;
}

/* Indices and coordinates of a candidate; then the blade triangles near it. */
static lim_result look_at(finder* f, const bvh* tree, box all, int32_t t) {
    const cut_surface* s = f->w->surface;
    for (int k = 0; k < 3; ++k) {
        int32_t p = s->triangle[3 * (size_t)t + (size_t)k];
        if (p < 0 || p >= s->point_count || !p3_finite(s->point[p])) {
            return LIM_ERROR_ARGUMENT;
        }
        f->corner[k] = s->point[p];
    }
    box b = box_of(f->corner);
    if (boxes_meet(b, all)) {
        f->triangle = t;
        ask_tree(tree, b, visit_blade, f);
    }
    return f->result;
}

lim_result cut_find(cut_work* w) {
    bvh* tree = NULL;
    LIM_TRY(make_tree(w, &tree));
    if (!w->blade.sound) {
        LIM_TRY(check_crossing(w, tree, false, NULL));
    }
    box all = {w->blade.point[w->blade.triangle[0]], w->blade.point[w->blade.triangle[0]]};
    for (int32_t i = 0; i < 3 * w->blade.triangle_count; ++i) {
        all.lower = p3_min(all.lower, w->blade.point[w->blade.triangle[i]]);
        all.upper = p3_max(all.upper, w->blade.point[w->blade.triangle[i]]);
    }
    finder f = {.w = w, .result = LIM_OK};
    const int32_t* candidate = w->options->candidate;
    int32_t count = candidate != NULL ? w->options->candidate_count : w->surface->triangle_count;
    for (int32_t i = 0; i < count; ++i) {
        int32_t t = candidate != NULL ? candidate[i] : i;
        if (t < 0 || t >= w->surface->triangle_count ||
            (candidate != NULL && i > 0 && t <= candidate[i - 1])) {
            return LIM_ERROR_ARGUMENT;
        }
        LIM_TRY(look_at(&f, tree, all, t));
    }
    return LIM_OK;
}
