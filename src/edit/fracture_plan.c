/* SPDX-License-Identifier: MIT
 * Job: what breaks. In: nodes, links, their strain and limits. Out: broken links and blades.
 *
 * A blade is made of squares of one plane, as large as the smallest face in it, that touch. Each
 * reaches a rim beyond its border, and the rim is bent to the other side of the plane than the
 * middle is:
 *
 *        earlier  ____        ____  later          + side
 *                     \      /
 *     --- plane -------\----/------------
 *                       \  /
 *                        \/   the rims cross here
 *                        /\                        - side
 *
 * so that a blade that goes on from an earlier one in the same plane crosses it just behind its
 * front, as it must to be joined to it (cut/cut.h), and blades of other planes cross each other's
 * rims. Lines of the grid lie a rim before and a rim behind each line of squares: the squares with
 * their rims are then cells of one grid, and whatever their shape no two of them meet at a corner
 * only: if they do at (i, j), both cover the little square about it.
 */
#include "edit/fracture_plan.h"
#include "base/disjoint_set.h"

#include "base/hash.h"
#include "base/sort.h"
#include "math/vec3.h"
#include "sample/octant.h"

#include <math.h>

/* In finest cells, whatever the squares are: where blades meet their rims are alike. */
static const double RIM = 0.06, BEND = 0.01;

/* Lower corner and edge in finest cells; u and v follow the axis in turn. */
typedef struct face {
    int32_t axis, plane, u, v, size;
    int32_t link; /* that breaks; -1: goes with one */
} face;

typedef struct breaking {
    arena* a; /* of the result */
    arena* scratch;
    const fracture_links* links;
    uint64_t stroke;
    int32_t face_count;
    face* face;
    fracture_plan* out;
} breaking;

static void cell_box(const fracture_links* links, int32_t node, int32_t low[3], int32_t* size) {
    octant o = octant_of(links->key[node]);
    int32_t shift = links->finest - o.level;
    low[0] = o.x << shift;
    low[1] = o.y << shift;
    low[2] = o.z << shift;
    *size = 1 << shift;
}

/* The face that two cells have in common. */
static bool find_face(const fracture_links* links, int32_t i, int32_t j, face* out) {
    int32_t a[3], b[3], a_size, b_size, axis = -1;
    cell_box(links, i, a, &a_size);
    cell_box(links, j, b, &b_size);
    for (int32_t k = 0; k < 3; ++k) {
        if (a[k] + a_size == b[k] || b[k] + b_size == a[k]) {
            if (axis >= 0) {
                return false; /* over an edge or a corner */
            }
            axis = k;
        } else if (a[k] + a_size < b[k] || b[k] + b_size < a[k]) {
            return false;
        }
    }
    if (axis < 0) {
        return false;
    }
    const int32_t* small = a_size < b_size ? a : b;
    *out = (face){.axis = axis,
                  .plane = a[axis] < b[axis] ? b[axis] : a[axis],
                  .u = small[(axis + 1) % 3],
                  .v = small[(axis + 2) % 3],
                  .size = a_size < b_size ? a_size : b_size};
    return true;
}

static double excess(const fracture_links* links, int32_t i, int32_t e) {
    float one = links->limit[i], other = links->limit[links->edge_node[e]];
    return (double)links->strain[e] / (double)(one < other ? one : other);
}

static lim_result check(const fracture_links* links, int32_t most) {
    bool fine = most >= 0 && links->side > 0.0 && isfinite(links->side) &&
                p3_finite(links->corner) && links->finest >= 0 && links->finest <= OCTANT_LEVELS;
    for (int32_t i = 0; fine && i < links->node_count; ++i) {
        fine = links->limit[i] > 0.0f && (int32_t)(links->key[i] >> 58) <= links->finest;
        for (int32_t e = links->edge_offset[i]; fine && e < links->edge_offset[i + 1]; ++e) {
            fine =
                links->edge_node[e] < i || (links->strain[e] >= 0.0f && isfinite(links->strain[e]));
        }
    }
    return fine ? LIM_OK : LIM_ERROR_ARGUMENT;
}

/* The first of the links that go with one that breaks. */
static int32_t find_beside(const fracture_links* links, const int32_t node[2]) {
    int32_t low = 0, high = links->beside_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        const int32_t* at = links->beside[middle];
        if (at[0] < node[0] || (at[0] == node[0] && at[1] < node[1])) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Adds their faces, or counts them where `face` is null. */
static int32_t add_beside(const breaking* b, int32_t link, face* out) {
    const fracture_links* links = b->links;
    const int32_t* node = b->out->link[link];
    int32_t count = 0;
    for (int32_t i = find_beside(links, node); i < links->beside_count; ++i) {
        const int32_t* at = links->beside[i];
        if (at[0] != node[0] || at[1] != node[1]) {
            break;
        }
        face found;
        if (find_face(links, at[2], at[3], &found)) {
            if (out != NULL) {
                out[count] = found;
                out[count].link = -1;
            }
            count++;
        }
    }
    return count;
}

/* How many of the links there is time for: what they cut is counted, never a clock. */
static int32_t enough_of(const fracture_links* links, const sort_item* item, int32_t count) {
    int64_t sum = 0;
    for (int32_t k = 0; k < count; ++k) {
        sum += (int64_t)links->skin[item[k].extra] + links->skin[item[k].value];
        if (k > 0 && sum > links->enough) {
            return k;
        }
    }
    return count;
}

/* Links over their limits, the worst first. */
static lim_result choose_links(breaking* b, int32_t most) {
    const fracture_links* links = b->links;
    fracture_plan* out = b->out;
    face found;
    int32_t count = 0, kept = 0;
    for (int32_t i = 0; i < links->node_count; ++i) {
        for (int32_t e = links->edge_offset[i]; e < links->edge_offset[i + 1]; ++e) {
            count += links->edge_node[e] > i && excess(links, i, e) > 1.0;
        }
    }
    sort_item* item = ARENA_ARRAY(b->scratch, sort_item, count);
    sort_item* other = ARENA_ARRAY(b->scratch, sort_item, count);
    LIM_TRY_MEMORY(item);
    LIM_TRY_MEMORY(other);
    for (int32_t i = 0; i < links->node_count && count > 0; ++i) {
        for (int32_t e = links->edge_offset[i]; e < links->edge_offset[i + 1]; ++e) {
            double over = links->edge_node[e] > i ? excess(links, i, e) : 0.0;
            if (over > 1.0 && find_face(links, i, links->edge_node[e], &found)) {
                item[kept++] = (sort_item){~sort_key_double(over), links->edge_node[e], i};
            }
        }
    }
    sort_items(item, other, kept);
    out->broken = most > 0 && most < kept ? most : kept;
    out->broken =
        most > 0 && links->skin != NULL ? enough_of(links, item, out->broken) : out->broken;
    out->waiting = kept - out->broken;
    out->link = arena_alloc(b->a, (size_t)out->broken, sizeof *out->link);
    out->link_blade = ARENA_ARRAY(b->a, int32_t, out->broken);
    LIM_TRY_MEMORY(out->link);
    LIM_TRY_MEMORY(out->link_blade);
    b->face_count = out->broken;
    for (int32_t k = 0; k < out->broken; ++k) {
        out->link[k][0] = item[k].extra;
        out->link[k][1] = item[k].value;
        b->face_count += add_beside(b, k, NULL);
    }
    b->face = ARENA_ARRAY(b->scratch, face, b->face_count);
    LIM_TRY_MEMORY(b->face);
    int32_t at = out->broken;
    for (int32_t k = 0; k < out->broken; ++k) {
        find_face(links, item[k].extra, item[k].value, &b->face[k]);
        b->face[k].link = k;
        at += add_beside(b, k, b->face + at);
    }
    return LIM_OK;
}

/* Faces by plane, then along u. */
static lim_result sort_faces(breaking* b) {
    int32_t n = b->face_count;
    sort_item* item = ARENA_ARRAY(b->scratch, sort_item, n);
    sort_item* other = ARENA_ARRAY(b->scratch, sort_item, n);
    face* sorted = ARENA_ARRAY(b->scratch, face, n);
    LIM_TRY_MEMORY(item);
    LIM_TRY_MEMORY(other);
    LIM_TRY_MEMORY(sorted);
    for (int32_t i = 0; i < n; ++i) {
        const face* f = &b->face[i];
        uint64_t key = ((uint64_t)f->axis << 20 | (uint64_t)f->plane) << 20 | (uint64_t)f->u;
        item[i] = (sort_item){key << 20 | (uint64_t)f->v, i, 0};
    }
    sort_items(item, other, n);
    b->face_count = 0;
    for (int32_t i = 0; i < n; ++i) { /* one that goes with several is there once */
        const face* next = &b->face[item[i].value];
        if (next->link >= 0 || i == 0 || item[i].key != item[i - 1].key) {
            sorted[b->face_count++] = *next;
        }
    }
    b->face = sorted;
    return LIM_OK;
}

static bool same_plane(const face* a, const face* b) {
    return a->axis == b->axis && a->plane == b->plane;
}

/* Faces of a plane that touch, if only at a corner, get one set. A face that begins further along u
 * than the largest before it ends touches none of these. */
static void join_faces(const breaking* b, int32_t* set) {
    int32_t begin = 0, reach = 0;
    for (int32_t i = 0; i < b->face_count; ++i) {
        const face* f = &b->face[i];
        if (i == 0 || !same_plane(f, f - 1) || f->u > reach) {
            begin = i;
            reach = 0;
        }
        reach = f->u + f->size > reach ? f->u + f->size : reach;
        set[i] = i;
        for (int32_t k = begin; k < i; ++k) {
            const face* g = &b->face[k];
            if (g->u + g->size >= f->u && g->v <= f->v + f->size && f->v <= g->v + g->size) {
                disjoint_join(set, i, k);
            }
        }
    }
}

/* Keys of places in a grid, sorted, each once; how often each was there is in `extra`. */
typedef struct grid_keys {
    sort_item *item, *other;
    int32_t count;
} grid_keys;

static lim_result grid_keys_make(arena* a, int64_t most, grid_keys* out) {
    if (most > INT32_MAX) {
        return LIM_ERROR_MEMORY;
    }
    *out = (grid_keys){.item = ARENA_ARRAY(a, sort_item, most),
                       .other = ARENA_ARRAY(a, sort_item, most)};
    LIM_TRY_MEMORY(out->item);
    LIM_TRY_MEMORY(out->other);
    return LIM_OK;
}

static void grid_add(grid_keys* g, int32_t u, int32_t v) {
    g->item[g->count++] = (sort_item){(uint64_t)(uint32_t)v << 32 | (uint32_t)u, 0, 1};
}

static void grid_finish(grid_keys* g) {
    int32_t kept = 0;
    sort_items(g->item, g->other, g->count);
    for (int32_t i = 0; i < g->count; ++i) {
        if (kept > 0 && g->item[kept - 1].key == g->item[i].key) {
            g->item[kept - 1].extra++;
        } else {
            g->item[kept++] = (sort_item){g->item[i].key, 0, 1};
        }
    }
    g->count = kept;
}

static int32_t grid_find(const grid_keys* g, int32_t u, int32_t v) {
    uint64_t key = (uint64_t)(uint32_t)v << 32 | (uint32_t)u;
    int32_t low = 0, high = g->count - 1;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (g->item[middle].key < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Line 2i lies a rim before line i of the squares, line 2i + 1 a rim behind it. */
static double line_place(int32_t line, double rim) {
    return (double)(line >> 1) + (line & 1 ? rim : -rim);
}

/* -1 to 1, the same for the same vertex of the same stroke. */
static double shake(uint64_t* state) {
    *state = hash_mix(*state + 0x9E3779B97F4A7C15u);
    return (double)(*state >> 11) * 0x1p-52 - 1.0;
}

static lim_point vertex_place(const breaking* b, const face* plane, int32_t square, sort_item at) {
    uint64_t state =
        hash_mix(b->stroke ^
                 hash_mix(at.key ^ hash_mix((uint64_t)plane->plane * 4 + (uint64_t)plane->axis)));
    /* In the grid's cell at an outer corner a plane, as along the sides: there up to four blades
     * meet, and two of them must cross from side to side. */
    double turn = at.extra == 4 ? 1.0 : at.extra == 1 ? -3.0 : -1.0;
    double place[3], step = b->links->side * (double)square, rim = RIM / (double)square;
    double bend = BEND / (double)square * (turn + 0.03 * shake(&state));
    double u = line_place((int32_t)(uint32_t)at.key, rim) + 0.03 * rim * shake(&state);
    double v = line_place((int32_t)(at.key >> 32), rim) + 0.03 * rim * shake(&state);
    place[plane->axis] = b->links->side * (double)plane->plane + step * bend;
    place[(plane->axis + 1) % 3] = step * u;
    place[(plane->axis + 2) % 3] = step * v;
    return p3_add(b->links->corner, p3(place[0], place[1], place[2]));
}

/* The cells of the grid that the squares of a set of faces and their rims cover. Squares are
 * counted from the root's corner: faces lie at multiples of their own edges. */
static lim_result cover(const breaking* b, const int32_t* member, int32_t count, int32_t square,
                        grid_keys* out) {
    int64_t squares = 0;
    for (int32_t i = 0; i < count; ++i) {
        int64_t across = b->face[member[i]].size / square;
        squares += across * across;
    }
    LIM_TRY(grid_keys_make(b->scratch, 9 * squares, out));
    for (int32_t i = 0; i < count; ++i) {
        const face* f = &b->face[member[i]];
        int32_t u0 = f->u / square, v0 = f->v / square, across = f->size / square;
        for (int32_t k = 0; k < across * across; ++k) {
            for (int32_t m = 0; m < 9; ++m) {
                grid_add(out, 2 * (u0 + k % across) + m % 3, 2 * (v0 + k / across) + m / 3);
            }
        }
    }
    grid_finish(out);
    return LIM_OK;
}

static lim_result make_blade(const breaking* b, const int32_t* member, int32_t count,
                             cut_blade* out) {
    const face* plane = &b->face[member[0]];
    int32_t square = plane->size;
    for (int32_t i = 1; i < count; ++i) {
        int32_t size = b->face[member[i]].size;
        square = size < square ? size : square;
    }
    grid_keys cell, corner;
    LIM_TRY(cover(b, member, count, square, &cell));
    LIM_TRY(grid_keys_make(b->scratch, 4 * (int64_t)cell.count, &corner));
    for (int32_t i = 0; i < cell.count; ++i) {
        int32_t u = (int32_t)(uint32_t)cell.item[i].key, v = (int32_t)(cell.item[i].key >> 32);
        for (int32_t k = 0; k < 4; ++k) {
            grid_add(&corner, u + (k & 1), v + (k >> 1));
        }
    }
    grid_finish(&corner);
    lim_point* point = ARENA_ARRAY(b->a, lim_point, corner.count);
    int32_t* triangle = ARENA_ARRAY(b->a, int32_t, 6 * (int64_t)cell.count);
    LIM_TRY_MEMORY(point);
    LIM_TRY_MEMORY(triangle);
    for (int32_t i = 0; i < corner.count; ++i) {
        point[i] = vertex_place(b, plane, square, corner.item[i]);
    }
    for (int32_t i = 0; i < cell.count; ++i) {
        int32_t u = (int32_t)(uint32_t)cell.item[i].key, v = (int32_t)(cell.item[i].key >> 32);
        int32_t low = grid_find(&corner, u, v), high = grid_find(&corner, u, v + 1);
        int32_t* t = triangle + 6 * (size_t)i;
        t[0] = t[3] = low;
        t[1] = low + 1; /* the next along u comes next */
        t[2] = t[4] = high + 1;
        t[5] = high;
    }
    *out = (cut_blade){.point_count = corner.count,
                       .triangle_count = 2 * cell.count,
                       .point = point,
                       .triangle = triangle};
    return LIM_OK;
}

static lim_result make_blades(breaking* b) {
    int32_t n = b->face_count;
    int32_t* set = ARENA_ARRAY(b->scratch, int32_t, n);
    int32_t* number = ARENA_ARRAY(b->scratch, int32_t, n);
    int32_t* first = ARENA_ARRAY(b->scratch, int32_t, n + 2);
    int32_t* member = ARENA_ARRAY(b->scratch, int32_t, n);
    LIM_TRY_MEMORY(set);
    LIM_TRY_MEMORY(number);
    LIM_TRY_MEMORY(first);
    LIM_TRY_MEMORY(member);
    join_faces(b, set);
    int32_t count = 0;
    for (int32_t i = 0; i < n; ++i) { /* a set is named by its lowest face */
        number[i] = set[i] == i ? count++ : number[disjoint_root(set, i)];
        first[number[i] + 2]++;
        if (b->face[i].link >= 0) {
            b->out->link_blade[b->face[i].link] = number[i];
        }
    }
    for (int32_t i = 0; i < count; ++i) {
        first[i + 2] += first[i + 1];
    }
    for (int32_t i = 0; i < n; ++i) {
        member[first[number[i] + 1]++] = i;
    }
    b->out->blade = ARENA_ARRAY(b->a, cut_blade, count);
    b->out->blade_axis = ARENA_ARRAY(b->a, int32_t, count);
    LIM_TRY_MEMORY(b->out->blade);
    LIM_TRY_MEMORY(b->out->blade_axis);
    for (int32_t i = 0; i < count; ++i) {
        b->out->blade_axis[i] = b->face[member[first[i]]].axis;
        LIM_TRY(make_blade(b, member + first[i], first[i + 1] - first[i], &b->out->blade[i]));
    }
    b->out->blade_count = count;
    return LIM_OK;
}

lim_result fracture_plan_make(arena* a, const fracture_links* links, int32_t most, uint64_t stroke,
                              fracture_plan* out) {
    *out = (fracture_plan){0};
    LIM_TRY(check(links, most));
    fracture_plan found = {0};
    arena scratch;
    arena_init(&scratch, &a->host);
    breaking b = {.a = a, .scratch = &scratch, .links = links, .stroke = stroke, .out = &found};
    lim_result result = choose_links(&b, most);
    result = result == LIM_OK ? sort_faces(&b) : result;
    result = result == LIM_OK ? make_blades(&b) : result;
    arena_release(&scratch);
    if (result == LIM_OK) {
        *out = found;
    }
    return result;
}

/* Six times the volume of a part is the sum of (p - o, q - o, r - o) over its triangles; from a
 * place o in it, so that little is lost where it is near 0. */
lim_result fracture_find_crumbs(arena* a, const cut_surface* surface, const int32_t* part,
                                int32_t part_count, int32_t inner_submesh, double side,
                                uint8_t** out_crumb, int32_t* out_count) {
    uint8_t* traits = ARENA_ARRAY(a, uint8_t, part_count); /* 1: long, 2: cut, 4: skin */
    double* six = ARENA_ARRAY(a, double, part_count);
    lim_point* origin = ARENA_ARRAY(a, lim_point, part_count);
    LIM_TRY_MEMORY(traits);
    LIM_TRY_MEMORY(six);
    LIM_TRY_MEMORY(origin);
    for (int32_t t = 0; t < surface->triangle_count; ++t) {
        origin[part[t]] = surface->point[surface->triangle[3 * (size_t)t]];
    }
    for (int32_t t = 0; t < surface->triangle_count; ++t) {
        const int32_t* v = surface->triangle + 3 * (size_t)t;
        lim_point p[3], o = origin[part[t]];
        bool inner = surface->submesh != NULL && surface->submesh[t] == inner_submesh;
        for (int k = 0; k < 3; ++k) {
            p[k] = p3_sub(surface->point[v[k]], o);
            bool away = p3_length(p[k]) > 0.5 * side;
            traits[part[t]] |= (uint8_t)((away ? 1 : 0) | (inner ? 2 : 4));
        }
        six[part[t]] += p3_dot(p[0], p3_cross(p[1], p[2]));
    }
    double cell = side * side * side;
    *out_count = 0;
    for (int32_t i = 0; i < part_count; ++i) {
        /* from here on: whether it is a crumb */
        bool little = six[i] > -6e-11 * cell && six[i] < 6e-3 * cell;
        bool slit = traits[i] == 3 && six[i] < 6e-11 * cell;
        traits[i] = traits[i] == 2 || ((traits[i] & 2) != 0 && little && !slit);
        *out_count += traits[i];
    }
    *out_crumb = traits;
    return LIM_OK;
}
