/* SPDX-License-Identifier: MIT
 *
 * Limber, base: results, host hooks (memory, tasks, log, clock) and the small value types that
 * every other header uses. Nothing in the library exits, aborts or prints; it has no mutable
 * globals.
 *
 * Units are SI: metre, kilogram, second, pascal, radian. Vectors are right-handed. Quaternions are
 * (x, y, z, w) and need not be normalised on input.
 *
 * A call takes less than 192 KiB of stack, a task of parallel_for less than 64. WebAssembly has 64
 * in all unless the linker is told otherwise: -Wl,-z,stack-size=262144.
 */
#ifndef LIMBER_BASE_H
#define LIMBER_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Marks what a shared library exports. A program defines nothing, whether it links the static or
 * the shared library: only functions are exported, and these need no import mark on Windows. */
#if defined(_WIN32) && defined(LIM_BUILDING_SHARED)
#define LIM_API __declspec(dllexport)
#elif defined(__GNUC__)
#define LIM_API __attribute__((visibility("default")))
#else
#define LIM_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define LIM_VERSION_MAJOR 0
#define LIM_VERSION_MINOR 1
#define LIM_VERSION_PATCH 0

/* The version of the library that is linked, as "major.minor.patch". */
LIM_API const char* lim_version(void);

/* What a call came to. The numbers are pinned: they never change their meaning. A call that does
 * not return LIM_OK has changed nothing; a text that names the cause and the cure went to the log
 * hook (but of a null world or model, which has no hook). */
typedef enum lim_result {
    LIM_OK = 0,
    LIM_ERROR_ARGUMENT = -1,    /* a null pointer, a NaN, a value out of its stated range */
    LIM_ERROR_DESC = -2,        /* a descriptor that did not come from its _default function */
    LIM_ERROR_ID = -3,          /* an id that is null, stale or of another world */
    LIM_ERROR_MEMORY = -4,      /* the allocator returned null */
    LIM_ERROR_MESH = -5,        /* no usable triangle is left in the mesh; of lim_body_cut: the
                                   skin is not closed, or inside out, where the blade meets it */
    LIM_ERROR_TOO_LARGE = -6,   /* a count beyond what 32-bit indices or the stated limits hold */
    LIM_ERROR_FORMAT = -7,      /* bytes that are not what they claim to be, or are cut short */
    LIM_ERROR_VERSION = -8,     /* bytes written by an incompatible version */
    LIM_ERROR_CANCELLED = -9,   /* the progress hook asked to stop */
    LIM_ERROR_FILE = -10,       /* a file could not be opened, read or written (io only) */
    LIM_ERROR_UNSUPPORTED = -11 /* valid, but a feature that is not there */
} lim_result;

/* The name of a result, such as "LIM_ERROR_MESH"; "LIM_RESULT_UNKNOWN" for any other number. */
LIM_API const char* lim_result_name(lim_result result);

typedef enum lim_log_level {
    LIM_LOG_ERROR = 1,   /* a call failed */
    LIM_LOG_WARNING = 2, /* something was mended, limited or dropped */
    LIM_LOG_INFO = 3     /* worth knowing once */
} lim_log_level;

/* Hooks of the host. A zeroed struct (or a null pointer where one is taken) means: malloc, no log,
 * the built-in workers, the system's clock. The struct is copied; what `user` points to must
 * outlive every object made with it. */
typedef struct lim_host {
    /* Returns memory aligned to `align` (a power of two, at most 64) or null. Called by one thread
     * at a time for each object, never during a warm step. Both or neither of alloc and free. */
    void* (*alloc)(void* user, size_t size, size_t align);
    void (*free)(void* user, void* memory, size_t size);
    /* Receives one line of text without a line end. */
    void (*log)(void* user, lim_log_level level, const char* text);
    /* Runs task(context, i) for every i in [0, count), in any order, on any threads, and returns
     * when all are done. Results do not depend on how it is done. Null: the world's own workers. */
    void (*parallel_for)(void* user, int32_t count, void (*task)(void* context, int32_t index),
                         void* context);
    /* Seconds since any fixed moment; used only for reports. Null: the system's clock. */
    double (*now)(void* user);
    void* user;
} lim_host;

typedef struct lim_vec3 {
    float x, y, z;
} lim_vec3;

/* A position that crosses the border is double, so that 10 km away is as exact as the origin. */
typedef struct lim_point {
    double x, y, z;
} lim_point;

typedef struct lim_quat {
    float x, y, z, w;
} lim_quat;

typedef struct lim_box {
    lim_point lower, upper;
} lim_box;

#ifdef __cplusplus
}
#endif
#endif
