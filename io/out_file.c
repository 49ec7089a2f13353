/* SPDX-License-Identifier: MIT
 * Job: bytes, numbers and text into a file, the same on every machine. In: values. Out: a file, or
 * one message that names it. Numbers are made text here and not by printf, whose decimal separator
 * follows the host's locale.
 */
#include "io/out_file.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

lim_result out_fail(lim_io_message* message, lim_result result, const char* format, ...) {
    if (message != NULL) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(message->text, sizeof message->text, format, arguments);
        va_end(arguments);
    }
    return result;
}

lim_result out_open(out_file* out, const char* path, lim_io_message* message) {
    if (message != NULL) {
        message->text[0] = '\0';
    }
    out->path = path;
    out->message = message;
    out->used = 0;
    out->failed = false;
    out->error = 0;
    errno = 0;
    out->file = fopen(path, "wb");
    if (out->file == NULL) {
        return out_fail(message, LIM_ERROR_FILE,
                        "%s: cannot be opened for writing (%s); check that the folder exists and "
                        "may be written to",
                        path, strerror(errno));
    }
    return LIM_OK;
}

static void flush(out_file* out) {
    size_t size = (size_t)out->used;
    out->used = 0;
    if (out->failed || size == 0) {
        return;
    }
    errno = 0;
    if (fwrite(out->buffer, 1, size, out->file) != size) {
        out->failed = true;
        out->error = errno;
    }
}

lim_result out_close(out_file* out) {
    flush(out);
    errno = 0;
    if (fclose(out->file) != 0 && !out->failed) {
        out->failed = true;
        out->error = errno;
    }
    out->file = NULL;
    if (out->failed) {
        return out_fail(out->message, LIM_ERROR_FILE,
                        "%s: writing failed (%s); what is there is not complete, check the free "
                        "space and write again",
                        out->path, strerror(out->error));
    }
    return LIM_OK;
}

void out_bytes(out_file* out, const void* bytes, size_t size) {
    const uint8_t* at = bytes;
    while (size > 0) {
        size_t room = sizeof out->buffer - (size_t)out->used;
        size_t take = size < room ? size : room;
        memcpy(out->buffer + out->used, at, take);
        out->used += (int32_t)take;
        at += take;
        size -= take;
        if ((size_t)out->used == sizeof out->buffer) {
            flush(out);
        }
    }
}

void out_text(out_file* out, const char* text) {
    out_bytes(out, text, strlen(text));
}

void out_u16(out_file* out, uint32_t value) {
    uint8_t bytes[2] = {(uint8_t)value, (uint8_t)(value >> 8)};
    out_bytes(out, bytes, sizeof bytes);
}

void out_u32(out_file* out, uint32_t value) {
    uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                        (uint8_t)(value >> 24)};
    out_bytes(out, bytes, sizeof bytes);
}

void out_f32(out_file* out, float value) {
    uint32_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    out_u32(out, bits);
}

int32_t out_format_integer(char* text, int64_t value) {
    char reversed[OUT_NUMBER + 1];
    int32_t count = 0, length = 0;
    uint64_t rest = value < 0 ? 0u - (uint64_t)value : (uint64_t)value;
    do {
        reversed[count++] = (char)('0' + (int)(rest % 10));
        rest /= 10;
    } while (rest > 0);
    if (value < 0) {
        text[length++] = '-';
    }
    while (count > 0) {
        text[length++] = reversed[--count];
    }
    text[length] = '\0';
    return length;
}

/* x * 10^power with at most two roundings per 10^22 (the largest power that is exact). */
static double scale_ten(double x, int32_t power) {
    int32_t left = power < 0 ? -power : power;
    while (left > 0) {
        int32_t take = left < 22 ? left : 22;
        double factor = 1.0;
        for (int32_t i = 0; i < take; ++i) {
            factor *= 10.0;
        }
        x = power < 0 ? x / factor : x * factor;
        left -= take;
    }
    return x;
}

/* digits (an integer of `count` figures) * 10^exponent, plain or with an exponent. */
static int32_t place_digits(char* text, uint32_t digits, int32_t count, int32_t exponent) {
    char figures[12];
    while (digits % 10 == 0 && count > 1) {
        digits /= 10;
        count--;
        exponent++;
    }
    out_format_integer(figures, (int64_t)digits);
    int32_t point = count + exponent; /* figures before the decimal point */
    int32_t length = 0;
    if (point > 9 || point < -3) {
        text[length++] = figures[0];
        if (count > 1) {
            text[length++] = '.';
            memcpy(text + length, figures + 1, (size_t)count - 1);
            length += count - 1;
        }
        text[length++] = 'e';
        return length + out_format_integer(text + length, point - 1);
    }
    if (point <= 0) {
        text[length++] = '0';
        text[length++] = '.';
        for (int32_t i = point; i < 0; ++i) {
            text[length++] = '0';
        }
    }
    for (int32_t i = 0; i < count || i < point; ++i) {
        if (i == point && point > 0) {
            text[length++] = '.';
        }
        text[length++] = i < count ? figures[i] : '0';
    }
    text[length] = '\0';
    return length;
}

int32_t out_format_decimal(char* text, float value) {
    int32_t length = 0;
    if (!isfinite(value)) {
        value = 0.0f;
    }
    if (value < 0.0f) {
        text[length++] = '-';
        value = -value;
    }
    if (!(value > 0.0f)) {
        text[0] = '0';
        text[1] = '\0';
        return 1;
    }
    /* The decimal exponent: 10^exponent <= value < 10^(exponent + 1). */
    double x = (double)value;
    int32_t exponent = 0;
    while (exponent < 38 && x >= scale_ten(1.0, exponent + 1)) {
        exponent++;
    }
    while (exponent > -46 && x < scale_ten(1.0, exponent)) {
        exponent--;
    }
    /* Nine figures always read back; fewer are tried first. */
    for (int32_t figures = 6;; ++figures) {
        int32_t shift = figures - 1 - exponent;
        uint32_t digits = (uint32_t)(scale_ten(x, shift) + 0.5);
        if (figures == 9 || (float)scale_ten((double)digits, -shift) == value) {
            int32_t count = figures;
            double full = scale_ten(1.0, figures);
            count += (double)digits >= full ? 1 : 0; /* 9.9999999 rounded up to 10 */
            return length + place_digits(text + length, digits, count, -shift);
        }
    }
}

void out_decimal(out_file* out, float value) {
    char text[OUT_NUMBER];
    out_bytes(out, text, (size_t)out_format_decimal(text, value));
}

void out_integer(out_file* out, int64_t value) {
    char text[OUT_NUMBER + 2];
    out_bytes(out, text, (size_t)out_format_integer(text, value));
}

lim_result out_check_frame(const lim_io_frame* frame, const char* path, lim_io_message* message) {
    if (frame->positions == NULL || frame->indices == NULL) {
        return out_fail(message, LIM_ERROR_ARGUMENT, "%s: a frame without positions or indices",
                        path);
    }
    if (frame->vertex_count <= 0 || frame->triangle_count <= 0) {
        return out_fail(message, LIM_ERROR_ARGUMENT,
                        "%s: a frame with %d vertices and %d triangles; there is nothing to write",
                        path, (int)frame->vertex_count, (int)frame->triangle_count);
    }
    for (int64_t i = 0; i < (int64_t)frame->triangle_count * 3; ++i) {
        if (frame->indices[i] >= (uint32_t)frame->vertex_count) {
            return out_fail(message, LIM_ERROR_ARGUMENT,
                            "%s: triangle %lld names vertex %lu of %d; indices count from 0", path,
                            (long long)(i / 3), (unsigned long)frame->indices[i],
                            (int)frame->vertex_count);
        }
    }
    for (int64_t i = 0; i < (int64_t)frame->vertex_count * 3; ++i) {
        if (!isfinite(frame->positions[i])) {
            return out_fail(message, LIM_ERROR_ARGUMENT,
                            "%s: the position of vertex %lld is not finite", path,
                            (long long)(i / 3));
        }
    }
    return LIM_OK;
}
