/* SPDX-License-Identifier: MIT
 * Job: any bytes as PLY.
 */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    return fuzz_mesh(bytes, size, LIM_IO_PLY);
}
