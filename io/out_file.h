/* SPDX-License-Identifier: MIT
 * A file being written: bytes go through a small buffer, numbers little endian, text without the
 * locale. The first failure is remembered and told by out_close, so that writers need no checks in
 * between.
 */
#ifndef LIMBER_OUT_FILE_H
#define LIMBER_OUT_FILE_H

#include <limber/io.h>
#include <stdio.h>

typedef struct out_file {
    FILE* file;
    const char* path;
    lim_io_message* message; /* or null */
    int32_t used;
    bool failed;
    int error; /* errno of the first failure */
    uint8_t buffer[16384];
} out_file;

enum { OUT_NUMBER = 20 }; /* room for any number as text */

/* Fills a message (which may be null) and gives the result back. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
lim_result
out_fail(lim_io_message* message, lim_result result, const char* format, ...);

lim_result out_open(out_file* out, const char* path, lim_io_message* message);
/* Flushes and closes; LIM_ERROR_FILE with a message if anything since out_open went wrong. */
lim_result out_close(out_file* out);

void out_bytes(out_file* out, const void* bytes, size_t size);
void out_text(out_file* out, const char* text);
void out_u16(out_file* out, uint32_t value);
void out_u32(out_file* out, uint32_t value);
void out_f32(out_file* out, float value);
/* The shortest decimal that reads back as the same float; always with a point as the separator. */
void out_decimal(out_file* out, float value);
void out_integer(out_file* out, int64_t value);

/* The same to memory; OUT_NUMBER bytes at least. Returns the length; text is terminated. */
int32_t out_format_decimal(char* text, float value);
int32_t out_format_integer(char* text, int64_t value);

/* Checks what every writer asks of a frame: arrays there, counts above zero, indices in range,
 * finite positions. */
lim_result out_check_frame(const lim_io_frame* frame, const char* path, lim_io_message* message);

#endif
