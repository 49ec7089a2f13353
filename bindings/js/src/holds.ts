// SPDX-License-Identifier: MIT
// What a world names by ids besides bodies: colliders, pins, grabs and links.
import type { Options, QuatLike, Vec3Like } from './core.js';
import { expect } from './model.js';
import type { Numbers, Scratch } from './heap.js';
import type * as T from './generated/types.js';
import type { World } from './world.js';

export interface Id { index: number; generation: number; }
/** What a tool feels: means over the last step, and smoothed */
export type Load = T.Load;

/** Something in a world. Objects stay the same: `===` tells whether two are. */
export abstract class Handle {
    constructor(readonly world: World, readonly index: number, readonly generation: number) {}
    /** The id in scratch memory */
    id(s: Scratch): number {
        return s.integers([this.index, this.generation]);
    }
    protected get c() {
        return this.world.core.c;
    }
    protected get core() {
        return this.world.core;
    }
    protected ok(call: (world: number, id: number, s: Scratch) => number): void {
        this.core.call((s) => call(this.world.pointer, this.id(s), s));
    }
    protected is(call: (world: number, id: number) => number): boolean {
        return this.core.heap.scope((s) => call(this.world.pointer, this.id(s)) !== 0);
    }
    protected load(call: (world: number, id: number, out: number) => number): Load {
        return this.core.ask<Load>('lim_load', (out, s) => call(this.world.pointer, this.id(s), out));
    }
}

export interface ColliderOptions extends Options<Omit<T.ColliderDesc, 'pointCount' | 'triangleCount' | 'columns' | 'rows'>> {
    /** Hull and mesh: 3 per point */
    points?: Numbers;
    /** Mesh: 3 per triangle */
    indices?: Numbers;
    /** Heights, row by row */
    heights?: Numbers;
    columns?: number;
    rows?: number;
}
export interface ColliderState extends T.ColliderDesc {
    points: Float32Array | null;
    indices: Uint32Array | null;
    heights: Float32Array | null;
}

/** What stands in the way. */
export class Collider extends Handle {
    get valid(): boolean { return this.is(this.c.lim_collider_is_valid); }
    destroy(): void { this.ok(this.c.lim_collider_destroy); }
    /** Sets the pose, and the velocity at which it moves by itself. */
    move(position: Vec3Like, orientation: QuatLike = [0, 0, 0, 1], velocity: Vec3Like = [0, 0, 0], angularVelocity: Vec3Like = [0, 0, 0]): void {
        const { core } = this;
        this.ok((world, id, s) => this.c.lim_collider_move(world, id, core.point(s, position), core.quat(s, orientation), core.vec3(s, velocity), core.vec3(s, angularVelocity)));
    }
    setLayer(layer: number, mask: number): void { this.ok((world, id) => this.c.lim_collider_set_layer(world, id, layer, mask)); }
    get(): ColliderState {
        const { heap } = this.core;
        return heap.scope((s) => {
            const at = s.struct('lim_collider_desc');
            this.core.check(this.c.lim_collider_get(this.world.pointer, this.id(s), at));
            const state = heap.read<T.ColliderDesc>('lim_collider_desc', at);
            const array = <A>(field: string, get: (pointer: number, count: number) => A, count: number) => {
                const pointer = heap.pointer('lim_collider_desc', at, field);
                return pointer === 0 ? null : get(pointer, count);
            };
            return {
                ...state,
                points: array('points', (p, n) => heap.f32(p, n).slice(), 3 * state.pointCount),
                indices: array('indices', (p, n) => heap.u32(p, n).slice(), 3 * state.triangleCount),
                heights: array('heights', (p, n) => heap.f32(p, n).slice(), state.columns * state.rows),
            };
        });
    }
    /** About the collider's position */
    getLoad(): Load { return this.load(this.c.lim_collider_get_load); }
}

export function colliderDesc(world: World, s: Scratch, options: ColliderOptions): number {
    const { points, indices, heights, ...rest } = options;
    const { c, heap } = world.core;
    const desc = s.struct('lim_collider_desc');
    c.lim_collider_desc_default(desc);
    heap.write('lim_collider_desc', desc, rest);
    if (points) {
        heap.setPointer('lim_collider_desc', desc, 'points', s.floats(points));
        heap.write('lim_collider_desc', desc, { pointCount: Math.floor(points.length / 3) });
    }
    if (indices) {
        heap.setPointer('lim_collider_desc', desc, 'indices', s.integers(indices));
        heap.write('lim_collider_desc', desc, { triangleCount: Math.floor(indices.length / 3) });
    }
    if (heights) {
        expect('heights', heights, (rest.columns ?? 0) * (rest.rows ?? 0));
        heap.setPointer('lim_collider_desc', desc, 'heights', s.floats(heights));
    }
    return desc;
}

export type PinOptions = Options<Omit<T.PinDesc, 'body'>>;
export type GrabOptions = Options<Omit<T.GrabDesc, 'body'>>;
export type LinkOptions = Options<Omit<T.LinkDesc, 'body' | 'other'>>;

/** Holds the material of a body that lies in a shape to a frame: a bone. */
export class Pin extends Handle {
    get valid(): boolean { return this.is(this.c.lim_pin_is_valid); }
    get nodeCount(): number { return this.core.heap.scope((s) => this.c.lim_pin_node_count(this.world.pointer, this.id(s))); }
    destroy(): void { this.ok(this.c.lim_pin_destroy); }
    /** Moves the frame over the next step. */
    move(position: Vec3Like, orientation: QuatLike = [0, 0, 0, 1]): void {
        this.ok((world, id, s) => this.c.lim_pin_move(world, id, this.core.point(s, position), this.core.quat(s, orientation)));
    }
    /** About the frame's origin */
    getLoad(): Load { return this.load(this.c.lim_pin_get_load); }
}

/** Pulls a patch of the surface to a target. */
export class Grab extends Handle {
    get valid(): boolean { return this.is(this.c.lim_grab_is_valid); }
    destroy(): void { this.ok(this.c.lim_grab_destroy); }
    /** Moves the target over the next step. */
    move(target: Vec3Like): void { this.ok((world, id, s) => this.c.lim_grab_move(world, id, this.core.point(s, target))); }
    /** Where the held point is */
    get point(): T.Vec3 { return this.core.ask('lim_point', (out, s) => this.c.lim_grab_get_point(this.world.pointer, this.id(s), out)); }
    /** About the held point */
    getLoad(): Load { return this.load(this.c.lim_grab_get_load); }
}

/** Ties the material of a body in a shape to that of another. */
export class Link extends Handle {
    get valid(): boolean { return this.is(this.c.lim_link_is_valid); }
    get nodeCount(): number { return this.core.heap.scope((s) => this.c.lim_link_node_count(this.world.pointer, this.id(s))); }
    destroy(): void { this.ok(this.c.lim_link_destroy); }
    /** What `other` puts on `body` */
    getLoad(): Load { return this.load(this.c.lim_link_get_load); }
    /** How far tied nodes are from where they belong: the mean by mass, and the most */
    get gap(): { mean: T.Vec3; most: number } {
        const { heap } = this.core;
        return heap.scope((s) => {
            const mean = s.struct('lim_vec3'), most = s.floats([0]);
            this.core.check(this.c.lim_link_get_gap(this.world.pointer, this.id(s), mean, most));
            return { mean: heap.read<T.Vec3>('lim_vec3', mean), most: heap.f32(most, 1)[0]! };
        });
    }
}

/** Objects of one kind by id, so that the same id is the same object. */
export class Handles<H extends Handle> {
    private readonly known = new Map<number, H>();
    constructor(private readonly make: (id: Id) => H) {}
    of(id: Id): H | null {
        if (id.generation === 0) {
            return null;
        }
        let handle = this.known.get(id.index);
        if (handle === undefined || handle.generation !== id.generation) {
            handle = this.make(id);
            this.known.set(id.index, handle);
        }
        return handle;
    }
}

