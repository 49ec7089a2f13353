// SPDX-License-Identifier: MIT
// Scenes: JSON descriptions of what stands in a world and what happens to it, and runs of them.
import type { Body, MaterialOptions } from './body.js';
import { writeMaterial } from './body.js';
import { Core, Owned, type Options, type Progress } from './core.js';
import { sizeOf, type Scratch } from './heap.js';
import type { Mesh } from './model.js';
import type * as T from './generated/types.js';
import { World } from './world.js';

/** What a scene says as a whole */
export type SceneInfo = T.SceneDesc;
export interface SceneStart extends Options<Pick<T.SceneOptions, 'substeps' | 'nodes' | 'kind' | 'coarsen' | 'cellsAcross' | 'young' | 'widen'>> {
    /** Of every body, in place of the scene's; values that are not given are those of the library */
    material?: MaterialOptions;
    /** Meshes that the scene names as files */
    meshes?: Readonly<Record<string, Mesh>>;
    progress?: Progress;
}
export interface SceneBody extends Omit<T.SceneRunBody, 'body'> { body: Body; }
/** One of a scene's entries of bodies */
export type SceneBodyDesc = T.SceneBody;
export type SceneTool = T.SceneTool;

export class Scene extends Owned {
    /** A scene of a mesh borrows it. */
    constructor(core: Core, pointer: number, private readonly mesh?: Mesh) {
        super(core, pointer);
    }
    protected free(pointer: number): void {
        this.core.c.scene_destroy(pointer);
    }
    get info(): SceneInfo {
        return this.core.heap.read('scene_desc', this.core.c.scene_get_desc(this.pointer));
    }
    /** Its entries of bodies with all defaults filled in; values of a material that are chosen when it starts are NaN. */
    bodies(): SceneBodyDesc[] {
        const { heap, c } = this.core;
        const desc = c.scene_get_desc(this.pointer);
        const first = heap.pointer('scene_desc', desc, 'bodies');
        return Array.from({ length: heap.read<{ bodyCount: number }>('scene_desc', desc).bodyCount }, (_, i) => heap.read<SceneBodyDesc>('scene_body', first + i * sizeOf('scene_body')));
    }
    /** The camera at a time in seconds; null where the scene has none */
    cameraAt(time: number): T.Camera | null {
        const desc = this.core.c.scene_get_desc(this.pointer);
        return this.info.hasCamera ? this.core.get('lim_camera', (out) => this.core.c.scene_camera_at(out, desc, time)) : null;
    }
    /** Builds its models and its world. The scene must live as long as the run. */
    start(options: SceneStart = {}): SceneRun {
        const { core } = this;
        const { material, meshes = {}, progress, ...rest } = options;
        void this.mesh?.pointer; // throws where it was disposed of
        core.progress = progress;
        core.meshAt = (path) => {
            const mesh = Object.hasOwn(meshes, path) ? meshes[path] : undefined;
            if (mesh === undefined) {
                throw new RangeError(`limber: the scene needs the mesh '${path}': give it in 'meshes'`);
            }
            // The run owns what it reads: a copy.
            return core.make((out, s) => copyMesh(core, s, mesh, out));
        };
        try {
            return new SceneRun(core, withMessage(core, (s, message, out) => {
                const at = s.struct('scene_options');
                core.c.js_scene_hooks(at);
                core.heap.write('scene_options', at, {
                    ...rest,
                    hasKind: rest.kind !== undefined, hasCoarsen: rest.coarsen !== undefined,
                    hasCellsAcross: rest.cellsAcross !== undefined, hasWiden: rest.widen !== undefined,
                });
                if (material !== undefined) {
                    const values = s.struct('lim_material');
                    core.c.lim_material_default(values);
                    writeMaterial(core, values, material);
                    core.heap.setPointer('scene_options', at, 'material', values);
                }
                return core.c.scene_start(this.pointer, at, core.host, out, message);
            }), this);
        } finally {
            core.progress = undefined;
            core.meshAt = undefined;
        }
    }
}

function copyMesh(core: Core, s: Scratch, mesh: Mesh, out: number): number {
    const view = s.struct('lim_mesh_view'), desc = s.struct('lim_mesh_desc');
    core.c.lim_mesh_get_view(view, mesh.pointer);
    core.c.lim_mesh_desc_default(desc);
    const { vertexCount, triangleCount, submeshCount } = core.heap.read<T.MeshView>('lim_mesh_view', view);
    core.heap.write('lim_mesh_desc', desc, { vertexCount, triangleCount, submeshCount });
    for (const field of ['positions', 'normals', 'tangents', 'uvs', 'colours', 'densities', 'stiffnesses', 'sizes', 'indices', 'submeshes']) {
        core.heap.setPointer('lim_mesh_desc', desc, field, core.heap.pointer('lim_mesh_view', view, field));
    }
    return core.c.lim_mesh_create(desc, core.host, out);
}

/** A call that makes something, and writes what is wrong into a message. */
export function withMessage(core: Core, call: (s: Scratch, message: number, out: number) => number): number {
    return core.heap.scope((s) => {
        const message = s.struct('lim_io_message'), out = s.integers([0]);
        core.check(call(s, message, out), core.heap.text(message));
        return core.heap.pointerAt(out);
    });
}

/** A run in memory, to go back to; it ends with its run. */
export class RunSnapshot extends Owned {
    protected free(pointer: number): void {
        this.core.c.scene_snapshot_destroy(pointer);
    }
}

/** A scene that runs: a world with the scene's actions. */
export class SceneRun extends Owned {
    /** The run owns it. */
    readonly world: World;
    constructor(core: Core, pointer: number, readonly scene: Scene) {
        super(core, pointer);
        this.world = new World(core, core.c.scene_run_world(pointer), false);
    }
    private readonly snapshots: RunSnapshot[] = [];
    protected free(pointer: number): void {
        this.snapshots.forEach((s) => s.dispose());
        this.world.dispose();
        this.core.c.scene_stop(pointer);
    }
    /** Applies what is due and moves on by one step of the scene. */
    step(): void {
        this.core.heap.scope((s) => {
            const message = s.struct('lim_io_message');
            this.core.check(this.core.c.scene_step(this.pointer, message), this.core.heap.text(message));
        });
    }
    /** The world and how far the scene's actions have come */
    snapshot(): RunSnapshot {
        const made = new RunSnapshot(this.core, this.core.make((out) => this.core.c.scene_snapshot_create(this.pointer, out)));
        this.snapshots.push(made);
        return made;
    }
    /** Back to a snapshot of this run, any number of times */
    restore(snapshot: RunSnapshot): void {
        if (!this.snapshots.includes(snapshot)) {
            throw new RangeError('limber: the snapshot is of another run');
        }
        this.core.check(this.core.c.scene_snapshot_restore(this.pointer, snapshot.pointer));
    }
    /** Seconds since the start */
    get time(): number { return this.core.c.scene_run_time(this.pointer); }
    get steps(): number { return Number(this.core.c.scene_run_steps(this.pointer)); }
    get stepsTotal(): number { return Number(this.core.c.scene_run_steps_total(this.pointer)); }
    get done(): boolean { return Boolean(this.core.c.scene_run_done(this.pointer)); }
    /** Bodies with their names and colours; pieces that were split off come last. */
    bodies(): SceneBody[] {
        const count = this.core.c.scene_run_body_count(this.pointer);
        return Array.from({ length: count }, (_, i) => {
            const raw = this.core.get<T.SceneRunBody>('scene_run_body', (out) => this.core.c.scene_run_body_at(out, this.pointer, i));
            return { ...raw, body: this.world.bodyOf(raw.body)! };
        });
    }
    /** What holds, pulls or cuts now */
    tools(): SceneTool[] {
        const { c, heap } = this.core;
        return heap.scope((s) => {
            const length = c.scene_run_tools(this.pointer, 0, 0);
            const out = s.struct('scene_tool', length);
            c.scene_run_tools(this.pointer, out, length);
            return Array.from({ length }, (_, i) => heap.read<SceneTool>('scene_tool', out + i * sizeOf('scene_tool')));
        });
    }
}
