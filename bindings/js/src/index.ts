// SPDX-License-Identifier: MIT
// The entry with the module inside: deflated, as text. Works wherever JavaScript does.
import { packed } from './generated/wasm.js';
import { instantiate, type InitOptions, type Limber } from './limber.js';
export * from './api.js';

let own: Promise<WebAssembly.Module> | undefined;

async function unpack(): Promise<WebAssembly.Module> {
    const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
    const inflated = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    return WebAssembly.compile(await new Response(inflated).arrayBuffer());
}

/** Loads the library. Each call makes an instance with a memory of its own. */
export function init(options: InitOptions = {}): Promise<Limber> {
    return instantiate(options.wasm ?? (own ??= unpack()), options);
}
