/* SPDX-License-Identifier: MIT
 * How many examples should mix: the kernel's width with which each example is best made from the
 * others (leaving one out at a time). Needs no further simulation.
 */
#ifndef LIMBER_MIX_CHOICE_H
#define LIMBER_MIX_CHOICE_H

#include "detail/detail_data.h"
#include "detail/detail_skin.h"

typedef struct mix_choice {
    float sigma;
    double error; /* root of what is left of all examples' detail when each is made from the others,
                     as a share of it */
} mix_choice;

/* sigma_least, sigma_most: between which it is looked for. O(examples (examples nodes + points)).
 */
lim_result mix_choose(arena* scratch, const detail_data* d, const detail_skin* skin,
                      float sigma_least, float sigma_most, mix_choice* out);

#endif
