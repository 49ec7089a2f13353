/* SPDX-License-Identifier: MIT
 * Job: matching over window sums, 8 neighbours along x at a time, compiled once per instruction
 * set. In: node state, region constants, the sums of lists. Out: rotations, velocities. The passes
 * are those of match/match_box.h; the arithmetic is match/match_lanes.h.
 */
#include "match/match_box.h"
#include "match/match_lanes.h"
#include "net/box_window.h"

/* Parts of a task's scratch memory. */
typedef struct parts {
    float *suffix, *rows, *sums, *pulls, *ends;
    int32_t row; /* floats of one field's row */
} parts;

static inline parts parts_of(const box_net* b, float* scratch) {
    parts p = {.row = box_row_floats(b->rows.longest)};
    p.suffix = scratch;
    p.rows = p.suffix + BOX_SUFFIX;
    p.sums = p.rows + (size_t)(FORWARD * p.row);
    p.pulls = p.sums + p.row;
    p.ends = p.pulls + (size_t)(ADJOINT * p.row);
    return p;
}

/* Own motion of the nodes, block by block. */
typedef struct own_sums {
    int32_t block;
    fw sum[MATCH_SUMS];
} own_sums;

KERNEL_PASS void own_clear(own_sums* o) {
    for (int k = 0; k < MATCH_SUMS; ++k) {
        o->sum[k] = fw_zero();
    }
}

KERNEL_PASS void own_flush(const match_body* m, own_sums* o) {
    double* out = m->block_sums + (size_t)o->block * NODE_SUMS;
    for (int k = 0; k < MATCH_SUMS; ++k) {
        out[k] = dw_sum(dw_from(o->sum[k]));
    }
    own_clear(o);
}

/* Fields of one octet into the rows; the records of lists too, where a list wants them. */
KERNEL_PASS void octet_up(const match_body* m, int32_t i, const match_rigid* rigid, bool damped,
                          own_sums* own, const parts* p, int32_t place) {
    own_state o = load_own(m->nodes, i, rigid);
    add_own(&o, fw_load(m->nodes->mass + i), own->sum);
    fw r[FORWARD];
    fw mass = fw_load(m->fit_mass + i);
    forward_fields(&o, mass, damped, 0, r);
    forward_fields(&o, mass, damped, 1, r + 8);
    if (damped) {
        forward_fields(&o, mass, damped, 2, r + 16);
    }
    for (int f = 0; f < (damped ? FORWARD : FORWARD_UNDAMPED); ++f) {
        fw_store(p->rows + f * p->row + 8 * (place + BOX_EDGE), r[f]);
    }
    if (m->net->back_offset[i] != m->net->back_offset[i + 8]) {
        store_forward(m, i, &o, damped);
    }
}

KERNEL_PASS void plane_up(const match_body* m, const box_plane* plane, int32_t block,
                          const match_rigid* rigid, bool damped, float* scratch) {
    const box_net* b = m->box;
    const parts p = parts_of(b, scratch);
    const int fields = damped ? FORWARD : FORWARD_UNDAMPED;
    own_sums own = {.block = block};
    own_clear(&own);
    for (int32_t l = plane->row_begin; l < plane->row_end; ++l) {
        int32_t begin = b->rows.begin[l], places = b->rows.begin[l + 1] - begin;
        box_row_clear(p.rows, places, b->width, p.row, fields);
        for (int32_t k = 0; k < places; ++k) {
            int32_t octet = b->rows.from[begin + k];
            if (octet < 0) {
                for (int f = 0; f < fields; ++f) {
                    fw_store(p.rows + f * p.row + 8 * (k + BOX_EDGE), fw_zero());
                }
                continue;
            }
            octet_up(m, 8 * octet, rigid, damped, &own, &p, k);
            if (8 * octet + 8 == m->nodes->blocks[own.block].end) {
                own_flush(m, &own);
                own.block++;
            }
        }
        box_records to = {p.ends, 8 * fields, b->rows.to + begin, false};
        for (int f = 0; f < fields; ++f) {
            box_row(p.rows + f * p.row, p.sums, places, b->width, &to, f);
        }
    }
    for (int32_t l = plane->line_begin; l < plane->line_end; ++l) {
        int32_t begin = b->lines.begin[l];
        box_records from = {p.ends, 8 * fields, b->lines.from + begin, false};
        box_records to = {m->box_sums, 8 * fields, b->lines.to + begin, false};
        box_line(&from, &to, b->lines.begin[l + 1] - begin, b->width, fields, p.suffix);
    }
}

static void match_up(const match_body* m, const box_plane* p, int32_t block,
                     const match_rigid* rigid, float* scratch) {
    if (m->damped) {
        plane_up(m, p, block, rigid, true, scratch);
    } else {
        plane_up(m, p, block, rigid, false, scratch);
    }
}

/* The sums of what regions pull take the place of those they were made of, record by record. */
KERNEL_PASS void columns(const match_body* m, int32_t first, int32_t last, bool damped,
                         match_shape shape, float* scratch) {
    const box_net* b = m->box;
    const int forward = damped ? FORWARD : FORWARD_UNDAMPED;
    const int adjoint = damped ? ADJOINT_DAMPED : ADJOINT_UNDAMPED;
    float* suffix = scratch;
    float* sums = suffix + BOX_SUFFIX;
    float* pulls = sums + (size_t)b->columns.longest * FORWARD * 8;
    for (int32_t l = first; l < last; ++l) {
        int32_t begin = b->columns.begin[l], places = b->columns.begin[l + 1] - begin;
        const int32_t* octet = b->columns.to + begin;
        box_records plates = {m->box_sums, 8 * forward, b->columns.from + begin, false};
        box_records column = {sums, 8 * forward, octet, true};
        box_records back = {pulls, 8 * adjoint, octet, true};
        box_line(&plates, &column, places, b->width, forward, suffix);
        /* Records of a column lie far apart: those of the next one come while this one is solved.
         */
        const int32_t* next = b->columns.from + b->columns.begin[l + 1];
        int32_t ahead = l + 1 < last ? b->columns.begin[l + 2] - b->columns.begin[l + 1] : 0;
        for (int32_t k = 0; k < places; ++k) {
            if (k < ahead && next[k] >= 0) {
                box_prefetch(m->box_sums + (size_t)next[k] * (size_t)(8 * forward), forward);
            }
            if (octet[k] < 0) {
                continue;
            }
            fw s[FORWARD], out[ADJOINT];
            for (int f = 0; f < forward; ++f) {
                s[f] = fw_load(sums + (size_t)(k * forward + f) * 8);
            }
            region_lanes(m, 8 * octet[k], s, damped, shape, false, out);
            for (int f = 0; f < adjoint; ++f) {
                fw_store(pulls + (size_t)(k * adjoint + f) * 8, out[f]);
            }
        }
        box_line(&back, &plates, places, b->width, adjoint, suffix);
    }
}

KERNEL_PASS void any_columns(const match_body* m, int32_t begin, int32_t end, match_shape shape,
                             float* scratch) {
    if (m->damped) {
        columns(m, begin, end, true, shape, scratch);
    } else {
        columns(m, begin, end, false, shape, scratch);
    }
}

static void match_columns(const match_body* m, int32_t begin, int32_t end, float* scratch) {
    switch (m->gains->shape) {
    case MATCH_FIT:
        any_columns(m, begin, end, MATCH_FIT, scratch);
        break;
    case MATCH_PLASTIC:
        any_columns(m, begin, end, MATCH_PLASTIC, scratch);
        break;
    case MATCH_PLAIN:
    default:
        any_columns(m, begin, end, MATCH_PLAIN, scratch);
        break;
    }
}

/* Velocities of one octet from its sums. */
KERNEL_PASS void octet_down(const match_body* m, int32_t i, const match_rigid* rigid, bool damped,
                            fw* s, dw added[6]) {
    const int fields = damped ? ADJOINT_DAMPED : ADJOINT_UNDAMPED;
    if (m->net->back_offset[i] != m->net->back_offset[i + 8]) {
        fw list[ADJOINT];
        gather_back(m->net, i, m->adjoint, list);
        for (int f = 0; f < fields; ++f) {
            s[f] = fw_add(s[f], list[f]);
        }
    }
    fw goal = fw_load(m->gains->goal_sum + i), pull[3];
    fw damp = damped ? fw_load(m->gains->damp_sum + i) : fw_zero();
    own_state o = load_own(m->nodes, i, rigid);
    limit_speed(&o, rigid, most_speed(m));
    region_pull(s, &o, fw_load(m->inv_weight + i), goal, fw_add(damp, fw_set1(m->gains->body_damp)),
                damped, pull);
    change_velocities(m->nodes, i, &o, rigid, pull, added);
}

KERNEL_PASS void plane_down(const match_body* m, const box_plane* plane, int32_t block,
                            const match_rigid* rigid, bool damped, float* scratch) {
    const box_net* b = m->box;
    const parts p = parts_of(b, scratch);
    const int stride = 8 * (damped ? FORWARD : FORWARD_UNDAMPED);
    const int fields = damped ? ADJOINT_DAMPED : ADJOINT_UNDAMPED;
    for (int32_t l = plane->line_begin; l < plane->line_end; ++l) {
        int32_t begin = b->lines.begin[l];
        box_records from = {m->box_sums, stride, b->lines.to + begin, false};
        box_records to = {p.ends, 8 * fields, b->lines.from + begin, false};
        box_line(&from, &to, b->lines.begin[l + 1] - begin, b->width, fields, p.suffix);
    }
    dw added[6];
    for (int k = 0; k < 6; ++k) {
        added[k] = dw_zero();
    }
    for (int32_t l = plane->row_begin; l < plane->row_end; ++l) {
        int32_t begin = b->rows.begin[l], places = b->rows.begin[l + 1] - begin;
        box_row_clear(p.rows, places, b->width, p.row, fields);
        for (int32_t k = 0; k < places; ++k) {
            int32_t end = b->rows.to[begin + k];
            const float* at = p.ends + (size_t)(end < 0 ? 0 : end) * (size_t)(8 * fields);
            for (int f = 0; f < fields; ++f) {
                fw_store(p.rows + f * p.row + 8 * (k + BOX_EDGE),
                         end < 0 ? fw_zero() : fw_load(at + 8 * f));
            }
        }
        box_records to = {p.pulls, 8 * fields, b->rows.from + begin, true};
        for (int f = 0; f < fields; ++f) {
            box_row(p.rows + f * p.row, p.sums, places, b->width, &to, f);
        }
        for (int32_t k = 0; k < places; ++k) {
            int32_t octet = b->rows.from[begin + k];
            if (octet < 0) {
                continue;
            }
            fw s[ADJOINT];
            for (int f = 0; f < fields; ++f) {
                s[f] = fw_load(p.pulls + (k * fields + f) * 8);
            }
            octet_down(m, 8 * octet, rigid, damped, s, added);
            if (8 * octet + 8 == m->nodes->blocks[block].end) {
                for (int j = 0; j < 6; ++j) {
                    m->block_sums[(size_t)block * NODE_SUMS + (size_t)j] = dw_sum(added[j]);
                    added[j] = dw_zero();
                }
                block++;
            }
        }
    }
}

static void match_down(const match_body* m, const box_plane* p, int32_t block,
                       const match_rigid* rigid, float* scratch) {
    if (m->damped) {
        plane_down(m, p, block, rigid, true, scratch);
    } else {
        plane_down(m, p, block, rigid, false, scratch);
    }
}

const match_box_kernels KERNEL(match_box_kernels) = {match_up, match_columns, match_down};
