/* SPDX-License-Identifier: MIT
 * Job: keep what contacts with colliders have reached while contacts between bodies are solved. In:
 * contacts as contact_solve_velocity left them in this substep. Out: velocities that approach no
 * faster than was allowed there, with friction by the whole impulse.
 */
#include "contact/contact.h"

void contact_hold_velocity(contact_list* list, node_state* n) {
    for (int32_t k = 0; k < list->items.count; ++k) {
        contact* c = &list->items.data[k];
        int32_t i = c->node;
        float mass = 1.0f / n->inv_mass[i];
        lim_vec3 v = v3_sub(v3(n->v[0][i], n->v[1][i], n->v[2][i]), c->moving);
        float along = v3_dot(v, c->normal), before = c->impulse;
        float total = before + mass * (c->least - along); /* -inf where nothing was near */
        total = total > 0.0f ? total : 0.0f;
        float most = total > 0.0f ? c->friction * total + c->more : 0.0f;
        lim_vec3 slip = v3_mad(v, c->normal, -along);
        lim_vec3 wanted = v3_mad(c->friction_impulse, slip, -mass);
        float length = v3_length(wanted);
        lim_vec3 brake = length > most ? v3_scale(wanted, most / length) : wanted;
        lim_vec3 change = v3_mad(v3_sub(brake, c->friction_impulse), c->normal, total - before);
        if (!v3_finite(change)) {
            continue;
        }
        c->impulse = total;
        c->friction_impulse = brake;
        if (total > 0.0f || before > 0.0f) {
            contact_feel(c, n, change);
        }
        n->v[0][i] += change.x / mass;
        n->v[1][i] += change.y / mass;
        n->v[2][i] += change.z / mass;
    }
}
