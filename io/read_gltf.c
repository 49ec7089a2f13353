/* SPDX-License-Identifier: MIT
 * Job: glTF 2.0 and its binary container. In: JSON with buffers. Out: the triangles of every mesh
 * that the scene shows, in world coordinates, one submesh per material. The node tree is walked
 * with a stack of its own; a node that is reached twice is a cycle or a second parent, both
 * forbidden, so the walk ends. Positions go through the node's matrix, normals through its
 * cofactors; mirrored nodes turn their triangles. Skins, morph targets, lines and points are passed
 * over.
 */
#include "io/gltf.h"

#include <math.h>
#include <string.h>

enum { TRIANGLES_MOST = 1 << 26 }; /* of all instances together */

enum { MODE_TRIANGLES = 4, MODE_STRIP = 5, MODE_FAN = 6 };

/* Columns of a 3 x 4 matrix: three axes and the origin. */
typedef struct gltf_matrix {
    double column[4][3];
} gltf_matrix;

typedef struct gltf_visit {
    int32_t node;
    gltf_matrix world; /* of the parent */
} gltf_visit;

typedef ARRAY(gltf_visit) gltf_stack;

/* ---- matrices ---------------------------------------------------------------------------------
 */

static void transform(const gltf_matrix* m, const double* v, double w, double* out) {
    for (int k = 0; k < 3; ++k) {
        out[k] = m->column[0][k] * v[0] + m->column[1][k] * v[1] + m->column[2][k] * v[2] +
                 m->column[3][k] * w;
    }
}

static gltf_matrix multiply(const gltf_matrix* a, const gltf_matrix* b) {
    gltf_matrix out;
    for (int c = 0; c < 4; ++c) {
        transform(a, b->column[c], c == 3 ? 1.0 : 0.0, out.column[c]);
    }
    return out;
}

/* Cofactors carry normals: each column is the cross of the other two. */
static gltf_matrix cofactors(const gltf_matrix* m) {
    gltf_matrix out = {{{0}}};
    for (int c = 0; c < 3; ++c) {
        const double* a = m->column[(c + 1) % 3];
        const double* b = m->column[(c + 2) % 3];
        for (int k = 0; k < 3; ++k) {
            int u = (k + 1) % 3, v = (k + 2) % 3;
            out.column[c][k] = a[u] * b[v] - a[v] * b[u];
        }
    }
    return out;
}

static double determinant(const gltf_matrix* m, const gltf_matrix* cofactor) {
    return m->column[0][0] * cofactor->column[0][0] + m->column[0][1] * cofactor->column[0][1] +
           m->column[0][2] * cofactor->column[0][2];
}

static lim_result bad_node(gltf_file* file, const json_value* value, const char* what) {
    return reader_fail(file->reader, LIM_ERROR_FORMAT, value->line,
                       "a node's %s is not what glTF says (matrix: 16 numbers, translation and "
                       "scale: 3, rotation: 4); check the exporter",
                       what);
}

static lim_result read_transform(gltf_file* file, const json_value* node, gltf_matrix* out) {
    const json_value* matrix = json_member(node, "matrix");
    if (matrix != NULL) {
        double m[16];
        if (!json_numbers(matrix, 16, m)) {
            return bad_node(file, matrix, "matrix");
        }
        for (int c = 0; c < 4; ++c) {
            memcpy(out->column[c], m + 4 * c, sizeof out->column[c]);
        }
        return LIM_OK;
    }
    double t[3] = {0.0, 0.0, 0.0}, q[4] = {0.0, 0.0, 0.0, 1.0}, s[3] = {1.0, 1.0, 1.0};
    const json_value* value = json_member(node, "translation");
    if (value != NULL && !json_numbers(value, 3, t)) {
        return bad_node(file, value, "translation");
    }
    value = json_member(node, "rotation");
    if (value != NULL && !json_numbers(value, 4, q)) {
        return bad_node(file, value, "rotation");
    }
    value = json_member(node, "scale");
    if (value != NULL && !json_numbers(value, 3, s)) {
        return bad_node(file, value, "scale");
    }
    /* 2 / |q|^2 makes a rotation of any quaternion that is not zero. */
    double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    double f = square > 0.0 && isfinite(square) ? 2.0 / square : 0.0;
    double x = q[0], y = q[1], z = q[2], w = q[3];
    const double rotation[3][3] = {
        {1.0 - f * (y * y + z * z), f * (x * y + w * z), f * (x * z - w * y)},
        {f * (x * y - w * z), 1.0 - f * (x * x + z * z), f * (y * z + w * x)},
        {f * (x * z + w * y), f * (y * z - w * x), 1.0 - f * (x * x + y * y)}};
    for (int k = 0; k < 3; ++k) {
        for (int c = 0; c < 3; ++c) {
            out->column[c][k] = rotation[c][k] * s[c];
        }
        out->column[3][k] = t[k];
    }
    return LIM_OK;
}

/* ---- primitives -------------------------------------------------------------------------------
 */

typedef struct gltf_primitive {
    gltf_values positions, normals, tangents, uvs, colours, attribute[ATTRIBUTES];
} gltf_primitive;

static lim_result read_attribute(gltf_file* file, arena* scratch, const json_value* attributes,
                                 const char* name, uint32_t widths, int32_t count,
                                 gltf_values* out) {
    const json_value* index = json_member(attributes, name);
    if (index == NULL) {
        return LIM_OK;
    }
    LIM_TRY(gltf_read_values(file, scratch, index, widths, out));
    if (out->count != count) {
        return reader_fail(file->reader, LIM_ERROR_FORMAT, index->line,
                           "%s has %d elements and POSITION %d; check the exporter", name,
                           (int)out->count, (int)count);
    }
    return LIM_OK;
}

static lim_result read_attributes(gltf_file* file, arena* scratch, const json_value* primitive,
                                  gltf_primitive* out) {
    const json_value* attributes = json_member(primitive, "attributes");
    const json_value* position = json_member(attributes, "POSITION");
    if (position == NULL) {
        return reader_fail(file->reader, LIM_ERROR_FORMAT, primitive->line,
                           "a primitive without POSITION; check the exporter");
    }
    LIM_TRY(gltf_read_values(file, scratch, position, 1u << 3, &out->positions));
    int32_t count = out->positions.count;
    LIM_TRY(read_attribute(file, scratch, attributes, "NORMAL", 1u << 3, count, &out->normals));
    LIM_TRY(read_attribute(file, scratch, attributes, "TANGENT", 1u << 4, count, &out->tangents));
    LIM_TRY(read_attribute(file, scratch, attributes, "TEXCOORD_0", 1u << 2, count, &out->uvs));
    static const char* const own[ATTRIBUTES] = {"_DENSITY", "_STIFFNESS", "_SIZE"};
    for (int k = 0; k < ATTRIBUTES; ++k) {
        LIM_TRY(
            read_attribute(file, scratch, attributes, own[k], 1u << 1, count, &out->attribute[k]));
    }
    return read_attribute(file, scratch, attributes, "COLOR_0", 1u << 3 | 1u << 4, count,
                          &out->colours);
}

static void unit_of(const double* v, float* out) {
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int k = 0; k < 3; ++k) {
        out[k] = length > 0.0 ? (float)(v[k] / length) : 0.0f;
    }
}

static lim_result add_vertices(gltf_file* file, const gltf_primitive* p, const gltf_matrix* world) {
    gltf_matrix normal_matrix = cofactors(world);
    double side = determinant(world, &normal_matrix) < 0.0 ? -1.0 : 1.0;
    for (int32_t i = 0; i < p->positions.count; ++i) {
        build_vertex vertex = {.has = 0};
        double moved[3];
        transform(world, p->positions.values + 3 * (size_t)i, 1.0, vertex.position);
        if (p->normals.values != NULL) {
            transform(&normal_matrix, p->normals.values + 3 * (size_t)i, 0.0, moved);
            for (int k = 0; k < 3; ++k) {
                moved[k] *= side;
            }
            unit_of(moved, vertex.normal);
            vertex.has |= BUILD_NORMAL;
        }
        if (p->tangents.values != NULL) {
            const double* tangent = p->tangents.values + 4 * (size_t)i;
            transform(world, tangent, 0.0, moved);
            unit_of(moved, vertex.tangent);
            vertex.tangent[3] = (float)(tangent[3] < 0.0 ? -side : side);
            vertex.has |= BUILD_TANGENT;
        }
        if (p->uvs.values != NULL) {
            vertex.uv[0] = (float)p->uvs.values[2 * (size_t)i];
            vertex.uv[1] = (float)p->uvs.values[2 * (size_t)i + 1];
            vertex.has |= BUILD_UV;
        }
        if (p->colours.values != NULL) {
            const double* colour = p->colours.values + (size_t)p->colours.width * (size_t)i;
            for (int k = 0; k < 4; ++k) {
                vertex.colour[k] = k < p->colours.width ? (float)colour[k] : 1.0f;
            }
            vertex.has |= BUILD_COLOUR;
        }
        for (int k = 0; k < ATTRIBUTES; ++k) {
            if (p->attribute[k].values != NULL) {
                vertex.attribute[k] = (float)p->attribute[k].values[i];
                vertex.has |= (uint32_t)BUILD_ATTRIBUTE << k;
            }
        }
        LIM_TRY(build_vertex_add(file->build, &vertex));
    }
    return LIM_OK;
}

/* The corners of a primitive, as vertices of the whole; without indices they are all in order. */
static lim_result read_corners(gltf_file* file, arena* scratch, const json_value* primitive,
                               int32_t vertices, uint32_t** out, int32_t* out_count) {
    const json_value* index = json_member(primitive, "indices");
    uint32_t base = (uint32_t)file->build->has.count;
    if (index == NULL) {
        *out_count = vertices;
        *out = ARENA_ARRAY(scratch, uint32_t, vertices);
        if (*out == NULL) {
            return reader_no_memory(file->reader);
        }
        for (int32_t i = 0; i < vertices; ++i) {
            (*out)[i] = base + (uint32_t)i;
        }
        return LIM_OK;
    }
    LIM_TRY(gltf_read_indices(file, scratch, index, out, out_count));
    for (int32_t i = 0; i < *out_count; ++i) {
        if ((*out)[i] >= (uint32_t)vertices) {
            return reader_fail(file->reader, LIM_ERROR_FORMAT, index->line,
                               "index %lld is out of range (%d vertices); check the exporter",
                               (long long)(*out)[i], (int)vertices);
        }
        (*out)[i] += base;
    }
    return LIM_OK;
}

static lim_result add_triangles(gltf_file* file, int64_t mode, uint32_t* corners, int32_t count,
                                bool mirrored) {
    mesh_build* build = file->build;
    if (mode == MODE_TRIANGLES && count % 3 != 0) {
        reader_mend(file->reader, 0, 1, "%d indices are no whole number of triangles", (int)count);
    }
    int32_t first = build->indices.count;
    if (mode == MODE_STRIP) {
        LIM_TRY(build_strip(build, corners, count));
    }
    for (int32_t i = 0; mode == MODE_TRIANGLES && i + 2 < count; i += 3) {
        LIM_TRY(build_face(build, 0, corners + i, 3));
    }
    for (int32_t i = 1; mode == MODE_FAN && i + 1 < count; ++i) {
        uint32_t triangle[3] = {corners[0], corners[i], corners[i + 1]};
        if (triangle[0] != triangle[1] && triangle[1] != triangle[2] &&
            triangle[2] != triangle[0]) {
            LIM_TRY(build_face(build, 0, triangle, 3));
        }
    }
    for (int32_t i = first; mirrored && i < build->indices.count; i += 3) {
        uint32_t swap = build->indices.data[i + 1];
        build->indices.data[i + 1] = build->indices.data[i + 2];
        build->indices.data[i + 2] = swap;
    }
    return LIM_OK;
}

static lim_result add_primitive(gltf_file* file, arena* scratch, const json_value* primitive,
                                const gltf_matrix* world) {
    const json_value* mode_value = json_member(primitive, "mode");
    int64_t mode = MODE_TRIANGLES;
    if (mode_value != NULL && !json_whole(mode_value, 0, 6, &mode)) {
        return reader_fail(file->reader, LIM_ERROR_FORMAT, mode_value->line,
                           "a primitive's mode is a number from 0 to 6; check the exporter");
    }
    if (mode < MODE_TRIANGLES) {
        return LIM_OK; /* points and lines */
    }
    gltf_primitive p = {.positions = {.values = NULL}};
    uint32_t* corners = NULL;
    int32_t count = 0;
    LIM_TRY(read_attributes(file, scratch, primitive, &p));
    LIM_TRY(read_corners(file, scratch, primitive, p.positions.count, &corners, &count));
    if ((int64_t)file->build->submeshes.count + count > TRIANGLES_MOST ||
        (int64_t)file->build->has.count + p.positions.count > TRIANGLES_MOST) {
        return reader_fail(file->reader, LIM_ERROR_TOO_LARGE, primitive->line,
                           "more than %d triangles in all instances together; export fewer",
                           TRIANGLES_MOST);
    }
    /* One submesh per material, in order of first use; no material is one too. */
    int64_t material = -1;
    (void)json_whole(json_member(primitive, "material"), 0, INT32_MAX, &material);
    LIM_TRY(build_material(file->build, (const char*)&material, sizeof material));
    LIM_TRY(add_vertices(file, &p, world));
    gltf_matrix cofactor = cofactors(world);
    return add_triangles(file, mode, corners, count, determinant(world, &cofactor) < 0.0);
}

static lim_result add_mesh(gltf_file* file, const json_value* index, const gltf_matrix* world) {
    const json_value* mesh = NULL;
    LIM_TRY(gltf_entry(file, file->meshes, index, "mesh", &mesh));
    const json_value* primitives = json_member(mesh, "primitives");
    for (int32_t i = 0; i < json_count(primitives); ++i) {
        arena scratch;
        arena_init(&scratch, &file->reader->host);
        lim_result result = add_primitive(file, &scratch, json_item(primitives, i), world);
        arena_release(&scratch);
        LIM_TRY(result);
    }
    return LIM_OK;
}

/* ---- the scene --------------------------------------------------------------------------------
 */

static lim_result push_node(gltf_file* file, gltf_stack* stack, const json_value* index,
                            const gltf_matrix* world) {
    const json_value* node = NULL;
    LIM_TRY(gltf_entry(file, file->nodes, index, "node", &node));
    gltf_visit visit = {.node = (int32_t)index->number, .world = *world};
    return ARRAY_PUSH(&file->reader->host, stack, visit) ? LIM_OK : reader_no_memory(file->reader);
}

static lim_result visit_node(gltf_file* file, gltf_stack* stack, uint8_t* seen) {
    static const gltf_matrix identity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}}};
    gltf_visit visit = stack->data[--stack->count];
    const json_value* node = json_item(file->nodes, visit.node);
    if (seen[visit.node]) {
        return reader_fail(file->reader, LIM_ERROR_FORMAT, node->line,
                           "node %d is reached twice: the nodes form a cycle or share a child; "
                           "check the exporter",
                           (int)visit.node);
    }
    seen[visit.node] = 1;
    gltf_matrix local;
    LIM_TRY(read_transform(file, node, &local));
    gltf_matrix world = multiply(&visit.world, &local);
    const json_value* mesh = json_member(node, "mesh");
    if (mesh != NULL) {
        /* The place of a skinned mesh is that of its joints, not of its node (section 3.7.3.3). */
        bool skinned = json_member(node, "skin") != NULL;
        LIM_TRY(add_mesh(file, mesh, skinned ? &identity : &world));
    }
    const json_value* children = json_member(node, "children");
    for (int32_t i = json_count(children); i-- > 0;) {
        LIM_TRY(push_node(file, stack, json_item(children, i), &world));
    }
    return LIM_OK;
}

/* The roots of the scene to be shown; without scenes, all nodes that are no one's child; without
 * nodes, all meshes as they are. */
static lim_result push_roots(gltf_file* file, gltf_stack* stack, uint8_t* seen,
                             const gltf_matrix* identity) {
    const json_value* scenes = json_member(&file->root, "scenes");
    if (json_count(scenes) > 0) {
        const json_value* index = json_member(&file->root, "scene");
        const json_value* scene = json_item(scenes, 0);
        if (index != NULL) {
            LIM_TRY(gltf_entry(file, scenes, index, "scene", &scene));
        }
        const json_value* roots = json_member(scene, "nodes");
        for (int32_t i = json_count(roots); i-- > 0;) {
            LIM_TRY(push_node(file, stack, json_item(roots, i), identity));
        }
        return LIM_OK;
    }
    int32_t count = json_count(file->nodes);
    for (int32_t i = 0; i < count; ++i) {
        const json_value* children = json_member(json_item(file->nodes, i), "children");
        for (int32_t c = 0; c < json_count(children); ++c) {
            int64_t child = 0;
            if (json_whole(json_item(children, c), 0, count - 1, &child)) {
                seen[child] = 1;
            }
        }
    }
    for (int32_t i = count; i-- > 0;) {
        gltf_visit visit = {.node = i, .world = *identity};
        if (!seen[i] && !ARRAY_PUSH(&file->reader->host, stack, visit)) {
            return reader_no_memory(file->reader);
        }
    }
    memset(seen, 0, (size_t)count);
    return LIM_OK;
}

static lim_result walk(gltf_file* file, gltf_stack* stack) {
    static const gltf_matrix identity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}}};
    int32_t count = json_count(file->nodes);
    uint8_t* seen = ARENA_ARRAY(&file->memory, uint8_t, count);
    if (seen == NULL) {
        return reader_no_memory(file->reader);
    }
    LIM_TRY(push_roots(file, stack, seen, &identity));
    while (stack->count > 0) {
        LIM_TRY(visit_node(file, stack, seen));
    }
    for (int32_t i = 0; count == 0 && i < json_count(file->meshes); ++i) {
        json_value index = {.kind = JSON_NUMBER, .number = (double)i};
        LIM_TRY(add_mesh(file, &index, &identity));
    }
    if (file->build->has.count == 0) {
        return reader_fail(file->reader, LIM_ERROR_MESH, 0,
                           "no mesh with triangles in its scene; export the surface");
    }
    return LIM_OK;
}

/* ---- the file ---------------------------------------------------------------------------------
 */

/* Extensions that leave the shape alone, or are done here. */
static bool is_harmless(const char* name) {
    static const char* const known[] = {"KHR_mesh_quantization", "KHR_materials_", "KHR_texture_",
                                        "EXT_texture_",          "KHR_lights_",    "KHR_xmp"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
        if (strncmp(name, known[i], strlen(known[i])) == 0) {
            return true;
        }
    }
    return false;
}

static lim_result check_asset(gltf_file* file) {
    mesh_reader* reader = file->reader;
    if (file->root.kind != JSON_OBJECT) {
        return reader_fail(reader, LIM_ERROR_FORMAT, file->root.line,
                           "the JSON is %s, not an object; is it a glTF file?",
                           json_kind_name(file->root.kind));
    }
    const json_value* asset = json_member(&file->root, "asset");
    const json_value* version = json_member(asset, "version");
    if (!json_is(version, JSON_STRING) || strncmp(version->string, "2.", 2) != 0) {
        return reader_fail(reader, version != NULL ? LIM_ERROR_UNSUPPORTED : LIM_ERROR_FORMAT,
                           asset != NULL ? asset->line : 1,
                           "asset.version is '%.20s', not 2.0; export as glTF 2.0",
                           json_string(version, "missing"));
    }
    const json_value* required = json_member(&file->root, "extensionsRequired");
    for (int32_t i = 0; i < json_count(required); ++i) {
        const json_value* name = json_item(required, i);
        if (!is_harmless(json_string(name, ""))) {
            return reader_fail(reader, LIM_ERROR_UNSUPPORTED, name->line,
                               "needs the extension '%.60s', which is not read; export without it "
                               "(for Draco and meshopt: without compression)",
                               json_string(name, ""));
        }
    }
    file->accessors = json_member(&file->root, "accessors");
    file->views = json_member(&file->root, "bufferViews");
    file->nodes = json_member(&file->root, "nodes");
    file->meshes = json_member(&file->root, "meshes");
    return LIM_OK;
}

static lim_result read_json(gltf_file* file, const char* text, size_t size) {
    json_error error;
    lim_result result = json_parse(&file->memory, text, size, &file->root, &error);
    if (result == LIM_ERROR_MEMORY) {
        return reader_no_memory(file->reader);
    }
    if (result != LIM_OK) {
        return reader_fail(file->reader, result, error.line, "column %d: %s", (int)error.column,
                           error.text);
    }
    LIM_TRY(check_asset(file));
    LIM_TRY(gltf_open_buffers(file));
    gltf_stack stack = {0};
    result = walk(file, &stack);
    ARRAY_FREE(&file->reader->host, &stack);
    return result;
}

static lim_result read_document(gltf_file* file, const char* text, size_t size) {
    arena_init(&file->memory, &file->reader->host);
    lim_result result = read_json(file, text, size);
    gltf_close_buffers(file);
    arena_release(&file->memory);
    return result;
}

lim_result read_gltf(mesh_reader* reader, mesh_build* build) {
    gltf_file file = {.reader = reader, .build = build};
    return read_document(&file, reader->bytes, (size_t)(reader_text_end(reader) - reader->bytes));
}

static uint32_t read_u32(const char* bytes) {
    const unsigned char* b = (const unsigned char*)bytes;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* Header of 12 bytes, a JSON chunk, and mostly a BIN chunk (section 4.4). */
lim_result read_glb(mesh_reader* reader, mesh_build* build) {
    enum { MAGIC = 0x46546C67, JSON = 0x4E4F534A, BIN = 0x004E4942 };
    const char* bytes = reader->bytes;
    if (reader->size < 20 || read_u32(bytes) != MAGIC) {
        return reader_fail(reader, LIM_ERROR_FORMAT, 0,
                           "does not begin with glTF and a header; is it a .glb file?");
    }
    if (read_u32(bytes + 4) != 2) {
        return reader_fail(reader, LIM_ERROR_UNSUPPORTED, 0,
                           "version %u of the container; export as glTF 2.0",
                           (unsigned)read_u32(bytes + 4));
    }
    uint64_t length = read_u32(bytes + 8), json = read_u32(bytes + 12);
    if (length > reader->size || length < 20 || json > length - 20 ||
        read_u32(bytes + 16) != JSON) {
        return reader_fail(reader, LIM_ERROR_FORMAT, 0,
                           "the file has %lld bytes, its header says %llu, and its JSON %llu; it "
                           "was cut or damaged, copy or export it again",
                           (long long)reader->size, (unsigned long long)length,
                           (unsigned long long)json);
    }
    if (length < reader->size) {
        reader_mend(reader, 0, 1, "%llu bytes behind the end were passed over",
                    (unsigned long long)(reader->size - length));
    }
    gltf_file file = {.reader = reader, .build = build};
    uint64_t at = 20 + json;
    if (at + 8 <= length && read_u32(bytes + at + 4) == BIN) {
        file.chunk_size = read_u32(bytes + at);
        if (file.chunk_size > length - at - 8) {
            return reader_fail(reader, LIM_ERROR_FORMAT, 0,
                               "the binary chunk promises %llu bytes and %llu follow; the file was "
                               "cut, copy or export it again",
                               (unsigned long long)file.chunk_size,
                               (unsigned long long)(length - at - 8));
        }
        file.chunk = bytes + at + 8;
    }
    return read_document(&file, bytes + 20, (size_t)json);
}
