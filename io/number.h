/* SPDX-License-Identifier: MIT
 * Numbers in text, free of the locale: the point is '.', whatever the host has set.
 */
#ifndef LIMBER_IO_NUMBER_H
#define LIMBER_IO_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Scans a real number at *at and moves *at behind it; false, and *at stays, when there is none.
 * Rounds correctly up to 19 significant digits (more digits: to within one unit in the last place).
 * Too large gives an infinity of the right sign, too small a zero. nan, inf and infinity in any
 * case, nan(...) and the 1.#QNAN, 1.#INF family are numbers too. */
bool number_scan_real(const char** at, const char* end, double* out);

/* Scans a whole number with an optional sign. Beyond 64 bits it saturates at INT64_MIN or
 * INT64_MAX. */
bool number_scan_whole(const char** at, const char* end, int64_t* out);

#endif
