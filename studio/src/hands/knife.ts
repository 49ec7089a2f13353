// SPDX-License-Identifier: MIT
// The knife: a stroke on the screen is a blade that sweeps from the eye through all that lies behind it.
// The cut follows the stroke sweep by sweep, as fast as the simulation takes them.
import * as THREE from 'three';
import { round, type Hand, type Table, type Touch } from './hand';

const FINEST = 9; // pixels between stations

export class KnifeHand implements Hand {
    private stroke: { id: number; x: number; y: number; near: number; far: number; all: number[]; sent: number; keys: Set<number>; first: THREE.Ray; last: THREE.Ray; cuts: number; over: boolean } | null = null;
    private waiting = false;
    private missed = 0;
    constructor(private readonly table: Table) {}

    down({ id, x, y, ray }: Touch): boolean {
        if (this.stroke) {
            return true;
        }
        const { stage, bodies } = this.table;
        const sphere = bodies.box.getBoundingSphere(new THREE.Sphere());
        const away = sphere.center.distanceTo(stage.camera.position);
        this.stroke = { id, x, y, near: Math.max(stage.camera.near, away - 1.3 * sphere.radius), far: away + 1.5 * sphere.radius, all: [], sent: 0, keys: new Set(), first: ray.ray.clone(), last: ray.ray.clone(), cuts: 0, over: false };
        this.station(ray.ray);
        return true;
    }
    move({ id, x, y, ray }: Touch): void {
        const { stroke } = this;
        if (stroke && stroke.id === id && !stroke.over && Math.hypot(x - stroke.x, y - stroke.y) >= FINEST) {
            this.station(ray.ray);
            Object.assign(stroke, { x, y });
            this.send();
        }
    }
    up({ id, x, y, ray }: Touch): void {
        const { stroke } = this;
        if (stroke && stroke.id === id) {
            if (Math.hypot(x - stroke.x, y - stroke.y) >= 2) {
                this.station(ray.ray);
            }
            stroke.over = true;
            this.send();
        }
    }
    cancel(): boolean {
        const nothing = this.stroke !== null && this.stroke.cuts === 0;
        if (nothing) {
            this.leave();
        }
        return nothing;
    }
    edited(): void {
        this.waiting = false;
        this.send();
    }
    leave(): void {
        this.stroke = null;
        this.waiting = false;
        this.table.props.showStroke([]);
    }

    private station(ray: THREE.Ray): void {
        const stroke = this.stroke!;
        const tip = ray.at(stroke.far, new THREE.Vector3()), back = ray.at(stroke.near, new THREE.Vector3());
        stroke.all.push(...[...tip.toArray(), ...back.toArray()].map(round));
        stroke.last.copy(ray);
        this.table.props.showStroke(stroke.all);
    }

    /** Bodies that the sweep between two stations may meet: their spheres against the wedge. */
    private meets(from: number, to: number): number[] {
        const { all } = this.stroke!;
        const corner = (station: number, end: number) => new THREE.Vector3().fromArray(all, 6 * station + 3 * end);
        return [...this.table.bodies.all.values()].filter(({ mesh, frame }) => {
            if (!frame) {
                return false;
            }
            const { center, radius } = mesh.geometry.boundingSphere!;
            for (let i = from; i < to; ++i) {
                const nearest = new THREE.Vector3(), triangle = new THREE.Triangle();
                for (const [a, b, c] of [[corner(i, 0), corner(i, 1), corner(i + 1, 0)], [corner(i, 1), corner(i + 1, 1), corner(i + 1, 0)]] as const) {
                    triangle.set(a, b, c).closestPointToPoint(center, nearest);
                    if (nearest.distanceTo(center) <= radius) {
                        return true;
                    }
                }
            }
            return false;
        }).map(({ mesh }) => mesh.userData['key'] as number);
    }

    private send(): void {
        const { stroke } = this;
        if (!stroke || this.waiting) {
            return;
        }
        const last = stroke.all.length / 6 - 1;
        if (last > stroke.sent) {
            this.meets(stroke.sent, last).forEach((key) => stroke.keys.add(key));
            if (stroke.keys.size > 0) {
                this.waiting = true;
                const stations = stroke.all.slice(6 * stroke.sent);
                this.table.sim.act(['cut', [...stroke.keys], stroke.cuts > 0 ? 1 : 0, stations], stroke.cuts === 0);
                stroke.cuts++;
                stroke.sent = last;
                return;
            }
            stroke.sent = last;
        }
        if (stroke.over) {
            this.end(stroke.cuts > 0, stroke.first, stroke.last);
        }
    }

    /** What has come off becomes bodies, which part a little. */
    private end(cut: boolean, first: THREE.Ray, last: THREE.Ray): void {
        const normal = first.direction.clone().cross(last.direction);
        this.leave();
        if (!cut) {
            if (++this.missed > 1) {
                this.table.say('Draw the line across the body, from beside it to beside it.');
            }
            return;
        }
        this.missed = 0;
        normal.normalize();
        this.table.sim.act(['split', round(normal.x), round(normal.y), round(normal.z), round(0.3 * Math.sqrt(this.table.stage.size))]);
    }
}

/** A cut through the middle of all bodies, as the camera sees them from top to bottom. */
export function cutMiddle({ stage, bodies, sim }: Table): void {
    const sphere = bodies.box.getBoundingSphere(new THREE.Sphere());
    const eye = stage.camera.position, up = new THREE.Vector3().setFromMatrixColumn(stage.camera.matrixWorld, 1);
    const stations = [1.25, 0, -1.25].flatMap((share) => {
        const through = sphere.center.clone().addScaledVector(up, share * sphere.radius).sub(eye).normalize();
        const away = sphere.center.distanceTo(eye);
        return [...eye.clone().addScaledVector(through, away + 2 * sphere.radius).toArray(), ...eye.clone().addScaledVector(through, Math.max(stage.camera.near, away - 1.4 * sphere.radius)).toArray()].map(round);
    });
    const right = new THREE.Vector3().setFromMatrixColumn(stage.camera.matrixWorld, 0);
    sim.act(['cut', [...bodies.all.keys()], 0, stations], true);
    sim.act(['split', round(right.x), round(right.y), round(right.z), round(0.3 * Math.sqrt(stage.size))]);
}
