/* SPDX-License-Identifier: MIT
 * A body that folds on itself: two leaves one over the other, joined along one side, as a mesh of
 * small squares. The upper leaf falls on the lower one.
 */
#ifndef LIMBER_LEAVES_H
#define LIMBER_LEAVES_H

#include <limber/mesh.h>

/* About so many triangles; 22 cm long. The mesh is the caller's to destroy. */
lim_result leaves_mesh(int32_t triangles, const lim_host* host, lim_mesh** out);

#endif
