/* SPDX-License-Identifier: MIT
 * Job: take what penetration is left out of what is seen. In: a skin and the colliders near it.
 * Out: vertices on the colliders' surfaces instead of inside.
 */
#include "contact/contact.h"

#include "contact/contact_kernel.h"

/* True when a vertex was moved. */
static bool clear_one(const collider* now, skin_output* skin, int32_t vertex_count, isa set) {
    bool moved = false;
    collider_last last = {0};
    lim_vec3 middle = v3_scale(v3_add(skin->lower, skin->upper), 0.5f);
    double reach = (double)v3_length(middle) + (double)v3_length(v3_sub(skin->upper, middle));
    collider_front front =
        collider_front_at(now, p3_add(skin->origin, p3_of(middle)), skin->origin, reach);
    const contact_kernels* kernels = contact_kernels_for(set);
    float height = front.offset + front.slack;
    for (int32_t i = 0; i < vertex_count; ++i) {
        if (i % 8 == 0) {
            i = kernels->next_low(skin->positions, front.normal, height, i, vertex_count);
        }
        float* p = skin->positions + 3 * (size_t)i;
        if (i >= vertex_count || collider_front_gap(&front, v3(p[0], p[1], p[2])) > front.slack) {
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

/* Behind the contacts of the same collider. */
static int32_t behind(const contact_list* list, int32_t k) {
    int32_t which = list->items.data[k].collider;
    while (k < list->items.count && list->items.data[k].collider == which) {
        k++;
    }
    return k;
}

int32_t contact_collider_count(const contact_list* list) {
    int32_t count = 0;
    for (int32_t k = 0; k < list->items.count; k = behind(list, k)) {
        count++;
    }
    return count;
}

int32_t contact_lifters(const contact_list* list, const collider* colliders, double time,
                        collider* out) {
    int32_t count = 0;
    for (int32_t k = 0; k < list->items.count; k = behind(list, k)) {
        const collider* c = &colliders[list->items.data[k].collider];
        if (!collider_is_sheet(c)) { /* a sheet has no inside */
            out[count++] = collider_at(c, time);
        }
    }
    return count;
}

void contact_clear_skin(const collider* lifters, int32_t count, isa set, skin_output* skin,
                        int32_t vertex_count) {
    bool moved = false;
    for (int32_t k = 0; k < count; ++k) {
        moved = clear_one(&lifters[k], skin, vertex_count, set) || moved;
    }
    if (moved) {
        skin_bound(set, skin, vertex_count);
    }
}
