/* SPDX-License-Identifier: MIT
 * Job: the command line tool `limber`. In: arguments. Out: a command's exit code: 0 done, 1 failed,
 * 2 wrong usage, 3 done but a body froze.
 */
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/say.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char* name;
    int (*call)(int argc, char** argv);
    const char* about;
} commands[] = {
    {"run", command_run, "simulate a scene, or drop a mesh; write pictures and animations"},
    {"list", command_list, "scenes, models and materials that are built in"},
    {"info", command_info, "what a mesh is like, and how it is sampled"},
    {"bench", command_bench,
     "times of a step, its parts, contact, edits and building on this machine"},
    {"train", command_train, "wrinkles and bulges for a body, learnt from an accurate simulation"},
    {"paper", command_paper, "numbers of the papers beside ours"}};

enum { COMMAND_COUNT = (int)(sizeof commands / sizeof commands[0]) };

static void print_usage(FILE* file) {
    fputs("usage: limber COMMAND [options]\n\nSoft bodies from any triangle surface.\n\n", file);
    for (int i = 0; i < COMMAND_COUNT; ++i) {
        fprintf(file, "  %-10s %s\n", commands[i].name, commands[i].about);
    }
    fputs("\nExamples:\n"
          "  limber run mine.obj -o mine.png -o mine.glb   drop a mesh: a picture, an animation\n"
          "  limber run creature --seconds 2               one of the models that `limber list` "
          "names\n"
          "  limber info mine.obj                          what is in the mesh, and what is wrong "
          "with it\n"
          "\n`limber COMMAND --help` tells more; `limber --version` the version.\n"
          "\nExit code: 0 done, 1 failed, 2 wrong usage, 130 ended by Ctrl-C,\n"
          "           3 `run` is done, but a body became non-finite and was frozen.\n",
          file);
}

/* What a command printed may still sit in the stream: a full disk shows only now. */
static int finish(int code) {
    if (fflush(stdout) != 0 || ferror(stdout) != 0) {
        if (code == EXIT_DONE) {
            say_error("the output could not be written; check the space on the disk");
        }
        return code == EXIT_DONE ? EXIT_FAILED : code;
    }
    return code;
}

int main(int argc, char** argv) {
    if (argc < 2) {
        print_usage(stderr);
        return EXIT_USAGE;
    }
    const char* word = argv[1];
    bool help = strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
    if (help && argc == 2) {
        print_usage(stdout);
        return finish(EXIT_DONE);
    }
    char ask[] = "--help";
    char* asked[] = {ask};
    if (help) { /* limber help run */
        word = argv[2];
        argc = 1;
        argv = asked;
    } else {
        argc -= 2;
        argv += 2;
    }
    if (strcmp(word, "--version") == 0) {
        printf("limber %s\n", lim_version());
        return finish(EXIT_DONE);
    }
    const char* names[COMMAND_COUNT];
    for (int i = 0; i < COMMAND_COUNT; ++i) {
        names[i] = commands[i].name;
        if (strcmp(word, commands[i].name) == 0) {
            return finish(commands[i].call(argc, argv));
        }
    }
    const char* nearest = options_nearest(word, names, COMMAND_COUNT);
    if (word[0] == '-') {
        say_error("'%s' stands where a command belongs, such as run; limber --help lists them",
                  word);
    } else if (nearest != NULL) {
        say_error("no command '%s'; did you mean %s?", word, nearest);
    } else {
        say_error("no command '%s'; limber --help lists them", word);
    }
    return EXIT_USAGE;
}
