// SPDX-License-Identifier: MIT
// Keys, and what they do: one table for the page that lists them and the listener.
import { HANDS, type HandName } from './dock';
import { button, el } from './dom';

export interface KeyActions {
    choose(hand: HandName): void;
    toggleRunning(): void; step(): void; toggleSlow(): void; undo(): void; reset(): void;
    scenes(): void; file(): void; share(): void; panel(): void; numbers(): void; help(): void;
    orbit(x: number, y: number): void; zoom(by: number): void; frame(): void; cycleColours(): void; overlay(name: 'nodes' | 'cells' | 'graph'): void; cutMiddle(): void;
}

interface Row { keys: string[]; shown: string; what: string; run: (a: KeyActions) => void; }
const row = (keys: string | string[], what: string, run: (a: KeyActions) => void, shown = [keys].flat()[0]!.toUpperCase()): Row => ({ keys: [keys].flat(), shown, what, run });

const ROWS: Row[] = [
    ...Object.entries(HANDS).map(([name, { key, label }]) => row(key, label, (a) => a.choose(name as HandName))),
    row('x', 'Cut the body through its middle', (a) => a.cutMiddle()),
    row(' ', 'Pause, play', (a) => a.toggleRunning(), 'Space'),
    row('.', 'Single step', (a) => a.step(), '.'),
    row('t', 'Slow motion', (a) => a.toggleSlow()),
    row(['z'], 'Undo', (a) => a.undo()),
    row('0', 'Reset', (a) => a.reset(), '0'),
    row('o', 'Scenes', (a) => a.scenes()),
    row('m', 'Open a mesh of yours', (a) => a.file()),
    row('l', 'Copy a link to this state', (a) => a.share()),
    row('c', 'Controls', (a) => a.panel()),
    row('i', 'More numbers', (a) => a.numbers()),
    row('v', 'Colours: strain, plastic strain, stiffness', (a) => a.cycleColours()),
    row('1', 'Nodes', (a) => a.overlay('nodes'), '1'),
    row('2', 'Cells', (a) => a.overlay('cells'), '2'),
    row('3', 'Graph', (a) => a.overlay('graph'), '3'),
    row('ArrowLeft', 'Look around', (a) => a.orbit(-1, 0), '\u2190 \u2192 \u2191 \u2193'),
    row('ArrowRight', '', (a) => a.orbit(1, 0)),
    row('ArrowUp', '', (a) => a.orbit(0, -1)),
    row('ArrowDown', '', (a) => a.orbit(0, 1)),
    row(['+', '='], 'Nearer, farther', (a) => a.zoom(1), '+ \u2212'),
    row('-', '', (a) => a.zoom(-1)),
    row('f', 'The whole scene', (a) => a.frame()),
    row('?', 'This list', (a) => a.help(), '?'),
];

export function makeHelp(): HTMLDialogElement {
    const dialog = el('dialog', { id: 'help', 'aria-label': 'Keys' },
        el('header', {}, el('h2', {}, 'Keys and hands'), button('close', 'Close', () => dialog.close())),
        el('dl', {}, ...ROWS.filter((r) => r.what).flatMap((r) => [el('dt', {}, el('kbd', {}, r.shown)), el('dd', {}, r.what)])),
        el('p', {}, 'Mouse: the left button uses the tool on the body and looks around beside it; the right button always looks around; the wheel comes nearer. Touch: one finger uses the tool, two look around. Several fingers can grab at once.'));
    dialog.addEventListener('click', (event) => {
        if (event.target === dialog) {
            dialog.close();
        }
    });
    return dialog;
}

export function listenToKeys(actions: KeyActions): void {
    window.addEventListener('keydown', (event) => {
        const target = event.target as HTMLElement;
        const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
        const pressesButton = target.tagName === 'BUTTON' && (event.key === ' ' || event.key === 'Enter');
        if (event.altKey || document.querySelector('dialog[open]') || typing || pressesButton || (event.ctrlKey || event.metaKey) && event.key !== 'z') {
            return;
        }
        const found = ROWS.find((r) => r.keys.includes(event.key.length === 1 ? event.key.toLowerCase() : event.key));
        if (found) {
            event.preventDefault();
            found.run(actions);
        }
    });
}
