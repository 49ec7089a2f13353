// SPDX-License-Identifier: MIT
// The dock: which hand, how large it is, and the buttons of time.
import { button, el, icon } from './dom';

export const HANDS = {
    grab: { key: 'g', label: 'Grab', hint: 'Drag the body. Drag beside it to look around.' },
    knife: { key: 'k', label: 'Knife', hint: 'Draw a line across the body.' },
    press: { key: 'p', label: 'Press', hint: 'Hold on the body: a steel ball goes in. The wheel sets how deep.' },
    paint: { key: 's', label: 'Stiffness', hint: 'Paint stiffer; with Shift softer.' },
    refine: { key: 'r', label: 'Refine', hint: 'Paint smaller cells; with Shift larger ones.' },
    pin: { key: 'n', label: 'Pin', hint: 'Click the body to pin it, a pin to let go.' },
} as const;
export type HandName = keyof typeof HANDS;

export interface DockActions {
    choose(hand: HandName): void;
    toggleRunning(): void; step(): void; toggleSlow(): void; undo(): void; reset(): void;
    sized(share: number): void;
}

export class Dock {
    readonly root: HTMLElement;
    private readonly hands = new Map<HandName, HTMLButtonElement>();
    private readonly play: HTMLButtonElement;
    private readonly slow: HTMLButtonElement;
    private readonly undo: HTMLButtonElement;
    private readonly options: HTMLElement;
    private readonly hint = el('span', { class: 'hint' });
    private readonly size = el('input', { type: 'range', min: 0.03, max: 0.4, step: 0.01, value: 0.12, 'aria-label': 'Size of the tool' });

    constructor(actions: DockActions) {
        for (const [name, { key, label }] of Object.entries(HANDS)) {
            const one = el('button', { type: 'button', class: 'hand', 'aria-pressed': 'false', title: `${label} (${key.toUpperCase()})`, 'data-hand': name, onclick: () => actions.choose(name as HandName) }, icon(name), el('span', {}, label), el('kbd', { 'aria-hidden': 'true' }, key.toUpperCase()));
            this.hands.set(name as HandName, one);
        }
        this.play = button('pause', 'Pause (Space)', () => actions.toggleRunning(), { id: 'play' });
        this.slow = button('slow', 'Slow motion (T)', () => actions.toggleSlow(), { id: 'slow', 'aria-pressed': 'false' });
        this.undo = button('undo', 'Undo (Z)', () => actions.undo(), { id: 'undo', disabled: true });
        this.size.addEventListener('input', () => actions.sized(Number(this.size.value)));
        this.options = el('div', { class: 'options card' }, this.hint, el('label', { class: 'size' }, 'Size', this.size));
        this.root = el('nav', { id: 'dock', 'aria-label': 'Tools' },
            this.options,
            el('div', { class: 'bar card' },
                el('div', { class: 'group', role: 'group', 'aria-label': 'Hands' }, ...this.hands.values()),
                el('div', { class: 'group time', role: 'group', 'aria-label': 'Time' }, this.play, button('step', 'Single step (.)', () => actions.step(), { id: 'step' }), this.slow, this.undo, button('reset', 'Reset (0)', () => actions.reset(), { id: 'reset' }))));
    }

    choose(hand: HandName): void {
        for (const [name, one] of this.hands) {
            one.setAttribute('aria-pressed', String(name === hand));
        }
        this.hint.textContent = HANDS[hand].hint;
        this.options.classList.toggle('sized', hand === 'press' || hand === 'paint' || hand === 'refine' || hand === 'pin');
    }

    time({ running, slow, undos }: { running: boolean; slow: boolean; undos: number }): void {
        const label = running ? 'Pause (Space)' : 'Play (Space)';
        if (this.play.title !== label) {
            this.play.replaceChildren(icon(running ? 'pause' : 'play'));
            this.play.title = label;
            this.play.setAttribute('aria-label', label);
        }
        this.play.classList.toggle('call', !running);
        this.slow.setAttribute('aria-pressed', String(slow));
        this.undo.disabled = undos === 0;
    }
}
