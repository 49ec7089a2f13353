/* SPDX-License-Identifier: MIT
 * Job: leave slivers out. In: a skin after a cut, its parts. Out: the same without those that hold
 * next to nothing. Most cuts have none, and are told by volume and area: a sliver holds at most its
 * area times what is near. Of those that do, all of the faces of this and of earlier cuts must have
 * another side near, and all of the mesh's skin must be near such a face: so nothing goes that has
 * a thick end, nor what was cut from a body that is thin itself.
 */
#include "edit/slivers.h"

#include "edit/crumbs.h"
#include "edit/cut_faces.h"
#include "mesh/triangle.h"

/* Sides of a sliver are no farther from each other, in finest cells. */
static const double NEAR = 1e-3;

typedef enum triangle_kind { OF_MESH, OF_CUT, OF_EARLIER_CUT } triangle_kind;

/* Triangles of the skin, or of what bodies feel, after a cut. */
typedef struct slicing {
    arena* a;
    const topology* before;
    const surface_change* change;
    int32_t old, points; /* of the skin, welded: before; after */
    double near;         /* unit space */
    const int32_t* triangle;
    int32_t count, faces; /* the last ones are faces of this cut, in pairs */
    const int32_t* part;  /* per triangle */
    int32_t part_count;
    const uint8_t* kind; /* per triangle */
} slicing;

static lim_point place(const slicing* s, int32_t point) {
    return point < s->old      ? s->before->skin_point[point]
           : point < s->points ? s->change->point[point - s->old]
                               : s->change->felt_point[point - s->points];
}

static face_shape shape_of(const slicing* s, int32_t triangle) {
    const int32_t* v = s->triangle + 3 * (size_t)triangle;
    return face_shape_of(place(s, v[0]), place(s, v[1]), place(s, v[2]));
}

/* ---- what lies near a place --------------------------------------------------------------------
 */

/* Whose normals count: all, those against the one given, those along it or against it. */
typedef enum looks { LOOK_ANYWHERE, LOOK_AGAINST, LOOK_ALIKE } looks;

/* Some of the triangles, and a question about them. */
typedef struct crowd {
    const slicing* s;
    int32_t* name; /* of each triangle of the tree */
    bvh* tree;
    lim_point at, normal; /* is there one near `at` that looks so? */
    looks look;
    bool cuts; /* faces of cuts alone */
    bool found;
} crowd;

static bool meet(void* user, int32_t which) {
    crowd* c = user;
    int32_t t = c->name[which];
    double weights[3];
    if (c->cuts && c->s->kind[t] == OF_MESH) {
        return true;
    }
    face_shape other = shape_of(c->s, t);
    double along = p3_dot(other.normal, c->normal);
    bool so = c->look == LOOK_ANYWHERE || along < -0.5 || (c->look == LOOK_ALIKE && along > 0.5);
    c->found = so && triangle_closest(other.at[0], other.at[1], other.at[2], c->at, weights) <=
                         c->s->near * c->s->near;
    return !c->found;
}

static bool ask(crowd* c, lim_point at, lim_point normal, looks look, bool cuts) {
    double reach = c->s->near + 1e-6; /* the tree has floats */
    lim_point r = p3(reach, reach, reach);
    c->at = at;
    c->normal = normal;
    c->look = look;
    c->cuts = cuts;
    c->found = false;
    bvh_visit(c->tree, v3_of(p3_sub(at, r)), v3_of(p3_add(at, r)), meet, c);
    return c->found;
}

/* The triangles of a part; -1: the faces of earlier cuts, of all. */
static lim_result gather(const slicing* s, arena* mem, int32_t part, crowd* out) {
    int32_t n = 0;
    *out = (crowd){.s = s, .name = ARENA_ROOM(mem, int32_t, s->count)};
    LIM_TRY_MEMORY(out->name);
    for (int32_t t = 0; t < s->count; ++t) {
        if (part < 0 ? s->kind[t] == OF_EARLIER_CUT : s->part[t] == part) {
            out->name[n++] = t;
        }
    }
    lim_vec3* point = ARENA_ROOM(mem, lim_vec3, 3 * (size_t)n);
    int32_t* corner = ARENA_ROOM(mem, int32_t, 3 * (size_t)n);
    LIM_TRY_MEMORY(point);
    LIM_TRY_MEMORY(corner);
    for (int32_t i = 0; i < 3 * n; ++i) {
        corner[i] = i;
        point[i] = v3_of(place(s, s->triangle[3 * (size_t)out->name[i / 3] + (size_t)(i % 3)]));
    }
    return bvh_build(mem, point, corner, n, &out->tree);
}

/* ---- parts --------------------------------------------------------------------------------------
 */

typedef struct bulk {
    lim_point origin;
    double volume, area; /* 6 times, twice */
    bool cut;            /* it has faces of this cut */
    bool split;          /* and both sides of one: a slit */
} bulk;

static lim_result measure(const slicing* s, arena* mem, bulk** out) {
    bulk* of = ARENA_ARRAY(mem, bulk, s->part_count);
    LIM_TRY_MEMORY(of);
    int32_t first = s->count - s->faces;
    for (int32_t t = 0; t < s->count; ++t) {
        bulk* b = &of[s->part[t]];
        b->origin = place(s, s->triangle[3 * (size_t)t]);
        b->cut = b->cut || t >= first;
        b->split = b->split || (t >= first && s->part[first + ((t - first) ^ 1)] == s->part[t]);
    }
    for (int32_t t = 0; t < s->count; ++t) {
        bulk* b = &of[s->part[t]];
        if (!b->cut || b->split) {
            continue;
        }
        lim_point p[3];
        for (int k = 0; k < 3; ++k) { /* from a place in it: little is lost where it is thin */
            p[k] = p3_sub(place(s, s->triangle[3 * (size_t)t + (size_t)k]), b->origin);
        }
        b->volume += p3_dot(p[0], p3_cross(p[1], p[2]));
        b->area += p3_length(p3_cross(p3_sub(p[1], p[0]), p3_sub(p[2], p[0])));
    }
    *out = of;
    return LIM_OK;
}

/* Has a triangle of a part another side near? */
static bool is_thin(crowd* c, int32_t triangle) {
    const slicing* s = c->s;
    face_shape of = shape_of(s, triangle);
    if (s->kind[triangle] != OF_MESH) { /* normals of what is slender say nothing */
        return of.height <= 2.0 * s->near || ask(c, of.middle, of.normal, LOOK_AGAINST, false);
    }
    bool near = true;
    for (int k = 0; k < 3 && near; ++k) {
        near = ask(c, of.at[k], of.normal, LOOK_ANYWHERE, true);
    }
    return near;
}

static lim_result is_sliver(const slicing* s, arena* mem, int32_t part, const bulk* b, bool* out) {
    *out = b->cut && !b->split && fabs(b->volume / 6.0) <= s->near * 0.5 * b->area;
    if (!*out) {
        return LIM_OK;
    }
    crowd own;
    LIM_TRY(gather(s, mem, part, &own));
    for (int32_t t = 0; t < s->count && *out; ++t) {
        *out = s->part[t] != part || is_thin(&own, t);
    }
    return LIM_OK;
}

/* Per part, in s->a: it is a sliver. */
static lim_result find(const slicing* s, arena* mem, uint8_t** out, bool* out_any) {
    bulk* of;
    *out = ARENA_ARRAY(s->a, uint8_t, s->part_count);
    LIM_TRY_MEMORY(*out);
    LIM_TRY(measure(s, mem, &of));
    *out_any = false;
    for (int32_t i = 0; i < s->part_count; ++i) {
        bool sliver;
        LIM_TRY(is_sliver(s, mem, i, &of[i], &sliver));
        (*out)[i] = sliver;
        *out_any = *out_any || sliver;
    }
    return LIM_OK;
}

/* Does a piece of the blade part what was one? Not where it takes a sliver off, nor along a face of
 * an earlier cut, where there would be a flap. Normals of what is slender say nothing. */
static bool parts_any(const slicing* s, const uint8_t* sliver, int32_t face, crowd* earlier) {
    if (sliver[s->part[face]] || sliver[s->part[face + 1]]) {
        return false;
    }
    face_shape of = shape_of(s, face);
    looks look = of.height > 2.0 * s->near ? LOOK_ALIKE : LOOK_ANYWHERE;
    return !ask(earlier, of.middle, of.normal, look, true);
}

static lim_result is_new(const slicing* s, arena* mem, const uint8_t* sliver, bool* out) {
    crowd earlier;
    LIM_TRY(gather(s, mem, -1, &earlier));
    *out = false;
    for (int32_t t = s->count - s->faces; t < s->count && !*out; t += 2) {
        *out = parts_any(s, sliver, t, &earlier);
    }
    return LIM_OK;
}

/* ---- skin and what is felt ----------------------------------------------------------------------
 */

static lim_result take_skin(slicing* s, const surface_cut* skin) {
    const surface_change* c = s->change;
    int32_t* triangle = ARENA_ROOM(s->a, int32_t, 3 * (size_t)c->triangle_count);
    int32_t* part = ARENA_ROOM(s->a, int32_t, c->triangle_count);
    uint8_t *kind = ARENA_ROOM(s->a, uint8_t, c->triangle_count), *face;
    LIM_TRY_MEMORY(triangle);
    LIM_TRY_MEMORY(part);
    LIM_TRY_MEMORY(kind);
    LIM_TRY(cut_faces_mark(s->a, s->before, c, &face));
    uint32_t olds = (uint32_t)s->before->vertex_count;
    uint32_t mesh = olds - (uint32_t)s->before->source_count;
    for (int32_t i = 0; i < 3 * c->triangle_count; ++i) {
        uint32_t vertex = c->indices[i];
        triangle[i] =
            vertex < olds ? s->before->vertex_point[vertex] : c->vertex_point[vertex - olds];
        part[i / 3] = skin->point_part[triangle[i]];
        uint8_t mark = vertex >= mesh ? face[vertex - mesh] : 0;
        kind[i / 3] = mark == FACE_EARLIER ? OF_EARLIER_CUT : mark == FACE_NEW ? OF_CUT : OF_MESH;
    }
    s->faces = skin->inner_triangles;
    s->triangle = triangle;
    s->part = part;
    s->kind = kind;
    s->count = c->triangle_count;
    s->part_count = skin->part_count;
    return LIM_OK;
}

/* What bodies feel may be coarser than the skin, with points of its own. */
static lim_result take_felt(slicing* s, const surface_cut* skin) {
    const surface_change* c = s->change;
    int32_t* part = ARENA_ROOM(s->a, int32_t, c->felt_count);
    uint8_t* kind = ARENA_ROOM(s->a, uint8_t, c->felt_count);
    LIM_TRY_MEMORY(part);
    LIM_TRY_MEMORY(kind);
    LIM_TRY(
        cut_parts(s->a, s->points + c->felt_points, c->felt, c->felt_count, part, &s->part_count));
    s->triangle = c->felt;
    s->part = part;
    s->kind = kind;
    s->count = c->felt_count;
    s->faces = skin->felt_faces;
    for (int32_t t = 0; t < s->count; ++t) { /* of others it is not known what they are */
        kind[t] = t < s->count - s->faces ? OF_EARLIER_CUT : OF_CUT;
    }
    return LIM_OK;
}

/* Slivers without a point of the skin; the others go with the skin. */
static lim_result drop_from_felt(slicing* s, arena* mem, surface_cut* skin) {
    surface_change* c = &skin->change;
    uint8_t* sliver;
    bool any;
    int32_t kept = 0;
    LIM_TRY(take_felt(s, skin));
    LIM_TRY(find(s, mem, &sliver, &any));
    int32_t* felt = ARENA_ROOM(s->a, int32_t, 3 * (size_t)c->felt_count);
    LIM_TRY_MEMORY(felt);
    for (int32_t i = 0; i < 3 * c->felt_count; ++i) {
        if (c->felt[i] < s->points) {
            sliver[s->part[i / 3]] = 0;
        }
    }
    for (int32_t i = 0; i < 3 * c->felt_count; ++i) {
        if (!sliver[s->part[i / 3]]) {
            felt[kept++] = c->felt[i];
        }
    }
    c->felt = felt;
    c->felt_count = kept / 3;
    return LIM_OK;
}

static lim_result drop(slicing* s, arena* mem, surface_cut* skin, bool* out_new) {
    uint8_t* sliver;
    bool any;
    LIM_TRY(take_skin(s, skin));
    LIM_TRY(find(s, mem, &sliver, &any));
    if (out_new != NULL) {
        LIM_TRY(is_new(s, mem, sliver, out_new));
    }
    if (!any) {
        return LIM_OK;
    }
    for (int32_t t = s->count - s->faces; t < s->count; ++t) {
        skin->inner_triangles -= sliver[s->part[t]];
    }
    LIM_TRY(skin->felt_from_skin ? LIM_OK : drop_from_felt(s, mem, skin));
    return crumbs_leave_out(s->a, s->before, sliver, skin);
}

lim_result slivers_drop(arena* a, const topology* before, surface_cut* skin, bool* out_new) {
    slicing s = {.a = a,
                 .before = before,
                 .change = &skin->change,
                 .old = before->point_count - 1,
                 .points = before->point_count - 1 + skin->change.new_points,
                 .near = NEAR * before->matter.side};
    arena mem;
    arena_init(&mem, &a->host);
    lim_result result = drop(&s, &mem, skin, out_new);
    arena_release(&mem);
    return result;
}
