/* SPDX-License-Identifier: MIT
 * Job: the fragments after a cut. In: cells with newly cut links. Out: one fragment per connected
 * piece, with its share of volume; specks given to the one neighbour they hang on; fragments in
 * order of (key, lowest sub-voxel).
 *
 * A piece of n_j of n sub-voxels has V_j = V n_j / n (the last one what is left), lies at the mean
 * of its sub-voxels moved by as much as the whole lay off the mean of its own, and has the moment
 * of its sub-voxels as cubes: then volumes and first moments add up, and second ones where that of
 * the whole was that of its sub-voxels.
 */
#include "sample/matter_work.h"

#include <string.h>

void matter_join(double* volume, lim_point* centroid, double moment[6], double other_volume,
                 lim_point other_centroid, const double other_moment[6]) {
    double sum = *volume + other_volume, both = *volume * other_volume / sum;
    lim_point d = p3_sub(other_centroid, *centroid);
    const double square[6] = {d.x * d.x, d.y * d.y, d.z * d.z, d.x * d.y, d.x * d.z, d.y * d.z};
    for (int k = 0; k < 6; ++k) {
        moment[k] += other_moment[k] + both * square[k];
    }
    *centroid = p3_mad(*centroid, d, other_volume / sum);
    *volume = sum;
}

/* The pieces of a fragment, by lowest sub-voxel. */
static lim_result split_fragment(matter_work* w, int32_t source, const near_cell* near) {
    const matter* m = w->m;
    const uint64_t* cut = near->wall.cut;
    uint64_t soft = m->soft[source] | (near->ends & m->mask[source]);
    int32_t begin = w->piece.count;
    for (uint64_t left = m->mask[source]; left != 0;) {
        cut_piece p = {.source = source};
        p.mask = linking_flood(left, soft, cut, left & (~left + 1));
        p.soft = p.mask & soft;
        left &= ~p.mask;
        if (!ARRAY_PUSH(&w->mem.host, &w->piece, p)) {
            return LIM_ERROR_MEMORY;
        }
    }
    int32_t parts = w->piece.count - begin, all = mask_count(m->mask[source]);
    lim_point off = p3(0, 0, 0);
    if (parts > 1) {
        off = p3_sub(m->centroid[source], matter_mean(m, m->key[source], m->mask[source]));
    }
    double rest = m->volume[source];
    for (int32_t i = begin; i < w->piece.count; ++i) {
        cut_piece* p = &w->piece.data[i];
        p->parts = parts;
        if (parts == 1) {
            p->volume = m->volume[source];
            p->centroid = m->centroid[source];
            memcpy(p->moment, m->moment[source], sizeof(p->moment));
            continue;
        }
        p->volume = m->volume[source] * ((double)mask_count(p->mask) / all);
        p->volume = i + 1 == w->piece.count ? rest : p->volume;
        rest -= p->volume;
        p->centroid = p3_add(matter_mean(m, m->key[source], p->mask), off);
        matter_moment(m, p->volume, p->mask, p->moment);
    }
    return LIM_OK;
}

static void sort_pieces(cut_piece* p, int32_t count) {
    for (int32_t i = 1; i < count; ++i) {
        cut_piece one = p[i];
        int32_t to = i;
        for (; to > 0 && mask_lowest(p[to - 1].mask) > mask_lowest(one.mask); --to) {
            p[to] = p[to - 1];
        }
        p[to] = one;
    }
}

static lim_result find_pieces(matter_work* w) {
    int32_t n = w->links.changed;
    w->changed = ARENA_ARRAY(&w->mem, int32_t, n);
    w->changed_piece = ARENA_ARRAY(&w->mem, int32_t, n + 1);
    w->changed_of = ARENA_ARRAY(&w->mem, int32_t, w->cells.count);
    LIM_TRY_MEMORY(w->changed);
    LIM_TRY_MEMORY(w->changed_piece);
    LIM_TRY_MEMORY(w->changed_of);
    for (int32_t cell = 0; cell < w->cells.count; ++cell) {
        int32_t slot = w->links.slot[cell];
        if (slot == 0 || !w->links.near.data[slot - 1].changed) {
            continue;
        }
        int32_t begin = w->piece.count;
        for (int32_t i = w->cells.first[cell]; i < w->cells.first[cell + 1]; ++i) {
            LIM_TRY(split_fragment(w, i, &w->links.near.data[slot - 1]));
        }
        sort_pieces(w->piece.data + begin, w->piece.count - begin);
        w->changed[w->changed_count++] = cell;
        w->changed_of[cell] = w->changed_count;
        w->changed_piece[w->changed_count] = w->piece.count;
    }
    return LIM_OK;
}

typedef struct heir {
    int32_t piece, fragment; /* one of them, the other is -1 */
    int32_t count;
} heir;

/* What a piece touches in another cell. */
static void look_for_heir(const matter_work* w, const cut_piece* p, int32_t cell, int32_t other,
                          const int d[3], heir* found) {
    int32_t changed = w->changed_of[other];
    int32_t begin = changed > 0 ? w->changed_piece[changed - 1] : w->cells.first[other];
    int32_t end = changed > 0 ? w->changed_piece[changed] : w->cells.first[other + 1];
    for (int32_t i = begin; i < end; ++i) {
        if (changed > 0 && w->piece.data[i].gone) {
            continue;
        }
        uint64_t mask = changed > 0 ? w->piece.data[i].mask : w->m->mask[i];
        uint64_t soft = changed > 0 ? w->piece.data[i].soft : w->m->soft[i];
        if (linking_touch(p->mask, p->soft, matter_links_of(&w->links, cell), mask, soft,
                          matter_links_of(&w->links, other), d)) {
            *found = (heir){changed > 0 ? i : -1, changed > 0 ? -1 : i, found->count + 1};
        }
    }
}

static bool has_glue(const matter* m, int32_t i) {
    bool any = false;
    for (int32_t e = m->edge_offset[i]; e < m->edge_offset[i + 1]; ++e) {
        any |= matter_is_glued(m, i, m->edge_node[e]);
    }
    return any;
}

static lim_result give_speck(matter_work* w, int32_t changed, cut_piece* p, int32_t* left) {
    int32_t cell = w->changed[changed];
    bool thin = (p->mask & w->m->soft[p->source]) != 0;
    bool speck = p->parts > 1 && mask_count(p->mask) == 1 && !thin;
    if (!speck || *left == 1 || has_glue(w->m, p->source)) {
        return LIM_OK;
    }
    const near_cell* c = &w->links.near.data[w->links.slot[cell] - 1];
    heir found = {-1, -1, 0};
    for (int k = 0; k < 27; ++k) {
        const int d[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        if (k != 13 && c->near[k] >= 0) {
            look_for_heir(w, p, cell, c->near[k], d, &found);
        }
    }
    if (found.count != 1) {
        return LIM_OK;
    }
    p->gone = true;
    --*left;
    if (found.piece >= 0) {
        cut_piece* to = &w->piece.data[found.piece];
        matter_join(&to->volume, &to->centroid, to->moment, p->volume, p->centroid, p->moment);
        to->grown = true;
        return LIM_OK;
    }
    matter_gift gift = {.to = found.fragment, .volume = p->volume, .centroid = p->centroid};
    memcpy(gift.moment, p->moment, sizeof(gift.moment));
    return ARRAY_PUSH(&w->mem.host, &w->gift, gift) ? LIM_OK : LIM_ERROR_MEMORY;
}

/* The last piece of a cell stays. */
static lim_result give_specks(matter_work* w) {
    for (int32_t i = 0; i < w->changed_count; ++i) {
        int32_t left = w->changed_piece[i + 1] - w->changed_piece[i];
        for (int32_t k = w->changed_piece[i]; k < w->changed_piece[i + 1]; ++k) {
            LIM_TRY(give_speck(w, i, &w->piece.data[k], &left));
        }
    }
    return LIM_OK;
}

static lim_result allocate(matter_work* w, int32_t count, bool same) {
    matter* m = &w->out->after;
    m->count = count;
    w->out->source = ARENA_ROOM(w->a, int32_t, count);
    w->out->touched = ARENA_ARRAY(w->a, uint8_t, count);
    LIM_TRY_MEMORY(w->out->source);
    LIM_TRY_MEMORY(w->out->touched);
    m->soft = ARENA_ROOM(w->a, uint64_t, count);
    LIM_TRY_MEMORY(m->soft);
    if (same) {
        return LIM_OK;
    }
    m->key = ARENA_ROOM(w->a, uint64_t, count);
    m->mask = ARENA_ROOM(w->a, uint64_t, count);
    m->volume = ARENA_ROOM(w->a, double, count);
    m->centroid = ARENA_ROOM(w->a, lim_point, count);
    m->moment = arena_room(w->a, (size_t)count, sizeof *m->moment);
    LIM_TRY_MEMORY(m->key);
    LIM_TRY_MEMORY(m->mask);
    LIM_TRY_MEMORY(m->volume);
    LIM_TRY_MEMORY(m->centroid);
    LIM_TRY_MEMORY(m->moment);
    return LIM_OK;
}

/* Fragments from..to of before go to `at` and on; as they are. */
static void copy_run(matter_work* w, int32_t run, int32_t from, int32_t to, int32_t at, bool same) {
    const matter* b = w->m;
    matter* m = &w->out->after;
    size_t n = (size_t)(to - from);
    for (int32_t i = from; i < to; ++i) {
        w->out->source[at + i - from] = i;
        w->new_of[i] = at + i - from;
        w->run[i] = run;
    }
    memcpy(m->soft + at, b->soft + from, n * sizeof(uint64_t));
    if (same) {
        return;
    }
    memcpy(m->key + at, b->key + from, n * sizeof(uint64_t));
    memcpy(m->mask + at, b->mask + from, n * sizeof(uint64_t));
    memcpy(m->volume + at, b->volume + from, n * sizeof(double));
    memcpy(m->centroid + at, b->centroid + from, n * sizeof(lim_point));
    memcpy(m->moment + at, b->moment + from, n * sizeof *m->moment);
}

static void put_piece(matter_work* w, const cut_piece* p, int32_t at) {
    matter* m = &w->out->after;
    m->key[at] = w->m->key[p->source];
    m->mask[at] = p->mask;
    m->soft[at] = p->soft;
    m->volume[at] = p->volume;
    m->centroid[at] = p->centroid;
    memcpy(m->moment[at], p->moment, sizeof(p->moment));
    w->out->source[at] = p->source;
    w->out->touched[at] = p->parts > 1 || p->grown;
    w->new_of[p->source] = p->parts > 1 ? -1 : at;
}

/* Runs of cells that stay, and changed ones between them. */
static void fill(matter_work* w, bool same) {
    int32_t from = 0, at = 0, cell = 0;
    for (int32_t i = 0; i <= w->changed_count; ++i) {
        int32_t stop = i < w->changed_count ? w->changed[i] : w->cells.count;
        int32_t to = w->cells.first[stop];
        for (; cell < stop; ++cell) {
            w->new_first[cell] = at + w->cells.first[cell] - from;
        }
        copy_run(w, i, from, to, at, same);
        at += to - from;
        w->new_first[stop] = at;
        if (i == w->changed_count) {
            break;
        }
        if (same) {
            copy_run(w, -1, to, w->cells.first[stop + 1], at, true);
            for (int32_t k = w->changed_piece[i]; k < w->changed_piece[i + 1]; ++k, ++at) {
                w->out->after.soft[at] = w->piece.data[k].soft;
            }
        }
        for (int32_t k = w->changed_piece[i]; k < w->changed_piece[i + 1] && !same; ++k) {
            w->run[w->piece.data[k].source] = -1;
            if (!w->piece.data[k].gone) {
                put_piece(w, &w->piece.data[k], at++);
            }
        }
        from = w->cells.first[stop + 1];
        cell = stop + 1;
    }
}

lim_result matter_split(matter_work* w) {
    LIM_TRY(find_pieces(w));
    LIM_TRY(give_specks(w));
    int32_t before = 0, after = 0;
    for (int32_t i = 0; i < w->changed_count; ++i) {
        before += w->cells.first[w->changed[i] + 1] - w->cells.first[w->changed[i]];
    }
    for (int32_t i = 0; i < w->piece.count; ++i) {
        after += !w->piece.data[i].gone;
    }
    bool same = w->piece.count == before;
    w->new_first = ARENA_ROOM(&w->mem, int32_t, w->cells.count + 1);
    w->new_of = ARENA_ARRAY(&w->mem, int32_t, w->m->count);
    w->run = ARENA_ROOM(&w->mem, int32_t, w->m->count);
    LIM_TRY_MEMORY(w->new_first);
    LIM_TRY_MEMORY(w->new_of);
    LIM_TRY_MEMORY(w->run);
    LIM_TRY(allocate(w, w->m->count - before + after, same));
    fill(w, same);
    matter* m = &w->out->after;
    for (int32_t i = 0; i < w->gift.count; ++i) {
        const matter_gift* g = &w->gift.data[i];
        int32_t to = w->new_of[g->to];
        matter_join(&m->volume[to], &m->centroid[to], m->moment[to], g->volume, g->centroid,
                    g->moment);
        w->out->touched[to] = 1;
    }
    w->out->new_fragments = after - before;
    return LIM_OK;
}
