/* SPDX-License-Identifier: MIT
 * A picture of triangle batches, each in a colour of its own.
 */
#ifndef LIMBER_BATCH_PICTURE_H
#define LIMBER_BATCH_PICTURE_H

#include "cli/film.h"

/* The first frame of a film of one body, whose surface was cut into these batches. The image has
 * its size. */
lim_result batch_picture_draw(const film* f, const lim_batches_view* batches, const int32_t size[2],
                              const char* caption, lim_image* image);

#endif
