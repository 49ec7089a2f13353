/* SPDX-License-Identifier: MIT
 * Job: the arithmetic of the skin, 8 vertices at a time. In: node affines, bindings, frames. Out:
 * positions, normals, tangents. With weights w_k, B = sum w_k B_k and b = sum w_k (d_k - B_k x0_k)
 * a vertex at rest position X with normal n and tangent t has
 *     p = origin' + s R (X + (b + B X)),     R unit(cof(L) n),     R unit(L t made across it),
 * with L = 1 + B. Over a lattice (skin/trilinear.h) b + B X is instead the displacement between the
 * corners of the vertex's cell, and B its gradient. At rest b and B are zero, so X comes out as it
 * went in. origin' is a difference of doubles, rounded once. Everything happens in one pass: a
 * vertex costs about as much to blend as to fetch what another pass would have left for it.
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

KERNEL_PASS fw dot3(fw a, fw b, fw c, fw x, fw y, fw z) {
    return fw_mad(c, z, fw_mad(b, y, fw_mul(a, x)));
}

/* out = m x, m 3x3 row major. */
KERNEL_PASS void turn(const fw m[9], const fw x[3], fw out[3]) {
    for (int row = 0; row < 3; ++row) {
        out[row] = dot3(m[3 * row], m[3 * row + 1], m[3 * row + 2], x[0], x[1], x[2]);
    }
}

/* Weighted sums of the affines of a point's nodes: B0..B7 in *lo; B8, b, spare in *hi. All 8, also
 * those of weight 0: a loop of foreseeable length costs less than a few sums. */
KERNEL_PASS void blend(const float* affine, const binding* b, fw* lo, fw* hi) {
    const float* a = affine + (size_t)b->node[0] * 16;
    fw w = fw_set1(b->weight[0]);
    fw sum_lo = fw_mul(w, fw_loadu(a)), sum_hi = fw_mul(w, fw_loadu(a + 8));
    for (int k = 1; k < BINDING_NODES; ++k) {
        a = affine + (size_t)b->node[k] * 16;
        w = fw_set1(b->weight[k]);
        sum_lo = fw_mad(w, fw_loadu(a), sum_lo);
        sum_hi = fw_mad(w, fw_loadu(a + 8), sum_hi);
    }
    *lo = sum_lo;
    *hi = sum_hi;
}

/* B (9, row major) and b (3) of 8 points. */
KERNEL_PASS void blend_points(const skin_job* job, const int32_t point[8], fw m[12]) {
    fw hi[8];
    for (int lane = 0; lane < 8; ++lane) {
        blend(job->nodes->affine, &job->bind->bind[point[lane]], &m[lane], &hi[lane]);
    }
    fw_transpose8(m);
    fw_columns4(hi, m + 8);
}

/* 3 numbers of each of 8 points. */
KERNEL_PASS void load_points(float* const from[3], const int32_t point[8], fw x[3]) {
    bool consecutive = true;
    for (int lane = 1; lane < 8; ++lane) {
        consecutive = consecutive && point[lane] == point[0] + lane;
    }
    for (int axis = 0; axis < 3; ++axis) {
        x[axis] = consecutive ? fw_loadu(from[axis] + point[0]) : fw_gather(from[axis], point);
    }
}

/* What a vertex does in its component's frame: displacement u and gradient L = 1 + B. */
typedef struct field {
    fw u[3], l[9];
} field;

KERNEL_PASS void affine_field(const skin_job* job, const int32_t point[8], const fw x[3],
                              field* f) {
    fw m[12];
    blend_points(job, point, m);
    for (int row = 0; row < 3; ++row) {
        fw moved = dot3(m[3 * row], m[3 * row + 1], m[3 * row + 2], x[0], x[1], x[2]);
        f->u[row] = fw_add(m[9 + row], moved);
    }
    for (int k = 0; k < 9; ++k) {
        f->l[k] = k % 4 == 0 ? fw_add(m[k], fw_set1(1.0f)) : m[k];
    }
}

/* Displacements alone, where nodes have no affine part. */
static inline void plain_field(const skin_job* job, const int32_t point[8], fw u[3]) {
    fw rows[8], m[4];
    for (int lane = 0; lane < 8; ++lane) {
        const binding* b = &job->bind->bind[point[lane]];
        rows[lane] = fw_zero();
        for (int k = 0; k < BINDING_NODES; ++k) {
            const float* a = job->nodes->affine + (size_t)b->node[k] * 16 + 8;
            rows[lane] = fw_mad(fw_set1(b->weight[k]), fw_loadu(a), rows[lane]);
        }
    }
    fw_columns4(rows, m);
    for (int row = 0; row < 3; ++row) {
        u[row] = m[1 + row];
    }
}

void KERNEL(skin_place_points)(const bindings* b, const node_state* nodes, const int32_t* order,
                               int32_t begin, int32_t end, float* const place[3]) {
    const skin_job job = {.bind = b, .nodes = nodes};
    for (int32_t i = begin; i < end; i += FW_LANES) {
        int32_t point[8];
        for (int lane = 0; lane < 8; ++lane) {
            point[lane] = i + lane < end ? i + lane : end - 1;
            point[lane] = order != NULL ? order[point[lane]] : point[lane];
        }
        field f;
        fw x[3];
        load_points(b->rest, point, x);
        if (b->plain) {
            plain_field(&job, point, f.u);
        } else {
            affine_field(&job, point, x, &f);
        }
        for (int row = 0; row < 3; ++row) {
            fw_storeu(place[row] + i, fw_add(x[row], f.u[row]));
        }
    }
}

/* The cells of 8 points: node records and their corners, and where in the cell each point is. */
typedef struct cell_lanes {
    const float* affine;
    const int32_t* corner[8];
    fw at[3];
} cell_lanes;

/* Value and slope between two corners that differ along x: v = a + x (b - a). */
static inline void edge_field(const cell_lanes* c, int low, fw v[3], fw slope[3]) {
    fw rows[8], a[4], b[4]; /* displacements are in 1..3 */
    for (int lane = 0; lane < 8; ++lane) {
        rows[lane] = fw_loadu(c->affine + (size_t)c->corner[lane][low] * 16 + 8);
    }
    fw_columns4(rows, a);
    for (int lane = 0; lane < 8; ++lane) {
        rows[lane] = fw_loadu(c->affine + (size_t)c->corner[lane][low + 1] * 16 + 8);
    }
    fw_columns4(rows, b);
    for (int row = 0; row < 3; ++row) {
        slope[row] = fw_sub(b[1 + row], a[1 + row]);
        v[row] = fw_mad(c->at[0], slope[row], a[1 + row]);
    }
}

/* The same over four corners that differ along x and y. slope: 3 per axis. */
static inline void face_field(const cell_lanes* c, int low, fw v[3], fw slope[6]) {
    fw other[3], other_slope[3];
    edge_field(c, low, v, slope);
    edge_field(c, low + 2, other, other_slope);
    for (int row = 0; row < 3; ++row) {
        slope[3 + row] = fw_sub(other[row], v[row]);
        v[row] = fw_mad(c->at[1], slope[3 + row], v[row]);
        slope[row] = fw_mad(c->at[1], fw_sub(other_slope[row], slope[row]), slope[row]);
    }
}

static inline void cell_field(const skin_job* job, const int32_t point[8], field* f) {
    cell_lanes c = {.affine = job->nodes->affine};
    for (int lane = 0; lane < 8; ++lane) {
        c.corner[lane] = job->bind->corner + (size_t)job->bind->cell[point[lane]] * 8;
    }
    load_points(job->bind->local, point, c.at);
    fw slope[6], other[3], other_slope[6];
    face_field(&c, 0, f->u, slope);
    face_field(&c, 4, other, other_slope);
    fw per_edge = fw_set1(1.0f / job->bind->cell_edge), one = fw_set1(1.0f);
    for (int row = 0; row < 3; ++row) {
        fw along_z = fw_sub(other[row], f->u[row]);
        f->u[row] = fw_mad(c.at[2], along_z, f->u[row]);
        f->l[3 * row + 2] = fw_mul(per_edge, along_z);
        for (int axis = 0; axis < 2; ++axis) {
            fw near = slope[3 * axis + row], far = other_slope[3 * axis + row];
            f->l[3 * row + axis] = fw_mul(per_edge, fw_mad(c.at[2], fw_sub(far, near), near));
        }
        f->l[4 * row] = fw_add(f->l[4 * row], one);
    }
}

/* 8 vectors of `width` (3 or 4) floats from vertex i on, of which `live` are there; the rest is
 * zero. */
KERNEL_PASS void load_vectors(const float* from, int width, int32_t i, int32_t live, fw out[4]) {
    float ragged[32];
    from += (size_t)i * (size_t)width;
    if (live < FW_LANES) {
        memset(ragged, 0, sizeof ragged);
        memcpy(ragged, from, (size_t)(live * width) * sizeof(float));
        from = ragged;
    }
    if (width == 3) {
        fw_load3(from, out);
    } else {
        fw_load4(from, out);
    }
}

KERNEL_PASS void store_vectors(float* to, int width, int32_t i, int32_t live, const fw in[4]) {
    float ragged[32];
    to += (size_t)i * (size_t)width;
    float* at = live < FW_LANES ? ragged : to;
    if (width == 3) {
        fw_store3(at, in);
    } else {
        fw_store4(at, in);
    }
    if (live < FW_LANES) {
        memcpy(to, ragged, (size_t)(live * width) * sizeof(float));
    }
}

/* Makes a unit vector of v; returns the lanes whose squared length was fit to be divided by. */
static mw make_unit(fw v[3]) {
    fw square = dot3(v[0], v[1], v[2], v[0], v[1], v[2]);
    fw inverse = fw_div(fw_set1(1.0f), fw_sqrt(square));
    for (int row = 0; row < 3; ++row) {
        v[row] = fw_mul(v[row], inverse);
    }
    return mw_and(fw_gt(square, fw_set1(SQUASHED)), fw_lt(square, fw_set1(FAR_TOO_BIG)));
}

/* n = unit(cof(L) rest), or the rest normal where that is squashed. */
KERNEL_PASS void transport_normal(const fw l[9], const fw rest[3], fw n[3]) {
    for (int row = 0; row < 3; ++row) {
        /* cofactor row: the cross product of the two other rows of L */
        const fw* a = l + 3 * ((row + 1) % 3);
        const fw* b = l + 3 * ((row + 2) % 3);
        n[row] = dot3(fw_sub(fw_mul(a[1], b[2]), fw_mul(a[2], b[1])),
                      fw_sub(fw_mul(a[2], b[0]), fw_mul(a[0], b[2])),
                      fw_sub(fw_mul(a[0], b[1]), fw_mul(a[1], b[0])), rest[0], rest[1], rest[2]);
    }
    mw good = make_unit(n);
    for (int row = 0; row < 3 && !mw_all(good); ++row) {
        n[row] = fw_select(good, n[row], rest[row]);
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

/* t = unit(L rest less its part along n). */
KERNEL_PASS void transport_tangent(const fw l[9], const fw n[3], const fw rest[3], fw t[3]) {
    turn(l, rest, t);
    fw along = dot3(n[0], n[1], n[2], t[0], t[1], t[2]);
    for (int row = 0; row < 3; ++row) {
        t[row] = fw_sub(t[row], fw_mul(along, n[row]));
    }
    mw good = make_unit(t);
    if (!mw_all(good)) {
        mend_tangents(good, n, t);
    }
}

/* `cells`: the field is that of lattice cells; a constant in each of the two kernels. */
static inline void deform(const skin_job* job, int32_t begin, int32_t end, bool cells) {
    const skin_surface* s = job->surface;
    const skin_output* to = job->out;
    bool tangents = s->tangent != NULL && to->tangents != NULL;
    frame_lanes frame = {.component = -1};
    for (int32_t i = begin; i < end; i += FW_LANES) {
        int32_t live = end - i < FW_LANES ? end - i : FW_LANES;
        int32_t point[8];
        if (live == FW_LANES) {
            memcpy(point, s->vertex_point + i, sizeof point);
        }
        for (int lane = 0; lane < 8 && live < FW_LANES; ++lane) {
            point[lane] = s->vertex_point[lane < live ? i + lane : end - 1];
        }
        field f;
        fw x[3], rest[4], n[3], out[4];
        load_points(job->bind->rest, point, x);
        if (cells) {
            cell_field(job, point, &f);
        } else {
            affine_field(job, point, x, &f);
        }
        frame_gather(job, point, &frame);
        for (int row = 0; row < 3; ++row) {
            x[row] = fw_add(x[row], f.u[row]);
        }
        turn(frame.m + 9, x, out);
        for (int row = 0; row < 3; ++row) {
            out[row] = fw_add(out[row], frame.m[18 + row]);
        }
        store_vectors(to->positions, 3, i, live, out);
        load_vectors(s->normal, 3, i, live, rest);
        transport_normal(f.l, rest, n);
        turn(frame.m, n, out);
        store_vectors(to->normals, 3, i, live, out);
        if (tangents) {
            fw t[3];
            load_vectors(s->tangent, 4, i, live, rest);
            transport_tangent(f.l, n, rest, t);
            turn(frame.m, t, out);
            out[3] = rest[3];
            store_vectors(to->tangents, 4, i, live, out);
        }
    }
}

void KERNEL(skin_deform_vertices)(const skin_job* job, int32_t begin, int32_t end) {
    deform(job, begin, end, false);
}

void KERNEL(skin_deform_cells)(const skin_job* job, int32_t begin, int32_t end) {
    deform(job, begin, end, true);
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
