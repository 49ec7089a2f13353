// SPDX-License-Identifier: MIT
// The scenes, with a picture each.
import type { Entry, Group } from '../catalog';
import { button, el, icon } from './dom';

export class Gallery {
    readonly root: HTMLDialogElement;
    private readonly list = el('div', { class: 'scenes' });

    constructor(private readonly open: (entry: Entry) => void, openFile: () => void) {
        this.root = el('dialog', { id: 'gallery', 'aria-label': 'Scenes' },
            el('header', {}, el('h2', {}, 'Scenes'), el('button', { type: 'button', class: 'wide', onclick: () => { this.root.close(); openFile(); } }, icon('open'), 'Open a mesh of yours'), button('close', 'Close', () => this.root.close())),
            this.list);
        this.root.addEventListener('click', (event) => {
            if (event.target === this.root) {
                this.root.close();
            }
        });
    }

    fill(groups: readonly Group[]): void {
        this.list.replaceChildren(...groups.flatMap(({ title, entries }) => [
            el('h3', {}, title),
            el('div', { class: 'thumbs' }, ...entries.map((entry) => el('button', { type: 'button', class: 'thumb', 'data-scene': entry.name, title: entry.about, onclick: () => { this.root.close(); this.open(entry); } },
                this.picture(entry.name), el('span', {}, entry.title)))),
        ]));
    }

    show(current: string): void {
        this.list.querySelectorAll('.thumb').forEach((t) => t.setAttribute('aria-current', String(t.getAttribute('data-scene') === current)));
        this.root.showModal();
    }

    /** A new scene has no picture yet: its place stays a plain tile. */
    private picture(name: string): HTMLElement {
        const img = el('img', { src: `./thumbs/${name}.jpg`, alt: '', loading: 'lazy', width: 192, height: 128 });
        img.addEventListener('error', () => img.replaceWith(el('div', { class: 'blank' }, icon('scenes'))));
        return img;
    }
}
