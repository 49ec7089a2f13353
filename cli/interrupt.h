/* SPDX-License-Identifier: MIT
 * Ctrl-C: the first one is noted, so that a run can end early and keep what there is; the second
 * ends the program at once.
 */
#ifndef LIMBER_INTERRUPT_H
#define LIMBER_INTERRUPT_H

#include <stdbool.h>

/* From now on. Where the signal was ignored (a job in the background of a script), it stays so. */
void interrupt_listen(void);
bool interrupt_came(void);

#endif
