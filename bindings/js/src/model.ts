// SPDX-License-Identifier: MIT
// Meshes and models: surfaces as they are given, and what can be simulated of them.
import { Core, Owned, type Options, type Progress, type Vec3Like, type Wish } from './core.js';
import { sizeOf, type Numbers, type Scratch } from './heap.js';
import type { StructName } from './generated/layout.js';
import type * as T from './generated/types.js';

/** Arrays of a surface. Positions and indices are required. */
export interface MeshArrays {
    /** 3 per vertex */
    positions: Numbers;
    /** 3 per triangle */
    indices: Numbers;
    /** 3 per vertex; computed where they are not given */
    normals?: Numbers | null;
    /** 4 per vertex, w = handedness */
    tangents?: Numbers | null;
    /** 2 per vertex */
    uvs?: Numbers | null;
    /** 4 per vertex, linear RGBA */
    colours?: Numbers | null;
    /** 1 per vertex: factors of the material's density and modulus, longest edges of cells */
    densities?: Numbers | null;
    stiffnesses?: Numbers | null;
    sizes?: Numbers | null;
    /** 1 per triangle */
    submeshes?: Numbers | null;
    submeshCount?: number;
    /** Corners closer than this share of the diagonal are one point inside. */
    weldDistance?: number;
}

/** Copies of a surface's arrays. */
export interface Surface {
    vertexCount: number;
    triangleCount: number;
    submeshCount: number;
    positions: Float64Array;
    normals: Float32Array;
    tangents: Float32Array | null;
    uvs: Float32Array | null;
    colours: Float32Array | null;
    densities: Float32Array | null;
    stiffnesses: Float32Array | null;
    sizes: Float32Array | null;
    indices: Uint32Array;
    submeshes: Int32Array;
}

export interface ModelNodes {
    count: number;
    /** Rest places in metres, relative to info.centre */
    x: Float32Array;
    y: Float32Array;
    z: Float32Array;
    volume: Float32Array;
    /** Edge of the cell, metres */
    side: Float32Array;
    level: Int32Array;
    component: Int32Array;
    /** 2 nodes per edge of the graph */
    edges: Int32Array;
}

/** What a vertex shader needs beside the transforms of `Body.copyNodeTransforms`. */
export interface Skinning {
    vertexCount: number;
    nodeCount: number;
    positions: Float32Array;
    normals: Float32Array;
    tangents: Float32Array;
    /** 8 per vertex */
    nodes: Int32Array;
    weights: Float32Array;
    /** 16 per vertex, or null */
    tangentWeights: Float32Array | null;
}

export interface Batches {
    batches: T.Batch[];
    triangles: Int32Array;
    indices: Uint32Array;
    vertices: Int32Array;
    /** 8 per vertex */
    localNodes: Uint16Array;
    nodes: Int32Array;
}

export interface ModelOptions extends Options<Omit<T.ModelDesc, 'interestCount' | 'zoneCount' | 'pointCount'>> {
    /** Places where cells should be small */
    interest?: readonly Options<T.SizeRegion>[];
    /** Parts that are made of something else */
    zones?: readonly Options<T.Zone>[];
    /** One per vertex of the mesh: the longest edge of cells there, 0: no wish */
    vertexSize?: Numbers;
    /** One factor per vertex of the mesh */
    vertexDensity?: Numbers;
    vertexStiffness?: Numbers;
    /** Of kind 'points': 3 per point */
    points?: Numbers;
    /** Longest edge wished at a cell; 0: no wish. The same answer to the same question */
    sizeAt?: Wish;
    /** Half-width in metres of the region of a node; 0: as regionWidth says */
    widthAt?: Wish;
    /** Called now and then; returning false cancels */
    progress?: Progress;
}

type Kind = 'f32' | 'f64' | 'i32' | 'u32' | 'u16';

/** Copies an array that a view struct points to; null where the pointer is. */
function copied(core: Core, struct: StructName, at: number, field: string, kind: Kind, count: number) {
    const pointer = core.heap.pointer(struct, at, field);
    return pointer === 0 && count > 0 ? null : core.heap[kind](pointer, count).slice();
}

function surfaceOf(core: Core, fill: (out: number) => void): Surface {
    return core.heap.scope((s) => {
        const at = s.struct('lim_mesh_view');
        fill(at);
        const view = core.heap.read<T.MeshView>('lim_mesh_view', at);
        const f32 = (field: string, per: number) => copied(core, 'lim_mesh_view', at, field, 'f32', per * view.vertexCount) as Float32Array | null;
        return {
            ...view,
            positions: copied(core, 'lim_mesh_view', at, 'positions', 'f64', 3 * view.vertexCount) as Float64Array,
            normals: f32('normals', 3)!,
            tangents: f32('tangents', 4),
            uvs: f32('uvs', 2),
            colours: f32('colours', 4),
            densities: f32('densities', 1),
            stiffnesses: f32('stiffnesses', 1),
            sizes: f32('sizes', 1),
            indices: copied(core, 'lim_mesh_view', at, 'indices', 'u32', 3 * view.triangleCount) as Uint32Array,
            submeshes: copied(core, 'lim_mesh_view', at, 'submeshes', 'i32', view.triangleCount) as Int32Array,
        };
    });
}

/** A triangle surface, taken as it is: open, doubled, flipped or unwelded. */
export class Mesh extends Owned {
    protected free(pointer: number): void {
        this.core.c.lim_mesh_destroy(pointer);
    }
    /** What was found and what had to be dropped */
    get report(): T.MeshReport {
        return this.core.get('lim_mesh_report', (out) => this.core.c.lim_mesh_get_report(out, this.pointer));
    }
    surface(): Surface {
        return surfaceOf(this.core, (out) => this.core.c.lim_mesh_get_view(out, this.pointer));
    }
}

export function meshOf(core: Core, arrays: MeshArrays): Mesh {
    const { positions, indices, normals, tangents, uvs, colours, densities, stiffnesses, sizes, submeshes, ...rest } = arrays;
    return new Mesh(core, core.make((out, s) => {
        const desc = s.struct('lim_mesh_desc');
        core.c.lim_mesh_desc_default(desc);
        core.heap.write('lim_mesh_desc', desc, { ...rest, vertexCount: positions.length / 3, triangleCount: indices.length / 3 });
        const put = (field: string, pointer: number) => core.heap.setPointer('lim_mesh_desc', desc, field, pointer);
        put('positions', s.doubles(positions));
        put('indices', s.integers(indices));
        const per = { normals: [normals, 3], tangents: [tangents, 4], uvs: [uvs, 2], colours: [colours, 4], densities: [densities, 1], stiffnesses: [stiffnesses, 1], sizes: [sizes, 1] } as const;
        for (const [field, [values, count]] of Object.entries(per)) {
            if (values) {
                expect(field, values, count * positions.length / 3);
                put(field, s.floats(values));
            }
        }
        if (submeshes) {
            expect('submeshes', submeshes, indices.length / 3);
            put('submeshes', s.integers(submeshes));
            if (rest.submeshCount === undefined) {
                core.heap.write('lim_mesh_desc', desc, { submeshCount: 1 + Array.from(submeshes).reduce((a, b) => Math.max(a, b), 0) });
            }
        }
        return core.c.lim_mesh_create(desc, core.host, out);
    }));
}

/** An array that is too short would let the library read beyond its end. */
export function expect(name: string, values: { length: number }, length: number): void {
    if (values.length !== length) {
        throw new RangeError(`limber: '${name}' has ${values.length} entries, not ${length}`);
    }
}

/** A surface turned into nodes, regions and bindings: constant, and shared by any number of bodies. */
export class Model extends Owned {
    protected free(pointer: number): void {
        this.core.c.lim_model_destroy(pointer);
    }
    get info(): T.ModelInfo {
        return this.core.get('lim_model_info', (out) => this.core.c.lim_model_get_info(out, this.pointer));
    }
    /** The surface it was made from, in the mesh's units */
    surface(): Surface {
        return surfaceOf(this.core, (out) => this.core.c.lim_model_get_surface(out, this.pointer));
    }
    nodes(): ModelNodes {
        const { core } = this;
        return core.heap.scope((s) => {
            const at = s.struct('lim_model_nodes');
            core.c.lim_model_get_nodes(at, this.pointer);
            const { count, edgeCount } = core.heap.read<T.ModelNodes>('lim_model_nodes', at);
            const get = <A>(field: string, kind: Kind, n = count) => copied(core, 'lim_model_nodes', at, field, kind, n) as A;
            return {
                count,
                x: get<Float32Array>('x', 'f32'),
                y: get<Float32Array>('y', 'f32'),
                z: get<Float32Array>('z', 'f32'),
                volume: get<Float32Array>('volume', 'f32'),
                side: get<Float32Array>('side', 'f32'),
                level: get<Int32Array>('level', 'i32'),
                component: get<Int32Array>('component', 'i32'),
                edges: get<Int32Array>('edges', 'i32', 2 * edgeCount),
            };
        });
    }
    /** The members of the region in which a node weighs most. Slow: for pictures and tools */
    region(node: number): { nodes: Int32Array; weights: Float32Array } {
        const { c, heap } = this.core;
        return heap.scope((s) => {
            const count = c.lim_model_get_region(this.pointer, node, 0, 0, 0);
            const nodes = s.take(4 * count), weights = s.take(4 * count);
            c.lim_model_get_region(this.pointer, node, nodes, weights, count);
            return { nodes: heap.i32(nodes, count).slice(), weights: heap.f32(weights, count).slice() };
        });
    }
    /** Vertices that edits have made: the last ones of the surface, with where they come from */
    sources(): T.VertexSource[] {
        const { c, heap } = this.core;
        return heap.scope((s) => {
            const count = s.integers([0]);
            const at = c.lim_model_get_sources(this.pointer, count);
            return Array.from({ length: heap.integerAt(count) }, (_, i) => heap.read<T.VertexSource>('lim_vertex_source', at + i * sizeOf('lim_vertex_source')));
        });
    }
    /** For skinning on a GPU */
    skinning(): Skinning {
        const { core } = this;
        const made = core.make((out) => core.c.lim_model_make_skinning(this.pointer, core.host, out));
        try {
            return core.heap.scope((s) => {
                const at = s.struct('lim_skinning_view');
                core.c.lim_skinning_get_view(at, made);
                const { vertexCount, nodeCount } = core.heap.read<T.SkinningView>('lim_skinning_view', at);
                const f32 = (field: string, per: number) => copied(core, 'lim_skinning_view', at, field, 'f32', per * vertexCount) as Float32Array;
                return {
                    vertexCount, nodeCount,
                    positions: f32('positions', 3),
                    normals: f32('normals', 3),
                    tangents: f32('tangents', 4),
                    nodes: copied(core, 'lim_skinning_view', at, 'nodes', 'i32', 8 * vertexCount) as Int32Array,
                    weights: f32('weights', 8),
                    tangentWeights: f32('tangentWeights', 16) as Float32Array | null,
                };
            });
        } finally {
            core.c.lim_skinning_destroy(made);
        }
    }
    /** Draw calls of few nodes each, for GPUs with little room */
    batches(maxNodes = 0): Batches {
        const { core } = this;
        const made = core.make((out) => core.c.lim_model_make_batches(this.pointer, maxNodes, core.host, out));
        try {
            return core.heap.scope((s) => {
                const at = s.struct('lim_batches_view');
                core.c.lim_batches_get_view(at, made);
                const view = core.heap.read<T.BatchesView>('lim_batches_view', at);
                const first = core.heap.pointer('lim_batches_view', at, 'batches');
                const get = <A>(field: string, kind: Kind, n: number) => copied(core, 'lim_batches_view', at, field, kind, n) as A;
                return {
                    batches: Array.from({ length: view.batchCount }, (_, i) => core.heap.read<T.Batch>('lim_batch', first + i * sizeOf('lim_batch'))),
                    triangles: get<Int32Array>('triangles', 'i32', view.triangleCount),
                    indices: get<Uint32Array>('indices', 'u32', 3 * view.triangleCount),
                    vertices: get<Int32Array>('vertices', 'i32', view.vertexCount),
                    localNodes: get<Uint16Array>('localNodes', 'u16', 8 * view.vertexCount),
                    nodes: get<Int32Array>('nodes', 'i32', view.nodeCount),
                };
            });
        } finally {
            core.c.lim_batches_destroy(made);
        }
    }
    save(): Uint8Array {
        return this.core.bytes((out, capacity, size) => this.core.c.lim_model_save(this.pointer, out, capacity, size));
    }
}

export function modelOf(core: Core, mesh: Mesh | null, options: ModelOptions): Model {
    const { interest, zones, vertexSize, vertexDensity, vertexStiffness, points, sizeAt, widthAt, progress, ...rest } = options;
    const vertices = mesh === null ? 0 : mesh.report.vertices;
    const build = (out: number, s: Scratch) => {
        const desc = s.struct('lim_model_desc');
        core.c.lim_model_desc_default(desc);
        core.heap.write('lim_model_desc', desc, rest);
        core.c.js_model_hooks(desc, +(progress !== undefined), +(sizeAt !== undefined), +(widthAt !== undefined));
        const put = (field: string, pointer: number) => core.heap.setPointer('lim_model_desc', desc, field, pointer);
        if (interest) {
            const at = s.struct('lim_size_region', interest.length);
            interest.forEach((region, i) => core.heap.write('lim_size_region', at + i * sizeOf('lim_size_region'), region));
            put('interest', at);
            core.heap.write('lim_model_desc', desc, { interestCount: interest.length });
        }
        if (zones) {
            put('zones', core.zones(s, zones));
            core.heap.write('lim_model_desc', desc, { zoneCount: zones.length });
        }
        for (const [field, values] of Object.entries({ vertexSize, vertexDensity, vertexStiffness })) {
            if (values) {
                expect(field, values, vertices);
                put(field, s.floats(values));
            }
        }
        if (points) {
            put('points', s.doubles(points));
            core.heap.write('lim_model_desc', desc, { pointCount: Math.floor(points.length / 3) });
        }
        return core.c.lim_model_create(mesh?.pointer ?? 0, desc, core.host, out);
    };
    Object.assign(core, { progress, sizeAt, widthAt });
    try {
        return new Model(core, core.make(build));
    } finally {
        Object.assign(core, { progress: undefined, sizeAt: undefined, widthAt: undefined });
    }
}

export type { Vec3Like };
