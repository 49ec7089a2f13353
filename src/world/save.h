/* SPDX-License-Identifier: MIT
 * What saved worlds begin with.
 */
#ifndef LIMBER_SAVE_H
#define LIMBER_SAVE_H

#define SAVE_KIND "LIMWORLD"

#endif
