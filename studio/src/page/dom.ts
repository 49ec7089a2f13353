// SPDX-License-Identifier: MIT
// Elements in one line.
type Child = Node | string | null;

export function el<K extends keyof HTMLElementTagNameMap>(tag: K, props: Record<string, unknown> = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(props)) {
        if (name.startsWith('on')) {
            element.addEventListener(name.slice(2), value as EventListener);
        } else if (value === true) {
            element.setAttribute(name, '');
        } else if (value !== false && value !== undefined && value !== null) {
            element.setAttribute(name, String(value));
        }
    }
    element.append(...children.filter((c) => c !== null));
    return element;
}

export const byId = <T extends HTMLElement = HTMLElement>(id: string): T => document.getElementById(id) as T;

const ICONS: Record<string, string> = {
    grab: 'M8 13V6.5a1.5 1.5 0 0 1 3 0V11m0-1V4.8a1.5 1.5 0 0 1 3 0V11m0-.5V6.3a1.5 1.5 0 0 1 3 0V13m0-3.2a1.5 1.5 0 0 1 3 0v4.7c0 3.6-2.5 6.5-6.2 6.5-2.9 0-4.6-1-6-3.3L4.5 13.6c-.9-1.6 1.1-3 2.3-1.7L8 13.3',
    knife: 'M4 20 20 4c1.2 4.6-.8 9.4-5.2 11.6L11 13.2M4 20l4.6-4.6 2.6 2.6L8 20.6z',
    press: 'M12 2.5v6m0 0L9.3 6m2.7 2.5L14.7 6M12 20.5a5 5 0 1 0 0-10 5 5 0 0 0 0 10z',
    paint: 'M14.5 4.5 20 10l-7.5 7.5-5.5-5.5zM7 12l-2 3.2c-.5 1-2 1.3-2.5 3.8 3 1.5 6.5 1 8-1.5',
    refine: 'M4 4h16v16H4zM4 12h16M12 4v16M16 12v8m-4-4h8',
    pin: 'M12 21v-7M8 3h8l-1 6 3 3.5V14H6v-1.5L9 9z',
    play: 'M7 4.5v15l12.5-7.5z',
    pause: 'M8 5v14M16 5v14',
    step: 'M6 5v14l9-7zM18 5v14',
    slow: 'M12 7v5l3 2M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z',
    undo: 'M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3',
    reset: 'M4 4v6h6M4.6 10A8 8 0 1 1 4 14',
    scenes: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
    share: 'M9 12h6M10 7H8a5 5 0 0 0 0 10h2M14 7h2a5 5 0 0 1 0 10h-2',
    panel: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4',
    help: 'M9.2 9a2.9 2.9 0 1 1 4.4 2.5c-1 .6-1.6 1.2-1.6 2.5M12 17.6v.2',
    open: 'M12 15V4m0 0L8 8m4-4 4 4M4 15v4.5h16V15',
    save: 'M12 4v11m0 0 4-4m-4 4-4-4M4 15v4.5h16V15',
    close: 'M6 6l12 12M18 6 6 18',
};

export function icon(name: string): SVGSVGElement {
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    for (const [key, value] of Object.entries({ viewBox: '0 0 24 24', 'aria-hidden': 'true', class: 'icon' })) {
        svg.setAttribute(key, value);
    }
    const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    path.setAttribute('d', ICONS[name]!);
    svg.append(path);
    return svg;
}

export function button(name: string, label: string, action: () => void, extra: Record<string, unknown> = {}): HTMLButtonElement {
    return el('button', { type: 'button', 'aria-label': label, title: label, onclick: action, ...extra }, icon(name));
}
