/* SPDX-License-Identifier: MIT
 * Job: `limber list`. In: nothing. Out: the names and one line each of scenes, models and
 * materials.
 */
#include "cli/commands.h"
#include "cli/emit.h"
#include "cli/options.h"
#include "cli/say.h"
#include "scenes/models.h"
#include "scenes/scene.h"

enum { ENTRIES_MOST = 128 };

/* What a built-in scene says about itself; it is read to learn it. */
static bool describe(const scene_entry* entry, say_log* log, char* out, size_t room) {
    scene* s = NULL;
    lim_io_message message = {""};
    if (scene_parse(entry->text, entry->size, entry->name, NULL, &log->host, &s, &message) !=
        LIM_OK) {
        say_error("%s", message.text);
        return false;
    }
    const char* about = scene_get_desc(s)->about;
    snprintf(out, room, "%s", about != NULL ? about : "");
    scene_destroy(s);
    return true;
}

static void list_materials(emit* e, bool json) {
    if (json) {
        emit_array(e, "materials");
    } else {
        printf("materials (limber run NAME --material MATERIAL, or \"preset\" in a scene)\n");
    }
    for (int i = 0; lim_preset_name((lim_preset)i) != NULL; ++i) {
        lim_material m = lim_material_preset((lim_preset)i);
        const char* name = lim_preset_name((lim_preset)i);
        if (json) {
            emit_object(e, NULL);
            emit_text(e, "name", name);
            emit_number(e, "density", (double)m.density);
            emit_number(e, "young", (double)m.young);
            emit_number(e, "volume", (double)m.volume);
            emit_number(e, "yield", (double)m.yield);
            emit_close_object(e);
        } else {
            printf("  %-14s %.0f kg/m^3, %.0f kPa, volume %.2g%s\n", name, (double)m.density,
                   1e-3 * (double)m.young, (double)m.volume, m.yield > 0.0f ? ", plastic" : "");
        }
    }
    if (json) {
        emit_close_array(e);
    }
}

int command_list(int argc, char** argv) {
    bool json = false;
    const option options[] = {{"--json", NULL, "as JSON", OPTION_FLAG, &json, 0, 0}};
    const option_table table = {.usage = "limber list [--json]",
                                .about =
                                    "Names the scenes, the procedural models and the materials.\n",
                                .options = options,
                                .option_count = 1,
                                .words_name = ""};
    option_texts words;
    option_result read = options_read(&table, argc, argv, &words);
    if (read != OPTIONS_OK) {
        return read == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
    }
    say_log log;
    say_log_init(&log, LIM_LOG_ERROR);
    scene_entry scenes[ENTRIES_MOST];
    model_entry models[ENTRIES_MOST];
    int32_t scene_count = scene_list(scenes, ENTRIES_MOST);
    int32_t model_count = model_list(models, ENTRIES_MOST);
    scene_count = scene_count < ENTRIES_MOST ? scene_count : ENTRIES_MOST;
    model_count = model_count < ENTRIES_MOST ? model_count : ENTRIES_MOST;
    emit e = emit_begin(stdout);
    if (json) {
        emit_object(&e, NULL);
        emit_array(&e, "scenes");
    } else {
        printf("scenes (limber run NAME)\n");
    }
    for (int32_t i = 0; i < scene_count; ++i) {
        char about[256];
        if (!describe(&scenes[i], &log, about, sizeof about)) {
            return EXIT_FAILED;
        }
        if (json) {
            emit_object(&e, NULL);
            emit_text(&e, "name", scenes[i].name);
            emit_text(&e, "about", about);
            emit_close_object(&e);
        } else {
            printf("  %-14s %s\n", scenes[i].name, about);
        }
    }
    if (json) {
        emit_close_array(&e);
        emit_array(&e, "models");
    } else {
        printf("models (limber run NAME drops one, limber info NAME measures it)\n");
    }
    for (int32_t i = 0; i < model_count; ++i) {
        if (json) {
            emit_object(&e, NULL);
            emit_text(&e, "name", models[i].name);
            emit_text(&e, "about", models[i].about);
            emit_count(&e, "triangles", models[i].triangles);
            emit_close_object(&e);
        } else {
            printf("  %-14s %s\n", models[i].name, models[i].about);
        }
    }
    if (json) {
        emit_close_array(&e);
    }
    list_materials(&e, json);
    if (json) {
        emit_close_object(&e);
        emit_end(&e);
    }
    return EXIT_DONE;
}
