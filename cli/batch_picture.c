/* SPDX-License-Identifier: MIT
 * Job: draw batches. In: a body at rest and its batches. Out: a picture in which every batch has
 * one colour. Its vertices are those of the batches, so that no colour runs into the next.
 */
#include "cli/batch_picture.h"

#include <math.h>
#include <string.h>

/* Hues a golden section apart, in three shades: batches that follow each other, which are mostly
 * neighbours, are far apart. Linear RGB. */
static void colour_of(int32_t batch, float out[4]) {
    static const float shade[3] = {0.75f, 0.45f, 0.22f}, grey[3] = {0.08f, 0.25f, 0.02f};
    double turn = 0.6180339887498949 * (double)batch;
    float hue = (float)(6.0 * (turn - floor(turn)));
    for (int k = 0; k < 3; ++k) {
        float away = fabsf(fmodf(hue + 6.0f - 2.0f * (float)k, 6.0f) - 3.0f); /* 3 at the colour */
        float full = fminf(fmaxf(away - 1.0f, 0.0f), 1.0f);
        out[k] = shade[batch % 3] * (grey[batch % 3] + (1.0f - grey[batch % 3]) * full);
    }
    out[3] = 1.0f;
}

static lim_result fill_mesh(const lim_io_frame* skin, const lim_batches_view* batches,
                            arena* memory, lim_draw_mesh* out) {
    int64_t count = batches->vertex_count;
    float* positions = ARENA_ARRAY(memory, float, 3 * count);
    float* normals = ARENA_ARRAY(memory, float, 3 * count);
    float* colours = ARENA_ARRAY(memory, float, 4 * count);
    if (positions == NULL || normals == NULL || colours == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t b = 0; b < batches->batch_count; ++b) {
        const lim_batch* batch = &batches->batches[b];
        float colour[4];
        colour_of(b, colour);
        for (int64_t i = batch->first_vertex; i < batch->first_vertex + batch->vertex_count; ++i) {
            int64_t from = batches->vertices[i];
            memcpy(positions + 3 * i, skin->positions + 3 * from, 3 * sizeof(float));
            memcpy(normals + 3 * i, skin->normals + 3 * from, 3 * sizeof(float));
            memcpy(colours + 4 * i, colour, sizeof colour);
        }
    }
    *out = (lim_draw_mesh){.frame = {.vertex_count = batches->vertex_count,
                                     .triangle_count = batches->triangle_count,
                                     .positions = positions,
                                     .normals = normals,
                                     .colours = colours,
                                     .indices = batches->indices}};
    return LIM_OK;
}

lim_result batch_picture_draw(const film* f, const lim_batches_view* batches, const int32_t size[2],
                              const char* caption, lim_image* image) {
    const film_frame* frame = &f->frames.data[0];
    lim_io_frame skin = film_view(f, 0, 0);
    arena scratch;
    arena_init(&scratch, &f->host);
    lim_draw_mesh mesh;
    lim_result result = fill_mesh(&skin, batches, &scratch, &mesh);
    if (result == LIM_OK) {
        float aspect = (float)size[0] / (float)size[1];
        lim_picture picture = {.width = size[0],
                               .height = size[1],
                               .camera = lim_camera_fit(frame->lower, frame->upper, aspect),
                               .meshes = &mesh,
                               .mesh_count = 1,
                               .ground = f->ground,
                               .ground_height = f->ground_height,
                               .caption = caption};
        result = lim_image_draw(image, &picture);
    }
    arena_release(&scratch);
    return result;
}
