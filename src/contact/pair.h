/* SPDX-License-Identifier: MIT
 * Contact between two bodies, or of a body with itself. As with colliders (contact/contact.h) the
 * surface decides and the nodes carry: once per step the points of one body (A) that may meet the
 * surface of the other (B) are found, and for each node of A the nearest of its points, or two
 * where they meet the surface from different sides. Such a contact holds node i of A off the place
 * of B's surface that is nearest to the point, which up to four nodes of B carry:
 *     gap(t) = gap(0) + n . (x_i(t) - x_i(0)) - n . sum_k w_k (x_k(t) - x_k(0)) + rate t >= 0,
 * with the normal n of the step's begin, and `rate` for what a rigid turn of both bodies adds. All
 * that moves in it are nodes, so that it costs little in a substep and the passes converge.
 * Impulses are equal and opposite: momentum is kept to rounding.
 */
#ifndef LIMBER_PAIR_H
#define LIMBER_PAIR_H

#include "base/array.h"
#include "contact/felt_surface.h"
#include "contact/pair_kept.h"

enum { PAIR_CARRIERS = 4 };

/* From the frame of a component to the world: metres per unit length. */
typedef struct pair_frame {
    float turn[9];           /* scale * R */
    lim_vec3 shift;          /* from the shape's origin to the frame's */
    lim_vec3 velocity, spin; /* of the component as a whole, m/s and rad/s, world axes */
    lim_vec3 centre;         /* of mass, relative to the shape's origin */
} pair_frame;

/* One body as its contacts see it. */
typedef struct pair_side {
    node_state nodes;
    int32_t begin, end; /* its slots: of a piece of a body a part of the body's */
    surface_shape shape;
    pair_frame* frame;
    double scale;      /* metres per unit length */
    float inv_square;  /* 1 / scale^2 */
    float unit_mass;   /* kg per unit of node mass */
    float cell;        /* the finest, metres */
    float extent;      /* largest distance of a point from the centre at rest, metres */
    float arm;         /* likewise from a node that it follows, unit lengths */
    lim_vec3 velocity; /* mean, m/s */
    float stir;        /* no point is faster than this relative to it ... */
    float spread;      /* ... in this step, with what gravity adds */
    float friction;
    bool still;   /* asleep, frozen or switched off: does not give way */
    bool corners; /* nodes are corners of a lattice: those at the surface may lie outside of it */
    const int32_t *link_offset, *link; /* per slot, + 1: the slots that it is linked with */
    const uint8_t* inverted;           /* per slot: not 0 where it is inside out; null: nowhere */
} pair_side;

/* Marks the nodes about which the material is inside out. False: there are none. */
bool pair_find_inverted(const pair_side* s, uint8_t* out);
static inline bool pair_is_inverted(const pair_side* s, int32_t slot) {
    return s->inverted != NULL && s->inverted[slot] != 0;
}

/* From a frame to the world and back, by `turn`. */
static inline lim_vec3 pair_turned(const float m[9], lim_vec3 v) {
    return v3(m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z,
              m[6] * v.x + m[7] * v.y + m[8] * v.z);
}
static inline lim_vec3 pair_turned_back(const float m[9], lim_vec3 v) {
    return v3(m[0] * v.x + m[3] * v.y + m[6] * v.z, m[1] * v.x + m[4] * v.y + m[7] * v.z,
              m[2] * v.x + m[5] * v.y + m[8] * v.z);
}
/* Per kilogram; 0 of who does not give way. */
static inline float pair_inverse_mass(const pair_side* s, int32_t slot) {
    return s->still ? 0.0f : s->nodes.inv_mass[slot] / s->unit_mass;
}
/* Of arrays per axis: one node's vector, and a share of a change added to it. */
static inline lim_vec3 pair_vector(float* const from[3], int32_t i) {
    return v3(from[0][i], from[1][i], from[2][i]);
}
static inline void pair_add(float* const to[3], int32_t i, lim_vec3 change, float share) {
    to[0][i] += share * change.x;
    to[1][i] += share * change.y;
    to[2][i] += share * change.z;
}

/* How far from B's surface a point of A may be: outside, to come into contact within dt whatever it
 * does; behind it, to find its way out; and what is beyond the ways that patches go. */
typedef struct pair_reach {
    float out, deep, near;
} pair_reach;
pair_reach pair_reach_of(const pair_side* a, const pair_side* b, double dt);

typedef struct pair_contact {
    int32_t other; /* whose surface: the caller's number of B */
    int32_t node;  /* of A */
    int32_t point; /* of A's surface; -1: the node itself */
    int32_t component_b, triangle;
    int32_t carrier[PAIR_CARRIERS];      /* nodes of B */
    float weight[PAIR_CARRIERS];         /* sum 1 */
    lim_vec3 axis[3];                    /* world: the normal from B to A, and two across it */
    lim_vec3 axis_a[3], axis_b[3];       /* the same in the frames, metres per unit length */
    lim_vec3 place;                      /* of the contact, relative to the list's origin */
    float gap, rate;                     /* at the step's begin; metres, m/s */
    float base;                          /* n . (d_i - sum_k w_k d_k) at the step's begin */
    float give;                          /* metres per second per newton second, both sides */
    float push_a, push_b[PAIR_CARRIERS]; /* what each node takes of an impulse along axis_a, _b */
    float now;                           /* the gap as the present substep begins */
    float impulse[3]; /* newton second on A along the axes, of the present substep */
    lim_vec3 sum;     /* on A, world axes, of the step's substeps; by the caller */
} pair_contact;

/* The nodes of B that carry a place on its surface. */
typedef struct pair_carriers {
    int32_t component;
    int32_t node[PAIR_CARRIERS];
    float weight[PAIR_CARRIERS]; /* sum 1 */
} pair_carriers;

/* What a point of A, or a node itself, has seen of B's surface. */
typedef struct pair_candidate {
    int32_t point; /* of A's surface; -1: the node itself */
    int32_t node;  /* that the point follows most */
    int32_t sees;  /* a near point of B */
    float gap;     /* first about, then exact */
    bool exact;
    lim_vec3 normal; /* of what it sees */
    surface_hit hit; /* when exact */
    bool carried;
    pair_carriers by; /* who carries the hit, when carried */
} pair_candidate;

/* The candidates that come nearest to a node, nearest first. */
enum { PAIR_NEAR = 8 };
typedef struct pair_near {
    int32_t found[PAIR_NEAR];
    float gap[PAIR_NEAR]; /* about, of each */
} pair_near;

/* Contacts of one body's points with the surfaces of others; a zeroed list is empty. */
typedef struct pair_list {
    ARRAY(pair_contact) items;    /* in order of (other, node) */
    lim_point origin;             /* A's, when they were found */
    ARRAY(pair_candidate) points; /* scratch: one per point that is near */
    ARRAY(pair_near) near;        /* scratch, per slot ... */
    ARRAY(uint8_t) near_count;    /* ... and how many there are */
    ARRAY(int32_t) patch;  /* scratch: groups of B near a group, near a patch, near a point */
    ARRAY(int32_t) beside; /* scratch, per slot: 1 + the node that it is beside */
    ARRAY(uint8_t) tied;   /* per slot, by the caller: does not meet the other ... */
    bool any_tied;         /* ... if there are any */
    int32_t items_wanted, points_wanted;
} pair_list;

void pair_list_free(pair_list* list, const lim_host* host);
/* Room for what the last search wanted, over so many slots, against surfaces of up to so many
 * patches; all that allocates. */
lim_result pair_reserve(pair_list* list, const lim_host* host, int32_t slots, int32_t patches);

/* Who of a body is too close along its own graph to count as a contact with itself. */
typedef struct pair_self {
    const int32_t *offset, *slot; /* per slot the slots beside it, ascending */
    pair_kept* kept;              /* who is near whom; null: is looked for */
    const int32_t* origin; /* per component: those with the same one meet as pieces, and not here;
                              null: all meet here */
} pair_self;

/* Whether a plane parts the points of A from B's surface, whatever they do within dt: most whose
 * boxes overlap. Only where points are, and their slabs, need to be known. */
bool pair_is_apart(const pair_side* a, const pair_side* b, double dt, isa set);
/* Of two that are not: marks those of A's patches as wanted whose points may be in B, or come to it
 * within dt, and tells where in B's coordinates these ask; false: none do. Places are known; no
 * marks at first. */
bool pair_ask(const pair_side* a, const pair_side* b, double dt, const pair_self* self, isa set,
              surface_box* out);
/* Marks those of B's patches as wanted that lie where somebody asks. */
void pair_answer(pair_side* b, surface_box asked);
/* Adds the contacts of A's points with B's surface that may come about within dt. self: when both
 * are one body, else null. Begin with pair_begin. */
void pair_begin(pair_list* list);
void pair_search(pair_list* list, const pair_side* a, const pair_side* b, int32_t other, double dt,
                 const pair_self* self, isa set);

/* One pass over the contacts [begin, end) of A's list that are with B. `time`: since the step's
 * begin; h: the substep. The first pass of a substep begins with the impulses of the last. True
 * when a velocity changed by more than SETTLED (pair_solve.c) in a substep: not done yet. */
bool pair_solve_velocity(pair_contact* begin, pair_contact* end, pair_side* a, pair_side* b,
                         bool first, double time, double h);
/* One pass that takes penetration out of the positions, at `time` since the step's begin. True when
 * anything moved. */
bool pair_solve_position(pair_contact* begin, pair_contact* end, pair_side* a, pair_side* b,
                         double time);
/* Whether two bodies move so much against each other or in themselves that points may end deep in
 * the other within dt, held or not: what pair_clear is for. */
bool pair_is_rough(const pair_side* a, const pair_side* b, double dt);
/* Whether one of the contacts [begin, end) of A's list with B was so deep when the step began that
 * they were put into each other: they part slowly, at once they would fly apart. */
bool pair_was_put(const pair_contact* begin, const pair_contact* end, const pair_side* a,
                  const pair_side* b);
/* After a step: as pair_is_apart and pair_ask, of A's points that may be deep in B. */
bool pair_clear_is_apart(const pair_side* a, const pair_side* b, isa set);
bool pair_clear_ask(const pair_side* a, const pair_side* b, isa set, surface_box* out);
/* Takes those of them that are to where they hardly are. Both sides are as they are now, but for
 * what this moves. `list`: A's, for its scratch. True: it has moved nodes. */
bool pair_clear(pair_list* list, const pair_side* a, const pair_side* b, isa set);
/* The gap of a contact as its nodes say it. */
float pair_gap(const pair_contact* c, const pair_side* a, const pair_side* b, double time);

#endif
