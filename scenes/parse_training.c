/* SPDX-License-Identifier: MIT
 * Job: the member "training" of a scene file. In: an object. Out: how detail is trained, or a
 * message with the place and the cure. The tables are the format (docs/detail.md).
 */
#include "field_table.h"
#include "math/trig.h"
#include "math/vec3.h"
#include "parse_sections.h"

static const field TRAINING_FIELDS[] = {
    {"body", FIELD_OTHER, 0, 0, 0, PLAIN},
    {"tool", FIELD_OTHER, 0, 0, 0, PLAIN},
    {"poses", FIELD_WHOLE, AT(scene_training, poses), 1, 10000, PLAIN},
    {"drags", FIELD_WHOLE, AT(scene_training, drags), 0, 10000, PLAIN},
    {"least_depth", FIELD_FLOAT, AT(scene_training, least_depth), 1e-6, FAR, PLAIN},
    {"depth", FIELD_FLOAT, AT(scene_training, depth), 1e-6, FAR, PLAIN},
    {"drag", FIELD_FLOAT, AT(scene_training, drag), 0, FAR, PLAIN},
    {"lean", FIELD_FLOAT, AT(scene_training, lean), 0, 80, PLAIN},
    {"lower", FIELD_POINT, AT(scene_training, lower), -FAR, FAR, PLAIN},
    {"upper", FIELD_POINT, AT(scene_training, upper), -FAR, FAR, PLAIN},
    {"toward", FIELD_VECTOR, AT(scene_training, toward), -1, 1, PLAIN},
    {"angle", FIELD_FLOAT, AT(scene_training, angle), 0, 180, PLAIN},
    {"reach", FIELD_FLOAT, AT(scene_training, reach), 0, FAR, PLAIN},
    {"stamp", FIELD_FLOAT, AT(scene_training, stamp), 1e-6, FAR, PLAIN},
    {"texels", FIELD_WHOLE, AT(scene_training, texels), 2, 1024, PLAIN},
    {"mix", FIELD_WHOLE, AT(scene_training, mix), 0, 100, PLAIN},
    {"seed", FIELD_WHOLE, AT(scene_training, seed), 0, 1e9, PLAIN},
    {"settle", FIELD_FLOAT, AT(scene_training, settle), 0.1, 1000, PLAIN},
    {"held_out", FIELD_WHOLE, AT(scene_training, held_out), 0, 1000, PLAIN},
    {"shell", FIELD_OTHER, 0, 0, 0, PLAIN}};

static const field SHELL_FIELDS[] = {
    {"thickness", FIELD_FLOAT, AT(scene_training, thickness), 1e-6, FAR, PLAIN},
    {"young", FIELD_FLOAT, AT(scene_training, young), 1e-3, 1e13, PLAIN},
    {"poisson", FIELD_FLOAT, AT(scene_training, poisson), -0.9, 0.95, PLAIN},
    {"bulk", FIELD_FLOAT, AT(scene_training, bulk), 0, 1e13, PLAIN},
    {"pressure", FIELD_FLOAT, AT(scene_training, pressure), -1e9, 1e9, PLAIN},
    {"support", FIELD_FLOAT, AT(scene_training, support), 0, 1e15, PLAIN},
    {"bulge", FIELD_BOOL, AT(scene_training, bulge), 0, 0, PLAIN}};

lim_result training_read(const field_reader* r, const json_value* entry, scene_training* out) {
    const char* what = "\"training\"";
    scene_training t = {.poses = 40,
                        .toward = {0, 1, 0},
                        .angle = 180.0f,
                        .texels = 48,
                        .seed = 1,
                        .settle = 3.0f,
                        .held_out = 8,
                        .thickness = 1e-3f,
                        .young = 1e6f,
                        .poisson = 0.3f,
                        .bulge = true};
    LIM_TRY(fields_read(r, entry, what, TRAINING_FIELDS, COUNT(TRAINING_FIELDS), 0, &t));
    LIM_TRY(field_require(r, entry, what, "depth"));
    LIM_TRY(field_require(r, entry, what, "stamp"));
    int32_t copy = -1;
    if (json_member(entry, "body") != NULL) {
        LIM_TRY(named_find(r, entry, what, "body", NAMED_BODY, &t.body, &copy));
    }
    LIM_TRY(named_find(r, entry, what, "tool", NAMED_COLLIDER, &t.tool, NULL));
    const json_value* shell = json_member(entry, "shell");
    if (shell != NULL) {
        LIM_TRY(fields_read(r, shell, "\"shell\"", SHELL_FIELDS, COUNT(SHELL_FIELDS), 0, &t));
    }
    if (t.drags > t.poses) {
        return field_fail(r, json_member(entry, "drags"), LIM_ERROR_FORMAT,
                          "%d drags of %d poses; give at most as many drags as poses", t.drags,
                          t.poses);
    }
    t.least_depth = t.least_depth > 0.0f ? t.least_depth : 0.5f * t.depth;
    if (t.least_depth > t.depth) {
        return field_fail(r, json_member(entry, "least_depth"), LIM_ERROR_FORMAT,
                          "\"least_depth\" %g is more than \"depth\" %g", (double)t.least_depth,
                          (double)t.depth);
    }
    bool lower = json_member(entry, "lower") != NULL, upper = json_member(entry, "upper") != NULL;
    if (lower != upper) {
        return field_fail(r, entry, LIM_ERROR_FORMAT,
                          "\"training\" has one of \"lower\" and \"upper\"; give both corners of "
                          "the box, or none");
    }
    if (!(v3_length(t.toward) > 0.0f)) {
        return field_fail(r, json_member(entry, "toward"), LIM_ERROR_FORMAT,
                          "\"toward\" has no length; give a direction");
    }
    t.has_region = lower;
    t.toward = v3_unit(t.toward, t.toward);
    t.drag = json_member(entry, "drag") != NULL ? t.drag : t.depth;
    t.lean = (float)((double)t.lean * (TRIG_PI / 180.0));
    t.angle = (float)((double)t.angle * (TRIG_PI / 180.0));
    *out = t;
    return LIM_OK;
}
