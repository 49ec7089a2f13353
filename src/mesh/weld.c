/* SPDX-License-Identifier: MIT
 * Job: vertices become points. In: kept triangles over vertices. Out: triangles over welded points
 * in unit space, without duplicates, with twins (same points, opposite sides) marked.
 * Two steps: vertices at exactly one place are one site; then sites on open edges (edges with one
 * triangle, where a crack may be) within the weld distance of each other are one point, unless a
 * triangle would lose a corner by it. So fine detail and needles stay, and cracks close.
 */
#include "base/array.h"
#include "base/hash.h"
#include "base/sort.h"
#include "mesh/clean.h"

#include <string.h>

typedef struct welding {
    cleaning* c;
    int32_t site_count;
    int32_t* vertex_site; /* per vertex, -1 when unused */
    int32_t* site_vertex; /* first vertex of a site */
    uint8_t* site_open;   /* lies on an open edge */
    int32_t *first, *use; /* CSR: site -> triangles */
    int32_t* site_point;
    lim_point origin; /* of a first unit space */
    double size;
} welding;

static uint64_t hash_point(lim_point p) {
    double v[3] = {p.x + 0.0, p.y + 0.0, p.z + 0.0}; /* -0 becomes 0 */
    return hash_bytes(HASH_SEED, v, sizeof v);
}

static size_t table_size(int32_t count) {
    size_t size = 16;
    while (size < 2 * (size_t)count) {
        size *= 2;
    }
    return size;
}

static bool same_place(lim_point a, lim_point b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static lim_result find_sites(welding* w) {
    cleaning* c = w->c;
    const lim_point* position = c->mesh->position;
    int32_t vertices = c->desc->vertex_count;
    size_t size = table_size(vertices);
    int32_t* table = ARENA_ARRAY(&c->scratch, int32_t, size);
    w->vertex_site = ARENA_ARRAY(&c->scratch, int32_t, vertices);
    w->site_vertex = ARENA_ARRAY(&c->scratch, int32_t, vertices);
    LIM_TRY_MEMORY(table);
    LIM_TRY_MEMORY(w->vertex_site);
    LIM_TRY_MEMORY(w->site_vertex);
    memset(w->vertex_site, 0xFF, (size_t)vertices * sizeof(int32_t));
    for (int32_t i = 0; i < 3 * c->triangle_count; ++i) {
        w->vertex_site[c->corner[i]] = 0;
    }
    for (int32_t v = 0; v < vertices; ++v) {
        if (w->vertex_site[v] < 0) {
            continue;
        }
        size_t slot = hash_point(position[v]) & (size - 1);
        while (table[slot] != 0 &&
               !same_place(position[w->site_vertex[table[slot] - 1]], position[v])) {
            slot = (slot + 1) & (size - 1);
        }
        if (table[slot] == 0) {
            w->site_vertex[w->site_count++] = v;
            table[slot] = w->site_count;
        }
        w->vertex_site[v] = table[slot] - 1;
    }
    for (int32_t i = 0; i < 3 * c->triangle_count; ++i) {
        c->corner[i] = w->vertex_site[c->corner[i]];
    }
    return LIM_OK;
}

/* Bounds of what the kept triangles use give unit space. */
static void find_unit_space(const cleaning* c, const int32_t* owner, lim_point* origin,
                            double* size) {
    lim_point lower = c->mesh->position[owner[c->corner[0]]], upper = lower;
    for (int32_t i = 1; i < 3 * c->triangle_count; ++i) {
        lower = p3_min(lower, c->mesh->position[owner[c->corner[i]]]);
        upper = p3_max(upper, c->mesh->position[owner[c->corner[i]]]);
    }
    lim_point side = p3_sub(upper, lower);
    *size = side.x > side.y ? side.x : side.y;
    *size = *size > side.z ? *size : side.z;
    *origin = p3_mad(lower, side, 0.5);
    c->mesh->report.bounds = (lim_box){lower, upper};
}

/* Size is at least the edge of a triangle with an area; dividing (not multiplying by 1 / size)
 * keeps denormal sizes finite. */
static lim_point to_unit(lim_point p, lim_point origin, double size) {
    return p3((p.x - origin.x) / size, (p.y - origin.y) / size, (p.z - origin.z) / size);
}

static lim_result find_open_sites(welding* w) {
    cleaning* c = w->c;
    int32_t edges = 3 * c->triangle_count;
    sort_item* item = ARENA_ARRAY(&c->scratch, sort_item, edges);
    sort_item* other = ARENA_ARRAY(&c->scratch, sort_item, edges);
    w->site_open = ARENA_ARRAY(&c->scratch, uint8_t, w->site_count);
    LIM_TRY_MEMORY(item);
    LIM_TRY_MEMORY(other);
    LIM_TRY_MEMORY(w->site_open);
    for (int32_t i = 0; i < edges; ++i) {
        int32_t a = c->corner[i], b = c->corner[i % 3 == 2 ? i - 2 : i + 1];
        item[i] = (sort_item){.key = (uint64_t)(a < b ? a : b) << 32 | (uint64_t)(a < b ? b : a)};
    }
    sort_items(item, other, edges);
    for (int32_t i = 0; i < edges; ++i) {
        bool alone = (i == 0 || item[i - 1].key != item[i].key) &&
                     (i + 1 == edges || item[i + 1].key != item[i].key);
        if (alone) {
            w->site_open[item[i].key >> 32] = 1;
            w->site_open[item[i].key & 0xFFFFFFFFu] = 1;
        }
    }
    return LIM_OK;
}

static lim_result find_uses(welding* w) {
    cleaning* c = w->c;
    w->first = ARENA_ARRAY(&c->scratch, int32_t, w->site_count + 1);
    w->use = ARENA_ARRAY(&c->scratch, int32_t, 3 * (size_t)c->triangle_count);
    LIM_TRY_MEMORY(w->first);
    LIM_TRY_MEMORY(w->use);
    for (int32_t i = 0; i < 3 * c->triangle_count; ++i) {
        w->first[c->corner[i] + 1]++;
    }
    for (int32_t s = 0; s < w->site_count; ++s) {
        w->first[s + 1] += w->first[s];
    }
    /* Filling moves each start to its end, which is the start of the next: shift back after. */
    for (int32_t i = 0; i < 3 * c->triangle_count; ++i) {
        w->use[w->first[c->corner[i]]++] = i / 3;
    }
    memmove(w->first + 1, w->first, (size_t)w->site_count * sizeof(int32_t));
    w->first[0] = 0;
    return LIM_OK;
}

/* Would joining `site` to a point give a triangle the same corner twice? */
static bool would_collapse(const welding* w, int32_t site, int32_t point) {
    for (int32_t i = w->first[site]; i < w->first[site + 1]; ++i) {
        const int32_t* corner = w->c->corner + 3 * (size_t)w->use[i];
        for (int k = 0; k < 3; ++k) {
            if (corner[k] != site && w->site_point[corner[k]] == point) {
                return true;
            }
        }
    }
    return false;
}

typedef struct weld_grid {
    double step;
    size_t size;
    int32_t* head; /* per bucket: site + 1 */
    int32_t* next; /* per site: next site + 1 */
} weld_grid;

static size_t bucket_of(const weld_grid* g, double x, double y, double z) {
    uint64_t h = hash_u64(HASH_SEED, (uint64_t)(int64_t)x);
    h = hash_u64(h, (uint64_t)(int64_t)y);
    return hash_u64(h, (uint64_t)(int64_t)z) & (g->size - 1);
}

/* Nearest site in the 27 cells around that may be joined; -1: none. Sites in a bucket may come from
 * other cells: the distance decides. */
static int32_t nearest_site(const welding* w, const weld_grid* g, int32_t site, lim_point at,
                            const lim_point* unit) {
    double best = g->step * g->step;
    int32_t found = -1;
    double cx = floor(at.x / g->step), cy = floor(at.y / g->step), cz = floor(at.z / g->step);
    for (int i = 0; i < 27; ++i) {
        size_t bucket = bucket_of(g, cx + i % 3 - 1, cy + i / 3 % 3 - 1, cz + i / 9 - 1);
        for (int32_t s = g->head[bucket]; s != 0; s = g->next[s - 1]) {
            lim_point d = p3_sub(unit[s - 1], at);
            double distance = p3_dot(d, d);
            bool nearer = distance < best || (distance == best && (found < 0 || s - 1 < found));
            if (nearer && !would_collapse(w, site, w->site_point[s - 1])) {
                best = distance;
                found = s - 1;
            }
        }
    }
    return found;
}

static lim_result join_sites(welding* w) {
    cleaning* c = w->c;
    weld_grid g = {.size = table_size(w->site_count)};
    lim_point* unit = ARENA_ARRAY(&c->scratch, lim_point, w->site_count);
    g.head = ARENA_ARRAY(&c->scratch, int32_t, g.size);
    g.next = ARENA_ARRAY(&c->scratch, int32_t, w->site_count);
    w->site_point = ARENA_ARRAY(&c->scratch, int32_t, w->site_count);
    LIM_TRY_MEMORY(unit);
    LIM_TRY_MEMORY(g.head);
    LIM_TRY_MEMORY(g.next);
    LIM_TRY_MEMORY(w->site_point);
    lim_point diagonal = p3_sub(c->mesh->report.bounds.upper, c->mesh->report.bounds.lower);
    diagonal = to_unit(diagonal, p3(0, 0, 0), w->size);
    g.step = (double)c->desc->weld_distance * p3_length(diagonal);
    for (int32_t s = 0; s < w->site_count; ++s) {
        unit[s] = to_unit(c->mesh->position[w->site_vertex[s]], w->origin, w->size);
        w->site_point[s] = -1;
    }
    bool weld = g.step > 1e-12; /* less is below the rounding of unit space */
    for (int32_t s = 0; s < w->site_count; ++s) {
        if (!weld || !w->site_open[s]) {
            w->site_point[s] = s;
            continue;
        }
        int32_t near = nearest_site(w, &g, s, unit[s], unit);
        if (near >= 0) {
            w->site_point[s] = w->site_point[near];
            continue;
        }
        w->site_point[s] = s;
        size_t bucket = bucket_of(&g, floor(unit[s].x / g.step), floor(unit[s].y / g.step),
                                  floor(unit[s].z / g.step));
        g.next[s] = g.head[bucket];
        g.head[bucket] = s + 1;
    }
    for (int32_t i = 0; i < 3 * c->triangle_count; ++i) {
        c->corner[i] = w->site_point[c->corner[i]];
    }
    return LIM_OK;
}

/* Corners in ascending order; true when that is an odd permutation. */
static bool sort_corners(const int32_t corner[3], int32_t out[3]) {
    bool odd = false;
    memcpy(out, corner, 3 * sizeof(int32_t));
    for (int pass = 0; pass < 3; ++pass) {
        int k = pass == 1 ? 1 : 0;
        if (out[k] > out[k + 1]) {
            int32_t swap = out[k];
            out[k] = out[k + 1];
            out[k + 1] = swap;
            odd = !odd;
        }
    }
    return odd;
}

/* Of triangles over the same points the first of each side stays; the two sides are twins. */
static lim_result drop_duplicates(cleaning* c) {
    int32_t n = c->triangle_count;
    sort_item* item = ARENA_ARRAY(&c->scratch, sort_item, n);
    sort_item* other = ARENA_ARRAY(&c->scratch, sort_item, n);
    int32_t* twin = ARENA_ARRAY(&c->scratch, int32_t, n);
    LIM_TRY_MEMORY(item);
    LIM_TRY_MEMORY(other);
    LIM_TRY_MEMORY(twin);
    for (int32_t t = 0; t < n; ++t) {
        int32_t p[3];
        sort_corners(c->corner + 3 * (size_t)t, p);
        item[t] = (sort_item){.key = (uint64_t)p[1] << 32 | (uint64_t)p[2], .value = t};
        twin[t] = -1;
    }
    sort_items(item, other, n);
    for (int32_t i = 0; i < n; ++i) {
        int32_t p[3];
        sort_corners(c->corner + 3 * (size_t)item[i].value, p);
        item[i].key = (uint64_t)p[0];
    }
    sort_items(item, other, n);
    int32_t group[3] = {-1, -1, -1}, kept[2] = {-1, -1};
    for (int32_t i = 0; i < n; ++i) {
        int32_t p[3], t = item[i].value;
        int side = sort_corners(c->corner + 3 * (size_t)t, p) ? 1 : 0;
        if (memcmp(p, group, sizeof p) != 0) {
            memcpy(group, p, sizeof p);
            kept[0] = kept[1] = -1;
        }
        if (kept[side] >= 0) {
            twin[t] = -2; /* dropped */
            c->mesh->report.dropped_duplicate++;
        } else {
            kept[side] = t;
            twin[t] = kept[1 - side];
        }
    }
    /* Close the ranks; twins are renamed through `renamed`. */
    int32_t* renamed = ARENA_ARRAY(&c->scratch, int32_t, n);
    LIM_TRY_MEMORY(renamed);
    int32_t count = 0;
    for (int32_t t = 0; t < n; ++t) {
        if (twin[t] == -2) {
            continue;
        }
        renamed[t] = count;
        c->triangle[count] = c->triangle[t];
        memmove(c->corner + 3 * (size_t)count, c->corner + 3 * (size_t)t, 3 * sizeof(int32_t));
        twin[count] = twin[t] >= 0 ? renamed[twin[t]] : -1;
        count++;
    }
    c->triangle_count = count;
    c->twin = twin;
    return LIM_OK;
}

/* Points get numbers in order of first vertex; unused vertices have none. */
static lim_result number_points(welding* w) {
    cleaning* c = w->c;
    lim_mesh* mesh = c->mesh;
    int32_t* number = ARENA_ARRAY(&c->scratch, int32_t, w->site_count);
    c->point_owner = ARENA_ARRAY(&c->scratch, int32_t, w->site_count);
    uint8_t* used = ARENA_ARRAY(&c->scratch, uint8_t, c->desc->vertex_count);
    mesh->vertex_point = ARENA_ARRAY(&mesh->mem, int32_t, c->desc->vertex_count);
    LIM_TRY_MEMORY(number);
    LIM_TRY_MEMORY(c->point_owner);
    LIM_TRY_MEMORY(used);
    LIM_TRY_MEMORY(mesh->vertex_point);
    for (int32_t i = 0; i < 3 * c->triangle_count; ++i) {
        number[c->corner[i]] = 1;
        used[c->desc->indices[3 * (size_t)c->triangle[i / 3] + (size_t)(i % 3)]] = 1;
    }
    for (int32_t s = 0; s < w->site_count; ++s) {
        if (number[s] != 0) {
            number[s] = mesh->point_count;
            c->point_owner[mesh->point_count++] = w->site_vertex[s];
        }
    }
    for (int32_t i = 0; i < 3 * c->triangle_count; ++i) {
        c->corner[i] = number[c->corner[i]];
    }
    for (int32_t v = 0; v < c->desc->vertex_count; ++v) {
        mesh->vertex_point[v] = used[v] ? number[w->site_point[w->vertex_site[v]]] : -1;
        mesh->report.vertices_unused += !used[v];
    }
    mesh->report.points = mesh->point_count;
    return LIM_OK;
}

static lim_result place_points(cleaning* c) {
    lim_mesh* mesh = c->mesh;
    find_unit_space(c, c->point_owner, &mesh->origin, &mesh->size);
    mesh->point = ARENA_ARRAY(&mesh->mem, lim_vec3, mesh->point_count);
    c->exact = ARENA_ARRAY(&c->scratch, lim_point, mesh->point_count);
    c->area = ARENA_ARRAY(&c->scratch, double, c->triangle_count);
    LIM_TRY_MEMORY(mesh->point);
    LIM_TRY_MEMORY(c->exact);
    LIM_TRY_MEMORY(c->area);
    for (int32_t i = 0; i < mesh->point_count; ++i) {
        c->exact[i] = to_unit(mesh->position[c->point_owner[i]], mesh->origin, mesh->size);
        mesh->point[i] = v3_of(c->exact[i]);
    }
    for (int32_t t = 0; t < c->triangle_count; ++t) {
        const int32_t* p = c->corner + 3 * (size_t)t;
        lim_point a = p3_sub(c->exact[p[1]], c->exact[p[0]]);
        lim_point b = p3_sub(c->exact[p[2]], c->exact[p[0]]);
        c->area[t] = 0.5 * p3_length(p3_cross(a, b));
    }
    for (int32_t v = 0; v < c->desc->vertex_count; ++v) {
        mesh->position[v] = p3_finite(mesh->position[v]) ? mesh->position[v] : mesh->origin;
    }
    return LIM_OK;
}

lim_result clean_weld(cleaning* c) {
    welding w = {.c = c};
    LIM_TRY(find_sites(&w));
    find_unit_space(c, w.site_vertex, &w.origin, &w.size);
    LIM_TRY(find_open_sites(&w));
    LIM_TRY(find_uses(&w));
    LIM_TRY(join_sites(&w));
    LIM_TRY(drop_duplicates(c));
    LIM_TRY(number_points(&w));
    return place_points(c);
}
