// SPDX-License-Identifier: MIT
// glTF 2.0, binary: bodies as they are, or as they moved (a morph target per moment).
import type { ShapeMessage } from '../protocol';

export interface Moment { positions: Float32Array; normals: Float32Array; }
export interface Moving { shape: ShapeMessage; moments: Moment[]; }

const FLOAT = 5126, UINT = 5125, ARRAY = 34962, ELEMENTS = 34963;

class Writer {
    readonly accessors: object[] = [];
    private readonly views: object[] = [];
    private readonly parts: Uint8Array[] = [];
    private length = 0;

    put(data: Float32Array | Uint32Array, type: 'SCALAR' | 'VEC2' | 'VEC3' | 'VEC4', { target, bounds = false }: { target?: number; bounds?: boolean } = {}): number {
        const per = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 }[type];
        this.views.push({ buffer: 0, byteOffset: this.length, byteLength: data.byteLength, ...(target ? { target } : {}) });
        this.parts.push(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
        this.length += data.byteLength;
        const accessor: Record<string, unknown> = { bufferView: this.views.length - 1, componentType: data instanceof Float32Array ? FLOAT : UINT, count: data.length / per, type };
        if (bounds) {
            const min = new Array<number>(per).fill(Infinity), max = new Array<number>(per).fill(-Infinity);
            data.forEach((x, i) => {
                min[i % per] = Math.min(min[i % per]!, x);
                max[i % per] = Math.max(max[i % per]!, x);
            });
            Object.assign(accessor, { min, max });
        }
        return this.accessors.push(accessor) - 1;
    }

    finish(json: object): Blob {
        const all = { asset: { version: '2.0', generator: 'Limber studio' }, ...json, accessors: this.accessors, bufferViews: this.views, buffers: [{ byteLength: this.length }] };
        const text = new TextEncoder().encode(JSON.stringify(all));
        const padded = new Uint8Array(4 * Math.ceil(text.length / 4)).fill(0x20);
        padded.set(text);
        const head = (size: number, kind: number) => new Uint32Array([size, kind]);
        const total = 12 + 8 + padded.length + 8 + this.length;
        return new Blob([new Uint32Array([0x46546c67, 2, total]), head(padded.length, 0x4e4f534a), padded, head(this.length, 0x004e4942), ...(this.parts as BlobPart[])], { type: 'model/gltf-binary' });
    }
}

/** Vertices that triangles use, so that the file has no other. */
function used(shape: ShapeMessage): { keep: Uint32Array; indices: Uint32Array } {
    const place = new Int32Array(shape.vertexCount).fill(-1);
    const keep: number[] = [];
    const indices = shape.indices.map((v) => {
        if (place[v]! < 0) {
            place[v] = keep.push(v) - 1;
        }
        return place[v]!;
    });
    return { keep: Uint32Array.from(keep), indices };
}

function picked(data: Float32Array, per: number, keep: Uint32Array): Float32Array {
    const out = new Float32Array(per * keep.length);
    keep.forEach((v, i) => out.set(data.subarray(per * v, per * v + per), per * i));
    return out;
}

function unit(normals: Float32Array): Float32Array {
    for (let i = 0; i < normals.length; i += 3) {
        const length = Math.hypot(normals[i]!, normals[i + 1]!, normals[i + 2]!);
        if (length > 1e-6) {
            normals.set([normals[i]! / length, normals[i + 1]! / length, normals[i + 2]! / length], i);
        } else {
            normals.set([0, 1, 0], i);
        }
    }
    return normals;
}

/** `fromBottom`: texture coordinates count from the bottom, as those of OBJ and PLY do; glTF counts from the top. */
export function glbOf(bodies: readonly Moving[], secondsPerMoment: number, fromBottom: boolean): Blob {
    const writer = new Writer();
    const materials: object[] = [], meshes: object[] = [], nodes: object[] = [], samplers: object[] = [], channels: object[] = [];
    const moments = Math.max(...bodies.map((b) => b.moments.length));
    const times = moments > 1 ? writer.put(Float32Array.from({ length: moments }, (_, i) => i * secondsPerMoment), 'SCALAR', { bounds: true }) : -1;
    const material = (colour: readonly number[], roughness: number) => materials.push({ pbrMetallicRoughness: { baseColorFactor: [...colour, 1], metallicFactor: 0, roughnessFactor: roughness }, doubleSided: true }) - 1;
    for (const { shape, moments: all } of bodies) {
        const { keep, indices } = used(shape);
        if (indices.length === 0) {
            continue;
        }
        const first = picked(all[0]!.positions, 3, keep), turned = unit(picked(all[0]!.normals, 3, keep));
        const attributes: Record<string, number> = { POSITION: writer.put(first, 'VEC3', { target: ARRAY, bounds: true }), NORMAL: writer.put(turned, 'VEC3', { target: ARRAY }) };
        if (shape.uvs) {
            attributes['TEXCOORD_0'] = writer.put(picked(shape.uvs, 2, keep).map((t, i) => (fromBottom && i % 2 === 1 ? 1 - t : t)), 'VEC2', { target: ARRAY });
        }
        const coloured = shape.colours ? { ...attributes, COLOR_0: writer.put(picked(shape.colours, 3, keep), 'VEC3', { target: ARRAY }) } : attributes;
        const targets = all.slice(1).map((m) => ({
            POSITION: writer.put(picked(m.positions, 3, keep).map((x, i) => x - first[i]!), 'VEC3', { target: ARRAY, bounds: true }),
            NORMAL: writer.put(unit(picked(m.normals, 3, keep)).map((x, i) => x - turned[i]!), 'VEC3', { target: ARRAY }),
        }));
        const primitives = ([[0, shape.outer, coloured, material(shape.colours ? [1, 1, 1] : shape.colour ?? [0.8, 0.8, 0.8], 0.45)], [shape.outer, indices.length, attributes, -1]] as const)
            .filter(([from, to]) => to > from)
            .map(([from, to, given, skin]) => ({ attributes: given, indices: writer.put(indices.slice(from, to), 'SCALAR', { target: ELEMENTS }), material: skin < 0 ? material(shape.inner, 0.7) : skin, ...(targets.length > 0 ? { targets } : {}) }));
        meshes.push({ name: shape.name, primitives, ...(targets.length > 0 ? { weights: targets.map(() => 0) } : {}) });
        nodes.push({ name: shape.name, mesh: meshes.length - 1 });
        if (targets.length > 0) {
            const weights = new Float32Array(targets.length * moments);
            for (let i = 1; i < moments; ++i) {
                weights[i * targets.length + Math.min(i, targets.length) - 1] = 1;
            }
            samplers.push({ input: times, output: writer.put(weights, 'SCALAR'), interpolation: 'LINEAR' });
            channels.push({ sampler: samplers.length - 1, target: { node: nodes.length - 1, path: 'weights' } });
        }
    }
    return writer.finish({ scene: 0, scenes: [{ nodes: nodes.map((_, i) => i) }], nodes, meshes, materials, ...(channels.length > 0 ? { animations: [{ name: 'motion', samplers, channels }] } : {}) });
}
