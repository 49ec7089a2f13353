/* SPDX-License-Identifier: MIT
 * Job: the name of the instruction set that a kernel file was compiled for.
 */
#include "base/isa.h"

#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)

const char* KERNEL(isa_name)(void);
const char* KERNEL(isa_name)(void) {
    return &TEXT(KERNEL(kernel))[7]; /* behind "kernel_" */
}
