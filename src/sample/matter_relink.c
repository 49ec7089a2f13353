/* SPDX-License-Identifier: MIT
 * Job: the graph after a cut. In: fragments before and after, cells with newly cut links. Out:
 * edges, components, which fragments have changed. Only pairs of cells between which a link may
 * have gone are looked at again: those that span a cell with newly cut links (sample/linking.h).
 * All other edges are copied. Glue (edges where no sub-voxels touch) stays between the pieces
 * of its fragments, but where the blade passes between their centroids.
 */
#include "base/disjoint_set.h"
#include "sample/matter_work.h"

#include <string.h>

typedef struct relink {
    matter_work* w;
    int32_t count;    /* cells that are looked at again: those with newly cut links, those around */
    int32_t* cell;    /* of the material */
    int32_t* local;   /* per cell of the material: its number here + 1, 0: none */
    int32_t* cell_of; /* per fragment before */
    uint8_t* glued;   /* per fragment before: glue leads to it */
    int32_t (*place)[3];
    uint32_t* dirty_near; /* per local cell: which of the 27 around it have newly cut links */
    linking l;
    int32_t* fragment;     /* per local fragment: number after the cut */
    ARRAY(link_pair) pair; /* edges found anew */
    int32_t plain;         /* the first so many are not glue */
    lim_point low, high;   /* box of the blade, grid */
} relink;

static void add_cell(relink* r, int32_t cell, const int32_t place[3]) {
    if (r->local[cell] == 0) {
        r->cell[r->count] = cell;
        memcpy(r->place[r->count], place, sizeof *r->place);
        r->local[cell] = ++r->count;
    }
}

/* The cells with newly cut links come first. */
static lim_result gather_cells(relink* r) {
    matter_work* w = r->w;
    int64_t most = 27 * (int64_t)w->changed_count;
    most = most < w->cells.count ? most : w->cells.count;
    r->cell = ARENA_ARRAY(&w->mem, int32_t, most);
    r->place = arena_alloc(&w->mem, (size_t)most, sizeof *r->place);
    r->dirty_near = ARENA_ARRAY(&w->mem, uint32_t, most);
    r->local = ARENA_ARRAY(&w->mem, int32_t, w->cells.count);
    LIM_TRY_MEMORY(r->cell);
    LIM_TRY_MEMORY(r->place);
    LIM_TRY_MEMORY(r->dirty_near);
    LIM_TRY_MEMORY(r->local);
    for (int32_t i = 0; i < w->changed_count; ++i) {
        add_cell(r, w->changed[i], w->links.near.data[w->links.slot[w->changed[i]] - 1].place);
    }
    for (int32_t i = 0; i < w->changed_count; ++i) {
        const near_cell* c = &w->links.near.data[w->links.slot[w->changed[i]] - 1];
        for (int k = 0; k < 27; ++k) {
            if (c->near[k] >= 0) {
                const int32_t place[3] = {c->place[0] + k % 3 - 1, c->place[1] + k / 3 % 3 - 1,
                                          c->place[2] + k / 9 - 1};
                add_cell(r, c->near[k], place);
                r->dirty_near[r->local[c->near[k]] - 1] |= (uint32_t)1 << (26 - k);
            }
        }
    }
    return LIM_OK;
}

/* Who lies around whom, of the gathered cells. */
static lim_result find_near(relink* r, int32_t* near) {
    matter_work* w = r->w;
    memset(near, 0xFF, 27 * (size_t)r->count * sizeof(int32_t));
    for (int32_t i = 0; i < r->count; ++i) {
        int32_t slot = w->links.slot[r->cell[i]];
        const int32_t* around = slot > 0 ? w->links.near.data[slot - 1].near : NULL;
        near[27 * (size_t)i + 13] = i;
        for (int k = 0; k < LINK_WAYS; ++k) {
            int d[3];
            link_way(k, d);
            int32_t other = around != NULL
                                ? around[14 + k]
                                : matter_cells_at(&w->cells, r->place[i][0] + d[0],
                                                  r->place[i][1] + d[1], r->place[i][2] + d[2]);
            int32_t to = other >= 0 ? r->local[other] - 1 : -1;
            if (to >= 0) {
                near[27 * (size_t)i + (size_t)(14 + k)] = to;
                near[27 * (size_t)to + (size_t)(12 - k)] = i;
            }
        }
    }
    return LIM_OK;
}

/* Is an edge between fragments before glue? */
static bool is_glue(const relink* r, int32_t a, int32_t b) {
    return r->glued[a] && r->glued[b] && matter_is_glued(r->w->m, a, b);
}

/* Whether material joined two fragments before the cut. */
static bool was_joined(const relink* r, int32_t a, int32_t b) {
    const matter* m = r->w->m;
    bool found = false;
    a = r->w->out->source[a];
    b = r->w->out->source[b];
    for (int32_t e = m->edge_offset[a]; e < m->edge_offset[a + 1] && !found; ++e) {
        found = m->edge_node[e] == b;
    }
    return found && !is_glue(r, a, b);
}

static lim_result link_again(relink* r) {
    matter_work* w = r->w;
    const matter* m = &w->out->after;
    int32_t count = 0;
    for (int32_t i = 0; i < r->count; ++i) {
        count += w->new_first[r->cell[i] + 1] - w->new_first[r->cell[i]];
    }
    int32_t* first = ARENA_ARRAY(&w->mem, int32_t, r->count + 1);
    int32_t* cell = ARENA_ARRAY(&w->mem, int32_t, count);
    uint64_t* mask = ARENA_ARRAY(&w->mem, uint64_t, count);
    uint64_t* soft = ARENA_ARRAY(&w->mem, uint64_t, count);
    int32_t* near = ARENA_ARRAY(&w->mem, int32_t, 27 * (size_t)r->count);
    const uint64_t** cut = arena_alloc(&w->mem, (size_t)r->count, sizeof *cut);
    r->fragment = ARENA_ARRAY(&w->mem, int32_t, count);
    LIM_TRY_MEMORY(first);
    LIM_TRY_MEMORY(cell);
    LIM_TRY_MEMORY(mask);
    LIM_TRY_MEMORY(soft);
    LIM_TRY_MEMORY(near);
    LIM_TRY_MEMORY(cut);
    LIM_TRY_MEMORY(r->fragment);
    LIM_TRY(find_near(r, near));
    for (int32_t i = 0, at = 0; i < r->count; ++i) {
        int32_t c = r->cell[i];
        for (int32_t k = w->new_first[c]; k < w->new_first[c + 1]; ++k, ++at) {
            cell[at] = i;
            mask[at] = m->mask[k];
            soft[at] = m->soft[k];
            r->fragment[at] = k;
        }
        first[i + 1] = at;
        cut[i] = matter_links_of(&w->links, c);
    }
    r->l = (linking){.host = w->mem.host,
                     .scratch = &w->mem,
                     .cell_count = r->count,
                     .place = (const int32_t(*)[3])r->place,
                     .near = near,
                     .cell_first = first,
                     .cell = cell,
                     .mask = mask,
                     .soft = soft,
                     .cut = cut,
                     .dirty_near = r->dirty_near};
    LIM_TRY(linking_find(&r->l));
    for (int32_t i = 0; i < r->l.link.count; ++i) {
        link_pair p = {r->fragment[r->l.link.data[i].a], r->fragment[r->l.link.data[i].b]};
        if (was_joined(r, p.a, p.b) && !ARRAY_PUSH(&w->mem.host, &r->pair, p)) {
            return LIM_ERROR_MEMORY;
        }
    }
    r->plain = r->pair.count;
    return LIM_OK;
}

static bool glue_holds(const relink* r, int32_t a, int32_t b) {
    const matter* m = &r->w->out->after;
    lim_point from = grid_place(m, m->centroid[a]), to = grid_place(m, m->centroid[b]);
    lim_point low = p3_min(from, to), high = p3_max(from, to);
    bool near = low.x <= r->high.x && low.y <= r->high.y && low.z <= r->high.z &&
                high.x >= r->low.x && high.y >= r->low.y && high.z >= r->low.z;
    return !near || !grid_segment_is_cut(&r->w->blade, from, to);
}

/* Between all pieces of a and all of b. */
static lim_result glue_pieces(relink* r, int32_t a, int32_t b) {
    const matter_work* w = r->w;
    int32_t ca = r->cell_of[a], cb = r->cell_of[b];
    for (int32_t i = w->new_first[ca]; i < w->new_first[ca + 1]; ++i) {
        for (int32_t k = w->new_first[cb]; k < w->new_first[cb + 1]; ++k) {
            link_pair p = {i, k};
            if (w->out->source[i] == a && w->out->source[k] == b && glue_holds(r, i, k) &&
                !ARRAY_PUSH(&w->mem.host, &r->pair, p)) {
                return LIM_ERROR_MEMORY;
            }
        }
    }
    return LIM_OK;
}

static lim_result glue_again(relink* r) {
    const matter* m = r->w->m;
    const grid_blade* blade = &r->w->blade;
    r->low = p3(INFINITY, INFINITY, INFINITY);
    r->high = p3(-INFINITY, -INFINITY, -INFINITY);
    for (int32_t i = 0; i < 3 * blade->triangle_count; ++i) {
        r->low = p3_min(r->low, blade->point[blade->triangle[i]]);
        r->high = p3_max(r->high, blade->point[blade->triangle[i]]);
    }
    for (int32_t i = 0; i < m->glued_edges; ++i) {
        LIM_TRY(glue_pieces(r, m->glue[2 * i], m->glue[2 * i + 1]));
    }
    return LIM_OK;
}

/* Was this edge looked at again? */
static bool is_renewed(const relink* r, int32_t a, int32_t b) {
    int32_t from = r->local[r->cell_of[a]] - 1, to = r->local[r->cell_of[b]] - 1;
    if (is_glue(r, a, b)) {
        return true;
    }
    if (from < 0 || to < 0) {
        return false;
    }
    int way = 13;
    for (int k = 0, step = 1; k < 3; ++k, step *= 3) {
        way += step * (r->place[to][k] - r->place[from][k]);
    }
    return (r->dirty_near[from] & r->l.block[way]) != 0;
}

/* A row that no changed cell is near, with the new numbers. Mostly all of them lie in one run. */
static int32_t move_row(const matter_work* w, const int32_t* row, int32_t count, int32_t* out) {
    bool one = count > 0 && w->run[row[0]] >= 0 && w->run[row[0]] == w->run[row[count - 1]];
    int32_t by = one ? w->new_of[row[0]] - row[0] : 0;
    for (int32_t e = 0; e < count; ++e) {
        out[e] = row[e] + by;
    }
    for (int32_t e = one ? count : 0; e < count; ++e) {
        out[e] = w->new_of[row[e]];
    }
    return count;
}

/* Rows of edges: what is kept of the old ones, and what was found, both ascending. */
static lim_result merge_edges(relink* r) {
    matter_work* w = r->w;
    const matter* b = w->m;
    matter* m = &w->out->after;
    int32_t *first, *item;
    LIM_TRY(linking_list(&w->mem, m->count, r->pair.data, r->pair.count, &first, &item));
    m->edge_offset = ARENA_ROOM(w->a, int32_t, m->count + 1);
    m->edge_node =
        ARENA_ROOM(w->a, int32_t, (size_t)b->edge_offset[b->count] + 2 * (size_t)r->pair.count);
    LIM_TRY_MEMORY(m->edge_offset);
    LIM_TRY_MEMORY(m->edge_node);
    int32_t at = m->edge_offset[0] = 0;
    for (int32_t i = 0; i < m->count; ++i) {
        int32_t s = w->out->source[i], found = first[i];
        if (!r->glued[s] && r->local[r->cell_of[s]] == 0) {
            at += move_row(w, b->edge_node + b->edge_offset[s],
                           b->edge_offset[s + 1] - b->edge_offset[s], m->edge_node + at);
            m->edge_offset[i + 1] = at;
            continue;
        }
        bool whole = w->new_of[s] >= 0;
        for (int32_t e = b->edge_offset[s]; e < b->edge_offset[s + 1] && whole; ++e) {
            if (is_renewed(r, s, b->edge_node[e])) {
                continue;
            }
            int32_t node = w->new_of[b->edge_node[e]];
            while (found < first[i + 1] && item[found] < node) {
                m->edge_node[at++] = item[found++];
            }
            m->edge_node[at++] = node;
        }
        while (found < first[i + 1]) {
            m->edge_node[at++] = item[found++];
        }
        m->edge_offset[i + 1] = at;
    }
    return LIM_OK;
}

/* Marks pieces of a fragment whose edges are others, and counts the edges that are gone: no pieces
 * of its two fragments are joined. */
static void compare_rows(relink* r, int32_t cell, int32_t* stamp) {
    matter_work* w = r->w;
    const matter *b = w->m, *m = &w->out->after;
    for (int32_t s = w->cells.first[cell]; s < w->cells.first[cell + 1]; ++s) {
        if (r->local[cell] == 0 && !r->glued[s]) {
            continue;
        }
        for (int32_t i = w->new_first[cell]; i < w->new_first[cell + 1]; ++i) {
            if (w->out->source[i] != s) {
                continue;
            }
            int32_t count = m->edge_offset[i + 1] - m->edge_offset[i];
            bool same = w->new_of[s] == i && count == b->edge_offset[s + 1] - b->edge_offset[s];
            for (int32_t e = 0; e < count; ++e) {
                int32_t node = m->edge_node[m->edge_offset[i] + e];
                stamp[w->out->source[node]] = s + 1;
                same = same && w->new_of[b->edge_node[b->edge_offset[s] + e]] == node;
            }
            w->out->touched[i] |= !same;
        }
        for (int32_t e = b->edge_offset[s]; e < b->edge_offset[s + 1]; ++e) {
            w->out->cut_edges += b->edge_node[e] > s && stamp[b->edge_node[e]] != s + 1;
        }
    }
}

/* Where there is no glue only rows of the gathered cells may have changed. */
static lim_result compare(relink* r) {
    int32_t* stamp = ARENA_ARRAY(&r->w->mem, int32_t, r->w->m->count);
    LIM_TRY_MEMORY(stamp);
    bool all = r->w->m->unglued != NULL;
    for (int32_t i = 0; i < (all ? r->w->cells.count : r->count); ++i) {
        compare_rows(r, all ? i : r->cell[i], stamp);
    }
    return LIM_OK;
}

/* Is there something left of each fragment of the changed cells? */
static bool all_left(const matter_work* w) {
    bool all = true;
    for (int32_t i = 0; i < w->changed_count; ++i) {
        int32_t cell = w->changed[i];
        for (int32_t s = w->cells.first[cell]; s < w->cells.first[cell + 1]; ++s) {
            bool left = false;
            for (int32_t k = w->new_first[cell]; k < w->new_first[cell + 1]; ++k) {
                left = left || w->out->source[k] == s;
            }
            all = all && left;
        }
    }
    return all;
}

/* Edges but for glue are gone between fragments of the gathered cells alone. Where those of them
 * that were of one of `names` components still hang together along the rows of the gathered cells,
 * all else hangs on them as before: components are what they were. In: set[i] = i; it stays a part
 * of what is one. */
static lim_result components_stay(relink* r, const int32_t* name, int32_t names, int32_t* set,
                                  bool* out) {
    matter_work* w = r->w;
    const matter* m = &w->out->after;
    int32_t* root = ARENA_ARRAY(&w->mem, int32_t, names); /* + 1 */
    LIM_TRY_MEMORY(root);
    for (int32_t c = 0; c < r->count; ++c) {
        for (int32_t i = w->new_first[r->cell[c]]; i < w->new_first[r->cell[c] + 1]; ++i) {
            int32_t s = w->out->source[i];
            for (int32_t e = m->edge_offset[i]; e < m->edge_offset[i + 1]; ++e) {
                if (!is_glue(r, s, w->out->source[m->edge_node[e]])) {
                    disjoint_join(set, i, m->edge_node[e]);
                }
            }
        }
    }
    bool stay = all_left(w);
    for (int32_t c = 0; c < r->count && stay; ++c) {
        for (int32_t i = w->new_first[r->cell[c]]; i < w->new_first[r->cell[c] + 1]; ++i) {
            int32_t* of = &root[name[w->out->source[i]]];
            int32_t at = disjoint_root(set, i);
            *of = *of == 0 ? at + 1 : *of;
            stay = stay && *of == at + 1;
        }
    }
    *out = stay;
    return LIM_OK;
}

/* Names the components but for glue in set[], returns how many: as before, or along all edges. */
static lim_result name_components(relink* r, int32_t* set, int32_t* out_count) {
    matter_work* w = r->w;
    const matter *b = w->m, *m = &w->out->after;
    const int32_t* name = b->unglued != NULL ? b->unglued : b->component;
    int32_t names = b->unglued != NULL ? 0 : b->component_count;
    for (int32_t i = 0; i < b->count && b->unglued != NULL; ++i) {
        names = name[i] >= names ? name[i] + 1 : names;
    }
    disjoint_init(set, m->count);
    bool stay;
    LIM_TRY(components_stay(r, name, names, set, &stay));
    for (int32_t i = 0; i < m->count && stay; ++i) {
        set[i] = name[w->out->source[i]];
    }
    for (int32_t i = 0; i < m->count && !stay; ++i) {
        int32_t s = w->out->source[i];
        for (int32_t e = m->edge_offset[i]; e < m->edge_offset[i + 1] && m->edge_node[e] < i; ++e) {
            int32_t node = m->edge_node[e];
            if (set[node] != set[i] && !is_glue(r, s, w->out->source[node])) {
                disjoint_join(set, i, node);
            }
        }
    }
    *out_count = stay ? names : disjoint_name(set, m->count);
    return LIM_OK;
}

static lim_result find_components(relink* r) {
    matter_work* w = r->w;
    matter* m = &w->out->after;
    int32_t* set = ARENA_ROOM(w->a, int32_t, m->count);
    LIM_TRY_MEMORY(set);
    LIM_TRY(name_components(r, set, &m->component_count));
    m->component = set;
    m->glued_edges = r->pair.count - r->plain;
    m->unglued = m->glue = NULL;
    if (m->glued_edges == 0) {
        return LIM_OK;
    }
    m->unglued = set;
    LIM_TRY(matter_list_glue(w->a, r->pair.data + r->plain, m));
    int32_t* joined = ARENA_ARRAY(&w->mem, int32_t, m->component_count);
    m->component = ARENA_ARRAY(w->a, int32_t, m->count);
    LIM_TRY_MEMORY(joined);
    LIM_TRY_MEMORY(m->component);
    disjoint_init(joined, m->component_count);
    for (int32_t i = r->plain; i < r->pair.count; ++i) {
        disjoint_join(joined, set[r->pair.data[i].a], set[r->pair.data[i].b]);
    }
    m->component_count = disjoint_name(joined, m->component_count);
    for (int32_t i = 0; i < m->count; ++i) {
        m->component[i] = joined[set[i]];
    }
    return LIM_OK;
}

static lim_result run(relink* r) {
    matter_work* w = r->w;
    r->cell_of = ARENA_ROOM(&w->mem, int32_t, w->m->count);
    r->glued = ARENA_ARRAY(&w->mem, uint8_t, w->m->count);
    LIM_TRY_MEMORY(r->cell_of);
    LIM_TRY_MEMORY(r->glued);
    for (int32_t i = 0; i < 2 * w->m->glued_edges; ++i) {
        r->glued[w->m->glue[i]] = 1;
    }
    for (int32_t cell = 0; cell < w->cells.count; ++cell) {
        for (int32_t i = w->cells.first[cell]; i < w->cells.first[cell + 1]; ++i) {
            r->cell_of[i] = cell;
        }
    }
    LIM_TRY(gather_cells(r));
    LIM_TRY(link_again(r));
    LIM_TRY(glue_again(r));
    LIM_TRY(merge_edges(r));
    LIM_TRY(compare(r));
    return find_components(r);
}

lim_result matter_relink(matter_work* w) {
    relink r = {.w = w, .l = {.host = w->mem.host}};
    lim_result result = run(&r);
    linking_release(&r.l);
    ARRAY_FREE(&w->mem.host, &r.pair);
    return result;
}
