/* SPDX-License-Identifier: MIT
 * Job: keep what contacts with colliders have reached while contacts between bodies are solved. In:
 * contacts as contact_limit_velocity left them in this substep. Out: velocities that approach no
 * faster than was allowed there, with friction by the whole impulse.
 */
#include "contact/contact.h"

static void hold_one(contact* c, const contact_run* run, node_state* n, float h) {
    int32_t i = c->node;
    lim_vec3 v = v3(n->v[0][i], n->v[1][i], n->v[2][i]);
    lim_vec3 normal = run->plane ? run->normal : c->normal;
    v = run->moves ? v3_sub(v, c->moving) : v;
    float along = v3_dot(v, normal), before = c->impulse;
    if (!(along < c->least) && !(before > 0.0f)) {
        return; /* apart, as before; -inf where nothing was near */
    }
    float mass = 1.0f / n->inv_mass[i];
    float total = before + mass * (c->least - along);
    total = total > 0.0f ? total : 0.0f;
    float most = total > 0.0f
                     ? run->friction * (total + c->braked) + contact_grip(c, run->friction, h)
                     : 0.0f;
    lim_vec3 slip = v3_mad(v, normal, -along);
    lim_vec3 wanted = v3_mad(c->friction_impulse, slip, -mass);
    float length = v3_length(wanted);
    lim_vec3 brake = length > most ? v3_scale(wanted, most / length) : wanted;
    lim_vec3 change = v3_mad(v3_sub(brake, c->friction_impulse), normal, total - before);
    if (!v3_finite(change)) {
        return;
    }
    c->normal = normal;
    c->impulse = total;
    c->friction_impulse = brake;
    contact_feel(c, n, i, change);
    n->v[0][i] += change.x / mass;
    n->v[1][i] += change.y / mass;
    n->v[2][i] += change.z / mass;
}

void contact_hold_velocity(contact_list* list, node_state* nodes, double h) {
    for (int32_t r = 0; r < list->runs.count && list->items.count > 0; ++r) {
        const contact_run* run = &list->runs.data[r];
        for (int32_t i = run->begin; i < run->end; ++i) {
            hold_one(&list->items.data[i], run, nodes, (float)h);
        }
    }
}
