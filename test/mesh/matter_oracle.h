/* SPDX-License-Identifier: MIT
 * A slow cut of a material that shares nothing with the fast one: every sub-voxel in a dense grid,
 * every link against every blade triangle in whole numbers, floods sub-voxel by sub-voxel, edges by
 * their definition.
 */
#ifndef LIMBER_MATTER_ORACLE_H
#define LIMBER_MATTER_ORACLE_H

#include "sample/matter_cut.h"
#include "sample_kit.h"

__extension__ typedef __int128 wide;

typedef struct oracle {
    const matter* m;
    int32_t side;   /* sub-voxels in a row */
    int32_t* owner; /* fragment of a sub-voxel, -1 */
    uint8_t* soft;
    uint16_t* cut;
    uint16_t* cut_before;
    int32_t triangles;
    int64_t (*corner)[3][3]; /* of each blade triangle, in 2^-28 sub-voxels */
    /* the result */
    int32_t count, speck_count;
    int32_t *source, *cell;
    uint64_t *key, *mask;
    double* volume;
    lim_point* centroid;
    double (*moment)[6];
    uint8_t* edge; /* count x count; 2: glue */
} oracle;

static inline size_t oracle_at(const oracle* o, int32_t x, int32_t y, int32_t z) {
    return ((size_t)z * (size_t)o->side + (size_t)y) * (size_t)o->side + (size_t)x;
}

static inline bool oracle_in(const oracle* o, int32_t x, int32_t y, int32_t z) {
    return x >= 0 && y >= 0 && z >= 0 && x < o->side && y < o->side && z < o->side;
}

static inline wide oracle_det(const int64_t a[3], const int64_t b[3], const int64_t c[3],
                              const int64_t d[3]) {
    wide u[3], v[3], w[3];
    for (int k = 0; k < 3; ++k) {
        u[k] = b[k] - a[k];
        v[k] = c[k] - a[k];
        w[k] = d[k] - a[k];
    }
    return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) +
           u[2] * (v[0] * w[1] - v[1] * w[0]);
}

/* The sign of a determinant when the link (the points of `moves`) goes aside by e, e^2, e^3: it is
 * linear in that, so that what a step of 1 changes is what matters where it is 0. */
static inline int oracle_sign(const int64_t* p[4], const bool moves[4]) {
    wide value = oracle_det(p[0], p[1], p[2], p[3]);
    for (int axis = 0; axis < 3 && value == 0; ++axis) {
        int64_t q[4][3];
        for (int i = 0; i < 4; ++i) {
            memcpy(q[i], p[i], sizeof(q[i]));
            q[i][axis] += moves[i];
        }
        value = oracle_det(q[0], q[1], q[2], q[3]);
    }
    return (value > 0) - (value < 0);
}

static inline bool oracle_crosses(int64_t t[3][3], const int64_t p[3], const int64_t q[3]) {
    for (int k = 0; k < 3; ++k) {
        int64_t low = p[k] < q[k] ? p[k] : q[k], high = p[k] < q[k] ? q[k] : p[k];
        if ((t[0][k] < low && t[1][k] < low && t[2][k] < low) ||
            (t[0][k] > high && t[1][k] > high && t[2][k] > high)) {
            return false;
        }
    }
    const int64_t* with_p[4] = {t[0], t[1], t[2], p};
    const int64_t* with_q[4] = {t[0], t[1], t[2], q};
    const bool last[4] = {false, false, false, true}, ends[4] = {true, true, false, false};
    int s = oracle_sign(with_p, last), e = oracle_sign(with_q, last);
    if (s == 0 || s == e) {
        return false;
    }
    int side[3];
    for (int k = 0; k < 3; ++k) {
        const int64_t* edge[4] = {p, q, t[k], t[(k + 1) % 3]};
        side[k] = oracle_sign(edge, ends);
    }
    return side[0] == side[1] && side[1] == side[2];
}

static inline void oracle_way(int i, int32_t d[3]) {
    int found = -1;
    for (int z = -1; z <= 1; ++z) {
        for (int y = -1; y <= 1; ++y) {
            for (int x = -1; x <= 1; ++x) {
                bool up = z > 0 || (z == 0 && (y > 0 || (y == 0 && x > 0)));
                found += up;
                if (up && found == i) {
                    d[0] = x;
                    d[1] = y;
                    d[2] = z;
                    return;
                }
            }
        }
    }
    d[0] = d[1] = d[2] = 0; /* there are 13 */
}

static inline void oracle_fill(oracle* o, const matter* m) {
    *o = (oracle){.m = m, .side = 4 << m->level};
    size_t n = (size_t)o->side * (size_t)o->side * (size_t)o->side;
    o->owner = malloc(n * sizeof(int32_t));
    o->soft = calloc(n, 1);
    o->cut = calloc(n, sizeof(uint16_t));
    o->cut_before = calloc(n, sizeof(uint16_t));
    for (size_t i = 0; i < n; ++i) {
        o->owner[i] = -1;
    }
    for (int32_t i = 0; i < m->count; ++i) {
        octant c = octant_of(m->key[i]);
        for (int bit = 0; bit < 64; ++bit) {
            size_t at = oracle_at(o, 4 * c.x + bit % 4, 4 * c.y + bit / 4 % 4, 4 * c.z + bit / 16);
            if (m->mask[i] >> bit & 1) {
                o->owner[at] = i;
                o->soft[at] = m->soft[i] >> bit & 1;
            }
        }
    }
    for (int32_t i = 0; i < m->wall_count; ++i) {
        octant c = octant_of(m->wall[i].key);
        for (int bit = 0; bit < 64; ++bit) {
            size_t at = oracle_at(o, 4 * c.x + bit % 4, 4 * c.y + bit / 4 % 4, 4 * c.z + bit / 16);
            for (int k = 0; k < 13; ++k) {
                o->cut[at] |= (uint16_t)((m->wall[i].cut[k] >> bit & 1) << k);
            }
        }
    }
    memcpy(o->cut_before, o->cut, n * sizeof(uint16_t));
}

static inline void oracle_blade(oracle* o, const cut_blade* blade) {
    o->triangles = blade->triangle_count;
    o->corner = malloc((size_t)o->triangles * sizeof *o->corner + 1);
    for (int32_t t = 0; t < o->triangles; ++t) {
        for (int k = 0; k < 3; ++k) {
            lim_point p = blade->point[blade->triangle[3 * t + k]];
            const double at[3] = {p.x, p.y, p.z};
            const double from[3] = {o->m->corner.x, o->m->corner.y, o->m->corner.z};
            for (int axis = 0; axis < 3; ++axis) {
                o->corner[t][k][axis] = (int64_t)nearbyint(
                    ((at[axis] - from[axis]) / o->m->sub - 0.5) * (double)(1 << 28));
            }
        }
    }
}

/* Every link of material against every triangle. */
static inline void oracle_cut(oracle* o) {
    for (int32_t z = 0; z < o->side; ++z) {
        for (int32_t y = 0; y < o->side; ++y) {
            for (int32_t x = 0; x < o->side; ++x) {
                size_t at = oracle_at(o, x, y, z);
                for (int i = 0; i < 13 && o->owner[at] >= 0; ++i) {
                    int32_t d[3];
                    oracle_way(i, d);
                    int32_t q[3] = {x + d[0], y + d[1], z + d[2]};
                    if (!oracle_in(o, q[0], q[1], q[2]) ||
                        o->owner[oracle_at(o, q[0], q[1], q[2])] < 0) {
                        continue;
                    }
                    const int64_t one = (int64_t)1 << 28;
                    const int64_t from[3] = {x * one, y * one, z * one};
                    const int64_t to[3] = {q[0] * one, q[1] * one, q[2] * one};
                    for (int32_t t = 0; t < o->triangles; ++t) {
                        if (oracle_crosses(o->corner[t], from, to)) {
                            o->cut[at] |= (uint16_t)(1 << i);
                            break;
                        }
                    }
                }
            }
        }
    }
}

/* Both ends of every link that is cut become soft. */
static inline void oracle_soften(oracle* o) {
    for (int32_t z = 0; z < o->side; ++z) {
        for (int32_t y = 0; y < o->side; ++y) {
            for (int32_t x = 0; x < o->side; ++x) {
                size_t at = oracle_at(o, x, y, z);
                for (int i = 0; i < 13; ++i) {
                    int32_t d[3];
                    oracle_way(i, d);
                    if (o->cut[at] >> i & 1) {
                        o->soft[at] |= 1;
                        o->soft[oracle_at(o, x + d[0], y + d[1], z + d[2])] |= 1;
                    }
                }
            }
        }
    }
}

/* Are two sub-voxels, `d` apart, joined? */
static inline bool oracle_joined(const oracle* o, const int32_t p[3], const int32_t d[3]) {
    int32_t q[3] = {p[0] + d[0], p[1] + d[1], p[2] + d[2]};
    if (!oracle_in(o, q[0], q[1], q[2])) {
        return false;
    }
    size_t from = oracle_at(o, p[0], p[1], p[2]), to = oracle_at(o, q[0], q[1], q[2]);
    if (o->owner[from] < 0 || o->owner[to] < 0 ||
        (abs(d[0]) + abs(d[1]) + abs(d[2]) > 1 && !o->soft[from] && !o->soft[to])) {
        return false;
    }
    for (int i = 0; i < 13; ++i) {
        int32_t e[3];
        oracle_way(i, e);
        if (e[0] == d[0] && e[1] == d[1] && e[2] == d[2]) {
            return (o->cut[from] >> i & 1) == 0;
        }
        if (e[0] == -d[0] && e[1] == -d[1] && e[2] == -d[2]) {
            return (o->cut[to] >> i & 1) == 0;
        }
    }
    return false;
}

/* The piece of a mask of a cell that holds its lowest bit. */
static inline uint64_t oracle_piece(const oracle* o, uint64_t key, uint64_t left) {
    octant c = octant_of(key);
    int queue[64], head = 0, tail = 0;
    uint64_t piece = 0;
    for (int bit = 0; bit < 64 && tail == 0; ++bit) {
        if (left >> bit & 1) {
            queue[tail++] = bit;
            piece = (uint64_t)1 << bit;
        }
    }
    for (; head < tail; ++head) {
        int b = queue[head];
        for (int to = 0; to < 64; ++to) {
            int32_t d[3] = {to % 4 - b % 4, to / 4 % 4 - b / 4 % 4, to / 16 - b / 16};
            int32_t p[3] = {4 * c.x + b % 4, 4 * c.y + b / 4 % 4, 4 * c.z + b / 16};
            if ((left >> to & 1) && !(piece >> to & 1) && abs(d[0]) <= 1 && abs(d[1]) <= 1 &&
                abs(d[2]) <= 1 && oracle_joined(o, p, d)) {
                piece |= (uint64_t)1 << to;
                queue[tail++] = to;
            }
        }
    }
    return piece;
}

/* Sub-voxels of fragments a and b that touch. */
static inline bool oracle_touch(const oracle* o, int32_t a, int32_t b) {
    octant p = octant_of(o->key[a]), q = octant_of(o->key[b]);
    if (abs(p.x - q.x) > 1 || abs(p.y - q.y) > 1 || abs(p.z - q.z) > 1 || o->key[a] == o->key[b]) {
        return false;
    }
    for (int i = 0; i < 64; ++i) {
        for (int k = 0; k < 64 && (o->mask[a] >> i & 1); ++k) {
            if (!(o->mask[b] >> k & 1)) {
                continue;
            }
            int32_t from[3] = {4 * p.x + i % 4, 4 * p.y + i / 4 % 4, 4 * p.z + i / 16};
            int32_t d[3] = {4 * q.x + k % 4 - from[0], 4 * q.y + k / 4 % 4 - from[1],
                            4 * q.z + k / 16 - from[2]};
            if (abs(d[0]) <= 1 && abs(d[1]) <= 1 && abs(d[2]) <= 1 && oracle_joined(o, from, d)) {
                return true;
            }
        }
    }
    return false;
}

static inline lim_point oracle_mean(const oracle* o, uint64_t key, uint64_t mask) {
    octant c = octant_of(key);
    lim_point sum = p3(0, 0, 0);
    int n = 0;
    for (int bit = 0; bit < 64; ++bit) {
        if (mask >> bit & 1) {
            sum = p3_add(sum, p3(4 * c.x + bit % 4 + 0.5, 4 * c.y + bit / 4 % 4 + 0.5,
                                 4 * c.z + bit / 16 + 0.5));
            n++;
        }
    }
    return p3_mad(o->m->corner, sum, o->m->sub / n);
}

/* Integral over cubes about their mean, times what makes their volume `volume`. */
static inline void oracle_moment(const oracle* o, uint64_t key, uint64_t mask, double volume,
                                 double out[6]) {
    octant c = octant_of(key);
    lim_point mean = oracle_mean(o, key, mask);
    double n = mask_count(mask), h = o->m->sub;
    memset(out, 0, 6 * sizeof(double));
    for (int bit = 0; bit < 64; ++bit) {
        if (mask >> bit & 1) {
            lim_point d = p3_sub(p3_mad(o->m->corner,
                                        p3(4 * c.x + bit % 4 + 0.5, 4 * c.y + bit / 4 % 4 + 0.5,
                                           4 * c.z + bit / 16 + 0.5),
                                        h),
                                 mean);
            const double square[6] = {d.x * d.x + h * h / 12,
                                      d.y * d.y + h * h / 12,
                                      d.z * d.z + h * h / 12,
                                      d.x * d.y,
                                      d.x * d.z,
                                      d.y * d.z};
            for (int k = 0; k < 6; ++k) {
                out[k] += volume / n * square[k];
            }
        }
    }
}

static inline bool oracle_changed(const oracle* o, uint64_t key) {
    octant c = octant_of(key);
    for (int bit = 0; bit < 64; ++bit) {
        size_t at = oracle_at(o, 4 * c.x + bit % 4, 4 * c.y + bit / 4 % 4, 4 * c.z + bit / 16);
        if (o->cut[at] != o->cut_before[at]) {
            return true;
        }
    }
    return false;
}

static inline int oracle_low(uint64_t mask) {
    int bit = 0;
    while (!(mask >> bit & 1)) {
        bit++;
    }
    return bit;
}

static inline void oracle_swap(oracle* o, int32_t a, int32_t b) {
    uint64_t mask = o->mask[a];
    int32_t source = o->source[a];
    o->mask[a] = o->mask[b];
    o->mask[b] = mask;
    o->source[a] = o->source[b];
    o->source[b] = source;
}

/* All pieces in order, with what they weigh. */
static inline void oracle_split(oracle* o) {
    const matter* m = o->m;
    size_t most = (size_t)m->count * 8 + 64;
    o->source = calloc(most, sizeof(int32_t));
    o->key = calloc(most, sizeof(uint64_t));
    o->mask = calloc(most, sizeof(uint64_t));
    o->volume = calloc(most, sizeof(double));
    o->centroid = calloc(most, sizeof(lim_point));
    o->moment = calloc(most, sizeof *o->moment);
    for (int32_t i = 0; i < m->count; ++i) {
        for (uint64_t left = m->mask[i]; left != 0;) {
            CHECK((size_t)o->count < most);
            uint64_t piece = oracle_piece(o, m->key[i], left);
            left &= ~piece;
            o->source[o->count] = i;
            o->key[o->count] = m->key[i];
            o->mask[o->count++] = piece;
        }
    }
    for (bool sorted = false; !sorted;) {
        sorted = true;
        for (int32_t i = 1; i < o->count; ++i) {
            if (o->key[i] == o->key[i - 1] && oracle_low(o->mask[i]) < oracle_low(o->mask[i - 1])) {
                oracle_swap(o, i, i - 1);
                sorted = false;
            }
        }
    }
    for (int32_t i = 0; i < o->count; ++i) {
        int32_t s = o->source[i];
        if (o->mask[i] == m->mask[s]) {
            o->volume[i] = m->volume[s];
            o->centroid[i] = m->centroid[s];
            memcpy(o->moment[i], m->moment[s], sizeof(o->moment[i]));
            continue;
        }
        o->volume[i] = m->volume[s] * mask_count(o->mask[i]) / mask_count(m->mask[s]);
        o->centroid[i] = p3_add(oracle_mean(o, o->key[i], o->mask[i]),
                                p3_sub(m->centroid[s], oracle_mean(o, m->key[s], m->mask[s])));
        oracle_moment(o, o->key[i], o->mask[i], o->volume[i], o->moment[i]);
    }
}

static inline bool oracle_has_glue(const matter* m, int32_t i) {
    for (int32_t k = 0; k < 2 * m->glued_edges; ++k) {
        if (m->glue[k] == i) {
            return true;
        }
    }
    return false;
}

static inline void oracle_specks(oracle* o) {
    for (int32_t i = 0; i < o->count; ++i) {
        int32_t s = o->source[i], heirs = 0, heir = -1, left = 0;
        octant c = octant_of(o->key[i]);
        int bit = oracle_low(o->mask[i]);
        bool soft = (o->m->soft[s] & o->mask[i]) != 0;
        if (mask_count(o->mask[i]) != 1 || o->mask[i] == o->m->mask[s] || soft ||
            oracle_has_glue(o->m, s)) {
            continue;
        }
        for (int32_t k = 0; k < o->count; ++k) {
            left += o->key[k] == o->key[i] && o->mask[k] != 0;
            if (o->mask[k] != 0 && oracle_touch(o, i, k)) {
                heirs++;
                heir = k;
            }
        }
        if (left < 2 || heirs != 1) {
            continue;
        }
        double a = o->volume[heir], b = o->volume[i], sum = a + b;
        lim_point p = o->centroid[heir], q = o->centroid[i];
        lim_point c2 = p3_scale(p3_add(p3_scale(p, a), p3_scale(q, b)), 1.0 / sum);
        lim_point dp = p3_sub(p, c2), dq = p3_sub(q, c2);
        const double add[6] = {
            a * dp.x * dp.x + b * dq.x * dq.x, a * dp.y * dp.y + b * dq.y * dq.y,
            a * dp.z * dp.z + b * dq.z * dq.z, a * dp.x * dp.y + b * dq.x * dq.y,
            a * dp.x * dp.z + b * dq.x * dq.z, a * dp.y * dp.z + b * dq.y * dq.z};
        for (int k = 0; k < 6; ++k) {
            o->moment[heir][k] += o->moment[i][k] + add[k];
        }
        o->centroid[heir] = c2;
        o->volume[heir] = sum;
        o->owner[oracle_at(o, 4 * c.x + bit % 4, 4 * c.y + bit / 4 % 4, 4 * c.z + bit / 16)] = -1;
        o->mask[i] = 0;
        o->speck_count++;
    }
    int32_t kept = 0;
    for (int32_t i = 0; i < o->count; ++i) {
        if (o->mask[i] != 0) {
            o->source[kept] = o->source[i];
            o->key[kept] = o->key[i];
            o->mask[kept] = o->mask[i];
            o->volume[kept] = o->volume[i];
            o->centroid[kept] = o->centroid[i];
            memcpy(o->moment[kept++], o->moment[i], sizeof(o->moment[i]));
        }
    }
    o->count = kept;
}

/* Cells that share a face: do a and b touch? Others: within the cells that the two span, do direct
 * links join them? */
static inline bool oracle_spans(const oracle* o, const uint8_t* direct, int32_t a, int32_t b,
                                int32_t* queue, int32_t* seen) {
    octant p = octant_of(o->key[a]), q = octant_of(o->key[b]);
    int32_t tail = 0;
    if (abs(p.x - q.x) > 1 || abs(p.y - q.y) > 1 || abs(p.z - q.z) > 1 || o->key[a] == o->key[b]) {
        return false;
    }
    if (abs(p.x - q.x) + abs(p.y - q.y) + abs(p.z - q.z) == 1) {
        return direct[(size_t)a * (size_t)o->count + (size_t)b];
    }
    queue[tail++] = a;
    seen[a] = 1;
    for (int32_t head = 0; head < tail; ++head) {
        for (int32_t i = 0; i < o->count; ++i) {
            octant c = octant_of(o->key[i]);
            bool within = (c.x == p.x || c.x == q.x) && (c.y == p.y || c.y == q.y) &&
                          (c.z == p.z || c.z == q.z);
            if (direct[(size_t)queue[head] * (size_t)o->count + (size_t)i] && within && !seen[i]) {
                seen[i] = 1;
                queue[tail++] = i;
            }
        }
    }
    bool found = seen[b] != 0;
    for (int32_t i = 0; i < tail; ++i) {
        seen[queue[i]] = 0;
    }
    return found;
}

static inline bool oracle_before(const matter* m, int32_t a, int32_t b) {
    for (int32_t e = m->edge_offset[a]; e < m->edge_offset[a + 1]; ++e) {
        if (m->edge_node[e] == b) {
            return true;
        }
    }
    return false;
}

static inline bool oracle_glued(const matter* m, int32_t a, int32_t b) {
    for (int32_t k = 0; k < m->glued_edges; ++k) {
        if ((m->glue[2 * k] == a && m->glue[2 * k + 1] == b) ||
            (m->glue[2 * k] == b && m->glue[2 * k + 1] == a)) {
            return true;
        }
    }
    return false;
}

static inline void oracle_edges(oracle* o) {
    size_t n = (size_t)o->count;
    uint8_t* direct = calloc(n * n + 1, 1);
    int32_t* queue = calloc(n + 1, sizeof(int32_t));
    int32_t* seen = calloc(n + 1, sizeof(int32_t));
    o->edge = calloc(n * n + 1, 1);
    for (size_t i = 0; i < n; ++i) {
        for (size_t k = i + 1; k < n; ++k) {
            bool touch = oracle_touch(o, (int32_t)i, (int32_t)k);
            direct[i * n + k] = direct[k * n + i] = touch;
        }
    }
    for (size_t i = 0; i < n; ++i) {
        for (size_t k = i + 1; k < n; ++k) {
            int32_t a = o->source[i], b = o->source[k];
            bool glue = oracle_glued(o->m, a, b);
            bool joined = oracle_before(o->m, a, b) && !glue &&
                          oracle_spans(o, direct, (int32_t)i, (int32_t)k, queue, seen);
            if (glue && oracle_before(o->m, a, b)) {
                int64_t end[2][3];
                const size_t which[2] = {i, k};
                for (int e = 0; e < 2; ++e) {
                    lim_point c = o->centroid[which[e]];
                    const double at[3] = {c.x, c.y, c.z};
                    const double from[3] = {o->m->corner.x, o->m->corner.y, o->m->corner.z};
                    for (int axis = 0; axis < 3; ++axis) {
                        end[e][axis] = (int64_t)nearbyint(
                            ((at[axis] - from[axis]) / o->m->sub - 0.5) * (double)(1 << 28));
                    }
                }
                bool parted = false;
                for (int32_t t = 0; t < o->triangles; ++t) {
                    parted = parted || oracle_crosses(o->corner[t], end[0], end[1]);
                }
                o->edge[i * n + k] = o->edge[k * n + i] = parted ? 0 : 2;
            } else {
                o->edge[i * n + k] = o->edge[k * n + i] = joined;
            }
        }
    }
    free(direct);
    free(queue);
    free(seen);
}

/* Numbers components over edges of at most a kind. */
static inline int32_t oracle_components(const oracle* o, int kind, int32_t* component) {
    int32_t count = 0, *queue = calloc((size_t)o->count + 1, sizeof(int32_t));
    for (int32_t i = 0; i < o->count; ++i) {
        component[i] = -1;
    }
    for (int32_t seed = 0; seed < o->count; ++seed) {
        int32_t tail = 0;
        if (component[seed] >= 0) {
            continue;
        }
        component[seed] = count;
        queue[tail++] = seed;
        for (int32_t head = 0; head < tail; ++head) {
            for (int32_t i = 0; i < o->count; ++i) {
                int edge = o->edge[(size_t)queue[head] * (size_t)o->count + (size_t)i];
                if (edge > 0 && edge <= kind && component[i] < 0) {
                    component[i] = count;
                    queue[tail++] = i;
                }
            }
        }
        count++;
    }
    free(queue);
    return count;
}

static inline void oracle_free(oracle* o) {
    free(o->owner);
    free(o->soft);
    free(o->cut);
    free(o->cut_before);
    free(o->corner);
    free(o->source);
    free(o->key);
    free(o->mask);
    free(o->volume);
    free(o->centroid);
    free(o->moment);
    free(o->edge);
}

static inline void oracle_compare_graph(const oracle* o, const matter_change* c) {
    const matter *m = &c->after, *b = o->m;
    int32_t n = m->count, glued = 0, cut_edges = 0;
    for (int32_t i = 0; i < n; ++i) {
        int32_t e = m->edge_offset[i];
        bool same = o->mask[i] == b->mask[o->source[i]] && m->volume[i] == b->volume[o->source[i]];
        for (int32_t k = 0; k < n; ++k) {
            int edge = o->edge[(size_t)i * (size_t)n + (size_t)k];
            glued += edge == 2 && k > i;
            CHECK(oracle_glued(m, i, k) == (edge == 2));
            CHECK((edge != 0) == (e < m->edge_offset[i + 1] && m->edge_node[e] == k));
            e += e < m->edge_offset[i + 1] && m->edge_node[e] == k;
            /* An edge that is there and was not, between fragments that are whole, cannot be. */
            same = same && (edge == 0 || o->mask[k] == b->mask[o->source[k]]);
        }
        CHECK(e == m->edge_offset[i + 1]);
        same = same && e - m->edge_offset[i] ==
                           b->edge_offset[o->source[i] + 1] - b->edge_offset[o->source[i]];
        CHECK(c->touched[i] == !same);
    }
    for (int32_t s = 0; s < b->count; ++s) {
        for (int32_t e = b->edge_offset[s]; e < b->edge_offset[s + 1]; ++e) {
            bool left = false;
            for (int32_t i = 0; i < n && b->edge_node[e] > s; ++i) {
                for (int32_t k = 0; k < n && o->source[i] == s; ++k) {
                    left = left || (o->source[k] == b->edge_node[e] &&
                                    o->edge[(size_t)i * (size_t)n + (size_t)k] != 0);
                }
            }
            cut_edges += b->edge_node[e] > s && !left;
        }
    }
    CHECK(cut_edges == c->cut_edges && glued == m->glued_edges);
    CHECK((m->unglued != NULL) == (glued > 0));
    int32_t* component = calloc((size_t)n + 1, sizeof(int32_t));
    CHECK(oracle_components(o, 2, component) == m->component_count);
    CHECK(memcmp(component, m->component, (size_t)n * sizeof(int32_t)) == 0);
    oracle_components(o, 1, component);
    CHECK(m->unglued == NULL || memcmp(component, m->unglued, (size_t)n * sizeof(int32_t)) == 0);
    free(component);
}

static inline void oracle_compare_walls(const oracle* o, const matter* m) {
    int32_t walls = 0;
    for (int32_t i = 0; i < o->m->count; ++i) {
        if (i > 0 && o->m->key[i] == o->m->key[i - 1]) {
            continue;
        }
        octant c = octant_of(o->m->key[i]);
        uint16_t any = 0;
        for (int bit = 0; bit < 64; ++bit) {
            any |=
                o->cut[oracle_at(o, 4 * c.x + bit % 4, 4 * c.y + bit / 4 % 4, 4 * c.z + bit / 16)];
        }
        if (any == 0) {
            continue;
        }
        CHECK(walls < m->wall_count && m->wall[walls].key == o->m->key[i]);
        for (int bit = 0; bit < 64 && walls < m->wall_count; ++bit) {
            uint16_t cut =
                o->cut[oracle_at(o, 4 * c.x + bit % 4, 4 * c.y + bit / 4 % 4, 4 * c.z + bit / 16)];
            for (int k = 0; k < 13; ++k) {
                CHECK((m->wall[walls].cut[k] >> bit & 1) == (uint64_t)(cut >> k & 1));
            }
        }
        walls++;
    }
    CHECK(walls == m->wall_count);
}

static inline uint64_t oracle_softness(const oracle* o, int32_t fragment) {
    octant c = octant_of(o->key[fragment]);
    uint64_t soft = 0;
    for (int bit = 0; bit < 64; ++bit) {
        size_t at = oracle_at(o, 4 * c.x + bit % 4, 4 * c.y + bit / 4 % 4, 4 * c.z + bit / 16);
        soft |= (o->mask[fragment] >> bit & 1) && o->soft[at] ? (uint64_t)1 << bit : 0;
    }
    return soft;
}

/* Everything in `c` against the slow way. Returns how many specks were given away. */
static inline int32_t oracle_check(const matter* before, const cut_blade* blade,
                                   const matter_change* c) {
    oracle o;
    const matter* m = &c->after;
    oracle_fill(&o, before);
    oracle_blade(&o, blade);
    oracle_cut(&o);
    oracle_soften(&o);
    oracle_split(&o);
    oracle_specks(&o);
    CHECK(o.count == m->count && c->new_fragments == m->count - before->count);
    double scale = before->side * before->side * before->side, sums[2] = {0, 0};
    for (int32_t i = 0; i < o.count && o.count == m->count; ++i) {
        CHECK(o.key[i] == m->key[i] && o.mask[i] == m->mask[i] && o.source[i] == c->source[i]);
        CHECK(oracle_softness(&o, i) == m->soft[i]);
        CHECK_NEAR(o.volume[i], m->volume[i], 1e-12 * scale);
        CHECK_NEAR(p3_length(p3_sub(o.centroid[i], m->centroid[i])), 0.0, 1e-12);
        for (int k = 0; k < 6; ++k) {
            CHECK_NEAR(o.moment[i][k], m->moment[i][k], 1e-12 * scale);
        }
        sums[1] += m->volume[i];
    }
    for (int32_t i = 0; i < before->count; ++i) {
        sums[0] += before->volume[i];
    }
    CHECK_NEAR(sums[0], sums[1], 1e-12 * sums[0]);
    if (o.count == m->count) {
        oracle_edges(&o);
        oracle_compare_graph(&o, c);
        oracle_compare_walls(&o, m);
    }
    CHECK(matter_is_valid(m));
    int32_t specks = o.speck_count;
    oracle_free(&o);
    return specks;
}

#endif
