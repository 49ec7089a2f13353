// SPDX-License-Identifier: MIT
// The force that the probe feels, as a curve over the last seconds.
import { el } from './dom';

const SECONDS = 4;

export class ForceCurve {
    private readonly canvas = el('canvas', { width: 480, height: 168 });
    private readonly value = el('b', {}, '0 N');
    private readonly depth = el('span');
    readonly root = el('section', { id: 'force', class: 'card', 'aria-label': 'Force on the probe', hidden: true }, el('header', {}, el('span', {}, 'Force'), this.value, this.depth), this.canvas);
    /** Newton, at simulated seconds */
    readonly samples: { time: number; force: number }[] = [];

    begin(): void {
        this.samples.length = 0;
        this.root.hidden = false;
    }

    add(now: number, felt: readonly [number, number][], depth: number): void {
        this.samples.push(...felt.map(([time, force]) => ({ time, force })));
        while (this.samples.length > 0 && this.samples[0]!.time < now - SECONDS) {
            this.samples.shift();
        }
        const force = this.samples.at(-1)?.force ?? 0;
        this.value.textContent = `${force.toFixed(force < 10 ? 2 : force < 100 ? 1 : 0)} N`;
        this.depth.textContent = `${(1000 * depth).toFixed(0)} mm`;
        this.draw(now);
    }

    private draw(now: number): void {
        const { canvas } = this;
        const c = canvas.getContext('2d')!;
        const { width, height } = canvas;
        const most = Math.max(1e-3, ...this.samples.map((s) => s.force)) * 1.15;
        const place = (s: { time: number; force: number }): [number, number] => [width * (1 - (now - s.time) / SECONDS), height - 6 - (height - 20) * (s.force / most)];
        c.clearRect(0, 0, width, height);
        c.strokeStyle = '#00000018';
        c.lineWidth = 2;
        for (let i = 1; i < 4; ++i) {
            c.beginPath();
            c.moveTo(0, (height * i) / 4);
            c.lineTo(width, (height * i) / 4);
            c.stroke();
        }
        c.beginPath();
        this.samples.forEach((s) => c.lineTo(...place(s)));
        c.strokeStyle = '#0d7f86';
        c.lineWidth = 5;
        c.lineJoin = 'round';
        c.stroke();
        if (this.samples.length > 1) {
            c.lineTo(place(this.samples.at(-1)!)[0], height);
            c.lineTo(place(this.samples[0]!)[0], height);
            c.fillStyle = '#0d7f8622';
            c.fill();
        }
        c.fillStyle = '#5b6670';
        c.font = '22px "Inter Variable", system-ui, sans-serif';
        c.fillText(`${Number(most.toPrecision(2))} N`, 8, 22);
    }
}
