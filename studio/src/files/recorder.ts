// SPDX-License-Identifier: MIT
// The last seconds of all bodies, since their surfaces last changed.
import type { Frame, ShapeMessage } from '../protocol';
import type { Moment, Moving } from './glb';

const RATE = 15, SECONDS = 6, MOST_BYTES = 120e6;

export class Recorder {
    private moments: { time: number; bodies: Map<number, Moment>; bytes: number }[] = [];

    clear(): void { this.moments = []; }

    add(frame: Frame): void {
        const last = this.moments.at(-1);
        if (last && frame.time < last.time) {
            this.clear(); // went back
        }
        if (last && frame.time - last.time < 1 / RATE - 1e-6) {
            return;
        }
        const bodies = new Map(frame.bodies.map((b) => [b.key, { positions: b.positions.slice(), normals: b.normals.slice() }]));
        this.moments.push({ time: frame.time, bodies, bytes: frame.bodies.reduce((n, b) => n + 2 * b.positions.byteLength, 0) });
        let bytes = this.moments.reduce((n, m) => n + m.bytes, 0);
        while (this.moments.length > 2 && (this.moments[0]!.time < frame.time - SECONDS || bytes > MOST_BYTES)) {
            bytes -= this.moments.shift()!.bytes;
        }
    }

    get seconds(): number { return this.moments.length > 1 ? this.moments.at(-1)!.time - this.moments[0]!.time : 0; }
    get secondsPerMoment(): number { return this.moments.length > 1 ? this.seconds / (this.moments.length - 1) : 1; }

    moving(shapes: Iterable<ShapeMessage>): Moving[] {
        return [...shapes].flatMap((shape) => {
            const moments = this.moments.flatMap((m) => m.bodies.get(shape.key) ?? []).filter((m) => m.positions.length === 3 * shape.vertexCount);
            return moments.length > 0 ? [{ shape, moments }] : [];
        });
    }
}
