/* SPDX-License-Identifier: MIT
 * Substeps: impacts, friction, periods, momentum, and bad states.
 */
#include "test.h"

#include "base/random.h"
#include "hex/momentum.h"
#include "step_kit.h"

static const kit_shape block = {"block", {8, 8, 8}, NULL, NULL, 0.0};

/* A block of 10 MPa that meets the floor at 2 m/s is squashed by less than 1 %, and comes to rest
 * with its weight on the floor. */
static void hard_impacts_squash_little(void) {
    static const double dts[] = {1.0 / 60.0, 1.0 / 240.0};
    for (int i = 0; i < 2; ++i) {
        kit_mover m;
        kit_mover_make(&m, &block, 0.01, 1e7, 0.3);
        kit_gravity(&m, 0.0, -KIT_GRAVITY);
        kit_floor(&m, 0.5f);
        for (int32_t n = 0; n < m.body.desc.nodes; ++n) {
            m.state.d[1][n] = 0.01f;
            m.state.v[1][n] = -2.0f;
        }
        double squash = 0.0, through = 0.0, rebound = 0.0;
        for (double t = 0.0; t < 1.0; t += dts[i]) {
            kit_step(&m, dts[i]);
            double low = 1e9, high = -1e9;
            for (int32_t n = 0; n < m.body.desc.nodes; ++n) {
                double y = (double)m.rest[1][n] + (double)m.state.d[1][n];
                low = fmin(low, y);
                high = fmax(high, y);
            }
            squash = fmax(squash, 1.0 - (high - low) / 0.08);
            through = fmax(through, -low);
            rebound = fmax(rebound, kit_mean(&m, m.state.v, 1));
        }
        double weight = 0.0;
        for (int32_t k = 0; k < m.forces.limits; ++k) {
            weight += (double)m.forces.limit[k].press;
        }
        weight /= KIT_GRAVITY * m.body.total;
        printf(
            "  1/%.0f: squash %.3f %%, through %.2g m, rebound %.3f m/s, presses with %.4f of its "
            "weight, fastest %.1e, %.2f iterations and %.2f rounds a step, worst %d, cut off %d\n",
            1.0 / dts[i], 100.0 * squash, through, rebound, weight, kit_fastest(&m),
            (double)m.iterations / m.steps, (double)m.rounds / m.steps, m.worst, (int)m.cut_off);
        CHECK(squash < 0.01);
        CHECK(through < 2e-4);
        CHECK_NEAR(weight, 1.0, 0.01);
        CHECK(kit_fastest(&m) < 1e-3);
        kit_mover_free(&m);
    }
}

static void place_at_rest(kit_mover* m, double dt) {
    kit_gravity(m, 0.0, -KIT_GRAVITY);
    for (double t = 0.0; t < 0.5; t += dt) {
        kit_step(m, dt);
    }
}

/* A slope is turned gravity. Below the angle of friction nothing slides, above it slides as Coulomb
 * says. */
static void friction_holds_and_lets_go(void) {
    const double angle = atan(0.5), off[2] = {-2.0 / 57.29578, 2.0 / 57.29578};
    for (int above = 0; above < 2; ++above) {
        const double dt = 1.0 / 120.0, slope = angle + off[above];
        kit_mover m;
        kit_mover_make(&m, &block, 0.01, 1e6, 0.3);
        kit_floor(&m, 0.5f);
        place_at_rest(&m, dt);
        kit_gravity(&m, KIT_GRAVITY * sin(slope), -KIT_GRAVITY * cos(slope));
        for (double t = 0.0; t < 0.2; t += dt) {
            kit_step(&m, dt);
        }
        double before = kit_mean(&m, m.state.v, 0), leant = kit_mean(&m, m.state.d, 0);
        for (double t = 0.0; t < 1.0 - 0.5 * dt; t += dt) {
            kit_step(&m, dt);
        }
        double faster = kit_mean(&m, m.state.v, 0) - before;
        double want = KIT_GRAVITY * (sin(slope) - 0.5 * cos(slope));
        printf("  %+.0f degrees: slid %.2g m, %.4f m/s faster each second of %.4f; %.2f rounds\n",
               57.29578 * off[above], kit_mean(&m, m.state.d, 0) - leant, faster, want,
               (double)m.rounds / m.steps);
        if (above != 0) {
            CHECK_NEAR(faster, want, 0.05 * want);
        } else {
            CHECK(fabs(kit_mean(&m, m.state.d, 0) - leant) < 1e-5);
            CHECK(fabs(kit_mean(&m, m.state.v, 0)) < 1e-4);
        }
        kit_mover_free(&m);
    }
}

/* v^2 / (2 mu g). */
static void slides_stop_where_coulomb_says(void) {
    static const double dts[] = {1.0 / 60.0, 1.0 / 120.0, 1.0 / 240.0}, speeds[] = {1.0, 3.0};
    for (int i = 0; i < 6; ++i) {
        double dt = dts[i % 3], speed = speeds[i / 3], want = speed * speed / (9.81);
        kit_mover m;
        kit_mover_make(&m, &block, 0.01, 1e6, 0.3);
        kit_floor(&m, 0.5f);
        place_at_rest(&m, dt);
        double start = kit_mean(&m, m.state.d, 0);
        for (int32_t n = 0; n < m.body.desc.nodes; ++n) {
            m.state.v[0][n] += (float)speed;
        }
        m.state.last = 0.0f;
        for (double t = 0.0; t < 1.5 && (t < 0.05 || kit_mean(&m, m.state.v, 0) > 1e-3); t += dt) {
            kit_step(&m, dt);
        }
        double slid = kit_mean(&m, m.state.d, 0) - start;
        printf("  %.0f m/s at 1/%.0f: %.4f of %.4f m, %.2f iterations and %.2f rounds a step, %d "
               "of %d "
               "by Euler\n",
               speed, 1.0 / dt, slid, want, (double)m.iterations / m.steps,
               (double)m.rounds / m.steps, (int)m.euler, m.steps);
        CHECK_NEAR(slid, want, 0.05 * want);
        kit_mover_free(&m);
    }
}

/* A cantilever that swings with a period of about a quarter of a second. */
static void swings_keep_their_size(void) {
    const kit_shape bar = {"bar", {16, 2, 2}, NULL, NULL, 0.0};
    static const double least[] = {0.85, 0.95, 0.99};
    for (int i = 0; i < 3; ++i) {
        const double dt = 1.0 / 60.0 / (1 << i);
        double top[32], at[32], before = 0.0, before2 = 0.0;
        int tops = 0;
        kit_mover m;
        kit_mover_make(&m, &bar, 0.01, 1e6, 0.3);
        int32_t tip = 0;
        for (int32_t n = 0; n < m.body.desc.nodes; ++n) {
            double r = m.body.place[n][0] / 16.0;
            m.state.v[1][n] = (float)(0.3 * r * r * (6.0 - 4.0 * r + r * r) / 3.0);
            tip = m.body.place[n][0] == 16 ? n : tip;
            if (m.body.place[n][0] == 0) {
                kit_hold(&m, n);
            }
        }
        for (int n = 0; n * dt < 2.6 && tops < 20; ++n) {
            kit_step(&m, dt);
            double y = (double)m.state.d[1][tip];
            if (n > 1 && (before - before2) * (y - before) < 0.0) {
                double c = before2 - 2.0 * before + y, d = 0.5 * (before2 - y) / c;
                top[tops] = fabs(before - 0.25 * (before2 - y) * d);
                at[tops++] = (n + d) * dt;
            }
            before2 = before;
            before = y;
        }
        double kept = pow(top[tops - 1] / top[0], 2.0 / (tops - 1));
        double period = 2.0 * (at[tops - 1] - at[0]) / (tops - 1);
        /* Euler and Bernoulli (3 / 1.8751^4 of the mass at the tip), with Timoshenko's shear as a
         * spring in series */
        double stiff = 3.0 * 1e6 * pow(0.02, 4.0) / 12.0 / pow(0.16, 3.0);
        double soft = 1.0 / stiff + 0.16 / (5.0 / 6.0 * 1e6 / 2.6 * 4e-4);
        double want = 2.0 * 3.14159265 * sqrt(0.24267 * 1000.0 * 0.16 * 4e-4 * soft);
        printf("  %d substeps: period %.4f s (%.4f in theory), keeps %.4f of its amplitude\n",
               1 << i, period, want, kept);
        CHECK(kept > least[i]);
        CHECK_NEAR(period, want, (i == 0 ? 0.06 : 0.02) * want);
        kit_mover_free(&m);
    }
}

/* A body that flies, spins and swings keeps its momentum. */
static void free_bodies_keep_their_momentum(void) {
    const kit_shape bar = {"bar", {6, 3, 2}, NULL, NULL, 0.0};
    const double dt = 1.0 / 120.0;
    const int steps = test_long ? 10000 : 1000;
    kit_mover m;
    kit_mover_make(&m, &bar, 0.01, 1e5, 0.4);
    for (int32_t n = 0; n < m.body.desc.nodes; ++n) {
        double x = m.body.place[n][0] - 3.0, y = m.body.place[n][1] - 1.5;
        m.state.v[0][n] = (float)(0.3 - 0.05 * y + 0.02 * x);
        m.state.v[1][n] = (float)(0.2 + 0.05 * x);
        m.state.v[2][n] = (float)(0.03 * x * x + 0.04 * y);
    }
    hex_momentum begin =
        hex_momentum_of(m.forces.rest, m.forces.mass, m.state.d, m.state.v, 0, m.part[1]);
    for (int i = 0; i < steps; ++i) {
        kit_step(&m, dt);
        for (int32_t n = 0; n < 3 * m.body.desc.nodes && i % 100 == 99; ++n) {
            /* a frame that goes along, as a body's does */
            m.state.d[n % 3][n / 3] -= (float)(begin.velocity[n % 3] * 100.0 * dt);
        }
    }
    hex_momentum end =
        hex_momentum_of(m.forces.rest, m.forces.mass, m.state.d, m.state.v, 0, m.part[1]);
    double size = 0.0, angular = 0.0, off = 0.0, turned = 0.0;
    for (int k = 0; k < 3; ++k) {
        size += begin.velocity[k] * begin.velocity[k];
        off += pow(end.velocity[k] - begin.velocity[k], 2.0);
        angular += begin.angular[k] * begin.angular[k];
        turned += pow(end.angular[k] - begin.angular[k], 2.0);
    }
    printf("  after %d steps: momentum off by %.1e, angular momentum by %.1e; %.2f iterations\n",
           steps, sqrt(off / size), sqrt(turned / angular), (double)m.iterations / m.steps);
    CHECK(sqrt(off / size) < 1e-6);
    CHECK(sqrt(turned / angular) < 1e-4);
    kit_mover_free(&m);
}

/* Relative to its own mean and rotation: the root of the mean square of what is left, as a share of
 * the size. */
static double deformation(const kit_mover* m) {
    double sum = 0.0, most = 0.0;
    const hex_level* l = &m->body.levels.level[0];
    for (int32_t e = 0; e < m->body.desc.cells; ++e) {
        double F[9];
        for (int i = 0; i < 9; ++i) {
            F[i] = i % 4 == 0 ? 1.0 : 0.0;
            for (int c = 0; c < 8; ++c) {
                double sign = (c >> (i % 3) & 1) != 0 ? 0.25 : -0.25;
                F[i] += sign / (double)l->edge * (double)m->state.d[i / 3][l->corner[e][c]];
            }
        }
        for (int i = 0; i < 9; ++i) { /* F^T F - 1 */
            double g = -(i % 4 == 0 ? 1.0 : 0.0);
            for (int k = 0; k < 3; ++k) {
                g += F[3 * k + i / 3] * F[3 * k + i % 3];
            }
            sum += g * g;
            most = fmax(most, fabs(g));
        }
        double det = F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) +
                     F[2] * (F[3] * F[7] - F[4] * F[6]);
        sum += det < 0.0 ? 9.0 : 0.0;
    }
    return sqrt(sum / m->body.desc.cells);
}

static double kinetic(const kit_mover* m) {
    double sum = 0.0;
    for (int32_t i = 0; i < 3 * m->body.desc.nodes; ++i) {
        sum += 0.5 * (double)m->body.mass[i / 3] * pow((double)m->state.v[i % 3][i / 3], 2.0);
    }
    return sum;
}

static void bad_states_come_back(void) {
    static const char* const names[] = {"scrambled", "flat", "mirrored", "line", "point", "20 m/s"};
    const int seeds = test_long ? 100 : 2;
    for (int how = 0; how < 6; ++how) {
        for (int hard = 0; hard < 2; ++hard) {
            double worst = 0.0, slowest = 0.0;
            int32_t iterations = 0;
            for (int seed = 0; seed < seeds; ++seed) {
                const kit_shape cube = {"cube", {5, 5, 5}, NULL, NULL, 0.0};
                const double dt = 1.0 / 60.0;
                random_stream r = random_seed((uint64_t)(100 * how + seed));
                kit_mover m;
                kit_mover_make(&m, &cube, 0.01, hard != 0 ? 1e7 : 1e4, 0.3);
                for (int32_t n = 0; n < m.body.desc.nodes; ++n) {
                    for (int k = 0; k < 3; ++k) {
                        float any = random_range(&r, -1.0f, 1.0f), at = m.rest[k][n];
                        float* d = &m.state.d[k][n];
                        *d = how == 0                          ? 0.01f * any
                             : how == 1 && k == 1              ? -at + 1e-5f * any
                             : how == 2 && k == 1              ? -2.0f * at
                             : how == 4 || (how == 3 && k > 0) ? -at + 1e-5f * any
                                                               : 0.0f;
                        m.state.v[k][n] = how == 5 ? 20.0f * any : 0.0f;
                    }
                }
                double back = 4.0, energy = how == 5 ? kinetic(&m) : 1e30;
                for (double t = 0.0; t < 4.0; t += dt) {
                    kit_step(&m, dt);
                    CHECK(m.report.finite);
                    CHECK(kinetic(&m) <= 1.01 * energy);
                    bool whole = deformation(&m) < 0.05;
                    back = whole ? fmin(back, t) : 4.0;
                }
                slowest = fmax(slowest, back);
                worst = fmax(worst, deformation(&m));
                iterations = m.worst > iterations ? m.worst : iterations;
                kit_mover_free(&m);
            }
            printf("  %s, %s: whole after %.2f s, strain at the end %.1e, worst %d iterations\n",
                   names[how], hard != 0 ? "10 MPa" : "10 kPa", slowest, worst, iterations);
            CHECK(worst < 0.01);
        }
    }
}

TEST_SUITE(hex_step) {
    TEST_BEGIN(argc, argv);
    RUN(hard_impacts_squash_little);
    RUN(friction_holds_and_lets_go);
    RUN(slides_stop_where_coulomb_says);
    RUN(swings_keep_their_size);
    RUN(free_bodies_keep_their_momentum);
    RUN(bad_states_come_back);
    TEST_END();
}
