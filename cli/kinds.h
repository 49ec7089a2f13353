/* SPDX-License-Identifier: MIT
 * The kinds of body by name.
 */
#ifndef LIMBER_KINDS_H
#define LIMBER_KINDS_H

#include <limber/model.h>

/* The kind that the value of --kind names; false after a message when it names none. */
bool kind_of_word(const char* word, lim_kind* out);
const char* kind_name(lim_kind kind);

#endif
