/* SPDX-License-Identifier: MIT
 * Job: judge values at the border. In: a field and its range. Out: the first failure as a result
 * and one log line "call: field is value; cure".
 */
#include "world/check.h"

#include "hex/element.h"

void check_fail(check* c, lim_result result, const char* what, const char* cure) {
    if (c->result == LIM_OK) {
        c->result = log_fail(c->host, result, "%s: %s; %s", c->call, what, cure);
    }
}

void check_cookie(check* c, uint32_t cookie, uint32_t expected, const char* maker) {
    if (c->result == LIM_OK && cookie != expected) {
        c->result = log_fail(c->host, LIM_ERROR_DESC,
                             "%s: the descriptor has no cookie; start from %s()", c->call, maker);
    }
}

void check_pointer(check* c, const char* field, const void* pointer) {
    if (c->result == LIM_OK && pointer == NULL) {
        c->result =
            log_fail(c->host, LIM_ERROR_ARGUMENT, "%s: %s is null; give a pointer", c->call, field);
    }
}

void check_number(check* c, const char* field, double value, double low, double high,
                  const char* cure) {
    if (c->result == LIM_OK && !(value >= low && value <= high)) {
        c->result = log_fail(c->host, LIM_ERROR_ARGUMENT, "%s: %s is %g; give %s", c->call, field,
                             value, cure);
    }
}

void check_integer(check* c, const char* field, int64_t value, int64_t low, int64_t high,
                   const char* cure) {
    if (c->result == LIM_OK && (value < low || value > high)) {
        c->result = log_fail(c->host, LIM_ERROR_ARGUMENT, "%s: %s is %lld; give %s", c->call, field,
                             (long long)value, cure);
    }
}

void check_vector(check* c, const char* field, lim_vec3 value, double limit, const char* cure) {
    bool good = fabs((double)value.x) <= limit && fabs((double)value.y) <= limit &&
                fabs((double)value.z) <= limit;
    if (c->result == LIM_OK && !good) {
        c->result =
            log_fail(c->host, LIM_ERROR_ARGUMENT, "%s: %s is (%g, %g, %g); give %s", c->call, field,
                     (double)value.x, (double)value.y, (double)value.z, cure);
    }
}

void check_point(check* c, const char* field, lim_point value) {
    bool good = fabs(value.x) <= (double)CHECK_POSITION &&
                fabs(value.y) <= (double)CHECK_POSITION && fabs(value.z) <= (double)CHECK_POSITION;
    if (c->result == LIM_OK && !good) {
        c->result = log_fail(
            c->host, LIM_ERROR_ARGUMENT,
            "%s: %s is (%g, %g, %g); give metres, each coordinate within 1e9 of the origin",
            c->call, field, value.x, value.y, value.z);
    }
}

void check_quat(check* c, const char* field, lim_quat value) {
    double n = (double)value.x * (double)value.x + (double)value.y * (double)value.y +
               (double)value.z * (double)value.z + (double)value.w * (double)value.w;
    if (c->result == LIM_OK && !(n >= 1e-20 && n <= 1e20)) {
        c->result = log_fail(
            c->host, LIM_ERROR_ARGUMENT,
            "%s: %s is (%g, %g, %g, %g); give a quaternion (x, y, z, w) such as (0, 0, 0, 1)",
            c->call, field, (double)value.x, (double)value.y, (double)value.z, (double)value.w);
    }
}

void check_shape(check* c, lim_shape shape, lim_vec3 size, bool plane_allowed) {
    double low = (double)CHECK_SMALL, high = (double)CHECK_LENGTH;
    switch (shape) {
    case LIM_SHAPE_PLANE:
        if (!plane_allowed) {
            check_fail(c, LIM_ERROR_ARGUMENT, "shape is LIM_SHAPE_PLANE",
                       "give a sphere, a capsule or a box");
        }
        return;
    case LIM_SHAPE_SPHERE:
        check_number(c, "size.x", (double)size.x, low, high, "a radius in metres, 1e-9 to 1e6");
        return;
    case LIM_SHAPE_CAPSULE:
        check_number(c, "size.x", (double)size.x, low, high, "a radius in metres, 1e-9 to 1e6");
        check_number(c, "size.y", (double)size.y, 0.0, high,
                     "half the length of the axis in metres, 0 to 1e6");
        return;
    case LIM_SHAPE_BOX:
        check_number(c, "size.x", (double)size.x, low, high,
                     "a half extent in metres, 1e-9 to 1e6");
        check_number(c, "size.y", (double)size.y, low, high,
                     "a half extent in metres, 1e-9 to 1e6");
        check_number(c, "size.z", (double)size.z, low, high,
                     "a half extent in metres, 1e-9 to 1e6");
        return;
    case LIM_SHAPE_HULL:
    case LIM_SHAPE_MESH:
    case LIM_SHAPE_HEIGHTS: /* contact/asset.h judges their arrays */
        if (!plane_allowed) {
            check_fail(c, LIM_ERROR_ARGUMENT, "shape is one that only colliders have",
                       "give a sphere, a capsule or a box");
        }
        return;
    }
    check_integer(c, "shape", (int64_t)shape, LIM_SHAPE_PLANE, LIM_SHAPE_HEIGHTS,
                  "one of the LIM_SHAPE_ numbers");
}

void check_zones(check* c, const lim_zone* zones, int32_t count) {
    check_integer(c, "zone_count", count, 0, 1000000, "0 or a number up to 1000000");
    if (count > 0) {
        check_pointer(c, "zones", zones);
    }
    for (int32_t i = 0; c->result == LIM_OK && i < count; ++i) {
        const lim_zone* z = &zones[i];
        check_shape(c, z->shape, z->size, false);
        check_point(c, "zones.position", z->position);
        check_quat(c, "zones.orientation", z->orientation);
        check_number(c, "zones.fade", (double)z->fade, 0.0, (double)CHECK_LENGTH,
                     "metres, 0 or more");
        check_number(c, "zones.stiffness", (double)z->stiffness, 1e-6, 1e6,
                     "a factor from 1e-6 to 1e6");
        check_number(c, "zones.density", (double)z->density, 1e-6, 1e6,
                     "a factor from 1e-6 to 1e6");
    }
}

void check_material(check* c, const lim_material* m) {
    check_number(c, "material.density", (double)m->density, 1e-3, 1e6,
                 "a density in kg/m^3 above 0");
    check_number(c, "material.young", (double)m->young, 1e-3, 1e15, "a modulus in pascal above 0");
    check_number(c, "material.viscosity", (double)m->viscosity, 0.0, 1e12,
                 "a viscosity in pascal second, 0 or more");
    check_integer(c, "material.damping_every", m->damping_every, 1, 16,
                  "a number of substeps from 1 to 16");
    check_number(c, "material.damping_time", (double)m->damping_time, 0.0, 1e9,
                 "a time in seconds, or 0 for none");
    check_number(c, "material.friction", (double)m->friction, 0.0, 1e3,
                 "a friction coefficient, 0 or more");
    check_number(c, "material.restitution", (double)m->restitution, 0.0, 1.0,
                 "a share from 0 to 1");
    check_number(c, "material.rolling_time", (double)m->rolling_time, 0.0, 1e9,
                 "a time in seconds, or 0 for none");
    check_number(c, "material.air_drag", (double)m->air_drag, 0.0, 1.0, "a share from 0 to 1");
    check_integer(c, "material.goal", (int64_t)m->goal, LIM_GOAL_RIGID, LIM_GOAL_QUADRATIC,
                  "LIM_GOAL_RIGID, LIM_GOAL_LINEAR or LIM_GOAL_QUADRATIC");
    check_number(c, "material.beta", (double)m->beta, 0.0, 1.0, "a share from 0 to 1");
    check_number(c, "material.alpha", (double)m->alpha, 0.0, 1.0,
                 "a stiffness per substep from 0 to 1, or 0 to use young");
    check_number(c, "material.volume", (double)m->volume, 0.0, 1.0, "a share from 0 to 1");
    check_number(c, "material.pressure", (double)m->pressure, -1e9, 1e9, "a pressure in pascal");
    check_number(c, "material.yield", (double)m->yield, 0.0, 10.0,
                 "a strain above 0, or 0 for a body that never flows");
    check_number(c, "material.creep", (double)m->creep, 0.0, 1e6, "a rate per second, 0 or more");
    check_number(c, "material.max_strain", (double)m->max_strain, 0.0, 10.0,
                 "a strain from 0 to 10");
    check_number(c, "material.hardening", (double)m->hardening, 0.0, 100.0,
                 "a number from 0 to 100");
    check_number(c, "material.nu", (double)m->nu, 0.0, HEX_POISSON_MOST, "a ratio from 0 to 0.495");
}

void check_of_kind(check* c, const lim_material* m, const body_kind* kind) {
    if (kind->regions == REGIONS_CELLS) {
        check_number(c, "material.young of LIM_KIND_HEX", (double)m->young, HEX_YOUNG_LEAST,
                     HEX_YOUNG_MOST, "a modulus from 1 to 1e12 pascal");
    }
    if (m->goal == LIM_GOAL_QUADRATIC && !kind->quadratic) {
        check_fail(c, LIM_ERROR_ARGUMENT,
                   "material.goal is LIM_GOAL_QUADRATIC and the model is not of LIM_KIND_POINTS",
                   "use LIM_GOAL_LINEAR or a model of points");
    }
    if (m->goal == LIM_GOAL_QUADRATIC && (m->yield > 0.0f || m->volume > 0.0f)) {
        check_fail(c, LIM_ERROR_ARGUMENT,
                   "material.goal is LIM_GOAL_QUADRATIC, and yield or volume is not 0",
                   "use LIM_GOAL_RIGID or LIM_GOAL_LINEAR");
    }
}

void check_range(check* c, const lim_box* box) {
    check_point(c, "box.lower", box->lower);
    check_point(c, "box.upper", box->upper);
    bool order = box->lower.x <= box->upper.x && box->lower.y <= box->upper.y &&
                 box->lower.z <= box->upper.z;
    if (!order) {
        check_fail(c, LIM_ERROR_ARGUMENT, "box.lower is above box.upper",
                   "give the corner with the lesser coordinates as lower");
    }
}

void check_wind(check* c, const lim_wind* wind) {
    check_vector(c, "wind.velocity", wind->velocity, 1e4, "metres per second, up to 1e4");
    check_number(c, "wind.gust", (double)wind->gust, 0.0, 4.0, "a share from 0 to 4");
    /* A zeroed struct switches wind off: the size of its gusts does not matter then. */
    double smallest = wind->density == 0.0f ? 0.0 : 1e-3;
    check_number(c, "wind.gust_size", (double)wind->gust_size, smallest, (double)CHECK_LENGTH,
                 "the size of gusts in metres, 1e-3 or more");
    check_number(c, "wind.density", (double)wind->density, 0.0, 1e4,
                 "the density of the air in kg/m^3, or 0 to switch wind off");
}

void check_detail(check* c, const lim_detail* d) {
    check_number(c, "angle", (double)d->angle, 0.0, 1.0, "edge over distance, 0 to 1");
    check_number(c, "strain_fine", (double)d->strain_fine, 0.0, 1e6, "a strain, or 0 for none");
    check_number(c, "strain_coarse", (double)d->strain_coarse, 0.0, (double)d->strain_fine,
                 "a strain below strain_fine");
    check_number(c, "touch", (double)d->touch, 0.0, (double)CHECK_LENGTH,
                 "metres about a touch, or 0");
    check_number(c, "touch_time", (double)d->touch_time, 0.0, 3600.0, "seconds, 0 to 3600");
    check_number(c, "finest", (double)d->finest, 0.0, (double)CHECK_LENGTH, "metres, or 0");
    check_number(c, "coarsest", (double)d->coarsest, 0.0, (double)CHECK_LENGTH, "metres, or 0");
    if (c->result == LIM_OK && d->coarsest > 0.0f && d->coarsest < d->finest) {
        check_fail(c, LIM_ERROR_ARGUMENT, "coarsest is finer than finest",
                   "use at least that, or 0");
    }
    check_number(c, "hysteresis", (double)d->hysteresis, 1.0, 4.0, "a factor from 1 to 4");
    check_integer(c, "nodes", d->nodes, 0, INT32_MAX, "0 for no limit, or a number");
}

void check_fracture(check* c, const lim_fracture* f, int32_t submeshes) {
    check_number(c, "strain", (double)f->strain, 0.0, 1e6, "a strain, or 0 for never");
    check_integer(c, "most", f->most, 0, INT32_MAX, "0 for no limit, or a number");
    check_integer(c, "inner_submesh", f->inner_submesh, -1, submeshes,
                  "-1 for one of its own, or a submesh of the body");
    check_zones(c, f->zones, f->zone_count);
    for (int32_t i = 0; c->result == LIM_OK && i < f->zone_count; ++i) {
        check_number(c, "zones.density", (double)f->zones[i].density, 1.0, 1.0,
                     "1: the mass of a body does not change");
    }
}

void check_world_detail(check* c, const lim_world_detail* d) {
    check_point(c, "eye", d->eye);
    check_integer(c, "nodes", d->nodes, 0, INT32_MAX, "0 for no limit, or a number");
    check_integer(c, "work", d->work, 0, INT32_MAX, "0 for no limit, or a number");
}
