// SPDX-License-Identifier: MIT
// The page: puts simulation, picture, hands and controls together.
import '@fontsource-variable/inter';
import './style.css';
import { Studio } from './studio';
import { byId } from './page/dom';
import { Messages } from './page/messages';

/** A module of one function that adds two vectors of four numbers: it is valid where there is SIMD. */
const SIMD = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11]);

const messages = new Messages();
const canvas = byId<HTMLCanvasElement>('view');
if (typeof WebAssembly !== 'object' || !WebAssembly.validate(SIMD) || location.search.includes('no-simd')) {
    messages.fatal('This browser is too old', 'The simulation needs WebAssembly with SIMD: Chrome 91, Firefox 89, Safari 16.4, or newer.');
} else if (!document.createElement('canvas').getContext('webgl2')) {
    messages.fatal('No 3D graphics', 'The page draws with WebGL 2, which this browser does not offer now. Hardware acceleration may be switched off in its settings.');
} else {
    const studio = new Studio(canvas, messages);
    Object.assign(window, { studio });
}
