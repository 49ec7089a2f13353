// SPDX-License-Identifier: MIT
// Files: dropped anywhere on the page, or chosen.
import { byId, el } from './dom';

export const FORMATS = ['obj', 'ply', 'stl', 'off', 'glb', 'gltf'];

export class DropZone {
    private readonly input = el('input', { type: 'file', accept: [...FORMATS, 'json'].map((f) => `.${f}`).join(','), hidden: true });
    private depth = 0;

    constructor(private readonly take: (file: File) => void) {
        const zone = byId('drop');
        document.body.append(this.input);
        this.input.addEventListener('change', () => {
            const [file] = this.input.files ?? [];
            this.input.value = '';
            if (file) {
                this.take(file);
            }
        });
        const files = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
        window.addEventListener('dragenter', (event) => {
            if (files(event)) {
                event.preventDefault();
                this.depth++;
                zone.hidden = false;
            }
        });
        window.addEventListener('dragover', (event) => files(event) && event.preventDefault());
        window.addEventListener('dragleave', () => (zone.hidden = (this.depth = Math.max(0, this.depth - 1)) === 0));
        window.addEventListener('drop', (event) => {
            event.preventDefault();
            this.depth = 0;
            zone.hidden = true;
            const file = event.dataTransfer?.files[0];
            if (file) {
                this.take(file);
            }
        });
    }

    choose(): void { this.input.click(); }
}
