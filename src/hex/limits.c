/* SPDX-License-Identifier: MIT
 * Job: the active set. In: limits, velocities, what the solve leaves on nodes. Out: filters,
 * prescribed velocities, friction, multipliers, and which limits touch.
 */
#include "hex/limits.h"

#include <math.h>
#include <string.h>

enum { AXES = 3 };

/* A further direction counts when it is out of those before by so much of its length. */
#define DIRECTION_LEAST 0.1f
/* Normals nearer than this are of one direction: the one that asks for more touches. */
#define DIRECTION_SAME 0.99f
/* rho in masses of what touches: more is stiffer against slip that should not be, and slower to
 * settle. */
#define STICKY_MASSES 3.0f

static float dot3(const float a[AXES], const float b[AXES]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static int32_t run_end(const hex_limit_set* s, int32_t begin) {
    int32_t end = begin + 1;
    while (end < s->count && s->limit[end].node == s->limit[begin].node) {
        end++;
    }
    return end;
}

/* The directions that a node's touching limits take: an orthonormal basis e, and per limit its
 * normal in it, n_i = sum_j a_ij e_j. */
typedef struct directions {
    int count;
    bool held;
    int32_t limit[AXES];
    float e[AXES][AXES], a[AXES][AXES];
} directions;

static directions directions_of(const hex_limit_set* s, int32_t begin, int32_t end) {
    directions d = {0};
    for (int32_t i = begin; i < end; ++i) {
        const hex_limit* l = &s->limit[i];
        d.held = d.held || l->held;
        if (!l->touches || l->held || d.count == AXES) {
            continue;
        }
        float left[AXES] = {l->normal[0], l->normal[1], l->normal[2]};
        float* a = d.a[d.count];
        for (int j = 0; j < d.count; ++j) {
            a[j] = dot3(l->normal, d.e[j]);
            for (int k = 0; k < AXES; ++k) {
                left[k] -= a[j] * d.e[j][k];
            }
        }
        float length = sqrtf(dot3(left, left));
        if (length < DIRECTION_LEAST) {
            continue;
        }
        a[d.count] = length;
        for (int k = 0; k < AXES; ++k) {
            d.e[d.count][k] = left[k] / length;
        }
        d.limit[d.count++] = i;
    }
    return d;
}

/* The velocity against what is met, less its part along the normal. */
static void slip_of(const hex_limit* l, const float v[AXES], float out[AXES]) {
    const float against[AXES] = {v[0] - l->velocity[0], v[1] - l->velocity[1],
                                 v[2] - l->velocity[2]};
    float along = dot3(against, l->normal);
    for (int k = 0; k < AXES; ++k) {
        out[k] = against[k] - along * l->normal[k];
    }
}

/* T - rho v, and its length. */
static float pull_of(const hex_limit* l, const hex_limit_work* w, const float v[AXES],
                     float out[AXES]) {
    slip_of(l, v, out);
    for (int k = 0; k < AXES; ++k) {
        out[k] = w->drag[k] - w->sticky * out[k];
    }
    return sqrtf(dot3(out, out));
}

static float share_of(const hex_limit* l, const hex_limit_work* w, float pull) {
    float most = l->friction * w->press;
    return pull > most ? most / pull : 1.0f;
}

void hex_limits_begin(hex_limit_set* s, const float* v) {
    for (int32_t i = 0; i < s->count; ++i) {
        const hex_limit* l = &s->limit[i];
        hex_limit_work* w = &s->work[i];
        float pull[AXES];
        w->press = l->touches ? s->step * l->press : 0.0f;
        w->sticky = STICKY_MASSES * w->share;
        for (int k = 0; k < AXES; ++k) {
            w->drag[k] = l->touches ? s->step * l->drag[k] : 0.0f;
        }
        w->slip = share_of(l, w, pull_of(l, w, v + 4 * (size_t)l->node, pull));
    }
}

/* 1 - sum e e^T */
static void put_filter(const directions* d, float* f) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; ++k) {
        f[k] = k < AXES ? 1.0f : 0.0f;
        for (int j = 0; j < d->count; ++j) {
            f[k] -= d->e[j][row[k]] * d->e[j][column[k]];
        }
        f[k] = d->held || d->count == AXES ? 0.0f : f[k];
    }
}

/* The change of velocity within these directions that gives each limit its speed. */
static void put_given(const hex_limit_set* s, const directions* d, const float* v, float* given) {
    float part[AXES];
    for (int i = 0; i < d->count; ++i) {
        const hex_limit* l = &s->limit[d->limit[i]];
        part[i] = s->work[d->limit[i]].least - dot3(l->normal, v);
        for (int j = 0; j < i; ++j) {
            part[i] -= d->a[i][j] * part[j];
        }
        part[i] /= d->a[i][i];
        for (int k = 0; k < AXES; ++k) {
            given[k] += part[i] * d->e[i][k];
        }
    }
}

void hex_limits_filter(const hex_limit_set* s, hex_level* l, const float* v, float* given) {
    size_t rows = 2 * (size_t)l->pairs;
    for (int32_t i = 0; i < l->limited_count; ++i) {
        l->filter_of[l->limited[i]] = -1;
    }
    l->limited_count = 0;
    memset(given, 0, 4 * rows * sizeof *given);
    for (int32_t n = 0; n < l->nodes; ++n) {
        for (int k = 0; k < AXES; ++k) {
            l->mass[4 * (size_t)n + (size_t)k] = s->mass[n];
        }
    }
    for (int32_t begin = 0, end; begin < s->count; begin = end) {
        end = run_end(s, begin);
        size_t node = (size_t)s->limit[begin].node;
        directions d = directions_of(s, begin, end);
        if (!d.held && d.count == 0) {
            continue;
        }
        put_filter(&d, l->filter + 6 * (size_t)l->limited_count);
        l->filter_of[node] = l->limited_count;
        l->limited[l->limited_count++] = (int32_t)node;
        for (int32_t i = begin; i < end && d.held; ++i) {
            for (int k = 0; k < AXES && s->limit[i].held; ++k) {
                given[4 * node + (size_t)k] = s->work[i].hold[k] - v[4 * node + (size_t)k];
            }
        }
        for (int i = 0; i < d.count && !d.held; ++i) {
            const hex_limit_work* w = &s->work[d.limit[i]];
            for (int k = 0; k < AXES; ++k) {
                l->mass[4 * node + (size_t)k] += w->slip * w->sticky;
            }
        }
        if (!d.held) {
            put_given(s, &d, v + 4 * node, given + 4 * node);
        }
    }
}

void hex_limits_push(const hex_limit_set* s, const float* v, const float* given, float* b) {
    for (int32_t i = 0; i < s->count; ++i) {
        const hex_limit* l = &s->limit[i];
        size_t at = 4 * (size_t)l->node;
        float pull[AXES], now[AXES];
        if (!l->touches || l->held) {
            continue;
        }
        for (int k = 0; k < AXES; ++k) {
            now[k] = v[at + (size_t)k] + given[at + (size_t)k];
        }
        pull_of(l, &s->work[i], now, pull);
        for (int k = 0; k < AXES; ++k) {
            b[at + (size_t)k] += s->work[i].slip * pull[k];
        }
    }
}

typedef struct settled {
    bool changed;
    float off, most; /* of friction */
} settled;

/* Multipliers of the limits that share a node, from the impulse on it. */
static void find_presses(const hex_limit_set* s, const directions* d, const float* v,
                         const float* rest) {
    float left[AXES] = {rest[0], rest[1], rest[2]}, part[AXES];
    for (int i = 0; i < d->count; ++i) {
        float pull[AXES];
        const hex_limit_work* w = &s->work[d->limit[i]];
        pull_of(&s->limit[d->limit[i]], w, v, pull);
        for (int k = 0; k < AXES; ++k) {
            left[k] -= w->slip * pull[k];
        }
    }
    for (int i = d->count - 1; i >= 0; --i) {
        part[i] = dot3(left, d->e[i]);
        for (int j = i + 1; j < d->count; ++j) {
            part[i] -= part[j] * d->a[j][i];
        }
        part[i] /= d->a[i][i];
    }
    for (int i = 0; i < d->count; ++i) {
        s->work[d->limit[i]].press = part[i];
    }
}

static void update_touching(hex_limit_set* s, const directions* d, const float* v, settled* out) {
    for (int i = 0; i < d->count; ++i) {
        hex_limit* l = &s->limit[d->limit[i]];
        hex_limit_work* w = &s->work[d->limit[i]];
        float pull[AXES];
        if (w->press < 0.0f) {
            w->press = 0.0f;
            l->touches = false;
            out->changed = true;
            continue;
        }
        float length = pull_of(l, w, v, pull), share = share_of(l, w, length);
        out->off += fabsf(share - w->slip) * length;
        out->most += l->friction * w->press;
        w->slip = share;
    }
}

static void begin_touching(hex_limit_set* s, int32_t begin, int32_t end, int32_t i, settled* out) {
    for (int32_t j = begin; j < end; ++j) {
        bool same = dot3(s->limit[j].normal, s->limit[i].normal) > DIRECTION_SAME;
        s->limit[j].touches = s->limit[j].touches && (s->limit[j].held || !same);
    }
    s->limit[i].touches = true;
    s->work[i].press = s->work[i].slip = 0.0f;
    memset(s->work[i].drag, 0, sizeof s->work[i].drag);
    out->changed = true;
}

bool hex_limits_update(hex_limit_set* s, const float* v, const float* dv, const float* rest,
                       float* out_lag) {
    settled out = {0};
    for (int32_t begin = 0, end; begin < s->count; begin = end) {
        end = run_end(s, begin);
        size_t at = 4 * (size_t)s->limit[begin].node;
        float now[AXES] = {v[at] + dv[at], v[at + 1] + dv[at + 1], v[at + 2] + dv[at + 2]};
        directions d = directions_of(s, begin, end);
        for (int32_t i = begin; i < end && d.held; ++i) {
            memcpy(s->work[i].drag, rest + at, sizeof s->work[i].drag);
        }
        if (d.held) {
            continue;
        }
        find_presses(s, &d, now, rest + at);
        update_touching(s, &d, now, &out);
        for (int32_t i = begin; i < end && d.count < AXES; ++i) {
            bool taken = s->limit[i].touches;
            for (int j = 0; j < d.count; ++j) {
                taken = taken || d.limit[j] == i; /* it has just let go */
            }
            if (!taken && dot3(s->limit[i].normal, now) < s->work[i].least - s->close) {
                begin_touching(s, begin, end, i, &out);
            }
        }
    }
    *out_lag = out.most > 0.0f ? out.off / out.most : 0.0f;
    return out.changed;
}

void hex_limits_end(hex_limit_set* s, const float* v) {
    for (int32_t i = 0; i < s->count; ++i) {
        hex_limit* l = &s->limit[i];
        hex_limit_work* w = &s->work[i];
        float pull[AXES];
        pull_of(l, w, v + 4 * (size_t)l->node, pull);
        l->press = l->touches ? w->press / s->step : 0.0f;
        for (int k = 0; k < AXES; ++k) {
            float drag = l->held ? w->drag[k] : l->touches ? w->slip * pull[k] : 0.0f;
            l->drag[k] = drag / s->step;
        }
    }
}
