/* SPDX-License-Identifier: MIT
 * Job: clusters of points. In: points, a wished number. Out: members with weights. Everything is
 * found in order of index, in double, so that the plan is the same on every machine.
 */
#include "region/clusters.h"
#include "base/disjoint_set.h"

#include "math/eigen.h"

#include <string.h>

enum {
    ROUNDS = 4,        /* of moving seeds to the middle of what is nearest to them */
    MEMBERS_LEAST = 10 /* a cluster wants so many, and not in a plane */
};
/* A cluster reaches this much farther than it must: at the farthest point that counts on it its
 * kernel is 0.06 of the one at its seed. */
#define REACH_MORE 1.15
/* A second moment below this share of the largest: the members lie in a plane. */
#define PLANE_SHARE 1e-4
/* How much a cluster may grow to leave a plane. */
#define GROW_MOST 2.0
/* Members with less than this share of a point's kernels are left out. */
#define LEAST_SHARE 1e-4

typedef struct planner {
    const cluster_source* s;
    arena* a;
    int32_t count; /* points of one part */
    int32_t* point;
    int32_t seeds;
    lim_point* seed;
    double* reach; /* R of each seed */
    /* per point */
    int32_t *first, *second; /* nearest seeds */
    double* least;           /* squared distance to the nearest seed so far */
} planner;

static lim_point at_of(const planner* p, int32_t i) {
    return p3_of(p->s->at[p->point[i]]);
}

static double square_between(lim_point a, lim_point b) {
    lim_point r = p3_sub(a, b);
    return p3_dot(r, r);
}

/* Farthest points: the first is the one farthest from the mean. */
static void place_seeds(planner* p) {
    lim_point mean = p3(0, 0, 0);
    for (int32_t i = 0; i < p->count; ++i) {
        mean = p3_mad(mean, at_of(p, i), 1.0 / p->count);
        p->least[i] = HUGE_VAL;
    }
    for (int32_t k = 0; k < p->seeds; ++k) {
        int32_t farthest = 0;
        double most = -1.0;
        for (int32_t i = 0; i < p->count; ++i) {
            double square = k == 0 ? square_between(at_of(p, i), mean) : p->least[i];
            if (square > most) {
                most = square;
                farthest = i;
            }
        }
        p->seed[k] = at_of(p, farthest);
        for (int32_t i = 0; i < p->count; ++i) {
            double square = square_between(at_of(p, i), p->seed[k]);
            p->least[i] = square < p->least[i] ? square : p->least[i];
        }
    }
}

static void find_two_nearest(planner* p) {
    for (int32_t i = 0; i < p->count; ++i) {
        double one = HUGE_VAL, two = HUGE_VAL;
        p->first[i] = p->second[i] = 0;
        for (int32_t k = 0; k < p->seeds; ++k) {
            double square = square_between(at_of(p, i), p->seed[k]);
            if (square < one) {
                two = one;
                p->second[i] = p->first[i];
                one = square;
                p->first[i] = k;
            } else if (square < two) {
                two = square;
                p->second[i] = k;
            }
        }
    }
}

/* Seeds go to the middle of the points that are nearest to them; each has some, for it began at
 * one and the middle of a set is nearer to it than to what others' sets left. One that loses all
 * stays where it is. */
static lim_result move_seeds(planner* p) {
    lim_point* sum = ARENA_ARRAY(p->a, lim_point, p->seeds);
    int32_t* taken = ARENA_ARRAY(p->a, int32_t, p->seeds);
    LIM_TRY_MEMORY(sum);
    LIM_TRY_MEMORY(taken);
    for (int32_t round = 0; round < ROUNDS; ++round) {
        find_two_nearest(p);
        memset(sum, 0, (size_t)p->seeds * sizeof *sum);
        memset(taken, 0, (size_t)p->seeds * sizeof *taken);
        for (int32_t i = 0; i < p->count; ++i) {
            sum[p->first[i]] = p3_add(sum[p->first[i]], at_of(p, i));
            taken[p->first[i]]++;
        }
        for (int32_t k = 0; k < p->seeds; ++k) {
            p->seed[k] = taken[k] > 0 ? p3_scale(sum[k], 1.0 / taken[k]) : p->seed[k];
        }
    }
    find_two_nearest(p);
    return LIM_OK;
}

/* Whether the points within a reach are enough and span space. */
static bool is_full(const planner* p, lim_point seed, double reach, bool* out_enough) {
    double m[9] = {0};
    int32_t count = 0;
    for (int32_t i = 0; i < p->count; ++i) {
        lim_point r = p3_sub(at_of(p, i), seed);
        if (p3_dot(r, r) < reach * reach) {
            const double add[9] = {r.x,       r.y,       r.z,       r.x * r.x, r.y * r.y,
                                   r.z * r.z, r.x * r.y, r.x * r.z, r.y * r.z};
            for (int k = 0; k < 9; ++k) {
                m[k] += add[k];
            }
            count++;
        }
    }
    *out_enough = count >= MEMBERS_LEAST;
    if (count == 0) {
        return false;
    }
    double n = count, values[3];
    const double moment[6] = {m[3] - m[0] * m[0] / n, m[4] - m[1] * m[1] / n,
                              m[5] - m[2] * m[2] / n, m[6] - m[0] * m[1] / n,
                              m[7] - m[0] * m[2] / n, m[8] - m[1] * m[2] / n};
    dmat3 vectors;
    eigen_sym3(moment, values, &vectors);
    return *out_enough && values[2] > PLANE_SHARE * values[0];
}

/* As far as it must; farther until it has enough members, and up to twice as far to leave a plane
 * (back again when that does not help). */
static void find_reach(planner* p) {
    double all = 0.0;
    for (int32_t i = 0; i < p->count; ++i) {
        const int32_t near[2] = {p->first[i], p->second[i]};
        for (int k = 0; k < 2; ++k) {
            double distance = sqrt(square_between(at_of(p, i), p->seed[near[k]]));
            p->reach[near[k]] = distance > p->reach[near[k]] ? distance : p->reach[near[k]];
        }
        double away = sqrt(square_between(at_of(p, i), at_of(p, 0)));
        all = away > all ? away : all;
    }
    for (int32_t k = 0; k < p->seeds; ++k) {
        double reach = REACH_MORE * p->reach[k];
        reach = reach > 0.0 ? reach : 1e-3 * all;
        bool enough, full = is_full(p, p->seed[k], reach, &enough);
        while (!enough && reach < 4.0 * all) {
            reach *= REACH_MORE;
            full = is_full(p, p->seed[k], reach, &enough);
        }
        double wider = reach;
        while (!full && wider < GROW_MOST * reach) {
            wider *= REACH_MORE;
            full = is_full(p, p->seed[k], wider, &enough);
        }
        p->reach[k] = full ? wider : reach;
    }
}

static double kernel(const planner* p, int32_t i, int32_t k) {
    double inside = 1.0 - square_between(at_of(p, i), p->seed[k]) / (p->reach[k] * p->reach[k]);
    return inside > 0.0 ? inside * inside : 0.0;
}

/* Of the kernels at a point: of all clusters, and of those that it is a member of. */
typedef struct member_sums {
    double all, kept;
} member_sums;

/* Returns how many memberships there are. */
static int64_t plan_weights(const planner* p, member_sums* sums) {
    int64_t entries = 0;
    for (int32_t i = 0; i < p->count; ++i) {
        for (int32_t k = 0; k < p->seeds; ++k) {
            sums[i].all += kernel(p, i, k);
        }
        for (int32_t k = 0; k < p->seeds; ++k) {
            double value = kernel(p, i, k);
            if (value >= LEAST_SHARE * sums[i].all && value > 0.0) {
                sums[i].kept += value;
                entries++;
            }
        }
    }
    return entries;
}

static void write_clusters(const planner* p, const member_sums* sums, cluster_plan* out) {
    for (int32_t k = 0; k < p->seeds; ++k) {
        int32_t at = out->offset[out->count];
        for (int32_t i = 0; i < p->count; ++i) {
            double value = kernel(p, i, k);
            if (value >= LEAST_SHARE * sums[i].all && value > 0.0) {
                out->point[at] = p->point[i];
                out->weight[at++] = (float)(value / sums[i].kept);
            }
        }
        if (at > out->offset[out->count]) {
            out->offset[++out->count] = at;
        }
    }
}

static void write_one(const planner* p, cluster_plan* out) {
    int32_t at = out->offset[out->count];
    for (int32_t i = 0; i < p->count; ++i, ++at) {
        out->point[at] = p->point[i];
        out->weight[at] = 1.0f;
    }
    out->offset[++out->count] = at;
}

/* Points by part, in order within each: `first` gets parts + 1 entries. */
static lim_result sort_by_part(arena* a, const cluster_source* s, int32_t** out_point,
                               int32_t** out_first) {
    int32_t* point = ARENA_ARRAY(a, int32_t, s->count);
    int32_t* first = ARENA_ARRAY(a, int32_t, s->parts + 2);
    LIM_TRY_MEMORY(point);
    LIM_TRY_MEMORY(first);
    /* Counted two places on, so that filling leaves the begins where they belong. */
    for (int32_t i = 0; i < s->count; ++i) {
        first[s->part[i] + 2]++;
    }
    for (int32_t k = 0; k < s->parts; ++k) {
        first[k + 2] += first[k + 1];
    }
    for (int32_t i = 0; i < s->count; ++i) {
        point[first[s->part[i] + 1]++] = i;
    }
    *out_point = point;
    *out_first = first;
    return LIM_OK;
}

/* A part's share of the wished clusters, at least one. */
static planner planner_of(const cluster_source* s, arena* a, int32_t* point, int32_t count) {
    double share = (double)s->wished * count / s->count;
    int32_t seeds = share > 1.0 ? (int32_t)(share + 0.5) : 1;
    return (planner){
        .s = s, .a = a, .count = count, .point = point, .seeds = seeds < count ? seeds : count};
}

static lim_result prepare(planner* p) {
    p->seed = ARENA_ARRAY(p->a, lim_point, p->seeds);
    p->reach = ARENA_ARRAY(p->a, double, p->seeds);
    p->first = ARENA_ARRAY(p->a, int32_t, p->count);
    p->second = ARENA_ARRAY(p->a, int32_t, p->count);
    p->least = ARENA_ARRAY(p->a, double, p->count);
    if (p->seed == NULL || p->reach == NULL || p->first == NULL || p->second == NULL ||
        p->least == NULL) {
        return LIM_ERROR_MEMORY;
    }
    place_seeds(p);
    LIM_TRY(move_seeds(p));
    find_reach(p);
    return LIM_OK;
}

/* Points that share a cluster are one component. */
static lim_result find_components(arena* a, const cluster_source* s, cluster_plan* out) {
    int32_t* parent = ARENA_ARRAY(a, int32_t, s->count);
    out->component = ARENA_ARRAY(a, int32_t, s->count);
    LIM_TRY_MEMORY(parent);
    LIM_TRY_MEMORY(out->component);
    disjoint_init(parent, s->count);
    for (int32_t k = 0; k < out->count; ++k) {
        for (int32_t e = out->offset[k] + 1; e < out->offset[k + 1]; ++e) {
            disjoint_join(parent, out->point[e - 1], out->point[e]);
        }
    }
    for (int32_t i = 0; i < s->count; ++i) {
        int32_t root = disjoint_root(parent, i);
        out->component[i] = root == i ? out->components++ : out->component[root];
    }
    return LIM_OK;
}

typedef struct part_plan {
    planner p;
    member_sums* sums;
} part_plan;

lim_result clusters_plan(arena* a, const cluster_source* s, cluster_plan* out) {
    *out = (cluster_plan){0};
    int32_t *point, *first;
    LIM_TRY(sort_by_part(a, s, &point, &first));
    part_plan* parts = ARENA_ARRAY(a, part_plan, s->parts);
    LIM_TRY_MEMORY(parts);
    int64_t entries = 0, seeds = 0;
    for (int32_t part = 0; part < s->parts; ++part) {
        planner* p = &parts[part].p;
        *p = planner_of(s, a, point + first[part], first[part + 1] - first[part]);
        int64_t own = p->count;
        if (p->seeds > 1) {
            LIM_TRY(prepare(p));
            parts[part].sums = ARENA_ARRAY(a, member_sums, p->count);
            LIM_TRY_MEMORY(parts[part].sums);
            own = plan_weights(p, parts[part].sums);
        }
        entries += own;
        seeds += p->seeds;
    }
    if (entries > INT32_MAX / 32) {
        return LIM_ERROR_TOO_LARGE;
    }
    out->offset = ARENA_ARRAY(a, int32_t, seeds + 1);
    out->point = ARENA_ARRAY(a, int32_t, entries);
    out->weight = ARENA_ARRAY(a, float, entries);
    LIM_TRY_MEMORY(out->offset);
    LIM_TRY_MEMORY(out->point);
    LIM_TRY_MEMORY(out->weight);
    for (int32_t part = 0; part < s->parts; ++part) {
        if (parts[part].p.seeds > 1) {
            write_clusters(&parts[part].p, parts[part].sums, out);
        } else {
            write_one(&parts[part].p, out);
        }
    }
    return find_components(a, s, out);
}
