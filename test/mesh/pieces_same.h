/* SPDX-License-Identifier: MIT
 * Two hierarchies of pieces, bit by bit.
 */
#ifndef LIMBER_PIECES_SAME_H
#define LIMBER_PIECES_SAME_H

#include "sample/pieces.h"

#include <string.h>

static inline bool same_rows(const int32_t* first, const int32_t* item, const int32_t* first_other,
                             const int32_t* item_other, int32_t count) {
    size_t firsts = ((size_t)count + 1) * sizeof(int32_t);
    return memcmp(first, first_other, firsts) == 0 &&
           memcmp(item, item_other, (size_t)first[count] * sizeof(int32_t)) == 0;
}

static inline bool same_pieces(const pieces* a, const pieces* b) {
    bool same = a->finest == b->finest && a->side == b->side;
    for (int32_t l = a->finest; l >= 0 && same; --l) {
        const piece_level *p = &a->level[l], *q = &b->level[l];
        size_t n = (size_t)p->count;
        same = p->count == q->count && memcmp(p->key, q->key, n * sizeof *p->key) == 0 &&
               memcmp(p->volume, q->volume, n * sizeof *p->volume) == 0 &&
               memcmp(p->centroid, q->centroid, n * sizeof *p->centroid) == 0 &&
               memcmp(p->moment, q->moment, n * sizeof *p->moment) == 0 &&
               same_rows(p->edge_offset, p->edge_piece, q->edge_offset, q->edge_piece, p->count);
        same = same && (l == 0 || memcmp(p->parent, q->parent, n * sizeof *p->parent) == 0) &&
               (l == a->finest ||
                same_rows(p->child_first, p->child, q->child_first, q->child, p->count));
    }
    return same;
}

#endif
