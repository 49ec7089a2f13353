/* SPDX-License-Identifier: MIT
 *
 * What the procedural models look like: each is a list of parts, drawn y up and facing +z in any
 * unit (the mesh is scaled to one metre afterwards). Radii of thin parts are chosen so that they
 * stay a few grid cells thick at the default number of triangles.
 */
#include "shapes.h"

#include <string.h>

/* Linear RGB. */
static const float WHITE[3] = {0.80f, 0.80f, 0.78f};
static const float BLACK[3] = {0.010f, 0.011f, 0.014f};
static const float CREAM[3] = {0.78f, 0.70f, 0.47f};
static const float TEAL[3] = {0.045f, 0.40f, 0.36f};
static const float DEEP_TEAL[3] = {0.02f, 0.22f, 0.26f};
static const float BLUSH[3] = {0.75f, 0.20f, 0.20f};
static const float ORANGE[3] = {0.85f, 0.26f, 0.02f};
static const float YELLOW[3] = {0.90f, 0.58f, 0.03f};
static const float SKIN[3] = {0.68f, 0.37f, 0.25f};
static const float BABY[3] = {0.80f, 0.47f, 0.33f};
static const float HAIR[3] = {0.20f, 0.085f, 0.03f};
static const float ROSE[3] = {0.50f, 0.10f, 0.08f};
static const float CLOTH[3] = {0.30f, 0.52f, 0.66f};
static const float NAIL[3] = {0.80f, 0.52f, 0.45f};
static const float LIVER[3] = {0.28f, 0.035f, 0.03f};
static const float GALL[3] = {0.10f, 0.19f, 0.03f};
static const float GREEN[3] = {0.07f, 0.30f, 0.05f};
static const float PINK[3] = {0.80f, 0.12f, 0.28f};
static const float SLATE[3] = {0.022f, 0.030f, 0.048f};
static const float BLUE[3] = {0.08f, 0.22f, 0.62f};
static const float BRONZE[3] = {0.30f, 0.165f, 0.055f};
static const float ROBE[3] = {0.36f, 0.10f, 0.035f};
static const float DARK_BRONZE[3] = {0.075f, 0.042f, 0.020f};
static const float GILT[3] = {0.62f, 0.36f, 0.07f};
static const float CORAL[3] = {0.72f, 0.15f, 0.09f};
static const float CRUST[3] = {0.42f, 0.19f, 0.055f};
static const float CRUMB[3] = {0.80f, 0.60f, 0.33f};
static const float BISCUIT[3] = {0.66f, 0.37f, 0.12f};
static const float BAKED[3] = {0.40f, 0.17f, 0.04f};
static const float LINEN[3] = {0.55f, 0.58f, 0.62f};

static implicit_part* ball(implicit_shape* s, lim_point at, lim_point radii, double blend,
                           const float rgb[3]) {
    return implicit_add(s, IMPLICIT_ELLIPSOID, at, radii, blend, rgb);
}

static void paint(implicit_shape* s, lim_point at, lim_point radii, double fade,
                  const float rgb[3]) {
    implicit_part* part = ball(s, at, radii, fade, rgb);
    part->role = IMPLICIT_PAINT;
}

static void creature_side(implicit_shape* s, double m) {
    /* arm, then three fingers that reach out */
    lim_point palm = p3(m * 0.56, 0.62, 0.16);
    implicit_capsule(s, p3(m * 0.28, 0.56, 0.06), palm, 0.085, 0.062, 0.10, TEAL);
    ball(s, palm, p3(0.075, 0.07, 0.06), 0.05, TEAL);
    static const double finger[3][3] = {{0.74, 0.86, 0.19}, {0.84, 0.68, 0.24}, {0.79, 0.49, 0.25}};
    for (int i = 0; i < 3; ++i) {
        lim_point tip = p3(m * finger[i][0], finger[i][1], finger[i][2]);
        implicit_capsule(s, palm, tip, 0.038, 0.034, 0.045, TEAL);
        ball(s, tip, p3(0.044, 0.044, 0.044), 0.03, DEEP_TEAL);
    }
    /* foot with three toes */
    ball(s, p3(m * 0.23, 0.085, 0.17), p3(0.16, 0.085, 0.22), 0.09, TEAL);
    for (int i = -1; i <= 1; ++i) {
        ball(s, p3(m * 0.23 + 0.09 * i, 0.06, 0.38 - 0.02 * i * i), p3(0.052, 0.055, 0.06), 0.03,
             DEEP_TEAL);
    }
    /* antenna */
    implicit_capsule(s, p3(m * 0.07, 0.98, -0.06), p3(m * 0.17, 1.24, -0.08), 0.030, 0.027, 0.05,
                     TEAL);
    ball(s, p3(m * 0.18, 1.27, -0.08), p3(0.055, 0.055, 0.055), 0.02, DEEP_TEAL);
    /* eye that stands out, with its pupil and glint; cheek */
    ball(s, p3(m * 0.115, 0.94, 0.185), p3(0.098, 0.105, 0.085), 0.025, WHITE);
    paint(s, p3(m * 0.105, 0.945, 0.268), p3(0.052, 0.060, 0.035), 0.012, BLACK);
    paint(s, p3(m * 0.105 + 0.02, 0.968, 0.275), p3(0.018, 0.018, 0.03), 0.008, WHITE);
    paint(s, p3(m * 0.205, 0.79, 0.21), p3(0.062, 0.042, 0.08), 0.05, BLUSH);
}

static void build_creature(implicit_shape* s) {
    ball(s, p3(0, 0.48, 0), p3(0.36, 0.36, 0.33), 0.0, TEAL);
    ball(s, p3(0, 0.27, 0.0), p3(0.39, 0.25, 0.35), 0.16, TEAL);
    ball(s, p3(0, 0.84, 0.03), p3(0.27, 0.21, 0.24), 0.16, TEAL);
    creature_side(s, 1.0);
    creature_side(s, -1.0);
    ball(s, p3(0, 0.12, -0.37), p3(0.10, 0.11, 0.12), 0.10, TEAL);
    paint(s, p3(0, 0.42, 0.32), p3(0.235, 0.24, 0.20), 0.035, CREAM);
    /* a smile */
    static const double smile[5][2] = {
        {-0.105, 0.765}, {-0.058, 0.728}, {0.0, 0.716}, {0.058, 0.728}, {0.105, 0.765}};
    for (int i = 0; i < 4; ++i) {
        lim_point a = p3(smile[i][0], smile[i][1], 0.275 - 2.0 * smile[i][0] * smile[i][0]);
        lim_point b =
            p3(smile[i + 1][0], smile[i + 1][1], 0.275 - 2.0 * smile[i + 1][0] * smile[i + 1][0]);
        implicit_part* mouth = implicit_capsule(s, a, b, 0.022, 0.022, 0.010, BLACK);
        mouth->role = IMPLICIT_PAINT;
    }
}

static void build_hand(implicit_shape* s) {
    implicit_part* palm =
        implicit_add(s, IMPLICIT_BOX, p3(0, 0.40, 0), p3(0.165, 0.19, 0.07), 0.0, SKIN);
    palm->round = 0.069;
    implicit_part* wrist =
        implicit_add(s, IMPLICIT_BOX, p3(0.0, 0.16, 0), p3(0.125, 0.16, 0.085), 0.12, SKIN);
    wrist->round = 0.075;
    /* the balls of thumb and little finger */
    ball(s, p3(0.10, 0.33, 0.045), p3(0.075, 0.12, 0.06), 0.06, SKIN);
    ball(s, p3(-0.10, 0.31, 0.04), p3(0.055, 0.11, 0.05), 0.06, SKIN);
    /* base, knuckle, tip of each finger and its radius */
    static const double finger[5][10] = {
        {0.115, 0.36, 0.03, 0.255, 0.47, 0.075, 0.315, 0.575, 0.085, 0.050},
        {0.125, 0.56, 0.00, 0.175, 0.745, 0.015, 0.200, 0.865, 0.045, 0.043},
        {0.042, 0.57, 0.00, 0.058, 0.790, 0.020, 0.065, 0.930, 0.055, 0.045},
        {-0.042, 0.57, 0.00, -0.062, 0.765, 0.020, -0.075, 0.895, 0.055, 0.043},
        {-0.122, 0.54, 0.00, -0.180, 0.685, 0.015, -0.212, 0.780, 0.045, 0.037}};
    for (int i = 0; i < 5; ++i) {
        const double* f = finger[i];
        lim_point base = p3(f[0], f[1], f[2]), knuckle = p3(f[3], f[4], f[5]);
        lim_point tip = p3(f[6], f[7], f[8]);
        implicit_capsule(s, base, knuckle, f[9] * 1.1, f[9], 0.03, SKIN);
        implicit_capsule(s, knuckle, tip, f[9], f[9] * 0.84, 0.012, SKIN);
        lim_point back = p3_add(tip, p3(0, 0.012, -0.9 * f[9]));
        paint(s, back, p3(f[9] * 0.58, f[9] * 0.75, f[9] * 0.5), 0.012, NAIL);
    }
}

static void build_liver(implicit_shape* s) {
    implicit_part* right = ball(s, p3(-0.24, 0.30, 0), p3(0.31, 0.27, 0.23), 0.0, LIVER);
    right->turn = implicit_turn(0, 0, 0.14);
    implicit_part* left = ball(s, p3(0.20, 0.39, 0.03), p3(0.36, 0.145, 0.17), 0.18, LIVER);
    left->turn = implicit_turn(0, 0.08, 0.06);
    ball(s, p3(-0.02, 0.30, -0.10), p3(0.17, 0.13, 0.14), 0.10, LIVER);
    implicit_part* lower = ball(s, p3(-0.33, 0.17, 0.02), p3(0.19, 0.17, 0.18), 0.16, LIVER);
    lower->turn = implicit_turn(0, 0, 0.2);
    implicit_capsule(s, p3(-0.13, 0.14, 0.15), p3(-0.06, 0.25, 0.13), 0.060, 0.035, 0.03, GALL);
}

static void build_block(implicit_shape* s) {
    implicit_part* box = implicit_add(s, IMPLICIT_BOX, p3(0, 0, 0), p3(0.5, 0.5, 0.5), 0.0, CORAL);
    box->round = 0.12;
}

static void build_bar(implicit_shape* s) {
    implicit_part* box = implicit_add(s, IMPLICIT_BOX, p3(0, 0, 0), p3(2.0, 0.5, 0.5), 0.0, BLUE);
    box->round = 0.16;
}

static void build_strip(implicit_shape* s) {
    implicit_part* box = implicit_add(s, IMPLICIT_BOX, p3(0, 0, 0), p3(6.0, 0.5, 1.5), 0.0, TEAL);
    box->round = 0.3;
}

static void build_flower(implicit_shape* s) {
    /* a stem that bends, on a broad foot */
    static const double stem[5][3] = {
        {0, 0.03, 0}, {0.035, 0.20, 0.01}, {0.045, 0.38, 0.0}, {0.02, 0.54, -0.01}, {0, 0.66, 0}};
    ball(s, p3(0, 0.035, 0), p3(0.17, 0.05, 0.17), 0.0, GREEN);
    for (int i = 0; i < 4; ++i) {
        implicit_capsule(s, p3(stem[i][0], stem[i][1], stem[i][2]),
                         p3(stem[i + 1][0], stem[i + 1][1], stem[i + 1][2]), 0.046, 0.046, 0.008,
                         GREEN);
    }
    for (int i = 0; i < 2; ++i) {
        double m = i == 0 ? 1.0 : -1.0, y = i == 0 ? 0.29 : 0.23;
        implicit_part* leaf =
            ball(s, p3(0.03 + m * 0.15, y + 0.05, 0), p3(0.155, 0.026, 0.062), 0.03, GREEN);
        leaf->turn = implicit_turn(0, 0, m * 0.23);
    }
    /* cup and heart */
    ball(s, p3(0, 0.70, 0), p3(0.085, 0.075, 0.085), 0.05, GREEN);
    ball(s, p3(0, 0.755, 0), p3(0.095, 0.06, 0.095), 0.02, YELLOW);
    /* eight petals, each turned by 45 degrees (tangent of the half angle: sqrt(2) - 1) */
    dquat eighth = implicit_turn(0, 0.41421356237309503, 0), around = implicit_turn(0, 0.1, 0);
    dquat lift = implicit_turn(0, 0, 0.27);
    for (int i = 0; i < 8; ++i) {
        double reach = i % 2 == 0 ? 0.225 : 0.215, height = i % 2 == 0 ? 0.815 : 0.785;
        dquat turn = dquat_mul(around, i % 2 == 0 ? lift : implicit_turn(0, 0, 0.16));
        lim_point out = dquat_rotate(around, p3(reach, 0, 0));
        implicit_part* petal =
            ball(s, p3_add(out, p3(0, height, 0)), p3(0.185, 0.027, 0.088), 0.018, PINK);
        petal->turn = turn;
        around = dquat_mul(eighth, around);
    }
}

static void build_penguin(implicit_shape* s) {
    ball(s, p3(0, 0.42, 0), p3(0.275, 0.37, 0.26), 0.0, SLATE);
    ball(s, p3(0, 0.83, 0.03), p3(0.195, 0.185, 0.185), 0.14, SLATE);
    for (int i = 0; i < 2; ++i) {
        double m = i == 0 ? 1.0 : -1.0;
        implicit_part* wing =
            ball(s, p3(m * 0.315, 0.48, -0.01), p3(0.046, 0.23, 0.10), 0.05, SLATE);
        wing->turn = implicit_turn(0.05, 0, m * 0.20);
        ball(s, p3(m * 0.12, 0.045, 0.13), p3(0.095, 0.045, 0.15), 0.03, ORANGE);
        paint(s, p3(m * 0.075, 0.82, 0.16), p3(0.092, 0.125, 0.13), 0.02, WHITE);
        paint(s, p3(m * 0.078, 0.865, 0.205), p3(0.032, 0.038, 0.035), 0.010, BLACK);
        paint(s, p3(m * 0.078 + 0.012, 0.880, 0.215), p3(0.012, 0.012, 0.02), 0.006, WHITE);
        paint(s, p3(m * 0.135, 0.775, 0.17), p3(0.04, 0.03, 0.06), 0.03, BLUSH);
    }
    paint(s, p3(0, 0.40, 0.22), p3(0.215, 0.29, 0.16), 0.02, WHITE);
    implicit_capsule(s, p3(0, 0.795, 0.19), p3(0, 0.775, 0.305), 0.055, 0.022, 0.02, ORANGE);
    implicit_capsule(s, p3(0, 0.13, -0.20), p3(0, 0.06, -0.33), 0.08, 0.035, 0.06, SLATE);
}

static void build_duck(implicit_shape* s) {
    ball(s, p3(0, 0.27, 0.0), p3(0.30, 0.25, 0.40), 0.0, YELLOW);
    ball(s, p3(0, 0.33, 0.12), p3(0.22, 0.22, 0.22), 0.10, YELLOW);
    implicit_part* tail = ball(s, p3(0, 0.40, -0.33), p3(0.13, 0.20, 0.09), 0.12, YELLOW);
    tail->turn = implicit_turn(-0.38, 0, 0);
    ball(s, p3(0, 0.67, 0.09), p3(0.215, 0.21, 0.215), 0.08, YELLOW);
    for (int i = 0; i < 2; ++i) {
        double m = i == 0 ? 1.0 : -1.0;
        implicit_part* wing =
            ball(s, p3(m * 0.28, 0.33, -0.08), p3(0.06, 0.115, 0.23), 0.03, YELLOW);
        wing->turn = implicit_turn(-0.16, m * 0.07, m * -0.08);
        ball(s, p3(m * 0.105, 0.725, 0.262), p3(0.040, 0.050, 0.028), 0.010, BLACK);
    }
    implicit_part* upper = ball(s, p3(0, 0.635, 0.33), p3(0.105, 0.032, 0.115), 0.025, ORANGE);
    upper->turn = implicit_turn(-0.10, 0, 0);
    implicit_part* lower = ball(s, p3(0, 0.585, 0.30), p3(0.085, 0.028, 0.095), 0.02, ORANGE);
    lower->turn = implicit_turn(0.06, 0, 0);
    /* a flat bottom to stand on */
    implicit_part* floor =
        implicit_add(s, IMPLICIT_BOX, p3(0, -0.41, 0), p3(1.0, 0.5, 1.0), 0.06, YELLOW);
    floor->role = IMPLICIT_CARVE;
}

static void build_sphere(implicit_shape* s) {
    ball(s, p3(0, 0, 0), p3(0.5, 0.5, 0.5), 0.0, CORAL);
}

static void build_torus(implicit_shape* s) {
    implicit_add(s, IMPLICIT_TORUS, p3(0, 0, 0), p3(0.36, 0.14, 0), 0.0, BLUE);
}

/* A body of 18 finger widths across: most of the cells that its fingers need, it does not. */
static void build_polyp(implicit_shape* s) {
    ball(s, p3(0, 0, 0), p3(0.40, 0.40, 0.40), 0.0, TEAL);
    static const double reach[5][2] = {{1, 0},
                                       {0.70710678118654757, 0.70710678118654757},
                                       {0, 1},
                                       {-0.70710678118654757, 0.70710678118654757},
                                       {-1, 0}};
    for (int i = 0; i < 5; ++i) {
        lim_point out = p3(reach[i][0], reach[i][1], 0);
        implicit_capsule(s, p3_scale(out, 0.3), p3_scale(out, 0.60), 0.022, 0.022, 0.0, DEEP_TEAL);
    }
    for (int i = 0; i < 2; ++i) {
        double m = i == 0 ? 1.0 : -1.0;
        paint(s, p3(m * 0.13, 0.10, 0.37), p3(0.075, 0.085, 0.08), 0.012, WHITE);
        paint(s, p3(m * 0.125, 0.10, 0.40), p3(0.036, 0.044, 0.06), 0.010, BLACK);
    }
    paint(s, p3(0, -0.10, 0.40), p3(0.085, 0.022, 0.06), 0.012, BLACK);
}

/* One side of the infant: limbs as capsules that bones fit into, hands and feet. */
static void infant_side(implicit_shape* s, double m) {
    /* arm: shoulder, elbow, wrist, a flat hand with three fingers and a thumb */
    lim_point shoulder = p3(m * 0.125, 0.415, 0.150), elbow = p3(m * 0.192, 0.235, 0.185);
    lim_point wrist = p3(m * 0.187, 0.085, 0.255);
    implicit_capsule(s, shoulder, elbow, 0.074, 0.066, 0.055, BABY);
    implicit_capsule(s, elbow, wrist, 0.068, 0.052, 0.020, BABY);
    ball(s, p3(m * 0.188, 0.046, 0.305), p3(0.054, 0.041, 0.064), 0.022, BABY);
    for (int i = -1; i <= 1; ++i) {
        implicit_capsule(s, p3(m * 0.188 + 0.030 * i, 0.036, 0.335),
                         p3(m * 0.190 + 0.038 * i, 0.028, 0.382 - 0.006 * i * i), 0.023, 0.021,
                         0.012, BABY);
    }
    implicit_capsule(s, p3(m * 0.155, 0.040, 0.305), p3(m * 0.126, 0.030, 0.334), 0.022, 0.020,
                     0.014, BABY);
    /* leg: hip, knee on the ground, ankle, a foot that lies on its back, with toes */
    lim_point hip = p3(m * 0.105, 0.310, -0.215), knee = p3(m * 0.155, 0.096, -0.110);
    lim_point ankle = p3(m * 0.155, 0.078, -0.340);
    implicit_capsule(s, hip, knee, 0.108, 0.086, 0.055, BABY);
    implicit_capsule(s, knee, ankle, 0.082, 0.060, 0.024, BABY);
    ball(s, p3(m * 0.156, 0.066, -0.415), p3(0.054, 0.050, 0.082), 0.024, BABY);
    ball(s, p3(m * 0.134, 0.042, -0.490), p3(0.031, 0.030, 0.030), 0.012, BABY);
    ball(s, p3(m * 0.174, 0.040, -0.482), p3(0.025, 0.025, 0.026), 0.012, BABY);
    /* ear, cheek, eye with its glint */
    implicit_part* ear = ball(s, p3(m * 0.190, 0.600, 0.270), p3(0.024, 0.052, 0.040), 0.014, BABY);
    ear->turn = implicit_turn(0, -m * 0.25, 0);
    ball(s, p3(m * 0.080, 0.560, 0.390), p3(0.080, 0.068, 0.066), 0.060, BABY);
    paint(s, p3(m * 0.083, 0.636, 0.465), p3(0.036, 0.045, 0.080), 0.018, BLACK);
    paint(s, p3(m * 0.083 + 0.012, 0.654, 0.480), p3(0.014, 0.015, 0.060), 0.012, WHITE);
    paint(s, p3(m * 0.134, 0.560, 0.440), p3(0.044, 0.032, 0.060), 0.050, BLUSH);
}

/* On hands and knees, looking ahead. */
static void build_infant(implicit_shape* s) {
    ball(s, p3(0, 0.335, -0.030), p3(0.168, 0.150, 0.180), 0.0, BABY);
    ball(s, p3(0, 0.395, 0.100), p3(0.152, 0.128, 0.135), 0.100, BABY);
    ball(s, p3(0, 0.340, -0.185), p3(0.172, 0.145, 0.148), 0.100, BABY);
    infant_side(s, 1.0);
    infant_side(s, -1.0);
    implicit_capsule(s, p3(0, 0.450, 0.160), p3(0, 0.540, 0.240), 0.085, 0.080, 0.060, BABY);
    ball(s, p3(0, 0.635, 0.285), p3(0.192, 0.186, 0.196), 0.050, BABY);
    ball(s, p3(0, 0.525, 0.405), p3(0.062, 0.040, 0.050), 0.060, BABY);
    ball(s, p3(0, 0.592, 0.474), p3(0.028, 0.023, 0.024), 0.026, BABY);
    /* hair and a curl */
    implicit_capsule(s, p3(0, 0.805, 0.300), p3(0.014, 0.858, 0.335), 0.030, 0.024, 0.030, HAIR);
    implicit_capsule(s, p3(0.014, 0.858, 0.335), p3(-0.014, 0.850, 0.378), 0.024, 0.020, 0.010,
                     HAIR);
    paint(s, p3(0, 0.770, 0.225), p3(0.200, 0.115, 0.205), 0.024, HAIR);
    /* a smile */
    static const double smile[4][2] = {
        {-0.044, 0.543}, {-0.017, 0.529}, {0.017, 0.529}, {0.044, 0.543}};
    for (int i = 0; i < 3; ++i) {
        lim_point a = p3(smile[i][0], smile[i][1], 0.470);
        lim_point b = p3(smile[i + 1][0], smile[i + 1][1], 0.470);
        implicit_part* mouth = implicit_capsule(s, a, b, 0.011, 0.011, 0.016, ROSE);
        mouth->role = IMPLICIT_PAINT;
    }
    /* nappy */
    ball(s, p3(0, 0.330, -0.205), p3(0.185, 0.158, 0.150), 0.030, CLOTH);
    paint(s, p3(0, 0.320, -0.215), p3(0.250, 0.180, 0.152), 0.016, CLOTH);
}

static void rough(implicit_shape* s, lim_point at, lim_point radii, double fade, double height,
                  lim_point bumps) {
    implicit_part* part = ball(s, at, radii, fade, BRONZE);
    part->role = IMPLICIT_ROUGH;
    part->round = height;
    part->b = bumps;
}

/* A ring of petals of about 25 degrees each under the seat, standing out and up. */
static void figure_seat(implicit_shape* s) {
    ball(s, p3(0, 0.050, 0.03), p3(0.42, 0.055, 0.345), 0.0, DARK_BRONZE);
    ball(s, p3(0, 0.095, 0.03), p3(0.385, 0.075, 0.315), 0.03, GILT);
    dquat around = dquat_identity();
    for (int i = 0; i < 14; ++i) {
        lim_point out = dquat_rotate(around, p3(0.36, 0, 0));
        implicit_part* petal =
            ball(s, p3(out.x, 0.095, 0.82 * out.z + 0.03), p3(0.046, 0.066, 0.078), 0.02, GILT);
        petal->turn = dquat_mul(around, implicit_turn(0, 0, 0.22));
        /* 2 tan(half of 25.71 degrees) */
        around = dquat_mul(implicit_turn(0, 0.2282434744, 0), around);
    }
}

static void figure_side(implicit_shape* s, double m) {
    /* thigh and shin of the crossed legs, foot on the other side */
    implicit_capsule(s, p3(m * 0.10, 0.215, 0.02), p3(m * 0.285, 0.195, 0.135), 0.088, 0.074, 0.06,
                     ROBE);
    implicit_capsule(s, p3(m * 0.285, 0.19, 0.14), p3(m * -0.02, 0.180 + 0.02 * m, 0.235), 0.072,
                     0.050, 0.03, ROBE);
    ball(s, p3(m * -0.10, 0.205 + 0.02 * m, 0.235), p3(0.07, 0.032, 0.042), 0.03, BRONZE);
    /* arm with its sleeve, which fills the gap to the chest; hand in the lap */
    implicit_capsule(s, p3(m * 0.185, 0.585, -0.005), p3(m * 0.235, 0.385, 0.02), 0.066, 0.060,
                     0.05, ROBE);
    implicit_capsule(s, p3(m * 0.235, 0.385, 0.03), p3(m * 0.085, 0.285, 0.185), 0.056, 0.036, 0.03,
                     BRONZE);
    ball(s, p3(m * 0.17, 0.42, 0.01), p3(0.07, 0.17, 0.09), 0.05, ROBE);
    ball(s, p3(m * 0.13, 0.285, 0.10), p3(0.12, 0.06, 0.09), 0.05, ROBE);
    ball(s, p3(m * 0.035, 0.268 + 0.012 * m, 0.205), p3(0.075, 0.024, 0.045), 0.025, BRONZE);
    /* long ear, brow, lowered eye, lip, half of the cloth at the neck */
    ball(s, p3(m * 0.108, 0.775, -0.005), p3(0.019, 0.068, 0.030), 0.018, BRONZE);
    implicit_part* brow =
        ball(s, p3(m * 0.043, 0.828, 0.092), p3(0.034, 0.009, 0.016), 0.022, BRONZE);
    brow->turn = implicit_turn(0, m * 0.17, m * -0.06);
    ball(s, p3(m * 0.042, 0.800, 0.094), p3(0.026, 0.015, 0.018), 0.012, BRONZE);
    implicit_part* lid =
        implicit_capsule(s, p3(m * 0.020, 0.795, 0.116), p3(m * 0.068, 0.797, 0.101), 0.0075,
                         0.0055, 0.004, DARK_BRONZE);
    lid->role = IMPLICIT_PAINT;
    implicit_capsule(s, p3(m * 0.15, 0.615, 0.025), p3(m * 0.02, 0.505, 0.105), 0.036, 0.022, 0.03,
                     ROBE);
}

/* A seated statue in robes on a ring of petals. Its cloth and stone are rough, its face is not. */
static void build_figure(implicit_shape* s) {
    figure_seat(s);
    ball(s, p3(0, 0.235, 0.01), p3(0.25, 0.115, 0.19), 0.04, ROBE);
    ball(s, p3(0, 0.175, 0.13), p3(0.22, 0.065, 0.10), 0.04, ROBE);
    ball(s, p3(0, 0.375, 0.005), p3(0.175, 0.17, 0.14), 0.08, BRONZE);
    ball(s, p3(0, 0.525, -0.005), p3(0.185, 0.14, 0.118), 0.08, BRONZE);
    implicit_capsule(s, p3(-0.155, 0.605, -0.005), p3(0.155, 0.605, -0.005), 0.064, 0.064, 0.06,
                     ROBE);
    implicit_capsule(s, p3(0, 0.62, -0.005), p3(0, 0.715, 0.005), 0.066, 0.056, 0.04, BRONZE);
    ball(s, p3(0, 0.795, 0.008), p3(0.103, 0.120, 0.112), 0.03, BRONZE);
    ball(s, p3(0, 0.735, 0.040), p3(0.062, 0.045, 0.062), 0.04, BRONZE);
    figure_side(s, 1.0);
    figure_side(s, -1.0);
    /* nose, mouth, chin */
    implicit_capsule(s, p3(0, 0.815, 0.113), p3(0, 0.772, 0.130), 0.009, 0.017, 0.014, BRONZE);
    ball(s, p3(0, 0.742, 0.100), p3(0.032, 0.011, 0.016), 0.012, BRONZE);
    implicit_part* mouth = implicit_capsule(s, p3(-0.028, 0.743, 0.116), p3(0.028, 0.743, 0.116),
                                            0.0042, 0.0042, 0.004, DARK_BRONZE);
    mouth->role = IMPLICIT_PAINT;
    /* hair with its knot */
    implicit_part* hair =
        ball(s, p3(0, 0.835, -0.018), p3(0.112, 0.105, 0.112), 0.012, DARK_BRONZE);
    hair->turn = implicit_turn(-0.12, 0, 0);
    ball(s, p3(0, 0.945, -0.022), p3(0.052, 0.05, 0.052), 0.025, DARK_BRONZE);
    ball(s, p3(0, 0.997, -0.022), p3(0.017, 0.020, 0.017), 0.010, GILT);
    /* a scarf from one shoulder over the back and the chest */
    implicit_capsule(s, p3(-0.165, 0.62, 0.02), p3(0.09, 0.34, 0.145), 0.040, 0.034, 0.03, ROBE);
    paint(s, p3(0, 0.45, -0.19), p3(0.26, 0.27, 0.16), 0.02, ROBE);
    /* folds of the robe run down, the stone is grainy, the hair has curls */
    rough(s, p3(0, 0.30, 0.05), p3(0.45, 0.34, 0.40), 0.12, 0.016, p3(13, 5, 13));
    rough(s, p3(0, 0.16, 0.05), p3(0.50, 0.26, 0.45), 0.15, 0.007, p3(31, 17, 31));
    rough(s, p3(0, 0.90, -0.045), p3(0.15, 0.11, 0.125), 0.03, 0.010, p3(34, 34, 34));
}

/* How high the crust is over a place in the middle of the loaf, and a little more: a slash between
 * two such places is open all along. */
static double loaf_top(double x, double z) {
    return 0.293 + 0.145 * sqrt(1.0 - x * x / 0.25 - z * z / 0.050625);
}

/* A tin loaf along x, risen over its edges, with three slashes. */
static void build_loaf(implicit_shape* s) {
    implicit_part* tin =
        implicit_add(s, IMPLICIT_BOX, p3(0, 0.15, 0), p3(0.48, 0.15, 0.185), 0.0, CRUST);
    tin->round = 0.07;
    ball(s, p3(0, 0.285, 0), p3(0.50, 0.145, 0.225), 0.09, CRUST);
    for (int i = -1; i <= 1; ++i) {
        lim_point a = p3(0.27 * i - 0.07, 0.0, 0.10), b = p3(0.27 * i + 0.07, 0.0, -0.10);
        a.y = loaf_top(a.x, a.z);
        b.y = loaf_top(b.x, b.z);
        implicit_part* slash = implicit_capsule(s, a, b, 0.024, 0.024, 0.03, CRUMB);
        slash->role = IMPLICIT_CARVE;
        slash = implicit_capsule(s, a, b, 0.032, 0.032, 0.025, CRUMB);
        slash->role = IMPLICIT_PAINT;
    }
    paint(s, p3(0, 0.0, 0), p3(0.6, 0.05, 0.3), 0.05, BAKED);
}

/* A biscuit with a toothed rim and fifteen dots. */
static void build_biscuit(implicit_shape* s) {
    implicit_part* plate =
        implicit_add(s, IMPLICIT_BOX, p3(0, 0, 0), p3(0.45, 0.055, 0.28), 0.0, BISCUIT);
    plate->round = 0.045;
    for (int m = -1; m <= 1; m += 2) {
        for (int i = -4; i <= 4; ++i) {
            ball(s, p3(0.1 * i, 0, 0.275 * m), p3(0.058, 0.05, 0.055), 0.012, BAKED);
        }
        for (int i = -2; i <= 2; ++i) {
            ball(s, p3(0.445 * m, 0, 0.11 * i), p3(0.055, 0.05, 0.062), 0.012, BAKED);
        }
    }
    for (int i = -2; i <= 2; ++i) {
        for (int k = -1; k <= 1; ++k) {
            paint(s, p3(0.16 * i, 0.06, 0.15 * k), p3(0.022, 0.05, 0.022), 0.012, BAKED);
        }
    }
}

/* A thick cloth that hangs, with two stripes. */
static void build_sheet(implicit_shape* s) {
    implicit_part* cloth =
        implicit_add(s, IMPLICIT_BOX, p3(0, 0, 0), p3(0.5, 0.36, 0.022), 0.0, LINEN);
    cloth->round = 0.02;
    for (int m = -1; m <= 1; m += 2) {
        implicit_part* stripe = implicit_capsule(s, p3(-0.6, 0.26 * m, 0), p3(0.6, 0.26 * m, 0),
                                                 0.035, 0.035, 0.012, BLUE);
        stripe->role = IMPLICIT_PAINT;
    }
}

/* Half a metre high at one long side, a twentieth at the other. */
static void build_wedge(implicit_shape* s) {
    implicit_part* base =
        implicit_add(s, IMPLICIT_BOX, p3(0, 0.21, 0), p3(0.42, 0.21, 0.5), 0.0, CORAL);
    base->round = 0.04;
    implicit_part* slope =
        implicit_add(s, IMPLICIT_BOX, p3(0.29, 0.69, 0), p3(1.2, 0.5, 1.2), 0.06, CORAL);
    slope->role = IMPLICIT_CARVE;
    slope->turn = implicit_turn(0, 0, -0.228);
}

/* A ring with a flat bottom and a hollow top, open at one side. */
static void build_meniscus(implicit_shape* s) {
    static const float ivory[3] = {0.820f, 0.700f, 0.560f};
    implicit_add(s, IMPLICIT_TORUS, p3(0, 0, 0), p3(0.36, 0.16, 0), 0.0, ivory);
    implicit_part* floor =
        implicit_add(s, IMPLICIT_BOX, p3(0, -0.56, 0), p3(1.5, 0.5, 1.5), 0.1, ivory);
    implicit_part* top =
        implicit_add(s, IMPLICIT_ELLIPSOID, p3(0, 0.55, 0), p3(0.62, 0.55, 0.62), 0.1, ivory);
    implicit_part* gap =
        implicit_add(s, IMPLICIT_BOX, p3(0.6, 0, 0), p3(0.5, 0.5, 0.2), 0.1, ivory);
    floor->role = top->role = gap->role = IMPLICIT_CARVE;
}

static void build_pillow(implicit_shape* s) {
    implicit_part* rim = implicit_add(s, IMPLICIT_BOX, p3(0, 0, 0), p3(0.5, 0.05, 0.5), 0.0, BLUE);
    rim->round = 0.05;
    implicit_add(s, IMPLICIT_ELLIPSOID, p3(0, 0, 0), p3(0.46, 0.16, 0.46), 0.2, BLUE);
}

static const shape_entry SHAPES[] = {
    {"creature",
     "a round friendly body with thin fingers that reach out",
     20000,
     build_creature,
     true,
     {0.620f, 0.200f, 0.120f}},
    {"hand",
     "a palm with five slightly spread fingers, on its wrist",
     14000,
     build_hand,
     true,
     {0.500f, 0.060f, 0.050f}},
    {"liver",
     "four lobes in one smooth organ, with its gall bladder",
     10000,
     build_liver,
     true,
     {0.300f, 0.022f, 0.020f}},
    {"block", "a cube with rounded edges", 6000, build_block, false, {0}},
    {"bar", "a bar of 4 : 1 : 1 with rounded edges, along x", 6000, build_bar, false, {0}},
    {"strip", "a strip of 12 : 1 : 3 with rounded edges, along x", 6000, build_strip, false, {0}},
    {"flower",
     "a stem with two leaves, a cup and eight thin petals",
     20000,
     build_flower,
     true,
     {0.520f, 0.700f, 0.300f}},
    {"penguin",
     "a standing penguin with wings, beak and feet",
     14000,
     build_penguin,
     true,
     {0.620f, 0.140f, 0.110f}},
    {"duck",
     "a rubber duck with beak, wings and tail",
     14000,
     build_duck,
     true,
     {0.900f, 0.520f, 0.160f}},
    {"sphere", "a ball", 5000, build_sphere, false, {0}},
    {"torus", "a ring that lies flat", 6000, build_torus, false, {0}},
    {"infant",
     "a baby on hands and knees, for bones",
     17000,
     build_infant,
     true,
     {0.500f, 0.060f, 0.050f}},
    {"figure",
     "a seated statue in rough robes on a ring of petals",
     24000,
     build_figure,
     true,
     {0.450f, 0.300f, 0.160f}},
    {"polyp",
     "a ball with five very thin fingers, for cells of many sizes",
     40000,
     build_polyp,
     false,
     {0}},
    {"loaf",
     "a loaf of bread along x, for slices",
     10000,
     build_loaf,
     true,
     {0.900f, 0.760f, 0.500f}},
    {"biscuit",
     "a flat biscuit with a toothed rim",
     9000,
     build_biscuit,
     true,
     {0.880f, 0.680f, 0.380f}},
    {"sheet", "a thick cloth of 1 : 0.72 : 0.044 that hangs", 8000, build_sheet, false, {0}},
    {"wedge",
     "a prism that is thick at one side and thin at the other",
     13800,
     build_wedge,
     false,
     {0}},
    {"meniscus",
     "a C with a flat bottom and a hollow top, thick outside",
     6420,
     build_meniscus,
     false,
     {0}},
    {"pillow", "a flat square pillow", 58000, build_pillow, false, {0}},
};

int32_t shape_count(void) {
    return (int32_t)(sizeof(SHAPES) / sizeof(SHAPES[0]));
}

const shape_entry* shape_at(int32_t index) {
    return index >= 0 && index < shape_count() ? &SHAPES[index] : NULL;
}

const shape_entry* shape_find(const char* name) {
    for (int32_t i = 0; name != NULL && i < shape_count(); ++i) {
        if (strcmp(SHAPES[i].name, name) == 0) {
            return &SHAPES[i];
        }
    }
    return NULL;
}
