/* SPDX-License-Identifier: MIT
 * Job: cut components into charts, and give each a node to move with. In: nodes with cells, their
 * graph. Out: the chart of each node, runs of slots, origins.
 *
 * A long component is cut along each axis on which it is long, by cubes of a tree that starts at
 * its own low corner (the octree's own planes go through the middle of every body). A cube is cut
 * again until no node in it is finer than 2^-levels of it, so charts are small where nodes are: the
 * coordinates of a chart stay within some ten widths of its regions. Pieces of material that are
 * not joined within the cube may move apart, so each is a chart of its own.
 */
#include "region/charts.h"

#include "base/sort.h"
#include "sample/octant.h"

#include <string.h>

/* A component in cells of the octree's deepest level. */
typedef struct span {
    int32_t finest; /* level of its finest node */
    int32_t low[3], high[3];
    bool cut[3], is_long; /* along each axis, along any */
} span;

/* A component that is long on all axes is a solid, which is never bent by much: its frame turns
 * with it. Only what is twice as long is cut there; ghosts would be a third of its nodes. */
static void choose_axes(span* c, int32_t levels) {
    int32_t cells[3], axes = 0;
    for (int k = 0; k < 3; ++k) {
        cells[k] = (c->high[k] - c->low[k]) >> (OCTANT_LEVELS - c->finest);
        axes += cells[k] > 2 << levels;
    }
    for (int k = 0; k < 3; ++k) {
        c->cut[k] = cells[k] > (axes < 3 ? 2 : 4) << levels;
        c->is_long = c->is_long || c->cut[k];
    }
}

/* First and last cells along each axis, with their bits spread as keys have them: spread numbers
 * are in the same order. */
typedef struct spread_box {
    uint64_t low[3], high[3];
} spread_box;

static void spread_box_add(spread_box* b, uint64_t key, int32_t level) {
    const uint64_t axis = 0x0049249249249249u; /* 19 of every third bit */
    int down = 3 * (OCTANT_LEVELS - level);
    uint64_t low = (key & 0x01FFFFFFFFFFFFFFu) << down, high = low | (((uint64_t)1 << down) - 1);
    for (int k = 0; k < 3; ++k) {
        uint64_t from = low & axis << k, to = high & axis << k;
        b->low[k] = from < b->low[k] ? from : b->low[k];
        b->high[k] = to > b->high[k] ? to : b->high[k];
    }
}

static lim_result measure(arena* scratch, const chart_source* s, span** out_spans) {
    span* spans = ARENA_ARRAY(scratch, span, s->components);
    LIM_TRY_MEMORY(spans);
    spread_box* box = ARENA_ROOM(scratch, spread_box, s->components);
    LIM_TRY_MEMORY(box);
    for (int32_t i = 0; i < s->components; ++i) {
        box[i] = (spread_box){{UINT64_MAX, UINT64_MAX, UINT64_MAX}, {0, 0, 0}};
    }
    for (int32_t i = 0; i < s->count; ++i) {
        span* c = &spans[s->component[i]];
        int32_t level = (int32_t)(s->key[i] >> 58);
        c->finest = level > c->finest ? level : c->finest;
        spread_box_add(&box[s->component[i]], s->key[i], level);
    }
    for (int32_t i = 0; i < s->components; ++i) {
        for (int k = 0; k < 3; ++k) {
            spans[i].low[k] = (int32_t)octant_compact(box[i].low[k] >> k);
            spans[i].high[k] = (int32_t)octant_compact(box[i].high[k] >> k) + 1;
        }
        choose_axes(&spans[i], s->levels);
    }
    *out_spans = spans;
    return LIM_OK;
}

/* Morton code of a node's middle in the component's own tree; axes that are not cut count as 0. The
 * nodes of a cube are a run. */
static uint64_t code_of(const span* c, uint64_t key) {
    octant o = octant_of(key);
    int32_t down = OCTANT_LEVELS - o.level, half = (1 << down) >> 1;
    const int32_t at[3] = {o.x, o.y, o.z};
    uint64_t code = 0;
    for (int k = 0; k < 3; ++k) {
        int32_t local = (at[k] << down) + half - c->low[k];
        code |= c->cut[k] ? octant_spread((uint32_t)local) << k : 0;
    }
    return code;
}

/* Level of the chart's cube of each node among `count` of one cube of level l, in order of code. A
 * node as large as a cube that is cut stays in it: what is cut is another piece. */
static void cut_cube(const chart_source* s, const sort_item* items, int32_t count, int32_t l,
                     int32_t* cube_level) {
    int32_t finest = 0;
    for (int32_t i = 0; i < count; ++i) {
        int32_t level = (int32_t)(s->key[items[i].value] >> 58);
        finest = level > finest ? level : finest;
    }
    for (int32_t i = 0; i < count; ++i) {
        if ((int32_t)(s->key[items[i].value] >> 58) >= l) {
            cube_level[items[i].value] = l;
        }
    }
    if (finest <= l + s->levels) {
        return;
    }
    const int shift = 3 * (OCTANT_LEVELS - l - 1);
    for (int32_t i = 0, end; i < count; i = end) {
        end = i + 1;
        while (end < count && items[end].key >> shift == items[i].key >> shift) {
            end++;
        }
        cut_cube(s, items + i, end - i, l + 1, cube_level);
    }
}

/* Codes of the nodes of long components, and the levels of their cubes. */
static lim_result find_cubes(arena* scratch, const chart_source* s, const span* spans,
                             uint64_t* code, int32_t* cube_level) {
    sort_item* items = ARENA_ROOM(scratch, sort_item, s->count);
    sort_item* spare = ARENA_ROOM(scratch, sort_item, s->count);
    LIM_TRY_MEMORY(items);
    LIM_TRY_MEMORY(spare);
    int32_t count = 0;
    for (int32_t i = 0; i < s->count; ++i) {
        if (spans[s->component[i]].is_long) {
            code[i] = code_of(&spans[s->component[i]], s->key[i]);
            items[count++] = (sort_item){(uint64_t)s->component[i], i, 0};
        }
    }
    sort_items(items, spare, count);
    for (int32_t i = 0, end; i < count; i = end) {
        uint64_t number = items[i].key;
        for (end = i; end < count && items[end].key == number; ++end) {
            items[end].key = code[items[end].value];
        }
        sort_items(items + i, spare, end - i);
        cut_cube(s, items + i, end - i, 0, cube_level);
    }
    return LIM_OK;
}

static bool same_cube(const uint64_t* code, const int32_t* cube_level, int32_t i, int32_t j) {
    int shift = 3 * (OCTANT_LEVELS - cube_level[i]);
    return cube_level[i] == cube_level[j] && code[i] >> shift == code[j] >> shift;
}

/* Labels of the pieces of each cube, by lowest node; short components have one label each. Returns
 * how many. */
static int32_t label_pieces(const chart_source* s, const span* spans, const uint64_t* code,
                            const int32_t* cube_level, int32_t* stack, int32_t* short_label,
                            int32_t* label) {
    int32_t labels = 0;
    memset(label, 0xFF, (size_t)s->count * sizeof(int32_t));
    memset(short_label, 0xFF, (size_t)s->components * sizeof(int32_t));
    for (int32_t i = 0; i < s->count; ++i) {
        if (label[i] >= 0) {
            continue;
        }
        int32_t c = s->component[i], depth = 0;
        if (!spans[c].is_long) {
            short_label[c] = short_label[c] >= 0 ? short_label[c] : labels++;
            label[i] = short_label[c];
            continue;
        }
        label[i] = labels;
        stack[depth++] = i;
        while (depth > 0) {
            int32_t at = stack[--depth];
            for (int32_t e = s->g.offset[at]; e < s->g.offset[at + 1]; ++e) {
                int32_t j = s->g.node[e];
                if (label[j] < 0 && same_cube(code, cube_level, at, j)) {
                    label[j] = labels;
                    stack[depth++] = j;
                }
            }
        }
        labels++;
    }
    return labels;
}

/* Numbers labels by component, keeping their order within, and gives each chart its slots. */
static lim_result number_charts(arena* a, arena* scratch, const chart_source* s, int32_t labels,
                                charts* out, int32_t* chart) {
    int32_t* of_label = ARENA_ARRAY(scratch, int32_t, labels);
    int32_t* number = ARENA_ARRAY(scratch, int32_t, labels);
    int32_t* next = ARENA_ARRAY(scratch, int32_t, s->components + 1);
    *out = (charts){.count = labels, .components = s->components};
    out->begin = ARENA_ARRAY(a, int32_t, labels + 1);
    out->component = ARENA_ARRAY(a, int32_t, labels);
    if (of_label == NULL || number == NULL || next == NULL || out->begin == NULL ||
        out->component == NULL) {
        return LIM_ERROR_MEMORY;
    }
    for (int32_t i = 0; i < s->count; ++i) {
        of_label[chart[i]] = s->component[i];
    }
    for (int32_t l = 0; l < labels; ++l) {
        next[of_label[l] + 1]++;
    }
    for (int32_t c = 0; c < s->components; ++c) {
        next[c + 1] += next[c];
    }
    for (int32_t l = 0; l < labels; ++l) {
        number[l] = next[of_label[l]]++;
        out->component[number[l]] = of_label[l];
    }
    for (int32_t i = 0; i < s->count; ++i) {
        chart[i] = number[chart[i]];
        out->begin[chart[i] + 1]++;
    }
    int64_t slots = 0;
    for (int32_t c = 0; c < labels; ++c) {
        slots += ((int64_t)out->begin[c + 1] + 7) / 8 * 8;
        if (slots > INT32_MAX / 64) {
            return LIM_ERROR_TOO_LARGE;
        }
        out->begin[c + 1] = (int32_t)slots;
    }
    out->slots = (int32_t)slots;
    return LIM_OK;
}

lim_result charts_cut(arena* a, arena* scratch, const chart_source* s, charts* out,
                      int32_t* out_chart) {
    span* spans;
    bool any = false;
    LIM_TRY(measure(scratch, s, &spans));
    for (int32_t i = 0; i < s->components; ++i) {
        any = any || spans[i].is_long;
    }
    if (!any) { /* one chart each */
        memcpy(out_chart, s->component, (size_t)s->count * sizeof(int32_t));
        return number_charts(a, scratch, s, s->components, out, out_chart);
    }
    uint64_t* code = ARENA_ROOM(scratch, uint64_t, s->count); /* of long components */
    int32_t* cube_level = ARENA_ROOM(scratch, int32_t, s->count);
    int32_t* stack = ARENA_ROOM(scratch, int32_t, s->count);
    int32_t* short_label = ARENA_ARRAY(scratch, int32_t, s->components);
    LIM_TRY_MEMORY(code);
    LIM_TRY_MEMORY(cube_level);
    LIM_TRY_MEMORY(stack);
    LIM_TRY_MEMORY(short_label);
    LIM_TRY(find_cubes(scratch, s, spans, code, cube_level));
    int32_t labels = label_pieces(s, spans, code, cube_level, stack, short_label, out_chart);
    return number_charts(a, scratch, s, labels, out, out_chart);
}

/* The slot of [begin, end) nearest to the middle of their bounds, the first of equals. */
static int32_t middle_node(const region_nodes* nodes, int32_t begin, int32_t end) {
    double low[3], high[3];
    for (int k = 0; k < 3; ++k) {
        low[k] = high[k] = (double)nodes->x0[k][begin]; /* a chart's first slot is a node */
        for (int32_t i = begin; i < end; ++i) {
            double x = (double)nodes->x0[k][i];
            low[k] = nodes->volume[i] > 0.0f && x < low[k] ? x : low[k];
            high[k] = nodes->volume[i] > 0.0f && x > high[k] ? x : high[k];
        }
    }
    int32_t best = begin;
    double least = -1.0;
    for (int32_t i = begin; i < end; ++i) {
        double away = 0.0;
        for (int k = 0; k < 3; ++k) {
            double off = (double)nodes->x0[k][i] - 0.5 * (low[k] + high[k]);
            away += off * off;
        }
        if (nodes->volume[i] > 0.0f && (least < 0.0 || away < least)) {
            least = away;
            best = i;
        }
    }
    return best;
}

lim_result charts_place(arena* a, charts* c, const region_nodes* nodes) {
    c->node = ARENA_ARRAY(a, int32_t, c->count);
    LIM_TRY_MEMORY(c->node);
    for (int k = 0; k < 3; ++k) {
        c->origin[k] = ARENA_ARRAY(a, float, c->count);
        LIM_TRY_MEMORY(c->origin[k]);
    }
    for (int32_t i = 0; i < c->count; ++i) {
        bool alone = (i == 0 || c->component[i - 1] != c->component[i]) &&
                     (i + 1 == c->count || c->component[i + 1] != c->component[i]);
        c->node[i] = alone ? -1 : middle_node(nodes, c->begin[i], c->begin[i + 1]);
        float anchor[3];
        double unused;
        node_anchor(nodes->x0, nodes->volume, nodes->side, c->begin[i], c->begin[i + 1], anchor,
                    &unused);
        for (int k = 0; k < 3; ++k) {
            c->origin[k][i] = alone ? anchor[k] : nodes->x0[k][c->node[i]];
        }
    }
    return LIM_OK;
}

lim_result charts_blocks(arena* a, const charts* c, const int32_t* begin, node_block** out_blocks,
                         int32_t* out_count) {
    int32_t count = 0;
    for (int32_t i = 0; i < c->count; ++i) {
        count += (begin[i + 1] - begin[i] + NODE_BLOCK - 1) / NODE_BLOCK;
    }
    node_block* blocks = ARENA_ARRAY(a, node_block, count);
    LIM_TRY_MEMORY(blocks);
    *out_count = 0;
    for (int32_t i = 0; i < c->count; ++i) {
        for (int32_t at = begin[i]; at < begin[i + 1]; at += NODE_BLOCK) {
            int32_t end = at + NODE_BLOCK < begin[i + 1] ? at + NODE_BLOCK : begin[i + 1];
            blocks[(*out_count)++] = (node_block){at, end, c->component[i], i};
        }
    }
    *out_blocks = blocks;
    return LIM_OK;
}

int32_t charts_of_slot(const charts* c, int32_t slot) {
    int32_t low = 0, high = c->count;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (c->begin[middle] <= slot) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

double charts_weight(const charts* c, const net* n, int32_t node, int32_t region) {
    double sum = net_weight(n, node, region);
    if (c->ghost_count > 0) {
        for (int32_t e = c->node_offset[node]; e < c->node_offset[node + 1]; ++e) {
            sum += net_weight(n, c->node_ghost[e], region);
        }
    }
    return sum;
}
