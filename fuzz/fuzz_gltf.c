/* SPDX-License-Identifier: MIT
 * Job: any bytes as GLB or glTF, by their first letters. JSON also goes in with a binary chunk put
 * behind it, since a fuzzer rarely gets the lengths of a GLB right: what follows a zero byte is the
 * chunk.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

static void put_u32(uint8_t* to, size_t value) {
    for (int i = 0; i < 4; ++i) {
        to[i] = (uint8_t)(value >> (8 * i));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    if (size >= 4 && memcmp(bytes, "glTF", 4) == 0) {
        return fuzz_mesh(bytes, size, LIM_IO_GLB);
    }
    const uint8_t* zero = size > 0 ? memchr(bytes, 0, size) : NULL;
    if (zero == NULL) {
        return fuzz_mesh(bytes, size, LIM_IO_GLTF);
    }
    size_t json = (size_t)(zero - bytes), chunk = size - json - 1;
    uint8_t* glb = malloc(size + 27);
    if (glb == NULL) {
        return 0;
    }
    memcpy(glb, "glTF\2\0\0\0", 8);
    put_u32(glb + 8, size + 27);
    put_u32(glb + 12, json);
    memcpy(glb + 16, "JSON", 4);
    memcpy(glb + 20, bytes, json);
    put_u32(glb + 20 + json, chunk);
    memcpy(glb + 24 + json, "BIN\0", 4);
    memcpy(glb + 28 + json, zero + 1, chunk);
    fuzz_mesh(glb, size + 27, LIM_IO_GLB);
    free(glb);
    return 0;
}
