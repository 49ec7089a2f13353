// SPDX-License-Identifier: MIT
// Numbers: what there is, what it costs, and the hash of all that moves; and what colours mean.
import type { Report, View } from '../protocol';
import { el } from './dom';

const STAGES = [['contactFind', 'contacts', '#c47f2c'], ['sums', 'sums', '#1d7f86'], ['regions', 'rotations', '#3a9aa0'], ['goals', 'goals', '#62b6b0'], ['integrate', 'integrate', '#7f8fa3'], ['contactSolve', 'contact', '#d9a05b'], ['skin', 'skin', '#b65a6a']] as const;
const SCALES = {
    strain: { title: 'Strain', low: '0', middle: '10 %', high: '20 %', colours: ['#5989d9', '#eceae7', '#df4f3f'] },
    plastic: { title: 'Plastic strain', low: '0', middle: '15 %', high: '30 %', colours: ['#cfcdcb', '#eca65a', '#a12642'] },
    stiffness: { title: 'Stiffness', low: '\u00f7 16', middle: '1', high: '\u00d7 16', colours: ['#50b3ae', '#f1efe8', '#b35aa6'] },
};

export class Hud {
    readonly root = el('section', { id: 'hud', class: 'card', 'aria-label': 'Numbers' });
    readonly scale = el('section', { id: 'scale', class: 'card', 'aria-label': 'Colours', hidden: true });
    private readonly line = el('button', { type: 'button', class: 'line', 'aria-expanded': 'false', title: 'More numbers (I)' });
    private readonly more = el('div', { class: 'more' });
    private fps = 60;

    constructor() {
        this.line.addEventListener('click', () => this.toggle());
        this.root.append(this.line, this.more);
    }

    toggle(): void {
        const open = this.root.classList.toggle('open');
        this.line.setAttribute('aria-expanded', String(open));
    }

    /** Seconds since the last frame */
    framed(seconds: number): void {
        this.fps += 0.08 * (1 / Math.max(seconds, 1e-3) - this.fps);
    }

    report(r: Report, substeps: number): void {
        const pace = r.running ? (r.stages.bodiesAwake === 0 ? 'asleep' : r.pace > 0 && r.pace < 0.9 ? `${r.pace.toFixed(2)} \u00d7 real time` : 'real time') : 'paused';
        const ms = (s: number) => `${(1000 * s).toFixed(s < 0.01 ? 2 : 1)} ms`;
        this.line.replaceChildren(el('b', {}, r.stages.nodes.toLocaleString('en')), ' nodes', el('span', { class: 'dot' }), el('b', {}, r.stepTime.toFixed(r.stepTime < 10 ? 1 : 0)), ' ms per step', el('span', { class: 'dot' }), el('b', {}, Math.round(this.fps).toString()), ' fps');
        const rows: [string, string][] = [
            ['time', `${r.time.toFixed(2)} s, step ${r.step}`], ['pace', pace], ['bodies', `${r.pieces}, ${r.stages.bodiesAwake} awake`], ['regions', r.regions.toLocaleString('en')],
            ['substeps', `${Math.max(substeps, r.stages.substepsMost)}`], ['skin', `${r.vertices.toLocaleString('en')} vertices, ${r.triangles.toLocaleString('en')} triangles`],
            ['contacts', r.stages.contacts.toLocaleString('en')], ['memory', `${(r.memory / 2 ** 20).toFixed(0)} MiB`],
        ];
        const total = STAGES.reduce((sum, [key]) => sum + r.stages[key], 0);
        const bar = el('div', { class: 'stages', role: 'img', 'aria-label': 'Time per stage' }, ...STAGES.map(([key, label, colour]) => el('i', { style: `width:${total > 0 ? (100 * r.stages[key]) / total : 0}%;background:${colour}`, title: `${label} ${ms(r.stages[key])}` })));
        const legend = el('div', { class: 'legend' }, ...STAGES.filter(([key]) => r.stages[key] > 0).map(([key, label, colour]) => el('span', {}, el('i', { style: `background:${colour}` }), `${label} ${ms(r.stages[key])}`)));
        this.more.replaceChildren(el('dl', {}, ...rows.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)])), bar, legend, el('div', { class: 'hash' }, el('span', {}, 'state'), el('code', { id: 'hash' }, r.hash)));
    }

    colours(values: View['values']): void {
        this.scale.hidden = values === 'none';
        if (values !== 'none') {
            const { title, low, middle, high, colours } = SCALES[values];
            this.scale.replaceChildren(el('b', {}, title), el('i', { style: `background:linear-gradient(90deg, ${colours.join(',')})` }), el('div', {}, el('span', {}, low), el('span', {}, middle), el('span', {}, high)));
        }
    }
}
