/* SPDX-License-Identifier: MIT
 * A cube of half a metre between two plates that come together, without friction: what its volume
 * and its width do.
 */
#ifndef LIMBER_PRESS_KIT_H
#define LIMBER_PRESS_KIT_H

#include "core/physics_kit.h"

typedef struct press_result {
    double worst; /* largest relative error of the skin's volume, also in the seconds after */
    double last;  /* at the end */
    double width; /* at the end over that at rest */
    double height;
} press_result;

/* Plates move by `squash` of the height within two seconds; then `after` more seconds. */
static inline press_result press(toy* t, double side, double squash, double after) {
    const double way = 0.5 * squash * side, seconds = 2.0, gap = 0.005;
    press_result out = {0};
    lim_collider plate[2];
    for (int k = 0; k < 2; ++k) {
        lim_collider_desc c = lim_collider_desc_default();
        c.shape = LIM_SHAPE_BOX;
        c.size = (lim_vec3){2.0f, 0.5f, 2.0f};
        c.friction = 0.0f;
        c.position = p3(0, (k == 0 ? 1 : -1) * (0.5 + 0.5 * side + gap), 0);
        if (lim_collider_create(t->world, &c, &plate[k]) != LIM_OK) {
            abort();
        }
    }
    lim_body_motion motion;
    if (lim_body_get_motion(t->world, t->body, &motion) != LIM_OK) {
        abort();
    }
    double rest = motion.volume;
    for (int step = 0; step < (int)(60.0 * (seconds + after)); ++step) {
        double time = step / 60.0, speed = time < seconds ? (way + gap) / seconds : 0.0;
        double y = 0.5 + 0.5 * side + gap - (way + gap) * (time < seconds ? time / seconds : 1.0);
        for (int k = 0; k < 2; ++k) {
            double sign = k == 0 ? 1.0 : -1.0;
            lim_vec3 velocity = {0, (float)(-sign * speed), 0};
            lim_collider_move(t->world, plate[k], p3(0, sign * y, 0), (lim_quat){0, 0, 0, 1},
                              velocity, (lim_vec3){0, 0, 0});
        }
        if (lim_world_step(t->world, 1.0f / 60) != LIM_OK ||
            lim_body_get_motion(t->world, t->body, &motion) != LIM_OK) {
            abort();
        }
        out.last = motion.volume / rest - 1.0;
        out.worst = fabs(out.last) > out.worst ? fabs(out.last) : out.worst;
    }
    out.width = (motion.bounds.upper.x - motion.bounds.lower.x) / side;
    out.height = (motion.bounds.upper.y - motion.bounds.lower.y) / side;
    for (int k = 0; k < 2; ++k) {
        lim_collider_destroy(t->world, plate[k]);
    }
    return out;
}

#endif
