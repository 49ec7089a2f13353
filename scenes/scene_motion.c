/* SPDX-License-Identifier: MIT
 *
 * Motion by keys. In: keys (time, displacement, rotation vector), a time. Out: a pose. Each of the
 * six numbers runs along cubic Hermite pieces whose slopes at the keys are the harmonic mean of the
 * slopes to both neighbours, 0 where these differ in sign (Fritsch and Butland 1984): smooth in its
 * first derivative and never beyond what the keys on both sides say. Rotations are interpolated as
 * vectors axis times angle, so a thing may turn by more than half a turn between two keys.
 */
#include "scene_motion.h"

#include "math/trig.h"

enum { NUMBERS = 6 };

static double number_of(const scene_key* key, int which) {
    const double all[NUMBERS] = {key->move.x, key->move.y, key->move.z,
                                 key->turn.x, key->turn.y, key->turn.z};
    return all[which];
}

const char* motion_fault(const scene_motion* m) {
    if (m->key_count < 0 || (m->key_count > 0 && m->keys == NULL)) {
        return "has no keys";
    }
    for (int32_t i = 0; i < m->key_count; ++i) {
        const scene_key* key = &m->keys[i];
        if (!(key->at >= 0.0) || !isfinite(key->at) || !p3_finite(key->move) ||
            !p3_finite(key->turn)) {
            return "has a key that is not finite or before 0 s";
        }
        if (i > 0 && !(key->at > m->keys[i - 1].at)) {
            return "has keys that are not in order of time";
        }
        if (m->loop > 0.0 && !(key->at < m->loop)) {
            return "has a key at or after the end of its loop, where the first comes again";
        }
    }
    bool finite = isfinite(m->begin) && isfinite(m->loop) && isfinite(m->fade);
    return finite && m->loop >= 0.0 && m->fade >= 0.0 && p3_finite(m->pivot)
               ? NULL
               : "has a begin, loop, fade or pivot that is negative or not finite";
}

/* The i-th key for any whole i: a loop goes on for ever in both directions. */
typedef struct key_place {
    const scene_key* key;
    double at;
} key_place;

static key_place key_at(const scene_motion* m, int32_t i) {
    int32_t n = m->key_count, round = i >= 0 ? i / n : -((n - 1 - i) / n);
    const scene_key* key = &m->keys[i - round * n];
    return (key_place){key, key->at + round * m->loop};
}

static double slope(key_place a, key_place b, int which) {
    return (number_of(b.key, which) - number_of(a.key, which)) / (b.at - a.at);
}

/* At the i-th key; at the ends of a motion that does not loop it stands still. */
static double tangent(const scene_motion* m, int32_t i, int which) {
    if (!(m->loop > 0.0) && (i <= 0 || i >= m->key_count - 1)) {
        return 0.0;
    }
    key_place before = key_at(m, i - 1), here = key_at(m, i), after = key_at(m, i + 1);
    double a = slope(before, here, which), b = slope(here, after, which);
    return a * b > 0.0 ? 2.0 * a * b / (a + b) : 0.0;
}

static void pose_between(const scene_motion* m, int32_t i, double time, double out[NUMBERS]) {
    key_place a = key_at(m, i), b = key_at(m, i + 1);
    double length = b.at - a.at, s = (time - a.at) / length;
    double s2 = s * s, s3 = s2 * s;
    for (int k = 0; k < NUMBERS; ++k) {
        out[k] = (2.0 * s3 - 3.0 * s2 + 1.0) * number_of(a.key, k) +
                 (s3 - 2.0 * s2 + s) * length * tangent(m, i, k) +
                 (3.0 * s2 - 2.0 * s3) * number_of(b.key, k) +
                 (s3 - s2) * length * tangent(m, i + 1, k);
    }
}

static void numbers_at(const scene_motion* m, double time, double out[NUMBERS]) {
    int32_t last = m->key_count - 1;
    if (m->loop > 0.0 && last > 0) {
        double rounds = floor((time - m->keys[0].at) / m->loop);
        double within = time - rounds * m->loop;
        int32_t i = 0;
        while (i < last && within >= m->keys[i + 1].at) {
            ++i;
        }
        pose_between(m, i, within, out);
        return;
    }
    int32_t i = 0;
    while (i < last && time >= m->keys[i + 1].at) {
        ++i;
    }
    if (i < last && time > m->keys[i].at) {
        pose_between(m, i, time, out);
        return;
    }
    for (int k = 0; k < NUMBERS; ++k) {
        out[k] = number_of(&m->keys[i], k);
    }
}

motion_pose motion_at(const scene_motion* m, double time) {
    double n[NUMBERS] = {0}, t = time - m->begin;
    if (m->key_count > 0 && t >= 0.0) {
        double s = m->fade > 0.0 && t < m->fade ? t / m->fade : 1.0;
        s = s * s * (3.0 - 2.0 * s);
        numbers_at(m, t, n);
        for (int k = 0; k < NUMBERS; ++k) {
            n[k] *= s;
        }
    }
    lim_point turn = p3(n[3], n[4], n[5]);
    double angle = p3_length(turn), half = angle > 0.0 ? trig_sin(0.5 * angle) / angle : 0.5;
    dquat q = {turn.x * half, turn.y * half, turn.z * half, trig_cos(0.5 * angle)};
    return (motion_pose){m->pivot, p3(n[0], n[1], n[2]), dquat_unit(q)};
}

lim_point motion_place(const motion_pose* pose, lim_point at) {
    lim_point arm = dquat_rotate(pose->turn, p3_sub(at, pose->pivot));
    return p3_add(p3_add(pose->pivot, pose->move), arm);
}

dquat motion_turn(const motion_pose* pose, dquat turn) {
    return dquat_unit(dquat_mul(pose->turn, turn));
}

static lim_vec3 moved(const motion_pose* pose, lim_vec3 at) {
    return v3_of(motion_place(pose, p3((double)at.x, (double)at.y, (double)at.z)));
}

lim_camera scene_camera_at(const scene_desc* d, double time) {
    lim_camera c = d->camera;
    if (d->camera_motion.key_count > 0) {
        motion_pose pose = motion_at(&d->camera_motion, time);
        lim_point up = p3((double)c.up.x, (double)c.up.y, (double)c.up.z);
        c.eye = moved(&pose, c.eye);
        c.target = moved(&pose, c.target);
        c.up = v3_of(dquat_rotate(pose.turn, up));
    }
    return c;
}
