/* SPDX-License-Identifier: MIT
 * Job: choose the frames of a contact sheet. In: contacts, strain, height and motion per frame.
 * Out: frame numbers. Named moments first, unless they look like one that is there; the rest goes
 * where the gap is widest. Gaps are measured in motion, and a little in time.
 */
#include "cli/moments.h"

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

/* What has happened between two frames, as a share of the whole film. */
typedef struct course {
    const moment_sample* samples;
    int32_t count;
    double motion; /* of all */
} course;

static double between(const course* c, int32_t from, int32_t to) {
    const double of_time = 0.3;
    double time = (double)(to - from) / (double)(c->count > 1 ? c->count - 1 : 1), motion = 0.0;
    for (int32_t i = from + 1; i <= to; ++i) {
        motion += c->samples[i].motion;
    }
    return c->motion > 0.0 ? of_time * time + (1.0 - of_time) * motion / c->motion : time;
}

/* Adds a frame unless one is there that nearly looks the same. */
static void add_named(const course* c, int32_t* list, int32_t* count, int32_t frame) {
    const double alike = 0.03;
    for (int32_t i = 0; i < *count; ++i) {
        int32_t from = list[i] < frame ? list[i] : frame, to = list[i] < frame ? frame : list[i];
        if (between(c, from, to) < alike) {
            return;
        }
    }
    add(list, count, frame);
}

/* Where actions come to their point: all of them, or as many as fit, evenly. */
static void add_telling(const course* c, int32_t* list, int32_t* count) {
    int32_t there = 0, seen = 0, room = MOMENTS_MOST - *count;
    for (int32_t i = 0; i < c->count; ++i) {
        there += c->samples[i].telling;
    }
    for (int32_t i = 0; i < c->count; ++i) {
        if (c->samples[i].telling) {
            bool wanted = there <= room || seen * room / there != (seen + 1) * room / there;
            ++seen;
            if (wanted) {
                add_named(c, list, count, i);
            }
        }
    }
}

/* The middle of the widest gap, by what happens in it; -1 when there is none. */
static int32_t middle_of_gap(const course* c, const int32_t* list, int32_t count) {
    int32_t best = -1;
    double widest = 0.0;
    for (int32_t i = 0; i + 1 < count; ++i) {
        double gap = between(c, list[i], list[i + 1]);
        if (list[i + 1] - list[i] > 1 && gap > widest) {
            widest = gap;
            best = i;
        }
    }
    if (best < 0) {
        return -1;
    }
    int32_t middle = list[best] + 1;
    while (middle + 1 < list[best + 1] && between(c, list[best], middle) < 0.5 * widest) {
        ++middle;
    }
    return middle;
}

int32_t moments_choose(const moment_sample* samples, int32_t count, int32_t out[MOMENTS_MOST]) {
    int32_t chosen = 0;
    if (count <= 0) {
        return 0;
    }
    course c = {.samples = samples, .count = count};
    for (int32_t i = 1; i < count; ++i) {
        c.motion += samples[i].motion;
    }
    add(out, &chosen, 0);
    add(out, &chosen, count - 1);
    add_telling(&c, out, &chosen);
    int32_t impact = first_contact(samples, count);
    if (impact >= 0) {
        add_named(&c, out, &chosen, impact);
    }
    int32_t squash = most_strain(samples, count);
    add_named(&c, out, &chosen, squash);
    add_named(&c, out, &chosen, rebound(samples, count, squash));
    while (chosen < MOMENTS_MOST && chosen < count) {
        int32_t middle = middle_of_gap(&c, out, chosen);
        if (middle < 0) {
            break;
        }
        add(out, &chosen, middle);
    }
    return chosen;
}
