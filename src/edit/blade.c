/* SPDX-License-Identifier: MIT
 * Job: stub */
#include "edit/blade.h"
