// SPDX-License-Identifier: MIT
// Hands that hold: grabbing a place of the skin, pressing a ball into it, pinning it.
import * as THREE from 'three';
import { facing, round, rounded, type Hand, type Table, type Touch } from './hand';

export class GrabHand implements Hand {
    private readonly held = new Map<number, { id: number; plane: THREE.Plane }>();
    private next = 0;
    constructor(private readonly table: Table) {}

    down({ id, hit }: Touch): boolean {
        if (!hit) {
            return false;
        }
        const held = { id: this.next++, plane: facing(this.table.stage.camera, hit.point) };
        this.held.set(id, held);
        this.table.sim.act(['grab', held.id, hit.key, ...rounded(hit.point)], true);
        return true;
    }
    move({ id, ray }: Touch): void {
        const held = this.held.get(id);
        const to = held && ray.ray.intersectPlane(held.plane, new THREE.Vector3());
        if (to) {
            this.table.sim.act(['pull', held.id, ...rounded(to)]);
        }
    }
    up({ id }: Touch): void {
        const held = this.held.get(id);
        this.held.delete(id);
        if (held) {
            this.table.sim.act(['drop', held.id]);
        }
    }
}

/** The ball starts where it touches and goes in against the surface while it is held. */
export class PressHand implements Hand {
    private held: { id: number; plane: THREE.Plane; at: THREE.Vector3; normal: THREE.Vector3; radius: number; depth: number } | null = null;
    constructor(private readonly table: Table, private readonly began: () => void) {}

    down({ id, hit }: Touch): boolean {
        if (!hit || this.held) {
            return hit !== null;
        }
        const radius = round(this.table.radius());
        this.held = { id, plane: facing(this.table.stage.camera, hit.point), at: hit.point.clone(), normal: hit.normal.clone(), radius, depth: 0 };
        this.table.sim.act(['press', radius, ...rounded(hit.point.clone().addScaledVector(hit.normal, 1.03 * radius))], true);
        this.began();
        return true;
    }
    move({ id, ray }: Touch): void {
        if (this.held?.id === id) {
            ray.ray.intersectPlane(this.held.plane, this.held.at);
        }
    }
    wheel(by: number): boolean {
        if (this.held) {
            this.held.depth = Math.max(-this.held.radius, this.held.depth - 0.0006 * by * this.table.stage.size);
        }
        return this.held !== null;
    }
    tick(seconds: number): void {
        const { held } = this;
        if (held && this.table.sim.running) {
            const { size } = this.table.stage;
            held.depth = Math.min(held.depth + 0.16 * size * seconds, 0.28 * size);
            this.table.sim.act(['probe', ...rounded(held.at.clone().addScaledVector(held.normal, held.radius - held.depth))]);
        }
    }
    up({ id }: Touch): void {
        if (this.held?.id === id) {
            this.held = null;
            this.table.sim.act(['lift']);
        }
    }
    leave(): void {
        if (this.held) {
            this.up({ id: this.held.id } as Touch);
        }
    }
}

export class PinHand implements Hand {
    constructor(private readonly table: Table) {}
    down({ ray, hit }: Touch): boolean {
        const { props, sim } = this.table;
        const pin = props.pinAt(ray);
        if (pin >= 0) {
            sim.act(['unpin', pin], true);
        } else if (hit) {
            sim.act(['pin', hit.key, ...rounded(hit.point), round(this.table.radius())], true);
        }
        return pin >= 0 || hit !== null;
    }
    move(): void {}
    up(): void {}
    hover(touch: Touch | null): void { this.table.props.showBrush(touch?.hit?.point ?? null, this.table.radius(), '#c8332b'); }
    leave(): void { this.hover(null); }
}
