/* SPDX-License-Identifier: MIT
 * Job: a topology as bytes and back. In: a topology, or bytes that may be anything. Out: bytes, or
 * a checked topology. One list of scalars and one table of arrays drive size, writing and reading.
 * Reading takes memory for an array only when its bytes are there, then checks every index
 * (body/topology_valid.c).
 */
#include "base/stream.h"
#include "body/topology.h"

/* Which arrays that need not be there are there. */
typedef struct optional_arrays {
    bool tangent, uv, colour, weights;
    bool attribute[ATTRIBUTES], mass, stiffness; /* mass: and the regions' densities */
    bool unglued, widths;
} optional_arrays;

/* Only there when a component has several charts. */
#define CHARTED(count) (charts_many(&t->charts) ? (int64_t)(count) : 0)

/* Only there over a lattice. */
#define LATTICE(count) (t->bind.cell_count > 0 ? (int64_t)(count) : -1)

/* Only there over an octree. */
#define OCTREE(count) (t->kind->nodes == LIM_NODES_IN_CELLS ? (int64_t)(count) : -1)

/* Only there where there is material: over an octree or a lattice. */
#define MATTER(count) (t->kind->edits ? (int64_t)(count) : -1)

/* X(array, count of elements, words per element, bytes per word), in the order of the bytes. Counts
 * are 64 bit and may use scalars and arrays that come before. */
#define TOPOLOGY_ARRAYS(X)                                                                         \
    X(position, (int64_t)t->vertex_count, 3, 8)                                                    \
    X(normal, (int64_t)t->vertex_count, 3, 4)                                                      \
    X(tangent, optional->tangent ? (int64_t)t->vertex_count : -1, 4, 4)                            \
    X(uv, optional->uv ? (int64_t)t->vertex_count : -1, 2, 4)                                      \
    X(colour, optional->colour ? (int64_t)t->vertex_count : -1, 4, 4)                              \
    X(attribute[0], optional->attribute[0] ? (int64_t)t->vertex_count : -1, 1, 4)                  \
    X(attribute[1], optional->attribute[1] ? (int64_t)t->vertex_count : -1, 1, 4)                  \
    X(attribute[2], optional->attribute[2] ? (int64_t)t->vertex_count : -1, 1, 4)                  \
    X(indices, (int64_t)t->triangle_count, 3, 4)                                                   \
    X(submesh, (int64_t)t->triangle_count, 1, 4)                                                   \
    X(vertex_point, (int64_t)t->vertex_count, 1, 4)                                                \
    X(node_slot, (int64_t)t->node_count, 1, 4)                                                     \
    X(slot_node, (int64_t)t->slot_count, 1, 4)                                                     \
    X(key, (int64_t)t->slot_count, 1, 8)                                                           \
    X(fragment, (int64_t)t->slot_count, 1, 2)                                                      \
    X(x0[0], (int64_t)t->slot_count, 1, 4)                                                         \
    X(x0[1], (int64_t)t->slot_count, 1, 4)                                                         \
    X(x0[2], (int64_t)t->slot_count, 1, 4)                                                         \
    X(centre[0], (int64_t)t->slot_count, 1, 4)                                                     \
    X(centre[1], (int64_t)t->slot_count, 1, 4)                                                     \
    X(centre[2], (int64_t)t->slot_count, 1, 4)                                                     \
    X(volume, (int64_t)t->slot_count, 1, 4)                                                        \
    X(mass, optional->mass ? (int64_t)t->slot_count : -1, 1, 4)                                    \
    X(side, (int64_t)t->slot_count, 1, 4)                                                          \
    X(slot_component, (int64_t)t->slot_count, 1, 4)                                                \
    X(component_begin, (int64_t)t->component_count + 1, 1, 4)                                      \
    X(component_origin, (int64_t)t->component_count, 1, 4)                                         \
    X(charts.begin, (int64_t)t->charts.count + 1, 1, 4)                                            \
    X(charts.component, (int64_t)t->charts.count, 1, 4)                                            \
    X(charts.node, (int64_t)t->charts.count, 1, 4)                                                 \
    X(charts.origin[0], (int64_t)t->charts.count, 1, 4)                                            \
    X(charts.origin[1], (int64_t)t->charts.count, 1, 4)                                            \
    X(charts.origin[2], (int64_t)t->charts.count, 1, 4)                                            \
    X(charts.ghost_begin, CHARTED((int64_t)t->charts.count + 1), 1, 4)                             \
    X(charts.ghost_node, (int64_t)t->charts.ghost_count, 1, 4)                                     \
    X(charts.node_offset, CHARTED((int64_t)t->charts.slots + 1), 1, 4)                             \
    X(charts.node_ghost, CHARTED(t->charts.node_offset[t->charts.slots]), 1, 4)                    \
    X(charts.ghost_blocks, (int64_t)t->charts.ghost_block_count, 4, 4)                             \
    X(blocks, (int64_t)t->block_count, 4, 4)                                                       \
    X(edge_offset, (int64_t)t->slot_count + 1, 1, 4)                                               \
    X(edge_node, (int64_t)t->edge_count, 1, 4)                                                     \
    X(edge_length, (int64_t)t->edge_count, 1, 2)                                                   \
    X(net.forward_offset, (int64_t)t->net.record_count + 1, 1, 4)                                  \
    X(net.forward, (int64_t)t->net.forward_offset[t->net.record_count], 1, 4)                      \
    X(net.forward_weight,                                                                          \
      optional->weights ? (int64_t)t->net.forward_offset[t->net.record_count] : -1, 1, 4)          \
    X(net.back_offset, (int64_t)t->net.record_count + 1, 1, 4)                                     \
    X(net.back, (int64_t)t->net.back_offset[t->net.record_count], 1, 4)                            \
    X(net.back_weight, optional->weights ? (int64_t)t->net.back_offset[t->net.record_count] : -1,  \
      1, 4)                                                                                        \
    X(regions.weight, (int64_t)t->regions.padded, 1, 4)                                            \
    X(regions.inv_mass, (int64_t)t->regions.padded, 1, 4)                                          \
    X(regions.c0[0], (int64_t)t->regions.padded, 1, 4)                                             \
    X(regions.c0[1], (int64_t)t->regions.padded, 1, 4)                                             \
    X(regions.c0[2], (int64_t)t->regions.padded, 1, 4)                                             \
    X(regions.a0[0], (int64_t)t->regions.padded, 1, 4)                                             \
    X(regions.a0[1], (int64_t)t->regions.padded, 1, 4)                                             \
    X(regions.a0[2], (int64_t)t->regions.padded, 1, 4)                                             \
    X(regions.a0[3], (int64_t)t->regions.padded, 1, 4)                                             \
    X(regions.a0[4], (int64_t)t->regions.padded, 1, 4)                                             \
    X(regions.a0[5], (int64_t)t->regions.padded, 1, 4)                                             \
    X(regions.sigma2, (int64_t)t->regions.padded, 1, 4)                                            \
    X(regions.density, optional->mass ? (int64_t)t->regions.padded : -1, 1, 4)                     \
    X(stiffness, optional->stiffness ? (int64_t)t->slot_count : -1, 1, 4)                          \
    X(regions.stiffness, optional->stiffness ? (int64_t)t->regions.padded : -1, 1, 4)              \
    X(regions.seed_region, (int64_t)t->slot_count, 1, 4)                                           \
    X(region_component, (int64_t)t->regions.padded, 1, 4)                                          \
    X(inv_weight, (int64_t)t->net.node_count, 1, 4)                                                \
    X(fit_mass, (int64_t)t->net.node_count, 1, 4)                                                  \
    X(bind.bind, (int64_t)t->bind.count, 2 * BINDING_NODES, 4)                                     \
    X(bind.rest[0], (int64_t)t->bind.count, 1, 4)                                                  \
    X(bind.rest[1], (int64_t)t->bind.count, 1, 4)                                                  \
    X(bind.rest[2], (int64_t)t->bind.count, 1, 4)                                                  \
    X(felt, (int64_t)t->felt_count, 3, 4)                                                          \
    X(coarse, (int64_t)t->coarse_count, 3, 4)                                                      \
    X(bind.component, (int64_t)t->bind.count, 1, 4)                                                \
    X(bind.corner, LATTICE(t->bind.cell_count), 8, 4)                                              \
    X(bind.cell, LATTICE(t->bind.count), 1, 4)                                                     \
    X(bind.local[0], LATTICE(t->bind.count), 1, 4)                                                 \
    X(bind.local[1], LATTICE(t->bind.count), 1, 4)                                                 \
    X(bind.local[2], LATTICE(t->bind.count), 1, 4)                                                 \
    X(density, optional->mass ? LATTICE(t->slot_count) : -1, 1, 4)                                 \
    X(matter.key, MATTER(t->matter.count), 1, 8)                                                   \
    X(matter.mask, MATTER(t->matter.count), 1, 8)                                                  \
    X(matter.soft, MATTER(t->matter.count), 1, 8)                                                  \
    X(matter.volume, MATTER(t->matter.count), 1, 8)                                                \
    X(matter.centroid, MATTER(t->matter.count), 3, 8)                                              \
    X(matter.moment, MATTER(t->matter.count), 6, 8)                                                \
    X(matter.edge_offset, MATTER((int64_t)t->matter.count + 1), 1, 4)                              \
    X(matter.edge_node, MATTER(t->matter.edge_offset[t->matter.count]), 1, 4)                      \
    X(matter.component, MATTER(t->matter.count), 1, 4)                                             \
    X(matter.unglued, optional->unglued ? (int64_t)t->matter.count : -1, 1, 4)                     \
    X(matter.glue, optional->unglued ? 2 * (int64_t)t->matter.glued_edges : -1, 1, 4)              \
    X(matter.wall, MATTER(t->matter.wall_count), 1 + MATTER_WAYS, 8)                               \
    X(fragment_slot, MATTER(t->matter.count), 1, 4)                                                \
    X(fragment_density, optional->mass ? OCTREE(t->matter.count) : -1, 1, 4)                       \
    X(fragment_stiffness, optional->stiffness ? OCTREE(t->matter.count) : -1, 1, 4)                \
    X(fragment_width, optional->widths ? MATTER(t->matter.count) : -1, 1, 4)                       \
    X(point_home, OCTREE(t->bind.count), 1, 4)                                                     \
    X(skin_point, MATTER((int64_t)t->point_count - 1), 3, 8)                                       \
    X(source, MATTER(t->source_count), 9, 4)

static void stream_point(stream* s, lim_point* p) {
    stream_f64(s, &p->x);
    stream_f64(s, &p->y);
    stream_f64(s, &p->z);
}

_Static_assert(sizeof(((lim_model_info*)0)->level_nodes) == (OCTANT_LEVELS + 1) * sizeof(int32_t),
               "one entry per level");

/* What edits start from: nothing of points. */
static void stream_material(stream* s, topology* t, optional_arrays* optional) {
    matter* m = &t->matter;
    int32_t kind = (int32_t)t->region_kind;
    int32_t* counts[] = {&m->level,      &m->count,        &m->component_count, &m->glued_edges,
                         &m->wall_count, &t->source_count, &t->own_submeshes,   &kind};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        stream_i32(s, counts[i]);
        s->failed = s->failed || *counts[i] < 0;
    }
    s->failed = s->failed || kind > LIM_REGIONS_INTERVAL;
    t->region_kind = (lim_region_kind)kind;
    stream_f64(s, &m->side);
    stream_f64(s, &m->sub);
    stream_point(s, &m->corner);
    stream_f32(s, &t->own_width);
    stream_bool(s, &t->felt_coarse);
    stream_u64(s, &t->revision);
    stream_bool(s, &optional->unglued);
    stream_bool(s, &optional->widths);
    s->failed = s->failed || (optional->unglued && !t->kind->edits);
}

/* build_seconds stays out: the same model gives the same bytes. */
static void stream_info(stream* s, lim_model_info* info) {
    int32_t* counts[] = {&info->nodes,  &info->regions, &info->edges,     &info->components,
                         &info->levels, &info->cells,   &info->fragments, &info->glued_edges};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        stream_i32(s, counts[i]);
    }
    stream_array(s, info->level_nodes, OCTANT_LEVELS + 1, sizeof(int32_t));
    stream_f32(s, &info->cell_size);
    stream_f32(s, &info->coarsest_size);
    stream_f64(s, &info->volume);
    stream_point(s, &info->centre);
    stream_point(s, &info->bounds.lower);
    stream_point(s, &info->bounds.upper);
    stream_f64(s, &info->members_per_region);
    stream_f64(s, &info->inputs_per_region);
}

static void stream_scalars(stream* s, topology* t, optional_arrays* optional) {
    int32_t* counts[] = {&t->vertex_count,       &t->triangle_count,
                         &t->submesh_count,      &t->point_count,
                         &t->node_count,         &t->slot_count,
                         &t->component_count,    &t->block_count,
                         &t->edge_count,         &t->levels,
                         &t->net.layers,         &t->net.record_count,
                         &t->net.node_count,     &t->net.region_count,
                         &t->regions.count,      &t->regions.padded,
                         &t->bind.count,         &t->charts.count,
                         &t->charts.slots,       &t->charts.components,
                         &t->charts.ghost_count, &t->charts.ghost_block_count,
                         &t->bind.cell_count,    &t->felt_count,
                         &t->coarse_count};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        stream_i32(s, counts[i]);
        s->failed = s->failed || *counts[i] < 0;
    }
    stream_i32(s, &t->regions.box);
    stream_i32(s, &t->box.width);
    s->failed =
        s->failed || t->regions.box < 0 || t->box.width < 0 || t->box.width > BOX_WIDTH_MOST;
    int32_t kind = (int32_t)t->kind->id;
    stream_i32(s, &kind);
    const body_kind* row = kind_of((lim_kind)kind);
    s->failed = s->failed || row == NULL;
    t->kind = row != NULL ? row : t->kind;
    t->info.kind = t->kind->id;
    stream_i32(s, &t->row_axis);
    stream_array(s, t->net.first, NET_LAYERS + 1, sizeof(int32_t));
    stream_f64(s, &t->regions.members);
    stream_f64(s, &t->regions.inputs);
    stream_f64(s, &t->unit);
    stream_point(s, &t->rest_origin);
    stream_point(s, &t->centre_of_mass);
    stream_f64(s, &t->volume_sum);
    stream_f32(s, &t->extent);
    stream_f32(s, &t->cell);
    stream_f32(s, &t->region_width);
    t->info.region_width = t->region_width;
    stream_f32(s, &t->bind.cell_edge);
    stream_info(s, &t->info);
    stream_bool(s, &optional->tangent);
    stream_bool(s, &optional->uv);
    stream_bool(s, &optional->colour);
    stream_bool(s, &optional->weights);
    for (int k = 0; k < ATTRIBUTES; ++k) {
        stream_bool(s, &optional->attribute[k]);
    }
    stream_bool(s, &optional->mass);
    stream_bool(s, &optional->stiffness);
    stream_material(s, t, optional);
}

/* Counting and writing: the topology is only looked at, through a shallow copy. */
static void put(stream* s, const topology* given) {
    topology copy = *given;
    topology* t = &copy;
    optional_arrays there = {.tangent = t->tangent != NULL,
                             .uv = t->uv != NULL,
                             .colour = t->colour != NULL,
                             .weights = t->net.forward_weight != NULL,
                             .mass = t->mass != t->volume,
                             .stiffness = t->regions.stiffness != NULL,
                             .unglued = t->matter.unglued != NULL,
                             .widths = t->fragment_width != NULL};
    for (int k = 0; k < ATTRIBUTES; ++k) {
        there.attribute[k] = t->attribute[k] != NULL;
    }
    optional_arrays* optional = &there;
    stream_scalars(s, t, optional);
#define PUT(array, count, words, width)                                                            \
    if ((count) > 0) {                                                                             \
        stream_array(s, t->array, (count) * (words), (width));                                     \
    }
    TOPOLOGY_ARRAYS(PUT)
#undef PUT
}

/* Memory for one array and its bytes; null (and no failure) for a count below 0: not there. */
static void* get_array(stream* s, arena* a, int64_t count, int64_t words, size_t width,
                       bool* out_memory) {
    if (count < 0 || s->failed || !stream_has(s, count, (size_t)words * width)) {
        return NULL;
    }
    void* data = arena_alloc(a, (size_t)count, (size_t)words * width);
    if (data == NULL) {
        *out_memory = false;
        return NULL;
    }
    stream_array(s, data, count * words, width);
    return data;
}

/* The layout of windows follows from the slots. */
static lim_result get_windows(topology* t) {
    arena scratch;
    arena_init(&scratch, &t->mem.host);
    region_nodes nodes = topology_nodes(t);
    lim_result result = lattice_windows(&t->mem, &scratch, &nodes, t->slot_component, t->row_axis,
                                        t->box.width, &t->box);
    arena_release(&scratch);
    return result;
}

/* A count below zero means "not there" for optional arrays only; the scalars were checked, and what
 * an offset array ends with is checked here. */
static lim_result get(stream* s, topology* t) {
    optional_arrays there = {0};
    optional_arrays* optional = &there;
    bool memory = true;
    stream_scalars(s, t, optional);
#define GET(array, count, words, width)                                                            \
    if (!s->failed && memory) {                                                                    \
        _Static_assert(sizeof(*t->array) == (width) || sizeof(*t->array) == (words) * (width),     \
                       "element size of " #array);                                                 \
        t->array = get_array(s, &t->mem, (count), (words), (width), &memory);                      \
    }
    TOPOLOGY_ARRAYS(GET)
#undef GET
    if (!memory) {
        return LIM_ERROR_MEMORY;
    }
    t->mass = there.mass ? t->mass : t->volume;
    t->point_home = t->kind->nodes == LIM_NODES_AT_CORNERS ? t->bind.cell : t->point_home;
    bool lists = !s->failed && t->net.forward != NULL && t->net.back != NULL;
    bool valid = lists && s->at == s->size && topology_is_valid(t);
    valid = valid && (t->regions.box == 0) == (t->box.width == 0);
    return !valid ? LIM_ERROR_FORMAT : t->regions.box > 0 ? get_windows(t) : LIM_OK;
}

size_t topology_bytes(const topology* t) {
    stream s = stream_count();
    put(&s, t);
    return s.at;
}

void topology_write(const topology* t, unsigned char* out) {
    stream s = stream_write(out);
    put(&s, t);
}

lim_result topology_read(const unsigned char* bytes, size_t size, const lim_host* host,
                         topology** out) {
    lim_host hooks = mem_host(host);
    topology* t = mem_alloc(&hooks, 1, sizeof *t);
    LIM_TRY_MEMORY(t);
    arena_init(&t->mem, &hooks);
    t->references = 1;
    t->kind = kind_of(LIM_KIND_OCTREE); /* until the bytes say it */
    stream s = stream_read(bytes, size);
    lim_result result = get(&s, t);
    if (result == LIM_OK) {
        arena scratch;
        arena_init(&scratch, &hooks);
        result = topology_derive(t, &scratch, NULL);
        arena_release(&scratch);
    }
    if (result != LIM_OK) {
        topology_destroy(t);
        return result;
    }
    *out = t;
    return LIM_OK;
}
