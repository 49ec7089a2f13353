/* SPDX-License-Identifier: MIT
 * A font of 5 x 9 dots for ASCII 32 to 126: capitals are 7 dots high, two rows hang below.
 */
#ifndef LIMBER_FONT_H
#define LIMBER_FONT_H

#include <limber/io.h>

enum { FONT_WIDTH = 5, FONT_ROWS = 9, FONT_ADVANCE = 6, FONT_CAPITAL = 7 };

/* The rows of a letter, the leftmost dot in bit 4. Unknown letters are drawn as a box. */
const uint8_t* font_glyph(char letter);

/* The size of dots that suits a picture of this height; single dots are hard to read. */
static inline int32_t font_scale(int32_t height) {
    int32_t scale = (height + 60) / 270, least = height < 280 ? 1 : 2;
    return scale < least ? least : scale;
}

#endif
