/* SPDX-License-Identifier: MIT
 * Job: the sum network's structure: transposed lists, validity, members. In: forward lists. Out:
 * the lists of the adjoint, in ascending order of output, which is canonical because record numbers
 * are.
 */
#include "net/net.h"

#include <string.h>

lim_result net_transpose(net* n, arena* a) {
    int32_t total = n->forward_offset[n->record_count];
    n->back_offset = ARENA_ARRAY(a, int32_t, n->record_count + 1);
    n->back = ARENA_ARRAY(a, int32_t, total);
    LIM_TRY_MEMORY(n->back_offset);
    LIM_TRY_MEMORY(n->back);
    for (int32_t e = 0; e < total; ++e) {
        n->back_offset[n->forward[e] + 1]++;
    }
    for (int32_t i = 0; i < n->record_count; ++i) {
        n->back_offset[i + 1] += n->back_offset[i];
    }
    /* Fill in order of output; back_offset is moved along and then shifted back by one. */
    for (int32_t i = 0; i < n->record_count; ++i) {
        for (int32_t e = n->forward_offset[i]; e < n->forward_offset[i + 1]; ++e) {
            n->back[n->back_offset[n->forward[e]]++] = i;
        }
    }
    memmove(n->back_offset + 1, n->back_offset, (size_t)n->record_count * sizeof(int32_t));
    n->back_offset[0] = 0;
    return LIM_OK;
}

static int32_t layer_of(const net* n, int32_t record) {
    int32_t layer = 0;
    while (record >= n->first[layer + 1]) {
        layer++;
    }
    return layer;
}

bool net_is_valid(const net* n) {
    if (n->layers < 2 || n->layers > NET_LAYERS || n->first[0] != 0 ||
        n->first[n->layers] != n->record_count || n->node_count != n->first[1] ||
        n->region_count != n->record_count - n->first[n->layers - 1] || n->node_count % 8 != 0 ||
        n->region_count % 8 != 0 || n->forward_offset[0] != 0 || n->back_offset[0] != 0 ||
        n->forward_offset[n->first[1]] != 0 ||
        n->back_offset[n->record_count] != n->forward_offset[n->record_count]) {
        return false;
    }
    for (int32_t l = 0; l < n->layers; ++l) {
        if (n->first[l] > n->first[l + 1]) {
            return false;
        }
    }
    for (int32_t i = 0; i < n->record_count; ++i) {
        if (n->forward_offset[i + 1] < n->forward_offset[i] ||
            n->back_offset[i + 1] < n->back_offset[i]) {
            return false;
        }
    }
    /* Inputs lie in earlier layers; each forward entry stands once in the back list of its input.
     */
    for (int32_t l = 1; l < n->layers; ++l) {
        for (int32_t i = n->first[l]; i < n->first[l + 1]; ++i) {
            for (int32_t e = n->forward_offset[i]; e < n->forward_offset[i + 1]; ++e) {
                if (n->forward[e] < 0 || n->forward[e] >= n->first[l]) {
                    return false;
                }
            }
        }
    }
    for (int32_t i = 0; i < n->record_count; ++i) {
        for (int32_t e = n->back_offset[i]; e < n->back_offset[i + 1]; ++e) {
            int32_t user = n->back[e];
            if (user < 0 || user >= n->record_count || layer_of(n, user) <= layer_of(n, i) ||
                (e > n->back_offset[i] && n->back[e - 1] > user)) {
                return false;
            }
            bool used = false;
            for (int32_t f = n->forward_offset[user]; f < n->forward_offset[user + 1]; ++f) {
                used = used || n->forward[f] == i;
            }
            if (!used) {
                return false;
            }
        }
    }
    return true;
}

/* Appends the nodes under a record, depth first, in list order. */
static int32_t collect(const net* n, int32_t record, int32_t* out, int32_t count,
                       int32_t capacity) {
    if (record < n->node_count) {
        if (count < capacity) {
            out[count] = record;
        }
        return count + 1;
    }
    for (int32_t e = n->forward_offset[record]; e < n->forward_offset[record + 1]; ++e) {
        count = collect(n, n->forward[e], out, count, capacity);
    }
    return count;
}

int32_t net_members(const net* n, int32_t region, int32_t* out_nodes, int32_t capacity) {
    int32_t count = collect(n, n->first[n->layers - 1] + region, out_nodes, 0, capacity);
    /* Insertion sort: lists are nearly in order already. */
    int32_t written = count < capacity ? count : capacity;
    for (int32_t i = 1; i < written; ++i) {
        int32_t node = out_nodes[i], j = i;
        for (; j > 0 && out_nodes[j - 1] > node; --j) {
            out_nodes[j] = out_nodes[j - 1];
        }
        out_nodes[j] = node;
    }
    return count;
}
