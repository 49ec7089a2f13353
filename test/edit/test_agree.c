/* SPDX-License-Identifier: MIT
 * Skin and material after cuts: as many components as parts of the skin, every point on a fragment
 * of its own part, nothing lost. Strokes at random, slices thinner than a sub-voxel, hinges.
 */
#include "edit/agree_work.h"
#include "edit/skin_kit.h"
#include "failing_host.h"
#include "kind_rows.h"
#include "sample/matter_links.h"

#include <string.h>

typedef struct tally {
    int32_t strokes, cut, parted, glued, fragments, most_parts;
} tally;

/* Components by a flood of its own. */
static int32_t flood(const matter* m) {
    int32_t *queue = calloc((size_t)m->count + 1, sizeof(int32_t)), found = 0, count = 0;
    uint8_t* seen = calloc((size_t)m->count + 1, 1);
    for (int32_t seed = 0; seed < m->count; ++seed) {
        if (seen[seed]) {
            continue;
        }
        count++;
        seen[seed] = 1;
        int32_t head = found;
        for (queue[found++] = seed; head < found; ++head) {
            for (int32_t e = m->edge_offset[queue[head]]; e < m->edge_offset[queue[head] + 1];
                 ++e) {
                if (!seen[m->edge_node[e]]) {
                    seen[m->edge_node[e]] = 1;
                    queue[found++] = m->edge_node[e];
                }
            }
        }
    }
    free(queue);
    free(seen);
    return count;
}

static double sum_of(const matter* m) {
    double sum = 0.0;
    for (int32_t i = 0; i < m->count; ++i) {
        sum += m->volume[i];
    }
    return sum;
}

/* What fragment each bound point lies on after it: told, or the one it was on, which is whole. */
static int32_t* homes_after(arena* a, const topology* t, const surface_cut* s,
                            const matter_change* c, const int32_t* home) {
    int32_t old = t->point_count - 1, skin = old + s->change.new_points;
    int32_t felt = t->bind.count - t->point_count, all = skin + s->change.felt_points;
    int32_t* out = ARENA_ARRAY(a, int32_t, all + 1);
    int32_t* whole = ARENA_ARRAY(a, int32_t, t->matter.count);
    for (int32_t i = 0; i < c->after.count; ++i) {
        CHECK(c->source[i] >= 0 && c->source[i] < t->matter.count);
        CHECK((c->after.mask[i] & ~t->matter.mask[c->source[i]]) == 0);
        if (c->after.mask[i] == t->matter.mask[c->source[i]]) {
            whole[c->source[i]] = i + 1;
        }
    }
    for (int32_t i = 0; i < all; ++i) {
        int32_t before = i < old                        ? t->point_home[i]
                         : i >= skin && i - skin < felt ? t->point_home[t->point_count + i - skin]
                                                        : -1;
        int32_t now = home[i] >= 0 ? home[i] : before >= 0 ? whole[before] - 1 : -1;
        CHECK(now >= 0 && now < c->after.count);
        out[i < skin ? i : i + 1] = now >= 0 ? now : 0;
    }
    return out;
}

/* Which parts enclose something: a slit wholly inside is a part of the skin too, of no volume. */
static int32_t find_solid(const topology* t, const surface_cut* s, uint8_t* whole_part) {
    double* volume = calloc((size_t)s->part_count + 1, sizeof(double));
    int32_t count = 0, old = t->point_count - 1;
    for (int32_t i = 0; i < s->change.triangle_count; ++i) {
        lim_point p[3];
        int32_t part = -1;
        for (int k = 0; k < 3; ++k) {
            uint32_t v = s->change.indices[3 * i + k], first = (uint32_t)t->vertex_count;
            int32_t at = v < first ? t->vertex_point[v] : s->change.vertex_point[v - first];
            p[k] = at < old ? t->skin_point[at] : s->change.point[at - old];
            part = s->point_part[at];
        }
        volume[part] += p3_dot(p[0], p3_cross(p[1], p[2])) / 6.0;
    }
    for (int32_t i = 0; i < s->part_count; ++i) {
        whole_part[i] = volume[i] > 1e-12;
        count += whole_part[i];
    }
    free(volume);
    return count;
}

static void check(const topology* t, const surface_cut* s, const matter_change* c,
                  const int32_t* now, bool one_to_one) {
    const matter* m = &c->after;
    int32_t skin = t->point_count - 1 + s->change.new_points;
    CHECK(matter_is_valid(m));
    CHECK(flood(m) == m->component_count);
    CHECK_NEAR(sum_of(m) / sum_of(&t->matter), 1.0, 1e-12);
    if (!one_to_one) {
        return;
    }
    uint8_t* whole_part = calloc((size_t)s->part_count + 1, 1);
    CHECK(m->component_count == find_solid(t, s, whole_part));
    int32_t* of = calloc((size_t)s->part_count + 1, sizeof(int32_t));
    for (int32_t i = 0; i < skin; ++i) {
        if (s->point_part[i] >= 0) {
            int32_t* first = &of[s->point_part[i]];
            *first = *first == 0 ? m->component[now[i]] + 1 : *first;
            CHECK(*first == m->component[now[i]] + 1);
        }
    }
    for (int32_t i = 0; i < s->part_count; ++i) {
        for (int32_t k = 0; k < i; ++k) {
            CHECK((of[i] != of[k] || !whole_part[i] || !whole_part[k]) && of[i] > 0);
        }
    }
    free(of);
    free(whole_part);
}

/* Is all of a fragment hidden from a place by the blade? Every triangle is asked about every
 * sub-voxel. */
static bool slow_hidden(const grid_blade* hides, const matter* m, lim_point from,
                        int32_t fragment) {
    octant o = octant_of(m->key[fragment]);
    for (uint64_t left = m->mask[fragment]; left != 0; left &= left - 1) {
        int bit = mask_lowest(left);
        lim_point to = p3(4 * o.x + (bit & 3), 4 * o.y + (bit >> 2 & 3), 4 * o.z + (bit >> 4));
        if (!grid_segment_is_cut(hides, from, to)) {
            return false;
        }
    }
    return true;
}

/* Which points keep their home: those of what was cut whose fragment is whole, with all its edges,
 * and not hidden where the blade is near. */
static void check_keeping(const topology* t, const surface_cut* s, int32_t piece,
                          matter_change* c) {
    agree_work w = {.t = t,
                    .skin = s,
                    .component = piece,
                    .change = c,
                    .part = s->point_part,
                    .part_count = s->part_count,
                    .old_skin = t->point_count - 1};
    const matter* m = &c->after;
    grid_blade hides;
    int32_t wrong = 0, felt = t->bind.count - t->point_count;
    w.skin_points = w.old_skin + s->change.new_points;
    w.points = w.skin_points + s->change.felt_points;
    arena_init(&w.mem, NULL);
    w.a = &w.mem;
    w.home = ARENA_ARRAY(&w.mem, int32_t, w.points);
    w.renew = ARENA_ARRAY(&w.mem, uint8_t, w.points);
    CHECK(grid_blade_make(&w.mem, m, &s->blade, &hides) == LIM_OK);
    CHECK(agree_homes(&w) == LIM_OK);
    for (int32_t i = 0; i < w.points; ++i) {
        int32_t at = i < w.old_skin ? i
                     : i >= w.skin_points && i - w.skin_points < felt
                         ? i - w.skin_points + t->point_count
                         : -1;
        int32_t old = t->point_home != NULL && at >= 0 ? t->point_home[at] : -1, now = -1;
        for (int32_t k = 0; k < m->count && old >= 0; ++k) {
            now = c->source[k] == old && m->mask[k] == t->matter.mask[old] ? k : now;
        }
        bool near = v3_dot(s->normal[i], s->normal[i]) > 0.0f && old >= 0 &&
                    (piece < 0 || t->matter.component[old] == piece);
        lim_point from = grid_round(grid_place(m, agree_place(&w, i)));
        bool keeps = now >= 0 && !c->touched[now] && !(near && slow_hidden(&hides, m, from, now));
        wrong += w.renew[i] != !keeps || (keeps && w.home[i] != now);
    }
    CHECK(wrong == 0);
    arena_release(&w.mem);
}

/* One stroke; `now` becomes what it leaves. */
static bool stroke(arena* keep, topology* now, const cut_blade* view, uint64_t number,
                   bool one_to_one, tally* sum) {
    surface_cut s;
    matter_change c;
    int32_t* home = NULL;
    lim_result result =
        surface_cut_make(keep, now, view, -1, number, now->submesh_count > 1 ? 1 : 0, &s);
    sum->strokes++;
    if (result != LIM_OK || s.cut_triangles + s.inner_triangles == 0) {
        return false;
    }
    CHECK(matter_cut(keep, &now->matter, &s.blade, -1, &c) == LIM_OK);
    check_keeping(now, &s, -1, &c);
    if (now->matter.component_count > 1) { /* of one component, and skin of all */
        matter_change one;
        CHECK(matter_cut(keep, &now->matter, &s.blade, 0, &one) == LIM_OK);
        check_keeping(now, &s, 0, &one);
    }
    CHECK(edit_agree(keep, now, &s, -1, &c, &home) == LIM_OK);
    int32_t* homes = homes_after(keep, now, &s, &c, home);
    check(now, &s, &c, homes, one_to_one);
    sum->cut++;
    sum->parted += c.after.component_count > now->matter.component_count;
    sum->glued += c.after.glued_edges;
    sum->fragments += c.new_fragments;
    sum->most_parts = s.part_count > sum->most_parts ? s.part_count : sum->most_parts;
    *now = kit_after(keep, now, &s.change);
    now->matter = c.after;
    now->point_home = homes;
    return true;
}

static void strokes_on(shape* from, int32_t nodes, int strokes, uint64_t seed, tally* sum) {
    lim_mesh* mesh = shape_mesh(from);
    topology* t = kit_topology(mesh, nodes);
    random_stream r = random_seed(seed);
    arena keep;
    arena_init(&keep, NULL);
    topology now = *t;
    CHECK(t->matter.component_count == 1);
    for (int k = 0; k < strokes; ++k) {
        blade b = random_stroke(&r);
        cut_blade view = blade_view(&b);
        stroke(&keep, &now, &view, seed + (uint64_t)k, true, sum);
    }
    arena_release(&keep);
    topology_release(t);
    lim_mesh_destroy(mesh);
}

static void random_strokes_agree(void) {
    tally sum = {0};
    shape s = {0};
    for (uint64_t seed = 0; seed < (test_long ? 40 : 6); ++seed) {
        shape_sphere(&s, 0, 0, 0, 1, 12);
        strokes_on(&s, 200 + 100 * (int32_t)(seed % 4), 6, 100 + seed, &sum);
        shape_torus(&s, 1.0, 0.3, 40, 16);
        strokes_on(&s, 300, 6, 200 + seed, &sum);
        shape_box(&s, 0, 0, 0, 8, 3, 5);
        strokes_on(&s, 60 + 200 * (int32_t)(seed % 3), 6, 300 + seed, &sum);
    }
    if (!test_long) { /* a sliver of 8e-11 between two cuts that had no material */
        shape_box(&s, 0, 0, 0, 8, 3, 5);
        strokes_on(&s, 60, 6, 327, &sum);
    }
    printf("     %d strokes, %d cut, %d parted, %d glued edges, %d new fragments, %d parts\n",
           sum.strokes, sum.cut, sum.parted, sum.glued, sum.fragments, sum.most_parts);
    CHECK(sum.cut > sum.strokes / 2 && sum.parted > 10);
}

/* Slices off a box, thinner and thinner. */
static void slivers_get_material(void) {
    tally sum = {0};
    for (int k = 0; k < 12; ++k) {
        shape s = {0};
        shape_box(&s, 0, 0, 0, 8, 6, 4);
        lim_mesh* mesh = shape_mesh(&s);
        topology* t = kit_topology(mesh, 400);
        arena keep;
        arena_init(&keep, NULL);
        topology now = *t;
        double off = t->matter.sub * (k < 6 ? 0.05 + 0.3 * k : 0.02 * (k - 5));
        double top = 0.0;
        for (int32_t i = 0; i + 1 < t->point_count; ++i) {
            top = t->skin_point[i].z > top ? t->skin_point[i].z : top;
        }
        double tilt = k % 2 == 0 ? 0.0 : 0.3 * off;
        blade b =
            blade_quad(p3(-0.8, -0.8, top - off - tilt), p3(1.6, 0, 2.0 * tilt), p3(0, 1.6, 0));
        cut_blade view = blade_view(&b);
        CHECK(stroke(&keep, &now, &view, 1, true, &sum));
        CHECK(now.matter.component_count == 2);
        arena_release(&keep);
        topology_release(t);
        lim_mesh_destroy(mesh);
    }
}

/* A box of 8 x 6 x 4 whose faces are n x n quads. */
static void fine_box(shape* s, int32_t n) {
    const double size[3] = {8, 6, 4};
    for (int face = 0; face < 6; ++face) {
        int axis = face / 2, u = (axis + 1 + face % 2) % 3, v = (axis + 2 - face % 2) % 3;
        uint32_t first = (uint32_t)s->vertices;
        for (int32_t i = 0; i <= n; ++i) {
            for (int32_t k = 0; k <= n; ++k) {
                double p[3];
                p[axis] = face % 2 == 0 ? size[axis] : 0.0;
                p[u] = size[u] * i / n;
                p[v] = size[v] * k / n;
                shape_vertex(s, p[0], p[1], p[2]);
            }
        }
        for (int32_t i = 0; i < n * n; ++i) {
            uint32_t a = first + (uint32_t)(i / n * (n + 1) + i % n), b = a + (uint32_t)n + 1;
            shape_triangle(s, a, b, b + 1);
            shape_triangle(s, a, b + 1, a + 1);
        }
    }
}

/* A rectangle that comes in from -x below the top of the box, and rises to an end inside it. */
typedef struct ramp {
    double end, top, slope; /* z = top + slope (x - end), x <= end */
} ramp;

static bool ramp_hides(const ramp* r, lim_point p, lim_point q) {
    double a = p.z - r->top - r->slope * (p.x - r->end);
    double b = q.z - r->top - r->slope * (q.x - r->end);
    return (a > 0.0) != (b > 0.0) && p.x + (q.x - p.x) * a / (a - b) < r->end;
}

static lim_point voxel_place(const matter* m, int32_t fragment, int bit) {
    octant o = octant_of(m->key[fragment]);
    lim_point at = p3(4 * o.x + (bit & 3), 4 * o.y + (bit >> 2 & 3), 4 * o.z + (bit >> 4));
    return p3_mad(m->corner, p3_add(at, p3(0.5, 0.5, 0.5)), m->sub);
}

/* Whether a point sees a sub-voxel of a fragment. */
static bool sees_some(const ramp* r, const matter* m, lim_point from, int32_t fragment) {
    for (uint64_t left = m->mask[fragment]; left != 0; left &= left - 1) {
        if (!ramp_hides(r, from, voxel_place(m, fragment, mask_lowest(left)))) {
            return true;
        }
    }
    return false;
}

/* How far the highest sub-voxels lie below a height. */
static double gap_below(const matter* m, double top) {
    double gap = HUGE_VAL;
    for (int32_t i = 0; i < m->count; ++i) {
        for (uint64_t left = m->mask[i]; left != 0; left &= left - 1) {
            gap = fmin(gap, top - voxel_place(m, i, mask_lowest(left)).z);
        }
    }
    return gap;
}

/* Slits that end so near below the skin that no sub-voxel is above them for some way, and fragments
 * there are as they were: points of the skin above lie on what they see past the slit. */
static void points_leave_what_a_slit_hides(lim_kind kind) {
    shape s = {0};
    fine_box(&s, 32);
    lim_mesh* mesh = shape_mesh(&s);
    lim_model_desc desc = lim_model_desc_default();
    lim_host host = mem_host(NULL);
    topology* t = NULL;
    desc.kind = kind;
    desc.node_count = 100;
    CHECK(topology_build(mesh, &desc, &host, &t) == LIM_OK);
    double top = 0.0, sub = t->matter.sub;
    for (int32_t i = 0; i + 1 < t->point_count; ++i) {
        top = t->skin_point[i].z > top ? t->skin_point[i].z : top;
    }
    double gap = gap_below(&t->matter, top);
    CHECK(gap > 0.1 * sub);
    int32_t above = 0, left = 0, hidden = 0;
    for (int k = 0; k < 6; ++k) {
        ramp r = {0.1 + 0.7 * sub * k, top - 0.1 * gap, gap / (sub * (4.5 + 1.5 * (k % 3)))};
        double down = (r.end + 0.8) * r.slope;
        blade b = blade_quad(p3(-0.8, -0.8, r.top - down), p3(r.end + 0.8, 0, down), p3(0, 1.6, 0));
        cut_blade view = blade_view(&b);
        arena keep;
        arena_init(&keep, NULL);
        topology now = *t;
        tally sum = {0};
        CHECK(stroke(&keep, &now, &view, 1, true, &sum));
        for (int32_t i = 0; i + 1 < t->point_count; ++i) {
            lim_point p = t->skin_point[i];
            if (p.z > top - 1e-6 && p.x < r.end) {
                above++;
                left += !sees_some(&r, &t->matter, p, t->point_home[i]);
                hidden += !sees_some(&r, &now.matter, p, now.point_home[i]);
            }
        }
        arena_release(&keep);
    }
    printf("     of %d points above slits %d lay on what is hidden, %d do\n", above, left, hidden);
    CHECK(left > 50 && hidden == 0);
    topology_release(t);
    lim_mesh_destroy(mesh);
}

static void slits_hide_material(void) {
    for (int k = 0; (k = kind_edited(k)) >= 0; ++k) {
        points_leave_what_a_slit_hides(kind_id(k));
    }
}

/* Cuts that leave a bridge thinner than a sub-voxel: one part still. */
static void hinges_hold(void) {
    tally sum = {0};
    for (int k = 0; k < 12; ++k) {
        shape s = {0};
        shape_box(&s, 0, 0, 0, 8, 6, 4);
        lim_mesh* mesh = shape_mesh(&s);
        topology* t = kit_topology(mesh, 400);
        arena keep;
        arena_init(&keep, NULL);
        topology now = *t;
        double low = 0.0;
        for (int32_t i = 0; i + 1 < t->point_count; ++i) {
            low = t->skin_point[i].z < low ? t->skin_point[i].z : low;
        }
        double left = t->matter.sub * (0.03 + 0.13 * k);
        blade b = blade_quad(p3(0.013 * k, -0.8, low + left), p3(0.01, 1.6, 0), p3(0, 0, 1.6));
        cut_blade view = blade_view(&b);
        CHECK(stroke(&keep, &now, &view, 1, true, &sum));
        CHECK(now.matter.component_count == 1);
        arena_release(&keep);
        topology_release(t);
        lim_mesh_destroy(mesh);
    }
    CHECK(sum.glued > 0);
}

/* A hollow box has two skins and one component, before and after. */
static void hollow_things_stay_one(void) {
    tally sum = {0};
    shape s = {0};
    shape_box(&s, 0, 0, 0, 8, 8, 8);
    int32_t outer = s.triangles;
    shape_box(&s, 2.5, 2.5, 2.5, 5.5, 5.5, 5.5);
    shape_flip(&s, outer, s.triangles);
    lim_mesh* mesh = shape_mesh(&s);
    topology* t = kit_topology(mesh, 600);
    arena keep;
    arena_init(&keep, NULL);
    topology now = *t;
    CHECK(t->matter.component_count == 1);
    /* A corner off, then through the middle. */
    blade b = blade_quad(p3(0.35, -0.8, -0.8), p3(0, 1.6, 0), p3(0, 0, 1.6));
    cut_blade view = blade_view(&b);
    CHECK(stroke(&keep, &now, &view, 1, false, &sum));
    CHECK(now.matter.component_count == 2);
    b = blade_quad(p3(0.013, -0.8, -0.8), p3(0, 1.6, 0), p3(0, 0, 1.6));
    CHECK(stroke(&keep, &now, &view, 2, false, &sum));
    CHECK(now.matter.component_count == 3);
    arena_release(&keep);
    topology_release(t);
    lim_mesh_destroy(mesh);
}

static void every_failed_allocation_is_survived(void) {
    shape s = {0};
    shape_box(&s, 0, 0, 0, 8, 6, 4);
    lim_mesh* mesh = shape_mesh(&s);
    topology* t = kit_topology(mesh, 300);
    for (int kind = 0; kind < 2; ++kind) {
        arena keep;
        arena_init(&keep, NULL);
        double top = 0.25;
        blade b = kind == 0 ? blade_quad(p3(-0.8, -0.8, top - 0.1 * t->matter.sub), p3(1.6, 0, 0),
                                         p3(0, 1.6, 0))
                            : blade_quad(p3(0.01, -0.8, -top + 0.05 * t->matter.sub),
                                         p3(0.01, 1.6, 0), p3(0, 0, 1.6));
        cut_blade view = blade_view(&b);
        surface_cut cut;
        matter_change c;
        CHECK(surface_cut_make(&keep, t, &view, -1, 1, 0, &cut) == LIM_OK && cut.cut_triangles > 0);
        CHECK(matter_cut(&keep, &t->matter, &cut.blade, -1, &c) == LIM_OK);
        bool finished = false;
        for (int64_t n = 0; !finished && n < 2000; ++n) {
            failing_host f;
            failing_host_arm(&f, n);
            arena a;
            arena_init(&a, &f.host);
            matter_change mended = c;
            int32_t* home = NULL;
            lim_result result = edit_agree(&a, t, &cut, -1, &mended, &home);
            finished = result == LIM_OK;
            CHECK(finished || (result == LIM_ERROR_MEMORY && home == NULL &&
                               mended.after.edge_node == c.after.edge_node));
            arena_release(&a);
            CHECK(f.held == 0);
        }
        CHECK(finished);
        arena_release(&keep);
    }
    topology_release(t);
    lim_mesh_destroy(mesh);
}

/* The triangles near a blade against all of them: near is what has a normal, or a home to tell. */
static void check_near(const agree_work* w) {
    const surface_change* s = &w->skin->change;
    int32_t count = 0, wrong = 0;
    for (int32_t i = 0; i < s->triangle_count; ++i) {
        int32_t p[3];
        bool near = false;
        for (int k = 0; k < 3; ++k) {
            p[k] = agree_vertex_point(w, s->indices[3 * i + k]);
            lim_vec3 n = w->skin->normal[p[k]];
            near = near || w->renew[p[k]] || v3_dot(n, n) > 0.0f;
        }
        if (near) {
            wrong += count >= w->near_count || memcmp(w->near + 3 * count, p, sizeof p) != 0;
            count++;
        }
    }
    CHECK(count == w->near_count && wrong == 0);
    CHECK(count > 0 && count < s->triangle_count);
}

static void triangles_near_are_listed(void) {
    shape from = {0};
    shape_sphere(&from, 0, 0, 0, 1, 16);
    lim_mesh* mesh = shape_mesh(&from);
    topology* t = kit_topology(mesh, 800);
    random_stream r = random_seed(5);
    for (int k = 0; k < 6; ++k) {
        arena a;
        arena_init(&a, NULL);
        blade b = random_stroke(&r);
        cut_blade view = blade_view(&b);
        surface_cut skin;
        if (surface_cut_make(&a, t, &view, -1, 1, 0, &skin) == LIM_OK && skin.cut_triangles > 0) {
            agree_work w = {.t = t, .skin = &skin, .old_skin = t->point_count - 1};
            w.skin_points = w.points = w.old_skin + skin.change.new_points;
            arena_init(&w.mem, NULL);
            w.renew = ARENA_ARRAY(&w.mem, uint8_t, w.points);
            for (int more = 0; more < 3; ++more) {
                CHECK(agree_list_near(&w) == LIM_OK);
                check_near(&w);
                const int32_t* list = w.near;
                CHECK(agree_list_near(&w) == LIM_OK && w.near == list);
                for (int i = 0; i < 5; ++i) {
                    w.renew[random_index(&r, w.points)] = 1;
                }
            }
            arena_release(&w.mem);
        }
        arena_release(&a);
    }
    topology_release(t);
    lim_mesh_destroy(mesh);
}

TEST_SUITE(agree) {
    TEST_BEGIN(argc, argv);
    RUN(random_strokes_agree);
    RUN(slivers_get_material);
    RUN(slits_hide_material);
    RUN(hinges_hold);
    RUN(hollow_things_stay_one);
    RUN(every_failed_allocation_is_survived);
    RUN(triangles_near_are_listed);
    TEST_END();
}
