// SPDX-License-Identifier: MIT
// Worlds: bodies that move, what holds them, what they fall on; time, snapshots, saves, picking.
import { Body, bodyDesc, type BodyOptions } from './body.js';
import { Owned, type Core, type Options, type Vec3Like } from './core.js';
import { Collider, colliderDesc, Grab, Handles, Link, Pin, type ColliderOptions, type GrabOptions, type Handle, type Id, type LinkOptions, type PinOptions } from './holds.js';
import { sizeOf, type Scratch } from './heap.js';
import type { Model } from './model.js';
import type { StructName } from './generated/layout.js';
import type * as T from './generated/types.js';

export type WorldOptions = Options<T.WorldDesc>;
export interface Hit extends Omit<T.Hit, 'body'> { body: Body; }
/** One contact with an impulse in the last step. `other`: null with a collider; `collider`: null with a body */
export interface Contact extends Omit<T.Contact, 'body' | 'other' | 'collider'> { body: Body; other: Body | null; collider: Collider | null; }
export interface WorldEvent extends Omit<T.Event, 'body' | 'other' | 'collider' | 'link'> { body: Body; other: Body | null; collider: Collider | null; link: Link | null; }

/** The state of a world in memory, to go back to. */
export class Snapshot extends Owned {
    protected free(pointer: number): void {
        this.core.c.lim_snapshot_destroy(pointer);
    }
    /** Bytes it holds */
    get size(): number {
        return this.core.c.lim_snapshot_size(this.pointer);
    }
}

export class World extends Owned {
    private readonly bodyHandles = new Handles((id) => new Body(this, id.index, id.generation));
    private readonly colliderHandles = new Handles((id) => new Collider(this, id.index, id.generation));
    private readonly linkHandles = new Handles((id) => new Link(this, id.index, id.generation));

    /** Of a scene's run the run owns the world. */
    constructor(core: Core, pointer: number, private readonly owned = true) {
        super(core, pointer);
    }
    protected free(pointer: number): void {
        if (this.owned) {
            this.core.c.lim_world_destroy(pointer);
        }
    }
    private get c() {
        return this.core.c;
    }

    // ---- time

    /** Moves on by dt seconds. */
    step(dt = 1 / 60): void { this.core.check(this.c.lim_world_step(this.pointer, dt)); }
    /** Moves on by the time of a frame in fixed steps, skins in between; returns how many steps. */
    advance(frameTime: number): number { return this.core.make((out) => this.c.lim_world_advance(this.pointer, frameTime, out)); }
    /** Seconds per stage of the last step, and counts */
    get report(): T.StepReport { return this.core.get('lim_step_report', (out) => this.c.lim_world_get_report(out, this.pointer)); }
    /** Of everything that moves: the same on every machine, in native programs too */
    hash(): bigint { return BigInt.asUintN(64, this.c.lim_world_hash(this.pointer)); }

    get gravity(): T.Vec3 { return this.core.get('lim_vec3', (out) => this.c.lim_world_get_gravity(out, this.pointer)); }
    set gravity(gravity: Vec3Like) { this.core.call((s) => this.c.lim_world_set_gravity(this.pointer, this.core.vec3(s, gravity))); }
    get wind(): T.Wind { return this.core.get('lim_wind', (out) => this.c.lim_world_get_wind(out, this.pointer)); }
    /** What is not given stays as it is; density 0: no wind. */
    setWind(wind: Options<T.Wind>): void { this.changed('lim_wind', wind, (out) => this.c.lim_world_get_wind(out, this.pointer), (at) => this.c.lim_world_set_wind(this.pointer, at)); }
    get range(): T.Box | null {
        return this.core.heap.scope((s) => {
            const out = s.struct('lim_box');
            return this.c.lim_world_get_range(this.pointer, out) ? this.core.heap.read<T.Box>('lim_box', out) : null;
        });
    }
    /** Bodies wholly outside of the box stand still; null: everywhere they move. */
    setRange(box: Options<T.Box> | null): void {
        this.core.call((s) => {
            const at = s.struct('lim_box');
            this.core.heap.write('lim_box', at, box ?? {});
            return this.c.lim_world_set_range(this.pointer, box === null ? 0 : at);
        });
    }
    get detail(): T.WorldDetail { return this.core.get('lim_world_detail', (out) => this.c.lim_world_get_detail(out, this.pointer)); }
    /** The eye and budgets of bodies that refine themselves (Body.setDetail) */
    setDetail(detail: Options<T.WorldDetail>): void { this.changed('lim_world_detail', detail, (out) => this.c.lim_world_get_detail(out, this.pointer), (at) => this.c.lim_world_set_detail(this.pointer, at)); }

    // ---- what is in it

    createBody(model: Model, options: BodyOptions = {}): Body {
        return this.bodyOf(this.created((s, out) => this.c.lim_body_create(this.pointer, bodyDesc(this, s, model, options), out)))!;
    }
    createCollider(options: ColliderOptions = {}): Collider {
        return this.colliderHandles.of(this.created((s, out) => this.c.lim_collider_create(this.pointer, colliderDesc(this, s, options), out)))!;
    }
    createPin(body: Body, options: PinOptions): Pin {
        const id = this.held('lim_pin_desc', { body }, options, this.c.lim_pin_desc_default, this.c.lim_pin_create);
        return new Pin(this, id.index, id.generation);
    }
    createGrab(body: Body, options: GrabOptions): Grab {
        const id = this.held('lim_grab_desc', { body }, options, this.c.lim_grab_desc_default, this.c.lim_grab_create);
        return new Grab(this, id.index, id.generation);
    }
    createLink(body: Body, other: Body, options: LinkOptions): Link {
        return this.linkHandles.of(this.held('lim_link_desc', { body, other }, options, this.c.lim_link_desc_default, this.c.lim_link_create))!;
    }
    bodies(): Body[] { return this.all(this.bodyHandles, this.c.lim_body_next); }
    colliders(): Collider[] { return this.all(this.colliderHandles, this.c.lim_collider_next); }
    /** The body of an id; null for a null id */
    bodyOf(id: Id): Body | null { return this.bodyHandles.of(id); }

    // ---- questions

    /** The nearest triangle of a skin along a ray */
    pick(origin: Vec3Like, direction: Vec3Like, maxDistance = 1e9): Hit | null {
        return this.hit((out, s) => this.c.lim_world_pick(this.pointer, this.core.point(s, origin), this.core.vec3(s, direction), maxDistance, out));
    }
    /** Contacts of the last step */
    contacts(): Contact[] {
        return this.list<T.Contact, Contact>('lim_contact', this.c.lim_world_get_contacts, (raw) => ({
            ...raw, body: this.bodyOf(raw.body)!, other: this.bodyOf(raw.other), collider: this.colliderHandles.of(raw.collider),
        }));
    }
    /** Events of the last step or advance; bodies in them may be gone (`valid`). */
    events(): WorldEvent[] {
        return this.list<T.Event, WorldEvent>('lim_event', this.c.lim_world_get_events, (raw) => ({
            ...raw, body: this.bodyOf(raw.body)!, other: this.bodyOf(raw.other), collider: this.colliderHandles.of(raw.collider), link: this.linkHandles.of(raw.link),
        }));
    }
    hit(call: (out: number, s: Scratch) => number): Hit | null {
        const raw = this.core.ask<T.Hit>('lim_hit', call);
        const body = this.bodyOf(raw.body);
        return body === null ? null : { ...raw, body };
    }

    // ---- keeping

    snapshot(): Snapshot { return new Snapshot(this.core, this.core.make((out) => this.c.lim_snapshot_create(this.pointer, out))); }
    restore(snapshot: Snapshot): void { this.core.check(this.c.lim_snapshot_restore(this.pointer, snapshot.pointer)); }
    /** Everything as bytes, models included: `limber.loadWorld` takes them. */
    save(): Uint8Array { return this.core.bytes((out, capacity, size) => this.c.lim_world_save(this.pointer, out, capacity, size)); }

    // ---- inside

    private created(call: (s: Scratch, out: number) => number): Id {
        return this.core.heap.scope((s) => {
            const out = s.integers([0, 0]);
            this.core.check(call(s, out));
            const [index, generation] = this.core.heap.u32(out, 2);
            return { index: index!, generation: generation! };
        });
    }
    private held(struct: StructName, bodies: Record<string, Body>, options: object, fill: (desc: number) => void, create: (world: number, desc: number, out: number) => number): Id {
        return this.created((s, out) => {
            const desc = s.struct(struct);
            fill(desc);
            this.core.heap.write(struct, desc, options);
            for (const [field, body] of Object.entries(bodies)) {
                this.core.heap.u32(desc + this.core.heap.offsetOf(struct, field), 2).set([body.index, body.generation]);
            }
            return create(this.pointer, desc, out);
        });
    }
    private changed(struct: StructName, values: object, get: (out: number) => void, set: (at: number) => number): void {
        this.core.call((s) => {
            const at = s.struct(struct);
            get(at);
            this.core.heap.write(struct, at, values);
            return set(at);
        });
    }
    private all<H extends Handle>(handles: Handles<H>, next: (out: number, world: number, id: number) => void): H[] {
        return this.core.heap.scope((s) => {
            const id = s.integers([0, 0]), found: H[] = [];
            for (;;) {
                next(id, this.pointer, id);
                const [index, generation] = this.core.heap.u32(id, 2);
                const handle = handles.of({ index: index!, generation: generation! });
                if (handle === null) {
                    return found;
                }
                found.push(handle);
            }
        });
    }
    private list<R, L>(struct: StructName, get: (world: number, out: number, capacity: number, count: number) => number, of: (raw: R) => L): L[] {
        const { heap } = this.core;
        return heap.scope((s) => {
            const count = s.integers([0]);
            this.core.check(get(this.pointer, 0, 0, count));
            const length = heap.integerAt(count);
            const out = s.struct(struct, length);
            this.core.check(get(this.pointer, out, length, count));
            return Array.from({ length }, (_, i) => of(heap.read<R>(struct, out + i * sizeOf(struct))));
        });
    }
}

export function worldOf(core: Core, options: WorldOptions): World {
    return new World(core, core.make((out, s) => {
        const desc = s.struct('lim_world_desc');
        core.c.lim_world_desc_default(desc);
        core.heap.write('lim_world_desc', desc, options);
        return core.c.lim_world_create(desc, core.host, out);
    }));
}
