// SPDX-License-Identifier: MIT
// The entry with the module beside it: limber.wasm, which is fetched.
import { compile, instantiate, type InitOptions, type Limber } from './limber.js';
export * from './api.js';

let own: Promise<WebAssembly.Module> | undefined;

/** Loads the library. Each call makes an instance with a memory of its own. */
export function init(options: InitOptions = {}): Promise<Limber> {
    return instantiate(options.wasm ?? (own ??= compile(new URL('./limber.wasm', import.meta.url))), options);
}
