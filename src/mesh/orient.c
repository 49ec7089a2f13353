/* SPDX-License-Identifier: MIT
 * Job: edges, parts and sides. In: triangles over points. Out: edge counts, connected parts with
 * their volumes, and corners in an order that makes solids positive. Over edges with exactly two
 * triangles the sides are spread by breadth-first search, and the side with more area wins; then
 * whole parts are turned by the sign of their volume and by which part lies in which
 * (mesh/nesting.c). Of twins (a triangle and its back side) the second is turned like the first
 * where the part is closed without it (a double wall of a solid), and against it where it is not (a
 * sheet with two faces, whose winding numbers then cancel, so that it is thickened as a sheet).
 */
#include "base/disjoint_set.h"
#include "base/sort.h"
#include "mesh/clean.h"

#include <string.h>

/* A volume below this share of area^1.5 is none (a sphere has 0.094, a plate of 1:10^4 3e-5); an
 * open part is turned only when it is clearly a vessel. */
#define VOLUME_SHARE      1e-6
#define OPEN_VOLUME_SHARE 1e-3

typedef struct orienting {
    cleaning* c;
    int32_t edge_count; /* half-edges of first twins and single triangles, sorted by edge */
    sort_item* edge;    /* value: 3 * triangle + corner */
    int32_t* across;    /* per half-edge: the one on the other side of a two-triangle edge, or -1 */
    uint8_t* balanced;  /* per part, without second twins */
} orienting;

static bool runs_up(const cleaning* c, int32_t half_edge) {
    int32_t next = half_edge % 3 == 2 ? half_edge - 2 : half_edge + 1;
    return c->corner[half_edge] < c->corner[next];
}

static lim_result find_edges(orienting* o) {
    cleaning* c = o->c;
    size_t most = 3 * (size_t)c->triangle_count;
    o->edge = ARENA_ARRAY(&c->scratch, sort_item, most);
    sort_item* other = ARENA_ARRAY(&c->scratch, sort_item, most);
    o->across = ARENA_ARRAY(&c->scratch, int32_t, most);
    LIM_TRY_MEMORY(o->edge);
    LIM_TRY_MEMORY(other);
    LIM_TRY_MEMORY(o->across);
    for (int32_t h = 0; h < 3 * c->triangle_count; ++h) {
        o->across[h] = -1;
        if (c->twin[h / 3] < 0) {
            int32_t a = c->corner[h], b = c->corner[h % 3 == 2 ? h - 2 : h + 1];
            uint64_t low = (uint64_t)(a < b ? a : b), high = (uint64_t)(a < b ? b : a);
            o->edge[o->edge_count++] = (sort_item){.key = low << 32 | high, .value = h};
        }
    }
    sort_items(o->edge, other, o->edge_count);
    for (int32_t i = 0, end; i < o->edge_count; i = end) {
        for (end = i + 1; end < o->edge_count && o->edge[end].key == o->edge[i].key; ++end) {
        }
        if (end - i == 2) {
            o->across[o->edge[i].value] = o->edge[i + 1].value;
            o->across[o->edge[i + 1].value] = o->edge[i].value;
        }
        c->mesh->report.open_edges += end - i == 1;
        c->mesh->report.non_manifold_edges += end - i > 2;
    }
    return LIM_OK;
}

/* Parts are connected over shared points, numbered by their first triangle. */
static lim_result find_parts(orienting* o) {
    cleaning* c = o->c;
    lim_mesh* mesh = c->mesh;
    int32_t* parent = ARENA_ARRAY(&c->scratch, int32_t, mesh->point_count);
    int32_t* number = ARENA_ARRAY(&c->scratch, int32_t, mesh->point_count);
    mesh->triangle_part = ARENA_ARRAY(&mesh->mem, int32_t, c->triangle_count);
    LIM_TRY_MEMORY(parent);
    LIM_TRY_MEMORY(number);
    LIM_TRY_MEMORY(mesh->triangle_part);
    disjoint_init(parent, mesh->point_count);
    for (int32_t t = 0; t < c->triangle_count; ++t) {
        disjoint_join(parent, c->corner[3 * t], c->corner[3 * t + 1]);
        disjoint_join(parent, c->corner[3 * t], c->corner[3 * t + 2]);
    }
    for (int32_t t = 0; t < c->triangle_count; ++t) {
        int32_t root = disjoint_root(parent, c->corner[3 * t]);
        if (number[root] == 0) {
            number[root] = ++mesh->report.parts;
        }
        mesh->triangle_part[t] = number[root] - 1;
    }
    mesh->part_closed = ARENA_ARRAY(&mesh->mem, uint8_t, mesh->report.parts);
    mesh->part_volume = ARENA_ARRAY(&mesh->mem, double, mesh->report.parts);
    mesh->part_area = ARENA_ARRAY(&mesh->mem, double, mesh->report.parts);
    o->balanced = ARENA_ARRAY(&c->scratch, uint8_t, mesh->report.parts);
    LIM_TRY_MEMORY(mesh->part_closed);
    LIM_TRY_MEMORY(mesh->part_volume);
    LIM_TRY_MEMORY(mesh->part_area);
    LIM_TRY_MEMORY(o->balanced);
    return LIM_OK;
}

static void turn(cleaning* c, int32_t t) {
    int32_t swap = c->corner[3 * t + 1];
    c->corner[3 * t + 1] = c->corner[3 * t + 2];
    c->corner[3 * t + 2] = swap;
}

/* Spreads sides over two-triangle edges; in each patch the sides of most area stay as they were. */
static lim_result make_consistent(orienting* o) {
    cleaning* c = o->c;
    int32_t* queue = ARENA_ARRAY(&c->scratch, int32_t, c->triangle_count);
    uint8_t* flip = ARENA_ARRAY(&c->scratch, uint8_t, c->triangle_count); /* 0 unseen, 1 as is, 2 */
    uint8_t* turned = ARENA_ARRAY(&c->scratch, uint8_t, c->triangle_count);
    LIM_TRY_MEMORY(queue);
    LIM_TRY_MEMORY(flip);
    LIM_TRY_MEMORY(turned);
    for (int32_t seed = 0; seed < c->triangle_count; ++seed) {
        if (flip[seed] != 0 || c->twin[seed] >= 0) {
            continue;
        }
        int32_t count = 1;
        double area[3] = {0};
        queue[0] = seed;
        flip[seed] = 1;
        for (int32_t i = 0; i < count; ++i) {
            int32_t t = queue[i];
            area[flip[t]] += c->area[t];
            for (int k = 0; k < 3; ++k) {
                int32_t other = o->across[3 * t + k];
                if (other >= 0 && flip[other / 3] == 0) {
                    bool same = runs_up(c, 3 * t + k) == runs_up(c, other);
                    flip[other / 3] = (uint8_t)(same ? 3 - flip[t] : flip[t]);
                    queue[count++] = other / 3;
                }
            }
        }
        uint8_t turn_these = area[2] > area[1] ? 1 : 2;
        for (int32_t i = 0; i < count; ++i) {
            if (flip[queue[i]] == turn_these) {
                turned[queue[i]] = 1;
            }
        }
    }
    /* Turning is put off to here: runs_up above looks at the corners as they came. Edge keys do not
     * change, but which corner a half-edge starts from does: across[] is not used any more. */
    for (int32_t t = 0; t < c->triangle_count; ++t) {
        if (turned[t]) {
            turn(c, t);
        }
    }
    return LIM_OK;
}

/* A part is balanced when each of its edges is run along as often one way as the other. Triangles
 * with skip[t] set do not count. */
static void find_balance(const orienting* o, const uint8_t* skip, uint8_t* balanced) {
    const cleaning* c = o->c;
    memset(balanced, 1, (size_t)c->mesh->report.parts);
    for (int32_t i = 0, end; i < o->edge_count; i = end) {
        int32_t sum = 0;
        int32_t low = (int32_t)(o->edge[i].key >> 32), high = (int32_t)o->edge[i].key;
        for (end = i; end < o->edge_count && o->edge[end].key == o->edge[i].key; ++end) {
            int32_t t = o->edge[end].value / 3;
            const int32_t* p = c->corner + 3 * (size_t)t;
            bool up = (p[0] == low && p[1] == high) || (p[1] == low && p[2] == high) ||
                      (p[2] == low && p[0] == high);
            sum += skip != NULL && skip[t] ? 0 : up ? 1 : -1;
        }
        if (sum != 0) {
            balanced[c->mesh->triangle_part[o->edge[i].value / 3]] = 0;
        }
    }
}

/* Volumes about each part's own centre of area: no place matters for closed parts, and for open
 * ones a sheet comes out near zero and a vessel with its sign. */
static lim_result find_volumes(orienting* o) {
    cleaning* c = o->c;
    lim_mesh* mesh = c->mesh;
    lim_point* centre = ARENA_ARRAY(&c->scratch, lim_point, mesh->report.parts);
    LIM_TRY_MEMORY(centre);
    for (int32_t t = 0; t < c->triangle_count; ++t) {
        if (c->twin[t] < 0) {
            int32_t part = mesh->triangle_part[t];
            mesh->part_area[part] += c->area[t];
            for (int k = 0; k < 3; ++k) {
                lim_point corner = c->exact[c->corner[3 * t + k]];
                centre[part] = p3_mad(centre[part], corner, c->area[t] / 3.0);
            }
        }
    }
    for (int32_t part = 0; part < mesh->report.parts; ++part) {
        double area = mesh->part_area[part];
        centre[part] = p3_scale(centre[part], area > 0.0 ? 1.0 / area : 0.0);
    }
    for (int32_t t = 0; t < c->triangle_count; ++t) {
        if (c->twin[t] < 0) {
            int32_t part = mesh->triangle_part[t];
            lim_point p[3];
            for (int k = 0; k < 3; ++k) {
                p[k] = p3_sub(c->exact[c->corner[3 * t + k]], centre[part]);
            }
            mesh->part_volume[part] += p3_dot(p[0], p3_cross(p[1], p[2])) / 6.0;
        }
    }
    return LIM_OK;
}

static lim_result turn_parts(orienting* o) {
    cleaning* c = o->c;
    lim_mesh* mesh = c->mesh;
    int32_t* sign = ARENA_ARRAY(&c->scratch, int32_t, mesh->report.parts);
    uint8_t* part_turned = ARENA_ARRAY(&c->scratch, uint8_t, mesh->report.parts);
    LIM_TRY_MEMORY(sign);
    LIM_TRY_MEMORY(part_turned);
    for (int32_t part = 0; part < mesh->report.parts; ++part) {
        double scale = mesh->part_area[part] * sqrt(mesh->part_area[part]);
        bool some = fabs(mesh->part_volume[part]) > VOLUME_SHARE * scale;
        sign[part] = o->balanced[part] && some ? (mesh->part_volume[part] > 0.0 ? 1 : -1) : 0;
    }
    LIM_TRY(clean_nesting(c, sign));
    for (int32_t part = 0; part < mesh->report.parts; ++part) {
        double scale = mesh->part_area[part] * sqrt(mesh->part_area[part]);
        bool inverted = o->balanced[part] ? (double)sign[part] * mesh->part_volume[part] < 0.0
                                          : mesh->part_volume[part] < -OPEN_VOLUME_SHARE * scale;
        if (inverted) {
            part_turned[part] = 1;
            mesh->part_volume[part] = -mesh->part_volume[part];
            mesh->report.parts_flipped++;
        }
    }
    for (int32_t t = 0; t < c->triangle_count; ++t) {
        if (part_turned[mesh->triangle_part[t]] && c->twin[t] < 0) {
            turn(c, t);
        }
    }
    return LIM_OK;
}

/* Second twins follow their partners; then it is known which parts are closed. */
static lim_result turn_twins(orienting* o) {
    cleaning* c = o->c;
    lim_mesh* mesh = c->mesh;
    uint8_t* cancelled = ARENA_ARRAY(&c->scratch, uint8_t, c->triangle_count);
    LIM_TRY_MEMORY(cancelled);
    for (int32_t t = 0; t < c->triangle_count; ++t) {
        int32_t partner = c->twin[t];
        if (partner >= 0) {
            bool alike = o->balanced[mesh->triangle_part[t]];
            cancelled[partner] = !alike;
            const int32_t* p = c->corner + 3 * (size_t)partner;
            int32_t want[3] = {p[0], alike ? p[1] : p[2], alike ? p[2] : p[1]};
            memcpy(c->corner + 3 * (size_t)t, want, sizeof want);
        }
    }
    find_balance(o, cancelled, mesh->part_closed);
    for (int32_t part = 0; part < mesh->report.parts; ++part) {
        if (mesh->part_closed[part] && !o->balanced[part]) {
            mesh->part_volume[part] = 0.0; /* a sheet with two faces encloses nothing */
        }
    }
    return LIM_OK;
}

static void fill_report(const orienting* o) {
    lim_mesh* mesh = o->c->mesh;
    mesh->report.closed = mesh->report.open_edges == 0;
    double area = 0.0, volume = 0.0;
    for (int32_t part = 0; part < mesh->report.parts; ++part) {
        mesh->report.closed = mesh->report.closed && o->balanced[part];
        area += mesh->part_area[part];
        volume += mesh->part_volume[part];
    }
    mesh->report.area = area * mesh->size * mesh->size;
    mesh->report.volume = volume * mesh->size * mesh->size * mesh->size;
}

lim_result clean_orient(cleaning* c) {
    orienting o = {.c = c};
    LIM_TRY(find_edges(&o));
    LIM_TRY(find_parts(&o));
    LIM_TRY(make_consistent(&o));
    find_balance(&o, NULL, o.balanced);
    LIM_TRY(find_volumes(&o));
    LIM_TRY(turn_parts(&o));
    LIM_TRY(turn_twins(&o));
    fill_report(&o);
    return LIM_OK;
}
