/* SPDX-License-Identifier: MIT
 * Images and drawing with a host of choice; the public functions use the default one.
 */
#ifndef LIMBER_IMAGE_H
#define LIMBER_IMAGE_H

#include "base/mem.h"
#include <limber/io.h>

enum { IMAGE_LIMIT = 32768 }; /* pixels a side; a sheet may be larger than a picture */

lim_result image_create(const lim_host* host, int32_t width, int32_t height, lim_image* out_image);
lim_result image_sheet(const lim_host* host, const lim_image* images, int32_t count,
                       int32_t columns, lim_image* out_sheet);
lim_result image_draw(const lim_host* host, lim_image* image, const lim_picture* picture);

#endif
