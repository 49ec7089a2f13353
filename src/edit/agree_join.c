/* SPDX-License-Identifier: MIT
 * Job: material of one part of the skin that has fallen apart: layers and hinges thinner than a
 * sub-voxel, and crumbs without a skin of their own. In: homes. Out: glue. First along the skin:
 * what the corners of one triangle lie on hangs together there. Then between fragments that were
 * one or were joined before the cut, the nearest to each other and to the crack front first, until
 * each part of the skin has no more components than before.
 */
#include "base/disjoint_set.h"
#include "edit/agree_work.h"

typedef struct joint {
    int32_t a, b;
    double cost;
} joint;

typedef struct joining {
    agree_work* w;
    int32_t* class;        /* sets over parts, then components: what is to be one */
    int32_t* set;          /* of components: what is one */
    uint8_t* crumb;        /* per component: no point lies on it */
    int32_t *first, *item; /* fragments by source */
    int32_t front_count;
    lim_point* front;
    ARRAY(joint) joint;
    agree_pairs pair;
} joining;

/* What is to be one; and whether anything that was one is not. */
static lim_result look(joining* j, bool* out_apart) {
    agree_work* w = j->w;
    const matter *m = &w->change->after, *b = &w->t->matter;
    int32_t n = m->component_count, parts = w->part_count;
    j->class = ARENA_ARRAY(&w->mem, int32_t, parts + n);
    j->set = ARENA_ARRAY(&w->mem, int32_t, n);
    j->crumb = ARENA_ARRAY(&w->mem, uint8_t, n);
    int32_t* now = ARENA_ARRAY(&w->mem, int32_t, b->component_count);
    LIM_TRY_MEMORY(j->class);
    LIM_TRY_MEMORY(j->set);
    LIM_TRY_MEMORY(j->crumb);
    LIM_TRY_MEMORY(now);
    disjoint_init(j->class, parts + n);
    for (int32_t i = 0; i < n; ++i) {
        j->set[i] = i;
        j->crumb[i] = 1;
    }
    int32_t last_part = -1, last_component = -1;
    for (int32_t i = 0; i < w->skin_points; ++i) {
        int32_t c = w->part[i] >= 0 && w->home[i] >= 0 ? m->component[w->home[i]] : -1;
        if (c >= 0 && (c != last_component || w->part[i] != last_part)) { /* seldom */
            last_part = w->part[i];
            last_component = c;
            disjoint_join(j->class, last_part, parts + c);
            j->crumb[c] = 0;
        }
    }
    *out_apart = false;
    for (int32_t i = 0; i < m->count && n > 1; ++i) {
        int32_t *last = &now[b->component[w->change->source[i]]], c = m->component[i] + 1;
        *out_apart = *out_apart || (*last != 0 && *last != c);
        *last = c;
    }
    return LIM_OK;
}

static lim_result take(joining* j, int32_t a, int32_t b) {
    const int32_t* name = j->w->change->after.component;
    int32_t p = name[a], q = name[b], parts = j->w->part_count;
    bool crumb = j->crumb[disjoint_root(j->set, p)] && j->crumb[disjoint_root(j->set, q)];
    disjoint_join(j->set, p, q);
    disjoint_join(j->class, parts + p, parts + q);
    j->crumb[disjoint_root(j->set, p)] = crumb;
    j->w->change->touched[a] = j->w->change->touched[b] = 1;
    return ARRAY_PUSH(&j->w->mem.host, &j->pair, a) && ARRAY_PUSH(&j->w->mem.host, &j->pair, b)
               ? LIM_OK
               : LIM_ERROR_MEMORY;
}

/* Walks over the graph near two fragments. */
typedef struct walk {
    const matter* m;
    int32_t* stamp; /* per fragment: the walk that has come there */
    int32_t* queue;
    int32_t count;
    uint64_t known[256]; /* pairs that were found to hang together, by their low bits */
} walk;

static bool within(octant o, octant p, octant q) {
    int32_t low[3] = {p.x < q.x ? p.x : q.x, p.y < q.y ? p.y : q.y, p.z < q.z ? p.z : q.z};
    int32_t high[3] = {p.x + q.x - low[0], p.y + q.y - low[1], p.z + q.z - low[2]};
    return o.x >= low[0] - 1 && o.y >= low[1] - 1 && o.z >= low[2] - 1 && o.x <= high[0] + 1 &&
           o.y <= high[1] + 1 && o.z <= high[2] + 1;
}

/* Whether the graph leads from one to the other within their cells and those about them. */
static bool hang_together(walk* w, int32_t a, int32_t b) {
    const matter* m = w->m;
    octant p = octant_of(m->key[a]), q = octant_of(m->key[b]);
    int32_t tail = 0, stamp = ++w->count;
    for (int32_t e = m->edge_offset[a]; e < m->edge_offset[a + 1]; ++e) {
        if (m->edge_node[e] == b) {
            return true; /* mostly */
        }
    }
    w->queue[tail++] = a;
    w->stamp[a] = stamp;
    for (int32_t head = 0; head < tail && w->stamp[b] != stamp; ++head) {
        int32_t i = w->queue[head];
        for (int32_t e = m->edge_offset[i]; e < m->edge_offset[i + 1]; ++e) {
            int32_t k = m->edge_node[e];
            if (w->stamp[k] != stamp && within(octant_of(m->key[k]), p, q)) {
                w->stamp[k] = stamp;
                w->queue[tail++] = k;
            }
        }
    }
    return w->stamp[b] == stamp;
}

/* Homes of the corners of one triangle that do not hang together there: the lower first. */
static lim_result list_skin_pairs(agree_work* w, walk* along, agree_pairs* pair) {
    LIM_TRY(agree_list_near(w));
    for (int32_t i = 0; i < 3 * w->near_count; ++i) {
        int32_t p = w->home[w->near[i]], q = w->home[w->near[i % 3 == 2 ? i - 2 : i + 1]];
        int32_t a = p < q ? p : q, b = p < q ? q : p;
        if (a < 0 || a == b) {
            continue;
        }
        uint64_t key = (uint64_t)a << 32 | (uint64_t)b; /* never 0 */
        uint64_t* known = &along->known[(uint32_t)(a + 31 * b) & 255u];
        if (*known == key) {
            continue;
        }
        if (hang_together(along, a, b)) {
            *known = key;
        } else if (!ARRAY_PUSH(&w->mem.host, pair, a) || !ARRAY_PUSH(&w->mem.host, pair, b)) {
            return LIM_ERROR_MEMORY;
        }
    }
    return LIM_OK;
}

static lim_result take_pairs(joining* j, const agree_pairs* pair) {
    int32_t n = pair->count / 2;
    sort_item* item = ARENA_ARRAY(&j->w->mem, sort_item, n);
    sort_item* scratch = ARENA_ARRAY(&j->w->mem, sort_item, n);
    LIM_TRY_MEMORY(item);
    LIM_TRY_MEMORY(scratch);
    for (int32_t i = 0; i < n; ++i) {
        uint64_t a = (uint64_t)pair->data[2 * i], b = (uint64_t)pair->data[2 * i + 1];
        item[i] = (sort_item){a << 32 | b, 0, 0};
    }
    sort_items(item, scratch, n);
    for (int32_t i = 0; i < n; ++i) {
        if (i == 0 || item[i].key != item[i - 1].key) {
            LIM_TRY(take(j, (int32_t)(item[i].key >> 32), (int32_t)(uint32_t)item[i].key));
        }
    }
    return LIM_OK;
}

static lim_result join_along_skin(joining* j) {
    const matter* m = &j->w->change->after;
    agree_pairs pair = {0};
    walk along = {.m = m,
                  .stamp = ARENA_ARRAY(&j->w->mem, int32_t, m->count),
                  .queue = ARENA_ROOM(&j->w->mem, int32_t, m->count)};
    LIM_TRY_MEMORY(along.stamp);
    LIM_TRY_MEMORY(along.queue);
    lim_result result = list_skin_pairs(j->w, &along, &pair);
    result = result == LIM_OK ? take_pairs(j, &pair) : result;
    ARRAY_FREE(&j->w->mem.host, &pair);
    return result;
}

static lim_result list_sources(joining* j) {
    const matter_change* c = j->w->change;
    int32_t n = j->w->t->matter.count;
    j->first = ARENA_ARRAY(&j->w->mem, int32_t, n + 2);
    j->item = ARENA_ARRAY(&j->w->mem, int32_t, c->after.count);
    LIM_TRY_MEMORY(j->first);
    LIM_TRY_MEMORY(j->item);
    for (int32_t i = 0; i < c->after.count; ++i) {
        j->first[c->source[i] + 2]++;
    }
    for (int32_t i = 0; i < n; ++i) {
        j->first[i + 2] += j->first[i + 1];
    }
    for (int32_t i = 0; i < c->after.count; ++i) {
        j->item[j->first[c->source[i] + 1]++] = i;
    }
    return LIM_OK;
}

static lim_result list_front(joining* j) {
    agree_work* w = j->w;
    j->front = ARENA_ARRAY(&w->mem, lim_point, w->skin->change.new_points);
    LIM_TRY_MEMORY(j->front);
    for (int32_t i = w->old_skin; i < w->skin_points; ++i) {
        if (w->skin->side[i] == 0) {
            j->front[j->front_count++] = agree_place(w, i);
        }
    }
    return LIM_OK;
}

static double cost_of(const joining* j, int32_t a, int32_t b) {
    const matter* m = &j->w->change->after;
    lim_point middle = p3_scale(p3_add(m->centroid[a], m->centroid[b]), 0.5);
    double front = j->front_count > 0 ? INFINITY : 0.0;
    for (int32_t i = 0; i < j->front_count; ++i) {
        lim_point d = p3_sub(j->front[i], middle);
        double distance = p3_dot(d, d);
        front = distance < front ? distance : front;
    }
    return p3_length(p3_sub(m->centroid[a], m->centroid[b])) + sqrt(front);
}

/* May two components be made one? They are of one part, or one of them is of none. */
static bool may_join(joining* j, int32_t a, int32_t b) {
    const int32_t* name = j->w->change->after.component;
    int32_t p = name[a], q = name[b], parts = j->w->part_count;
    return disjoint_root(j->set, p) != disjoint_root(j->set, q) &&
           (disjoint_root(j->class, parts + p) == disjoint_root(j->class, parts + q) ||
            (j->crumb[disjoint_root(j->set, p)] || j->crumb[disjoint_root(j->set, q)]));
}

static lim_result offer(joining* j, int32_t a, int32_t b) {
    if (a >= b || !may_join(j, a, b)) {
        return LIM_OK;
    }
    joint one = {a, b, cost_of(j, a, b)};
    return ARRAY_PUSH(&j->w->mem.host, &j->joint, one) ? LIM_OK : LIM_ERROR_MEMORY;
}

/* Fragments that were one, or joined. */
static lim_result offer_all(joining* j) {
    const matter_change* c = j->w->change;
    const matter* b = &j->w->t->matter;
    for (int32_t i = 0; i < c->after.count; ++i) {
        int32_t s = c->source[i];
        for (int32_t e = b->edge_offset[s] - 1; e < b->edge_offset[s + 1] && c->touched[i]; ++e) {
            int32_t t = e < b->edge_offset[s] ? s : b->edge_node[e];
            for (int32_t k = j->first[t]; k < j->first[t + 1]; ++k) {
                LIM_TRY(offer(j, i, j->item[k]));
                LIM_TRY(offer(j, j->item[k], i));
            }
        }
    }
    return LIM_OK;
}

static lim_result take_cheapest(joining* j) {
    int32_t n = j->joint.count;
    sort_item* item = ARENA_ARRAY(&j->w->mem, sort_item, n);
    sort_item* scratch = ARENA_ARRAY(&j->w->mem, sort_item, n);
    LIM_TRY_MEMORY(item);
    LIM_TRY_MEMORY(scratch);
    for (int32_t i = 0; i < n; ++i) {
        item[i] = (sort_item){sort_key_double(j->joint.data[i].cost), i, 0};
    }
    sort_items(item, scratch, n);
    for (int32_t i = 0; i < n; ++i) {
        const joint* one = &j->joint.data[item[i].value];
        LIM_TRY(may_join(j, one->a, one->b) ? take(j, one->a, one->b) : LIM_OK);
    }
    return LIM_OK;
}

/* Components of one part that had only those of others between them: the nearest fragments. */
static lim_result take_far(joining* j) {
    const matter_change* c = j->w->change;
    const matter *m = &c->after, *b = &j->w->t->matter;
    for (int32_t x = 0; x < m->component_count; ++x) {
        int32_t best[2] = {-1, -1}, parts = j->w->part_count, lowest = -1;
        double least = INFINITY;
        /* Is there a lower component of its class, of the same one before? */
        for (int32_t i = 0; i < m->count && lowest < 0; ++i) {
            lowest = m->component[i] == x ? i : -1;
        }
        for (int32_t i = 0; i < m->count; ++i) {
            int32_t y = m->component[i];
            if (y >= x || disjoint_root(j->set, x) == disjoint_root(j->set, y) ||
                disjoint_root(j->class, parts + x) != disjoint_root(j->class, parts + y) ||
                b->component[c->source[i]] != b->component[c->source[lowest]]) {
                continue;
            }
            for (int32_t k = lowest; k < m->count; ++k) {
                lim_point d = p3_sub(m->centroid[i], m->centroid[k]);
                double distance = p3_dot(d, d);
                if (m->component[k] == x && distance < least) {
                    least = distance;
                    best[0] = i;
                    best[1] = k;
                }
            }
        }
        LIM_TRY(best[0] >= 0 ? take(j, best[0], best[1]) : LIM_OK);
    }
    return LIM_OK;
}

static lim_result run(joining* j) {
    LIM_TRY(list_sources(j));
    LIM_TRY(list_front(j));
    LIM_TRY(offer_all(j));
    LIM_TRY(take_cheapest(j));
    return take_far(j);
}

static lim_result join(joining* j) {
    agree_work* w = j->w;
    bool apart = false;
    LIM_TRY(look(j, &apart));
    LIM_TRY(join_along_skin(j));
    LIM_TRY(apart ? run(j) : LIM_OK);
    if (j->pair.count == 0) {
        return LIM_OK;
    }
    LIM_TRY(agree_list_glue(w, &j->pair));
    return matter_glue(w->a, &w->change->after, j->pair.data, j->pair.count / 2, &w->change->after);
}

lim_result agree_join(agree_work* w) {
    joining j = {.w = w};
    lim_result result = join(&j);
    ARRAY_FREE(&w->mem.host, &j.joint);
    ARRAY_FREE(&w->mem.host, &j.pair);
    return result;
}
