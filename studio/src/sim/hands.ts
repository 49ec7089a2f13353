// SPDX-License-Identifier: MIT
// What hands do to a world: each act as calls of the library. The same acts between the same steps give
// the same bits, so nothing here depends on time, and numbers only come from + - * / and square roots.
import type { Body, Collider, EditReport, Grab, Pin, World } from 'limber';
import type { Act, Triple } from '../protocol';

const PROBE_SPEED = 1.5; // metres per second at most

interface Probe { collider: Collider; radius: number; at: Triple; to: Triple; first: Triple; }
export interface Edited { seconds: number; pieces: number; nodes: number; before: number; changed: boolean; }
/** What a snapshot of the world does not hold of the hands */
export interface Held { pins: Map<number, { pin: Pin; at: Triple; radius: number }>; nextPin: number; }

export class Hands {
    readonly grabs = new Map<number, { grab: Grab; to: Triple }>();
    pins: Held['pins'] = new Map();
    nextPin = 0;
    probe: Probe | null = null;
    private readonly strokes = new Set<number>();

    constructor(readonly world: World) {}

    keep(): Held { return { pins: new Map(this.pins), nextPin: this.nextPin }; }
    /** After a snapshot was restored. What was held is let go; the world has forgotten it. */
    restore(held: Held): void {
        this.grabs.clear();
        this.strokes.clear();
        this.probe = null;
        this.pins = new Map(held.pins);
        this.nextPin = held.nextPin;
    }
    get busy(): boolean { return this.grabs.size > 0 || this.probe !== null; }

    /** Before each step: the probe goes where it is drawn to, at a speed that bodies can feel. */
    advance(dt: number): void {
        const { probe } = this;
        if (probe) {
            const way = probe.to.map((x, i) => x - probe.at[i]!) as Triple;
            const length = Math.sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
            const share = length > PROBE_SPEED * dt ? (PROBE_SPEED * dt) / length : 1;
            const velocity = way.map((w) => (w * share) / dt) as Triple;
            probe.collider.move(probe.at, [0, 0, 0, 1], velocity);
            probe.at = probe.at.map((x, i) => x + velocity[i]! * dt) as Triple;
        }
    }

    /** Does it, or throws what the library refuses. */
    act(act: Act): Edited | null {
        const { world } = this;
        switch (act[0]) {
        case 'grab': {
            const [, id, key, x, y, z] = act;
            this.grabs.set(id, { grab: world.createGrab(this.body(key), { point: [x, y, z] }), to: [x, y, z] });
            return null;
        }
        case 'pull': {
            const [, id, ...to] = act;
            const held = this.grabs.get(id);
            if (held?.grab.valid) {
                held.to = to;
                held.grab.move(to);
            }
            return null;
        }
        case 'drop': {
            const held = this.grabs.get(act[1]);
            this.grabs.delete(act[1]);
            if (held?.grab.valid) {
                held.grab.destroy();
            }
            return null;
        }
        case 'press': {
            const [, radius, ...at] = act;
            this.act(['lift']);
            const collider = world.createCollider({ shape: 'sphere', size: [radius, 0, 0], position: at, friction: 0.2 });
            this.probe = { collider, radius, at, to: at, first: at };
            return null;
        }
        case 'probe':
            if (this.probe) {
                this.probe.to = [act[1], act[2], act[3]];
            }
            return null;
        case 'lift':
            if (this.probe?.collider.valid) {
                this.probe.collider.destroy();
            }
            this.probe = null;
            return null;
        case 'cut': return this.cut(act[1], act[2] !== 0, act[3]);
        case 'split': return this.split([act[1], act[2], act[3]], act[4]);
        case 'paint': return this.paint(act[1], [act[2], act[3], act[4]], act[5], act[6]);
        case 'refine':
        case 'coarsen': {
            const [what, key, x, y, z, radius] = act;
            return edited(this.body(key)[what]({ shape: 'sphere', size: [radius, 0, 0], position: [x, y, z] }));
        }
        case 'pin': {
            const [, key, x, y, z, radius] = act;
            const pin = world.createPin(this.body(key), { shape: 'sphere', size: [radius, 0, 0], position: [x, y, z] });
            this.pins.set(this.nextPin++, { pin, at: [x, y, z], radius });
            return null;
        }
        case 'unpin': {
            const held = this.pins.get(act[1]);
            this.pins.delete(act[1]);
            if (held?.pin.valid) {
                held.pin.destroy();
            }
            return null;
        }
        case 'material':
            world.bodies().forEach((body) => body.setMaterial(act[1]));
            return null;
        case 'gravity':
            world.gravity = [act[1], act[2], act[3]];
            world.bodies().forEach((body) => body.wake());
            return null;
        case 'wind':
            world.setWind({ velocity: [act[1], act[2], act[3]], gust: act[4], density: act[5] });
            world.bodies().forEach((body) => body.wake());
            return null;
        }
    }

    private body(key: number): Body {
        const body = this.world.bodies().find((b) => b.index === key);
        if (body === undefined) {
            throw new RangeError('that body is gone');
        }
        return body;
    }

    /** A sweep of the knife through some bodies; each goes on with its own stroke. */
    private cut(keys: number[], goesOn: boolean, stations: number[]): Edited {
        const tips: Triple[] = [], backs: Triple[] = [];
        for (let i = 0; i + 5 < stations.length; i += 6) {
            tips.push([stations[i]!, stations[i + 1]!, stations[i + 2]!]);
            backs.push([stations[i + 3]!, stations[i + 4]!, stations[i + 5]!]);
        }
        if (!goesOn) {
            this.strokes.clear();
        }
        const all: Edited = { seconds: 0, pieces: 0, nodes: 0, before: 0, changed: false };
        let refused: unknown, done = 0;
        for (const key of keys) {
            try {
                const report = edited(this.body(key).cut({ tips, backs, continues: this.strokes.has(key) }));
                this.strokes.add(key);
                ++done;
                all.seconds += report.seconds;
                all.pieces += report.pieces;
                all.nodes += report.nodes;
                all.before += report.before;
                all.changed ||= report.changed;
            } catch (error) {
                refused ??= error; // others may be cut all the same
            }
        }
        if (done === 0 && refused !== undefined) {
            throw refused;
        }
        return all;
    }

    /** Pieces become bodies, and part a little to both sides of the cut. */
    private split(apart: Triple, speed: number): Edited {
        this.strokes.clear();
        let pieces = 0;
        for (const body of this.world.bodies()) {
            const split = body.split();
            pieces += split.length;
            if (split.length === 0 || speed === 0) {
                continue;
            }
            const group = [body, ...split].map((b) => ({ b, state: b.state, side: 0, mass: b.motion.mass }));
            const total = group.reduce((m, g) => m + g.mass, 0);
            const along = (p: { x: number; y: number; z: number }) => p.x * apart[0] + p.y * apart[1] + p.z * apart[2];
            const middle = group.reduce((s, g) => s + along(g.state.position) * g.mass, 0) / total;
            group.forEach((g) => (g.side = along(g.state.position) >= middle ? 1 : -1));
            const drift = group.reduce((s, g) => s + g.side * g.mass, 0) / total; // momentum stays
            for (const { b, state, side } of group) {
                const v = state.velocity, by = speed * (side - drift);
                b.setVelocity([v.x + by * apart[0], v.y + by * apart[1], v.z + by * apart[2]], state.angularVelocity);
            }
        }
        return { seconds: 0, pieces: this.world.bodies().length, nodes: 0, before: 0, changed: pieces > 0 };
    }

    /** Nodes near the point become stiffer by the factor, less towards the rim. */
    private paint(key: number, at: Triple, radius: number, factor: number): Edited {
        const body = this.body(key);
        const factors = body.stiffness(), { positions } = body.nodes();
        let changed = 0;
        for (let i = 0; i < factors.length; ++i) {
            const x = positions[3 * i]! - at[0], y = positions[3 * i + 1]! - at[1], z = positions[3 * i + 2]! - at[2];
            const share = 1 - (x * x + y * y + z * z) / (radius * radius);
            if (share > 0) {
                factors[i] = Math.min(16, Math.max(1 / 16, factors[i]! * (1 + (factor - 1) * share * share)));
                ++changed;
            }
        }
        if (changed > 0) {
            body.setStiffness(factors);
            body.wake();
        }
        return { seconds: 0, pieces: 0, nodes: changed, before: factors.length, changed: changed > 0 };
    }
}

function edited(report: EditReport): Edited {
    return { seconds: report.total, pieces: report.pieces, nodes: report.nodesAfter, before: report.nodesBefore, changed: report.changed };
}
