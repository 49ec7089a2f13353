/* SPDX-License-Identifier: MIT
 * Job: choose the frames of a contact sheet. In: contacts, strain and height per frame. Out: frame
 * numbers. Named moments first; the rest goes where the gap is widest, early gaps counting more,
 * because a drop happens at its beginning.
 */
#include "cli/moments.h"

#include <stdbool.h>

/* Keeps the list ascending; a frame that is there already is not added again. */
static void add(int32_t* list, int32_t* count, int32_t frame) {
    int32_t at = 0;
    while (at < *count && list[at] < frame) {
        ++at;
    }
    if (*count == MOMENTS_MOST || (at < *count && list[at] == frame)) {
        return;
    }
    for (int32_t i = *count; i > at; --i) {
        list[i] = list[i - 1];
    }
    list[at] = frame;
    ++*count;
}

static int32_t first_contact(const moment_sample* samples, int32_t count) {
    for (int32_t i = 0; i < count; ++i) {
        if (samples[i].contacts > 0) {
            return i;
        }
    }
    return -1;
}

static int32_t most_strain(const moment_sample* samples, int32_t count) {
    int32_t best = 0;
    for (int32_t i = 1; i < count; ++i) {
        if (samples[i].strain > samples[best].strain) {
            best = i;
        }
    }
    return best;
}

/* The first local maximum of the height after the squash: the top of the rebound. */
static int32_t rebound(const moment_sample* samples, int32_t count, int32_t squash) {
    int32_t lowest = squash;
    while (lowest + 1 < count && samples[lowest + 1].height <= samples[lowest].height) {
        ++lowest;
    }
    int32_t highest = lowest;
    while (highest + 1 < count && samples[highest + 1].height >= samples[highest].height) {
        ++highest;
    }
    return highest;
}

int32_t moments_choose(const moment_sample* samples, int32_t count, int32_t out[MOMENTS_MOST]) {
    int32_t chosen = 0;
    if (count <= 0) {
        return 0;
    }
    add(out, &chosen, 0);
    add(out, &chosen, count - 1);
    int32_t impact = first_contact(samples, count);
    if (impact >= 0) {
        add(out, &chosen, impact);
        add(out, &chosen, impact / 2);
    }
    int32_t squash = most_strain(samples, count);
    add(out, &chosen, squash);
    add(out, &chosen, rebound(samples, count, squash));
    int32_t wanted = count < MOMENTS_MOST ? count : MOMENTS_MOST;
    while (chosen < wanted) {
        /* width of a gap over the time of its middle */
        int32_t best = -1;
        double best_score = 0.0;
        for (int32_t i = 0; i + 1 < chosen; ++i) {
            int32_t gap = out[i + 1] - out[i];
            double score = (double)gap / (0.25 * count + 0.5 * (out[i] + out[i + 1]));
            if (gap > 1 && score > best_score) {
                best_score = score;
                best = i;
            }
        }
        if (best < 0) {
            break;
        }
        add(out, &chosen, (out[best] + out[best + 1]) / 2);
    }
    return chosen;
}
