/* SPDX-License-Identifier: MIT
 * Instruction sets: which are compiled in, which one runs. A kernel file is compiled once per set
 * with LIM_ISA_<SET> defined; KERNEL(name) then is name_<set>. Tables of kernels are chosen by
 * isa_best().
 */
#ifndef LIMBER_ISA_H
#define LIMBER_ISA_H

#include <stdbool.h>

typedef enum isa { ISA_SCALAR, ISA_SSE2, ISA_AVX2, ISA_NEON, ISA_WASM, ISA_COUNT } isa;

#if defined(LIM_ISA_AVX2)
#define KERNEL(name) name##_avx2
#elif defined(LIM_ISA_SSE2)
#define KERNEL(name) name##_sse2
#elif defined(LIM_ISA_NEON)
#define KERNEL(name) name##_neon
#elif defined(LIM_ISA_WASM)
#define KERNEL(name) name##_wasm
#else
#define KERNEL(name) name##_scalar
#endif

/* For dispatch: X(SET, suffix) for each set that is compiled in, scalar first. */
#if defined(LIM_HAS_SSE2)
#define ISA_X_SSE2(X) X(ISA_SSE2, sse2)
#else
#define ISA_X_SSE2(X)
#endif
#if defined(LIM_HAS_AVX2)
#define ISA_X_AVX2(X) X(ISA_AVX2, avx2)
#else
#define ISA_X_AVX2(X)
#endif
#if defined(LIM_HAS_NEON)
#define ISA_X_NEON(X) X(ISA_NEON, neon)
#else
#define ISA_X_NEON(X)
#endif
#if defined(LIM_HAS_WASM)
#define ISA_X_WASM(X) X(ISA_WASM, wasm)
#else
#define ISA_X_WASM(X)
#endif
/* A WebAssembly module has its one set, but for tests, which compare it with the scalar one. */
#if defined(LIM_HAS_WASM) && !defined(LIM_HAS_SCALAR)
#define ISA_X_SCALAR(X)
#define ISA_BASE(name) name##_wasm
#else
#define ISA_X_SCALAR(X) X(ISA_SCALAR, scalar)
#define ISA_BASE(name)  name##_scalar
#endif
/* ISA_BASE(name): the kernels that stand for those of a set that is not compiled in. */
#define ISA_LIST(X) ISA_X_SCALAR(X) ISA_X_SSE2(X) ISA_X_AVX2(X) ISA_X_NEON(X) ISA_X_WASM(X)

bool isa_available(isa set); /* compiled in, and this machine has it */
isa isa_best(void);
const char* isa_name(isa set);

#endif
