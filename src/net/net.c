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
    n->back = ARENA_ROOM(a, int32_t, total);
    LIM_TRY_MEMORY(n->back_offset);
    LIM_TRY_MEMORY(n->back);
    if (n->forward_weight != NULL) {
        n->back_weight = ARENA_ROOM(a, float, total);
        LIM_TRY_MEMORY(n->back_weight);
    }
    for (int32_t e = 0; e < total; ++e) {
        n->back_offset[n->forward[e] + 1]++;
    }
    for (int32_t i = 0; i < n->record_count; ++i) {
        n->back_offset[i + 1] += n->back_offset[i];
    }
    /* Fill in order of output; back_offset is moved along and then shifted back by one. */
    for (int32_t i = 0; i < n->record_count; ++i) {
        for (int32_t e = n->forward_offset[i]; e < n->forward_offset[i + 1]; ++e) {
            int32_t at = n->back_offset[n->forward[e]]++;
            n->back[at] = i;
            if (n->forward_weight != NULL) {
                n->back_weight[at] = n->forward_weight[e];
            }
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

static bool same_weight(const net* n, int32_t forward, int32_t back) {
    if (n->forward_weight == NULL || n->back_weight == NULL) {
        return n->forward_weight == NULL && n->back_weight == NULL;
    }
    float w = n->forward_weight[forward];
    return w > 0.0f && w <= 1.0f && w == n->back_weight[back];
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
                used = used || (n->forward[f] == i && same_weight(n, f, e));
            }
            if (!used) {
                return false;
            }
        }
    }
    return true;
}

static double back_weight(const net* n, int32_t entry) {
    return n->back_weight != NULL ? (double)n->back_weight[entry] : 1.0;
}

double net_weight(const net* n, int32_t node, int32_t region) {
    int32_t regions = n->first[n->layers - 1], low = n->back_offset[node];
    int32_t end = n->back_offset[node + 1], high = end;
    double sum = 0.0;
    for (; low < end && n->back[low] < regions; ++low) {
        sum += back_weight(n, low) * net_weight(n, n->back[low], region);
    }
    /* What is left are regions, in ascending order. */
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (n->back[middle] < regions + region) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < end && n->back[low] == regions + region ? sum + back_weight(n, low) : sum;
}

int32_t net_members(const net* n, int32_t region, int32_t* out_nodes, int32_t capacity) {
    int32_t count = 0;
    for (int32_t i = 0; i < n->node_count; ++i) {
        if (net_weight(n, i, region) > 0.0) {
            if (count < capacity) {
                out_nodes[count] = i;
            }
            count++;
        }
    }
    return count;
}
