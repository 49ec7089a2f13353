/* SPDX-License-Identifier: MIT
 * Job: a shell from triangles. In: positions, triangles, material. Out: stretches and hinges at
 * rest, the pattern of the matrix, and room for the solver.
 */
#include "shell/shell_parts.h"

#include "base/log.h"
#include "base/sort.h"
#include "math/trig.h"
#include "shell/hinge.h"

#include <string.h>

shell_desc shell_desc_default(void) {
    return (shell_desc){
        .thickness = 1e-3, .youngs_modulus = 1e6, .poisson_ratio = 0.3, .seam_angle = 2.8};
}

static lim_result check_desc(const shell_desc* d, const lim_host* host) {
    if (d->vertex_count < 3 || d->triangle_count < 1 || d->rest == NULL || d->triangles == NULL) {
        return log_fail(host, LIM_ERROR_ARGUMENT, "shell_create: no surface; give triangles");
    }
    if (d->triangle_count > INT32_MAX / 64 || d->vertex_count > INT32_MAX / 64) {
        return log_fail(host, LIM_ERROR_TOO_LARGE, "shell_create: more than 33 million triangles");
    }
    if (!(d->thickness > 0.0 && d->youngs_modulus > 0.0 && fabs(d->poisson_ratio) <= 0.99 &&
          d->seam_angle > 0.0 && isfinite(d->thickness) && isfinite(d->youngs_modulus))) {
        return log_fail(host, LIM_ERROR_ARGUMENT,
                        "shell_create: thickness, Young's modulus and seam angle must be above 0, "
                        "Poisson's ratio within 0.99");
    }
    for (int32_t i = 0; i < d->vertex_count; ++i) {
        if (!p3_finite(d->rest[i])) {
            return log_fail(host, LIM_ERROR_ARGUMENT, "shell_create: vertex %d is not finite", i);
        }
    }
    for (int32_t t = 0; t < d->triangle_count; ++t) {
        const int32_t* v = d->triangles + 3 * (size_t)t;
        bool known = true;
        for (int k = 0; k < 3; ++k) {
            known = known && v[k] >= 0 && v[k] < d->vertex_count && v[k] != v[(k + 1) % 3];
        }
        if (!known) {
            return log_fail(host, LIM_ERROR_ARGUMENT,
                            "shell_create: triangle %d names a vertex twice or one that is not "
                            "there",
                            t);
        }
    }
    return LIM_OK;
}

/* Corner 3t + k begins the edge to the next corner of triangle t. Sorted by the edge's ends. */
static lim_result sort_edges(const shell* s, arena* scratch, sort_item** out) {
    int32_t count = 3 * s->triangle_count;
    sort_item* items = ARENA_ARRAY(scratch, sort_item, count);
    sort_item* spare = ARENA_ARRAY(scratch, sort_item, count);
    LIM_TRY_MEMORY(items);
    LIM_TRY_MEMORY(spare);
    for (int32_t i = 0; i < count; ++i) {
        uint32_t a = (uint32_t)s->triangle[i];
        uint32_t b = (uint32_t)s->triangle[i % 3 == 2 ? i - 2 : i + 1];
        items[i] =
            (sort_item){.key = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a, .value = i};
    }
    sort_items(items, spare, count);
    *out = items;
    return LIM_OK;
}

static int32_t far_corner(int32_t i) {
    return i % 3 == 0 ? i + 2 : i - 1;
}

/* One hinge from two corners that begin the same edge; false when it is a seam or has no triangles
 * to turn. */
static bool make_hinge(const shell* s, const shell_desc* d, int32_t i, int32_t j, shell_hinge* h) {
    *h = (shell_hinge){.corner = {s->triangle[i], s->triangle[i % 3 == 2 ? i - 2 : i + 1],
                                  s->triangle[far_corner(i)], s->triangle[far_corner(j)]}};
    lim_point corner[4], gradient[4];
    for (int k = 0; k < 4; ++k) {
        corner[k] = d->rest[h->corner[k]];
    }
    double volume = s->sheet[i / 3].volume + s->sheet[j / 3].volume, t = d->thickness;
    bool there = s->sheet[i / 3].volume > 0.0 && s->sheet[j / 3].volume > 0.0 &&
                 hinge_angle(corner, &h->angle, gradient);
    if (!there || fabs(h->angle) > d->seam_angle) {
        return false;
    }
    lim_point e = p3_sub(corner[1], corner[0]);
    double bending =
        d->youngs_modulus * t * t * t / (12.0 * (1.0 - d->poisson_ratio * d->poisson_ratio));
    h->stiffness = bending * p3_dot(e, e) * t / volume;
    return true;
}

static lim_result make_hinges(shell* s, const shell_desc* d, arena* scratch, const lim_host* host) {
    sort_item* edge;
    int32_t count = 3 * s->triangle_count, edges = 0;
    double lengths = 0.0;
    LIM_TRY(sort_edges(s, scratch, &edge));
    s->hinge = ARENA_ARRAY(&s->mem, shell_hinge, count / 2);
    LIM_TRY_MEMORY(s->hinge);
    s->closed = true;
    for (int32_t at = 0; at < count;) {
        int32_t end = at + 1, i = edge[at].value;
        while (end < count && edge[end].key == edge[at].key) {
            ++end;
        }
        int32_t j = end - at == 2 ? edge[at + 1].value : i;
        if (end - at > 2 || (j != i && s->triangle[i] == s->triangle[j])) {
            return log_fail(host, LIM_ERROR_ARGUMENT,
                            "shell_create: triangles %d and %d meet at an edge with others or turn "
                            "unlike; a shell has one triangle on either side of an edge",
                            i / 3, edge[at + 1].value / 3);
        }
        if (j == i) {
            s->closed = false;
        } else if (make_hinge(s, d, i, j, &s->hinge[s->hinge_count])) {
            s->hinge_count++;
        }
        const lim_point a = d->rest[s->triangle[i]];
        lengths += p3_length(p3_sub(d->rest[s->triangle[i % 3 == 2 ? i - 2 : i + 1]], a));
        edges++;
        at = end;
    }
    s->edge_length = lengths / edges;
    return LIM_OK;
}

static void put_blocks(const block_matrix* m, const int32_t* corner, int corners, int32_t* block) {
    for (int p = 0; p < corners; ++p) {
        for (int q = 0; q <= p; ++q) {
            *block++ = block_matrix_find(m, corner[p], corner[q]);
        }
    }
}

static lim_result make_matrix(shell* s, arena* scratch) {
    int64_t count = 3 * (int64_t)s->triangle_count + s->hinge_count, at = 0;
    int32_t* pairs = ARENA_ARRAY(scratch, int32_t, 2 * count);
    LIM_TRY_MEMORY(pairs);
    for (int32_t i = 0; i < 3 * s->triangle_count; ++i) {
        pairs[at++] = s->triangle[i];
        pairs[at++] = s->triangle[i % 3 == 2 ? i - 2 : i + 1];
    }
    for (int32_t i = 0; i < s->hinge_count; ++i) { /* its other pairs are edges of triangles */
        pairs[at++] = s->hinge[i].corner[2];
        pairs[at++] = s->hinge[i].corner[3];
    }
    LIM_TRY(block_matrix_create(&s->mem, scratch, s->vertex_count, pairs, count, &s->matrix));
    s->factor = s->matrix;
    size_t blocks = (size_t)s->matrix.start[s->vertex_count];
    s->factor.value = ARENA_ARRAY(&s->mem, double, 9 * blocks);
    s->triangle_block = ARENA_ARRAY(&s->mem, int32_t, (size_t)s->triangle_count * TRIANGLE_BLOCKS);
    s->hinge_block = ARENA_ARRAY(&s->mem, int32_t, (size_t)s->hinge_count * HINGE_BLOCKS);
    LIM_TRY_MEMORY(s->factor.value);
    LIM_TRY_MEMORY(s->triangle_block);
    LIM_TRY_MEMORY(s->hinge_block);
    for (int32_t t = 0; t < s->triangle_count; ++t) {
        put_blocks(&s->matrix, s->triangle + 3 * (size_t)t, 3,
                   s->triangle_block + (size_t)t * TRIANGLE_BLOCKS);
    }
    for (int32_t i = 0; i < s->hinge_count; ++i) {
        put_blocks(&s->matrix, s->hinge[i].corner, 4, s->hinge_block + (size_t)i * HINGE_BLOCKS);
    }
    return LIM_OK;
}

static lim_result make_room(shell* s) {
    lim_point** const array[] = {&s->gradient,      &s->step,      &s->trial,    &s->swell,
                                 &s->from,          &s->goal,      &s->work.way, &s->work.z,
                                 &s->work.residual, &s->work.image};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i) {
        *array[i] = ARENA_ARRAY(&s->mem, lim_point, s->vertex_count);
        LIM_TRY_MEMORY(*array[i]);
    }
    s->held = ARENA_ARRAY(&s->mem, uint8_t, s->vertex_count);
    LIM_TRY_MEMORY(s->held);
    return LIM_OK;
}

static lim_result fill_shell(shell* s, const shell_desc* d, arena* scratch, const lim_host* host) {
    size_t triangles = (size_t)d->triangle_count;
    s->vertex_count = d->vertex_count;
    s->triangle_count = d->triangle_count;
    s->material = membrane_material_of(d->youngs_modulus, d->poisson_ratio);
    s->stiffness = d->youngs_modulus * d->thickness;
    s->triangle = ARENA_ARRAY(&s->mem, int32_t, 3 * triangles);
    s->sheet = ARENA_ARRAY(&s->mem, membrane_rest, triangles);
    s->thinned = ARENA_ARRAY(&s->mem, membrane_rest, triangles);
    LIM_TRY_MEMORY(s->triangle);
    LIM_TRY_MEMORY(s->sheet);
    LIM_TRY_MEMORY(s->thinned);
    memcpy(s->triangle, d->triangles, 3 * triangles * sizeof *s->triangle);
    for (int32_t t = 0; t < d->triangle_count; ++t) {
        const int32_t* v = s->triangle + 3 * (size_t)t;
        const lim_point a = d->rest[v[0]], b = d->rest[v[1]], c = d->rest[v[2]];
        s->sheet[t] = membrane_rest_of(a, b, c, d->thickness);
        s->sliver_count += s->sheet[t].volume <= 0.0;
        const lim_point from = d->rest[0];
        s->rest_volume += p3_dot(p3_sub(a, from), p3_cross(p3_sub(b, from), p3_sub(c, from))) / 6.0;
    }
    LIM_TRY(make_hinges(s, d, scratch, host));
    LIM_TRY(make_matrix(s, scratch));
    return make_room(s);
}

lim_result shell_create(const shell_desc* desc, const lim_host* host_or_null, shell** out) {
    lim_host host = mem_host(host_or_null);
    *out = NULL;
    LIM_TRY(check_desc(desc, &host));
    arena mem, scratch;
    arena_init(&mem, &host);
    arena_init(&scratch, &host);
    shell* s = ARENA_ARRAY(&mem, shell, 1);
    lim_result result = LIM_ERROR_MEMORY;
    if (s != NULL) {
        s->mem = mem;
        result = fill_shell(s, desc, &scratch, &host);
        mem = s->mem;
    }
    arena_release(&scratch);
    if (result != LIM_OK) {
        if (result == LIM_ERROR_MEMORY) {
            (void)log_fail(&host, result, "shell_create: out of memory");
        }
        arena_release(&mem);
        return result;
    }
    *out = s;
    return LIM_OK;
}

void shell_destroy(shell* s) {
    if (s != NULL) {
        arena mem = s->mem;
        arena_release(&mem);
    }
}

shell_info shell_get_info(const shell* s) {
    return (shell_info){.closed = s->closed,
                        .volume = s->closed ? s->rest_volume : 0.0,
                        .hinges = s->hinge_count,
                        .slivers = s->sliver_count};
}
