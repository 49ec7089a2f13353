/* SPDX-License-Identifier: MIT
 * Job: what contacts with colliders have done in a step, for those who ask. In: contacts after the
 * last substep, the frames in which they were solved. Out: impulses in world axes.
 *
 * An impulse J acts on a node at x (frame coordinates, unit lengths), and its opposite on the
 * collider at the same place: about the collider's position c the body gets
 *     m s^2 R (x cross J) + (origin - c) cross (m s R J),
 * with s metres per unit and m kg per unit mass.
 */
#include "contact/contact.h"

void contact_finish(contact_list* list, const node_state* nodes, double scale, double unit_mass,
                    const collider* colliders, double dt) {
    int32_t index = -1;
    lim_point centre = p3(0, 0, 0);
    for (int32_t i = 0; i < list->items.count; ++i) {
        contact* c = &list->items.data[i];
        const component* frame = &nodes->components[nodes->slot_component[c->node]];
        c->pushed = c->pushed || c->impulse > 0.0f;
        if (!c->pushed) {
            c->sum = c->turning = v3(0, 0, 0);
            continue;
        }
        if (c->collider != index) {
            index = c->collider;
            centre = collider_at(&colliders[index], dt).position;
        }
        double unit = unit_mass * scale;
        lim_point impulse = p3_scale(dquat_rotate(frame->rotation, p3_of(c->sum)), unit);
        lim_point own = p3_scale(dquat_rotate(frame->rotation, p3_of(c->turning)), unit * scale);
        lim_point arm = p3_sub(frame->origin, centre);
        c->sum = v3_of(impulse);
        c->turning = v3_of(p3_add(own, p3_cross(arm, impulse)));
        c->normal = v3_of(dquat_rotate(frame->rotation, p3_of(c->normal)));
        /* A body that blew up goes back to its last finite state; so must what it did. */
        if (!v3_finite(c->sum) || !v3_finite(c->turning) || !v3_finite(c->normal)) {
            c->sum = c->turning = v3(0, 0, 0);
        }
    }
}

lim_vec3 contact_where_now(const contact* c, const bindings* b, const node_state* nodes) {
    int32_t i = c->node, point = c->touching >= 0 ? c->touching : c->point[0];
    return point >= 0 ? binding_position(&b->bind[point], bindings_rest(b, point), nodes)
                      : v3(nodes->x0[0][i] + nodes->d[0][i], nodes->x0[1][i] + nodes->d[1][i],
                           nodes->x0[2][i] + nodes->d[2][i]);
}
