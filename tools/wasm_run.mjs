// SPDX-License-Identifier: MIT
// Runs a WASI command module in node: node wasm_run.mjs MODULE.wasm [ARGUMENTS...]. The module sees
// the current folder as '.', and the folder in LIMBER_WASM_DIR, when set, under its own path. Exits
// with the module's code; 128 when it traps.
import { readFile } from 'node:fs/promises';
import { WASI } from 'node:wasi';

const [path, ...rest] = process.argv.slice(2);
if (path === undefined) {
    console.error('usage: node wasm_run.mjs MODULE.wasm [ARGUMENTS...]');
    process.exit(2);
}
const preopens = { '.': process.cwd() };
if (process.env.LIMBER_WASM_DIR) {
    preopens[process.env.LIMBER_WASM_DIR] = process.env.LIMBER_WASM_DIR;
}
const wasi = new WASI({
    version: 'preview1',
    args: [path, ...rest],
    env: process.env,
    preopens,
    returnOnExit: true,
});
try {
    const module = await WebAssembly.compile(await readFile(path));
    const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
    const code = wasi.start(instance);
    // At once: node 20 now and then crashes while it takes down a large module, all the more when it
    // still compiles it in the background (so run it with --no-liftoff). All output is out.
    process.reallyExit(code);
} catch (error) {
    console.error(`${path}: ${error.stack ?? error}`);
    process.exitCode = 128;
}
