/* SPDX-License-Identifier: MIT
 * Job: the constants of quadratic fits. In: the network of clusters, rest positions, fit masses.
 * Out: explicit members, and per cluster the inverse of its 9 x 9 moments. In double.
 */
#include "match/quadratic.h"
#include "math/eigen.h"

#include <string.h>

enum { RUN = 512, MEMBERS_LEAST = 10 };
/* Relative to the mean of the diagonal. */
#define RIDGE 1e-6
/* A smallest second moment below this share of the largest: flat, and no bending in the fit. */
#define FLAT_SHARE 1e-3

/* ---- members ----------------------------------------------------------------------------------
 */

typedef struct members {
    const quadratic_source* s;
    quadratic* out; /* slot, mass and share are null while counting */
    int32_t count;
} members;

static void put_member(members* m, int32_t slot, double weight) {
    quadratic* out = m->out;
    if (out->slot != NULL) {
        out->slot[m->count] = slot;
        out->mass[m->count] = (float)(weight * (double)m->s->fit_mass[slot]);
        out->share[m->count] = (float)(weight * (double)m->s->inv_weight[slot]);
    }
    m->count++;
}

static void visit(members* m, int32_t record, double weight) {
    const net* n = m->s->net;
    if (record < n->node_count) {
        put_member(m, record, weight);
        return;
    }
    for (int32_t e = n->forward_offset[record]; e < n->forward_offset[record + 1]; ++e) {
        visit(m, n->forward[e],
              n->forward_weight != NULL ? weight * (double)n->forward_weight[e] : weight);
    }
}

/* Cluster after cluster; pads repeat the last member with weight 0. */
static void visit_clusters(members* m, int32_t* first) {
    const net* n = m->s->net;
    for (int32_t k = 0; k < m->s->regions->count; ++k) {
        first[k] = m->count;
        visit(m, n->first[n->layers - 1] + k, 1.0);
        while (m->count % 8 != 0) {
            put_member(m, m->out->slot != NULL ? m->out->slot[m->count - 1] : 0, 0.0);
        }
    }
    first[m->s->regions->count] = m->count;
}

static lim_result list_members(arena* a, const quadratic_source* s, quadratic* q, int32_t* first) {
    members m = {.s = s, .out = q};
    visit_clusters(&m, first);
    q->members = m.count;
    q->slot = ARENA_ARRAY(a, int32_t, m.count);
    q->mass = ARENA_ARRAY(a, float, m.count);
    q->share = ARENA_ARRAY(a, float, m.count);
    LIM_TRY_MEMORY(q->slot);
    LIM_TRY_MEMORY(q->mass);
    LIM_TRY_MEMORY(q->share);
    m.count = 0;
    visit_clusters(&m, first);
    return LIM_OK;
}

static lim_result list_runs(arena* a, quadratic* q, const int32_t* first) {
    q->run_first = ARENA_ARRAY(a, int32_t, q->clusters + 1);
    q->runs = ARENA_ARRAY(a, quadratic_run, (size_t)q->members / RUN + (size_t)q->clusters);
    LIM_TRY_MEMORY(q->run_first);
    LIM_TRY_MEMORY(q->runs);
    for (int32_t k = 0; k < q->clusters; ++k) {
        for (int32_t i = first[k]; i < first[k + 1]; i += RUN) {
            int32_t end = i + RUN < first[k + 1] ? i + RUN : first[k + 1];
            q->runs[q->run_count++] = (quadratic_run){k, i, end};
        }
        q->run_first[k + 1] = q->run_count;
    }
    return LIM_OK;
}

/* The members of each slot, ascending; pads belong to none. */
static lim_result list_nodes(arena* a, quadratic* q, int32_t slots) {
    q->node_first = ARENA_ARRAY(a, int32_t, slots + 2);
    q->node_at = ARENA_ARRAY(a, int32_t, q->members);
    q->node_cluster = ARENA_ARRAY(a, int32_t, q->members);
    LIM_TRY_MEMORY(q->node_first);
    LIM_TRY_MEMORY(q->node_at);
    LIM_TRY_MEMORY(q->node_cluster);
    for (int32_t i = 0; i < q->members; ++i) {
        q->node_first[q->slot[i] + 2] += q->mass[i] > 0.0f;
    }
    for (int32_t i = 0; i < slots; ++i) {
        q->node_first[i + 2] += q->node_first[i + 1];
    }
    for (int32_t run = 0; run < q->run_count; ++run) {
        for (int32_t i = q->runs[run].begin; i < q->runs[run].end; ++i) {
            if (q->mass[i] > 0.0f) {
                int32_t at = q->node_first[q->slot[i] + 1]++;
                q->node_at[at] = i;
                q->node_cluster[at] = q->runs[run].cluster;
            }
        }
    }
    return LIM_OK;
}

/* ---- moments ----------------------------------------------------------------------------------
 */

/* The basis before its mean is taken out, as the kernel has it. */
static void basis(const quadratic_source* s, const quadratic* q, int32_t cluster, int32_t member,
                  double out[QUADRATIC]) {
    for (int k = 0; k < 3; ++k) {
        float arm = s->x0[k][q->slot[member]] - q->c0[k][cluster];
        out[k] = (double)arm * (double)q->inv_radius[cluster];
    }
    for (int k = 0; k < 6; ++k) {
        int a = k % 3, b = k < 3 ? a : (a + 1) % 3;
        out[3 + k] = out[a] * out[b];
    }
}

/* Cholesky's factor of the leading n x n block in place; false when it is not safely positive. */
static bool factor(double h[QUADRATIC][QUADRATIC], int n) {
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = h[i][j];
            for (int k = 0; k < j; ++k) {
                sum -= h[i][k] * h[j][k];
            }
            if (i == j && !(sum > 0.0)) {
                return false;
            }
            h[i][j] = i == j ? sqrt(sum) : sum / h[j][j];
        }
    }
    return true;
}

/* The inverse of the leading block from its factor, column by column; zeros elsewhere. */
static void invert(double h[QUADRATIC][QUADRATIC], int n, double out[QUADRATIC * QUADRATIC]) {
    memset(out, 0, QUADRATIC * QUADRATIC * sizeof(double));
    for (int c = 0; c < n; ++c) {
        double y[QUADRATIC];
        for (int i = 0; i < n; ++i) {
            y[i] = i == c ? 1.0 : 0.0;
            for (int k = 0; k < i; ++k) {
                y[i] -= h[i][k] * y[k];
            }
            y[i] /= h[i][i];
        }
        for (int i = n - 1; i >= 0; --i) {
            for (int k = i + 1; k < n; ++k) {
                y[i] -= h[k][i] * y[k];
            }
            y[i] /= h[i][i];
            out[QUADRATIC * i + c] = y[i];
        }
    }
}

/* Whether bending can be told: enough points that are not in a plane. */
static bool can_bend(const regions* r, int32_t cluster, int32_t count) {
    const double a0[6] = {(double)r->a0[0][cluster], (double)r->a0[1][cluster],
                          (double)r->a0[2][cluster], (double)r->a0[3][cluster],
                          (double)r->a0[4][cluster], (double)r->a0[5][cluster]};
    double values[3];
    dmat3 vectors;
    eigen_sym3(a0, values, &vectors);
    return count >= MEMBERS_LEAST && values[2] > FLAT_SHARE * values[0];
}

static void fit_cluster(const quadratic_source* s, quadratic* q, int32_t cluster, int32_t begin,
                        int32_t end) {
    double mass = 0.0, mean[QUADRATIC] = {0}, h[QUADRATIC][QUADRATIC] = {{0}}, b[QUADRATIC];
    int32_t count = 0;
    for (int32_t i = begin; i < end; ++i) {
        double m = (double)q->mass[i];
        basis(s, q, cluster, i, b);
        mass += m;
        count += m > 0.0;
        for (int k = 0; k < QUADRATIC; ++k) {
            mean[k] += m * b[k];
        }
    }
    for (int k = 0; k < 6; ++k) {
        q->mean[cluster][k] = (float)(mean[3 + k] / mass);
    }
    for (int32_t i = begin; i < end; ++i) {
        double m = (double)q->mass[i];
        basis(s, q, cluster, i, b);
        for (int k = 0; k < 6; ++k) {
            b[3 + k] -= (double)q->mean[cluster][k];
        }
        for (int k = 0; k < QUADRATIC * QUADRATIC; ++k) {
            h[k / QUADRATIC][k % QUADRATIC] += m * b[k / QUADRATIC] * b[k % QUADRATIC];
        }
    }
    memcpy(q->rows[cluster], h, QUADRATIC_MATRIX * sizeof(double));
    double trace = 0.0;
    for (int k = 0; k < QUADRATIC; ++k) {
        trace += h[k][k];
    }
    for (int k = 0; k < QUADRATIC; ++k) {
        h[k][k] += RIDGE * trace / (double)QUADRATIC;
    }
    int n = can_bend(s->regions, cluster, count) ? QUADRATIC : 3;
    bool good = trace > 0.0 && factor(h, n);
    invert(h, good ? n : 0, q->inverse[cluster]);
}

static lim_result allocate_clusters(arena* a, quadratic* q) {
    for (int k = 0; k < 3; ++k) {
        q->c0[k] = ARENA_ARRAY(a, float, q->clusters);
        LIM_TRY_MEMORY(q->c0[k]);
    }
    q->inv_radius = ARENA_ARRAY(a, float, q->clusters);
    q->mean = arena_alloc(a, (size_t)q->clusters, sizeof *q->mean);
    q->rows = arena_alloc(a, (size_t)q->clusters, sizeof *q->rows);
    q->inverse = arena_alloc(a, (size_t)q->clusters, sizeof *q->inverse);
    LIM_TRY_MEMORY(q->inv_radius);
    LIM_TRY_MEMORY(q->mean);
    LIM_TRY_MEMORY(q->rows);
    LIM_TRY_MEMORY(q->inverse);
    return LIM_OK;
}

lim_result quadratic_build(arena* a, arena* scratch, const quadratic_source* s, quadratic* out) {
    const regions* r = s->regions;
    quadratic q = {.clusters = r->count};
    int32_t* first = ARENA_ARRAY(scratch, int32_t, r->count + 1);
    LIM_TRY_MEMORY(first);
    LIM_TRY(list_members(a, s, &q, first));
    LIM_TRY(list_runs(a, &q, first));
    LIM_TRY(list_nodes(a, &q, s->slots));
    LIM_TRY(allocate_clusters(a, &q));
    for (int32_t k = 0; k < q.clusters; ++k) {
        double trace = (double)r->a0[0][k] + (double)r->a0[1][k] + (double)r->a0[2][k];
        double radius2 = trace * (double)r->inv_mass[k];
        int32_t chart = charts_of_slot(s->charts, q.slot[first[k]]);
        for (int d = 0; d < 3; ++d) {
            q.c0[d][k] = r->c0[d][k] + s->charts->origin[d][chart];
        }
        q.inv_radius[k] = radius2 > 0.0 ? (float)(1.0 / sqrt(radius2)) : 1.0f;
        fit_cluster(s, &q, k, first[k], first[k + 1]);
    }
    *out = q;
    return LIM_OK;
}

lim_result quadratic_work_make(arena* a, const quadratic* q, quadratic_work* out) {
    quadratic_work w = {0};
    w.sums = arena_alloc(a, (size_t)q->run_count, sizeof *w.sums);
    w.matrix = arena_alloc(a, (size_t)q->clusters, sizeof *w.matrix);
    LIM_TRY_MEMORY(w.sums);
    LIM_TRY_MEMORY(w.matrix);
    for (int k = 0; k < 3; ++k) {
        w.pull[k] = ARENA_ARRAY(a, float, q->members);
        LIM_TRY_MEMORY(w.pull[k]);
    }
    *out = w;
    return LIM_OK;
}
