// SPDX-License-Identifier: MIT
// Loads the module and makes what everything else hangs on: a Limber.
import { Core, type Log } from './core.js';
import type { Exports, Numbers } from './heap.js';
import { namesOf, sizeOf, valueOf } from './heap.js';
import { writeMaterial, type MaterialOptions } from './body.js';
import { expect, Mesh, meshOf, Model, modelOf, type MeshArrays, type ModelOptions } from './model.js';
import { Scene, withMessage } from './scene.js';
import type * as T from './generated/types.js';
import { World, worldOf, type WorldOptions } from './world.js';

type Given = WebAssembly.Module | BufferSource | URL | string | Response;
export type WasmSource = Given | PromiseLike<Given>;
export interface InitOptions {
    /** The module, compiled or as bytes, or where it is; default: the package's own */
    wasm?: WasmSource;
    /** What the library says; default: warnings go to the console, errors are exceptions */
    log?: Log;
}
export interface DropOptions { keepUnits?: boolean; nodes?: number; up?: T.SceneUp; name?: string; }

/** Bytes or a module from wherever they are. */
export async function compile(source: WasmSource): Promise<WebAssembly.Module> {
    let given = await source;
    if (typeof given === 'string') {
        given = new URL(given, (globalThis as { location?: { href: string } }).location?.href ?? import.meta.url);
    }
    if (given instanceof URL) {
        if (given.protocol === 'file:') {
            const files = 'node:fs/promises'; // node alone: a bundler must not look for it
            given = (await (await import(/* @vite-ignore */ /* webpackIgnore: true */ files)).readFile(given)) as BufferSource;
        } else {
            given = await fetch(given);
        }
    }
    if (typeof Response !== 'undefined' && given instanceof Response) {
        if (!given.ok) {
            throw new Error(`limber: ${given.url}: ${given.status} ${given.statusText}`);
        }
        given = await given.arrayBuffer();
    }
    return given instanceof WebAssembly.Module ? given : WebAssembly.compile(given as BufferSource);
}

export async function instantiate(source: WasmSource, options: InitOptions): Promise<Limber> {
    const module = await compile(source);
    const hooks: { core?: Core } = {};
    // The module opens no file: whatever libc asks of the system is refused.
    const refused = 8; // EBADF
    const system = Object.fromEntries(WebAssembly.Module.imports(module).filter((i) => i.module.startsWith('wasi')).map((i) => [i.name, () => refused]));
    const imports = {
        wasi_snapshot_preview1: system,
        limber: {
            log: (level: number, text: number) => hooks.core!.onLog(level, text),
            now: () => performance.now() / 1000,
            progress: (done: number, stage: number) => +hooks.core!.onProgress(done, stage),
            wish: (width: number, x: number, y: number, z: number, edge: number) => hooks.core!.onWish(width, x, y, z, edge),
            mesh: (path: number) => hooks.core!.onMesh(path),
        },
    };
    const instance = await WebAssembly.instantiate(module, imports);
    const warn: Log = (level, text) => level === 'warning' && console.warn(`limber: ${text}`);
    return new Limber(new Core(instance.exports as unknown as Exports, hooks, options.log ?? warn));
}

/** An instance of the library with a memory of its own. */
export class Limber {
    constructor(readonly core: Core) {}

    get version(): string { return this.core.heap.text(this.core.c.lim_version()); }
    /** Bytes of the module's memory, which grows and never shrinks */
    get memoryBytes(): number { return this.core.c.memory.buffer.byteLength; }

    createMesh(arrays: MeshArrays): Mesh {
        for (const name of ['positions', 'indices'] as const) {
            expect(name, arrays[name], 3 * Math.floor(arrays[name].length / 3));
        }
        return meshOf(this.core, arrays);
    }
    /** A mesh file's bytes; the format by name, or by a file's name: 'obj' or 'duck.obj'. */
    parseMesh(bytes: Uint8Array | ArrayBuffer | string, format: string): Mesh {
        const { core } = this;
        const data = typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes;
        const kind = valueOf('lim_io_format', 'format', format.slice(format.lastIndexOf('.') + 1).toLowerCase());
        return new Mesh(core, withMessage(core, (s, message, out) => core.c.lim_io_parse_mesh(s.bytes(data), data.length, kind, 0, core.host, out, 0, message)));
    }
    /** A box from the origin to `size`, each side in `cells` squares */
    boxMesh(size: readonly [number, number, number], cells: readonly [number, number, number] = [1, 1, 1]): Mesh {
        const { core } = this;
        return new Mesh(core, core.make((out, s) => core.c.box_mesh(size[0], size[1], size[2], s.integers(cells), core.host, out)));
    }
    /** One of the models that are built in */
    modelMesh(name: string, triangles = 0): Mesh {
        const { core } = this;
        return new Mesh(core, core.make((out, s) => core.c.model_mesh(s.text(name), triangles, core.host, out)));
    }
    /** The models that are built in */
    get meshes(): T.ModelEntry[] {
        const { c, heap } = this.core;
        return heap.scope((s) => {
            const length = c.model_list(0, 0);
            const out = s.struct('model_entry', length);
            c.model_list(out, length);
            return Array.from({ length }, (_, i) => heap.read<T.ModelEntry>('model_entry', out + i * sizeOf('model_entry')));
        });
    }
    createModel(mesh: Mesh | null, options: ModelOptions = {}): Model { return modelOf(this.core, mesh, options); }
    loadModel(bytes: Uint8Array): Model {
        const { core } = this;
        return new Model(core, core.make((out, s) => core.c.lim_model_load(s.bytes(bytes), bytes.length, core.host, out)));
    }

    createWorld(options: WorldOptions = {}): World { return worldOf(this.core, options); }
    /** A world as it was saved; `world.bodies()` has its bodies. */
    loadWorld(bytes: Uint8Array): World {
        const { core } = this;
        return new World(core, core.make((out, s) => core.c.lim_world_load(s.bytes(bytes), bytes.length, 1, core.host, out)));
    }
    /** All values of a material; without a word the defaults */
    material(material: MaterialOptions = {}): T.Material {
        return this.core.get('lim_material', (out) => {
            this.core.c.lim_material_default(out);
            writeMaterial(this.core, out, material);
        });
    }

    /** Kinds of body that models can be made of */
    get kinds(): T.Kind[] { return namesOf('lim_kind') as T.Kind[]; }
    /** Materials with names */
    get presets(): T.Preset[] { return namesOf('lim_preset') as T.Preset[]; }

    /** Names of the scenes that are built in */
    get scenes(): string[] {
        const { c, heap } = this.core;
        return heap.scope((s) => {
            const length = c.scene_list(0, 0);
            const out = s.struct('scene_entry', length);
            c.scene_list(out, length);
            return Array.from({ length }, (_, i) => heap.read<T.SceneEntry>('scene_entry', out + i * sizeOf('scene_entry')).name);
        });
    }
    /** The JSON text of a scene that is built in */
    sceneText(name: string): string {
        const { c, heap } = this.core;
        const entry = heap.scope((s) => c.scene_find(s.text(name)));
        if (entry === 0) {
            throw new RangeError(`limber: there is no scene '${name}'; there are ${this.scenes.join(', ')}`);
        }
        return heap.read<T.SceneEntry>('scene_entry', entry).text;
    }
    /** A scene that is built in, by name */
    scene(name: string): Scene { return this.parseScene(this.sceneText(name), `${name}.json`); }
    /** A scene from JSON text or the object; `name` stands in messages. */
    parseScene(json: string | object, name = 'scene.json'): Scene {
        const { core } = this;
        const text = new TextEncoder().encode(typeof json === 'string' ? json : JSON.stringify(json));
        return new Scene(core, withMessage(core, (s, message, out) => core.c.scene_parse(s.bytes(text), text.length, s.text(name), 0, core.host, out, message)));
    }
    /** The mesh falls onto the ground, scaled to a metre. The mesh must live as long as the scene. */
    dropScene(mesh: Mesh, options: DropOptions = {}): Scene {
        const { core } = this;
        const { name, ...rest } = options;
        return new Scene(core, withMessage(core, (s, message, out) => {
            const at = s.struct('scene_drop_options');
            core.c.scene_drop_options_default(at);
            core.heap.write('scene_drop_options', at, rest);
            if (name !== undefined) {
                core.heap.setPointer('scene_drop_options', at, 'name', s.text(name));
            }
            return core.c.scene_drop_of_mesh(mesh.pointer, at, core.host, out, message);
        }), mesh);
    }
}

export type { Numbers };
