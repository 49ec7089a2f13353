/* SPDX-License-Identifier: MIT
 * Job: name the fields of everything that moves, in order, once. In: a stream and a thing. Out: the
 * thing counted, written, hashed or read; what is read is in its range or the stream has failed.
 */
#include "body/solver.h"
#include "world/state.h"

static void stream_vec3(stream* s, lim_vec3* v) {
    stream_f32(s, &v->x);
    stream_f32(s, &v->y);
    stream_f32(s, &v->z);
}

static void stream_point(stream* s, lim_point* p) {
    stream_f64(s, &p->x);
    stream_f64(s, &p->y);
    stream_f64(s, &p->z);
}

/* Orientations are kept unit; anything far from it was not written by us. */
static void stream_quat(stream* s, dquat* q) {
    stream_f64(s, &q->x);
    stream_f64(s, &q->y);
    stream_f64(s, &q->z);
    stream_f64(s, &q->w);
    double n = q->x * q->x + q->y * q->y + q->z * q->z + q->w * q->w;
    if (s->mode == STREAM_READ && !(n > 0.99 && n < 1.01)) {
        s->failed = true;
    }
}

/* What the border would have refused cannot come from us either. */
static void refuse(stream* s, const check* c) {
    if (s->mode == STREAM_READ && c->result != LIM_OK) {
        s->failed = true;
    }
}

void state_stream_settings(stream* s, world_settings* w) {
    stream_vec3(s, &w->gravity);
    stream_i32(s, &w->substeps);
    stream_f32(s, &w->fixed_dt);
    stream_i32(s, &w->advance_limit);
    stream_bool(s, &w->sleep);
    if (s->mode != STREAM_HASH) { /* nothing that moves depends on them */
        stream_f32(s, &w->load_time);
        stream_f32(s, &w->impact);
    }
    stream_vec3(s, &w->wind.velocity);
    stream_f32(s, &w->wind.gust);
    stream_f32(s, &w->wind.gust_size);
    stream_f32(s, &w->wind.density);
    if (s->mode != STREAM_HASH || w->ranged) {
        stream_bool(s, &w->ranged);
        stream_point(s, &w->range.lower);
        stream_point(s, &w->range.upper);
    }
    lim_world_detail none = lim_world_detail_default();
    lim_world_detail* d = &w->detail;
    if (s->mode != STREAM_HASH || d->nodes != none.nodes || d->work != none.work ||
        d->eye.x != 0.0 || d->eye.y != 0.0 || d->eye.z != 0.0) {
        stream_point(s, &d->eye);
        stream_i32(s, &d->nodes);
        stream_i32(s, &d->work);
    }
    stream_f64(s, &w->time);
    stream_f64(s, &w->accumulator);
    stream_u64(s, &w->tick);
    check c = check_begin(NULL, "");
    check_vector(&c, "", w->gravity, 1e6, "");
    check_integer(&c, "", w->substeps, 1, 64, "");
    check_number(&c, "", (double)w->fixed_dt, 1e-6f, 10.0, "");
    check_integer(&c, "", w->advance_limit, 1, 1000000, "");
    check_number(&c, "", (double)w->load_time, 0.0, 1e6, "");
    check_number(&c, "", (double)w->impact, 0.0, (double)CHECK_FORCE, "");
    check_number(&c, "", w->time, 0.0, 1e15, "");
    check_number(&c, "", w->accumulator, 0.0, 1e7, "");
    check_wind(&c, &w->wind);
    check_range(&c, &w->range);
    check_world_detail(&c, &w->detail);
    refuse(s, &c);
}

/* What came later to materials: a hash with the values that they had before is what it was. */
static void stream_later(stream* s, state_record* r) {
    lim_material* m = &r->material;
    bool hash = s->mode == STREAM_HASH;
    if (!hash || m->damping_every != 1 || r->damping_wait != 0) {
        stream_i32(s, &m->damping_every);
        stream_i32(s, &r->damping_wait);
    }
    if (!hash || m->goal != LIM_GOAL_RIGID || m->alpha != 0.0f) {
        int32_t goal = (int32_t)m->goal;
        stream_i32(s, &goal);
        s->failed = s->failed || goal < LIM_GOAL_RIGID || goal > LIM_GOAL_QUADRATIC;
        m->goal = s->failed ? LIM_GOAL_RIGID : (lim_goal)goal;
        stream_f32(s, &m->beta);
        stream_f32(s, &m->alpha);
    }
    float* fills[2] = {&m->volume, &m->pressure};
    for (int k = 0; k < 2; ++k) {
        if (!hash || *fills[k] != 0.0f) {
            stream_f32(s, fills[k]);
        }
    }
    if (!hash || r->plastic || m->yield > 0.0f) {
        stream_bool(s, &r->plastic);
        stream_f32(s, &m->yield);
        stream_f32(s, &m->creep);
        stream_f32(s, &m->max_strain);
        stream_f32(s, &m->hardening);
    }
    if (!hash || m->restitution > 0.0f) {
        stream_f32(s, &m->restitution);
    }
    if (!hash || r->own_stiffness) {
        stream_bool(s, &r->own_stiffness);
    }
    if (!hash || r->layers.layer != 1 || r->layers.mask != UINT32_MAX || r->self_contact) {
        stream_u32(s, &r->layers.layer);
        stream_u32(s, &r->layers.mask);
        stream_bool(s, &r->self_contact);
    }
    if (!hash || r->embedded || r->embed_wait != 0) {
        stream_bool(s, &r->embedded);
        stream_i32(s, &r->embed_wait);
    }
    if (!hash || r->gripped) {
        stream_bool(s, &r->gripped);
    }
    if (!hash || r->feels_touch) {
        stream_bool(s, &r->feels_touch);
    }
    if (!hash || m->nu > 0.0f) {
        stream_f32(s, &m->nu);
    }
    if (!hash || r->history_h > 0.0f) {
        stream_f32(s, &r->history_h);
    }
    if (!hash || r->kept_substeps != 0) {
        stream_i32(s, &r->kept_substeps);
        stream_f32(s, &r->kept_time);
    }
}

/* A hash of bodies that rest in steps of this length is what it was before it was kept. */
#define QUIET_STEP (1.0f / 60.0f)

void state_stream_record(stream* s, state_record* r) {
    float* material[] = {&r->material.density,      &r->material.young,
                         &r->material.viscosity,    &r->material.damping_time,
                         &r->material.rolling_time, &r->material.friction,
                         &r->material.air_drag};
    stream_u32(s, &r->topology);
    for (size_t i = 0; i < sizeof material / sizeof material[0]; ++i) {
        stream_f32(s, material[i]);
    }
    stream_later(s, r);
    stream_f64(s, &r->scale);
    stream_f64(s, &r->gains_h);
    stream_f32(s, &r->gravity_scale);
    stream_f32(s, &r->quiet_time);
    if (s->mode != STREAM_HASH || (r->quiet_time > 0.0f && r->quiet_step != QUIET_STEP)) {
        stream_f32(s, &r->quiet_step);
    }
    stream_bool(s, &r->enabled);
    stream_bool(s, &r->asleep);
    stream_bool(s, &r->frozen);
    if (s->mode != STREAM_HASH) {
        stream_bool(s, &r->asleep_told);
    }
    stream_point(s, &r->start_position);
    stream_quat(s, &r->start_orientation);
    check c = check_begin(NULL, "");
    check_material(&c, &r->material);
    check_integer(&c, "", r->damping_wait, 0, 15, "");
    check_integer(&c, "", r->embed_wait, 0, EMBED_WAIT, "");
    check_integer(&c, "", r->kept_substeps, 0, 64, "");
    check_number(&c, "", (double)r->history_h, 0.0, 10.0, "");
    check_number(&c, "", (double)r->kept_time, 0.0, (double)BODY_KEEP_SUBSTEPS, "");
    check_number(&c, "", r->scale, 1e-7, 1e7, "");
    check_number(&c, "", r->gains_h, 1e-9, 10.0, "");
    check_number(&c, "", (double)r->gravity_scale, -1e3, 1e3, "");
    check_number(&c, "", (double)r->quiet_time, 0.0, HUGE_VAL, "");
    check_number(&c, "", (double)r->quiet_step, 0.0, 10.0, "");
    check_point(&c, "", r->start_position);
    refuse(s, &c);
}

static void stream_frame(stream* s, component* c) {
    stream_point(s, &c->origin);
    stream_quat(s, &c->rotation);
    stream_point(s, &c->left_impulse);
    stream_point(s, &c->left_turning);
}

/* A meeting that is under way; a hash without one is what it was. */
static void stream_bounce(stream* s, body_bounce* m) {
    if (s->mode == STREAM_HASH && !(m->speed > 0.0f)) {
        return;
    }
    stream_f32(s, &m->speed);
    stream_f32(s, &m->share);
    stream_vec3(s, &m->along);
    stream_vec3(s, &m->wall);
    stream_f64(s, &m->slide);
    stream_f64(s, &m->level);
    stream_u32(s, &m->other);
    stream_u32(s, &m->generation);
    stream_i32(s, &m->piece);
    check c = check_begin(NULL, "");
    check_number(&c, "", (double)m->speed, 0.0, HUGE_VAL, "");
    check_number(&c, "", (double)m->share, 0.0, 1.0, "");
    check_vector(&c, "", m->along, 1.001, "");
    check_number(&c, "", m->slide, 0.0, HUGE_VAL, "");
    refuse(s, &c);
}

void state_stream_arrays(stream* s, body* b) {
    const topology* t = b->topology;
    for (int32_t i = 0; i < t->component_count; ++i) {
        stream_frame(s, &b->components[i]);
        stream_bounce(s, &b->bounces[i]);
    }
#define STREAM_STATE(array, type, count) stream_floats(s, b->array, (count));
    BODY_STATE(STREAM_STATE)
    if (b->plastic) {
        BODY_PLASTIC_STATE(STREAM_STATE)
    }
    if (t->kind->solver->history) {
        BODY_HISTORY_STATE(STREAM_STATE)
    }
    if (b->gripped) {
        BODY_GRIP_STATE(STREAM_STATE)
    }
    if (b->feels_touch) {
        BODY_TOUCH_STATE(STREAM_STATE)
    }
    if (b->own_stiffness) {
        BODY_STIFFNESS_STATE(STREAM_STATE)
    }
#undef STREAM_STATE
}

void state_stream_shape(stream* s, const topology* t, float* const y0[3]) {
    for (int k = 0; k < 3; ++k) {
        stream_floats(s, y0[k], t->slot_count);
    }
}

/* Factors that are no factors cannot come from us; a region's mean may leave the range of what the
 * caller may give by rounding. */
static void skip_factors(stream* s, int32_t count) {
    float value = 1.0f;
    if (stream_has(s, count, sizeof(float))) {
        for (int32_t i = 0; i < count && !s->failed; ++i) {
            stream_f32(s, &value);
            s->failed = s->failed || !(value > 0.0f);
        }
    }
}

void state_skip_arrays(stream* s, const topology* t, const state_record* r) {
    for (int32_t i = 0; i < t->component_count; ++i) {
        component frame = {0};
        body_bounce meeting = {0};
        stream_frame(s, &frame);
        stream_bounce(s, &meeting);
    }
    float value = 0.0f;
#define SKIP_STATE(array, type, count)                                                             \
    if (stream_has(s, (count), sizeof(float))) {                                                   \
        for (int32_t i = 0; i < (count); ++i) {                                                    \
            stream_f32(s, &value);                                                                 \
        }                                                                                          \
    }
    BODY_STATE(SKIP_STATE)
    if (r->plastic) {
        BODY_PLASTIC_STATE(SKIP_STATE)
    }
    if (t->kind->solver->history) {
        BODY_HISTORY_STATE(SKIP_STATE)
    }
    if (r->gripped) {
        BODY_GRIP_STATE(SKIP_STATE)
    }
    if (r->feels_touch) {
        BODY_TOUCH_STATE(SKIP_STATE)
    }
#define SKIP_FACTORS(array, type, count) skip_factors(s, (count));
    if (r->own_stiffness) {
        BODY_STIFFNESS_STATE(SKIP_FACTORS)
    }
#undef SKIP_FACTORS
#undef SKIP_STATE
}

void state_stream_pin(stream* s, body_pin* p) {
    stream_u32(s, &p->id_index);
    stream_i32(s, &p->count);
    stream_point(s, &p->position);
    stream_point(s, &p->target_position);
    stream_quat(s, &p->orientation);
    stream_quat(s, &p->target_orientation);
    stream_f32(s, &p->stiffness);
    stream_vec3(s, &p->force);
    stream_vec3(s, &p->torque);
    if (s->mode != STREAM_HASH) {
        stream_vec3(s, &p->smooth_force);
        stream_vec3(s, &p->smooth_torque);
    }
    check c = check_begin(NULL, "");
    check_number(&c, "", (double)p->stiffness, 0.0, (double)CHECK_FORCE, "");
    refuse(s, &c);
}

void state_stream_grab(stream* s, body_grab* g) {
    stream_u32(s, &g->id_index);
    stream_i32(s, &g->component);
    stream_i32(s, &g->count);
    stream_vec3(s, &g->rest);
    stream_vec3(s, &g->offset);
    stream_point(s, &g->target);
    stream_point(s, &g->previous_target);
    stream_f32(s, &g->stiffness);
    stream_f32(s, &g->damping);
    stream_f32(s, &g->force_limit);
    stream_vec3(s, &g->force);
    if (s->mode != STREAM_HASH) {
        stream_vec3(s, &g->smooth_force);
        stream_f32(s, &g->radius);
        stream_f32(s, &g->reach);
    }
    if (s->mode != STREAM_HASH || g->hard) {
        stream_bool(s, &g->hard);
        stream_bool(s, &g->hold.gave_way);
        stream_bool(s, &g->can_hold);
    }
    check c = check_begin(NULL, "");
    check_number(&c, "", (double)g->stiffness, 0.0, HUGE_VAL, "");
    check_number(&c, "", (double)g->radius, 0.0, HUGE_VAL, "");
    check_number(&c, "", (double)g->reach, 0.0, HUGE_VAL, "");
    check_number(&c, "", (double)g->damping, 0.0, HUGE_VAL, "");
    check_number(&c, "", (double)g->force_limit, 0.0, (double)CHECK_FORCE, "");
    refuse(s, &c);
}

void state_stream_link(stream* s, world_link* l) {
    stream_i32(s, &l->body);
    stream_i32(s, &l->other);
    stream_i32(s, &l->count);
    stream_f32(s, &l->stiffness);
    stream_f32(s, &l->force_limit);
    if (s->mode != STREAM_HASH) {
        state_stream_load(s, &l->load);
    }
    check c = check_begin(NULL, "");
    check_number(&c, "", (double)l->stiffness, 0.0, (double)CHECK_FORCE, "");
    check_number(&c, "", (double)l->force_limit, 0.0, (double)CHECK_FORCE, "");
    refuse(s, &c);
}

void state_stream_tie(stream* s, link_tie* t) {
    stream_i32(s, &t->node);
    stream_array(s, t->carrier, LINK_CARRIERS, sizeof(int32_t));
    stream_floats(s, t->weight, LINK_CARRIERS);
    stream_vec3(s, &t->arm);
    stream_vec3(s, &t->force);
}

void state_stream_load(stream* s, lim_load* l) {
    stream_vec3(s, &l->force);
    stream_vec3(s, &l->torque);
    stream_vec3(s, &l->smooth_force);
    stream_vec3(s, &l->smooth_torque);
}

void state_stream_touch(stream* s, world_touch* t) {
    stream_u64(s, &t->key);
    stream_u32(s, &t->body_generation);
    stream_u32(s, &t->other_generation);
    stream_i32(s, &t->quiet);
    stream_f32(s, &t->impulse);
    stream_vec3(s, &t->force);
    stream_vec3(s, &t->torque);
    stream_point(s, &t->point);
    stream_vec3(s, &t->normal);
    check c = check_begin(NULL, "");
    check_integer(&c, "", t->quiet, 0, TOUCH_QUIET - 1, "");
    refuse(s, &c);
}

void state_stream_collider(stream* s, world_collider* of) {
    collider* c = &of->shape;
    int32_t shape = (int32_t)c->shape;
    stream_i32(s, &shape);
    c->shape =
        shape >= LIM_SHAPE_PLANE && shape <= LIM_SHAPE_HEIGHTS ? (lim_shape)shape : LIM_SHAPE_PLANE;
    s->failed = s->failed || shape < LIM_SHAPE_PLANE || shape > LIM_SHAPE_HEIGHTS;
    stream_vec3(s, &c->size);
    stream_point(s, &c->position);
    stream_quat(s, &c->orientation);
    stream_vec3(s, &c->velocity);
    stream_vec3(s, &c->angular_velocity);
    stream_f32(s, &c->friction);
    if (s->mode != STREAM_HASH || c->restitution > 0.0f) {
        stream_f32(s, &c->restitution);
    }
    if (s->mode != STREAM_HASH || of->layers.layer != COLLIDER_LAYER ||
        of->layers.mask != UINT32_MAX) {
        stream_u32(s, &of->layers.layer);
        stream_u32(s, &of->layers.mask);
    }
    check judge = check_begin(NULL, "");
    check_shape(&judge, c->shape, c->size, true);
    check_vector(&judge, "", c->velocity, (double)CHECK_SPEED, "");
    check_vector(&judge, "", c->angular_velocity, (double)CHECK_SPEED, "");
    check_number(&judge, "", (double)c->friction, 0.0, 1e3, "");
    check_number(&judge, "", (double)c->restitution, 0.0, 1.0, "");
    refuse(s, &judge);
}

void state_stream_stroke(stream* s, edit_stroke* stroke) {
    stream_i32(s, &stroke->columns);
    if (s->mode != STREAM_HASH) { /* nothing that moves depends on where it ended in the world */
        stream_point(s, &stroke->tip);
        stream_point(s, &stroke->back);
    }
    check c = check_begin(NULL, "");
    check_integer(&c, "", stroke->columns, 2, BLADE_COLUMNS, "");
    check_point(&c, "", stroke->tip);
    check_point(&c, "", stroke->back);
    refuse(s, &c);
}

/* Places that nobody looked at have no distance; streams have only finite numbers. */
void state_stream_place(stream* s, blade_place* place) {
    float away = place->away < HUGE_VALF ? place->away : -1.0f;
    stream_point(s, &place->at);
    stream_f32(s, &away);
    check c = check_begin(NULL, "");
    check_number(&c, "", (double)away, -1.0, HUGE_VAL, "");
    refuse(s, &c);
    place->away = away < 0.0f ? HUGE_VALF : away;
}

void state_stream_detail(stream* s, world_body* b) {
    lim_detail* d = &b->detail;
    if (s->mode != STREAM_HASH || b->detailed) {
        stream_bool(s, &b->detailed);
        stream_bool(s, &b->detail_waits);
    }
    if (!b->detailed || s->failed) {
        return;
    }
    stream_f32(s, &d->angle);
    stream_f32(s, &d->strain_fine);
    stream_f32(s, &d->strain_coarse);
    if (s->mode != STREAM_HASH || d->touch > 0.0f) {
        stream_f32(s, &d->touch);
        stream_f32(s, &d->touch_time);
    }
    stream_f32(s, &d->finest);
    stream_f32(s, &d->coarsest);
    stream_f32(s, &d->hysteresis);
    stream_i32(s, &d->nodes);
    stream_bool(s, &d->rest_coarse);
    check c = check_begin(NULL, "");
    check_detail(&c, d);
    refuse(s, &c);
}
