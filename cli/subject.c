/* SPDX-License-Identifier: MIT
 * Job: find what a command line word names. In: a word. Out: a scene or a mesh, or a message with a
 * cure and an exit code. A name that is nothing is a mistake of usage; a file that is bad is a
 * failure.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/subject.h"

#include "base/mem.h"
#include "cli/options.h"
#include "scenes/models.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { NAMES_MOST = 128, SCENE_FILE_MOST = 64 * 1024 * 1024, PATH_ROOM = 1024 };

int subject_failed(const char* what, lim_result result, const lim_io_message* message,
                   const say_log* log) {
    if (message != NULL && message->text[0] != '\0') {
        say_error("%s", message->text);
    } else if (log != NULL && log->last_error[0] != '\0') {
        say_error("%s: %s", what, log->last_error);
    } else if (result == LIM_ERROR_MEMORY) {
        say_error("%s: out of memory; ask for fewer nodes or frames", what);
    } else {
        say_error("%s: %s", what, lim_result_name(result));
    }
    return EXIT_FAILED;
}

lim_result subject_read_mesh(void* user, const char* path, const lim_host* host,
                             lim_mesh** out_mesh, lim_io_message* out_message) {
    (void)user;
    return lim_io_read_mesh(path, host, out_mesh, NULL, out_message);
}

static bool ends_with(const char* word, const char* end) {
    size_t length = strlen(word), end_length = strlen(end);
    return length >= end_length && strcmp(word + length - end_length, end) == 0;
}

static bool is_model(const char* word) {
    model_entry entries[NAMES_MOST];
    int32_t count = model_list(entries, NAMES_MOST);
    for (int32_t i = 0; i < count && i < NAMES_MOST; ++i) {
        if (strcmp(entries[i].name, word) == 0) {
            return true;
        }
    }
    return false;
}

/* A scene where only a mesh will do. */
static int not_a_mesh(const char* word) {
    say_error(
        "'%s' is a scene; this takes a mesh file (.obj .ply .stl .off .gltf .glb) or a model of "
        "`limber list`",
        word);
    return EXIT_USAGE;
}

/* Nothing has this name: say what comes near, or what is wrong with the file that has it. */
static int unknown_name(const char* word, bool scenes_too) {
    const char* names[2 * NAMES_MOST];
    int32_t count = 0;
    scene_entry scenes[NAMES_MOST];
    int32_t scene_count = scenes_too ? scene_list(scenes, NAMES_MOST) : 0;
    for (int32_t i = 0; i < scene_count && i < NAMES_MOST; ++i) {
        names[count++] = scenes[i].name;
    }
    model_entry models[NAMES_MOST];
    int32_t model_count = model_list(models, NAMES_MOST);
    for (int32_t i = 0; i < model_count && i < NAMES_MOST; ++i) {
        names[count++] = models[i].name;
    }
    const char* kinds = scenes_too ? ".obj, .ply, .stl, .off, .gltf or .glb, scene files in .json"
                                   : ".obj, .ply, .stl, .off, .gltf or .glb";
    struct stat there;
    const char* nearest = options_nearest(word, names, count);
    if (stat(word, &there) == 0) {
        say_error("%s: %s; mesh files end in %s", word,
                  S_ISDIR(there.st_mode) ? "is a folder, name a file in it"
                                         : "this kind of file is not read, export it as another",
                  kinds);
    } else if (nearest != NULL) {
        say_error("no %smodel or mesh file '%s'; did you mean %s?", scenes_too ? "scene, " : "",
                  word, nearest);
    } else {
        say_error(
            "no %smodel or mesh file '%s'; `limber list` names them, and mesh files end in %s",
            scenes_too ? "scene, " : "", word, kinds);
    }
    return EXIT_USAGE;
}

/* The text of a scene file. The caller frees `size` bytes. */
static int read_text(const char* path, const lim_host* host, char** out_text, size_t* out_size) {
    FILE* file = fopen(path, "rb");
    if (file == NULL) {
        say_error("%s: %s; check the path", path, strerror(errno));
        return EXIT_FAILED;
    }
    int code = EXIT_FAILED;
    long size = -1;
    /* a folder opens like a file, but no byte of it can be read */
    if (fgetc(file) == EOF && ferror(file) != 0) {
        say_error("%s: could not be read: %s; name a file that can be read, not a folder", path,
                  strerror(errno));
        fclose(file);
        return EXIT_FAILED;
    }
    if (fseek(file, 0, SEEK_END) == 0) {
        size = ftell(file);
    }
    if (size < 0 || size > SCENE_FILE_MOST || fseek(file, 0, SEEK_SET) != 0) {
        say_error("%s: not a file of at most 64 MB; a scene is a small JSON text", path);
    } else if (size == 0) {
        say_error("%s: the file is empty; docs/scenes.md shows what a scene holds", path);
    } else {
        char* text = mem_alloc(host, (size_t)size, 1);
        if (text == NULL) {
            say_error("%s: out of memory", path);
        } else if (fread(text, 1, (size_t)size, file) != (size_t)size) {
            say_error("%s: cannot be read to its end", path);
            mem_free(host, text, (size_t)size, 1);
        } else {
            *out_text = text;
            *out_size = (size_t)size;
            code = EXIT_DONE;
        }
    }
    fclose(file);
    return code;
}

static int open_scene_file(subject* s, const char* path, say_log* log) {
    char* text = NULL;
    size_t size = 0;
    int code = read_text(path, &log->host, &text, &size);
    if (code != EXIT_DONE) {
        return code;
    }
    char folder[PATH_ROOM] = "";
    const char* slash = strrchr(path, '/');
    if (slash != NULL && (size_t)(slash - path) + 1 < sizeof folder) {
        memcpy(folder, path, (size_t)(slash - path) + 1);
    }
    lim_io_message message = {""};
    lim_result result = scene_parse(text, size, path, folder, &log->host, &s->plan, &message);
    mem_free(&log->host, text, size, 1);
    return result == LIM_OK ? EXIT_DONE : subject_failed(path, result, &message, log);
}

int subject_open_mesh(subject* s, const char* word, say_log* log) {
    memset(s, 0, sizeof *s);
    lim_io_message message = {""};
    lim_result result;
    if (lim_io_format_of(word) != LIM_IO_UNKNOWN) {
        s->from_file = true;
        result = lim_io_read_mesh(word, &log->host, &s->mesh, &s->read, &message);
    } else if (is_model(word)) {
        result = model_mesh(word, 0, &log->host, &s->mesh);
    } else if (ends_with(word, ".json") || scene_find(word) != NULL) {
        return not_a_mesh(word);
    } else {
        return unknown_name(word, false);
    }
    return result == LIM_OK ? EXIT_DONE : subject_failed(word, result, &message, log);
}

int subject_open(subject* s, const char* word, const scene_drop_options* drop, say_log* log) {
    memset(s, 0, sizeof *s);
    lim_io_message message = {""};
    if (ends_with(word, ".json")) {
        return open_scene_file(s, word, log);
    }
    const scene_entry* entry = scene_find(word);
    if (entry != NULL) {
        lim_result result =
            scene_parse(entry->text, entry->size, word, NULL, &log->host, &s->plan, &message);
        return result == LIM_OK ? EXIT_DONE : subject_failed(word, result, &message, log);
    }
    if (lim_io_format_of(word) == LIM_IO_UNKNOWN && !is_model(word)) {
        return unknown_name(word, true);
    }
    int code = subject_open_mesh(s, word, log);
    if (code != EXIT_DONE) {
        return code;
    }
    lim_result result = scene_drop_of_mesh(s->mesh, drop, &log->host, &s->plan, &message);
    if (result != LIM_OK) {
        /* the scene knows the mesh, not the file it came from */
        if (message.text[0] != '\0') {
            say_error("%s: %s", word, message.text);
        } else {
            subject_failed(word, result, NULL, log);
        }
        subject_close(s);
        return EXIT_FAILED;
    }
    return EXIT_DONE;
}

void subject_close(subject* s) {
    scene_destroy(s->plan);
    lim_mesh_destroy(s->mesh);
    s->plan = NULL;
    s->mesh = NULL;
}
