// SPDX-License-Identifier: MIT
// What the page says: notes that go away, a bar while a body is built, and the one screen that stays.
import { byId, el, icon } from './dom';

export interface Offer { label: string; action: () => void; }

export class Messages {
    private readonly list = byId('messages');
    private readonly bar = byId('building');

    /** Errors are read out at once and stay longer. */
    say(text: string, { level = 'note', offer = null }: { level?: 'note' | 'error'; offer?: Offer | null } = {}): void {
        const note = el('div', { class: `note card ${level}`, role: level === 'error' ? 'alert' : 'status' }, el('p', {}, text));
        if (offer) {
            note.append(el('button', { type: 'button', class: 'wide', onclick: () => { note.remove(); offer.action(); } }, offer.label));
        }
        const close = el('button', { type: 'button', class: 'plain', 'aria-label': 'Close', onclick: () => note.remove() }, icon('close'));
        note.append(close);
        for (const old of Array.from(this.list.children)) {
            if (old.firstChild?.textContent === text || this.list.childElementCount > 2) {
                old.remove();
            }
        }
        this.list.append(note);
        setTimeout(() => note.remove(), level === 'error' || offer ? 12000 : 5000);
    }

    building(done: number | null, stage = ''): void {
        this.bar.hidden = done === null;
        if (done !== null) {
            (this.bar.querySelector('i') as HTMLElement).style.width = `${Math.round(100 * done)}%`;
            (this.bar.querySelector('span') as HTMLElement).textContent = stage;
        }
    }

    /** Nothing works without it. */
    fatal(title: string, text: string, offer?: Offer): void {
        const screen = byId('fatal');
        screen.replaceChildren(el('div', { class: 'card' }, el('h1', {}, title), el('p', {}, text), offer ? el('button', { type: 'button', class: 'wide', onclick: () => { screen.hidden = true; offer.action(); } }, offer.label) : null));
        screen.hidden = false;
    }
    clearFatal(): void { byId('fatal').hidden = true; }
}
