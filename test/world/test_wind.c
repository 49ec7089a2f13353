/* SPDX-License-Identifier: MIT
 * Wind: what all nodes of a body feel against the sum over the triangles of its skin, plates and
 * balls against the formula by hand, gusts, instruction sets, bodies that are edited.
 */
#include "core/physics_kit.h"
#include "edit/edit_kit.h"
#include "math/sine_wide.h"
#include "test.h"

static const lim_vec3 NO_GRAVITY = {0, 0, 0};

static body* body_in(const lim_world* world, lim_body id) {
    return &world->bodies[id.index]->body;
}

/* Force, and torque about the first component's origin: newton, newton metre, world axes. */
typedef struct load {
    lim_point force, torque;
} load;

static void add_at(load* sum, lim_point arm, lim_point force) {
    sum->force = p3_add(sum->force, force);
    sum->torque = p3_add(sum->torque, p3_cross(arm, force));
}

/* What the library says, with one instruction set. */
static load felt_by_nodes(body* b, const lim_wind* wind, double time, double dt, isa set) {
    body_step_input in = {.wind = wind, .time = time, .dt = dt, .set = set};
    load sum = {0};
    CHECK(body_reserve_wind(b) == LIM_OK);
    body_wind_begin(b, &in);
    const topology* t = b->topology;
    double scale = body_metres(b), unit = (double)b->material.density * scale * scale * scale;
    for (int32_t i = 0; i < t->slot_count; ++i) {
        const component* c = b->components + t->slot_component[i];
        lim_point dv = p3((double)b->blown[0][i], (double)b->blown[1][i], (double)b->blown[2][i]);
        lim_point f =
            p3_scale(dquat_rotate(c->rotation, dv), scale * unit * (double)t->mass[i] / dt);
        lim_point at = node_to_world(c, scale, body_slot_local(b, i));
        add_at(&sum, p3_sub(at, b->components[0].origin), f);
    }
    return sum;
}

/* The wind at a place, as limber/world.h says: a velocity plus gusts. */
static lim_point air_at(const lim_wind* w, lim_point at, double time) {
    static const double direction[3][3] = {{0.8, 0.2, 0.56}, {-0.5, 0.3, 0.81}, {0.3, -0.9, 0.32}};
    static const double pace[3] = {1.0, 1.7, 2.9}, size[3] = {1.0, 0.6, 0.35};
    double speed = p3_length(p3_of(w->velocity)), sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        double along = at.x * direction[k][0] + at.y * direction[k][1] + at.z * direction[k][2];
        double phase = (along - pace[k] * speed * time) / ((double)w->gust_size * size[k]);
        sum += trig_sin(phase) * size[k];
    }
    return p3_scale(p3_of(w->velocity), 1.0 + (double)w->gust * sum / 1.95);
}

/* The oracle: 1/2 rho |u| (u.n) n a of every triangle as it lies now. On the skin it acts at the
 * middle of the triangle; as anything that is bound it acts at the mean of the nodes. */
static void felt_by_skin(const body* b, const lim_wind* wind, double time, load* out_skin,
                         load* out_bound) {
    const topology* t = b->topology;
    double scale = body_metres(b);
    node_state nodes = body_nodes(b);
    *out_skin = *out_bound = (load){0};
    for (int32_t i = 0; i < t->triangle_count; ++i) {
        const uint32_t* v = t->indices + 3 * (size_t)i;
        const component* c = b->components + t->bind.component[t->vertex_point[v[0]]];
        lim_point p[3], middle = p3(0, 0, 0), moving = p3(0, 0, 0);
        for (int k = 0; k < 3; ++k) {
            int32_t point = t->vertex_point[v[k]];
            const binding* at = t->bind.bind + point;
            p[k] = node_to_world(
                c, scale, p3_of(binding_position(at, bindings_rest(&t->bind, point), &nodes)));
            lim_point velocity = dquat_rotate(c->rotation, p3_of(binding_velocity(at, &nodes)));
            moving = p3_mad(moving, velocity, scale / 3.0);
            middle = p3_mad(middle, p[k], 1.0 / 3.0);
        }
        lim_point cross = p3_cross(p3_sub(p[1], p[0]), p3_sub(p[2], p[0]));
        double twice = p3_length(cross);
        if (!(twice > 0.0)) {
            continue;
        }
        lim_point u = p3_sub(air_at(wind, middle, time), moving);
        double along = p3_dot(u, cross) / twice;
        double press = 0.5 * (double)wind->density * (double)b->material.air_drag;
        lim_point f = p3_scale(cross, press * p3_length(u) * along * 0.5);
        add_at(out_skin, p3_sub(middle, b->components[0].origin), f);
        for (int k = 0; k < 3; ++k) {
            const binding* at = t->bind.bind + t->vertex_point[v[k]];
            double mass = (double)binding_mass(at, &nodes);
            for (int j = 0; j < BINDING_NODES && at->weight[j] > 0.0f; ++j) {
                double share = (double)at->weight[j] * (double)t->mass[at->node[j]] / mass / 3.0;
                lim_point place = node_to_world(c, scale, body_slot_local(b, at->node[j]));
                add_at(out_bound, p3_sub(place, b->components[0].origin), p3_scale(f, share));
            }
        }
    }
}

static double off(lim_point a, lim_point b) {
    return p3_length(p3_sub(a, b));
}

static toy box_in_wind(const int32_t n[3], double cell, lim_point position) {
    lim_material m = lim_material_default();
    return toy_box(n, cell, position, &m, NO_GRAVITY, 4, 1);
}

static lim_wind even(float x, float y, float z) {
    return (lim_wind){.velocity = {x, y, z}, .gust_size = 1.0f, .density = 1.2f};
}

/* Turned and flying, but not bent, with thin parts to one side: the nodes feel what the triangles
 * do, and where they do. */
static void a_rigid_body_feels_what_its_skin_does(void) {
    const dquat turn = dquat_unit((dquat){0.3, -0.5, 0.2, 0.8});
    lim_mesh* mesh = NULL;
    CHECK(model_mesh("flower", 2000, NULL, &mesh) == LIM_OK);
    for (int r = 0; kind_choose(r); ++r) {
        lim_model_desc desc = lim_model_desc_default();
        lim_model* model = NULL;
        desc.node_count = 400;
        kind_describe(&desc);
        CHECK(lim_model_create(mesh, &desc, NULL, &model) == LIM_OK);
        lim_world* world = edit_world(NULL, 1);
        body* b = body_in(world, edit_body(world, model, 1, 2));
        double size = 2.0 * (double)b->topology->extent * body_metres(b);
        double cell = (double)lim_model_get_info(model).cell_size;
        body_move(b, p3(1, 2, 3), turn, p3(0, 0, 0));
        body_set_velocity(b, (lim_vec3){0.5f, -1.0f, 0.25f}, (lim_vec3){0, 0, 0});
        lim_wind wind = even(4.0f, 1.0f, -2.0f);
        load nodes = felt_by_nodes(b, &wind, 0.0, 1e-3, isa_best()), skin, bound;
        felt_by_skin(b, &wind, 0.0, &skin, &bound);
        double force = p3_length(skin.force);
        CHECK(off(nodes.force, skin.force) < 1e-5 * force);
        CHECK(kind_has_points(r) || p3_length(skin.torque) > 0.01 * force * size);
        CHECK(off(nodes.torque, bound.torque) < 1e-5 * force * size);
        /* Nodes lie within the skin, and heavy ones take more of a share. */
        CHECK(off(nodes.torque, skin.torque) < 0.1 * cell * force);
        printf("  force off by %.1e, torque by %.1e of the force times the size; against where the "
               "skin is %.2f of the force times a cell\n",
               off(nodes.force, skin.force) / force,
               off(nodes.torque, bound.torque) / (force * size),
               off(nodes.torque, skin.torque) / (force * cell));
        lim_world_destroy(world);
        lim_model_destroy(model);
    }
    lim_mesh_destroy(mesh);
}

/* A bar bent to an arc of `angle` along x, and twisted by half of it. */
static void bend(toy* t, double angle) {
    toy_read(t);
    for (int32_t i = 0; i < t->nodes; ++i) {
        const double* x = t->rest + 3 * (size_t)i;
        double at = x[0] / t->size, radius = t->size / angle, twist = 0.5 * angle * at;
        double y = trig_cos(twist) * x[1] - trig_sin(twist) * x[2];
        double z = trig_sin(twist) * x[1] + trig_cos(twist) * x[2];
        t->x[3 * i] = trig_sin(angle * at) * (radius - y);
        t->x[3 * i + 1] = radius - trig_cos(angle * at) * (radius - y);
        t->x[3 * i + 2] = z;
        t->v[3 * i] = (float)(2.0 * z);
        t->v[3 * i + 1] = (float)x[0];
        t->v[3 * i + 2] = 0.5f;
    }
    toy_write(t);
    for (int k = 0; k < 3; ++k) {
        CHECK(lim_world_step(t->world, 1e-5f) == LIM_OK); /* regions find their rotations */
    }
}

/* Bent by a right angle, swinging, in gusts: nodes know their neighbourhood's turn, not each
 * triangle's. */
static void a_bent_body_feels_nearly_what_its_skin_does(void) {
    const int32_t n[3] = {16, 3, 3};
    static const float directions[3][3] = {{5, 0, 0}, {0, 5, 1}, {-3, 2, 4}};
    for (int r = 0; kind_choose(r); ++r) {
        if (r == KIND_POINTS) {
            continue; /* one shape does not bend */
        }
        double worst[2] = {0, 0};
        toy t = box_in_wind(n, 0.05, p3(0, 0, 0));
        bend(&t, 1.57);
        body* b = body_in(t.world, t.body);
        for (int k = 0; k < 6; ++k) {
            const float* d = directions[k % 3];
            lim_wind wind = even(d[0], d[1], d[2]);
            wind.gust = k < 3 ? 0.0f : 0.5f;
            load nodes = felt_by_nodes(b, &wind, 0.37, 1e-3, isa_best()), skin, bound;
            felt_by_skin(b, &wind, 0.37, &skin, &bound);
            double force = p3_length(skin.force);
            worst[0] = fmax(worst[0], off(nodes.force, skin.force) / force);
            worst[1] = fmax(worst[1], off(nodes.torque, bound.torque) / (force * t.size));
        }
        printf("  force off by %.3f, torque by %.3f\n", worst[0], worst[1]);
        /* cells turn with their neighbours, few clusters more coarsely */
        double most = kind_has_points(r) ? 0.06 : 0.02;
        CHECK(worst[0] < most && worst[1] < most);
        toy_free(&t);
    }
}

/* A box has faces a_k: in a step it gets 1/2 rho |u| 2 a_k u_k dt, which for a plate across the
 * wind is the drag of both its sides. */
static void a_plate_has_the_drag_of_its_sides(void) {
    const int32_t n[3] = {12, 12, 2};
    const double cell = 0.05, side = 0.6, thick = 0.1, dt = 1.0 / 60.0;
    for (int r = 0; kind_choose(r); ++r) {
        for (int k = 0; k < 4; ++k) {
            double angle = k * TRIG_PI / 6.0, speed = 3.0;
            toy t = box_in_wind(n, cell, p3(0, 0, 0));
            lim_wind wind =
                even((float)(speed * trig_sin(angle)), 0.0f, (float)(speed * trig_cos(angle)));
            CHECK(lim_world_set_wind(t.world, wind) == LIM_OK);
            CHECK(lim_world_step(t.world, (float)dt) == LIM_OK);
            lim_body_motion m = edit_motion(t.world, t.body);
            double pull = 0.5 * 1.2 * speed * dt * 2.0;
            double x = pull * side * thick * speed * trig_sin(angle);
            double z = pull * side * side * speed * trig_cos(angle);
            double all = pull * side * side * speed;
            CHECK_NEAR(m.momentum[0], x, 1e-3 * all);
            CHECK_NEAR(m.momentum[1], 0.0, 1e-3 * all);
            CHECK_NEAR(m.momentum[2], z, 1e-3 * all);
            toy_free(&t);
        }
    }
}

/* A body in an even wind ends with the velocity of the air and is never faster. */
static void a_light_box_drifts_with_the_air(void) {
    const int32_t n[3] = {3, 3, 3};
    for (int r = 0; kind_choose(r); ++r) {
        lim_material m = lim_material_default();
        m.density = 1.0f;
        toy t = toy_box(n, 0.02, p3(0, 0, 0), &m, NO_GRAVITY, 2, 1);
        CHECK(lim_world_set_wind(t.world, even(6.0f, 0.0f, 0.0f)) == LIM_OK);
        double last = 0.0;
        for (int k = 0; k < 600; ++k) {
            CHECK(lim_world_step(t.world, 1.0f / 60) == LIM_OK);
            lim_body_motion now = edit_motion(t.world, t.body);
            double speed = now.momentum[0] / now.mass;
            CHECK(speed <= 6.0 * (1.0 + 1e-5) && speed >= last - 1e-4);
            last = speed;
        }
        CHECK(last > 5.5);
        toy_free(&t);
    }
}

/* Far away and late, where phases are large; short gusts over a long body. */
static void gusts_are_those_of_the_place_and_the_time(void) {
    const int32_t n[3] = {16, 4, 4};
    static const double far[3] = {0.0, 1e3, 1e6};
    for (int k = 0; k < 3; ++k) {
        toy t = box_in_wind(n, 0.05, p3(far[k], 2, -far[k]));
        body* b = body_in(t.world, t.body);
        for (int i = 0; i < 8; ++i) {
            double time = far[k] + 0.7 * i;
            lim_wind wind = even(3.0f, 0.0f, 1.0f);
            wind.gust = 1.0f;
            wind.gust_size = 1.5f;
            load nodes = felt_by_nodes(b, &wind, time, 1e-3, isa_best()), skin, bound;
            felt_by_skin(b, &wind, time, &skin, &bound);
            double scale = 0.5 * 1.2 * 10.0 * 4.0 * 0.2 * 0.8;
            CHECK(off(nodes.force, skin.force) < 0.02 * scale);
        }
        toy_free(&t);
    }
}

static void the_sine_is_a_sine(void) {
    random_stream dice = random_seed(7);
    double worst[2] = {0, 0};
    for (int k = 0; k < 20000; ++k) {
        _Alignas(32) float lane[8];
        float reach = k % 2 == 0 ? 7.0f : 1e4f;
        for (int j = 0; j < 8; ++j) {
            lane[j] = random_range(&dice, -reach, reach);
        }
        fw sine = fw_sine(fw_load(lane));
        for (int j = 0; j < 8; ++j) {
            worst[k % 2] =
                fmax(worst[k % 2], fabs((double)fw_lane(sine, j) - trig_sin((double)lane[j])));
        }
    }
    printf("  off by %.1e up to 7, %.1e up to 1e4\n", worst[0], worst[1]);
    CHECK(worst[0] < 1e-5 && worst[1] < 1e-5);
    CHECK(fw_lane(fw_sine(fw_set1(1e30f)), 3) == 0.0f);
    CHECK(fw_lane(fw_sine(fw_set1(NAN)), 3) == 0.0f);
}

static void instruction_sets_agree(void) {
    const int32_t n[3] = {16, 3, 3};
    static const isa sets[] = {ISA_SCALAR, ISA_SSE2, ISA_AVX2, ISA_NEON, ISA_WASM};
    for (int r = 0; kind_choose(r); ++r) {
        toy t = box_in_wind(n, 0.05, p3(0, 0, 0));
        bend(&t, 1.0);
        body* b = body_in(t.world, t.body);
        lim_wind wind = even(4.0f, 1.0f, 2.0f);
        wind.gust = 1.0f;
        size_t bytes = (size_t)b->topology->slot_count * sizeof(float);
        float* kept = malloc(3 * bytes);
        for (size_t s = 0; s < sizeof sets / sizeof sets[0]; ++s) {
            if (!isa_available(sets[s])) {
                continue;
            }
            felt_by_nodes(b, &wind, 0.5, 1e-2, sets[s]);
            for (int k = 0; k < 3; ++k) {
                float* at = kept + (size_t)k * (size_t)b->topology->slot_count;
                if (s == 0) {
                    memcpy(at, b->blown[k], bytes);
                }
                CHECK(memcmp(at, b->blown[k], bytes) == 0);
            }
        }
        free(kept);
        toy_free(&t);
    }
}

/* Pieces, cells of other sizes: what each body feels is what its own skin feels, faces of the cut
 * with it. */
static void an_edited_body_feels_its_new_skin(void) {
    lim_model* model = edit_bar(400, 1, NULL);
    lim_world* world = edit_world(NULL, 1);
    CHECK(lim_world_set_gravity(world, NO_GRAVITY) == LIM_OK);
    lim_body id = edit_body(world, model, 0, 0), piece[4] = {{0}};
    lim_wind wind = even(3.0f, 2.0f, 1.0f);
    wind.density = 1e-3f; /* a breath: the bodies stay as they are */
    CHECK(lim_world_set_wind(world, wind) == LIM_OK);
    edit_steps(world, 1);
    int32_t count = 0, nodes = edit_nodes(world, id);
    lim_refine_desc ball = edit_ball(0.3, 0.0, 0.2, 0.02);
    CHECK(lim_body_refine(world, id, &ball, NULL) == LIM_OK);
    CHECK(edit_nodes(world, id) > nodes);
    CHECK(edit_cut_at(world, id, -0.2, 0, 0.4, -0.4, false, NULL) == LIM_OK);
    CHECK(lim_body_split(world, id, piece, 4, &count) == LIM_OK);
    CHECK(count == 1);
    edit_steps(world, 1);
    const lim_body both[2] = {id, piece[0]};
    for (int k = 0; k < 2; ++k) {
        body* b = body_in(world, both[k]);
        CHECK(b->windy && b->sail[0] != NULL); /* the world's step has made them */
        load felt = felt_by_nodes(b, &wind, 0.0, 1e-3, isa_best()), skin, bound;
        felt_by_skin(b, &wind, 0.0, &skin, &bound);
        double force = p3_length(skin.force);
        CHECK(force > 0.0 && off(felt.force, skin.force) < 1e-3 * force);
        CHECK(off(felt.torque, bound.torque) < 1e-3 * force);
        printf("  force %.2e off by %.1e\n", force, off(felt.force, skin.force) / force);
    }
    lim_world_destroy(world);
    lim_model_destroy(model);
}

/* The first step in the wind takes memory: where there is none nothing moves, and the next try is
 * as good as the first. */
static void a_step_without_memory_can_be_tried_again(void) {
    uint64_t moved = 0;
    for (int n = 0, end = 1; n < end; ++n) {
        failing_host f;
        failing_host_arm(&f, -1);
        lim_model* model = edit_bar(100, 0, &f.host);
        lim_world* world = edit_world(&f.host, 1);
        edit_body(world, model, 0, 0);
        edit_steps(world, 2);
        CHECK(lim_world_set_wind(world, even(3.0f, 0.0f, 1.0f)) == LIM_OK);
        uint64_t before = lim_world_hash(world);
        f.fail_at = f.allocations + n;
        int64_t begun = f.allocations;
        lim_result result = lim_world_step(world, 1.0f / 60.0f);
        if (result != LIM_OK) {
            CHECK(result == LIM_ERROR_MEMORY && lim_world_hash(world) == before);
            f.fail_at = -1;
            CHECK(lim_world_step(world, 1.0f / 60.0f) == LIM_OK);
            end = n + 2;
        }
        CHECK(n > 0 || f.allocations > begun);
        moved = n == 0 ? lim_world_hash(world) : moved;
        CHECK(lim_world_hash(world) == moved);
        int64_t warm = f.allocations;
        edit_steps(world, 3);
        CHECK(f.allocations == warm);
        lim_world_destroy(world);
        lim_model_destroy(model);
        CHECK(f.held == 0);
    }
}

TEST_SUITE(world_wind) {
    TEST_BEGIN(argc, argv);
    RUN(the_sine_is_a_sine);
    RUN(a_rigid_body_feels_what_its_skin_does);
    RUN(a_bent_body_feels_nearly_what_its_skin_does);
    RUN(a_plate_has_the_drag_of_its_sides);
    RUN(a_light_box_drifts_with_the_air);
    RUN(gusts_are_those_of_the_place_and_the_time);
    RUN(instruction_sets_agree);
    RUN(an_edited_body_feels_its_new_skin);
    RUN(a_step_without_memory_can_be_tried_again);
    TEST_END();
}
