/* SPDX-License-Identifier: MIT
 * Job: the blade of a cut in a scene file. In: a list of stations, each with the two ends of the
 * blade. Out: an array in the scene's arena; or a message with the place and the cure.
 */
#include "scene_inside.h"
#include "scene_parts.h"

#include <stdio.h>

static const field STATION_FIELDS[] = {
    {"from", FIELD_POINT, offsetof(scene_station, from), -1e6, 1e6, NULL, 0},
    {"to", FIELD_POINT, offsetof(scene_station, to), -1e6, 1e6, NULL, 0}};

lim_result blade_read(const field_reader* r, const json_value* entry, const char* what,
                      const scene_station** out, int32_t* out_count) {
    const json_value* list = json_member(entry, "blade");
    int32_t count = json_is(list, JSON_ARRAY) ? json_count(list) : 0;
    if (count < 2 || count > SCENE_STATION_LIMIT) {
        return field_fail(r, list, LIM_ERROR_FORMAT,
                          "%s: \"blade\" must be a list of 2 to %d stations, such as {\"from\": "
                          "[0, 1, -1], \"to\": [0, 1, 1]}",
                          what, SCENE_STATION_LIMIT);
    }
    scene_station* station = ARENA_ARRAY(&r->s->mem, scene_station, count);
    if (station == NULL) {
        return field_fail(r, list, LIM_ERROR_MEMORY, "out of memory");
    }
    for (int32_t i = 0; i < count; ++i) {
        char inner[200];
        const json_value* item = json_item(list, i);
        snprintf(inner, sizeof inner, "station %d of %s", i + 1, what);
        LIM_TRY(fields_read(r, item, inner, STATION_FIELDS, 2, 0, &station[i]));
        LIM_TRY(field_require(r, item, inner, "from"));
        LIM_TRY(field_require(r, item, inner, "to"));
        const char* fault = i > 0 ? scene_blade_fault(station + i - 1, 2) : NULL;
        if (fault != NULL) {
            return field_fail(r, item, LIM_ERROR_FORMAT, "%s %s", what, fault);
        }
    }
    *out = station;
    *out_count = count;
    return LIM_OK;
}
