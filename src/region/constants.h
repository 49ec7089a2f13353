/* SPDX-License-Identifier: MIT
 * Sums that the constants of regions are made of, in double.
 */
#ifndef LIMBER_CONSTANTS_H
#define LIMBER_CONSTANTS_H

#include "region/charts.h"

enum { MOMENTS = 10 }; /* m~, m~ x0 (3), m~ x0 x0^T (6) */

/* Moments of one record of layer 0 in its chart. The rest position is the float that matching uses.
 */
void node_moments(const region_nodes* nodes, const charts* c, int32_t chart, int32_t node, double m,
                  double at[MOMENTS]);
/* Moments of a later record from those of its inputs; moment: MOMENTS per record. */
void list_moments(const net* n, int32_t record, double* moment);
/* W = P^T w of a record from those of the records that use it. */
double list_weight(const net* n, int32_t record, const double* weight);
/* The constants of one region from its moments. */
void set_constants(regions* r, int32_t i, const double s[MOMENTS]);

#endif
