/* SPDX-License-Identifier: MIT
 * GLB with a host of choice; lim_io_write_glb uses the default one.
 */
#ifndef LIMBER_WRITE_GLB_H
#define LIMBER_WRITE_GLB_H

#include <limber/io.h>

typedef struct glb_animation {
    const lim_io_frame* frames; /* [body * frame_count + frame] */
    int32_t body_count, frame_count;
    float fps;
    const lim_vec3* colours; /* one per body, or null */
} glb_animation;

lim_result glb_write(const lim_host* host, const char* path, const glb_animation* animation,
                     lim_io_message* message);

#endif
