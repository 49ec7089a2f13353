/* SPDX-License-Identifier: MIT
 * Passing a failure on, and checks for our own mistakes. Bad input is never asserted: it gets a
 * result.
 */
#ifndef LIMBER_RESULT_H
#define LIMBER_RESULT_H

#include <limber/base.h>

/* Returns from the calling function when an expression is not LIM_OK. */
#define LIM_TRY(expression)                                                                        \
    do {                                                                                           \
        lim_result try_result_ = (expression);                                                     \
        if (try_result_ != LIM_OK) {                                                               \
            return try_result_;                                                                    \
        }                                                                                          \
    } while (0)

/* Returns LIM_ERROR_MEMORY from the calling function when a pointer is null. */
#define LIM_TRY_MEMORY(pointer)                                                                    \
    do {                                                                                           \
        if ((pointer) == NULL) {                                                                   \
            return LIM_ERROR_MEMORY;                                                               \
        }                                                                                          \
    } while (0)

/* LIM_ASSERT: cheap, for our own invariants, only in validating builds. LIM_VALIDATE: the same for
 * expensive whole-structure checks. Both trap, so that a test or a debugger sees the place. */
#if defined(LIM_VALIDATION)
#define LIM_ASSERT(condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            __builtin_trap();                                                                      \
        }                                                                                          \
    } while (0)
#define LIM_VALIDATE(condition) LIM_ASSERT(condition)
#else
#define LIM_ASSERT(condition)   ((void)0)
#define LIM_VALIDATE(condition) ((void)0)
#endif

#endif
