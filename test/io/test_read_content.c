/* SPDX-License-Identifier: MIT
 * Job: what the formats say beside bare triangles: index forms, materials, texture coordinates,
 * normals, colours, strips, transforms, and errors with their lines.
 */
#include "failing_host.h"
#include "read_samples.h"

static void obj_corners_become_vertices(void) {
    lim_io_report report;
    lim_io_message message;
    lim_mesh* mesh = read_text(LIM_IO_OBJ,
                               "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\n"
                               "vt 0 1\nvt 0.5 0.5\nvn 0 0 1\nvn 0 1 0\n"
                               "f 1/1/1 2/2/1 3/3/1\nf -4/-5/-2 3/3/1 -1/4/1\nf 1/5/2 2/2/1 4/4\n",
                               &report, &message);
    CHECK(mesh != NULL);
    if (mesh == NULL) {
        printf("  %s\n", message.text);
        return;
    }
    lim_mesh_view view = lim_mesh_get_view(mesh);
    /* 4 of the file, then 1/5/2 and 4/4. */
    CHECK(view.vertex_count == 6 && view.triangle_count == 3 && report.repairs == 0);
    static const uint32_t expected[] = {0, 1, 2, 0, 2, 3, 4, 1, 5};
    CHECK(memcmp(view.indices, expected, sizeof expected) == 0);
    CHECK(view.uvs != NULL && view.uvs[2 * 3 + 1] == 1.0f && view.uvs[2 * 4] == 0.5f);
    CHECK(view.normals[3 * 4 + 1] == 1.0f && view.normals[2] == 1.0f);
    CHECK(view.positions[5].y == 1.0 && view.positions[4].x == 0.0);
    lim_mesh_destroy(mesh);
}

static void obj_materials_become_submeshes(void) {
    lim_mesh* mesh = read_text(LIM_IO_OBJ,
                               "\xEF\xBB\xBF# comment\r\nv 0 0 0 1 0 0\r\nv 1 0 0 0 255 0\r"
                               "v 0 1 0 0 0 0\nv 0 0 1\nusemtl red paint \\\n x\nf 1 2 \\\r\n 3\n"
                               "usemtl never used\nusemtl blue\nf 1 2 4\nusemtl  red paint \\\n x\n"
                               "f 1 3 4 # behind\nl 1 2\ng some\n",
                               NULL, NULL);
    CHECK(mesh != NULL);
    if (mesh == NULL) {
        return;
    }
    lim_mesh_view view = lim_mesh_get_view(mesh);
    CHECK(view.triangle_count == 3 && view.submesh_count == 2);
    CHECK(view.submeshes[0] == 0 && view.submeshes[1] == 1 && view.submeshes[2] == 0);
    /* A value above 1 means bytes; where no colour was given it is white. */
    CHECK(view.colours != NULL && view.colours[4 + 1] == 1.0f && view.colours[4] == 0.0f);
    CHECK(view.colours[0] > 0.0f && view.colours[0] < 0.001f);
    CHECK(view.colours[12] == 1.0f && view.colours[15] == 1.0f);
    lim_mesh_destroy(mesh);
}

/* A form feed ends words and is a blank; forgetting the second once was an endless loop. */
static void form_feeds_are_blanks(void) {
    lim_io_report report;
    lim_mesh* mesh =
        read_text(LIM_IO_OBJ, "s 1\f\nv 0 0\f0\n\fv 1 0 0\nv 0 1 0\v\nf 1\f2 3\f\n", &report, NULL);
    CHECK(mesh != NULL && report.repairs == 0);
    lim_mesh_destroy(mesh);
}

static void errors_name_line_and_cause(void) {
    static const struct {
        lim_io_format format;
        const char *text, *expected;
    } cases[] = {
        {LIM_IO_OBJ, "v 0 0 0\nv 1 0 0\n\n# x\nf 1 2 9\n", ":5: face index 9 is out of range (2"},
        {LIM_IO_OBJ, "v 0 0 0\rv 1 0\r", ":2: v has 2 numbers"},
        {LIM_IO_OBJ, "v 0 0 0\r\nv 1 0 0,5\r\n", ":2: v: decimal comma"},
        {LIM_IO_OBJ, "v 0 0 0\nf 1 1/ 1//x\n", ":2: face corner '1//x'"},
        {LIM_IO_OBJ, "v 0 0 \\\n 0\nf 0 0 0\n", ":3: face index 0"},
        {LIM_IO_OFF, "OFF\n# c\n3 1 0\n0 0 0\n1 0 0\n0 x 0\n3 0 1 2\n", ":6: 'x' stands where"},
        {LIM_IO_OFF, "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", ":6: face index 3"},
        {LIM_IO_STL, "solid\nfacet normal 0 0 0\nouter loop\nvertex 0 zero 0\n", ":4: 'zero'"},
        {LIM_IO_PLY, "ply\nformat ascii 1.0\nelement vertex x\nend_header\n", ":3: element"},
        {LIM_IO_PLY, "ply\nformat ascii 1.0\nproperty float x\nend_header\n", ":3: not `property"},
        {LIM_IO_GLTF, "{\"asset\":{\"version\":\"2.0\"},\n\"nodes\":[{],}", ":2: column 11:"},
        {LIM_IO_GLTF, "{\"asset\":\n{\"version\":\"1.0\"}}", ":2: asset.version is '1.0'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        lim_io_message message;
        lim_mesh* mesh = read_text(cases[i].format, cases[i].text, NULL, &message);
        CHECK(mesh == NULL);
        if (strstr(message.text, cases[i].expected) == NULL) {
            printf("  got: %s\n  not: %s\n", message.text, cases[i].expected);
        }
        CHECK(strstr(message.text, cases[i].expected) != NULL);
    }
}

typedef struct heard {
    int32_t warnings;
    char text[256];
} heard;

static void hear(void* user, lim_log_level level, const char* text) {
    heard* h = user;
    if (level == LIM_LOG_WARNING) {
        h->warnings++;
        snprintf(h->text, sizeof h->text, "%s", text);
    }
}

/* Programs that write C strings with their end. */
static void zero_bytes_behind_a_text_are_passed_over(void) {
    for (int i = 0; i < SAMPLE_COUNT; ++i) {
        sample s = sample_at(i);
        if (i == 3 || i == 4 || i == 6 || i == 7) {
            continue; /* binary */
        }
        static const size_t zeros[] = {1, 2, 5};
        for (int form = 0; form < 3; ++form) {
            sample longer = s;
            put_bytes(&longer, "\0\n\0\n\0", zeros[form]);
            heard h = {0};
            lim_host host = {.log = hear, .user = &h};
            lim_mesh* mesh = NULL;
            lim_io_report report;
            lim_io_message message;
            CHECK(lim_io_parse_mesh(longer.bytes, longer.size, s.format, NULL, &host, &mesh,
                                    &report, &message) == LIM_OK);
            CHECK(report.repairs == 1 && h.warnings == 1 && strstr(h.text, "zero bytes") != NULL);
            CHECK(mesh != NULL && lim_mesh_get_report(mesh).triangles_kept == 12);
            lim_mesh_destroy(mesh);
        }
        s.bytes[s.size / 2] = '\0'; /* within the text they are damage */
        lim_mesh* mesh = NULL;
        CHECK(lim_io_parse_mesh(s.bytes, s.size, s.format, NULL, NULL, &mesh, NULL, NULL) !=
              LIM_OK);
        lim_mesh_destroy(mesh);
    }
}

static lim_mesh* read_warned(lim_io_format format, const char* text, lim_io_report* report,
                             heard* h) {
    lim_host host = {.log = hear, .user = h};
    lim_mesh* mesh = NULL;
    *h = (heard){0};
    (void)lim_io_parse_mesh(text, strlen(text), format, NULL, &host, &mesh, report, NULL);
    return mesh;
}

static void off_words_may_be_joined_or_count_dimensions(void) {
    static const char* const texts[] = {
        "OFF3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
        "COFF3 1\n0 0 0 1 0 0\n1 0 0 1 0 0\n0 1 0 1 0 0\n3 0 1 2\n",
        "nOFF 3\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
        "4nOFF\n3 3 1 0\n0 0 0 2\n2 0 0 2\n0 2 0 2\n3 0 1 2\n",
        "4OFF\n3 1 0\n0 0 0 2\n2 0 0 2\n0 2 0 2\n3 0 1 2\n",
    };
    heard h;
    lim_io_report report;
    for (int i = 0; i < 5; ++i) {
        lim_mesh* mesh = read_warned(LIM_IO_OFF, texts[i], &report, &h);
        CHECK(mesh != NULL && report.repairs == (i < 2) && h.warnings == (i < 2));
        CHECK(i >= 2 || strstr(h.text, ":1: a line end is missing") != NULL);
        if (mesh != NULL) {
            lim_mesh_view view = lim_mesh_get_view(mesh);
            CHECK(view.vertex_count == 3 && view.triangle_count == 1);
            CHECK(view.positions[1].x == 1.0 && view.positions[2].y == 1.0);
        }
        lim_mesh_destroy(mesh);
    }
    lim_io_message message;
    CHECK(read_text(LIM_IO_OFF, "nOFF 5\n3 1 0\n0 0 0 0 0\n", NULL, &message) == NULL);
    CHECK(strstr(message.text, "5 dimensions") != NULL);
    CHECK(read_text(LIM_IO_OFF, "QOFF8 3 1\n", NULL, &message) == NULL);
}

#define PLY_HEAD "ply\nformat ascii 1.0\n"
#define PLY_BODY "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
#define PLY_END                                                                                    \
    "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n"           \
    "0 1 0\n3 0 1 2\n"

static void ply_comments_may_lack_their_word(void) {
    heard h;
    lim_io_report report;
    lim_mesh* mesh = read_warned(LIM_IO_PLY,
                                 PLY_HEAD "made by hand, in 2020\nScanner: model 7\n" PLY_BODY
                                          "TextureFile a.png\n" PLY_END,
                                 &report, &h);
    CHECK(mesh != NULL && report.repairs == 3 && h.warnings == 1);
    CHECK(strstr(h.text, ":3: the header line 'made' was taken for a comment") != NULL);
    lim_mesh_destroy(mesh);
    /* What may be a damaged keyword is no comment. */
    static const char* const damaged[] = {
        PLY_HEAD PLY_BODY "proprety float quality\n" PLY_END,
        PLY_HEAD PLY_BODY "propertylist uchar int vertex_indices\n" PLY_END,
        PLY_HEAD PLY_BODY "elemnet edge 1\nproperty int a\n" PLY_END,
        PLY_HEAD PLY_BODY "ended_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
    };
    for (int i = 0; i < 4; ++i) {
        lim_io_message message;
        mesh = read_text(LIM_IO_PLY, damaged[i], &report, &message);
        CHECK(mesh == NULL);
        CHECK(strstr(message.text, i < 3 ? ":7: '" : "end_header") != NULL);
        lim_mesh_destroy(mesh);
    }
}

static void ply_properties_may_be_anything(void) {
    lim_io_report report;
    lim_mesh* mesh =
        read_text(LIM_IO_PLY,
                  "ply\r\nformat ascii 1.0\r\ncomment c\r\nelement face 1\r\n"
                  "property uchar flag\r\nproperty list uchar uint vertex_index\r\n"
                  "property list uchar float texcoord\r\nelement nothing 5\r\n"
                  "element vertex 4\r\nproperty uchar blue\r\nproperty double z\r\n"
                  "property float nx\r\nproperty uchar red\r\nproperty short y\r\n"
                  "property float ny\r\nproperty uchar green\r\nproperty float x\r\n"
                  "property float nz\r\nproperty float s\r\nproperty float t\r\n"
                  "element tristrips 1\r\nproperty list int int vertex_indices\r\nend_header\r\n"
                  "7 4 0 1 2 3 2 0.5 0.5\r\n"
                  "255 5.0 0 0 0 0 0 0 2 0.25 0.75\r\n255 5.0 0 0 0 0 0 1 2 0 0\r\n"
                  "255 5.0 0 0 1 0 0 1 2 0 0\r\n255 5.0 0 0 1 0 0 0 2 0 0\r\n"
                  "7 0 1 3 -1 1 2 3\r\n",
                  &report, NULL);
    CHECK(mesh != NULL && report.repairs == 0 && report.polygons == 1);
    if (mesh == NULL) {
        return;
    }
    lim_mesh_view view = lim_mesh_get_view(mesh);
    lim_mesh_report found = lim_mesh_get_report(mesh);
    CHECK(found.triangles == 4 && view.vertex_count == 4);
    CHECK(view.positions[2].x == 1.0 && view.positions[2].y == 1.0 && view.positions[2].z == 5.0);
    CHECK(view.normals[2] == 1.0f && view.uvs[0] == 0.25f && view.uvs[1] == 0.75f);
    CHECK(view.colours[2] == 1.0f && view.colours[0] == 0.0f && view.colours[3] == 1.0f);
    lim_mesh_destroy(mesh);
}

#define PAINTED                                                                                    \
    "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"                \
    "property float z\nproperty float size\nproperty double density\nproperty uchar stiffness\n"   \
    "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0 0 1.5 3\n"

static void ply_says_what_a_body_is_made_of(void) {
    lim_io_report report;
    lim_io_message message;
    lim_mesh* mesh =
        read_text(LIM_IO_PLY, PAINTED "1 0 0 0.25 1 1\n0 1 0 0 1e-6 255\n3 0 1 2\n", &report, NULL);
    CHECK(mesh != NULL && report.repairs == 0);
    if (mesh != NULL) {
        lim_mesh_view view = lim_mesh_get_view(mesh);
        CHECK(view.densities[0] == 1.5f && view.densities[2] == 1e-6f);
        CHECK(view.stiffnesses[0] == 3.0f && view.stiffnesses[2] == 255.0f);
        CHECK(view.sizes[0] == 0.0f && view.sizes[1] == 0.25f);
    }
    lim_mesh_destroy(mesh);
    mesh =
        read_text(LIM_IO_PLY, PAINTED "1 0 0 0.25 0 1\n0 1 0 0 1 1\n3 0 1 2\n", &report, &message);
    CHECK(mesh == NULL);
    CHECK(strstr(message.text, "the density of vertex 1 is 0; give a factor from 1e-6 to 1e6") !=
          NULL);
    lim_mesh_destroy(mesh);
    mesh =
        read_text(LIM_IO_PLY, PAINTED "1 0 0 0 1 1\n0 1 0 nan 1 1\n3 0 1 2\n", &report, &message);
    CHECK(mesh == NULL && strstr(message.text, "the size of vertex 2 is") != NULL);
    lim_mesh_destroy(mesh);
}

static void off_colours_and_normals_are_read(void) {
    lim_io_report report;
    lim_mesh* mesh =
        read_text(LIM_IO_OFF,
                  "STCNOFF # all\n3 1\n0 0 0  0 0 2  1 0 0  0.5 0\n"
                  "1 0 0  0 0 2  0 1 0 1 1 0\n0 1 0  0 0 2  0 0 1 1 0 1\n3 0 1 2 9 9 9\n",
                  &report, NULL);
    /* In lines an alpha cannot be told from a texture coordinate: it must be there. */
    CHECK(mesh == NULL || report.repairs == 0);
    lim_mesh_destroy(mesh);
    mesh = read_text(LIM_IO_OFF,
                     "CNOFF\n3 1\n0 0 0  0 0 2  1 0 0\n1 0 0  0 0 2  0 1 0 1\n"
                     "0 1 0  0 0 2  0 0 1 1\n3 0 1 2 9 9 9\n",
                     &report, NULL);
    CHECK(mesh != NULL && report.repairs == 0);
    if (mesh != NULL) {
        lim_mesh_view view = lim_mesh_get_view(mesh);
        CHECK(view.normals[2] == 1.0f && view.colours[0] == 1.0f && view.colours[5] == 1.0f);
    }
    lim_mesh_destroy(mesh);
}

static lim_mesh* read_glb_of(const char* nodes, const char* more, lim_io_message* message) {
    sample s = sample_glb_of(nodes, more);
    lim_mesh* mesh = NULL;
    lim_io_report report;
    lim_result result =
        lim_io_parse_mesh(s.bytes, s.size, LIM_IO_GLB, NULL, NULL, &mesh, &report, message);
    CHECK((result == LIM_OK) == (mesh != NULL));
    return mesh;
}

static void gltf_nodes_move_meshes(void) {
    lim_io_message message;
    /* Turned by 90 degrees about z inside a doubled and moved parent; a mirrored instance apart. */
    lim_mesh* mesh =
        read_glb_of("[{\"scale\":[2,2,2],\"translation\":[10,0,0],\"children\":[1]},"
                    "{\"mesh\":0,\"rotation\":[0,0,1,1]},"
                    "{\"mesh\":0,\"matrix\":[-1,0,0,0, 0,1,0,0, 0,0,1,0, -50,0,0,1]},{\"mesh\":0}]",
                    ",\"scene\":1,\"scenes\":[{\"nodes\":[3]},{\"nodes\":[0,2]}]", &message);
    CHECK(mesh != NULL);
    if (mesh == NULL) {
        printf("  %s\n", message.text);
        return;
    }
    lim_mesh_report found = lim_mesh_get_report(mesh);
    lim_mesh_view view = lim_mesh_get_view(mesh);
    CHECK(found.vertices == 16 && found.triangles_kept == 24 && found.parts == 2);
    CHECK(found.closed && found.parts_flipped == 0);
    CHECK_NEAR(found.volume, 24.0 * 8 + 24.0, 1e-6);
    /* (2, 3, 4) -> (-3, 2, 4) -> (4, 4, 8) and (-52, 3, 4). */
    CHECK_NEAR(view.positions[7].x, 4.0, 1e-9);
    CHECK_NEAR(view.positions[7].y, 4.0, 1e-9);
    CHECK_NEAR(view.positions[7].z, 8.0, 1e-9);
    CHECK_NEAR(view.positions[15].x, -52.0, 1e-9);
    lim_mesh_destroy(mesh);
}

static void gltf_faults_are_refused(void) {
    static const char* const nodes[] = {
        "[{\"children\":[1]},{\"children\":[0],\"mesh\":0}]", /* all in a cycle: no root */
        "[{\"mesh\":1}]",
        "[{\"mesh\":0,\"children\":[7]}]",
        "[{\"mesh\":0,\"translation\":[1,2]}]",
        "[{\"mesh\":0,\"matrix\":[1]}]",
        "[{\"children\":[2]},{\"children\":[2]},{\"mesh\":0}]",
        "[{}]",
        "[{\"mesh\":0.5}]",
    };
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; ++i) {
        lim_io_message message;
        lim_mesh* mesh = read_glb_of(nodes[i], "", &message);
        CHECK(mesh == NULL && message.text[0] != '\0');
        lim_mesh_destroy(mesh);
    }
    lim_io_message message;
    lim_mesh* mesh = read_glb_of("[{\"mesh\":0}]", ",\"extensionsRequired\":[\"X_y\"]", &message);
    CHECK(mesh == NULL && strstr(message.text, "X_y") != NULL);
    mesh = read_glb_of("[{\"mesh\":0}]", ",\"extensionsRequired\":[\"KHR_materials_unlit\"]",
                       &message);
    CHECK(mesh != NULL);
    lim_mesh_destroy(mesh);
}

static void external_buffers_need_a_folder(void) {
    sample s = {.size = 0};
    lim_mesh* mesh = NULL;
    lim_io_message message;
    put_box_json(&s, "\"uri\":\"box.bin\",", "[{\"mesh\":0}]", "");
    CHECK(lim_io_parse_mesh(s.bytes, s.size, LIM_IO_GLTF, NULL, NULL, &mesh, NULL, &message) ==
          LIM_ERROR_UNSUPPORTED);
    CHECK(strstr(message.text, "box.bin") != NULL);
    static const char* const outside[] = {"../x.bin", "/x.bin",         "a/../../x",    "%2e%2e/x",
                                          "C:/x",     "http://x/y.bin", "a\\\\..\\\\x", "%00",
                                          "",         "a//b",           "%zz",          "%2"};
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; ++i) {
        char uri[64];
        snprintf(uri, sizeof uri, "\"uri\":\"%s\",", outside[i]);
        s.size = 0;
        put_box_json(&s, uri, "[{\"mesh\":0}]", "");
        lim_result result =
            lim_io_parse_mesh(s.bytes, s.size, LIM_IO_GLTF, ".", NULL, &mesh, NULL, &message);
        CHECK(result == LIM_ERROR_UNSUPPORTED && strstr(message.text, "within the folder") != NULL);
    }
}

static void sizes_beyond_use_are_scaled(void) {
    static const char* const sizes[] = {"1e30", "1e-30", "1e300", "1e-300"};
    for (int i = 0; i < 4; ++i) {
        char text[256];
        snprintf(text, sizeof text, "v 0 0 0\nv %s 0 0\nv 0 %s 0\nf 1 2 3\n", sizes[i], sizes[i]);
        lim_io_report report;
        lim_mesh* mesh = read_text(LIM_IO_OBJ, text, &report, NULL);
        CHECK(mesh != NULL && report.repairs == 1 && strstr(report.first_repair.text, "scaled"));
        if (mesh != NULL) {
            lim_mesh_report found = lim_mesh_get_report(mesh);
            CHECK(found.bounds.upper.x >= 0.25 && found.bounds.upper.x <= 1.0);
            CHECK(found.triangles_kept == 1);
        }
        lim_mesh_destroy(mesh);
    }
    /* One corner far out takes its triangle with it and leaves the rest as it is. */
    lim_io_report report;
    lim_mesh* mesh = read_text(LIM_IO_OBJ,
                               "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 1e30 0 0\nf 1 2 3\nf 2 4 3\n"
                               "f 1 2 5\n",
                               &report, NULL);
    CHECK(mesh != NULL && report.repairs == 1);
    if (mesh != NULL) {
        CHECK(lim_mesh_get_report(mesh).bounds.upper.x == 1.0);
    }
    lim_mesh_destroy(mesh);
}

TEST_SUITE(read_content) {
    TEST_BEGIN(argc, argv);
    RUN(obj_corners_become_vertices);
    RUN(obj_materials_become_submeshes);
    RUN(form_feeds_are_blanks);
    RUN(errors_name_line_and_cause);
    RUN(zero_bytes_behind_a_text_are_passed_over);
    RUN(off_words_may_be_joined_or_count_dimensions);
    RUN(ply_comments_may_lack_their_word);
    RUN(ply_properties_may_be_anything);
    RUN(ply_says_what_a_body_is_made_of);
    RUN(off_colours_and_normals_are_read);
    RUN(gltf_nodes_move_meshes);
    RUN(gltf_faults_are_refused);
    RUN(external_buffers_need_a_folder);
    RUN(sizes_beyond_use_are_scaled);
    TEST_END();
}
