/* SPDX-License-Identifier: MIT
 * The scene files of this folder as texts; the table is made by embed.cmake.
 */
#ifndef LIMBER_SCENE_TABLE_H
#define LIMBER_SCENE_TABLE_H

#include "scene.h"

extern const scene_entry SCENE_TABLE[];
extern const int32_t SCENE_TABLE_COUNT;

#endif
