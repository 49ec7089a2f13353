/* SPDX-License-Identifier: MIT
 * Job: kinds of body in words. In: a word, or a kind. Out: the other of the two.
 */
#include "cli/kinds.h"

#include "cli/say.h"

#include <string.h>

static const char* const NAMES[] = {
    [LIM_KIND_OCTREE] = "octree", [LIM_KIND_LATTICE] = "lattice", [LIM_KIND_POINTS] = "points"};

const char* kind_name(lim_kind kind) {
    return NAMES[kind];
}

bool kind_of_word(const char* word, lim_kind* out) {
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; ++i) {
        if (strcmp(word, NAMES[i]) == 0) {
            *out = (lim_kind)i;
            return true;
        }
    }
    say_error("--kind '%s' is not known; it takes octree, lattice or points", word);
    return false;
}
