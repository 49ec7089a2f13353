/* SPDX-License-Identifier: MIT
 * Job: friction that outlasts a moment of little pressure. In: contacts with colliders after each
 * substep, what their nodes had left of the step before. Out: what is left for the next.
 *
 * The pressure N of an elastic body that rings swings. Coulomb's law of the moment lets a contact
 * slip in each trough, and what it could have held in each crest is lost. Sliding feeds the
 * ringing, so a block creeps down a slope that it could rest on, without end. For elastic bodies
 * that law is ill-posed (Ranjith, Rice 2001), and measured friction follows a change of pressure
 * late (Prakash 1998). So a contact keeps what friction has not used of a crest, at most mu (N -
 * N') with the mean N' of the last GRIP_MEAN, and uses it in the next troughs: friction <= mu N h +
 * the least of what is kept and mu N' h. All friction together never exceeds mu times all pressure.
 * Where pressure is steady, and where the contact slides, it is Coulomb's.
 */
#include "contact/contact.h"

#include <string.h>

/* Seconds, for bodies of some decimetres, which ring 5 to 50 times in a second: the time in which
 * what is kept fades, and that of the mean. */
#define GRIP_FADE 0.2f
#define GRIP_MEAN 0.05f

/* What is kept of a node goes to the first of its contacts. */
void contact_grip_begin(contact_list* list, float* spare, float* usual) {
    for (int32_t i = 0; i < list->items.count; ++i) {
        contact* c = &list->items.data[i];
        c->spare = spare[c->node] > 0.0f ? spare[c->node] : 0.0f;
        c->usual = usual[c->node] > 0.0f ? usual[c->node] : 0.0f;
        spare[c->node] = usual[c->node] = 0.0f;
    }
}

static void settle_one(contact* c, float friction, float h) {
    float keep = 1.0f / (1.0f + h / GRIP_FADE), follow = h / (h + GRIP_MEAN);
    float pressed = c->impulse + c->braked;
    float unused = friction * pressed - v3_length(c->friction_impulse);
    float crest = friction * (pressed - h * c->usual);
    crest = crest > 0.0f ? crest : 0.0f;
    float spare = keep * (c->spare + (unused < crest ? unused : crest));
    float usual = c->usual + follow * (pressed / h - c->usual);
    c->spare = spare > 0.0f && isfinite(spare) ? spare : 0.0f;
    c->usual = usual > 0.0f && isfinite(usual) ? usual : 0.0f;
}

void contact_grip_settle(contact_list* list, float h) {
    for (int32_t r = 0; r < list->runs.count && list->items.count > 0; ++r) {
        const contact_run* run = &list->runs.data[r];
        for (int32_t i = run->begin; i < run->end; ++i) {
            contact* c = &list->items.data[i];
            if (c->impulse > 0.0f || c->usual > 0.0f) {
                settle_one(c, run->friction, h);
            }
        }
    }
}

bool contact_grip_end(const contact_list* list, float* spare, float* usual, int32_t slots) {
    bool any = false;
    memset(spare, 0, (size_t)slots * sizeof(float));
    memset(usual, 0, (size_t)slots * sizeof(float));
    for (int32_t i = 0; i < list->items.count; ++i) {
        const contact* c = &list->items.data[i];
        spare[c->node] += c->spare;
        usual[c->node] += c->usual;
        any = any || c->usual > 0.0f;
    }
    return any;
}
