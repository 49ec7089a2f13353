/* SPDX-License-Identifier: MIT
 * Job: notice Ctrl-C. In: the signal SIGINT. Out: a flag. The handler is gone after its first call,
 * so that the next signal does what it does to any program.
 */
#define _XOPEN_SOURCE 700
#include "cli/interrupt.h"

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t came;

static void take(int signal_number) {
    (void)signal_number;
    came = 1;
}

void interrupt_listen(void) {
    struct sigaction before, ours;
    memset(&ours, 0, sizeof ours);
    ours.sa_handler = take;
    ours.sa_flags = (int)SA_RESETHAND | SA_RESTART;
    sigemptyset(&ours.sa_mask);
    if (sigaction(SIGINT, NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
        (void)sigaction(SIGINT, &ours, NULL);
    }
}

bool interrupt_came(void) {
    return came != 0;
}
