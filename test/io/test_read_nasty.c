/* SPDX-License-Identifier: MIT
 * Job: the corpus of awkward meshes. A script writes some 200 files and a table of verdicts; each
 * file must get its verdict: reject = an error with a message, repair = a mesh and repairs > 0,
 * ok = a mesh and repairs == 0. Passes, and says so, where the script or python3 is missing.
 */
#include "failing_host.h"
#include "test.h"

#include <limber/io.h>

/* Where the table and the readers differ, with the reason. */
static const struct {
    const char *name, *verdict;
} exceptions[] = {
    /* cut before the first face: there is no surface to mend */
    {"truncated.obj", "reject"},
};

static bool file_exists(const char* path) {
    FILE* file = fopen(path, "rb");
    if (file != NULL) {
        fclose(file);
    }
    return file != NULL;
}

static void every_file_gets_its_verdict(void) {
    /* The table is written last: where it is, the corpus is whole. */
    if (!file_exists(NASTY_FOLDER "/EXPECT.tsv")) {
        if (!file_exists(NASTY_SCRIPT)) {
            printf("  skipped: no corpus script beside the sources\n");
            return;
        }
        if (system("python3 " NASTY_SCRIPT " " NASTY_FOLDER " > /dev/null") != 0) {
            printf("  skipped: python3 could not run the corpus script\n");
            return;
        }
    }
    FILE* table = fopen(NASTY_FOLDER "/EXPECT.tsv", "rb");
    CHECK(table != NULL);
    char line[1024];
    int files = 0;
    while (table != NULL && fgets(line, sizeof line, table) != NULL) {
        char name[256], verdict[32];
        if (sscanf(line, "%255[^\t]\t%31[^\t]", name, verdict) != 2 ||
            strcmp(verdict, "verdict") == 0) {
            continue;
        }
        for (size_t i = 0; i < sizeof exceptions / sizeof exceptions[0]; ++i) {
            if (strcmp(name, exceptions[i].name) == 0) {
                snprintf(verdict, sizeof verdict, "%s", exceptions[i].verdict);
            }
        }
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", NASTY_FOLDER, name);
        failing_host f;
        failing_host_arm(&f, -1);
        lim_mesh* mesh = NULL;
        lim_io_report report;
        lim_io_message message;
        lim_result result = lim_io_read_mesh(path, &f.host, &mesh, &report, &message);
        const char* got = result != LIM_OK ? "reject" : report.repairs > 0 ? "repair" : "ok";
        if (strcmp(got, verdict) != 0) {
            printf("  %s: %s, expected %s (%s%s)\n", name, got, verdict,
                   result != LIM_OK ? message.text : report.first_repair.text,
                   lim_result_name(result));
        }
        CHECK(strcmp(got, verdict) == 0);
        CHECK((result == LIM_OK) == (mesh != NULL));
        CHECK((result == LIM_OK) == (message.text[0] == '\0'));
        CHECK((report.repairs == 0) == (report.first_repair.text[0] == '\0'));
        CHECK(result == LIM_OK || strstr(message.text, name) != NULL);
        lim_mesh_destroy(mesh);
        CHECK(f.held == 0);
        files++;
    }
    if (table != NULL) {
        fclose(table);
    }
    CHECK(files > 200);
}

TEST_SUITE(read_nasty) {
    TEST_BEGIN(argc, argv);
    RUN(every_file_gets_its_verdict);
    TEST_END();
}
