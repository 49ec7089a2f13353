/* SPDX-License-Identifier: MIT
 * Job: walk the middle layers of a network, layer by layer, over the workers. In: node records
 * (forward) or region records (adjoint). Out: every record between. Each output is written by one
 * task; tasks are fixed blocks of outputs, so any number of workers gives the same bits.
 */
#include "net/net.h"

enum { BLOCK = 512 }; /* outputs per task: some 20 us of work, well above the cost of a dispatch */

#define DECLARE(set, suffix) extern const net_kernels net_kernels_##suffix;
ISA_LIST(DECLARE)

const net_kernels* net_kernels_for(isa set) {
    switch (set) {
#define CASE(set, suffix)                                                                          \
    case set:                                                                                      \
        return &net_kernels_##suffix;
        ISA_LIST(CASE)
    default:
        return &ISA_BASE(net_kernels);
    }
}

typedef struct layer_pass {
    const net* n;
    float* records;
    int32_t strips, begin, end;
    void (*kernel)(const net* n, float* records, int32_t strips, int32_t begin, int32_t end);
} layer_pass;

static void layer_task(void* context, int32_t index) {
    const layer_pass* p = context;
    int32_t begin = p->begin + index * BLOCK;
    int32_t end = begin + BLOCK < p->end ? begin + BLOCK : p->end;
    p->kernel(p->n, p->records, p->strips, begin, end);
}

static void run_layer(layer_pass* pass, int32_t layer, workers* pool) {
    pass->begin = pass->n->first[layer];
    pass->end = pass->n->first[layer + 1];
    workers_run(pool, (pass->end - pass->begin + BLOCK - 1) / BLOCK, layer_task, pass);
}

void net_forward_middle(const net* n, float* records, int32_t strips, isa set, workers* pool) {
    layer_pass pass = {n, records, strips, 0, 0, net_kernels_for(set)->forward};
    for (int32_t l = 1; l < n->layers - 1; ++l) {
        run_layer(&pass, l, pool);
    }
}

void net_adjoint_middle(const net* n, float* records, int32_t strips, isa set, workers* pool) {
    layer_pass pass = {n, records, strips, 0, 0, net_kernels_for(set)->adjoint};
    for (int32_t l = n->layers - 2; l >= 1; --l) {
        run_layer(&pass, l, pool);
    }
}
