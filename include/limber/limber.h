/* SPDX-License-Identifier: MIT
 *
 * Limber: soft bodies from any triangle surface. Include this, or only what you need of
 * base.h (results, hooks), mesh.h (surfaces), model.h (what is simulated), world.h (what moves),
 * edit.h (what changes while it moves). Files are the business of <limber/io.h>, a library of its
 * own.
 */
#ifndef LIMBER_H
#define LIMBER_H
#include <limber/base.h>
#include <limber/edit.h>
#include <limber/mesh.h>
#include <limber/model.h>
#include <limber/world.h>
#endif
