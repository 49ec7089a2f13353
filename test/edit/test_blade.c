/* SPDX-License-Identifier: MIT
 * Blades taken to rest: the way back through a deformation against the way there, which is known;
 * and cuts of deformed bodies, whose faces must lie in the blade.
 */
#include "edit/blade.h"
#include "edit/rest_map.h"
#include "edit/skin_kit.h"
#include "failing_host.h"
#include "scenes/models.h"

typedef struct toy {
    topology* t;
    body b;
} toy;

static toy toy_of(lim_mesh* mesh, int32_t nodes, lim_point position, dquat turn, float scale) {
    toy y = {.t = kit_topology(mesh, nodes)};
    lim_host host = mem_host(NULL);
    lim_body_desc desc = lim_body_desc_default();
    desc.position = position;
    desc.orientation = (lim_quat){(float)turn.x, (float)turn.y, (float)turn.z, (float)turn.w};
    desc.scale = scale;
    CHECK(body_create(&desc, y.t, &host, &y.b) == LIM_OK);
    topology_release(y.t); /* the body holds it */
    body_refresh(&y.b, isa_best(), NULL);
    lim_mesh_destroy(mesh);
    return y;
}

static toy toy_bar(int32_t nodes, lim_point position, dquat turn, float scale) {
    const int32_t cells[3] = {40, 10, 10};
    lim_mesh* mesh = NULL;
    CHECK(box_mesh(1.0, 0.25, 0.25, cells, NULL, &mesh) == LIM_OK);
    return toy_of(mesh, nodes, position, turn, scale);
}

/* Where the material X (unit, about the centre of mass) goes: stretched along x, bent about z and
 * twisted about x, by `much`. */
static lim_point bent(lim_point p, double much) {
    double angle = 1.5 * much * p.x, twist = 2.0 * much * p.x;
    double y = p.y * cos(twist) - p.z * sin(twist), z = p.y * sin(twist) + p.z * cos(twist);
    double r = 1.0 / (1.5 * much) + y;
    return p3(1.1 * r * sin(angle), r * cos(angle) - 1.0 / (1.5 * much), 0.9 * z);
}

/* World -> rest of one place, relative to the centre of mass. */
static bool blade_point_to_rest(const body* b, lim_point world, int32_t piece, double reach,
                                lim_point* out) {
    lim_point at = node_to_local(&b->components[piece], body_metres(b), world);
    rest_map map;
    rest_place place;
    arena scratch;
    arena_init(&scratch, &b->host);
    bool ok = rest_map_make(&scratch, b, piece, p3_sub(at, p3(reach, reach, reach)),
                            p3_add(at, p3(reach, reach, reach)), &map) == LIM_OK &&
              map.count > 0 && rest_map_places(&map, &at, 1, &place) == LIM_OK;
    if (ok) {
        *out = place.at;
        ok = (double)place.outside <= reach;
    }
    arena_release(&scratch);
    return ok;
}

/* One sweep as a blade, of a body in one piece. */
static lim_result blade_to_rest(arena* a, const body* b, const blade_strip* strip, cut_blade* out,
                                const char** why) {
    const uint8_t in[1] = {1};
    blade_rows rows;
    *out = (cut_blade){0};
    int32_t columns = strip->tip != NULL && strip->back != NULL ? blade_columns(b, strip) : 2;
    LIM_TRY(blade_sweep(a, b, in, strip, columns, &rows, why));
    return blade_make(a, b->topology, &rows, out, why);
}

static void bend(toy* y, double much) {
    for (int32_t i = 0; i < y->t->slot_count; ++i) {
        if (y->t->slot_node[i] >= 0) {
            lim_point x0 = body_slot_rest(y->t, i), d = p3_sub(bent(x0, much), x0);
            y->b.d[0][i] = (float)d.x;
            y->b.d[1][i] = (float)d.y;
            y->b.d[2][i] = (float)d.z;
        }
    }
    body_refresh(&y->b, isa_best(), NULL);
}

/* The same with nodes that know how they are turned and stretched, as in a running scene: that
 * follows from steps, not from places alone. */
static void bend_wholly(toy* y, double much) {
    bend(y, much);
    for (int32_t i = 0; i < y->t->slot_count; ++i) {
        lim_point x0 = body_slot_rest(y->t, i);
        for (int k = 0; k < 3 && y->t->slot_node[i] >= 0; ++k) {
            lim_point e = p3(k == 0 ? 1e-4 : 0.0, k == 1 ? 1e-4 : 0.0, k == 2 ? 1e-4 : 0.0);
            lim_point d =
                p3_scale(p3_sub(bent(p3_add(x0, e), much), bent(p3_sub(x0, e), much)), 0.5e4);
            float* to = y->b.affine + 16 * (size_t)i + k;
            to[0] = (float)(d.x - (k == 0));
            to[3] = (float)(d.y - (k == 1));
            to[6] = (float)(d.z - (k == 2));
        }
    }
}

/* Where the skin's field takes rest points, by bindings over the whole body. */
static void field(const toy* y, const lim_vec3* rest, int32_t count, lim_point* out) {
    const topology* t = y->t;
    lim_host host = mem_host(NULL);
    arena a;
    arena_init(&a, &host);
    size_t n = (size_t)t->matter.count;
    float* column = ARENA_ARRAY(&a, float, 7 * n);
    for (size_t f = 0; f < n; ++f) {
        octant o = octant_of(t->matter.key[f]);
        lim_point cell =
            p3_mad(t->matter.corner, p3(o.x + 0.5, o.y + 0.5, o.z + 0.5), t->matter.side);
        lim_vec3 centre = v3_of(p3_sub(cell, t->rest_origin));
        lim_vec3 x0 = v3_of(p3_sub(t->matter.centroid[f], t->rest_origin));
        const float v[7] = {x0.x, x0.y, x0.z, centre.x, centre.y, centre.z, (float)t->matter.side};
        for (size_t k = 0; k < 7; ++k) {
            column[k * n + f] = v[k];
        }
    }
    bind_material material = {.count = (int32_t)n,
                              .x0 = {column, column + n, column + 2 * n},
                              .centre = {column + 3 * n, column + 4 * n, column + 5 * n},
                              .side = column + 6 * n,
                              .slot = t->fragment_slot};
    bind_nodes nodes = {.padded = t->slot_count,
                        .x0 = {t->x0[0], t->x0[1], t->x0[2]},
                        .centre = {t->centre[0], t->centre[1], t->centre[2]},
                        .side = t->side,
                        .slot_component = t->slot_component,
                        .g = topology_graph(t),
                        .material = &material};
    bindings bound;
    CHECK(bindings_build(&a, &a, &nodes, rest, NULL, count, NULL, &bound) == LIM_OK);
    node_state state = body_nodes(&y->b);
    for (int32_t i = 0; i < count; ++i) {
        lim_vec3 x = binding_position(&bound.bind[i], rest[i], &state);
        out[i] = node_to_world(&y->b.components[bound.component[i]], body_metres(&y->b), p3_of(x));
    }
    arena_release(&a);
}

enum { SAMPLES = 400 };

/* Places in cells of nodes. */
static void samples(const toy* y, lim_vec3* out) {
    random_stream r = random_seed(3);
    for (int32_t i = 0; i < SAMPLES; ++i) {
        int32_t s = y->t->node_slot[random_index(&r, y->t->node_count)];
        float side = y->t->side[s];
        out[i] = v3(y->t->centre[0][s] + side * random_range(&r, -0.5f, 0.5f),
                    y->t->centre[1][s] + side * random_range(&r, -0.5f, 0.5f),
                    y->t->centre[2][s] + side * random_range(&r, -0.5f, 0.5f));
    }
}

static void check_back(const toy* y, const char* what) {
    lim_vec3 rest[SAMPLES];
    lim_point world[SAMPLES];
    samples(y, rest);
    field(y, rest, SAMPLES, world);
    double most = 0.0;
    int32_t lost = 0;
    for (int32_t i = 0; i < SAMPLES; ++i) {
        lim_point back = p3(0, 0, 0);
        bool found = blade_point_to_rest(&y->b, world[i], 0, 0.1, &back);
        double off = p3_length(p3_sub(back, p3_of(rest[i]))) / (double)y->t->cell;
        lost += !found;
        most = fmax(most, off);
    }
    printf("     %-24s %5d nodes: off by at most %.2e of a cell\n", what, y->t->node_count, most);
    CHECK(lost == 0);
    CHECK(most < 1e-3);
}

static void places_come_back(void) {
    const dquat none = {0, 0, 0, 1}, turned = {0.5, -0.5, 0.5, 0.5};
    for (int k = 0; k < 3; ++k) {
        toy y = toy_bar(k == 1 ? 2000 : 300, k == 2 ? p3(10000, -20, 3000) : p3(0, 1, 0),
                        k == 0 ? none : turned, k == 2 ? 2.5f : 1.0f);
        bend(&y, 1.0);
        check_back(&y, "a bar, bent and twisted");
        bend_wholly(&y, 1.6);
        check_back(&y, "more, and it knows");
        body_destroy(&y.b);
    }
    lim_mesh* mesh = NULL;
    CHECK(model_mesh("creature", 4000, NULL, &mesh) == LIM_OK);
    toy y = toy_of(mesh, 1000, p3(0, 0, 0), none, 1.0f);
    bend(&y, 0.5);
    check_back(&y, "the creature, bent");
    body_destroy(&y.b);
}

/* At rest there is nothing to undo, in the material and far outside. */
static void at_rest_nothing_changes(void) {
    const dquat turned = {0.5, -0.5, 0.5, 0.5};
    toy y = toy_bar(300, p3(3, 1, 2), turned, 1.5f);
    random_stream r = random_seed(5);
    for (int i = 0; i < 300; ++i) {
        lim_point local = random_point(&r, 1.4), back = p3(9, 9, 9);
        lim_point world = node_to_world(&y.b.components[0], body_metres(&y.b), local);
        CHECK(blade_point_to_rest(&y.b, world, 0, 2.0, &back));
        CHECK_NEAR(p3_length(p3_sub(back, local)), 0.0, 1e-6);
    }
    body_destroy(&y.b);
}

/* About the material, as far as blades are kept, it goes on without a jump. */
static void outside_there_is_no_jump(void) {
    const dquat none = {0, 0, 0, 1};
    toy y = toy_bar(300, p3(0, 0, 0), none, 1.0f);
    bend_wholly(&y, 1.0);
    random_stream r = random_seed(8);
    double most = 0.0;
    for (int i = 0; i < 60; ++i) {
        int32_t slot = y.t->node_slot[random_index(&r, y.t->node_count)];
        lim_point from =
            p3_add(body_slot_local(&y.b, slot), random_point(&r, 3.0 * (double)y.t->cell));
        lim_point way = random_point(&r, 1.0), last = p3(0, 0, 0);
        way = p3_scale(way, 0.001 / (p3_length(way) + 1e-9));
        from = node_to_world(&y.b.components[0], body_metres(&y.b), from);
        for (int k = 0; k < 100; ++k) {
            lim_point back = p3(0, 0, 0);
            bool found = blade_point_to_rest(&y.b, p3_mad(from, way, k), 0, 3.0, &back);
            CHECK(found);
            double step = p3_length(p3_sub(back, last)) / 0.001;
            most = k > 0 && step > most ? step : most;
            last = back;
        }
    }
    printf("     steepest %.2f\n", most);
    CHECK(most < 8.0);
    body_destroy(&y.b);
}

/* ---- strips -------------------------------------------------------------------------------------
 */

enum { STATIONS = 12 };
typedef struct strip_room {
    lim_point tip[STATIONS], back[STATIONS];
} strip_room;

/* A plane strip through `centre`, along u, its blade along v. */
static blade_strip plane_strip(strip_room* s, lim_point centre, lim_point u, lim_point v) {
    for (int i = 0; i < STATIONS; ++i) {
        lim_point at = p3_mad(centre, u, 2.0 * i / (STATIONS - 1) - 1.0);
        s->tip[i] = p3_sub(at, v);
        s->back[i] = p3_add(at, v);
    }
    return (blade_strip){STATIONS, s->tip, s->back};
}

static void cut_lies_in_the_blade(const toy* y, lim_point centre, lim_point u, lim_point v) {
    strip_room room;
    blade_strip strip = plane_strip(&room, centre, u, v);
    lim_host host = mem_host(NULL);
    arena a;
    arena_init(&a, &host);
    cut_blade made;
    surface_cut s;
    const char* why = NULL;
    CHECK(blade_to_rest(&a, &y->b, &strip, &made, &why) == LIM_OK && why == NULL);
    CHECK(made.triangle_count > 0);
    for (int32_t i = 0; i < made.point_count; ++i) {
        CHECK(made.uv[2 * i] >= 0.0f && made.uv[2 * i + 1] >= 0.0f && made.uv[2 * i] < 6.0f);
    }
    CHECK(surface_cut_make(&a, y->t, &made, -1, 1, y->t->submesh_count, &s) == LIM_OK);
    CHECK(s.part_count == 2);
    int32_t count = s.change.new_points;
    lim_vec3* rest = malloc((size_t)count * sizeof(lim_vec3));
    lim_point *world = malloc((size_t)count * sizeof(lim_point)), n = p3_cross(u, v);
    for (int32_t i = 0; i < count; ++i) {
        rest[i] = v3_of(p3_sub(s.change.point[i], y->t->rest_origin));
    }
    field(y, rest, count, world);
    double most = 0.0, sum = 0.0, cell = (double)y->t->cell * body_metres(&y->b);
    for (int32_t i = 0; i < count; ++i) {
        double off = fabs(p3_dot(p3_sub(world[i], centre), n)) / p3_length(n) / cell;
        most = fmax(most, off);
        sum += off;
    }
    printf("     %d blade triangles, %d skin triangles cut, %d points: off by %.4f of a cell, mean "
           "%.4f\n",
           made.triangle_count, s.cut_triangles, count, most, sum / count);
    CHECK(most < 0.01);
    free(rest);
    free(world);
    arena_release(&a);
}

static void deformed_bars_are_cut_along_planes(void) {
    const dquat none = {0, 0, 0, 1}, turned = {0.5, -0.5, 0.5, 0.5};
    for (int k = 0; k < 2; ++k) {
        lim_point where = k == 0 ? p3(0, 1, 0) : p3(10000, -20, 3000);
        toy y = toy_bar(k == 0 ? 300 : 1500, where, k == 0 ? none : turned, k == 0 ? 1.0f : 2.5f);
        bend_wholly(&y, 0.5);
        const component* c = &y.b.components[0];
        double m = body_metres(&y.b);
        lim_point centre = node_to_world(c, m, p3(0.11, 0.02, 0.01));
        lim_point u = p3_scale(dquat_rotate(c->rotation, p3(0.1, 0.9, 0.1)), m);
        lim_point v = p3_scale(dquat_rotate(c->rotation, p3(0.15, 0.1, 0.8)), m);
        cut_lies_in_the_blade(&y, centre, u, v);
        body_destroy(&y.b);
    }
}

static lim_result refused(const toy* y, blade_strip strip, const char** why, cut_blade* made) {
    lim_host host = mem_host(NULL);
    arena a;
    arena_init(&a, &host);
    *why = NULL;
    lim_result result = blade_to_rest(&a, &y->b, &strip, made, why);
    CHECK((result == LIM_ERROR_ARGUMENT) == (*why != NULL));
    arena_release(&a);
    return result;
}

static void bad_strips_get_a_reason(void) {
    const dquat none = {0, 0, 0, 1};
    toy y = toy_bar(300, p3(0, 0, 0), none, 1.0f);
    lim_point centre = y.b.components[0].origin;
    strip_room room;
    blade_strip strip = plane_strip(&room, centre, p3(0, 0.5, 0), p3(0, 0, 0.5));
    cut_blade made;
    const char* why;
    CHECK(refused(&y, strip, &why, &made) == LIM_OK && made.triangle_count > 0);
    CHECK(refused(&y, (blade_strip){1, room.tip, room.back}, &why, &made) == LIM_ERROR_ARGUMENT);
    CHECK(refused(&y, (blade_strip){5, NULL, room.back}, &why, &made) == LIM_ERROR_ARGUMENT);
    /* far away */
    strip = plane_strip(&room, p3_add(centre, p3(7, 0, 0)), p3(0, 0.5, 0), p3(0, 0, 0.5));
    CHECK(refused(&y, strip, &why, &made) == LIM_OK && made.triangle_count == 0);
    /* sliding along itself */
    strip = plane_strip(&room, centre, p3(0, 0, 0.3), p3(0, 0, 0.5));
    CHECK(refused(&y, strip, &why, &made) == LIM_ERROR_ARGUMENT);
    strip = plane_strip(&room, centre, p3(0, 0, 0), p3(0, 0, 0.5));
    CHECK(refused(&y, strip, &why, &made) == LIM_ERROR_ARGUMENT);
    /* back again */
    strip = plane_strip(&room, centre, p3(0, 0.5, 0), p3(0, 0, 0.5));
    room.tip[STATIONS - 1] = room.tip[2];
    room.back[STATIONS - 1] = room.back[2];
    CHECK(refused(&y, strip, &why, &made) == LIM_ERROR_ARGUMENT);
    /* a way that crosses itself */
    strip = plane_strip(&room, centre, p3(0, 0.5, 0), p3(0, 0, 0.5));
    for (int i = 0; i < STATIONS; ++i) {
        double angle = -0.5 + 4.2 * i / (STATIONS - 1); /* an eight, through its middle twice */
        lim_point at = p3_add(centre, p3(0.3 * sin(angle), 0.15 * sin(2.0 * angle), 0.0));
        room.tip[i] = p3_add(at, p3(0, 0, -0.5));
        room.back[i] = p3_add(at, p3(0, 0, 0.5));
    }
    CHECK(refused(&y, strip, &why, &made) == LIM_ERROR_ARGUMENT);
    /* about its middle: tip and back go opposite ways */
    strip = plane_strip(&room, centre, p3(0, 0.5, 0), p3(0, 0, 0.5));
    for (int i = 0; i < STATIONS; ++i) {
        room.back[i].y = 2.0 * centre.y - room.tip[i].y;
    }
    CHECK(refused(&y, strip, &why, &made) == LIM_ERROR_ARGUMENT);
    CHECK(why != NULL && strstr(why, "for each side") != NULL);
    strip = plane_strip(&room, centre, p3(0, 0.5, 0), p3(0, 0, 0.5));
    room.tip[3].y = NAN;
    CHECK(refused(&y, strip, &why, &made) == LIM_ERROR_ARGUMENT);
    /* about its tip: a fan */
    strip = plane_strip(&room, centre, p3(0, 0.5, 0), p3(0, 0, 0.5));
    for (int i = 0; i < STATIONS; ++i) {
        room.tip[i] = p3_add(centre, p3(0, 0, -0.01));
    }
    CHECK(refused(&y, strip, &why, &made) == LIM_OK && made.triangle_count > 10);
    body_destroy(&y.b);
}

/* Many stations in line are as good as few. */
static void slow_strokes_have_no_slivers(void) {
    const dquat none = {0, 0, 0, 1};
    toy y = toy_bar(300, p3(0, 0, 0), none, 1.0f);
    lim_point centre = y.b.components[0].origin, tip[500], back[500];
    strip_room room;
    cut_blade few, many;
    const char* why;
    CHECK(refused(&y, plane_strip(&room, centre, p3(0, 0.3, 0), p3(0, 0, 0.3)), &why, &few) ==
          LIM_OK);
    for (int i = 0; i < 500; ++i) {
        lim_point at = p3_mad(centre, p3(0, 0.3, 0), 2.0 * i / 499.0 - 1.0);
        tip[i] = p3_sub(at, p3(0, 0, 0.3));
        back[i] = p3_add(at, p3(0, 0, 0.3));
    }
    CHECK(refused(&y, (blade_strip){500, tip, back}, &why, &many) == LIM_OK);
    CHECK(many.triangle_count > 0 && 2 * many.triangle_count < 3 * few.triangle_count);
    body_destroy(&y.b);
}

static void every_allocation_may_fail(void) {
    const dquat none = {0, 0, 0, 1};
    toy y = toy_bar(100, p3(0, 0, 0), none, 1.0f);
    bend(&y, 0.5);
    strip_room room;
    lim_host host = y.b.host;
    blade_strip strip = plane_strip(&room, y.b.components[0].origin, p3(0, 0.5, 0), p3(0, 0, 0.5));
    lim_result result = LIM_ERROR_MEMORY;
    int64_t n = 0;
    for (; result != LIM_OK && n < 10000; ++n) {
        failing_host f;
        failing_host_arm(&f, n);
        arena a;
        arena_init(&a, &f.host);
        y.b.host = f.host;
        cut_blade made;
        const char* why;
        result = blade_to_rest(&a, &y.b, &strip, &made, &why);
        CHECK(result == LIM_OK || result == LIM_ERROR_MEMORY);
        arena_release(&a);
        CHECK(f.held == 0);
    }
    CHECK(result == LIM_OK && n > 8);
    y.b.host = host;
    body_destroy(&y.b);
}

/* Rows of a flat blade that is bent back on itself in one place, as the way back to rest may do in
 * a body that is bent over: the blade is made, does not cross itself, and is where it was a few
 * cells off the fold. */
static void folds_are_smoothed(void) {
    enum { ROWS = 12, COLUMNS = 8 };
    toy y = toy_bar(150, p3(0, 0, 0), (dquat){0, 0, 0, 1}, 1.0f);
    double cell = (double)y.t->cell;
    for (int kind = 0; kind < 3; ++kind) {
        blade_place place[ROWS * COLUMNS];
        for (int i = 0; i < ROWS * COLUMNS; ++i) {
            int row = i / COLUMNS, column = i % COLUMNS;
            place[i] = (blade_place){p3(cell * row, cell * column, 0), 0.3f};
        }
        /* 0: as it is; 1: a place that leaps over two rows; 2: two rows that change places */
        if (kind == 1) {
            place[5 * COLUMNS + 3].at.x += 2.6 * cell;
            place[5 * COLUMNS + 3].at.z += 0.2 * cell;
        }
        for (int c = 2; c < 6 && kind == 2; ++c) {
            place[5 * COLUMNS + c].at = p3(6.3 * cell, cell * c, 0.1 * cell * c);
            place[6 * COLUMNS + c].at = p3(4.7 * cell, cell * c, 0.2 * cell * (c - 3));
        }
        arena a;
        arena_init(&a, NULL);
        blade_rows rows = {ROWS, COLUMNS, place};
        cut_blade made;
        const char* why = NULL;
        bool crosses = true;
        CHECK(blade_make(&a, y.t, &rows, &made, &why) == LIM_OK && why == NULL);
        CHECK(made.point_count == ROWS * COLUMNS);
        CHECK(made.triangle_count == 2 * (ROWS - 1) * (COLUMNS - 1));
        made.sound = false;
        CHECK(cut_blade_crosses(&made, &a.host, NULL, &crosses) == LIM_OK && !crosses);
        for (int i = 0; i < made.point_count; ++i) {
            double off = p3_length(p3_sub(made.point[i], place[i].at));
            bool far = i / COLUMNS < 2 || i / COLUMNS > 9;
            CHECK(kind == 0 || far ? off < 1e-12 : off < 3.0 * cell);
        }
        arena_release(&a);
    }
    body_destroy(&y.b);
}

TEST_SUITE(blade) {
    TEST_BEGIN(argc, argv);
    RUN(at_rest_nothing_changes);
    RUN(places_come_back);
    RUN(outside_there_is_no_jump);
    RUN(deformed_bars_are_cut_along_planes);
    RUN(bad_strips_get_a_reason);
    RUN(slow_strokes_have_no_slivers);
    RUN(every_allocation_may_fail);
    RUN(folds_are_smoothed);
    TEST_END();
}
