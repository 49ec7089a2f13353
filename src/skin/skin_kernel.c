/* SPDX-License-Identifier: MIT
 * Job: the arithmetic of the skin, 8 points or vertices at a time (algorithms B.3, F.1.9). In: node
 * affines, bindings, frames. Out: positions, normals, tangents. With weights w_k, B = sum w_k B_k
 * and b = sum w_k (d_k - B_k x0_k) a point is
 *     p = origin' + s R (X + (b + B X)),     G = R (1 + B),
 * and at a vertex the normal is cof(G) n, the tangent G t made orthogonal to it. At rest b and B
 * are zero, so X comes out as it went in. origin' is a difference of doubles, rounded once.
 */
#include "skin/skin_kernel.h"

#include "base/simd.h"

#include <string.h>

/* Squared length that a transported direction must have, relative to the unit one it came from:
 * below it the area (or the fibre) is squashed to a millionth and has no direction. */
#define SQUASHED    1e-12f
#define FAR_TOO_BIG 1e30f

void KERNEL(skin_prepare_slots)(const node_state* nodes, int32_t begin, int32_t end) {
    for (int32_t i = begin; i < end; i += FW_LANES) {
        float* affine = nodes->affine + (size_t)i * 16;
        fw lo[8], hi[8];
        for (int k = 0; k < 8; ++k) {
            lo[k] = fw_loadu(affine + 16 * k);
            hi[k] = fw_loadu(affine + 16 * k + 8);
        }
        fw_transpose8(lo);
        fw_transpose8(hi);
        fw x = fw_loadu(nodes->x0[0] + i), y = fw_loadu(nodes->x0[1] + i);
        fw z = fw_loadu(nodes->x0[2] + i);
        fw bx = fw_mad(lo[2], z, fw_mad(lo[1], y, fw_mul(lo[0], x)));
        fw by = fw_mad(lo[5], z, fw_mad(lo[4], y, fw_mul(lo[3], x)));
        fw bz = fw_mad(hi[0], z, fw_mad(lo[7], y, fw_mul(lo[6], x)));
        hi[1] = fw_sub(fw_loadu(nodes->d[0] + i), bx);
        hi[2] = fw_sub(fw_loadu(nodes->d[1] + i), by);
        hi[3] = fw_sub(fw_loadu(nodes->d[2] + i), bz);
        fw_transpose8(hi);
        for (int k = 0; k < 8; ++k) {
            fw_storeu(affine + 16 * k + 8, hi[k]);
        }
    }
}

/* R (9), s R (9), origin' (3) of one component, in all lanes or lane by lane. */
enum { FRAME_FLOATS = 21 };
typedef struct frame_lanes {
    fw m[FRAME_FLOATS];
    int32_t component; /* of all lanes, or -1 */
} frame_lanes;

static void frame_floats(const skin_job* job, int32_t which, float f[FRAME_FLOATS]) {
    const component* c = &job->nodes->components[which];
    dmat3 r = dquat_matrix(c->rotation);
    for (int k = 0; k < 9; ++k) {
        f[k] = (float)r.m[k];
        f[9 + k] = (float)(job->scale * r.m[k]);
    }
    lim_vec3 shift = v3_of(p3_sub(c->origin, job->out->origin));
    f[18] = shift.x;
    f[19] = shift.y;
    f[20] = shift.z;
}

/* Frames of the components of 8 points; kept from the last group when nothing changes. */
static void frame_gather(const skin_job* job, const int32_t point[8], frame_lanes* frame) {
    const int32_t* component_of = job->bind->component;
    int32_t first = component_of[point[0]];
    bool uniform = true;
    for (int lane = 1; lane < 8; ++lane) {
        uniform = uniform && component_of[point[lane]] == first;
    }
    if (uniform && frame->component == first) {
        return;
    }
    float f[FRAME_FLOATS];
    if (uniform) {
        frame_floats(job, first, f);
        for (int k = 0; k < FRAME_FLOATS; ++k) {
            frame->m[k] = fw_set1(f[k]);
        }
        frame->component = first;
        return;
    }
    float lanes[FRAME_FLOATS][8];
    for (int lane = 0; lane < 8; ++lane) {
        int32_t which = component_of[point[lane]];
        if (lane == 0 || which != component_of[point[lane - 1]]) {
            frame_floats(job, which, f);
        }
        for (int k = 0; k < FRAME_FLOATS; ++k) {
            lanes[k][lane] = f[k];
        }
    }
    for (int k = 0; k < FRAME_FLOATS; ++k) {
        frame->m[k] = fw_loadu(lanes[k]);
    }
    frame->component = -1;
}

static fw dot3(fw a, fw b, fw c, fw x, fw y, fw z) {
    return fw_mad(c, z, fw_mad(b, y, fw_mul(a, x)));
}

/* Weighted sums of the affines of a point's nodes: B0..B7 in *lo; B8, b, spare in *hi. Weights come
 * in descending order, zeros last. */
static void blend(const float* affine, const binding* b, fw* lo, fw* hi) {
    const float* a = affine + (size_t)b->node[0] * 16;
    fw w = fw_set1(b->weight[0]);
    fw sum_lo = fw_mul(w, fw_loadu(a)), sum_hi = fw_mul(w, fw_loadu(a + 8));
    for (int k = 1; k < BINDING_NODES && b->weight[k] > 0.0f; ++k) {
        a = affine + (size_t)b->node[k] * 16;
        w = fw_set1(b->weight[k]);
        sum_lo = fw_mad(w, fw_loadu(a), sum_lo);
        sum_hi = fw_mad(w, fw_loadu(a + 8), sum_hi);
    }
    *lo = sum_lo;
    *hi = sum_hi;
}

void KERNEL(skin_blend_points)(const skin_job* job, int32_t begin, int32_t end) {
    const bindings* b = job->bind;
    const fw one = fw_set1(1.0f);
    frame_lanes frame = {.component = -1};
    for (int32_t i = begin; i < end; i += FW_LANES) {
        int32_t live = end - i < FW_LANES ? end - i : FW_LANES;
        int32_t point[8];
        fw lo[8], hi[8];
        for (int lane = 0; lane < 8; ++lane) {
            point[lane] = lane < live ? i + lane : end - 1;
            blend(job->nodes->affine, &b->bind[point[lane]], &lo[lane], &hi[lane]);
        }
        fw_transpose8(lo);
        fw_transpose8(hi);
        fw x[3], p[3];
        for (int axis = 0; axis < 3; ++axis) {
            x[axis] =
                live == FW_LANES ? fw_loadu(b->rest[axis] + i) : fw_gather(b->rest[axis], point);
        }
        const fw g[9] = {lo[0], lo[1], lo[2], lo[3], lo[4], lo[5], lo[6], lo[7], hi[0]};
        for (int row = 0; row < 3; ++row) {
            fw moved = dot3(g[3 * row], g[3 * row + 1], g[3 * row + 2], x[0], x[1], x[2]);
            p[row] = fw_add(x[row], fw_add(hi[1 + row], moved));
        }
        frame_gather(job, point, &frame);
        const fw* r = frame.m;
        const fw* m = frame.m + 9;
        fw l[9], turned[9];
        for (int k = 0; k < 9; ++k) {
            l[k] = k % 4 == 0 ? fw_add(g[k], one) : g[k];
        }
        for (int row = 0; row < 3; ++row) {
            for (int column = 0; column < 3; ++column) {
                turned[3 * row + column] = dot3(r[3 * row], r[3 * row + 1], r[3 * row + 2],
                                                l[column], l[3 + column], l[6 + column]);
            }
            hi[1 + row] = fw_add(dot3(m[3 * row], m[3 * row + 1], m[3 * row + 2], p[0], p[1], p[2]),
                                 m[9 + row]);
        }
        for (int k = 0; k < 8; ++k) {
            lo[k] = turned[k];
        }
        hi[0] = turned[8];
        fw_transpose8(lo);
        fw_transpose8(hi);
        for (int lane = 0; lane < live; ++lane) {
            fw_storeu(job->points + (size_t)(i + lane) * 16, lo[lane]);
            fw_storeu(job->points + (size_t)(i + lane) * 16 + 8, hi[lane]);
        }
    }
}

/* The first `width` (3 or 4) floats of 8 vertices from i on as wide floats r[0..width-1]. Loads 8
 * floats per vertex where the array is long enough. */
static void load_vertices(const float* from, int width, int32_t i, int32_t count, fw r[8]) {
    if (i + FW_LANES + 2 <= count) {
        for (int lane = 0; lane < 8; ++lane) {
            r[lane] = fw_loadu(from + (size_t)(i + lane) * (size_t)width);
        }
    } else {
        for (int lane = 0; lane < 8; ++lane) {
            int32_t vertex = i + lane < count ? i + lane : count - 1;
            float row[8] = {0};
            memcpy(row, from + (size_t)vertex * (size_t)width, (size_t)width * sizeof(float));
            r[lane] = fw_loadu(row);
        }
    }
    fw_transpose8(r);
}

/* The rest normal turned with its frame, for lanes whose own is squashed. */
static void mend_normals(const skin_job* job, const int32_t point[8], mw good, const fw rest[3],
                         fw n[3]) {
    frame_lanes frame = {.component = -1};
    frame_gather(job, point, &frame);
    for (int row = 0; row < 3; ++row) {
        const fw* r = frame.m + 3 * row;
        n[row] = fw_select(good, n[row], dot3(r[0], r[1], r[2], rest[0], rest[1], rest[2]));
    }
}

/* Any unit vector across n, for lanes whose tangent is squashed: n x e with the axis e that is
 * least along n, of x and y. */
static void mend_tangents(mw good, const fw n[3], fw t[3]) {
    mw use_x = fw_lt(fw_abs(n[0]), fw_abs(n[1]));
    fw zero = fw_zero();
    fw across[3] = {fw_select(use_x, zero, fw_neg(n[2])), fw_select(use_x, n[2], zero),
                    fw_select(use_x, fw_neg(n[1]), n[0])};
    fw square = dot3(across[0], across[1], across[2], across[0], across[1], across[2]);
    mw some = fw_gt(square, fw_set1(SQUASHED));
    fw inverse = fw_div(fw_set1(1.0f), fw_sqrt(fw_select(some, square, fw_set1(1.0f))));
    for (int row = 0; row < 3; ++row) {
        t[row] = fw_select(good, t[row], fw_mul(across[row], inverse));
    }
}

/* Lanes whose squared length is fit to be divided by. */
static mw has_direction(fw square) {
    return mw_and(fw_gt(square, fw_set1(SQUASHED)), fw_lt(square, fw_set1(FAR_TOO_BIG)));
}

static void deform_tangents(const skin_job* job, int32_t i, int32_t live, const fw g[9],
                            const fw n[3]) {
    fw rest[8], t[8];
    load_vertices(job->surface->tangent, 4, i, job->surface->vertex_count, rest);
    for (int row = 0; row < 3; ++row) {
        t[row] = dot3(g[3 * row], g[3 * row + 1], g[3 * row + 2], rest[0], rest[1], rest[2]);
    }
    fw along = dot3(n[0], n[1], n[2], t[0], t[1], t[2]);
    for (int row = 0; row < 3; ++row) {
        t[row] = fw_sub(t[row], fw_mul(along, n[row]));
    }
    fw square = dot3(t[0], t[1], t[2], t[0], t[1], t[2]);
    mw good = has_direction(square);
    fw inverse = fw_div(fw_set1(1.0f), fw_sqrt(square));
    for (int row = 0; row < 3; ++row) {
        t[row] = fw_mul(t[row], inverse);
    }
    if (!mw_all(good)) {
        mend_tangents(good, n, t);
    }
    t[3] = rest[3];
    for (int k = 4; k < 8; ++k) {
        t[k] = fw_zero();
    }
    fw_transpose8(t);
    for (int lane = 0; lane < live; ++lane) {
        float row[8];
        fw_storeu(row, t[lane]);
        memcpy(job->out->tangents + (size_t)(i + lane) * 4, row, 4 * sizeof(float));
    }
}

void KERNEL(skin_deform_vertices)(const skin_job* job, int32_t begin, int32_t end) {
    const skin_surface* s = job->surface;
    bool tangents = s->tangent != NULL && job->out->tangents != NULL;
    for (int32_t i = begin; i < end; i += FW_LANES) {
        int32_t live = end - i < FW_LANES ? end - i : FW_LANES;
        int32_t point[8];
        fw g[9], hi[8], rest[8], n[3];
        for (int lane = 0; lane < 8; ++lane) {
            point[lane] = s->vertex_point[lane < live ? i + lane : end - 1];
            const float* from = job->points + (size_t)point[lane] * 16;
            g[lane] = fw_loadu(from);
            hi[lane] = fw_loadu(from + 8);
        }
        fw_transpose8(g);
        fw_transpose8(hi);
        g[8] = hi[0];
        load_vertices(s->normal, 3, i, s->vertex_count, rest);
        for (int row = 0; row < 3; ++row) {
            /* cofactor row: the cross product of the two other rows of G */
            const fw* a = g + 3 * ((row + 1) % 3);
            const fw* b = g + 3 * ((row + 2) % 3);
            n[row] =
                dot3(fw_sub(fw_mul(a[1], b[2]), fw_mul(a[2], b[1])),
                     fw_sub(fw_mul(a[2], b[0]), fw_mul(a[0], b[2])),
                     fw_sub(fw_mul(a[0], b[1]), fw_mul(a[1], b[0])), rest[0], rest[1], rest[2]);
        }
        fw square = dot3(n[0], n[1], n[2], n[0], n[1], n[2]);
        mw good = has_direction(square);
        fw inverse = fw_div(fw_set1(1.0f), fw_sqrt(square));
        for (int row = 0; row < 3; ++row) {
            n[row] = fw_mul(n[row], inverse);
        }
        if (!mw_all(good)) {
            mend_normals(job, point, good, rest, n);
        }
        if (tangents) {
            deform_tangents(job, i, live, g, n);
        }
        fw row[8] = {hi[1], hi[2], hi[3], n[0], n[1], n[2], fw_zero(), fw_zero()};
        fw_transpose8(row);
        for (int lane = 0; lane < live; ++lane) {
            float both[8];
            fw_storeu(both, row[lane]);
            memcpy(job->out->positions + (size_t)(i + lane) * 3, both, 3 * sizeof(float));
            memcpy(job->out->normals + (size_t)(i + lane) * 3, both + 3, 3 * sizeof(float));
        }
    }
}

void KERNEL(skin_bounds)(const float* positions, int32_t count, lim_vec3* lower, lim_vec3* upper) {
    /* 8 positions are 3 wide floats, always with the same coordinate in the same lane. */
    float low[24], high[24];
    for (int k = 0; k < 24; ++k) {
        low[k] = high[k] = positions[k % 3];
    }
    fw least[3], most[3];
    for (int k = 0; k < 3; ++k) {
        least[k] = fw_loadu(low + 8 * k);
        most[k] = fw_loadu(high + 8 * k);
    }
    int32_t i = 0;
    for (; i + 8 <= count; i += 8) {
        for (int k = 0; k < 3; ++k) {
            fw p = fw_loadu(positions + (size_t)i * 3 + 8 * k);
            least[k] = fw_min(p, least[k]);
            most[k] = fw_max(p, most[k]);
        }
    }
    for (int k = 0; k < 3; ++k) {
        fw_storeu(low + 8 * k, least[k]);
        fw_storeu(high + 8 * k, most[k]);
    }
    *lower = v3(low[0], low[1], low[2]);
    *upper = v3(high[0], high[1], high[2]);
    for (int k = 3; k < 24; k += 3) {
        *lower = v3_min(v3(low[k], low[k + 1], low[k + 2]), *lower);
        *upper = v3_max(v3(high[k], high[k + 1], high[k + 2]), *upper);
    }
    for (; i < count; ++i) {
        lim_vec3 p = v3(positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]);
        *lower = v3_min(p, *lower);
        *upper = v3_max(p, *upper);
    }
}
