/* SPDX-License-Identifier: MIT
 * A host whose n-th allocation fails and which counts what is still held: for loops over failure
 * points. for (int n = 0;; ++n) { failing_host f = failing_host_at(n); lim_result r = make(&f.host,
 * &x); if (r == LIM_OK) { destroy(x); CHECK(f.held == 0); break; } CHECK(r == LIM_ERROR_MEMORY);
 * CHECK(f.held == 0); }
 */
#ifndef LIMBER_FAILING_HOST_H
#define LIMBER_FAILING_HOST_H

#include <limber/base.h>
#include <stdlib.h>

typedef struct failing_host {
    lim_host host; /* host.user must point at this struct: call failing_host_arm after copying */
    int64_t allocations, fail_at, held;
} failing_host;

static inline void* failing_alloc(void* user, size_t size, size_t align) {
    failing_host* f = user;
    if (f->allocations++ == f->fail_at) {
        return NULL;
    }
    void* memory = aligned_alloc(align, (size + align - 1) / align * align);
    f->held += memory != NULL;
    return memory;
}

static inline void failing_free(void* user, void* memory, size_t size) {
    (void)size;
    ((failing_host*)user)->held -= memory != NULL;
    free(memory);
}

/* fail_at < 0: never fails, only counts. */
static inline void failing_host_arm(failing_host* f, int64_t fail_at) {
    *f = (failing_host){.fail_at = fail_at};
    f->host = (lim_host){.alloc = failing_alloc, .free = failing_free, .user = f};
}

#endif
