/* SPDX-License-Identifier: MIT
 * Cookies: the mark that each lim_x_desc_default writes into its descriptor, so that a descriptor
 * that was zeroed or filled by hand is told apart from one with all its defaults.
 */
#ifndef LIMBER_COOKIE_H
#define LIMBER_COOKIE_H

#define LIM_COOKIE_MESH     0x4D45A517u
#define LIM_COOKIE_MODEL    0x30DE1B62u
#define LIM_COOKIE_WORLD    0x5709D3C4u
#define LIM_COOKIE_BODY     0xB0D7929Fu
#define LIM_COOKIE_COLLIDER 0xC0111D4Bu
#define LIM_COOKIE_PIN      0x9184E6D5u
#define LIM_COOKIE_GRAB     0x62AB70E8u

#endif
