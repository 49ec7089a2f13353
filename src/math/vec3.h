/* SPDX-License-Identifier: MIT
 * Small vectors: lim_vec3 (float, v3_) and lim_point (double, p3_). Plain inline arithmetic.
 */
#ifndef LIMBER_VEC3_H
#define LIMBER_VEC3_H

#include <limber/base.h>
#include <math.h>

static inline lim_vec3 v3(float x, float y, float z) {
    return (lim_vec3){x, y, z};
}
static inline lim_vec3 v3_add(lim_vec3 a, lim_vec3 b) {
    return v3(a.x + b.x, a.y + b.y, a.z + b.z);
}
static inline lim_vec3 v3_sub(lim_vec3 a, lim_vec3 b) {
    return v3(a.x - b.x, a.y - b.y, a.z - b.z);
}
static inline lim_vec3 v3_scale(lim_vec3 a, float s) {
    return v3(a.x * s, a.y * s, a.z * s);
}
static inline lim_vec3 v3_mad(lim_vec3 a, lim_vec3 b, float s) {
    return v3(a.x + b.x * s, a.y + b.y * s, a.z + b.z * s);
}
static inline float v3_dot(lim_vec3 a, lim_vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline lim_vec3 v3_cross(lim_vec3 a, lim_vec3 b) {
    return v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline float v3_length(lim_vec3 a) {
    return sqrtf(v3_dot(a, a));
}
/* Unit vector, or `fallback` when a is too short to have a direction. */
static inline lim_vec3 v3_unit(lim_vec3 a, lim_vec3 fallback) {
    float length = v3_length(a);
    return length > 1e-30f ? v3_scale(a, 1.0f / length) : fallback;
}
static inline lim_vec3 v3_min(lim_vec3 a, lim_vec3 b) {
    return v3(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z);
}
static inline lim_vec3 v3_max(lim_vec3 a, lim_vec3 b) {
    return v3(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z);
}
static inline bool v3_finite(lim_vec3 a) {
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static inline lim_point p3(double x, double y, double z) {
    return (lim_point){x, y, z};
}
static inline lim_point p3_of(lim_vec3 a) {
    return p3((double)a.x, (double)a.y, (double)a.z);
}
static inline lim_vec3 v3_of(lim_point a) {
    return v3((float)a.x, (float)a.y, (float)a.z);
}
/* What is told of a sum that may have left what floats hold: at most FINITE_MOST, so that sums and
 * differences of two are finite; what is not a number is 0. */
#define FINITE_MOST 1e30
static inline float finite_of(double x) {
    x = x > FINITE_MOST ? FINITE_MOST : x;
    return x >= -FINITE_MOST ? (float)x : (isnan(x) ? 0.0f : (float)-FINITE_MOST);
}
static inline lim_vec3 v3_finite_of(lim_point a) {
    return v3(finite_of(a.x), finite_of(a.y), finite_of(a.z));
}
static inline lim_point p3_add(lim_point a, lim_point b) {
    return p3(a.x + b.x, a.y + b.y, a.z + b.z);
}
static inline lim_point p3_sub(lim_point a, lim_point b) {
    return p3(a.x - b.x, a.y - b.y, a.z - b.z);
}
static inline lim_point p3_scale(lim_point a, double s) {
    return p3(a.x * s, a.y * s, a.z * s);
}
static inline lim_point p3_mad(lim_point a, lim_point b, double s) {
    return p3(a.x + b.x * s, a.y + b.y * s, a.z + b.z * s);
}
static inline double p3_dot(lim_point a, lim_point b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline lim_point p3_cross(lim_point a, lim_point b) {
    return p3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline double p3_length(lim_point a) {
    return sqrt(p3_dot(a, a));
}
static inline lim_point p3_min(lim_point a, lim_point b) {
    return p3(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z);
}
static inline lim_point p3_max(lim_point a, lim_point b) {
    return p3(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z);
}
static inline bool p3_finite(lim_point a) {
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

#endif
