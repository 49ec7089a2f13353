/* SPDX-License-Identifier: MIT
 * Job: the blade of a cut in a scene file. In: a list of stations, each with the two ends of the
 * blade. Out: an array in the scene's arena; or a message with the place and the cure.
 */
#include "field_table.h"
#include "scene_parts.h"

static const field STATION_FIELDS[] = {
    {"from", FIELD_POINT, AT(scene_station, from), -FAR, FAR, PLAIN},
    {"to", FIELD_POINT, AT(scene_station, to), -FAR, FAR, PLAIN}};

static lim_result read_station(const field_reader* r, const json_value* entry, const char* what,
                               void* out) {
    LIM_TRY(fields_read(r, entry, what, STATION_FIELDS, COUNT(STATION_FIELDS), 0, out));
    LIM_TRY(field_require(r, entry, what, "from"));
    return field_require(r, entry, what, "to");
}

lim_result blade_read(const field_reader* r, const json_value* entry, const char* what,
                      const scene_station** out, int32_t* out_count) {
    static const entries_rule rule = {"blade",
                                      "station",
                                      "stations, such as {\"from\": [0, 1, -1], \"to\": [0, 1, 1]}",
                                      2,
                                      SCENE_STATION_LIMIT,
                                      sizeof(scene_station),
                                      read_station};
    const json_value* list = json_member(entry, rule.key);
    void* entries = NULL;
    int32_t count = 0;
    LIM_TRY(entries_read(r, list, what, &rule, &entries, &count));
    const scene_station* station = entries;
    for (int32_t i = 1; i < count; ++i) {
        const char* fault = scene_blade_fault(station + i - 1, 2);
        if (fault != NULL) {
            return field_fail(r, json_item(list, i), LIM_ERROR_FORMAT, "%s %s", what, fault);
        }
    }
    *out = station;
    *out_count = count;
    return LIM_OK;
}
