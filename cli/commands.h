/* SPDX-License-Identifier: MIT
 * The commands of the tool, one file each. Each takes its arguments without program and command,
 * and returns an exit code.
 */
#ifndef LIMBER_COMMANDS_H
#define LIMBER_COMMANDS_H

int command_run(int argc, char** argv);
int command_list(int argc, char** argv);
int command_info(int argc, char** argv);
int command_bench(int argc, char** argv);
int command_paper(int argc, char** argv);
int command_train(int argc, char** argv);

#endif
