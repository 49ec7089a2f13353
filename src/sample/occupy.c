/* SPDX-License-Identifier: MIT
 * Job: the cells of a lattice. In: finished voxels. Out: which cells are occupied. Cells with
 * inside sub-voxels are, and cells whose inner part (LATTICE_REACH off each face) a triangle
 * overlaps. What is left is surface that lies on the planes between cells. Where neither side of
 * such a plane is occupied, the cell behind the triangle is taken, so a closed shell fills its
 * inner side; when there is no cell behind, the one in front.
 */
#include "sample/lattice.h"
#include "sample/overlap.h"

static overlap_triangle triangle_of(const voxels* v, int32_t triangle) {
    const int32_t* corner = v->mesh->triangle_point + 3 * (size_t)triangle;
    return overlap_prepare(voxels_grid(v, v->mesh->point[corner[0]]),
                           voxels_grid(v, v->mesh->point[corner[1]]),
                           voxels_grid(v, v->mesh->point[corner[2]]));
}

/* A cell that is taken for a triangle on a face does not count as occupied for other triangles, so
 * that their order does not matter. */
enum { EMPTY, OCCUPIED, TAKEN };

/* Half the edge of a cube as large as the inner part of a cell, in sub-voxels. */
static const double INNER = (0.5 - LATTICE_REACH) * (double)MASK_SIDE;

static lim_point middle_of(const voxel_cell* c) {
    return p3_scale(p3(c->x + 0.5, c->y + 0.5, c->z + 0.5), (double)MASK_SIDE);
}

/* A cell that nothing reaches into, and a triangle that touches it. Where the triangle lies on a
 * face of the cell with nothing occupied beyond, one of the two sides is taken. True when there is
 * such a face, taken or not. Each face is tested by a cube about it. */
static bool hold_on_faces(const voxels* v, const overlap_triangle* t, int32_t cell,
                          uint8_t* state) {
    const voxel_cell* c = &v->cell.data[cell];
    lim_point middle = middle_of(c);
    bool behind = p3_dot(t->normal, p3_sub(middle, t->p[0])) <= 0.0, found = false;
    for (int face = 0; face < 6; ++face) {
        int step[3] = {0, 0, 0};
        step[face / 2] = face % 2 == 0 ? -1 : 1;
        lim_point at = p3_mad(middle, p3(step[0], step[1], step[2]), 0.5 * (double)MASK_SIDE);
        if (!overlap_cube(t, at, INNER)) {
            continue;
        }
        int32_t beyond = voxels_find(v, c->x + step[0], c->y + step[1], c->z + step[2]);
        if (beyond < 0 || state[beyond] != OCCUPIED) {
            state[behind || beyond < 0 ? cell : beyond] = TAKEN;
        }
        found = true;
    }
    return found;
}

void lattice_occupy(const voxels* v, uint8_t* out) {
    for (int32_t i = 0; i < v->cell.count; ++i) {
        out[i] = v->cell.data[i].inside != 0 ? OCCUPIED : EMPTY;
    }
    for (int32_t i = 0; i < v->touch.count; ++i) {
        const voxel_touch* touch = &v->touch.data[i];
        if (out[touch->cell] == EMPTY) {
            overlap_triangle t = triangle_of(v, touch->triangle);
            bool reached = overlap_cube(&t, middle_of(&v->cell.data[touch->cell]), INNER);
            out[touch->cell] = reached ? OCCUPIED : EMPTY;
        }
    }
    for (int32_t i = 0, end; i < v->touch.count; i = end) {
        overlap_triangle t = triangle_of(v, v->touch.data[i].triangle);
        bool held = false;
        for (end = i;
             end < v->touch.count && v->touch.data[end].triangle == v->touch.data[i].triangle;
             ++end) {
            int32_t cell = v->touch.data[end].cell;
            held = out[cell] == OCCUPIED || hold_on_faces(v, &t, cell, out) || held;
        }
        if (!held) {
            out[v->touch.data[i].cell] = TAKEN; /* a speck on an edge between cells */
        }
    }
    for (int32_t i = 0; i < v->cell.count; ++i) {
        out[i] = out[i] != EMPTY;
    }
}
