/* SPDX-License-Identifier: MIT
 * What a command is about: a word of the command line turned into a scene or a mesh. The word is a
 * mesh file, a scene file (.json), a built-in scene, or a procedural model, in that order.
 */
#ifndef LIMBER_SUBJECT_H
#define LIMBER_SUBJECT_H

#include "cli/say.h"
#include "scenes/scene.h"

typedef struct subject {
    scene* plan;
    lim_mesh* mesh; /* of a mesh file or a model; null for a scene */
    bool from_file; /* the mesh came from a file; `read` says what the reader noticed */
    lim_io_report read;
} subject;

/* Opens a scene, or the default scene of a mesh or model. Returns EXIT_DONE, or an exit code after
 * the message. */
int subject_open(subject* s, const char* word, const scene_drop_options* drop, say_log* log);
/* Opens only the mesh of a file or a model. */
int subject_open_mesh(subject* s, const char* word, say_log* log);
void subject_close(subject* s);

/* The reader to give to scene_start. */
lim_result subject_read_mesh(void* user, const char* path, const lim_host* host,
                             lim_mesh** out_mesh, lim_io_message* out_message);

/* Says why a call failed: `message` if it has a text, else the last line of the log, else the
 * result's name. Returns EXIT_FAILED. */
int subject_failed(const char* what, lim_result result, const lim_io_message* message,
                   const say_log* log);

#endif
