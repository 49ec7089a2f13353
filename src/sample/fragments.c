/* SPDX-License-Identifier: MIT
 * Job: nodes of the cells. In: finished voxels. Out: one fragment per connected piece of material
 * in a cell: its sub-voxels, part, volume and centroid. Specks (one sub-voxel) that hang on exactly
 * one fragment of a neighbouring cell give their volume to it and go, unless a triangle would lose
 * its last node.
 *
 * Volumes: a sub-voxel whose centre is inside counts whole. Thin material counts its surface area
 * in the cell times a thickness: one cell edge for open sheets (half of it for each of two faces);
 * for parts that enclose a volume the thickness that brings the sum of all volumes to that of the
 * mesh, but not more than the part's own volume over area. No node has more than its cell.
 */
#include "sample/fragments.h"

#include "sample/overlap.h"

#include <string.h>

typedef struct work {
    const voxels* v;
    const bvh* tree;
    bool shell;
    fragments* f;
    arena* scratch;
    double* area;      /* of thin surface, per fragment */
    lim_point* middle; /* area times centre of it */
    int32_t* inside;   /* sub-voxels inside, per fragment */
} work;

static int32_t count_pieces(uint64_t material, uint64_t soft) {
    int32_t count = 0;
    while (material != 0) {
        material &= ~mask_flood(material, soft, material & (~material + 1));
        count++;
    }
    return count;
}

static lim_result find_pieces(work* w, arena* a) {
    const voxels* v = w->v;
    fragments* f = w->f;
    f->cell_first = ARENA_ARRAY(a, int32_t, v->cell.count + 1);
    LIM_TRY_MEMORY(f->cell_first);
    for (int32_t i = 0; i < v->cell.count; ++i) {
        const voxel_cell* c = &v->cell.data[i];
        f->cell_first[i + 1] = f->cell_first[i] + count_pieces(voxels_material(c), voxels_soft(c));
    }
    f->count = f->cell_first[v->cell.count];
    f->cell = ARENA_ROOM(a, int32_t, f->count);
    f->mask = ARENA_ROOM(a, uint64_t, f->count);
    f->part = ARENA_ARRAY(a, int32_t, f->count);
    f->volume = ARENA_ROOM(a, double, f->count);
    f->centroid = ARENA_ROOM(a, lim_point, f->count);
    w->area = ARENA_ARRAY(w->scratch, double, f->count);
    w->middle = ARENA_ARRAY(w->scratch, lim_point, f->count);
    w->inside = ARENA_ROOM(w->scratch, int32_t, f->count);
    LIM_TRY_MEMORY(f->cell);
    LIM_TRY_MEMORY(f->mask);
    LIM_TRY_MEMORY(f->part);
    LIM_TRY_MEMORY(f->volume);
    LIM_TRY_MEMORY(f->centroid);
    LIM_TRY_MEMORY(w->area);
    LIM_TRY_MEMORY(w->middle);
    LIM_TRY_MEMORY(w->inside);
    for (int32_t i = 0; i < v->cell.count; ++i) {
        const voxel_cell* c = &v->cell.data[i];
        uint64_t material = voxels_material(c);
        for (int32_t k = f->cell_first[i]; k < f->cell_first[i + 1]; ++k) {
            f->cell[k] = i;
            f->mask[k] = mask_flood(material, voxels_soft(c), material & (~material + 1));
            material &= ~f->mask[k];
        }
    }
    return LIM_OK;
}

/* Mean of the centres of some sub-voxels of a cell, unit space. */
static lim_point mean_of(const voxels* v, const voxel_cell* c, uint64_t bits) {
    int count = mask_count(bits);
    lim_point sum = p3(mask_sum(bits, 0), mask_sum(bits, 1), mask_sum(bits, 2));
    sum = count > 0 ? p3_scale(sum, 1.0 / count) : p3(1.5, 1.5, 1.5);
    lim_point at = p3(4.0 * c->x + sum.x + 0.5, 4.0 * c->y + sum.y + 0.5, 4.0 * c->z + sum.z + 0.5);
    return p3_mad(v->corner, at, v->sub);
}

/* The part whose triangles have most sub-voxels in or next to the fragment; -1: no triangle has.
 * `votes` is zero on entry and exit. */
static int32_t part_at_surface(const work* w, int32_t fragment, int32_t* votes) {
    const voxels* v = w->v;
    const fragments* f = w->f;
    const int32_t* part = v->mesh->triangle_part;
    int32_t cell = f->cell[fragment], best = -1;
    uint64_t near = mask_grow_all(f->mask[fragment]);
    for (int32_t i = v->touch_first[cell]; i < v->touch_first[cell + 1]; ++i) {
        const voxel_touch* touch = &v->touch.data[v->touch_item[i]];
        votes[part[touch->triangle]] += mask_count(touch->mask & near);
    }
    for (int32_t i = v->touch_first[cell]; i < v->touch_first[cell + 1]; ++i) {
        int32_t p = part[v->touch.data[v->touch_item[i]].triangle];
        bool more = votes[p] > 0 &&
                    (best < 0 || votes[p] > votes[best] || (votes[p] == votes[best] && p < best));
        best = more ? p : best;
    }
    for (int32_t i = v->touch_first[cell]; i < v->touch_first[cell + 1]; ++i) {
        votes[part[v->touch.data[v->touch_item[i]].triangle]] = 0;
    }
    return best;
}

/* Fragments inside have the part of those at the surface from which fewest steps over faces of
 * cells lead to them. `queue` holds the `count` that know theirs; the others have -1. */
static void pass_parts(const work* w, int32_t* queue, int32_t count) {
    const voxels* v = w->v;
    const fragments* f = w->f;
    for (int32_t at = 0; at < count; ++at) {
        int32_t i = queue[at];
        for (int face = 0; face < 6; ++face) {
            int d[3] = {0, 0, 0};
            d[face / 2] = face % 2 == 0 ? -1 : 1;
            int32_t other = v->near[f->cell[i]][13 + d[0] + 3 * d[1] + 9 * d[2]];
            for (int32_t k = other >= 0 ? f->cell_first[other] : 0;
                 other >= 0 && k < f->cell_first[other + 1]; ++k) {
                if (f->part[k] < 0 && mask_touch(f->mask[i], 0, f->mask[k], 0, d)) {
                    f->part[k] = f->part[i];
                    queue[count++] = k;
                }
            }
        }
    }
}

/* What nothing leads to has the part of the nearest triangle. */
static lim_result find_parts(const work* w) {
    const voxels* v = w->v;
    const fragments* f = w->f;
    if (w->tree == NULL) {
        return LIM_OK; /* one part: number 0 */
    }
    int32_t* votes = ARENA_ARRAY(w->scratch, int32_t, v->mesh->report.parts);
    int32_t* queue = ARENA_ROOM(w->scratch, int32_t, f->count);
    LIM_TRY_MEMORY(votes);
    LIM_TRY_MEMORY(queue);
    int32_t count = 0;
    for (int32_t i = 0; i < f->count; ++i) {
        f->part[i] = part_at_surface(w, i, votes);
        if (f->part[i] >= 0) {
            queue[count++] = i;
        }
    }
    pass_parts(w, queue, count);
    for (int32_t i = 0; i < f->count; ++i) {
        if (f->part[i] < 0) {
            lim_point at = mean_of(v, &v->cell.data[f->cell[i]], f->mask[i]);
            bvh_hit hit = bvh_closest(w->tree, v3_of(at), 4.0f);
            f->part[i] = hit.triangle >= 0 ? v->mesh->triangle_part[hit.triangle] : 0;
        }
    }
    return LIM_OK;
}

/* Area of thin surface in each fragment: what a triangle has in the cell is shared out by the
 * sub-voxels that it overlaps. */
static void measure_areas(work* w) {
    const voxels* v = w->v;
    const fragments* f = w->f;
    for (int32_t cell = 0; cell < v->cell.count; ++cell) {
        const voxel_cell* c = &v->cell.data[cell];
        if (c->thin == 0) {
            continue;
        }
        lim_point lower = p3_mad(v->corner, p3(c->x, c->y, c->z), v->side);
        lim_point upper = p3_add(lower, p3(v->side, v->side, v->side));
        for (int32_t i = v->touch_first[cell]; i < v->touch_first[cell + 1]; ++i) {
            const voxel_touch* touch = &v->touch.data[v->touch_item[i]];
            if ((touch->mask & c->thin) == 0) {
                continue;
            }
            lim_point p[3], centre;
            for (int k = 0; k < 3; ++k) {
                p[k] = p3_of(v->mesh->point[v->mesh->triangle_point[3 * touch->triangle + k]]);
            }
            double area = overlap_area(p, lower, upper, &centre) / mask_count(touch->mask);
            for (int32_t k = f->cell_first[cell]; k < f->cell_first[cell + 1]; ++k) {
                double own = area * mask_count(touch->mask & c->thin & f->mask[k]);
                w->area[k] += own;
                w->middle[k] = p3_mad(w->middle[k], centre, own);
            }
        }
    }
}

/* Does a part enclose its volume? Closed ones do; open ones when the inside test has found most of
 * the volume that the divergence theorem gives them (a solid with holes), not when they are sheets.
 */
static bool is_solid(const lim_mesh* mesh, int32_t part, double inside) {
    double area = mesh->part_area[part], volume = mesh->part_volume[part];
    return mesh->part_closed[part] || (volume > 1e-3 * area * sqrt(area) && inside > 0.5 * volume);
}

/* Thickness of thin material of each part, unit space. `inside` is zero on entry. */
static void find_thickness(const work* w, double* inside, double* thickness) {
    const voxels* v = w->v;
    const lim_mesh* mesh = v->mesh;
    double wanted = 0.0, found = 0.0, area = 0.0;
    for (int32_t i = 0; i < w->f->count; ++i) {
        inside[w->f->part[i]] += w->inside[i] * v->sub * v->sub * v->sub;
    }
    for (int32_t p = 0; p < mesh->report.parts; ++p) {
        if (is_solid(mesh, p, inside[p])) {
            wanted += mesh->part_volume[p];
            found += inside[p];
        }
    }
    for (int32_t i = 0; i < w->f->count; ++i) {
        int32_t p = w->f->part[i];
        area += is_solid(mesh, p, inside[p]) ? w->area[i] : 0.0;
    }
    double missing = wanted > found && area > 0.0 ? (wanted - found) / area : 0.0;
    for (int32_t p = 0; p < mesh->report.parts; ++p) {
        double part_area = mesh->part_area[p];
        double flat = 1e-6 * part_area * sqrt(part_area);
        double most = mesh->part_volume[p] > flat ? mesh->part_volume[p] / part_area : v->side;
        if (w->shell || !is_solid(mesh, p, inside[p])) {
            thickness[p] = v->side;
        } else if (fabs(mesh->part_volume[p]) <= flat) {
            thickness[p] = 0.5 * v->side;
        } else {
            thickness[p] = missing < most ? missing : most;
            thickness[p] = thickness[p] < v->side ? thickness[p] : v->side;
        }
    }
}

static double clamp(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
}

/* Whole sub-voxels miss up to half of one at a wall, everywhere alike when the wall lies along the
 * grid. The volume of a simple solid is known: what is missing or too much goes to the fragments at
 * the surface, in proportion. */
static void fit_volume(const work* w) {
    const voxels* v = w->v;
    fragments* f = w->f;
    double wanted = 0.0, sum = 0.0, surface = 0.0, most = v->side * v->side * v->side;
    for (int32_t p = 0; p < v->mesh->report.parts; ++p) {
        wanted += v->mesh->part_volume[p];
    }
    for (int32_t i = 0; i < f->count; ++i) {
        sum += f->volume[i];
        surface += v->cell.data[f->cell[i]].surface != 0 ? f->volume[i] : 0.0;
    }
    double factor = surface > 0.0 ? clamp(1.0 + (wanted - sum) / surface, 0.5, 2.0) : 1.0;
    for (int32_t i = 0; i < f->count; ++i) {
        if (v->cell.data[f->cell[i]].surface != 0) {
            f->volume[i] = clamp(f->volume[i] * factor, 0.0, most);
        }
    }
}

static lim_result measure(work* w) {
    const voxels* v = w->v;
    fragments* f = w->f;
    double* thickness = ARENA_ARRAY(w->scratch, double, v->mesh->report.parts);
    double* inside = ARENA_ARRAY(w->scratch, double, v->mesh->report.parts);
    LIM_TRY_MEMORY(thickness);
    LIM_TRY_MEMORY(inside);
    for (int32_t i = 0; i < f->count; ++i) {
        w->inside[i] = mask_count(f->mask[i] & v->cell.data[f->cell[i]].inside);
    }
    measure_areas(w);
    find_thickness(w, inside, thickness);
    double cell_volume = v->side * v->side * v->side, largest = 1e-6 * cell_volume;
    for (int32_t i = 0; i < f->count; ++i) {
        const voxel_cell* c = &v->cell.data[f->cell[i]];
        double solid = w->inside[i] * v->sub * v->sub * v->sub;
        double thin = thickness[f->part[i]] * w->area[i];
        lim_point at;
        if (solid + thin > 1e-6 * cell_volume) {
            lim_point sum = p3_scale(w->middle[i], thickness[f->part[i]]);
            if (w->inside[i] > 0) {
                sum = p3_mad(sum, mean_of(v, c, f->mask[i] & c->inside), solid);
            }
            at = p3_scale(sum, 1.0 / (solid + thin));
        } else {
            at = mean_of(v, c, f->mask[i]);
        }
        lim_point low = p3_mad(v->corner, p3(c->x, c->y, c->z), v->side);
        f->centroid[i] =
            p3(clamp(at.x, low.x, low.x + v->side), clamp(at.y, low.y, low.y + v->side),
               clamp(at.z, low.z, low.z + v->side));
        f->volume[i] = clamp(solid + thin, 0.0, cell_volume);
    }
    if (v->simple && !w->shell) {
        fit_volume(w);
    }
    for (int32_t i = 0; i < f->count; ++i) {
        largest = f->volume[i] > largest ? f->volume[i] : largest;
    }
    for (int32_t i = 0; i < f->count; ++i) {
        f->volume[i] = clamp(f->volume[i], FRAGMENT_SHARE * largest, cell_volume);
    }
    return LIM_OK;
}

/* The one fragment of another cell that a piece touches; -1: none, -2: several. */
static int32_t only_neighbour(const work* w, const uint8_t* gone, int32_t piece) {
    const voxels* v = w->v;
    const fragments* f = w->f;
    const voxel_cell* c = &v->cell.data[f->cell[piece]];
    int32_t found = -1;
    for (int i = 0; i < 27; ++i) {
        int d[3] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
        int32_t other = i != 13 ? v->near[f->cell[piece]][i] : -1;
        if (other < 0) {
            continue;
        }
        for (int32_t k = f->cell_first[other]; k < f->cell_first[other + 1]; ++k) {
            if (!gone[k] && mask_touch(f->mask[piece], voxels_soft(c), f->mask[k],
                                       voxels_soft(&v->cell.data[other]), d)) {
                if (found >= 0) {
                    return -2;
                }
                found = k;
            }
        }
    }
    return found;
}

/* May the last fragment of a cell go? Not when a triangle touches no other cell with one. */
static bool may_empty(const voxels* v, const int32_t* nodes_near, int32_t cell) {
    for (int32_t i = v->touch_first[cell]; i < v->touch_first[cell + 1]; ++i) {
        if (nodes_near[v->touch.data[v->touch_item[i]].triangle] < 2) {
            return false;
        }
    }
    return true;
}

static lim_result join_specks(work* w) {
    const voxels* v = w->v;
    fragments* f = w->f;
    uint8_t* gone = ARENA_ARRAY(w->scratch, uint8_t, f->count);
    int32_t* left = ARENA_ARRAY(w->scratch, int32_t, v->cell.count);
    int32_t* nodes_near = ARENA_ARRAY(w->scratch, int32_t, v->mesh->triangle_count);
    LIM_TRY_MEMORY(gone);
    LIM_TRY_MEMORY(left);
    LIM_TRY_MEMORY(nodes_near);
    for (int32_t i = 0; i < v->cell.count; ++i) {
        left[i] = f->cell_first[i + 1] - f->cell_first[i];
    }
    for (int32_t i = 0; i < v->touch.count; ++i) {
        nodes_near[v->touch.data[i].triangle] += left[v->touch.data[i].cell] > 0;
    }
    for (int32_t i = 0; i < f->count; ++i) {
        int32_t cell = f->cell[i];
        bool speck = mask_count(f->mask[i]) == 1 &&
                     (f->mask[i] & (v->cell.data[cell].thin | v->cell.data[cell].cover)) == 0;
        if (!speck || (left[cell] == 1 && !may_empty(v, nodes_near, cell))) {
            continue;
        }
        int32_t heir = only_neighbour(w, gone, i);
        if (heir < 0) {
            continue;
        }
        gone[i] = 1;
        f->volume[heir] =
            clamp(f->volume[heir] + v->sub * v->sub * v->sub, 0.0, v->side * v->side * v->side);
        if (--left[cell] == 0) {
            for (int32_t k = v->touch_first[cell]; k < v->touch_first[cell + 1]; ++k) {
                nodes_near[v->touch.data[v->touch_item[k]].triangle]--;
            }
        }
    }
    int32_t count = 0;
    for (int32_t cell = 0; cell < v->cell.count; ++cell) {
        int32_t first = f->cell_first[cell];
        f->cell_first[cell] = count;
        for (int32_t i = first; i < f->cell_first[cell + 1]; ++i) {
            if (!gone[i]) {
                f->cell[count] = cell;
                f->mask[count] = f->mask[i];
                f->part[count] = f->part[i];
                f->volume[count] = f->volume[i];
                f->centroid[count] = f->centroid[i];
                count++;
            }
        }
    }
    f->cell_first[v->cell.count] = count;
    f->count = count;
    return LIM_OK;
}

static lim_result build(work* w, arena* a) {
    LIM_TRY(find_pieces(w, a));
    LIM_TRY(find_parts(w));
    LIM_TRY(measure(w));
    return join_specks(w);
}

lim_result fragments_build(arena* a, const voxels* v, const bvh* tree, bool shell, fragments* out) {
    *out = (fragments){0};
    arena scratch;
    arena_init(&scratch, &a->host);
    work w = {.v = v, .tree = tree, .shell = shell, .f = out, .scratch = &scratch};
    lim_result result = build(&w, a);
    arena_release(&scratch);
    return result;
}
