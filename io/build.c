/* SPDX-License-Identifier: MIT
 * Job: collect what a file says and make a mesh of it. In: vertices, faces, submeshes. Out: a
 * lim_mesh. Attributes that only a part of the vertices have are completed: tangents across the
 * normal, white, texture coordinate 0, and the material's own density and stiffness. Surfaces
 * larger than 1e25 or smaller than 1e-25 are brought to about unit size by a power of two (which
 * changes no digit).
 */
#include "io/build.h"

#include "base/hash.h"

#include <math.h>
#include <string.h>

/* Beyond these sizes squares of lengths leave what floats can hold by so much that no stage could
 * work in the file's unit. */
static const double SIZE_LARGEST = 1e25, SIZE_SMALLEST = 1e-25;

void build_init(mesh_build* build, mesh_reader* reader) {
    *build = (mesh_build){.reader = reader, .submesh_count = 1};
    build->polygon.budget = 20000000;
}

void build_free(mesh_build* build) {
    const lim_host* host = &build->reader->host;
    ARRAY_FREE(host, &build->positions);
    ARRAY_FREE(host, &build->normals);
    ARRAY_FREE(host, &build->tangents);
    ARRAY_FREE(host, &build->uvs);
    ARRAY_FREE(host, &build->colours);
    for (int k = 0; k < ATTRIBUTES; ++k) {
        ARRAY_FREE(host, &build->attributes[k]);
    }
    ARRAY_FREE(host, &build->has);
    ARRAY_FREE(host, &build->indices);
    ARRAY_FREE(host, &build->submeshes);
    ARRAY_FREE(host, &build->face);
    key_table_free(&build->corners, host);
    key_table_free(&build->materials, host);
    polygon_free(&build->polygon, host);
}

/* ---- vertices ---------------------------------------------------------------------------------
 */

/* Writes the values of one vertex into an array that may not have reached it yet. New memory is
 * zero (base/mem.h), so what is skipped reads as 0. */
#define SET_VALUES(host, array, vertex, from, width)                                               \
    (ARRAY_RESERVE((host), (array), ((int64_t)(vertex) + 1) * (width))                             \
         ? (memcpy((array)->data + (size_t)(vertex) * (width), (from), sizeof(float) * (width)),   \
            (array)->count = (array)->count < ((vertex) + 1) * (width) ? ((vertex) + 1) * (width)  \
                                                                       : (array)->count,           \
            true)                                                                                  \
         : false)

/* What a body is made of is no guess: a value that cannot be used fails the file. */
static lim_result check_attribute(mesh_build* build, int32_t vertex, int which, float value) {
    static const char* const name[ATTRIBUTES] = {"density", "stiffness", "size"};
    return attribute_fits(which, value)
               ? LIM_OK
               : reader_fail(build->reader, LIM_ERROR_FORMAT, 0,
                             "the %s of vertex %d is %g; give %s", name[which], (int)vertex,
                             (double)value,
                             which == ATTRIBUTE_SIZE ? "metres, or 0 for no wish"
                                                     : "a factor from 1e-6 to 1e6");
}

lim_result build_vertex_set(mesh_build* build, int32_t vertex, const build_vertex* from) {
    const lim_host* host = &build->reader->host;
    uint32_t has = from->has;
    /* A normal or tangent without direction is none. */
    if ((has & BUILD_NORMAL) != 0) {
        double length = 0.0;
        for (int k = 0; k < 3; ++k) {
            length += (double)from->normal[k] * (double)from->normal[k];
        }
        has = length > 1e-12 && length < 1e12 ? has : has & ~(uint32_t)BUILD_NORMAL;
    }
    if ((has & BUILD_TANGENT) != 0 &&
        !(isfinite(from->tangent[0]) && isfinite(from->tangent[1]) && isfinite(from->tangent[2]))) {
        has &= ~(uint32_t)BUILD_TANGENT;
    }
    if ((has & BUILD_UV) != 0 && !(isfinite(from->uv[0]) && isfinite(from->uv[1]))) {
        has &= ~(uint32_t)BUILD_UV;
    }
    for (int k = 0; k < 4; ++k) {
        if ((has & BUILD_COLOUR) != 0 && !isfinite(from->colour[k])) {
            has &= ~(uint32_t)BUILD_COLOUR;
        }
    }
    bool ok = true;
    if ((has & BUILD_NORMAL) != 0) {
        ok = ok && SET_VALUES(host, &build->normals, vertex, from->normal, 3);
    }
    if ((has & BUILD_TANGENT) != 0) {
        ok = ok && SET_VALUES(host, &build->tangents, vertex, from->tangent, 4);
    }
    if ((has & BUILD_UV) != 0) {
        ok = ok && SET_VALUES(host, &build->uvs, vertex, from->uv, 2);
    }
    if ((has & BUILD_COLOUR) != 0) {
        ok = ok && SET_VALUES(host, &build->colours, vertex, from->colour, 4);
    }
    for (int k = 0; k < ATTRIBUTES; ++k) {
        if ((has & (uint32_t)BUILD_ATTRIBUTE << k) != 0) {
            LIM_TRY(check_attribute(build, vertex, k, from->attribute[k]));
            ok = ok && SET_VALUES(host, &build->attributes[k], vertex, &from->attribute[k], 1);
        }
    }
    if (!ok) {
        return reader_no_memory(build->reader);
    }
    build->has.data[vertex] = (uint8_t)(build->has.data[vertex] | has);
    return LIM_OK;
}

lim_result build_vertex_add(mesh_build* build, const build_vertex* vertex) {
    const lim_host* host = &build->reader->host;
    int32_t count = build->has.count;
    if (!ARRAY_RESERVE(host, &build->positions, 3 * ((int64_t)count + 1)) ||
        !ARRAY_PUSH(host, &build->has, 0)) {
        return reader_no_memory(build->reader);
    }
    memcpy(build->positions.data + 3 * (size_t)count, vertex->position, sizeof vertex->position);
    build->positions.count += 3;
    return vertex->has != 0 ? build_vertex_set(build, count, vertex) : LIM_OK;
}

lim_result build_vertex_at(mesh_build* build, const double position[3], uint32_t* out_vertex) {
    table_key key;
    for (int k = 0; k < 3; ++k) {
        double x = position[k] + 0.0; /* -0 is 0 */
        memcpy(&key.word[k], &x, sizeof x);
    }
    int32_t vertex = 0;
    bool found = false;
    if (!key_table_find(&build->corners, &build->reader->host, key, build->has.count, &vertex,
                        &found)) {
        return reader_no_memory(build->reader);
    }
    *out_vertex = (uint32_t)vertex;
    if (found) {
        return LIM_OK;
    }
    build_vertex made = {.position = {position[0], position[1], position[2]}};
    return build_vertex_add(build, &made);
}

float build_linear(float srgb) {
    double s = (double)srgb;
    if (!(s > 0.04045)) {
        return s > 0.0 ? (float)(s / 12.92) : 0.0f;
    }
    /* x^2.4 = x^2 (x^2)^(1/5); Newton's steps fall to the root from 1 and reach it within 20. */
    double x = s < 1.0 ? (s + 0.055) / 1.055 : 1.0;
    double root = 1.0;
    for (int i = 0; i < 20; ++i) {
        double power = root * root * root * root;
        root -= (root * power - x * x) / (5.0 * power);
    }
    return (float)(x * x * root);
}

/* ---- faces ------------------------------------------------------------------------------------
 */

void build_submesh(mesh_build* build, int32_t submesh) {
    build->submesh = submesh;
    build->submesh_count = build->submesh_count > submesh + 1 ? build->submesh_count : submesh + 1;
}

lim_result build_material(mesh_build* build, const char* name, size_t length) {
    /* 64 bits of hash and the length stand for the name: two names that agree in both would only
     * share a submesh. */
    table_key key = {{hash_bytes(HASH_SEED, name, length), length, 0}};
    int32_t submesh = 0;
    bool found = false;
    if (!key_table_find(&build->materials, &build->reader->host, key,
                        build->materials.entries.count, &submesh, &found)) {
        return reader_no_memory(build->reader);
    }
    build_submesh(build, submesh);
    return LIM_OK;
}

static lim_result add_triangle(mesh_build* build, uint32_t a, uint32_t b, uint32_t c) {
    const lim_host* host = &build->reader->host;
    if (!ARRAY_RESERVE(host, &build->indices, (int64_t)build->indices.count + 3) ||
        !ARRAY_PUSH(host, &build->submeshes, build->submesh)) {
        return reader_no_memory(build->reader);
    }
    uint32_t* to = build->indices.data + build->indices.count;
    to[0] = a;
    to[1] = b;
    to[2] = c;
    build->indices.count += 3;
    return LIM_OK;
}

lim_result build_face(mesh_build* build, int32_t line, const uint32_t* corners, int32_t count) {
    if (count == 3) {
        return add_triangle(build, corners[0], corners[1], corners[2]);
    }
    if (count < 3) {
        reader_mend(build->reader, line, 1, "a face with %d corner%s was left out", (int)count,
                    count == 1 ? "" : "s");
        return LIM_OK;
    }
    build->reader->report.polygons++;
    if (!ARRAY_RESERVE(&build->reader->host, &build->face, 3 * (int64_t)count)) {
        return reader_no_memory(build->reader);
    }
    for (int32_t i = 0; i < count; ++i) {
        memcpy(build->face.data + 3 * (size_t)i, build->positions.data + 3 * (size_t)corners[i],
               3 * sizeof(double));
    }
    build->polygon.budget += 64 * (int64_t)count;
    switch (polygon_triangulate(&build->polygon, &build->reader->host, build->face.data, count)) {
    case POLYGON_NO_MEMORY:
        return reader_no_memory(build->reader);
    case POLYGON_TOO_LARGE:
        reader_mend(build->reader, line, 1,
                    "a polygon of %d corners is too winding to be cut well and became a fan; "
                    "triangulate it in the program that made the file",
                    (int)count);
        break;
    case POLYGON_CROSSING:
        reader_warn(build->reader, line, "a polygon of %d corners crosses itself and became a fan",
                    (int)count);
        break;
    case POLYGON_OK:
        break;
    }
    for (int32_t t = 0; t < build->polygon.triangles.count; t += 3) {
        const int32_t* cut = build->polygon.triangles.data + t;
        LIM_TRY(add_triangle(build, corners[cut[0]], corners[cut[1]], corners[cut[2]]));
    }
    return LIM_OK;
}

lim_result build_strip(mesh_build* build, const uint32_t* corners, int32_t count) {
    for (int32_t i = 0; i + 2 < count; ++i) {
        uint32_t a = corners[i + (i & 1)], b = corners[i + 1 - (i & 1)], c = corners[i + 2];
        if (a != b && b != c && c != a) {
            LIM_TRY(add_triangle(build, a, b, c));
        }
    }
    return LIM_OK;
}

/* ---- the mesh ---------------------------------------------------------------------------------
 */

/* Any direction across the normal will do where no tangent was given. */
static bool complete_tangents(mesh_build* build) {
    int32_t count = build->has.count;
    if (!ARRAY_RESERVE(&build->reader->host, &build->tangents, 4 * (int64_t)count)) {
        return false;
    }
    build->tangents.count = 4 * count;
    for (int32_t v = 0; v < count; ++v) {
        if ((build->has.data[v] & BUILD_TANGENT) != 0) {
            continue;
        }
        float* t = build->tangents.data + 4 * (size_t)v;
        const float* n = build->normals.count > 0 ? build->normals.data + 3 * (size_t)v : NULL;
        float x = n != NULL ? n[0] : 0.0f, y = n != NULL ? n[1] : 0.0f, z = n != NULL ? n[2] : 1.0f;
        bool flat = fabsf(x) < 0.9f;
        t[0] = flat ? 1.0f - x * x : -y * x;
        t[1] = flat ? -x * y : 1.0f - y * y;
        t[2] = flat ? -x * z : -y * z;
        float length = sqrtf(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
        for (int k = 0; k < 3; ++k) {
            t[k] = length > 0.0f ? t[k] / length : k == 0 ? 1.0f : 0.0f;
        }
        t[3] = 1.0f;
    }
    return true;
}

/* Normals that are not given stay zero, for which the mesh computes them. */
static lim_result complete_attributes(mesh_build* build) {
    const lim_host* host = &build->reader->host;
    int32_t count = build->has.count;
    bool ok = true;
    if (build->normals.count > 0) {
        ok = ARRAY_RESERVE(host, &build->normals, 3 * (int64_t)count);
        build->normals.count = 3 * count;
    }
    ok = ok && (build->tangents.count == 0 || complete_tangents(build));
    if (ok && build->uvs.count > 0) {
        ok = ARRAY_RESERVE(host, &build->uvs, 2 * (int64_t)count);
        build->uvs.count = 2 * count;
    }
    if (ok && build->colours.count > 0) {
        ok = ARRAY_RESERVE(host, &build->colours, 4 * (int64_t)count);
        build->colours.count = 4 * count;
        for (int32_t v = 0; ok && v < count; ++v) {
            for (int k = 0; k < 4 && (build->has.data[v] & BUILD_COLOUR) == 0; ++k) {
                build->colours.data[4 * (size_t)v + (size_t)k] = 1.0f;
            }
        }
    }
    for (int k = 0; k < ATTRIBUTES; ++k) {
        if (!ok || build->attributes[k].count == 0) {
            continue;
        }
        ok = ARRAY_RESERVE(host, &build->attributes[k], count);
        build->attributes[k].count = count;
        for (int32_t v = 0; ok && v < count; ++v) {
            if ((build->has.data[v] & BUILD_ATTRIBUTE << k) == 0) {
                build->attributes[k].data[v] = k == ATTRIBUTE_SIZE ? 0.0f : 1.0f;
            }
        }
    }
    return ok ? LIM_OK : reader_no_memory(build->reader);
}

static const float* attribute_of(const mesh_build* build, int which) {
    return build->attributes[which].count > 0 ? build->attributes[which].data : NULL;
}

/* A file in a unit that no float can work with is brought to about unit size. A few corners far out
 * are left alone: the mesh drops their triangles and keeps the rest as it is. */
static void mend_scale(mesh_build* build) {
    double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    int64_t finite = 0, far_out = 0;
    for (int32_t i = 0; i < build->indices.count; ++i) {
        const double* p = build->positions.data + 3 * (size_t)build->indices.data[i];
        if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2])) {
            continue;
        }
        finite++;
        far_out +=
            fabs(p[0]) > SIZE_LARGEST || fabs(p[1]) > SIZE_LARGEST || fabs(p[2]) > SIZE_LARGEST;
        for (int k = 0; k < 3; ++k) {
            lower[k] = p[k] < lower[k] ? p[k] : lower[k];
            upper[k] = p[k] > upper[k] ? p[k] : upper[k];
        }
    }
    double half = 0.0; /* of the longest side; halved first, so that it cannot overflow */
    for (int k = 0; k < 3 && finite > 0; ++k) {
        double side = upper[k] / 2 - lower[k] / 2;
        half = side > half ? side : half;
    }
    bool huge = far_out > 0 && far_out * 2 > finite;
    if (half == 0.0 || !(huge || half * 2 < SIZE_SMALLEST)) {
        return;
    }
    int exponent = 0;
    (void)frexp(half, &exponent);
    for (int32_t i = 0; i < build->positions.count; ++i) {
        build->positions.data[i] = ldexp(build->positions.data[i], -exponent - 1);
    }
    reader_mend(build->reader, 0, 1,
                "the surface is %g across, too %s to work with; it was scaled by 2^%d to about 1; "
                "export it in another unit to keep its size",
                half * 2, huge ? "large" : "small", -exponent - 1);
}

static bool same_position(const double* a, const double* b) {
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* Triangles at the pole of a grid: two vertices of their own in one place, the third elsewhere.
 * They have no area, but leaving them out changes nothing that could be seen: no repairs. */
static int32_t count_poles(const mesh_build* build) {
    int32_t count = 0;
    for (int32_t i = 0; i + 2 < build->indices.count; i += 3) {
        const uint32_t* t = build->indices.data + i;
        const double* p[3];
        bool finite = true;
        for (int k = 0; k < 3; ++k) {
            p[k] = build->positions.data + 3 * (size_t)t[k];
            finite = finite && isfinite(p[k][0]) && isfinite(p[k][1]) && isfinite(p[k][2]);
        }
        bool own = t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
        int32_t pairs =
            same_position(p[0], p[1]) + same_position(p[1], p[2]) + same_position(p[2], p[0]);
        count += own && finite && pairs == 1;
    }
    return count;
}

lim_result build_finish(mesh_build* build, lim_mesh** out_mesh) {
    mesh_reader* reader = build->reader;
    if (build->has.count == 0 || build->indices.count == 0) {
        return reader_fail(reader, LIM_ERROR_MESH, 0,
                           "no %s in it; export the surface as triangles or polygons",
                           build->has.count == 0 ? "vertices" : "faces");
    }
    mend_scale(build);
    LIM_TRY(complete_attributes(build));
    lim_mesh_desc desc = lim_mesh_desc_default();
    desc.vertex_count = build->has.count;
    desc.triangle_count = build->submeshes.count;
    desc.positions = build->positions.data;
    desc.normals = build->normals.count > 0 ? build->normals.data : NULL;
    desc.tangents = build->tangents.count > 0 ? build->tangents.data : NULL;
    desc.uvs = build->uvs.count > 0 ? build->uvs.data : NULL;
    desc.colours = build->colours.count > 0 ? build->colours.data : NULL;
    desc.densities = attribute_of(build, ATTRIBUTE_DENSITY);
    desc.stiffnesses = attribute_of(build, ATTRIBUTE_STIFFNESS);
    desc.sizes = attribute_of(build, ATTRIBUTE_SIZE);
    desc.indices = build->indices.data;
    desc.submeshes = build->submeshes.data;
    desc.submesh_count = build->submesh_count;
    lim_result result = lim_mesh_create(&desc, &reader->host, out_mesh);
    if (result == LIM_ERROR_MEMORY) {
        return reader_no_memory(reader);
    }
    if (result != LIM_OK) {
        return reader_fail(reader, result, 0,
                           "none of its %d triangles has an area that is finite and not zero; look "
                           "at the file in a mesh viewer",
                           (int)build->submeshes.count);
    }
    lim_mesh_report report = lim_mesh_get_report(*out_mesh);
    if (report.dropped_non_finite > 0) {
        reader_mend(reader, 0, report.dropped_non_finite,
                    "%d of %d triangles left out: a corner is not finite or beyond 1e25",
                    (int)report.dropped_non_finite, (int)report.triangles);
    }
    int32_t flat = report.dropped_degenerate - count_poles(build);
    if (flat > 0) {
        reader_mend(reader, 0, flat, "%d of %d triangles left out: no area", (int)flat,
                    (int)report.triangles);
    }
    return LIM_OK;
}
