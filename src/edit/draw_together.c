/* SPDX-License-Identifier: MIT
 * Job: draw points together. In: a surface after a cut, the fragment of each point. Out: the same
 * with fewer triangles. A point goes to a neighbour (p to q: the two triangles of the edge p q go,
 * the others of p get q) when
 *
 *   - all points at its place go with it, each to a neighbour of its own at one place: the two
 *     faces of a crack lie on each other, and stay so to the last bit;
 *   - p and q lie on one fragment, or q on one that hangs together with those of all about p: what
 *     the corners of a triangle follow stays in one piece;
 *   - p and q have just the two neighbours in common that the edge's triangles have (the surface
 *     stays closed, and of the same kind);
 *   - no triangle turns but low ones, becomes a sliver, leaves p by more than a bound, or passes
 *     through another one about it (edit/draw_cross.c): no blade would find a sound cut there;
 *   - its part of the surface is larger than the ways that points go;
 *   - the end of a crack inside keeps its shape: later blades cross it there to go on
 *     (edit/fracture_plan.c). Only along it, where it is straight, points go.
 */
#include "edit/draw_together.h"

#include "base/hash.h"
#include "base/sort.h"
#include "cut/cut.h"
#include "edit/cut_faces.h"
#include "edit/draw_work.h"

#include <string.h>

static const double REACH = 0.5; /* as far as a point goes, in finest cells */
static const double SMALL = 0.1; /* parts that hold less stay as they are; cells cubed */

enum { ROUNDS = 12 };

static void go(drawing* d, const fan* p) {
    fan q;
    uint32_t become[FAN];
    draw_gather(d, p->to, &q);
    for (int32_t i = 0; i < p->count && d->vertex != NULL; ++i) {
        become[i] = d->vertex[p->half[i]];
        if (!draw_has_corner(d, p->half[i], p->to)) {
            draw_vertex(d, p, &q, d->vertex[p->half[i]], &become[i]);
        }
    }
    for (int32_t i = 0; i < p->count; ++i) {
        int32_t h = p->half[i];
        if (draw_has_corner(d, h, p->to)) {
            d->gone[h / 3] = 1;
            continue;
        }
        d->corner[h] = p->to;
        if (d->vertex != NULL) {
            d->vertex[h] = become[i];
        }
        d->next[h] = d->head[p->to];
        d->head[p->to] = h;
    }
    d->head[p->point] = -1;
    draw_ask(d, p->to);
}

/* Draws the points of a place to the nearest one that they may go to. */
static bool draw(drawing* d, int32_t place) {
    sheets s;
    bool closed = false;
    for (int32_t p = place; p >= 0; p = d->mate[p]) {
        while (draw_close(d, p)) {
            closed = true;
        }
    }
    if (closed) {
        return true; /* and asked again */
    }
    if (!draw_sheets(d, place, &s)) {
        return false;
    }
    const fan* f = &s.of[0];
    lim_point p = draw_at(d, f->point);
    double most = REACH * d->side, last = -1.0;
    int32_t last_place = -1;
    for (int32_t tried = 0; tried < f->count; ++tried) {
        int32_t best = -1;
        double least = most;
        for (int32_t i = 0; i < f->count; ++i) {
            int32_t to = d->place[d->corner[draw_after(f->half[i])]];
            double far = p3_length(p3_sub(draw_at(d, to), p));
            bool later = far > last || (far == last && to > last_place);
            if (later && (far < least || (far == least && best >= 0 && to < best))) {
                least = far;
                best = to;
            }
        }
        if (best < 0) {
            return false;
        }
        if (draw_may_go(d, &s, best)) {
            for (int32_t i = 0; i < s.count; ++i) {
                go(d, &s.of[i]);
            }
            return true;
        }
        last = least;
        last_place = best;
    }
    return false;
}

static void draw_all(drawing* d) {
    bool going = true;
    for (int32_t round = 0; round < ROUNDS && going; ++round) {
        going = false;
        for (int32_t p = 0; p < d->points; ++p) {
            if (d->ask[p]) {
                d->ask[p] = 0;
                going |= draw(d, p);
            }
        }
    }
}

/* ---- a surface ----------------------------------------------------------------------------------
 */

static uint64_t place_key(lim_point p) {
    uint64_t h = hash_mix(sort_key_double(p.x));
    h = hash_mix(h ^ sort_key_double(p.y));
    return hash_mix(h ^ sort_key_double(p.z));
}

/* Points at one place: those that cuts have made. */
static lim_result find_places(drawing* d) {
    d->place = ARENA_ROOM(d->mem, int32_t, d->points);
    d->mate = ARENA_ROOM(d->mem, int32_t, d->points);
    sort_item* item = ARENA_ROOM(d->mem, sort_item, d->points);
    sort_item* spare = ARENA_ROOM(d->mem, sort_item, d->points);
    LIM_TRY_MEMORY(d->place);
    LIM_TRY_MEMORY(d->mate);
    LIM_TRY_MEMORY(item);
    LIM_TRY_MEMORY(spare);
    int32_t count = 0;
    for (int32_t p = 0; p < d->points; ++p) {
        d->place[p] = p;
        d->mate[p] = -1;
        if (d->head[p] >= 0 && !d->fixed[p]) {
            item[count++] = (sort_item){place_key(draw_at(d, p)), p, 0};
        }
    }
    sort_items(item, spare, count);
    for (int32_t i = 1; i < count; ++i) {
        int32_t one = item[i - 1].value, two = item[i].value;
        lim_point a = draw_at(d, one), b = draw_at(d, two);
        if (item[i].key == item[i - 1].key && a.x == b.x && a.y == b.y && a.z == b.z) {
            d->place[two] = d->place[one];
            d->mate[one] = two;
        }
    }
    return LIM_OK;
}

static lim_result link_triangles(drawing* d) {
    d->gone = ARENA_ARRAY(d->mem, uint8_t, d->count);
    d->head = ARENA_ROOM(d->mem, int32_t, d->points);
    d->next = ARENA_ROOM(d->mem, int32_t, 3 * (size_t)d->count);
    d->ask = ARENA_ARRAY(d->mem, uint8_t, d->points);
    LIM_TRY_MEMORY(d->gone);
    LIM_TRY_MEMORY(d->head);
    LIM_TRY_MEMORY(d->next);
    LIM_TRY_MEMORY(d->ask);
    memset(d->head, 0xff, (size_t)d->points * sizeof(int32_t));
    for (int32_t h = 3 * d->count - 1; h >= 0; --h) {
        d->next[h] = d->head[d->corner[h]];
        d->head[d->corner[h]] = h;
    }
    return LIM_OK;
}

/* A part that is smaller than the ways points go could vanish, and its material would have no
 * skin. */
static lim_result hold_small_parts(drawing* d) {
    int32_t* part = ARENA_ROOM(d->mem, int32_t, d->count);
    int32_t count;
    LIM_TRY_MEMORY(part);
    LIM_TRY(cut_parts(d->mem, d->points, d->corner, d->count, part, &count));
    double* volume = ARENA_ARRAY(d->mem, double, count); /* 6 times */
    int32_t* first = ARENA_ROOM(d->mem, int32_t, count); /* a corner of each */
    LIM_TRY_MEMORY(volume);
    LIM_TRY_MEMORY(first);
    for (int32_t t = d->count - 1; t >= 0; --t) {
        first[part[t]] = d->corner[3 * t];
    }
    for (int32_t t = 0; t < d->count; ++t) {
        lim_point p[3], origin = draw_at(d, first[part[t]]);
        for (int k = 0; k < 3; ++k) { /* from a place in it: little is lost */
            p[k] = p3_sub(draw_at(d, d->corner[3 * t + k]), origin);
        }
        volume[part[t]] += p3_dot(p[0], p3_cross(p[1], p[2]));
    }
    for (int32_t i = 0; i < 3 * d->count; ++i) {
        if (!(volume[part[i / 3]] > 6.0 * SMALL * d->side * d->side * d->side)) {
            d->fixed[d->corner[i]] = 1;
        }
    }
    return LIM_OK;
}

/* About new points: what is farther away was drawn together when it was new. */
static void ask_new(drawing* d, int32_t felt_before) {
    for (int32_t t = 0; t < d->count; ++t) {
        bool near = false;
        for (int k = 0; k < 3; ++k) {
            int32_t p = d->corner[3 * t + k];
            near |= p >= d->skin ? p >= d->skin + felt_before : p >= d->old;
        }
        for (int k = 0; k < 3 && near; ++k) {
            d->ask[d->place[d->corner[3 * t + k]]] = 1;
        }
    }
}

static lim_result draw_surface(drawing* d) {
    LIM_TRY(link_triangles(d));
    LIM_TRY(hold_small_parts(d));
    LIM_TRY(find_places(d));
    ask_new(d, d->before->bind.count - d->before->point_count);
    draw_all(d);
    return LIM_OK;
}

static int32_t point_of(const drawing* d, uint32_t vertex) {
    uint32_t olds = (uint32_t)d->before->vertex_count;
    return vertex < olds ? d->before->vertex_point[vertex] : d->change->vertex_point[vertex - olds];
}

static lim_result draw_skin(arena* a, drawing* d, surface_change* change) {
    uint32_t* indices = ARENA_ROOM(a, uint32_t, 3 * (size_t)change->triangle_count);
    int32_t* submesh = ARENA_ROOM(a, int32_t, change->triangle_count);
    LIM_TRY_MEMORY(indices);
    LIM_TRY_MEMORY(submesh);
    memcpy(indices, change->indices, 3 * (size_t)change->triangle_count * sizeof *indices);
    d->count = change->triangle_count;
    d->vertex = indices;
    d->corner = ARENA_ROOM(d->mem, int32_t, 3 * (size_t)d->count);
    LIM_TRY_MEMORY(d->corner);
    for (int32_t i = 0; i < 3 * d->count; ++i) {
        d->corner[i] = point_of(d, indices[i]);
    }
    LIM_TRY(draw_surface(d));
    int32_t kept = 0;
    for (int32_t t = 0; t < d->count; ++t) {
        if (!d->gone[t]) {
            memmove(indices + 3 * (size_t)kept, indices + 3 * (size_t)t, 3 * sizeof *indices);
            submesh[kept++] = change->submesh[t];
        }
    }
    change->triangle_count = kept;
    change->indices = indices;
    change->submesh = submesh;
    return LIM_OK;
}

static lim_result draw_felt(arena* a, drawing* d, surface_change* change) {
    int32_t* felt = ARENA_ROOM(a, int32_t, 3 * (size_t)change->felt_count);
    LIM_TRY_MEMORY(felt);
    memcpy(felt, change->felt, 3 * (size_t)change->felt_count * sizeof *felt);
    d->count = change->felt_count;
    d->vertex = NULL;
    d->corner = felt;
    LIM_TRY(draw_surface(d));
    int32_t kept = 0;
    for (int32_t t = 0; t < d->count; ++t) {
        if (!d->gone[t]) {
            memmove(felt + 3 * (size_t)kept++, felt + 3 * (size_t)t, 3 * sizeof *felt);
        }
    }
    change->felt = felt;
    change->felt_count = kept;
    return LIM_OK;
}

/* ---- all ----------------------------------------------------------------------------------------
 */

/* Points of the mesh stay: they have a vertex of it. */
static lim_result find_fixed(drawing* d) {
    d->fixed = ARENA_ARRAY(d->mem, uint8_t, d->points);
    LIM_TRY_MEMORY(d->fixed);
    for (uint32_t v = 0; v < d->mesh; ++v) {
        int32_t p = d->before->vertex_point[v];
        if (p < d->old) {
            d->fixed[p] = 1;
        }
    }
    return LIM_OK;
}

/* Of points whose home the edit does not tell, it is that before it: below -1. */
static lim_result find_homes(drawing* d) {
    int32_t* home = ARENA_ROOM(d->mem, int32_t, d->points);
    LIM_TRY_MEMORY(home);
    int32_t felt_before = d->before->bind.count - d->before->point_count;
    for (int32_t i = 0; i < d->points; ++i) {
        home[i] = d->change->home[i];
        int32_t was = i < d->old                                  ? i
                      : i >= d->skin && i < d->skin + felt_before ? i - d->skin + d->old + 1
                                                                  : -1;
        if (home[i] < 0 && was >= 0) {
            home[i] = -2 - d->before->point_home[was];
        }
    }
    d->home = home;
    return LIM_OK;
}

static lim_result draw_both(arena* a, drawing* d, surface_change* change) {
    uint8_t* face;
    LIM_TRY(cut_faces_mark(d->mem, d->before, change, &face));
    d->face = face;
    LIM_TRY(find_fixed(d));
    LIM_TRY(find_homes(d));
    LIM_TRY(draw_make_crowd(d));
    LIM_TRY(draw_skin(a, d, change));
    return draw_felt(a, d, change);
}

lim_result draw_together(arena* a, const topology* before, const matter* material,
                         surface_change* change) {
    surface_change out = *change;
    arena mem;
    arena_init(&mem, &a->host);
    int32_t old = before->point_count - 1, skin = old + change->new_points;
    drawing d = {.mem = &mem,
                 .before = before,
                 .change = change,
                 .material = material,
                 .side = before->matter.side,
                 .old = old,
                 .skin = skin,
                 .points = skin + change->felt_points,
                 .mesh = (uint32_t)(before->vertex_count - before->source_count)};
    lim_result result = draw_both(a, &d, &out);
    result = result == LIM_OK ? draw_leave_out(a, before, &out) : result;
    arena_release(&mem);
    if (result == LIM_OK) {
        *change = out;
    }
    return result;
}
