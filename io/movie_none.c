/* SPDX-License-Identifier: MIT
 * Job: movies where no child process can be started. In: calls. Out: LIM_ERROR_UNSUPPORTED.
 */
#include "io/out_file.h"

lim_result lim_movie_open(const char* path, int32_t width, int32_t height, float fps,
                          lim_movie** out_movie, lim_io_message* out_message) {
    (void)width;
    (void)height;
    (void)fps;
    if (out_movie != NULL) {
        *out_movie = NULL;
    }
    return out_fail(out_message, LIM_ERROR_UNSUPPORTED,
                    "%s: movies need ffmpeg as a child process, which this system cannot start; "
                    "write PNG files",
                    path != NULL ? path : "(null)");
}

lim_result lim_movie_add(lim_movie* movie, const lim_image* image) {
    (void)movie;
    (void)image;
    return LIM_ERROR_UNSUPPORTED;
}

lim_result lim_movie_close(lim_movie* movie, lim_io_message* out_message) {
    (void)movie;
    return out_fail(out_message, LIM_ERROR_UNSUPPORTED, "there is no movie to close");
}
