/* SPDX-License-Identifier: MIT
 * Job: which instruction sets can run here. In: the machine. Out: the widest that is compiled in.
 */
#include "base/isa.h"

#include <stddef.h>

#define DECLARE(set, suffix) const char* isa_name_##suffix(void);
ISA_LIST(DECLARE)

bool isa_available(isa set) {
    switch (set) {
#define CASE(set, suffix) case set:
        ISA_LIST(CASE)
#if defined(__x86_64__)
        return set != ISA_AVX2 || __builtin_cpu_supports("avx2");
#else
        return true;
#endif
    default:
        return false;
    }
}

isa isa_best(void) {
    for (int set = ISA_COUNT - 1; set > ISA_SCALAR; --set) {
        if (isa_available((isa)set)) {
            return (isa)set;
        }
    }
    return ISA_SCALAR;
}

const char* isa_name(isa set) {
    switch (set) {
#define NAME(set, suffix)                                                                          \
    case set:                                                                                      \
        return isa_name_##suffix();
        ISA_LIST(NAME)
    default:
        return "none";
    }
}
