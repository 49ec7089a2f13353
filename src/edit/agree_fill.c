/* SPDX-License-Identifier: MIT
 * Job: material for parts of the skin that have none: slivers thinner than a sub-voxel. In: homes.
 * Out: one fragment for each such part: the sub-voxel nearest to its centroid is taken from the
 * fragment it belongs to, with as much volume as the skin of the part encloses (but no less than
 * nodes must have, and no more than half of what is there). The sum stays.
 */
#include "edit/agree_work.h"

#include "sample/fragments.h"

#include <string.h>

typedef struct sliver {
    double volume; /* signed, times 6 */
    lim_point sum; /* integral of x, times 24 */
    lim_point middle;
    int32_t points;
    bool filled;
} sliver;

static void measure(const agree_work* w, sliver* part) {
    const surface_change* s = &w->skin->change;
    for (int32_t i = 0; i < w->skin_points; ++i) {
        if (w->part[i] >= 0) {
            part[w->part[i]].middle = p3_add(part[w->part[i]].middle, agree_place(w, i));
            part[w->part[i]].points++;
        }
    }
    for (int32_t i = 0; i < w->part_count; ++i) {
        part[i].middle = p3_scale(part[i].middle, 1.0 / part[i].points);
    }
    for (int32_t t = 0; t < s->triangle_count; ++t) {
        int32_t p[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = agree_vertex_point(w, s->indices[3 * (size_t)t + (size_t)k]);
        }
        sliver* own = &part[w->part[p[0]]];
        if (own->filled) {
            continue;
        }
        /* About a place nearby: what is thin would drown in rounding. */
        lim_point a = p3_sub(agree_place(w, p[0]), own->middle);
        lim_point b = p3_sub(agree_place(w, p[1]), own->middle);
        lim_point c = p3_sub(agree_place(w, p[2]), own->middle);
        double six = p3_dot(a, p3_cross(b, c));
        own->volume += six;
        own->sum = p3_mad(own->sum, p3_add(p3_add(a, b), c), six);
    }
}

/* May a sub-voxel be taken from its fragment? What is left must hang together, and be more than a
 * speck, which would be given away. */
static bool may_take(const matter* m, int32_t fragment, uint64_t bit, const uint64_t* cut) {
    uint64_t left = m->mask[fragment] & ~bit;
    return (left & (left - 1)) != 0 &&
           linking_flood(left, m->soft[fragment], cut, left & (~left + 1)) == left;
}

static const uint64_t* cut_of(const matter* m, uint64_t key) {
    const matter_wall* wall = matter_wall_of(m, key);
    return wall != NULL ? wall->cut : NULL;
}

/* The nearest sub-voxel that may be taken; false: there is none at all. */
static bool choose(const matter* m, const uint8_t* taken, lim_point at, int32_t* out_fragment,
                   uint64_t* out_bit) {
    double best = INFINITY;
    for (int32_t i = 0; i < m->count; ++i) {
        octant o = octant_of(m->key[i]);
        lim_point low = p3_mad(m->corner, p3(o.x, o.y, o.z), m->side);
        lim_point centre = p3_add(low, p3(0.5 * m->side, 0.5 * m->side, 0.5 * m->side));
        double away = p3_length(p3_sub(at, centre)) - 0.87 * m->side;
        if (taken[i] || away * fabs(away) > best) {
            continue;
        }
        for (uint64_t left = m->mask[i]; left != 0; left &= left - 1) {
            int bit = mask_lowest(left);
            lim_point p = p3((bit & 3) + 0.5, (bit >> 2 & 3) + 0.5, (bit >> 4) + 0.5);
            lim_point d = p3_sub(p3_mad(low, p, m->sub), at);
            double distance = p3_dot(d, d);
            if (distance < best && may_take(m, i, (uint64_t)1 << bit, cut_of(m, m->key[i]))) {
                best = distance;
                *out_fragment = i;
                *out_bit = (uint64_t)1 << bit;
            }
        }
    }
    return best < INFINITY;
}

/* All links of one sub-voxel, by the cells that keep them. */
static void all_links(const matter* m, int32_t fragment, uint64_t bit, matter_wall wall[27]) {
    octant o = octant_of(m->key[fragment]);
    for (int k = 0; k < 27; ++k) {
        const int d[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        const int back[3] = {-d[0], -d[1], -d[2]};
        wall[k] = (matter_wall){.key = UINT64_MAX};
        octant c = {o.level, o.x + d[0], o.y + d[1], o.z + d[2]};
        if (c.x < 0 || c.y < 0 || c.z < 0) {
            continue;
        }
        wall[k].key = octant_key(c);
        linking_between(MASK_ALL, bit, back, wall[k].cut);
        for (int i = 0; i < LINK_WAYS && k == 13; ++i) {
            wall[k].cut[i] |= bit;
        }
    }
}

/* Moves volume from one fragment to another, with the place it is to have there. */
static void move_volume(matter* m, int32_t from, int32_t to, double volume, lim_point at) {
    double sum = m->volume[from] + m->volume[to];
    double least = FRAGMENT_SHARE * m->side * m->side * m->side;
    volume = volume > least ? volume : least;
    volume = volume < 0.5 * sum ? volume : 0.5 * sum;
    lim_point all = p3_add(p3_scale(m->centroid[from], m->volume[from]),
                           p3_scale(m->centroid[to], m->volume[to]));
    double left = sum - volume;
    for (int k = 0; k < 6; ++k) {
        m->moment[from][k] *= left / m->volume[from];
        m->moment[to][k] *= volume / m->volume[to];
    }
    m->volume[to] = volume;
    m->volume[from] = left;
    m->centroid[to] = at;
    m->centroid[from] = p3_scale(p3_sub(all, p3_scale(at, volume)), 1.0 / left);
}

static lim_result fill_part(agree_work* w, int32_t part, const sliver* s) {
    double volume = s->volume / 6.0;
    lim_point at = s->middle;
    if (volume > 1e-12 * p3_dot(at, at)) {
        at = p3_mad(at, s->sum, 1.0 / (4.0 * s->volume));
    }
    matter_wall wall[27];
    int32_t donor = -1, *from, rest = -1, own = -1;
    uint64_t bit = 0;
    uint8_t* taken = ARENA_ARRAY(&w->mem, uint8_t, w->change->after.count);
    LIM_TRY_MEMORY(taken);
    if (!choose(&w->change->after, taken, at, &donor, &bit)) {
        return LIM_OK; /* one sub-voxel in all: the parts share it */
    }
    all_links(&w->change->after, donor, bit, wall);
    LIM_TRY(agree_cut(w, wall, 27, &from));
    matter* m = &w->change->after;
    for (int32_t i = 0; i < m->count; ++i) {
        if (from[i] == donor) {
            own = m->mask[i] == bit ? i : own;
            rest = m->mask[i] != bit ? i : rest;
        }
    }
    if (own < 0 || rest < 0) {
        return LIM_OK;
    }
    move_volume(m, rest, own, volume, at);
    for (int32_t i = 0; i < w->skin_points; ++i) {
        if (w->part[i] == part) {
            w->home[i] = own;
            w->renew[i] = 1;
        }
    }
    return LIM_OK;
}

lim_result agree_fill(agree_work* w) {
    sliver* part = ARENA_ARRAY(&w->mem, sliver, w->part_count);
    LIM_TRY_MEMORY(part);
    int32_t filled = 0;
    for (int32_t i = 0; i < w->skin_points && filled < w->part_count; ++i) {
        if (w->part[i] >= 0 && w->home[i] >= 0 && !part[w->part[i]].filled) {
            part[w->part[i]].filled = true;
            filled++;
        }
    }
    if (filled == w->part_count) {
        return LIM_OK;
    }
    measure(w, part);
    for (int32_t i = 0; i < w->part_count; ++i) {
        LIM_TRY(part[i].filled ? LIM_OK : fill_part(w, i, &part[i]));
    }
    return agree_spread(w); /* a speck that was some point's home may have been given away */
}
