/* SPDX-License-Identifier: MIT
 * The floating-point environment of the library: round to nearest, denormals kept. Border calls and
 * tasks save the caller's, set ours, and restore: a host that has set FTZ or another rounding gets
 * the same bits and keeps its setting.
 */
#ifndef LIMBER_FPENV_H
#define LIMBER_FPENV_H

#include <stdint.h>

#if defined(__x86_64__) || defined(_M_X64)
#include <xmmintrin.h>
typedef uint32_t fpenv;
static inline fpenv fpenv_enter(void) {
    fpenv old = _mm_getcsr();
    _mm_setcsr(0x1F80);
    return old;
}
static inline void fpenv_leave(fpenv old) {
    _mm_setcsr(old);
}
#elif defined(__aarch64__)
typedef uint64_t fpenv;
static inline fpenv fpenv_enter(void) {
    uint64_t old;
    __asm__ volatile("mrs %0, fpcr" : "=r"(old));
    uint64_t ours = 0;
    __asm__ volatile("msr fpcr, %0" : : "r"(ours));
    return old;
}
static inline void fpenv_leave(fpenv old) {
    __asm__ volatile("msr fpcr, %0" : : "r"(old));
}
#else
typedef int fpenv;
static inline fpenv fpenv_enter(void) {
    return 0;
}
static inline void fpenv_leave(fpenv old) {
    (void)old;
}
#endif

#endif
