/* SPDX-License-Identifier: MIT
 * The sections of a scene file, one file each, and the names by which their entries are known.
 */
#ifndef LIMBER_PARSE_SECTIONS_H
#define LIMBER_PARSE_SECTIONS_H

#include "fields.h"

enum { NAME_SHOWN = 100 };

/* How an entry is called in messages: by its name if it has one, else by its number. */
void entry_title(char out[160], const char* kind, const json_value* entry, int32_t index);
/* The name of an entry that has none: its kind and number. */
lim_result entry_name(const field_reader* r, const json_value* entry, const char* kind,
                      int32_t index, const char** name);
/* Fails where an entry before it has the same name. */
lim_result entry_name_is_new(const field_reader* r, const json_value* list, int32_t index,
                             const char* what);
/* Fails where an entry has two keys that say the same thing in different ways. */
lim_result entry_only_one(const field_reader* r, const json_value* entry, const char* what,
                          const char* a, const char* b);

typedef enum named { NAMED_BODY, NAMED_COLLIDER, NAMED_PIN } named;
/* Finds what the member `key` names, among those of a kind that have been read. out_copy: of a
 * body, which copy; may be null for the others. */
lim_result named_find(const field_reader* r, const json_value* entry, const char* what,
                      const char* key, named kind, int32_t* out_index, int32_t* out_copy);

/* All of a list, into the scene's arena. */
lim_result bodies_read(const field_reader* r, const json_value* list, scene_body** out);
/* The entry `index` of a list. Pins, links and actions name what was read before them. */
lim_result collider_read(const field_reader* r, const json_value* list, int32_t index,
                         scene_collider* out);
lim_result pin_read(const field_reader* r, const json_value* list, int32_t index, scene_pin* out);
lim_result link_read(const field_reader* r, const json_value* list, int32_t index, scene_link* out);
lim_result training_read(const field_reader* r, const json_value* entry, scene_training* out);
lim_result action_read(const field_reader* r, const json_value* list, int32_t index,
                       scene_action* out);

#endif
