/* SPDX-License-Identifier: MIT
 * Job: a run as it is now, for entries of `limber paper`. In: a run. Out: figures of its first
 * body, a picture.
 */
#include "cli/draw.h"
#include "cli/film.h"
#include "cli/paper_edit.h"

lim_result paper_model_now(const scene_run* run, lim_model_info* info, int32_t* triangles) {
    lim_model* model = NULL;
    lim_result result =
        lim_body_get_model(scene_run_world(run), scene_run_body_at(run, 0).body, &model);
    if (result == LIM_OK) {
        *info = lim_model_get_info(model);
        *triangles = lim_model_get_surface(model).triangle_count;
    }
    lim_model_destroy(model);
    return result;
}

lim_result paper_draw_now(const paper_still* still, const scene_run* run, bool plain,
                          const char* caption, const lim_host* host, lim_image* out) {
    film f;
    lim_result result = film_begin(&f, run, still->overlay, NULL, 30.0, host);
    result = result == LIM_OK ? film_take(&f, run) : result;
    result = result == LIM_OK ? lim_image_create(still->size[0], still->size[1], out) : result;
    result = result == LIM_OK ? draw_still(&f, plain, still->size, caption, out) : result;
    film_end(&f);
    return result;
}
