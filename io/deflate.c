/* SPDX-License-Identifier: MIT
 * Job: compress bytes. In: bytes. Out: a zlib stream. Matches are found with hash chains over a
 * 32 KiB window, one step lazily; every 32768 tokens become a block with its own Huffman codes
 * (RFC 1951, section 3.2.7). The search effort is fixed, so the result is too.
 */
#include "io/deflate.h"

#include <string.h>

enum {
    WINDOW = 32768,
    HASH_SIZE = 32768,
    CHAIN_LIMIT = 48, /* candidates looked at per position: twice as many save 1 % on pictures */
    GOOD_LENGTH = 96, /* long enough to stop searching */
    MIN_MATCH = 3,
    MAX_MATCH = 258,
    BLOCK_TOKENS = 32768,
    LITERALS = 286,
    DISTANCES = 30,
    LENGTH_CODES = 19
};

typedef struct token {
    uint16_t length;   /* 0: a literal */
    uint16_t distance; /* or the literal */
} token;

typedef struct deflater {
    const lim_host* host;
    byte_array* out;
    uint64_t bits;
    int32_t bit_count;
    bool failed;
    int32_t head[HASH_SIZE], previous[WINDOW]; /* position + 1; 0 is none */
    token tokens[BLOCK_TOKENS];
    int32_t token_count;
} deflater;

static void put_bits(deflater* d, uint32_t value, int32_t count) {
    d->bits |= (uint64_t)value << d->bit_count;
    d->bit_count += count;
    while (d->bit_count >= 8) {
        if (!ARRAY_PUSH(d->host, d->out, (uint8_t)d->bits)) {
            d->failed = true;
        }
        d->bits >>= 8;
        d->bit_count -= 8;
    }
}

/* The symbol of a match length (257..285) or distance (0..29), its extra bits and their count:
 * groups of 4 (of 2 for distances) share a bit count, which grows by one per group. */
static int32_t length_symbol(int32_t length, int32_t* extra, int32_t* extra_bits) {
    int32_t value = length - MIN_MATCH, bits = 0;
    if (length == MAX_MATCH) {
        *extra = *extra_bits = 0;
        return 285;
    }
    while ((value >> bits) >= 8) {
        bits++;
    }
    *extra_bits = bits;
    *extra = value & ((1 << bits) - 1);
    return 257 + 4 * bits + (value >> bits);
}

static int32_t distance_symbol(int32_t distance, int32_t* extra, int32_t* extra_bits) {
    int32_t value = distance - 1, bits = 0;
    while ((value >> bits) >= 4) {
        bits++;
    }
    *extra_bits = bits;
    *extra = value & ((1 << bits) - 1);
    return 2 * bits + (value >> bits);
}

/* Huffman code lengths by joining the two rarest nodes. When a code gets longer than `limit`, the
 * frequencies are flattened and it is done again. At least two symbols get a code, so that every
 * decoder is content. */
static void code_lengths(const int32_t* counts, int32_t symbols, int32_t limit, uint8_t* lengths) {
    int64_t weight[2 * LITERALS];
    int32_t parent[2 * LITERALS];
    int32_t flatten = 0;
    for (;; flatten++) {
        int32_t used = 0, longest = 0;
        for (int32_t i = 0; i < symbols; ++i) {
            weight[i] = counts[i] > 0 ? (counts[i] >> flatten) + 1 : 0;
            used += counts[i] > 0;
        }
        for (int32_t i = 0; i < symbols && used < 2; ++i) {
            if (weight[i] == 0) {
                weight[i] = 1;
                used++;
            }
        }
        int32_t nodes = symbols;
        for (int32_t i = 0; i < 2 * LITERALS; ++i) {
            parent[i] = -1;
        }
        for (int32_t joins = used - 1; joins > 0; --joins) {
            int32_t a = -1, b = -1; /* the rarest and the second */
            for (int32_t i = 0; i < nodes; ++i) {
                if (weight[i] == 0 || parent[i] >= 0) {
                    continue;
                }
                if (a < 0 || weight[i] < weight[a]) {
                    b = a;
                    a = i;
                } else if (b < 0 || weight[i] < weight[b]) {
                    b = i;
                }
            }
            weight[nodes] = weight[a] + weight[b];
            parent[a] = parent[b] = nodes;
            nodes++;
        }
        for (int32_t i = 0; i < symbols; ++i) {
            int32_t depth = 0;
            for (int32_t at = i; weight[i] > 0 && parent[at] >= 0; at = parent[at]) {
                depth++;
            }
            lengths[i] = (uint8_t)(depth > limit ? limit : depth);
            longest = depth > longest ? depth : longest;
        }
        if (longest <= limit) {
            return;
        }
    }
}

/* Canonical codes from lengths (RFC 1951, 3.2.2), bit-reversed for putting. */
static void make_codes(const uint8_t* lengths, int32_t symbols, uint16_t* codes) {
    uint32_t code = 0;
    for (int32_t length = 1; length <= 15; ++length) {
        for (int32_t i = 0; i < symbols; ++i) {
            if (lengths[i] == length) {
                uint32_t reversed = 0;
                for (int32_t k = 0; k < length; ++k) {
                    reversed |= ((code >> k) & 1u) << (length - 1 - k);
                }
                codes[i] = (uint16_t)reversed;
                code++;
            }
        }
        code <<= 1;
    }
}

/* A run in the list of code lengths: symbol 0..15 as it is, 16 repeats, 17 and 18 are zeros. */
typedef struct length_run {
    uint8_t symbol, extra, extra_bits;
} length_run;

static int32_t make_runs(const uint8_t* lengths, int32_t count, length_run* runs) {
    int32_t made = 0;
    for (int32_t i = 0; i < count;) {
        int32_t same = 1;
        while (i + same < count && lengths[i + same] == lengths[i]) {
            same++;
        }
        if (lengths[i] == 0 && same >= 3) {
            int32_t take = same < 138 ? same : 138;
            runs[made++] = take < 11 ? (length_run){17, (uint8_t)(take - 3), 3}
                                     : (length_run){18, (uint8_t)(take - 11), 7};
            i += take;
            continue;
        }
        runs[made++] = (length_run){lengths[i], 0, 0};
        i++;
        for (int32_t left = same - 1; left >= 3;) {
            int32_t take = left < 6 ? left : 6;
            runs[made++] = (length_run){16, (uint8_t)(take - 3), 2};
            left -= take;
            i += take;
        }
    }
    return made;
}

static void put_code_lengths(deflater* d, const uint8_t* literal, const uint8_t* distance) {
    static const uint8_t order[LENGTH_CODES] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                11, 4,  12, 3, 13, 2, 14, 1, 15};
    uint8_t all[LITERALS + DISTANCES];
    length_run runs[LITERALS + DISTANCES];
    int32_t counts[LENGTH_CODES] = {0};
    uint8_t lengths[LENGTH_CODES];
    uint16_t codes[LENGTH_CODES] = {0};
    memcpy(all, literal, LITERALS);
    memcpy(all + LITERALS, distance, DISTANCES);
    int32_t run_count = make_runs(all, LITERALS + DISTANCES, runs);
    for (int32_t i = 0; i < run_count; ++i) {
        counts[runs[i].symbol]++;
    }
    code_lengths(counts, LENGTH_CODES, 7, lengths);
    make_codes(lengths, LENGTH_CODES, codes);
    int32_t sent = LENGTH_CODES;
    while (sent > 4 && lengths[order[sent - 1]] == 0) {
        sent--;
    }
    put_bits(d, LITERALS - 257, 5);
    put_bits(d, DISTANCES - 1, 5);
    put_bits(d, (uint32_t)(sent - 4), 4);
    for (int32_t i = 0; i < sent; ++i) {
        put_bits(d, lengths[order[i]], 3);
    }
    for (int32_t i = 0; i < run_count; ++i) {
        put_bits(d, codes[runs[i].symbol], lengths[runs[i].symbol]);
        put_bits(d, runs[i].extra, runs[i].extra_bits);
    }
}

static void put_block(deflater* d, bool last) {
    int32_t literal_counts[LITERALS] = {0}, distance_counts[DISTANCES] = {0};
    uint8_t literal_lengths[LITERALS], distance_lengths[DISTANCES];
    uint16_t literal_codes[LITERALS] = {0}, distance_codes[DISTANCES] = {0};
    int32_t extra = 0, extra_bits = 0;
    literal_counts[256] = 1;
    for (int32_t i = 0; i < d->token_count; ++i) {
        const token t = d->tokens[i];
        if (t.length == 0) {
            literal_counts[t.distance]++;
        } else {
            literal_counts[length_symbol(t.length, &extra, &extra_bits)]++;
            distance_counts[distance_symbol(t.distance, &extra, &extra_bits)]++;
        }
    }
    code_lengths(literal_counts, LITERALS, 15, literal_lengths);
    code_lengths(distance_counts, DISTANCES, 15, distance_lengths);
    make_codes(literal_lengths, LITERALS, literal_codes);
    make_codes(distance_lengths, DISTANCES, distance_codes);
    put_bits(d, last ? 1 : 0, 1);
    put_bits(d, 2, 2);
    put_code_lengths(d, literal_lengths, distance_lengths);
    for (int32_t i = 0; i < d->token_count; ++i) {
        const token t = d->tokens[i];
        if (t.length == 0) {
            put_bits(d, literal_codes[t.distance], literal_lengths[t.distance]);
            continue;
        }
        int32_t symbol = length_symbol(t.length, &extra, &extra_bits);
        put_bits(d, literal_codes[symbol], literal_lengths[symbol]);
        put_bits(d, (uint32_t)extra, extra_bits);
        symbol = distance_symbol(t.distance, &extra, &extra_bits);
        put_bits(d, distance_codes[symbol], distance_lengths[symbol]);
        put_bits(d, (uint32_t)extra, extra_bits);
    }
    put_bits(d, literal_codes[256], literal_lengths[256]);
    d->token_count = 0;
}

static void add_token(deflater* d, int32_t length, int32_t distance) {
    if (d->token_count == BLOCK_TOKENS) {
        put_block(d, false);
    }
    d->tokens[d->token_count++] = (token){(uint16_t)length, (uint16_t)distance};
}

static int32_t hash_at(const uint8_t* bytes) {
    uint32_t word = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16;
    return (int32_t)((word * 0x9E3779B1u) >> 17);
}

/* The longest match at `at`, and `at` entered into the chains. */
static int32_t find_match(deflater* d, const uint8_t* bytes, int32_t size, int32_t at,
                          int32_t* out_distance) {
    int32_t best = MIN_MATCH - 1, limit = size - at < MAX_MATCH ? size - at : MAX_MATCH;
    if (limit < MIN_MATCH) {
        return 0;
    }
    int32_t hash = hash_at(bytes + at);
    int32_t candidate = d->head[hash] - 1;
    for (int32_t tries = 0; tries < CHAIN_LIMIT && candidate >= 0; ++tries) {
        if (at - candidate > WINDOW - 1) {
            break;
        }
        if (bytes[candidate + best] == bytes[at + best]) {
            int32_t length = 0;
            while (length < limit && bytes[candidate + length] == bytes[at + length]) {
                length++;
            }
            if (length > best) {
                best = length;
                *out_distance = at - candidate;
                if (best >= limit || best >= GOOD_LENGTH) {
                    break;
                }
            }
        }
        candidate = d->previous[candidate & (WINDOW - 1)] - 1;
    }
    d->previous[at & (WINDOW - 1)] = d->head[hash];
    d->head[hash] = at + 1;
    return best >= MIN_MATCH ? best : 0;
}

static void enter(deflater* d, const uint8_t* bytes, int32_t size, int32_t at) {
    if (size - at >= MIN_MATCH) {
        int32_t hash = hash_at(bytes + at);
        d->previous[at & (WINDOW - 1)] = d->head[hash];
        d->head[hash] = at + 1;
    }
}

static void compress(deflater* d, const uint8_t* bytes, int32_t size) {
    int32_t held = 0, held_distance = 0; /* the match at at - 1, not yet taken */
    for (int32_t at = 0; at < size && !d->failed;) {
        int32_t distance = 0;
        int32_t length = held >= GOOD_LENGTH ? 0 : find_match(d, bytes, size, at, &distance);
        if (held >= GOOD_LENGTH) {
            enter(d, bytes, size, at);
        }
        if (held > 0 && held >= length) {
            add_token(d, held, held_distance);
            for (int32_t end = at - 1 + held, next = at + 1; next < end; ++next) {
                enter(d, bytes, size, next);
            }
            at += held - 1;
            held = 0;
            continue;
        }
        if (held > 0) {
            add_token(d, 0, bytes[at - 1]); /* a longer one begins here */
        }
        held = length;
        held_distance = distance;
        if (length == 0) {
            add_token(d, 0, bytes[at]);
        }
        at++;
    }
}

static uint32_t adler32(const uint8_t* bytes, int32_t size) {
    uint32_t a = 1, b = 0;
    for (int32_t i = 0; i < size;) {
        int32_t end = size - i < 5552 ? size : i + 5552; /* no overflow before the remainder */
        for (; i < end; ++i) {
            a += bytes[i];
            b += a;
        }
        a %= 65521;
        b %= 65521;
    }
    return b << 16 | a;
}

lim_result deflate_append(const lim_host* host, const uint8_t* bytes, int32_t size,
                          byte_array* out) {
    deflater* d = mem_alloc(host, 1, sizeof *d);
    LIM_TRY_MEMORY(d);
    d->host = host;
    d->out = out;
    put_bits(d, 0x78, 8); /* deflate, 32 KiB window */
    put_bits(d, 0x9C, 8);
    compress(d, bytes, size);
    put_block(d, true);
    put_bits(d, 0, (8 - d->bit_count) & 7);
    uint32_t sum = adler32(bytes, size);
    for (int32_t shift = 24; shift >= 0; shift -= 8) {
        put_bits(d, sum >> shift & 0xFF, 8);
    }
    bool failed = d->failed;
    mem_free(host, d, 1, sizeof *d);
    return failed ? LIM_ERROR_MEMORY : LIM_OK;
}
