/* SPDX-License-Identifier: MIT
 * Job: the head of saved bytes. In: bytes. Out: a head that names and guards them, or why they are
 * refused.
 */
#include "world/container.h"

#include "base/hash.h"
#include "base/log.h"
#include "base/stream.h"

#include <string.h>

static void pass_head(stream* s, unsigned char kind[8], uint32_t* version, uint64_t* size,
                      uint64_t* sum) {
    uint32_t spare = 0;
    stream_array(s, kind, 8, 1);
    stream_u32(s, version);
    stream_u32(s, &spare);
    stream_u64(s, size);
    stream_u64(s, sum);
    s->failed = s->failed || spare != 0;
}

void container_seal(unsigned char* bytes, size_t size, const char* kind) {
    stream s = stream_write(bytes);
    unsigned char letters[8];
    memcpy(letters, kind, 8);
    uint32_t version = CONTAINER_VERSION;
    uint64_t whole = size;
    uint64_t sum = hash_bytes(HASH_SEED, bytes + CONTAINER_HEAD, size - CONTAINER_HEAD);
    pass_head(&s, letters, &version, &whole, &sum);
}

lim_result container_open(const unsigned char* bytes, size_t size, const char* kind,
                          const char* call, const lim_host* host) {
    stream s = stream_read(bytes, size);
    unsigned char letters[8] = {0};
    uint32_t version = 0;
    uint64_t whole = 0, sum = 0;
    pass_head(&s, letters, &version, &whole, &sum);
    if (memcmp(letters, kind, 8) != 0) {
        return log_fail(host, LIM_ERROR_FORMAT,
                        "%s: the bytes do not begin with %.8s; give what the save function wrote",
                        call, kind);
    }
    if (!s.failed && version != CONTAINER_VERSION) {
        return log_fail(host, LIM_ERROR_VERSION,
                        "%s: the bytes are of format %u, this library reads %d; save them anew",
                        call, version, CONTAINER_VERSION);
    }
    if (s.failed || whole != size) {
        return log_fail(host, LIM_ERROR_FORMAT,
                        "%s: %llu bytes were saved, %llu are here; give all of them", call,
                        (unsigned long long)whole, (unsigned long long)size);
    }
    if (sum != hash_bytes(HASH_SEED, bytes + CONTAINER_HEAD, size - CONTAINER_HEAD)) {
        return log_fail(host, LIM_ERROR_FORMAT,
                        "%s: the checksum is wrong; the bytes were damaged on their way", call);
    }
    return LIM_OK;
}
