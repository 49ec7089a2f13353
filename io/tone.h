/* SPDX-License-Identifier: MIT
 * Light to screen values and back (sRGB, IEC 61966-2-1), with roots by Newton steps instead of pow:
 * the same bits on every machine.
 */
#ifndef LIMBER_TONE_H
#define LIMBER_TONE_H

#include <stdint.h>

/* Linear light to sRGB; clamps to 0..1, and gives 0 for NaN. */
float tone_srgb(float linear);

/* tan x for 0 <= x <= 1.5. */
float tone_tan(float x);

enum { TONE_STEPS = 8192 };
/* sRGB bytes of linear light in steps of 1 / (TONE_STEPS - 1). */
typedef struct tone_table {
    uint8_t byte[TONE_STEPS];
} tone_table;
void tone_table_fill(tone_table* table);

static inline uint8_t tone_byte(const tone_table* table, float linear) {
    float scaled = linear * (float)(TONE_STEPS - 1) + 0.5f;
    int32_t index =
        scaled > 0.0f ? (scaled < (float)(TONE_STEPS - 1) ? (int32_t)scaled : TONE_STEPS - 1) : 0;
    return table->byte[index];
}

#endif
