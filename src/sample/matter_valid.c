/* SPDX-License-Identifier: MIT
 * Job: whether a material is sound, whatever it came from. In: a material. Out: yes or no. Nothing
 * is taken for granted but that the arrays are as long as their counts say; no memory is needed.
 */
#include "sample/linking.h"
#include "sample/matter_cut.h"

/* Unit space: the box of a body has sides of at most 1. Far beyond it, or where floats hardly hold
 * it, there is no material of any body. */
static const double FAR = 64.0, LEAST_VOLUME = 1e-33;

static bool is_near(lim_point p) {
    return fabs(p.x) <= FAR && fabs(p.y) <= FAR && fabs(p.z) <= FAR;
}

static bool keys_are_valid(const matter* m) {
    if (m->count < 0 || m->level < 0 || m->level > OCTANT_LEVELS || !(m->side > 0.0) ||
        !(m->sub > 0.0) || !(m->side <= FAR) || !is_near(m->corner)) {
        return false;
    }
    int32_t extent = (int32_t)1 << m->level;
    uint64_t taken = 0;
    for (int32_t i = 0; i < m->count; ++i) {
        octant o = octant_of(m->key[i]);
        bool next = i == 0 || m->key[i] > m->key[i - 1];
        taken = next ? 0 : taken;
        if (o.level != m->level || o.x >= extent || o.y >= extent || o.z >= extent ||
            octant_key(o) != m->key[i] || m->mask[i] == 0 || (m->mask[i] & taken) != 0 ||
            (m->soft[i] & ~m->mask[i]) != 0) {
            return false;
        }
        if (!next && (m->key[i] != m->key[i - 1] ||
                      mask_lowest(m->mask[i]) <= mask_lowest(m->mask[i - 1]))) {
            return false;
        }
        taken |= m->mask[i];
    }
    return true;
}

static bool numbers_are_valid(const matter* m) {
    for (int32_t i = 0; i < m->count; ++i) {
        bool ok = m->volume[i] >= LEAST_VOLUME && m->volume[i] <= FAR && is_near(m->centroid[i]);
        for (int k = 0; k < 6; ++k) {
            ok = ok && fabs(m->moment[i][k]) <= FAR && (k > 2 || m->moment[i][k] >= 0.0);
        }
        if (!ok) {
            return false;
        }
    }
    return true;
}

/* Walls in order, each of a cell with material; fragments hang together in spite of them. */
static bool walls_are_valid(const matter* m) {
    int32_t wall = 0;
    for (int32_t i = 1; i < m->wall_count; ++i) {
        if (m->wall[i].key <= m->wall[i - 1].key) {
            return false;
        }
    }
    for (int32_t i = 0; i < m->count; ++i) {
        if (wall < m->wall_count && m->wall[wall].key < m->key[i]) {
            wall++;
        }
        if (wall < m->wall_count && m->wall[wall].key < m->key[i]) {
            return false;
        }
        const uint64_t* cut =
            wall < m->wall_count && m->wall[wall].key == m->key[i] ? m->wall[wall].cut : NULL;
        uint64_t seed = m->mask[i] & (~m->mask[i] + 1);
        if (linking_flood(m->mask[i], m->soft[i], cut, seed) != m->mask[i]) {
            return false;
        }
    }
    return wall + (m->count > 0) >= m->wall_count;
}

/* Ascending lists: look for `node` by halving. */
static bool has_edge(const matter* m, int32_t i, int32_t node) {
    int32_t low = m->edge_offset[i], high = m->edge_offset[i + 1];
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (m->edge_node[middle] == node) {
            return true;
        }
        low = m->edge_node[middle] < node ? middle + 1 : low;
        high = m->edge_node[middle] < node ? high : middle;
    }
    return false;
}

static bool are_near(uint64_t a, uint64_t b) {
    octant p = octant_of(a), q = octant_of(b);
    int32_t x = p.x - q.x, y = p.y - q.y, z = p.z - q.z;
    return x >= -1 && x <= 1 && y >= -1 && y <= 1 && z >= -1 && z <= 1;
}

/* Two fragments for each, in order, with an edge. */
static bool glue_is_valid(const matter* m) {
    if (m->glued_edges < 0 || (m->glued_edges > 0) != (m->unglued != NULL) ||
        (m->glued_edges > 0) != (m->glue != NULL)) {
        return false;
    }
    for (int32_t i = 0; i < m->glued_edges; ++i) {
        int32_t a = m->glue[2 * (size_t)i], b = m->glue[2 * (size_t)i + 1];
        bool next = i == 0 || a > m->glue[2 * (size_t)i - 2] ||
                    (a == m->glue[2 * (size_t)i - 2] && b > m->glue[2 * (size_t)i - 1]);
        if (!next || a < 0 || b <= a || b >= m->count || !has_edge(m, a, b)) {
            return false;
        }
    }
    return true;
}

static bool edges_are_valid(const matter* m) {
    if (m->edge_offset[0] != 0) {
        return false;
    }
    for (int32_t i = 0; i < m->count; ++i) {
        if (m->edge_offset[i + 1] < m->edge_offset[i]) {
            return false;
        }
        for (int32_t e = m->edge_offset[i]; e < m->edge_offset[i + 1]; ++e) {
            int32_t node = m->edge_node[e];
            if (node < 0 || node >= m->count || node == i ||
                (e > m->edge_offset[i] && m->edge_node[e - 1] >= node)) {
                return false;
            }
        }
    }
    if (!glue_is_valid(m)) {
        return false;
    }
    for (int32_t i = 0; i < m->count; ++i) {
        for (int32_t e = m->edge_offset[i]; e < m->edge_offset[i + 1]; ++e) {
            int32_t node = m->edge_node[e];
            bool glue = matter_is_glued(m, i, node);
            if (!has_edge(m, node, i) || m->component[i] != m->component[node] ||
                (!glue && m->unglued != NULL && m->unglued[i] != m->unglued[node]) ||
                (!glue && !are_near(m->key[i], m->key[node])) ||
                (!glue && m->key[i] == m->key[node])) {
                return false;
            }
        }
    }
    return true;
}

/* Names come up in order of their lowest fragment. */
static int32_t count_names(const int32_t* name, int32_t count) {
    int32_t next = 0;
    for (int32_t i = 0; i < count; ++i) {
        if (name[i] < 0 || name[i] > next) {
            return -1;
        }
        next += name[i] == next;
    }
    return next;
}

bool matter_is_valid(const matter* m) {
    return keys_are_valid(m) && numbers_are_valid(m) && walls_are_valid(m) &&
           count_names(m->component, m->count) == m->component_count &&
           (m->unglued == NULL || count_names(m->unglued, m->count) >= m->component_count) &&
           edges_are_valid(m);
}
