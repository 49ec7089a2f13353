/* SPDX-License-Identifier: MIT
 * Job: files on disk: loading, failing, buffers beside a glTF, and all meshes of the shared folder
 * where it is there.
 */
#include "failing_host.h"
#include "read_samples.h"

static void write_file(const char* path, const void* bytes, size_t size) {
    FILE* file = fopen(path, "wb");
    CHECK(file != NULL);
    if (file != NULL) {
        CHECK(fwrite(bytes, 1, size, file) == size);
        fclose(file);
    }
}

static void files_are_read_and_failures_leave_nothing(void) {
    sample s = sample_obj();
    write_file(READ_FOLDER "/box.obj", s.bytes, s.size);
    for (int64_t n = 0;; ++n) {
        failing_host f;
        failing_host_arm(&f, n);
        lim_mesh* mesh = NULL;
        lim_io_report report;
        lim_io_message message;
        lim_result result =
            lim_io_read_mesh(READ_FOLDER "/box.obj", &f.host, &mesh, &report, &message);
        lim_mesh_destroy(mesh);
        CHECK(f.held == 0);
        if (result == LIM_OK) {
            break;
        }
        CHECK(result == LIM_ERROR_MEMORY && strstr(message.text, "box.obj: ") != NULL);
    }
}

static void folders_are_no_files(void) {
    lim_mesh* mesh = NULL;
    lim_io_message message;
    CHECK(lim_io_read_mesh(READ_FOLDER "/folder.obj", NULL, &mesh, NULL, &message) ==
          LIM_ERROR_FILE);
    CHECK(strstr(message.text, "folder.obj") != NULL);
}

static void buffers_are_found_beside_the_gltf(void) {
    sample s = {.size = 0}, buffer = {.size = 0};
    put_box_buffer(&buffer);
    put_box_json(&s, "\"uri\":\"the%20box.bin\",", "[{\"mesh\":0}]", "");
    write_file(READ_FOLDER "/box.gltf", s.bytes, s.size);
    write_file(READ_FOLDER "/the box.bin", buffer.bytes, buffer.size);
    for (int64_t n = 0;; ++n) {
        failing_host f;
        failing_host_arm(&f, n);
        lim_mesh* mesh = NULL;
        lim_io_message message;
        lim_result result =
            lim_io_read_mesh(READ_FOLDER "/box.gltf", &f.host, &mesh, NULL, &message);
        lim_mesh_destroy(mesh);
        CHECK(f.held == 0);
        CHECK(result == LIM_OK || result == LIM_ERROR_MEMORY);
        if (result != LIM_ERROR_MEMORY) {
            break;
        }
    }
    write_file(READ_FOLDER "/the box.bin", buffer.bytes, buffer.size - 1);
    lim_mesh* mesh = NULL;
    lim_io_message message;
    CHECK(lim_io_read_mesh(READ_FOLDER "/box.gltf", NULL, &mesh, NULL, &message) ==
          LIM_ERROR_FORMAT);
    CHECK(strstr(message.text, "132 bytes and has 131") != NULL);
}

static void shared_meshes_are_read(void) {
    FILE* list = fopen(READ_FOLDER "/shared.txt", "rb");
    char path[1024];
    int count = 0;
    while (list != NULL && fgets(path, sizeof path, list) != NULL) {
        path[strcspn(path, "\n")] = '\0';
        if (path[0] == '\0') {
            continue;
        }
        lim_mesh* mesh = NULL;
        lim_io_message message;
        lim_result result = lim_io_read_mesh(path, NULL, &mesh, NULL, &message);
        if (result != LIM_OK) {
            printf("  %s\n", message.text);
        }
        CHECK(result == LIM_OK);
        lim_mesh_destroy(mesh);
        count++;
    }
    if (list != NULL) {
        fclose(list);
    }
    if (count == 0) {
        printf("  skipped: no shared meshes beside the sources\n");
    }
}

TEST_SUITE(read_files) {
    TEST_BEGIN(argc, argv);
    RUN(files_are_read_and_failures_leave_nothing);
    RUN(folders_are_no_files);
    RUN(buffers_are_found_beside_the_gltf);
    RUN(shared_meshes_are_read);
    TEST_END();
}
