/* SPDX-License-Identifier: MIT
 * Job: kinds of body in words. In: a word, or a kind. Out: the other of the two.
 */
#include "cli/kinds.h"

#include "cli/say.h"

#include <stdio.h>
#include <string.h>

const char* kind_name(lim_kind kind) {
    return lim_kind_get_info(kind).name;
}

bool kind_of_word(const char* word, lim_kind* out) {
    char known[200] = "";
    int32_t count = 0, length = 0;
    while (kind_name((lim_kind)count) != NULL) {
        count++;
    }
    for (int32_t i = 0; i < count; ++i) {
        const char* name = kind_name((lim_kind)i);
        if (strcmp(word, name) == 0) {
            *out = (lim_kind)i;
            return true;
        }
        const char* before = i == 0 ? "" : i + 1 < count ? ", " : " or ";
        length += snprintf(known + length, sizeof known - (size_t)length, "%s%s", before, name);
    }
    say_error("--kind '%s' is not known; it takes %s", word, known);
    return false;
}
