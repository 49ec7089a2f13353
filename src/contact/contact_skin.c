/* SPDX-License-Identifier: MIT
 * Job: take what penetration is left out of what is seen. In: a skin and the colliders near it.
 * Out: vertices on the colliders' surfaces instead of inside.
 */
#include "contact/contact.h"

/* True when a vertex was moved. */
static bool clear_one(const collider* now, skin_output* skin, int32_t vertex_count) {
    bool moved = false;
    if (collider_is_sheet(now)) {
        return false; /* it has no inside */
    }
    collider_last last = {0};
    lim_vec3 middle = v3_scale(v3_add(skin->lower, skin->upper), 0.5f);
    double reach = (double)v3_length(middle) + (double)v3_length(v3_sub(skin->upper, middle));
    collider_front front =
        collider_front_at(now, p3_add(skin->origin, p3_of(middle)), skin->origin, reach);
    for (int32_t i = 0; i < vertex_count; ++i) {
        float* p = skin->positions + 3 * (size_t)i;
        if (collider_front_gap(&front, v3(p[0], p[1], p[2])) > front.slack) {
            continue;
        }
        lim_point at = p3_add(skin->origin, p3((double)p[0], (double)p[1], (double)p[2]));
        if (collider_surely_far(now, &last, at, 0.0)) {
            continue;
        }
        last = (collider_last){at, collider_gap(now, at)};
        if (last.gap < 0.0) {
            lim_vec3 normal;
            double gap = collider_distance(now, at, &normal);
            if (!isfinite(gap)) {
                continue;
            }
            p[0] -= (float)gap * normal.x;
            p[1] -= (float)gap * normal.y;
            p[2] -= (float)gap * normal.z;
            moved = true;
        }
    }
    return moved;
}

void contact_clear_skin(const contact_list* list, const collider* colliders, double time,
                        skin_output* skin, int32_t vertex_count) {
    bool moved = false;
    for (int32_t k = 0; k < list->items.count;) {
        int32_t which = list->items.data[k].collider;
        collider now = collider_at(&colliders[which], time);
        moved = clear_one(&now, skin, vertex_count) || moved;
        while (k < list->items.count && list->items.data[k].collider == which) {
            k++;
        }
    }
    if (!moved) {
        return;
    }
    lim_vec3 low = v3(HUGE_VALF, HUGE_VALF, HUGE_VALF), high = v3_scale(low, -1.0f);
    for (int32_t i = 0; i < vertex_count; ++i) {
        const float* p = skin->positions + 3 * (size_t)i;
        low = v3_min(v3(p[0], p[1], p[2]), low);
        high = v3_max(v3(p[0], p[1], p[2]), high);
    }
    skin->lower = low;
    skin->upper = high;
}
