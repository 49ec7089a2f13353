/* SPDX-License-Identifier: MIT
 * Job: text to numbers. In: characters. Out: the nearest double. Up to 19 digits go into a 64-bit
 * integer m, the rest only moves the exponent e. If m < 2^53 and |e| <= 22 both m and 10^|e| are
 * exact doubles and one rounding gives the answer (Clinger 1990, "How to read floating point
 * numbers accurately"). Otherwise m * 5^e is formed as a long integer (for e < 0: m * 2^k divided
 * by 5^13 at a time, which floors like one division by the whole power), of which the top 64 bits
 * and a sticky bit for the rest are rounded once.
 */
#include "io/number.h"

#include <math.h>
#include <string.h>

enum { LONG_WORDS = 40, STEP = 13, STEP_POWER = 1220703125 /* 5^13 */ };

typedef struct long_integer {
    uint32_t word[LONG_WORDS]; /* lowest first */
    int32_t count;             /* words in use; the last is not 0 */
    bool sticky;               /* something below was cut off */
} long_integer;

static void long_multiply(long_integer* x, uint32_t factor) {
    uint64_t carry = 0;
    for (int32_t i = 0; i < x->count; ++i) {
        carry += (uint64_t)x->word[i] * factor;
        x->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry != 0) {
        x->word[x->count++] = (uint32_t)carry;
    }
}

static void long_divide(long_integer* x, uint32_t divisor) {
    uint64_t rest = 0;
    for (int32_t i = x->count; i-- > 0;) {
        rest = rest << 32 | x->word[i];
        x->word[i] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
    x->sticky = x->sticky || rest != 0;
    while (x->count > 0 && x->word[x->count - 1] == 0) {
        x->count--;
    }
}

/* x * 2^exponent as a double: top 64 bits, then one rounding to 53 (or fewer for denormals). */
static double long_round(const long_integer* x, int32_t exponent) {
    int32_t top = x->count - 1;
    uint64_t bits = (uint64_t)x->word[top] << 32 | (top > 0 ? x->word[top - 1] : 0);
    uint32_t below = top > 1 ? x->word[top - 2] : 0;
    bool sticky = x->sticky;
    for (int32_t i = 0; i < top - 2; ++i) {
        sticky = sticky || x->word[i] != 0;
    }
    exponent += 32 * (top - 1);
    int32_t shift = 0;
    while (bits >> 63 == 0) {
        bits = bits << 1 | below >> 31;
        below <<= 1;
        shift++;
    }
    exponent -= shift;
    sticky = sticky || below != 0;
    /* value = bits * 2^exponent with bits in [2^63, 2^64). A double keeps 53 bits; a denormal's
     * last bit is worth 2^-1074. */
    int32_t drop = 11;
    if (exponent + drop < -1074) {
        drop = -1074 - exponent;
    }
    if (drop > 64) {
        return 0.0;
    }
    uint64_t kept = drop == 64 ? 0 : bits >> drop;
    uint64_t half = (uint64_t)1 << (drop - 1);
    uint64_t rest = drop == 64 ? bits : bits & ((half << 1) - 1);
    if (rest > half || (rest == half && (sticky || (kept & 1) != 0))) {
        kept++;
    }
    return ldexp((double)kept, exponent + drop);
}

static double scale_exactly(uint64_t mantissa, int32_t exponent, bool sticky) {
    if (exponent > 310) {
        return INFINITY;
    }
    if (exponent < -345) {
        return 0.0;
    }
    long_integer x = {.word = {(uint32_t)mantissa, (uint32_t)(mantissa >> 32)},
                      .count = mantissa >> 32 != 0 ? 2 : 1,
                      .sticky = sticky};
    int32_t left = exponent < 0 ? -exponent : exponent;
    int32_t binary = exponent;
    if (exponent < 0) {
        /* 5^n < 2^(7n/3); three more words keep 64 good bits in the quotient. */
        int32_t words = left * 7 / 96 + 4;
        memmove(x.word + words, x.word, sizeof(uint32_t) * 2);
        memset(x.word, 0, sizeof(uint32_t) * (size_t)words);
        x.count += words;
        binary -= 32 * words;
    }
    for (; left > 0; left -= STEP) {
        uint32_t power = STEP_POWER;
        for (int32_t i = left; i < STEP; ++i) {
            power /= 5;
        }
        exponent < 0 ? long_divide(&x, power) : long_multiply(&x, power);
    }
    return long_round(&x, binary);
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* The word at `at`, without regard to case. `word` is in lower case. */
static bool has_word(const char* at, const char* end, const char* word) {
    for (; *word != '\0'; ++word, ++at) {
        if (at == end || (*at | 0x20) != *word) {
            return false;
        }
    }
    return true;
}

/* nan, nan(...), inf, infinity. */
static bool scan_word(const char** at, const char* end, double* out) {
    if (has_word(*at, end, "nan")) {
        *out = (double)NAN;
        *at += 3;
        if (*at < end && **at == '(') {
            const char* close = memchr(*at, ')', (size_t)(end - *at < 32 ? end - *at : 32));
            *at = close != NULL ? close + 1 : *at;
        }
        return true;
    }
    if (has_word(*at, end, "inf")) {
        *out = (double)INFINITY;
        *at += has_word(*at, end, "infinity") ? 8 : 3;
        return true;
    }
    return false;
}

/* What some run times print behind "1.": #INF, #QNAN, #SNAN, #IND, and zeros behind these. */
static bool scan_hash_word(const char** at, const char* end, double* out) {
    static const char* const words[] = {"inf", "qnan", "snan", "ind", "nan"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
        if (has_word(*at + 1, end, words[i])) {
            *out = i == 0 ? (double)INFINITY : (double)NAN;
            *at += 1 + strlen(words[i]);
            while (*at < end && is_digit(**at)) {
                ++*at;
            }
            return true;
        }
    }
    return false;
}

/* e+12; when no digits follow the letter it is not part of the number. */
static int32_t scan_exponent(const char** at, const char* end) {
    const char* p = *at + 1;
    bool negative = p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');
    if (p == end || !is_digit(*p)) {
        return 0;
    }
    int32_t exponent = 0;
    for (; p < end && is_digit(*p); ++p) {
        exponent = exponent < 100000000 ? exponent * 10 + (*p - '0') : exponent;
    }
    *at = p;
    return negative ? -exponent : exponent;
}

bool number_scan_real(const char** at, const char* end, double* out) {
    const char* p = *at;
    bool negative = p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');
    uint64_t mantissa = 0;
    int32_t digits = 0;   /* significant ones in the mantissa */
    int64_t exponent = 0; /* of ten */
    bool sticky = false;  /* a digit that is not 0 was left out */
    bool any = false, point = false;
    for (; p < end; ++p) {
        if (is_digit(*p)) {
            any = true;
            if (digits < 19) {
                mantissa = mantissa * 10 + (uint64_t)(*p - '0');
                digits += mantissa != 0;
                exponent -= point;
            } else {
                sticky = sticky || *p != '0';
                exponent += !point;
            }
        } else if (*p == '.' && !point) {
            point = true;
        } else {
            break;
        }
    }
    double value = 0.0;
    if (!any) {
        if (point || !scan_word(&p, end, &value)) {
            return false;
        }
    } else if (point && p < end && *p == '#' && scan_hash_word(&p, end, &value)) {
        /* value is set */
    } else {
        if (p < end && (*p == 'e' || *p == 'E')) {
            exponent += scan_exponent(&p, end);
        }
        static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                       1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                       1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
        if (mantissa == 0) {
            value = 0.0;
        } else if (!sticky && mantissa >> 53 == 0 && exponent >= -22 && exponent <= 22) {
            value = exponent < 0 ? (double)mantissa / power[-exponent]
                                 : (double)mantissa * power[exponent];
        } else {
            int64_t limited = exponent > 400 ? 400 : exponent < -400 ? -400 : exponent;
            value = scale_exactly(mantissa, (int32_t)limited, sticky);
        }
    }
    *out = negative ? -value : value;
    *at = p;
    return true;
}

bool number_scan_whole(const char** at, const char* end, int64_t* out) {
    const char* p = *at;
    bool negative = p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');
    if (p == end || !is_digit(*p)) {
        return false;
    }
    int64_t value = 0;
    bool over = false;
    for (; p < end && is_digit(*p); ++p) {
        over = over || value > (INT64_MAX - 9) / 10;
        value = over ? INT64_MAX : value * 10 + (*p - '0');
    }
    *out = over ? (negative ? INT64_MIN : INT64_MAX) : negative ? -value : value;
    *at = p;
    return true;
}
