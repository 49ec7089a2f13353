/* SPDX-License-Identifier: MIT
 * Job: the layout of window sums. In: the octets of a lattice's nodes and a width. Out: which
 * octets sums are wanted at on the way, and lines of places along each axis. A place of T is there
 * when a node lies in its window along x and a place of S wants it; one of S when a place of T lies
 * in its window along y and a region's window along z reaches it.
 */
#include "net/box.h"

#include "base/array.h"
#include "base/sort.h"
#include "net/box_window.h"

#include <string.h>

/* A place as a key of three coordinates, the last one along the line. They are shifted up so that
 * none is negative. */
enum { SHIFT = 64, BITS = 20 };
#define LOW ((UINT64_C(1) << BITS) - 1)

static uint64_t key_of(int32_t a, int32_t b, int32_t c) {
    return (uint64_t)(a + SHIFT) << 2 * BITS | (uint64_t)(b + SHIFT) << BITS |
           (uint64_t)(c + SHIFT);
}
static int32_t key_a(uint64_t key) {
    return (int32_t)(key >> 2 * BITS) - SHIFT;
}
static int32_t key_b(uint64_t key) {
    return (int32_t)(key >> BITS & LOW) - SHIFT;
}
static int32_t key_c(uint64_t key) {
    return (int32_t)(key & LOW) - SHIFT;
}

typedef ARRAY(int32_t) int_array;

/* Lines that grow. */
typedef struct axis_builder {
    int_array begin, from, to;
    int_array front; /* first coordinate of each line's key */
} axis_builder;

/* Places of one component: key and the record there. */
typedef struct places {
    int32_t count;
    sort_item* item;
} places;

typedef struct builder {
    const lim_host* host;
    arena* scratch;
    box_net* b;
    const uint8_t* mask;
    axis_builder rows, lines, columns;
} builder;

static lim_result sort_places(arena* scratch, places* p) {
    sort_item* spare = ARENA_ARRAY(scratch, sort_item, p->count);
    LIM_TRY_MEMORY(spare);
    sort_items(p->item, spare, p->count);
    return LIM_OK;
}

static void make_unique(places* p) {
    int32_t count = 0;
    for (int32_t i = 0; i < p->count; ++i) {
        if (count == 0 || p->item[i].key != p->item[count - 1].key) {
            p->item[count++] = p->item[i];
        }
    }
    p->count = count;
}

/* Octets, as (z, x, y), at which sums along x are not zero: the nodes from the first to the last
 * lane reach w further. */
static lim_result reach_rows(const builder* b, int32_t begin, int32_t end, places* out) {
    int32_t w = b->b->width, most = 2 * ((w + 7) / 8) + 1;
    *out = (places){0, ARENA_ARRAY(b->scratch, sort_item, (int64_t)(end - begin) * most)};
    LIM_TRY_MEMORY(out->item);
    for (int32_t o = begin; o < end; ++o) {
        const int32_t* at = b->b->place[o];
        int32_t low = 0, high = 7;
        while (low < 7 && !(b->mask[o] >> low & 1)) {
            low++;
        }
        while (high > 0 && !(b->mask[o] >> high & 1)) {
            high--;
        }
        int32_t first = (8 * (at[0] + SHIFT) + low - w) / 8 - SHIFT;
        int32_t last = (8 * (at[0] + SHIFT) + high + w) / 8 - SHIFT;
        for (int32_t x = first; x <= last; ++x) {
            out->item[out->count++] = (sort_item){key_of(at[2], x, at[1]), 0, 0};
        }
    }
    LIM_TRY(sort_places(b->scratch, out));
    make_unique(out);
    return LIM_OK;
}

/* Octets, as (z, x, y), that the windows of regions reach along z. */
static lim_result reach_columns(const builder* b, int32_t begin, int32_t end, places* out) {
    int32_t w = b->b->width;
    *out = (places){0, ARENA_ARRAY(b->scratch, sort_item, (int64_t)(end - begin) * (2 * w + 1))};
    LIM_TRY_MEMORY(out->item);
    for (int32_t o = begin; o < end; ++o) {
        const int32_t* at = b->b->place[o];
        for (int32_t z = at[2] - w; z <= at[2] + w; ++z) {
            out->item[out->count++] = (sort_item){key_of(z, at[0], at[1]), 0, 0};
        }
    }
    LIM_TRY(sort_places(b->scratch, out));
    make_unique(out);
    return LIM_OK;
}

/* Keeps of `p` what has one of `others` within w along the line. */
static void keep_near(places* p, const places* others, int32_t w) {
    int32_t at = 0, count = 0;
    for (int32_t i = 0; i < p->count; ++i) {
        uint64_t key = p->item[i].key;
        while (at < others->count && others->item[at].key < key - (uint64_t)w) {
            at++;
        }
        if (at < others->count && others->item[at].key <= key + (uint64_t)w) {
            p->item[count++] = p->item[i];
        }
    }
    p->count = count;
}

/* Opens a line, and fills places up to a coordinate with none. */
static bool grow(const lim_host* host, axis_builder* x, bool open, uint64_t key, int32_t steps) {
    if (open &&
        (!ARRAY_PUSH(host, &x->begin, x->from.count) || !ARRAY_PUSH(host, &x->front, key_a(key)))) {
        return false;
    }
    for (int32_t i = 0; i < steps; ++i) {
        if (!ARRAY_PUSH(host, &x->from, -1) || !ARRAY_PUSH(host, &x->to, -1)) {
            return false;
        }
    }
    return true;
}

/* Merges two sorted sets into lines; a line ends where no window reaches on. */
static lim_result append_lines(const lim_host* host, axis_builder* x, const places* from,
                               const places* to, int32_t reach) {
    uint64_t last = 0;
    bool any = false;
    for (int32_t i = 0, j = 0; i < from->count || j < to->count;) {
        bool first = j == to->count || (i < from->count && from->item[i].key <= to->item[j].key);
        const sort_item* item = first ? &from->item[i++] : &to->item[j++];
        bool joined =
            any && item->key >> BITS == last >> BITS && item->key - last <= (uint64_t)reach;
        int32_t steps = joined ? (int32_t)(item->key - last) : 1;
        if (!grow(host, x, !joined, item->key, steps)) {
            return LIM_ERROR_MEMORY;
        }
        (first ? x->from.data : x->to.data)[x->from.count - 1] = item->value;
        last = item->key;
        any = true;
    }
    return LIM_OK;
}

/* The same places with the coordinates of their keys in another order. */
static lim_result reorder(arena* scratch, const places* p, uint64_t (*order)(uint64_t key),
                          places* out) {
    *out = (places){p->count, ARENA_ARRAY(scratch, sort_item, p->count)};
    LIM_TRY_MEMORY(out->item);
    for (int32_t i = 0; i < p->count; ++i) {
        out->item[i] = (sort_item){order(p->item[i].key), p->item[i].value, 0};
    }
    return sort_places(scratch, out);
}

/* (z, x, y) -> (z, y, x) and (y, x, z) */
static uint64_t as_row(uint64_t key) {
    return key_of(key_a(key), key_c(key), key_b(key));
}
static uint64_t as_column(uint64_t key) {
    return key_of(key_c(key), key_b(key), key_a(key));
}

/* The planes of a component: its octets, and the rows and lines from `row` and `line` on, in order
 * of z. */
static void add_planes(builder* b, int32_t begin, int32_t end, int32_t row, int32_t line) {
    box_net* x = b->b;
    for (int32_t o = begin; o < end;) {
        box_plane* p = &x->plane[x->plane_count++];
        int32_t z = x->place[o][2];
        p->octet_begin = o;
        p->row_begin = row;
        p->line_begin = line;
        while (o < end && x->place[o][2] == z) {
            o++;
        }
        while (row < b->rows.begin.count && b->rows.front.data[row] == z) {
            row++;
        }
        while (line < b->lines.begin.count && b->lines.front.data[line] == z) {
            line++;
        }
        p->octet_end = o;
        p->row_end = row;
        p->line_end = line;
    }
}

static lim_result build_component(builder* b, int32_t begin, int32_t end) {
    box_net* x = b->b;
    places ends, plates, octets, row, column, octet_row, octet_column;
    LIM_TRY(reach_rows(b, begin, end, &ends));
    LIM_TRY(reach_columns(b, begin, end, &plates));
    keep_near(&plates, &ends, x->width);
    keep_near(&ends, &plates, x->width);
    for (int32_t i = 0, local = 0; i < ends.count; ++i) {
        local = i > 0 && key_a(ends.item[i].key) == key_a(ends.item[i - 1].key) ? local + 1 : 0;
        ends.item[i].value = local;
        x->ends_most = local + 1 > x->ends_most ? local + 1 : x->ends_most;
    }
    for (int32_t i = 0; i < plates.count; ++i) {
        plates.item[i].value = x->plates++;
    }
    octets = (places){end - begin, ARENA_ARRAY(b->scratch, sort_item, end - begin)};
    LIM_TRY_MEMORY(octets.item);
    for (int32_t o = begin; o < end; ++o) {
        const int32_t* at = x->place[o];
        octets.item[o - begin] = (sort_item){key_of(at[2], at[0], at[1]), o, 0};
    }
    LIM_TRY(reorder(b->scratch, &ends, as_row, &row));
    LIM_TRY(reorder(b->scratch, &octets, as_row, &octet_row));
    LIM_TRY(reorder(b->scratch, &plates, as_column, &column));
    LIM_TRY(reorder(b->scratch, &octets, as_column, &octet_column));
    int32_t first_row = b->rows.begin.count, first_line = b->lines.begin.count;
    LIM_TRY(append_lines(b->host, &b->rows, &octet_row, &row, (x->width + 7) / 8));
    LIM_TRY(append_lines(b->host, &b->lines, &ends, &plates, x->width));
    LIM_TRY(append_lines(b->host, &b->columns, &column, &octet_column, x->width));
    add_planes(b, begin, end, first_row, first_line);
    return LIM_OK;
}

static lim_result finish_axis(arena* a, const axis_builder* from, box_axis* out) {
    int32_t lines = from->begin.count, count = from->from.count;
    *out = (box_axis){.count = lines};
    out->begin = ARENA_ARRAY(a, int32_t, (int64_t)lines + 1);
    out->from = ARENA_ARRAY(a, int32_t, count);
    out->to = ARENA_ARRAY(a, int32_t, count);
    LIM_TRY_MEMORY(out->begin);
    LIM_TRY_MEMORY(out->from);
    LIM_TRY_MEMORY(out->to);
    memcpy(out->begin, from->begin.data, (size_t)lines * sizeof(int32_t));
    memcpy(out->from, from->from.data, (size_t)count * sizeof(int32_t));
    memcpy(out->to, from->to.data, (size_t)count * sizeof(int32_t));
    out->begin[lines] = count;
    for (int32_t l = 0; l < lines; ++l) {
        int32_t length = out->begin[l + 1] - out->begin[l];
        out->longest = length > out->longest ? length : out->longest;
    }
    return LIM_OK;
}

/* Cuts `count` items of known sizes into at most BOX_TASKS ranges of about equal size. */
static int32_t cut_ranges(int32_t count, const int32_t* begin, box_range out[BOX_TASKS]) {
    int64_t total = begin[count];
    int32_t made = 0;
    for (int32_t i = 0; i < count;) {
        int64_t until = total * (made + 1) / BOX_TASKS;
        out[made].begin = i;
        do {
            i++;
        } while (i < count && begin[i + 1] <= until);
        i = made + 1 == BOX_TASKS ? count : i;
        out[made++].end = i;
    }
    return made;
}

static lim_result build(builder* b, arena* a) {
    box_net* x = b->b;
    x->plane = ARENA_ARRAY(a, box_plane, x->octets);
    LIM_TRY_MEMORY(x->plane);
    for (int32_t begin = 0; begin < x->octets;) {
        int32_t end = begin;
        while (end < x->octets && x->place[end][3] == x->place[begin][3]) {
            end++;
        }
        LIM_TRY(build_component(b, begin, end));
        begin = end;
    }
    LIM_TRY(finish_axis(a, &b->rows, &x->rows));
    LIM_TRY(finish_axis(a, &b->lines, &x->lines));
    LIM_TRY(finish_axis(a, &b->columns, &x->columns));
    int32_t* plane_begin = ARENA_ARRAY(b->scratch, int32_t, (int64_t)x->plane_count + 1);
    LIM_TRY_MEMORY(plane_begin);
    for (int32_t p = 0; p < x->plane_count; ++p) {
        plane_begin[p + 1] = x->plane[p].octet_end;
    }
    x->slab_count = cut_ranges(x->plane_count, plane_begin, x->slab);
    x->pile_count = cut_ranges(x->columns.count, x->columns.begin, x->pile);
    return LIM_OK;
}

static void axis_free(const lim_host* host, axis_builder* x) {
    ARRAY_FREE(host, &x->begin);
    ARRAY_FREE(host, &x->from);
    ARRAY_FREE(host, &x->to);
    ARRAY_FREE(host, &x->front);
}

lim_result box_build(arena* a, arena* scratch, const int32_t (*place)[4], const uint8_t* mask,
                     int32_t octets, int32_t width, box_net* out) {
    *out = (box_net){.width = width, .octets = octets};
    out->place = arena_alloc(a, (size_t)octets, sizeof *out->place);
    LIM_TRY_MEMORY(out->place);
    memcpy(out->place, place, (size_t)octets * sizeof *place);
    builder b = {.host = &a->host, .scratch = scratch, .b = out, .mask = mask};
    lim_result result = build(&b, a);
    axis_free(b.host, &b.rows);
    axis_free(b.host, &b.lines);
    axis_free(b.host, &b.columns);
    return result;
}

/* Instructions of match/match_box_kernel.c, fitted to counts of boxes and figures within 15 %: per
 * place of an axis, and in wide windows per place of a row and binary digit of 2 w + 1. */
enum { WORK_NARROW = 1150, WORK_WIDE = 1800, WORK_DIGIT = 440 };

int64_t box_work(const box_net* b) {
    int64_t rows = b->rows.begin[b->rows.count];
    int64_t all = rows + b->lines.begin[b->lines.count] + b->columns.begin[b->columns.count];
    int64_t digits = 0;
    for (int32_t length = 2 * b->width + 1; length > 1; length /= 2) {
        digits++;
    }
    return b->width == 1 ? WORK_NARROW * all : WORK_WIDE * all + WORK_DIGIT * digits * rows;
}

bool box_holds(const box_net* b, int32_t region, int32_t slot) {
    const int32_t *at = b->place[region / 8], *to = b->place[slot / 8];
    int32_t w = b->width, x = 8 * (to[0] - at[0]) + slot % 8 - region % 8;
    int32_t y = to[1] - at[1], z = to[2] - at[2];
    return at[3] == to[3] && x <= w && -x <= w && y <= w && -y <= w && z <= w && -z <= w;
}

/* Windows of octets of doubles along a line. */
static void line_sums(const box_axis* x, int32_t line, int32_t w, const double* in, double* out) {
    const int32_t* from = x->from + x->begin[line];
    const int32_t* to = x->to + x->begin[line];
    int32_t count = x->begin[line + 1] - x->begin[line];
    for (int32_t k = 0; k < count; ++k) {
        if (to[k] < 0) {
            continue;
        }
        double* sum = out + 8 * (size_t)to[k];
        memset(sum, 0, 8 * sizeof(double));
        int32_t low = k > w ? k - w : 0, high = k + w < count ? k + w : count - 1;
        for (int32_t j = low; j <= high; ++j) {
            for (int lane = 0; lane < 8 && from[j] >= 0; ++lane) {
                sum[lane] += in[8 * (size_t)from[j] + (size_t)lane];
            }
        }
    }
}

/* Windows along a row, lane by lane. */
static void row_sums(const box_axis* x, int32_t line, int32_t w, const double* in, double* out) {
    const int32_t* from = x->from + x->begin[line];
    const int32_t* to = x->to + x->begin[line];
    int32_t count = x->begin[line + 1] - x->begin[line];
    for (int32_t k = 0; k < 8 * count; ++k) {
        if (to[k / 8] < 0) {
            continue;
        }
        double sum = 0.0;
        int32_t low = k > w ? k - w : 0, high = k + w < 8 * count ? k + w : 8 * count - 1;
        for (int32_t j = low; j <= high; ++j) {
            sum += from[j / 8] >= 0 ? in[8 * (size_t)from[j / 8] + (size_t)(j % 8)] : 0.0;
        }
        out[8 * (size_t)to[k / 8] + (size_t)(k % 8)] = sum;
    }
}

lim_result box_sums(const box_net* b, arena* scratch, const double* in, double* out) {
    double* ends = ARENA_ARRAY(scratch, double, 8 * (int64_t)b->ends_most);
    double* plates = ARENA_ARRAY(scratch, double, 8 * (int64_t)b->plates);
    LIM_TRY_MEMORY(ends);
    LIM_TRY_MEMORY(plates);
    for (int32_t p = 0; p < b->plane_count; ++p) {
        for (int32_t l = b->plane[p].row_begin; l < b->plane[p].row_end; ++l) {
            row_sums(&b->rows, l, b->width, in, ends);
        }
        for (int32_t l = b->plane[p].line_begin; l < b->plane[p].line_end; ++l) {
            line_sums(&b->lines, l, b->width, ends, plates);
        }
    }
    for (int32_t l = 0; l < b->columns.count; ++l) {
        line_sums(&b->columns, l, b->width, plates, out);
    }
    return LIM_OK;
}

#define DECLARE(set, suffix) extern const box_kernels box_kernels_##suffix;
ISA_LIST(DECLARE)

const box_kernels* box_kernels_for(isa set) {
    switch (set) {
#define CASE(set, suffix)                                                                          \
    case set:                                                                                      \
        return &box_kernels_##suffix;
        ISA_LIST(CASE)
    default:
        return &ISA_BASE(box_kernels);
    }
}

size_t box_work_floats(const box_net* b, int32_t fields) {
    size_t row = (size_t)box_row_floats(b->rows.longest);
    size_t records = (size_t)b->ends_most + (size_t)b->plates;
    return BOX_SUFFIX + row * (size_t)(fields + 1) + records * 8 * (size_t)fields;
}
