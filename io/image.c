/* SPDX-License-Identifier: MIT
 * Job: images as memory. In: sizes, images. Out: images. They belong to the caller and take their
 * memory from the default host, because an image outlives what it shows.
 */
#include "io/image.h"

#include <string.h>

lim_result image_create(const lim_host* host, int32_t width, int32_t height, lim_image* out_image) {
    *out_image = (lim_image){0};
    if (width < 1 || height < 1 || width > IMAGE_LIMIT || height > IMAGE_LIMIT) {
        return LIM_ERROR_ARGUMENT;
    }
    uint8_t* rgba = mem_alloc(host, (size_t)width * (size_t)height, 4);
    LIM_TRY_MEMORY(rgba);
    *out_image = (lim_image){width, height, rgba};
    return LIM_OK;
}

lim_result lim_image_create(int32_t width, int32_t height, lim_image* out_image) {
    if (out_image == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    lim_host host = mem_host(NULL);
    return image_create(&host, width, height, out_image);
}

void lim_image_destroy(lim_image* image) {
    if (image != NULL && image->rgba != NULL) {
        lim_host host = mem_host(NULL);
        mem_free(&host, image->rgba, (size_t)image->width * (size_t)image->height, 4);
        *image = (lim_image){0};
    }
}

lim_result image_sheet(const lim_host* host, const lim_image* images, int32_t count,
                       int32_t columns, lim_image* out_sheet) {
    *out_sheet = (lim_image){0};
    if (count < 1 || columns < 1) {
        return LIM_ERROR_ARGUMENT;
    }
    columns = columns < count ? columns : count;
    int32_t width = images[0].width, height = images[0].height;
    for (int32_t i = 0; i < count; ++i) {
        if (images[i].rgba == NULL || images[i].width != width || images[i].height != height) {
            return LIM_ERROR_ARGUMENT;
        }
    }
    int32_t rows = (count - 1) / columns + 1;
    if ((int64_t)width * columns > IMAGE_LIMIT || (int64_t)height * rows > IMAGE_LIMIT) {
        return LIM_ERROR_TOO_LARGE;
    }
    LIM_TRY(image_create(host, width * columns, height * rows, out_sheet));
    memset(out_sheet->rgba, 255, (size_t)out_sheet->width * (size_t)out_sheet->height * 4);
    for (int32_t i = 0; i < count; ++i) {
        size_t left = (size_t)(i % columns) * (size_t)width;
        size_t top = (size_t)(i / columns) * (size_t)height;
        for (size_t y = 0; y < (size_t)height; ++y) {
            memcpy(out_sheet->rgba + 4 * ((top + y) * (size_t)out_sheet->width + left),
                   images[i].rgba + 4 * y * (size_t)width, 4 * (size_t)width);
        }
    }
    return LIM_OK;
}

lim_result lim_image_sheet(const lim_image* images, int32_t count, int32_t columns,
                           lim_image* out_sheet) {
    if (images == NULL || out_sheet == NULL) {
        return LIM_ERROR_ARGUMENT;
    }
    lim_host host = mem_host(NULL);
    return image_sheet(&host, images, count, columns, out_sheet);
}
