/* SPDX-License-Identifier: MIT
 * Seconds for reports. Nothing that moves depends on them.
 */
#ifndef LIMBER_TIMER_H
#define LIMBER_TIMER_H

#include <limber/base.h>

/* The host's clock, else the system's; always 0 where there is neither (wasm). */
double timer_now(const lim_host* host);

#endif
