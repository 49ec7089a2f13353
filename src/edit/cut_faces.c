/* SPDX-License-Identifier: MIT
 * Job: tell faces of cuts from the skin of the mesh. In: where vertices come from. Out: marks. A
 * vertex is what the one is that it is nearest to; one that comes from none lies on a blade.
 */
#include "edit/cut_faces.h"

lim_result cut_faces_mark(arena* a, const topology* t, const surface_change* change,
                          uint8_t** out) {
    int32_t first = t->vertex_count - t->source_count;
    int32_t count = t->source_count + (change != NULL ? change->new_vertices : 0);
    uint8_t* face = *out = ARENA_ARRAY(a, uint8_t, count);
    LIM_TRY_MEMORY(face);
    for (int32_t i = 0; i < count; ++i) {
        bool old = i < t->source_count;
        const lim_vertex_source* s = old ? &t->source[i] : &change->source[i - t->source_count];
        int k = s->weight[1] > s->weight[0] ? 1 : 0;
        k = s->weight[2] > s->weight[k] ? 2 : k;
        bool made = s->vertex[k] >= first && s->vertex[k] < first + i;
        if (s->weight[k] > 0.0f) {
            face[i] = made ? face[s->vertex[k] - first] : 0;
        } else {
            face[i] = old ? FACE_EARLIER : FACE_NEW;
        }
    }
    return LIM_OK;
}
